//! What is kept from one invocation to the next.

use super::lowerer::Lowerer;
use super::scope::Local;
use super::stmt;
use crate::diagnostics::{Diagnostic, Span};
use crate::frontend::codes;
use crate::frontend::constant::ConstValue;
use crate::frontend::error::{Result, fail};
use crate::frontend::promote::Style;
use crate::frontend::values::{Operand, Value};
use crate::ir::{ArrayKind, Const, Scalar};
use ruff_python_ast::Expr;
use std::rc::Rc;

impl<'a> Lowerer<'_, 'a> {
    /// `name: Stateful[T] = initial`.
    pub(super) fn declare_state(
        &mut self,
        name: &str,
        (elem, shape): (Scalar, Option<Rc<[u64]>>),
        initial: Option<&'a Expr>,
        span: Span,
    ) -> Result<()> {
        let extents = shape.as_deref().unwrap_or(&[]);
        let contents = match (initial, &shape) {
            (Some(expr), _) => {
                let operand = self.operand(expr)?;
                initial_elements(self.options.style, &operand, elem, extents)?
            }
            (None, Some(_)) => {
                let value = ConstValue::Int(0.into()).into();
                let zero = Operand { value, span };
                initial_elements(self.options.style, &zero, elem, extents)?
            }
            (None, None) => {
                let message = format!("'{name}' needs a value that it has after a reset");
                return Err(Diagnostic::error(codes::UNINITIALISED, span, message)
                    .help(format!("write `{name}: Stateful[{elem}] = 0`"))
                    .into());
            }
        };
        self.check_undeclared(name, span)?;
        let id = self
            .b
            .array(name, elem, extents, ArrayKind::State(contents), span);
        let local = match shape {
            Some(_) => Local::Array(id),
            None => Local::State(id),
        };
        self.declare(name, local, span);
        Ok(())
    }
}

/// A number for all elements, or a list of them.
pub(super) fn initial_elements(
    style: Style,
    operand: &Operand,
    elem: Scalar,
    shape: &[u64],
) -> Result<Vec<Const>> {
    let Value::Const(value) = &operand.value else {
        let message =
            "what is kept between invocations has a first value that is known while compiling";
        return fail(codes::STATE, operand.span, message);
    };
    let mut contents = Vec::new();
    if !value.is_number() {
        stmt::flatten(style, value, elem, shape, operand.span, &mut contents)?;
        return Ok(contents);
    }
    let count = shape.iter().product::<u64>();
    if count > MOST_ELEMENTS {
        let message = format!("more than {MOST_ELEMENTS} elements are kept between invocations");
        return fail(codes::LIMIT, operand.span, message);
    }
    stmt::flatten(style, value, elem, &[], operand.span, &mut contents)?;
    Ok(vec![contents[0].clone(); count as usize])
}

/// Elements that an array may keep: a reset writes one after the other.
const MOST_ELEMENTS: u64 = 1 << 20;
