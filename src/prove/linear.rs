//! Sums of multiples of nodes: what the bits of sums and products are, modulo a power of two.

use super::aig::Lit;
use crate::hwarith::interval::Interval;
use crate::random::mix;
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, Zero};

/// Numbers by nodes, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Terms(Vec<(u32, BigInt)>);

impl Terms {
    /// How many nodes have one.
    pub fn len(&self) -> usize {
        self.0.len()
    }
    /// Whether no node has one.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// The number of a node.
    pub fn get(&self, node: u32) -> Option<&BigInt> {
        let at = self.place(node).ok()?;
        Some(&self.0[at].1)
    }
    /// All, from the oldest node to the newest.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (u32, &BigInt)> {
        self.0.iter().map(|(node, number)| (*node, number))
    }
    /// The numbers, to be changed.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut BigInt> {
        self.0.iter_mut().map(|(_, number)| number)
    }
    /// The newest node before another.
    pub fn before(&self, node: u32) -> Option<u32> {
        let at = self.place(node).unwrap_or_else(|at| at);
        at.checked_sub(1).map(|at| self.0[at].0)
    }
    /// The number of a node, at first 0.
    pub fn of(&mut self, node: u32) -> &mut BigInt {
        let at = match self.place(node) {
            Ok(at) => at,
            Err(at) => {
                self.0.insert(at, (node, BigInt::zero()));
                at
            }
        };
        &mut self.0[at].1
    }

    fn place(&self, node: u32) -> Result<usize, usize> {
        // Most sums are written down in order.
        match self.0.last() {
            Some((last, _)) if *last < node => Err(self.0.len()),
            _ => self.0.binary_search_by_key(&node, |(node, _)| *node),
        }
    }

    /// Adds `scale` times the others.
    fn add(&mut self, other: &Terms, scale: &BigInt) {
        let others = other.0.iter().map(|(node, number)| (*node, number * scale));
        self.0.extend(others);
        // Two runs in order, which the sort merges.
        self.0.sort_by_key(|(node, _)| *node);
        self.0.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                kept.1 += &next.1;
            }
            is_same
        });
    }
}

/// `constant + sum(coefficient * node)`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Linear {
    /// Coefficient of each node.
    pub terms: Terms,
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
        let coefficient = self.terms.of(lit.node() as u32);
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
        self.terms.add(&other.terms, scale);
        self.constant += &other.constant * scale;
    }
    /// Every number into `0 .. 2^width`; terms of 0 disappear.
    pub fn reduce(&mut self, width: u32) {
        let shorten = |number: &mut BigInt| {
            // Most are short already.
            if number.is_negative() || number.bits() > u64::from(width) {
                *number = low(number, width);
            }
        };
        shorten(&mut self.constant);
        self.terms.0.retain_mut(|(_, coefficient)| {
            shorten(coefficient);
            !coefficient.is_zero()
        });
    }
    /// The same form modulo `2^width`, every number of the least magnitude.
    pub fn centred(&self, width: u32) -> Linear {
        let modulus = BigInt::one() << width;
        let half = BigInt::one() << (width - 1);
        let centre = |n: &BigInt| if *n >= half { n - &modulus } else { n.clone() };
        Linear {
            terms: Terms(self.terms.iter().map(|(n, c)| (n, centre(c))).collect()),
            constant: centre(&self.constant),
        }
    }
    /// Least and greatest value, the nodes being independent.
    pub fn range(&self) -> Interval {
        let mut range = Interval::point(self.constant.clone());
        for (_, coefficient) in self.terms.iter() {
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
        let first = odd.next().map(|(n, _)| n);
        if odd.next().is_some() {
            break;
        }
        drop(odd);
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
    let constant = (u32::MAX, &linear.constant);
    for (node, number) in linear.terms.iter().chain([constant]) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn terms_are_a_map_in_order() {
        let (mut terms, mut map) = (Terms::default(), BTreeMap::<u32, BigInt>::new());
        for round in 0..400u64 {
            let random = |what: u64, below: u64| mix(round << 8 | what) % below;
            let node = random(0, 30) as u32;
            *terms.of(node) += random(1, 9);
            *map.entry(node).or_default() += random(1, 9);
            if round % 3 == 0 {
                let scale = BigInt::from(random(2, 9)) - 4;
                let mut others = Terms::default();
                for other in 10..10 + random(3, 6) {
                    let node = random(other, 40) as u32;
                    *others.of(node) -= other;
                    *map.entry(node).or_default() -= &scale * other;
                }
                terms.add(&others, &scale);
            }
            assert!(
                terms
                    .iter()
                    .eq(map.iter().map(|(node, number)| (*node, number)))
            );
            let asked = random(4, 42) as u32;
            assert_eq!(terms.get(asked), map.get(&asked));
            let before = map.range(..asked).next_back();
            assert_eq!(terms.before(asked), before.map(|(node, _)| *node));
            assert_eq!((terms.len(), terms.is_empty()), (map.len(), map.is_empty()));
        }
    }

    /// Of either sign, at the borders of a width and within it.
    #[test]
    fn reduced_numbers_are_those_modulo_a_power_of_two() {
        for number in -40..40 {
            let mut linear = Linear::default();
            *linear.terms.of(1) += number;
            linear.constant += number;
            linear.reduce(4);
            let wanted = BigInt::from(i32::rem_euclid(number, 16));
            assert_eq!(linear.constant, wanted);
            assert_eq!(linear.terms.get(1), (!wanted.is_zero()).then_some(&wanted));
        }
    }
}
