//! The order in which a kernel walks along an array, where that does not depend on the data and each element comes once: such an
//! array can be a stream.

use super::band::Refusal;
use super::restructure;
use crate::diagnostics::Span;
use crate::ir::analysis::touch;
use crate::ir::analysis::trip::Trip;
use crate::ir::analysis::values::{Affine, Values};
use crate::ir::{ArrayId, Block, CompareOp, Element, For, Kernel, Op, OpKind, Unroll, ValueId};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::collections::HashMap;

/// Row-major positions, one after the other: those of a nest of loops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// The first one.
    start: i128,
    /// How far one iteration is from the next, and how many there are, outermost loop first; no loop goes on where the one inside
    /// ends, and none has one iteration.
    levels: Vec<(i128, u64)>,
}

impl Order {
    /// How many positions there are.
    pub fn count(&self) -> u64 {
        let counts = self.levels.iter().map(|level| level.1);
        counts.fold(1, u64::saturating_mul)
    }

    /// Whether it is 0, 1, 2 and so on.
    pub fn is_row_major(&self) -> bool {
        self.start == 0 && matches!(self.levels[..], [] | [(1, _)])
    }

    /// Whether no position comes twice, and all are below `len`; some such orders are taken for others.
    fn is_walk(&self, len: u64) -> bool {
        let mut levels = self.levels.clone();
        levels.sort_by_key(|(stride, _)| stride.abs());
        let (mut low, mut high, mut width) = (self.start, self.start, 0i128);
        for (stride, count) in levels {
            let Some(far) = stride.checked_mul(i128::from(count) - 1) else {
                return false;
            };
            if stride.abs() <= width {
                return false;
            }
            width += far.abs();
            (low, high) = (low + far.min(0), high + far.max(0));
        }
        low >= 0 && high < i128::from(len)
    }

    /// These positions, then others of which the loops go on where these end.
    pub fn then(&self, next: &Order) -> Option<Order> {
        let apart = next.start.checked_sub(self.start)?;
        let joined = |(own, count, inside): Turn, (other, more, within): Turn| {
            let stride = own.or(other).unwrap_or(apart);
            let goes_on = inside == within
                && other.is_none_or(|other| other == stride)
                && Some(apart) == stride.checked_mul(i128::from(count));
            let mut levels = inside.to_vec();
            repeat(&mut levels, stride, count.checked_add(more)?);
            goes_on.then_some(Order {
                start: self.start,
                levels,
            })
        };
        let pairs = self.turns().into_iter();
        let mut pairs = pairs.flat_map(|own| next.turns().into_iter().map(move |next| (own, next)));
        pairs.find_map(|(own, next)| joined(own, next))
    }

    /// As iterations of an outermost loop, with its stride, or as one of a loop that is not there.
    fn turns(&self) -> Vec<Turn<'_>> {
        let whole = (None, 1, &self.levels[..]);
        let split = self.levels.split_first();
        let split = split.map(|(&(stride, count), inside)| (Some(stride), count, inside));
        split.into_iter().chain([whole]).collect()
    }

    /// Whether each so many positions, one after the other, are neighbours, the first of which is in the first lane of so many.
    fn is_in_lanes(&self, lanes: u64) -> bool {
        let is_whole = |number: i128| number % i128::from(lanes) == 0;
        let Some((&(1, count), around)) = self.levels.split_last() else {
            return false;
        };
        let mut starts = around.iter().map(|(stride, _)| *stride).chain([self.start]);
        starts.all(is_whole) && count % lanes == 0
    }

    /// The position that comes after `number` others.
    pub fn position(&self, mut number: u64) -> i128 {
        let mut position = self.start;
        for &(stride, count) in self.levels.iter().rev() {
            position += stride * i128::from(number % count);
            number /= count;
        }
        position
    }
}

/// A loop, of which the stride is not known if it has one iteration, and those inside.
type Turn<'o> = (Option<i128>, u64, &'o [(i128, u64)]);

