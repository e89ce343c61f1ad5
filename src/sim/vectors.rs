//! Deterministic inputs by seed, biased to the values where hardware goes wrong.

use crate::ir::{FloatFormat, Scalar, StorageFormat};
use crate::sim::elements::Elements;
use crate::sim::integer::ExactInt;
use crate::sim::softfloat;
use crate::sim::value::{Data, Invocation, Signature, Slot, Value};
use num_bigint::{BigInt, BigUint};

/// SplitMix64: a small generator of uniform 64-bit words.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }
    /// The sequence that belongs to a position of something with a seed.
    pub fn at(seed: u64, position: u64) -> Rng {
        // Any odd number that is not the step of the sequences would do.
        Rng(seed.wrapping_add(position.wrapping_mul(0xd134_2543_de82_ef95)))
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
        self.pattern(width).into()
    }
    /// The same for at most 128 bits.
    fn wide(&mut self, width: u32) -> u128 {
        let all = u128::from(self.next()) << 64 | u128::from(self.next());
        all >> (128 - width)
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
    let extents = signature
        .params
        .iter()
        .flat_map(|p| p.shape.iter().flatten());
    let small = extents.copied().max().unwrap_or(16).clamp(1, 64) >> attempt.min(6);
    let args = signature.params.iter().map(|slot| {
        let draw = Draw::new(slot, style, small.max(2), &mut rng);
        match slot.is_array() {
            true => Elements::drawn(slot.len(), draw),
            false => Elements::one(slot.ty, draw.at(0)),
        }
    });
    Invocation {
        args: args.collect(),
    }
}

/// The values of an array by their positions, so that only those are drawn that are looked at.
#[derive(Clone, Debug)]
pub struct Draw {
    ty: Scalar,
    style: Style,
    /// Above small numbers.
    small: u64,
    /// One float in so many may be an infinity, a NaN, or far from 1. Sums over an array in which every other element
    /// is such a number tell nothing.
    wild: u64,
    seed: u64,
}

impl Draw {
    fn new(slot: &Slot, style: Style, small: u64, rng: &mut Rng) -> Draw {
        // Now and then few distinct values, so that neighbours collide (histograms, comparisons).
        let small = match rng.one_in(3) {
            true => 2.max(small / 8),
            false => small,
        };
        let rarely = (slot.len() as u64 / 3).max(1);
        Draw {
            ty: slot.ty,
            style,
            small,
            wild: rng.pick(&[1, 2, rarely, rarely]).min(rarely),
            seed: rng.next(),
        }
    }

    /// Bits of which nothing is known.
    pub fn noise(ty: Scalar, seed: u64) -> Draw {
        Draw {
            ty,
            style: Style::Uniform,
            small: 1,
            wild: 1,
            seed,
        }
    }

    /// The type of the values.
    pub fn ty(&self) -> Scalar {
        self.ty
    }

    /// The value at a position.
    pub fn at(&self, position: u64) -> Value {
        let mut rng = Rng::at(self.seed, position);
        let style = match self.style {
            Style::Mixed => rng.pick(&[Style::Small, Style::Edge, Style::Uniform]),
            other => other,
        };
        self.element(style, &mut rng)
    }

    fn element(&self, style: Style, rng: &mut Rng) -> Value {
        let (ty, small) = (self.ty, self.small);
        let float = |bits| Value::new(Data::Float(bits));
        match (ty, style) {
            (Scalar::Float(f), Style::Small) => float(quarters(f, small, rng)),
            (Scalar::Float(f), _) if !rng.one_in(self.wild) => float(tame_float(f, rng)),
            (Scalar::Float(f), Style::Edge) => float(edge_float(f, rng)),
            // Few enough for every code to come up; half of them at the extremes or small.
            (Scalar::Storage(f), Style::Edge) => float(edge_code(f, rng).into()),
            (Scalar::Storage(f), Style::Small) => {
                let quarters = rng.below(33);
                let code = f.round(quarters < 16, &quarters.abs_diff(16).into(), -2, false);
                float(code.into())
            }
            (Scalar::Float(_) | Scalar::Storage(_), _) => float(rng.wide(ty.width())),
            // Scalar subscripts and bounds that are huge tell nothing and take for ever.
            (Scalar::Index, _) => Value::int(ty, i128::from(rng.below(small + 1))),
            (_, Style::Small) if ty.width() <= 64 => Value::int(ty, i128::from(rng.below(small))),
            (_, Style::Small) => Value::wrapped(ty, rng.below(small)),
            (_, style) if ty.width() <= 64 => {
                let any = (rng.wide(ty.width())) as i128;
                Value::int(ty, integer(style, ty.width(), any, rng))
            }
            (_, style) => {
                let any = rng.bits(ty.width());
                Value::wrapped(ty, integer(style, ty.width(), any, rng))
            }
        }
    }
}

