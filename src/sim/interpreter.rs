//! An interpreter of the `ir`, whose results define what is right.

use crate::diagnostics::Span;
use crate::ir::{
    Arg, ArrayId, ArrayKind, Attempt, Block, Call, Element, For, Hazard, If, Kernel, KernelId, Op,
    OpKind, Param, Program, Promise, ResultSlot, Scalar, Scope, ValueId, While,
};
use crate::sim::coverage::Coverage;
use crate::sim::elements::{Elements, Invocation, State};
use crate::sim::operations::{
    binary, bit_set, bit_slice, bitcast, cast, compare, convert, fma, unary,
};
use crate::sim::outcome::*;
use crate::sim::value::{Data, Signature, Slot, Value};
use std::collections::{BTreeMap, HashMap};

/// Operations between two questions whether to give up.
const PATIENCE: u64 = 1 << 19;

/// Elements that all arrays of a run may have together. They take the space of those that are touched.
const MAX_ELEMENTS: u64 = 1 << 36;

/// The streams of a process, to the other processes of its network.
pub(super) trait Streams {
    /// Takes the oldest element of a stream of the process.
    fn get(&self, array: ArrayId, span: Span) -> Result<Value, Stop>;
    /// Adds an element to a stream of the process.
    fn put(&self, array: ArrayId, value: Value, span: Span) -> Result<(), Stop>;
    /// Asks of a stream of the process what depends on timing; whether it could be done, and the element that was taken.
    fn attempt(
        &self,
        asked: (ArrayId, Attempt),
        value: Option<Value>,
        span: Span,
    ) -> Result<(bool, Option<Value>), Stop>;
}

/// Why interpretation ended early.
pub(super) enum Stop {
    Error(RunError),
    Unspecified(Span),
    /// Another process stopped.
    Others,
}

impl From<RunError> for Stop {
    fn from(error: RunError) -> Self {
        Stop::Error(error)
    }
}

pub(super) struct Machine<'p> {
    program: &'p Program,
    options: &'p Options,
    steps: u64,
    /// Operations after which the run pauses to see whether it is to end.
    pause: u64,
    elements: u64,
    arrays: Vec<Elements>,
    /// Constant arrays, made once.
    tables: HashMap<(KernelId, ArrayId), usize>,
    out_of_bounds: Vec<OutOfBounds>,
    coverage: Coverage,
    log: Log,
    /// The loops that run, outermost first.
    iteration: Vec<(Span, i128)>,
    /// Counted loops that run, by induction variable, with the iterations before this one.
    runs: Vec<(ValueId, u64)>,
    promised: Vec<Watched>,
    /// Whether a condition around is unspecified: what is stored may be stored or not, and what is wrong may not happen.
    is_either: bool,
    /// Of arrays whose stores are logged: the number in the signature by position in [`Machine::arrays`].
    pub(super) watched: HashMap<usize, usize>,
    /// Of the top kernel: position in [`Machine::arrays`] of what is kept between invocations.
    states: BTreeMap<ArrayId, usize>,
    /// Of a process of a network: its streams.
    link: Option<&'p dyn Streams>,
}

/// An argument of a running call: a value, or a position in [`Machine::arrays`].
pub(super) enum Actual {
    Scalar(Value),
    Array(usize),
}

/// A running kernel.
struct Frame<'p> {
    id: KernelId,
    kernel: &'p Kernel,
    values: Vec<Value>,
    /// Position in [`Machine::arrays`] of each array.
    arrays: Vec<usize>,
}

impl<'p> Frame<'p> {
    fn get(&self, id: ValueId) -> &Value {
        &self.values[id.index()]
    }
    fn set(&mut self, id: ValueId, value: Value) {
        self.values[id.index()] = value;
    }
    fn ty(&self, id: ValueId) -> Scalar {
        self.kernel.values[id].ty
    }
    fn index(&self, id: ValueId) -> i128 {
        match self.get(id).data {
            Data::Int(i) => i,
            _ => 0,
        }
    }
    fn many(&self, ids: &[ValueId]) -> Vec<Value> {
        ids.iter().map(|id| self.get(*id).clone()).collect()
    }
    fn set_many(&mut self, ids: &[ValueId], values: Vec<Value>) {
        for (id, value) in ids.iter().zip(values) {
            self.set(*id, value);
        }
    }
    /// Control flow may not hang on an unspecified value.
    fn specified(&self, id: ValueId, span: Span) -> Result<(), Stop> {
        match self.get(id).tainted {
            true => Err(Stop::Unspecified(span)),
            false => Ok(()),
        }
    }
}

