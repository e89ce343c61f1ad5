//! The netlist's invariants, checked.

use super::namer::{is_identifier, is_systemverilog_keyword};
use super::netlist::*;
use super::order::{Waiting, topological};
use std::collections::{BTreeSet, HashMap, HashSet};

/// For each output port of a module, by position among the ports: the input ports it depends on within a cycle.
type Paths = HashMap<usize, BTreeSet<usize>>;

type Check = Result<(), String>;

/// Checks every invariant that the netlist's definition states. A valid design can be printed and simulated.
pub fn validate(design: &Design) -> Check {
    let mut names = HashSet::new();
    let mut paths: Vec<Paths> = Vec::new();
    for (id, module) in design.modules.iter() {
        check_name(&module.name)?;
        if !names.insert(module.name.as_str()) {
            return Err(format!("two modules are named {}", module.name));
        }
        let checker = Checker {
            design,
            id,
            module,
            paths: &paths,
        };
        let found = checker
            .check()
            .map_err(|message| format!("module {}: {message}", module.name))?;
        paths.push(found);
    }
    if design.modules.is_empty() {
        return Err("the design has no module".to_string());
    }
    Ok(())
}

struct Checker<'a> {
    design: &'a Design,
    id: ModuleId,
    module: &'a Module,
    paths: &'a [Paths],
}

