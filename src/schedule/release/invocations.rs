//! When the next invocation may begin: while the last pipelines of the one before are still at work, as soon as the two meet
//! nowhere, in no memory, operator, variable, argument or result.

use super::{Ahead, Uses, ahead, reached, reads};
use crate::arena::Table;
use crate::hwarith::graph::{Op, VarId};
use crate::machine::order::Order;
use crate::machine::program::{Leaf, LeafId, Place, Program};
use crate::schedule::{LeafSchedule, Schedule};
use std::collections::BTreeSet;

/// Has the next invocation be asked for before the end, where that is possible. All else about the schedule is known.
pub fn overlap_invocations(program: &Program, schedule: &mut Schedule) {
    let order = Order::of(program);
    let Some(first) = order.first.clone().filter(|first| !first.is_empty()) else {
        return;
    };
    // Who waits for others takes as long as they do, and a block of scalars overlaps with more than one.
    let mut places = program.mems.values().map(|mem| &mem.place);
    if places.any(|place| matches!(place, Place::Stream(_))) || program.only_block().is_some() {
        return;
    }
    let results: Vec<VarId> = program.scalar_results().collect();
    if results.iter().any(|&var| program.vars[var].is_arg) {
        return;
    }
    let uses = Uses::of_all(program, schedule);
    let before = (schedule.drain, release_last(&order, &uses, schedule));
    let invocations = Invocations {
        program,
        schedule,
        order: &order,
        uses: &uses,
        next: following(&order, &uses, first),
    };
    let restart = invocations.restart(&results);
    let until_done = schedule.drain + u32::from(!results.is_empty());
    if restart < until_done {
        schedule.restart = Some(restart);
        return;
    }
    schedule.drain = before.0;
    for (leaf, release) in before.1 {
        schedule.leaves[leaf].release = release;
    }
}

/// What only the end follows is released as soon as that is known, too, and the end waits for it. The releases as they were.
fn release_last(
    order: &Order,
    uses: &Table<LeafId, Uses>,
    schedule: &mut Schedule,
) -> Vec<(LeafId, u32)> {
    let mut before = Vec::new();
    for (leaf, uses) in uses.iter() {
        if order.next[leaf].is_empty() && !order.is_open[leaf] {
            let times = &mut schedule.leaves[leaf];
            before.push((leaf, times.release));
            times.release = uses.release.min(times.depth - 1);
            schedule.drain = schedule.drain.max(times.depth - 1 - times.release);
        }
    }
    before
}

/// What the next invocation begins with, in cycles from its start at least.
fn following(order: &Order, uses: &Table<LeafId, Uses>, first: BTreeSet<LeafId>) -> Ahead {
    let longest = uses.values().map(|uses| uses.depth).max().unwrap_or(0);
    let open = first.into_iter().map(|leaf| (0, leaf)).collect();
    // Twice: what waits for the end waits for what was released before it.
    reached(order, uses, open, longest.saturating_mul(2))
}

struct Invocations<'a> {
    program: &'a Program,
    schedule: &'a Schedule,
    order: &'a Order,
    uses: &'a Table<LeafId, Uses<'a>>,
    next: Ahead,
}

impl Invocations<'_> {
    /// Cycles from the last release to where the next invocation may be asked for.
    fn restart(&self, results: &[VarId]) -> u32 {
        let of_leaves = self.program.leaves.ids().map(|leaf| self.after(leaf));
        let of_results = self.next.leaves.iter().map(|(&leaf, &gap)| {
            let written = results.iter().filter_map(|var| {
                let first = self.uses[leaf].writes.get(var)?;
                Some(
                    self.schedule
                        .drain
                        .saturating_sub(gap.saturating_add(*first)),
                )
            });
            written.max().unwrap_or(0)
        });
        of_leaves.chain(of_results).max().unwrap_or(0)
    }

    /// The same as far as one leaf is concerned, which may still be at work.
    fn after(&self, leaf: LeafId) -> u32 {
        let (of, times) = (&self.program.leaves[leaf], &self.schedule.leaves[leaf]);
        let end = ahead(self.order, self.uses, leaf, times.depth).end;
        // By the end, it is done.
        let Some(end) = end else { return 0 };
        let released = times.release.saturating_add(end);
        let is_argument = |var: VarId| self.program.vars[var].is_arg;
        let arguments = reads(of, times, is_argument).into_values();
        let of_arguments = arguments.map(|last| last.saturating_sub(released));
        let of_leaves = self.next.leaves.iter().map(|(&next, &gap)| {
            let start = match next == leaf {
                true => self.start_of_itself(leaf),
                false => self.uses[leaf].start_of(&self.uses[next], self.order.is_open[next]),
            };
            start.saturating_sub(released.saturating_add(1).saturating_add(gap))
        });
        of_arguments.chain(of_leaves).max().unwrap_or(0)
    }

    /// The first cycle, counted from the start of the last iteration, in which the same loop may be started again.
    fn start_of_itself(&self, leaf: LeafId) -> u32 {
        let (of, times) = (&self.program.leaves[leaf], &self.schedule.leaves[leaf]);
        let uses = &self.uses[leaf];
        if uses.waits || of.repeat.is_none() || self.order.is_open[leaf] || keeps(of) {
            return uses.depth;
        }
        // Its first iteration comes a cycle later, and no sooner than any other one.
        uses.start_of_shared(uses)
            .max(uses.ii - 1)
            .max(carried(of, times))
    }
}

/// Whether a leaf reads a variable that it writes, so that one invocation hands it to the next.
fn keeps(leaf: &Leaf) -> bool {
    let carried = leaf.phis().map(|phi| phi.var);
    let written: BTreeSet<VarId> = leaf
        .writes
        .iter()
        .map(|(var, _)| *var)
        .chain(carried)
        .collect();
    let mut nodes = leaf.graph.nodes.values();
    nodes.any(|node| matches!(node.op, Op::Var(var) if written.contains(&var)))
}

/// The first cycle of the last iteration in which registers of carried values may take what another run begins with.
fn carried(leaf: &Leaf, times: &LeafSchedule) -> u32 {
    let phis = leaf.phis();
    let taken = phis.map(|phi| times.times.carried(&leaf.graph, phi.node) + 1);
    taken.max().unwrap_or(0)
}
