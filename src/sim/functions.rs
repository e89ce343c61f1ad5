//! Elementary functions of the reference, correctly rounded in every format.
//!
//! Special cases are those of IEEE 754-2019, section 9.2. Everything else is computed by
//! `astro-float-num` with more bits than the format has; while the last of them leave open which float
//! is nearest, once more with twice as many (Ziv, "Fast evaluation of elementary mathematical functions with correctly rounded
//! last bit", ACM TOMS 17(3), 1991).

use super::exact::{
    Exact, Unpacked, infinity, is_infinite, is_nan, nan, round, to_integral, unpack, zero,
};
use crate::ir::{FloatFormat, Rounding, UnaryOp};
use astro_float_num::{BigFloat, Consts, RoundingMode, Sign, WORD_BIT_SIZE, Word};
use num_bigint::BigUint;
use num_traits::{One, Zero};
use std::cell::RefCell;

/// Precision after which a result is taken for exactly half way between two floats: no function here
/// comes so close to a value half way without being one, for arguments of up to 113 bits.
const EXACT: usize = 1024;

/// Bits computed beyond those that are relied upon.
const GUARD: usize = 64;

/// Beyond this exponent (of two) every result overflows or vanishes, whatever the format.
const FAR: u64 = 1 << 20;

thread_local! {
    /// Pi, e and logarithms with as many bits as were needed so far.
    static CONSTANTS: RefCell<Option<Consts>> = RefCell::new(Consts::new().ok());
}

/// A function of reals to some precision, in bits.
type Real = fn(&BigFloat, usize, &mut Consts) -> BigFloat;

/// A function of one float: its values at the special arguments, and its definition elsewhere.
struct Function {
    /// At `-inf`, `-0`, `+0`, `+inf`.
    special: [Point; 4],
    /// Whether finite arguments below zero have no result.
    positive_only: bool,
    /// From this size of the argument on, if any, the result is the one at infinity.
    limit: fn(FloatFormat) -> Option<u64>,
    real: Real,
}

/// A special value.
#[derive(Clone, Copy)]
enum Point {
    Nan,
    Infinity(bool),
    Zero(bool),
    One(bool),
}

use Point::{Infinity, Nan, One as Unit, Zero as Null};

/// Results come as they are, with the error that [`nearest`] allows for: the library's own rounding does
/// not end on exact results.
const MODE: RoundingMode = RoundingMode::None;

fn no_limit(_: FloatFormat) -> Option<u64> {
    None
}

fn far(_: FloatFormat) -> Option<u64> {
    Some(FAR)
}

/// The definition of an operation; `None` for those that are no elementary functions.
fn function(op: UnaryOp) -> Option<Function> {
    let define = |special, positive_only, limit, real| Function {
        special,
        positive_only,
        limit,
        real,
    };
    let odd = [Infinity(true), Null(true), Null(false), Infinity(false)];
    let wave = [Nan, Null(true), Null(false), Nan];
    let growth = [Null(false), Unit(false), Unit(false), Infinity(false)];
    let logarithm = [Nan, Infinity(true), Infinity(true), Infinity(false)];
    let step = [Unit(true), Null(true), Null(false), Unit(false)];
    Some(match op {
        UnaryOp::Exp => define(growth, false, far, |x, p, c| x.exp(p, MODE, c)),
        UnaryOp::Exp2 => define(growth, false, far, |x, p, c| {
            BigFloat::from_word(2, p).pow(x, p, MODE, c)
        }),
        UnaryOp::Log => define(logarithm, true, no_limit, |x, p, c| x.ln(p, MODE, c)),
        UnaryOp::Log2 => define(logarithm, true, no_limit, |x, p, c| x.log2(p, MODE, c)),
        UnaryOp::Sin => define(wave, false, no_limit, |x, p, c| x.sin(p, MODE, c)),
        UnaryOp::Cos => define(
            [Nan, Unit(false), Unit(false), Nan],
            false,
            no_limit,
            |x, p, c| x.cos(p, MODE, c),
        ),
        UnaryOp::Tan => define(wave, false, no_limit, |x, p, c| x.tan(p, MODE, c)),
        UnaryOp::Sinh => define(odd, false, far, |x, p, c| x.sinh(p, MODE, c)),
        UnaryOp::Cosh => define(
            [Infinity(false), Unit(false), Unit(false), Infinity(false)],
            false,
            far,
            |x, p, c| x.cosh(p, MODE, c),
        ),
        // 1 - tanh x < 2 exp(-2x), and erfc x < exp(-x^2) for x > 1: below a quarter ulp of 1.
        UnaryOp::Tanh => define(
            step,
            false,
            |f| Some(u64::from(f.frac) + 3),
            |x, p, c| x.tanh(p, MODE, c),
        ),
        UnaryOp::Erf => define(
            step,
            false,
            |f| Some(u64::from(f.frac + 3).isqrt() + 1),
            erf,
        ),
        UnaryOp::Rsqrt => define(
            [Nan, Infinity(true), Infinity(false), Null(false)],
            true,
            no_limit,
            |x, p, _| x.sqrt(p + 64, MODE).reciprocal(p, MODE),
        ),
        _ => return None,
    })
}

