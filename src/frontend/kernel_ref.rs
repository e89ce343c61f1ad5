//! Which kernel is meant, as compile-time Python holds it.

use super::constant::ConstValue;
use std::rc::Rc;

/// A kernel definition, perhaps specialised.
#[derive(Clone, Debug)]
pub struct KernelRef {
    /// Number of the definition.
    pub def: usize,
    /// Values of its templates; empty if not specialised.
    pub bindings: Rc<[ConstValue]>,
}
