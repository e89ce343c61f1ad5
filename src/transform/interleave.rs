//! Interleaved reductions: while one sum waits for its addition, others advance.
//!
//! In `for j: for k: s = s + f(j, k)` each addition waits for the one before it. If the iterations of `j` do not depend on one another,
//! strips of them run together, `for jj: for k: for j in strip`, with a running value for each `j` of the strip in a small memory: a sum is
//! touched once in as many cycles as the strip is long, and the order of the additions to each stays as it is. (Strip
//! mining, loop interchange and scalar expansion: Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001,
//! sections 5.3 and 6.5.) Where the number of iterations of `j` is no multiple of a strip, or is known only when the loop
//! begins, as in a triangular nest, what is beyond the last one does nothing. Where that of `k` is known only then, there may be none:
//! what comes before the loop over `k` and what comes after it are loops over the strip of their own.
//!
//! So it is with recurrences that go through arrays, or whose values are stored one by one, if each iteration of `j` has a part of its
//! own of all arrays that are written, as each row of a filter has.

use super::{narrow, promote};
use crate::diagnostics::Span;
use crate::ir::analysis::own::is_own;
use crate::ir::analysis::touch::{self, Touched};
use crate::ir::analysis::{Values, Varying};
use crate::ir::copy::Copier;
use crate::ir::rewrite::{Rewriter, rewrite};
use crate::ir::*;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Longest strip: running values of one name.
const LONGEST: i128 = 64;

/// A strip that covers the latency of most sums where it is not known, and more than needs be where it is.
const AMPLE: i128 = 16;

/// Shortest strip that is worth it.
const SHORTEST: i128 = 3;

/// Strip of a loop that may have any number of iterations: what is beyond its last one takes cycles for nothing.
const SHORT: i128 = 8;

/// Rewrites every pair of nested loops of which the inner one carries values through slow operations.
pub fn run(kernel: &mut Kernel) {
    let values = Values::of(kernel);
    let body = std::mem::take(&mut kernel.body);
    let mut pass = Interleave {
        kernel,
        values,
        changed: false,
    };
    let body = rewrite(body, &mut pass);
    let changed = pass.changed;
    kernel.body = body;
    if changed {
        // Elements that do not move with the loop that is innermost now.
        promote::run(kernel);
    }
}

struct Interleave<'k> {
    /// Without its body.
    kernel: &'k mut Kernel,
    values: Values,
    changed: bool,
}

/// A loop with constant bounds.
#[derive(Clone, Copy)]
struct Bounds {
    lo: i128,
    step: i128,
    trip: i128,
}

impl Bounds {
    fn last(&self) -> i128 {
        self.lo + self.step * (self.trip - 1)
    }
}

/// How many iterations of so many run together: all of them, or a part of which they are a multiple, preferably a power of
/// two, for the sake of addresses; or one of which the last is filled up with the least that do nothing. If they should be long, the
/// longest. `ample` of them cover what they wait for.
fn strip_of(trip: i128, is_long: bool, ample: i128) -> Option<i128> {
    if trip <= LONGEST {
        return (trip >= SHORTEST).then_some(trip);
    }
    let fits = |strip: &i128| trip % strip == 0;
    if is_long {
        let longest = (AMPLE..=LONGEST).rev().find(fits);
        return longest.or(Some(LONGEST));
    }
    let powers = [AMPLE, 2 * AMPLE, 4 * AMPLE].into_iter().find(fits);
    let covering = || (ample..=LONGEST).find(fits);
    let scarce = || (SHORT..ample).rev().find(fits);
    let filled = || (ample..=LONGEST).min_by_key(|strip| strip - trip % strip);
    powers.or_else(covering).or_else(scarce).or_else(filled)
}

/// A strip of the outer loop.
struct Strip {
    /// The counter in its first iteration.
    base: ValueId,
    /// Of its iterations.
    range: [ValueId; 3],
    /// By how much the counter grows, if not by one.
    by: Option<ValueId>,
    strips: Strips,
}

/// The outer loop in strips.
#[derive(Clone, Copy)]
struct Strips {
    /// Iterations that run together.
    strip: i128,
    /// Of the counter.
    step: i128,
    /// There is one, of as many iterations as the loop has.
    is_whole: bool,
    /// The last one may have fewer iterations.
    is_filled_up: bool,
}

