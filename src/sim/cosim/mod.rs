//! Co-simulation: the reference and the generated module on the same inputs, compared bit for bit.

pub(crate) mod case;
mod failure;
pub(crate) mod judge;
mod report;
mod simulate;

use crate::ir::Program;
use crate::rtl::interface::manifest::Manifest;
use crate::sim::coverage::Coverage;
use crate::sim::elements::{Between, Invocation, State};
use crate::sim::locate::Divergence;
use crate::sim::model::{Engine, MAX_WRITES, Run, SimOptions};
use crate::sim::reference::{self, RunError};
use crate::sim::vectors::Rng;
use crate::sim::verilator::Verilator;
use crate::sim::waveform::Names;
use case::{Case, Drawn, Patience, Step};
pub use failure::{CosimError, Failure, FailureKind, Mismatch};
use judge::Subject;
pub use report::Report;
pub use simulate::{Simulated, simulate};
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
    /// What happens between given inputs. Before generated ones there is a reset, but where they follow one another.
    pub between: Between,
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
            between: Between::default(),
            waveform: None,
            step_limit: 1 << 32,
            threads: 0,
            names: Names::default(),
        }
    }
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
    Subject::new(program, manifest).map_err(CosimError::Manifest)?;
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
    let comparison = Comparison {
        engine,
        subject: Subject::new(program, manifest).map_err(CosimError::Manifest)?,
        patience: Patience::with(program, manifest),
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
    /// All given inputs, with memories of their own, each on the state that the one before left.
    List,
    /// The first inputs once more, one after the other on the memories of the first, with or without pauses.
    Chain { paused: bool },
    /// The first inputs once more, each stopped by a reset and begun again.
    Resets,
}

/// Inputs of one simulation.
const SHARE: usize = 8;
/// Operations that one generated input may take.
const GENERATED_STEPS: u64 = 2_000_000;
/// Invocations that share memories in the cases that start one after the other.
const CHAIN: usize = 4;
/// Cycles after which a reset comes at the latest.
const MAX_RESET_AFTER: u64 = 10_000;
/// Draws of one input before giving up.
const ATTEMPTS: u64 = 12;
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
    subject: Subject<'a>,
    options: &'a CosimOptions,
    patience: Patience,
}

