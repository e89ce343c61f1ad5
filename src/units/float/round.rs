//! Rounds and packs: the one place where any operator decides how it rounds, to nearest even unless it is told otherwise.
//!
//! The increment is added to exponent and fraction as one integer, so that its carry moves to the next
//! binade, from the largest subnormal to the smallest normal number, or from the largest finite number to
//! infinity (Muller et al., Handbook of Floating-Point Arithmetic, 2nd ed., section 8.2).

use super::bits::{and_not, any, gate, high, low, pad_low, zeros};
use crate::hwarith::graph::{Graph, NodeId};
use crate::hwarith::types::HwType;
use crate::ir::{FloatFormat, Rounding};

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

/// The bit pattern of the result, rounded to nearest even.
pub(super) fn round(g: &mut Graph, format: FloatFormat, value: Unrounded) -> NodeId {
    round_by(g, format, Rounding::NearestEven, value)
}

/// The bit pattern of the rounded result.
pub(super) fn round_by(
    g: &mut Graph,
    format: FloatFormat,
    rounding: Rounding,
    value: Unrounded,
) -> NodeId {
    let finite = value.special.map(|special| g.not(special));
    if let Some(finite) = finite {
        g.name(finite, "is_finite");
    }
    let mut frac = high(g, value.tail, format.frac);
    let extra = g.width(value.tail) - format.frac;
    let cut = (extra > 0).then(|| Cut::at(g, value.sign, value.tail, extra));
    let mut increment = cut.and_then(|cut| cut.is_away(g, rounding));
    if let Some(up) = increment {
        g.name(up, "round_up");
    }
    if let (Rounding::Odd, Some(up)) = (rounding, increment) {
        // Nothing is carried.
        let up = g.cast(up, HwType::ui(format.frac));
        frac = g.or(frac, up);
        increment = None;
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
    g.name(sign, "result_sign");
    let base = g.concat(&[value.exp, frac]);
    g.name(base, "unrounded");
    g.name(value.bump, "carry_of_significand");
    let addend = addend(g, format, value.bump, increment);
    g.name(addend, "round_addend");
    let sum = g.add(base, addend);
    let magnitude = low(g, sum, format.exp + format.frac);
    g.name(magnitude, "rounded");
    g.concat(&[sign, magnitude])
}

/// A number that is cut off at a place, and what is known of the bits below.
#[derive(Clone, Copy)]
pub(super) struct Cut {
    /// Sign.
    pub sign: NodeId,
    /// The lowest bit that is kept.
    pub odd: NodeId,
    /// The highest bit that is not.
    pub half: NodeId,
    /// Any further bit is set; there is none, if it is left out.
    pub more: Option<NodeId>,
    /// Any bit that is not kept is set.
    pub inexact: NodeId,
}

impl Cut {
    /// At bit `place` of a magnitude, which is at least 1.
    pub fn at(g: &mut Graph, sign: NodeId, magnitude: NodeId, place: u32) -> Cut {
        let half = g.bit(magnitude, place - 1);
        let odd = g.bit(magnitude, place);
        let more = (place > 1).then(|| {
            let rest = low(g, magnitude, place - 1);
            any(g, rest)
        });
        let lost = low(g, magnitude, place);
        Cut {
            sign,
            odd,
            half,
            more,
            inexact: any(g, lost),
        }
    }

    /// Whether the magnitude is increased at the lowest bit that is kept; `None` if it never is.
    pub fn is_away(self, g: &mut Graph, rounding: Rounding) -> Option<NodeId> {
        Some(match rounding {
            Rounding::NearestEven => {
                let up = match self.more {
                    Some(more) => g.or(self.odd, more),
                    None => self.odd,
                };
                g.and(self.half, up)
            }
            Rounding::NearestAway => self.half,
            Rounding::Zero => return None,
            Rounding::Up => and_not(g, self.inexact, self.sign),
            Rounding::Down => g.and(self.inexact, self.sign),
            Rounding::Odd => and_not(g, self.inexact, self.odd),
        })
    }
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
