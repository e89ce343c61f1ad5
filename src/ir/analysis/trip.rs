//! The iterations of a loop whose bounds are known.

use crate::ir::{For, ValueId};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

/// Bounds and number of iterations, known at compile time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trip {
    /// First value of the induction variable.
    pub lo: BigInt,
    /// What is added to it in each iteration; negative if the loop descends.
    pub step: BigInt,
    /// Iterations.
    pub count: BigInt,
}

impl Trip {
    /// Of a loop, given the values that are constant; `None` if a bound is not.
    pub fn of(f: &For, constant: impl Fn(ValueId) -> Option<BigInt>) -> Option<Trip> {
        let (lo, hi, step) = (constant(f.lo)?, constant(f.hi)?, constant(f.step)?);
        let span = if f.descending { &lo - hi } else { hi - &lo };
        let runs = f.descending || step.is_positive();
        let count = match runs && span.is_positive() {
            true => span.div_ceil(&step.abs()),
            false => BigInt::zero(),
        };
        Some(Trip { lo, step, count })
    }

    /// Value of the induction variable in an iteration.
    pub fn at(&self, iteration: impl Into<BigInt>) -> BigInt {
        &self.lo + &self.step * iteration.into()
    }

    /// That in the last iteration.
    pub fn last(&self) -> BigInt {
        self.at(&self.count - BigInt::one())
    }
}
