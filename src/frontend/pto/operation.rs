//! An operation of `allo.pto` as data, and one with its arguments in the order of its parameters.

use crate::diagnostics::Span;
use crate::frontend::builder::state::Builder;
use crate::frontend::error::Result;
use crate::frontend::values::{Operand, Value};
use std::fmt;

/// One operation.
pub struct Operation {
    /// Its name in `allo.pto` and in messages.
    pub name: &'static str,
    /// Names of its parameters; a `*` stands before those that are given by name only.
    pub params: &'static [&'static str],
    /// How many of them have to be given.
    pub required: usize,
    /// Checks the operands and adds to the kernel.
    pub lower: Lower,
}

/// What an operation does.
pub type Lower = fn(&mut Builder, &Invocation) -> Result<Value>;

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// An operation with its arguments.
pub struct Invocation {
    /// Which one.
    pub op: &'static Operation,
    /// One for each parameter.
    pub(super) args: Vec<Option<Operand>>,
    /// The whole call.
    pub span: Span,
}
