//! Makes nests of counted loops perfect, so that the back end can run each as one pipeline: what stands before an inner
//! loop moves into it, under the condition that the inner counters are at their first values; what stands after it, under
//! the condition that they are at their last (the loop collapsing and guarding of e.g. Allen and Kennedy, Optimizing
//! Compilers for Modern Architectures, 2001, section 5.9).
//!
//! An inner loop's carried value that starts from a constant is set back to it at the end of the inner loop; one that
//! starts from a computed value is chosen at the start. The first keeps the choice out of the recurrence's way to its
//! first operation. A value that an outer loop only passes through needs neither.

use super::convert_branches::Guards;
use crate::diagnostics::Span;
use crate::ir::analysis::Values;
use crate::ir::analysis::touch::{self, Touched};
use crate::ir::analysis::trip::Trip;
use crate::ir::*;
use num_traits::{One, Signed};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Floating-point operators around a loop beyond which they stay there: they are shared with those inside then.
const MOST_OPERATORS: usize = 12;

/// Accesses of a bank around a loop beyond which they stay there: in the pipeline, each iteration would wait for all of them.
const MOST_ACCESSES: u64 = 8;

/// Iterations of a loop from which what is around it seldom runs.
const SELDOM: u64 = 16;

/// Cycles that it takes to begin and to end a loop by itself, about.
const APART: u64 = 16;

/// Flattens every nest whose inner loops run a constant number of times, at least once, where that keeps no iteration of them
/// waiting for a port.
pub fn run(kernel: &mut Kernel) {
    flatten(kernel, false);
}

/// Flattens the others: what is around the inner loop shares ports with it, so that its iterations may begin less often.
pub fn run_where_ports_are_shared(kernel: &mut Kernel) {
    flatten(kernel, true);
}

fn flatten(kernel: &mut Kernel, shares_ports: bool) {
    let values = Values::of(kernel);
    let body = std::mem::take(&mut kernel.body);
    let mut pass = Flatten {
        kernel,
        values,
        shares_ports,
    };
    let body = pass.block(body);
    kernel.body = body;
}

struct Flatten<'k> {
    /// Without its body.
    kernel: &'k mut Kernel,
    values: Values,
    /// Also where what is around a loop shares ports with it.
    shares_ports: bool,
}

/// A loop of a nest, outermost first, without the loop inside.
struct Level {
    f: For,
    span: Span,
    results: Vec<ValueId>,
    /// Before the inner loop; all of the innermost loop.
    before: Vec<Op>,
    /// Constants before the inner loop, for its bounds.
    constants: Vec<Op>,
    after: Vec<Op>,
    /// Of an inner loop: in its first iteration, in its last; `None`: always.
    ends: Ends,
}

/// `u1`s that say that counters are at their first and last values; `None` where they always are.
#[derive(Clone, Copy, Default)]
struct Ends {
    first: Option<ValueId>,
    last: Option<ValueId>,
}

/// A value that the flat loop carries.
struct Register {
    /// Its parameter in the innermost loop.
    param: ValueId,
    /// Its value before the nest.
    init: ValueId,
    /// Its value in the next iteration.
    next: ValueId,
    /// What the outermost loop calls it in the end.
    result: Option<ValueId>,
}

/// Where a carried value starts.
struct Origin {
    level: usize,
    init: ValueId,
    result: Option<ValueId>,
}

/// A carried value of a level.
struct Carried {
    register: usize,
    /// Its value in this iteration.
    current: ValueId,
    /// The level that starts it.
    origin: usize,
    /// The constant that it starts from in each run of an inner loop.
    restart: Option<ValueId>,
}

