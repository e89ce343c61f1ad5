//! Loop-invariant code motion with scalar expansion: what some loops of a nest do not change is computed in a nest of the other
//! ones before it, for all of their iterations, and read from an array (Allen and Kennedy, Optimizing Compilers for Modern
//! Architectures, 2001, section 5.3, for the array).
//!
//! Iterations side by side then need no operators for it, each of which would compute the same again and again. Only what is
//! computed in every iteration is moved, from values and elements that the nest leaves as they are.

use super::local_copy;
use super::{dead, inline::MAX_OPS};
use crate::diagnostics::Span;
use crate::ir::analysis::Values;
use crate::ir::analysis::touch::{self, Touched};
use crate::ir::analysis::trip::Trip;
use crate::ir::copy::Copier;
use crate::ir::*;
use num_traits::{One, ToPrimitive, Zero};
use std::collections::{BTreeMap, BTreeSet};

/// The nest has to have so many iterations for each that is added.
const LEAST_GAIN: u64 = 16;

/// Moves what is worth it out of all outermost nests, into arrays of so many bits at most together.
pub fn run(kernel: &mut Kernel, mut most_bits: u64) {
    let values = Values::of(kernel);
    let mut changed = false;
    let mut ops = Vec::new();
    for mut op in std::mem::take(&mut kernel.body.ops) {
        let mut nest = Nest {
            written: Touched::by(&op).written,
            ..Nest::default()
        };
        nest.enter(kernel, &values, &op);
        for root in nest.roots(&op) {
            let Some(array) = nest.array(kernel, root, &mut most_bits) else {
                continue;
            };
            if let Some(before) = nest.fill(kernel, root, array, op.span) {
                ops.extend(before);
                nest.replace(&mut op, root, array);
                changed = true;
            }
        }
        ops.push(op);
    }
    kernel.body.ops = ops;
    if changed {
        dead::run(kernel);
    }
}

/// Whether an operation takes operators that are worth being spared.
pub fn is_costly(op: &Op, kernel: &Kernel) -> bool {
    let [result] = op.results[..] else {
        return false;
    };
    let OpKind::Binary { op, .. } = op.kind else {
        return false;
    };
    let is_product = matches!(
        op,
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::FloorDiv | BinaryOp::Mod | BinaryOp::Pow
    );
    match kernel.values[result].ty {
        Scalar::Index => false,
        Scalar::Int { .. } => is_product,
        _ => true,
    }
}

/// A loop around, counted from 0 in steps of 1.
#[derive(Clone, Copy)]
struct Around {
    iv: ValueId,
    count: u64,
}

/// What may move.
struct Movable {
    op: Op,
    /// The loops that change it, from outside.
    by: BTreeSet<usize>,
    /// Whether there is a costly operation on the way to it.
    is_costly: bool,
    /// Whether the nest runs it much more often than it changes.
    is_worth_it: bool,
}

#[derive(Default)]
struct Nest {
    written: BTreeSet<ArrayId>,
    /// Loops around the operation that is looked at, from outside; `None`: of unknown iterations.
    around: Vec<Option<Around>>,
    /// All loops whose counters have been seen.
    loops: Vec<Around>,
    /// By their results.
    movable: BTreeMap<ValueId, Movable>,
    /// Their results, in order.
    order: Vec<ValueId>,
    /// Values that the nest defines in another way.
    fixed: BTreeSet<ValueId>,
}

impl Nest {
    /// Looks at an operation and those inside.
    fn enter(&mut self, kernel: &Kernel, values: &Values, op: &Op) {
        let OpKind::For(f) = &op.kind else {
            return self.look(kernel, op);
        };
        self.fixed.extend(op.results.iter().chain(&f.carried));
        let trip = Trip::of(f, |value| values.constant(value).cloned());
        let counted = trip.filter(|trip| trip.lo.is_zero() && trip.step.is_one());
        let count = counted.and_then(|trip| trip.count.to_u64());
        let known = count
            .filter(|count| *count > 0)
            .map(|count| Around { iv: f.iv, count });
        match known {
            Some(known) => self.loops.push(known),
            None => _ = self.fixed.insert(f.iv),
        }
        self.around.push(known);
        for op in &f.body.ops {
            self.enter(kernel, values, op);
        }
        self.around.pop();
    }

    fn look(&mut self, kernel: &Kernel, op: &Op) {
        match self.changed_by(op) {
            Some(by) => {
                let operands = op.kind.operands();
                let mut costly = operands.iter().filter_map(|value| self.movable.get(value));
                let movable = Movable {
                    is_costly: is_costly(op, kernel) || costly.any(|other| other.is_costly),
                    is_worth_it: self.is_worth_it(&by),
                    op: op.clone(),
                    by,
                };
                self.movable.insert(op.results[0], movable);
                self.order.push(op.results[0]);
            }
            None => {
                self.fixed.extend(&op.results);
                for block in op.kind.blocks() {
                    self.fixed.extend(block.defined());
                }
            }
        }
    }

