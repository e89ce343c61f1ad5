//! Expressions.

use crate::assign::assign;
use crate::attributes::attribute;
use crate::calls::{call_expression, sequence};
use crate::comprehension::comprehension;
use crate::containers::{charged, dict_of, set_of};
use crate::error::Exception::TypeError;
use crate::error::{Problem, fail, raise};
use crate::fstring::formatted;
use crate::functions::lambda;
use crate::generators::generator_expression;
use crate::items::{not_indexable, subscript};
use crate::literals::{expression_kind, literal};
use crate::operators::{binary, compare_pair, truth, unary};
use crate::value::{IterRef, Names, Result, Value};
use diagnostics::Span;
use ruff_python_ast::{self as ast, Expr};
use ruff_text_size::Ranged;
use std::rc::Rc;

/// Evaluates an expression.
pub fn eval(expr: &Expr, names: &mut dyn Names) -> Result<Value> {
    let span = names.span(expr.range());
    names.tick(span, 1)?;
    match expr {
        Expr::NumberLiteral(_)
        | Expr::StringLiteral(_)
        | Expr::BooleanLiteral(_)
        | Expr::NoneLiteral(_) => literal(expr, span),
        Expr::EllipsisLiteral(_) => Ok(Value::Ellipsis),
        Expr::Name(name) => names.lookup(&name.id, span),
        Expr::Tuple(t) => {
            let items = sequence(&t.elts, names)?;
            charged(Value::Tuple(items.into()), span, names)
        }
        Expr::List(l) => {
            let items = sequence(&l.elts, names)?;
            charged(Value::list(items), span, names)
        }
        Expr::Set(s) => {
            let items = sequence(&s.elts, names)?;
            set_of(items, false, span, names)
        }
        Expr::Dict(d) => dict(d, span, names),
        Expr::BinOp(e) => {
            let (left, right) = (eval(&e.left, names)?, eval(&e.right, names)?);
            binary(e.op, left, right, span, names)
        }
        Expr::UnaryOp(e) => {
            let operand = eval(&e.operand, names)?;
            unary(e.op, operand, span, names)
        }
        Expr::BoolOp(e) => bool_op(e, names),
        Expr::Compare(e) => compare(e, names),
        Expr::If(e) => {
            let test = eval(&e.test, names)?;
            let chosen = if truth(&test, span, names)? {
                &e.body
            } else {
                &e.orelse
            };
            eval(chosen, names)
        }
        Expr::Named(e) => {
            let value = eval(&e.value, names)?;
            assign(&e.target, &value, names)?;
            Ok(value)
        }
        Expr::Attribute(e) => {
            let object = eval(&e.value, names)?;
            attribute(&object, &e.attr.id, span, names)
        }
        Expr::Subscript(e) => element(e, span, names),
        Expr::Slice(e) => {
            let mut part = |part: &Option<Box<Expr>>| match part {
                Some(expr) => eval(expr, names),
                None => Ok(Value::None),
            };
            Ok(Value::Slice(Rc::new([
                part(&e.lower)?,
                part(&e.upper)?,
                part(&e.step)?,
            ])))
        }
        Expr::Call(e) => call_expression(e, names),
        Expr::Lambda(e) => lambda(e, span, names),
        Expr::FString(e) => formatted(e, span, names),
        Expr::ListComp(e) => {
            let items = comprehension(&[&e.elt], &e.generators, span, names)?;
            Ok(Value::list(first_of(items)))
        }
        Expr::SetComp(e) => {
            let items = comprehension(&[&e.elt], &e.generators, span, names)?;
            set_of(first_of(items), false, span, names)
        }
        Expr::DictComp(e) => match &e.key {
            Some(key) => {
                let pairs = comprehension(&[key, &e.value], &e.generators, span, names)?;
                dict_of(pairs, span, names)
            }
            None => unsupported("a dict comprehension with '**'", span),
        },
        Expr::Generator(e) => {
            if names.place().foreign {
                // A generator cannot keep these names; what they mean is constant, though, so that it does
                // not matter when it is read.
                let items = comprehension(&[&e.elt], &e.generators, span, names)?;
                return Ok(Value::Iter(IterRef::items(first_of(items))));
            }
            generator_expression(e, span, names)
        }
        Expr::Starred(e) => fail(
            names.span(e.range),
            Problem::Expression("a starred expression stands in a list, a tuple or a call".into()),
        ),
        other => unsupported(expression_kind(other), span),
    }
}

fn unsupported<T>(what: &str, span: Span) -> Result<T> {
    let message = format!("{what} cannot be evaluated at compile time");
    fail(span, Problem::Expression(message.into()))
}

fn dict(d: &ast::ExprDict, span: Span, names: &mut dyn Names) -> Result<Value> {
    let mut pairs = Vec::new();
    for item in &d.items {
        match &item.key {
            Some(key) => pairs.push(vec![eval(key, names)?, eval(&item.value, names)?]),
            None => {
                let spread = eval(&item.value, names)?;
                let Value::Dict(other) = &spread else {
                    let message = format!("'**' needs a dict, not {}", spread.kind());
                    return raise(TypeError, span, message);
                };
                let other = other.get();
                pairs.extend(other.values().map(|(k, v)| vec![k.clone(), v.clone()]));
            }
        }
    }
    dict_of(pairs, span, names)
}

/// `object[index]`; a thing of the host gets each index with its place.
fn element(e: &ast::ExprSubscript, span: Span, names: &mut dyn Names) -> Result<Value> {
    let object = eval(&e.value, names)?;
    let Value::Host(thing) = &object else {
        let index = eval(&e.slice, names)?;
        return subscript(&object, &index, span, names);
    };
    let written = match &*e.slice {
        Expr::Tuple(t) => &t.elts[..],
        single => std::slice::from_ref(single),
    };
    let mut indices = Vec::new();
    for index in written {
        indices.push((eval(index, names)?, names.span(index.range())));
    }
    match thing.subscript(&indices, span) {
        Some(result) => result,
        None => {
            let index = Value::tuple(indices.into_iter().map(|(index, _)| index).collect());
            not_indexable(&object, &index, span)
        }
    }
}

fn bool_op(e: &ast::ExprBoolOp, names: &mut dyn Names) -> Result<Value> {
    let mut last = Value::None;
    for value in &e.values {
        last = eval(value, names)?;
        let span = names.span(value.range());
        if truth(&last, span, names)? == (e.op == ast::BoolOp::Or) {
            break;
        }
    }
    Ok(last)
}

fn compare(e: &ast::ExprCompare, names: &mut dyn Names) -> Result<Value> {
    let span = names.span(e.range);
    let mut left = eval(&e.left, names)?;
    let mut result = Value::Bool(true);
    for (i, (op, right)) in e.ops.iter().zip(&e.comparators).enumerate() {
        let right = eval(right, names)?;
        result = compare_pair(*op, left, right.clone(), span, names)?;
        if i + 1 < e.ops.len() && !truth(&result, span, names)? {
            break;
        }
        left = right;
    }
    Ok(result)
}

fn first_of(items: Vec<Vec<Value>>) -> Vec<Value> {
    items.into_iter().flatten().collect()
}
