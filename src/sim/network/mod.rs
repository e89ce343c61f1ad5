//! The reference of a network: each process interpreted in a thread of its own, with queues between them (Kahn, The semantics
//! of a simple language for parallel programming, IFIP 1974). What comes out does not depend on which of them runs when, nor on how
//! long the queues are: they are made long, since to go from one process to another takes longer than what is computed of an
//! element, and whether the network ends with those that were asked for is found by replaying its transfers. Where no process
//! waits for one behind it, they are run one after the other, without threads.

mod replay;

use crate::diagnostics::Span;
use crate::ir::{Arg, ArrayId, Attempt, Param, ValueId};
use crate::rtl::order::topological;
use crate::sim::deadlock::Deadlock;
use crate::sim::elements::{Elements, Invocation, State as Kept};
use crate::sim::interpreter::{Actual, Machine, Stop, Streams};
use crate::sim::outcome::{Left, Options, Outcome, RunError};
use crate::sim::value::{MOST_TRANSFERS, Signature, Slot, Value};
use crate::transform::network::{Network, Process};
use replay::{Queues, Traces, replay};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Stack of the thread of a process.
const STACK: usize = 4 << 20;

/// Times that a queue is made longer to see whether the network ends then.
const MOST_TRIES: usize = 64;

/// Elements that a queue has room for at least, where its depth decides nothing; and where those that get begin when all has been
/// put.
const LONG: u64 = 1 << 12;
const WHOLE: u64 = 1 << 18;

/// What a process waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
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
struct Channel {
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

struct State {
    channels: BTreeMap<ArrayId, Channel>,
    arrays: BTreeMap<ArrayId, Elements>,
    /// What was made of arrays that several may access at the same time, by those who did: who comes behind some of them finds
    /// what these wrote, the last of them last, and nothing of others.
    layers: BTreeMap<ArrayId, BTreeMap<usize, Elements>>,
    values: BTreeMap<ValueId, Value>,
    /// What processes find that the invocation before left.
    kept: Kept,
    done: Vec<bool>,
    waits: Vec<Option<Wait>>,
    /// Those that may go on for what was put or got since, but have not been woken.
    to_wake: BTreeSet<usize>,
    /// How often each process asked what depends on timing.
    asked: Vec<u64>,
    /// Whose turn it is to ask.
    turn: Option<usize>,
    /// What each process is told when it asks, if that is known.
    timed: Option<Vec<VecDeque<bool>>>,
    /// What was transferred.
    traces: Traces,
    /// Why nobody goes on.
    stopped: Option<Ended>,
    outcome: Outcome,
}

/// Why an invocation does not end as it should.
enum Ended {
    Deadlock(Vec<(Span, String)>, Vec<ArrayId>),
    Unspecified(Span),
    Error(RunError),
}

struct Shared<'n> {
    network: &'n Network,
    /// For each process those that are done when it starts.
    behind: Vec<BTreeSet<usize>>,
    state: Mutex<State>,
    /// For each process.
    wake: Vec<Condvar>,
    /// Whether a process runs to its end before the next one begins.
    in_turn: bool,
}

/// How long queues are, and who runs when.
#[derive(Clone, Copy)]
enum Running<'a> {
    /// As long as the streams are deep, but for these.
    Strictly(&'a Depths),
    /// Long.
    Freely,
    /// Longer, and one process after the other in this order.
    InTurn(&'a [usize]),
}

impl Running<'_> {
    /// Elements that the queues of a stream have room for.
    fn room(self, network: &Network, id: ArrayId) -> u64 {
        let depth = depth_of(network, id);
        match self {
            Running::Strictly(depths) => *depths.get(&id).unwrap_or(&depth),
            Running::Freely => depth.max(LONG),
            Running::InTurn(_) => depth.max(WHOLE),
        }
    }
}

/// The streams of one process.
pub struct Link<'n> {
    shared: &'n Shared<'n>,
    process: usize,
}

