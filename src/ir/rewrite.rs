//! The one walk of all rewrites: over the operations of a kernel, inner blocks before what they are in.

use super::{Block, Op};

/// What a pass makes of operations.
pub trait Rewriter {
    /// Before block number `_block` of an operation is visited.
    fn enter(&mut self, _op: &mut Op, _block: usize) {}
    /// After that block was visited.
    fn exit(&mut self, _op: &mut Op, _block: usize) {}
    /// Appends what stands for an operation, the blocks of which have been visited, to `out`.
    fn leave(&mut self, op: Op, out: &mut Vec<Op>);
}

/// Rewrites a block and the blocks inside.
pub fn rewrite(block: Block, pass: &mut impl Rewriter) -> Block {
    let mut out = Vec::with_capacity(block.ops.len());
    for mut op in block.ops {
        for number in 0..op.kind.blocks().len() {
            pass.enter(&mut op, number);
            let inner = std::mem::take(&mut *op.kind.blocks_mut()[number]);
            let inner = rewrite(inner, pass);
            *op.kind.blocks_mut()[number] = inner;
            pass.exit(&mut op, number);
        }
        pass.leave(op, &mut out);
    }
    Block {
        ops: out,
        yields: block.yields,
    }
}
