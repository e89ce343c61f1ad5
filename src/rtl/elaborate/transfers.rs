//! Elements of streams: what a block or an iteration waits for before it begins, and room for what it puts.
//!
//! An iteration begins when it has all that it gets, and when there is room for all that it may put. What it gets first may have
//! to wait for the rest: in its queue, if that has room for one element more than the program says, else in a register, since
//! what is taken makes room for others, as it does where the program's gets come one after the other. Iterations before it
//! go on meanwhile, so that what they put is never held up by what the next one waits for, and nothing that is on its way is
//! ever stopped: room is counted as it is promised, not as it is used (credits: Kung, Blackwell and Chapman, Credit-based
//! flow control for ATM networks, SIGCOMM 1994).

use super::Top;
use super::cells::{Cells, bit};
use super::datapath::{Datapath, Sources, constant};
use super::fifo::count_width;
use crate::hwarith::graph::MemId;
use crate::machine::program::{Leaf, Place, PortRef, PortStream, Side};
use crate::rtl::netlist::*;
use std::collections::{BTreeMap, BTreeSet};

/// Room in the queues behind streams that elements are put into.
#[derive(Default)]
pub struct Room {
    /// Elements that each may be promised room for.
    pub capacities: BTreeMap<MemId, u64>,
    /// Whether elements of an invocation may still be there when the next one begins; otherwise all is free then.
    pub lasts: bool,
    /// By the memory that stands for the elements that are got: streams with a queue that has room for an element that waits to
    /// be used.
    pub waiting: BTreeSet<MemId>,
}

/// A stream that elements are got from.
struct Source {
    name: String,
    /// The oldest element, and whether there is one.
    dout: NetId,
    empty_n: NetId,
    read: NetId,
    /// The element that is used: that, or the one that was got before.
    element: NetId,
    /// Whether the queue has room for an element that waits to be used.
    waits: bool,
    /// An element is taken; of each leaf.
    taken: Vec<Operand>,
    /// What was got before waits to be used; of each leaf.
    held: Vec<Operand>,
}

/// A stream that elements are put into.
struct Sink {
    name: String,
    din: NetId,
    write: NetId,
    /// An element has left the queue behind.
    left: NetId,
    /// Elements for which there is room that nobody was promised.
    free: NetId,
    capacity: u64,
    /// Promises, of so many elements each.
    promised: Vec<(Operand, Operand)>,
    /// Elements that are not put after all.
    waived: Vec<Operand>,
    /// There is room for an element, once it is known what an invocation that begins has.
    room: NetId,
}

/// All of a module.
#[derive(Default)]
pub struct Transfers {
    /// By the memory that stands for the elements that are got.
    sources: BTreeMap<MemId, Source>,
    /// By the memory that stands for those that are put.
    sinks: BTreeMap<MemId, Sink>,
    /// The stream of each memory that stands for a side.
    streams: BTreeMap<MemId, PortStream>,
    /// What depended on timing: in which cycles it was asked, and what was found.
    asked: Vec<(Operand, Operand)>,
}

/// What a side of a stream is to the port of that direction.
const OF_SOURCE: [Side; 4] = [Side::Data, Side::Take, Side::Element, Side::TryTake];
const OF_SINK: [Side; 4] = [Side::Put, Side::Room, Side::Claim, Side::PutClaimed];

/// The beginning of a block or of an iteration.
pub struct Gate {
    /// It wants to begin.
    pub wants: Operand,
    /// The register behind that: of a block, that it wanted to before; of a loop, that an iteration is next.
    pub pending: NetId,
    /// It begins.
    pub goes: NetId,
}

/// Whether a leaf gets or puts elements.
pub fn transfers(program: &crate::machine::program::Program, leaf: &Leaf) -> bool {
    let mut accesses = leaf.accesses.iter();
    accesses.any(|access| matches!(program.mems[access.mem].place, Place::Stream(_)))
}

