//! Division by constants: shifts and masks for powers of two, else multiplication by a reciprocal.
//!
//! Granlund and Montgomery, Division by invariant integers using multiplication, PLDI 1994; Warren, Hacker's Delight,
//! 2nd ed., chapter 10; rounding down: Robison, N-bit unsigned division via N-bit multiply-add, ARITH 2005. Since values
//! have ranges, the multiplier is the cheapest that is exact for the numerators that occur, not for all of a width.

use super::integer_division::Field;
use crate::hwarith::builder::{Builder, signed_digits};
use crate::hwarith::graph::{NodeId, Predicate};
use crate::hwarith::types::HwType;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

/// Width of a multiplier block, by which the cost of a product is estimated.
const BLOCK: u32 = 18;
/// Multiplier blocks from which a recurrence is cheaper than a product.
const MAX_BLOCKS: u32 = 16;

/// The exact result of dividing by a constant other than 0; `None` where a product would be too large.
pub fn divide(b: &mut Builder, a: NodeId, divisor: &BigInt, field: Field) -> Option<NodeId> {
    let magnitude = divisor.abs();
    match field {
        Field::Remainder => remainder(b, a, &magnitude),
        Field::Quotient => {
            let quotient = truncated(b, a, &magnitude)?;
            Some(negated_if(b, quotient, divisor.is_negative()))
        }
        Field::Floor => {
            let a = negated_if(b, a, divisor.is_negative());
            floored(b, a, &magnitude)
        }
    }
}

fn negated_if(b: &mut Builder, a: NodeId, negate: bool) -> NodeId {
    if negate {
        let zero = b.constant(0);
        b.sub(zero, a)
    } else {
        a
    }
}

/// `k` of `2^k`.
fn log2(value: &BigInt) -> Option<u32> {
    let k = value.trailing_zeros()?;
    (value.bits() == k + 1).then_some(k as u32)
}

fn is_negative(b: &mut Builder, a: NodeId) -> NodeId {
    let zero = b.constant(0);
    b.icmp(Predicate::Lt, a, zero)
}

/// `a` rounded down to a multiple of `2^k`, divided by it.
fn shift_right(b: &mut Builder, a: NodeId, k: u32) -> NodeId {
    let amount = b.constant(k);
    b.shr(a, amount)
}

/// -1 for a negative value, else 0.
fn sign_mask(b: &mut Builder, a: NodeId) -> NodeId {
    let width = b.range(a).ty().width;
    shift_right(b, a, width - 1)
}

/// Whether the value is negative and no multiple of `2^k`.
fn negative_inexact(b: &mut Builder, a: NodeId, k: u32) -> NodeId {
    let zero = b.constant(0);
    let rest = b.extract(a, 0, k.max(1));
    let inexact = b.icmp(Predicate::Ne, rest, zero);
    let negative = is_negative(b, a);
    b.and(negative, inexact)
}

/// Whether every quotient lies between -1 and 1.
fn is_small(b: &Builder, a: NodeId, c: &BigInt) -> bool {
    let range = b.range(a);
    range.hi < *c && -&range.lo < *c
}

fn floored(b: &mut Builder, a: NodeId, c: &BigInt) -> Option<NodeId> {
    let k = c.trailing_zeros().unwrap_or(0) as u32;
    // Rounding down twice is rounding down once.
    let a = shift_right(b, a, k);
    let c = c >> k;
    if c.is_one() {
        return Some(a);
    }
    if !b.range(a).lo.is_negative() {
        return reciprocal(b, a, &c);
    }
    if is_small(b, a, &c) {
        return Some(sign_mask(b, a));
    }
    // The complement of a negative number is not negative, and the complement of its quotient is rounded down.
    let mask = sign_mask(b, a);
    let flipped = b.xor(a, mask);
    let width = b.range(a).ty().width;
    let positive = b.cast(flipped, HwType::ui(width - 1));
    let quotient = reciprocal(b, positive, &c)?;
    Some(b.xor(quotient, mask))
}

fn truncated(b: &mut Builder, a: NodeId, c: &BigInt) -> Option<NodeId> {
    if !b.range(a).lo.is_negative() {
        return floored(b, a, c);
    }
    if is_small(b, a, c) {
        return Some(b.constant(0));
    }
    if let Some(k) = log2(c) {
        let low = shift_right(b, a, k);
        if k == 0 {
            return Some(low);
        }
        let correction = negative_inexact(b, a, k);
        return Some(b.add(low, correction));
    }
    let range = b.range(a);
    let most = range.hi.clone().max(-&range.lo);
    // Of a negative numerator the product is a little too small: rounded down, it is one below the truncated quotient.
    let Multiplier { factor, shift, .. } = cheapest(&most, c, false)?;
    let factor = b.constant(factor);
    let product = b.mul(a, factor);
    let low = shift_right(b, product, shift);
    let negative = is_negative(b, a);
    Some(b.add(low, negative))
}

