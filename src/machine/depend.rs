//! Memory dependences of a leaf: which access must wait for which, and how many iterations later.
//!
//! Addresses that are affine in the loop counters are solved exactly (the classical dependence
//! distance test on a bounded iteration space); all others are taken to meet at every distance.

use crate::hwarith::NodeId;
use crate::hwarith::graph::MemId;
use crate::ir::{Hazard, Scope};
use crate::machine::program::{Access, Apart, Leaf, Pin};
use crate::memo::Memo;
use num_integer::Integer;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// `cycle(to) >= cycle(from) + 1 - II * distance`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependence {
    /// Earlier access.
    pub from: NodeId,
    /// Access that must come after it.
    pub to: NodeId,
    /// Iterations between them.
    pub distance: u64,
}

/// At which iteration distances two accesses may touch the same element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Meeting {
    /// In the same iteration.
    same: bool,
    /// Smallest distance >= 1 by which the second may follow the first.
    later: Option<u64>,
}

const ALWAYS: Meeting = Meeting {
    same: true,
    later: Some(1),
};

/// Accesses of one memory up to which every pair is looked at.
const MAX_PAIRED: usize = 256;

const NEVER: Meeting = Meeting {
    same: false,
    later: None,
};

/// Dependences among the accesses of a leaf. A memory never relies on what is read from an address that is
/// written at the same clock edge, and is never written twice at one edge, so every kind of dependence takes one cycle.
///
/// Of memories with many accesses only those are told apart that differ by a constant; their number of dependences is
/// linear.
pub fn dependences(leaf: &Leaf) -> Vec<Dependence> {
    let trips: Vec<Option<u64>> = match &leaf.repeat {
        Some(repeat) => repeat.dims.iter().map(|d| d.trip).collect(),
        None => Vec::new(),
    };
    let mut by_memory: BTreeMap<MemId, Vec<&Access>> = BTreeMap::new();
    for access in &leaf.accesses {
        by_memory.entry(access.mem).or_default().push(access);
    }
    let repeats = leaf.repeat.is_some();
    let mut edges = Edges(Vec::new());
    for accesses in by_memory.values() {
        if accesses.len() <= MAX_PAIRED {
            edges.of_pairs(&leaf.promises, accesses, &trips, repeats);
        } else {
            for meeting in apart(accesses) {
                edges.of_chain(&meeting, repeats);
            }
        }
    }
    edges.0
}

/// Accesses in groups of which no two ever meet.
fn apart<'a>(accesses: &[&'a Access]) -> Vec<Vec<&'a Access>> {
    let of_first = accesses[0].address.as_ref();
    let alike = |access: &&Access| {
        let both = access.address.as_ref().zip(of_first);
        both.is_some_and(|(a, b)| (&a.symbols, &a.counters) == (&b.symbols, &b.counters))
    };
    let Some(first) = of_first.filter(|_| accesses.iter().all(alike)) else {
        return vec![accesses.to_vec()];
    };
    // Addresses differ by a sum of multiples of the coefficients.
    let step = first.counters.values().fold(0, |g, c| c.gcd(&g));
    let mut groups: BTreeMap<i128, Vec<&Access>> = BTreeMap::new();
    for &access in accesses {
        let constant = access.address.as_ref().map_or(0, |a| a.constant);
        let key = match step {
            0 => constant,
            step => constant.rem_euclid(step),
        };
        groups.entry(key).or_default().push(access);
    }
    groups.into_values().collect()
}

struct Edges(Vec<Dependence>);

impl Edges {
    fn push(&mut self, from: &Access, to: &Access, distance: u64) {
        self.0.push(Dependence {
            from: from.node,
            to: to.node,
            distance,
        });
    }

    /// Between every two accesses that may meet.
    fn of_pairs(
        &mut self,
        promises: &[Apart],
        accesses: &[&Access],
        trips: &[Option<u64>],
        repeats: bool,
    ) {
        for (i, a) in accesses.iter().enumerate() {
            let later = accesses[i + 1..].iter();
            for b in later.filter(|b| a.is_store || b.is_store) {
                let forward = promised(promises, a, b, trips).within(meeting(a, b, trips));
                if forward.same {
                    self.push(a, b, 0);
                }
                if !repeats {
                    continue;
                }
                let backward = promised(promises, b, a, trips).within(meeting(b, a, trips));
                for (from, to, later) in [(a, b, forward.later), (b, a, backward.later)] {
                    if let Some(distance) = later {
                        self.push(from, to, distance.max(1 + bypassed(from, to)));
                    }
                }
            }
        }
    }

