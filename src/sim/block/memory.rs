//! A memory behind an AXI4 master: latency, pauses, error responses, and a checker of what the master does.

use super::channel::{Into, OutOf, Pace, Payload, pins_of};
use super::pins::{Pin, Pins};
use crate::rtl::interface::block::Master;
use crate::sim::draw::Rng;
use crate::sim::model::{Moved, Traffic};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Range;

/// Bytes of a page of the store, and what no burst may cross a multiple of.
const PAGE: u64 = 4096;

/// Bytes by address; those that nobody has written are anything.
#[derive(Clone, Debug, Default)]
pub struct Store {
    pages: BTreeMap<u64, Vec<u8>>,
    seed: u64,
    /// Where arrays are.
    pub arrays: Vec<Range<u64>>,
}

impl Store {
    /// Without arrays.
    pub fn new(seed: u64) -> Store {
        Store {
            seed,
            ..Store::default()
        }
    }
    fn page(&mut self, address: u64) -> &mut Vec<u8> {
        let (number, seed) = (address / PAGE, self.seed);
        self.pages.entry(number).or_insert_with(|| {
            let mut rng = Rng::at(seed, number);
            (0..PAGE).map(|_| rng.next() as u8).collect()
        })
    }
    /// The byte at an address.
    pub fn get(&mut self, address: u64) -> u8 {
        self.page(address)[(address % PAGE) as usize]
    }
    /// Writes a byte.
    pub fn set(&mut self, address: u64, byte: u8) {
        self.page(address)[(address % PAGE) as usize] = byte;
    }
    fn holds(&self, bytes: Range<u64>) -> bool {
        let meets = |array: &Range<u64>| array.start < bytes.end && bytes.start < array.end;
        self.arrays.iter().any(meets)
    }
}

/// What the memory saw of one direction.
#[derive(Clone, Debug, Default)]
struct Seen {
    /// In all invocations but the last.
    before: Moved,
    /// In the last one.
    beats: u64,
    /// First cycle with an address, last one with a beat or a response.
    span: Option<(u64, u64)>,
    /// Bursts under way.
    under_way: u32,
}

impl Seen {
    fn note(&mut self, now: u64) {
        let first = self.span.map_or(now, |(first, _)| first);
        self.span = Some((first, now));
    }

    fn moved(&self) -> Moved {
        let cycles = self.span.map_or(0, |(first, last)| last - first + 1);
        Moved {
            beats: self.before.beats + self.beats,
            cycles: self.before.cycles + cycles,
        }
    }

    /// Another invocation begins.
    fn begin(&mut self) {
        let under_way = self.under_way;
        *self = Seen {
            before: self.moved(),
            under_way,
            ..Seen::default()
        };
    }
}

/// The memory's side of a master.
pub struct Memory {
    name: String,
    bytes: u64,
    limits: [u32; 2],
    most_burst: u64,
    ar: Option<OutOf>,
    r: Option<Into>,
    aw: Option<OutOf>,
    w: Option<OutOf>,
    b: Option<Into>,
    /// Bursts whose beats have not all come.
    addresses: VecDeque<(u64, u64)>,
    beats: VecDeque<Payload>,
    latency: u64,
    /// Every so many bursts an error is answered; 0: never.
    pub errors: u64,
    bursts: u64,
    reads: Seen,
    writes: Seen,
}

impl Memory {
    /// `None`: the manifest names ports that the module lacks.
    pub fn new(master: &Master, all: &HashMap<String, Pin>) -> Option<Memory> {
        let pins = |names: &[&str]| pins_of(all, &master.ports, names);
        let reads = master.ports.contains_key("arvalid");
        let writes = master.ports.contains_key("awvalid");
        let out =
            |signal: &str, pins: Vec<Pin>| OutOf::new(format!("{} {signal}", master.bundle), &pins);
        Some(Memory {
            name: master.bundle.clone(),
            bytes: u64::from(master.data_width / 8),
            limits: [master.outstanding.read, master.outstanding.write],
            most_burst: master.max_burst.into(),
            ar: match reads {
                true => Some(out(
                    "AR",
                    pins(&["arvalid", "arready", "araddr", "arlen", "arsize", "arburst"])?,
                )),
                false => None,
            },
            r: match reads {
                true => Some(Into::new(&pins(&[
                    "rvalid", "rready", "rdata", "rresp", "rlast",
                ])?)),
                false => None,
            },
            aw: match writes {
                true => Some(out(
                    "AW",
                    pins(&["awvalid", "awready", "awaddr", "awlen", "awsize", "awburst"])?,
                )),
                false => None,
            },
            w: match writes {
                true => Some(out(
                    "W",
                    pins(&["wvalid", "wready", "wdata", "wstrb", "wlast"])?,
                )),
                false => None,
            },
            b: match writes {
                true => Some(Into::new(&pins(&["bvalid", "bready", "bresp"])?)),
                false => None,
            },
            addresses: VecDeque::new(),
            beats: VecDeque::new(),
            latency: 0,
            errors: 0,
            bursts: 0,
            reads: Seen::default(),
            writes: Seen::default(),
        })
    }

