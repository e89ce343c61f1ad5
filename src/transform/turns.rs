//! Iterations that need several elements of one stream, or put something before they get, in turns: each becomes as many
//! iterations of an inner loop, of which each gets once from a stream, before it puts. So they overlap, as no iteration can that
//! waits twice. What was got or loaded in an earlier turn is held in a register.

use super::convert_branches::Guards;
use crate::diagnostics::Span;
use crate::ir::*;
use std::collections::{BTreeMap, BTreeSet};

/// Most turns of an iteration: each of its operations has that many times the cycles.
const MOST: usize = 16;

/// Has the iterations of loops take turns.
pub fn run(kernel: &mut Kernel) {
    let body = std::mem::take(&mut kernel.body);
    kernel.body = block(kernel, body);
}

fn block(kernel: &mut Kernel, body: Block) -> Block {
    let mut out = Vec::with_capacity(body.ops.len());
    for mut op in body.ops {
        for inner in op.kind.blocks_mut() {
            let taken = std::mem::take(inner);
            *inner = block(kernel, taken);
        }
        if let OpKind::For(f) = &mut op.kind
            && let Some(turns) = Turns::of(f)
        {
            nest(kernel, f, turns, &mut op.results, op.span, &mut out);
        }
        out.push(op);
    }
    Block { ops: out, ..body }
}

/// The turns of a loop's iterations.
struct Turns {
    /// At least 2.
    count: usize,
    /// Of each operation of the body.
    of_op: Vec<usize>,
    /// The last one in which each value is needed.
    needed: BTreeMap<ValueId, usize>,
}

impl Turns {
    /// `None` where all is got first, once from each stream, or something is done that may not be taken apart.
    fn of(f: &For) -> Option<Turns> {
        if f.tags.is_in_turn() {
            return None;
        }
        let mut turn = 0;
        let mut waits = false;
        let (mut got, mut put) = (BTreeSet::new(), BTreeSet::new());
        let mut of_op = Vec::with_capacity(f.body.ops.len());
        for op in &f.body.ops {
            let is_next = match &op.kind {
                OpKind::Get { at } if is_plain(at) => {
                    let again = got.contains(&at.array) || !put.is_empty();
                    waits |= again;
                    again
                }
                OpKind::Put { at, .. } if at.indices.is_empty() => put.contains(&at.array),
                // What the iteration before stored would be that of the turn before.
                OpKind::Load { bypassed: true, .. } | OpKind::Promise(_) => return None,
                OpKind::Store { .. } => false,
                // It gives the same in every turn, of the same operands.
                kind if kind.is_pure() => false,
                _ => return None,
            };
            if is_next {
                turn += 1;
                (got, put) = Default::default();
            }
            match &op.kind {
                OpKind::Get { at } => _ = got.insert(at.array),
                OpKind::Put { at, .. } => _ = put.insert(at.array),
                _ => {}
            }
            of_op.push(turn);
        }
        let count = turn + 1;
        (waits && count <= MOST).then(|| Turns {
            needed: needed(f, &of_op, turn),
            count,
            of_op,
        })
    }

    /// Whether what an operation gives in its turn is needed in a later one.
    fn is_held(&self, number: usize, op: &Op) -> bool {
        let needed = op.results.iter().filter_map(|value| self.needed.get(value));
        needed.max().is_some_and(|last| *last > self.of_op[number])
    }
}

fn is_plain(at: &Element) -> bool {
    at.indices.is_empty() && at.when.is_none()
}

/// The last turn in which each value is needed; what the loop hands on, in the last one.
fn needed(f: &For, of_op: &[usize], last: usize) -> BTreeMap<ValueId, usize> {
    let mut needed: BTreeMap<ValueId, usize> = BTreeMap::new();
    let need = |value: ValueId, turn: usize, needed: &mut BTreeMap<ValueId, usize>| {
        let known = needed.entry(value).or_insert(turn);
        *known = turn.max(*known);
    };
    for &value in &f.body.yields {
        need(value, last, &mut needed);
    }
    for (op, &turn) in f.body.ops.iter().zip(of_op).rev() {
        let accessed = op.kind.element().map(|_| turn);
        let used = op
            .results
            .iter()
            .filter_map(|value| needed.get(value))
            .copied();
        // An access takes its operands in its own turn.
        let Some(turn) = accessed.or(used.max()) else {
            continue;
        };
        for value in op.kind.operands() {
            need(value, turn, &mut needed);
        }
    }
    needed
}

