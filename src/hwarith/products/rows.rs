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

/// A number of which the last bit has a place in a product.
struct Row {
    value: NodeId,
    place: u32,
    /// It counts negatively.
    is_negative: bool,
}

/// A product as rows, one for each bit of the shorter operand, added up in a tree. The row of a sign counts negatively.
pub fn rows(b: &mut Builder, x: NodeId, y: NodeId) -> NodeId {
    let (x, y) = match b.ty(x).width < b.ty(y).width {
        true => (y, x),
        false => (x, y),
    };
    let HwType { signed, width } = b.ty(y);
    let zero = b.constant(0);
    let rows = (0..width).map(|place| {
        let bit = b.extract(y, place, 1);
        let value = b.mux(bit, x, zero);
        b.keep_name(value, &format!("row_{place}"));
        Row {
            value,
            place,
            is_negative: signed && place + 1 == width,
        }
    });
    let rows = rows.collect();
    sum(b, rows)
}

/// Rows by their places, of which the last one may count negatively, in a tree.
fn sum(b: &mut Builder, mut rows: Vec<Row>) -> NodeId {
    while rows.len() > 1 {
        let mut halved = Vec::with_capacity(rows.len().div_ceil(2));
        let mut rest = rows.into_iter();
        while let Some(low) = rest.next() {
            halved.push(match rest.next() {
                Some(high) => added(b, low, high),
                None => low,
            });
        }
        rows = halved;
    }
    let Row {
        value, is_negative, ..
    } = rows[0];
    let zero = b.constant(0);
    match is_negative {
        true => b.sub(zero, value),
        false => value,
    }
}

/// The sum of two rows. What lies below the second one passes by the adder: so it is no longer than it has to be, and synthesis
/// takes the sums one after the other as they are, in carry chains, instead of all rows at once in logic. Of rows that may be
/// negative, all is added: the prover of products does not find their signs in parts.
fn added(b: &mut Builder, low: Row, high: Row) -> Row {
    let distance = high.place - low.place;
    let is_signed = [&low, &high].iter().any(|row| b.ty(row.value).signed);
    let passes = distance > 0 && !is_signed && !high.is_negative;
    let (upper, second) = match passes {
        true => {
            let amount = b.constant(distance);
            (b.shr(low.value, amount), high.value)
        }
        false => (low.value, b.shift_left_exact(high.value, distance)),
    };
    let sum = match high.is_negative {
        true => b.sub(upper, second),
        false => b.add(upper, second),
    };
    b.keep_name(sum, "rows");
    let value = match passes {
        true => {
            let width = b.ty(sum).width;
            let lower = b.extract(low.value, 0, distance);
            b.concat(&[(sum, width), (lower, distance)])
        }
        false => sum,
    };
    Row {
        value,
        place: low.place,
        is_negative: false,
    }
}
