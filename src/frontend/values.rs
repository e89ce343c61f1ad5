//! The two kinds of value in a kernel: known while compiling, or known to the hardware.

use crate::ir::{ArrayId, Scalar, ValueId};

/// A value known while compiling; never in the ir by itself.
pub use pyeval::Value as ConstValue;

/// `f32[4, 4]`.
pub fn shaped_name(elem: Scalar, shape: &[u64]) -> String {
    let dims: Vec<String> = shape.iter().map(u64::to_string).collect();
    format!("{elem}[{}]", dims.join(", "))
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
    /// Several values, of which one at least is not known while compiling.
    Tuple(Vec<Value>),
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
