//! `pow`: 2 to the power of y log2 x, with a logarithm of as many more bits as the result's exponent has.
//!
//! Special cases are those of IEEE 754-2019, section 9.2: the magnitude is decided by y log2 |x|, where the logarithm
//! of 0
//! is minus infinity; it is 1 if either factor is zero, whatever the other; the sign is that of x if y is an odd
//! integer.

use super::super::bits::{
    Grouped, and_not, any, bit_length, gate, high, low, none, normalise, repeat, saturate,
};
use super::super::unpack::{Unpacked, input, unpack};
use super::ending::{Ending, bias};
use super::exponential::{Argument, EXP2, from_one, power_of_two, reach};
use super::logarithm::log_of;
use super::piecewise::{BLOCK, Piecewise, Request};
use super::{Accuracy, Base, FAITHFUL};
use crate::hwarith::graph::{Graph, NodeId, Predicate};
use crate::ir::FloatFormat;

/// `x ** y` of two bit patterns `ui<width>`.
pub fn power(format: FloatFormat, accuracy: Accuracy) -> Option<Graph> {
    let mut g = Graph::new();
    let bits = format.frac + accuracy.beyond + 1;
    let tables = tables_of(bits)?;
    let (x, y) = (input(&mut g, format, 0), input(&mut g, format, 1));
    let x = unpack(&mut g, format, x);
    let y = unpack(&mut g, format, y);
    let (x, y) = (Operand::of(&mut g, &x), Operand::of(&mut g, &y));

    // The logarithm, its sign, and its leading bits.
    let top = reach(format);
    let exact = bits + top + 3;
    let is_correct = accuracy.beyond > FAITHFUL;
    // Formats other than those of 16 bits have error to spare (docs/function-errors.md): there the logarithm's ratio is
    // multiplied with as few bits as the logarithm is, by fewer blocks.
    let (relative, kept) = match is_correct {
        true => (exact, None),
        false => (exact - 2, Some(exact - 1)),
    };
    let (significand, field) = (x.significand, x.field);
    let sum = log_of(
        &mut g,
        format,
        significand,
        field,
        Base::Two,
        relative,
        kept,
    )?;
    let width = g.width(sum.value) - 1;
    let negative = g.bit(sum.value, width);
    let mask = repeat(&mut g, negative, width);
    let size = low(&mut g, sum.value, width);
    let size = g.xor(size, mask);
    let grouped = Grouped::new(&mut g, size);
    let (normal, shift) = normalise(&mut g, grouped, bit_length(width - 1), None);
    let shift = shift.expect("a logarithm has at least two bits");
    let log = high(&mut g, normal, exact.min(width));

    // y log2 |x|.
    let product = g.mul(log, y.significand);
    g.name(product, "product");
    let scale = g.constant(i64::from(width) - 1 - i64::from(sum.unit) - bias(format));
    let exponent = g.add(y.field, scale);
    let exponent = g.sub(exponent, shift);
    let most = g.constant(i64::from(top) - 1);
    let distance = g.sub(most, exponent);

    // |x| is 1, or y is 0.
    let one_field = g.constant(bias(format));
    let is_one = g.icmp(Predicate::Eq, x.field, one_field);
    let no_fraction = {
        let fraction = low(&mut g, x.significand, format.frac);
        none(&mut g, fraction)
    };
    let unit = g.and(is_one, no_fraction);
    let one = g.or(unit, y.zero);
    let other = g.not(one);
    let argument = Argument {
        significand: gate(&mut g, product, other),
        integer: top + 1,
        distance,
        bits: bits + 1,
    };
    let log_sign = and_not(&mut g, negative, x.infinite);
    let log_sign = g.or(log_sign, x.zero);
    let falls = g.xor(log_sign, y.sign);
    let power = argument.placed(&mut g, falls);
    let mut significand = power_of_two(&mut g, &tables, power.fraction);
    if is_correct {
        let grid = format.frac + accuracy.beyond - 1;
        significand = snapped(&mut g, significand, tables.unit, grid);
    }

    let far = g.or(power.over, x.zero);
    let far = g.or(far, x.infinite);
    let far = g.or(far, y.infinite);
    let far = g.and(far, other);
    let (integer, odd) = whole(&mut g, format, &y);
    let nan = {
        let either = g.or(x.nan, y.nan);
        let positive_one = and_not(&mut g, unit, x.sign);
        let either = and_not(&mut g, either, positive_one);
        let either = and_not(&mut g, either, y.zero);
        let finite = g.or(x.zero, x.infinite);
        let finite = g.not(finite);
        let negative = g.and(x.sign, finite);
        let broken = g.or(integer, y.infinite);
        let broken = and_not(&mut g, negative, broken);
        g.or(either, broken)
    };
    let offset = g.constant(2 * bias(format));
    let whole_part = {
        let width = g.width(power.whole);
        let mask = repeat(&mut g, other, width);
        let bits = g.extract(power.whole, 0, width);
        let bits = g.and(bits, mask);
        g.cast(bits, crate::hwarith::HwType::si(width))
    };
    let zero = g.and(far, falls);
    let ending = Ending {
        sign: g.and(x.sign, odd),
        nan,
        infinite: and_not(&mut g, far, falls),
        zero: and_not(&mut g, zero, nan),
        significand,
        exp: g.add(whole_part, offset),
    };
    Some(ending.rounded(g, format))
}

