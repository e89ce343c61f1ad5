//! Bits of operation results that are known, from those of the operands (forward analysis).
//!
//! Both masks are infinite two's complement numbers, so that the sign is a bit like the others: a `ui8` has all bits
//! from the eighth on known to be 0. The transfer functions are those of tristate numbers (Vishwanathan et al., Sound,
//! Precise, and Fast Abstract Interpretation with Tristate Numbers, 2022), for sums and products only the low bits.

use super::graph::Op;
use super::interval::Interval;
use super::types::HwType;
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// What is known of an integer's bits.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Known {
    /// Bits that are 0.
    pub zeros: BigInt,
    /// Bits that are 1.
    pub ones: BigInt,
}

/// Ones in the low `width` bits.
fn mask(width: u32) -> BigInt {
    (BigInt::one() << width) - 1u32
}

impl Known {
    /// All bits of a number.
    pub fn point(value: &BigInt) -> Known {
        Known {
            zeros: !value,
            ones: value.clone(),
        }
    }
    /// The high bits that are the same in the whole range.
    pub fn of_range(range: &Interval) -> Known {
        let differing = (&range.lo ^ &range.hi).bits();
        if range.lo.is_negative() != range.hi.is_negative() {
            return Known::default();
        }
        let high = !mask(differing as u32);
        Known {
            zeros: !&range.lo & &high,
            ones: &range.lo & high,
        }
    }
    /// Whether no bit can be 1 in both numbers.
    pub fn is_disjoint(&self, other: &Known) -> bool {
        (&self.zeros | &other.zeros) == -BigInt::one()
    }
    /// Whether every bit that can be 1 here is 1 in `other`.
    pub fn is_within(&self, other: &Known) -> bool {
        (&self.zeros | &other.ones) == -BigInt::one()
    }
    /// What both know.
    fn union(&self, other: &Known) -> Known {
        Known {
            zeros: &self.zeros & &other.zeros,
            ones: &self.ones & &other.ones,
        }
    }
    /// What one of two true statements knows.
    pub fn and(self, other: &Known) -> Known {
        Known {
            zeros: self.zeros | &other.zeros,
            ones: self.ones | &other.ones,
        }
    }
    /// The range of the numbers with these bits, if the sign is known.
    pub fn range(&self) -> Option<Interval> {
        let sign_is_known = self.zeros.is_negative() || self.ones.is_negative();
        sign_is_known.then(|| Interval::new(self.ones.clone(), !&self.zeros))
    }
    /// The number with these low bits in a type.
    fn cast(&self, ty: HwType) -> Known {
        let low = mask(ty.width);
        let (zeros, ones) = (&self.zeros & &low, &self.ones & &low);
        let top = u64::from(ty.width) - 1;
        if !ty.signed || zeros.bit(top) {
            Known {
                zeros: zeros | !low,
                ones,
            }
        } else if ones.bit(top) {
            Known {
                zeros,
                ones: ones | !low,
            }
        } else {
            Known { zeros, ones }
        }
    }
    /// Known bits from the lowest up.
    fn low_run(&self) -> u32 {
        let unknown: BigInt = !(&self.zeros | &self.ones);
        unknown.trailing_zeros().map_or(u32::MAX, |n| n as u32)
    }
    /// Zeros from the lowest bit up.
    fn low_zeros(&self) -> u32 {
        let possible: BigInt = !&self.zeros;
        possible.trailing_zeros().unwrap_or(0) as u32
    }
    /// The low bits of a number are known.
    fn low(value: &BigInt, width: u32) -> Known {
        let low = mask(width);
        Known {
            zeros: !value & &low,
            ones: value & low,
        }
    }
}

