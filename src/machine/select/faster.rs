//! Operators that take many cycles get a second description, larger and sooner done, where something may wait for them: in blocks, and
//! on the way of a recurrence.

use super::float_ops::tag;
use super::{Lowering, unit_graph};
use crate::hwarith::graph::UnitId;
use crate::machine::recurrence;
use crate::units::float;
use std::collections::BTreeSet;

impl Lowering<'_> {
    /// Describes them a second time.
    pub(super) fn offer_faster(&mut self) {
        let mut waited_for: BTreeSet<UnitId> = BTreeSet::new();
        for leaf in self.program.leaves.values() {
            let calls = recurrence::waited_for(leaf, |unit| self.long.contains_key(&unit));
            waited_for.extend(calls.into_iter().map(|(_, unit)| unit));
        }
        for unit in waited_for {
            let (name, format) = self.long[&unit];
            let Some(make) = float::operator(name).and_then(|operator| operator.fast) else {
                continue;
            };
            let name = format!("{name}_{}_fast", tag(format));
            let (graph, warnings) = &*unit_graph(&name, || make(format));
            self.warnings.0.extend_from_slice(&warnings.0);
            self.program.units[unit].fast = Some(graph.clone());
        }
    }
}
