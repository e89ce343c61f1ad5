//! Storage formats: the numbers behind their codes, and the codes nearest to numbers.
//!
//! `f8e5m2` is an IEEE format. `f8e4m3` and the 4-bit formats use their largest exponent field for numbers: with a
//! zero above it, it is an ordinary exponent field one bit longer, and rounding carries into that bit when
//! it overflows. HiFloat8 (arXiv 2409.16626) is handled as a format of 6 exponent and 3 fraction bits that
//! holds its numbers without subnormals.

use super::bits::{all, and_not, any, gate, high, low, none, repeat, resize_sticky};
use super::convert::{Scaled, Source, into_float, scale};
use super::round::{Cut, Unrounded, round_by};
use super::unpack::{Layout, Unpacked};
use crate::hwarith::graph::{Graph, NodeId, Predicate};
use crate::hwarith::types::HwType;
use crate::ir::{Conversion, FloatFormat, Rounding, StorageFormat};

/// The format with the fields of `f8e5m2`.
const E5M2: FloatFormat = FloatFormat { exp: 5, frac: 2 };

/// The format that holds HiFloat8's numbers.
const HIF8: FloatFormat = FloatFormat { exp: 6, frac: 3 };

/// Exponent field of 1 in [`HIF8`].
const HIF8_BIAS: u32 = 31;

/// The field before that of HiFloat8's least number, 2^-22, which stands for zero.
const HIF8_ZERO: u32 = HIF8_BIAS - 23;

/// HiFloat8's code after that of its largest number.
const HIF8_INFINITY: u32 = 0x6f;

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
    let infinite = g.constant(HIF8_INFINITY);
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

/// The code that a number is rounded to.
pub(super) fn store(
    g: &mut Graph,
    format: StorageFormat,
    how: Conversion,
    source: &Source,
) -> NodeId {
    match format {
        StorageFormat::F8E5M2 => into_float(g, E5M2, how, source),
        StorageFormat::HiF8 => store_hif8(g, how, source),
        _ => store_extended(g, format, how, source),
    }
}

fn store_extended(
    g: &mut Graph,
    format: StorageFormat,
    how: Conversion,
    source: &Source,
) -> NodeId {
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
    let rounded = round_by(g, target, how.rounding, value);
    let magnitude = low(g, rounded, format.width());
    let code = low(g, rounded, format.width() - 1);
    // In `f8e4m3` the first code that is no number is NaN.
    let has_nan = format == StorageFormat::F8E4M3;
    let largest = HwType::ui(format.width() - 1).max() - i32::from(has_nan);
    let largest = g.constant(largest);
    let over = g.icmp(Predicate::Gt, magnitude, largest);
    let ones = repeat(g, over, format.width() - 1);
    let code = g.or(code, ones);
    if !has_nan {
        let code = g.concat(&[source.fields.sign, code]);
        let number = g.not(source.nan);
        return gate(g, code, number);
    }
    let (code, nan) = match source.class().is_limited(g, how, over) {
        None => (code, over),
        Some(limited) => (g.mux(limited, largest, code), and_not(g, over, limited)),
    };
    let sign = and_not(g, source.fields.sign, nan);
    g.concat(&[sign, code])
}

fn store_hif8(g: &mut Graph, how: Conversion, source: &Source) -> NodeId {
    let scaled = scale(g, extended(StorageFormat::HiF8), source);
    let sign = source.fields.sign;
    let rounded = round_hif8(g, how.rounding, sign, &scaled);
    let field = g.extract(rounded, HIF8.frac, 7);
    let frac = low(g, rounded, HIF8.frac);
    let code = hif8_code(g, field, frac);
    // From 1.5 * 2^15 on.
    let last = g.constant((HIF8_BIAS + 15) * 2 + 1);
    let top = g.bit(frac, 2);
    let halves = g.concat(&[field, top]);
    let over = g.icmp(Predicate::Ge, halves, last);
    let over = g.or(over, scaled.special);
    let infinity = g.constant(HIF8_INFINITY);
    let code = g.mux(over, infinity, code);
    let code = match source.class().is_limited(g, how, over) {
        None => code,
        Some(limited) => {
            let largest = g.constant(HIF8_INFINITY - 1);
            g.mux(limited, largest, code)
        }
    };
    let number = g.not(source.nan);
    let code = g.cast(code, HwType::ui(7));
    let code = gate(g, code, number);
    // There is no negative zero: its code is NaN's.
    let zero = g.constant(HIF8_ZERO);
    let nonzero = g.icmp(Predicate::Ne, field, zero);
    let nonzero = g.or(nonzero, over);
    let sign = g.and(sign, nonzero);
    let sign = g.or(sign, source.nan);
    g.concat(&[sign, code])
}

