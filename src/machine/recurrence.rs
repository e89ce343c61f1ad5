//! What depends on itself, through later iterations.

use super::depend::{Dependence, dependences};
use super::program::Leaf;
use crate::hwarith::graph::{Op, UnitId};
use crate::hwarith::{Graph, NodeId};

/// Iterations from which on a recurrence leaves its operations time enough.
const FAR: u64 = 32;

/// By node: whether a recurrence of the leaf goes through it, so that each cycle that it takes may be one between
/// iterations.
pub fn recurrent(leaf: &Leaf) -> Vec<bool> {
    let recurrences = recurrences(leaf).into_iter();
    recurrences.map(|number| number.is_some()).collect()
}

/// The calls of some operators that something waits for: all of a block, and of a loop those that a recurrence goes through.
pub fn waited_for(leaf: &Leaf, some: impl Fn(UnitId) -> bool) -> Vec<(NodeId, UnitId)> {
    let nodes = leaf.graph.nodes.iter();
    let calls = nodes.filter_map(|(id, node)| match node.op {
        Op::Call(unit) if some(unit) => Some((id, unit)),
        _ => None,
    });
    let mut calls: Vec<(NodeId, UnitId)> = calls.collect();
    if !calls.is_empty() && leaf.repeat.is_some() {
        let recurrent = recurrent(leaf);
        calls.retain(|(id, _)| recurrent[id.index()]);
    }
    calls
}

/// By node: the number of what goes through it of recurrences that have a node in common; `None` where none does.
pub fn recurrences(leaf: &Leaf) -> Vec<Option<usize>> {
    let mut users = users(&leaf.graph);
    for Dependence { from, to, distance } in dependences(leaf) {
        if distance < FAR {
            users[from.index()].push(to);
        }
    }
    let components = components(&users);
    let mut sizes = vec![0; users.len()];
    components.iter().for_each(|&number| sizes[number] += 1);
    let numbers = components.into_iter();
    numbers
        .map(|number| (sizes[number] > 1).then_some(number))
        .collect()
}

/// The nodes that read each node, phis in the next iteration among them.
pub fn users(graph: &Graph) -> Vec<Vec<NodeId>> {
    let mut users = vec![Vec::new(); graph.nodes.len()];
    for (id, node) in graph.nodes.iter() {
        let args = match node.op {
            Op::Phi => &node.args[1..],
            _ => &node.args[..],
        };
        args.iter().for_each(|arg| users[arg.index()].push(id));
    }
    users
}

/// The strongly connected components of a graph, a number for each node (Tarjan, Depth-first search and linear graph
/// algorithms, 1972).
pub fn components(users: &[Vec<NodeId>]) -> Vec<usize> {
    const UNSEEN: usize = usize::MAX;
    let (mut number, mut low) = (vec![UNSEEN; users.len()], vec![0; users.len()]);
    let mut component = vec![UNSEEN; users.len()];
    let (mut seen, mut open, mut path) = (0, Vec::new(), Vec::new());
    for start in 0..users.len() {
        if number[start] == UNSEEN {
            path.push((start, 0));
        }
        while let Some((node, next)) = path.pop() {
            if next == 0 {
                (number[node], low[node]) = (seen, seen);
                seen += 1;
                open.push(node);
            }
            if let Some(user) = users[node].get(next) {
                path.push((node, next + 1));
                let user = user.index();
                if number[user] == UNSEEN {
                    path.push((user, 0));
                } else if component[user] == UNSEEN {
                    low[node] = low[node].min(number[user]);
                }
                continue;
            }
            if let Some((before, _)) = path.last() {
                low[*before] = low[*before].min(low[node]);
            }
            if low[node] == number[node] {
                while let Some(last) = open.pop() {
                    component[last] = node;
                    if last == node {
                        break;
                    }
                }
            }
        }
    }
    component
}
