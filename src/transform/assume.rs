//! What is promised of values becomes bits that they do not have, and the promises are gone.
//!
//! A promise is about each value of its own block: wherever the block runs, it is reached. From there on the value is replaced
//! by one that was cut to as many bits as its range needs, which later rooms find narrow.

use crate::ir::analysis::assumed::Facts;
use crate::ir::analysis::ranges::{self, Range};
use crate::ir::*;
use std::collections::{BTreeMap, HashMap};

/// Takes away all promises.
pub fn run(kernel: &mut Kernel) {
    let mut body = std::mem::take(&mut kernel.body);
    let facts = Facts::of(kernel, &body);
    let mut found = HashMap::new();
    body.for_each_op(&mut |op| {
        if let OpKind::Assume { cond } = op.kind {
            found.insert(cond, facts.follow(cond));
        }
    });
    let own = kernel.params.iter().filter_map(|param| match param {
        Param::Scalar(value) => Some(*value),
        Param::Array(_) => None,
    });
    let own = own.collect();
    cut(kernel, &found, &mut body, own, &HashMap::new());
    kernel.body = body;
}

/// `own`: values of the block that are there before its operations.
fn cut(
    kernel: &mut Kernel,
    found: &HashMap<ValueId, Vec<(ValueId, Range)>>,
    block: &mut Block,
    mut own: Vec<ValueId>,
    renamed: &HashMap<ValueId, ValueId>,
) {
    let mut renamed = renamed.clone();
    let mut out = Vec::with_capacity(block.ops.len());
    // What is known so far.
    let mut within: BTreeMap<ValueId, Range> = BTreeMap::new();
    for mut op in std::mem::take(&mut block.ops) {
        if let OpKind::Assume { cond } = op.kind {
            for &(value, (low, high)) in found.get(&cond).into_iter().flatten() {
                if !own.contains(&value) {
                    continue;
                }
                let known = within.entry(value).or_insert((low, high));
                *known = (known.0.max(low), known.1.min(high));
                if let Some(narrow) = narrower(kernel.values[value].ty, *known) {
                    let ty = kernel.values[value].ty;
                    let mut build = kernel.build(&mut out, op.span);
                    let bits = build.cast(value, narrow);
                    renamed.insert(value, build.cast(bits, ty));
                }
            }
            continue;
        }
        let rename = |value: &mut ValueId| *value = *renamed.get(value).unwrap_or(value);
        op.kind.for_each_operand(&mut { rename });
        own.extend(&op.results);
        let params = op.kind.block_params();
        for (inner, params) in op.kind.blocks_mut().into_iter().zip(params) {
            cut(kernel, found, inner, params, &renamed);
        }
        out.push(op);
    }
    for value in &mut block.yields {
        *value = *renamed.get(value).unwrap_or(value);
    }
    block.ops = out;
}

/// A type of fewer bits that has every number of a range, if there is one.
fn narrower(ty: Scalar, range: Range) -> Option<Scalar> {
    let widths = 1..ty.width();
    let mut types = widths.flat_map(|width| [Scalar::unsigned(width), Scalar::signed(width)]);
    types.find(|&ty| range.0 <= range.1 && ranges::fits(range, ty))
}
