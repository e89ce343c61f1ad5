//! Operations that move a number: on the sign bit alone (IEEE 754-2019, section 5.5.1; a NaN keeps its other bits), and the
//! flushing of subnormals.

use super::bits::{any, gate, low, zeros};
use super::finish::finish;
use super::unpack::input;
use crate::hwarith::graph::Graph;
use crate::ir::FloatFormat;

/// `-x` of a bit pattern `ui<width>`.
pub fn neg(format: FloatFormat) -> Graph {
    let mut g = Graph::new();
    let x = input(&mut g, format, 0);
    let sign = g.bit(x, format.width() - 1);
    let sign = g.not(sign);
    let magnitude = low(&mut g, x, format.width() - 1);
    let result = g.concat(&[sign, magnitude]);
    finish(&g, result)
}

/// `|x|` of a bit pattern `ui<width>`.
pub fn abs(format: FloatFormat) -> Graph {
    let mut g = Graph::new();
    let x = input(&mut g, format, 0);
    let sign = zeros(&mut g, 1);
    let magnitude = low(&mut g, x, format.width() - 1);
    let result = g.concat(&[sign, magnitude]);
    finish(&g, result)
}

/// The number, or a zero of its sign in place of a subnormal one, of a bit pattern `ui<width>`.
pub fn flush(format: FloatFormat) -> Graph {
    let mut g = Graph::new();
    let x = input(&mut g, format, 0);
    let exp = g.extract(x, format.frac, format.exp);
    let normal = any(&mut g, exp);
    let sign = g.bit(x, format.width() - 1);
    let frac = low(&mut g, x, format.frac);
    let frac = gate(&mut g, frac, normal);
    let result = g.concat(&[sign, exp, frac]);
    finish(&g, result)
}
