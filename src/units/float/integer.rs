//! Conversions from and to integers.
//!
//! Muller et al., Handbook of Floating-Point Arithmetic, 2nd ed., section 3.7 (conversions), with the
//! language's rules: overflow to infinity, saturation, NaN to 0.

use super::bits::{
    Grouped, all, and_not, any, bit_length, gate, high, low, normalise, pad_low, repeat,
    resize_sticky, shift_right, shift_right_sticky,
};
use super::convert::{Class, limit};
use super::finish::finish;
use super::round::{Cut, Unrounded, round_by};
use super::unpack::{Unpacked, input, unpack};
use crate::hwarith::graph::{Graph, NodeId, Predicate};
use crate::hwarith::types::HwType;
use crate::ir::{Conversion, FloatFormat, Overflow, Rounding};
use num_bigint::BigInt;
use num_traits::One;

/// The nearest float (ties to even, overflow to infinity) of an integer of type `src`, whose bit pattern
/// `ui<src.width>` is the input. The output is a bit pattern of the format.
pub fn from_int(src: HwType, format: FloatFormat) -> Graph {
    let mut g = Graph::new();
    let bits = g.input(0, HwType::ui(src.width));
    let how = Conversion::of_cast(format.into());
    let result = int_into_float(&mut g, src, format, how, bits);
    finish(&g, result)
}

/// [`from_int`] of a node, by a conversion.
pub(super) fn int_into_float(
    g: &mut Graph,
    src: HwType,
    format: FloatFormat,
    how: Conversion,
    bits: NodeId,
) -> NodeId {
    let (sign, magnitude) = magnitude(g, src, bits);
    let grouped = Grouped::new(g, magnitude);
    let (normal, zeros) = normalise(g, grouped, bit_length(src.width - 1), None);
    let nonzero = g.bit(normal, src.width - 1);
    let (exp, special) = exp_of_int(g, src, format, zeros, nonzero);
    let none = g.constant(0);
    let value = Unrounded {
        sign,
        exp,
        bump: none,
        tail: tail_of_int(g, format, normal),
        special,
        nan: None,
    };
    let rounded = round_by(g, format, how.rounding, value);
    if special.is_none() && how.overflow != Overflow::Saturate {
        return rounded;
    }
    let class = Class {
        sign,
        special: none,
        nan: none,
    };
    limit(g, format, how, rounded, special.unwrap_or(none), class)
}

/// Sign and magnitude, the latter in the source's width.
fn magnitude(g: &mut Graph, src: HwType, bits: NodeId) -> (NodeId, NodeId) {
    if !src.signed {
        return (g.constant(0), bits);
    }
    let sign = g.bit(bits, src.width - 1);
    let mask = repeat(g, sign, src.width);
    let flipped = g.xor(bits, mask);
    let sum = g.add(flipped, sign);
    (sign, low(g, sum, src.width))
}

/// What follows the leading one, at least the fraction, with guard and sticky if there is more.
fn tail_of_int(g: &mut Graph, format: FloatFormat, normal: NodeId) -> NodeId {
    let below = g.width(normal) - 1;
    if below == 0 {
        let none = g.constant(0);
        return g.cast(none, HwType::ui(format.frac));
    }
    let tail = low(g, normal, below);
    if below <= format.frac {
        pad_low(g, tail, format.frac - below)
    } else {
        let width = below.min(format.frac + 2);
        resize_sticky(g, tail, width)
    }
}

/// Exponent field of a number whose leading one has `zeros` zeros above it, 0 for zero; and whether it is
/// too large for the format, if that is possible.
fn exp_of_int(
    g: &mut Graph,
    src: HwType,
    format: FloatFormat,
    zeros: Option<NodeId>,
    nonzero: NodeId,
) -> (NodeId, Option<NodeId>) {
    let most = (1u32 << (format.exp - 1)) - 1 + (src.width - 1);
    let top = g.constant(most);
    let exp = match zeros {
        None => top,
        // Never negative for a nonzero integer: it has fewer zeros than bits.
        Some(zeros) => {
            let exp = g.sub(top, zeros);
            low(g, exp, bit_length(most))
        }
    };
    let exp = gate(g, exp, nonzero);
    let infinity = (1u32 << format.exp) - 1;
    if most < infinity {
        return (g.cast(exp, HwType::ui(format.exp)), None);
    }
    let limit = g.constant(infinity);
    let overflow = g.icmp(Predicate::Ge, exp, limit);
    let ones = repeat(g, overflow, format.exp);
    let exp = low(g, exp, format.exp);
    (g.or(exp, ones), Some(overflow))
}

/// The integer of type `dst` (as its bit pattern `ui<dst.width>`) that a float's bit pattern truncates to:
/// toward zero, saturating, NaN to 0.
pub fn to_int(format: FloatFormat, dst: HwType) -> Graph {
    let mut g = Graph::new();
    let x = input(&mut g, format, 0);
    let result = float_into_int(&mut g, format, dst, Rounding::Zero, x);
    finish(&g, result)
}

/// [`to_int`] of a node, in a way of rounding.
pub(super) fn float_into_int(
    g: &mut Graph,
    format: FloatFormat,
    dst: HwType,
    rounding: Rounding,
    bits: NodeId,
) -> NodeId {
    if dst == HwType::si(1) {
        // Either is negative where the other is.
        let wider = float_into_int(g, format, HwType::si(2), rounding, bits);
        return g.bit(wider, 1);
    }
    let x = unpack(g, format, bits);
    let magnitude_bits = dst.width - u32::from(dst.signed);
    let magnitude = match rounding {
        Rounding::Zero => truncate(g, format, &x, magnitude_bits),
        _ => round_magnitude(g, format, &x, magnitude_bits, rounding),
    };
    apply_sign(g, dst, &x, magnitude)
}