    /// Among accesses of which every two may meet at every distance: from each store to the loads after it, from those
    /// to the next store; all other dependences follow.
    fn of_chain(&mut self, accesses: &[&Access], repeats: bool) {
        let stores = (0..accesses.len()).filter(|&i| accesses[i].is_store);
        let stores: Vec<usize> = stores.collect();
        let (Some(&first), Some(&last)) = (stores.first(), stores.last()) else {
            return;
        };
        let ends = stores[1..].iter().copied().chain([accesses.len()]);
        self.of_run(&accesses[..first], accesses.get(first), 0);
        for (&store, end) in stores.iter().zip(ends) {
            let loads = &accesses[store + 1..end];
            self.of_fan(accesses[store], loads, 0);
            self.of_run(loads, accesses.get(end), 0);
            if let (true, Some(next)) = (loads.is_empty(), accesses.get(end)) {
                self.push(accesses[store], next, 0);
            }
        }
        if repeats {
            self.of_fan(accesses[last], &accesses[..=first], 1);
            self.of_run(&accesses[last + 1..], accesses.get(first), 1);
        }
    }

    fn of_fan(&mut self, store: &Access, to: &[&Access], distance: u64) {
        for access in to.iter().filter(|access| access.node != store.node) {
            let least = if distance > 0 {
                1 + bypassed(store, access)
            } else {
                0
            };
            self.push(store, access, distance.max(least));
        }
    }

    fn of_run(&mut self, loads: &[&Access], store: Option<&&Access>, distance: u64) {
        let Some(store) = store else { return };
        loads
            .iter()
            .for_each(|load| self.push(load, store, distance));
    }
}

/// At which iteration distances two accesses may depend on one another, as far as that is promised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promised {
    /// In the same iteration.
    pub same: bool,
    /// At this distance and larger ones, or at none.
    pub later: Option<u64>,
}

impl Promised {
    fn within(self, meeting: Meeting) -> Meeting {
        Meeting {
            same: meeting.same && self.same,
            later: meeting.later.zip(self.later).map(|(a, b)| a.max(b)),
        }
    }
}

/// What is promised of two accesses of a memory, the first of which comes earlier. Between iterations a promise counts if there
/// is one for each dimension: a dimension without one carries dependences from any iteration to the next.
pub fn promised(
    promises: &[Apart],
    first: &Access,
    second: &Access,
    trips: &[Option<u64>],
) -> Promised {
    let hazard = Hazard::of(first.is_store, second.is_store);
    let meant = |one: &&Apart| one.mem == first.mem && one.hazard.is_none_or(|h| Some(h) == hazard);
    let of = |scope: Scope| {
        let promises = promises.iter().filter(meant);
        promises.filter(move |one| one.scope == scope)
    };
    let repeated: Vec<usize> = (0..trips.len())
        .filter(|&dim| trips[dim] != Some(1))
        .collect();
    let without =
        |dim: &usize| of(Scope::Inter).any(|one| one.dim == *dim && one.distance.is_none());
    let later = match &repeated[..] {
        all if !all.is_empty() && all.iter().all(without) => None,
        [dim] => {
            let distances = of(Scope::Inter).filter(|one| one.dim == *dim);
            distances.filter_map(|one| one.distance).max().or(Some(1))
        }
        _ => Some(1),
    };
    Promised {
        same: of(Scope::Intra).next().is_none(),
        later,
    }
}

/// The distance up to which `to` does not need what `from` did.
pub fn bypassed(from: &Access, to: &Access) -> u64 {
    u64::from(from.is_store && to.bypassed)
}

