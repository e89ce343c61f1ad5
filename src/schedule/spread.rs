//! How far values are carried to the multipliers and memories that read them.

use super::device::Device;
use crate::hwarith::graph::Op;
use crate::hwarith::{Graph, NodeId};
use crate::machine::program::{Leaf, Program};
use std::collections::{BTreeMap, BTreeSet};

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

/// Memories from which on what all of them read at comes from a register: that has copies beside them.
const MANY_MEMORIES: usize = 17;

/// Loads at an address that so many of a leaf have in common; not those without a clock.
pub fn wide_loads(leaf: &Leaf, program: &Program) -> BTreeSet<NodeId> {
    let mut loads: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for access in &leaf.accesses {
        let node = &leaf.graph.nodes[access.node];
        if let (Op::Load(mem), Some(&address)) = (&node.op, node.args.first())
            && !program.mems[*mem].is_asynchronous
        {
            loads.entry(address).or_default().push(access.node);
        }
    }
    loads.retain(|_, loads| loads.len() >= MANY_MEMORIES);
    loads.into_values().flatten().collect()
}

/// What makes a value, past the wires that give it another width. Parts of a value go to blocks of their own.
fn source(graph: &Graph, mut value: NodeId) -> NodeId {
    while let (Op::Cast, [from]) = (&graph.nodes[value].op, &graph.nodes[value].args[..]) {
        value = *from;
    }
    value
}
