//! The two kinds of value while compiling: known now, or known to the hardware.

use super::classes::{Class, Object};
use super::containers::{Corpse, Dict, List, Set, bury};
use super::iterate::IterRef;
use super::library::Native;
use super::numpy::{Dtype, Table};
use super::operators::Operator;
use super::promote::Style;
use super::scope::{Code, Scope};
use super::surface::{Builtin, Namespace};
use crate::diagnostics::{FileId, Span};
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
    /// Python list.
    List(Rc<List>),
    /// Python dict.
    Dict(Rc<Dict>),
    /// Python set or frozenset.
    Set(Rc<Set>),
    /// `range(start, stop, step)`.
    Range(Range),
    /// `start:stop:step` between brackets; absent parts are `None`.
    Slice(Rc<[ConstValue; 3]>),
    /// `...`.
    Ellipsis,
    /// A numpy array, or a numpy scalar if its rank is 0.
    Table(Rc<Table>),
    /// A numpy element type.
    Dtype(Dtype),
    /// What `iter` returns, also a running generator.
    Iter(IterRef),
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
    /// A module of a file beside the input, by its number.
    Module(usize),
    /// `KernelOptions(...)`.
    Options(Options),
    /// A Python function, to be called at compile time.
    Function(Rc<Function>),
    /// A function of the library.
    Native(&'static Native),
    /// A callable with its first arguments: a bound method, or `functools.partial`.
    Bound(Rc<Bound>),
    /// A class.
    Class(Rc<Class>),
    /// An instance of a class.
    Object(Rc<Object>),
    /// `property`, `staticmethod` or `classmethod` of a function.
    Descriptor(Descriptor, Rc<ConstValue>),
    /// `super()`: the class after which the search begins, and the instance.
    Super(Rc<(Rc<Class>, ConstValue)>),
    /// A function that lives in the user's CPython, by its number and name.
    Remote(usize, Rc<str>),
}

/// How a class attribute behaves when read from an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Descriptor {
    /// Called with the instance.
    Property,
    /// Not bound.
    Static,
    /// Bound to the class.
    Class,
}

/// A callable with its first arguments.
#[derive(Debug)]
pub struct Bound {
    /// What is called.
    pub callee: ConstValue,
    /// The arguments that come before those of the call.
    pub first: Vec<ConstValue>,
    /// Named arguments that those of the call override.
    pub named: Vec<(String, ConstValue)>,
    /// The class in which a method was found, for `super()`.
    pub owner: Option<Rc<Class>>,
}

/// Python's `range`: the numbers of an arithmetic progression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// First number.
    pub start: i64,
    /// The bound, exclusive.
    pub stop: i64,
    /// Not 0.
    pub step: i64,
}

impl Range {
    /// Number of elements.
    pub fn len(&self) -> u64 {
        let (start, stop, step) = (
            i128::from(self.start),
            i128::from(self.stop),
            i128::from(self.step),
        );
        let distance = if step > 0 { stop - start } else { start - stop };
        if distance <= 0 {
            return 0;
        }
        // At most 2^64 - 1, as the distance is below 2^64.
        ((distance + step.abs() - 1) / step.abs()) as u64
    }

    /// Whether it has no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Element number `i`, which is less than the length.
    pub fn at(&self, i: u64) -> BigInt {
        (i128::from(self.start) + i128::from(i) * i128::from(self.step)).into()
    }
}

/// A Python function.
#[derive(Debug)]
pub struct Function {
    /// Its name, parameters and body.
    pub code: Rc<Code>,
    /// Defaults of the parameters that have one, evaluated at the definition, by parameter number.
    pub defaults: Vec<Option<ConstValue>>,
    /// The module whose globals it sees.
    pub module: usize,
    /// The function scope in which it is defined.
    pub scope: Option<Rc<Scope>>,
    /// Whether kernels may call it.
    pub consteval: bool,
}

impl Drop for Function {
    fn drop(&mut self) {
        let defaults = std::mem::take(&mut self.defaults);
        bury(defaults.into_iter().flatten().map(Corpse::Value));
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        let callee = std::mem::replace(&mut self.callee, ConstValue::None);
        let first = std::mem::take(&mut self.first).into_iter();
        bury(first.chain([callee]).map(Corpse::Value));
    }
}

