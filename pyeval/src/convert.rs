//! Values as numbers, truths and sequences.

use crate::error::Exception::{OverflowError, TypeError, ValueError};
use crate::error::raise;
use crate::numbers::f64_from_int;
use crate::numpy::table::{Dtype, Num, Table};
use crate::shared::Shared;
use crate::value::{Class, Elements, Entries, List, Object, Result, Value};
use diagnostics::Span;
use num_bigint::BigInt;
use num_traits::FromPrimitive;
use std::rc::Rc;

impl Value {
    /// A str.
    pub fn str(text: &str) -> Value {
        Value::Str(text.into())
    }

    /// An int.
    pub fn int(value: impl Into<BigInt>) -> Value {
        Value::Int(value.into())
    }

    /// A fresh list.
    pub fn list(items: Vec<Value>) -> Value {
        Value::List(Rc::new(List::new(items)))
    }

    /// A tuple.
    pub fn tuple(items: Vec<Value>) -> Value {
        Value::Tuple(items.into())
    }

    /// A fresh dict.
    pub fn dict(entries: Entries) -> Value {
        Value::Dict(Rc::new(Shared::new(entries)))
    }

    /// A fresh set.
    pub fn set(elements: Elements) -> Value {
        Value::Set(Rc::new(Shared::new(elements)))
    }

    /// Python's truth of a value whose class does not define its own.
    pub fn truth(&self) -> Option<bool> {
        Some(match self {
            Value::Int(v) => *v != BigInt::ZERO,
            Value::Float(v) => *v != 0.0,
            Value::Bool(v) => *v,
            Value::Str(s) => !s.is_empty(),
            Value::None => false,
            Value::Tuple(items) => !items.is_empty(),
            Value::List(items) => !items.get().is_empty(),
            Value::Dict(items) => !items.get().is_empty(),
            Value::Set(items) => !items.get().items.is_empty(),
            Value::Range(range) => !range.is_empty(),
            Value::Table(table) if table.len() == 1 => return table.first()?.truth(),
            Value::Object(object) => return object.int().map(|v| v != BigInt::ZERO),
            Value::Function(_) | Value::Native(_) | Value::Class(_) | Value::Bound(_) => true,
            _ => return None,
        })
    }

    /// The value as an int: ints, bools, numpy integers and members of an `IntEnum`.
    pub fn as_int(&self) -> Option<BigInt> {
        match self {
            Value::Int(v) => Some(v.clone()),
            Value::Bool(v) => Some(BigInt::from(u8::from(*v))),
            Value::Table(table) => match table.item()? {
                Value::Float(_) => None,
                item => item.as_int(),
            },
            Value::Object(object) => object.int(),
            _ => None,
        }
    }

    /// Whether it is an int, float or bool.
    pub fn is_number(&self) -> bool {
        matches!(self, Value::Int(_) | Value::Float(_) | Value::Bool(_))
    }

    /// The elements of a list or tuple, with names or without.
    pub fn sequence(&self) -> Option<Rc<[Value]>> {
        match self {
            Value::Tuple(items) => Some(items.clone()),
            Value::List(items) => Some(items.get().as_slice().into()),
            Value::Object(object) => object.items().map(Rc::from),
            _ => None,
        }
    }

    /// Numpy scalars and members of an `IntEnum` as the numbers that they are.
    pub fn plain(self) -> Value {
        match &self {
            Value::Table(table) => table.item().unwrap_or(self),
            Value::Object(object) => object.int().map_or(self, Value::Int),
            _ => self,
        }
    }
}

impl Class {
    /// Whether it is Python's own class of the name, or inherits from it.
    pub fn inherits(&self, builtin: &str) -> bool {
        self.builtin == Some(builtin) || self.inherited.iter().any(|c| c.builtin == Some(builtin))
    }
}

impl Object {
    /// The value of a member of an `IntEnum`.
    pub fn int(&self) -> Option<BigInt> {
        if !self.class.inherits("IntEnum") {
            return None;
        }
        self.attrs.get().get("_value_").and_then(Value::as_int)
    }
}

impl Table {
    fn python(&self, value: Num) -> Value {
        match (self.dtype, value) {
            (Dtype::Bool, value) => Value::Bool(value.nonzero()),
            (_, Num::Int(v)) => Value::Int(v.into()),
            (_, Num::Float(v)) => Value::Float(v),
        }
    }

    /// The Python number of a scalar.
    pub fn item(&self) -> Option<Value> {
        if self.rank() == 0 { self.first() } else { None }
    }

    /// The first element as a Python number.
    pub fn first(&self) -> Option<Value> {
        let values = self.buffer.values.borrow();
        let first = (!self.is_empty()).then(|| values.get(self.offset as usize))?;
        first.map(|v| self.python(*v))
    }

    /// All elements as Python numbers, in row-major order.
    pub fn numbers(&self) -> Vec<Value> {
        self.values().into_iter().map(|v| self.python(v)).collect()
    }

    /// What iteration gives: scalars, or views.
    pub fn rows(&self) -> Vec<Value> {
        (0..self.shape[0]).map(|i| self.row(i).wrapped()).collect()
    }

    /// As nested lists of Python numbers.
    pub fn nested(&self) -> Value {
        match self.item() {
            Some(item) => item,
            None => {
                let rows = (0..self.shape[0]).map(|i| self.row(i).nested());
                Value::list(rows.collect())
            }
        }
    }

    /// As a value; a view of rank 0 becomes a scalar of its own.
    pub fn wrapped(self) -> Value {
        if self.rank() == 0 {
            let value = self.values().first().copied().unwrap_or(Num::Int(0));
            return Value::Table(Rc::new(Table::scalar(self.dtype, value)));
        }
        Value::Table(Rc::new(self))
    }
}

/// An int, or Python's error.
pub fn int_of(value: &Value, span: Span) -> Result<BigInt> {
    match value.as_int() {
        Some(v) => Ok(v),
        None => {
            let message = format!("an int is needed, not {}", value.kind());
            raise(TypeError, span, message)
        }
    }
}

/// A number as a float, or Python's error.
pub fn to_float(value: &Value, span: Span) -> Result<f64> {
    match (value, value.as_int()) {
        (_, Some(v)) => Ok(f64_from_int(&v)),
        (Value::Float(v), _) => Ok(*v),
        (Value::Table(table), _) if table.len() == 1 => match table.first() {
            Some(item) => to_float(&item, span),
            None => Ok(0.0),
        },
        _ => raise(TypeError, span, format!("{} is not a number", value.kind())),
    }
}

/// `int(value)` of a number: truncated toward zero.
pub fn to_int(value: &Value, span: Span) -> Result<BigInt> {
    match value.as_int() {
        Some(v) => Ok(v),
        None => int_of_float(to_float(value, span)?.trunc(), span),
    }
}

/// A float that is integral as an int.
pub fn int_of_float(value: f64, span: Span) -> Result<BigInt> {
    match BigInt::from_f64(value) {
        Some(v) => Ok(v),
        None if value.is_nan() => raise(ValueError, span, "a NaN has no int value"),
        None => raise(OverflowError, span, "an infinity has no int value"),
    }
}