/// `op a`, correctly rounded; `None` for what is no elementary function.
pub fn unary(f: FloatFormat, op: UnaryOp, a: u128) -> Option<u128> {
    let function = function(op)?;
    let at = |point: Point| match point {
        Nan => nan(f),
        Infinity(negative) => infinity(f, negative),
        Null(negative) => zero(f, negative),
        Unit(negative) => one(f, negative),
    };
    Some(match unpack(f, a) {
        Unpacked::Nan => nan(f),
        Unpacked::Infinite(negative) => at(function.special[if negative { 0 } else { 3 }]),
        Unpacked::Finite(x) if x.mantissa.is_zero() => {
            at(function.special[if x.negative { 1 } else { 2 }])
        }
        Unpacked::Finite(x) if x.negative && function.positive_only => nan(f),
        Unpacked::Finite(x) if (function.limit)(f).is_some_and(|limit| at_least(&x, limit)) => {
            at(function.special[if x.negative { 0 } else { 3 }])
        }
        Unpacked::Finite(x) => {
            let x = real(&x);
            nearest(f, |p, constants| (function.real)(&x, p, constants))
        }
    })
}

fn one(f: FloatFormat, negative: bool) -> u128 {
    let exact = Exact {
        negative,
        mantissa: BigUint::one(),
        exponent: 0,
    };
    round(f, &exact, false)
}

/// Whether `|x| >= limit`.
fn at_least(x: &Exact, limit: u64) -> bool {
    let size = match u64::try_from(x.exponent) {
        // Formats have exponents of up to 2^14: the shift is small enough to be made.
        Ok(up) => &x.mantissa << up,
        Err(_) => &x.mantissa >> x.exponent.unsigned_abs(),
    };
    size >= BigUint::from(limit)
}

/// A number other than zero, exactly.
fn real(x: &Exact) -> BigFloat {
    let bytes = x.mantissa.to_bytes_le();
    let words: Vec<Word> = bytes
        .chunks(size_of::<Word>())
        .map(|chunk| {
            chunk
                .iter()
                .rev()
                .fold(0, |word, byte| (word << 8) | Word::from(*byte))
        })
        .collect();
    let sign = if x.negative { Sign::Neg } else { Sign::Pos };
    // The library's mantissa is a fraction of whole words.
    let exponent = x.exponent + (words.len() * WORD_BIT_SIZE) as i64;
    BigFloat::from_words(&words, sign, exponent as i32)
}

