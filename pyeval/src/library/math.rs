//! The module `math`.

use crate::arithmetic::MAX_INT_BITS;
use crate::containers::charged;
use crate::convert::{int_of, int_of_float, to_float};
use crate::error::Exception::{OverflowError, ValueError};
use crate::error::{Limit, Problem, fail};
use crate::native::{native, variadic};
use crate::numbers::{f64_from_int, f64_from_ratio};
use crate::operators::binary;
use crate::value::{Call, Native, Result, Value};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use ruff_python_ast::Operator;

/// Constants of `math`.
pub const CONSTANTS: &[(&str, f64)] = &[
    ("pi", std::f64::consts::PI),
    ("e", std::f64::consts::E),
    ("tau", std::f64::consts::TAU),
    ("inf", f64::INFINITY),
    ("nan", f64::NAN),
];

/// A function of floats that is not defined where it gives a NaN for a number.
fn real(c: &mut Call, f: fn(f64) -> f64) -> Result<Value> {
    let x = c.float(0)?;
    let y = f(x);
    if y.is_nan() && !x.is_nan() {
        return c.raise(ValueError, "math domain error");
    }
    if y.is_infinite() && x.is_finite() {
        return c.raise(OverflowError, "math range error");
    }
    Ok(Value::Float(y))
}

fn logarithm(c: &mut Call, f: fn(f64) -> f64) -> Result<Value> {
    let x = c.float(0)?;
    if x <= 0.0 {
        return c.raise(ValueError, "math domain error");
    }
    Ok(Value::Float(f(x)))
}

/// Functions of `math`.
pub static MATH: &[Native] = &[
    native("sqrt", &["x"], 1, |c| real(c, f64::sqrt)),
    native("cbrt", &["x"], 1, |c| real(c, pxfm::f_cbrt)),
    native("exp", &["x"], 1, |c| real(c, pxfm::f_exp)),
    native("exp2", &["x"], 1, |c| real(c, pxfm::f_exp2)),
    native("expm1", &["x"], 1, |c| real(c, pxfm::f_expm1)),
    native("log", &["x", "base"], 1, log),
    native("log2", &["x"], 1, |c| logarithm(c, pxfm::f_log2)),
    native("log10", &["x"], 1, |c| logarithm(c, pxfm::f_log10)),
    native("log1p", &["x"], 1, |c| real(c, pxfm::f_log1p)),
    native("sin", &["x"], 1, |c| real(c, pxfm::f_sin)),
    native("cos", &["x"], 1, |c| real(c, pxfm::f_cos)),
    native("tan", &["x"], 1, |c| real(c, pxfm::f_tan)),
    native("asin", &["x"], 1, |c| real(c, pxfm::f_asin)),
    native("acos", &["x"], 1, |c| real(c, pxfm::f_acos)),
    native("atan", &["x"], 1, |c| real(c, pxfm::f_atan)),
    native("sinh", &["x"], 1, |c| real(c, pxfm::f_sinh)),
    native("cosh", &["x"], 1, |c| real(c, pxfm::f_cosh)),
    native("tanh", &["x"], 1, |c| real(c, pxfm::f_tanh)),
    native("asinh", &["x"], 1, |c| real(c, pxfm::f_asinh)),
    native("acosh", &["x"], 1, |c| real(c, pxfm::f_acosh)),
    native("atanh", &["x"], 1, |c| real(c, pxfm::f_atanh)),
    native("fabs", &["x"], 1, |c| real(c, f64::abs)),
    native("radians", &["x"], 1, |c| {
        real(c, |x| x * (std::f64::consts::PI / 180.0))
    }),
    native("degrees", &["x"], 1, |c| {
        real(c, |x| x * (180.0 / std::f64::consts::PI))
    }),
    native("atan2", &["y", "x"], 2, |c| {
        Ok(Value::Float(pxfm::f_atan2(c.float(0)?, c.float(1)?)))
    }),
    native("hypot", &["x", "y"], 2, |c| {
        Ok(Value::Float(libm::hypot(c.float(0)?, c.float(1)?)))
    }),
    native("copysign", &["x", "y"], 2, |c| {
        Ok(Value::Float(c.float(0)?.copysign(c.float(1)?)))
    }),
    native("fmod", &["x", "y"], 2, fmod),
    native("pow", &["x", "y"], 2, power),
    native("ldexp", &["x", "i"], 2, ldexp),
    native("frexp", &["x"], 1, frexp),
    native("modf", &["x"], 1, |c| {
        let x = c.float(0)?;
        let fraction = if x.is_infinite() { 0.0 } else { x.fract() };
        let parts = [fraction.copysign(x), x.trunc()];
        Ok(Value::tuple(parts.map(Value::Float).to_vec()))
    }),
    native("floor", &["x"], 1, |c| whole(c, f64::floor)),
    native("ceil", &["x"], 1, |c| whole(c, f64::ceil)),
    native("trunc", &["x"], 1, |c| whole(c, f64::trunc)),
    native("isnan", &["x"], 1, |c| {
        Ok(Value::Bool(c.float(0)?.is_nan()))
    }),
    native("isinf", &["x"], 1, |c| {
        Ok(Value::Bool(c.float(0)?.is_infinite()))
    }),
    native("isfinite", &["x"], 1, |c| {
        Ok(Value::Bool(c.float(0)?.is_finite()))
    }),
    native("isclose", &["a", "b", "*rel_tol", "*abs_tol"], 2, isclose),
    native("isqrt", &["n"], 1, |c| match c.int(0)? {
        n if n.is_negative() => c.raise(ValueError, "isqrt of a negative int"),
        n => Ok(Value::Int(n.sqrt())),
    }),
    native("factorial", &["n"], 1, factorial),
    native("comb", &["n", "k"], 2, |c| choose(c, true)),
    native("perm", &["n", "k"], 2, |c| choose(c, false)),
    variadic("gcd", &[], |c| {
        reduce_ints(c, BigInt::zero(), |a, b| a.gcd(b))
    }),
    variadic("lcm", &[], |c| {
        reduce_ints(c, BigInt::one(), |a, b| a.lcm(b))
    }),
    native("prod", &["iterable", "*start"], 1, prod),
    native("fsum", &["iterable"], 1, fsum),
];

