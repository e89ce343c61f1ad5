//! Operator modules for the language's integer division: quotients truncated or floored, and remainders, for operands of
//! either sign, in as many steps as their ranges need.
//!
//! A denominator of 0 gives a quotient of all ones and the numerator as remainder. Truncation divides the magnitudes and
//! sets the signs. A floored quotient alone needs no magnitude of the numerator and no negation: with t = a - (b < 0) and
//! t' = t, complemented if t < 0, it is t' div |b|, complemented if t and b have different signs.

use super::divide::{recurrence, unsigned};
use crate::hwarith::graph::{Graph, NodeId, Predicate};
use crate::hwarith::interval::Interval;
use crate::hwarith::types::HwType;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

/// A result of a division.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// Quotient truncated toward zero.
    Quotient,
    /// Remainder with the numerator's sign.
    Remainder,
    /// Quotient rounded down.
    Floor,
}

impl Field {
    /// All, in the order in which a module's output has them, lowest first.
    pub const ALL: [Field; 3] = [Field::Quotient, Field::Remainder, Field::Floor];
}

/// What is known of a division's operands and results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Division {
    /// What the numerator and the denominator are within.
    operands: [Interval; 2],
    /// Bits of the largest magnitude of the numerator.
    magnitude: u32,
    /// Bits of the largest magnitude of a quotient by anything but 0.
    steps: u32,
    may_be_zero: bool,
    /// Results, in the order of [`Field::ALL`].
    results: [Interval; 3],
}

/// Bits of a magnitude, at least 1.
fn bits(value: &BigInt) -> u32 {
    (value.bits() as u32).max(1)
}

impl Division {
    /// Division of operands within these ranges; `ty` is the language's type of both and of the result.
    pub fn new(a: &Interval, b: &Interval, ty: HwType) -> Division {
        let may_be_zero = b.contains_zero();
        let (a_most, b_most) = (a.lo.abs().max(a.hi.abs()), b.lo.abs().max(b.hi.abs()));
        let b_least = match () {
            () if may_be_zero => BigInt::one(),
            () => b.lo.abs().min(b.hi.abs()),
        };
        let ones = ty.wrap(&BigInt::from(-1));
        let quotient = |round: fn(&BigInt, &BigInt) -> BigInt| {
            let range = quotients(a, b, round);
            if may_be_zero {
                range.union(&Interval::point(ones.clone()))
            } else {
                range
            }
        };
        let rest = match may_be_zero {
            true => a_most.clone(),
            false => a_most.clone().min(b_most - 1),
        };
        let results = [
            quotient(|x, y| x / y),
            Interval::new(
                a.lo.clone().min(BigInt::zero()).max(-&rest),
                a.hi.clone().max(BigInt::zero()).min(rest),
            ),
            quotient(BigInt::div_floor),
        ];
        Division {
            operands: [a.clone(), b.clone()],
            magnitude: bits(&a_most),
            steps: bits(&(&a_most / b_least)),
            may_be_zero,
            results,
        }
    }

    /// Whether truncation and rounding down are the same.
    pub fn is_unsigned(&self) -> bool {
        self.types().iter().all(|ty| !ty.signed)
    }

    /// Numerator and denominator: what the module gives for others is arbitrary.
    pub fn operands(&self) -> &[Interval; 2] {
        &self.operands
    }

    /// Types of the operands.
    pub fn types(&self) -> [HwType; 2] {
        self.operands.each_ref().map(Interval::ty)
    }

    /// Range of a result.
    pub fn range(&self, field: Field) -> &Interval {
        &self.results[field as usize]
    }

    /// Lowest bit and width of each of `fields` in the output of their module.
    pub fn layout(&self, fields: &[Field]) -> Vec<(Field, u32, u32)> {
        let mut lo = 0;
        let place = |&field: &Field| {
            let width = self.range(field).ty().width;
            lo += width;
            (field, lo - width, width)
        };
        fields.iter().map(place).collect()
    }

    /// Name of the module for these results. Divisions of other ranges may have the same.
    pub fn name(&self, fields: &[Field]) -> String {
        let mut words: Vec<String> = Vec::new();
        for field in fields {
            let word = match field {
                Field::Quotient => "div",
                Field::Remainder => "rem",
                Field::Floor => "floordiv",
            };
            words.push(word.to_string());
        }
        words.extend(self.types().map(|ty| ty.to_string()));
        words.join("_")
    }

