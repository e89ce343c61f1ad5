//! The software reference, whose results define what is right: a program is interpreted, or the network that it is.

use crate::diagnostics::Diagnostics;
use crate::ir::{Param, Program, ResultSlot};
use crate::sim::elements::{Between, Invocation};
use crate::sim::interpreter::{Actual, Machine, Stop};
pub use crate::sim::outcome::*;
use crate::sim::value::Signature;
use crate::transform::inline;
use crate::transform::network::Network;
use std::borrow::Cow;

/// Runs the top kernel of a valid program once.
pub fn run(
    program: &Program,
    invocation: &Invocation,
    options: &Options,
) -> Result<Outcome, RunError> {
    Prepared::of(program)?.run(invocation, options)
}

/// A valid program as it is run.
pub struct Prepared<'p> {
    /// Without calls, if it keeps state: each call has its own.
    program: Cow<'p, Program>,
    /// Parameters and results of the top kernel.
    pub signature: Signature,
    /// Its processes, if there are streams.
    network: Option<Network>,
}

impl<'p> Prepared<'p> {
    /// Errors: its processes do not fit together; it is too large without calls.
    pub fn of(program: &'p Program) -> Result<Prepared<'p>, RunError> {
        Prepared::made(Cow::Borrowed(program))
    }

    /// One that has its program with it. Errors: the same.
    pub fn owned(program: Program) -> Result<Prepared<'static>, RunError> {
        Prepared::made(Cow::Owned(program))
    }

    fn made(program: Cow<'p, Program>) -> Result<Prepared<'p>, RunError> {
        let wrong = |errors: Diagnostics| RunError::BadInvocation(errors.0[0].message.clone());
        let network = Network::as_written(&program).map_err(wrong)?;
        let signature = Signature::with(&program, network.as_ref());
        let program = match program.keeps_state() && network.is_none() {
            true => Cow::Owned(Program::alone(inline::inline(&program).map_err(wrong)?)),
            false => program,
        };
        Ok(Prepared {
            program,
            signature,
            network,
        })
    }

    /// One invocation. Errors: also a run that takes too many operations.
    pub fn run(&self, invocation: &Invocation, options: &Options) -> Result<Outcome, RunError> {
        let mut outcome = self.run_until(invocation, options)?;
        match outcome.cut.take() {
            None => Ok(outcome),
            Some(limit) => Err(RunError::StepLimit(limit)),
        }
    }

    /// Invocations one after the other, each with arguments of its own, and what they are offered: without a reset between
    /// them, elements of streams that one did not get are there for the next, before its own. Errors: as of one.
    pub fn run_list(
        &self,
        inputs: &[Invocation],
        between: Between,
        options: &Options,
    ) -> Result<(Vec<Invocation>, Vec<Outcome>), RunError> {
        let mut offered: Vec<Invocation> = Vec::new();
        let mut outcomes: Vec<Outcome> = Vec::new();
        for input in inputs {
            let mut input = input.clone();
            if let (Some(before), Some(given), Between::Nothing) =
                (outcomes.last(), offered.last(), between)
            {
                input.state.clone_from(&before.state);
                // How many are got may depend on timing: then each has what it is given.
                let cursors = before.cursors.iter().filter(|_| self.signature.timed == 0);
                for (&number, &count) in cursors {
                    input.offer_before(number, given, count);
                }
            }
            outcomes.push(self.run(&input, options)?);
            offered.push(input);
        }
        Ok((offered, outcomes))
    }

    /// The same; a run that takes too many operations is cut off.
    pub fn run_until(
        &self,
        invocation: &Invocation,
        options: &Options,
    ) -> Result<Outcome, RunError> {
        check_invocation(&self.signature, invocation)?;
        match &self.network {
            Some(network) => super::network::run(network, &self.signature, invocation, options),
            None => alone(&self.program, &self.signature, invocation, options),
        }
    }
}

/// One invocation of a program without streams.
fn alone(
    program: &Program,
    signature: &Signature,
    invocation: &Invocation,
    options: &Options,
) -> Result<Outcome, RunError> {
    let mut machine = Machine::new(program, options, None);
    machine.make_tables()?;
    machine.load_state((0, &invocation.state))?;
    let top = &program.kernels[program.top];
    let mut args = Vec::new();
    let mut params = Vec::new();
    for (param, elements) in top.params.iter().zip(&invocation.args) {
        match param {
            Param::Scalar(_) => args.push(Actual::Scalar(elements.get(0))),
            Param::Array(id) => {
                params.push(machine.allocate(top, *id, elements.clone())?);
                args.extend(params.last().copied().map(Actual::Array));
            }
        }
    }
    let mut results = Vec::new();
    for slot in &top.results {
        if let ResultSlot::Array(id) = slot {
            results.push(machine.allocate_unwritten(top, *id)?);
        }
    }
    if options.log > 0 {
        let arrays = params.iter().chain(&results).enumerate();
        machine.watched = arrays.map(|(number, at)| (*at, number)).collect();
    }
    let mut outcome = Outcome::default();
    let yielded = match machine.call(program.top, args, &results) {
        Ok(values) => values,
        Err(Stop::Unspecified(span)) => {
            outcome.unspecified_control = Some(span);
            Vec::new()
        }
        Err(Stop::Error(RunError::StepLimit(limit))) => {
            outcome.cut = Some(limit);
            Vec::new()
        }
        Err(Stop::Error(error)) => return Err(error),
        Err(Stop::Others) => unreachable!("there is one process"),
    };
    machine.leave_state(0, &mut outcome.state);
    let arrays = params.into_iter().chain(results);
    machine.leave(signature, invocation, arrays, yielded, &mut outcome);
    Ok(outcome)
}

fn check_invocation(signature: &Signature, invocation: &Invocation) -> Result<(), RunError> {
    let wrong = |why: String| Err(RunError::BadInvocation(why));
    if signature.params.len() != invocation.args.len() {
        let (want, got) = (signature.params.len(), invocation.args.len());
        return wrong(format!("the kernel takes {want} arguments, not {got}"));
    }
    for (slot, elements) in signature.params.iter().zip(&invocation.args) {
        if slot.len() != elements.len() {
            let (want, got) = (slot.len(), elements.len());
            return wrong(format!("'{}' has {want} elements, not {got}", slot.name));
        }
    }
    Ok(())
}