/// The parts of `for j { before; for k { body }; after }`.
struct Nest {
    outer: For,
    outer_op: (Vec<ValueId>, Span),
    before: Vec<Op>,
    inner: For,
    inner_op: (Vec<ValueId>, Span),
    after: Vec<Op>,
}

impl Nest {
    /// What makes a value in the inner loop; that loop, if nothing in it does.
    fn made(&self, value: ValueId) -> Span {
        let mut ops = self.inner.body.ops.iter();
        let op = ops.find(|op| op.results.contains(&value));
        op.map_or(self.inner_op.1, |op| op.span)
    }
}

/// How a nest is interleaved.
struct Plan {
    strips: Strips,
    /// Bounds of the inner loop, if they are constant.
    inner: Option<Bounds>,
    /// What computes them otherwise, by place before it in the outer loop.
    early: BTreeSet<usize>,
    /// Something before the inner loop is done once, in the beginning.
    is_once: bool,
    /// Arrays that are written, if not only after the inner loop.
    written: BTreeSet<ArrayId>,
}

impl Rewriter for Interleave<'_> {
    fn leave(&mut self, op: Op, out: &mut Vec<Op>) {
        match self.plan(&op) {
            Some(plan) => {
                let nest = take_apart(op, &plan.early, out);
                self.interleave(nest, &plan, out);
                self.changed = true;
            }
            None => out.push(op),
        }
    }
}

