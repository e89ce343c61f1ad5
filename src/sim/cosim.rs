//! Co-simulation: the reference and the generated module on the same inputs, compared bit for bit.

use crate::codes;
use crate::diagnostics::{Diagnostic, Span};
use crate::ir::Program;
use crate::rtl::manifest::{Manifest, Port, scalar_by_name};
use crate::sim::model::{Model, Run, RunResult, SimOptions, Start};
use crate::sim::reference::{self, OutOfBounds, Outcome, RunError};
use crate::sim::value::{Invocation, Signature, Slot, Value};
use crate::sim::vectors::{self, Rng};
use crate::sim::verilator::{Verilator, VerilatorError};
use crate::sim::{args, formats};
use num_bigint::{BigInt, BigUint};
use std::path::PathBuf;

/// What to compare.
#[derive(Clone, Debug)]
pub struct CosimOptions {
    /// How many inputs to generate, if none are given.
    pub vectors: usize,
    /// Decides the generated inputs and everything that is random in the simulation.
    pub seed: u64,
    /// Inputs to use instead of generated ones.
    pub args: Option<Vec<Invocation>>,
    /// Where to keep a waveform: of the first failing run, or of the first run if none fails.
    pub waveform: Option<PathBuf>,
    /// Operations of the reference after which given inputs count as endless. Generated inputs that
    /// take more than a small part of it are drawn again.
    pub step_limit: u64,
}

impl Default for CosimOptions {
    fn default() -> Self {
        CosimOptions {
            vectors: 16,
            seed: 1,
            args: None,
            waveform: None,
            step_limit: 1 << 32,
        }
    }
}

/// A comparison without difference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// For each input that is not lost, the cycles from start to done.
    pub cycles: Vec<u64>,
    /// Cycles between the starts of invocations that follow each other without a pause; `None` if
    /// that was not tried.
    pub interval: Option<u64>,
    /// Elements compared.
    pub compared: u64,
    /// Elements that the language leaves unspecified, which were not compared.
    pub unspecified: u64,
    /// Inputs on which the control flow came to depend on an unspecified value, so that nothing could
    /// be compared.
    pub lost: u64,
    /// Accesses outside an array that the inputs led to, one for each place in the source.
    pub out_of_bounds: Vec<OutOfBounds>,
}

/// Why there is no report.
#[derive(Clone, Debug)]
pub enum CosimError {
    /// The reference has no result.
    Reference(RunError),
    /// The simulation could not be built or run.
    Verilator(VerilatorError),
    /// The manifest does not fit the kernel.
    Manifest(String),
    /// The module is wrong.
    Failure(Box<Failure>),
}

impl From<VerilatorError> for CosimError {
    fn from(error: VerilatorError) -> Self {
        CosimError::Verilator(error)
    }
}

impl From<RunError> for CosimError {
    fn from(error: RunError) -> Self {
        CosimError::Reference(error)
    }
}

/// How the module went wrong, and on what.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What is wrong.
    pub kind: FailureKind,
    /// The parameters, for printing.
    pub signature: Signature,
    /// The invocations of the run on one set of memories; the array arguments of all but the first
    /// are what the one before left behind.
    pub inputs: Vec<Invocation>,
    /// Position of the run's first input among all inputs.
    pub number: usize,
    /// The seed of the whole comparison.
    pub seed: u64,
    /// The waveform that was kept.
    pub waveform: Option<PathBuf>,
}

/// What a module did wrong.
#[derive(Clone, Debug)]
pub enum FailureKind {
    /// A different value than the reference's.
    Mismatch(Box<Mismatch>),
    /// Breaches of the interface.
    Protocol(Vec<String>),
    /// An invocation that never finished.
    Hang {
        /// Which of the run.
        invocation: usize,
        /// Cycles waited.
        cycles: u64,
    },
    /// More or fewer cycles than the manifest promises.
    Latency {
        /// What it took.
        cycles: u64,
        /// What the manifest says.
        promised: (Option<u64>, Option<u64>),
    },
}

