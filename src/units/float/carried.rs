//! Sums of floats as a loop carries them: unpacked, and added along two paths, so that one is soon there for the next.
//!
//! Muller et al., Handbook of Floating-Point Arithmetic, 2nd ed., section 8.3.2 (two paths, after Farmwald, 1981). Where the
//! operands nearly cancel, they are aligned by one place at most, and the difference is exact; everywhere else the sum is
//! normalised by one place at most. So the long shifts, of the alignment and of the normalisation, are side by side instead of
//! one after the other. What is carried is rounded and normalised as IEEE 754 asks, but keeps what packing would hide: the
//! hidden bit, the exponent of the significand, and that it is no number. The next sum begins without finding these out.

use super::bits::{
    and_not, any, bit_length, high, low, name_low, none, normalise_by, pad_low, repeat,
    shift_right_lost, sub_low, zeros,
};
use super::finish::finish;
use super::unpack::{input, is_nan, unpack, with_low_bit};
use crate::hwarith::graph::{Graph, NodeId, Predicate};
use crate::hwarith::types::HwType;
use crate::ir::FloatFormat;

/// Bits of a carried float.
pub fn carried_width(format: FloatFormat) -> u32 {
    format.width() + 2
}

/// A bit pattern `ui<width>` as it is carried, `ui<carried_width>`.
pub fn open(format: FloatFormat) -> Graph {
    let mut g = Graph::new();
    let bits = input(&mut g, format, 0);
    let opened = Carried::open(&mut g, format, bits);
    let result = opened.join(&mut g);
    finish(&g, result)
}

/// The bit pattern `ui<width>` of a carried float.
pub fn close(format: FloatFormat) -> Graph {
    let mut g = Graph::new();
    let carried = Carried::input(&mut g, format, 0);
    let result = carried.close(&mut g, format);
    finish(&g, result)
}

/// `a + b` of two carried floats, carried.
pub fn add_carried(format: FloatFormat) -> Graph {
    let mut g = Graph::new();
    let a = Carried::input(&mut g, format, 0);
    let b = Carried::input(&mut g, format, 1);
    let result = sum(&mut g, format, &a, &b).join(&mut g);
    finish(&g, result)
}

/// `a + b` of two bit patterns `ui<width>`: sooner done than [`add`](super::add), and larger.
pub fn add_double_path(format: FloatFormat) -> Graph {
    closed_sum(format, false)
}

/// `a - b`, likewise.
pub fn sub_double_path(format: FloatFormat) -> Graph {
    closed_sum(format, true)
}

fn closed_sum(format: FloatFormat, negate: bool) -> Graph {
    let mut g = Graph::new();
    let [a, mut b] = [0, 1].map(|index| {
        let bits = input(&mut g, format, index);
        Carried::open(&mut g, format, bits)
    });
    if negate {
        b.sign = g.not(b.sign);
    }
    let result = sum(&mut g, format, &a, &b).close(&mut g, format);
    finish(&g, result)
}

/// The parts of a carried float, the first one on top.
#[derive(Clone, Copy)]
struct Carried {
    /// It is no number; then `exp` is all ones.
    nan: NodeId,
    sign: NodeId,
    /// The exponent field that a number with this significand has, 1 for zero and subnormals; all ones for infinity, whatever
    /// the significand.
    exp: NodeId,
    /// Hidden bit and fraction. The hidden bit is 0 for zero and subnormals, and for a NaN that no sum has made: its sign and fraction
    /// are those that it came with, which pass a loop that adds nothing to it. Else it is 1.
    significand: NodeId,
}

impl Carried {
    fn input(g: &mut Graph, format: FloatFormat, index: u32) -> Carried {
        let bits = g.input(index, HwType::ui(carried_width(format)));
        let significand = format.frac + 1;
        Carried {
            nan: g.bit(bits, significand + format.exp + 1),
            sign: g.bit(bits, significand + format.exp),
            exp: g.extract(bits, significand, format.exp),
            significand: low(g, bits, significand),
        }
    }

