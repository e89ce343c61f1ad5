//! A piecewise polynomial as hardware: tables of coefficients and Horner's rule.

use super::piecewise::Piecewise;
use crate::hwarith::graph::{Graph, NodeId};
use crate::hwarith::types::HwType;

/// The value at `t`, in units of the tables; signed. `piece` chooses among the pieces, the first one on top of the
/// tables' order.
pub fn evaluate(g: &mut Graph, tables: &Piecewise, piece: Option<NodeId>, t: NodeId) -> NodeId {
    debug_assert_eq!(g.width(t), tables.argument);
    let place = tables.argument - tables.segments;
    let segment = (tables.segments > 0).then(|| g.extract(t, place, tables.segments));
    let parts: Vec<NodeId> = piece.into_iter().chain(segment).collect();
    let address = (!parts.is_empty()).then(|| g.concat(&parts));
    // From the middle of the segment on: the top bit flipped is a sign.
    let v = (place > 0).then(|| {
        let top = g.bit(t, place - 1);
        let top = g.not(top);
        let v = match place {
            1 => top,
            _ => {
                let rest = g.extract(t, 0, place - 1);
                g.concat(&[top, rest])
            }
        };
        g.cast(v, HwType::si(place))
    });
    let coefficient = |g: &mut Graph, order: usize| {
        let words = &tables.coefficients[order];
        let value = match address {
            Some(address) if words.len() > 1 => g.table(words.clone(), address),
            _ => g.constant(words[0].clone()),
        };
        g.name(value, &format!("c{order}"));
        value
    };
    let degree = tables.degree();
    let mut sum = coefficient(g, degree);
    for order in (0..degree).rev() {
        let c = coefficient(g, order);
        let Some(v) = v else {
            continue;
        };
        let dropped = tables.dropped[order];
        let kept = place - dropped;
        let v = match dropped {
            0 => v,
            _ => {
                let high = g.extract(v, dropped, kept);
                g.cast(high, HwType::si(kept))
            }
        };
        let product = g.mul(sum, v);
        let product = floor(g, product, kept - 1);
        sum = g.add(c, product);
    }
    sum
}

/// A number without its low bits, rounded down.
pub fn floor(g: &mut Graph, value: NodeId, bits: u32) -> NodeId {
    let ty = g.ty(value);
    if bits == 0 {
        return value;
    }
    if bits >= ty.width {
        // Nothing is left but the sign.
        let sign = g.bit(value, ty.width - 1);
        return if ty.signed {
            g.cast(sign, HwType::si(1))
        } else {
            g.constant(0)
        };
    }
    let high = g.extract(value, bits, ty.width - bits);
    g.cast(
        high,
        HwType {
            signed: ty.signed,
            width: ty.width - bits,
        },
    )
}