/// What a multiplier block counts in the choice of the table, in lookup tables: more than a block of RAM, of which a power
/// needs few.
const MULTIPLIER: u64 = BLOCK + BLOCK / 4;

/// The table of `2^t` with an error of 2^-bits.
pub(super) fn tables_of(bits: u32) -> Option<Piecewise> {
    let request = Request {
        pieces: vec![EXP2],
        argument: bits + 1,
        accuracy: bits,
    };
    Piecewise::priced(&request, MULTIPLIER)
}

/// A significand from 1 to 2 with `unit` bits after the point, to the nearest one with `grid` bits, which is twice the
/// error: a power that is exactly between two floats gets there, and no other does, if the accuracy is that of
/// `CORRECT`. What would become 2 stays below, where it rounds alike: powers of two are exact anyway.
fn snapped(g: &mut Graph, significand: NodeId, unit: u32, grid: u32) -> NodeId {
    let dropped = unit - grid;
    let half = g.constant(1i64 << (dropped - 1));
    let sum = g.add(significand, half);
    let nearest = high(g, sum, grid + 2);
    g.name(nearest, "snapped");
    from_one(g, nearest, grid)
}

/// An operand, normalised, with its classes.
struct Operand {
    sign: NodeId,
    significand: NodeId,
    /// Exponent field of the normalised significand, signed.
    field: NodeId,
    zero: NodeId,
    infinite: NodeId,
    nan: NodeId,
}

impl Operand {
    fn of(g: &mut Graph, x: &Unpacked) -> Operand {
        let (significand, field) = x.normalised(g);
        let special = x.is_special(g);
        let payload = any(g, x.frac);
        Operand {
            sign: x.sign,
            significand,
            field,
            zero: and_not(g, x.tiny, payload),
            infinite: and_not(g, special, payload),
            nan: g.and(special, payload),
        }
    }
}

/// Whether a finite operand is an integer, and an odd one. Zero is even; infinity is neither.
fn whole(g: &mut Graph, format: FloatFormat, y: &Operand) -> (NodeId, NodeId) {
    let one_field = g.constant(bias(format));
    let exponent = g.sub(y.field, one_field);
    let sign = g.width(exponent) - 1;
    let small = g.bit(exponent, sign);
    let amount = low(g, exponent, sign);
    let amount = saturate(g, amount, bit_length(format.frac + 1));
    // The units come to the top, the fraction below.
    let shifted = g.shl(y.significand, amount);
    let units = g.bit(shifted, format.frac);
    let rest = low(g, shifted, format.frac);
    let integer = none(g, rest);
    let integer = and_not(g, integer, small);
    let integer = g.or(integer, y.zero);
    let odd = g.and(units, integer);
    let odd = and_not(g, odd, y.zero);
    (integer, and_not(g, odd, y.infinite))
}
