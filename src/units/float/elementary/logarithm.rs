//! `log` and `log2`: the exponent and the logarithm of a significand near 1, as one fixed-point sum.
//!
//! x = 2^E (1 + r) with r from -1/4 to 1/2; log(1 + r) = r Q(r) with a table for Q, so that the product is as exact,
//! relative to
//! the result, as the table (Muller, Elementary Functions, 3rd ed., 2016, section 4.2, with one step of reduction).
//! With E other
//! than 0 the sum is at least 0.4 in magnitude: nothing cancels.

use super::super::bits::{
    Grouped, and_not, any, bit_length, low, none, normalise, pad_low, repeat,
};
use super::super::unpack::{input, unpack};
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

/// `ln x` or `log2 x` of a bit pattern `ui<width>`.
pub fn logarithm(format: FloatFormat, base: Base, accuracy: Accuracy) -> Option<Graph> {
    let mut g = Graph::new();
    let x = input(&mut g, format, 0);
    let x = unpack(&mut g, format, x);
    let (significand, field) = x.normalised(&mut g);
    let sum = log_of(
        &mut g,
        format,
        significand,
        field,
        base,
        format.frac + accuracy.beyond,
        None,
    )?;
    let width = g.width(sum.value);
    let sign = g.bit(sum.value, width - 1);
    // The complement is off by one in the last place, which is far below what counts.
    let mask = repeat(&mut g, sign, width - 1);
    let size = low(&mut g, sum.value, width - 1);
    let size = g.xor(size, mask);
    let grouped = Grouped::new(&mut g, size);
    let null = grouped.is_zero(&mut g);
    let (normal, shift) = normalise(&mut g, grouped, bit_length(width - 2), None);
    let shift = shift.expect("a sum has at least two bits");
    let special = x.is_special(&mut g);
    let payload = any(&mut g, x.frac);
    let nan = g.and(special, payload);
    let empty = none(&mut g, x.frac);
    let zero = g.and(x.tiny, empty);
    let below = and_not(&mut g, x.sign, zero);
    let nan = g.or(nan, below);
    let sign = g.or(sign, zero);
    let offset = 2 * bias(format) + i64::from(width - 2) - i64::from(sum.unit);
    let offset = g.constant(offset);
    let ending = Ending {
        sign: and_not(&mut g, sign, null),
        nan,
        infinite: g.or(special, zero),
        zero: null,
        significand: normal,
        exp: g.sub(offset, shift),
    };
    Some(ending.rounded(g, format))
}

/// A logarithm in fixed point.
pub(super) struct Sum {
    /// Signed.
    pub value: NodeId,
    /// Bits after the point.
    pub unit: u32,
}

/// The logarithm of a number by its normalised significand and its exponent field (signed), with a relative error of
/// 2^-accuracy. `kept`: how many bits of the ratio after the point are multiplied, at least one more than the accuracy;
/// all of them, if left out.
pub(super) fn log_of(
    g: &mut Graph,
    format: FloatFormat,
    significand: NodeId,
    field: NodeId,
    base: Base,
    accuracy: u32,
    kept: Option<u32>,
) -> Option<Sum> {
    let function = match base {
        Base::Two => Smooth::Log2Ratio,
        Base::E => Smooth::LogRatio,
    };
    let tables = Piecewise::new(&Request {
        pieces: vec![
            Piece {
                function,
                start: 0,
                span: -1,
                scale: 0,
            },
            Piece {
                function,
                start: -1,
                span: -2,
                scale: 0,
            },
        ],
        argument: format.frac - 1,
        // The ratio is above 4/5, and half of the error is for what follows.
        accuracy: accuracy + 2,
    })?;
    // From 1.5 on the significand is halved. Either way the argument of the table is what follows that bit.
    let frac = low(g, significand, format.frac);
    let halved = g.bit(frac, format.frac - 1);
    let t = low(g, frac, format.frac - 1);
    let ratio = evaluate(g, &tables, Some(halved), t);
    let kept = kept.map_or(tables.unit, |kept| kept.min(tables.unit));
    let ratio = floor(g, ratio, tables.unit - kept);
    g.name(ratio, "ratio");
    // r in units of 2^-(frac + 1).
    let up = pad_low(g, frac, 1);
    let down = g.cast(frac, HwType::si(format.frac));
    let r = g.mux(halved, down, up);
    let product = g.mul(r, ratio);
    g.name(product, "product");
    let unit = format.frac + 1 + kept;
    let one_field = g.constant(bias(format));
    let exponent = g.sub(field, one_field);
    let exponent = g.add(exponent, halved);
    let bits = match base {
        Base::Two => 0,
        Base::E => accuracy + 4,
    };
    let whole = match base {
        Base::Two => exponent,
        Base::E => {
            let factor = g.constant(ln_2(bits));
            g.mul(exponent, factor)
        }
    };
    let whole = match bits <= unit {
        true => {
            let width = g.width(whole) + unit - bits;
            let padded = pad_low(g, whole, unit - bits);
            g.cast(padded, HwType::si(width))
        }
        false => floor(g, whole, bits - unit),
    };
    let value = g.add(whole, product);
    g.name(value, "logarithm");
    Some(Sum { value, unit })
}

/// The natural logarithm of 2, rounded to so many bits after the point.
fn ln_2(bits: u32) -> BigInt {
    let ball = Fixed { bits: bits + 40 }.ln_2();
    (ball.mid + (BigInt::one() << 39)) >> 40u32
}