/// The magnitude of a float as an integer, as far as it fits.
struct Magnitude {
    /// Cut off below 1.
    value: NodeId,
    /// To be increased by 1 for its rounding; never, if it is left out.
    away: Option<NodeId>,
    /// The float becomes 0 whatever the others say.
    zero: NodeId,
    /// The integer part has more bits, or the float is infinite.
    overflow: NodeId,
}

/// The significand's leading bits at the top of `bits` bits, shifted right by what the exponent lacks.
fn truncate(g: &mut Graph, format: FloatFormat, x: &Unpacked, bits: u32) -> Magnitude {
    let one = g.constant(1);
    let significand = g.concat(&[one, x.frac]);
    let width = format.frac + 1;
    let value = if width < bits {
        pad_low(g, significand, bits - width)
    } else {
        high(g, significand, bits)
    };
    let lacking = lacking(g, format, x.exp, bits);
    let levels = bit_length(bits - 1).min(g.width(lacking) - 1);
    let value = if levels == 0 {
        value
    } else {
        let amount = low(g, lacking, levels);
        shift_right(g, value, amount)
    };
    // The bias is all ones below a zero: fields from it on are 1 or more.
    let top = g.bit(x.exp, format.exp - 1);
    let rest = low(g, x.exp, format.exp - 1);
    let rest = all(g, rest);
    let one_or_more = g.or(top, rest);
    let below_one = g.not(one_or_more);
    let (special, nan) = is_special_or_nan(g, x);
    let overflow = g.bit(lacking, g.width(lacking) - 1);
    Magnitude {
        value,
        away: None,
        zero: g.or(below_one, nan),
        overflow: g.or(overflow, special),
    }
}

/// The same with two places more, of which the lowest is sticky.
fn round_magnitude(
    g: &mut Graph,
    format: FloatFormat,
    x: &Unpacked,
    bits: u32,
    rounding: Rounding,
) -> Magnitude {
    let significand = x.significand(g);
    let value = resize_sticky(g, significand, bits + 2);
    let exp = x.effective_exp(g);
    let lacking = lacking(g, format, exp, bits);
    let amount = low(g, lacking, g.width(lacking) - 1);
    let shifted = shift_right_sticky(g, value, amount);
    let cut = Cut::at(g, x.sign, shifted, 2);
    let (special, nan) = is_special_or_nan(g, x);
    let overflow = g.bit(lacking, g.width(lacking) - 1);
    Magnitude {
        value: high(g, shifted, bits),
        away: cut.is_away(g, rounding),
        zero: nan,
        overflow: g.or(overflow, special),
    }
}

/// How far the exponent is from that of numbers whose integer part has `bits` bits; negative if it is larger.
fn lacking(g: &mut Graph, format: FloatFormat, exp: NodeId, bits: u32) -> NodeId {
    let bias = (BigInt::one() << (format.exp - 1)) - 1;
    let highest = g.constant(bias + bits - 1);
    g.sub(highest, exp)
}

fn is_special_or_nan(g: &mut Graph, x: &Unpacked) -> (NodeId, NodeId) {
    let special = x.is_special(g);
    let payload = any(g, x.frac);
    (special, g.and(special, payload))
}

/// Saturates, rounds and negates, with one addition: the negative of a number is the complement of the one below, and so
/// are the negative of a number that is increased and the least integer the complements of the number and of the largest one.
fn apply_sign(g: &mut Graph, dst: HwType, x: &Unpacked, magnitude: Magnitude) -> NodeId {
    let width = g.width(magnitude.value);
    let ones = repeat(g, magnitude.overflow, width);
    let value = g.or(magnitude.value, ones);
    let kept = g.not(magnitude.zero);
    // Where there is room.
    let up = magnitude.away.map(|away| {
        let full = all(g, value);
        and_not(g, away, full)
    });
    if !dst.signed {
        let value = match up {
            None => value,
            Some(up) => {
                let sum = g.add(value, up);
                low(g, sum, width)
            }
        };
        let kept = and_not(g, kept, x.sign);
        return gate(g, value, kept);
    }
    let value = gate(g, value, kept);
    let negate = g.and(kept, x.sign);
    let mask = repeat(g, negate, width);
    let flipped = g.xor(value, mask);
    let flipped = g.concat(&[negate, flipped]);
    let down = match magnitude.away {
        None => magnitude.overflow,
        Some(away) => g.or(away, magnitude.overflow),
    };
    let negated = and_not(g, negate, down);
    let increment = match up {
        None => negated,
        Some(up) => {
            let up = g.and(up, kept);
            g.mux(negate, negated, up)
        }
    };
    let sum = g.add(flipped, increment);
    low(g, sum, dst.width)
}

/// The low bits of an integer of type `src`, or the limit of `dst` nearest to it.
pub(super) fn int_into_int(
    g: &mut Graph,
    src: HwType,
    dst: HwType,
    is_limited: bool,
    bits: NodeId,
) -> NodeId {
    let mut number = g.cast(bits, src);
    let limits = [(Predicate::Lt, dst.min()), (Predicate::Gt, dst.max())];
    let needed = [src.min() < dst.min(), src.max() > dst.max()];
    for ((beyond, limit), needed) in limits.into_iter().zip(needed) {
        if is_limited && needed {
            let limit = g.constant(limit);
            let is_beyond = g.icmp(beyond, number, limit);
            number = g.mux(is_beyond, limit, number);
        }
    }
    g.cast(number, HwType::ui(dst.width))
}
