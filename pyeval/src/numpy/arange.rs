//! `numpy.arange`: the first two elements are Python's sums, and the others go on from them in the type of the array.

use crate::convert::to_float;
use crate::error::Exception::{TypeError, ZeroDivisionError};
use crate::error::{Limit, fail};
use crate::numpy::operations::{MAX_ELEMENTS, checked, dtype_of, number, reserve, table};
use crate::numpy::table::{Dtype, Num, round_to};
use crate::operators::binary;
use crate::value::{Call, Result, Value};
use ruff_python_ast::Operator;

/// `arange(stop)`, `arange(start, stop, step, dtype)`.
pub fn arange(c: &mut Call) -> Result<Value> {
    let [start, stop, step] = bounds(c);
    let mut numbers = Vec::new();
    for v in [&start, &stop, &step] {
        numbers.push(number(v, c.span)?);
    }
    if !numbers[2].nonzero() {
        return c.raise(ZeroDivisionError, "the step is 0");
    }
    let natural = match numbers.iter().any(|v| matches!(v, Num::Float(_))) {
        true => Dtype::Float(64),
        false => Dtype::Int(64),
    };
    let dtype = dtype_of(c.opt(3), c.span)?.unwrap_or(natural);
    let n = length(c, &start, stop, &step)?;
    if dtype == Dtype::Bool && n > 2 {
        return c.raise(TypeError, "a range of bools has at most 2 elements");
    }
    let second = binary(Operator::Add, start.clone(), step, c.span, c.names)?;
    let mut values = Vec::with_capacity(n);
    for v in [start, second].iter().take(n) {
        values.push(checked(dtype, number(v, c.span)?, c.span)?);
    }
    go_on(dtype, &mut values, n);
    Ok(table(dtype, vec![n], values))
}

/// Start, stop and step.
fn bounds(c: &Call) -> [Value; 3] {
    let given = |at: usize| c.opt(at).filter(|v| !matches!(v, Value::None)).cloned();
    let first = c.arg(0).clone();
    let (start, stop) = match given(1) {
        None => (Value::int(0), first),
        Some(stop) => (first, stop),
    };
    [start, stop, given(2).unwrap_or(Value::int(1))]
}

/// The number of elements.
fn length(c: &mut Call, start: &Value, stop: Value, step: &Value) -> Result<usize> {
    let distance = binary(Operator::Sub, stop, start.clone(), c.span, c.names)?;
    let steps = binary(Operator::Div, distance, step.clone(), c.span, c.names)?;
    let n = to_float(&steps, c.span)?.ceil();
    if n.is_nan() || n > MAX_ELEMENTS as f64 {
        return fail(c.span, Limit::Elements);
    }
    let n = n.max(0.0) as usize;
    reserve(&[n], c.span, c.names)?;
    Ok(n)
}

/// Adds elements after the first two until there are `n`.
fn go_on(dtype: Dtype, values: &mut Vec<Num>, n: usize) {
    let [first, second] = values[..] else { return };
    let bits = match dtype {
        // Halves are computed in single precision.
        Dtype::Float(bits) => bits.max(32),
        _ => 64,
    };
    values.extend((2..n).map(|i| match (first, second) {
        (Num::Int(a), Num::Int(b)) => dtype.fit(Num::Int(a + i as i128 * (b - a))),
        (a, b) => {
            let delta = round_to(bits, b.float() - a.float());
            let offset = round_to(bits, i as f64 * delta);
            dtype.fit(Num::Float(round_to(bits, a.float() + offset)))
        }
    }));
}