fn remainder(b: &mut Builder, a: NodeId, c: &BigInt) -> Option<NodeId> {
    let range = b.range(a).clone();
    if is_small(b, a, c) {
        return Some(a);
    }
    if c.is_one() {
        return Some(b.constant(0));
    }
    if let Some(k) = log2(c) {
        let low = b.extract(a, 0, k);
        if !range.lo.is_negative() {
            return Some(low);
        }
        let top = negative_inexact(b, a, k);
        let joined = b.concat(&[(top, 1), (low, k)]);
        return Some(b.cast(joined, HwType::si(k + 1)));
    }
    let quotient = truncated(b, a, c)?;
    let factor = b.constant(c.clone());
    let multiple = b.mul(quotient, factor);
    let exact = b.sub(a, multiple);
    let most = c - 1;
    let lo = range.lo.min(BigInt::zero()).max(-&most);
    let hi = range.hi.max(BigInt::zero()).min(most);
    Some(b.cast(exact, HwType::of_range(&lo, &hi)))
}

/// `x / c` for `x >= 0` and an odd `c > 1`.
fn reciprocal(b: &mut Builder, x: NodeId, c: &BigInt) -> Option<NodeId> {
    if is_small(b, x, c) {
        return Some(b.constant(0));
    }
    let most = b.range(x).hi.clone();
    let multiplier = cheapest(&most, c, true)?;
    let one = b.constant(1);
    let x = if multiplier.increment {
        b.add(x, one)
    } else {
        x
    };
    let factor = b.constant(multiplier.factor);
    let product = b.mul(x, factor);
    let quotient = shift_right(b, product, multiplier.shift);
    Some(b.cast(quotient, HwType::of_range(&BigInt::zero(), &(most / c))))
}

/// `x / c` is `(x + increment) * factor` shifted right.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Multiplier {
    factor: BigInt,
    shift: u32,
    increment: bool,
}

/// The multiplier of least cost that is exact for all numerators from 0 to `most`, which is at least `c`.
/// `None` if it takes too many multiplier blocks.
///
/// Let m be the factor, s the shift, e = |m c - 2^s|. With m rounded up, x m / 2^s = x/c + x e / (c 2^s), which is below
/// floor(x/c) + 1 for all x if it is for the largest one with x mod c = c - 1, that is if x e < 2^s. With m rounded down,
/// (x + 1) m / 2^s = (x + 1)/c - (x + 1) e / (c 2^s) is below it anyway and not below floor(x/c) for all x if so for the largest
/// multiple of c, that is if (x + 1) e <= 2^s.
fn cheapest(most: &BigInt, c: &BigInt, increments: bool) -> Option<Multiplier> {
    let last_before = (most + 1u32).div_floor(c) * c - 1u32;
    let last_multiple = most.div_floor(c) * c;
    let first = c.bits() as u32;
    let candidates = (first..=first + most.bits() as u32 + 1).flat_map(|shift| {
        let power = BigInt::one() << shift;
        let (down, rest) = power.div_rem(c);
        let up_error = c - &rest;
        let up = (&last_before * up_error < power).then(|| Multiplier {
            factor: &down + 1u32,
            shift,
            increment: false,
        });
        let exact = increments && (&last_multiple + 1u32) * rest <= power;
        let down = exact.then_some(Multiplier {
            factor: down,
            shift,
            increment: true,
        });
        [up, down].into_iter().flatten()
    });
    let (cost, best) = candidates
        .map(|m| (cost(&m, most.bits() as u32), m))
        .min_by_key(|(cost, m)| (*cost, m.shift))?;
    (cost.0 <= MAX_BLOCKS).then_some(best)
}

/// Nonzero signed digits by which a product is rather made of sums than of multiplier blocks.
const FEW_DIGITS: usize = 3;

