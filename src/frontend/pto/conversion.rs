//! Conversions of the style "pto": which pairs of types there are, and how each is rounded.

use super::classes::{is_element, is_integer};
use super::legality::Family;
use super::operation::Invocation;
use crate::diagnostics::Span;
use crate::frontend::builder::state::Builder;
use crate::frontend::error::Result;
use crate::frontend::options::Profile;
use crate::frontend::values::Typed;
use crate::ir::{Conversion, FloatFormat, OpKind, Overflow, Rounding, Scalar, ValueId};

/// The rounding of a call; none where the conversion's own is meant.
pub fn rounding(call: &Invocation) -> Result<Option<Rounding>> {
    let names: Vec<&str> = Rounding::ALL.iter().map(|one| one.name()).collect();
    Ok(call.word("rnd", &names)?.map(|at| Rounding::ALL[at]))
}

/// How a conversion is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// Of a rounding, where one is named.
    pub rounding: Option<Rounding>,
    /// Whether what is too large becomes the largest number.
    pub saturate: bool,
}

impl Asked {
    /// That of a call with the parameters `rnd` and `sat`.
    pub fn of(call: &Invocation) -> Result<Asked> {
        Ok(Asked {
            rounding: rounding(call)?,
            saturate: call.flag("sat")?,
        })
    }
}

/// Refuses pairs of types between which there is no conversion.
pub fn check_pair(from: Scalar, to: Scalar, span: Span) -> Result<()> {
    let legal = from != to
        && is_element(from)
        && is_element(to)
        && !(from.is_storage() && (to.is_storage() || is_integer(to)))
        && !(is_integer(from) && to.is_storage());
    match legal {
        true => Ok(()),
        false => Family::Type.refuse(format!("no conversion from {from} to {to}"), span),
    }
}

/// The value in another type of a legal pair.
pub fn lower_conversion(
    b: &mut Builder,
    value: Typed,
    to: Scalar,
    asked: Asked,
    span: Span,
) -> ValueId {
    let arg = value.id;
    if is_bit_copy(value.ty, to) {
        return b.append(OpKind::Bitcast { arg }, to, span);
    }
    let unspecified = b.options.profile != Profile::Cpu;
    let how = Conversion {
        rounding: asked.rounding.unwrap_or(Rounding::usual(to)),
        overflow: match asked.saturate {
            true => Overflow::Saturate,
            false if unspecified => Overflow::Unspecified,
            false => Overflow::Usual,
        },
    };
    let how = how.effective(value.ty, to);
    let kind = match how == Conversion::of_cast(to) {
        true => OpKind::Cast { arg },
        false => OpKind::Convert { arg, how },
    };
    b.append(kind, to, span)
}

/// f16 to bf16 and back keep the bits.
fn is_bit_copy(from: Scalar, to: Scalar) -> bool {
    let half = |ty| matches!(ty, Scalar::Float(FloatFormat::F16 | FloatFormat::BF16));
    half(from) && half(to)
}
