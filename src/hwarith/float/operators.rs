//! The table of operators: what can be had as a module of its own, and what tests run through.

use super::*;
use crate::hwarith::graph::Graph;
use crate::ir::{BinaryOp, CompareOp, FloatFormat, Scalar};

/// An operator on floats of one format.
#[derive(Clone, Copy, Debug)]
pub struct Operator {
    /// Its name on the command line and in module names.
    pub name: &'static str,
    /// What it computes of its operands `a`, `b` and `c`.
    pub about: &'static str,
    /// Number of operands.
    pub operands: u32,
    /// The result is a `u1` instead of a float.
    pub is_test: bool,
    /// Its description.
    pub make: fn(FloatFormat) -> Graph,
}

impl Operator {
    /// Type of the result.
    pub fn result(&self, format: FloatFormat) -> Scalar {
        if self.is_test {
            Scalar::BOOL
        } else {
            Scalar::Float(format)
        }
    }
}

const fn float(
    name: &'static str,
    about: &'static str,
    operands: u32,
    make: fn(FloatFormat) -> Graph,
) -> Operator {
    Operator {
        name,
        about,
        operands,
        is_test: false,
        make,
    }
}

const fn test(name: &'static str, about: &'static str, make: fn(FloatFormat) -> Graph) -> Operator {
    Operator {
        name,
        about,
        operands: 2,
        is_test: true,
        make,
    }
}

/// All operators; conversions, which have two formats, are [`conversion`](super::conversion).
pub static OPERATORS: &[Operator] = &[
    float("fadd", "a + b", 2, add),
    float("fsub", "a - b", 2, sub),
    float("fmul", "a * b", 2, mul),
    float("fdiv", "a / b", 2, div),
    float("fmod", "a - b * trunc(a / b), not rounded", 2, modulo),
    float("fma", "a * b + c, rounded once", 3, fma),
    float("fsqrt", "the square root of a", 1, sqrt),
    float("ffloor", "the integer at or below a", 1, floor),
    float("fceil", "the integer at or above a", 1, ceil),
    float("fneg", "-a", 1, neg),
    float("fabs", "|a|", 1, abs),
    float("fmin", "the smaller; a number wins over NaN", 2, |f| {
        min_max(f, BinaryOp::Min)
    }),
    float("fmax", "the larger; a number wins over NaN", 2, |f| {
        min_max(f, BinaryOp::Max)
    }),
    float("fminimum", "the smaller; NaN wins", 2, |f| {
        min_max(f, BinaryOp::MinNan)
    }),
    float("fmaximum", "the larger; NaN wins", 2, |f| {
        min_max(f, BinaryOp::MaxNan)
    }),
    test("feq", "a == b", |f| compare(f, CompareOp::Eq)),
    test("fne", "a != b, or unordered", |f| compare(f, CompareOp::Ne)),
    test("flt", "a < b", |f| compare(f, CompareOp::Lt)),
    test("fle", "a <= b", |f| compare(f, CompareOp::Le)),
    test("fgt", "a > b", |f| compare(f, CompareOp::Gt)),
    test("fge", "a >= b", |f| compare(f, CompareOp::Ge)),
    test("fueq", "a == b, or unordered", |f| {
        compare(f, CompareOp::Ueq)
    }),
    test("fone", "a < b or a > b", |f| compare(f, CompareOp::One)),
    test("fult", "a < b, or unordered", |f| {
        compare(f, CompareOp::Ult)
    }),
    test("fule", "a <= b, or unordered", |f| {
        compare(f, CompareOp::Ule)
    }),
    test("fugt", "a > b, or unordered", |f| {
        compare(f, CompareOp::Ugt)
    }),
    test("fuge", "a >= b, or unordered", |f| {
        compare(f, CompareOp::Uge)
    }),
];

/// The operator of a name.
pub fn operator(name: &str) -> Option<&'static Operator> {
    OPERATORS.iter().find(|o| o.name == name)
}
