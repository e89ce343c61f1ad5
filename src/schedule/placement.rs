//! Where nodes go: the first cycle, and time in it, at which what they wait for is there; and what iterations demand of
//! later ones.

use super::luts::{self, Arrivals, Cut};
use super::problem::{Edge, Kind, Problem};
use crate::hwarith::NodeId;

/// When nodes work.
#[derive(Clone)]
pub struct Placed {
    /// Cycle in which a node starts; `None` for those that have no place.
    pub start: Vec<Option<i64>>,
    /// Cycle in which its result is there.
    pub ready: Vec<i64>,
    /// Time into that cycle, in ns.
    pub arrival: Vec<f64>,
    /// What its gates share a lookup table with.
    pub cuts: Vec<Option<Cut>>,
}

impl Placed {
    /// Nothing has a place.
    pub fn new(count: usize) -> Placed {
        Placed {
            start: vec![None; count],
            ready: vec![i64::MIN; count],
            arrival: vec![0.0; count],
            cuts: vec![None; count],
        }
    }
}

impl Arrivals for Placed {
    fn of(&self, node: NodeId) -> (i64, f64, Option<Cut>) {
        let i = node.index();
        (self.ready[i], self.arrival[i], self.cuts[i])
    }
}

/// Where a node would go: cycle, ns into it at which its operands are there, and its cut.
pub struct Place {
    /// The cycle.
    pub cycle: i64,
    /// Time into it, in ns.
    pub offset: f64,
    /// What its gates share a lookup table with.
    pub cut: Option<Cut>,
}

impl Placed {
    /// Whether a node has a place and its result is first there in that cycle.
    pub fn is_ready(&self, id: NodeId, cycle: i64) -> bool {
        self.start[id.index()].is_some() && self.ready[id.index()] == cycle
    }

    /// Cycles from cycle 0 until the target of an edge may start; `None` if its source has no place.
    pub fn cycles_to(&self, edge: &Edge) -> Option<i64> {
        let start = self.start[edge.from.index()]?;
        let from = match edge.from_ready {
            true => self.ready[edge.from.index()],
            false => start,
        };
        Some(from + edge.latency)
    }

    /// Puts a node into its place.
    pub fn set(&mut self, id: NodeId, (ready, arrival): (i64, f64), place: &Place) {
        let i = id.index();
        self.start[i] = Some(place.cycle);
        self.ready[i] = ready;
        self.arrival[i] = arrival;
        self.cuts[i] = place.cut;
    }
}

/// Places of all nodes, and what earlier iterations demand of them.
pub struct Placement<'p, 'g> {
    /// Of what.
    pub problem: &'p Problem<'g>,
    /// Initiation interval; `None` for what is executed once.
    pub ii: Option<u32>,
    /// Cycles before which nodes may not start, as earlier iterations demand.
    pub bounds: Vec<i64>,
    /// Where they are.
    pub placed: Placed,
}

impl<'p, 'g> Placement<'p, 'g> {
    /// Nothing has a place.
    pub fn new(problem: &'p Problem<'g>, ii: Option<u32>) -> Placement<'p, 'g> {
        let count = problem.graph.nodes.len();
        Placement {
            problem,
            ii,
            bounds: problem.not_before.clone(),
            placed: Placed::new(count),
        }
    }

    /// The start that an edge across iterations demands of its target.
    pub fn demand(&self, edge: &Edge) -> i64 {
        let ii = i64::from(self.ii.unwrap_or(0));
        let from = edge.from.index();
        let from = match edge.from_ready {
            true => self.placed.ready[from],
            false => self.placed.start[from].unwrap_or(0),
        };
        let distance = i64::try_from(edge.distance).unwrap_or(i64::MAX);
        (from + edge.latency).saturating_sub(ii.saturating_mul(distance))
    }

    /// The edges across iterations that demand more than they have.
    pub fn late(&self) -> impl DoubleEndedIterator<Item = &Edge> {
        let starts = |to: NodeId| self.placed.start[to.index()];
        let across = self.problem.across.iter();
        across.filter(move |edge| starts(edge.to).is_some_and(|start| self.demand(edge) > start))
    }
}

impl Problem<'_> {
    /// The cycle, and the ns into it, from `bound` on until which a node waits for operands and edges within the iteration
    /// that are placed; `None` if it waits for none of them and `bound` is `None`.
    pub fn waits_until(
        &self,
        placed: &Placed,
        id: NodeId,
        bound: Option<i64>,
    ) -> Option<(i64, f64)> {
        let mut found: Option<(i64, f64)> = bound.map(|cycle| (cycle, 0.0));
        let mut wait = |cycle: i64, offset: f64| {
            found = Some(match found {
                Some((c, _)) if cycle > c => (cycle, offset),
                Some((c, o)) if cycle == c => (c, o.max(offset)),
                Some(later) => later,
                None => (cycle, offset),
            });
        };
        for &arg in self.operands(id) {
            if placed.start[arg.index()].is_some() && !self.is_stable(arg) {
                wait(placed.ready[arg.index()], placed.arrival[arg.index()]);
            }
        }
        for edge in self.within.of(id) {
            if let Some(start) = placed.start[edge.from.index()] {
                wait(start + edge.latency, 0.0);
            }
        }
        found
    }

    /// The earliest place of a node after what it waits for.
    pub fn earliest(&self, placed: &Placed, id: NodeId, bound: Option<i64>) -> Option<Place> {
        let (mut cycle, mut offset) = self.waits_until(placed, id, bound)?;
        let mut cut = None;
        match self.kinds[id.index()] {
            Kind::Logic(delay) => {
                // Gates that fit into one lookup table with their operands' gates start when those do.
                let merged = luts::cut(self.graph, id, offset, cycle, placed);
                (cut, offset) = merged;
                if offset > 0.0 && offset + delay > self.limit(cycle) {
                    cycle += 1;
                    (cut, offset) = luts::cut(self.graph, id, 0.0, cycle, placed);
                }
            }
            Kind::Pipelined { before, .. }
                if offset > 0.0 && offset + before > self.limit(cycle) =>
            {
                (cycle, offset) = (cycle + 1, 0.0);
            }
            _ => {}
        }
        Some(Place { cycle, offset, cut })
    }

    /// The cycle and time at which the result of a node is there.
    pub fn result(&self, id: NodeId, place: &Place) -> (i64, f64) {
        match self.kinds[id.index()] {
            Kind::Stable | Kind::Register => (place.cycle, 0.0),
            Kind::Logic(delay) => (place.cycle, place.offset + delay),
            Kind::Pipelined {
                before,
                latency: 0,
                after,
            } => (place.cycle, place.offset + before.max(after)),
            Kind::Pipelined { latency, after, .. } => (place.cycle + i64::from(latency), after),
        }
    }
}