    /// Nothing is under way; another pace. Without `rng`: no pauses, and a latency of a few cycles.
    pub fn restart(&mut self, rng: Option<&mut Rng>) {
        self.addresses.clear();
        self.beats.clear();
        self.reads = Seen::default();
        self.writes = Seen::default();
        let mut none = Rng::new(0);
        let paused = rng.is_some();
        let rng = rng.unwrap_or(&mut none);
        self.latency = if paused { rng.pick(&[0, 3, 20]) } else { 8 };
        let mut pace = || if paused { Pace::draw(rng) } else { Pace(0) };
        for channel in [&mut self.ar, &mut self.aw, &mut self.w]
            .into_iter()
            .flatten()
        {
            channel.clear();
            channel.pace = pace();
        }
        for channel in [&mut self.r, &mut self.b].into_iter().flatten() {
            channel.clear();
            channel.pace = pace();
        }
    }

    /// Another invocation begins.
    pub fn begin(&mut self) {
        self.reads.begin();
        self.writes.begin();
    }

    /// What was moved in a run.
    pub fn traffic(&self) -> Traffic {
        Traffic {
            bundle: self.name.clone(),
            reads: self.reads.moved(),
            writes: self.writes.moved(),
        }
    }

    /// Drives the cycle.
    pub fn drive(&mut self, pins: &mut dyn Pins, now: u64, rng: &mut Rng) {
        for channel in [&mut self.ar, &mut self.aw, &mut self.w]
            .into_iter()
            .flatten()
        {
            channel.drive(pins, true, rng);
        }
        for channel in [&mut self.r, &mut self.b].into_iter().flatten() {
            channel.drive(pins, now, rng);
        }
    }

    /// Channels that offer something.
    pub fn offered(&self, pins: &mut dyn Pins) -> Option<String> {
        let channels = [&self.ar, &self.aw, &self.w].into_iter().flatten();
        let mut offered = channels.filter(|channel| channel.is_offered(pins));
        offered.next().map(|channel| channel.name().to_string())
    }

    /// What happened in the cycle.
    pub fn after(
        &mut self,
        pins: &mut dyn Pins,
        now: u64,
        store: &mut Store,
    ) -> Result<(), String> {
        self.after_reads(pins, now, store)?;
        self.after_writes(pins, now, store)
    }

    fn after_reads(
        &mut self,
        pins: &mut dyn Pins,
        now: u64,
        store: &mut Store,
    ) -> Result<(), String> {
        let (Some(ar), Some(r)) = (&mut self.ar, &mut self.r) else {
            return Ok(());
        };
        if let Some(beat) = r.after(pins) {
            self.reads.note(now);
            self.reads.beats += 1;
            self.reads.under_way -= beat[2][0] as u32;
        }
        let Some(payload) = ar.after(pins)? else {
            return Ok(());
        };
        self.reads.note(now);
        self.reads.under_way += 1;
        let (address, length) = self.burst(&payload, "AR")?;
        if self.reads.under_way > self.limits[0] {
            return Err(format!(
                "{}: more reads under way than {}",
                self.name, self.limits[0]
            ));
        }
        let fails = self.fails();
        for beat in 0..length {
            let from = address + beat * self.bytes;
            if !store.holds(from..from + self.bytes) {
                return Err(format!(
                    "{}: {from:#x} is read, where no array is",
                    self.name
                ));
            }
            let mut words = vec![0u64; self.bytes.div_ceil(8) as usize];
            for byte in 0..self.bytes {
                words[(byte / 8) as usize] |= u64::from(store.get(from + byte)) << (8 * (byte % 8));
            }
            let last = u64::from(beat + 1 == length);
            let resp = if fails { 2 } else { 0 };
            if let Some(r) = &mut self.r {
                r.queue
                    .push_back((now + 1 + self.latency, vec![words, vec![resp], vec![last]]));
            }
        }
        Ok(())
    }

