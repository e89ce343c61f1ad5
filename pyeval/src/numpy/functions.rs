//! The functions of the module `numpy` and the methods of arrays, as tables.

use crate::error::Exception::{NotImplementedError, TypeError, ValueError};
use crate::error::{Problem, fail, raise};
use crate::native::{method, native, variadic_method};
use crate::numpy::arange::arange;
use crate::numpy::attributes::attribute;
use crate::numpy::indexing::{self, set_item};
use crate::numpy::operations::{
    absolute, array, binary, broadcast_shape, cast, checked, common, compare, dtype_of,
    elementwise, map, natural, number, operand, reserve, shape_of, table, unary,
};
use crate::numpy::product::matmul;
use crate::numpy::reduce::{self, after, axis_of, subject};
use crate::numpy::table::{Dtype, Num, Table, promote};
use crate::value::{Call, Names, Native, Result, Value};
use diagnostics::Span;
use ruff_python_ast::{CmpOp, Operator};
use std::f64::consts::PI;
use std::rc::Rc;

/// Functions of the module.
pub static FUNCTIONS: &[Native] = &[
    native("array", &["object", "dtype", "*copy", "*ndmin"], 1, make),
    native("asarray", &["object", "dtype"], 1, make),
    native("zeros", &["shape", "dtype"], 1, |c| filled(c, 0, 1)),
    native("empty", &["shape", "dtype"], 1, |c| filled(c, 0, 1)),
    native("ones", &["shape", "dtype"], 1, |c| filled(c, 1, 1)),
    native("full", &["shape", "fill_value", "dtype"], 2, full),
    native("zeros_like", &["a", "dtype"], 1, |c| like(c, 0)),
    native("empty_like", &["a", "dtype"], 1, |c| like(c, 0)),
    native("ones_like", &["a", "dtype"], 1, |c| like(c, 1)),
    native("full_like", &["a", "fill_value", "dtype"], 2, full_like),
    native("arange", &["start", "stop", "step", "dtype"], 1, arange),
    native(
        "linspace",
        &["start", "stop", "num", "endpoint", "dtype"],
        2,
        linspace,
    ),
    native("eye", &["N", "M", "k", "dtype"], 1, eye),
    native("identity", &["n", "dtype"], 1, |c| {
        let n = natural(&[c.index(0)?], c.span)?[0];
        unit(c, n, n, 0, 1)
    }),
    native("diag", &["v"], 1, diag),
    native("sqrt", &["x"], 1, |c| float(c, f64::sqrt)),
    native("cbrt", &["x"], 1, |c| float(c, pxfm::f_cbrt)),
    native("exp", &["x"], 1, |c| float(c, pxfm::f_exp)),
    native("exp2", &["x"], 1, |c| float(c, pxfm::f_exp2)),
    native("expm1", &["x"], 1, |c| float(c, pxfm::f_expm1)),
    native("log", &["x"], 1, |c| float(c, pxfm::f_log)),
    native("log2", &["x"], 1, |c| float(c, pxfm::f_log2)),
    native("log10", &["x"], 1, |c| float(c, pxfm::f_log10)),
    native("log1p", &["x"], 1, |c| float(c, pxfm::f_log1p)),
    native("sin", &["x"], 1, |c| float(c, pxfm::f_sin)),
    native("cos", &["x"], 1, |c| float(c, pxfm::f_cos)),
    native("tan", &["x"], 1, |c| float(c, pxfm::f_tan)),
    native("arcsin", &["x"], 1, |c| float(c, pxfm::f_asin)),
    native("arccos", &["x"], 1, |c| float(c, pxfm::f_acos)),
    native("arctan", &["x"], 1, |c| float(c, pxfm::f_atan)),
    native("sinh", &["x"], 1, |c| float(c, pxfm::f_sinh)),
    native("cosh", &["x"], 1, |c| float(c, pxfm::f_cosh)),
    native("tanh", &["x"], 1, |c| float(c, pxfm::f_tanh)),
    native("deg2rad", &["x"], 1, |c| float(c, |x| x * (PI / 180.0))),
    native("radians", &["x"], 1, |c| float(c, |x| x * (PI / 180.0))),
    native("sinc", &["x"], 1, |c| {
        float(c, |x| {
            let y = PI * if x == 0.0 { 1e-20 } else { x };
            pxfm::f_sin(y) / y
        })
    }),
    native("floor", &["x"], 1, |c| whole(c, f64::floor)),
    native("ceil", &["x"], 1, |c| whole(c, f64::ceil)),
    native("trunc", &["x"], 1, |c| whole(c, f64::trunc)),
    native("rint", &["x"], 1, |c| whole(c, f64::round_ties_even)),
    native("round", &["a", "decimals"], 1, round),
    native("around", &["a", "decimals"], 1, round),
    native("abs", &["x"], 1, abs),
    native("absolute", &["x"], 1, abs),
    native("fabs", &["x"], 1, |c| float(c, f64::abs)),
    native("square", &["x"], 1, |c| {
        let t = Value::Table(Rc::new(subject(c)?));
        binary(Operator::Mult, &t, &t, c.span, c.names)
    }),
    native("sign", &["x"], 1, sign),
    native("negative", &["x"], 1, |c| {
        let t = subject(c)?;
        unary(ruff_python_ast::UnaryOp::USub, &t, c.span, c.names)
    }),
    native("add", &["a", "b"], 2, |c| operator(c, Operator::Add)),
    native("subtract", &["a", "b"], 2, |c| operator(c, Operator::Sub)),
    native("multiply", &["a", "b"], 2, |c| operator(c, Operator::Mult)),
    native("divide", &["a", "b"], 2, |c| operator(c, Operator::Div)),
    native("floor_divide", &["a", "b"], 2, |c| {
        operator(c, Operator::FloorDiv)
    }),
    native("mod", &["a", "b"], 2, |c| operator(c, Operator::Mod)),
    native("remainder", &["a", "b"], 2, |c| operator(c, Operator::Mod)),
    native("power", &["a", "b"], 2, |c| operator(c, Operator::Pow)),
    native("bitwise_and", &["a", "b"], 2, |c| {
        operator(c, Operator::BitAnd)
    }),
    native("bitwise_or", &["a", "b"], 2, |c| {
        operator(c, Operator::BitOr)
    }),
    native("bitwise_xor", &["a", "b"], 2, |c| {
        operator(c, Operator::BitXor)
    }),
    native("left_shift", &["a", "b"], 2, |c| {
        operator(c, Operator::LShift)
    }),
    native("right_shift", &["a", "b"], 2, |c| {
        operator(c, Operator::RShift)
    }),
    native("minimum", &["a", "b"], 2, |c| choose(c, CmpOp::LtE)),
    native("maximum", &["a", "b"], 2, |c| choose(c, CmpOp::GtE)),
    native("clip", &["a", "a_min", "a_max"], 3, clip),
    native("where", &["condition", "x", "y"], 3, where_),
    native("sum", &["a", "axis", "dtype"], 1, reduce::sum),
    native("prod", &["a", "axis"], 1, reduce::prod),
    native("mean", &["a", "axis"], 1, reduce::mean),
    native("min", &["a", "axis"], 1, |c| {
        reduce::extremum(c, true, false)
    }),
    native("max", &["a", "axis"], 1, |c| {
        reduce::extremum(c, false, false)
    }),
    native("amin", &["a", "axis"], 1, |c| {
        reduce::extremum(c, true, false)
    }),
    native("amax", &["a", "axis"], 1, |c| {
        reduce::extremum(c, false, false)
    }),
    native("argmin", &["a", "axis"], 1, |c| {
        reduce::extremum(c, true, true)
    }),
    native("argmax", &["a", "axis"], 1, |c| {
        reduce::extremum(c, false, true)
    }),
    native("any", &["a", "axis"], 1, |c| reduce::quantify(c, false)),
    native("all", &["a", "axis"], 1, |c| reduce::quantify(c, true)),
    native("cumsum", &["a", "axis"], 1, |c| {
        reduce::cumulative(c, false)
    }),
    native("cumprod", &["a", "axis"], 1, |c| {
        reduce::cumulative(c, true)
    }),
    native("sort", &["a"], 1, |c| {
        let t = subject(c)?;
        reduce::sorted(&t, c.span, c.names)
    }),
    native("dot", &["a", "b"], 2, dot),
    native("matmul", &["a", "b"], 2, dot),
    native("outer", &["a", "b"], 2, outer),
    native("reshape", &["a", "shape"], 2, reshape),
    native("ravel", &["a"], 1, flat),
    native("transpose", &["a"], 1, |c| {
        Ok(subject(c)?.transposed().wrapped())
    }),
    native("concatenate", &["arrays", "axis"], 1, concatenate),
    native("stack", &["arrays"], 1, |c| {
        let rows = c.arg(0).clone();
        Ok(array(&rows, None, c.span, c.names)?.wrapped())
    }),
    native("vstack", &["arrays"], 1, |c| stacked(c, 0)),
    native("hstack", &["arrays"], 1, |c| stacked(c, 1)),
    native("tile", &["a", "reps"], 2, tile),
    native("repeat", &["a", "repeats"], 2, repeat),
    native("roll", &["a", "shift"], 2, roll),
    native("flip", &["a"], 1, |c| {
        let t = subject(c)?;
        reversed(&t, t.rank())
    }),
    native("diff", &["a"], 1, diff),
    native("convolve", &["a", "v"], 2, convolve),
    native("array_equal", &["a", "b"], 2, array_equal),
    native("hamming", &["M"], 1, |c| {
        window(c, |n, m| 0.54 + 0.46 * pxfm::f_cos(PI * n / m))
    }),
    native("hanning", &["M"], 1, |c| {
        window(c, |n, m| 0.5 + 0.5 * pxfm::f_cos(PI * n / m))
    }),
    native("blackman", &["M"], 1, |c| {
        window(c, |n, m| {
            0.42 + 0.5 * pxfm::f_cos(PI * n / m) + 0.08 * pxfm::f_cos(2.0 * PI * n / m)
        })
    }),
    native("dtype", &["dtype"], 1, |c| {
        match dtype_of(c.opt(0), c.span)? {
            Some(dtype) => Ok(Value::Dtype(dtype)),
            None => Ok(Value::Dtype(Dtype::Float(64))),
        }
    }),
    native("size", &["a"], 1, |c| Ok(Value::int(subject(c)?.len()))),
    native("shape", &["a"], 1, |c| {
        let t = Rc::new(subject(c)?);
        Ok(attribute(&t, "shape").unwrap_or(Value::None))
    }),
];

