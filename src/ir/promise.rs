//! Promises about the accesses of an array in the iterations of a loop.

use super::op::named_ops;
use super::{ArrayId, ValueId};

/// No two accesses depend on one another in some way: it stands in the body of the loop that it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promise {
    /// The array.
    pub array: ArrayId,
    /// The loop's induction variable; of another value, the promise is void.
    pub iv: ValueId,
    /// Which pairs of accesses are meant.
    pub scope: Scope,
    /// Which kind of dependence; every kind, if there is none.
    pub hazard: Option<Hazard>,
    /// Between iterations: so many lie between the two accesses at least; there is no dependence, if there is none.
    pub distance: Option<u64>,
}

named_ops! {
    /// Pairs of accesses.
    Scope {
        /// In the same iteration.
        Intra = "intra",
        /// In two iterations of one run of the loop.
        Inter = "inter",
    }
}

named_ops! {
    /// What one access is to the other, which comes later.
    Hazard {
        /// The later one reads what the earlier one wrote.
        ReadAfterWrite = "raw",
        /// The later one writes what the earlier one read.
        WriteAfterRead = "war",
        /// Both write.
        WriteAfterWrite = "waw",
    }
}

impl Hazard {
    /// Of two accesses, if one of them writes.
    pub fn of(earlier_writes: bool, later_writes: bool) -> Option<Hazard> {
        match (earlier_writes, later_writes) {
            (true, false) => Some(Hazard::ReadAfterWrite),
            (false, true) => Some(Hazard::WriteAfterRead),
            (true, true) => Some(Hazard::WriteAfterWrite),
            (false, false) => None,
        }
    }
}
