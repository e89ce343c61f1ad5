//! Quotients by constants as words of their own, and products by a reciprocal that are such quotients.
//!
//! The quotient of a numerator `x` by a constant `d > 0` is `floor(x / d)` for `x >= 0` and `floor((x - 1) / d)` for `x < 0`: what
//! `floor((m x + c) / 2^s)` is for a suitable multiplier `m`. Its bits are nodes that the kernel and the netlist share; their gates, a
//! restoring division, are made only where somebody asks for them. A form that turns out to be `m x + c` for a known
//! numerator gets the quotient's bits from bit `s` on, if [`is_exact`] holds for the numbers at hand.
//!
//! That division by a constant is multiplication by a reciprocal is from Granlund and Montgomery, Division by Invariant
//! Integers using Multiplication, PLDI 1994. The condition here is derived independently of the one by which `hwarith` chooses
//! its multipliers, and is decided with exact integers for each product that is met.

use super::aig::{Aig, Lit};
use super::bits::Word;
use super::linear::Linear;
use crate::hwarith::HwType;
use crate::hwarith::interval::Interval;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

/// A quotient by a constant.
#[derive(Clone, Debug)]
pub struct Quotient {
    /// In two's complement.
    pub numerator: Word,
    /// Of the numerator.
    pub range: Interval,
    /// Positive.
    pub divisor: BigInt,
    /// The numerator as a form modulo `2^modulus`.
    pub linear: Linear,
    /// Bits of the modulus.
    pub modulus: u32,
    /// Lowest first.
    pub bits: Vec<u32>,
    /// Of the quotient.
    pub ty: HwType,
}

/// Whether `floor((m x + c) / 2^s)` is the quotient of `x` by `d` for every `x` of a range.
///
/// With `m > 0` the left side never falls as `x` rises, and neither does the quotient, which is constant on steps. So the two
/// agree everywhere if, on each step, the left side is not too small at the first `x` and not too large at the last one.
///
/// - The step of a quotient `k >= 0` begins at `k d`: `m k d + c >= k 2^s`. The one before ends at `k d - 1`:
///   `m (k d - 1) + c < k 2^s`. Let `e = m d - 2^s`: these are `k e + c >= 0` and `k e + c < m`.
/// - For negative numerators the step of `-k - 1` reaches from `-((k + 1) d - 1)` to `-k d`, or to -1 for `k = 0`:
///   `-k e + c < 0`, and with `j = k + 1`, `-j e + m + c >= 0`.
///
/// Each is linear in `k`, so that it holds for all if it holds for the least and the greatest `k`; besides, the ends of the
/// range itself have to be right.
pub fn is_exact(range: &Interval, d: &BigInt, m: &BigInt, c: &BigInt, s: u32) -> bool {
    if !m.is_positive() || !d.is_positive() {
        return false;
    }
    let e = m * d - (BigInt::one() << s);
    let left = |x: &BigInt| (m * x + c) >> s;
    let (one, minus_one) = (BigInt::one(), -BigInt::one());
    let both = |least: &BigInt, greatest: &BigInt, holds: &dyn Fn(&BigInt) -> bool| {
        least > greatest || (holds(least) && holds(greatest))
    };
    let is_right = |x: &BigInt| left(x) == floor(x, d);
    let rises = |most: &BigInt| {
        both(&BigInt::zero(), &most.div_floor(d), &|k| {
            !(k * &e + c).is_negative()
        }) && both(&one, &(most + 1u32).div_floor(d), &|k| k * &e + c < *m)
            && is_right(&BigInt::zero())
    };
    let falls = |least: &BigInt| {
        let depth = -least;
        both(&one, &depth.div_floor(d), &|k| (c - k * &e).is_negative())
            && both(&one, &(&depth + 1u32).div_floor(d), &|j| {
                !(m + c - j * &e).is_negative()
            })
            && is_right(&minus_one)
    };
    is_right(&range.lo)
        && is_right(&range.hi)
        && (range.hi.is_negative() || rises(&range.hi))
        && (!range.lo.is_negative() || falls(&range.lo))
}

/// The quotient by definition.
pub fn floor(x: &BigInt, d: &BigInt) -> BigInt {
    match x.is_negative() {
        true => (x - 1u32).div_floor(d),
        false => x.div_floor(d),
    }
}

/// Range of the quotients of a range.
pub fn quotients(range: &Interval, d: &BigInt) -> Interval {
    Interval::new(floor(&range.lo, d), floor(&range.hi, d))
}

impl Quotient {
    /// If `linear` is, modulo `2^width`, a product with the numerator from which a shift gives the quotient: the shift. The
    /// form's bits from there on are the quotient's, as many as there are.
    pub fn shift_of(&self, linear: &Linear, width: u32) -> Option<u32> {
        if width > self.modulus || linear.terms.len() != self.linear.terms.len() {
            return None;
        }
        let (node, coefficient) = self.linear.terms.iter().find(|(_, c)| c.bit(0))?;
        let inverse = inverse(coefficient, width);
        let factor = low(&(linear.terms.get(node)? * inverse), width);
        let constant = low(&(&linear.constant - &factor * &self.linear.constant), width);
        let half = BigInt::one() << (width - 1);
        let constant = if constant >= half {
            constant - (BigInt::one() << width)
        } else {
            constant
        };
        let scaled = |(node, c): (u32, &BigInt)| {
            let wanted = low(&(c * &factor), width);
            linear.terms.get(node) == Some(&wanted)
        };
        if !self.linear.terms.iter().all(scaled) {
            return None;
        }
        let near = (&factor * &self.divisor).bits() as u32;
        let exact = |s: &u32| is_exact(&self.range, &self.divisor, &factor, &constant, *s);
        [near, near.saturating_sub(1)]
            .into_iter()
            .filter(|s| *s < width)
            .find(exact)
    }