impl Top<'_> {
    /// Declares the ports of streams: `_dout`, `_empty_n`, `_read` of those that are got from, `_din`, `_write`,
    /// `_left` of those that are put into.
    pub(super) fn declare_streams(&mut self, room: &Room) {
        let program = self.program;
        for port in &program.args {
            let PortRef::Stream(stream) = port else {
                continue;
            };
            let of = |mem: MemId| (mem, stream.clone());
            self.transfers.streams.extend(stream.sides.map(of));
            if self.is_used(stream, &OF_SOURCE) {
                let waits = room.waiting.contains(&stream.side(Side::Data));
                self.declare_source(stream, waits);
            }
            if self.is_used(stream, &OF_SINK) {
                let put = stream.side(Side::Put);
                let capacity = room.capacities.get(&put).copied().unwrap_or(1);
                self.declare_sink(stream, capacity);
            }
        }
    }

    fn is_used(&self, stream: &PortStream, sides: &[Side]) -> bool {
        let leaves = self.program.leaves.values();
        let mut accesses = leaves.flat_map(|leaf| &leaf.accesses);
        accesses.any(|access| sides.iter().any(|&side| stream.side(side) == access.mem))
    }

    fn declare_source(&mut self, stream: &PortStream, waits: bool) {
        let (cells, name) = (&mut self.cells, &stream.name);
        let width = stream.elem.width();
        let source = Source {
            name: name.clone(),
            dout: cells.port(Direction::Input, &format!("{name}_dout"), width),
            empty_n: cells.port(Direction::Input, &format!("{name}_empty_n"), 1),
            read: cells.port(Direction::Output, &format!("{name}_read"), 1),
            element: cells.net(&format!("{name}_element"), width),
            waits,
            taken: Vec::new(),
            held: Vec::new(),
        };
        let named = |net| Some(cells.name(net).to_string());
        let data = stream.side(Side::Data);
        let ports = self.stream_ports.entry(data).or_default();
        ports.dout = named(source.dout);
        ports.empty_n = named(source.empty_n);
        ports.read = named(source.read);
        self.memories[data].set_read_data(source.element);
        self.memories[stream.side(Side::Element)].set_read_data(source.empty_n);
        self.transfers.sources.insert(data, source);
    }

    fn declare_sink(&mut self, stream: &PortStream, capacity: u64) {
        let (cells, name) = (&mut self.cells, &stream.name);
        let sink = Sink {
            name: name.clone(),
            din: cells.port(
                Direction::Output,
                &format!("{name}_din"),
                stream.elem.width(),
            ),
            write: cells.port(Direction::Output, &format!("{name}_write"), 1),
            left: cells.port(Direction::Input, &format!("{name}_left"), 1),
            free: cells.net(&format!("{name}_free"), count_width(capacity)),
            capacity,
            promised: Vec::new(),
            waived: Vec::new(),
            room: cells.net(&format!("{name}_room"), 1),
        };
        let named = |net| Some(cells.name(net).to_string());
        let ports = self
            .stream_ports
            .entry(stream.side(Side::Data))
            .or_default();
        ports.din = named(sink.din);
        ports.write = named(sink.write);
        // What counts is what has left.
        ports.full_n = named(sink.left);
        self.memories[stream.side(Side::Room)].set_read_data(sink.room);
        self.transfers.sinks.insert(stream.side(Side::Put), sink);
    }

    /// Drives `gate.goes`: it begins as soon as it has what it gets, and room. Whether it wants to in vain.
    pub(super) fn wait(
        &mut self,
        leaf: &Leaf,
        gate: &Gate,
        path: &mut Datapath,
        env: &mut dyn Sources,
    ) -> Operand {
        let mems = &self.program.mems;
        let sides = leaf
            .accesses
            .iter()
            .map(|access| (access, &mems[access.mem].place));
        let of = |wanted: Side| {
            let sides = sides.clone();
            sides
                .filter(move |(_, place)| **place == Place::Stream(wanted))
                .map(|(access, _)| access)
        };
        let mut puts: BTreeMap<MemId, u64> = BTreeMap::new();
        for access in of(Side::Put) {
            *puts.entry(access.mem).or_default() += 1;
        }
        let gets: Vec<_> = of(Side::Take).collect();
        let asks: Vec<_> = [Side::TryTake, Side::Claim, Side::Ask]
            .into_iter()
            .flat_map(|side| of(side).map(move |access| (side, access)))
            .collect();
        // What is there may have to wait for the rest.
        let keeps = gets.len() + puts.len() > 1;
        let goes = Operand::Net(gate.goes);
        let mut ready = bit(true);
        for access in &gets {
            let enable = leaf.graph.nodes[access.node].args[2];
            let enable = path.operand(&mut self.cells, env, enable, 0, 1);
            let turn = self
                .cells
                .gate(BinaryOp::And, gate.wants.clone(), ready.clone(), "turn");
            let data = self.transfers.streams[&access.mem].side(Side::Data);
            let is_alone = gets.iter().filter(|get| get.mem == access.mem).count() == 1;
            // What waits in its queue is taken with all the rest.
            let there = match is_alone && self.transfers.sources[&data].waits {
                true if keeps => self.get(data, enable, goes.clone(), None),
                _ => self.get(data, enable, turn, keeps.then(|| goes.clone())),
            };
            ready = self.cells.gate(BinaryOp::And, ready, there, "ready");
        }
        for (side, access) in asks {
            let args = &leaf.graph.nodes[access.node].args;
            let [value, enable] =
                [args[1], args[2]].map(|arg| path.operand(&mut self.cells, env, arg, 0, 1));
            let asked = self
                .cells
                .gate(BinaryOp::And, goes.clone(), enable, "asked");
            self.ask(side, access.mem, asked, value);
        }
        // Elements are taken whether or not there is room.
        for (mem, count) in puts {
            let room = self.room(mem, count, &goes);
            ready = self.cells.gate(BinaryOp::And, ready, room, "ready");
        }
        let go = self
            .cells
            .gate(BinaryOp::And, gate.wants.clone(), ready, "go");
        self.cells.drive(gate.goes, Expr::Copy(go));
        let waits = self.cells.invert(goes, "waits");
        self.cells
            .gate(BinaryOp::And, gate.wants.clone(), waits, "again")
    }

    /// Takes an element when it is its turn, if `enable`; whether it is there, or not wanted. `goes`: with that, what
    /// was taken is used, where it may have been taken before.
    fn get(
        &mut self,
        data: MemId,
        enable: Operand,
        turn: Operand,
        goes: Option<Operand>,
    ) -> Operand {
        let source = &self.transfers.sources[&data];
        let (name, at_hand) = (source.name.clone(), Operand::Net(source.empty_n));
        let cells = &mut self.cells;
        let needless = cells.invert(enable.clone(), "needless");
        let held = goes
            .is_some()
            .then(|| cells.net(&format!("{name}_held"), 1));
        let wanted = match held {
            None => enable,
            Some(held) => {
                let missing = cells.invert(Operand::Net(held), "missing");
                cells.gate(BinaryOp::And, enable, missing, "wanted")
            }
        };
        let wanted = cells.gate(BinaryOp::And, turn, wanted, "wanted");
        let take = cells.gate(
            BinaryOp::And,
            wanted,
            at_hand.clone(),
            &format!("{name}_take"),
        );
        let mut there = cells.gate(BinaryOp::Or, at_hand, needless, "there");
        if let (Some(held), Some(goes)) = (held, goes) {
            there = cells.gate(BinaryOp::Or, there, Operand::Net(held), "there");
            let has = cells.gate(BinaryOp::Or, Operand::Net(held), take.clone(), "has");
            let waits = cells.invert(goes, "waits");
            let keeps = cells.gate(BinaryOp::And, has, waits, "keeps");
            cells.drive_register(held, keeps, None, Some(0), None);
        }
        let source = self.transfers.sources.get_mut(&data);
        let source = source.expect("every side that is accessed is declared");
        source.taken.push(take);
        source.held.extend(held.map(Operand::Net));
        there
    }

    /// What is done with a stream without waiting, in a cycle in which it is `asked`, if it `can`.
    fn ask(&mut self, side: Side, mem: MemId, asked: Operand, can: Operand) {
        let stream = &self.transfers.streams[&mem];
        let (data, put) = (stream.side(Side::Data), stream.side(Side::Put));
        if side == Side::Ask {
            return self.transfers.asked.push((asked, can));
        }
        let done = self.cells.gate(BinaryOp::And, asked, can, "done");
        let Transfers { sources, sinks, .. } = &mut self.transfers;
        match (sources.get_mut(&data), sinks.get_mut(&put)) {
            (Some(source), _) if side == Side::TryTake => source.taken.push(done),
            (_, Some(sink)) => {
                let one = constant(&1.into(), count_width(sink.capacity));
                sink.promised.push((done, one));
            }
            _ => {}
        }
    }

    /// Whether there is room for so many elements; it is promised to what goes.
    fn room(&mut self, mem: MemId, count: u64, goes: &Operand) -> Operand {
        let sink = self.transfers.sinks.get_mut(&mem);
        let sink = sink.expect("every side that is accessed is declared");
        let width = count_width(sink.capacity);
        let needed = constant(&count.into(), width);
        sink.promised.push((goes.clone(), needed.clone()));
        let room = Expr::Compare {
            op: CompareOp::Ge,
            signed: false,
            lhs: Operand::Net(sink.free),
            rhs: needed,
        };
        Operand::Net(self.cells.assign("room", 1, room, None))
    }

    /// An element that may not be put after all.
    pub(super) fn waive(&mut self, mem: MemId, valid: NetId, enable: Operand) {
        let not = self.cells.invert(enable, "not");
        let waived = self
            .cells
            .gate(BinaryOp::And, Operand::Net(valid), not, "waived");
        if let Some(sink) = self.transfers.sinks.get_mut(&mem)
            && waived != bit(false)
        {
            sink.waived.push(waived);
        }
    }

    /// Drives the ports of streams. `start`: an invocation begins, with all room free; without, room is what it was.
    pub(super) fn drive_streams(&mut self, start: Option<&Operand>) {
        let Transfers {
            sources,
            sinks,
            streams,
            asked,
        } = std::mem::take(&mut self.transfers);
        self.cells.module.asked = asked;
        for source in sources.into_values() {
            self.cells.comment(format!("stream {}", source.name));
            let read = self
                .cells
                .any(&source.taken, &format!("{}_taken", source.name));
            self.cells.drive(source.read, Expr::Copy(read.clone()));
            self.drive_element(&source, read);
        }
        for (mem, sink) in sinks {
            self.cells.comment(format!("stream {}", sink.name));
            let claimed = streams[&mem].side(Side::PutClaimed);
            let usage = [mem, claimed].map(|side| std::mem::take(&mut self.memories[side]));
            let mem = &self.program.mems[mem];
            let users: Vec<_> = usage.iter().flat_map(|usage| &usage.uses).collect();
            let merged = self.merge(&users, &format!("{}_p", sink.name), mem);
            self.cells.drive(sink.write, Expr::Copy(merged.active));
            self.cells.drive(sink.din, Expr::Copy(merged.data));
            count_room(&mut self.cells, sink, start);
        }
    }
}

