//! Elements of containers: read, assigned and deleted.

use crate::classes::exception;
use crate::containers::{charged, insert};
use crate::equality::hashable;
use crate::error::Exception::{KeyError, TypeError, ValueError};
use crate::error::{Error, Failure, Limit, Problem, fail, raise};
use crate::iterate::collect;
use crate::numpy::indexing;
use crate::objects::call_method;
use crate::range::Range;
use crate::slices::{at, positions, slice_positions, sliced};
use crate::text;
use crate::value::{Names, Result, Value};
use diagnostics::Span;
use std::cell::RefMut;

/// The error of changing what cannot change any more.
pub fn frozen<T>(span: Span) -> Result<T> {
    fail(span, Problem::Frozen(None))
}

/// A list's elements, to change them.
pub fn edit_list(list: &Value, span: Span) -> Result<RefMut<'_, Vec<Value>>> {
    match list {
        Value::List(items) => items.edit().map_or_else(|| frozen(span), Ok),
        other => raise(TypeError, span, format!("{} is no list", other.kind())),
    }
}

/// Gives a dict or set the contents of another.
pub fn replace_contents(target: &Value, source: &Value, span: Span) -> Result<()> {
    match (target, source) {
        (Value::Dict(to), Value::Dict(from)) => {
            let entries = from.get().clone();
            *to.edit().map_or_else(|| frozen(span), Ok)? = entries;
        }
        (Value::Set(to), Value::Set(from)) if !to.get().frozenset => {
            let contents = from.get().clone();
            *to.edit().map_or_else(|| frozen(span), Ok)? = contents;
        }
        _ => {}
    }
    Ok(())
}

/// `object[index]`.
pub fn subscript(
    object: &Value,
    index: &Value,
    span: Span,
    names: &mut dyn Names,
) -> Result<Value> {
    let value = element(object, index, span, names)?;
    match index {
        Value::Slice(_) => charged(value, span, names),
        _ => Ok(value),
    }
}

fn element(object: &Value, index: &Value, span: Span, names: &mut dyn Names) -> Result<Value> {
    match (object, index) {
        (Value::Table(table), _) => indexing::index(table, index, span, names),
        (Value::Tuple(items), Value::Slice(slice)) => Ok(Value::tuple(sliced(items, slice, span)?)),
        (Value::List(items), Value::Slice(slice)) => {
            Ok(Value::list(sliced(&items.get(), slice, span)?))
        }
        (Value::Str(s), _) => {
            names.tick(span, s.len() as u64 / 8)?;
            let chars: Vec<char> = s.chars().collect();
            let text: String = match index {
                Value::Slice(slice) => sliced(&chars, slice, span)?.into_iter().collect(),
                _ => chars[at(index, chars.len(), span)?].to_string(),
            };
            Ok(Value::Str(text.into()))
        }
        (Value::Range(range), Value::Slice(slice)) => {
            let len = usize::try_from(range.len()).unwrap_or(usize::MAX);
            let p = slice_positions(slice, len, span)?;
            let element = |i: i64| i128::from(range.start) + i128::from(i) * i128::from(range.step);
            let step = i128::from(range.step) * i128::from(p.step);
            let parts = [element(p.start), element(p.stop), step].map(i64::try_from);
            match parts {
                [Ok(start), Ok(stop), Ok(step)] => Ok(Value::Range(Range { start, stop, step })),
                _ => fail(span, Limit::Range),
            }
        }
        (Value::Tuple(items), _) => Ok(items[at(index, items.len(), span)?].clone()),
        (Value::List(items), _) => {
            let items = items.get();
            Ok(items[at(index, items.len(), span)?].clone())
        }
        (Value::Range(range), _) => {
            let len = usize::try_from(range.len()).unwrap_or(usize::MAX);
            Ok(Value::Int(range.at(at(index, len, span)? as u64)))
        }
        (Value::Dict(dict), _) => {
            let key = hashable(index, span)?;
            match dict.get().get(&key) {
                Some((_, value)) => Ok(value.clone()),
                None => key_error(index, span, names),
            }
        }
        (Value::Class(class), Value::Str(name)) if class.members().is_some() => {
            let member = class.attrs.get().get(&**name).cloned();
            member.map_or_else(|| key_error(index, span, names), Ok)
        }
        (Value::Object(_), _) => {
            if let Some(items) = object.sequence() {
                return element(&Value::Tuple(items), index, span, names);
            }
            let args = vec![index.clone()];
            match call_method(object, "__getitem__", args, span, names)? {
                Some(value) => Ok(value),
                None => not_indexable(object, index, span),
            }
        }
        (Value::Host(thing), _) => {
            let indices = match index {
                Value::Tuple(items) => items.iter().map(|v| (v.clone(), span)).collect(),
                single => vec![(single.clone(), span)],
            };
            let found = thing.subscript(&indices, span);
            found.unwrap_or_else(|| not_indexable(object, index, span))
        }
        _ => not_indexable(object, index, span),
    }
}

