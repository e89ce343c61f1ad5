//! Division: both significands normalised, the quotient by digit recurrence with an exact remainder.
//!
//! Muller et al., Handbook of Floating-Point Arithmetic, 2nd ed., section 8.6; Ercegovac and Lang, Digital
//! Arithmetic, 2004, chapter 5.

use super::bits::{any, pad_low};
use super::finish::finish;
use super::scale::{Classes, Scaled, Subnormals};
use super::unpack::{input, unpack};
use crate::hwarith::graph::Graph;
use crate::ir::FloatFormat;
use crate::units::divide::recurrence;
use num_bigint::BigInt;
use num_traits::One;

/// `a / b` of two bit patterns `ui<width>`.
pub fn div(format: FloatFormat) -> Graph {
    quotient(format, Subnormals::Keep)
}

/// As [`div`], with zeros in place of subnormal operands and results.
pub fn div_flushing(format: FloatFormat) -> Graph {
    quotient(format, Subnormals::Flush)
}

fn quotient(format: FloatFormat, small: Subnormals) -> Graph {
    let mut g = Graph::new();
    let (a, b) = (input(&mut g, format, 0), input(&mut g, format, 1));
    let a = unpack(&mut g, format, a);
    let b = unpack(&mut g, format, b);
    let classes = Classes::of_quotient(&mut g, &a, &b, small);
    let (x, x_exp) = small.normalised(&mut g, &a);
    let (y, y_exp) = small.normalised(&mut g, &b);
    // Half of x is below y. The quotient of a significand's bits and two more is in (1/2, 2): taken twice it
    // has the form that `scale` wants.
    let steps = format.frac + 3;
    let half = g.extract(x, 1, format.frac);
    let last = g.bit(x, 0);
    let below = pad_low(&mut g, last, steps - 1);
    let (quotient, remainder) = recurrence(&mut g, half, Some(below), y, steps);
    g.name(quotient, "quotient");
    let inexact = any(&mut g, remainder);
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
