//! Gives every operation a cycle: operation chaining under the clock, modulo scheduling of loops, ports.
//!
//! Times are found as the least solution of difference constraints (data, memory dependences with
//! iteration distances, carried values) in which an operation's delay never crosses a clock edge; a modulo
//! reservation table pushes memory accesses apart. The smallest initiation interval (II) for which a solution
//! exists is taken (Rau, Iterative Modulo Scheduling, 1996; Cong and Zhang, SDC scheduling, 2006).

pub mod asynchronous;
mod bind;
pub mod bound;
mod carried;
pub mod check;
pub mod critical;
pub mod device;
mod differences;
mod endless;
pub mod forecast;
mod hasten;
pub mod invocation;
pub mod late;
mod loops;
mod luts;
pub mod overlap;
mod placement;
mod print;
mod problem;
pub mod release;
mod repeating;
pub mod resource;
mod share;
mod sink;
mod solver;
mod spread;
pub mod tally;
mod units;
pub mod walk;

use crate::arena::Table;
use crate::diagnostics::Diagnostics;
use crate::hwarith;
use crate::hwarith::graph::{Op, UnitId};
use crate::hwarith::split::{LEAST_WORD, Limits};
use crate::hwarith::{Graph, NodeId};
use crate::ir::types::MAX_WIDTH;
use crate::ir::{DISTRIBUTED_BITS, MemoryKind};
use crate::machine::program::{LeafId, Mem, Place, Program, Unit};
use crate::parallel;
use bound::Bound;
use device::{Class, Device};
use problem::Problem;
use std::collections::BTreeSet;
use std::fmt;

/// A program with cycles.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Clock period in ns.
    pub period: f64,
    /// Of each operator module.
    pub units: Units,
    /// Of each leaf.
    pub leaves: Table<LeafId, LeafSchedule>,
    /// Cycles from the last release to the end: until whatever was at work beside it is done.
    pub drain: u32,
    /// Cycles from the last release to where the next invocation may be asked for, one cycle before it begins, if that is before
    /// the end.
    pub restart: Option<u32>,
    /// Nodes of leaves that were looked at to find it, again and again: in proportion to the time that took.
    pub visits: u64,
}

impl Schedule {
    /// Of nothing.
    pub fn empty(period: f64) -> Schedule {
        Schedule {
            period,
            units: Units::new(),
            leaves: Table::new(),
            drain: 0,
            restart: None,
            visits: 0,
        }
    }
}

/// Whether something is got or asked of a stream after its leaf has begun: it can wait only there.
pub fn waits_late(program: &Program, schedule: &Schedule) -> bool {
    let leaves = program.leaves.values().zip(schedule.leaves.values());
    leaves.into_iter().any(|(leaf, schedule)| {
        let mut accesses = leaf.accesses.iter();
        accesses.any(|access| {
            let place = &program.mems[access.mem].place;
            let begins = matches!(place, Place::Stream(side) if side.is_of_beginning());
            begins && schedule.times.start[access.node.index()] > 0
        })
    })
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

impl Times {
    /// Cycle of an iteration at the end of which the register of a carried value takes that of the next one: it is there, and what
    /// this iteration reads has been read for the first time.
    pub fn carried(&self, graph: &Graph, phi: NodeId) -> u32 {
        let next = graph.nodes[phi].args[1];
        self.ready[next.index()].max(self.ready[phi.index()])
    }
}

/// Schedules of all operators.
pub type Units = Table<UnitId, UnitSchedule>;

/// Implementations of an operator, at least one: the larger ones first, then that of its other description, then those that are
/// shared.
#[derive(Clone, Debug)]
pub struct UnitSchedule {
    /// A call names one by its position.
    pub variants: Vec<Variant>,
}

impl UnitSchedule {
    /// Of some of its variants the one that is done first.
    pub fn fastest(&self, some: impl Iterator<Item = u32>) -> Option<u32> {
        some.min_by_key(|&choice| (!self.variants[choice as usize].is_fast, choice))
    }
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
    /// Of one whose instances several calls share.
    pub shared: Option<Shared>,
    /// It is the user's module: what it takes is not what its graph takes.
    pub is_foreign: bool,
    /// Of the operator's larger description, which is sooner done.
    pub is_fast: bool,
    /// ns that operations which follow one another take in a cycle at most.
    pub limit: f64,
}

/// How calls share a variant.
#[derive(Clone, Copy, Debug)]
pub struct Shared {
    /// Instances.
    pub instances: u32,
    /// Whether they have about equally many calls.
    pub is_even: bool,
    /// ns that the choice between the calls' operands takes, before everything else.
    pub choice_delay: f64,
    /// Whether that is a cycle for the sake of the way to all instances: each has registers for its operands.
    pub is_far: bool,
}

/// Of a leaf.
#[derive(Clone, Debug)]
pub struct LeafSchedule {
    /// Cycles of its nodes.
    pub times: Times,
    /// Cycles between iterations, or between the starts of a block that overlaps with itself; `None` for any other
    /// block.
    pub ii: Option<u32>,
    /// Cycles from the start of an iteration (or of the block) to its end.
    pub depth: u32,
    /// Cycle of the last iteration (or of the block) after which the next region may begin; the last one where none may before.
    pub release: u32,
    /// Variant of the operator that each node calls; 0 for other nodes.
    pub variants: Vec<u32>,
    /// Port of each access, by position in the leaf's list.
    pub ports: Vec<u32>,
    /// Instance of a shared operator that each node calls; `None`: one of its own.
    pub instances: Vec<Option<u32>>,
    /// What keeps the II from being lower.
    pub bound_by: Bound,
}

/// Time in ns that the operations of a cycle may take; a clock too fast for any is as the fastest one with a lookup table in a cycle.
pub fn budget(device: &Device, period: f64) -> f64 {
    let period = period.max(device.least_period());
    period * (1.0 - device.clock.margin) - device.clock.overhead
}

/// Bits up to which operations fit into a clock period in ns, and products into a multiplier block.
pub fn widest(device: &Device, period: f64) -> Limits {
    let budget = budget(device, period);
    // No delay is shorter for more bits.
    let widest = |class| {
        let (mut fits, mut too_wide) = (0, 2 * MAX_WIDTH + 1);
        while too_wide - fits > 1 {
            let width = fits.midpoint(too_wide);
            match device.delay(class, width) <= budget {
                true => fits = width,
                false => too_wide = width,
            }
        }
        fits
    };
    let word = |class| widest(class).max(LEAST_WORD);
    Limits {
        product: device.block_widths(),
        shift: widest(Class::Shift),
        sum: word(Class::Add),
        order: word(Class::Compare),
        equality: word(Class::Equal),
        costs: Some(device.costs()),
    }
}

/// Why a program has no schedule.
#[derive(Clone, Debug)]
pub enum NoSchedule {
    /// An operator has none: a bug.
    Operator(String),
    /// A limit of an operator's instances cannot be kept.
    Limit(String),
    /// An operator takes more cycles than it was given.
    Latency(String),
}

impl fmt::Display for NoSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (NoSchedule::Operator(why) | NoSchedule::Limit(why) | NoSchedule::Latency(why)) = self;
        f.write_str(why)
    }
}

