//! The manifest: what a testbench must know of a generated module, as JSON.

use crate::ir::TileTag;
use crate::ir::partition::{self, Partition};
use serde::{Deserialize, Serialize};

/// Description of one generated module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of this format: 1.
    pub version: u32,
    /// The kernel as the user named it.
    pub top: String,
    /// The module.
    pub module: String,
    /// `ap`.
    pub interface: String,
    /// Name of the clock port.
    pub clock: String,
    /// The reset.
    pub reset: Reset,
    /// Block control.
    pub control: Control,
    /// Parameters in order.
    pub args: Vec<Port>,
    /// Results in order. An array among them has the name of its port group.
    pub returns: Vec<Port>,
    /// Cycles from the start to `done`.
    pub latency: Latency,
    /// The loops, in source order.
    pub loops: Vec<Loop>,
    /// What was checked of it after the build.
    #[serde(default)]
    pub checked: String,
    /// Files of the user's that it needs, beside its text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
}

impl Manifest {
    /// That of a module with the interface `ap`, without ports and loops, whose latency is the data's.
    pub fn of(top: &str, module: &str) -> Manifest {
        Manifest {
            version: 1,
            top: top.to_string(),
            module: module.to_string(),
            interface: "ap".into(),
            clock: CLOCK.into(),
            reset: Reset::default(),
            control: Control::default(),
            args: Vec::new(),
            returns: Vec::new(),
            latency: Latency {
                min: None,
                max: None,
            },
            loops: Vec::new(),
            checked: String::new(),
            sources: Vec::new(),
        }
    }
}

/// The clock of every module.
pub const CLOCK: &str = "ap_clk";

/// The reset port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reset {
    /// Its name.
    pub port: String,
    /// `high` or `low`.
    pub active: String,
    /// Synchronous if true.
    pub sync: bool,
}

impl Default for Reset {
    /// That of every module with the interface `ap`.
    fn default() -> Reset {
        Reset {
            port: "ap_rst".into(),
            active: "high".into(),
            sync: true,
        }
    }
}

/// Names of the block control ports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Control {
    /// Asks for an invocation.
    pub start: String,
    /// The invocation is finished.
    pub done: String,
    /// Nothing runs.
    pub idle: String,
    /// The scalar inputs have been taken.
    pub ready: String,
}

impl Default for Control {
    /// Those of every module with the interface `ap`.
    fn default() -> Control {
        let [start, done, idle, ready] =
            ["ap_start", "ap_done", "ap_idle", "ap_ready"].map(String::from);
        Control {
            start,
            done,
            idle,
            ready,
        }
    }
}

/// A parameter or a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Port {
    /// Source name; absent for scalar results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Scalar or array.
    #[serde(flatten)]
    pub kind: PortKind,
}

/// The ports behind a parameter or result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum PortKind {
    /// One port.
    Scalar {
        /// Name of the type in the language.
        #[serde(rename = "type")]
        ty: String,
        /// Bits.
        width: u32,
        /// Name of the port.
        port: String,
    },
    /// A memory outside the module.
    Array {
        /// Name of the element type in the language.
        #[serde(rename = "type")]
        ty: String,
        /// Bits of an element.
        width: u32,
        /// Extents; empty for rank 0.
        shape: Vec<u64>,
        /// If it is a tile, what of it is where.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tile: Option<Tile>,
        /// How it is used.
        access: Access,
        /// Cycles from a read's address to its data: 1.
        latency: u32,
        /// How it is split into banks.
        partition: Option<Vec<Partition>>,
        /// The memories; empty without access.
        banks: Vec<Bank>,
    },
    /// A queue outside the module.
    Stream {
        /// Name of the element type in the language.
        #[serde(rename = "type")]
        ty: String,
        /// Bits of a transfer: of an element, or of all elements of a block.
        width: u32,
        /// Extents of the blocks that are transferred; of scalars, none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        shape: Vec<u64>,
        /// Which way elements go.
        direction: Flow,
        /// Names of the ports.
        ports: StreamPorts,
    },
}

/// A tile, whose elements stand in the order of its layout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tile {
    /// Rows.
    pub rows: u64,
    /// Columns.
    pub cols: u64,
    /// Where it is.
    pub loc: String,
    /// How its elements are laid out.
    pub layout: String,
    /// Rows and columns that are valid.
    pub valid: [u64; 2],
}

impl From<TileTag> for Tile {
    fn from(tag: TileTag) -> Tile {
        let TileTag {
            rows, cols, valid, ..
        } = tag;
        Tile {
            rows,
            cols,
            loc: tag.loc.to_owned(),
            layout: tag.layout.to_owned(),
            valid,
        }
    }
}

/// Which way elements of a stream go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Flow {
    /// Into the module.
    In,
    /// Out of it.
    Out,
}

/// Port names of a stream (`ap_fifo`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamPorts {
    /// The oldest element, into the module.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dout: Option<String>,
    /// Whether there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub empty_n: Option<String>,
    /// It is taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<String>,
    /// An element, out of the module.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub din: Option<String>,
    /// Whether there is room for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_n: Option<String>,
    /// It is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<String>,
}

/// How a module uses an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Only reads.
    Read,
    /// Only writes.
    Write,
    /// Both.
    ReadWrite,
    /// Neither; there are no ports.
    None,
}

/// One memory of an array.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bank {
    /// Its number.
    pub bank: u64,
    /// Its elements.
    pub depth: u64,
    /// Its access ports, at most two.
    pub ports: Vec<MemoryPort>,
}