/// Methods of arrays and scalars.
pub static METHODS: &[Native] = &[
    method("astype", &["dtype"], 1, astype),
    variadic_method("reshape", &[], reshape),
    variadic_method("item", &[], item),
    method("tolist", &[], 0, |c| {
        let t = subject(c)?;
        c.charge(t.len() as u64 * 2)?;
        Ok(t.nested())
    }),
    method("copy", &[], 0, |c| {
        let t = subject(c)?;
        map(&t, t.dtype, c.span, c.names, |v| v)
    }),
    method("fill", &["value"], 1, |c| {
        let value = c.arg(0).clone();
        let all = Value::Ellipsis;
        if let Value::Table(t) = c.this.clone() {
            set_item(&t, &all, &value, c.span, c.names)?;
        }
        Ok(Value::None)
    }),
    method("flatten", &[], 0, |c| {
        let t = subject(c)?;
        reserve(&t.shape, c.span, c.names)?;
        Ok(table(t.dtype, vec![t.len()], t.values()))
    }),
    method("ravel", &[], 0, flat),
    method("transpose", &[], 0, |c| {
        Ok(subject(c)?.transposed().wrapped())
    }),
    method("sum", &["axis", "dtype"], 0, reduce::sum),
    method("prod", &["axis"], 0, reduce::prod),
    method("mean", &["axis"], 0, reduce::mean),
    method("min", &["axis"], 0, |c| reduce::extremum(c, true, false)),
    method("max", &["axis"], 0, |c| reduce::extremum(c, false, false)),
    method("argmin", &["axis"], 0, |c| reduce::extremum(c, true, true)),
    method("argmax", &["axis"], 0, |c| reduce::extremum(c, false, true)),
    method("any", &["axis"], 0, |c| reduce::quantify(c, false)),
    method("all", &["axis"], 0, |c| reduce::quantify(c, true)),
    method("cumsum", &["axis"], 0, |c| reduce::cumulative(c, false)),
    method("dot", &["b"], 1, |c| {
        let (a, b) = (c.this.clone(), c.arg(0).clone());
        matmul(&a, &b, c.span, c.names)
    }),
    method("round", &["decimals"], 0, round),
    method("clip", &["min", "max"], 2, clip),
];

