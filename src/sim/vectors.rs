//! Deterministic inputs by seed, biased to the values where hardware goes wrong.

use crate::ir::{FloatFormat, Scalar, StorageFormat};
use crate::sim::softfloat;
use crate::sim::value::{Invocation, Signature, Slot, Value};
use num_bigint::{BigInt, BigUint};

/// SplitMix64: a small generator of uniform 64-bit words.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }
    /// The next word.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// A number below `bound`, which is not 0; the bias is below 2^-32 for the bounds used here.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }
    /// True once in `n` times.
    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
    /// One of several.
    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
    /// `width` uniform bits.
    pub fn pattern(&mut self, width: u32) -> BigUint {
        let digits = (0..width.div_ceil(64)).flat_map(|_| {
            let word = self.next();
            [word as u32, (word >> 32) as u32]
        });
        BigUint::new(digits.collect()) & ((BigUint::from(1u32) << width) - 1u32)
    }
    /// The same as an integer.
    fn bits(&mut self, width: u32) -> BigInt {
        let words = width.div_ceil(64);
        let mut out = BigInt::from(0);
        for _ in 0..words {
            out = (out << 64u32) | BigInt::from(self.next());
        }
        out >> (words * 64 - width)
    }
}

/// What kind of numbers fill an invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Small non-negative integers, ordinary floats of similar size: subscripts stay in range, loops
    /// are short, and most results are exact.
    Small,
    /// Limits, powers of two and their neighbours; zeros, subnormals, infinities, NaNs, ties.
    Edge,
    /// Every bit pattern alike.
    Uniform,
    /// Each element of another kind.
    Mixed,
}

/// `count` invocations of a kernel. Invocation `i` of a seed does not depend on `count`.
pub fn generate(signature: &Signature, count: usize, seed: u64) -> Vec<Invocation> {
    (0..count)
        .map(|i| invocation(signature, seed, i as u64, 0))
        .collect()
}

/// Invocation `number` of a seed; `attempt` counts from 0 how many draws were thrown away (because a
/// loop ran too long on them): all but the first are small.
pub fn invocation(signature: &Signature, seed: u64, number: u64, attempt: u64) -> Invocation {
    const STYLES: [Style; 4] = [Style::Small, Style::Mixed, Style::Edge, Style::Uniform];
    let style = match attempt {
        0 => STYLES[(number % 4) as usize],
        _ => Style::Small,
    };
    let mut rng = Rng::new(seed ^ Rng::new(number << 8 | attempt).next());
    let small = signature
        .params
        .iter()
        .flat_map(|p| p.shape.iter().flatten().copied())
        .max()
        .unwrap_or(16)
        .clamp(1, 64)
        >> attempt.min(6);
    let args = signature
        .params
        .iter()
        .map(|slot| fill(slot, style, small.max(2), &mut rng))
        .collect();
    Invocation { args }
}

fn fill(slot: &Slot, style: Style, small: u64, rng: &mut Rng) -> Vec<Value> {
    // Now and then few distinct values, so that neighbours collide (histograms, comparisons).
    let small = if rng.one_in(3) {
        2.max(small / 8)
    } else {
        small
    };
    (0..slot.len())
        .map(|_| {
            let style = match style {
                Style::Mixed => rng.pick(&[Style::Small, Style::Edge, Style::Uniform]),
                other => other,
            };
            element(slot.ty, style, small, rng)
        })
        .collect()
}

fn element(ty: Scalar, style: Style, small: u64, rng: &mut Rng) -> Value {
    match (ty, style) {
        (Scalar::Float(f), Style::Edge) => Value::wrapped(ty, edge_float(f, rng)),
        (Scalar::Float(f), Style::Small) => Value::wrapped(ty, ordinary_float(f, small, rng)),
        // Few enough for every code to come up; half of them at the extremes or small.
        (Scalar::Storage(f), Style::Edge) => Value::wrapped(ty, edge_code(f, rng)),
        (Scalar::Storage(f), Style::Small) => {
            let quarters = rng.below(33);
            let code = f.round(quarters < 16, &quarters.abs_diff(16).into(), -2, false);
            Value::wrapped(ty, code)
        }
        // Scalar subscripts and bounds that are huge tell nothing and take for ever.
        (Scalar::Index, _) => Value::int(ty, i128::from(rng.below(small + 1))),
        (_, Style::Small) => Value::wrapped(ty, rng.below(small)),
        (_, Style::Edge) => Value::wrapped(ty, edge_int(ty.width(), rng)),
        (_, Style::Uniform | Style::Mixed) => Value::wrapped(ty, rng.bits(ty.width())),
    }
}