/// Port names of one access port of a memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryPort {
    /// Which element.
    pub address: String,
    /// Access in this cycle.
    pub ce: String,
    /// Data read; absent if the port never reads.
    pub q: Option<String>,
    /// Write instead of read; absent if the port never writes.
    pub we: Option<String>,
    /// Data to write; absent if the port never writes.
    pub d: Option<String>,
}

/// Cycles from the cycle in which the start is accepted to the cycle of `done`, if no stream pauses; `None` where the data
/// decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Latency {
    /// At least.
    pub min: Option<u64>,
    /// At most.
    pub max: Option<u64>,
}

/// What became of one loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loop {
    /// Its label.
    pub name: String,
    /// Its line in the source.
    pub line: usize,
    /// Least and greatest number of iterations; `None` where the data decide.
    pub trip: [Option<u64>; 2],
    /// Cycles between the starts of iterations; `None` if it is not pipelined.
    pub ii: Option<u64>,
    /// Cycles of one iteration.
    pub depth: Option<u64>,
    /// What keeps the interval from being smaller.
    pub bound_by: Option<String>,
}

impl Manifest {
    /// The manifest as a JSON text that ends in a newline.
    pub fn to_json(&self) -> String {
        // Strings, numbers and lists: nothing in it can fail to serialise.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
    /// Reads what [`Manifest::to_json`] wrote.
    pub fn from_json(text: &str) -> Result<Manifest, String> {
        serde_json::from_str(text).map_err(|e| e.to_string())
    }
}

impl PortKind {
    /// A stream as an array without ports, whose elements it transfers; anything else as it is.
    pub fn as_array(&self, shape: &[u64]) -> PortKind {
        let PortKind::Stream {
            ty,
            width,
            direction,
            ..
        } = self
        else {
            return self.clone();
        };
        PortKind::Array {
            tile: None,
            ty: ty.clone(),
            width: *width,
            shape: shape.to_vec(),
            access: match direction {
                Flow::In => Access::Read,
                Flow::Out => Access::Write,
            },
            latency: 1,
            partition: None,
            banks: Vec::new(),
        }
    }
}

impl Port {
    /// Bits of the scalar or of an element.
    pub fn width(&self) -> u32 {
        match &self.kind {
            PortKind::Scalar { width, .. }
            | PortKind::Array { width, .. }
            | PortKind::Stream { width, .. } => *width,
        }
    }
    /// Name of its type.
    pub fn type_name(&self) -> &str {
        match &self.kind {
            PortKind::Scalar { ty, .. }
            | PortKind::Array { ty, .. }
            | PortKind::Stream { ty, .. } => ty,
        }
    }
    /// The shape of an array, `None` for a scalar.
    pub fn shape(&self) -> Option<&[u64]> {
        match &self.kind {
            PortKind::Array { shape, .. } => Some(shape),
            PortKind::Scalar { .. } | PortKind::Stream { .. } => None,
        }
    }
    /// The ports of a stream, and which way it goes.
    pub fn stream(&self) -> Option<(Flow, &StreamPorts)> {
        match &self.kind {
            PortKind::Stream {
                direction, ports, ..
            } => Some((*direction, ports)),
            _ => None,
        }
    }
    /// The memories of an array; none for anything else.
    pub fn banks(&self) -> &[Bank] {
        match &self.kind {
            PortKind::Array { banks, .. } => banks,
            PortKind::Scalar { .. } | PortKind::Stream { .. } => &[],
        }
    }
    /// Bank and address within it of an element by its row-major position.
    pub fn place(&self, position: u64) -> (u64, u64) {
        match &self.kind {
            PortKind::Array {
                shape,
                partition: Some(partition),
                ..
            } => partition::place(shape, partition, position),
            _ => (0, position),
        }
    }
    /// The row-major position of the element at an address of a bank, if there is one.
    pub fn position(&self, bank: u64, address: u64) -> Option<u64> {
        let PortKind::Array {
            shape, partition, ..
        } = &self.kind
        else {
            return None;
        };
        match partition {
            Some(partition) => partition::position(shape, partition, bank, address),
            None => (bank == 0 && address < shape.iter().product()).then_some(address),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the interface specification.
    const SAXPY: &str = r#"{"version": 1, "top": "saxpy", "module": "saxpy", "interface": "ap",
     "clock": "ap_clk", "reset": {"port": "ap_rst", "active": "high", "sync": true},
     "control": {"start": "ap_start", "done": "ap_done", "idle": "ap_idle", "ready": "ap_ready"},
     "args": [
       {"name": "a", "kind": "scalar", "type": "f32", "width": 32, "port": "a"},
       {"name": "x", "kind": "array", "type": "f32", "width": 32, "shape": [16],
        "access": "read", "latency": 1, "partition": null,
        "banks": [{"bank": 0, "depth": 16,
                   "ports": [{"address": "x_address0", "ce": "x_ce0", "q": "x_q0", "we": null, "d": null}]}]}],
     "returns": [{"kind": "scalar", "type": "i32", "width": 32, "port": "ap_return"}],
     "latency": {"min": 20, "max": 20},
     "loops": [{"name": "i", "line": 6, "trip": [16, 16], "ii": 1, "depth": 9, "bound_by": "memory port out"}],
     "checked": "212 invocations, 8,480 cycles"}"#;

    #[test]
    fn reads_and_writes_the_form_of_the_specification() {
        let manifest = Manifest::from_json(SAXPY).unwrap();
        assert_eq!(Manifest::from_json(&manifest.to_json()).unwrap(), manifest);
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(value(&manifest.to_json()), value(SAXPY));
    }
}