/// Makes a loop the one around its turns. Constants go to `out`.
fn nest(
    kernel: &mut Kernel,
    f: &mut For,
    turns: Turns,
    results: &mut Vec<ValueId>,
    span: Span,
    out: &mut Vec<Op>,
) {
    // An interval that is directed is that of all turns together.
    let pipeline = f.tags.pipeline.map(|pipeline| match pipeline {
        Pipeline::Every(cycles) => Pipeline::Every(cycles.div_ceil(turns.count as u32)),
        pipeline => pipeline,
    });
    let mut build = kernel.build(out, span);
    let range = [0, turns.count, 1].map(|n| build.index(n));
    let counter = kernel.value(Scalar::Index, Some("turn"));

    let body = std::mem::take(&mut f.body);
    let mut taking = Taking::of(kernel, turns, &body, counter, span);
    for (number, op) in body.ops.into_iter().enumerate() {
        taking.operation(number, op);
    }
    let yields = taking.yields(&f.carried, &body.yields, span);
    let Taking { ops, held, .. } = taking;

    let mut build = kernel.build(out, span);
    for [before, _] in &held {
        let ty = build.kernel.values[*before].ty;
        f.inits.push(build.zero(ty));
    }
    let mut carried = std::mem::take(&mut f.carried);
    carried.extend(held.iter().map(|[before, _]| *before));
    let mut like = |values: &[ValueId]| -> Vec<ValueId> {
        values.iter().map(|&value| kernel.like(value)).collect()
    };
    let (given, taken) = (like(&carried), like(&carried));
    results.extend(like(&carried[results.len()..]));
    let inner = For {
        carried,
        inits: given.clone(),
        tags: Tags {
            pipeline,
            ..Tags::default()
        },
        ..For::over(counter, range, &f.label, Block { ops, yields })
    };
    let inner = Op {
        kind: OpKind::For(Box::new(inner)),
        results: taken.clone(),
        span,
    };
    f.carried = given;
    f.body = Block {
        ops: vec![inner],
        yields: taken,
    };
}

/// The body of a loop of turns as it is made.
struct Taking<'k> {
    kernel: &'k mut Kernel,
    turns: Turns,
    /// Whether it is the turn of each number.
    is_turn: Vec<ValueId>,
    /// Has accesses happen in the turn of each number.
    guards: Vec<Guards>,
    ops: Vec<Op>,
    /// What each stream gives in the turns in which something is got from it.
    elements: BTreeMap<ArrayId, ValueId>,
    /// The last operation of those that put into each stream.
    last_puts: BTreeMap<ArrayId, usize>,
    /// Of each stream, what was put before that one: whether, and what.
    puts: BTreeMap<ArrayId, [ValueId; 2]>,
    /// What is got and not held is what the stream gives: a cast would not keep the bits of a NaN.
    renamed: BTreeMap<ValueId, ValueId>,
    /// What is held: as the turn before left it, and now.
    held: Vec<[ValueId; 2]>,
}

