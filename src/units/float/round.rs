//! Rounds to nearest even and packs: the one place where any operator rounds.
//!
//! The increment is added to exponent and fraction as one integer, so that its carry moves to the next
//! binade, from the largest subnormal to the smallest normal number, or from the largest finite number to
//! infinity (Muller et al., Handbook of Floating-Point Arithmetic, 2nd ed., section 8.2).

use super::bits::{and_not, any, gate, high, low, pad_low, zeros};
use crate::hwarith::graph::{Graph, NodeId};
use crate::ir::FloatFormat;

/// A result before rounding. Its exponent field is `exp + bump`.
#[derive(Clone, Copy)]
pub(super) struct Unrounded {
    /// Sign; ignored for a NaN.
    pub sign: NodeId,
    /// Exponent field without the part in `bump`.
    pub exp: NodeId,
    /// What the place above the fraction adds to the exponent field, of one or two bits: mostly the
    /// significand's hidden bit, which makes the field of a subnormal number come out as 0.
    pub bump: NodeId,
    /// Fraction and below it any number of further bits, the lowest of which may be sticky.
    pub tail: NodeId,
    /// The result is infinity or NaN: `tail` is ignored (`exp + bump` must be all ones).
    pub special: Option<NodeId>,
    /// The result is NaN; implies `special`.
    pub nan: Option<NodeId>,
}

/// The rounded result's bit pattern.
pub(super) fn round(g: &mut Graph, format: FloatFormat, value: Unrounded) -> NodeId {
    let finite = value.special.map(|special| g.not(special));
    let mut frac = high(g, value.tail, format.frac);
    let mut increment = increment(g, format, value.tail);
    if let Some(up) = increment {
        g.name(up, "round_up");
    }
    if let Some(finite) = finite {
        frac = gate(g, frac, finite);
        increment = increment.map(|up| g.and(up, finite));
    }
    let mut sign = value.sign;
    if let Some(nan) = value.nan {
        let quiet = pad_low(g, nan, format.frac - 1);
        frac = g.or(frac, quiet);
        sign = and_not(g, sign, nan);
    }
    let base = g.concat(&[value.exp, frac]);
    let addend = addend(g, format, value.bump, increment);
    let sum = g.add(base, addend);
    let magnitude = low(g, sum, format.exp + format.frac);
    g.name(magnitude, "rounded");
    g.concat(&[sign, magnitude])
}

/// Whether the magnitude is rounded up; `None` if there is nothing below the fraction.
fn increment(g: &mut Graph, format: FloatFormat, tail: NodeId) -> Option<NodeId> {
    let extra = g.width(tail) - format.frac;
    if extra == 0 {
        return None;
    }
    let guard = g.bit(tail, extra - 1);
    let odd = g.bit(tail, extra);
    let up = if extra == 1 {
        odd
    } else {
        let rest = low(g, tail, extra - 1);
        let sticky = any(g, rest);
        g.or(odd, sticky)
    };
    Some(g.and(guard, up))
}

/// `bump` above the fraction, the increment at its lowest bit.
fn addend(g: &mut Graph, format: FloatFormat, bump: NodeId, increment: Option<NodeId>) -> NodeId {
    match increment {
        None => pad_low(g, bump, format.frac),
        Some(up) if format.frac == 1 => g.concat(&[bump, up]),
        Some(up) => {
            let gap = zeros(g, format.frac - 1);
            g.concat(&[bump, gap, up])
        }
    }
}
