//! Symbolic execution of the `ir`: what a kernel computes, as words over free bits.
//!
//! Loops are unrolled while their condition can hold; what runs under a condition is guarded by it. Each value
//! has a mark, 1 where the language leaves it unspecified: reads out of bounds or of elements never written, and
//! what is computed from them. When control flow comes to depend on such a value, everything is unspecified, as
//! in the reference.

use super::aig::{Aig, Lit};
use super::bits::{Word, as_constant, constant, extend};
use super::queue::Queue;
use super::sums::Sums;
use super::value::{Value, literal};
use super::{Limits, Stop, division, sweep};
use crate::diagnostics::Span;
use crate::ir::*;
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive};

/// What a kernel leaves behind.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// For each parameter its elements; one for a scalar, of a stream those that were transferred.
    pub params: Vec<Vec<Value>>,
    /// For each result its elements.
    pub results: Vec<Vec<Value>>,
    /// 1 where control flow depends on an unspecified value, or what is assumed is not so.
    pub unspecified: Lit,
}

/// Bits of an induction variable: it passes the last 64-bit bound by a 64-bit step.
const INDUCTION: u32 = 66;

/// Operations on words that an operation takes, if it comes to no gates.
pub(super) const OPERATION: u64 = 300;

/// Iterations of a loop whose end depends on the arguments.
const MAX_OPEN: u32 = 1024;

/// Runs the top kernel on the elements of its parameters.
///
/// Errors: operations on floats, and limits exceeded.
pub fn run(
    sums: &mut Sums,
    program: &Program,
    params: &[Vec<Value>],
    limits: &Limits,
) -> Result<Outcome, Stop> {
    let kernel = &program.kernels[program.top];
    let mut machine = Machine::new(sums, limits);
    let mut arguments = Vec::new();
    for (param, elements) in kernel.params.iter().zip(params) {
        arguments.push(match param {
            Param::Scalar(_) => Argument::Scalar(elements[0].clone()),
            Param::Array(_) => Argument::Array(machine.array(elements.clone())),
        });
    }
    let mut result_arrays = Vec::new();
    for slot in &kernel.results {
        if let ResultSlot::Array(id) = slot {
            let blank = machine.blank(&kernel.arrays[*id])?;
            result_arrays.push(machine.array(blank));
        }
    }
    let callee = (program, program.top);
    let scalars = machine.call(callee, &arguments, &result_arrays, Lit::TRUE)?;
    let mut scalars = scalars.into_iter();
    let mut fresh = result_arrays.iter();
    let results = kernel.results.iter().map(|slot| match slot {
        ResultSlot::Scalar(_) => scalars.next().into_iter().collect(),
        ResultSlot::Array(_) => fresh
            .next()
            .map_or(Vec::new(), |&a| machine.arrays[a].clone()),
    });
    let results = results.collect();
    let params = arguments.iter().map(|argument| match argument {
        Argument::Scalar(value) => vec![value.clone()],
        Argument::Array(at) => machine.arrays[*at].clone(),
    });
    Ok(Outcome {
        params: params.collect(),
        results,
        unspecified: machine.unspecified,
    })
}

pub(super) enum Argument {
    Scalar(Value),
    /// Index into [`Machine::arrays`], of a stream into [`Machine::queues`].
    Array(usize),
}

pub(super) struct Machine<'a> {
    sums: &'a mut Sums,
    limits: &'a Limits,
    pub(super) arrays: Vec<Vec<Value>>,
    pub(super) queues: Vec<Queue>,
    /// Where an element was to be got that nobody has put yet, if that is why the run stopped.
    pub(super) waits: Option<Span>,
    operations: u64,
    pub(super) unspecified: Lit,
}

/// Where a loop ends: its results are the carried values of the iteration that its condition stops.
struct Exits {
    span: Span,
    results: Vec<Value>,
    /// Tests that a free bit decides.
    open: u32,
}