impl Top<'_> {
    fn drive_element(&mut self, source: &Source, read: Operand) {
        let cells = &mut self.cells;
        let oldest = Operand::Net(source.dout);
        if source.held.is_empty() {
            return cells.drive(source.element, Expr::Copy(oldest));
        }
        let enable = cells.as_net(read, "enable");
        let width = cells.module.nets[source.dout].width;
        let name = format!("{}_got", source.name);
        let got = cells.register(&name, width, oldest.clone(), Some(enable), None, None);
        let held = cells.any(&source.held, &format!("{}_held", source.name));
        let element = Expr::Mux {
            cond: held,
            on_true: Operand::Net(got),
            on_false: oldest,
        };
        cells.drive(source.element, element);
    }
}

/// Keeps count of the elements for which there is room.
fn count_room(cells: &mut Cells, sink: Sink, start: Option<&Operand>) {
    let width = count_width(sink.capacity);
    let number = |value: u64| constant(&value.into(), width);
    let guards: Vec<Operand> = sink.promised.iter().map(|one| one.0.clone()).collect();
    let promises = cells.any(&guards, "promises");
    let promised = cells.select(&sink.promised, "promised");
    let promised = Expr::Mux {
        cond: promises,
        on_true: promised.unwrap_or_else(|| number(0)),
        on_false: number(0),
    };
    let promised = Operand::Net(cells.assign("promised", width, promised, None));
    // A block that begins with the invocation is promised room in the same cycle.
    let before = match start {
        Some(start) => Expr::Mux {
            cond: start.clone(),
            on_true: number(sink.capacity),
            on_false: Operand::Net(sink.free),
        },
        None => Expr::Copy(Operand::Net(sink.free)),
    };
    let mut free = Operand::Net(cells.assign("free_before", width, before, None));
    let room = Expr::Compare {
        op: CompareOp::Ne,
        signed: false,
        lhs: free.clone(),
        rhs: number(0),
    };
    cells.drive(sink.room, room);
    let less = Expr::Binary {
        op: BinaryOp::Sub,
        lhs: free,
        rhs: promised,
    };
    free = Operand::Net(cells.assign("free_now", width, less, None));
    for more in sink.waived.into_iter().chain([Operand::Net(sink.left)]) {
        let more = cells.resize(more, width, false, "more");
        let sum = Expr::Binary {
            op: BinaryOp::Add,
            lhs: free,
            rhs: more,
        };
        free = Operand::Net(cells.assign("free_next", width, sum, None));
    }
    // After a reset all is free, as after an invocation whose elements have all been taken: both take as long.
    cells.drive_register(sink.free, free, None, Some(sink.capacity), None);
}
