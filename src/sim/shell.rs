//! A module with streams as one without: around it, sources and sinks that read and write arrays, so that engines need to know
//! of memories only.
//!
//! The stream is an array of the elements that may be transferred, and a scalar says with which a run begins; of one that the module
//! gets from another one how many there are. Now and then a
//! source has nothing to offer and a sink no room, in one of four patterns that the unknown initial state decides; where that is
//! 0 they never pause. What is offered stays offered until it is taken.

use crate::rtl::elaborate::cells::Cells;
use crate::rtl::elaborate::datapath::constant;
use crate::rtl::interface::manifest::{
    Access, Bank, Flow, Manifest, MemoryPort, Port, PortKind, StreamPorts,
};
use crate::rtl::netlist::*;
use crate::sim::timed;
use crate::sim::value::MOST_TRANSFERS;
use std::collections::HashMap;

/// Bits of the register that decides pauses.
const NOISE: u32 = 16;

/// Its taps (Alfke, Efficient shift registers, Xilinx XAPP 052, 1996).
const TAPS: [u32; 4] = [15, 14, 12, 3];

/// Whether a module has streams.
pub fn is_needed(manifest: &Manifest) -> bool {
    manifest.args.iter().any(|port| port.stream().is_some())
}

/// A design with a module around its top module, and the manifest of that; both as they are, if there are no streams and
/// nothing depends on timing. What does is recorded, for each process in an array that comes after the results, with a scalar
/// that says how many elements it has; an argument of one bit says that a run begins.
///
/// Errors: the manifest does not describe the top module.
pub fn around(design: &Design, manifest: &Manifest) -> Result<(Design, Manifest), String> {
    let is_timed = design
        .modules
        .values()
        .any(|module| !module.asked.is_empty());
    if !is_needed(manifest) && !is_timed {
        return Ok((design.clone(), manifest.clone()));
    }
    let count = design.top().map(|top| design.modules[top].ports.len());
    let mut design = timed::exposed(design);
    let core = design.top().ok_or("there is no module")?;
    let mut cells = Cells::new(&format!("{}_shell", manifest.module));
    let module = &design.modules[core];
    let inner = manifest.args.iter().filter_map(Port::stream);
    let inner: Vec<String> = inner.flat_map(|(_, ports)| names(ports)).collect();
    let mut nets = HashMap::new();
    let mut connections = Vec::new();
    let mut told = Vec::new();
    for (number, port) in module.ports.iter().enumerate() {
        let Net { name, width, .. } = &module.nets[port.net];
        let tells = Some(number) >= count;
        let net = match tells || inner.contains(name) {
            true => cells.net(name, *width),
            false => cells.port(port.direction, name, *width),
        };
        told.extend(tells.then_some(net));
        connections.push(net);
        nets.insert(name.clone(), net);
    }
    let find = |name: &str| {
        nets.get(name)
            .copied()
            .ok_or_else(|| format!("there is no port '{name}'"))
    };
    cells.module.clock = Some(find(&manifest.clock)?);
    cells.module.reset = Some(find(&manifest.reset.port)?);
    let [start, idle] = [&manifest.control.start, &manifest.control.idle].map(|name| find(name));
    let begin = cells.gate(
        BinaryOp::And,
        Operand::Net(start?),
        Operand::Net(idle?),
        "begin",
    );
    let begin = cells.as_net(begin, "begin");
    let mut shell = Shell {
        noise: noise(&mut cells),
        mode: [0, 1].map(|bit| held(&mut cells, bit)),
        cells,
        begin,
        count: 0,
    };
    let mut args = Vec::new();
    let mut returns = manifest.returns.clone();
    for port in &manifest.args {
        let Some((flow, ports)) = port.stream() else {
            args.push(port.clone());
            continue;
        };
        let base = port.name.clone().unwrap_or_default();
        let of = |name: &Option<String>| find(name.as_deref().unwrap_or_default());
        let limit = match flow {
            Flow::In => Some(shell.limit(&base)),
            Flow::Out => None,
        };
        let (lane, begun, moved) = match limit {
            Some((_, limit)) => shell.source(
                &base,
                of(&ports.dout)?,
                of(&ports.empty_n)?,
                of(&ports.read)?,
                limit,
            ),
            None => shell.sink(
                &base,
                of(&ports.din)?,
                of(&ports.write)?,
                of(&ports.full_n)?,
            ),
        };
        let access = match flow {
            Flow::In => Access::Read,
            Flow::Out => Access::Write,
        };
        let element = (port.type_name(), port.width());
        args.push(array(port.name.clone(), element, access, lane));
        let begun = scalar(Some(format!("{base}_begun")), begun_width(), begun);
        args.push(begun);
        if let Some((offered, _)) = limit {
            let port = shell.cells.name(offered).to_string();
            args.push(scalar(Some(format!("{base}_offered")), begun_width(), port));
        }
        returns.push(scalar(None, begun_width(), moved));
    }
    for (number, word) in told.into_iter().enumerate() {
        let (record, begins, count) = shell.record(&format!("timed_{number}"), word);
        args.push(begins);
        returns.extend([record, count]);
    }
    let mut cells = shell.cells;
    cells.module.items.push(Item::Instance(Instance {
        module: core,
        name: cells.namer.numbered("core"),
        connections,
        origin: None,
    }));
    let around = Manifest {
        module: cells.module.name.clone(),
        args,
        returns,
        ..manifest.clone()
    };
    design.modules.push(cells.module);
    Ok((design, around))
}

