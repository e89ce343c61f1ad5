//! How gates share lookup tables: a chain of bitwise operations of few inputs is one table deep, not one a gate.
//!
//! Each node keeps a cut (Cong and Ding, FlowMap, 1994, for cuts of a mapped network): the values of which one table
//! computes a bit of it, and when the latest of them is there. A leaf is a node with a bit offset, so that a cut can
//! reach through extractions.

use super::Times;
use crate::hwarith::graph::{Op, Predicate};
use crate::hwarith::{Graph, NodeId};

/// Inputs of a lookup table.
const INPUTS: usize = 4;

#[derive(Clone, Debug, Default)]
struct Cut {
    leaves: Vec<(NodeId, u32)>,
    /// Arrival of the latest leaf, in ns.
    base: f64,
}

/// Cuts of the nodes seen so far.
pub struct Cuts<'g> {
    graph: &'g Graph,
    cuts: Vec<Option<Cut>>,
}

impl<'g> Cuts<'g> {
    /// No node seen.
    pub fn new(graph: &'g Graph) -> Self {
        Cuts {
            graph,
            cuts: vec![None; graph.nodes.len()],
        }
    }

    /// When the operation of `id` can begin in `cycle`, given that its operands arrive at `offset`; records its cut.
    pub fn start(&mut self, id: NodeId, offset: f64, cycle: i64, times: &Times) -> f64 {
        let node = &self.graph.nodes[id];
        let cut = match &node.op {
            op if is_gate(self.graph, op, &node.args) => self.gate(&node.args, cycle, times),
            Op::Not | Op::Cast => self.operand(node.args[0], cycle, times),
            Op::Extract { lo } => {
                let mut cut = self.operand(node.args[0], cycle, times);
                cut.leaves.iter_mut().for_each(|leaf| leaf.1 += lo);
                cut
            }
            // The same bit many times over.
            Op::Concat
                if node.args.iter().all(|a| *a == node.args[0])
                    && self.graph.width(node.args[0]) == 1 =>
            {
                self.operand(node.args[0], cycle, times)
            }
            _ => return offset,
        };
        let start = match node.op {
            // Wires, and complements that the next table takes in.
            Op::Not | Op::Cast | Op::Extract { .. } | Op::Concat => offset,
            _ => cut.base,
        };
        self.cuts[id.index()] = Some(cut);
        start
    }

    /// The merged cut of a gate's operands, or the operands themselves if that has too many leaves.
    fn gate(&self, args: &[NodeId], cycle: i64, times: &Times) -> Cut {
        let mut merged = Cut::default();
        for &arg in args {
            let cut = self.operand(arg, cycle, times);
            for leaf in cut.leaves {
                if !merged.leaves.contains(&leaf) {
                    merged.leaves.push(leaf);
                }
            }
            merged.base = merged.base.max(cut.base);
        }
        if merged.leaves.len() <= INPUTS {
            return merged;
        }
        let mut whole = Cut::default();
        for &arg in args {
            let leaf = self.leaf(arg, cycle, times);
            whole.leaves.extend(leaf.leaves);
            whole.base = whole.base.max(leaf.base);
        }
        whole
    }

    fn operand(&self, arg: NodeId, cycle: i64, times: &Times) -> Cut {
        let here = i64::from(times.ready[arg.index()]) == cycle;
        match &self.cuts[arg.index()] {
            Some(cut) if here => cut.clone(),
            _ => self.leaf(arg, cycle, times),
        }
    }

    fn leaf(&self, arg: NodeId, cycle: i64, times: &Times) -> Cut {
        if self.graph.as_const(arg).is_some() {
            return Cut::default();
        }
        let here = i64::from(times.ready[arg.index()]) == cycle;
        Cut {
            leaves: vec![(arg, 0)],
            base: if here {
                times.arrival[arg.index()]
            } else {
                0.0
            },
        }
    }
}

/// Operations of which each result bit depends on one bit of each operand.
fn is_gate(graph: &Graph, op: &Op, args: &[NodeId]) -> bool {
    match op {
        Op::And | Op::Or | Op::Xor | Op::Mux => true,
        Op::Icmp(Predicate::Eq | Predicate::Ne) => args.iter().all(|&a| graph.width(a) == 1),
        _ => false,
    }
}
