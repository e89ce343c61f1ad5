//! Iterations that may lie beyond the end of a loop, in its last round of iterations side by side: they write nothing.
//!
//! A store becomes a branch, except where the element is one that the first iteration of the round writes as well, and what it holds
//! is at hand: then the iteration stores that once more. So a sum in an array is stored always, as those of iterations that do not
//! lie beyond the end are, and what is known of such sums goes for it too.

use crate::ir::analysis::touch;
use crate::ir::*;
use std::collections::{HashMap, HashSet};

/// Operations of an iteration, of which none changes an array unless `guard` holds. `own` are the values that it begins with, which
/// those of the first iteration may differ from: its counter and what is carried.
pub fn guarded(
    kernel: &mut Kernel,
    ops: Vec<Op>,
    own: impl IntoIterator<Item = ValueId>,
    guard: ValueId,
) -> Vec<Op> {
    let own = own.into_iter().collect();
    let mut pass = Beyond { kernel, guard, own };
    pass.block(ops, true)
}

/// An element, as it is written.
type Place = (ArrayId, Vec<ValueId>);

struct Beyond<'k> {
    kernel: &'k mut Kernel,
    guard: ValueId,
    /// Values that may be others in the first iteration of the round.
    own: HashSet<ValueId>,
}

impl Beyond<'_> {
    /// Operations of a block, which runs whenever that of the first iteration does if it is `common`.
    fn block(&mut self, ops: Vec<Op>, common: bool) -> Vec<Op> {
        let mut out = Vec::with_capacity(ops.len());
        let mut at_hand: HashMap<Place, ValueId> = HashMap::new();
        for mut op in ops {
            self.inside(&mut op, common);
            self.note(&op);
            if let OpKind::Store { at, value } = &mut op.kind
                && let Some(old) = at_hand.get(&(at.array, at.indices.clone()))
                && common
                && !at.operands().any(|operand| self.own.contains(&operand))
            {
                let mut build = self.kernel.build(&mut out, op.span);
                *value = build.select(self.guard, *value, *old);
                self.own.insert(*value);
                let place = (at.array, at.indices.clone());
                at_hand.retain(|other, _| other.0 != place.0);
                at_hand.insert(place, *value);
                out.push(op);
                continue;
            }
            let written = touch::Touched::by(&op).written;
            at_hand.retain(|place, _| !written.contains(&place.0));
            if let OpKind::Load { at, .. } = &op.kind
                && at.when.is_none()
            {
                at_hand.insert((at.array, at.indices.clone()), op.results[0]);
            }
            out.push(self.unless_it_writes(op));
        }
        out
    }

    /// What is inside of an operation.
    fn inside(&mut self, op: &mut Op, common: bool) {
        let own = |value: &ValueId| self.own.contains(value);
        let common = common
            && match &op.kind {
                OpKind::For(f) => ![f.lo, f.hi, f.step].iter().any(own),
                OpKind::If(branch) => !own(&branch.cond),
                _ => false,
            };
        for params in op.kind.block_params() {
            // The counter of a loop that runs equally often is the same.
            let same = usize::from(common);
            self.own.extend(params.into_iter().skip(same));
        }
        for block in op.kind.blocks_mut() {
            block.ops = self.block(std::mem::take(&mut block.ops), common);
        }
    }

    /// Results are the iteration's own, unless they are computed of what is not.
    fn note(&mut self, op: &Op) {
        let is_load = matches!(op.kind, OpKind::Load { .. });
        let mut operands = op.kind.operands().into_iter();
        let is_same = op.kind.is_pure() && !is_load && !operands.any(|v| self.own.contains(&v));
        if !is_same {
            self.own.extend(&op.results);
        }
    }

    /// An operation that is a branch if it writes.
    fn unless_it_writes(&self, op: Op) -> Op {
        if touch::arrays(&op.kind).1.is_empty() {
            return op;
        }
        let span = op.span;
        let then = Block {
            ops: vec![op],
            yields: vec![],
        };
        let branch = If {
            cond: self.guard,
            then,
            otherwise: Block::default(),
        };
        Op {
            kind: OpKind::If(Box::new(branch)),
            results: vec![],
            span,
        }
    }
}
