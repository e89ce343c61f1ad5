//! Comprehensions.

use crate::assign::unpack;
use crate::error::{Problem, fail};
use crate::iterate;
use crate::operators::truth;
use crate::value::{Args, Function, Host, Names, Place, Result, Scope, ScopeOf, Value};
use diagnostics::{FileId, Span};
use ruff_python_ast::{self as ast, Expr};
use ruff_text_size::Ranged;
use std::rc::Rc;

/// Names of a comprehension before those around it.
struct Overlay<'n> {
    outer: &'n mut dyn Names,
    scope: Rc<Scope>,
}

impl Names for Overlay<'_> {
    fn lookup(&mut self, name: &str, span: Span) -> Result<Value> {
        let own = self.scope.vars.borrow().get(name).cloned();
        match own {
            Some(value) => Ok(value),
            None => self.outer.lookup(name, span),
        }
    }
    fn bind(&mut self, name: &str, value: Option<Value>, span: Span) -> Result<()> {
        self.outer.bind(name, value, span)
    }
    fn file(&self) -> FileId {
        self.outer.file()
    }
    fn file_text(&self) -> &str {
        self.outer.file_text()
    }
    fn place(&self) -> Place {
        Place {
            scope: Some(self.scope.clone()),
            ..self.outer.place()
        }
    }
    fn host(&mut self) -> &mut dyn Host {
        self.outer.host()
    }
    fn call_function(&mut self, f: &Rc<Function>, args: Args) -> Result<Value> {
        self.outer.call_function(f, args)
    }
}

/// The elements of a comprehension: the values of `elements` for each iteration.
pub fn comprehension(
    elements: &[&Expr],
    generators: &[ast::Comprehension],
    span: Span,
    names: &mut dyn Names,
) -> Result<Vec<Vec<Value>>> {
    let mut out = Vec::new();
    let scope = Scope::new(ScopeOf::Comprehension, names.place().scope);
    let mut overlay = Overlay {
        outer: names,
        scope: scope.clone(),
    };
    comprehend(elements, generators, &scope, &mut overlay, &mut out)?;
    let cells = 8 + (out.len() * elements.len()) as u64;
    names.charge(span, cells)?;
    Ok(out)
}

fn comprehend(
    elements: &[&Expr],
    generators: &[ast::Comprehension],
    scope: &Rc<Scope>,
    names: &mut dyn Names,
    out: &mut Vec<Vec<Value>>,
) -> Result<()> {
    let Some((first, rest)) = generators.split_first() else {
        let values = elements.iter().map(|e| names.eval(e));
        out.push(values.collect::<Result<_>>()?);
        let span = names.span(elements[0].range());
        // Charged as it grows, so that an endless one ends.
        return names.charge(span, 2 + elements.len() as u64);
    };
    let span = names.span(first.iter.range());
    if first.is_async {
        let text = "'async for' cannot be evaluated at compile time";
        return fail(span, Problem::Expression(text.into()));
    }
    let iterable = names.eval(&first.iter)?;
    let iter = iterate::iter(&iterable, span, names)?;
    while let Some(item) = iterate::next(&iter, span, names)? {
        names.tick(span, 1)?;
        bind_target(&first.target, &item, scope, names)?;
        let mut wanted = true;
        for test in &first.ifs {
            let test = names.eval(test)?;
            wanted = wanted && truth(&test, span, names)?;
            if !wanted {
                break;
            }
        }
        if wanted {
            comprehend(elements, rest, scope, names, out)?;
        }
    }
    Ok(())
}

/// Binds the target of a comprehension in its own scope.
pub fn bind_target(
    target: &Expr,
    value: &Value,
    scope: &Rc<Scope>,
    names: &mut dyn Names,
) -> Result<()> {
    match target {
        Expr::Name(name) => {
            let mut vars = scope.vars.borrow_mut();
            vars.insert(name.id.to_string(), value.clone());
            Ok(())
        }
        Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. }) => {
            let span = names.span(target.range());
            for (target, value) in unpack(elts, value, span, names)? {
                let target = match target {
                    Expr::Starred(s) => &*s.value,
                    other => other,
                };
                bind_target(target, &value, scope, names)?;
            }
            Ok(())
        }
        _ => fail(
            names.span(target.range()),
            Problem::Target("a comprehension binds names only".into()),
        ),
    }
}