/// Schedules a program for a device and a clock period in ns. What is suspicious goes to `warnings`.
///
/// Errors: an operator without a schedule, or too many calls for its instances; all else has one.
pub fn schedule(
    program: &Program,
    device: &Device,
    period: f64,
    warnings: &mut Diagnostics,
) -> Result<Schedule, NoSchedule> {
    let budget = budget(device, period);
    let mut schedule = Schedule::empty(period);
    for unit in program.units.values() {
        let scheduled = match &unit.foreign {
            Some(foreign) => units::foreign(&unit.graph, foreign, device, budget),
            None => units::kept(unit, device, budget, warnings),
        };
        let unit = scheduled
            .ok_or_else(|| format!("operator '{}' without a schedule", unit.name))
            .map_err(NoSchedule::Operator)?;
        schedule.units.push(unit);
    }
    let demanded = program.demanded();
    let mut problems: Table<LeafId, Problem> = Table::new();
    for (leaf, widths) in program.leaves.ids().zip(demanded.values()) {
        let (times, problem) = schedule_leaf(
            program,
            leaf,
            widths.clone(),
            (device, budget),
            &schedule.units,
        )?;
        schedule.leaves.push(times);
        problems.push(problem);
    }
    let clock = (device, budget);
    hasten::hasten(program, clock, &mut problems, &mut schedule, warnings);
    carried::relieve(program, &mut problems, &mut schedule);
    share::share(program, device, budget, &mut problems, &mut schedule)?;
    schedule.visits = problems.values().map(|problem| problem.visits.get()).sum();
    release::overlap_regions(program, &mut schedule);
    for (leaf, times) in program.leaves.values().zip(schedule.leaves.values()) {
        warnings.0.extend(loops::longer_than_asked(leaf, times));
    }
    Ok(schedule)
}

/// Cycles that a unit takes in a kernel, at a clock period in ns; `None`: it has no schedule. What is suspicious goes to
/// `warnings`.
pub fn latency(
    unit: &Unit,
    device: &Device,
    period: f64,
    warnings: &mut Diagnostics,
) -> Option<u32> {
    let scheduled = units::kept(unit, device, budget(device, period), warnings)?;
    scheduled.variants.first().map(|variant| variant.latency)
}

/// Schedules a leaf with operators of its own; `widths` are the demanded bits of its nodes.
fn schedule_leaf<'p>(
    program: &'p Program,
    id: LeafId,
    widths: Vec<u32>,
    (device, budget): (&Device, f64),
    units: &Units,
) -> Result<(LeafSchedule, Problem<'p>), NoSchedule> {
    let leaf = &program.leaves[id];
    let mut problem = Problem::new(&leaf.graph, widths, device, budget);
    problem.add_leaf(leaf, device, program);
    problem.set_calls(units);
    let times = loops::schedule_leaf(program, leaf, &mut problem, units);
    Ok((times.map_err(NoSchedule::Operator)?, problem))
}

