//! What an operator is: of the table of them all, and of the elementary functions.

use crate::hwarith::graph::Graph;
use crate::ir::{BinaryOp, CompareOp, FloatFormat, Scalar, UnaryOp};

/// An operator on floats of one format.
#[derive(Clone, Copy, Debug)]
pub struct Operator {
    /// Its name on the command line and in module names.
    pub name: &'static str,
    /// What it computes of its operands `a`, `b` and `c`.
    pub about: &'static str,
    /// The operation of the kernel that it is.
    pub kind: Kind,
    /// Whether it has a format; all that the language has, unless it is an elementary function.
    pub formats: fn(FloatFormat) -> bool,
    /// Its description in a format that it has.
    pub make: fn(FloatFormat) -> Graph,
    /// Another description that is larger and takes less time, if there is one.
    pub fast: Option<fn(FloatFormat) -> Graph>,
}

/// An operation of the kernel on floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Of one operand.
    Unary(UnaryOp),
    /// Of two.
    Binary(BinaryOp),
    /// Of two, giving a `u1`.
    Compare(CompareOp),
    /// `a * b + c`.
    Fma,
}

impl Operator {
    /// Number of operands.
    pub fn operands(&self) -> usize {
        match self.kind {
            Kind::Unary(_) => 1,
            Kind::Binary(_) | Kind::Compare(_) => 2,
            Kind::Fma => 3,
        }
    }
    /// Type of the result.
    pub fn result(&self, format: FloatFormat) -> Scalar {
        match self.kind {
            Kind::Compare(_) => Scalar::BOOL,
            _ => Scalar::Float(format),
        }
    }
}
