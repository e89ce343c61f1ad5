//! Co-simulation: the reference and the generated module on the same inputs, compared bit for bit.

use crate::codes;
use crate::diagnostics::{Diagnostic, Span};
use crate::ir::{Program, Scalar};
use crate::rtl::interface::manifest::{Manifest, Port};
use crate::sim::coverage::Coverage;
use crate::sim::locate::{self, Divergence};
use crate::sim::model::{Engine, Run, RunResult, SimOptions, Unknown};
use crate::sim::reference::{self, OutOfBounds, Outcome, RunError};
use crate::sim::value::{Invocation, Signature, Slot, Value};
use crate::sim::vectors::{self, Rng};
use crate::sim::verilator::{Verilator, VerilatorError};
use crate::sim::waveform::Names;
use crate::sim::{args, formats};
use num_bigint::{BigInt, BigUint};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

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
    /// Inputs that are worked on at the same time; 0: as many as there are processors. Results do not
    /// depend on it.
    pub threads: usize,
    /// Names of signals in a waveform of Verilator.
    pub names: Names,
}

impl Default for CosimOptions {
    fn default() -> Self {
        CosimOptions {
            vectors: 16,
            seed: 1,
            args: None,
            waveform: None,
            step_limit: 1 << 32,
            threads: 0,
            names: Names::default(),
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
    /// Invocations stopped by a reset and then run again.
    pub resets: u64,
    /// Loops and branches that the inputs exercised.
    pub coverage: Coverage,
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
    /// What was simulated.
    run: Run,
    /// Seed of the simulation's unknown state.
    state: u64,
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
    /// The operation that last wrote the element, or that a scalar result comes from.
    pub writer: Option<Span>,
    /// The first wrong write to any array, if it was found.
    pub first: Option<Box<Divergence>>,
}

/// A value for people; floats with their bit pattern.
fn show(slot: &Slot, value: &Value) -> String {
    let plain = args::show(slot.ty, value, false);
    match formats::is_any_float(slot.ty) {
        true => format!("{plain} ({})", args::show(slot.ty, value, true)),
        false => plain.to_string(),
    }
}

impl Mismatch {
    fn to_diagnostic(&self) -> Diagnostic {
        let name = self.slot.element_name(self.position);
        let (wanted, got) = (show(&self.slot, &self.wanted), show(&self.slot, &self.got));
        let message = format!("mismatch: {name} is {got} in hardware, {wanted} in the reference");
        let last = match self.slot.is_array() {
            true => "the reference last wrote the element here",
            false => "the reference computes the result here",
        };
        let out = match self.writer {
            Some(span) => Diagnostic::error(codes::MISMATCH, span, message).note(last),
            None => Diagnostic::global(codes::MISMATCH, message),
        };
        match &self.first {
            Some(first) => note_divergence(out, first),
            None => out,
        }
    }
}

fn note_divergence(out: Diagnostic, first: &Divergence) -> Diagnostic {
    let name = first.slot.element_name(first.position);
    let written = format!(
        "first divergence: in cycle {} of the run hardware writes {} to {name}",
        first.cycle,
        show(&first.slot, &first.got)
    );
    let Some(expected) = &first.expected else {
        return out.note(format!("{written}, which the reference never writes"));
    };
    let text = format!(
        "{written}; the reference stores {}{}, invocation {}",
        show(&first.slot, &expected.value),
        expected.iteration_text(),
        expected.invocation
    );
    let out = out.note_at(expected.span, text);
    match expected.operation {
        Some((name, span)) => out.note_at(span, format!("operation '{name}' gives the value")),
        None => out,
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

/// Called with the number of finished parts and of all parts.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// Compares the module's text with the reference.
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
    check_manifest(&Signature::of(program), manifest).map_err(CosimError::Manifest)?;
    let engine = verilator.engine(manifest, sv_text, &options.names)?;
    cosim_on(&engine, program, manifest, options, &|_, _| ())
}

/// Compares what an engine makes of the module with the reference.
pub fn cosim_on(
    engine: &dyn Engine,
    program: &Program,
    manifest: &Manifest,
    options: &CosimOptions,
    progress: Progress,
) -> Result<Report, CosimError> {
    let signature = Signature::of(program);
    check_manifest(&signature, manifest).map_err(CosimError::Manifest)?;
    let comparison = Comparison {
        engine,
        program,
        slowness: slowness(program),
        signature,
        manifest,
        options,
    };
    let result = comparison.all(progress);
    match (&options.waveform, result) {
        (Some(path), Err(CosimError::Failure(mut failure))) => {
            comparison.trace(&failure.run, failure.state, path)?;
            failure.waveform = Some(path.clone());
            Err(CosimError::Failure(failure))
        }
        (Some(path), Ok(report)) => {
            if let Some(first) = comparison.singles(0..1)?.first() {
                comparison.trace(&first.run, options.seed, path)?;
            }
            Ok(report)
        }
        (_, result) => result,
    }
}

/// A part of a comparison: it has a simulation of its own.
#[derive(Clone, Debug)]
enum Job {
    /// Inputs with memories of their own.
    Singles(Range<usize>),
    /// The first inputs once more, one after the other on the memories of the first, with or without pauses.
    Chain { paused: bool },
    /// The first inputs once more, each stopped by a reset and begun again.
    Resets,
}

/// Inputs of one simulation.
const SHARE: usize = 8;
/// Threads at most, whatever is asked for.
const MAX_THREADS: usize = 256;

/// Reports of jobs, added up in the order of the jobs.
struct Results {
    report: Report,
    /// How many are in the report.
    added: usize,
    /// Of jobs that ended before an earlier one, and from the first failure on.
    early: BTreeMap<usize, Result<Report, CosimError>>,
}

impl Results {
    fn put(&mut self, index: usize, result: Result<Report, CosimError>) {
        self.early.insert(index, result);
        while let Some(Ok(_)) = self.early.get(&self.added)
            && let Some(Ok(part)) = self.early.remove(&self.added)
        {
            self.report.add(part);
            self.added += 1;
        }
    }
}

struct Comparison<'a> {
    engine: &'a dyn Engine,
    program: &'a Program,
    signature: Signature,
    manifest: &'a Manifest,
    options: &'a CosimOptions,
    slowness: u64,
}

impl Comparison<'_> {
    fn inputs(&self) -> usize {
        let given = self.options.args.as_ref().map(Vec::len);
        given.unwrap_or(self.options.vectors)
    }

    /// How many jobs there are.
    fn jobs(&self) -> usize {
        self.inputs().div_ceil(SHARE) + 3
    }

    fn job_at(&self, index: usize) -> Job {
        let total = self.inputs();
        let shares = total.div_ceil(SHARE);
        match index.checked_sub(shares) {
            None => {
                let from = index * SHARE;
                Job::Singles(from..total.min(from.saturating_add(SHARE)))
            }
            Some(0) => Job::Chain { paused: false },
            Some(1) => Job::Chain { paused: true },
            Some(_) => Job::Resets,
        }
    }

    /// Works on all jobs; the first failing one in their order decides.
    fn all(&self, progress: Progress) -> Result<Report, CosimError> {
        let jobs = self.jobs();
        let threads = match self.options.threads {
            0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
            n => n.min(MAX_THREADS),
        };
        let (next, stop) = (AtomicUsize::new(0), AtomicUsize::new(usize::MAX));
        let finished = AtomicUsize::new(0);
        let results = Mutex::new(Results {
            report: Report {
                coverage: Coverage::of(self.program),
                ..Report::default()
            },
            added: 0,
            early: BTreeMap::new(),
        });
        let work = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= jobs.min(stop.load(Ordering::Relaxed)) {
                    return;
                }
                let result = self.job(index as u64, &self.job_at(index));
                if result.is_err() {
                    stop.fetch_min(index, Ordering::Relaxed);
                }
                if let Ok(mut results) = results.lock() {
                    results.put(index, result);
                }
                progress(finished.fetch_add(1, Ordering::Relaxed) + 1, jobs);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads.min(jobs) {
                scope.spawn(work);
            }
            work();
        });
        // A thread that held the lock has not panicked: `scope` would have.
        let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        // What is left comes after a job that failed.
        match results.early.into_values().find_map(Result::err) {
            Some(error) => Err(error),
            None => Ok(results.report),
        }
    }

    fn job(&self, index: u64, job: &Job) -> Result<Report, CosimError> {
        let cases = match job {
            Job::Singles(numbers) => self.singles(numbers.clone())?,
            Job::Chain { paused } => self.chain(*paused)?.into_iter().collect(),
            Job::Resets => self.resets()?,
        };
        let state = self.options.seed ^ Rng::new(index).next();
        let simulation = SimOptions {
            seed: state,
            ..SimOptions::default()
        };
        let mut report = Report::default();
        let mut rest = &cases[..];
        while !rest.is_empty() {
            let runs: Vec<Run> = rest.iter().map(|case| case.run.clone()).collect();
            // A run that hangs, as it may on unspecified values, ends the simulation: start again.
            let results = self.engine.run(&runs, &simulation)?;
            for (case, result) in rest.iter().zip(&results) {
                self.judge(case, result, &mut report)
                    .map_err(|kind| self.failure(case, kind, state))?;
            }
            rest = &rest[results.len().max(1)..];
        }
        Ok(report)
    }

    fn failure(&self, case: &Case, mut kind: FailureKind, state: u64) -> CosimError {
        if let FailureKind::Mismatch(mismatch) = &mut kind {
            mismatch.first = self.locate(case, state).map(Box::new);
        }
        CosimError::Failure(Box::new(Failure {
            kind,
            signature: self.signature.clone(),
            inputs: case.inputs.clone(),
            number: case.number,
            seed: self.options.seed,
            waveform: None,
            run: case.run.clone(),
            state,
        }))
    }

    /// Runs a failing case once more, with all writes and all stores.
    fn locate(&self, case: &Case, state: u64) -> Option<Divergence> {
        let simulation = SimOptions {
            seed: state,
            record: true,
            ..SimOptions::default()
        };
        let runs = std::slice::from_ref(&case.run);
        let result = self.engine.run(runs, &simulation).ok()?.pop()?;
        let log = |input| {
            let options = reference::Options {
                step_limit: self.options.step_limit,
                log: true,
                ..reference::Options::default()
            };
            Some(reference::run(self.program, input, &options).ok()?.log)
        };
        let logs = case.inputs.iter().map(log).collect::<Option<Vec<_>>>()?;
        let given = self.signature.params.iter().zip(&case.inputs[0].args);
        let given = given.map(|(slot, values)| (slot.clone(), values.clone()));
        let fresh = self.signature.results.iter().map(|slot| {
            let blank = vec![Value::unspecified(slot.ty); slot.len()];
            (slot.clone(), blank)
        });
        let arrays = given.chain(fresh).filter(|(slot, _)| slot.is_array());
        let arrays: Vec<_> = arrays.collect();
        locate::first_divergence(self.program, &arrays, &logs, &result.writes)
    }

    fn trace(&self, run: &Run, state: u64, path: &Path) -> Result<(), CosimError> {
        let simulation = SimOptions {
            seed: state,
            waveform: Some(path.to_path_buf()),
            ..SimOptions::default()
        };
        Ok(self.engine.trace(run, &simulation)?)
    }

    // Cases ----------------------------------------------------------------------------------

    /// The input of a number, with what the reference makes of it.
    fn input(&self, number: usize) -> Result<(Invocation, Outcome), CosimError> {
        match &self.options.args {
            Some(given) => {
                let input = given[number].clone();
                let outcome = run_reference(self.program, &input, self.options.step_limit)?;
                Ok((input, outcome))
            }
            None => draw(self.program, &self.signature, self.options, number as u64),
        }
    }

    fn singles(&self, numbers: Range<usize>) -> Result<Vec<Case>, CosimError> {
        let numbers = numbers.start..numbers.end.min(self.inputs());
        let cases = numbers.map(|number| {
            let (input, outcome) = self.input(number)?;
            Ok(self.case(number, vec![(input, outcome, 0)]))
        });
        cases.collect()
    }

    /// `None` if there are not two inputs that can follow one another.
    fn chain(&self, paused: bool) -> Result<Option<Case>, CosimError> {
        let mut rng = Rng::new(self.options.seed);
        let mut gap = || match paused && rng.below(3) > 0 {
            true => rng.below(12) as u32,
            false => 0,
        };
        let singles = self.singles(0..CHAIN)?;
        let steps = singles.iter().flat_map(|c| &c.outcomes).map(|o| o.steps);
        let limit = steps.max().unwrap_or(0).max(GENERATED_STEPS);
        let mut steps: Vec<(Invocation, Outcome, u32)> = Vec::new();
        for single in &singles {
            let mut input = single.inputs[0].clone();
            if let Some((_, before, _)) = steps.last() {
                let slots = self.signature.params.iter().zip(&before.params);
                for (arg, (slot, left)) in input.args.iter_mut().zip(slots) {
                    if slot.is_array() {
                        arg.clone_from(left);
                    }
                }
            }
            // A kernel may not end on what another run left behind.
            match run_reference(self.program, &input, limit.min(self.options.step_limit)) {
                Ok(outcome) if outcome.unspecified_control.is_none() => {
                    steps.push((input, outcome, gap()));
                }
                _ => break,
            }
        }
        Ok((steps.len() > 1).then(|| self.case(0, steps)))
    }

    fn resets(&self) -> Result<Vec<Case>, CosimError> {
        let mut rng = Rng::new(self.options.seed);
        let mut cases = self.singles(0..CHAIN)?;
        for case in &mut cases {
            let steps = case.outcomes[0].steps;
            case.run.reset_after = 1 + rng.below(MAX_RESET_AFTER.min(2 * steps + 8)) as u32;
        }
        Ok(cases)
    }

    fn case(&self, number: usize, steps: Vec<(Invocation, Outcome, u32)>) -> Case {
        Case::new(&self.signature, self.slowness, number, steps)
    }

    // Judgement ------------------------------------------------------------------------------

    fn judge(
        &self,
        case: &Case,
        result: &RunResult,
        report: &mut Report,
    ) -> Result<(), FailureKind> {
        let single = case.inputs.len() == 1;
        let once_more = case.run.reset_after > 0;
        if single && !once_more {
            note_accesses(&case.outcomes[0], report);
            report.coverage.add(&case.outcomes[0].coverage);
        }
        let mut outcomes = case.outcomes.iter();
        let lost = outcomes.any(|o| o.unspecified_control.is_some());
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
        self.compare(case, result, report)?;
        if !result.violations.is_empty() {
            return Err(FailureKind::Protocol(result.violations.clone()));
        }
        let cycles: Vec<u64> = result.timing.iter().map(|t| t.cycles()).collect();
        if single && !lost {
            let (min, max) = (self.manifest.latency.min, self.manifest.latency.max);
            let kept = |c: &u64| min.is_none_or(|m| m <= *c) && max.is_none_or(|m| *c <= m);
            if let Some(&cycles) = cycles.iter().find(|c| !kept(c)) {
                let promised = (min, max);
                return Err(FailureKind::Latency { cycles, promised });
            }
            match once_more {
                true => report.resets += 1,
                false => report.cycles.extend(cycles),
            }
        } else if let [first, .., last] = &result.timing[..] {
            let interval = (last.start - first.start) / (result.timing.len() as u64 - 1);
            report.interval.get_or_insert(interval);
        }
        Ok(())
    }

    fn compare(
        &self,
        case: &Case,
        result: &RunResult,
        report: &mut Report,
    ) -> Result<(), FailureKind> {
        let scalars = self.signature.results.iter().enumerate();
        let scalars: Vec<_> = scalars.filter(|(_, slot)| !slot.is_array()).collect();
        for (invocation, (outcome, got)) in case.outcomes.iter().zip(&result.returns).enumerate() {
            for (at, ((number, slot), got)) in scalars.iter().zip(got).enumerate() {
                let origin = [locate::result_operation(self.program, self.program.top, at)];
                let context = (invocation, *slot, &origin[..]);
                let (wanted, got) = (&outcome.results[*number], std::slice::from_ref(got));
                elements(context, wanted, got, report)?;
            }
        }
        // Arrays are seen only after the last invocation.
        let invocation = case.outcomes.len() - 1;
        let outcome = &case.outcomes[invocation];
        let slots = self.signature.params.iter().chain(&self.signature.results);
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
}