/// Meetings of `first` in one iteration with `second` in the same or a later one.
fn meeting(first: &Access, second: &Access, trips: &[Option<u64>]) -> Meeting {
    let (Some(from), Some(to)) = (&first.address, &second.address) else {
        return ALWAYS;
    };
    if from.symbols != to.symbols {
        return ALWAYS;
    }
    let dims: Vec<Dim> = trips
        .iter()
        .enumerate()
        .map(|(dim, &trip)| Dim {
            coefficients: [from, to].map(|a| a.counters.get(&dim).copied().unwrap_or(0)),
            trip,
            pins: [first, second].map(|a| a.pins.get(dim).copied().unwrap_or(Pin::Any)),
        })
        .collect();
    known(dims, from.constant - to.constant).unwrap_or(ALWAYS)
}

/// Answers of [`solve`] by what it was asked.
type Solved = Memo<Option<Meeting>, (Vec<Dim>, i128)>;

/// As [`solve`]. Variants of a kernel mostly have the accesses of one another: what was solved before is known.
fn known(dims: Vec<Dim>, difference: i128) -> Option<Meeting> {
    static SOLVED: LazyLock<Solved> = LazyLock::new(Memo::default);
    let question = (dims, difference);
    *SOLVED.once(&question, || solve(&question.0, difference))
}

/// One dimension: of either access the address per count, and when it counts; and the trip count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Dim {
    coefficients: [i128; 2],
    trip: Option<u64>,
    pins: [Pin; 2],
}

/// First and last iteration in which an access counts.
fn extent(pin: Pin, trip: i128) -> (i128, i128) {
    match pin {
        Pin::Any => (0, trip - 1),
        Pin::At(n) => (i128::from(n), i128::from(n)),
    }
}

/// Iterations of a loop whose number is not known. What meets later than that waits for nothing: no iteration takes as
/// many cycles.
const ENDLESS: u64 = 1 << 40;

/// Solutions of `sum(to * m - from * n) = difference`, `n` and `m` the counts of the two accesses, within the
/// iteration space, as flattened distances from `n` to `m`. `None` if there are too many to look at, or a
/// dimension other than the outermost is unbounded.
fn solve(dims: &[Dim], difference: i128) -> Option<Meeting> {
    let mut unknowns = Vec::with_capacity(2 * dims.len());
    let mut weight = 1i128;
    for (depth, dim) in dims.iter().enumerate().rev() {
        let trip = match dim.trip {
            None if depth == 0 => ENDLESS,
            trip => trip?,
        };
        if trip == 0 {
            return Some(NEVER);
        }
        let trip = i128::from(trip);
        let [from, to] = dim.coefficients;
        let [(from_low, from_high), (to_low, to_high)] = dim.pins.map(|pin| extent(pin, trip));
        if from == to {
            // Only the difference of the counts matters.
            unknowns.push(Unknown {
                coefficient: to,
                low: to_low - from_high,
                high: to_high - from_low,
                weight,
            });
        } else {
            unknowns.push(Unknown {
                coefficient: -from,
                low: from_low,
                high: from_high,
                weight: -weight,
            });
            unknowns.push(Unknown {
                coefficient: to,
                low: to_low,
                high: to_high,
                weight,
            });
        }
        weight = weight.checked_mul(trip)?;
    }
    // Those in the address first: they leave the fewest choices. Of the others the heaviest first.
    unknowns.sort_by_key(|u| std::cmp::Reverse((u.coefficient.abs(), u.weight.abs())));
    let mut search = Search {
        meeting: NEVER,
        budget: 10_000,
    };
    search.run(&unknowns, difference, 0)?;
    Some(search.meeting)
}

/// A count, or a difference of counts: what it adds to the address and to the distance, and its range.
struct Unknown {
    coefficient: i128,
    low: i128,
    high: i128,
    weight: i128,
}

impl Unknown {
    /// Least and greatest `factor * count`.
    fn span(&self, factor: i128) -> (i128, i128) {
        let (a, b) = (self.low * factor, self.high * factor);
        (a.min(b), a.max(b))
    }
}

/// Least and greatest sum over the unknowns.
fn span_of(unknowns: &[Unknown], factor: impl Fn(&Unknown) -> i128) -> (i128, i128) {
    unknowns.iter().fold((0, 0), |(low, high), unknown| {
        let (least, most) = unknown.span(factor(unknown));
        (low + least, high + most)
    })
}

