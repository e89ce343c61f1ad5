//! Methods of lists, tuples, dicts, sets, ints and floats.

use crate::containers::insert;
use crate::convert::{int_of_float, to_float};
use crate::equality::hashable;
use crate::error::Exception::{AttributeError, IndexError, KeyError, OverflowError, ValueError};
use crate::items::{edit_list, frozen, key_error};
use crate::iterate::{OfDict, Part, collect};
use crate::library::sorting::sort;
use crate::native::method;
use crate::operators::{compare_pair, truth};
use crate::value::{Call, Elements, IterRef, Native, Result, Value};
use ruff_python_ast::CmpOp;

/// The methods of a value's type.
pub fn table(value: &Value) -> Option<&'static [Native]> {
    Some(match value {
        Value::List(_) => LIST,
        Value::Tuple(_) => TUPLE,
        Value::Dict(_) => DICT,
        Value::Set(_) => SET,
        Value::Int(_) | Value::Bool(_) => INT,
        Value::Float(_) => FLOAT,
        _ => return None,
    })
}

static LIST: &[Native] = &[
    method("append", &["object"], 1, append),
    method("extend", &["iterable"], 1, extend),
    method("insert", &["index", "object"], 2, insert_at),
    method("pop", &["index"], 0, pop),
    method("remove", &["value"], 1, remove),
    method("clear", &[], 0, clear),
    method("copy", &[], 0, copy),
    method("index", &["value", "start", "stop"], 1, index),
    method("count", &["value"], 1, count),
    method("reverse", &[], 0, reverse),
    method("sort", &["*key", "*reverse"], 0, sort_in_place),
];

static TUPLE: &[Native] = &[
    method("index", &["value", "start", "stop"], 1, index),
    method("count", &["value"], 1, count),
];

static DICT: &[Native] = &[
    method("get", &["key", "default"], 1, get),
    method("keys", &[], 0, |c| part(c, Part::Keys)),
    method("values", &[], 0, |c| part(c, Part::Values)),
    method("items", &[], 0, |c| part(c, Part::Items)),
    method("pop", &["key", "default"], 1, dict_pop),
    method("popitem", &[], 0, popitem),
    method("setdefault", &["key", "default"], 1, setdefault),
    method("update", &["other", "**"], 0, update),
    method("clear", &[], 0, clear),
    method("copy", &[], 0, copy),
];

static SET: &[Native] = &[
    method("add", &["element"], 1, add),
    method("discard", &["element"], 1, |c| take_out(c, false)),
    method("remove", &["element"], 1, |c| take_out(c, true)),
    method("clear", &[], 0, clear),
    method("copy", &[], 0, copy),
    method("update", &["other"], 1, |c| {
        let other = other(c)?;
        edit_set(c, |set| *set = set.union(&other))
    }),
    method("union", &["other"], 1, |c| {
        let other = other(c)?;
        new_set(c, |set| set.union(&other))
    }),
    method("intersection", &["other"], 1, |c| {
        let other = other(c)?;
        new_set(c, |set| set.select(|k| other.items.contains_key(k)))
    }),
    method("difference", &["other"], 1, |c| {
        let other = other(c)?;
        new_set(c, |set| set.select(|k| !other.items.contains_key(k)))
    }),
    method("symmetric_difference", &["other"], 1, |c| {
        let other = other(c)?;
        new_set(c, |set| set.symmetric_difference(&other))
    }),
    method("issubset", &["other"], 1, |c| {
        let other = other(c)?;
        relation(c, |set| {
            set.items.keys().all(|k| other.items.contains_key(k))
        })
    }),
    method("issuperset", &["other"], 1, |c| {
        let other = other(c)?;
        relation(c, |set| {
            other.items.keys().all(|k| set.items.contains_key(k))
        })
    }),
    method("isdisjoint", &["other"], 1, |c| {
        let other = other(c)?;
        relation(c, |set| {
            !other.items.keys().any(|k| set.items.contains_key(k))
        })
    }),
];