impl Taking<'_> {
    fn of<'k>(
        kernel: &'k mut Kernel,
        turns: Turns,
        body: &Block,
        counter: ValueId,
        span: Span,
    ) -> Taking<'k> {
        let mut ops = Vec::new();
        let mut build = kernel.build(&mut ops, span);
        let is_turn = (0..turns.count).map(|turn| {
            let number = build.index(turn);
            build.compare(CompareOp::Eq, counter, number)
        });
        let is_turn: Vec<ValueId> = is_turn.collect();
        let guards = is_turn.iter().map(|&now| Guards::new(now, span));
        let guards = guards.collect();
        let puts = body.ops.iter().enumerate();
        let puts = puts.filter_map(|(number, op)| match &op.kind {
            OpKind::Put { at, .. } => Some((at.array, number)),
            _ => None,
        });
        let mut taking = Taking {
            last_puts: puts.collect(),
            kernel,
            turns,
            is_turn,
            guards,
            ops,
            elements: BTreeMap::new(),
            puts: BTreeMap::new(),
            renamed: BTreeMap::new(),
            held: Vec::new(),
        };
        taking.get_each(body);
        taking
    }

    /// One get of each stream, in the turns in which there is one.
    fn get_each(&mut self, body: &Block) {
        let mut streams: Vec<(ArrayId, Vec<ValueId>, &Op)> = Vec::new();
        for (op, &turn) in body.ops.iter().zip(&self.turns.of_op) {
            let OpKind::Get { at } = &op.kind else {
                continue;
            };
            let now = self.is_turn[turn];
            match streams.iter_mut().find(|(array, ..)| *array == at.array) {
                Some((_, known, _)) => known.push(now),
                None => streams.push((at.array, vec![now], op)),
            }
        }
        for (array, among, first) in streams {
            let element = self.kernel.like(first.results[0]);
            let is_always = among.len() == self.turns.count;
            let mut build = self.kernel.build(&mut self.ops, first.span);
            let either = |any, now| build.binary(BinaryOp::Or, any, now);
            let when = among.into_iter().reduce(either);
            let at = Element {
                when: when.filter(|_| !is_always),
                ..Element::new(array, Vec::new())
            };
            build.define(OpKind::Get { at }, vec![element]);
            self.elements.insert(array, element);
        }
    }

    /// An operation of the body in its turn.
    fn operation(&mut self, number: usize, mut op: Op) {
        op.kind
            .for_each_operand(&mut |value| *value = self.current(*value));
        let turn = self.turns.of_op[number];
        let now = self.is_turn[turn];
        let is_held = self.turns.is_held(number, &op);
        if let OpKind::Get { at } = &op.kind {
            let element = self.elements[&at.array];
            match is_held {
                true => self.hold(op.results[0], element, now, op.span),
                false => _ = self.renamed.insert(op.results[0], element),
            }
            return;
        }
        self.guards[turn].add(self.kernel, &mut op, &mut self.ops);
        match &op.kind {
            OpKind::Put { at, value } => {
                if let Some((at, value)) = self.put(number, at, *value, op.span) {
                    let kind = OpKind::Put { at, value };
                    self.ops.push(Op { kind, ..op });
                }
            }
            OpKind::Load { .. } if is_held => {
                let (result, span) = (op.results[0], op.span);
                let loaded = self.kernel.like(result);
                let results = vec![loaded];
                self.ops.push(Op { results, ..op });
                self.hold(result, loaded, now, span);
            }
            _ => self.ops.push(op),
        }
    }

    /// Where a value of the body is now.
    fn current(&self, value: ValueId) -> ValueId {
        *self.renamed.get(&value).unwrap_or(&value)
    }

    /// Defines a value that an access gives in its turn, and that later turns need.
    fn hold(&mut self, value: ValueId, fresh: ValueId, now: ValueId, span: Span) {
        let before = self.kernel.like(value);
        self.held.push([before, value]);
        let choice = OpKind::Select {
            cond: now,
            on_true: fresh,
            on_false: before,
        };
        let mut build = self.kernel.build(&mut self.ops, span);
        build.define(choice, vec![value]);
    }

    /// What is put into a stream, in whichever turn, by the last operation that puts into it; `None` of those before.
    fn put(
        &mut self,
        number: usize,
        at: &Element,
        value: ValueId,
        span: Span,
    ) -> Option<(Element, ValueId)> {
        let (mut when, mut value) = (at.when?, value);
        let mut build = self.kernel.build(&mut self.ops, span);
        if let Some([before, other]) = self.puts.get(&at.array).copied() {
            value = build.select(when, value, other);
            when = build.binary(BinaryOp::Or, before, when);
        }
        self.puts.insert(at.array, [when, value]);
        let at = Element {
            when: Some(when),
            ..Element::new(at.array, Vec::new())
        };
        (self.last_puts[&at.array] == number).then_some((at, value))
    }

    /// What a turn hands on to the next one: what the loop carries changes in the last turn.
    fn yields(&mut self, carried: &[ValueId], next: &[ValueId], span: Span) -> Vec<ValueId> {
        let last = self.is_turn[self.turns.count - 1];
        let next: Vec<ValueId> = next.iter().map(|&next| self.current(next)).collect();
        let mut build = self.kernel.build(&mut self.ops, span);
        let changed = carried.iter().zip(next);
        let changed = changed.map(|(&carried, next)| build.select(last, next, carried));
        let mut yields: Vec<ValueId> = changed.collect();
        yields.extend(self.held.iter().map(|[_, value]| *value));
        yields
    }
}
