//! Gives every operation a cycle: operation chaining under the clock, modulo scheduling of loops, ports.
//!
//! Times are found as the least solution of difference constraints (data, memory dependences with
//! iteration distances, carried values) in which an operation's delay never crosses a clock edge; a modulo
//! reservation table pushes memory accesses apart. The smallest initiation interval (II) for which a solution
//! exists is taken (Rau, Iterative Modulo Scheduling, 1996; Cong and Zhang, SDC scheduling, 2006).

pub mod check;
pub mod depend;
pub mod device;
mod luts;
mod solver;
mod units;

pub use solver::DISTRIBUTED_BITS;

use crate::arena::Table;
use crate::diagnostics::{Diagnostics, SourceMap};
use crate::hwarith::graph::{MemId, Op, UnitId};
use crate::hwarith::split::{LEAST_WORD, Limits};
use crate::hwarith::{Graph, NodeId};
use crate::ir::types::MAX_WIDTH;
use crate::machine::program::{Leaf, LeafId, Place, Program};
use device::{Class, Device};
use solver::{Failure, Problem};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A program with cycles.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Clock period in ns.
    pub period: f64,
    /// Of each operator module.
    pub units: Table<UnitId, UnitSchedule>,
    /// Of each leaf.
    pub leaves: Table<LeafId, LeafSchedule>,
}

/// Cycles of a graph's nodes.
#[derive(Clone, Debug, Default)]
pub struct Times {
    /// Cycle in which a node works; for a phi, in which its register is first read.
    pub start: Vec<u32>,
    /// Cycle in which its result is first there.
    pub ready: Vec<u32>,
    /// ns after the start of that cycle at which the result is stable.
    pub arrival: Vec<f64>,
    /// Demanded bits of each node; 0: dead.
    pub width: Vec<u32>,
    /// Whether a node has its value in every cycle of a run, without registers.
    pub stable: Vec<bool>,
}

/// Implementations of an operator, the fastest first; at least one.
#[derive(Clone, Debug)]
pub struct UnitSchedule {
    /// A call names one by its position.
    pub variants: Vec<Variant>,
}

/// An implementation of an operator.
#[derive(Clone, Debug)]
pub struct Variant {
    /// What it computes; of iterated steps, one application is the work between two states.
    pub graph: Graph,
    /// Cycles of its nodes.
    pub times: Times,
    /// Cycles of the nodes of each step that it iterates; an application ends with the cycle of the step's output.
    pub steps: Vec<Times>,
    /// Cycles from one start to the next.
    pub interval: u32,
    /// Cycles from operands to result.
    pub latency: u32,
    /// ns of logic between the operands and the first registers.
    pub input_delay: f64,
    /// ns of logic between the last registers and the result.
    pub output_delay: f64,
}

/// Of a leaf.
#[derive(Clone, Debug)]
pub struct LeafSchedule {
    /// Cycles of its nodes.
    pub times: Times,
    /// Cycles between iterations; `None` for a block.
    pub ii: Option<u32>,
    /// Cycles from the start of an iteration (or of the block) to its end.
    pub depth: u32,
    /// Variant of the operator that each node calls; 0 for other nodes.
    pub variants: Vec<u32>,
    /// Port of each access, by position in the leaf's list.
    pub ports: Vec<u32>,
    /// What keeps the II from being lower.
    pub bound_by: String,
}

/// Ports that one leaf may use of a memory in one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortLimit {
    /// Ports that read; shared with writes if `shared`.
    pub reads: u32,
    /// Ports that write.
    pub writes: u32,
    /// Reads and writes compete for the same ports.
    pub shared: bool,
}

/// An interval that no iteration is as long as.
const SEQUENTIAL: u32 = 1 << 30;

/// Time in ns that the operations of a cycle may take.
pub fn budget(device: &Device, period: f64) -> f64 {
    period * (1.0 - device.clock.margin) - device.clock.overhead
}

