//! What stands around a block: a driver, memories, sources and sinks.

use super::channel::{Into, OutOf, Pace, garbage, pins_of};
use super::memory::{Memory, Store, Traffic};
use super::pins::{Pin, Pins, ports};
use crate::ir::Scalar;
use crate::rtl::interface::block::{BlockKind, BlockManifest, BlockPort, ControlSlave, Via};
use crate::rtl::interface::manifest::Flow;
use crate::rtl::netlist::{Design, Direction};
use crate::sim::draw::Rng;
use crate::sim::elements::Elements;
use crate::sim::engine::{EngineError, Result};
use crate::sim::model::{Run, RunResult, Start, Timing};
use crate::sim::value::{MOST_TRANSFERS, Value};
use num_bigint::BigUint;
use std::collections::HashMap;

/// Cycles that a simulation may take beside those that its run allows.
const PATIENCE: u64 = 100_000;
/// Cycles of a reset.
const RESET_CYCLES: u64 = 2;

/// What moved through a master in a run, reads and writes.
pub type Measured = (Traffic, Traffic);

/// Why a run ended early.
enum Stop {
    /// The protocol was broken.
    Breach(String),
    /// Nothing came to an end.
    Late,
    Engine(EngineError),
}

impl From<EngineError> for Stop {
    fn from(error: EngineError) -> Stop {
        Stop::Engine(error)
    }
}

type Step<T> = std::result::Result<T, Stop>;

/// A block in simulation with what stands around it.
pub struct Bench<'a> {
    pins: Box<dyn Pins + 'a>,
    manifest: &'a BlockManifest,
    reset: Pin,
    inputs: Vec<Pin>,
    interrupt: Option<Pin>,
    lite: Option<Lite>,
    memories: Vec<Memory>,
    streams: Vec<Stream>,
    store: Store,
    rng: Rng,
    now: u64,
    /// Cycle in which a run is given up.
    deadline: u64,
    /// Whether anything pauses.
    pub paused: bool,
}

/// The driver's side of the control slave.
struct Lite {
    slave: ControlSlave,
    aw: Into,
    w: Into,
    b: OutOf,
    ar: Into,
    r: OutOf,
    /// Answers that have come.
    written: u64,
    read: Option<u64>,
}

/// A stream, or an array as one.
struct Stream {
    /// Name of the argument.
    name: String,
    flow: Flow,
    source: Option<Into>,
    sink: Option<OutOf>,
    /// Whether it has an end of frames.
    has_last: bool,
    /// Transfers so far.
    moved: u64,
    taken: Vec<Taken>,
}

/// What a sink has taken.
struct Taken {
    words: Vec<u64>,
    /// Whether it is more than a gap.
    kept: bool,
    last: bool,
}

