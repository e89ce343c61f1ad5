//! Store-to-load bypass: a load that may read what the iteration before stored takes it from a register.
//!
//! Where the data decide which element a loop reads and writes, as in a histogram, each load has to wait for the store of
//! the iteration before it. Here that store's subscripts and value are carried to the next iteration, and the load, if
//! it has the same subscripts, takes the value: it is `bypassed`, so the scheduler lets it wait for the stores of earlier
//! iterations only. (Known from processors: Hennessy and Patterson, Computer Architecture, appendix C.2; for pipelined
//! loops see Alle, Morvan and Derrien, Runtime dependency analysis for loop pipelining in HLS, DAC 2013.)

use crate::diagnostics::Span;
use crate::ir::analysis::{Values, Varying, touch};
use crate::ir::*;

/// Rewrites all nests with a single store to an array at subscripts that the data decide.
pub fn run(kernel: &mut Kernel) {
    let values = Values::of(kernel);
    let body = std::mem::take(&mut kernel.body);
    let mut pass = Bypass { kernel, values };
    let body = pass.block(body);
    kernel.body = body;
}

struct Bypass<'k> {
    /// Without its body.
    kernel: &'k mut Kernel,
    values: Values,
}

/// The array of a nest whose loads may take what was stored before.
struct Candidate {
    array: ArrayId,
    /// By dimension, the subscripts of the store, without casts where the loads' have the same type without theirs.
    stored_at: Vec<ValueId>,
    /// The results of the loads and their subscripts, likewise.
    loads: Vec<(ValueId, Vec<ValueId>)>,
}

/// What is known of the last store: whether there was one, where, and what.
#[derive(Clone)]
struct Last {
    valid: ValueId,
    at: Vec<ValueId>,
    value: ValueId,
}

impl Last {
    fn list(&self) -> Vec<ValueId> {
        let ends = [self.valid, self.value];
        ends.into_iter().chain(self.at.iter().copied()).collect()
    }

    fn of(list: &[ValueId]) -> Last {
        Last {
            valid: list[0],
            value: list[1],
            at: list[2..].to_vec(),
        }
    }
}

/// The one loop of a block, if it is a counted one and no other operation contains a loop.
fn only_loop(block: &mut Block) -> Option<&mut Op> {
    let mut loops = block.ops.iter_mut().filter(|op| op.contains_loop());
    match (loops.next(), loops.next()) {
        (Some(op), None) if matches!(op.kind, OpKind::For(_)) => Some(op),
        _ => None,
    }
}

/// Whether an operation is a nest of counted loops, one in the other, down to its innermost loop.
fn is_nest(op: &mut Op) -> bool {
    let OpKind::For(f) = &mut op.kind else {
        return false;
    };
    match only_loop(&mut f.body) {
        Some(inner) => is_nest(inner),
        None => !f.body.ops.iter().any(Op::contains_loop),
    }
}

