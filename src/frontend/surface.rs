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
            .or_else(|| types::predefined(name).map(ConstValue::Type))
            .or_else(|| operators::named(Namespace::Allo, name).map(ConstValue::Operator)),
        Namespace::IrTypes => {
            in_table(IR_TYPES, name).or_else(|| types::long_named(name).map(ConstValue::Type))
        }
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
    match space {
        Namespace::PythonMath => PYTHON_MATH.iter().map(|(n, _)| (*n).to_owned()).collect(),
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
        _ => operators::OPERATORS
            .iter()
            .filter(|op| op.space == space)
            .map(|op| op.key.to_owned())
            .collect(),
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
