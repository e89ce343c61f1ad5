//! Queues as modules: the oldest element is at hand in the cycle after it was put, and an element can be put and taken in each.
//!
//! What gives the oldest element, the front, is a small memory that is read asynchronously. A larger queue has block memory behind
//! it, where elements wait that came while the front was full: its word is there a cycle after it is asked for, in which the
//! front has others; when it has none after all, that element comes a cycle late. Where one element more than fills lookup tables
//! is to be held, that one is in a register in front of them.

use super::circuit::{Circuit, Signal};
use crate::ir::DISTRIBUTED_BITS;
use crate::rtl::netlist::*;
use num_bigint::BigUint;

/// What a queue is like.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape {
    /// Bits of an element.
    pub width: u32,
    /// Words of the memory that gives the oldest element: a power of two, 4 at least where there is something behind; or 1, a
    /// register.
    pub front: u64,
    /// Words of the memory behind it, of lookup tables behind a register and block memory behind others; a power of two, 2 at
    /// least, or 0.
    pub behind: u64,
    /// What it holds when it is cleared, oldest first, beside those.
    pub tokens: Vec<BigUint>,
}

/// Words that a lookup table holds.
pub const TABLE: u64 = 16;
/// Tables for each bit up to which they are smaller than a block memory with what it needs.
const TABLES: u64 = 2;
/// Bits, and words before a block memory, that may be registers where lookup tables are no memory.
const REGISTERS: u64 = 128;
const REGISTERED: u64 = 4;

impl Shape {
    /// A queue without tokens that holds `least` elements or some more, on a device whose lookup tables may be memory.
    pub fn holding(width: u32, least: u64, lut_ram: bool) -> Shape {
        let whole = least.next_power_of_two().max(2);
        let bits = whole.saturating_mul(width.into());
        let (fits, front) = match lut_ram {
            true => (whole <= TABLES * TABLE || bits <= DISTRIBUTED_BITS, TABLE),
            false => (whole <= REGISTERED || bits <= REGISTERS, REGISTERED),
        };
        let fills_tables = lut_ram && least > TABLE && least == whole / 2 + 1;
        let (front, behind) = match fits {
            true if fills_tables => (1, whole / 2),
            true => (whole, 0),
            false => (front, (least - front).next_power_of_two().max(2)),
        };
        Shape {
            width,
            front,
            behind,
            tokens: Vec::new(),
        }
    }

    /// Elements that it holds, beside the tokens.
    pub fn capacity(&self) -> u64 {
        self.front + self.behind
    }
}

/// Bits of a count of at most so many.
pub fn count_width(most: u64) -> u32 {
    (u64::BITS - most.leading_zeros()).max(1)
}

/// The module of a queue. Whoever puts makes sure that there is room, whoever takes that there is an element.
///
/// Its ports are, in this order: clock, reset, `clear`, `write`, `din`, `read`, `dout`, `empty_n`, and `left`, which says that
/// an element that was put is taken.
pub fn build(name: &str, shape: &Shape) -> Module {
    let Shape { width, .. } = *shape;
    let about = format!("queue of {} x {width} bits", shape.capacity());
    let circuit = Circuit::new(name, about, true);
    let c = &circuit;
    let [clear, write] = ["clear", "write"].map(|name| c.input(name, 1));
    let din = c.input("din", width);
    let read = c.input("read", 1);
    let [dout, empty_n, left] =
        [("dout", width), ("empty_n", 1), ("left", 1)].map(|(name, width)| c.port(name, width));
    let tokens = tokens(c, shape, read, clear);
    let taken = match tokens {
        None => read,
        Some((some, _)) => (read & !some).named("taken"),
    };
    left.set(taken);
    let queue = Queue { c, shape, clear };
    let (oldest, some) = match (shape.front, shape.behind) {
        (_, 0) => queue.front(write, din, taken, None),
        (1, _) => queue.registered(write, din, taken),
        _ => queue.both(write, din, taken),
    };
    match tokens {
        None => {
            dout.set(oldest);
            empty_n.set(some);
        }
        Some((before, token)) => {
            dout.set(before.mux(token, oldest));
            empty_n.set(before | some);
        }
    }
    circuit.finish()
}

/// Whether some of what a queue holds at first is left, and the oldest of it.
fn tokens<'c>(
    c: &'c Circuit,
    shape: &Shape,
    read: Signal<'c>,
    clear: Signal<'c>,
) -> Option<(Signal<'c>, Signal<'c>)> {
    let count = shape.tokens.len() as u64;
    if count == 0 {
        return None;
    }
    let bits = count_width(count);
    let taken = c.wire("tokens_taken", bits);
    let some = (!taken.is(count)).named("tokens_left");
    let next = (read & some).mux(taken.plus(1), taken);
    // After a reset nothing is there until the first start.
    taken.register(Some(count), None, clear.mux(c.constant(bits, 0u32), next));
    let value = c.wire("token", shape.width);
    c.memory(Memory {
        name: "tokens_mem".into(),
        width: shape.width,
        depth: count,
        init: Some(shape.tokens.clone()),
        style: MemoryStyle::Distributed,
        writes: Vec::new(),
        reads: vec![ReadPort {
            enable: None,
            addr: taken.resize(address_width(count)).operand(),
            out: value.net(),
        }],
        origin: None,
    });
    Some((some, value))
}

