//! Copies of a loop's body side by side: what stands before a loop inside, of one copy after the other, then the loops as one,
//! and so on.

use crate::ir::{Block, For, Op, OpKind, ValueId};
use std::collections::HashMap;

/// One block of several copies of a block, the loops of which run equally often.
pub fn jam(copies: Vec<Block>) -> Block {
    let mut jammed = Block::default();
    let yields = copies.iter().flat_map(|copy| copy.yields.iter().copied());
    jammed.yields = yields.collect();
    let lanes = copies.into_iter().map(|copy| copy.ops.into_iter());
    let mut lanes: Vec<_> = lanes.collect();
    loop {
        let mut loops = Vec::new();
        for lane in &mut lanes {
            for op in lane {
                if matches!(op.kind, OpKind::For(_)) {
                    loops.push(op);
                    break;
                }
                jammed.ops.push(op);
            }
        }
        match loops.is_empty() {
            true => return jammed,
            false => jammed.ops.push(fused(loops)),
        }
    }
}

/// One loop of copies of a loop.
fn fused(ops: Vec<Op>) -> Op {
    let span = ops[0].span;
    let (mut loops, mut results): (Vec<For>, Vec<ValueId>) = (Vec::new(), Vec::new());
    for op in ops {
        results.extend(op.results);
        if let OpKind::For(f) = op.kind {
            loops.push(*f);
        }
    }
    let iv = loops[0].iv;
    let renamed: HashMap<ValueId, ValueId> = loops.iter().map(|f| (f.iv, iv)).collect();
    let mut fused = For {
        inits: Vec::new(),
        carried: Vec::new(),
        label: loops[0].label.clone(),
        body: Block::default(),
        ..loops[0]
    };
    let mut bodies = Vec::new();
    for mut f in loops {
        fused.inits.extend(f.inits);
        fused.carried.extend(f.carried);
        f.body
            .for_each_use(&mut |value| *value = *renamed.get(value).unwrap_or(value));
        bodies.push(f.body);
    }
    fused.body = jam(bodies);
    Op {
        kind: OpKind::For(Box::new(fused)),
        results,
        span,
    }
}