/// The float nearest to a real other than zero, which `compute` gives to any precision, with an error of
/// far less than 2^[`GUARD`] units in the last place.
fn nearest(f: FloatFormat, compute: impl Fn(usize, &mut Consts) -> BigFloat) -> u128 {
    let mut precision = (f.frac as usize + 32).next_multiple_of(WORD_BIT_SIZE);
    loop {
        let value = CONSTANTS.with_borrow_mut(|constants| match constants {
            Some(constants) => compute(precision + GUARD, constants),
            None => BigFloat::nan(None),
        });
        let Some(middle) = exact(&value, precision + GUARD) else {
            return match (value.is_nan(), value.is_zero()) {
                (true, _) => nan(f),
                (false, true) => zero(f, value.is_negative()),
                (false, false) => infinity(f, value.is_negative()),
            };
        };
        let moved = |mantissa: BigUint| {
            let exact = Exact {
                mantissa,
                ..middle.clone()
            };
            round(f, &exact, false)
        };
        let margin = &middle.mantissa >> (precision - 1);
        let low = moved(&middle.mantissa - &margin);
        if low == moved(&middle.mantissa + &margin) {
            return low;
        }
        if precision >= EXACT {
            // Halfway, but for the error of the computation, which the margin covers.
            let place = margin.bits() + 1;
            let nearest = (&middle.mantissa + (BigUint::one() << (place - 1))) >> place;
            return moved(nearest << place);
        }
        precision *= 2;
    }
}

/// A finite value other than zero, its mantissa of `precision` bits or more.
fn exact(value: &BigFloat, precision: usize) -> Option<Exact> {
    let (words, _, sign, exponent, _) = value.as_raw_parts().filter(|_| !value.is_zero())?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let bits = words.len() * WORD_BIT_SIZE;
    let up = precision.saturating_sub(bits);
    Some(Exact {
        negative: sign == Sign::Neg,
        mantissa: BigUint::from_bytes_le(&bytes) << up,
        exponent: i64::from(exponent) - (bits + up) as i64,
    })
}

/// `erf x = 2/sqrt(pi) exp(-x^2) sum of 2^n x^(2n+1) / (2n+1)!!` (Abramowitz and Stegun 7.1.6): all
/// terms have one sign, so that nothing cancels.
fn erf(x: &BigFloat, p: usize, constants: &mut Consts) -> BigFloat {
    let wide = p + 64;
    let square = x.mul(x, wide, MODE);
    let twice = square.mul(&BigFloat::from_word(2, 64), wide, MODE);
    let (mut term, mut sum) = (x.clone(), x.clone());
    let mut odd: Word = 1;
    loop {
        odd += 2;
        let next = BigFloat::from_word(odd, 64);
        term = term.mul(&twice, wide, MODE).div(&next, wide, MODE);
        sum = sum.add(&term, wide, MODE);
        let (Some(size), Some(least)) = (term.exponent(), sum.exponent()) else {
            break;
        };
        // Terms fall by half at least from where 2n + 1 > 4 x^2.
        let falling =
            BigFloat::from_word(odd, 64) > twice.mul(&BigFloat::from_word(2, 64), 64, MODE);
        if falling && i64::from(size) < i64::from(least) - wide as i64 {
            break;
        }
    }
    let pi = constants.pi(wide, MODE);
    square
        .neg()
        .exp(wide, MODE, constants)
        .mul(&sum, wide, MODE)
        .mul(&BigFloat::from_word(2, 64), wide, MODE)
        .div(&pi.sqrt(wide, MODE), p, MODE)
}

