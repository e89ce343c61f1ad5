//! The modules `functools`, `dataclasses`, `enum` and `operator`.

use crate::classdef::dataclass as dataclass_of;
use crate::containers::dict_of;
use crate::error::Exception::TypeError;
use crate::error::{Problem, fail};
use crate::library::builtins::type_of;
use crate::native::{in_table, native, variadic};
use crate::operators::binary;
use crate::value::{Args, Bound, Call, Memo, Native, Result, Value};
use ruff_python_ast::Operator;
use std::rc::Rc;

/// Functions of `functools`.
pub static FUNCTOOLS: &[Native] = &[
    native("reduce", &["function", "iterable", "initial"], 2, reduce),
    Native {
        params: &["function", "**"],
        required: 1,
        ..variadic("partial", &[], partial)
    },
    native("cache", &["function"], 1, |c| Ok(memoised(c.arg(0), false))),
    native("lru_cache", &["maxsize", "typed"], 0, lru_cache),
    native("wraps", &["function"], 1, |_| Ok(Value::Native(&UNCHANGED))),
];

static UNCHANGED: Native = native("wraps", &["function"], 1, |c| Ok(c.arg(0).clone()));
static MEMOISED: Native = native("lru_cache", &["function"], 1, |c| {
    Ok(memoised(c.arg(0), false))
});
static MEMOISED_BY_TYPE: Native = native("lru_cache", &["function"], 1, |c| {
    Ok(memoised(c.arg(0), true))
});

/// As a decorator with or without arguments. All results are kept, whatever the size: they are the same all the same.
fn lru_cache(c: &mut Call) -> Result<Value> {
    let typed = c.flag(1)?;
    Ok(match c.opt(0) {
        Some(function @ (Value::Function(_) | Value::Bound(_))) => memoised(function, typed),
        _ if typed => Value::Native(&MEMOISED_BY_TYPE),
        _ => Value::Native(&MEMOISED),
    })
}

/// A function that keeps its results; what else can be called has them made anew, which are the same.
fn memoised(callee: &Value, typed: bool) -> Value {
    match callee {
        Value::Function(f) => f.with_memo(Memo::new(typed)),
        other => other.clone(),
    }
}

fn reduce(c: &mut Call) -> Result<Value> {
    let f = c.arg(0).clone();
    let mut items = c.items(1)?.into_iter();
    let Some(mut total) = c.opt(2).cloned().or_else(|| items.next()) else {
        return c.raise(TypeError, "the sequence is empty");
    };
    for item in items {
        total = c.call(&f, vec![total, item])?;
    }
    Ok(total)
}

fn partial(c: &mut Call) -> Result<Value> {
    Ok(Value::Bound(Rc::new(Bound {
        callee: c.arg(0).clone(),
        first: std::mem::take(&mut c.rest),
        named: std::mem::take(&mut c.named),
        owner: None,
    })))
}

/// Functions of `dataclasses`.
pub static DATACLASSES: &[Native] = &[
    native(
        "dataclass",
        &[
            "class", "*frozen", "*order", "*eq", "*repr", "*init", "*slots",
        ],
        0,
        dataclass,
    ),
    native("field", &["*default", "*default_factory"], 0, field),
    native("asdict", &["object"], 1, asdict),
    native("replace", &["object", "**"], 1, replaced),
];

fn dataclass(c: &mut Call) -> Result<Value> {
    for i in [3, 4, 5] {
        if c.opt(i).is_some() && !c.flag(i)? {
            let message = "a dataclass without one of its methods is not supported";
            return fail(c.span, Problem::Unsupported(message.into()));
        }
    }
    let (frozen, order) = (c.flag(1)?, c.flag(2)?);
    match c.opt(0) {
        Some(Value::Class(class)) => {
            dataclass_of(class, frozen, order, c.span)?;
            Ok(Value::Class(class.clone()))
        }
        Some(other) => {
            let message = format!("a dataclass is made of a class, not of {}", other.kind());
            c.raise(TypeError, message)
        }
        None => {
            let named = [("frozen", frozen), ("order", order)];
            let named = named.map(|(n, v)| (n.to_owned(), Value::Bool(v)));
            Ok(later("dataclass", named.to_vec()))
        }
    }
}

/// A function of this module with arguments by name, to be called later.
fn later(name: &str, named: Vec<(String, Value)>) -> Value {
    match in_table(DATACLASSES, name) {
        Some(callee) => Value::Bound(Rc::new(Bound {
            callee,
            first: Vec::new(),
            named,
            owner: None,
        })),
        None => Value::None,
    }
}

fn field(c: &mut Call) -> Result<Value> {
    let given = ["default", "default_factory"].iter().enumerate();
    let named = given.filter_map(|(i, name)| Some(((*name).to_owned(), c.opt(i)?.clone())));
    Ok(later("field", named.collect()))
}

fn fields(c: &mut Call) -> Result<Vec<(String, Value)>> {
    let fields = match c.arg(0) {
        Value::Object(object) => object.named_fields(),
        _ => None,
    };
    match fields {
        Some(fields) => Ok(fields),
        None => c.raise(TypeError, "this takes an instance of a dataclass"),
    }
}

fn asdict(c: &mut Call) -> Result<Value> {
    let pairs = fields(c)?.into_iter();
    let pairs = pairs.map(|(name, value)| vec![Value::str(&name), value]);
    dict_of(pairs.collect(), c.span, c.names)
}

fn replaced(c: &mut Call) -> Result<Value> {
    let mut named = std::mem::take(&mut c.named);
    for (name, value) in fields(c)? {
        if !named.iter().any(|(n, _)| *n == name) {
            named.push((name, value));
        }
    }
    let class = type_of(c.arg(0));
    let args = Args {
        positional: Vec::new(),
        named,
        span: c.span,
    };
    c.names.call(&class, args)
}

/// Functions of `enum`.
pub static ENUM: &[Native] = &[
    native("auto", &[], 0, |_| {
        Ok(in_table(ENUM, "auto()").unwrap_or(Value::None))
    }),
    native("auto()", &[], 0, |_| Ok(Value::None)),
    native("unique", &["class"], 1, |c| Ok(c.arg(0).clone())),
];

fn operator(c: &mut Call, op: Operator) -> Result<Value> {
    let (a, b) = (c.arg(0).clone(), c.arg(1).clone());
    binary(op, a, b, c.span, c.names)
}

/// Functions of `operator`.
pub static OPERATOR: &[Native] = &[
    native("add", &["a", "b"], 2, |c| operator(c, Operator::Add)),
    native("sub", &["a", "b"], 2, |c| operator(c, Operator::Sub)),
    native("mul", &["a", "b"], 2, |c| operator(c, Operator::Mult)),
    native("truediv", &["a", "b"], 2, |c| operator(c, Operator::Div)),
    native("floordiv", &["a", "b"], 2, |c| {
        operator(c, Operator::FloorDiv)
    }),
    native("mod", &["a", "b"], 2, |c| operator(c, Operator::Mod)),
    native("and_", &["a", "b"], 2, |c| operator(c, Operator::BitAnd)),
    native("or_", &["a", "b"], 2, |c| operator(c, Operator::BitOr)),
    native("xor", &["a", "b"], 2, |c| operator(c, Operator::BitXor)),
    native("lshift", &["a", "b"], 2, |c| operator(c, Operator::LShift)),
    native("rshift", &["a", "b"], 2, |c| operator(c, Operator::RShift)),
];
