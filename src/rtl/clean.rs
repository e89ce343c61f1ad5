//! A design without dead parts and without the degenerate operations that tools warn about.

use super::netlist::*;
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};
use std::collections::HashMap;

/// A design that does the same at the top module's ports, in which
///
/// * every module is instantiated below the top, and every item and net helps to drive an output port,
/// * no comparison or shift is decided by a constant operand alone,
/// * what selects bits of wiring selects them where they come from,
/// * every memory has contents, and no constant address lies past its end.
///
/// The design must be valid; so is the result. Unused input ports remain.
pub fn clean(design: &Design) -> Design {
    let mut result = Design {
        modules: crate::arena::Arena::new(),
        header: design.header.clone(),
    };
    let mut moved: HashMap<ModuleId, ModuleId> = HashMap::new();
    for (id, items) in reachable(design) {
        let cleaned = clean_module(design, (&design.modules[id], items), &moved);
        moved.insert(id, result.modules.push(cleaned));
    }
    result
}

/// The modules that the top module needs, in order, with their live items.
fn reachable(design: &Design) -> Vec<(ModuleId, Vec<Item>)> {
    let mut wanted = vec![false; design.modules.len()];
    if let Some(last) = wanted.last_mut() {
        *last = true;
    }
    let mut found = Vec::new();
    for (id, module) in design.modules.iter().rev() {
        if !wanted[id.index()] {
            continue;
        }
        let items = live_items(design, module);
        for item in &items {
            if let Item::Instance(instance) = item {
                wanted[instance.module.index()] = true;
            }
        }
        found.push((id, items));
    }
    found.reverse();
    found
}

fn clean_module(
    design: &Design,
    (module, items): (&Module, Vec<Item>),
    moved: &HashMap<ModuleId, ModuleId>,
) -> Module {
    let mut used = vec![false; module.nets.len()];
    let ports = module.ports.iter().map(|port| port.net);
    let touched = items
        .iter()
        .flat_map(|item| design.driven(item).into_iter().chain(design.read(item)));
    for net in ports.chain(touched) {
        used[net.index()] = true;
    }
    let mut mover = Mover {
        nets: vec![None; module.nets.len()],
        modules: moved,
    };
    let mut result = Module {
        name: module.name.clone(),
        comments: module.comments.clone(),
        foreign: module.foreign.clone(),
        ..Module::default()
    };
    for (id, net) in module.nets.iter().filter(|(id, _)| used[id.index()]) {
        mover.nets[id.index()] = Some(result.nets.push(net.clone()));
    }
    result.ports = module
        .ports
        .iter()
        .map(|port| Port {
            direction: port.direction,
            net: mover.net(port.net),
        })
        .collect();
    result.clock = module.clock.map(|net| mover.net(net));
    result.reset = module.reset.map(|net| mover.net(net));
    let replicas = module.replicas.iter().filter(|net| used[net.index()]);
    result.replicas = replicas.map(|net| mover.net(*net)).collect();
    result.items = items.into_iter().map(|item| mover.item(item)).collect();
    result
}

/// The items that help to drive an output port, made regular; comments stay where something follows them.
fn live_items(design: &Design, module: &Module) -> Vec<Item> {
    let mut wiring = Wiring::of(module);
    let items: Vec<Item> = module
        .items
        .iter()
        .flat_map(|item| regular(module, &mut wiring, item))
        .collect();
    let mut drivers = vec![None; module.nets.len()];
    for (index, item) in items.iter().enumerate() {
        for net in design.driven(item) {
            drivers[net.index()] = Some(index);
        }
    }
    let mut live_nets = vec![false; module.nets.len()];
    let mut live = vec![false; items.len()];
    let mut queue: Vec<NetId> = module
        .ports
        .iter()
        .filter(|port| port.direction == Direction::Output)
        .map(|port| port.net)
        .collect();
    while let Some(net) = queue.pop() {
        if std::mem::replace(&mut live_nets[net.index()], true) {
            continue;
        }
        let Some(driver) = drivers[net.index()] else {
            continue;
        };
        let first = !std::mem::replace(&mut live[driver], true);
        match &items[driver] {
            Item::Memory(memory) => queue.extend(memory_reads(memory, net, first)),
            item if first => queue.extend(design.read(item)),
            _ => {}
        }
    }
    let kept = items
        .into_iter()
        .zip(live)
        .filter(|(item, live)| *live || matches!(item, Item::Comment(_)))
        .map(|(item, _)| without_dead_reads(item, &live_nets))
        .collect();
    without_empty_sections(kept)
}

