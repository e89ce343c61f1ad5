//! The arguments of an operation of `allo.pto`: which are given, and what they have to be.

use super::legality::Family;
use super::operation::{Invocation, Operation};
use crate::diagnostics::{Diagnostic, Span, suggest};
use crate::frontend::allo::Allo;
use crate::frontend::builder::state::Builder;
use crate::frontend::codes;
use crate::frontend::constant::ConstValue;
use crate::frontend::error::{Result, fail};
use crate::frontend::values::{Operand, Value, describe};
use crate::ir::{Scalar, ValueId};
use std::fmt;

impl Invocation {
    /// Arguments in the order of the parameters.
    pub fn new(
        op: &'static Operation,
        positional: Vec<Operand>,
        named: Vec<(String, Span, Operand)>,
        span: Span,
    ) -> Result<Invocation> {
        let by_position = op.params.iter().take_while(|name| **name != "*").count();
        let names: Vec<&str> = op
            .params
            .iter()
            .copied()
            .filter(|name| *name != "*")
            .collect();
        if positional.len() > by_position {
            let message = format!(
                "'{}' takes at most {by_position} arguments by position, but {} given",
                op.name,
                positional.len()
            );
            return fail(codes::ARGUMENTS, span, message);
        }
        let mut args: Vec<Option<Operand>> = positional.into_iter().map(Some).collect();
        args.resize(names.len(), None);
        for (name, whole, operand) in named {
            match names.iter().position(|own| *own == name) {
                Some(at) if args[at].is_none() => args[at] = Some(operand),
                Some(_) => {
                    return fail(codes::ARGUMENTS, whole, format!("'{name}' is given twice"));
                }
                None => {
                    let message = format!("'{}' has no parameter '{name}'", op.name);
                    let error = Diagnostic::error(codes::ARGUMENTS, whole, message);
                    return Err(suggest(error, &name, names.iter().copied()).into());
                }
            }
        }
        if let Some(at) = args[..op.required].iter().position(Option::is_none) {
            let message = format!("'{}' needs an argument for '{}'", op.name, names[at]);
            return fail(codes::ARGUMENTS, span, message);
        }
        Ok(Invocation { op, args, span })
    }

    /// The argument for a parameter; none if it is left out or `None`.
    pub fn given(&self, name: &str) -> Option<&Operand> {
        let names = self.op.params.iter().filter(|name| **name != "*");
        let at = names.into_iter().position(|own| *own == name)?;
        let operand = self.args.get(at)?.as_ref()?;
        (!matches!(operand.value, Value::Const(ConstValue::None))).then_some(operand)
    }

    /// The argument for a parameter that has to be given.
    pub fn operand(&self, name: &str) -> Result<&Operand> {
        match self.given(name) {
            Some(operand) => Ok(operand),
            None => {
                let message = format!("'{}' needs an argument for '{name}'", self.op.name);
                fail(codes::ARGUMENTS, self.span, message)
            }
        }
    }

    /// Where the first of several elements is.
    pub fn offset(&self, b: &mut Builder, operand: &Operand) -> Result<ValueId> {
        let is_integer = match &operand.value {
            Value::Scalar(typed) => !typed.ty.computed().is_float(),
            Value::Const(ConstValue::Int(_) | ConstValue::Bool(_)) => true,
            _ => false,
        };
        match is_integer {
            true => b.as_first(operand, "an offset"),
            false => {
                let found = describe(&operand.value);
                let message = format!("needs an integer as an offset, found {found}");
                self.refuse(Family::Type, message, operand.span)
            }
        }
    }

    /// A scalar type that has to be given.
    pub fn scalar_type(&self, name: &str) -> Result<Scalar> {
        let operand = self.operand(name)?;
        let found = match &operand.value {
            Value::Const(value) => Allo::scalar(value),
            _ => None,
        };
        let Some(ty) = found else {
            let message = format!(
                "{} needs an element type for {name}, found {}",
                self.op.name,
                describe(&operand.value)
            );
            return Family::Type.refuse(message, operand.span);
        };
        Ok(ty)
    }

    /// A flag that is known while compiling; false if it is left out.
    pub fn flag(&self, name: &str) -> Result<bool> {
        match self.given(name) {
            None => Ok(false),
            Some(Operand {
                value: Value::Const(ConstValue::Bool(value)),
                ..
            }) => Ok(*value),
            Some(other) => {
                let message = format!(
                    "{name} of {} is True or False, not {}",
                    self.op.name,
                    describe(&other.value)
                );
                Family::Attribute.refuse(message, other.span)
            }
        }
    }

    /// A choice among words, by its number; none if it is left out.
    pub fn word(&self, name: &str, words: &[&str]) -> Result<Option<usize>> {
        let Some(operand) = self.given(name) else {
            return Ok(None);
        };
        let found = match &operand.value {
            Value::Const(ConstValue::Str(word)) => {
                let at = words.iter().position(|own| *own == &**word);
                if at.is_some() {
                    return Ok(at);
                }
                word.to_string()
            }
            Value::Const(value) => value.text(),
            other => describe(other),
        };
        let message = format!(
            "{name} {found} of {}, which has {}",
            self.op.name,
            words.join(", ")
        );
        Family::Attribute.refuse(message, operand.span)
    }

    /// Refuses what the operation does not take.
    pub fn refuse<T>(&self, family: Family, message: impl fmt::Display, span: Span) -> Result<T> {
        family.refuse(format!("{} {message}", self.op.name), span)
    }
}

/// Refuses an operation that is known, but not carried out.
pub fn later(_: &mut Builder, call: &Invocation) -> Result<Value> {
    let message = format!("'{}' of PTO is not supported yet", call.op.name);
    fail(codes::PTO_LATER, call.span, message)
}
