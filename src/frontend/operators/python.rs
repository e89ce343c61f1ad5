//! The folds: Python's own semantics on compile-time values.

use crate::frontend::classes::Class;
use crate::frontend::containers::Fuel;
use crate::frontend::literals::{f64_from_int, f64_from_ratio};
use crate::frontend::values::ConstValue;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};
use std::cmp::Ordering;
use std::rc::Rc;

/// Result of a fold.
pub type Folded = Result<Option<ConstValue>, String>;

/// Most bits of a compile-time int, and most elements of a sequence made by repetition.
pub const MAX_INT_BITS: u64 = 1 << 17;

enum Pair {
    Ints(BigInt, BigInt),
    Floats(f64, f64),
}

fn to_f64(value: &ConstValue) -> Option<f64> {
    match value {
        ConstValue::Float(v) => Some(*v),
        other => other.as_int().map(|v| f64_from_int(&v)),
    }
}

fn pair(args: &[ConstValue]) -> Option<Pair> {
    let [a, b] = args else { return None };
    if let (Some(x), Some(y)) = (a.as_int(), b.as_int()) {
        return Some(Pair::Ints(x, y));
    }
    Some(Pair::Floats(to_f64(a)?, to_f64(b)?))
}

/// An int has no float of its size.
pub const TOO_LARGE: &str = "the int is too large for a float";

/// The operands of an arithmetic operator.
fn numbers(args: &[ConstValue], symbol: &str) -> Result<Pair, String> {
    let found = pair(args).ok_or_else(|| unsupported(symbol, args))?;
    if let Pair::Floats(a, b) = found {
        let overflows = |v: f64, arg: &ConstValue| v.is_infinite() && arg.as_int().is_some();
        if overflows(a, &args[0]) || overflows(b, &args[1]) {
            return Err(TOO_LARGE.into());
        }
    }
    Ok(found)
}

fn unsupported(symbol: &str, args: &[ConstValue]) -> String {
    let kinds: Vec<&str> = args.iter().map(ConstValue::kind).collect();
    format!(
        "unsupported operands of '{symbol}': {}",
        kinds.join(" and ")
    )
}

fn int(value: BigInt) -> Folded {
    if value.bits() > MAX_INT_BITS {
        return Err("a compile-time int exceeds 131072 bits".into());
    }
    Ok(Some(ConstValue::Int(value)))
}

fn real(value: f64) -> Folded {
    Ok(Some(ConstValue::Float(value)))
}

/// Declines always.
pub fn no_fold(_: &[ConstValue]) -> Folded {
    Ok(None)
}

/// `a + b`, also of sequences of one kind.
pub fn add(args: &[ConstValue]) -> Folded {
    match args {
        [ConstValue::Str(a), ConstValue::Str(b)] => {
            bounded(a.len() + b.len())?;
            Ok(Some(ConstValue::Str(format!("{a}{b}").into())))
        }
        [ConstValue::Tuple(a), ConstValue::Tuple(b)] => Ok(Some(ConstValue::Tuple(concat(a, b)?))),
        [ConstValue::List(a), ConstValue::List(b)] => {
            Ok(Some(ConstValue::list(concat(&a.get(), &b.get())?.to_vec())))
        }
        _ => match numbers(args, "+")? {
            Pair::Ints(a, b) => int(a + b),
            Pair::Floats(a, b) => real(a + b),
        },
    }
}

fn bounded(len: usize) -> Result<(), String> {
    if len as u64 > MAX_INT_BITS {
        return Err("a compile-time sequence exceeds 131072 elements".into());
    }
    Ok(())
}

fn concat(a: &[ConstValue], b: &[ConstValue]) -> Result<Rc<[ConstValue]>, String> {
    bounded(a.len() + b.len())?;
    Ok(a.iter().chain(b).cloned().collect())
}

/// `a - b`.
pub fn sub(args: &[ConstValue]) -> Folded {
    match numbers(args, "-")? {
        Pair::Ints(a, b) => int(a - b),
        Pair::Floats(a, b) => real(a - b),
    }
}

/// `a * b`, also sequence repetition.
pub fn mul(args: &[ConstValue]) -> Folded {
    match args {
        [ConstValue::List(items), n] | [n, ConstValue::List(items)] => {
            Ok(Some(ConstValue::list(repeat(&items.get(), n)?.to_vec())))
        }
        [ConstValue::Tuple(items), n] | [n, ConstValue::Tuple(items)] => {
            Ok(Some(ConstValue::Tuple(repeat(items, n)?)))
        }
        _ => match numbers(args, "*")? {
            Pair::Ints(a, b) => {
                if a.bits() + b.bits() > 2 * MAX_INT_BITS {
                    return Err("a compile-time int exceeds 131072 bits".into());
                }
                int(a * b)
            }
            Pair::Floats(a, b) => real(a * b),
        },
    }
}

