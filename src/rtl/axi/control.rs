//! The control slave: AXI4-Lite registers as drivers for AMD's HLS blocks expect them, and arrays behind it.

use super::buffer::{Geometry, Shape};
use super::plan::{ArrayPlan, Plan, Reach, Register, words};
use crate::rtl::elaborate::circuit::{Circuit, Signal};
use crate::rtl::netlist::Module;
use std::collections::BTreeMap;

/// Bits of a word.
pub const WORD: u32 = 32;

/// Names of the bits of the status register, by number.
pub const STATUS_BITS: [&str; 5] = [
    "read_error",
    "write_error",
    "short_frame",
    "long_frame",
    "local_access",
];

/// Its AXI4-Lite inputs with their widths, but for addresses.
pub const INPUTS: [(&str, u32); 7] = [
    ("awvalid", 1),
    ("wdata", 32),
    ("wstrb", 4),
    ("wvalid", 1),
    ("bready", 1),
    ("arvalid", 1),
    ("rready", 1),
];

/// Name of the control slave's interface.
pub const SLAVE: &str = "s_axi_control";

/// Its outputs with their widths.
pub const OUTPUTS: [(&str, u32); 8] = [
    ("awready", 1),
    ("wready", 1),
    ("bresp", 2),
    ("bvalid", 1),
    ("arready", 1),
    ("rdata", 32),
    ("rresp", 2),
    ("rvalid", 1),
];

/// How a buffer behind it is made: bytes can be written one by one.
pub const LOCAL: Shape = Shape {
    beat: 4,
    granule: 1,
    has_strobes: true,
    is_shifted: false,
    is_marked: false,
    has_keep: false,
    is_loaded: true,
    is_fetched: true,
};

/// The net of a register in the slave and in the module around.
pub fn register_port(register: &Register) -> String {
    match register.port {
        Some(_) => format!("arg_{}", register.name),
        None => format!("base_{}", register.name),
    }
}

/// The module. Beside the ports of the bus and the registers it has `start`, `ready`, `done`, `idle`, `interrupt`, an
/// input for each bit of the status register that something but it sets, and for local arrays what a buffer has.
pub fn build(name: &str, plan: &Plan) -> Module {
    let circuit = Circuit::new(name, "control slave".into(), true);
    let mut slave = Slave::new(&circuit, plan);
    slave.control();
    slave.results();
    slave.arguments();
    slave.status();
    slave.answer();
    circuit.finish()
}

struct Slave<'c> {
    c: &'c Circuit,
    plan: &'c Plan,
    write: Write<'c>,
    read: Read<'c>,
    /// A run ends.
    done: Signal<'c>,
    /// What is read, by number of the word.
    table: BTreeMap<u32, Signal<'c>>,
    /// Accesses to local arrays that came while the kernel ran.
    refused: Vec<Signal<'c>>,
    /// What local arrays answer; zeros where they are not asked.
    answers: Vec<Signal<'c>>,
}

/// A write, in the cycle in which address and data are there.
struct Write<'c> {
    now: Signal<'c>,
    address: Signal<'c>,
    data: Signal<'c>,
    strobes: Signal<'c>,
    /// A bit of the data where its byte is written.
    mask: Signal<'c>,
}

/// A read.
struct Read<'c> {
    address: Signal<'c>,
    /// Memories are asked.
    asks: Signal<'c>,
    /// The answer is taken.
    answers: Signal<'c>,
}