/// An element that differs.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// The invocation within the run after which it was seen.
    pub invocation: usize,
    /// The array or result.
    pub slot: Slot,
    /// Row-major position of the element.
    pub position: usize,
    /// The reference's.
    pub wanted: Value,
    /// The module's.
    pub got: Value,
    /// The operation that last wrote the element, if any did.
    pub writer: Option<Span>,
}

impl Mismatch {
    fn to_diagnostic(&self) -> Diagnostic {
        let name = self.slot.element_name(self.position);
        let show = |value: &Value| {
            let plain = args::show(self.slot.ty, value, false);
            match formats::is_any_float(self.slot.ty) {
                true => format!("{plain} ({})", args::show(self.slot.ty, value, true)),
                false => plain.to_string(),
            }
        };
        let (wanted, got) = (show(&self.wanted), show(&self.got));
        let message = format!("mismatch: {name} is {got} in hardware, {wanted} in the reference");
        match self.writer {
            Some(span) => Diagnostic::error(codes::MISMATCH, span, message)
                .note("the reference last wrote the element here"),
            None => Diagnostic::global(codes::MISMATCH, message),
        }
    }
}

/// Characters of inputs that a message shows at most.
const SHOWN: usize = 4000;

impl CosimError {
    /// The error as a message.
    pub fn to_diagnostic(&self) -> Diagnostic {
        match self {
            CosimError::Reference(error) => error.to_diagnostic(),
            CosimError::Verilator(error) => error.to_diagnostic(),
            CosimError::Manifest(why) => Diagnostic::global(
                codes::MANIFEST,
                format!("the manifest does not fit the kernel: {why}"),
            ),
            CosimError::Failure(failure) => failure.to_diagnostic(),
        }
    }
}

impl Failure {
    /// The failure as a message, at the source line that wrote the element.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let mut out = self.kind.to_diagnostic();
        for (i, input) in self.inputs.iter().enumerate() {
            let mut text = args::invocation_json(&self.signature, input, false).to_string();
            if let Some((at, _)) = text.char_indices().nth(SHOWN) {
                text.truncate(at);
                text.push_str("...");
            }
            let which = if i == 0 {
                "inputs"
            } else {
                "then, without reloading memories"
            };
            out = out.note(format!("{which}: {text}"));
        }
        out = out.note(format!("vector {} of seed {}", self.number, self.seed));
        match &self.waveform {
            Some(path) => out.note(format!("waveform in '{}'", path.display())),
            None => out,
        }
    }
}

impl FailureKind {
    fn to_diagnostic(&self) -> Diagnostic {
        let global = |message: String| Diagnostic::global(codes::MISMATCH, message);
        match self {
            FailureKind::Mismatch(mismatch) => mismatch.to_diagnostic(),
            FailureKind::Protocol(breaches) => {
                let out = global("the module breaks the protocol of its interface".into());
                breaches
                    .iter()
                    .fold(out, |out, text| out.note(text.clone()))
            }
            FailureKind::Hang { invocation, cycles } => {
                let last = format!("nothing happened for {cycles} cycles");
                global(format!(
                    "invocation {invocation} of the run never finished: {last}"
                ))
            }
            FailureKind::Latency {
                cycles,
                promised: (min, max),
            } => {
                let show = |bound: &Option<u64>| bound.map_or("any".into(), |b| b.to_string());
                global(format!(
                    "the module took {cycles} cycles; its manifest promises {} to {}",
                    show(min),
                    show(max)
                ))
            }
        }
    }
}

/// Invocations on one set of memories, with what the reference makes of them.
struct Case {
    number: usize,
    inputs: Vec<Invocation>,
    outcomes: Vec<Outcome>,
    run: Run,
}

/// Compares the module with the reference.
pub fn cosim(
    program: &Program,
    manifest: &Manifest,
    sv_text: &str,
    options: &CosimOptions,
) -> Result<Report, CosimError> {
    cosim_with(&Verilator::find()?, program, manifest, sv_text, options)
}

