//! Python's built-in functions and types.

use super::{Call, Native, by_name, in_table, int_of_float, native, to_float, variadic};
use crate::diagnostics::Span;
use crate::frontend::classes;
use crate::frontend::codes;
use crate::frontend::consteval::{
    ConstArgs, Names, binary, compare_pair, dict_of, named_attribute, truth,
};
use crate::frontend::error::{Result, fail};
use crate::frontend::iterate::{self, Iter, IterRef};
use crate::frontend::operators::python;
use crate::frontend::text;
use crate::frontend::values::{ConstValue, Descriptor};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};
use ruff_python_ast::{CmpOp, Operator};
use std::rc::Rc;

/// Built-ins by their names.
pub static TABLE: &[Native] = &[
    native("int", &["x", "base"], 0, int),
    native("float", &["x"], 0, float),
    native("str", &["object"], 0, str),
    native("list", &["iterable"], 0, list),
    native("tuple", &["iterable"], 0, tuple),
    native("dict", &["iterable", "**"], 0, dict),
    native("set", &["iterable"], 0, |c| set(c, false)),
    native("frozenset", &["iterable"], 0, |c| set(c, true)),
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
    native("type", &["object"], 1, |c| Ok(super::type_of(c.arg(0)))),
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
    variadic("__init__", &["**"], init),
    native("str.join", &["separator", "iterable"], 2, |c| {
        c.this = c.arg(0).clone();
        let items = c.items(1)?;
        super::strings::join(c, &items)
    }),
    native("dict.fromkeys", &["iterable", "value"], 1, |c| {
        let value = c.arg(1).clone();
        let pairs = c.items(0)?.into_iter().map(|k| vec![k, value.clone()]);
        dict_of(pairs.collect(), c.span, c.names)
    }),
    native("NoneType", &[], 0, |_| Ok(ConstValue::None)),
    native("function", &[], 0, |_| Ok(ConstValue::None)),
    native("object", &[], 0, |_| Ok(ConstValue::None)),
    native("generator", &[], 0, |_| Ok(ConstValue::None)),
    native("numpy.ndarray", &[], 0, |_| Ok(ConstValue::None)),
    native("range", &[], 0, |_| Ok(ConstValue::None)),
];

/// `__init__` of `object`, and of exceptions, which keeps the arguments.
fn init(c: &mut Call) -> Result<ConstValue> {
    let mut args = std::mem::take(&mut c.rest).into_iter();
    if let Some(ConstValue::Object(object)) = args.next()
        && object.class.exception().is_some()
        && let Some(mut attrs) = object.attrs.edit()
    {
        attrs.insert("args".into(), ConstValue::tuple(args.collect()));
    }
    Ok(ConstValue::None)
}

fn int(c: &mut Call) -> Result<ConstValue> {
    let span = c.span;
    let value = match (c.opt(0), c.opt(1)) {
        (None, _) => BigInt::ZERO,
        (Some(ConstValue::Str(text)), None) => text::int_of(text, 10, span)?,
        (Some(ConstValue::Str(text)), Some(_)) => {
            let base = c.index(1)?;
            if base != 0 && !(2..=36).contains(&base) {
                return c.raise("ValueError", "the base is 0 or from 2 to 36");
            }
            text::int_of(text, base as u32, span)?
        }
        (Some(_), Some(_)) => return c.raise("TypeError", "only text has a base"),
        (Some(ConstValue::Object(_)), None) => {
            let object = c.arg(0).clone();
            match (object.as_int(), method(c, &object, "__int__")?) {
                (_, Some(result)) => super::to_int(&result, span)?,
                (Some(v), None) => v,
                (None, None) => super::to_int(&object, span)?,
            }
        }
        (Some(value), None) => super::to_int(value, span)?,
    };
    Ok(ConstValue::Int(value))
}

fn method(c: &mut Call, object: &ConstValue, name: &str) -> Result<Option<ConstValue>> {
    classes::call_method(object, name, vec![], c.span, c.names)
}

fn float(c: &mut Call) -> Result<ConstValue> {
    Ok(ConstValue::Float(match c.opt(0) {
        None => 0.0,
        Some(ConstValue::Str(text)) => text::float_of(text, c.span)?,
        Some(value @ ConstValue::Object(_)) if value.as_int().is_none() => {
            let value = value.clone();
            match method(c, &value, "__float__")? {
                Some(result) => to_float(&result, c.span)?,
                None => to_float(&value, c.span)?,
            }
        }
        Some(value) => {
            let result = to_float(value, c.span)?;
            if result.is_infinite() && value.as_int().is_some() {
                return c.raise("OverflowError", "the int is too large for a float");
            }
            result
        }
    }))
}

