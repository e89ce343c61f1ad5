//! Float sums that a loop carries from iteration to iteration: they are computed by the adder that is sooner
//! done, since its latency bounds how often an iteration can start.

use super::Lowering;
use super::float_ops::tag;
use crate::hwarith::equal;
use crate::hwarith::graph::{Graph, NodeId, Op, UnitId};
use crate::ir::FloatFormat;
use crate::machine::program::{Leaf, LeafId};
use crate::units::float;
use std::collections::BTreeMap;

impl Lowering<'_> {
    /// Replaces the adders between a carried value and its next one, in every loop.
    pub(super) fn hasten_carried_sums(&mut self) {
        let mut faster: BTreeMap<UnitId, UnitId> = BTreeMap::new();
        for leaf in self.program.leaves.ids() {
            for node in self.carried_adders(leaf) {
                let Op::Call(adder) = self.program.leaves[leaf].graph.nodes[node].op else {
                    continue;
                };
                let unit = match (faster.get(&adder), self.adders.get(&adder)) {
                    (Some(&known), _) => known,
                    (None, Some(&format)) => {
                        let double_path = self.double_path(format);
                        self.faster(adder, double_path)
                    }
                    (None, None) => continue,
                };
                faster.insert(adder, unit);
                self.program.leaves[leaf].graph.nodes[node].op = Op::Call(unit);
            }
        }
    }

    /// The calls of adders on a way from a carried value to its own next one, in order.
    fn carried_adders(&self, leaf: LeafId) -> Vec<NodeId> {
        let Leaf { graph, repeat, .. } = &self.program.leaves[leaf];
        let is_adder = |op: &Op| matches!(op, Op::Call(unit) if self.adders.contains_key(unit));
        let adders = graph.nodes.iter().filter(|(_, node)| is_adder(&node.op));
        let phis = repeat.iter().flat_map(|repeat| &repeat.phis);
        let phis: Vec<NodeId> = phis.map(|phi| phi.node).collect();
        on_the_way(graph, &phis, adders.map(|(id, _)| id).collect())
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

/// A set of up to 64 carried values.
type Phis = u64;

/// The nodes on a way from a carried value to its own next one that are of the given ones, in order.
fn on_the_way(graph: &Graph, phis: &[NodeId], nodes: Vec<NodeId>) -> Vec<NodeId> {
    if nodes.is_empty() {
        return nodes;
    }
    let mut carried = vec![false; nodes.len()];
    for phis in phis.chunks(Phis::BITS as usize) {
        let (after, before) = (users(graph, phis), sources(graph, phis));
        for (flag, node) in carried.iter_mut().zip(&nodes) {
            *flag |= after[node.index()] & before[node.index()] != 0;
        }
    }
    let carried = nodes
        .into_iter()
        .zip(carried)
        .filter(|(_, carried)| *carried);
    carried.map(|(node, _)| node).collect()
}

/// By node: the carried values that it depends on within an iteration, or is.
fn users(graph: &Graph, phis: &[NodeId]) -> Vec<Phis> {
    let mut found = vec![0; graph.nodes.len()];
    for (i, phi) in phis.iter().enumerate() {
        found[phi.index()] = 1 << i;
    }
    for (id, node) in graph.nodes.iter().filter(|(_, node)| node.op != Op::Phi) {
        let operands = node.args.iter().map(|arg| found[arg.index()]);
        found[id.index()] = operands.fold(0, |all, one| all | one);
    }
    found
}

/// By node: the carried values of which the next one depends on it within an iteration, or is it.
fn sources(graph: &Graph, phis: &[NodeId]) -> Vec<Phis> {
    let mut found = vec![0; graph.nodes.len()];
    for (i, phi) in phis.iter().enumerate() {
        let next = graph.nodes[*phi].args[1];
        found[next.index()] |= 1 << i;
    }
    for (id, node) in graph
        .nodes
        .iter()
        .rev()
        .filter(|(_, node)| node.op != Op::Phi)
    {
        let all: Phis = found[id.index()];
        node.args.iter().for_each(|arg| found[arg.index()] |= all);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hwarith::HwType;
    use crate::hwarith::graph::Node;
    use crate::hwarith::testing::Random;

    fn node(graph: &mut Graph, op: Op, args: Vec<NodeId>) -> NodeId {
        graph.nodes.push(Node {
            op,
            args,
            ty: HwType::ui(8),
            span: None,
            name: None,
        })
    }

    /// Whether each node depends on `from`, or is it.
    fn dependents(graph: &Graph, from: NodeId) -> Vec<bool> {
        let mut found = vec![false; graph.nodes.len()];
        for (id, node) in graph.nodes.iter() {
            let depends = node.op != Op::Phi && node.args.iter().any(|a| found[a.index()]);
            found[id.index()] = id == from || depends;
        }
        found
    }

    #[test]
    fn a_node_is_on_the_way_of_a_carried_value_that_it_depends_on_and_that_depends_on_it() {
        let mut random = Random::new(5);
        for _ in 0..20 {
            let mut graph = Graph::new();
            // More carried values than a set has.
            let phis: Vec<NodeId> = (0..70).map(|_| node(&mut graph, Op::Phi, vec![])).collect();
            for made in 70..140 {
                let mut operand = || NodeId::new(random.below(made) as usize);
                let args = vec![operand(), operand()];
                node(&mut graph, Op::Xor, args);
            }
            for &phi in &phis {
                let next = NodeId::new(random.below(140) as usize);
                graph.nodes[phi].args = vec![phi, next];
            }
            let all: Vec<NodeId> = graph.nodes.ids().collect();
            let depends = |id: NodeId, on: NodeId| dependents(&graph, on)[id.index()];
            let expected = all.iter().copied().filter(|&id| {
                let mut phis = phis.iter();
                phis.any(|&phi| depends(id, phi) && depends(graph.nodes[phi].args[1], id))
            });
            let expected: Vec<NodeId> = expected.collect();
            assert_eq!(on_the_way(&graph, &phis, all), expected);
        }
    }
}
