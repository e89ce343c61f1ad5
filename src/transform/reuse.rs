//! Memory accesses that need not be: loads of an element whose value is at hand, stores that another one overwrites,
//! and stores of both branches to one element, which become one.

use super::order::{Fact, Rewrite};
use crate::ir::*;
use std::collections::{HashMap, HashSet};

/// Rewrites all blocks.
pub fn run(kernel: &mut Kernel) {
    let (rewrite, body) = Rewrite::begin(kernel);
    let mut pass = Reuse {
        rewrite,
        renamed: HashMap::new(),
    };
    let mut body = pass.block(body, Vec::new());
    pass.drop_overwritten(&mut body);
    let renamed = pass.renamed;
    body.for_each_use(&mut |v| *v = resolve(&renamed, *v));
    pass.rewrite.kernel.body = body;
}

struct Reuse<'k> {
    rewrite: Rewrite<'k>,
    /// Loads that are gone, and what has their value.
    renamed: HashMap<ValueId, ValueId>,
}

/// An element whose value is at hand.
#[derive(Clone)]
struct Known {
    array: ArrayId,
    indices: Vec<ValueId>,
    value: ValueId,
}

/// No condition is looked at here.
const NO_FACTS: &[Fact] = &[];

impl Reuse<'_> {
    fn resolved(&self, values: &[ValueId]) -> Vec<ValueId> {
        values.iter().map(|&v| resolve(&self.renamed, v)).collect()
    }

    /// Rewrites a block; `known` are the elements at hand at its start.
    fn block(&mut self, block: Block, mut known: Vec<Known>) -> Block {
        let mut ops = Vec::new();
        for mut op in block.ops {
            let mut stored = HashSet::new();
            stores_of(&op, &mut stored);
            let renamed = &self.renamed;
            op.kind.for_each_operand(&mut |v| *v = resolve(renamed, *v));
            if let [result] = op.results[..]
                && let Some(definition) = self.rewrite.definitions.get_mut(&result)
            {
                definition.clone_from(&op.kind);
            }
            match &mut op.kind {
                OpKind::Load { array, indices } => {
                    let (array, indices) = (*array, self.resolved(indices));
                    let order = self.rewrite.order();
                    let found = known
                        .iter()
                        .find(|k| k.array == array && order.same_element(&k.indices, &indices));
                    if let Some(value) = found.map(|k| k.value) {
                        self.renamed.insert(op.results[0], value);
                        continue;
                    }
                    known.push(Known {
                        array,
                        indices,
                        value: op.results[0],
                    });
                }
                OpKind::Store {
                    array,
                    indices,
                    value,
                } => {
                    let (array, indices) = (*array, self.resolved(indices));
                    self.forget(&mut known, array, &indices);
                    known.push(Known {
                        array,
                        indices,
                        value: *value,
                    });
                }
                OpKind::If(_) => {
                    self.nested(&mut op, &known);
                    let (merged, sunk) = self.merge_stores(op);
                    known.retain(|k| !stored.contains(&k.array));
                    ops.push(merged);
                    ops.extend(sunk);
                    continue;
                }
                _ => {
                    // In a loop, what it stores itself is unknown from the start.
                    known.retain(|k| !stored.contains(&k.array));
                    self.nested(&mut op, &known);
                }
            }
            ops.push(op);
        }
        Block {
            ops,
            yields: block.yields,
        }
    }

    fn nested(&mut self, op: &mut Op, known: &[Known]) {
        if let OpKind::For(f) = &op.kind {
            self.rewrite.enter(f);
        }
        for inner in op.kind.blocks_mut() {
            let taken = std::mem::take(inner);
            *inner = self.block(taken, known.to_vec());
        }
    }

    /// After a store: elements that may be the one stored are not known any more.
    fn forget(&self, known: &mut Vec<Known>, array: ArrayId, indices: &[ValueId]) {
        let order = self.rewrite.order();
        known.retain(|k| k.array != array || order.distinct(&k.indices, indices, NO_FACTS));
    }

    /// Stores at which both branches leave an array, to the same element: one store after the branches.
    fn merge_stores(&mut self, mut op: Op) -> (Op, Vec<Op>) {
        let mut sunk = Vec::new();
        let OpKind::If(branch) = &mut op.kind else {
            return (op, sunk);
        };
        let mut arrays: Vec<ArrayId> = Vec::new();
        for inner in &branch.then.ops {
            match inner.kind {
                OpKind::Store { array, .. } if !arrays.contains(&array) => arrays.push(array),
                _ => {}
            }
        }
        for array in arrays {
            let stores = (
                last_store(&branch.then, array),
                last_store(&branch.otherwise, array),
            );
            let (Some((then, indices, a)), Some((otherwise, others, b))) = stores else {
                continue;
            };
            // One value in both branches comes from before them.
            if self.resolved(&indices) != self.resolved(&others) {
                continue;
            }
            let span = branch.then.ops.remove(then).span;
            branch.otherwise.ops.remove(otherwise);
            branch.then.yields.push(a);
            branch.otherwise.yields.push(b);
            let Array { elem, name, .. } = &self.rewrite.kernel.arrays[array];
            let value = self.rewrite.kernel.values.push(Value {
                ty: *elem,
                name: Some(format!("{name}_elem")),
            });
            op.results.push(value);
            sunk.push(Op {
                kind: OpKind::Store {
                    array,
                    indices,
                    value,
                },
                results: vec![],
                span,
            });
        }
        (op, sunk)
    }

    /// Removes stores to an element that is stored again before anything may read it.
    fn drop_overwritten(&self, block: &mut Block) {
        let order = self.rewrite.order();
        let mut pending: Vec<(ArrayId, Vec<ValueId>)> = Vec::new();
        let mut kept = Vec::new();
        for mut op in std::mem::take(&mut block.ops).into_iter().rev() {
            for inner in op.kind.blocks_mut() {
                self.drop_overwritten(inner);
            }
            match &op.kind {
                OpKind::Store { array, indices, .. } => {
                    let indices = self.resolved(indices);
                    let again = |(a, later): &(ArrayId, Vec<ValueId>)| {
                        a == array && order.same_element(later, &indices)
                    };
                    if pending.iter().any(again) {
                        continue;
                    }
                    pending.push((*array, indices));
                }
                OpKind::Load { array, indices } => {
                    let indices = self.resolved(indices);
                    pending.retain(|(a, later)| {
                        a != array || order.distinct(later, &indices, NO_FACTS)
                    });
                }
                _ => pending.retain(|(a, _)| !touches(&op, *a)),
            }
            kept.push(op);
        }
        kept.reverse();
        block.ops = kept;
    }
}

