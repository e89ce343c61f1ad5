//! Integer operations of the reference, written once for machine words and for big integers.

use crate::ir::BinaryOp;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::Signed;
use std::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};

/// An exact integer that can be cut to a width: `i128` for types of at most 64 bits, `BigInt` for
/// all.
pub trait ExactInt:
    Integer
    + Signed
    + Clone
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// The low `width` bits, read as two's complement or unsigned.
    fn low(self, width: u32, signed: bool) -> Self;
    /// A number whose low bits are those of the product.
    fn mul_low(&self, rhs: &Self) -> Self;
    /// The number as `u32`, if it is one.
    fn as_u32(&self) -> Option<u32>;
}

impl ExactInt for i128 {
    fn low(self, width: u32, signed: bool) -> Self {
        let up = 128 - width;
        if signed {
            (self << up) >> up
        } else {
            (((self as u128) << up) >> up) as i128
        }
    }
    fn mul_low(&self, rhs: &Self) -> Self {
        self.wrapping_mul(*rhs)
    }
    fn as_u32(&self) -> Option<u32> {
        u32::try_from(*self).ok()
    }
}

impl ExactInt for BigInt {
    fn low(self, width: u32, signed: bool) -> Self {
        crate::ir::types::wrap(&self, width, signed)
    }
    fn mul_low(&self, rhs: &Self) -> Self {
        self * rhs
    }
    fn as_u32(&self) -> Option<u32> {
        u32::try_from(self).ok()
    }
}

/// `lhs op rhs` before it is cut to the result's width; `None` for operations that integers lack.
/// Shifts are [`shift`].
pub fn binary<T: ExactInt>(
    op: BinaryOp,
    lhs: &T,
    rhs: &T,
    (width, signed): (u32, bool),
) -> Option<T> {
    let (l, r) = (lhs.clone(), rhs.clone());
    let result = match op {
        BinaryOp::Add => l + r,
        BinaryOp::Sub => l - r,
        BinaryOp::Mul => lhs.mul_low(rhs),
        BinaryOp::Div | BinaryOp::FloorDiv if rhs.is_zero() => !T::zero(),
        BinaryOp::Mod if rhs.is_zero() => l,
        BinaryOp::Div => l / r,
        BinaryOp::FloorDiv => lhs.div_floor(rhs),
        BinaryOp::Mod => l % r,
        BinaryOp::Pow => power(lhs, rhs, (width, signed)),
        BinaryOp::And => l & r,
        BinaryOp::Or => l | r,
        BinaryOp::Xor => l ^ r,
        BinaryOp::Min => l.min(r),
        BinaryOp::Max => l.max(r),
        BinaryOp::Shl | BinaryOp::Shr | BinaryOp::MinNan | BinaryOp::MaxNan => return None,
    };
    Some(result.low(width, signed))
}

/// `base ** exponent` modulo 2^width; a negative exponent truncates the reciprocal toward zero.
fn power<T: ExactInt>(base: &T, exponent: &T, (width, signed): (u32, bool)) -> T {
    if exponent.is_negative() {
        return match () {
            () if base.is_one() => T::one(),
            () if (-base.clone()).is_one() && exponent.is_odd() => -T::one(),
            () if (-base.clone()).is_one() => T::one(),
            () => T::zero(),
        };
    }
    let (mut result, mut square, mut left) = (T::one(), base.clone(), exponent.clone());
    while !left.is_zero() {
        if left.is_odd() {
            result = result.mul_low(&square).low(width, signed);
        }
        square = square.mul_low(&square).low(width, signed);
        left = left >> 1;
    }
    result
}

/// `value << amount` or `value >> amount`; `None` is an amount that is negative or at least the width.
pub fn shift<T: ExactInt>(
    left: bool,
    value: &T,
    amount: Option<u32>,
    (width, signed): (u32, bool),
) -> T {
    match amount.filter(|&a| a < width) {
        Some(amount) if left => (value.clone() << amount).low(width, signed),
        Some(amount) => value.clone() >> amount,
        None if !left && value.is_negative() => !T::zero(),
        None => T::zero(),
    }
}

/// `from` bits of a pattern, starting at `lo`, which may lie outside on either side: zeros there.
pub fn bit_slice<T: ExactInt>(value: &T, arg_width: u32, lo: &T, width: u32) -> T {
    let pattern = value.clone().low(arg_width, false);
    match (lo.as_u32(), (-lo.clone()).as_u32()) {
        (Some(lo), _) if lo < arg_width => (pattern >> lo).low(width, false),
        (None, Some(up)) if up < width => {
            // Only the bits that stay, so that a machine word does not lose any.
            (pattern.low(width - up, false) << up).low(width, false)
        }
        _ => T::zero(),
    }
}

