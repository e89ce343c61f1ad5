//! What can come of a comparison but a report, and how it is told.

use super::case::Case;
use crate::codes;
use crate::diagnostics::{Diagnostic, Span};
use crate::sim::elements::Invocation;
use crate::sim::engine::EngineError;
use crate::sim::locate::Divergence;
use crate::sim::model::Run;
use crate::sim::reference::RunError;
use crate::sim::value::{Signature, Slot, Value};
use crate::sim::{args, formats};
use std::path::PathBuf;

/// Why there is no report.
#[derive(Clone, Debug)]
pub enum CosimError {
    /// The reference has no result.
    Reference(RunError),
    /// The simulation could not be built or run.
    Engine(EngineError),
    /// The manifest does not fit the kernel.
    Manifest(String),
    /// The module is wrong.
    Failure(Box<Failure>),
}

impl From<EngineError> for CosimError {
    fn from(error: EngineError) -> Self {
        CosimError::Engine(error)
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
    /// Files of the user's with modules that the engine ran as they are.
    pub(super) foreign: Vec<String>,
    /// What was simulated.
    pub(super) run: Run,
    /// Seed of the simulation's unknown state.
    pub(super) state: u64,
}

/// What a module did wrong.
#[derive(Clone, Debug)]
pub enum FailureKind {
    /// A different value than the reference's.
    Mismatch(Box<Mismatch>),
    /// A write that the reference does not have, in a run that was cut off before it could leave a value behind.
    Write(Box<Divergence>),
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
            Some(first) => {
                let written = format!("first divergence: {}", writes(first));
                note_expected(out, written, first)
            }
            None => out,
        }
    }
}

/// What hardware writes, in words.
fn writes(wrong: &Divergence) -> String {
    format!(
        "in cycle {} of the run hardware writes {} to {}",
        wrong.cycle,
        show(&wrong.slot, &wrong.got),
        wrong.slot.element_name(wrong.position)
    )
}

/// A note of what is written, with what should have been.
fn note_expected(out: Diagnostic, written: String, wrong: &Divergence) -> Diagnostic {
    let Some(expected) = &wrong.expected else {
        return out.note(format!("{written}, which the reference never writes"));
    };
    let text = format!(
        "{written}; the reference stores {}{}, invocation {}",
        show(&wrong.slot, &expected.value),
        expected.iteration_text(),
        expected.invocation
    );
    let out = out.note_at(expected.span, text);
    match expected.operation {
        Some((name, span)) => out.note_at(span, format!("operation '{name}' gives the value")),
        None => out,
    }
}

fn wrong_write(wrong: &Divergence) -> Diagnostic {
    let message = format!("mismatch: {}", writes(wrong));
    let out = match &wrong.expected {
        Some(expected) => Diagnostic::error(codes::MISMATCH, expected.span, message),
        None => Diagnostic::global(codes::MISMATCH, message),
    };
    note_expected(out, "there".into(), wrong)
}

/// Characters of inputs that a message shows at most.
const SHOWN: usize = 4000;

impl CosimError {
    /// The error as a message.
    pub fn to_diagnostic(&self) -> Diagnostic {
        match self {
            CosimError::Reference(error) => error.to_diagnostic(),
            CosimError::Engine(error) => error.to_diagnostic(),
            CosimError::Manifest(why) => Diagnostic::global(
                codes::MANIFEST,
                format!("the manifest does not fit the kernel: {why}"),
            ),
            CosimError::Failure(failure) => {
                let Failure { number, seed, .. } = **failure;
                let out = failure.to_diagnostic();
                let out = out.note(format!("vector {number} of seed {seed}"));
                match &failure.waveform {
                    Some(path) => out.note(format!("waveform in '{}'", path.display())),
                    None => out,
                }
            }
        }
    }
}

impl Failure {
    /// A failure in a case of a comparison with a seed; `state` is the seed of the simulation's unknown state.
    pub(in crate::sim) fn new(
        kind: FailureKind,
        signature: &Signature,
        case: &Case,
        seed: u64,
        state: u64,
    ) -> Failure {
        Failure {
            kind,
            signature: signature.clone(),
            inputs: case.inputs.clone(),
            number: case.number,
            seed,
            waveform: None,
            foreign: Vec::new(),
            run: case.run.clone(),
            state,
        }
    }

    /// The failure and its inputs as a message, at the source line that wrote the element.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let mut out = self.kind.to_diagnostic();
        for (i, input) in self.inputs.iter().enumerate() {
            let which = match i {
                0 => "inputs",
                _ => "then, without reloading memories",
            };
            let text = args::invocation_text(&self.signature, input, SHOWN);
            out = out.note(format!("{which}: {text}"));
        }
        match &self.foreign[..] {
            [] => out,
            files => out.help(format!(
                "modules of {} were run as they are: is their latency and meaning what the kernel says?",
                files.join(", ")
            )),
        }
    }
}

impl FailureKind {
    fn to_diagnostic(&self) -> Diagnostic {
        let global = |message: String| Diagnostic::global(codes::MISMATCH, message);
        match self {
            FailureKind::Mismatch(mismatch) => mismatch.to_diagnostic(),
            FailureKind::Write(wrong) => wrong_write(wrong),
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
