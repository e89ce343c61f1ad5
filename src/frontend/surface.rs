//! The names that `allo`, `math` and Python itself give to a kernel file.

use super::operators;
use super::types;
use super::values::ConstValue;
use crate::ir::{FloatFormat, Scalar};

/// An importable namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Namespace {
    /// `allo`, and the same names as `allo.lang`, `allo.exp`, `allo.exp.lang`, `allo.operators`.
    Allo,
    /// `allo.arith`.
    Arith,
    /// `allo.math`.
    Math,
    /// `allo.linalg`.
    Linalg,
    /// `allo.ir`, and `allo.ir.types` with the types' long names.
    IrTypes,
    /// Python's own `math`.
    PythonMath,
    /// `numpy`, as far as tables need it.
    Numpy,
    /// `functools`.
    Functools,
    /// `itertools`.
    Itertools,
    /// `dataclasses`.
    Dataclasses,
    /// `enum`.
    Enum,
    /// `operator`.
    Operator,
}

/// Modules of Python's library, and numpy.
const LIBRARY: &[(&str, Namespace)] = &[
    ("math", Namespace::PythonMath),
    ("numpy", Namespace::Numpy),
    ("functools", Namespace::Functools),
    ("itertools", Namespace::Itertools),
    ("dataclasses", Namespace::Dataclasses),
    ("enum", Namespace::Enum),
    ("operator", Namespace::Operator),
];

/// A function or class that the compiler gives a meaning of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// The decorator.
    Kernel,
    /// The decorator.
    Consteval,
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
}

const ALLO: &[(&str, ConstValue)] = &[
    ("kernel", ConstValue::Builtin(Builtin::Kernel)),
    ("consteval", ConstValue::Builtin(Builtin::Consteval)),
    ("Template", ConstValue::Builtin(Builtin::Template)),
    ("KernelOptions", ConstValue::Builtin(Builtin::KernelOptions)),
    ("apint", ConstValue::Builtin(Builtin::Apint)),
    ("APInt", ConstValue::Builtin(Builtin::Apint)),
    ("apfloat", ConstValue::Builtin(Builtin::Apfloat)),
    ("range", ConstValue::Builtin(Builtin::Range)),
    ("reduction", ConstValue::Builtin(Builtin::Range)),
    ("grid", ConstValue::Builtin(Builtin::Grid)),
    ("static_assert", ConstValue::Builtin(Builtin::StaticAssert)),
    ("constexpr", ConstValue::Constexpr),
    ("arith", ConstValue::Namespace(Namespace::Arith)),
    ("math", ConstValue::Namespace(Namespace::Math)),
    ("linalg", ConstValue::Namespace(Namespace::Linalg)),
    ("lang", ConstValue::Namespace(Namespace::Allo)),
    ("exp", ConstValue::Namespace(Namespace::Allo)),
    ("core", ConstValue::Namespace(Namespace::Allo)),
    ("operators", ConstValue::Namespace(Namespace::Allo)),
    ("ir", ConstValue::Namespace(Namespace::IrTypes)),
];

/// What `allo.ir.types` has besides types with a width in their name.
const IR_TYPES: &[(&str, ConstValue)] = &[
    ("types", ConstValue::Namespace(Namespace::IrTypes)),
    ("Int", ConstValue::Builtin(Builtin::SizedInt(true))),
    ("UInt", ConstValue::Builtin(Builtin::SizedInt(false))),
    ("ConstExpr", ConstValue::Constexpr),
];

const PYTHON: &[(&str, ConstValue)] = &[
    ("range", ConstValue::Builtin(Builtin::Range)),
    ("len", ConstValue::Builtin(Builtin::Len)),
    ("bool", ConstValue::Type(crate::ir::Scalar::BOOL)),
];

fn in_table(table: &[(&str, ConstValue)], name: &str) -> Option<ConstValue> {
    table
        .iter()
        .find(|(n, _)| *n == name)
        .map(|(_, v)| v.clone())
}

/// The namespace of a dotted module name in an `import`.
pub fn module(name: &str) -> Option<Namespace> {
    if let Some((_, space)) = LIBRARY.iter().find(|(n, _)| *n == name) {
        return Some(*space);
    }
    let mut parts = name.split('.');
    if parts.next() != Some("allo") {
        return None;
    }
    parts.try_fold(Namespace::Allo, |space, part| match member(space, part) {
        Some(ConstValue::Namespace(next)) => Some(next),
        _ => None,
    })
}

/// The member of a namespace.
pub fn member(space: Namespace, name: &str) -> Option<ConstValue> {
    match space {
        Namespace::Allo => in_table(ALLO, name)
            .or_else(|| types::predefined(name).map(ConstValue::Type))
            .or_else(|| operators::named(Namespace::Allo, name).map(ConstValue::Operator)),
        Namespace::IrTypes => {
            in_table(IR_TYPES, name).or_else(|| types::long_named(name).map(ConstValue::Type))
        }
        Namespace::Arith | Namespace::Math | Namespace::Linalg => {
            operators::named(space, name).map(ConstValue::Operator)
        }
        library => super::library::member(library, name),
    }
}

/// The Python built-in of a name.
pub fn builtin(name: &str) -> Option<ConstValue> {
    in_table(PYTHON, name)
        .or_else(|| operators::named_python(name).map(ConstValue::Operator))
        .or_else(|| super::library::builtin(name))
}

/// Names for suggestions.
pub fn builtin_names() -> impl Iterator<Item = &'static str> {
    PYTHON
        .iter()
        .map(|(n, _)| *n)
        .chain(["min", "max", "abs"])
        .chain(super::library::builtin_names())
}

/// Names that `from <space> import *` binds, Python built-ins left out.
pub fn exported(space: Namespace) -> Vec<String> {
    match space {
        Namespace::Allo => ALLO
            .iter()
            .map(|(n, _)| (*n).to_owned())
            .filter(|n| n != "range" && module(&format!("allo.{n}")).is_none())
            .chain(types::predefined_names())
            .collect(),
        Namespace::IrTypes => {
            let names = IR_TYPES.iter().map(|(n, _)| (*n).to_owned());
            names.chain(long_names()).collect()
        }
        Namespace::Arith | Namespace::Math | Namespace::Linalg => operators::OPERATORS
            .iter()
            .filter(|op| op.space == space)
            .map(|op| op.key.to_owned())
            .collect(),
        library => super::library::exported(library),
    }
}

/// The long names of the predefined types.
fn long_names() -> impl Iterator<Item = String> {
    let long = |name: &str, width: u32| format!("{name}{width}");
    let integers = types::predefined_names().filter_map(|name| types::predefined(&name));
    integers.filter_map(move |ty| match ty {
        Scalar::Int {
            signed: true,
            width,
        } => Some(long("int", width)),
        Scalar::Int { width, .. } => Some(long("uint", width)),
        Scalar::Index => Some("index".to_owned()),
        Scalar::Float(FloatFormat::BF16) => Some("bfloat16".to_owned()),
        Scalar::Float(f) => Some(long("float", f.width())),
        Scalar::Storage(_) => None,
    })
}