fn edge_code(f: StorageFormat, rng: &mut Rng) -> u64 {
    let sign = rng.below(2) << (f.width() - 1);
    let magnitudes = 1 << (f.width() - 1);
    sign | match rng.below(3) {
        0 => rng.below(3),
        1 => magnitudes - 1 - rng.below(3),
        _ => rng.below(magnitudes),
    }
}

fn edge_int(width: u32, rng: &mut Rng) -> BigInt {
    let one = BigInt::from(1);
    let power = one.clone() << rng.below(u64::from(width));
    match rng.below(8) {
        0 => BigInt::from(0),
        1 => one,
        2 => -one,
        3 => BigInt::from(1) << (width - 1),
        4 => (BigInt::from(1) << (width - 1)) - 1,
        5 => power + rng.pick(&[-1, 0, 1]),
        6 => -power + rng.pick(&[-1, 0, 1]),
        _ => rng.bits(width),
    }
}

fn edge_float(f: FloatFormat, rng: &mut Rng) -> BigInt {
    let all: BigInt = (BigInt::from(1) << f.frac) - 1;
    let top = (1u64 << f.exp) - 1;
    let bias = top >> 1;
    let near = u64::from(f.frac).min(bias - 1);
    let exponent = match rng.below(8) {
        0 => 0,
        1 => 1,
        2 => top - 1,
        3 => top,
        4 => bias,
        5 => bias + near - 1 + rng.below(3),
        6 => bias - near + rng.below(2 * near + 1),
        _ => rng.below(top + 1),
    };
    let fraction = match rng.below(7) {
        0 => BigInt::from(0),
        1 => BigInt::from(1),
        2 => all.clone(),
        3 => BigInt::from(1) << (f.frac - 1),
        4 => BigInt::from(1) << rng.below(u64::from(f.frac)),
        5 => &all >> rng.below(u64::from(f.frac)),
        _ => rng.bits(f.frac),
    };
    let sign = BigInt::from(rng.below(2)) << (f.exp + f.frac);
    sign | (BigInt::from(exponent) << f.frac) | fraction
}

/// A number of size up to `small`, with a few fraction bits.
fn ordinary_float(f: FloatFormat, small: u64, rng: &mut Rng) -> BigInt {
    let quarters = rng.below(8 * small + 1) as i64 - 4 * small as i64;
    let exact = softfloat::Exact {
        negative: quarters < 0,
        mantissa: quarters.unsigned_abs().into(),
        exponent: -2,
    };
    softfloat::round(f, &exact, false).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(ty: Scalar, shape: Option<Vec<u64>>) -> Slot {
        Slot {
            name: "x".into(),
            ty,
            shape,
        }
    }

    #[test]
    fn same_seed_same_vectors_and_prefixes() {
        let signature = Signature {
            params: vec![
                slot(Scalar::signed(32), Some(vec![4, 4])),
                slot(Scalar::Float(FloatFormat::F32), None),
                slot(Scalar::unsigned(96), None),
                slot(Scalar::Index, None),
            ],
            results: vec![],
        };
        let long = generate(&signature, 20, 5);
        assert_eq!(generate(&signature, 7, 5), long[..7]);
        assert_ne!(generate(&signature, 20, 6), long);
        assert_eq!(long[0].args[0].len(), 16);
    }

    #[test]
    fn integers_stay_in_range_and_reach_the_limits() {
        for ty in [Scalar::signed(1), Scalar::signed(7), Scalar::unsigned(70)] {
            let (min, max) = ty.int_range().unwrap();
            let mut rng = Rng::new(1);
            let all: Vec<BigInt> = (0..2000)
                .map(|_| element(ty, Style::Edge, 8, &mut rng).data.to_bigint())
                .collect();
            assert!(all.iter().all(|v| *v >= min && *v <= max));
            assert!(all.contains(&min) && all.contains(&max), "{ty}");
        }
    }

    #[test]
    fn floats_reach_every_class() {
        let f = FloatFormat::F16;
        let mut rng = Rng::new(2);
        let all: Vec<u128> = (0..5000)
            .map(|_| u128::try_from(edge_float(f, &mut rng)).unwrap())
            .collect();
        assert!(all.iter().all(|&b| b < 1 << 16));
        for wanted in [
            0, 0x8000, 0x7c00, 0xfc00, 0x0001, 0x03ff, 0x7bff, 0x7c01, 0x3c00,
        ] {
            assert!(all.contains(&wanted), "{wanted:#x}");
        }
    }
}
