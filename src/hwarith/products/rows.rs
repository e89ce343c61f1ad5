//! Products as rows of bits, for what is too small for a multiplier block, or where there are none.

use crate::hwarith::builder::Builder;
use crate::hwarith::graph::NodeId;
use crate::hwarith::types::HwType;

/// The most bits in the rows of a corner, which is cheaper in logic than in a multiplier block and takes no longer: four rows
/// of 18, added up in two levels.
const CORNER: u32 = 72;

/// Whether a product of parts of a cut product is cheaper as rows.
pub fn is_corner(x: HwType, y: HwType) -> bool {
    x.width * y.width <= CORNER
}

/// A product as rows, one for each bit of the shorter operand, added up in a tree. The row of a sign counts negatively.
pub fn rows(b: &mut Builder, x: NodeId, y: NodeId) -> NodeId {
    let (x, y) = match b.ty(x).width < b.ty(y).width {
        true => (y, x),
        false => (x, y),
    };
    let zero = b.constant(0);
    let second = b.ty(y);
    let rows = (0..second.width).map(|place| {
        let bit = b.extract(y, place, 1);
        let row = b.mux(bit, x, zero);
        let is_negative = second.signed && place + 1 == second.width;
        let place = b.constant(place);
        let ty = b.ty(row);
        let width = ty.width + second.width;
        (b.shl(row, place, HwType { width, ..ty }), is_negative)
    });
    let mut rows: Vec<(NodeId, bool)> = rows.collect();
    while rows.len() > 1 {
        // The negative one is the last.
        let pairs = rows.chunks(2).map(|pair| match *pair {
            [(one, _), (other, true)] => (b.sub(one, other), false),
            [(one, _), (other, false)] => (b.add(one, other), false),
            _ => pair[0],
        });
        rows = pairs.collect();
    }
    match rows[0] {
        (row, false) => row,
        (row, true) => b.sub(zero, row),
    }
}
