//! Operators: how many there are, and who shares them.

use super::{Gather, Part};
use crate::hwarith::graph::{Op, UnitId};
use crate::report::data::{Call, Unit};
use crate::schedule::Variant;

impl Gather<'_> {
    pub(super) fn units(&self) -> Vec<Unit> {
        let mut units = Vec::new();
        for part in &self.parts {
            for ((unit, choice), variant) in part.schedule.variants(part.program) {
                units.push(self.unit(part, unit, choice, variant));
            }
        }
        units
    }

    fn unit(&self, part: &Part, unit: UnitId, choice: u32, variant: &Variant) -> Unit {
        let calls = self.calls(part, unit, choice);
        let own = calls.iter().filter(|call| call.instance.is_none()).count();
        let last = calls.iter().filter_map(|call| call.instance).max();
        let name = &part.program.units[unit].name;
        let area = self.area_of(name, variant).unwrap_or_default();
        Unit {
            name: name.clone(),
            process: part.process.clone(),
            latency: variant.latency.into(),
            interval: variant.interval.into(),
            instances: own as u64 + last.map_or(0, |last| last + 1),
            choice_ns: variant
                .shared
                .map(|shared| super::rounded(shared.choice_delay)),
            luts: area.luts.round(),
            registers: area.registers.round() as u64,
            blocks: area.blocks,
            calls,
        }
    }

    /// What one instance takes.
    pub(super) fn area_of(&self, unit: &str, variant: &Variant) -> Option<crate::rtl::area::Area> {
        let modules = &self.areas.modules;
        let name = format!("{unit}{}", variant.kind());
        modules.get(&name).or_else(|| modules.get(unit)).copied()
    }

    fn calls(&self, part: &Part, unit: UnitId, choice: u32) -> Vec<Call> {
        let mut calls = Vec::new();
        for (leaf, of) in part.program.leaves.iter() {
            let scheduled = &part.schedule.leaves[leaf];
            for (node, it) in of.graph.nodes.iter() {
                let i = node.index();
                let is_it = it.op == Op::Call(unit) && scheduled.variants[i] == choice;
                if is_it && scheduled.times.width[i] > 0 {
                    calls.push(Call {
                        place: it.span.map(|span| self.place(span)),
                        pipeline: part.pipeline(leaf),
                        cycle: scheduled.times.start[i].into(),
                        instance: scheduled.instances[i].map(u64::from),
                    });
                }
            }
        }
        calls
    }
}
