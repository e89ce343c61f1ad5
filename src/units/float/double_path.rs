//! Addition with two paths, for sums that are carried around a loop: larger than [`add`](super::add), and sooner done.
//!
//! Muller et al., Handbook of Floating-Point Arithmetic, 2nd ed., section 8.3.2 (after Farmwald, 1981). Where the operands
//! nearly cancel, they are aligned by one place at most, and the difference needs no rounding; everywhere else
//! the sum is normalised by two places at most. So the long shifts, of the alignment and of the normalisation, are side by
//! side instead of one after the other.

use super::add::{Ordered, is_nan, sum};
use super::bits::{
    Grouped, and_not, bit_length, gate, low, none, normalise, pad_low, sub_low, zeros,
};
use super::finish::finish;
use super::round::{Unrounded, round};
use super::unpack::{Unpacked, input, unpack, with_low_bit};
use crate::hwarith::graph::{Graph, NodeId, Predicate};
use crate::ir::FloatFormat;

/// `a + b` of two bit patterns `ui<width>`.
pub fn add_double_path(format: FloatFormat) -> Graph {
    let mut g = Graph::new();
    let (operands, exponents) = order(&mut g, format);
    let far = far(&mut g, format, &operands, exponents.distance);
    let near = near(&mut g, format, &operands, &exponents);
    let result = g.mux(near.valid, near.bits, far);
    finish(&g, result)
}

/// What the exponents say of the alignment.
struct Exponents {
    /// Their difference.
    distance: NodeId,
    /// It is odd.
    odd: NodeId,
}

/// The operands by magnitude; they are unpacked, and the exponents subtracted both ways, while that is found out.
fn order(g: &mut Graph, format: FloatFormat) -> (Ordered, Exponents) {
    let (a_bits, b_bits) = (input(g, format, 0), input(g, format, 1));
    let magnitude = format.width() - 1;
    let (mag_a, mag_b) = (low(g, a_bits, magnitude), low(g, b_bits, magnitude));
    let swap = g.icmp(Predicate::Lt, mag_a, mag_b);
    g.name(swap, "swap");
    let (a, b) = (unpack(g, format, a_bits), unpack(g, format, b_bits));
    let large = select(g, swap, &b, &a);
    let small = select(g, swap, &a, &b);
    let subtract = g.xor(a.sign, b.sign);
    let (exp_a, exp_b) = (a.effective_exp(g), b.effective_exp(g));
    let forward = sub_low(g, exp_a, exp_b, format.exp);
    let back = sub_low(g, exp_b, exp_a, format.exp);
    let (odd_a, odd_b) = (g.bit(exp_a, 0), g.bit(exp_b, 0));
    let exponents = Exponents {
        distance: g.mux(swap, back, forward),
        odd: g.xor(odd_a, odd_b),
    };
    let special = large.is_special(g);
    let exp = g.mux(swap, exp_b, exp_a);
    let bit = g.bit(exp, 0);
    let bit = and_not(g, bit, special);
    let operands = Ordered {
        large,
        small,
        subtract,
        special,
        exp: with_low_bit(g, exp, bit),
    };
    (operands, exponents)
}

/// `cond ? x : y`, field by field.
fn select(g: &mut Graph, cond: NodeId, x: &Unpacked, y: &Unpacked) -> Unpacked {
    Unpacked {
        sign: g.mux(cond, x.sign, y.sign),
        exp: g.mux(cond, x.exp, y.exp),
        frac: g.mux(cond, x.frac, y.frac),
        tiny: g.mux(cond, x.tiny, y.tiny),
    }
}

/// The sum where its leading bit is one of the three highest places, rounded.
fn far(g: &mut Graph, format: FloatFormat, operands: &Ordered, distance: NodeId) -> NodeId {
    let nan = is_nan(g, operands);
    let sum = sum(g, format, operands, distance);
    let width = g.width(sum);
    let (carry, hidden) = (g.bit(sum, width - 1), g.bit(sum, width - 2));
    let last = g.constant((1 << format.exp) - 2);
    let last = g.icmp(Predicate::Eq, operands.exp, last);
    let special = g.and(carry, last);
    // Without the hidden bit, a sum of subnormals stays one; a difference has exponents that allow one place more.
    let add = g.not(operands.subtract);
    let one = g.or(hidden, add);
    let [by_one, by_two] = [1, 2].map(|places| {
        let kept = low(g, sum, width - places);
        let shifted = pad_low(g, kept, places);
        let places = g.constant(places);
        (shifted, sub_low(g, operands.exp, places, format.exp))
    });
    let normal = g.mux(one, by_one.0, by_two.0);
    let normal = g.mux(carry, sum, normal);
    let exp = g.mux(one, by_one.1, by_two.1);
    let value = Unrounded {
        sign: operands.large.sign,
        exp: g.mux(carry, operands.exp, exp),
        bump: g.bit(normal, width - 1),
        tail: low(g, normal, width - 1),
        special: Some(special),
        nan: Some(nan),
    };
    round(g, format, value)
}

/// A result, where it is one.
struct Near {
    bits: NodeId,
    valid: NodeId,
}

/// The difference of operands at most one binade apart, where it is below the larger one's binade: exact.
fn near(g: &mut Graph, format: FloatFormat, operands: &Ordered, exponents: &Exponents) -> Near {
    let width = format.frac + 2;
    let large = operands.large.significand(g);
    let large = pad_low(g, large, 1);
    let small = operands.small.significand(g);
    let zero = zeros(g, 1);
    let (whole, halved) = (g.concat(&[small, zero]), g.concat(&[zero, small]));
    let small = g.mux(exponents.odd, halved, whole);
    let difference = sub_low(g, large, small, width);
    let cancelled = g.bit(difference, width - 1);
    let cancelled = g.not(cancelled);
    let grouped = Grouped::new(g, difference);
    let zero = grouped.is_zero(g);
    let one = g.constant(1);
    let limit = sub_low(g, operands.exp, one, format.exp);
    let (normal, amount) = normalise(g, grouped, bit_length(width - 1), Some(limit));
    let amount = amount.expect("there are at least two bits");
    // Not normalised as far as the limit goes, it is a subnormal number or zero.
    let field = sub_low(g, operands.exp, amount, format.exp);
    let hidden = g.bit(normal, width - 1);
    let field = gate(g, field, hidden);
    let frac = g.extract(normal, 1, format.frac);
    let sign = and_not(g, operands.large.sign, zero);
    let far = g.extract(exponents.distance, 1, format.exp - 1);
    let close = none(g, far);
    let valid = g.and(operands.subtract, cancelled);
    let valid = g.and(valid, close);
    Near {
        bits: g.concat(&[sign, field, frac]),
        valid: and_not(g, valid, operands.special),
    }
}