/// Bits up to which operations fit into a clock period in ns, and products into a multiplier block.
pub fn widest(device: &Device, period: f64) -> Limits {
    let budget = budget(device, period);
    let widest = |class| {
        let fits = |width: &u32| device.delay(class, *width) <= budget;
        (1..=2 * MAX_WIDTH).take_while(fits).last().unwrap_or(0)
    };
    let word = |class| widest(class).max(LEAST_WORD);
    Limits {
        product: device.dsp.width_a.min(device.dsp.width_b),
        shift: widest(Class::Shift),
        sum: word(Class::Add),
        order: word(Class::Compare),
        equality: word(Class::Equal),
        costs: Some(device.costs()),
    }
}

/// Schedules a program for a device and a clock period in ns. What is suspicious goes to `warnings`.
///
/// Errors: an operator without a schedule; all else has one.
pub fn schedule(
    program: &Program,
    device: &Device,
    period: f64,
    warnings: &mut Diagnostics,
) -> Result<Schedule, String> {
    let budget = budget(device, period);
    let mut schedule = Schedule {
        period,
        units: Table::new(),
        leaves: Table::new(),
    };
    for unit in program.units.values() {
        let unit = units::schedule(&unit.graph, device, budget, warnings)
            .ok_or_else(|| format!("operator '{}' without a schedule", unit.name))?;
        schedule.units.push(unit);
    }
    let demanded = program.demanded();
    for (leaf, widths) in program.leaves.values().zip(demanded.values()) {
        let leaf = schedule_leaf(
            program,
            leaf,
            widths.clone(),
            &schedule.units,
            device,
            budget,
        )?;
        schedule.leaves.push(leaf);
    }
    Ok(schedule)
}

fn schedule_leaf(
    program: &Program,
    leaf: &Leaf,
    widths: Vec<u32>,
    units: &Table<UnitId, UnitSchedule>,
    device: &Device,
    budget: f64,
) -> Result<LeafSchedule, String> {
    let mut problem = Problem::new(&leaf.graph, widths, device, budget);
    problem.add_leaf(leaf, device, program);
    problem.set_calls(units);
    match &leaf.repeat {
        None => Ok(schedule_block(program, leaf, &mut problem)),
        Some(_) => schedule_loop(program, leaf, &mut problem),
    }
}

fn schedule_block(program: &Program, leaf: &Leaf, problem: &mut Problem) -> LeafSchedule {
    problem.ii = None;
    // Nothing follows that a busy operator would hold up.
    for call in problem.calls() {
        problem.choose(call, problem.smallest(call, u32::MAX));
    }
    // The second port is taken only where it shortens the block.
    let mut best: Option<(Times, u32)> = None;
    for ports in [1, 2] {
        problem.limits = limits(program, leaf, |_| ports);
        if let Ok(times) = problem.solve() {
            let depth = depth(leaf, &times);
            if best.as_ref().is_none_or(|(_, d)| depth < *d) {
                best = Some((times, depth));
            }
        }
    }
    let (times, depth) =
        best.expect("straight-line code has a free port in some cycle and no recurrence");
    LeafSchedule {
        ports: assign_ports(program, leaf, &times, None),
        variants: problem.choices(),
        times,
        ii: None,
        depth,
        bound_by: String::new(),
    }
}

