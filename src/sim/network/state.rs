//! What a network holds while it runs: the queues of its streams, what its processes left and wait for, and why it ends.

use super::replay::Traces;
use crate::diagnostics::Span;
use crate::ir::{Arg, ArrayId, Param, ResultSlot, ValueId};
use crate::sim::elements::{Elements, Invocation, State as Kept};
use crate::sim::outcome::{Left, Outcome, RunError};
use crate::sim::value::{MOST_TRANSFERS, Signature, Slot, Value};
use crate::transform::network::Network;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What a process waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Those before it.
    Turn,
    /// An element of a stream.
    Element(ArrayId, Span),
    /// Room in a stream.
    Room(ArrayId, Span),
    /// Until nobody else can go on, to ask what depends on timing.
    Calm,
}

/// A stream while the network runs.
pub struct Channel {
    name: String,
    depth: u64,
    /// A queue for each process that gets from it.
    queues: BTreeMap<usize, VecDeque<Value>>,
    /// Elements that were put where no process gets any.
    unwanted: usize,
    /// Who puts into it.
    producer: Option<usize>,
    /// What is outside, where it is a parameter: elements, and how many of them have been transferred.
    outside: Option<Outside>,
}

struct Outside {
    elements: Elements,
    cursor: usize,
    /// Elements that there are; for what is put, that there is room for.
    offered: usize,
}

impl Outside {
    /// Says of which streams there is no more: what ends is what was given, or what a run can transfer at all.
    fn limit(&self, otherwise: &str) -> String {
        match self.offered as u64 >= MOST_TRANSFERS {
            true => format!(
                " of the top kernel, of which a run transfers {MOST_TRANSFERS} elements at most"
            ),
            false => format!(" of the top kernel, {otherwise}"),
        }
    }
}

/// Who waits.
pub struct Waits {
    /// For each process what it waits for.
    of: Vec<Option<Wait>>,
    /// Those that may go on, each once.
    pub ready: VecDeque<usize>,
}

impl Waits {
    /// A process may go on if what it waits for is a transfer of this stream.
    fn wake(&mut self, process: usize, stream: ArrayId) {
        if let Some(Wait::Element(of, _) | Wait::Room(of, _)) = self.of[process]
            && of == stream
        {
            self.go_on(process);
        }
    }

    fn go_on(&mut self, process: usize) {
        self.of[process] = None;
        self.ready.push_back(process);
    }
}

pub struct State {
    pub channels: BTreeMap<ArrayId, Channel>,
    arrays: BTreeMap<ArrayId, Elements>,
    /// What was made of arrays that several may access at the same time, by those who did: who comes behind some of them finds
    /// what these wrote, the last of them last, and nothing of others.
    layers: BTreeMap<ArrayId, BTreeMap<usize, Elements>>,
    pub values: BTreeMap<ValueId, Value>,
    /// What processes find that the invocation before left.
    pub kept: Kept,
    done: Vec<bool>,
    pub waits: Waits,
    /// How often each process asked what depends on timing.
    asked: Vec<u64>,
    /// Whose turn it is to ask.
    turn: Option<usize>,
    /// What each process is told when it asks, if that is known.
    pub timed: Option<Vec<VecDeque<bool>>>,
    /// What was transferred.
    pub traces: Traces,
    /// Why nobody goes on.
    pub stopped: Option<Ended>,
    pub outcome: Outcome,
}

/// Why an invocation does not end as it should.
pub enum Ended {
    Deadlock(Vec<(Span, String)>, Vec<ArrayId>),
    Unspecified(Span),
    Error(RunError),
}

impl State {
    /// As an invocation begins: `room` is how many elements the queues of each stream have room for.
    pub fn new(
        network: &Network,
        behind: &[BTreeSet<usize>],
        invocation: &Invocation,
        traces: Traces,
        room: impl Fn(ArrayId) -> u64,
    ) -> State {
        let count = network.processes.len();
        let mut state = State {
            channels: BTreeMap::new(),
            arrays: BTreeMap::new(),
            layers: contested(network, behind),
            values: BTreeMap::new(),
            kept: invocation.state.clone(),
            done: vec![false; count],
            waits: Waits {
                of: vec![None; count],
                ready: (0..count).collect(),
            },
            asked: vec![0; count],
            turn: None,
            timed: timed(network, invocation),
            traces,
            stopped: None,
            outcome: Outcome::default(),
        };
        state.load(network, invocation, room);
        state
    }

