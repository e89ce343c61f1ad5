//! Whole-array fills and copies become loops over all elements; those of an array that is split into banks over one element
//! of every bank at a time. Those one behind the other that have nothing to do with each other are one loop.

use crate::diagnostics::Span;
use crate::ir::analysis::touch;
use crate::ir::grid::combinations;
use crate::ir::partition::{Split, splits};
use crate::ir::*;

/// Expands every `Fill` and `Copy` of the kernel.
pub fn run(kernel: &mut Kernel) {
    let body = std::mem::take(&mut kernel.body);
    kernel.body = Expand { kernel }.block(body);
}

struct Expand<'k> {
    kernel: &'k mut Kernel,
}

impl Expand<'_> {
    fn block(&mut self, block: Block) -> Block {
        let mut out = Vec::with_capacity(block.ops.len());
        let mut together: Vec<Op> = Vec::new();
        for mut op in block.ops {
            for inner in op.kind.blocks_mut() {
                *inner = self.block(std::mem::take(inner));
            }
            let is_sweep = matches!(op.kind, OpKind::Fill { .. } | OpKind::Copy { .. });
            // Constants stand before all of them.
            let is_constant = matches!(op.kind, OpKind::Const(_));
            let joins = is_sweep && together.iter().all(|other| self.are_apart(other, &op));
            if !is_constant && !joins {
                self.sweeps(std::mem::take(&mut together), &mut out);
            }
            match is_sweep {
                true => together.push(op),
                false => out.push(op),
            }
        }
        self.sweeps(together, &mut out);
        Block {
            ops: out,
            yields: block.yields,
        }
    }

    /// Whether two sweeps walk alike and neither writes what the other one accesses.
    fn are_apart(&self, one: &Op, other: &Op) -> bool {
        let [(one_read, one_written), (read, written)] =
            [one, other].map(|op| touch::arrays(&op.kind));
        let shape = |written: &[ArrayId]| &self.kernel.arrays[written[0]].shape;
        let is_free = |id: &ArrayId| !one_written.contains(id);
        shape(&one_written) == shape(&written)
            && self.lanes(&one.kind) == self.lanes(&other.kind)
            && read.iter().chain(&written).all(is_free)
            && written.iter().all(|id| !one_read.contains(id))
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
    fn sweeps(&mut self, ops: Vec<Op>, out: &mut Vec<Op>) {
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