/// Why an array is no stream, and where that shows.
pub type Refused = (Span, &'static str);

/// How a kernel walks along an array.
#[derive(Clone, Debug)]
pub struct Walk {
    array: ArrayId,
    /// In this order.
    pub order: Order,
    /// Whether it writes.
    pub writes: bool,
    /// The access.
    pub span: Span,
    /// Values that are read once more, and what they are.
    again: HashMap<ValueId, ValueId>,
}

impl Walk {
    /// How a kernel walks along an array; `None`: it does not access it.
    ///
    /// Errors: whether, where and when it accesses it depends on the data, or it accesses an element twice.
    pub fn of(kernel: &Kernel, array: ArrayId) -> Result<Option<Walk>, Refused> {
        let mut search = Search {
            kernel,
            values: Values::of(kernel),
            array,
            writes: None,
            again: HashMap::new(),
        };
        let Some(run) = search.block(&kernel.body)? else {
            return Ok(None);
        };
        let order = Order {
            start: run.start.constant,
            levels: run.levels,
        };
        if !run.start.terms.is_empty() || !order.is_walk(kernel.arrays[array].len()) {
            return Err((run.span, NOT_ONCE));
        }
        Ok(Some(Walk {
            array,
            order,
            writes: search.writes == Some(true),
            span: run.span,
            again: search.again,
        }))
    }

    /// Makes the array a stream of this depth, and its accesses transfers.
    pub fn transfer(&self, kernel: &mut Kernel, depth: u64) {
        kernel.arrays[self.array].become_stream(depth);
        let at = Element::new(self.array, Vec::new());
        transfer(&mut kernel.body, &at, &self.again);
        self.forget(kernel);
    }

    /// Makes streams of this depth of the array and of `others`, parameters of this kernel: element j of a row is in number j modulo
    /// all of them. Its accesses become transfers.
    ///
    /// Errors: its columns cannot be dealt out to so many lanes; then the kernel is of no use.
    pub fn transfer_in_lanes(
        &self,
        kernel: &mut Kernel,
        others: &[ArrayId],
        depth: u64,
    ) -> Result<(), Refusal> {
        if others.is_empty() {
            self.transfer(kernel, depth);
            return Ok(());
        }
        let number = self.widen(kernel, others.len() as u64 + 1)?;
        let lanes: Vec<ArrayId> = std::iter::once(self.array)
            .chain(others.iter().copied())
            .collect();
        for &lane in &lanes {
            kernel.arrays[lane].become_stream(depth);
        }
        let mut body = std::mem::take(&mut kernel.body);
        self.deal(kernel, &mut body, number, &lanes);
        kernel.body = body;
        self.forget(kernel);
        Ok(())
    }

    /// Transfers of the lane of a number, which unrolling tells.
    fn deal(&self, kernel: &mut Kernel, block: &mut Block, number: ValueId, lanes: &[ArrayId]) {
        let mut out = Vec::with_capacity(block.ops.len());
        for mut op in std::mem::take(&mut block.ops) {
            for inner in op.kind.blocks_mut() {
                self.deal(kernel, inner, number, lanes);
            }
            let (value, result) = match &op.kind {
                OpKind::Load { at, .. } if at.array == self.array => (None, Some(op.results[0])),
                OpKind::Store { at, value } if at.array == self.array => (Some(*value), None),
                _ => {
                    out.push(op);
                    continue;
                }
            };
            if result.is_some_and(|result| self.again.contains_key(&result)) {
                continue;
            }
            let mut build = kernel.build(&mut out, op.span);
            let mut got: Option<ValueId> = None;
            for (lane, &array) in lanes.iter().enumerate() {
                let own = build.index(lane as u64);
                let is_own = build.compare(CompareOp::Eq, number, own);
                let at = Element {
                    when: Some(is_own),
                    ..Element::new(array, Vec::new())
                };
                match value {
                    Some(value) => build.define(OpKind::Put { at, value }, Vec::new()),
                    None => {
                        let elem = build.kernel.arrays[array].elem;
                        let next = build.op(elem, OpKind::Get { at });
                        let Some(before) = got.replace(next) else {
                            continue;
                        };
                        // The last of them defines what the load did.
                        let all = match result.filter(|_| lane + 1 == lanes.len()) {
                            Some(result) => result,
                            None => build.kernel.value(elem, None),
                        };
                        let either = OpKind::Select {
                            cond: is_own,
                            on_true: next,
                            on_false: before,
                        };
                        build.define(either, vec![all]);
                        got = Some(all);
                    }
                }
            }
        }
        block.ops = out;
    }

    /// What is read once more is what it was before.
    fn forget(&self, kernel: &mut Kernel) {
        kernel.body.for_each_use(&mut |value| {
            *value = self.again.get(value).copied().unwrap_or(*value);
        });
    }

    /// Has so many iterations of the innermost loop run side by side, each with an element of its lane. Gives the number of the
    /// lane.
    fn widen(&self, kernel: &mut Kernel, lanes: u64) -> Result<ValueId, Refusal> {
        let refused = |why: &str| (Some(self.span), format!("in {lanes} lanes: {why}"));
        let columns = kernel.arrays[self.array].shape.last();
        let is_even = columns.is_some_and(|columns| columns % lanes == 0);
        if !is_even || !self.order.is_in_lanes(lanes) {
            return Err(refused(UNEVEN));
        }
        let is_access = |op: &Op| {
            let is_again = |result: &ValueId| self.again.contains_key(result);
            let at = touch::element(&op.kind);
            at.is_some_and(|at| at.array == self.array) && !op.results.iter().any(is_again)
        };
        let mut accesses = 0;
        kernel
            .body
            .for_each_op(&mut |op| accesses += u64::from(is_access(op)));
        let mut paths = kernel.body.paths_of_loops().into_iter();
        let path = paths.find(|path| {
            let f = kernel.body.for_at(path);
            f.is_some_and(|f| f.body.ops.iter().any(is_access))
        });
        let path = path.filter(|_| accesses == 1);
        let path = path.ok_or_else(|| refused(NO_LOOP))?;
        let values = Values::of(kernel);
        let f = kernel.body.for_at(&path);
        let trip = f.and_then(|f| Trip::of(f, |value| values.constant(value).cloned()));
        if trip.is_none_or(|trip| trip.count % lanes != BigInt::ZERO) {
            return Err(refused(UNEVEN));
        }
        // How its iterations overlap is said of those that have an element in each lane.
        let tags = kernel.body.op_at_mut(&path);
        let tags = tags.and_then(|op| op.kind.tags_mut());
        let pipeline = tags.and_then(|tags| tags.pipeline.take());
        let outer = restructure::split(kernel, &path, lanes)?;
        let mut outer = kernel.body.op_at_mut(&outer);
        if let Some(tags) = outer.as_mut().and_then(|op| op.kind.tags_mut()) {
            tags.pipeline = pipeline;
        }
        let blocks = outer.map(|op| op.kind.blocks_mut()).unwrap_or_default();
        let mut ops = blocks.into_iter().flat_map(|block| &mut block.ops);
        let inner = ops.find_map(|op| match &mut op.kind {
            OpKind::For(f) => Some(f),
            _ => None,
        });
        let inner = inner.ok_or_else(|| refused(NO_LOOP))?;
        inner.tags.unroll = Some(Unroll::Fully);
        Ok(inner.iv)
    }
}

/// Adds a loop around others.
fn repeat(levels: &mut Vec<(i128, u64)>, stride: i128, count: u64) {
    match levels.first_mut() {
        _ if count == 1 => {}
        Some((inner, times)) if Some(stride) == inner.checked_mul(i128::from(*times)) => {
            *times = times.saturating_mul(count);
        }
        _ => levels.insert(0, (stride, count)),
    }
}

/// Accesses become transfers; those whose element there is already go.
fn transfer(block: &mut Block, to: &Element, again: &HashMap<ValueId, ValueId>) {
    let array = to.array;
    block.ops.retain(|op| {
        let is_again = matches!(&op.kind, OpKind::Load { at, .. } if at.array == array)
            && op.results.iter().any(|result| again.contains_key(result));
        !is_again
    });
    for op in &mut block.ops {
        match &op.kind {
            OpKind::Load { at, .. } if at.array == array => {
                op.kind = OpKind::Get { at: to.clone() };
            }
            OpKind::Store { at, value } if at.array == array => {
                let (at, value) = (to.clone(), *value);
                op.kind = OpKind::Put { at, value };
            }
            _ => {}
        }
        for inner in op.kind.blocks_mut() {
            transfer(inner, to, again);
        }
    }
}

/// Positions that an operation comes to, in terms of the counters around it.
struct Run {
    start: Affine,
    /// As those of an order.
    levels: Vec<(i128, u64)>,
    span: Span,
}

impl Run {
    /// This, then another one that goes on where it ends; `None`: it does not.
    fn then(mut self, next: &Run) -> Option<Run> {
        let apart = next.start.plus(&self.start, -1)?;
        let (own, count) = self.line()?;
        let (others, more) = next.line()?;
        let stride = own.or(others).unwrap_or(apart.constant);
        let goes_on = apart.terms.is_empty()
            && others.is_none_or(|other| other == stride)
            && apart.constant == stride.checked_mul(i128::from(count))?;
        self.levels = vec![(stride, count.checked_add(more)?)];
        goes_on.then_some(self)
    }

    /// Distance and number of positions that lie in one line; one has no distance.
    fn line(&self) -> Option<(Option<i128>, u64)> {
        match self.levels[..] {
            [] => Some((None, 1)),
            [(stride, count)] => Some((Some(stride), count)),
            _ => None,
        }
    }
}

/// What is known of the accesses of an array on the way through a kernel.
struct Search<'k> {
    kernel: &'k Kernel,
    values: Values,
    array: ArrayId,
    /// Whether accesses write.
    writes: Option<bool>,
    /// Values that are read once more, and what they are.
    again: HashMap<ValueId, ValueId>,
}

