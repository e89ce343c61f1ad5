//! Operands in the style of Berkeley TestFloat: every exponent class with all-zero, all-ones, single-bit
//! and run fractions, and random ones.

use crate::ir::FloatFormat;
use crate::sim::softfloat::{Arithmetic, arithmetic};

/// A small deterministic generator (xorshift64*).
pub struct Random(u64);

impl Random {
    /// Of a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }
    /// 64 random bits.
    #[expect(clippy::should_implement_trait, reason = "it has no end")]
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
    /// A number of `width` bits, 1 to 128.
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

/// `count` tuples of operands for an operation of `arity` operands, mostly such that they interact: of three,
/// the last often nearly cancels the product of the others.
pub fn tuples(format: FloatFormat, arity: usize, count: usize, seed: u64) -> Vec<Vec<u128>> {
    let mut random = Random::new(seed ^ 0x7a);
    let all = u128::MAX >> (128 - format.width());
    let sign = all ^ all >> 1;
    pairs(format, count, seed)
        .into_iter()
        .map(|(a, b)| {
            let product = arithmetic(format, Arithmetic::Mul, [a, b, 0]);
            let near = (product ^ sign).wrapping_add(u128::from(random.below(5))) & all;
            let c = match random.below(2) {
                0 => near,
                _ => operand(format, &mut random),
            };
            vec![a, b, c][..arity].to_vec()
        })
        .collect()
}

/// All tuples of a short format, all values of one of up to 16 bits; else corners with corners, and more from
/// [`tuples`], 46,000 at the least.
pub fn many_tuples(format: FloatFormat, arity: usize, seed: u64) -> Vec<Vec<u128>> {
    let bits = format.width() * arity as u32;
    if bits <= 16 {
        let mask = (1u128 << format.width()) - 1;
        let field = |i: u128, k: usize| i >> (k as u32 * format.width()) & mask;
        return (0..1u128 << bits)
            .map(|i| (0..arity).map(|k| field(i, k)).collect())
            .collect();
    }
    let corners = corners(format);
    let mut all: Vec<Vec<u128>> = match arity {
        1 => corners.iter().map(|&a| vec![a]).collect(),
        2 => corners
            .iter()
            .flat_map(|&a| corners.iter().map(move |&b| vec![a, b]))
            .collect(),
        _ => {
            let mut random = Random::new(seed);
            let mut pick = || corners[random.below(corners.len() as u64) as usize];
            (0..20_000)
                .map(|_| (0..arity).map(|_| pick()).collect())
                .collect()
        }
    };
    let rest = 48_000usize.saturating_sub(all.len()).max(20_000);
    all.extend(tuples(format, arity, rest, seed));
    all
}