/// The same with a given Verilator.
pub fn cosim_with(
    verilator: &Verilator,
    program: &Program,
    manifest: &Manifest,
    sv_text: &str,
    options: &CosimOptions,
) -> Result<Report, CosimError> {
    let signature = Signature::of(program);
    check_manifest(&signature, manifest).map_err(CosimError::Manifest)?;
    let cases = cases(program, &signature, options)?;
    let model = verilator.build(manifest, sv_text, false)?;
    let simulation = SimOptions {
        seed: options.seed,
        waveform: None,
    };
    let mut report = Report::default();
    let mut failed = None;
    let mut rest = &cases[..];
    while !rest.is_empty() && failed.is_none() {
        let runs: Vec<Run> = rest.iter().map(|case| case.run.clone()).collect();
        // A run that hangs, as it may on unspecified values, ends the simulation: start again.
        let results = model.run(&runs, &simulation)?;
        failed = rest.iter().zip(&results).find_map(|(case, result)| {
            let judged = judge(&signature, manifest, case, result, &mut report);
            judged.err().map(|kind| (case, kind))
        });
        rest = &rest[results.len().max(1)..];
    }
    let waveform = match (
        &options.waveform,
        failed.as_ref().map(|f| f.0).or(cases.first()),
    ) {
        (Some(path), Some(case)) => {
            let traced = verilator.build(manifest, sv_text, true)?;
            let simulation = SimOptions {
                seed: options.seed,
                waveform: Some(path.clone()),
            };
            traced.run(std::slice::from_ref(&case.run), &simulation)?;
            Some(path.clone())
        }
        _ => None,
    };
    match failed {
        None => Ok(report),
        Some((case, kind)) => Err(CosimError::Failure(Box::new(Failure {
            kind,
            signature,
            inputs: case.inputs.clone(),
            number: case.number,
            seed: options.seed,
            waveform,
        }))),
    }
}

fn check_manifest(signature: &Signature, manifest: &Manifest) -> Result<(), String> {
    let pairs = [
        (&signature.params, &manifest.args),
        (&signature.results, &manifest.returns),
    ];
    for (slots, ports) in pairs {
        if slots.len() != ports.len() {
            return Err(format!(
                "{} entries for {} parameters or results",
                ports.len(),
                slots.len()
            ));
        }
        for (slot, port) in slots.iter().zip(ports) {
            if !fits(slot, port) {
                return Err(format!(
                    "the entry of '{}' has another type or shape",
                    slot.name
                ));
            }
        }
    }
    Ok(())
}

fn fits(slot: &Slot, port: &Port) -> bool {
    slot.shape.as_deref() == port.shape()
        && slot.ty.width() == port.width()
        && scalar_by_name(port.type_name()).is_none_or(|ty| ty == slot.ty)
}

/// Operations that one generated input may take.
const GENERATED_STEPS: u64 = 2_000_000;
/// Draws of one input before giving up.
const ATTEMPTS: u64 = 12;
/// Invocations that share memories in the cases that start one after the other.
const CHAIN: usize = 4;

fn cases(
    program: &Program,
    signature: &Signature,
    options: &CosimOptions,
) -> Result<Vec<Case>, CosimError> {
    let mut cases = Vec::new();
    let slowness = slowness(program);
    match &options.args {
        Some(given) => {
            for (number, input) in given.iter().enumerate() {
                let outcome = run_reference(program, input, options.step_limit)?;
                cases.push(Case::new(
                    signature,
                    slowness,
                    number,
                    vec![(input.clone(), outcome, 0)],
                ));
            }
        }
        None => {
            for number in 0..options.vectors {
                let (input, outcome) = draw(program, signature, options, number as u64)?;
                cases.push(Case::new(
                    signature,
                    slowness,
                    number,
                    vec![(input, outcome, 0)],
                ));
            }
        }
    }
    let mut rng = Rng::new(options.seed);
    let mut pause = || {
        if rng.below(3) == 0 {
            0
        } else {
            rng.below(12) as u32
        }
    };
    for paused in [false, true] {
        let mut gap = || if paused { pause() } else { 0 };
        if let Some(chain) = chain(program, signature, &cases, options, &mut gap) {
            cases.push(chain);
        }
    }
    Ok(cases)
}

