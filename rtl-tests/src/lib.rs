//! Shared helpers of the co-simulation tests.

pub mod accesses;
pub mod bench;
pub mod carried;
pub mod examples;
pub mod expressions;
pub mod fuzz;
pub mod generate;
pub mod lint;
pub mod networks;
pub mod oracle;
pub mod package;
pub mod pto;
pub mod random;
pub mod remembered;
pub mod shrink;
pub mod stream;
pub mod suite;
pub mod tools;
pub mod walks;
