//! Rounding to an integral float: floor and ceil.
//!
//! IEEE 754-2019, section 5.9. The integral neighbour away from zero is reached by filling the fraction
//! below the point with ones and adding one at the bottom: the carry takes care of the exponent.

use super::bits::{all, any, bit_length, gate, low, saturate, shift_right};
use super::compare::or_canonical_nan;
use super::finish::finish;
use super::unpack::{Unpacked, input, unpack};
use crate::hwarith::graph::{Graph, NodeId};
use crate::ir::FloatFormat;
use num_bigint::BigInt;
use num_traits::One;

/// Largest integral float not above a bit pattern `ui<width>`.
pub fn floor(format: FloatFormat) -> Graph {
    to_integral(format, false)
}

/// Smallest integral float not below a bit pattern `ui<width>`.
pub fn ceil(format: FloatFormat) -> Graph {
    to_integral(format, true)
}

fn to_integral(format: FloatFormat, up: bool) -> Graph {
    let mut g = Graph::new();
    let bits = input(&mut g, format, 0);
    let x = unpack(&mut g, format, bits);
    let magnitude = low(&mut g, bits, format.width() - 1);
    let range = Range::of(&mut g, format, &x);
    let directed = if up { g.not(x.sign) } else { x.sign };
    let large = from_one_up(&mut g, format, &range, magnitude, directed);
    let small = below_one(&mut g, format, magnitude, directed);
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
    magnitude: NodeId,
    directed: NodeId,
) -> NodeId {
    let ones = g.constant((BigInt::one() << format.frac) - 1);
    let amount = saturate(g, range.integer_bits, bit_length(format.frac));
    let mask = shift_right(g, ones, amount);
    let frac = low(g, magnitude, format.frac);
    let lost = g.and(frac, mask);
    let inexact = any(g, lost);
    let away = g.and(inexact, directed);
    let fill = gate(g, mask, away);
    let kept = g.not(mask);
    let kept = g.and(frac, kept);
    let frac = g.or(kept, fill);
    let exp = g.extract(magnitude, format.frac, format.exp);
    let base = g.concat(&[exp, frac]);
    let sum = g.add(base, away);
    low(g, sum, format.width() - 1)
}

/// 0 or 1.
fn below_one(g: &mut Graph, format: FloatFormat, magnitude: NodeId, directed: NodeId) -> NodeId {
    let nonzero = any(g, magnitude);
    let away = g.and(nonzero, directed);
    let one = g.constant(((BigInt::one() << (format.exp - 1)) - 1) << format.frac);
    gate(g, one, away)
}
