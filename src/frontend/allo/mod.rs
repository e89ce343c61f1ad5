//! The things of Allo that compile-time Python holds: types, kernels, templates, options, operators, names.

pub mod construct;
pub mod python;
pub mod surface;

use super::builder::Operator;
use super::constant::ConstValue;
use super::kernel_ref::KernelRef;
use super::namespaces::Namespace;
use super::options::Options;
use super::pto::thing::Thing;
use super::schedule::things::Scheduling;
use super::stream_type::StreamType;
use crate::ir::Scalar;
use std::any::Any;
use std::rc::Rc;

/// A thing of Allo.
#[derive(Clone, Debug)]
pub enum Allo {
    /// A scalar type.
    Type(Scalar),
    /// A shaped type such as `f32[16]`.
    Shaped(Scalar, Rc<[u64]>),
    /// `Stream[i32, 4]`.
    Stream(StreamType),
    /// `Stateful[i32]`, or of a shape.
    Stateful(Scalar, Option<Rc<[u64]>>),
    /// `constexpr`.
    Constexpr,
    /// `Template("T")`.
    Template(Template),
    /// A kernel with the values bound to its templates so far.
    Kernel(KernelRef),
    /// An operator of the registry.
    Operator(&'static Operator),
    /// A function or class of the compiler.
    Builtin(Builtin),
    /// `allo`, `allo.math` and the like.
    Namespace(Namespace),
    /// `KernelOptions(...)`.
    Options(Options),
    /// A thing of `allo.pto`.
    Pto(Thing),
    /// A schedule, or what belongs to one.
    Scheduling(Scheduling),
}

/// A template: each is one of its own, whatever its name.
#[derive(Clone, Debug)]
pub struct Template(Rc<str>);

impl Template {
    /// A fresh one.
    pub fn new(name: &str) -> Template {
        Template(name.into())
    }
    /// Its name.
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl PartialEq for Template {
    fn eq(&self, other: &Template) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// A function or class that the compiler gives a meaning of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// The decorator.
    Kernel,
    /// The decorator.
    Consteval,
    /// The decorator.
    OperatorIp,
    /// `Template("T")`.
    Template,
    /// `KernelOptions(...)`.
    KernelOptions,
    /// `apint(width, signed=False)`.
    Apint,
    /// `UInt(width)`, or `Int(width)` if true.
    SizedInt(bool),
    /// `apfloat(exponent, fraction)`.
    Apfloat,
    /// `range` and `allo.range`.
    Range,
    /// `allo.grid`.
    Grid,
    /// `len`.
    Len,
    /// `static_assert`.
    StaticAssert,
    /// `assume`.
    Assume,
    /// `bufferize`.
    Bufferize,
    /// `Stream`.
    Stream,
    /// `Stateful`.
    Stateful,
    /// `get_wid`, or `get_nw` if true.
    Worker(bool),
}

impl Allo {
    /// The thing of Allo that a value is.
    pub fn of(value: &ConstValue) -> Option<&Allo> {
        match value {
            ConstValue::Host(thing) => (&**thing as &dyn Any).downcast_ref(),
            _ => None,
        }
    }

    /// The scalar type that a value is.
    pub fn scalar(value: &ConstValue) -> Option<Scalar> {
        match Allo::of(value) {
            Some(Allo::Type(ty)) => Some(*ty),
            _ => None,
        }
    }

    /// The kernel that a value is.
    pub fn kernel(value: &ConstValue) -> Option<&KernelRef> {
        match Allo::of(value) {
            Some(Allo::Kernel(kernel)) => Some(kernel),
            _ => None,
        }
    }

    /// The function of the compiler that a value is.
    pub fn builtin(value: &ConstValue) -> Option<Builtin> {
        match Allo::of(value) {
            Some(Allo::Builtin(builtin)) => Some(*builtin),
            _ => None,
        }
    }
}

impl From<Allo> for ConstValue {
    fn from(thing: Allo) -> ConstValue {
        ConstValue::Host(Rc::new(thing))
    }
}

impl From<Scheduling> for ConstValue {
    fn from(thing: Scheduling) -> ConstValue {
        Allo::Scheduling(thing).into()
    }
}
