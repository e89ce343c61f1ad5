//! Operators of numbers and sequences, as plain functions of values: what Python computes where no class has a
//! method of its own.

use crate::equality::{equal, ordering};
use crate::error::Exception::{OverflowError, TypeError, ValueError, ZeroDivisionError};
use crate::error::{Limit, Problem};
use crate::numbers::{f64_from_int, f64_from_ratio, float_divmod};
use crate::value::Value;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};
use ruff_python_ast::{CmpOp, Operator, UnaryOp};
use std::cmp::Ordering;
use std::rc::Rc;

/// Result of an operator.
pub type Folded = Result<Value, Problem>;

/// An operator of values.
pub type Fold = fn(&[Value]) -> Folded;

/// Most bits of an int, and most elements of a sequence made by repetition.
pub const MAX_INT_BITS: u64 = 1 << 17;

/// The function of a binary operator; `@` has none.
pub fn of_binary(op: Operator) -> Option<Fold> {
    Some(match op {
        Operator::Add => add,
        Operator::Sub => sub,
        Operator::Mult => mul,
        Operator::Div => div,
        Operator::FloorDiv => floordiv,
        Operator::Mod => modulo,
        Operator::Pow => pow,
        Operator::LShift => shl,
        Operator::RShift => shr,
        Operator::BitAnd => bitand,
        Operator::BitOr => bitor,
        Operator::BitXor => bitxor,
        Operator::MatMult => return None,
    })
}

/// The function of a unary operator.
pub fn of_unary(op: UnaryOp) -> Fold {
    match op {
        UnaryOp::Invert => invert,
        UnaryOp::Not => logical_not,
        UnaryOp::USub => neg,
        UnaryOp::UAdd => pos,
    }
}

/// The function of a comparison; `is` and `in` have none.
pub fn of_compare(op: CmpOp) -> Option<Fold> {
    Some(match op {
        CmpOp::Eq => eq,
        CmpOp::NotEq => ne,
        CmpOp::Lt => lt,
        CmpOp::LtE => le,
        CmpOp::Gt => gt,
        CmpOp::GtE => ge,
        CmpOp::Is | CmpOp::IsNot | CmpOp::In | CmpOp::NotIn => return None,
    })
}

enum Pair {
    Ints(BigInt, BigInt),
    Floats(f64, f64),
}

fn to_f64(value: &Value) -> Option<f64> {
    match value {
        Value::Float(v) => Some(*v),
        other => other.as_int().map(|v| f64_from_int(&v)),
    }
}

fn pair(args: &[Value]) -> Option<Pair> {
    let [a, b] = args else { return None };
    if let (Some(x), Some(y)) = (a.as_int(), b.as_int()) {
        return Some(Pair::Ints(x, y));
    }
    Some(Pair::Floats(to_f64(a)?, to_f64(b)?))
}

/// What an int that no float is near says.
const TOO_LARGE: &str = "the int is too large for a float";

/// The operands of an arithmetic operator.
fn numbers(args: &[Value], symbol: &'static str) -> Result<Pair, Problem> {
    let found = pair(args).ok_or_else(|| unsupported(symbol, args))?;
    if let Pair::Floats(a, b) = found {
        let overflows = |v: f64, arg: &Value| v.is_infinite() && arg.as_int().is_some();
        if overflows(a, &args[0]) || overflows(b, &args[1]) {
            return Err(Problem::exception(OverflowError, TOO_LARGE));
        }
    }
    Ok(found)
}

/// The problem of operands that do not go with an operator.
pub fn unsupported(symbol: &'static str, args: &[Value]) -> Problem {
    Problem::Operands(symbol, args.iter().map(Value::kind).collect())
}

fn int(value: BigInt) -> Folded {
    if value.bits() > MAX_INT_BITS {
        return Err(Limit::Int.into());
    }
    Ok(Value::Int(value))
}

fn real(value: f64) -> Folded {
    Ok(Value::Float(value))
}

/// A result of finite operands, which is finite in Python.
fn finite(value: f64) -> Folded {
    match value.is_infinite() {
        true => Err(Problem::exception(
            OverflowError,
            "the result is too large for a float",
        )),
        false => real(value),
    }
}