    fn load(&mut self, network: &Network, invocation: &Invocation, room: impl Fn(ArrayId) -> u64) {
        let mut outside = BTreeMap::new();
        let kernel = &network.kernel;
        for (number, (param, elements)) in kernel.params.iter().zip(&invocation.args).enumerate() {
            match param {
                Param::Scalar(value) => _ = self.values.insert(*value, elements.get(0)),
                Param::Array(id) if kernel.arrays[*id].stream.is_some() => {
                    let (cursor, offered) = invocation.cursor(number, elements.len());
                    let elements = elements.clone();
                    outside.insert(
                        *id,
                        Outside {
                            elements,
                            cursor,
                            offered,
                        },
                    );
                }
                Param::Array(id) => _ = self.arrays.insert(*id, elements.clone()),
            }
        }
        for (id, array) in kernel.arrays.iter() {
            if array.stream.is_none() {
                self.arrays
                    .entry(id)
                    .or_insert_with(|| Elements::unspecified(array.elem, array.len() as usize));
            }
        }
        for (id, users) in network.users() {
            let array = &kernel.arrays[id];
            let tokens = array.stream.iter().flat_map(|stream| &stream.tokens);
            let tokens: VecDeque<Value> = tokens
                .map(|token| Value::from_const(array.elem, token))
                .collect();
            let queues = users
                .consumers
                .iter()
                .map(|&process| (process, tokens.clone()));
            let channel = Channel {
                name: array.name.clone(),
                depth: match &self.timed {
                    // What is known to have been put had room.
                    Some(_) => u64::MAX,
                    None => room(id),
                },
                queues: queues.collect(),
                unwanted: 0,
                producer: users.producer,
                outside: outside.remove(&id),
            };
            self.channels.insert(id, channel);
        }
    }

    /// What the run leaves behind.
    pub fn leave(
        mut self,
        network: &Network,
        signature: &Signature,
        invocation: &Invocation,
    ) -> (Option<Ended>, Outcome) {
        let mut outcome = std::mem::take(&mut self.outcome);
        outcome.unasked = self.timed.iter().flatten().map(VecDeque::len).sum();
        let kernel = &network.kernel;
        let ended = self.stopped.is_none();
        for (id, channel) in &self.channels {
            let count = channel
                .queues
                .values()
                .map(VecDeque::len)
                .max()
                .unwrap_or(channel.unwanted);
            if count > 0 && channel.outside.is_none() {
                outcome.left.push(Left {
                    span: kernel.arrays[*id].span,
                    stream: channel.name.clone(),
                    count,
                });
            }
        }
        let unknown = |slot: &Slot| Elements::unspecified(slot.ty, slot.len());
        for (number, (param, slot)) in kernel.params.iter().zip(&signature.params).enumerate() {
            let left = match param {
                Param::Scalar(_) => Some(invocation.args[number].clone()),
                Param::Array(id) => {
                    match self.channels.remove(id).and_then(|channel| channel.outside) {
                        Some(outside) => {
                            outcome.cursors.insert(number, outside.cursor);
                            Some(outside.elements)
                        }
                        None => self.take_array(*id).filter(|_| ended),
                    }
                }
            };
            outcome.params.push(left.unwrap_or_else(|| unknown(slot)));
        }
        let mut yields = kernel.body.yields.iter();
        for (result, slot) in kernel.results.iter().zip(&signature.results) {
            let left = match result {
                ResultSlot::Array(id) => self.take_array(*id),
                ResultSlot::Scalar(ty) => {
                    let value = yields.next().and_then(|value| self.values.get(value));
                    value.map(|value| Elements::one(*ty, value.clone()))
                }
            };
            outcome
                .results
                .push(left.filter(|_| ended).unwrap_or_else(|| unknown(slot)));
        }
        (self.stopped, outcome)
    }

    /// An array as a process finds it behind others.
    pub fn array(&self, id: ArrayId, behind: &BTreeSet<usize>) -> Elements {
        let array = self.arrays[&id].clone();
        let Some(layers) = self.layers.get(&id) else {
            return array;
        };
        let layers = layers.iter();
        let layers = layers.filter(|(process, _)| behind.contains(process));
        overlaid(array, layers.map(|(_, layer)| layer)).unwritten()
    }