    fn after_writes(
        &mut self,
        pins: &mut dyn Pins,
        now: u64,
        store: &mut Store,
    ) -> Result<(), String> {
        let (Some(aw), Some(w), Some(b)) = (&mut self.aw, &mut self.w, &mut self.b) else {
            return Ok(());
        };
        if b.after(pins).is_some() {
            self.writes.note(now);
            self.writes.under_way -= 1;
        }
        let (address, beat) = (aw.after(pins)?, w.after(pins)?);
        if let Some(payload) = address {
            self.writes.note(now);
            self.writes.under_way += 1;
            let burst = self.burst(&payload, "AW")?;
            self.addresses.push_back(burst);
            if self.writes.under_way > self.limits[1] {
                return Err(format!(
                    "{}: more writes under way than {}",
                    self.name, self.limits[1]
                ));
            }
        }
        if let Some(beat) = beat {
            self.writes.beats += 1;
            self.writes.note(now);
            self.beats.push_back(beat);
        }
        self.take_bursts(now, store)
    }

    /// Writes the bursts of which all beats have come.
    fn take_bursts(&mut self, now: u64, store: &mut Store) -> Result<(), String> {
        while let Some(&(address, length)) = self.addresses.front() {
            let ends = self
                .beats
                .iter()
                .take(length as usize)
                .map(|beat| beat[2][0] == 1);
            for (number, last) in (1..).zip(ends) {
                if last != (number == length) {
                    return Err(format!("{}: WLAST at beat {number} of {length}", self.name));
                }
            }
            if (self.beats.len() as u64) < length {
                return Ok(());
            }
            self.addresses.pop_front();
            let fails = self.fails();
            for beat in 0..length {
                let Some(payload) = self.beats.pop_front() else {
                    break;
                };
                self.write(address + beat * self.bytes, &payload, fails, store)?;
            }
            let resp = if fails { 3 } else { 0 };
            if let Some(b) = &mut self.b {
                b.queue
                    .push_back((now + 1 + self.latency, vec![vec![resp]]));
            }
        }
        Ok(())
    }

    fn write(
        &self,
        address: u64,
        payload: &Payload,
        fails: bool,
        store: &mut Store,
    ) -> Result<(), String> {
        for byte in 0..self.bytes {
            let part =
                |words: &[u64], unit: u64| words[(byte * unit / 64) as usize] >> (byte * unit % 64);
            if part(&payload[1], 1) & 1 == 0 {
                continue;
            }
            let at = address + byte;
            if !store.holds(at..at + 1) {
                return Err(format!(
                    "{}: {at:#x} is written, where no array is",
                    self.name
                ));
            }
            if !fails {
                store.set(at, part(&payload[0], 8) as u8);
            }
        }
        Ok(())
    }

    fn fails(&mut self) -> bool {
        self.bursts += 1;
        self.errors > 0 && self.bursts.is_multiple_of(self.errors)
    }

    /// Address and beats of a burst.
    fn burst(&self, payload: &Payload, channel: &str) -> Result<(u64, u64), String> {
        let [address, length, size, kind] = [0, 1, 2, 3].map(|field| payload[field][0]);
        let wrong = |what: &str| {
            Err(format!(
                "{} {channel}: {what} ({address:#x}, {length})",
                self.name
            ))
        };
        if 1 << size != self.bytes || kind != 1 {
            return wrong("no increments of whole beats");
        }
        if address % self.bytes != 0 {
            return wrong("an unaligned address");
        }
        let end = address + length * self.bytes;
        if address / PAGE != end / PAGE {
            return wrong("a burst across 4 KiB");
        }
        match length < self.most_burst {
            true => Ok((address, length + 1)),
            false => wrong("a burst that is too long"),
        }
    }
}
