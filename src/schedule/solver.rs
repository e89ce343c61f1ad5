//! Least times under difference constraints, chaining and reservations: what waits for something is moved later until
//! nothing has to be moved any more (Cong and Zhang, An efficient and versatile scheduling algorithm based on SDC
//! formulation, DAC 2006, for the constraints; their least solution is found by relaxation, as Bellman and Ford do).

use super::Times;
use super::endless::Endless;
use super::luts::{self, Arrivals, Cut};
use super::problem::{Edge, Kind, Problem};
use super::resource::Reservations;
use crate::hwarith::NodeId;
use num_integer::Integer;

/// Why there is no schedule with the II asked for.
#[derive(Clone, Debug)]
pub enum Failure {
    /// A cycle of dependences through this node takes too long, whatever is shared.
    Recurrence(NodeId),
    /// This node is still moved later after many rounds.
    Unsettled(NodeId),
    /// The end of the loop is known too late.
    Control,
    /// This operation finds nothing free of what it takes.
    Resource(NodeId),
}

/// Times, and what each node takes.
#[derive(Clone, Debug)]
pub struct Solution {
    /// Cycles of the nodes.
    pub times: Times,
    /// Which of several alike a node takes.
    pub instances: Vec<Option<u32>>,
}

/// Rounds of moving what waits for earlier iterations before a set of constraints counts as unsolvable.
const MAX_ROUNDS: usize = 400;

/// When nodes work.
#[derive(Clone)]
pub(super) struct Placed {
    /// Cycle in which a node starts; `None` for those that have no place.
    pub(super) start: Vec<Option<i64>>,
    ready: Vec<i64>,
    arrival: Vec<f64>,
    cuts: Vec<Option<Cut>>,
}