impl Checker<'_> {
    fn check(&self) -> Result<Paths, String> {
        self.check_nets()?;
        self.check_ports()?;
        for item in &self.module.items {
            self.check_item(item)?;
        }
        self.check_scope()?;
        self.check_drivers()?;
        self.check_loops()
    }

    fn check_nets(&self) -> Check {
        for (_, net) in self.module.nets.iter() {
            ensure(net.width > 0, || format!("net {} has no bits", net.name))?;
        }
        Ok(())
    }

    fn check_ports(&self) -> Check {
        let mut seen = HashSet::new();
        for port in &self.module.ports {
            self.width(port.net)?;
            ensure(seen.insert(port.net), || {
                format!("port {} occurs twice", self.name(port.net))
            })?;
        }
        for (role, net) in [("clock", self.module.clock), ("reset", self.module.reset)] {
            let Some(net) = net else { continue };
            let is_input = self
                .module
                .ports
                .iter()
                .any(|p| p.net == net && p.direction == Direction::Input);
            ensure(is_input, || format!("the {role} is no input port"))?;
            self.expect_net(net, 1, role)?;
        }
        Ok(())
    }

    fn check_scope(&self) -> Check {
        let nets = self.module.nets.iter().map(|(_, net)| net.name.as_str());
        let items = self.module.items.iter().filter_map(|item| match item {
            Item::Memory(memory) => Some(memory.name.as_str()),
            Item::Instance(instance) => Some(instance.name.as_str()),
            _ => None,
        });
        let mut seen = HashSet::new();
        for name in nets.chain(items) {
            check_name(name)?;
            ensure(seen.insert(name), || {
                format!("the name {name} is used twice")
            })?;
        }
        Ok(())
    }

    fn check_item(&self, item: &Item) -> Check {
        match item {
            Item::Comment(_) => Ok(()),
            Item::Assign { out, expr, .. } => {
                let width = self.width(*out)?;
                self.check_expr(expr, width)
                    .map_err(|message| format!("assignment of {}: {message}", self.name(*out)))
            }
            Item::Register(register) => {
                let width = self.width(register.out)?;
                self.check_register(register, width)
                    .map_err(|message| format!("register {}: {message}", self.name(register.out)))
            }
            Item::Memory(memory) => self
                .check_memory(memory)
                .map_err(|message| format!("memory {}: {message}", memory.name)),
            Item::Instance(instance) => self
                .check_instance(instance)
                .map_err(|message| format!("instance {}: {message}", instance.name)),
        }
    }

    fn check_expr(&self, expr: &Expr, out: u32) -> Check {
        for operand in expr.operands() {
            self.operand_width(&operand)?;
        }
        match expr {
            Expr::Copy(value) | Expr::Not(value) => self.expect(value, out, "operand"),
            Expr::Binary { lhs, rhs, .. } => {
                self.expect(lhs, out, "left operand")?;
                self.expect(rhs, out, "right operand")
            }
            Expr::Multiply { lhs, rhs, .. } => {
                let sum = u64::from(self.operand_width(lhs)?) + u64::from(self.operand_width(rhs)?);
                ensure(u64::from(out) <= sum, || {
                    format!("a product of {sum} bits gives {out}")
                })
            }
            Expr::Compare { lhs, rhs, .. } => {
                ensure(out == 1, || format!("a comparison gives 1 bit, not {out}"))?;
                let width = self.operand_width(lhs)?;
                self.expect(rhs, width, "right operand")
            }
            Expr::Shift { value, .. } => self.expect(value, out, "shifted operand"),
            Expr::Mux {
                cond,
                on_true,
                on_false,
            } => {
                self.expect(cond, 1, "condition")?;
                self.expect(on_true, out, "first alternative")?;
                self.expect(on_false, out, "second alternative")
            }
            Expr::Concat(parts) => self.check_concat(parts, out),
            Expr::Slice { value, lo } => {
                let width = self.width(*value)?;
                let end = u64::from(*lo) + u64::from(out);
                ensure(end <= u64::from(width), || {
                    format!("bits up to {end} of {width} bits")
                })
            }
            Expr::Extend { value, .. } => {
                let width = self.operand_width(value)?;
                ensure(width < out, || format!("{width} bits extended to {out}"))
            }
            Expr::Reduce { op, .. } => {
                ensure(out == 1, || format!("a reduction gives 1 bit, not {out}"))?;
                let reduces = matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor);
                ensure(reduces, || format!("no reduction by {op:?}"))
            }
        }
    }

    fn check_concat(&self, parts: &[Operand], out: u32) -> Check {
        let mut sum = 0u64;
        for part in parts {
            sum += u64::from(self.operand_width(part)?);
        }
        ensure(sum == u64::from(out), || {
            format!("parts of {sum} bits give {out}")
        })
    }

    fn check_register(&self, register: &Register, width: u32) -> Check {
        self.expect_clock()?;
        self.expect(&register.next, width, "next value")?;
        if let Some(enable) = register.enable {
            self.expect_net(enable, 1, "enable")?;
        }
        if let Some(value) = &register.reset {
            ensure(self.module.reset.is_some(), || {
                "reset in a module without one".to_string()
            })?;
            ensure(value.bits() <= u64::from(width), || {
                format!("reset value {value} exceeds {width} bits")
            })?;
        }
        Ok(())
    }

    fn check_memory(&self, memory: &Memory) -> Check {
        self.expect_clock()?;
        ensure(memory.width > 0 && memory.depth > 0, || "empty".to_string())?;
        ensure(memory.writes.len() <= 2, || {
            "more than two write ports".to_string()
        })?;
        let addr = memory.address_width();
        for port in &memory.writes {
            self.expect(&port.enable, 1, "write enable")?;
            self.expect(&port.addr, addr, "write address")?;
            self.expect(&port.data, memory.width, "written data")?;
        }
        for port in &memory.reads {
            if let Some(enable) = &port.enable {
                self.expect(enable, 1, "read enable")?;
            }
            self.expect(&port.addr, addr, "read address")?;
            self.expect_net(port.out, memory.width, "read data")?;
        }
        let Some(init) = &memory.init else {
            return Ok(());
        };
        ensure(init.len() as u64 == memory.depth, || {
            format!("{} initial words of {}", init.len(), memory.depth)
        })?;
        let fits = init.iter().all(|v| v.bits() <= u64::from(memory.width));
        ensure(fits, || "an initial word exceeds the width".to_string())
    }

    fn check_instance(&self, instance: &Instance) -> Check {
        ensure(instance.module < self.id, || {
            "its module does not come before this one".to_string()
        })?;
        let module = &self.design.modules[instance.module];
        ensure(module.ports.len() == instance.connections.len(), || {
            "wrong number of connections".to_string()
        })?;
        for (port, net) in self.design.pins(instance) {
            let inner = &module.nets[port.net];
            self.expect_net(net, inner.width, &inner.name)?;
            ensure(
                module.clock != Some(port.net) || self.module.clock == Some(net),
                || "its clock is not this module's".to_string(),
            )?;
        }
        Ok(())
    }

    fn check_drivers(&self) -> Check {
        let mut driven = vec![false; self.module.nets.len()];
        let ports = self.module.ports.iter();
        let inputs = ports.filter(|p| p.direction == Direction::Input);
        let items = self.module.items.iter();
        let outputs = items.flat_map(|item| self.design.driven(item));
        for net in inputs.map(|port| port.net).chain(outputs) {
            ensure(!driven[net.index()], || {
                format!("net {} has two drivers", self.name(net))
            })?;
            driven[net.index()] = true;
        }
        match driven.iter().position(|d| !d) {
            Some(index) => Err(format!(
                "net {} has no driver",
                self.name(NetId::new(index))
            )),
            None => Ok(()),
        }
    }

    /// Rejects combinational loops and returns the combinational paths through the module.
    fn check_loops(&self) -> Result<Paths, String> {
        let sources = self.sources();
        let order = self.order(&sources)?;
        let mut reached: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); self.module.nets.len()];
        let ports = || self.module.ports.iter().enumerate();
        for (index, port) in ports().filter(|(_, p)| p.direction == Direction::Input) {
            reached[port.net.index()].insert(index);
        }
        for net in order {
            for source in &sources[net] {
                let inputs = reached[*source].clone();
                reached[net].extend(inputs);
            }
        }
        Ok(ports()
            .filter(|(_, port)| port.direction == Direction::Output)
            .map(|(index, port)| (index, std::mem::take(&mut reached[port.net.index()])))
            .collect())
    }

    /// For each net the nets that it follows within a cycle.
    fn sources(&self) -> Vec<Vec<usize>> {
        let mut sources = vec![Vec::new(); self.module.nets.len()];
        for item in &self.module.items {
            match item {
                Item::Assign { out, .. } => sources[out.index()]
                    .extend(self.design.read(item).into_iter().map(NetId::index)),
                Item::Instance(instance) => {
                    let nets = &instance.connections;
                    for (output, inputs) in &self.paths[instance.module.index()] {
                        sources[nets[*output].index()]
                            .extend(inputs.iter().map(|input| nets[*input].index()));
                    }
                }
                Item::Memory(memory) => {
                    let at_once = memory.reads.iter().filter(|port| port.enable.is_none());
                    for port in at_once {
                        let addr = port.addr.net().map(NetId::index);
                        sources[port.out.index()].extend(addr);
                    }
                }
                _ => {}
            }
        }
        sources
    }

    /// The nets with sources before those that follow them.
    fn order(&self, sources: &[Vec<usize>]) -> Result<Vec<usize>, String> {
        topological(sources).map_err(|waiting| self.describe_loop(sources, &waiting))
    }

    /// Walks back over nets that wait until one repeats.
    fn describe_loop(&self, sources: &[Vec<usize>], waiting: &Waiting) -> String {
        let mut net = waiting.first();
        let mut walk = vec![net];
        while let Some(source) = sources[net].iter().copied().find(|s| waiting.waits(*s)) {
            if let Some(first) = walk.iter().position(|seen| *seen == source) {
                walk.drain(..first);
                break;
            }
            walk.push(source);
            net = source;
        }
        let names: Vec<&str> = walk
            .iter()
            .rev()
            .map(|n| self.name(NetId::new(*n)))
            .collect();
        format!("combinational loop through {}", names.join(", "))
    }

    fn name(&self, net: NetId) -> &str {
        self.module
            .nets
            .get(net)
            .map_or("(unknown)", |net| net.name.as_str())
    }

    fn width(&self, net: NetId) -> Result<u32, String> {
        let found = self.module.nets.get(net);
        found
            .map(|net| net.width)
            .ok_or_else(|| "a net of another module".to_string())
    }

    fn operand_width(&self, operand: &Operand) -> Result<u32, String> {
        match operand {
            Operand::Net(net) => self.width(*net),
            Operand::Const { width, value } => {
                let fits = *width > 0 && value.bits() <= u64::from(*width);
                ensure(fits, || {
                    format!("the constant {value} exceeds {width} bits")
                })?;
                Ok(*width)
            }
        }
    }

    fn expect(&self, operand: &Operand, width: u32, role: &str) -> Check {
        let found = self.operand_width(operand)?;
        ensure(found == width, || {
            format!("{role} has {found} bits, not {width}")
        })
    }

    fn expect_net(&self, net: NetId, width: u32, role: &str) -> Check {
        self.expect(&Operand::Net(net), width, role)
    }

    fn expect_clock(&self) -> Check {
        ensure(self.module.clock.is_some(), || {
            "the module has no clock".to_string()
        })
    }
}