/// Cycles that one operation may take in hardware, generously: dividers need one or more a bit.
fn slowness(program: &Program) -> u64 {
    let kernels = program.kernels.iter().map(|(_, kernel)| kernel);
    let widths = kernels.flat_map(|k| k.values.iter().map(|(_, value)| value.ty.width()));
    64.max(4 * u64::from(widths.max().unwrap_or(0)))
}

fn run_reference(program: &Program, input: &Invocation, limit: u64) -> Result<Outcome, RunError> {
    let options = reference::Options {
        check_bounds: false,
        step_limit: limit,
        trace: true,
    };
    reference::run(program, input, &options)
}

/// An input on which the kernel ends soon.
fn draw(
    program: &Program,
    signature: &Signature,
    options: &CosimOptions,
    number: u64,
) -> Result<(Invocation, Outcome), CosimError> {
    let mut attempt = 0;
    loop {
        let input = vectors::invocation(signature, options.seed, number, attempt);
        attempt += 1;
        match run_reference(program, &input, GENERATED_STEPS) {
            Ok(outcome) => return Ok((input, outcome)),
            Err(RunError::StepLimit { .. }) if attempt < ATTEMPTS => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// The first inputs once more, one after the other on the memories of the first.
fn chain(
    program: &Program,
    signature: &Signature,
    singles: &[Case],
    options: &CosimOptions,
    gap: &mut impl FnMut() -> u32,
) -> Option<Case> {
    let mut steps: Vec<(Invocation, Outcome, u32)> = Vec::new();
    let limit = GENERATED_STEPS.max(
        singles
            .iter()
            .flat_map(|c| &c.outcomes)
            .map(|o| o.steps)
            .max()?,
    );
    for single in singles.iter().filter(|c| c.inputs.len() == 1).take(CHAIN) {
        let mut input = single.inputs[0].clone();
        if let Some((_, before, _)) = steps.last() {
            let slots = signature.params.iter().zip(&before.params);
            for (arg, (slot, left)) in input.args.iter_mut().zip(slots) {
                if slot.is_array() {
                    arg.clone_from(left);
                }
            }
        }
        // A kernel may not end on what another run left behind.
        match run_reference(program, &input, limit.min(options.step_limit)) {
            Ok(outcome) if outcome.unspecified_control.is_none() => {
                steps.push((input, outcome, gap()));
            }
            _ => break,
        }
    }
    (steps.len() > 1).then(|| Case::new(signature, slowness(program), 0, steps))
}

impl Case {
    fn new(
        signature: &Signature,
        slowness: u64,
        number: usize,
        steps: Vec<(Invocation, Outcome, u32)>,
    ) -> Case {
        let patterns = |slot: &Slot, values: &[Value]| {
            values
                .iter()
                .map(|v| v.pattern(slot.ty))
                .collect::<Vec<_>>()
        };
        let of = |input: &Invocation, arrays: bool| -> Vec<Vec<BigUint>> {
            let slots = signature.params.iter().zip(&input.args);
            let wanted = slots.filter(|(slot, _)| slot.is_array() == arrays);
            wanted
                .map(|(slot, values)| patterns(slot, values))
                .collect()
        };
        let starts = steps.iter().map(|(input, _, gap)| Start {
            scalars: of(input, false).concat(),
            gap: *gap,
        });
        let slowest = steps.iter().map(|(_, outcome, _)| outcome.steps).max();
        let run = Run {
            arrays: of(&steps[0].0, true),
            starts: starts.collect(),
            cycle_limit: 20_000 + slowness * slowest.unwrap_or(0),
        };
        let (inputs, outcomes) = steps.into_iter().map(|(i, o, _)| (i, o)).unzip();
        Case {
            number,
            inputs,
            outcomes,
            run,
        }
    }
}

fn judge(
    signature: &Signature,
    manifest: &Manifest,
    case: &Case,
    result: &RunResult,
    report: &mut Report,
) -> Result<(), FailureKind> {
    let single = case.inputs.len() == 1;
    if single {
        note_accesses(&case.outcomes[0], report);
    }
    let lost = case
        .outcomes
        .iter()
        .any(|o| o.unspecified_control.is_some());
    if result.timed_out && !lost {
        // A value that is wrong early says more than that the module hangs, but it has none.
        if !result.violations.is_empty() {
            return Err(FailureKind::Protocol(result.violations.clone()));
        }
        return Err(FailureKind::Hang {
            invocation: result.timing.len(),
            cycles: case.run.cycle_limit,
        });
    }
    compare(signature, case, result, report)?;
    if !result.violations.is_empty() {
        return Err(FailureKind::Protocol(result.violations.clone()));
    }
    let cycles: Vec<u64> = result.timing.iter().map(|t| t.cycles()).collect();
    if single && !lost {
        let (min, max) = (manifest.latency.min, manifest.latency.max);
        let kept = |c: &u64| min.is_none_or(|m| m <= *c) && max.is_none_or(|m| *c <= m);
        if let Some(&cycles) = cycles.iter().find(|c| !kept(c)) {
            let promised = (min, max);
            return Err(FailureKind::Latency { cycles, promised });
        }
        report.cycles.extend(cycles);
    } else if let [first, .., last] = &result.timing[..]
        && report.interval.is_none()
    {
        report.interval = Some((last.start - first.start) / (result.timing.len() as u64 - 1));
    }
    Ok(())
}

fn note_accesses(outcome: &Outcome, report: &mut Report) {
    report.lost += u64::from(outcome.unspecified_control.is_some());
    for access in &outcome.out_of_bounds {
        match report
            .out_of_bounds
            .iter_mut()
            .find(|o| o.span == access.span)
        {
            Some(known) => known.count += access.count,
            None => report.out_of_bounds.push(access.clone()),
        }
    }
}

fn compare(
    signature: &Signature,
    case: &Case,
    result: &RunResult,
    report: &mut Report,
) -> Result<(), FailureKind> {
    let scalars = signature.results.iter().enumerate();
    let scalars: Vec<_> = scalars.filter(|(_, slot)| !slot.is_array()).collect();
    for (invocation, (outcome, got)) in case.outcomes.iter().zip(&result.returns).enumerate() {
        for ((number, slot), got) in scalars.iter().zip(got) {
            let context = (invocation, *slot, &[][..]);
            let (wanted, got) = (&outcome.results[*number], std::slice::from_ref(got));
            elements(context, wanted, got, report)?;
        }
    }
    // Arrays are seen only after the last invocation.
    let invocation = case.outcomes.len() - 1;
    let outcome = &case.outcomes[invocation];
    let slots = signature.params.iter().chain(&signature.results);
    let wanted = outcome.params.iter().chain(&outcome.results);
    let arrays = slots
        .zip(wanted)
        .enumerate()
        .filter(|(_, (slot, _))| slot.is_array());
    for ((number, (slot, wanted)), got) in arrays.zip(&result.arrays) {
        let writers: Vec<Option<Span>> = (0..wanted.len())
            .map(|at| last_writer(case, number, at))
            .collect();
        elements((invocation, slot, &writers), wanted, got, report)?;
    }
    Ok(())
}

fn last_writer(case: &Case, slot: usize, position: usize) -> Option<Span> {
    let outcomes = case.outcomes.iter().rev();
    let mut writers = outcomes.filter_map(|o| *o.writers.get(slot)?.get(position)?);
    writers.next()
}

fn elements(
    (invocation, slot, writers): (usize, &Slot, &[Option<Span>]),
    wanted: &[Value],
    got: &[BigUint],
    report: &mut Report,
) -> Result<(), FailureKind> {
    for (position, (wanted, got)) in wanted.iter().zip(got).enumerate() {
        if wanted.tainted {
            report.unspecified += 1;
            continue;
        }
        report.compared += 1;
        if wanted.pattern(slot.ty) != *got {
            return Err(FailureKind::Mismatch(Box::new(Mismatch {
                invocation,
                slot: slot.clone(),
                position,
                wanted: wanted.clone(),
                got: Value::wrapped(slot.ty, BigInt::from(got.clone())),
                writer: writers.get(position).copied().flatten(),
            })));
        }
    }
    Ok(())
}

/// What the module itself makes of inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulated {
    /// For each parameter its elements after the run (a scalar parameter: its value).
    pub params: Vec<Vec<Value>>,
    /// For each result its elements.
    pub results: Vec<Vec<Value>>,
    /// Cycles from start to done.
    pub cycles: u64,
}

/// Runs a built module on inputs, each on memories of its own, without comparing.
pub fn simulate(
    program: &Program,
    manifest: &Manifest,
    model: &Model,
    inputs: &[Invocation],
    cycle_limit: u64,
) -> Result<Vec<Simulated>, CosimError> {
    let signature = Signature::of(program);
    check_manifest(&signature, manifest).map_err(CosimError::Manifest)?;
    let blank = Outcome {
        params: vec![],
        results: vec![],
        writers: vec![],
        out_of_bounds: vec![],
        unspecified_control: None,
        steps: 0,
    };
    let case = |(number, input): (usize, &Invocation)| {
        let mut case = Case::new(
            &signature,
            0,
            number,
            vec![(input.clone(), blank.clone(), 0)],
        );
        case.run.cycle_limit = cycle_limit;
        case
    };
    let cases: Vec<Case> = inputs.iter().enumerate().map(case).collect();
    let runs: Vec<Run> = cases.iter().map(|case| case.run.clone()).collect();
    let results = model.run(&runs, &SimOptions::default())?;
    cases
        .into_iter()
        .zip(results)
        .map(|(case, result)| collect(&signature, case, result))
        .collect()
}

fn collect(signature: &Signature, case: Case, result: RunResult) -> Result<Simulated, CosimError> {
    let failed = |kind| {
        CosimError::Failure(Box::new(Failure {
            kind,
            signature: signature.clone(),
            inputs: case.inputs.clone(),
            number: case.number,
            seed: 0,
            waveform: None,
        }))
    };
    if !result.violations.is_empty() {
        return Err(failed(FailureKind::Protocol(result.violations)));
    }
    let ([timing], [returned]) = (&result.timing[..], &result.returns[..]) else {
        return Err(failed(FailureKind::Hang {
            invocation: 0,
            cycles: case.run.cycle_limit,
        }));
    };
    let mut arrays = result.arrays.iter();
    let mut returned = returned.iter();
    let values = |slot: &Slot, patterns: &[BigUint]| {
        let value = |p: &BigUint| Value::wrapped(slot.ty, BigInt::from(p.clone()));
        patterns.iter().map(value).collect::<Vec<_>>()
    };
    let mut params = case.inputs[0].args.clone();
    for (slot, param) in signature.params.iter().zip(&mut params) {
        if slot.is_array()
            && let Some(got) = arrays.next()
        {
            *param = values(slot, got);
        }
    }
    let results = signature.results.iter().map(|slot| match slot.is_array() {
        true => arrays
            .next()
            .map(|got| values(slot, got))
            .unwrap_or_default(),
        false => {
            let got = returned.next();
            got.map(|g| values(slot, std::slice::from_ref(g)))
                .unwrap_or_default()
        }
    });
    Ok(Simulated {
        results: results.collect(),
        params,
        cycles: timing.cycles(),
    })
}
