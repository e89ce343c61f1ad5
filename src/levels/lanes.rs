//! Iterations of a loop that may run side by side, and the loops that have such.

use crate::ir::analysis::trip::Trip;
use crate::ir::analysis::{Values, abreast};
use crate::ir::*;
use num_traits::ToPrimitive;
use std::collections::BTreeSet;

/// Most iterations side by side.
const MOST_LANES: u64 = 256;

/// One part in so many of them is given up where none is left over without.
const FEWER: u64 = 4;

/// Iterations of a loop that run side by side.
#[derive(Clone, Copy, Debug)]
pub struct Lanes {
    /// How many there are.
    pub count: u32,
    trip: u64,
}

impl Lanes {
    /// So many iterations of the loop at a path; `None` where they depend on one another, or there are fewer.
    pub fn of(kernel: &Kernel, values: &Values, path: &Path, count: u64) -> Option<Lanes> {
        let f = kernel.body.for_at(path)?;
        let trip = trip(values, f)?;
        let is_some = (2..=MOST_LANES.min(trip)).contains(&count);
        let legal = is_some && abreast::may_run(values, f, count).is_ok();
        legal.then_some(Lanes {
            count: count as u32,
            trip,
        })
    }

    /// How many there are.
    pub fn count(self) -> u64 {
        self.count.into()
    }

    /// Whether none is left over in the last round.
    pub fn leave_none(self) -> bool {
        self.trip.is_multiple_of(self.count())
    }

    /// As many, or the most below of which none is left over.
    pub fn fewer_that_leave_none(self) -> Option<u64> {
        let mut fewer = (2..=self.count()).rev();
        fewer.find(|&count| self.trip.is_multiple_of(count))
    }

    /// The most that there may be up to a part of them.
    pub fn fewer(self, part: f64) -> Option<u64> {
        let most = part * self.count() as f64;
        let counts = self.counts().into_iter();
        counts.filter(|&count| count as f64 <= most).max()
    }

    /// How many there may be, ascending: for each number of rounds as many as are needed for it, or somewhat fewer, if none
    /// is left over then.
    pub fn counts(self) -> Vec<u64> {
        // More than are needed are somewhat more than the most that there may be.
        let most = MOST_LANES + MOST_LANES / (FEWER - 1) + 1;
        let counts = (2..=most.min(self.trip)).flat_map(|count| {
            let rounds = self.trip.div_ceil(count);
            let needed = self.trip.div_ceil(rounds);
            let least = (needed - needed / FEWER).max(2);
            let even = (least..=needed)
                .rev()
                .find(|count| self.trip.is_multiple_of(*count));
            even.into_iter().chain([needed])
        });
        let counts: BTreeSet<u64> = counts.filter(|count| *count <= MOST_LANES).collect();
        counts.into_iter().filter(|count| *count > 2).collect()
    }
}

/// The loops of a nest of which iterations may run side by side, innermost first; none where the user directs one.
pub fn candidates(kernel: &Kernel, values: &Values, nest: &Path) -> Vec<Path> {
    let mut found = Vec::new();
    let mut is_directed = false;
    let mut open = vec![nest.clone()];
    while let Some(path) = open.pop() {
        let Some(f) = kernel.body.for_at(&path) else {
            continue;
        };
        is_directed |= f.tags != Tags::default();
        if Lanes::of(kernel, values, &path, 2).is_some() {
            found.push(path.clone());
        }
        for (at, op) in f.body.ops.iter().enumerate() {
            if matches!(op.kind, OpKind::For(_)) {
                open.push([&path[..], &[(at, 0)]].concat());
            }
        }
    }
    found.reverse();
    match is_directed {
        true => Vec::new(),
        false => found,
    }
}

fn trip(values: &Values, f: &For) -> Option<u64> {
    let trip = Trip::of(f, |value| values.constant(value).cloned())?;
    trip.count.to_u64()
}

#[cfg(test)]
mod tests {
    use super::Lanes;

    #[test]
    fn fewer_lanes_leave_none_over_or_are_a_part() {
        let of = |count, trip| Lanes { count, trip };
        assert!(of(25, 250).leave_none() && !of(23, 250).leave_none());
        assert_eq!(of(23, 250).fewer_that_leave_none(), Some(10));
        assert_eq!(of(25, 250).fewer_that_leave_none(), Some(25));
        assert_eq!(of(22, 241).fewer_that_leave_none(), None);
        assert_eq!(of(36, 180).fewer(0.9), Some(30));
        assert_eq!(of(3, 180).fewer(0.5), None);
    }
}
