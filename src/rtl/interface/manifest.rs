//! The manifest: what a testbench must know of a generated module, as JSON.

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
}

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
        /// How it is used.
        access: Access,
        /// Cycles from a read's address to its data: 1.
        latency: u32,
        /// How it is split into banks.
        partition: Option<Vec<Partition>>,
        /// The memories; empty without access.
        banks: Vec<Bank>,
    },
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

/// A split along one dimension.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Partition {
    /// Which indices share a part.
    pub kind: PartitionKind,
    /// The dimension, from 0.
    pub dim: usize,
    /// Number of parts.
    pub factor: u64,
}

/// Which indices share a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PartitionKind {
    /// Index modulo factor.
    Cyclic,
    /// Neighbours.
    Block,
    /// None: every index has a part of its own.
    Complete,
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

/// Cycles from the cycle in which the start is accepted to the cycle of `done`; `None` where the data
/// decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

impl Port {
    /// Bits of the scalar or of an element.
    pub fn width(&self) -> u32 {
        match &self.kind {
            PortKind::Scalar { width, .. } | PortKind::Array { width, .. } => *width,
        }
    }
    /// Name of its type.
    pub fn type_name(&self) -> &str {
        match &self.kind {
            PortKind::Scalar { ty, .. } | PortKind::Array { ty, .. } => ty,
        }
    }
    /// The shape of an array, `None` for a scalar.
    pub fn shape(&self) -> Option<&[u64]> {
        match &self.kind {
            PortKind::Array { shape, .. } => Some(shape),
            PortKind::Scalar { .. } => None,
        }
    }
    /// The memories of an array; none for a scalar.
    pub fn banks(&self) -> &[Bank] {
        match &self.kind {
            PortKind::Array { banks, .. } => banks,
            PortKind::Scalar { .. } => &[],
        }
    }
    /// Bank and address within it of an element by its row-major position.
    pub fn place(&self, position: u64) -> (u64, u64) {
        match &self.kind {
            PortKind::Array {
                shape,
                partition: Some(partition),
                ..
            } => place(shape, partition, position),
            _ => (0, position),
        }
    }
}

fn place(shape: &[u64], partition: &[Partition], mut position: u64) -> (u64, u64) {
    let mut index = vec![0; shape.len()];
    for (i, &extent) in index.iter_mut().zip(shape).rev() {
        *i = position % extent;
        position /= extent;
    }
    // What is left of each dimension once its part is chosen.
    let mut rest = shape.to_vec();
    let mut bank = 0;
    for split in partition.iter().filter(|split| split.dim < shape.len()) {
        let (i, n) = (&mut index[split.dim], &mut rest[split.dim]);
        let factor = match split.kind {
            PartitionKind::Complete => *n,
            _ => split.factor.max(1),
        };
        let share = n.div_ceil(factor);
        let part = match split.kind {
            PartitionKind::Cyclic => *i % factor,
            PartitionKind::Block => *i / share,
            PartitionKind::Complete => *i,
        };
        *i = match split.kind {
            PartitionKind::Cyclic => *i / factor,
            PartitionKind::Block => *i % share,
            PartitionKind::Complete => 0,
        };
        *n = match split.kind {
            PartitionKind::Cyclic => (*n - part).div_ceil(factor),
            PartitionKind::Block => share.min(*n - part * share),
            PartitionKind::Complete => 1,
        };
        bank = bank * factor + part;
    }
    let address = index.iter().zip(&rest).fold(0, |a, (i, n)| a * n + i);
    (bank, address)
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
     "loops": [{"name": "i", "line": 6, "trip": [16, 16], "ii": 1, "depth": 9, "bound_by": "memory port out"}]}"#;

    #[test]
    fn reads_and_writes_the_form_of_the_specification() {
        let manifest = Manifest::from_json(SAXPY).unwrap();
        assert_eq!(Manifest::from_json(&manifest.to_json()).unwrap(), manifest);
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(value(&manifest.to_json()), value(SAXPY));
    }

    fn array(shape: &[u64], partition: &[(PartitionKind, usize, u64)]) -> Port {
        let split = |&(kind, dim, factor): &_| Partition { kind, dim, factor };
        Port {
            name: None,
            kind: PortKind::Array {
                ty: "i8".into(),
                width: 8,
                shape: shape.to_vec(),
                access: Access::Read,
                latency: 1,
                partition: Some(partition.iter().map(split).collect()),
                banks: vec![],
            },
        }
    }

    #[test]
    fn elements_have_their_place_in_a_bank() {
        use PartitionKind::*;
        let cyclic = array(&[10], &[(Cyclic, 0, 4)]);
        assert_eq!(cyclic.place(9), (1, 2));
        let block = array(&[10], &[(Block, 0, 4)]);
        assert_eq!(block.place(9), (3, 0));
        let two = array(&[4, 6], &[(Complete, 0, 4), (Cyclic, 1, 2)]);
        assert_eq!(two.place(2 * 6 + 5), (2 * 2 + 1, 2));
        let inner = array(&[4, 6], &[(Cyclic, 1, 2)]);
        assert_eq!(inner.place(3 * 6 + 4), (0, 3 * 3 + 2));
        // What is left of a dimension that does not divide evenly depends on the bank.
        let uneven = array(&[2, 5], &[(Cyclic, 1, 2)]);
        assert_eq!(uneven.place(5 + 2), (0, 3 + 1));
        assert_eq!(uneven.place(5 + 1), (1, 2));
    }
}
