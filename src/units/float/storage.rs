//! Storage formats: the numbers behind their codes, and the codes nearest to numbers.
//!
//! `f8e5m2` is an IEEE format. `f8e4m3` and the 4-bit formats use their largest exponent field for numbers: with a
//! zero above it, it is an ordinary exponent field one bit longer, and rounding carries into that bit when
//! it overflows. HiFloat8 (arXiv 2409.16626) is handled as a format of 6 exponent and 3 fraction bits that
//! holds its numbers without subnormals.

use super::bits::{all, and_not, any, gate, high, low, none, repeat};
use super::convert::{Source, into_float, scale};
use super::round::{Unrounded, round};
use super::unpack::{Layout, Unpacked};
use crate::hwarith::graph::{Graph, NodeId, Predicate};
use crate::hwarith::types::HwType;
use crate::ir::{FloatFormat, StorageFormat};

/// The format with the fields of `f8e5m2`.
const E5M2: FloatFormat = FloatFormat { exp: 5, frac: 2 };

/// The format that holds HiFloat8's numbers.
const HIF8: FloatFormat = FloatFormat { exp: 6, frac: 3 };

/// Exponent field of 1 in [`HIF8`].
const HIF8_BIAS: u32 = 31;

/// Fields with a zero above the exponent.
fn extended(format: StorageFormat) -> Layout {
    let (exp, frac, bias) = format.fields().unwrap_or((HIF8.exp - 1, HIF8.frac, 31));
    Layout {
        exp: exp + 1,
        frac,
        bias: bias.into(),
    }
}

/// The number behind a code `ui<width>`.
pub(super) fn load(g: &mut Graph, format: StorageFormat, code: NodeId) -> Source {
    match format {
        StorageFormat::F8E5M2 => Source::of_float(g, E5M2, code),
        StorageFormat::HiF8 => load_hif8(g, code),
        _ => load_extended(g, format, code),
    }
}

fn load_extended(g: &mut Graph, format: StorageFormat, code: NodeId) -> Source {
    let layout = extended(format);
    let field = g.extract(code, layout.frac, layout.exp - 1);
    let zero = g.constant(0);
    let fields = Unpacked {
        sign: g.bit(code, format.width() - 1),
        exp: g.concat(&[zero, field]),
        frac: low(g, code, layout.frac),
        tiny: none(g, field),
    };
    let nan = if format == StorageFormat::F8E4M3 {
        let magnitude = low(g, code, format.width() - 1);
        all(g, magnitude)
    } else {
        g.constant(0)
    };
    Source {
        layout,
        fields,
        special: nan,
        nan,
        top_is_special: false,
    }
}

/// One of several values by 1-bit conditions of which one holds, the last one unasked.
fn choose(g: &mut Graph, choices: &[(NodeId, NodeId)]) -> NodeId {
    let (last, others) = choices.split_last().expect("there is a choice");
    others
        .iter()
        .rev()
        .fold(last.1, |rest, &(condition, value)| {
            g.mux(condition, value, rest)
        })
}