impl Flatten<'_> {
    fn block(&mut self, block: Block) -> Block {
        let mut out = Vec::new();
        for mut op in block.ops {
            if let Some(depth) = self.depth(&op) {
                if depth > 1 {
                    self.flatten(op, &mut out);
                } else {
                    out.push(op);
                }
                continue;
            }
            for inner in op.kind.blocks_mut() {
                let taken = std::mem::take(inner);
                *inner = self.block(taken);
            }
            out.push(op);
        }
        Block {
            ops: out,
            yields: block.yields,
        }
    }

    // Finding ---------------------------------------------------------------------------------------

    /// How many loops the nest of an operation has, if it is one and can be flattened down to its innermost loop.
    fn depth(&self, op: &Op) -> Option<usize> {
        let OpKind::For(f) = &op.kind else {
            return None;
        };
        let mut loops = f.body.ops.iter().filter(|op| op.contains_loop());
        let is_apart = f.tags.is_in_turn();
        match (loops.next(), loops.next()) {
            (None, _) => Some(1),
            _ if is_apart => None,
            (Some(inner), None) => {
                let OpKind::For(g) = &inner.kind else {
                    return None;
                };
                let runs = self.trip(g).is_some_and(|trip| trip.count.is_positive());
                let moves = f
                    .body
                    .ops
                    .iter()
                    .all(|op| op.contains_loop() || can_move(op));
                (runs && moves && !self.is_costly(f, g))
                    .then(|| self.depth(inner))
                    .flatten()
                    .map(|n| n + 1)
            }
            _ => None,
        }
    }

    /// Whether what is around a loop would keep each iteration waiting for memories, or need many operators of its own in
    /// the pipeline, where it seldom runs.
    fn is_costly(&self, around: &For, inner: &For) -> bool {
        let is_long = self
            .trip(inner)
            .is_some_and(|trip| trip.count >= SELDOM.into());
        let ops = || around.body.ops.iter().filter(|op| !op.contains_loop());
        let waits = || {
            let inside = self.port_cycles(&inner.body.ops).max(1);
            let more = self
                .port_cycles(ops().chain(&inner.body.ops))
                .saturating_sub(inside);
            self.trip(inner)
                .is_some_and(|trip| trip.count * more > APART.into())
        };
        self.is_crowded(ops())
            || !self.shares_ports && waits()
            || waits_twice(ops(), inner)
            || is_long && ops().map(|op| self.operators(op)).sum::<usize>() > MOST_OPERATORS
    }

    /// Whether operations access an array more often than its ports allow within a few cycles.
    fn is_crowded<'a>(&self, ops: impl Iterator<Item = &'a Op>) -> bool {
        let most = |array| {
            self.kernel.arrays[array]
                .banks()
                .saturating_mul(MOST_ACCESSES)
        };
        let mut accesses = touch::accesses(ops).into_iter();
        accesses.any(|(array, n)| n > most(array))
    }

    /// Cycles for which operations keep the ports of some array busy, at least, if all of them run in an iteration.
    fn port_cycles<'a>(&self, ops: impl IntoIterator<Item = &'a Op>) -> u64 {
        let mut counts: BTreeMap<ArrayId, [u64; 2]> = BTreeMap::new();
        let mut count = |op: &Op| {
            if let Some(at) = touch::element(&op.kind) {
                let is_store = matches!(op.kind, OpKind::Store { .. });
                counts.entry(at.array).or_default()[usize::from(is_store)] += 1;
            }
        };
        for op in ops {
            count(op);
            op.kind
                .blocks()
                .iter()
                .for_each(|block| block.for_each_op(&mut count));
        }
        let cycles = counts.into_iter().map(|(array, [loads, stores])| {
            let array = &self.kernel.arrays[array];
            match array.kind {
                // One port of a memory inside writes.
                ArrayKind::Local => {
                    let writes = stores.div_ceil(array.banks());
                    loads.div_ceil(array.most_ports()).max(writes)
                }
                _ => (loads + stores).div_ceil(array.most_ports()),
            }
        });
        cycles.max().unwrap_or(0)
    }

    /// Floating-point operators of an operation and what is inside.
    fn operators(&self, op: &Op) -> usize {
        let is_float = |op: &Op| {
            let mut results = op.results.iter().map(|&value| self.kernel.values[value].ty);
            results.any(|ty| matches!(ty, Scalar::Float(_)))
        };
        let is_operator = matches!(op.kind, OpKind::Binary { .. } | OpKind::Fma { .. });
        let inner = op.kind.blocks().into_iter().flat_map(|block| &block.ops);
        usize::from(is_operator && is_float(op)) + inner.map(|op| self.operators(op)).sum::<usize>()
    }

    fn trip(&self, f: &For) -> Option<Trip> {
        Trip::of(f, |v| self.values.constant(v).cloned())
    }

    // Rewriting -------------------------------------------------------------------------------------

    fn flatten(&mut self, op: Op, out: &mut Vec<Op>) {
        let mut nest = Nest {
            levels: Vec::new(),
            body: Vec::new(),
            registers: Vec::new(),
            renamed: HashMap::new(),
            passed: HashMap::new(),
            ends: Vec::new(),
            stored: Touched::by(&op).written,
        };
        take_apart(op, &mut nest.levels);
        self.counters(&mut nest, out);
        self.level(&mut nest, 0, out);
        out.push(self.put_together(nest));
    }

    /// When the inner counters are at their ends; constants go to `out`.
    fn counters(&mut self, nest: &mut Nest, out: &mut Vec<Op>) {
        for level in &mut nest.levels[1..] {
            let trip = self.trip(&level.f).filter(|trip| !trip.count.is_one());
            let Some(trip) = trip else { continue };
            let mut build = self.kernel.build(out, level.span);
            let [first, last] = [trip.lo.clone(), trip.last()].map(|end| build.index(end));
            let mut build = self.kernel.build(&mut nest.body, level.span);
            let at = |build: &mut Build, end| build.compare(CompareOp::Eq, level.f.iv, end);
            level.ends = Ends {
                first: Some(at(&mut build, first)),
                last: Some(at(&mut build, last)),
            };
        }
        // From the innermost level outwards.
        let mut ends = Ends::default();
        nest.ends = vec![ends; nest.levels.len() + 1];
        for m in (1..nest.levels.len()).rev() {
            let (own, span) = (nest.levels[m].ends, nest.levels[m].span);
            ends = Ends {
                first: self.both(nest, ends.first, own.first, span),
                last: self.both(nest, ends.last, own.last, span),
            };
            nest.ends[m] = ends;
        }
    }

    /// Both of two conditions; `None` is always.
    fn both(
        &mut self,
        nest: &mut Nest,
        a: Option<ValueId>,
        b: Option<ValueId>,
        span: Span,
    ) -> Option<ValueId> {
        match (a, b) {
            (Some(a), Some(b)) => {
                let mut build = self.kernel.build(&mut nest.body, span);
                Some(build.binary(BinaryOp::And, a, b))
            }
            (a, b) => a.or(b),
        }
    }

    /// Appends the operations of level `m` and those inside. Returns the values that it yields, valid where its counter is
    /// at its last value.
    fn level(&mut self, nest: &mut Nest, m: usize, out: &mut Vec<Op>) -> Vec<ValueId> {
        let inner = nest.ends[m + 1];
        let carried = self.carried(nest, m, out);
        let span = nest.levels[m].span;
        let before = std::mem::take(&mut nest.levels[m].before);
        if m + 1 == nest.levels.len() {
            for mut op in before {
                nest.rename(&mut op);
                nest.body.push(op);
            }
            return self.close(nest, m, inner, &carried);
        }
        self.guarded(nest, before, inner.first, span, true, out);
        let yields = self.level(nest, m + 1, out);
        let results = std::mem::take(&mut nest.levels[m + 1].results);
        nest.renamed.extend(results.into_iter().zip(yields));
        let after = std::mem::take(&mut nest.levels[m].after);
        self.guarded(nest, after, inner.last, span, false, out);
        self.close(nest, m, inner, &carried)
    }

    /// Appends operations whose accesses count under a condition.
    fn guarded(
        &mut self,
        nest: &mut Nest,
        ops: Vec<Op>,
        when: Option<ValueId>,
        span: Span,
        hold: bool,
        out: &mut Vec<Op>,
    ) {
        let mut guards = when.map(|when| Guards::new(when, span));
        for mut op in ops {
            nest.rename(&mut op);
            // A load from what the nest does not store gives the same in every iteration.
            let held = match &op.kind {
                OpKind::Load { at, .. } => nest.stored.contains(&at.array),
                OpKind::Store { .. } => true,
                kind => kind.is_transfer(),
            };
            let (Some(guards), true) = (&mut guards, held) else {
                nest.body.push(op);
                continue;
            };
            guards.add(self.kernel, &mut op, &mut nest.body);
            let loaded = op.results.first().copied();
            nest.body.push(op);
            if let (Some(loaded), Some(when), true) = (loaded, when, hold) {
                self.hold(nest, loaded, when, span, out);
            }
        }
    }

    /// Has later iterations read what was loaded under a condition.
    fn hold(
        &mut self,
        nest: &mut Nest,
        loaded: ValueId,
        when: ValueId,
        span: Span,
        out: &mut Vec<Op>,
    ) {
        let ty = self.kernel.values[loaded].ty;
        let param = self.kernel.value(ty, Some("held"));
        let init = self.kernel.build(out, span).zero(ty);
        let mut build = self.kernel.build(&mut nest.body, span);
        let current = build.select(when, loaded, param);
        nest.renamed.insert(loaded, current);
        nest.registers.push(Register {
            param,
            init,
            next: current,
            result: None,
        });
    }

    /// Makes the registers of level `m`; `None` for carried values that an inner level has.
    fn carried(&mut self, nest: &mut Nest, m: usize, out: &mut Vec<Op>) -> Vec<Option<Carried>> {
        let Level {
            f, span, results, ..
        } = &nest.levels[m];
        let (params, inits, span) = (f.carried.clone(), f.inits.clone(), *span);
        let results = results.clone();
        let mut carried = Vec::new();
        for (i, &param) in params.iter().enumerate() {
            let origin = nest.passed.remove(&param).unwrap_or_else(|| Origin {
                level: m,
                init: nest.now(inits[i]),
                result: (m == 0).then(|| results[i]),
            });
            if let Some(inner) = nest.passed_to(m, i) {
                nest.passed.insert(inner, origin);
                carried.push(None);
                continue;
            }
            carried.push(Some(self.register(nest, param, origin, span, out)));
        }
        carried
    }

    fn register(
        &mut self,
        nest: &mut Nest,
        param: ValueId,
        origin: Origin,
        span: Span,
        out: &mut Vec<Op>,
    ) -> Carried {
        let inside = self.kernel.like(param);
        let ty = self.kernel.values[param].ty;
        let constant = match self.values.definition(origin.init) {
            Some(OpKind::Const(c)) if origin.level > 0 => Some(c.clone()),
            _ => None,
        };
        // Of an inner loop's value before the nest: nobody reads it.
        let mut build = self.kernel.build(out, span);
        let (init, restart) = match (origin.level, constant) {
            (0, _) => (origin.init, None),
            (_, Some(constant)) => {
                let init = build.op(ty, OpKind::Const(constant));
                (init, Some(init))
            }
            _ => (build.zero(ty), None),
        };
        let mut current = inside;
        if origin.level > 0 && restart.is_none() {
            let starts = nest.ends[origin.level].first;
            current = match starts {
                Some(starts) => {
                    let mut build = self.kernel.build(&mut nest.body, span);
                    build.select(starts, origin.init, inside)
                }
                None => origin.init,
            };
        }
        nest.renamed.insert(param, current);
        nest.registers.push(Register {
            param: inside,
            init,
            next: inside,
            result: origin.result,
        });
        Carried {
            register: nest.registers.len() - 1,
            current,
            origin: origin.level,
            restart,
        }
    }

    /// Sets what the registers of level `m` are in the next iteration; returns what the level yields.
    fn close(
        &mut self,
        nest: &mut Nest,
        m: usize,
        inner: Ends,
        carried: &[Option<Carried>],
    ) -> Vec<ValueId> {
        let yields = nest.levels[m].f.body.yields.iter();
        let yields: Vec<ValueId> = yields.map(|&v| nest.now(v)).collect();
        let span = nest.levels[m].span;
        for (carried, &value) in carried.iter().zip(&yields) {
            let Some(carried) = carried else { continue };
            let ends = match carried.restart {
                Some(_) => nest.ends[carried.origin].last,
                None => None,
            };
            let mut build = self.kernel.build(&mut nest.body, span);
            let mut next = match inner.last {
                Some(last) => build.select(last, value, carried.current),
                None => value,
            };
            if let Some(init) = carried.restart {
                next = match ends {
                    Some(ends) => build.select(ends, init, next),
                    None => init,
                };
            }
            nest.registers[carried.register].next = next;
        }
        yields
    }

    /// The perfect nest.
    fn put_together(&mut self, nest: Nest) -> Op {
        let mut body = nest.body;
        let mut yields: Vec<ValueId> = nest.registers.iter().map(|r| r.next).collect();
        let mut inner: Option<Op> = None;
        let count = nest.levels.len();
        for (m, level) in nest.levels.into_iter().enumerate().rev() {
            let like = |kernel: &mut Kernel| -> Vec<ValueId> {
                let params = nest.registers.iter().map(|r| r.param);
                params.map(|v| kernel.like(v)).collect()
            };
            let carried = match m + 1 == count {
                true => nest.registers.iter().map(|r| r.param).collect(),
                false => like(self.kernel),
            };
            if let Some(Op {
                kind: OpKind::For(f),
                results,
                ..
            }) = &mut inner
            {
                f.inits.clone_from(&carried);
                yields.clone_from(results);
            }
            let mut ops = level.constants;
            ops.append(&mut body);
            ops.extend(inner.take());
            let results = match m {
                0 => {
                    let results = nest.registers.iter().map(|r| (r.param, r.result));
                    let own =
                        results.map(|(v, result)| result.unwrap_or_else(|| self.kernel.like(v)));
                    own.collect()
                }
                _ => like(self.kernel),
            };
            let f = For {
                inits: nest.registers.iter().map(|r| r.init).collect(),
                carried,
                body: Block {
                    ops,
                    yields: std::mem::take(&mut yields),
                },
                ..level.f
            };
            inner = Some(Op {
                kind: OpKind::For(Box::new(f)),
                results,
                span: level.span,
            });
        }
        inner.expect("a nest has loops")
    }
}

