//! Large memories as several narrow ones beside one another, where block RAMs of another shape leave fewer of them to choose from.
//!
//! A synthesiser makes of a memory the fewest block RAMs, and what is read is chosen from among all over which the words are
//! spread. For 4,480 words of 64 bits these are nine of 512 words by 36 bits; where each block has 9 bits of 2,048 words,
//! there are three, and a third more blocks.

use super::layout::{mask, namer};
use super::namer::Namer;
use super::netlist::*;
use crate::schedule::device::Device;
use num_bigint::BigUint;

/// Cuts memories of block RAM of all modules into slices that are as wide as the device's blocks are to be.
pub fn cut(design: &mut Design, device: &Device) {
    for module in design.modules.values_mut() {
        let mut large = Vec::new();
        for item in std::mem::take(&mut module.items) {
            match item {
                Item::Memory(memory) if is_block(&memory) => {
                    match device.slice(memory.depth, memory.width) {
                        Some(width) => large.push((memory, width)),
                        None => module.items.push(Item::Memory(memory)),
                    }
                }
                item => module.items.push(item),
            }
        }
        if large.is_empty() {
            continue;
        }
        // After all that stays, so that no slice takes its name.
        let mut namer = namer(module, |_| true);
        for (memory, width) in large {
            slices(module, &mut namer, memory, width);
        }
    }
}

fn is_block(memory: &Memory) -> bool {
    memory.style == MemoryStyle::Block && memory.clocked().count() == memory.reads.len()
}

/// Adds a memory as slices of at most `width` bits, the lowest one first.
fn slices(module: &mut Module, namer: &mut Namer, memory: Memory, width: u32) {
    let lows = (0..memory.width).step_by(width as usize);
    let mut parts: Vec<Vec<Operand>> = vec![Vec::new(); memory.reads.len()];
    for lo in lows {
        let bits = width.min(memory.width - lo);
        let writes = memory.writes.iter().map(|port| WritePort {
            data: slice(module, namer, &port.data, (lo, bits)),
            ..port.clone()
        });
        let writes = writes.collect();
        let name = namer.numbered(&format!("{}_{lo}", memory.name));
        let reads = memory.reads.iter().zip(&mut parts).map(|(port, parts)| {
            let name = namer.numbered(&format!("{}_{lo}", module.nets[port.out].name));
            let out = module.net(name, bits);
            parts.push(out.into());
            ReadPort {
                out,
                ..port.clone()
            }
        });
        let reads = reads.collect();
        let word = |word: &BigUint| (word >> lo) & mask(bits);
        module.items.push(Item::Memory(Memory {
            name,
            width: bits,
            init: memory
                .init
                .as_ref()
                .map(|words| words.iter().map(word).collect()),
            writes,
            reads,
            ..memory.clone()
        }));
    }
    for (port, mut parts) in memory.reads.iter().zip(parts) {
        parts.reverse();
        module.items.push(Item::Assign {
            out: port.out,
            expr: Expr::Concat(parts),
            origin: memory.origin.clone(),
        });
    }
}

/// Bits `lo` and further of an operand.
fn slice(
    module: &mut Module,
    namer: &mut Namer,
    value: &Operand,
    (lo, bits): (u32, u32),
) -> Operand {
    let net = match value {
        Operand::Const { value, .. } => {
            return Operand::constant(bits, (value >> lo) & mask(bits));
        }
        Operand::Net(net) => *net,
    };
    let name = namer.numbered(&format!("{}_{lo}", module.nets[net].name));
    let out = module.net(name, bits);
    let expr = Expr::Slice { value: net, lo };
    module.items.push(Item::Assign {
        out,
        expr,
        origin: None,
    });
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rtl::validate::validate;

    /// 4,480 words of 64 bits with the port that reads in front of the one that writes.
    fn memory(module: &mut Module, name: &str, address: NetId) -> Memory {
        let [read, written] = ["q", "d"].map(|kind| module.net(format!("{name}_{kind}"), 64));
        let bits = Expr::Slice { value: read, lo: 0 };
        module.items.push(Item::Assign {
            out: written,
            expr: Expr::Not(read.into()),
            origin: None,
        });
        let low = module.port(Direction::Output, format!("{name}_low"), 3);
        module.items.push(Item::Assign {
            out: low,
            expr: bits,
            origin: None,
        });
        let enable = Operand::constant(1, 1u32);
        Memory {
            name: name.to_string(),
            width: 64,
            depth: 4_480,
            init: None,
            style: MemoryStyle::Block,
            writes: vec![WritePort {
                enable: enable.clone(),
                addr: address.into(),
                data: written.into(),
            }],
            reads: vec![ReadPort {
                enable: Some(enable),
                addr: address.into(),
                out: read,
            }],
            origin: None,
        }
    }

    #[test]
    fn slices_take_no_name_that_there_is() {
        let device = Device::load("ecp5").expect("a built-in device");
        let mut module = Module {
            name: "top".to_string(),
            ..Module::default()
        };
        let clock = module.port(Direction::Input, "clk", 1);
        module.clock = Some(clock);
        let address = module.port(Direction::Input, "at", 13);
        for (name, depth) in [("m", 4_480), ("m_9", 8_192), ("m_18", 4_480)] {
            let memory = memory(&mut module, name, address);
            module.items.push(Item::Memory(Memory { depth, ..memory }));
        }
        let mut design = Design::default();
        design.modules.push(module);
        cut(&mut design, &device);
        assert_eq!(validate(&design), Ok(()));
        let items = design.modules.values().flat_map(|module| &module.items);
        let memories = items.filter(|item| matches!(item, Item::Memory(_)));
        assert_eq!(memories.count(), 8 + 1 + 8);
    }
}
