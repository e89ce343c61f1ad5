//! Puts a significand at its exponent: the common end of product and quotient.
//!
//! A result below the smallest normal number is shifted right, one above the largest becomes infinity; then it
//! is rounded (Muller et al., Handbook of Floating-Point Arithmetic, 2nd ed., sections 8.4 and 8.6).

use super::bits::{
    all, and_not, any, bit_length, gate, high, low, name_low, repeat, resize_sticky, saturate,
    shift_left, shift_right_lost, shift_right_sticky, sub_low,
};
use super::round::{Unrounded, round};
use super::unpack::Unpacked;
use crate::hwarith::graph::{Graph, NodeId, Predicate};
use crate::hwarith::types::HwType;
use crate::ir::FloatFormat;

/// Whether there are subnormal numbers, or zeros in their place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subnormals {
    /// As IEEE 754 has them.
    Keep,
    /// Operands and results are flushed to zeros of the same sign.
    Flush,
}

impl Subnormals {
    /// An operand's significand with its top bit 1 and the exponent field (signed) that belongs to it; anything for a zero.
    pub fn normalised(self, g: &mut Graph, x: &Unpacked) -> (NodeId, NodeId) {
        match self {
            Subnormals::Keep => x.normalised(g),
            Subnormals::Flush => {
                let hidden = g.constant(1);
                let exp = g.cast(x.exp, HwType::si(g.width(x.exp) + 1));
                (g.concat(&[hidden, x.frac]), exp)
            }
        }
    }

    /// The rounded result's bit pattern.
    pub fn scale(self, g: &mut Graph, format: FloatFormat, value: &Scaled) -> NodeId {
        match self {
            Subnormals::Keep => scale(g, format, value),
            Subnormals::Flush => scale_flushing(g, format, value),
        }
    }
}

/// What the operands' classes say about the result.
pub(super) struct Classes {
    /// NaN.
    pub nan: NodeId,
    /// Infinite or NaN.
    pub special: NodeId,
    /// Zero, unless `special`.
    pub zero: NodeId,
}

impl Classes {
    /// Of `a * b`.
    pub fn of_product(g: &mut Graph, a: &Unpacked, b: &Unpacked, small: Subnormals) -> Classes {
        let (a, b) = (Class::of(g, a, small), Class::of(g, b, small));
        let special = g.or(a.special, b.special);
        let zero = g.or(a.zero, b.zero);
        let nan = g.or(a.nan, b.nan);
        Classes::new(g, special, zero, nan)
    }

    /// Of `a / b`: that of a product with the reciprocal.
    pub fn of_quotient(g: &mut Graph, a: &Unpacked, b: &Unpacked, small: Subnormals) -> Classes {
        let (a, b) = (Class::of(g, a, small), Class::of(g, b, small));
        let nan = g.or(a.nan, b.nan);
        let special = g.or(a.special, b.zero);
        let special = g.or(special, nan);
        let zero = g.or(a.zero, b.special);
        Classes::new(g, special, zero, nan)
    }

    fn new(g: &mut Graph, special: NodeId, zero: NodeId, nan: NodeId) -> Classes {
        let invalid = g.and(special, zero);
        let nan = g.or(nan, invalid);
        g.name(special, "has_special");
        g.name(zero, "is_zero");
        Classes { nan, special, zero }
    }
}

/// Class of an operand.
struct Class {
    nan: NodeId,
    special: NodeId,
    zero: NodeId,
}

impl Class {
    fn of(g: &mut Graph, x: &Unpacked, small: Subnormals) -> Class {
        let special = x.is_special(g);
        let payload = any(g, x.frac);
        x.name(g, payload, "has_fraction");
        let class = Class {
            nan: g.and(special, payload),
            special,
            zero: match small {
                Subnormals::Keep => and_not(g, x.tiny, payload),
                Subnormals::Flush => x.tiny,
            },
        };
        x.name(g, class.nan, "is_nan");
        x.name(g, class.zero, "is_zero");
        class
    }
}

