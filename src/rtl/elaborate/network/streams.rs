//! Streams of a network: queues between the processes, and ports.

use super::{Around, Part};
use crate::hwarith::graph::MemId;
use crate::ir::{Array, ArrayId, ArrayKind, Const, Packed};
use crate::machine::program::{Place, PortStream, Side};
use crate::rtl::elaborate::cells::bit;
use crate::rtl::elaborate::datapath::constant;
use crate::rtl::elaborate::fifo::{self, Shape, count_width};
use crate::rtl::elaborate::manifest;
use crate::rtl::interface::manifest::{Flow, Port, StreamPorts};
use crate::rtl::netlist::*;
use crate::transform::network::{Network, Users};
use num_bigint::BigUint;

/// A stream between the instances.
#[derive(Default)]
pub(super) struct Ends {
    /// `din`, `write` and `left` of the producer.
    put: Option<[NetId; 3]>,
    /// `dout`, `empty_n` and `read` of each consumer.
    gets: Vec<[NetId; 3]>,
}

/// What one of several processes has of a stream from outside that others took before it needs it.
struct OwnQueue {
    oldest: NetId,
    some: NetId,
    pop: NetId,
    /// Elements in it.
    fill: NetId,
    room: Operand,
}

/// The queue of a stream: as many elements as it has to hold, or as it is better for it to hold where they take no more room.
pub(super) fn shape(
    network: &Network,
    parts: &[Part],
    which: &[usize],
    (id, users): (ArrayId, &Users),
    lut_ram: bool,
) -> Shape {
    let array = &network.kernel.arrays[id];
    let stream = array.stream.as_ref();
    let (depth, tokens) = stream.map_or((1, &[][..]), |stream| (stream.depth, &stream.tokens[..]));
    let puts = users.producer.map_or(Puts::default(), |process| {
        let part = &parts[which[process]];
        let sides = part.streams(&network.processes[process]);
        let sides = sides.filter(|(other, _)| *other == id);
        sides.fold(Puts::default(), |puts, (_, stream)| puts.with(part, stream))
    });
    // What its consumer has in hand in the program is one more. All that a block or an iteration may put is promised room before
    // it gets or puts anything, also where the program waits for room in its midst.
    let has_to = depth + puts.at_once.max(1) + u64::from(puts.beside_others);
    // At full speed, promises and what one consumer has before another add to that.
    let better = depth + puts.promised + 1;
    let least = has_to.max(puts.promised + 1).max(better.min(fifo::TABLE));
    Shape {
        tokens: tokens.iter().map(|token| bits(array, token)).collect(),
        ..Shape::holding(array.elem.width(), least, lut_ram)
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

/// How a process puts into a stream.
#[derive(Clone, Copy, Debug, Default)]
struct Puts {
    /// Elements that one block or iteration may put.
    at_once: u64,
    /// Whether such a one has to do with other streams, too.
    beside_others: bool,
    /// Elements that are promised room before the first of them has been taken again, at full speed.
    promised: u64,
}

impl Puts {
    /// These and those of another side of the stream.
    fn with(mut self, part: &Part, stream: &PortStream) -> Puts {
        let sides = [Side::Put, Side::PutClaimed].map(|side| stream.side(side));
        let program = &part.program;
        for (leaf, schedule) in program.leaves.values().zip(part.schedule.leaves.values()) {
            let accesses = leaf.accesses.iter();
            let (puts, others): (Vec<_>, Vec<_>) =
                accesses.partition(|access| sides.contains(&access.mem));
            let starts = puts
                .iter()
                .map(|put| schedule.times.start[put.node.index()]);
            let Some(last) = starts.max() else { continue };
            // The queue has it a cycle later, and the count of what is free hears of it another one later.
            let rounds = (last + 2).div_ceil(schedule.ii.unwrap_or(u32::MAX).max(1));
            let at_once = puts.len() as u64;
            let is_stream = |mem: MemId| matches!(program.mems[mem].place, Place::Stream(_));
            self.at_once = self.at_once.max(at_once);
            self.beside_others |= others.iter().any(|access| is_stream(access.mem));
            self.promised = self.promised.max(at_once * u64::from(rounds));
        }
        self
    }
}

impl Around<'_> {
    /// Notes the side of a stream that a process has.
    pub(super) fn ends(&mut self, process: usize, id: ArrayId, ports: &StreamPorts) {
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

    /// Connects the streams; for each that leaves the module whether it is empty.
    pub(super) fn streams(&mut self, begin: NetId, ports: &mut [Option<Port>]) -> Vec<Operand> {
        let mut waits = Vec::new();
        let users = self.users;
        for (&id, users) in users {
            let array = &self.network.kernel.arrays[id];
            let mut ends = self.streams.remove(&id).unwrap_or_default();
            for _ in ends.gets.len()..users.consumers.len() {
                ends.gets.push(self.idle_get(id));
            }
            self.cells.comment(format!("stream {}", array.name));
            match array.kind {
                // Also where what remains of the process puts nothing.
                ArrayKind::Param(number) if users.producer.is_some() => {
                    let (port, empty) = self.outward(id, array, ends, begin);
                    ports[number] = Some(port);
                    waits.push(empty);
                }
                ArrayKind::Param(number) => {
                    ports[number] = Some(self.inward(id, array, ends, begin));
                }
                _ => self.between(id, ends, begin),
            }
        }
        waits
    }

    /// A stream that comes from outside.
    fn inward(&mut self, id: ArrayId, array: &Array, ends: Ends, begin: NetId) -> Port {
        let (name, width) = (&array.name, array.elem.width());
        let cells = &mut self.cells;
        let dout = cells.port(Direction::Input, &format!("{name}_dout"), width);
        let empty_n = cells.port(Direction::Input, &format!("{name}_empty_n"), 1);
        let read = cells.port(Direction::Output, &format!("{name}_read"), 1);
        let named = |net| Some(cells.name(net).to_string());
        let ports = StreamPorts {
            dout: named(dout),
            empty_n: named(empty_n),
            read: named(read),
            ..StreamPorts::default()
        };
        match ends.gets[..] {
            [get] => {
                cells.drive(get[0], Expr::Copy(Operand::Net(dout)));
                cells.drive(get[1], Expr::Copy(Operand::Net(empty_n)));
                cells.drive(read, Expr::Copy(Operand::Net(get[2])));
            }
            _ => self.share_inward(id, &ends.gets, [dout, empty_n, read], begin),
        }
        manifest::stream_port(name, array.elem, packed(array), (Flow::In, ports))
    }

    /// The first process that needs an element takes it; for the others it waits in queues of their own.
    fn share_inward(
        &mut self,
        id: ArrayId,
        gets: &[[NetId; 3]],
        [dout, empty_n, read]: [NetId; 3],
        begin: NetId,
    ) {
        let width = self.shapes[&id].width;
        let queues: Vec<OwnQueue> = gets.iter().map(|_| self.own_queue(id)).collect();
        let mut direct = Vec::new();
        for (number, (&[to, there, wants], own)) in gets.iter().zip(&queues).enumerate() {
            let cells = &mut self.cells;
            let mut at_hand = Operand::Net(empty_n);
            let others = queues
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != number);
            for (_, other) in others {
                at_hand = cells.gate(BinaryOp::And, at_hand, other.room.clone(), "at_hand");
            }
            let some = Operand::Net(own.some);
            let any = cells.gate(BinaryOp::Or, some.clone(), at_hand, "any");
            cells.drive(there, Expr::Copy(any));
            let oldest = Expr::Mux {
                cond: some.clone(),
                on_true: Operand::Net(own.oldest),
                on_false: Operand::Net(dout),
            };
            cells.drive(to, oldest);
            let pop = cells.gate(BinaryOp::And, Operand::Net(wants), some.clone(), "pop");
            cells.drive(own.pop, Expr::Copy(pop));
            let none = cells.invert(some, "none");
            direct.push(cells.gate(BinaryOp::And, Operand::Net(wants), none, "direct"));
        }
        let taken = self.cells.any(&direct, "taken");
        self.cells.drive(read, Expr::Copy(taken.clone()));
        for (own, direct) in queues.into_iter().zip(direct) {
            let cells = &mut self.cells;
            let later = cells.invert(direct, "later");
            let push = cells.gate(BinaryOp::And, taken.clone(), later, "push");
            let push = cells.as_net(push, "push");
            let copy = cells.assign("copied", width, Expr::Copy(Operand::Net(dout)), None);
            self.count_own(&own, push, begin);
            let get = [own.oldest, own.some, own.pop];
            let left = self.cells.net("left", 1);
            self.queue(id, [copy, push, left], get, left, begin);
        }
    }

    fn own_queue(&mut self, id: ArrayId) -> OwnQueue {
        let shape = &self.shapes[&id];
        let (width, capacity) = (shape.width, shape.capacity());
        let counts = count_width(capacity);
        let cells = &mut self.cells;
        let [oldest, some, pop] = [("own", width), ("own_some", 1), ("own_pop", 1)]
            .map(|(name, width)| cells.net(name, width));
        let fill = cells.net("own_fill", counts);
        let room = Expr::Compare {
            op: CompareOp::Ne,
            signed: false,
            lhs: Operand::Net(fill),
            rhs: constant(&capacity.into(), counts),
        };
        OwnQueue {
            oldest,
            some,
            pop,
            fill,
            room: Operand::Net(cells.assign("own_room", 1, room, None)),
        }
    }

    /// Counts the elements of a queue.
    fn count_own(&mut self, own: &OwnQueue, push: NetId, begin: NetId) {
        let cells = &mut self.cells;
        let width = cells.module.nets[own.fill].width;
        let [more, less] =
            [push, own.pop].map(|bit| cells.resize(Operand::Net(bit), width, false, "more"));
        let mut fill = Operand::Net(own.fill);
        for (op, rhs) in [(BinaryOp::Add, more), (BinaryOp::Sub, less)] {
            let sum = Expr::Binary { op, lhs: fill, rhs };
            fill = Operand::Net(cells.assign("fill_next", width, sum, None));
        }
        let next = Expr::Mux {
            cond: Operand::Net(begin),
            on_true: constant(&0.into(), width),
            on_false: fill,
        };
        let next = Operand::Net(cells.assign("fill_next", width, next, None));
        cells.drive_register(own.fill, next, None, Some(0), None);
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
        let put = self.put_end(id, &ends);
        self.queue(id, put, [dout, empty_n, go], put[2], begin);
        let empty = self.cells.invert(some, "empty");
        (
            manifest::stream_port(&array.name, array.elem, packed(array), (Flow::Out, ports)),
            empty,
        )
    }

    /// Where a consumer would get, of whose gets none remains.
    fn idle_get(&mut self, id: ArrayId) -> [NetId; 3] {
        let width = self.shapes[&id].width;
        let get = [width, 1, 1].map(|width| self.cells.net("idle", width));
        self.cells.drive(get[2], Expr::Copy(bit(false)));
        get
    }

    /// Where a stream is put into; one that never is where nobody does.
    fn put_end(&mut self, id: ArrayId, ends: &Ends) -> [NetId; 3] {
        let width = self.shapes[&id].width;
        ends.put.unwrap_or_else(|| {
            let [din, write, left] = [width, 1, 1].map(|width| self.cells.net("nothing", width));
            self.cells
                .drive(din, Expr::Copy(constant(&0.into(), width)));
            self.cells.drive(write, Expr::Copy(bit(false)));
            [din, write, left]
        })
    }

    fn between(&mut self, id: ArrayId, ends: Ends, begin: NetId) {
        let put = self.put_end(id, &ends);
        match ends.gets[..] {
            // Nobody gets: what is put is gone.
            [] => self.cells.drive(put[2], Expr::Copy(Operand::Net(put[1]))),
            [get] => self.queue(id, put, get, put[2], begin),
            _ => self.fan_out(id, put, &ends.gets, begin),
        }
    }

    /// A queue for each consumer: an element has left when all have taken it.
    fn fan_out(&mut self, id: ArrayId, put: [NetId; 3], gets: &[[NetId; 3]], begin: NetId) {
        let width = count_width(self.shapes[&id].capacity());
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
                let name = format!("queue_{}x{}", shape.capacity(), shape.width);
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
            origin: Some(self.sources.location(array.span).into()),
        };
        self.cells.module.items.push(Item::Instance(instance));
    }
}
