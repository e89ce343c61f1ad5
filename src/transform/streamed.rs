//! Arrays that are walked once in order become streams, which what is around the kernel feeds and drains.

use super::walk::{OUT_OF_ORDER, Walk};
use crate::codes;
use crate::diagnostics::{Diagnostic, Span};
use crate::ir::{Array, ArrayKind, Kernel};

/// An array that became a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Streamed {
    /// Its name.
    pub name: String,
    /// Its extents.
    pub shape: Vec<u64>,
    /// Elements from the first on that each invocation transfers.
    pub count: u64,
}

/// Elements of the queue that stands for the array where the reference runs the kernel.
const DEPTH: u64 = 2;

/// Makes a stream of an array argument: of the elements that are read, in order, or of those that are written.
///
/// Errors: it is no argument, or is not walked in order; the access that shows it.
pub fn run(kernel: &mut Kernel, name: &str) -> Result<Streamed, Diagnostic> {
    let is_meant = |array: &Array| {
        array.name == name && array.stream.is_none() && matches!(array.kind, ArrayKind::Param(_))
    };
    let found = kernel.arrays.iter().find(|(_, array)| is_meant(array));
    let Some((id, shape)) = found.map(|(id, array)| (id, array.shape.clone())) else {
        let message = format!("there is no array argument '{name}' that could be streamed");
        return Err(Diagnostic::error(codes::BLOCK, kernel.span, message));
    };
    let refused = |(span, why): (Span, &str)| {
        let message = format!("'{name}' is not streamed: {why}");
        let help = format!("--axi-buffer {name}=full holds it on chip as a whole");
        Diagnostic::error(codes::BLOCK, span, message).help(help)
    };
    let Some(walk) = Walk::of(kernel, id).map_err(refused)? else {
        let message = format!("'{name}' is never accessed, so that there is nothing to stream");
        return Err(Diagnostic::error(codes::BLOCK, kernel.span, message));
    };
    if !walk.order.is_row_major() {
        return Err(refused((walk.span, OUT_OF_ORDER)));
    }
    let count = walk.order.count();
    walk.transfer(kernel, DEPTH);
    Ok(Streamed {
        name: name.to_string(),
        shape,
        count,
    })
}
