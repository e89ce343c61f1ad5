//! Small loops inside of nests, all iterations of which stand side by side: the taps of a filter, the neighbours of a pixel.
//!
//! What the iterations of the loop around load again and again is at hand then, in registers and lines of them.

use crate::ir::analysis::Values;
use crate::ir::analysis::trip::Trip;
use crate::ir::{Block, Kernel, OpKind, Path, Tags, Unroll};
use crate::transform::unroll;
use num_traits::ToPrimitive;

/// Iterations of a small loop, and of those inside of it together, at most.
const MOST: u64 = 32;

/// The kernel without the small loops inside of others, and their names; `None` where there is none, or it cannot be.
pub fn unrolled(kernel: &Kernel) -> Option<(Kernel, Vec<String>)> {
    let mut kernel = kernel.clone();
    let values = Values::of(&kernel);
    let mut small = Vec::new();
    find(&values, &kernel.body, (&mut Vec::new(), false), &mut small);
    // Outermost first.
    small.sort_unstable();
    let loops = small.iter().filter_map(|path| kernel.body.for_at(path));
    let mut names: Vec<String> = loops.map(|f| f.label.clone()).collect();
    names.dedup();
    // Those before are where they were, and what users direct elsewhere stays as it is.
    for path in small.iter().rev() {
        if let Some(tags) = kernel.body.op_at_mut(path)?.kind.tags_mut() {
            tags.unroll = Some(Unroll::Fully);
        }
        unroll::at_once(&mut kernel, path).ok()?;
    }
    (!names.is_empty()).then_some((kernel, names))
}

/// Iterations that the loops of a block make, one after the other, if these are known and nothing is directed for them; notes those that
/// are small and in a loop, with all inside of them.
fn find(
    values: &Values,
    block: &Block,
    (path, is_inside): (&mut Path, bool),
    small: &mut Vec<Path>,
) -> Option<u64> {
    let mut all = Some(0u64);
    for (at, op) in block.ops.iter().enumerate() {
        let is_loop = matches!(op.kind, OpKind::For(_));
        let before = small.len();
        let mut inner = Some(0u64);
        for (number, block) in op.kind.blocks().into_iter().enumerate() {
            path.push((at, number));
            let found = find(values, block, (path, is_inside || is_loop), small);
            inner = inner
                .zip(found)
                .map(|(one, other)| one.saturating_add(other));
            path.pop();
        }
        let each = match &op.kind {
            OpKind::For(f) => {
                let trip = Trip::of(f, |value| values.constant(value).cloned());
                let trip = trip.filter(|_| f.tags == Tags::default());
                let trip = trip.and_then(|trip| trip.count.to_u64());
                trip.zip(inner)
                    .map(|(trip, inner)| trip.saturating_mul(inner.max(1)))
            }
            OpKind::While(_) => None,
            _ => inner,
        };
        all = all.zip(each).map(|(one, other)| one.saturating_add(other));
        if is_loop && is_inside && each.is_some_and(|each| each <= MOST) {
            small.push([&path[..], &[(at, 0)]].concat());
        } else if is_loop && each.is_none() {
            // What is directed inside stays as it is.
            small.truncate(before);
        }
    }
    all
}
