//! Literals, and what expressions are called.

use crate::arithmetic::MAX_INT_BITS;
use crate::error::{Limit, Problem, fail};
use crate::text::parse_int;
use crate::value::{Result, Value};
use diagnostics::Span;
use ruff_python_ast::{Expr, Number};

/// The value of a literal expression.
pub fn literal(expr: &Expr, span: Span) -> Result<Value> {
    match expr {
        Expr::NumberLiteral(n) => number(&n.value, span),
        Expr::StringLiteral(s) => Ok(Value::str(s.value.to_str())),
        Expr::BooleanLiteral(b) => Ok(Value::Bool(b.value)),
        _ => Ok(Value::None),
    }
}

fn number(value: &Number, span: Span) -> Result<Value> {
    match value {
        Number::Float(v) => Ok(Value::Float(*v)),
        Number::Complex { .. } => fail(
            span,
            Problem::Expression("complex numbers are not supported".into()),
        ),
        Number::Int(v) => match v.as_u64() {
            Some(v) => Ok(Value::Int(v.into())),
            None => big_int(&v.to_string(), span),
        },
    }
}

fn big_int(text: &str, span: Span) -> Result<Value> {
    if text.len() as u64 > MAX_INT_BITS / 4 {
        return fail(span, Limit::Literal);
    }
    match parse_int(text, 0) {
        Some(v) => Ok(Value::Int(v)),
        None => fail(
            span,
            Problem::Unsupported("the int literal cannot be read".into()),
        ),
    }
}

/// What an expression is called in messages.
pub fn expression_kind(expr: &Expr) -> &'static str {
    match expr {
        Expr::Named(_) => "an assignment expression (':=')",
        Expr::Lambda(_) => "a lambda",
        Expr::Dict(_) => "a dict",
        Expr::Set(_) => "a set",
        Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) => "a comprehension",
        Expr::Generator(_) => "a generator expression",
        Expr::Await(_) => "'await'",
        Expr::Yield(_) | Expr::YieldFrom(_) => "'yield'",
        Expr::FString(_) | Expr::TString(_) => "a formatted string",
        Expr::BytesLiteral(_) => "a bytes literal",
        Expr::EllipsisLiteral(_) => "'...'",
        Expr::Starred(_) => "a starred expression",
        Expr::Slice(_) => "a slice",
        Expr::List(_) => "a list",
        Expr::Tuple(_) => "a tuple",
        _ => "this expression",
    }
}
