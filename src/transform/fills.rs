//! Fills that nothing sees go: what follows them overwrites every element before anything reads one.

use crate::ir::analysis::Values;
use crate::ir::analysis::touch::{Touched, touches};
use crate::ir::*;
use num_traits::ToPrimitive;
use std::collections::{BTreeSet, HashMap};

/// Drops such fills in all blocks.
pub fn run(kernel: &mut Kernel) {
    let values = Values::of(kernel);
    let mut body = std::mem::take(&mut kernel.body);
    drop_fills(kernel, &mut body, &values);
    kernel.body = body;
}

fn drop_fills(kernel: &Kernel, block: &mut Block, values: &Values) {
    for op in &mut block.ops {
        for inner in op.kind.blocks_mut() {
            drop_fills(kernel, inner, values);
        }
    }
    if !block
        .ops
        .iter()
        .any(|op| matches!(op.kind, OpKind::Fill { .. }))
    {
        return;
    }
    // The next access to each array, from the end.
    let mut next: HashMap<ArrayId, usize> = HashMap::new();
    let mut dropped = BTreeSet::new();
    for (i, op) in block.ops.iter().enumerate().rev() {
        if let OpKind::Fill { array, .. } = op.kind {
            let coverage = Coverage {
                array,
                extents: &kernel.arrays[array].shape,
                values,
            };
            if next
                .get(&array)
                .is_some_and(|&j| coverage.overwrites(&block.ops[j]))
            {
                dropped.insert(i);
                continue;
            }
        }
        let Touched { read, written } = Touched::by(op);
        next.extend(read.union(&written).map(|&array| (array, i)));
    }
    let mut place = 0..;
    block
        .ops
        .retain(|_| place.next().is_some_and(|i| !dropped.contains(&i)));
}

/// Decides whether a fill is overwritten before anything can see it.
struct Coverage<'k> {
    array: ArrayId,
    extents: &'k [u64],
    values: &'k Values,
}

impl Coverage<'_> {
    fn overwrites(&self, op: &Op) -> bool {
        match &op.kind {
            OpKind::Fill { array, .. } => *array == self.array,
            OpKind::Copy { dst, src } => *dst == self.array && *src != self.array,
            OpKind::Call(call) => {
                call.result_arrays.contains(&self.array)
                    && !call.args.contains(&Arg::Array(self.array))
            }
            OpKind::For(f) => self.nest_overwrites(f, &mut Vec::new()),
            _ => false,
        }
    }

    /// Whether a nest of complete loops stores every element once, before any other access to it.
    fn nest_overwrites(&self, f: &For, ivs: &mut Vec<(ValueId, u64)>) -> bool {
        let constant = |v: ValueId| self.values.constant(v).and_then(ToPrimitive::to_u64);
        let (Some(0), Some(extent), Some(1)) = (constant(f.lo), constant(f.hi), constant(f.step))
        else {
            return false;
        };
        ivs.push((f.iv, extent));
        let touching = |op: &Op| touches(op, self.array);
        let Some(at) = f.body.ops.iter().position(touching) else {
            return false;
        };
        let rest = &f.body.ops[at + 1..];
        match &f.body.ops[at].kind {
            OpKind::Store { at, .. } if at.when.is_none() => {
                self.stores_all(&at.indices, ivs)
                    && rest.iter().all(|op| self.only_at(op, &at.indices))
            }
            OpKind::For(inner) => !rest.iter().any(touching) && self.nest_overwrites(inner, ivs),
            _ => false,
        }
    }

    /// Whether the indices are the induction variables of complete loops, each once.
    fn stores_all(&self, indices: &[ValueId], ivs: &[(ValueId, u64)]) -> bool {
        let distinct: BTreeSet<_> = indices.iter().collect();
        distinct.len() == indices.len()
            && ivs.iter().all(|(_, extent)| *extent > 0)
            && indices
                .iter()
                .zip(self.extents)
                .all(|(index, extent)| ivs.contains(&(*index, *extent)))
    }

    /// Whether the operation touches the array at most by loads and stores of the element.
    fn only_at(&self, op: &Op, element: &[ValueId]) -> bool {
        match &op.kind {
            OpKind::Load { at, .. } | OpKind::Store { at, .. } => {
                at.array != self.array || at.indices == element
            }
            OpKind::Fill { .. } | OpKind::Copy { .. } | OpKind::Call(_) => !touches(op, self.array),
            other => {
                let mut ops = other.blocks().into_iter().flat_map(|block| &block.ops);
                ops.all(|op| self.only_at(op, element))
            }
        }
    }
}