    /// An array as all leave it.
    fn take_array(&mut self, id: ArrayId) -> Option<Elements> {
        let array = self.arrays.remove(&id)?;
        let layers = self.layers.remove(&id).unwrap_or_default();
        Some(overlaid(array, layers.values()))
    }

    /// What a process made of an array.
    pub fn hand_back(&mut self, id: ArrayId, process: usize, made: Elements) {
        match self.layers.get_mut(&id) {
            Some(layers) => _ = layers.insert(process, made),
            None => _ = self.arrays.insert(id, made),
        }
    }

    /// The oldest element of a stream, for a process that can have one.
    pub fn get(&mut self, process: usize, stream: ArrayId) -> Option<Value> {
        let channel = self.channels.get_mut(&stream)?;
        self.traces.note(process, stream, false);
        let element = channel.next(process)?;
        // There is room again, and, of a stream from outside, an element for others.
        let consumers = channel.queues.keys().filter(|_| channel.outside.is_some());
        for &other in channel.producer.iter().chain(consumers) {
            self.waits.wake(other, stream);
        }
        Some(element)
    }

    /// Adds an element to a stream that has room.
    pub fn put(&mut self, process: usize, stream: ArrayId, value: Value, span: Span) {
        let Some(channel) = self.channels.get_mut(&stream) else {
            return;
        };
        self.traces.note(process, stream, true);
        if let Some(outside) = &mut channel.outside {
            outside.elements.set(outside.cursor, value, Some(span));
            outside.cursor += 1;
            return;
        }
        channel.unwanted += usize::from(channel.queues.is_empty());
        for (consumer, queue) in &mut channel.queues {
            queue.push_back(value.clone());
            self.waits.wake(*consumer, stream);
        }
    }

    /// Stops the network, if it has not been stopped.
    pub fn stop(&mut self, why: Ended) {
        self.stopped.get_or_insert(why);
    }

    /// A process has come to its end, for which others wait.
    pub fn end(&mut self, process: usize) {
        self.done[process] = true;
        for other in self.open() {
            if self.waits.of[other] == Some(Wait::Turn) {
                self.waits.go_on(other);
            }
        }
    }

    /// The processes that have not come to their end.
    fn open(&self) -> Vec<usize> {
        (0..self.done.len())
            .filter(|&one| !self.done[one])
            .collect()
    }

    /// Where no process is ready: of those that wait for calm, the one that asked least often goes on, so that what is asked
    /// gives the same in each run. If none does, the network is stopped, and all go on to their ends.
    pub fn go_on(&mut self, network: &Network) {
        let open = self.open();
        let calm = open.iter().copied();
        let calm = calm.filter(|&process| self.waits.of[process] == Some(Wait::Calm));
        match calm.min_by_key(|&process| self.asked[process]) {
            Some(next) if self.stopped.is_none() => {
                self.asked[next] += 1;
                self.turn = Some(next);
                self.waits.go_on(next);
            }
            _ => {
                if self.stopped.is_none() {
                    self.stopped = Some(self.deadlock(network));
                }
                open.into_iter()
                    .for_each(|process| self.waits.go_on(process));
            }
        }
    }

    /// What each process waits for, and which streams are full.
    fn deadlock(&self, network: &Network) -> Ended {
        let mut waits = Vec::new();
        let mut full = Vec::new();
        for process in self.open() {
            let name = &network.processes[process].kernel().name;
            match self.waits.of[process] {
                Some(Wait::Element(stream, span)) => {
                    let channel = &self.channels[&stream];
                    let from = match &channel.outside {
                        Some(_) if channel.is_offered() => {
                            full.push(stream);
                            " of the top kernel, for which another process has no room".into()
                        }
                        Some(outside) => outside.limit("which is offered no more"),
                        None => String::new(),
                    };
                    waits.push((
                        span,
                        format!("'{name}' waits for an element of '{}'{from}", channel.name),
                    ));
                }
                Some(Wait::Room(stream, span)) => {
                    let channel = &self.channels[&stream];
                    let of = match &channel.outside {
                        Some(outside) => outside.limit("which takes no more"),
                        None => {
                            full.push(stream);
                            String::new()
                        }
                    };
                    waits.push((
                        span,
                        format!("'{name}' waits for room in '{}'{of}", channel.name),
                    ));
                }
                Some(Wait::Turn | Wait::Calm) | None => {}
            }
        }
        Ended::Deadlock(waits, full)
    }

