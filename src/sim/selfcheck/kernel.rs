//! A kernel's module in process against the reference: invocations by themselves, one upon the other, with pauses, after
//! a reset, until the budget is used up. What does not fit into it is compared as far as it comes.

use super::{Budget, Checked, Runs};
use crate::ir::{Kernel, Op, OpKind, Program};
use crate::parallel;
use crate::progress::{self, Progress};
use crate::rtl::interface::manifest::Manifest;
use crate::rtl::netlist::Design;
use crate::sim::cosim::case::{self, Case, Patience, Step};
use crate::sim::cosim::judge::Subject;
use crate::sim::cosim::{CosimError, Failure, FailureKind, Report};
use crate::sim::elements::{Invocation, State};
use crate::sim::inprocess::{Netlist, Ran};
use crate::sim::locate::{Expectation, Kept};
use crate::sim::model::{SimOptions, Unknown};
use crate::sim::reference::{self, Log, Prepared, RunError};
use crate::sim::shell;
use crate::sim::vectors::Rng;
use std::ops::Range;

/// Decides inputs and the unknown state.
const SEED: u64 = 1;
/// Inputs of a round, one of each style; they are run alone and then on the memories of one another.
const ROUND: u64 = 4;
/// Cycles between the starts of those that run on the memories of one another.
const GAPS: [[u32; ROUND as usize]; 2] = [[0; ROUND as usize], [0, 1, 0, 5]];
/// Rounds that take more than one such part of the budget are run on several processors.
const LARGE: u64 = 8;
/// Cases of a round.
const CASES: u64 = ROUND + GAPS.len() as u64;
/// Operations on words that a step of the reference takes as long as.
const STEP: u64 = 40;
/// Cycles that an invocation of a network may take for each operation, and a few: hangs are to be seen within a budget.
const SHORT_LIMIT: (u64, u64) = (24, 500);
/// Operations on words that it takes to prepare a run.
const PREPARATION: u64 = 2_000;
/// Cycles of which less tells too little for what it takes to prepare them.
const LEAST_CYCLES: u64 = 16;
/// Draws of an input whose length the data decide.
const ATTEMPTS: u64 = 5;
/// Stores of a run that are kept.
const STORES: usize = 1 << 16;
/// Cycles without an event beyond those that a module promises.
const PATIENCE: u64 = 64;
/// A reset comes so many cycles after the start at the latest.
const RESET_WITHIN: u64 = 64;

/// Runs the module of a kernel until the budget is used up, and tells how far that is. `made` is what the passes made of the
/// kernel.
///
/// Errors: the module does something else than the reference.
pub fn check(
    program: &Program,
    made: &Kernel,
    design: &Design,
    manifest: &Manifest,
    budget: Budget,
    progress: &Progress,
) -> Result<Checked, CosimError> {
    if budget == Budget::OFF {
        return Ok(Checked::Not("--check off".into()));
    }
    if design.flat_items().saturating_mul(LEAST_CYCLES) > budget.0 {
        let why = "it is too large to run within the budget: --check full has a larger one";
        return Ok(Checked::Not(why.into()));
    }
    let has_streams = shell::is_needed(manifest);
    let check = SelfCheck {
        has_streams,
        subject: Subject::new(program, manifest).map_err(CosimError::Manifest)?,
        netlist: {
            let (design, around) = shell::around(design, manifest).map_err(CosimError::Manifest)?;
            Netlist::new(&design, &around)?
        },
        // What a network makes of its arrays when is not known; it has no operations of its own.
        made: (!has_streams && !made.body.ops.is_empty()).then(|| Program::alone(made.clone())),
        patience: Patience::with(program, manifest),
        assumes: program.kernels.values().any(|kernel| {
            let assumes = |op: &Op| matches!(op.kind, OpKind::Assume { .. } | OpKind::Promise(_));
            kernel.body.any_op(&assumes)
        }),
    };
    let step = progress.step("checking against the reference");
    match check.rounds(budget, &step) {
        Ok(done) => Ok(done.checked()),
        Err(CosimError::Reference(RunError::Unsupported { what, .. })) => {
            Ok(Checked::Not(format!("the reference lacks {what}")))
        }
        Err(CosimError::Reference(RunError::TooLarge { array, .. })) => Ok(Checked::Not(format!(
            "'{array}' is too large for the reference"
        ))),
        Err(error) => Err(error),
    }
}

struct SelfCheck<'a> {
    subject: Subject<'a>,
    netlist: Netlist,
    /// What the passes made of the kernel: it has the stores that the module makes, no more and no fewer.
    made: Option<Program>,
    patience: Patience,
    /// Whether the module has streams, which pause.
    has_streams: bool,
    /// Whether the kernel assumes something of its arguments.
    assumes: bool,
}

