//! Multiplication: a subnormal operand is normalised before the product, a subnormal result after it.
//!
//! Muller et al., Handbook of Floating-Point Arithmetic, 2nd ed., section 8.4 (basic architecture and
//! handling of subnormals).

use super::bits::resize_sticky;
use super::finish::finish;
use super::scale::{Classes, Scaled, scale};
use super::unpack::{Unpacked, input, normalised, unpack};
use crate::hwarith::graph::{Graph, NodeId};
use crate::ir::FloatFormat;

/// `a * b` of two bit patterns `ui<width>`.
pub fn mul(format: FloatFormat) -> Graph {
    let mut g = Graph::new();
    let (a, b) = (input(&mut g, format, 0), input(&mut g, format, 1));
    let a = unpack(&mut g, format, a);
    let b = unpack(&mut g, format, b);
    let (product, exp) = product(&mut g, &a, &b);
    let value = Scaled {
        sign: g.xor(a.sign, b.sign),
        classes: Classes::of_product(&mut g, &a, &b),
        significand: resize_sticky(&mut g, product, format.frac + 4),
        exp,
    };
    let result = scale(&mut g, format, &value);
    finish(&g, result)
}

/// The product of significands, with two bits above the point, and the sum of the
/// exponent fields (signed), one operand normalised.
///
/// At least 1, unless a factor is zero or both are subnormal. In the latter case it is below the square of the smallest
/// normal number, which is at most 1: the result is subnormal too, and its significand is placed by the
/// exponent, normalised or not.
pub(super) fn product(g: &mut Graph, a: &Unpacked, b: &Unpacked) -> (NodeId, NodeId) {
    let (a_sig, b_sig) = (a.significand(g), b.significand(g));
    let x = g.mux(b.tiny, b_sig, a_sig);
    let y = g.mux(b.tiny, a_sig, b_sig);
    let (a_exp, b_exp) = (a.effective_exp(g), b.effective_exp(g));
    let exp = g.add(a_exp, b_exp);
    let (x, exp) = normalised(g, x, exp);
    let product = g.mul(x, y);
    g.name(product, "product");
    (product, exp)
}
