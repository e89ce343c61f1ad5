//! Addition: single path, operands ordered by magnitude.
//!
//! Muller et al., Handbook of Floating-Point Arithmetic, 2nd ed., section 8.3 (the basic architecture,
//! with guard, round and sticky bit). Ordering whole magnitudes keeps the difference from being negative
//! and puts every NaN and infinity into the larger operand.

use super::bits::{
    Grouped, all, and_not, any, bit_length, gate, low, name_low, normalise, pad_low, repeat,
    shift_right_sticky, sub_low,
};
use super::finish::finish;
use super::round::{Unrounded, round};
use super::unpack::{Unpacked, input, unpack, with_low_bit};
use crate::hwarith::graph::{Graph, NodeId, Predicate};
use crate::ir::FloatFormat;
use num_bigint::BigInt;
use num_traits::One;

/// Guard, round and sticky: what the sum keeps below the fraction.
const EXTRA: u32 = 3;

/// `a + b` of two bit patterns `ui<width>`.
pub fn add(format: FloatFormat) -> Graph {
    sum_of(format, false)
}

/// `a - b` of two bit patterns `ui<width>`: the sum with the sign bit of `b` flipped.
pub fn sub(format: FloatFormat) -> Graph {
    sum_of(format, true)
}

fn sum_of(format: FloatFormat, negate: bool) -> Graph {
    let mut g = Graph::new();
    let (a, mut b) = (input(&mut g, format, 0), input(&mut g, format, 1));
    if negate {
        let sign = g.constant(BigInt::one() << (format.width() - 1));
        b = g.xor(b, sign);
    }
    let operands = order(&mut g, format, a, b);
    let small_exp = operands.small.effective_exp(&mut g);
    let distance = sub_low(&mut g, operands.exp, small_exp, format.exp);
    let sum = sum(&mut g, format, &operands, distance);
    let result = rounded(&mut g, format, &operands, sum);
    finish(&g, result)
}

/// The operands by magnitude.
pub(super) struct Ordered {
    pub large: Unpacked,
    pub small: Unpacked,
    /// The signs differ.
    pub subtract: NodeId,
    /// The larger operand, and so the result, is infinite or NaN.
    pub special: NodeId,
    /// Exponent field of `large`, 1 if subnormal, and one less than all ones if special: with the
    /// carry bit set as well (see [`sum`]) this is what an overflow looks like.
    pub exp: NodeId,
}

fn order(g: &mut Graph, format: FloatFormat, a: NodeId, b: NodeId) -> Ordered {
    let magnitude = format.width() - 1;
    let (mag_a, mag_b) = (low(g, a, magnitude), low(g, b, magnitude));
    let swap = g.icmp(Predicate::Lt, mag_a, mag_b);
    let (large, small) = (g.mux(swap, b, a), g.mux(swap, a, b));
    g.name(swap, "swap");
    g.name(large, "larger");
    g.name(small, "smaller");
    let (sign_a, sign_b) = (g.bit(a, magnitude), g.bit(b, magnitude));
    let subtract = g.xor(sign_a, sign_b);
    g.name(subtract, "is_difference");
    let large = unpack(g, format, large);
    let small = unpack(g, format, small);
    let special = large.is_special(g);
    let bit = g.bit(large.exp, 0);
    let bit = and_not(g, bit, special);
    let bit = g.or(bit, large.tiny);
    let exp = with_low_bit(g, large.exp, bit);
    g.name(exp, "exponent");
    Ordered {
        large,
        small,
        subtract,
        special,
        exp,
    }
}

/// The sum of magnitudes, `ui<frac + 5>`: carry, hidden bit, fraction, guard, round, sticky. The carry is
/// 1 for special operands, whatever the rest. `distance` is that of the exponents.
pub(super) fn sum(
    g: &mut Graph,
    format: FloatFormat,
    operands: &Ordered,
    distance: NodeId,
) -> NodeId {
    let width = 1 + format.frac + EXTRA;
    name_low(g, distance, "distance");
    let small = operands.small.significand(g);
    let small = pad_low(g, small, EXTRA);
    let aligned = shift_right_sticky(g, small, distance);
    g.name(aligned, "aligned");
    let mask = repeat(g, operands.subtract, width);
    g.name(mask, "inverts");
    let addend = g.xor(aligned, mask);
    g.name(addend, "addend");
    let large = operands.large.significand(g);
    let large = pad_low(g, large, EXTRA);
    // A further bit at the bottom makes the two's complement's carry-in part of the one addition.
    let one = g.constant(1);
    let large = g.concat(&[large, one]);
    g.name(large, "augend");
    let addend = g.concat(&[addend, operands.subtract]);
    let sum = g.add(large, addend);
    let carry = g.bit(sum, width + 1);
    let carry = and_not(g, carry, operands.subtract);
    let carry = g.or(carry, operands.special);
    g.name(carry, "carry");
    let rest = g.extract(sum, 1, width);
    g.name(sum, "sum");
    let whole = g.concat(&[carry, rest]);
    g.name(whole, "magnitude");
    whole
}

fn rounded(g: &mut Graph, format: FloatFormat, operands: &Ordered, sum: NodeId) -> NodeId {
    let width = g.width(sum);
    let nan = is_nan(g, operands);
    g.name(nan, "is_nan");
    let carry = g.bit(sum, width - 1);
    // Binade of the largest finite numbers; a carry out of it overflows.
    let last = g.constant((1 << format.exp) - 2);
    let last = g.icmp(Predicate::Eq, operands.exp, last);
    let special = g.and(carry, last);
    g.name(special, "is_special");
    let grouped = Grouped::new(g, sum);
    let zero = grouped.is_zero(g);
    g.name(zero, "sum_is_zero");
    let nonzero = g.not(zero);
    let limit = gate(g, operands.exp, nonzero);
    g.name(limit, "limit");
    // More than two leading zeros come only from operands at most one binade apart, whose difference
    // ends at the guard bit: at least two bits stay below a leading one.
    let levels = bit_length(width - EXTRA);
    let (normal, amount) = normalise(g, grouped, levels, Some(limit));
    let amount = amount.expect("a sum has at least three levels");
    g.name(normal, "normalised");
    let cancelled = g.and(zero, operands.subtract);
    g.name(cancelled, "cancels");
    let value = Unrounded {
        sign: and_not(g, operands.large.sign, cancelled),
        exp: sub_low(g, limit, amount, format.exp),
        bump: g.bit(normal, width - 1),
        tail: low(g, normal, width - 1),
        special: Some(special),
        nan: Some(nan),
    };
    round(g, format, value)
}

/// A NaN operand is the larger one; infinities of opposite signs are both special.
pub(super) fn is_nan(g: &mut Graph, operands: &Ordered) -> NodeId {
    let payload = any(g, operands.large.frac);
    let both = all(g, operands.small.exp);
    let invalid = g.and(operands.subtract, both);
    let nan = g.or(payload, invalid);
    g.and(operands.special, nan)
}