struct Search {
    meeting: Meeting,
    budget: u32,
}

impl Search {
    /// Tries every count of the first unknown that the others can still make up for. `None`: gave up.
    fn run(&mut self, unknowns: &[Unknown], difference: i128, distance: i128) -> Option<()> {
        self.budget = self.budget.checked_sub(1)?;
        let Some((unknown, rest)) = unknowns.split_first() else {
            if difference == 0 && distance >= 0 {
                self.found(distance);
            }
            return Some(());
        };
        let (low, high) = span_of(rest, |u| u.coefficient);
        let (from, to) = match unknown.coefficient {
            0 if difference == 0 => (unknown.low, unknown.high),
            0 => return Some(()), // the rest has no coefficients either
            c => {
                // low <= difference - count * c <= high
                let (a, b) = (difference - high, difference - low);
                let (a, b) = if c > 0 { (a, b) } else { (-b, -a) };
                let size = c.abs();
                let first = a.div_euclid(size) + i128::from(a.rem_euclid(size) != 0);
                (first.max(unknown.low), b.div_euclid(size).min(unknown.high))
            }
        };
        // No earlier than in the same iteration.
        let (nearest, farthest) = span_of(rest, |u| u.weight);
        let room = (distance + farthest).div_euclid(unknown.weight.abs());
        let (from, to) = match unknown.weight > 0 {
            true => (from.max(-room), to),
            false => (from, to.min(room)),
        };
        for step in 0..=(to - from).max(-1) {
            // Nearest first, so that the bound on the distance soon helps.
            let count = if unknown.weight > 0 {
                from + step
            } else {
                to - step
            };
            let distance = distance + count * unknown.weight;
            let known = self.meeting.later.map_or(i128::MAX, i128::from);
            if distance + nearest >= known {
                break; // no nearer than a meeting that is known, as all after it
            }
            let left = difference - count * unknown.coefficient;
            self.run(rest, left, distance)?;
        }
        Some(())
    }

