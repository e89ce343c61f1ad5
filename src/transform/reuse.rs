//! Memory accesses that need not be: loads of an element whose value is at hand, stores that another one overwrites,
//! and stores of both branches to one element, which become one.

use crate::hash::FastMap;
use crate::ir::analysis::touch::{self, Touched};
use crate::ir::analysis::{Fact, Values};
use crate::ir::rewrite::{Rewriter, rewrite};
use crate::ir::*;

/// Elements that are kept in mind at a time; the oldest are forgotten first.
const MEMORY: usize = 128;

/// Rewrites all blocks.
pub fn run(kernel: &mut Kernel) {
    reuse(kernel, Values::same_element);
}

/// The same of elements whose subscripts come to the same, however they are written, as in iterations that were unrolled. Where a
/// value then waits for one that is computed longer than a memory takes, it may be slower.
pub fn run_sums(kernel: &mut Kernel) {
    reuse(kernel, Values::same_sums);
}

/// Whether subscripts certainly name one element.
type IsSame = fn(&Values, &[ValueId], &[ValueId]) -> bool;

fn reuse(kernel: &mut Kernel, same: IsSame) {
    let values = Values::of(kernel);
    let body = std::mem::take(&mut kernel.body);
    let mut pass = Reuse {
        kernel,
        values,
        same,
        renamed: FastMap::default(),
        known: vec![Vec::new()],
    };
    let mut body = rewrite(body, &mut pass);
    pass.drop_overwritten(&mut body);
    let renamed = pass.renamed;
    body.for_each_use(&mut |v| *v = resolve(&renamed, *v));
    kernel.body = body;
}

struct Reuse<'k> {
    /// Without its body.
    kernel: &'k mut Kernel,
    values: Values,
    same: IsSame,
    /// Loads that are gone, and what has their value.
    renamed: FastMap<ValueId, ValueId>,
    /// What is known in each block around, the innermost last.
    known: Vec<Vec<Known>>,
}

/// An element whose value is at hand.
#[derive(Clone)]
struct Known {
    at: Element,
    value: ValueId,
}

impl Rewriter for Reuse<'_> {
    fn enter(&mut self, op: &mut Op, block: usize) {
        if block == 0 {
            self.rename(op);
            // In a loop, what it stores itself is unknown from the start.
            if matches!(op.kind, OpKind::For(_) | OpKind::While(_)) {
                self.forget_all(op);
            }
        }
        let known = self.known.last().cloned().unwrap_or_default();
        self.known.push(known);
    }

    fn exit(&mut self, _op: &mut Op, _block: usize) {
        self.known.pop();
    }

    fn leave(&mut self, mut op: Op, out: &mut Vec<Op>) {
        self.rename(&mut op);
        match &op.kind {
            OpKind::Load { at, .. } => {
                let at = self.resolved(at);
                let known = self.known.last_mut().into_iter().flatten();
                let is_same = |k: &&mut Known| is_same(&self.values, self.same, (&k.at, &at));
                let mut found = known.filter(is_same);
                if let Some(value) = found.next().map(|k| k.value) {
                    self.renamed.insert(op.results[0], value);
                    return;
                }
                self.learn(at, op.results[0]);
            }
            OpKind::Store { at, value } => {
                let (at, value) = (self.resolved(at), *value);
                self.forget(&at);
                self.learn(at, value);
            }
            OpKind::If(_) => {
                self.forget_all(&op);
                return self.merge_stores(op, out);
            }
            _ => self.forget_all(&op),
        }
        out.push(op);
    }
}

/// Whether two accesses are to one element, under the same condition, for certain.
fn is_same(values: &Values, same: IsSame, (a, b): (&Element, &Element)) -> bool {
    a.array == b.array && a.when == b.when && same(values, &a.indices, &b.indices)
}

/// Whether two accesses may be to one element, in any order.
fn may_meet(values: &Values, a: &Element, b: &Element) -> bool {
    a.array == b.array && !values.distinct(&a.indices, &b.indices, NO_FACTS)
}

/// No condition is looked at here.
const NO_FACTS: &[Fact] = &[];

