//! Values that wait in many registers one after the other, as memory of lookup tables.
//!
//! Each bit of a memory of sixteen words takes a lookup table or two, and the place of sixteen registers. A counter walks
//! over its words: what is written at one is read when another counter, behind by as many cycles as the value waits, comes
//! there. So it is where a design has more registers than lookup tables, with which they share a device's slices, or fills the
//! device; else registers cost nothing, and tables would.

use super::area::{areas, of_item};
use super::layout::namer;
use super::namer::Namer;
use super::netlist::*;
use crate::schedule::device::{Class, Device};
use std::cmp::Reverse;

/// Words of a memory: lookup tables of four inputs hold a bit of as many.
const WORDS: u32 = 16;

/// Registers that a lookup table has to take the place of: where they are scarce, tables are not plenty.
const WORTH: f64 = 4.0;

/// The part of a device's registers up to which what is placed finds room. On an ECP5-85, 94 % beside as many lookup tables have no
/// legal placement in nextpnr; 72 % have.
const ROOM: f64 = 0.75;

/// Bits of memories after which the next ones have counters of their own, so that none drives too much.
const TOGETHER: u32 = 128;

/// Registers in a row, of which the last one remains, behind the memory that the others become.
struct Line {
    module: ModuleId,
    /// Their items.
    items: Vec<usize>,
    width: u32,
    /// Lookup tables of the memory and of counters for it alone.
    tables: f64,
}

/// Makes memories of lines of registers, which are dead then; the longest ones first, for as long as there are more registers
/// than lookup tables, or than the device has room for.
///
/// The device can have memories of lookup tables, and its synthesiser makes nothing better of such lines.
pub fn store(design: &mut Design, device: &Device) {
    let mut lines: Vec<Line> = Vec::new();
    for (id, module) in design.modules.iter() {
        // The counters need a reset.
        if module.reset.is_some() && module.clock.is_some() && module.foreign.is_none() {
            lines.extend(lines_of(design, id, device));
        }
    }
    if lines.is_empty() {
        return;
    }
    let areas = areas(design, device);
    let mut total = areas.total();
    let room = ROOM * device.total.flip_flops() as f64;
    lines.sort_by_key(|line| Reverse(line.items.len()));
    let mut chosen: Vec<Vec<Line>> = design.modules.ids().map(|_| Vec::new()).collect();
    for line in lines {
        if total.registers <= total.luts.min(room) {
            break;
        }
        let name = &design.modules[line.module].name;
        let instances = areas.instances.get(name).copied().unwrap_or(0) as f64;
        total.registers -= line.registers() * instances;
        total.luts += line.tables * instances;
        chosen[line.module.index()].push(line);
    }
    for (module, lines) in design.modules.values_mut().zip(chosen) {
        if !lines.is_empty() {
            replace(module, lines);
        }
    }
}

impl Line {
    /// Cycles from the first register's input to the last one's.
    fn cycles(&self) -> usize {
        self.items.len() - 1
    }
    /// Bits of the registers that go.
    fn registers(&self) -> f64 {
        f64::from(self.width) * self.cycles() as f64
    }
}

/// A memory of that many bits a word, without its ports.
fn memory(width: u32) -> Memory {
    Memory {
        name: String::new(),
        width,
        depth: WORDS.into(),
        init: None,
        style: MemoryStyle::Distributed,
        writes: Vec::new(),
        reads: Vec::new(),
        origin: None,
    }
}

