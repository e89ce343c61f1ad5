//! Loops that run only where they do something: in `for j: if j <= i: ...` the condition becomes a bound of the loop.
//!
//! A triangle that is written with a condition, in a grid, is one with bounds then: half of the iterations are left, and what
//! is around an inner loop stands next to it.

use crate::diagnostics::Span;
use crate::ir::analysis::{Values, touch};
use crate::ir::rewrite::{Rewriter, rewrite};
use crate::ir::*;
use num_traits::One;
use std::collections::BTreeSet;

/// Takes conditions into the bounds of all loops that count up by one.
pub fn run(kernel: &mut Kernel) {
    let values = Values::of(kernel);
    let body = std::mem::take(&mut kernel.body);
    let mut pass = Narrow { kernel, values };
    let body = rewrite(body, &mut pass);
    kernel.body = body;
}

struct Narrow<'k> {
    /// Without its body.
    kernel: &'k mut Kernel,
    values: Values,
}

/// A bound that a condition states: `value + more`, not reached by the counter or the first one that it takes.
struct Limit {
    is_upper: bool,
    value: ValueId,
    more: i64,
    /// What computes the value in the body, by place.
    early: BTreeSet<usize>,
}

impl Rewriter for Narrow<'_> {
    fn leave(&mut self, mut op: Op, out: &mut Vec<Op>) {
        if let OpKind::For(f) = &mut op.kind {
            while let Some((branch, limit)) = self.limit(f) {
                self.narrow(f, branch, limit, op.span, out);
            }
        }
        out.push(op);
    }
}

impl Narrow<'_> {
    /// The place of a branch, if nothing else in a loop does something, and the bound that its condition is.
    fn limit(&self, f: &For) -> Option<(usize, Limit)> {
        let counts = !f.descending && self.values.constant(f.step).is_some_and(One::is_one);
        let ops = &f.body.ops;
        let mut acting = (0..ops.len()).filter(|&at| !ops[at].kind.is_pure());
        let (Some(at), None) = (acting.next(), acting.next()) else {
            return None;
        };
        let OpKind::If(branch) = &ops[at].kind else {
            return None;
        };
        let OpKind::Compare { op, lhs, rhs } = *self.values.definition(branch.cond)? else {
            return None;
        };
        let is_all =
            f.carried.is_empty() && ops[at].results.is_empty() && branch.otherwise.ops.is_empty();
        let limit = || {
            let limit = self.of_comparison(f, op, lhs, rhs);
            limit.or_else(|| self.of_comparison(f, op.swapped(), rhs, lhs))
        };
        let limit = (counts && is_all).then(limit)??;
        Some((at, limit))
    }

    /// The bound that `lhs op rhs` is, if `lhs` moves with the counter and `rhs` is there before the loop.
    fn of_comparison(&self, f: &For, op: CompareOp, lhs: ValueId, rhs: ValueId) -> Option<Limit> {
        let ahead = i64::try_from(self.values.distance(lhs, f.iv)?).ok()?;
        let (is_upper, gap) = match op {
            CompareOp::Lt => (true, 0),
            CompareOp::Le => (true, 1),
            CompareOp::Ge => (false, 0),
            CompareOp::Gt => (false, 1),
            _ => return None,
        };
        let more = i64::checked_sub(gap, ahead)?;
        let is_index = |value: ValueId| self.kernel.values[value].ty == Scalar::Index;
        let value = Some(rhs).filter(|&rhs| is_index(rhs));
        let value = value.unwrap_or_else(|| self.values.uncast(rhs));
        let fits = is_index(value) && self.values.can_move(value, more.into());
        let early = early(f, value).filter(|_| fits)?;
        Some(Limit {
            is_upper,
            value,
            more,
            early,
        })
    }

    /// Makes the limit a bound of the loop, and what is in the branch its body.
    fn narrow(&mut self, f: &mut For, at: usize, limit: Limit, span: Span, out: &mut Vec<Op>) {
        let ops = std::mem::take(&mut f.body.ops);
        for (place, op) in ops.into_iter().enumerate() {
            match op.kind {
                OpKind::If(branch) if place == at => f.body.ops.extend(branch.then.ops),
                _ if limit.early.contains(&place) => out.push(op),
                _ => f.body.ops.push(op),
            }
        }
        let old = if limit.is_upper { f.hi } else { f.lo };
        let is_inside = self.is_inside(&limit, old);
        let mut build = self.kernel.build(out, span);
        let mut bound = limit.value;
        if limit.more != 0 {
            let more = build.index(limit.more);
            bound = build.binary(BinaryOp::Add, bound, more);
        }
        if !is_inside {
            let closer = match limit.is_upper {
                true => CompareOp::Lt,
                false => CompareOp::Gt,
            };
            let cond = build.compare(closer, bound, old);
            let kind = OpKind::Select {
                cond,
                on_true: bound,
                on_false: old,
            };
            bound = build.op(Scalar::Index, kind);
        }
        *(if limit.is_upper { &mut f.hi } else { &mut f.lo }) = bound;
    }

    /// Whether a limit is certainly no farther than a bound.
    fn is_inside(&self, limit: &Limit, bound: ValueId) -> bool {
        let ranges = self.values.range(limit.value).zip(self.values.range(bound));
        ranges.is_some_and(|(value, bound)| match limit.is_upper {
            true => value.1 + i128::from(limit.more) <= bound.0,
            false => value.0 + i128::from(limit.more) >= bound.1,
        })
    }
}

/// The places of what computes a value in the body of a loop, if that may be done before the loop.
pub(super) fn early(f: &For, value: ValueId) -> Option<BTreeSet<usize>> {
    let mut wanted = BTreeSet::from([value]);
    let mut places = BTreeSet::new();
    for (place, op) in f.body.ops.iter().enumerate().rev() {
        if op.results.iter().any(|result| wanted.contains(result)) {
            let reads = !touch::arrays(&op.kind).0.is_empty();
            if !op.kind.is_pure() || reads {
                return None;
            }
            wanted.extend(op.kind.operands());
            places.insert(place);
        }
    }
    (!wanted.contains(&f.iv)).then_some(places)
}
