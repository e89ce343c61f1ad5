//! Operators that several calls share: leaves exclude one another, and a loop that starts an iteration every few cycles
//! has a fast operator idle in the others.
//!
//! An instance fewer saves its area and costs a choice in front of one that stays. Who would lose time by it, because the
//! choice makes the operator a cycle longer, keeps operators of its own. (Binding after De Micheli, Synthesis and
//! Optimization of Digital Circuits, 1994, chapter 6; here the binding is the scheduler's, by reservation tables.)

use super::device::{Class, Device};
use super::forecast::{self, area, cycles_of_leaf};
use super::problem::Problem;
use super::{LeafSchedule, NoSchedule, Schedule, Shared, Variant, loops, units};
use crate::arena::Table;
use crate::hwarith::NodeId;
use crate::hwarith::graph::UnitId;
use crate::machine::program::{LeafId, Program};
use std::collections::{BTreeMap, BTreeSet};

/// A leaf may cost the kernel so much time for one operator: one part in so many of its cycles.
const MOST_LOSS: u64 = 100;

/// Part of a clock period that the choice of operands may take.
const MOST_CHOICE: f64 = 0.5;

/// The calls of one operator, by leaf.
pub type Calls = BTreeMap<LeafId, Vec<NodeId>>;

/// Calls in scheduled leaves that share one instance, at most.
pub fn most_users_of_one<'s>(
    calls: &Calls,
    leaves: impl Iterator<Item = (LeafId, &'s LeafSchedule)>,
) -> usize {
    let mut users: BTreeMap<u32, usize> = BTreeMap::new();
    for (leaf, schedule) in leaves {
        let instances = calls[&leaf]
            .iter()
            .filter_map(|node| schedule.instances[node.index()]);
        instances.for_each(|instance| *users.entry(instance).or_default() += 1);
    }
    users.into_values().max().unwrap_or(0)
}

/// Has calls share operators where that saves area, and where a directive says that they must.
///
/// Errors: a limit that cannot be kept.
pub fn share(
    program: &Program,
    device: &Device,
    budget: f64,
    problems: &mut Table<LeafId, Problem>,
    schedule: &mut Schedule,
) -> Result<(), NoSchedule> {
    let mut calls: BTreeMap<UnitId, Calls> = BTreeMap::new();
    for (leaf, problem) in problems.iter() {
        for call in problem.calls() {
            let unit = problem.called(call).expect("it is a call");
            let of_unit = calls.entry(unit).or_default();
            of_unit.entry(leaf).or_default().push(call);
        }
    }
    let mut sharing = Sharing {
        runs: forecast::runs(program),
        most_loss: forecast::cycles(program, schedule) / MOST_LOSS,
        program,
        device,
        budget,
        problems,
        schedule,
        shared: Vec::new(),
    };
    // The limited ones first: loops that take longer for their sake need fewer of the others.
    for (&unit, calls) in &calls {
        if let Some(most) = program.units[unit].most {
            sharing.bind_unit(unit, most, calls)?;
        }
    }
    sharing.bind_again(&calls)?;
    sharing.most_loss = forecast::cycles(program, sharing.schedule) / MOST_LOSS;
    for (unit, calls) in calls {
        if program.units[unit].most.is_none() {
            sharing.share_unit(unit, calls);
        }
    }
    Ok(())
}

/// How many calls an instance has to choose between.
#[derive(Clone, Copy)]
enum Users {
    /// As many as each other one of them, if the schedule comes out so, and so many times the instances that are needed.
    Even(u32),
    /// As many as there may be.
    Any,
}

/// Operands of an operator together.
pub fn operand_bits(variant: &Variant) -> u32 {
    let types = variant.graph.input_types();
    types.iter().map(|ty| ty.width).sum()
}

