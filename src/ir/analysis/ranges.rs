//! Which integers a value can be: closed ranges, found operation by operation.

use crate::ir::{BinaryOp, Const, OpKind, Overflow, Scalar, UnaryOp};
use num_traits::ToPrimitive;

/// Least and greatest value.
pub type Range = (i128, i128);

/// Types up to this width have ranges: sums and products of two numbers are numbers of 128 bits, if they are checked.
const MAX_WIDTH: u32 = 126;

/// All values of an integer type; `None` for floats and for what is too wide.
pub fn of_type(ty: Scalar) -> Option<Range> {
    let width = ty.width();
    match ty {
        Scalar::Float(_) | Scalar::Storage(_) => None,
        _ if width > MAX_WIDTH => None,
        _ if ty.is_signed() => Some((-(1 << (width - 1)), (1 << (width - 1)) - 1)),
        _ => Some((0, (1 << width) - 1)),
    }
}

/// Whether every number of a range is one of the type.
pub fn fits((low, high): Range, ty: Scalar) -> bool {
    of_type(ty).is_some_and(|(least, most)| least <= low && high <= most)
}

/// The range of an operation's result of type `ty`, given those of its operands, in order; `None` if nothing is known.
pub fn result(kind: &OpKind, ty: Scalar, operands: &[Option<Range>]) -> Option<Range> {
    let whole = of_type(ty)?;
    let exact = exact(kind, ty, operands);
    Some(match exact {
        Some(range) if fits(range, ty) => range,
        _ => whole,
    })
}

/// The range of the result before it wraps.
pub fn exact(kind: &OpKind, ty: Scalar, operands: &[Option<Range>]) -> Option<Range> {
    let operand = |i: usize| operands.get(i).copied().flatten();
    match kind {
        OpKind::Const(Const::Int(c)) => c.to_i128().map(|c| (c, c)),
        OpKind::Unary { op, .. } => unary(*op, ty, operand(0)?),
        OpKind::Binary { op, .. } => binary(*op, operand(0), operand(1)),
        OpKind::Compare { .. } | OpKind::BitGet { .. } => Some((0, 1)),
        OpKind::Cast { .. } => operand(0),
        OpKind::Convert { how, .. } => {
            let ((least, most), (low, high)) = (of_type(ty)?, operand(0)?);
            match how.overflow {
                Overflow::Saturate => Some((low.clamp(least, most), high.clamp(least, most))),
                _ => Some((low, high)),
            }
        }
        OpKind::Select { .. } => {
            let (a, b) = (operand(1)?, operand(2)?);
            Some((a.0.min(b.0), a.1.max(b.1)))
        }
        _ => None,
    }
}

fn unary(op: UnaryOp, ty: Scalar, (low, high): Range) -> Option<Range> {
    match op {
        UnaryOp::Neg => Some((-high, -low)),
        UnaryOp::Not if ty.is_signed() => Some((-1 - high, -1 - low)),
        UnaryOp::Abs if low >= 0 => Some((low, high)),
        UnaryOp::Abs => Some((0, high.max(-low))),
        _ => None,
    }
}

