//! Python's built-in functions and types.

use crate::arithmetic;
use crate::containers::{dict_of, set_of};
use crate::convert::{int_of_float, to_float, to_int};
use crate::error::Exception::{
    AttributeError, OverflowError, StopIteration, TypeError, ValueError,
};
use crate::error::{Limit, Problem, fail};
use crate::format::format as format_value;
use crate::iterate::{self, collect};
use crate::library::iterators::{Enumerate, Filter, Map, Zip};
use crate::library::sorting::sort;
use crate::library::strings;
use crate::native::{in_table, native, variadic};
use crate::numbers::f64_from_int;
use crate::numpy::operations::absolute;
use crate::objects::{self, call_method};
use crate::operators::{binary, compare_pair, truth};
use crate::range::Range;
use crate::text;
use crate::types::is_instance;
use crate::value::{Args, Call, Class, Descriptor, Failure, IterRef, Native, Result, Value};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};
use ruff_python_ast::{CmpOp, Operator};
use std::rc::Rc;

/// Built-ins by their names.
pub static TABLE: &[Native] = &[
    native("bool", &["x"], 0, |c| Ok(Value::Bool(c.flag(0)?))),
    native("int", &["x", "base"], 0, int),
    native("float", &["x"], 0, float),
    native("str", &["object"], 0, str),
    native("list", &["iterable"], 0, list),
    native("tuple", &["iterable"], 0, tuple),
    native("dict", &["iterable", "**"], 0, dict),
    native("set", &["iterable"], 0, |c| set(c, false)),
    native("frozenset", &["iterable"], 0, |c| set(c, true)),
    variadic("range", &[], range),
    native("len", &["object"], 1, len),
    variadic("min", &["*key", "*default"], |c| extremum(c, CmpOp::Lt)),
    variadic("max", &["*key", "*default"], |c| extremum(c, CmpOp::Gt)),
    native("abs", &["x"], 1, abs),
    variadic("print", &["*sep", "*end"], print),
    native("round", &["number", "ndigits"], 1, round),
    native("sum", &["iterable", "start"], 1, sum),
    native("sorted", &["iterable", "*key", "*reverse"], 1, sorted),
    native("reversed", &["sequence"], 1, reversed),
    native("any", &["iterable"], 1, |c| quantify(c, true)),
    native("all", &["iterable"], 1, |c| quantify(c, false)),
    native("enumerate", &["iterable", "start"], 1, enumerate),
    variadic("zip", &["*strict"], zip),
    variadic("map", &["function"], map),
    native("filter", &["function", "iterable"], 2, filter),
    native("iter", &["object"], 1, iter),
    native("next", &["iterator", "default"], 1, next),
    native("divmod", &["a", "b"], 2, divmod),
    native("pow", &["base", "exp", "mod"], 2, pow),
    native("bin", &["x"], 1, |c| radix(c, "#b")),
    native("oct", &["x"], 1, |c| radix(c, "#o")),
    native("hex", &["x"], 1, |c| radix(c, "#x")),
    native("chr", &["i"], 1, chr),
    native("ord", &["c"], 1, ord),
    native("repr", &["object"], 1, repr),
    native("format", &["value", "spec"], 1, format),
    native("isinstance", &["object", "class"], 2, isinstance),
    native("issubclass", &["class", "base"], 2, issubclass),
    native("type", &["object"], 1, |c| Ok(type_of(c.arg(0)))),
    native("callable", &["object"], 1, callable),
    native("hasattr", &["object", "name"], 2, hasattr),
    native("getattr", &["object", "name", "default"], 2, getattr),
    native("setattr", &["object", "name", "value"], 3, setattr),
    native("slice", &["start", "stop", "step"], 1, slice),
    native("property", &["function"], 1, |c| {
        descriptor(c, Descriptor::Property)
    }),
    native("staticmethod", &["function"], 1, |c| {
        descriptor(c, Descriptor::Static)
    }),
    native("classmethod", &["function"], 1, |c| {
        descriptor(c, Descriptor::Class)
    }),
    native("super", &["type", "object"], 2, no_super),
    native("NotImplemented", &[], 0, |c| Ok(c.this.clone())),
];

