//! Whole-array fills and copies become loops over all elements.

use crate::diagnostics::Span;
use crate::ir::rewrite::{Rewriter, rewrite};
use crate::ir::*;

/// Expands every `Fill` and `Copy` of the kernel.
pub fn run(kernel: &mut Kernel) {
    let body = std::mem::take(&mut kernel.body);
    kernel.body = rewrite(body, &mut Expand { kernel });
}

struct Expand<'k> {
    kernel: &'k mut Kernel,
}

impl Rewriter for Expand<'_> {
    fn leave(&mut self, op: Op, out: &mut Vec<Op>) {
        match op.kind {
            OpKind::Fill { array, value } => {
                self.sweep(array, "fill", op.span, out, |build, indices| {
                    build.store(array, indices, value);
                });
            }
            OpKind::Copy { dst, src } => self.sweep(dst, "copy", op.span, out, |build, indices| {
                let to = build.kernel.arrays[dst].elem;
                let value = build.load(src, indices.clone());
                let value = build.cast(value, to);
                build.store(dst, indices, value);
            }),
            _ => out.push(op),
        }
    }
}

impl Expand<'_> {
    /// Appends a nest over all elements of `array`; `element` appends the work on one.
    fn sweep(
        &mut self,
        array: ArrayId,
        what: &str,
        span: Span,
        out: &mut Vec<Op>,
        element: impl FnOnce(&mut Build, Vec<ValueId>),
    ) {
        let Array { name, shape, .. } = self.kernel.arrays[array].clone();
        // Bounds outside of all loops; a dimension of extent 1 needs no loop.
        let mut build = self.kernel.build(out, span);
        let (lo, step) = (build.index(0), build.index(1));
        let mut indices = Vec::new();
        let mut loops = Vec::new();
        for extent in shape {
            if extent == 1 {
                indices.push(lo);
                continue;
            }
            let hi = build.index(extent);
            let iv = build.kernel.value(Scalar::Index, None);
            indices.push(iv);
            loops.push((iv, hi));
        }
        let mut ops = Vec::new();
        element(&mut self.kernel.build(&mut ops, span), indices);
        for (i, (iv, hi)) in loops.into_iter().enumerate().rev() {
            let label = match i {
                0 => format!("{what}_{name}"),
                i => format!("{what}_{name}_{i}"),
            };
            let mut nested = For::counted(iv, [lo, hi, step], &label, ops);
            nested.parallel = true;
            ops = vec![Op {
                kind: OpKind::For(Box::new(nested)),
                results: vec![],
                span,
            }];
        }
        out.extend(ops);
    }
}
