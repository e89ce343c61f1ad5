//! A loop before a nest that visits the same elements in each of its rows becomes a part of the first row: `for j: c[j] *= b` before
//! `for k: for j: c[j] += ..` is done by the iterations of `k = 0`, which access these elements anyway.
//!
//! The loop is put into loops of one iteration each, those of the nest's first row, and fused with the nest
//! ([`super::compute_at`]).

use super::band::Refusal;
use super::compute_at;
use super::restructure::trip;
use super::reuse::last_store;
use crate::ir::analysis::touch::Touched;
use crate::ir::analysis::{Values, touch};
use crate::ir::*;
use num_traits::Zero;
use std::collections::HashSet;

/// Values of a kernel beyond which it is left alone: each attempt works on a copy.
const MANY: usize = 4000;
/// Attempts.
const MOST: usize = 16;

/// Moves all loops for which that can be done.
pub fn run(kernel: &mut Kernel) {
    if kernel.values.len() > MANY {
        return;
    }
    let mut failed: HashSet<ValueId> = HashSet::new();
    for _ in 0..MOST {
        let values = Values::of(kernel);
        let Some(found) = candidate(&values, &mut Vec::new(), &kernel.body, &failed) else {
            return;
        };
        let mut attempt = kernel.clone();
        match found.fuse(&mut attempt) {
            Ok(()) => *kernel = attempt,
            Err(_) => {
                failed.insert(found.iv);
            }
        }
    }
}

/// A loop and a nest after it.
struct Candidate {
    /// The block in which both are.
    around: Path,
    /// Where the loop is, and its variable.
    at: usize,
    iv: ValueId,
    /// The loops of the nest down to the one like it, as a path in that block.
    nest: Path,
}

/// The first loop of a block, or of one inside, that is like the innermost one of a nest behind it.
fn candidate(
    values: &Values,
    around: &mut Path,
    block: &Block,
    failed: &HashSet<ValueId>,
) -> Option<Candidate> {
    let mut loops = block
        .ops
        .iter()
        .enumerate()
        .filter(|(_, op)| op.contains_loop());
    let mut before: Option<(usize, &For)> = None;
    loops.find_map(|(at, op)| {
        for (number, inner) in op.kind.blocks().into_iter().enumerate() {
            around.push((at, number));
            let found = candidate(values, around, inner, failed);
            around.pop();
            if found.is_some() {
                return found;
            }
        }
        let OpKind::For(f) = &op.kind else {
            before = None;
            return None;
        };
        let found = before.and_then(|(first, own)| {
            let nest = rows(values, f, own, at)?;
            Some(Candidate {
                around: around.clone(),
                at: first,
                iv: own.iv,
                nest,
            })
        });
        let is_alone = op.results.is_empty() && f.tags.is_free();
        let is_innermost = !f.body.ops.iter().any(Op::contains_loop);
        let is_open = is_alone && is_innermost && !failed.contains(&f.iv);
        before = is_open.then_some((at, f));
        found
    })
}

/// The loops of a nest, which is operation `at` of its block, down to the innermost one, if that has the iterations of the
/// loop `own` and touches an array that this one writes.
fn rows(values: &Values, nest: &For, own: &For, at: usize) -> Option<Path> {
    let mut path = vec![(at, 0)];
    let mut f = nest;
    loop {
        let mut loops = f
            .body
            .ops
            .iter()
            .enumerate()
            .filter(|(_, op)| op.contains_loop());
        let Some((inner, op)) = loops.next() else {
            break;
        };
        let OpKind::For(next) = &op.kind else {
            return None;
        };
        if loops.next().is_some() || trip(values, f).is_none_or(|trip| trip.count.is_zero()) {
            return None;
        }
        path.push((inner, 0));
        f = next;
    }
    let is_alike = trip(values, own)? == trip(values, f)?;
    let written = Touched::by_block(&own.body).written;
    let touched = touch::accesses(&f.body.ops);
    let meets = written.iter().any(|array| touched.contains_key(array));
    (path.len() > 1 && is_alike && meets).then_some(path)
}