    /// Gates of the quotient: restoring division of the magnitude, lowest bit first.
    pub fn gates(&self, aig: &mut Aig, numerator: &[Lit]) -> Word {
        let sign = match self.range.lo.is_negative() {
            true => numerator[numerator.len() - 1],
            false => Lit::FALSE,
        };
        let flipped: Word = numerator.iter().map(|&bit| aig.xor(bit, sign)).collect();
        let mut carry = sign;
        let mut magnitude = Word::new();
        for bit in flipped {
            magnitude.push(aig.xor(bit, carry));
            carry = aig.and(bit, carry);
        }
        let mut rest: Word = vec![Lit::FALSE; self.divisor.bits() as usize + 1];
        let mut quotient = vec![Lit::FALSE; magnitude.len()];
        for (i, &bit) in magnitude.iter().enumerate().rev() {
            rest.insert(0, bit);
            rest.pop();
            let (less, borrow) = minus(aig, &rest, &self.divisor);
            quotient[i] = !borrow;
            let pairs = less.iter().zip(&rest);
            rest = pairs.map(|(&a, &b)| aig.mux(borrow, b, a)).collect();
        }
        let negated = quotient.iter().map(|&bit| aig.xor(bit, sign));
        let mut bits: Word = negated.collect();
        bits.resize(self.bits.len().max(bits.len()), sign);
        bits.truncate(self.bits.len());
        bits
    }
}

/// A word minus a constant, and whether that is negative.
fn minus(aig: &mut Aig, word: &[Lit], constant: &BigInt) -> (Word, Lit) {
    let mut borrow = Lit::FALSE;
    let mut out = Word::new();
    for (i, &bit) in word.iter().enumerate() {
        let one = Lit::constant(constant.bit(i as u64));
        let half = aig.xor(bit, one);
        out.push(aig.xor(half, borrow));
        let less = aig.and(!bit, one);
        let through = aig.and(!half, borrow);
        borrow = aig.or(less, through);
    }
    (out, borrow)
}

fn low(value: &BigInt, width: u32) -> BigInt {
    value & ((BigInt::one() << width) - 1u32)
}

/// Of an odd number modulo `2^width`, by Newton's iteration: every step doubles the bits that are right.
fn inverse(odd: &BigInt, width: u32) -> BigInt {
    let mut inverse = BigInt::one();
    for _ in 0..=width.ilog2() + 1 {
        inverse = low(&(&inverse * (2u32 - odd * &inverse)), width);
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By trying every numerator.
    fn agrees(range: (i32, i32), d: i32, m: i32, c: i32, s: u32) -> bool {
        (range.0..=range.1).all(|x| {
            let wanted = if x < 0 { (x - 1).div_euclid(d) } else { x / d };
            (m * x + c) >> s == wanted
        })
    }

    #[test]
    fn the_condition_is_neither_too_weak_nor_too_strong() {
        let mut exact = 0;
        for range in [(0, 63), (0, 50), (7, 40), (-32, 31), (-50, 9), (-20, -3)] {
            for d in 1..24 {
                for s in 0..10 {
                    let near = (1 << s) / d;
                    for m in (near - 1).max(1)..near + 3 {
                        for c in [0, 1, m, -1, m - 1, 5] {
                            let [big_d, big_m, big_c] = [d, m, c].map(BigInt::from);
                            let own = Interval::new(range.0, range.1);
                            let told = is_exact(&own, &big_d, &big_m, &big_c, s);
                            let is = agrees(range, d, m, c, s);
                            // What spans whole steps is decided exactly; a range that starts within one, safely.
                            assert!(!told || is, "{range:?} {d} {m} {c} {s}");
                            if range.0 == 0 || range.0 < 0 && range.1 > 0 {
                                assert_eq!(told, is, "{range:?} {d} {m} {c} {s}");
                            }
                            exact += u32::from(told);
                        }
                    }
                }
            }
        }
        assert!(exact > 500, "{exact}");
    }

    /// For the multipliers of Granlund and Montgomery's paper, and their neighbours.
    #[test]
    fn of_thirty_two_bits() {
        let exact = |range: HwType, d: u64, m: u64, s: u32| {
            let [d, m] = [d, m].map(BigInt::from);
            is_exact(&Interval::of_type(range), &d, &m, &BigInt::zero(), s)
        };
        let (unsigned, signed) = (HwType::ui(32), HwType::si(32));
        assert!(exact(unsigned, 10, (1 << 35) / 10 + 1, 35));
        assert!(!exact(unsigned, 10, (1 << 34) / 10 + 1, 34));
        assert!(!exact(unsigned, 10, (1 << 35) / 10, 35));
        assert!(!exact(unsigned, 10, (1 << 35) / 10 + 2, 35));
        assert!(!exact(unsigned, 7, (1 << 34) / 7 + 1, 34));
        assert!(exact(unsigned, 7, (1 << 35) / 7 + 1, 35));
        assert!(exact(signed, 7, (1 << 34) / 7 + 1, 34));
        assert!(exact(signed, 3, (1 << 32) / 3 + 1, 32));
        assert!(!exact(signed, 3, (1 << 32) / 3, 32));
    }

    #[test]
    fn an_inverse() {
        for width in [1, 2, 7, 64, 200] {
            for odd in [1u64, 3, 0xffff_ffff_ffff, 12_345_678_901] {
                let odd = BigInt::from(odd);
                let one = low(&(inverse(&odd, width) * odd), width);
                assert!(one.is_one(), "{width}");
            }
        }
    }
}
