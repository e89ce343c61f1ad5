//! Arrays of values, and their operators: broadcasting, and the promotion of numpy 2.

use crate::convert::to_float;
use crate::error::Exception::{OverflowError, TypeError, ValueError};
use crate::error::{Limit, Problem, fail, raise};
use crate::numbers::float_divmod;
use crate::numpy::table::{Dtype, Num, Table, count, promote};
use crate::value::{Args, Names, Result, Value};
use diagnostics::Span;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use ruff_python_ast::{CmpOp, Operator, UnaryOp};
use std::cmp::Ordering;
use std::rc::Rc;

/// Most elements of an array.
pub const MAX_ELEMENTS: u64 = 1 << 20;
/// Most dimensions of an array.
const MAX_RANK: usize = 16;

/// A fresh array as a value.
pub fn table(dtype: Dtype, shape: Vec<usize>, values: Vec<Num>) -> Value {
    Value::Table(Rc::new(Table::new(dtype, shape, values)))
}

/// The value cast to a type, as `astype` does.
pub fn cast(dtype: Dtype, value: Num, span: Span) -> Result<Num> {
    if let (Dtype::Int(_) | Dtype::Uint(_), Num::Float(v)) = (dtype, value) {
        let (low, high) = dtype.range();
        let fits = v.is_finite() && (low..=high).contains(&(v as i128));
        if !fits {
            let message = format!("the float {v} has no value in {}", dtype.name());
            return fail(span, Problem::Unsupported(message.into()));
        }
    }
    Ok(dtype.fit(value))
}

/// An array with its elements cast to a type.
fn converted(t: &Table, dtype: Dtype, span: Span) -> Result<Table> {
    let values = t.values().into_iter().map(|v| match (dtype, v) {
        // Other than a Python int, which becomes a float64 first.
        (Dtype::Float(16 | 32), Num::Int(v)) => Ok(dtype.fit(Num::Float(f64::from(v as f32)))),
        _ => cast(dtype, v, span),
    });
    let values = values.collect::<Result<_>>()?;
    Ok(Table::new(dtype, t.shape.clone(), values))
}

/// Checks the size of an array before it is made.
pub fn reserve(shape: &[usize], span: Span, names: &mut dyn Names) -> Result<()> {
    let elements = count(shape);
    if elements > MAX_ELEMENTS || shape.len() > MAX_RANK {
        return fail(span, Limit::Array);
    }
    names.charge(span, elements)?;
    names.tick(span, elements / 4)
}

/// An operand: an array, or a Python number, whose type gives way.
pub struct Operand {
    /// As an array.
    pub table: Table,
    /// Of a Python number.
    pub weak: Option<Weak>,
}

/// The kind of a Python number.
#[derive(Clone, Copy, PartialEq)]
pub enum Weak {
    /// int.
    Int,
    /// float.
    Float,
}

pub fn operand(value: &Value, span: Span, names: &mut dyn Names) -> Result<Operand> {
    if let Value::List(_) | Value::Tuple(_) = value {
        return Ok(Operand {
            table: array(value, None, span, names)?,
            weak: None,
        });
    }
    match (number_or_table(value), value.as_int()) {
        (Some(operand), _) => Ok(operand),
        (None, Some(_)) => raise(OverflowError, span, "the int does not fit 64 bits"),
        (None, None) => {
            let message = format!("{} does not go with an array", value.kind());
            raise(TypeError, span, message)
        }
    }
}

/// An operand that is no sequence.
fn number_or_table(value: &Value) -> Option<Operand> {
    let (table, weak) = match value {
        Value::Table(table) => ((**table).clone(), None),
        Value::Float(v) => (
            Table::scalar(Dtype::Float(64), Num::Float(*v)),
            Some(Weak::Float),
        ),
        Value::Bool(v) => (Table::scalar(Dtype::Bool, Num::Int(i128::from(*v))), None),
        // Not wrapped to 64 bits: what it meets decides.
        other => (
            Table::new(
                Dtype::Int(64),
                vec![],
                vec![Num::Int(other.as_int()?.to_i128()?)],
            ),
            Some(Weak::Int),
        ),
    };
    Some(Operand { table, weak })
}

