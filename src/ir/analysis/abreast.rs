//! Whether iterations of a loop may run side by side, their inner loops as one (unroll-and-jam: Allen and Kennedy,
//! Optimizing Compilers for Modern Architectures, 2001, section 8.4).
//!
//! Then what an iteration does between two loops, or in an iteration of an inner loop, comes before all that the iterations
//! before it do later. That changes nothing if no two of these touch the same element, one of them writing. Which ones do is
//! told by the distances of the iterations of the inner loops in which they meet, dimension by dimension.

use super::{Values, touch};
use crate::diagnostics::Span;
use crate::ir::analysis::trip::Trip;
use crate::ir::{Block, Element, For, Op, OpKind, ValueId};
use num_traits::ToPrimitive;
use std::collections::BTreeSet;

/// Most accesses of arrays: every two are compared.
const MANY: usize = 200;

/// Whether `factor` iterations of a loop may run side by side. Error: what forbids it.
pub fn may_run(values: &Values, f: &For, factor: u64) -> Result<(), Span> {
    let mut walk = Walk {
        values,
        f,
        inside: f.body.defined(),
        uses: Vec::new(),
    };
    walk.inside.insert(f.iv);
    let mut transfer = None;
    f.body
        .for_each_op(&mut |op| transfer = transfer.or(op.kind.is_transfer().then_some(op.span)));
    if let Some(transfer) = transfer {
        return Err(transfer);
    }
    walk.block(&f.body, &mut Vec::new())?;
    let has_loops = f.body.ops.iter().any(Op::contains_loop);
    let span = |one: &Use| one.op.span;
    let first = f.body.ops.first().map_or(Span::default(), |op| op.span);
    if has_loops && !f.carried.is_empty() {
        return Err(first);
    }
    if walk.uses.len() > MANY {
        return Err(span(&walk.uses[MANY]));
    }
    let Some(step) = values.constant(f.step).and_then(ToPrimitive::to_i128) else {
        return Err(first);
    };
    let uses = &walk.uses;
    for one in uses {
        for other in uses.iter().filter(|other| touch::clash(one.op, other.op)) {
            for ahead in 1..i128::from(factor) {
                if walk.overtakes(one, other, step * ahead) {
                    return Err(span(other));
                }
            }
        }
    }
    Ok(())
}

/// A place in a block, and the loop that is there.
#[derive(Clone, Copy)]
struct Step<'a> {
    /// The same for all operations between two loops.
    position: usize,
    inner: Option<&'a For>,
}

/// An operation that accesses arrays, and the way to it from the loop's body, through loops only: what else has blocks runs
/// as a whole.
struct Use<'a> {
    op: &'a Op,
    path: Vec<Step<'a>>,
}

struct Walk<'a> {
    values: &'a Values,
    f: &'a For,
    /// What is defined in the loop.
    inside: BTreeSet<ValueId>,
    uses: Vec<Use<'a>>,
}

impl<'a> Walk<'a> {
    fn block(&mut self, block: &'a Block, around: &mut Vec<Step<'a>>) -> Result<(), Span> {
        let mut loops = 0;
        for op in &block.ops {
            let inner = match &op.kind {
                OpKind::For(f) => Some(&**f),
                _ => None,
            };
            let position = 2 * loops + usize::from(inner.is_some());
            around.push(Step { position, inner });
            if let Some(inner) = inner {
                loops += 1;
                // All iterations run it equally often.
                let bounds = [inner.lo, inner.hi, inner.step];
                if !bounds.iter().all(|&bound| self.is_fixed(bound)) {
                    return Err(op.span);
                }
                self.block(&inner.body, around)?;
            } else {
                self.within(op, around);
            }
            around.pop();
        }
        Ok(())
    }

