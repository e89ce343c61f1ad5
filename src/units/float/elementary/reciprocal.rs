//! A little less than the reciprocal of a significand or of its root, by a table: what division by products begins with.

use super::evaluate::{evaluate, floor};
use super::piecewise::{BLOCK, BOUND_BITS, Piece, Piecewise, Request};
use super::smooth::Smooth;
use crate::hwarith::graph::{Graph, NodeId};
use crate::hwarith::types::HwType;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::One;

/// What a multiplier block counts here: those that quotients take anyway are many, and there is more block RAM than that.
const MULTIPLIER: u64 = 2 * BLOCK;

/// `r` of `ui<places>` with `1/y - 2^(1-places) < r / 2^places < 1/y`, for a significand `y` in [1, 2) that has these bits after
/// the point, one at least. `None` if no table is that exact.
pub fn below_reciprocal(g: &mut Graph, fraction: NodeId, places: u32) -> Option<NodeId> {
    below(g, &[(Smooth::Reciprocal, 0)], None, fraction, places)
}

/// The same of `1 / sqrt a`, for a number in [1, 4): a significand with these bits after the point, or twice that.
pub fn below_reciprocal_root(
    g: &mut Graph,
    is_twice: NodeId,
    fraction: NodeId,
    places: u32,
) -> Option<NodeId> {
    let pieces = [(Smooth::Rsqrt, 0), (Smooth::Rsqrt, 1)];
    below(g, &pieces, Some(is_twice), fraction, places)
}

/// A little less than functions on ranges that begin at a power of two and are as long, with that logarithm.
fn below(
    g: &mut Graph,
    functions: &[(Smooth, i32)],
    piece: Option<NodeId>,
    fraction: NodeId,
    places: u32,
) -> Option<NodeId> {
    let pieces = functions.iter().map(|&(function, span)| Piece {
        function,
        start: 1,
        span,
        scale: 0,
    });
    let request = Request {
        pieces: pieces.collect(),
        argument: g.width(fraction),
        // A quarter of a place to either side, and what is left out at the end is less than a place.
        accuracy: places + 2,
    };
    let mut tables = Piecewise::priced(&request, MULTIPLIER)?;
    let bound = Integer::div_floor(&tables.bound, &(BigInt::one() << BOUND_BITS)) + 1;
    for word in &mut tables.coefficients[0] {
        *word -= &bound;
    }
    let value = evaluate(g, &tables, piece, fraction);
    let value = floor(g, value, tables.unit - places);
    Some(g.cast(value, HwType::ui(places)))
}
