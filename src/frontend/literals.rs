//! Compile-time numbers as typed constants: exact conversions and the literal rules.

use super::constant::ConstValue;
use crate::ir::storage::{self, StoredNumber};
use crate::ir::{Const, FloatFormat, Scalar};
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, Signed, ToPrimitive, Zero};

/// A float taken apart: `(-1)^negative * magnitude * 2^exponent`.
pub enum Parts {
    /// Not a number.
    Nan,
    /// Infinite.
    Infinite {
        /// Sign.
        negative: bool,
    },
    /// Any other value.
    Finite {
        /// Sign, also of zero.
        negative: bool,
        /// Integer magnitude.
        magnitude: BigUint,
        /// Power of two.
        exponent: i64,
    },
}

/// The parts of an encoding of `format`.
pub fn decode(format: FloatFormat, bits: &BigUint) -> Parts {
    let fraction = bits & ((BigUint::one() << format.frac) - 1u32);
    let exponent = ((bits >> format.frac) & ((BigUint::one() << format.exp) - 1u32))
        .to_i64()
        .unwrap_or(0);
    let negative = bits.bit(u64::from(format.exp + format.frac));
    let bias = (1i64 << (format.exp - 1)) - 1;
    let scale = 1 - bias - i64::from(format.frac);
    if exponent == (1 << format.exp) - 1 {
        return if fraction.is_zero() {
            Parts::Infinite { negative }
        } else {
            Parts::Nan
        };
    }
    if exponent == 0 {
        return Parts::Finite {
            negative,
            magnitude: fraction,
            exponent: scale,
        };
    }
    Parts::Finite {
        negative,
        magnitude: fraction | (BigUint::one() << format.frac),
        exponent: scale + exponent - 1,
    }
}

/// The encoding of `(-1)^negative * magnitude * 2^exponent` rounded to nearest even. `sticky` says
/// that the true magnitude is a little larger; the magnitude must then have two spare bits.
pub fn encode(
    format: FloatFormat,
    negative: bool,
    magnitude: &BigUint,
    exponent: i64,
    sticky: bool,
) -> BigUint {
    let sign = BigUint::from(negative) << (format.exp + format.frac);
    if magnitude.is_zero() {
        return sign;
    }
    let bias = (1i64 << (format.exp - 1)) - 1;
    let lowest = 1 - bias - i64::from(format.frac);
    let top = exponent + magnitude.bits() as i64 - 1;
    if top > bias {
        return format.infinity(negative);
    }
    if top < lowest - 1 {
        return sign;
    }
    let ulp = (top - i64::from(format.frac)).max(lowest);
    let rounded = round_shift(magnitude, ulp - exponent, sticky);
    // The hidden bit adds one to the exponent field, and so does a carry out of the fraction.
    let field = BigUint::from((ulp - lowest) as u64) << format.frac;
    let value = field + rounded;
    value.min(format.infinity(false)) | sign
}

fn round_shift(magnitude: &BigUint, shift: i64, sticky: bool) -> BigUint {
    if shift <= 0 {
        return magnitude << shift.unsigned_abs();
    }
    let shift = shift as u64;
    let kept: BigUint = magnitude >> shift;
    let half = magnitude.bit(shift - 1);
    let below = sticky || magnitude.trailing_zeros().is_some_and(|z| z < shift - 1);
    if half && (below || kept.bit(0)) {
        kept + 1u32
    } else {
        kept
    }
}

fn encode_parts(format: FloatFormat, parts: &Parts) -> BigUint {
    match parts {
        Parts::Nan => format.nan(),
        Parts::Infinite { negative } => format.infinity(*negative),
        Parts::Finite {
            negative,
            magnitude,
            exponent,
        } => encode(format, *negative, magnitude, *exponent, false),
    }
}

/// The parts of a value of any float type; NaN for other types.
fn decode_any(ty: Scalar, bits: &BigUint) -> Parts {
    match ty {
        Scalar::Float(f) => decode(f, bits),
        Scalar::Storage(f) => match f.decode(bits.to_u8().unwrap_or(0)) {
            StoredNumber::Nan => Parts::Nan,
            StoredNumber::Infinite(negative) => Parts::Infinite { negative },
            StoredNumber::Finite { negative, units } => Parts::Finite {
                negative,
                magnitude: units.into(),
                exponent: storage::UNIT.into(),
            },
        },
        _ => Parts::Nan,
    }
}

/// The constant of a type, rounded by the format's rule or cut to an integer.
fn encode_any(ty: Scalar, parts: &Parts) -> Const {
    match (ty, parts) {
        (Scalar::Float(f), _) => Const::Float(encode_parts(f, parts)),
        (Scalar::Storage(f), Parts::Nan) => Const::Float(f.nan().into()),
        (Scalar::Storage(f), Parts::Infinite { negative }) => {
            Const::Float(f.overflow(*negative).into())
        }
        (
            Scalar::Storage(f),
            Parts::Finite {
                negative,
                magnitude,
                exponent,
            },
        ) => Const::Float(f.round(*negative, magnitude, *exponent, false).into()),
        _ => Const::Int(float_to_int(parts, ty)),
    }
}

