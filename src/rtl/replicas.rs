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

/// How many may read a register, wiring between not counted.
#[derive(Clone, Copy, Debug)]
pub struct Readers {
    /// Beyond so many, it is replicated; registers that it enables not counted.
    pub most: usize,
    /// Those of each copy, at least 1.
    pub each: usize,
    /// The same for bits of what they drive, those of enabled registers too.
    pub most_bits: u64,
    /// Those of each copy, unless that is one reader.
    pub each_bits: u64,
}

/// Of a register of several bits.
const OF_WORD: Readers = Readers {
    most: 16,
    each: 8,
    most_bits: u64::MAX,
    each_bits: u64::MAX,
};

/// Of one of one bit, which selects what is wider, enables or clears it.
const OF_BIT: Readers = Readers {
    most: 64,
    each: 16,
    most_bits: 1024,
    each_bits: 256,
};

/// Replicates the registers of all modules.
pub fn replicate(design: &mut Design) {
    replicate_beyond(design, OF_WORD, OF_BIT);
}

/// The same with other limits for registers of several bits, and of one.
pub fn replicate_beyond(design: &mut Design, of_word: Readers, of_bit: Readers) {
    let ids: Vec<ModuleId> = design.modules.ids().collect();
    for id in ids {
        let module = &design.modules[id];
        if module.clock.is_none() || module.foreign.is_some() {
            continue;
        }
        let plans = plans(design, module, |width| match width {
            1 => of_bit,
            _ => of_word,
        });
        if !plans.is_empty() {
            carry_out(&mut design.modules[id], plans);
        }
    }
}

/// A register that is to be several.
struct Plan {
    /// Its item.
    number: usize,
    /// Wiring behind it, each behind what it reads.
    wiring: Vec<usize>,
    /// What reads it or that wiring, for each copy.
    operators: Vec<Vec<usize>>,
}

/// The registers of a module that are read by many.
fn plans(design: &Design, module: &Module, may: impl Fn(u32) -> Readers) -> Vec<Plan> {
    let mut readers = vec![Vec::new(); module.nets.len()];
    for (number, item) in module.items.iter().enumerate() {
        for net in design.read(item) {
            readers[net.index()].push(number);
        }
    }
    let registers = module.items.iter().enumerate();
    let plan = |(number, item): (usize, &Item)| {
        let Item::Register(register) = item else {
            return None;
        };
        let may = may(module.nets[register.out].width);
        let reached = reached(module, &readers, register.out);
        let readers = reached.enabled.iter().chain(&reached.others);
        let bits = |&number: &usize| (number, driven_bits(design, module, number));
        let operators: BTreeMap<usize, u64> = readers.map(bits).collect();
        let bits: u64 = operators.values().sum();
        (reached.others.len() > may.most || bits > may.most_bits).then(|| Plan {
            number,
            wiring: reached.wiring,
            operators: parted(operators, may),
        })
    };
    registers.filter_map(plan).collect()
}

/// Bits that an item drives, at least one; of another module nothing is known.
fn driven_bits(design: &Design, module: &Module, number: usize) -> u64 {
    if matches!(module.items[number], Item::Instance(_)) {
        return 1;
    }
    let driven = design.driven(&module.items[number]).into_iter();
    let bits: u64 = driven.map(|net| u64::from(module.nets[net].width)).sum();
    bits.max(1)
}

/// Readers with their bits, as many for each copy as it may have.
fn parted(readers: BTreeMap<usize, u64>, may: Readers) -> Vec<Vec<usize>> {
    let mut parts: Vec<Vec<usize>> = Vec::new();
    let mut of_part = 0;
    for (number, bits) in readers {
        match parts.last_mut() {
            Some(part) if part.len() < may.each && of_part + bits <= may.each_bits => {
                part.push(number);
                of_part += bits;
            }
            _ => {
                parts.push(vec![number]);
                of_part = bits;
            }
        }
    }
    parts
}

/// What a net goes to.
#[derive(Default)]
struct Reached {
    /// Wiring, each behind what it reads.
    wiring: Vec<usize>,
    /// Registers that the net or that wiring enables.
    enabled: BTreeSet<usize>,
    /// What else reads the net or that wiring.
    others: BTreeSet<usize>,
}

/// What a net goes to in a module, of which `readers` has the items that read each net.
fn reached(module: &Module, readers: &[Vec<usize>], net: NetId) -> Reached {
    let mut reached = Reached::default();
    let mut open = vec![net];
    while let Some(net) = open.pop() {
        for &reader in &readers[net.index()] {
            match &module.items[reader] {
                Item::Assign {
                    out,
                    expr: Expr::Copy(_) | Expr::Slice { .. } | Expr::Extend { .. },
                    ..
                } => {
                    reached.wiring.push(reader);
                    open.push(*out);
                }
                Item::Register(register) if register.enable == Some(net) => {
                    reached.enabled.insert(reader);
                }
                _ => _ = reached.others.insert(reader),
            }
        }
    }
    reached
}

