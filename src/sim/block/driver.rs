//! What a driver of a block does: gives arguments, starts, waits, takes results.

use super::bench::{Bench, Step, Stop};
use super::memory::{Memory, Store};
use super::stream::{Stream, ones, words_of};
use crate::ir::Scalar;
use crate::rtl::interface::block::{BlockKind, BlockManifest, BlockPort, Via};
use crate::sim::elements::Elements;
use crate::sim::engine::{EngineError, Result};
use crate::sim::model::{Run, RunResult, Start, Timing};
use crate::sim::value::{MOST_TRANSFERS, Value};
use num_bigint::BigUint;
use std::ops::Range;

/// Cycles that a simulation may take beside those that its run allows.
const PATIENCE: u64 = 100_000;

impl<'a> Bench<'a> {
    /// What a driver does for the invocations of a run.
    pub fn run(&mut self, run: &Run) -> Result<RunResult> {
        let mut result = RunResult {
            timing: Vec::new(),
            returns: Vec::new(),
            arrays: Vec::new(),
            violations: Vec::new(),
            timed_out: false,
            writes: Vec::new(),
            traffic: Vec::new(),
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
        }
        self.change_pace(run.is_steady);
        let mut arrays = self.load(run)?;
        let begun = self.now;
        for start in &run.starts {
            for _ in 0..start.gap {
                self.cycle()?;
            }
            let from = self.now;
            self.memories.iter_mut().for_each(Memory::begin);
            self.begin(start, &mut arrays)?;
            self.wait()?;
            let done = self.now - begun;
            result.timing.push(Timing {
                start: from - begun,
                ready: done,
                done,
            });
            let returns = self.results(&mut arrays)?;
            result.returns.push(returns);
        }
        result.traffic = self.memories.iter().map(Memory::traffic).collect();
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
                    let shift = match run.is_steady {
                        true => 0,
                        false => self.rng.below(2 * 4096),
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
            // Some words in two parts.
            let first = match self.rng.one_in(4) {
                true => self.rng.next() as u8 & 0xf,
                false => 0xf,
            };
            for strobes in [first, !first & 0xf] {
                if strobes != 0 {
                    self.write_bytes(offset + 4 * word, data, strobes)?;
                }
            }
        }
        Ok(())
    }

    /// Writes scalars, offers frames, starts.
    fn begin(&mut self, start: &Start, arrays: &mut [Place]) -> Step<()> {
        let mut values = start.scalars.iter();
        let mut ends = start.ends.iter().copied();
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
                    let mut value = || {
                        let value = values.next().cloned().unwrap_or_default();
                        u64::try_from(value).unwrap_or(0)
                    };
                    let from = value();
                    let offered = match self.is_source(port) {
                        true => value(),
                        false => MOST_TRANSFERS,
                    };
                    let end = ends.next();
                    self.stream_from(port, from..offered, end, arrays);
                }
                BlockKind::Array { .. } => self.frame(port, arrays),
            }
        }
        for port in &manifest.returns {
            if let BlockKind::Array { .. } = port.kind {
                self.frame(port, arrays);
            }
        }
        self.write(4, 1)?;
        self.write(8, 1)?;
        self.write(0, 1)
    }

    /// Whether the block gets from a stream.
    fn is_source(&self, port: &BlockPort) -> bool {
        let mut streams = self.streams.iter();
        streams.any(|stream| Some(&stream.name) == port.name.as_ref() && stream.source.is_some())
    }

    /// A stream goes on with these elements. A block without a control slave, which begins by itself, has those up to the `end`
    /// of its invocation, and may have begun with the next one before.
    fn stream_from(
        &mut self,
        port: &BlockPort,
        range: Range<u64>,
        end: Option<u64>,
        arrays: &[Place],
    ) {
        let has_control = self.lite.is_some();
        let Some((stream, place)) = find(&mut self.streams, port, arrays) else {
            return;
        };
        let Range {
            start,
            end: offered,
        } = range;
        stream.moved = start;
        match has_control {
            true => stream.taken.clear(),
            false => stream.wanted = end.map(|end| (end - start) as usize),
        }
        let Some(source) = &mut stream.source else {
            return;
        };
        source.clear();
        let end = end.filter(|_| !has_control).unwrap_or(start + 4096);
        for position in start..offered.min(end) {
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
        stream.wanted = Some(place.elements.len());
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
    fn wait(&mut self) -> Step<()> {
        if self.lite.is_none() {
            while !self.streams.iter().all(Stream::has_ended) {
                self.cycle()?;
            }
            return Ok(());
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