/// The type in which two operands are computed.
pub fn common(a: &Operand, b: &Operand, span: Span) -> Result<Dtype> {
    let (strong, weak, number) = match (a.weak, b.weak) {
        (Some(weak), None) => (b.table.dtype, weak, &a.table),
        (None, Some(weak)) => (a.table.dtype, weak, &b.table),
        (Some(Weak::Int), Some(Weak::Int)) => (Dtype::Int(64), Weak::Int, &a.table),
        _ => return Ok(promote(a.table.dtype, b.table.dtype)),
    };
    match (strong, weak) {
        (Dtype::Float(_), _) => Ok(strong),
        (_, Weak::Float) => Ok(Dtype::Float(64)),
        (Dtype::Bool, Weak::Int) => Ok(Dtype::Int(64)),
        (_, Weak::Int) => {
            let (low, high) = strong.range();
            match number.values()[..] {
                [Num::Int(v)] if !(low..=high).contains(&v) => {
                    let message = format!("the int {v} does not fit {}", strong.name());
                    raise(OverflowError, span, message)
                }
                _ => Ok(strong),
            }
        }
    }
}

pub fn broadcast_shape(a: &[usize], b: &[usize], span: Span) -> Result<Vec<usize>> {
    let rank = a.len().max(b.len());
    let extent = |shape: &[usize], i: usize| match (i + shape.len()).checked_sub(rank) {
        Some(i) => shape[i],
        None => 1,
    };
    (0..rank)
        .map(|i| match (extent(a, i), extent(b, i)) {
            (x, y) if x == y || y == 1 => Ok(x),
            (1, y) => Ok(y),
            _ => {
                let message = format!("the shapes {a:?} and {b:?} do not broadcast");
                raise(ValueError, span, message)
            }
        })
        .collect()
}

/// Applies a function to the pairs of elements of two operands.
pub fn elementwise(
    a: &Operand,
    b: &Operand,
    result: Dtype,
    span: Span,
    names: &mut dyn Names,
    f: &dyn Fn(Num, Num) -> Result<Num>,
) -> Result<Value> {
    let shape = broadcast_shape(&a.table.shape, &b.table.shape, span)?;
    reserve(&shape, span, names)?;
    let left = a.table.broadcast(&shape).values();
    let right = b.table.broadcast(&shape).values();
    let values = left
        .into_iter()
        .zip(right)
        .map(|(x, y)| Ok(result.fit(f(x, y)?)))
        .collect::<Result<Vec<_>>>()?;
    Ok(table(result, shape, values))
}

/// `a op b` where one is an array.
pub fn binary(
    op: Operator,
    left: &Value,
    right: &Value,
    span: Span,
    names: &mut dyn Names,
) -> Result<Value> {
    let (a, b) = (operand(left, span, names)?, operand(right, span, names)?);
    let dtype = common(&a, &b, span)?;
    let result = match (op, dtype) {
        (Operator::Div, Dtype::Float(_)) => dtype,
        (Operator::Div, _) => Dtype::Float(64),
        (Operator::Sub, Dtype::Bool) => {
            return raise(TypeError, span, "bool arrays are not subtracted");
        }
        (Operator::LShift | Operator::RShift, Dtype::Bool) => Dtype::Int(8),
        (Operator::FloorDiv | Operator::Mod | Operator::Pow, Dtype::Bool) => Dtype::Int(8),
        _ => dtype,
    };
    let bitwise = matches!(
        op,
        Operator::BitAnd | Operator::BitOr | Operator::BitXor | Operator::LShift | Operator::RShift
    );
    if bitwise && dtype.is_float() {
        return raise(TypeError, span, "floats have no bits to operate on");
    }
    elementwise(&a, &b, result, span, names, &|x, y| {
        let (x, y) = (dtype.fit(x), dtype.fit(y));
        match (x, y) {
            (Num::Int(x), Num::Int(y)) if op != Operator::Div => int_op(op, x, y, dtype, span),
            (x, y) => Ok(Num::Float(float_op(op, x.float(), y.float()))),
        }
    })
}