/// The implementation of a unit as a module of its own, at a clock period in ns: in exactly `latency` cycles, or as few
/// as there can be. What is suspicious goes to `warnings`.
///
/// Errors: it has no schedule, or takes more cycles.
pub fn operator(
    unit: &Unit,
    device: &Device,
    period: f64,
    latency: Option<u32>,
    warnings: &mut Diagnostics,
) -> Result<Variant, NoSchedule> {
    let budget = budget(device, period);
    let scheduled = units::schedule(&unit.graph, device, budget, warnings);
    let fastest = scheduled.and_then(|scheduled| scheduled.variants.into_iter().next());
    let fastest = fastest.ok_or_else(|| {
        NoSchedule::Operator(format!("operator '{}' without a schedule", unit.name))
    })?;
    let fastest = units::finished(&unit.name, &fastest, device, budget);
    match latency {
        None => Ok(fastest),
        Some(cycles) if cycles < fastest.latency => Err(NoSchedule::Latency(format!(
            "'{}' does not meet the clock in {cycles} cycles: it takes {} at least",
            unit.name, fastest.latency
        ))),
        Some(cycles) => Ok(units::balanced(fastest, cycles, device, budget)),
    }
}

/// ns that a load takes before the clock edge, behind its address, and after it.
fn load_delays(mem: &Mem, device: &Device) -> (f64, f64) {
    let words = u32::try_from(mem.depth).unwrap_or(u32::MAX);
    match mem.place {
        _ if mem.is_asynchronous => (device.delay(Class::LutRam, words), 0.0),
        // It may come past the queue, and may have been got before.
        Place::Stream(_) => (0.0, 2.0 * device.delay(Class::Mux, mem.width)),
        // Of what it is made is not known here.
        Place::External => (0.0, device.delay(Class::BlockRam, mem.width)),
        _ if is_in_block_ram(mem, device) => device.block_ram_delays(mem.depth, mem.width),
        // The logic of so few tables is what the margin covers.
        _ if mem.bits() <= DISTRIBUTED_BITS => (0.0, 0.0),
        _ => (device.delay(Class::LutRam, words), 0.0),
    }
}

/// ns that a store takes behind its address and what it writes, beyond what any register takes.
fn store_delay(mem: &Mem, device: &Device) -> f64 {
    match is_in_block_ram(mem, device) {
        true => device.block_ram_delays(mem.depth, mem.width).0,
        false => 0.0,
    }
}

fn is_in_block_ram(mem: &Mem, device: &Device) -> bool {
    let is_outside = matches!(mem.place, Place::External | Place::Stream(_));
    let is_in_blocks = mem.kind == MemoryKind::Block || !device.memory.lut_ram;
    !is_outside && !mem.is_asynchronous && is_in_blocks
}

/// As [`load_delays`], of a table of constants.
fn table_delays(table: &hwarith::table::Table, device: &Device) -> (f64, f64) {
    let words = table.words().len();
    match table.is_logic() {
        true => (device.delay(Class::LutRam, words as u32), 0.0),
        false => device.block_ram_delays(words as u64, table.word().width),
    }
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
        Op::Icmp(Predicate::Eq | Predicate::Ne) if against_constant => match operands {
            0..=luts::INPUTS => (Class::Logic, operands),
            _ => (Class::Reduce, operands),
        },
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

    /// The same operator as it is implemented.
    pub fn variant(&self, program: &Program, leaf: LeafId, node: NodeId) -> Option<&Variant> {
        let (unit, variant) = self.called(program, leaf, node)?;
        self.units[unit].variants.get(variant as usize)
    }

    /// Makes the most of the cycles of the operators that leaves call; nothing around them changes.
    pub fn finish(&mut self, program: &Program, device: &Device) {
        let budget = budget(device, self.period);
        let used = self.variants(program).collect();
        let finished = parallel::map(used, |((unit, number), variant): (_, &Variant)| {
            let name = &program.units[unit].name;
            (
                (unit, number),
                units::finished(name, variant, device, budget),
            )
        });
        for ((unit, number), variant) in finished {
            self.units[unit].variants[number as usize] = variant;
        }
    }

    /// Operators in the variants that leaves call, by operator.
    pub fn variants(&self, program: &Program) -> impl Iterator<Item = ((UnitId, u32), &Variant)> {
        let mut used = BTreeSet::new();
        for (index, leaf) in program.leaves.iter() {
            let calls = leaf.graph.nodes.ids();
            used.extend(calls.filter_map(|node| self.called(program, index, node)));
        }
        used.into_iter()
            .map(|called| (called, &self.units[called.0].variants[called.1 as usize]))
    }
}
