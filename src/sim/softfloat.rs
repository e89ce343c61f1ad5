//! Float arithmetic of the reference, on bit patterns of any format, each result rounded once.
//!
//! Sums, products and quotients of f32 and f64 are the processor's, since Rust has them round as IEEE 754 says; the named formats go
//! through `rustc_apfloat` where it has the operation; everything else (and every other format) decodes to an exact integer times a
//! power of two, computes exactly and rounds to nearest even. Shares nothing with the hardware's description.

pub use super::exact::{
    Exact, Unpacked, infinity, is_infinite, is_nan, nan, ratio, round, round_by, round_to_integer,
    to_integral, unpack, zero,
};
use super::exact::{is_negative, sign_bit};
use super::functions;
use crate::ir::{BinaryOp, CompareOp, FloatFormat, Rounding, Scalar, UnaryOp};
use crate::units::float::Kind;
use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::{NumOps, Zero};
use rustc_apfloat::{Float, ieee};
use std::cmp::Ordering;

fn apfloat<T: Float>(op: Arithmetic, operands: [u128; 3]) -> (u128, bool) {
    let [a, b, c] = operands.map(T::from_bits);
    let result = match op {
        Arithmetic::Add => (a + b).value,
        Arithmetic::Sub => (a - b).value,
        Arithmetic::Mul => (a * b).value,
        Arithmetic::Div => (a / b).value,
        Arithmetic::Fma => a.mul_add(b, c).value,
    };
    (result.to_bits(), result.is_nan())
}

/// The operations that `rustc_apfloat` does for the named formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// `a + b`.
    Add,
    /// `a - b`.
    Sub,
    /// `a * b`.
    Mul,
    /// `a / b`.
    Div,
    /// `a * b + c`.
    Fma,
}

/// What the processor says, and whether that is NaN; `None` where it is not asked. Those without SSE2 round twice.
fn native(f: FloatFormat, op: Arithmetic, [a, b, _]: [u128; 3]) -> Option<(u128, bool)> {
    match f {
        _ if cfg!(all(target_arch = "x86", not(target_feature = "sse2"))) => None,
        FloatFormat::F32 => {
            let result = rounded_once(op, [a, b].map(|bits| f32::from_bits(bits as u32)))?;
            Some((result.to_bits().into(), result.is_nan()))
        }
        FloatFormat::F64 => {
            let result = rounded_once(op, [a, b].map(|bits| f64::from_bits(bits as u64)))?;
            Some((result.to_bits().into(), result.is_nan()))
        }
        _ => None,
    }
}

/// The operations that every processor has.
fn rounded_once<T: NumOps>(op: Arithmetic, [a, b]: [T; 2]) -> Option<T> {
    match op {
        Arithmetic::Add => Some(a + b),
        Arithmetic::Sub => Some(a - b),
        Arithmetic::Mul => Some(a * b),
        Arithmetic::Div => Some(a / b),
        Arithmetic::Fma => None,
    }
}

/// `a op b` (and `c` for [`Arithmetic::Fma`]), correctly rounded.
pub fn arithmetic(f: FloatFormat, op: Arithmetic, operands: [u128; 3]) -> u128 {
    if let Some((bits, is_nan)) = native(f, op, operands) {
        return if is_nan { nan(f) } else { bits };
    }
    let (bits, is_nan) = match f {
        FloatFormat::F16 => apfloat::<ieee::Half>(op, operands),
        FloatFormat::BF16 => apfloat::<ieee::BFloat>(op, operands),
        FloatFormat::F32 => apfloat::<ieee::Single>(op, operands),
        FloatFormat::F64 => apfloat::<ieee::Double>(op, operands),
        _ => return exact_arithmetic(f, op, operands),
    };
    if is_nan { nan(f) } else { bits }
}

