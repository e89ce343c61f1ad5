//! What stands around a block: a driver, memories, sources and sinks.

use super::channel::{Pace, garbage};
use super::memory::{Memory, Store};
use super::pins::{Pin, Pins, ports};
use super::slave::Lite;
use super::stream::Stream;
use crate::rtl::interface::block::{BlockManifest, Via};
use crate::rtl::netlist::{Design, Direction};
use crate::sim::draw::Rng;
use crate::sim::engine::{EngineError, Result};

/// Cycles of a reset.
const RESET_CYCLES: u64 = 2;

/// Why a run ended early.
pub(super) enum Stop {
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

pub(super) type Step<T> = std::result::Result<T, Stop>;

/// A block in simulation with what stands around it.
pub struct Bench<'a> {
    pub(super) pins: Box<dyn Pins + 'a>,
    pub(super) manifest: &'a BlockManifest,
    reset: Pin,
    inputs: Vec<Pin>,
    interrupt: Option<Pin>,
    pub(super) lite: Option<Lite>,
    pub(super) memories: Vec<Memory>,
    pub(super) streams: Vec<Stream>,
    pub(super) store: Store,
    pub(super) rng: Rng,
    pub(super) now: u64,
    /// Cycle in which a run is given up.
    pub(super) deadline: u64,
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

    pub(super) fn reset_block(&mut self) -> Step<()> {
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
        self.change_pace(false);
        Ok(())
    }

    /// What stands around forgets what was under way, and pauses otherwise than before, or never.
    pub fn change_pace(&mut self, is_steady: bool) {
        let paused = !is_steady;
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
    pub(super) fn cycle(&mut self) -> Step<()> {
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

    pub(super) fn write(&mut self, offset: u32, data: u32) -> Step<()> {
        self.write_bytes(offset, data, 0xf)
    }

    /// Writes some bytes of a word, a bit for each; with anything in the others.
    pub(super) fn write_bytes(&mut self, offset: u32, data: u32, strobes: u8) -> Step<()> {
        let noise = self.rng.next() as u32;
        let written = (0..4).filter(|byte| strobes >> byte & 1 == 1);
        let mask = written.fold(0u32, |mask, byte| mask | 0xff << (8 * byte));
        let data = data & mask | noise & !mask;
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
            .push_back((later(), vec![vec![data.into()], vec![strobes.into()]]));
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

    pub(super) fn read(&mut self, offset: u32) -> Step<u32> {
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