impl<'a> Bench<'a> {
    /// The module before its first reset.
    pub fn new(
        pins: Box<dyn Pins + 'a>,
        design: &Design,
        manifest: &'a BlockManifest,
        seed: u64,
    ) -> Result<Bench<'a>> {
        let (list, all) = ports(design);
        let missing =
            |what: &str| EngineError::Manifest(format!("the module lacks ports of {what}"));
        let pin = |name: &str| all.get(name).copied().ok_or_else(|| missing(name));
        let inputs = list.iter().filter(|(name, _, direction)| {
            *direction == Direction::Input && *name != manifest.reset.port
        });
        let inputs = inputs
            .map(|(name, _, _)| pin(name))
            .collect::<Result<Vec<_>>>()?;
        let lite = manifest
            .control
            .as_ref()
            .map(|slave| Lite::new(slave, &all).ok_or_else(|| missing("the slave")));
        let memories = manifest
            .masters
            .iter()
            .map(|master| Memory::new(master, &all).ok_or_else(|| missing(&master.bundle)));
        let every = manifest.args.iter().chain(&manifest.returns);
        let streams = every.filter_map(|port| match port.via() {
            Some(Via::Axis {
                direction, ports, ..
            }) => {
                let name = port.name.clone().unwrap_or_default();
                let stream = Stream::new(&name, *direction, ports, &all);
                Some(stream.ok_or_else(|| missing(&name)))
            }
            _ => None,
        });
        Ok(Bench {
            reset: pin(&manifest.reset.port)?,
            inputs,
            interrupt: manifest.interrupt.as_deref().map(pin).transpose()?,
            lite: lite.transpose()?,
            memories: memories.collect::<Result<_>>()?,
            streams: streams.collect::<Result<_>>()?,
            pins,
            manifest,
            store: Store::new(seed),
            rng: Rng::new(seed),
            now: 0,
            deadline: u64::MAX,
            paused: true,
        })
    }

    /// Resets the block; what was under way is forgotten.
    pub fn reset(&mut self) -> Result<()> {
        match self.reset_block() {
            Err(Stop::Engine(error)) => Err(error),
            Err(Stop::Breach(what)) => Err(EngineError::Manifest(what)),
            Err(Stop::Late) | Ok(()) => Ok(()),
        }
    }

    fn reset_block(&mut self) -> Step<()> {
        let idle = u64::from(self.manifest.reset.active == "low");
        for cycle in 0..RESET_CYCLES {
            for pin in self.inputs.clone() {
                let noise = garbage(&mut self.rng, pin.width);
                self.pins.drive(pin, &noise);
            }
            self.pins.drive(self.reset, &[1 - idle]);
            self.pins.settle()?;
            if cycle > 0 {
                self.check_silence()?;
            }
            self.pins.edge()?;
            self.now += 1;
        }
        self.pins.drive(self.reset, &[idle]);
        self.change_pace();
        Ok(())
    }

    /// What stands around forgets what was under way, and pauses otherwise than before.
    fn change_pace(&mut self) {
        let paused = self.paused;
        for memory in &mut self.memories {
            memory.restart(paused.then_some(&mut self.rng));
        }
        let rng = &mut self.rng;
        let mut pace = || if paused { Pace::draw(rng) } else { Pace(0) };
        if let Some(lite) = &mut self.lite {
            for channel in [&mut lite.aw, &mut lite.w, &mut lite.ar] {
                channel.clear();
                channel.pace = pace();
            }
            for channel in [&mut lite.b, &mut lite.r] {
                channel.clear();
                channel.pace = pace();
            }
        }
        for stream in &mut self.streams {
            stream.clear(pace());
        }
    }

    /// In a reset nothing is offered.
    fn check_silence(&mut self) -> Step<()> {
        for memory in &self.memories {
            if let Some(channel) = memory.offered(&mut *self.pins) {
                return Err(Stop::Breach(format!("{channel}: valid in a reset")));
            }
        }
        let sinks = self
            .streams
            .iter()
            .filter_map(|stream| stream.sink.as_ref());
        let lite = self.lite.iter().flat_map(|lite| [&lite.b, &lite.r]);
        for channel in sinks.chain(lite) {
            if channel.is_offered(&mut *self.pins) {
                return Err(Stop::Breach(format!(
                    "{}: valid in a reset",
                    channel.name()
                )));
            }
        }
        Ok(())
    }

    /// One clock cycle.
    fn cycle(&mut self) -> Step<()> {
        let Bench { pins, rng, now, .. } = self;
        let pins = &mut **pins;
        for memory in &mut self.memories {
            memory.drive(pins, *now, rng);
        }
        for stream in &mut self.streams {
            stream.drive(pins, *now, rng);
        }
        if let Some(lite) = &mut self.lite {
            lite.drive(pins, *now, rng);
        }
        pins.settle()?;
        for memory in &mut self.memories {
            memory
                .after(pins, *now, &mut self.store)
                .map_err(Stop::Breach)?;
        }
        for stream in &mut self.streams {
            stream.after(pins).map_err(Stop::Breach)?;
        }
        if let Some(lite) = &mut self.lite {
            lite.after(pins).map_err(Stop::Breach)?;
        }
        pins.edge()?;
        *now += 1;
        match *now > self.deadline {
            true => Err(Stop::Late),
            false => Ok(()),
        }
    }

    // Registers ----------------------------------------------------------------------------------

    fn write(&mut self, offset: u32, data: u32) -> Step<()> {
        let (now, rng) = (self.now, &mut self.rng);
        let Some(lite) = &mut self.lite else {
            return Ok(());
        };
        let mut later = || {
            if rng.one_in(2) {
                now + rng.below(4)
            } else {
                now
            }
        };
        lite.aw
            .queue
            .push_back((later(), vec![vec![offset.into()]]));
        lite.w
            .queue
            .push_back((later(), vec![vec![data.into()], vec![0xf]]));
        let before = lite.written;
        while self
            .lite
            .as_ref()
            .is_some_and(|lite| lite.written == before)
        {
            self.cycle()?;
        }
        Ok(())
    }

    fn read(&mut self, offset: u32) -> Step<u32> {
        let now = self.now;
        let Some(lite) = &mut self.lite else {
            return Ok(0);
        };
        lite.ar.queue.push_back((now, vec![vec![offset.into()]]));
        loop {
            if let Some(data) = self.lite.as_mut().and_then(|lite| lite.read.take()) {
                return Ok(data as u32);
            }
            self.cycle()?;
        }
    }

    /// Writes a register, as a driver does.
    ///
    /// Errors: the engine's; a breach of the protocol; no answer.
    pub fn write_register(&mut self, offset: u32, data: u32) -> std::result::Result<(), String> {
        self.write(offset, data).map_err(Stop::told)
    }

    /// Reads a register, as a driver does.
    ///
    /// Errors: as [`Bench::write_register`].
    pub fn read_register(&mut self, offset: u32) -> std::result::Result<u32, String> {
        self.read(offset).map_err(Stop::told)
    }

    /// Lets cycles pass.
    ///
    /// Errors: as [`Bench::write_register`].
    pub fn pass(&mut self, cycles: u64) -> std::result::Result<(), String> {
        (0..cycles)
            .try_for_each(|_| self.cycle())
            .map_err(Stop::told)
    }

    /// Whether the block interrupts.
    pub fn interrupts(&mut self) -> bool {
        let Some(pin) = self.interrupt else {
            return false;
        };
        self.pins.read(pin)[0] & 1 == 1
    }

    /// What moved through each master since the last reset.
    pub fn measured(&self) -> Vec<Measured> {
        let memories = self.memories.iter();
        memories
            .map(|memory| (memory.reads.clone(), memory.writes.clone()))
            .collect()
    }

    /// Has every so many bursts of all memories fail.
    pub fn fail_every(&mut self, bursts: u64) {
        for memory in &mut self.memories {
            memory.errors = bursts;
        }
    }

    /// Offers frames of elements that fit into a word.
    pub fn send_frames(&mut self, name: &str, frames: &[Vec<u64>]) {
        if let Some(stream) = self.streams.iter_mut().find(|stream| stream.name == name) {
            for frame in frames {
                stream.send(frame, self.now);
            }
        }
    }

    /// What a sink has taken so far, each with its end of a frame.
    pub fn taken(&self, name: &str) -> Vec<(u64, bool)> {
        let found = self.streams.iter().find(|stream| stream.name == name);
        let taken = found.map_or(&[][..], |stream| &stream.taken);
        let told = taken.iter().map(|taken| (taken.words[0], taken.last));
        told.collect()
    }

    // Runs ---------------------------------------------------------------------------------------

    /// What a driver does for the invocations of a run.
    pub fn run(&mut self, run: &Run) -> Result<RunResult> {
        let mut result = RunResult {
            timing: Vec::new(),
            returns: Vec::new(),
            arrays: Vec::new(),
            violations: Vec::new(),
            timed_out: false,
            writes: Vec::new(),
        };
        match self.invocations(run, &mut result) {
            Ok(()) => {}
            Err(Stop::Engine(error)) => return Err(error),
            Err(Stop::Late) => result.timed_out = true,
            Err(Stop::Breach(what)) => result
                .violations
                .push(format!("cycle {}: {what}", self.now)),
        }
        Ok(result)
    }

    fn invocations(&mut self, run: &Run, result: &mut RunResult) -> Step<()> {
        let total: u64 = run
            .arrays
            .iter()
            .map(|array| array.len().min(1 << 16) as u64)
            .sum();
        let allowed = run.cycle_limit.saturating_mul(8).min(1 << 26);
        self.deadline = self.now + PATIENCE + allowed + 200 * total;
        if let Some(cycles) = run.reset_after {
            if cycles > 0 {
                self.interrupted(run, cycles)?;
            }
            self.reset_block()?;
        } else {
            self.change_pace();
        }
        let mut arrays = self.load(run)?;
        let begun = self.now;
        for start in &run.starts {
            for _ in 0..start.gap {
                self.cycle()?;
            }
            let from = self.now;
            self.begin(start, &mut arrays)?;
            self.wait(&arrays)?;
            let done = self.now - begun;
            result.timing.push(Timing {
                start: from - begun,
                ready: done,
                done,
            });
            let returns = self.results(&mut arrays)?;
            result.returns.push(returns);
        }
        for place in &mut arrays {
            self.fetch(place)?;
        }
        result.arrays = arrays.into_iter().map(|place| place.elements).collect();
        Ok(())
    }

    /// The first invocation of a run for some cycles.
    fn interrupted(&mut self, run: &Run, cycles: u32) -> Step<()> {
        let mut arrays = self.load(run)?;
        if let Some(start) = run.starts.first() {
            self.begin(start, &mut arrays)?;
        }
        (0..cycles).try_for_each(|_| self.cycle())
    }

    /// Puts arrays where the block finds them.
    fn load(&mut self, run: &Run) -> Step<Vec<Place<'a>>> {
        let mut given = run.arrays.iter();
        let mut places = Vec::new();
        self.store = Store::new(self.rng.next());
        let manifest = self.manifest;
        for (is_result, port) in every(manifest) {
            let Some(via) = port.via() else { continue };
            let ty = element_type(port);
            let elements = match is_result {
                true => Elements::same(ty, length(port) as usize, Value::of_pattern(ty, &[])),
                false => given
                    .next()
                    .cloned()
                    .ok_or_else(|| EngineError::Manifest("arrays do not fit it".into()))?,
            };
            let mut place = Place {
                port,
                elements,
                address: 0,
            };
            match via {
                Via::MAxi {
                    offset,
                    element_bytes,
                    ..
                } => {
                    let slot = (places.len() as u64 + 1) << 33;
                    let bytes = u64::from(*element_bytes);
                    let shift = if self.paused {
                        self.rng.below(2 * 4096)
                    } else {
                        0
                    };
                    place.address = slot + shift / bytes * bytes;
                    let end = place.address + place.elements.len() as u64 * bytes;
                    self.store.arrays.push(place.address..end);
                    self.write(*offset, place.address as u32)?;
                    self.write(*offset + 4, (place.address >> 32) as u32)?;
                    self.fill(&place, bytes, is_result);
                }
                Via::Local {
                    offset,
                    element_bytes,
                } => self.fill_local(&place, *offset, *element_bytes)?,
                Via::Axis { .. } => {}
            }
            places.push(place);
        }
        Ok(places)
    }

    /// Elements to memory; padding is anything.
    fn fill(&mut self, place: &Place, bytes: u64, is_result: bool) {
        let ty = place.elements.ty();
        for position in 0..place.elements.len() {
            if is_result {
                break;
            }
            let pattern = self.padded(&place.elements.get(position), ty, bytes);
            for (byte, value) in pattern.into_iter().enumerate() {
                self.store
                    .set(place.address + position as u64 * bytes + byte as u64, value);
            }
        }
    }

    /// The bytes of an element, with anything in the bits that are padding.
    fn padded(&mut self, value: &Value, ty: Scalar, bytes: u64) -> Vec<u8> {
        let mut pattern = value.pattern(ty);
        let noise = BigUint::from(self.rng.next()) | (BigUint::from(self.rng.next()) << 64u32);
        pattern |= noise << ty.width();
        let mut all = pattern.to_bytes_le();
        all.resize(bytes as usize, 0);
        all
    }

    fn fill_local(&mut self, place: &Place, offset: u32, element_bytes: u32) -> Step<()> {
        let bytes = u64::from(element_bytes);
        let mut all = Vec::new();
        for position in 0..place.elements.len() {
            let value = place.elements.get(position);
            all.extend(self.padded(&value, place.elements.ty(), bytes));
        }
        all.resize(all.len().next_multiple_of(4), 0);
        for (word, part) in (0..).zip(all.chunks_exact(4)) {
            let data = u32::from_le_bytes([part[0], part[1], part[2], part[3]]);
            self.write(offset + 4 * word, data)?;
        }
        Ok(())
    }

    /// Writes scalars, offers frames, starts.
    fn begin(&mut self, start: &Start, arrays: &mut [Place]) -> Step<()> {
        let mut values = start.scalars.iter();
        let manifest = self.manifest;
        for port in &manifest.args {
            match &port.kind {
                BlockKind::Scalar { offset, words, .. } => {
                    let value = values.next().cloned().unwrap_or_default();
                    let mut digits = value.iter_u32_digits();
                    for word in 0..*words {
                        let noise = self.rng.next() as u32;
                        let digit = digits.next().unwrap_or(0);
                        // Bits past the width are anything.
                        let used = scalar_width(port).saturating_sub(32 * word).min(32);
                        let mask = if used == 32 {
                            u32::MAX
                        } else {
                            (1 << used) - 1
                        };
                        self.write(offset + 4 * word, (digit & mask) | (noise & !mask))?;
                    }
                }
                BlockKind::Stream { .. } => {
                    let from = values.next().cloned().unwrap_or_default();
                    let from = u64::try_from(from).unwrap_or(0);
                    self.stream_from(port, from, arrays);
                }
                BlockKind::Array { .. } => self.frame(port, arrays),
            }
        }
        self.write(4, 1)?;
        self.write(8, 1)?;
        self.write(0, 1)
    }

    /// A stream goes on from an element.
    fn stream_from(&mut self, port: &BlockPort, from: u64, arrays: &[Place]) {
        let Some((stream, place)) = find(&mut self.streams, port, arrays) else {
            return;
        };
        stream.moved = from;
        stream.taken.clear();
        let Some(source) = &mut stream.source else {
            return;
        };
        source.clear();
        for position in from..MOST_TRANSFERS.min(from + 4096) {
            let words = place
                .elements
                .get(position as usize)
                .pattern(place.elements.ty());
            let bits = stream_bits(port);
            source
                .queue
                .push_back((self.now, vec![words_of(&words, bits), ones(bits / 8)]));
        }
    }

    /// An array as a frame.
    fn frame(&mut self, port: &BlockPort, arrays: &[Place]) {
        let now = self.now;
        let Some((stream, place)) = find(&mut self.streams, port, arrays) else {
            return;
        };
        stream.taken.clear();
        if stream.source.is_none() {
            return;
        }
        let bits = stream_bits(port);
        let elements = place.elements.iter();
        let all = elements.map(|value| words_of(&value.pattern(place.elements.ty()), bits));
        let all: Vec<Vec<u64>> = all.collect();
        stream.send_words(&all, now, bits / 8);
    }

    /// Until the block is done.
    fn wait(&mut self, arrays: &[Place]) -> Step<()> {
        if self.lite.is_none() {
            loop {
                let sinks = self.streams.iter().filter(|stream| stream.sink.is_some());
                let ended = |stream: &Stream| {
                    let place = arrays
                        .iter()
                        .find(|place| place.port.name.as_ref() == Some(&stream.name));
                    place.is_some_and(|place| stream.taken.len() >= place.elements.len())
                };
                if sinks.into_iter().all(ended) {
                    return Ok(());
                }
                self.cycle()?;
            }
        }
        if self.rng.one_in(2) {
            while !self.interrupts() {
                self.cycle()?;
            }
            self.write(0xc, 1)?;
            self.read(0)?;
            if self.interrupts() {
                return Err(Stop::Breach("the interrupt stays".into()));
            }
            return Ok(());
        }
        while self.read(0)? & 2 == 0 {}
        self.write(0xc, 1)
    }

    /// Scalar results, then how far streams came; output frames are kept.
    fn results(&mut self, arrays: &mut [Place]) -> Step<Vec<BigUint>> {
        let mut results = Vec::new();
        let manifest = self.manifest;
        for port in &manifest.returns {
            let BlockKind::Scalar {
                offset,
                words,
                valid,
                width,
                ..
            } = &port.kind
            else {
                continue;
            };
            let mut digits = Vec::new();
            for word in 0..*words {
                digits.push(self.read(offset + 4 * word)?);
            }
            let value = BigUint::new(digits);
            if value.bits() > u64::from(*width) {
                return Err(Stop::Breach("bits past the width of a result".into()));
            }
            results.push(value);
            let valid = valid.unwrap_or_default();
            if self.read(valid)? & 1 != 1 || self.read(valid)? & 1 != 0 {
                return Err(Stop::Breach("the valid word of a result".into()));
            }
        }
        for stream in &mut self.streams {
            let place = arrays
                .iter_mut()
                .find(|place| place.port.name.as_ref() == Some(&stream.name));
            let Some(place) = place else { continue };
            stream.collect(&mut place.elements).map_err(Stop::Breach)?;
            if matches!(place.port.kind, BlockKind::Stream { .. }) {
                results.push(stream.moved.into());
            }
        }
        Ok(results)
    }

    /// What the block left of an array.
    fn fetch(&mut self, place: &mut Place) -> Step<()> {
        let ty = place.elements.ty();
        let all = match place.port.via() {
            Some(Via::MAxi { element_bytes, .. }) => {
                let count = place.elements.len() as u64 * u64::from(*element_bytes);
                let bytes = (0..count).map(|byte| self.store.get(place.address + byte));
                (bytes.collect::<Vec<u8>>(), *element_bytes)
            }
            Some(Via::Local {
                offset,
                element_bytes,
            }) => {
                let count = place.elements.len() as u32 * element_bytes;
                let mut bytes = Vec::new();
                for word in 0..count.div_ceil(4) {
                    bytes.extend(self.read(offset + 4 * word)?.to_le_bytes());
                }
                (bytes, *element_bytes)
            }
            _ => return Ok(()),
        };
        let (bytes, size) = all;
        let mask = (BigUint::from(1u32) << ty.width()) - 1u32;
        for (position, part) in bytes
            .chunks_exact(size as usize)
            .enumerate()
            .take(place.elements.len())
        {
            let pattern = BigUint::from_bytes_le(part) & &mask;
            let value = Value::of_pattern(ty, &pattern.to_u64_digits());
            if value.data != place.elements.get(position).data {
                place.elements.set(position, value, None);
            }
        }
        Ok(())
    }
}