/// Functions that no built-in name refers to.
pub static HIDDEN: &[Native] = &[
    native("str.join", &["separator", "iterable"], 2, |c| {
        c.this = c.arg(0).clone();
        let items = c.items(1)?;
        strings::join(c, &items)
    }),
    native("dict.fromkeys", &["iterable", "value"], 1, |c| {
        let value = c.arg(1).clone();
        let pairs = c.items(0)?.into_iter().map(|k| vec![k, value.clone()]);
        dict_of(pairs.collect(), c.span, c.names)
    }),
    native("NoneType", &[], 0, |_| Ok(Value::None)),
    native("function", &[], 0, |_| Ok(Value::None)),
    native("object", &[], 0, |_| Ok(Value::None)),
    native("generator", &[], 0, |_| Ok(Value::None)),
    native("numpy.ndarray", &[], 0, |_| Ok(Value::None)),
];

fn int(c: &mut Call) -> Result<Value> {
    let span = c.span;
    let value = match (c.opt(0), c.opt(1)) {
        (None, _) => BigInt::ZERO,
        (Some(Value::Str(text)), None) => text::int_of(text, 10, span)?,
        (Some(Value::Str(text)), Some(_)) => {
            let base = c.index(1)?;
            if base != 0 && !(2..=36).contains(&base) {
                return c.raise(ValueError, "the base is 0 or from 2 to 36");
            }
            text::int_of(text, base as u32, span)?
        }
        (Some(_), Some(_)) => return c.raise(TypeError, "only text has a base"),
        (Some(Value::Object(_)), None) => {
            let object = c.arg(0).clone();
            match (object.as_int(), method(c, &object, "__int__")?) {
                (_, Some(result)) => to_int(&result, span)?,
                (Some(v), None) => v,
                (None, None) => to_int(&object, span)?,
            }
        }
        (Some(value), None) => to_int(value, span)?,
    };
    Ok(Value::Int(value))
}

fn method(c: &mut Call, object: &Value, name: &str) -> Result<Option<Value>> {
    call_method(object, name, vec![], c.span, c.names)
}

fn float(c: &mut Call) -> Result<Value> {
    Ok(Value::Float(match c.opt(0) {
        None => 0.0,
        Some(Value::Str(text)) => text::float_of(text, c.span)?,
        Some(value @ Value::Object(_)) if value.as_int().is_none() => {
            let value = value.clone();
            match method(c, &value, "__float__")? {
                Some(result) => to_float(&result, c.span)?,
                None => to_float(&value, c.span)?,
            }
        }
        Some(value) => {
            let result = to_float(value, c.span)?;
            if result.is_infinite() && value.as_int().is_some() {
                return c.raise(OverflowError, "the int is too large for a float");
            }
            result
        }
    }))
}

fn str(c: &mut Call) -> Result<Value> {
    match c.opt(0).cloned() {
        None => Ok(Value::str("")),
        Some(value) => Ok(Value::Str(text::str(&value, c.span, c.names)?)),
    }
}

fn repr(c: &mut Call) -> Result<Value> {
    let value = c.arg(0).clone();
    Ok(Value::Str(text::repr(&value, c.span, c.names)?))
}

fn format(c: &mut Call) -> Result<Value> {
    let value = c.arg(0).clone();
    let spec = match c.opt(1) {
        None => "".into(),
        Some(_) => c.str(1)?,
    };
    let text = format_value(&value, &spec, c.span, c.names)?;
    Ok(Value::Str(text.into()))
}

/// The elements of the first argument, or none.
fn given(c: &mut Call) -> Result<Vec<Value>> {
    match c.opt(0) {
        None => Ok(Vec::new()),
        Some(_) => c.items(0),
    }
}

fn list(c: &mut Call) -> Result<Value> {
    Ok(Value::list(given(c)?))
}

fn tuple(c: &mut Call) -> Result<Value> {
    Ok(Value::tuple(given(c)?))
}

