//! Whether two accesses may touch the same element a given number of iterations apart.
//!
//! A distance in iterations of a flattened nest is a number in mixed radix. Written as one difference for each
//! dimension it has few forms: in each but the outermost, the digit itself or what it lacks to the next carry. Where both
//! accesses have the same coefficient, a form moves the address by a known amount; each other dimension leaves an
//! unknown count in an equation whose bounded solutions are looked for one by one.

use crate::machine::program::{Access, Pin};

/// Whether `second`, `distance` iterations after `first`, may touch the element that `first` did.
pub fn may_meet(first: &Access, second: &Access, trips: &[Option<u64>], distance: u64) -> bool {
    let (Some(from), Some(to)) = (&first.address, &second.address) else {
        return true;
    };
    if from.symbols != to.symbols {
        return true;
    }
    // Outermost first, as in the nest.
    let dims: Vec<Dim> = trips
        .iter()
        .enumerate()
        .map(|(dim, trip)| Dim {
            coefficients: [from, to].map(|a| a.counters.get(&dim).copied().unwrap_or(0)),
            trip: trip.map(i128::from),
            first: first.pins.get(dim).copied().unwrap_or(Pin::Any),
            second: second.pins.get(dim).copied().unwrap_or(Pin::Any),
        })
        .collect();
    let moved = from.constant - to.constant;
    // to(n + d) = from(n): sum(to * d) + sum((to - from) * n) = moved.
    has_form(&dims, i128::from(distance), moved, &mut Vec::new())
}

/// More iterations than any loop runs; the outermost dimension is the only one whose number may be unknown, and its count is
/// the last unknown, which is not tried value by value.
const ENDLESS: i128 = 1 << 62;

struct Dim {
    /// Address per count, of the first access and of the second.
    coefficients: [i128; 2],
    trip: Option<i128>,
    first: Pin,
    second: Pin,
}

/// A count of the first access that the address depends on, with its range.
#[derive(Clone, Copy)]
struct Unknown {
    coefficient: i128,
    low: i128,
    high: i128,
}

impl Dim {
    /// First and last count of the first access after which the second may have one that differs by so much.
    fn counts(&self, difference: i128) -> (i128, i128) {
        let trip = self.trip.unwrap_or(ENDLESS);
        let counts = |pin| match pin {
            Pin::Any => (0, trip - 1),
            Pin::At(n) => (i128::from(n), i128::from(n)),
        };
        let ((low, high), (from, to)) = (counts(self.first), counts(self.second));
        (low.max(from - difference), high.min(to - difference))
    }
}

/// Whether differences of the dimensions' counts amount to the distance and move the address by `moved`, together with
/// `unknowns`, those of the dimensions inside of these.
fn has_form(dims: &[Dim], distance: i128, moved: i128, unknowns: &mut Vec<Unknown>) -> bool {
    let Some((inner, outer)) = dims.split_last() else {
        return distance == 0 && has_solution(unknowns, moved);
    };
    let mut fits = |difference: i128, carried: i128| {
        let [from, to] = inner.coefficients;
        let known = unknowns.len();
        match inner.counts(difference) {
            (low, high) if low > high => return false,
            (low, high) if from != to => unknowns.push(Unknown {
                coefficient: to - from,
                low,
                high,
            }),
            _ => {}
        }
        let found = has_form(outer, carried, moved - difference * to, unknowns);
        unknowns.truncate(known);
        found
    };
    match inner.trip {
        _ if outer.is_empty() => fits(distance, 0),
        // How far an inner dimension of unknown length carries is unknown.
        None => true,
        Some(trip) => {
            let digit = distance.rem_euclid(trip);
            let carried = distance.div_euclid(trip);
            fits(digit, carried) || (digit > 0 && fits(digit - trip, carried + 1))
        }
    }
}

