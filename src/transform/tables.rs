//! A local that nothing writes but the copy of a table is the table itself.

use crate::ir::analysis::touch;
use crate::ir::*;
use std::collections::BTreeMap;

/// How often something writes an array, and the table that one of the writes copies to it.
type Writes = BTreeMap<ArrayId, (usize, Option<ArrayId>)>;

/// Makes constants of all such locals. What is read before the copy is unspecified, so the copy's place does not matter.
pub fn run(kernel: &mut Kernel) {
    let mut writes = Writes::new();
    kernel.body.for_each_op(&mut |op| {
        for array in touch::arrays(&op.kind).1 {
            let entry = writes.entry(array).or_default();
            entry.0 += 1;
            if let OpKind::Copy { src, .. } = op.kind {
                entry.1 = Some(src);
            }
        }
    });
    let mut constant = BTreeMap::new();
    for (&array, &(count, source)) in &writes {
        let (local, table) = (&kernel.arrays[array], source.map(|s| &kernel.arrays[s]));
        if let (1, ArrayKind::Local, Some(table)) = (count, &local.kind, table)
            && matches!(table.kind, ArrayKind::Table(_))
            && table.elem == local.elem
        {
            constant.insert(array, table.kind.clone());
        }
    }
    remove_copies(&mut kernel.body, &constant);
    for (array, kind) in constant {
        kernel.arrays[array].kind = kind;
    }
}

fn remove_copies(block: &mut Block, constant: &BTreeMap<ArrayId, ArrayKind>) {
    let copy = |op: &Op| matches!(&op.kind, OpKind::Copy { dst, .. } if constant.contains_key(dst));
    block.ops.retain(|op| !copy(op));
    for op in &mut block.ops {
        for inner in op.kind.blocks_mut() {
            remove_copies(inner, constant);
        }
    }
}