fn load_hif8(g: &mut Graph, code: NodeId) -> Source {
    let zero = g.constant(0);
    let magnitude = low(g, code, 7);
    let is_zero = none(g, magnitude);
    // Bits 6 and 5 are 11, 10, 01 for 4, 3, 2 exponent bits; then 001 for one; then 0001 for none.
    let (b6, b5, b4, b3) = (
        g.bit(code, 6),
        g.bit(code, 5),
        g.bit(code, 4),
        g.bit(code, 3),
    );
    let four = g.and(b6, b5);
    let one = g.constant(1);
    let size = {
        let m = g.extract(code, 1, 3);
        let wide = g.concat(&[one, m]);
        let m = g.extract(code, 2, 2);
        let three = g.concat(&[one, m]);
        let two = g.concat(&[one, b3]);
        choose(
            g,
            &[(four, wide), (b6, three), (b5, two), (b4, one), (one, zero)],
        )
    };
    let frac = {
        let m = g.bit(code, 0);
        let short = g.concat(&[m, zero, zero]);
        let m = low(g, code, 2);
        let middle = g.concat(&[m, zero]);
        let long = low(g, code, 3);
        choose(g, &[(four, short), (b6, middle), (one, long)])
    };
    let prefixed = g.or(b6, b5);
    let negative = g.mux(prefixed, b4, b3);
    let ordinary = g.or(prefixed, b4);
    let normal = g.or(ordinary, b3);
    let bias = g.constant(HIF8_BIAS);
    let (down, up) = (g.sub(bias, size), g.add(bias, size));
    let field = g.mux(negative, down, up);
    // Without exponent bits bit 3 is no sign, but the size is 0.
    let field = g.cast(field, HwType::ui(HIF8.exp));
    // Denormal: 2^(M - 23).
    let m = low(g, code, 3);
    let lowest = g.constant(HIF8_BIAS - 23);
    let denormal = g.add(lowest, m);
    let field = g.mux(normal, field, denormal);
    let nonzero = g.not(is_zero);
    let field = g.cast(field, HwType::ui(HIF8.exp));
    let sign = g.bit(code, 7);
    let nan = g.and(sign, is_zero);
    let infinite = g.constant(0x6f);
    let infinite = g.icmp(Predicate::Eq, magnitude, infinite);
    let fields = Unpacked {
        sign,
        exp: gate(g, field, nonzero),
        frac: gate(g, frac, normal),
        tiny: is_zero,
    };
    Source {
        layout: extended(StorageFormat::HiF8),
        fields,
        special: g.or(infinite, nan),
        nan,
        top_is_special: false,
    }
}

/// The code nearest to a number: ties to even, of HiFloat8 away from zero.
pub(super) fn store(g: &mut Graph, format: StorageFormat, source: &Source) -> NodeId {
    match format {
        StorageFormat::F8E5M2 => into_float(g, E5M2, source),
        StorageFormat::HiF8 => store_hif8(g, source),
        _ => store_extended(g, format, source),
    }
}

fn store_extended(g: &mut Graph, format: StorageFormat, source: &Source) -> NodeId {
    let layout = extended(format);
    let scaled = scale(g, layout, source);
    let width = g.width(scaled.significand);
    let finite = g.not(scaled.special);
    let ones = repeat(g, scaled.special, layout.exp);
    let hidden = g.bit(scaled.significand, width - 1);
    let value = Unrounded {
        sign: source.fields.sign,
        exp: g.or(scaled.exp, ones),
        bump: g.and(hidden, finite),
        tail: low(g, scaled.significand, width - 1),
        special: Some(scaled.special),
        nan: None,
    };
    let target = FloatFormat {
        exp: layout.exp,
        frac: layout.frac,
    };
    let rounded = round(g, target, value);
    let magnitude = low(g, rounded, format.width());
    let code = low(g, rounded, format.width() - 1);
    // In `f8e4m3` the first code that is no number is NaN.
    let has_nan = format == StorageFormat::F8E4M3;
    let largest = HwType::ui(format.width() - 1).max() - i32::from(has_nan);
    let largest = g.constant(largest);
    let over = g.icmp(Predicate::Gt, magnitude, largest);
    let ones = repeat(g, over, format.width() - 1);
    let code = g.or(code, ones);
    if has_nan {
        let sign = and_not(g, source.fields.sign, over);
        return g.concat(&[sign, code]);
    }
    let code = g.concat(&[source.fields.sign, code]);
    let number = g.not(source.nan);
    gate(g, code, number)
}