fn int_op(op: Operator, x: i128, y: i128, dtype: Dtype, span: Span) -> Result<Num> {
    let bits = match dtype {
        Dtype::Int(bits) | Dtype::Uint(bits) => i128::from(bits),
        _ => 8,
    };
    Ok(Num::Int(match op {
        Operator::Add => x + y,
        Operator::Sub => x - y,
        // Both have at most 64 bits.
        Operator::Mult => x.wrapping_mul(y),
        // As in numpy, with a warning there.
        Operator::FloorDiv | Operator::Mod if y == 0 => 0,
        Operator::FloorDiv => num_integer::Integer::div_floor(&x, &y),
        Operator::Mod => num_integer::Integer::mod_floor(&x, &y),
        Operator::Pow if y < 0 => {
            let message = "ints to negative powers are not allowed in arrays";
            return raise(ValueError, span, message);
        }
        Operator::Pow => wrapping_power(x, y),
        Operator::BitAnd => x & y,
        Operator::BitOr => x | y,
        Operator::BitXor => x ^ y,
        Operator::LShift if (0..bits).contains(&y) => x << y,
        Operator::RShift if (0..bits).contains(&y) => x >> y,
        Operator::RShift if x < 0 => -1,
        _ => 0,
    }))
}

/// `x ** y` modulo 2^128, by squaring.
fn wrapping_power(mut x: i128, mut y: i128) -> i128 {
    let mut power = 1i128;
    while y > 0 {
        if y & 1 == 1 {
            power = power.wrapping_mul(x);
        }
        x = x.wrapping_mul(x);
        y >>= 1;
    }
    power
}

fn float_op(op: Operator, x: f64, y: f64) -> f64 {
    match op {
        Operator::Add => x + y,
        Operator::Sub => x - y,
        Operator::Mult => x * y,
        Operator::Div => x / y,
        Operator::FloorDiv if y == 0.0 => x / y,
        Operator::FloorDiv => float_divmod(x, y).0,
        Operator::Mod if y == 0.0 => f64::NAN,
        Operator::Mod => float_divmod(x, y).1,
        _ => pxfm::f_pow(x, y),
    }
}

/// A unary operator of an array.
pub fn unary(op: UnaryOp, t: &Table, span: Span, names: &mut dyn Names) -> Result<Value> {
    let dtype = t.dtype;
    if dtype == Dtype::Bool && op != UnaryOp::Invert {
        return raise(TypeError, span, "a bool array has no sign");
    }
    if op == UnaryOp::Invert && dtype.is_float() {
        return raise(TypeError, span, "floats have no bits to operate on");
    }
    map(t, dtype, span, names, |v| match (op, v) {
        (UnaryOp::USub, Num::Int(v)) => Num::Int(-v),
        (UnaryOp::USub, Num::Float(v)) => Num::Float(-v),
        (UnaryOp::Invert, v) if dtype == Dtype::Bool => Num::Int(i128::from(!v.nonzero())),
        (UnaryOp::Invert, Num::Int(v)) => Num::Int(!v),
        _ => v,
    })
}

/// An array of the function's values.
pub fn map(
    t: &Table,
    dtype: Dtype,
    span: Span,
    names: &mut dyn Names,
    f: impl Fn(Num) -> Num,
) -> Result<Value> {
    reserve(&t.shape, span, names)?;
    let values = t.values().into_iter().map(|v| dtype.fit(f(v))).collect();
    Ok(table(dtype, t.shape.clone(), values))
}

/// A comparison of which one side is an array: an array of bools.
pub fn compare(
    op: CmpOp,
    left: &Value,
    right: &Value,
    span: Span,
    names: &mut dyn Names,
) -> Result<Value> {
    let compatible = |v: &Value| {
        v.is_number()
            || v.as_int().is_some()
            || matches!(v, Value::Table(_) | Value::List(_) | Value::Tuple(_))
    };
    if !compatible(left) || !compatible(right) {
        return Ok(Value::Bool(op == CmpOp::NotEq));
    }
    let (a, b) = (operand(left, span, names)?, operand(right, span, names)?);
    let floats = float_type(&a, &b);
    let result = elementwise(&a, &b, Dtype::Bool, span, names, &|x, y| {
        let order = order(floats, x, y);
        let holds = order.map_or(op == CmpOp::NotEq, |order| match op {
            CmpOp::Eq => order.is_eq(),
            CmpOp::NotEq => order.is_ne(),
            CmpOp::Lt => order.is_lt(),
            CmpOp::LtE => order.is_le(),
            CmpOp::Gt => order.is_gt(),
            _ => order.is_ge(),
        });
        Ok(Num::Int(i128::from(holds)))
    })?;
    Ok(result)
}

/// The type in which floats are compared; ints are compared as they are.
fn float_type(a: &Operand, b: &Operand) -> Option<Dtype> {
    let (x, y) = (a.table.dtype, b.table.dtype);
    match (a.weak, b.weak) {
        _ if !x.is_float() && !y.is_float() => None,
        (Some(_), None) if y.is_float() => Some(y),
        (None, Some(_)) if x.is_float() => Some(x),
        _ => Some(promote(x, y)),
    }
}

