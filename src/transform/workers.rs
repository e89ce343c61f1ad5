//! A nest divided among the workers of a grid: each has a contiguous block of the iterations of the outermost loops.

use super::band::{Band, Refusal};
use crate::ir::analysis::Values;
use crate::ir::analysis::directions::{MOST_LOOPS, Nest};
use crate::ir::analysis::trip::Trip;
use crate::ir::{Kernel, Op, OpKind};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

/// Workers of a grid, at most.
const MOST: u64 = 1024;

/// Makes sure that a kernel is one nest, of which the outermost loops can be divided among so many workers each.
///
/// Errors: it is more; a bound is not constant; something is carried from an iteration to the next, or one touches what another
/// one writes.
pub fn check(kernel: &Kernel, mapping: &[u64]) -> Result<(), Refusal> {
    let workers = mapping
        .iter()
        .try_fold(1u64, |all, one| all.checked_mul(*one));
    if mapping.is_empty() || workers.is_none_or(|workers| workers == 0 || workers > MOST) {
        return Err((None, format!("a grid has 1 to {MOST} workers")));
    }
    if mapping.len() > MOST_LOOPS {
        let why = format!("at most {MOST_LOOPS} loops can be divided");
        return Err((None, why));
    }
    let band = band(kernel, mapping.len())?;
    let values = Values::of(kernel);
    blocks(&band, &values, mapping, &vec![0; mapping.len()])?;
    if !band.carried.is_empty() {
        let why = "a scalar is carried from one iteration to the next";
        return Err((Some(band.span), why.into()));
    }
    let mut inside = band.body.defined();
    inside.extend(band.values.iter().flat_map(|op| &op.results));
    let loops = band.loops.iter().map(|one| &one.f).collect();
    let nest = Nest::of(&values, loops, inside);
    nest.is_independent(&band.body).map_err(|span| {
        let why = "an element that this accesses may be written by another iteration";
        (Some(span), why.into())
    })
}

/// What one of the workers does; `None`: nothing is left for it.
///
/// Errors: those of [`check`], but for what is accessed.
pub fn worker(kernel: &Kernel, mapping: &[u64], ids: &[u64]) -> Result<Option<Kernel>, Refusal> {
    let mut band = band(kernel, mapping.len())?;
    let values = Values::of(kernel);
    let Some(bounds) = blocks(&band, &values, mapping, ids)? else {
        return Ok(None);
    };
    let mut kernel = Kernel {
        mapping: Vec::new(),
        ..kernel.clone()
    };
    kernel.body.ops.retain(|op| !is_nest(op));
    let mut ops = std::mem::take(&mut kernel.body.ops);
    for (level, (lo, hi)) in band.loops.iter_mut().zip(bounds) {
        let mut build = kernel.build(&mut ops, level.span);
        level.f.lo = build.index(lo);
        level.f.hi = build.index(hi);
    }
    band.put(&mut kernel, &mut ops);
    kernel.body.ops = ops;
    Ok(Some(kernel))
}

fn is_nest(op: &Op) -> bool {
    !matches!(op.kind, OpKind::Const(_))
}

/// The nest that a kernel is.
fn band(kernel: &Kernel, depth: usize) -> Result<Band, Refusal> {
    let mut ops = kernel.body.ops.iter().filter(|op| is_nest(op));
    match (ops.next(), ops.next()) {
        (Some(op), None) => Band::take(op.clone(), depth),
        (_, beside) => {
            let why = format!("'{}' is more than one nest", kernel.name);
            Err((beside.map(|op| op.span), why))
        }
    }
}

/// First and last bound of each of a worker's loops.
type Bounds = Vec<(BigInt, BigInt)>;

/// The iterations of a worker: of n that p workers share, each has the next ceil(n / p).
fn blocks(
    band: &Band,
    values: &Values,
    mapping: &[u64],
    ids: &[u64],
) -> Result<Option<Bounds>, Refusal> {
    let mut bounds = Vec::new();
    for ((level, &workers), &id) in band.loops.iter().zip(mapping).zip(ids) {
        let trip = Trip::of(&level.f, |value| values.constant(value).cloned());
        let trip = trip.and_then(|trip| Some((trip.count.to_u64()?, trip)));
        let Some((count, trip)) = trip else {
            let why = format!("the trip count of '{}' is not constant", level.f.label);
            return Err((Some(level.span), why));
        };
        let share = count.div_ceil(workers);
        let first = share.saturating_mul(id).min(count);
        let last = first.saturating_add(share).min(count);
        if first == last {
            return Ok(None);
        }
        let counter = |iteration: u64| &trip.lo + &trip.step * BigInt::from(iteration);
        // As close as can be: the counter's range is what tells which banks a worker needs.
        bounds.push((counter(first), counter(last - 1) + trip.step.signum()));
    }
    Ok(Some(bounds))
}
