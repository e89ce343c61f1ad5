//! `rustc_apfloat`: LLVM's arithmetic of any precision, in Rust.

use super::{holds, low, signed};
use allo_hls::ir::{BinaryOp, FloatFormat, Scalar, StorageFormat, UnaryOp};
use allo_hls::units::float::Kind;
use rustc_apfloat::{Float, FloatConvert, Round, Status, ieee};

/// A result in canonical form.
fn bits<F: Float>(format: Scalar, value: F) -> u128 {
    match (value.is_nan(), format) {
        (false, _) => value.to_bits(),
        (true, Scalar::Storage(f)) => f.nan().into(),
        (true, Scalar::Float(f)) => (((1u128 << f.exp) - 1) << 1 | 1) << (f.frac - 1),
        _ => 0,
    }
}

/// How an operation rounds to an integral value, if it does.
fn integral(op: UnaryOp) -> Option<Round> {
    Some(match op {
        UnaryOp::Floor => Round::TowardNegative,
        UnaryOp::Ceil => Round::TowardPositive,
        UnaryOp::Trunc => Round::TowardZero,
        UnaryOp::RoundEven => Round::NearestTiesToEven,
        UnaryOp::RoundAway => Round::NearestTiesToAway,
        _ => return None,
    })
}

fn apply<F: Float>(kind: Kind, format: FloatFormat, operands: &[u128]) -> Option<u128> {
    let x: Vec<F> = operands.iter().map(|&bits| F::from_bits(bits)).collect();
    let a = x[0];
    // Of zeros of both signs it gives either.
    let zeros = || a.is_zero() && x[1].is_zero();
    // The sign bit alone changes, of NaN too.
    let sign = 1u128 << (format.width() - 1);
    let value = match kind {
        Kind::Compare(op) => return Some(holds(op, a.partial_cmp(&x[1])).into()),
        Kind::Unary(UnaryOp::Neg) => return Some(operands[0] ^ sign),
        Kind::Unary(UnaryOp::Abs) => return Some(operands[0] & !sign),
        // It adds a power of two that not every format has.
        Kind::Unary(op) if format.frac >= 1 << (format.exp - 1) && integral(op).is_some() => {
            return None;
        }
        Kind::Unary(op) => a.round_to_integral(integral(op)?).value,
        Kind::Binary(BinaryOp::Add) => (a + x[1]).value,
        Kind::Binary(BinaryOp::Sub) => (a - x[1]).value,
        Kind::Binary(BinaryOp::Mul) => (a * x[1]).value,
        Kind::Binary(BinaryOp::Div) => (a / x[1]).value,
        Kind::Binary(BinaryOp::Mod) => a.c_fmod(x[1]).value,
        Kind::Binary(BinaryOp::Min) if !zeros() => a.min(x[1]),
        Kind::Binary(BinaryOp::Max) if !zeros() => a.max(x[1]),
        Kind::Binary(BinaryOp::MinNan) => a.minimum(x[1]),
        Kind::Binary(BinaryOp::MaxNan) => a.maximum(x[1]),
        Kind::Fma => a.mul_add(x[1], x[2]).value,
        _ => return None,
    };
    Some(bits(format.into(), value))
}

/// Formats that the crate has no name for, of which it has the arithmetic all the same.
macro_rules! odd_formats {
    ($($name:ident: $exp:literal, $frac:literal;)*) => {
        $(struct $name;
        impl ieee::Semantics for $name {
            const BITS: usize = 1 + $exp + $frac;
            const EXP_BITS: usize = $exp;
        })*

        fn odd(kind: Kind, format: FloatFormat, operands: &[u128]) -> Option<u128> {
            match (format.exp, format.frac) {
                $(($exp, $frac) => apply::<ieee::IeeeFloat<$name>>(kind, format, operands),)*
                _ => None,
            }
        }

        /// Formats of no other name that are tested, those of 8 bits with all pairs.
        pub const ODD_FORMATS: &[FloatFormat] = &[$(FloatFormat { exp: $exp, frac: $frac }),*];

        fn widen_odd(format: FloatFormat, pattern: u128) -> Option<ieee::Quad> {
            match (format.exp, format.frac) {
                $(($exp, $frac) => {
                    let x = ieee::IeeeFloat::<$name>::from_bits(pattern);
                    Some(x.convert(&mut false).value)
                })*
                _ => None,
            }
        }

        fn narrow_odd(format: FloatFormat, x: ieee::Quad) -> Option<u128> {
            match (format.exp, format.frac) {
                $(($exp, $frac) => {
                    let value: ieee::IeeeFloat<$name> = x.convert(&mut false).value;
                    Some(bits(format.into(), value))
                })*
                _ => None,
            }
        }
    };
}

