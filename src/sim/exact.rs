//! Floats of any format as exact integers times powers of two, and the one rounding of each result.

use crate::ir::{FloatFormat, Rounding};
use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};

/// A float taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unpacked {
    /// Any NaN.
    Nan,
    /// Infinity; negative if true.
    Infinite(bool),
    /// A number, possibly a zero.
    Finite(Exact),
}

/// `(-1)^negative * mantissa * 2^exponent`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exact {
    /// The sign, also of a zero.
    pub negative: bool,
    /// Any size.
    pub mantissa: BigUint,
    /// Of the mantissa's lowest bit.
    pub exponent: i64,
}

impl Exact {
    pub(super) fn signed(&self) -> BigInt {
        let sign = if self.negative {
            Sign::Minus
        } else {
            Sign::Plus
        };
        BigInt::from_biguint(sign, self.mantissa.clone())
    }
    /// Both as integers times one power of two.
    pub(super) fn aligned(&self, other: &Exact) -> (BigInt, BigInt, i64) {
        let exponent = match (self.mantissa.is_zero(), other.mantissa.is_zero()) {
            (true, false) => other.exponent,
            (false, true) => self.exponent,
            _ => self.exponent.min(other.exponent),
        };
        let scale = |x: &Exact| match x.mantissa.is_zero() {
            true => BigInt::zero(),
            false => x.signed() << (x.exponent - exponent) as u64,
        };
        (scale(self), scale(other), exponent)
    }
}

pub(super) fn bias(f: FloatFormat) -> i64 {
    (1 << (f.exp - 1)) - 1
}

pub(super) fn sign_bit(f: FloatFormat) -> u128 {
    1 << (f.exp + f.frac)
}

pub(super) fn is_negative(f: FloatFormat, bits: u128) -> bool {
    bits & sign_bit(f) != 0
}

/// The canonical NaN.
pub fn nan(f: FloatFormat) -> u128 {
    infinity(f, false) | (1 << (f.frac - 1))
}

/// Infinity of either sign.
pub fn infinity(f: FloatFormat, negative: bool) -> u128 {
    (((1 << f.exp) - 1) << f.frac) | zero(f, negative)
}

/// Zero of either sign.
pub fn zero(f: FloatFormat, negative: bool) -> u128 {
    if negative { sign_bit(f) } else { 0 }
}

/// Whether the pattern is a NaN.
pub fn is_nan(f: FloatFormat, bits: u128) -> bool {
    bits & !sign_bit(f) > infinity(f, false)
}

/// Whether the pattern is an infinity.
pub fn is_infinite(f: FloatFormat, bits: u128) -> bool {
    bits & !sign_bit(f) == infinity(f, false)
}

/// The number behind a bit pattern.
pub fn unpack(f: FloatFormat, bits: u128) -> Unpacked {
    let negative = is_negative(f, bits);
    let fraction = bits & ((1 << f.frac) - 1);
    let biased = (bits & !sign_bit(f)) >> f.frac;
    let emin = 1 - bias(f);
    if is_nan(f, bits) {
        return Unpacked::Nan;
    }
    if is_infinite(f, bits) {
        return Unpacked::Infinite(negative);
    }
    let (mantissa, exponent) = match biased {
        0 => (fraction, emin),
        _ => (fraction | (1 << f.frac), emin + biased as i64 - 1),
    };
    Unpacked::Finite(Exact {
        negative,
        mantissa: BigUint::from(mantissa),
        exponent: exponent - i64::from(f.frac),
    })
}

/// The float nearest to a number, ties to even. `sticky` says that the number's size is truly
/// between `mantissa` and `mantissa + 1`; the mantissa must then have two bits more than a
/// significand.
pub fn round(f: FloatFormat, exact: &Exact, sticky: bool) -> u128 {
    let rounded = round_by(f, Rounding::NearestEven, exact, sticky);
    rounded.unwrap_or(infinity(f, exact.negative))
}

/// As [`round`], in a way of rounding; `None` if the number is then too large.
pub fn round_by(f: FloatFormat, rounding: Rounding, exact: &Exact, sticky: bool) -> Option<u128> {
    let (mut mantissa, mut exponent) = (exact.mantissa.clone(), exact.exponent);
    if sticky {
        mantissa = (mantissa << 1u32) | BigUint::one();
        exponent -= 1;
    }
    let sign = zero(f, exact.negative);
    if mantissa.is_zero() {
        return Some(sign);
    }
    let bits = mantissa.bits() as i64;
    let lowest = (exponent + bits - 1).max(1 - bias(f)) - i64::from(f.frac);
    let cut = lowest - exponent;
    let kept = if cut <= 0 {
        mantissa << (-cut).min(i64::from(f.frac)) as u64
    } else {
        // Beyond the leading bit nothing is half.
        let cut = cut.min(bits + 1) as u64;
        let kept = &mantissa >> cut;
        let half = mantissa.bit(cut - 1);
        let more = mantissa.trailing_zeros().unwrap_or(0) < cut - 1;
        match rounding.is_away(exact.negative, kept.is_odd(), half, more) {
            true => kept + 1u32,
            false => kept,
        }
    };
    // A carry out of the fraction moves into the exponent field by itself, also from subnormals.
    let kept = kept.to_u128().unwrap_or_default();
    let field = lowest + i64::from(f.frac) + bias(f) - 1;
    if field >= (1 << f.exp) - 1 {
        return None;
    }
    let magnitude = kept + ((field as u128) << f.frac);
    (magnitude < infinity(f, false)).then_some(sign | magnitude)
}

/// The number rounded to an integer.
pub fn round_to_integer(rounding: Rounding, exact: &Exact) -> BigInt {
    let size = match u64::try_from(exact.exponent) {
        Ok(up) => &exact.mantissa << up,
        Err(_) => {
            let cut = exact.exponent.unsigned_abs().min(exact.mantissa.bits() + 1);
            let kept = &exact.mantissa >> cut;
            let half = exact.mantissa.bit(cut - 1);
            let lowest = exact.mantissa.trailing_zeros();
            let more = lowest.is_some_and(|lowest| lowest < cut - 1);
            let away = rounding.is_away(exact.negative, kept.is_odd(), half, more);
            kept + u32::from(away)
        }
    };
    let sign = if exact.negative {
        Sign::Minus
    } else {
        Sign::Plus
    };
    BigInt::from_biguint(sign, size)
}

/// The leading bits, at least `bits`, of a ratio of naturals, and whether it is truly a little larger; the
/// denominator is not 0.
pub fn ratio(bits: u32, negative: bool, over: &BigUint, under: &BigUint) -> (Exact, bool) {
    let wanted = u64::from(bits) + 2 + under.bits();
    let up = wanted.saturating_sub(over.bits());
    let (mantissa, rest) = (over << up).div_rem(under);
    let exact = Exact {
        negative,
        mantissa,
        exponent: -(up as i64),
    };
    (exact, !rest.is_zero())
}

/// Rounded to an integer, in the same format.
pub fn to_integral(f: FloatFormat, rounding: Rounding, bits: u128) -> u128 {
    match unpack(f, bits) {
        Unpacked::Nan => nan(f),
        Unpacked::Finite(e) if e.exponent < 0 && !e.mantissa.is_zero() => {
            let exact = Exact {
                negative: e.negative,
                mantissa: round_to_integer(rounding, &e).into_parts().1,
                exponent: 0,
            };
            round(f, &exact, false)
        }
        _ => bits,
    }
}
