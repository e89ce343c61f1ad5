//! What one iteration of a loop touches of an array: a box, in each dimension so many neighbours from one that is a sum of
//! multiples of values which are the same throughout the iteration.
//!
//! The counters of loops inside take all values from their first one to their last one, other values all that they can be:
//! the box may hold more than what is touched, and never less.

use super::{Affine, Values, touch};
use crate::diagnostics::Span;
use crate::ir::{ArrayId, Block, Element, For, Op, OpKind, ValueId};
use num_traits::ToPrimitive;
use std::collections::{BTreeMap, BTreeSet};

/// Why there is no such box, and where.
pub type Refusal = (Span, String);

/// The box.
#[derive(Clone, Debug)]
pub struct Footprint {
    /// Of each dimension.
    pub sides: Vec<Side>,
    /// Whether anything in it is read.
    pub is_read: bool,
    /// Whether anything in it is written.
    pub is_written: bool,
    /// Whether all of it is written in every iteration.
    pub is_overwritten: bool,
}

/// The box in one dimension.
#[derive(Clone, Debug)]
pub struct Side {
    /// The first index, of values from outside of the body and the induction variable.
    pub first: Affine,
    /// So many indices.
    pub extent: u64,
    /// By how much the first index grows with the induction variable.
    pub weight: i128,
}

/// A loop inside of the body: its first index, and by how much the last one differs from that.
struct Counter {
    lo: Affine,
    reach: i128,
}

struct Walk<'a> {
    values: &'a Values,
    f: &'a For,
    inside: BTreeSet<ValueId>,
    counters: BTreeMap<ValueId, Counter>,
}

/// What an iteration of `f` touches of an array, which has extents of `shape`.
///
/// Errors: it is not touched, or as a whole; subscripts that have nothing to do with one another, or that may be anything.
pub fn of(
    values: &Values,
    f: &For,
    array: ArrayId,
    shape: &[u64],
    span: Span,
) -> Result<Footprint, Refusal> {
    let mut walk = Walk {
        values,
        f,
        inside: f.body.defined(),
        counters: BTreeMap::new(),
    };
    walk.count(&f.body);
    let mut uses: Vec<(&Op, &Element)> = Vec::new();
    let mut whole = None;
    f.body
        .for_each_op(&mut |op| match touch::element(&op.kind) {
            Some(element) if element.array == array => uses.push((op, element)),
            None if is_itself(op, array) => whole = Some(op.span),
            _ => {}
        });
    if let Some(span) = whole {
        return Err((span, "the array is used as a whole here".into()));
    }
    if uses.is_empty() {
        return Err((span, "the loop does not touch the array".into()));
    }
    let sides = (0..shape.len()).map(|dim| walk.side(&uses, dim, shape[dim]));
    let sides: Vec<Side> = sides.collect::<Result<_, _>>()?;
    let is_store = |op: &Op| matches!(op.kind, OpKind::Store { .. });
    Ok(Footprint {
        is_read: uses.iter().any(|(op, _)| !is_store(op)),
        is_written: uses.iter().any(|(op, _)| is_store(op)),
        is_overwritten: walk.is_overwritten(&f.body, array, &sides, &mut BTreeMap::new()),
        sides,
    })
}

fn is_itself(op: &Op, array: ArrayId) -> bool {
    let (reads, writes) = touch::arrays(&op.kind);
    reads.contains(&array) || writes.contains(&array)
}

