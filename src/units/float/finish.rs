//! Completes an operator's graph: keeps only what its result needs, each node once.
//!
//! The operators are put together from parts that know nothing of each other and so test the same bits
//! more than once, or return something that this operator does not use.

use crate::hwarith::graph::{Graph, NodeId, Op};
use std::collections::HashMap;

/// The pure graph of `result`: inputs, live nodes without duplicates, one output.
pub(super) fn finish(g: &Graph, result: NodeId) -> Graph {
    let live = live(g, result);
    let mut done = Graph {
        steps: g.steps.clone(),
        ..Graph::new()
    };
    let mut renamed: HashMap<NodeId, NodeId> = HashMap::new();
    let mut known = HashMap::new();
    for (id, node) in g.nodes.iter() {
        if !live[id.index()] {
            continue;
        }
        let args: Vec<NodeId> = node.args.iter().map(|a| renamed[a]).collect();
        let key = (node.op.clone(), args, node.ty);
        let new = match known.get(&key) {
            Some(&same) => same,
            None => {
                let new = done.push(key.0.clone(), key.1.clone(), key.2);
                known.insert(key, new);
                new
            }
        };
        if let Some(name) = &node.name {
            done.name(new, name);
        }
        renamed.insert(id, new);
    }
    done.outputs.push(renamed[&result]);
    done
}

/// Nodes that `result` depends on, and all inputs.
fn live(g: &Graph, result: NodeId) -> Vec<bool> {
    let mut live: Vec<bool> = g
        .nodes
        .iter()
        .map(|(id, node)| id == result || matches!(node.op, Op::Input(_)))
        .collect();
    let ids: Vec<NodeId> = g.nodes.iter().map(|(id, _)| id).collect();
    for id in ids.into_iter().rev() {
        if live[id.index()] {
            for arg in &g.nodes[id].args {
                live[arg.index()] = true;
            }
        }
    }
    live
}