impl Stop {
    fn told(self) -> String {
        match self {
            Stop::Breach(what) => what,
            Stop::Late => "no end".into(),
            Stop::Engine(error) => error.to_diagnostic().message,
        }
    }
}

/// An array, and where it is.
struct Place<'a> {
    port: &'a BlockPort,
    elements: Elements,
    address: u64,
}

/// Parameters, then results; whether it is a result.
fn every(manifest: &BlockManifest) -> impl Iterator<Item = (bool, &BlockPort)> {
    let args = manifest.args.iter().map(|port| (false, port));
    args.chain(manifest.returns.iter().map(|port| (true, port)))
}

fn element_type(port: &BlockPort) -> Scalar {
    let (BlockKind::Scalar { ty, width, .. }
    | BlockKind::Array { ty, width, .. }
    | BlockKind::Stream { ty, width, .. }) = &port.kind;
    let named = Scalar::named(ty).filter(|ty| ty.width() == *width);
    named.unwrap_or(Scalar::unsigned(*width))
}

fn scalar_width(port: &BlockPort) -> u32 {
    element_type(port).width()
}

fn length(port: &BlockPort) -> u64 {
    match &port.kind {
        BlockKind::Array { shape, .. } => shape.iter().product(),
        _ => MOST_TRANSFERS,
    }
}

