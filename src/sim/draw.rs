//! Values by seed and position, biased to those where hardware goes wrong.

use crate::ir::{FloatFormat, Scalar, StorageFormat};
use crate::random;
use crate::sim::integer::ExactInt;
use crate::sim::softfloat;
use crate::sim::value::{Data, Slot, Value};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;

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
        let word = random::mix(self.0);
        self.0 = self.0.wrapping_add(random::STEP);
        word
    }
    /// A number below `bound`, which is not 0; the bias is below 2^-32 for the bounds used here.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }
    /// True once in `n` times.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
    /// One of several.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
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
    /// Small integers of which no two in an array are alike, as long as there are enough.
    Distinct,
}

/// The values of an array by their positions, so that only those are drawn that are looked at.
#[derive(Clone, Debug)]
pub struct Draw {
    pub(super) ty: Scalar,
    pub(super) style: Style,
    /// Above small numbers.
    pub(super) small: u64,
    /// One float in so many may be an infinity, a NaN, or far from 1. Sums over an array in which every other element
    /// is such a number tell nothing.
    pub(super) wild: u64,
    pub(super) seed: u64,
}

impl Draw {
    /// For the elements of an argument; `small`: more than small numbers are.
    pub fn new(slot: &Slot, style: Style, small: u64, rng: &mut Rng) -> Draw {
        // Now and then few distinct values, so that neighbours collide (histograms, comparisons).
        let small = match rng.one_in(3) && style != Style::Distinct {
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
        if self.style == Style::Distinct && matches!(self.ty, Scalar::Int { .. } | Scalar::Index) {
            return Value::wrapped(self.ty, self.distinct(position));
        }
        let mut rng = Rng::at(self.seed, position);
        let style = match self.style {
            Style::Mixed => rng.pick(&[Style::Small, Style::Edge, Style::Uniform]),
            Style::Distinct => Style::Small,
            other => other,
        };
        self.element(style, &mut rng)
    }

    /// A step that has no divisor in common with the number of values leads to each of them.
    fn distinct(&self, position: u64) -> u64 {
        let count = self.small.max(1);
        let mut steps = (1 + (self.seed >> 32) % count)..=count + 1;
        let step = steps.find(|step| step.gcd(&count) == 1).unwrap_or(1);
        let number = u128::from(position) * u128::from(step) + u128::from(self.seed as u32);
        (number % u128::from(count)) as u64
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

pub(super) fn edge_float(f: FloatFormat, rng: &mut Rng) -> u128 {
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
