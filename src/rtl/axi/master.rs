//! Both halves of an AXI4 master: bursts that load buffers, and bursts that write them back.
//!
//! The arrays of a half are moved one after the other, in one order at the address and at the data channel; as there
//! are no ids, beats and responses come in that order. Bursts end where the next would cross a multiple of the
//! longest one, so that the last beat of a burst is known by its address alone. Where others are on the same channels
//! (`share`), an array that is streamed has a queue of beats, and a burst begins only if that has room for all of it, or holds
//! all of it: then no burst holds up another.

use crate::rtl::elaborate::circuit::{Circuit, Signal};
use crate::rtl::elaborate::fifo::count_width;
use crate::rtl::netlist::Module;

/// Bytes that no burst crosses a multiple of.
const BOUNDARY: u32 = 4096;
/// Beats of a burst that AXI4 allows.
const MOST_BEATS: u32 = 256;
/// Bits of an address.
pub const ADDRESS_WIDTH: u32 = 64;

/// An array that is moved.
#[derive(Clone, Debug)]
pub struct Transfer {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: u64,
    /// Whether it may begin within a beat.
    pub is_shifted: bool,
    /// Bits of the number of a beat.
    pub beat_width: u32,
}

/// What the arrays of a half have in common.
#[derive(Clone, Copy, Debug)]
pub struct Bus {
    /// Bytes of a beat.
    pub beat: u32,
    /// Bursts under way at most.
    pub outstanding: u32,
    /// What is between the bus and the core.
    pub between: Between,
}

/// What beats are in between the bus and the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// Buffers of whole arrays, where a beat has a number.
    Buffers,
    /// Nothing: a stream that the bus waits for.
    Nothing,
    /// A queue of `QUEUED` beats, of a stream that the bus does not wait for.
    Queue,
}

/// Beats of a burst of an array that has a queue, and such bursts that the queue has room for.
const QUEUED_BURST: u32 = 32;
const QUEUED_BURSTS: u32 = 4;
/// Beats that a queue has room for.
pub const QUEUED: u32 = QUEUED_BURST * QUEUED_BURSTS;

impl Between {
    /// Beats of a burst at most, each of so many bytes.
    pub fn most_beats(self, beat: u32) -> u32 {
        let most = match self {
            Between::Queue => QUEUED_BURST,
            Between::Buffers | Between::Nothing => MOST_BEATS,
        };
        most.min(BOUNDARY / beat)
    }
}

