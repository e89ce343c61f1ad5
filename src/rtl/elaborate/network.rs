//! The module around the modules of a network's processes: queues between them, memories that they share, and what starts
//! when.

use super::cells::{Cells, bit};
use super::datapath::constant;
use super::fifo::{self, Shape};
use super::manifest;
use super::ports::style;
use super::transfers::count_width;
use crate::codes;
use crate::diagnostics::{Diagnostic, SourceMap};
use crate::hwarith::graph::MemId;
use crate::ir::{
    Arg, Array, ArrayId, ArrayKind, Const, MemoryKind, Packed, Param, ResultSlot, ValueId,
};
use crate::machine::program::{PortRef, Program};
use crate::rtl::interface::manifest::{
    Bank, Control, Flow, Latency, Loop, Manifest, MemoryPort, Port, PortKind, Reset, StreamPorts,
};
use crate::rtl::namer::Namer;
use crate::rtl::netlist::*;
use crate::schedule::Schedule;
use crate::transform::network::{Network, Users};
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A process with its schedule.
#[derive(Clone, Debug)]
pub struct Part {
    /// What it does.
    pub program: Program,
    /// When.
    pub schedule: Schedule,
}

/// Ports of an array outside of the module.
const MOST_PORTS: usize = 2;

/// The netlist and the manifest of a network; `which` says what part each process is.
///
/// Errors: more processes read a parameter at the same time than it has ports; several get from one stream of the top kernel.
pub fn build(
    network: &Network,
    parts: &[Part],
    which: &[usize],
    sources: &SourceMap,
) -> Result<(Design, Manifest), Diagnostic> {
    let mut design = Design::default();
    let users = network.users();
    let shapes: BTreeMap<ArrayId, Shape> = users
        .iter()
        .map(|(&id, users)| (id, shape(network, parts, which, id, users)))
        .collect();
    let mut modules: Vec<(ModuleId, Manifest)> = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        // All that are this part have queues alike.
        let process = which.iter().position(|one| *one == number);
        let process = &network.processes[process.unwrap_or_default()];
        let mut capacities = BTreeMap::new();
        for (param, port) in process.args.iter().zip(&part.program.args) {
            if let (Arg::Array(id), PortRef::Stream(stream)) = (param, port) {
                capacities.insert(stream.put, shapes[id].capacity);
            }
        }
        let manifest = super::add(
            &part.program,
            &part.schedule,
            sources,
            &capacities,
            &mut design,
        );
        let module = design.modules.ids().last();
        modules.push((module.expect("a module was added"), manifest));
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
        sources,
        queues: BTreeMap::new(),
        design: &mut design,
        names,
        cells,
        nets: HashMap::new(),
        values: HashMap::new(),
        streams: BTreeMap::new(),
        arrays: BTreeMap::new(),
    };
    let manifest = around.build()?;
    let cells = around.cells;
    design.modules.push(cells.module);
    Ok((design, manifest))
}

/// The queue of a stream: as many elements as it holds, and those that are on their way.
fn shape(network: &Network, parts: &[Part], which: &[usize], id: ArrayId, users: &Users) -> Shape {
    let array = &network.kernel.arrays[id];
    let stream = array.stream.as_ref();
    let (depth, tokens) = stream.map_or((1, &[][..]), |stream| (stream.depth, &stream.tokens[..]));
    let on_the_way = users.producer.map_or(0, |process| {
        let args = network.processes[process]
            .args
            .iter()
            .zip(&parts[which[process]].program.args);
        let sides = args.filter_map(|pair| match pair {
            (Arg::Array(other), PortRef::Stream(stream)) if *other == id => Some(stream.put),
            _ => None,
        });
        sides
            .map(|put| on_the_way(&parts[which[process]], put))
            .max()
            .unwrap_or(0)
    });
    Shape {
        width: array.elem.width(),
        capacity: (depth + on_the_way).next_power_of_two().max(2),
        tokens: tokens.iter().map(|token| bits(array, token)).collect(),
    }
}

/// What a transfer consists of, if it is a block.
fn packed(array: &Array) -> Option<&Packed> {
    array.stream.as_ref()?.packed.as_ref()
}

fn bits(array: &Array, token: &Const) -> BigUint {
    let unsigned = crate::hwarith::HwType::ui(array.elem.width());
    let bits = match token {
        Const::Int(value) => unsigned.wrap(value).to_biguint(),
        Const::Float(bits) => Some(bits.clone()),
    };
    bits.unwrap_or_default()
}

