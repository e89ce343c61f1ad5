//! Conversions between float formats.
//!
//! Muller et al., Handbook of Floating-Point Arithmetic, 2nd ed., section 3.7 and 8.2: a wider exponent
//! range normalises subnormals, a narrower one makes them; both round once.

use super::bits::{
    Grouped, all, and_not, any, bit_length, gate, high, low, normalise, repeat, resize_sticky,
    shift_right_sticky,
};
use super::finish::finish;
use super::round::{Unrounded, round};
use super::unpack::{Unpacked, input, unpack};
use crate::hwarith::graph::{Graph, NodeId};
use crate::hwarith::types::HwType;
use crate::ir::FloatFormat;
use num_bigint::BigInt;
use num_traits::One;

/// The nearest float of format `to` (ties to even, overflow to infinity, canonical NaN) of a bit pattern
/// of format `from`.
pub fn convert(from: FloatFormat, to: FloatFormat) -> Graph {
    let mut g = Graph::new();
    let x = input(&mut g, from, 0);
    let x = unpack(&mut g, from, x);
    let payload = any(&mut g, x.frac);
    let top = x.is_special(&mut g);
    let nan = g.and(top, payload);
    let scaled = if to.exp > from.exp {
        widen(&mut g, from, to, &x, top)
    } else {
        narrow(&mut g, from, to, &x)
    };
    let finite = g.not(scaled.special);
    let exp_ones = repeat(&mut g, scaled.special, to.exp);
    let hidden = g.bit(scaled.significand, g.width(scaled.significand) - 1);
    let below = g.width(scaled.significand) - 1;
    let value = Unrounded {
        sign: x.sign,
        exp: g.or(scaled.exp, exp_ones),
        bump: g.and(hidden, finite),
        tail: low(&mut g, scaled.significand, below),
        special: Some(scaled.special),
        nan: Some(nan),
    };
    let result = round(&mut g, to, value);
    finish(&g, result)
}

/// The number in the exponent range of the result.
struct Scaled {
    /// Exponent field less one, `ui<to.exp>`; 0 for subnormals and zero.
    exp: NodeId,
    /// Hidden bit, fraction, and if not all fits guard and sticky.
    significand: NodeId,
    /// Infinite (by overflow too) or NaN.
    special: NodeId,
}

/// Bits of the significand that matter to the result.
fn kept_width(from: FloatFormat, to: FloatFormat) -> u32 {
    (from.frac + 1).clamp(to.frac + 1, to.frac + 3)
}

fn bias(format: FloatFormat) -> BigInt {
    (BigInt::one() << (format.exp - 1)) - 1
}

/// More exponent bits: subnormals become normal as far as the new range goes.
fn widen(
    g: &mut Graph,
    from: FloatFormat,
    to: FloatFormat,
    x: &Unpacked,
    special: NodeId,
) -> Scaled {
    let offset = bias(to) - bias(from);
    let significand = x.significand(g);
    let grouped = Grouped::new(g, significand);
    let zero = grouped.is_zero(g);
    let nonzero = g.not(zero);
    // The field less one, before normalising: at least 0.
    let exp = x.effective_exp(g);
    let rebias = g.constant(&offset - 1);
    let exp = g.add(exp, rebias);
    let exp = g.cast(exp, HwType::ui(to.exp));
    let exp = gate(g, exp, nonzero);
    let reaches_all = offset >= BigInt::from(from.frac);
    let limit = (!reaches_all).then_some(exp);
    let (normal, amount) = normalise(g, grouped, bit_length(from.frac), limit);
    let amount = amount.expect("a fraction has a bit");
    // Without a limit the amount of a zero is as large as it can be.
    let amount = if reaches_all {
        gate(g, amount, nonzero)
    } else {
        amount
    };
    let exp = g.sub(exp, amount);
    Scaled {
        exp: low(g, exp, to.exp),
        significand: resize_sticky(g, normal, kept_width(from, to)),
        special,
    }
}

/// As many exponent bits or fewer: small numbers become subnormal, large ones overflow.
fn narrow(g: &mut Graph, from: FloatFormat, to: FloatFormat, x: &Unpacked) -> Scaled {
    // The new field less one is `exp - offset`, where `offset` is at least 1.
    let offset = g.constant(bias(from) - bias(to) + 1);
    let exp = x.effective_exp(g);
    let field = g.sub(exp, offset);
    let sign = g.width(field) - 1;
    let small = g.bit(field, sign);
    let large = is_beyond(g, to, field);
    let special = and_not(g, large, small);
    let significand = x.significand(g);
    let mut significand = resize_sticky(g, significand, kept_width(from, to));
    let mut kept = low(g, field, to.exp);
    if from.exp > to.exp {
        let needs_guard = g.width(significand) < to.frac + 3;
        if needs_guard {
            significand = resize_sticky(g, significand, to.frac + 3);
        }
        let right = g.sub(offset, exp);
        let right = low(g, right, sign);
        let right = gate(g, right, small);
        significand = shift_right_sticky(g, significand, right);
        let normal = g.not(small);
        kept = gate(g, kept, normal);
    }
    Scaled {
        exp: kept,
        significand,
        special,
    }
}

/// Whether `field`, not negative, is at least `2^exp - 2`: one less than infinity's exponent field.
fn is_beyond(g: &mut Graph, to: FloatFormat, field: NodeId) -> NodeId {
    let bits = g.width(field) - 1;
    let magnitude = low(g, field, bits);
    let inner = g.extract(magnitude, 1, to.exp - 1);
    let last = all(g, inner);
    if bits == to.exp {
        return last;
    }
    let over = high(g, magnitude, bits - to.exp);
    let over = any(g, over);
    g.or(over, last)
}
