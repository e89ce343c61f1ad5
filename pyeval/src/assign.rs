//! Targets of assignments: names, elements, attributes, and several of them.

use crate::attributes::attribute;
use crate::error::Exception::ValueError;
use crate::error::{Problem, fail, raise};
use crate::items::{delete_item, set_item, subscript};
use crate::iterate::collect;
use crate::objects::set_attribute;
use crate::operators::augment;
use crate::value::{Names, Result, Value};
use diagnostics::Span;
use ruff_python_ast::{self as ast, Expr};
use ruff_text_size::Ranged;

/// `target op= value`.
pub fn augmented(s: &ast::StmtAugAssign, span: Span, names: &mut dyn Names) -> Result<()> {
    match &*s.target {
        Expr::Subscript(target) => {
            // Object and index are evaluated once.
            let object = names.eval(&target.value)?;
            let index = names.eval(&target.slice)?;
            let old = subscript(&object, &index, span, names)?;
            let value = names.eval(&s.value)?;
            let new = augment(s.op, old, value, span, names)?;
            set_item(&object, &index, &new, span, names)
        }
        Expr::Attribute(target) => {
            let object = names.eval(&target.value)?;
            let old = attribute(&object, &target.attr.id, span, names)?;
            let value = names.eval(&s.value)?;
            let new = augment(s.op, old, value, span, names)?;
            set_attribute(&object, &target.attr.id, new, span, names)
        }
        target => {
            let old = names.eval(target)?;
            let value = names.eval(&s.value)?;
            let new = augment(s.op, old, value, span, names)?;
            assign(target, &new, names)
        }
    }
}

/// Assigns a value to a target.
pub fn assign(target: &Expr, value: &Value, names: &mut dyn Names) -> Result<()> {
    let span = names.span(target.range());
    match target {
        Expr::Name(name) => names.bind(&name.id, Some(value.clone()), span),
        Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. }) => {
            for (target, value) in unpack(elts, value, span, names)? {
                assign(target, &value, names)?;
            }
            Ok(())
        }
        Expr::Starred(s) => assign(&s.value, value, names),
        Expr::Subscript(s) => {
            let object = names.eval(&s.value)?;
            let index = names.eval(&s.slice)?;
            set_item(&object, &index, value, span, names)
        }
        Expr::Attribute(a) => {
            let object = names.eval(&a.value)?;
            set_attribute(&object, &a.attr.id, value.clone(), span, names)
        }
        _ => fail(
            span,
            Problem::Target("the target cannot be assigned at compile time".into()),
        ),
    }
}

/// The targets of an unpacking, each with its value; a starred one gets a list.
pub fn unpack<'e>(
    targets: &'e [Expr],
    value: &Value,
    span: Span,
    names: &mut dyn Names,
) -> Result<Vec<(&'e Expr, Value)>> {
    let items = collect(value, span, names)?;
    let star = targets.iter().position(|t| t.is_starred_expr());
    let fits = match star {
        None => items.len() == targets.len(),
        Some(_) => items.len() + 1 >= targets.len(),
    };
    if !fits {
        let message = format!("{} targets, but {} values", targets.len(), items.len());
        return raise(ValueError, span, message);
    }
    let extra = (items.len() + 1).saturating_sub(targets.len());
    let mut rest = items.into_iter();
    let mut pairs = Vec::with_capacity(targets.len());
    for (i, target) in targets.iter().enumerate() {
        let value = if star == Some(i) {
            Value::list(rest.by_ref().take(extra).collect())
        } else {
            // The count was checked.
            rest.next().unwrap_or(Value::None)
        };
        pairs.push((target, value));
    }
    Ok(pairs)
}

/// `del target`.
pub fn delete(target: &Expr, names: &mut dyn Names) -> Result<()> {
    let span = names.span(target.range());
    match target {
        Expr::Name(name) => {
            names.lookup(&name.id, span)?;
            names.bind(&name.id, None, span)
        }
        Expr::Subscript(s) => {
            let object = names.eval(&s.value)?;
            let index = names.eval(&s.slice)?;
            delete_item(&object, &index, span)
        }
        Expr::Tuple(t) => t.elts.iter().try_for_each(|t| delete(t, names)),
        _ => fail(
            span,
            Problem::Target("the target cannot be deleted at compile time".into()),
        ),
    }
}
