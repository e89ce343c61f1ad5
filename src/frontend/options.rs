//! `KernelOptions`: how a kernel is typed and lowered.

use super::promote::Style;

/// `KernelOptions`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Typing tables.
    pub style: Style,
    /// Shaped values are immutable tensors.
    pub enable_tensor: bool,
    /// Float sums and products may be reassociated.
    pub fast_math: bool,
    /// Floats of 16 bits and more have no subnormals: operations take and give zeros in their place.
    pub flush_subnormals: bool,
}
