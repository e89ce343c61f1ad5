//! Ways from the values that a loop carries to their own next ones.

use crate::hwarith::graph::{Graph, NodeId, Op};

/// A set of up to 64 carried values.
type Phis = u64;

/// The ways from carried values to their own next ones.
pub(super) struct Cycles {
    /// For each 64 of them, by node: which it depends on within an iteration, and of which the next one depends on it.
    parts: Vec<(Vec<Phis>, Vec<Phis>)>,
}

impl Cycles {
    pub(super) fn new(graph: &Graph, phis: &[NodeId]) -> Cycles {
        let parts = phis.chunks(Phis::BITS as usize);
        let parts = parts.map(|phis| (users(graph, phis), sources(graph, phis)));
        Cycles {
            parts: parts.collect(),
        }
    }

    /// Whether some carried value is what `first` depends on, and its next one depends on `last`.
    pub(super) fn contain(&self, first: NodeId, last: NodeId) -> bool {
        let mut parts = self.parts.iter();
        parts.any(|(after, before)| after[first.index()] & before[last.index()] != 0)
    }
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
            let cycles = Cycles::new(&graph, &phis);
            let on_cycles = all.iter().copied().filter(|&id| cycles.contain(id, id));
            assert!(on_cycles.eq(expected));
        }
    }
}
