//! What a loop does earlier than anything waits for is done later, where fewer bits wait in registers then: a load and the product
//! made of it move to where the product is added to a sum that comes late.
//!
//! The fewest registers at an interval (Leiserson and Saxe, Retiming synchronous circuitry, Algorithmica 6, 1991, section 8;
//! Eichenberger, Davidson and Abraham, Minimum register requirements for a modulo schedule, MICRO 1994) are the least weighted
//! sum under difference constraints. Operations move by whole intervals, which leaves them the ports and instances that they have, and
//! behind a register stays what was there. The loop takes no more cycles.

use super::device::Device;
use super::differences::Differences;
use super::problem::Problem;
use super::{LeafSchedule, Schedule, Times, forecast, loops, overlap, release};
use crate::hwarith::graph::Op;
use crate::hwarith::{Graph, NodeId};
use crate::machine::program::{Leaf, LeafId, Place, Program};
use num_integer::Integer;
use std::collections::BTreeSet;

/// Nodes of a leaf beyond which nothing is moved.
const MOST_NODES: usize = 30_000;

/// Bits in registers that have to be saved.
#[derive(Clone, Copy, Debug)]
pub struct Saving {
    /// At least so many.
    pub bits: u64,
    /// And one part in so many.
    pub part: u64,
}

impl Saving {
    /// What is worth a schedule that is longer to find.
    pub const WORTH: Saving = Saving {
        bits: 128,
        part: 20,
    };
    /// The least there is.
    pub const ANY: Saving = Saving {
        bits: 1,
        part: u64::MAX,
    };
}

/// The next invocation may begin one part in so many later.
const MOST_DELAY: u64 = 1000;

/// Has loops do things later, unless the kernel takes longer by that: what is accessed later may hold up what follows, or the next
/// invocation, where these overlap.
pub fn delay(
    program: &Program,
    schedule: &mut Schedule,
    device: &Device,
    saving: Saving,
    overlaps: bool,
) {
    // Most kernels have nothing that moves.
    let mut most = None;
    for (id, leaf) in program.leaves.iter() {
        for ends_move in [true, false] {
            let Some(times) = delayed(program, (id, leaf), schedule, (device, saving), ends_move)
            else {
                // Nor with fewer that move.
                break;
            };
            let [most, next] = *most.get_or_insert_with(|| taken(program, schedule, overlaps));
            let before = schedule.clone();
            schedule.leaves[id] = times;
            release::overlap_regions(program, schedule);
            let [takes, next_after] = taken(program, schedule, overlaps);
            let is_soon = next_after <= next + next / MOST_DELAY;
            if takes <= most && is_soon {
                break;
            }
            *schedule = before;
        }
    }
}

/// Cycles of an invocation, and until the next one may begin.
fn taken(program: &Program, schedule: &Schedule, overlaps: bool) -> [u64; 2] {
    let cycles = forecast::cycles(program, schedule);
    if !overlaps {
        return [cycles; 2];
    }
    let mut overlapped = schedule.clone();
    release::overlap_invocations(program, &mut overlapped);
    let drain = overlapped.drain;
    let released = forecast::cycles(program, &overlapped).saturating_sub(drain.into());
    let restart = overlapped.restart.unwrap_or(drain);
    [cycles, released.saturating_add(restart.into())]
}

/// The schedule of a loop with fewer bits in registers; `None` where there is none.
fn delayed(
    program: &Program,
    (id, leaf): (LeafId, &Leaf),
    schedule: &Schedule,
    (device, saving): (&Device, Saving),
    ends_move: bool,
) -> Option<LeafSchedule> {
    let before = &schedule.leaves[id];
    let ii = before.ii.filter(|_| leaf.graph.nodes.len() <= MOST_NODES)?;
    let waiting = Waiting::new(&leaf.graph, &before.times, ii);
    let held = waiting.bits();
    let enough = saving.bits.max(held / saving.part);
    if held < enough {
        return None;
    }
    let mut problem = Problem::of_schedule(program, id, schedule, device);
    let movable = movable(program, leaf, &problem, ends_move);
    let later = waiting.least(&problem, &movable, before.depth, enough)?;
    for (node, start) in before.times.start.iter().enumerate() {
        problem.not_before[node] = i64::from(*start) + i64::from(ii) * later[node];
    }
    let found = loops::reschedule(leaf, &mut problem, before)?;
    let found = match leaf.repeat {
        Some(_) => found,
        // A block that overlaps with itself.
        None => overlap::with_moving_arguments(leaf, found),
    };
    let left = Waiting::new(&leaf.graph, &found.times, ii).bits();
    (left + enough <= held && found.depth <= before.depth).then_some(found)
}

