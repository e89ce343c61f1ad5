//! Schedules of blocks and loops: for a loop, the least initiation interval for which there are times (iterative modulo
//! scheduling: Rau, Iterative modulo scheduling, International Journal of Parallel Programming 24(1), 1996).

use super::bound::Bound;
use super::problem::Problem;
use super::resource::Resource;
use super::solver::{Failure, Solution};
use super::{LeafSchedule, Times, Units};
use crate::codes;
use crate::diagnostics::Diagnostic;
use crate::hwarith::NodeId;
use crate::hwarith::graph::Op;
use crate::ir::Pipeline;
use crate::machine::program::{Leaf, Program};
use crate::memo::Memo;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// An interval that no iteration is as long as.
const SEQUENTIAL: u32 = 1 << 30;

/// Uses of each pool of ports.
type Counts = BTreeMap<usize, u32>;

fn counts(problem: &Problem) -> Counts {
    let mut counts = Counts::new();
    for used in problem.uses.iter().flatten() {
        *counts.entry(used.pool).or_default() += used.slots;
    }
    counts
}

/// Sets how many ports each memory has, given how many uses there are of them: never more than it may have.
fn set_ports(problem: &mut Problem, counts: &Counts, ports: impl Fn(u32) -> u32) {
    for (&pool, &uses) in counts {
        if let Some(most) = problem.most_ports(pool) {
            problem.pools.set_count(pool, ports(uses).clamp(1, most));
        }
    }
}

/// Schedules a leaf.
///
/// Errors: none but a bug of the scheduler.
pub fn schedule_leaf(
    program: &Program,
    leaf: &Leaf,
    problem: &mut Problem,
    units: &Units,
) -> Result<LeafSchedule, String> {
    match leaf.repeat {
        None => Ok(schedule_block(leaf, problem, units)),
        Some(_) => schedule_loop(program, leaf, problem, units),
    }
}

/// Schedules what is executed once.
fn schedule_block(leaf: &Leaf, problem: &mut Problem, units: &Units) -> LeafSchedule {
    // Nothing follows that a busy operator would hold up.
    for call in problem.calls_alone() {
        problem.choose(call, problem.smallest(call, u32::MAX, units), units);
    }
    solve_block(leaf, problem)
        .expect("straight-line code has a free port in some cycle and no recurrence")
}

fn solve_block(leaf: &Leaf, problem: &mut Problem) -> Option<LeafSchedule> {
    // Further ports are taken only where they shorten the block.
    let counts = counts(problem);
    let mut best: Option<LeafSchedule> = None;
    let most = counts.keys().filter_map(|pool| problem.most_ports(*pool));
    for ports in 1..=most.max().unwrap_or(1) {
        set_ports(problem, &counts, |_| ports);
        if let Ok(solution) = problem.solve(None) {
            let found = scheduled(leaf, problem, solution, None);
            if best.as_ref().is_none_or(|best| found.depth < best.depth) {
                best = Some(found);
            }
        }
        if counts.values().all(|&uses| uses <= ports) {
            break;
        }
    }
    best
}

/// A leaf with its times and what its nodes take.
fn scheduled(leaf: &Leaf, problem: &Problem, solution: Solution, ii: Option<u32>) -> LeafSchedule {
    let Solution { times, instances } = solution;
    // An iteration ends with the interval at the earliest.
    let depth = depth(leaf, &times).max(asked(leaf).unwrap_or(1));
    let instance = |node: NodeId| instances[node.index()];
    let accesses = leaf.accesses.iter();
    let mut shared = vec![None; instances.len()];
    for call in problem.calls() {
        shared[call.index()] = instance(call);
    }
    LeafSchedule {
        // Reads and writes of inner memories are numbered apart.
        ports: accesses
            .map(|access| instance(access.node).unwrap_or(0))
            .collect(),
        instances: shared,
        variants: problem.choices(),
        times,
        // An iteration that begins after the end of the one before it depends on nothing of it that is not there.
        ii: ii.map(|ii| ii.min(depth)),
        depth,
        release: depth - 1,
        bound_by: Bound::Nothing,
    }
}