impl Interleave<'_> {
    // Finding ----------------------------------------------------------------------------------------

    /// How a nest that can and should be interleaved is.
    fn plan(&self, op: &Op) -> Option<Plan> {
        let OpKind::For(outer) = &op.kind else {
            return None;
        };
        let position = inner_loop(&outer.body)?;
        let OpKind::For(inner) = &outer.body.ops[position].kind else {
            return None;
        };
        if outer.tags.is_in_turn() || inner.tags.is_in_turn() {
            return None;
        }
        let (before, after) = (&outer.body.ops[..position], &outer.body.ops[position + 1..]);
        let inside = &inner.body.ops;
        let stores = before.iter().chain(inside).any(writes);
        let legal = outer.carried.is_empty()
            && match stores {
                false => {
                    !after.iter().any(writes_whole)
                        && self.is_slow(inner, &BTreeSet::new())
                        && self.are_independent(outer, before, inner, after)
                }
                true => self.are_apart(outer, before, inner, after),
            };
        let ample = self.ample(inner);
        let strips = self.strips(outer, stores, ample).filter(|_| legal)?;
        let written = match stores {
            true => Touched::by(op).written,
            false => BTreeSet::new(),
        };
        let mut plan = Plan {
            strips,
            inner: self.bounds(inner),
            early: BTreeSet::new(),
            is_once: !once(before, &written).is_empty() || before.iter().any(writes),
            written,
        };
        match &plan.inner {
            Some(bounds) => (bounds.trip > 1).then_some(plan),
            None => {
                for bound in [inner.lo, inner.hi, inner.step] {
                    plan.early.extend(narrow::early(outer, bound)?);
                }
                Some(plan)
            }
        }
    }

    /// Whether iterations of the outer loop have elements of their own of all arrays that are written, and what the inner loop hands to its
    /// next iteration is slow.
    fn are_apart(&self, outer: &For, before: &[Op], inner: &For, after: &[Op]) -> bool {
        let touched = Touched::by_block(&outer.body);
        let own = |array: &ArrayId| is_own(&self.values, outer, *array);
        let once = once(before, &touched.written);
        let inside = Touched::by_block(&inner.body);
        // Those through which an iteration may hand something to the next one.
        let through = inside.written.intersection(&inside.read).copied();
        let through = through
            .filter(|&array| !self.is_in_place(inner, array))
            .collect();
        let uses = |ops: &[Op]| ops.iter().any(|op| uses(op, &once));
        self.is_slow(inner, &through)
            && touched.written.iter().all(own)
            && !uses(&inner.body.ops)
            && !inner.body.yields.iter().any(|value| once.contains(value))
            && !uses(after)
    }

    /// Whether each iteration of a loop accesses one element of an array, which no other one does.
    fn is_in_place(&self, f: &For, array: ArrayId) -> bool {
        let mut elements = Vec::new();
        let inside = &f.body.ops;
        for stores in [false, true] {
            inside
                .iter()
                .for_each(|op| accesses(op, stores, &mut elements));
        }
        elements.retain(|element| element.0 == array);
        let first = elements.first().map(|element| &element.1);
        let is_one = |first: &Vec<ValueId>| {
            let mut others = elements.iter();
            others.all(|other| self.values.same_element(first, &other.1))
        };
        first.is_some_and(is_one) && is_own(&self.values, f, array)
    }

    fn strips(&self, f: &For, stores: bool, ample: i128) -> Option<Strips> {
        if let Some(bounds) = self.bounds(f) {
            let strip = strip_of(bounds.trip, stores, ample)?;
            return Some(Strips {
                strip,
                step: bounds.step,
                is_whole: strip == bounds.trip,
                is_filled_up: bounds.trip % strip != 0,
            });
        }
        let step = i128::from(self.values.constant(f.step).and_then(BigInt::to_i64)?);
        let runs = if f.descending { step < 0 } else { step > 0 };
        // Counters beyond the last one.
        let farthest = step.checked_mul(SHORT)?;
        (runs && self.values.can_move(f.hi, farthest)).then_some(Strips {
            strip: SHORT,
            step,
            is_whole: false,
            is_filled_up: true,
        })
    }

    fn bounds(&self, f: &For) -> Option<Bounds> {
        let constant = |v: ValueId| self.values.constant(v).and_then(BigInt::to_i64);
        let [lo, hi, step] = [f.lo, f.hi, f.step].map(constant);
        let (lo, hi, step) = (i128::from(lo?), i128::from(hi?), i128::from(step?));
        let runs = if f.descending { step < 0 } else { step > 0 };
        let span = (hi - lo) * step.signum();
        let trip = (span + step.abs() - 1).div_euclid(step.abs().max(1));
        (runs && trip > 0).then_some(Bounds { lo, step, trip })
    }

    /// Iterations that cover what one of this loop waits for: sums one after the other of what it carries, a further one, since
    /// products and what makes room for routes take longer, and the memory of running values around them.
    fn ample(&self, f: &For) -> i128 {
        let cycles = self.kernel.sum_cycles.zip(self.sums_in_series(f));
        let cycles = cycles.map(|(sum, count)| i128::from(sum) * i128::from(count + 1) + 2);
        cycles.map_or(AMPLE, |cycles| cycles.clamp(SHORT, AMPLE))
    }

    /// Sums and products of floats, one after the other, that a loop's carried values go through; `None` if there is something else
    /// that takes longer than a cycle, or may not always be done.
    fn sums_in_series(&self, f: &For) -> Option<u32> {
        let mut before: HashMap<ValueId, u32> = f.carried.iter().map(|&v| (v, 0)).collect();
        let mut most = 0;
        for op in &f.body.ops {
            if !op.kind.blocks().is_empty() {
                return None;
            }
            let operands = op.kind.operands();
            let Some(mut count) = operands.iter().filter_map(|v| before.get(v)).max().copied()
            else {
                continue;
            };
            let is_slow = |&result: &ValueId| self.is_slow_operation(&op.kind, result);
            if op.results.iter().any(is_slow) {
                use BinaryOp::{Add, Mul, Sub};
                let OpKind::Binary {
                    op: Add | Sub | Mul,
                    ..
                } = op.kind
                else {
                    return None;
                };
                count += 1;
            }
            most = most.max(count);
            before.extend(op.results.iter().map(|&result| (result, count)));
        }
        Some(most)
    }

    /// Whether what a loop carries, itself or through arrays, goes through an operation that takes longer than a cycle.
    fn is_slow(&self, f: &For, through: &BTreeSet<ArrayId>) -> bool {
        let mut carried: HashSet<ValueId> = f.carried.iter().copied().collect();
        let mut slow = false;
        f.body.for_each_op(&mut |op| {
            let operands = op.kind.operands();
            if let OpKind::Load { at, .. } = &op.kind
                && through.contains(&at.array)
            {
                carried.extend(&op.results);
            }
            let inner = op.kind.blocks();
            let yields = inner.iter().flat_map(|b| &b.yields);
            if operands.iter().chain(yields).any(|v| carried.contains(v)) {
                carried.extend(&op.results);
                slow |= op
                    .results
                    .iter()
                    .any(|&r| self.is_slow_operation(&op.kind, r));
            }
        });
        slow
    }

    fn is_slow_operation(&self, kind: &OpKind, result: ValueId) -> bool {
        let arithmetic = matches!(
            kind,
            OpKind::Unary { .. }
                | OpKind::Binary { .. }
                | OpKind::Fma { .. }
                | OpKind::Cast { .. }
                | OpKind::Convert { .. }
        );
        match kind {
            OpKind::Binary { op, .. }
                if !matches!(self.kernel.values[result].ty, Scalar::Float(_)) =>
            {
                use BinaryOp::*;
                matches!(op, Mul | Div | FloorDiv | Mod | Pow)
            }
            _ => arithmetic && matches!(self.kernel.values[result].ty, Scalar::Float(_)),
        }
    }

    /// Whether no iteration of the outer loop loads, before its inner loop or in it, what an earlier one stores after
    /// its own.
    fn are_independent(&self, outer: &For, before: &[Op], inner: &For, after: &[Op]) -> bool {
        let Some(step) = self.values.constant(outer.step).and_then(BigInt::to_i64) else {
            return false;
        };
        let varying = self.values.varying(outer);
        let mut fixed = vec![outer.lo, outer.hi, inner.lo, inner.hi];
        fixed.retain(|&end| varying.is_fixed(end));
        let around = self.values.of_loop(outer);
        // They say nothing of an iteration in which the inner loop has none.
        let inside = [around.clone(), self.values.of_loop(inner)].concat();
        let mut stores = Vec::new();
        after.iter().for_each(|op| accesses(op, true, &mut stores));
        let parts = [(before, &around), (&inner.body.ops[..], &inside)];
        parts.into_iter().all(|(ops, facts)| {
            let mut loads = Vec::new();
            ops.iter().for_each(|op| accesses(op, false, &mut loads));
            loads.iter().all(|(array, loaded)| {
                let conflicting = stores.iter().filter(|store| store.0 == *array);
                conflicting.into_iter().all(|(_, stored)| {
                    let mut pairs = stored.iter().zip(loaded);
                    let is_apart =
                        |(&a, &b)| self.values.are_apart((a, &around), (b, facts), &fixed);
                    self.never_later(outer, step.into(), &varying, stored, loaded)
                        || pairs.any(is_apart)
                })
            })
        })
    }

    /// Whether an element that one iteration stores is certainly not loaded by a later one: in some dimension the two
    /// subscripts are the same multiple of the counter and differ by no multiple of a later iteration's distance.
    fn never_later(
        &self,
        outer: &For,
        step: i128,
        varying: &Varying,
        stored: &[ValueId],
        loaded: &[ValueId],
    ) -> bool {
        stored.iter().zip(loaded).any(|(&stored, &loaded)| {
            let (stored, loaded) = (self.values.affine(stored), self.values.affine(loaded));
            let mut others = stored.terms.iter().filter(|term| term.0 != outer.iv);
            if stored.terms != loaded.terms || !others.all(|term| varying.is_fixed(term.0)) {
                return false;
            }
            let Some(ahead) = stored.constant.checked_sub(loaded.constant) else {
                return false;
            };
            let own = stored.terms.iter().find(|term| term.0 == outer.iv);
            let Some(by) = own.map_or(Some(0), |term| term.1.checked_mul(step)) else {
                return false;
            };
            match (ahead.checked_rem(by), ahead.checked_div(by)) {
                // Never the same element, or one that is loaded in an iteration before.
                (Some(rest), Some(iterations)) => rest != 0 || iterations <= 0,
                _ => by == 0 && ahead != 0,
            }
        })
    }

    // Rewriting --------------------------------------------------------------------------------------

    /// Appends the interleaved nest, and before it its constants.
    fn interleave(&mut self, mut nest: Nest, plan: &Plan, out: &mut Vec<Op>) {
        let strips = plan.strips;
        let span = nest.outer_op.1;
        let mut build = self.kernel.build(out, span);
        let base = match strips.is_whole {
            true => nest.outer.lo,
            false => build.kernel.value(Scalar::Index, None),
        };
        let strip = Strip {
            base,
            range: [build.index(0), build.index(strips.strip), build.index(1)],
            by: (strips.step != 1).then(|| build.index(strips.step)),
            strips,
        };
        let label = format!("{}_strips", nest.outer.label);
        let (lo, hi, descending) = (nest.outer.lo, nest.outer.hi, nest.outer.descending);
        if let Some(inner) = plan.inner {
            // They may have been computed before it.
            let mut build = self.kernel.build(out, span);
            nest.inner.lo = build.index(inner.lo);
            nest.inner.hi = build.index(inner.last() + inner.step.signum());
            nest.inner.step = build.index(inner.step);
        }
        let ops = match plan.inner {
            Some(inner) if !plan.is_once => {
                let last = self.kernel.build(out, span).index(inner.last());
                self.in_one(nest, &strip, last)
            }
            _ => self.in_three(nest, &strip, &plan.written),
        };
        if strips.is_whole {
            return out.extend(ops);
        }
        let stride = self
            .kernel
            .build(out, span)
            .index(strips.step * strips.strip);
        let mut strips = For::counted(base, [lo, hi, stride], &label, ops);
        strips.descending = descending;
        out.push(operation(strips, span));
    }

    /// The loops of a strip as one nest, of which the first iterations of the inner loop begin sums and the last ones end them.
    fn in_one(&mut self, nest: Nest, strip: &Strip, last: ValueId) -> Vec<Op> {
        let ends = [nest.inner.lo, last];
        let turns = self.over(&nest, strip, |pass, within, turn| {
            pass.turn(&nest, within, strip.strips.strip, ends, turn);
        });
        vec![sum(nest.inner, nest.inner_op.1, turns)]
    }

    /// The loops of a strip as three: one that begins sums, one that adds to them, and one that ends them.
    fn in_three(&mut self, nest: Nest, strip: &Strip, written: &BTreeSet<ArrayId>) -> Vec<Op> {
        let (span, length) = (nest.inner_op.1, strip.strips.strip);
        let once = once(&nest.before, written);
        let is_once = |op: &&Op| writes(op) || op.results.iter().any(|v| once.contains(v));
        let again: Vec<Op> = nest
            .before
            .iter()
            .filter(|op| !is_once(op))
            .cloned()
            .collect();
        let carried: Vec<ValueId> = nest.inner.carried.clone();
        let arrays: Vec<ArrayId> = carried.iter().map(|&v| self.running(v, length)).collect();
        let store = |pass: &mut Self, within: ValueId, values: &[ValueId], ops: &mut Vec<Op>| {
            for (&array, &value) in arrays.iter().zip(values) {
                let mut build = pass.kernel.build(ops, span);
                build.store(array, vec![within], value);
            }
        };
        let load = |pass: &mut Self, within: ValueId, values: &[ValueId], ops: &mut Vec<Op>| {
            for (&array, &value) in arrays.iter().zip(values) {
                let mut build = pass.kernel.build(ops, span);
                build.define(OpKind::load(array, vec![within]), vec![value]);
            }
        };
        let begins = self.over(&nest, strip, |pass, within, ops| {
            ops.extend(nest.before.iter().cloned());
            store(pass, within, &nest.inner.inits, ops);
        });
        let adds = self.over(&nest, strip, |pass, within, ops| {
            ops.extend(again.iter().cloned());
            load(pass, within, &carried, ops);
            ops.extend(nest.inner.body.ops.iter().cloned());
            store(pass, within, &nest.inner.body.yields, ops);
        });
        let ends = self.over(&nest, strip, |pass, within, ops| {
            ops.extend(again.iter().cloned());
            load(pass, within, &nest.inner_op.0, ops);
            ops.extend(nest.after.iter().cloned());
        });
        let [begins, ends] = [begins, ends].map(|ops| self.copied(ops));
        let ends = if nest.after.is_empty() {
            Vec::new()
        } else {
            ends
        };
        [begins, vec![sum(nest.inner, span, adds)], ends].concat()
    }

    /// The same operations with values of their own.
    fn copied(&mut self, op: Op) -> Vec<Op> {
        let mut budget = usize::MAX;
        let block = Block {
            ops: vec![op],
            yields: Vec::new(),
        };
        let copied = Copier::within(self.kernel, &mut budget).block(&block);
        copied.expect("there is no limit").ops
    }

    /// The loop over a strip, of which `turn` makes an iteration, given which one it is; beyond the last one of the outer loop nothing
    /// is done.
    fn over(
        &mut self,
        nest: &Nest,
        strip: &Strip,
        turn: impl FnOnce(&mut Self, ValueId, &mut Vec<Op>),
    ) -> Op {
        let span = nest.outer_op.1;
        let outer = &nest.outer;
        // The iteration of the outer loop is `base + step * within`.
        let within = self.kernel.value(Scalar::Index, None);
        let mut body = Vec::new();
        let mut build = self.kernel.build(&mut body, span);
        let rhs = match strip.by {
            None => within,
            Some(by) => build.binary(BinaryOp::Mul, within, by),
        };
        let sum = OpKind::Binary {
            op: BinaryOp::Add,
            lhs: strip.base,
            rhs,
        };
        build.define(sum, vec![outer.iv]);
        if strip.strips.is_filled_up {
            let is_within = match outer.descending {
                false => CompareOp::Lt,
                true => CompareOp::Gt,
            };
            let is_within = build.compare(is_within, outer.iv, outer.hi);
            let mut ops = Vec::new();
            turn(self, within, &mut ops);
            // The first one of a strip is one of the loop's.
            let moving = nest.inner.carried.iter().chain([&outer.iv, &within]);
            let (same, ops) = same(ops, moving.copied().collect());
            body.extend(same);
            let then = Block {
                ops,
                yields: Vec::new(),
            };
            let mut build = self.kernel.build(&mut body, span);
            build.branch(is_within, then, Block::default());
        } else {
            turn(self, within, &mut body);
        }
        operation(For::counted(within, strip.range, &outer.label, body), span)
    }

    /// One iteration of both loops: the running values come from their memories, or from before the inner loop.
    fn turn(
        &mut self,
        nest: &Nest,
        within: ValueId,
        strip: i128,
        [first, last]: [ValueId; 2],
        body: &mut Vec<Op>,
    ) {
        let span = nest.inner_op.1;
        let k = nest.inner.iv;
        body.extend(nest.before.iter().cloned());
        let is_first = self
            .kernel
            .build(body, span)
            .compare(CompareOp::Eq, k, first);
        let mut running = Vec::new();
        let carried = nest.inner.carried.iter().zip(&nest.inner.inits);
        for ((&param, &init), &next) in carried.zip(&nest.inner.body.yields) {
            let array = self.running(param, strip);
            let span = nest.made(next);
            let mut build = self.kernel.build(body, span);
            let kept = build.load(array, vec![within]);
            let current = OpKind::Select {
                cond: is_first,
                on_true: init,
                on_false: kept,
            };
            build.define(current, vec![param]);
            running.push(array);
        }
        body.extend(nest.inner.body.ops.iter().cloned());
        for (&array, &value) in running.iter().zip(&nest.inner.body.yields) {
            let mut build = self.kernel.build(body, nest.made(value));
            build.store(array, vec![within], value);
        }
        if nest.after.is_empty() {
            return;
        }
        let mut build = self.kernel.build(body, span);
        let is_last = build.compare(CompareOp::Eq, k, last);
        let mut then = Block {
            ops: nest.after.clone(),
            yields: Vec::new(),
        };
        let yields = &nest.inner.body.yields;
        let results = nest.inner_op.0.iter().copied().zip(yields.iter().copied());
        let results: HashMap<ValueId, ValueId> = results.collect();
        then.for_each_use(&mut |v| *v = *results.get(v).unwrap_or(v));
        build.branch(is_last, then, Block::default());
    }

    /// A memory for what the iterations of a strip carry.
    fn running(&mut self, param: ValueId, strip: i128) -> ArrayId {
        let Value { ty, name } = self.kernel.values[param].clone();
        let name = name.unwrap_or_else(|| "carried".into());
        self.kernel.arrays.push(Array {
            name: format!("{name}_running"),
            elem: ty,
            shape: vec![strip.unsigned_abs() as u64],
            kind: ArrayKind::Local,
            partition: Vec::new(),
            tags: ArrayTags::default(),
            stream: None,
            span: self.kernel.span,
        })
    }
}

