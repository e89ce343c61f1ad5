//! What arrays are made of: what the directives can say, and what the hardware has of it.

use super::banks;
use crate::ir::{Array, ArrayKind, MOST_READS, MemoryKind, PartitionKind};
use serde::{Deserialize, Serialize};

/// What an array is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Implementation {
    /// Block RAM.
    #[serde(alias = "BRAM")]
    Bram,
    /// RAM of lookup tables.
    #[serde(alias = "LUTRAM")]
    Lutram,
    /// A register for each element.
    #[serde(alias = "Register")]
    Register,
    /// A memory that nothing writes.
    #[serde(alias = "ROM")]
    Rom,
    /// Large blocks of some devices.
    #[serde(alias = "URAM")]
    Uram,
}

impl Implementation {
    /// Every one.
    pub const ALL: [Implementation; 5] = [
        Implementation::Bram,
        Implementation::Lutram,
        Implementation::Register,
        Implementation::Rom,
        Implementation::Uram,
    ];

    /// Its name in directives.
    pub fn name(self) -> &'static str {
        match self {
            Implementation::Bram => "bram",
            Implementation::Lutram => "lutram",
            Implementation::Register => "register",
            Implementation::Rom => "rom",
            Implementation::Uram => "uram",
        }
    }

    /// The one of a name.
    pub fn named(name: &str) -> Option<Implementation> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}

/// A sort of memory by its ports.
struct MemoryType {
    name: &'static str,
    is_rom: bool,
    /// Ports that read, at most; without, those that a memory has.
    reads: Option<u32>,
}

const fn memory_type(name: &'static str, is_rom: bool, reads: Option<u32>) -> MemoryType {
    MemoryType {
        name,
        is_rom,
        reads,
    }
}

/// What there is. A memory that is written has one port for that beside those that read.
const MEMORY_TYPES: [MemoryType; 8] = [
    memory_type("RAM_1P", false, Some(1)),
    memory_type("RAM_S2P", false, Some(1)),
    memory_type("RAM_1WNR", false, Some(MOST_READS)),
    // Both ports may read and write: what is made uses one for writing.
    memory_type("RAM_2P", false, None),
    memory_type("RAM_T2P", false, None),
    memory_type("ROM_1P", true, Some(1)),
    memory_type("ROM_2P", true, None),
    memory_type("ROM_NP", true, Some(MOST_READS)),
];

/// Has an array be made of that. Errors: why it cannot.
pub fn assign(array: &mut Array, of: Implementation, mem_type: Option<&str>) -> Result<(), String> {
    if let ArrayKind::Param(_) | ArrayKind::Result(_) = array.kind {
        return Err("its memory is outside of the kernel".into());
    }
    let mem_type = mem_type.map(find).transpose()?;
    if array.tags.memory.is_some() || array.tags.is_rom {
        return Err("an earlier directive says something else of it".into());
    }
    if array.is_elementwise() && of == Implementation::Register && mem_type.is_none() {
        return Ok(());
    }
    if array.is_elementwise() {
        return Err("it is split completely, so that its elements are registers".into());
    }
    match of {
        Implementation::Uram => {
            let why = "the device has no such memory; it has bram and lutram";
            return Err(why.into());
        }
        Implementation::Register => return registers(array, mem_type),
        Implementation::Bram => array.tags.memory = Some(MemoryKind::Block),
        Implementation::Lutram => array.tags.memory = Some(MemoryKind::Distributed),
        Implementation::Rom => array.tags.is_rom = true,
    }
    let Some(mem_type) = mem_type else {
        return Ok(());
    };
    if array.tags.is_rom && !mem_type.is_rom {
        return Err(format!("a ROM is no {}", mem_type.name));
    }
    array.tags.is_rom |= mem_type.is_rom;
    let limits = array.tags.ports.into_iter().chain(mem_type.reads);
    array.tags.ports = limits.min();
    Ok(())
}

fn find(name: &str) -> Result<&'static MemoryType, String> {
    let found = MEMORY_TYPES.iter().find(|one| one.name == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = MEMORY_TYPES.iter().map(|one| one.name).collect();
        let names = names.join(", ");
        format!("there is no memory of the type '{name}'; there are {names}")
    })
}

/// A complete partition of all dimensions.
fn registers(array: &mut Array, mem_type: Option<&MemoryType>) -> Result<(), String> {
    if mem_type.is_some() {
        return Err("registers are no memory of any type".into());
    }
    if array.len() == 1 {
        return Err("it has one element".into());
    }
    if !array.partition.is_empty() {
        return Err("it is split in another way".into());
    }
    banks::split(array, PartitionKind::Complete, 0, 0).map(drop)
}
