//! `match` on an integer with literal cases.

use super::lowerer::Lowerer;
use super::returns::{Clause, Condition, Test, takes_everything};
use crate::diagnostics::{Diagnostic, Span};
use crate::frontend::constant::ConstValue;
use crate::frontend::error::{Result, fail};
use crate::frontend::values::{Operand, Typed, Value, describe};
use crate::frontend::{codes, operators};
use crate::ir::Scalar;
use num_bigint::BigInt;
use pyeval::Names;
use ruff_python_ast::{self as ast, Pattern};
use ruff_text_size::Ranged;
use std::collections::HashMap;
use std::rc::Rc;

impl<'a> Lowerer<'_, 'a> {
    /// A `match` without returns.
    pub(super) fn match_statement(&mut self, s: &'a ast::StmtMatch, span: Span) -> Result<()> {
        let clauses = self.match_clauses(s)?;
        self.if_clauses(&clauses, &[], span)
    }

    /// The cases of a `match` on an integer: a chain of comparisons.
    pub(super) fn match_clauses(&mut self, s: &'a ast::StmtMatch) -> Result<Vec<Clause<'a>>> {
        let subject = Rc::new(self.operand(&s.subject)?);
        let other = match &subject.value {
            Value::Scalar(Typed { ty, .. }) => match ty {
                Scalar::Int { .. } | Scalar::Index => None,
                _ => Some(format!("a value of type {ty}")),
            },
            Value::Const(ConstValue::Int(_) | ConstValue::Bool(_)) => None,
            other => Some(describe(other)),
        };
        if let Some(other) = other {
            let message = format!("match needs an integer, not {other}");
            return fail(codes::NOT_INTEGER, subject.span, message);
        }
        self.check_cases(&s.cases)?;
        let mut clauses = Vec::new();
        for case in &s.cases {
            if let Some(guard) = &case.guard {
                let span = self.span(guard.range());
                return fail(
                    codes::STATEMENT,
                    span,
                    "guards of match cases are not supported",
                );
            }
            clauses.push(Clause {
                test: Test::Pattern(&case.pattern, subject.clone()),
                body: &case.body,
            });
        }
        Ok(clauses)
    }

    /// Refuses cases that an earlier one leaves nothing to.
    fn check_cases(&mut self, cases: &'a [ast::MatchCase]) -> Result<()> {
        let mut earlier: HashMap<BigInt, Span> = HashMap::new();
        for (i, case) in cases.iter().enumerate() {
            let span = self.span(case.pattern.range());
            if takes_everything(&case.pattern) && i + 1 < cases.len() {
                let next = self.span(cases[i + 1].pattern.range());
                let message = "this case is never reached";
                let error = Diagnostic::error(codes::CASE, next, message);
                return Err(error.note_at(span, "this one takes everything").into());
            }
            for alternative in alternatives(&case.pattern) {
                let Pattern::MatchValue(literal) = alternative else {
                    continue;
                };
                let span = self.span(alternative.range());
                let Value::Const(ConstValue::Int(value)) = self.expr(&literal.value)? else {
                    continue;
                };
                if let Some(first) = earlier.get(&value) {
                    let message = format!("the case {value} is there already");
                    let error = Diagnostic::error(codes::CASE, span, message);
                    return Err(error.note_at(*first, "the first one is here").into());
                }
                earlier.insert(value, span);
            }
        }
        Ok(())
    }

    /// Whether a match's subject fits a pattern of literals.
    pub(super) fn pattern(&mut self, pattern: &'a Pattern, subject: &Operand) -> Result<Condition> {
        let span = self.span(pattern.range());
        if takes_everything(pattern) {
            return Ok(Condition::Known(true));
        }
        let mut tests = Vec::new();
        for alternative in alternatives(pattern) {
            let Pattern::MatchValue(literal) = alternative else {
                let span = self.span(alternative.range());
                return fail(
                    codes::STATEMENT,
                    span,
                    "a match case is an int literal, '|' of them, or '_'",
                );
            };
            let operand = self.operand(&literal.value)?;
            if !matches!(operand.value, Value::Const(ConstValue::Int(_))) {
                return fail(
                    codes::STATEMENT,
                    operand.span,
                    "a match case must be a compile-time int",
                );
            }
            let eq = operators::by_key("eq");
            let value = self.b.apply(eq, &[subject.clone(), operand], None, span)?;
            tests.push(Operand { value, span });
        }
        let value = match tests.len() {
            1 => tests.swap_remove(0).value,
            _ => self
                .b
                .apply(operators::by_key("logical_or"), &tests, None, span)?,
        };
        let operand = Operand { value, span };
        match self.b.known_truth(&operand)? {
            Some(known) => Ok(Condition::Known(known)),
            None => Ok(Condition::Runtime(self.b.runtime(&operand)?)),
        }
    }
}

/// The patterns between `|`.
fn alternatives(pattern: &Pattern) -> &[Pattern] {
    match pattern {
        Pattern::MatchOr(p) => &p.patterns,
        single => std::slice::from_ref(single),
    }
}