impl Walk<'_> {
    /// Notes the loops inside of which the bounds differ by a constant.
    fn count(&mut self, block: &Block) {
        for op in &block.ops {
            if let OpKind::For(f) = &op.kind
                && let Some(counter) = self.counter(f)
            {
                self.counters.insert(f.iv, counter);
            }
            for inner in op.kind.blocks() {
                self.count(inner);
            }
        }
    }

    fn counter(&self, f: &For) -> Option<Counter> {
        let step = self.values.constant(f.step)?.to_i128()?;
        let (lo, hi) = (self.values.affine(f.lo), self.values.affine(f.hi));
        let apart = hi.plus(&lo, -1)?;
        let runs = if f.descending { step < 0 } else { step > 0 };
        if !apart.terms.is_empty() || !runs {
            return None;
        }
        let last = apart.constant.checked_sub(step.signum())?;
        let steps = last.checked_div(step)?;
        let reach = steps.max(0).checked_mul(step)?;
        Some(Counter { lo, reach })
    }

    /// The subscript as a sum of values from outside, and the interval of the rest.
    fn parts(&self, index: ValueId) -> Option<(Affine, (i128, i128))> {
        let mut sum = self.values.affine(index);
        let mut rest = (0i128, 0i128);
        // Bounds of a loop inside may be made of the counters of loops around it, which come first.
        while let Some(&(value, factor)) =
            sum.terms.iter().rev().find(|t| self.inside.contains(&t.0))
        {
            let own = Affine {
                terms: vec![(value, 1)],
                constant: 0,
            };
            sum = sum.plus(&own, factor.checked_neg()?)?;
            let (low, high) = match self.counters.get(&value) {
                Some(counter) => {
                    sum = sum.plus(&counter.lo, factor)?;
                    (counter.reach.min(0), counter.reach.max(0))
                }
                None => self.values.range(value)?,
            };
            let (a, b) = (low.checked_mul(factor)?, high.checked_mul(factor)?);
            rest = (rest.0.checked_add(a.min(b))?, rest.1.checked_add(a.max(b))?);
        }
        let constant = std::mem::take(&mut sum.constant);
        let rest = (rest.0.checked_add(constant)?, rest.1.checked_add(constant)?);
        Some((sum, rest))
    }

    fn side(&self, uses: &[(&Op, &Element)], dim: usize, whole: u64) -> Result<Side, Refusal> {
        let mut found: Option<(Affine, (i128, i128))> = None;
        let unknown = |op: &Op| {
            let dim = dim + 1;
            let why =
                format!("what an iteration touches in dimension {dim} is not of constant size");
            (op.span, why)
        };
        for (op, element) in uses {
            let (base, (low, high)) = self
                .parts(element.indices[dim])
                .ok_or_else(|| unknown(op))?;
            found = Some(match found {
                None => (base, (low, high)),
                Some((first, (a, b))) if first == base => (first, (a.min(low), b.max(high))),
                Some(_) => return Err(unknown(op)),
            });
        }
        let (mut first, (low, high)) = found.unwrap_or_default();
        let reach = high.checked_sub(low).and_then(|n| n.checked_add(1));
        let extent = reach.and_then(|n| n.to_u64());
        // What is left over of a loop that was split reaches beyond the end.
        let extent = extent.filter(|&extent| extent <= whole.saturating_mul(2));
        let extent = extent.ok_or_else(|| unknown(uses[0].0))?;
        first.constant = low;
        let mut terms = first.terms.iter();
        let own = terms.find(|term| term.0 == self.f.iv);
        let weight = own.map_or(0, |term| term.1);
        Ok(Side {
            first,
            extent,
            weight,
        })
    }

    /// Whether a store, reached in every iteration, runs over the whole box: each subscript is the counter of another loop
    /// inside, or the only one of its dimension.
    fn is_overwritten(
        &self,
        block: &Block,
        array: ArrayId,
        sides: &[Side],
        around: &mut BTreeMap<ValueId, u64>,
    ) -> bool {
        block.ops.iter().any(|op| match &op.kind {
            OpKind::Store { at, .. } if at.array == array && at.when.is_none() => {
                self.sweeps(at, sides, around)
            }
            OpKind::For(f) => {
                let reach = self.counters.get(&f.iv).map(|counter| counter.reach.abs());
                let step = self.values.constant(f.step).and_then(ToPrimitive::to_i128);
                let (Some(reach), Some(1 | -1)) = (reach, step) else {
                    return false;
                };
                // Fewer iterations than one would not reach the store.
                let Some(runs) = self.runs(f) else {
                    return false;
                };
                around.insert(f.iv, reach as u64 + 1);
                let found = runs && self.is_overwritten(&f.body, array, sides, around);
                around.remove(&f.iv);
                found
            }
            _ => false,
        })
    }

    /// Whether a loop inside has an iteration for certain.
    fn runs(&self, f: &For) -> Option<bool> {
        let apart = self
            .values
            .affine(f.hi)
            .plus(&self.values.affine(f.lo), -1)?;
        Some(match f.descending {
            true => apart.constant < 0,
            false => apart.constant > 0,
        })
    }

    fn sweeps(&self, at: &Element, sides: &[Side], around: &BTreeMap<ValueId, u64>) -> bool {
        let mut seen = BTreeSet::new();
        at.indices.iter().zip(sides).all(|(&index, side)| {
            let sum = self.values.affine(index);
            let mut moving = sum.terms.iter().filter(|t| self.inside.contains(&t.0));
            match (moving.next(), moving.next()) {
                (None, _) => side.extent == 1,
                (Some((value, 1 | -1)), None) => {
                    seen.insert(*value) && around.get(value) == Some(&side.extent)
                }
                _ => false,
            }
        })
    }
}