/// Rounds half away from zero, which needs nothing below the first bit that is cut off.
fn store_hif8(g: &mut Graph, source: &Source) -> NodeId {
    // One bit more than the longest fraction.
    let layout = Layout {
        frac: HIF8.frac + 1,
        ..extended(StorageFormat::HiF8)
    };
    let scaled = scale(g, layout, source);
    let significand = high(g, scaled.significand, layout.frac + 1);
    let hidden = g.bit(significand, layout.frac);
    let one = g.constant(1);
    let field = g.add(scaled.exp, one);
    let rounded = round_hif8(g, field, significand);
    let sum_field = g.extract(rounded, 4, 7);
    let frac = g.extract(rounded, 1, 3);
    let code = hif8_code(g, sum_field, frac);
    let sign = source.fields.sign;
    // Below half of the least number.
    let half_least = g.constant(HIF8_BIAS - 23);
    let tiny = g.icmp(Predicate::Lt, field, half_least);
    let number = and_not(g, hidden, tiny);
    // From 1.5 * 2^15 on.
    let last = g.constant((HIF8_BIAS + 15) * 2 + 1);
    let top = g.bit(frac, 2);
    let halves = g.concat(&[sum_field, top]);
    let over = g.icmp(Predicate::Ge, halves, last);
    let over = g.and(over, number);
    let over = g.or(over, scaled.special);
    let code = gate(g, code, number);
    let infinity = g.constant(0x6f);
    let code = g.mux(over, infinity, code);
    let finite_or_infinite = g.not(source.nan);
    let code = g.cast(code, HwType::ui(7));
    let code = gate(g, code, finite_or_infinite);
    let nonzero = g.or(number, over);
    let sign = g.and(sign, nonzero);
    let sign = g.or(sign, source.nan);
    g.concat(&[sign, code])
}

/// Field and four fraction bits, rounded to as many of them as the field leaves room for: `ui11`.
fn round_hif8(g: &mut Graph, field: NodeId, significand: NodeId) -> NodeId {
    let within = |g: &mut Graph, reach: u32| {
        let least = g.constant(HIF8_BIAS - reach);
        let most = g.constant(HIF8_BIAS + reach);
        let above = g.icmp(Predicate::Ge, field, least);
        let below = g.icmp(Predicate::Le, field, most);
        g.and(above, below)
    };
    let (long, middle) = (within(g, 3), within(g, 7));
    let least = g.constant(HIF8_BIAS - 15);
    let short = g.icmp(Predicate::Ge, field, least);
    let [one, two, four, eight] = [1, 2, 4, 8].map(|half| g.constant(half));
    let half = choose(
        g,
        &[(long, one), (middle, two), (short, four), (one, eight)],
    );
    let frac = low(g, significand, 4);
    let field = g.cast(field, HwType::ui(7));
    let number = g.concat(&[field, frac]);
    let sum = g.add(number, half);
    low(g, sum, 11)
}

/// The magnitude's code of a field from `HIF8_BIAS - 23` on and three fraction bits.
fn hif8_code(g: &mut Graph, field: NodeId, frac: NodeId) -> NodeId {
    let bias = g.constant(HIF8_BIAS);
    let negative = g.icmp(Predicate::Lt, field, bias);
    let (down, up) = (g.sub(bias, field), g.sub(field, bias));
    let size = g.mux(negative, down, up);
    let size = low(g, size, 4);
    let least = g.constant(HIF8_BIAS - 15);
    let denormal = g.icmp(Predicate::Lt, field, least);
    let denormal_code = {
        let zero = g.constant(HIF8_BIAS - 23);
        let m = g.sub(field, zero);
        let m = low(g, m, 3);
        // Half of the least number, rounded up.
        let half = none(g, m);
        g.or(m, half)
    };
    let one = g.constant(1);
    let (b0, b1, b2) = (low(g, size, 1), low(g, size, 2), low(g, size, 3));
    let (f1, f2) = (high(g, frac, 1), high(g, frac, 2));
    let [three, four] = [2, 3].map(|prefix| g.constant(prefix));
    let code0 = g.concat(&[one, frac]);
    let code1 = g.concat(&[one, negative, frac]);
    let code2 = g.concat(&[one, negative, b0, frac]);
    let code3 = g.concat(&[three, negative, b1, f2]);
    let code4 = g.concat(&[four, negative, b2, f1]);
    let (s3, s2, s1) = (g.bit(size, 3), g.bit(size, 2), g.bit(size, 1));
    let nonzero = any(g, size);
    choose(
        g,
        &[
            (denormal, denormal_code),
            (s3, code4),
            (s2, code3),
            (s1, code2),
            (nonzero, code1),
            (one, code0),
        ],
    )
}