/// The loop that adds up, around that over a strip.
fn sum(mut inner: For, span: Span, turns: Op) -> Op {
    inner.inits.clear();
    inner.carried.clear();
    inner.body = Block {
        ops: vec![turns],
        yields: Vec::new(),
    };
    operation(inner, span)
}

fn operation(f: For, span: Span) -> Op {
    Op {
        kind: OpKind::For(Box::new(f)),
        results: Vec::new(),
        span,
    }
}

/// Takes apart a nest that has an inner loop, of which the early operations go to `out`.
fn take_apart(op: Op, early: &BTreeSet<usize>, out: &mut Vec<Op>) -> Nest {
    let OpKind::For(mut outer) = op.kind else {
        unreachable!("only counted loops are planned")
    };
    let position = inner_loop(&outer.body).expect("a planned loop has an inner one");
    let mut before = std::mem::take(&mut outer.body.ops);
    let after = before.split_off(position + 1);
    let inner = before.pop().expect("the inner loop is at this position");
    let places = std::mem::take(&mut before).into_iter().enumerate();
    for (place, op) in places {
        let to = if early.contains(&place) {
            &mut *out
        } else {
            &mut before
        };
        to.push(op);
    }
    let OpKind::For(f) = inner.kind else {
        unreachable!("the inner loop of a plan is a counted one")
    };
    Nest {
        outer: *outer,
        outer_op: (op.results, op.span),
        before,
        inner: *f,
        inner_op: (inner.results, inner.span),
        after,
    }
}

