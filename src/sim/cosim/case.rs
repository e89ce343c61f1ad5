//! Cases: invocations on one set of memories, with what the reference makes of them.

use crate::ir::Program;
use crate::rtl::interface::manifest::Manifest;
use crate::sim::elements::{Invocation, Offer};
use crate::sim::model::Run;
use crate::sim::reference::{Options, Outcome, Prepared, RunError};
use crate::sim::value::{Signature, Slot};
use crate::sim::vectors;
use std::borrow::Borrow;

/// Invocations on one set of memories.
pub struct Case {
    /// Position of the first among all inputs.
    pub number: usize,
    /// The array arguments of all but the first are what the one before left behind.
    pub inputs: Vec<Invocation>,
    /// What the reference makes of the inputs; of the last ones perhaps nothing.
    pub outcomes: Vec<Outcome>,
    /// What is simulated.
    pub run: Run,
    /// Inputs on which it deadlocks that were drawn before these.
    pub deadlocks: u64,
}

/// An invocation of a case, with the cycles before its start.
pub struct Step {
    /// The arguments.
    pub input: Invocation,
    /// What the reference makes of them.
    pub outcome: Outcome,
    /// Cycles of rest before it.
    pub gap: u32,
}

impl Case {
    /// The case of some steps.
    pub fn new(signature: &Signature, patience: Patience, number: usize, steps: Vec<Step>) -> Case {
        let slowest = steps.iter().map(|step| step.outcome.steps).max();
        let starts = steps.iter().map(|step| (&step.input, step.gap));
        let mut run = Run::of(signature, starts, patience.cycles(slowest.unwrap_or(0)));
        for (start, step) in run.starts.iter_mut().zip(&steps) {
            start.ends = step
                .outcome
                .cursors
                .values()
                .map(|&end| end as u64)
                .collect();
        }
        let pairs = steps.into_iter().map(|step| (step.input, step.outcome));
        let (inputs, outcomes) = pairs.unzip();
        Case {
            number,
            inputs,
            outcomes,
            run,
            deadlocks: 0,
        }
    }

    /// Whether the reference cannot say what is right in the end.
    pub fn is_lost(&self) -> bool {
        let mut outcomes = self.outcomes.iter();
        outcomes.any(|outcome| outcome.unspecified_control.is_some())
    }
}

/// Cycles after which hardware counts as hanging.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For each operation of the reference, generously: dividers need one or more a bit.
    each: u64,
    /// Whatever there is to do: directives make hardware slow where the reference has little to do.
    least: u64,
}

impl Patience {
    /// For the hardware of a program.
    pub fn with(program: &Program, manifest: &Manifest) -> Patience {
        let kernels = program.kernels.iter().map(|(_, kernel)| kernel);
        let widths = kernels.flat_map(|k| k.values.iter().map(|(_, value)| value.ty.width()));
        Patience {
            each: 64.max(4 * u64::from(widths.max().unwrap_or(0))),
            least: manifest.latency.max.unwrap_or(0).saturating_add(20_000),
        }
    }

    /// For so many operations of the reference.
    pub(super) fn cycles(self, steps: u64) -> u64 {
        self.each.saturating_mul(steps).saturating_add(self.least)
    }
}

/// An input with what the reference makes of it.
pub struct Drawn {
    pub input: Invocation,
    /// Cut off if no draw came to an end.
    pub outcome: Outcome,
    /// Operations of the reference on this and on all draws before it.
    pub steps: u64,
    /// Draws before it on which the kernel deadlocks.
    pub deadlocks: u64,
}

/// The first of some draws on which the kernel ends within some operations, or the last one.
pub fn draw(
    reference: &Prepared<'_>,
    (seed, number): (u64, u64),
    attempts: u64,
    options: &Options,
) -> Result<Drawn, RunError> {
    let (mut attempt, mut steps, mut deadlocks) = (0, 0, 0);
    loop {
        let input = vectors::invocation(&reference.signature, seed, number, attempt);
        attempt += 1;
        let outcome = match reference.run_until(&input, options) {
            // Other data may need fewer elements, or be as is assumed.
            Err(RunError::Deadlock(_)) if attempt < attempts => {
                deadlocks += 1;
                continue;
            }
            Err(RunError::Broken(_)) if attempt < attempts => continue,
            outcome => outcome?,
        };
        steps += outcome.steps;
        if outcome.cut.is_none() || attempt >= attempts {
            return Ok(Drawn {
                input,
                outcome,
                steps,
                deadlocks,
            });
        }
    }
}

/// Arguments of which the arrays are what another invocation left behind.
pub fn following(signature: &Signature, input: &Invocation, before: &Outcome) -> Invocation {
    let slots = signature.params.iter().zip(&input.args).zip(&before.params);
    let args = slots.map(|((slot, fresh), left)| match slot.is_array() {
        true => left.clone(),
        false => fresh.clone(),
    });
    let mut invocation = Invocation {
        state: before.state.clone(),
        ..Invocation::of(args.collect())
    };
    for (&param, &begun) in &before.cursors {
        let offered = input.cursor(param, input.args[param].len()).1;
        invocation.offers.insert(param, Offer { begun, offered });
    }
    invocation
}

/// Invocations one after the other on the memories of the first, up to one on which the reference does not end within
/// some operations: a kernel may not end on what another run left behind.
pub fn chain<I: Borrow<Invocation>>(
    reference: &Prepared<'_>,
    inputs: impl IntoIterator<Item = (I, u32)>,
    options: &Options,
) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    // How far streams come may depend on timing.
    let signature = &reference.signature;
    if signature.timed > 0 && signature.params.iter().any(Slot::is_stream) {
        return steps;
    }
    for (input, gap) in inputs {
        let input = match steps.last() {
            Some(before) => following(&reference.signature, input.borrow(), &before.outcome),
            None => input.borrow().clone(),
        };
        match reference.run(&input, options) {
            Ok(outcome) if outcome.unspecified_control.is_none() => steps.push(Step {
                input,
                outcome,
                gap,
            }),
            _ => break,
        }
    }
    steps
}