impl Candidate {
    /// Puts the loop into loops of one iteration, and those into the nest.
    fn fuse(&self, kernel: &mut Kernel) -> Result<(), Refusal> {
        let values = Values::of(kernel);
        let nowhere = || (None, "no loop is there".to_string());
        let block = kernel.body.block_at_mut(&self.around).ok_or_else(nowhere)?;
        let mut op = block.ops.remove(self.at);
        let mut bounds = Vec::new();
        for depth in (1..self.nest.len()).rev() {
            let mut path = self.around.clone();
            path.extend(&self.nest[..depth]);
            // The loop is gone from before the nest.
            path[self.around.len()].0 -= 1;
            let outer = kernel.body.for_at(&path).ok_or_else(nowhere)?;
            let trip = trip(&values, outer).ok_or_else(nowhere)?;
            let (label, descending) = (outer.label.clone(), outer.descending);
            let span = op.span;
            let iv = kernel.values.push(kernel.values[outer.iv].clone());
            let mut build = kernel.build(&mut bounds, span);
            let range = [trip.lo.clone(), trip.at(1), trip.step].map(|bound| build.index(bound));
            let body = Block {
                ops: vec![op],
                yields: vec![],
            };
            let mut once = For::over(iv, range, &label, body);
            once.descending = descending;
            op = Op {
                kind: OpKind::For(Box::new(once)),
                results: vec![],
                span,
            };
        }
        let count = bounds.len();
        let block = kernel.body.block_at_mut(&self.around).ok_or_else(nowhere)?;
        bounds.push(op);
        block.ops.splice(self.at..self.at, bounds);
        let [mut producer, mut axis] = [self.around.clone(), self.around.clone()];
        producer.push((self.at + count, 0));
        producer.extend(vec![(0, 0); self.nest.len() - 1]);
        axis.extend(&self.nest);
        axis[self.around.len()].0 += count;
        let fused = compute_at::run(kernel, &producer, &axis)?;
        let values = Values::of(kernel);
        let Some(OpKind::For(f)) = kernel.body.op_at_mut(&fused).map(|op| &mut op.kind) else {
            return Err(nowhere());
        };
        let body = std::mem::take(&mut f.body);
        let (body, handed) = hand_on(kernel, &values, body);
        if let Some(OpKind::For(f)) = kernel.body.op_at_mut(&fused).map(|op| &mut op.kind) {
            f.body = body;
        }
        match handed {
            true => Ok(()),
            false => Err((
                None,
                "the nest does not begin with what the loop leaves".into(),
            )),
        }
    }
}

/// Where a branch leaves an element that the rest of the block loads next, the other way stores it as it was: then [`super::reuse`]
/// makes one store of both, and hands the value on to the rest. Whether there was such an element.
fn hand_on(kernel: &mut Kernel, values: &Values, body: Block) -> (Block, bool) {
    let (mut out, mut handed) = (Vec::with_capacity(body.ops.len()), false);
    let mut rest = body.ops.into_iter();
    while let Some(mut op) = rest.next() {
        if let OpKind::If(branch) = &mut op.kind {
            let inside = branch.then.defined();
            for array in Touched::by_block(&branch.then).written {
                let last = last_store(&branch.then, array);
                let next = rest.as_slice().iter().find(|op| touch::touches(op, array));
                let (Some((_, at, _)), Some(next)) = (last, next) else {
                    continue;
                };
                let is_next = match &next.kind {
                    OpKind::Load { at: next, .. } => {
                        next.when.is_none() && values.same_element(&at.indices, &next.indices)
                    }
                    _ => false,
                };
                let is_known = at.indices.iter().all(|index| !inside.contains(index));
                let is_free = !Touched::by_block(&branch.otherwise).contains(array);
                if !is_next || !is_known || !is_free || at.when.is_some() {
                    continue;
                }
                let value = kernel.value(kernel.arrays[array].elem, None);
                let [load, store] = [
                    (OpKind::load(array, at.indices.clone()), vec![value]),
                    (OpKind::Store { at, value }, vec![]),
                ]
                .map(|(kind, results)| Op {
                    kind,
                    results,
                    span: next.span,
                });
                out.push(load);
                branch.otherwise.ops.push(store);
                handed = true;
            }
        }
        out.push(op);
    }
    (Block { ops: out, ..body }, handed)
}