pub struct Sharing<'s, 'g> {
    /// How often each leaf runs, about.
    runs: Table<LeafId, u64>,
    /// Cycles of the kernel that a leaf may cost.
    most_loss: u64,
    pub program: &'s Program,
    pub device: &'s Device,
    pub budget: f64,
    pub problems: &'s mut Table<LeafId, Problem<'g>>,
    pub schedule: &'s mut Schedule,
    /// The variants that are shared so far, one of an operator, with the calls that share each.
    pub shared: Vec<(UnitId, u32, Calls)>,
}

impl Sharing<'_, '_> {
    /// Shares one operator among as many leaves as lose nothing by it; calls are spread over the instances where the choice in
    /// front of one would be too long otherwise.
    pub fn share_unit(&mut self, unit: UnitId, calls: Calls) {
        let ways = [Users::Any, Users::Even(1), Users::Even(2), Users::Even(4)];
        let _ = ways
            .into_iter()
            .any(|users| self.share_among(unit, calls.clone(), users));
    }

    /// Whether some leaves share now.
    fn share_among(&mut self, unit: UnitId, mut calls: Calls, users: Users) -> bool {
        while let Some(variant) = self.shared_variant(unit, &calls, users) {
            let choice = self.schedule.units[unit].variants.len() as u32;
            self.schedule.units[unit].variants.push(variant);
            let mut found = Vec::new();
            let mut losers = BTreeSet::new();
            for (&leaf, nodes) in &calls {
                match self.rescheduled(leaf, nodes, choice) {
                    Some(schedule) => found.push((leaf, schedule)),
                    None => {
                        losers.insert(leaf);
                    }
                }
            }
            // A leaf that is scheduled again may spread the calls of other operators in another way.
            let others = self.shared.iter();
            let mut others = others.map(|(unit, choice, calls)| (*unit, *choice, calls));
            if losers.is_empty()
                && self.is_paid((unit, choice, &calls), &found)
                && others.all(|other| self.is_paid(other, &found))
            {
                for (leaf, schedule) in found {
                    self.schedule.leaves[leaf] = schedule;
                }
                self.is_shared(unit, choice, calls);
                return true;
            }
            // Back to operators of their own.
            for (&leaf, nodes) in &calls {
                let before = &self.schedule.leaves[leaf].variants;
                for &node in nodes {
                    let problem = &mut self.problems[leaf];
                    problem.choose(node, before[node.index()], &self.schedule.units);
                }
            }
            self.schedule.units[unit].variants.pop();
            if losers.is_empty() {
                return false;
            }
            calls.retain(|leaf, _| !losers.contains(leaf));
        }
        false
    }

    /// Remembers who shares an operator.
    pub fn is_shared(&mut self, unit: UnitId, choice: u32, calls: Calls) {
        self.shared.retain(|(known, ..)| *known != unit);
        self.shared.push((unit, choice, calls));
    }

    /// Whether the choice in front of each instance of a shared variant is as short as that has it, with these schedules of
    /// some leaves.
    pub fn is_paid(
        &self,
        (unit, choice, calls): (UnitId, u32, &Calls),
        found: &[(LeafId, LeafSchedule)],
    ) -> bool {
        let variant = &self.schedule.units[unit].variants[choice as usize];
        let scheduled = calls.keys().map(|leaf| {
            let new = found.iter().find(|(one, _)| one == leaf);
            let schedule = new.map_or(&self.schedule.leaves[*leaf], |(_, schedule)| schedule);
            (*leaf, schedule)
        });
        let most = most_users_of_one(calls, scheduled);
        let paid = variant.shared.map_or(0.0, |shared| shared.choice_delay);
        let instances = variant.shared.map_or(1, |shared| shared.instances);
        let bits = operand_bits(variant);
        let device = self.device;
        device.spread_choice_delay(most, instances, bits, self.budget) <= paid
    }

