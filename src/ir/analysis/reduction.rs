//! Reductions: values that an operation makes of what they were and of something else, where the order of the somethings
//! changes nothing.
//!
//! Integers wrap, so that a sum modulo 2^w may be taken in any order; the same holds of products and of bitwise operations,
//! and of the least and the greatest in one type.

use super::{Values, touch};
use crate::hash::FastMap;
use crate::ir::{ArrayId, BinaryOp, Block, Kernel, OpKind, Scalar, ValueId};
use std::collections::{BTreeMap, BTreeSet};

/// What a value and the terms of one iteration become the next value by.
pub struct Chain {
    /// The operation; a subtraction is an addition.
    pub op: BinaryOp,
    /// Each with whether it is subtracted.
    pub terms: Vec<(ValueId, bool)>,
}

/// Which operations may be taken in another order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Those of which no bit changes then.
    Exact,
    /// Those of floats, too: the user allows other roundings.
    Reassociated,
}

/// What is known of the body of a loop.
pub struct Body<'b> {
    /// Of each value.
    uses: FastMap<ValueId, u32>,
    /// Outside of inner blocks.
    definitions: FastMap<ValueId, &'b OpKind>,
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

impl Body<'_> {
    /// Of a block.
    pub fn of(body: &mut Block) -> Body<'_> {
        let mut uses: FastMap<ValueId, u32> = FastMap::default();
        body.for_each_use(&mut |value| *uses.entry(*value).or_default() += 1);
        let definitions = body.ops.iter().filter_map(|op| match op.results[..] {
            [result] => Some((result, &op.kind)),
            _ => None,
        });
        let definitions = definitions.collect();
        Body { uses, definitions }
    }

    /// The chain from a value to its next one, if there is one.
    pub fn chain(
        &self,
        kernel: &Kernel,
        carried: ValueId,
        next: ValueId,
        order: Order,
    ) -> Option<Chain> {
        let ty = |value: ValueId| kernel.values[value].ty;
        let is_float = !matches!(ty(carried), Scalar::Int { .. });
        if is_float && order == Order::Exact {
            return None;
        }
        // What wraps sooner is another value.
        let holds = |value: ValueId| match is_float {
            true => ty(value) == ty(carried),
            false => {
                matches!(ty(value), Scalar::Int { .. }) && ty(value).width() >= ty(carried).width()
            }
        };
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
            // What something else needs is computed anyway.
            let is_inner = self.uses.get(&value) == Some(&1) && holds(value);
            match self.definitions.get(&value).filter(|_| is_inner) {
                Some(OpKind::Cast { arg })
                    if !is_float && matches!(ty(*arg), Scalar::Int { .. }) =>
                {
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
        let op = op.filter(|_| is_exact && meetings == 1)?;
        Some(Chain { op, terms })
    }

    /// Whether nothing but the chain from a value to its next one sees what is in between.
    fn is_closed(&self, kernel: &Kernel, carried: ValueId, next: ValueId, order: Order) -> bool {
        let once = |value| self.uses.get(&value) == Some(&1);
        once(carried) && once(next) && self.chain(kernel, carried, next, order).is_some()
    }
}

/// What a loop reduces: iterations may come in any order as far as these are concerned.
#[derive(Debug, Default)]
pub struct Reductions {
    /// Whether all values that it carries are.
    pub all_carried: bool,
    /// Arrays of which an iteration only reduces one element.
    pub arrays: BTreeSet<ArrayId>,
}

/// What the body of a loop that carries `carried` reduces.
pub fn reductions(
    kernel: &Kernel,
    values: &Values,
    body: &mut Block,
    carried: &[ValueId],
    order: Order,
) -> Reductions {
    let mut touches: BTreeMap<ArrayId, u32> = BTreeMap::new();
    body.for_each_op(&mut |op| {
        let (reads, writes) = touch::arrays(&op.kind);
        for array in reads.into_iter().chain(writes) {
            *touches.entry(array).or_default() += 1;
        }
    });
    let nexts = body.yields.clone();
    let mut loads = FastMap::default();
    let mut stores = Vec::new();
    for op in &body.ops {
        match &op.kind {
            OpKind::Load { at, .. } => _ = loads.insert(at.array, (at.clone(), op.results[0])),
            OpKind::Store { at, value } => stores.push((at.clone(), *value)),
            _ => {}
        }
    }
    let body = Body::of(body);
    let is_reduced =
        |&(carried, next): &(ValueId, ValueId)| body.is_closed(kernel, carried, next, order);
    let all_carried = carried
        .iter()
        .copied()
        .zip(nexts)
        .all(|pair| is_reduced(&pair));
    let arrays = stores.into_iter().filter_map(|(to, next)| {
        let (from, loaded) = loads.get(&to.array)?;
        let is_one = values.same_element(&from.indices, &to.indices);
        let is_all = touches[&to.array] == 2 && from.when.is_none() && to.when.is_none();
        (is_one && is_all && is_reduced(&(*loaded, next))).then_some(to.array)
    });
    Reductions {
        all_carried,
        arrays: arrays.collect(),
    }
}
