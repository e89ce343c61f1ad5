//! A buffer: an array's memory between the core, which asks for elements, and the bus, which moves whole beats.
//!
//! Its bytes lie in banks side by side, as many as the wider of an element and a beat has. A row is what stands at
//! one address of all banks: some elements, or some beats.

use super::plan::ArrayPlan;
use crate::rtl::elaborate::circuit::{Circuit, Signal};
use crate::rtl::netlist::*;

/// How a buffer is made.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Bytes of a beat.
    pub beat: u32,
    /// Bytes that are written together.
    pub granule: u32,
    /// Whether the bus says which bytes of a beat it writes.
    pub has_strobes: bool,
    /// Whether the first element may be any of a beat.
    pub is_shifted: bool,
    /// Whether a bit of each element says if it was written since it was loaded.
    pub is_marked: bool,
    /// Whether the bus writes elements; if not, it only clears marks.
    pub is_loaded: bool,
    /// Whether the bus reads.
    pub is_fetched: bool,
    /// Whether it then has to know which bytes of a beat are elements that were written.
    pub has_keep: bool,
}

impl Shape {
    /// Whether the bus writes.
    pub fn is_written(&self) -> bool {
        self.is_loaded || self.is_marked
    }
}

/// Bits of a bank up to which it is made of lookup tables.
const DISTRIBUTED_BITS: u64 = 1024;

/// Sizes that follow.
#[derive(Clone, Copy, Debug)]
pub struct Geometry {
    /// Bytes of a row.
    pub span: u32,
    /// Rows.
    pub rows: u64,
    /// Elements of a row.
    pub elements: u32,
    /// Beats of a row.
    pub beats: u32,
    /// Beats that the array may touch.
    pub most_beats: u64,
}

impl Geometry {
    /// Those of an array.
    pub fn of(array: &ArrayPlan, shape: &Shape) -> Geometry {
        let span = array.element_bytes.max(shape.beat);
        let elements = span / array.element_bytes;
        let first = if shape.is_shifted { elements - 1 } else { 0 };
        let rows = (array.length + u64::from(first)).div_ceil(elements.into());
        let beats = span / shape.beat;
        Geometry {
            span,
            rows,
            elements,
            beats,
            most_beats: rows * u64::from(beats),
        }
    }

    /// Bits of a number of a beat.
    pub fn beat_width(&self) -> u32 {
        address_width(self.most_beats)
    }

    /// Bits of the position of the first element in a beat; 0 if it has none.
    pub fn shift_width(&self) -> u32 {
        self.elements.trailing_zeros()
    }
}

/// The module of a buffer. Its ports: `run` (the core has it), those of the core as `address0` and so on, for the bus
/// `load`, `load_beat` (if loaded or marked), `load_data` (if loaded), `load_strb` (if it has strobes), and `fetch`,
/// `fetch_beat`, `fetch_data` (if fetched), `fetch_strb` (if it has to be known), and `shift`.
pub fn build(name: &str, array: &ArrayPlan, shape: &Shape) -> Module {
    let about = format!(
        "buffer of {}: {} x {} bits",
        array.name, array.length, array.width
    );
    let circuit = Circuit::new(name, about, false);
    let geometry = Geometry::of(array, shape);
    let mut buffer = Buffer {
        run: circuit.input("run", 1),
        circuit: &circuit,
        array,
        shape,
        geometry,
        shift: None,
    };
    if shape.is_shifted && geometry.elements > 1 {
        buffer.shift = Some(circuit.input("shift", geometry.shift_width()));
    }
    buffer.build();
    circuit.finish()
}

struct Buffer<'c> {
    circuit: &'c Circuit,
    array: &'c ArrayPlan,
    shape: &'c Shape,
    geometry: Geometry,
    run: Signal<'c>,
    shift: Option<Signal<'c>>,
}

/// A port of the core.
struct Lane<'c> {
    enable: Signal<'c>,
    row: Signal<'c>,
    /// Which element of the row.
    element: Option<Signal<'c>>,
    /// Enable and data.
    write: Option<(Signal<'c>, Signal<'c>)>,
    is_read: bool,
}