fn names(ports: &StreamPorts) -> impl Iterator<Item = String> {
    let StreamPorts {
        dout,
        empty_n,
        read,
        din,
        full_n,
        write,
    } = ports.clone();
    [dout, empty_n, read, din, full_n, write]
        .into_iter()
        .flatten()
}

fn begun_width() -> u32 {
    address_width(MOST_TRANSFERS) + 1
}

/// A register that is anything at first, and stays that.
fn held(cells: &mut Cells, bit: u32) -> NetId {
    let net = cells.net(&format!("mode{bit}"), 1);
    cells.drive_register(net, Operand::Net(net), None, None, None);
    net
}

/// A shift register with feedback, without a reset.
fn noise(cells: &mut Cells) -> NetId {
    let net = cells.net("noise", NOISE);
    let bits: Vec<Operand> = TAPS
        .map(|lo| cells.slice(Operand::Net(net), lo, 1, "tap"))
        .to_vec();
    let mut sum = bits[0].clone();
    for bit in &bits[1..] {
        sum = cells.gate(BinaryOp::Xor, sum, bit.clone(), "feedback");
    }
    let low = cells.slice(Operand::Net(net), 0, NOISE - 1, "low");
    let next = cells.assign("noise_next", NOISE, Expr::Concat(vec![low, sum]), None);
    cells.drive_register(net, Operand::Net(next), None, None, None);
    net
}

fn scalar(name: Option<String>, width: u32, port: String) -> Port {
    let ty = match width {
        1 => "u1",
        _ => "index",
    };
    let ty = ty.into();
    Port {
        name,
        kind: PortKind::Scalar { ty, width, port },
    }
}

fn array(name: Option<String>, (ty, width): (&str, u32), access: Access, lane: MemoryPort) -> Port {
    Port {
        name,
        kind: PortKind::Array {
            tile: None,
            ty: ty.to_string(),
            width,
            shape: vec![MOST_TRANSFERS],
            access,
            latency: 1,
            partition: None,
            banks: vec![Bank {
                bank: 0,
                depth: MOST_TRANSFERS,
                ports: vec![lane],
            }],
        },
    }
}

struct Shell {
    cells: Cells,
    noise: NetId,
    mode: [NetId; 2],
    /// A run begins.
    begin: NetId,
    /// Streams so far.
    count: u32,
}

impl Shell {
    /// Whether nothing happens in this cycle.
    fn pause(&mut self) -> Operand {
        let cells = &mut self.cells;
        let at = |offset: u32| (5 * self.count + offset) % NOISE;
        let [a, b] = [at(0), at(7)].map(|lo| cells.slice(Operand::Net(self.noise), lo, 1, "noise"));
        self.count += 1;
        let [m0, m1] = self.mode.map(Operand::Net);
        let both = cells.gate(BinaryOp::And, a.clone(), b.clone(), "seldom");
        let any = cells.gate(BinaryOp::Or, a.clone(), b, "mostly");
        // Never, seldom, often, mostly.
        let choose = |cells: &mut Cells, cond: &Operand, on_true: Operand, on_false: Operand| {
            let cond = cond.clone();
            let expr = Expr::Mux {
                cond,
                on_true,
                on_false,
            };
            Operand::Net(cells.assign("pause", 1, expr, None))
        };
        let seldom = choose(cells, &m1, both, constant(&0.into(), 1));
        let often = choose(cells, &m1, any, a);
        choose(cells, &m0, often, seldom)
    }

