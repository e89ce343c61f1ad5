//! What promises say of single values: the range within which each of them is.

use super::ranges::{self, Range};
use crate::hash::FastMap;
use crate::ir::{BinaryOp, Block, CompareOp, Const, Kernel, OpKind, ValueId};
use num_traits::ToPrimitive;

/// Constants, comparisons, conjunctions and casts of a kernel, by what they define.
pub struct Facts<'k> {
    kernel: &'k Kernel,
    definitions: FastMap<ValueId, OpKind>,
}

impl<'k> Facts<'k> {
    /// Those of a kernel, of which the body may stand elsewhere.
    pub fn of(kernel: &'k Kernel, body: &Block) -> Facts<'k> {
        let mut definitions = FastMap::default();
        body.for_each_op(&mut |op| {
            let is_wanted = matches!(
                op.kind,
                OpKind::Const(Const::Int(_))
                    | OpKind::Compare { .. }
                    | OpKind::Cast { .. }
                    | OpKind::Binary {
                        op: BinaryOp::And,
                        ..
                    }
            );
            if let (true, [result]) = (is_wanted, &op.results[..]) {
                definitions.insert(*result, op.kind.clone());
            }
        });
        Facts {
            kernel,
            definitions,
        }
    }

    /// Values with the range that follows where a condition holds; each is within that of its type.
    pub fn follow(&self, cond: ValueId) -> Vec<(ValueId, Range)> {
        match self.definitions.get(&cond) {
            Some(&OpKind::Binary { lhs, rhs, .. }) => {
                let mut both = self.follow(lhs);
                both.extend(self.follow(rhs));
                both
            }
            Some(&OpKind::Compare { op, lhs, rhs }) => {
                let left = self.bound(op, lhs, rhs);
                left.into_iter()
                    .chain(self.bound(op.swapped(), rhs, lhs))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// What a comparison with a constant says of a value.
    fn bound(&self, op: CompareOp, value: ValueId, constant: ValueId) -> Option<(ValueId, Range)> {
        let Some(OpKind::Const(Const::Int(constant))) = self.definitions.get(&constant) else {
            return None;
        };
        let constant = constant.to_i128()?;
        let value = self.source(value)?;
        let (least, most) = ranges::of_type(self.kernel.values[value].ty)?;
        let (low, high) = match op {
            CompareOp::Eq => (constant, constant),
            CompareOp::Lt => (least, constant - 1),
            CompareOp::Le => (least, constant),
            CompareOp::Gt => (constant + 1, most),
            CompareOp::Ge => (constant, most),
            _ => return None,
        };
        Some((value, (low.max(least), high.min(most))))
    }

    /// The value of which this one is a cast that keeps every number; a constant has none.
    fn source(&self, value: ValueId) -> Option<ValueId> {
        match self.definitions.get(&value) {
            Some(OpKind::Const(_)) => None,
            Some(&OpKind::Cast { arg }) => {
                let range = ranges::of_type(self.kernel.values[arg].ty)?;
                match ranges::fits(range, self.kernel.values[value].ty) {
                    true => self.source(arg),
                    false => Some(value),
                }
            }
            _ => Some(value),
        }
    }
}
