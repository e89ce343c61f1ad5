//! Result type of every operation, as tables over the operands' signs.
//!
//! `add`, `sub`, `mul`, `div`, `cast`, `icmp`: CIRCT HWArith rationale, "Bit Width Rules". The other
//! operations are stated in the same form.

use super::types::HwType;

/// Result of `a + b`.
pub fn add(a: HwType, b: HwType) -> HwType {
    match (a.signed, b.signed) {
        (false, false) => HwType::ui(a.width.max(b.width) + 1),
        (true, true) => HwType::si(a.width.max(b.width) + 1),
        (false, true) => mixed_sum(a.width, b.width),
        (true, false) => mixed_sum(b.width, a.width),
    }
}

/// Result of `a - b`: as `a + b`, always signed.
pub fn sub(a: HwType, b: HwType) -> HwType {
    HwType::si(add(a, b).width)
}

fn mixed_sum(unsigned: u32, signed: u32) -> HwType {
    HwType::si(if unsigned >= signed {
        unsigned + 2
    } else {
        signed + 1
    })
}

/// Result of `a * b`.
pub fn mul(a: HwType, b: HwType) -> HwType {
    HwType {
        signed: a.signed || b.signed,
        width: a.width + b.width,
    }
}

/// Result of `a / b`, truncated toward zero.
pub fn div(a: HwType, b: HwType) -> HwType {
    HwType {
        signed: a.signed || b.signed,
        width: a.width + u32::from(b.signed),
    }
}

/// The type in which `a` and `b` are compared, merged by a mux, or combined bit by bit: the narrowest
/// that preserves both.
pub fn common(a: HwType, b: HwType) -> HwType {
    let mixed = |unsigned: u32, signed: u32| {
        HwType::si(if unsigned >= signed {
            unsigned + 1
        } else {
            signed
        })
    };
    match (a.signed, b.signed) {
        (false, false) => HwType::ui(a.width.max(b.width)),
        (true, true) => HwType::si(a.width.max(b.width)),
        (false, true) => mixed(a.width, b.width),
        (true, false) => mixed(b.width, a.width),
    }
}