    /// The number of the next element, which moves on; the port of the first. What is `held` back has not been transferred:
    /// the port of how many have.
    fn cursor(&mut self, base: &str, moves: NetId, held: Operand) -> (NetId, String, String) {
        let width = begun_width();
        let cells = &mut self.cells;
        let begun = cells.port(Direction::Input, &format!("{base}_begun"), width);
        let now = cells.net(&format!("{base}_next"), width);
        let more = cells.resize(Operand::Net(moves), width, false, "more");
        let sum = Expr::Binary {
            op: BinaryOp::Add,
            lhs: Operand::Net(now),
            rhs: more,
        };
        let sum = Operand::Net(cells.assign("sum", width, sum, None));
        let next = Expr::Mux {
            cond: Operand::Net(self.begin),
            on_true: Operand::Net(begun),
            on_false: sum,
        };
        let next = Operand::Net(cells.assign("next", width, next, None));
        cells.drive_register(now, next, None, Some(0), None);
        let moved = cells.port(Direction::Output, &format!("{base}_moved"), width);
        let less = cells.resize(held, width, false, "held");
        let done = Expr::Binary {
            op: BinaryOp::Sub,
            lhs: Operand::Net(now),
            rhs: less,
        };
        cells.drive(moved, done);
        let text = |net: NetId| cells.name(net).to_string();
        (now, text(begun), text(moved))
    }

    /// A record of the words with which something is asked; the argument that says that it begins anew, and how many there are.
    fn record(&mut self, base: &str, word: NetId) -> (Port, Port, Port) {
        let width = begun_width();
        let cells = &mut self.cells;
        let begins = cells.port(Direction::Input, &format!("{base}_begins"), 1);
        let fresh = cells.gate(
            BinaryOp::And,
            Operand::Net(self.begin),
            Operand::Net(begins),
            "fresh",
        );
        let element = cells.module.nets[word].width;
        let asks = (1..element).step_by(2);
        let asks = asks.map(|bit| cells.slice(Operand::Net(word), bit, 1, "asked"));
        let asks: Vec<Operand> = asks.collect();
        let asked = cells.any(&asks, "asks");
        let next = cells.net(&format!("{base}_next"), width);
        let full = cells.slice(Operand::Net(next), width - 1, 1, "full");
        let room = cells.invert(full, "room");
        let writes = cells.gate(BinaryOp::And, asked, room, "writes");
        let more = cells.resize(writes.clone(), width, false, "more");
        let sum = Expr::Binary {
            op: BinaryOp::Add,
            lhs: Operand::Net(next),
            rhs: more,
        };
        let sum = Operand::Net(cells.assign("sum", width, sum, None));
        let following = Expr::Mux {
            cond: fresh,
            on_true: constant(&0.into(), width),
            on_false: sum,
        };
        let following = Operand::Net(cells.assign("following", width, following, None));
        cells.drive_register(next, following, None, Some(0), None);
        let count = cells.port(Direction::Output, &format!("{base}_count"), width);
        cells.drive(count, Expr::Copy(Operand::Net(next)));
        let low = cells.slice(Operand::Net(next), 0, width - 1, "low");
        let mut output = |part: &str, width: u32, value: Operand| {
            let port = cells.port(Direction::Output, &format!("{base}_{part}0"), width);
            cells.drive(port, Expr::Copy(value));
            cells.name(port).to_string()
        };
        let address = output("address", width - 1, low);
        let lane = MemoryPort {
            address,
            ce: output("ce", 1, writes.clone()),
            q: None,
            we: Some(output("we", 1, writes)),
            d: Some(output("d", element, Operand::Net(word))),
        };
        let name = format!("u{element}");
        let text = |net: NetId| cells.name(net).to_string();
        (
            array(None, (&name, element), Access::Write, lane),
            scalar(Some(format!("{base}_begins")), 1, text(begins)),
            scalar(None, width, text(count)),
        )
    }

    /// How many elements of a stream there are: the port, and what it was when the run began.
    fn limit(&mut self, base: &str) -> (NetId, NetId) {
        let width = begun_width();
        let cells = &mut self.cells;
        let offered = cells.port(Direction::Input, &format!("{base}_offered"), width);
        let limit = cells.net(&format!("{base}_limit"), width);
        let next = Expr::Mux {
            cond: Operand::Net(self.begin),
            on_true: Operand::Net(offered),
            on_false: Operand::Net(limit),
        };
        let next = Operand::Net(cells.assign("limit_next", width, next, None));
        cells.drive_register(limit, next, None, Some(0), None);
        (offered, limit)
    }

