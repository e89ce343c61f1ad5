//! What is known of accesses in the open loop: addresses as affine functions of its counters, and the iterations to which
//! conditions confine an access.

use super::{Location, Lowering};
use crate::ir::analysis::touch::element;
use crate::ir::analysis::{Affine as Sum, Fact, Subscript, Values, Varying};
use crate::ir::{
    ArrayId, BinaryOp, CompareOp, Element, For, Hazard, OpKind, Promise, Scope, ValueId,
};
use crate::machine::program::{Affine, Apart, Pin};
use std::collections::BTreeMap;

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

/// Pairs of accesses up to which each is looked at.
const MOST_PAIRS: usize = 256;

/// A loop, and what tells accesses in its iterations apart.
struct Pairs<'a> {
    values: &'a Values,
    f: &'a For,
    varying: Varying,
    facts: Vec<Fact>,
}

impl Pairs<'_> {
    /// Whether two accesses name different elements for certain, in whichever iterations: a subscript of one is the same in
    /// all, and none of the other's is that.
    fn never_meet(&self, a: &Element, b: &Element) -> bool {
        let mut dims = a.indices.iter().zip(&b.indices);
        dims.any(|(&a, &b)| {
            let is_fixed = self.varying.is_fixed(a) || self.varying.is_fixed(b);
            is_fixed && self.values.distinct(&[a], &[b], &self.facts)
        })
    }

    /// Whether two accesses name one element in the same iteration at most: a subscript moves alike in both, or those that are
    /// the same in all iterations say which iteration of the other access is meant, and it is one for both.
    fn meet_at_once(&self, a: &Element, b: &Element) -> bool {
        if self.never_meet(a, b) {
            return true;
        }
        let dims = || a.indices.iter().copied().zip(b.indices.iter().copied());
        let of_a = dims().find_map(|(a, b)| self.counter(a, b));
        let of_b = dims().find_map(|(a, b)| self.counter(b, a));
        let is_same = |a: &Sum, b: &Sum| a.plus(b, -1).is_some_and(|apart| apart == Sum::default());
        let move_alike = |(a, b)| match (self.subscript(a), self.subscript(b)) {
            (Some(Subscript::Moving(p, a)), Some(Subscript::Moving(q, b))) => {
                p == q && is_same(&a, &b)
            }
            _ => false,
        };
        of_a.zip(of_b).is_some_and(|(a, b)| is_same(&a, &b)) || dims().any(move_alike)
    }

    fn subscript(&self, value: ValueId) -> Option<Subscript> {
        self.values.subscript(self.f.iv, &self.varying, value)
    }

    /// What the counter is where a subscript that moves with it, one for one, is another one that does not.
    fn counter(&self, moving: ValueId, fixed: ValueId) -> Option<Sum> {
        match (self.subscript(moving)?, self.subscript(fixed)?) {
            (Subscript::Moving(1, rest), Subscript::Fixed(value)) => {
                self.values.affine(value).plus(&rest, -1)
            }
            _ => None,
        }
    }
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

    /// Notes which arrays no two iterations of the open loop, which has this one dimension, both store and load an element of.
    /// It settles what addresses do not tell, since its bounds, and those of the loops around, may be known by name only.
    pub(super) fn note_apart(&mut self, f: &For) {
        let mut accesses: BTreeMap<ArrayId, [Vec<&Element>; 2]> = BTreeMap::new();
        f.body.for_each_op(&mut |op| {
            if let Some(at) = element(&op.kind) {
                let is_store = matches!(op.kind, OpKind::Store { .. });
                accesses.entry(at.array).or_default()[usize::from(is_store)].push(at);
            }
        });
        let pairs = Pairs {
            values: &self.values,
            f,
            varying: self.values.varying(f),
            facts: self.values.of_loop(f),
        };
        let mut promises = Vec::new();
        for (array, [loads, stores]) in accesses {
            if !(1..=MOST_PAIRS).contains(&loads.len().saturating_mul(stores.len())) {
                continue;
            }
            let every = |holds: &dyn Fn(&Element, &Element) -> bool| {
                let mut all = stores
                    .iter()
                    .flat_map(|a| loads.iter().map(move |b| (a, b)));
                all.all(|(a, b)| holds(a, b))
            };
            let never = every(&|a, b| pairs.never_meet(a, b));
            let scopes: &[Scope] = match never {
                true => &[Scope::Inter, Scope::Intra],
                false if every(&|a, b| pairs.meet_at_once(a, b)) => &[Scope::Inter],
                false => &[],
            };
            for &mem in &self.mem_ids[&array] {
                promises.extend(scopes.iter().flat_map(|&scope| {
                    let hazards = [Hazard::ReadAfterWrite, Hazard::WriteAfterRead];
                    hazards.map(|hazard| Apart {
                        mem,
                        dim: 0,
                        scope,
                        hazard: Some(hazard),
                        distance: None,
                    })
                }));
            }
        }
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