/// The lines of a module that are long enough, as far as a memory reaches.
fn lines_of(design: &Design, id: ModuleId, device: &Device) -> Vec<Line> {
    let module = &design.modules[id];
    let chains = Chains::of(design, module);
    let of_sum = device.area.get(&Class::Add).copied().unwrap_or(1.0);
    let of_counters = of_sum * f64::from(2 * address_width(WORDS.into()));
    let mut lines = Vec::new();
    for (first, item) in module.items.iter().enumerate() {
        let Some((register, before)) = plain(item) else {
            continue;
        };
        if chains.is_inside(before) {
            continue;
        }
        let mut items = vec![first];
        while let Some(next) = chains.next_of(module, items[items.len() - 1]) {
            items.push(next);
        }
        // What is written to a memory comes out of a register.
        let is_from_register = before.is_some_and(|net| chains.is_register[net.index()]);
        let waiting = if is_from_register {
            &items[..]
        } else {
            &items[1..]
        };
        let width = module.nets[register.out].width;
        let of_memory = of_item(module, &Item::Memory(memory(width)), device).luts;
        let pieces = waiting.chunks(WORDS as usize + 1).map(|piece| Line {
            module: id,
            items: piece.to_vec(),
            width,
            tables: of_memory + of_counters,
        });
        let is_worth = |line: &Line| line.registers() >= WORTH * line.tables && line.cycles() > 0;
        lines.extend(pieces.filter(is_worth));
    }
    lines
}

/// A register that takes a new value in every cycle, and the net that it takes.
fn plain(item: &Item) -> Option<(&Register, Option<NetId>)> {
    match item {
        Item::Register(register) if register.enable.is_none() && register.reset.is_none() => {
            Some((register, register.next.net()))
        }
        _ => None,
    }
}

/// What follows what in a module, by its nets.
struct Chains {
    /// How many read the net.
    readers: Vec<u32>,
    /// The plain register that takes the net as it is.
    taken_by: Vec<Option<usize>>,
    /// Whether a register drives it.
    is_register: Vec<bool>,
    /// Whether a plain one does.
    is_plain: Vec<bool>,
}

impl Chains {
    fn of(design: &Design, module: &Module) -> Chains {
        let mut chains = Chains {
            readers: vec![0; module.nets.len()],
            taken_by: vec![None; module.nets.len()],
            is_register: vec![false; module.nets.len()],
            is_plain: vec![false; module.nets.len()],
        };
        let asked = module.asked.iter().flat_map(|(a, b)| [a.net(), b.net()]);
        let told = module.ports.iter().map(|port| port.net);
        let told = told.chain(asked.flatten());
        let told = told.chain(module.stages.iter().map(|(net, _)| *net));
        for net in told.chain(module.items.iter().flat_map(|item| design.read(item))) {
            chains.readers[net.index()] += 1;
        }
        for (i, item) in module.items.iter().enumerate() {
            if let Item::Register(register) = item {
                chains.is_register[register.out.index()] = true;
            }
            if let Some((register, before)) = plain(item) {
                chains.is_plain[register.out.index()] = true;
                if let Some(before) = before {
                    chains.taken_by[before.index()] = Some(i);
                }
            }
        }
        chains
    }

    /// Whether a net lies between two registers of a line, and nobody else reads it.
    fn is_inside(&self, net: Option<NetId>) -> bool {
        net.is_some_and(|net| {
            let i = net.index();
            self.is_plain[i] && self.readers[i] == 1 && self.taken_by[i].is_some()
        })
    }

    /// The register that alone takes what the one of an item holds.
    fn next_of(&self, module: &Module, item: usize) -> Option<usize> {
        let (register, _) = plain(&module.items[item])?;
        let next = self.taken_by[register.out.index()];
        next.filter(|_| self.is_inside(Some(register.out)))
    }
}