impl<'c> Slave<'c> {
    fn new(c: &'c Circuit, plan: &'c Plan) -> Slave<'c> {
        let inputs: BTreeMap<&str, Signal> = INPUTS
            .iter()
            .map(|&(name, width)| (name, c.input(name, width)))
            .collect();
        Slave {
            write: write_channel(c, &inputs, plan.address_width),
            read: read_channel(c, &inputs, plan.address_width),
            done: c.input("done", 1),
            c,
            plan,
            table: BTreeMap::new(),
            refused: Vec::new(),
            answers: Vec::new(),
        }
    }

    /// Whether a word is written.
    fn written(&self, offset: u32) -> Signal<'c> {
        let address = self.write.address;
        let word = address.bits(2, address.width() - 2);
        (self.write.now & word.is((offset / 4).into())).named(&format!("writes_{offset:02x}"))
    }

    /// Whether a word is read.
    fn is_read(&self, offset: u32) -> Signal<'c> {
        let address = self.read.address;
        let word = address.bits(2, address.width() - 2);
        self.read.answers & word.is((offset / 4).into())
    }

    /// Whether a bit of the lowest byte is written as 1.
    fn sets(&self, offset: u32, bit: u32) -> Signal<'c> {
        self.written(offset) & self.write.strobes.bit(0) & self.write.data.bit(bit)
    }

    fn control(&mut self) {
        let c = self.c;
        c.comment("control");
        let [ready, idle] = ["ready", "idle"].map(|name| c.input(name, 1));
        let done = self.done;
        let start = c.port("start", 1);
        let data = self.write.data;
        let low = self.write.strobes.bit(0);
        let restarts = c.wire("auto_restart", 1);
        restarts.register(
            Some(0),
            Some((self.written(0) & low).named("controls")),
            data.bit(7),
        );
        c.flag(start, self.sets(0, 0), ready & !restarts);
        let looks = self.is_read(0).named("looks");
        let [was_done, was_ready] =
            [("was_done", done), ("was_ready", ready)].map(|(name, event)| {
                let net = c.wire(name, 1);
                c.flag(net, event, looks);
                net
            });

        c.comment("interrupts");
        let enable = c.wire("interrupt_enable", 1);
        enable.register(
            Some(0),
            Some((self.written(4) & low).named("enables")),
            data.bit(0),
        );
        let enables = c.wire("event_enable", 2);
        enables.register(
            Some(0),
            Some((self.written(8) & low).named("chooses")),
            data.bits(0, 2),
        );
        let pending = [(0, done), (1, ready)].map(|(bit, event)| {
            let net = c.wire(["done_pending", "ready_pending"][bit as usize], 1);
            let toggles = self.sets(0xc, bit);
            let toggled = (net & !toggles) | (!net & toggles);
            net.register(Some(0), None, toggled | (event & enables.bit(bit)));
            net
        });
        let interrupt = enable & (pending[0] | pending[1]);
        c.output("interrupt", interrupt);

        let is_idle = idle & !start;
        let zeros = c.constant(3, 0u32);
        let word = [
            start,
            was_done,
            is_idle,
            was_ready,
            zeros,
            restarts,
            c.zero(),
            interrupt,
        ];
        for (offset, parts) in [
            (0, &word[..]),
            (4, &[enable]),
            (8, &[enables]),
            (0xc, &pending),
        ] {
            self.table.insert(offset / 4, c.join(parts).resize(WORD));
        }
    }

    fn results(&mut self) {
        let c = self.c;
        for result in &self.plan.results {
            c.comment("results");
            let value = c.input(&format!("result_{}", result.port), result.width);
            let kept = c.wire(&format!("kept_{}", result.port), result.width);
            kept.register(Some(0), Some(self.done), value);
            for word in 0..words(result.width) {
                let at = word * WORD;
                let width = WORD.min(result.width - at);
                self.table
                    .insert(result.offset / 4 + word, kept.bits(at, width).resize(WORD));
            }
            let valid = c.wire(&format!("valid_{}", result.port), 1);
            c.flag(valid, self.done, self.is_read(result.valid()));
            self.table.insert(result.valid() / 4, valid.resize(WORD));
        }
    }

    fn arguments(&mut self) {
        let c = self.c;
        for register in &self.plan.registers {
            c.comment("arguments");
            let name = register_port(register);
            let words: Vec<Signal> = (0..words(register.width))
                .map(|word| {
                    let offset = register.offset + 4 * word;
                    let net = c.wire(&format!("{name}_word{word}"), WORD);
                    let Write { data, mask, .. } = self.write;
                    net.register(
                        Some(0),
                        Some(self.written(offset)),
                        (data & mask) | (net & !mask),
                    );
                    self.table.insert(offset / 4, net);
                    net
                })
                .collect();
            c.output(&name, c.join(&words).resize(register.width));
        }
    }

    fn status(&mut self) {
        let c = self.c;
        for array in &self.plan.arrays {
            if let Reach::Local { offset } = array.reach {
                c.comment("local array");
                self.local(array, offset);
            }
        }
        c.comment("status");
        let events: Vec<Signal> = STATUS_BITS[..4]
            .iter()
            .map(|name| c.input(name, 1))
            .collect();
        let refused = c.any(self.refused.iter().copied());
        let bits = events
            .into_iter()
            .chain([refused])
            .zip(0..)
            .map(|(event, bit)| {
                let net = c.wire(&format!("status_{}", STATUS_BITS[bit as usize]), 1);
                c.flag(net, event, self.sets(self.plan.status, bit));
                net
            });
        let bits: Vec<Signal> = bits.collect();
        self.table
            .insert(self.plan.status / 4, c.join(&bits).resize(WORD));
    }

    /// What an array is asked, and its answer.
    fn local(&mut self, array: &ArrayPlan, offset: u32) {
        let c = self.c;
        let geometry = Geometry::of(array, &LOCAL);
        let name = &array.name;
        let running = c.input(&format!("running_{name}"), 1);
        let size = (4 * geometry.most_beats)
            .next_power_of_two()
            .trailing_zeros();
        let meets = |address: Signal<'c>| {
            let high = address.bits(size, address.width() - size);
            // An array of one word has no word to choose.
            let number = match size {
                2 => c.constant(1, 0u32),
                _ => address.bits(2, size - 2),
            };
            let number = number.resize(geometry.beat_width().max(1));
            let inside = c.constant(number.width(), geometry.most_beats - 1);
            (
                high.is(u64::from(offset >> size)) & number.at_most(inside),
                number,
            )
        };
        let (hit, number) = meets(self.write.address);
        let stores = (self.write.now & hit).named(&format!("stores_{name}"));
        c.output(&format!("load_{name}"), stores & !running);
        c.output(&format!("loadbeat_{name}"), number);
        let (hit, number) = meets(self.read.address);
        let asks = (self.read.asks & hit).named(&format!("asks_{name}"));
        c.output(&format!("fetch_{name}"), asks & !running);
        c.output(&format!("fetchbeat_{name}"), number);
        self.refused.push((stores | asks) & running);
        let answers = c.wire(&format!("answers_{name}"), 1);
        answers.register(Some(0), None, asks & !running);
        let data = c.input(&format!("fetchdata_{name}"), WORD);
        let mut shown = answers.repeat(WORD) & data;
        // Bytes of the last word that belong to no element.
        let rest = (array.length * u64::from(array.element_bytes)) % 4;
        if rest > 0 {
            let is_last = number.is(geometry.most_beats - 1);
            let part = shown.resize(8 * rest as u32).resize(WORD);
            shown = is_last.mux(part, shown);
        }
        self.answers.push(shown);
    }

    /// The word that is read.
    fn answer(&mut self) {
        let c = self.c;
        c.comment("answers to reads");
        let count = self.table.keys().next_back().map_or(0, |last| last + 1);
        let zero = c.constant(WORD, 0u32);
        let words = (0..count).map(|word| self.table.get(&word).copied().unwrap_or(zero));
        let words: Vec<Signal> = words.collect();
        let address = self.read.address;
        let bits = crate::rtl::netlist::address_width(count.into());
        let number = address.bits(2, bits.min(address.width() - 2));
        let mut value = c.choose(number, &words);
        let above = 2 + number.width();
        if above < address.width() {
            let high = address.bits(above, address.width() - above).some();
            value = high.mux(zero, value);
        }
        let value = self
            .answers
            .iter()
            .fold(value, |value, answer| value | *answer);
        c.port("rdata", WORD)
            .register(None, Some(self.read.answers), value);
        c.output("rresp", c.constant(2, 0u32));
        c.output("bresp", c.constant(2, 0u32));
        if !self.refused.is_empty() {
            c.output("write_data", self.write.data);
            c.output("write_strb", self.write.strobes);
        }
    }
}

