//! Bits of integers: `x[i]`, and `x[lo:hi]` of a width that is known.

use super::lowerer::Lowerer;
use crate::diagnostics::{Diagnostic, Span};
use crate::frontend::codes;
use crate::frontend::constant::ConstValue;
use crate::frontend::error::{Result, fail};
use crate::frontend::values::{Operand, Typed, Value};
use crate::ir::types::MAX_WIDTH;
use crate::ir::{OpKind, Scalar, ValueId};
use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};
use pyeval::Names;
use ruff_python_ast::comparable::ComparableExpr;
use ruff_python_ast::{self as ast, Expr, Operator, UnaryOp};

/// A sum of expressions, each with a constant factor; equal expressions are one term.
type Sum<'a> = Vec<(&'a Expr, BigInt)>;

/// Some bits of an integer: the lowest, and how many.
pub(super) struct Bits {
    pub lo: ValueId,
    pub width: u32,
}

impl<'a> Lowerer<'_, 'a> {
    /// The bits of an integer that `x[i]`, or `x[lo:hi]` without hi, means.
    pub(super) fn bits(&mut self, ty: Scalar, e: &'a ast::ExprSubscript) -> Result<Bits> {
        let span = self.span(e.range);
        if !matches!(ty, Scalar::Int { .. }) {
            let message = match &*e.slice {
                Expr::Slice(_) => format!("a scalar of type {ty} has no bits"),
                _ => format!("a scalar of type {ty} cannot be indexed"),
            };
            return fail(codes::NOT_INDEXABLE, span, message);
        }
        match &*e.slice {
            Expr::Slice(slice) => self.bit_range(ty, slice, span),
            Expr::Tuple(_) => fail(codes::INDEX_COUNT, span, "a bit has one index"),
            index => {
                let operand = self.operand(index)?;
                self.check_index(&operand, u64::from(ty.width()), "bit")?;
                let lo = self.b.as_subscript(&operand, "a bit index")?;
                Ok(Bits { lo, width: 1 })
            }
        }
    }

    fn bit_range(&mut self, ty: Scalar, slice: &'a ast::ExprSlice, span: Span) -> Result<Bits> {
        let (Some(lower), Some(upper), None) = (&slice.lower, &slice.upper, &slice.step) else {
            return fail(
                codes::SLICE,
                span,
                "a bit range needs both bounds and no step",
            );
        };
        let lo = self.operand(lower)?;
        let width = self.slice_width(&lo, lower, upper, span)?;
        if let Value::Const(value) = &lo.value {
            let last = value.as_int().map(|v| v + (width - 1));
            let last = Operand {
                value: ConstValue::Int(last.unwrap_or_default()).into(),
                span,
            };
            self.check_index(&lo, u64::from(ty.width()), "bit")?;
            self.check_index(&last, u64::from(ty.width()), "bit")?;
        }
        let lo = self.b.as_first(&lo, "a bit index")?;
        Ok(Bits { lo, width })
    }

    /// Bits of a value, as an unsigned integer.
    pub(super) fn get_bits(&mut self, arg: ValueId, at: &Bits, span: Span) -> Typed {
        let ty = Scalar::unsigned(at.width);
        let kind = match at.width {
            1 => OpKind::BitGet { arg, index: at.lo },
            _ => OpKind::BitSlice { arg, lo: at.lo },
        };
        let id = self.b.emit(kind, ty, span);
        Typed { id, ty }
    }

    fn slice_width(
        &mut self,
        lo: &Operand,
        lower: &'a Expr,
        upper: &'a Expr,
        span: Span,
    ) -> Result<u32> {
        let width = match &lo.value {
            Value::Const(low) => match (low.as_int(), self.expr(upper)?) {
                (Some(low), Value::Const(high)) => high.as_int().map(|high| high - low),
                _ => None,
            },
            _ => self.difference(upper, lower)?,
        };
        match width.as_ref().and_then(ToPrimitive::to_u32) {
            Some(width) if (1..=MAX_WIDTH).contains(&width) => Ok(width),
            _ if width.is_some() => fail(
                codes::SLICE,
                span,
                "a bit range must not be empty or too wide",
            ),
            _ => Err(Diagnostic::error(
                codes::SLICE,
                span,
                "the width of a bit range must be constant",
            )
            .help("write it as `x[i:i + 8]`")
            .into()),
        }
    }

    /// `upper - lower` if nothing that varies is left of it: `(i + 1) * 8` and `i * 8` are 8 apart.
    fn difference(&mut self, upper: &'a Expr, lower: &'a Expr) -> Result<Option<BigInt>> {
        let mut sum = Vec::new();
        self.add_terms(upper, &BigInt::from(1), &mut sum);
        self.add_terms(lower, &BigInt::from(-1), &mut sum);
        let mut total = BigInt::zero();
        for (term, factor) in sum {
            if factor.is_zero() {
                continue;
            }
            match self.expr(term)? {
                Value::Const(ConstValue::Int(value)) => total += value * factor,
                _ => return Ok(None),
            }
        }
        Ok(Some(total))
    }

    /// Adds the terms of an expression, multiplied by a factor.
    fn add_terms(&mut self, expr: &'a Expr, factor: &BigInt, sum: &mut Sum<'a>) {
        match expr {
            Expr::BinOp(e) if matches!(e.op, Operator::Add | Operator::Sub) => {
                self.add_terms(&e.left, factor, sum);
                let sign = if e.op == Operator::Add { 1 } else { -1 };
                return self.add_terms(&e.right, &(factor * sign), sum);
            }
            Expr::BinOp(e) if e.op == Operator::Mult => {
                for (constant, other) in [(&e.left, &e.right), (&e.right, &e.left)] {
                    if let Some(value) = self.plain_int(constant) {
                        return self.add_terms(other, &(factor * value), sum);
                    }
                }
            }
            Expr::UnaryOp(e) if e.op == UnaryOp::USub => {
                return self.add_terms(&e.operand, &-factor, sum);
            }
            _ => {}
        }
        let same = |other: &Expr| ComparableExpr::from(other) == ComparableExpr::from(expr);
        match sum.iter_mut().find(|(term, _)| same(term)) {
            Some((_, total)) => *total += factor,
            None => sum.push((expr, factor.clone())),
        }
    }

    /// The value of a numeral or of a name that is known while compiling.
    fn plain_int(&mut self, expr: &Expr) -> Option<BigInt> {
        match expr {
            Expr::NumberLiteral(_) | Expr::Name(_) => self.known(expr).ok()?.as_int(),
            _ => None,
        }
    }
}
