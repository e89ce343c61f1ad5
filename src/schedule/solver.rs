//! Least times under difference constraints, chaining and reservations: what waits for something is moved later until
//! nothing has to be moved any more (Cong and Zhang, An efficient and versatile scheduling algorithm based on SDC
//! formulation, DAC 2006, for the constraints; their least solution is found by relaxation, as Bellman and Ford do).

use super::Times;
use super::endless::Endless;
use super::placement::{Place, Placed, Placement};
use super::problem::{Kind, Problem};
use super::repeating::Repeating;
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

/// The same for a graph in which a round looks at many nodes: as many rounds as look at so many, but not fewer than [`LEAST_ROUNDS`].
const MAX_VISITS: usize = 100_000;

/// Most graphs of thousands of nodes settle in 30 rounds, if they do.
const LEAST_ROUNDS: usize = 70;

/// Both for what is given up sooner.
const TRY_VISITS: usize = 80_000;
const TRY_ROUNDS: usize = 32;

/// Edges across iterations that a recurrence is looked for behind: some of those that are late may be so for what they share.
const MAX_SEARCHED: usize = 64;

impl Problem<'_> {
    /// An II below which no schedule exists: the longest way around a recurrence of one edge across iterations, for the
    /// edges to a few nodes, those with the widest reach first.
    pub fn recurrence_bound(&self) -> u32 {
        let bounds = self.carried_to();
        let bound = bounds.map(|to| self.way_around(to)).max().unwrap_or(0);
        u32::try_from(bound).unwrap_or(u32::MAX)
    }

    /// Cycles from the start of `to` to its next start that edges across iterations to it demand, when nothing else is
    /// waited for.
    fn way_around(&self, to: NodeId) -> i64 {
        let placed = self.behind(to);
        let edges = self.across.iter().filter(|edge| edge.to == to);
        let demands = edges.filter_map(|edge| {
            let distance = i64::try_from(edge.distance).unwrap_or(i64::MAX);
            Some(Integer::div_ceil(&placed.cycles_to(edge)?, &distance))
        });
        demands.max().unwrap_or(0)
    }

    /// Places of the nodes that wait for a node of the same iteration, itself in cycle 0, when nothing else is waited
    /// for.
    pub fn behind(&self, first: NodeId) -> Placed {
        let mut placed = Placed::new(self.graph.nodes.len());
        for id in self.graph.nodes.ids().skip(first.index()) {
            let bound = (id == first).then_some(0);
            if self.is_stable(id) {
                continue;
            }
            if let Some(place) = self.earliest(&placed, id, bound) {
                placed.set(id, self.result(id, &place), &place);
            }
        }
        placed
    }

    /// Nodes that edges across iterations lead to, without those beyond a few: the ones with the widest reach first.
    pub fn carried_to(&self) -> impl Iterator<Item = NodeId> + use<> {
        const TARGETS: usize = 16;
        let reach = |edge: &super::problem::Edge| edge.from.index().abs_diff(edge.to.index());
        let mut edges: Vec<_> = self.across.iter().map(|e| (reach(e), e.to)).collect();
        edges.sort_unstable_by(|a, b| b.cmp(a));
        let mut targets: Vec<NodeId> = edges.into_iter().map(|(_, to)| to).collect();
        let mut seen = std::collections::HashSet::new();
        targets.retain(|to| seen.insert(*to));
        targets.into_iter().take(TARGETS)
    }

    /// Times of all nodes; `ii`: initiation interval, `None` for what is executed once.
    pub fn solve(&self, ii: Option<u32>) -> Result<Solution, Failure> {
        self.solve_in(ii, self.rounds(MAX_VISITS, LEAST_ROUNDS)).0
    }

    /// The same, given up sooner: for what is tried and need not be.
    pub fn try_to_solve(&self, ii: Option<u32>) -> Result<Solution, Failure> {
        self.solve_in(ii, self.rounds(TRY_VISITS, TRY_ROUNDS)).0
    }

    /// The same, if rounds that look at so many nodes are enough to tell; `None`: it takes longer.
    pub fn solve_soon(&self, ii: Option<u32>, visits: usize) -> Option<Result<Solution, Failure>> {
        let few = self.rounds(visits, 1);
        let (found, rounds) = self.solve_in(ii, few);
        (found.is_ok() || rounds < few).then_some(found)
    }

    /// Rounds that look at so many nodes, as long as these are not fewer than `least`.
    fn rounds(&self, visits: usize, least: usize) -> usize {
        (visits / self.graph.nodes.len().max(1)).clamp(least, MAX_ROUNDS)
    }

    /// Times in so many rounds at most, and how many it took.
    fn solve_in(&self, ii: Option<u32>, most: usize) -> (Result<Solution, Failure>, usize) {
        let mut solver = Solver::new(self, ii);
        // Seldom, so that searches in vain cost little.
        let found = solver.run(Some(usize::is_power_of_two), most);
        let rounds = solver.rounds;
        self.visits.set(self.visits.get() + solver.visits);
        (found.map(|()| solver.solution()), rounds)
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

struct Solver<'p, 'g> {
    at: Placement<'p, 'g>,
    /// Cycle and instance of what nodes take.
    taken: Vec<Option<(u64, u32)>>,
    table: Reservations,
    dirty: Dirty,
    /// Of moving what waits for earlier iterations.
    rounds: usize,
    /// Nodes that were looked at.
    visits: u64,
}

impl<'p, 'g> Solver<'p, 'g> {
    fn new(problem: &'p Problem<'g>, ii: Option<u32>) -> Self {
        let count = problem.graph.nodes.len();
        Solver {
            at: Placement::new(problem, ii),
            taken: vec![None; count],
            table: Reservations::new(&problem.pools, ii),
            dirty: Dirty::all(count),
            rounds: 0,
            visits: 0,
        }
    }

    /// In `most` rounds. `searches` says after which to look for recurrences that never end; `None`: to look neither for them nor for
    /// what repeats itself.
    fn run(&mut self, searches: Option<fn(usize) -> bool>, most: usize) -> Result<(), Failure> {
        self.settle()?;
        // A feasible recurrence settles within the length of the graph plus what resources add.
        let longest = self.at.placed.ready.iter().max().copied().unwrap_or(0);
        let ii = i64::from(self.at.ii.unwrap_or(0));
        let uses = self.at.problem.uses.iter().flatten().count() as i64;
        let horizon = 4 * (longest + uses.saturating_mul(ii + 1)) + ii + 16;
        let mut endless = Endless::default();
        let mut repeating: Option<Repeating> = None;
        let mut culprit = Failure::Control;
        for round in 1..=most {
            self.rounds = round;
            let Some(raised) = self.raise() else {
                return self.check_end();
            };
            culprit = Failure::Unsettled(raised);
            if self.at.bounds[raised.index()] > horizon {
                break;
            }
            self.settle()?;
            let Some(searches) = searches else { continue };
            if let Some(before) = &mut repeating {
                if before.is_proven_by(&self.at, round, self.instances()) {
                    break;
                }
            } else {
                // Not sooner: most settle in the first round.
                repeating = Some(Repeating::new(&self.at, self.instances()));
            }
            if searches(round) {
                let mut late = self.at.late().rev().take(MAX_SEARCHED);
                if let Some(caught) = late.find(|edge| endless.is_caught_by(&self.at, edge)) {
                    return Err(Failure::Recurrence(caught.to));
                }
            }
        }
        Err(culprit)
    }

    /// The end of the loop is known in time for the next iteration.
    fn check_end(&self) -> Result<(), Failure> {
        let late = |ii: u32, last: NodeId| self.at.placed.ready[last.index()] >= i64::from(ii);
        match (self.at.ii, self.at.problem.last) {
            (Some(ii), Some(last)) if late(ii, last) => Err(Failure::Control),
            _ => Ok(()),
        }
    }

    /// Moves nodes later until all have what they wait for within the iteration.
    fn settle(&mut self) -> Result<(), Failure> {
        while let Some(id) = self.dirty.pop() {
            self.visits += 1;
            let bound = Some(self.at.bounds[id.index()]);
            let Some(mut place) = self.at.problem.earliest(&self.at.placed, id, bound) else {
                continue;
            };
            self.take(id, &mut place)?;
            let i = id.index();
            let (ready, arrival) = self.at.problem.result(id, &place);
            let same = self.at.placed.start[i] == Some(place.cycle)
                && (self.at.placed.ready[i], self.at.placed.arrival[i]) == (ready, arrival)
                && self.at.placed.cuts[i] == place.cut;
            if !same {
                self.at.placed.set(id, (ready, arrival), &place);
                for &user in self.at.problem.users.of(id) {
                    self.dirty.insert(user);
                }
            }
        }
        Ok(())
    }

    /// Takes what a node needs in the first cycle that has some left. What it took before it gives back.
    fn take(&mut self, id: NodeId, place: &mut Place) -> Result<(), Failure> {
        let i = id.index();
        let Some(wanted) = self.at.problem.uses[i] else {
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

    /// Raises bounds that edges across iterations demand; returns one raised node.
    fn raise(&mut self) -> Option<NodeId> {
        let late = self.at.late().map(|edge| (edge.to, self.at.demand(edge)));
        let late: Vec<(NodeId, i64)> = late.collect();
        for &(to, demand) in &late {
            let bound = &mut self.at.bounds[to.index()];
            *bound = (*bound).max(demand);
            self.dirty.insert(to);
        }
        late.last().map(|&(to, _)| to)
    }

    fn solution(self) -> Solution {
        // Bounds stay far below u32::MAX: `run` stops at its horizon.
        let instances = self.instances().collect();
        let cycle = |c: i64| u32::try_from(c.max(0)).unwrap_or(u32::MAX);
        let starts = self.at.placed.start.iter();
        let times = Times {
            start: starts.map(|s| cycle(s.unwrap_or(0))).collect(),
            ready: self.at.placed.ready.iter().map(|&r| cycle(r)).collect(),
            arrival: self.at.placed.arrival,
            width: self.at.problem.width.clone(),
            stable: self
                .at
                .problem
                .kinds
                .iter()
                .map(|k| matches!(k, Kind::Stable))
                .collect(),
        };
        Solution { times, instances }
    }

    /// What nodes take of several alike.
    fn instances(&self) -> impl Iterator<Item = Option<u32>> + Clone {
        self.taken.iter().map(|taken| taken.map(|t| t.1))
    }
}

#[cfg(test)]
pub mod tests {
    use super::super::device::Device;
    use super::super::problem::Edge;
    use super::super::resource::{Resource, Use};
    use super::*;
    use crate::hwarith::graph::UnitId;
    use crate::hwarith::testing::{Random, Shape, random_graph};

    pub const SHAPE: Shape = Shape {
        input_width: 12,
        inputs: 3,
        operations: 14,
        max_width: 24,
        arithmetic: false,
    };

    /// Slow operations, reservations, recurrences, and nodes that stay until what moves reaches them, in a random graph.
    pub fn complicate(problem: &mut Problem, random: &mut Random) {
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
                problem.uses[i] = random.flip().then_some(Use {
                    pool,
                    slots: random.between(1, 2),
                    is_even: false,
                });
                if random.below(3) == 0 {
                    problem.not_before[i] = random.below(60).into();
                }
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
        let (mut caught, mut settled, mut unsettled, mut shorter) = (0, 0, 0, 0);
        for _ in 0..2000 {
            let graph = random_graph(&mut random, &SHAPE);
            let width = graph.nodes.ids().map(|id| graph.width(id)).collect();
            let mut problem = Problem::new(&graph, width, &device, 4.0);
            complicate(&mut problem, &mut random);
            for ii in 1..8 {
                let run = |searches: Option<fn(usize) -> bool>| {
                    let mut solver = Solver::new(&problem, Some(ii));
                    let result = solver.run(searches, MAX_ROUNDS);
                    let rounds = solver.rounds;
                    (result.map(|()| solver.solution()), rounds)
                };
                let (patient, most) = run(None);
                let (found, rounds) = run(Some(|_| true));
                match (patient, found) {
                    (Ok(patient), Ok(found)) => {
                        settled += 1;
                        assert_eq!(patient.times.start, found.times.start);
                        assert_eq!(patient.instances, found.instances);
                    }
                    (Err(Failure::Unsettled(_)), Err(Failure::Recurrence(_))) => caught += 1,
                    (Err(Failure::Unsettled(_)), Err(Failure::Unsettled(_))) => {
                        unsettled += 1;
                        shorter += usize::from(2 * rounds < most);
                    }
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
        assert!(
            2 * shorter > unsettled,
            "{shorter} of {unsettled} were found to repeat themselves"
        );
    }
}
