//! The members of the library's modules.

use crate::library::itertools::ITERTOOLS;
use crate::library::math::{CONSTANTS, MATH};
use crate::library::modules::{DATACLASSES, ENUM, FUNCTOOLS, OPERATOR};
use crate::native::in_table;
use crate::numpy;
use crate::value::{Class, Library, Native, Value};

/// Modules and their names.
const MODULES: &[(&str, Library)] = &[
    ("math", Library::Math),
    ("numpy", Library::Numpy),
    ("functools", Library::Functools),
    ("itertools", Library::Itertools),
    ("dataclasses", Library::Dataclasses),
    ("enum", Library::Enum),
    ("operator", Library::Operator),
];

/// The module of a name.
pub fn module(name: &str) -> Option<Library> {
    let row = MODULES.iter().find(|(n, _)| *n == name)?;
    Some(row.1)
}

/// The functions of a module.
fn table(module: Library) -> &'static [Native] {
    match module {
        Library::Math => MATH,
        Library::Functools => FUNCTOOLS,
        Library::Itertools => ITERTOOLS,
        Library::Dataclasses => DATACLASSES,
        Library::Enum => ENUM,
        Library::Operator => OPERATOR,
        Library::Numpy => numpy::functions::FUNCTIONS,
    }
}

/// The member of a module.
pub fn member(module: Library, name: &str) -> Option<Value> {
    let constant = CONSTANTS.iter().find(|(n, _)| *n == name);
    match (module, constant) {
        (Library::Math, Some((_, v))) => return Some(Value::Float(*v)),
        (Library::Numpy, Some((n, v))) if *n != "tau" => return Some(Value::Float(*v)),
        (Library::Numpy, _) => {
            if let Some(value) = numpy::attributes::member(name) {
                return Some(value);
            }
        }
        (Library::Enum, _) => {
            if let ("Enum" | "IntEnum", Some(class)) = (name, Class::builtin(name)) {
                return Some(Value::Class(class));
            }
        }
        _ => {}
    }
    in_table(table(module), name)
}

/// The public names of a module.
pub fn exported(module: Library) -> Vec<String> {
    let constants = match module {
        Library::Math => CONSTANTS,
        _ => &[],
    };
    let functions = table(module).iter().map(|n| n.name);
    let constants = constants.iter().map(|(n, _)| *n);
    constants.chain(functions).map(str::to_owned).collect()
}