impl<'p> Machine<'p> {
    pub(super) fn new(
        program: &'p Program,
        options: &'p Options,
        link: Option<&'p dyn Streams>,
    ) -> Machine<'p> {
        Machine {
            program,
            options,
            steps: 0,
            pause: options.step_limit.min(PATIENCE),
            elements: 0,
            arrays: Vec::new(),
            tables: HashMap::new(),
            out_of_bounds: Vec::new(),
            coverage: Coverage::default(),
            log: Log::default(),
            iteration: Vec::new(),
            runs: Vec::new(),
            promised: Vec::new(),
            is_either: false,
            watched: HashMap::new(),
            states: BTreeMap::new(),
            link,
        }
    }

    /// The elements of an array, which is done with.
    pub(super) fn take(&mut self, at: usize) -> Elements {
        let ty = self.arrays[at].ty();
        std::mem::replace(&mut self.arrays[at], Elements::unspecified(ty, 0))
    }

    /// Adds what a process did to what a network did.
    pub(super) fn add_to(self, outcome: &mut Outcome) {
        outcome.steps += self.steps;
        outcome.out_of_bounds.extend(self.out_of_bounds);
        outcome.coverage.add(&self.coverage);
    }

    /// What the run leaves behind.
    pub(super) fn leave(
        mut self,
        signature: &Signature,
        invocation: &Invocation,
        arrays: impl Iterator<Item = usize>,
        yielded: Vec<Value>,
        outcome: &mut Outcome,
    ) {
        let ended = outcome.unspecified_control.is_none() && outcome.cut.is_none();
        let mut arrays = arrays;
        let mut take = |slot: &Slot| {
            let mut elements = match arrays.next().and_then(|at| self.arrays.get_mut(at)) {
                Some(found) => std::mem::replace(found, Elements::unspecified(slot.ty, 0)),
                None => Elements::unspecified(slot.ty, slot.len()),
            };
            if !ended {
                elements.fill(Value::unspecified(slot.ty), None);
            }
            elements
        };
        let params = signature.params.iter().zip(&invocation.args);
        let params = params.map(|(slot, given)| match slot.is_array() {
            true => take(slot),
            false => given.clone(),
        });
        outcome.params = params.collect();
        let mut yielded = yielded.into_iter();
        let results = signature.results.iter().map(|slot| match slot.is_array() {
            true => take(slot),
            false => {
                let value = yielded.next().unwrap_or(Value::unspecified(slot.ty));
                Elements::one(slot.ty, value)
            }
        });
        outcome.results = results.collect();
        outcome.out_of_bounds = self.out_of_bounds;
        outcome.steps = self.steps;
        outcome.coverage = self.coverage;
        outcome.log = self.log;
        outcome.log.whole = ended && outcome.log.stores.len() < self.options.log;
    }

    pub(super) fn allocate(
        &mut self,
        kernel: &Kernel,
        id: ArrayId,
        elements: Elements,
    ) -> Result<usize, RunError> {
        self.reserve(kernel, id)?;
        self.arrays.push(elements);
        Ok(self.arrays.len() - 1)
    }

    pub(super) fn allocate_unwritten(
        &mut self,
        kernel: &Kernel,
        id: ArrayId,
    ) -> Result<usize, RunError> {
        let length = self.reserve(kernel, id)?;
        let elements = Elements::unspecified(kernel.arrays[id].elem, length);
        self.arrays.push(elements);
        Ok(self.arrays.len() - 1)
    }

    /// Counts an array against the limit; gives its length.
    fn reserve(&mut self, kernel: &Kernel, id: ArrayId) -> Result<usize, RunError> {
        let array = &kernel.arrays[id];
        let length = array
            .shape
            .iter()
            .try_fold(1u64, |product, &extent| product.checked_mul(extent))
            .filter(|&length| length <= MAX_ELEMENTS - self.elements);
        let Some(length) = length else {
            return Err(RunError::TooLarge {
                span: array.span,
                array: array.name.clone(),
            });
        };
        self.elements += length;
        Ok(length as usize)
    }

    /// Makes the constant arrays of every kernel, which live as long as the machine.
    pub(super) fn make_tables(&mut self) -> Result<(), RunError> {
        let program = self.program;
        for (kernel_id, kernel) in program.kernels.iter() {
            for (id, array) in kernel.arrays.iter() {
                if let ArrayKind::Table(contents) = &array.kind {
                    let values = contents.iter();
                    let values = values.map(|c| Value::from_const(array.elem, c));
                    let elements = Elements::given(array.elem, values.collect());
                    let position = self.allocate(kernel, id, elements)?;
                    self.tables.insert((kernel_id, id), position);
                }
            }
        }
        Ok(())
    }

    /// Makes the arrays of the top kernel that are kept: as the invocation before left them, or as after a reset.
    pub(super) fn load_state(&mut self, (process, state): (usize, &State)) -> Result<(), RunError> {
        let kernel = &self.program.kernels[self.program.top];
        for (id, array) in kernel.arrays.iter() {
            let ArrayKind::State(contents) = &array.kind else {
                continue;
            };
            let elements = state.get(&(process, id)).cloned().unwrap_or_else(|| {
                let values = contents.iter();
                let values = values.map(|c| Value::from_const(array.elem, c));
                Elements::given(array.elem, values.collect())
            });
            let at = self.allocate(kernel, id, elements)?;
            self.states.insert(id, at);
        }
        Ok(())
    }

    /// What is kept for the next invocation.
    pub(super) fn leave_state(&mut self, process: usize, state: &mut State) {
        for (id, at) in std::mem::take(&mut self.states) {
            state.insert((process, id), self.take(at));
        }
    }

    /// Runs a kernel; `results` are the arrays for its array results. Gives its scalar results.
    pub(super) fn call(
        &mut self,
        id: KernelId,
        args: Vec<Actual>,
        results: &[usize],
    ) -> Result<Vec<Value>, Stop> {
        let program = self.program;
        self.call_kernel(id, &program.kernels[id], args, results)
    }

    /// The same for a kernel that is called `id`.
    fn call_kernel(
        &mut self,
        id: KernelId,
        kernel: &'p Kernel,
        args: Vec<Actual>,
        results: &[usize],
    ) -> Result<Vec<Value>, Stop> {
        let (kept, kept_elements) = (self.arrays.len(), self.elements);
        let mut frame = Frame {
            id,
            kernel,
            values: vec![Value::new(Data::Int(0)); kernel.values.len()],
            arrays: vec![0; kernel.arrays.len()],
        };
        for (param, arg) in kernel.params.iter().zip(args) {
            match (param, arg) {
                (Param::Scalar(value), Actual::Scalar(given)) => frame.set(*value, given),
                (Param::Array(array), Actual::Array(at)) => frame.arrays[array.index()] = at,
                _ => {}
            }
        }
        let fresh = kernel.results.iter().filter_map(|slot| match slot {
            ResultSlot::Array(array) => Some(*array),
            ResultSlot::Scalar(_) => None,
        });
        for (array, at) in fresh.zip(results) {
            frame.arrays[array.index()] = *at;
        }
        for (array_id, array) in kernel.arrays.iter() {
            match &array.kind {
                ArrayKind::Local => {
                    frame.arrays[array_id.index()] = self.allocate_unwritten(kernel, array_id)?;
                }
                ArrayKind::Table(_) => {
                    frame.arrays[array_id.index()] = self.tables[&(id, array_id)];
                }
                ArrayKind::State(_) => {
                    let at = self.states.get(&array_id);
                    frame.arrays[array_id.index()] = *at.expect("only a top kernel keeps state");
                }
                ArrayKind::Param(_) | ArrayKind::Result(_) => {}
            }
        }
        self.block(&mut frame, &kernel.body)?;
        self.arrays.truncate(kept);
        self.elements = kept_elements;
        Ok(frame.many(&kernel.body.yields))
    }

    fn block(&mut self, frame: &mut Frame<'p>, block: &'p Block) -> Result<(), Stop> {
        for op in &block.ops {
            self.count(op.span)?;
            self.op(frame, op)?;
        }
        Ok(())
    }

    /// Writes an element of an array.
    fn set(
        &mut self,
        at: usize,
        position: usize,
        value: Value,
        span: Span,
        source: Option<(KernelId, ValueId)>,
    ) {
        let value = self.stored(value);
        // Nobody knows whether the next store is this one.
        let known = Some(position).filter(|_| !self.is_either);
        self.note_store(at, known, &value, span, source);
        self.arrays[at].set(position, value, Some(span));
    }

    /// What may stand where a value may have been stored.
    fn stored(&self, value: Value) -> Value {
        let tainted = value.tainted || self.is_either;
        Value { tainted, ..value }
    }

    /// Writes all elements of an array.
    fn fill(&mut self, at: usize, value: Value, span: Span) {
        let value = self.stored(value);
        self.note_store(at, None, &value, span, None);
        self.arrays[at].fill(value, Some(span));
    }

    fn note_store(
        &mut self,
        at: usize,
        position: Option<usize>,
        value: &Value,
        span: Span,
        source: Option<(KernelId, ValueId)>,
    ) {
        if self.log.stores.len() >= self.options.log {
            return;
        }
        if let Some(&array) = self.watched.get(&at) {
            self.log.stores.push(Stored {
                array,
                position,
                value: value.clone(),
                span,
                source,
                iteration: self.iteration.clone(),
            });
        }
    }

    fn op(&mut self, frame: &mut Frame<'p>, op: &'p Op) -> Result<(), Stop> {
        match &op.kind {
            OpKind::Load { at, .. } => {
                let value = self.load(frame, op.span, at)?;
                frame.set(op.results[0], value);
            }
            OpKind::Store { at, value } => self.store(frame, op.span, at, *value)?,
            OpKind::Fill { array, value } => {
                self.count_all(frame, op.span, *array)?;
                let value = frame.get(*value).clone();
                self.fill(frame.arrays[array.index()], value, op.span);
            }
            OpKind::Copy { dst, src } => self.copy(frame, op.span, *dst, *src)?,
            OpKind::For(l) => self.for_loop(frame, op, l)?,
            OpKind::While(l) => self.while_loop(frame, op, l)?,
            OpKind::If(branch) => self.branch(frame, op, branch)?,
            OpKind::Operate(operate) => {
                let args = operate.args.iter();
                let args = args.map(|arg| Actual::Scalar(frame.get(*arg).clone()));
                // It has neither arrays nor calls.
                let values = self.call_kernel(frame.id, &operate.kernel, args.collect(), &[])?;
                frame.set_many(&op.results, values);
            }
            OpKind::Call(call) => self.call_op(frame, op, call)?,
            OpKind::Get { at } => self.get(frame, op, at)?,
            OpKind::Put { at, value } => self.put(frame, op, at, *value)?,
            OpKind::Attempt { at, what } => self.attempt(frame, op, at, *what)?,
            OpKind::Assume { cond } => self.assume(frame.get(*cond), op.span)?,
            OpKind::Promise(promise) => self.promise(frame, promise, op.span),
            pure => {
                let value = evaluate(frame, op, pure)?;
                frame.set(op.results[0], value);
            }
        }
        Ok(())
    }

    /// The streams of the process, and whether something is transferred; an unspecified condition is of no use.
    fn transfer(
        &self,
        frame: &Frame<'p>,
        op: &Op,
        at: &Element,
    ) -> Result<Option<&'p dyn Streams>, Stop> {
        if let Some(when) = at.when {
            frame.specified(when, op.span)?;
        }
        let Some(link) = self.link else {
            let what = "streams outside of a network".to_string();
            let span = op.span;
            return Err(RunError::Unsupported { span, what }.into());
        };
        Ok((!Self::is_off(frame, at)).then_some(link))
    }

    fn get(&mut self, frame: &mut Frame<'p>, op: &Op, at: &Element) -> Result<(), Stop> {
        let value = match self.transfer(frame, op, at)? {
            Some(link) => link.get(at.array, op.span)?,
            None => Value::unspecified(frame.ty(op.results[0])),
        };
        frame.set(op.results[0], value);
        Ok(())
    }

    fn put(
        &mut self,
        frame: &Frame<'p>,
        op: &Op,
        at: &Element,
        value: ValueId,
    ) -> Result<(), Stop> {
        match self.transfer(frame, op, at)? {
            Some(link) => link.put(at.array, frame.get(value).clone(), op.span),
            None => Ok(()),
        }
    }

    /// Where promises are checked; of what is unspecified nothing can be said.
    fn assume(&self, holds: &Value, span: Span) -> Result<(), Stop> {
        let is_checked = self.options.check_assumptions && !self.is_either;
        match is_checked && !holds.tainted && holds.data == Data::Int(0) {
            true => Err(RunError::Broken(span).into()),
            false => Ok(()),
        }
    }

    /// From here to the end of the loop's run, accesses of the array are watched.
    fn promise(&mut self, frame: &Frame<'p>, promise: &Promise, span: Span) {
        let array = frame.arrays[promise.array.index()];
        let depth = self.runs.iter().rposition(|run| run.0 == promise.iv);
        let is_checked = self.options.check_assumptions && !self.is_either;
        let Some(depth) = depth.filter(|_| is_checked) else {
            return;
        };
        let is_it = |one: &Watched| (one.array, one.depth, one.span) == (array, depth, span);
        if !self.promised.iter().any(is_it) {
            self.promised.push(Watched {
                array,
                depth,
                span,
                promise: *promise,
                touched: HashMap::new(),
            });
        }
    }

    /// Whether an access is as promised.
    fn watch(&mut self, array: usize, position: usize, writes: bool) -> Result<(), RunError> {
        for one in self.promised.iter_mut().filter(|one| one.array == array) {
            let now = self.runs[one.depth].1;
            if !self.is_either && !one.access(position, writes, now) {
                return Err(RunError::Broken(one.span));
            }
        }
        Ok(())
    }

    fn attempt(
        &mut self,
        frame: &mut Frame<'p>,
        op: &Op,
        at: &Element,
        what: Attempt,
    ) -> Result<(), Stop> {
        let (done, element) = match self.transfer(frame, op, at)? {
            Some(link) => {
                let value = what.value().map(|value| frame.get(value).clone());
                link.attempt((at.array, what), value, op.span)?
            }
            None => (false, None),
        };
        frame.set(op.results[0], Value::int(Scalar::BOOL, i128::from(done)));
        if let Some(&result) = op.results.get(1) {
            let nothing = || Value::of_pattern(frame.ty(result), &[]);
            let element = element.unwrap_or_else(nothing);
            frame.set(result, element);
        }
        Ok(())
    }

    fn for_loop(&mut self, frame: &mut Frame<'p>, op: &'p Op, l: &'p For) -> Result<(), Stop> {
        for bound in [l.lo, l.hi, l.step] {
            frame.specified(bound, op.span)?;
        }
        let (mut index, hi) = (frame.index(l.lo), frame.index(l.hi));
        let step = frame.index(l.step);
        let runs = if l.descending { step < 0 } else { step > 0 };
        let mut carried = frame.many(&l.inits);
        let mut iterations = 0;
        // The index is compared exactly: 64-bit bounds leave room in `i128`.
        while runs && (if step > 0 { index < hi } else { index > hi }) {
            frame.set(l.iv, Value::new(Data::Int(index)));
            frame.set_many(&l.carried, carried);
            self.count(op.span)?;
            self.iteration.push((op.span, index));
            self.runs.push((l.iv, iterations));
            self.block(frame, &l.body)?;
            self.runs.pop();
            self.iteration.pop();
            carried = frame.many(&l.body.yields);
            index += step;
            iterations += 1;
        }
        if self.options.trace {
            self.coverage.ran(op.span, &l.label, iterations);
        }
        let depth = self.runs.len();
        self.promised.retain(|one| one.depth < depth);
        frame.set_many(&op.results, carried);
        Ok(())
    }

    fn while_loop(&mut self, frame: &mut Frame<'p>, op: &'p Op, l: &'p While) -> Result<(), Stop> {
        let mut carried = frame.many(&l.inits);
        let mut iterations = 0;
        loop {
            frame.set_many(&l.carried, carried);
            self.count(op.span)?;
            self.iteration.push((op.span, i128::from(iterations)));
            self.block(frame, &l.cond)?;
            let condition = l.cond.yields[0];
            frame.specified(condition, op.span)?;
            if !frame.get(condition).data.is_true() {
                self.iteration.pop();
                break;
            }
            self.block(frame, &l.body)?;
            self.iteration.pop();
            carried = frame.many(&l.body.yields);
            iterations += 1;
        }
        if self.options.trace {
            self.coverage.ran(op.span, &l.label, iterations);
        }
        let carried = frame.many(&l.carried);
        frame.set_many(&op.results, carried);
        Ok(())
    }

    /// An operation, or an iteration of a loop, which may have no operation of its own.
    fn count(&mut self, span: Span) -> Result<(), RunError> {
        self.steps += 1;
        match self.steps > self.pause {
            false => Ok(()),
            true => self.paused(span),
        }
    }

    /// Ends the run if it has taken too many operations, or if the caller wants it to end.
    #[cold]
    fn paused(&mut self, span: Span) -> Result<(), RunError> {
        if self.steps > self.options.step_limit {
            return Err(self.too_many(span, None));
        }
        match self.options.interrupted {
            Some(asked) if asked() => Err(RunError::Interrupted),
            Some(_) => {
                self.pause = self.options.step_limit.min(self.steps + PATIENCE);
                Ok(())
            }
            None => {
                self.pause = self.options.step_limit;
                Ok(())
            }
        }
    }

    /// The elements of an array that an operation writes: hardware takes a cycle for each.
    fn count_all(&mut self, frame: &Frame<'p>, span: Span, array: ArrayId) -> Result<(), RunError> {
        let array = &frame.kernel.arrays[array];
        // Those beyond the limit are never written.
        let most = self.options.step_limit.saturating_add(1);
        self.steps = self.steps.saturating_add(array.len()).min(most);
        match self.steps > self.options.step_limit {
            false => Ok(()),
            true => Err(self.too_many(span, Some((array.name.clone(), array.len())))),
        }
    }

    fn too_many(&self, span: Span, array: Option<(String, u64)>) -> RunError {
        RunError::StepLimit(StepLimit {
            span,
            limit: self.options.step_limit,
            array,
        })
    }

    /// Runs both sides of a branch on a condition that is unspecified: so is what they write and yield.
    fn take_either(&mut self, frame: &mut Frame<'p>, op: &'p Op) -> Result<(), Stop> {
        let outside = std::mem::replace(&mut self.is_either, true);
        for side in op.kind.blocks() {
            self.block(frame, side)?;
        }
        self.is_either = outside;
        for &result in &op.results {
            frame.set(result, Value::unspecified(frame.ty(result)));
        }
        Ok(())
    }

    fn branch(&mut self, frame: &mut Frame<'p>, op: &'p Op, branch: &'p If) -> Result<(), Stop> {
        if frame.get(branch.cond).tainted && always_ends(op) {
            return self.take_either(frame, op);
        }
        frame.specified(branch.cond, op.span)?;
        let is_true = frame.get(branch.cond).data.is_true();
        if self.options.trace {
            self.coverage.took(op.span, is_true);
        }
        let taken = match is_true {
            true => &branch.then,
            false => &branch.otherwise,
        };
        self.block(frame, taken)?;
        let values = frame.many(&taken.yields);
        frame.set_many(&op.results, values);
        Ok(())
    }

    fn call_op(&mut self, frame: &mut Frame<'p>, op: &'p Op, call: &'p Call) -> Result<(), Stop> {
        let args = call.args.iter().map(|arg| match arg {
            Arg::Scalar(value) => Actual::Scalar(frame.get(*value).clone()),
            Arg::Array(array) => Actual::Array(frame.arrays[array.index()]),
        });
        let results: Vec<usize> = call
            .result_arrays
            .iter()
            .map(|array| frame.arrays[array.index()])
            .collect();
        let values = self.call(call.kernel, args.collect(), &results)?;
        frame.set_many(&op.results, values);
        Ok(())
    }

    fn copy(
        &mut self,
        frame: &Frame<'p>,
        span: Span,
        dst: ArrayId,
        src: ArrayId,
    ) -> Result<(), RunError> {
        self.count_all(frame, span, dst)?;
        let arrays = &frame.kernel.arrays;
        let (from, to) = (arrays[src].elem, arrays[dst].elem);
        let (src, dst) = (frame.arrays[src.index()], frame.arrays[dst.index()]);
        for position in 0..self.arrays[src].len() {
            let value = cast(from, to, &self.arrays[src].read(position));
            self.set(dst, position, value, span, None);
        }
        Ok(())
    }

    /// The row-major position, `None` outside the array (which is noted).
    fn position(
        &mut self,
        frame: &Frame<'p>,
        span: Span,
        array: ArrayId,
        indices: &[ValueId],
        store: bool,
    ) -> Result<Option<usize>, RunError> {
        let declared = &frame.kernel.arrays[array];
        let mut position = 0u64;
        for (&id, &extent) in indices.iter().zip(&declared.shape) {
            match u64::try_from(frame.index(id)) {
                Ok(index) if index < extent => position = position * extent + index,
                _ => {
                    let access = OutOfBounds {
                        span,
                        array: declared.name.clone(),
                        shape: declared.shape.clone(),
                        indices: indices.iter().map(|&i| frame.index(i)).collect(),
                        store,
                        count: 1,
                    };
                    return self.note_out_of_bounds(access).map(|()| None);
                }
            }
        }
        Ok(Some(position as usize))
    }

    fn note_out_of_bounds(&mut self, access: OutOfBounds) -> Result<(), RunError> {
        if self.is_either {
            return Ok(());
        }
        if self.options.check_bounds {
            return Err(RunError::OutOfBounds(access));
        }
        let same = |a: &&mut OutOfBounds| {
            a.span == access.span && a.store == access.store && a.array == access.array
        };
        match self.out_of_bounds.iter_mut().find(same) {
            Some(known) => known.count += 1,
            None => self.out_of_bounds.push(access),
        }
        Ok(())
    }

    /// Whether an element is certainly not accessed.
    fn is_off(frame: &Frame<'p>, at: &Element) -> bool {
        let off = |when: ValueId| !frame.get(when).tainted && !frame.get(when).data.is_true();
        at.when.is_some_and(off)
    }

    fn load(&mut self, frame: &Frame<'p>, span: Span, at: &Element) -> Result<Value, RunError> {
        let (array, indices) = (at.array, &at.indices);
        let elem = frame.kernel.arrays[array].elem;
        if Self::is_off(frame, at) || at.operands().any(|v| frame.get(v).tainted) {
            return Ok(Value::unspecified(elem));
        }
        let position = self.position(frame, span, array, indices, false)?;
        let Some(at) = position else {
            return Ok(Value::unspecified(elem));
        };
        let array = frame.arrays[array.index()];
        self.watch(array, at, false)?;
        Ok(self.arrays[array].read(at))
    }

    fn store(
        &mut self,
        frame: &Frame<'p>,
        span: Span,
        at: &Element,
        value: ValueId,
    ) -> Result<(), RunError> {
        if Self::is_off(frame, at) {
            return Ok(());
        }
        let (array, indices) = (at.array, &at.indices);
        if indices.iter().any(|v| frame.get(*v).tainted) {
            // Any element may have been written.
            let unspecified = Value::unspecified(frame.ty(value));
            self.fill(frame.arrays[array.index()], unspecified, span);
            return Ok(());
        }
        let outside = self.is_either;
        self.is_either |= at.when.is_some_and(|when| frame.get(when).tainted);
        if let Some(position) = self.position(frame, span, array, indices, true)? {
            let source = Some((frame.id, value));
            let value = frame.get(value).clone();
            self.watch(frame.arrays[array.index()], position, true)?;
            self.set(frame.arrays[array.index()], position, value, span, source);
        }
        self.is_either = outside;
        Ok(())
    }
}