fn parts_of_int(value: &BigInt) -> Parts {
    Parts::Finite {
        negative: value.is_negative(),
        magnitude: value.magnitude().clone(),
        exponent: 0,
    }
}

fn float_to_int(parts: &Parts, to: Scalar) -> BigInt {
    let (low, high) = to.int_range().unwrap_or_default();
    let saturated = |negative: bool| if negative { low.clone() } else { high.clone() };
    match parts {
        Parts::Nan => BigInt::zero(),
        Parts::Infinite { negative } => saturated(*negative),
        Parts::Finite {
            negative,
            magnitude,
            exponent,
        } => {
            if magnitude.bits() as i64 + exponent > i64::from(to.width()) + 1 {
                return saturated(*negative);
            }
            let whole = if *exponent >= 0 {
                magnitude << exponent.unsigned_abs()
            } else {
                magnitude >> exponent.unsigned_abs()
            };
            let sign = if *negative { Sign::Minus } else { Sign::Plus };
            BigInt::from_biguint(sign, whole).clamp(low, high)
        }
    }
}

/// The constant `value` of type `from` cast to `to` by the rules of the language.
pub fn cast_const(value: &Const, from: Scalar, to: Scalar) -> Const {
    match (value, from, to) {
        _ if from == to => value.clone(),
        (Const::Int(v), _, Scalar::Float(_) | Scalar::Storage(_)) => {
            encode_any(to, &parts_of_int(v))
        }
        (Const::Int(v), _, _) => Const::Int(to.wrap(v)),
        (Const::Float(b), ..) => encode_any(to, &decode_any(from, b)),
    }
}

/// The type that a compile-time number gets where nothing else decides: i32, f32 or u1. `None` if
/// the value is not a number or an int outside i32.
pub fn default_type(value: &ConstValue) -> Option<Scalar> {
    match value {
        ConstValue::Bool(_) => Some(Scalar::BOOL),
        ConstValue::Float(_) => Some(Scalar::Float(FloatFormat::F32)),
        ConstValue::Int(v) => holds(Scalar::signed(32), v).then_some(Scalar::signed(32)),
        _ => None,
    }
}

/// Whether an integer or index type holds the value exactly.
pub fn holds(ty: Scalar, value: &BigInt) -> bool {
    ty.int_range()
        .is_some_and(|(low, high)| (&low..=&high).contains(&value))
}

/// The narrowest type of the signedness that holds the value; signed if it is negative.
pub fn smallest(value: &BigInt, signed: bool) -> Scalar {
    if value.is_negative() {
        Scalar::signed(((value + 1u32).bits() + 1) as u32)
    } else if signed {
        Scalar::signed((value.bits() + 1) as u32)
    } else {
        Scalar::unsigned(value.bits().max(1) as u32)
    }
}

/// Where a literal stands, as far as its typing depends on that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// Operand of an ordinary operator.
    Plain,
    /// Operand of `& | ^`: a value that fits as a bit pattern is one.
    Bits,
    /// Left operand of a shift.
    Shifted,
    /// Left operand of `**`.
    Base,
    /// Right operand of a shift.
    Amount,
}

/// The type of a compile-time number beside a runtime operand of type `partner`. `None`: no rule.
pub fn literal_type(value: &ConstValue, partner: Scalar, position: Position) -> Option<Scalar> {
    match value {
        ConstValue::Bool(_) => Some(Scalar::BOOL),
        ConstValue::Int(v) => int_literal_type(v, partner, position),
        ConstValue::Float(_) => match partner {
            Scalar::Float(_) | Scalar::Storage(_) => Some(partner),
            Scalar::Index => None,
            Scalar::Int { width, .. } => Some(Scalar::Float(float_beside_int(width))),
        },
        _ => None,
    }
}

/// The float type that stands beside an integer of `width` bits.
pub fn float_beside_int(width: u32) -> FloatFormat {
    if width <= 32 {
        FloatFormat::F32
    } else {
        FloatFormat::F64
    }
}

fn int_literal_type(value: &BigInt, partner: Scalar, position: Position) -> Option<Scalar> {
    if position == Position::Amount {
        return match partner {
            _ if holds(partner, value) => Some(partner),
            Scalar::Index => None,
            _ => Some(smallest(value, false)),
        };
    }
    let is_pattern = |width: u32| {
        matches!(position, Position::Bits | Position::Shifted)
            && !value.is_negative()
            && value.bits() <= u64::from(width)
    };
    let (signed, width) = match partner {
        Scalar::Float(_) | Scalar::Storage(_) => return Some(partner),
        Scalar::Index => {
            let fits = holds(partner, value) || is_pattern(partner.width());
            return fits.then_some(partner);
        }
        Scalar::Int { signed, width } => (signed, width),
    };
    let leads = matches!(position, Position::Shifted | Position::Base);
    if leads && width < 32 {
        return Some(if holds(Scalar::signed(32), value) {
            Scalar::signed(32)
        } else {
            smallest(value, true)
        });
    }
    Some(if is_pattern(width) || holds(partner, value) {
        partner
    } else {
        smallest(value, signed)
    })
}

