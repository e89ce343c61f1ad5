//! What is known about a kernel's results while it is lowered.

use crate::frontend::session::Slot;
use crate::ir::ArrayId;

/// The results.
#[derive(Default)]
pub(super) struct Results {
    /// Their types.
    pub slots: Vec<Slot>,
    /// Arrays of the shaped ones, once they exist.
    pub arrays: Vec<Option<ArrayId>>,
    /// The local that every return returns in this slot, if it is one.
    pub in_place: Vec<Option<String>>,
    /// Whether a return assigns the hidden variables instead of ending its block.
    pub flagged: bool,
    /// Whether there is one return only.
    pub single: bool,
}