fn stream_bits(port: &BlockPort) -> u32 {
    match port.via() {
        Some(Via::Axis { tdata_width, .. }) => *tdata_width,
        _ => 8,
    }
}

/// So many ones, in words.
fn ones(count: u32) -> Vec<u64> {
    let mut words = vec![u64::MAX; count.div_ceil(64) as usize];
    if let (Some(last), false) = (words.last_mut(), count.is_multiple_of(64)) {
        *last = (1 << (count % 64)) - 1;
    }
    words
}

fn words_of(pattern: &BigUint, bits: u32) -> Vec<u64> {
    let mut words = pattern.to_u64_digits();
    words.resize(bits.div_ceil(64) as usize, 0);
    words
}

fn find<'s, 'p>(
    streams: &'s mut [Stream],
    port: &BlockPort,
    arrays: &'p [Place],
) -> Option<(&'s mut Stream, &'p Place<'p>)> {
    let name = port.name.as_ref()?;
    let stream = streams.iter_mut().find(|stream| stream.name == *name)?;
    let place = arrays
        .iter()
        .find(|place| place.port.name.as_ref() == Some(name))?;
    Some((stream, place))
}

impl Lite {
    fn new(slave: &ControlSlave, all: &HashMap<String, Pin>) -> Option<Lite> {
        let pins = |names: &[&str]| pins_of(all, &slave.ports, names);
        let out = |name: &str, pins: Vec<Pin>| OutOf::new(format!("control {name}"), &pins);
        Some(Lite {
            aw: Into::new(&pins(&["awvalid", "awready", "awaddr"])?),
            w: Into::new(&pins(&["wvalid", "wready", "wdata", "wstrb"])?),
            b: out("B", pins(&["bvalid", "bready", "bresp"])?),
            ar: Into::new(&pins(&["arvalid", "arready", "araddr"])?),
            r: out("R", pins(&["rvalid", "rready", "rdata", "rresp"])?),
            slave: slave.clone(),
            written: 0,
            read: None,
        })
    }