fn repeat(items: &[ConstValue], count: &ConstValue) -> Result<Rc<[ConstValue]>, String> {
    let count = count
        .as_int()
        .ok_or("a sequence is repeated an int number of times")?;
    let count = if count.is_negative() {
        0
    } else {
        count.to_usize().unwrap_or(usize::MAX)
    };
    bounded(items.len().saturating_mul(count))?;
    Ok(items
        .iter()
        .cycle()
        .take(items.len() * count)
        .cloned()
        .collect())
}

const DIVISION: &str = "division by zero";

/// `a / b`: always a float.
pub fn div(args: &[ConstValue]) -> Folded {
    match numbers(args, "/")? {
        Pair::Ints(_, b) if b.is_zero() => Err(DIVISION.into()),
        Pair::Ints(a, b) => real(f64_from_ratio(&a, &b)),
        Pair::Floats(_, 0.0) => Err(DIVISION.into()),
        Pair::Floats(a, b) => real(a / b),
    }
}

/// `a // b`.
pub fn floordiv(args: &[ConstValue]) -> Folded {
    match numbers(args, "//")? {
        Pair::Ints(_, b) if b.is_zero() => Err(DIVISION.into()),
        Pair::Ints(a, b) => int(a.div_floor(&b)),
        Pair::Floats(_, 0.0) => Err(DIVISION.into()),
        Pair::Floats(a, b) => real(float_divmod(a, b).0),
    }
}