fn set(c: &mut Call, frozenset: bool) -> Result<Value> {
    let items = given(c)?;
    set_of(items, frozenset, c.span, c.names)
}

fn dict(c: &mut Call) -> Result<Value> {
    let mut pairs = Vec::new();
    match c.opt(0).cloned() {
        None => {}
        Some(Value::Dict(dict)) => {
            let entries = dict.get();
            pairs.extend(entries.values().map(|(k, v)| vec![k.clone(), v.clone()]));
        }
        Some(_) => {
            for pair in c.items(0)? {
                pairs.push(collect(&pair, c.span, c.names)?);
            }
        }
    }
    let named = std::mem::take(&mut c.named);
    pairs.extend(named.into_iter().map(|(k, v)| vec![Value::str(&k), v]));
    dict_of(pairs, c.span, c.names)
}

fn print(c: &mut Call) -> Result<Value> {
    let part = |value: Option<&Value>, default: &str| match value {
        Some(Value::Str(s)) => s.to_string(),
        _ => default.to_owned(),
    };
    let (separator, end) = (part(c.opt(0), " "), part(c.opt(1), "\n"));
    let mut line = String::new();
    for (i, value) in std::mem::take(&mut c.rest).iter().enumerate() {
        if i > 0 {
            line.push_str(&separator);
        }
        line.push_str(&text::str(value, c.span, c.names)?);
    }
    c.names.tick(c.span, 16 + line.len() as u64)?;
    eprint!("{line}{end}");
    Ok(Value::None)
}

fn round(c: &mut Call) -> Result<Value> {
    let value = c.arg(0).clone();
    let digits = match c.opt(1) {
        None | Some(Value::None) => None,
        Some(_) => Some(c.index(1)?),
    };
    match (value.as_int(), digits) {
        (Some(v), None | Some(0..)) => Ok(Value::Int(v)),
        (Some(v), Some(digits)) => {
            let Some(power) = u32::try_from(-digits).ok().filter(|p| *p <= 10_000) else {
                return Ok(Value::int(0));
            };
            Ok(Value::Int(round_to(&v, &BigInt::from(10).pow(power))))
        }
        (None, None) => {
            let v = c.float(0)?.round_ties_even();
            Ok(Value::Int(int_of_float(v, c.span)?))
        }
        (None, Some(digits)) => Ok(Value::Float(round_float(c.float(0)?, digits))),
    }
}

/// The multiple of `unit` nearest to `v`, ties to even multiples.
fn round_to(v: &BigInt, unit: &BigInt) -> BigInt {
    let (quotient, rest) = v.div_mod_floor(unit);
    let twice: BigInt = rest * 2;
    let up = twice > *unit || twice == *unit && quotient.is_odd();
    (quotient + u32::from(up)) * unit
}

/// A float rounded to decimal digits: exact, ties to even, as in Python.
fn round_float(v: f64, digits: i64) -> f64 {
    if !v.is_finite() || digits > 330 {
        return v;
    }
    if digits >= 0 {
        return format!("{v:.*}", digits as usize).parse().unwrap_or(v);
    }
    if digits < -310 {
        return 0.0f64.copysign(v);
    }
    let exact: BigInt = num_traits::FromPrimitive::from_f64(v.trunc()).unwrap_or_default();
    let unit = BigInt::from(10).pow(digits.unsigned_abs() as u32);
    // A fraction below breaks a tie upwards.
    let (quotient, rest) = exact.abs().div_mod_floor(&unit);
    let twice: BigInt = rest * 2;
    let up = twice > unit || twice == unit && (v.fract() != 0.0 || quotient.is_odd());
    let magnitude: BigInt = (quotient + u32::from(up)) * unit;
    f64_from_int(&magnitude).copysign(v)
}

fn sum(c: &mut Call) -> Result<Value> {
    let items = c.items(0)?;
    let mut total = c.opt(1).cloned().unwrap_or(Value::int(0));
    if matches!(total, Value::Str(_)) {
        return c.raise(TypeError, "strings are not summed: use join");
    }
    for item in items {
        total = binary(Operator::Add, total, item, c.span, c.names)?;
    }
    Ok(total)
}

