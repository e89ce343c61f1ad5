//! `tanh` and `erf`: odd functions that end in 1, by a table of polynomials for each binade of the argument.
//!
//! In a binade the result is so many powers of two as the argument has, times a number from 1/2 to 4; from 1 on, a
//! number
//! below 1. In the lowest binades the function is a line, as exact as asked for; above the highest it is 1.

use super::super::bits::{Grouped, all, any, bit_length, gate, low, none, normalise, pad_low};
use super::super::unpack::{input, unpack};
use super::Accuracy;
use super::ending::{Ending, bias};
use super::evaluate::evaluate;
use super::piecewise::{Piece, Piecewise, Request};
use super::smooth::{Slope, Smooth};
use crate::hwarith::graph::{Graph, NodeId, Predicate};
use crate::hwarith::types::HwType;
use crate::ir::FloatFormat;

/// `tanh x` or `erf x` of a bit pattern `ui<width>`.
pub fn step(format: FloatFormat, function: Smooth, accuracy: Accuracy) -> Option<Graph> {
    let mut g = Graph::new();
    let beyond = format.frac + accuracy.beyond;
    let bias = bias(format);
    // The cubic term, x^2/3 relative to the result, is below the error asked for; `1 - tanh x < 2 exp(-2x)` and
    // `erfc x < exp(-x^2)` too, from where x^2
    // is that many natural logarithms of 2.
    let lowest = -(i64::from(beyond) + 1) / 2;
    let (slope, highest) = match function {
        Smooth::Erf => (Slope::TwoOverRootPi, ((beyond + 1) * 7 / 10).isqrt() + 1),
        _ => (Slope::One, (beyond + 2) / 2),
    };
    let highest = i64::from(highest.ilog2()).min(bias);
    let line = Piece {
        function: Smooth::Line(slope),
        start: 1,
        span: 0,
        scale: 0,
    };
    let binade = |e: i64| Piece {
        function,
        start: 1,
        span: e as i32,
        scale: -(e.min(0) as i32),
    };
    let pieces = std::iter::once(line).chain((lowest..=highest).map(binade));
    let tables = Piecewise::new(&Request {
        pieces: pieces.collect(),
        argument: format.frac,
        // Results are from 4/5 on.
        accuracy: beyond + 1,
    })?;
    let x = input(&mut g, format, 0);
    let x = unpack(&mut g, format, x);
    let (significand, field) = x.normalised(&mut g);
    let fraction = low(&mut g, significand, format.frac);
    let first = g.constant(lowest + bias);
    let piece = piece(&mut g, field, first, (highest - lowest + 2) as u32);
    let value = evaluate(&mut g, &tables, Some(piece), fraction);
    g.name(value, "value");
    let value = g.cast(value, HwType::ui(tables.unit + 2));
    let grouped = Grouped::new(&mut g, value);
    let (normal, shift) = normalise(&mut g, grouped, 2, None);
    let shift = shift.expect("two levels");
    let last = g.constant(highest + bias);
    let above = g.icmp(Predicate::Gt, field, last);
    // From 1 on results are below 1 as they are, that is 2^(bias) fields.
    let zero = g.constant(0);
    let most = g.constant(bias);
    let large = g.icmp(Predicate::Gt, field, most);
    let place = g.mux(large, most, field);
    let base = g.constant(bias + 1);
    let exp = g.add(place, base);
    let exp = g.sub(exp, shift);
    let normal_width = g.width(normal);
    let one = g.constant(1);
    let one = pad_low(&mut g, one, normal_width - 1);
    let significand = g.mux(above, one, normal);
    let unit_field = g.constant(2 * bias);
    let exp = g.mux(above, unit_field, exp);
    let payload = any(&mut g, x.frac);
    let special = all(&mut g, x.exp);
    let nan = g.and(special, payload);
    let empty = none(&mut g, x.frac);
    let null = g.and(x.tiny, empty);
    let ending = Ending {
        sign: x.sign,
        nan,
        infinite: zero,
        zero: null,
        significand,
        exp,
    };
    Some(ending.rounded(g, format))
}

/// The number of a piece: 0 below the field `first`, else how far the field is above it, and 1; of `count` pieces.
pub(super) fn piece(g: &mut Graph, field: NodeId, first: NodeId, count: u32) -> NodeId {
    let one = g.constant(1);
    let before = g.sub(first, one);
    let number = g.sub(field, before);
    let sign = g.width(number) - 1;
    let negative = g.bit(number, sign);
    let bits = bit_length(count - 1);
    let number = low(g, number, bits);
    let within = g.not(negative);
    gate(g, number, within)
}
