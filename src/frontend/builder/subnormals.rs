//! `KernelOptions(subnormals="ftz")` and profiles that flush: what computes on floats of 16 bits and more sees a zero of the same sign
//! in place of a subnormal operand, and gives one in place of a subnormal result.
//!
//! Moves, selections and the operations on the sign bit alone keep a subnormal; in the style "pto" conversions do too.

use super::state::Builder;
use crate::diagnostics::Span;
use crate::frontend::promote::Style;
use crate::ir::{OpKind, Scalar, UnaryOp, ValueId};

/// Narrowest format that is flushed.
const LEAST_WIDTH: u32 = 16;

/// Whether an operation computes on its operands, instead of moving them or changing a sign.
fn computes(kind: &OpKind, style: Style) -> bool {
    match kind {
        OpKind::Cast { .. } => style != Style::Pto,
        OpKind::Unary { op, .. } => !matches!(op, UnaryOp::Neg | UnaryOp::Abs),
        OpKind::Binary { .. } | OpKind::Compare { .. } | OpKind::Fma { .. } => true,
        _ => false,
    }
}

impl Builder {
    /// Appends an operation, between the flushing of its operands and that of its result if it computes.
    pub(super) fn emit_flushing(&mut self, mut kind: OpKind, ty: Scalar, span: Span) -> ValueId {
        if !computes(&kind, self.options.style) {
            return self.append(kind, ty, span);
        }
        let flushed: Vec<ValueId> = kind
            .operands()
            .into_iter()
            .map(|value| self.flush(value, span))
            .collect();
        let mut flushed = flushed.into_iter();
        // `operands` and `for_each_operand` have the same order.
        kind.for_each_operand(&mut |value| *value = flushed.next().unwrap_or(*value));
        let result = self.append(kind, ty, span);
        self.flush(result, span)
    }

    /// An operand of a product, as zero if it is a subnormal number and these are flushed.
    pub fn flushed_operand(&mut self, value: ValueId, span: Span) -> ValueId {
        match self.options.flush_subnormals {
            true => self.flush(value, span),
            false => value,
        }
    }

    fn flush(&mut self, value: ValueId, span: Span) -> ValueId {
        let ty = self.values[value].ty;
        match ty {
            Scalar::Float(format)
                if format.width() >= LEAST_WIDTH && !self.flushed.contains(&value) =>
            {
                let op = UnaryOp::Flush;
                let flushed = self.append(OpKind::Unary { op, arg: value }, ty, span);
                self.flushed.insert(flushed);
                flushed
            }
            _ => value,
        }
    }
}
