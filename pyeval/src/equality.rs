//! Which values Python calls equal, in which order they stand, and what they are in a dict or set.

use crate::error::Exception::TypeError;
use crate::error::{Failure, Problem};
use crate::key::Key;
use crate::numbers::f64_from_int;
use crate::numpy::operations::order_of_scalars;
use crate::shared::Fuel;
use crate::value::{Class, Entries, HostValue, Object, Value};
use diagnostics::Span;
use num_bigint::BigInt;
use num_traits::{FromPrimitive, Zero};
use std::cmp::Ordering;
use std::rc::Rc;

type Result<T> = std::result::Result<T, Problem>;

/// Python's order of two numbers, strings or sequences; `None` beside a NaN, or where there is no order. Exact
/// between int and float.
fn order(a: &Value, b: &Value, fuel: &mut Fuel) -> Result<Order> {
    fuel.burn()?;
    if let Some([x, y]) = elements(a, b) {
        for (x, y) in x.iter().zip(y.iter()) {
            if !equal_within(x, y, fuel)? {
                return order(x, y, fuel);
            }
        }
        return Ok(Order::Known(Some(x.len().cmp(&y.len()))));
    }
    let known = match (a, b) {
        (Value::Str(a), Value::Str(b)) => Some(Some(a.cmp(b))),
        (Value::Table(_), _) | (_, Value::Table(_)) => order_of_scalars(a, b),
        (Value::Float(a), Value::Float(b)) => Some(a.partial_cmp(b)),
        (Value::Float(f), b) => b.as_int().map(|b| order_int(&b, *f).map(Ordering::reverse)),
        (a, Value::Float(f)) => a.as_int().map(|a| order_int(&a, *f)),
        (a, b) => match (a.as_int(), b.as_int()) {
            (Some(a), Some(b)) => Some(Some(a.cmp(&b))),
            _ => None,
        },
    };
    Ok(known.map_or(Order::None, Order::Known))
}

/// How two values stand.
enum Order {
    /// In this order; without one beside a NaN.
    Known(Option<Ordering>),
    /// Values of these types have no order.
    None,
}

/// Python's order of two values for an operator: `None` beside a NaN.
///
/// # Errors
/// When there is none, or when it takes too long.
pub fn ordering(a: &Value, b: &Value, symbol: &'static str) -> Result<Option<Ordering>> {
    match order(a, b, &mut Fuel::default())? {
        Order::Known(order) => Ok(order),
        Order::None => Err(Problem::Operands(symbol, vec![a.kind(), b.kind()])),
    }
}

/// The elements of two lists, or of two tuples.
fn elements(a: &Value, b: &Value) -> Option<[Rc<[Value]>; 2]> {
    let is_list = |v: &Value| matches!(v, Value::List(_));
    match is_list(a) == is_list(b) {
        true => Some([a.sequence()?, b.sequence()?]),
        false => None,
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
    let exact = BigInt::from_f64(b).unwrap_or_else(BigInt::zero);
    Some(a.cmp(&exact))
}

/// Whether two values are equal in Python's sense.
///
/// # Errors
/// When that takes too long, or a call of a method.
pub fn equal(a: &Value, b: &Value) -> Result<bool> {
    equal_within(a, b, &mut Fuel::default())
}

/// The same, within a walk.
fn equal_within(a: &Value, b: &Value, fuel: &mut Fuel) -> Result<bool> {
    fuel.burn()?;
    if identical_sequences(a, b) {
        return Ok(true);
    }
    if let Some([x, y]) = elements(a, b) {
        return all_equal(&x, &y, fuel);
    }
    Ok(match (a, b) {
        (Value::Dict(x), Value::Dict(y)) => equal_entries(&x.get(), &y.get(), fuel)?,
        (Value::Set(x), Value::Set(y)) => {
            let (x, y) = (x.get(), y.get());
            x.items.len() == y.items.len() && x.items.keys().all(|k| y.items.contains_key(k))
        }
        (Value::Range(x), Value::Range(y)) => {
            x.len() == y.len()
                && (x.is_empty() || x.start == y.start && (x.len() == 1 || x.step == y.step))
        }
        (Value::Object(x), Value::Object(y)) => equal_objects(x, y, fuel)?,
        (Value::Class(x), Value::Class(y)) => Class::same(x, y),
        (Value::Function(x), Value::Function(y)) => Rc::ptr_eq(x, y),
        (Value::Native(x), Value::Native(y)) => std::ptr::eq(*x, *y),
        (Value::Host(x), Value::Host(y)) => x.equals(&**y),
        (Value::Host(x), Value::Native(y)) | (Value::Native(y), Value::Host(x)) => {
            x.stands_for() == Some(y.name)
        }
        (Value::Dtype(x), Value::Dtype(y)) => x == y,
        (Value::Library(x), Value::Library(y)) => x == y,
        (Value::Module(x), Value::Module(y)) => x == y,
        (Value::Slice(x), Value::Slice(y)) => all_equal(&**x, &**y, fuel)?,
        (Value::None, Value::None) | (Value::Ellipsis, Value::Ellipsis) => true,
        (Value::Table(t), _) | (_, Value::Table(t)) if t.rank() > 0 => {
            let text = "unsupported comparison of arrays in a container";
            return Err(Problem::exception(TypeError, text));
        }
        (Value::Table(_), _) | (_, Value::Table(_)) => {
            order_of_scalars(a, b) == Some(Some(Ordering::Equal))
        }
        (Value::Str(x), Value::Str(y)) => x == y,
        (a, b) if comparable(a) && comparable(b) => {
            matches!(order(a, b, fuel)?, Order::Known(Some(Ordering::Equal)))
        }
        _ => false,
    })
}

fn identical_sequences(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::List(x), Value::List(y)) => Rc::ptr_eq(x, y),
        (Value::Tuple(x), Value::Tuple(y)) => Rc::ptr_eq(x, y),
        _ => false,
    }
}

