//! `allo.assume(array, i, type=, direction=, distance=, dependent=)`: which dependences a loop does not have.

use super::lowerer::Lowerer;
use crate::diagnostics::Span;
use crate::frontend::codes;
use crate::frontend::constant::ConstValue;
use crate::frontend::error::{Result, fail};
use crate::frontend::values::{Operand, Value, describe};
use crate::ir::{Hazard, OpKind, Promise, Scope};
use num_traits::ToPrimitive;
use pyeval::Names;
use ruff_python_ast as ast;
use ruff_text_size::Ranged;

impl<'a> Lowerer<'_, 'a> {
    pub(super) fn promise(&mut self, e: &'a ast::ExprCall) -> Result<Value> {
        let span = self.span(e.range());
        let [array, counter] = &*e.arguments.args else {
            let message = "assume takes a condition, or an array and the variable of a loop";
            return fail(codes::ARGUMENTS, span, message);
        };
        let array = self.operand(array)?;
        let Value::Array { id, .. } = array.value else {
            let message = format!("an array is needed here, not {}", describe(&array.value));
            return fail(codes::ARGUMENTS, array.span, message);
        };
        let counter = self.operand(counter)?;
        let iv = match &counter.value {
            Value::Scalar(value) if self.counters.contains(&value.id) => value.id,
            _ => {
                let message = "this is not the variable of a loop around the promise";
                return fail(codes::ARGUMENTS, counter.span, message);
            }
        };
        let mut promise = Promise {
            array: id,
            iv,
            scope: Scope::Inter,
            hazard: None,
            distance: None,
        };
        let mut dependent = None;
        for keyword in &e.arguments.keywords {
            let name = keyword.arg.as_ref().map_or("", |name| name.id.as_str());
            let operand = self.operand(&keyword.value)?;
            match name {
                "type" => promise.scope = one_of(&operand, Scope::ALL, Scope::name)?,
                "direction" if is_none(&operand) => {}
                "direction" => promise.hazard = Some(one_of(&operand, Hazard::ALL, Hazard::name)?),
                "distance" if is_none(&operand) => {}
                "distance" => promise.distance = Some(distance(&operand)?),
                "dependent" => dependent = Some(flag(&operand)?),
                _ => {
                    let message = "assume takes type, direction, distance and dependent";
                    return fail(codes::ARGUMENTS, self.span(keyword.range()), message);
                }
            }
        }
        self.note_promise(promise, dependent, span)
    }

    fn note_promise(
        &mut self,
        promise: Promise,
        dependent: Option<bool>,
        span: Span,
    ) -> Result<Value> {
        let wrong = match (promise.scope, promise.distance, dependent) {
            (Scope::Intra, Some(_), _) => Some("in one iteration there is no distance"),
            (_, None, Some(true)) => Some("a dependence that is there has a distance"),
            _ => None,
        };
        if let Some(message) = wrong {
            return fail(codes::ARGUMENTS, span, message);
        }
        self.b.push(OpKind::Promise(promise), vec![], span);
        Ok(ConstValue::None.into())
    }
}

fn known(operand: &Operand) -> Result<&ConstValue> {
    match &operand.value {
        Value::Const(value) => Ok(value),
        _ => fail(
            codes::NOT_CONST,
            operand.span,
            "a promise is known while compiling",
        ),
    }
}

fn is_none(operand: &Operand) -> bool {
    matches!(operand.value, Value::Const(ConstValue::None))
}

fn one_of<T: Copy>(operand: &Operand, all: &[T], name: fn(T) -> &'static str) -> Result<T> {
    let found = match known(operand)? {
        ConstValue::Str(word) => all.iter().find(|&&one| name(one) == &**word),
        _ => None,
    };
    match found {
        Some(&one) => Ok(one),
        None => {
            let names = all.iter().map(|&one| format!("'{}'", name(one)));
            let names: Vec<String> = names.collect();
            let message = format!("one of {} is needed here", names.join(", "));
            fail(codes::ARGUMENTS, operand.span, message)
        }
    }
}

fn distance(operand: &Operand) -> Result<u64> {
    let number = known(operand)?.as_int().and_then(|number| number.to_u64());
    match number.filter(|&number| number > 0) {
        Some(number) => Ok(number),
        None => fail(
            codes::ARGUMENTS,
            operand.span,
            "a distance is an integer from 1 on",
        ),
    }
}

fn flag(operand: &Operand) -> Result<bool> {
    match known(operand)? {
        ConstValue::Bool(flag) => Ok(*flag),
        _ => fail(
            codes::ARGUMENTS,
            operand.span,
            "True or False is needed here",
        ),
    }
}
