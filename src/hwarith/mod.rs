//! Integers of exact width: operations whose result type is inferred so that nothing overflows.
//!
//! A [`graph::Graph`] is a dataflow graph of such operations. Result types follow the tables of
//! CIRCT's HWArith dialect ([`infer`]); casts adjust the width by the source's signedness and then
//! reinterpret.

pub mod builder;
pub mod demand;
pub mod equal;
pub mod eval;
pub mod fast;
pub mod graph;
pub mod infer;
pub mod interval;
pub mod iterate;
pub mod known;
mod products;
pub mod query;
pub mod shift_add;
pub mod split;
pub mod table;
#[cfg(test)]
pub(crate) mod testing;
pub mod text;
pub mod types;

pub use graph::{Graph, Node, NodeId, Op};
pub use types::HwType;