/// The constant of type `ty` for a compile-time number: ints wrap, floats are rounded or truncated.
/// `None` if the value is not a number.
pub fn literal_const(value: &ConstValue, ty: Scalar) -> Option<Const> {
    Some(match (value, ty) {
        (ConstValue::Bool(v), _) => {
            cast_const(&Const::Int(BigInt::from(u8::from(*v))), Scalar::BOOL, ty)
        }
        (ConstValue::Int(v), Scalar::Float(_) | Scalar::Storage(_)) => {
            encode_any(ty, &parts_of_int(v))
        }
        (ConstValue::Int(v), _) => Const::Int(ty.wrap(v)),
        (ConstValue::Float(v), _) => encode_any(ty, &decode(FloatFormat::F64, &v.to_bits().into())),
        _ => return None,
    })
}

/// Whether an int may be stored in a variable of type `ty`: it is in range as a value or as a bit
/// pattern. Anything may be stored in a float.
pub fn storable(value: &BigInt, ty: Scalar) -> bool {
    match ty {
        Scalar::Float(_) | Scalar::Storage(_) => true,
        Scalar::Index => holds(ty, value),
        Scalar::Int { width, .. } => {
            holds(Scalar::signed(width), value) || holds(Scalar::unsigned(width), value)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(v: i64) -> ConstValue {
        ConstValue::Int(v.into())
    }
    fn ty(text: &str) -> Scalar {
        crate::frontend::scalars::scalar_named(text).unwrap()
    }

    fn float_from_f64(format: FloatFormat, value: f64) -> BigUint {
        match literal_const(&ConstValue::Float(value), Scalar::Float(format)) {
            Some(Const::Float(bits)) => bits,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn float_encodings_agree_with_the_host() {
        let values = [
            0.0,
            -0.0,
            1.0,
            -1.5,
            0.1,
            1e-40,
            1e-45,
            7e-46,
            1e39,
            3.4028235e38,
            3.4028236e38,
            5e-324,
            65504.0,
            65520.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            16777217.0,
            16777219.0,
        ];
        for v in values {
            let single = float_from_f64(FloatFormat::F32, v);
            assert_eq!(single, BigUint::from((v as f32).to_bits()), "{v}");
            assert_eq!(float_from_f64(FloatFormat::F64, v), v.to_bits().into());
        }
        assert_eq!(float_from_f64(FloatFormat::F16, 65520.0), 0x7c00u32.into());
        assert_eq!(
            float_from_f64(FloatFormat::F32, f64::NAN),
            0x7fc0_0000u32.into()
        );
    }

    #[test]
    fn literals_take_their_types_from_section_4() {
        let table = [
            (int(3), "i32", Position::Plain, "i32"),
            (int(300), "u8", Position::Plain, "u9"),
            (int(-1), "u8", Position::Plain, "i1"),
            (int(-129), "u8", Position::Plain, "i9"),
            (int(0xFFFF_FFFF), "i32", Position::Bits, "i32"),
            (int(0xFFFF_FFFF), "i32", Position::Plain, "i33"),
            (int(3), "f16", Position::Plain, "f16"),
            (int(3), "index", Position::Plain, "index"),
            (int(1), "u3", Position::Shifted, "i32"),
            (int(1), "u32", Position::Shifted, "u32"),
            (int(1 << 40), "u3", Position::Base, "i42"),
            (int(1), "index", Position::Shifted, "index"),
            (int(2), "f32", Position::Base, "f32"),
            (ConstValue::Float(0.5), "i32", Position::Plain, "f32"),
            (ConstValue::Float(2.0), "i33", Position::Plain, "f64"),
            (ConstValue::Float(2.0), "bf16", Position::Plain, "bf16"),
            (ConstValue::Bool(true), "f32", Position::Plain, "u1"),
        ];
        for (value, partner, position, expected) in table {
            let got = literal_type(&value, ty(partner), position).unwrap();
            assert_eq!(got.to_string(), expected, "{value:?} beside {partner}");
        }
        let float = ConstValue::Float(1.0);
        assert_eq!(literal_type(&float, Scalar::Index, Position::Plain), None);
    }

    #[test]
    fn float_to_int_saturates() {
        let c = |v: f64, t: &str| literal_const(&ConstValue::Float(v), ty(t)).unwrap();
        assert_eq!(c(300.7, "u8"), Const::Int(255.into()));
        assert_eq!(c(-1.9, "i8"), Const::Int((-1).into()));
        assert_eq!(c(-1e300, "i8"), Const::Int((-128).into()));
        assert_eq!(c(f64::NAN, "i8"), Const::Int(0.into()));
        assert_eq!(c(f64::INFINITY, "u1"), Const::Int(1.into()));
    }
}