/// An array of which something is promised while a loop runs.
struct Watched {
    array: usize,
    /// The loop, among those that run.
    depth: usize,
    span: Span,
    promise: Promise,
    /// Iterations in which each element was last read and last written.
    touched: HashMap<usize, [Option<u64>; 2]>,
}

impl Watched {
    /// Notes an access; whether it is as promised.
    fn access(&mut self, position: usize, writes: bool, now: u64) -> bool {
        let last = self.touched.entry(position).or_default();
        let Promise {
            scope,
            hazard,
            distance,
            ..
        } = self.promise;
        let is_apart = |earlier_writes: bool| {
            let Some(before) = last[usize::from(earlier_writes)] else {
                return true;
            };
            let kind = Hazard::of(earlier_writes, writes);
            let is_meant = kind.is_some() && hazard.is_none_or(|hazard| kind == Some(hazard));
            let depends = match (scope, distance) {
                (Scope::Intra, _) => before == now,
                (Scope::Inter, None) => before < now,
                (Scope::Inter, Some(least)) => before < now && now - before < least,
            };
            !(is_meant && depends)
        };
        let holds = is_apart(false) && is_apart(true);
        last[usize::from(writes)] = Some(now);
        holds
    }
}

/// Whether a branch ends whichever side is taken: there are neither loops, streams nor calls in it.
fn always_ends(branch: &Op) -> bool {
    let may_not = |op: &Op| {
        matches!(
            op.kind,
            OpKind::For(_)
                | OpKind::While(_)
                | OpKind::Call(_)
                | OpKind::Get { .. }
                | OpKind::Put { .. }
                | OpKind::Attempt { .. }
        )
    };
    let blocks = branch.kind.blocks();
    !blocks.into_iter().any(|block| block.any_op(&may_not))
}

