//! Shared helpers of the co-simulation tests.

pub mod bench;
pub mod expressions;
pub mod random;
pub mod tools;
