//! Local arrays that stand for a part of another one: made, filled and written back by nests of loops, and accessed instead.

use crate::diagnostics::Span;
use crate::ir::analysis::footprint::Side;
use crate::ir::analysis::{Affine, Values};
use crate::ir::*;
use num_bigint::BigInt;
use std::collections::BTreeMap;

/// Makes a local array of these extents, named after another one.
pub fn make(kernel: &mut Kernel, of: ArrayId, suffix: &str, shape: Vec<u64>) -> ArrayId {
    let Array {
        name, elem, span, ..
    } = &kernel.arrays[of];
    let (plain, elem, span) = (format!("{name}_{suffix}"), *elem, *span);
    declare(kernel, &plain, elem, shape, span)
}

/// Makes a local array with a name, and a number behind it where there is one of that name.
pub fn declare(
    kernel: &mut Kernel,
    plain: &str,
    elem: Scalar,
    shape: Vec<u64>,
    span: Span,
) -> ArrayId {
    let taken = |name: &str| kernel.arrays.values().any(|array| array.name == name);
    let numbered = (2..).map(|number| format!("{plain}{number}"));
    let mut names = std::iter::once(plain.to_owned()).chain(numbered);
    let name = names.find(|name| !taken(name)).unwrap_or_default();
    kernel.arrays.push(Array {
        name,
        elem,
        shape,
        kind: ArrayKind::Local,
        partition: Vec::new(),
        tags: ArrayTags::default(),
        stream: None,
        span,
    })
}

/// A sum of multiples of values, computed.
pub fn sum(build: &mut Build, affine: &Affine) -> ValueId {
    let mut total = None;
    for &(value, factor) in &affine.terms {
        let value = build.cast(value, Scalar::Index);
        let term = match factor {
            1 => value,
            _ => {
                let factor = build.index(BigInt::from(factor));
                build.binary(BinaryOp::Mul, value, factor)
            }
        };
        total = Some(match total {
            None => term,
            Some(total) => build.binary(BinaryOp::Add, total, term),
        });
    }
    match total {
        Some(total) if affine.constant == 0 => total,
        Some(total) => {
            let constant = build.index(BigInt::from(affine.constant));
            build.binary(BinaryOp::Add, total, constant)
        }
        None => build.index(BigInt::from(affine.constant)),
    }
}

/// A nest of loops that count so far from 0, with what `element` appends to the innermost one; no loop where there is one
/// iteration. `unrolled`: loops of which the iterations stand side by side.
pub fn nest(
    kernel: &mut Kernel,
    extents: &[u64],
    unrolled: &[usize],
    label: &str,
    span: Span,
    element: impl FnOnce(&mut Build, &[ValueId]),
) -> Vec<Op> {
    let mut before = Vec::new();
    let mut build = kernel.build(&mut before, span);
    let (lo, step) = (build.index(0), build.index(1));
    let mut loops = Vec::new();
    let mut counters = Vec::new();
    for (dim, &extent) in extents.iter().enumerate() {
        counters.push(match extent {
            1 => lo,
            _ => {
                let hi = build.index(extent);
                let iv = build.kernel.value(Scalar::Index, None);
                loops.push((dim, iv, hi));
                iv
            }
        });
    }
    let mut ops = Vec::new();
    element(&mut kernel.build(&mut ops, span), &counters);
    // Those that stand side by side are inside.
    loops.sort_by_key(|(dim, ..)| unrolled.contains(dim));
    for (number, (dim, iv, hi)) in loops.into_iter().enumerate().rev() {
        let label = match number {
            0 => label.to_string(),
            _ => format!("{label}_{number}"),
        };
        let mut f = For::counted(iv, [lo, hi, step], &label, ops);
        if unrolled.contains(&dim) {
            f.tags.unroll = Some(Unroll::Fully);
        }
        ops = vec![Op {
            kind: OpKind::For(Box::new(f)),
            results: vec![],
            span,
        }];
    }
    before.extend(ops);
    before
}

/// Has loads and stores of an array in a block access its local copy. `index` computes the subscript of a dimension in there
/// from the one in the array.
pub fn redirect(
    kernel: &mut Kernel,
    block: Block,
    from: ArrayId,
    to: ArrayId,
    index: &dyn Fn(&mut Build, usize, ValueId) -> ValueId,
) -> Block {
    let mut ops = Vec::with_capacity(block.ops.len());
    for mut op in block.ops {
        for inner in op.kind.blocks_mut() {
            let block = std::mem::take(inner);
            *inner = redirect(kernel, block, from, to, index);
        }
        let span = op.span;
        if let OpKind::Load { at, .. } | OpKind::Store { at, .. } = &mut op.kind
            && at.array == from
        {
            at.array = to;
            let mut build = kernel.build(&mut ops, span);
            for (dim, subscript) in at.indices.iter_mut().enumerate() {
                *subscript = index(&mut build, dim, *subscript);
            }
        }
        ops.push(op);
    }
    Block {
        ops,
        yields: block.yields,
    }
}

/// The subscript in a box of one in the array, as known before anything was changed.
pub fn within(build: &mut Build, values: &Values, side: &Side, subscript: ValueId) -> ValueId {
    match (side.extent, values.affine(subscript).plus(&side.first, -1)) {
        (1, _) => build.index(0),
        (_, Some(inside)) => sum(build, &inside),
        // Too many terms to be one sum.
        (_, None) => {
            let first = sum(build, &side.first);
            build.binary(BinaryOp::Sub, subscript, first)
        }
    }
}

/// A sum with another value in place of one.
pub fn with(affine: &Affine, old: ValueId, new: &Affine) -> Option<Affine> {
    let terms: BTreeMap<ValueId, i128> = affine.terms.iter().copied().collect();
    let Some(&factor) = terms.get(&old) else {
        return Some(affine.clone());
    };
    let own = Affine {
        terms: vec![(old, 1)],
        constant: 0,
    };
    affine.plus(&own, factor.checked_neg()?)?.plus(new, factor)
}