/// Whether `sum(coefficient * count) = sum` for counts in their ranges.
fn has_solution(unknowns: &[Unknown], sum: i128) -> bool {
    let Some((first, rest)) = unknowns.split_first() else {
        return sum == 0;
    };
    let ends = |u: &Unknown| {
        let (a, b) = (u.coefficient * u.low, u.coefficient * u.high);
        (a.min(b), a.max(b))
    };
    let (low, high) = unknowns
        .iter()
        .map(ends)
        .fold((0, 0), |s, e| (s.0 + e.0, s.1 + e.1));
    if sum < low || sum > high {
        return false;
    }
    if rest.is_empty() {
        return sum % first.coefficient == 0;
    }
    (first.low..=first.high).any(|count| has_solution(rest, sum - count * first.coefficient))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hwarith::NodeId;
    use crate::hwarith::graph::MemId;
    use crate::hwarith::testing::Random;
    use crate::machine::program::Affine;

    fn access(counters: &[i128], constant: i128, pins: &[Pin]) -> Access {
        Access {
            node: NodeId::new(0),
            mem: MemId::new(0),
            is_store: true,
            address: Some(Affine {
                counters: counters.iter().copied().enumerate().collect(),
                symbols: Default::default(),
                constant,
            }),
            pins: pins.to_vec(),
            bypassed: false,
            span: Default::default(),
        }
    }

    /// All distances at which two accesses meet, by running the nest.
    fn by_running(a: &Access, b: &Access, trips: &[u64]) -> Vec<u64> {
        let total: u64 = trips.iter().product();
        let counts = |mut n: u64| {
            let mut out = vec![0; trips.len()];
            for (count, trip) in out.iter_mut().zip(trips).rev() {
                (*count, n) = (n % trip, n / trip);
            }
            out
        };
        let touched = |access: &Access, n: u64| {
            let counts = counts(n);
            let pinned = access.pins.iter().zip(&counts);
            let counted = pinned.clone().all(|(pin, count)| match pin {
                Pin::Any => true,
                Pin::At(n) => count == n,
            });
            let address = access.address.as_ref().expect("affine");
            let terms = address
                .counters
                .iter()
                .map(|(d, c)| c * i128::from(counts[*d]));
            counted.then(|| terms.sum::<i128>() + address.constant)
        };
        let meets = |distance: &u64| {
            (0..total - distance).any(|n| {
                let (x, y) = (touched(a, n), touched(b, n + distance));
                x.is_some() && x == y
            })
        };
        (0..total).filter(meets).collect()
    }

    #[test]
    fn counts_are_not_negative_in_loops_without_a_known_end() {
        let meet = |from: i128, to: i128, constant: i128, distance| {
            let (a, b) = (access(&[from], 0, &[]), access(&[to], constant, &[]));
            may_meet(&a, &b, &[None], distance)
        };
        // x[0] and, in the same iteration, x[n + 1] for n = 0, 1, ...
        assert!(!meet(0, 1, 1, 0));
        assert!(meet(0, 1, 0, 0));
        // x[n + 1] and, an iteration later, x[0]; x[5] after x[n].
        assert!(!meet(1, 0, -1, 1));
        assert!(meet(1, 0, 5, 1));
        assert!(meet(2, 2, -2, 1));
        assert!(!meet(2, 2, -2, 2));
    }

    #[test]
    fn distances_are_those_of_running_the_nest() {
        let nests: &[&[u64]] = &[&[7], &[3, 4], &[4, 1, 3], &[2, 3, 4]];
        let mut random = Random::new(1);
        let mut below = |n: u64| u64::from(random.below(n as u32));
        for case in 0..2000 {
            let trips = nests[case % nests.len()];
            let counters: Vec<i128> = trips.iter().map(|_| i128::from(below(7)) - 3).collect();
            let mut one = |counters: &[i128]| {
                let constant = i128::from(below(9)) - 4;
                let mut pin = |trip: &u64| match below(3) {
                    0 => Pin::At(below(*trip)),
                    1 => Pin::At(trip - 1),
                    _ => Pin::Any,
                };
                let pins: Vec<Pin> = trips.iter().map(&mut pin).collect();
                access(counters, constant, &pins)
            };
            let other: Vec<i128> = counters
                .iter()
                .map(|c| if case % 3 > 0 { *c } else { c + 1 })
                .collect();
            let (a, b) = (one(&counters), one(&other));
            let known: Vec<Option<u64>> = trips.iter().map(|t| Some(*t)).collect();
            let total: u64 = trips.iter().product();
            let met: Vec<u64> = (0..total)
                .filter(|d| may_meet(&a, &b, &known, *d))
                .collect();
            assert_eq!(met, by_running(&a, &b, trips), "{trips:?} {a:?} {b:?}");
        }
    }

    #[test]
    fn what_is_not_known_may_meet() {
        let mut a = access(&[1], 0, &[]);
        let b = access(&[1], 3, &[]);
        assert!(!may_meet(&a, &b, &[None], 3) && may_meet(&b, &a, &[None], 3));
        assert!(!may_meet(&a, &access(&[2], 0, &[]), &[None], 1));
        assert!(may_meet(&a, &b, &[Some(4), None], 1));
        a.address = None;
        assert!(may_meet(&a, &b, &[Some(4)], 9));
    }
}