/// Multiplier blocks, and adders.
fn cost(multiplier: &Multiplier, width: u32) -> (u32, u32) {
    let increment = u32::from(multiplier.increment);
    let digits = signed_digits(&multiplier.factor).len();
    if digits <= FEW_DIGITS {
        return (0, digits as u32 + increment);
    }
    let blocks = |bits: u32| bits.div_ceil(BLOCK);
    let blocks = blocks(width) * blocks(multiplier.factor.bits() as u32);
    (blocks, blocks + increment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hwarith::eval::eval_nodes;
    use crate::hwarith::graph::Op;
    use crate::hwarith::interval::Interval;
    use crate::hwarith::testing::Random;
    use crate::ir::BinaryOp;
    use crate::sim::integer;

    fn reference(field: Field, a: &BigInt, c: &BigInt) -> BigInt {
        let op = match field {
            Field::Quotient => BinaryOp::Div,
            Field::Remainder => BinaryOp::Mod,
            Field::Floor => BinaryOp::FloorDiv,
        };
        integer::binary(op, a, c, (5000, true)).expect("an integer operation")
    }

    /// All three results for values of a range; whether each had a product.
    fn exact(range: &Interval, c: &BigInt, values: &[BigInt]) -> [bool; 3] {
        Field::ALL.map(|field| {
            let mut b = Builder::new();
            let input = b.opaque(Op::Input(0), vec![], range.ty());
            b.assume(input, range.clone());
            let Some(result) = divide(&mut b, input, c, field) else {
                return false;
            };
            b.graph.validate().expect("valid");
            for value in values {
                let nodes = eval_nodes(&b.graph, std::slice::from_ref(value));
                let wanted = reference(field, value, c);
                assert_eq!(
                    nodes[result.index()],
                    wanted,
                    "{field:?} {value} by {c} of {range:?}"
                );
                let stated = b.range(result);
                assert!(
                    stated.lo <= wanted && wanted <= stated.hi,
                    "{field:?} {value} {c}"
                );
            }
            true
        })
    }

    fn values(range: &Interval) -> Vec<BigInt> {
        let (lo, hi) = (i64::try_from(&range.lo), i64::try_from(&range.hi));
        (lo.expect("small")..=hi.expect("small"))
            .map(BigInt::from)
            .collect()
    }

    #[test]
    fn every_constant_for_every_value_of_small_types() {
        for width in 1..=7 {
            for ty in [HwType::ui(width), HwType::si(width)] {
                let range = Interval::of_type(ty);
                for c in (-140..=140).filter(|&c| c != 0) {
                    assert_eq!(exact(&range, &BigInt::from(c), &values(&range)), [true; 3]);
                }
            }
        }
    }

    #[test]
    fn every_constant_for_ranges_that_are_no_types() {
        for range in [
            (0, 9),
            (3, 50),
            (-1, 100),
            (-77, 20),
            (-40, -30),
            (0, 1000),
            (5, 5),
        ] {
            let range = Interval::new(range.0, range.1);
            for c in (-45..=45).filter(|&c| c != 0) {
                exact(&range, &BigInt::from(c), &values(&range));
            }
        }
    }

    #[test]
    fn sixteen_bits_by_every_constant_near_the_quotients_that_change() {
        for ty in [HwType::ui(16), HwType::si(16)] {
            let range = Interval::of_type(ty);
            for c in (1..400).chain([999, 1000, 9999, 10000, 32767, 32768, 65535]) {
                let c = &BigInt::from(c);
                let quotients = [
                    &range.lo / c,
                    &range.lo / c + 1,
                    &range.hi / c,
                    BigInt::one(),
                ];
                let near = quotients
                    .iter()
                    .flat_map(|q| (-1..=1).map(move |d| q * c + d))
                    .chain([range.lo.clone(), range.hi.clone()]);
                let near: Vec<BigInt> = near.filter(|v| ty.contains(v)).collect();
                exact(&range, c, &near);
            }
        }
    }

    #[test]
    fn random_constants_of_wide_numbers() {
        let mut random = Random::new(3);
        for (width, every) in [(32, true), (64, true), (72, false), (300, false)] {
            for _ in 0..60 {
                let ty = HwType {
                    width,
                    signed: random.flip(),
                };
                let range = Interval::of_type(ty);
                let c: BigInt = random.value(ty) >> random.below(width);
                if c.is_zero() {
                    continue;
                }
                let mut values: Vec<BigInt> = (0..30).map(|_| random.value(ty)).collect();
                // Around multiples of the divisor, where quotients change.
                for i in 0..30 {
                    let near = values[i].div_floor(&c) * &c + random.below(3) - 1;
                    if ty.contains(&near) {
                        values.push(near);
                    }
                }
                let done = exact(&range, &c, &values);
                assert!(!every || done == [true; 3], "{c} of {ty}");
            }
        }
    }

    #[test]
    fn the_cheapest_multipliers() {
        let of = |most: u64, c: u32| cheapest(&BigInt::from(most), &BigInt::from(c), true);
        // 2^34 / 5 rounded up has 32 bits, enough for 32-bit numerators.
        let by_five = of(u64::from(u32::MAX), 5).expect("a multiplier");
        assert_eq!((by_five.shift, by_five.increment), (34, false));
        // Of 7 it would have 33 bits; 18 bits are one block, 19 were two.
        let by_seven = of((1 << 18) - 1, 7).expect("a multiplier");
        assert!(by_seven.factor.bits() <= 18, "{by_seven:?}");
        // 13 / 128 is three signed digits and exact up to 68.
        let by_ten = of(68, 10).expect("a multiplier");
        assert_eq!((by_ten.factor, by_ten.shift), (BigInt::from(13), 7));
    }
}