impl<'k> Search<'k> {
    fn block(&mut self, block: &'k Block) -> Result<Option<Run>, Refused> {
        let mut run: Option<Run> = None;
        let mut loads: Vec<&Op> = Vec::new();
        for op in &block.ops {
            let next = match &op.kind {
                OpKind::For(f) if touch::touches(op, self.array) => match self.block(&f.body)? {
                    Some(inside) => self.repeated(inside, f)?,
                    None => continue,
                },
                OpKind::Load { at, .. } | OpKind::Store { at, .. } if at.array == self.array => {
                    if self.is_again(&loads, op) {
                        continue;
                    }
                    loads.push(op);
                    self.access(op, at)?
                }
                _ => {
                    self.other(op)?;
                    continue;
                }
            };
            run = Some(match run {
                None => next,
                Some(run) => run.then(&next).ok_or((next.span, ELSEWHERE))?,
            });
        }
        Ok(run)
    }

    /// A run in each iteration of a loop.
    fn repeated(&self, mut run: Run, f: &For) -> Result<Run, Refused> {
        let term = run.start.terms.iter().position(|(value, _)| *value == f.iv);
        let factor = term.map_or(0, |term| run.start.terms.remove(term).1);
        let constant = |value| self.values.constant(value).cloned();
        let known = Trip::of(f, constant).and_then(|trip| {
            let [lo, step] = [&trip.lo, &trip.step].map(ToPrimitive::to_i128);
            let first = factor.checked_mul(lo?)?;
            run.start.constant = run.start.constant.checked_add(first)?;
            let times = trip.count.to_u64().filter(|times| *times > 0)?;
            Some((factor.checked_mul(step?)?, times))
        });
        let (stride, times) = known.ok_or((run.span, NOT_ONCE))?;
        repeat(&mut run.levels, stride, times);
        Ok(run)
    }