/// The same by exact integers, for any format.
pub fn exact_arithmetic(f: FloatFormat, op: Arithmetic, [a, b, c]: [u128; 3]) -> u128 {
    match op {
        Arithmetic::Add => add(f, unpack(f, a), unpack(f, b)),
        Arithmetic::Sub => add(f, unpack(f, a), unpack(f, negate(f, b))),
        Arithmetic::Mul => match product(&unpack(f, a), &unpack(f, b)) {
            Unpacked::Nan => nan(f),
            Unpacked::Infinite(negative) => infinity(f, negative),
            Unpacked::Finite(exact) => round(f, &exact, false),
        },
        Arithmetic::Fma => add(f, product(&unpack(f, a), &unpack(f, b)), unpack(f, c)),
        Arithmetic::Div => divide(f, &unpack(f, a), &unpack(f, b)),
    }
}

fn negate(f: FloatFormat, bits: u128) -> u128 {
    bits ^ sign_bit(f)
}

fn add(f: FloatFormat, a: Unpacked, b: Unpacked) -> u128 {
    match (a, b) {
        (Unpacked::Nan, _) | (_, Unpacked::Nan) => nan(f),
        (Unpacked::Infinite(x), Unpacked::Infinite(y)) if x != y => nan(f),
        (Unpacked::Infinite(x), _) | (_, Unpacked::Infinite(x)) => infinity(f, x),
        (Unpacked::Finite(a), Unpacked::Finite(b)) => {
            let (x, y, exponent) = a.aligned(&b);
            let sum = x + y;
            // An exact zero is positive unless both terms are negative.
            let negative = match sum.sign() {
                Sign::NoSign => a.negative && b.negative,
                sign => sign == Sign::Minus,
            };
            let exact = Exact {
                negative,
                mantissa: sum.into_parts().1,
                exponent,
            };
            round(f, &exact, false)
        }
    }
}

fn product(a: &Unpacked, b: &Unpacked) -> Unpacked {
    match (a, b) {
        (Unpacked::Nan, _) | (_, Unpacked::Nan) => Unpacked::Nan,
        (Unpacked::Infinite(x), Unpacked::Infinite(y)) => Unpacked::Infinite(x != y),
        (Unpacked::Infinite(x), Unpacked::Finite(e))
        | (Unpacked::Finite(e), Unpacked::Infinite(x)) => match e.mantissa.is_zero() {
            true => Unpacked::Nan,
            false => Unpacked::Infinite(*x != e.negative),
        },
        (Unpacked::Finite(a), Unpacked::Finite(b)) => Unpacked::Finite(Exact {
            negative: a.negative != b.negative,
            mantissa: &a.mantissa * &b.mantissa,
            exponent: a.exponent + b.exponent,
        }),
    }
}

fn divide(f: FloatFormat, a: &Unpacked, b: &Unpacked) -> u128 {
    match (a, b) {
        (Unpacked::Nan, _) | (_, Unpacked::Nan) => nan(f),
        (Unpacked::Infinite(_), Unpacked::Infinite(_)) => nan(f),
        (Unpacked::Infinite(x), Unpacked::Finite(e)) => infinity(f, *x != e.negative),
        (Unpacked::Finite(e), Unpacked::Infinite(x)) => zero(f, *x != e.negative),
        (Unpacked::Finite(a), Unpacked::Finite(b)) => {
            let negative = a.negative != b.negative;
            match (a.mantissa.is_zero(), b.mantissa.is_zero()) {
                (true, true) => nan(f),
                (true, false) => zero(f, negative),
                (false, true) => infinity(f, negative),
                (false, false) => quotient(f, negative, a, b),
            }
        }
    }
}

fn quotient(f: FloatFormat, negative: bool, a: &Exact, b: &Exact) -> u128 {
    let up = 2 * u64::from(f.frac) + 4;
    let (mantissa, rest) = (&a.mantissa << up).div_rem(&b.mantissa);
    let exact = Exact {
        negative,
        mantissa,
        exponent: a.exponent - b.exponent - up as i64,
    };
    round(f, &exact, !rest.is_zero())
}

