//! `sin`, `cos` and `tan`: the argument in quarter turns, exactly reduced, and tables for an eighth of the circle.
//!
//! x 2/pi modulo 4 is a product of the significand and a window of the bits of 2/pi, chosen by the exponent, that
//! leaves out
//! what are multiples of 4 (Payne and Hanek, Radian reduction for trigonometric functions, SIGNUM 18, 1983). How close
//! an
//! argument comes to a quarter turn is found by continued fractions (Muller, Elementary Functions, 3rd ed., 2016,
//! section 11.3.2),
//! for every exponent, so that the window is wide enough for the relative error asked for.

use super::super::bits::{Grouped, bit_length, gate, high, low, none, normalise, pad_low, repeat};
use super::super::unpack::{Unpacked, input, unpack};
use super::Accuracy;
use super::ball::Fixed;
use super::ending::{Ending, bias};
use super::evaluate::evaluate;
use super::piecewise::{Piece, Piecewise, Request};
use super::smooth::Smooth;
use crate::hwarith::graph::{Graph, NodeId, Predicate};
use crate::hwarith::types::HwType;
use crate::ir::FloatFormat;
use crate::units::divide::recurrence;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Zero};

/// What is asked for of an angle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wave {
    /// The sine.
    Sine,
    /// The cosine.
    Cosine,
}

/// `sin x` or `cos x` of a bit pattern `ui<width>`.
pub fn wave(format: FloatFormat, wave: Wave, accuracy: Accuracy) -> Option<Graph> {
    let mut g = Graph::new();
    let beyond = format.frac + accuracy.beyond;
    let x = input(&mut g, format, 0);
    let x = unpack(&mut g, format, x);
    let angle = Angle::of(&mut g, format, &x, beyond + 2)?;
    // Quarter turns: the cosine is a quarter ahead.
    let quarter = match wave {
        Wave::Sine => angle.quarter,
        Wave::Cosine => {
            let one = g.constant(1);
            let sum = g.add(angle.quarter, one);
            low(&mut g, sum, 2)
        }
    };
    let odd = g.bit(quarter, 0);
    let half = g.bit(quarter, 1);
    // From an eighth on the angle is taken from the other axis, where the other wave is.
    let other = g.xor(odd, angle.folded);
    let sign = match wave {
        Wave::Sine => g.xor(half, x.sign),
        Wave::Cosine => half,
    };
    let tables = tables(
        &[Smooth::SineRatio, Smooth::Cosine],
        beyond + 2,
        angle.argument,
    )?;
    let ratio = evaluate(&mut g, &tables, Some(other), angle.t);
    g.name(ratio, "ratio");
    // The sine is the angle times its ratio, the cosine is there as it is.
    let width = g.width(angle.normal);
    let one = g.constant(1);
    let one = pad_low(&mut g, one, width - 1);
    let factor = g.mux(other, one, angle.normal);
    let ratio = g.cast(ratio, HwType::ui(tables.unit + 1));
    let product = g.mul(factor, ratio);
    g.name(product, "product");
    // From 1/2 (an angle of 1/2, times 1.41) up to 1.57.
    let grouped = Grouped::new(&mut g, product);
    let (normal, shift) = normalise(&mut g, grouped, 2, None);
    let shift = shift.expect("two levels");
    let zero = g.constant(0);
    let straight = g.not(other);
    let width = g.width(angle.distance);
    let mask = repeat(&mut g, straight, width);
    let distance = g.and(angle.distance, mask);
    // The product's top bit is worth 2, times the factor's scale: 1 for the cosine, 1/2 at most for the angle.
    let top = g.constant(2 * bias(format) + 1);
    let exp = g.sub(top, distance);
    let exp = g.sub(exp, shift);
    let special = x.is_special(&mut g);
    let empty = none(&mut g, x.frac);
    let null = g.and(x.tiny, empty);
    let null = match wave {
        Wave::Sine => null,
        Wave::Cosine => zero,
    };
    let ending = Ending {
        sign,
        nan: special,
        infinite: zero,
        zero: null,
        significand: normal,
        exp,
    };
    Some(ending.rounded(g, format))
}

