//! The order in which a kernel walks along an array, where that does not depend on the data and each element comes once: such an
//! array can be a stream.

use crate::diagnostics::Span;
use crate::ir::analysis::touch;
use crate::ir::analysis::trip::Trip;
use crate::ir::analysis::values::{Affine, Values};
use crate::ir::{ArrayId, Block, Element, For, Kernel, Op, OpKind, ValueId};
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
        transfer(&mut kernel.body, self.array, &self.again);
        kernel.body.for_each_use(&mut |value| {
            *value = self.again.get(value).copied().unwrap_or(*value);
        });
    }
}

/// Accesses become transfers; those whose element there is already go.
fn transfer(block: &mut Block, array: ArrayId, again: &HashMap<ValueId, ValueId>) {
    block.ops.retain(|op| {
        let is_again = matches!(&op.kind, OpKind::Load { at, .. } if at.array == array)
            && op.results.iter().any(|result| again.contains_key(result));
        !is_again
    });
    for op in &mut block.ops {
        match &op.kind {
            OpKind::Load { at, .. } if at.array == array => {
                let at = Element::new(array, Vec::new());
                op.kind = OpKind::Get { at };
            }
            OpKind::Store { at, value } if at.array == array => {
                let (at, value) = (Element::new(array, Vec::new()), *value);
                op.kind = OpKind::Put { at, value };
            }
            _ => {}
        }
        for inner in op.kind.blocks_mut() {
            transfer(inner, array, again);
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
    /// Adds a loop around.
    fn repeat(&mut self, stride: i128, count: u64) {
        match self.levels.first_mut() {
            _ if count == 1 => {}
            Some((inner, times)) if Some(stride) == inner.checked_mul(i128::from(*times)) => {
                *times = times.saturating_mul(count);
            }
            _ => self.levels.insert(0, (stride, count)),
        }
    }

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
        run.repeat(stride, times);
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

/// Of an access that is no stream from the first element on.
pub const OUT_OF_ORDER: &str =
    "this access does not walk along it once, from the first element on, one after the other";