static INT: &[Native] = &[
    method("bit_length", &[], 0, |c| Ok(Value::int(this_int(c).bits()))),
    method("bit_count", &[], 0, |c| {
        let ones = this_int(c).magnitude().count_ones();
        Ok(Value::int(ones))
    }),
];

static FLOAT: &[Native] = &[
    method("is_integer", &[], 0, |c| {
        let v = to_float(&c.this, c.span)?;
        Ok(Value::Bool(v.is_finite() && v.fract() == 0.0))
    }),
    method("as_integer_ratio", &[], 0, ratio),
];

fn this_int(c: &Call) -> num_bigint::BigInt {
    c.this.as_int().unwrap_or_default()
}

fn ratio(c: &mut Call) -> Result<Value> {
    let v = to_float(&c.this, c.span)?;
    if !v.is_finite() {
        return c.raise(OverflowError, "an infinity or NaN is no ratio");
    }
    let (mut top, mut exponent) = (v, 0u32);
    while top.fract() != 0.0 {
        // Exact: a power of two changes the exponent only.
        top *= 2.0;
        exponent += 1;
    }
    let top = int_of_float(top, c.span)?;
    let bottom = num_bigint::BigInt::from(1) << exponent;
    Ok(Value::tuple(vec![Value::Int(top), Value::Int(bottom)]))
}

fn append(c: &mut Call) -> Result<Value> {
    let value = c.arg(0).clone();
    c.names.charge(c.span, 1)?;
    edit_list(&c.this, c.span)?.push(value);
    Ok(Value::None)
}

fn extend(c: &mut Call) -> Result<Value> {
    let items = c.items(0)?;
    c.charge(items.len() as u64)?;
    edit_list(&c.this, c.span)?.extend(items);
    Ok(Value::None)
}

fn insert_at(c: &mut Call) -> Result<Value> {
    let (at, value) = (c.index(0)?, c.arg(1).clone());
    c.names.charge(c.span, 1)?;
    let mut items = edit_list(&c.this, c.span)?;
    let len = items.len() as i64;
    let at = if at < 0 {
        (at + len).max(0)
    } else {
        at.min(len)
    };
    items.insert(at as usize, value);
    Ok(Value::None)
}

fn pop(c: &mut Call) -> Result<Value> {
    let index = match c.opt(0) {
        None => -1,
        Some(_) => c.index(0)?,
    };
    let popped = {
        let mut items = edit_list(&c.this, c.span)?;
        let len = items.len() as i64;
        let at = if index < 0 { index + len } else { index };
        (0..len).contains(&at).then(|| items.remove(at as usize))
    };
    match popped {
        Some(value) => Ok(value),
        None => c.raise(IndexError, "pop from an index out of range"),
    }
}

/// The position of an equal element.
fn find(c: &mut Call) -> Result<Option<usize>> {
    let items = c.this.sequence().map_or(vec![], |items| items.to_vec());
    let (from, to) = match (c.opt(1), c.opt(2)) {
        (None, _) => (0, items.len() as i64),
        (Some(_), None) => (c.index(1)?, items.len() as i64),
        (Some(_), Some(_)) => (c.index(1)?, c.index(2)?),
    };
    let len = items.len() as i64;
    let clamp = |v: i64| (if v < 0 { v + len } else { v }).clamp(0, len) as usize;
    let range = clamp(from)..clamp(to).max(clamp(from));
    let start = range.start;
    let wanted = c.arg(0).clone();
    for (i, item) in items[range].iter().enumerate() {
        c.names.tick(c.span, 1)?;
        let equal = compare_pair(CmpOp::Eq, item.clone(), wanted.clone(), c.span, c.names)?;
        if truth(&equal, c.span, c.names)? {
            return Ok(Some(start + i));
        }
    }
    Ok(None)
}

