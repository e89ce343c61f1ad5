//! Conversions between any two scalar types of which one is a float of any kind.

use super::convert::{Source, into_float};
use super::finish::finish;
use super::integer::{float_into_int, int_into_float};
use super::storage::{load, store};
use crate::hwarith::graph::{Graph, NodeId};
use crate::hwarith::types::HwType;
use crate::ir::{FloatFormat, Scalar};

/// The cast of a bit pattern `ui<from.width>` to a bit pattern `ui<to.width>`; `None` between integers, whose
/// cast is an operation of its own.
///
/// To a float: the nearest one. To an integer: toward zero, saturating, NaN to 0.
pub fn conversion(from: Scalar, to: Scalar) -> Option<Graph> {
    let mut g = Graph::new();
    let bits = g.input(0, HwType::ui(from.width()));
    let result = match (number(&mut g, from, bits), to) {
        (Some(source), Scalar::Float(to)) => into_float(&mut g, to, &source),
        (Some(source), Scalar::Storage(to)) => store(&mut g, to, &source),
        (Some(source), _) => {
            let (format, bits) = match from {
                Scalar::Float(format) => (format, bits),
                // Every code is a number of the wider format.
                _ => {
                    let Scalar::Float(wide) = from.computed() else {
                        return None;
                    };
                    (wide, into_float(&mut g, wide, &source))
                }
            };
            float_into_int(&mut g, format, integer(to), bits)
        }
        (None, Scalar::Float(to)) => int_into_float(&mut g, integer(from), to, bits),
        (None, Scalar::Storage(to)) => {
            // First exactly, as a float with a fraction as long as the integer.
            let exact = exact_format(from.width());
            let bits = int_into_float(&mut g, integer(from), exact, bits);
            let source = Source::of_float(&mut g, exact, bits);
            store(&mut g, to, &source)
        }
        (None, _) => return None,
    };
    Some(finish(&g, result))
}

/// The type of hardware integers that a scalar's bit pattern is read as.
fn integer(ty: Scalar) -> HwType {
    HwType {
        signed: ty.is_signed(),
        width: ty.width(),
    }
}

fn number(g: &mut Graph, ty: Scalar, bits: NodeId) -> Option<Source> {
    match ty {
        Scalar::Float(format) => Some(Source::of_float(g, format, bits)),
        Scalar::Storage(format) => Some(load(g, format, bits)),
        _ => None,
    }
}

/// The smallest format that holds every integer of a width as a normal number.
fn exact_format(width: u32) -> FloatFormat {
    FloatFormat {
        // 2^width is at most the bias's power of two.
        exp: 2 + (u32::BITS - width.leading_zeros()),
        frac: width.max(2) - 1,
    }
}
