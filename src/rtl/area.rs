//! What a netlist takes, about: lookup tables, registers, multipliers and memories, by the source line that they come
//! from.
//!
//! Each operation counts as the device model has it alone, times the part of it that is left once synthesis has put
//! neighbours into
//! the same tables. `scripts/estimates` compares the sums with what Yosys makes of the suite of kernels.

use super::netlist::*;
use crate::ir::copies;
use crate::schedule::device::{Class, Device, ceil_log2};
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// What some hardware takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Area {
    /// LUT4, those of carry chains and of memories among them.
    pub luts: f64,
    /// Flip-flops.
    pub registers: f64,
    /// Multiplier blocks.
    pub blocks: u64,
    /// Bits of block RAM.
    pub ram: u64,
}

impl AddAssign for Area {
    fn add_assign(&mut self, other: Area) {
        self.luts += other.luts;
        self.registers += other.registers;
        self.blocks += other.blocks;
        self.ram += other.ram;
    }
}

impl Area {
    /// In LUT4, with as many for each multiplier as the device has for one.
    pub fn in_luts(&self, device: &Device) -> f64 {
        self.luts + self.blocks as f64 * device.block_luts()
    }
}

/// What a design takes.
#[derive(Clone, Debug, Default)]
pub struct Areas {
    /// By origin (`file:line`). What has none, such as control, is under the empty one.
    pub by_origin: BTreeMap<String, Area>,
    /// One instance of each module, the modules inside included, by its name.
    pub modules: BTreeMap<String, Area>,
    /// Instances of each module in the whole design.
    pub instances: BTreeMap<String, u64>,
}

impl Areas {
    /// Of all of it.
    pub fn total(&self) -> Area {
        let mut total = Area::default();
        self.by_origin.values().for_each(|area| total += *area);
        total
    }
}

/// Lookup tables that are left of an operation among others, by class: a least squares fit to what Yosys makes of the
/// kernels that `scripts/estimates` compares.
const LEFT: &[(Class, f64)] = &[
    (Class::Logic, 0.16),
    (Class::Mux, 0.72),
    (Class::Reduce, 1.18),
    (Class::LutRam, 1.12),
];

/// Registers that are left of those inside of operators, where some are equal and some bits are not read.
const LEFT_IN_OPERATORS: f64 = 0.7;

/// Bits of a product up to which it is made of lookup tables.
const SMALL_PRODUCT: u32 = 8;

/// Bits of a memory up to which it is made of lookup tables, where the synthesiser decides.
const SMALL_MEMORY: u64 = 2048;

type ByOrigin = BTreeMap<Origin, Area>;

/// The areas of a design: its top module and all that is instantiated below. What has no origin in a module that is
/// instantiated
/// for a line counts for that line.
pub fn areas(design: &Design, device: &Device) -> Areas {
    let mut areas = Areas::default();
    let mut of_module: Vec<ByOrigin> = Vec::new();
    for module in design.modules.values() {
        let mut own = ByOrigin::new();
        for item in &module.items {
            let (area, origin) = match item {
                Item::Instance(instance) => {
                    let outer = instance.origin.clone().unwrap_or_default();
                    for (origin, area) in &of_module[instance.module.index()] {
                        let origin = if origin.is_empty() { &outer } else { origin };
                        *own.entry(origin.clone()).or_default() += *area;
                    }
                    continue;
                }
                Item::Assign { origin, .. } => (of_item(module, item, device), origin),
                Item::Register(register) => (of_item(module, item, device), &register.origin),
                Item::Memory(memory) => (of_item(module, item, device), &memory.origin),
                Item::Comment(_) => continue,
            };
            let origin = origin.clone().unwrap_or_default();
            *own.entry(origin).or_default() += area;
        }
        let mut total = Area::default();
        own.values().for_each(|area| total += *area);
        areas.modules.insert(module.name.clone(), total);
        of_module.push(own);
    }
    if let Some(top) = design.modules.ids().last() {
        count(design, top, &mut areas.instances);
    }
    let by_origin = of_module.pop().unwrap_or_default().into_iter();
    areas.by_origin = by_origin
        .map(|(origin, area)| (origin.to_string(), area))
        .collect();
    areas
}

fn count(design: &Design, module: ModuleId, instances: &mut BTreeMap<String, u64>) {
    let of = &design.modules[module];
    *instances.entry(of.name.clone()).or_default() += 1;
    for item in &of.items {
        if let Item::Instance(instance) = item {
            count(design, instance.module, instances);
        }
    }
}

