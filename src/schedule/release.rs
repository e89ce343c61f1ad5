//! When the next region may begin: while the last iteration of a pipeline, or a block, is still at work, as soon as the two
//! meet nowhere, in no memory, operator or variable.
//!
//! Each leaf is followed along the leaves that may come after it, at the earliest, for as long as it is at work.

mod invocations;
mod places;

use super::{LeafSchedule, Schedule};
use crate::arena::Table;
use crate::hwarith::graph::{MemId, NodeId, Op, UnitId, VarId};
use crate::machine::order::{Order, Touchers};
use crate::machine::program::{self, Leaf, LeafId, Place, Program};
pub use invocations::overlap_invocations;
use places::{End, places};
use std::collections::{BTreeMap, BTreeSet};

/// Has regions begin before the one before them has ended. All else about the schedule is known.
pub fn overlap_regions(program: &Program, schedule: &mut Schedule) {
    let order = Order::of(program);
    if order.next.values().all(BTreeSet::is_empty) {
        return;
    }
    let uses = Uses::of_all(program, schedule);
    let mut drain = 0;
    for leaf in program.leaves.ids() {
        let depth = schedule.leaves[leaf].depth;
        // Nothing follows but the end, or anything may.
        if order.next[leaf].is_empty() || order.is_open[leaf] {
            continue;
        }
        let ahead = ahead(&order, &uses, leaf, depth);
        let least = uses[leaf].release;
        let needed = ahead.leaves.iter().map(|(&next, &gap)| {
            let is_barred = next == leaf || order.is_open[next];
            let start = uses[leaf].start_of(&uses[next], is_barred);
            start.saturating_sub(gap)
        });
        let release = needed.fold(least, u32::max).min(depth - 1);
        schedule.leaves[leaf].release = release;
        if let Some(gap) = ahead.end {
            drain = drain.max((depth - 1 - release).saturating_sub(gap));
        }
    }
    schedule.drain = drain;
}

/// What comes after a leaf, with the cycles from its release to that start at least.
struct Ahead {
    leaves: BTreeMap<LeafId, u32>,
    end: Option<u32>,
}

/// What may begin within so many cycles of a leaf's release.
fn ahead(order: &Order, uses: &Table<LeafId, Uses>, leaf: LeafId, within: u32) -> Ahead {
    let next = order.next[leaf].iter().map(|&next| (1, next));
    let mut ahead = reached(order, uses, next.collect(), within);
    if order.is_last[leaf] {
        ahead.end = Some(0);
    }
    ahead
}

/// What may begin within so many cycles, if leaves begin at the times that are `open`.
fn reached(
    order: &Order,
    uses: &Table<LeafId, Uses>,
    mut open: BTreeSet<(u32, LeafId)>,
    within: u32,
) -> Ahead {
    let mut leaves = BTreeMap::new();
    let mut end = None;
    // The one that begins first is looked at first (Dijkstra): its time is final.
    while let Some((gap, at)) = open.pop_first() {
        if gap > within || leaves.contains_key(&at) {
            continue;
        }
        leaves.insert(at, gap);
        let released = gap.saturating_add(uses[at].shortest);
        if order.is_last[at] {
            end = Some(end.map_or(released, |end: u32| end.min(released)));
        }
        let next = order.next[at].iter();
        open.extend(next.map(|&next| (released.saturating_add(1), next)));
    }
    Ahead { leaves, end }
}

/// What a leaf uses, and when. What is first counts from the pulse that starts the leaf, what is last from the start of the last
/// iteration.
struct Uses<'p> {
    leaf: &'p Leaf,
    depth: u32,
    /// The earliest release: the end of the loop is known, and what others read is there a cycle later.
    release: u32,
    /// From the start to the release, at least.
    shortest: u32,
    /// It waits for elements of streams, or for room: nothing is known.
    waits: bool,
    /// Cycles between iterations.
    ii: u32,
    /// By memory.
    accesses: BTreeMap<MemId, Vec<Access<'p>>>,
    /// Shared operators: unit, variant, instance.
    operators: BTreeMap<(UnitId, u32, u32), Span>,
    /// Variables of others that it reads, and until when at most.
    reads: BTreeMap<VarId, u32>,
    /// Variables of others that it writes, and from when on.
    writes: BTreeMap<VarId, u32>,
}

/// An access of a memory.
struct Access<'p> {
    of: &'p program::Access,
    port: u32,
    /// Whether loads and stores have the same ports.
    is_outside: bool,
    at: Span,
}

/// Cycles that a loop could begin too early for an element, at most, if elements are looked at one by one.
const SOME: u32 = 64;

/// Pairs of accesses that are looked at one by one.
const PAIRS: usize = 256;

/// First and last cycle.
#[derive(Clone, Copy)]
struct Span {
    first: u32,
    last: u32,
}