/// What the bus asks for.
struct Side<'c> {
    enable: Signal<'c>,
    row: Signal<'c>,
    /// Which beat of the row.
    beat: Option<Signal<'c>>,
}

/// A part of the row with a memory of its own.
struct Bank {
    /// Its first byte in the row.
    byte: u32,
    /// Bits of the element in it.
    width: u32,
}

impl<'c> Buffer<'c> {
    fn build(&mut self) {
        let mut lanes: Vec<Lane> = (0..self.array.ports.len()).map(|k| self.lane(k)).collect();
        if lanes.is_empty() {
            // The core never accesses it: the bus alone does.
            lanes.push(Lane {
                enable: self.circuit.zero(),
                row: self.circuit.constant(self.row_width(), 0u32),
                element: None,
                write: None,
                is_read: false,
            });
        }
        let load = self.shape.is_written().then(|| self.side("load"));
        let is_loaded = self.shape.is_loaded;
        let data = is_loaded.then(|| self.circuit.input("load_data", 8 * self.shape.beat));
        let has_strobes = is_loaded && self.shape.has_strobes;
        let strobes = has_strobes.then(|| self.circuit.input("load_strb", self.shape.beat));
        let fetch = self.shape.is_fetched.then(|| self.side("fetch"));
        let mut outs = Vec::new();
        for bank in self.banks() {
            let strobe = strobes.map(|s| s.bit(bank.byte % self.shape.beat));
            let at = 8 * (bank.byte % self.shape.beat);
            let data = data.map(|data| {
                let data = data.bits(at, bank.width.max(1));
                self.marked(data, self.circuit.zero())
            });
            let loads = load.as_ref().map(|load| {
                let enable = self.meets(load, &bank) & strobe.unwrap_or(self.circuit.one());
                (load.row, enable, data)
            });
            let fetches = fetch.as_ref().map(|side| (side.enable, side.row));
            outs.push(self.bank(&bank, &lanes, loads, fetches));
        }
        for (number, lane) in lanes.iter().enumerate() {
            if lane.is_read {
                self.answer(number, lane, &outs);
            }
        }
        if let Some(side) = &fetch {
            self.give(side, &outs);
        }
    }

    fn banks(&self) -> Vec<Bank> {
        let bytes = (0..self.geometry.span).step_by(self.shape.granule as usize);
        let bank = |byte| {
            let below = 8 * (byte % self.array.element_bytes);
            let width = self.array.width.saturating_sub(below);
            Bank {
                byte,
                width: width.min(8 * self.shape.granule),
            }
        };
        bytes.map(bank).collect()
    }

    fn row_width(&self) -> u32 {
        address_width(self.geometry.rows)
    }

    /// The row of a number of elements or beats, and which of the row it is.
    fn place(&self, number: Signal<'c>, per_row: u32) -> (Signal<'c>, Option<Signal<'c>>) {
        let low = per_row.trailing_zeros();
        if low == 0 {
            return (number.resize(self.row_width()), None);
        }
        let number = number.resize(number.width().max(low + 1));
        let row = number.bits(low, number.width() - low);
        (row.resize(self.row_width()), Some(number.bits(0, low)))
    }