    fn source(
        &mut self,
        base: &str,
        dout: NetId,
        empty_n: NetId,
        read: NetId,
        limit: NetId,
    ) -> (MemoryPort, String, String) {
        let width = self.cells.module.nets[dout].width;
        let pause = self.pause();
        let fetch = self.cells.net(&format!("{base}_fetch"), 1);
        let has = self.cells.net(&format!("{base}_has"), 1);
        let (next, begun, moved) = self.cursor(base, fetch, Operand::Net(has));
        let begin = Operand::Net(self.begin);
        let cells = &mut self.cells;
        let name = |part: &str| format!("{base}_{part}0");
        let port = cells.port(
            Direction::Output,
            &name("address"),
            address_width(MOST_TRANSFERS),
        );
        let ce = cells.port(Direction::Output, &name("ce"), 1);
        let q = cells.port(Direction::Input, &name("q"), width);
        let taken = cells.gate(
            BinaryOp::And,
            Operand::Net(read),
            Operand::Net(has),
            "taken",
        );
        let waits = cells.invert(taken, "waits");
        let stays = cells.gate(BinaryOp::And, Operand::Net(has), waits, "stays");
        let wants = cells.invert(stays.clone(), "wants");
        let goes = cells.invert(pause, "goes");
        let wants = cells.gate(BinaryOp::And, wants, goes, "wants");
        let old = cells.invert(begin, "old");
        let wants = cells.gate(BinaryOp::And, wants, old.clone(), "wants");
        let is_there = Expr::Compare {
            op: CompareOp::Lt,
            signed: false,
            lhs: Operand::Net(next),
            rhs: Operand::Net(limit),
        };
        let is_there = Operand::Net(cells.assign("is_there", 1, is_there, None));
        let wants = cells.gate(BinaryOp::And, wants, is_there, "wants");
        cells.drive(fetch, Expr::Copy(wants));
        let has_next = cells.gate(BinaryOp::Or, stays, Operand::Net(fetch), "has_next");
        let has_next = cells.gate(BinaryOp::And, has_next, old, "has_next");
        cells.drive_register(has, has_next, None, Some(0), None);
        let address = cells.resize(Operand::Net(next), begun_width() - 1, false, "address");
        cells.drive(port, Expr::Copy(address));
        cells.drive(ce, Expr::Copy(Operand::Net(fetch)));
        cells.drive(dout, Expr::Copy(Operand::Net(q)));
        cells.drive(empty_n, Expr::Copy(Operand::Net(has)));
        let text = |net: NetId| cells.name(net).to_string();
        let lane = MemoryPort {
            address: text(port),
            ce: text(ce),
            q: Some(text(q)),
            we: None,
            d: None,
        };
        (lane, begun, moved)
    }

    fn sink(
        &mut self,
        base: &str,
        din: NetId,
        write: NetId,
        full_n: NetId,
    ) -> (MemoryPort, String, String) {
        let width = self.cells.module.nets[din].width;
        let pause = self.pause();
        let moves = self.cells.net(&format!("{base}_moves"), 1);
        let (next, begun, moved) = self.cursor(base, moves, constant(&0.into(), 1));
        let cells = &mut self.cells;
        let address = cells.resize(Operand::Net(next), begun_width() - 1, false, "address");
        let name = |part: &str| format!("{base}_{part}0");
        let port = cells.port(
            Direction::Output,
            &name("address"),
            address_width(MOST_TRANSFERS),
        );
        let ce = cells.port(Direction::Output, &name("ce"), 1);
        let we = cells.port(Direction::Output, &name("we"), 1);
        let d = cells.port(Direction::Output, &name("d"), width);
        let room = cells.net(&format!("{base}_room"), 1);
        // What is written without room is lost, and will be missed.
        let taken = cells.gate(
            BinaryOp::And,
            Operand::Net(write),
            Operand::Net(room),
            "taken",
        );
        cells.drive(moves, Expr::Copy(taken.clone()));
        let waits = cells.invert(taken, "waits");
        let stays = cells.gate(BinaryOp::And, Operand::Net(room), waits, "stays");
        let goes = cells.invert(pause, "goes");
        let next = cells.gate(BinaryOp::Or, stays, goes, "room_next");
        cells.drive_register(room, next, None, Some(0), None);
        cells.drive(full_n, Expr::Copy(Operand::Net(room)));
        cells.drive(port, Expr::Copy(address));
        cells.drive(ce, Expr::Copy(Operand::Net(moves)));
        cells.drive(we, Expr::Copy(Operand::Net(moves)));
        cells.drive(d, Expr::Copy(Operand::Net(din)));
        let text = |net: NetId| cells.name(net).to_string();
        let lane = MemoryPort {
            address: text(port),
            ce: text(ce),
            q: None,
            we: Some(text(we)),
            d: Some(text(d)),
        };
        (lane, begun, moved)
    }
}