fn log(c: &mut Call) -> Result<Value> {
    let x = match c.arg(0).as_int() {
        // Beyond the range of floats.
        Some(v) if v.is_positive() && v.bits() > 1000 => {
            let shift = v.bits() - 64;
            let top: BigInt = v >> shift;
            let top = f64_from_int(&top);
            pxfm::f_log(top) + shift as f64 * std::f64::consts::LN_2
        }
        _ => match logarithm(c, pxfm::f_log)? {
            Value::Float(x) => x,
            _ => 0.0,
        },
    };
    match c.opt(1) {
        None => Ok(Value::Float(x)),
        Some(_) => match c.float(1)? {
            base if base > 0.0 && base != 1.0 => Ok(Value::Float(x / pxfm::f_log(base))),
            _ => c.raise(ValueError, "math domain error"),
        },
    }
}

fn fmod(c: &mut Call) -> Result<Value> {
    let (x, y) = (c.float(0)?, c.float(1)?);
    if y == 0.0 || x.is_infinite() {
        return c.raise(ValueError, "math domain error");
    }
    Ok(Value::Float(x % y))
}

fn power(c: &mut Call) -> Result<Value> {
    let (x, y) = (c.float(0)?, c.float(1)?);
    let result = pxfm::f_pow(x, y);
    if result.is_nan() && !x.is_nan() && !y.is_nan() || x == 0.0 && y < 0.0 {
        return c.raise(ValueError, "math domain error");
    }
    if result.is_infinite() && x.is_finite() && y.is_finite() {
        return c.raise(OverflowError, "math range error");
    }
    Ok(Value::Float(result))
}

fn ldexp(c: &mut Call) -> Result<Value> {
    let (mut x, mut n) = (c.float(0)?, c.index(1)?.clamp(-5000, 5000));
    // In steps that stay in range; only the last one can round.
    while n > 0 {
        let step = n.min(1000);
        x *= 2f64.powi(step as i32);
        n -= step;
    }
    if n < 0 && x != 0.0 && x.is_finite() {
        let exponent = ((x.to_bits() >> 52) & 0x7ff) as i64 - 1023;
        // As far as the result stays normal, exactly; then once with rounding.
        let exact = n.max(-1000 - exponent).min(0);
        for part in [exact / 2, exact - exact / 2] {
            x *= 2f64.powi(part as i32);
        }
        n -= exact;
        x *= 2f64.powi(n.max(-1000) as i32);
    }
    if x.is_infinite() && c.float(0)?.is_finite() {
        return c.raise(OverflowError, "math range error");
    }
    Ok(Value::Float(x))
}