/// Address and data may come in either order; a write happens when both are there.
fn write_channel<'c>(c: &'c Circuit, inputs: &BTreeMap<&str, Signal<'c>>, width: u32) -> Write<'c> {
    c.comment("writes");
    let [has_address, has_data] = ["has_address", "has_data"].map(|name| c.wire(name, 1));
    let answered = c.port("bvalid", 1);
    let now = (has_address & has_data & !answered).named("writes");
    let accept = |has: Signal<'c>, valid: &str, ready: &str| {
        c.output(ready, !has);
        let takes = (inputs[valid] & !has).named(&format!("{valid}_taken"));
        c.flag(has, takes, now);
        takes
    };
    let keep = |name: &str, value: Signal<'c>, enable| {
        let net = c.wire(name, value.width());
        net.register(None, Some(enable), value);
        net
    };
    let takes = accept(has_address, "awvalid", "awready");
    let address = keep("write_address", c.input("awaddr", width), takes);
    let takes = accept(has_data, "wvalid", "wready");
    let data = keep("data", inputs["wdata"], takes);
    let strobes = keep("strobes", inputs["wstrb"], takes);
    c.flag(answered, now, inputs["bready"]);
    let mask: Vec<Signal> = (0..4).map(|byte| strobes.bit(byte).repeat(8)).collect();
    Write {
        now,
        address,
        data,
        strobes,
        mask: c.join(&mask).named("mask"),
    }
}

/// A read asks memories in one cycle and takes the answer in the next.
fn read_channel<'c>(c: &'c Circuit, inputs: &BTreeMap<&str, Signal<'c>>, width: u32) -> Read<'c> {
    c.comment("reads");
    let valid = c.port("rvalid", 1);
    let asks = c.wire("asks", 1);
    let answers = asks.delayed("answers");
    let ready = (!asks & !answers & !valid).named("read_ready");
    c.output("arready", ready);
    let takes = (ready & inputs["arvalid"]).named("arvalid_taken");
    asks.register(Some(0), None, takes);
    let address = c.wire("read_address", width);
    address.register(None, Some(takes), c.input("araddr", width));
    c.flag(valid, answers, inputs["rready"]);
    Read {
        address,
        asks,
        answers,
    }
}