fn sorted(c: &mut Call) -> Result<Value> {
    let items = c.items(0)?;
    let key = c.opt(1).cloned();
    let reverse = c.flag(2)?;
    Ok(Value::list(sort(items, key, reverse, c.span, c.names)?))
}

fn reversed(c: &mut Call) -> Result<Value> {
    let items = match c.arg(0) {
        Value::Range(_)
        | Value::List(_)
        | Value::Tuple(_)
        | Value::Str(_)
        | Value::Dict(_)
        | Value::Table(_) => c.items(0)?,
        other => {
            let message = format!("{} has no reversed order", other.kind());
            return c.raise(TypeError, message);
        }
    };
    let items = items.into_iter().rev().collect();
    Ok(Value::Iter(IterRef::items(items)))
}

fn quantify(c: &mut Call, wanted: bool) -> Result<Value> {
    let value = c.arg(0).clone();
    let source = iterate::iter(&value, c.span, c.names)?;
    while let Some(item) = iterate::next(&source, c.span, c.names)? {
        if truth(&item, c.span, c.names)? == wanted {
            return Ok(Value::Bool(wanted));
        }
    }
    Ok(Value::Bool(!wanted))
}

fn source(c: &mut Call, value: &Value) -> Result<IterRef> {
    iterate::iter(value, c.span, c.names)
}

fn enumerate(c: &mut Call) -> Result<Value> {
    let start = match c.opt(1) {
        None => BigInt::ZERO,
        Some(_) => c.int(1)?,
    };
    let value = c.arg(0).clone();
    Ok(IterRef::value(Enumerate(source(c, &value)?, start)))
}

fn sources(c: &mut Call) -> Result<Vec<IterRef>> {
    let rest = std::mem::take(&mut c.rest);
    rest.iter().map(|value| source(c, value)).collect()
}

fn zip(c: &mut Call) -> Result<Value> {
    let strict = c.flag(0)?;
    let sources = sources(c)?;
    Ok(IterRef::value(Zip { sources, strict }))
}

fn map(c: &mut Call) -> Result<Value> {
    let sources = sources(c)?;
    if sources.is_empty() {
        return c.raise(TypeError, "map takes a function and an iterable");
    }
    Ok(IterRef::value(Map(c.arg(0).clone(), sources)))
}

fn filter(c: &mut Call) -> Result<Value> {
    let value = c.arg(1).clone();
    let source = source(c, &value)?;
    Ok(IterRef::value(Filter(c.arg(0).clone(), source)))
}

fn iter(c: &mut Call) -> Result<Value> {
    let value = c.arg(0).clone();
    Ok(Value::Iter(source(c, &value)?))
}

fn next(c: &mut Call) -> Result<Value> {
    let value = c.arg(0).clone();
    let item = match &value {
        Value::Iter(source) => iterate::next(source, c.span, c.names)?,
        Value::Object(_) => method(c, &value, "__next__")?,
        other => {
            let message = format!("{} is no iterator", other.kind());
            return c.raise(TypeError, message);
        }
    };
    match item.or_else(|| c.opt(1).cloned()) {
        Some(item) => Ok(item),
        None => c.raise(StopIteration, "the iterator is at its end"),
    }
}

fn divmod(c: &mut Call) -> Result<Value> {
    let (a, b) = (c.arg(0).clone(), c.arg(1).clone());
    let quotient = binary(Operator::FloorDiv, a.clone(), b.clone(), c.span, c.names)?;
    let rest = binary(Operator::Mod, a, b, c.span, c.names)?;
    Ok(Value::tuple(vec![quotient, rest]))
}

