//! The table of operators: what can be had as a module of its own, and what tests run through.

use super::elementary::FUNCTIONS;
use super::kind::{Kind, Operator};
use super::*;
use crate::hwarith::graph::Graph;
use crate::ir::{BinaryOp, CompareOp, FloatFormat, Rounding, UnaryOp};
use Kind::{Binary, Compare, Fma, Unary};

const fn row(
    name: &'static str,
    about: &'static str,
    kind: Kind,
    make: fn(FloatFormat) -> Graph,
) -> Operator {
    Operator {
        name,
        about,
        kind,
        formats: |_| true,
        make,
        fast: None,
    }
}

/// A row with another description that is larger and takes less time.
const fn with_fast(row: Operator, fast: fn(FloatFormat) -> Graph) -> Operator {
    Operator {
        fast: Some(fast),
        ..row
    }
}

/// All operators but the [elementary functions](super::elementary::FUNCTIONS); conversions, which have two formats, are
/// [`conversion`](super::conversion).
pub static OPERATORS: &[Operator] = &[
    with_fast(
        row("fadd", "a + b", Binary(BinaryOp::Add), add),
        add_double_path,
    ),
    row(
        "fadd_double_path",
        "a + b, with less latency and more area",
        Binary(BinaryOp::Add),
        add_double_path,
    ),
    with_fast(
        row("fsub", "a - b", Binary(BinaryOp::Sub), sub),
        sub_double_path,
    ),
    with_fast(row("fmul", "a * b", Binary(BinaryOp::Mul), mul), mul_late),
    with_fast(
        row("fdiv", "a / b", Binary(BinaryOp::Div), div),
        div_high_radix,
    ),
    row(
        "fdiv_high_radix",
        "a / b, with less latency and multiplier blocks",
        Binary(BinaryOp::Div),
        div_high_radix,
    ),
    row(
        "fmod",
        "a - b * trunc(a / b), not rounded",
        Binary(BinaryOp::Mod),
        modulo,
    ),
    row("fma", "a * b + c, rounded once", Fma, fma),
    with_fast(
        row("fsqrt", "the square root of a", Unary(UnaryOp::Sqrt), sqrt),
        sqrt_high_radix,
    ),
    row(
        "fsqrt_high_radix",
        "the square root of a, with less latency and multiplier blocks",
        Unary(UnaryOp::Sqrt),
        sqrt_high_radix,
    ),
    row(
        "ffloor",
        "the integer at or below a",
        Unary(UnaryOp::Floor),
        |f| to_integral(f, Rounding::Down),
    ),
    row(
        "fceil",
        "the integer at or above a",
        Unary(UnaryOp::Ceil),
        |f| to_integral(f, Rounding::Up),
    ),
    row(
        "ftrunc",
        "the integral part of a",
        Unary(UnaryOp::Trunc),
        |f| to_integral(f, Rounding::Zero),
    ),
    row(
        "fround_even",
        "the nearest integer, of two the even one",
        Unary(UnaryOp::RoundEven),
        |f| to_integral(f, Rounding::NearestEven),
    ),
    row(
        "fround_away",
        "the nearest integer, of two the one away from 0",
        Unary(UnaryOp::RoundAway),
        |f| to_integral(f, Rounding::NearestAway),
    ),
    row(
        "fround_odd",
        "a if it is an integer, else of its neighbours the odd one",
        Unary(UnaryOp::RoundOdd),
        |f| to_integral(f, Rounding::Odd),
    ),
    row("fneg", "-a", Unary(UnaryOp::Neg), neg),
    row("fabs", "|a|", Unary(UnaryOp::Abs), abs),
    row(
        "fmin",
        "the smaller; a number wins over NaN",
        Binary(BinaryOp::Min),
        |f| min_max(f, BinaryOp::Min),
    ),
    row(
        "fmax",
        "the larger; a number wins over NaN",
        Binary(BinaryOp::Max),
        |f| min_max(f, BinaryOp::Max),
    ),
    row(
        "fminimum",
        "the smaller; NaN wins",
        Binary(BinaryOp::MinNan),
        |f| min_max(f, BinaryOp::MinNan),
    ),
    row(
        "fmaximum",
        "the larger; NaN wins",
        Binary(BinaryOp::MaxNan),
        |f| min_max(f, BinaryOp::MaxNan),
    ),
    row("feq", "a == b", Compare(CompareOp::Eq), |f| {
        compare(f, CompareOp::Eq)
    }),
    row("fne", "a != b, or unordered", Compare(CompareOp::Ne), |f| {
        compare(f, CompareOp::Ne)
    }),
    row("flt", "a < b", Compare(CompareOp::Lt), |f| {
        compare(f, CompareOp::Lt)
    }),
    row("fle", "a <= b", Compare(CompareOp::Le), |f| {
        compare(f, CompareOp::Le)
    }),
    row("fgt", "a > b", Compare(CompareOp::Gt), |f| {
        compare(f, CompareOp::Gt)
    }),
    row("fge", "a >= b", Compare(CompareOp::Ge), |f| {
        compare(f, CompareOp::Ge)
    }),
    row(
        "fueq",
        "a == b, or unordered",
        Compare(CompareOp::Ueq),
        |f| compare(f, CompareOp::Ueq),
    ),
    row("fone", "a < b or a > b", Compare(CompareOp::One), |f| {
        compare(f, CompareOp::One)
    }),
    row(
        "fult",
        "a < b, or unordered",
        Compare(CompareOp::Ult),
        |f| compare(f, CompareOp::Ult),
    ),
    row(
        "fule",
        "a <= b, or unordered",
        Compare(CompareOp::Ule),
        |f| compare(f, CompareOp::Ule),
    ),
    row(
        "fugt",
        "a > b, or unordered",
        Compare(CompareOp::Ugt),
        |f| compare(f, CompareOp::Ugt),
    ),
    row(
        "fuge",
        "a >= b, or unordered",
        Compare(CompareOp::Uge),
        |f| compare(f, CompareOp::Uge),
    ),
];

/// The operator or function of a name.
pub fn operator(name: &str) -> Option<&'static Operator> {
    OPERATORS.iter().chain(FUNCTIONS).find(|o| o.name == name)
}
