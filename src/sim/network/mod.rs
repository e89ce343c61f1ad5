//! The reference of a network: each process interpreted in a coroutine of its own, with queues between them (Kahn, The semantics
//! of a simple language for parallel programming, IFIP 1974). What comes out does not depend on which of them runs when, nor on how
//! long the queues are: they are made long, since to go from one process to another takes longer than what is computed of an
//! element, and whether the network ends with those that were asked for is found by replaying its transfers. Where no process
//! waits for one behind it, they are run one after the other, to their ends.

mod processes;
mod replay;
mod state;

use crate::ir::{ArrayId, Param};
use crate::rtl::order::topological;
use crate::sim::deadlock::Deadlock;
use crate::sim::elements::Invocation;
use crate::sim::outcome::{Options, Outcome, RunError};
use crate::sim::value::Signature;
use crate::transform::network::{Network, Process};
use processes::Shared;
use replay::{Queues, Traces, replay};
use state::{Ended, State};
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;

/// Times that a queue is made longer to see whether the network ends then.
const MOST_TRIES: usize = 64;

/// Elements that a queue has room for at least, where its depth decides nothing; and where those that get begin when all has been
/// put.
const LONG: u64 = 1 << 12;
const WHOLE: u64 = 1 << 18;

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
        let behind = network.behind();
        let traces = match running {
            Running::Strictly(_) => Traces::none(),
            Running::Freely | Running::InTurn(_) => Traces::new(network.processes.len()),
        };
        let room = |id| running.room(network, id);
        let state = State::new(network, &behind, self.invocation, traces, room);
        let shared = Shared {
            network,
            behind,
            state: RefCell::new(state),
        };
        match running {
            Running::InTurn(order) => shared.in_turn(order, self.options),
            _ => shared.side_by_side(self.options),
        }
        let mut state = shared.state.into_inner();
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
