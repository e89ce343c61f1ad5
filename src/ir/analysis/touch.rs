//! Which arrays operations access, with everything inside of them.

use crate::ir::{Arg, ArrayId, Block, Element, KernelId, Op, OpKind};
use std::collections::{BTreeMap, BTreeSet};

/// Arrays that an operation itself reads and writes, in this order.
pub fn arrays(kind: &OpKind) -> (Vec<ArrayId>, Vec<ArrayId>) {
    match kind {
        OpKind::Load { at, .. } => (vec![at.array], vec![]),
        OpKind::Store { at, .. } => (vec![], vec![at.array]),
        // Each changes what is in the queue.
        OpKind::Get { at } | OpKind::Put { at, .. } | OpKind::Attempt { at, .. } => {
            (vec![at.array], vec![at.array])
        }
        OpKind::Fill { array, .. } => (vec![], vec![*array]),
        OpKind::Copy { dst, src } => (vec![*src], vec![*dst]),
        OpKind::Call(call) => {
            let passed = call.args.iter().filter_map(|arg| match arg {
                Arg::Array(id) => Some(*id),
                Arg::Scalar(_) => None,
            });
            let passed: Vec<ArrayId> = passed.collect();
            // A callee may do both.
            let written = passed.iter().chain(&call.result_arrays).copied().collect();
            (passed, written)
        }
        _ => (vec![], vec![]),
    }
}

/// Whether two operations access an array in common, and one of them writes it.
pub fn clash(one: &Op, other: &Op) -> bool {
    let ((reads, writes), (others_read, others_write)) = (arrays(&one.kind), arrays(&other.kind));
    let meets = |written: &[_], others: &[_]| written.iter().any(|array| others.contains(array));
    meets(&writes, &others_read) || meets(&writes, &others_write) || meets(&reads, &others_write)
}

/// The element that a load or store accesses.
pub fn element(kind: &OpKind) -> Option<&Element> {
    match kind {
        OpKind::Load { at, .. } | OpKind::Store { at, .. } => Some(at),
        _ => None,
    }
}

/// Arrays accessed in a block and the blocks inside.
#[derive(Clone, Debug, Default)]
pub struct Touched {
    /// Those that are read.
    pub read: BTreeSet<ArrayId>,
    /// Those that are written.
    pub written: BTreeSet<ArrayId>,
}

impl Touched {
    /// By an operation and everything inside of it.
    pub fn by(op: &Op) -> Touched {
        let mut touched = Touched::default();
        touched.add(op);
        for block in op.kind.blocks() {
            block.for_each_op(&mut |op| touched.add(op));
        }
        touched
    }

    /// By operations and everything inside of them.
    pub fn by_all(ops: &[Op]) -> Touched {
        let mut touched = Touched::default();
        for op in ops {
            let Touched { read, written } = Touched::by(op);
            touched.read.extend(read);
            touched.written.extend(written);
        }
        touched
    }

    /// By all operations of a block.
    pub fn by_block(block: &Block) -> Touched {
        let mut touched = Touched::default();
        block.for_each_op(&mut |op| touched.add(op));
        touched
    }

    fn add(&mut self, op: &Op) {
        let (read, written) = arrays(&op.kind);
        self.read.extend(read);
        self.written.extend(written);
    }

    /// Whether an array is read or written.
    pub fn contains(&self, array: ArrayId) -> bool {
        self.read.contains(&array) || self.written.contains(&array)
    }
}

/// Whether an operation, or one inside of it, accesses an array.
pub fn touches(op: &Op, array: ArrayId) -> bool {
    let itself = |op: &Op| {
        let (read, written) = arrays(&op.kind);
        read.contains(&array) || written.contains(&array)
    };
    let mut found = itself(op);
    for block in op.kind.blocks() {
        block.for_each_op(&mut |op| found |= itself(op));
    }
    found
}

/// Arrays that a block may write; `writes(callee, i)` says whether a callee writes its parameter `i`.
pub fn written(block: &Block, writes: impl Fn(KernelId, usize) -> bool) -> BTreeSet<ArrayId> {
    let mut found = BTreeSet::new();
    block.for_each_op(&mut |op| {
        let OpKind::Call(call) = &op.kind else {
            return found.extend(arrays(&op.kind).1);
        };
        found.extend(&call.result_arrays);
        for (i, arg) in call.args.iter().enumerate() {
            if let Arg::Array(id) = arg
                && writes(call.kernel, i)
            {
                found.insert(*id);
            }
        }
    });
    found
}

/// How often operations, and those inside, access elements of each array.
pub fn accesses<'a>(ops: impl IntoIterator<Item = &'a Op>) -> BTreeMap<ArrayId, u64> {
    let mut found = BTreeMap::new();
    let mut count = |op: &Op| {
        if let Some(at) = element(&op.kind) {
            *found.entry(at.array).or_default() += 1;
        }
    };
    for op in ops {
        count(op);
        for block in op.kind.blocks() {
            block.for_each_op(&mut count);
        }
    }
    found
}
