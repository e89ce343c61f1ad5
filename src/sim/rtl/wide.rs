//! One operation on values of more than 64 bits: in 128 bits where they suffice, else in big integers.

use super::slot::Slot;
use crate::rtl::netlist::{BinaryOp, CompareOp, ShiftOp};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive, Zero};

/// What an operation does to its arguments.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Copy,
    Not,
    Binary(BinaryOp),
    Multiply { lhs_signed: bool, rhs_signed: bool },
    Compare { op: CompareOp, signed: bool },
    Shift(ShiftOp),
    Mux,
    Concat,
    Slice { lo: u32 },
    Extend { signed: bool },
    Reduce(BinaryOp),
}

/// An operation on slots of any width.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub out: Slot,
    pub kind: Kind,
    pub args: Vec<Slot>,
}

impl Node {
    /// Whether 128 bits hold everything.
    pub fn fits_128(&self) -> bool {
        self.out.width <= 128 && self.args.iter().all(|slot| slot.width <= 128)
    }

    /// Computes in 128 bits.
    pub fn run_128(&self, words: &mut [u64]) {
        let value = self.value_128(words) & mask_128(self.out.width);
        let at = self.out.at as usize;
        words[at] = value as u64;
        if self.out.width > 64 {
            words[at + 1] = (value >> 64) as u64;
        }
    }

    fn value_128(&self, words: &[u64]) -> u128 {
        let arg = |index: usize| read_128(words, self.args[index]);
        let width = |index: usize| self.args[index].width;
        let signed = |index: usize| extend_128(arg(index), width(index));
        match &self.kind {
            Kind::Copy => arg(0),
            Kind::Not => !arg(0),
            Kind::Binary(op) => match op {
                BinaryOp::Add => arg(0).wrapping_add(arg(1)),
                BinaryOp::Sub => arg(0).wrapping_sub(arg(1)),
                BinaryOp::And => arg(0) & arg(1),
                BinaryOp::Or => arg(0) | arg(1),
                BinaryOp::Xor => arg(0) ^ arg(1),
            },
            Kind::Multiply {
                lhs_signed,
                rhs_signed,
            } => {
                let factor = |index, is_signed| match is_signed {
                    true => signed(index) as u128,
                    false => arg(index),
                };
                factor(0, *lhs_signed).wrapping_mul(factor(1, *rhs_signed))
            }
            Kind::Compare { op, signed: true } => bit(op.holds(signed(0).cmp(&signed(1)))),
            Kind::Compare { op, signed: false } => bit(op.holds(arg(0).cmp(&arg(1)))),
            Kind::Shift(op) => {
                let amount = u32::try_from(arg(1)).unwrap_or(u32::MAX);
                match op {
                    ShiftOp::Left => arg(0).checked_shl(amount).unwrap_or(0),
                    ShiftOp::Right => arg(0).checked_shr(amount).unwrap_or(0),
                    ShiftOp::RightArithmetic => (signed(0) >> amount.min(127)) as u128,
                }
            }
            Kind::Mux => arg(if arg(0) != 0 { 1 } else { 2 }),
            Kind::Concat => self.args.iter().fold(0, |value, slot| {
                value.checked_shl(slot.width).unwrap_or(0) | read_128(words, *slot)
            }),
            Kind::Slice { lo } => arg(0) >> lo,
            Kind::Extend { signed: true } => signed(0) as u128,
            Kind::Extend { signed: false } => arg(0),
            Kind::Reduce(BinaryOp::And) => bit(arg(0) == mask_128(width(0))),
            Kind::Reduce(BinaryOp::Or) => bit(arg(0) != 0),
            Kind::Reduce(_) => u128::from(arg(0).count_ones() & 1),
        }
    }

    /// Computes in big integers.
    pub fn run_big(&self, words: &mut [u64]) {
        let value = self.value_big(words);
        write_big(words, self.out, &value);
    }