/// `a + b`, also of sequences of one kind.
pub fn add(args: &[Value]) -> Folded {
    match args {
        [Value::Str(a), Value::Str(b)] => {
            bounded(a.len() + b.len())?;
            Ok(Value::Str(format!("{a}{b}").into()))
        }
        [Value::Tuple(a), Value::Tuple(b)] => Ok(Value::Tuple(concat(a, b)?)),
        [Value::List(a), Value::List(b)] => Ok(Value::list(concat(&a.get(), &b.get())?.to_vec())),
        _ => match numbers(args, "+")? {
            Pair::Ints(a, b) => int(a + b),
            Pair::Floats(a, b) => real(a + b),
        },
    }
}

fn bounded(len: usize) -> Result<(), Limit> {
    match len as u64 {
        ..=MAX_INT_BITS => Ok(()),
        _ => Err(Limit::Sequence),
    }
}

fn concat(a: &[Value], b: &[Value]) -> Result<Rc<[Value]>, Problem> {
    bounded(a.len() + b.len())?;
    Ok(a.iter().chain(b).cloned().collect())
}

/// `a - b`.
pub fn sub(args: &[Value]) -> Folded {
    match numbers(args, "-")? {
        Pair::Ints(a, b) => int(a - b),
        Pair::Floats(a, b) => real(a - b),
    }
}

/// `a * b`, also sequence repetition.
pub fn mul(args: &[Value]) -> Folded {
    match args {
        [Value::List(items), n] | [n, Value::List(items)] => {
            Ok(Value::list(repeat(&items.get(), n)?.to_vec()))
        }
        [Value::Tuple(items), n] | [n, Value::Tuple(items)] => Ok(Value::Tuple(repeat(items, n)?)),
        _ => match numbers(args, "*")? {
            Pair::Ints(a, b) if a.bits() + b.bits() > 2 * MAX_INT_BITS => Err(Limit::Int.into()),
            Pair::Ints(a, b) => int(a * b),
            Pair::Floats(a, b) => real(a * b),
        },
    }
}

fn repeat(items: &[Value], count: &Value) -> Result<Rc<[Value]>, Problem> {
    let text = "a sequence is repeated an int number of times";
    let count = count.as_int();
    let count = count.ok_or_else(|| Problem::exception(TypeError, text))?;
    let count = match count.is_negative() {
        true => 0,
        false => count.to_usize().unwrap_or(usize::MAX),
    };
    bounded(items.len().saturating_mul(count))?;
    let repeated = items.iter().cycle().take(items.len() * count);
    Ok(repeated.cloned().collect())
}

fn by_zero() -> Problem {
    Problem::exception(ZeroDivisionError, "division by zero")
}

/// `a / b`: always a float.
pub fn div(args: &[Value]) -> Folded {
    match numbers(args, "/")? {
        Pair::Ints(_, b) if b.is_zero() => Err(by_zero()),
        Pair::Ints(a, b) => finite(f64_from_ratio(&a, &b)),
        Pair::Floats(_, 0.0) => Err(by_zero()),
        Pair::Floats(a, b) => real(a / b),
    }
}

/// `a // b`.
pub fn floordiv(args: &[Value]) -> Folded {
    match numbers(args, "//")? {
        Pair::Ints(_, b) if b.is_zero() => Err(by_zero()),
        Pair::Ints(a, b) => int(a.div_floor(&b)),
        Pair::Floats(_, 0.0) => Err(by_zero()),
        Pair::Floats(a, b) => real(float_divmod(a, b).0),
    }
}

/// `a % b`, with the divisor's sign as in Python.
pub fn modulo(args: &[Value]) -> Folded {
    match numbers(args, "%")? {
        Pair::Ints(_, b) if b.is_zero() => Err(by_zero()),
        Pair::Ints(a, b) => int(a.mod_floor(&b)),
        Pair::Floats(_, 0.0) => Err(by_zero()),
        Pair::Floats(a, b) => real(float_divmod(a, b).1),
    }
}