/// A nest that is being made flat.
struct Nest {
    levels: Vec<Level>,
    /// Operations of the innermost loop.
    body: Vec<Op>,
    registers: Vec<Register>,
    /// What values are called in the innermost loop.
    renamed: HashMap<ValueId, ValueId>,
    /// Carried values that an outer level does nothing with but hand them to the loop inside.
    passed: HashMap<ValueId, Origin>,
    /// For each level, when the counters of it and of all levels inside are at their ends.
    ends: Vec<Ends>,
    /// Arrays that the nest writes.
    stored: BTreeSet<ArrayId>,
}

impl Nest {
    fn now(&self, value: ValueId) -> ValueId {
        self.renamed.get(&value).copied().unwrap_or(value)
    }

    fn rename(&self, op: &mut Op) {
        op.kind.for_each_operand(&mut |v| *v = self.now(*v));
        for block in op.kind.blocks_mut() {
            block.for_each_use(&mut |v| *v = self.now(*v));
        }
    }

    /// The parameter of the loop inside to which level `m` only passes its carried value number `i`, taking the result back.
    fn passed_to(&self, m: usize, i: usize) -> Option<ValueId> {
        let (outer, inner) = (&self.levels[m], self.levels.get(m + 1)?);
        let param = outer.f.carried[i];
        let j = inner.f.inits.iter().position(|&init| init == param)?;
        let returned = inner.results[j] == outer.f.body.yields[i];
        let reads = self.levels[m..].iter().map(|level| level.reads(param));
        (returned && reads.sum::<usize>() == 1).then(|| inner.f.carried[j])
    }
}

