//! Fill forwarding: a nest that visits every element once and reads it before writing it takes the fill's value.
//!
//! `c = 0; for i, j: c[i, j] += ...` needs neither the sweep that clears `c` nor the read of `c`.

use super::reuse::touches;
use crate::ir::*;
use num_bigint::BigInt;
use std::collections::HashMap;

/// Forwards every fill that reaches such a nest.
pub fn run(kernel: &mut Kernel) {
    let mut constants = HashMap::new();
    kernel.body.for_each_op(&mut |op| {
        if let (OpKind::Const(Const::Int(c)), [result]) = (&op.kind, &op.results[..]) {
            constants.insert(*result, c.clone());
        }
    });
    let mut body = std::mem::take(&mut kernel.body);
    forward_block(kernel, &mut body, &constants);
    kernel.body = body;
}

fn forward_block(kernel: &Kernel, block: &mut Block, constants: &HashMap<ValueId, BigInt>) {
    let mut i = 0;
    while i < block.ops.len() {
        for inner in block.ops[i].kind.blocks_mut() {
            forward_block(kernel, inner, constants);
        }
        let OpKind::Fill { array, value } = block.ops[i].kind else {
            i += 1;
            continue;
        };
        let next = (i + 1..block.ops.len()).find(|&j| touches(&block.ops[j], array));
        let removed = next.is_some_and(|j| {
            let shape = &kernel.arrays[array].shape;
            forward_into(&mut block.ops[j], array, value, shape, constants)
        });
        if removed {
            block.ops.remove(i);
        } else {
            i += 1;
        }
    }
}

/// Rewrites a nest whose first reads of each element see the fill. True if the fill is then not needed.
fn forward_into(
    op: &mut Op,
    array: ArrayId,
    value: ValueId,
    shape: &[u64],
    constants: &HashMap<ValueId, BigInt>,
) -> bool {
    let mut visited = Vec::new();
    let Some(body) = element_body(op, array, shape, constants, &mut visited) else {
        return false;
    };
    let direct: Vec<usize> = (0..body.ops.len())
        .filter(|&i| touches(&body.ops[i], array))
        .collect();
    let Some(store) = direct.iter().position(|&i| {
        let kind = &body.ops[i].kind;
        matches!(kind, OpKind::Store { indices, .. } if covers(indices, &visited, shape))
    }) else {
        return false;
    };
    // Another element (`c[i, j]` beside `c[j, i]`) may be one that an earlier iteration has stored.
    let element = indices_of(&body.ops[direct[store]]);
    let same_element = direct
        .iter()
        .all(|&i| element.is_some() && indices_of(&body.ops[i]) == element);
    if !same_element {
        return false;
    }
    let loads: Vec<usize> = direct[..store].to_vec();
    let forwarded: Vec<ValueId> = loads
        .iter()
        .flat_map(|&i| body.ops[i].results.clone())
        .collect();
    for &i in loads.iter().rev() {
        body.ops.remove(i);
    }
    body.for_each_use(&mut |v| {
        if forwarded.contains(v) {
            *v = value;
        }
    });
    true
}

/// The element that a load or store accesses.
fn indices_of(op: &Op) -> Option<&[ValueId]> {
    match &op.kind {
        OpKind::Load { indices, .. } | OpKind::Store { indices, .. } => Some(indices),
        _ => None,
    }
}

/// The block that accesses `array` directly, below loops that each walk a whole dimension; `visited` takes their
/// induction variables with their extents.
fn element_body<'o>(
    op: &'o mut Op,
    array: ArrayId,
    shape: &[u64],
    constants: &HashMap<ValueId, BigInt>,
    visited: &mut Vec<(ValueId, u64)>,
) -> Option<&'o mut Block> {
    let OpKind::For(f) = &mut op.kind else {
        return None;
    };
    let constant = |v: ValueId| constants.get(&v);
    let whole =
        constant(f.lo) == Some(&BigInt::from(0)) && constant(f.step) == Some(&BigInt::from(1));
    let extent = constant(f.hi).and_then(|hi| u64::try_from(hi).ok())?;
    if !whole || !shape.contains(&extent) {
        return None;
    }
    visited.push((f.iv, extent));
    let mut accessing = f
        .body
        .ops
        .iter()
        .enumerate()
        .filter(|(_, o)| touches(o, array));
    let first = accessing.next()?.0;
    let only = accessing.next().is_none();
    if only && matches!(f.body.ops[first].kind, OpKind::For(_)) {
        return element_body(&mut f.body.ops[first], array, shape, constants, visited);
    }
    Some(&mut f.body)
}

/// Whether the indices are the visited loops' variables, each once, over the whole of its dimension.
fn covers(indices: &[ValueId], visited: &[(ValueId, u64)], shape: &[u64]) -> bool {
    indices.len() == visited.len()
        && indices
            .iter()
            .zip(shape)
            .all(|(index, extent)| visited.contains(&(*index, *extent)))
        && visited.iter().all(|(iv, _)| indices.contains(iv))
}
