//! The module around the modules of a network's processes: queues between them, memories that they share, and what
//! starts when.

mod arrays;
mod overlap;
mod streams;

use super::BlockPorts;
use super::cells::{Cells, bit};
use super::datapath::constant;
use super::fifo::Shape;
use super::manifest;
use super::transfers::Room;
use crate::diagnostics::{Diagnostic, SourceMap};
use crate::hwarith::graph::MemId;
use crate::ir::{Arg, ArrayId, Param, ResultSlot, ValueId};
use crate::machine::program::{PortRef, PortStream, Program, Side};
use crate::rtl::interface::manifest::{Loop, Manifest, Port, PortKind};
use crate::rtl::namer::Namer;
use crate::rtl::netlist::*;
use crate::schedule::Schedule;
use crate::transform::network::{Network, Process, Users};
use arrays::{Accesses, Lane};
use overlap::Sharing;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use streams::{Ends, shape};

/// A process with its schedule.
#[derive(Clone, Debug)]
pub struct Part {
    /// What it does.
    pub program: Program,
    /// When.
    pub schedule: Schedule,
}

impl Part {
    /// The streams of a process that is this part, each with what it is of the network.
    pub fn streams<'p>(
        &'p self,
        process: &'p Process,
    ) -> impl Iterator<Item = (ArrayId, &'p PortStream)> {
        let pairs = process.args.iter().zip(&self.program.args);
        pairs.filter_map(|pair| match pair {
            (Arg::Array(id), PortRef::Stream(stream)) => Some((*id, stream)),
            _ => None,
        })
    }
}

/// What is to be built around the processes.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Invocations may overlap, where the network allows it.
    pub may_overlap: bool,
    /// Lookup tables of the device may be memory.
    pub lut_ram: bool,
}

/// The netlist and the manifest of a network; `which` says what part each process is.
///
/// Errors: more processes read a parameter at the same time than it has ports.
pub fn build(
    network: &Network,
    parts: &[Part],
    which: &[usize],
    options: Options,
    sources: &SourceMap,
) -> Result<(Design, Manifest), Diagnostic> {
    let mut design = Design::default();
    let users = network.users();
    let sharing = options.may_overlap.then(|| overlap::sharing(network));
    let sharing = sharing.flatten();
    let shapes: BTreeMap<ArrayId, Shape> = users
        .iter()
        .map(|(&id, users)| {
            (
                id,
                shape(network, parts, which, (id, users), options.lut_ram),
            )
        })
        .collect();
    let mut modules: Vec<(ModuleId, Manifest)> = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        let same = network.processes.iter().zip(which);
        let same = same.filter(|(_, one)| **one == number);
        let same: Vec<&Process> = same.map(|(process, _)| process).collect();
        // All that are this part have queues alike.
        let process = same[0];
        let mut room = Room {
            capacities: BTreeMap::new(),
            lasts: sharing.is_some(),
            waiting: waiting(network, part, &same),
        };
        for (id, stream) in part.streams(process) {
            let put = stream.side(Side::Put);
            room.capacities.insert(put, shapes[&id].capacity());
        }
        let manifest = super::add(&part.program, &part.schedule, sources, &room, &mut design);
        let module = design.modules.ids().last();
        let module = module.expect("a module was added");
        let asked = &mut design.modules[module].asked;
        if process.is_timed() && asked.is_empty() {
            // Of its questions none remains: co-simulation has a record of each process that asks.
            asked.push((bit(false), bit(false)));
        }
        modules.push((module, manifest));
    }
    let mut names = Namer::new();
    for module in design.modules.values() {
        names.take(&module.name);
    }
    let name = names.suffixed(&network.kernel.name);
    let mut cells = Cells::new(&name);
    for module in design.modules.values() {
        cells.namer.take(&module.name);
    }
    cells.module.comments = vec![format!(
        "{} ({}): {} processes",
        network.kernel.name,
        sources.location(network.kernel.span),
        network.processes.len()
    )];
    let mut around = Around {
        network,
        modules: which.iter().map(|number| &modules[*number]).collect(),
        users: &users,
        shapes: &shapes,
        sharing,
        sources,
        queues: BTreeMap::new(),
        design: &mut design,
        names,
        cells,
        nets: HashMap::new(),
        values: HashMap::new(),
        streams: BTreeMap::new(),
        arrays: BTreeMap::new(),
        halves: HashMap::new(),
        kept: HashMap::new(),
        taken_now: None,
        returned_half: None,
    };
    let manifest = around.build()?;
    let cells = around.cells;
    design.modules.push(cells.module);
    Ok((design, manifest))
}