/// What a burst waits for, beside its place on the bus.
enum Gate<'c> {
    Open,
    /// Room for all of it in a queue, in which a beat becomes free with each of these.
    Room(Signal<'c>),
    /// All of its beats in a queue, into which one comes with each of these.
    Stock(Signal<'c>),
    /// The first beat of all, which is there where this is 1: others follow.
    First(Signal<'c>),
}

/// The half that reads: `launch` has it load all arrays, `busy` says that it does. For each array it has
/// `base_<name>`, and `load_<name>` where a beat of it has come, whose number is `beat`. If its array is streamed, a beat
/// has no number; it is taken only where `ready` is 1, or, if there is a queue, always, `freed` saying that one has left that.
/// `is_parted`: `busy_<name>` says of each array that it is not there yet.
pub fn reader(name: &str, bus: Bus, transfers: &[Transfer], is_parted: bool) -> Module {
    let circuit = Circuit::new(name, format!("reads {}", names(transfers)), true);
    let c = &circuit;
    let begin = c.input("launch", 1);
    let half = Half::new(c, bus, transfers);
    let [ready, valid, last] = ["arready", "rvalid", "rlast"].map(|name| c.input(name, 1));
    let resp = c.input("rresp", 2);
    let busy = c.port("busy", 1);
    let takes = match bus.between {
        Between::Nothing => (busy & c.input("ready", 1)).named("takes"),
        _ => busy,
    };
    let gate = match bus.between {
        Between::Queue => Gate::Room(c.input("freed", 1)),
        _ => Gate::Open,
    };
    let take = (takes & valid).named("take");
    let burst_ends = (take & last).named("burst_ends");
    half.addresses("ar", begin, ready, burst_ends, gate);
    c.comment("beats in the order of the addresses");
    let walk = half.walk(begin, take);
    c.flag(busy, begin, walk.ends);
    c.output("rready", takes);
    if bus.between == Between::Buffers {
        c.output("beat", walk.beat);
    }
    for (number, transfer) in transfers.iter().enumerate() {
        c.output(
            &format!("load_{}", transfer.name),
            take & walk.index.is(number as u64),
        );
    }
    if is_parted {
        let mut pending = c.zero();
        for (number, transfer) in transfers.iter().enumerate() {
            pending = pending | walk.index.is(number as u64);
            c.output(&format!("busy_{}", transfer.name), busy & pending);
        }
    }
    c.output("error", take & resp.bit(1));
    circuit.finish()
}

/// The half that writes: `launch` has it write back all arrays, `busy` says that it does. For each array it has
/// `base_<name>`; `fetch_<name>` asks for the beat of the number `beat`, which comes as `data_<name>` and
/// `strb_<name>`. If its array is streamed, the next beat is there where `full` is 1, and `fetch_<name>` takes it; if there is
/// a queue, `stored` says that one has come into that.
pub fn writer(name: &str, bus: Bus, transfers: &[Transfer]) -> Module {
    let circuit = Circuit::new(name, format!("writes {}", names(transfers)), true);
    let c = &circuit;
    let begin = c.input("launch", 1);
    let half = Half::new(c, bus, transfers);
    let [aw_ready, w_ready, b_valid] = ["awready", "wready", "bvalid"].map(|name| c.input(name, 1));
    let resp = c.input("bresp", 2);
    let busy = c.port("busy", 1);
    let answer = (busy & b_valid).named("answer");
    let full = (bus.between != Between::Buffers).then(|| c.input("full", 1));
    let gate = match (bus.between, full) {
        (Between::Queue, _) => Gate::Stock(c.input("stored", 1)),
        (_, Some(full)) => Gate::First(full),
        (_, None) => Gate::Open,
    };
    let issue = half.addresses("aw", begin, aw_ready, answer, gate);
    let done = (!issue.going & !issue.under_way.some()).named("all_answered");
    c.flag(busy, begin, done);
    c.output("bready", busy);
    c.output("error", answer & resp.bit(1));

    c.comment("no beat before the address of its burst is offered");
    let go = c.wire("go", 1);
    let walk = half.walk(begin, go);
    let first = c.wire("first", 1);
    let opens = (go & first).named("opens");
    let width = count_width(bus.outstanding.into());
    let credit = c.wire("credit", width);
    let more = issue.issued.resize(width);
    credit.register(Some(0), None, credit + more - opens.resize(width));
    let active = c.wire("active", 1);
    c.flag(active, begin, walk.ends);
    let closes = (walk.is_last | half.closes(walk.beat, walk.index)).named("closes");
    c.flag(first, begin | (go & closes), go);

    let w_valid = c.port("wvalid", 1);
    let moves = (!w_valid | w_ready).named("moves");
    let may_open = !first | credit.some();
    let inputs = |what: &str, width: u32| -> Vec<Signal> {
        let inputs = transfers.iter();
        inputs
            .map(|t| c.input(&format!("{what}_{}", t.name), width))
            .collect()
    };
    let data = inputs("data", 8 * bus.beat);
    let strobes = inputs("strb", bus.beat);
    // When a beat is taken to the bus, of which array it is, and whether its burst ends.
    let (loads, index, ends) = if let Some(full) = full {
        go.set(active & full & moves & may_open);
        (go, walk.index, closes)
    } else {
        c.comment("buffers take a cycle to answer; then a beat waits until it is taken");
        let held = c.wire("held", 1);
        go.set(active & (!held | moves) & may_open);
        c.flag(held, go, moves);
        let [index, ends] =
            [("held_index", walk.index), ("held_last", closes)].map(|(name, value)| {
                let net = c.wire(name, value.width());
                net.register(None, Some(go), value);
                net
            });
        c.output("beat", walk.beat);
        ((held & moves).named("loads"), index, ends)
    };
    c.flag(w_valid, loads, w_ready);
    c.port("wlast", 1).register(None, Some(loads), ends);
    c.port("wdata", 8 * bus.beat)
        .register(None, Some(loads), c.choose(index, &data));
    c.port("wstrb", bus.beat)
        .register(None, Some(loads), c.choose(index, &strobes));
    for (number, transfer) in transfers.iter().enumerate() {
        c.output(
            &format!("fetch_{}", transfer.name),
            go & walk.index.is(number as u64),
        );
    }
    circuit.finish()
}

fn names(transfers: &[Transfer]) -> String {
    let names = transfers.iter().map(|transfer| transfer.name.as_str());
    names.collect::<Vec<_>>().join(", ")
}

struct Half<'c> {
    c: &'c Circuit,
    bus: Bus,
    transfers: &'c [Transfer],
    bases: Vec<Signal<'c>>,
    /// Beats of each array.
    totals: Vec<Signal<'c>>,
}

/// What the address channel does.
struct Issue<'c> {
    /// An address is offered from the next cycle on.
    issued: Signal<'c>,
    /// Addresses are left.
    going: Signal<'c>,
    /// Bursts whose end has not come.
    under_way: Signal<'c>,
}