fn make(c: &mut Call) -> Result<Value> {
    let value = c.arg(0).clone();
    let dtype = dtype_of(c.opt(1), c.span)?;
    Ok(wrapped_any(array(&value, dtype, c.span, c.names)?))
}

/// An array as a value, of rank 0 too.
fn wrapped_any(t: Table) -> Value {
    Value::Table(Rc::new(t))
}

fn constant(c: &mut Call, shape: Vec<usize>, dtype: Dtype, value: Num) -> Result<Value> {
    reserve(&shape, c.span, c.names)?;
    let value = checked(dtype, value, c.span)?;
    let len = shape.iter().product();
    Ok(table(dtype, shape, vec![value; len]))
}

fn shape_arg(c: &Call) -> Result<Vec<usize>> {
    natural(&shape_of(c.arg(0), c.span)?, c.span)
}

fn filled(c: &mut Call, value: i128, dtype_at: usize) -> Result<Value> {
    let shape = shape_arg(c)?;
    let dtype = dtype_of(c.opt(dtype_at), c.span)?.unwrap_or(Dtype::Float(64));
    constant(c, shape, dtype, Num::Int(value))
}

fn full(c: &mut Call) -> Result<Value> {
    let shape = shape_arg(c)?;
    let value = c.arg(1).clone();
    let sample = array(&value, None, c.span, c.names)?;
    let dtype = dtype_of(c.opt(2), c.span)?.unwrap_or(sample.dtype);
    constant(c, shape, dtype, number(&value, c.span)?)
}