    fn open(g: &mut Graph, format: FloatFormat, bits: NodeId) -> Carried {
        let fields = unpack(g, format, bits);
        let nan = is_nan(g, format, bits);
        let significand = fields.significand(g);
        let hidden = g.bit(significand, format.frac);
        let hidden = and_not(g, hidden, nan);
        let frac = low(g, significand, format.frac);
        Carried {
            nan,
            sign: fields.sign,
            exp: fields.effective_exp(g),
            significand: g.concat(&[hidden, frac]),
        }
    }

    fn join(&self, g: &mut Graph) -> NodeId {
        g.concat(&[self.nan, self.sign, self.exp, self.significand])
    }

    fn close(&self, g: &mut Graph, format: FloatFormat) -> NodeId {
        let special = self.is_special(g);
        let hidden = g.bit(self.significand, format.frac);
        let bit = g.bit(self.exp, 0);
        let full = g.or(hidden, self.nan);
        let bit = g.and(bit, full);
        let exp = with_low_bit(g, self.exp, bit);
        let frac = low(g, self.significand, format.frac);
        let quiet = pad_low(g, self.nan, format.frac - 1);
        // What is special comes from a sum, or is an infinity: both have the hidden bit.
        let made = g.and(special, hidden);
        let frac = g.mux(made, quiet, frac);
        let nan = g.and(self.nan, hidden);
        let sign = and_not(g, self.sign, nan);
        g.concat(&[sign, exp, frac])
    }

    /// Infinity or NaN.
    fn is_special(&self, g: &mut Graph) -> NodeId {
        super::bits::all(g, self.exp)
    }
}

/// What the exponents say of the alignment.
struct Alignment {
    /// The exponent of `b` is the larger one.
    swap: NodeId,
    /// The difference `a - b` of the exponents, and its negative: signed, one bit wider than an exponent.
    differences: [NodeId; 2],
    /// The larger exponent.
    exp: NodeId,
    /// The signs differ.
    subtract: NodeId,
}

impl Alignment {
    fn new(g: &mut Graph, format: FloatFormat, a: &Carried, b: &Carried) -> Alignment {
        let differences = [g.sub(a.exp, b.exp), g.sub(b.exp, a.exp)];
        let swap = g.bit(differences[0], format.exp);
        g.name(swap, "swap");
        Alignment {
            swap,
            differences,
            exp: g.mux(swap, b.exp, a.exp),
            subtract: g.xor(a.sign, b.sign),
        }
    }

    /// The exponents differ by one at most.
    fn is_close(&self, g: &mut Graph, format: FloatFormat) -> NodeId {
        let [above, below] = self.differences.map(|difference| {
            let rest = g.extract(difference, 1, format.exp);
            none(g, rest)
        });
        g.or(above, below)
    }
}

/// A number that one of the paths has found.
struct Found {
    sign: NodeId,
    exp: NodeId,
    significand: NodeId,
}

fn sum(g: &mut Graph, format: FloatFormat, a: &Carried, b: &Carried) -> Carried {
    let alignment = Alignment::new(g, format, a, b);
    let [a_special, b_special] = [a, b].map(|x| x.is_special(g));
    let special = g.or(a_special, b_special);
    let (far, hidden, overflow) = far(g, format, [a, b], &alignment);
    let (near, valid) = near(g, format, [a, b], &alignment);
    let valid = and_not(g, valid, special);
    let special = g.or(special, overflow);
    let both = g.and(a_special, b_special);
    let invalid = g.and(both, alignment.subtract);
    let nan = g.or(a.nan, b.nan);
    let mask = repeat(g, special, format.exp);
    let exp = g.or(far.exp, mask);
    // The hidden bit of what is special counts as set, and rounding only clears one to move it on to the exponent.
    let hidden = g.or(hidden, special);
    let hidden = pad_low(g, hidden, format.frac);
    let significand = g.or(far.significand, hidden);
    Carried {
        nan: g.or(nan, invalid),
        sign: g.mux(valid, near.sign, far.sign),
        exp: g.mux(valid, near.exp, exp),
        significand: g.mux(valid, near.significand, significand),
    }
}

/// Guard and round bit: what the sum keeps below the fraction beside the sticky bit.
const EXTRA: u32 = 2;

