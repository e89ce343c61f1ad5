//! Recurrences that an II is too short for: what demands more each time that it gets what it demanded is never content.
//!
//! The proof is a set of nodes. Each of them starts when its operands in the set let it, or when an edge across iterations
//! from the set says so, and those edges demand more than they have. Then all of the set moves in the next round, and in
//! every one after it. No reservation has a part in that: with more ports it is the same.

use super::placement::Placement;
use super::problem::{Edge, Lists};
use crate::hwarith::NodeId;

/// Looks for such sets, again and again while a problem is solved.
#[derive(Default)]
pub struct Endless {
    /// Edges across iterations, by their target.
    incoming: Lists<Edge>,
    /// By node: the last search that came by it.
    seen: Vec<u32>,
    searches: u32,
}

impl Endless {
    /// Whether `edge`, which demands more than it has, will do so for ever. False where that is not certain.
    pub fn is_caught_by(&mut self, at: &Placement, edge: &Edge) -> bool {
        let count = at.problem.graph.nodes.len();
        if self.seen.is_empty() {
            let across = at.problem.across.iter();
            let pairs: Vec<(NodeId, Edge)> = across.map(|edge| (edge.to, *edge)).collect();
            self.incoming = Lists::new(count, &pairs);
            self.seen = vec![0; count];
        }
        self.searches += 1;
        let mut open = vec![edge.from];
        while let Some(node) = open.pop() {
            let seen = &mut self.seen[node.index()];
            if std::mem::replace(seen, self.searches) != self.searches
                && !self.follow(at, node, &mut open)
            {
                return false;
            }
        }
        true
    }

    /// Adds what a node starts after; false if that is a reservation, or nothing that moves.
    fn follow(&self, at: &Placement, node: NodeId, open: &mut Vec<NodeId>) -> bool {
        let (problem, placed) = (at.problem, &at.placed);
        let bound = Some(at.bounds[node.index()]);
        let start = placed.start[node.index()];
        let Some(place) = problem.earliest(placed, node, bound) else {
            return false;
        };
        let Some((cycle, _)) = problem.waits_until(placed, node, bound) else {
            return false;
        };
        if start != Some(place.cycle) {
            return false;
        }
        // All operands of that cycle, since together they decide when in it the node can begin.
        let before = open.len();
        let operands = problem.operands(node).iter().copied();
        open.extend(operands.filter(|&arg| !problem.is_stable(arg) && placed.is_ready(arg, cycle)));
        if open.len() > before {
            return true;
        }
        let mut within = problem.within.of(node).iter();
        let starts = |edge: &&Edge| placed.start[edge.from.index()] == Some(cycle - edge.latency);
        if let Some(edge) = within.find(starts) {
            open.push(edge.from);
            return true;
        }
        let incoming = self.incoming.of(node).iter();
        let mut raising = incoming.filter(|edge| Some(at.demand(edge)) > start);
        raising.next().map(|edge| open.push(edge.from)).is_some()
    }
}