/// The place of the only loop of a block, if nothing in that loop is one.
fn inner_loop(block: &Block) -> Option<usize> {
    let mut loops = (0..block.ops.len()).filter(|&i| block.ops[i].contains_loop());
    let (Some(position), None) = (loops.next(), loops.next()) else {
        return None;
    };
    let inner = block.ops[position].kind.blocks();
    let innermost = inner.iter().all(|b| !b.ops.iter().any(Op::contains_loop));
    innermost.then_some(position)
}

/// Operations without blocks that depend on none of these values, which grow by what does, and that load nothing which was stored
/// before them; and the others.
fn same(ops: Vec<Op>, mut moving: HashSet<ValueId>) -> (Vec<Op>, Vec<Op>) {
    let mut written = BTreeSet::new();
    ops.into_iter().partition(|op| {
        let touched = Touched::by(op);
        let is_same = op.kind.blocks().is_empty()
            && !op.results.is_empty()
            && touched.read.is_disjoint(&written)
            && !op.kind.operands().iter().any(|v| moving.contains(v));
        if !is_same {
            moving.extend(&op.results);
            written.extend(touched.written);
        }
        is_same
    })
}

/// Values before the inner loop that cannot be computed again: of what is loaded of arrays that are written, of what also stores, and
/// of what depends on these.
fn once(before: &[Op], written: &BTreeSet<ArrayId>) -> HashSet<ValueId> {
    let mut found = HashSet::new();
    for op in before {
        let reads = Touched::by(op).read;
        if writes(op) || !reads.is_disjoint(written) || uses(op, &found) {
            found.extend(&op.results);
        }
    }
    found
}

