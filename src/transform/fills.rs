//! Fills that nothing sees go: what follows them overwrites elements before anything reads them.

use crate::ir::analysis::Values;
use crate::ir::analysis::initialised::{Found, follow};
use crate::ir::analysis::touch::arrays;
use crate::ir::*;
use std::collections::{BTreeSet, HashMap};

/// Drops such fills in all blocks.
pub fn run(kernel: &mut Kernel) {
    let values = Values::of(kernel);
    let mut body = std::mem::take(&mut kernel.body);
    let all = Accesses::of(&body.ops);
    drop_fills(kernel, &mut body, &values, &all);
    kernel.body = body;
}

/// How often each array is accessed.
struct Accesses(HashMap<ArrayId, usize>);

impl Accesses {
    fn of<'b>(ops: impl IntoIterator<Item = &'b Op>) -> Accesses {
        let mut accesses = Accesses(HashMap::new());
        for op in ops {
            accesses.add(op);
        }
        accesses
    }

    fn add(&mut self, op: &Op) {
        let (read, written) = arrays(&op.kind);
        for array in BTreeSet::from_iter(read.into_iter().chain(written)) {
            *self.0.entry(array).or_default() += 1;
        }
        for block in op.kind.blocks() {
            block.ops.iter().for_each(|op| self.add(op));
        }
    }
}

fn drop_fills(kernel: &Kernel, block: &mut Block, values: &Values, all: &Accesses) {
    for op in &mut block.ops {
        for inner in op.kind.blocks_mut() {
            drop_fills(kernel, inner, values, all);
        }
    }
    let is_fill = |op: &Op| matches!(op.kind, OpKind::Fill { .. });
    if !block.ops.iter().any(is_fill) {
        return;
    }
    // The operations that access each array, the last one first.
    let mut after: HashMap<ArrayId, Vec<usize>> = HashMap::new();
    let mut accesses: HashMap<ArrayId, usize> = HashMap::new();
    let mut dropped = BTreeSet::new();
    for (i, op) in block.ops.iter().enumerate().rev() {
        for (array, count) in Accesses::of([op]).0 {
            *accesses.entry(array).or_default() += count;
            if let OpKind::Fill { array, .. } = op.kind {
                let ops = after.get(&array).into_iter().flatten().rev();
                let found = follow(kernel, values, array, ops.map(|&i| &block.ops[i]));
                let is_unseen = match found {
                    Found::All => true,
                    // What comes before the fill, or after the block, sees nothing either.
                    Found::WhatIsRead => {
                        kernel.arrays[array].kind == ArrayKind::Local
                            && all.0.get(&array) == accesses.get(&array)
                    }
                    Found::Open => false,
                };
                if is_unseen {
                    dropped.insert(i);
                    continue;
                }
            }
            after.entry(array).or_default().push(i);
        }
    }
    let mut place = 0..;
    block
        .ops
        .retain(|_| place.next().is_some_and(|i| !dropped.contains(&i)));
}
