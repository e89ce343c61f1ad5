//! How far values are carried to the multipliers that read them.

use super::device::Device;
use crate::hwarith::graph::Op;
use crate::hwarith::{Graph, NodeId};

/// How many multipliers read each value of a graph. They are blocks at places of their own all over the device, and a value
/// that many of them read has a long way to the farthest one.
pub struct Spread<'g> {
    graph: &'g Graph,
    /// By the node that makes the value.
    multipliers: Vec<u32>,
}

impl<'g> Spread<'g> {
    /// Counts the products of a graph of which any bit is demanded; `width` are the demanded bits of its nodes.
    pub fn new(graph: &'g Graph, width: &[u32]) -> Spread<'g> {
        let mut multipliers = vec![0; graph.nodes.len()];
        for (id, node) in graph.nodes.iter() {
            if node.op == Op::Mul && width[id.index()] > 0 {
                for &arg in &node.args {
                    multipliers[source(graph, arg).index()] += 1;
                }
            }
        }
        Spread { graph, multipliers }
    }

    /// ns that the operands of a node take to it beyond those of a route to something nearby.
    pub fn delay(&self, id: NodeId, device: &Device) -> f64 {
        let node = &self.graph.nodes[id];
        if node.op != Op::Mul {
            return 0.0;
        }
        let sources = node.args.iter().map(|&arg| source(self.graph, arg));
        let most = sources.map(|source| self.multipliers[source.index()]).max();
        device.distance(most.unwrap_or(0).into(), node.ty.width)
    }
}

/// What makes a value, past the wires that give it another width. Parts of a value go to blocks of their own.
fn source(graph: &Graph, mut value: NodeId) -> NodeId {
    while let (Op::Cast, [from]) = (&graph.nodes[value].op, &graph.nodes[value].args[..]) {
        value = *from;
    }
    value
}