/// The sum where its leading bit is one of the three highest places, its hidden bit before it is rounded, which is set in the
/// sum as well, and whether it overflows before it is rounded.
fn far(
    g: &mut Graph,
    format: FloatFormat,
    [a, b]: [&Carried; 2],
    alignment: &Alignment,
) -> (Found, NodeId, NodeId) {
    let &Alignment { swap, subtract, .. } = alignment;
    let width = format.frac + 1 + EXTRA;
    let small = g.mux(swap, a.significand, b.significand);
    let large = g.mux(swap, b.significand, a.significand);
    let [small, large] = [small, large].map(|x| pad_low(g, x, EXTRA));
    // Distances that leave nothing are told apart while it is found out which one counts.
    let bits = bit_length(width - 1).min(format.exp);
    let [[forward, far_forward], [back, far_back]] = alignment.differences.map(|difference| {
        let over = (bits < format.exp).then(|| {
            let over = g.extract(difference, bits, format.exp - bits);
            any(g, over)
        });
        [Some(low(g, difference, bits)), over]
    });
    let select = |g: &mut Graph, back: Option<NodeId>, forward: Option<NodeId>| {
        Some(g.mux(swap, back?, forward?))
    };
    let over = select(g, far_back, far_forward);
    let distance = select(g, back, forward).expect("a distance has bits");
    name_low(g, distance, "distance");
    let [a_some, b_some] = [a, b].map(|x| any(g, x.significand));
    let some = g.mux(swap, a_some, b_some);
    let over = over.map(|over| (over, some));
    let (aligned, lost) = shift_right_lost(g, small, distance, over);
    g.name(aligned, "aligned");
    let mask = repeat(g, subtract, width);
    let addend = g.xor(aligned, mask);
    // A further bit at the bottom makes the two's complement's carry-in part of the one addition.
    let large = g.concat(&[large, subtract]);
    let addend = g.concat(&[addend, subtract]);
    let total = g.add(large, addend);
    let carry = g.bit(total, width + 1);
    let carry = and_not(g, carry, subtract);
    let total = g.extract(total, 1, width);
    g.name(total, "sum");
    let last = g.constant((1 << format.exp) - 2);
    let last = g.icmp(Predicate::Eq, alignment.exp, last);
    let overflow = g.and(carry, last);
    let sign = g.mux(swap, b.sign, a.sign);
    let (exp, significand) = chosen(g, format, alignment, [carry, total, lost]);
    let hidden = g.bit(significand.0, format.frac);
    // A carry out of the significand moves on to the exponent.
    let both = g.concat(&[exp, significand.0]);
    let both = g.add(both, significand.1);
    g.name(both, "rounded");
    let found = Found {
        sign,
        exp: g.extract(both, format.frac + 1, format.exp),
        significand: low(g, both, format.frac + 1),
    };
    (found, hidden, overflow)
}

/// Exponent and significand of a sum with a carry above, and whether the significand is increased to round it to nearest even.
/// What was lost below lies beyond a sum, and is missing from a difference: that is then less than it says, and no tie.
fn chosen(
    g: &mut Graph,
    format: FloatFormat,
    alignment: &Alignment,
    [carry, total, lost]: [NodeId; 3],
) -> (NodeId, (NodeId, NodeId)) {
    let width = g.width(total);
    let hidden = g.bit(total, width - 1);
    let add = g.not(alignment.subtract);
    // Without the hidden bit, a sum of subnormals stays one; a difference has exponents that allow one place more.
    let stays = g.or(hidden, add);
    let whole = g.concat(&[carry, total]);
    let exact = g.not(lost);
    // By the place of the first bit that is not kept.
    let by_place = [2, 1, 0].map(|half: u32| {
        let odd = g.bit(whole, half + 1);
        let (up_if_more, up_if_less) = (g.or(odd, lost), g.and(odd, exact));
        let up = match half {
            2 => up_if_more,
            1 => g.mux(alignment.subtract, up_if_less, up_if_more),
            _ => up_if_less,
        };
        let up = match half {
            0 => up,
            _ => {
                let rest = low(g, whole, half);
                let rest = any(g, rest);
                g.or(up, rest)
            }
        };
        let half_bit = g.bit(whole, half);
        let significand = g.extract(whole, half + 1, format.frac + 1);
        [significand, g.and(half_bit, up)]
    });
    let one = g.constant(1);
    let exps = [
        {
            let above = g.add(alignment.exp, one);
            low(g, above, format.exp)
        },
        alignment.exp,
        sub_low(g, alignment.exp, one, format.exp),
    ];
    let choose = |g: &mut Graph, [above, at, below]: [NodeId; 3]| {
        let at = g.mux(stays, at, below);
        g.mux(carry, above, at)
    };
    let significand = choose(g, by_place.map(|place| place[0]));
    let up = choose(g, by_place.map(|place| place[1]));
    let exp = choose(g, exps);
    g.name(up, "round_up");
    (exp, (significand, up))
}

