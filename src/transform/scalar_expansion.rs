//! Loop distribution between the loops inside of a loop: what comes after a sum becomes a nest of its own, and the sums of all
//! iterations an array (scalar expansion: Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001, section
//! 5.3).
//!
//! The sums of different iterations may then take turns (`interleave`). Legal where neither part writes an array that the
//! other one touches, or where iterations have elements of their own.

use super::inline::MAX_OPS;
use super::{invariants, reuse};
use crate::ir::analysis::Values;
use crate::ir::analysis::own::is_own;
use crate::ir::analysis::touch::{self, Touched};
use crate::ir::copy::Copier;
use crate::ir::rewrite::{Rewriter, rewrite};
use crate::ir::*;
use num_traits::{One, Signed, ToPrimitive};
use std::collections::HashSet;

/// Longest array that takes the values of a loop's iterations.
const LONGEST: u64 = 4096;

/// Most values for which there are such arrays.
const MOST: usize = 16;

/// Cuts every loop that has a loop behind one that yields values.
pub fn run(kernel: &mut Kernel) {
    let cut = Cut::BeforeLoops;
    let is_candidate =
        |op: &Op| matches!(&op.kind, OpKind::For(f) if cut.position(&f.body.ops, kernel).is_some());
    if !kernel.body.any_op(&is_candidate) {
        return;
    }
    let mut tried = kernel.clone();
    // Elements that parts only seem to hand to one another.
    reuse::run(&mut tried);
    if cut_all(&mut tried, cut) {
        *kernel = tried;
    }
}

/// Cuts every loop that has loops inside between them, and between them and operators: these then take none of their own in
/// a pipeline with them.
pub fn run_wide(kernel: &mut Kernel) {
    cut_all(kernel, Cut::AroundLoops);
}

/// Where a loop is cut.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// Behind a loop that yields values or reads what it writes, if there is another one.
    BeforeLoops,
    /// Before and behind a loop, if there is another one or there are operators.
    AroundLoops,
}

impl Cut {
    /// Before which operation first.
    fn position(self, ops: &[Op], kernel: &Kernel) -> Option<usize> {
        let is_loop = |op: &Op| matches!(op.kind, OpKind::For(_));
        let first = ops.iter().position(is_loop);
        match self {
            Cut::BeforeLoops => {
                let comes_back = |op: &Op| {
                    let touched = Touched::by(op);
                    !touched.read.is_disjoint(&touched.written)
                };
                let is_sum = |op: &Op| is_loop(op) && (!op.results.is_empty() || comes_back(op));
                let at = ops.iter().position(is_sum)? + 1;
                ops[at..].iter().any(is_loop).then_some(at)
            }
            Cut::AroundLoops => {
                let (before, from) = ops.split_at(first?);
                let is_worth_it = |op: &Op| is_loop(op) || invariants::is_costly(op, kernel);
                match before.iter().any(is_worth_it) {
                    true => first,
                    false => from[1..]
                        .iter()
                        .any(is_worth_it)
                        .then_some(before.len() + 1),
                }
            }
        }
    }
}

/// Whether there is a loop to cut.
fn cut_all(kernel: &mut Kernel, cut: Cut) -> bool {
    let values = Values::of(kernel);
    let body = std::mem::take(&mut kernel.body);
    let mut pass = Expansion {
        kernel: &mut *kernel,
        values,
        budget: MAX_OPS,
        cut,
        changed: false,
    };
    let body = rewrite(body, &mut pass);
    let changed = pass.changed;
    kernel.body = body;
    changed
}

struct Expansion<'k> {
    /// Without its body.
    kernel: &'k mut Kernel,
    values: Values,
    /// Operations that may still be made.
    budget: usize,
    /// Where loops are cut.
    cut: Cut,
    changed: bool,
}

impl Rewriter for Expansion<'_> {
    fn leave(&mut self, mut op: Op, out: &mut Vec<Op>) {
        let span = op.span;
        while let OpKind::For(f) = &mut op.kind
            && let Some((at, size)) = self.place(f)
            && let Some(first) = self.cut(f, at, size)
        {
            self.changed = true;
            out.push(Op {
                kind: OpKind::For(Box::new(first)),
                results: vec![],
                span,
            });
            if self.cut == Cut::BeforeLoops {
                break;
            }
        }
        out.push(op);
    }
}

