//! Conversions between any two scalar types.

use super::convert::{Source, into_float};
use super::finish::finish;
use super::integer::{float_into_int, int_into_float, int_into_int};
use super::storage::{load, store};
use crate::hwarith::graph::{Graph, NodeId};
use crate::hwarith::types::HwType;
use crate::ir::{Conversion, FloatFormat, Overflow, Scalar};

/// The conversion of a bit pattern `ui<from.width>` to a bit pattern `ui<to.width>`.
///
/// What an integer cannot be becomes, from a float, the nearest limit, and 0 for a NaN.
pub fn conversion(from: Scalar, to: Scalar, how: Conversion) -> Graph {
    let how = made(from, to, how);
    let mut g = Graph::new();
    let bits = g.input(0, HwType::ui(from.width()));
    let result = match (number(&mut g, from, bits), to) {
        (Some(source), Scalar::Float(to)) => into_float(&mut g, to, how, &source),
        (Some(source), Scalar::Storage(to)) => store(&mut g, to, how, &source),
        (Some(source), _) => {
            let (format, bits) = match from.computed() {
                // Every code is a number of the wider format.
                Scalar::Float(wide) if from.is_storage() => {
                    let exactly = Conversion::of_cast(wide.into());
                    (wide, into_float(&mut g, wide, exactly, &source))
                }
                Scalar::Float(format) => (format, bits),
                _ => unreachable!("a number with a point has a float's type"),
            };
            float_into_int(&mut g, format, integer(to), how.rounding, bits)
        }
        (None, Scalar::Float(to)) => int_into_float(&mut g, integer(from), to, how, bits),
        (None, Scalar::Storage(to)) => {
            // First exactly, as a float with a fraction as long as the integer.
            let exact = exact_format(from.width());
            let exactly = Conversion::of_cast(exact.into());
            let bits = int_into_float(&mut g, integer(from), exact, exactly, bits);
            let source = Source::of_float(&mut g, exact, bits);
            store(&mut g, to, how, &source)
        }
        (None, _) => {
            let is_limited = how.overflow == Overflow::Saturate;
            int_into_int(&mut g, integer(from), integer(to), is_limited, bits)
        }
    };
    finish(&g, result)
}

/// The conversion as it is made: of a float, an integer is limited in any case.
fn made(from: Scalar, to: Scalar, how: Conversion) -> Conversion {
    let how = how.effective(from, to);
    match (from.int_range(), to.int_range()) {
        (None, Some(_)) => Conversion {
            overflow: Overflow::Usual,
            ..how
        },
        _ => how,
    }
}

/// The end of the name of a conversion's module: nothing for a cast, else `_rz`, `_rne_sat`, and so on.
pub fn conversion_tag(from: Scalar, to: Scalar, how: Conversion) -> String {
    let how = made(from, to, how);
    match how.overflow {
        _ if how == Conversion::of_cast(to) => String::new(),
        Overflow::Saturate => format!("_{}_sat", how.rounding.name()),
        _ => format!("_{}", how.rounding.name()),
    }
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
