//! Conditions: whether they hold, and which branch they choose.

use crate::operators::truth;
use crate::value::{Names, Result};
use ruff_python_ast::{self as ast, Expr, Stmt};
use ruff_text_size::Ranged;

/// Python's truth of an expression.
pub fn test(expr: &Expr, names: &mut dyn Names) -> Result<bool> {
    let value = names.eval(expr)?;
    truth(&value, names.span(expr.range()), names)
}

/// The statements of the branch that an `if` takes.
pub fn chosen<'s>(s: &'s ast::StmtIf, names: &mut dyn Names) -> Result<&'s [Stmt]> {
    if test(&s.test, names)? {
        return Ok(&s.body);
    }
    for clause in &s.elif_else_clauses {
        let chosen = match &clause.test {
            Some(condition) => test(condition, names)?,
            None => true,
        };
        if chosen {
            return Ok(&clause.body);
        }
    }
    Ok(&[])
}
