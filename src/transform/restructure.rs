//! Loops in another structure, as directives ask: cut in two, in another order, several as one, in tiles. What is
//! computed stays the same. After an error the kernel lacks what was to be changed: it is of no use.

use super::band::{Band, Level, Refusal};
use super::iterations;
use crate::ir::analysis::Values;
use crate::ir::analysis::directions::{MOST_LOOPS, Nest};
use crate::ir::analysis::reduction::{Order, reductions};
use crate::ir::analysis::trip::Trip;
use crate::ir::*;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::Zero;

/// Cuts a loop in two, of which the inner one has `factor` iterations; what is left over is guarded (strip mining).
/// Gives the new place of the outer one.
///
/// Errors: other directives for the loop; bounds that cannot be counted.
pub fn split(kernel: &mut Kernel, path: &[(usize, usize)], factor: u64) -> Result<Path, Refusal> {
    if factor == 0 || u32::try_from(factor).is_err() {
        return Err((None, format!("a factor is between 1 and {}", u32::MAX)));
    }
    change(kernel, path, 1, |kernel, values, band| {
        let Level { f, span } = band.loops.remove(0);
        let count = count(kernel, values, band, &f)?;
        let known = trip(values, &f).map(|trip| trip.count);
        let is_whole = known
            .as_ref()
            .is_some_and(|known| (known % factor).is_zero());
        let mut build = kernel.build(&mut band.before, band.span);
        let inner = build.index(factor);
        let outer = match known {
            Some(known) => build.index(known.div_ceil(&factor.into())),
            None => {
                let up = build.index(factor - 1);
                let outer = build.binary(BinaryOp::Add, count, up);
                build.binary(BinaryOp::FloorDiv, outer, inner)
            }
        };
        let outer = counter(&mut build, &f, outer, format!("{}.outer", f.label));
        let inner = counter(&mut build, &f, inner, format!("{}.inner", f.label));
        let mut values = Vec::new();
        let mut build = kernel.build(&mut values, band.span);
        let done = build.binary(BinaryOp::Mul, outer.iv, inner.hi);
        let number = build.binary(BinaryOp::Add, done, inner.iv);
        if !is_whole {
            let guard = build.compare(CompareOp::Lt, number, count);
            band.guards.push(guard);
        }
        nth(&mut build, &f, number);
        band.begin_with(values);
        band.loops = [outer, inner].map(|f| Level { f, span }).to_vec();
        Ok(())
    })
}

/// Puts loops of a perfect nest in the order in which they are named, outermost first; those between them that are not
/// named stay where they are.
///
/// Errors: no such nest; a dependence that would turn round, of `sums` in another order as far as that is allowed.
pub fn reorder(kernel: &mut Kernel, paths: &[Path], sums: Order) -> Result<Path, Refusal> {
    let chain = Chain::of(kernel, paths)?;
    let mut places = chain.levels.clone();
    places.sort_unstable();
    let mut order: Vec<usize> = (0..chain.depth).collect();
    for (&place, &level) in places.iter().zip(&chain.levels) {
        order[place] = level;
    }
    change(
        kernel,
        &chain.outermost,
        chain.depth,
        |kernel, values, band| permute(kernel, values, band, &order, sums),
    )
}

/// Makes one loop of neighbours in a perfect nest (loop coalescing: Polychronopoulos, ICPP 1987).
///
/// Errors: no such nest; other directives for the loops; inner loops of which the iterations cannot be counted
/// beforehand.
pub fn coalesce(kernel: &mut Kernel, paths: &[Path]) -> Result<Path, Refusal> {
    let chain = Chain::of(kernel, paths)?;
    chain.check_neighbours()?;
    change(kernel, &chain.outermost, chain.depth, coalesced)
}

fn coalesced(kernel: &mut Kernel, values: &Values, band: &mut Band) -> Result<(), Refusal> {
    let loops = std::mem::take(&mut band.loops);
    let Some((first, inner)) = loops.split_first() else {
        return Ok(());
    };
    let labels: Vec<&str> = loops.iter().map(|one| one.f.label.as_str()).collect();
    let label = labels.join("_");
    let outermost = count(kernel, values, band, &first.f)?;
    let mut trips = Vec::new();
    for Level { f, .. } in inner {
        check_tags(f)?;
        let trip = trip(values, f).filter(|trip| !trip.count.is_zero());
        let trip = trip.ok_or_else(|| {
            let label = &f.label;
            (
                None,
                format!("the iterations of '{label}' have to be known, and one at least"),
            )
        })?;
        trips.push(trip.count);
    }
    let inside: BigInt = trips.iter().product();
    let mut build = kernel.build(&mut band.before, band.span);
    let total = match trip(values, &first.f) {
        Some(trip) => {
            let total = trip.count * inside;
            if total > i64::MAX.into() {
                return Err((None, format!("{total} iterations cannot be counted")));
            }
            build.index(total)
        }
        None => {
            let inside = build.index(inside);
            build.binary(BinaryOp::Mul, outermost, inside)
        }
    };
    let trips: Vec<ValueId> = trips.into_iter().map(|trip| build.index(trip)).collect();
    let f = counter(&mut build, &first.f, total, label);
    // The counter taken apart, the innermost loop first.
    let mut values = Vec::new();
    let mut build = kernel.build(&mut values, band.span);
    let mut number = f.iv;
    for (Level { f, .. }, &trip) in inner.iter().zip(&trips).rev() {
        let own = build.binary(BinaryOp::Mod, number, trip);
        number = build.binary(BinaryOp::FloorDiv, number, trip);
        nth(&mut build, f, own);
    }
    nth(&mut build, &first.f, number);
    band.begin_with(values);
    let span = first.span;
    band.loops = vec![Level { f, span }];
    Ok(())
}

