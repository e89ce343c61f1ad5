//! A local copy of what an iteration of a loop touches of an array: filled at the start of the iteration, written back at its end.
//!
//! It has the rank of the array and the extents of the box that [`footprint`] finds. Everything in the loop accesses the copy,
//! so that it does not matter what else the box holds: that is written back as it was filled.

use super::band::Refusal;
use super::local_copy::{make, nest, redirect, sum, within};
use crate::ir::analysis::Values;
use crate::ir::analysis::footprint::{self, Footprint, Side};
use crate::ir::*;

/// Copies an array in each iteration of the loop at a path. Gives the copy.
///
/// Errors: no counted loop is there; what an iteration touches has no constant size, or is the same in each.
pub fn run(
    kernel: &mut Kernel,
    path: &[(usize, usize)],
    array: ArrayId,
) -> Result<ArrayId, Refusal> {
    let values = Values::of(kernel);
    let span = kernel.body.op_at(path).map(|op| op.span);
    let (Some(f), Some(span)) = (kernel.body.for_at(path), span) else {
        return Err((None, "the axis has no counter".into()));
    };
    let shape = &kernel.arrays[array].shape;
    let found = footprint::of(&values, f, array, shape, span);
    let Footprint {
        sides,
        is_read,
        is_written,
        is_overwritten,
    } = found.map_err(|(at, why)| (Some(at), why))?;
    if sides.iter().all(|side| side.weight == 0) {
        let why = format!(
            "no subscript of '{}' mentions the axis",
            kernel.arrays[array].name
        );
        return Err((Some(span), why));
    }
    let extents: Vec<u64> = sides.iter().map(|side| side.extent).collect();
    let local = make(kernel, array, "local", extents.clone());
    let body = take_body(kernel, path);
    let body = redirect(kernel, body, array, local, &|build, dim, index| {
        within(build, &values, &sides[dim], index)
    });
    let name = kernel.arrays[local].name.clone();
    let mut ops = Vec::new();
    if is_read || !is_overwritten {
        let label = format!("{name}_fill");
        ops.extend(nest(
            kernel,
            &extents,
            &[],
            &label,
            span,
            |build, inside| {
                let outside = outside(build, &sides, inside);
                let value = build.load(array, outside);
                build.store(local, inside.to_vec(), value);
            },
        ));
    }
    ops.extend(body.ops);
    if is_written {
        let label = format!("{name}_back");
        ops.extend(nest(
            kernel,
            &extents,
            &[],
            &label,
            span,
            |build, inside| {
                let value = build.load(local, inside.to_vec());
                let outside = outside(build, &sides, inside);
                build.store(array, outside, value);
            },
        ));
    }
    let yields = body.yields;
    if let Some(OpKind::For(f)) = kernel.body.op_at_mut(path).map(|op| &mut op.kind) {
        f.body = Block { ops, yields };
    }
    dependent(kernel, path);
    Ok(local)
}

/// The subscripts in the array of an element of the box.
fn outside(build: &mut Build, sides: &[Side], inside: &[ValueId]) -> Vec<ValueId> {
    let each = sides.iter().zip(inside);
    each.map(|(side, &inside)| {
        let first = sum(build, &side.first);
        match side.extent {
            1 => first,
            _ => build.binary(BinaryOp::Add, first, inside),
        }
    })
    .collect()
}

/// The body of the loop at a path, which lacks it then.
pub fn take_body(kernel: &mut Kernel, path: &[(usize, usize)]) -> Block {
    match kernel.body.op_at_mut(path).map(|op| &mut op.kind) {
        Some(OpKind::For(f)) => std::mem::take(&mut f.body),
        _ => Block::default(),
    }
}

/// Has the loops down to a path keep their order: their iterations share an array, so that they are not independent any more.
pub fn dependent(kernel: &mut Kernel, path: &[(usize, usize)]) {
    for length in 1..=path.len() {
        if let Some(OpKind::For(f)) = kernel
            .body
            .op_at_mut(&path[..length])
            .map(|op| &mut op.kind)
        {
            f.parallel = false;
        }
    }
}
