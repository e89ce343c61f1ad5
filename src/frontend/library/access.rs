//! Element access and operators of the containers, and the types of values.

use super::by_name;
use crate::diagnostics::Diagnostic;
use crate::diagnostics::Span;
use crate::frontend::classes::{self, Class};
use crate::frontend::codes;
use crate::frontend::consteval::{Names, charged, compare_pair, elements, hashable, truth};
use crate::frontend::containers::{Elements, Key, Shared};
use crate::frontend::error::{Failure, Raised, Result, fail, raise};
use crate::frontend::iterate;
use crate::frontend::numpy;
use crate::frontend::operators::python;
use crate::frontend::text;
use crate::frontend::values::{ConstValue, Range};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};
use ruff_python_ast::{CmpOp, Operator};
use std::cell::RefMut;
use std::rc::Rc;

/// The name of a value's type in Python.
pub fn type_name(value: &ConstValue) -> &'static str {
    match value {
        ConstValue::Int(_) => "int",
        ConstValue::Float(_) => "float",
        ConstValue::Bool(_) => "bool",
        ConstValue::Str(_) => "str",
        ConstValue::None => "NoneType",
        ConstValue::Tuple(_) => "tuple",
        ConstValue::List(_) => "list",
        ConstValue::Dict(_) => "dict",
        ConstValue::Set(set) if set.get().frozenset => "frozenset",
        ConstValue::Set(_) => "set",
        ConstValue::Range(_) => "range",
        ConstValue::Slice(_) => "slice",
        ConstValue::Iter(_) => "generator",
        ConstValue::Function(_) | ConstValue::Remote(..) => "function",
        ConstValue::Class(_) | ConstValue::Native(_) => "type",
        ConstValue::Table(_) => "numpy.ndarray",
        _ => "object",
    }
}

/// `type(value)`.
pub fn type_of(value: &ConstValue) -> ConstValue {
    match value {
        ConstValue::Object(object) => ConstValue::Class(object.class.clone()),
        ConstValue::Bool(_) => ConstValue::Type(crate::ir::Scalar::BOOL),
        ConstValue::Table(table) if table.rank() == 0 => ConstValue::Dtype(table.dtype),
        other => by_name(type_name(other)),
    }
}