fn pow(c: &mut Call) -> Result<Value> {
    let (Some(Value::None) | None) = c.opt(2) else {
        let (base, exponent, modulus) = (c.int(0)?, c.int(1)?, c.int(2)?);
        if modulus.is_zero() {
            return c.raise(ValueError, "the modulus is 0");
        }
        let words = 1 + (modulus.bits() + base.bits()) / 64;
        c.names
            .tick(c.span, exponent.bits().saturating_mul(words * words) / 64)?;
        if exponent.is_negative() {
            let inverse = base.modinv(&modulus);
            let Some(inverse) = inverse else {
                return c.raise(ValueError, "the base is not invertible");
            };
            return Ok(Value::Int(inverse.modpow(&-exponent, &modulus)));
        }
        return Ok(Value::Int(base.modpow(&exponent, &modulus)));
    };
    let (a, b) = (c.arg(0).clone(), c.arg(1).clone());
    binary(Operator::Pow, a, b, c.span, c.names)
}

fn radix(c: &mut Call, spec: &str) -> Result<Value> {
    let value = Value::Int(c.int(0)?);
    let text = format_value(&value, spec, c.span, c.names)?;
    Ok(Value::Str(text.into()))
}

fn chr(c: &mut Call) -> Result<Value> {
    match c.int(0)?.to_u32().and_then(char::from_u32) {
        Some(v) => Ok(Value::Str(v.to_string().into())),
        None => c.raise(ValueError, "the int is no character"),
    }
}

fn ord(c: &mut Call) -> Result<Value> {
    let text = c.str(0)?;
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(v), None) => Ok(Value::int(v as u32)),
        _ => c.raise(TypeError, "ord takes one character"),
    }
}

fn isinstance(c: &mut Call) -> Result<Value> {
    is_instance(c.arg(0), c.arg(1), c.span).map(Value::Bool)
}

fn issubclass(c: &mut Call) -> Result<Value> {
    match (c.arg(0), c.arg(1)) {
        (Value::Class(a), Value::Class(b)) => Ok(Value::Bool(a.is_subclass(b))),
        _ => fail(
            c.span,
            Problem::Unsupported("issubclass takes classes of the file".into()),
        ),
    }
}

fn callable(c: &mut Call) -> Result<Value> {
    Ok(Value::Bool(match c.arg(0) {
        Value::Object(_) => {
            let object = c.arg(0).clone();
            objects::method(&object, "__call__", c.span, c.names)?.is_some()
        }
        Value::Function(_) | Value::Native(_) | Value::Bound(_) | Value::Class(_) => true,
        Value::Host(thing) => thing.callable(),
        _ => false,
    }))
}

fn hasattr(c: &mut Call) -> Result<Value> {
    let (object, name) = (c.arg(0).clone(), c.str(1)?);
    let found = c.names.attribute(&object, &name, c.span)?;
    Ok(Value::Bool(found.is_some()))
}

fn getattr(c: &mut Call) -> Result<Value> {
    let (object, name) = (c.arg(0).clone(), c.str(1)?);
    let found = c.names.attribute(&object, &name, c.span)?;
    match found.or_else(|| c.opt(2).cloned()) {
        Some(value) => Ok(value),
        None => {
            let message = format!("{} has no attribute '{name}'", object.kind());
            c.raise(AttributeError, message)
        }
    }
}

fn setattr(c: &mut Call) -> Result<Value> {
    let (object, name, value) = (c.arg(0).clone(), c.str(1)?, c.arg(2).clone());
    objects::set_attribute(&object, &name, value, c.span, c.names)?;
    Ok(Value::None)
}

fn slice(c: &mut Call) -> Result<Value> {
    let part = |i: usize| c.opt(i).cloned().unwrap_or(Value::None);
    let parts = match c.opt(1) {
        None => [Value::None, part(0), Value::None],
        Some(_) => [part(0), part(1), part(2)],
    };
    Ok(Value::Slice(Rc::new(parts)))
}

fn descriptor(c: &mut Call, kind: Descriptor) -> Result<Value> {
    Ok(Value::Descriptor(kind, Rc::new(c.arg(0).clone())))
}

fn no_super(c: &mut Call) -> Result<Value> {
    fail(
        c.span,
        Problem::Unsupported("super() takes no arguments here".into()),
    )
}

