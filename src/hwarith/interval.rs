//! Exact integer ranges of operation results, from the ranges of their operands.

use super::graph::{Op, Predicate};
use super::types::HwType;
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// A closed range of integers, `lo <= hi`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Smallest value.
    pub lo: BigInt,
    /// Largest value.
    pub hi: BigInt,
}

impl Interval {
    /// From `lo` to `hi`.
    pub fn new(lo: impl Into<BigInt>, hi: impl Into<BigInt>) -> Interval {
        Interval {
            lo: lo.into(),
            hi: hi.into(),
        }
    }
    /// One value.
    pub fn point(value: BigInt) -> Interval {
        Interval {
            lo: value.clone(),
            hi: value,
        }
    }
    /// All values of a type.
    pub fn of_type(ty: HwType) -> Interval {
        Interval {
            lo: ty.min(),
            hi: ty.max(),
        }
    }
    /// The value, if there is only one.
    pub fn as_point(&self) -> Option<&BigInt> {
        (self.lo == self.hi).then_some(&self.lo)
    }
    /// The narrowest type that holds the range.
    pub fn ty(&self) -> HwType {
        HwType::of_range(&self.lo, &self.hi)
    }
    /// Whether every value lies in the type.
    pub fn fits(&self, ty: HwType) -> bool {
        ty.contains(&self.lo) && ty.contains(&self.hi)
    }
    /// The smallest range that holds both.
    pub fn union(&self, other: &Interval) -> Interval {
        Interval {
            lo: self.lo.clone().min(other.lo.clone()),
            hi: self.hi.clone().max(other.hi.clone()),
        }
    }
    /// What lies in both ranges, which have a number in common.
    pub fn intersect(self, other: Interval) -> Interval {
        Interval {
            lo: self.lo.max(other.lo),
            hi: self.hi.min(other.hi),
        }
    }
    /// Whether 0 lies in the range.
    pub fn contains_zero(&self) -> bool {
        !self.lo.is_positive() && !self.hi.is_negative()
    }
    fn non_negative(&self) -> bool {
        !self.lo.is_negative()
    }
}

/// Range of an operation's result; `ty` is the result's type, which bounds it in any case.
pub fn result(op: &Op, args: &[&Interval], ty: HwType) -> Interval {
    let whole = Interval::of_type(ty);
    match (op, args) {
        (Op::Const(value), _) => Interval::point(value.clone()),
        (Op::Add, terms) => Interval::new(
            terms.iter().map(|t| &t.lo).sum::<BigInt>(),
            terms.iter().map(|t| &t.hi).sum::<BigInt>(),
        ),
        (Op::Sub, [a, b]) => Interval::new(&a.lo - &b.hi, &a.hi - &b.lo),
        (Op::Mul, [a, b]) => product(a, b),
        (Op::Div, [a, b]) => quotient(a, b, ty),
        (Op::Mod, [a, b]) => remainder(a, b, ty),
        (Op::Icmp(p), [a, b]) => match decide(*p, a, b) {
            Some(truth) => Interval::point(BigInt::from(truth)),
            None => whole,
        },
        (Op::Cast, [a]) if a.fits(ty) => (*a).clone(),
        (Op::And, [a, b]) => bitwise_and(a, b).map_or(whole.clone(), |i| i.intersect(whole)),
        (Op::Or | Op::Xor, [a, b]) if a.non_negative() && b.non_negative() => {
            let bits = a.hi.bits().max(b.hi.bits());
            let hi = (BigInt::one() << bits) - 1;
            let lo = match op {
                Op::Or => a.lo.clone().max(b.lo.clone()),
                _ => BigInt::zero(),
            };
            Interval::new(lo, hi)
        }
        (Op::Mux, [_, a, b]) => a.union(b),
        (Op::Shr, [a, amount]) => shift_right(a, amount, ty),
        (Op::Table(table), _) => {
            let (lo, hi) = table.range();
            Interval::new(lo.clone(), hi.clone())
        }
        (Op::Concat, [a]) => {
            if a.non_negative() {
                (*a).clone()
            } else {
                whole
            }
        }
        _ => whole,
    }
}