    fn value_big(&self, words: &[u64]) -> BigUint {
        let arg = |index: usize| read_big(words, self.args[index]);
        let int = |index: usize, signed: bool| {
            let width = self.args[index].width;
            let value = arg(index);
            match signed && value.bit(u64::from(width - 1)) {
                true => BigInt::from(value) - (BigInt::one() << width),
                false => BigInt::from(value),
            }
        };
        match &self.kind {
            Kind::Copy => arg(0),
            Kind::Not => arg(0) ^ mask_big(self.out.width),
            Kind::Binary(op) => match op {
                BinaryOp::Add => arg(0) + arg(1),
                BinaryOp::Sub => arg(0) + (BigUint::one() << self.out.width) - arg(1),
                BinaryOp::And => arg(0) & arg(1),
                BinaryOp::Or => arg(0) | arg(1),
                BinaryOp::Xor => arg(0) ^ arg(1),
            },
            Kind::Multiply {
                lhs_signed,
                rhs_signed,
            } => self.wrapped(int(0, *lhs_signed) * int(1, *rhs_signed)),
            Kind::Compare { op, signed } => {
                let order = int(0, *signed).cmp(&int(1, *signed));
                BigUint::from(u32::from(op.holds(order)))
            }
            Kind::Shift(op) => {
                let amount = arg(1).to_u32().unwrap_or(u32::MAX).min(self.out.width);
                match op {
                    ShiftOp::Left => arg(0) << amount,
                    ShiftOp::Right => arg(0) >> amount,
                    ShiftOp::RightArithmetic => self.wrapped(int(0, true) >> amount),
                }
            }
            Kind::Mux => arg(if arg(0).is_zero() { 2 } else { 1 }),
            Kind::Concat => self.args.iter().fold(BigUint::zero(), |value, slot| {
                (value << slot.width) | read_big(words, *slot)
            }),
            Kind::Slice { lo } => arg(0) >> *lo,
            Kind::Extend { signed } => self.wrapped(int(0, *signed)),
            Kind::Reduce(BinaryOp::And) => big_bit(arg(0) == mask_big(self.args[0].width)),
            Kind::Reduce(BinaryOp::Or) => big_bit(!arg(0).is_zero()),
            Kind::Reduce(_) => big_bit(arg(0).count_ones() & 1 == 1),
        }
    }

    /// Two's complement of the output's width.
    fn wrapped(&self, value: BigInt) -> BigUint {
        let mask = BigInt::from(mask_big(self.out.width));
        (value & mask).magnitude().clone()
    }
}

fn bit(value: bool) -> u128 {
    u128::from(value)
}

fn big_bit(value: bool) -> BigUint {
    BigUint::from(u32::from(value))
}

fn mask_128(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

fn mask_big(width: u32) -> BigUint {
    (BigUint::one() << width) - 1u32
}

/// The value of at most 128 bits in a slot.
pub(super) fn read_128(words: &[u64], slot: Slot) -> u128 {
    let at = slot.at as usize;
    match slot.width {
        0..=64 => u128::from(words[at]),
        _ => u128::from(words[at]) | u128::from(words[at + 1]) << 64,
    }
}

fn extend_128(value: u128, width: u32) -> i128 {
    let free = 128 - width;
    ((value << free) as i128) >> free
}

/// The value in a slot.
pub(super) fn read_big(words: &[u64], slot: Slot) -> BigUint {
    let digits = words[slot.range()]
        .iter()
        .flat_map(|word| [*word as u32, (*word >> 32) as u32]);
    BigUint::new(digits.collect())
}

/// Stores a value, whose bits past the slot's width are dropped.
pub(super) fn write_big(words: &mut [u64], slot: Slot, value: &BigUint) {
    let mut digits = value.iter_u64_digits();
    for word in &mut words[slot.range()] {
        *word = digits.next().unwrap_or(0);
    }
    if let Some(last) = words[slot.range()].last_mut() {
        *last &= slot.top_mask();
    }
}
