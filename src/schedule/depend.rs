//! Memory dependences of a leaf: which access must wait for which, and how many iterations later.
//!
//! Addresses that are affine in the loop counters are solved exactly (the classical dependence
//! distance test on a bounded iteration space); all others are taken to meet at every distance.

use crate::hwarith::NodeId;
use crate::hwarith::program::{Access, Leaf, Pin};

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
    if let Some(distance) = forward.later {
        edge(a, b, distance);
    }
    if let Some(distance) = meeting(b, a, trips).later {
        edge(b, a, distance);
    }
}

/// Meetings of `first` in one iteration with `second` in the same or a later one.
fn meeting(first: &Access, second: &Access, trips: &[Option<u64>]) -> Meeting {
    let (Some(from), Some(to)) = (&first.address, &second.address) else {
        return ALWAYS;
    };
    if from.symbols != to.symbols || from.counters != to.counters {
        return ALWAYS;
    }
    // from(n) = to(n + d) means sum(coefficient * d) = from.constant - to.constant.
    let difference = from.constant - to.constant;
    let dims: Vec<Dim> = trips
        .iter()
        .enumerate()
        .map(|(dim, &trip)| Dim {
            coefficient: from.counters.get(&dim).copied().unwrap_or(0),
            trip,
            pins: [first, second].map(|a| a.pins.get(dim).copied().unwrap_or(Pin::Any)),
        })
        .collect();
    solve(&dims, difference).unwrap_or(ALWAYS)
}

/// One dimension: address per count, trip count, and when the two accesses count.
#[derive(Clone, Copy, Debug)]
struct Dim {
    coefficient: i128,
    trip: Option<u64>,
    pins: [Pin; 2],
}

/// First and last iteration in which an access counts.
fn extent(pin: Pin, trip: i128) -> (i128, i128) {
    match pin {
        Pin::Any => (0, trip - 1),
        Pin::First => (0, 0),
        Pin::Last => (trip - 1, trip - 1),
    }
}

/// Solutions `d` of `sum(coefficient * d) = difference` within the iteration space, as flattened distances.
/// `None` if there are too many to look at, or an unbounded dimension is not the only one.
fn solve(dims: &[Dim], difference: i128) -> Option<Meeting> {
    if let [
        Dim {
            coefficient,
            trip: None,
            ..
        },
    ] = *dims
    {
        return Some(solve_unbounded(coefficient, difference));
    }
    let mut bounded = Vec::with_capacity(dims.len());
    let mut weight = 1i128;
    for dim in dims.iter().rev() {
        let trip = i128::from(dim.trip?);
        let [(from_low, from_high), (to_low, to_high)] = dim.pins.map(|pin| extent(pin, trip));
        bounded.push(Bounded {
            coefficient: dim.coefficient,
            low: to_low - from_high,
            high: to_high - from_low,
            weight,
        });
        weight = weight.checked_mul(trip)?;
    }
    bounded.sort_by_key(|d| std::cmp::Reverse(d.coefficient.abs()));
    let mut search = Search {
        meeting: Meeting {
            same: false,
            later: None,
        },
        budget: 10_000,
    };
    search.run(&bounded, difference, 0)?;
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

/// One dimension: address per count, range of the difference of counts, iterations per count.
struct Bounded {
    coefficient: i128,
    low: i128,
    high: i128,
    weight: i128,
}

struct Search {
    meeting: Meeting,
    budget: u32,
}

impl Search {
    /// Tries every count of the first dimension that the others can still make up for. `None`: gave up.
    fn run(&mut self, dims: &[Bounded], difference: i128, distance: i128) -> Option<()> {
        self.budget = self.budget.checked_sub(1)?;
        let Some((dim, rest)) = dims.split_first() else {
            if difference == 0 {
                self.found(distance);
            }
            return Some(());
        };
        let slack: i128 = rest
            .iter()
            .map(|d| d.coefficient.abs() * d.low.abs().max(d.high.abs()))
            .sum();
        let (from, to) = if dim.coefficient == 0 {
            (dim.low, dim.high)
        } else {
            let size = dim.coefficient.abs();
            let centre = difference * dim.coefficient.signum();
            let low = (centre - slack).div_euclid(size);
            let high = (centre + slack).div_euclid(size);
            (low.max(dim.low), high.min(dim.high))
        };
        for count in from..=to {
            let rest_difference = difference - count * dim.coefficient;
            self.run(rest, rest_difference, distance + count * dim.weight)?;
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
            coefficient,
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
        nest[2].pins = [Pin::Last, Pin::First];
        assert_eq!(
            solve(&nest, 0).unwrap(),
            Meeting {
                same: false,
                later: None
            }
        );
        // From the load to the store of the same element: seven iterations.
        nest[2].pins = [Pin::First, Pin::Last];
        assert_eq!(
            solve(&nest, 0).unwrap(),
            Meeting {
                same: false,
                later: Some(7)
            }
        );
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