/// A significand and its exponent.
pub(super) struct Scaled {
    /// Sign of the result.
    pub sign: NodeId,
    /// Classes of the result.
    pub classes: Classes,
    /// `ui<frac + 4>` in [1, 4): two bits above the point, the fraction, a guard bit, a sticky bit. Below 1
    /// only if the result is subnormal; anything if it is zero or special.
    pub significand: NodeId,
    /// Signed; the result's exponent field plus the bias if the significand is below 2.
    pub exp: NodeId,
}

/// The rounded result's bit pattern. The bias is 2^(exp-1) - 1.
pub(super) fn scale(g: &mut Graph, format: FloatFormat, value: &Scaled) -> NodeId {
    let classes = &value.classes;
    let two = g.bit(value.significand, format.frac + 3);
    g.name(two, "is_two_or_more");
    let place = Place::of(g, format, value.exp);
    let normal = and_not(g, place.normal, classes.zero);
    g.name(normal, "is_normal_number");
    // Right by 1 to a significand in [2, 4), as far as a subnormal result needs, or all the way for a zero.
    let far = saturate(g, place.below, bit_length(format.frac + 3));
    let width = g.width(far);
    let out = repeat(g, classes.zero, width);
    let far = g.or(far, out);
    g.name(far, "far");
    let right = g.mux(normal, two, far);
    g.name(right, "shift");
    let aligned = shift_right_sticky(g, value.significand, right);
    g.name(aligned, "aligned");
    complete(g, format, value, &place, (normal, two), aligned)
}

/// As [`scale`], of a significand of any width with two bits above the point that the sum of the exponents belongs to, but that
/// has `zeros` leading zeros too many: it is shifted by as many, or by as many as the exponent allows, to either side. Larger
/// than to normalise before, and sooner done.
pub(super) fn scale_late(
    g: &mut Graph,
    format: FloatFormat,
    value: &Scaled,
    zeros: NodeId,
) -> NodeId {
    let place = Place::of(g, format, value.exp);
    let exp = g.sub(value.exp, zeros);
    let after = Place::of(g, format, exp);
    let normal = and_not(g, after.normal, value.classes.zero);
    // Left, as far as the exponent goes: `zeros`, unless that is farther.
    let width = g.width(zeros);
    let most = match format.exp < width {
        true => g.cast(place.above, HwType::ui(width)),
        false => low(g, place.above, width),
    };
    let left = g.mux(after.normal, zeros, most);
    g.name(left, "shift_left");
    let shifted = shift_left(g, value.significand, left);
    let shifted = resize_sticky(g, shifted, format.frac + 4);
    // Right, all the way if that is far.
    let far = saturate(g, place.below, bit_length(format.frac + 3));
    let narrow = resize_sticky(g, value.significand, format.frac + 4);
    let (right, lost) = shift_right_lost(g, narrow, far, None);
    let lost = g.cast(lost, HwType::ui(format.frac + 4));
    let right = g.or(right, lost);
    let aligned = g.mux(place.normal, shifted, right);
    g.name(aligned, "aligned");
    let two = g.bit(aligned, format.frac + 3);
    let aligned = shift_right_sticky(g, aligned, two);
    complete(g, format, value, &after, (normal, two), aligned)
}

/// The rounded result's bit pattern of a value that is aligned: `normal`, and of two or more before it was aligned.
fn complete(
    g: &mut Graph,
    format: FloatFormat,
    value: &Scaled,
    place: &Place,
    (normal, two): (NodeId, NodeId),
    aligned: NodeId,
) -> NodeId {
    let classes = &value.classes;
    let overflow = overflow(g, format, place, two);
    let overflow = g.and(overflow, normal);
    g.name(overflow, "overflows");
    let special = g.or(classes.special, overflow);
    g.name(classes.nan, "is_nan");
    g.name(special, "is_special");
    let hidden = g.bit(aligned, format.frac + 2);
    let biased = gate(g, place.above, normal);
    g.name(biased, "biased_exponent");
    let ones = repeat(g, special, format.exp);
    let value = Unrounded {
        sign: value.sign,
        exp: g.or(biased, ones),
        bump: bump(g, normal, two, hidden, special),
        tail: low(g, aligned, format.frac + 2),
        special: Some(special),
        nan: Some(classes.nan),
    };
    round(g, format, value)
}

