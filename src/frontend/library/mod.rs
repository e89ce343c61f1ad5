//! Python's library at compile time: tables of functions, methods and modules, each bounded.

mod access;
mod builtins;
mod methods;
mod modules;
mod strings;

use super::codes;
use super::consteval::{ConstArgs, Names, fold_failure};
use super::error::{Result, fail, raise};
use super::iterate;
use super::literals::f64_from_int;
use super::operators::Operator;
use super::surface::Namespace;
use super::values::{Bound, ConstValue};
use crate::diagnostics::{Diagnostic, Span};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::fmt;
use std::rc::Rc;

pub use access::slice_positions;
pub use access::{
    binary, compare_sets, contains, delete_item, edit_list, frozen, identical, is_instance,
    replace_contents, set_item, set_of, subscript, type_name, type_of,
};
pub use builtins::length;

/// A function of the library: one row of a table.
pub struct Native {
    /// Its name; that of a class too, such as `int`.
    pub name: &'static str,
    /// Names of its parameters, those with a star only by name; `**` takes any further names.
    params: &'static [&'static str],
    /// How many of them an argument is needed for.
    required: usize,
    /// Whether it takes any number of further arguments.
    rest: bool,
    /// Whether it is a method, whose first argument is apart.
    pub method: bool,
    run: fn(&mut Call) -> Result<ConstValue>,
}

impl fmt::Debug for Native {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A row of a table of functions.
pub const fn native(
    name: &'static str,
    params: &'static [&'static str],
    required: usize,
    run: fn(&mut Call) -> Result<ConstValue>,
) -> Native {
    Native {
        name,
        params,
        required,
        rest: false,
        method: false,
        run,
    }
}

/// A row of a function that takes any number of arguments by position.
pub const fn variadic(
    name: &'static str,
    params: &'static [&'static str],
    run: fn(&mut Call) -> Result<ConstValue>,
) -> Native {
    Native {
        rest: true,
        ..native(name, params, 0, run)
    }
}

/// A row of a table of methods.
pub const fn method(
    name: &'static str,
    params: &'static [&'static str],
    required: usize,
    run: fn(&mut Call) -> Result<ConstValue>,
) -> Native {
    Native {
        method: true,
        ..native(name, params, required, run)
    }
}

/// A row of a method that takes any number of arguments by position.
pub const fn variadic_method(
    name: &'static str,
    params: &'static [&'static str],
    run: fn(&mut Call) -> Result<ConstValue>,
) -> Native {
    Native {
        rest: true,
        ..method(name, params, 0, run)
    }
}

/// A call of a native function, with its arguments bound to its parameters.
pub struct Call<'n> {
    /// The caller.
    pub names: &'n mut dyn Names,
    /// The call.
    pub span: Span,
    /// What a method is called on.
    pub this: ConstValue,
    /// Further arguments by position.
    pub rest: Vec<ConstValue>,
    /// Further arguments by name.
    pub named: Vec<(String, ConstValue)>,
    name: &'static str,
    args: Vec<Option<ConstValue>>,
}

impl Call<'_> {
    /// The argument of a parameter, if there is one.
    pub fn opt(&self, i: usize) -> Option<&ConstValue> {
        match self.args.get(i) {
            Some(Some(value)) => Some(value),
            _ => None,
        }
    }

    /// The argument of a required parameter.
    pub fn arg(&self, i: usize) -> &ConstValue {
        self.opt(i).unwrap_or(&ConstValue::None)
    }

    /// Fails with a Python exception.
    pub fn raise<T>(&self, class: &'static str, message: impl Into<String>) -> Result<T> {
        raise(class, self.span, message)
    }

    /// The argument as an int.
    pub fn int(&self, i: usize) -> Result<BigInt> {
        int_of(self.arg(i), self.span)
    }

    /// The argument as a small number.
    pub fn index(&self, i: usize) -> Result<i64> {
        match self.int(i)?.to_i64() {
            Some(v) => Ok(v),
            None => self.raise("OverflowError", "the int is too large here"),
        }
    }

    /// The argument as a float.
    pub fn float(&self, i: usize) -> Result<f64> {
        to_float(self.arg(i), self.span)
    }

    /// The argument as a string.
    pub fn str(&self, i: usize) -> Result<Rc<str>> {
        match self.arg(i) {
            ConstValue::Str(s) => Ok(s.clone()),
            other => {
                let message = format!("'{}' needs a string, not {}", self.name, other.kind());
                self.raise("TypeError", message)
            }
        }
    }

    /// The elements of the argument.
    pub fn items(&mut self, i: usize) -> Result<Vec<ConstValue>> {
        let value = self.arg(i).clone();
        iterate::collect(&value, self.span, self.names)
    }

    /// The truth of an argument that may be left out.
    pub fn flag(&mut self, i: usize) -> Result<bool> {
        match self.opt(i).cloned() {
            None => Ok(false),
            Some(value) => super::consteval::truth(&value, self.span, self.names),
        }
    }

    /// Calls a function.
    pub fn call(&mut self, f: &ConstValue, args: Vec<ConstValue>) -> Result<ConstValue> {
        super::consteval::call(f, ConstArgs::positional(args, self.span), self.names)
    }

    /// Counts memory that is about to be taken, in words of 40 bytes, and the time to fill it.
    pub fn charge(&mut self, cells: u64) -> Result<()> {
        self.names.host().charge(self.span, cells)?;
        self.names.tick(self.span, cells / 4)
    }
}

