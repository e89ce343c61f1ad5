//! Sums of multiples of nodes: what the bits of sums and products are, modulo a power of two.

use super::aig::Lit;
use crate::hwarith::interval::Interval;
use crate::random::mix;
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, Zero};
use std::collections::BTreeMap;

/// `constant + sum(coefficient * node)`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Linear {
    /// Coefficient of each node.
    pub terms: BTreeMap<u32, BigInt>,
    /// The rest.
    pub constant: BigInt,
}

impl Linear {
    /// Adds `scale * lit`.
    pub fn add_lit(&mut self, lit: Lit, scale: &BigInt) {
        if let Some(value) = lit.as_constant() {
            if value {
                self.constant += scale;
            }
            return;
        }
        let coefficient = self.terms.entry(lit.node() as u32).or_default();
        if lit.is_complemented() {
            self.constant += scale;
            *coefficient -= scale;
        } else {
            *coefficient += scale;
        }
    }
    /// Adds `scale` times an unsigned word, lowest bit first.
    pub fn add_word(&mut self, bits: &[Lit], scale: &BigInt) {
        let mut weight = scale.clone();
        for &bit in bits {
            self.add_lit(bit, &weight);
            weight <<= 1;
        }
    }
    /// Adds `scale` times another form.
    pub fn add_linear(&mut self, other: &Linear, scale: &BigInt) {
        for (&node, coefficient) in &other.terms {
            *self.terms.entry(node).or_default() += coefficient * scale;
        }
        self.constant += &other.constant * scale;
    }
    /// Every number into `0 .. 2^width`; terms of 0 disappear.
    pub fn reduce(&mut self, width: u32) {
        self.constant = low(&self.constant, width);
        self.terms.retain(|_, coefficient| {
            *coefficient = low(coefficient, width);
            !coefficient.is_zero()
        });
    }
    /// The same form modulo `2^width`, every number of the least magnitude.
    pub fn centred(&self, width: u32) -> Linear {
        let modulus = BigInt::one() << width;
        let half = BigInt::one() << (width - 1);
        let centre = |n: &BigInt| if *n >= half { n - &modulus } else { n.clone() };
        Linear {
            terms: self.terms.iter().map(|(n, c)| (*n, centre(c))).collect(),
            constant: centre(&self.constant),
        }
    }
    /// Least and greatest value, the nodes being independent.
    pub fn range(&self) -> Interval {
        let mut range = Interval::point(self.constant.clone());
        for coefficient in self.terms.values() {
            if coefficient.is_negative() {
                range.lo += coefficient;
            } else {
                range.hi += coefficient;
            }
        }
        range
    }
}

/// `value` modulo `2^width`.
pub fn low(value: &BigInt, width: u32) -> BigInt {
    // Two's complement of any length.
    value & ((BigInt::one() << width) - 1u32)
}

/// The low bits that need no carry, and the form of what is above them. A column with one odd term has no carry:
/// 3b = b + 2b, 1 - b = !b.
pub fn without_carries(mut linear: Linear, width: u32) -> (Vec<Lit>, Linear) {
    let mut bits = Vec::with_capacity(width as usize);
    for left in (0..width).rev() {
        let mut odd = linear.terms.iter().filter(|(_, c)| c.bit(0));
        let (first, second) = (odd.next().map(|(n, _)| *n), odd.next());
        if second.is_some() {
            break;
        }
        let flip = linear.constant.bit(0);
        let bit = match first {
            Some(node) => Lit::new(node as usize, flip),
            None => Lit::constant(flip),
        };
        linear.add_lit(bit, &-BigInt::one());
        linear.constant >>= 1;
        linear.terms.values_mut().for_each(|c| *c >>= 1);
        linear.reduce(left);
        bits.push(bit);
    }
    (bits, linear)
}

/// Digest of the form modulo each power of two up to `2^width`.
pub fn digests(linear: &Linear, width: u32) -> Vec<u128> {
    let mut sums = vec![0u128; width as usize];
    let constant = (&u32::MAX, &linear.constant);
    for (&node, number) in linear.terms.iter().chain([constant]) {
        let random = spread(u64::from(node));
        for (digit, word) in number.iter_u64_digits().enumerate() {
            let mut rest = word;
            while rest != 0 {
                let at = digit * 64 + rest.trailing_zeros() as usize;
                sums[at] = sums[at].wrapping_add(random.rotate_left(at as u32 % 128));
                rest &= rest - 1;
            }
        }
    }
    let mut digest = 0u128;
    for sum in &mut sums {
        digest = digest
            .wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
            .wrapping_add(*sum);
        *sum = digest;
    }
    sums
}

fn spread(seed: u64) -> u128 {
    let half = mix;
    u128::from(half(seed)) << 64 | u128::from(half(!seed))
}

/// Whether two forms are equal modulo `2^width`.
pub fn congruent(a: &Linear, b: &Linear, width: u32) -> bool {
    let mut difference = a.clone();
    difference.add_linear(b, &-BigInt::one());
    difference.reduce(width);
    difference.terms.is_empty() && difference.constant.is_zero()
}

/// Digits that are 1, of the magnitude.
pub fn ones(value: &BigInt) -> u64 {
    let (_, magnitude): (_, BigUint) = value.clone().into_parts();
    magnitude.count_ones()
}
