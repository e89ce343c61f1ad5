//! What assignments write: names, elements, and bits of either.

use super::bits::Bits;
use super::lowerer::Lowerer;
use super::scope::Local;
use crate::diagnostics::Span;
use crate::frontend::codes;
use crate::frontend::constant::ConstValue;
use crate::frontend::error::{Failure, Result, fail};
use crate::frontend::values::{Operand, Typed, Value, describe};
use crate::ir::{ArrayId, Const, OpKind, Scalar, ValueId};
use num_bigint::BigInt;
use num_traits::One;
use pyeval::Names;
use ruff_python_ast::{self as ast, Expr};
use ruff_text_size::Ranged;

/// A place that an assignment writes, its indices evaluated.
pub(super) enum Target {
    /// A name.
    Name(String, Span),
    /// An element.
    Element(ArrayId, Vec<ValueId>),
    /// Bits of a scalar variable.
    Bits(String, Bits),
    /// Bits of an element.
    ElementBits(ArrayId, Vec<ValueId>, Bits),
}

impl<'a> Lowerer<'_, 'a> {
    /// Evaluates the indices of an assignment's target.
    pub(super) fn target(&mut self, expr: &'a Expr) -> Result<Target> {
        let span = self.span(expr.range());
        match expr {
            Expr::Name(name) => Ok(Target::Name(name.id.to_string(), span)),
            Expr::Subscript(s) => self.subscript_target(s),
            Expr::Attribute(_) => {
                fail(codes::TARGET, span, "attribute assignment is not supported")
            }
            Expr::Starred(_) => fail(codes::TARGET, span, "starred targets are not supported"),
            Expr::Tuple(_) | Expr::List(_) => {
                fail(codes::TARGET, span, "nested targets are not supported")
            }
            _ => fail(codes::TARGET, span, "this cannot be assigned"),
        }
    }

    fn subscript_target(&mut self, s: &'a ast::ExprSubscript) -> Result<Target> {
        let span = self.span(s.range);
        match self.target(&s.value)? {
            Target::Name(name, name_span) => match self.resolve(&name, name_span)? {
                Value::Array { id, .. } => Ok(Target::Element(id, self.indices(id, s)?)),
                Value::Scalar(typed) => {
                    let bits = self.bits(typed.ty, s)?;
                    Ok(Target::Bits(name, bits))
                }
                Value::Const(_) => fail(
                    codes::TARGET,
                    span,
                    format!("'{name}' is a compile-time value, which a kernel cannot change"),
                ),
                other => fail(
                    codes::NOT_INDEXABLE,
                    span,
                    format!("{} cannot be indexed", describe(&other)),
                ),
            },
            Target::Element(id, indices) => {
                let bits = self.bits(self.array(id).elem, s)?;
                Ok(Target::ElementBits(id, indices, bits))
            }
            Target::Bits(..) | Target::ElementBits(..) => {
                fail(codes::NOT_INDEXABLE, span, "bits cannot be indexed")
            }
        }
    }

    /// The present value at a target.
    pub(super) fn read(&mut self, target: &Target, span: Span) -> Result<Value> {
        let (arg, bits) = match target {
            Target::Name(name, name_span) => {
                return match self.scopes.get(name) {
                    Some(_) => self.resolve(name, *name_span),
                    None => {
                        self.resolve_outside(name, *name_span)?;
                        let message = format!("'{name}' is not a variable of this kernel");
                        fail(codes::TARGET, *name_span, message)
                    }
                };
            }
            Target::Element(array, indices) => {
                return Ok(Value::Scalar(self.load(*array, indices.clone(), span)));
            }
            Target::Bits(name, bits) => match self.scopes.scalar(name) {
                Some(arg) => (arg.id, bits),
                None => return Err(Failure::Reported),
            },
            Target::ElementBits(array, indices, bits) => {
                (self.load(*array, indices.clone(), span).id, bits)
            }
        };
        Ok(Value::Scalar(self.get_bits(arg, bits, span)))
    }

    pub(super) fn load(&mut self, array: ArrayId, indices: Vec<ValueId>, span: Span) -> Typed {
        let ty = self.array(array).elem;
        let id = self.b.emit(OpKind::load(array, indices), ty, span);
        Typed { id, ty }
    }

    /// Assigns a value to a target.
    pub(super) fn write(&mut self, target: &Target, operand: &Operand, span: Span) -> Result<()> {
        match target {
            Target::Name(name, name_span) => {
                self.assign_name(name, operand.clone(), *name_span, span)
            }
            Target::Element(array, indices) => {
                let elem = self.array(*array).elem;
                let value = self.b.store_as(operand, elem)?;
                self.store(*array, indices.clone(), value, span);
                Ok(())
            }
            Target::Bits(name, bits) => {
                if let Some(&Local::State(id)) = self.scopes.get(name).map(|d| &d.local) {
                    return self.write_element_bits((id, &[]), bits, operand, span);
                }
                let Some(old) = self.scopes.scalar(name) else {
                    let message = format!("bits of '{name}' cannot be assigned");
                    return fail(codes::TARGET, span, message);
                };
                let id = self.set_bits(old, bits, operand, span)?;
                self.b.name(id, name);
                let new = Local::Scalar(Typed { id, ty: old.ty });
                self.scopes.rebind(name, new);
                Ok(())
            }
            Target::ElementBits(array, indices, bits) => {
                self.write_element_bits((*array, indices), bits, operand, span)
            }
        }
    }

    fn write_element_bits(
        &mut self,
        (array, indices): (ArrayId, &[ValueId]),
        bits: &Bits,
        operand: &Operand,
        span: Span,
    ) -> Result<()> {
        let old = self.load(array, indices.to_vec(), span);
        let value = self.set_bits(old, bits, operand, span)?;
        self.store(array, indices.to_vec(), value, span);
        Ok(())
    }

    fn store(&mut self, array: ArrayId, indices: Vec<ValueId>, value: ValueId, span: Span) {
        let kind = OpKind::store(array, indices, value);
        self.b.push(kind, vec![], span);
    }

    /// A value with some of its bits replaced by the lowest of another.
    fn set_bits(
        &mut self,
        old: Typed,
        at: &Bits,
        operand: &Operand,
        span: Span,
    ) -> Result<ValueId> {
        let ty = Scalar::unsigned(at.width);
        let bits = match &operand.value {
            // Of any int: the declared type whose range would count is that of the whole.
            Value::Const(ConstValue::Int(v)) => {
                let low = v & ((BigInt::one() << at.width) - 1);
                self.b.constant(ty, Const::Int(low), operand.span)
            }
            _ => self.b.convert(operand, ty)?,
        };
        let kind = OpKind::BitSet {
            arg: old.id,
            lo: at.lo,
            bits,
        };
        Ok(self.b.emit(kind, old.ty, span))
    }
}