fn square_root(f: FloatFormat, bits: u128) -> u128 {
    match unpack(f, bits) {
        Unpacked::Finite(e) if e.mantissa.is_zero() => bits,
        Unpacked::Infinite(false) => bits,
        Unpacked::Finite(e) if !e.negative => {
            let up = 2 * u64::from(f.frac) + 6 + u64::from(e.exponent.is_odd());
            let scaled = e.mantissa << up;
            let root = scaled.sqrt();
            let inexact = &root * &root != scaled;
            let exact = Exact {
                negative: false,
                mantissa: root,
                exponent: (e.exponent - up as i64) / 2,
            };
            round(f, &exact, inexact)
        }
        _ => nan(f),
    }
}

/// A zero of the same sign in place of a subnormal number.
fn flush(f: FloatFormat, bits: u128) -> u128 {
    match bits & !sign_bit(f) {
        magnitude if magnitude >> f.frac == 0 => bits - magnitude,
        _ => bits,
    }
}

/// C's `fmod`: exact, with the dividend's sign.
fn fmod(f: FloatFormat, a: u128, b: u128) -> u128 {
    match (unpack(f, a), unpack(f, b)) {
        (Unpacked::Finite(_), Unpacked::Infinite(_)) => a,
        (Unpacked::Finite(x), Unpacked::Finite(y)) if !y.mantissa.is_zero() => {
            let (over, under, exponent) = x.aligned(&y);
            let exact = Exact {
                negative: x.negative,
                mantissa: (over % under).into_parts().1,
                exponent,
            };
            round(f, &exact, false)
        }
        _ => nan(f),
    }
}

/// Order of two numbers, `None` beside a NaN. Zeros are equal.
fn order(f: FloatFormat, a: u128, b: u128) -> Option<Ordering> {
    if is_nan(f, a) || is_nan(f, b) {
        return None;
    }
    let key = |bits: u128| {
        let magnitude = (bits & !sign_bit(f)) as i128;
        if is_negative(f, bits) {
            -magnitude
        } else {
            magnitude
        }
    };
    Some(key(a).cmp(&key(b)))
}

/// `a op b`.
pub fn compare(f: FloatFormat, op: CompareOp, a: u128, b: u128) -> bool {
    use Ordering::{Equal, Greater, Less};
    let order = order(f, a, b);
    match op {
        CompareOp::Eq => order == Some(Equal),
        CompareOp::Ne => order != Some(Equal),
        CompareOp::Lt => order == Some(Less),
        CompareOp::Le => matches!(order, Some(Less | Equal)),
        CompareOp::Gt => order == Some(Greater),
        CompareOp::Ge => matches!(order, Some(Greater | Equal)),
        CompareOp::Ueq => matches!(order, None | Some(Equal)),
        CompareOp::One => matches!(order, Some(Less | Greater)),
        CompareOp::Ult => matches!(order, None | Some(Less)),
        CompareOp::Ule => order != Some(Greater),
        CompareOp::Ugt => matches!(order, None | Some(Greater)),
        CompareOp::Uge => order != Some(Less),
    }
}

/// The smaller (`larger` false) or larger one; -0 is less than +0. A NaN loses, unless `nan_wins`.
fn choose(f: FloatFormat, a: u128, b: u128, larger: bool, nan_wins: bool) -> u128 {
    match (is_nan(f, a), is_nan(f, b)) {
        (true, true) => nan(f),
        (true, false) | (false, true) if nan_wins => nan(f),
        (true, false) => b,
        (false, true) => a,
        (false, false) => {
            let a_first = match order(f, a, b) {
                Some(Ordering::Equal) => is_negative(f, a),
                other => other == Some(Ordering::Less),
            };
            if a_first != larger { a } else { b }
        }
    }
}

/// `op a`; `None` for what floats do not have.
pub fn unary(f: FloatFormat, op: UnaryOp, a: u128) -> Option<u128> {
    Some(match op {
        UnaryOp::Neg => negate(f, a),
        UnaryOp::Abs => a & !sign_bit(f),
        UnaryOp::Sqrt => square_root(f, a),
        UnaryOp::Flush => flush(f, a),
        _ => match op.rounding() {
            Some(rounding) => to_integral(f, rounding, a),
            None => return functions::unary(f, op, a),
        },
    })
}

