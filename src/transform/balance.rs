//! Sums that a loop carries: what one iteration adds is summed up first, as a balanced tree, and the carried value is added
//! last, so that the recurrence is one addition long (tree height reduction; Kuck, The Structure of Computers and
//! Computations, 1978, section 2.2).

use crate::ir::analysis::reduction::{Body, Chain, Order};
use crate::ir::rewrite::{Rewriter, rewrite};
use crate::ir::*;
use std::collections::HashMap;

/// Rewrites the chains of all counted loops.
pub fn run(kernel: &mut Kernel) {
    let body = std::mem::take(&mut kernel.body);
    kernel.body = rewrite(body, &mut Balance { kernel });
}

struct Balance<'k> {
    /// Without its body.
    kernel: &'k mut Kernel,
}

impl Rewriter for Balance<'_> {
    fn leave(&mut self, mut op: Op, out: &mut Vec<Op>) {
        if let OpKind::For(f) = &mut op.kind {
            self.rebalance(f);
        }
        out.push(op);
    }
}

impl Balance<'_> {
    fn rebalance(&mut self, f: &mut For) {
        let carried = f.carried.iter().zip(f.body.yields.clone());
        let body = Body::of(&mut f.body);
        let chains = carried.filter_map(|(&carried, next)| {
            let chain = body.chain(self.kernel, carried, next, Order::Exact)?;
            // One term is added already.
            (chain.terms.len() > 1).then_some((next, (carried, chain)))
        });
        let chains: HashMap<ValueId, (ValueId, Chain)> = chains.collect();
        if chains.is_empty() {
            return;
        }
        for op in std::mem::take(&mut f.body.ops) {
            match op.results[..] {
                [next] if chains.contains_key(&next) => {
                    let (carried, chain) = &chains[&next];
                    let mut build = self.kernel.build(&mut f.body.ops, op.span);
                    rebuild(&mut build, *carried, next, chain);
                }
                _ => f.body.ops.push(op),
            }
        }
    }
}

/// Computes `next` from the carried value by one operation.
fn rebuild(build: &mut Build, carried: ValueId, next: ValueId, chain: &Chain) {
    let ty = build.kernel.values[carried].ty;
    let mut tree = |negative: bool| {
        let terms = chain.terms.iter().filter(|term| term.1 == negative);
        let terms: Vec<ValueId> = terms.map(|term| build.cast(term.0, ty)).collect();
        reduced(build, chain.op, terms)
    };
    let (added, subtracted) = (tree(false), tree(true));
    let (op, term) = match (added, subtracted) {
        (Some(added), None) => (chain.op, added),
        (Some(added), Some(subtracted)) => (
            BinaryOp::Add,
            build.binary(BinaryOp::Sub, added, subtracted),
        ),
        (None, Some(subtracted)) => (BinaryOp::Sub, subtracted),
        // A chain has terms.
        (None, None) => return,
    };
    let (lhs, rhs) = (carried, term);
    build.define(OpKind::Binary { op, lhs, rhs }, vec![next]);
}

/// One value of many, by halves.
fn reduced(build: &mut Build, op: BinaryOp, mut values: Vec<ValueId>) -> Option<ValueId> {
    while values.len() > 1 {
        let pairs = values.chunks(2);
        values = pairs
            .map(|pair| match *pair {
                [lhs, rhs] => build.binary(op, lhs, rhs),
                _ => pair[0],
            })
            .collect();
    }
    values.first().copied()
}