/// Has operators read copies of registers.
fn carry_out(module: &mut Module, plans: Vec<Plan>) {
    let mut namer = namer(module, |_| true);
    let mut behind: BTreeMap<usize, Vec<Item>> = BTreeMap::new();
    for plan in plans {
        let mut copies = Vec::new();
        for some in plan.operators.iter().skip(1) {
            copies.extend(copy(module, &mut namer, &plan, some));
        }
        // All registers together.
        copies.sort_by_key(|item| !matches!(item, Item::Register(_)));
        behind.insert(plan.number, copies);
    }
    let items = std::mem::take(&mut module.items).into_iter().enumerate();
    for (number, item) in items {
        module.items.push(item);
        let copies = behind.remove(&number);
        module.items.extend(copies.into_iter().flatten());
    }
}

/// Another register of the same contents, and wiring behind it, which some operators read from here on.
fn copy(module: &mut Module, namer: &mut Namer, plan: &Plan, some: &[usize]) -> Vec<Item> {
    let mut copies: BTreeMap<NetId, NetId> = BTreeMap::new();
    let items: Vec<Item> = [plan.number]
        .iter()
        .chain(&plan.wiring)
        .map(|&number| {
            let item = module.items[number].clone();
            if let Item::Register(Register { out, .. }) | Item::Assign { out, .. } = item {
                let net = module.nets[out].clone();
                let name = namer.numbered(&net.name);
                copies.insert(out, module.nets.push(Net { name, ..net }));
            }
            let copied = |net| copies.get(&net).copied().unwrap_or(net);
            match item {
                // It follows what the first one follows.
                Item::Register(register) => {
                    let same = |net| net;
                    module.replicas.extend([register.out, copied(register.out)]);
                    Item::Register(register.renamed(same, copied))
                }
                wire => wire.renamed(copied, copied),
            }
        })
        .collect();
    for &operator in some {
        let copied = |net| copies.get(&net).copied().unwrap_or(net);
        let item = std::mem::replace(&mut module.items[operator], Item::Comment(String::new()));
        // What it drives is no copy.
        module.items[operator] = item.renamed(copied, |net| net);
    }
    items
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

    /// A register that enables so many others of a width, through a wire or not, and is read by a few items besides.
    fn enabling(count: usize, width: u32, has_wire: bool) -> Design {
        let mut design = read_by(10, 1);
        let module = design.modules.values_mut().last().expect("a module");
        let enable = module.items.iter().find_map(|item| match item {
            Item::Register(register) => Some(register.out),
            _ => None,
        });
        let mut enable = enable.expect("a register");
        if has_wire {
            let out = module.net("w", 1);
            module.items.push(Item::Assign {
                out,
                expr: Expr::Copy(enable.into()),
                origin: None,
            });
            enable = out;
        }
        let next = module.port(Direction::Input, "wide", width);
        for number in 0..count {
            let out = module.port(Direction::Output, format!("e{number}"), width);
            module.items.push(Item::Register(Register {
                out,
                next: next.into(),
                enable: Some(enable),
                reset: None,
                origin: None,
            }));
        }
        replicate(&mut design);
        assert_eq!(validate(&design), Ok(()));
        design
    }

    /// Few bits that are enabled are near enough, however many registers they are.
    #[test]
    fn each_register_enables_few_bits() {
        let enables = |design: &Design| {
            let module = design.modules.values().last().expect("a module");
            let mut enables: BTreeMap<NetId, u64> = BTreeMap::new();
            for item in &module.items {
                if let Item::Register(register) = item
                    && module.nets[register.out].name.starts_with('e')
                {
                    let bits = u64::from(module.nets[register.out].width);
                    *enables.entry(register.enable.expect("one")).or_default() += bits;
                }
            }
            enables.into_values().collect::<Vec<u64>>()
        };
        for has_wire in [false, true] {
            assert_eq!(enables(&enabling(100, 1, has_wire)), [100]);
            assert_eq!(enables(&enabling(31, 32, has_wire)), [31 * 32]);
            let copied = enables(&enabling(40, 32, has_wire));
            assert_eq!(copied.iter().sum::<u64>(), 40 * 32);
            assert!(copied.iter().all(|bits| *bits <= 256), "{copied:?}");
        }
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
