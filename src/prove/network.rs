//! Symbolic execution of a network: its processes one after the other, each from its beginning until it is done or
//! waits for an element that nobody has put yet; then it begins anew when there are more. What a Kahn network computes
//! does not depend on that.

use super::aig::Lit;
use super::kernel::{Argument, Machine, Outcome};
use super::queue::Queue;
use super::sums::Sums;
use super::value::Value;
use super::{Limits, Stop};
use crate::diagnostics::Span;
use crate::ir::{Arg, ArrayId, Kernel, Param, ResultSlot, ValueId};
use crate::transform::network::{Network, Process};
use std::collections::BTreeMap;

/// Runs a network on the elements of its parameters; those of streams are found: free ones for what is got.
///
/// Errors: operations on floats, limits exceeded, streams under conditions or in places that the data decide, questions
/// that depend on timing, and a deadlock.
pub fn run(
    sums: &mut Sums,
    network: &Network,
    params: &[Vec<Value>],
    limits: &Limits,
) -> Result<Outcome, Stop> {
    let mut run = Run {
        machine: Machine::new(sums, limits),
        network,
        values: BTreeMap::new(),
        places: Vec::new(),
    };
    run.declare(params)?;
    run.processes()?;
    Ok(run.leave())
}

struct Run<'a> {
    machine: Machine<'a>,
    network: &'a Network,
    /// Scalars that processes hand one another.
    values: BTreeMap<ValueId, Value>,
    /// Where each array of the network is among those of the machine, each stream among its queues.
    places: Vec<usize>,
}

impl<'a> Run<'a> {
    fn declare(&mut self, params: &[Vec<Value>]) -> Result<(), Stop> {
        let kernel = &self.network.kernel;
        let users = self.network.users();
        let mut given: BTreeMap<ArrayId, &Vec<Value>> = BTreeMap::new();
        for (param, elements) in kernel.params.iter().zip(params) {
            match param {
                Param::Scalar(value) => _ = self.values.insert(*value, elements[0].clone()),
                Param::Array(id) => _ = given.insert(*id, elements),
            }
        }
        for (id, array) in kernel.arrays.iter() {
            let place = match &array.stream {
                Some(stream) => {
                    let is_input = given.contains_key(&id) && users[&id].producer.is_none();
                    let queues = &mut self.machine.queues;
                    queues.push(Queue::of(stream, array.elem, is_input));
                    queues.len() - 1
                }
                None => {
                    let elements = match given.get(&id) {
                        Some(elements) => elements.to_vec(),
                        None => self.machine.blank(array)?,
                    };
                    self.machine.array(elements)
                }
            };
            self.places.push(place);
        }
        Ok(())
    }

    /// All processes to their end.
    fn processes(&mut self) -> Result<(), Stop> {
        let count = self.network.processes.len();
        let mut done = vec![false; count];
        while done.iter().any(|done| !done) {
            let mut stuck = None;
            let before = self.elements();
            let mut ended = false;
            for number in 0..count {
                let process = &self.network.processes[number];
                if done[number] || process.after.iter().any(|&other| !done[other]) {
                    continue;
                }
                match self.process(process)? {
                    None => (done[number], ended) = (true, true),
                    Some(span) => stuck = stuck.or(Some(span)),
                }
            }
            if !ended && self.elements() == before {
                let why = "processes that wait for one another for ever";
                return Err(Stop::Unsuitable(why.into(), stuck));
            }
        }
        Ok(())
    }

    /// Elements that were ever put.
    fn elements(&self) -> usize {
        let queues = self.machine.queues.iter();
        queues.map(|queue| queue.elements.len()).sum()
    }

    /// Runs a process from its beginning; where it waits for an element, if it does: nothing is left of it then but
    /// what it put.
    fn process(&mut self, process: &'a Process) -> Result<Option<Span>, Stop> {
        let args = process.args.iter().map(|arg| match arg {
            Arg::Scalar(value) => Argument::Scalar(self.values[value].clone()),
            Arg::Array(id) => Argument::Array(self.places[id.index()]),
        });
        let args: Vec<Argument> = args.collect();
        self.machine.queues.iter_mut().for_each(Queue::rewind);
        let (arrays, unspecified) = (self.machine.arrays.clone(), self.machine.unspecified);
        let callee = (&process.program, process.program.top);
        match self.machine.call(callee, &args, &[], Lit::TRUE) {
            Ok(results) => {
                self.machine.arrays.truncate(arrays.len());
                self.values
                    .extend(process.results.iter().copied().zip(results));
                Ok(None)
            }
            Err(stop) => match self.machine.waits.take() {
                Some(span) => {
                    (self.machine.arrays, self.machine.unspecified) = (arrays, unspecified);
                    Ok(Some(span))
                }
                None => Err(stop),
            },
        }
    }

    fn leave(mut self) -> Outcome {
        let kernel: &Kernel = &self.network.kernel;
        let params = kernel.params.iter().map(|param| match param {
            Param::Scalar(value) => vec![self.values[value].clone()],
            Param::Array(id) => match &kernel.arrays[*id].stream {
                Some(_) => {
                    std::mem::take(&mut self.machine.queues[self.places[id.index()]].elements)
                }
                None => self.machine.arrays[self.places[id.index()]].clone(),
            },
        });
        let params = params.collect();
        let mut yields = kernel.body.yields.iter();
        let results = kernel.results.iter().map(|slot| match slot {
            ResultSlot::Scalar(_) => yields
                .next()
                .map(|id| self.values[id].clone())
                .into_iter()
                .collect(),
            ResultSlot::Array(id) => self.machine.arrays[self.places[id.index()]].clone(),
        });
        let results = results.collect();
        Outcome {
            params,
            results,
            unspecified: self.machine.unspecified,
        }
    }
}