    fn drive(&mut self, pins: &mut dyn Pins, now: u64, rng: &mut Rng) {
        for channel in [&mut self.aw, &mut self.w, &mut self.ar] {
            channel.drive(pins, now, rng);
        }
        for channel in [&mut self.b, &mut self.r] {
            channel.drive(pins, true, rng);
        }
    }

    fn after(&mut self, pins: &mut dyn Pins) -> std::result::Result<(), String> {
        for channel in [&mut self.aw, &mut self.w, &mut self.ar] {
            channel.after(pins);
        }
        if let Some(payload) = self.b.after(pins)? {
            self.written += 1;
            if payload[0][0] != 0 {
                return Err(format!(
                    "a write of {} is not answered with OKAY",
                    self.slave.kind
                ));
            }
        }
        if let Some(payload) = self.r.after(pins)? {
            self.read = Some(payload[0][0]);
        }
        Ok(())
    }
}

impl Stream {
    fn new(
        name: &str,
        flow: Flow,
        ports: &std::collections::BTreeMap<String, String>,
        all: &HashMap<String, Pin>,
    ) -> Option<Stream> {
        let has_last = ports.contains_key("tlast");
        let mut names = vec!["tvalid", "tready", "tdata", "tkeep"];
        if has_last {
            names.push("tlast");
        }
        let pins = pins_of(all, ports, &names)?;
        Some(Stream {
            name: name.to_string(),
            flow,
            source: (flow == Flow::In).then(|| Into::new(&pins)),
            sink: (flow == Flow::Out).then(|| OutOf::new(name.to_string(), &pins)),
            has_last,
            moved: 0,
            taken: Vec::new(),
        })
    }