/// `a ** b`.
pub fn pow(args: &[Value]) -> Folded {
    match numbers(args, "**")? {
        Pair::Ints(a, b) if b.is_negative() && a.is_zero() => Err(by_zero()),
        Pair::Ints(a, b) if b.is_negative() => {
            let (a, b) = (f64_from_int(&a), f64_from_int(&b));
            match a.is_infinite() || b.is_infinite() {
                true => Err(Problem::exception(OverflowError, TOO_LARGE)),
                false => real(pxfm::f_pow(a, b)),
            }
        }
        Pair::Ints(a, b) => int_pow(&a, &b),
        Pair::Floats(a, b) if a == 0.0 && b < 0.0 => Err(by_zero()),
        Pair::Floats(a, b) if a < 0.0 && b.fract() != 0.0 && a.is_finite() && b.is_finite() => {
            let text = "a negative float to a fractional power is complex";
            Err(Problem::exception(ValueError, text))
        }
        Pair::Floats(a, b) if a.is_finite() && b.is_finite() => finite(pxfm::f_pow(a, b)),
        Pair::Floats(a, b) => real(pxfm::f_pow(a, b)),
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
        _ => Err(Limit::Int.into()),
    }
}

fn bits(args: &[Value], symbol: &'static str, f: fn(BigInt, BigInt) -> BigInt) -> Folded {
    match (pair(args), args) {
        (Some(Pair::Ints(a, b)), [Value::Bool(_), Value::Bool(_)]) => {
            Ok(Value::Bool(!f(a, b).is_zero()))
        }
        (Some(Pair::Ints(a, b)), _) => int(f(a, b)),
        _ => Err(unsupported(symbol, args)),
    }
}

/// `a & b`.
pub fn bitand(args: &[Value]) -> Folded {
    bits(args, "&", |a, b| a & b)
}

/// `a | b`.
pub fn bitor(args: &[Value]) -> Folded {
    bits(args, "|", |a, b| a | b)
}

/// `a ^ b`.
pub fn bitxor(args: &[Value]) -> Folded {
    bits(args, "^", |a, b| a ^ b)
}

/// Value and amount of a shift.
fn shift(args: &[Value], symbol: &'static str) -> Result<(BigInt, BigInt), Problem> {
    match pair(args) {
        Some(Pair::Ints(_, b)) if b.is_negative() => {
            Err(Problem::exception(ValueError, "negative shift count"))
        }
        Some(Pair::Ints(a, b)) => Ok((a, b)),
        _ => Err(unsupported(symbol, args)),
    }
}

/// `a << b`.
pub fn shl(args: &[Value]) -> Folded {
    let (a, b) = shift(args, "<<")?;
    match b.to_u64() {
        _ if a.is_zero() => int(a),
        Some(n) if n <= MAX_INT_BITS => int(a << n),
        _ => Err(Limit::Int.into()),
    }
}

/// `a >> b`.
pub fn shr(args: &[Value]) -> Folded {
    let (a, b) = shift(args, ">>")?;
    let n = b.to_u64().unwrap_or(u64::MAX).min(MAX_INT_BITS);
    int(a >> n)
}

/// `a == b`.
pub fn eq(args: &[Value]) -> Folded {
    Ok(Value::Bool(equal(&args[0], &args[1])?))
}

/// `a != b`.
pub fn ne(args: &[Value]) -> Folded {
    Ok(Value::Bool(!equal(&args[0], &args[1])?))
}

fn ordered(args: &[Value], symbol: &'static str, test: fn(Ordering) -> bool) -> Folded {
    let order = ordering(&args[0], &args[1], symbol)?;
    Ok(Value::Bool(order.is_some_and(test)))
}

/// `a < b`.
pub fn lt(args: &[Value]) -> Folded {
    ordered(args, "<", Ordering::is_lt)
}

/// `a <= b`.
pub fn le(args: &[Value]) -> Folded {
    ordered(args, "<=", Ordering::is_le)
}

/// `a > b`.
pub fn gt(args: &[Value]) -> Folded {
    ordered(args, ">", Ordering::is_gt)
}

/// `a >= b`.
pub fn ge(args: &[Value]) -> Folded {
    ordered(args, ">=", Ordering::is_ge)
}

fn extremum(args: &[Value], name: &'static str, better: Ordering) -> Folded {
    let mut best = args[0].clone();
    for candidate in &args[1..] {
        if ordering(candidate, &best, name)? == Some(better) {
            best = candidate.clone();
        }
    }
    Ok(best)
}

