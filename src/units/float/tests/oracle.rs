//! Exact arithmetic on decoded floats, written from the standard's definitions alone.

use crate::hwarith::types::HwType;
use crate::ir::FloatFormat;
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;

/// A decoded float.
#[derive(Clone, Debug)]
pub enum Number {
    Nan,
    Infinite(bool),
    /// `significand * 2^scale`, the significand not negative, and a sign that counts for zero too.
    Finite(bool, BigInt, i64),
}

fn bias(format: FloatFormat) -> i64 {
    (1 << (format.exp - 1)) - 1
}

pub fn nan(format: FloatFormat) -> u128 {
    format.nan().to_u128().unwrap()
}

pub fn decode(format: FloatFormat, bits: u128) -> Number {
    let negative = bits >> (format.exp + format.frac) & 1 == 1;
    let exp = (bits >> format.frac & ((1 << format.exp) - 1)) as i64;
    let frac = bits & ((1 << format.frac) - 1);
    if exp == (1 << format.exp) - 1 {
        return if frac == 0 {
            Number::Infinite(negative)
        } else {
            Number::Nan
        };
    }
    let hidden = u128::from(exp != 0) << format.frac;
    let scale = exp.max(1) - bias(format) - i64::from(format.frac);
    Number::Finite(negative, BigInt::from(frac | hidden), scale)
}

/// Rounds `magnitude * 2^scale` to nearest even.
pub fn encode(format: FloatFormat, negative: bool, magnitude: &BigInt, scale: i64) -> u128 {
    let sign = u128::from(negative) << (format.exp + format.frac);
    if magnitude.is_zero() {
        return sign;
    }
    let lead = magnitude.bits() as i64 - 1 + scale;
    let least = 1 - bias(format);
    // Weight of the last fraction bit.
    let ulp = lead.max(least) - i64::from(format.frac);
    let shift = ulp - scale;
    let rounded = if shift <= 0 {
        magnitude << -shift
    } else {
        let half = BigInt::one() << (shift - 1);
        let floor: BigInt = magnitude >> shift;
        let rest = magnitude - (&floor << shift);
        let up = match rest.cmp(&half) {
            Ordering::Less => false,
            Ordering::Equal => floor.bit(0),
            Ordering::Greater => true,
        };
        floor + i32::from(up)
    };
    // Counting ulps from zero: the binade's fields start at (exponent field - 1) * 2^frac.
    let binade = (lead.max(least) - least) as u128;
    let units = rounded.to_u128().unwrap() + (binade << format.frac);
    let infinity = ((1u128 << format.exp) - 1) << format.frac;
    sign | units.min(infinity)
}

/// The number as an integer in units of `2^scale`.
fn in_units(negative: bool, significand: &BigInt, from: i64, scale: i64) -> BigInt {
    let value = significand << (from - scale);
    if negative { -value } else { value }
}

pub fn add(format: FloatFormat, a: u128, b: u128) -> u128 {
    use Number::*;
    match (decode(format, a), decode(format, b)) {
        (Nan, _) | (_, Nan) => nan(format),
        (Infinite(s), Infinite(t)) if s != t => nan(format),
        (Infinite(_), _) => a,
        (_, Infinite(_)) => b,
        (Finite(s, x, i), Finite(t, y, j)) => {
            let scale = i.min(j);
            let sum = in_units(s, &x, i, scale) + in_units(t, &y, j, scale);
            let negative = if sum.is_zero() {
                s && t
            } else {
                sum.is_negative()
            };
            encode(format, negative, &sum.abs(), scale)
        }
    }
}

pub fn mul(format: FloatFormat, a: u128, b: u128) -> u128 {
    use Number::*;
    let infinity = |s: bool| format.infinity(s).to_u128().unwrap();
    match (decode(format, a), decode(format, b)) {
        (Nan, _) | (_, Nan) => nan(format),
        (Infinite(_), Finite(_, x, _)) | (Finite(_, x, _), Infinite(_)) if x.is_zero() => {
            nan(format)
        }
        (Infinite(s) | Finite(s, ..), Infinite(t)) | (Infinite(s), Finite(t, ..)) => {
            infinity(s != t)
        }
        (Finite(s, x, i), Finite(t, y, j)) => encode(format, s != t, &(x * y), i + j),
    }
}

/// `None` if unordered.
pub fn order(format: FloatFormat, a: u128, b: u128) -> Option<Ordering> {
    use Number::*;
    let side = |s: bool| if s { Ordering::Less } else { Ordering::Greater };
    Some(match (decode(format, a), decode(format, b)) {
        (Nan, _) | (_, Nan) => return None,
        (Infinite(s), Infinite(t)) => t.cmp(&s),
        (Infinite(s), _) => side(s),
        (_, Infinite(t)) => side(!t),
        (Finite(s, x, i), Finite(t, y, j)) => {
            let scale = i.min(j);
            in_units(s, &x, i, scale).cmp(&in_units(t, &y, j, scale))
        }
    })
}

/// The smaller of two numbers, -0 before +0, or the number beside a NaN unless `nan_wins`.
pub fn min_max(format: FloatFormat, smaller: bool, nan_wins: bool, a: u128, b: u128) -> u128 {
    let is_nan = |x| matches!(decode(format, x), Number::Nan);
    match (is_nan(a), is_nan(b)) {
        (true, true) => return nan(format),
        (true, false) => return if nan_wins { nan(format) } else { b },
        (false, true) => return if nan_wins { nan(format) } else { a },
        _ => {}
    }
    let negative = |x: u128| x >> (format.exp + format.frac) & 1 == 1;
    let by_value = order(format, a, b).unwrap();
    let order = by_value.then(negative(b).cmp(&negative(a)));
    if (order == Ordering::Less) == smaller {
        a
    } else {
        b
    }
}

pub fn convert(from: FloatFormat, to: FloatFormat, x: u128) -> u128 {
    match decode(from, x) {
        Number::Nan => nan(to),
        Number::Infinite(s) => to.infinity(s).to_u128().unwrap(),
        Number::Finite(s, m, k) => encode(to, s, &m, k),
    }
}

pub fn from_int(format: FloatFormat, value: &BigInt) -> u128 {
    encode(format, value.is_negative(), &value.abs(), 0)
}

pub fn to_int(format: FloatFormat, dst: HwType, x: u128) -> BigInt {
    match decode(format, x) {
        Number::Nan => BigInt::zero(),
        Number::Infinite(true) => dst.min(),
        Number::Infinite(false) => dst.max(),
        Number::Finite(s, m, k) => {
            let magnitude = if k >= 0 { m << k } else { m >> -k };
            let value = if s { -magnitude } else { magnitude };
            value.clamp(dst.min(), dst.max())
        }
    }
}

pub fn integral(format: FloatFormat, up: bool, x: u128) -> u128 {
    match decode(format, x) {
        Number::Nan => nan(format),
        Number::Finite(s, m, k) if k < 0 => {
            let magnitude = if s != up { -(-m >> -k) } else { m >> -k };
            encode(format, s, &magnitude, 0)
        }
        _ => x,
    }
}
