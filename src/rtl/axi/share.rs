//! Several halves of the same kind on the channels of one master: each in turn sends the address of a burst, and as there are no
//! ids, beats and responses belong to those who sent the addresses, in that order.

use super::master::ADDRESS_WIDTH;
use crate::rtl::elaborate::circuit::{Circuit, Outputs, Signal};
use crate::rtl::elaborate::fifo::{self, Shape, count_width};
use crate::rtl::netlist::{Module, ModuleId};

/// Who shares, and the queue that knows whose burst is next.
pub struct Parties<'p> {
    /// Their names.
    pub names: &'p [String],
    /// Bursts under way at most, of all of them together.
    pub outstanding: u32,
    /// The module of [`owners`].
    pub owners: (ModuleId, &'p Module),
}

/// The module of the queue that knows whose bursts are under way.
pub fn owners(name: &str, parties: usize, outstanding: u32) -> Module {
    // Of few bits, so that tables serve on any device.
    let shape = Shape::holding(owner_width(parties), outstanding.into(), true);
    fifo::build(name, &shape)
}

fn owner_width(parties: usize) -> u32 {
    count_width(parties as u64 - 1)
}

/// The read channels of several readers. A signal of a reader has its name behind its own.
pub fn reads(name: &str, parties: &Parties) -> Module {
    let circuit = Circuit::new(
        name,
        format!("read channels of {}", parties.names.join(", ")),
        true,
    );
    let c = &circuit;
    let share = Share { c, parties };
    let [valid, last] = ["rvalid", "rlast"].map(|name| c.input(name, 1));
    let ends = c.wire("burst_ends", 1);
    let turn = share.addresses("ar", ends);
    let (some, owner) = share.queue("owners", turn, ends);
    let ready = c.choose(owner, &share.inputs("rready", 1)) & some;
    share.outputs("rvalid", valid & some, owner);
    ends.set(valid & ready & last);
    c.output("rready", ready);
    circuit.finish()
}

/// The write channels of several writers. A signal of a writer has its name behind its own.
pub fn writes(name: &str, parties: &Parties, beat: u32) -> Module {
    let circuit = Circuit::new(
        name,
        format!("write channels of {}", parties.names.join(", ")),
        true,
    );
    let c = &circuit;
    let share = Share { c, parties };
    let [w_ready, b_valid] = ["wready", "bvalid"].map(|name| c.input(name, 1));
    let [ends, answered] = ["burst_ends", "answered"].map(|name| c.wire(name, 1));
    let turn = share.addresses("aw", answered);

    c.comment("beats, in the order of the addresses");
    let (some, owner) = share.queue("beat_owners", turn, ends);
    let valid = c.choose(owner, &share.inputs("wvalid", 1)) & some;
    share.outputs("wready", w_ready & some, owner);
    c.output("wvalid", valid);
    for (signal, width) in [("wdata", 8 * beat), ("wstrb", beat)] {
        c.output(signal, c.choose(owner, &share.inputs(signal, width)));
    }
    let last = c.choose(owner, &share.inputs("wlast", 1));
    c.output("wlast", last);
    ends.set(valid & w_ready & last);

    c.comment("responses, in the same order");
    let (some, owner) = share.queue("response_owners", turn, answered);
    share.outputs("bvalid", b_valid & some, owner);
    c.output("bready", some);
    answered.set(b_valid & some);
    circuit.finish()
}

/// Whose address goes out, if one does.
#[derive(Clone, Copy)]
struct Turn<'c> {
    whose: Signal<'c>,
    goes: Signal<'c>,
}

struct Share<'c, 'p> {
    c: &'c Circuit,
    parties: &'p Parties<'p>,
}

impl<'c> Share<'c, '_> {
    fn inputs(&self, signal: &str, width: u32) -> Vec<Signal<'c>> {
        let names = self.parties.names.iter();
        names
            .map(|name| self.c.input(&format!("{signal}_{name}"), width))
            .collect()
    }

    /// A signal to the one it is meant for.
    fn outputs(&self, signal: &str, value: Signal<'c>, owner: Signal<'c>) {
        for (number, name) in self.parties.names.iter().enumerate() {
            let is_meant = owner.is(number as u64);
            self.c.output(&format!("{signal}_{name}"), value & is_meant);
        }
    }

    /// The address channel: who wants to send nothing has no turn for longer than a cycle.
    fn addresses(&self, prefix: &str, ended: Signal<'c>) -> Turn<'c> {
        let c = self.c;
        let turn = c.wire("turn", owner_width(self.parties.names.len()));
        let ready = c.input(&format!("{prefix}ready"), 1);
        let valid = c.port(&format!("{prefix}valid"), 1);
        let wants = c.choose(turn, &self.inputs(&format!("{prefix}valid"), 1));
        let count = count_width(self.parties.outstanding.into());
        let under_way = c.wire("under_way", count);
        let has_place = !under_way.is(self.parties.outstanding.into());
        let may = ((!valid | ready) & has_place).named("may");
        let goes = (wants & may).named("goes");
        let [more, less] = [goes, ended].map(|bit| bit.resize(count));
        under_way.register(Some(0), None, under_way + more - less);
        let last = turn.is(self.parties.names.len() as u64 - 1);
        let next = last.mux(c.constant(turn.width(), 0u32), turn.plus(1));
        turn.register(Some(0), Some(goes | !wants), next);
        self.outputs(&format!("{prefix}ready"), may, turn);
        c.flag(valid, goes, ready);
        for (signal, width) in [("addr", ADDRESS_WIDTH), ("len", 8)] {
            let signal = format!("{prefix}{signal}");
            let value = c.choose(turn, &self.inputs(&signal, width));
            c.port(&signal, width).register(None, Some(goes), value);
        }
        Turn { whose: turn, goes }
    }

    /// Whether a burst is under way, and whose the oldest is.
    fn queue(&self, name: &str, turn: Turn<'c>, ends: Signal<'c>) -> (Signal<'c>, Signal<'c>) {
        let reset = self.c.reset();
        let inputs = [
            ("ap_rst", reset),
            ("clear", self.c.zero()),
            ("write", turn.goes),
            ("din", turn.whose),
            ("read", ends),
        ];
        let inputs = inputs.map(|(name, net)| (name.to_string(), net));
        let queue: Outputs = self.c.instance(self.parties.owners, name, &inputs);
        (queue.get("empty_n"), queue.get("dout"))
    }
}