/// Streams that all processes of a part have inside of the network, by the memory that stands for what is got: their queues have
/// room for what waits; others come from outside.
fn waiting(network: &Network, part: &Part, processes: &[&Process]) -> BTreeSet<MemId> {
    let data = |(_, stream): (ArrayId, &PortStream)| stream.side(Side::Data);
    let all = processes.iter().flat_map(|process| part.streams(process));
    let outside = all.filter(|(id, _)| !network.is_inside(*id));
    let outside: BTreeSet<MemId> = outside.map(data).collect();
    let own = part.streams(processes[0]).map(data);
    own.filter(|data| !outside.contains(data)).collect()
}

struct Around<'a> {
    network: &'a Network,
    /// Of each process.
    modules: Vec<&'a (ModuleId, Manifest)>,
    users: &'a BTreeMap<ArrayId, Users>,
    shapes: &'a BTreeMap<ArrayId, Shape>,
    /// What processes share, where an invocation may begin while others run.
    sharing: Option<Sharing>,
    sources: &'a SourceMap,
    /// The module of each queue.
    queues: BTreeMap<Shape, ModuleId>,
    design: &'a mut Design,
    names: Namer,
    cells: Cells,
    /// Nets of the ports of each process.
    nets: HashMap<(usize, String), NetId>,
    /// Scalars.
    values: HashMap<ValueId, NetId>,
    streams: BTreeMap<ArrayId, Ends>,
    /// Ports of each bank of an array, by process.
    arrays: BTreeMap<(ArrayId, u64), Accesses>,
    /// Where invocations overlap: which half of what is there twice a process uses.
    halves: HashMap<usize, NetId>,
    /// Both halves of a scalar.
    kept: HashMap<NetId, [NetId; 2]>,
    /// Whether an invocation is taken, and the last bit of its number.
    taken_now: Option<(NetId, NetId)>,
    /// The last bit of the number of the invocation that is done next.
    returned_half: Option<NetId>,
}

