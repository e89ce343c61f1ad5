//! Shared helpers of the co-simulation tests.

pub mod expressions;
pub mod tools;