/// What the read port of `out` reads, and what the write ports read if they are `wanted`.
fn memory_reads(memory: &Memory, out: NetId, wanted: bool) -> Vec<NetId> {
    let reads = memory.reads.iter().filter(|port| port.out == out);
    let writes = memory.writes.iter().filter(|_| wanted);
    reads
        .flat_map(|port| port.enable.iter().chain([&port.addr]))
        .chain(writes.flat_map(|port| [&port.enable, &port.addr, &port.data]))
        .filter_map(Operand::net)
        .collect()
}

fn without_dead_reads(mut item: Item, live: &[bool]) -> Item {
    if let Item::Memory(memory) = &mut item {
        memory.reads.retain(|read| live[read.out.index()]);
    }
    item
}

/// Drops comments that another comment or the end follows.
fn without_empty_sections(items: Vec<Item>) -> Vec<Item> {
    let mut kept: Vec<Item> = Vec::with_capacity(items.len());
    for item in items.into_iter().rev() {
        let is_comment = matches!(item, Item::Comment(_));
        let followed = kept
            .last()
            .is_some_and(|next| !matches!(next, Item::Comment(_)));
        if !is_comment || followed {
            kept.push(item);
        }
    }
    kept.reverse();
    kept
}

/// The item without degenerate operations.
fn regular(module: &Module, wiring: &mut Wiring, item: &Item) -> Vec<Item> {
    match item {
        Item::Assign { out, expr, origin } => {
            let width = module.nets[*out].width;
            let expr = regular_expr(module, &wiring.resolved(expr, width), width);
            wiring.add(*out, &expr);
            vec![Item::Assign {
                out: *out,
                expr,
                origin: origin.clone(),
            }]
        }
        Item::Memory(memory) => regular_memory(memory),
        other => vec![other.clone()],
    }
}

/// What nets whose names say nothing are wired to, as far as the items were looked at.
struct Wiring<'m> {
    module: &'m Module,
    drivers: Vec<Option<Expr>>,
}

impl Wiring<'_> {
    fn of(module: &Module) -> Wiring<'_> {
        Wiring {
            module,
            drivers: vec![None; module.nets.len()],
        }
    }

    /// Remembers what drives a net.
    fn add(&mut self, out: NetId, expr: &Expr) {
        let is_wiring = matches!(
            expr,
            Expr::Copy(_) | Expr::Slice { .. } | Expr::Extend { .. } | Expr::Concat(_)
        );
        if is_wiring && !self.module.nets[out].named {
            self.drivers[out.index()] = Some(expr.clone());
        }
    }

    fn width(&self, net: NetId) -> u32 {
        self.module.nets[net].width
    }

    /// An expression of `width` bits without selections of selections, and without copies.
    fn resolved(&self, expr: &Expr, width: u32) -> Expr {
        match expr {
            Expr::Slice { value, lo } => self.bits(*value, *lo, width),
            expr => expr.clone().map(|operand| self.source(operand), |net| net),
        }
    }

    /// What an operand is a copy of.
    fn source(&self, mut operand: Operand) -> Operand {
        while let Operand::Net(net) = operand
            && let Some(Expr::Copy(source)) = &self.drivers[net.index()]
        {
            operand = source.clone();
        }
        operand
    }

    /// `width` bits from `lo` on of a net.
    fn bits(&self, mut net: NetId, mut lo: u32, width: u32) -> Expr {
        loop {
            (net, lo) = match &self.drivers[net.index()] {
                Some(Expr::Copy(Operand::Net(source))) => (*source, lo),
                Some(Expr::Slice { value, lo: below }) => (*value, lo + below),
                Some(Expr::Extend {
                    value: Operand::Net(value),
                    ..
                }) if lo + width <= self.width(*value) => (*value, lo),
                Some(Expr::Concat(parts)) => match self.part(parts, lo, width) {
                    Some(found) => found,
                    None => break,
                },
                _ => break,
            };
        }
        match lo == 0 && self.width(net) == width {
            true => Expr::Copy(Operand::Net(net)),
            false => Expr::Slice { value: net, lo },
        }
    }

    /// The net in whose bits all of a selection from a concatenation lies, and where.
    fn part(&self, parts: &[Operand], mut lo: u32, width: u32) -> Option<(NetId, u32)> {
        for part in parts.iter().rev() {
            let own = self.module.operand_width(part);
            if lo < own {
                return part
                    .net()
                    .filter(|_| lo + width <= own)
                    .map(|net| (net, lo));
            }
            lo -= own;
        }
        None
    }
}