    /// Whether a process can go on with what it waits for; else it waits.
    pub fn begin_to_wait(&mut self, network: &Network, process: usize, wait: Wait) -> bool {
        let can = match wait {
            Wait::Turn => {
                let mut after = network.processes[process].after.iter();
                after.all(|&other| self.done[other])
            }
            Wait::Element(stream, _) => self.channels[&stream].has_element(process),
            Wait::Room(stream, _) => self.channels[&stream].has_room(),
            Wait::Calm => self.turn == Some(process),
        };
        self.waits.of[process] = (!can).then_some(wait);
        if can && wait == Wait::Calm {
            self.turn = None;
        }
        can
    }
}

impl Channel {
    pub fn has_element(&self, process: usize) -> bool {
        let queue = self.queues.get(&process);
        queue.is_some_and(|queue| !queue.is_empty())
            || self.is_offered()
                && self
                    .others(process)
                    .all(|queue| (queue.len() as u64) < self.depth)
    }

    /// Whether there is an element outside.
    fn is_offered(&self) -> bool {
        let outside = self.outside.as_ref();
        outside.is_some_and(|outside| outside.cursor < outside.offered)
    }

    /// The queues of those that get from it beside one.
    fn others(&self, process: usize) -> impl Iterator<Item = &VecDeque<Value>> {
        let queues = self.queues.iter();
        queues
            .filter(move |(one, _)| **one != process)
            .map(|(_, queue)| queue)
    }

    /// The oldest element for a process. Those that are outside are taken by the first process that needs them, and wait for the others
    /// in their queues.
    fn next(&mut self, process: usize) -> Option<Value> {
        if let Some(element) = self.queues.get_mut(&process).and_then(VecDeque::pop_front) {
            return Some(element);
        }
        let outside = self.outside.as_mut()?;
        outside.cursor += 1;
        let element = outside.elements.read(outside.cursor - 1);
        for (other, queue) in &mut self.queues {
            if *other != process {
                queue.push_back(element.clone());
            }
        }
        Some(element)
    }

    pub fn has_room(&self) -> bool {
        match &self.outside {
            Some(outside) => outside.cursor < outside.offered,
            None => self
                .queues
                .values()
                .all(|queue| (queue.len() as u64) < self.depth),
        }
    }
}

fn overlaid<'e>(mut array: Elements, layers: impl Iterator<Item = &'e Elements>) -> Elements {
    layers.for_each(|layer| array.overlay(layer));
    array
}

/// The arrays that a process may write while another one accesses them, as the workers of a grid do.
fn contested(
    network: &Network,
    behind: &[BTreeSet<usize>],
) -> BTreeMap<ArrayId, BTreeMap<usize, Elements>> {
    let mut users: BTreeMap<ArrayId, Vec<usize>> = BTreeMap::new();
    for (number, process) in network.processes.iter().enumerate() {
        for arg in &process.args {
            if let Arg::Array(id) = arg {
                users.entry(*id).or_default().push(number);
            }
        }
    }
    users.retain(|id, users| {
        let is_memory = network.kernel.arrays[*id].stream.is_none();
        let writes = |user: &&usize| network.processes[**user].written.contains(id);
        let mut writers = users.iter().filter(writes);
        is_memory
            && writers.any(|writer| {
                let is_apart = |user: &usize| {
                    user == writer
                        || behind[*user].contains(writer)
                        || behind[*writer].contains(user)
                };
                !users.iter().all(is_apart)
            })
    });
    let none = |id| (id, BTreeMap::new());
    users.into_keys().map(none).collect()
}

/// What each process is told when it asks what depends on timing.
fn timed(network: &Network, invocation: &Invocation) -> Option<Vec<VecDeque<bool>>> {
    let mut known = invocation.timed.as_ref()?.iter();
    let each = network.processes.iter().map(|process| {
        let outcomes = process.is_timed().then(|| known.next()).flatten();
        outcomes.into_iter().flatten().copied().collect()
    });
    Some(each.collect())
}
