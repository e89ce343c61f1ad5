//! `isinstance`.

use crate::error::{Problem, fail};
use crate::value::{Result, Value};
use diagnostics::Span;

/// `isinstance(value, class)`.
pub fn is_instance(value: &Value, class: &Value, span: Span) -> Result<bool> {
    if let Some(name) = class.builtin() {
        let is_int = || match value {
            Value::Bool(_) => true,
            Value::Object(object) => object.int().is_some(),
            _ => false,
        };
        return Ok(value.type_name() == name || name == "int" && is_int());
    }
    match class {
        Value::Tuple(classes) => {
            for class in classes.iter() {
                if is_instance(value, class, span)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        Value::Dtype(dtype) => {
            Ok(matches!(value, Value::Table(t) if t.rank() == 0 && t.dtype == *dtype))
        }
        Value::Class(class) if &*class.name == "object" => Ok(true),
        Value::Class(class) => Ok(match value {
            Value::Object(object) => object.class.is_subclass(class),
            _ => false,
        }),
        other => {
            let text = format!("isinstance with {} is not supported", other.kind());
            fail(span, Problem::Unsupported(text.into()))
        }
    }
}
