//! Attributes of arrays and of their types.

use crate::numpy::table::{Dtype, Table};
use crate::value::Value;
use std::rc::Rc;

/// A plain attribute of an array.
pub fn attribute(t: &Rc<Table>, name: &str) -> Option<Value> {
    Some(match name {
        "shape" => {
            let extents = t.shape.iter().map(|n| Value::int(*n));
            Value::tuple(extents.collect())
        }
        "dtype" => Value::Dtype(t.dtype),
        "size" => Value::int(t.len()),
        "ndim" => Value::int(t.rank()),
        "T" => t.transposed().wrapped(),
        _ => return None,
    })
}

/// An attribute of a dtype.
pub fn dtype_attribute(dtype: Dtype, name: &str) -> Option<Value> {
    let bits = match dtype {
        Dtype::Bool => 8,
        Dtype::Int(bits) | Dtype::Uint(bits) | Dtype::Float(bits) => bits,
    };
    Some(match name {
        "itemsize" => Value::int(bits / 8),
        "type" => Value::Dtype(dtype),
        _ => return None,
    })
}

/// A dtype of the module, or `newaxis`.
pub fn member(name: &str) -> Option<Value> {
    if name == "newaxis" {
        return Some(Value::None);
    }
    Dtype::named(name).map(Value::Dtype)
}
