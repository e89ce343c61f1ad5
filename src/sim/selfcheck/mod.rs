//! No output that was not checked: a netlist against what it is made from, as the last step of a compilation.
//!
//! What is checked is decided by a budget of operations, never by time, so that the same input gives the same output on
//! every machine.

mod kernel;
mod operator;

use crate::codes;
use crate::counts::{counted, grouped};
use crate::diagnostics::{Diagnostic, Span};
pub use kernel::check;
pub use operator::check_operator;
use std::fmt;
use std::str::FromStr;

/// How many operations on machine words, or what takes as long, a check may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget(u64);

impl Budget {
    /// Nothing is checked.
    pub const OFF: Budget = Budget(0);
    /// A few hundredths of a second.
    pub const QUICK: Budget = Budget(10_000_000);
    /// A few seconds.
    pub const FULL: Budget = Budget(1_000_000_000);

    /// What a proof may take.
    pub fn for_proof(self) -> u64 {
        self.0 / 4
    }

    /// What is left to run what is proven: the proof is of one invocation's values, not of the next ones and of resets.
    pub fn after_proof(self) -> Budget {
        Budget(self.0 / 4)
    }

    /// So many million operations.
    pub fn millions(count: u64) -> Budget {
        Budget(count.saturating_mul(1_000_000))
    }
}

impl FromStr for Budget {
    type Err = String;

    fn from_str(text: &str) -> Result<Budget, String> {
        match text {
            "off" => Ok(Budget::OFF),
            "quick" => Ok(Budget::QUICK),
            "full" => Ok(Budget::FULL),
            _ => match text.parse() {
                Ok(count) if count > 0 => Ok(Budget::millions(count)),
                _ => Err("off, quick, full or a number of million operations is needed".into()),
            },
        }
    }
}

/// What a check came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// Nothing, and why.
    Not(String),
    /// A module ran.
    Runs(Runs),
    /// A module computes the right values for all inputs; it ran, too.
    Proven(Runs),
    /// An operator computed so many results.
    Results(u64),
}

/// Invocations of a module that were compared with the reference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Runs {
    /// Those that came to their end.
    pub whole: u64,
    /// Those that the budget cut off: what they had written until then is right.
    pub parts: u64,
    /// Cycles of all of them.
    pub cycles: u64,
    /// Fewest and most cycles of those that ran to their end by themselves.
    pub alone: Option<(u64, u64)>,
}

impl Runs {
    fn add(&mut self, other: Runs) {
        self.whole += other.whole;
        self.parts += other.parts;
        self.cycles += other.cycles;
        self.alone = match (self.alone, other.alone) {
            (Some((least, most)), Some((less, more))) => Some((least.min(less), most.max(more))),
            (one, another) => one.or(another),
        };
    }
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Checked::Not(why) => write!(f, "not checked ({why})"),
            Checked::Results(count) => write!(f, "{}", counted(*count, "result")),
            Checked::Runs(runs) => write!(f, "{runs}"),
            Checked::Proven(runs) => write!(f, "proven; {runs}"),
        }
    }
}

impl fmt::Display for Runs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.whole, self.parts) {
            (whole, 0) => write!(f, "{}", counted(whole, "invocation"))?,
            (0, parts) => write!(f, "the beginning of {}", counted(parts, "invocation"))?,
            (whole, parts) => {
                let whole = counted(whole, "invocation");
                write!(f, "{whole} and the beginning of {}", grouped(parts))?;
            }
        }
        write!(f, ", {}", counted(self.cycles, "cycle"))
    }
}

impl Checked {
    /// Cycles of an invocation by itself, if all that were checked took as many.
    pub fn cycles_alone(&self) -> Option<u64> {
        match self {
            Checked::Runs(runs) | Checked::Proven(runs) => {
                let (least, most) = runs.alone?;
                (least == most).then_some(least)
            }
            Checked::Not(_) | Checked::Results(_) => None,
        }
    }

    /// The same of a module whose values are proven.
    pub fn and_proven(self) -> Checked {
        match self {
            Checked::Runs(runs) => Checked::Proven(runs),
            // Without runs the rest of what it does is as good as unknown.
            other => other,
        }
    }

    /// What was checked as a sentence of the module's head.
    pub fn sentence(&self) -> String {
        match self {
            Checked::Not(why) => format!("Not checked ({why})."),
            Checked::Proven(runs) => {
                format!("Its values are proven for all inputs. Checked besides: {runs}.")
            }
            _ => format!("Checked: {self}."),
        }
    }
}

/// A difference that a check found, as a message; without a place of its own it is at the kernel's.
pub fn internal_error(mut found: Diagnostic, kernel: Option<Span>) -> Diagnostic {
    found.code = codes::INTERNAL;
    found.message = format!("internal: {}", found.message);
    found.span = found.span.or(kernel);
    found.help(
        "this is a bug of the compiler: please report it with the source. A pass left out by --skip-pass may avoid it; \
         --check off writes the wrong module all the same",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_read() {
        assert_eq!("off".parse(), Ok(Budget::OFF));
        assert_eq!("quick".parse(), Ok(Budget::QUICK));
        assert_eq!("3".parse(), Ok(Budget(3_000_000)));
        assert_eq!(u64::MAX.to_string().parse(), Ok(Budget(u64::MAX)));
        for wrong in ["0", "-1", "slow", "", "1.5"] {
            assert!(wrong.parse::<Budget>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_was_checked_is_said() {
        let runs = |whole, parts, cycles| {
            let runs = Runs {
                whole,
                parts,
                cycles,
                alone: None,
            };
            Checked::Runs(runs).to_string()
        };
        assert_eq!(runs(212, 0, 8480), "212 invocations, 8,480 cycles");
        assert_eq!(runs(1, 0, 1), "1 invocation, 1 cycle");
        assert_eq!(
            runs(0, 3, 1_234_567),
            "the beginning of 3 invocations, 1,234,567 cycles"
        );
        assert_eq!(
            runs(4, 1, 999),
            "4 invocations and the beginning of 1, 999 cycles"
        );
        let off = Checked::Not("--check off".into());
        assert_eq!(off.to_string(), "not checked (--check off)");
        assert_eq!(off.sentence(), "Not checked (--check off).");
        assert_eq!(Checked::Results(1000).sentence(), "Checked: 1,000 results.");
    }
}