fn index(c: &mut Call) -> Result<Value> {
    match find(c)? {
        Some(at) => Ok(Value::int(at)),
        None => c.raise(ValueError, "the value is not in the sequence"),
    }
}

fn remove(c: &mut Call) -> Result<Value> {
    match find(c)? {
        Some(at) => {
            edit_list(&c.this, c.span)?.remove(at);
            Ok(Value::None)
        }
        None => c.raise(ValueError, "the value is not in the list"),
    }
}

fn count(c: &mut Call) -> Result<Value> {
    let items = c.this.sequence().map_or(vec![], |items| items.to_vec());
    let wanted = c.arg(0).clone();
    let mut count = 0;
    for item in items {
        c.names.tick(c.span, 1)?;
        let equal = compare_pair(CmpOp::Eq, item, wanted.clone(), c.span, c.names)?;
        count += u32::from(truth(&equal, c.span, c.names)?);
    }
    Ok(Value::int(count))
}

fn reverse(c: &mut Call) -> Result<Value> {
    edit_list(&c.this, c.span)?.reverse();
    Ok(Value::None)
}

fn sort_in_place(c: &mut Call) -> Result<Value> {
    let items = edit_list(&c.this, c.span)?.clone();
    let key = c.opt(0).cloned();
    let reverse = c.flag(1)?;
    let sorted = sort(items, key, reverse, c.span, c.names)?;
    *edit_list(&c.this, c.span)? = sorted;
    Ok(Value::None)
}

fn clear(c: &mut Call) -> Result<Value> {
    let cleared = match &c.this {
        Value::List(items) => items.edit().map(|mut items| items.clear()),
        Value::Dict(items) => items.edit().map(|mut items| items.clear()),
        Value::Set(set) if set.get().frozenset => None,
        Value::Set(set) => set.edit().map(|mut set| set.items.clear()),
        _ => None,
    };
    match cleared {
        Some(()) => Ok(Value::None),
        None => frozen(c.span),
    }
}

fn copy(c: &mut Call) -> Result<Value> {
    Ok(match &c.this {
        Value::List(items) => Value::list(items.get().clone()),
        Value::Dict(items) => Value::dict(items.get().clone()),
        Value::Set(set) => Value::set(set.get().clone()),
        other => other.clone(),
    })
}

fn get(c: &mut Call) -> Result<Value> {
    let key = hashable(c.arg(0), c.span)?;
    let Value::Dict(dict) = &c.this else {
        return Ok(Value::None);
    };
    let found = dict.get().get(&key).map(|(_, v)| v.clone());
    Ok(found.unwrap_or_else(|| c.arg(1).clone()))
}

/// Dict views, which may be walked any number of times: keys and the like as a list, which Python
/// keeps up to date, are walked at once.
fn part(c: &mut Call, part: Part) -> Result<Value> {
    let Value::Dict(dict) = &c.this else {
        return Ok(Value::None);
    };
    let iter = IterRef::value(OfDict::new(dict, part));
    let items = collect(&iter, c.span, c.names)?;
    Ok(Value::list(items))
}

fn dict_pop(c: &mut Call) -> Result<Value> {
    let key = hashable(c.arg(0), c.span)?;
    let gone = match &c.this {
        Value::Dict(dict) => match dict.edit() {
            Some(mut entries) => entries.shift_remove(&key).map(|(_, v)| v),
            None => return frozen(c.span),
        },
        _ => None,
    };
    match gone.or_else(|| c.opt(1).cloned()) {
        Some(value) => Ok(value),
        None => {
            let key = c.arg(0).clone();
            key_error(&key, c.span, c.names)
        }
    }
}

fn popitem(c: &mut Call) -> Result<Value> {
    let gone = match &c.this {
        Value::Dict(dict) => match dict.edit() {
            Some(mut entries) => entries.pop(),
            None => return frozen(c.span),
        },
        _ => None,
    };
    match gone {
        Some((_, (key, value))) => Ok(Value::tuple(vec![key, value])),
        None => c.raise(KeyError, "the dict is empty"),
    }
}