/// As [`scale`], with a zero in place of a subnormal result. A result below the smallest normal number is that number if
/// it rounds there with the precision of subnormals: if the fraction that it has in the binade below is all ones.
fn scale_flushing(g: &mut Graph, format: FloatFormat, value: &Scaled) -> NodeId {
    let classes = &value.classes;
    let two = g.bit(value.significand, format.frac + 3);
    let exp = g.add(value.exp, two);
    let place = Place::of(g, format, exp);
    let aligned = shift_right_sticky(g, value.significand, two);
    let tail = low(g, aligned, format.frac + 2);
    let top = g.extract(place.above, 1, format.exp - 1);
    let top = all(g, top);
    let overflow = g.or(place.beyond, top);
    let kept = and_not(g, place.normal, classes.zero);
    let overflow = g.and(overflow, kept);
    let special = g.or(classes.special, overflow);
    g.name(special, "is_special");
    let binade_below = g.constant((1 << (format.exp - 1)) - 1);
    let binade_below = g.icmp(Predicate::Eq, exp, binade_below);
    let ones = high(g, tail, format.frac);
    let ones = all(g, ones);
    let rises = g.and(binade_below, ones);
    let rises = and_not(g, rises, classes.zero);
    let hidden = g.or(kept, rises);
    let biased = gate(g, place.above, kept);
    let infinite = repeat(g, special, format.exp);
    let value = Unrounded {
        sign: value.sign,
        exp: g.or(biased, infinite),
        bump: and_not(g, hidden, special),
        tail: gate(g, tail, kept),
        special: Some(special),
        nan: Some(classes.nan),
    };
    round(g, format, value)
}

/// The exponent relative to the smallest normal one.
struct Place {
    /// `field >= 1`: the result is a normal number, or will overflow.
    normal: NodeId,
    /// `field - 1` modulo 2^exp, if normal.
    above: NodeId,
    /// `field - 1` has a bit above these.
    beyond: NodeId,
    /// `1 - field` if not normal.
    below: NodeId,
}

impl Place {
    /// `field` = `exp` - bias, so `field - 1` = `exp - 2^(exp-1)`: of a positive `exp` the top bits, as a number,
    /// decrease by one.
    fn of(g: &mut Graph, format: FloatFormat, exp: NodeId) -> Place {
        let sign = g.width(exp) - 1;
        let half = format.exp - 1;
        let negative = g.bit(exp, sign);
        let top = g.extract(exp, half, sign - half);
        let large = any(g, top);
        let (bit, next) = (g.bit(top, 0), g.bit(top, 1));
        let flipped = g.not(bit);
        let rest = low(g, exp, half);
        let mut beyond = g.and(bit, next);
        if sign - half > 2 {
            let more = g.extract(top, 2, sign - half - 2);
            let more = any(g, more);
            beyond = g.or(beyond, more);
        }
        let least_normal = g.constant(1 << half);
        let below = g.width(exp);
        let place = Place {
            normal: and_not(g, large, negative),
            above: g.concat(&[flipped, rest]),
            beyond,
            below: sub_low(g, least_normal, exp, below),
        };
        g.name(place.normal, "is_normal");
        g.name(place.above, "above_least_normal");
        name_low(g, place.below, "below_least_normal");
        place
    }
}

/// Whether a normal result is too large before it is rounded: `field + two >= 2^exp - 1`.
fn overflow(g: &mut Graph, format: FloatFormat, place: &Place, two: NodeId) -> NodeId {
    let high = g.extract(place.above, 1, format.exp - 1);
    let far = all(g, high);
    let far = g.or(place.beyond, far);
    let edge = g.constant((1 << format.exp) - 3);
    let at_edge = g.icmp(Predicate::Eq, place.above, edge);
    g.name(far, "is_too_large");
    g.name(at_edge, "is_largest_binade");
    let carried = g.and(at_edge, two);
    g.or(far, carried)
}

/// What the significand's integer part adds to `field - 1`: 1, or 2 if it is 2 or more.
fn bump(g: &mut Graph, normal: NodeId, two: NodeId, hidden: NodeId, special: NodeId) -> NodeId {
    let finite = g.not(special);
    let one = g.not(two);
    let low_bit = g.mux(normal, one, hidden);
    let high_bit = g.and(normal, two);
    let bits = g.concat(&[high_bit, low_bit]);
    gate(g, bits, finite)
}
