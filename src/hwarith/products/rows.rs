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
    let (x, y) = longer_first(b, x, y);
    let rows = (0..b.ty(y).width).map(|place| row(b, x, y, place));
    let rows = rows.collect();
    sum(b, rows)
}

/// The same with a row for two bits each, which is one of four multiples: synthesis adds a block's result and these rows up as
/// one sum, so that the block's waits for fewer of them.
pub fn corner(b: &mut Builder, x: NodeId, y: NodeId) -> NodeId {
    let (x, y) = longer_first(b, x, y);
    let HwType { signed, width } = b.ty(y);
    let unsigned = width - u32::from(signed);
    let pairs = unsigned / 2;
    let mut rows: Vec<(NodeId, bool)> = Vec::new();
    if pairs > 0 {
        let double = b.shift_left_exact(x, 1);
        let triple = b.add(x, double);
        rows.extend((0..pairs).map(|pair| {
            let zero = b.constant(0);
            let [low, high] = [0, 1].map(|bit| b.extract(y, 2 * pair + bit, 1));
            let [odd, even] =
                [(triple, double), (x, zero)].map(|(one, other)| b.mux(low, one, other));
            let row = b.mux(high, odd, even);
            (placed(b, row, 2 * pair, width), false)
        }));
    }
    rows.extend((2 * pairs..width).map(|place| row(b, x, y, place)));
    sum(b, rows)
}

fn longer_first(b: &Builder, x: NodeId, y: NodeId) -> (NodeId, NodeId) {
    match b.ty(x).width < b.ty(y).width {
        true => (y, x),
        false => (x, y),
    }
}

/// The row of a bit of `y`, and whether it counts negatively.
fn row(b: &mut Builder, x: NodeId, y: NodeId, place: u32) -> (NodeId, bool) {
    let second = b.ty(y);
    let zero = b.constant(0);
    let bit = b.extract(y, place, 1);
    let row = b.mux(bit, x, zero);
    let is_negative = second.signed && place + 1 == second.width;
    (placed(b, row, place, second.width), is_negative)
}

/// A row in its place, of a product with an operand of so many bits.
fn placed(b: &mut Builder, row: NodeId, place: u32, bits: u32) -> NodeId {
    let place = b.constant(place);
    let ty = b.ty(row);
    let width = ty.width + bits;
    b.shl(row, place, HwType { width, ..ty })
}

/// Rows, of which the last one may count negatively, in a tree.
fn sum(b: &mut Builder, mut rows: Vec<(NodeId, bool)>) -> NodeId {
    while rows.len() > 1 {
        let pairs = rows.chunks(2).map(|pair| match *pair {
            [(one, _), (other, true)] => (b.sub(one, other), false),
            [(one, _), (other, false)] => (b.add(one, other), false),
            _ => pair[0],
        });
        rows = pairs.collect();
    }
    match rows[0] {
        (row, false) => row,
        (row, true) => {
            let zero = b.constant(0);
            b.sub(zero, row)
        }
    }
}
