//! Arithmetic of floats as Python and numpy have it, where it is more than an operation of the machine.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

/// An int as a float, rounded to nearest even; infinite beyond the range of floats.
pub fn f64_from_int(value: &BigInt) -> f64 {
    let beyond = if value.is_negative() {
        f64::NEG_INFINITY
    } else {
        f64::INFINITY
    };
    value.to_f64().unwrap_or(beyond)
}

/// `numerator / denominator`, correctly rounded; the denominator is nonzero.
pub fn f64_from_ratio(numerator: &BigInt, denominator: &BigInt) -> f64 {
    /// Exponent of the least float.
    const LEAST: i64 = -1074;
    let negative = numerator.is_negative() != denominator.is_negative();
    let (n, d) = (numerator.magnitude(), denominator.magnitude());
    if n.is_zero() {
        return if negative { -0.0 } else { 0.0 };
    }
    // The quotient in units of a quarter of its last place, of which there are at most 2^55.
    let unit = (n.bits() as i64 - d.bits() as i64 - 53).max(LEAST) - 2;
    let (n, d) = match unit {
        ..0 => (n << unit.unsigned_abs(), d.clone()),
        _ => (n.clone(), d << unit.unsigned_abs()),
    };
    let quarters = &n / &d;
    let rest = !(&n % &d).is_zero();
    // Rounded to odd, so that rounding to nearest even afterwards sees what was cut off.
    let odd = quarters.to_u64().unwrap_or(u64::MAX) | u64::from(rest);
    let magnitude = scale(round_to_places(odd, unit), unit);
    if negative { -magnitude } else { magnitude }
}

/// A number of `unit` powers of two, to nearest even with the places that a float has.
fn round_to_places(odd: u64, unit: i64) -> f64 {
    let length = i64::from(u64::BITS - odd.leading_zeros());
    // The last place is the 53rd, or that of the least float.
    let cut = (length - 53).max(-1074 - unit).max(0) as u32;
    let (kept, half) = (odd >> cut, 1u64 << cut >> 1);
    let below = odd - (kept << cut);
    let up = cut > 0 && (below > half || below == half && kept & 1 == 1);
    ((kept + u64::from(up)) << cut) as f64
}

/// `v * 2^exponent`, which is a float or beyond the range.
fn scale(v: f64, exponent: i64) -> f64 {
    // In two steps, as the power alone may lie beyond the range.
    let half = (exponent / 2).clamp(-1000, 1000) as i32;
    let rest = (exponent - i64::from(half)).clamp(-1022, 1023) as i32;
    v * 2f64.powi(half) * 2f64.powi(rest)
}

/// A float rounded to binary16, to nearest even.
pub fn round_to_half(v: f64) -> f64 {
    /// From here on the nearest binary16 is infinite.
    const BEYOND: f64 = 65520.0;
    if v.is_nan() || v == 0.0 {
        return v;
    }
    if v.abs() >= BEYOND {
        return f64::INFINITY.copysign(v);
    }
    // The exponent of a float of normal size; anything smaller rounds in the least unit.
    let exponent = ((v.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    let unit = 2f64.powi(exponent.max(-14) - 10);
    ((v / unit).round_ties_even() * unit).copysign(v)
}

/// Floored quotient and rest of floats other than by 0, as CPython and numpy compute them (`_float_div_mod` in
/// `floatobject.c`, `npy_divmod`).
pub fn float_divmod(a: f64, b: f64) -> (f64, f64) {
    let mut rest = a % b;
    let mut quotient = (a - rest) / b;
    if rest == 0.0 {
        rest = 0.0f64.copysign(b);
    } else if (rest < 0.0) != (b < 0.0) {
        rest += b;
        quotient -= 1.0;
    }
    let mut floored = quotient.floor();
    if quotient == 0.0 {
        floored = 0.0f64.copysign(a / b);
    } else if quotient - floored > 0.5 {
        floored += 1.0;
    }
    (floored, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(n: i64, d: i64) -> f64 {
        f64_from_ratio(&n.into(), &d.into())
    }

    #[test]
    fn quotients_are_rounded_once() {
        assert_eq!(ratio(1, 3), 1.0 / 3.0);
        assert_eq!(ratio(-7, 2), -3.5);
        assert_eq!(ratio(0, -5), 0.0);
        assert_eq!(ratio(i64::MAX, 3), 3074457345618258602.0);
        let big = |n: u32| BigInt::from(10).pow(n);
        assert_eq!(f64_from_ratio(&1.into(), &big(310)), 1e-310);
        assert_eq!(f64_from_ratio(&3.into(), &big(324)), 5e-324);
        assert_eq!(f64_from_ratio(&2.into(), &big(324)), 0.0);
        assert_eq!(f64_from_ratio(&big(308), &1.into()), 1e308);
        assert_eq!(f64_from_ratio(&big(309), &1.into()), f64::INFINITY);
        assert_eq!(f64_from_ratio(&big(320), &big(12)), 1e308);
        assert_eq!(
            f64_from_ratio(&((1i64 << 53) + 1).into(), &1.into()),
            9007199254740992.0
        );
        let least = f64::from_bits(1);
        let third = BigInt::from(1) << 1075u32;
        assert_eq!(f64_from_ratio(&3.into(), &third), 2.0 * least);
        assert_eq!(f64_from_ratio(&1.into(), &third), 0.0);
    }

    #[test]
    fn ints_become_the_nearest_float() {
        let big: i64 = (1 << 62) + (1 << 20) + 1;
        assert_eq!(f64_from_int(&big.into()), big as f64);
        assert_eq!(
            f64_from_int(&-(BigInt::from(1) << 2000u32)),
            f64::NEG_INFINITY
        );
    }

    #[test]
    fn halves_have_eleven_bits() {
        let table = [
            (1.0, 1.0),
            (-0.1, -0.0999755859375),
            (65504.0, 65504.0),
            (65519.9, 65504.0),
            (65520.0, f64::INFINITY),
            (6e-8, 5.960464477539063e-8),
            (2.9e-8, 0.0),
            (2049.0, 2048.0),
            (2051.0, 2052.0),
        ];
        for (v, expected) in table {
            assert_eq!(round_to_half(v), expected, "{v}");
        }
    }
}