/// An int, or Python's error.
fn int_of(value: &ConstValue, span: Span) -> Result<BigInt> {
    match value.as_int() {
        Some(v) => Ok(v),
        None => raise(
            "TypeError",
            span,
            format!("an int is needed, not {}", value.kind()),
        ),
    }
}

/// A number as a float, or Python's error.
pub fn to_float(value: &ConstValue, span: Span) -> Result<f64> {
    match (value, value.as_int()) {
        (_, Some(v)) => Ok(f64_from_int(&v)),
        (ConstValue::Float(v), _) => Ok(*v),
        (ConstValue::Table(table), _) if table.len() == 1 => match table.first() {
            Some(item) => to_float(&item, span),
            None => Ok(0.0),
        },
        _ => raise(
            "TypeError",
            span,
            format!("{} is not a number", value.kind()),
        ),
    }
}

/// `int(value)` of a number: truncated toward zero.
pub fn to_int(value: &ConstValue, span: Span) -> Result<BigInt> {
    match value.as_int() {
        Some(v) => Ok(v),
        None => int_of_float(to_float(value, span)?.trunc(), span),
    }
}

/// A float that is integral as an int.
fn int_of_float(value: f64, span: Span) -> Result<BigInt> {
    match num_traits::FromPrimitive::from_f64(value) {
        Some(v) => Ok(v),
        None if value.is_nan() => raise("ValueError", span, "a NaN has no int value"),
        None => raise("OverflowError", span, "an infinity has no int value"),
    }
}

/// Calls a native function.
pub fn call(
    native: &'static Native,
    this: ConstValue,
    args: ConstArgs,
    names: &mut dyn Names,
) -> Result<ConstValue> {
    let span = args.span;
    let mut call = Call {
        names,
        span,
        this,
        rest: Vec::new(),
        named: Vec::new(),
        name: native.name,
        args: vec![None; native.params.len()],
    };
    let mut positional = args.positional.into_iter();
    let own = native.params.iter().take_while(|p| !p.starts_with('*'));
    let own = own.count();
    for slot in &mut call.args[..own] {
        *slot = positional.next();
    }
    call.rest = positional.collect();
    if !native.rest && !call.rest.is_empty() {
        let given = own + call.rest.len();
        let arity = super::consteval::arity_text(native.required, own);
        let message = format!("{} takes {arity}, but {given} given", native.name);
        return fail(codes::ARGUMENTS, span, message);
    }
    for (name, value) in args.named {
        let at = native
            .params
            .iter()
            .position(|p| p.trim_start_matches('*') == name);
        match at {
            Some(at) if call.args[at].is_none() => call.args[at] = Some(value),
            None if native.params.contains(&"**") => call.named.push((name, value)),
            _ => {
                let message = format!("{} has no parameter '{name}'", native.name);
                return fail(codes::ARGUMENTS, span, message);
            }
        }
    }
    if let Some(missing) = call.args[..native.required]
        .iter()
        .position(Option::is_none)
    {
        let given = call.args.iter().flatten().count();
        let arity = super::consteval::arity_text(native.required, own.max(native.required));
        let message = if missing >= given {
            format!("{} takes {arity}, but {given} given", native.name)
        } else {
            format!(
                "{} needs an argument for '{}'",
                native.name, native.params[missing]
            )
        };
        return fail(codes::ARGUMENTS, span, message);
    }
    (native.run)(&mut call)
}