fn len(c: &mut Call) -> Result<Value> {
    let len = match c.arg(0) {
        Value::Str(s) => s.chars().count(),
        Value::Tuple(items) => items.len(),
        Value::List(items) => items.get().len(),
        Value::Dict(items) => items.get().len(),
        Value::Set(items) => items.get().items.len(),
        Value::Table(table) if table.rank() > 0 => table.shape[0],
        Value::Range(range) => return Ok(Value::int(range.len())),
        Value::Class(class) if class.members().is_some() => {
            class.members().unwrap_or_default().len()
        }
        object @ Value::Object(_) => {
            let object = object.clone();
            if let Some(items) = object.sequence() {
                return Ok(Value::int(items.len()));
            }
            return match method(c, &object, "__len__")? {
                Some(len) => Ok(len),
                None => c.raise(TypeError, "the object has no length"),
            };
        }
        other => return c.raise(TypeError, format!("{} has no length", other.kind())),
    };
    Ok(Value::int(len))
}

fn range(c: &mut Call) -> Result<Value> {
    let rest = std::mem::take(&mut c.rest);
    let args = Args::positional(rest, c.span);
    args.expect(1, 3, "range")?;
    let mut ints = Vec::new();
    for value in &args.positional {
        match value.as_int().map(|v| v.to_i64()) {
            Some(Some(v)) => ints.push(v),
            Some(None) => return fail(c.span, Limit::RangeBounds),
            None => return c.raise(TypeError, "range needs ints"),
        }
    }
    let (start, stop, step) = match ints[..] {
        [stop] => (0, stop, 1),
        [start, stop] => (start, stop, 1),
        [start, stop, step] => (start, stop, step),
        _ => (0, 0, 1),
    };
    if step == 0 {
        return c.raise(ValueError, "range with step 0");
    }
    Ok(Value::Range(Range { start, stop, step }))
}

fn extremum(c: &mut Call, better: CmpOp) -> Result<Value> {
    let rest = std::mem::take(&mut c.rest);
    let items = match &rest[..] {
        [] => return c.raise(TypeError, "there is nothing to choose from"),
        [single] => collect(single, c.span, c.names)?,
        _ => rest,
    };
    let key = c.opt(0).cloned().filter(|k| !matches!(k, Value::None));
    let mut best: Option<(Value, Value)> = None;
    for item in items {
        let by = match &key {
            None => item.clone(),
            Some(f) => c.call(f, vec![item.clone()])?,
        };
        let wins = match &best {
            None => true,
            Some((known, _)) => {
                let verdict = compare_pair(better, by.clone(), known.clone(), c.span, c.names)?;
                truth(&verdict, c.span, c.names)?
            }
        };
        if wins {
            best = Some((by, item));
        }
    }
    match best.map(|(_, item)| item).or_else(|| c.opt(1).cloned()) {
        Some(item) => Ok(item),
        None => c.raise(ValueError, "the sequence is empty"),
    }
}

fn abs(c: &mut Call) -> Result<Value> {
    let value = c.arg(0).clone();
    if let Value::Table(table) = &value {
        return absolute(table, c.span, c.names);
    }
    if let Some(result) = method(c, &value, "__abs__")? {
        return Ok(result);
    }
    arithmetic::abs(&[value]).map_err(|problem| Failure::new(c.span, problem))
}

/// `type(value)`.
pub fn type_of(value: &Value) -> Value {
    match value {
        Value::Object(object) => Value::Class(object.class.clone()),
        Value::Table(table) if table.rank() == 0 => Value::Dtype(table.dtype),
        other => by_name(other.type_name()),
    }
}

/// The native function of a name, for places that make one up.
fn by_name(name: &str) -> Value {
    in_table(TABLE, name)
        .or_else(|| in_table(HIDDEN, name))
        .unwrap_or(Value::None)
}

/// The built-in function or class of a name.
pub fn builtin(name: &str) -> Option<Value> {
    in_table(TABLE, name)
        .or_else(|| Class::builtin(name).map(Value::Class))
        .filter(|_| !matches!(name, "Enum" | "IntEnum"))
}

/// Names of all built-in functions, for suggestions.
pub fn builtin_names<'a>() -> impl Iterator<Item = &'a str> {
    TABLE.iter().map(|n| n.name)
}