/// `min(a, b, ...)`.
pub fn min(args: &[Value]) -> Folded {
    extremum(args, "min", Ordering::Less)
}

/// `max(a, b, ...)`.
pub fn max(args: &[Value]) -> Folded {
    extremum(args, "max", Ordering::Greater)
}

fn truth(value: &Value) -> Result<bool, Problem> {
    value.truth().ok_or_else(|| no_truth(value))
}

/// The problem of a value that is neither true nor false.
pub fn no_truth(value: &Value) -> Problem {
    Problem::Unsupported(format!("{} has no truth value", value.kind()).into())
}

/// `a and b`: the operand that decides.
pub fn logical_and(args: &[Value]) -> Folded {
    deciding(args, false)
}

/// `a or b`: the operand that decides.
pub fn logical_or(args: &[Value]) -> Folded {
    deciding(args, true)
}

fn deciding(args: &[Value], truth_value: bool) -> Folded {
    for arg in args {
        if truth(arg)? == truth_value {
            return Ok(arg.clone());
        }
    }
    Ok(args.last().cloned().unwrap_or(Value::Bool(!truth_value)))
}

/// `not a`.
pub fn logical_not(args: &[Value]) -> Folded {
    Ok(Value::Bool(!truth(&args[0])?))
}

/// `+a`.
pub fn pos(args: &[Value]) -> Folded {
    match (&args[0], args[0].as_int()) {
        (_, Some(v)) => int(v),
        (Value::Float(v), _) => real(*v),
        (other, None) => {
            let text = format!("unsupported operand of '+': {}", other.kind());
            Err(Problem::exception(TypeError, text))
        }
    }
}

/// `-a`.
pub fn neg(args: &[Value]) -> Folded {
    match (&args[0], args[0].as_int()) {
        (_, Some(v)) => int(-v),
        (Value::Float(v), _) => real(-v),
        _ => Err(unsupported("-", args)),
    }
}

/// `~a`.
pub fn invert(args: &[Value]) -> Folded {
    match args[0].as_int() {
        Some(v) => int(-v - 1),
        None => Err(unsupported("~", args)),
    }
}

/// `abs(a)`.
pub fn abs(args: &[Value]) -> Folded {
    match (&args[0], args[0].as_int()) {
        (_, Some(v)) => int(v.abs()),
        (Value::Float(v), _) => real(v.abs()),
        _ => Err(unsupported("abs", args)),
    }
}

/// A function of one float.
pub fn float(args: &[Value], f: fn(f64) -> f64) -> Folded {
    match to_f64(&args[0]) {
        Some(x) if f(x).is_nan() && !x.is_nan() => {
            Err(Problem::exception(ValueError, "math domain error"))
        }
        Some(x) => real(f(x)),
        None => {
            let text = format!("a number is needed, not {}", args[0].kind());
            Err(Problem::exception(TypeError, text))
        }
    }
}

/// `fma(a, b, c)`: one rounding.
pub fn fma(args: &[Value]) -> Folded {
    let floats: Option<Vec<f64>> = args.iter().map(to_f64).collect();
    match floats.as_deref() {
        Some([a, b, c]) => real(a.mul_add(*b, *c)),
        _ => Err(unsupported("fma", args)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn i(v: i64) -> Value {
        Value::Int(v.into())
    }

    fn show(folded: Folded) -> String {
        match folded {
            Ok(v) => v.text(),
            Err(problem) => problem.to_string(),
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
        assert_eq!(show(eq(&[i(1), Value::Float(1.0)])), "True");
        assert_eq!(
            show(lt(&[i((1 << 53) + 1), Value::Float((1u64 << 53) as f64)])),
            "False"
        );
        assert_eq!(
            show(modulo(&[Value::Float(-7.5), Value::Float(2.0)])),
            "0.5"
        );
        assert_eq!(
            show(floordiv(&[Value::Float(-7.5), Value::Float(2.0)])),
            "-4.0"
        );
        assert_eq!(show(logical_or(&[i(0), i(3)])), "3");
        assert_eq!(show(max(&[i(1), i(3), i(2)])), "3");
    }
}
