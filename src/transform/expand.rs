//! Whole-array fills and copies become loops over all elements.

use crate::diagnostics::Span;
use crate::ir::*;
use num_bigint::BigInt;

/// Expands every `Fill` and `Copy` of the kernel.
pub fn run(kernel: &mut Kernel) {
    let body = std::mem::take(&mut kernel.body);
    kernel.body = expand_block(kernel, body);
}

fn expand_block(kernel: &mut Kernel, block: Block) -> Block {
    let mut result = Block {
        ops: Vec::new(),
        yields: block.yields,
    };
    for mut op in block.ops {
        for inner in op.kind.blocks_mut() {
            let taken = std::mem::take(inner);
            *inner = expand_block(kernel, taken);
        }
        match op.kind {
            OpKind::Fill { array, value } => {
                let label = format!("fill_{}", kernel.arrays[array].name);
                sweep(
                    kernel,
                    array,
                    &label,
                    op.span,
                    &mut result,
                    |_, ops, indices| {
                        ops.push(store(array, indices, value, op.span));
                    },
                );
            }
            OpKind::Copy { dst, src } => {
                let label = format!("copy_{}", kernel.arrays[dst].name);
                sweep(
                    kernel,
                    dst,
                    &label,
                    op.span,
                    &mut result,
                    |kernel, ops, indices| {
                        copy_element(kernel, ops, dst, src, indices, op.span);
                    },
                );
            }
            _ => result.ops.push(op),
        }
    }
    result
}

fn store(array: ArrayId, indices: Vec<ValueId>, value: ValueId, span: Span) -> Op {
    Op {
        kind: OpKind::Store {
            array,
            indices,
            value,
        },
        results: vec![],
        span,
    }
}

fn copy_element(
    kernel: &mut Kernel,
    ops: &mut Vec<Op>,
    dst: ArrayId,
    src: ArrayId,
    indices: Vec<ValueId>,
    span: Span,
) {
    let (from, to) = (kernel.arrays[src].elem, kernel.arrays[dst].elem);
    let load = OpKind::Load {
        array: src,
        indices: indices.clone(),
    };
    let mut value = kernel.emit(from, load, span, ops);
    if from != to {
        value = kernel.emit(to, OpKind::Cast { arg: value }, span, ops);
    }
    ops.push(store(dst, indices, value, span));
}

/// Appends a nest over all elements of `array`; `element` appends the work on one.
fn sweep(
    kernel: &mut Kernel,
    array: ArrayId,
    label: &str,
    span: Span,
    block: &mut Block,
    element: impl FnOnce(&mut Kernel, &mut Vec<Op>, Vec<ValueId>),
) {
    let shape = kernel.arrays[array].shape.clone();
    let constant = |kernel: &mut Kernel, ops: &mut Vec<Op>, value: u64| {
        let kind = OpKind::Const(Const::Int(BigInt::from(value)));
        kernel.emit(Scalar::Index, kind, span, ops)
    };
    // Bounds outside of all loops; a dimension of extent 1 needs no loop.
    let lo = constant(kernel, &mut block.ops, 0);
    let step = constant(kernel, &mut block.ops, 1);
    let mut indices = Vec::new();
    let mut bounds = Vec::new();
    for &extent in &shape {
        if extent == 1 {
            indices.push(lo);
            continue;
        }
        let hi = constant(kernel, &mut block.ops, extent);
        let iv = kernel.values.push(Value {
            ty: Scalar::Index,
            name: None,
        });
        indices.push(iv);
        bounds.push((iv, hi));
    }
    let mut ops = Vec::new();
    element(kernel, &mut ops, indices);
    for (i, (iv, hi)) in bounds.into_iter().enumerate().rev() {
        let label = if i == 0 {
            label.to_string()
        } else {
            format!("{label}_{i}")
        };
        let nested = For {
            lo,
            hi,
            step,
            descending: false,
            inits: vec![],
            iv,
            carried: vec![],
            body: Block {
                ops,
                yields: vec![],
            },
            parallel: true,
            label,
        };
        ops = vec![Op {
            kind: OpKind::For(Box::new(nested)),
            results: vec![],
            span,
        }];
    }
    block.ops.extend(ops);
}
