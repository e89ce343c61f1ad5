//! Division: both significands normalised, the quotient by digit recurrence or by products, with an exact remainder.
//!
//! Muller et al., Handbook of Floating-Point Arithmetic, 2nd ed., section 8.6; Ercegovac and Lang, Digital
//! Arithmetic, 2004, chapter 5.

use super::bits::{any, pad_low};
use super::finish::finish;
use super::high_radix;
use super::scale::{Classes, Scaled, Subnormals};
use super::unpack::{input, unpack};
use crate::hwarith::graph::{Graph, NodeId};
use crate::ir::FloatFormat;
use crate::units::divide::recurrence;
use num_bigint::BigInt;
use num_traits::One;

/// `a / b` of two bit patterns `ui<width>`.
pub fn div(format: FloatFormat) -> Graph {
    quotient(format, Subnormals::Keep, by_recurrence)
}

/// As [`div`], in fewer cycles and lookup tables, with multiplier blocks.
pub fn div_high_radix(format: FloatFormat) -> Graph {
    quotient(format, Subnormals::Keep, by_products)
}

/// As [`div`], with zeros in place of subnormal operands and results.
pub fn div_flushing(format: FloatFormat) -> Graph {
    quotient(format, Subnormals::Flush, by_recurrence)
}

/// Of significands `x` and `y` with `p` bits, `x 2^(p + 1) / y` rounded down, `ui<p + 2>`, and whether that is inexact.
type Significands = fn(&mut Graph, NodeId, NodeId) -> (NodeId, NodeId);

fn by_recurrence(g: &mut Graph, x: NodeId, y: NodeId) -> (NodeId, NodeId) {
    // Half of x is below y.
    let width = g.width(x);
    let half = g.extract(x, 1, width - 1);
    let last = g.bit(x, 0);
    let below = pad_low(g, last, width + 1);
    let (quotient, remainder) = recurrence(g, half, Some(below), y, width + 2);
    (quotient, any(g, remainder))
}

fn by_products(g: &mut Graph, x: NodeId, y: NodeId) -> (NodeId, NodeId) {
    let bits = g.width(x) + 1;
    high_radix::quotient(g, x, y, bits).unwrap_or_else(|| by_recurrence(g, x, y))
}

fn quotient(format: FloatFormat, small: Subnormals, divide: Significands) -> Graph {
    let mut g = Graph::new();
    let (a, b) = (input(&mut g, format, 0), input(&mut g, format, 1));
    let a = unpack(&mut g, format, a);
    let b = unpack(&mut g, format, b);
    let classes = Classes::of_quotient(&mut g, &a, &b, small);
    let (x, x_exp) = small.normalised(&mut g, &a);
    let (y, y_exp) = small.normalised(&mut g, &b);
    // In (1/2, 2): taken twice it has the form that `scale` wants.
    let (quotient, inexact) = divide(&mut g, x, y);
    g.name(quotient, "quotient");
    let exp = g.sub(x_exp, y_exp);
    // Twice the bias for `scale` and the quotient's own, less one for the doubled quotient.
    let offset = g.constant((BigInt::one() << format.exp) - 3);
    let value = Scaled {
        sign: g.xor(a.sign, b.sign),
        classes,
        significand: g.concat(&[quotient, inexact]),
        exp: g.add(exp, offset),
    };
    let result = small.scale(&mut g, format, &value);
    finish(&g, result)
}