fn all_equal(x: &[Value], y: &[Value], fuel: &mut Fuel) -> Result<bool> {
    if x.len() != y.len() {
        return Ok(false);
    }
    for (a, b) in x.iter().zip(y) {
        if !equal_within(a, b, fuel)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn equal_entries(x: &Entries, y: &Entries, fuel: &mut Fuel) -> Result<bool> {
    if x.len() != y.len() {
        return Ok(false);
    }
    for (key, (_, a)) in x {
        match y.get(key) {
            Some((_, b)) if equal_within(a, b, fuel)? => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

fn equal_objects(x: &Object, y: &Object, fuel: &mut Fuel) -> Result<bool> {
    if std::ptr::eq(x, y) {
        return Ok(true);
    }
    if let (Some(a), Some(b)) = (x.int(), y.int()) {
        return Ok(a == b);
    }
    if x.class.lookup("__eq__").is_some() || y.class.lookup("__eq__").is_some() {
        let text = "unsupported comparison of objects with '__eq__' in a container";
        return Err(Problem::exception(TypeError, text));
    }
    match x.class.data() {
        Some(data) if Class::same(&x.class, &y.class) => {
            all_equal(&x.fields(&data), &y.fields(&data), fuel)
        }
        _ => Ok(false),
    }
}

fn comparable(value: &Value) -> bool {
    value.is_number() || value.as_int().is_some()
}

/// `a is b`.
pub fn identical(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::List(a), Value::List(b)) => Rc::ptr_eq(a, b),
        (Value::Dict(a), Value::Dict(b)) => Rc::ptr_eq(a, b),
        (Value::Set(a), Value::Set(b)) => Rc::ptr_eq(a, b),
        (Value::Table(a), Value::Table(b)) => Rc::ptr_eq(a, b),
        (Value::Object(a), Value::Object(b)) => Rc::ptr_eq(a, b),
        (Value::Class(a), Value::Class(b)) => Class::same(a, b),
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Bool(_), _) | (_, Value::Bool(_)) => false,
        (Value::Host(_), _) | (_, Value::Host(_)) => equal(a, b).unwrap_or(false),
        _ => a.type_name() == b.type_name() && equal(a, b).unwrap_or(false),
    }
}

/// Whether what changes one value in place may change the other.
pub fn share(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Table(a), Value::Table(b)) => Rc::ptr_eq(&a.buffer, &b.buffer),
        _ => identical(a, b),
    }
}

impl Key {
    /// The key of a value.
    ///
    /// # Errors
    /// When it cannot be in a dict or set.
    pub fn of(value: &Value) -> Result<Key> {
        Key::with(value, &mut Fuel::default())
    }

