//! The common end of the functions: a significand and its exponent, rounded once.

use super::super::bits::resize_sticky;
use super::super::finish::finish;
use super::super::scale::{Classes, Scaled, scale};
use crate::hwarith::graph::{Graph, NodeId};
use crate::ir::FloatFormat;

/// A result before it is rounded.
pub(super) struct Ending {
    /// Sign; ignored for a NaN.
    pub sign: NodeId,
    /// NaN.
    pub nan: NodeId,
    /// Infinite, unless it is NaN.
    pub infinite: NodeId,
    /// Zero, unless it is one of these.
    pub zero: NodeId,
    /// The significand; its top bit is 1 and worth 1.
    pub significand: NodeId,
    /// Its exponent (signed), and twice the bias.
    pub exp: NodeId,
}

impl Ending {
    /// The graph of the function.
    pub fn rounded(self, mut g: Graph, format: FloatFormat) -> Graph {
        let top = g.constant(0);
        let wide = g.concat(&[top, self.significand]);
        let value = Scaled {
            sign: self.sign,
            classes: Classes {
                nan: self.nan,
                special: g.or(self.infinite, self.nan),
                zero: self.zero,
            },
            significand: resize_sticky(&mut g, wide, format.frac + 4),
            exp: self.exp,
        };
        let result = scale(&mut g, format, &value);
        finish(&g, result)
    }
}

/// The exponent field of 1.
pub(super) fn bias(format: FloatFormat) -> i64 {
    (1 << (format.exp - 1)) - 1
}