impl Placed {
    fn new(count: usize) -> Placed {
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
pub(super) struct Place {
    pub(super) cycle: i64,
    offset: f64,
    cut: Option<Cut>,
}

impl Problem<'_> {
    /// The cycle, and the ns into it, from `bound` on until which a node waits for operands and edges within the iteration
    /// that are placed; `None` if it waits for none of them and `bound` is `None`.
    pub(super) fn waits_until(
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
    pub(super) fn earliest(
        &self,
        placed: &Placed,
        id: NodeId,
        bound: Option<i64>,
    ) -> Option<Place> {
        let (mut cycle, mut offset) = self.waits_until(placed, id, bound)?;
        let mut cut = None;
        match self.kinds[id.index()] {
            Kind::Logic(delay) => {
                // Gates that fit into one lookup table with their operands' gates start when those do.
                let merged = luts::cut(self.graph, id, offset, cycle, placed);
                (cut, offset) = merged;
                if offset > 0.0 && offset + delay > self.budget {
                    cycle += 1;
                    (cut, offset) = luts::cut(self.graph, id, 0.0, cycle, placed);
                }
            }
            Kind::Pipelined { before, .. } if offset > 0.0 && offset + before > self.budget => {
                (cycle, offset) = (cycle + 1, 0.0);
            }
            _ => {}
        }
        Some(Place { cycle, offset, cut })
    }

    /// The cycle and time at which the result of a node is there.
    fn result(&self, id: NodeId, place: &Place) -> (i64, f64) {
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

    /// An II below which no schedule exists: the longest way around a recurrence of one edge across iterations, for the
    /// edges to a few nodes, those with the widest reach first.
    pub fn recurrence_bound(&self) -> u32 {
        const TARGETS: usize = 16;
        let reach = |edge: &super::problem::Edge| edge.from.index().abs_diff(edge.to.index());
        let mut edges: Vec<_> = self.across.iter().map(|e| (reach(e), e.to)).collect();
        edges.sort_unstable_by(|a, b| b.cmp(a));
        let mut targets: Vec<NodeId> = edges.into_iter().map(|(_, to)| to).collect();
        let mut seen = std::collections::HashSet::new();
        targets.retain(|to| seen.insert(*to));
        let bounds = targets.into_iter().take(TARGETS);
        let bound = bounds.map(|to| self.way_around(to)).max().unwrap_or(0);
        u32::try_from(bound).unwrap_or(u32::MAX)
    }

    /// Cycles from the start of `to` to its next start that edges across iterations to it demand, when nothing else is
    /// waited for.
    fn way_around(&self, to: NodeId) -> i64 {
        let mut placed = Placed::new(self.graph.nodes.len());
        for id in self.graph.nodes.ids().skip(to.index()) {
            let bound = (id == to).then_some(0);
            if self.is_stable(id) {
                continue;
            }
            if let Some(place) = self.earliest(&placed, id, bound) {
                placed.set(id, self.result(id, &place), &place);
            }
        }
        let edges = self.across.iter().filter(|edge| edge.to == to);
        let demands = edges.filter_map(|edge| {
            let start = placed.start[edge.from.index()]?;
            let from = match edge.from_ready {
                true => placed.ready[edge.from.index()],
                false => start,
            };
            let distance = i64::try_from(edge.distance).unwrap_or(i64::MAX);
            Some(Integer::div_ceil(&(from + edge.latency), &distance))
        });
        demands.max().unwrap_or(0)
    }

    /// Times of all nodes; `ii`: initiation interval, `None` for what is executed once.
    pub fn solve(&self, ii: Option<u32>) -> Result<Solution, Failure> {
        // Seldom, so that searches in vain cost little.
        self.solve_searching(ii, usize::is_power_of_two)
    }

    /// As [`Self::solve`]; `searches` says after which rounds to look for recurrences that never end.
    pub(super) fn solve_searching(
        &self,
        ii: Option<u32>,
        searches: impl Fn(usize) -> bool,
    ) -> Result<Solution, Failure> {
        let mut solver = Solver {
            problem: self,
            ii,
            bounds: vec![0; self.graph.nodes.len()],
            placed: Placed::new(self.graph.nodes.len()),
            taken: vec![None; self.graph.nodes.len()],
            table: Reservations::new(&self.pools, ii),
            dirty: Dirty::all(self.graph.nodes.len()),
        };
        solver.run(searches)?;
        Ok(solver.solution())
    }
}

impl Placed {
    /// Whether a node has a place and its result is first there in that cycle.
    pub(super) fn is_ready(&self, id: NodeId, cycle: i64) -> bool {
        self.start[id.index()].is_some() && self.ready[id.index()] == cycle
    }

    fn set(&mut self, id: NodeId, (ready, arrival): (i64, f64), place: &Place) {
        let i = id.index();
        self.start[i] = Some(place.cycle);
        self.ready[i] = ready;
        self.arrival[i] = arrival;
        self.cuts[i] = place.cut;
    }
}

/// Nodes that have to be looked at again, in order.
struct Dirty {
    words: Vec<u64>,
    /// No word before this one has a bit.
    first: usize,
}

impl Dirty {
    fn all(count: usize) -> Dirty {
        let mut words = vec![u64::MAX; count.div_ceil(64)];
        if let (Some(last), used @ 1..) = (words.last_mut(), count % 64) {
            *last = (1 << used) - 1;
        }
        Dirty { words, first: 0 }
    }

    fn insert(&mut self, node: NodeId) {
        let word = node.index() / 64;
        self.words[word] |= 1 << (node.index() % 64);
        self.first = self.first.min(word);
    }

    fn pop(&mut self) -> Option<NodeId> {
        while self.words.get(self.first)? == &0 {
            self.first += 1;
        }
        let word = &mut self.words[self.first];
        let bit = word.trailing_zeros() as usize;
        *word &= *word - 1;
        Some(NodeId::new(64 * self.first + bit))
    }
}

pub(super) struct Solver<'p, 'g> {
    pub(super) problem: &'p Problem<'g>,
    ii: Option<u32>,
    /// What earlier iterations demand of starts.
    pub(super) bounds: Vec<i64>,
    pub(super) placed: Placed,
    /// Cycle and instance of what nodes take.
    taken: Vec<Option<(u64, u32)>>,
    table: Reservations,
    dirty: Dirty,
}

impl Solver<'_, '_> {
    fn run(&mut self, searches: impl Fn(usize) -> bool) -> Result<(), Failure> {
        self.settle()?;
        // A feasible recurrence settles within the length of the graph plus what resources add.
        let longest = self.placed.ready.iter().max().copied().unwrap_or(0);
        let ii = i64::from(self.ii.unwrap_or(0));
        let uses = self.problem.uses.iter().flatten().count() as i64;
        let horizon = 4 * (longest + uses.saturating_mul(ii + 1)) + ii + 16;
        let mut endless = Endless::default();
        let mut culprit = Failure::Control;
        for round in 1..=MAX_ROUNDS {
            let Some(raised) = self.raise() else {
                return self.check_end();
            };
            culprit = Failure::Unsettled(raised);
            if self.bounds[raised.index()] > horizon {
                break;
            }
            self.settle()?;
            if searches(round)
                && let Some(late) = self.late().next_back()
                && endless.is_caught_by(self, late)
            {
                return Err(Failure::Recurrence(late.to));
            }
        }
        Err(culprit)
    }

    /// The end of the loop is known in time for the next iteration.
    fn check_end(&self) -> Result<(), Failure> {
        let late = |ii: u32, last: NodeId| self.placed.ready[last.index()] >= i64::from(ii);
        match (self.ii, self.problem.last) {
            (Some(ii), Some(last)) if late(ii, last) => Err(Failure::Control),
            _ => Ok(()),
        }
    }

    /// Moves nodes later until all have what they wait for within the iteration.
    fn settle(&mut self) -> Result<(), Failure> {
        while let Some(id) = self.dirty.pop() {
            let bound = Some(self.bounds[id.index()]);
            let Some(mut place) = self.problem.earliest(&self.placed, id, bound) else {
                continue;
            };
            self.take(id, &mut place)?;
            let i = id.index();
            let (ready, arrival) = self.problem.result(id, &place);
            let same = self.placed.start[i] == Some(place.cycle)
                && (self.placed.ready[i], self.placed.arrival[i]) == (ready, arrival)
                && self.placed.cuts[i] == place.cut;
            if !same {
                self.placed.set(id, (ready, arrival), &place);
                for &user in self.problem.users.of(id) {
                    self.dirty.insert(user);
                }
            }
        }
        Ok(())
    }

    /// Takes what a node needs in the first cycle that has some left. What it took before it gives back.
    fn take(&mut self, id: NodeId, place: &mut Place) -> Result<(), Failure> {
        let i = id.index();
        let Some(wanted) = self.problem.uses[i] else {
            return Ok(());
        };
        if let Some(before) = self.taken[i].take() {
            self.table.release(wanted, before);
            // Nothing moves to an earlier cycle.
            let (cycle, _) = before;
            if i64::try_from(cycle).is_ok_and(|cycle| cycle > place.cycle) {
                (place.cycle, place.offset) = (cycle as i64, 0.0);
            }
        }
        let earliest = u64::try_from(place.cycle).unwrap_or(0);
        let found = self.table.reserve(wanted, earliest);
        let (cycle, instance) = found.ok_or(Failure::Resource(id))?;
        if cycle > earliest {
            (place.cycle, place.offset) = (cycle as i64, 0.0);
        }
        self.taken[i] = Some((cycle, instance));
        Ok(())
    }

    /// The start that an edge across iterations demands of its target.
    pub(super) fn demand(&self, edge: &Edge) -> i64 {
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
    fn late(&self) -> impl DoubleEndedIterator<Item = &Edge> {
        let starts = |to: NodeId| self.placed.start[to.index()];
        let across = self.problem.across.iter();
        across.filter(move |edge| starts(edge.to).is_some_and(|start| self.demand(edge) > start))
    }

    /// Raises bounds that edges across iterations demand; returns one raised node.
    fn raise(&mut self) -> Option<NodeId> {
        let late = self.late().map(|edge| (edge.to, self.demand(edge)));
        let late: Vec<(NodeId, i64)> = late.collect();
        for &(to, demand) in &late {
            let bound = &mut self.bounds[to.index()];
            *bound = (*bound).max(demand);
            self.dirty.insert(to);
        }
        late.last().map(|&(to, _)| to)
    }

    fn solution(self) -> Solution {
        // Bounds stay far below u32::MAX: `run` stops at its horizon.
        let cycle = |c: i64| u32::try_from(c.max(0)).unwrap_or(u32::MAX);
        let starts = self.placed.start.iter();
        let times = Times {
            start: starts.map(|s| cycle(s.unwrap_or(0))).collect(),
            ready: self.placed.ready.iter().map(|&r| cycle(r)).collect(),
            arrival: self.placed.arrival,
            width: self.problem.width.clone(),
            stable: self
                .problem
                .kinds
                .iter()
                .map(|k| matches!(k, Kind::Stable))
                .collect(),
        };
        let instances = self.taken.iter().map(|taken| taken.map(|t| t.1));
        Solution {
            times,
            instances: instances.collect(),
        }
    }
}