fn like(c: &mut Call, value: i128) -> Result<Value> {
    let t = subject(c)?;
    let dtype = dtype_of(c.opt(1), c.span)?.unwrap_or(t.dtype);
    constant(c, t.shape, dtype, Num::Int(value))
}

fn full_like(c: &mut Call) -> Result<Value> {
    let t = subject(c)?;
    let dtype = dtype_of(c.opt(2), c.span)?.unwrap_or(t.dtype);
    let value = number(c.arg(1), c.span)?;
    constant(c, t.shape, dtype, value)
}

fn linspace(c: &mut Call) -> Result<Value> {
    let (start, stop) = (c.float(0)?, c.float(1)?);
    let n = match c.opt(2) {
        None => 50,
        Some(_) => natural(&[c.index(2)?], c.span)?[0],
    };
    let endpoint = c.opt(3).is_none() || c.flag(3)?;
    reserve(&[n], c.span, c.names)?;
    let parts = if endpoint { n.saturating_sub(1) } else { n };
    let delta = stop - start;
    let step = delta / parts as f64;
    let mut values: Vec<f64> = (0..n)
        .map(|i| match parts {
            0 => start,
            _ if step == 0.0 => i as f64 / parts as f64 * delta + start,
            _ => i as f64 * step + start,
        })
        .collect();
    if let (true, 2.., Some(last)) = (endpoint, n, values.last_mut()) {
        *last = stop;
    }
    let dtype = dtype_of(c.opt(4), c.span)?.unwrap_or(Dtype::Float(64));
    let integral = !dtype.is_float();
    let values = values.into_iter().map(|v| {
        let v = if integral { v.floor() } else { v };
        cast(dtype, Num::Float(v), c.span)
    });
    Ok(table(dtype, vec![n], values.collect::<Result<_>>()?))
}

fn eye(c: &mut Call) -> Result<Value> {
    let n = natural(&[c.index(0)?], c.span)?[0];
    let m = match c.opt(1) {
        None | Some(Value::None) => n,
        Some(_) => natural(&[c.index(1)?], c.span)?[0],
    };
    let k = match c.opt(2) {
        None => 0,
        Some(_) => c.index(2)?,
    };
    unit(c, n, m, k, 3)
}

