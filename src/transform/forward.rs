//! Fill forwarding: a nest that visits every element once and reads it before writing it takes the fill's value.
//!
//! `c = 0; for i, j: c[i, j] += ...` needs neither the sweep that clears `c` nor the read of `c`.

use crate::ir::analysis::touch::{element, touches};
use crate::ir::analysis::{Values, touch::Touched};
use crate::ir::*;
use num_bigint::BigInt;
use std::collections::{BTreeSet, HashMap};

/// Forwards every fill that reaches such a nest.
pub fn run(kernel: &mut Kernel) {
    let values = Values::of(kernel);
    let mut body = std::mem::take(&mut kernel.body);
    forward_block(kernel, &mut body, &values);
    kernel.body = body;
}

fn forward_block(kernel: &Kernel, block: &mut Block, values: &Values) {
    for op in &mut block.ops {
        for inner in op.kind.blocks_mut() {
            forward_block(kernel, inner, values);
        }
    }
    let fills = block.ops.iter().enumerate();
    let fills = fills.filter_map(|(i, op)| match op.kind {
        OpKind::Fill { array, value } => Some((i, array, value)),
        _ => None,
    });
    let fills: Vec<(usize, ArrayId, ValueId)> = fills.collect();
    if fills.is_empty() {
        return;
    }
    let mut accesses: HashMap<ArrayId, Vec<usize>> = HashMap::new();
    for (i, op) in block.ops.iter().enumerate() {
        let Touched { read, written } = Touched::by(op);
        for array in read.union(&written) {
            accesses.entry(*array).or_default().push(i);
        }
    }
    let mut removed = BTreeSet::new();
    for (i, array, value) in fills {
        let places = &accesses[&array];
        let next = places.get(places.partition_point(|&place| place <= i));
        let shape = &kernel.arrays[array].shape;
        let forwarded =
            next.is_some_and(|&j| forward_into(&mut block.ops[j], array, value, shape, values));
        if forwarded {
            removed.insert(i);
        }
    }
    let mut place = 0..;
    block
        .ops
        .retain(|_| place.next().is_some_and(|i| !removed.contains(&i)));
}

/// Rewrites a nest whose first reads of each element see the fill. True if the fill is then not needed.
fn forward_into(
    op: &mut Op,
    array: ArrayId,
    value: ValueId,
    shape: &[u64],
    values: &Values,
) -> bool {
    let mut visited = Vec::new();
    let Some(body) = element_body(op, array, shape, values, &mut visited) else {
        return false;
    };
    let direct: Vec<usize> = (0..body.ops.len())
        .filter(|&i| touches(&body.ops[i], array))
        .collect();
    let Some(store) = direct.iter().position(|&i| {
        let kind = &body.ops[i].kind;
        matches!(kind, OpKind::Store { at, .. } if at.when.is_none() && covers(&at.indices, &visited, shape))
    }) else {
        return false;
    };
    // Another element (`c[i, j]` beside `c[j, i]`) may be one that an earlier iteration has stored.
    let indices_of = |i: usize| element(&body.ops[i].kind).map(|at| &at.indices);
    let indices = indices_of(direct[store]);
    let same_element = direct
        .iter()
        .all(|&i| indices.is_some() && indices_of(i) == indices);
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

/// The block that accesses `array` directly, below loops that each walk a whole dimension; `visited` takes their
/// induction variables with their extents.
fn element_body<'o>(
    op: &'o mut Op,
    array: ArrayId,
    shape: &[u64],
    values: &Values,
    visited: &mut Vec<(ValueId, u64)>,
) -> Option<&'o mut Block> {
    let OpKind::For(f) = &mut op.kind else {
        return None;
    };
    let whole = values.constant(f.lo) == Some(&BigInt::from(0))
        && values.constant(f.step) == Some(&BigInt::from(1));
    let extent = values
        .constant(f.hi)
        .and_then(|hi| u64::try_from(hi).ok())?;
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
        return element_body(&mut f.body.ops[first], array, shape, values, visited);
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
