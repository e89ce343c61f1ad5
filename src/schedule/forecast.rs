//! What a schedule will take, about: cycles, where numbers of iterations that only the data know are guessed, and area.

use super::device::{Class, Device, ceil_log2};
use super::{LeafSchedule, Schedule, Variant, delay_class};
use crate::arena::Table;
use crate::hwarith::graph::{Graph, MemId, NodeId, Op, UnitId};
use crate::ir::copies;
use crate::machine::program::{Leaf, LeafId, LoopDim, PortRef, Program, Region};
use std::collections::{BTreeMap, BTreeSet};

/// Which numbers of iterations count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Iterations {
    /// Those that no data decide.
    Constant,
    /// For others, how many are likely.
    Likely,
}

impl Iterations {
    fn of(self, dim: &LoopDim) -> Option<u64> {
        dim.trip
            .or((self == Iterations::Likely).then_some(dim.likely))
    }
}

/// Cycles of an invocation.
pub fn cycles(program: &Program, schedule: &Schedule) -> u64 {
    let found = latency(program, schedule, &program.root, Iterations::Likely);
    found
        .unwrap_or(u64::MAX)
        .saturating_add(schedule.drain.into())
}

/// Cycles of an invocation, unless the data decide them.
pub fn exact_cycles(program: &Program, schedule: &Schedule) -> Option<u64> {
    let found = latency(program, schedule, &program.root, Iterations::Constant)?;
    found.checked_add(schedule.drain.into())
}

/// Cycles from the start of an invocation to `ap_done`, of a program that is active for so long: up to the pulse in the last cycle; a
/// scalar result adds one.
pub fn until_done(program: &Program, active: u64) -> u64 {
    let mut returns = program.returns.iter();
    let is_scalar = returns.any(|port| matches!(port, PortRef::Scalar { .. }));
    active.saturating_sub(1).saturating_add(is_scalar.into())
}

/// Cycles from the start of a region to its release. Where the data decide: those for likely iterations of a loop, and for the longer
/// branch, or `None` where only constant ones count.
pub fn latency(
    program: &Program,
    schedule: &Schedule,
    region: &Region,
    count: Iterations,
) -> Option<u64> {
    let of = |region: &Region| latency(program, schedule, region, count);
    match region {
        Region::Leaf(index) => {
            let times = &schedule.leaves[*index];
            match &program.leaves[*index].repeat {
                None => Some(u64::from(times.release) + 1),
                Some(repeat) if repeat.enter.is_some() && count == Iterations::Constant => None,
                Some(repeat) => {
                    let ii = u64::from(times.ii?);
                    let mut trips = repeat.dims.iter().map(|dim| count.of(dim));
                    let trips = trips.try_fold(1u64, |product, trip| product.checked_mul(trip?))?;
                    let issues = (trips.max(1) - 1).checked_mul(ii)?;
                    // One cycle to load the counters.
                    issues.checked_add(u64::from(times.release) + 2)
                }
            }
        }
        Region::Seq(parts) => parts
            .iter()
            .try_fold(0u64, |sum, part| sum.checked_add(of(part)?)),
        Region::If {
            then, otherwise, ..
        } => {
            // An empty arm is done in the cycle of its start.
            let (a, b) = (of(then)?.max(1), of(otherwise)?.max(1));
            (a == b || count == Iterations::Likely).then_some(a.max(b))
        }
        Region::Repeat {
            head, body, dim, ..
        } => {
            let trip = count.of(dim)?;
            let (head, body) = (of(head)?, of(body)?);
            // The check takes a cycle of its own after a head; without one, it is the body's first cycle.
            let (check, enter) = if head == 0 { (1, 0) } else { (head + 1, head) };
            trip.checked_mul(enter.checked_add(body)?)?
                .checked_add(check)
        }
    }
}

/// LUT4 of all operations, multiplier blocks counted in; without registers, memories and control.
pub fn luts(program: &Program, schedule: &Schedule, device: &Device) -> f64 {
    total(program, schedule, &|node| node_area(node, device))
}

/// Multiplier blocks.
pub fn blocks(program: &Program, schedule: &Schedule) -> u64 {
    // Counts are exact in a float.
    total(program, schedule, &node_blocks) as u64
}

/// Bits of the memories inside, with copies for what more ports read than one has, and of the tables that an instance of each
/// operator has in block RAM.
pub fn ram(program: &Program, schedule: &Schedule) -> u64 {
    let mut reads: BTreeMap<MemId, u64> = BTreeMap::new();
    let mut written = BTreeSet::new();
    for (leaf, times) in program.leaves.values().zip(schedule.leaves.values()) {
        for (access, port) in leaf.accesses.iter().zip(&times.ports) {
            if access.is_store {
                written.insert(access.mem);
                continue;
            }
            let ports = reads.entry(access.mem).or_default();
            *ports = (*ports).max(u64::from(*port) + 1);
        }
    }
    let inside = program.mems.iter();
    let inside = inside.filter(|(_, mem)| !mem.place.is_outside());
    let bits = inside.map(|(id, mem)| {
        let reads = reads.get(&id).copied().unwrap_or(0);
        let bits = mem.depth.saturating_mul(mem.width.into());
        bits.saturating_mul(copies(reads, written.contains(&id)))
    });
    let variants = schedule.variants(program);
    let nodes = variants.flat_map(|(_, variant)| variant.graph.nodes.values());
    let tables = nodes.filter_map(|node| match &node.op {
        Op::Table(table) if !table.is_logic() => Some(table),
        _ => None,
    });
    let tables = tables.map(|table| table.words().len() as u64 * u64::from(table.word().width));
    bits.chain(tables).fold(0, u64::saturating_add)
}