impl Function {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.code.name
    }
    /// The place of the definition.
    pub fn span(&self) -> Span {
        self.code.span
    }
    /// The file of the definition.
    pub fn file(&self) -> FileId {
        self.code.span.file
    }
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

    /// An int.
    pub fn int(value: impl Into<BigInt>) -> ConstValue {
        ConstValue::Int(value.into())
    }

    /// A fresh list.
    pub fn list(items: Vec<ConstValue>) -> ConstValue {
        ConstValue::List(Rc::new(List::new(items)))
    }

    /// A tuple.
    pub fn tuple(items: Vec<ConstValue>) -> ConstValue {
        ConstValue::Tuple(items.into())
    }

    /// Python's truth of a value whose class does not define its own.
    pub fn truth(&self) -> Option<bool> {
        Some(match self {
            ConstValue::Int(v) => *v != BigInt::ZERO,
            ConstValue::Float(v) => *v != 0.0,
            ConstValue::Bool(v) => *v,
            ConstValue::Str(s) => !s.is_empty(),
            ConstValue::None => false,
            ConstValue::Tuple(items) => !items.is_empty(),
            ConstValue::List(items) => !items.get().is_empty(),
            ConstValue::Dict(items) => !items.get().is_empty(),
            ConstValue::Set(items) => !items.get().is_empty(),
            ConstValue::Range(range) => !range.is_empty(),
            ConstValue::Table(table) if table.len() == 1 => return table.first()?.truth(),
            ConstValue::Object(object) => return object.int().map(|v| v != BigInt::ZERO),
            ConstValue::Function(_)
            | ConstValue::Native(_)
            | ConstValue::Class(_)
            | ConstValue::Bound(_) => true,
            _ => return None,
        })
    }

    /// The value as an int: ints, bools, numpy integers and members of an `IntEnum`.
    pub fn as_int(&self) -> Option<BigInt> {
        match self {
            ConstValue::Int(v) => Some(v.clone()),
            ConstValue::Bool(v) => Some(BigInt::from(u8::from(*v))),
            ConstValue::Table(table) => match table.item()? {
                ConstValue::Float(_) => None,
                item => item.as_int(),
            },
            ConstValue::Object(object) => object.int(),
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

    /// The elements of a list or tuple.
    pub fn sequence(&self) -> Option<Rc<[ConstValue]>> {
        match self {
            ConstValue::Tuple(items) => Some(items.clone()),
            ConstValue::List(items) => Some(items.get().as_slice().into()),
            _ => None,
        }
    }

    /// The value as kernels see it: numpy scalars and members of an `IntEnum` become numbers.
    pub fn for_kernel(self) -> ConstValue {
        match &self {
            ConstValue::Table(table) => table.item().unwrap_or(self),
            ConstValue::Object(object) => object.int().map_or(self, ConstValue::Int),
            _ => self,
        }
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
            ConstValue::Dict(_) => "a dict",
            ConstValue::Set(_) => "a set",
            ConstValue::Range(_) => "a range",
            ConstValue::Slice(_) => "a slice",
            ConstValue::Ellipsis => "'...'",
            ConstValue::Table(table) if table.rank() == 0 => "a numpy scalar",
            ConstValue::Table(_) => "a numpy array",
            ConstValue::Dtype(_) => "a numpy dtype",
            ConstValue::Iter(_) => "an iterator",
            ConstValue::Type(_) => "a type",
            ConstValue::Shaped(..) => "a shaped type",
            ConstValue::Constexpr => "the type 'constexpr'",
            ConstValue::Template(_) => "an unbound template",
            ConstValue::Kernel(_) => "a kernel",
            ConstValue::Operator(_) => "an operator",
            ConstValue::Builtin(_) | ConstValue::Native(_) => "a built-in",
            ConstValue::Namespace(_) | ConstValue::Module(_) => "a module",
            ConstValue::Options(_) => "kernel options",
            ConstValue::Function(_) | ConstValue::Remote(..) => "a Python function",
            ConstValue::Bound(_) => "a method",
            ConstValue::Class(_) => "a class",
            ConstValue::Object(_) => "an object",
            ConstValue::Descriptor(..) => "a descriptor",
            ConstValue::Super(_) => "'super()'",
        }
    }

    /// Text of the value as `print` shows it, without calling methods of classes.
    pub fn text(&self) -> String {
        super::text::plain(self)
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
