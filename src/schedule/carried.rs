//! What goes into a recurrence comes out of registers where that costs next to nothing: a loop can be no shorter than its
//! recurrences, and no cycle is as full as theirs.
//!
//! An operation of a recurrence that takes all of a cycle waits a cycle more for what it reads from outside of it, with the same II.
//! Each iteration is then a cycle longer, of which a long loop has the last one only.

use super::forecast::{self, cycles_of_leaf};
use super::problem::{Kind, Problem};
use super::{LeafSchedule, Schedule, Times, loops};
use crate::arena::Table;
use crate::hwarith::NodeId;
use crate::machine::program::{Leaf, LeafId, Program};
use crate::machine::recurrence::recurrences;
use std::collections::BTreeMap;

/// All loops together may cost a kernel so much time: one part in so many of its cycles.
const MOST_LOSS: u64 = 2000;

/// Part of a cycle beyond which there is little room for longer routes.
const FULL: f64 = 0.85;

/// Rounds after which nothing more is moved: one operation may lead to the next.
const MAX_ROUNDS: usize = 4;

/// Schedules loops again whose recurrences read late values, while time is left for it.
pub fn relieve(program: &Program, problems: &mut Table<LeafId, Problem>, schedule: &mut Schedule) {
    let mut left = forecast::cycles(program, schedule) / MOST_LOSS;
    if left == 0 {
        return;
    }
    let runs = forecast::runs(program);
    for (id, leaf) in program.leaves.iter() {
        let before = &schedule.leaves[id];
        if before.ii.is_none() || runs[id] > left {
            continue;
        }
        let problem = &mut problems[id];
        let least = cycles_of_leaf(leaf, before);
        let relieved = relieved(leaf, problem, before).and_then(|after| {
            let longer = cycles_of_leaf(leaf, &after).saturating_sub(least);
            let rest = left.checked_sub(runs[id].saturating_mul(longer))?;
            Some((after, rest))
        });
        match relieved {
            Some((after, rest)) => (schedule.leaves[id], left) = (after, rest),
            None => problem.not_before.fill(0),
        }
    }
}

/// The schedule of a loop in which full recurrences read nothing late; `None` where none does, or where that is not to be had.
fn relieved(leaf: &Leaf, problem: &mut Problem, before: &LeafSchedule) -> Option<LeafSchedule> {
    let recurrences = recurrences(leaf);
    let mut found = None;
    for _ in 0..MAX_ROUNDS {
        let times = &found.as_ref().unwrap_or(before).times;
        let late = late(problem, times, &recurrences);
        if late.is_empty() {
            return found;
        }
        for (node, cycle) in late {
            problem.not_before[node.index()] = i64::from(cycle) + 1;
        }
        found = Some(loops::reschedule(leaf, problem, before)?);
    }
    None
}

/// Operations that read values from outside of their recurrence in the cycle in which those come, where the recurrence fills that
/// cycle; with the cycle. `recurrences` has the number of that of each node.
fn late(problem: &Problem, times: &Times, recurrences: &[Option<usize>]) -> Vec<(NodeId, u32)> {
    let nodes = problem.graph.nodes.ids();
    let places = nodes.filter_map(|node| {
        let recurrence = recurrences[node.index()].filter(|_| times.width[node.index()] > 0)?;
        Some((node, (recurrence, times.start[node.index()])))
    });
    let places: Vec<_> = places.collect();
    let mut ends: BTreeMap<(usize, u32), f64> = BTreeMap::new();
    for &(node, place) in &places {
        let latest = ends.entry(place).or_default();
        *latest = latest.max(end(problem, times, node));
    }
    let full = FULL * problem.budget;
    let late = places.into_iter().filter(|&(node, place)| {
        let (recurrence, cycle) = place;
        let outside = |o: &NodeId| recurrences[o.index()] != Some(recurrence);
        let mut outer = problem.operands(node).iter().filter(|o| outside(o));
        ends[&place] > full && outer.any(|&o| arrival(problem, times, o, cycle) > 0.0)
    });
    late.map(|(node, (_, cycle))| (node, cycle)).collect()
}

/// ns into a cycle after which a value is there in it.
fn arrival(problem: &Problem, times: &Times, node: NodeId, cycle: u32) -> f64 {
    let i = node.index();
    match times.ready[i] == cycle && !problem.is_stable(node) {
        true => times.arrival[i],
        false => 0.0,
    }
}

/// ns into the cycle of its start until which an operation takes.
fn end(problem: &Problem, times: &Times, node: NodeId) -> f64 {
    let cycle = times.start[node.index()];
    match problem.kinds[node.index()] {
        Kind::Pipelined { before, .. } => {
            let operands = problem.operands(node).iter();
            let operands = operands.map(|&o| arrival(problem, times, o, cycle));
            operands.fold(0.0, f64::max) + before
        }
        Kind::Logic(_) => times.arrival[node.index()],
        Kind::Stable | Kind::Register => 0.0,
    }
}