fn unit(c: &mut Call, n: usize, m: usize, k: i64, dtype_at: usize) -> Result<Value> {
    let dtype = dtype_of(c.opt(dtype_at), c.span)?.unwrap_or(Dtype::Float(64));
    reserve(&[n, m], c.span, c.names)?;
    let mut values = Vec::with_capacity(n * m);
    for i in 0..n {
        values.extend((0..m).map(|j| {
            let one = j as i64 - i as i64 == k;
            dtype.fit(Num::Int(i128::from(one)))
        }));
    }
    Ok(table(dtype, vec![n, m], values))
}

fn diag(c: &mut Call) -> Result<Value> {
    let t = subject(c)?;
    let n = match t.rank() {
        1 => t.shape[0],
        2 => {
            let n = t.shape[0].min(t.shape[1]);
            let all = t.values();
            let values = (0..n).map(|i| all[i * t.shape[1] + i]).collect();
            return Ok(table(t.dtype, vec![n], values));
        }
        _ => return c.raise(ValueError, "the array has rank 1 or 2"),
    };
    reserve(&[n, n], c.span, c.names)?;
    let zero = t.dtype.fit(Num::Int(0));
    let mut values = vec![zero; n * n];
    for (i, v) in t.values().into_iter().enumerate() {
        values[i * n + i] = v;
    }
    Ok(table(t.dtype, vec![n, n], values))
}

/// A function of floats, on every element.
fn float(c: &mut Call, f: fn(f64) -> f64) -> Result<Value> {
    let t = subject(c)?;
    map(&t, t.dtype.as_float(), c.span, c.names, |v| {
        Num::Float(f(v.float()))
    })
}

/// Rounding to integral values, which ints are already.
fn whole(c: &mut Call, f: fn(f64) -> f64) -> Result<Value> {
    let t = subject(c)?;
    map(&t, t.dtype, c.span, c.names, |v| match v {
        Num::Float(v) => Num::Float(f(v)),
        int => int,
    })
}

fn round(c: &mut Call) -> Result<Value> {
    let t = subject(c)?;
    let at = after(c);
    let decimals = match c.opt(at) {
        None => 0,
        Some(_) => c.index(at)?.clamp(-400, 400),
    };
    if !t.dtype.is_float() && decimals < 0 {
        return c.raise(NotImplementedError, "ints rounded to tens");
    }
    let power = 10f64.powi(decimals.unsigned_abs() as i32);
    let dtype = t.dtype;
    map(&t, dtype, c.span, c.names, |v| match v {
        // As numpy does: scaled, rounded, and scaled back, each in the type.
        Num::Float(v) => {
            let step = |v: f64| dtype.fit(Num::Float(v)).float();
            let power = step(power);
            Num::Float(match decimals {
                0 => v.round_ties_even(),
                1.. => step(v * power).round_ties_even() / power,
                _ => step(v / power).round_ties_even() * power,
            })
        }
        int => int,
    })
}

fn abs(c: &mut Call) -> Result<Value> {
    let t = subject(c)?;
    absolute(&t, c.span, c.names)
}

fn sign(c: &mut Call) -> Result<Value> {
    let t = subject(c)?;
    map(&t, t.dtype, c.span, c.names, |v| match v {
        Num::Int(v) => Num::Int(v.signum()),
        Num::Float(v) if v == 0.0 || v.is_nan() => Num::Float(v),
        Num::Float(v) => Num::Float(v.signum()),
    })
}

/// Operands as arrays, so that Python numbers alone are computed by numpy's rules too.
fn operator(c: &mut Call, op: Operator) -> Result<Value> {
    let mut values = [c.arg(0).clone(), c.arg(1).clone()];
    if !values.iter().any(|v| matches!(v, Value::Table(_))) {
        values[0] = wrapped_any(array(&values[0], None, c.span, c.names)?);
    }
    binary(op, &values[0], &values[1], c.span, c.names)
}

/// The one of each pair for which the comparison holds; NaN wins.
fn choose(c: &mut Call, op: CmpOp) -> Result<Value> {
    let (left, right) = (c.arg(0).clone(), c.arg(1).clone());
    pick(op, &left, &right, c.span, c.names)
}

