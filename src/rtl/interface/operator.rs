//! The manifest of a stand-alone operator module.

use super::manifest::{Port, PortKind};
use crate::ir::Scalar;
use serde::{Deserialize, Serialize};

/// Description of one operator module: a pipeline without control.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OperatorManifest {
    /// Version of this format: 1.
    pub version: u32,
    /// The operator, e.g. `fadd` or `convert`.
    pub operator: String,
    /// The module.
    pub module: String,
    /// `pipeline`.
    pub interface: String,
    /// Format of the operands.
    pub format: String,
    /// Name of the clock port; absent if the latency is 0.
    pub clock: Option<String>,
    /// Name of the port that is 1 in the cycle of the operands; absent if every cycle has some.
    pub start: Option<String>,
    /// Operands in order.
    pub operands: Vec<Port>,
    /// The result.
    pub result: Port,
    /// Cycles from the operands to the result.
    pub latency: u32,
    /// Cycles between operations.
    pub ii: u32,
    /// Device that it was scheduled for.
    pub device: String,
    /// Clock that it was scheduled for, in MHz.
    pub mhz: f64,
    /// What was checked of it after the build.
    pub checked: String,
}

/// A scalar at a port; results have no name.
pub fn port(name: Option<&str>, ty: Scalar, port: &str) -> Port {
    Port {
        name: name.map(str::to_string),
        kind: PortKind::Scalar {
            ty: ty.to_string(),
            width: ty.width(),
            port: port.to_string(),
        },
    }
}

impl OperatorManifest {
    /// The manifest as a JSON text that ends in a newline.
    pub fn to_json(&self) -> String {
        // Strings, numbers and lists: nothing in it can fail to serialise.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}
