//! Berkeley SoftFloat 3e, in C.
//!
//! It has no bf16 and no odd formats: those operations are done in binary64, rounded to odd, and then rounded to bf16, which gives
//! the correctly rounded result (Boldo and Melquiond, Emulation of a FMA and correctly rounded sums, 2008).

use super::{holds, low, signed};
use allo_hls::ir::{BinaryOp, FloatFormat, Scalar, UnaryOp};
use allo_hls::sim::formats;
use allo_hls::units::float::Kind;
use softfloat_wrapper::{ExceptionFlags, F16, F32, F64, Float, RoundingMode};

const NEAREST: RoundingMode = RoundingMode::TiesToEven;

/// A format's patterns as numbers.
trait Pattern: Float + Copy {
    fn of(bits: u128) -> Self;
    fn bits128(self) -> u128;
}

macro_rules! pattern {
    ($($float:ident: $bits:ident),*) => {
        $(impl Pattern for $float {
            fn of(bits: u128) -> Self {
                $float::from_bits(bits as $bits)
            }
            fn bits128(self) -> u128 {
                self.to_bits().into()
            }
        })*
    };
}
pattern!(F16: u16, F32: u32, F64: u64);

fn compared<F: Pattern>(a: F, b: F) -> Option<std::cmp::Ordering> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    match (a.eq(b), a.lt_quiet(b), b.lt_quiet(a)) {
        (true, ..) => Some(Equal),
        (_, true, _) => Some(Less),
        (.., true) => Some(Greater),
        _ => None,
    }
}

/// A float result, `None` where it has no such operation.
fn apply<F: Pattern>(kind: Kind, operands: &[u128], mode: RoundingMode) -> Option<F> {
    let x: Vec<F> = operands.iter().map(|&bits| F::of(bits)).collect();
    let a = x[0];
    Some(match kind {
        Kind::Binary(BinaryOp::Add) => a.add(x[1], mode),
        Kind::Binary(BinaryOp::Sub) => a.sub(x[1], mode),
        Kind::Binary(BinaryOp::Mul) => a.mul(x[1], mode),
        Kind::Binary(BinaryOp::Div) => a.div(x[1], mode),
        Kind::Fma => a.fused_mul_add(x[1], x[2], mode),
        Kind::Unary(UnaryOp::Sqrt) => a.sqrt(mode),
        Kind::Unary(UnaryOp::Floor) => a.round_to_integral(RoundingMode::TowardNegative),
        Kind::Unary(UnaryOp::Ceil) => a.round_to_integral(RoundingMode::TowardPositive),
        Kind::Unary(UnaryOp::Trunc) => a.round_to_integral(RoundingMode::TowardZero),
        Kind::Unary(UnaryOp::RoundEven) => a.round_to_integral(RoundingMode::TiesToEven),
        Kind::Unary(UnaryOp::RoundAway) => a.round_to_integral(RoundingMode::TiesToAway),
        _ => return None,
    })
}

fn canonical(ty: Scalar, bits: u128) -> u128 {
    match formats::unpack(ty, bits) {
        allo_hls::sim::softfloat::Unpacked::Nan => {
            formats::pack(ty, &allo_hls::sim::softfloat::Unpacked::Nan, false)
        }
        _ => bits,
    }
}

fn direct<F: Pattern>(kind: Kind, format: FloatFormat, operands: &[u128]) -> Option<u128> {
    if let Kind::Compare(op) = kind {
        let order = compared(F::of(operands[0]), F::of(operands[1]));
        return Some(holds(op, order).into());
    }
    let value: F = apply(kind, operands, NEAREST)?;
    Some(canonical(format.into(), value.bits128()))
}

/// By way of binary64, rounded to odd.
fn through_double(kind: Kind, format: FloatFormat, operands: &[u128]) -> Option<u128> {
    let (narrow, wide) = (format.into(), FloatFormat::F64.into());
    let operands: Vec<u128> = operands
        .iter()
        .map(|&x| formats::convert(narrow, wide, x))
        .collect();
    if let Kind::Compare(_) = kind {
        return direct::<F64>(kind, FloatFormat::F64, &operands);
    }
    let mut flags = ExceptionFlags::default();
    flags.set();
    let value: F64 = apply(kind, &operands, RoundingMode::TowardZero)?;
    flags.get();
    let odd = value.bits128() | u128::from(flags.is_inexact());
    Some(formats::convert(wide, narrow, odd))
}

/// One operation.
pub fn operation(kind: Kind, format: FloatFormat, operands: &[u128]) -> Option<u128> {
    match format {
        FloatFormat::F16 => direct::<F16>(kind, format, operands),
        FloatFormat::F32 => direct::<F32>(kind, format, operands),
        FloatFormat::F64 => direct::<F64>(kind, format, operands),
        // Two bits more are enough, and what is out of binary64's range is out of theirs.
        FloatFormat {
            exp: 3..=10,
            frac: ..=50,
        } => through_double(kind, format, operands),
        _ => None,
    }
}

/// One conversion.
pub fn conversion(from: Scalar, to: Scalar, bits: u128) -> Option<u128> {
    match from {
        Scalar::Float(FloatFormat::F16) => from_float(F16::of(bits), to),
        Scalar::Float(FloatFormat::F32) => from_float(F32::of(bits), to),
        Scalar::Float(FloatFormat::F64) => from_float(F64::of(bits), to),
        Scalar::Int { width: ..=64, .. } => from_int(from, to, bits),
        _ => None,
    }
}

fn from_float<F: Pattern>(x: F, to: Scalar) -> Option<u128> {
    let zero = RoundingMode::TowardZero;
    let bits = match to {
        Scalar::Float(FloatFormat::F16) => x.to_f16(NEAREST).bits128(),
        Scalar::Float(FloatFormat::F32) => x.to_f32(NEAREST).bits128(),
        Scalar::Float(FloatFormat::F64) => x.to_f64(NEAREST).bits128(),
        Scalar::Int {
            signed,
            width: 32 | 64,
        } => {
            // What is out of range, it leaves to the processor that it imitates.
            let mut flags = ExceptionFlags::default();
            flags.set();
            let value = match (signed, to.width()) {
                (true, 32) => i128::from(x.to_i32(zero, true)),
                (true, _) => i128::from(x.to_i64(zero, true)),
                (false, 32) => i128::from(x.to_u32(zero, true)),
                (false, _) => i128::from(x.to_u64(zero, true)),
            };
            flags.get();
            return (!flags.is_invalid()).then(|| low(to, value));
        }
        _ => return None,
    };
    Some(canonical(to, bits))
}

fn from_int(from: Scalar, to: Scalar, bits: u128) -> Option<u128> {
    let value = signed(from, bits);
    fn go<F: Pattern>(value: i128) -> F {
        match i64::try_from(value) {
            Ok(value) => F::from_i64(value, NEAREST),
            Err(_) => F::from_u64(value as u64, NEAREST),
        }
    }
    Some(match to {
        Scalar::Float(FloatFormat::F16) => go::<F16>(value).bits128(),
        Scalar::Float(FloatFormat::F32) => go::<F32>(value).bits128(),
        Scalar::Float(FloatFormat::F64) => go::<F64>(value).bits128(),
        _ => return None,
    })
}