    /// An operation and all that is inside of it, which stay together.
    fn within(&mut self, op: &'a Op, path: &[Step<'a>]) {
        let mut add = |op: &'a Op| {
            let (reads, writes) = touch::arrays(&op.kind);
            if !reads.is_empty() || !writes.is_empty() {
                let path = path.to_vec();
                self.uses.push(Use { op, path });
            }
        };
        add(op);
        for block in op.kind.blocks() {
            block.for_each_op(&mut add);
        }
    }

    /// The same in every iteration.
    fn is_fixed(&self, value: ValueId) -> bool {
        let sum = self.values.affine(value);
        sum.terms
            .iter()
            .all(|(term, _)| !self.inside.contains(term))
    }

    /// Whether an access in an iteration may come before one of an earlier iteration on the same element. The induction
    /// variables of the two differ by `ahead`.
    fn overtakes(&self, earlier: &Use, later: &Use, ahead: i128) -> bool {
        let common = common(earlier, later);
        let mut distances = vec![None; common.len()];
        let elements = touch::element(&earlier.op.kind).zip(touch::element(&later.op.kind));
        if let Some((one, other)) = elements
            && !self.meet(one, other, &common, ahead, &mut distances)
        {
            return false;
        }
        let mut distances = distances.into_iter();
        for (before, after) in earlier.path.iter().zip(&later.path) {
            match (after.position.cmp(&before.position), distances.next()) {
                (std::cmp::Ordering::Less, _) => return true,
                (std::cmp::Ordering::Greater, _) => return false,
                // The same run of operations, which the earlier iteration does first.
                (_, None) => return false,
                (_, Some(None)) => return true,
                (_, Some(Some(distance))) if distance != 0 => return distance < 0,
                _ => {}
            }
        }
        false
    }

    /// Whether two accesses may meet; `distances` takes what is known of how many iterations of the loops around both the
    /// second comes after the first then.
    fn meet(
        &self,
        earlier: &Element,
        later: &Element,
        common: &[&For],
        ahead: i128,
        distances: &mut [Option<i128>],
    ) -> bool {
        let subscripts = earlier.indices.iter().zip(&later.indices);
        for (&one, &other) in subscripts {
            let Some((weights, rest)) = self.difference(one, other, common, ahead) else {
                continue;
            };
            let mut moving = weights
                .iter()
                .enumerate()
                .filter(|(_, weight)| **weight != 0);
            match (moving.next(), moving.next()) {
                (None, _) if rest != 0 => return false,
                (Some((at, weight)), None) => {
                    // weight * step * distance + rest = 0
                    let Some(step) = self.values.constant(common[at].step) else {
                        continue;
                    };
                    let Some(by) = step.to_i128().and_then(|step| step.checked_mul(*weight)) else {
                        continue;
                    };
                    if by == 0 || rest % by != 0 {
                        return by == 0;
                    }
                    let distance = -rest / by;
                    let is_other = distances[at].is_some_and(|known| known != distance);
                    if is_other || !self.reaches(common[at], distance) {
                        return false;
                    }
                    distances[at] = Some(distance);
                }
                _ => {}
            }
        }
        true
    }

    /// Whether a loop has two iterations of that distance.
    fn reaches(&self, f: &For, distance: i128) -> bool {
        let trip = Trip::of(f, |value| self.values.constant(value).cloned());
        let count = trip.and_then(|trip| trip.count.to_i128());
        count.is_none_or(|count| distance.abs() < count)
    }

    /// The second subscript less the first: by how much it grows with what the iterations of the loops around both differ,
    /// and the rest; `None` where it depends on something else.
    fn difference(
        &self,
        one: ValueId,
        other: ValueId,
        common: &[&For],
        ahead: i128,
    ) -> Option<(Vec<i128>, i128)> {
        let (one, other) = (self.values.affine(one), self.values.affine(other));
        if one.terms != other.terms {
            return None;
        }
        let mut weights = vec![0; common.len()];
        let mut rest = other.constant.checked_sub(one.constant)?;
        for (value, factor) in one.terms {
            if let Some(at) = common.iter().position(|f| f.iv == value) {
                weights[at] = factor;
            } else if value == self.f.iv {
                rest = rest.checked_add(factor.checked_mul(ahead)?)?;
            } else if self.inside.contains(&value) {
                return None;
            }
        }
        Some((weights, rest))
    }
}

/// The loops around both.
fn common<'a>(one: &Use<'a>, other: &Use<'a>) -> Vec<&'a For> {
    let steps = one.path.iter().zip(&other.path);
    let steps = steps.take_while(|(a, b)| a.position == b.position);
    steps.map_while(|(step, _)| step.inner).collect()
}