impl Around<'_> {
    fn build(&mut self) -> Result<Manifest, Diagnostic> {
        let block = BlockPorts::declare(&mut self.cells);
        let mut ports = self.scalar_ports();
        self.declare();
        let results = match self.sharing {
            Some(_) => self.overlapping(&block, &mut ports)?,
            None => self.one_by_one(&block, &mut ports)?,
        };
        let returns = self.returns(results, block.done);
        self.instances(block.clock, block.reset);
        Ok(self.manifest(ports, returns))
    }

    /// An invocation begins when the one before is done; the entries of array results, by number.
    fn one_by_one(
        &mut self,
        block: &BlockPorts,
        ports: &mut [Option<Port>],
    ) -> Result<BTreeMap<usize, Port>, Diagnostic> {
        let &BlockPorts {
            start,
            done,
            idle,
            ready,
            busy,
            ..
        } = block;
        let mut free = self.cells.invert(Operand::Net(busy), "free");
        for loaded in self.loaded() {
            free = self.cells.gate(BinaryOp::And, free, loaded, "free");
        }
        self.cells.drive(idle, Expr::Copy(free.clone()));
        let begin = self
            .cells
            .gate(BinaryOp::And, Operand::Net(start), free, "begin");
        let begin = self.cells.as_net(begin, "begin");
        let ends = self.control(begin, busy);
        let waits = self.streams(begin, ports);
        let results = self.arrays(ports)?;
        // All are done, and everything has left.
        let all = ends.into_iter().chain(waits);
        let all: Vec<Operand> = all.collect();
        let mut finished = Operand::Net(busy);
        for end in all {
            finished = self.cells.gate(BinaryOp::And, finished, end, "finished");
        }
        self.cells.drive(done, Expr::Copy(finished.clone()));
        self.cells.drive(ready, Expr::Copy(finished.clone()));
        let goes_on = self.cells.invert(finished, "goes_on");
        let active = self.cells.gate(
            BinaryOp::Or,
            Operand::Net(busy),
            Operand::Net(begin),
            "active",
        );
        let next = self.cells.gate(BinaryOp::And, active, goes_on, "busy_next");
        self.cells.drive_register(busy, next, None, Some(0), None);
        Ok(results)
    }

    /// Of each process that keeps state: that it is ready to begin.
    fn loaded(&mut self) -> Vec<Operand> {
        let network = self.network;
        let processes = network.processes.iter().enumerate();
        let keeps = processes.filter(|(_, process)| process.program.keeps_state());
        keeps
            .map(|(number, _)| Operand::Net(self.net(number, "ap_idle")))
            .collect()
    }

    // Ports -----------------------------------------------------------------------------------------

    /// Ports of scalar arguments; the entries of all parameters, as far as they are known.
    fn scalar_ports(&mut self) -> Vec<Option<Port>> {
        let kernel = &self.network.kernel;
        let params = kernel.params.iter().map(|param| {
            let Param::Scalar(value) = param else {
                return None;
            };
            let ty = kernel.values[*value].ty;
            let name = kernel.values[*value].name.clone().unwrap_or("arg".into());
            let net = self.cells.port(Direction::Input, &name, ty.width());
            self.values.insert(*value, net);
            Some(Port {
                name: Some(name),
                kind: PortKind::Scalar {
                    ty: ty.to_string(),
                    width: ty.width(),
                    port: self.cells.name(net).to_string(),
                },
            })
        });
        params.collect()
    }

    /// The entries of the results; `arrays` are those of array results, by number.
    fn returns(&mut self, mut arrays: BTreeMap<usize, Port>, done: NetId) -> Vec<Port> {
        let network = self.network;
        let kernel = &network.kernel;
        let many = kernel.results.len() > 1;
        let mut yields = kernel.body.yields.iter();
        let mut returns = Vec::new();
        for (number, slot) in kernel.results.iter().enumerate() {
            let name = match many {
                true => format!("ap_return_{number}"),
                false => "ap_return".into(),
            };
            let ty = match slot {
                ResultSlot::Scalar(ty) => ty,
                ResultSlot::Array(id) => {
                    let blank = || manifest::array_port(&kernel.arrays[*id], Vec::new());
                    let port = arrays.remove(&number).unwrap_or_else(blank);
                    let name = Some(name);
                    returns.push(Port { name, ..port });
                    continue;
                }
            };
            let net = self.cells.port(Direction::Output, &name, ty.width());
            let value = yields.next();
            let given = value.and_then(|value| Some((*value, *self.values.get(value)?)));
            let value = match given {
                Some((value, net)) => Operand::Net(self.as_returned(value, net, done)),
                None => constant(&0.into(), ty.width()),
            };
            self.cells.drive(net, Expr::Copy(value));
            returns.push(Port {
                name: None,
                kind: PortKind::Scalar {
                    ty: ty.to_string(),
                    width: ty.width(),
                    port: self.cells.name(net).to_string(),
                },
            });
        }
        returns
    }

    // Processes -------------------------------------------------------------------------------------

    fn net(&mut self, process: usize, port: &str) -> NetId {
        if let Some(&net) = self.nets.get(&(process, port.to_string())) {
            return net;
        }
        let module = &self.design.modules[self.modules[process].0];
        let width = module.ports.iter().map(|port| &module.nets[port.net]);
        let width = width
            .filter(|net| net.name == port)
            .map(|net| net.width)
            .next();
        let name = format!("{}_{port}", module.name);
        let net = self.cells.net(&name, width.unwrap_or(1));
        self.nets.insert((process, port.to_string()), net);
        net
    }

    /// Names the nets between the processes: of what they hand one another, of streams, of arrays.
    fn declare(&mut self) {
        let network = self.network;
        let modules = self.modules.clone();
        for (number, process) in network.processes.iter().enumerate() {
            let manifest = &modules[number].1;
            for (value, port) in process.results.iter().zip(&manifest.returns) {
                if let PortKind::Scalar { port, .. } = &port.kind {
                    let net = self.net(number, port);
                    self.values.insert(*value, net);
                }
            }
            for (arg, port) in process.args.iter().zip(&manifest.args) {
                match (arg, &port.kind) {
                    (Arg::Scalar(value), PortKind::Scalar { port, .. }) => {
                        // Of a process before this one, or of a parameter.
                        if let Some(&net) = self.values.get(value) {
                            let mut givers = network.processes[..number].iter();
                            let giver = givers.position(|other| other.results.contains(value));
                            let net = match giver {
                                Some(giver) => self.as_given(giver, number, net),
                                None => self.as_taken(number, net),
                            };
                            self.nets.insert((number, port.clone()), net);
                        }
                    }
                    (Arg::Array(id), PortKind::Stream { ports, .. }) => {
                        self.ends(number, *id, ports);
                    }
                    (Arg::Array(id), PortKind::Array { banks, .. }) => {
                        for bank in banks {
                            let lanes = bank.ports.iter().map(|port| self.lane(number, port));
                            let lanes: Vec<Lane> = lanes.collect();
                            let users = self.arrays.entry((*id, bank.bank)).or_default();
                            users.push((number, lanes));
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// Starts each process when those before it are done; for each whether it is.
    fn control(&mut self, begin: NetId, busy: NetId) -> Vec<Operand> {
        let modules = self.modules.clone();
        // Queues are empty a cycle after the start.
        let first = self
            .cells
            .register("begun", 1, Operand::Net(begin), None, Some(0), None);
        let mut dones: Vec<Operand> = Vec::new();
        for (number, process) in self.network.processes.iter().enumerate() {
            let control = &modules[number].1.control;
            let [start, done] = [&control.start, &control.done].map(|port| self.net(number, port));
            let cells = &mut self.cells;
            let name = &process.kernel().name;
            // Both are 0 again when the next invocation begins.
            let is_done = cells.net(&format!("{name}_is_done"), 1);
            let keeps = cells.invert(Operand::Net(begin), "keeps");
            let ever = cells.gate(
                BinaryOp::Or,
                Operand::Net(is_done),
                Operand::Net(done),
                "ever",
            );
            let ever = cells.gate(BinaryOp::And, ever, keeps.clone(), "ever");
            cells.drive_register(is_done, ever, None, Some(0), None);
            let starts = match process.after.is_empty() {
                true => Operand::Net(first),
                false => {
                    let started = cells.net(&format!("{name}_started"), 1);
                    let fresh = cells.invert(Operand::Net(started), "fresh");
                    let mut turn = cells.gate(BinaryOp::And, Operand::Net(busy), fresh, "turn");
                    for &other in &process.after {
                        turn = cells.gate(BinaryOp::And, turn, dones[other].clone(), "turn");
                    }
                    let ever =
                        cells.gate(BinaryOp::Or, Operand::Net(started), turn.clone(), "ever");
                    let ever = cells.gate(BinaryOp::And, ever, keeps, "ever");
                    cells.drive_register(started, ever, None, Some(0), None);
                    turn
                }
            };
            cells.drive(start, Expr::Copy(starts));
            dones.push(Operand::Net(is_done));
        }
        dones
    }

    fn instances(&mut self, clock: NetId, reset: NetId) {
        for number in 0..self.modules.len() {
            let (id, manifest) = &self.modules[number];
            let module = &self.design.modules[*id];
            let ports = module
                .ports
                .iter()
                .map(|port| module.nets[port.net].name.clone());
            let ports: Vec<String> = ports.collect();
            let name = module.name.clone();
            let connections = ports.iter().map(|port| match port {
                port if *port == manifest.clock => clock,
                port if *port == manifest.reset.port => reset,
                port => self.net(number, port),
            });
            let connections = connections.collect();
            let span = self.network.processes[number].span;
            let instance = Instance {
                module: *id,
                name: self.cells.namer.numbered(&format!("{name}_i")),
                connections,
                origin: Some(self.sources.location(span).into()),
            };
            self.cells.module.items.push(Item::Instance(instance));
        }
    }

    // Manifest --------------------------------------------------------------------------------------

    fn manifest(&self, ports: Vec<Option<Port>>, returns: Vec<Port>) -> Manifest {
        let loops = self
            .modules
            .iter()
            .flat_map(|(_, manifest)| manifest.loops.clone());
        let loops: Vec<Loop> = loops.collect();
        Manifest {
            args: ports.into_iter().flatten().collect(),
            returns,
            loops,
            ..Manifest::of(&self.network.kernel.name, &self.cells.module.name)
        }
    }
}
