//! What the printers of both languages need to know about a module before its text.

use super::inline::Inlined;
use super::namer::Namer;
use super::netlist::*;
use num_bigint::BigUint;
use num_traits::One;

/// Items of a module as they are printed.
#[derive(Clone, Debug)]
pub(super) enum Section<'a> {
    /// One line.
    Comment(&'a str),
    /// Assignments in a row.
    Assigns(Vec<(NetId, &'a Expr, Option<&'a str>)>),
    /// Registers in a row with the same enable that all or none are reset.
    Registers(Vec<&'a Register>),
    /// A memory.
    Memory(&'a Memory),
    /// An instance.
    Instance(&'a Instance),
}

/// The module's items that have a place of their own, neighbours of a kind together.
pub(super) fn sections<'m>(module: &'m Module, inlined: &Inlined) -> Vec<Section<'m>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    let has_place =
        |item: &&Item| !matches!(item, Item::Assign { out, .. } if inlined.contains(*out));
    for item in module.items.iter().filter(has_place) {
        match (item, sections.last_mut()) {
            (Item::Assign { out, expr, origin }, Some(Section::Assigns(group))) => {
                group.push((*out, expr, origin.as_deref()));
            }
            (Item::Register(next), Some(Section::Registers(group)))
                if group
                    .last()
                    .is_some_and(|last| together(module, last, next)) =>
            {
                group.push(next);
            }
            _ => sections.push(section(item)),
        }
    }
    sections
}

fn section(item: &Item) -> Section<'_> {
    match item {
        Item::Comment(text) => Section::Comment(text),
        Item::Assign { out, expr, origin } => {
            Section::Assigns(vec![(*out, expr, origin.as_deref())])
        }
        Item::Register(register) => Section::Registers(vec![register]),
        Item::Memory(memory) => Section::Memory(memory),
        Item::Instance(instance) => Section::Instance(instance),
    }
}

fn together(module: &Module, a: &Register, b: &Register) -> bool {
    let [one, other] = [a, b].map(|register| module.replicas.contains(&register.out));
    a.enable == b.enable && a.reset.is_some() == b.reset.is_some() && one == other
}

/// Bits `lo ..= hi` of a net.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bits {
    /// The net.
    pub net: NetId,
    /// Lowest bit.
    pub lo: u32,
    /// Highest bit.
    pub hi: u32,
}

/// The bits of nets with a place of their own that nothing reads, as the texts read them; tools would warn about them.
pub(super) fn unused_bits(design: &Design, module: &Module, inlined: &Inlined) -> Vec<Bits> {
    let mut used = vec![BigUint::default(); module.nets.len()];
    let mut read = |net: NetId, lo: u32, width: u32| {
        used[net.index()] |= mask(width) << lo;
    };
    let whole = |net: NetId| (net, 0, module.nets[net].width);
    for (net, lo, width) in module
        .ports
        .iter()
        .filter(|port| port.direction == Direction::Output)
        .map(|port| whole(port.net))
        .chain(clocking(module).map(whole))
        .chain(module.items.iter().flat_map(|item| match item {
            Item::Assign { out, expr, .. } => bits_read(module, *out, expr),
            other => design.read(other).into_iter().map(whole).collect(),
        }))
    {
        read(net, lo, width);
    }
    module
        .nets
        .iter()
        .filter(|(net, _)| !inlined.contains(*net))
        .flat_map(|(net, info)| holes(net, info.width, &used[net.index()]))
        .collect()
}

/// Clock and reset where registers and memories read them.
fn clocking(module: &Module) -> impl Iterator<Item = NetId> {
    let clocked = |item: &Item| matches!(item, Item::Register(_) | Item::Memory(_));
    let reset = |item: &Item| matches!(item, Item::Register(r) if r.reset.is_some());
    let clock = module.clock.filter(|_| module.items.iter().any(clocked));
    let reset = module.reset.filter(|_| module.items.iter().any(reset));
    clock.into_iter().chain(reset)
}

fn bits_read(module: &Module, out: NetId, expr: &Expr) -> Vec<(NetId, u32, u32)> {
    let out_width = module.nets[out].width;
    let (lo, limit) = match expr {
        Expr::Slice { lo, .. } => (*lo, out_width),
        Expr::Multiply { .. } => (0, out_width),
        _ => (0, u32::MAX),
    };
    let operands = expr.operands().into_iter();
    operands
        .filter_map(|operand| operand.net())
        .map(|net| (net, lo, module.nets[net].width.min(limit)))
        .collect()
}

fn holes(net: NetId, width: u32, used: &BigUint) -> Vec<Bits> {
    let mut holes: Vec<Bits> = Vec::new();
    for bit in (0..width).filter(|bit| !used.bit(u64::from(*bit))) {
        match holes.last_mut() {
            Some(last) if last.hi + 1 == bit => last.hi = bit,
            _ => holes.push(Bits {
                net,
                lo: bit,
                hi: bit,
            }),
        }
    }
    holes
}

/// `width` ones.
pub(super) fn mask(width: u32) -> BigUint {
    (BigUint::one() << width) - 1u32
}