fn order(floats: Option<Dtype>, x: Num, y: Num) -> Option<Ordering> {
    match (floats, x, y) {
        (None, Num::Int(x), Num::Int(y)) => Some(x.cmp(&y)),
        (floats, x, y) => {
            let float = |v| floats.map_or(v, |dtype| dtype.fit(v)).float();
            float(x).partial_cmp(&float(y))
        }
    }
}

/// The order of two numbers of which one is a numpy scalar, as `<` between them has it: `None` beside a NaN. Nothing
/// for other values.
pub fn order_of_scalars(a: &Value, b: &Value) -> Option<Option<Ordering>> {
    let (a, b) = (number_or_table(a)?, number_or_table(b)?);
    let only = |operand: &Operand| match operand.table.values()[..] {
        [v] if operand.table.rank() == 0 => Some(v),
        _ => None,
    };
    Some(order(float_type(&a, &b), only(&a)?, only(&b)?))
}

/// A conversion such as `np.int8(x)`.
pub fn scalar(dtype: Dtype, args: &Args) -> Result<Value> {
    args.expect(0, 1, dtype.name())?;
    let span = args.span;
    let value = match args.positional.first() {
        None => Num::Int(0),
        Some(Value::Table(t)) => {
            return Ok(converted(t, dtype, span)?.wrapped());
        }
        Some(value) => number(value, span)?,
    };
    let value = checked(dtype, value, span)?;
    Ok(Value::Table(Rc::new(Table::scalar(dtype, value))))
}

/// A Python number as an element of a type: ints have to fit.
pub fn checked(dtype: Dtype, value: Num, span: Span) -> Result<Num> {
    let (low, high) = dtype.range();
    match value {
        Num::Int(v) if dtype != Dtype::Bool && !(low..=high).contains(&v) => {
            let message = format!("the int {v} does not fit {}", dtype.name());
            raise(OverflowError, span, message)
        }
        value => cast(dtype, value, span),
    }
}

pub fn number(value: &Value, span: Span) -> Result<Num> {
    match value.as_int() {
        Some(v) => match v.to_i128() {
            Some(v) => Ok(Num::Int(v)),
            None => raise(OverflowError, span, "the int does not fit 64 bits"),
        },
        None => Ok(Num::Float(to_float(value, span)?)),
    }
}

/// The type that an argument names; `None` if there is none.
pub fn dtype_of(value: Option<&Value>, span: Span) -> Result<Option<Dtype>> {
    Ok(Some(match value {
        None | Some(Value::None) => return Ok(None),
        Some(Value::Dtype(dtype)) => *dtype,
        Some(value) => {
            let known = match (value, value.builtin()) {
                (_, Some("bool")) => Some(Dtype::Bool),
                (_, Some("int")) => Some(Dtype::Int(64)),
                (_, Some("float")) => Some(Dtype::Float(64)),
                (Value::Str(s), _) => Dtype::named(s),
                _ => None,
            };
            match known {
                Some(dtype) => dtype,
                None => {
                    let message = format!("{} is no dtype", value.text());
                    return raise(TypeError, span, message);
                }
            }
        }
    }))
}

/// An array of nested sequences of numbers.
pub fn array(
    value: &Value,
    dtype: Option<Dtype>,
    span: Span,
    names: &mut dyn Names,
) -> Result<Table> {
    if let Value::Table(t) = value {
        let dtype = dtype.unwrap_or(t.dtype);
        reserve(&t.shape, span, names)?;
        return converted(t, dtype, span);
    }
    let mut shape = Vec::new();
    extents(value, &mut shape, span)?;
    reserve(&shape, span, names)?;
    let mut leaves = Vec::new();
    flatten(value, &shape, &mut leaves, span)?;
    let inferred = leaves.iter().map(|(_, d)| *d).reduce(|a, b| match (a, b) {
        (Some(a), Some(b)) => Some(promote(a, b)),
        (known, None) | (None, known) => known,
    });
    let dtype = match (dtype, inferred) {
        (Some(dtype), _) => dtype,
        (None, Some(Some(dtype)))
            if dtype != Dtype::Bool || leaves.iter().all(|l| l.1.is_some()) =>
        {
            let ints = leaves.iter().any(|(_, d)| d.is_none());
            if ints {
                promote(dtype, Dtype::Int(64))
            } else {
                dtype
            }
        }
        (None, None) => Dtype::Float(64),
        (None, _) => {
            let big = |v: &Num| matches!(v, Num::Int(v) if *v > i128::from(i64::MAX));
            match leaves.iter().any(|(v, _)| big(v)) {
                true => Dtype::Uint(64),
                false => Dtype::Int(64),
            }
        }
    };
    let values = leaves.into_iter().map(|(v, _)| checked(dtype, v, span));
    Ok(Table::new(dtype, shape, values.collect::<Result<_>>()?))
}

