//! A design as one flat set of nets: instances replaced by their contents, ports by what they connect to.

use crate::arena::Arena;
use crate::rtl::netlist::*;
use std::collections::HashMap;

/// A design without instances.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flat {
    /// All nets; names of nets inside instances have the instances' names before a dot.
    pub nets: Arena<Net>,
    /// The top module's ports.
    pub ports: Vec<Port>,
    /// Combinational operations, in any order.
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

impl Flat {
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
        for item in &module.items {
            match item {
                Item::Comment(_) => {}
                Item::Assign { out, expr, .. } => {
                    let expr = expr
                        .clone()
                        .map(|o| moved(&nets, o), |net| nets[net.index()]);
                    self.assigns.push((nets[out.index()], expr));
                }
                Item::Register(register) => {
                    let reset = reset.filter(|_| register.reset.is_some());
                    self.registers
                        .push((moved_register(&nets, register), reset));
                }
                Item::Memory(memory) => self.memories.push(moved_memory(&nets, memory)),
                Item::Instance(instance) => {
                    let inner = &design.modules[instance.module];
                    let pins = design.pins(instance).into_iter();
                    let ports = pins
                        .map(|(port, net)| (port.net, nets[net.index()]))
                        .collect();
                    let prefix = format!("{prefix}{}.", instance.name);
                    self.add(design, inner, &prefix, &ports);
                }
            }
        }
        nets
    }
}

fn moved(nets: &[NetId], operand: Operand) -> Operand {
    match operand {
        Operand::Net(net) => Operand::Net(nets[net.index()]),
        constant => constant,
    }
}

fn moved_register(nets: &[NetId], register: &Register) -> Register {
    Register {
        out: nets[register.out.index()],
        next: moved(nets, register.next.clone()),
        enable: register.enable.map(|net| nets[net.index()]),
        ..register.clone()
    }
}

fn moved_memory(nets: &[NetId], memory: &Memory) -> Memory {
    let operand = |operand: &Operand| moved(nets, operand.clone());
    let writes = memory.writes.iter().map(|port| WritePort {
        enable: operand(&port.enable),
        addr: operand(&port.addr),
        data: operand(&port.data),
    });
    let reads = memory.reads.iter().map(|port| ReadPort {
        enable: operand(&port.enable),
        addr: operand(&port.addr),
        out: nets[port.out.index()],
    });
    Memory {
        writes: writes.collect(),
        reads: reads.collect(),
        ..memory.clone()
    }
}