fn regular_expr(module: &Module, expr: &Expr, width: u32) -> Expr {
    match expr {
        Expr::Compare {
            op,
            signed,
            lhs,
            rhs,
        } => match decided(*op, *signed, lhs, rhs, module.operand_width(lhs)) {
            Some(result) => Expr::Copy(Operand::constant(1, u32::from(result))),
            None => expr.clone(),
        },
        Expr::Shift {
            op,
            value,
            amount: Operand::Const { value: amount, .. },
        } => shift_by_constant(*op, value, amount, width),
        _ => expr.clone(),
    }
}

/// The value of a comparison that a constant at the end of the range decides, or that has no other operand.
fn decided(op: CompareOp, signed: bool, lhs: &Operand, rhs: &Operand, width: u32) -> Option<bool> {
    // Signed order is unsigned order after the top bit is flipped.
    let top = BigUint::one() << (width - 1);
    let key = |operand: &Operand| match operand {
        Operand::Const { value, .. } if signed => Some(value ^ &top),
        Operand::Const { value, .. } => Some(value.clone()),
        Operand::Net(_) => None,
    };
    let max = (BigUint::one() << width) - 1u32;
    let is_max = |value: &Option<BigUint>| value.as_ref() == Some(&max);
    let is_min = |value: &Option<BigUint>| value.as_ref().is_some_and(Zero::is_zero);
    let (left, right) = (key(lhs), key(rhs));
    if let (Some(left), Some(right)) = (&left, &right) {
        return Some(op.holds(left.cmp(right)));
    }
    let below = is_min(&right) || is_max(&left);
    let above = is_max(&right) || is_min(&left);
    match op {
        CompareOp::Lt if below => Some(false),
        CompareOp::Ge if below => Some(true),
        CompareOp::Gt if above => Some(false),
        CompareOp::Le if above => Some(true),
        _ => None,
    }
}

/// A shift by less than the width, in a constant that is as short as possible.
fn shift_by_constant(op: ShiftOp, value: &Operand, amount: &BigUint, width: u32) -> Expr {
    let within = amount.to_u32().filter(|amount| *amount < width);
    let amount = match (within, op) {
        (Some(amount), _) => amount,
        (None, ShiftOp::RightArithmetic) => width - 1,
        (None, _) => return Expr::Copy(Operand::constant(width, 0u32)),
    };
    let bits = (u32::BITS - amount.leading_zeros()).max(1);
    match amount {
        0 => Expr::Copy(value.clone()),
        _ => Expr::Shift {
            op,
            value: value.clone(),
            amount: Operand::constant(bits, amount),
        },
    }
}

/// The memory with its accesses inside the array; reads of no contents give 0.
fn regular_memory(memory: &Memory) -> Vec<Item> {
    let inside = |addr: &Operand| match addr {
        Operand::Const { value, .. } => *value < BigUint::from(memory.depth),
        Operand::Net(_) => true,
    };
    let mut kept = memory.clone();
    kept.writes.retain(|port| inside(&port.addr));
    let has_contents = kept.init.is_some() || !kept.writes.is_empty();
    kept.reads.retain(|port| has_contents && inside(&port.addr));
    let outside = memory
        .reads
        .iter()
        .filter(|port| !has_contents || !inside(&port.addr))
        .map(|port| Item::Assign {
            out: port.out,
            expr: Expr::Copy(Operand::constant(memory.width, 0u32)),
            origin: memory.origin.clone(),
        });
    let mut items: Vec<Item> = outside.collect();
    if !kept.reads.is_empty() {
        items.push(Item::Memory(kept));
    }
    items
}

/// Translates handles of the old design to those of the new one.
struct Mover<'a> {
    /// By old net, those that are kept.
    nets: Vec<Option<NetId>>,
    modules: &'a HashMap<ModuleId, ModuleId>,
}

impl Mover<'_> {
    fn net(&self, net: NetId) -> NetId {
        self.nets[net.index()].expect("a net that something drives or reads is kept")
    }

    fn item(&self, item: Item) -> Item {
        let net = |net| self.net(net);
        match item.renamed(net, net) {
            Item::Instance(instance) => Item::Instance(Instance {
                module: self.modules[&instance.module],
                ..instance
            }),
            item => item,
        }
    }
}