/// `a ** b`, correctly rounded: IEEE 754's `pow`.
pub fn power(f: FloatFormat, a: u128, b: u128) -> u128 {
    let unit = one(f, false);
    let (x, y) = (unpack(f, a), unpack(f, b));
    if a == unit || matches!(&y, Unpacked::Finite(y) if y.mantissa.is_zero()) {
        return unit;
    }
    if is_nan(f, a) || is_nan(f, b) {
        return nan(f);
    }
    let negative =
        matches!(&x, Unpacked::Infinite(true)) || matches!(&x, Unpacked::Finite(x) if x.negative);
    let whole = to_integral(f, Rounding::Zero, b) == b;
    let flips = negative && !is_infinite(f, b) && whole && is_odd(&y);
    // The result at the limits, by whether the power grows.
    let limit = |grows: bool| match grows {
        true => infinity(f, flips),
        false => zero(f, flips),
    };
    let (x, y) = match (x, y) {
        (Unpacked::Finite(x), Unpacked::Finite(y)) if !x.mantissa.is_zero() => (x, y),
        (Unpacked::Finite(x), Unpacked::Infinite(down)) => {
            let size = real_or_zero(&Exact {
                negative: false,
                ..x
            });
            return match size.partial_cmp(&BigFloat::from_word(1, 64)) {
                Some(order) if order.is_eq() => unit,
                order => limit(order.is_some_and(std::cmp::Ordering::is_gt) != down),
            };
        }
        (Unpacked::Infinite(_), Unpacked::Infinite(down)) => return limit(!down),
        (Unpacked::Infinite(_), Unpacked::Finite(y)) => return limit(!y.negative),
        (_, Unpacked::Finite(y)) => return limit(y.negative),
        _ => return nan(f),
    };
    if negative && !whole {
        return nan(f);
    }
    let base = real(&Exact {
        negative: false,
        ..x
    });
    let exponent = real(&y);
    let size = CONSTANTS.with_borrow_mut(|constants| match constants {
        Some(constants) => base.log2(64, MODE, constants).mul(&exponent, 64, MODE),
        None => BigFloat::nan(None),
    });
    if size.abs() > BigFloat::from_word(FAR as Word, 64) {
        return limit(size.is_positive());
    }
    let result = nearest(f, |p, constants| base.pow(&exponent, p, MODE, constants));
    result | zero(f, flips)
}

fn real_or_zero(x: &Exact) -> BigFloat {
    match x.mantissa.is_zero() {
        true => BigFloat::from_word(0, 64),
        false => real(x),
    }
}