    /// The same, within a walk.
    fn with(value: &Value, fuel: &mut Fuel) -> Result<Key> {
        fuel.burn()?;
        if let Some(v) = value.as_int() {
            return Ok(Key::Int(v));
        }
        Ok(match value {
            Value::Float(v) if v.fract() == 0.0 => {
                Key::Int(BigInt::from_f64(*v).unwrap_or_default())
            }
            Value::Float(v) => Key::Float(v.to_bits()),
            Value::Str(s) => Key::Str(s.clone()),
            Value::None => Key::None,
            Value::Tuple(items) => {
                let keys = items.iter().map(|item| Key::with(item, fuel));
                Key::Tuple(keys.collect::<Result<_>>()?)
            }
            Value::Table(table) if table.rank() == 0 => match table.item() {
                Some(item) => Key::with(&item, fuel)?,
                None => return Err(unhashable(value.type_name())),
            },
            Value::Set(set) if set.get().frozenset => {
                let keys = set.get().items.keys().map(|k| format!("{k:?}")).collect();
                let mut keys: Vec<String> = keys;
                keys.sort();
                Key::Other(format!("frozenset {keys:?}"))
            }
            Value::List(_) | Value::Dict(_) | Value::Set(_) | Value::Table(_) | Value::Slice(_) => {
                return Err(unhashable(value.type_name()));
            }
            Value::Object(object) => return Key::of_object(object, fuel),
            Value::Function(f) => Key::Other(format!("function {:p}", Rc::as_ptr(f))),
            Value::Class(class) => Key::of_class(class),
            Value::Iter(iter) => Key::Other(format!("iterator {:p}", Rc::as_ptr(&iter.0))),
            Value::Native(native) => Key::of_native(native.name),
            Value::Host(thing) => return Key::of_thing(&**thing),
            other => Key::Other(format!("{} {}", other.kind(), other.text())),
        })
    }

    fn of_object(object: &Object, fuel: &mut Fuel) -> Result<Key> {
        let class = &object.class;
        let Some(data) = class.data() else {
            return match class.lookup("__eq__").is_some() && !object.is_enum() {
                true => Err(unhashable(&class.name)),
                false => Ok(Key::Other(format!(
                    "object {:p}",
                    std::ptr::from_ref(object)
                ))),
            };
        };
        if !data.frozen {
            return Err(unhashable(&class.name));
        }
        let fields = object.fields(&data);
        let keys = fields.iter().map(|f| Key::with(f, fuel));
        Ok(Key::Tuple(keys.collect::<Result<_>>()?))
    }

    fn of_class(class: &Rc<Class>) -> Key {
        Key::Other(match class.builtin {
            Some(name) => format!("class {name}"),
            None => format!("class {:p}", Rc::as_ptr(class)),
        })
    }

    fn of_native(name: &str) -> Key {
        Key::Other(format!("built-in {name}"))
    }

    fn of_thing(thing: &dyn HostValue) -> Result<Key> {
        match (thing.stands_for(), thing.key()) {
            (Some(name), _) => Ok(Key::of_native(name)),
            (None, Some(key)) => Ok(Key::Other(key)),
            (None, None) => Err(unhashable("object")),
        }
    }
}

fn unhashable(name: &str) -> Problem {
    Problem::exception(TypeError, format!("unhashable type: '{name}'"))
}

/// The key of a value, or Python's error.
pub fn hashable(value: &Value, span: Span) -> crate::value::Result<Key> {
    Key::of(value).map_err(|problem| Failure::new(span, problem))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classes::named_tuple;
    use crate::value::Attributes;

    #[test]
    fn equal_values_have_equal_keys() {
        let one = Key::of(&Value::int(1)).unwrap();
        assert_eq!(Key::of(&Value::Bool(true)).unwrap(), one);
        assert_eq!(Key::of(&Value::Float(1.0)).unwrap(), one);
        assert_ne!(Key::of(&Value::str("1")).unwrap(), one);
        assert!(Key::of(&Value::list(vec![])).is_err());
    }

    #[test]
    fn named_tuples_are_equal_to_tuples() {
        let items = [Value::int(1), Value::str("x")];
        let names = ["a", "b"].map(str::to_owned);
        let fields = names.into_iter().zip(items.clone()).collect();
        let named = named_tuple("Pair", fields, Attributes::new());
        let (tuple, list) = (Value::tuple(items.to_vec()), Value::list(items.to_vec()));
        assert!(equal(&named, &tuple).unwrap() && equal(&tuple, &named).unwrap());
        assert!(!equal(&named, &list).unwrap());
        assert_eq!(Key::of(&named).unwrap(), Key::of(&tuple).unwrap());
    }
}
