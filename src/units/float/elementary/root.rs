//! `rsqrt`: the reciprocal square root of a significand from 1 to 4, by a table; half of the exponent.

use super::super::bits::{and_not, any, gate, low};
use super::super::unpack::{input, unpack};
use super::Accuracy;
use super::ending::{Ending, bias};
use super::evaluate::{evaluate, floor};
use super::exponential::from_one;
use super::piecewise::{Piece, Piecewise, Request};
use super::smooth::Smooth;
use crate::hwarith::graph::Graph;
use crate::ir::FloatFormat;

/// `1 / sqrt x` of a bit pattern `ui<width>`.
pub fn reciprocal_root(format: FloatFormat, accuracy: Accuracy) -> Option<Graph> {
    let mut g = Graph::new();
    let x = input(&mut g, format, 0);
    let x = unpack(&mut g, format, x);
    let (significand, field) = x.normalised(&mut g);
    // The result is from 1/2 to 1; twice that, it is off by less than the last place's share of it.
    let piece = |start, span| Piece {
        function: Smooth::Rsqrt,
        start,
        span,
        scale: 1,
    };
    let tables = Piecewise::new(&Request {
        pieces: vec![piece(1, 0), piece(1, 1)],
        argument: format.frac,
        accuracy: format.frac + accuracy.beyond,
    })?;
    // x = 2^(2q + p) m: the bias is odd.
    let one_field = g.constant(bias(format));
    let exponent = g.sub(field, one_field);
    let odd = g.bit(exponent, 0);
    let half = floor(&mut g, exponent, 1);
    let fraction = low(&mut g, significand, format.frac);
    let root = evaluate(&mut g, &tables, Some(odd), fraction);
    g.name(root, "root");
    // Only of 1 it is 2 (in halves), exactly; no other significand gives more than 2 less half of a last place.
    let inexact = any(&mut g, fraction);
    let below_two = g.or(inexact, odd);
    let is_two = g.not(below_two);
    let significand = from_one(&mut g, root, tables.unit);
    let rest = low(&mut g, significand, tables.unit);
    let rest = gate(&mut g, rest, below_two);
    let one = g.constant(1);
    let special = x.is_special(&mut g);
    let payload = any(&mut g, x.frac);
    let nan = g.and(special, payload);
    let zero = and_not(&mut g, x.tiny, payload);
    let negative = and_not(&mut g, x.sign, zero);
    let nan = g.or(nan, negative);
    // The value is 2^-(q + 1) times the significand, or twice that.
    let last = g.constant(2 * bias(format) - 1);
    let exp = g.sub(last, half);
    let ending = Ending {
        sign: g.and(x.sign, zero),
        nan,
        infinite: zero,
        zero: and_not(&mut g, special, nan),
        significand: g.concat(&[one, rest]),
        exp: g.add(exp, is_two),
    };
    Some(ending.rounded(g, format))
}