/// Known bits of an operation's result of type `ty`, from its operands' with their types.
pub fn result(op: &Op, args: &[(&Known, HwType)], ty: HwType) -> Known {
    let arg = |i: usize| args[i].0;
    let none = Known::default();
    match (op, args.len()) {
        (Op::Const(value), _) => Known::point(value),
        (Op::Cast, 1) => arg(0).cast(ty),
        (Op::And, 2) => Known {
            zeros: &arg(0).zeros | &arg(1).zeros,
            ones: &arg(0).ones & &arg(1).ones,
        },
        (Op::Or, 2) => Known {
            zeros: &arg(0).zeros & &arg(1).zeros,
            ones: &arg(0).ones | &arg(1).ones,
        },
        (Op::Xor, 2) => Known {
            zeros: (&arg(0).zeros & &arg(1).zeros) | (&arg(0).ones & &arg(1).ones),
            ones: (&arg(0).zeros & &arg(1).ones) | (&arg(0).ones & &arg(1).zeros),
        },
        (Op::Not, 1) => Known {
            zeros: arg(0).ones.clone(),
            ones: arg(0).zeros.clone(),
        }
        .cast(ty),
        (Op::Mux, 3) => arg(1).union(arg(2)),
        (Op::Extract { lo }, 1) => Known {
            zeros: &arg(0).zeros >> *lo,
            ones: &arg(0).ones >> *lo,
        }
        .cast(ty),
        (Op::Concat, _) => {
            args.iter()
                .fold(Known::point(&BigInt::zero()), |high, (part, part_ty)| {
                    let part = part.cast(HwType::ui(part_ty.width));
                    let low = mask(part_ty.width);
                    Known {
                        zeros: (high.zeros << part_ty.width) | (part.zeros & low),
                        ones: (high.ones << part_ty.width) | part.ones,
                    }
                })
        }
        (Op::Shl | Op::Shr, 2) => match point(arg(1)).map(|n| n.to_u32().unwrap_or(ty.width)) {
            Some(n) if *op == Op::Shl => Known {
                zeros: (&arg(0).zeros << n.min(ty.width)) | mask(n.min(ty.width)),
                ones: &arg(0).ones << n.min(ty.width),
            }
            .cast(ty),
            Some(n) => Known {
                zeros: &arg(0).zeros >> n.min(ty.width),
                ones: &arg(0).ones >> n.min(ty.width),
            },
            None => none,
        },
        (Op::Add | Op::Sub, 2) => {
            let run = arg(0).low_run().min(arg(1).low_run()).min(ty.width);
            let value = match op {
                Op::Add => &arg(0).ones + &arg(1).ones,
                _ => &arg(0).ones - &arg(1).ones,
            };
            Known::low(&value, run)
        }
        (Op::Mul, 2) => {
            let run = arg(0).low_run().min(arg(1).low_run()).min(ty.width);
            let value = &arg(0).ones * &arg(1).ones;
            let zeros = (arg(0).low_zeros() + arg(1).low_zeros()).min(ty.width);
            Known::low(&value, run).and(&Known::low(&BigInt::zero(), zeros))
        }
        _ => none,
    }
}

/// The number, if all bits are known.
fn point(known: &Known) -> Option<&BigInt> {
    ((&known.zeros | &known.ones) == -BigInt::one()).then_some(&known.ones)
}

#[cfg(test)]
mod tests {
    use super::super::eval::eval_op;
    use super::super::graph::infer_type;
    use super::*;

    /// Every statement about numbers of a type of 3 bits.
    fn statements(ty: HwType) -> Vec<Known> {
        let mut all = Vec::new();
        for zeros in 0..8u32 {
            for ones in (0..8u32).filter(|ones| ones & zeros == 0) {
                let known = Known {
                    zeros: zeros.into(),
                    ones: ones.into(),
                };
                all.push(known.cast(ty));
            }
        }
        all
    }

    fn numbers(ty: HwType, known: &Known) -> Vec<BigInt> {
        let (lo, hi) = (i64::try_from(ty.min()), i64::try_from(ty.max()));
        (lo.expect("small")..=hi.expect("small"))
            .map(BigInt::from)
            .filter(|n| holds(known, n))
            .collect()
    }

    fn holds(known: &Known, number: &BigInt) -> bool {
        (number & &known.zeros).is_zero() && (!number & &known.ones).is_zero()
    }

    fn sound(op: &Op, types: [HwType; 2], stated: Option<HwType>) {
        for a in statements(types[0]) {
            for b in statements(types[1]) {
                let count = if stated.is_some() || *op == Op::Not {
                    1
                } else {
                    2
                };
                let Some(ty) = stated.or_else(|| infer_type(op, &types[..count])) else {
                    return;
                };
                let args = [(&a, types[0]), (&b, types[1])];
                let known = result(op, &args[..count], ty);
                for x in numbers(types[0], &a) {
                    for y in numbers(types[1], &b) {
                        let args = [(&x, types[0]), (&y, types[1])];
                        let value = eval_op(op, &args[..count], ty).expect("pure");
                        assert!(
                            holds(&known, &value),
                            "{op:?} {types:?} {x} {y}: {value} {known:?}"
                        );
                        if let Some(range) = known.range() {
                            assert!(range.lo <= value && value <= range.hi);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn known_bits_are_right_for_all_operands() {
        for a in [HwType::ui(3), HwType::si(3)] {
            for b in [HwType::ui(3), HwType::si(3)] {
                let ops = [
                    Op::Add,
                    Op::Sub,
                    Op::Mul,
                    Op::And,
                    Op::Or,
                    Op::Xor,
                    Op::Concat,
                    Op::Div,
                ];
                ops.iter().for_each(|op| sound(op, [a, b], None));
            }
            sound(&Op::Not, [a, a], None);
            sound(&Op::Shl, [a, HwType::ui(3)], None);
            sound(&Op::Shr, [a, HwType::ui(3)], None);
            for ty in [HwType::ui(2), HwType::si(2), HwType::ui(5), HwType::si(5)] {
                sound(&Op::Cast, [a, HwType::ui(1)], Some(ty));
            }
            sound(
                &Op::Extract { lo: 1 },
                [a, HwType::ui(1)],
                Some(HwType::ui(2)),
            );
        }
    }

    #[test]
    fn ranges_know_their_high_bits() {
        for lo in -20i32..20 {
            for hi in lo..20 {
                let known = Known::of_range(&Interval::new(lo, hi));
                assert!(
                    (lo..=hi).all(|n| holds(&known, &n.into())),
                    "{lo} {hi} {known:?}"
                );
            }
        }
        let known = Known::of_range(&Interval::new(0, 5));
        assert_eq!(known.range(), Some(Interval::new(0, 7)));
    }
}
