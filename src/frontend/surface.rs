//! The names that `allo`, `math` and Python itself give to a kernel file.

use super::operators;
use super::types;
use super::values::ConstValue;

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
    /// Python's own `math`.
    PythonMath,
}

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
    /// `apfloat(exponent, fraction)`.
    Apfloat,
    /// `range` and `allo.range`.
    Range,
    /// `allo.grid`.
    Grid,
    /// `len`.
    Len,
    /// `print`.
    Print,
    /// `int`.
    Int,
    /// `float`.
    Float,
    /// `bool` called at compile time is the type; kept apart from it.
    Round,
    /// `static_assert`.
    StaticAssert,
    /// A function of Python's `math`, by its operator key.
    PythonMath(&'static str),
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
];

const PYTHON: &[(&str, ConstValue)] = &[
    ("range", ConstValue::Builtin(Builtin::Range)),
    ("len", ConstValue::Builtin(Builtin::Len)),
    ("print", ConstValue::Builtin(Builtin::Print)),
    ("int", ConstValue::Builtin(Builtin::Int)),
    ("float", ConstValue::Builtin(Builtin::Float)),
    ("round", ConstValue::Builtin(Builtin::Round)),
    ("bool", ConstValue::Type(crate::ir::Scalar::BOOL)),
];

const PYTHON_MATH: &[(&str, ConstValue)] = &[
    ("pi", ConstValue::Float(std::f64::consts::PI)),
    ("e", ConstValue::Float(std::f64::consts::E)),
    ("tau", ConstValue::Float(std::f64::consts::TAU)),
    ("inf", ConstValue::Float(f64::INFINITY)),
    ("nan", ConstValue::Float(f64::NAN)),
    ("sqrt", ConstValue::Builtin(Builtin::PythonMath("sqrt"))),
    ("exp", ConstValue::Builtin(Builtin::PythonMath("exp"))),
    ("log", ConstValue::Builtin(Builtin::PythonMath("log"))),
    ("log2", ConstValue::Builtin(Builtin::PythonMath("log2"))),
    ("sin", ConstValue::Builtin(Builtin::PythonMath("sin"))),
    ("cos", ConstValue::Builtin(Builtin::PythonMath("cos"))),
    ("tan", ConstValue::Builtin(Builtin::PythonMath("tan"))),
    ("sinh", ConstValue::Builtin(Builtin::PythonMath("sinh"))),
    ("cosh", ConstValue::Builtin(Builtin::PythonMath("cosh"))),
    ("tanh", ConstValue::Builtin(Builtin::PythonMath("tanh"))),
    ("floor", ConstValue::Builtin(Builtin::PythonMath("floor"))),
    ("ceil", ConstValue::Builtin(Builtin::PythonMath("ceil"))),
    ("pow", ConstValue::Builtin(Builtin::PythonMath("pow"))),
];

fn in_table(table: &[(&str, ConstValue)], name: &str) -> Option<ConstValue> {
    table
        .iter()
        .find(|(n, _)| *n == name)
        .map(|(_, v)| v.clone())
}

/// The namespace of a dotted module name in an `import`.
pub fn module(name: &str) -> Option<Namespace> {
    if name == "math" {
        return Some(Namespace::PythonMath);
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
        Namespace::PythonMath => in_table(PYTHON_MATH, name),
        Namespace::Allo => in_table(ALLO, name)
            .or_else(|| types::scalar_named(name).map(ConstValue::Type))
            .or_else(|| operators::named(Namespace::Allo, name).map(ConstValue::Operator)),
        _ => operators::named(space, name).map(ConstValue::Operator),
    }
}

/// The Python built-in of a name.
pub fn builtin(name: &str) -> Option<ConstValue> {
    in_table(PYTHON, name).or_else(|| operators::named_python(name).map(ConstValue::Operator))
}

/// Names for suggestions.
pub fn builtin_names() -> impl Iterator<Item = &'static str> {
    PYTHON.iter().map(|(n, _)| *n).chain(["min", "max", "abs"])
}

/// Names that `from <space> import *` binds, Python built-ins left out.
pub fn exported(space: Namespace) -> Vec<String> {
    let scalars = (1..=16).chain([32, 64, 128, 256]);
    match space {
        Namespace::PythonMath => PYTHON_MATH.iter().map(|(n, _)| (*n).to_owned()).collect(),
        Namespace::Allo => ALLO
            .iter()
            .map(|(n, _)| (*n).to_owned())
            .filter(|n| n != "range" && module(&format!("allo.{n}")).is_none())
            .chain(scalars.flat_map(|w| [format!("i{w}"), format!("u{w}")]))
            .chain(["f16", "bf16", "f32", "f64", "index", "bool"].map(str::to_owned))
            .collect(),
        _ => operators::OPERATORS
            .iter()
            .filter(|op| op.space == space)
            .map(|op| op.key.to_owned())
            .collect(),
    }
}
