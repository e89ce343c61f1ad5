//! Operations on the sign bit alone; a NaN keeps its other bits.
//!
//! IEEE 754-2019, section 5.5.1.

use super::bits::{low, zeros};
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
