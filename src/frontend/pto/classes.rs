//! Classes of element types, and the profiles that have them.

use super::legality::Family;
use crate::diagnostics::Span;
use crate::frontend::error::Result;
use crate::frontend::options::Profile;
use crate::ir::{FloatFormat, Scalar};

/// A class of element types.
pub struct Class {
    /// For messages.
    pub text: &'static str,
    /// Which types are of it.
    pub holds: fn(Scalar) -> bool,
}

/// Every element type.
pub static ALL: Class = Class {
    text: "an element type",
    holds: is_element,
};
/// Integers and wide floats.
pub static NUMBERS: Class = Class {
    text: "integers of 8, 16, 32 or 64 bits, f16, bf16 or f32",
    holds: |ty| is_integer(ty) || is_wide(ty),
};
/// Wide floats.
pub static WIDE: Class = Class {
    text: "f16, bf16 or f32",
    holds: is_wide,
};
/// Integers.
pub static INTEGERS: Class = Class {
    text: "integers of 8, 16, 32 or 64 bits",
    holds: is_integer,
};
/// What has a sign: signed integers and wide floats.
pub static SIGNED: Class = Class {
    text: "signed integers, f16, bf16 or f32",
    holds: |ty| is_wide(ty) || (is_integer(ty) && ty.is_signed()),
};

/// f16, bf16 and f32.
pub fn is_wide(ty: Scalar) -> bool {
    const WIDE: [FloatFormat; 3] = [FloatFormat::F16, FloatFormat::BF16, FloatFormat::F32];
    matches!(ty, Scalar::Float(format) if WIDE.contains(&format))
}

/// Integers of 8, 16, 32 and 64 bits.
pub fn is_integer(ty: Scalar) -> bool {
    matches!(ty, Scalar::Int { width, .. } if matches!(width, 8 | 16 | 32 | 64))
}

/// Whether vectors and tiles may be made of the type.
pub fn is_element(ty: Scalar) -> bool {
    ty.is_storage() || is_wide(ty) || is_integer(ty)
}

/// Refuses a small float where the profile has none; `what` is the type or the operation.
pub fn check_profile(ty: Scalar, profile: Profile, span: Span) -> Result<()> {
    if ty.is_storage() && profile == Profile::A2a3 {
        return Family::Profile.refuse(format!("{ty} needs a5 or cpu, not a2a3"), span);
    }
    Ok(())
}
