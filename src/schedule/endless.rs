//! Recurrences that an II is too short for: what demands more each time that it gets what it demanded is never content.
//!
//! The proof is a set of nodes. Each of them starts when its operands in the set let it, or when an edge across iterations
//! from the set says so, and those edges demand more than they have. Then all of the set moves in the next round, and in
//! every one after it. No reservation has a part in that: with more ports it is the same.

use super::problem::{Edge, Lists};
use super::solver::Solver;
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
    pub fn is_caught_by(&mut self, solver: &Solver, edge: &Edge) -> bool {
        let count = solver.problem.graph.nodes.len();
        if self.seen.is_empty() {
            let across = solver.problem.across.iter();
            let pairs: Vec<(NodeId, Edge)> = across.map(|edge| (edge.to, *edge)).collect();
            self.incoming = Lists::new(count, &pairs);
            self.seen = vec![0; count];
        }
        self.searches += 1;
        let mut open = vec![edge.from];
        while let Some(node) = open.pop() {
            let seen = &mut self.seen[node.index()];
            if std::mem::replace(seen, self.searches) != self.searches
                && !self.follow(solver, node, &mut open)
            {
                return false;
            }
        }
        true
    }

    /// Adds what a node starts after; false if that is a reservation, or nothing that moves.
    fn follow(&self, solver: &Solver, node: NodeId, open: &mut Vec<NodeId>) -> bool {
        let (problem, placed) = (solver.problem, &solver.placed);
        let bound = Some(solver.bounds[node.index()]);
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
        let mut raising = incoming.filter(|edge| Some(solver.demand(edge)) > start);
        raising.next().map(|edge| open.push(edge.from)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::super::device::Device;
    use super::super::problem::{Kind, Problem};
    use super::super::resource::{Resource, Use};
    use super::super::solver::Failure;
    use super::*;
    use crate::hwarith::graph::UnitId;
    use crate::hwarith::testing::{Random, Shape, random_graph};

    const SHAPE: Shape = Shape {
        input_width: 12,
        inputs: 3,
        operations: 14,
        max_width: 24,
        arithmetic: false,
    };

    /// Slow operations, reservations and recurrences in a random graph.
    fn complicate(problem: &mut Problem, random: &mut Random) {
        let count = problem.graph.nodes.len() as u32;
        let pool = problem.pools.pool(Resource::Unit(UnitId::new(0), 0), 1);
        for i in 0..problem.kinds.len() {
            let logic = matches!(problem.kinds[i], Kind::Logic(_));
            if logic && random.below(4) == 0 {
                problem.kinds[i] = Kind::Pipelined {
                    before: 1.0,
                    latency: random.below(3),
                    after: 0.5,
                };
                problem.uses[i] = random.flip().then_some(Use { pool, slots: 1 });
            }
        }
        for _ in 0..random.between(1, 4) {
            let (from, to) = (random.below(count), random.below(count));
            let [from, to] = [from.max(to), from.min(to)].map(|i| NodeId::new(i as usize));
            if !problem.is_stable(from) && !problem.is_stable(to) {
                problem.across.push(Edge {
                    from,
                    to,
                    distance: random.between(1, 2).into(),
                    latency: random.below(3).into(),
                    from_ready: random.flip(),
                });
            }
        }
    }

    #[test]
    fn what_is_caught_never_settles_and_all_else_is_as_without_a_search() {
        let device = Device::load("ecp5").expect("device");
        let mut random = Random::new(11);
        let (mut caught, mut settled, mut unsettled) = (0, 0, 0);
        for _ in 0..400 {
            let graph = random_graph(&mut random, &SHAPE);
            let width = graph.nodes.ids().map(|id| graph.width(id)).collect();
            let mut problem = Problem::new(&graph, width, &device, 4.0);
            complicate(&mut problem, &mut random);
            for ii in 1..8 {
                let patient = problem.solve_searching(Some(ii), |_| false);
                let found = problem.solve_searching(Some(ii), |_| true);
                match (patient, found) {
                    (Ok(patient), Ok(found)) => {
                        settled += 1;
                        assert_eq!(patient.times.start, found.times.start);
                        assert_eq!(patient.instances, found.instances);
                    }
                    (Err(Failure::Unsettled(_)), Err(Failure::Recurrence(_))) => caught += 1,
                    (Err(Failure::Unsettled(_)), Err(Failure::Unsettled(_))) => unsettled += 1,
                    (Err(_), Err(_)) => {}
                    (patient, found) => panic!("{patient:?} without a search, {found:?} with one"),
                }
            }
        }
        assert!(
            settled > 1000 && caught > 100,
            "{settled} settled, {caught} caught"
        );
        assert!(unsettled < caught, "{unsettled} were not caught");
    }
}
