//! What the regions of a program take in an invocation: how often each runs, when for the first time, and how long.

use super::LeafSchedule;
use crate::machine::program::{LeafId, Region};

/// A run of a region.
#[derive(Clone, Copy, Debug, Default)]
pub struct Run {
    /// Cycles from its start to its release.
    pub cycles: u64,
    /// Cycles for which it is still at work after that.
    pub beyond: u64,
}

impl Run {
    /// Of a leaf that begins its last iteration so many cycles after its first.
    pub fn of_leaf(issues: u64, times: &LeafSchedule) -> Run {
        Run {
            cycles: issues.saturating_add(u64::from(times.release) + 1),
            beyond: u64::from(times.depth.saturating_sub(times.release + 1)),
        }
    }

    /// A cycle in which only control is at work.
    pub const CONTROL: Run = Run {
        cycles: 1,
        beyond: 0,
    };

    /// Both, one after the other.
    pub fn then(self, next: Run) -> Run {
        Run {
            cycles: self.cycles.saturating_add(next.cycles),
            beyond: next.beyond.max(self.beyond.saturating_sub(next.cycles)),
        }
    }

    /// Cycles from its start to the end of its work.
    pub fn whole(self) -> u64 {
        self.cycles.saturating_add(self.beyond)
    }
}

/// The fewest and the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The fewest.
    pub least: u64,
    /// The most.
    pub most: u64,
}

impl Extent {
    /// Of one number.
    pub fn of(number: u64) -> Extent {
        Extent {
            least: number,
            most: number,
        }
    }

    /// The number, if there is only one.
    pub fn alike(self) -> Option<u64> {
        (self.least == self.most).then_some(self.least)
    }

    /// Of both.
    fn with(self, other: Extent) -> Extent {
        Extent {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }
}

/// All runs of a region in an invocation. A loop that is a pipeline begins with its first iteration, a cycle after its start.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// How many.
    pub runs: u64,
    /// The cycle in which the first one begins.
    pub start: u64,
    /// Cycles of the first one.
    pub first: u64,
    /// Cycles of one, until its work is done; `None`: it never runs.
    pub cycles: Option<Extent>,
    /// Iterations of a loop; `None`: it is none, it never runs, or the data decide.
    pub iterations: Option<Extent>,
    /// Cycles of all, up to their releases.
    released: u64,
    /// Cycles of one after its release, at most.
    beyond: u64,
    /// Of its [`Region::parts`].
    pub inside: Vec<Tally>,
}

impl Tally {
    /// No run of a region.
    pub fn none(region: &Region) -> Tally {
        Tally {
            inside: region.parts().into_iter().map(Tally::none).collect(),
            ..Tally::default()
        }
    }

    /// Adds so many runs that are alike, the first of which begins in that cycle.
    pub fn add(&mut self, runs: u64, start: u64, run: Run, iterations: Option<u64>) {
        if self.runs == 0 {
            (self.start, self.first) = (start, run.whole());
        }
        let joined = |all: Option<Extent>, one: u64| {
            let one = Extent::of(one);
            Some(all.map_or(one, |all| all.with(one)))
        };
        self.cycles = joined(self.cycles, run.whole());
        self.iterations = iterations.and_then(|count| joined(self.iterations, count));
        self.runs = self.runs.saturating_add(runs);
        let released = run.cycles.saturating_mul(runs);
        self.released = self.released.saturating_add(released);
        self.beyond = self.beyond.max(run.beyond);
    }

    /// The same of a loop that is a pipeline: in the cycle of its start its counters are loaded, if there is an iteration.
    pub fn add_pipeline(&mut self, runs: u64, start: u64, run: Run, iterations: Option<u64>) {
        let work = Run {
            cycles: run.cycles.saturating_sub(1),
            ..run
        };
        self.add(runs, start.saturating_add(1), work, iterations);
    }

    /// Cycles in which it is at work; those of runs that overlap count once.
    pub fn busy(&self) -> u64 {
        self.released.saturating_add(self.beyond)
    }

    /// That of each leaf of a region.
    pub fn leaves<'t>(&'t self, region: &Region, see: &mut impl FnMut(LeafId, &'t Tally)) {
        if let Region::Leaf(leaf) = region {
            see(*leaf, self);
        }
        for (part, tally) in region.parts().into_iter().zip(&self.inside) {
            tally.leaves(part, see);
        }
    }
}