/// `tan x` of a bit pattern `ui<width>`: the quotient of the two waves, by digit recurrence.
pub fn tangent(format: FloatFormat, accuracy: Accuracy) -> Option<Graph> {
    let mut g = Graph::new();
    let beyond = format.frac + accuracy.beyond;
    let x = input(&mut g, format, 0);
    let x = unpack(&mut g, format, x);
    let angle = Angle::of(&mut g, format, &x, beyond + 3)?;
    let odd = g.bit(angle.quarter, 0);
    // From an eighth on the angle is taken from the other axis, where the waves change places.
    let other = g.xor(odd, angle.folded);
    let sine = tables(&[Smooth::SineRatio], beyond + 3, angle.argument)?;
    let cosine = tables(&[Smooth::Cosine], beyond + 3, angle.argument)?;
    let ratio = evaluate(&mut g, &sine, None, angle.t);
    let ratio = g.cast(ratio, HwType::ui(sine.unit + 1));
    let sine = g.mul(angle.normal, ratio);
    let cosine_width = cosine.unit + 1;
    let cosine = evaluate(&mut g, &cosine, None, angle.t);
    let cosine = g.cast(cosine, HwType::ui(cosine_width));
    // Top bits worth 2 (times the angle's) and 1: the sine's exponent is 1 - shift - distance, the cosine's -shift.
    let steps = beyond + 4;
    let normal = |g: &mut Graph, value: NodeId, levels: u32| {
        let grouped = Grouped::new(g, value);
        let (normal, shift) = normalise(g, grouped, levels, None);
        (resize(g, normal, steps), shift.expect("there are levels"))
    };
    let (sine, sine_shift) = normal(&mut g, sine, 2);
    let (cosine, cosine_shift) = normal(&mut g, cosine, 1);
    g.name(sine, "sine");
    g.name(cosine, "cosine");
    let one = g.constant(1);
    let exponent = g.add(one, cosine_shift);
    let exponent = g.sub(exponent, sine_shift);
    let exponent = g.sub(exponent, angle.distance);
    let zero = g.constant(0);
    let reversed = g.sub(zero, exponent);
    let exponent = g.mux(other, reversed, exponent);
    let numerator = g.mux(other, cosine, sine);
    let denominator = g.mux(other, sine, cosine);
    // Half of the one is below the other.
    let half = g.extract(numerator, 1, steps - 1);
    let last = g.bit(numerator, 0);
    let below = pad_low(&mut g, last, steps - 1);
    let (quotient, _) = recurrence(&mut g, half, Some(below), denominator, steps);
    let grouped = Grouped::new(&mut g, quotient);
    let (significand, shift) = normalise(&mut g, grouped, 1, None);
    let shift = shift.expect("one level");
    let offset = g.constant(2 * bias(format));
    let exp = g.add(exponent, offset);
    let special = x.is_special(&mut g);
    let empty = none(&mut g, x.frac);
    let ending = Ending {
        sign: g.xor(odd, x.sign),
        nan: special,
        infinite: zero,
        zero: g.and(x.tiny, empty),
        significand,
        exp: g.sub(exp, shift),
    };
    Some(ending.rounded(g, format))
}

/// A normalised number in so many bits.
fn resize(g: &mut Graph, value: NodeId, bits: u32) -> NodeId {
    match g.width(value) {
        have if have < bits => pad_low(g, value, bits - have),
        _ => high(g, value, bits),
    }
}

/// Tables of waves of up to an eighth of the circle, of the sine its ratio to the angle.
fn tables(functions: &[Smooth], accuracy: u32, argument: u32) -> Option<Piecewise> {
    let piece = |&function| Piece {
        function,
        start: 0,
        span: -1,
        scale: 0,
    };
    Piecewise::new(&Request {
        pieces: functions.iter().map(piece).collect(),
        argument,
        accuracy,
    })
}

/// An angle in quarter turns: `|x| 2/pi` modulo 4.
struct Angle {
    /// The quarter that it lies in, `ui2`.
    quarter: NodeId,
    /// It is in the second half of its quarter: the rest is the distance from the next one.
    folded: NodeId,
    /// The distance from the nearest axis, from 0 to 1/2, twice that as a fraction.
    t: NodeId,
    /// Bits of `t`.
    argument: u32,
    /// The distance, its top bit 1.
    normal: NodeId,
    /// What the top bit is worth is 2 to minus this.
    distance: NodeId,
}