odd_formats! {
    E3M4: 3, 4;
    E4M3: 4, 3;
    E5M9: 5, 9;
    E6M9: 6, 9;
    E4M13: 4, 13;
    E9M17: 9, 17;
    E10M30: 10, 30;
}

/// One operation.
pub fn operation(kind: Kind, format: FloatFormat, operands: &[u128]) -> Option<u128> {
    let apply = match format {
        FloatFormat::F16 => apply::<ieee::Half>,
        FloatFormat::BF16 => apply::<ieee::BFloat>,
        FloatFormat::F32 => apply::<ieee::Single>,
        FloatFormat::F64 => apply::<ieee::Double>,
        FloatFormat { exp: 5, frac: 2 } => apply::<ieee::Float8E5M2>,
        _ => return odd(kind, format, operands),
    };
    apply(kind, format, operands)
}

/// Everything is in binary128 in between, which holds all values of the other formats.
fn widen(from: Scalar, pattern: u128) -> Option<ieee::Quad> {
    fn go<F: FloatConvert<ieee::Quad> + Float>(pattern: u128) -> ieee::Quad {
        F::from_bits(pattern).convert(&mut false).value
    }
    Some(match from {
        Scalar::Float(FloatFormat::F16) => go::<ieee::Half>(pattern),
        Scalar::Float(FloatFormat::BF16) => go::<ieee::BFloat>(pattern),
        Scalar::Float(FloatFormat::F32) => go::<ieee::Single>(pattern),
        Scalar::Float(FloatFormat::F64) => go::<ieee::Double>(pattern),
        Scalar::Float(format) => return widen_odd(format, pattern),
        Scalar::Storage(StorageFormat::F8E5M2) => go::<ieee::Float8E5M2>(pattern),
        Scalar::Storage(StorageFormat::F8E4M3) => go::<ieee::Float8E4M3FN>(pattern),
        // Longer integers may not fit.
        Scalar::Int { width: ..=112, .. } => ieee::Quad::from_i128(signed(from, pattern)).value,
        _ => return None,
    })
}

/// One conversion.
pub fn conversion(from: Scalar, to: Scalar, pattern: u128) -> Option<u128> {
    let x = widen(from, pattern)?;
    fn go<F: Float>(to: Scalar, x: ieee::Quad) -> u128
    where
        ieee::Quad: FloatConvert<F>,
    {
        let value: F = x.convert(&mut false).value;
        bits(to, value)
    }
    Some(match to {
        Scalar::Float(FloatFormat::F16) => go::<ieee::Half>(to, x),
        Scalar::Float(FloatFormat::BF16) => go::<ieee::BFloat>(to, x),
        Scalar::Float(FloatFormat::F32) => go::<ieee::Single>(to, x),
        Scalar::Float(FloatFormat::F64) => go::<ieee::Double>(to, x),
        Scalar::Float(format) => return narrow_odd(format, x),
        Scalar::Storage(StorageFormat::F8E5M2) => go::<ieee::Float8E5M2>(to, x),
        Scalar::Storage(StorageFormat::F8E4M3) => go::<ieee::Float8E4M3FN>(to, x),
        // It has no signed integers of one bit.
        Scalar::Int { signed, width } if width <= 127 && (width > 1 || !signed) => to_int(to, x),
        _ => return None,
    })
}

fn to_int(to: Scalar, x: ieee::Quad) -> u128 {
    let width = to.width() as usize;
    // It saturates and makes NaN 0 itself, as we do.
    let (value, status) = if to.is_signed() {
        let converted = x.to_i128(width);
        (converted.value, converted.status)
    } else {
        let converted = x.to_u128(width);
        (converted.value as i128, converted.status)
    };
    debug_assert!(!x.is_nan() || status == Status::INVALID_OP && value == 0);
    low(to, value)
}