/// A number as HiFloat8 takes it.
struct Tapered {
    /// `ui7`.
    field: NodeId,
    /// Three bits and two places more, of which the lowest is sticky.
    frac: NodeId,
    /// The exponent's magnitude is at most 3, 7 and 15, for which there are three, two and one fraction bits.
    reach: [NodeId; 3],
    /// Below half of the least number, and from there up to the least number.
    tiny: [NodeId; 2],
    /// It is not zero.
    nonzero: NodeId,
}

impl Tapered {
    fn of(g: &mut Graph, scaled: &Scaled) -> Tapered {
        let significand = resize_sticky(g, scaled.significand, HIF8.frac + 3);
        let one = g.constant(1);
        let field = g.add(scaled.exp, one);
        let field = g.cast(field, HwType::ui(7));
        let zero = g.constant(HIF8_ZERO);
        let below = g.icmp(Predicate::Lt, field, zero);
        let half_least = g.icmp(Predicate::Eq, field, zero);
        let [long, middle] = [3, 7].map(|reach| reaches(g, field, reach));
        // What is larger than the largest number does not matter.
        let least = g.constant(HIF8_BIAS - 15);
        let reach = [long, middle, g.icmp(Predicate::Ge, field, least)];
        Tapered {
            field,
            frac: low(g, significand, HIF8.frac + 2),
            reach,
            tiny: [below, half_least],
            nonzero: any(g, significand),
        }
    }

    /// Where it is cut off.
    fn cut(&self, g: &mut Graph, sign: NodeId) -> Cut {
        let number = g.concat(&[self.field, self.frac]);
        let [long, middle, short] = self.reach;
        let one = g.constant(1);
        let cuts = [(long, 2), (middle, 3), (short, 4), (one, 5)];
        let cuts = cuts.map(|(is, place)| (is, Cut::at(g, sign, number, place)));
        let mut pick = |part: fn(Cut) -> NodeId| choose(g, &cuts.map(|(is, cut)| (is, part(cut))));
        let (odd, half) = (pick(|cut| cut.odd), pick(|cut| cut.half));
        let more = pick(|cut| cut.more.unwrap_or(cut.inexact));
        let inexact = pick(|cut| cut.inexact);
        // The middle between zero and the least number is half of that.
        let [below, half_least] = self.tiny;
        let tiny = g.or(below, half_least);
        let (half, odd) = (and_not(g, half, below), and_not(g, odd, below));
        let fraction = any(g, self.frac);
        let tiny_more = g.mux(below, self.nonzero, fraction);
        Cut {
            sign,
            odd,
            half: g.or(half, half_least),
            more: Some(g.mux(tiny, tiny_more, more)),
            inexact: g.mux(tiny, self.nonzero, inexact),
        }
    }

    /// Field, at least that of zero, and fraction with zeros in the places that are not kept, and the lowest place that is: `ui10`, `ui4`.
    fn kept(&self, g: &mut Graph) -> (NodeId, NodeId) {
        let zero = g.constant(HIF8_ZERO);
        let field = g.mux(self.tiny[0], zero, self.field);
        let [long, middle, short] = self.reach;
        let fraction = [(short, 4), (middle, 3), (long, 2)].map(|(has, place)| {
            let bit = g.bit(self.frac, place);
            g.and(bit, has)
        });
        let fraction = g.concat(&fraction);
        let none = g.not(short);
        let (only_short, only_middle) = (and_not(g, short, middle), and_not(g, middle, long));
        let lowest = g.concat(&[none, only_short, only_middle, long]);
        (g.concat(&[field, fraction]), lowest)
    }
}

/// Field and three fraction bits, rounded to as many of them as the field leaves room for, the others 0: `ui10`.
fn round_hif8(g: &mut Graph, rounding: Rounding, sign: NodeId, scaled: &Scaled) -> NodeId {
    let number = Tapered::of(g, scaled);
    let (kept, lowest) = number.kept(g);
    match number.cut(g, sign).is_away(g, rounding) {
        None => kept,
        Some(away) => {
            let unit = gate(g, lowest, away);
            let sum = g.add(kept, unit);
            low(g, sum, HIF8.frac + 7)
        }
    }
}

/// Whether a field's exponent has at most a magnitude.
fn reaches(g: &mut Graph, field: NodeId, reach: u32) -> NodeId {
    let least = g.constant(HIF8_BIAS - reach);
    let most = g.constant(HIF8_BIAS + reach);
    let above = g.icmp(Predicate::Ge, field, least);
    let below = g.icmp(Predicate::Le, field, most);
    g.and(above, below)
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
        let zero = g.constant(HIF8_ZERO);
        let m = g.sub(field, zero);
        low(g, m, 3)
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