fn extents(value: &Value, shape: &mut Vec<usize>, span: Span) -> Result<()> {
    if shape.len() > MAX_RANK {
        return fail(span, Limit::Dimensions);
    }
    match (value, value.sequence()) {
        (Value::Table(t), _) => shape.extend(&t.shape),
        (Value::Range(r), _) => shape.push(usize::try_from(r.len()).unwrap_or(usize::MAX)),
        (_, Some(items)) => {
            shape.push(items.len());
            if let Some(first) = items.first() {
                extents(first, shape, span)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// The numbers in a nested sequence, each with its type; Python's ints have none of their own.
fn flatten(
    value: &Value,
    shape: &[usize],
    out: &mut Vec<(Num, Option<Dtype>)>,
    span: Span,
) -> Result<()> {
    let ragged = || raise(ValueError, span, "the rows of the array differ in shape");
    match (value, value.sequence()) {
        (Value::Table(t), _) if t.shape == shape => {
            out.extend(t.values().into_iter().map(|v| (v, Some(t.dtype))));
            Ok(())
        }
        (Value::Range(r), _) if shape.len() == 1 && r.len() == shape[0] as u64 => {
            for i in 0..r.len() {
                out.push((Num::Int(r.at(i).to_i128().unwrap_or(0)), None));
            }
            Ok(())
        }
        (_, Some(items)) => match shape.split_first() {
            Some((extent, inner)) if items.len() == *extent => items
                .iter()
                .try_for_each(|item| flatten(item, inner, out, span)),
            _ => ragged(),
        },
        _ if shape.is_empty() => {
            let dtype = match value {
                Value::Bool(_) => Some(Dtype::Bool),
                Value::Float(_) => Some(Dtype::Float(64)),
                _ => None,
            };
            out.push((number(value, span)?, dtype));
            Ok(())
        }
        _ => ragged(),
    }
}

/// An array of the type of a name with elements in row-major order.
///
/// # Errors
/// What does not fit.
pub fn from_parts(
    dtype: &str,
    shape: Vec<usize>,
    numbers: &[Value],
) -> std::result::Result<Value, String> {
    let Some(dtype) = Dtype::named(dtype) else {
        return Err(format!("arrays of {dtype} are not supported"));
    };
    if count(&shape) != numbers.len() as u64 {
        return Err("the array is incomplete".into());
    }
    let span = Span::default();
    let values = numbers
        .iter()
        .map(|v| number(v, span).map(|v| dtype.fit(v)));
    match values.collect::<Result<Vec<_>>>() {
        Ok(values) => Ok(table(dtype, shape, values)),
        Err(_) => Err("the array holds something else than numbers".into()),
    }
}

/// An int as a BigInt, for messages and shapes.
fn extent(value: &Value, span: Span) -> Result<i64> {
    match value.as_int().as_ref().and_then(BigInt::to_i64) {
        Some(v) => Ok(v),
        None => raise(TypeError, span, "an extent is an int"),
    }
}

/// A shape argument: an int or a sequence of ints.
pub fn shape_of(value: &Value, span: Span) -> Result<Vec<i64>> {
    match value.sequence() {
        Some(items) => items.iter().map(|v| extent(v, span)).collect(),
        None => Ok(vec![extent(value, span)?]),
    }
}

pub fn natural(shape: &[i64], span: Span) -> Result<Vec<usize>> {
    shape
        .iter()
        .map(|n| match usize::try_from(*n) {
            Ok(n) => Ok(n),
            Err(_) => raise(ValueError, span, "an extent is negative"),
        })
        .collect()
}

/// `abs` of an array.
pub fn absolute(t: &Table, span: Span, names: &mut dyn Names) -> Result<Value> {
    map(t, t.dtype, span, names, |v| match v {
        Num::Int(v) => Num::Int(v.abs()),
        Num::Float(v) => Num::Float(v.abs()),
    })
}