/// Truth of a comparison that the ranges decide.
pub fn decide(predicate: Predicate, a: &Interval, b: &Interval) -> Option<bool> {
    let (below, above) = (a.hi < b.lo, a.lo > b.hi);
    let (not_above, not_below) = (a.hi <= b.lo, a.lo >= b.hi);
    let choose = |yes: bool, no: bool| {
        if yes {
            Some(true)
        } else if no {
            Some(false)
        } else {
            None
        }
    };
    let equal = a.as_point().is_some() && a == b;
    match predicate {
        Predicate::Eq => choose(equal, below || above),
        Predicate::Ne => choose(below || above, equal),
        Predicate::Lt => choose(below, not_below),
        Predicate::Le => choose(not_above, above),
        Predicate::Gt => choose(above, not_above),
        Predicate::Ge => choose(not_below, below),
    }
}

/// Range of a product.
pub fn product(a: &Interval, b: &Interval) -> Interval {
    hull(&[&a.lo * &b.lo, &a.lo * &b.hi, &a.hi * &b.lo, &a.hi * &b.hi])
}

/// Truncated quotients are monotonic in both operands on either side of a zero divisor, which itself gives all ones.
fn quotient(a: &Interval, b: &Interval, ty: HwType) -> Interval {
    let (one, minus_one) = (BigInt::one(), -BigInt::one());
    let sides = [
        (b.lo.clone(), b.hi.clone().min(minus_one.clone())),
        (b.lo.clone().max(one), b.hi.clone()),
    ];
    let divisors = sides
        .iter()
        .filter(|(least, most)| least <= most)
        .flat_map(|(least, most)| [least, most]);
    let mut ends: Vec<BigInt> = divisors.flat_map(|d| [&a.lo / d, &a.hi / d]).collect();
    if b.contains_zero() {
        ends.push(ty.wrap(&minus_one));
    }
    hull(&ends)
}

/// A remainder has the sign of the dividend and the lesser of their magnitudes; a zero divisor leaves the
/// dividend's low bits.
fn remainder(a: &Interval, b: &Interval, ty: HwType) -> Interval {
    if b.contains_zero() && !a.fits(ty) {
        return Interval::of_type(ty);
    }
    let magnitude = b.lo.abs().max(b.hi.abs()) - 1;
    let bound = if b.contains_zero() {
        a.lo.abs().max(a.hi.abs())
    } else {
        magnitude
    };
    let below_least_divisor =
        !b.contains_zero() && a.lo.abs().max(a.hi.abs()) < b.lo.abs().min(b.hi.abs());
    if below_least_divisor {
        return a.clone();
    }
    let zero = BigInt::zero();
    Interval::new(
        a.lo.clone().max(-&bound).min(zero.clone()),
        a.hi.clone().min(bound).max(zero),
    )
}

fn hull(values: &[BigInt]) -> Interval {
    Interval {
        lo: values.iter().min().cloned().unwrap_or_default(),
        hi: values.iter().max().cloned().unwrap_or_default(),
    }
}

/// With one operand known not to be negative, the result lies between 0 and that operand.
fn bitwise_and(a: &Interval, b: &Interval) -> Option<Interval> {
    let bounds = [a, b].into_iter().filter(|i| i.non_negative());
    bounds
        .map(|i| &i.hi)
        .min()
        .map(|hi| Interval::new(0, hi.clone()))
}

fn shift_right(a: &Interval, amount: &Interval, ty: HwType) -> Interval {
    let clamp = |n: &BigInt| n.to_u32().unwrap_or(ty.width).min(ty.width);
    let (least, most) = (clamp(&amount.lo), clamp(&amount.hi));
    let lo = &a.lo >> if a.lo.is_negative() { least } else { most };
    let hi = &a.hi >> if a.hi.is_negative() { most } else { least };
    Interval { lo, hi }
}

#[cfg(test)]
mod tests {
    use super::super::eval::eval_op;
    use super::super::graph::infer_type;
    use super::*;

    /// Every interval with ends from `lo` to `hi`.
    fn intervals(lo: i32, hi: i32) -> Vec<(i32, i32)> {
        (lo..=hi)
            .flat_map(|a| (a..=hi).map(move |b| (a, b)))
            .collect()
    }

    fn big((lo, hi): (i32, i32)) -> Interval {
        Interval::new(lo, hi)
    }

