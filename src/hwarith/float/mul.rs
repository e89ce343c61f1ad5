//! Multiplication: a subnormal operand is normalised before the product, a subnormal result after it.
//!
//! Muller et al., Handbook of Floating-Point Arithmetic, 2nd ed., section 8.4 (basic architecture and
//! handling of subnormals).

use super::bits::{
    Grouped, all, and_not, any, bit_length, gate, low, normalise, repeat, resize_sticky, saturate,
    shift_right_sticky,
};
use super::finish::finish;
use super::round::{Unrounded, round};
use super::unpack::{Unpacked, input, unpack};
use crate::hwarith::graph::{Graph, NodeId, Predicate};
use crate::ir::FloatFormat;

/// `a * b` of two bit patterns `ui<width>`.
pub fn mul(format: FloatFormat) -> Graph {
    let mut g = Graph::new();
    let (a, b) = (input(&mut g, format, 0), input(&mut g, format, 1));
    let a = unpack(&mut g, format, a);
    let b = unpack(&mut g, format, b);
    let classes = classify(&mut g, &a, &b);
    let (x, y, exp) = operands(&mut g, format, &a, &b);
    let product = g.mul(x, y);
    g.name(product, "product");
    let sign = g.xor(a.sign, b.sign);
    let result = rounded(&mut g, format, sign, &classes, product, exp);
    finish(&g, result)
}

/// What the operands' classes say about the result.
struct Classes {
    nan: NodeId,
    /// Infinite or NaN.
    special: NodeId,
    /// An operand is zero.
    zero: NodeId,
}

fn classify(g: &mut Graph, a: &Unpacked, b: &Unpacked) -> Classes {
    let [(nan_a, top_a, zero_a), (nan_b, top_b, zero_b)] = [a, b].map(|x| {
        let top = x.is_special(g);
        let payload = any(g, x.frac);
        (g.and(top, payload), top, and_not(g, x.tiny, payload))
    });
    let special = g.or(top_a, top_b);
    let zero = g.or(zero_a, zero_b);
    let nan = g.or(nan_a, nan_b);
    let invalid = g.and(special, zero);
    let nan = g.or(nan, invalid);
    Classes { nan, special, zero }
}

/// Significands and the sum of the exponent fields (signed), one operand normalised.
///
/// If both are subnormal, the product is below the square of the smallest normal number, which is at most
/// 1: the result is subnormal too, and its significand is placed by the exponent, normalised or not.
fn operands(
    g: &mut Graph,
    format: FloatFormat,
    a: &Unpacked,
    b: &Unpacked,
) -> (NodeId, NodeId, NodeId) {
    let (a_sig, b_sig) = (a.significand(g), b.significand(g));
    let x = g.mux(b.tiny, b_sig, a_sig);
    let y = g.mux(b.tiny, a_sig, b_sig);
    let grouped = Grouped::new(g, x);
    let (x, zeros) = normalise(g, grouped, bit_length(format.frac), None);
    g.name(x, "normalised");
    let zeros = zeros.expect("a fraction has a bit");
    let (a_exp, b_exp) = (a.effective_exp(g), b.effective_exp(g));
    let exp = g.add(a_exp, b_exp);
    (x, y, g.sub(exp, zeros))
}

/// Rounds `product`, `ui<2 frac + 2>`. `exp` is signed, the result's exponent field plus the bias if the
/// product is below 2. The bias is 2^(exp-1) - 1.
fn rounded(
    g: &mut Graph,
    format: FloatFormat,
    sign: NodeId,
    classes: &Classes,
    product: NodeId,
    exp: NodeId,
) -> NodeId {
    let two = g.bit(product, 2 * format.frac + 1);
    let scale = scale(g, format, exp);
    let normal = and_not(g, scale.normal, classes.zero);
    let overflow = overflow(g, format, &scale, two);
    let overflow = g.and(overflow, normal);
    let special = g.or(classes.special, overflow);
    g.name(classes.nan, "is_nan");
    g.name(special, "is_special");
    // One place above the hidden bit, guard and sticky.
    let value = resize_sticky(g, product, format.frac + 4);
    // Right by 1 to a product in [2, 4); or as far as a subnormal result needs.
    let right = saturate(g, scale.below, bit_length(format.frac + 3));
    let right = g.mux(normal, two, right);
    let value = shift_right_sticky(g, value, right);
    g.name(value, "aligned");
    let hidden = g.bit(value, format.frac + 2);
    let biased = gate(g, scale.above, normal);
    let ones = repeat(g, special, format.exp);
    let value = Unrounded {
        sign,
        exp: g.or(biased, ones),
        bump: bump(g, normal, two, hidden, special),
        tail: low(g, value, format.frac + 2),
        special: Some(special),
        nan: Some(classes.nan),
    };
    round(g, format, value)
}

/// The exponent relative to the smallest normal one.
struct Scale {
    /// `field >= 1`: the result is a normal number, or will overflow.
    normal: NodeId,
    /// `field - 1` modulo 2^exp, if normal.
    above: NodeId,
    /// `field - 1` has a bit above these.
    beyond: NodeId,
    /// `1 - field` if not normal.
    below: NodeId,
}

/// `field` = `exp` - bias, so `field - 1` = `exp - 2^(exp-1)`: for a positive `exp`, its top bits change.
fn scale(g: &mut Graph, format: FloatFormat, exp: NodeId) -> Scale {
    let sign = g.width(exp) - 1;
    let half = format.exp - 1;
    let negative = g.bit(exp, sign);
    let (top, next) = (g.bit(exp, half + 1), g.bit(exp, half));
    let large = g.or(top, next);
    let flipped = g.not(next);
    let rest = low(g, exp, half);
    let least_normal = g.constant(1 << half);
    Scale {
        normal: and_not(g, large, negative),
        above: g.concat(&[flipped, rest]),
        beyond: g.and(top, next),
        below: sub_low_magnitude(g, least_normal, exp),
    }
}

/// `a - b`, known to be positive where it is used.
fn sub_low_magnitude(g: &mut Graph, a: NodeId, b: NodeId) -> NodeId {
    let difference = g.sub(a, b);
    let width = g.width(difference);
    low(g, difference, width - 1)
}

/// Whether a normal result is too large before it is rounded: `field + two >= 2^exp - 1`.
fn overflow(g: &mut Graph, format: FloatFormat, scale: &Scale, two: NodeId) -> NodeId {
    let high = g.extract(scale.above, 1, format.exp - 1);
    let far = all(g, high);
    let far = g.or(scale.beyond, far);
    let edge = g.constant((1 << format.exp) - 3);
    let at_edge = g.icmp(Predicate::Eq, scale.above, edge);
    let carried = g.and(at_edge, two);
    g.or(far, carried)
}

/// What the product's integer part adds to `field - 1`: 1, or 2 if the product is 2 or more.
fn bump(g: &mut Graph, normal: NodeId, two: NodeId, hidden: NodeId, special: NodeId) -> NodeId {
    let finite = g.not(special);
    let one = g.not(two);
    let low_bit = g.mux(normal, one, hidden);
    let high_bit = g.and(normal, two);
    let bits = g.concat(&[high_bit, low_bit]);
    gate(g, bits, finite)
}
