//! The two kinds of value while compiling: known now, or known to the hardware.

use super::operators::Operator;
use super::promote::Style;
use super::surface::{Builtin, Namespace};
use crate::diagnostics::FileId;
use crate::ir::{ArrayId, Scalar, ValueId};
use num_bigint::BigInt;
use std::rc::Rc;

/// A value known while compiling; never in the ir by itself.
#[derive(Clone, Debug)]
pub enum ConstValue {
    /// Python int.
    Int(BigInt),
    /// Python float.
    Float(f64),
    /// Python bool.
    Bool(bool),
    /// Python str.
    Str(Rc<str>),
    /// `None`.
    None,
    /// Python tuple.
    Tuple(Rc<[ConstValue]>),
    /// Python list; immutable here.
    List(Rc<[ConstValue]>),
    /// A scalar type.
    Type(Scalar),
    /// A shaped type such as `f32[16]`.
    Shaped(Scalar, Rc<[u64]>),
    /// `constexpr`.
    Constexpr,
    /// `Template("T")`, by its number.
    Template(usize),
    /// A kernel with the values bound to its templates so far.
    Kernel(KernelRef),
    /// An operator of the registry.
    Operator(&'static Operator),
    /// A function or class of the compiler.
    Builtin(Builtin),
    /// `allo`, `allo.math`, `math` and the like.
    Namespace(Namespace),
    /// `KernelOptions(...)`.
    Options(Options),
    /// A Python function, to be called at compile time.
    Function(Rc<Function>),
}

/// A Python function.
#[derive(Debug)]
pub struct Function {
    /// Its syntax.
    pub ast: ruff_python_ast::StmtFunctionDef,
    /// Where it is written.
    pub file: FileId,
    /// The module whose globals it sees.
    pub module: usize,
    /// Whether kernels may call it.
    pub consteval: bool,
}

/// A kernel definition, perhaps specialised.
#[derive(Clone, Debug)]
pub struct KernelRef {
    /// Number of the definition.
    pub def: usize,
    /// Values of its templates; empty if not specialised.
    pub bindings: Rc<[ConstValue]>,
}

/// `KernelOptions`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Typing tables.
    pub style: Style,
    /// Shaped values are immutable tensors.
    pub enable_tensor: bool,
    /// Float sums and products may be reassociated.
    pub fast_math: bool,
    /// Floats of 16 bits and more have no subnormals: operations take and give zeros in their place.
    pub flush_subnormals: bool,
}

impl ConstValue {
    /// A str.
    pub fn str(text: &str) -> ConstValue {
        ConstValue::Str(text.into())
    }

    /// Python's truth of a number, string, sequence or `None`.
    pub fn truth(&self) -> Option<bool> {
        Some(match self {
            ConstValue::Int(v) => *v != BigInt::ZERO,
            ConstValue::Float(v) => *v != 0.0,
            ConstValue::Bool(v) => *v,
            ConstValue::Str(s) => !s.is_empty(),
            ConstValue::None => false,
            ConstValue::Tuple(items) | ConstValue::List(items) => !items.is_empty(),
            _ => return None,
        })
    }

    /// The value as an int: ints and bools.
    pub fn as_int(&self) -> Option<BigInt> {
        match self {
            ConstValue::Int(v) => Some(v.clone()),
            ConstValue::Bool(v) => Some(BigInt::from(u8::from(*v))),
            _ => None,
        }
    }

    /// Whether it is an int, float or bool.
    pub fn is_number(&self) -> bool {
        matches!(
            self,
            ConstValue::Int(_) | ConstValue::Float(_) | ConstValue::Bool(_)
        )
    }

    /// What it is, for messages, with an article.
    pub fn kind(&self) -> &'static str {
        match self {
            ConstValue::Int(_) => "an int",
            ConstValue::Float(_) => "a float",
            ConstValue::Bool(_) => "a bool",
            ConstValue::Str(_) => "a string",
            ConstValue::None => "None",
            ConstValue::Tuple(_) => "a tuple",
            ConstValue::List(_) => "a list",
            ConstValue::Type(_) => "a type",
            ConstValue::Shaped(..) => "a shaped type",
            ConstValue::Constexpr => "the type 'constexpr'",
            ConstValue::Template(_) => "an unbound template",
            ConstValue::Kernel(_) => "a kernel",
            ConstValue::Operator(_) => "an operator",
            ConstValue::Builtin(_) => "a built-in",
            ConstValue::Namespace(_) => "a module",
            ConstValue::Options(_) => "kernel options",
            ConstValue::Function(_) => "a Python function",
        }
    }

    /// Text of the value as `print` shows it (`repr` for elements of sequences).
    pub fn text(&self) -> String {
        match self {
            ConstValue::Str(s) => s.to_string(),
            other => other.repr(),
        }
    }

    fn repr(&self) -> String {
        let join = |items: &[ConstValue]| {
            let parts: Vec<String> = items.iter().map(ConstValue::repr).collect();
            parts.join(", ")
        };
        match self {
            ConstValue::Int(v) => v.to_string(),
            ConstValue::Float(v) => python_float(*v),
            ConstValue::Bool(true) => "True".into(),
            ConstValue::Bool(false) => "False".into(),
            ConstValue::Str(s) => format!("'{s}'"),
            ConstValue::None => "None".into(),
            ConstValue::Tuple(items) if items.len() == 1 => format!("({},)", items[0].repr()),
            ConstValue::Tuple(items) => format!("({})", join(items)),
            ConstValue::List(items) => format!("[{}]", join(items)),
            ConstValue::Type(ty) => ty.to_string(),
            ConstValue::Shaped(ty, shape) => shaped_name(*ty, shape),
            ConstValue::Operator(op) => op.key.into(),
            other => format!("<{}>", other.kind()),
        }
    }
}

fn python_float(v: f64) -> String {
    if v.is_nan() {
        "nan".into()
    } else if v.is_infinite() {
        if v > 0.0 { "inf".into() } else { "-inf".into() }
    } else {
        format!("{v:?}")
    }
}

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