/// The value of an operation without effects.
fn evaluate(frame: &Frame<'_>, op: &Op, kind: &OpKind) -> Result<Value, RunError> {
    let ty = frame.ty(op.results[0]);
    let lacking = |what: &str| RunError::Unsupported {
        span: op.span,
        what: format!("'{what}' of {ty}"),
    };
    Ok(match kind {
        OpKind::Const(constant) => Value::from_const(ty, constant),
        OpKind::Unary { op, arg } => {
            unary(ty, *op, frame.get(*arg)).ok_or_else(|| lacking(op.name()))?
        }
        OpKind::Binary { op, lhs, rhs } => {
            binary(ty, *op, frame.get(*lhs), frame.get(*rhs)).ok_or_else(|| lacking(op.name()))?
        }
        OpKind::Compare { op, lhs, rhs } => {
            compare(frame.ty(*lhs), *op, frame.get(*lhs), frame.get(*rhs))
        }
        OpKind::Fma { lhs, rhs, add } => fma(ty, [*lhs, *rhs, *add].map(|id| frame.get(id))),
        OpKind::Cast { arg } => cast(frame.ty(*arg), ty, frame.get(*arg)),
        OpKind::Convert { arg, how } => convert(frame.ty(*arg), ty, *how, frame.get(*arg)),
        OpKind::Bitcast { arg } => bitcast(ty, frame.get(*arg)),
        OpKind::Select {
            cond,
            on_true,
            on_false,
        } => {
            let cond = frame.get(*cond);
            let taken = if cond.data.is_true() {
                on_true
            } else {
                on_false
            };
            let mut value = frame.get(*taken).clone();
            value.tainted |= cond.tainted;
            value
        }
        OpKind::BitGet { arg, index } => {
            bit_slice(frame.ty(*arg), ty, frame.get(*arg), frame.get(*index))
        }
        OpKind::BitSlice { arg, lo } => {
            bit_slice(frame.ty(*arg), ty, frame.get(*arg), frame.get(*lo))
        }
        OpKind::BitSet { arg, lo, bits } => {
            let operands = [*arg, *lo, *bits].map(|id| frame.get(id));
            bit_set(ty, frame.ty(*bits).width(), operands)
        }
        _ => return Err(lacking("this operation")),
    })
}
