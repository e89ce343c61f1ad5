//! `exp` and `exp2`: the argument as a fixed-point number, its fraction by a table, its integer part as the exponent.
//!
//! `exp x = 2^(x log2 e)` (Muller, Elementary Functions, 3rd ed., 2016, section 11.1, with 2 as base).

use super::super::bits::{
    and_not, any, bit_length, gate, high, low, pad_low, repeat, saturate, shift_right,
};
use super::super::unpack::{Unpacked, input, unpack};
use super::ball::Fixed;
use super::ending::{Ending, bias};
use super::evaluate::{evaluate, floor};
use super::piecewise::{Piece, Piecewise, Request};
use super::smooth::Smooth;
use super::{Accuracy, Base};
use crate::hwarith::graph::{Graph, NodeId};
use crate::hwarith::types::HwType;
use crate::ir::FloatFormat;
use num_bigint::BigInt;
use num_traits::One;

/// `2^x` or `e^x` of a bit pattern `ui<width>`.
pub fn exponential(format: FloatFormat, base: Base, accuracy: Accuracy) -> Option<Graph> {
    let mut g = Graph::new();
    // Half of the error for the table, less than the rest for the argument.
    let bits = format.frac + accuracy.beyond + 1;
    let tables = Piecewise::new(&Request {
        pieces: vec![EXP2],
        argument: bits + 1,
        accuracy: bits,
    })?;
    let x = input(&mut g, format, 0);
    let x = unpack(&mut g, format, x);
    let argument = binary_argument(&mut g, format, &x, base, bits + 1);
    let power = argument.placed(&mut g, x.sign);
    let significand = power_of_two(&mut g, &tables, power.fraction);
    let special = x.is_special(&mut g);
    let payload = any(&mut g, x.frac);
    let nan = g.and(special, payload);
    let far = g.or(power.over, special);
    let offset = g.constant(2 * bias(format));
    let ending = Ending {
        sign: g.constant(0),
        nan,
        infinite: and_not(&mut g, far, x.sign),
        zero: {
            let falls = g.and(far, x.sign);
            and_not(&mut g, falls, nan)
        },
        significand,
        exp: g.add(power.whole, offset),
    };
    Some(ending.rounded(g, format))
}

/// The table of `2^t`.
pub(super) const EXP2: Piece = Piece {
    function: Smooth::Exp2,
    start: 0,
    span: 0,
    scale: 0,
};

/// `2^t` for a fraction, from 1 to less than 2, by a table of [`EXP2`] alone. 1 is exact, so that half of the least
/// number
/// rounds to even.
pub(super) fn power_of_two(g: &mut Graph, tables: &Piecewise, fraction: NodeId) -> NodeId {
    let power = evaluate(g, tables, None, fraction);
    g.name(power, "power");
    let significand = from_one(g, power, tables.unit);
    let rest = low(g, significand, tables.unit);
    let inexact = any(g, fraction);
    let rest = gate(g, rest, inexact);
    let one = g.constant(1);
    g.concat(&[one, rest])
}

/// A number from 1 to 2 of so many bits after the point, which an error may have carried beyond either: the nearest
/// within,
/// unsigned, its top bit 1.
pub(super) fn from_one(g: &mut Graph, value: NodeId, unit: u32) -> NodeId {
    let value = g.cast(value, HwType::ui(unit + 2));
    let two = g.bit(value, unit + 1);
    let one = g.bit(value, unit);
    let rest = low(g, value, unit);
    let enough = g.or(one, two);
    let rest = gate(g, rest, enough);
    let most = repeat(g, two, unit);
    let rest = g.or(rest, most);
    let one = g.constant(1);
    g.concat(&[one, rest])
}

/// A number to be an exponent of 2: unsigned, normalised or zero.
pub(super) struct Argument {
    /// Its bits.
    pub significand: NodeId,
    /// Bits before the point that these have if `distance` is 0.
    pub integer: u32,
    /// How far the significand is to be moved right, signed; negative if the power is beyond all numbers.
    pub distance: NodeId,
    /// Bits after the point that are wanted.
    pub bits: u32,
}

/// An exponent in fixed point.
pub(super) struct Power {
    /// Its integer part, rounded down; signed.
    pub whole: NodeId,
    /// What is above that.
    pub fraction: NodeId,
    /// The power is beyond all numbers, or below half of the least.
    pub over: NodeId,
}

/// Logarithm of a number from which on powers of 2 overflow or are less than half of the least number.
pub(super) fn reach(format: FloatFormat) -> u32 {
    bit_length((1 << (format.exp - 1)) + format.frac + 2)
}

/// The magnitude of x, for the base e times log2 e, with an error of 2^-bits, for as many bits after the point.
pub(super) fn binary_argument(
    g: &mut Graph,
    format: FloatFormat,
    x: &Unpacked,
    base: Base,
    bits: u32,
) -> Argument {
    let top = reach(format);
    // Where a subnormal number is below 1/32 of 1's last place, its exponent alone decides.
    let (significand, field) = match bias(format) > i64::from(format.frac) + 4 {
        true => {
            let one = g.constant(1);
            (g.concat(&[one, x.frac]), x.exp)
        }
        false => x.normalised(g),
    };
    let (significand, integer) = match base {
        Base::Two => (significand, top),
        Base::E => {
            // The constant's error, times 2^top, is an eighth of the last bit at most.
            let factor = log2_e(bits + top + 2);
            let factor = g.constant(factor);
            (g.mul(significand, factor), top + 1)
        }
    };
    let most = g.constant(bias(format) + i64::from(top) - 1);
    Argument {
        significand,
        integer,
        distance: g.sub(most, field),
        bits,
    }
}

impl Argument {
    /// The number, or its negative.
    pub fn placed(self, g: &mut Graph, negative: NodeId) -> Power {
        let width = self.integer + self.bits;
        let fixed = match g.width(self.significand) {
            have if have < width => pad_low(g, self.significand, width - have),
            _ => high(g, self.significand, width),
        };
        let sign = g.width(self.distance) - 1;
        let over = g.bit(self.distance, sign);
        let amount = low(g, self.distance, sign);
        let amount = saturate(g, amount, bit_length(width));
        let size = shift_right(g, fixed, amount);
        let zero = g.constant(0);
        let negated = g.sub(zero, size);
        let value = g.mux(negative, negated, size);
        g.name(value, "exponent");
        Power {
            whole: floor(g, value, self.bits),
            fraction: low(g, value, self.bits),
            over,
        }
    }
}

/// `log2 e`, rounded to so many bits after the point.
fn log2_e(bits: u32) -> BigInt {
    let f = Fixed { bits: bits + 40 };
    let ball = f.div(&f.int(1), &f.ln_2());
    (ball.mid + (BigInt::one() << 39)) >> 40u32
}