impl Span {
    fn add(spans: Option<Span>, first: u32, last: u32) -> Span {
        spans.map_or(Span { first, last }, |span| Span {
            first: span.first.min(first),
            last: span.last.max(last),
        })
    }
}

impl<'p> Uses<'p> {
    /// Those of all leaves.
    fn of_all(program: &'p Program, schedule: &Schedule) -> Table<LeafId, Uses<'p>> {
        let touchers = Touchers::of(program);
        let leaves = program.leaves.ids();
        leaves
            .map(|leaf| Uses::of(program, schedule, leaf, &touchers))
            .collect()
    }

    fn of(program: &'p Program, schedule: &Schedule, id: LeafId, touchers: &Touchers) -> Uses<'p> {
        let (leaf, times) = (&program.leaves[id], &schedule.leaves[id]);
        // A loop takes a cycle to load its counters.
        let first = u32::from(leaf.repeat.is_some());
        let mut accesses: BTreeMap<MemId, Vec<Access<'p>>> = BTreeMap::new();
        for (access, &port) in leaf.accesses.iter().zip(&times.ports) {
            let at = times.times.start[access.node.index()];
            accesses.entry(access.mem).or_default().push(Access {
                of: access,
                port,
                is_outside: program.mems[access.mem].place.is_outside(),
                at: Span {
                    first: first + at,
                    last: at,
                },
            });
        }
        let is_stream = |mem: MemId| matches!(program.mems[mem].place, Place::Stream(_));
        let waits = accesses.keys().any(|mem| is_stream(*mem));
        let (writes, written) = writes(leaf, times, touchers);
        let release = match &leaf.repeat {
            Some(repeat) => {
                let last = repeat.last.index();
                // Behind it are the gates of the regions that end with the loop.
                let is_late = times.times.arrival[last] > schedule.period / 2.0;
                let known = times.times.ready[last] + u32::from(is_late);
                known.max(written)
            }
            None => written,
        };
        let release = match waits {
            true => times.depth - 1,
            false => release.min(times.depth - 1),
        };
        let shortest = match (&leaf.repeat, times.ii) {
            (Some(repeat), _) if repeat.enter.is_some() => 0,
            (Some(repeat), Some(ii)) => {
                let trips = u32::try_from(repeat.trip().unwrap_or(1)).unwrap_or(u32::MAX);
                let issues = trips.max(1) - 1;
                issues.saturating_mul(ii).saturating_add(1 + release)
            }
            _ => release,
        };
        Uses {
            leaf,
            depth: times.depth,
            release,
            shortest,
            waits,
            ii: times.ii.unwrap_or(1),
            accesses,
            operators: operators(program, schedule, id),
            reads: reads(leaf, times, |var| touchers.are_several(var)),
            writes,
        }
    }

    /// The first cycle, counted from the start of the last iteration, in which another leaf may be started.
    /// `is_barred`: not before the end.
    fn start_of(&self, next: &Uses<'p>, is_barred: bool) -> u32 {
        if is_barred || self.waits || next.waits {
            return self.depth;
        }
        let mut start = self.start_of_shared(next);
        for (var, &last) in &self.reads {
            if let Some(&first) = next.writes.get(var) {
                start = start.max(last.saturating_sub(first));
            }
        }
        start
    }

    /// The same for memories and operators that both use.
    fn start_of_shared(&self, next: &Uses<'p>) -> u32 {
        let mut start = 0;
        for mem in self.accesses.keys() {
            if next.accesses.contains_key(mem) {
                start = start.max(self.start_of_memory(next, *mem));
            }
        }
        for (key, span) in &self.operators {
            if let Some(there) = next.operators.get(key) {
                start = start.max((span.last + 1).saturating_sub(there.first));
            }
        }
        start
    }

    /// The same for one memory, which both access.
    fn start_of_memory(&self, next: &Uses<'p>, mem: MemId) -> u32 {
        let (accesses, others) = (&self.accesses[&mem], &next.accesses[&mem]);
        if accesses.len().saturating_mul(others.len()) > PAIRS {
            let last = accesses.iter().map(|access| access.at.last).max();
            let first = others.iter().map(|access| access.at.first).min();
            let both = last.zip(first);
            return both.map_or(0, |(last, first)| (last + 1).saturating_sub(first));
        }
        let pairs = accesses
            .iter()
            .flat_map(|one| others.iter().map(move |other| (one, other)));
        let needed = pairs.map(|(one, other)| {
            // One cycle later would do.
            let meet = (one.at.last + 1).saturating_sub(other.at.first);
            let stores = [one.of.is_store, other.of.is_store];
            if one.port == other.port && (one.is_outside || stores[0] == stores[1]) {
                return meet;
            }
            match stores {
                [false, false] => 0,
                _ if meet > SOME => meet,
                _ => {
                    let last = places(self.leaf, one.of, End::Last, meet);
                    let first = places(next.leaf, other.of, End::First, meet);
                    let both = last.zip(first);
                    both.map_or(meet, |(last, first)| {
                        start_of_elements(meet, (&last, self.ii), (&first, next.ii))
                    })
                }
            }
        });
        needed.max().unwrap_or(0)
    }
}

/// The same for one access of each, which would meet before the cycle `meet` if all elements were the same.
fn start_of_elements(
    meet: u32,
    (last, ii): (&[i128], u32),
    (first, next_ii): (&[i128], u32),
) -> u32 {
    let mut start = 0;
    for (back, element) in (0..).zip(last) {
        for (on, other) in (0..).zip(first) {
            let apart = ii * back + next_ii * on;
            if apart >= meet - start.min(meet) {
                // What follows meets earlier than what is known.
                break;
            }
            if element == other {
                start = meet - apart;
            }
        }
    }
    start
}

/// Shared operators that a leaf calls.
fn operators(
    program: &Program,
    schedule: &Schedule,
    id: LeafId,
) -> BTreeMap<(UnitId, u32, u32), Span> {
    let (leaf, times) = (&program.leaves[id], &schedule.leaves[id]);
    let offset = u32::from(leaf.repeat.is_some());
    let mut found = BTreeMap::new();
    for (node, instance) in leaf.graph.nodes.ids().zip(&times.instances) {
        let (Some(instance), Some((unit, variant))) =
            (*instance, schedule.called(program, id, node))
        else {
            continue;
        };
        let key = (unit, variant, instance);
        let at = times.times.start[node.index()];
        let interval = schedule.units[unit].variants[variant as usize].interval;
        let span = Span::add(found.get(&key).copied(), offset + at, at + interval - 1);
        found.insert(key, span);
    }
    found
}

/// From when on a leaf writes variables that others touch, too, and the last cycle in which it does.
fn writes(leaf: &Leaf, times: &LeafSchedule, touchers: &Touchers) -> (BTreeMap<VarId, u32>, u32) {
    let offset = u32::from(leaf.repeat.is_some());
    let ready = |node: NodeId| times.times.ready[node.index()];
    let at_end = leaf
        .writes
        .iter()
        .map(|&(var, node)| (var, offset + ready(node), ready(node)));
    let phis = leaf.phis();
    let carried = phis.map(|phi| (phi.var, 0, times.times.carried(&leaf.graph, phi.node)));
    let mut first = BTreeMap::new();
    let mut written = 0;
    for (var, from, last) in at_end.chain(carried) {
        if touchers.are_several(var) {
            let known = first.entry(var).or_insert(from);
            *known = from.min(*known);
            written = written.max(last);
        }
    }
    (first, written)
}

/// Those of the variables that are `wanted` that a leaf reads, with the last cycle in which any of them is.
fn reads(
    leaf: &Leaf,
    times: &LeafSchedule,
    wanted: impl Fn(VarId) -> bool,
) -> BTreeMap<VarId, u32> {
    let (graph, times_of) = (&leaf.graph, &times.times);
    let is_live = |i: usize| times_of.width[i] > 0;
    // What has its value in every cycle follows variables at once.
    let mut follows = vec![false; graph.nodes.len()];
    let mut vars = Vec::new();
    let mut last = 0;
    for (id, node) in graph.nodes.iter() {
        let i = id.index();
        let is_store = matches!(node.op, Op::Store(_));
        if !is_live(i) && !is_store {
            continue;
        }
        if let Op::Var(var) = node.op {
            if wanted(var) {
                vars.push(var);
                last = last.max(times_of.start[i]);
                follows[i] = times_of.stable[i];
            }
            continue;
        }
        if node.args.iter().any(|arg| follows[arg.index()]) {
            match times_of.stable[i] {
                true => follows[i] = true,
                // A unit that takes several cycles may look at its operands until it is done.
                false => last = last.max(times_of.start[i].max(times_of.ready[i])),
            }
        }
    }
    let written = leaf.writes.iter();
    let written = written.map(|&(_, node)| (node, times_of.ready[node.index()]));
    let phis = leaf.phis();
    let next = phis.clone().map(|phi| {
        let next = graph.nodes[phi.node].args[1];
        (next, times_of.carried(graph, phi.node))
    });
    for (_, taken) in written
        .chain(next)
        .filter(|(node, _)| follows[node.index()])
    {
        last = last.max(taken);
    }
    let mut reads: BTreeMap<VarId, u32> = vars.into_iter().map(|var| (var, last)).collect();
    // A carried value is in its register for as long as the pipeline is at work, maybe.
    let carried = phis.filter(|phi| wanted(phi.var));
    reads.extend(carried.map(|phi| (phi.var, times.depth)));
    reads
}