impl Exits {
    fn new(span: Span) -> Self {
        Exits {
            span,
            results: Vec::new(),
            open: 0,
        }
    }

    /// Notes the values at a test; whether the loop goes on in no case.
    fn test(
        &mut self,
        machine: &mut Machine,
        active: Lit,
        more: Lit,
        carried: &[Value],
    ) -> Result<bool, Stop> {
        let ends = machine.sums.aig.and(active, !more);
        if self.results.is_empty() {
            self.results = carried.to_vec();
        } else {
            let pairs = carried.iter().zip(&self.results);
            self.results = pairs.map(|(c, r)| machine.select(ends, c, r)).collect();
        }
        let goes_on = machine.sums.aig.and(active, more);
        if goes_on == Lit::FALSE {
            return Ok(true);
        }
        self.open += u32::from(more.as_constant().is_none());
        if self.open > MAX_OPEN {
            let what = format!("a loop that may run more than {MAX_OPEN} times");
            return unsuitable(&what, self.span);
        }
        let ask = self.open >= 16 && self.open.is_power_of_two();
        Ok(ask && sweep::is_always(machine.sums, !goes_on, machine.limits))
    }
}

/// One activation of a kernel.
struct Frame<'a> {
    program: &'a Program,
    kernel: &'a Kernel,
    values: Vec<Option<Value>>,
    /// Indices into [`Machine::arrays`] and [`Machine::queues`], by the kernel's arrays.
    arrays: Vec<usize>,
}

impl<'a> Frame<'a> {
    fn ty(&self, id: ValueId) -> Scalar {
        self.kernel.values[id].ty
    }
    /// A value of a valid kernel is defined before its use.
    fn get(&self, id: ValueId) -> Value {
        match &self.values[id.index()] {
            Some(value) => value.clone(),
            None => unreachable!("ir::validate: a value is defined before its use"),
        }
    }
    fn set(&mut self, id: ValueId, value: Value) {
        self.values[id.index()] = Some(value);
    }
}

impl<'a> Machine<'a> {
    pub(super) fn new(sums: &'a mut Sums, limits: &'a Limits) -> Self {
        Machine {
            sums,
            limits,
            arrays: Vec::new(),
            queues: Vec::new(),
            waits: None,
            operations: 0,
            unspecified: Lit::FALSE,
        }
    }

    pub(super) fn array(&mut self, elements: Vec<Value>) -> usize {
        self.arrays.push(elements);
        self.arrays.len() - 1
    }

    /// Elements that nobody has written.
    pub(super) fn blank(&self, array: &Array) -> Result<Vec<Value>, Stop> {
        if array.len() > self.limits.nodes as u64 {
            return Err(Stop::TooLarge(format!(
                "the size of array '{}'",
                array.name
            )));
        }
        let element = Value {
            bits: vec![Lit::FALSE; array.elem.width() as usize],
            unspecified: Lit::TRUE,
        };
        Ok(vec![element; array.len() as usize])
    }

