//! The two kinds of value in a kernel: known while compiling, or known to the hardware.

use super::builder::lanes::Vector;
use super::pto::tiles::Tile;
use super::types::StreamType;
use crate::ir::{ArrayId, Scalar, ValueId};
use std::rc::Rc;

/// A value known while compiling; never in the ir by itself.
pub use pyeval::Value as ConstValue;

/// `f32[4, 4]`.
pub fn shaped_name(elem: Scalar, shape: &[u64]) -> String {
    let dims: Vec<String> = shape.iter().map(u64::to_string).collect();
    format!("{elem}[{}]", dims.join(", "))
}

/// `Stream[f32, 4][2]`; without the depth if that is 0.
pub fn stream_name(ty: &StreamType) -> String {
    let carried = match &ty.block {
        None => ty.elem.to_string(),
        Some(block) => shaped_name(ty.elem, block),
    };
    let depth = match ty.depth {
        0 => String::new(),
        depth => format!(", {depth}"),
    };
    let extents: Vec<String> = ty.shape.iter().map(u64::to_string).collect();
    match ty.shape.is_empty() {
        true => format!("Stream[{carried}{depth}]"),
        false => format!("Stream[{carried}{depth}][{}]", extents.join(", ")),
    }
}

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