/// Whether a finite number is an odd integer.
fn is_odd(x: &Unpacked) -> bool {
    match x {
        Unpacked::Finite(x) => x
            .mantissa
            .trailing_zeros()
            .is_some_and(|zeros| x.exponent.checked_add_unsigned(zeros) == Some(0)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Scalar;
    use crate::sim::formats;

    const F64: FloatFormat = FloatFormat::F64;

    fn convert(from: FloatFormat, to: FloatFormat, bits: u128) -> u128 {
        formats::convert(Scalar::Float(from), Scalar::Float(to), bits)
    }

    type Host = fn(f64) -> f64;

    /// Functions that the machine has, each off by less than two units of an f64.
    const HOST: [(UnaryOp, Host); 11] = [
        (UnaryOp::Exp, f64::exp),
        (UnaryOp::Exp2, f64::exp2),
        (UnaryOp::Log, f64::ln),
        (UnaryOp::Log2, f64::log2),
        (UnaryOp::Sin, f64::sin),
        (UnaryOp::Cos, f64::cos),
        (UnaryOp::Tan, f64::tan),
        (UnaryOp::Sinh, f64::sinh),
        (UnaryOp::Cosh, f64::cosh),
        (UnaryOp::Tanh, f64::tanh),
        (UnaryOp::Rsqrt, |x| 1.0 / x.sqrt()),
    ];

    fn host(f: FloatFormat, bits: u128) -> f64 {
        f64::from_bits(convert(f, F64, bits) as u64)
    }

    /// The results in `f` that an f64 within two units of the truth allows.
    fn allowed(f: FloatFormat, near: f64) -> [u128; 2] {
        [near.next_down().next_down(), near.next_up().next_up()]
            .map(|x| convert(F64, f, u128::from(x.to_bits())))
    }

    #[test]
    fn every_f16_and_bf16_agrees_with_the_machine() {
        std::thread::scope(|scope| {
            for f in [FloatFormat::F16, FloatFormat::BF16] {
                for (op, function) in HOST {
                    scope.spawn(move || {
                        // A prime step in debug builds: a twentieth of the values, of every binade.
                        for bits in (0..0x1_0000).step_by(19) {
                            let near = function(host(f, bits));
                            let got = unary(f, op, bits).expect("a function");
                            if near == 0.0 || !near.is_finite() {
                                let want = convert(F64, f, u128::from(near.to_bits()));
                                assert_eq!(got, want, "{f} {op:?} {bits:#x}");
                            } else {
                                let allowed = allowed(f, near);
                                assert!(allowed.contains(&got), "{f} {op:?} {bits:#x}");
                            }
                        }
                    });
                }
            }
        });
    }

    #[test]
    fn random_f32_and_f64_agree_with_the_machine() {
        let mut rng = crate::sim::vectors::Rng::new(5);
        for (op, function) in HOST {
            for _ in 0..200 {
                let bits = u128::from(rng.next() as u32);
                let x = host(FloatFormat::F32, bits);
                let near = function(x);
                if near.is_finite() && near != 0.0 {
                    let got = unary(FloatFormat::F32, op, bits).expect("a function");
                    let allowed = allowed(FloatFormat::F32, near);
                    assert!(allowed.contains(&got), "f32 {op:?} {bits:#x}");
                    let got = unary(F64, op, u128::from(x.to_bits())).expect("a function");
                    let got = f64::from_bits(got as u64);
                    let most = 2.0 * (near.next_up() - near).abs();
                    assert!(
                        (got - near).abs() <= most,
                        "f64 {op:?} {x:e}: {got:e} {near:e}"
                    );
                }
            }
        }
    }

    /// Arguments that are hard in some way, with the results of MPFR 4.2.2.
    #[test]
    fn hard_f64_arguments_agree_with_mpfr() {
        let unaries = [
            (UnaryOp::Exp, 0xc08748cccccccccd, 0x0000000000000001),
            (UnaryOp::Exp, 0x01a56e1fc2f8f359, 0x3ff0000000000000),
            (UnaryOp::Exp, 0x3fe0000000000000, 0x3ffa61298e1e069c),
            (UnaryOp::Exp2, 0xc090ca0000000000, 0x0000000000000001),
            (UnaryOp::Exp2, 0xc08ff26666666666, 0x000cfefc5e672a12),
            (UnaryOp::Log, 0x0000000000000001, 0xc0874385446d71c3),
            (UnaryOp::Log, 0x3ff0000000000001, 0x3cafffffffffffff),
            (UnaryOp::Log2, 0x3fb999999999999a, 0xc00a934f0979a371),
            (UnaryOp::Sin, 0x4480f0cf064dd592, 0xbfeb453ab76bf397),
            (UnaryOp::Sin, 0x400921fb54442d18, 0x3ca1a62633145c07),
            (UnaryOp::Sin, 0x0000000000000001, 0x0000000000000001),
            (UnaryOp::Cos, 0x7e37e43c8800759c, 0xbfe2699022adc4c1),
            (UnaryOp::Cos, 0x3ff921fb54442d18, 0x3c91a62633145c07),
            (UnaryOp::Tan, 0x4480f0cf064dd592, 0xbffa0f79c1b6b257),
            (UnaryOp::Sinh, 0x3ddb7cdfd9d7bdbb, 0x3ddb7cdfd9d7bdbb),
            (UnaryOp::Sinh, 0x4086333333333333, 0x7feda98a7371610b),
            (UnaryOp::Cosh, 0xc086333333333333, 0x7feda98a7371610b),
            (UnaryOp::Tanh, 0x4033000000000000, 0x3fefffffffffffff),
            (UnaryOp::Tanh, 0x3ee4f8b588e368f1, 0x3ee4f8b588e06854),
            (UnaryOp::Erf, 0x401799999999999a, 0x3fefffffffffffff),
            (UnaryOp::Erf, 0x000012688b70e62b, 0x000014c5898977c4),
            (UnaryOp::Erf, 0xbfe6666666666666, 0xbfe5b08c21171646),
            (UnaryOp::Erf, 0x4004000000000000, 0x3feffcaa8f4c9bea),
            (UnaryOp::Rsqrt, 0x0000000000000001, 0x6180000000000000),
            (UnaryOp::Rsqrt, 0x4008000000000000, 0x3fe279a74590331c),
        ];
        for (op, argument, result) in unaries {
            assert_eq!(
                unary(F64, op, argument),
                Some(result),
                "{op:?} {argument:#x}"
            );
        }
        let powers = [
            (0x3ff0000000000001, 0x43abc16d674ec800, 0x53f44a12826f5073),
            (0x3fe0000000000000, 0x4090c9999999999a, 0x0000000000000001),
            (0xc008000000000000, 0xc01c000000000000, 0xbf3df75680feb65f),
            (0x4024000000000000, 0xc074000000000000, 0x00000000000007e8),
            (0x00000000000007e8, 0x3fd3333333333333, 0x2c01167ca180f507),
            (0x4000000000000000, 0x3fe0000000000000, 0x3ff6a09e667f3bcd),
            (0x4010000000000000, 0x3fe0000000000000, 0x4000000000000000),
            (0x4196a09e6c000000, 0x4000000000000000, 0x4340000007c84bec),
            (0xc020000000000000, 0x3fd5555555555555, 0x7ff8000000000000),
        ];
        for (base, exponent, result) in powers {
            assert_eq!(
                power(F64, base, exponent),
                result,
                "{base:#x} ** {exponent:#x}"
            );
        }
    }

    #[test]
    fn exact_powers_and_those_half_way_between_two_floats() {
        let f = FloatFormat::F32;
        for odd in (0x80_0001..0xff_ffffu32).step_by(2 * 4099) {
            let x = odd as f32;
            let square = u128::from((x * x).to_bits());
            assert_eq!(power(f, x.to_bits().into(), 2f32.to_bits().into()), square);
        }
        // 4097^2 has 25 bits: half way between two floats, as many of the next are.
        for odd in (4097..5793u32).step_by(2) {
            let x = odd as f32;
            let square = u128::from((x * x).to_bits());
            assert_eq!(power(f, x.to_bits().into(), 2f32.to_bits().into()), square);
        }
        assert_eq!(
            unary(F64, UnaryOp::Exp2, (-1075f64).to_bits().into()),
            Some(0)
        );
    }

    /// These are computed by a logarithm, with an error on either side.
    #[test]
    fn cubes_half_way_between_two_floats_round_to_even() {
        let f = FloatFormat::F16;
        for odd in [13u32, 15] {
            // 12 bits, of which the last is half a unit; below 4096.
            let cube = u128::from(odd.pow(3));
            let (low, high) = ((cube - 1) / 2, cube.div_ceil(2));
            let even = if low % 2 == 0 { low } else { high };
            let whole = |n: u128| formats::from_int(Scalar::Float(f), n.into());
            let want = formats::from_int(Scalar::Float(f), (2 * even).into());
            assert_eq!(power(f, whole(odd.into()), whole(3)), want, "{odd}");
        }
    }

    #[test]
    fn special_powers() {
        let f = F64;
        let inf = f64::INFINITY;
        let table = [
            (f64::NAN, 0.0, 1.0),
            (1.0, f64::NAN, 1.0),
            (-1.0, inf, 1.0),
            (0.5, inf, 0.0),
            (0.5, -inf, inf),
            (-2.0, inf, inf),
            (-inf, -3.0, -0.0),
            (-inf, 3.0, -inf),
            (-inf, 2.5, inf),
            (inf, -0.5, 0.0),
            (-0.0, -3.0, -inf),
            (-0.0, -2.0, inf),
            (-0.0, 5.0, -0.0),
            (-0.0, 0.5, 0.0),
            (-0.0, inf, 0.0),
            (0.0, -inf, inf),
            (1e300, 1e300, inf),
            (-1e300, -1e300, 0.0),
        ];
        for (x, y, result) in table {
            let bits = |v: f64| u128::from(v.to_bits());
            assert_eq!(power(f, bits(x), bits(y)), bits(result), "{x} ** {y}");
        }
        assert_eq!(
            power(f, (-2f64).to_bits().into(), 0.5f64.to_bits().into()),
            nan(f)
        );
    }
}
