//! Registers that many operators read, as several that hold the same, each for some of the operators, beside which it is placed.
//!
//! What goes to all of many iterations side by side is far from most of them: on the way from one register to operators all over a
//! device, a signal spends a cycle or more. Copies take no cycle more than the register did. (Guo, Lau, Chi, Wang, Yu, Zhang and Cong,
//! Analysis and optimization of the implicit broadcasts in FPGA HLS to improve maximum frequency, DAC 2020, has the cause; copies
//! of registers are the old remedy.)

use super::layout::namer;
use super::namer::Namer;
use super::netlist::*;
use std::collections::{BTreeMap, BTreeSet};

/// Readers of a register, wiring between not counted, beyond which it is replicated, and those of each copy.
const MOST: usize = 16;
const EACH: usize = 8;

/// The same of registers of one bit, which select what is wider.
const MOST_OF_BIT: usize = 64;
const EACH_OF_BIT: usize = 16;

/// Replicates the registers of all modules.
pub fn replicate(design: &mut Design) {
    let ids: Vec<ModuleId> = design.modules.ids().collect();
    for id in ids {
        let readers = readers(design, &design.modules[id]);
        let module = &mut design.modules[id];
        if module.clock.is_some() && module.foreign.is_none() {
            Replicas::of(module, readers).run();
        }
    }
}

/// The items that read each net, in their order.
fn readers(design: &Design, module: &Module) -> Vec<Vec<usize>> {
    let mut readers = vec![Vec::new(); module.nets.len()];
    for (number, item) in module.items.iter().enumerate() {
        let nets: BTreeSet<NetId> = design.read(item).into_iter().collect();
        nets.iter()
            .for_each(|net| readers[net.index()].push(number));
    }
    readers
}

struct Replicas<'m> {
    module: &'m mut Module,
    namer: Namer,
    readers: Vec<Vec<usize>>,
    /// What comes behind an item.
    behind: BTreeMap<usize, Vec<Item>>,
}