/// The difference of operands with exponents that differ by one at most, and whether it is a result: exact, as the exponents
/// are equal or it is below the larger one's binade.
fn near(
    g: &mut Graph,
    format: FloatFormat,
    [a, b]: [&Carried; 2],
    alignment: &Alignment,
) -> (Found, NodeId) {
    let width = format.frac + 2;
    // Where the exponents are so close, two bits of each tell the rest.
    let [a_low, b_low] = [a, b].map(|x| low(g, x.exp, 2));
    let [a_above, b_above] = [(a_low, b_low), (b_low, a_low)].map(|(x, y)| is_next(g, x, y));
    // All four differences are there when it is known which one counts.
    let zero = zeros(g, 1);
    let [a_double, b_double] = [a, b].map(|x| g.concat(&[x.significand, zero]));
    let a_more = sub_low(g, a_double, b.significand, width);
    let b_more = sub_low(g, b_double, a.significand, width);
    let forward = g.sub(a.significand, b.significand);
    let back = sub_low(g, b.significand, a.significand, width - 1);
    let is_less = g.bit(forward, width - 1);
    let forward = low(g, forward, width - 1);
    let equal = g.mux(is_less, back, forward);
    let equal = g.concat(&[equal, zero]);
    let more = g.mux(a_above, a_more, b_more);
    let differ = g.or(a_above, b_above);
    let difference = g.mux(differ, more, equal);
    let same = and_not(g, is_less, differ);
    let negative = g.or(b_above, same);
    g.name(difference, "difference");
    let cancelled = g.bit(difference, width - 1);
    let cancelled = g.not(cancelled);
    // A subnormal number ends where its exponent does: a further bit stops the search for the leading one.
    let exps = i64::from(width).min((1i64 << format.exp) - 2);
    let stops: Vec<NodeId> = (1..=exps)
        .map(|exp| {
            let exp = g.constant(exp);
            g.icmp(Predicate::Eq, alignment.exp, exp)
        })
        .collect();
    let stops = g.concat(&stops);
    let stops = pad_low(g, stops, width - exps as u32);
    let until = g.or(difference, stops);
    let (normal, amount) = normalise_by(g, difference, until);
    let hidden = g.bit(normal, width - 1);
    let exp = sub_low(g, alignment.exp, amount, format.exp);
    let one = g.constant(1);
    let zero = none(g, difference);
    let sign = g.mux(negative, b.sign, a.sign);
    let same = none(g, alignment.differences[0]);
    let exact = g.or(same, cancelled);
    let close = alignment.is_close(g, format);
    let valid = g.and(alignment.subtract, close);
    let found = Found {
        sign: and_not(g, sign, zero),
        exp: g.mux(hidden, exp, one),
        significand: high(g, normal, format.frac + 1),
    };
    (found, g.and(valid, exact))
}

/// Whether `x` is `y + 1`, modulo 4: of two bits each. By the low bit of `y`, and not by the difference of the low bits, which
/// synthesis would take from the subtraction of the whole exponents.
fn is_next(g: &mut Graph, x: NodeId, y: NodeId) -> NodeId {
    let [[x0, x1], [y0, y1]] = [x, y].map(|value| [0, 1].map(|place| g.bit(value, place)));
    let differs = g.xor(x1, y1);
    let carried = and_not(g, differs, x0);
    let plain = and_not(g, x0, differs);
    g.mux(y0, carried, plain)
}
