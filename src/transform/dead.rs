//! Removes what influences nothing: unused pure values, stores to arrays that nothing reads, arrays without accesses.

use crate::hash::FastSet;
use crate::ir::analysis::touch::{self, Touched};
use crate::ir::{ArrayId, ArrayKind, Block, Kernel, Op, OpKind, ValueId};

/// Removes everything dead, going from the end of the kernel to its start; again if an array became unread by that.
pub fn run(kernel: &mut Kernel) {
    loop {
        let mut read = FastSet::default();
        kernel
            .body
            .for_each_op(&mut |op| read.extend(touch::arrays(&op.kind).0));
        let local = |kind: &ArrayKind| matches!(kind, ArrayKind::Local | ArrayKind::State(_));
        let unread = kernel.arrays.iter();
        let unread = unread.filter(|(id, a)| local(&a.kind) && !read.contains(id));
        let mut sweep = Sweep {
            unread: unread.map(|(id, _)| id).collect(),
            used: FastSet::default(),
            lost_reads: false,
        };
        sweep.block(&mut kernel.body);
        if !sweep.lost_reads {
            break;
        }
    }
    let touched = Touched::by_block(&kernel.body);
    kernel.retain_arrays(|id, array| {
        matches!(array.kind, ArrayKind::Param(_) | ArrayKind::Result(_)) || touched.contains(id)
    });
}

struct Sweep {
    unread: FastSet<ArrayId>,
    /// Values that something behind reads.
    used: FastSet<ValueId>,
    /// An operation that read an array is gone.
    lost_reads: bool,
}

impl Sweep {
    /// Users come after what they use, so one pass from the end finds all.
    fn block(&mut self, block: &mut Block) {
        self.used.extend(&block.yields);
        let mut kept = Vec::with_capacity(block.ops.len());
        for mut op in std::mem::take(&mut block.ops).into_iter().rev() {
            if self.is_dead(&op) {
                self.lost_reads |= !Touched::by(&op).read.is_empty();
                continue;
            }
            self.used.extend(op.kind.operands());
            for inner in op.kind.blocks_mut().into_iter().rev() {
                self.block(inner);
            }
            kept.push(op);
        }
        kept.reverse();
        block.ops = kept;
    }

    fn is_dead(&self, op: &Op) -> bool {
        op.results.iter().all(|r| !self.used.contains(r)) && self.has_no_effect(&op.kind)
    }

    fn has_no_effect(&self, kind: &OpKind) -> bool {
        match kind {
            OpKind::Store { at, .. } => self.unread.contains(&at.array),
            OpKind::Fill { array, .. } => self.unread.contains(array),
            OpKind::Copy { dst, .. } => self.unread.contains(dst),
            // Others wait for it.
            OpKind::Get { .. } | OpKind::Put { .. } | OpKind::Attempt { .. } => false,
            OpKind::Assume { .. } | OpKind::Promise(_) => false,
            // It may run for ever.
            OpKind::While(_) | OpKind::Call(_) => false,
            OpKind::For(_) | OpKind::If(_) => {
                let mut ops = kind.blocks().into_iter().flat_map(|block| &block.ops);
                ops.all(|op| self.has_no_effect(&op.kind))
            }
            _ => true,
        }
    }
}