impl Comparison<'_> {
    fn inputs(&self) -> usize {
        let given = self.options.args.as_ref().map(Vec::len);
        given.unwrap_or(self.options.vectors)
    }

    /// Whether each input needs what the one before left.
    fn is_list(&self) -> bool {
        let kept = self.options.between == Between::Nothing;
        self.subject.reference.signature.keeps_state && kept && self.options.args.is_some()
    }

    /// Jobs of inputs with memories of their own.
    fn shares(&self) -> usize {
        match self.is_list() {
            true => 1,
            false => self.inputs().div_ceil(SHARE),
        }
    }

    /// How many jobs there are.
    fn jobs(&self) -> usize {
        self.shares() + 3
    }

    fn job_at(&self, index: usize) -> Job {
        let total = self.inputs();
        match index.checked_sub(self.shares()) {
            None if self.is_list() => Job::List,
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
                coverage: Coverage::of(self.subject.program),
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
        let mut cases = match job {
            Job::Singles(numbers) => self.singles(numbers.clone())?,
            Job::List => self.list()?,
            Job::Chain { paused } => self.chain(*paused)?.into_iter().collect(),
            Job::Resets => self.resets()?,
        };
        let state = self.options.seed ^ Rng::new(index).next();
        let simulation = SimOptions {
            seed: state,
            ..SimOptions::default()
        };
        let mut report = Report::default();
        if let Job::Singles(_) = job {
            report.deadlocks = cases.iter().map(|case| case.deadlocks).sum();
        }
        let mut begun = 0;
        while begun < cases.len() {
            let runs: Vec<Run> = cases[begun..].iter().map(|case| case.run.clone()).collect();
            // A run that hangs, as it may on unspecified values, ends the simulation: start again.
            let results = self.engine.run(&runs, &simulation)?;
            let count = results.len().max(1);
            for (at, result) in results.iter().enumerate() {
                let case = &cases[begun + at];
                let left = self.subject.judge(case, result, &mut report);
                let left = left.map_err(|kind| self.failure(case, kind, state))?;
                // What the next one finds is known only now, if it depends on timing.
                if let (Job::List, Some(left), Some(next)) =
                    (job, left, cases.get_mut(begun + at + 1))
                {
                    next.inputs[0].state = left;
                }
            }
            begun += count;
        }
        Ok(report)
    }

    fn failure(&self, case: &Case, mut kind: FailureKind, state: u64) -> CosimError {
        if let FailureKind::Mismatch(mismatch) = &mut kind {
            mismatch.first = self.locate(case, state).map(Box::new);
        }
        let mut failure = Failure::new(
            kind,
            &self.subject.reference.signature,
            case,
            self.options.seed,
            state,
        );
        failure.foreign = self.subject.manifest.sources.clone();
        CosimError::Failure(Box::new(failure))
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
        let log = |input: &Invocation| {
            let options = reference::Options {
                log: MAX_WRITES,
                ..self.reference(u64::MAX)
            };
            Some(self.subject.reference.run(input, &options).ok()?.log)
        };
        let logs = case.inputs.iter().map(log).collect::<Option<Vec<_>>>()?;
        let expectation = self.subject.expected(&logs);
        let followed = self.subject.follow(case, &expectation, &result.writes);
        followed.divergence
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
    fn input(&self, number: usize) -> Result<Drawn, CosimError> {
        let reference = &self.subject.reference;
        Ok(match &self.options.args {
            Some(given) => {
                let input = given[number].clone();
                let outcome = reference.run(&input, &self.reference(u64::MAX))?;
                Drawn {
                    input,
                    steps: outcome.steps,
                    outcome,
                    deadlocks: 0,
                }
            }
            None => {
                // What takes as long whatever the data are is wanted as it is.
                let options = self.reference(match self.subject.manifest.latency.max {
                    Some(_) => u64::MAX,
                    None => GENERATED_STEPS,
                });
                let place = (self.options.seed, number as u64);
                let drawn = case::draw(reference, place, ATTEMPTS, &options)?;
                match drawn.outcome.cut {
                    Some(limit) => return Err(RunError::StepLimit(limit).into()),
                    None => drawn,
                }
            }
        })
    }

    fn singles(&self, numbers: Range<usize>) -> Result<Vec<Case>, CosimError> {
        let numbers = numbers.start..numbers.end.min(self.inputs());
        let cases = numbers.map(|number| {
            let drawn = self.input(number)?;
            let step = Step {
                input: drawn.input,
                outcome: drawn.outcome,
                gap: 0,
            };
            let mut case = self.case(number, vec![step]);
            case.deadlocks = drawn.deadlocks;
            Ok(case)
        });
        cases.collect()
    }

    fn list(&self) -> Result<Vec<Case>, CosimError> {
        let mut cases: Vec<Case> = Vec::new();
        let mut state = State::new();
        for (number, input) in self.options.args.iter().flatten().enumerate() {
            let input = Invocation {
                state,
                ..input.clone()
            };
            let outcome = self
                .subject
                .reference
                .run(&input, &self.reference(u64::MAX))?;
            state = outcome.state.clone();
            let is_known = outcome.unspecified_control.is_none();
            let step = Step {
                input,
                outcome,
                gap: 0,
            };
            let mut case = self.case(number, vec![step]);
            case.run.reset_after = (number == 0).then_some(0);
            cases.push(case);
            if !is_known {
                break;
            }
        }
        Ok(cases)
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
        let inputs = singles.iter().map(|single| (&single.inputs[0], gap()));
        let reference = &self.subject.reference;
        let steps = case::chain(reference, inputs, &self.reference(limit));
        Ok((steps.len() > 1).then(|| {
            let mut case = self.case(0, steps);
            case.run.is_steady = !paused;
            case
        }))
    }

    fn resets(&self) -> Result<Vec<Case>, CosimError> {
        let mut rng = Rng::new(self.options.seed);
        let mut cases = self.singles(0..CHAIN)?;
        for case in &mut cases {
            let steps = case.outcomes[0].steps;
            let cycles = 1 + rng.below(MAX_RESET_AFTER.min(2 * steps + 8));
            case.run.reset_after = Some(cycles as u32);
        }
        Ok(cases)
    }

    fn case(&self, number: usize, steps: Vec<Step>) -> Case {
        Case::new(
            &self.subject.reference.signature,
            self.patience,
            number,
            steps,
        )
    }

    /// How the reference runs, within some operations.
    fn reference(&self, limit: u64) -> reference::Options {
        reference::Options {
            check_assumptions: true,
            step_limit: limit.min(self.options.step_limit),
            trace: true,
            ..reference::Options::default()
        }
    }
}
