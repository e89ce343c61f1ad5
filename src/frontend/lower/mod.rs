//! One kernel's syntax to one ir kernel.

mod bits;
mod blocks;
mod bufferize;
mod call;
mod chain;
mod expr;
mod kernel;
mod loops;
mod lowerer;
mod matching;
mod promise;
mod results;
mod returns;
mod scope;
mod state;
mod stmt;
mod streams;
mod targets;
mod tiles;
mod typing;
mod vectors;
mod workers;

pub use kernel::kernel;
pub use typing::{Typing, type_of_expression};
