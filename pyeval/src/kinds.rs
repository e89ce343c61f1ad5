//! What values are called: in messages, and by Python's `type`.

use crate::value::Value;

impl Value {
    /// Whether it can be changed in place.
    pub fn is_mutable(&self) -> bool {
        match self {
            Value::Table(table) => table.rank() > 0,
            Value::List(_)
            | Value::Dict(_)
            | Value::Set(_)
            | Value::Iter(_)
            | Value::Class(_)
            | Value::Object(_) => true,
            _ => false,
        }
    }

    /// What it is, for messages, with an article.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Int(_) => "an int",
            Value::Float(_) => "a float",
            Value::Bool(_) => "a bool",
            Value::Str(_) => "a string",
            Value::None => "None",
            Value::Tuple(_) => "a tuple",
            Value::List(_) => "a list",
            Value::Dict(_) => "a dict",
            Value::Set(_) => "a set",
            Value::Range(_) => "a range",
            Value::Slice(_) => "a slice",
            Value::Ellipsis => "'...'",
            Value::Table(table) if table.rank() == 0 => "a numpy scalar",
            Value::Table(_) => "a numpy array",
            Value::Dtype(_) => "a numpy dtype",
            Value::Iter(_) => "an iterator",
            Value::Native(_) => "a built-in",
            Value::Library(_) | Value::Module(_) => "a module",
            Value::Function(_) => "a Python function",
            Value::Bound(_) => "a method",
            Value::Class(_) => "a class",
            Value::Object(_) => "an object",
            Value::Descriptor(..) => "a descriptor",
            Value::Super(_) => "'super()'",
            Value::Host(thing) => thing.kind(),
        }
    }

    /// The name of its type in Python.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Int(_) => "int",
            Value::Float(_) => "float",
            Value::Bool(_) => "bool",
            Value::Str(_) => "str",
            Value::None => "NoneType",
            Value::Tuple(_) => "tuple",
            Value::List(_) => "list",
            Value::Dict(_) => "dict",
            Value::Set(set) if set.get().frozenset => "frozenset",
            Value::Set(_) => "set",
            Value::Range(_) => "range",
            Value::Slice(_) => "slice",
            Value::Iter(_) => "generator",
            Value::Function(_) => "function",
            Value::Class(_) | Value::Native(_) => "type",
            Value::Table(_) => "numpy.ndarray",
            _ => "object",
        }
    }

    /// The name of the built-in that it is or, as a thing of the host, stands for.
    pub fn builtin(&self) -> Option<&'static str> {
        match self {
            Value::Native(native) => Some(native.name),
            Value::Host(thing) => thing.stands_for(),
            _ => None,
        }
    }
}