impl SelfCheck<'_> {
    /// The first input of a round has half of the budget for itself, the others share the other half. Shares do not know of
    /// one another, so that they can be used up at the same time.
    fn rounds(&self, budget: Budget, told: &progress::Step) -> Result<Done, CosimError> {
        let mut done = Done::default();
        for round in 0.. {
            let left = budget.0.saturating_sub(done.spent);
            // A sixteenth of it is left in the end.
            told.part(done.spent, budget.0 - budget.0 / 16);
            if left < budget.0 / 16 || round > 0 && done.is_hopeless() {
                break;
            }
            // A round is about as large as those before.
            let large = done.spent >= round * (budget.0 / LARGE);
            let share = |first_case| Share {
                check: self,
                left: left / 2,
                runs: 1,
                case: round * CASES + first_case,
                done: Done::default(),
            };
            let first = ROUND * round;
            let inputs = vec![first..first + 1, first + 1..first + ROUND];
            let alone = parallel::map_large(large, inputs, |inputs| {
                share(inputs.start - first).alone(inputs)
            });
            let mut inputs = Vec::new();
            for share in alone {
                let (of_share, its_inputs) = share?;
                done.add(of_share);
                inputs.extend(its_inputs);
            }
            let left = budget.0.saturating_sub(done.spent);
            let numbers = (0..GAPS.len() as u64).collect();
            let chains = parallel::map_large(large, numbers, |number| {
                let share = Share {
                    left: left / 2,
                    ..share(ROUND + number)
                };
                share.chain(&inputs, GAPS[number as usize], ROUND * round)
            });
            for share in chains {
                done.add(share?);
            }
        }
        Ok(done)
    }
}

/// What was done.
#[derive(Default)]
struct Done {
    /// Of the budget.
    spent: u64,
    runs: Runs,
    /// Why the reference has nothing to say of an input.
    unfit: Option<RunError>,
}

impl Done {
    fn add(&mut self, other: Done) {
        self.spent = self.spent.saturating_add(other.spent);
        self.runs.add(other.runs);
        self.unfit = self.unfit.take().or(other.unfit);
    }

    /// Whether nothing can be said of other inputs either.
    fn is_hopeless(&self) -> bool {
        self.unfit.is_some() && self.runs.whole == 0
    }

    fn checked(&self) -> Checked {
        match (self.runs.whole + self.runs.parts, &self.unfit) {
            (0, Some(RunError::Deadlock(deadlock))) => Checked::Not(deadlock.to_string()),
            (0, Some(_)) => Checked::Not("no input was found on which all is as assumed".into()),
            (0, None) => Checked::Not("its control flow depends on unspecified values".into()),
            (_, _) => Checked::Runs(self.runs),
        }
    }
}

/// A share of the budget, and what is done with it.
struct Share<'c> {
    check: &'c SelfCheck<'c>,
    left: u64,
    /// Runs that it is for, those that are over left aside.
    runs: u64,
    /// Number of the next case.
    case: u64,
    done: Done,
}

