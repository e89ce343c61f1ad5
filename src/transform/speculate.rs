//! Speculative loads: elements around a place that branches of an iteration load are loaded in every iteration.
//!
//! A stencil with a border loads its neighbours under a condition, or each of them under its own where what is beyond the border is
//! zero. Loaded in every iteration, they are at hand in those after it (`window`, `lines`), and what is the same for all iterations is so
//! before the loop (`promote`). A load does nothing, and nobody uses one of what lies outside of the array.

use crate::ir::analysis::touch::Touched;
use crate::ir::analysis::{Subscript, Values, Varying};
use crate::ir::rewrite::{Rewriter, rewrite};
use crate::ir::*;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Loads of an array in a loop beyond which it is left alone.
const MANY: usize = 64;

/// Rewrites all innermost loops in which branches load more elements of an array that nothing in the loop writes than it has ports.
pub fn run(kernel: &mut Kernel) {
    let values = Values::of(kernel);
    let body = std::mem::take(&mut kernel.body);
    kernel.body = rewrite(body, &mut Speculate { kernel, values });
}

struct Speculate<'k> {
    /// Without its body.
    kernel: &'k mut Kernel,
    values: Values,
}

/// A load in a loop.
struct Load {
    value: ValueId,
    is_in_branch: bool,
    /// `None` where one of them is neither fixed nor moves with the loop.
    subscripts: Option<Vec<Subscript>>,
}

impl Rewriter for Speculate<'_> {
    fn leave(&mut self, mut op: Op, out: &mut Vec<Op>) {
        if let OpKind::For(f) = &mut op.kind
            && !f.body.ops.iter().any(Op::contains_loop)
        {
            let loads = self.loads(f);
            if !loads.is_empty() {
                let ops = std::mem::take(&mut f.body.ops);
                f.body.ops = self.moved(ops, &loads);
            }
        }
        out.push(op);
    }
}

impl Speculate<'_> {
    /// Loads in branches that should be in every iteration: of arrays that are loaded more often than they have ports.
    fn loads(&self, f: &For) -> HashSet<ValueId> {
        let mut arrays = BTreeMap::new();
        self.collect(f, &self.values.varying(f), &f.body, false, &mut arrays);
        let written = Touched::by_block(&f.body).written;
        arrays.retain(|array, loads: &mut Vec<Load>| {
            let Array { stream, tags, .. } = &self.kernel.arrays[*array];
            let least = tags.most_ports() as usize + 1;
            !written.contains(array) && stream.is_none() && (least..=MANY).contains(&loads.len())
        });
        let mut found = HashSet::new();
        for loads in arrays.values() {
            let some = loads.iter().filter(|load| load.is_in_branch);
            let some = some.filter(|load| self.is_kept(load, loads));
            found.extend(some.map(|load| load.value));
        }
        found
    }

    /// Notes the loads of a block, by array.
    fn collect(
        &self,
        f: &For,
        varying: &Varying,
        block: &Block,
        is_in_branch: bool,
        arrays: &mut BTreeMap<ArrayId, Vec<Load>>,
    ) {
        for op in &block.ops {
            for inner in op.kind.blocks() {
                self.collect(f, varying, inner, true, arrays);
            }
            if let OpKind::Load { at, .. } = &op.kind {
                let subscript = |&index: &ValueId| self.values.subscript(f.iv, varying, index);
                let subscripts: Option<Vec<Subscript>> = at.indices.iter().map(subscript).collect();
                arrays.entry(at.array).or_default().push(Load {
                    value: op.results[0],
                    is_in_branch,
                    subscripts: subscripts.filter(|_| at.when.is_none()),
                });
            }
        }
    }

    /// Whether a load's element is the same in all iterations, or as far from another one's in all of them.
    fn is_kept(&self, load: &Load, loads: &[Load]) -> bool {
        let Some(own) = &load.subscripts else {
            return false;
        };
        let is_fixed = |subscript: &Subscript| matches!(subscript, Subscript::Fixed(_));
        let is_close = |other: &Load| {
            let pairs = other.subscripts.as_ref().map(|other| own.iter().zip(other));
            other.value != load.value
                && pairs.is_some_and(|mut pairs| pairs.all(|(a, b)| self.are_close(a, b)))
        };
        own.iter().all(is_fixed) || loads.iter().any(is_close)
    }

    fn are_close(&self, one: &Subscript, other: &Subscript) -> bool {
        match (one, other) {
            (Subscript::Fixed(a), Subscript::Fixed(b)) => self.values.distance(*a, *b).is_some(),
            (Subscript::Moving(by, a), Subscript::Moving(other, b)) => {
                by == other && a.plus(b, -1).is_some_and(|apart| apart.terms.is_empty())
            }
            _ => false,
        }
    }

    /// The operations of a block, with loads in branches and what their subscripts need in front of these.
    fn moved(&self, ops: Vec<Op>, loads: &HashSet<ValueId>) -> Vec<Op> {
        let mut out = Vec::new();
        for mut op in ops {
            let blocks = op.kind.blocks_mut();
            for block in blocks {
                let ops = self.moved(std::mem::take(&mut block.ops), loads);
                let needed = self.needed(&ops, loads);
                let is_needed = |op: &Op| op.results.iter().any(|value| needed.contains(value));
                let (first, rest): (Vec<Op>, Vec<Op>) = ops.into_iter().partition(is_needed);
                out.extend(first);
                block.ops = rest;
            }
            out.push(op);
        }
        out
    }

    /// What operations compute of these loads, and what their subscripts are computed from there.
    fn needed(&self, ops: &[Op], loads: &HashSet<ValueId>) -> BTreeSet<ValueId> {
        let mut needed = BTreeSet::new();
        for op in ops.iter().rev() {
            let mut results = op.results.iter();
            if results.any(|value| loads.contains(value) || needed.contains(value)) {
                needed.extend(op.results.iter().copied());
                needed.extend(op.kind.operands());
            }
        }
        needed
    }
}
