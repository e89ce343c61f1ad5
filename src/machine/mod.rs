//! The back end's form of a kernel: regions, memories, scalars and operator modules over hwarith graphs, and how a kernel
//! becomes one.

pub mod bind;
pub mod depend;
pub mod fit;
pub mod order;
mod print;
pub mod program;
pub mod recurrence;
pub mod regroup;
pub mod run;
pub mod select;
mod validate;