fn schedule_loop(
    program: &Program,
    leaf: &Leaf,
    problem: &mut Problem,
) -> Result<LeafSchedule, String> {
    let port_bound = |ports: u32| {
        let mut bound = (1, None);
        for (mem, (reads, writes)) in access_counts(leaf) {
            let limit = limit_of(&program.mems[mem].place, ports);
            let needed = if limit.shared {
                (reads + writes).div_ceil(limit.reads)
            } else {
                reads
                    .div_ceil(limit.reads)
                    .max(writes.div_ceil(limit.writes.max(1)))
            };
            if needed > bound.0 {
                bound = (needed, Some(mem));
            }
        }
        bound
    };
    let (mut least, busiest) = port_bound(2);
    let mut reason = busiest.map(|mem| format!("memory port {}", program.mems[mem].name));
    for call in problem.calls() {
        let interval = problem.interval(call);
        if interval > least {
            (least, reason) = (interval, Some(busy_operator(program, leaf, call)));
        }
    }
    let mut reason = reason.unwrap_or_else(|| "one iteration a cycle".into());
    // One iteration after the other always works.
    let most = sequential_depth(program, leaf, problem)?;
    // One below the bound, so that its failure says what bounds the II.
    let least = least
        .max(problem.recurrence_bound().saturating_sub(1))
        .min(most);
    let found = least_ii(least, most, |ii| {
        problem.ii = Some(ii);
        // As few ports as this II allows, then all.
        let frugal = limits(program, leaf, |(reads, writes)| {
            (reads + writes).div_ceil(ii).clamp(1, 2)
        });
        let all = limits(program, leaf, |_| 2);
        for limits in [frugal, all] {
            problem.limits = limits;
            match problem.solve() {
                Ok(times) => return Some((times, problem.limits.clone())),
                Err(failure) => reason = describe(program, leaf, &failure),
            }
        }
        None
    });
    let Some((ii, (times, limits))) = found else {
        return Err(format!(
            "internal: no schedule for loop '{}' even with one iteration after the other",
            leaf.label
        ));
    };
    problem.ii = Some(ii);
    problem.limits = limits;
    let times = roll_operators(problem, times, ii);
    // Smaller operators may be done earlier; an iteration that begins after the end of the one before
    // it depends on nothing of it that is not there.
    let depth = depth(leaf, &times);
    let ii = ii.min(depth);
    Ok(LeafSchedule {
        ports: assign_ports(program, leaf, &times, Some(ii)),
        variants: problem.choices(),
        depth,
        ii: Some(ii),
        bound_by: reason,
        times,
    })
}

/// Cycles of an iteration that overlaps with no other.
fn sequential_depth(program: &Program, leaf: &Leaf, problem: &mut Problem) -> Result<u32, String> {
    problem.ii = Some(SEQUENTIAL);
    problem.limits = limits(program, leaf, |_| 2);
    let times = problem
        .solve()
        .map_err(|failure| describe(program, leaf, &failure))?;
    Ok(depth(leaf, &times))
}

/// The first II from `least` to `most` that an attempt succeeds with, and what it gives. Beyond the first few the interval in
/// which it lies is doubled and then halved, since each attempt takes as long as the iteration.
fn least_ii<T>(
    least: u32,
    most: u32,
    mut attempt: impl FnMut(u32) -> Option<T>,
) -> Option<(u32, T)> {
    const ONE_BY_ONE: u32 = 64;
    for ii in least..(least + ONE_BY_ONE).min(most + 1) {
        if let Some(found) = attempt(ii) {
            return Some((ii, found));
        }
    }
    let mut below = least + ONE_BY_ONE - 1;
    let mut best = loop {
        if below >= most {
            return None;
        }
        let ii = (2 * below).min(most);
        match attempt(ii) {
            Some(found) => break (ii, found),
            None => below = ii,
        }
    };
    while best.0 - below > 1 {
        let ii = below + (best.0 - below) / 2;
        match attempt(ii) {
            Some(found) => best = (ii, found),
            None => below = ii,
        }
    }
    Some(best)
}

/// Takes smaller implementations of operators where the loop with this II does not need the fastest.
fn roll_operators(problem: &mut Problem, mut times: Times, ii: u32) -> Times {
    let calls: Vec<(NodeId, u32)> = problem
        .calls()
        .into_iter()
        .map(|call| (call, problem.smallest(call, ii)))
        .filter(|&(call, smallest)| smallest != problem.choice(call))
        .collect();
    // All at once, then, if some of them lie on a recurrence, one after the other.
    let groups = std::iter::once(&calls[..]).chain(calls.chunks(1));
    for group in groups {
        let before = problem.choices();
        for &(call, smallest) in group {
            problem.choose(call, smallest);
        }
        if before == problem.choices() {
            continue;
        }
        match problem.solve() {
            Ok(better) => times = better,
            Err(_) => group
                .iter()
                .for_each(|&(call, _)| problem.choose(call, before[call.index()])),
        }
    }
    times
}

