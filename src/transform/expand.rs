//! Whole-array fills and copies become loops over all elements; those of an array that is split into banks over one element
//! of every bank at a time.

use crate::diagnostics::Span;
use crate::ir::grid::combinations;
use crate::ir::partition::{Split, splits};
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
                let lanes = self.lanes(array);
                self.sweep(array, lanes, "fill", op.span, out, |build, indices| {
                    build.store(array, indices, value);
                });
            }
            OpKind::Copy { dst, src } => {
                let arrays = &self.kernel.arrays;
                let lanes = match arrays[dst].partition == arrays[src].partition {
                    true => self.lanes(dst),
                    // The same banks would be asked for more than one element.
                    false => vec![None; arrays[dst].shape.len()],
                };
                self.sweep(dst, lanes, "copy", op.span, out, |build, indices| {
                    let to = build.kernel.arrays[dst].elem;
                    let value = build.load(src, indices.clone());
                    let value = build.cast(value, to);
                    build.store(dst, indices, value);
                })
            }
            _ => out.push(op),
        }
    }
}

impl Expand<'_> {
    /// How each dimension of an array is split.
    fn lanes(&self, array: ArrayId) -> Vec<Option<Split>> {
        let Array {
            shape, partition, ..
        } = &self.kernel.arrays[array];
        let mut lanes = vec![None; shape.len()];
        for split in splits(shape, partition) {
            lanes[split.dim] = Some(split);
        }
        lanes
    }

    /// Appends a nest over all elements of `array`, over one of each part of the dimensions in `lanes` at a time; `element`
    /// appends the work on one.
    fn sweep(
        &mut self,
        array: ArrayId,
        lanes: Vec<Option<Split>>,
        what: &str,
        span: Span,
        out: &mut Vec<Op>,
        mut element: impl FnMut(&mut Build, Vec<ValueId>),
    ) {
        let Array { name, shape, .. } = self.kernel.arrays[array].clone();
        // Bounds outside of all loops; what runs once needs no loop.
        let mut build = self.kernel.build(out, span);
        let (lo, step) = (build.index(0), build.index(1));
        let mut loops = Vec::new();
        let mut ops = Vec::new();
        let mut choices = Vec::new();
        for (&extent, lanes) in shape.iter().zip(lanes) {
            let share = lanes.map_or(extent, |split| split.share());
            let mut build = self.kernel.build(out, span);
            let inside = match share {
                1 => lo,
                share => {
                    let hi = build.index(share);
                    let iv = build.kernel.value(Scalar::Index, None);
                    loops.push((iv, hi));
                    iv
                }
            };
            let mut build = self.kernel.build(&mut ops, span);
            let indices: Vec<ValueId> = match lanes {
                None => vec![inside],
                Some(split) => (0..split.factor)
                    .map(|part| index_of(&mut build, &split, part, inside))
                    .collect(),
            };
            choices.push(indices);
        }
        for indices in combinations(choices) {
            element(&mut self.kernel.build(&mut ops, span), indices);
        }
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

/// The index in a dimension of one in a part.
fn index_of(build: &mut Build, split: &Split, part: u64, inside: ValueId) -> ValueId {
    let (factor, offset) = split.scale(part);
    let factor = build.index(factor);
    let scaled = build.binary(BinaryOp::Mul, inside, factor);
    let offset = build.index(offset);
    build.binary(BinaryOp::Add, scaled, offset)
}
