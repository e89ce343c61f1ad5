//! Attributes of any value.

use crate::error::Exception::AttributeError;
use crate::error::{Problem, fail, raise};
use crate::library::builtins::HIDDEN;
use crate::library::{members, methods, strings};
use crate::native::in_table;
use crate::numpy;
use crate::objects::{self, bound_native};
use crate::value::{Names, Native, Result, Value};
use diagnostics::{Span, closest};

/// An attribute of a value; an error if it has none of the name.
pub fn attribute(value: &Value, name: &str, span: Span, names: &mut dyn Names) -> Result<Value> {
    if let Some(value) = find(value, name, span, names)? {
        return Ok(value);
    }
    let kind = value.kind();
    // What a class of Python's own lacks here, Python may have: nothing may catch that.
    if let Value::Object(_) | Value::Class(_) | Value::Super(_) = value {
        let message = format!("{kind} has no attribute '{name}'");
        return raise(AttributeError, span, message);
    }
    let exported = exported(value, names);
    let near = closest(name, exported.iter().map(String::as_str));
    fail(
        span,
        Problem::NoAttribute {
            kind,
            name: name.to_owned(),
            near: near.map(str::to_owned),
        },
    )
}

/// The names that `from value import *` binds.
pub fn exported(value: &Value, names: &mut dyn Names) -> Vec<String> {
    match value {
        Value::Library(module) => members::exported(*module),
        Value::Module(module) => names.host().exported(*module),
        Value::Host(thing) => thing.exported(),
        _ => Vec::new(),
    }
}

/// An attribute of a value, if it has one of the name.
pub fn find(value: &Value, name: &str, span: Span, names: &mut dyn Names) -> Result<Option<Value>> {
    match value {
        Value::Library(module) => Ok(members::member(*module, name)),
        Value::Module(module) if !name.starts_with("__") => {
            names.host().global(*module, name, span).transpose()
        }
        Value::Host(thing) => Ok(thing.attribute(name)),
        Value::Object(_) | Value::Class(_) | Value::Super(_) => {
            objects::attribute(value, name, span, names)
        }
        _ => Ok(of_builtin(value, name)),
    }
}

/// An attribute or method of a value of one of Python's own types.
fn of_builtin(value: &Value, name: &str) -> Option<Value> {
    let plain = match (value, name) {
        (Value::Table(table), _) => numpy::attributes::attribute(table, name),
        (Value::Dtype(dtype), "name") => Some(Value::str(dtype.name())),
        (Value::Dtype(dtype), _) => numpy::attributes::dtype_attribute(*dtype, name),
        (Value::Function(f), "__name__") => Some(Value::str(f.name())),
        (Value::Native(native), _) => of_type(native, name),
        (Value::Range(r), "start") => Some(Value::int(r.start)),
        (Value::Range(r), "stop") => Some(Value::int(r.stop)),
        (Value::Range(r), "step") => Some(Value::int(r.step)),
        _ => None,
    };
    let method = || {
        let table = methods_of(value)?;
        table.iter().find(|native| native.name == name)
    };
    plain.or_else(|| Some(bound_native(method()?, value)))
}

fn methods_of(value: &Value) -> Option<&'static [Native]> {
    match value {
        Value::Table(_) => Some(numpy::functions::METHODS),
        Value::Str(_) => Some(strings::METHODS),
        other => methods::table(other),
    }
}

/// `dict.fromkeys` and the like, and the names of types.
fn of_type(native: &Native, name: &str) -> Option<Value> {
    match (native.name, name) {
        ("dict", "fromkeys") => in_table(HIDDEN, "dict.fromkeys"),
        ("str", "join") => in_table(HIDDEN, "str.join"),
        (_, "__name__") => Some(Value::str(native.name)),
        _ => None,
    }
}