/// If a block's last access to an array is a store: its place, indices and value.
fn last_store(block: &Block, array: ArrayId) -> Option<(usize, Vec<ValueId>, ValueId)> {
    let last = block.ops.iter().rposition(|op| touches(op, array))?;
    match &block.ops[last].kind {
        OpKind::Store { indices, value, .. } => Some((last, indices.clone(), *value)),
        _ => None,
    }
}

/// Whether an operation, or one inside of it, accesses an array.
pub fn touches(op: &Op, array: ArrayId) -> bool {
    let direct = match &op.kind {
        OpKind::Load { array: a, .. }
        | OpKind::Store { array: a, .. }
        | OpKind::Fill { array: a, .. } => *a == array,
        OpKind::Copy { dst, src } => *dst == array || *src == array,
        OpKind::Call(call) => {
            call.args.contains(&Arg::Array(array)) || call.result_arrays.contains(&array)
        }
        _ => false,
    };
    let mut inner = op.kind.blocks().into_iter().flat_map(|b| &b.ops);
    direct || inner.any(|o| touches(o, array))
}

/// Arrays that an operation, or one inside of it, changes.
fn stores_of(op: &Op, stored: &mut HashSet<ArrayId>) {
    match &op.kind {
        OpKind::Store { array, .. } | OpKind::Fill { array, .. } => {
            stored.insert(*array);
        }
        OpKind::Copy { dst, .. } => {
            stored.insert(*dst);
        }
        OpKind::Call(call) => {
            let arrays = call.args.iter().filter_map(|a| match a {
                Arg::Array(id) => Some(*id),
                Arg::Scalar(_) => None,
            });
            stored.extend(arrays.chain(call.result_arrays.iter().copied()));
        }
        _ => {}
    }
    for block in op.kind.blocks() {
        block.ops.iter().for_each(|inner| stores_of(inner, stored));
    }
}

/// What a value is called now.
fn resolve(renamed: &HashMap<ValueId, ValueId>, mut value: ValueId) -> ValueId {
    while let Some(&new) = renamed.get(&value) {
        value = new;
    }
    value
}
