//! Compile-time numbers in the typing style "pto": they take the type of their partner or target if that holds them.

use super::legality::{CONVERT, Family};
use crate::diagnostics::Span;
use crate::frontend::constant::ConstValue;
use crate::frontend::error::Result;
use crate::frontend::literals::{Position, holds, literal_const, smallest, storable};
use crate::frontend::promote::symbol;
use crate::frontend::values::{Value, describe};
use crate::ir::types::MAX_WIDTH;
use crate::ir::{Const, FloatFormat, Scalar};
use num_bigint::{BigInt, BigUint};

/// Formats that a float of the text may have.
const FLOATS: [FloatFormat; 4] = [
    FloatFormat::F16,
    FloatFormat::BF16,
    FloatFormat::F32,
    FloatFormat::F64,
];

/// The type of a number beside an operand of type `partner`; `key` is the operator's name.
pub fn beside(
    key: &str,
    value: &ConstValue,
    partner: Scalar,
    position: Position,
    span: Span,
) -> Result<Scalar> {
    let fits = match (value, position) {
        (ConstValue::Int(v), Position::Amount) => return amount(v, partner, span),
        (ConstValue::Int(v), Position::Bits) => {
            partner.int_range().is_some() && storable(v, partner)
        }
        (ConstValue::Int(v), _) => holds(partner, v),
        _ => is_of(value, partner),
    };
    if fits {
        return Ok(partner);
    }
    let message = format!("{} beside {partner} in '{}'", shown(value), symbol(key));
    Family::Type.refuse(message, span)
}

/// An amount keeps its value, whatever is shifted.
fn amount(value: &BigInt, partner: Scalar, span: Span) -> Result<Scalar> {
    let own = match holds(partner, value) {
        true => partner,
        false => smallest(value, false),
    };
    match own.width() <= MAX_WIDTH {
        true => Ok(own),
        false => Family::Type.refuse("the amount needs more than 4096 bits", span),
    }
}

/// Whether a bool or float becomes a value of the type.
fn is_of(value: &ConstValue, ty: Scalar) -> bool {
    match (value, ty) {
        (ConstValue::Bool(_), _) => ty == Scalar::BOOL,
        (ConstValue::Float(v), Scalar::Float(format)) => {
            FLOATS.contains(&format)
                && !(v.is_finite() && is_infinite(literal_const(value, ty), format))
        }
        _ => false,
    }
}

fn is_infinite(value: Option<Const>, format: FloatFormat) -> bool {
    let infinity = BigUint::from((1u128 << format.exp) - 1) << format.frac;
    let magnitude = (BigUint::from(1u8) << (format.exp + format.frac)) - 1u8;
    matches!(value, Some(Const::Float(bits)) if &bits & &magnitude == infinity)
}

/// Refuses a value that is not exactly of the type of the place that takes it.
pub fn check_stored(value: &Value, to: Scalar, span: Span) -> Result<()> {
    match value {
        Value::Scalar(typed) if typed.ty == to => Ok(()),
        Value::Scalar(typed) => {
            let message = format!("{} where {to} is needed", typed.ty);
            Err(Family::Type.diagnostic(message, span).help(CONVERT).into())
        }
        Value::Const(value) => check_constant(value, to, span),
        other => {
            let message = format!("{} where {to} is needed", describe(other));
            Family::Type.refuse(message, span)
        }
    }
}

/// Refuses a number that the type of the place that takes it does not hold, as a value or as a bit pattern.
pub fn check_constant(value: &ConstValue, to: Scalar, span: Span) -> Result<()> {
    let fits = match value {
        ConstValue::Int(v) => to.int_range().is_some() && storable(v, to),
        _ => is_of(value, to),
    };
    if fits || !value.is_number() {
        return Ok(());
    }
    let message = format!("{} where {to} is needed", shown(value));
    Family::Type.refuse(message, span)
}

fn shown(value: &ConstValue) -> String {
    match value {
        ConstValue::Int(v) if v.bits() > 256 => format!("an int of {} bits", v.bits()),
        _ => value.text(),
    }
}
