//! Memories of a device whose lookup tables cannot be memory: what would be made of them is left to the synthesiser,
//! which takes block RAM or registers.

use super::netlist::{Design, Item, MemoryStyle};

/// Says nothing of what written memories are made of that were to be of lookup tables.
pub fn leave_open(design: &mut Design) {
    let modules = design.modules.values_mut();
    for item in modules.flat_map(|module| &mut module.items) {
        if let Item::Memory(memory) = item
            && memory.style == MemoryStyle::Distributed
            && !memory.writes.is_empty()
        {
            memory.style = MemoryStyle::Auto;
        }
    }
}
