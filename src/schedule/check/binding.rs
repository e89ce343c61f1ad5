//! Whether calls that share an operator leave it to one another in time, and the choice between them is paid for.

use super::TOLERANCE;
use crate::hwarith::graph::UnitId;
use crate::machine::program::Program;
use crate::schedule::device::Device;
use crate::schedule::{self, Schedule};
use std::collections::{BTreeMap, BTreeSet};

/// Checks every call of every leaf; leaves exclude one another.
pub fn check(program: &Program, schedule: &Schedule, device: &Device) -> Result<(), String> {
    let budget = schedule::budget(device, schedule.period);
    let mut users: BTreeMap<(UnitId, u32, u32), usize> = BTreeMap::new();
    let mut alone: BTreeMap<UnitId, usize> = BTreeMap::new();
    for (index, leaf) in schedule.leaves.iter() {
        let mut busy = BTreeSet::new();
        for node in program.leaves[index].graph.nodes.ids() {
            let instance = leaf.instances.get(node.index()).copied().flatten();
            let Some((unit, choice)) = schedule.called(program, index, node) else {
                continue;
            };
            if leaf.times.width[node.index()] == 0 {
                continue;
            }
            let variant = &schedule.units[unit].variants[choice as usize];
            let instance = match (instance, variant.shared) {
                (None, None) => {
                    *alone.entry(unit).or_default() += 1;
                    continue;
                }
                (Some(instance), Some(shared)) if instance < shared.instances => instance,
                _ => return Err(format!("%{} has no instance of its operator", node.index())),
            };
            let key = (unit, choice, instance);
            *users.entry(key).or_default() += 1;
            let start = leaf.times.start[node.index()];
            for cycle in start..start + variant.interval {
                let slot = leaf.ii.map_or(cycle, |ii| cycle % ii);
                if !busy.insert((key, slot)) {
                    return Err(format!("%{} finds its operator busy", node.index()));
                }
            }
        }
    }
    for (id, unit) in program.units.iter() {
        let shared = users.keys().filter(|(user, ..)| *user == id).count();
        let alone = alone.get(&id).copied().unwrap_or(0);
        if unit.most.is_some_and(|most| shared + alone > most as usize) {
            return Err(format!("more instances of {} than directed", unit.name));
        }
    }
    for ((unit, choice, _), users) in users {
        let variant = &schedule.units[unit].variants[choice as usize];
        let widths = variant.graph.input_types().into_iter().map(|ty| ty.width);
        let width = widths.max().unwrap_or(1);
        let instances = variant.shared.map_or(1, |shared| shared.instances);
        let needed = device.spread_choice_delay(users, instances, width, budget);
        let paid = variant.shared.map_or(0.0, |shared| shared.choice_delay);
        if needed > paid + TOLERANCE {
            return Err(format!(
                "the choice of operands of {} takes {needed:.2} ns, not {paid:.2} ns",
                program.units[unit].name
            ));
        }
    }
    Ok(())
}