impl Report {
    /// Adds the report of a later part.
    fn add(&mut self, part: Report) {
        self.cycles.extend(part.cycles);
        self.interval = self.interval.or(part.interval);
        self.compared += part.compared;
        self.unspecified += part.unspecified;
        self.lost += part.lost;
        part.out_of_bounds
            .into_iter()
            .for_each(|access| self.note_access(access));
        self.resets += part.resets;
        self.coverage.add(&part.coverage);
    }

    fn note_access(&mut self, access: OutOfBounds) {
        let mut known = self.out_of_bounds.iter_mut();
        match known.find(|o| o.span == access.span) {
            Some(known) => known.count += access.count,
            None => self.out_of_bounds.push(access),
        }
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
        && Scalar::named(port.type_name()).is_none_or(|ty| ty == slot.ty)
}

/// Operations that one generated input may take.
const GENERATED_STEPS: u64 = 2_000_000;
/// Draws of one input before giving up.
const ATTEMPTS: u64 = 12;
/// Invocations that share memories in the cases that start one after the other.
const CHAIN: usize = 4;
/// Cycles after which a reset comes at the latest.
const MAX_RESET_AFTER: u64 = 10_000;

/// Cycles that one operation may take in hardware, generously: dividers need one or more a bit.
fn slowness(program: &Program) -> u64 {
    let kernels = program.kernels.iter().map(|(_, kernel)| kernel);
    let widths = kernels.flat_map(|k| k.values.iter().map(|(_, value)| value.ty.width()));
    64.max(4 * u64::from(widths.max().unwrap_or(0)))
}

fn run_reference(program: &Program, input: &Invocation, limit: u64) -> Result<Outcome, RunError> {
    let options = reference::Options {
        step_limit: limit,
        trace: true,
        ..reference::Options::default()
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

impl Case {
    fn new(
        signature: &Signature,
        slowness: u64,
        number: usize,
        steps: Vec<(Invocation, Outcome, u32)>,
    ) -> Case {
        let slowest = steps.iter().map(|(_, outcome, _)| outcome.steps).max();
        let limit = 20_000 + slowness * slowest.unwrap_or(0);
        let starts = steps.iter().map(|(input, _, gap)| (input, *gap));
        let run = Run::of(signature, starts, limit);
        let (inputs, outcomes) = steps.into_iter().map(|(i, o, _)| (i, o)).unzip();
        Case {
            number,
            inputs,
            outcomes,
            run,
        }
    }
}

fn note_accesses(outcome: &Outcome, report: &mut Report) {
    report.lost += u64::from(outcome.unspecified_control.is_some());
    for access in &outcome.out_of_bounds {
        report.note_access(access.clone());
    }
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
                first: None,
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

/// Runs a module on inputs, each on memories of its own, without comparing. What is unknown is 0.
pub fn simulate(
    program: &Program,
    manifest: &Manifest,
    engine: &dyn Engine,
    inputs: &[Invocation],
    cycle_limit: u64,
) -> Result<Vec<Simulated>, CosimError> {
    let signature = Signature::of(program);
    check_manifest(&signature, manifest).map_err(CosimError::Manifest)?;
    let run = |input| Run::of(&signature, [(input, 0)], cycle_limit);
    let runs: Vec<Run> = inputs.iter().map(run).collect();
    let options = SimOptions {
        unknown: Unknown::Zero,
        ..SimOptions::default()
    };
    let results = engine.run(&runs, &options)?;
    let results = results.into_iter().zip(inputs.iter().zip(runs)).enumerate();
    results
        .map(|(number, (result, (input, run)))| collect(&signature, number, input, run, result))
        .collect()
}

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
            run,
            state: 0,
        }))
    };
    if !result.violations.is_empty() {
        return Err(failed(FailureKind::Protocol(result.violations)));
    }
    let ([timing], [returned]) = (&result.timing[..], &result.returns[..]) else {
        return Err(failed(FailureKind::Hang {
            invocation: 0,
            cycles: cycle_limit,
        }));
    };
    let mut arrays = result.arrays.iter();
    let mut returned = returned.iter();
    let values = |slot: &Slot, patterns: &[BigUint]| {
        let value = |p: &BigUint| Value::wrapped(slot.ty, BigInt::from(p.clone()));
        patterns.iter().map(value).collect::<Vec<_>>()
    };
    let mut params = input.args.clone();
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
