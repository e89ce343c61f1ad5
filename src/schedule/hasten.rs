//! Operators that are larger and sooner done, where a kernel takes less time with them: in blocks, which wait for every cycle of
//! theirs, and on recurrences, which bound how often a loop begins an iteration.

use super::device::Device;
use super::forecast::{self, cycles_of_leaf};
use super::problem::Problem;
use super::{LeafSchedule, Schedule, loops, units};
use crate::arena::Table;
use crate::diagnostics::Diagnostics;
use crate::hwarith::NodeId;
use crate::hwarith::graph::UnitId;
use crate::machine::program::{Leaf, LeafId, Program};
use crate::machine::recurrence::waited_for;
use std::collections::BTreeMap;

/// They are taken if the kernel takes one part in so many less of its cycles.
const LEAST_GAIN: u64 = 25;

/// Has calls take them, unless they take more multiplier blocks than there may be.
pub fn hasten(
    program: &Program,
    (device, budget): (&Device, f64),
    problems: &mut Table<LeafId, Problem>,
    schedule: &mut Schedule,
    warnings: &mut Diagnostics,
) {
    if program.units.values().all(|unit| unit.fast.is_none()) {
        return;
    }
    let least = forecast::cycles(program, schedule) / LEAST_GAIN;
    let runs = forecast::runs(program);
    let mut choices = Choices::new();
    let mut gain = 0u64;
    let mut taken = Vec::new();
    for (id, leaf) in program.leaves.iter() {
        let problem = &mut problems[id];
        let calls = waiting(program, leaf, problem, &schedule.leaves[id]);
        for (_, unit) in &calls {
            let make = || add_variant(program, *unit, (device, budget), schedule, warnings);
            choices.entry(*unit).or_insert_with(make);
        }
        let faster = calls.iter();
        let faster = faster.filter_map(|(call, unit)| Some((*call, choices[unit]?)));
        let before = &schedule.leaves[id];
        match hastened(program, leaf, problem, (before, schedule), faster.collect()) {
            Some((after, less)) => {
                gain = gain.saturating_add(runs[id].saturating_mul(less));
                taken.push((id, std::mem::replace(&mut schedule.leaves[id], after)));
            }
            None => restore(problem, before, schedule),
        }
    }
    let is_worth_it = gain >= least;
    let fits = forecast::blocks(program, schedule) <= program.most_blocks;
    if !is_worth_it || !fits {
        for (id, before) in taken {
            restore(&mut problems[id], &before, schedule);
            schedule.leaves[id] = before;
        }
    }
}

/// The number of an operator's faster variant, if there is one.
type Choices = BTreeMap<UnitId, Option<u32>>;

/// The calls of a leaf for whose faster operators it may have a shorter interval, or as a block fewer cycles.
fn waiting(
    program: &Program,
    leaf: &Leaf,
    problem: &Problem,
    before: &LeafSchedule,
) -> Vec<(NodeId, UnitId)> {
    if before.ii == Some(1) {
        return Vec::new();
    }
    let mut calls = waited_for(leaf, |unit| program.units[unit].fast.is_some());
    // Results that nothing reads have no operator.
    calls.retain(|(call, _)| problem.width[call.index()] > 0);
    calls
}

/// Adds the faster implementation of an operator, and returns its number; `None` if it takes no less time.
fn add_variant(
    program: &Program,
    unit: UnitId,
    clock: (&Device, f64),
    schedule: &mut Schedule,
    warnings: &mut Diagnostics,
) -> Option<u32> {
    let fast = units::fast(&program.units[unit], clock, warnings)?;
    let variants = &mut schedule.units[unit].variants;
    let is_faster = variants.iter().all(|other| fast.latency < other.latency);
    is_faster.then(|| {
        variants.push(fast);
        variants.len() as u32 - 1
    })
}

/// A leaf whose calls take these variants, and how many cycles fewer it takes then; `None` if it takes no fewer.
fn hastened(
    program: &Program,
    leaf: &Leaf,
    problem: &mut Problem,
    (before, schedule): (&LeafSchedule, &Schedule),
    faster: Vec<(NodeId, u32)>,
) -> Option<(LeafSchedule, u64)> {
    if faster.is_empty() {
        return None;
    }
    if before.ii.is_some() {
        // What had time to be rolled may have it no more.
        problem.set_calls(&schedule.units);
    }
    for (call, choice) in faster {
        problem.choose(call, choice, &schedule.units);
    }
    let after = match before.ii {
        Some(_) => loops::schedule_leaf(program, leaf, problem, &schedule.units).ok(),
        None => loops::reschedule(leaf, problem, before),
    }?;
    let less = cycles_of_leaf(leaf, before).checked_sub(cycles_of_leaf(leaf, &after))?;
    (less > 0).then_some((after, less))
}

/// Has calls take the variants that a schedule says.
fn restore(problem: &mut Problem, before: &LeafSchedule, schedule: &Schedule) {
    for call in problem.calls() {
        problem.choose(call, before.variants[call.index()], &schedule.units);
    }
}
