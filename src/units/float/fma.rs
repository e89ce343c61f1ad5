//! Fused multiply-add: the exact product and the addend, ordered by exponent, summed and rounded once.
//!
//! Muller et al., Handbook of Floating-Point Arithmetic, 2nd ed., section 8.5. Instead of the three significands'
//! width of the classic design, in which only the addend moves, the term with the smaller exponent is
//! aligned to the other: twice the significand's width and five bits are enough (see [`sum`]). The terms'
//! magnitudes are not ordered; of the two differences the one that is not negative is taken.

use super::bits::{
    Grouped, all, and_not, any, bit_length, gate, high, low, normalise, pad_low, repeat,
    shift_right_sticky, sub_low,
};
use super::finish::finish;
use super::mul::product;
use super::round::{Unrounded, round};
use super::scale::{Classes, Subnormals};
use super::unpack::{Unpacked, input, is_nan, unpack};
use crate::hwarith::graph::{Graph, NodeId};
use crate::ir::FloatFormat;

/// `a * b + c` of three bit patterns `ui<width>`, rounded once.
pub fn fma(format: FloatFormat) -> Graph {
    let mut g = Graph::new();
    let [a, b, c] = [0, 1, 2].map(|i| input(&mut g, format, i));
    let nan_c = is_nan(&mut g, format, c);
    let [a, b, c] = [a, b, c].map(|x| unpack(&mut g, format, x));
    let product_sign = g.xor(a.sign, b.sign);
    let factors = Classes::of_product(&mut g, &a, &b, Subnormals::Keep);
    let terms = terms(&mut g, format, [&a, &b, &c], factors.zero);
    let subtract = g.xor(product_sign, c.sign);
    let (sum, negative) = sum(&mut g, terms.large, terms.small, subtract);
    let special_c = c.is_special(&mut g);
    let specials = Specials {
        nan: nan(&mut g, &factors, subtract, special_c, nan_c),
        any: g.or(factors.special, special_c),
        sign: g.mux(special_c, c.sign, product_sign),
    };
    let sign = g.mux(terms.swap, c.sign, product_sign);
    let sign = g.xor(sign, negative);
    let result = rounded(&mut g, format, sum, terms.exp, sign, subtract, &specials);
    finish(&g, result)
}

/// The two terms, `ui<2 frac + 4>`: two bits above the point, 2 `frac` + 2 below.
struct Terms {
    /// The addend is the larger term.
    swap: NodeId,
    /// The term with the larger exponent (not always the larger one).
    large: NodeId,
    /// The other one, aligned to it.
    small: NodeId,
    /// Exponent field of a `large` in [1, 2); at least 1.
    exp: NodeId,
}

/// A product of zero has no exponent: the addend is then the larger term.
fn terms(
    g: &mut Graph,
    format: FloatFormat,
    [a, b, c]: [&Unpacked; 3],
    product_is_zero: NodeId,
) -> Terms {
    let (product, exp) = product(g, a, b);
    let bias = g.constant((1 << (format.exp - 1)) - 1);
    let c_exp = c.effective_exp(g);
    let biased = g.add(c_exp, bias);
    let distance = g.sub(exp, biased);
    let sign = g.width(distance) - 1;
    let negative = g.bit(distance, sign);
    let swap = g.or(negative, product_is_zero);
    g.name(swap, "swap");
    let back = g.sub(biased, exp);
    let (forward, back) = (low(g, distance, sign), low(g, back, sign));
    let distance = g.mux(swap, back, forward);
    g.name(distance, "distance");
    // Two bits more keep the product whole as long as it can nearly cancel the addend: shifted by one or two.
    let product = pad_low(g, product, 2);
    let addend = c.significand(g);
    let addend = pad_low(g, addend, format.frac + 2);
    let small = g.mux(swap, product, addend);
    let aligned = shift_right_sticky(g, small, distance);
    g.name(aligned, "aligned");
    let exp = g.sub(exp, bias);
    let exp = low(g, exp, format.exp + 1);
    Terms {
        swap,
        large: g.mux(swap, addend, product),
        small: aligned,
        exp: g.mux(swap, c_exp, exp),
    }
}

