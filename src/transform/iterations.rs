//! How many iterations a loop has of which the bounds are known only when it begins.

use crate::ir::analysis::ranges::Range;
use crate::ir::*;
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// First and last bound, upwards.
fn bounds(f: &For) -> [ValueId; 2] {
    match f.descending {
        false => [f.lo, f.hi],
        true => [f.hi, f.lo],
    }
}

/// The step of a loop of which the iterations can be counted; `range`: what is known of the bounds. Errors: what is not known.
pub fn step(
    f: &For,
    step: Option<BigInt>,
    range: impl Fn(ValueId) -> Option<Range>,
) -> Result<BigInt, &'static str> {
    let step = step.filter(|step| !step.is_zero());
    let step = step.ok_or("its step is not known")?;
    let [first, end] = bounds(f);
    // The distance, rounded up to whole steps, is an index.
    let farthest = || {
        let distance = range(end)?.1.checked_sub(range(first)?.0)?;
        let more = step.abs().to_i64()? - 1;
        i64::try_from(distance).ok()?.checked_add(more)
    };
    match farthest() {
        Some(_) => Ok(step),
        None => Err("its bounds may be too far apart for a 64-bit index"),
    }
}

/// Computes how many there are, given the step.
pub fn count(build: &mut Build, f: &For, step: &BigInt) -> ValueId {
    let zero = build.index(0);
    // Without a counter that goes down, such a loop does nothing.
    if !f.descending && step.is_negative() {
        return zero;
    }
    let [first, end] = bounds(f);
    let mut count = build.binary(BinaryOp::Sub, end, first);
    if !step.abs().is_one() {
        let up = build.index(step.abs() - 1);
        let distance = build.binary(BinaryOp::Add, count, up);
        let by = build.index(step.abs());
        count = build.binary(BinaryOp::FloorDiv, distance, by);
    }
    let runs = build.compare(CompareOp::Lt, first, end);
    build.select(runs, count, zero)
}