/// Elements that are promised room before the first of them has been taken again, at full speed.
fn on_the_way(part: &Part, put: MemId) -> u64 {
    let leaves = part
        .program
        .leaves
        .values()
        .zip(part.schedule.leaves.values());
    let needed = leaves.map(|(leaf, schedule)| {
        let puts = leaf.accesses.iter().filter(|access| access.mem == put);
        let starts = puts.map(|access| schedule.times.start[access.node.index()]);
        let starts: Vec<u32> = starts.collect();
        let Some(last) = starts.iter().max() else {
            return 0;
        };
        // The queue has it a cycle later, and the count of what is free hears of it another one later.
        let rounds = (last + 2).div_ceil(schedule.ii.unwrap_or(u32::MAX).max(1));
        starts.len() as u64 * u64::from(rounds)
    });
    needed.max().unwrap_or(0)
}

/// One port of a memory, as a process has it.
#[derive(Clone, Copy)]
struct Lane {
    address: NetId,
    ce: NetId,
    q: Option<NetId>,
    write: Option<(NetId, NetId)>,
}

/// Ports of processes that never work at the same time.
type Shared = Vec<Lane>;

/// Processes that have ports of a memory, and these.
type Accesses = Vec<(usize, Vec<Lane>)>;

/// A stream between the instances.
#[derive(Default)]
struct Ends {
    /// `din`, `write` and `left` of the producer.
    put: Option<[NetId; 3]>,
    /// `dout`, `empty_n` and `read` of each consumer.
    gets: Vec<[NetId; 3]>,
}

struct Around<'a> {
    network: &'a Network,
    /// Of each process.
    modules: Vec<&'a (ModuleId, Manifest)>,
    users: &'a BTreeMap<ArrayId, Users>,
    shapes: &'a BTreeMap<ArrayId, Shape>,
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
}

