//! AXI interfaces around a module with the interface `ap`.
//!
//! `plan` says what becomes of each parameter. A `buffer` holds an array for the core; before a run it is loaded,
//! after it written back (`sequence`), by an AXI4 `master`, by `frames` of an AXI4-Stream, or word by word by the
//! `control` slave, which also has scalars. An array that is `streamed` has none: a master's beats become a stream of the
//! core, or the other way; with others on the same master, it takes turns (`share`). Each of these is a module; `block` is the one around them, and `told` its
//! manifest.

mod block;
mod buffer;
mod control;
mod frames;
mod master;
pub mod plan;
mod sequence;
mod share;
mod stages;
mod streamed;
mod told;

pub use block::around;
pub use plan::{Interface, Options};
