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
pub mod quotients;
pub mod sums;
pub mod sweep;
pub mod words;

use std::time::{Duration, Instant};

/// What a proof may use up.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// When to stop.
    pub deadline: Instant,
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
            deadline: Instant::now() + time,
            nodes: 6_000_000,
            cycles: 20_000,
            operations: 2_000_000,
        }
    }
    /// Why to stop now, if so.
    pub fn exceeded(&self, nodes: usize) -> Option<Stop> {
        if nodes > self.nodes {
            return Some(Stop::TooLarge(format!("more than {} gates", self.nodes)));
        }
        (Instant::now() > self.deadline).then_some(Stop::Time)
    }
}

/// Why there is neither a proof nor a counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The time is over.
    Time,
    /// A limit other than time; says which.
    TooLarge(String),
    /// The kernel has something that cannot be treated; says what and where.
    Unsuitable(String, Option<crate::diagnostics::Span>),
}