    fn clear(&mut self, pace: Pace) {
        if let Some(source) = &mut self.source {
            source.clear();
            source.pace = pace;
        }
        if let Some(sink) = &mut self.sink {
            sink.clear();
            sink.pace = pace;
        }
        self.taken.clear();
    }

    /// A frame of elements that fit into a word.
    fn send(&mut self, frame: &[u64], now: u64) {
        let all: Vec<Vec<u64>> = frame.iter().map(|word| vec![*word]).collect();
        self.send_words(&all, now, 1);
    }

    fn send_words(&mut self, frame: &[Vec<u64>], now: u64, bytes: u32) {
        let Some(source) = &mut self.source else {
            return;
        };
        for (number, words) in (1..).zip(frame) {
            let last = u64::from(number == frame.len());
            source
                .queue
                .push_back((now, vec![words.clone(), ones(bytes), vec![last]]));
        }
    }

    fn drive(&mut self, pins: &mut dyn Pins, now: u64, rng: &mut Rng) {
        if let Some(source) = &mut self.source {
            source.drive(pins, now, rng);
        }
        if let Some(sink) = &mut self.sink {
            sink.drive(pins, true, rng);
        }
    }

    fn after(&mut self, pins: &mut dyn Pins) -> std::result::Result<(), String> {
        if let Some(source) = &mut self.source {
            self.moved += u64::from(source.after(pins).is_some());
        }
        if let Some(sink) = &mut self.sink
            && let Some(payload) = sink.after(pins)?
        {
            let last = self.has_last && payload[2][0] & 1 == 1;
            let kept = payload[1].iter().any(|word| *word != 0);
            self.taken.push(Taken {
                words: payload[0].clone(),
                kept,
                last,
            });
        }
        Ok(())
    }

    /// Moves what was taken to its elements.
    fn collect(&mut self, elements: &mut Elements) -> std::result::Result<(), String> {
        if self.flow == Flow::In {
            return Ok(());
        }
        let count = self.taken.len();
        if self.has_last && count != elements.len() {
            return Err(format!("a frame of {} has {count} elements", self.name));
        }
        let first = if self.has_last { 0 } else { self.moved };
        for (number, taken) in (0..).zip(self.taken.drain(..)) {
            if self.has_last && taken.last != (number + 1 == count) {
                return Err(format!("TLAST of {} at element {number}", self.name));
            }
            if taken.kept {
                let value = Value::of_pattern(elements.ty(), &taken.words);
                elements.set(first as usize + number, value, None);
            }
        }
        self.moved = first + count as u64;
        Ok(())
    }
}