fn binary(op: BinaryOp, a: Option<Range>, b: Option<Range>) -> Option<Range> {
    // A mask bounds whatever it is laid on.
    if op == BinaryOp::And {
        let masks = [a, b].into_iter().flatten().filter(|mask| mask.0 >= 0);
        return masks.map(|mask| (0, mask.1)).min();
    }
    // So does a divisor.
    if op == BinaryOp::Mod {
        return remainder(a, b?);
    }
    let (a, b) = (a?, b?);
    match op {
        BinaryOp::Add => Some((a.0.checked_add(b.0)?, a.1.checked_add(b.1)?)),
        BinaryOp::Sub => Some((a.0.checked_sub(b.1)?, a.1.checked_sub(b.0)?)),
        BinaryOp::Mul => hull([a.0, a.1].map(|x| [x.checked_mul(b.0), x.checked_mul(b.1)])),
        // A divisor of zero gives all ones.
        BinaryOp::Div if b.0 > 0 => {
            hull([a.0, a.1].map(|x| [x.checked_div(b.0), x.checked_div(b.1)]))
        }
        BinaryOp::FloorDiv if b.0 > 0 => {
            hull([a.0, a.1].map(|x| [Some(x.div_euclid(b.0)), Some(x.div_euclid(b.1))]))
        }
        BinaryOp::Or | BinaryOp::Xor if a.0 >= 0 && b.0 >= 0 => {
            let bits = 128 - (a.1 | b.1).leading_zeros();
            Some((0, (1i128 << bits.min(126)) - 1))
        }
        BinaryOp::Shl => {
            let amount = |n: i128| u32::try_from(n).ok().filter(|n| *n <= 126);
            let (least, most) = (1i128 << amount(b.0)?, 1i128 << amount(b.1)?);
            hull([a.0, a.1].map(|x| [x.checked_mul(least), x.checked_mul(most)]))
        }
        BinaryOp::Shr if b.0 >= 0 => {
            let by = |x: i128, n: i128| Some(x >> n.min(127));
            hull([a.0, a.1].map(|x| [by(x, b.0), by(x, b.1)]))
        }
        BinaryOp::Min => Some((a.0.min(b.0), a.1.min(b.1))),
        BinaryOp::Max => Some((a.0.max(b.0), a.1.max(b.1))),
        _ => None,
    }
}

/// With the sign of the dividend, and less than the divisor; a divisor of zero gives the dividend.
fn remainder(a: Option<Range>, b: Range) -> Option<Range> {
    if b.0 <= 0 {
        return None;
    }
    let most = b.1 - 1;
    Some(match a {
        Some((low, high)) => (low.clamp(-most, 0), high.clamp(0, most)),
        None => (-most, most),
    })
}

fn hull(values: [[Option<i128>; 2]; 2]) -> Option<Range> {
    let [[a, b], [c, d]] = values;
    let values = [a?, b?, c?, d?];
    Some((*values.iter().min()?, *values.iter().max()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Id;

    const I9: Scalar = Scalar::signed(9);

    fn kind(op: BinaryOp) -> OpKind {
        OpKind::Binary {
            op,
            lhs: Id::new(0),
            rhs: Id::new(1),
        }
    }

    /// What the reference computes in nine bits, signed.
    fn compute(op: BinaryOp, a: i128, b: i128) -> i128 {
        let wrap = |x: i128| (x + 256).rem_euclid(512) - 256;
        wrap(match op {
            BinaryOp::Add => a + b,
            BinaryOp::Sub => a - b,
            BinaryOp::Mul => a * b,
            BinaryOp::Div if b == 0 => -1,
            BinaryOp::Div => a / b,
            BinaryOp::FloorDiv if b == 0 => -1,
            BinaryOp::FloorDiv => a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0),
            BinaryOp::Mod if b == 0 => a,
            BinaryOp::Mod => a % b,
            BinaryOp::And => a & b,
            BinaryOp::Or => a | b,
            BinaryOp::Xor => a ^ b,
            BinaryOp::Shl if !(0..9).contains(&b) => 0,
            BinaryOp::Shl => a << b,
            BinaryOp::Shr if !(0..9).contains(&b) => {
                if a < 0 {
                    -1
                } else {
                    0
                }
            }
            BinaryOp::Shr => a >> b,
            BinaryOp::Min => a.min(b),
            _ => a.max(b),
        })
    }

    #[test]
    fn ranges_hold_every_result() {
        use BinaryOp::*;
        let ends = [-9, -8, -3, -1, 0, 1, 2, 5, 7, 11];
        let ranges = || ends.iter().flat_map(|&a| ends.iter().map(move |&b| (a, b)));
        let ranges: Vec<Range> = ranges().filter(|(a, b)| a <= b).collect();
        for op in [
            Add, Sub, Mul, Div, FloorDiv, Mod, And, Or, Xor, Shl, Shr, Min, Max,
        ] {
            for &a in &ranges {
                for &b in &ranges {
                    let (low, high) = result(&kind(op), I9, &[Some(a), Some(b)]).expect("a range");
                    for x in a.0..=a.1 {
                        for y in b.0..=b.1 {
                            let value = compute(op, x, y);
                            assert!(
                                low <= value && value <= high,
                                "{op:?} of {x} in {a:?} and {y} in {b:?} is {value}, not in {low} to {high}"
                            );
                        }
                    }
                }
            }
        }
    }
}