/// The sum's magnitude, `ui<2 frac + 5>` with three bits above the point, and whether it is `small - large`.
///
/// What is lost in the alignment leaves a sticky bit 2 `frac` + 2 places below the point. Right of the addend, the product
/// loses bits only when it is below 1/2; right of the product, the addend is then below 2^-`frac`. Either
/// way the difference is at least 1/2 (or the result subnormal), so that its rounding position is above the sticky bit.
fn sum(g: &mut Graph, large: NodeId, small: NodeId, subtract: NodeId) -> (NodeId, NodeId) {
    let width = g.width(large);
    let reverse = g.sub(small, large);
    let borrow = g.bit(reverse, width);
    let negative = and_not(g, subtract, borrow);
    let reverse = low(g, reverse, width);
    // A further bit at the bottom makes the two's complement's carry-in part of the one addition.
    let mask = repeat(g, subtract, width);
    let addend = g.xor(small, mask);
    let addend = g.concat(&[addend, subtract]);
    let one = g.constant(1);
    let large = g.concat(&[large, one]);
    let forward = g.add(large, addend);
    let carry = g.bit(forward, width + 1);
    let carry = and_not(g, carry, subtract);
    let forward = g.extract(forward, 1, width);
    let magnitude = g.mux(negative, reverse, forward);
    let sum = g.concat(&[carry, magnitude]);
    g.name(sum, "sum");
    (sum, negative)
}

/// Results that no arithmetic gives.
struct Specials {
    nan: NodeId,
    /// Infinite or NaN.
    any: NodeId,
    /// Of an infinity.
    sign: NodeId,
}

/// A NaN operand, infinity times zero, or infinities of opposite signs.
fn nan(
    g: &mut Graph,
    factors: &Classes,
    subtract: NodeId,
    special_c: NodeId,
    nan_c: NodeId,
) -> NodeId {
    let both = g.and(factors.special, special_c);
    let opposite = g.and(both, subtract);
    let nan = g.or(factors.nan, nan_c);
    g.or(nan, opposite)
}

fn rounded(
    g: &mut Graph,
    format: FloatFormat,
    sum: NodeId,
    exp: NodeId,
    sign: NodeId,
    subtract: NodeId,
    specials: &Specials,
) -> NodeId {
    let width = g.width(sum);
    let grouped = Grouped::new(g, sum);
    let zero = grouped.is_zero(g);
    let nonzero = g.not(zero);
    // The top bit is 4: the field less one is the exponent's and one more, less what is shifted.
    let one = g.constant(1);
    let limit = g.add(exp, one);
    let limit = gate(g, limit, nonzero);
    let (normal, amount) = normalise(g, grouped, bit_length(width - 1), Some(limit));
    let amount = amount.expect("a sum has seven bits");
    g.name(normal, "normalised");
    let field = g.width(limit);
    let field = sub_low(g, limit, amount, field);
    let overflow = reaches_infinity(g, format, field);
    let special = g.or(specials.any, overflow);
    g.name(special, "is_special");
    let finite = g.not(special);
    let ones = repeat(g, special, format.exp);
    let kept = low(g, field, format.exp);
    let hidden = g.bit(normal, width - 1);
    let cancelled = g.and(zero, subtract);
    let sign = and_not(g, sign, cancelled);
    let value = Unrounded {
        sign: g.mux(specials.any, specials.sign, sign),
        exp: g.or(kept, ones),
        bump: g.and(hidden, finite),
        tail: low(g, normal, width - 1),
        special: Some(special),
        nan: Some(specials.nan),
    };
    round(g, format, value)
}

/// Whether a field less one is at least that of infinity.
fn reaches_infinity(g: &mut Graph, format: FloatFormat, field: NodeId) -> NodeId {
    let width = g.width(field);
    let beyond = high(g, field, width - format.exp);
    let beyond = any(g, beyond);
    let rest = g.extract(field, 1, format.exp - 1);
    let last = all(g, rest);
    g.or(beyond, last)
}