/// By node, whether it may start later. What a stream gives or takes stays in the order of time, and what is known when a loop ends
/// is known when it was; unless `ends_move`, so are elements that are stored and values that are carried on. What carried values
/// begin with is there in the first cycle.
fn movable(program: &Program, leaf: &Leaf, problem: &Problem, ends_move: bool) -> Vec<bool> {
    let written = leaf.writes.iter().map(|write| write.1);
    let last = leaf.repeat.iter().map(|repeat| repeat.last);
    let carried = leaf.phis().filter(|_| !ends_move);
    let carried = carried.map(|phi| leaf.graph.nodes[phi.node].args[1]);
    let mut fixed: BTreeSet<NodeId> = written.chain(last).chain(carried).collect();
    fixed.extend(problem.first_values(leaf));
    let nodes = leaf.graph.nodes.iter();
    let movable = nodes.map(|(id, node)| {
        let is_stream = |mem| matches!(program.mems[mem].place, Place::Stream(_));
        let can_move = match node.op {
            Op::Store(mem) => ends_move && !is_stream(mem),
            Op::Load(mem) => !is_stream(mem),
            Op::Input(_) | Op::Var(_) | Op::Const(_) => false,
            _ => !problem.is_stable(id),
        };
        let is_alive = problem.width[id.index()] > 0 || matches!(node.op, Op::Store(_));
        can_move && !fixed.contains(&id) && is_alive
    });
    movable.collect()
}

/// Values of a scheduled loop that wait in registers.
struct Waiting<'t, 'g> {
    graph: &'g Graph,
    times: &'t Times,
    ii: i64,
    reads: Vec<Read>,
}

/// A value that an operation reads.
struct Read {
    value: NodeId,
    reader: NodeId,
    /// Registers that it passes on the way, at least as many as it has to.
    registers: i64,
    /// Of those, how many fewer there may be.
    spare: i64,
}

impl<'t, 'g> Waiting<'t, 'g> {
    fn new(graph: &'g Graph, times: &'t Times, ii: u32) -> Waiting<'t, 'g> {
        let ii = i64::from(ii);
        let mut reads = Vec::new();
        for (reader, node) in graph.nodes.iter() {
            let at = i64::from(times.start[reader.index()]);
            let (now, next) = match node.op {
                _ if !is_alive(graph, times, reader) => continue,
                // In the next iteration.
                Op::Phi => (&[][..], &node.args[1..]),
                _ => (&node.args[..], &[][..]),
            };
            let now = now.iter().map(|value| (value, at));
            let next = next.iter().map(|value| (value, at + ii));
            let found = now.chain(next);
            let found =
                found.filter_map(|(&value, at)| read(graph, times, ii, (value, reader, at)));
            reads.extend(found);
        }
        Waiting {
            graph,
            times,
            ii,
            reads,
        }
    }

    fn start(&self, node: NodeId) -> i64 {
        i64::from(self.times.start[node.index()])
    }

    fn ready(&self, node: NodeId) -> i64 {
        i64::from(self.times.ready[node.index()])
    }

    /// Bits in registers.
    fn bits(&self) -> u64 {
        let registers = self.reads.iter().map(|read| (read, read.registers));
        self.bits_of(registers)
    }

