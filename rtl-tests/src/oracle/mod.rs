//! Floating-point libraries by other hands, as oracles of the operators.

pub mod apfloat;
#[cfg(feature = "softfloat")]
pub mod softfloat;

use allo_hls::ir::{CompareOp, FloatFormat, Scalar};
use allo_hls::units::float::Kind;
use std::cmp::Ordering;

/// What an oracle says of an operation: the result's bits, NaN canonical and a comparison's 0 or 1.
/// `None`: it does not have the operation in the format, or leaves this case open.
pub type Oracle = fn(Kind, FloatFormat, &[u128]) -> Option<u128>;

/// What an oracle says of a conversion.
pub type ConversionOracle = fn(Scalar, Scalar, u128) -> Option<u128>;

/// The oracles of this build, by name.
pub const ORACLES: &[(&str, Oracle, ConversionOracle)] = &[
    ("rustc_apfloat", apfloat::operation, apfloat::conversion),
    #[cfg(feature = "softfloat")]
    ("SoftFloat", softfloat::operation, softfloat::conversion),
];

/// Whether a comparison holds of operands in this order, `None` if unordered.
fn holds(op: CompareOp, order: Option<Ordering>) -> bool {
    use CompareOp::*;
    match order {
        None => matches!(op, Ne | Ueq | Ult | Ule | Ugt | Uge),
        Some(Ordering::Less) => matches!(op, Ne | One | Lt | Le | Ult | Ule),
        Some(Ordering::Equal) => matches!(op, Eq | Ueq | Le | Ge | Ule | Uge),
        Some(Ordering::Greater) => matches!(op, Ne | One | Gt | Ge | Ugt | Uge),
    }
}

/// The low bits of a number in a type.
fn low(ty: Scalar, value: i128) -> u128 {
    value as u128 & u128::MAX >> (128 - ty.width())
}

/// A bit pattern of an integer type as a number.
fn signed(ty: Scalar, bits: u128) -> i128 {
    let unused = 128 - ty.width();
    if ty.is_signed() {
        (bits << unused) as i128 >> unused
    } else {
        bits as i128
    }
}