    /// The variant that these calls would share; `None` if that saves nothing.
    fn shared_variant(&self, unit: UnitId, calls: &Calls, users: Users) -> Option<Variant> {
        let variants = &self.schedule.units[unit].variants;
        let chosen = |(leaf, nodes): (&LeafId, &Vec<NodeId>)| {
            let problem = &self.problems[*leaf];
            let choices = nodes.iter().map(|&node| problem.choice(node));
            choices.collect::<Vec<u32>>()
        };
        let chosen: Vec<u32> = calls.iter().flat_map(chosen).collect();
        let fastest = self.schedule.units[unit].fastest(chosen.iter().copied())?;
        let alone = &variants[fastest as usize];
        let needed = calls
            .iter()
            .map(|(&leaf, nodes)| self.needed(leaf, nodes, alone));
        let instances = match users {
            Users::Any => needed.max()?,
            Users::Even(times) => needed.max()?.saturating_mul(times),
        };
        let fewer = chosen.len().checked_sub(instances as usize)?;
        if fewer == 0 || alone.latency == 0 {
            return None;
        }
        let mut areas: BTreeMap<u32, f64> = BTreeMap::new();
        let mut area = |choice: &u32| {
            let make = || area(&variants[*choice as usize], self.device);
            *areas.entry(*choice).or_insert_with(make)
        };
        let before: f64 = chosen.iter().map(&mut area).sum();
        let operands = operand_bits(alone);
        let per_bit = self.device.area.get(&Class::Mux).copied().unwrap_or(1.0);
        let choices = per_bit * f64::from(operands) * fewer as f64;
        let after = f64::from(instances) * area(&fastest) + choices;
        let most = calls.iter().map(|(&leaf, nodes)| match users {
            Users::Even(_) => nodes.len().div_ceil(instances as usize),
            Users::Any => self.most_users(leaf, nodes, alone),
        });
        let most: usize = most.sum();
        let (device, longest) = (self.device, MOST_CHOICE * self.budget);
        if after >= before || device.choice_delay(most, operands) > longest {
            return None;
        }
        let choice_delay = device.spread_choice_delay(most, instances, operands, self.budget);
        let is_far = choice_delay > longest;
        let shared = Shared {
            instances,
            is_even: matches!(users, Users::Even(_)),
            choice_delay: if is_far { self.budget } else { choice_delay },
            is_far,
        };
        let name = &self.program.units[unit].name;
        units::shared(name, alone, shared, self.device, self.budget)
    }

    /// Instances that a leaf keeps busy at once.
    fn needed(&self, leaf: LeafId, nodes: &[NodeId], variant: &Variant) -> u32 {
        let schedule = &self.schedule.leaves[leaf];
        if let Some(ii) = schedule.ii {
            return (nodes.len() as u32)
                .saturating_mul(variant.interval)
                .div_ceil(ii);
        }
        let mut busy: BTreeMap<u32, u32> = BTreeMap::new();
        for node in nodes {
            let start = schedule.times.start[node.index()];
            for cycle in start..start + variant.interval {
                *busy.entry(cycle).or_default() += 1;
            }
        }
        busy.into_values().max().unwrap_or(0)
    }

    /// Calls of a leaf that may take the same instance.
    fn most_users(&self, leaf: LeafId, nodes: &[NodeId], variant: &Variant) -> usize {
        let in_turn = |ii: u32| (ii / variant.interval).max(1) as usize;
        let ii = self.schedule.leaves[leaf].ii;
        ii.map_or(nodes.len(), |ii| nodes.len().min(in_turn(ii)))
    }

    /// A leaf with the shared variant for these calls; `None` if it loses too much by that.
    fn rescheduled(&mut self, leaf: LeafId, nodes: &[NodeId], choice: u32) -> Option<LeafSchedule> {
        let problem = &mut self.problems[leaf];
        for &node in nodes {
            problem.choose(node, choice, &self.schedule.units);
        }
        let of = &self.program.leaves[leaf];
        let before = &self.schedule.leaves[leaf];
        let after = loops::reschedule(of, problem, before)?;
        let [least, most] = [before, &after].map(|schedule| cycles_of_leaf(of, schedule));
        let loss = self.runs[leaf].saturating_mul(most.saturating_sub(least));
        (after.ii <= before.ii && loss <= self.most_loss).then_some(after)
    }
}