fn busy_operator(program: &Program, leaf: &Leaf, call: NodeId) -> String {
    match leaf.graph.nodes[call].op {
        Op::Call(unit) => format!("operator {}", program.units[unit].name),
        _ => "operator".into(),
    }
}

fn describe(program: &Program, leaf: &Leaf, failure: &Failure) -> String {
    let name = |node: NodeId| {
        let node = &leaf.graph.nodes[node];
        match (&node.name, &node.op) {
            (_, Op::Load(m) | Op::Store(m)) => format!("'{}'", program.mems[*m].name),
            (Some(name), _) => format!("'{name}'"),
            _ => "a value".to_string(),
        }
    };
    match failure {
        Failure::Recurrence(node) => format!("carried dependence through {}", name(*node)),
        Failure::Control => "loop condition".to_string(),
        Failure::Ports(node) => format!("memory port {}", name(*node).trim_matches('\'')),
    }
}

fn access_counts(leaf: &Leaf) -> BTreeMap<MemId, (u32, u32)> {
    let mut counts = BTreeMap::new();
    for access in &leaf.accesses {
        let (reads, writes) = counts.entry(access.mem).or_insert((0, 0));
        *(if access.is_store { writes } else { reads }) += 1;
    }
    counts
}

fn limit_of(place: &Place, ports: u32) -> PortLimit {
    match place {
        Place::External => PortLimit {
            reads: ports,
            writes: ports,
            shared: true,
        },
        // Inside: one write port, and a copy of the memory for each further read port.
        Place::Local | Place::Rom(_) => PortLimit {
            reads: ports,
            writes: 1,
            shared: false,
        },
    }
}

fn limits(
    program: &Program,
    leaf: &Leaf,
    ports: impl Fn((u32, u32)) -> u32,
) -> BTreeMap<MemId, PortLimit> {
    access_counts(leaf)
        .into_iter()
        .map(|(mem, counts)| (mem, limit_of(&program.mems[mem].place, ports(counts))))
        .collect()
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
                let next = leaf.graph.nodes[phi.node].args[1];
                last = last.max(times.ready[next.index()]);
            }
        }
    }
    last + 1
}

/// Port numbers: in each slot, accesses take ports in program order. Reads and writes of inner memories are
/// numbered apart.
fn assign_ports(program: &Program, leaf: &Leaf, times: &Times, ii: Option<u32>) -> Vec<u32> {
    let mut used: BTreeMap<(MemId, bool, u32), u32> = BTreeMap::new();
    let ports = leaf.accesses.iter().map(|access| {
        let cycle = times.start[access.node.index()];
        let slot = ii.map_or(cycle, |ii| cycle % ii);
        let external = program.mems[access.mem].place == Place::External;
        let port = used
            .entry((access.mem, access.is_store && !external, slot))
            .or_insert(0);
        *port += 1;
        *port - 1
    });
    ports.collect()
}

/// Class of an operation's delay and the width that decides it; `None` for wires.
fn delay_class(graph: &Graph, id: NodeId, width: u32) -> Option<(Class, u32)> {
    use crate::hwarith::graph::Predicate;
    let node = &graph.nodes[id];
    let operands = node.args.iter().map(|&a| graph.width(a)).max().unwrap_or(1);
    let against_constant = node.args.iter().any(|&a| graph.as_const(a).is_some());
    Some(match &node.op {
        Op::Add | Op::Sub => (Class::Add, width),
        Op::Mul => (Class::Mul, width),
        // One table takes two bits of each operand, or four of one beside a constant.
        Op::Icmp(Predicate::Eq | Predicate::Ne) if against_constant => (Class::Reduce, operands),
        Op::Icmp(Predicate::Eq | Predicate::Ne) => (Class::Equal, operands),
        Op::Icmp(_) => (Class::Compare, operands),
        Op::And | Op::Or | Op::Xor => (Class::Logic, width),
        // A complement disappears into what it feeds.
        Op::Not => return None,
        Op::Mux => (Class::Mux, width),
        Op::Shl | Op::Shr => (Class::Shift, graph.width(node.args[0])),
        _ => return None,
    })
}

