//! The processes of a network while it runs: each is interpreted in a coroutine of its own, which stands back where it has to wait
//! for another one, or, where none waits for one behind it, in its turn and to its end.

use super::state::{Ended, State, Wait};
use crate::diagnostics::Span;
use crate::ir::{Arg, ArrayId, Attempt, Param};
use crate::sim::interpreter::{Actual, Machine, Stop, Streams};
use crate::sim::outcome::{Options, RunError};
use crate::sim::value::Value;
use crate::transform::network::{Network, Process};
use corosensei::stack::DefaultStack;
use corosensei::{ScopedCoroutine, ScopedCoroutineRef, Yielder, on_stack};
use std::cell::{RefCell, RefMut};
use std::collections::BTreeSet;

/// Bytes of the stack of a process.
const STACK: usize = 4 << 20;

/// Bytes of the caller's stack that a process takes at most, beside its own (see [`within`]).
const FRAME: usize = 4 << 10;

/// Stacks that are kept for the next run; of larger networks the others are made again.
const MOST_KEPT: usize = 64;

thread_local! {
    /// Stacks of processes that have ended: to make one takes longer than many a process.
    static STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
}

/// A process that can be resumed.
type Resumed<'c, 's> = ScopedCoroutineRef<'c, (), (), (), &'s mut DefaultStack>;

/// What the processes of a network share.
pub(super) struct Shared<'n> {
    pub network: &'n Network,
    /// For each process those that are done when it starts.
    pub behind: Vec<BTreeSet<usize>>,
    pub state: RefCell<State>,
}

/// The streams of one process.
struct Link<'n> {
    shared: &'n Shared<'n>,
    process: usize,
    /// Where it stands back; without, it runs to its end before the next one begins.
    yielder: Option<&'n Yielder<(), ()>>,
}

impl Shared<'_> {
    /// One process after the other in this order, to their end or until one would have to wait.
    pub fn in_turn(&self, order: &[usize], options: &Options) {
        for &process in order {
            self.interpret(process, None, options);
        }
    }

    /// Each process until it has to wait, again and again, to their end or until none can go on.
    pub fn side_by_side(&self, options: &Options) {
        if let Err(error) = self.coroutines(options) {
            let why = format!("no memory for a process: {error}");
            let error = RunError::BadInvocation(why);
            self.state.borrow_mut().stop(Ended::Error(error));
        }
    }

    fn coroutines(&self, options: &Options) -> std::io::Result<()> {
        let count = self.network.processes.len();
        let mut stacks = STACKS.take();
        while stacks.len() < count {
            stacks.push(DefaultStack::new(STACK)?);
        }
        let processes = stacks.iter_mut().zip(0..count);
        let processes = processes.map(|(stack, process)| {
            ScopedCoroutine::with_stack(stack, move |yielder: &Yielder<(), ()>, ()| {
                self.interpret(process, Some(yielder), options);
            })
        });
        let run = || within(processes, Vec::new(), |processes| self.schedule(processes));
        match count <= MOST_KEPT {
            true => run(),
            false => on_stack(DefaultStack::new(STACK + count * FRAME)?, run),
        }
        stacks.truncate(MOST_KEPT);
        STACKS.set(stacks);
        Ok(())
    }

    /// Resumes processes as long as there are any.
    fn schedule(&self, mut processes: Vec<Resumed>) {
        let next = || self.state.borrow_mut().waits.ready.pop_front();
        loop {
            while let Some(process) = next() {
                if !processes[process].done() {
                    processes[process].resume(());
                }
            }
            if processes.iter().all(|process| process.done()) {
                return;
            }
            self.state.borrow_mut().go_on(self.network);
        }
    }

    /// Runs a process when its turn has come.
    fn interpret(&self, process: usize, yielder: Option<&Yielder<(), ()>>, options: &Options) {
        let link = Link {
            shared: self,
            process,
            yielder,
        };
        let result = link.interpret(options);
        let mut state = self.state.borrow_mut();
        match result {
            Ok(()) => state.end(process),
            Err(Stop::Others) => {}
            Err(Stop::Unspecified(span)) => state.stop(Ended::Unspecified(span)),
            Err(Stop::Error(error)) => state.stop(Ended::Error(error)),
        }
    }
}

/// Calls `then` with these coroutines, which live as long as that takes: each in a call within that of the one before it.
fn within<'c, 's: 'c, T>(
    mut processes: impl Iterator<Item = ScopedCoroutine<'s, (), (), (), &'s mut DefaultStack>>,
    open: Vec<Resumed<'c, 's>>,
    then: impl FnOnce(Vec<Resumed>) -> T,
) -> T {
    match processes.next() {
        None => then(open),
        Some(process) => process.scope(move |process| {
            let mut open: Vec<Resumed<'_, 's>> = open;
            open.push(process);
            within(processes, open, then)
        }),
    }
}

impl Streams for Link<'_> {
    fn get(&self, array: ArrayId, span: Span) -> Result<Value, Stop> {
        let stream = self.outside(array);
        let mut state = self.wait(Wait::Element(stream, span))?;
        state.get(self.process, stream).ok_or(Stop::Others)
    }

    fn put(&self, array: ArrayId, value: Value, span: Span) -> Result<(), Stop> {
        let stream = self.outside(array);
        let mut state = self.wait(Wait::Room(stream, span))?;
        state.put(self.process, stream, value, span);
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
    fn wait(&self, wait: Wait) -> Result<RefMut<'n, State>, Stop> {
        loop {
            let mut state = self.shared.state.borrow_mut();
            if state.stopped.is_some() {
                return Err(Stop::Others);
            }
            if state.begin_to_wait(self.shared.network, self.process, wait) {
                return Ok(state);
            }
            match self.yielder {
                Some(yielder) => {
                    drop(state);
                    yielder.suspend(());
                }
                None => state.stop(Ended::Deadlock(Vec::new(), Vec::new())),
            }
        }
    }

    /// What is known, or what is so when nobody else can go on.
    fn ask(&self, stream: ArrayId, what: Attempt) -> Result<bool, Stop> {
        if let Some(timed) = &mut self.shared.state.borrow_mut().timed {
            let known = timed[self.process].pop_front();
            return known.ok_or_else(|| {
                let why = "it asks more often than it is told what depends on timing";
                RunError::BadInvocation(why.into()).into()
            });
        }
        let state = self.wait(Wait::Calm)?;
        let channel = state.channels.get(&stream).ok_or(Stop::Others)?;
        Ok(match what.is_of_consumer() {
            true => channel.has_element(self.process),
            false => channel.has_room(),
        })
    }

    /// Runs the process when its turn has come, and leaves what it made to those behind it.
    fn interpret(&self, options: &Options) -> Result<(), Stop> {
        let process = self.process();
        let state = self.wait(Wait::Turn)?;
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
        let mut state = self.shared.state.borrow_mut();
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