    fn access(&mut self, op: &'k Op, at: &Element) -> Result<Run, Refused> {
        if at.when.is_some() {
            return Err((op.span, CONDITIONAL));
        }
        let writes = matches!(op.kind, OpKind::Store { .. });
        if *self.writes.get_or_insert(writes) != writes {
            return Err((op.span, BOTH));
        }
        Ok(Run {
            start: self.position(at).ok_or((op.span, NOT_ONCE))?,
            levels: Vec::new(),
            span: op.span,
        })
    }

    /// Whether an operation loads what an earlier one of the block has loaded.
    fn is_again(&mut self, loads: &[&Op], op: &Op) -> bool {
        let OpKind::Load { at, .. } = &op.kind else {
            return false;
        };
        let same = loads.iter().rev().take(COMPARED).find(|earlier| {
            matches!(&earlier.kind, OpKind::Load { at: other, .. }
                if at.when.is_none() && self.values.same_element(&at.indices, &other.indices))
        });
        if let Some(earlier) = same {
            let pairs = op.results.iter().zip(&earlier.results);
            self.again
                .extend(pairs.map(|(again, first)| (*again, *first)));
        }
        same.is_some()
    }

    /// The row-major position of an element.
    fn position(&self, at: &Element) -> Option<Affine> {
        let shape = &self.kernel.arrays[self.array].shape;
        let mut place = Affine::default();
        for (&index, &extent) in at.indices.iter().zip(shape) {
            let outer = Affine::default().plus(&place, i128::from(extent))?;
            place = outer.plus(&self.values.affine(index), 1)?;
        }
        Some(place)
    }

    /// An operation that is no access, or one of more than an element.
    fn other(&self, op: &'k Op) -> Result<(), Refused> {
        if !touch::touches(op, self.array) {
            return Ok(());
        }
        let mut inside = None;
        for block in op.kind.blocks() {
            block.for_each_op(&mut |op| {
                if inside.is_none() && op.kind.blocks().is_empty() && touch::touches(op, self.array)
                {
                    inside = Some(op.span);
                }
            });
        }
        Err(inside.map_or((op.span, AS_A_WHOLE), |span| (span, CONDITIONAL)))
    }
}

/// Loads of a block that another one is compared with.
const COMPARED: usize = 16;

const ELSEWHERE: &str =
    "this does not go on where an earlier access ends, and each element is transferred once";
const BOTH: &str = "it is read and written, and a stream goes one way";
const CONDITIONAL: &str = "whether it is accessed here depends on the data";
const AS_A_WHOLE: &str = "it is used as a whole here";
const NOT_ONCE: &str =
    "this access does not walk along it once, in an order that loop counters alone decide";

const UNEVEN: &str =
    "its rows are not walked along from a multiple of the lanes on, so many neighbours at a time";
const NO_LOOP: &str = "no loop has one access of it, and nothing else has any";

/// Of an access that is no stream from the first element on.
pub const OUT_OF_ORDER: &str =
    "this access does not walk along it once, from the first element on, one after the other";