impl Expansion<'_> {
    /// Where the second part of a loop begins, and how long an array by its counter is.
    fn place(&self, f: &For) -> Option<(usize, u64)> {
        let at = self.cut.position(&f.body.ops, self.kernel)?;
        let (first, second) = f.body.ops.split_at(at);
        let step = self.values.constant(f.step)?;
        // An element for each value of the counter.
        let size = self.values.range(f.iv).and_then(|(low, high)| {
            let size = high.checked_add(1)?.to_u64()?;
            (low >= 0 && (2..=LONGEST).contains(&size)).then_some(size)
        });
        let (one, other) = (Touched::by_all(first), Touched::by_all(second));
        let apart = |one: &Touched, other: &Touched| {
            let mut written = one.written.iter();
            written.all(|array| !other.contains(*array) || is_own(&self.values, f, *array))
        };
        let is_legal = f.carried.is_empty() && apart(&one, &other) && apart(&other, &one);
        let counts = step.abs().is_one();
        size.filter(|_| counts && is_legal).map(|size| (at, size))
    }

    /// Makes the second part of a loop; gives the first one. `None` if that is too much code or too many arrays.
    fn cut(&mut self, f: &mut For, at: usize, size: u64) -> Option<For> {
        let mut rest = Block {
            ops: f.body.ops.split_off(at),
            yields: vec![],
        };
        let costly =
            |op: &Op| self.cut == Cut::AroundLoops && invariants::is_costly(op, self.kernel);
        let (both, handed) = shared(&f.body.ops, &mut rest, &costly);
        let iv = self.kernel.like(f.iv);
        let copied = match handed.len() <= MOST {
            true => {
                let mut copier = Copier::within(self.kernel, &mut self.budget);
                copier.rename(f.iv, iv);
                f.body.yields = handed.clone();
                let copied = copier.block(&f.body);
                f.body.yields.clear();
                copied
            }
            false => None,
        };
        let Some(mut body) = copied else {
            f.body.ops.append(&mut rest.ops);
            return None;
        };
        let mut loads = Vec::new();
        for (&value, copy) in handed.iter().zip(std::mem::take(&mut body.yields)) {
            let array = self.array(value, size);
            let span = body.ops.last().map_or(self.kernel.span, |op| op.span);
            let mut build = self.kernel.build(&mut body.ops, span);
            build.store(array, vec![iv], copy);
            let mut build = self.kernel.build(&mut loads, span);
            build.define(OpKind::load(array, vec![f.iv]), vec![value]);
        }
        f.body.ops = loads.into_iter().chain(both).chain(rest.ops).collect();
        Some(For {
            iv,
            inits: vec![],
            carried: vec![],
            body,
            label: f.label.clone(),
            ..*f
        })
    }

    fn array(&mut self, value: ValueId, size: u64) -> ArrayId {
        let Value { ty, name } = self.kernel.values[value].clone();
        let name = name.unwrap_or_else(|| "sum".into());
        self.kernel.arrays.push(Array {
            name: format!("{name}_of_all"),
            elem: ty,
            shape: vec![size],
            kind: ArrayKind::Local,
            partition: Vec::new(),
            tags: ArrayTags::default(),
            stream: None,
            span: self.kernel.span,
        })
    }
}

/// Of the values that the second part of a loop needs of the first one: the operations that both parts do, because they
/// take no time, and the values that an array hands over; what was loaded from an array that changes is one of these.
fn shared(
    first: &[Op],
    second: &mut Block,
    costly: &dyn Fn(&Op) -> bool,
) -> (Vec<Op>, Vec<ValueId>) {
    let mut needed = HashSet::new();
    second.for_each_use(&mut |value| _ = needed.insert(*value));
    let mut written = Touched::by_all(first).written;
    written.extend(Touched::by_block(second).written);
    let mut both = Vec::new();
    let mut handed = Vec::new();
    for op in first.iter().rev() {
        let changes = touch::element(&op.kind).is_some_and(|at| written.contains(&at.array));
        let is_repeated = op.kind.is_pure() && !changes && !costly(op);
        if is_repeated && op.results.iter().any(|value| needed.contains(value)) {
            needed.extend(op.kind.operands());
            both.push(op.clone());
        } else {
            handed.extend(op.results.iter().copied().filter(|v| needed.contains(v)));
        }
    }
    both.reverse();
    (both, handed)
}