fn str(c: &mut Call) -> Result<ConstValue> {
    match c.opt(0).cloned() {
        None => Ok(ConstValue::str("")),
        Some(value) => Ok(ConstValue::Str(text::str(&value, c.span, c.names)?)),
    }
}

fn repr(c: &mut Call) -> Result<ConstValue> {
    let value = c.arg(0).clone();
    Ok(ConstValue::Str(text::repr(&value, c.span, c.names)?))
}

fn format(c: &mut Call) -> Result<ConstValue> {
    let value = c.arg(0).clone();
    let spec = match c.opt(1) {
        None => "".into(),
        Some(_) => c.str(1)?,
    };
    let text = text::format(&value, &spec, c.span, c.names)?;
    Ok(ConstValue::Str(text.into()))
}

/// The elements of the first argument, or none.
fn given(c: &mut Call) -> Result<Vec<ConstValue>> {
    match c.opt(0) {
        None => Ok(Vec::new()),
        Some(_) => c.items(0),
    }
}

fn list(c: &mut Call) -> Result<ConstValue> {
    Ok(ConstValue::list(given(c)?))
}

fn tuple(c: &mut Call) -> Result<ConstValue> {
    Ok(ConstValue::tuple(given(c)?))
}

fn set(c: &mut Call, frozenset: bool) -> Result<ConstValue> {
    let items = given(c)?;
    super::set_of(items, frozenset, c.span, c.names)
}

fn dict(c: &mut Call) -> Result<ConstValue> {
    let mut pairs = Vec::new();
    match c.opt(0).cloned() {
        None => {}
        Some(ConstValue::Dict(dict)) => {
            let entries = dict.get();
            pairs.extend(entries.values().map(|(k, v)| vec![k.clone(), v.clone()]));
        }
        Some(_) => {
            for pair in c.items(0)? {
                pairs.push(iterate::collect(&pair, c.span, c.names)?);
            }
        }
    }
    let named = std::mem::take(&mut c.named);
    pairs.extend(named.into_iter().map(|(k, v)| vec![ConstValue::str(&k), v]));
    dict_of(pairs, c.span, c.names)
}

