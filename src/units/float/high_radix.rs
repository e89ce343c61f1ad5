//! Quotients and roots by products: digits of many bits from a short reciprocal, and an exact remainder after each.
//!
//! Very high radix division and square root (Wong and Flynn, Fast division using accurate quotient approximations, IEEE Trans.
//! Computers 41(8), 1992; Ercegovac and Lang, Digital Arithmetic, 2004, chapter 7) without prescaling: a digit is the product of
//! the remainder's top bits with a reciprocal, both rounded down. So no remainder is negative, and the last one says whether the
//! result is one more.

use super::bits::{any, low, pad_low};
use super::elementary::{below_reciprocal, below_reciprocal_root};
use crate::hwarith::graph::{Graph, NodeId, Predicate};
use crate::hwarith::types::HwType;

/// Bits of a digit, at most: with the bits that make it exact, its factors fit a multiplier block of 18 bits.
const DIGIT: u32 = 14;

/// An unsigned number, and how many of its bits are after the point.
#[derive(Clone, Copy)]
struct Fixed {
    value: NodeId,
    point: u32,
}

/// `x 2^bits / y` rounded down, `ui<bits + 1>`, and whether that is inexact. Both are significands of equally many bits with their
/// top bits 1, else the result is anything. `None` if there is no table for them.
///
/// With digits of `j` bits together, `x 2^j = q y + r` and `r < 2y`, to begin with too. The next `b` bits are
/// `t = r 2^b / y < 2^(b+1)`, of which the digit leaves out less than 2, so that this holds again:
/// - less than 1/2, because the reciprocal is less than `2^-(b+3)` too small, hence less than `2^-(b+2)` of itself;
/// - at most 1/2, because of `r` no more than `b + 1` bits after the point count;
/// - less than 1, because the product is rounded down.
pub(super) fn quotient(g: &mut Graph, x: NodeId, y: NodeId, bits: u32) -> Option<(NodeId, NodeId)> {
    let p = g.width(y);
    let point = bits_after_point(g, y)?;
    let rounds = bits.div_ceil(DIGIT);
    // The first ones are as long as any other, or a bit longer.
    let digits = (0..rounds).map(|round| (bits + rounds - 1 - round) / rounds);
    let digits: Vec<u32> = digits.collect();
    let fraction = low(g, y, point);
    let reciprocal = below_reciprocal(g, fraction, places(&digits))?;
    g.name(reciprocal, "reciprocal");
    let mut rest = g.cast(x, HwType::ui(p + 1));
    let mut quotient = g.constant(0);
    for b in digits {
        let remainder = Fixed { value: rest, point };
        let digit = digit(g, remainder, b + 1, reciprocal, b, b + 1);
        let before = pad_low(g, rest, b);
        let taken = g.mul(digit, y);
        let left = g.sub(before, taken);
        rest = low(g, left, p + 1);
        let shifted = pad_low(g, quotient, b);
        quotient = g.add(shifted, digit);
    }
    Some(corrected(g, quotient, rest, y, bits + 1))
}