/// `isinstance(value, class)`.
pub fn is_instance(value: &ConstValue, class: &ConstValue, span: Span) -> Result<bool> {
    match class {
        ConstValue::Tuple(classes) => {
            for class in classes.iter() {
                if is_instance(value, class, span)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        ConstValue::Native(native) => Ok(type_name(value) == native.name
            || native.name == "int"
                && (matches!(value, ConstValue::Bool(_))
                    || matches!(value, ConstValue::Object(o) if o.int().is_some()))),
        ConstValue::Type(crate::ir::Scalar::BOOL) => Ok(matches!(value, ConstValue::Bool(_))),
        ConstValue::Dtype(dtype) => {
            Ok(matches!(value, ConstValue::Table(t) if t.rank() == 0 && t.dtype == *dtype))
        }
        ConstValue::Class(class) if &*class.name == "object" => Ok(true),
        ConstValue::Class(class) => Ok(match value {
            ConstValue::Object(object) => object.class.is_subclass(class),
            _ => false,
        }),
        other => fail(
            codes::CONST_EVAL,
            span,
            format!("isinstance with {} is not supported", other.kind()),
        ),
    }
}

/// `a is b`.
pub fn identical(a: &ConstValue, b: &ConstValue) -> bool {
    match (a, b) {
        (ConstValue::List(a), ConstValue::List(b)) => Rc::ptr_eq(a, b),
        (ConstValue::Dict(a), ConstValue::Dict(b)) => Rc::ptr_eq(a, b),
        (ConstValue::Set(a), ConstValue::Set(b)) => Rc::ptr_eq(a, b),
        (ConstValue::Table(a), ConstValue::Table(b)) => Rc::ptr_eq(a, b),
        (ConstValue::Object(a), ConstValue::Object(b)) => Rc::ptr_eq(a, b),
        (ConstValue::Class(a), ConstValue::Class(b)) => Class::same(a, b),
        (ConstValue::Bool(a), ConstValue::Bool(b)) => a == b,
        (ConstValue::Bool(_), _) | (_, ConstValue::Bool(_)) => false,
        _ => type_name(a) == type_name(b) && python::equal(a, b).unwrap_or(false),
    }
}

/// The error of changing what kernels can see.
pub fn frozen<T>(span: Span) -> Result<T> {
    fail(
        codes::TARGET,
        span,
        "the value is visible to kernels and cannot change any more",
    )
}

/// A list's elements, to change them.
pub fn edit_list(list: &ConstValue, span: Span) -> Result<RefMut<'_, Vec<ConstValue>>> {
    match list {
        ConstValue::List(items) => items.edit().map_or_else(|| frozen(span), Ok),
        other => raise("TypeError", span, format!("{} is no list", other.kind())),
    }
}

/// Gives a dict or set the contents of another.
pub fn replace_contents(target: &ConstValue, source: &ConstValue, span: Span) -> Result<()> {
    match (target, source) {
        (ConstValue::Dict(to), ConstValue::Dict(from)) => {
            let entries = from.get().clone();
            *to.edit().map_or_else(|| frozen(span), Ok)? = entries;
        }
        (ConstValue::Set(to), ConstValue::Set(from)) if !to.get().frozenset => {
            let contents = from.get().clone();
            *to.edit().map_or_else(|| frozen(span), Ok)? = contents;
        }
        _ => {}
    }
    Ok(())
}

/// A set of values.
pub fn set_of(
    items: Vec<ConstValue>,
    frozenset: bool,
    span: Span,
    names: &mut dyn Names,
) -> Result<ConstValue> {
    let mut set = elements(frozenset);
    for item in items {
        let key = hashable(&item, span)?;
        set.items.entry(key).or_insert(item);
    }
    charged(ConstValue::Set(Rc::new(Shared::new(set))), span, names)
}

/// `item in container`.
pub fn contains(
    container: &ConstValue,
    item: &ConstValue,
    span: Span,
    names: &mut dyn Names,
) -> Result<bool> {
    match (container, item) {
        (ConstValue::Dict(dict), _) => Ok(dict.get().contains_key(&hashable(item, span)?)),
        (ConstValue::Set(set), _) => Ok(set.get().items.contains_key(&hashable(item, span)?)),
        (ConstValue::Str(text), ConstValue::Str(part)) => {
            names.tick(span, text.len() as u64 / 8)?;
            Ok(text.contains(&**part))
        }
        (ConstValue::Range(range), _) => match item.as_int() {
            Some(v) => Ok(in_range(range, &v)),
            None => Ok(false),
        },
        (ConstValue::Object(_), _) => {
            let args = vec![item.clone()];
            match classes::call_method(container, "__contains__", args, span, names)? {
                Some(result) => truth(&result, span, names),
                None => among(container, item, span, names),
            }
        }
        _ => among(container, item, span, names),
    }
}

fn among(
    container: &ConstValue,
    item: &ConstValue,
    span: Span,
    names: &mut dyn Names,
) -> Result<bool> {
    let iter = iterate::iter(container, span, names)?;
    while let Some(candidate) = iterate::next(&iter, span, names)? {
        if identical(&candidate, item) {
            return Ok(true);
        }
        let equal = compare_pair(CmpOp::Eq, candidate, item.clone(), span, names)?;
        if truth(&equal, span, names)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn in_range(range: &Range, v: &BigInt) -> bool {
    let Some(v) = v.to_i128() else { return false };
    let offset = v - i128::from(range.start);
    let step = i128::from(range.step);
    offset % step == 0 && offset / step >= 0 && ((offset / step) as u128) < u128::from(range.len())
}

/// Operators of strings, sets and dicts; `None` leaves the operands to the registry.
pub fn binary(
    op: Operator,
    args: &[ConstValue; 2],
    span: Span,
    names: &mut dyn Names,
) -> Result<Option<ConstValue>> {
    match (op, &args[0], &args[1]) {
        (Operator::Mod, ConstValue::Str(template), values) => {
            let text = text::percent(template, values, span, names)?;
            Ok(Some(ConstValue::Str(text.into())))
        }
        (Operator::Mult, ConstValue::Str(s), n) | (Operator::Mult, n, ConstValue::Str(s)) => {
            let n = super::int_of(n, span)?;
            let n = if n.is_negative() {
                0
            } else {
                n.to_u64().unwrap_or(u64::MAX)
            };
            let bytes = n.saturating_mul(s.len() as u64);
            if bytes > python::MAX_INT_BITS * 8 {
                return fail(codes::LIMIT, span, "the string exceeds 1 MiB");
            }
            Ok(Some(ConstValue::Str(s.repeat(n as usize).into())))
        }
        (Operator::BitOr, ConstValue::Dict(a), ConstValue::Dict(b)) => {
            let mut entries = a.get().clone();
            for (key, (k, v)) in b.get().iter() {
                match entries.get_mut(key) {
                    Some(entry) => entry.1 = v.clone(),
                    None => {
                        entries.insert(key.clone(), (k.clone(), v.clone()));
                    }
                }
            }
            Ok(Some(ConstValue::Dict(Rc::new(Shared::new(entries)))))
        }
        (_, ConstValue::Set(a), ConstValue::Set(b)) => {
            let (a, b) = (a.get(), b.get());
            names.tick(span, (a.items.len() + b.items.len()) as u64 / 2)?;
            let result = match op {
                Operator::BitOr => union(&a, &b),
                Operator::BitAnd => select(&a, |key| b.items.contains_key(key)),
                Operator::Sub => select(&a, |key| !b.items.contains_key(key)),
                Operator::BitXor => union(
                    &select(&a, |key| !b.items.contains_key(key)),
                    &select(&b, |key| !a.items.contains_key(key)),
                ),
                _ => return Ok(None),
            };
            Ok(Some(ConstValue::Set(Rc::new(Shared::new(result)))))
        }
        _ => Ok(None),
    }
}

/// The elements of both sets.
pub fn union(a: &Elements, b: &Elements) -> Elements {
    let mut result = a.clone();
    for (key, value) in &b.items {
        result.items.entry(key.clone()).or_insert(value.clone());
    }
    result
}

/// The elements of a set whose key is wanted.
pub fn select(a: &Elements, wanted: impl Fn(&Key) -> bool) -> Elements {
    let kept = a.items.iter().filter(|(key, _)| wanted(key));
    Elements {
        items: kept.map(|(k, v)| (k.clone(), v.clone())).collect(),
        frozenset: a.frozenset,
    }
}

/// Comparisons of sets: subset and superset.
pub fn compare_sets(op: CmpOp, args: &[ConstValue; 2]) -> Option<bool> {
    let [ConstValue::Set(a), ConstValue::Set(b)] = args else {
        return None;
    };
    let (a, b) = (a.get(), b.get());
    let within = |a: &Elements, b: &Elements| a.items.keys().all(|k| b.items.contains_key(k));
    let same_size = a.items.len() == b.items.len();
    Some(match op {
        CmpOp::Eq => same_size && within(&a, &b),
        CmpOp::NotEq => !(same_size && within(&a, &b)),
        CmpOp::LtE => within(&a, &b),
        CmpOp::Lt => !same_size && within(&a, &b),
        CmpOp::GtE => within(&b, &a),
        CmpOp::Gt => !same_size && within(&b, &a),
        _ => return None,
    })
}

fn at(index: &ConstValue, len: usize, span: Span) -> Result<usize> {
    let Some(i) = index.as_int() else {
        let message = format!("an index is an int, not {}", index.kind());
        return raise("TypeError", span, message);
    };
    let i = if i.is_negative() { i + len } else { i };
    match i.to_usize().filter(|i| *i < len) {
        Some(i) => Ok(i),
        None => index_error(span),
    }
}

fn index_error<T>(span: Span) -> Result<T> {
    Err(Failure::Raised(Box::new(Raised {
        class: "IndexError",
        object: None,
        diagnostic: Diagnostic::error(codes::INDEX_RANGE, span, "the index is out of range"),
    })))
}

/// The positions that a slice of `len` elements selects.
pub fn slice_positions(slice: &[ConstValue; 3], len: usize, span: Span) -> Result<Range> {
    let part = |value: &ConstValue| -> Result<Option<i64>> {
        match value {
            ConstValue::None => Ok(None),
            value => {
                let v = super::int_of(value, span)?;
                let far = if v.is_negative() {
                    i64::MIN / 4
                } else {
                    i64::MAX / 4
                };
                Ok(Some(
                    v.to_i64().unwrap_or(far).clamp(i64::MIN / 4, i64::MAX / 4),
                ))
            }
        }
    };
    let (start, stop, step) = (part(&slice[0])?, part(&slice[1])?, part(&slice[2])?);
    let step = step.unwrap_or(1);
    if step == 0 {
        return raise("ValueError", span, "the step of a slice is not 0");
    }
    let len = len as i64;
    let (low, high) = if step > 0 { (0, len) } else { (-1, len - 1) };
    let place = |v: i64| (if v < 0 { v + len } else { v }).clamp(low, high);
    let (first, last) = if step > 0 { (low, high) } else { (high, low) };
    Ok(Range {
        start: start.map_or(first, place),
        stop: stop.map_or(last, place),
        step,
    })
}

fn positions(range: Range) -> impl Iterator<Item = usize> {
    // Positions of a slice lie within the sequence.
    (0..range.len()).map(move |i| range.at(i).to_usize().unwrap_or_default())
}

fn sliced<T: Clone>(items: &[T], slice: &[ConstValue; 3], span: Span) -> Result<Vec<T>> {
    let range = slice_positions(slice, items.len(), span)?;
    Ok(positions(range)
        .filter_map(|i| items.get(i).cloned())
        .collect())
}

/// `object[index]`.
pub fn subscript(
    object: &ConstValue,
    index: &ConstValue,
    span: Span,
    names: &mut dyn Names,
) -> Result<ConstValue> {
    match (object, index) {
        (ConstValue::Table(table), _) => numpy::index(table, index, span, names),
        (ConstValue::Tuple(items), ConstValue::Slice(slice)) => {
            Ok(ConstValue::tuple(sliced(items, slice, span)?))
        }
        (ConstValue::List(items), ConstValue::Slice(slice)) => {
            Ok(ConstValue::list(sliced(&items.get(), slice, span)?))
        }
        (ConstValue::Str(s), _) => {
            names.tick(span, s.len() as u64 / 8)?;
            let chars: Vec<char> = s.chars().collect();
            let text: String = match index {
                ConstValue::Slice(slice) => sliced(&chars, slice, span)?.into_iter().collect(),
                _ => chars[at(index, chars.len(), span)?].to_string(),
            };
            Ok(ConstValue::Str(text.into()))
        }
        (ConstValue::Range(range), ConstValue::Slice(slice)) => {
            let len = usize::try_from(range.len()).unwrap_or(usize::MAX);
            let p = slice_positions(slice, len, span)?;
            let element = |i: i64| i128::from(range.start) + i128::from(i) * i128::from(range.step);
            let step = i128::from(range.step) * i128::from(p.step);
            let parts = [element(p.start), element(p.stop), step].map(i64::try_from);
            match parts {
                [Ok(start), Ok(stop), Ok(step)] => {
                    Ok(ConstValue::Range(Range { start, stop, step }))
                }
                _ => fail(codes::LIMIT, span, "the range exceeds 64 bits"),
            }
        }
        (ConstValue::Tuple(items), _) => Ok(items[at(index, items.len(), span)?].clone()),
        (ConstValue::List(items), _) => {
            let items = items.get();
            Ok(items[at(index, items.len(), span)?].clone())
        }
        (ConstValue::Range(range), _) => {
            let len = usize::try_from(range.len()).unwrap_or(usize::MAX);
            Ok(ConstValue::Int(range.at(at(index, len, span)? as u64)))
        }
        (ConstValue::Dict(dict), _) => {
            let key = hashable(index, span)?;
            match dict.get().get(&key) {
                Some((_, value)) => Ok(value.clone()),
                None => key_error(index, span, names),
            }
        }
        (ConstValue::Class(class), ConstValue::Str(name)) if class.members().is_some() => {
            let member = class.attrs.get().get(&**name).cloned();
            member.map_or_else(|| key_error(index, span, names), Ok)
        }
        (ConstValue::Object(_), _) => {
            let args = vec![index.clone()];
            match classes::call_method(object, "__getitem__", args, span, names)? {
                Some(value) => Ok(value),
                None => not_indexable(object, index, span),
            }
        }
        _ => not_indexable(object, index, span),
    }
}

fn not_indexable<T>(object: &ConstValue, index: &ConstValue, span: Span) -> Result<T> {
    fail(
        codes::NOT_INDEXABLE,
        span,
        format!("{} cannot be indexed with {}", object.kind(), index.kind()),
    )
}

/// The error of a key that a dict does not have.
pub fn key_error<T>(key: &ConstValue, span: Span, names: &mut dyn Names) -> Result<T> {
    let shown = text::repr(key, span, names)?;
    Err(Failure::Raised(Box::new(Raised {
        class: "KeyError",
        object: Some(match classes::exception("KeyError", "") {
            ConstValue::Object(object) => {
                if let Some(mut attrs) = object.attrs.edit() {
                    attrs.insert("args".into(), ConstValue::tuple(vec![key.clone()]));
                }
                ConstValue::Object(object)
            }
            other => other,
        }),
        diagnostic: Diagnostic::error(
            codes::INDEX_RANGE,
            span,
            format!("the dict has no key {shown}"),
        ),
    })))
}

/// `object[index] = value`.
pub fn set_item(
    object: &ConstValue,
    index: &ConstValue,
    value: &ConstValue,
    span: Span,
    names: &mut dyn Names,
) -> Result<()> {
    match (object, index) {
        (ConstValue::Table(table), _) => numpy::set_item(table, index, value, span, names),
        (ConstValue::List(_), ConstValue::Slice(slice)) => {
            let new = iterate::collect(value, span, names)?;
            names.host().charge(span, new.len() as u64)?;
            let mut items = edit_list(object, span)?;
            let range = slice_positions(slice, items.len(), span)?;
            if range.step == 1 {
                // The bounds lie within the list.
                let start = range.start as usize;
                let end = start.max(range.stop as usize);
                items.splice(start..end, new);
                return Ok(());
            }
            if range.len() != new.len() as u64 {
                return raise(
                    "ValueError",
                    span,
                    "the slice and the value differ in length",
                );
            }
            for (at, value) in positions(range).zip(new) {
                items[at] = value;
            }
            Ok(())
        }
        (ConstValue::List(_), _) => {
            let mut items = edit_list(object, span)?;
            let at = at(index, items.len(), span)?;
            items[at] = value.clone();
            Ok(())
        }
        (ConstValue::Dict(dict), _) => {
            names.host().charge(span, 4)?;
            match dict.edit() {
                Some(mut entries) => crate::frontend::consteval::insert(
                    &mut entries,
                    index.clone(),
                    value.clone(),
                    span,
                ),
                None => frozen(span),
            }
        }
        (ConstValue::Object(_), _) => {
            let args = vec![index.clone(), value.clone()];
            match classes::call_method(object, "__setitem__", args, span, names)? {
                Some(_) => Ok(()),
                None => no_target(object, span),
            }
        }
        _ => no_target(object, span),
    }
}

fn no_target<T>(object: &ConstValue, span: Span) -> Result<T> {
    let message = format!("elements of {} cannot be assigned", object.kind());
    fail(codes::TARGET, span, message)
}

/// `del object[index]`.
pub fn delete_item(object: &ConstValue, index: &ConstValue, span: Span) -> Result<()> {
    match (object, index) {
        (ConstValue::List(_), ConstValue::Slice(slice)) => {
            let mut items = edit_list(object, span)?;
            let range = slice_positions(slice, items.len(), span)?;
            let gone: std::collections::HashSet<usize> = positions(range).collect();
            let mut at = 0;
            items.retain(|_| {
                at += 1;
                !gone.contains(&(at - 1))
            });
            Ok(())
        }
        (ConstValue::List(_), _) => {
            let mut items = edit_list(object, span)?;
            let at = at(index, items.len(), span)?;
            items.remove(at);
            Ok(())
        }
        (ConstValue::Dict(dict), _) => {
            let key = hashable(index, span)?;
            let Some(mut entries) = dict.edit() else {
                return frozen(span);
            };
            match entries.shift_remove(&key) {
                Some(_) => Ok(()),
                None => raise("KeyError", span, "the dict has no such key"),
            }
        }
        _ => no_target(object, span),
    }
}