impl Around<'_> {
    fn build(&mut self) -> Result<Manifest, Diagnostic> {
        let cells = &mut self.cells;
        let mut input = |name: &str| cells.port(Direction::Input, name, 1);
        let [clock, reset, start] = ["ap_clk", "ap_rst", "ap_start"].map(&mut input);
        let mut output = |name: &str| cells.port(Direction::Output, name, 1);
        let [done, idle, ready] = ["ap_done", "ap_idle", "ap_ready"].map(&mut output);
        cells.module.clock = Some(clock);
        cells.module.reset = Some(reset);
        let mut ports = self.scalar_ports();
        self.declare();
        let busy = self.cells.net("busy", 1);
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
        let waits = self.streams(begin, &mut ports)?;
        self.arrays(&mut ports)?;
        self.instances(clock, reset);
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
        let returns = self.returns(&mut ports);
        Ok(self.manifest(ports, returns))
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

    fn returns(&mut self, ports: &mut [Option<Port>]) -> Vec<Port> {
        let _ = ports;
        let kernel = &self.network.kernel;
        let many = kernel.results.len() > 1;
        let mut yields = kernel.body.yields.iter();
        let mut returns = Vec::new();
        for (number, slot) in kernel.results.iter().enumerate() {
            let ResultSlot::Scalar(ty) = slot else {
                continue;
            };
            let name = match many {
                true => format!("ap_return_{number}"),
                false => "ap_return".into(),
            };
            let net = self.cells.port(Direction::Output, &name, ty.width());
            let value = yields.next().and_then(|value| self.values.get(value));
            let value = value.map_or(constant(&0.into(), ty.width()), |net| Operand::Net(*net));
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

    fn ends(&mut self, process: usize, id: ArrayId, ports: &StreamPorts) {
        let StreamPorts {
            dout,
            empty_n,
            read,
            din,
            full_n,
            write,
        } = ports;
        let mut three = |a: &Option<String>, b: &Option<String>, c: &Option<String>| {
            let names = [a.as_ref()?, b.as_ref()?, c.as_ref()?];
            Some(names.map(|name| self.net(process, name)))
        };
        let get = three(dout, empty_n, read);
        let put = three(din, write, full_n);
        let ends = self.streams.entry(id).or_default();
        ends.gets.extend(get);
        ends.put = ends.put.or(put);
    }

    fn lane(&mut self, process: usize, port: &MemoryPort) -> Lane {
        let write = port.we.as_ref().zip(port.d.as_ref());
        Lane {
            address: self.net(process, &port.address),
            ce: self.net(process, &port.ce),
            q: port.q.as_ref().map(|q| self.net(process, q)),
            write: write.map(|(we, d)| (self.net(process, we), self.net(process, d))),
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
                origin: Some(self.sources.location(span)),
            };
            self.cells.module.items.push(Item::Instance(instance));
        }
    }

    // Streams ---------------------------------------------------------------------------------------

    /// Connects the streams; for each that leaves the module whether it is empty.
    fn streams(
        &mut self,
        begin: NetId,
        ports: &mut [Option<Port>],
    ) -> Result<Vec<Operand>, Diagnostic> {
        let mut waits = Vec::new();
        let users = self.users;
        for &id in users.keys() {
            let array = &self.network.kernel.arrays[id];
            let ends = self.streams.remove(&id).unwrap_or_default();
            self.cells.comment(format!("stream {}", array.name));
            match array.kind {
                ArrayKind::Param(number) if ends.put.is_some() => {
                    let (port, empty) = self.outward(id, array, ends, begin);
                    ports[number] = Some(port);
                    waits.push(empty);
                }
                ArrayKind::Param(number) => ports[number] = Some(self.inward(array, ends)?),
                _ => self.between(id, ends, begin),
            }
        }
        Ok(waits)
    }

    fn inward(&mut self, array: &Array, ends: Ends) -> Result<Port, Diagnostic> {
        let [get] = ends.gets[..] else {
            let message = format!(
                "several processes get from '{}': there is no hardware for that yet",
                array.name
            );
            return Err(Diagnostic::error(codes::NETWORK, array.span, message));
        };
        let (cells, name) = (&mut self.cells, &array.name);
        let dout = cells.port(
            Direction::Input,
            &format!("{name}_dout"),
            array.elem.width(),
        );
        let empty_n = cells.port(Direction::Input, &format!("{name}_empty_n"), 1);
        let read = cells.port(Direction::Output, &format!("{name}_read"), 1);
        cells.drive(get[0], Expr::Copy(Operand::Net(dout)));
        cells.drive(get[1], Expr::Copy(Operand::Net(empty_n)));
        cells.drive(read, Expr::Copy(Operand::Net(get[2])));
        let named = |net| Some(cells.name(net).to_string());
        let ports = StreamPorts {
            dout: named(dout),
            empty_n: named(empty_n),
            read: named(read),
            ..StreamPorts::default()
        };
        Ok(manifest::stream_port(
            &array.name,
            array.elem,
            packed(array),
            (Flow::In, ports),
        ))
    }

    fn outward(&mut self, id: ArrayId, array: &Array, ends: Ends, begin: NetId) -> (Port, Operand) {
        let name = &array.name;
        let cells = &mut self.cells;
        let full_n = cells.port(Direction::Input, &format!("{name}_full_n"), 1);
        let write = cells.port(Direction::Output, &format!("{name}_write"), 1);
        let din = cells.port(
            Direction::Output,
            &format!("{name}_din"),
            array.elem.width(),
        );
        let named = |net| Some(cells.name(net).to_string());
        let ports = StreamPorts {
            din: named(din),
            full_n: named(full_n),
            write: named(write),
            ..StreamPorts::default()
        };
        let [dout, empty_n] = [("dout", array.elem.width()), ("some", 1)]
            .map(|(part, width)| self.cells.net(&format!("{name}_{part}"), width));
        let some = Operand::Net(empty_n);
        let go = self
            .cells
            .gate(BinaryOp::And, some.clone(), Operand::Net(full_n), "go");
        let go = self.cells.as_net(go, "go");
        self.cells.drive(write, Expr::Copy(Operand::Net(go)));
        self.cells.drive(din, Expr::Copy(Operand::Net(dout)));
        if let Some(put) = ends.put {
            self.queue(id, put, [dout, empty_n, go], put[2], begin);
        }
        let empty = self.cells.invert(some, "empty");
        (
            manifest::stream_port(&array.name, array.elem, packed(array), (Flow::Out, ports)),
            empty,
        )
    }

    fn between(&mut self, id: ArrayId, ends: Ends, begin: NetId) {
        let width = self.shapes[&id].width;
        let put = ends.put.unwrap_or_else(|| {
            // Nobody puts: there are the tokens.
            let [din, write, left] = [width, 1, 1].map(|width| self.cells.net("nothing", width));
            self.cells
                .drive(din, Expr::Copy(constant(&0.into(), width)));
            self.cells.drive(write, Expr::Copy(bit(false)));
            [din, write, left]
        });
        match ends.gets[..] {
            // Nobody gets: what is put is gone.
            [] => self.cells.drive(put[2], Expr::Copy(Operand::Net(put[1]))),
            [get] => self.queue(id, put, get, put[2], begin),
            _ => self.fan_out(id, put, &ends.gets, begin),
        }
    }

    /// A queue for each consumer: an element has left when all have taken it.
    fn fan_out(&mut self, id: ArrayId, put: [NetId; 3], gets: &[[NetId; 3]], begin: NetId) {
        let width = count_width(self.shapes[&id].capacity);
        let left = Operand::Net(put[2]);
        let mut all = bit(true);
        for &get in gets {
            let taken = self.cells.net("taken", 1);
            self.queue(id, put, get, taken, begin);
            let cells = &mut self.cells;
            // How far this one is ahead of the last.
            let ahead = cells.net("ahead", width);
            let some = Expr::Compare {
                op: CompareOp::Ne,
                signed: false,
                lhs: Operand::Net(ahead),
                rhs: constant(&0.into(), width),
            };
            let some = Operand::Net(cells.assign("is_ahead", 1, some, None));
            let has = cells.gate(BinaryOp::Or, some, Operand::Net(taken), "has");
            all = cells.gate(BinaryOp::And, all, has, "all");
            let [more, less] = [Operand::Net(taken), left.clone()]
                .map(|bit| cells.resize(bit, width, false, "more"));
            let sum = Expr::Binary {
                op: BinaryOp::Add,
                lhs: Operand::Net(ahead),
                rhs: more,
            };
            let sum = Operand::Net(cells.assign("ahead_next", width, sum, None));
            let rest = Expr::Binary {
                op: BinaryOp::Sub,
                lhs: sum,
                rhs: less,
            };
            let rest = Operand::Net(cells.assign("ahead_next", width, rest, None));
            let next = Expr::Mux {
                cond: Operand::Net(begin),
                on_true: constant(&0.into(), width),
                on_false: rest,
            };
            let next = Operand::Net(cells.assign("ahead_next", width, next, None));
            cells.drive_register(ahead, next, None, Some(0), None);
        }
        self.cells.drive(put[2], Expr::Copy(all));
    }

    /// A queue from `put` to `get`; `left` is driven.
    fn queue(&mut self, id: ArrayId, put: [NetId; 3], get: [NetId; 3], left: NetId, clear: NetId) {
        let shape = &self.shapes[&id];
        let module = match self.queues.get(shape) {
            Some(module) => *module,
            None => {
                let name = format!("queue_{}x{}", shape.capacity, shape.width);
                let module = fifo::build(&self.names.suffixed(&name), shape);
                let id = self.design.modules.push(module);
                self.queues.insert(shape.clone(), id);
                id
            }
        };
        let array = &self.network.kernel.arrays[id];
        let (clock, reset) = (self.cells.module.clock, self.cells.module.reset);
        let [Some(clock), Some(reset)] = [clock, reset] else {
            return;
        };
        let [din, write, _] = put;
        let [dout, empty_n, read] = get;
        let instance = Instance {
            module,
            name: self.cells.namer.numbered(&format!("{}_queue", array.name)),
            // In the order of the ports of `fifo`.
            connections: vec![clock, reset, clear, write, din, read, dout, empty_n, left],
            origin: Some(self.sources.location(array.span)),
        };
        self.cells.module.items.push(Item::Instance(instance));
    }

    // Arrays ----------------------------------------------------------------------------------------

    fn arrays(&mut self, ports: &mut [Option<Port>]) -> Result<(), Diagnostic> {
        let kernel = &self.network.kernel;
        let used = std::mem::take(&mut self.arrays);
        let mut banks: BTreeMap<ArrayId, Vec<Bank>> = BTreeMap::new();
        for ((id, bank), users) in used {
            let array = &kernel.arrays[id];
            let shared = self.share(&users);
            let depth = bank_depth(array, bank);
            self.cells.comment(format!("array {}", array.name));
            if array.kind == ArrayKind::Local {
                self.memory(array, bank, depth, &shared);
                continue;
            }
            if shared.len() > MOST_PORTS {
                let message = format!(
                    "processes that run at the same time need {} ports of '{}': there are {MOST_PORTS}",
                    shared.len(),
                    array.name
                );
                return Err(Diagnostic::error(codes::NETWORK, array.span, message)
                    .help("let one process read it and hand the elements on by streams"));
            }
            let named = self.outside(array, bank, depth, &shared);
            let ports = named;
            banks
                .entry(id)
                .or_default()
                .push(Bank { bank, depth, ports });
        }
        for param in &kernel.params {
            let Param::Array(id) = param else { continue };
            let array = &kernel.arrays[*id];
            if let (ArrayKind::Param(number), None) = (&array.kind, &array.stream) {
                let banks = banks.remove(id).unwrap_or_default();
                ports[*number] = Some(manifest::array_port(
                    &array.name,
                    array.elem,
                    (&array.shape, &array.partition),
                    banks,
                ));
            }
        }
        Ok(())
    }

    /// Which ports of processes are one: those of processes of which each is done before the next one starts.
    fn share(&self, users: &Accesses) -> Vec<Shared> {
        let before = self.before();
        let apart = |a: usize, b: usize| before[a].contains(&b) || before[b].contains(&a);
        let mut shared: Vec<(Vec<usize>, Shared)> = Vec::new();
        for (process, lanes) in users {
            let mut free: Vec<usize> = (0..shared.len())
                .filter(|&at| shared[at].0.iter().all(|other| apart(*other, *process)))
                .collect();
            free.reverse();
            for &lane in lanes {
                match free.pop() {
                    Some(at) => {
                        shared[at].0.push(*process);
                        shared[at].1.push(lane);
                    }
                    None => shared.push((vec![*process], vec![lane])),
                }
            }
        }
        shared.into_iter().map(|(_, lanes)| lanes).collect()
    }

    /// For each process those that are done before it starts.
    fn before(&self) -> Vec<BTreeSet<usize>> {
        let mut before: Vec<BTreeSet<usize>> = Vec::new();
        for process in &self.network.processes {
            let mut all: BTreeSet<usize> = process.after.iter().copied().collect();
            for &other in &process.after {
                all.extend(&before[other]);
            }
            before.push(all);
        }
        before
    }

    /// The ports of one bank of an array outside.
    fn outside(
        &mut self,
        array: &Array,
        bank: u64,
        depth: u64,
        shared: &[Shared],
    ) -> Vec<MemoryPort> {
        let base = match array.partition.is_empty() {
            true => array.name.clone(),
            false => format!("{}_{bank}", array.name),
        };
        let width = array.elem.width();
        let mut named = Vec::new();
        for (number, lanes) in shared.iter().enumerate() {
            let name = |part: &str| format!("{base}_{part}{number}");
            let cells = &mut self.cells;
            let address = cells.port(Direction::Output, &name("address"), address_width(depth));
            let ce = cells.port(Direction::Output, &name("ce"), 1);
            let q = lanes.iter().any(|lane| lane.q.is_some());
            let q = q.then(|| cells.port(Direction::Input, &name("q"), width));
            let writes = lanes.iter().any(|lane| lane.write.is_some());
            let write = writes.then(|| {
                let we = cells.port(Direction::Output, &name("we"), 1);
                (we, cells.port(Direction::Output, &name("d"), width))
            });
            let merged = self.merged(lanes, &base);
            let cells = &mut self.cells;
            cells.drive(address, Expr::Copy(merged.address));
            cells.drive(ce, Expr::Copy(merged.active));
            if let (Some((we, d)), Some((enable, data))) = (write, merged.write) {
                cells.drive(we, Expr::Copy(enable));
                cells.drive(d, Expr::Copy(data));
            }
            for lane in lanes {
                if let (Some(own), Some(q)) = (lane.q, q) {
                    cells.drive(own, Expr::Copy(Operand::Net(q)));
                }
            }
            let text = |net: NetId| cells.name(net).to_string();
            named.push(MemoryPort {
                address: text(address),
                ce: text(ce),
                q: q.map(text),
                we: write.map(|write| text(write.0)),
                d: write.map(|write| text(write.1)),
            });
        }
        named
    }

    fn merged(&mut self, lanes: &[Lane], name: &str) -> Merged {
        let cells = &mut self.cells;
        let guards: Vec<Operand> = lanes.iter().map(|lane| Operand::Net(lane.ce)).collect();
        let addresses = lanes
            .iter()
            .map(|lane| (Operand::Net(lane.ce), Operand::Net(lane.address)));
        let addresses: Vec<_> = addresses.collect();
        let writers = lanes.iter().filter_map(|lane| {
            let (we, d) = lane.write?;
            Some((lane.ce, we, d))
        });
        let writers: Vec<_> = writers.collect();
        let active = cells.any(&guards, &format!("{name}_active"));
        let address = cells.select(&addresses, &format!("{name}_address"));
        let enables = writers.iter().map(|(ce, we, _)| {
            cells.gate(
                BinaryOp::And,
                Operand::Net(*ce),
                Operand::Net(*we),
                "writes",
            )
        });
        let enables: Vec<Operand> = enables.collect();
        let data = enables.iter().zip(&writers);
        let data: Vec<_> = data
            .map(|(enable, (_, _, d))| (enable.clone(), Operand::Net(*d)))
            .collect();
        let write = cells.select(&data, &format!("{name}_data")).map(|data| {
            let enable = cells.any(&enables, &format!("{name}_write"));
            (enable, data)
        });
        Merged {
            active,
            address: address.unwrap_or_else(|| bit(false)),
            write,
        }
    }

    /// A memory that processes share.
    fn memory(&mut self, array: &Array, bank: u64, depth: u64, shared: &[Shared]) {
        let width = array.elem.width();
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for lanes in shared {
            let merged = self.merged(lanes, &array.name);
            let cells = &mut self.cells;
            if lanes.iter().any(|lane| lane.q.is_some()) {
                let out = cells.net(&format!("{}_q", array.name), width);
                for own in lanes.iter().filter_map(|lane| lane.q) {
                    cells.drive(own, Expr::Copy(Operand::Net(out)));
                }
                let enable = match &merged.write {
                    None => merged.active,
                    Some((write, _)) => {
                        let not = cells.invert(write.clone(), "reads");
                        cells.gate(BinaryOp::And, merged.active, not, "reads")
                    }
                };
                reads.push(ReadPort {
                    enable,
                    addr: merged.address.clone(),
                    out,
                });
            }
            writes.extend(merged.write.map(|(enable, data)| WritePort {
                enable,
                addr: merged.address,
                data,
            }));
        }
        let name = match array.partition.is_empty() {
            true => format!("{}_mem", array.name),
            false => format!("{}_{bank}_mem", array.name),
        };
        let name = self.cells.namer.numbered(&name);
        let bits = depth.saturating_mul(width.into());
        self.cells.module.items.push(Item::Memory(Memory {
            name,
            width,
            depth,
            init: None,
            style: style(MemoryKind::by_size(bits)),
            writes,
            reads,
            origin: Some(self.sources.location(array.span)),
        }));
    }

    // Manifest --------------------------------------------------------------------------------------

    fn manifest(&self, ports: Vec<Option<Port>>, returns: Vec<Port>) -> Manifest {
        let loops = self
            .modules
            .iter()
            .flat_map(|(_, manifest)| manifest.loops.clone());
        let loops: Vec<Loop> = loops.collect();
        Manifest {
            version: 1,
            top: self.network.kernel.name.clone(),
            module: self.cells.module.name.clone(),
            interface: "ap".into(),
            clock: "ap_clk".into(),
            reset: Reset {
                port: "ap_rst".into(),
                active: "high".into(),
                sync: true,
            },
            control: Control {
                start: "ap_start".into(),
                done: "ap_done".into(),
                idle: "ap_idle".into(),
                ready: "ap_ready".into(),
            },
            args: ports.into_iter().flatten().collect(),
            returns,
            latency: Latency {
                min: None,
                max: None,
            },
            loops,
            checked: String::new(),
        }
    }
}

struct Merged {
    active: Operand,
    address: Operand,
    /// Enable and data.
    write: Option<(Operand, Operand)>,
}

fn bank_depth(array: &Array, bank: u64) -> u64 {
    let shape = crate::ir::partition::bank_shape(&array.shape, &array.partition, bank);
    shape.iter().product()
}
