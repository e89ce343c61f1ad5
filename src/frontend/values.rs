//! The two kinds of value in a kernel: known while compiling, or known to the hardware.

use super::builder::state::Vector;
use super::constant::ConstValue;
use super::pto::tile_type::Tile;
use crate::diagnostics::Span;
use crate::ir::{ArrayId, Scalar, ValueId};
use std::rc::Rc;

/// The value of an expression in a kernel.
#[derive(Clone, Debug)]
pub enum Value {
    /// Known while compiling.
    Const(ConstValue),
    /// A scalar of the hardware.
    Scalar(Typed),
    /// A shaped value; `fresh` if no name refers to its array yet.
    Array {
        /// Its memory.
        id: ArrayId,
        /// Made by the expression itself.
        fresh: bool,
    },
    /// Streams.
    Streams(Streams),
    /// A vector or a mask.
    Vector(Rc<Vector>),
    /// A tile.
    Tile(Tile),
    /// Several values, of which one at least is not known while compiling.
    Tuple(Vec<Value>),
}

/// Streams of one type.
#[derive(Clone, Debug)]
pub struct Streams {
    /// Each of them, the last index running fastest; one at least.
    pub ids: Rc<[ArrayId]>,
    /// Extents of the array of streams; of one stream, none.
    pub shape: Rc<[u64]>,
    /// Which of them is meant, as a `u1` for each, where an index is known only at run time.
    pub chosen: Option<Rc<[ValueId]>>,
}

/// A runtime scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Typed {
    /// The ir value.
    pub id: ValueId,
    /// Its type.
    pub ty: Scalar,
}

impl From<ConstValue> for Value {
    fn from(value: ConstValue) -> Value {
        Value::Const(value)
    }
}

/// A value with the place of the expression that gave it.
#[derive(Clone, Debug)]
pub struct Operand {
    /// The value.
    pub value: Value,
    /// The expression.
    pub span: Span,
}

impl Operand {
    /// Whether it is shaped.
    pub fn is_shaped(&self) -> bool {
        matches!(self.value, Value::Array { .. })
    }
}

/// What a value is, for messages.
pub fn describe(value: &Value) -> String {
    match value {
        Value::Const(value) => value.kind().to_owned(),
        Value::Scalar(typed) => format!("a value of type {}", typed.ty),
        Value::Array { .. } => "an array".to_owned(),
        Value::Streams(streams) if streams.shape.is_empty() => "a stream".to_owned(),
        Value::Streams(_) => "an array of streams".to_owned(),
        Value::Vector(vector) => format!("a {}", vector.ty),
        Value::Tile(tile) => format!("a {}", tile.ty),
        Value::Tuple(items) => format!("a tuple of {} values", items.len()),
    }
}