fn frexp(c: &mut Call) -> Result<Value> {
    let x = c.float(0)?;
    let (mut mantissa, mut exponent) = (x, 0i64);
    if x != 0.0 && x.is_finite() {
        while mantissa.abs() >= 1.0 {
            mantissa /= 2.0;
            exponent += 1;
        }
        while mantissa.abs() < 0.5 {
            mantissa *= 2.0;
            exponent -= 1;
        }
    }
    Ok(Value::tuple(vec![
        Value::Float(mantissa),
        Value::int(exponent),
    ]))
}

fn whole(c: &mut Call, f: fn(f64) -> f64) -> Result<Value> {
    if let Some(v) = c.arg(0).as_int() {
        return Ok(Value::Int(v));
    }
    let v = f(c.float(0)?);
    Ok(Value::Int(int_of_float(v, c.span)?))
}

fn isclose(c: &mut Call) -> Result<Value> {
    let (a, b) = (c.float(0)?, c.float(1)?);
    let or = |c: &Call, i: usize, default: f64| match c.opt(i) {
        None => Ok(default),
        Some(_) => c.float(i),
    };
    let (relative, absolute) = (or(c, 2, 1e-9)?, or(c, 3, 0.0)?);
    let bound = (relative * a.abs().max(b.abs())).max(absolute);
    let finite = a.is_finite() && b.is_finite();
    Ok(Value::Bool(a == b || finite && (a - b).abs() <= bound))
}

/// A product of ints that stays within the bound on ints.
fn product(c: &mut Call, factors: impl Iterator<Item = BigInt>) -> Result<BigInt> {
    let mut product = BigInt::one();
    for factor in factors {
        c.names.tick(c.span, 1 + product.bits() / 512)?;
        product *= factor;
        if product.bits() > MAX_INT_BITS {
            return fail(c.span, Limit::Int);
        }
    }
    Ok(product)
}

fn factorial(c: &mut Call) -> Result<Value> {
    let n = c.index(0)?;
    if n < 0 {
        return c.raise(ValueError, "factorial of a negative int");
    }
    Ok(Value::Int(product(c, (1..=n).map(BigInt::from))?))
}

fn choose(c: &mut Call, unordered: bool) -> Result<Value> {
    let (n, k) = (c.index(0)?, c.index(1)?);
    if n < 0 || k < 0 {
        return c.raise(ValueError, "the ints must not be negative");
    }
    if k > n {
        return Ok(Value::int(0));
    }
    let k = if unordered { k.min(n - k) } else { k };
    let top = product(c, (n - k + 1..=n).map(BigInt::from))?;
    if !unordered {
        return Ok(Value::Int(top));
    }
    Ok(Value::Int(top / product(c, (1..=k).map(BigInt::from))?))
}

fn reduce_ints(c: &mut Call, start: BigInt, f: fn(&BigInt, &BigInt) -> BigInt) -> Result<Value> {
    let mut total = start;
    for value in std::mem::take(&mut c.rest) {
        let value = int_of(&value, c.span)?;
        let words = 1 + (total.bits() + value.bits()) / 64;
        c.names.tick(c.span, words * words / 16)?;
        total = f(&total, &value).abs();
    }
    charged(Value::Int(total), c.span, c.names)
}

fn prod(c: &mut Call) -> Result<Value> {
    let mut total = c.opt(1).cloned().unwrap_or(Value::int(1));
    for item in c.items(0)? {
        total = binary(Operator::Mult, total, item, c.span, c.names)?;
    }
    Ok(total)
}

/// The exact sum, rounded once: over integers scaled by the least power of two.
fn fsum(c: &mut Call) -> Result<Value> {
    const LEAST: u32 = 1074;
    let mut total = BigInt::zero();
    for item in c.items(0)? {
        let v = to_float(&item, c.span)?;
        c.names.tick(c.span, 16)?;
        let Some((mantissa, exponent)) = parts(v) else {
            let text = "fsum of an infinity or NaN";
            return fail(c.span, Problem::Unsupported(text.into()));
        };
        total += BigInt::from(mantissa) << (exponent + LEAST as i32).unsigned_abs();
    }
    let unit = BigInt::one() << LEAST;
    Ok(Value::Float(f64_from_ratio(&total, &unit)))
}

/// A finite float as an integer and a power of two.
fn parts(v: f64) -> Option<(i64, i32)> {
    let bits = v.to_bits();
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (magnitude, exponent) = match (bits >> 52) & 0x7ff {
        0x7ff => return None,
        0 => (fraction, -1074),
        field => (fraction | 1 << 52, field as i32 - 1075),
    };
    Some((if v < 0.0 { -magnitude } else { magnitude }, exponent))
}
