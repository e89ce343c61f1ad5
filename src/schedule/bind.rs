//! Operators of which a directive allows only so many: all calls share those that there are, and where they are too few a loop
//! begins its iterations less often.

use super::device::Device;
use super::share::{Calls, Sharing, most_users_of_one, operand_bits};
use super::{NoSchedule, Shared, Variant, loops, units};
use crate::hwarith::graph::UnitId;
use std::collections::BTreeMap;

impl Sharing<'_, '_> {
    /// Has an operator have at most so many instances: by sharing that costs nothing, else whatever it costs.
    pub fn bind_unit(&mut self, unit: UnitId, most: u32, calls: &Calls) -> Result<(), NoSchedule> {
        self.share_unit(unit, calls.clone());
        match self.instances(unit, calls) <= most {
            true => Ok(()),
            false => {
                let count: usize = calls.values().map(Vec::len).sum();
                self.bind(unit, most, calls, count.div_ceil(most as usize))
            }
        }
    }

    /// Binds operators again of which leaves that were scheduled since, for the sake of another one, spread the calls in a way
    /// that their choice is too short for.
    pub fn bind_again(&mut self, calls: &BTreeMap<UnitId, Calls>) -> Result<(), NoSchedule> {
        // Each time an instance has to choose among more calls, so that this ends.
        loop {
            let shared = self.shared.iter();
            let mut shared = shared.map(|(unit, choice, calls)| (*unit, *choice, calls));
            let Some((unit, ..)) = shared.find(|one| !self.is_paid(*one, &[])) else {
                return Ok(());
            };
            let (most, calls) = (self.program.units[unit].most.unwrap_or(1), &calls[&unit]);
            let scheduled = calls
                .keys()
                .map(|&leaf| (leaf, &self.schedule.leaves[leaf]));
            let users = most_users_of_one(calls, scheduled);
            self.bind(unit, most, calls, users)?;
        }
    }

    /// Instances that calls have now, those among them that a shared variant may still come to use.
    fn instances(&self, unit: UnitId, calls: &Calls) -> u32 {
        let variants = &self.schedule.units[unit].variants;
        let mut of_shared: BTreeMap<u32, u32> = BTreeMap::new();
        let mut alone = 0;
        for (&leaf, nodes) in calls {
            for &node in nodes {
                let choice = self.problems[leaf].choice(node);
                match variants[choice as usize].shared {
                    Some(shared) => _ = of_shared.insert(choice, shared.instances),
                    None => alone += 1,
                }
            }
        }
        alone + of_shared.into_values().sum::<u32>()
    }

    /// All calls share `most` instances. How many calls share one, hence how long the choice of operands takes, is known once
    /// there is a schedule: it is done again until the choice is paid for.
    /// An instance chooses among `users` calls, or more.
    fn bind(
        &mut self,
        unit: UnitId,
        most: u32,
        calls: &Calls,
        users: usize,
    ) -> Result<(), NoSchedule> {
        let name = &self.program.units[unit].name;
        let limit = |why: String| NoSchedule::Limit(format!("--bind {name}={most}: {why}"));
        let choice = self.bound(unit, most, calls, users).map_err(limit)?;
        self.is_shared(unit, choice, calls.clone());
        Ok(())
    }

    /// The variant that the calls share then.
    fn bound(
        &mut self,
        unit: UnitId,
        most: u32,
        calls: &Calls,
        mut users: usize,
    ) -> Result<u32, String> {
        let alone = self.fastest(unit, calls).clone();
        let bits = operand_bits(&alone);
        let choice = self.schedule.units[unit].variants.len();
        loop {
            let choice_delay = choice_delay(&alone, (users, most), self.device, self.budget)?;
            let shared = Shared {
                instances: most,
                is_even: false,
                choice_delay,
                is_far: alone.latency > 0 && choice_delay >= self.budget,
            };
            let name = &self.program.units[unit].name;
            let variant = units::shared(name, &alone, shared, self.device, self.budget)
                .filter(|variant| variant.latency > 0)
                .ok_or("it has no schedule behind a choice of operands")?;
            let variants = &mut self.schedule.units[unit].variants;
            variants.truncate(choice);
            variants.push(variant);
            for (&leaf, nodes) in calls {
                let problem = &mut self.problems[leaf];
                for &node in nodes {
                    problem.choose(node, choice as u32, &self.schedule.units);
                }
                let of = &self.program.leaves[leaf];
                self.schedule.leaves[leaf] =
                    loops::schedule_leaf(self.program, of, problem, &self.schedule.units)?;
            }
            let leaves = calls.keys();
            let scheduled = leaves.map(|&leaf| (leaf, &self.schedule.leaves[leaf]));
            users = users.max(most_users_of_one(calls, scheduled));
            let (device, budget) = (self.device, self.budget);
            if device.spread_choice_delay(users, most, bits, budget) <= shared.choice_delay {
                return Ok(choice as u32);
            }
        }
    }

    /// The fastest variant that one of the calls has now.
    fn fastest(&self, unit: UnitId, calls: &Calls) -> &Variant {
        let choices = calls.iter().flat_map(|(&leaf, nodes)| {
            let problem = &self.problems[leaf];
            nodes.iter().map(|&node| problem.choice(node))
        });
        let of_unit = &self.schedule.units[unit];
        &of_unit.variants[of_unit.fastest(choices).unwrap_or(0) as usize]
    }
}

/// ns that the choice among the operands of so many calls takes, in front of so many instances. Errors: more than there are in a
/// cycle.
fn choice_delay(
    alone: &Variant,
    (users, instances): (usize, u32),
    device: &Device,
    budget: f64,
) -> Result<f64, String> {
    let delay = device.spread_choice_delay(users, instances, operand_bits(alone), budget);
    match (delay > budget, alone.latency) {
        (true, _) => Err(format!(
            "the choice among the operands of {users} calls takes {delay:.1} ns, longer than a cycle"
        )),
        // Without a register between them, the result of one call and the operands of the next would be a loop of logic.
        (_, 0) => Ok(budget),
        _ => Ok(delay),
    }
}