fn check_name(name: &str) -> Check {
    ensure(is_identifier(name), || format!("{name:?} is no identifier"))?;
    ensure(!is_systemverilog_keyword(name), || {
        format!("{name} is a reserved word")
    })
}

fn ensure(holds: bool, message: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(message()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module with clock, reset, an input `a` of 8 bits and an output `y` of 8 bits.
    fn module() -> (Module, NetId, NetId) {
        let mut module = Module {
            name: "m".to_string(),
            ..Module::default()
        };
        module.clock = Some(module.port(Direction::Input, "ap_clk", 1));
        module.reset = Some(module.port(Direction::Input, "ap_rst", 1));
        let a = module.port(Direction::Input, "a", 8);
        let y = module.port(Direction::Output, "y", 8);
        (module, a, y)
    }

    fn assign(module: &mut Module, out: NetId, expr: Expr) {
        module.items.push(Item::Assign {
            out,
            expr,
            origin: None,
        });
    }

    fn message(modules: Vec<Module>) -> String {
        let mut design = Design::default();
        for module in modules {
            design.modules.push(module);
        }
        validate(&design).err().unwrap_or_default()
    }

    #[track_caller]
    fn rejects(expr: impl FnOnce(NetId) -> Expr, expected: &str) {
        let (mut module, a, y) = module();
        assign(&mut module, y, expr(a));
        let found = message(vec![module]);
        assert!(found.contains(expected), "{found:?}");
    }

    #[test]
    fn accepts_a_copy() {
        let (mut module, a, y) = module();
        assign(&mut module, y, Expr::Copy(a.into()));
        assert_eq!(message(vec![module]), "");
    }

    #[test]
    fn drivers_are_counted() {
        let (mut module, a, y) = module();
        assert_eq!(
            message(vec![module.clone()]),
            "module m: net y has no driver"
        );
        assign(&mut module, y, Expr::Copy(a.into()));
        assign(&mut module, y, Expr::Not(a.into()));
        assert_eq!(message(vec![module]), "module m: net y has two drivers");
    }

    #[test]
    fn widths_must_match() {
        let wide = || Operand::constant(9, 3u32);
        rejects(|_| Expr::Copy(wide()), "operand has 9 bits, not 8");
        rejects(|_| Expr::Concat(vec![wide()]), "parts of 9 bits give 8");
        rejects(|value| Expr::Slice { value, lo: 1 }, "bits up to 9 of 8");
        rejects(
            |a| Expr::Extend {
                value: a.into(),
                signed: true,
            },
            "8 bits extended to 8",
        );
        rejects(
            |a| Expr::Mux {
                cond: a.into(),
                on_true: a.into(),
                on_false: a.into(),
            },
            "condition has 8 bits, not 1",
        );
        rejects(
            |a| Expr::Reduce {
                op: BinaryOp::Or,
                value: a.into(),
            },
            "a reduction gives 1 bit, not 8",
        );
        let value = num_bigint::BigUint::from(256u32);
        rejects(
            |_| Expr::Copy(Operand::Const { width: 8, value }),
            "the constant 256 exceeds 8 bits",
        );
    }

    #[test]
    fn names_are_checked() {
        let (mut module, a, y) = module();
        assign(&mut module, y, Expr::Copy(a.into()));
        module.nets[a].name = "y".to_string();
        assert_eq!(
            message(vec![module.clone()]),
            "module m: the name y is used twice"
        );
        module.nets[a].name = "logic".to_string();
        assert_eq!(message(vec![module]), "module m: logic is a reserved word");
    }

    #[test]
    fn loops_are_found_through_instances() {
        let (mut inner, a, y) = module();
        assign(&mut inner, y, Expr::Not(a.into()));
        let (mut outer, _, out) = module();
        outer.name = "outer".to_string();
        let connections = vec![outer.ports[0].net, outer.ports[1].net, out, out];
        outer.items.push(Item::Instance(Instance {
            module: ModuleId::new(0),
            name: "u".to_string(),
            connections,
            origin: None,
        }));
        let found = message(vec![inner.clone(), outer.clone()]);
        assert_eq!(found, "module outer: combinational loop through y");
        // Through a register there is none.
        inner.items = vec![Item::Register(Register {
            out: y,
            next: a.into(),
            enable: None,
            reset: None,
            origin: None,
        })];
        assert_eq!(message(vec![inner, outer]), "");
    }

    #[test]
    fn memories_are_checked() {
        let (mut module, a, y) = module();
        let enable = Operand::constant(1, 1u32);
        let read = ReadPort {
            enable: Some(enable),
            addr: a.into(),
            out: y,
        };
        module.items.push(Item::Memory(Memory {
            name: "lut".to_string(),
            width: 8,
            depth: 100,
            init: None,
            style: MemoryStyle::Auto,
            writes: Vec::new(),
            reads: vec![read],
            origin: None,
        }));
        let found = message(vec![module]);
        assert!(found.contains("read address has 8 bits, not 7"), "{found}");
    }

    #[test]
    fn a_memory_that_is_read_asynchronously_is_part_of_loops() {
        let loops = |enable: Option<Operand>| {
            let (mut module, a, y) = module();
            let address = module.net("address", 8);
            module.items.push(Item::Memory(Memory {
                name: "words".to_string(),
                width: 8,
                depth: 256,
                init: None,
                style: MemoryStyle::Distributed,
                writes: Vec::new(),
                reads: vec![ReadPort {
                    enable,
                    addr: address.into(),
                    out: y,
                }],
                origin: None,
            }));
            module.items.push(Item::Assign {
                out: address,
                expr: Expr::Binary {
                    op: BinaryOp::Add,
                    lhs: a.into(),
                    rhs: y.into(),
                },
                origin: None,
            });
            message(vec![module])
        };
        assert_eq!(loops(Some(Operand::constant(1, 1u32))), "");
        let found = loops(None);
        assert!(found.contains("combinational loop through"), "{found}");
    }
}