    /// Checks the range of `op` over two intervals against every pair of values; returns whether both ends
    /// are reached.
    fn sound(op: &Op, a: (i32, i32), b: (i32, i32)) -> bool {
        let types = [big(a).ty(), big(b).ty()];
        let ty = infer_type(op, &types).expect("inferred");
        let range = result(op, &[&big(a), &big(b)], ty);
        assert!(range.fits(ty), "{op:?} {a:?} {b:?}: {range:?} in {ty}");
        let mut reached = (false, false);
        for x in a.0..=a.1 {
            for y in b.0..=b.1 {
                let (x, y) = (BigInt::from(x), BigInt::from(y));
                let value = eval_op(op, &[(&x, types[0]), (&y, types[1])], ty).expect("pure");
                assert!(
                    range.lo <= value && value <= range.hi,
                    "{op:?} {a:?} {b:?}: {x}, {y} gives {value} outside of {range:?}"
                );
                reached.0 |= value == range.lo;
                reached.1 |= value == range.hi;
            }
        }
        reached == (true, true)
    }

    fn all_pairs(op: &Op, bounds: (i32, i32), tight: bool) {
        for &a in &intervals(bounds.0, bounds.1) {
            for &b in &intervals(bounds.0, bounds.1) {
                let exact = sound(op, a, b);
                assert!(exact || !tight, "{op:?} {a:?} {b:?} is wider than needed");
            }
        }
    }

    #[test]
    fn arithmetic_is_exact() {
        for op in [Op::Add, Op::Sub, Op::Mul] {
            all_pairs(&op, (-5, 5), true);
        }
    }

    #[test]
    fn quotients_are_exact_and_remainders_hold_every_value() {
        all_pairs(&Op::Div, (-7, 7), false);
        all_pairs(&Op::Mod, (-7, 7), false);
        for &a in &intervals(-12, 12) {
            for &b in &intervals(1, 6) {
                let (least, most) = (-b.1, -b.0);
                assert!(sound(&Op::Div, a, b), "{a:?} / {b:?}");
                assert!(sound(&Op::Div, a, (least, most)), "{a:?} / -{b:?}");
            }
        }
    }

    #[test]
    fn comparisons_are_decided_exactly_when_all_values_agree() {
        use Predicate::{Eq, Ge, Gt, Le, Lt, Ne};
        for predicate in [Eq, Ne, Lt, Le, Gt, Ge] {
            all_pairs(&Op::Icmp(predicate), (-4, 4), true);
        }
    }

    #[test]
    fn bitwise_ranges_hold_every_value() {
        for op in [Op::And, Op::Or, Op::Xor] {
            all_pairs(&op, (-6, 6), false);
            all_pairs(&op, (0, 9), false);
        }
    }

    #[test]
    fn shift_ranges_hold_every_value() {
        for &a in &intervals(-9, 9) {
            for &amount in &intervals(0, 6) {
                assert!(
                    sound(&Op::Shr, a, amount),
                    "{a:?} >> {amount:?} is wider than needed"
                );
                sound(&Op::Shl, a, amount);
            }
        }
    }

    #[test]
    fn mux_complement_and_concatenation_hold_every_value() {
        let bit = big((0, 1));
        for &a in &intervals(-5, 5) {
            let ty = big(a).ty();
            for op in [Op::Not, Op::Concat] {
                let inferred = infer_type(&op, &[ty]).expect("inferred");
                let range = result(&op, &[&big(a)], inferred);
                for x in a.0..=a.1 {
                    let value = eval_op(&op, &[(&BigInt::from(x), ty)], inferred).expect("pure");
                    assert!(range.lo <= value && value <= range.hi, "{op:?} {a:?}");
                }
            }
            for &b in &intervals(-5, 5) {
                let common = super::super::infer::common(ty, big(b).ty());
                let range = result(&Op::Mux, &[&bit, &big(a), &big(b)], common);
                assert_eq!(range, big((a.0.min(b.0), a.1.max(b.1))));
                sound(&Op::Concat, a, b);
            }
        }
    }

    #[test]
    fn cast_and_extract_ranges_hold_every_value() {
        for &a in &intervals(-9, 9) {
            let from = big(a).ty();
            for width in 1..=5 {
                for ty in [HwType::ui(width), HwType::si(width)] {
                    holds_unary(&Op::Cast, a, from, ty);
                }
                for lo in 0..5 {
                    if lo + width <= from.width {
                        holds_unary(&Op::Extract { lo }, a, from, HwType::ui(width));
                    }
                }
            }
        }
    }

    fn holds_unary(op: &Op, a: (i32, i32), from: HwType, ty: HwType) {
        let range = result(op, &[&big(a)], ty);
        assert!(range.fits(ty));
        for x in a.0..=a.1 {
            let value = eval_op(op, &[(&BigInt::from(x), from)], ty).expect("pure");
            assert!(range.lo <= value && value <= range.hi, "{op:?} {a:?} {ty}");
        }
    }
}
