//! Integer division as the language defines it, on words.
//!
//! Quotients rounded down are written with divisions of natural numbers by `floor(a / -d) = floor(-a / d)` and
//! `floor(a / d) = !floor(!a / d)`. By a constant, they are words of their own ([`super::quotients`]), and besides there are
//! `floor(a / 2^k c) = floor(floor(a / 2^k) / c)`, and `a - d trunc(a / d)` as remainder.

use super::aig::{Aig, Lit};
use super::bits::{Word, as_constant, extend};
use super::linear::Linear;
use super::sums::Sums;
use crate::hwarith::HwType;
use crate::hwarith::interval::Interval;
use crate::ir::BinaryOp;
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

/// `a op b` for `/`, `%` and `//`, of words of one width.
pub fn divide(sums: &mut Sums, op: BinaryOp, a: &Word, b: &Word, signed: bool) -> Word {
    if let Some(divisor) = as_constant(b)
        && !divisor.is_zero()
    {
        let ty = HwType {
            width: b.len() as u32,
            signed,
        };
        if let Some(result) = by_constant(sums, op, a, &ty.wrap(&divisor.into()), signed) {
            return result;
        }
    }
    if op == BinaryOp::FloorDiv && signed {
        return floored(sums, a, b);
    }
    let (quotient, rest) = match signed {
        true => sums.divide_signed(a, b),
        false => sums.divide(a, b),
    };
    match op {
        BinaryOp::Mod => rest,
        _ => quotient,
    }
}

/// Rounded down: with a positive divisor, and then a numerator that is not negative; of a zero divisor all ones.
fn floored(sums: &mut Sums, a: &Word, b: &Word) -> Word {
    let width = a.len();
    let wide = |word: &Word| extend(word, width as u32 + 1, true);
    let flip = b[width - 1];
    let [numerator, divisor] = [wide(a), wide(b)].map(|word| {
        let negated = negate(sums, &word);
        sums.select(flip, &negated, &word)
    });
    let mask = vec![numerator[width]; width + 1];
    let folded = sums.zip(&numerator, &mask, Aig::xor);
    let (quotient, _) = sums.divide(&folded, &divisor);
    let quotient = sums.zip(&quotient, &mask, Aig::xor);
    let by_zero = !sums.any(b);
    sums.select(by_zero, &vec![Lit::TRUE; width], &quotient[..width])
}

/// `None` for powers of two of signed numbers, which are simple as they are.
fn by_constant(sums: &mut Sums, op: BinaryOp, a: &Word, d: &BigInt, signed: bool) -> Option<Word> {
    let width = a.len() as u32;
    let magnitude = d.abs();
    // One bit more holds the negation of every number.
    let wide = extend(a, width + 1, signed);
    if op == BinaryOp::FloorDiv || !signed {
        let quotient = match d.is_negative() {
            true => {
                let negated = negate(sums, &wide);
                floor(sums, &negated, &magnitude)
            }
            false => floor(sums, &wide, &magnitude),
        };
        let quotient = sums.resize(&quotient, width, true);
        return Some(match op {
            BinaryOp::Mod => remainder(sums, a, &quotient, &magnitude, signed),
            _ => quotient,
        });
    }
    if magnitude.trailing_zeros() == Some(magnitude.bits() - 1) {
        return None;
    }
    // Of negative numerators one below the truncated quotient.
    let sign = extend(&[a[a.len() - 1]], width, false);
    let quotient = sums.quotient(a, &magnitude);
    let quotient = sums.resize(&quotient, width, true);
    let quotient = sums.add(&quotient, &sign);
    Some(match op {
        BinaryOp::Mod => remainder(sums, a, &quotient, &magnitude, signed),
        _ if d.is_negative() => negate(sums, &quotient),
        _ => quotient,
    })
}

fn negate(sums: &mut Sums, a: &Word) -> Word {
    let zero = vec![Lit::FALSE; a.len()];
    sums.sub(&zero, a)
}

/// `a - d quotient`, which is smaller than `d`.
fn remainder(sums: &mut Sums, a: &Word, quotient: &Word, d: &BigInt, signed: bool) -> Word {
    let mut linear = Linear::default();
    linear.add_word(a, &BigInt::one());
    linear.add_word(quotient, &-d);
    let most = d - 1u32;
    let least = if signed { -&most } else { BigInt::zero() };
    sums.bits(linear, a.len() as u32, Some(Interval::new(least, most)))
}

/// Quotient of a two's complement number rounded down.
fn floor(sums: &mut Sums, a: &Word, d: &BigInt) -> Word {
    let shift = d.trailing_zeros().unwrap_or(0);
    let odd = d >> shift;
    let top = a[a.len() - 1];
    let shift = (shift as usize).min(a.len() - 1);
    let a = &a[shift..];
    if odd.is_one() {
        return a.to_vec();
    }
    let mask = vec![top; a.len()];
    let folded = sums.zip(a, &mask, Aig::xor);
    let mut quotient = sums.quotient(&folded, &odd);
    quotient = extend(&quotient, a.len() as u32, true);
    sums.zip(&quotient, &mask, Aig::xor)
}