    /// The loops that change what an operation computes; `None` if it is to stay where it is.
    fn changed_by(&self, op: &Op) -> Option<BTreeSet<usize>> {
        if !op.kind.is_pure() || op.results.len() != 1 {
            return None;
        }
        let (read, _) = touch::arrays(&op.kind);
        let is_conditional = touch::element(&op.kind).is_some_and(|at| at.when.is_some());
        if is_conditional || read.iter().any(|array| self.written.contains(array)) {
            return None;
        }
        let mut by = BTreeSet::new();
        for operand in op.kind.operands() {
            if self.fixed.contains(&operand) {
                return None;
            }
            by.extend(self.loops.iter().position(|one| one.iv == operand));
            by.extend(self.movable.get(&operand).into_iter().flat_map(|m| &m.by));
        }
        Some(by)
    }

    fn is_worth_it(&self, by: &BTreeSet<usize>) -> bool {
        let all: Option<u64> = self
            .around
            .iter()
            .try_fold(1u64, |all, one| Some(all.saturating_mul((*one)?.count)));
        all.is_some_and(|all| self.size(by).saturating_mul(LEAST_GAIN) <= all)
    }

    /// Iterations of some loops together.
    fn size(&self, by: &BTreeSet<usize>) -> u64 {
        let counts = by.iter().map(|&number| self.loops[number].count);
        counts.fold(1, u64::saturating_mul)
    }

    /// What moves: what is used by something that does not.
    fn roots(&self, nest: &Op) -> Vec<ValueId> {
        let moves = |value: &ValueId| {
            let found = self.movable.get(value);
            found.is_some_and(|one| one.is_worth_it)
        };
        let mut used = BTreeSet::new();
        let mut look = |op: &Op| {
            if !op.results.first().is_some_and(moves) {
                used.extend(op.kind.operands());
            }
            for block in op.kind.blocks() {
                used.extend(&block.yields);
            }
        };
        look(nest);
        for block in nest.kind.blocks() {
            block.for_each_op(&mut look);
        }
        let is_root = |value: &ValueId| moves(value) && self.movable[value].is_costly;
        used.into_iter().filter(is_root).collect()
    }

    /// Loops whose iterations the elements of a value's array belong to.
    fn loops(&self, root: ValueId) -> Vec<Around> {
        let by = &self.movable[&root].by;
        by.iter().map(|&number| self.loops[number]).collect()
    }

    fn array(&self, kernel: &mut Kernel, root: ValueId, most_bits: &mut u64) -> Option<ArrayId> {
        let shape: Vec<u64> = self.loops(root).iter().map(|one| one.count).collect();
        let Value { ty, name } = kernel.values[root].clone();
        let bits = shape
            .iter()
            .copied()
            .fold(u64::from(ty.width()), u64::saturating_mul);
        *most_bits = most_bits.checked_sub(bits)?;
        let name = format!("{}_of_all", name.as_deref().unwrap_or("factor"));
        Some(local_copy::declare(
            kernel,
            &name,
            ty,
            shape,
            self.movable[&root].op.span,
        ))
    }

    /// A nest that stores all that a value is; `None` if that is too much code.
    fn fill(
        &self,
        kernel: &mut Kernel,
        root: ValueId,
        array: ArrayId,
        span: Span,
    ) -> Option<Vec<Op>> {
        let loops = self.loops(root);
        let extents: Vec<u64> = loops.iter().map(|one| one.count).collect();
        let code = Block {
            ops: self.slice(root),
            yields: vec![root],
        };
        let label = kernel.arrays[array].name.clone();
        let mut is_whole = false;
        let ops = local_copy::nest(kernel, &extents, &[], &label, span, |build, counters| {
            let mut budget = MAX_OPS;
            let mut copier = Copier::within(build.kernel, &mut budget);
            for (one, &counter) in loops.iter().zip(counters) {
                copier.rename(one.iv, counter);
            }
            if let Some(copy) = copier.block(&code) {
                build.out.extend(copy.ops);
                build.store(array, counters.to_vec(), copy.yields[0]);
                is_whole = true;
            }
        });
        is_whole.then_some(ops)
    }

    /// The operations that a value takes, in order.
    fn slice(&self, root: ValueId) -> Vec<Op> {
        let mut needed = BTreeSet::new();
        let mut open = vec![root];
        while let Some(value) = open.pop() {
            if let Some(movable) = self.movable.get(&value)
                && needed.insert(value)
            {
                open.extend(movable.op.kind.operands());
            }
        }
        let in_order = self.order.iter().filter(|value| needed.contains(value));
        in_order
            .map(|value| self.movable[value].op.clone())
            .collect()
    }

    /// Has the nest load the value.
    fn replace(&self, nest: &mut Op, root: ValueId, array: ArrayId) {
        let indices: Vec<ValueId> = self.loops(root).iter().map(|one| one.iv).collect();
        for block in nest.kind.blocks_mut() {
            block.for_each_op_mut(&mut |op| {
                if op.results == [root] {
                    op.kind = OpKind::load(array, indices.clone());
                }
            });
        }
    }
}
