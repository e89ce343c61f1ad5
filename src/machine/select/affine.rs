//! What is known of accesses in the open loop: addresses as affine functions of its counters, and the iterations to which
//! conditions confine an access.

use super::{Location, Lowering};
use crate::ir::analysis::Affine as Sum;
use crate::ir::{BinaryOp, CompareOp, Element, OpKind, Promise, ValueId};
use crate::machine::program::{Affine, Apart, Pin};

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

impl Lowering<'_> {
    /// Notes a promise about a loop that is open; others are void.
    pub(super) fn promise(&mut self, promise: &Promise) {
        let Some(dim) = self.counters.get(&promise.iv).map(|counter| counter.dim) else {
            return;
        };
        let banks = self.mem_ids[&promise.array].clone();
        let promises = banks.into_iter().map(|mem| Apart {
            mem,
            dim,
            scope: promise.scope,
            hazard: promise.hazard,
            distance: promise.distance,
        });
        self.leaf().promises.extend(promises);
    }

    /// The row-major address of an element over the counters of the open loop.
    pub(super) fn affine_address(&self, at: &Element) -> Option<Affine> {
        let shape = &self.kernel.arrays[at.array].shape;
        let mut address = Sum::default();
        let mut stride = 1i128;
        for (&index, &extent) in at.indices.iter().zip(shape).rev() {
            address = address.plus(&self.values.affine(index), stride)?;
            stride = stride.checked_mul(i128::from(extent))?;
        }
        let mut affine = Affine {
            constant: address.constant,
            ..Affine::default()
        };
        for &(value, coefficient) in &address.terms {
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
        let lo = self.values.affine(counter.lo);
        let offset = lo.constant.checked_mul(coefficient)?;
        affine.constant = affine.constant.checked_add(offset)?;
        for &(symbol, factor) in &lo.terms {
            self.add_term(affine, symbol, coefficient.checked_mul(factor)?)?;
        }
        Some(())
    }

    /// For each dimension of the open loop, in which of its iterations the access counts.
    pub(super) fn pins(&self, at: &Element) -> Vec<Pin> {
        let mut pins = vec![Pin::Any; self.counters.len()];
        let mut conditions: Vec<ValueId> = at.when.into_iter().collect();
        while let Some(condition) = conditions.pop() {
            match self.values.definition(condition) {
                Some(&OpKind::Binary {
                    op: BinaryOp::And,
                    lhs,
                    rhs,
                }) => conditions.extend([lhs, rhs]),
                Some(&OpKind::Compare {
                    op: CompareOp::Eq,
                    lhs,
                    rhs,
                }) => {
                    if let Some((dim, iteration)) = self.iteration(lhs, rhs) {
                        pins[dim] = Pin::At(iteration);
                    }
                }
                _ => {}
            }
        }
        pins
    }

    /// The dimension and its iteration in which two values are equal, where one of them is its counter plus a constant and
    /// the other a constant.
    fn iteration(&self, a: ValueId, b: ValueId) -> Option<(usize, u64)> {
        let difference = self.values.affine(a).plus(&self.values.affine(b), -1)?;
        let &[(value, coefficient @ (1 | -1))] = &difference.terms[..] else {
            return None;
        };
        let counter = self.counters.get(&value)?;
        let lo = self.values.affine(counter.lo);
        let steps = -difference.constant * coefficient - lo.constant;
        let step = counter.step.filter(|step| *step != 0)?;
        let exact = lo.terms.is_empty() && steps % step == 0;
        let iteration = u64::try_from(steps / step).ok()?;
        exact.then_some((counter.dim, iteration))
    }
}