/// Puts memories in the place of lines: of the last register that goes. Those before it are dead from there on, and left to
/// who cleans.
fn replace(module: &mut Module, lines: Vec<Line>) {
    let mut namer = namer(module, |_| true);
    let mut counters = Counters::default();
    for line in lines {
        let [first, last] = [line.items[0], line.items[line.cycles() - 1]];
        let (Item::Register(first), Item::Register(out)) =
            (&module.items[first], &module.items[last])
        else {
            unreachable!("a line has registers only");
        };
        let (data, out, origin) = (first.next.clone(), out.out, out.origin.clone());
        let [written, read] = counters.pair(module, &mut namer, &line);
        module.items[last] = Item::Memory(Memory {
            name: namer.numbered(&format!("{}_line", module.nets[out].name)),
            writes: vec![WritePort {
                enable: Operand::constant(1, 1u32),
                addr: written,
                data,
            }],
            reads: vec![ReadPort {
                enable: None,
                addr: read,
                out,
            }],
            origin,
            ..memory(line.width)
        });
    }
    module.items.splice(0..0, counters.items);
}

/// Counters of a module that are apart by as much as a value waits.
#[derive(Default)]
struct Counters {
    /// What makes them.
    items: Vec<Item>,
    /// By where they are after a reset.
    from: [Option<NetId>; WORDS as usize],
    /// Where the one is that writes next, and the bits that it writes so far.
    writing: u32,
    bits: u32,
}

impl Counters {
    /// Where a memory is written in each cycle, and where it is read.
    fn pair(&mut self, module: &mut Module, namer: &mut Namer, line: &Line) -> [Operand; 2] {
        if self.bits >= TOGETHER {
            self.bits = 0;
            self.writing = (self.writing + 1) % WORDS;
        }
        self.bits += line.width;
        // No more than the words.
        let behind = (self.writing + WORDS - line.cycles() as u32) % WORDS;
        [self.writing, behind].map(|from| self.counter(module, namer, from).into())
    }

