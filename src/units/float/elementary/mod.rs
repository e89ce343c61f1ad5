//! Elementary functions: tables of polynomials with proven errors, between an exact reduction and one rounding.
//!
//! Each is a graph of exact integer operations, like the operators beside them, and is described once for all formats.
//! The
//! parts: `ball` computes with reals and bounds; `smooth` has the power series of what tables approximate; `piecewise`
//! makes the tables, `evaluate` the hardware that reads them. A function is what is left: how its argument is brought
//! into the
//! range of its tables, and its result out of it. All that is needed is computed when a function is asked for.
//!
//! The 16-bit formats get results that are correctly rounded: the error before rounding is below the distance that any
//! result keeps from a number halfway between two floats (`CORRECT`, found and checked by trying every argument).
//! Others get
//! results off by less than one unit in the last place, 3/4 at most, 1/2 of it by rounding (docs/function-errors.md). What is too small for
//! polynomials is computed in a wider format (`small`), correctly rounded up to 10 bits, powers up to 8.

mod ball;
mod binades;
mod circle;
mod ending;
mod evaluate;
mod exponential;
mod hyperbolic;
mod logarithm;
mod piecewise;
mod power;
mod reciprocal;
mod root;
mod small;
mod smooth;

#[cfg(test)]
mod tests;

pub(super) use reciprocal::{below_reciprocal, below_reciprocal_root};

use super::kind::{Kind, Operator};
use crate::hwarith::graph::Graph;
use crate::ir::{BinaryOp, FloatFormat, UnaryOp};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// The base of exponentials and logarithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    /// 2.
    Two,
    /// The number e.
    E,
}

/// How exact a result is before it is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Accuracy {
    /// The error is at most 2 to minus this power, in units of the last place.
    beyond: u32,
}

/// What formats without an entry in `CORRECT` get.
const FAITHFUL: u32 = 3;

/// By function, the accuracy at which each argument of `f16` and of `bf16` gives the float nearest to the result.
const CORRECT: &[(&str, u32, u32)] = &[
    ("exp", 11, 13),
    ("exp2", 12, 9),
    ("log", 9, 10),
    ("log2", 9, 3),
    ("rsqrt", 8, 8),
    ("sin", 14, 11),
    ("cos", 11, 11),
    ("tan", 15, 16),
    ("sinh", 10, 9),
    ("cosh", 10, 10),
    ("tanh", 10, 7),
    ("erf", 10, 12),
    ("pow", 34, 30),
];

/// The functions that have hardware.
pub static FUNCTIONS: &[Operator] = &[
    row(
        "exp",
        "e to the power of a",
        Kind::Unary(UnaryOp::Exp),
        has_function,
        |f| graph("exp", f).clone(),
    ),
    row(
        "exp2",
        "2 to the power of a",
        Kind::Unary(UnaryOp::Exp2),
        has_function,
        |f| graph("exp2", f).clone(),
    ),
    row(
        "log",
        "the natural logarithm of a",
        Kind::Unary(UnaryOp::Log),
        has_function,
        |f| graph("log", f).clone(),
    ),
    row(
        "log2",
        "the logarithm of a to the base 2",
        Kind::Unary(UnaryOp::Log2),
        has_function,
        |f| graph("log2", f).clone(),
    ),
    row(
        "rsqrt",
        "1 over the square root of a",
        Kind::Unary(UnaryOp::Rsqrt),
        has_function,
        |f| graph("rsqrt", f).clone(),
    ),
    row(
        "sin",
        "the sine of a",
        Kind::Unary(UnaryOp::Sin),
        has_function,
        |f| graph("sin", f).clone(),
    ),
    row(
        "cos",
        "the cosine of a",
        Kind::Unary(UnaryOp::Cos),
        has_function,
        |f| graph("cos", f).clone(),
    ),
    row(
        "tan",
        "the tangent of a",
        Kind::Unary(UnaryOp::Tan),
        has_function,
        |f| graph("tan", f).clone(),
    ),
    row(
        "sinh",
        "the hyperbolic sine of a",
        Kind::Unary(UnaryOp::Sinh),
        has_function,
        |f| graph("sinh", f).clone(),
    ),
    row(
        "cosh",
        "the hyperbolic cosine of a",
        Kind::Unary(UnaryOp::Cosh),
        has_function,
        |f| graph("cosh", f).clone(),
    ),
    row(
        "tanh",
        "the hyperbolic tangent of a",
        Kind::Unary(UnaryOp::Tanh),
        has_function,
        |f| graph("tanh", f).clone(),
    ),
    row(
        "erf",
        "the error function of a",
        Kind::Unary(UnaryOp::Erf),
        has_function,
        |f| graph("erf", f).clone(),
    ),
    row(
        "pow",
        "a to the power of b",
        Kind::Binary(BinaryOp::Pow),
        has_function,
        |f| graph("pow", f).clone(),
    ),
];

