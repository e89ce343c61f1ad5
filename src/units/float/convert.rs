//! Conversions between float formats.
//!
//! Muller et al., Handbook of Floating-Point Arithmetic, 2nd ed., section 3.7 and 8.2: a wider exponent
//! range normalises subnormals, a narrower one makes them; both round once.

use super::bits::{
    Grouped, all, and_not, any, bit_length, gate, high, low, normalise, repeat, resize_sticky,
    shift_right_sticky,
};
use super::finish::finish;
use super::round::{Unrounded, round_by};
use super::unpack::{Layout, Unpacked, input, unpack};
use crate::hwarith::graph::{Graph, NodeId};
use crate::hwarith::types::HwType;
use crate::ir::{Conversion, FloatFormat, Overflow, Rounding};
use num_bigint::BigInt;

/// The nearest float of format `to` (ties to even, overflow to infinity, canonical NaN) of a bit pattern
/// of format `from`.
pub fn convert(from: FloatFormat, to: FloatFormat) -> Graph {
    let mut g = Graph::new();
    let bits = input(&mut g, from, 0);
    let source = Source::of_float(&mut g, from, bits);
    let result = into_float(&mut g, to, Conversion::of_cast(to.into()), &source);
    finish(&g, result)
}

/// A number to be converted.
pub(super) struct Source {
    /// Widths and bias of its fields.
    pub layout: Layout,
    /// Its fields; without meaning if it is special.
    pub fields: Unpacked,
    /// Infinite or NaN.
    pub special: NodeId,
    /// NaN.
    pub nan: NodeId,
    /// Special means the largest exponent field, as in IEEE formats.
    pub top_is_special: bool,
}

impl Source {
    /// Of a bit pattern of an IEEE format.
    pub fn of_float(g: &mut Graph, format: FloatFormat, bits: NodeId) -> Source {
        let fields = unpack(g, format, bits);
        let payload = any(g, fields.frac);
        let special = fields.is_special(g);
        Source {
            layout: format.into(),
            special,
            nan: g.and(special, payload),
            fields,
            top_is_special: true,
        }
    }

    /// Whether its numbers have the exponents of an IEEE format with a fraction that is no longer.
    fn has_exponents_of(&self, to: FloatFormat) -> bool {
        let layout = Layout::from(to);
        self.top_is_special
            && (self.layout.exp, self.layout.bias) == (layout.exp, layout.bias)
            && self.layout.frac >= layout.frac
    }

    /// What matters when the result is too large.
    pub fn class(&self) -> Class {
        Class {
            sign: self.fields.sign,
            special: self.special,
            nan: self.nan,
        }
    }
}

/// The float of an IEEE format that a number is rounded to.
pub(super) fn into_float(
    g: &mut Graph,
    to: FloatFormat,
    how: Conversion,
    source: &Source,
) -> NodeId {
    if source.has_exponents_of(to) {
        return shortened(g, to, how, source);
    }
    let scaled = scale(g, to.into(), source);
    let finite = g.not(scaled.special);
    let exp_ones = repeat(g, scaled.special, to.exp);
    let hidden = g.bit(scaled.significand, g.width(scaled.significand) - 1);
    let below = g.width(scaled.significand) - 1;
    let value = Unrounded {
        sign: source.fields.sign,
        exp: g.or(scaled.exp, exp_ones),
        bump: g.and(hidden, finite),
        tail: low(g, scaled.significand, below),
        special: Some(scaled.special),
        nan: Some(source.nan),
    };
    let rounded = round_by(g, to, how.rounding, value);
    limit(g, to, how, rounded, scaled.special, source.class())
}

/// As [`into_float`], of a format with the same exponents and a longer fraction: subnormal numbers stay what they are, and only
/// rounding makes a number infinite, by the carry out of its fraction.
fn shortened(g: &mut Graph, to: FloatFormat, how: Conversion, source: &Source) -> NodeId {
    let value = Unrounded {
        sign: source.fields.sign,
        exp: source.fields.exp,
        bump: g.constant(0),
        tail: source.fields.frac,
        special: Some(source.special),
        nan: Some(source.nan),
    };
    let rounded = round_by(g, to, how.rounding, value);
    let over = match how.overflow {
        Overflow::Saturate => source.special,
        _ => g.constant(0),
    };
    limit(g, to, how, rounded, over, source.class())
}

/// What is to be known of the source of a conversion when its result is too large.
#[derive(Clone, Copy)]
pub(super) struct Class {
    /// Sign.
    pub sign: NodeId,
    /// Infinite or NaN.
    pub special: NodeId,
    /// NaN.
    pub nan: NodeId,
}