impl Level {
    /// How often a value is read beside the loop inside, and as the start of a value that this loop carries.
    fn reads(&self, value: ValueId) -> usize {
        let ops = self.before.iter().chain(&self.after);
        let operands = ops.flat_map(|op| op.kind.operands());
        let ends = self.f.body.yields.iter().chain(&self.f.inits).copied();
        operands.chain(ends).filter(|&v| v == value).count()
    }
}

/// Takes the loops of a nest apart, outermost first.
fn take_apart(op: Op, levels: &mut Vec<Level>) {
    let Op {
        kind: OpKind::For(mut f),
        results,
        span,
    } = op
    else {
        unreachable!("only counted loops are flattened")
    };
    let mut ops = std::mem::take(&mut f.body.ops).into_iter();
    let (mut constants, mut before, mut inner) = (Vec::new(), Vec::new(), None);
    for op in ops.by_ref() {
        if op.contains_loop() {
            inner = Some(op);
            break;
        }
        match op.kind {
            OpKind::Const(_) => constants.push(op),
            _ => before.push(op),
        }
    }
    if inner.is_none() {
        // The innermost loop keeps its operations in order.
        let mut all = std::mem::take(&mut constants);
        all.append(&mut before);
        before = all;
    }
    levels.push(Level {
        f: *f,
        span,
        results,
        before,
        constants,
        after: ops.collect(),
        ends: Ends::default(),
    });
    if let Some(inner) = inner {
        take_apart(inner, levels);
    }
}

/// Whether an operation beside an inner loop can be moved into it.
fn can_move(op: &Op) -> bool {
    op.kind.is_pure() || op.kind.is_transfer() || matches!(op.kind, OpKind::Store { .. })
}
/// Whether an iteration of both would get several elements of a stream, one of them around: such iterations do not overlap, and
/// those of the inner loop alone may.
fn waits_twice<'a>(around: impl Iterator<Item = &'a Op>, inner: &For) -> bool {
    let mut gets: BTreeMap<ArrayId, (u64, u64)> = BTreeMap::new();
    let got = |op: &Op| match &op.kind {
        OpKind::Get { at } => Some(at.array),
        _ => None,
    };
    let mut outside = |op: &Op| {
        if let Some(array) = got(op) {
            gets.entry(array).or_default().0 += 1;
        }
    };
    for op in around {
        outside(op);
        for block in op.kind.blocks() {
            block.for_each_op(&mut outside);
        }
    }
    inner.body.for_each_op(&mut |op| {
        if let Some(array) = got(op) {
            gets.entry(array).or_default().1 += 1;
        }
    });
    gets.values()
        .any(|&(around, inside)| around > 0 && around + inside > 1)
}
