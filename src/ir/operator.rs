//! Operators whose hardware is a module of the user's: what is known of the module, and operations that use one.

use super::{Kernel, Param, ResultSlot, Scalar, ValueId};
use std::sync::Arc;

/// How such a module is told when to work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Not at all: it works in every cycle.
    Free,
    /// By `ce`, in whose cycles it works.
    Enable,
    /// By a handshake of operands, `valid` and `ready`, and one of the result, `result_valid` and `result_ready`.
    Elastic,
}

impl Control {
    /// All of them, with their names.
    pub const NAMED: [(&str, Control); 3] = [
        ("free", Control::Free),
        ("ce", Control::Enable),
        ("elastic", Control::Elastic),
    ];
}

/// A module of the user's that computes a kernel of scalars. Its ports are `clk`, unless it takes no cycle, operands by the
/// names of the parameters, `result`, and what its control needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// Name of the module.
    pub module: String,
    /// Its control.
    pub control: Control,
    /// Cycles from operands to result.
    pub latency: u32,
    /// Cycles from one start to the next; at least 1.
    pub interval: u32,
    /// Names of the operand ports, in order.
    pub operands: Vec<String>,
    /// The file that it is in, if that is known.
    pub source: Option<String>,
}

/// An operation that a module of the user's carries out; the kernel is what it means.
#[derive(Clone, Debug)]
pub struct Operate {
    /// A kernel of scalars without calls and arrays, which has [`Kernel::foreign`].
    pub kernel: Arc<Kernel>,
    /// One for each of its parameters.
    pub args: Vec<ValueId>,
}

impl Operate {
    /// Types of the operands and of the result.
    pub fn types(&self) -> (Vec<Scalar>, Option<Scalar>) {
        let params = self.kernel.params.iter().filter_map(|param| match param {
            Param::Scalar(value) => Some(self.kernel.values[*value].ty),
            Param::Array(_) => None,
        });
        let result = match self.kernel.results.as_slice() {
            [ResultSlot::Scalar(ty)] => Some(*ty),
            _ => None,
        };
        (params.collect(), result)
    }
}