    /// The module: inputs numerator and denominator of the types of [`Division::types`]; one output, the bits of the
    /// results as in [`Division::layout`].
    pub fn graph(&self, fields: &[Field]) -> Graph {
        let mut g = Graph::new();
        let [numerator, denominator] = self.types();
        let (a, b) = (g.input(0, numerator), g.input(1, denominator));
        let results = match fields {
            [Field::Floor] => vec![self.floored(&mut g, a, b)],
            _ => self.truncated(&mut g, a, b, fields),
        };
        let parts: Vec<NodeId> = results.into_iter().rev().collect();
        let output = g.concat(&parts);
        g.outputs.push(output);
        g
    }

    fn truncated(&self, g: &mut Graph, a: NodeId, b: NodeId, fields: &[Field]) -> Vec<NodeId> {
        let (sign_a, sign_b) = (sign(g, a), sign(g, b));
        let numerator = conditional_negate(g, a, sign_a, sign_a, self.magnitude);
        let width = self.types()[1].width;
        let denominator = conditional_negate(g, b, sign_b, sign_b, width);
        let zero = self.zero(g, b);
        let (quotient, remainder) = self.magnitudes(g, numerator, denominator);
        let negative = self.differ(g, sign_a, sign_b, zero);
        let build = |&field: &Field| {
            let width = self.range(field).ty().width;
            match field {
                Field::Remainder => {
                    let whole = self.whole_remainder(g, numerator, remainder, zero);
                    conditional_negate(g, whole, sign_a, sign_a, width)
                }
                Field::Quotient => {
                    let whole = self.whole_quotient(g, quotient, zero, width);
                    conditional_negate(g, whole, negative, negative, width)
                }
                Field::Floor => {
                    // One less than the truncated one if that is not exact: the complement instead of the negation.
                    let none = g.constant(0);
                    let exact = g.icmp(Predicate::Eq, remainder, none);
                    let carry = negative.map(|negative| g.and(negative, exact));
                    let whole = self.whole_quotient(g, quotient, zero, width);
                    conditional_negate(g, whole, negative, carry, width)
                }
            }
        };
        fields.iter().map(build).collect()
    }

    fn floored(&self, g: &mut Graph, a: NodeId, b: NodeId) -> NodeId {
        let sign_b = sign(g, b);
        let shifted = match sign_b {
            Some(negative) => {
                let less = g.cast(negative, HwType::si(1));
                g.add(a, less)
            }
            None => a,
        };
        let sign_t = sign(g, shifted);
        let numerator = conditional_negate(g, shifted, sign_t, None, self.magnitude);
        let denominator = conditional_negate(g, b, sign_b, sign_b, self.types()[1].width);
        let zero = self.zero(g, b);
        let (quotient, _) = self.magnitudes(g, numerator, denominator);
        let flip = self.differ(g, sign_t, sign_b, zero);
        let width = self.range(Field::Floor).ty().width;
        let whole = self.whole_quotient(g, quotient, zero, width);
        conditional_negate(g, whole, flip, None, width)
    }

    /// Whether the denominator is 0, where it can be.
    fn zero(&self, g: &mut Graph, b: NodeId) -> Option<NodeId> {
        self.may_be_zero.then(|| {
            let zero = g.constant(0);
            g.icmp(Predicate::Eq, b, zero)
        })
    }

    /// Whether two signs differ and the denominator is not 0.
    fn differ(
        &self,
        g: &mut Graph,
        a: Option<NodeId>,
        b: Option<NodeId>,
        zero: Option<NodeId>,
    ) -> Option<NodeId> {
        let differ = match (a, b) {
            (Some(a), Some(b)) => g.xor(a, b),
            (one, other) => one.or(other)?,
        };
        Some(match zero {
            Some(zero) => {
                let valid = g.not(zero);
                g.and(differ, valid)
            }
            None => differ,
        })
    }

    /// Quotient in `steps` bits and remainder of the magnitudes.
    fn magnitudes(&self, g: &mut Graph, a: NodeId, b: NodeId) -> (NodeId, NodeId) {
        if self.steps >= self.magnitude {
            return unsigned(g, a, b);
        }
        let high = g.extract(a, self.steps, self.magnitude - self.steps);
        let low = g.extract(a, 0, self.steps);
        recurrence(g, high, Some(low), b, self.steps)
    }

