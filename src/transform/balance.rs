//! Sums that a loop carries: what one iteration adds is summed up first, as a balanced tree, and the carried value is added
//! last, so that the recurrence is one addition long (tree height reduction; Kuck, The Structure of Computers and
//! Computations, 1978, section 2.2).
//!
//! Integers wrap, so that a sum modulo 2^w may be taken in any order; the same holds of products and of bitwise operations,
//! and of the least and the greatest in one type.

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
            let chain = body.chain(self.kernel, carried, next)?;
            Some((next, (carried, chain)))
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

/// What a carried value and the terms of one iteration become the next value by.
struct Chain {
    op: BinaryOp,
    /// Each with whether it is subtracted.
    terms: Vec<(ValueId, bool)>,
}

/// An operation that may be taken in any order; a subtraction is an addition.
fn any_order(op: BinaryOp) -> Option<BinaryOp> {
    match op {
        BinaryOp::Add | BinaryOp::Sub => Some(BinaryOp::Add),
        BinaryOp::Mul | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => Some(op),
        BinaryOp::Min | BinaryOp::Max => Some(op),
        _ => None,
    }
}

fn width(kernel: &Kernel, value: ValueId) -> Option<u32> {
    match kernel.values[value].ty {
        ty @ Scalar::Int { .. } => Some(ty.width()),
        _ => None,
    }
}

/// What is known of the body of a loop.
struct Body<'b> {
    /// Of each value.
    uses: HashMap<ValueId, u32>,
    /// Outside of inner blocks.
    definitions: HashMap<ValueId, &'b OpKind>,
}

impl Body<'_> {
    fn of(body: &mut Block) -> Body<'_> {
        let mut uses: HashMap<ValueId, u32> = HashMap::new();
        body.for_each_use(&mut |value| *uses.entry(*value).or_default() += 1);
        let definitions = body.ops.iter().filter_map(|op| match op.results[..] {
            [result] => Some((result, &op.kind)),
            _ => None,
        });
        let definitions = definitions.collect();
        Body { uses, definitions }
    }

    /// The chain from a carried value to its next one, if there is one that could be shorter.
    fn chain(&self, kernel: &Kernel, carried: ValueId, next: ValueId) -> Option<Chain> {
        let needed = width(kernel, carried)?;
        let mut op = None;
        let mut terms = Vec::new();
        let (mut meetings, mut is_cast) = (0, false);
        let mut open = vec![(next, false)];
        while let Some((value, negative)) = open.pop() {
            if value == carried {
                meetings += 1;
                if negative {
                    return None;
                }
                continue;
            }
            // What something else needs is computed anyway, and what wraps sooner is another value.
            let is_inner = self.uses.get(&value) == Some(&1) && width(kernel, value) >= Some(needed);
            match self.definitions.get(&value).filter(|_| is_inner) {
                Some(OpKind::Cast { arg }) if width(kernel, *arg).is_some() => {
                    is_cast = true;
                    open.push((*arg, negative));
                }
                Some(&&OpKind::Binary { op: own, lhs, rhs })
                    if any_order(own).is_some_and(|own| *op.get_or_insert(own) == own) =>
                {
                    open.push((rhs, negative != (own == BinaryOp::Sub)));
                    open.push((lhs, negative));
                }
                _ => terms.push((value, negative)),
            }
        }
        // The least modulo 2^w is not the least.
        let is_exact = !is_cast || !matches!(op, Some(BinaryOp::Min | BinaryOp::Max));
        let op = op.filter(|_| is_exact && meetings == 1 && terms.len() > 1)?;
        Some(Chain { op, terms })
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