/// Cuts neighbours of a perfect nest, outermost first, each by its factor, and puts all inner parts inside (Wolfe, More
/// Iteration Space Tiling, SC 1989). A single loop is cut.
///
/// Errors: those of [`split`] and [`reorder`].
pub fn tile(
    kernel: &mut Kernel,
    paths: &[Path],
    factors: &[u64],
    sums: Order,
) -> Result<Path, Refusal> {
    if let ([path], [factor]) = (paths, factors) {
        return split(kernel, path, *factor);
    }
    let chain = Chain::of(kernel, paths)?;
    chain.check_neighbours()?;
    if !chain.levels.is_sorted() {
        return Err((None, "the outermost loop comes first".into()));
    }
    let mut outermost = chain.outermost;
    // From the inside outwards: the loops around stay where they are.
    for (level, &factor) in factors.iter().enumerate().rev() {
        let loops = loops_below(kernel, &outermost);
        let path = loops.get(level).ok_or_else(not_perfect)?;
        let moved = split(kernel, path, factor)?;
        if level == 0 {
            outermost = moved;
        }
    }
    let loops = loops_below(kernel, &outermost);
    let parts = loops.get(..2 * factors.len()).ok_or_else(not_perfect)?;
    let part = |which: usize| parts.iter().skip(which).step_by(2);
    let order: Vec<Path> = part(0).chain(part(1)).cloned().collect();
    reorder(kernel, &order, sums)
}

/// The loops of the deepest perfect nest at a path, outermost first; `None` where there are less than two, or too many.
pub fn perfect(kernel: &Kernel, path: &[(usize, usize)]) -> Option<Vec<Path>> {
    let mut loops = loops_below(kernel, path);
    loops.truncate(MOST_LOOPS);
    while loops.len() > 1 {
        let op = kernel.body.op_at(path)?.clone();
        if Band::take(op, loops.len()).is_ok() {
            return Some(loops);
        }
        loops.pop();
    }
    None
}

/// Takes the values between the loops of the perfect nests of a kernel out of them, or into the innermost loop: what
/// changes the order of one then moves nothing else.
pub fn settle(kernel: &mut Kernel) {
    let depths = 0..kernel.body.ops.len();
    let depths: Vec<usize> = depths
        .map(|at| perfect(kernel, &[(at, 0)]).map_or(0, |loops| loops.len()))
        .collect();
    let mut settled = Vec::new();
    for (op, depth) in std::mem::take(&mut kernel.body.ops).into_iter().zip(depths) {
        let band = (depth > 0).then(|| Band::take(op.clone(), depth));
        match band {
            Some(Ok(band)) => band.put(kernel, &mut settled),
            _ => settled.push(op),
        }
    }
    kernel.body.ops = settled;
}

/// Loops of one nest.
struct Chain {
    outermost: Path,
    /// Of each loop: how many are around it, counted from the outermost one of them.
    levels: Vec<usize>,
    /// Loops from the outermost to the innermost one.
    depth: usize,
}

impl Chain {
    fn of(kernel: &Kernel, paths: &[Path]) -> Result<Chain, Refusal> {
        let mut sorted: Vec<&Path> = paths.iter().collect();
        sorted.sort_by_key(|path| path.len());
        sorted.dedup();
        let (Some(&outermost), Some(&innermost)) = (sorted.first(), sorted.last()) else {
            return Err((None, "loops are needed".into()));
        };
        if sorted.len() < 2 || sorted.len() < paths.len() {
            return Err((None, "two different loops are needed at least".into()));
        }
        if !sorted.iter().all(|path| innermost.starts_with(path)) {
            return Err((None, "these loops are not inside of one another".into()));
        }
        let around = |path: &Path| {
            let lengths = outermost.len()..path.len();
            let ops = lengths.filter_map(|length| kernel.body.op_at(&path[..length]));
            ops.filter(|op| matches!(op.kind, OpKind::For(_))).count()
        };
        let depth = around(innermost) + 1;
        match depth > MOST_LOOPS {
            true => Err((None, format!("at most {MOST_LOOPS} loops can be compared"))),
            false => Ok(Chain {
                outermost: outermost.clone(),
                levels: paths.iter().map(around).collect(),
                depth,
            }),
        }
    }