/// Whether an operation, or one inside of it, uses one of these values.
fn uses(op: &Op, values: &HashSet<ValueId>) -> bool {
    op.kind
        .operands()
        .iter()
        .any(|value| values.contains(value))
        || op.kind.blocks().iter().any(|block| {
            block.ops.iter().any(|op| uses(op, values))
                || block.yields.iter().any(|value| values.contains(value))
        })
}

fn writes(op: &Op) -> bool {
    !Touched::by(op).written.is_empty()
}

/// Whether something is written that is no single element.
fn writes_whole(op: &Op) -> bool {
    let whole =
        |op: &Op| touch::element(&op.kind).is_none() && !touch::arrays(&op.kind).1.is_empty();
    let mut found = whole(op);
    for block in op.kind.blocks() {
        block.for_each_op(&mut |op| found |= whole(op));
    }
    found
}

/// Notes the elements that an operation loads, or those that it stores.
fn accesses(op: &Op, stores: bool, found: &mut Vec<(ArrayId, Vec<ValueId>)>) {
    let mut note = |op: &Op| {
        if let Some(at) = touch::element(&op.kind)
            && matches!(op.kind, OpKind::Store { .. }) == stores
        {
            found.push((at.array, at.indices.clone()));
        }
    };
    note(op);
    for inner in op.kind.blocks() {
        inner.for_each_op(&mut note);
    }
}