    /// The quotient in `width` bits, all ones for a denominator of 0.
    fn whole_quotient(
        &self,
        g: &mut Graph,
        quotient: NodeId,
        zero: Option<NodeId>,
        width: u32,
    ) -> NodeId {
        let have = g.width(quotient);
        match zero {
            Some(zero) if have < width => {
                let fill = repeat(g, zero, width - have);
                g.concat(&[fill, quotient])
            }
            _ => quotient,
        }
    }

    /// The remainder, for a denominator of 0 the numerator, of which `remainder` has the low bits.
    fn whole_remainder(
        &self,
        g: &mut Graph,
        numerator: NodeId,
        remainder: NodeId,
        zero: Option<NodeId>,
    ) -> NodeId {
        let have = g.width(remainder);
        match zero {
            Some(zero) if have < self.magnitude => {
                let rest = self.magnitude - have;
                let high = g.extract(numerator, have, rest);
                let mask = repeat(g, zero, rest);
                let high = g.and(high, mask);
                g.concat(&[high, remainder])
            }
            _ => remainder,
        }
    }
}

/// The range of `round(x, y)` over nonzero `y`. `round` rises with the exact quotient.
fn quotients(a: &Interval, b: &Interval, round: fn(&BigInt, &BigInt) -> BigInt) -> Interval {
    let below = b.hi.clone().min(BigInt::from(-1));
    let above = b.lo.clone().max(BigInt::one());
    let mut ends = vec![b.lo.clone(), below, above, b.hi.clone()];
    ends.retain(|y| !y.is_zero() && b.lo <= *y && *y <= b.hi);
    let corners: Vec<BigInt> = ends
        .iter()
        .flat_map(|y| [round(&a.lo, y), round(&a.hi, y)])
        .collect();
    let lo = corners.iter().min().cloned().unwrap_or_default();
    let hi = corners.iter().max().cloned().unwrap_or_default();
    Interval { lo, hi }
}

/// The sign bit of a value of a signed type.
fn sign(g: &mut Graph, value: NodeId) -> Option<NodeId> {
    let ty = g.ty(value);
    ty.signed.then(|| g.bit(value, ty.width - 1))
}

fn repeat(g: &mut Graph, bit: NodeId, count: u32) -> NodeId {
    g.concat(&vec![bit; count as usize])
}