/// Formats of at most 11 exponent and 52 fraction bits.
fn has_function(format: FloatFormat) -> bool {
    format.exp <= 11 && format.frac <= 52
}

/// Formats whose reductions and tables of polynomials are described; others are too small for them.
fn has_polynomials(format: FloatFormat) -> bool {
    format.exp >= 5 && format.frac >= 7
}

const fn row(
    name: &'static str,
    about: &'static str,
    kind: Kind,
    formats: fn(FloatFormat) -> bool,
    make: fn(FloatFormat) -> Graph,
) -> Operator {
    Operator {
        name,
        about,
        kind,
        formats,
        make,
        fast: None,
    }
}

/// The function that is this operation, if it has hardware for the format.
pub fn of(kind: Kind, format: FloatFormat) -> Option<&'static Operator> {
    let mut all = FUNCTIONS.iter();
    all.find(|function| function.kind == kind && (function.formats)(format))
}

/// The description of a function that has the format; each is made once and kept.
///
/// # Panics
/// If the function does not have the format: see [`Operator::formats`].
pub fn graph(name: &'static str, format: FloatFormat) -> &'static Graph {
    type Kept = BTreeMap<(&'static str, u32, u32), &'static Graph>;
    static KEPT: Mutex<Kept> = Mutex::new(BTreeMap::new());
    let key = (name, format.exp, format.frac);
    let kept = || KEPT.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(graph) = kept().get(&key) {
        return graph;
    }
    let of = |format| described(name, format, beyond(name, format));
    let made = match has_polynomials(format) {
        true => of(format),
        false => {
            let function = FUNCTIONS.iter().find(|function| function.name == name);
            small::narrowed(format, function.map_or(1, Operator::operands), of)
        }
    };
    // Tests make those of every small format (`ALL_FORMATS`), and of samples of the others.
    let made = made.expect("there are tables for every format of a function");
    let mut kept = kept();
    kept.entry(key).or_insert_with(|| Box::leak(Box::new(made)))
}

fn beyond(name: &str, format: FloatFormat) -> u32 {
    let row = CORRECT.iter().find(|row| row.0 == name);
    match (row, format) {
        (Some(row), FloatFormat::F16) => row.1,
        (Some(row), FloatFormat::BF16) => row.2,
        _ => FAITHFUL,
    }
}

/// The description of a function with an error before rounding of 2^-`beyond` units in the last place, for the search
/// for
/// `CORRECT`; `None` if there are no tables for it.
pub fn described(name: &str, format: FloatFormat, beyond: u32) -> Option<Graph> {
    let accuracy = Accuracy { beyond };
    match name {
        "exp" => exponential::exponential(format, Base::E, accuracy),
        "exp2" => exponential::exponential(format, Base::Two, accuracy),
        "log" => logarithm::logarithm(format, Base::E, accuracy),
        "log2" => logarithm::logarithm(format, Base::Two, accuracy),
        "rsqrt" => root::reciprocal_root(format, accuracy),
        "sin" => circle::wave(format, circle::Wave::Sine, accuracy),
        "cos" => circle::wave(format, circle::Wave::Cosine, accuracy),
        "tan" => circle::tangent(format, accuracy),
        "sinh" => hyperbolic::hyperbolic(format, true, accuracy),
        "cosh" => hyperbolic::hyperbolic(format, false, accuracy),
        "pow" => power::power(format, accuracy),
        "tanh" => binades::step(format, smooth::Smooth::Tanh, accuracy),
        "erf" => binades::step(format, smooth::Smooth::Erf, accuracy),
        _ => None,
    }
}
