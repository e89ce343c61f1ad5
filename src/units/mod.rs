//! Operators that are made of hwarith operations: floats of every format, division, power; each a pure graph without
//! time, which the scheduler makes a pipeline or rolls into a loop.

pub mod divide;
pub mod float;
pub mod integer_division;
pub mod power;
pub mod reciprocal;