/// Runs a network once.
pub fn run(
    network: &Network,
    signature: &Signature,
    invocation: &Invocation,
    options: &Options,
) -> Result<Outcome, RunError> {
    let search = Search::new(network, signature, invocation, options);
    let (ended, outcome) = search.result();
    match ended {
        None => Ok(outcome),
        Some(Ended::Deadlock(waits, full)) => {
            let depths = search.from(full).unwrap_or_default().into_iter();
            let named =
                |(id, depth): (ArrayId, u64)| (network.kernel.arrays[id].name.clone(), depth);
            let remedy = depths.map(named).collect();
            Err(RunError::Deadlock(Deadlock { waits, remedy }))
        }
        Some(Ended::Unspecified(span)) => Ok(Outcome {
            unspecified_control: Some(span),
            ..outcome
        }),
        Some(Ended::Error(RunError::StepLimit(cut))) => Ok(Outcome {
            cut: Some(cut),
            ..outcome
        }),
        Some(Ended::Error(error)) => Err(error),
    }
}

/// The depths of streams with which an invocation ends, or comes to the limit of operations, that does not with those that are
/// given; none if it does, or never will.
pub fn depths_needed(
    network: &Network,
    signature: &Signature,
    invocation: &Invocation,
    options: &Options,
) -> Depths {
    let search = Search::new(network, signature, invocation, options);
    let Some(Ended::Deadlock(_, full)) = search.attempt(&Depths::new()) else {
        return Depths::new();
    };
    if matches!(search.traces.get(), Some(Some(_))) {
        // No try is a run.
        return search.from(full).unwrap_or_default();
    }
    // What is needed shows in the beginning, nearly always: many tries of that take less time.
    let beginning = Options {
        step_limit: options.step_limit / BEGINNING,
        ..options.clone()
    };
    let shorter = Search::new(network, signature, invocation, &beginning);
    let found = shorter.from(full.clone());
    let found = found.filter(|depths| goes_on(&search.attempt(depths)));
    found.or_else(|| search.from(full)).unwrap_or_default()
}

/// How an invocation ends with these depths: whether it does, or `None` if it comes to the limit of operations first.
pub fn ends(
    network: &Network,
    signature: &Signature,
    invocation: &Invocation,
    options: &Options,
    depths: &Depths,
) -> Option<bool> {
    let search = Search::new(network, signature, invocation, options);
    match search.attempt(depths) {
        Some(Ended::Error(RunError::StepLimit(_))) => None,
        ended => Some(ended.is_none()),
    }
}

/// Part of the operations of a run that are its beginning.
const BEGINNING: u64 = 8;

/// Other depths of streams than they are declared with.
pub type Depths = BTreeMap<ArrayId, u64>;

/// An invocation, and depths with which it ends.
struct Search<'a> {
    network: &'a Network,
    signature: &'a Signature,
    invocation: &'a Invocation,
    options: &'a Options,
    /// What is transferred, if the invocation ends where queues are long and nothing depends on timing.
    traces: OnceCell<Option<Traces>>,
}

