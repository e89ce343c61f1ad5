//! Which array arguments and results a program writes as a whole, so that nothing of what was in them is left.

use super::inline;
use crate::diagnostics::Diagnostics;
use crate::ir::analysis::Values;
use crate::ir::analysis::initialised::{Found, follow, is_written_whole};
use crate::ir::{Array, ArrayId, ArrayKind, Op, OpKind, Program};

/// What becomes of what an array held before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Before {
    /// The kernel may read some of it, or leave it.
    #[default]
    Matters,
    /// The kernel may read some of it, and writes every element.
    IsOverwritten,
    /// The kernel writes every element, each before it reads it.
    IsNeverRead,
}

impl Before {
    /// For each array argument and result of the top kernel, by what the array is.
    ///
    /// Errors: the program is too large.
    pub fn of(program: &Program) -> Result<Vec<(ArrayKind, Before)>, Diagnostics> {
        let kernel = inline::inline(program)?;
        let values = Values::of(&kernel);
        let has_workers = has_workers(program);
        let before = |id: ArrayId| {
            // A worker does not see what those before it wrote.
            if !has_workers && follow(&kernel, &values, id, &kernel.body.ops) == Found::All {
                return Before::IsNeverRead;
            }
            match is_written_whole(&kernel, &values, id, &kernel.body.ops) {
                true => Before::IsOverwritten,
                false => Before::Matters,
            }
        };
        let is_outside = |array: &Array| {
            let is_port = matches!(array.kind, ArrayKind::Param(_) | ArrayKind::Result(_));
            is_port && array.stream.is_none()
        };
        let outside = kernel.arrays.iter().filter(|(_, array)| is_outside(array));
        Ok(outside
            .map(|(id, array)| (array.kind.clone(), before(id)))
            .collect())
    }
}

fn has_workers(program: &Program) -> bool {
    let calls_worker = |op: &Op| matches!(&op.kind, OpKind::Call(call) if call.worker.is_some());
    let mut kernels = program.kernels.values();
    kernels.any(|kernel| !kernel.mapping.is_empty() || kernel.body.any_op(&calls_worker))
}