/// Another schedule of a leaf whose calls choose other operators than they did in `before`; `None` if there is none with
/// that II.
pub fn reschedule(
    leaf: &Leaf,
    problem: &mut Problem,
    before: &LeafSchedule,
) -> Option<LeafSchedule> {
    let Some(ii) = before.ii else {
        return solve_block(leaf, problem);
    };
    let counts = counts(problem);
    let solution = solve_loop(problem, &counts, ii).ok()?;
    Some(LeafSchedule {
        bound_by: before.bound_by.clone(),
        ..scheduled(leaf, problem, solution, Some(ii))
    })
}

/// Times with an II: with as few ports as this II allows, else with all.
fn solve_loop(problem: &mut Problem, counts: &Counts, ii: u32) -> Result<Solution, Failure> {
    let solve = |problem: &Problem| Some(problem.try_to_solve(Some(ii)));
    solve_with_ports(problem, counts, ii, solve).unwrap_or(Err(Failure::Control))
}

/// The same, as `solve` does it; `None` where it does not.
fn solve_with_ports(
    problem: &mut Problem,
    counts: &Counts,
    ii: u32,
    mut solve: impl FnMut(&Problem) -> Option<Result<Solution, Failure>>,
) -> Option<Result<Solution, Failure>> {
    set_ports(problem, counts, |uses| uses.div_ceil(ii));
    let found = solve(problem)?;
    // More ports do not help a recurrence.
    if matches!(found, Ok(_) | Err(Failure::Recurrence(_))) {
        return Some(found);
    }
    set_ports(problem, counts, |uses| uses);
    solve(problem)
}

/// Nodes looked at that are few.
const FEW_VISITS: usize = 40_000;

/// The least II and the times with it, if there is one.
#[derive(Clone)]
struct Pipelined {
    found: Option<(u32, Solution)>,
    /// Why there is none with the last II that was tried in vain.
    failure: Option<Failure>,
}

/// What became of loops for which that took long, by what they are, and of which ports there are how many then.
static KNOWN: LazyLock<Memo<(Pipelined, Vec<u32>, u64)>> = LazyLock::new(Memo::default);

/// The least II from `least` to `most`; what looks at more than so many nodes takes long. Kernels that are variants of one another have
/// loops in common: what takes long is done once.
fn pipelined(
    problem: &mut Problem,
    counts: &Counts,
    (least, most): (u32, u32),
    visits: usize,
) -> Pipelined {
    let mut is_long = false;
    let soon = |problem: &Problem, ii| problem.solve_soon(Some(ii), visits);
    let range = Range {
        least,
        most,
        within: EXACT,
    };
    let found = pipelined_by(problem, counts, range, |problem, ii| {
        let found = (!is_long).then(|| soon(problem, ii)).flatten();
        is_long |= found.is_none();
        found
    });
    if !is_long {
        return found;
    }
    let name = format!("{} {least} {most}", problem.fingerprint());
    let kept = KNOWN.once(&name, || {
        let mut problem = problem.clone();
        problem.visits.set(0);
        let solve = |problem: &Problem, ii| Some(problem.solve(Some(ii)));
        let within = match problem.graph.nodes.len() < LARGE {
            true => EXACT,
            false => NEARLY,
        };
        let range = Range { within, ..range };
        let found = pipelined_by(&mut problem, counts, range, solve);
        (found, problem.pools.counts(), problem.visits.get())
    });
    let (found, ports, visits) = &*kept;
    // As if it were done again, so that it counts the same whoever did it.
    problem.visits.set(problem.visits.get() + visits);
    for (pool, &count) in problem.pools.ids().zip(ports) {
        problem.pools.set_count(pool, count);
    }
    found.clone()
}