/// `value` with its bits from `lo` on replaced by so many others; those that lie outside on either side are left out.
pub fn bit_set<T: ExactInt>(
    value: &T,
    lo: &T,
    (bits, count): (&T, u32),
    (width, signed): (u32, bool),
) -> T {
    let (at, bits, count) = match (lo.as_u32(), (-lo.clone()).as_u32()) {
        (Some(at), _) if at < width => (at, bits.clone(), count),
        (None, Some(below)) if below < count => (0, bits.clone() >> below, count - below),
        _ => return value.clone(),
    };
    let count = count.min(width - at);
    let mask = ((T::one() << count) - T::one()) << at;
    let kept = value.clone() & !mask;
    (kept | bits.low(count, false) << at).low(width, signed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPS: [BinaryOp; 12] = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::FloorDiv,
        BinaryOp::Mod,
        BinaryOp::Pow,
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Xor,
        BinaryOp::Min,
        BinaryOp::Max,
    ];

    fn values(width: u32, signed: bool) -> Vec<i128> {
        let mut out: Vec<i128> = Vec::new();
        for shift in 0..width {
            for d in [-1, 0, 1] {
                out.push(((1i128 << shift) + d).low(width, signed));
                out.push((-(1i128 << shift) + d).low(width, signed));
            }
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    #[test]
    fn words_and_big_integers_agree() {
        for width in [1, 2, 3, 8, 33, 64] {
            for signed in [false, true] {
                let values = values(width, signed);
                for (i, a) in values.iter().enumerate() {
                    for b in values
                        .iter()
                        .skip(i % 3)
                        .step_by(if width > 8 { 7 } else { 1 })
                    {
                        for op in OPS {
                            let word = binary(op, a, b, (width, signed)).map(BigInt::from);
                            let (ba, bb) = (BigInt::from(*a), BigInt::from(*b));
                            let big = binary(op, &ba, &bb, (width, signed));
                            assert_eq!(word, big, "{a} {} {b} at {width} {signed}", op.name());
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn edge_cases_of_the_language() {
        let i8 = (8, true);
        let u8 = (8, false);
        let op = |op, a: i128, b: i128, ty| binary(op, &a, &b, ty).unwrap();
        assert_eq!(op(BinaryOp::Div, -7, 2, i8), -3);
        assert_eq!(op(BinaryOp::FloorDiv, -7, 2, i8), -4);
        assert_eq!(op(BinaryOp::Mod, -7, 2, i8), -1);
        assert_eq!(op(BinaryOp::Div, 5, 0, i8), -1);
        assert_eq!(op(BinaryOp::FloorDiv, 5, 0, u8), 255);
        assert_eq!(op(BinaryOp::Mod, -5, 0, i8), -5);
        assert_eq!(op(BinaryOp::Div, -128, -1, i8), -128);
        assert_eq!(op(BinaryOp::Mod, -128, -1, i8), 0);
        assert_eq!(op(BinaryOp::Pow, 3, 5, u8), 243);
        assert_eq!(op(BinaryOp::Pow, 3, 6, u8), 729 % 256);
        assert_eq!(op(BinaryOp::Pow, 0, 0, i8), 1);
        assert_eq!(op(BinaryOp::Pow, 2, -1, i8), 0);
        assert_eq!(op(BinaryOp::Pow, -1, -3, i8), -1);
        assert_eq!(op(BinaryOp::Pow, -1, -4, i8), 1);
        assert_eq!(op(BinaryOp::Pow, 1, -4, i8), 1);
        assert_eq!(op(BinaryOp::Pow, 0, -4, i8), 0);
    }

    #[test]
    fn shifts_and_bits() {
        assert_eq!(shift(true, &0x81i128, Some(1), (8, false)), 2);
        assert_eq!(shift(true, &1i128, Some(8), (8, false)), 0);
        assert_eq!(shift(false, &-128i128, Some(7), (8, true)), -1);
        assert_eq!(shift(false, &-128i128, None, (8, true)), -1);
        assert_eq!(shift(false, &127i128, None, (8, true)), 0);
        assert_eq!(shift(false, &255i128, Some(9), (8, false)), 0);
        assert_eq!(bit_slice(&-1i128, 8, &4, 8), 15);
        assert_eq!(bit_slice(&-1i128, 8, &8, 8), 0);
        assert_eq!(bit_slice(&-1i128, 8, &-4, 8), 0xf0);
        assert_eq!(bit_slice(&i128::from(u64::MAX), 64, &-60, 64), 15 << 60);
        assert_eq!(bit_set(&0i128, &7, (&1, 1), (8, true)), -128);
        assert_eq!(bit_set(&-1i128, &7, (&0, 1), (8, true)), 127);
        assert_eq!(bit_set(&5i128, &8, (&1, 1), (8, true)), 5);
        assert_eq!(bit_set(&0x55i128, &2, (&0xf, 4), (8, false)), 0x7d);
        assert_eq!(bit_set(&0i128, &6, (&0xf, 4), (8, true)), -64);
        assert_eq!(bit_set(&0i128, &-2, (&0xd, 4), (8, true)), 3);
        assert_eq!(bit_set(&9i128, &-4, (&0xf, 4), (8, true)), 9);
        assert_eq!(bit_set(&0i128, &0, (&u64::MAX.into(), 64), (64, true)), -1);
    }
}