/// `a op b`; `None` for what floats do not have.
pub fn binary(f: FloatFormat, op: BinaryOp, a: u128, b: u128) -> Option<u128> {
    let rounded = |op| arithmetic(f, op, [a, b, 0]);
    Some(match op {
        BinaryOp::Add => rounded(Arithmetic::Add),
        BinaryOp::Sub => rounded(Arithmetic::Sub),
        BinaryOp::Mul => rounded(Arithmetic::Mul),
        BinaryOp::Div => rounded(Arithmetic::Div),
        BinaryOp::FloorDiv => to_integral(f, Rounding::Down, rounded(Arithmetic::Div)),
        BinaryOp::Mod => fmod(f, a, b),
        BinaryOp::Min => choose(f, a, b, false, false),
        BinaryOp::Max => choose(f, a, b, true, false),
        BinaryOp::MinNan => choose(f, a, b, false, true),
        BinaryOp::MaxNan => choose(f, a, b, true, true),
        BinaryOp::Pow => functions::power(f, a, b),
        _ => return None,
    })
}

/// The result of an operator of the hardware's table, a comparison's as 0 or 1; `None` for what this
/// arithmetic does not have (yet). `operands`: as many as the operator takes.
pub fn operator(f: FloatFormat, kind: Kind, operands: &[u128]) -> Option<u128> {
    match (kind, operands) {
        (Kind::Unary(op), &[a]) => unary(f, op, a),
        (Kind::Binary(op), &[a, b]) => binary(f, op, a, b),
        (Kind::Compare(op), &[a, b]) => Some(compare(f, op, a, b).into()),
        (Kind::Fma, &[a, b, c]) => Some(arithmetic(f, Arithmetic::Fma, [a, b, c])),
        _ => None,
    }
}

/// Truncated toward zero, saturated to the integer type; a NaN gives 0.
pub fn to_int(f: FloatFormat, to: Scalar, bits: u128) -> BigInt {
    let Some((min, max)) = to.int_range() else {
        return BigInt::zero();
    };
    match unpack(f, bits) {
        Unpacked::Nan => BigInt::zero(),
        Unpacked::Infinite(true) => min,
        Unpacked::Infinite(false) => max,
        Unpacked::Finite(e) => round_to_integer(Rounding::Zero, &e).clamp(min, max),
    }
}

#[cfg(test)]
mod tests {
    use super::super::exact::bias;
    use super::*;
    use crate::sim::formats;
    use num_bigint::BigUint;
    use num_traits::One;

    fn convert(from: FloatFormat, to: FloatFormat, bits: u128) -> u128 {
        formats::convert(from.into(), to.into(), bits)
    }

    fn from_int(f: FloatFormat, number: BigInt) -> u128 {
        formats::from_int(f.into(), number)
    }

    fn from_ratio(f: FloatFormat, negative: bool, over: &BigUint, under: &BigUint) -> u128 {
        let (exact, sticky) = ratio(f.width(), negative, over, under);
        round(f, &exact, sticky)
    }

    const NAMED: [FloatFormat; 4] = [
        FloatFormat::F16,
        FloatFormat::BF16,
        FloatFormat::F32,
        FloatFormat::F64,
    ];

    /// Operands in the style of TestFloat: every class of exponent with telling fractions.
    fn operands(f: FloatFormat) -> Vec<u128> {
        let top = (1u128 << f.exp) - 1;
        let b = bias(f) as u128;
        let frac = u128::from(f.frac);
        let mut exponents = vec![0, 1, 2, b - 1, b, b + 1, top - 2, top - 1, top];
        exponents.extend([b + frac, b + frac + 1, b - frac, b + 2, b / 2, b + b / 2]);
        exponents.retain(|&e| e <= top);
        exponents.sort_unstable();
        exponents.dedup();
        let all = (1u128 << f.frac) - 1;
        let fractions = [
            0,
            1,
            all,
            all - 1,
            all >> 1,
            1 << (f.frac - 1),
            all / 3,
            2,
            all / 5 * 3,
        ];
        let mut out = Vec::new();
        for e in exponents {
            for fraction in fractions {
                for sign in [0, sign_bit(f)] {
                    out.push(sign | (e << f.frac) | fraction);
                }
            }
        }
        out
    }