/// The same, as `solve` solves a problem with an II; in vain where it does not.
fn pipelined_by(
    problem: &mut Problem,
    counts: &Counts,
    range: Range,
    mut solve: impl FnMut(&Problem, u32) -> Option<Result<Solution, Failure>>,
) -> Pipelined {
    let mut failure = None;
    let found = least_ii(range, |ii| {
        let found = solve_with_ports(problem, counts, ii, |problem| solve(problem, ii))?;
        found.map_err(|why| failure = Some(why)).ok()
    });
    Pipelined { found, failure }
}

/// What an II is at least, and why.
fn least_interval(program: &Program, leaf: &Leaf, problem: &Problem) -> (u32, Bound) {
    let mut bound = (1, Bound::Rate);
    for (pool, uses) in counts(problem) {
        let most = problem.most_ports(pool);
        let needed = uses.div_ceil(most.unwrap_or(problem.pools.count(pool)));
        if needed > bound.0 {
            bound = (needed, named(program, problem.pools.resource(pool)));
        }
    }
    for call in problem.calls() {
        let interval = problem.interval(call);
        if interval > bound.0 {
            bound = (interval, busy_operator(program, leaf, call));
        }
    }
    bound
}

/// What a loop is bound by that has too few of a resource.
fn named(program: &Program, resource: Resource) -> Bound {
    match resource {
        Resource::Ports(mem) | Resource::Reads(mem) | Resource::Writes(mem) => {
            Bound::Port(program.mems[mem].name.clone())
        }
        Resource::Unit(unit, _) => Bound::Operator(program.units[unit].name.clone()),
    }
}

/// Schedules what is repeated.
///
/// Errors: none but a bug of the scheduler, since one iteration after the other always works.
fn schedule_loop(
    program: &Program,
    leaf: &Leaf,
    problem: &mut Problem,
    units: &Units,
) -> Result<LeafSchedule, String> {
    let (least, mut reason) = least_interval(program, leaf, problem);
    let counts = counts(problem);
    let most = sequential_depth(program, leaf, problem, &counts)?;
    // One below the bound, so that its failure says what bounds the II.
    let least = least
        .max(problem.recurrence_bound().saturating_sub(1))
        .min(most);
    let (least, most) = match directed(leaf) {
        Some(Pipeline::Off) => (most, most),
        Some(Pipeline::Every(cycles)) => (least.max(cycles), most.max(cycles)),
        _ => (least, most),
    };
    if directed(leaf) == Some(Pipeline::Off) || asked(leaf) == Some(least) {
        reason = Bound::Directive;
    }
    let Pipelined { found, failure } = pipelined(problem, &counts, (least, most), FEW_VISITS);
    if let Some(failure) = failure {
        reason = describe(program, leaf, &failure);
    }
    let Some((ii, solution)) = found else {
        return Err(format!(
            "internal: no schedule for loop '{}' even with one iteration after the other",
            leaf.label
        ));
    };
    // Smaller operators may be done earlier.
    let solution = roll_operators(problem, solution, ii, units);
    Ok(LeafSchedule {
        bound_by: reason,
        ..scheduled(leaf, problem, solution, Some(ii))
    })
}

fn directed(leaf: &Leaf) -> Option<Pipeline> {
    leaf.repeat.as_ref()?.directed
}

/// The initiation interval that a directive asks for.
fn asked(leaf: &Leaf) -> Option<u32> {
    match directed(leaf)? {
        Pipeline::Every(cycles) => Some(cycles),
        _ => None,
    }
}

/// What to say of a loop whose initiation interval is longer than a directive asks for.
pub fn longer_than_asked(leaf: &Leaf, schedule: &LeafSchedule) -> Option<Diagnostic> {
    let (asked, ii) = (asked(leaf)?, schedule.ii?);
    if ii <= asked {
        return None;
    }
    let innermost = leaf.repeat.as_ref()?.dims.last()?;
    let label = &innermost.label;
    let message = format!(
        "--pipeline {label}={asked}: the least initiation interval is {ii}, bound by {}",
        schedule.bound_by
    );
    Some(Diagnostic::error(codes::INTERVAL, innermost.span, message).as_warning())
}

