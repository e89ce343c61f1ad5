//! Proof that a netlist computes a kernel's function, for all inputs at once.
//!
//! Both sides become functions of the same free bits: the kernel by symbolic execution of the `ir`
//! ([`kernel`]), the netlist by symbolic simulation from reset to `done` ([`machine`]). Gates are shared
//! where they are equal by construction ([`aig`]), sums and products where they are equal as polynomials
//! ([`sums`]); what remains goes to a SAT solver, inner points that seem equal first ([`sweep`]).

pub mod aig;
pub mod bits;
pub mod design;
pub mod division;
pub mod graph;
pub mod kernel;
pub mod linear;
pub mod machine;
pub mod network;
mod queue;
pub mod quotients;
pub mod sums;
pub mod sweep;
pub mod value;
pub mod words;

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};
use sums::Sums;

/// What a proof may use up.
#[derive(Clone, Debug)]
pub struct Limits {
    /// When to stop.
    pub patience: Patience,
    /// Gates and bits of sums on both sides together.
    pub nodes: usize,
    /// Clock cycles of one invocation.
    pub cycles: u64,
    /// Operations of the kernel, loops unrolled.
    pub operations: u64,
}

impl Limits {
    /// The usual limits, and a time from now on.
    pub fn within(time: Duration) -> Limits {
        Limits {
            patience: Patience::Until(Instant::now() + time),
            nodes: 6_000_000,
            cycles: 20_000,
            operations: 2_000_000,
        }
    }
    /// Work in operations on machine words: what comes out is the same on every machine.
    pub fn of_work(operations: u64) -> Limits {
        Limits {
            patience: Patience::Work(Work {
                left: Rc::new(Cell::new(operations)),
                floor: 0,
                paid: Rc::default(),
            }),
            nodes: usize::try_from(operations / GATE).unwrap_or(usize::MAX),
            cycles: operations,
            operations,
        }
    }
    /// Those for a question that is not worth all that is left.
    fn of_a_part(&self) -> Limits {
        Limits {
            patience: self.patience.part(),
            ..self.clone()
        }
    }
    /// Why to stop now, if so; counts the work that was done on `sums` since the last time.
    pub fn exceeded(&self, sums: &Sums) -> Option<Stop> {
        if let Patience::Work(work) = &self.patience {
            let now = sums.work();
            let before = work.paid.replace(now);
            self.patience.spend(now.0 - before.0, GATE);
            self.patience.spend(now.1 - before.1, TERM);
        }
        if sums.aig.len() > self.nodes {
            return Some(Stop::TooLarge(format!("more than {} gates", self.nodes)));
        }
        self.patience.is_over().then_some(Stop::Time)
    }
}

/// Operations on words that it takes to find or make a gate.
const GATE: u64 = 40;
/// And to look at a term of a sum.
const TERM: u64 = 40;

/// How long to go on.
#[derive(Clone, Debug)]
pub enum Patience {
    /// Until a time.
    Until(Instant),
    /// For so much work.
    Work(Work),
}

/// Work that is counted, in operations on machine words or what takes as long.
#[derive(Clone, Debug)]
pub struct Work {
    left: Rc<Cell<u64>>,
    /// What is to be left over for others.
    floor: u64,
    /// Gates and terms that are counted.
    paid: Rc<Cell<(u64, u64)>>,
}

impl Patience {
    /// Time of a question that is not worth all that is left.
    const SOON: Duration = Duration::from_secs(2);

    /// Counts work: `count` things that cost `each`.
    pub fn spend(&self, count: u64, each: u64) {
        if let Patience::Work(Work { left, .. }) = self {
            left.set(left.get().saturating_sub(count.saturating_mul(each)));
        }
    }
    /// Whether to stop.
    pub fn is_over(&self) -> bool {
        match self {
            Patience::Until(deadline) => Instant::now() > *deadline,
            Patience::Work(Work { left, floor, .. }) => left.get() <= *floor,
        }
    }
    /// A part of it, a few seconds or a quarter; what it uses up is used up of the whole.
    fn part(&self) -> Patience {
        match self {
            Patience::Until(deadline) => {
                Patience::Until((*deadline).min(Instant::now() + Patience::SOON))
            }
            Patience::Work(work) => {
                let left = work.left.get().saturating_sub(work.floor);
                Patience::Work(Work {
                    floor: work.floor + (left - left / 4),
                    ..work.clone()
                })
            }
        }
    }
}

/// Why there is neither a proof nor a counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The time is over, or the work done.
    Time,
    /// A limit other than time; says which.
    TooLarge(String),
    /// The kernel has something that cannot be treated; says what and where.
    Unsuitable(String, Option<crate::diagnostics::Span>),
}
