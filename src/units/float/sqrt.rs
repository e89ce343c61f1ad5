//! Square root by digit recurrence or by products, with an exact remainder.
//!
//! The recurrence is restoring, radix 2 (Ercegovac and Lang, Digital Arithmetic, 2004, section 6.2): with root Q and remainder R so far,
//! a step takes two more bits of the radicand into R and subtracts 4Q + 1 if it can; the next bit of the root
//! is whether it could. R never exceeds 2Q.

use super::bits::{and_not, any, gate, low, pad_low, repeat, zeros};
use super::finish::finish;
use super::high_radix;
use super::round::{Unrounded, round};
use super::scale::{Classes, Scaled, scale};
use super::unpack::{input, unpack};
use crate::hwarith::graph::{Graph, NodeId};
use crate::hwarith::types::HwType;
use crate::ir::FloatFormat;

/// Square root of a bit pattern `ui<width>`; that of -0 is -0.
pub fn sqrt(format: FloatFormat) -> Graph {
    square_root(format, |g, a, _| by_recurrence(g, a))
}

/// As [`sqrt`], in fewer cycles and lookup tables, with multiplier blocks.
pub fn sqrt_high_radix(format: FloatFormat) -> Graph {
    square_root(format, by_products)
}

/// Of a number `a` in [1, 4), `ui<p + 1>`, a significand of `p` bits or twice that, and the significand: the root, `ui<p + 1>` in
/// [1, 2), rounded down, and whether that is inexact.
type Significands = fn(&mut Graph, NodeId, NodeId) -> (NodeId, NodeId);

fn by_products(g: &mut Graph, a: NodeId, significand: NodeId) -> (NodeId, NodeId) {
    let bits = g.width(significand);
    high_radix::root(g, a, significand, bits).unwrap_or_else(|| by_recurrence(g, a))
}

fn square_root(format: FloatFormat, extract: Significands) -> Graph {
    let mut g = Graph::new();
    let x = input(&mut g, format, 0);
    let x = unpack(&mut g, format, x);
    let payload = any(&mut g, x.frac);
    let top = x.is_special(&mut g);
    let zero = and_not(&mut g, x.tiny, payload);
    let negative = and_not(&mut g, x.sign, zero);
    let quiet = g.and(top, payload);
    let nan = g.or(negative, quiet);
    let classes = Classes {
        nan,
        special: g.or(top, nan),
        zero,
    };
    let (significand, exp) = x.normalised(&mut g);
    // The exponent is made even: an odd one is an even field, as the bias is odd.
    let odd_field = g.bit(exp, 0);
    let doubled = pad_low(&mut g, significand, 1);
    let radicand = g.mux(odd_field, significand, doubled);
    let radicand = g.cast(radicand, HwType::ui(format.frac + 2));
    let (root, inexact) = extract(&mut g, radicand, significand);
    g.name(root, "root");
    let bias = g.constant((1 << (format.exp - 1)) - 1);
    // The bias is odd: half the exponent, rounded down, plus the bias is half of the field plus the bias.
    let sum = g.add(exp, bias);
    let width = g.width(sum);
    let field = g.extract(sum, 1, width - 1);
    let field = g.cast(field, HwType::si(width - 1));
    let result = if format.frac < (1 << (format.exp - 1)) - 1 {
        always_normal(&mut g, format, [x.sign, field, root, inexact], &classes)
    } else {
        let above = g.constant(0);
        let value = Scaled {
            sign: x.sign,
            classes,
            significand: g.concat(&[above, root, inexact]),
            exp: g.add(field, bias),
        };
        scale(&mut g, format, &value)
    };
    finish(&g, result)
}

fn by_recurrence(g: &mut Graph, mut radicand: NodeId) -> (NodeId, NodeId) {
    let digits = g.width(radicand);
    // Whole pairs of bits; all further ones are zeros.
    if digits % 2 == 1 {
        radicand = pad_low(g, radicand, 1);
    }
    let rest = g.width(radicand);
    let nothing = zeros(g, 2 * digits + 1);
    let state = g.concat(&[nothing, radicand]);
    let state = g.iterate(step(digits, rest), digits, &[state]);
    let root = g.extract(state, rest, digits);
    let remainder = g.extract(state, rest + digits, digits + 1);
    (root, any(g, remainder))
}

/// The state: remainder of `digits + 1` bits, root of `digits`, and of `rest` bits what is left of the radicand.
fn step(digits: u32, rest: u32) -> Graph {
    let mut g = Graph::new();
    let state = g.input(0, HwType::ui(2 * digits + 1 + rest));
    let remainder = g.extract(state, rest + digits, digits + 1);
    let root = g.extract(state, rest, digits);
    let next = g.extract(state, rest - 2, 2);
    let shifted = g.concat(&[remainder, next]);
    let (zero, one) = (g.constant(0), g.constant(1));
    let trial = g.concat(&[root, zero, one]);
    let difference = g.sub(shifted, trial);
    let sign = g.width(difference) - 1;
    let less = g.bit(difference, sign);
    let kept = g.mux(less, shifted, difference);
    let kept = low(&mut g, kept, digits + 1);
    let digit = g.not(less);
    let root = low(&mut g, root, digits - 1);
    let two_zeros = zeros(&mut g, 2);
    let mut parts = vec![kept, root, digit];
    if rest > 2 {
        parts.push(low(&mut g, state, rest - 2));
    }
    parts.push(two_zeros);
    let state = g.concat(&parts);
    g.outputs.push(state);
    g
}

/// The result where the root of the least subnormal number is a normal one.
fn always_normal(
    g: &mut Graph,
    format: FloatFormat,
    [sign, field, root, inexact]: [NodeId; 4],
    classes: &Classes,
) -> NodeId {
    let field = low(g, field, format.exp);
    let nonzero = g.not(classes.zero);
    let field = gate(g, field, nonzero);
    let ones = repeat(g, classes.special, format.exp);
    let fraction = low(g, root, format.frac + 1);
    let value = Unrounded {
        sign,
        exp: g.or(field, ones),
        bump: g.constant(0),
        tail: g.concat(&[fraction, inexact]),
        special: Some(classes.special),
        nan: Some(classes.nan),
    };
    round(g, format, value)
}