impl<'m> Replicas<'m> {
    fn of(module: &'m mut Module, readers: Vec<Vec<usize>>) -> Replicas<'m> {
        Replicas {
            namer: namer(module, |_| true),
            module,
            readers,
            behind: BTreeMap::new(),
        }
    }

    fn run(mut self) {
        for number in 0..self.module.items.len() {
            let Item::Register(register) = &self.module.items[number] else {
                continue;
            };
            let register = register.clone();
            let (most, each) = match self.module.nets[register.out].width {
                1 => (MOST_OF_BIT, EACH_OF_BIT),
                _ => (MOST, EACH),
            };
            let (wiring, operators) = self.reached(register.out);
            if operators.len() > most {
                for some in operators.chunks(each).skip(1) {
                    self.copy(number, &register, &wiring, some);
                }
            }
        }
        let items = std::mem::take(&mut self.module.items).into_iter();
        for (number, item) in items.enumerate() {
            self.module.items.push(item);
            let mut behind = self.behind.remove(&number).unwrap_or_default();
            // All registers together.
            behind.sort_by_key(|item| !matches!(item, Item::Register(_)));
            self.module.items.extend(behind);
        }
    }

    /// Wiring behind a net, in an order in which each has what it reads before it, and what reads the net or that wiring.
    fn reached(&self, net: NetId) -> (Vec<usize>, Vec<usize>) {
        let (mut wiring, mut operators) = (Vec::new(), BTreeSet::new());
        let mut open = vec![net];
        while let Some(net) = open.pop() {
            for &reader in &self.readers[net.index()] {
                match wired(&self.module.items[reader]) {
                    Some(out) => {
                        wiring.push(reader);
                        open.push(out);
                    }
                    None if self.is_enabled(reader, net) => {}
                    None => _ = operators.insert(reader),
                }
            }
        }
        (wiring, operators.into_iter().collect())
    }

    /// Whether an item has a net as its enable. For one that goes to many, devices have ways all over.
    fn is_enabled(&self, item: usize, net: NetId) -> bool {
        match &self.module.items[item] {
            Item::Register(register) => register.enable == Some(net),
            _ => false,
        }
    }

    /// Has some operators read another register of the same contents, and wiring behind it.
    fn copy(&mut self, number: usize, register: &Register, wiring: &[usize], some: &[usize]) {
        let mut copies = BTreeMap::new();
        let copy = self.again(register.out, &mut copies);
        self.module.replicas.extend([register.out, copy]);
        let mut items = vec![Item::Register(Register {
            out: copy,
            ..register.clone()
        })];
        for &wire in wiring {
            if let Item::Assign { out, expr, origin } = self.module.items[wire].clone() {
                let expr = moved(expr, &copies);
                items.push(Item::Assign {
                    out: self.again(out, &mut copies),
                    expr,
                    origin,
                });
            }
        }
        for &operator in some {
            redirect(&mut self.module.items[operator], &copies);
        }
        self.behind.entry(number).or_default().extend(items);
    }

    /// Another net like this one.
    fn again(&mut self, net: NetId, copies: &mut BTreeMap<NetId, NetId>) -> NetId {
        let Net { name, width, named } = self.module.nets[net].clone();
        let name = self.namer.numbered(&name);
        let copy = self.module.nets.push(Net { name, width, named });
        copies.insert(net, copy);
        copy
    }
}

/// What an item drives that is nothing but wires from one net.
fn wired(item: &Item) -> Option<NetId> {
    match item {
        Item::Assign {
            out,
            expr: Expr::Copy(_) | Expr::Slice { .. } | Expr::Extend { .. },
            ..
        } => Some(*out),
        _ => None,
    }
}

fn moved(expr: Expr, copies: &BTreeMap<NetId, NetId>) -> Expr {
    let net = |net: NetId| copies.get(&net).copied().unwrap_or(net);
    let operand = |operand: Operand| match operand {
        Operand::Net(one) => Operand::Net(net(one)),
        constant => constant,
    };
    expr.map(operand, net)
}

/// Has an item read copies of nets, as far as there are.
fn redirect(item: &mut Item, copies: &BTreeMap<NetId, NetId>) {
    let net = |net: &mut NetId| *net = copies.get(net).copied().unwrap_or(*net);
    let operand = |operand: &mut Operand| {
        if let Operand::Net(one) = operand {
            net(one);
        }
    };
    match item {
        Item::Comment(_) => {}
        Item::Assign { expr, .. } => *expr = moved(expr.clone(), copies),
        Item::Register(register) => {
            operand(&mut register.next);
            register.enable.iter_mut().for_each(net);
        }
        Item::Memory(memory) => {
            for port in &mut memory.writes {
                let read = [&mut port.enable, &mut port.addr, &mut port.data];
                read.into_iter().for_each(operand);
            }
            for port in &mut memory.reads {
                port.enable.iter_mut().for_each(operand);
                operand(&mut port.addr);
            }
        }
        // What it drives is driven by nothing else, and so no copy.
        Item::Instance(instance) => instance.connections.iter_mut().for_each(net),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rtl::systemverilog;
    use crate::rtl::validate::validate;

    /// A register of a width that so many items read, every third one through wires.
    fn read_by(count: usize, width: u32) -> Design {
        let mut module = Module {
            name: "top".into(),
            ..Module::default()
        };
        module.clock = Some(module.port(Direction::Input, "clk", 1));
        let enable = module.port(Direction::Input, "en", 1);
        let next = module.port(Direction::Input, "d", width);
        let out = module.net("r", width);
        module.items.push(Item::Register(Register {
            out,
            next: next.into(),
            enable: Some(enable),
            reset: None,
            origin: None,
        }));
        let assign = |out: NetId, expr: Expr| Item::Assign {
            out,
            expr,
            origin: None,
        };
        for number in 0..count {
            let shown = module.port(Direction::Output, format!("q{number}"), width);
            let mut read = out;
            if number % 3 == 0 {
                read = module.net(format!("w{number}"), width);
                let wires = assign(read, Expr::Slice { value: out, lo: 0 });
                module.items.push(wires);
            }
            module.items.push(assign(shown, Expr::Not(read.into())));
        }
        let mut design = Design::default();
        design.modules.push(module);
        replicate(&mut design);
        assert_eq!(validate(&design), Ok(()));
        design
    }

    /// Of each register, how many items read it, wires not counted.
    fn loads(design: &Design) -> Vec<usize> {
        let top = design.modules.values().last().expect("a module");
        let drivers: BTreeMap<NetId, &Item> = top
            .items
            .iter()
            .flat_map(|item| design.driven(item).into_iter().map(move |net| (net, item)))
            .collect();
        let mut loads = BTreeMap::new();
        for item in &top.items {
            if let Item::Assign {
                expr: Expr::Not(Operand::Net(value)),
                ..
            } = item
            {
                let mut from = *value;
                while let Some(Item::Assign {
                    expr: Expr::Slice { value, .. },
                    ..
                }) = drivers.get(&from)
                {
                    from = *value;
                }
                *loads.entry(from).or_insert(0) += 1;
            }
        }
        let same = |net: &NetId| match drivers[net] {
            Item::Register(register) => (register.next.clone(), register.enable),
            other => panic!("{other:?} is no register"),
        };
        let all: BTreeSet<String> = loads.keys().map(|net| format!("{:?}", same(net))).collect();
        assert_eq!(all.len(), 1, "all hold the same");
        loads.into_values().collect()
    }

    #[test]
    fn each_register_has_few_readers() {
        for (count, expected) in [
            (16, vec![16]),
            (17, vec![8, 8, 1]),
            (40, vec![8, 8, 8, 8, 8]),
        ] {
            assert_eq!(loads(&read_by(count, 5)), expected, "{count}");
        }
        assert_eq!(loads(&read_by(64, 1)), [64]);
        assert_eq!(loads(&read_by(65, 1)), [16, 16, 16, 16, 1]);
    }

    /// Enables are left as they are: a register that enables others, and is read by a few items besides.
    #[test]
    fn enables_have_ways_of_their_own() {
        let mut design = read_by(10, 1);
        let module = design.modules.values_mut().last().expect("a module");
        let enable = module.items.iter().find_map(|item| match item {
            Item::Register(register) => Some(register.out),
            _ => None,
        });
        let next = module.ports[2].net;
        for number in 0..100 {
            let out = module.port(Direction::Output, format!("e{number}"), 1);
            module.items.push(Item::Register(Register {
                out,
                next: next.into(),
                enable,
                reset: None,
                origin: None,
            }));
        }
        replicate(&mut design);
        let module = design.modules.values().last().expect("a module");
        assert_eq!(module.replicas.len(), 0);
    }

    #[test]
    fn texts_say_that_copies_are_to_stay() {
        let copies = systemverilog::print(&read_by(40, 5));
        assert_eq!(
            copies.matches("(* keep *) always_ff").count(),
            1,
            "{copies}"
        );
        for name in ["r <= d", "r_1 <= d", "r_4 <= d"] {
            assert!(copies.contains(name), "{name}: {copies}");
        }
        assert!(!systemverilog::print(&read_by(16, 5)).contains("keep"));
    }
}