/// Positions in a memory of a power of two of words, which elements are written to and taken from in turn.
struct Ring<'c> {
    /// Where the next element is written.
    write: Signal<'c>,
    /// The position behind that.
    write_after: Signal<'c>,
    /// Where the oldest element is.
    read: Signal<'c>,
    /// Where it is in the next cycle.
    read_next: Signal<'c>,
    /// Whether there is an element.
    some: Signal<'c>,
    /// Whether there is one after what is taken in this cycle, but for what is written.
    stays: Signal<'c>,
}

#[derive(Clone, Copy)]
struct Queue<'c, 's> {
    c: &'c Circuit,
    shape: &'s Shape,
    clear: Signal<'c>,
}

impl<'c> Queue<'c, '_> {
    /// The oldest element and whether there is one, with a front alone; `full` is to be 1 where that has no room.
    fn front(
        &self,
        write: Signal<'c>,
        data: Signal<'c>,
        read: Signal<'c>,
        full: Option<Signal<'c>>,
    ) -> (Signal<'c>, Signal<'c>) {
        let words = self.shape.front;
        let ring = self.ring("", words, write, read);
        if let Some(full) = full {
            let last = write & ring.write_after.equals(ring.read);
            full.register(Some(0), None, !self.clear & !read & (full | last));
        }
        let at = (None, ring.read);
        let oldest = self.memory(
            "mem",
            (words, MemoryStyle::Distributed),
            (write, &ring, data),
            at,
        );
        (oldest, ring.some)
    }

    /// The same with block memory behind the front.
    fn both(
        &self,
        write: Signal<'c>,
        din: Signal<'c>,
        read: Signal<'c>,
    ) -> (Signal<'c>, Signal<'c>) {
        let (c, words) = (self.c, self.shape.behind);
        let [full, ready, waits, moves] =
            ["full", "ready", "waits", "moves"].map(|name| c.wire(name, 1));
        let late = (write & (waits | full)).named("late");
        let ring = self.ring("behind_", words, late, moves);
        waits.set(ring.some);
        moves.set(ready & !full);
        // The word that is read at an edge was written at one before.
        ready.register(Some(0), None, !self.clear & ring.stays);
        let at = (Some(c.one()), ring.read_next);
        let word = self.memory(
            "behind_mem",
            (words, MemoryStyle::Block),
            (late, &ring, din),
            at,
        );
        let enters = (moves | (write & !late)).named("enters");
        self.front(enters, waits.mux(word, din), read, Some(full))
    }

    /// A register in front of lookup tables, which it takes from when it is free, or else from what comes.
    fn registered(
        &self,
        write: Signal<'c>,
        din: Signal<'c>,
        read: Signal<'c>,
    ) -> (Signal<'c>, Signal<'c>) {
        let (c, words) = (self.c, self.shape.behind);
        let [some, waits] = ["some", "waits"].map(|name| c.wire(name, 1));
        let loads = (!some | read).named("loads");
        let late = (write & (waits | !loads)).named("late");
        let ring = self.ring("behind_", words, late, loads & waits);
        waits.set(ring.some);
        let lut_ram = (words, MemoryStyle::Distributed);
        let word = self.memory("behind_mem", lut_ram, (late, &ring, din), (None, ring.read));
        let oldest = c.wire("oldest", self.shape.width);
        oldest.register(None, Some(loads), waits.mux(word, din));
        some.register(Some(0), None, !self.clear & (!loads | waits | write));
        (oldest, some)
    }

    fn ring(&self, prefix: &str, words: u64, write: Signal<'c>, read: Signal<'c>) -> Ring<'c> {
        let bits = address_width(words);
        let wire = |name: &str, width| self.c.wire(&format!("{prefix}{name}"), width);
        let [to, from] = ["wr", "rd"].map(|name| wire(name, bits));
        let to_after = to.plus(1).named(&format!("{prefix}wr_after"));
        let from_after = from.plus(1).named(&format!("{prefix}rd_after"));
        let from_next = read
            .mux(from_after, from)
            .named(&format!("{prefix}rd_next"));
        let zero = self.c.constant(bits, 0u32);
        to.register(Some(0), None, self.clear.mux(zero, write.mux(to_after, to)));
        from.register(Some(0), None, self.clear.mux(zero, from_next));
        let some = wire("some", 1);
        let stays = (some & !(read & from_after.equals(to))).named(&format!("{prefix}stays"));
        some.register(Some(0), None, !self.clear & (write | stays));
        Ring {
            write: to,
            write_after: to_after,
            read: from,
            read_next: from_next,
            some,
            stays,
        }
    }

    /// A memory that `data` is written to where `write` is 1; the word at a position, or that at an edge where there is an enable.
    fn memory(
        &self,
        name: &str,
        (depth, style): (u64, MemoryStyle),
        (write, ring, data): (Signal<'c>, &Ring<'c>, Signal<'c>),
        (enable, position): (Option<Signal<'c>>, Signal<'c>),
    ) -> Signal<'c> {
        let width = self.shape.width;
        let word = self.c.wire("word", width);
        self.c.memory(Memory {
            name: name.into(),
            width,
            depth,
            init: None,
            style,
            writes: vec![WritePort {
                enable: write.operand(),
                addr: ring.write.operand(),
                data: data.operand(),
            }],
            reads: vec![ReadPort {
                enable: enable.map(Signal::operand),
                addr: position.operand(),
                out: word.net(),
            }],
            origin: None,
        });
        word
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::rtl::Simulator;
    use crate::sim::vectors::Rng;
    use std::collections::VecDeque;

    #[test]
    fn shapes_hold_what_is_asked_and_little_more() {
        let of = |width, least, lut_ram| {
            let shape = Shape::holding(width, least, lut_ram);
            (shape.front, shape.behind)
        };
        assert_eq!(of(32, 1, true), (2, 0));
        assert_eq!(of(32, 17, true), (1, 16));
        assert_eq!(of(32, 18, true), (32, 0));
        assert_eq!(of(32, 5, true), (8, 0));
        assert_eq!(of(1, 1500, true), (2048, 0));
        assert_eq!(of(32, 514, true), (16, 512));
        assert_eq!(of(32, 4, false), (4, 0));
        assert_eq!(of(32, 17, false), (4, 16));
        assert_eq!(of(4, 32, false), (32, 0));
    }

    /// Runs a queue at random beside one of the library's; `rates`: how often in 4 it is put into and taken from.
    fn compare(shape: &Shape, rates: [u64; 2], seed: u64) {
        let mut design = Design::default();
        let top = design.modules.push(build("queue", shape));
        crate::rtl::validate::validate(&design).expect("a valid queue");
        let mut simulator = Simulator::new(&design, top, seed).expect("a simulator");
        let names = [
            "ap_rst", "clear", "write", "din", "read", "dout", "empty_n", "left",
        ];
        let [reset, clear, write, din, read, dout, empty_n, left] =
            names.map(|name| simulator.signal(name).expect("a port"));
        let mut random = Rng::new(seed);
        let mut held: VecDeque<u64> = VecDeque::new();
        let mut tokens = 0;
        let may_be_late = shape.front > 1 && shape.behind > 0;
        let mut late = 0;
        for cycle in 0..2000 {
            simulator.set(reset, u64::from(cycle == 0));
            let clears = cycle == 1 || random.next().is_multiple_of(500);
            simulator.set(clear, clears.into());
            let all = held.len() as u64;
            let some = simulator.get(empty_n) != 0;
            if cycle > 0 {
                late = if some == (all > 0) { 0 } else { late + 1 };
                let allowed = u32::from(may_be_late && !some);
                assert!(late <= allowed, "{shape:?}, cycle {cycle}: {all} elements");
            }
            if let Some(oldest) = held.front().filter(|_| some) {
                assert_eq!(simulator.get(dout), *oldest, "{shape:?}, cycle {cycle}");
            }
            let [puts, takes] = rates.map(|rate| random.next() % 4 < rate);
            let puts = cycle > 1 && puts && all - tokens < shape.capacity();
            let takes = cycle > 1 && takes && some;
            let value = random.next() & ((1 << shape.width) - 1);
            for (port, value) in [(write, puts.into()), (din, value), (read, takes.into())] {
                simulator.set(port, value);
            }
            assert_eq!(simulator.get(left) != 0, takes && tokens == 0);
            simulator.step();
            if takes {
                held.pop_front();
                tokens = tokens.saturating_sub(1);
            }
            if puts {
                held.push_back(value);
            }
            if clears {
                held = shape
                    .tokens
                    .iter()
                    .map(|token| token.iter_u64_digits().next().unwrap_or(0))
                    .collect();
                tokens = held.len() as u64;
            }
        }
    }

    #[test]
    fn gives_what_was_put_in_its_order() {
        let tokens: Vec<BigUint> = (1..4u32).map(BigUint::from).collect();
        for (front, behind) in [(2, 0), (16, 0), (1, 2), (1, 16), (4, 2), (4, 16), (16, 8)] {
            for tokens in [Vec::new(), tokens.clone()] {
                let shape = Shape {
                    width: 16,
                    front,
                    behind,
                    tokens,
                };
                let rates = [[4, 4], [3, 3], [4, 2], [2, 4], [4, 1], [1, 4]];
                for (seed, rates) in rates.into_iter().enumerate() {
                    compare(&shape, rates, seed as u64);
                }
            }
        }
    }
}
