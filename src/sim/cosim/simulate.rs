//! Runs a module on given inputs without a comparison.

use super::case::Patience;
use super::failure::{CosimError, Failure, FailureKind};
use super::judge::check_manifest;
use crate::ir::Program;
use crate::rtl::interface::manifest::Manifest;
use crate::sim::elements::{Between, Elements, Invocation};
use crate::sim::model::{Engine, Run, RunResult, SimOptions, Unknown};
use crate::sim::reference::{Options, Prepared, RunError};
use crate::sim::value::{Signature, Value};
use crate::transform::network::has_streams;
use num_traits::ToPrimitive;

/// What the module itself makes of inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulated {
    /// For each parameter its elements after the run (a scalar parameter: its value).
    pub params: Vec<Elements>,
    /// For each result its elements.
    pub results: Vec<Elements>,
    /// Cycles from start to done.
    pub cycles: u64,
}

/// Runs a module on inputs, each on memories of its own, without comparing. What is unknown is 0. State is kept from one to the
/// next, or reset, as `between` says; so is what one did not get of a stream.
pub fn simulate(
    program: &Program,
    manifest: &Manifest,
    engine: &dyn Engine,
    (inputs, between): (&[Invocation], Between),
    cycle_limit: u64,
) -> Result<Vec<Simulated>, CosimError> {
    let reference = Prepared::of(program)?;
    let signature = &reference.signature;
    check_manifest(signature, manifest).map_err(CosimError::Manifest)?;
    let mut cycle_limit = cycle_limit;
    let mut deadlock = None;
    let mut offered = inputs.to_vec();
    if program.kernels.values().any(has_streams) {
        // In a deadlock it would be simulated up to the limit.
        let patience = Patience::with(program, manifest);
        let is_timed = signature.timed > 0;
        let mut options = Options::default();
        if is_timed {
            options.step_limit = MOST_STEPS;
        }
        match reference.run_list(inputs, between, &options) {
            Ok((_, outcomes)) if is_timed => {
                let steps = outcomes.iter().map(|outcome| outcome.steps).max();
                cycle_limit = cycle_limit.min(patience.cycles(steps.unwrap_or(0)));
            }
            Ok((all, _)) => offered = all,
            // What depends on timing may be otherwise in the module.
            Err(RunError::StepLimit(_)) if is_timed => {}
            Err(error @ RunError::Deadlock(_)) if is_timed => {
                cycle_limit = cycle_limit.min(patience.cycles(SOME_STEPS));
                deadlock = Some(error);
            }
            Err(error) => return Err(error.into()),
        }
    }
    let run = |input| Run::of(signature, [(input, 0)], cycle_limit);
    let mut runs: Vec<Run> = offered.iter().map(run).collect();
    if between == Between::Nothing {
        for run in runs.iter_mut().skip(1) {
            run.reset_after = None;
        }
    }
    let options = SimOptions {
        unknown: Unknown::Zero,
        ..SimOptions::default()
    };
    let results = engine.run(&runs, &options)?;
    let results = results
        .into_iter()
        .zip(offered.iter().zip(runs))
        .enumerate();
    let results = results.map(|(number, (result, (input, run)))| {
        let hangs = result.timed_out && result.violations.is_empty();
        match deadlock.take_if(|_| hangs) {
            Some(deadlock) => Err(deadlock.into()),
            None => collect(signature, number, input, run, result),
        }
    });
    results.collect()
}

/// Operations of a reference that may ask for ever.
const MOST_STEPS: u64 = 2_000_000;
/// Operations for which a module is waited for where the reference finds a deadlock.
const SOME_STEPS: u64 = 10_000;

fn collect(
    signature: &Signature,
    number: usize,
    input: &Invocation,
    run: Run,
    result: RunResult,
) -> Result<Simulated, CosimError> {
    let cycle_limit = run.cycle_limit;
    let failed = |kind| {
        CosimError::Failure(Box::new(Failure {
            kind,
            signature: signature.clone(),
            inputs: vec![input.clone()],
            number,
            seed: 0,
            waveform: None,
            foreign: Vec::new(),
            run,
            state: 0,
        }))
    };
    if !result.violations.is_empty() {
        return Err(failed(FailureKind::Protocol(result.violations)));
    }
    let ([timing], [returns]) = (&result.timing[..], &result.returns[..]) else {
        return Err(failed(FailureKind::Hang {
            invocation: 0,
            cycles: cycle_limit,
        }));
    };
    let mut arrays = result.arrays.into_iter();
    let mut returned = returns.iter();
    let scalars = signature.results.iter().filter(|slot| !slot.is_array());
    let mut moved = returns[scalars.count()..].iter();
    let mut params = input.args.clone();
    for (slot, param) in signature.params.iter().zip(&mut params) {
        if slot.is_array()
            && let Some(got) = arrays.next()
        {
            *param = got;
        }
        if slot.is_stream() {
            let count = moved.next().and_then(|count| count.to_usize());
            *param = param.beginning(count.unwrap_or_default());
        }
    }
    let results = signature.results.iter().map(|slot| match slot.is_array() {
        true => arrays.next(),
        false => returned.next().map(|pattern| {
            let value = Value::of_pattern(slot.ty, &pattern.to_u64_digits());
            Elements::one(slot.ty, value)
        }),
    });
    let missing = || CosimError::Manifest("a result is missing".into());
    Ok(Simulated {
        results: results.collect::<Option<_>>().ok_or_else(missing)?,
        params,
        cycles: timing.cycles(),
    })
}
