//! Remainder with the dividend's sign, exact (C's `fmod`): long division that keeps only the remainder.
//!
//! The dividend's significand, shifted left by the difference of the exponents, is an integer in units of the
//! divisor's last place. Its bits enter a restoring division (Parhami, Computer Arithmetic, section 13.1) one
//! a step: as many steps as the significand has bits and the exponents differ by.

use super::bits::{Grouped, and_not, any, bit_length, gate, low, normalise, pad_low, sub_low};
use super::compare::or_canonical_nan;
use super::finish::finish;
use super::unpack::{Unpacked, input, is_nan, unpack};
use crate::hwarith::graph::{Graph, NodeId};
use crate::hwarith::types::HwType;
use crate::ir::FloatFormat;

/// `a % b` of two bit patterns `ui<width>`: `a - b * trunc(a / b)`, not rounded.
pub fn modulo(format: FloatFormat) -> Graph {
    let mut g = Graph::new();
    let (a_bits, b_bits) = (input(&mut g, format, 0), input(&mut g, format, 1));
    let (nan_a, nan_b) = (
        is_nan(&mut g, format, a_bits),
        is_nan(&mut g, format, b_bits),
    );
    let a = unpack(&mut g, format, a_bits);
    let b = unpack(&mut g, format, b_bits);
    let (a_exp, b_exp) = (a.effective_exp(&mut g), b.effective_exp(&mut g));
    let distance = g.sub(a_exp, b_exp);
    let sign = g.width(distance) - 1;
    let smaller = g.bit(distance, sign);
    let remainder = remainder(&mut g, format, &a, &b, distance);
    let magnitude = pack(&mut g, format, remainder, b_exp);
    let computed = g.concat(&[a.sign, magnitude]);
    // Of operands with exponents in this order the dividend has the smaller magnitude.
    let infinite_b = b.is_special(&mut g);
    let unchanged = g.or(smaller, infinite_b);
    let result = g.mux(unchanged, a_bits, computed);
    let nan = g.or(nan_a, nan_b);
    let infinite_a = a.is_special(&mut g);
    let b_magnitude = low(&mut g, b_bits, format.width() - 1);
    let b_nonzero = any(&mut g, b_magnitude);
    let invalid = and_not(&mut g, b_nonzero, infinite_a);
    let invalid = g.not(invalid);
    let nan = g.or(nan, invalid);
    let result = or_canonical_nan(&mut g, format, result, nan);
    finish(&g, result)
}

/// Most steps: the significand's bits and the largest difference of exponents.
fn most_steps(format: FloatFormat) -> u32 {
    format.frac + (1 << format.exp) - 2
}

/// The remainder of the significands, that of `a` shifted left by `distance`, if that is not negative.
fn remainder(
    g: &mut Graph,
    format: FloatFormat,
    a: &Unpacked,
    b: &Unpacked,
    distance: NodeId,
) -> NodeId {
    let precision = format.frac + 1;
    let counter = bit_length(most_steps(format)) + 1;
    // Counts up to zero; its top bit says that there is something left to do.
    let start = g.constant(-i64::from(precision));
    let count = g.sub(start, distance);
    let count = low_signed(g, count, counter);
    let zero = g.constant(0);
    let none = g.cast(zero, HwType::ui(precision));
    let dividend = a.significand(g);
    let divisor = b.significand(g);
    let state = g.concat(&[none, dividend, count]);
    let step = step(precision, counter);
    let state = g.iterate(step, most_steps(format), &[state, divisor]);
    let remainder = g.extract(state, precision + counter, precision);
    g.name(remainder, "remainder");
    remainder
}

/// The low `width` bits of a signed value, which may have fewer.
fn low_signed(g: &mut Graph, value: NodeId, width: u32) -> NodeId {
    let wide = g.cast(value, HwType::si(width.max(g.width(value))));
    low(g, wide, width)
}

/// The state: remainder, what is left of the dividend, counter. After the last step it changes no more, except for the
/// dividend's zeros.
fn step(precision: u32, counter: u32) -> Graph {
    let mut g = Graph::new();
    let state = g.input(0, HwType::ui(2 * precision + counter));
    let divisor = g.input(1, HwType::ui(precision));
    let remainder = g.extract(state, precision + counter, precision);
    let dividend = g.extract(state, counter, precision);
    let count = g.extract(state, 0, counter);
    let active = g.bit(count, counter - 1);
    let next = g.bit(dividend, precision - 1);
    let shifted = g.concat(&[remainder, next]);
    let difference = g.sub(shifted, divisor);
    let sign = g.width(difference) - 1;
    let less = g.bit(difference, sign);
    let kept = g.mux(less, shifted, difference);
    let kept = low(&mut g, kept, precision);
    let remainder = g.mux(active, kept, remainder);
    let dividend = low(&mut g, dividend, precision - 1);
    let dividend = pad_low(&mut g, dividend, 1);
    let count = g.add(count, active);
    let count = low(&mut g, count, counter);
    let state = g.concat(&[remainder, dividend, count]);
    g.outputs.push(state);
    g
}

/// Exponent field and fraction of a remainder in units of the last place of exponent field `exp`.
fn pack(g: &mut Graph, format: FloatFormat, remainder: NodeId, exp: NodeId) -> NodeId {
    let grouped = Grouped::new(g, remainder);
    let zero = grouped.is_zero(g);
    let nonzero = g.not(zero);
    let one = g.constant(1);
    let limit = sub_low(g, exp, one, format.exp);
    let limit = gate(g, limit, nonzero);
    let levels = bit_length(format.frac);
    let (normal, amount) = normalise(g, grouped, levels, Some(limit));
    let amount = amount.expect("a significand has at least two bits");
    let field = sub_low(g, limit, amount, format.exp);
    let hidden = g.bit(normal, format.frac);
    let field = g.add(field, hidden);
    let field = low(g, field, format.exp);
    let frac = low(g, normal, format.frac);
    g.concat(&[field, frac])
}
