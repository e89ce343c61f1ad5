//! Whole-array fills and copies become loops over all elements; those of an array that is split into banks over one element
//! of every bank at a time. Those one behind the other that have nothing to do with each other are one loop.

use crate::diagnostics::Span;
use crate::ir::analysis::touch;
use crate::ir::grid::combinations;
use crate::ir::partition::{Split, splits};
use crate::ir::*;
use std::collections::BTreeSet;

/// Expands every `Fill` and `Copy` of the kernel.
pub fn run(kernel: &mut Kernel) {
    let body = std::mem::take(&mut kernel.body);
    kernel.body = Expand { kernel }.block(body);
}

/// Expands those of a block; `kernel` is without its body.
pub fn inside(kernel: &mut Kernel, block: &mut Block) {
    *block = Expand { kernel }.block(std::mem::take(block));
}

struct Expand<'k> {
    kernel: &'k mut Kernel,
}

/// Sweeps that are one loop, and the arrays that they access.
#[derive(Default)]
struct Together {
    ops: Vec<Op>,
    read: BTreeSet<ArrayId>,
    written: BTreeSet<ArrayId>,
}

impl Expand<'_> {
    fn block(&mut self, block: Block) -> Block {
        let mut out = Vec::with_capacity(block.ops.len());
        let mut together = Together::default();
        for mut op in block.ops {
            for inner in op.kind.blocks_mut() {
                *inner = self.block(std::mem::take(inner));
            }
            match op.kind {
                OpKind::Fill { .. } | OpKind::Copy { .. } => {
                    let (read, written) = touch::arrays(&op.kind);
                    if !self.joins(&together, &op.kind, (&read, &written)) {
                        self.sweeps(std::mem::take(&mut together), &mut out);
                    }
                    together.read.extend(read);
                    together.written.extend(written);
                    together.ops.push(op);
                }
                // Constants stand before all of them.
                OpKind::Const(_) => out.push(op),
                _ => {
                    self.sweeps(std::mem::take(&mut together), &mut out);
                    out.push(op);
                }
            }
        }
        self.sweeps(together, &mut out);
        Block {
            ops: out,
            yields: block.yields,
        }
    }

    /// Whether a sweep walks as others do, and neither writes what the other accesses.
    fn joins(
        &self,
        together: &Together,
        sweep: &OpKind,
        (read, written): (&[ArrayId], &[ArrayId]),
    ) -> bool {
        let Some(first) = together.ops.first() else {
            return true;
        };
        self.walk(&first.kind) == self.walk(sweep)
            && read
                .iter()
                .chain(written)
                .all(|id| !together.written.contains(id))
            && written.iter().all(|id| !together.read.contains(id))
    }

    /// The extents of what a sweep walks through, and its lanes.
    fn walk(&self, sweep: &OpKind) -> Option<(&[u64], Vec<Option<Split>>)> {
        let (OpKind::Fill { array, .. } | OpKind::Copy { dst: array, .. }) = sweep else {
            return None;
        };
        Some((&self.kernel.arrays[*array].shape, self.lanes(sweep)))
    }

    /// One element of each part of the dimensions that is split where a sweep walks.
    fn lanes(&self, kind: &OpKind) -> Vec<Option<Split>> {
        let arrays = &self.kernel.arrays;
        match *kind {
            OpKind::Fill { array, .. } => split_dims(&arrays[array]),
            OpKind::Copy { dst, src } if arrays[dst].partition == arrays[src].partition => {
                split_dims(&arrays[dst])
            }
            // The same banks would be asked for more than one element.
            OpKind::Copy { dst, .. } => vec![None; arrays[dst].shape.len()],
            _ => Vec::new(),
        }
    }

    /// One nest for sweeps that walk alike.
    fn sweeps(&mut self, Together { ops, .. }: Together, out: &mut Vec<Op>) {
        let Some(first) = ops.first() else { return };
        let (array, what) = match first.kind {
            OpKind::Fill { array, .. } => (array, "fill"),
            OpKind::Copy { dst, .. } => (dst, "copy"),
            _ => return,
        };
        let (lanes, span) = (self.lanes(&first.kind), first.span);
        self.sweep(array, lanes, what, span, out, |build, indices| {
            for op in &ops {
                build.span = op.span;
                element(build, &op.kind, &indices);
            }
        });
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

/// How each dimension of an array is split.
fn split_dims(array: &Array) -> Vec<Option<Split>> {
    let Array {
        shape, partition, ..
    } = array;
    let mut lanes = vec![None; shape.len()];
    for split in splits(shape, partition) {
        lanes[split.dim] = Some(split);
    }
    lanes
}

/// What a sweep does with an element.
fn element(build: &mut Build, sweep: &OpKind, indices: &[ValueId]) {
    match *sweep {
        OpKind::Fill { array, value } => build.store(array, indices.to_vec(), value),
        OpKind::Copy { dst, src } => {
            let to = build.kernel.arrays[dst].elem;
            let value = build.load(src, indices.to_vec());
            let value = build.cast(value, to);
            build.store(dst, indices.to_vec(), value);
        }
        _ => {}
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
