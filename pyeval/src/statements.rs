//! Statements.

use crate::assign::{assign, augmented, delete};
use crate::classdef::define;
use crate::conditions::{chosen, test};
use crate::error::{Problem, fail};
use crate::exceptions::{assert, raise_statement, try_statement, with};
use crate::functions::function_def;
use crate::imports::imports;
use crate::iterate;
use crate::patterns::exec_match;
use crate::value::{Flow, Names, Result, Value};
use ruff_python_ast::{self as ast, Stmt};
use ruff_text_size::Ranged;

/// Runs statements.
pub fn exec(stmts: &[Stmt], names: &mut dyn Names) -> Result<Flow> {
    for stmt in stmts {
        match exec_one(stmt, names)? {
            Flow::Next => {}
            other => return Ok(other),
        }
    }
    Ok(Flow::Next)
}

/// Runs one statement.
pub fn exec_one(stmt: &Stmt, names: &mut dyn Names) -> Result<Flow> {
    let span = names.span(stmt.range());
    names.tick(span, 1)?;
    match stmt {
        Stmt::Pass(_) | Stmt::Global(_) | Stmt::Nonlocal(_) => {}
        Stmt::Break(_) => return Ok(Flow::Break),
        Stmt::Continue(_) => return Ok(Flow::Continue),
        Stmt::Return(s) => {
            return Ok(Flow::Return(match &s.value {
                Some(value) => names.eval(value)?,
                None => Value::None,
            }));
        }
        Stmt::Expr(s) => {
            names.eval(&s.value)?;
        }
        Stmt::Assign(s) => {
            let value = names.eval(&s.value)?;
            for target in &s.targets {
                assign(target, &value, names)?;
            }
        }
        Stmt::AnnAssign(s) => {
            if let Some(value) = &s.value {
                let value = names.eval(value)?;
                assign(&s.target, &value, names)?;
            }
        }
        Stmt::AugAssign(s) => augmented(s, span, names)?,
        Stmt::Delete(s) => s.targets.iter().try_for_each(|t| delete(t, names))?,
        Stmt::If(s) => return branch(s, names),
        Stmt::For(s) => return for_loop(s, names),
        Stmt::While(s) => return while_loop(s, names),
        Stmt::Match(s) => return exec_match(s, names),
        Stmt::Try(s) => return try_statement(s, names),
        Stmt::With(s) => return with(s, &s.items, names),
        Stmt::Raise(s) => return Err(raise_statement(s, span, names)?),
        Stmt::Assert(s) => assert(s, span, names)?,
        Stmt::FunctionDef(f) => {
            let value = function_def(f, names)?;
            let span = names.span(f.name.range);
            names.bind(&f.name.id, Some(value), span)?;
        }
        Stmt::ClassDef(c) => {
            let value = define(c, names)?;
            let span = names.span(c.name.range);
            names.bind(&c.name.id, Some(value), span)?;
        }
        Stmt::Import(_) | Stmt::ImportFrom(_) => {
            for (name, span, value) in imports(stmt, names) {
                names.bind(&name, Some(value?), span)?;
            }
        }
        _ => {
            let text = "the statement is not executed at compile time";
            return fail(span, Problem::Statement(text.into()));
        }
    }
    Ok(Flow::Next)
}

fn branch(s: &ast::StmtIf, names: &mut dyn Names) -> Result<Flow> {
    exec(chosen(s, names)?, names)
}

fn for_loop(s: &ast::StmtFor, names: &mut dyn Names) -> Result<Flow> {
    let iterable = names.eval(&s.iter)?;
    let span = names.span(s.iter.range());
    let iter = iterate::iter(&iterable, span, names)?;
    while let Some(item) = iterate::next(&iter, span, names)? {
        names.tick(span, 1)?;
        assign(&s.target, &item, names)?;
        match exec(&s.body, names)? {
            Flow::Next | Flow::Continue => {}
            Flow::Break => return Ok(Flow::Next),
            returned @ Flow::Return(_) => return Ok(returned),
        }
    }
    exec(&s.orelse, names)
}

fn while_loop(s: &ast::StmtWhile, names: &mut dyn Names) -> Result<Flow> {
    while test(&s.test, names)? {
        match exec(&s.body, names)? {
            Flow::Next | Flow::Continue => {}
            Flow::Break => return Ok(Flow::Next),
            returned @ Flow::Return(_) => return Ok(returned),
        }
    }
    exec(&s.orelse, names)
}