    fn check_neighbours(&self) -> Result<(), Refusal> {
        match self.depth == self.levels.len() {
            true => Ok(()),
            false => Err((None, "there is another loop between these".into())),
        }
    }
}

fn not_perfect() -> Refusal {
    (None, "the nest is not perfect".into())
}

/// The loop at a path, and those of the perfect nest inside.
pub fn loops_below(kernel: &Kernel, path: &[(usize, usize)]) -> Vec<Path> {
    let mut loops = Vec::new();
    let mut path = path.to_vec();
    while let Some(op) = kernel.body.op_at(&path) {
        if matches!(op.kind, OpKind::For(_)) {
            loops.push(path.clone());
        }
        match op.kind.blocks().first().map(|block| block.ops.len()) {
            Some(length) if length > 0 => path.push((length - 1, 0)),
            _ => break,
        }
    }
    loops
}

/// Puts what `change` makes of a nest of `depth` loops in its place; where the outermost one is then.
pub fn change(
    kernel: &mut Kernel,
    path: &[(usize, usize)],
    depth: usize,
    change: impl FnOnce(&mut Kernel, &Values, &mut Band) -> Result<(), Refusal>,
) -> Result<Path, Refusal> {
    let values = Values::of(kernel);
    let nowhere = || (None, "no loop is there".to_string());
    let (&(at, _), around) = path.split_last().ok_or_else(nowhere)?;
    let block = kernel.body.block_at_mut(around).ok_or_else(nowhere)?;
    if at >= block.ops.len() {
        return Err(nowhere());
    }
    let mut band = Band::take(block.ops.remove(at), depth)?;
    change(kernel, &values, &mut band)?;
    let mut ops = Vec::new();
    band.put(kernel, &mut ops);
    let last = at + ops.len() - 1;
    let block = kernel.body.block_at_mut(around).ok_or_else(nowhere)?;
    block.ops.splice(at..at, ops);
    Ok([around, &[(last, 0)]].concat())
}

fn permute(
    kernel: &Kernel,
    values: &Values,
    band: &mut Band,
    order: &[usize],
    sums: Order,
) -> Result<(), Refusal> {
    if band.body.any_op(&|op| op.kind.is_transfer()) {
        let why = "elements of streams would be got or put in another order";
        return Err((Some(band.span), why.into()));
    }
    let reduced = reductions(kernel, values, &mut band.body, &band.carried, sums);
    if !reduced.all_carried {
        let why = "the result of a sum or of what else it carries would change";
        return Err((Some(band.span), why.into()));
    }
    let mut inside = band.body.defined();
    inside.extend(&band.carried);
    inside.extend(band.values.iter().flat_map(|op| &op.results));
    let nest = Nest::of(
        values,
        band.loops.iter().map(|one| &one.f).collect(),
        inside,
    );
    nest.may_permute(&band.body, order, &reduced.arrays)
        .map_err(|at| {
            let why = "an iteration would come before one that it depends on, here";
            (Some(at), why.to_string())
        })?;
    band.loops = order
        .iter()
        .map(|&level| band.loops[level].clone())
        .collect();
    Ok(())
}

pub(super) fn trip(values: &Values, f: &For) -> Option<Trip> {
    Trip::of(f, |value| values.constant(value).cloned())
}

/// Makes sure that nothing else is directed for a loop that is taken apart.
pub fn check_tags(f: &For) -> Result<(), Refusal> {
    match f.tags.is_free() {
        true => Ok(()),
        false => {
            let why = format!("an earlier directive says something of loop '{}'", f.label);
            Err((None, why))
        }
    }
}

/// How many iterations a loop has, computed before the nest.
fn count(
    kernel: &mut Kernel,
    values: &Values,
    band: &mut Band,
    f: &For,
) -> Result<ValueId, Refusal> {
    check_tags(f)?;
    if let Some(trip) = trip(values, f) {
        let mut build = kernel.build(&mut band.before, band.span);
        return Ok(build.index(trip.count));
    }
    let step = values.constant(f.step).cloned();
    let step = iterations::step(f, step, |value| values.range(value));
    let step = step.map_err(|why| (None, why.to_string()))?;
    let mut build = kernel.build(&mut band.before, band.span);
    Ok(iterations::count(&mut build, f, &step))
}

/// A loop that counts so far from 0, for a part of another one.
fn counter(build: &mut Build, part_of: &For, count: ValueId, label: String) -> For {
    let iv = build.kernel.like(part_of.iv);
    let bounds = [build.index(BigInt::zero()), count, build.index(1)];
    For {
        parallel: part_of.parallel,
        ..For::counted(iv, bounds, &label, vec![])
    }
}

/// Defines the induction variable of iteration `number`, counted from 0, of a loop.
fn nth(build: &mut Build, f: &For, number: ValueId) {
    let far = build.binary(BinaryOp::Mul, f.step, number);
    let (op, lhs, rhs) = (BinaryOp::Add, f.lo, far);
    build.define(OpKind::Binary { op, lhs, rhs }, vec![f.iv]);
}
