//! Conversions between floats and integers.
//!
//! Muller et al., Handbook of Floating-Point Arithmetic, 2nd ed., section 3.7 (conversions), with the
//! language's rules: overflow to infinity, saturation, NaN to 0.

use super::bits::{
    Grouped, all, and_not, any, bit_length, gate, low, normalise, pad_low, repeat, resize_sticky,
    shift_right,
};
use super::finish::finish;
use super::round::{Unrounded, round};
use super::unpack::{Unpacked, input, unpack};
use crate::hwarith::graph::{Graph, NodeId, Predicate};
use crate::hwarith::types::HwType;
use crate::ir::FloatFormat;
use num_bigint::BigInt;
use num_traits::One;

/// The nearest float (ties to even, overflow to infinity) of an integer of type `src`, whose bit pattern
/// `ui<src.width>` is the input. The output is a bit pattern of the format.
pub fn from_int(src: HwType, format: FloatFormat) -> Graph {
    let mut g = Graph::new();
    let bits = g.input(0, HwType::ui(src.width));
    let result = int_into_float(&mut g, src, format, bits);
    finish(&g, result)
}

/// [`from_int`] of a node.
pub(super) fn int_into_float(
    g: &mut Graph,
    src: HwType,
    format: FloatFormat,
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
    round(g, format, value)
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
    let result = float_into_int(&mut g, format, dst, x);
    finish(&g, result)
}

/// [`to_int`] of a node.
pub(super) fn float_into_int(
    g: &mut Graph,
    format: FloatFormat,
    dst: HwType,
    bits: NodeId,
) -> NodeId {
    let x = unpack(g, format, bits);
    let class = classify(g, format, &x);
    let bits = dst.width - u32::from(dst.signed);
    if bits == 0 {
        // si1: -1 or 0.
        and_not(g, x.sign, class.zero)
    } else {
        let magnitude = truncate(g, format, &x, bits);
        apply_sign(g, dst, &x, &class, magnitude)
    }
}

/// Classes of floats that do not become integers by shifting.
struct Class {
    /// Below 1 in magnitude, or NaN: becomes 0.
    zero: NodeId,
    /// Infinite or NaN.
    special: NodeId,
}

fn classify(g: &mut Graph, format: FloatFormat, x: &Unpacked) -> Class {
    let special = x.is_special(g);
    let payload = any(g, x.frac);
    let nan = g.and(special, payload);
    // The bias is all ones below a zero: fields from it on are 1 or more.
    let top = g.bit(x.exp, format.exp - 1);
    let rest = low(g, x.exp, format.exp - 1);
    let rest = all(g, rest);
    let one_or_more = g.or(top, rest);
    let below_one = g.not(one_or_more);
    let zero = g.or(below_one, nan);
    Class { zero, special }
}

/// The magnitude, if its integer part has at most `bits` bits.
struct Magnitude {
    value: NodeId,
    /// The integer part has more bits, or the float is special.
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
        g.extract(significand, width - bits, bits)
    };
    let bias = (BigInt::one() << (format.exp - 1)) - 1;
    let highest = g.constant(bias + bits - 1);
    let lacking = g.sub(highest, x.exp);
    let overflow = g.bit(lacking, g.width(lacking) - 1);
    let levels = bit_length(bits - 1).min(g.width(lacking) - 1);
    let value = if levels == 0 {
        value
    } else {
        let amount = low(g, lacking, levels);
        shift_right(g, value, amount)
    };
    Magnitude { value, overflow }
}

/// Saturates and negates. The least signed integer is the complement of the saturated magnitude, so that
/// saturation only has to leave out the increment.
fn apply_sign(
    g: &mut Graph,
    dst: HwType,
    x: &Unpacked,
    class: &Class,
    magnitude: Magnitude,
) -> NodeId {
    let width = g.width(magnitude.value);
    let saturate = g.or(magnitude.overflow, class.special);
    let ones = repeat(g, saturate, width);
    let value = g.or(magnitude.value, ones);
    let kept = g.not(class.zero);
    if !dst.signed {
        let kept = and_not(g, kept, x.sign);
        return gate(g, value, kept);
    }
    let value = gate(g, value, kept);
    let negate = g.and(kept, x.sign);
    let mask = repeat(g, negate, width);
    let flipped = g.xor(value, mask);
    let flipped = g.concat(&[negate, flipped]);
    let increment = and_not(g, negate, saturate);
    let sum = g.add(flipped, increment);
    low(g, sum, dst.width)
}
