//! Addresses as affine functions of loop counters, found while operations are lowered.

use super::{Location, Lowering};
use crate::ir::{ArrayId, BinaryOp, Op, OpKind, Scalar, ValueId};
use crate::machine::program::Affine;
use num_traits::ToPrimitive;
use std::collections::BTreeMap;

/// `constant + sum(coefficient * value)` over values of the kernel; exact, nothing wraps.
#[derive(Clone, Debug, Default)]
pub struct Linear {
    terms: BTreeMap<ValueId, i128>,
    constant: i128,
}

/// What an induction variable is in the open loop: `lo + step * n`, n the counter of dimension `dim`.
#[derive(Clone, Debug)]
pub struct Counter {
    /// Dimension in the flattened loop.
    pub dim: usize,
    /// First value.
    pub lo: ValueId,
    /// Constant step; `None`: known only at run time.
    pub step: Option<i128>,
}

impl Linear {
    fn value(value: ValueId) -> Linear {
        Linear {
            terms: BTreeMap::from([(value, 1)]),
            constant: 0,
        }
    }
    fn constant(constant: i128) -> Linear {
        Linear {
            terms: BTreeMap::new(),
            constant,
        }
    }
    fn add_scaled(mut self, other: &Linear, factor: i128) -> Option<Linear> {
        self.constant = self
            .constant
            .checked_add(other.constant.checked_mul(factor)?)?;
        for (&value, &coefficient) in &other.terms {
            let entry = self.terms.entry(value).or_insert(0);
            *entry = entry.checked_add(coefficient.checked_mul(factor)?)?;
        }
        self.terms.retain(|_, c| *c != 0);
        Some(self)
    }
}

impl Lowering<'_> {
    /// The affine form of a value; itself as a term if nothing better is known.
    fn linear_of(&self, value: ValueId) -> Linear {
        match self.linear.get(&value) {
            Some(linear) => linear.clone(),
            None => Linear::value(value),
        }
    }

    /// Records the affine form of an operation's result, if it has one and does not wrap.
    pub(super) fn note_linear(&mut self, op: &Op) {
        let [result] = op.results[..] else { return };
        if self.kernel.values[result].ty.is_float() {
            return;
        }
        if let Some(linear) = self.linear_form(&op.kind, self.kernel.values[result].ty) {
            self.linear.insert(result, linear);
        }
    }

    fn linear_form(&mut self, kind: &OpKind, ty: Scalar) -> Option<Linear> {
        match kind {
            OpKind::Const(_) => None,
            OpKind::Cast { arg } if !self.kernel.values[*arg].ty.is_float() => {
                let node = self.node(*arg);
                let exact = self.b().range(node).fits(super::hw_type(ty));
                exact.then(|| self.linear_of(*arg))
            }
            OpKind::Binary { op, lhs, rhs } => {
                let linear = match op {
                    BinaryOp::Add => self.scaled_sum(*lhs, *rhs, 1),
                    BinaryOp::Sub => self.scaled_sum(*lhs, *rhs, -1),
                    BinaryOp::Mul => {
                        let (value, factor) = match self.constant_of(*rhs) {
                            Some(c) => (*lhs, c),
                            None => (*rhs, self.constant_of(*lhs)?),
                        };
                        Linear::default().add_scaled(&self.lookup(value), factor.to_i128()?)
                    }
                    _ => None,
                }?;
                self.is_exact(*op, *lhs, *rhs, ty).then_some(linear)
            }
            _ => None,
        }
    }

    fn lookup(&self, value: ValueId) -> Linear {
        match self.constant_of(value).and_then(|c| c.to_i128()) {
            Some(c) => Linear::constant(c),
            None => self.linear_of(value),
        }
    }

    fn scaled_sum(&self, lhs: ValueId, rhs: ValueId, factor: i128) -> Option<Linear> {
        self.lookup(lhs).add_scaled(&self.lookup(rhs), factor)
    }

    fn is_exact(&mut self, op: BinaryOp, lhs: ValueId, rhs: ValueId, ty: Scalar) -> bool {
        use crate::hwarith::graph::Op as HwOp;
        use crate::hwarith::interval;
        let (a, b) = (self.node(lhs), self.node(rhs));
        let hw_op = match op {
            BinaryOp::Add => HwOp::Add,
            BinaryOp::Sub => HwOp::Sub,
            _ => HwOp::Mul,
        };
        let builder = self.b();
        let (a, b) = (builder.range(a), builder.range(b));
        interval::result(&hw_op, &[a, b], super::hw_type(ty)).fits(super::hw_type(ty))
    }

    /// The row-major address of an access over the counters of the open loop.
    pub(super) fn affine_address(&self, array: ArrayId, indices: &[ValueId]) -> Option<Affine> {
        let shape = &self.kernel.arrays[array].shape;
        let mut address = Linear::default();
        let mut stride = 1i128;
        for (&index, &extent) in indices.iter().zip(shape).rev() {
            address = address.add_scaled(&self.lookup(index), stride)?;
            stride = stride.checked_mul(i128::from(extent))?;
        }
        let mut affine = Affine {
            constant: address.constant,
            ..Affine::default()
        };
        for (&value, &coefficient) in &address.terms {
            self.add_term(&mut affine, value, coefficient)?;
        }
        Some(affine)
    }

    fn add_term(&self, affine: &mut Affine, value: ValueId, coefficient: i128) -> Option<()> {
        let Some(counter) = self.counters.get(&value) else {
            let varies = match self.env.get(&value)? {
                Location::Node { leaf, .. } => self.open == Some(*leaf) && self.in_loop_leaf,
                _ => false,
            };
            let entry = affine.symbols.entry(value.index()).or_insert(0);
            *entry = entry.checked_add(coefficient)?;
            return (!varies).then_some(());
        };
        let per_count = coefficient.checked_mul(counter.step?)?;
        let entry = affine.counters.entry(counter.dim).or_insert(0);
        *entry = entry.checked_add(per_count)?;
        let lo = self.lookup(counter.lo);
        let offset = lo.constant.checked_mul(coefficient)?;
        affine.constant = affine.constant.checked_add(offset)?;
        for (&symbol, &factor) in &lo.terms {
            self.add_term(affine, symbol, coefficient.checked_mul(factor)?)?;
        }
        Some(())
    }
}