impl Schedule {
    /// The variant of an operator that a node of a leaf calls; `None` if it calls none.
    pub fn called(&self, program: &Program, leaf: LeafId, node: NodeId) -> Option<(UnitId, u32)> {
        match program.leaves[leaf].graph.nodes[node].op {
            Op::Call(unit) => Some((unit, self.leaves[leaf].variants[node.index()])),
            _ => None,
        }
    }

    /// Operators in the variants that leaves call, by operator.
    pub fn variants(&self, program: &Program) -> impl Iterator<Item = ((UnitId, u32), &Variant)> {
        let mut used = std::collections::BTreeSet::new();
        for (index, leaf) in program.leaves.iter() {
            let calls = leaf.graph.nodes.ids();
            used.extend(calls.filter_map(|node| self.called(program, index, node)));
        }
        used.into_iter()
            .map(|called| (called, &self.units[called.0].variants[called.1 as usize]))
    }

    /// Text for `--emit schedule`: every operation with its cycle, every loop with II, depth and bound.
    pub fn print(&self, program: &Program, sources: &SourceMap) -> String {
        // Writing to a String cannot fail.
        let mut out = format!("clock {:.3} ns\n", self.period);
        for ((unit, _), variant) in self.variants(program) {
            let _ = writeln!(
                out,
                "unit {}: latency {}, interval {}, {:.2} ns before the first register, {:.2} ns after the last",
                program.units[unit].name,
                variant.latency,
                variant.interval,
                variant.input_delay,
                variant.output_delay
            );
            print_nodes(&variant.graph, &variant.times, &mut out);
        }
        for (leaf, times) in program.leaves.values().zip(self.leaves.values()) {
            let place = sources.location(leaf.span);
            let _ = match times.ii {
                Some(ii) => writeln!(
                    out,
                    "loop {} ({place}): II {ii}, depth {}, bound by {}",
                    leaf.label, times.depth, times.bound_by
                ),
                None => writeln!(
                    out,
                    "block {} ({place}): {} cycles",
                    leaf.label, times.depth
                ),
            };
            print_nodes(&leaf.graph, &times.times, &mut out);
        }
        out
    }
}

/// The nodes that do something, in order: cycles from start to result, ns into the last, bits made.
fn print_nodes(graph: &Graph, times: &Times, out: &mut String) {
    for (id, node) in graph.nodes.iter() {
        let i = id.index();
        let dead = times.width[i] == 0 && !matches!(node.op, Op::Store(_));
        if dead || matches!(node.op, Op::Const(_)) {
            continue;
        }
        let cycles = match (times.start[i], times.ready[i]) {
            (start, ready) if start == ready => format!("{start}"),
            (start, ready) => format!("{start}..{ready}"),
        };
        let bits = match times.width[i] {
            0 => String::new(),
            width => format!("{width} bits"),
        };
        let _ = writeln!(
            out,
            "  cycle {cycles:<6} {:>6.2} ns {bits:>9}  {}",
            times.arrival[i],
            graph.node_text(id)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::least_ii;

    const MAX_II: u32 = 4096;

    #[test]
    fn the_least_ii_is_found_in_few_attempts() {
        for least in [1, 2, 250, MAX_II] {
            for first in [1, 2, 63, 64, 65, 66, 128, 129, 1000, 4095, MAX_II] {
                let mut attempts = 0;
                let found = least_ii(least, MAX_II, |ii| {
                    attempts += 1;
                    (ii >= first).then_some(())
                });
                assert_eq!(found, Some((first.max(least), ())));
                assert!(
                    attempts < 90,
                    "{attempts} attempts for {first} from {least}"
                );
            }
            assert_eq!(least_ii::<()>(least, MAX_II, |_| None), None);
        }
    }
}
