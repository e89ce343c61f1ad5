//! Floats of every format, the storage formats among them, by their scalar type: what is common to all is
//! here, arithmetic is in `softfloat`.

use crate::ir::storage::{StoredNumber, UNIT};
use crate::ir::{Conversion, Overflow, Rounding, Scalar, StorageFormat};
use crate::sim::softfloat::{self, Exact, Unpacked};
use num_bigint::{BigInt, BigUint, Sign};

fn unpack_stored(f: StorageFormat, code: u128) -> Unpacked {
    match f.decode(code as u8) {
        StoredNumber::Nan => Unpacked::Nan,
        StoredNumber::Infinite(negative) => Unpacked::Infinite(negative),
        StoredNumber::Finite { negative, units } => Unpacked::Finite(Exact {
            negative,
            mantissa: BigUint::from(units),
            exponent: i64::from(UNIT),
        }),
    }
}

/// The number behind a bit pattern; NaN for a type that is no float.
pub fn unpack(ty: Scalar, bits: u128) -> Unpacked {
    match ty {
        Scalar::Float(f) => softfloat::unpack(f, bits),
        Scalar::Storage(f) => unpack_stored(f, bits),
        _ => Unpacked::Nan,
    }
}

/// The bit pattern nearest to a number, by the rounding of the format. `sticky` as in [`softfloat::round`].
pub fn pack(ty: Scalar, number: &Unpacked, sticky: bool) -> u128 {
    match (ty, number) {
        (Scalar::Float(f), Unpacked::Nan) => softfloat::nan(f),
        (Scalar::Float(f), Unpacked::Infinite(negative)) => softfloat::infinity(f, *negative),
        (Scalar::Float(f), Unpacked::Finite(exact)) => softfloat::round(f, exact, sticky),
        (Scalar::Storage(f), Unpacked::Nan) => f.nan().into(),
        (Scalar::Storage(f), Unpacked::Infinite(negative)) => f.overflow(*negative).into(),
        (Scalar::Storage(f), Unpacked::Finite(e)) => {
            f.round(e.negative, &e.mantissa, e.exponent, sticky).into()
        }
        _ => 0,
    }
}

/// As [`pack`]; `None` if the format lacks the infinity or NaN, or a finite number is out of its range.
pub fn pack_in_range(ty: Scalar, number: &Unpacked, sticky: bool) -> Option<u128> {
    let usual = Rounding::usual(ty);
    let bits = match (ty, number) {
        (Scalar::Storage(f), Unpacked::Finite(e)) => f
            .round_by(usual, e.negative, &e.mantissa, e.exponent, sticky)?
            .into(),
        _ => pack(ty, number, sticky),
    };
    let same = match (number, unpack(ty, bits)) {
        (Unpacked::Finite(_), Unpacked::Finite(_)) => true,
        (number, back) => *number == back,
    };
    same.then_some(bits)
}

/// The bit pattern of a number that a conversion gives.
pub fn pack_by(ty: Scalar, how: Conversion, number: &Unpacked) -> u128 {
    let (rounded, negative, overflows) = match number {
        Unpacked::Nan => return pack(ty, number, false),
        Unpacked::Infinite(negative) => (None, *negative, true),
        Unpacked::Finite(e) => {
            let rounded = match ty {
                Scalar::Storage(f) => f
                    .round_by(how.rounding, e.negative, &e.mantissa, e.exponent, false)
                    .map(u128::from),
                Scalar::Float(f) => softfloat::round_by(f, how.rounding, e, false),
                _ => None,
            };
            (rounded, e.negative, how.rounding.overflows(e.negative))
        }
    };
    rounded.unwrap_or_else(|| match overflows && how.overflow != Overflow::Saturate {
        true => pack(ty, &Unpacked::Infinite(negative), false),
        false => largest(ty, negative),
    })
}

/// The largest finite number of a sign.
fn largest(ty: Scalar, negative: bool) -> u128 {
    match ty {
        Scalar::Float(f) => softfloat::infinity(f, negative) - 1,
        Scalar::Storage(f) => f.largest(negative).into(),
        _ => 0,
    }
}

/// A float in another format, rounded once; a NaN becomes the canonical one.
pub fn convert(from: Scalar, to: Scalar, bits: u128) -> u128 {
    pack(to, &unpack(from, bits), false)
}

/// Truncated toward zero, saturated to the integer type; a NaN gives 0.
pub fn to_int(from: Scalar, to: Scalar, bits: u128) -> BigInt {
    match (from, from.computed()) {
        (Scalar::Float(f), _) => softfloat::to_int(f, to, bits),
        (_, wide @ Scalar::Float(f)) => softfloat::to_int(f, to, convert(from, wide, bits)),
        _ => BigInt::ZERO,
    }
}

/// An integer as a number.
pub fn exact_int(number: BigInt) -> Unpacked {
    let (sign, mantissa) = number.into_parts();
    Unpacked::Finite(Exact {
        negative: sign == Sign::Minus,
        mantissa,
        exponent: 0,
    })
}

/// The nearest float to an integer.
pub fn from_int(to: Scalar, number: BigInt) -> u128 {
    pack(to, &exact_int(number), false)
}

/// Whether a type is a float of any kind.
pub fn is_any_float(ty: Scalar) -> bool {
    ty.is_float() || ty.is_storage()
}