fn print(c: &mut Call) -> Result<ConstValue> {
    let part = |value: Option<&ConstValue>, default: &str| match value {
        Some(ConstValue::Str(s)) => s.to_string(),
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
    Ok(ConstValue::None)
}

fn round(c: &mut Call) -> Result<ConstValue> {
    let value = c.arg(0).clone();
    let digits = match c.opt(1) {
        None | Some(ConstValue::None) => None,
        Some(_) => Some(c.index(1)?),
    };
    match (value.as_int(), digits) {
        (Some(v), None | Some(0..)) => Ok(ConstValue::Int(v)),
        (Some(v), Some(digits)) => {
            let Some(power) = u32::try_from(-digits).ok().filter(|p| *p <= 10_000) else {
                return Ok(ConstValue::int(0));
            };
            Ok(ConstValue::Int(round_to(&v, &BigInt::from(10).pow(power))))
        }
        (None, None) => {
            let v = c.float(0)?.round_ties_even();
            Ok(ConstValue::Int(int_of_float(v, c.span)?))
        }
        (None, Some(digits)) => Ok(ConstValue::Float(round_float(c.float(0)?, digits))),
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
pub fn round_float(v: f64, digits: i64) -> f64 {
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
    crate::frontend::literals::f64_from_int(&magnitude).copysign(v)
}

fn sum(c: &mut Call) -> Result<ConstValue> {
    let items = c.items(0)?;
    let mut total = c.opt(1).cloned().unwrap_or(ConstValue::int(0));
    if matches!(total, ConstValue::Str(_)) {
        return c.raise("TypeError", "strings are not summed: use join");
    }
    for item in items {
        total = binary(Operator::Add, total, item, c.span, c.names)?;
    }
    Ok(total)
}

fn sorted(c: &mut Call) -> Result<ConstValue> {
    let items = c.items(0)?;
    let key = c.opt(1).cloned();
    let reverse = c.flag(2)?;
    Ok(ConstValue::list(sort(
        items, key, reverse, c.span, c.names,
    )?))
}

/// A stable sort by `<`; an error of the comparison ends it.
pub fn sort(
    items: Vec<ConstValue>,
    key: Option<ConstValue>,
    reverse: bool,
    span: Span,
    names: &mut dyn Names,
) -> Result<Vec<ConstValue>> {
    let mut keyed = Vec::with_capacity(items.len());
    for item in items {
        let by = match &key {
            None | Some(ConstValue::None) => item.clone(),
            Some(f) => {
                let args = ConstArgs::positional(vec![item.clone()], span);
                crate::frontend::consteval::call(f, args, names)?
            }
        };
        keyed.push((by, item));
    }
    if reverse {
        keyed.reverse();
    }
    let mut width = 1;
    while width < keyed.len() {
        let mut merged = Vec::with_capacity(keyed.len());
        let mut rest = keyed.into_iter().peekable();
        while rest.peek().is_some() {
            let left: Vec<_> = rest.by_ref().take(width).collect();
            let right: Vec<_> = rest.by_ref().take(width).collect();
            merge(left, right, &mut merged, span, names)?;
        }
        keyed = merged;
        width *= 2;
    }
    if reverse {
        keyed.reverse();
    }
    Ok(keyed.into_iter().map(|(_, item)| item).collect())
}

type Keyed = (ConstValue, ConstValue);

fn merge(
    left: Vec<Keyed>,
    right: Vec<Keyed>,
    out: &mut Vec<Keyed>,
    span: Span,
    names: &mut dyn Names,
) -> Result<()> {
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some((a, _)), Some((b, _))) = (left.peek(), right.peek()) {
        names.tick(span, 1)?;
        let less = compare_pair(CmpOp::Lt, b.clone(), a.clone(), span, names)?;
        let next = if truth(&less, span, names)? {
            right.next()
        } else {
            left.next()
        };
        out.extend(next);
    }
    out.extend(left);
    out.extend(right);
    Ok(())
}

fn reversed(c: &mut Call) -> Result<ConstValue> {
    let items = match c.arg(0) {
        ConstValue::Range(_)
        | ConstValue::List(_)
        | ConstValue::Tuple(_)
        | ConstValue::Str(_)
        | ConstValue::Dict(_)
        | ConstValue::Table(_) => c.items(0)?,
        other => {
            let message = format!("{} has no reversed order", other.kind());
            return c.raise("TypeError", message);
        }
    };
    Ok(IterRef::of(Iter::Items(
        items.into_iter().rev().collect::<Vec<_>>().into_iter(),
    )))
}

fn quantify(c: &mut Call, wanted: bool) -> Result<ConstValue> {
    let value = c.arg(0).clone();
    let source = iterate::iter(&value, c.span, c.names)?;
    while let Some(item) = iterate::next(&source, c.span, c.names)? {
        if truth(&item, c.span, c.names)? == wanted {
            return Ok(ConstValue::Bool(wanted));
        }
    }
    Ok(ConstValue::Bool(!wanted))
}

fn source(c: &mut Call, value: &ConstValue) -> Result<IterRef> {
    iterate::iter(value, c.span, c.names)
}

fn enumerate(c: &mut Call) -> Result<ConstValue> {
    let start = match c.opt(1) {
        None => BigInt::ZERO,
        Some(_) => c.int(1)?,
    };
    let value = c.arg(0).clone();
    Ok(IterRef::of(Iter::Enumerate(source(c, &value)?, start)))
}

fn sources(c: &mut Call) -> Result<Vec<IterRef>> {
    let rest = std::mem::take(&mut c.rest);
    rest.iter().map(|value| source(c, value)).collect()
}

fn zip(c: &mut Call) -> Result<ConstValue> {
    let strict = c.flag(0)?;
    Ok(IterRef::of(Iter::Zip(sources(c)?, strict)))
}

fn map(c: &mut Call) -> Result<ConstValue> {
    let sources = sources(c)?;
    if sources.is_empty() {
        return c.raise("TypeError", "map takes a function and an iterable");
    }
    Ok(IterRef::of(Iter::Map(c.arg(0).clone(), sources)))
}

fn filter(c: &mut Call) -> Result<ConstValue> {
    let value = c.arg(1).clone();
    Ok(IterRef::of(Iter::Filter(
        c.arg(0).clone(),
        source(c, &value)?,
    )))
}

fn iter(c: &mut Call) -> Result<ConstValue> {
    let value = c.arg(0).clone();
    Ok(ConstValue::Iter(source(c, &value)?))
}

fn next(c: &mut Call) -> Result<ConstValue> {
    let value = c.arg(0).clone();
    let item = match &value {
        ConstValue::Iter(source) => iterate::next(source, c.span, c.names)?,
        ConstValue::Object(_) => method(c, &value, "__next__")?,
        other => {
            let message = format!("{} is no iterator", other.kind());
            return c.raise("TypeError", message);
        }
    };
    match item.or_else(|| c.opt(1).cloned()) {
        Some(item) => Ok(item),
        None => c.raise("StopIteration", "the iterator is at its end"),
    }
}

fn divmod(c: &mut Call) -> Result<ConstValue> {
    let (a, b) = (c.arg(0).clone(), c.arg(1).clone());
    let quotient = binary(Operator::FloorDiv, a.clone(), b.clone(), c.span, c.names)?;
    let rest = binary(Operator::Mod, a, b, c.span, c.names)?;
    Ok(ConstValue::tuple(vec![quotient, rest]))
}

fn pow(c: &mut Call) -> Result<ConstValue> {
    let (Some(ConstValue::None) | None) = c.opt(2) else {
        let (base, exponent, modulus) = (c.int(0)?, c.int(1)?, c.int(2)?);
        if modulus.is_zero() {
            return c.raise("ValueError", "the modulus is 0");
        }
        let words = 1 + (modulus.bits() + base.bits()) / 64;
        c.names
            .tick(c.span, exponent.bits().saturating_mul(words * words) / 64)?;
        if exponent.is_negative() {
            let inverse = base.modinv(&modulus);
            let Some(inverse) = inverse else {
                return c.raise("ValueError", "the base is not invertible");
            };
            return Ok(ConstValue::Int(inverse.modpow(&-exponent, &modulus)));
        }
        return Ok(ConstValue::Int(base.modpow(&exponent, &modulus)));
    };
    let (a, b) = (c.arg(0).clone(), c.arg(1).clone());
    binary(Operator::Pow, a, b, c.span, c.names)
}

fn radix(c: &mut Call, spec: &str) -> Result<ConstValue> {
    let value = ConstValue::Int(c.int(0)?);
    let text = text::format(&value, spec, c.span, c.names)?;
    Ok(ConstValue::Str(text.into()))
}

fn chr(c: &mut Call) -> Result<ConstValue> {
    match c.int(0)?.to_u32().and_then(char::from_u32) {
        Some(v) => Ok(ConstValue::Str(v.to_string().into())),
        None => c.raise("ValueError", "the int is no character"),
    }
}

fn ord(c: &mut Call) -> Result<ConstValue> {
    let text = c.str(0)?;
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(v), None) => Ok(ConstValue::int(v as u32)),
        _ => c.raise("TypeError", "ord takes one character"),
    }
}