fn pick(
    op: CmpOp,
    left: &Value,
    right: &Value,
    span: Span,
    names: &mut dyn Names,
) -> Result<Value> {
    let (a, b) = (operand(left, span, names)?, operand(right, span, names)?);
    let dtype = common(&a, &b, span)?;
    elementwise(&a, &b, dtype, span, names, &|x, y| {
        let (x, y) = (dtype.fit(x), dtype.fit(y));
        let first = match (x, y) {
            (Num::Int(x), Num::Int(y)) if op == CmpOp::LtE => x <= y,
            (Num::Int(x), Num::Int(y)) => x >= y,
            (x, _) if x.float().is_nan() => true,
            (x, y) if op == CmpOp::LtE => x.float() <= y.float(),
            (x, y) => x.float() >= y.float(),
        };
        Ok(if first { x } else { y })
    })
}

fn clip(c: &mut Call) -> Result<Value> {
    let at = after(c);
    let mut value = wrapped_any(subject(c)?);
    for (i, op) in [(at, CmpOp::GtE), (at + 1, CmpOp::LtE)] {
        if !matches!(c.arg(i), Value::None) {
            let bound = c.arg(i).clone();
            value = pick(op, &value, &bound, c.span, c.names)?;
        }
    }
    Ok(value)
}

fn where_(c: &mut Call) -> Result<Value> {
    let (span, values) = (c.span, [c.arg(0), c.arg(1), c.arg(2)].map(Clone::clone));
    let condition = array(&values[0], None, span, c.names)?;
    let (x, y) = (
        operand(&values[1], span, c.names)?,
        operand(&values[2], span, c.names)?,
    );
    let dtype = match (x.weak, y.weak) {
        (Some(_), Some(_)) => promote(x.table.dtype, y.table.dtype),
        _ => common(&x, &y, span)?,
    };
    let shape = broadcast_shape(&x.table.shape, &y.table.shape, span)?;
    let shape = broadcast_shape(&condition.shape, &shape, span)?;
    reserve(&shape, span, c.names)?;
    let all = |t: &Table| t.broadcast(&shape).values();
    let pairs = all(&x.table).into_iter().zip(all(&y.table));
    let values = all(&condition)
        .into_iter()
        .zip(pairs)
        .map(|(w, (x, y))| dtype.fit(if w.nonzero() { x } else { y }));
    Ok(Table::new(dtype, shape.clone(), values.collect()).wrapped())
}

fn dot(c: &mut Call) -> Result<Value> {
    let (a, b) = (c.arg(0).clone(), c.arg(1).clone());
    matmul(&a, &b, c.span, c.names)
}

fn outer(c: &mut Call) -> Result<Value> {
    let a = subject(c)?;
    let b = c.arg(1).clone();
    let b = array(&b, None, c.span, c.names)?;
    let column = wrapped_any(a.reshaped(vec![a.len(), 1]));
    let row = wrapped_any(b.reshaped(vec![1, b.len()]));
    binary(Operator::Mult, &column, &row, c.span, c.names)
}

fn astype(c: &mut Call) -> Result<Value> {
    let t = subject(c)?;
    let Some(dtype) = dtype_of(c.opt(0), c.span)? else {
        return c.raise(TypeError, "astype takes a dtype");
    };
    let t = Value::Table(Rc::new(t));
    Ok(array(&t, Some(dtype), c.span, c.names)?.wrapped())
}

fn item(c: &mut Call) -> Result<Value> {
    let t = subject(c)?;
    let index = match std::mem::take(&mut c.rest) {
        rest if rest.is_empty() => {
            return match (t.len(), t.first()) {
                (1, Some(item)) => Ok(item),
                _ => c.raise(ValueError, "the array has not one element"),
            };
        }
        rest => Value::tuple(rest),
    };
    let Value::Table(found) = indexing::index(&Rc::new(t), &index, c.span, c.names)? else {
        return Ok(Value::None);
    };
    match found.item() {
        Some(item) => Ok(item),
        None => c.raise(ValueError, "the indices do not name one element"),
    }
}

