//! What an invocation takes, region by region: exactly where no data decide, else guessed.

use super::forecast::{Iterations, cycles, exact_cycles, latency, until_done};
use super::tally::{Run, Tally};
use super::{Schedule, walk};
use crate::machine::program::{LeafId, Program, Region};

/// What an invocation takes.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// Cycles from its start to `ap_done`.
    pub cycles: u64,
    /// Those of its regions.
    pub tally: Tally,
    /// Whether it is the same for all data, not as [`super::forecast::cycles`] guesses it.
    pub is_exact: bool,
}

impl Invocation {
    /// Of a program.
    pub fn of(program: &Program, schedule: &Schedule) -> Invocation {
        let is_constant = exact_cycles(program, schedule).is_some();
        let walked = (!is_constant)
            .then(|| walk::walk(program, schedule))
            .flatten();
        let is_exact = is_constant || walked.is_some();
        let (active, tally) = walked.unwrap_or_else(|| guessed(program, schedule));
        Invocation {
            cycles: until_done(program, active),
            tally,
            is_exact,
        }
    }
}

/// Cycles that a program is active, with what its regions take, where numbers of iterations that are not constant are guessed.
fn guessed(program: &Program, schedule: &Schedule) -> (u64, Tally) {
    let mut tally = Tally::none(&program.root);
    Guess { program, schedule }.region(&program.root, &mut tally, (0, 1));
    (cycles(program, schedule), tally)
}

struct Guess<'p> {
    program: &'p Program,
    schedule: &'p Schedule,
}

impl Guess<'_> {
    fn cycles(&self, region: &Region) -> u64 {
        let found = latency(self.program, self.schedule, region, Iterations::Likely);
        found.unwrap_or(u64::MAX)
    }

    /// Counts the runs of a region, the first of which begins in that cycle.
    fn region(&self, region: &Region, tally: &mut Tally, (start, runs): (u64, u64)) -> Run {
        let (run, iterations) = match region {
            Region::Leaf(leaf) => return self.leaf(*leaf, tally, (start, runs)),
            Region::Seq(parts) => {
                let mut all = Run::default();
                for (part, tally) in parts.iter().zip(&mut tally.inside) {
                    let start = start.saturating_add(all.cycles);
                    all = all.then(self.region(part, tally, (start, runs)));
                }
                (all, None)
            }
            Region::If {
                then, otherwise, ..
            } => {
                let ways = [then, otherwise].into_iter().zip(&mut tally.inside);
                let ways = ways.map(|(way, tally)| self.region(way, tally, (start, runs)));
                let beyond = ways.map(|run| run.beyond).max();
                let run = Run {
                    cycles: self.cycles(region),
                    beyond: beyond.unwrap_or(0),
                };
                (run, None)
            }
            Region::Repeat {
                head, body, dim, ..
            } => {
                let often = runs.saturating_mul(dim.trip.unwrap_or(dim.likely));
                let mut all = Run::default();
                for (part, tally) in [head, body].into_iter().zip(&mut tally.inside) {
                    let start = start.saturating_add(all.cycles);
                    all = all.then(self.region(part, tally, (start, often)));
                }
                let checked = Run {
                    cycles: self.cycles(head).saturating_add(1),
                    beyond: 0,
                };
                let run = Run {
                    cycles: self.cycles(region),
                    ..all.then(checked)
                };
                (run, dim.trip)
            }
        };
        tally.add(runs, start, run, iterations);
        run
    }

    fn leaf(&self, leaf: LeafId, tally: &mut Tally, (start, runs): (u64, u64)) -> Run {
        let run = Run {
            cycles: self.cycles(&Region::Leaf(leaf)),
            ..Run::of_leaf(0, &self.schedule.leaves[leaf])
        };
        match &self.program.leaves[leaf].repeat {
            None => tally.add(runs, start, run, None),
            Some(repeat) => tally.add_pipeline(runs, start, run, repeat.trip()),
        }
        run
    }
}
