//! A design as one flat set of nets: instances replaced by their contents, ports by what they connect to.

use crate::arena::Arena;
use crate::rtl::netlist::*;
use crate::rtl::order::Ordered;
use std::collections::HashMap;

/// A design without instances.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flat {
    /// All nets; names of nets inside instances have the instances' names before a dot.
    pub nets: Arena<Net>,
    /// The top module's ports.
    pub ports: Vec<Port>,
    /// Combinational operations, in any order; see [`Flat::steps`].
    pub assigns: Vec<(NetId, Expr)>,
    /// Registers, each with its reset.
    pub registers: Vec<(Register, Option<NetId>)>,
    /// Memories.
    pub memories: Vec<Memory>,
}

/// Flattens `top`.
pub(crate) fn flatten(design: &Design, top: ModuleId) -> Flat {
    let mut flat = Flat::default();
    let module = &design.modules[top];
    let nets = flat.add(design, module, "", &HashMap::new());
    flat.ports = module
        .ports
        .iter()
        .map(|port| Port {
            direction: port.direction,
            net: nets[port.net.index()],
        })
        .collect();
    flat
}

/// What is computed within a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// An assignment, by its number.
    Assign(usize),
    /// An asynchronous read: the number of the memory, and of its port.
    Read(usize, usize),
}

impl Flat {
    /// All that is computed within a cycle, sources before what follows from them, by [`topological`](super::order::topological) or
    /// [`least_first`](super::order::least_first).
    ///
    /// Errors: a combinational loop.
    pub fn steps(&self, order: fn(&[Vec<usize>]) -> Ordered) -> Result<Vec<Step>, String> {
        let mut steps: Vec<(Step, NetId, Vec<NetId>)> = Vec::new();
        for (number, (out, expr)) in self.assigns.iter().enumerate() {
            let operands = expr.operands();
            let sources = operands.iter().filter_map(Operand::net);
            steps.push((Step::Assign(number), *out, sources.collect()));
        }
        for (number, memory) in self.memories.iter().enumerate() {
            let reads = memory.reads.iter().enumerate();
            for (port, read) in reads.filter(|(_, read)| read.enable.is_none()) {
                let addr = read.addr.net().into_iter();
                steps.push((Step::Read(number, port), read.out, addr.collect()));
            }
        }
        let mut driver = vec![None; self.nets.len()];
        for (index, (_, out, _)) in steps.iter().enumerate() {
            driver[out.index()] = Some(index);
        }
        let sources = steps.iter().map(|(_, _, sources)| {
            let drivers = sources.iter().filter_map(|net| driver[net.index()]);
            drivers.collect()
        });
        let sources: Vec<Vec<usize>> = sources.collect();
        let order = order(&sources).map_err(|waiting| {
            let net = steps[waiting.first()].1;
            format!("combinational loop through {}", self.nets[net].name)
        })?;
        Ok(order.into_iter().map(|index| steps[index].0).collect())
    }

    /// Adds the contents of `module`, whose ports are the given nets, and returns its nets.
    fn add(
        &mut self,
        design: &Design,
        module: &Module,
        prefix: &str,
        ports: &HashMap<NetId, NetId>,
    ) -> Vec<NetId> {
        let nets: Vec<NetId> = module
            .nets
            .iter()
            .map(|(id, net)| match ports.get(&id) {
                Some(connected) => *connected,
                None => self.nets.push(Net {
                    name: format!("{prefix}{}", net.name),
                    width: net.width,
                    named: net.named,
                }),
            })
            .collect();
        let reset = module.reset.map(|net| nets[net.index()]);
        let moved = |net: NetId| nets[net.index()];
        for item in &module.items {
            match item.clone().renamed(moved, moved) {
                Item::Comment(_) => {}
                Item::Assign { out, expr, .. } => self.assigns.push((out, expr)),
                Item::Register(register) => {
                    let reset = reset.filter(|_| register.reset.is_some());
                    self.registers.push((register, reset));
                }
                Item::Memory(memory) => self.memories.push(memory),
                Item::Instance(instance) => {
                    let inner = &design.modules[instance.module];
                    let pins = design.pins(&instance).into_iter();
                    let ports = pins.map(|(port, net)| (port.net, net)).collect();
                    let prefix = format!("{prefix}{}.", instance.name);
                    self.add(design, inner, &prefix, &ports);
                }
            }
        }
        nets
    }
}