    fn found(&mut self, distance: i128) {
        if distance == 0 {
            self.meeting.same = true;
        } else if let Ok(distance) = u64::try_from(distance) {
            let nearest = self.meeting.later.map_or(distance, |l| l.min(distance));
            self.meeting.later = Some(nearest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Span;
    use crate::hwarith::testing::Random;
    use crate::machine::program::Affine;

    fn dim(coefficient: i128, trip: Option<u64>) -> Dim {
        Dim {
            coefficients: [coefficient; 2],
            trip,
            pins: [Pin::Any; 2],
        }
    }

    fn dims(list: &[(i128, u64)]) -> Vec<Dim> {
        list.iter().map(|&(c, t)| dim(c, Some(t))).collect()
    }

    #[test]
    fn a_sum_stored_after_the_inner_loop_is_not_loaded_again() {
        let mut nest = dims(&[(32, 32), (1, 32), (0, 8)]);
        nest[2].pins = [Pin::At(7), Pin::At(0)];
        assert_eq!(
            solve(&nest, 0).unwrap(),
            Meeting {
                same: false,
                later: None
            }
        );
        // From the load to the store of the same element: seven iterations.
        nest[2].pins = [Pin::At(0), Pin::At(7)];
        assert_eq!(
            solve(&nest, 0).unwrap(),
            Meeting {
                same: false,
                later: Some(7)
            }
        );
    }

    /// All pairs of iterations, one by one.
    fn brute_force(dims: &[Dim], difference: i128) -> Meeting {
        let mut points = vec![vec![]];
        for dim in dims {
            let trip = dim.trip.unwrap() as i128;
            points = points
                .into_iter()
                .flat_map(|p: Vec<i128>| (0..trip).map(move |n| [&p[..], &[n]].concat()))
                .collect();
        }
        let counts = |p: &[i128], side: usize| {
            p.iter().zip(dims).all(|(&n, dim)| {
                let (low, high) = extent(dim.pins[side], dim.trip.unwrap() as i128);
                (low..=high).contains(&n)
            })
        };
        let address = |p: &[i128], side: usize| -> i128 {
            let terms = p.iter().zip(dims).map(|(n, d)| n * d.coefficients[side]);
            terms.sum()
        };
        let mut meeting = Meeting {
            same: false,
            later: None,
        };
        for (i, n) in points.iter().enumerate().filter(|(_, n)| counts(n, 0)) {
            for (j, m) in points.iter().enumerate().skip(i) {
                if !counts(m, 1) || address(m, 1) - address(n, 0) != difference {
                    continue;
                }
                match (j - i) as u64 {
                    0 => meeting.same = true,
                    d => meeting.later = Some(meeting.later.map_or(d, |l| l.min(d))),
                }
            }
        }
        meeting
    }

    /// A random dimension of at most five iterations.
    fn random_dim(below: &mut impl FnMut(u64) -> u64) -> Dim {
        let from = below(9) as i128 - 4;
        let to = below(9) as i128 - 4;
        let trip = 1 + below(5);
        let pin = |n| [Pin::Any, Pin::Any, Pin::At(0), Pin::At(trip - 1)][n as usize];
        Dim {
            coefficients: [from, if below(2) == 0 { from } else { to }],
            trip: Some(trip),
            pins: [pin(below(4)), pin(below(4))],
        }
    }

    #[test]
    fn distances_are_those_of_all_pairs_of_iterations() {
        let mut random = Random::new(1);
        let mut below = |n: u64| u64::from(random.below(n as u32));
        for _ in 0..3000 {
            let count = 1 + below(3);
            let dims: Vec<Dim> = (0..count).map(|_| random_dim(&mut below)).collect();
            let difference = below(13) as i128 - 6;
            let expected = brute_force(&dims, difference);
            assert_eq!(
                solve(&dims, difference),
                Some(expected),
                "{dims:?} {difference}"
            );
            // Asked for the first time and once more, and the other way round.
            for difference in [difference, difference, -difference] {
                let expected = solve(&dims, difference);
                assert_eq!(known(dims.clone(), difference), expected);
            }
        }
    }

    /// Of a loop without a known end, all meetings but those of accesses that drift apart for ever lie in its first
    /// iterations.
    #[test]
    fn distances_in_a_loop_without_a_known_end_are_those_in_its_first_iterations() {
        const MANY: u64 = 40;
        let mut random = Random::new(2);
        let mut below = |n: u64| u64::from(random.below(n as u32));
        let mut solved = 0;
        for _ in 0..500 {
            let mut dims: Vec<Dim> = (0..2).map(|_| random_dim(&mut below)).collect();
            let first = |pin| match pin {
                Pin::At(0) => Pin::At(0),
                _ => Pin::Any,
            };
            dims[0].pins = dims[0].pins.map(first);
            let difference = below(13) as i128 - 6;
            dims[0].trip = Some(MANY);
            let expected = brute_force(&dims, difference);
            dims[0].trip = None;
            if let Some(found) = solve(&dims, difference) {
                solved += 1;
                assert_eq!(found, expected, "{dims:?} {difference}");
            }
        }
        assert!(solved > 400, "{solved}");
    }

    #[test]
    fn a_row_is_read_by_another_counter_than_wrote_it() {
        // m[t, c] stored after the loop over p; m[t - 1, p] loaded: m[t - 1, 3] is four iterations old.
        let mut nest = dims(&[(4, 8), (0, 4), (0, 4)]);
        nest[1].coefficients = [1, 0];
        nest[2].coefficients = [0, 1];
        nest[2].pins = [Pin::At(3), Pin::Any];
        assert_eq!(solve(&nest, 4).unwrap().later, Some(4));
    }

    #[test]
    fn same_element_only_in_the_same_iteration_of_a_row_major_sweep() {
        let met = solve(&dims(&[(32, 32), (1, 32)]), 0).unwrap();
        assert_eq!(
            met,
            Meeting {
                same: true,
                later: None
            }
        );
    }

    #[test]
    fn an_element_fixed_in_the_inner_loop_is_met_in_the_next_iteration() {
        let met = solve(&dims(&[(32, 32), (1, 32), (0, 8)]), 0).unwrap();
        assert_eq!(met.later, Some(1));
    }

    #[test]
    fn a_shifted_access_meets_after_the_shift() {
        // a[i] written, a[i - 3] read later: read of iteration n + 3.
        let met = solve(&dims(&[(1, 100)]), 3).unwrap();
        assert_eq!(
            met,
            Meeting {
                same: false,
                later: Some(3)
            }
        );
        assert_eq!(solve(&dims(&[(1, 100)]), -3).unwrap().later, None);
        assert_eq!(solve(&dims(&[(1, 3)]), 3).unwrap().later, None);
    }

    #[test]
    fn unbounded_loops_have_a_distance_too() {
        assert_eq!(solve(&[dim(2, None)], 4).unwrap().later, Some(2));
        assert_eq!(solve(&[dim(2, None)], 3).unwrap(), NEVER);
        assert_eq!(solve(&[dim(0, None)], 0).unwrap(), ALWAYS);
        assert_eq!(solve(&[dim(0, None)], 1).unwrap(), NEVER);
        // a[8 * i + j] with j < 8 and no end of i, two elements apart: also one row later.
        assert_eq!(
            solve(&[dim(8, None), dim(1, Some(8))], 2).unwrap().later,
            Some(2)
        );
        assert_eq!(
            solve(&[dim(8, None), dim(0, Some(8))], 16).unwrap().later,
            Some(9)
        );
    }

    fn access(node: usize, is_store: bool, bypassed: bool, constant: i128) -> Access {
        Access {
            node: NodeId::new(node),
            mem: MemId::new(0),
            is_store,
            address: Some(Affine {
                constant,
                ..Affine::default()
            }),
            pins: Vec::new(),
            bypassed,
            span: Span::default(),
        }
    }

    /// What follows from dependences: whether one access comes after another over so many iterations at most.
    fn follows(edges: &[Dependence], from: NodeId, to: NodeId, distance: u64) -> bool {
        let mut reached = std::collections::BTreeSet::new();
        let mut open = vec![(from, distance)];
        while let Some((node, left)) = open.pop() {
            let next = edges
                .iter()
                .filter(|e| e.from == node && e.distance <= left);
            for edge in next {
                let step = (edge.to, left - edge.distance);
                if reached.insert(step) {
                    open.push(step);
                }
            }
        }
        (0..=distance).any(|left| reached.contains(&(to, left)))
    }

    #[test]
    fn a_chain_of_dependences_says_what_all_pairs_say() {
        let mut random = Random::new(7);
        let mut below = |n: u64| u64::from(random.below(n as u32));
        for round in 0..200 {
            let accesses: Vec<Access> = (0..1 + below(9) as usize)
                .map(|node| {
                    let is_store = below(3) == 0;
                    access(node, is_store, !is_store && below(4) == 0, 0)
                })
                .collect();
            let accesses: Vec<&Access> = accesses.iter().collect();
            let (mut pairs, mut chain) = (Edges(Vec::new()), Edges(Vec::new()));
            let repeats = round % 2 == 0;
            // One dimension without a coefficient: all accesses meet in all iterations.
            pairs.of_pairs(&[], &accesses, &[Some(100)], repeats);
            chain.of_chain(&accesses, repeats);
            for edge in &chain.0 {
                assert!(pairs.0.contains(edge), "{edge:?} is no dependence");
            }
            for edge in &pairs.0 {
                assert!(
                    follows(&chain.0, edge.from, edge.to, edge.distance),
                    "{edge:?} does not follow from {:?}",
                    chain.0
                );
            }
        }
    }

    #[test]
    fn many_accesses_are_told_apart_by_their_constants() {
        let groups = |coefficient: Option<i128>| {
            let mut accesses: Vec<Access> = (0..1000)
                .map(|i| access(i, i % 2 == 0, false, i as i128 / 4))
                .collect();
            let addresses = accesses.iter_mut().flat_map(|access| &mut access.address);
            for address in addresses {
                address.counters.extend(coefficient.map(|c| (0, c)));
            }
            let accesses: Vec<&Access> = accesses.iter().collect();
            let groups = apart(&accesses).into_iter().map(|group| group.len());
            groups.collect::<Vec<_>>()
        };
        assert_eq!(groups(None), [4; 250]);
        // Other iterations come to the constants that differ by multiples of the coefficient.
        assert_eq!(groups(Some(50)), [20; 50]);
        assert_eq!(groups(Some(-1)), [1000]);
    }
}
