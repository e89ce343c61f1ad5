//! Words of literals, lowest bit first.

use super::aig::Lit;
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

/// Literals of a word, lowest bit first; never empty.
pub type Word = Vec<Lit>;

/// The constant's low bits.
pub fn constant(value: &BigInt, width: u32) -> Word {
    (0..u64::from(width))
        .map(|i| Lit::constant(value.bit(i)))
        .collect()
}

/// The unsigned value of a word of constants.
pub fn as_constant(word: &[Lit]) -> Option<BigUint> {
    let mut value = BigUint::zero();
    for (i, bit) in word.iter().enumerate() {
        value.set_bit(i as u64, bit.as_constant()?);
    }
    Some(value)
}

/// The low bits, or the extension by the top bit or zeros.
pub fn extend(word: &[Lit], width: u32, signed: bool) -> Word {
    let fill = match word.last() {
        Some(&top) if signed => top,
        _ => Lit::FALSE,
    };
    let bits = word.iter().copied().chain(std::iter::repeat(fill));
    bits.take(width as usize).collect()
}

/// A word without what repeats its top bit.
pub fn trimmed(word: &[Lit]) -> &[Lit] {
    let mut length = word.len();
    while length > 1 && word[length - 1] == word[length - 2] {
        length -= 1;
    }
    &word[..length]
}

/// The bits of a two's complement number with their weights.
pub fn weights(word: &[Lit]) -> Vec<(Lit, BigInt)> {
    let word = trimmed(word);
    let weight = |i: usize| BigInt::one() << i;
    let weights = word
        .iter()
        .enumerate()
        .map(|(i, &bit)| match i + 1 == word.len() {
            true => (bit, -weight(i)),
            false => (bit, weight(i)),
        });
    weights.collect()
}