/// The root of `a` in [1, 4) with so many bits after the point, rounded down, `ui<bits + 1>`, and whether that is inexact. `a` has
/// two bits before the point: it is a significand with its top bit 1, or twice that. Else the result is anything. `None` if there
/// is no table for it.
///
/// With `j` bits after the point the root is `s`, of which the rest is `e < 2^(1-j)`, and `w = a - s^2 = e (s + sqrt a) < 2^(3-j)`. The
/// next `b` bits are about `w / (2 sqrt a)`; of `e` the digit leaves out less than 2 of its last place, so that this holds again:
/// - at most 1/4, because that is less than `e` by at most `e^2 / 2`, and `b <= j - 3`;
/// - less than 1/2, because the reciprocal, half of which counts, is less than `2^-(b+3)` too small;
/// - at most 1/4, because of `w` no more than `j + b + 1` bits after the point count;
/// - less than 1, because the product is rounded down.
///
/// The first digit is that of `a / sqrt a`: less than 1/2, at most 1/4 (`b + 2` bits count), and less than 1.
pub(super) fn root(
    g: &mut Graph,
    a: NodeId,
    significand: NodeId,
    bits: u32,
) -> Option<(NodeId, NodeId)> {
    let point = bits_after_point(g, significand)?;
    let digits = digits_of_root(bits);
    let fraction = low(g, significand, point);
    let is_twice = g.bit(a, point + 1);
    let reciprocal = below_reciprocal_root(g, is_twice, fraction, places(&digits))?;
    g.name(reciprocal, "reciprocal");
    let (mut root, mut j) = (g.constant(0), 0);
    let mut rest = Fixed { value: a, point };
    for b in digits {
        let digit = match j {
            0 => digit(g, rest, b + 2, reciprocal, b, b + 1),
            _ => digit(g, rest, j + b + 1, reciprocal, j + b - 1, b + 1),
        };
        // (s + d)^2 is more than s^2 by d (2s + d).
        let twice = pad_low(g, root, b + 1);
        let factor = g.add(twice, digit);
        let taken = g.mul(digit, factor);
        let shifted = pad_low(g, root, b);
        root = g.add(shifted, digit);
        j += b;
        let point = rest.point.max(2 * j);
        let before = pad_low(g, rest.value, point - rest.point);
        let taken = pad_low(g, taken, point - 2 * j);
        let left = g.sub(before, taken);
        let value = low(g, left, point + 3 - j);
        rest = Fixed { value, point };
    }
    let one = g.constant(1);
    let next = g.concat(&[root, one]);
    let next = pad_low(g, next, rest.point - 2 * bits);
    Some(corrected(g, root, rest.value, next, bits + 1))
}

/// Those of a significand; `None` if there are none.
fn bits_after_point(g: &Graph, significand: NodeId) -> Option<u32> {
    g.width(significand)
        .checked_sub(1)
        .filter(|&point| point > 0)
}

/// Bits of digit after digit of a root with so many bits after its point.
fn digits_of_root(bits: u32) -> Vec<u32> {
    let mut digits = Vec::new();
    let mut j = 0;
    while j < bits {
        let most = if j == 0 { DIGIT } else { DIGIT.min(j - 3) };
        digits.push(most.min(bits - j));
        j += digits[digits.len() - 1];
    }
    digits
}

/// Bits after the point of a reciprocal for digits of so many bits.
fn places(digits: &[u32]) -> u32 {
    digits.iter().max().copied().unwrap_or(0) + 4
}

/// The product of a remainder, of which so many bits after the point count, and the reciprocal, times `2^scale`, rounded down.
fn digit(
    g: &mut Graph,
    remainder: Fixed,
    counts: u32,
    reciprocal: NodeId,
    scale: u32,
    width: u32,
) -> NodeId {
    let counts = counts.min(remainder.point);
    let cut = remainder.point - counts;
    let kept = g.width(remainder.value) - cut;
    let top = g.extract(remainder.value, cut, kept);
    let product = g.mul(top, reciprocal);
    let digit = g.extract(product, counts + g.width(reciprocal) - scale, width);
    g.name(digit, "digit");
    digit
}

/// A result that may be one too small: it is if what is left is not less than what the next one takes. As wide as that, and whether
/// anything is left then.
fn corrected(
    g: &mut Graph,
    result: NodeId,
    rest: NodeId,
    next: NodeId,
    width: u32,
) -> (NodeId, NodeId) {
    let is_more = g.icmp(Predicate::Ge, rest, next);
    let result = g.add(result, is_more);
    let is_exact = g.icmp(Predicate::Eq, rest, next);
    let differs = g.not(is_exact);
    let nonzero = any(g, rest);
    (low(g, result, width), g.and(nonzero, differs))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the bounds of what a digit leaves out rely on.
    #[test]
    fn digits_of_a_root_are_no_longer_than_those_before_them_allow() {
        for bits in 1..300 {
            let mut j = 0;
            for b in digits_of_root(bits) {
                assert!(0 < b && b <= DIGIT && (j == 0 || b + 3 <= j), "{bits}");
                j += b;
            }
            assert_eq!(j, bits);
        }
    }
}
