//! An element of a table is a constant where its place is one, as in loops that are unrolled.

use crate::ir::grid::number;
use crate::ir::*;
use num_traits::ToPrimitive;
use std::collections::HashMap;

/// Makes constants of all such loads.
pub fn run(kernel: &mut Kernel) {
    let is_table = |array: &Array| matches!(array.kind, ArrayKind::Table(_));
    if kernel.arrays.values().any(is_table) {
        let mut body = std::mem::take(&mut kernel.body);
        fold_loads(kernel, &mut body, &mut HashMap::new());
        kernel.body = body;
    }
}

/// `known`: the indices that are constants.
fn fold_loads(kernel: &Kernel, block: &mut Block, known: &mut HashMap<ValueId, u64>) {
    for op in &mut block.ops {
        match &op.kind {
            OpKind::Const(Const::Int(value)) => {
                let value = value.to_u64();
                known.extend(op.results.first().copied().zip(value));
            }
            OpKind::Load { at, .. } => {
                if let Some(value) = element(&kernel.arrays[at.array], &at.indices, known) {
                    op.kind = OpKind::Const(value);
                }
            }
            _ => {}
        }
        for inner in op.kind.blocks_mut() {
            fold_loads(kernel, inner, known);
        }
    }
}

/// The element of a table at a place that is known.
fn element(array: &Array, indices: &[ValueId], known: &HashMap<ValueId, u64>) -> Option<Const> {
    let ArrayKind::Table(contents) = &array.kind else {
        return None;
    };
    let place = indices.iter().zip(&array.shape).map(|(index, extent)| {
        let index = known.get(index).copied()?;
        (index < *extent).then_some(index)
    });
    let place: Vec<u64> = place.collect::<Option<_>>()?;
    contents.get(number(&place, &array.shape) as usize).cloned()
}