    fn random_operands(f: FloatFormat, seed: u64, count: usize) -> Vec<u128> {
        let mut rng = crate::sim::vectors::Rng::new(seed);
        let mask = sign_bit(f) | (sign_bit(f) - 1);
        (0..count)
            .map(|_| (u128::from(rng.next()) << 64 | u128::from(rng.next())) & mask)
            .collect()
    }

    fn pairs(f: FloatFormat) -> Vec<(u128, u128)> {
        let special = operands(f);
        let mut out: Vec<_> = special
            .iter()
            .flat_map(|&a| special.iter().map(move |&b| (a, b)))
            .collect();
        let random = random_operands(f, 7, 20_000);
        out.extend(random.chunks(2).map(|c| (c[0], c[1])));
        assert!(out.len() >= 46_000, "{} pairs", out.len());
        out
    }

    const OPS: [Arithmetic; 4] = [
        Arithmetic::Add,
        Arithmetic::Sub,
        Arithmetic::Mul,
        Arithmetic::Div,
    ];

    #[test]
    fn exact_path_agrees_with_apfloat_and_the_machine() {
        std::thread::scope(|scope| {
            for f in NAMED {
                scope.spawn(move || {
                    for (a, b) in pairs(f) {
                        for op in OPS {
                            let operands = [a, b, 0];
                            let (got, want) = (
                                exact_arithmetic(f, op, operands),
                                arithmetic(f, op, operands),
                            );
                            assert_eq!(got, want, "{f} {op:?} {a:#x} {b:#x}");
                        }
                    }
                });
            }
        });
    }

    #[test]
    fn fma_agrees_with_apfloat() {
        for f in NAMED {
            let special = operands(f);
            let mut rng = crate::sim::vectors::Rng::new(3);
            for _ in 0..50_000 {
                let mut pick = || special[rng.below(special.len() as u64) as usize];
                let operands = [pick(), pick(), pick()];
                let got = exact_arithmetic(f, Arithmetic::Fma, operands);
                let want = arithmetic(f, Arithmetic::Fma, operands);
                assert_eq!(got, want, "{f} fma {operands:x?}");
            }
        }
    }

    #[test]
    fn sqrt_mod_and_rounding_agree_with_the_machine() {
        let f = FloatFormat::F64;
        let canonical = |x: f64| {
            if x.is_nan() {
                nan(f)
            } else {
                u128::from(x.to_bits())
            }
        };
        let host = |bits: u128| f64::from_bits(bits as u64);
        for (a, b) in pairs(f).into_iter().step_by(7) {
            let (x, y) = (host(a), host(b));
            assert_eq!(square_root(f, a), canonical(x.sqrt()), "sqrt {a:#x}");
            assert_eq!(fmod(f, a, b), canonical(x % y), "{a:#x} % {b:#x}");
            assert_eq!(
                to_integral(f, Rounding::Down, a),
                canonical(x.floor()),
                "floor {a:#x}"
            );
            let integral = |rounding| to_integral(f, rounding, a);
            assert_eq!(integral(Rounding::Up), canonical(x.ceil()), "ceil {a:#x}");
            assert_eq!(
                integral(Rounding::Zero),
                canonical(x.trunc()),
                "trunc {a:#x}"
            );
            let (even, away) = (canonical(x.round_ties_even()), canonical(x.round()));
            assert_eq!(integral(Rounding::NearestEven), even, "even {a:#x}");
            assert_eq!(integral(Rounding::NearestAway), away, "away {a:#x}");
            assert_eq!(compare(f, CompareOp::Le, a, b), x <= y);
            assert_eq!(compare(f, CompareOp::Ne, a, b), x != y);
            let single = convert(f, FloatFormat::F32, a) as u32;
            if !x.is_nan() {
                assert_eq!(single, (x as f32).to_bits(), "f32 of {a:#x}");
                assert_eq!(canonical(f64::from(x as f32)), {
                    convert(FloatFormat::F32, f, u128::from(single))
                });
            }
            assert_eq!(to_int(f, Scalar::signed(32), a), BigInt::from(x as i32));
            assert_eq!(to_int(f, Scalar::unsigned(64), a), BigInt::from(x as u64));
            assert_eq!(to_int(f, Scalar::Index, a), BigInt::from(x as i64));
            let whole = a as i64;
            assert_eq!(from_int(f, BigInt::from(whole)), canonical(whole as f64));
        }
    }

