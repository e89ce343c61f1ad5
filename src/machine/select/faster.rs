//! Operators that take many cycles get a second description, larger and sooner done, where something may wait for them: in blocks, and
//! on the way of a recurrence.

use super::float_ops::tag;
use super::{Lowering, unit_graph};
use crate::hwarith::graph::{Op, UnitId};
use crate::machine::program::Leaf;
use crate::machine::recurrence::recurrent;
use crate::units::float;
use std::collections::BTreeSet;

impl Lowering<'_> {
    /// Describes them a second time.
    pub(super) fn offer_faster(&mut self) {
        let mut waited_for: BTreeSet<UnitId> = BTreeSet::new();
        for leaf in self.program.leaves.values() {
            waited_for.extend(self.waited_for(leaf));
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

    /// Those that a leaf calls where something may wait.
    fn waited_for(&self, leaf: &Leaf) -> Vec<UnitId> {
        let called = |op: &Op| match op {
            Op::Call(unit) if self.long.contains_key(unit) => Some(*unit),
            _ => None,
        };
        let nodes = leaf.graph.nodes.iter();
        let calls = nodes.filter_map(|(node, it)| Some((node, called(&it.op)?)));
        let mut calls: Vec<_> = calls.collect();
        if !calls.is_empty() && leaf.repeat.is_some() {
            let recurrent = recurrent(leaf);
            calls.retain(|(node, _)| recurrent[node.index()]);
        }
        calls.into_iter().map(|(_, unit)| unit).collect()
    }
}
