//! `sinh` and `cosh`: half of the sum or difference of two powers, of which the smaller is moved to the larger one's
//! unit.
//!
//! With |x| log2 e = n + t, `cosh x = 2^(n-1) (2^t + 2^-t 2^-2n)`. Below 1 the difference would cancel: there `sinh`
//! has a
//! polynomial for each binade, in the table of the first power.

use super::super::bits::{
    Grouped, and_not, any, bit_length, gate, low, none, normalise, pad_low, saturate, shift_right,
};
use super::super::unpack::{Unpacked, input, unpack};
use super::binades::piece;
use super::ending::{Ending, bias};
use super::evaluate::evaluate;
use super::exponential::{EXP2, binary_argument};
use super::piecewise::{Piece, Piecewise, Request};
use super::smooth::{Slope, Smooth};
use super::{Accuracy, Base};
use crate::hwarith::graph::{Graph, NodeId, Predicate};
use crate::hwarith::types::HwType;
use crate::ir::FloatFormat;

/// `sinh x`, if it is odd, or `cosh x` of a bit pattern `ui<width>`.
pub fn hyperbolic(format: FloatFormat, odd: bool, accuracy: Accuracy) -> Option<Graph> {
    let mut g = Graph::new();
    let bits = format.frac + accuracy.beyond + 2;
    let bias = bias(format);
    // Below 2^lowest the cubic term, x^2/6 relative to the result, is less than the error.
    let lowest = -i64::from(bits) / 2;
    let binade = |e: i64| Piece {
        function: Smooth::Sinh,
        start: 1,
        span: e as i32,
        scale: -e as i32,
    };
    let line = Piece {
        function: Smooth::Line(Slope::One),
        start: 1,
        span: 0,
        scale: 0,
    };
    let mut pieces = vec![EXP2];
    if odd {
        pieces.push(line);
        pieces.extend((lowest..0).map(binade));
    }
    let count = pieces.len() as u32;
    let rising = Piecewise::new(&Request {
        pieces,
        argument: bits + 1,
        accuracy: bits,
    })?;
    let falling = Piecewise::new(&Request {
        pieces: vec![Piece {
            function: Smooth::Exp2Falling,
            ..EXP2
        }],
        argument: bits + 1,
        accuracy: bits,
    })?;

    let x = input(&mut g, format, 0);
    let x = unpack(&mut g, format, x);
    let argument = binary_argument(&mut g, format, &x, Base::E, bits + 1);
    let zero = g.constant(0);
    let power = argument.placed(&mut g, zero);
    let one_field = g.constant(bias);
    let (significand, field) = match odd {
        true => x.normalised(&mut g),
        false => (x.frac, x.exp),
    };
    let small = match odd {
        true => g.icmp(Predicate::Lt, field, one_field),
        false => zero,
    };
    let (number, t) = match odd {
        true => {
            let first = g.constant(lowest + bias);
            let number = piece(&mut g, field, first, count - 1);
            let one = g.constant(1);
            let number = g.add(number, one);
            let number = low(&mut g, number, bit_length(count - 1));
            let fraction = low(&mut g, significand, format.frac);
            let fraction = pad_low(&mut g, fraction, bits + 1 - format.frac);
            let number = gate(&mut g, number, small);
            (Some(number), g.mux(small, fraction, power.fraction))
        }
        false => (None, power.fraction),
    };
    let up = evaluate(&mut g, &rising, number, t);
    g.name(up, "rising");
    // In the unit of the other: from 1/2 to 1, moved right by 2n.
    let unit = rising.unit.max(falling.unit);
    let down = evaluate(&mut g, &falling, None, power.fraction);
    g.name(down, "falling");
    let down = g.cast(down, HwType::ui(falling.unit + 1));
    let down = pad_low(&mut g, down, unit - falling.unit);
    // n is not negative.
    let width = g.width(power.whole);
    let whole = low(&mut g, power.whole, width - 1);
    let twice = pad_low(&mut g, whole, 1);
    let twice = saturate(&mut g, twice, bit_length(unit + 1));
    let down = shift_right(&mut g, down, twice);
    let up = g.cast(up, HwType::ui(rising.unit + 2));
    let up = pad_low(&mut g, up, unit - rising.unit);
    let sum = match odd {
        true => {
            let large = g.not(small);
            let down = gate(&mut g, down, large);
            g.sub(up, down)
        }
        false => g.add(up, down),
    };
    g.name(sum, "sum");
    // From 3/4 to less than 4.
    let sum = g.cast(sum, HwType::ui(unit + 2));
    let grouped = Grouped::new(&mut g, sum);
    let (normal, shift) = normalise(&mut g, grouped, 2, None);
    let shift = shift.expect("two levels");
    let half = g.constant(1);
    let large_exp = g.sub(power.whole, half);
    let small_exp = g.sub(field, one_field);
    let exp = g.mux(small, small_exp, large_exp);
    let offset = g.constant(2 * bias + 1);
    let exp = g.add(exp, offset);
    let ending = Ending {
        exp: g.sub(exp, shift),
        significand: normal,
        ..classes(&mut g, &x, odd, power.over)
    };
    Some(ending.rounded(g, format))
}

/// Signs and special cases, without a number.
fn classes(g: &mut Graph, x: &Unpacked, odd: bool, over: NodeId) -> Ending {
    let special = x.is_special(g);
    let payload = any(g, x.frac);
    let nan = g.and(special, payload);
    let empty = none(g, x.frac);
    let nothing = g.constant(0);
    let null = g.and(x.tiny, empty);
    let far = g.or(over, special);
    Ending {
        sign: if odd { x.sign } else { nothing },
        nan,
        infinite: and_not(g, far, nan),
        zero: if odd { null } else { nothing },
        significand: nothing,
        exp: nothing,
    }
}