impl<'a> Search<'a> {
    fn new(
        network: &'a Network,
        signature: &'a Signature,
        invocation: &'a Invocation,
        options: &'a Options,
    ) -> Search<'a> {
        Search {
            network,
            signature,
            invocation,
            options,
            traces: OnceCell::new(),
        }
    }

    /// Whether what is done may depend on timing.
    fn is_timed(&self) -> bool {
        let mut processes = self.network.processes.iter();
        self.invocation.timed.is_some() || processes.any(Process::is_timed)
    }

    /// Runs it with the depths that it has.
    fn result(&self) -> (Option<Ended>, Outcome) {
        if !self.is_timed() {
            let (traces, outcome) = self.freely();
            let traces = self.traces.get_or_init(|| traces);
            if traces
                .as_ref()
                .is_some_and(|traces| self.replayed(traces, &Depths::new()).is_ok())
            {
                return (None, outcome);
            }
        }
        self.strictly(&Depths::new())
    }

    /// How it ends with these depths.
    fn attempt(&self, depths: &Depths) -> Option<Ended> {
        let traces = match self.is_timed() {
            true => None,
            false => self.traces.get_or_init(|| self.freely().0).as_ref(),
        };
        match traces {
            Some(traces) => {
                let full = self.replayed(traces, depths).err()?;
                Some(Ended::Deadlock(Vec::new(), full))
            }
            None => self.strictly(depths).0,
        }
    }

    /// Runs it where queues are long; what is transferred, if it ends.
    fn freely(&self) -> (Option<Traces>, Outcome) {
        let order = self.order();
        let in_turn = order.map(|order| self.execute(Running::InTurn(&order)));
        let (ended, outcome, traces) = match in_turn {
            // One waited: for those behind it, or with more to put than there is room for.
            None | Some((Some(Ended::Deadlock(..)), ..)) => self.execute(Running::Freely),
            Some(run) => run,
        };
        let is_known = ended.is_none() && traces.is_whole();
        (is_known.then_some(traces), outcome)
    }

    /// The processes, each behind those that it gets from or that have to be done before; none where there is no such order.
    fn order(&self) -> Option<Vec<usize>> {
        let processes = self.network.processes.iter();
        let mut sources: Vec<Vec<usize>> = processes.map(|process| process.after.clone()).collect();
        for users in self.network.users().into_values() {
            for consumer in users.consumers {
                sources[consumer].extend(users.producer);
            }
        }
        topological(&sources).ok()
    }

    /// Runs it with these depths.
    fn strictly(&self, depths: &Depths) -> (Option<Ended>, Outcome) {
        let (ended, outcome, _) = self.execute(Running::Strictly(depths));
        (ended, outcome)
    }

    /// Whether it ends with these depths; else the streams that are full.
    fn replayed(&self, traces: &Traces, depths: &Depths) -> Result<(), Vec<ArrayId>> {
        let network = self.network;
        let kernel = &network.kernel;
        let offered = |id: ArrayId| {
            let number = kernel
                .params
                .iter()
                .position(|param| matches!(param, Param::Array(own) if *own == id))?;
            let (cursor, offered) = self
                .invocation
                .cursor(number, self.invocation.args[number].len());
            Some((offered - cursor) as u64)
        };
        let streams = network.users().into_iter().map(|(id, users)| {
            let tokens = kernel.arrays[id]
                .stream
                .iter()
                .map(|stream| stream.tokens.len() as u64);
            let tokens: u64 = tokens.sum();
            let queues = Queues {
                depth: *depths.get(&id).unwrap_or(&depth_of(network, id)),
                consumers: users
                    .consumers
                    .iter()
                    .map(|&process| (process, tokens))
                    .collect(),
                offered: offered(id),
                waiting: Vec::new(),
            };
            (id, queues)
        });
        let after: Vec<&[usize]> = network
            .processes
            .iter()
            .map(|process| &process.after[..])
            .collect();
        replay(traces, streams.collect(), &after)
    }

    /// Depths with which it ends, or comes to the limit of operations, each the least beside the others, where these streams
    /// are `full` in a deadlock; `None`: it does not end, or that takes too many tries. The shortest of those that are full grows (Parks, Bounded scheduling of process
    /// networks, 1995).
    fn from(&self, full: Vec<ArrayId>) -> Option<Depths> {
        let mut depths = Depths::new();
        let mut full = full;
        for _ in 0..MOST_TRIES {
            let depth = |id: &ArrayId| {
                depths
                    .get(id)
                    .copied()
                    .unwrap_or(depth_of(self.network, *id))
            };
            let shortest = full.iter().min_by_key(|id| depth(id))?;
            depths.insert(*shortest, 2 * depth(shortest));
            match self.attempt(&depths) {
                ended if goes_on(&ended) => {
                    self.shorten(&mut depths);
                    return Some(depths);
                }
                Some(Ended::Deadlock(_, others)) => full = others,
                _ => return None,
            }
        }
        None
    }

    /// Runs it; what was transferred is noted if its queues are long.
    fn execute(&self, running: Running) -> (Option<Ended>, Outcome, Traces) {
        let network = self.network;
        let count = network.processes.len();
        let behind = network.behind();
        let mut state = State {
            channels: BTreeMap::new(),
            arrays: BTreeMap::new(),
            layers: contested(network, &behind),
            values: BTreeMap::new(),
            kept: self.invocation.state.clone(),
            done: vec![false; count],
            waits: vec![None; count],
            to_wake: BTreeSet::new(),
            asked: vec![0; count],
            turn: None,
            timed: timed(network, self.invocation),
            traces: match running {
                Running::Strictly(_) => Traces::none(),
                Running::Freely | Running::InTurn(_) => Traces::new(count),
            },
            stopped: None,
            outcome: Outcome::default(),
        };
        state.load(network, self.invocation, running);
        let shared = Shared {
            network,
            behind,
            state: Mutex::new(state),
            wake: (0..count).map(|_| Condvar::new()).collect(),
            in_turn: matches!(running, Running::InTurn(_)),
        };
        match running {
            Running::InTurn(order) => order.iter().for_each(|&process| {
                let shared = &shared;
                Link { shared, process }.run(self.options);
            }),
            _ => shared.run(self.options),
        }
        let mut state = shared
            .state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let traces = std::mem::replace(&mut state.traces, Traces::none());
        let (ended, outcome) = state.leave(network, self.signature, self.invocation);
        (ended, outcome, traces)
    }

    /// One stream after the other by halves.
    fn shorten(&self, depths: &mut Depths) {
        let ids: Vec<ArrayId> = depths.keys().copied().collect();
        for id in ids {
            let (mut below, mut enough) = (depth_of(self.network, id) - 1, depths[&id]);
            while enough - below > 1 {
                let middle = below + (enough - below) / 2;
                depths.insert(id, middle);
                match goes_on(&self.attempt(depths)) {
                    true => enough = middle,
                    false => below = middle,
                }
            }
            depths.insert(id, enough);
        }
        depths.retain(|id, depth| *depth > depth_of(self.network, *id));
    }
}