/// Cycles of an iteration that overlaps with no other.
fn sequential_depth(
    program: &Program,
    leaf: &Leaf,
    problem: &mut Problem,
    counts: &Counts,
) -> Result<u32, String> {
    set_ports(problem, counts, |uses| uses);
    let solution = problem.solve(Some(SEQUENTIAL));
    let solution = solution.map_err(|failure| describe(program, leaf, &failure).to_string())?;
    Ok(depth(leaf, &solution.times))
}

/// Intervals among which the least one is looked for.
#[derive(Clone, Copy)]
struct Range {
    least: u32,
    most: u32,
    /// Of what is found, one part in so many may be too much; 0: nothing.
    within: u32,
}

const EXACT: u32 = 0;

/// Operations of a loop of which the interval need not be the least, if that takes long.
const LARGE: usize = 500;

/// For such loops: an interval that is a little too long then is found in half as many attempts.
const NEARLY: u32 = 64;

/// The first II of a range that an attempt succeeds with, and what it gives. Beyond the first few the interval in
/// which it lies is doubled and then halved, since each attempt takes as long as the iteration.
fn least_ii<T>(range: Range, mut attempt: impl FnMut(u32) -> Option<T>) -> Option<(u32, T)> {
    const ONE_BY_ONE: u32 = 8;
    let Range {
        least,
        most,
        within,
    } = range;
    let few = if within == EXACT { ONE_BY_ONE } else { 2 };
    for ii in least..(least + few).min(most + 1) {
        if let Some(found) = attempt(ii) {
            return Some((ii, found));
        }
    }
    let mut below = least + few - 1;
    let mut step = few;
    let mut best = loop {
        if below >= most {
            return None;
        }
        let ii = (below + step).min(most);
        step *= 2;
        match attempt(ii) {
            Some(found) => break (ii, found),
            None => below = ii,
        }
    };
    let near = |ii: u32| ii.checked_div(within).unwrap_or(0).max(1);
    while best.0 - below > near(best.0) {
        let ii = below + (best.0 - below) / 2;
        match attempt(ii) {
            Some(found) => best = (ii, found),
            None => below = ii,
        }
    }
    Some(best)
}

/// Takes smaller implementations of operators where the loop with this II does not need the fastest.
fn roll_operators(
    problem: &mut Problem,
    mut solution: Solution,
    ii: u32,
    units: &Units,
) -> Solution {
    let calls: Vec<(NodeId, u32)> = problem
        .calls_alone()
        .into_iter()
        .map(|call| (call, problem.smallest(call, ii, units)))
        .filter(|&(call, smallest)| smallest != problem.choice(call))
        .collect();
    // All at once, then, if some of them lie on a recurrence, one after the other.
    let groups = std::iter::once(&calls[..]).chain(calls.chunks(1));
    for group in groups {
        let before = problem.choices();
        for &(call, smallest) in group {
            problem.choose(call, smallest, units);
        }
        if before == problem.choices() {
            continue;
        }
        match problem.solve(Some(ii)) {
            Ok(better) => solution = better,
            Err(_) => group
                .iter()
                .for_each(|&(call, _)| problem.choose(call, before[call.index()], units)),
        }
    }
    solution
}

fn busy_operator(program: &Program, leaf: &Leaf, call: NodeId) -> Bound {
    match leaf.graph.nodes[call].op {
        Op::Call(unit) => named(program, Resource::Unit(unit, 0)),
        _ => Bound::Operator(String::new()),
    }
}

fn describe(program: &Program, leaf: &Leaf, failure: &Failure) -> Bound {
    let name = |node: NodeId| {
        let node = &leaf.graph.nodes[node];
        match (&node.name, &node.op) {
            (_, Op::Load(m) | Op::Store(m)) => program.mems[*m].name.clone(),
            (Some(name), _) => name.clone(),
            _ => String::new(),
        }
    };
    match failure {
        Failure::Recurrence(node) | Failure::Unsettled(node) => Bound::Recurrence(name(*node)),
        Failure::Control => Bound::Control,
        Failure::Resource(node) => match leaf.graph.nodes[*node].op {
            Op::Call(_) => busy_operator(program, leaf, *node),
            _ => Bound::Port(name(*node)),
        },
    }
}