/// Bits of a shift amount that can say less than `width`, and whether there are more that the text has to
/// look at apart: shifts by more than 31 bits' worth of amount are beyond some tools.
pub(super) fn long_amount(width: u32, amount_width: u32) -> Option<u32> {
    (amount_width > 31).then(|| address_width(u64::from(width)))
}

/// A name that nothing in the module has: the one given, or that with a number.
pub(super) fn free_name(module: &Module, wanted: &str) -> String {
    // No other name can be in the way.
    namer(module, |name| name.starts_with(wanted)).numbered(wanted)
}

/// What hands out names that nothing in the module has, as far as those that are `wanted` go.
pub(super) fn namer(module: &Module, wanted: impl Fn(&str) -> bool) -> Namer {
    let mut namer = Namer::new();
    let nets = module.nets.values().map(|net| &net.name);
    let items = module.items.iter().filter_map(|item| match item {
        Item::Memory(memory) => Some(&memory.name),
        Item::Instance(instance) => Some(&instance.name),
        _ => None,
    });
    for name in nets.chain(items).filter(|name| wanted(name)) {
        namer.take(name);
    }
    namer
}

/// Whether a linter that propagates constants and widths may find the result of an ordered comparison constant:
/// one of its operands comes from an operation that can leave bits without information.
pub(super) fn has_doubtful_comparison(module: &Module) -> bool {
    let mut doubtful = vec![false; module.nets.len()];
    let driven = module.items.iter().filter_map(|item| match item {
        Item::Assign { out, expr, .. } => Some((*out, expr)),
        _ => None,
    });
    for (out, _) in driven.clone() {
        doubtful[out.index()] = true; // until it is looked at
    }
    for (out, expr) in driven {
        let mut operands = expr.operands().into_iter();
        let mut unclear =
            || operands.any(|operand| operand.net().is_none_or(|net| doubtful[net.index()]));
        doubtful[out.index()] = match expr {
            Expr::Binary { op, .. } => matches!(op, BinaryOp::And | BinaryOp::Or) && unclear(),
            Expr::Compare { .. } | Expr::Reduce { .. } => false,
            Expr::Copy(_)
            | Expr::Not(_)
            | Expr::Mux { .. }
            | Expr::Concat(_)
            | Expr::Slice { .. } => unclear(),
            Expr::Multiply { .. } | Expr::Shift { .. } | Expr::Extend { .. } => true,
        };
    }
    module.items.iter().any(|item| match item {
        Item::Assign {
            expr: Expr::Compare { op, lhs, rhs, .. },
            ..
        } => {
            let ordered = !matches!(op, CompareOp::Eq | CompareOp::Ne);
            let nets = [lhs, rhs].into_iter().filter_map(Operand::net);
            ordered && nets.into_iter().any(|net| doubtful[net.index()])
        }
        _ => false,
    })
}

/// One line of a comment that no tool takes for a directive.
pub(super) fn comment(text: &str) -> String {
    let line: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let line = line.trim();
    let lower = line.to_ascii_lowercase();
    let directives = [
        "verilator",
        "synopsys",
        "synthesis",
        "pragma",
        "ambit",
        "cadence",
        "xilinx",
    ];
    let is_directive = directives.iter().any(|word| lower.starts_with(word));
    match line {
        "" => "//".to_string(),
        _ if is_directive => format!("// - {line}"),
        _ => format!("// {line}"),
    }
}

/// What synthesisers should know of a memory. Yosys fails where it cannot follow a style, so only a style that
/// the ports allow is given; without `no_rw_check` it builds logic for reads of words just written.
pub(super) fn memory_attributes(memory: &Memory) -> Vec<&'static str> {
    let is_rom = memory.writes.is_empty();
    let mut attributes = match memory.style {
        MemoryStyle::Block if is_rom => vec!["rom_style = \"block\""],
        MemoryStyle::Distributed if is_rom => vec!["syn_romstyle = \"logic\""],
        MemoryStyle::Block if fits_block(memory) => vec!["ram_style = \"block\""],
        MemoryStyle::Distributed if memory.writes.len() == 1 => {
            vec!["ram_style = \"distributed\""]
        }
        _ => Vec::new(),
    };
    if !is_rom {
        attributes.push("no_rw_check");
    }
    attributes
}

/// Whether the accesses fit a block memory: one write port and any reads (of copies), or two ports of one address
/// each.
fn fits_block(memory: &Memory) -> bool {
    match memory.writes.as_slice() {
        [_, _] => {
            let mut free: Vec<&Operand> = memory.writes.iter().map(|port| &port.addr).collect();
            memory.reads.iter().all(|read| {
                let port = free.iter().position(|addr| **addr == read.addr);
                port.map(|port| free.swap_remove(port)).is_some()
            })
        }
        _ => true,
    }
}

/// An origin as a comment at a line's end.
pub(super) fn remark(origin: Option<&str>) -> String {
    origin.map_or(String::new(), |origin| format!("  {}", comment(origin)))
}
