//! Evaluates the Python of a module while something else is compiled: its constants, tables and helper functions.
//!
//! The input is the syntax tree of `ruff_python_ast`, which the program around has parsed, so that errors have the
//! places that its own errors have. Evaluation is deterministic, and bounded in steps, memory and depth by counters
//! of its own: no input makes it hang, exhaust memory, or panic. It touches no file, no network, no process and
//! no clock; `print` writes to standard error.
//!
//! # What it evaluates
//!
//! - Values: int of any size, float, bool, str, None, tuple, list, dict, set, frozenset, range, slice, functions with
//!   closures and defaults, lambdas, generators, classes with inheritance, properties and special methods, dataclasses,
//!   enums, exceptions.
//! - Expressions: operators, comparisons, comprehensions, generator expressions, f-strings, `:=`, starred elements.
//! - Statements: assignments of all forms, `if`, `for`, `while`, `match`, `try`, `with`, `raise`, `assert`, `del`, `global`,
//!   `nonlocal`, `def`, `class`, `import`.
//! - The built-ins, the methods of the types above, and of the library `math`, `functools`, `itertools`, `dataclasses`,
//!   `enum`, `operator`.
//! - `numpy`, as far as tables of numbers need it: typed arrays and views, broadcasting, reductions in numpy's order of
//!   addition, the promotion of numpy 2. What numpy leaves to a library of its own is refused.
//!
//! Results are those of CPython and numpy, to the last bit. `tests/features.py` and `tests/numpy_tables.py` say so line
//! by line, and are checked against CPython where it is installed.
//!
//! What is lacking is refused with [`Problem::Unsupported`] and its neighbours, which `except` cannot catch: Python
//! might have a meaning for it. This evaluator deliberately stops growing: `async`, metaclasses, bytes, complex numbers,
//! regular expressions, files and the rest of the library are what a real CPython is for.
//!
//! # Bounds
//!
//! Three million steps, 120 MB of containers, 100 nested calls, ints of 131072 bits, strings of 1 MiB, arrays of 2^20
//! elements. Exceeding one is a [`Limit`]. The nesting of the text has to be bounded by who parses it; a thread
//! with a stack of 512 MB has room for a nesting of 1000.
//!
//! # How a host plugs in
//!
//! A program implements [`Host`]: its modules and their globals, its own built-ins, imports, text. It owns a [`State`],
//! in which the evaluator keeps what it has used up. A [`Frame`] gives the names of a module, and as [`Names`] has `eval`,
//! `exec` and `call`. A host with names of another kind implements [`Names`] itself.
//!
//! Values of the host's own (types, say, or functions that mean something to it) are [`Value::Host`]: things with a
//! [`HostValue`] that says how they look and what happens when Python calls, subscripts or compares them. Only the
//! host itself knows what they are, by downcasting.
//!
//! Errors are data: a [`Problem`] at a place, in a [`Failure`]. The host turns it into a message where it reports it.
//!
//! # Inside
//!
//! `value` defines the values, and the traits by which parts meet. All other files import it and one another in one
//! direction: numbers and text, then containers and operators, then the library, then expressions and statements. What
//! lies further on (an operator calls a method, which runs statements) is reached through `Evaluator`, the one tie.

mod arguments;
pub mod arithmetic;
mod assign;
mod attributes;
mod bounds;
mod burial;
mod calls;
mod classdef;
mod classes;
mod code;
mod comprehension;
mod conditions;
mod containers;
mod convert;
mod equality;
mod error;
mod eval;
mod evaluator;
mod exceptions;
mod format;
mod frame;
mod freeze;
mod fstring;
mod functions;
mod generators;
mod imports;
mod items;
mod iterate;
mod key;
mod kinds;
mod library;
mod literals;
mod memo;
mod names;
mod native;
mod numbers;
mod numpy;
mod objects;
mod operators;
mod patterns;
mod range;
mod scope;
mod shared;
mod slices;
mod statements;
mod text;
mod types;
mod value;

pub use attributes::attribute;
pub use classes::{named_tuple, record};
pub use code::bound_by;
pub use conditions::chosen;
pub use equality::{equal, share};
pub use error::{Error, Exception, Limit, Problem, Text, arity_text, fail, raise};
pub use frame::{Frame, global};
pub use freeze::freeze;
pub use functions::{function_def, run as run_function};
pub use imports::imports;
pub use items::subscript;
pub use key::Key;
pub use library::builtins::{builtin, builtin_names};
pub use library::members::module as library_module;
pub use literals::{expression_kind, literal};
pub use numpy::operations::from_parts;
pub use numpy::table::{Dtype, Num, Table};
pub use operators::{compare_pair, truth};
pub use range::Range;
pub use shared::Shared;
pub use text::{parse_int, repr};
pub use value::{
    Args, Attributes, Bound, Class, Elements, Entries, Failure, Flow, Function, Host, HostValue,
    IterRef, Library, Names, Native, Object, Place, Result, Scope, State, Value, span_of,
};