/// Number of cycles until everything has happened.
fn depth(leaf: &Leaf, times: &Times) -> u32 {
    let mut last = 0;
    for access in &leaf.accesses {
        if access.is_store {
            last = last.max(times.start[access.node.index()]);
        }
    }
    for &(_, node) in &leaf.writes {
        last = last.max(times.ready[node.index()]);
    }
    if let Some(repeat) = &leaf.repeat {
        last = last.max(times.ready[repeat.last.index()]);
        for phi in &repeat.phis {
            if times.width[phi.node.index()] > 0 {
                last = last.max(times.carried(&leaf.graph, phi.node));
            }
        }
    }
    last + 1
}

#[cfg(test)]
mod tests {
    use super::super::device::Device;
    use super::super::solver::tests::{SHAPE, complicate};
    use super::*;
    use crate::hwarith::testing::{Random, random_graph};

    #[test]
    fn what_takes_long_is_found_as_what_does_not_and_found_again() {
        let device = Device::load("ecp5").expect("device");
        let mut random = Random::new(5);
        let (mut long, mut soon) = (0, 0);
        for _ in 0..200 {
            let graph = random_graph(&mut random, &SHAPE);
            let width = graph.nodes.ids().map(|id| graph.width(id)).collect();
            let mut problem = Problem::new(&graph, width, &device, 4.0);
            complicate(&mut problem, &mut random);
            let counts = counts(&problem);
            let range = Range {
                least: 1,
                most: 40,
                within: EXACT,
            };
            let takes_long = (1..40).any(|ii| problem.solve_soon(Some(ii), 1).is_none());
            *if takes_long { &mut long } else { &mut soon } += 1;
            let solve = |problem: &Problem, ii| Some(problem.solve(Some(ii)));
            let mut thorough = problem.clone();
            thorough.visits.set(0);
            let wanted = pipelined_by(&mut thorough, &counts, range, solve);
            let mut visits = Vec::new();
            for _ in 0..2 {
                problem.visits.set(0);
                let found = pipelined(&mut problem, &counts, (1, 40), 1);
                visits.push(problem.visits.get());
                let [wanted, found] = [&wanted, &found].map(|one| {
                    let found = one.found.as_ref();
                    found.map(|(ii, found)| (*ii, found.times.start.clone(), &found.instances))
                });
                assert_eq!(found, wanted);
            }
            // Or the search would end elsewhere, by what else was built before.
            assert_eq!(visits[0], visits[1]);
            assert!(!takes_long || visits[0] >= thorough.visits.get());
        }
        assert!(long > 5 && soon > 50, "{long} take long, {soon} do not");
    }

    #[test]
    fn the_least_ii_is_found_in_few_attempts() {
        const MOST: u32 = 4096;
        for least in [1, 2, 250, MOST] {
            for first in [1, 2, 63, 64, 65, 66, 128, 129, 1000, 4095, MOST] {
                let mut attempts = 0;
                let range = Range {
                    least,
                    most: MOST,
                    within: EXACT,
                };
                let found = least_ii(range, |ii| {
                    attempts += 1;
                    (ii >= first).then_some(())
                });
                assert_eq!(found, Some((first.max(least), ())));
                assert!(
                    attempts < 34,
                    "{attempts} attempts for {first} from {least}"
                );
                let nearly = Range {
                    within: NEARLY,
                    ..range
                };
                attempts = 0;
                let found = least_ii(nearly, |ii| {
                    attempts += 1;
                    (ii >= first).then_some(())
                });
                let (found, ()) = found.expect("the longest one succeeds");
                let first = first.max(least);
                assert!(
                    (first..=first + first / 32).contains(&found),
                    "{found} for {first}"
                );
                assert!(
                    attempts < 21,
                    "{attempts} attempts for {first} from {least}"
                );
                assert_eq!(least_ii::<()>(range, |_| None), None);
            }
        }
    }
}