/// What all operations take together, instances that are shared counted once.
fn total(program: &Program, schedule: &Schedule, of: &dyn Fn(Node) -> f64) -> f64 {
    let mut sum = 0.0;
    let mut shared = BTreeSet::new();
    let mut of_variants: BTreeMap<(UnitId, u32), f64> = BTreeMap::new();
    for (leaf, times) in program.leaves.values().zip(schedule.leaves.values()) {
        for node in nodes(&leaf.graph, &times.times.width) {
            let at = node.id.index();
            sum += match node.graph.nodes[node.id].op {
                Op::Call(unit) => {
                    let variant = times.variants[at];
                    let is_new = times.instances[at]
                        .is_none_or(|instance| shared.insert((unit, variant, instance)));
                    let make = || of_variant(&schedule.units[unit].variants[variant as usize], of);
                    match is_new {
                        true => *of_variants.entry((unit, variant)).or_insert_with(make),
                        false => 0.0,
                    }
                }
                _ => of(node),
            };
        }
    }
    sum
}

/// An operation, and how many of its bits are read.
#[derive(Clone, Copy)]
struct Node<'g> {
    graph: &'g Graph,
    id: NodeId,
    width: u32,
}

fn nodes<'g>(graph: &'g Graph, width: &'g [u32]) -> impl Iterator<Item = Node<'g>> {
    graph.nodes.ids().map(move |id| Node {
        graph,
        id,
        width: width[id.index()],
    })
}

/// How often each leaf runs, about.
pub fn runs(program: &Program) -> Table<LeafId, u64> {
    let mut runs: Table<LeafId, u64> = program.leaves.values().map(|_| 1).collect();
    count_runs(&program.root, 1, &mut runs);
    runs
}

/// How often each leaf runs, about, if the region does so many times.
fn count_runs(region: &Region, times: u64, runs: &mut Table<LeafId, u64>) {
    match region {
        Region::Leaf(leaf) => runs[*leaf] = times,
        Region::Seq(parts) => parts.iter().for_each(|part| count_runs(part, times, runs)),
        Region::If {
            then, otherwise, ..
        } => {
            count_runs(then, times, runs);
            count_runs(otherwise, times, runs);
        }
        Region::Repeat {
            head, body, dim, ..
        } => {
            let times = times.saturating_mul(dim.trip.unwrap_or(dim.likely));
            count_runs(head, times, runs);
            count_runs(body, times, runs);
        }
    }
}

/// Cycles of a run of a leaf, about.
pub fn cycles_of_leaf(leaf: &Leaf, schedule: &LeafSchedule) -> u64 {
    let depth = u64::from(schedule.depth);
    let (Some(repeat), Some(ii)) = (&leaf.repeat, schedule.ii) else {
        return depth;
    };
    let trips = repeat.dims.iter().map(|dim| dim.trip.unwrap_or(dim.likely));
    let iterations = trips.fold(1u64, u64::saturating_mul);
    depth.saturating_add(u64::from(ii).saturating_mul(iterations.saturating_sub(1)))
}

/// LUT4 of an operator, about, its multiplier blocks counted in.
pub fn area(variant: &Variant, device: &Device) -> f64 {
    of_variant(variant, &|node| node_area(node, device))
}

fn of_variant(variant: &Variant, of: &dyn Fn(Node) -> f64) -> f64 {
    let steps = variant.graph.steps.iter().zip(&variant.steps);
    let steps = steps.flat_map(|(step, times)| nodes(step, &times.width));
    let all = nodes(&variant.graph, &variant.times.width).chain(steps);
    all.map(of).sum()
}

fn node_blocks(node: Node) -> f64 {
    let is_product = node.width > 0 && node.graph.nodes[node.id].op == Op::Mul;
    f64::from(u8::from(is_product))
}

fn node_area(node: Node, device: &Device) -> f64 {
    let Node { graph, id, width } = node;
    if let Op::Table(table) = &graph.nodes[id].op {
        let bits = table.words().len() as f64 * f64::from(width);
        let per_bit = device.area.get(&Class::LutRam).copied().unwrap_or(1.0);
        return if table.is_logic() {
            per_bit * bits
        } else {
            0.0
        };
    }
    let Some((class, bits)) = delay_class(graph, id, width).filter(|_| width > 0) else {
        return 0.0;
    };
    let per_bit = device.area.get(&class).copied().unwrap_or(1.0);
    match graph.nodes[id].op {
        Op::Mul => device.block_luts(),
        Op::Shl | Op::Shr => per_bit * f64::from(width) * f64::from(ceil_log2(bits.into())),
        Op::Icmp(_) => per_bit * f64::from(bits),
        _ => per_bit * f64::from(width),
    }
}