/// Calls an operator of the registry by its name: `min`, `max`, `abs`, `allo.math.sqrt`.
pub fn call_operator(
    op: &'static Operator,
    args: ConstArgs,
    names: &mut dyn Names,
) -> Result<ConstValue> {
    let span = args.span;
    if matches!(op.key, "min" | "max" | "abs") {
        return builtins::extended(op.key, args, names);
    }
    args.only_named(&[], op.key)?;
    args.expect(op.arity.0, op.arity.1, op.key)?;
    match (op.fold)(&args.positional) {
        Ok(Some(value)) => Ok(value),
        Ok(None) => {
            let message = format!("operator '{}' has no compile-time value", op.key);
            Err(Diagnostic::error(codes::NOT_CONST, span, message).into())
        }
        Err(message) => Err(fold_failure(message, span)),
    }
}

fn in_table(table: &'static [Native], name: &str) -> Option<ConstValue> {
    table
        .iter()
        .find(|n| n.name == name)
        .map(ConstValue::Native)
}

/// The built-in function or class of a name.
pub fn builtin(name: &str) -> Option<ConstValue> {
    in_table(builtins::TABLE, name)
        .or_else(|| super::classes::Class::builtin(name).map(ConstValue::Class))
        .filter(|_| !matches!(name, "Enum" | "IntEnum"))
}

/// The native function of a name, for places that make one up.
fn by_name(name: &str) -> ConstValue {
    in_table(builtins::TABLE, name)
        .or_else(|| in_table(builtins::HIDDEN, name))
        .unwrap_or(ConstValue::None)
}

/// Names of all built-ins, for suggestions.
pub fn builtin_names() -> impl Iterator<Item = &'static str> {
    builtins::TABLE.iter().map(|n| n.name)
}

/// The member of a library module.
pub fn member(space: Namespace, name: &str) -> Option<ConstValue> {
    modules::member(space, name)
}

/// The public names of a library module.
pub fn exported(space: Namespace) -> Vec<String> {
    modules::exported(space)
}

/// `__init__` where a class inherits none.
pub fn default_init(this: &ConstValue) -> ConstValue {
    bound(
        this,
        match by_name("__init__") {
            ConstValue::Native(native) => native,
            _ => return ConstValue::None,
        },
    )
}

fn bound(this: &ConstValue, native: &'static Native) -> ConstValue {
    ConstValue::Bound(Rc::new(Bound {
        callee: ConstValue::Native(native),
        first: vec![this.clone()],
        named: Vec::new(),
        owner: None,
    }))
}

/// An attribute or method of a value of one of Python's own types.
pub fn attribute(object: &ConstValue, name: &str) -> Option<ConstValue> {
    let table: &'static [Native] = match object {
        ConstValue::Table(table) => {
            if let Some(value) = super::numpy::attribute(table, name) {
                return Some(value);
            }
            super::numpy::METHODS
        }
        ConstValue::Str(_) => strings::METHODS,
        ConstValue::Native(native) if native.name == "str" => match name {
            "join" => return in_table(builtins::HIDDEN, "str.join"),
            _ => return type_attribute(native, name),
        },
        ConstValue::Native(native) => return type_attribute(native, name),
        ConstValue::Function(f) if name == "__name__" => return Some(ConstValue::str(f.name())),
        ConstValue::Dtype(dtype) if name == "name" => return Some(ConstValue::str(dtype.name())),
        ConstValue::Dtype(dtype) => return super::numpy::dtype_attribute(*dtype, name),
        ConstValue::Range(r) => {
            return match name {
                "start" => Some(ConstValue::int(r.start)),
                "stop" => Some(ConstValue::int(r.stop)),
                "step" => Some(ConstValue::int(r.step)),
                _ => None,
            };
        }
        ConstValue::Descriptor(..) | ConstValue::Bound(_) => return None,
        other => methods::table(other)?,
    };
    let found = table.iter().find(|n| n.name == name)?;
    Some(bound(object, found))
}

/// `dict.fromkeys`, `int.from_bytes` and the like, and the names of types.
fn type_attribute(native: &'static Native, name: &str) -> Option<ConstValue> {
    match (native.name, name) {
        ("dict", "fromkeys") => in_table(builtins::HIDDEN, "dict.fromkeys"),
        (_, "__name__") => Some(ConstValue::str(native.name)),
        _ => None,
    }
}