    pub(super) fn call(
        &mut self,
        (program, id): (&'a Program, KernelId),
        arguments: &[Argument],
        result_arrays: &[usize],
        active: Lit,
    ) -> Result<Vec<Value>, Stop> {
        let kernel = &program.kernels[id];
        let mut frame = Frame {
            program,
            kernel,
            values: vec![None; kernel.values.len()],
            arrays: Vec::with_capacity(kernel.arrays.len()),
        };
        let mut fresh = result_arrays.iter();
        for (_, array) in kernel.arrays.iter() {
            let at = match &array.kind {
                ArrayKind::Param(i) => match arguments[*i] {
                    Argument::Array(at) => at,
                    Argument::Scalar(_) => unreachable!("ir::validate: an array for an array"),
                },
                ArrayKind::Result(_) => match fresh.next() {
                    Some(&at) => at,
                    None => unreachable!("ir::validate: an array for each array result"),
                },
                ArrayKind::Local => {
                    let blank = self.blank(array)?;
                    self.array(blank)
                }
                ArrayKind::Table(table) | ArrayKind::State(table) => {
                    let elements = table.iter().map(|c| Value::new(literal(array.elem, c)));
                    let elements = elements.collect();
                    self.array(elements)
                }
            };
            frame.arrays.push(at);
        }
        for (param, argument) in kernel.params.iter().zip(arguments) {
            if let (Param::Scalar(id), Argument::Scalar(value)) = (param, argument) {
                frame.set(*id, value.clone());
            }
        }
        self.block(&mut frame, &kernel.body, active)
    }

    fn block(
        &mut self,
        frame: &mut Frame<'a>,
        block: &'a Block,
        active: Lit,
    ) -> Result<Vec<Value>, Stop> {
        for op in &block.ops {
            self.op(frame, op, active)?;
        }
        Ok(block.yields.iter().map(|id| frame.get(*id)).collect())
    }

    fn op(&mut self, frame: &mut Frame<'a>, op: &'a Op, active: Lit) -> Result<(), Stop> {
        self.operations += 1;
        if self.operations > self.limits.operations {
            let what = format!("more than {} operations", self.limits.operations);
            return Err(Stop::TooLarge(what));
        }
        self.limits.patience.spend(1, OPERATION);
        if self.operations.is_multiple_of(16)
            && let Some(stop) = self.limits.exceeded(self.sums)
        {
            return Err(stop);
        }
        let results = match &op.kind {
            OpKind::For(f) => self.for_loop(frame, f, active, op.span)?,
            OpKind::While(w) => self.while_loop(frame, w, active, op.span)?,
            OpKind::If(i) => self.branch(frame, i, active)?,
            OpKind::Call(call) => {
                let arguments = call.args.iter().map(|arg| match arg {
                    Arg::Scalar(id) => Argument::Scalar(frame.get(*id)),
                    Arg::Array(id) => Argument::Array(frame.arrays[id.index()]),
                });
                let arguments: Vec<Argument> = arguments.collect();
                let arrays = call.result_arrays.iter();
                let arrays: Vec<usize> = arrays.map(|id| frame.arrays[id.index()]).collect();
                let callee = (frame.program, call.kernel);
                self.call(callee, &arguments, &arrays, active)?
            }
            OpKind::Store { at, value } => {
                self.store(frame, at, *value, active);
                Vec::new()
            }
            OpKind::Fill { array, value } => {
                let value = frame.get(*value);
                let count = self.arrays[frame.arrays[array.index()]].len();
                let value = std::iter::repeat_n(value, count).collect();
                self.replace(frame.arrays[array.index()], value, active);
                Vec::new()
            }
            OpKind::Copy { dst, src } => {
                let (to, from) = (
                    frame.kernel.arrays[*dst].elem,
                    frame.kernel.arrays[*src].elem,
                );
                let elements = self.arrays[frame.arrays[src.index()]].clone();
                let mut cast = Vec::with_capacity(elements.len());
                for element in elements {
                    cast.push(self.cast(&element, from, to, op.span)?);
                }
                self.replace(frame.arrays[dst.index()], cast, active);
                Vec::new()
            }
            OpKind::Assume { cond } => {
                // Nothing is said of arguments on which it is not so.
                let holds = frame.get(*cond).bits[0];
                let broken = self.sums.aig.and(active, !holds);
                self.unspecified = self.sums.aig.or(self.unspecified, broken);
                Vec::new()
            }
            OpKind::Get { at } => vec![self.get(frame, op, at, active)?],
            OpKind::Put { at, value } => {
                if self.is_transferred(frame, op, at, active)? {
                    self.queues[frame.arrays[at.array.index()]].put(frame.get(*value));
                }
                Vec::new()
            }
            OpKind::Attempt { .. } => return unsuitable("what depends on timing", op.span),
            // Where it does not hold, nothing would be said of the arguments.
            OpKind::Promise(_) => return unsuitable("a promise about dependences", op.span),
            _ => vec![self.pure(frame, op)?],
        };
        for (id, value) in op.results.iter().zip(results) {
            frame.set(*id, value);
        }
        Ok(())
    }

    /// Whether an element is transferred.
    ///
    /// Errors: the data decide.
    fn is_transferred(
        &mut self,
        frame: &Frame<'a>,
        op: &Op,
        at: &Element,
        mut active: Lit,
    ) -> Result<bool, Stop> {
        if let Some(when) = at.when {
            let when = self.condition(&frame.get(when), active);
            active = self.sums.aig.and(active, when);
        }
        let known = active.as_constant().map(Ok);
        known.unwrap_or_else(|| {
            unsuitable("a stream under a condition that the data decide", op.span)
        })
    }

    fn get(
        &mut self,
        frame: &Frame<'a>,
        op: &Op,
        at: &Element,
        active: Lit,
    ) -> Result<Value, Stop> {
        if !self.is_transferred(frame, op, at, active)? {
            return Ok(Value {
                bits: vec![Lit::FALSE; frame.ty(op.results[0]).width() as usize],
                unspecified: Lit::TRUE,
            });
        }
        let queue = &mut self.queues[frame.arrays[at.array.index()]];
        queue.get(self.sums).ok_or_else(|| {
            self.waits = Some(op.span);
            Stop::Unsuitable("a stream without elements".into(), Some(op.span))
        })
    }

    /// Replaces all elements of an array where `active`.
    fn replace(&mut self, array: usize, values: Vec<Value>, active: Lit) {
        for (i, value) in values.into_iter().enumerate() {
            let new = self.select(active, &value, &self.arrays[array][i].clone());
            self.arrays[array][i] = new;
        }
    }

    fn select(&mut self, cond: Lit, a: &Value, b: &Value) -> Value {
        Value {
            bits: self.sums.select(cond, &a.bits, &b.bits),
            unspecified: self.sums.aig.mux(cond, a.unspecified, b.unspecified),
        }
    }

    /// A condition of control flow: where it is unspecified, so is everything.
    fn condition(&mut self, value: &Value, active: Lit) -> Lit {
        let lost = self.sums.aig.and(active, value.unspecified);
        self.unspecified = self.sums.aig.or(self.unspecified, lost);
        value.bits[0]
    }

    fn branch(
        &mut self,
        frame: &mut Frame<'a>,
        branch: &'a If,
        active: Lit,
    ) -> Result<Vec<Value>, Stop> {
        let cond = self.condition(&frame.get(branch.cond), active);
        match cond.as_constant() {
            Some(true) => return self.block(frame, &branch.then, active),
            Some(false) => return self.block(frame, &branch.otherwise, active),
            None => {}
        }
        let yes = self.sums.aig.and(active, cond);
        let no = self.sums.aig.and(active, !cond);
        let then = self.block(frame, &branch.then, yes)?;
        let otherwise = self.block(frame, &branch.otherwise, no)?;
        let pairs = then.iter().zip(&otherwise);
        Ok(pairs.map(|(a, b)| self.select(cond, a, b)).collect())
    }

    fn for_loop(
        &mut self,
        frame: &mut Frame<'a>,
        f: &'a For,
        active: Lit,
        span: Span,
    ) -> Result<Vec<Value>, Stop> {
        let [lo, hi, step] = [f.lo, f.hi, f.step].map(|id| frame.get(id));
        for bound in [&lo, &hi, &step] {
            self.condition(bound, active);
        }
        let wide = |value: &Value| extend(&value.bits, INDUCTION, true);
        let (mut induction, hi, step) = (wide(&lo), wide(&hi), wide(&step));
        let zero = constant(&BigInt::default(), INDUCTION);
        let forward = match f.descending {
            true => Lit::TRUE,
            false => self.sums.less(&zero, &step, true),
        };
        let mut carried: Vec<Value> = f.inits.iter().map(|id| frame.get(*id)).collect();
        let mut active = active;
        let mut exits = Exits::new(span);
        loop {
            let (first, second) = if f.descending {
                (&hi, &induction)
            } else {
                (&induction, &hi)
            };
            let before = self.sums.less(first, second, true);
            let more = self.sums.aig.and(before, forward);
            if exits.test(self, active, more, &carried)? {
                return Ok(exits.results);
            }
            active = self.sums.aig.and(active, more);
            frame.set(f.iv, Value::new(induction[..64].to_vec()));
            for (id, value) in f.carried.iter().zip(&carried) {
                frame.set(*id, value.clone());
            }
            carried = self.block(frame, &f.body, active)?;
            induction = self.sums.add(&induction, &step);
            self.tick()?;
        }
    }

    /// Counts an iteration, which may be empty.
    fn tick(&mut self) -> Result<(), Stop> {
        self.operations += 1;
        match self.limits.exceeded(self.sums) {
            _ if self.operations > self.limits.operations => Err(Stop::TooLarge(format!(
                "more than {} operations",
                self.limits.operations
            ))),
            Some(stop) => Err(stop),
            None => Ok(()),
        }
    }

    fn while_loop(
        &mut self,
        frame: &mut Frame<'a>,
        w: &'a While,
        active: Lit,
        span: Span,
    ) -> Result<Vec<Value>, Stop> {
        let mut carried: Vec<Value> = w.inits.iter().map(|id| frame.get(*id)).collect();
        let mut active = active;
        let mut exits = Exits::new(span);
        loop {
            for (id, value) in w.carried.iter().zip(&carried) {
                frame.set(*id, value.clone());
            }
            let cond = self.block(frame, &w.cond, active)?;
            let cond = self.condition(&cond[0], active);
            if exits.test(self, active, cond, &carried)? {
                return Ok(exits.results);
            }
            active = self.sums.aig.and(active, cond);
            carried = self.block(frame, &w.body, active)?;
            self.tick()?;
        }
    }

    /// Row-major position of an element, whether it exists, and whether the indices are unspecified.
    fn position(
        &mut self,
        frame: &Frame<'a>,
        array: ArrayId,
        indices: &[ValueId],
    ) -> (Word, Lit, Lit) {
        let declared = &frame.kernel.arrays[array];
        let width = address_width(declared.len());
        let mut address = constant(&BigInt::default(), width);
        let (mut inside, mut unspecified) = (Lit::TRUE, Lit::FALSE);
        for (&id, &extent) in indices.iter().zip(&declared.shape) {
            let index = frame.get(id);
            unspecified = self.sums.aig.or(unspecified, index.unspecified);
            let bound = constant(&BigInt::from(extent), 64);
            // A negative index is large without its sign.
            let fits = self.sums.less(&index.bits, &bound, false);
            inside = self.sums.aig.and(inside, fits);
            let scale = constant(&BigInt::from(extent), width);
            let scaled = self.sums.mul((&address, false), (&scale, false), width);
            let low = self.sums.resize(&index.bits, width, true);
            address = self.sums.add(&scaled, &low);
        }
        (address, inside, unspecified)
    }

    fn load(&mut self, frame: &Frame<'a>, array: ArrayId, indices: &[ValueId]) -> Value {
        let (address, inside, unspecified) = self.position(frame, array, indices);
        let elements = &self.arrays[frame.arrays[array.index()]];
        if let Some(at) = as_constant(&address).and_then(|a| a.to_usize())
            && inside == Lit::TRUE
            && let Some(element) = elements.get(at)
        {
            let mut element = element.clone();
            element.unspecified = self.sums.aig.or(element.unspecified, unspecified);
            return element;
        }
        let words: Vec<Word> = elements.iter().map(|e| e.bits.clone()).collect();
        let marks: Vec<Word> = elements.iter().map(|e| vec![e.unspecified]).collect();
        let bits = self.sums.element(&words, &address);
        let mark = self.sums.element(&marks, &address)[0];
        let outside = self.sums.aig.or(!inside, unspecified);
        Value {
            bits,
            unspecified: self.sums.aig.or(mark, outside),
        }
    }

    fn store(&mut self, frame: &Frame<'a>, at: &Element, value: ValueId, mut active: Lit) {
        let value = frame.get(value);
        let array = at.array;
        let (address, inside, mut unspecified) = self.position(frame, array, &at.indices);
        if let Some(when) = at.when {
            let when = frame.get(when);
            unspecified = self.sums.aig.or(unspecified, when.unspecified);
            active = self.sums.aig.and(active, when.bits[0]);
        }
        let active_inside = self.sums.aig.and(active, inside);
        let lost = self.sums.aig.and(active, unspecified);
        let at = frame.arrays[array.index()];
        let here = self.sums.is_index(self.arrays[at].len(), &address);
        for (i, here) in here.into_iter().enumerate() {
            let write = self.sums.aig.and(active_inside, here);
            let mut new = self.select(write, &value, &self.arrays[at][i].clone());
            new.unspecified = self.sums.aig.or(new.unspecified, lost);
            self.arrays[at][i] = new;
        }
    }

    fn pure(&mut self, frame: &Frame<'a>, op: &'a Op) -> Result<Value, Stop> {
        let ty = frame.ty(op.results[0]);
        if let OpKind::Load { at, .. } = &op.kind {
            let mut value = self.load(frame, at.array, &at.indices);
            if let Some(when) = at.when {
                let when = frame.get(when);
                let unknown = self.sums.aig.or(!when.bits[0], when.unspecified);
                value.unspecified = self.sums.aig.or(value.unspecified, unknown);
            }
            return Ok(value);
        }
        if let OpKind::Select {
            cond,
            on_true,
            on_false,
        } = &op.kind
        {
            let cond = frame.get(*cond);
            let mut value = self.select(cond.bits[0], &frame.get(*on_true), &frame.get(*on_false));
            value.unspecified = self.sums.aig.or(value.unspecified, cond.unspecified);
            return Ok(value);
        }
        let operands = op.kind.operands();
        let words: Vec<Word> = operands.iter().map(|id| frame.get(*id).bits).collect();
        let mut unspecified = Lit::FALSE;
        for id in &operands {
            unspecified = self.sums.aig.or(unspecified, frame.get(*id).unspecified);
        }
        let types: Vec<Scalar> = operands.iter().map(|id| frame.ty(*id)).collect();
        let bits = match &op.kind {
            OpKind::Const(value) => literal(ty, value),
            OpKind::Bitcast { .. } => words[0].clone(),
            OpKind::Cast { .. } => {
                let value = Value::new(words[0].clone());
                self.cast(&value, types[0], ty, op.span)?.bits
            }
            OpKind::Convert { how, .. } => self.convert(&words[0], types[0], ty, *how, op.span)?,
            OpKind::Unary { op: which, .. } => self.unary(*which, ty, &words[0], op.span)?,
            OpKind::Binary { op: which, .. } => {
                self.binary(*which, ty, types[1], [&words[0], &words[1]], op.span)?
            }
            OpKind::Compare { op: which, .. } => {
                vec![self.compare(*which, types[0], &words[0], &words[1], op.span)?]
            }
            OpKind::BitGet { .. } | OpKind::BitSlice { .. } => {
                self.slice(&words[0], &words[1], ty.width())
            }
            OpKind::BitSet { .. } => self.bit_set(&words[0], &words[1], &words[2], op.span)?,
            _ => return unsuitable("this operation", op.span),
        };
        Ok(Value { bits, unspecified })
    }

    fn cast(&mut self, value: &Value, from: Scalar, to: Scalar, span: Span) -> Result<Value, Stop> {
        if from == to {
            return Ok(value.clone());
        }
        self.check_integers(from, to, span)?;
        Ok(Value {
            bits: self.sums.resize(&value.bits, to.width(), from.is_signed()),
            unspecified: value.unspecified,
        })
    }

    fn check_integers(&self, from: Scalar, to: Scalar, span: Span) -> Result<(), Stop> {
        match (from.int_range(), to.int_range()) {
            (Some(_), Some(_)) => Ok(()),
            _ => unsuitable(&format!("a conversion from {from} to {to}"), span),
        }
    }

    /// Between integers: the low bits, or the nearest limit of the destination.
    fn convert(
        &mut self,
        word: &Word,
        from: Scalar,
        to: Scalar,
        how: Conversion,
        span: Span,
    ) -> Result<Word, Stop> {
        self.check_integers(from, to, span)?;
        if how.overflow != Overflow::Saturate {
            return Ok(self.sums.resize(word, to.width(), from.is_signed()));
        }
        // In a type that holds the numbers of both.
        let width = from.width().max(to.width()) + 1;
        let mut number = self.sums.resize(word, width, from.is_signed());
        if let Some((least, most)) = to.int_range() {
            let (least, most) = (constant(&least, width), constant(&most, width));
            let low = self.sums.less(&number, &least, true);
            number = self.sums.select(low, &least, &number);
            let high = self.sums.less(&most, &number, true);
            number = self.sums.select(high, &most, &number);
        }
        Ok(self.sums.resize(&number, to.width(), true))
    }

    fn unary(&mut self, op: UnaryOp, ty: Scalar, arg: &Word, span: Span) -> Result<Word, Stop> {
        let top = arg[arg.len() - 1];
        if ty.is_float() {
            let sign = match op {
                UnaryOp::Neg => !top,
                UnaryOp::Abs => Lit::FALSE,
                _ => return unsuitable(&format!("{} of {ty}", op.name()), span),
            };
            let mut bits = arg.clone();
            bits.truncate(arg.len() - 1);
            bits.push(sign);
            return Ok(bits);
        }
        let zero = constant(&BigInt::default(), ty.width());
        Ok(match op {
            UnaryOp::Neg => self.sums.sub(&zero, arg),
            UnaryOp::Not => self.sums.not(arg),
            UnaryOp::Abs if ty.is_signed() => {
                let negated = self.sums.sub(&zero, arg);
                self.sums.select(top, &negated, arg)
            }
            UnaryOp::Abs => arg.clone(),
            _ => return unsuitable(&format!("{} of {ty}", op.name()), span),
        })
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        ty: Scalar,
        amount: Scalar,
        [a, b]: [&Word; 2],
        span: Span,
    ) -> Result<Word, Stop> {
        if ty.is_float() {
            return unsuitable(&format!("{} of {ty}", op.name()), span);
        }
        let signed = ty.is_signed();
        let sums = &mut *self.sums;
        Ok(match op {
            BinaryOp::Add => sums.add(a, b),
            BinaryOp::Sub => sums.sub(a, b),
            BinaryOp::Mul => sums.mul((a, signed), (b, signed), ty.width()),
            BinaryOp::And => sums.zip(a, b, Aig::and),
            BinaryOp::Or => sums.zip(a, b, Aig::or),
            BinaryOp::Xor => sums.zip(a, b, Aig::xor),
            BinaryOp::Min | BinaryOp::Max => {
                let less = sums.less(a, b, signed);
                let first = less.flip_if(op == BinaryOp::Max);
                sums.select(first, a, b)
            }
            BinaryOp::Shl | BinaryOp::Shr => {
                let (shifted, fill) = match op {
                    BinaryOp::Shl => (sums.shift_left(a, b), Lit::FALSE),
                    _ => {
                        let fill = if signed { a[a.len() - 1] } else { Lit::FALSE };
                        (sums.shift_right(a, b, signed), fill)
                    }
                };
                if amount.is_signed() {
                    let all = vec![fill; a.len()];
                    sums.select(b[b.len() - 1], &all, &shifted)
                } else {
                    shifted
                }
            }
            BinaryOp::Div | BinaryOp::Mod | BinaryOp::FloorDiv => {
                division::divide(sums, op, a, b, signed)
            }
            BinaryOp::Pow => match as_constant(b) {
                Some(exponent) if !signed || b[b.len() - 1] == Lit::FALSE => {
                    power(sums, a, &exponent.into(), ty)
                }
                _ => return unsuitable("a power with an exponent that is no constant", span),
            },
            BinaryOp::MinNan | BinaryOp::MaxNan => {
                return unsuitable(&format!("{} of {ty}", op.name()), span);
            }
        })
    }

    fn compare(
        &mut self,
        op: CompareOp,
        ty: Scalar,
        a: &Word,
        b: &Word,
        span: Span,
    ) -> Result<Lit, Stop> {
        if ty.is_float() {
            return unsuitable(&format!("a comparison of {ty}"), span);
        }
        let signed = ty.is_signed();
        let sums = &mut *self.sums;
        Ok(match op {
            CompareOp::Eq => sums.equal(a, b),
            CompareOp::Ne => !sums.equal(a, b),
            CompareOp::Lt => sums.less(a, b, signed),
            CompareOp::Ge => !sums.less(a, b, signed),
            CompareOp::Gt => sums.less(b, a, signed),
            CompareOp::Le => !sums.less(b, a, signed),
            _ => return unsuitable(&format!("{} of {ty}", op.name()), span),
        })
    }

    /// `width` bits of a pattern from bit `lo`, which may lie outside on either side: zeros there.
    /// A word with its bits from `lo` on replaced: each is one of the new ones, or stays.
    fn bit_set(&mut self, old: &Word, lo: &Word, new: &Word, span: Span) -> Result<Word, Stop> {
        const LARGEST: usize = 1 << 14;
        if old.len() * new.len() > LARGEST {
            return unsuitable("so wide a range of bits", span);
        }
        let mut result = old.clone();
        let starts = 1 - new.len() as i64..old.len() as i64;
        for start in starts {
            let start_word = constant(&BigInt::from(start), lo.len() as u32);
            let here = self.sums.equal(lo, &start_word);
            for (k, bit) in new.iter().enumerate() {
                let at = usize::try_from(start + k as i64).ok();
                if let Some(place) = at.and_then(|at| result.get_mut(at)) {
                    *place = self.sums.aig.mux(here, *bit, *place);
                }
            }
        }
        Ok(result)
    }

    fn slice(&mut self, word: &Word, lo: &Word, width: u32) -> Word {
        let wide = extend(word, width.max(word.len() as u32), false);
        let down = self.sums.shift_right(&wide, lo, false);
        let zero = constant(&BigInt::default(), lo.len() as u32);
        let negated = self.sums.sub(&zero, lo);
        let up = self.sums.shift_left(&wide, &negated);
        let sign = lo[lo.len() - 1];
        let bits = self.sums.select(sign, &up, &down);
        bits[..width as usize].to_vec()
    }
}

fn unsuitable<T>(what: &str, span: Span) -> Result<T, Stop> {
    Err(Stop::Unsuitable(what.to_string(), Some(span)))
}

fn address_width(depth: u64) -> u32 {
    (u64::BITS - depth.saturating_sub(1).leading_zeros()).max(1)
}

fn power(sums: &mut Sums, base: &Word, exponent: &BigInt, ty: Scalar) -> Word {
    let width = ty.width();
    let mut result = constant(&BigInt::one(), width);
    for i in (0..exponent.bits()).rev() {
        result = sums.mul((&result, false), (&result, false), width);
        if exponent.bit(i) {
            result = sums.mul((&result, false), (base, false), width);
        }
    }
    result
}
