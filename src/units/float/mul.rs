//! Multiplication: a subnormal operand is normalised before the product, a subnormal result after it.
//!
//! Muller et al., Handbook of Floating-Point Arithmetic, 2nd ed., section 8.4 (basic architecture and
//! handling of subnormals).

use super::bits::{Grouped, normalise_by, resize_sticky};
use super::finish::finish;
use super::scale::{Classes, Scaled, Subnormals, scale_late};
use super::unpack::{Unpacked, input, normalised, unpack};
use crate::hwarith::graph::{Graph, NodeId};
use crate::hwarith::types::HwType;
use crate::ir::FloatFormat;

/// `a * b` of two bit patterns `ui<width>`.
pub fn mul(format: FloatFormat) -> Graph {
    rounded_product(format, Subnormals::Keep)
}

/// As [`mul`], with zeros in place of subnormal operands and results.
pub fn mul_flushing(format: FloatFormat) -> Graph {
    rounded_product(format, Subnormals::Flush)
}

/// As [`mul`], sooner done and larger: the product is normalised, not a subnormal operand.
pub fn mul_late(format: FloatFormat) -> Graph {
    let mut g = Graph::new();
    let (a, b) = (input(&mut g, format, 0), input(&mut g, format, 1));
    let a = unpack(&mut g, format, a);
    let b = unpack(&mut g, format, b);
    let (x, y) = (a.significand(&mut g), b.significand(&mut g));
    let product = g.mul(x, y);
    g.name(product, "product");
    // A product of two subnormal numbers is less than any number, whatever its zeros.
    let small = g.mux(b.tiny, y, x);
    let (_, zeros) = normalise_by(&mut g, small, small);
    let (a_exp, b_exp) = (a.effective_exp(&mut g), b.effective_exp(&mut g));
    let exp = g.add(a_exp, b_exp);
    let value = Scaled {
        sign: g.xor(a.sign, b.sign),
        classes: Classes::of_product(&mut g, &a, &b, Subnormals::Keep),
        significand: product,
        exp: g.cast(exp, HwType::si(format.exp + 2)),
    };
    let result = scale_late(&mut g, format, &value, zeros);
    finish(&g, result)
}

fn rounded_product(format: FloatFormat, small: Subnormals) -> Graph {
    let mut g = Graph::new();
    let (a, b) = (input(&mut g, format, 0), input(&mut g, format, 1));
    let a = unpack(&mut g, format, a);
    let b = unpack(&mut g, format, b);
    let (product, exp) = match small {
        Subnormals::Keep => product(&mut g, &a, &b),
        Subnormals::Flush => {
            let [(x, x_exp), (y, y_exp)] = [&a, &b].map(|x| small.normalised(&mut g, x));
            (g.mul(x, y), g.add(x_exp, y_exp))
        }
    };
    let value = Scaled {
        sign: g.xor(a.sign, b.sign),
        classes: Classes::of_product(&mut g, &a, &b, small),
        significand: resize_sticky(&mut g, product, format.frac + 4),
        exp,
    };
    let result = small.scale(&mut g, format, &value);
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
    let x = Grouped::chosen(g, b.tiny, [b_sig, a_sig]);
    let y = g.mux(b.tiny, a_sig, b_sig);
    g.name(x.value, "factor");
    g.name(y, "other_factor");
    let (a_exp, b_exp) = (a.effective_exp(g), b.effective_exp(g));
    let exp = g.add(a_exp, b_exp);
    g.name(exp, "exponent_sum");
    let (x, exp) = normalised(g, x, exp);
    let product = g.mul(x, y);
    g.name(product, "product");
    g.name(exp, "exponent");
    (product, exp)
}
