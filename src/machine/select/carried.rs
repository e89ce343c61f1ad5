//! Float sums that a loop carries from iteration to iteration: they are computed by the adder that is sooner
//! done, since its latency bounds how often an iteration can start.

use super::Lowering;
use super::float_ops::tag;
use crate::hwarith::equal;
use crate::hwarith::graph::{Graph, NodeId, Op, UnitId};
use crate::ir::FloatFormat;
use crate::machine::program::Leaf;
use crate::units::float;

impl Lowering<'_> {
    /// Replaces the adders between a carried value and its next one, in every loop.
    pub(super) fn hasten_carried_sums(&mut self) {
        for leaf in self.program.leaves.ids() {
            for node in carried_calls(&self.program.leaves[leaf]) {
                let format = match &self.program.leaves[leaf].graph.nodes[node].op {
                    Op::Call(unit) => self.adders.get(unit).copied(),
                    _ => None,
                };
                if let (Some(format), Op::Call(adder)) =
                    (format, &self.program.leaves[leaf].graph.nodes[node].op)
                {
                    let adder = *adder;
                    let double_path = self.double_path(format);
                    let unit = self.faster(adder, double_path);
                    self.program.leaves[leaf].graph.nodes[node].op = Op::Call(unit);
                }
            }
        }
    }

    /// The second of two modules that compute the same.
    fn faster(&mut self, slow: UnitId, fast: UnitId) -> UnitId {
        let units = &self.program.units;
        let difference = equal::output_difference(&units[slow].graph, &units[fast].graph);
        equal::kept("double path", slow, fast, difference, self.warnings)
    }

    fn double_path(&mut self, format: FloatFormat) -> UnitId {
        let name = format!("fadd_double_path_{}", tag(format));
        self.unit(&name, format.width(), || float::add_double_path(format))
    }
}

/// The calls on a way from a carried value to its own next one, in order.
fn carried_calls(leaf: &Leaf) -> Vec<NodeId> {
    let graph = &leaf.graph;
    let mut carried = vec![false; graph.nodes.len()];
    for phi in leaf.repeat.iter().flat_map(|repeat| &repeat.phis) {
        let after = users(graph, phi.node);
        let before = sources(graph, graph.nodes[phi.node].args[1]);
        for (flag, (after, before)) in carried.iter_mut().zip(after.into_iter().zip(before)) {
            *flag |= after && before;
        }
    }
    let is_call = |id: &NodeId| matches!(graph.nodes[*id].op, Op::Call(_));
    let ids = graph.nodes.ids();
    ids.filter(|id| carried[id.index()] && is_call(id))
        .collect()
}

/// Nodes that depend on `start` within an iteration, and itself.
fn users(graph: &Graph, start: NodeId) -> Vec<bool> {
    let mut found = vec![false; graph.nodes.len()];
    for (id, node) in graph.nodes.iter() {
        let depends = node.op != Op::Phi && node.args.iter().any(|a| found[a.index()]);
        found[id.index()] = id == start || depends;
    }
    found
}

/// Nodes that `end` depends on within an iteration, and itself.
fn sources(graph: &Graph, end: NodeId) -> Vec<bool> {
    let mut found = vec![false; graph.nodes.len()];
    found[end.index()] = true;
    let ids: Vec<NodeId> = graph.nodes.ids().collect();
    for id in ids.into_iter().rev() {
        if found[id.index()] && graph.nodes[id].op != Op::Phi {
            for arg in &graph.nodes[id].args {
                found[arg.index()] = true;
            }
        }
    }
    found
}