/// The error of a value without elements of such an index.
pub fn not_indexable<T>(object: &Value, index: &Value, span: Span) -> Result<T> {
    fail(span, Problem::NotIndexable(object.kind(), index.kind()))
}

/// The error of a key that a dict does not have.
pub fn key_error<T>(key: &Value, span: Span, names: &mut dyn Names) -> Result<T> {
    let shown = text::repr(key, span, names)?;
    Err(Failure::Error(Box::new(Error {
        problem: Problem::Key(shown.to_string()),
        span,
        notes: Vec::new(),
        object: Some(exception(KeyError, vec![key.clone()])),
    })))
}

/// `object[index] = value`.
pub fn set_item(
    object: &Value,
    index: &Value,
    value: &Value,
    span: Span,
    names: &mut dyn Names,
) -> Result<()> {
    match (object, index) {
        (Value::Table(table), _) => indexing::set_item(table, index, value, span, names),
        (Value::List(_), Value::Slice(slice)) => {
            let new = collect(value, span, names)?;
            names.charge(span, new.len() as u64)?;
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
                return raise(ValueError, span, "the slice and the value differ in length");
            }
            for (at, value) in positions(range).zip(new) {
                items[at] = value;
            }
            Ok(())
        }
        (Value::List(_), _) => {
            let mut items = edit_list(object, span)?;
            let at = at(index, items.len(), span)?;
            items[at] = value.clone();
            Ok(())
        }
        (Value::Dict(dict), _) => {
            names.charge(span, 4)?;
            match dict.edit() {
                Some(mut entries) => insert(&mut entries, index.clone(), value.clone(), span),
                None => frozen(span),
            }
        }
        (Value::Object(_), _) => {
            let args = vec![index.clone(), value.clone()];
            match call_method(object, "__setitem__", args, span, names)? {
                Some(_) => Ok(()),
                None => no_target(object, span),
            }
        }
        _ => no_target(object, span),
    }
}

fn no_target<T>(object: &Value, span: Span) -> Result<T> {
    let message = format!("elements of {} cannot be assigned", object.kind());
    fail(span, Problem::Target(message.into()))
}

/// `del object[index]`.
pub fn delete_item(object: &Value, index: &Value, span: Span) -> Result<()> {
    match (object, index) {
        (Value::List(_), Value::Slice(slice)) => {
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
        (Value::List(_), _) => {
            let mut items = edit_list(object, span)?;
            let at = at(index, items.len(), span)?;
            items.remove(at);
            Ok(())
        }
        (Value::Dict(dict), _) => {
            let key = hashable(index, span)?;
            let Some(mut entries) = dict.edit() else {
                return frozen(span);
            };
            match entries.shift_remove(&key) {
                Some(_) => Ok(()),
                None => raise(KeyError, span, "the dict has no such key"),
            }
        }
        _ => no_target(object, span),
    }
}