impl Bypass<'_> {
    fn block(&mut self, block: Block) -> Block {
        let mut ops = Vec::new();
        for mut op in block.ops {
            if is_nest(&mut op) {
                self.nest(&mut op, &mut ops);
            } else {
                for inner in op.kind.blocks_mut() {
                    let taken = std::mem::take(inner);
                    *inner = self.block(taken);
                }
            }
            ops.push(op);
        }
        Block {
            ops,
            yields: block.yields,
        }
    }

    fn nest(&mut self, op: &mut Op, before: &mut Vec<Op>) {
        for candidate in self.candidates(op) {
            let unknown = self.unknown(&candidate, op.span, before);
            self.carry(op, &candidate, &unknown);
        }
    }

    // Finding ----------------------------------------------------------------------------------------

    fn candidates(&self, op: &Op) -> Vec<Candidate> {
        let mut innermost = op;
        while let Some(inner) = innermost.kind.blocks()[0]
            .ops
            .iter()
            .find(|o| o.contains_loop())
        {
            innermost = inner;
        }
        let OpKind::For(f) = &innermost.kind else {
            return Vec::new();
        };
        let mut stores: Vec<(ArrayId, usize)> = Vec::new();
        for block in op.kind.blocks() {
            block.for_each_op(&mut |op| {
                // What is written as a whole, or under a condition of its own, counts as written twice.
                let times = match &op.kind {
                    OpKind::Store { at, .. } if at.when.is_none() => 1,
                    _ => 2,
                };
                for array in touch::arrays(&op.kind).1 {
                    match stores.iter_mut().find(|s| s.0 == array) {
                        Some(store) => store.1 += times,
                        None => stores.push((array, times)),
                    }
                }
            });
        }
        stores.retain(|&(_, times)| times == 1);
        if stores.is_empty() {
            return Vec::new();
        }
        let varying = self.values.varying(f);
        let once = stores.into_iter();
        once.filter_map(|(array, _)| self.candidate(f, &varying, array))
            .collect()
    }

    fn candidate(&self, f: &For, varying: &Varying, array: ArrayId) -> Option<Candidate> {
        let mut stored_at = None;
        let mut loads: Vec<(ValueId, Vec<ValueId>)> = Vec::new();
        // A load after the store takes its value already, or another element's.
        f.body.for_each_op(&mut |op| match &op.kind {
            OpKind::Store { at, .. } if at.array == array => stored_at = Some(at.indices.clone()),
            OpKind::Load { at, .. } if at.array == array && stored_at.is_none() => {
                loads.push((op.results[0], at.indices.clone()));
            }
            _ => {}
        });
        let mut stored_at: Vec<ValueId> = stored_at?;
        let order = &self.values;
        let regular = |v: &ValueId| order.subscript(f.iv, varying, *v).is_some();
        loads.retain(|(_, at)| !stored_at.iter().chain(at).all(regular));
        if loads.is_empty() {
            return None;
        }
        // Narrow subscripts compare faster.
        for (dim, at) in stored_at.iter_mut().enumerate() {
            let narrow = order.uncast(*at);
            let ty = |v: ValueId| self.kernel.values[v].ty;
            let same = |load: &(ValueId, Vec<ValueId>)| ty(order.uncast(load.1[dim])) == ty(narrow);
            if loads.iter().all(same) {
                *at = narrow;
                for (_, subscripts) in &mut loads {
                    subscripts[dim] = order.uncast(subscripts[dim]);
                }
            }
        }
        Some(Candidate {
            array,
            stored_at,
            loads,
        })
    }

    // Rewriting --------------------------------------------------------------------------------------

    /// What is known before the first store: nothing.
    fn unknown(&mut self, candidate: &Candidate, span: Span, out: &mut Vec<Op>) -> Last {
        let elem = self.kernel.arrays[candidate.array].elem;
        let subscripts = candidate.stored_at.iter();
        let subscripts = subscripts.map(|&v| self.kernel.values[v].ty);
        let types: Vec<Scalar> = [Scalar::BOOL, elem].into_iter().chain(subscripts).collect();
        let mut build = self.kernel.build(out, span);
        let zeros: Vec<ValueId> = types.into_iter().map(|ty| build.zero(ty)).collect();
        Last::of(&zeros)
    }

    /// Has a nest carry what its last store was, down to the innermost loop; `init` is what that is before.
    fn carry(&mut self, op: &mut Op, candidate: &Candidate, init: &Last) -> Last {
        let name = format!("{}_last", self.kernel.arrays[candidate.array].name);
        let mut fresh = |list: &[ValueId]| -> Vec<ValueId> {
            let types: Vec<Scalar> = list.iter().map(|&v| self.kernel.values[v].ty).collect();
            let values = types
                .into_iter()
                .map(|ty| self.kernel.value(ty, Some(&name)));
            values.collect()
        };
        let (params, results) = (fresh(&init.list()), fresh(&init.list()));
        op.results.extend(&results);
        if let OpKind::For(f) = &mut op.kind {
            f.inits.extend(init.list());
            f.carried.extend(&params);
            let current = Last::of(&params);
            let last = match only_loop(&mut f.body) {
                Some(inner) => self.carry(inner, candidate, &current),
                None => self.replace(&mut f.body, candidate, &current),
            };
            f.body.yields.extend(last.list());
        }
        Last::of(&results)
    }

    /// Chooses after each load between it and the last store. Returns the last store after the block.
    fn replace(&mut self, block: &mut Block, candidate: &Candidate, current: &Last) -> Last {
        let mut last = current.clone();
        let mut ops = Vec::new();
        for mut op in std::mem::take(&mut block.ops) {
            match &mut op.kind {
                OpKind::Store { at, value } if at.array == candidate.array => {
                    last = Last {
                        valid: self.kernel.build(&mut ops, op.span).always(),
                        value: *value,
                        at: candidate.stored_at.clone(),
                    };
                    ops.push(op);
                }
                OpKind::If(branch) => {
                    let then = self.replace(&mut branch.then, candidate, &last);
                    let otherwise = self.replace(&mut branch.otherwise, candidate, &last);
                    let differ = then.list() != last.list() || otherwise.list() != last.list();
                    if differ {
                        branch.then.yields.extend(then.list());
                        branch.otherwise.yields.extend(otherwise.list());
                        let list = last.list().into_iter();
                        let results: Vec<ValueId> = list.map(|v| self.kernel.like(v)).collect();
                        op.results.extend(&results);
                        last = Last::of(&results);
                    }
                    ops.push(op);
                }
                _ => {
                    let load = candidate
                        .loads
                        .iter()
                        .find(|l| op.results.first() == Some(&l.0));
                    match load {
                        Some((_, at)) => self.choose(op, at, &last, &mut ops),
                        None => ops.push(op),
                    }
                }
            }
        }
        block.ops = ops;
        last
    }

    /// Has a load's result be the last stored value, if that is of the same element.
    fn choose(&mut self, mut load: Op, at: &[ValueId], last: &Last, out: &mut Vec<Op>) {
        let (span, chosen) = (load.span, load.results[0]);
        let ty = self.kernel.values[chosen].ty;
        let loaded = self.kernel.value(ty, None);
        load.results = vec![loaded];
        if let OpKind::Load { bypassed, .. } = &mut load.kind {
            *bypassed = true;
        }
        out.push(load);
        let mut build = self.kernel.build(out, span);
        let mut same = last.valid;
        for (&a, &b) in at.iter().zip(&last.at) {
            let equal = build.compare(CompareOp::Eq, a, b);
            same = build.binary(BinaryOp::And, same, equal);
        }
        let select = OpKind::Select {
            cond: same,
            on_true: last.value,
            on_false: loaded,
        };
        build.define(select, vec![chosen]);
    }
}
