//! Operands in the style of Berkeley TestFloat: every exponent class with all-zero, all-ones, single-bit
//! and run fractions, and random ones.

use crate::ir::FloatFormat;

/// A small deterministic generator (xorshift64*).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
    pub fn bits(&mut self, width: u32) -> u128 {
        let all = u128::from(self.next()) << 64 | u128::from(self.next());
        all >> (128 - width)
    }
}

/// A fraction: random, a run of ones at either end, a single bit, or its complement.
fn fraction(format: FloatFormat, random: &mut Random) -> u128 {
    let ones = (1u128 << format.frac) - 1;
    let place = random.below(u64::from(format.frac) + 1);
    match random.below(6) {
        0 => ones >> place,
        1 => ones << place & ones,
        2 => 1 << place & ones,
        3 => !(1 << place) & ones,
        4 => (1 << place | 1) & ones,
        _ => random.bits(format.frac),
    }
}

/// An exponent field: an extreme, near the bias, or any.
fn exponent(format: FloatFormat, random: &mut Random) -> u128 {
    let max = (1u128 << format.exp) - 1;
    let bias = max >> 1;
    match random.below(8) {
        0 => 0,
        1 => random.below(3) as u128,
        2 => max - random.below(3).min(max as u64) as u128,
        3 => bias.saturating_sub(2) + random.below(4) as u128,
        4 => (random.below(2 * u64::from(format.frac)) as u128).min(max),
        _ => random.bits(format.exp),
    }
}

/// One operand.
pub fn operand(format: FloatFormat, random: &mut Random) -> u128 {
    let exponent = exponent(format, random).min((1 << format.exp) - 1);
    (random.bits(1) << format.exp | exponent) << format.frac | fraction(format, random)
}

/// `count` pairs; half of them with exponents so close that the operands interact.
pub fn pairs(format: FloatFormat, count: usize, seed: u64) -> Vec<(u128, u128)> {
    let mut random = Random::new(seed);
    let max = (1i64 << format.exp) - 1;
    (0..count)
        .map(|i| {
            let a = operand(format, &mut random);
            let b = operand(format, &mut random);
            if i % 2 == 0 {
                return (a, b);
            }
            let reach = i64::from(format.frac) + 3;
            let field = (a >> format.frac) as i64 & max;
            let near = field + random.below(2 * reach as u64) as i64 - reach;
            let rest = b & !((max as u128) << format.frac);
            (a, rest | (near.clamp(0, max) as u128) << format.frac)
        })
        .collect()
}

/// Every exponent field (of at most 64 classes) with the fractions that rounding turns on.
pub fn corners(format: FloatFormat) -> Vec<u128> {
    let max = (1u128 << format.exp) - 1;
    let ones = (1u128 << format.frac) - 1;
    let bias = max >> 1;
    let mut exponents = vec![0, 1, 2, bias - 1, bias, bias + 1, max - 1, max];
    for near in [u128::from(format.frac) - 1, u128::from(format.frac) + 1] {
        exponents.extend([bias + near, bias.saturating_sub(near), near]);
    }
    exponents.retain(|&e| e <= max);
    exponents.sort_unstable();
    exponents.dedup();
    let mut fractions = vec![0, 1, ones, ones - 1, ones >> 1, 1 << (format.frac - 1)];
    fractions.retain(|&f| f <= ones);
    fractions.sort_unstable();
    fractions.dedup();
    let mut all = Vec::new();
    for sign in 0..2u128 {
        for &exponent in &exponents {
            for &fraction in &fractions {
                all.push((sign << format.exp | exponent) << format.frac | fraction);
            }
        }
    }
    all
}