    fn lane(&self, k: usize) -> Lane<'c> {
        let port = &self.array.ports[k];
        let width = address_width(self.array.length);
        let address = self.circuit.input(&format!("address{k}"), width);
        let enable = self.circuit.input(&format!("ce{k}"), 1);
        let write = port.we.as_ref().map(|_| {
            let we = self.circuit.input(&format!("we{k}"), 1);
            (
                enable & we,
                self.circuit.input(&format!("d{k}"), self.array.width),
            )
        });
        let slot = match self.shift {
            Some(shift) => {
                let wide = width.max(shift.width()) + 1;
                address.resize(wide) + shift.resize(wide)
            }
            None => address,
        };
        let (row, element) = self.place(slot, self.geometry.elements);
        Lane {
            enable,
            row,
            element,
            write,
            is_read: port.q.is_some(),
        }
    }

    fn side(&self, name: &str) -> Side<'c> {
        let enable = self.circuit.input(name, 1);
        let beat = self
            .circuit
            .input(&format!("{name}_beat"), self.geometry.beat_width());
        let (row, beat) = self.place(beat, self.geometry.beats);
        Side { enable, row, beat }
    }

    /// Whether the bus accesses a bank.
    fn meets(&self, side: &Side<'c>, bank: &Bank) -> Signal<'c> {
        match side.beat {
            Some(beat) => side.enable & beat.is((bank.byte / self.shape.beat).into()),
            None => side.enable,
        }
    }

    /// A word of a bank.
    fn marked(&self, data: Signal<'c>, mark: Signal<'c>) -> Signal<'c> {
        match self.shape.is_marked {
            true => self.circuit.join(&[data, mark]),
            false => data,
        }
    }

    /// The memory of a bank; what its reads gave, one for each port of the core and last one for the bus.
    fn bank(
        &self,
        bank: &Bank,
        lanes: &[Lane<'c>],
        load: Option<(Signal<'c>, Signal<'c>, Option<Signal<'c>>)>,
        fetch: Option<(Signal<'c>, Signal<'c>)>,
    ) -> Vec<Option<Signal<'c>>> {
        let circuit = self.circuit;
        let width = bank.width.max(1) + u32::from(self.shape.is_marked);
        let last = lanes.len() - 1;
        // With two ports, each has one address; with one, reads and writes have their own.
        let address = |k: usize, bus: Option<Signal<'c>>| {
            let shared = match (k, lanes.len()) {
                (0, 2) => fetch.map(|(_, row)| row),
                (_, 2) => load.map(|(row, ..)| row),
                _ => bus,
            };
            shared.map_or(lanes[k].row, |bus| self.run.mux(lanes[k].row, bus))
        };
        // Where the bus only clears marks, the core's data are as good as any.
        let mark = match load {
            Some((.., None)) => self.run,
            _ => circuit.one(),
        };
        let mut writes = Vec::new();
        let mut reads = Vec::new();
        let mut outs = vec![None; lanes.len() + 1];
        for (k, lane) in lanes.iter().enumerate() {
            let core = lane.write.map(|(enable, data)| {
                let below = 8 * (bank.byte % self.array.element_bytes);
                let data = match bank.width {
                    0 => circuit.zero(),
                    width => data.bits(below, width),
                };
                (enable & self.is_of(lane, bank), self.marked(data, mark))
            });
            let bus = load.filter(|_| k == last);
            let port = match (core, bus) {
                (Some((enable, data)), Some((_, load, loaded))) => {
                    let loaded = loaded.map_or(data, |loaded| self.run.mux(data, loaded));
                    Some((self.run.mux(enable, load), loaded))
                }
                (Some((enable, data)), None) => Some((enable & self.run, data)),
                (None, Some((_, load, loaded))) => {
                    let loaded = loaded.unwrap_or_else(|| circuit.constant(width, 0u32));
                    Some((load & !self.run, loaded))
                }
                (None, None) => None,
            };
            if let Some((enable, data)) = port {
                writes.push(WritePort {
                    enable: enable.operand(),
                    addr: address(k, bus.map(|(row, _, _)| row)).operand(),
                    data: data.operand(),
                });
            }
            let bus = fetch.filter(|_| k == 0);
            if !lane.is_read && bus.is_none() {
                continue;
            }
            let enable = match (lane.is_read, bus) {
                (true, Some((fetch, _))) => self.run.mux(lane.enable, fetch),
                (true, None) => lane.enable,
                (false, bus) => bus.map_or(circuit.zero(), |(fetch, _)| fetch),
            };
            let out = circuit.wire(&format!("q{k}_bank"), width);
            reads.push(ReadPort {
                enable: Some(enable.operand()),
                addr: address(k, fetch.map(|(_, row)| row)).operand(),
                out: out.net(),
            });
            outs[k] = Some(out);
            if bus.is_some() {
                outs[lanes.len()] = Some(out);
            }
        }
        circuit.memory(Memory {
            name: "mem".into(),
            width,
            depth: self.geometry.rows,
            init: None,
            style: match self.geometry.rows * u64::from(width) <= DISTRIBUTED_BITS {
                true => MemoryStyle::Distributed,
                false => MemoryStyle::Block,
            },
            writes,
            reads,
            origin: None,
        });
        outs
    }

    /// Whether the core's element is in a bank.
    fn is_of(&self, lane: &Lane<'c>, bank: &Bank) -> Signal<'c> {
        let number = bank.byte / self.array.element_bytes;
        lane.element
            .map_or(self.circuit.one(), |element| element.is(number.into()))
    }

    /// The element that a port of the core has read.
    fn answer(&self, number: usize, lane: &Lane<'c>, outs: &[Vec<Option<Signal<'c>>>]) {
        let banks = self.banks();
        let element = |which: u32| {
            let mut parts = Vec::new();
            for (bank, out) in banks.iter().zip(outs) {
                if bank.byte / self.array.element_bytes == which
                    && bank.width > 0
                    && let Some(out) = out[number]
                {
                    parts.push(out.bits(0, bank.width));
                }
            }
            self.circuit.join(&parts)
        };
        let elements: Vec<Signal> = (0..self.geometry.elements).map(element).collect();
        let value = match lane.element {
            Some(which) => {
                let held = self
                    .circuit
                    .wire(&format!("element{number}"), which.width());
                held.register(None, Some(lane.enable), which);
                self.circuit.choose(held, &elements)
            }
            None => elements[0],
        };
        self.circuit.output(&format!("q{number}"), value);
    }

    /// The beat that the bus has read, with which of it are elements, zeros where no element has bits.
    fn give(&self, side: &Side<'c>, outs: &[Vec<Option<Signal<'c>>>]) {
        let circuit = self.circuit;
        let banks = self.banks();
        let held = side.beat.map(|beat| {
            let held = circuit.wire("beat", beat.width());
            held.register(None, Some(side.enable), beat);
            held
        });
        let mut beats = Vec::new();
        let mut strobes = Vec::new();
        for beat in 0..self.geometry.beats {
            let mut data = Vec::new();
            let mut marks = Vec::new();
            for (bank, out) in banks.iter().zip(outs) {
                let Some(out) = out.last().copied().flatten() else {
                    continue;
                };
                if bank.byte / self.shape.beat != beat {
                    continue;
                }
                let value = match bank.width {
                    0 => circuit.zero(),
                    width => out.bits(0, width),
                };
                data.push(value.resize(8 * self.shape.granule));
                let mark = out.bit(out.width() - 1);
                marks.push(mark.repeat(self.shape.granule));
            }
            beats.push(circuit.join(&data));
            strobes.push(circuit.join(&marks));
        }
        let pick = |values: &[Signal<'c>]| match held {
            Some(held) => circuit.choose(held, values),
            None => values[0],
        };
        circuit.output("fetch_data", pick(&beats));
        if self.shape.has_keep {
            let keep = match self.shape.is_marked {
                true => pick(&strobes),
                false => self.inside(side),
            };
            circuit.output("fetch_strb", keep);
        }
    }

    /// Which bytes of the beat that the bus has read are in the array.
    fn inside(&self, side: &Side<'c>) -> Signal<'c> {
        let circuit = self.circuit;
        // Otherwise beats are elements, or parts of one.
        let Some(shift) = self.shift else {
            return circuit.one().repeat(self.shape.beat);
        };
        let low = shift.width();
        let wide = address_width(self.array.length)
            .max(low)
            .max(side.row.width() + low)
            + 1;
        let end = shift.resize(wide).plus(self.array.length).named("end");
        let is_first = side.row.is(0).named("is_first");
        let is_end = side
            .row
            .resize(wide - low)
            .equals(end.bits(low, wide - low));
        let is_end = is_end.named("is_end");
        let behind = end.bits(0, low);
        let elements: Vec<Signal> = (0..self.geometry.elements)
            .map(|number| {
                let number = circuit.constant(low, number);
                let is_before = is_first & !shift.at_most(number);
                let is_behind = is_end & behind.at_most(number);
                !(is_before | is_behind)
            })
            .collect();
        let held = circuit.wire("inside", self.geometry.elements);
        held.register(None, Some(side.enable), circuit.join(&elements));
        let bytes =
            (0..self.geometry.elements).map(|k| held.bit(k).repeat(self.array.element_bytes));
        circuit.join(&bytes.collect::<Vec<_>>())
    }
}
