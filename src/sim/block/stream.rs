//! Sources and sinks of streams, and of arrays as frames.

use super::channel::{Into, OutOf, Pace, pins_of};
use super::pins::{Pin, Pins};
use crate::rtl::interface::manifest::Flow;
use crate::sim::draw::Rng;
use crate::sim::elements::Elements;
use crate::sim::value::Value;
use num_bigint::BigUint;
use std::collections::{BTreeMap, HashMap};

/// A stream, or an array as one.
pub(super) struct Stream {
    /// Name of the argument.
    pub(super) name: String,
    flow: Flow,
    pub(super) source: Option<Into>,
    pub(super) sink: Option<OutOf>,
    /// Whether it has an end of frames.
    has_last: bool,
    /// Transfers so far.
    pub(super) moved: u64,
    /// Elements that an invocation moves, where nothing else says that it is done.
    pub(super) wanted: Option<usize>,
    pub(super) taken: Vec<Taken>,
}

/// What a sink has taken.
pub(super) struct Taken {
    pub(super) words: Vec<u64>,
    /// Whether it is more than a gap.
    kept: bool,
    pub(super) last: bool,
}

impl Stream {
    pub(super) fn new(
        name: &str,
        flow: Flow,
        ports: &BTreeMap<String, String>,
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
            wanted: None,
            taken: Vec::new(),
        })
    }

    pub(super) fn clear(&mut self, pace: Pace) {
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
    pub(super) fn send(&mut self, frame: &[u64], now: u64) {
        let all: Vec<Vec<u64>> = frame.iter().map(|word| vec![*word]).collect();
        self.send_words(&all, now, 1);
    }

    pub(super) fn send_words(&mut self, frame: &[Vec<u64>], now: u64, bytes: u32) {
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

    pub(super) fn drive(&mut self, pins: &mut dyn Pins, now: u64, rng: &mut Rng) {
        if let Some(source) = &mut self.source {
            source.drive(pins, now, rng);
        }
        if let Some(sink) = &mut self.sink {
            sink.drive(pins, true, rng);
        }
    }

    pub(super) fn after(&mut self, pins: &mut dyn Pins) -> std::result::Result<(), String> {
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

    /// Whether all that is wanted was moved.
    pub(super) fn has_ended(&self) -> bool {
        match &self.source {
            Some(source) => self.wanted.is_none() || source.queue.is_empty(),
            None => self.wanted.is_some_and(|wanted| self.taken.len() >= wanted),
        }
    }

    /// Moves what was taken to its elements.
    pub(super) fn collect(&mut self, elements: &mut Elements) -> std::result::Result<(), String> {
        if self.flow == Flow::In {
            return Ok(());
        }
        let count = match (self.has_last, self.wanted) {
            // The block may have begun with the next invocation.
            (false, Some(wanted)) => wanted.min(self.taken.len()),
            _ => self.taken.len(),
        };
        if self.has_last && count != elements.len() {
            return Err(format!("a frame of {} has {count} elements", self.name));
        }
        let first = if self.has_last { 0 } else { self.moved };
        for (number, taken) in (0..).zip(self.taken.drain(..count)) {
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

/// So many ones, in words.
pub(super) fn ones(count: u32) -> Vec<u64> {
    let mut words = vec![u64::MAX; count.div_ceil(64) as usize];
    if let (Some(last), false) = (words.last_mut(), count.is_multiple_of(64)) {
        *last = (1 << (count % 64)) - 1;
    }
    words
}

pub(super) fn words_of(pattern: &BigUint, bits: u32) -> Vec<u64> {
    let mut words = pattern.to_u64_digits();
    words.resize(bits.div_ceil(64) as usize, 0);
    words
}