/// The low `width` bits of `value`, complemented where `flip` is 1, plus `carry`: the negation if both are 1.
fn conditional_negate(
    g: &mut Graph,
    value: NodeId,
    flip: Option<NodeId>,
    carry: Option<NodeId>,
    width: u32,
) -> NodeId {
    let word = HwType::ui(width);
    let mut result = g.cast(value, word);
    if let Some(flip) = flip {
        let mask = repeat(g, flip, width);
        result = g.xor(result, mask);
    }
    if let Some(carry) = carry {
        result = g.add(result, carry);
    }
    g.cast(result, word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hwarith::builder::rebuild;
    use crate::hwarith::eval::eval;
    use crate::hwarith::iterate::unrolled;
    use crate::hwarith::testing::Random;
    use crate::ir::BinaryOp;
    use crate::sim::integer;

    const SETS: [&[Field]; 6] = [
        &[Field::Quotient],
        &[Field::Remainder],
        &[Field::Floor],
        &[Field::Quotient, Field::Remainder],
        &[Field::Remainder, Field::Floor],
        &Field::ALL,
    ];

    fn reference(field: Field, a: &BigInt, b: &BigInt, ty: HwType) -> BigInt {
        let op = match field {
            Field::Quotient => BinaryOp::Div,
            Field::Remainder => BinaryOp::Mod,
            Field::Floor => BinaryOp::FloorDiv,
        };
        integer::binary(op, a, b, (ty.width, ty.signed)).expect("an integer operation")
    }

    /// Every field of every set, for the values of both ranges.
    fn agrees(a: &Interval, b: &Interval, ty: HwType, pairs: &[(BigInt, BigInt)]) {
        let division = Division::new(a, b, ty);
        for fields in SETS {
            let graph = division.graph(fields);
            graph.validate().expect("valid");
            let expanded = unrolled(&rebuild(&graph));
            expanded.validate().expect("valid");
            for (x, y) in pairs {
                let inputs = [x.clone(), y.clone()];
                let output = eval(&expanded, &inputs).remove(0);
                assert_eq!(output, eval(&graph, &inputs)[0]);
                for (field, lo, width) in division.layout(fields) {
                    let range = division.range(field);
                    let found = HwType {
                        width,
                        ..range.ty()
                    }
                    .wrap(&(&output >> lo));
                    let wanted = reference(field, x, y, ty);
                    assert_eq!(ty.wrap(&found), wanted, "{field:?} {x} {y} {ty} {fields:?}");
                    assert!(
                        range.lo <= found && found <= range.hi,
                        "{field:?} {x} {y} {range:?}"
                    );
                }
            }
        }
    }

    fn all(a: &Interval, b: &Interval) -> Vec<(BigInt, BigInt)> {
        let values = |i: &Interval| num_iter(i.lo.clone(), i.hi.clone());
        values(a)
            .into_iter()
            .flat_map(|x| values(b).into_iter().map(move |y| (x.clone(), y)))
            .collect()
    }

    fn num_iter(lo: BigInt, hi: BigInt) -> Vec<BigInt> {
        let mut values = vec![lo];
        while values.last().is_some_and(|v| *v < hi) {
            let next = values.last().map(|v| v + 1).unwrap_or_default();
            values.push(next);
        }
        values
    }

    #[test]
    fn all_pairs_of_small_types() {
        for width in 1..=5 {
            for ty in [HwType::ui(width), HwType::si(width)] {
                let whole = Interval::of_type(ty);
                agrees(&whole, &whole, ty, &all(&whole, &whole));
            }
        }
    }

    #[test]
    fn all_pairs_of_six_bits() {
        for ty in [HwType::ui(6), HwType::si(6)] {
            let whole = Interval::of_type(ty);
            agrees(&whole, &whole, ty, &all(&whole, &whole));
        }
    }

    #[test]
    fn every_pair_of_ranges_within_a_small_type() {
        for ty in [HwType::ui(2), HwType::si(3)] {
            let ends = num_iter(ty.min(), ty.max());
            let ranges: Vec<Interval> = ends
                .iter()
                .flat_map(|lo| ends.iter().map(move |hi| (lo, hi)))
                .filter(|(lo, hi)| lo <= hi)
                .map(|(lo, hi)| Interval::new(lo.clone(), hi.clone()))
                .collect();
            for a in &ranges {
                for b in &ranges {
                    agrees(a, b, ty, &all(a, b));
                }
            }
        }
    }

    #[test]
    fn operands_of_different_ranges() {
        let ranges = [
            (-16, 15),
            (0, 31),
            (1, 20),
            (-5, -1),
            (-3, 9),
            (20, 31),
            (0, 0),
        ];
        let ty = HwType::si(7);
        for a in ranges {
            for b in ranges {
                let (a, b) = (Interval::new(a.0, a.1), Interval::new(b.0, b.1));
                agrees(&a, &b, ty, &all(&a, &b));
            }
        }
    }

    #[test]
    fn wide_operands_and_their_limits() {
        let mut random = Random::new(2);
        for (width, shift) in [(32, 0), (64, 20), (128, 7), (300, 150)] {
            for ty in [HwType::ui(width), HwType::si(width)] {
                let whole = Interval::of_type(ty);
                let mut pairs: Vec<(BigInt, BigInt)> = (0..12)
                    .map(|_| (random.value(ty), random.value(ty) >> random.below(width)))
                    .collect();
                for edge in [ty.min(), ty.max(), BigInt::zero(), BigInt::one()] {
                    pairs.push((ty.min(), edge.clone()));
                    pairs.push((ty.max(), edge));
                }
                if ty.signed {
                    pairs.push((ty.min(), BigInt::from(-1)));
                }
                agrees(&whole, &whole, ty, &pairs);
                let large = Interval::new(ty.max() >> shift, ty.max());
                let pairs: Vec<(BigInt, BigInt)> = (0..8)
                    .map(|_| (random.value(ty), random.value(ty)))
                    .map(|(x, y)| (x, y.clamp(large.lo.clone(), large.hi.clone())))
                    .collect();
                agrees(&whole, &large, ty, &pairs);
            }
        }
    }

    #[test]
    fn large_denominators_need_few_steps() {
        let ty = HwType::ui(32);
        let whole = Interval::of_type(ty);
        let large = Interval::new(1 << 20, 1 << 24);
        assert_eq!(Division::new(&whole, &large, ty).steps, 12);
        assert_eq!(Division::new(&Interval::new(0, 99), &whole, ty).steps, 7);
    }
}