impl Reuse<'_> {
    /// Gives an operation's operands their present names.
    fn rename(&mut self, op: &mut Op) {
        let renamed = &self.renamed;
        if renamed.is_empty() {
            return;
        }
        op.kind.for_each_operand(&mut |v| *v = resolve(renamed, *v));
        if op.kind.is_pure() {
            self.values.note(self.kernel, op);
        }
    }

    fn resolved(&self, at: &Element) -> Element {
        let now = |v: ValueId| resolve(&self.renamed, v);
        Element {
            array: at.array,
            indices: at.indices.iter().map(|&v| now(v)).collect(),
            when: at.when.map(now),
        }
    }

    fn learn(&mut self, at: Element, value: ValueId) {
        if let Some(known) = self.known.last_mut() {
            if known.len() >= MEMORY {
                known.remove(0);
            }
            known.push(Known { at, value });
        }
    }

    /// After a store: elements that may be the one stored are not known any more.
    fn forget(&mut self, stored: &Element) {
        if let Some(known) = self.known.last_mut() {
            known.retain(|k| !may_meet(&self.values, &k.at, stored));
        }
    }

    /// After an operation: elements of arrays that it writes are not known any more.
    fn forget_all(&mut self, op: &Op) {
        let written = Touched::by(op).written;
        if let Some(known) = self.known.last_mut() {
            known.retain(|k| !written.contains(&k.at.array));
        }
    }

    /// Stores at which both branches leave an array, to the same element: one store after the branches.
    fn merge_stores(&mut self, mut op: Op, out: &mut Vec<Op>) {
        let mut sunk = Vec::new();
        if let OpKind::If(branch) = &mut op.kind {
            let arrays = touch::Touched::by_block(&branch.then).written;
            for array in arrays {
                let stores = (
                    last_store(&branch.then, array),
                    last_store(&branch.otherwise, array),
                );
                let (Some((then, at, a)), Some((otherwise, other, b))) = stores else {
                    continue;
                };
                // One value in both branches comes from before them.
                if self.resolved(&at) != self.resolved(&other) {
                    continue;
                }
                let span = branch.then.ops.remove(then).span;
                branch.otherwise.ops.remove(otherwise);
                branch.then.yields.push(a);
                branch.otherwise.yields.push(b);
                let Array { elem, name, .. } = &self.kernel.arrays[array];
                let (elem, name) = (*elem, format!("{name}_elem"));
                let value = self.kernel.value(elem, Some(&name));
                op.results.push(value);
                sunk.push(Op {
                    kind: OpKind::Store { at, value },
                    results: vec![],
                    span,
                });
            }
        }
        out.push(op);
        out.extend(sunk);
    }

    /// Removes stores to an element that is stored again before anything may read it.
    fn drop_overwritten(&self, block: &mut Block) {
        let mut pending: Vec<Element> = Vec::new();
        let mut kept = Vec::new();
        for mut op in std::mem::take(&mut block.ops).into_iter().rev() {
            for inner in op.kind.blocks_mut() {
                self.drop_overwritten(inner);
            }
            match &op.kind {
                OpKind::Store { at, .. } => {
                    let at = self.resolved(at);
                    if pending
                        .iter()
                        .any(|p| is_same(&self.values, self.same, (p, &at)))
                    {
                        continue;
                    }
                    if pending.len() >= MEMORY {
                        pending.remove(0);
                    }
                    pending.push(at);
                }
                OpKind::Load { at, .. } => {
                    let at = self.resolved(at);
                    pending.retain(|p| !may_meet(&self.values, p, &at));
                }
                kind if kind.is_pure() => {}
                _ => {
                    let touched = Touched::by(&op);
                    pending.retain(|p| !touched.contains(p.array));
                }
            }
            kept.push(op);
        }
        kept.reverse();
        block.ops = kept;
    }
}

/// If a block's last access to an array is a store: its place, element and value.
pub(super) fn last_store(block: &Block, array: ArrayId) -> Option<(usize, Element, ValueId)> {
    let last = block.ops.iter().rposition(|op| touch::touches(op, array))?;
    match &block.ops[last].kind {
        OpKind::Store { at, value } => Some((last, at.clone(), *value)),
        _ => None,
    }
}

/// What a value is called now.
fn resolve(renamed: &FastMap<ValueId, ValueId>, mut value: ValueId) -> ValueId {
    while let Some(&new) = renamed.get(&value) {
        value = new;
    }
    value
}