fn setdefault(c: &mut Call) -> Result<Value> {
    let key = hashable(c.arg(0), c.span)?;
    c.names.charge(c.span, 4)?;
    let (name, value) = (c.arg(0).clone(), c.arg(1).clone());
    let Value::Dict(dict) = &c.this else {
        return Ok(Value::None);
    };
    if let Some((_, known)) = dict.get().get(&key) {
        return Ok(known.clone());
    }
    match dict.edit() {
        Some(mut entries) => {
            entries.insert(key, (name, value.clone()));
            Ok(value)
        }
        None => frozen(c.span),
    }
}

fn update(c: &mut Call) -> Result<Value> {
    let mut pairs: Vec<(Value, Value)> = Vec::new();
    match c.opt(0).cloned() {
        None => {}
        Some(Value::Dict(other)) => pairs.extend(other.get().values().cloned()),
        Some(_) => {
            for pair in c.items(0)? {
                match &collect(&pair, c.span, c.names)?[..] {
                    [key, value] => pairs.push((key.clone(), value.clone())),
                    _ => return c.raise(ValueError, "a dict is made of pairs"),
                }
            }
        }
    }
    let named = std::mem::take(&mut c.named);
    pairs.extend(named.into_iter().map(|(k, v)| (Value::str(&k), v)));
    c.charge(4 * pairs.len() as u64)?;
    let Value::Dict(dict) = &c.this else {
        return Ok(Value::None);
    };
    let Some(mut entries) = dict.edit() else {
        return frozen(c.span);
    };
    for (key, value) in pairs {
        insert(&mut entries, key, value, c.span)?;
    }
    Ok(Value::None)
}

/// The elements of the argument as a set.
fn other(c: &mut Call) -> Result<Elements> {
    if let Value::Set(set) = c.arg(0) {
        let set = set.get().clone();
        c.charge(set.items.len() as u64)?;
        return Ok(set);
    }
    let mut set = Elements::new(false);
    for item in c.items(0)? {
        set.items.entry(hashable(&item, c.span)?).or_insert(item);
    }
    Ok(set)
}

fn edit_set(c: &mut Call, change: impl FnOnce(&mut Elements)) -> Result<Value> {
    let Value::Set(set) = &c.this else {
        return Ok(Value::None);
    };
    if set.get().frozenset {
        return c.raise(AttributeError, "a frozenset does not change");
    }
    match set.edit() {
        Some(mut set) => {
            change(&mut set);
            Ok(Value::None)
        }
        None => frozen(c.span),
    }
}

fn new_set(c: &mut Call, make: impl FnOnce(&Elements) -> Elements) -> Result<Value> {
    match &c.this {
        Value::Set(set) => {
            let made = make(&set.get());
            Ok(Value::set(made))
        }
        _ => Ok(Value::None),
    }
}

fn relation(c: &mut Call, test: impl FnOnce(&Elements) -> bool) -> Result<Value> {
    match &c.this {
        Value::Set(set) => Ok(Value::Bool(test(&set.get()))),
        _ => Ok(Value::None),
    }
}

fn add(c: &mut Call) -> Result<Value> {
    let (key, value) = (hashable(c.arg(0), c.span)?, c.arg(0).clone());
    c.names.charge(c.span, 4)?;
    edit_set(c, |set| {
        set.items.entry(key).or_insert(value);
    })
}

fn take_out(c: &mut Call, needed: bool) -> Result<Value> {
    let key = hashable(c.arg(0), c.span)?;
    let mut found = false;
    edit_set(c, |set| found = set.items.shift_remove(&key).is_some())?;
    if needed && !found {
        let value = c.arg(0).clone();
        return key_error(&value, c.span, c.names);
    }
    Ok(Value::None)
}