/// `a % b`, with the divisor's sign as in Python.
pub fn modulo(args: &[ConstValue]) -> Folded {
    match numbers(args, "%")? {
        Pair::Ints(_, b) if b.is_zero() => Err(DIVISION.into()),
        Pair::Ints(a, b) => int(a.mod_floor(&b)),
        Pair::Floats(_, 0.0) => Err(DIVISION.into()),
        Pair::Floats(a, b) => real(float_divmod(a, b).1),
    }
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

/// `a ** b`.
pub fn pow(args: &[ConstValue]) -> Folded {
    match numbers(args, "**")? {
        Pair::Ints(a, b) if b.is_negative() && a.is_zero() => Err(DIVISION.into()),
        Pair::Ints(a, b) if b.is_negative() => real(f64_from_int(&a).powf(f64_from_int(&b))),
        Pair::Ints(a, b) => int_pow(&a, &b),
        Pair::Floats(a, b) if a == 0.0 && b < 0.0 => Err(DIVISION.into()),
        Pair::Floats(a, b) if a < 0.0 && b.fract() != 0.0 && a.is_finite() && b.is_finite() => {
            Err("a negative float to a fractional power is complex".into())
        }
        Pair::Floats(a, b) => real(a.powf(b)),
    }
}

fn int_pow(base: &BigInt, exponent: &BigInt) -> Folded {
    if base.magnitude() <= &1u32.into() {
        let odd = exponent.is_odd();
        let value = match base.to_i64() {
            Some(0) => i64::from(exponent.is_zero()),
            Some(-1) if odd => -1,
            _ => 1,
        };
        return int(value.into());
    }
    match exponent.to_u32() {
        Some(e) if u64::from(e).saturating_mul(base.bits() - 1) <= MAX_INT_BITS => int(base.pow(e)),
        _ => Err("a compile-time int exceeds 131072 bits".into()),
    }
}

fn bits(args: &[ConstValue], symbol: &str, f: fn(BigInt, BigInt) -> BigInt) -> Folded {
    match (pair(args), args) {
        (Some(Pair::Ints(a, b)), [ConstValue::Bool(_), ConstValue::Bool(_)]) => {
            Ok(Some(ConstValue::Bool(!f(a, b).is_zero())))
        }
        (Some(Pair::Ints(a, b)), _) => int(f(a, b)),
        _ => Err(unsupported(symbol, args)),
    }
}

/// `a & b`.
pub fn bitand(args: &[ConstValue]) -> Folded {
    bits(args, "&", |a, b| a & b)
}

/// `a | b`.
pub fn bitor(args: &[ConstValue]) -> Folded {
    bits(args, "|", |a, b| a | b)
}

/// `a ^ b`.
pub fn bitxor(args: &[ConstValue]) -> Folded {
    bits(args, "^", |a, b| a ^ b)
}

/// `a << b`.
pub fn shl(args: &[ConstValue]) -> Folded {
    let Some(Pair::Ints(a, b)) = pair(args) else {
        return Err(unsupported("<<", args));
    };
    if b.is_negative() {
        return Err("negative shift count".into());
    }
    match b.to_u64() {
        _ if a.is_zero() => int(a),
        Some(n) if n <= MAX_INT_BITS => int(a << n),
        _ => Err("a compile-time int exceeds 131072 bits".into()),
    }
}

/// `a >> b`.
pub fn shr(args: &[ConstValue]) -> Folded {
    let Some(Pair::Ints(a, b)) = pair(args) else {
        return Err(unsupported(">>", args));
    };
    if b.is_negative() {
        return Err("negative shift count".into());
    }
    let n = b.to_u64().unwrap_or(u64::MAX).min(MAX_INT_BITS);
    int(a >> n)
}

/// Python's order of two numbers, strings or sequences; `None` beside a NaN. Exact between int and
/// float. An error is the message for the user.
fn order(a: &ConstValue, b: &ConstValue, fuel: &mut Fuel) -> Result<Option<Ordering>, String> {
    fuel.burn()?;
    let number = |v: &ConstValue| v.as_int().ok_or_else(|| String::from(NO_ORDER));
    if let (Some(x), Some(y)) = (elements(a, b), elements(b, a)) {
        for (x, y) in x.iter().zip(y.iter()) {
            if !equal_within(x, y, fuel)? {
                return order(x, y, fuel);
            }
        }
        return Ok(Some(x.len().cmp(&y.len())));
    }
    Ok(match (a, b) {
        (ConstValue::Str(a), ConstValue::Str(b)) => Some(a.cmp(b)),
        (ConstValue::Float(a), ConstValue::Float(b)) => a.partial_cmp(b),
        (ConstValue::Float(f), b) => order_int(&number(b)?, *f).map(Ordering::reverse),
        (a, ConstValue::Float(f)) => order_int(&number(a)?, *f),
        _ => Some(number(a)?.cmp(&number(b)?)),
    })
}

const NO_ORDER: &str = "no order";

/// The elements of a sequence beside one of the same kind.
fn elements(a: &ConstValue, beside: &ConstValue) -> Option<Rc<[ConstValue]>> {
    match (a, beside) {
        (ConstValue::Tuple(_), ConstValue::Tuple(_))
        | (ConstValue::List(_), ConstValue::List(_)) => a.sequence(),
        _ => None,
    }
}

fn order_int(a: &BigInt, b: f64) -> Option<Ordering> {
    if b.is_nan() {
        return None;
    }
    let rounded = f64_from_int(a).partial_cmp(&b)?;
    if rounded != Ordering::Equal || b.is_infinite() {
        return Some(rounded);
    }
    let exact = num_traits::FromPrimitive::from_f64(b).unwrap_or_else(BigInt::zero);
    Some(a.cmp(&exact))
}

/// Whether two compile-time values are equal in Python's sense.
///
/// # Errors
/// The message for the user: it takes too long, or a call of a method of theirs.
pub fn equal(a: &ConstValue, b: &ConstValue) -> Result<bool, String> {
    equal_within(a, b, &mut Fuel::default())
}

/// The same, within a walk.
pub fn equal_within(a: &ConstValue, b: &ConstValue, fuel: &mut Fuel) -> Result<bool, String> {
    fuel.burn()?;
    Ok(match (a, b) {
        (ConstValue::List(x), ConstValue::List(y)) if Rc::ptr_eq(x, y) => true,
        (ConstValue::Tuple(x), ConstValue::Tuple(y)) if Rc::ptr_eq(x, y) => true,
        _ if elements(a, b).is_some() => {
            let (x, y) = (elements(a, b), elements(b, a));
            let (x, y) = (x.unwrap_or_default(), y.unwrap_or_default());
            if x.len() != y.len() {
                return Ok(false);
            }
            for (a, b) in x.iter().zip(y.iter()) {
                if !equal_within(a, b, fuel)? {
                    return Ok(false);
                }
            }
            true
        }
        (ConstValue::Dict(x), ConstValue::Dict(y)) => {
            let (x, y) = (x.get(), y.get());
            if x.len() != y.len() {
                return Ok(false);
            }
            for (key, (_, a)) in x.iter() {
                match y.get(key) {
                    Some((_, b)) if equal_within(a, b, fuel)? => {}
                    _ => return Ok(false),
                }
            }
            true
        }
        (ConstValue::Set(x), ConstValue::Set(y)) => {
            let (x, y) = (x.get(), y.get());
            x.items.len() == y.items.len() && x.items.keys().all(|k| y.items.contains_key(k))
        }
        (ConstValue::Range(x), ConstValue::Range(y)) => {
            x.len() == y.len()
                && (x.is_empty() || x.start == y.start && (x.len() == 1 || x.step == y.step))
        }
        (ConstValue::Object(x), ConstValue::Object(y)) => x.equal(y, fuel)?,
        (ConstValue::Class(x), ConstValue::Class(y)) => Class::same(x, y),
        (ConstValue::Function(x), ConstValue::Function(y)) => Rc::ptr_eq(x, y),
        (ConstValue::Native(x), ConstValue::Native(y)) => std::ptr::eq(*x, *y),
        (ConstValue::Operator(x), ConstValue::Operator(y)) => std::ptr::eq(*x, *y),
        (ConstValue::Kernel(x), ConstValue::Kernel(y)) => {
            x.def == y.def
                && equal_within(
                    &ConstValue::Tuple(x.bindings.clone()),
                    &ConstValue::Tuple(y.bindings.clone()),
                    fuel,
                )?
        }
        (ConstValue::Type(x), ConstValue::Type(y)) => x == y,
        (ConstValue::Dtype(x), ConstValue::Dtype(y)) => x == y,
        (ConstValue::Shaped(x, s), ConstValue::Shaped(y, t)) => x == y && s == t,
        (ConstValue::Slice(x), ConstValue::Slice(y)) => equal_within(
            &ConstValue::tuple(x.to_vec()),
            &ConstValue::tuple(y.to_vec()),
            fuel,
        )?,
        (ConstValue::None, ConstValue::None) | (ConstValue::Ellipsis, ConstValue::Ellipsis) => true,
        (ConstValue::Options(x), ConstValue::Options(y)) => x == y,
        (ConstValue::Table(t), _) | (_, ConstValue::Table(t)) if t.rank() > 0 => {
            return Err("unsupported comparison of arrays in a container".into());
        }
        (ConstValue::Table(t), other) | (other, ConstValue::Table(t)) => match t.item() {
            Some(item) => equal_within(&item, other, fuel)?,
            None => false,
        },
        (ConstValue::Str(x), ConstValue::Str(y)) => x == y,
        (a, b) if comparable(a) && comparable(b) => order(a, b, fuel)? == Some(Ordering::Equal),
        _ => false,
    })
}

fn comparable(value: &ConstValue) -> bool {
    value.is_number() || value.as_int().is_some()
}

/// `a == b`.
pub fn eq(args: &[ConstValue]) -> Folded {
    Ok(Some(ConstValue::Bool(equal(&args[0], &args[1])?)))
}

/// `a != b`.
pub fn ne(args: &[ConstValue]) -> Folded {
    Ok(Some(ConstValue::Bool(!equal(&args[0], &args[1])?)))
}

fn ordered(args: &[ConstValue], symbol: &str, test: fn(Ordering) -> bool) -> Folded {
    let order = ordering(&args[0], &args[1], symbol)?;
    Ok(Some(ConstValue::Bool(order.is_some_and(test))))
}

fn ordering(a: &ConstValue, b: &ConstValue, symbol: &str) -> Result<Option<Ordering>, String> {
    order(a, b, &mut Fuel::default()).map_err(|message| match &*message {
        NO_ORDER => unsupported(symbol, &[a.clone(), b.clone()]),
        _ => message,
    })
}

/// `a < b`.
pub fn lt(args: &[ConstValue]) -> Folded {
    ordered(args, "<", Ordering::is_lt)
}

/// `a <= b`.
pub fn le(args: &[ConstValue]) -> Folded {
    ordered(args, "<=", Ordering::is_le)
}

/// `a > b`.
pub fn gt(args: &[ConstValue]) -> Folded {
    ordered(args, ">", Ordering::is_gt)
}

/// `a >= b`.
pub fn ge(args: &[ConstValue]) -> Folded {
    ordered(args, ">=", Ordering::is_ge)
}

fn extremum(args: &[ConstValue], name: &str, better: Ordering) -> Folded {
    let mut best = args[0].clone();
    for candidate in &args[1..] {
        if ordering(candidate, &best, name)? == Some(better) {
            best = candidate.clone();
        }
    }
    Ok(Some(best))
}

/// `min(a, b, ...)`.
pub fn min(args: &[ConstValue]) -> Folded {
    extremum(args, "min", Ordering::Less)
}

/// `max(a, b, ...)`.
pub fn max(args: &[ConstValue]) -> Folded {
    extremum(args, "max", Ordering::Greater)
}

fn truth(value: &ConstValue) -> Result<bool, String> {
    value
        .truth()
        .ok_or_else(|| format!("{} has no truth value", value.kind()))
}

/// `a and b`: the operand that decides.
pub fn logical_and(args: &[ConstValue]) -> Folded {
    for arg in args {
        if !truth(arg)? {
            return Ok(Some(arg.clone()));
        }
    }
    Ok(args.last().cloned())
}

/// `a or b`: the operand that decides.
pub fn logical_or(args: &[ConstValue]) -> Folded {
    for arg in args {
        if truth(arg)? {
            return Ok(Some(arg.clone()));
        }
    }
    Ok(args.last().cloned())
}

/// `not a`.
pub fn logical_not(args: &[ConstValue]) -> Folded {
    Ok(Some(ConstValue::Bool(!truth(&args[0])?)))
}

/// `-a`.
pub fn neg(args: &[ConstValue]) -> Folded {
    match (&args[0], args[0].as_int()) {
        (_, Some(v)) => int(-v),
        (ConstValue::Float(v), _) => real(-v),
        _ => Err(unsupported("-", args)),
    }
}

/// `~a`.
pub fn invert(args: &[ConstValue]) -> Folded {
    match args[0].as_int() {
        Some(v) => int(-v - 1),
        None => Err(unsupported("~", args)),
    }
}

/// `abs(a)`.
pub fn abs(args: &[ConstValue]) -> Folded {
    match (&args[0], args[0].as_int()) {
        (_, Some(v)) => int(v.abs()),
        (ConstValue::Float(v), _) => real(v.abs()),
        _ => Err(unsupported("abs", args)),
    }
}

/// A function of one float.
pub fn float(args: &[ConstValue], f: fn(f64) -> f64) -> Folded {
    match to_f64(&args[0]) {
        Some(x) if f(x).is_nan() && !x.is_nan() => Err("math domain error".into()),
        Some(x) => real(f(x)),
        None => Err(format!("a number is needed, not {}", args[0].kind())),
    }
}

/// `fma(a, b, c)`: one rounding.
pub fn fma(args: &[ConstValue]) -> Folded {
    let floats: Option<Vec<f64>> = args.iter().map(to_f64).collect();
    match floats.as_deref() {
        Some([a, b, c]) => real(a.mul_add(*b, *c)),
        _ => Err(unsupported("fma", args)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn i(v: i64) -> ConstValue {
        ConstValue::Int(v.into())
    }

    fn show(folded: Folded) -> String {
        match folded {
            Ok(Some(v)) => v.text(),
            Ok(None) => "no fold".into(),
            Err(e) => e,
        }
    }

    #[test]
    fn folds_follow_python() {
        assert_eq!(show(div(&[i(7), i(2)])), "3.5");
        assert_eq!(show(floordiv(&[i(-7), i(2)])), "-4");
        assert_eq!(show(modulo(&[i(-7), i(2)])), "1");
        assert_eq!(show(div(&[i(1), i(0)])), "division by zero");
        assert_eq!(show(pow(&[i(2), i(-1)])), "0.5");
        assert_eq!(
            show(pow(&[i(10), i(1_000_000_000)])),
            "a compile-time int exceeds 131072 bits"
        );
        assert_eq!(show(pow(&[i(-1), i(1_000_000_001)])), "-1");
        assert_eq!(show(shr(&[i(-5), i(1)])), "-3");
        assert_eq!(show(invert(&[i(5)])), "-6");
        assert_eq!(show(eq(&[i(1), ConstValue::Float(1.0)])), "True");
        assert_eq!(
            show(lt(&[
                i((1 << 53) + 1),
                ConstValue::Float((1u64 << 53) as f64)
            ])),
            "False"
        );
        assert_eq!(
            show(modulo(&[ConstValue::Float(-7.5), ConstValue::Float(2.0)])),
            "0.5"
        );
        assert_eq!(
            show(floordiv(&[ConstValue::Float(-7.5), ConstValue::Float(2.0)])),
            "-4.0"
        );
        assert_eq!(show(logical_or(&[i(0), i(3)])), "3");
        assert_eq!(show(max(&[i(1), i(3), i(2)])), "3");
    }
}
