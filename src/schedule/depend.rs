//! Memory dependences of a leaf: which access must wait for which, and how many iterations later.
//!
//! Addresses that are affine in the loop counters are solved exactly (the classical dependence
//! distance test on a bounded iteration space); all others are taken to meet at every distance.

use crate::hwarith::NodeId;
use crate::machine::program::{Access, Leaf, Pin};

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

/// Dependences among the accesses of a leaf. A memory never relies on what is read from an address that is
/// written at the same clock edge, and is never written twice at one edge, so every kind of dependence takes one cycle.
pub fn dependences(leaf: &Leaf) -> Vec<Dependence> {
    let trips: Vec<Option<u64>> = match &leaf.repeat {
        Some(repeat) => repeat.dims.iter().map(|d| d.trip).collect(),
        None => Vec::new(),
    };
    let mut edges = Vec::new();
    for (i, a) in leaf.accesses.iter().enumerate() {
        for b in &leaf.accesses[i + 1..] {
            if a.mem != b.mem || !(a.is_store || b.is_store) {
                continue;
            }
            pair(a, b, &trips, leaf.repeat.is_some(), &mut edges);
        }
    }
    edges
}

fn pair(a: &Access, b: &Access, trips: &[Option<u64>], repeats: bool, edges: &mut Vec<Dependence>) {
    let mut edge = |from: &Access, to: &Access, distance: u64| {
        edges.push(Dependence {
            from: from.node,
            to: to.node,
            distance,
        });
    };
    let forward = meeting(a, b, trips);
    if forward.same {
        edge(a, b, 0);
    }
    if !repeats {
        return;
    }
    for (from, to, later) in [(a, b, forward.later), (b, a, meeting(b, a, trips).later)] {
        if let Some(distance) = later {
            edge(from, to, distance.max(1 + bypassed(from, to)));
        }
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
    solve(&dims, from.constant - to.constant).unwrap_or(ALWAYS)
}

/// One dimension: of either access the address per count, and when it counts; and the trip count.
#[derive(Clone, Copy, Debug)]
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

/// Solutions of `sum(to * m - from * n) = difference`, `n` and `m` the counts of the two accesses, within the
/// iteration space, as flattened distances from `n` to `m`. `None` if there are too many to look at, or an unbounded
/// dimension is not the only one.
fn solve(dims: &[Dim], difference: i128) -> Option<Meeting> {
    if let [
        Dim {
            coefficients: [from, to],
            trip: None,
            ..
        },
    ] = *dims
    {
        return (from == to).then(|| solve_unbounded(from, difference));
    }
    let mut unknowns = Vec::with_capacity(2 * dims.len());
    let mut weight = 1i128;
    for dim in dims.iter().rev() {
        let trip = i128::from(dim.trip?);
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
        meeting: Meeting {
            same: false,
            later: None,
        },
        budget: 10_000,
    };
    search.run(&unknowns, difference, 0)?;
    Some(search.meeting)
}

fn solve_unbounded(coefficient: i128, difference: i128) -> Meeting {
    if coefficient == 0 {
        return if difference == 0 {
            ALWAYS
        } else {
            Meeting {
                same: false,
                later: None,
            }
        };
    }
    let whole = difference % coefficient == 0;
    let distance = difference / coefficient;
    Meeting {
        same: difference == 0,
        later: (whole && distance > 0).then(|| u64::try_from(distance).unwrap_or(u64::MAX)),
    }
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
        let (nearest, farthest) = span_of(unknowns, |u| u.weight);
        let known = self.meeting.later.map_or(i128::MAX, i128::from);
        if distance + farthest < 0 || distance + nearest >= known {
            return Some(()); // not later, or no nearer than a meeting that is known
        }
        self.budget = self.budget.checked_sub(1)?;
        let Some((unknown, rest)) = unknowns.split_first() else {
            if difference == 0 {
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
        for step in 0..=(to - from).max(-1) {
            // Nearest first, so that the bound on the distance soon helps.
            let count = if unknown.weight > 0 {
                from + step
            } else {
                to - step
            };
            let left = difference - count * unknown.coefficient;
            self.run(rest, left, distance + count * unknown.weight)?;
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

    #[test]
    fn distances_are_those_of_all_pairs_of_iterations() {
        let mut state = 1u64;
        let mut below = |n: u64| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) % n
        };
        for _ in 0..3000 {
            let count = 1 + below(3);
            let dims: Vec<Dim> = (0..count)
                .map(|_| {
                    let from = below(9) as i128 - 4;
                    let to = below(9) as i128 - 4;
                    let trip = 1 + below(5);
                    let pin = |n| [Pin::Any, Pin::Any, Pin::At(0), Pin::At(trip - 1)][n as usize];
                    Dim {
                        coefficients: [from, if below(2) == 0 { from } else { to }],
                        trip: Some(trip),
                        pins: [pin(below(4)), pin(below(4))],
                    }
                })
                .collect();
            let difference = below(13) as i128 - 6;
            let expected = brute_force(&dims, difference);
            assert_eq!(
                solve(&dims, difference),
                Some(expected),
                "{dims:?} {difference}"
            );
        }
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
        assert_eq!(
            solve(&[dim(2, None)], 3).unwrap(),
            Meeting {
                same: false,
                later: None
            }
        );
    }
}