fn reshape(c: &mut Call) -> Result<Value> {
    let t = subject(c)?;
    let rest = std::mem::take(&mut c.rest);
    let wanted = match &rest[..] {
        [] => shape_of(c.arg(1), c.span)?,
        [single] => shape_of(single, c.span)?,
        several => shape_of(&Value::tuple(several.to_vec()), c.span)?,
    };
    let known = wanted.iter().filter(|n| **n >= 0);
    let known = known.fold(1u64, |n, e| n.saturating_mul(*e as u64));
    let len = t.len() as u64;
    let open = wanted.iter().filter(|n| **n == -1).count();
    let fits = match open {
        0 => known == len,
        1 => known > 0 && len.is_multiple_of(known),
        _ => false,
    };
    if !fits || wanted.iter().any(|n| *n < -1) {
        let message = format!("{} elements do not fit the shape {wanted:?}", t.len());
        return c.raise(ValueError, message);
    }
    let extent = |n: &i64| usize::try_from(*n).unwrap_or((len / known.max(1)) as usize);
    let shape: Vec<usize> = wanted.iter().map(extent).collect();
    reserve(&shape, c.span, c.names)?;
    Ok(wrapped_any(t.reshaped(shape)))
}

fn flat(c: &mut Call) -> Result<Value> {
    let t = subject(c)?;
    reserve(&t.shape, c.span, c.names)?;
    let len = t.len();
    Ok(t.reshaped(vec![len]).wrapped())
}

/// The arrays of a sequence.
fn arrays(c: &mut Call) -> Result<Vec<Table>> {
    let items = c.items(0)?;
    let mut tables = Vec::new();
    for item in &items {
        tables.push(array(item, None, c.span, c.names)?);
    }
    match tables.is_empty() {
        true => c.raise(ValueError, "there are no arrays"),
        false => Ok(tables),
    }
}

fn concatenate(c: &mut Call) -> Result<Value> {
    let tables = arrays(c)?;
    let rank = tables[0].rank();
    let axis = axis_of(c, 1, rank)?.unwrap_or(0);
    join(&tables, axis, c.span, c.names)
}

fn join(tables: &[Table], axis: usize, span: Span, names: &mut dyn Names) -> Result<Value> {
    let first = &tables[0];
    let same = tables.iter().all(|t| {
        t.rank() == first.rank() && (0..t.rank()).all(|i| i == axis || t.shape[i] == first.shape[i])
    });
    if !same || axis >= first.rank() {
        return raise(ValueError, span, "the shapes of the arrays do not fit");
    }
    let dtype = tables.iter().map(|t| t.dtype).reduce(promote);
    let dtype = dtype.unwrap_or(first.dtype);
    let mut shape = first.shape.clone();
    shape[axis] = tables.iter().map(|t| t.shape[axis]).sum();
    reserve(&shape, span, names)?;
    let blocks: usize = shape[..axis].iter().product();
    let all: Vec<Vec<Num>> = tables.iter().map(Table::values).collect();
    let mut values = Vec::new();
    for block in 0..blocks {
        for (t, all) in tables.iter().zip(&all) {
            let size: usize = t.shape[axis..].iter().product();
            let part = &all[block * size..(block + 1) * size];
            values.extend(part.iter().map(|v| dtype.fit(*v)));
        }
    }
    Ok(table(dtype, shape, values))
}

fn stacked(c: &mut Call, axis: usize) -> Result<Value> {
    let tables = arrays(c)?;
    let rows = tables.into_iter().map(|t| match (t.rank(), axis) {
        (1, 0) => {
            let n = t.len();
            t.reshaped(vec![1, n])
        }
        _ => t,
    });
    let rows: Vec<Table> = rows.collect();
    let axis = if rows[0].rank() == 1 { 0 } else { axis };
    join(&rows, axis, c.span, c.names)
}

fn tile(c: &mut Call) -> Result<Value> {
    let t = subject(c)?;
    let n = match c.arg(1).as_int() {
        Some(_) if t.rank() == 1 => natural(&[c.index(1)?], c.span)?[0],
        _ => {
            return c.raise(
                NotImplementedError,
                "tile of rank 1, by an int, is supported",
            );
        }
    };
    reserve(&[t.len(), n], c.span, c.names)?;
    let values = t.values().repeat(n);
    Ok(table(t.dtype, vec![values.len()], values))
}

