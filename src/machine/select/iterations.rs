//! How many iterations loops have, or are to be counted on where the data decide.

use super::Lowering;
use crate::ir::analysis::touch::element;
use crate::ir::analysis::trip::Trip;
use crate::ir::{Block, For, ValueId, While};
use crate::machine::program::SOME_ITERATIONS;
use num_traits::ToPrimitive;

/// Iterations that say something of a loop: bounds may lie as far apart as their types allow.
const MANY_ITERATIONS: i128 = 1 << 16;

/// Iterations of a loop with constant bounds.
pub fn constant(lowering: &Lowering, f: &For) -> Option<Trip> {
    Trip::of(f, |v| lowering.constant_of(v))
}

/// Iterations to count on of a counted loop: those of constant bounds, half of the most that the ranges of others allow, or what the arrays
/// allow that it walks.
pub fn likely(lowering: &Lowering, f: &For) -> u64 {
    let known = || constant(lowering, f)?.count.to_u64();
    let walked = || walk(lowering, &[(f.iv, f.lo)], &[&f.body]);
    known()
        .or_else(|| middle(lowering, f))
        .unwrap_or_else(walked)
}

/// Iterations to count on of a `while`.
pub fn likely_turns(lowering: &Lowering, w: &While) -> u64 {
    let carried = w.carried.iter().zip(&w.inits).zip(&w.body.yields);
    let moving = carried.filter(|((carried, _), next)| carried != next);
    let moving: Vec<_> = moving
        .map(|((&carried, &init), _)| (carried, init))
        .collect();
    walk(lowering, &moving, &[&w.cond, &w.body])
}

/// Half of the most that the ranges of the bounds allow.
fn middle(lowering: &Lowering, f: &For) -> Option<u64> {
    let values = &lowering.values;
    let step = lowering.constant_of(f.step)?.to_i128()?;
    let step = Some(step).filter(|step| *step != 0)?;
    let distance = values.affine(f.hi).plus(&values.affine(f.lo), -1)?;
    let (a, b) = values.range_of(&distance)?;
    let (least, most) = if step > 0 {
        (a, b)
    } else {
        (b.saturating_neg(), a.saturating_neg())
    };
    let trips = |distance: i128| distance.max(0).saturating_add(step.abs() - 1) / step.abs();
    let (least, most) = (trips(least), trips(most));
    (most <= MANY_ITERATIONS).then_some(((least + most + 1) / 2).max(1) as u64)
}

/// Iterations of a loop of which no bound is known: [`SOME_ITERATIONS`], or fewer where a value that changes in it, of `moving`
/// (with its first value), is part of a subscript.
///
/// From a constant on it comes half as far as the array reaches. From elsewhere, it goes on where the last run of the loop
/// ended, as rows of a compressed matrix do: all runs together walk the array once for each run of the loop around.
fn walk(lowering: &Lowering, moving: &[(ValueId, ValueId)], blocks: &[&Block]) -> u64 {
    let mut likely = SOME_ITERATIONS;
    for block in blocks {
        block.for_each_op(&mut |op| {
            let Some(at) = element(&op.kind) else { return };
            let shape = &lowering.kernel.arrays[at.array].shape;
            for (&index, &extent) in at.indices.iter().zip(shape) {
                for (value, by) in lowering.values.affine(index).terms {
                    let Some((_, first)) = moving.iter().find(|(moving, _)| *moving == value)
                    else {
                        continue;
                    };
                    let runs = match lowering.constant_of(*first) {
                        Some(_) => 2,
                        None => lowering.around.max(2),
                    };
                    let steps = u128::from(extent).div_ceil(by.unsigned_abs());
                    likely = likely.min(steps.div_ceil(runs.into()).max(1) as u64);
                }
            }
        });
    }
    likely
}
