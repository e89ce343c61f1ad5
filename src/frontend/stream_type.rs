//! The type of streams, and how shaped types and those of streams are written.

use crate::ir::{Packed, Scalar};
use std::rc::Rc;

/// `Stream[i32, 4]`, or `Stream[i32, 4][2, 3]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamType {
    /// Type of what it carries, or of the elements of the blocks that it carries.
    pub elem: Scalar,
    /// Extents of the blocks; without, it carries scalars.
    pub block: Option<Rc<[u64]>>,
    /// Elements that each holds, at least 1.
    pub depth: u64,
    /// Extents of an array of streams; of one stream, none.
    pub shape: Rc<[u64]>,
}

impl StreamType {
    /// What a transfer is: a scalar, or a block as one integer.
    pub fn transfer(&self) -> Scalar {
        match self.packed() {
            None => self.elem,
            // See `stream`.
            Some(packed) => Scalar::unsigned(packed.len() as u32 * self.elem.width()),
        }
    }

    /// What a transfer consists of, if it is a block.
    pub fn packed(&self) -> Option<Packed> {
        let shape = self.block.as_ref()?.to_vec();
        let elem = self.elem;
        Some(Packed { elem, shape })
    }

    /// Whether elements of this one are elements of the other.
    pub fn carries_the_same(&self, other: &StreamType) -> bool {
        (self.elem, &self.block, &self.shape) == (other.elem, &other.block, &other.shape)
    }
}

/// `f32[4, 4]`.
pub fn shaped_name(elem: Scalar, shape: &[u64]) -> String {
    let dims: Vec<String> = shape.iter().map(u64::to_string).collect();
    format!("{elem}[{}]", dims.join(", "))
}

/// `Stream[f32, 4][2]`; without the depth if that is 0.
pub fn stream_name(ty: &StreamType) -> String {
    let carried = match &ty.block {
        None => ty.elem.to_string(),
        Some(block) => shaped_name(ty.elem, block),
    };
    let depth = match ty.depth {
        0 => String::new(),
        depth => format!(", {depth}"),
    };
    let extents: Vec<String> = ty.shape.iter().map(u64::to_string).collect();
    match ty.shape.is_empty() {
        true => format!("Stream[{carried}{depth}]"),
        false => format!("Stream[{carried}{depth}][{}]", extents.join(", ")),
    }
}
