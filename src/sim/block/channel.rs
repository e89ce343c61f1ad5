//! Channels with valid and ready, from both sides, and what the protocol demands of the module at them.

use super::pins::{Pin, Pins};
use crate::sim::draw::Rng;
use std::collections::{HashMap, VecDeque};

/// A value of each signal of a channel, in words.
pub type Payload = Vec<Vec<u64>>;

/// How often a side pauses: never, or in so many of 8 cycles.
#[derive(Clone, Copy, Debug)]
pub struct Pace(pub u64);

impl Pace {
    /// One of those that are worth a test.
    pub fn draw(rng: &mut Rng) -> Pace {
        Pace(rng.pick(&[0, 0, 1, 4, 7]))
    }
    fn pauses(self, rng: &mut Rng) -> bool {
        self.0 > 0 && rng.below(8) < self.0
    }
}

/// A channel into the module.
pub struct Into {
    valid: Pin,
    ready: Pin,
    payload: Vec<Pin>,
    /// What is to be sent, each with the first cycle in which it may.
    pub queue: VecDeque<(u64, Payload)>,
    offers: bool,
    pub pace: Pace,
}

/// A channel out of the module.
pub struct OutOf {
    name: String,
    valid: Pin,
    ready: Pin,
    payload: Vec<Pin>,
    accepts: bool,
    /// What was offered and not taken.
    waiting: Option<Payload>,
    pub pace: Pace,
}

/// The pins of signals by the names of AXI, if all are there.
pub fn pins_of(
    all: &HashMap<String, Pin>,
    ports: &std::collections::BTreeMap<String, String>,
    names: &[&str],
) -> Option<Vec<Pin>> {
    let pins = names.iter().map(|name| all.get(ports.get(*name)?).copied());
    pins.collect()
}

fn bit(pins: &mut dyn Pins, pin: Pin) -> bool {
    pins.read(pin).first().is_some_and(|word| *word & 1 == 1)
}

impl Into {
    /// Pins: valid, ready, payload.
    pub fn new(pins: &[Pin]) -> Into {
        Into {
            valid: pins[0],
            ready: pins[1],
            payload: pins[2..].to_vec(),
            queue: VecDeque::new(),
            offers: false,
            pace: Pace(0),
        }
    }

    /// Nothing is on its way any more.
    pub fn clear(&mut self) {
        self.queue.clear();
        self.offers = false;
    }

    /// Drives the cycle; what is offered stays offered, and where nothing is, the payload is anything.
    pub fn drive(&mut self, pins: &mut dyn Pins, now: u64, rng: &mut Rng) {
        let due = self.queue.front().is_some_and(|(from, _)| *from <= now);
        self.offers = self.offers || (due && !self.pace.pauses(rng));
        pins.drive(self.valid, &[u64::from(self.offers)]);
        for (number, pin) in self.payload.iter().enumerate() {
            match self.queue.front().filter(|_| self.offers) {
                Some((_, payload)) => pins.drive(*pin, &payload[number]),
                None => pins.drive(*pin, &garbage(rng, pin.width)),
            }
        }
    }

    /// What was transferred in this cycle.
    pub fn after(&mut self, pins: &mut dyn Pins) -> Option<Payload> {
        if !self.offers || !bit(pins, self.ready) {
            return None;
        }
        self.offers = false;
        self.queue.pop_front().map(|(_, payload)| payload)
    }
}

impl OutOf {
    /// Pins: valid, ready, payload.
    pub fn new(name: String, pins: &[Pin]) -> OutOf {
        OutOf {
            name,
            valid: pins[0],
            ready: pins[1],
            payload: pins[2..].to_vec(),
            accepts: false,
            waiting: None,
            pace: Pace(0),
        }
    }

    /// Nothing is on its way any more.
    pub fn clear(&mut self) {
        self.waiting = None;
    }

    /// Drives the cycle; `open`: something may be accepted.
    pub fn drive(&mut self, pins: &mut dyn Pins, open: bool, rng: &mut Rng) {
        self.accepts = open && !self.pace.pauses(rng);
        pins.drive(self.ready, &[u64::from(self.accepts)]);
    }

    /// What was transferred in this cycle, or how the protocol was broken.
    pub fn after(&mut self, pins: &mut dyn Pins) -> Result<Option<Payload>, String> {
        let valid = bit(pins, self.valid);
        let before = self.waiting.take();
        if !valid {
            return match before {
                Some(_) => Err(format!("{}: valid fell before ready", self.name)),
                None => Ok(None),
            };
        }
        let payload: Payload = self.payload.iter().map(|pin| pins.read(*pin)).collect();
        if before.is_some_and(|before| before != payload) {
            return Err(format!("{}: the payload changed before ready", self.name));
        }
        if self.accepts {
            return Ok(Some(payload));
        }
        self.waiting = Some(payload);
        Ok(None)
    }

    /// Whether something is offered; a module in reset must not.
    pub fn is_offered(&self, pins: &mut dyn Pins) -> bool {
        bit(pins, self.valid)
    }

    /// For messages.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Anything.
pub fn garbage(rng: &mut Rng, width: u32) -> Vec<u64> {
    let mut words: Vec<u64> = (0..width.div_ceil(64)).map(|_| rng.next()).collect();
    if let (Some(last), true) = (words.last_mut(), !width.is_multiple_of(64)) {
        *last &= (1 << (width % 64)) - 1;
    }
    words
}
