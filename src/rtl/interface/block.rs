//! The manifest of a block with AXI interfaces, as JSON.

use super::manifest::{Access, Flow, Latency, Loop, Reset};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Names of ports by the lower-case names of the AXI signals; those that the module lacks are not in it.
pub type Ports = BTreeMap<String, String>;

/// Description of a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockManifest {
    /// Version of this format: 1.
    pub version: u32,
    /// The kernel as the user named it.
    pub top: String,
    /// The module.
    pub module: String,
    /// The module with the interface `ap` inside of it.
    pub core: String,
    /// `axi` or `axis`.
    pub interface: String,
    /// Name of the clock port.
    pub clock: String,
    /// The reset.
    pub reset: Reset,
    /// Name of the interrupt port.
    pub interrupt: Option<String>,
    /// The control slave.
    pub control: Option<ControlSlave>,
    /// The masters.
    pub masters: Vec<Master>,
    /// Parameters in order.
    pub args: Vec<BlockPort>,
    /// Results in order.
    pub returns: Vec<BlockPort>,
    /// Name of an output that says that a frame was too short or too long, where there is no control slave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_error: Option<String>,
    /// Cycles of the core from its start to its end.
    pub latency: Latency,
    /// The loops of the core, in source order.
    pub loops: Vec<Loop>,
    /// What was checked of the core after the build.
    #[serde(default)]
    pub checked: String,
}

/// An AXI4-Lite slave with registers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlSlave {
    /// `axilite`.
    pub kind: String,
    /// Bits of its addresses.
    pub address_width: u32,
    /// Bits of its data: 32.
    pub data_width: u32,
    /// Its ports.
    pub ports: Ports,
    /// Where errors are told.
    pub status: Status,
}

/// A register whose bits stay until 1 is written to them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// Byte offset.
    pub offset: u32,
    /// Number of each bit.
    pub bits: BTreeMap<String, u32>,
}

/// An AXI4 master.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Master {
    /// Its name without `m_axi_`.
    pub bundle: String,
    /// Bits of addresses: 64.
    pub address_width: u32,
    /// Bits of a beat.
    pub data_width: u32,
    /// Bits of ids: 0, there are none.
    pub id_width: u32,
    /// Beats of a burst at most.
    pub max_burst: u32,
    /// Bursts under way at most.
    pub outstanding: Outstanding,
    /// Its ports; those of a direction that no array needs are missing.
    pub ports: Ports,
}

/// Bursts under way at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outstanding {
    /// Of reads.
    pub read: u32,
    /// Of writes.
    pub write: u32,
}

/// A parameter or a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockPort {
    /// Source name; absent for scalar results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it is.
    #[serde(flatten)]
    pub kind: BlockKind,
}

/// What stands behind a parameter or result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum BlockKind {
    /// A register.
    Scalar {
        /// Name of the type in the language.
        #[serde(rename = "type")]
        ty: String,
        /// Bits.
        width: u32,
        /// Byte offset of its first word.
        offset: u32,
        /// Words of 32 bits.
        words: u32,
        /// Byte offset of the word that says whether a result is new.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        valid: Option<u32>,
    },
    /// An array.
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
        /// How it is reached.
        #[serde(flatten)]
        via: Via,
    },
    /// A stream.
    Stream {
        /// Name of the element type in the language.
        #[serde(rename = "type")]
        ty: String,
        /// Bits of a transfer: of an element, or of all elements of a block.
        width: u32,
        /// Extents of the blocks that are transferred; of scalars, none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        shape: Vec<u64>,
        /// How it is reached.
        #[serde(flatten)]
        via: Via,
    },
}

/// How elements come into the block and out of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "via", rename_all = "snake_case")]
pub enum Via {
    /// From memory, by a master.
    MAxi {
        /// Which.
        bundle: String,
        /// Byte offset of the register of the base address.
        offset: u32,
        /// Bytes from an element to the next.
        element_bytes: u32,
        /// `none`, `full` or `stream`.
        buffer: String,
    },
    /// By the control slave.
    Local {
        /// Byte offset of the first element.
        offset: u32,
        /// Bytes from an element to the next.
        element_bytes: u32,
    },
    /// By an AXI4-Stream.
    Axis {
        /// Which way.
        direction: Flow,
        /// Bits of a transfer.
        tdata_width: u32,
        /// Its ports.
        ports: Ports,
    },
}

impl BlockManifest {
    /// The manifest as a JSON text that ends in a newline.
    pub fn to_json(&self) -> String {
        // Strings, numbers and lists: nothing in it can fail to serialise.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

impl BlockPort {
    /// How an array or a stream is reached.
    pub fn via(&self) -> Option<&Via> {
        match &self.kind {
            BlockKind::Scalar { .. } => None,
            BlockKind::Array { via, .. } | BlockKind::Stream { via, .. } => Some(via),
        }
    }
}