fn integer<T: ExactInt>(style: Style, width: u32, any: T, rng: &mut Rng) -> T {
    match style {
        Style::Edge => edge_int(width, any, rng),
        _ => any,
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

/// A limit, a power of two or a neighbour of one, or `any`; to be cut to the width.
fn edge_int<T: ExactInt>(width: u32, any: T, rng: &mut Rng) -> T {
    let half = T::one() << (width - 1);
    let power = T::one() << rng.below(u64::from(width)) as u32;
    let near = [T::zero() - T::one(), T::zero(), T::one()];
    let near = near[rng.below(3) as usize].clone();
    match rng.below(8) {
        0 => T::zero(),
        1 => T::one(),
        2 => -T::one(),
        3 => half,
        4 => half - T::one(),
        5 => power + near,
        6 => near - power,
        _ => any,
    }
}

fn edge_float(f: FloatFormat, rng: &mut Rng) -> u128 {
    let all = (1u128 << f.frac) - 1;
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
        0 => 0,
        1 => 1,
        2 => all,
        3 => 1 << (f.frac - 1),
        4 => 1 << rng.below(u64::from(f.frac)),
        5 => all >> rng.below(u64::from(f.frac)),
        _ => rng.wide(f.frac),
    };
    let sign = u128::from(rng.below(2)) << (f.exp + f.frac);
    sign | u128::from(exponent) << f.frac | fraction
}

/// A number near 1 with any fraction.
fn tame_float(f: FloatFormat, rng: &mut Rng) -> u128 {
    let bias = (1u64 << (f.exp - 1)) - 1;
    let near = (bias - 1).min(4);
    let exponent = bias - near + rng.below(2 * near + 1);
    let sign = u128::from(rng.below(2)) << (f.exp + f.frac);
    sign | u128::from(exponent) << f.frac | rng.wide(f.frac)
}

/// A number of size up to `small`, with a few fraction bits.
fn quarters(f: FloatFormat, small: u64, rng: &mut Rng) -> u128 {
    let quarters = rng.below(8 * small + 1) as i64 - 4 * small as i64;
    let exact = softfloat::Exact {
        negative: quarters < 0,
        mantissa: quarters.unsigned_abs().into(),
        exponent: -2,
    };
    softfloat::round(f, &exact, false)
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
            let draw = Draw {
                style: Style::Edge,
                ..Draw::noise(ty, 1)
            };
            let all: Vec<BigInt> = (0..2000)
                .map(|position| draw.at(position).data.to_bigint())
                .collect();
            assert!(all.iter().all(|v| *v >= min && *v <= max));
            assert!(all.contains(&min) && all.contains(&max), "{ty}");
        }
    }

    #[test]
    fn wide_integers_are_small_now_and_then() {
        let ty = Scalar::unsigned(200);
        let draw = Draw {
            style: Style::Small,
            small: 5,
            ..Draw::noise(ty, 1)
        };
        for position in 0..20 {
            let value = draw.at(position);
            assert!(matches!(&value.data, Data::Big(number) if **number < BigInt::from(5)));
        }
    }

    #[test]
    fn floats_reach_every_class() {
        let f = FloatFormat::F16;
        let mut rng = Rng::new(2);
        let all: Vec<u128> = (0..5000).map(|_| edge_float(f, &mut rng)).collect();
        assert!(all.iter().all(|&b| b < 1 << 16));
        for wanted in [
            0, 0x8000, 0x7c00, 0xfc00, 0x0001, 0x03ff, 0x7bff, 0x7c01, 0x3c00,
        ] {
            assert!(all.contains(&wanted), "{wanted:#x}");
        }
    }

    /// A sum over a large array is mostly a number, and yet no array is without a special one.
    #[test]
    fn special_floats_are_rare_in_large_arrays() {
        let f = FloatFormat::F32;
        let signature = Signature {
            params: vec![slot(Scalar::Float(f), Some(vec![100, 100]))],
            results: vec![],
        };
        let special = |value: &Value| match value.data {
            Data::Float(bits) => bits >> 23 & 0xff == 0xff,
            _ => false,
        };
        let counts = (0..64).map(|number| {
            let input = invocation(&signature, 3, number, 0);
            input.args[0].iter().filter(special).count()
        });
        let counts: Vec<usize> = counts.collect();
        assert!(
            counts.iter().filter(|&&count| count <= 5).count() >= 32,
            "{counts:?}"
        );
        assert!(
            counts.iter().any(|&count| (1..=5).contains(&count)),
            "{counts:?}"
        );
        assert!(counts.iter().any(|&count| count > 100), "{counts:?}");
    }
}
