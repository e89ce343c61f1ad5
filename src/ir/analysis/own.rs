//! Whether iterations of a loop have elements of an array of their own, so that none sees what another one does to it.

use super::touch;
use super::{Affine, Subscript, Values};
use crate::ir::{ArrayId, For, ValueId};

/// Whether each iteration of a loop has elements of an array of its own: in some dimension, all subscripts are the same sum with the
/// counter.
pub fn is_own(values: &Values, f: &For, array: ArrayId) -> bool {
    let varying = values.varying(f);
    let moving = |index: &ValueId| match values.subscript(f.iv, &varying, *index) {
        Some(Subscript::Moving(by, rest)) => Some((by, rest)),
        _ => None,
    };
    let mut dims: Option<Vec<Option<(i128, Affine)>>> = None;
    f.body.for_each_op(&mut |op| {
        let (read, written) = touch::arrays(&op.kind);
        if !read.contains(&array) && !written.contains(&array) {
            return;
        }
        let indices = touch::element(&op.kind).map(|at| &at.indices[..]);
        let found = indices.unwrap_or_default().iter().map(moving);
        let dims = dims.get_or_insert_with(|| found.clone().collect());
        dims.truncate(found.len());
        for (dim, found) in dims.iter_mut().zip(found) {
            *dim = dim.take().filter(|dim| Some(dim) == found.as_ref());
        }
    });
    dims.is_some_and(|dims| dims.iter().any(Option::is_some))
}