/// Where the data channel is.
struct Walk<'c> {
    /// Which array.
    index: Signal<'c>,
    /// Which beat of it.
    beat: Signal<'c>,
    /// The last beat of the array.
    is_last: Signal<'c>,
    /// The last beat of the last array moves.
    ends: Signal<'c>,
}

impl<'c> Half<'c> {
    fn new(c: &'c Circuit, bus: Bus, transfers: &'c [Transfer]) -> Half<'c> {
        let inputs = transfers.iter();
        let bases: Vec<Signal> = inputs
            .map(|t| c.input(&format!("base_{}", t.name), ADDRESS_WIDTH))
            .collect();
        let beat: u64 = bus.beat.into();
        let most = transfers.iter().map(|t| (t.bytes + 2 * beat - 2) / beat);
        let width = count_width(most.max().unwrap_or(1));
        let totals = transfers.iter().zip(&bases).map(|(transfer, base)| {
            let low = bus.beat.trailing_zeros();
            if !transfer.is_shifted {
                return c.constant(width, transfer.bytes.div_ceil(beat));
            }
            let wide = width + low;
            let sum = base
                .bits(0, low)
                .resize(wide)
                .plus(transfer.bytes + beat - 1);
            sum.bits(low, width)
                .named(&format!("beats_{}", transfer.name))
        });
        Half {
            c,
            bus,
            totals: totals.collect(),
            transfers,
            bases,
        }
    }

    fn index_width(&self) -> u32 {
        count_width(self.transfers.len() as u64 - 1)
    }

    fn last(&self) -> u64 {
        self.transfers.len() as u64 - 1
    }

    /// Number of a beat in its burst, if that begins at a multiple of the longest.
    fn burst_bits(&self) -> u32 {
        self.bus.between.most_beats(self.bus.beat).trailing_zeros()
    }

    /// The address channel.
    fn addresses(
        &self,
        prefix: &str,
        begin: Signal<'c>,
        ready: Signal<'c>,
        ended: Signal<'c>,
        gate: Gate<'c>,
    ) -> Issue<'c> {
        let c = self.c;
        let low = self.bus.beat.trailing_zeros();
        let burst = self.burst_bits();
        c.comment("addresses of bursts");
        let [fresh, issuing] = ["fresh", "issuing"].map(|name| c.wire(name, 1));
        let index = c.wire("address_index", self.index_width());
        let address = c.wire("address", ADDRESS_WIDTH - low);
        let left = c.wire("left", self.totals[0].width());
        let valid = c.port(&format!("{prefix}valid"), 1);
        let count = count_width(self.bus.outstanding.into());
        let under_way = c.wire("under_way", count);

        let width = left.width().max(burst + 1);
        let room = c.constant(burst + 1, self.bus.between.most_beats(self.bus.beat))
            - address.bits(0, burst).resize(burst + 1);
        let room = room.named("room");
        let [wide_left, wide_room] = [left, room].map(|value| value.resize(width));
        let is_last = wide_left.at_most(wide_room).named("last_burst");
        let is_full = under_way.is(self.bus.outstanding.into());
        let length = is_last.mux(wide_left, wide_room).named("length");
        let issue = c.wire("issue", 1);
        let may = (issuing & (!valid | ready) & !is_full).named("may");
        issue.set(may & self.passes(gate, begin, issue, length));
        let next = (issue & is_last & !index.is(self.last())).named("next_array");

        fresh.register(Some(0), None, begin | next);
        c.flag(issuing, fresh, issue & is_last);
        let step = begin | next;
        let zero = c.constant(index.width(), 0u32);
        index.register(
            None,
            Some(step.named("step")),
            begin.mux(zero, index.plus(1)),
        );
        let base = c.choose(index, &self.bases);
        let above = address
            .bits(burst, address.width() - burst)
            .plus(1)
            .above(burst);
        let moves = (fresh | issue).named("address_moves");
        address.register(
            None,
            Some(moves),
            fresh.mux(base.bits(low, address.width()), above),
        );
        let total = c.choose(index, &self.totals);
        let rest = (wide_left - wide_room).resize(left.width());
        left.register(None, Some(moves), fresh.mux(total, rest));

        c.flag(valid, issue, ready);
        let length = length - c.constant(width, 1u32);
        c.port(&format!("{prefix}addr"), ADDRESS_WIDTH).register(
            None,
            Some(issue),
            address.above(low),
        );
        c.port(&format!("{prefix}len"), 8)
            .register(None, Some(issue), length.resize(8));
        let [more, less] = [issue, ended].map(|bit| bit.resize(count));
        under_way.register(Some(0), None, under_way + more - less);
        Issue {
            issued: issue,
            going: fresh | issuing,
            under_way,
        }
    }

    /// Whether a burst of so many beats may begin, which it does with `issue`.
    fn passes(
        &self,
        gate: Gate<'c>,
        begin: Signal<'c>,
        issue: Signal<'c>,
        length: Signal<'c>,
    ) -> Signal<'c> {
        let c = self.c;
        let (comes, at_first) = match gate {
            Gate::Open => return c.one(),
            Gate::First(full) => {
                let seen = c.wire("seen", 1);
                let sees = (full | seen).named("sees");
                seen.register(Some(0), None, sees & !begin);
                return sees;
            }
            Gate::Room(freed) => (freed, QUEUED),
            Gate::Stock(stored) => (stored, 0),
        };
        let beats = c.wire("beats_at_hand", count_width(QUEUED.into()));
        let length = length.resize(beats.width());
        let goes = issue.mux(length, c.constant(beats.width(), 0u32));
        let next = beats + comes.resize(beats.width()) - goes;
        beats.register(Some(at_first.into()), None, next);
        length.at_most(beats)
    }

    /// The data channel's place, which moves on with each beat.
    fn walk(&self, begin: Signal<'c>, moves: Signal<'c>) -> Walk<'c> {
        let c = self.c;
        let index = c.wire("index", self.index_width());
        let width = self
            .transfers
            .iter()
            .map(|t| t.beat_width)
            .max()
            .unwrap_or(1);
        let beat = c.wire("number", width);
        let total = c.choose(index, &self.totals);
        let wide = width.max(total.width());
        let next = beat.resize(wide).plus(1);
        let is_last = next.equals(total.resize(wide)).named("is_last");
        let turns = moves & is_last;
        let zero = c.constant(index.width(), 0u32);
        let step = begin | turns;
        index.register(
            None,
            Some(step.named("turn")),
            begin.mux(zero, index.plus(1)),
        );
        let zero = c.constant(width, 0u32);
        let next = (begin | is_last).mux(zero, next.resize(width));
        beat.register(None, Some((begin | moves).named("beat_moves")), next);
        Walk {
            index,
            beat,
            is_last,
            ends: (turns & index.is(self.last())).named("ends"),
        }
    }

    /// Whether a beat is the last before a multiple of the longest burst.
    fn closes(&self, beat: Signal<'c>, index: Signal<'c>) -> Signal<'c> {
        let low = self.bus.beat.trailing_zeros();
        let starts: Vec<Signal> = self
            .bases
            .iter()
            .map(|base| base.bits(low, self.burst_bits()))
            .collect();
        (self.c.choose(index, &starts) + beat.resize(self.burst_bits())).full()
    }
}