impl Class {
    /// Whether the largest number takes the place of a result that is `over`, special or too large; `None` if it never does.
    pub fn is_limited(self, g: &mut Graph, how: Conversion, over: NodeId) -> Option<NodeId> {
        if how.overflow == Overflow::Saturate {
            return Some(and_not(g, over, self.nan));
        }
        let finite = and_not(g, over, self.special);
        match how.rounding {
            Rounding::NearestEven | Rounding::NearestAway => None,
            Rounding::Zero | Rounding::Odd => Some(finite),
            Rounding::Up => Some(g.and(finite, self.sign)),
            Rounding::Down => Some(and_not(g, finite, self.sign)),
        }
    }
}

/// The rounded pattern of an IEEE format, or the largest number in place of an infinity where the conversion says so. `over`:
/// the result was infinite or NaN before rounding.
pub(super) fn limit(
    g: &mut Graph,
    to: FloatFormat,
    how: Conversion,
    rounded: NodeId,
    over: NodeId,
    class: Class,
) -> NodeId {
    let magnitude = low(g, rounded, to.exp + to.frac);
    let carries = how.rounding.overflows(false) || how.rounding.overflows(true);
    let over = match how.overflow {
        Overflow::Saturate if carries => {
            let exp = high(g, magnitude, to.exp);
            all(g, exp)
        }
        _ => over,
    };
    let Some(limited) = class.is_limited(g, how, over) else {
        return rounded;
    };
    let largest = g.constant(BigInt::from(to.infinity(false)) - 1);
    let magnitude = g.mux(limited, largest, magnitude);
    let magnitude = low(g, magnitude, to.exp + to.frac);
    let sign = g.bit(rounded, to.exp + to.frac);
    g.concat(&[sign, magnitude])
}

/// The number in the exponent range of a layout.
pub(super) fn scale(g: &mut Graph, to: Layout, source: &Source) -> Scaled {
    if to.bias > source.layout.bias {
        return widen(g, source.layout, to, &source.fields, source.special);
    }
    let mut scaled = narrow(g, source.layout, to, &source.fields);
    // Between IEEE formats, what has the largest exponent field is beyond the narrower range.
    if !(source.top_is_special && to.is_ieee()) {
        scaled.special = g.or(scaled.special, source.special);
    }
    scaled
}

/// The number in the exponent range of the result.
pub(super) struct Scaled {
    /// Exponent field less one, `ui<to.exp>`; 0 for subnormals and zero.
    pub exp: NodeId,
    /// Hidden bit, fraction, and if not all fits guard and sticky.
    pub significand: NodeId,
    /// Infinite (by overflow too) or NaN.
    pub special: NodeId,
}

/// Bits of the significand that matter to the result.
fn kept_width(from: Layout, to: Layout) -> u32 {
    (from.frac + 1).clamp(to.frac + 1, to.frac + 3)
}

/// A larger bias: subnormals become normal as far as the new range goes.
fn widen(g: &mut Graph, from: Layout, to: Layout, x: &Unpacked, special: NodeId) -> Scaled {
    let offset = to.bias - from.bias;
    let significand = x.significand(g);
    let grouped = Grouped::new(g, significand);
    let zero = grouped.is_zero(g);
    let nonzero = g.not(zero);
    // The field less one, before normalising: at least 0.
    let exp = x.effective_exp(g);
    let rebias = g.constant(offset - 1);
    let exp = g.add(exp, rebias);
    let exp = g.cast(exp, HwType::ui(to.exp));
    let exp = gate(g, exp, nonzero);
    let reaches_all = offset >= i64::from(from.frac);
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

/// No larger a bias: small numbers become subnormal, large ones overflow.
fn narrow(g: &mut Graph, from: Layout, to: Layout, x: &Unpacked) -> Scaled {
    // The new field less one is `exp - offset`, where `offset` is at least 1.
    let offset = g.constant(from.bias - to.bias + 1);
    let exp = x.effective_exp(g);
    let field = g.sub(exp, offset);
    let sign = g.width(field) - 1;
    let small = g.bit(field, sign);
    let large = is_beyond(g, to, field);
    let special = and_not(g, large, small);
    let significand = x.significand(g);
    let mut significand = resize_sticky(g, significand, kept_width(from, to));
    let mut kept = g.cast(field, HwType::ui(to.exp));
    if from.bias > to.bias {
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
fn is_beyond(g: &mut Graph, to: Layout, field: NodeId) -> NodeId {
    let bits = g.width(field) - 1;
    if bits < to.exp {
        return g.constant(0);
    }
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
