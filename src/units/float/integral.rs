//! Rounding to an integral float.
//!
//! IEEE 754-2019, section 5.9. The integral neighbour away from zero is reached by filling the fraction
//! below the point with ones and adding one at the bottom: the carry takes care of the exponent.

use super::bits::{all, and_not, any, bit_length, gate, low, saturate, shift_right};
use super::compare::or_canonical_nan;
use super::finish::finish;
use super::round::Cut;
use super::unpack::{Unpacked, input, unpack};
use crate::hwarith::graph::{Graph, NodeId};
use crate::ir::{FloatFormat, Rounding};
use num_bigint::BigInt;
use num_traits::One;

/// The integral float that a bit pattern `ui<width>` is rounded to.
pub fn to_integral(format: FloatFormat, rounding: Rounding) -> Graph {
    let mut g = Graph::new();
    let bits = input(&mut g, format, 0);
    let x = unpack(&mut g, format, bits);
    let magnitude = low(&mut g, bits, format.width() - 1);
    let range = Range::of(&mut g, format, &x);
    let large = from_one_up(&mut g, format, &range, &x, rounding);
    let small = below_one(&mut g, format, &x, magnitude, rounding);
    let result = g.mux(range.one_or_more, large, small);
    let result = g.concat(&[x.sign, result]);
    let payload = any(&mut g, x.frac);
    let top = x.is_special(&mut g);
    let nan = g.and(top, payload);
    let result = or_canonical_nan(&mut g, format, result, nan);
    finish(&g, result)
}

/// Where the point is.
struct Range {
    /// The magnitude is at least 1.
    one_or_more: NodeId,
    /// Fraction bits above the point if the magnitude is at least 1.
    integer_bits: NodeId,
}

impl Range {
    /// The bias is all ones below a zero, so the exponent is `field + 1 - 2^(exp-1)`.
    fn of(g: &mut Graph, format: FloatFormat, x: &Unpacked) -> Range {
        let top = g.bit(x.exp, format.exp - 1);
        let rest = low(g, x.exp, format.exp - 1);
        let ones = all(g, rest);
        let one_or_more = g.or(top, ones);
        let one = g.constant(1);
        let next = g.add(rest, one);
        // From 2 up it is `rest + 1`, which needs its carry; from 1 to 2 it is 0.
        let integer_bits = gate(g, next, top);
        Range {
            one_or_more,
            integer_bits,
        }
    }
}

/// The fraction below the point cleared, or carried away from zero.
fn from_one_up(
    g: &mut Graph,
    format: FloatFormat,
    range: &Range,
    x: &Unpacked,
    rounding: Rounding,
) -> NodeId {
    let ones = g.constant((BigInt::one() << format.frac) - 1);
    let amount = saturate(g, range.integer_bits, bit_length(format.frac));
    let mask = shift_right(g, ones, amount);
    let cut = cut_below(g, format, x, mask);
    let kept = g.not(mask);
    let kept = g.and(x.frac, kept);
    let base = g.concat(&[x.exp, kept]);
    let Some(away) = cut.is_away(g, rounding) else {
        return base;
    };
    let fill = gate(g, mask, away);
    let frac = g.or(kept, fill);
    let base = g.concat(&[x.exp, frac]);
    let sum = g.add(base, away);
    low(g, sum, format.width() - 1)
}

/// A number from 1 up, cut off at the point: `mask` has ones at the places of the fraction that are below it.
fn cut_below(g: &mut Graph, format: FloatFormat, x: &Unpacked, mask: NodeId) -> Cut {
    let one = g.constant(1);
    let bit = |g: &mut Graph, value: NodeId, places: NodeId| {
        let found = g.and(value, places);
        any(g, found)
    };
    // The place above the point, and the one below.
    let not_below = g.not(mask);
    let above = g.concat(&[mask, one]);
    let not_below = g.concat(&[one, not_below]);
    let above = g.and(above, not_below);
    let significand = g.concat(&[one, x.frac]);
    let rest = match format.frac {
        1 => g.constant(0),
        frac => g.extract(mask, 1, frac - 1),
    };
    let not_rest = g.not(rest);
    let first = match format.frac {
        1 => mask,
        _ => {
            let not_rest = g.concat(&[one, not_rest]);
            g.and(mask, not_rest)
        }
    };
    Cut {
        sign: x.sign,
        odd: bit(g, significand, above),
        half: bit(g, x.frac, first),
        more: Some(bit(g, x.frac, rest)),
        inexact: bit(g, x.frac, mask),
    }
}

/// 0 or 1.
fn below_one(
    g: &mut Graph,
    format: FloatFormat,
    x: &Unpacked,
    magnitude: NodeId,
    rounding: Rounding,
) -> NodeId {
    let nonzero = any(g, magnitude);
    let fraction = any(g, x.frac);
    // The exponent field of one half is `2^(exp-1) - 2`, unless that is the one of subnormals.
    let (half, rest) = match format.exp {
        2 => {
            let rest = match format.frac {
                1 => g.constant(0),
                frac => low(g, x.frac, frac - 1),
            };
            (g.bit(x.frac, format.frac - 1), any(g, rest))
        }
        exp => {
            let upper = g.extract(x.exp, 1, exp - 2);
            let upper = all(g, upper);
            let lowest = g.bit(x.exp, 0);
            (and_not(g, upper, lowest), fraction)
        }
    };
    let less = and_not(g, nonzero, half);
    let cut = Cut {
        sign: x.sign,
        odd: g.constant(0),
        half,
        more: Some(g.or(rest, less)),
        inexact: nonzero,
    };
    let one = g.constant(((BigInt::one() << (format.exp - 1)) - 1) << format.frac);
    match cut.is_away(g, rounding) {
        Some(away) => gate(g, one, away),
        None => g.constant(0),
    }
}
