//! Removes operations that influence nothing: unused pure values, and stores to arrays that nothing reads.

use crate::ir::{ArrayId, ArrayKind, Block, Kernel, Op, OpKind, ValueId};
use std::collections::HashSet;

/// Runs to a fixed point.
pub fn run(kernel: &mut Kernel) {
    loop {
        let mut used = HashSet::new();
        let mut read = HashSet::new();
        kernel.body.for_each_op(&mut |op| match &op.kind {
            OpKind::Load { array, .. } => {
                read.insert(*array);
            }
            OpKind::Copy { src, .. } => {
                read.insert(*src);
            }
            OpKind::Call(call) => read.extend(call.args.iter().filter_map(|a| match a {
                crate::ir::Arg::Array(id) => Some(*id),
                crate::ir::Arg::Scalar(_) => None,
            })),
            _ => {}
        });
        kernel.body.for_each_use(&mut |v| {
            used.insert(*v);
        });
        let unread: HashSet<ArrayId> = kernel
            .arrays
            .iter()
            .filter(|(id, a)| a.kind == ArrayKind::Local && !read.contains(id))
            .map(|(id, _)| id)
            .collect();
        if !sweep(&mut kernel.body, &used, &unread) {
            return;
        }
    }
}

/// Whether anything was removed.
fn sweep(block: &mut Block, used: &HashSet<ValueId>, unread: &HashSet<ArrayId>) -> bool {
    let before = block.ops.len();
    block.ops.retain(|op| !is_dead(op, used, unread));
    let mut changed = block.ops.len() != before;
    for op in &mut block.ops {
        for inner in op.kind.blocks_mut() {
            changed |= sweep(inner, used, unread);
        }
    }
    changed
}

fn is_dead(op: &Op, used: &HashSet<ValueId>, unread: &HashSet<ArrayId>) -> bool {
    let unused = op.results.iter().all(|r| !used.contains(r));
    match &op.kind {
        OpKind::Store { array, .. } | OpKind::Fill { array, .. } => unread.contains(array),
        OpKind::Copy { dst, .. } => unread.contains(dst),
        OpKind::For(f) => {
            unused && f.body.ops.iter().all(|o| is_dead(o, used, unread)) && f.carried.is_empty()
        }
        OpKind::If(i) => unused && i.then.ops.is_empty() && i.otherwise.ops.is_empty(),
        kind => kind.is_pure() && unused,
    }
}