    #[test]
    fn every_f16_square_root_squares_back() {
        let f = FloatFormat::F16;
        for a in 0..0x7c00u128 {
            let narrow = square_root(f, a);
            let wide = square_root(FloatFormat::F64, convert(f, FloatFormat::F64, a));
            // Rounding the root to 53 bits first is innocuous for 11-bit results.
            assert_eq!(narrow, convert(FloatFormat::F64, f, wide), "{a:#x}");
        }
    }

    #[test]
    fn tiny_formats_agree_with_exact_ratios() {
        // Every pair of a format that no oracle has, against the rational result.
        let f = FloatFormat { exp: 3, frac: 2 };
        let ratio = |bits: u128| match unpack(f, bits) {
            Unpacked::Finite(e) => Some((e.signed(), e.exponent)),
            _ => None,
        };
        for a in 0..64 {
            for b in 0..64 {
                let (Some((x, ex)), Some((y, ey))) = (ratio(a), ratio(b)) else {
                    continue;
                };
                let up = |v: &BigInt, e: i64| v << (e + 10) as u64;
                let sum = up(&x, ex) + up(&y, ey);
                let got = exact_arithmetic(f, Arithmetic::Add, [a, b, 0]);
                let nearest = |n: &BigInt, under: u32| {
                    from_ratio(
                        f,
                        n.sign() == Sign::Minus,
                        n.magnitude(),
                        &(BigUint::one() << under),
                    )
                };
                if !sum.is_zero() {
                    assert_eq!(got, nearest(&sum, 10), "{a:#x} + {b:#x}");
                }
                let product = up(&x, ex) * up(&y, ey);
                if !product.is_zero() {
                    let got = exact_arithmetic(f, Arithmetic::Mul, [a, b, 0]);
                    assert_eq!(got, nearest(&product, 20), "{a:#x} * {b:#x}");
                }
            }
        }
    }

    #[test]
    fn special_values() {
        let f = FloatFormat::F32;
        let bits = |x: f32| u128::from(x.to_bits());
        let signalling = 0xff80_0001;
        assert_eq!(unary(f, UnaryOp::Neg, signalling), Some(0x7f80_0001));
        assert_eq!(unary(f, UnaryOp::Floor, signalling), Some(0x7fc0_0000));
        assert_eq!(
            binary(f, BinaryOp::Min, signalling, bits(1.0)),
            Some(bits(1.0))
        );
        assert_eq!(
            binary(f, BinaryOp::MaxNan, signalling, bits(1.0)),
            Some(nan(f))
        );
        assert_eq!(binary(f, BinaryOp::Max, bits(-0.0), bits(0.0)), Some(0));
        assert_eq!(
            binary(f, BinaryOp::Min, bits(0.0), bits(-0.0)),
            Some(bits(-0.0))
        );
        assert_eq!(
            binary(f, BinaryOp::FloorDiv, bits(-7.0), bits(2.0)),
            Some(bits(-4.0))
        );
        assert_eq!(convert(f, FloatFormat::F16, bits(65520.0)), 0x7c00);
        assert_eq!(convert(f, FloatFormat::F16, bits(65519.996)), 0x7bff);
        assert_eq!(convert(FloatFormat::F16, FloatFormat::BF16, 0xfe01), 0x7fc0);
        assert_eq!(to_int(f, Scalar::BOOL, bits(0.99)), BigInt::zero());
        assert_eq!(to_int(f, Scalar::BOOL, bits(7.0)), BigInt::one());
        assert!(!compare(f, CompareOp::One, nan(f), 0) && compare(f, CompareOp::Ueq, nan(f), 0));
    }
}
