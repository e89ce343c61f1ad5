//! What the compiler directs by itself: of which loops two iterations run side by side.
//!
//! A memory has two ports and most loops use one of them for a load: twice as many iterations then fit into a cycle. Which
//! loop of a nest is the one whose iterations read different elements and write different sums, a forecast says: each is
//! tried, the kernel scheduled, and the best one kept if it is worth its operators.

use crate::diagnostics::SourceMap;
use crate::ir::analysis::trip::Trip;
use crate::ir::analysis::{Values, abreast};
use crate::ir::{Block, For, Kernel, Op, OpKind, Path, Tags, Unroll};
use num_traits::ToPrimitive;

/// How much the compiler does for speed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Loops stay as they are.
    #[default]
    One,
    /// Two iterations side by side where that about halves the cycles of a nest.
    Two,
}

/// What a kernel will take.
#[derive(Clone, Copy, Debug)]
pub struct Forecast {
    /// Cycles of an invocation.
    pub cycles: u64,
    /// LUT4 of its operations.
    pub luts: f64,
}

/// Iterations side by side.
const ABREAST: u32 = 2;

/// Operations that may be scheduled for forecasts, all tries together.
const EFFORT: usize = 40_000;

/// A nest has to gain one part in so many of the kernel's cycles.
const LEAST_GAIN: u64 = 20;

/// Operators of the kernel may become so many times what they are as it stands, and a few.
const MOST_GROWTH: (f64, f64) = (2.2, 500.0);

/// Tags the loops of a kernel, its calls inlined, that are worth it; what was decided, in words.
pub fn direct(
    kernel: &mut Kernel,
    sources: &SourceMap,
    forecast: &dyn Fn(&Kernel) -> Option<Forecast>,
) -> Vec<String> {
    let mut decisions = Vec::new();
    let mut nests = Vec::new();
    find_nests(&kernel.body, &mut Vec::new(), &mut nests);
    let mut left = EFFORT;
    let mut size = 0;
    kernel.body.for_each_op(&mut |_| size += 1);
    let mut spend = || {
        let rest = left.checked_sub(size);
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    let values = Values::of(kernel);
    let tries: Vec<Vec<Path>> = nests
        .iter()
        .map(|nest| candidates(kernel, &values, nest))
        .collect();
    if tries.iter().all(Vec::is_empty) || !spend() {
        return decisions;
    }
    let Some(start) = forecast(kernel) else {
        return decisions;
    };
    let (growth, few) = MOST_GROWTH;
    let most_luts = growth * start.luts + few;
    let mut now = start;
    for paths in tries {
        let mut best: Option<(Forecast, Path)> = None;
        for path in paths {
            if !spend() {
                break;
            }
            tag(&mut kernel.body, &path, Some(Unroll::Abreast(ABREAST)));
            let found = forecast(kernel);
            tag(&mut kernel.body, &path, None);
            let least = best.as_ref().map_or(now.cycles, |(best, _)| best.cycles);
            if let Some(found) = found.filter(|f| f.luts <= most_luts && f.cycles < least) {
                best = Some((found, path));
            }
        }
        let worth = |best: &Forecast| now.cycles - best.cycles >= now.cycles.div_ceil(LEAST_GAIN);
        if let Some((found, path)) = best.filter(|(best, _)| worth(best)) {
            tag(&mut kernel.body, &path, Some(Unroll::Abreast(ABREAST)));
            decisions.extend(decision(&kernel.body, &path, sources, [found, now]));
            now = found;
        }
    }
    decisions
}

/// Loops that no other counted loop is around.
fn find_nests(block: &Block, path: &mut Path, nests: &mut Vec<Path>) {
    for (at, op) in block.ops.iter().enumerate() {
        if matches!(op.kind, OpKind::For(_)) {
            nests.push([&path[..], &[(at, 0)]].concat());
            continue;
        }
        for (number, inner) in op.kind.blocks().into_iter().enumerate() {
            path.push((at, number));
            find_nests(inner, path, nests);
            path.pop();
        }
    }
}

/// The loops of a nest of which two iterations may run side by side, innermost first; none where the user directs one.
fn candidates(kernel: &Kernel, values: &Values, nest: &Path) -> Vec<Path> {
    let mut found = Vec::new();
    let mut is_directed = false;
    let mut open = vec![nest.clone()];
    while let Some(path) = open.pop() {
        let Some(f) = for_at(&kernel.body, &path) else {
            continue;
        };
        is_directed |= f.tags != Tags::default();
        if is_candidate(values, f) {
            found.push(path.clone());
        }
        for (at, op) in f.body.ops.iter().enumerate() {
            if matches!(op.kind, OpKind::For(_)) {
                open.push([&path[..], &[(at, 0)]].concat());
            }
        }
    }
    found.reverse();
    match is_directed {
        true => Vec::new(),
        false => found,
    }
}

fn is_candidate(values: &Values, f: &For) -> bool {
    let trip = Trip::of(f, |value| values.constant(value).cloned());
    let count = trip.and_then(|trip| trip.count.to_u64()).unwrap_or(0);
    count >= u64::from(ABREAST) && abreast::may_run(values, f, ABREAST.into()).is_ok()
}

fn for_at<'k>(body: &'k Block, path: &Path) -> Option<&'k For> {
    match &body.op_at(path)?.kind {
        OpKind::For(f) => Some(f),
        _ => None,
    }
}

/// Directs the loop at a path.
fn tag(body: &mut Block, path: &Path, unroll: Option<Unroll>) {
    if let Some(Op {
        kind: OpKind::For(f),
        ..
    }) = body.op_at_mut(path)
    {
        f.tags.unroll = unroll;
    }
}

/// A decision, in words.
fn decision(
    body: &Block,
    path: &Path,
    sources: &SourceMap,
    [now, before]: [Forecast; 2],
) -> Option<String> {
    let line = sources.line_of(body.op_at(path)?.span);
    let label = &for_at(body, path)?.label;
    Some(format!(
        "-O2: loop '{label}' (line {line}) runs {ABREAST} iterations side by side: {} cycles instead of {}, about",
        now.cycles, before.cycles
    ))
}