    /// Bits in so many registers for each read; those of a value are the same ones.
    fn bits_of<'r>(&self, reads: impl Iterator<Item = (&'r Read, i64)>) -> u64 {
        let mut registers = vec![0; self.graph.nodes.len()];
        for (read, count) in reads {
            let most = &mut registers[read.value.index()];
            *most = count.max(*most);
        }
        let widths = registers.iter().zip(&self.times.width);
        let bits = widths.map(|(&count, &width)| count as u64 * u64::from(width));
        bits.sum()
    }

    /// By node, how many intervals later it starts where the fewest bits wait; `None` if that saves less than `enough` of them.
    fn least(
        &self,
        problem: &Problem,
        movable: &[bool],
        depth: u32,
        enough: u64,
    ) -> Option<Vec<i64>> {
        // Of equal ones, that which moves less.
        const WEIGHT: i64 = 1 << 12;
        let reads = || {
            let reads = self.reads.iter();
            reads.filter(|read| movable[read.value.index()] || movable[read.reader.index()])
        };
        if reads().all(|read| read.spare <= 0) {
            return None;
        }
        let mut differences = Differences::new();
        let weight = |node: NodeId| WEIGHT * i64::from(self.times.width[node.index()]);
        // Number 0 does not move.
        let mut moves = vec![0; self.graph.nodes.len()];
        for node in self.graph.nodes.ids().filter(|node| movable[node.index()]) {
            let most = (i64::from(depth) - 1 - self.ready(node)).div_euclid(self.ii);
            let most = Some(most.max(0));
            moves[node.index()] = differences.variable(1 - weight(node), 0, most);
        }
        let mut ends = vec![None; self.graph.nodes.len()];
        for read in reads() {
            let [value, reader] = [read.value, read.reader].map(|node| moves[node.index()]);
            let end = &mut ends[read.value.index()];
            let end = *end.get_or_insert_with(|| differences.variable(weight(read.value), 0, None));
            differences.at_least(end, reader, read.registers);
            differences.at_least(end, value, 0);
            differences.at_least(reader, value, -read.spare);
        }
        let within = self
            .graph
            .nodes
            .ids()
            .flat_map(|node| problem.within.of(node));
        for edge in within.chain(&problem.across) {
            let begins = match edge.from_ready {
                true => self.ready(edge.from),
                false => self.start(edge.from),
            };
            let distance = i64::try_from(edge.distance).ok()?;
            let demanded = (begins + edge.latency).saturating_sub(self.ii.saturating_mul(distance));
            let spare = self.start(edge.to).saturating_sub(demanded);
            let [from, to] = [edge.from, edge.to].map(|node| moves[node.index()]);
            differences.at_least(to, from, -spare.div_euclid(self.ii));
        }
        let found = differences.solve()?;
        let later: Vec<i64> = moves.into_iter().map(|number| found[number]).collect();
        let after = self.reads.iter().map(|read| {
            let by = later[read.reader.index()] - later[read.value.index()];
            (read, (read.registers + by).max(0))
        });
        (self.bits_of(after) + enough <= self.bits()).then_some(later)
    }
}

/// Whether a node influences something: a store has no bits.
fn is_alive(graph: &Graph, times: &Times, node: NodeId) -> bool {
    times.width[node.index()] > 0 || matches!(graph.nodes[node].op, Op::Store(_))
}

/// What a value passes that is read in a cycle; `None` if it is there in every one.
fn read(
    graph: &Graph,
    times: &Times,
    ii: i64,
    (value, reader, at): (NodeId, NodeId, i64),
) -> Option<Read> {
    let i = value.index();
    if times.stable[i] {
        return None;
    }
    let waits = at - i64::from(times.ready[i]);
    // What comes late in its cycle stays behind a register, unless it is read in that cycle.
    let is_late = times.arrival[i] > 0.0 && waits > 0;
    // The register of a carried value holds it for an interval.
    let held = if graph.nodes[value].op == Op::Phi {
        ii - 1
    } else {
        0
    };
    Some(Read {
        value,
        reader,
        registers: Integer::div_ceil(&(waits - held).max(0), &ii),
        spare: (waits - i64::from(is_late)).div_euclid(ii),
    })
}