fn isinstance(c: &mut Call) -> Result<ConstValue> {
    super::is_instance(c.arg(0), c.arg(1), c.span).map(ConstValue::Bool)
}

fn issubclass(c: &mut Call) -> Result<ConstValue> {
    match (c.arg(0), c.arg(1)) {
        (ConstValue::Class(a), ConstValue::Class(b)) => Ok(ConstValue::Bool(a.is_subclass(b))),
        _ => fail(
            codes::CONST_EVAL,
            c.span,
            "issubclass takes classes of the file",
        ),
    }
}

fn callable(c: &mut Call) -> Result<ConstValue> {
    Ok(ConstValue::Bool(match c.arg(0) {
        ConstValue::Object(_) => {
            let object = c.arg(0).clone();
            classes::method(&object, "__call__", c.span, c.names)?.is_some()
        }
        other => matches!(
            other,
            ConstValue::Function(_)
                | ConstValue::Native(_)
                | ConstValue::Bound(_)
                | ConstValue::Class(_)
                | ConstValue::Operator(_)
                | ConstValue::Builtin(_)
                | ConstValue::Kernel(_)
                | ConstValue::Remote(..)
        ),
    }))
}

fn hasattr(c: &mut Call) -> Result<ConstValue> {
    let (object, name) = (c.arg(0).clone(), c.str(1)?);
    classes::has_attribute(&object, &name, c.span, c.names).map(ConstValue::Bool)
}