/// Whether a run has ended, or would have gone on.
fn goes_on(ended: &Option<Ended>) -> bool {
    matches!(ended, None | Some(Ended::Error(RunError::StepLimit(_))))
}

fn depth_of(network: &Network, stream: ArrayId) -> u64 {
    let stream = network.kernel.arrays[stream].stream.as_ref();
    stream.map_or(1, |stream| stream.depth)
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

impl Shared<'_> {
    /// Each process in a thread of its own, to their end.
    fn run(&self, options: &Options) {
        std::thread::scope(|scope| {
            for process in 0..self.network.processes.len() {
                let link = Link {
                    shared: self,
                    process,
                };
                let thread = std::thread::Builder::new().stack_size(STACK);
                let run = move || link.run(options);
                if let Err(error) = thread.spawn_scoped(scope, run) {
                    let error =
                        RunError::BadInvocation(format!("no thread for a process: {error}"));
                    self.stop(&mut self.lock(), Ended::Error(error));
                }
            }
        });
    }
}

impl State {
    fn load(&mut self, network: &Network, invocation: &Invocation, running: Running) {
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
                    None => running.room(network, id),
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
    fn leave(
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
                crate::ir::ResultSlot::Array(id) => self.take_array(*id),
                crate::ir::ResultSlot::Scalar(ty) => {
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
    fn array(&self, id: ArrayId, behind: &BTreeSet<usize>) -> Elements {
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
    fn hand_back(&mut self, id: ArrayId, process: usize, made: Elements) {
        match self.layers.get_mut(&id) {
            Some(layers) => _ = layers.insert(process, made),
            None => _ = self.arrays.insert(id, made),
        }
    }

    /// Notes a transfer of a process; the stream, and those who may go on behind it.
    fn transfer(
        &mut self,
        process: usize,
        stream: ArrayId,
        puts: bool,
    ) -> Result<(&mut Channel, &mut BTreeSet<usize>), Stop> {
        let channel = self.channels.get_mut(&stream).ok_or(Stop::Others)?;
        self.traces.note(process, stream, puts);
        Ok((channel, &mut self.to_wake))
    }

    /// Whether a process could go on.
    fn can(&self, network: &Network, process: usize) -> bool {
        match self.waits[process] {
            None => true,
            Some(Wait::Turn) => network.processes[process]
                .after
                .iter()
                .all(|&other| self.done[other]),
            Some(Wait::Element(stream, _)) => self.channels[&stream].has_element(process),
            Some(Wait::Room(stream, _)) => self.channels[&stream].has_room(),
            Some(Wait::Calm) => self.turn == Some(process),
        }
    }
}

impl Channel {
    fn has_element(&self, process: usize) -> bool {
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

    fn has_room(&self) -> bool {
        match &self.outside {
            Some(outside) => outside.cursor < outside.offered,
            None => self
                .queues
                .values()
                .all(|queue| (queue.len() as u64) < self.depth),
        }
    }
}

impl<'n> Shared<'n> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes those that wait for what was put or got. To do so for each element would take much longer than what is
    /// computed of it.
    fn wake_others(&self, state: &mut State) {
        for process in std::mem::take(&mut state.to_wake) {
            if state.waits[process].is_some() && state.can(self.network, process) {
                self.wake[process].notify_all();
            }
        }
    }

    fn stop(&self, state: &mut State, why: Ended) {
        if state.stopped.is_none() {
            state.stopped = Some(why);
        }
        self.wake.iter().for_each(Condvar::notify_all);
    }

    /// Stops the network if no process can go on. Of those that wait for calm, the one that asked least often goes on: so
    /// that what is asked gives the same in each run.
    fn check(&self, state: &mut State) {
        let count = state.done.len();
        let mut open = (0..count).filter(|&process| !state.done[process]);
        if open.any(|process| state.can(self.network, process)) {
            return;
        }
        let open = (0..count).filter(|&process| !state.done[process]);
        let calm = open.filter(|&process| state.waits[process] == Some(Wait::Calm));
        if let Some(next) = calm.min_by_key(|&process| state.asked[process]) {
            state.asked[next] += 1;
            state.turn = Some(next);
            self.wake[next].notify_all();
            return;
        }
        let open = (0..count).filter(|&process| !state.done[process]);
        let mut waits = Vec::new();
        let mut full = Vec::new();
        for process in open {
            let name = &self.network.processes[process].kernel().name;
            match state.waits[process] {
                Some(Wait::Element(stream, span)) => {
                    let channel = &state.channels[&stream];
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
                    let channel = &state.channels[&stream];
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
        self.stop(state, Ended::Deadlock(waits, full));
    }
}

impl Streams for Link<'_> {
    fn get(&self, array: ArrayId, span: Span) -> Result<Value, Stop> {
        let stream = self.outside(array);
        let mut state = self.wait(self.shared.lock(), Wait::Element(stream, span))?;
        let (channel, to_wake) = state.transfer(self.process, stream, false)?;
        let element = channel.next(self.process).ok_or(Stop::Others)?;
        // There is room again, and, of a stream from outside, an element for others.
        let consumers = channel.queues.keys().filter(|_| channel.outside.is_some());
        to_wake.extend(channel.producer.iter().chain(consumers));
        Ok(element)
    }

    fn put(&self, array: ArrayId, value: Value, span: Span) -> Result<(), Stop> {
        let stream = self.outside(array);
        let mut state = self.wait(self.shared.lock(), Wait::Room(stream, span))?;
        let (channel, to_wake) = state.transfer(self.process, stream, true)?;
        if let Some(outside) = &mut channel.outside {
            outside.elements.set(outside.cursor, value, Some(span));
            outside.cursor += 1;
            return Ok(());
        }
        channel.unwanted += usize::from(channel.queues.is_empty());
        for (process, queue) in &mut channel.queues {
            queue.push_back(value.clone());
            to_wake.insert(*process);
        }
        Ok(())
    }

    fn attempt(
        &self,
        (array, what): (ArrayId, Attempt),
        value: Option<Value>,
        span: Span,
    ) -> Result<(bool, Option<Value>), Stop> {
        let can = self.ask(self.outside(array), what)?;
        let element = match (what, value) {
            (Attempt::Get, _) if can => Some(self.get(array, span)?),
            (Attempt::Put(_), Some(value)) if can => {
                self.put(array, value, span)?;
                None
            }
            _ => None,
        };
        Ok((can, element))
    }
}

impl<'n> Link<'n> {
    fn process(&self) -> &'n Process {
        &self.shared.network.processes[self.process]
    }

    fn outside(&self, array: ArrayId) -> ArrayId {
        let outside = self.process().outside(array);
        outside.expect("the streams of a process are parameters of it")
    }

    /// Waits until it can go on. Errors: it never can.
    fn wait<'s>(
        &'s self,
        mut state: MutexGuard<'s, State>,
        wait: Wait,
    ) -> Result<MutexGuard<'s, State>, Stop> {
        state.waits[self.process] = Some(wait);
        if !state.can(self.shared.network, self.process) {
            match self.shared.in_turn {
                true => self
                    .shared
                    .stop(&mut state, Ended::Deadlock(Vec::new(), Vec::new())),
                false => self.shared.check(&mut state),
            }
        }
        loop {
            if state.stopped.is_some() {
                return Err(Stop::Others);
            }
            if state.can(self.shared.network, self.process) {
                if state.waits[self.process].take() == Some(Wait::Calm) {
                    state.turn = None;
                }
                return Ok(state);
            }
            self.shared.wake_others(&mut state);
            let condvar = &self.shared.wake[self.process];
            state = condvar.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// What is known, or what is so when nobody else can go on.
    fn ask(&self, stream: ArrayId, what: Attempt) -> Result<bool, Stop> {
        let mut state = self.shared.lock();
        if let Some(timed) = &mut state.timed {
            let known = timed[self.process].pop_front();
            return known.ok_or_else(|| {
                let why = "it asks more often than it is told what depends on timing";
                RunError::BadInvocation(why.into()).into()
            });
        }
        let state = self.wait(state, Wait::Calm)?;
        let channel = state.channels.get(&stream).ok_or(Stop::Others)?;
        Ok(match what.is_of_consumer() {
            true => channel.has_element(self.process),
            false => channel.has_room(),
        })
    }

    /// Runs the process when its turn has come.
    fn run(&self, options: &Options) {
        let result = self.interpret(options);
        let mut state = self.shared.lock();
        match result {
            Ok(()) => {
                state.done[self.process] = true;
                if !self.shared.in_turn {
                    self.shared.wake.iter().for_each(Condvar::notify_all);
                    self.shared.check_if_open(&mut state);
                }
            }
            Err(Stop::Others) => {}
            Err(Stop::Unspecified(span)) => self.shared.stop(&mut state, Ended::Unspecified(span)),
            Err(Stop::Error(error)) => self.shared.stop(&mut state, Ended::Error(error)),
        }
    }

    fn interpret(&self, options: &Options) -> Result<(), Stop> {
        let process = self.process();
        let state = self.wait(self.shared.lock(), Wait::Turn)?;
        let mut machine = Machine::new(&process.program, options, Some(self));
        machine.make_tables()?;
        machine.load_state((self.process, &state.kept))?;
        let kernel = process.kernel();
        let mut args = Vec::new();
        let mut taken = Vec::new();
        for (param, arg) in kernel.params.iter().zip(&process.args) {
            match (param, arg) {
                (Param::Scalar(_), Arg::Scalar(value)) => {
                    args.push(Actual::Scalar(state.values[value].clone()))
                }
                (Param::Array(own), Arg::Array(id)) if kernel.arrays[*own].stream.is_none() => {
                    let behind = &self.shared.behind[self.process];
                    let elements = state.array(*id, behind);
                    let at = machine.allocate(kernel, *own, elements)?;
                    if process.written.contains(id) {
                        taken.push((*id, at));
                    }
                    args.push(Actual::Array(at));
                }
                // Of a stream there is nothing to hand over.
                _ => args.push(Actual::Array(usize::MAX)),
            }
        }
        drop(state);
        let results = machine.call(process.program.top, args, &[])?;
        let mut state = self.shared.lock();
        machine.leave_state(self.process, &mut state.outcome.state);
        for (id, at) in taken {
            state.hand_back(id, self.process, machine.take(at));
        }
        state
            .values
            .extend(process.results.iter().copied().zip(results));
        machine.add_to(&mut state.outcome);
        Ok(())
    }
}

impl Shared<'_> {
    /// After a process is done, the others may wait in vain.
    fn check_if_open(&self, state: &mut State) {
        if state.done.iter().any(|done| !done) {
            self.check(state);
        }
    }
}