/// What one item takes, instances left out.
pub fn of_item(module: &Module, item: &Item, device: &Device) -> Area {
    match item {
        Item::Assign { out, expr, .. } => {
            of_expression(module, module.nets[*out].width, expr, device)
        }
        Item::Register(register) => {
            let bits = f64::from(module.nets[register.out].width);
            // Operators have no reset.
            let is_operator = module.reset.is_none();
            Area {
                registers: bits * if is_operator { LEFT_IN_OPERATORS } else { 1.0 },
                ..Area::default()
            }
        }
        Item::Memory(memory) => of_memory(memory, device),
        Item::Instance(_) | Item::Comment(_) => Area::default(),
    }
}

fn of_expression(module: &Module, width: u32, expr: &Expr, device: &Device) -> Area {
    if let Expr::Multiply { lhs, rhs, .. } = expr {
        let [a, b] = [lhs, rhs].map(|operand| module.operand_width(operand));
        return match device.dsp.is_some() && a.min(b) > 1 && a + b > SMALL_PRODUCT {
            true => Area {
                blocks: 1,
                ..Area::default()
            },
            false => luts(Class::Add, f64::from(a) * f64::from(b), device),
        };
    }
    match class(module, width, expr) {
        Some((class, bits)) => luts(class, bits, device),
        None => Area::default(),
    }
}

/// The class of an operation and the bits that it counts for; `None` for wires.
pub fn class(module: &Module, width: u32, expr: &Expr) -> Option<(Class, f64)> {
    let bits = f64::from(width);
    let of = |operand: &Operand| f64::from(module.operand_width(operand));
    let is_constant = |operand: &Operand| operand.net().is_none();
    Some(match expr {
        Expr::Binary { op, lhs, rhs } => match op {
            BinaryOp::Add | BinaryOp::Sub => (Class::Add, bits),
            _ if is_constant(lhs) || is_constant(rhs) => return None,
            _ => (Class::Logic, bits),
        },
        Expr::Compare { op, lhs, rhs, .. } => {
            let against_constant = is_constant(lhs) || is_constant(rhs);
            match op {
                CompareOp::Eq | CompareOp::Ne if against_constant => (Class::Reduce, of(lhs)),
                CompareOp::Eq | CompareOp::Ne => (Class::Equal, of(lhs)),
                _ => (Class::Compare, of(lhs)),
            }
        }
        Expr::Shift { value, amount, .. } => {
            let stages = ceil_log2(of(value) as u64).min(module.operand_width(amount));
            match is_constant(amount) {
                true => return None,
                false => (Class::Shift, bits * f64::from(stages)),
            }
        }
        Expr::Mux {
            on_true, on_false, ..
        } => match is_constant(on_true) || is_constant(on_false) {
            true => (Class::Logic, bits),
            false => (Class::Mux, bits),
        },
        Expr::Reduce { value, .. } => (Class::Reduce, of(value)),
        Expr::Multiply { .. }
        | Expr::Copy(_)
        | Expr::Not(_)
        | Expr::Concat(_)
        | Expr::Slice { .. }
        | Expr::Extend { .. } => return None,
    })
}

fn luts(class: Class, bits: f64, device: &Device) -> Area {
    let alone = device.area.get(&class).copied().unwrap_or(1.0);
    let left = LEFT.iter().find(|(of, _)| *of == class);
    Area {
        luts: bits * alone * left.map_or(1.0, |(_, left)| *left),
        ..Area::default()
    }
}

fn of_memory(memory: &Memory, device: &Device) -> Area {
    let bits = memory.depth.saturating_mul(memory.width.into());
    let reads = memory.reads.len() as u64;
    let in_tables = device.memory.lut_ram || memory.writes.is_empty();
    let is_small = in_tables
        && match memory.style {
            MemoryStyle::Distributed => true,
            MemoryStyle::Block => false,
            MemoryStyle::Auto => bits <= SMALL_MEMORY,
        };
    // What is read at a clock edge is held in a register.
    let held = memory.reads.iter().filter(|read| read.enable.is_some());
    let held = f64::from(memory.width) * held.count() as f64;
    match is_small {
        // Each port that reads has a copy.
        true => Area {
            registers: held,
            ..luts(Class::LutRam, bits as f64 * reads.max(1) as f64, device)
        },
        // Of two ports one may write; what is read through more has copies.
        false => Area {
            ram: bits.saturating_mul(copies(reads, !memory.writes.is_empty())),
            ..Area::default()
        },
    }
}