impl Share<'_> {
    /// Runs inputs of some numbers by themselves; those on which the reference comes to its end are returned.
    fn alone(mut self, numbers: Range<u64>) -> Result<(Done, Vec<Invocation>), CosimError> {
        let mut inputs = Vec::new();
        for number in numbers.clone() {
            if number > numbers.start && self.done.is_hopeless() {
                break;
            }
            self.runs = numbers.end - number;
            let Some(step) = self.draw(number)? else {
                continue;
            };
            if step.outcome.cut.is_none() {
                inputs.push(step.input.clone());
            }
            self.run(number, vec![step], number % ROUND == ROUND - 1)?;
        }
        Ok((self.done, inputs))
    }

    /// Runs inputs on the memories of one another, with pauses between them.
    fn chain(
        mut self,
        inputs: &[Invocation],
        gaps: [u32; ROUND as usize],
        number: u64,
    ) -> Result<Done, CosimError> {
        let options = self.reference(ROUND);
        let pairs = inputs.iter().zip(gaps);
        let steps = case::chain(&self.check.subject.reference, pairs, &options);
        let taken = steps.iter().map(|step| step.outcome.steps).sum();
        self.spend(taken, STEP);
        if steps.len() > 1 {
            self.run(number, steps, false)?;
        }
        Ok(self.done)
    }

    /// Of what is left, what the next run may take.
    fn part(&self) -> u64 {
        self.left / self.runs
    }

    fn spend(&mut self, count: u64, each: u64) {
        let cost = count.saturating_mul(each).saturating_add(PREPARATION);
        self.left = self.left.saturating_sub(cost);
        self.done.spent = self.done.spent.saturating_add(cost);
    }

    /// How the reference runs if it has to share its part of the budget with other runs.
    fn reference(&self, others: u64) -> reference::Options {
        reference::Options {
            check_assumptions: true,
            step_limit: self.part() / 2 / STEP / others,
            log: STORES,
            ..reference::Options::default()
        }
    }

    /// The input of a number with what the reference makes of it, as far as it comes; `None` if nothing can be said of it.
    fn draw(&mut self, number: u64) -> Result<Option<Step>, CosimError> {
        let Subject {
            reference,
            manifest,
            ..
        } = &self.check.subject;
        // Other data would not take less where they do not decide.
        let attempts = match manifest.latency.max {
            Some(_) if !self.check.assumes => 1,
            _ => ATTEMPTS,
        };
        let options = self.reference(attempts);
        let drawn = match case::draw(reference, (SEED, number), attempts, &options) {
            Err(error @ (RunError::Deadlock(_) | RunError::Broken(_))) => {
                self.spend(SHORT_LIMIT.1, STEP);
                self.done.unfit = Some(error);
                return Ok(None);
            }
            drawn => drawn?,
        };
        self.spend(drawn.steps, STEP);
        let known = drawn.outcome.unspecified_control.is_none();
        Ok(known.then_some(Step {
            input: drawn.input,
            outcome: drawn.outcome,
            gap: 0,
        }))
    }

    fn run(&mut self, number: u64, steps: Vec<Step>, reset: bool) -> Result<(), CosimError> {
        let check = self.check;
        let mut case = Case::new(
            &check.subject.reference.signature,
            check.patience,
            number as usize,
            steps,
        );
        if let Some(promised) = check.subject.manifest.latency.max {
            case.run.cycle_limit = promised.saturating_add(PATIENCE);
        } else if check.made.is_none() {
            let steps = case.outcomes.iter().map(|outcome| outcome.steps).max();
            let (each, few) = SHORT_LIMIT;
            case.run.cycle_limit = few + each * steps.unwrap_or(0);
        }
        let state = SEED ^ Rng::new(self.case).next();
        let is_first = self.case == 0;
        self.case += 1;
        if reset {
            let within = check.subject.manifest.latency.max;
            let within = within.unwrap_or(RESET_WITHIN);
            let cycles = 1 + Rng::new(state).below(within.clamp(1, RESET_WITHIN));
            case.run.reset_after = Some(cycles as u32);
        }
        // Streams pause but in the first run, which shows what it takes without that.
        let is_steady = !check.has_streams || is_first;
        let simulation = SimOptions {
            seed: state,
            record: true,
            unknown: match is_steady && check.has_streams {
                true => Unknown::Zero,
                false => Unknown::default(),
            },
            ..SimOptions::default()
        };
        let cost = check.netlist.cost();
        let ran = check
            .netlist
            .run_until(&case.run, &simulation, self.part() / cost)?;
        self.spend(ran.cycles, cost);
        let verdict = self.judge(&case, &ran, is_steady)?;
        verdict.map_err(|kind| self.failure(&case, kind, &ran, state))
    }

    fn judge(
        &mut self,
        case: &Case,
        ran: &Ran,
        is_steady: bool,
    ) -> Result<Result<(), FailureKind>, RunError> {
        let result = &ran.result;
        self.done.runs.cycles += ran.cycles;
        self.done.runs.whole += result.timing.len() as u64;
        let last = case.outcomes.last();
        let cut = last.is_some_and(|outcome| outcome.cut.is_some());
        if !cut && !ran.cut {
            if let ([timing], None, true) = (&result.timing[..], case.run.reset_after, is_steady) {
                let cycles = timing.cycles();
                let (least, most) = self.done.runs.alone.unwrap_or((cycles, cycles));
                self.done.runs.alone = Some((least.min(cycles), most.max(cycles)));
            }
            let verdict = self
                .check
                .subject
                .judge(case, result, &mut Report::default());
            return Ok(verdict.map(drop));
        }
        if cut {
            // The reference did not come to the end of the last one, whatever the module did.
            self.done.runs.whole = self
                .done
                .runs
                .whole
                .saturating_sub(u64::from(!result.timed_out));
        }
        self.done.runs.parts += 1;
        let Some(program) = self.check.made.clone() else {
            return Ok(Ok(()));
        };
        let stores = self.stores_made(case, &program)?;
        let made = Expectation {
            program: &program,
            logs: stores.iter().collect(),
            kept: Kept::All,
        };
        let expectations = [self.check.subject.expected(logs(case)), made];
        Ok(self.check.subject.judge_part(case, &expectations, result))
    }

    /// The stores that the module makes, as far as they can be known.
    fn stores_made(&mut self, case: &Case, program: &Program) -> Result<Vec<Log>, RunError> {
        let options = self.reference(case.inputs.len() as u64);
        let mut logs = Vec::new();
        let made = Prepared::of(program)?;
        // The passes' own arrays, from the reset before the case on.
        let mut state = State::new();
        for input in &case.inputs {
            let input = Invocation {
                state,
                ..input.clone()
            };
            let outcome = made.run_until(&input, &options)?;
            self.spend(outcome.steps, STEP);
            logs.push(outcome.log);
            state = outcome.state;
        }
        Ok(logs)
    }

    fn failure(&self, case: &Case, mut kind: FailureKind, ran: &Ran, state: u64) -> CosimError {
        if let (FailureKind::Mismatch(mismatch), true) = (&mut kind, self.check.made.is_some()) {
            let expectation = self.check.subject.expected(logs(case));
            let followed = self
                .check
                .subject
                .follow(case, &expectation, &ran.result.writes);
            mismatch.first = followed.divergence.map(Box::new);
        }
        CosimError::Failure(Box::new(Failure::new(
            kind,
            &self.check.subject.reference.signature,
            case,
            SEED,
            state,
        )))
    }
}

fn logs(case: &Case) -> impl Iterator<Item = &Log> {
    case.outcomes.iter().map(|outcome| &outcome.log)
}