impl Angle {
    /// With a relative error of the distance below 2^-accuracy.
    fn of(g: &mut Graph, format: FloatFormat, x: &Unpacked, accuracy: u32) -> Option<Angle> {
        let bias = bias(format);
        // Below this exponent the wave is a line or 1, and the reduction that of this exponent, times a power of two.
        let lowest = -i64::from(accuracy / 2 + 1);
        let (significand, field) = x.normalised(g);
        let first = g.constant(lowest + bias);
        let below = g.icmp(Predicate::Lt, field, first);
        let index = g.sub(field, first);
        let exponents = ((1i64 << format.exp) - 2 - bias - lowest + 1) as u32;
        let bits = bit_length(exponents - 1);
        let index = low(g, index, bits);
        let kept = g.not(below);
        let index = gate(g, index, kept);
        let missing = g.sub(first, field);
        let width = g.width(missing);
        let missing = low(g, missing, width - 1);
        let missing = gate(g, missing, below);
        let windows = Windows::new(format, lowest, exponents, accuracy);
        let window = g.table(windows.words.clone(), index);
        g.name(window, "two_over_pi");
        let product = g.mul(significand, window);
        let product = low(g, product, 2 + windows.fraction);
        g.name(product, "turns");
        let quarter = high(g, product, 2);
        let folded = g.bit(product, windows.fraction - 1);
        let rest = low(g, product, windows.fraction - 1);
        // The complement is off by one in the last place, within the error.
        let mask = repeat(g, folded, windows.fraction - 1);
        let rest = g.xor(rest, mask);
        let argument = accuracy.min(windows.fraction - 1);
        let t = high(g, rest, argument);
        let grouped = Grouped::new(g, rest);
        let levels = bit_length(windows.zeros + 1);
        let (normal, shift) = normalise(g, grouped, levels, None);
        let shift = shift?;
        let normal = high(g, normal, (accuracy + 2).min(windows.fraction - 1));
        // Its top bit is worth 1/4.
        let one = g.constant(2);
        let distance = g.add(shift, one);
        let distance = g.add(distance, missing);
        Some(Angle {
            quarter,
            folded,
            t,
            argument,
            normal,
            distance,
        })
    }
}

/// Bits of 2/pi for every exponent.
struct Windows {
    /// For a significand with its lowest bit as 1: `2^(exponent - frac) 2/pi` modulo 4, in units of 2^-fraction.
    words: Vec<BigInt>,
    /// Bits after the point.
    fraction: u32,
    /// Most leading zeros of a distance.
    zeros: u32,
}

impl Windows {
    fn new(format: FloatFormat, lowest: i64, count: u32, accuracy: u32) -> Windows {
        let top = lowest as i32 + count as i32;
        let f = Fixed {
            bits: (top.max(0) as u32) + 4 * format.width() + accuracy + 64,
        };
        let ratio = f.div(&f.int(2), &f.pi()).mid;
        let exponents = || (0..count as i32).map(|i| lowest as i32 + i - format.frac as i32);
        let zeros = exponents()
            .map(|e| closest(&ratio, (f.bits as i32 - e) as u32, format.frac + 1))
            .max()
            .unwrap_or(0);
        // The product is off by the significand times a unit, and one for a complement.
        let fraction = accuracy + zeros + format.frac + 3;
        let word = |e: i32| {
            let down = f.bits as i32 - e - fraction as i32;
            let shifted = if down >= 0 {
                &ratio >> down
            } else {
                &ratio << -down
            };
            shifted & ((BigInt::one() << (fraction + 2)) - 1)
        };
        Windows {
            words: exponents().map(word).collect(),
            fraction,
            zeros,
        }
    }
}

/// How many zeros follow the point, at most, of the distance between a multiple of `ratio * 2^-point` by a number of
/// so many bits
/// and an integer.
fn closest(ratio: &BigInt, point: u32, bits: u32) -> u32 {
    // |m r - k| is least for the convergents of r, of which m are the denominators.
    let unit = BigInt::one() << point;
    let most = BigInt::one() << bits;
    let part = ratio.mod_floor(&unit);
    let mut rest = (unit.clone(), part.clone());
    let (mut last, mut this) = (BigInt::zero(), BigInt::one());
    let mut least = unit.clone();
    while this <= most && !rest.1.is_zero() {
        let turns = (&this * &part).mod_floor(&unit);
        least = least.min(&unit - &turns).min(turns);
        let (quotient, remainder) = rest.0.div_rem(&rest.1);
        rest = (rest.1, remainder);
        let next = quotient * &this + &last;
        last = std::mem::replace(&mut this, next);
    }
    (unit.bits() - least.bits()) as u32
}
