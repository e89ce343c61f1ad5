//! Operators that several calls share: each instance takes the operands of the call whose cycle it is.

use super::Top;
use super::cells::Cells;
use crate::hash::FastMap;
use crate::hwarith::graph::UnitId;
use crate::rtl::netlist::*;
use std::collections::{BTreeMap, BTreeSet};

/// An instance of a variant of an operator.
pub type InstanceKey = (UnitId, u32, u32);

/// A call of a shared instance.
pub struct CallUse {
    pub key: InstanceKey,
    /// 1 in the cycle in which the call has its operands there.
    pub active: Operand,
    pub operands: Vec<Operand>,
}

/// Nets of the results of shared instances.
pub type Results = BTreeMap<InstanceKey, NetId>;

impl Top<'_> {
    /// Nets of the results of the instances that have calls; leaves need them before the instances are complete.
    pub(super) fn declare_operator_results(&mut self) {
        let mut keys: BTreeSet<InstanceKey> = BTreeSet::new();
        for (leaf, schedule) in self.schedule.leaves.iter() {
            let nodes = self.program.leaves[leaf].graph.nodes.ids();
            keys.extend(
                nodes
                    .zip(&schedule.instances)
                    .filter_map(|(node, instance)| {
                        let (unit, choice) = self.schedule.called(self.program, leaf, node)?;
                        Some((unit, choice, (*instance)?))
                    }),
            );
        }
        for key @ (unit, _, instance) in keys {
            let unit = &self.program.units[unit];
            let net = self
                .cells
                .net(&format!("{}_{instance}", unit.name), unit.width);
            self.results.insert(key, net);
        }
    }

    /// Completes the instances that have calls.
    pub(super) fn drive_operators(&mut self) {
        let mut calls: BTreeMap<InstanceKey, Vec<CallUse>> = BTreeMap::new();
        for call in std::mem::take(&mut self.calls) {
            calls.entry(call.key).or_default().push(call);
        }
        if calls.is_empty() {
            return;
        }
        self.align_operands(&mut calls);
        self.cells.comment("operators that calls share");
        for (key, calls) in &calls {
            self.shared_instance(*key, calls);
        }
    }

    /// Has operators that commute take on their last port what most calls take: that port then has fewer nets to choose from, and
    /// where an operand goes to all instances, they have one choice of it in common.
    fn align_operands(&self, calls: &mut BTreeMap<InstanceKey, Vec<CallUse>>) {
        let mut takers: FastMap<(UnitId, Operand), u32> = FastMap::default();
        for ((unit, ..), calls) in calls.iter() {
            for operand in calls.iter().flat_map(|call| &call.operands) {
                *takers.entry((*unit, operand.clone())).or_default() += 1;
            }
        }
        for ((unit, ..), calls) in calls.iter_mut() {
            if self.program.units[*unit].commutes {
                for call in calls {
                    let takers = |operand: &Operand| takers[&(*unit, operand.clone())];
                    call.operands.sort_by_key(takers);
                }
            }
        }
    }

    fn shared_instance(&mut self, key: InstanceKey, calls: &[CallUse]) {
        let (unit, choice, _) = key;
        let result = self.results[&key];
        let label = self.cells.name(result).to_string();
        let starts = self.schedule.units[unit].variants[choice as usize].interval > 1;
        let start = starts.then(|| {
            let active: Vec<Operand> = calls.iter().map(|call| call.active.clone()).collect();
            self.cells.any(&active, &format!("{label}_start"))
        });
        let operands = (0..calls[0].operands.len()).map(|i| {
            let choices = calls
                .iter()
                .map(|call| (call.active.clone(), call.operands[i].clone()));
            let choices: Vec<(Operand, Operand)> = choices.collect();
            let chosen = self.cells.select(&choices, &format!("{label}_in{i}"));
            chosen.expect("an instance that is kept has calls")
        });
        let operands: Vec<Operand> = operands.collect();
        let id = self.units[&(unit, choice)];
        let module = &self.design.modules[id];
        instance(
            &mut self.cells,
            (id, module),
            &label,
            start,
            operands,
            result,
            None,
        );
    }
}

/// An instance of an operator's module; `start` if it takes operands only now and then.
pub fn instance(
    cells: &mut Cells,
    (id, module): (ModuleId, &Module),
    label: &str,
    start: Option<Operand>,
    operands: Vec<Operand>,
    result: NetId,
    origin: Option<Origin>,
) {
    let mut connections = Vec::new();
    connections.extend(module.clock.and(cells.module.clock));
    connections.extend(start.map(|start| cells.as_net(start, &format!("{label}_start"))));
    for (i, operand) in operands.into_iter().enumerate() {
        connections.push(cells.as_net(operand, &format!("{label}_in{i}")));
    }
    connections.push(result);
    // No name of the module inside, which the instance's would hide.
    let inside = |name: &str| module.nets.values().any(|net| net.name == name);
    let mut name = cells.namer.numbered(&format!("u_{label}"));
    while inside(&name) {
        name = cells.namer.numbered(&format!("u_{label}"));
    }
    cells.module.items.push(Item::Instance(Instance {
        module: id,
        name,
        connections,
        origin,
    }));
}
