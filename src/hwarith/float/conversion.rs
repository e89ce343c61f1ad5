//! Conversions between any two scalar types of which one is a float.

use super::{convert, from_int, to_int};
use crate::hwarith::graph::Graph;
use crate::hwarith::types::HwType;
use crate::ir::Scalar;

/// The type of hardware integers that a scalar's bit pattern is read as.
fn integer(ty: Scalar) -> HwType {
    HwType {
        signed: ty.is_signed(),
        width: ty.width(),
    }
}

/// The cast of a bit pattern `ui<from.width>` to a bit pattern `ui<to.width>`; `None` between integers, whose
/// cast is an operation of its own.
pub fn conversion(from: Scalar, to: Scalar) -> Option<Graph> {
    Some(match (from, to) {
        (Scalar::Float(from), Scalar::Float(to)) => convert(from, to),
        (Scalar::Float(from), _) => to_int(from, integer(to)),
        (_, Scalar::Float(to)) => from_int(integer(from), to),
        _ => return None,
    })
}