fn getattr(c: &mut Call) -> Result<ConstValue> {
    let (object, name) = (c.arg(0).clone(), c.str(1)?);
    let found = named_attribute(&object, &name, c.span, c.names)?;
    match found.or_else(|| c.opt(2).cloned()) {
        Some(value) => Ok(value),
        None => {
            let message = format!("{} has no attribute '{name}'", object.kind());
            c.raise("AttributeError", message)
        }
    }
}

fn setattr(c: &mut Call) -> Result<ConstValue> {
    let (object, name, value) = (c.arg(0).clone(), c.str(1)?, c.arg(2).clone());
    classes::set_attribute(&object, &name, value, c.span, c.names)?;
    Ok(ConstValue::None)
}

fn slice(c: &mut Call) -> Result<ConstValue> {
    let part = |i: usize| c.opt(i).cloned().unwrap_or(ConstValue::None);
    let parts = match c.opt(1) {
        None => [ConstValue::None, part(0), ConstValue::None],
        Some(_) => [part(0), part(1), part(2)],
    };
    Ok(ConstValue::Slice(Rc::new(parts)))
}

fn descriptor(c: &mut Call, kind: Descriptor) -> Result<ConstValue> {
    Ok(ConstValue::Descriptor(kind, Rc::new(c.arg(0).clone())))
}

fn no_super(c: &mut Call) -> Result<ConstValue> {
    fail(codes::CONST_EVAL, c.span, "super() takes no arguments here")
}

/// `len(value)`.
pub fn length(value: &ConstValue, span: Span, names: &mut dyn Names) -> Result<ConstValue> {
    let len = match value {
        ConstValue::Str(s) => s.chars().count(),
        ConstValue::Tuple(items) => items.len(),
        ConstValue::List(items) => items.get().len(),
        ConstValue::Dict(items) => items.get().len(),
        ConstValue::Set(items) => items.get().items.len(),
        ConstValue::Table(table) if table.rank() > 0 => table.shape[0],
        ConstValue::Range(range) => return Ok(ConstValue::int(range.len())),
        ConstValue::Class(class) if class.members().is_some() => {
            class.members().unwrap_or_default().len()
        }
        ConstValue::Object(_) => {
            if let Some(len) = classes::call_method(value, "__len__", vec![], span, names)? {
                return Ok(len);
            }
            return crate::frontend::error::raise("TypeError", span, "the object has no length");
        }
        other => {
            let message = format!("{} has no length", other.kind());
            return crate::frontend::error::raise("TypeError", span, message);
        }
    };
    Ok(ConstValue::Int(len.into()))
}

static EXTENDED: &[Native] = &[
    variadic("min", &["*key", "*default"], |c| extremum(c, CmpOp::Lt)),
    variadic("max", &["*key", "*default"], |c| extremum(c, CmpOp::Gt)),
    native("abs", &["x"], 1, abs),
];

/// `min`, `max` and `abs` of any values.
pub fn extended(key: &str, args: ConstArgs, names: &mut dyn Names) -> Result<ConstValue> {
    match in_table(EXTENDED, key) {
        Some(ConstValue::Native(native)) => super::call(native, ConstValue::None, args, names),
        _ => Ok(by_name(key)),
    }
}

fn extremum(c: &mut Call, better: CmpOp) -> Result<ConstValue> {
    let rest = std::mem::take(&mut c.rest);
    let items = match &rest[..] {
        [] => return c.raise("TypeError", "there is nothing to choose from"),
        [single] => iterate::collect(single, c.span, c.names)?,
        _ => rest,
    };
    let key = c.opt(0).cloned().filter(|k| !matches!(k, ConstValue::None));
    let mut best: Option<(ConstValue, ConstValue)> = None;
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
        None => c.raise("ValueError", "the sequence is empty"),
    }
}

fn abs(c: &mut Call) -> Result<ConstValue> {
    let value = c.arg(0).clone();
    if let ConstValue::Table(table) = &value {
        return crate::frontend::numpy::absolute(table, c.span, c.names);
    }
    if let Some(result) = method(c, &value, "__abs__")? {
        return Ok(result);
    }
    match python::abs(&[value]) {
        Ok(result) => Ok(result.unwrap_or(ConstValue::None)),
        Err(message) => Err(crate::frontend::consteval::fold_failure(message, c.span)),
    }
}