    fn counter(&mut self, module: &mut Module, namer: &mut Namer, from: u32) -> NetId {
        if let Some(counter) = self.from[from as usize] {
            return counter;
        }
        let width = address_width(WORDS.into());
        let out = module.net(namer.numbered(&format!("waiting_from_{from}")), width);
        let next = module.net(namer.numbered("waiting_next"), width);
        module.nets[next].named = false;
        self.items.push(Item::Assign {
            out: next,
            expr: Expr::Binary {
                op: BinaryOp::Add,
                lhs: out.into(),
                rhs: Operand::constant(width, 1u32),
            },
            origin: None,
        });
        self.items.push(Item::Register(Register {
            out,
            next: next.into(),
            enable: None,
            reset: Some(from.into()),
            origin: None,
        }));
        self.from[from as usize] = Some(out);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rtl::validate::validate;

    const WIDTH: u32 = 32;

    fn top() -> Module {
        let mut module = Module {
            name: "top".to_string(),
            ..Module::default()
        };
        module.clock = Some(module.port(Direction::Input, "clk", 1));
        module.reset = Some(module.port(Direction::Input, "rst", 1));
        module
    }

    /// A row of registers; their nets.
    fn row(module: &mut Module, name: &str, from: NetId, length: usize) -> Vec<NetId> {
        let mut nets = vec![from];
        for i in 0..length {
            let out = module.net(format!("{name}_s{i}"), WIDTH);
            module.items.push(Item::Register(Register {
                out,
                next: nets[i].into(),
                enable: None,
                reset: None,
                origin: None,
            }));
            nets.push(out);
        }
        nets.split_off(1)
    }

    /// Has somebody outside read a net.
    fn show(module: &mut Module, name: &str, net: NetId) -> NetId {
        let out = module.port(Direction::Output, name, WIDTH);
        module.items.push(Item::Assign {
            out,
            expr: Expr::Not(net.into()),
            origin: None,
        });
        out
    }

    fn stored(module: Module) -> Module {
        stored_on(&Device::load("ecp5").expect("a built-in device"), module)
    }

    fn stored_on(device: &Device, module: Module) -> Module {
        let mut design = Design::default();
        let id = design.modules.push(module);
        store(&mut design, device);
        assert_eq!(validate(&design), Ok(()));
        design.modules[id].clone()
    }

    fn memories(module: &Module) -> usize {
        let items = module.items.iter();
        items.filter(|i| matches!(i, Item::Memory(_))).count()
    }

    /// Cycles that a net is behind another one, on the only way between them.
    fn delay(module: &Module, from: NetId, mut to: NetId) -> u32 {
        let after_reset = |counter: &Operand| {
            let mut items = module.items.iter();
            let reset = items.find_map(|item| match item {
                Item::Register(r) if Some(r.out) == counter.net() => r.reset.clone(),
                _ => None,
            });
            u32::try_from(reset.expect("a counter with a reset")).expect("a small number")
        };
        let mut cycles = 0;
        while to != from {
            let step = module.items.iter().find_map(|item| match item {
                Item::Register(r) if r.out == to => Some((&r.next, 1)),
                Item::Assign {
                    out,
                    expr: Expr::Not(value),
                    ..
                } if *out == to => Some((value, 0)),
                Item::Memory(m) if m.reads[0].out == to => {
                    let [written, read] = [&m.writes[0].addr, &m.reads[0].addr].map(after_reset);
                    // The word of the same cycle is not written yet.
                    let behind = (written + WORDS - read) % WORDS;
                    Some((&m.writes[0].data, if behind == 0 { WORDS } else { behind }))
                }
                _ => None,
            });
            let (before, more) = step.expect("what drives it");
            cycles += more;
            to = before.net().expect("no constant");
        }
        cycles
    }

    #[test]
    fn values_wait_as_long_as_they_did() {
        // Of a row behind a port, the first register and the last one of each piece remain.
        let rows = [
            (12, 0),
            (13, 1),
            (18, 1),
            (29, 1),
            (30, 2),
            (35, 2),
            (92, 5),
        ];
        for (length, expected) in rows {
            let mut module = top();
            let from = module.port(Direction::Input, "d", WIDTH);
            let nets = row(&mut module, "d", from, length);
            let out = show(&mut module, "q", nets[length - 1]);
            let module = stored(module);
            assert_eq!(memories(&module), expected, "{length}");
            assert_eq!(delay(&module, from, out) as usize, length);
        }
    }

    #[test]
    fn many_values_wait_beside_counters_of_their_own() {
        let mut module = top();
        let rows: Vec<(NetId, NetId)> = (0..100)
            .map(|i| {
                let from = module.port(Direction::Input, format!("d{i}"), WIDTH);
                let nets = row(&mut module, &format!("d{i}"), from, 13 + i % 6);
                (from, show(&mut module, &format!("q{i}"), nets[12 + i % 6]))
            })
            .collect();
        let module = stored(module);
        for (i, (from, out)) in rows.into_iter().enumerate() {
            assert_eq!(delay(&module, from, out) as usize, 13 + i % 6);
        }
        let mut written = std::collections::BTreeMap::<NetId, usize>::new();
        for item in &module.items {
            if let Item::Memory(memory) = item {
                let counter = memory.writes[0].addr.net().expect("a counter");
                *written.entry(counter).or_default() += 1;
            }
        }
        assert!(
            written.values().all(|memories| *memories <= 8),
            "{written:?}"
        );
    }

    #[test]
    fn what_is_read_on_the_way_is_there() {
        let mut module = top();
        let from = module.port(Direction::Input, "d", WIDTH);
        let nets = row(&mut module, "d", from, 46);
        let outs = [14, 28, 45].map(|i| (i, show(&mut module, &format!("q{i}"), nets[i])));
        let module = stored(module);
        assert_eq!(memories(&module), 3);
        for (i, out) in outs {
            assert_eq!(delay(&module, from, out) as usize, i + 1);
        }
    }

    #[test]
    fn registers_that_keep_something_are_no_line() {
        for is_reset in [false, true] {
            let mut module = top();
            let from = module.port(Direction::Input, "d", WIDTH);
            let enable = module.port(Direction::Input, "e", 1);
            let nets = row(&mut module, "d", from, 15);
            show(&mut module, "q", nets[14]);
            if let Item::Register(register) = &mut module.items[7] {
                match is_reset {
                    true => register.reset = Some(0u32.into()),
                    false => register.enable = Some(enable),
                }
            }
            assert_eq!(memories(&stored(module)), 0);
        }
    }

    /// Behind a register the first one of the row is part of the memory; behind anything else it takes the way to it.
    #[test]
    fn what_is_written_comes_out_of_a_register() {
        for (is_register, expected) in [(false, 0), (true, 1)] {
            let mut module = top();
            let from = module.port(Direction::Input, "d", WIDTH);
            let before = module.net("held", WIDTH);
            module.items.push(match is_register {
                true => Item::Register(Register {
                    out: before,
                    next: from.into(),
                    enable: None,
                    reset: Some(0u32.into()),
                    origin: None,
                }),
                false => Item::Assign {
                    out: before,
                    expr: Expr::Not(from.into()),
                    origin: None,
                },
            });
            let nets = row(&mut module, "d", before, 12);
            let out = show(&mut module, "q", nets[11]);
            let module = stored(module);
            assert_eq!(memories(&module), expected);
            assert_eq!(delay(&module, before, out), 12);
        }
    }

    /// A port, what is asked for, and what begins a stage are read from outside.
    #[test]
    fn what_is_read_from_outside_is_there() {
        let read: [fn(&mut Module, NetId); 3] = [
            |module, net| {
                let direction = Direction::Output;
                module.ports.push(Port { direction, net });
            },
            |module, net| module.asked.push((net.into(), Operand::constant(1, 0u32))),
            |module, net| module.stages.push((net, Vec::new())),
        ];
        for read in read {
            let mut module = top();
            let from = module.port(Direction::Input, "d", WIDTH);
            let nets = row(&mut module, "d", from, 18);
            read(&mut module, nets[8]);
            show(&mut module, "q", nets[17]);
            let module = stored(module);
            assert_eq!(memories(&module), 0);
            assert_eq!(delay(&module, from, nets[8]), 9);
        }
    }

    /// Sums in a row, each in as many lookup tables as it has bits.
    fn sums(module: &mut Module, from: NetId, count: usize) {
        let mut last = from;
        for i in 0..count {
            let out = module.net(format!("sum{i}"), WIDTH);
            module.items.push(Item::Assign {
                out,
                expr: Expr::Binary {
                    op: BinaryOp::Add,
                    lhs: last.into(),
                    rhs: from.into(),
                },
                origin: None,
            });
            last = out;
        }
        show(module, "sum", last);
    }

    #[test]
    fn a_full_device_has_no_room_for_registers() {
        let mut device = Device::load("ecp5").expect("a built-in device");
        let mut module = top();
        let from = module.port(Direction::Input, "d", WIDTH);
        let nets = row(&mut module, "d", from, 18);
        show(&mut module, "q", nets[17]);
        sums(&mut module, from, 40);
        // 576 registers beside 1,280 lookup tables.
        let mut on = |registers: u64| {
            device.total.registers = Some(registers);
            memories(&stored_on(&device, module.clone()))
        };
        assert_eq!([700, 800].map(&mut on), [1, 0]);
    }

    #[test]
    fn registers_are_free_beside_more_lookup_tables() {
        let mut module = top();
        let from = module.port(Direction::Input, "d", WIDTH);
        for i in 0..2 {
            let nets = row(&mut module, &format!("d{i}"), from, 18);
            show(&mut module, &format!("q{i}"), nets[17]);
        }
        let with_sums = |count: usize| {
            let mut module = module.clone();
            sums(&mut module, from, count);
            memories(&stored(module))
        };
        // 1,152 registers, of which a memory takes the place of 512.
        assert_eq!([0, 30, 40].map(with_sums), [2, 1, 0]);
    }
}
