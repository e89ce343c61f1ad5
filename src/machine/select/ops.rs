//! Scalar operations of the kernel as hwarith operations followed by the cast to their type.

use super::{Lowering, hw_type, scalar};
use crate::codes;
use crate::hwarith::HwType;
use crate::hwarith::graph::{NodeId, Predicate};
use crate::ir::{BinaryOp, CompareOp, Conversion, Op, OpKind, Overflow, Scalar, UnaryOp, ValueId};
use crate::units::float::conversion;
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive};

impl Lowering<'_> {
    /// The node of a scalar operation's result; `None` after reporting that there is no hardware for it.
    pub(super) fn scalar_op(&mut self, op: &Op) -> Option<NodeId> {
        let ty = self.kernel.values[*op.results.first()?].ty;
        Some(match &op.kind {
            OpKind::Unary { op: unary, arg } => return self.unary(*unary, *arg, ty, op),
            OpKind::Binary {
                op: binary,
                lhs,
                rhs,
            } => {
                return self.binary(*binary, *lhs, *rhs, ty, op);
            }
            OpKind::Compare {
                op: compare,
                lhs,
                rhs,
            } => self.compare(*compare, *lhs, *rhs),
            OpKind::Cast { arg } => self.convert(*arg, ty, Conversion::of_cast(ty)),
            OpKind::Convert { arg, how } => self.convert(*arg, ty, *how),
            OpKind::Bitcast { arg } => {
                let bits = self.node(*arg);
                self.b().cast(bits, hw_type(ty))
            }
            OpKind::Select {
                cond,
                on_true,
                on_false,
            } => {
                let (c, t, f) = (self.node(*cond), self.node(*on_true), self.node(*on_false));
                self.b().mux(c, t, f)
            }
            OpKind::BitGet { arg, index } => self.bit_slice(*arg, *index, 1),
            OpKind::BitSlice { arg, lo } => self.bit_slice(*arg, *lo, ty.width()),
            OpKind::BitSet { arg, lo, bits } => self.bit_set(*arg, *lo, *bits),
            OpKind::Fma { lhs, rhs, add } => {
                let Scalar::Float(format) = ty else {
                    return self.no_hardware("fma", ty, op);
                };
                self.float_fma([*lhs, *rhs, *add], format)
            }
            OpKind::Operate(operate) => return self.operate(operate, ty, op),
            _ => return self.no_hardware("this operation", ty, op),
        })
    }

    fn no_hardware(&mut self, what: &str, ty: Scalar, op: &Op) -> Option<NodeId> {
        let message = format!("there is no hardware for {what} of type {ty} yet");
        self.error(codes::NO_HARDWARE, op.span, message);
        None
    }

    fn unary(&mut self, unary: UnaryOp, arg: ValueId, ty: Scalar, op: &Op) -> Option<NodeId> {
        let a = self.node(arg);
        Some(match (unary, ty) {
            (_, Scalar::Float(format)) => match self.float_unary(unary, a, format) {
                Some(node) => node,
                None => return self.no_hardware(&format!("'{}'", unary.name()), ty, op),
            },
            (UnaryOp::Neg, _) => {
                let zero = self.b().constant(0);
                let negated = self.b().sub(zero, a);
                self.b().cast(negated, hw_type(ty))
            }
            (UnaryOp::Abs, _) => {
                let zero = self.b().constant(0);
                let negated = self.b().sub(zero, a);
                let negative = self.b().icmp(Predicate::Lt, a, zero);
                let magnitude = self.b().mux(negative, negated, a);
                self.b().cast(magnitude, hw_type(ty))
            }
            (UnaryOp::Not, _) => {
                // In infinite two's complement, the complement within a type flips exactly its bits.
                let ones = if ty.is_signed() {
                    BigInt::from(-1)
                } else {
                    hw_type(ty).max()
                };
                let ones = self.b().constant(ones);
                self.b().xor(a, ones)
            }
            _ => return self.no_hardware(&format!("'{}'", unary.name()), ty, op),
        })
    }

    fn binary(
        &mut self,
        binary: BinaryOp,
        lhs: ValueId,
        rhs: ValueId,
        ty: Scalar,
        op: &Op,
    ) -> Option<NodeId> {
        if let Scalar::Float(format) = ty {
            return match self.float_binary(binary, lhs, rhs, format) {
                Some(node) => Some(node),
                None => self.no_hardware(&format!("'{}'", binary.name()), ty, op),
            };
        }
        let (a, b) = (self.node(lhs), self.node(rhs));
        let Some(exact) = self.integer_binary(binary, a, b, ty) else {
            return self.no_hardware(&format!("integer '{}'", binary.name()), ty, op);
        };
        Some(self.b().cast(exact, hw_type(ty)))
    }

    fn compare(&mut self, compare: CompareOp, lhs: ValueId, rhs: ValueId) -> NodeId {
        if let Scalar::Float(format) = self.kernel.values[lhs].ty {
            return self.float_compare(compare, lhs, rhs, format);
        }
        let predicate = match compare {
            CompareOp::Eq | CompareOp::Ueq => Predicate::Eq,
            CompareOp::Ne | CompareOp::One => Predicate::Ne,
            CompareOp::Lt | CompareOp::Ult => Predicate::Lt,
            CompareOp::Le | CompareOp::Ule => Predicate::Le,
            CompareOp::Gt | CompareOp::Ugt => Predicate::Gt,
            CompareOp::Ge | CompareOp::Uge => Predicate::Ge,
        };
        let (a, b) = (self.node(lhs), self.node(rhs));
        self.b().icmp(predicate, a, b)
    }

    fn convert(&mut self, arg: ValueId, ty: Scalar, how: Conversion) -> NodeId {
        let from = self.kernel.values[arg].ty;
        let a = self.node(arg);
        match (from.int_range(), ty.int_range()) {
            (Some(_), Some(_)) if how.overflow == Overflow::Saturate => {
                let from = scalar(self.b().ty(a));
                let limited = self.b().inline(&conversion(from, ty, how), &[a])[0];
                self.b().cast(limited, hw_type(ty))
            }
            (Some(_), Some(_)) => self.b().cast(a, hw_type(ty)),
            _ => self.float_conversion(a, from, ty, how),
        }
    }

    /// `width` bits from a possibly dynamic position; bits outside of the value's type are 0.
    fn bit_slice(&mut self, arg: ValueId, lo: ValueId, width: u32) -> NodeId {
        let ty = hw_type(self.kernel.values[arg].ty);
        let a = self.node(arg);
        let bits = self.b().cast(a, HwType::ui(ty.width));
        let lo = self.node(lo);
        let (below, lo) = self.padding(lo, width);
        let bits = match below {
            0 => bits,
            _ => {
                let zero = self.b().constant(0);
                self.b().concat(&[(bits, ty.width), (zero, below)])
            }
        };
        let whole = HwType::ui(ty.width + below);
        match self.b().as_const(lo).map(ToPrimitive::to_u32) {
            Some(Some(lo)) if lo < whole.width => self.b().extract(bits, lo, width),
            Some(_) => self.b().constant(0),
            None => {
                let shifted = self.shift_right(bits, lo, whole);
                self.b().extract(shifted, 0, width)
            }
        }
    }

    /// How many bits below bit 0 a range of `width` bits from `lo` on can reach, as far as `lo` may be negative, and `lo`
    /// counted from the lowest of them.
    fn padding(&mut self, lo: NodeId, width: u32) -> (u32, NodeId) {
        let least = -&self.b().range(lo).lo;
        if !least.is_positive() || width == 1 {
            return (0, lo);
        }
        let below = least.to_u32().unwrap_or(u32::MAX).min(width - 1);
        let shift = self.b().constant(below);
        (below, self.b().add(lo, shift))
    }

    /// `arg` with its bits from a possibly dynamic position replaced; those outside of its type are left out.
    fn bit_set(&mut self, arg: ValueId, lo: ValueId, bits: ValueId) -> NodeId {
        let ty = hw_type(self.kernel.values[arg].ty);
        let width = self.kernel.values[bits].ty.width();
        let a = self.node(arg);
        let old = self.b().cast(a, HwType::ui(ty.width));
        let (lo, bits) = (self.node(lo), self.node(bits));
        let (below, lo) = self.padding(lo, width);
        let whole = HwType::ui(ty.width + below);
        let count = width.min(whole.width);
        let ones = self.b().constant((BigInt::one() << count) - 1);
        let mask = self.shifted_bits(ones, lo, whole, below);
        let all = self.b().constant((BigInt::one() << ty.width) - 1);
        let keep = self.b().xor(mask, all);
        let cleared = self.b().and(old, keep);
        let result = match width {
            1 => {
                let set = self.b().or(old, mask);
                self.b().mux(bits, set, cleared)
            }
            _ => {
                let bits = self.b().cast(bits, HwType::ui(count));
                let new = self.shifted_bits(bits, lo, whole, below);
                self.b().or(cleared, new)
            }
        };
        debug_assert!(!self.b().range(result).lo.is_negative());
        self.b().cast(result, ty)
    }

    /// Bits shifted left within `whole`, of which the lowest are cut off.
    fn shifted_bits(&mut self, bits: NodeId, lo: NodeId, whole: HwType, below: u32) -> NodeId {
        let shifted = self.shift_left(bits, lo, whole);
        self.b().extract(shifted, below, whole.width - below)
    }
}
