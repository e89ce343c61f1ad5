//! The names that `allo` gives to a kernel file, and the built-ins of Python that mean something to kernels.

use super::{Allo, Builtin};
use crate::frontend::constant::ConstValue;
use crate::frontend::namespaces::Namespace;
use crate::frontend::schedule::things::Scheduling;
use crate::frontend::{operators, pto, scalars};
use crate::ir::{FloatFormat, Scalar};

const ALLO: &[(&str, Allo)] = &[
    ("kernel", Allo::Builtin(Builtin::Kernel)),
    ("consteval", Allo::Builtin(Builtin::Consteval)),
    ("operator_ip", Allo::Builtin(Builtin::OperatorIp)),
    ("Template", Allo::Builtin(Builtin::Template)),
    ("KernelOptions", Allo::Builtin(Builtin::KernelOptions)),
    ("apint", Allo::Builtin(Builtin::Apint)),
    ("APInt", Allo::Builtin(Builtin::Apint)),
    ("apfloat", Allo::Builtin(Builtin::Apfloat)),
    ("range", Allo::Builtin(Builtin::Range)),
    ("reduction", Allo::Builtin(Builtin::Range)),
    ("grid", Allo::Builtin(Builtin::Grid)),
    ("static_assert", Allo::Builtin(Builtin::StaticAssert)),
    ("assume", Allo::Builtin(Builtin::Assume)),
    ("bufferize", Allo::Builtin(Builtin::Bufferize)),
    ("Stream", Allo::Builtin(Builtin::Stream)),
    ("Stateful", Allo::Builtin(Builtin::Stateful)),
    ("get_wid", Allo::Builtin(Builtin::Worker(false))),
    ("get_nw", Allo::Builtin(Builtin::Worker(true))),
    ("constexpr", Allo::Constexpr),
    ("arith", Allo::Namespace(Namespace::Arith)),
    ("math", Allo::Namespace(Namespace::Math)),
    ("linalg", Allo::Namespace(Namespace::Linalg)),
    ("lang", Allo::Namespace(Namespace::Allo)),
    ("exp", Allo::Namespace(Namespace::Allo)),
    ("core", Allo::Namespace(Namespace::Allo)),
    ("operators", Allo::Namespace(Namespace::Allo)),
    ("ir", Allo::Namespace(Namespace::IrTypes)),
    ("pto", Allo::Namespace(Namespace::Pto)),
    ("schedule", Allo::Scheduling(Scheduling::Class)),
    ("Schedule", Allo::Scheduling(Scheduling::Class)),
];

/// What `allo.ir.types` has besides types with a width in their name.
const IR_TYPES: &[(&str, Allo)] = &[
    ("types", Allo::Namespace(Namespace::IrTypes)),
    ("Int", Allo::Builtin(Builtin::SizedInt(true))),
    ("UInt", Allo::Builtin(Builtin::SizedInt(false))),
    ("ConstExpr", Allo::Constexpr),
    ("stateful", Allo::Builtin(Builtin::Stateful)),
];

const PYTHON: &[(&str, Allo)] = &[
    ("range", Allo::Builtin(Builtin::Range)),
    ("len", Allo::Builtin(Builtin::Len)),
    ("bool", Allo::Type(Scalar::BOOL)),
];

fn in_table(table: &[(&str, Allo)], name: &str) -> Option<Allo> {
    table
        .iter()
        .find(|(n, _)| *n == name)
        .map(|(_, v)| v.clone())
}

/// The namespace of a dotted module name in an `import`. A file of allo that is called like what it defines, such as
/// `allo.lang.kernel`, is the namespace in which that is found.
pub fn module(name: &str) -> Option<Namespace> {
    let mut parts = name.split('.');
    if parts.next() != Some("allo") {
        return None;
    }
    parts.try_fold(Namespace::Allo, |space, part| match thing(space, part)? {
        Allo::Namespace(next) => Some(next),
        _ => Some(space),
    })
}

/// The member of a namespace.
pub fn member(space: Namespace, name: &str) -> Option<ConstValue> {
    thing(space, name).map(ConstValue::from)
}

/// The module from which a name would be imported; one of operators before a namespace of the same name (`exp`).
pub fn module_of(name: &str) -> Option<&'static str> {
    let operators = [
        (Namespace::Arith, "allo.arith"),
        (Namespace::Math, "allo.math"),
        (Namespace::Linalg, "allo.linalg"),
    ];
    let known = thing(Namespace::Allo, name);
    if !matches!(known, None | Some(Allo::Namespace(_))) {
        return Some("allo");
    }
    let mut holders = operators.into_iter();
    let holder = holders.find(|(space, _)| operators::named(*space, name).is_some());
    holder.map(|(_, module)| module).or(known.map(|_| "allo"))
}

fn thing(space: Namespace, name: &str) -> Option<Allo> {
    let operator = || operators::named(space, name).map(Allo::Operator);
    match space {
        Namespace::Allo => in_table(ALLO, name)
            .or_else(|| scalars::predefined(name).map(Allo::Type))
            .or_else(operator),
        Namespace::IrTypes => {
            in_table(IR_TYPES, name).or_else(|| scalars::long_named(name).map(Allo::Type))
        }
        Namespace::Pto => pto::surface::named(name),
        Namespace::Arith | Namespace::Math | Namespace::Linalg => operator(),
    }
}

/// What kernels make of a built-in of Python.
pub fn builtin(name: &str) -> Option<ConstValue> {
    let operator = || operators::named_python(name).map(Allo::Operator);
    in_table(PYTHON, name)
        .or_else(operator)
        .map(ConstValue::from)
}

/// Built-ins of Python that reach files, processes or the interpreter: no code of a kernel file may.
pub const OUTSIDE: [&str; 10] = [
    "open",
    "input",
    "eval",
    "exec",
    "compile",
    "globals",
    "locals",
    "vars",
    "breakpoint",
    "__import__",
];

/// Names that `from <space> import *` binds, Python built-ins left out.
pub fn exported(space: Namespace) -> Vec<String> {
    match space {
        Namespace::Allo => ALLO
            .iter()
            .filter(|(n, thing)| {
                *n != "range" && !matches!(thing, Allo::Namespace(_) | Allo::Scheduling(_))
            })
            .map(|(n, _)| (*n).to_owned())
            .chain(operators::exported(space))
            .chain(scalars::predefined_names())
            .collect(),
        Namespace::IrTypes => {
            let names = IR_TYPES.iter().map(|(n, _)| (*n).to_owned());
            names.chain(long_names()).collect()
        }
        Namespace::Pto => pto::surface::exported().collect(),
        Namespace::Arith | Namespace::Math | Namespace::Linalg => {
            operators::exported(space).collect()
        }
    }
}

/// The long names of the predefined types.
fn long_names() -> impl Iterator<Item = String> {
    let long = |name: &str, width: u32| format!("{name}{width}");
    let integers = scalars::predefined_names().filter_map(|name| scalars::predefined(&name));
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