fn repeat(c: &mut Call) -> Result<Value> {
    let t = subject(c)?;
    let n = natural(&[c.index(1)?], c.span)?[0];
    reserve(&[t.len(), n], c.span, c.names)?;
    let values: Vec<Num> = t.values().into_iter().flat_map(|v| vec![v; n]).collect();
    Ok(table(t.dtype, vec![values.len()], values))
}

fn roll(c: &mut Call) -> Result<Value> {
    let t = subject(c)?;
    reserve(&t.shape, c.span, c.names)?;
    let mut values = t.values();
    if !values.is_empty() {
        let shift = c.index(1)?.rem_euclid(values.len() as i64);
        values.rotate_right(shift as usize);
    }
    Ok(table(t.dtype, t.shape.clone(), values))
}

fn reversed(t: &Table, axes: usize) -> Result<Value> {
    let mut flipped = t.clone();
    for axis in 0..axes {
        flipped.offset += (t.shape[axis] as isize - 1).max(0) * t.strides[axis];
        flipped.strides[axis] = -t.strides[axis];
    }
    Ok(flipped.wrapped())
}

fn diff(c: &mut Call) -> Result<Value> {
    let t = subject(c)?;
    if t.rank() != 1 {
        return c.raise(NotImplementedError, "diff of rank 1 is supported");
    }
    let values = t.values();
    let later = values.iter().skip(1).copied().collect::<Vec<_>>();
    let n = later.len();
    let (a, b) = (
        table(t.dtype, vec![n], later),
        table(t.dtype, vec![n], values[..n].to_vec()),
    );
    binary(Operator::Sub, &a, &b, c.span, c.names)
}

fn convolve(c: &mut Call) -> Result<Value> {
    let a = subject(c)?;
    let v = c.arg(1).clone();
    let v = array(&v, None, c.span, c.names)?;
    let dtype = promote(a.dtype, v.dtype);
    if dtype.is_float() {
        let message = "the last bits of a convolution of floats depend on numpy's library";
        return fail(c.span, Problem::Unsupported(message.into()));
    }
    if a.rank() != 1 || v.rank() != 1 || a.is_empty() || v.is_empty() {
        return c.raise(ValueError, "the arrays have rank 1 and are not empty");
    }
    let n = a.len() + v.len() - 1;
    reserve(&[n], c.span, c.names)?;
    c.names
        .tick(c.span, (a.len() as u64).saturating_mul(v.len() as u64))?;
    let mut sums = vec![0i128; n];
    for (i, x) in a.values().into_iter().enumerate() {
        for (j, y) in v.values().into_iter().enumerate() {
            if let (Num::Int(x), Num::Int(y)) = (x, y) {
                sums[i + j] = sums[i + j].wrapping_add(x.wrapping_mul(y));
            }
        }
    }
    let values = sums.into_iter().map(|v| dtype.fit(Num::Int(v))).collect();
    Ok(table(dtype, vec![n], values))
}

fn array_equal(c: &mut Call) -> Result<Value> {
    let (a, b) = (c.arg(0).clone(), c.arg(1).clone());
    let left = array(&a, None, c.span, c.names)?;
    let right = array(&b, None, c.span, c.names)?;
    if left.shape != right.shape {
        return Ok(Value::Bool(false));
    }
    let (left, right) = (wrapped_any(left), wrapped_any(right));
    match compare(CmpOp::Eq, &left, &right, c.span, c.names)? {
        Value::Table(t) => Ok(Value::Bool(t.values().iter().all(|v| v.nonzero()))),
        other => Ok(other),
    }
}

/// A symmetric window of M points: `f(n, M - 1)` for n from 1 - M in steps of 2.
fn window(c: &mut Call, f: fn(f64, f64) -> f64) -> Result<Value> {
    let m = c.index(0)?;
    let points = natural(&[m.max(0)], c.span)?[0];
    reserve(&[points], c.span, c.names)?;
    let values = (0..points).map(|i| match points {
        1 => Num::Float(1.0),
        _ => Num::Float(f((2 * i as i64 + 1 - m) as f64, (m - 1) as f64)),
    });
    Ok(table(Dtype::Float(64), vec![points], values.collect()))
}
