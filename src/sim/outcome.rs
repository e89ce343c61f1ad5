//! What a run of the reference is asked for, and what becomes of it.

use crate::codes;
use crate::diagnostics::{Diagnostic, Span};
use crate::ir::{KernelId, ValueId};
use crate::sim::coverage::Coverage;
use crate::sim::deadlock::Deadlock;
use crate::sim::elements::{Elements, State};
use crate::sim::value::Value;
use std::collections::BTreeMap;

/// How to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// An access outside an array's bounds is an error instead of an unspecified value.
    pub check_bounds: bool,
    /// Where something is assumed that is not so, that is an error.
    pub check_assumptions: bool,
    /// Operations executed before giving up.
    pub step_limit: u64,
    /// Count which loops and branches ran.
    pub trace: bool,
    /// So many of the first stores to the top kernel's arrays are kept, in order.
    pub log: usize,
    /// Asked now and then: whether the run is to be given up.
    pub interrupted: Option<fn() -> bool>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            check_bounds: false,
            check_assumptions: false,
            step_limit: 1 << 32,
            trace: false,
            log: 0,
            interrupted: None,
        }
    }
}

/// What a run leaves behind.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// For each parameter its elements after the run (a scalar parameter: its value).
    pub params: Vec<Elements>,
    /// For each result its elements.
    pub results: Vec<Elements>,
    /// Accesses outside an array, one entry for each place in the source.
    pub out_of_bounds: Vec<OutOfBounds>,
    /// Where the control flow came to depend on an unspecified value. The run stops there, and
    /// everything it could have written is unspecified.
    pub unspecified_control: Option<Span>,
    /// Where the run was cut off, if it was; then, too, everything is unspecified.
    pub cut: Option<StepLimit>,
    /// Operations executed.
    pub steps: u64,
    /// Loops and branches executed. Empty without [`Options::trace`].
    pub coverage: Coverage,
    /// Stores to the arrays of the signature.
    pub log: Log,
    /// Elements of streams that were transferred, by the number of the parameter.
    pub cursors: BTreeMap<usize, usize>,
    /// What the next invocation finds.
    pub state: State,
    /// How much more is known of timing ([`crate::sim::elements::Invocation::timed`]) than was asked.
    pub unasked: usize,
    /// What nobody has got from streams of a network, and vanishes.
    pub left: Vec<Left>,
}

/// Elements that are left in a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// The declaration of the stream.
    pub span: Span,
    /// Its name.
    pub stream: String,
    /// How many elements there are.
    pub count: usize,
}

impl Left {
    /// The warning.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let Left { stream, count, .. } = self;
        let message = format!("{count} elements are left in the stream '{stream}', and vanish");
        Diagnostic::error(codes::LEFT_OVER, self.span, message).as_warning()
    }
}

/// The first stores of a run.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// In order.
    pub stores: Vec<Stored>,
    /// Whether there are no others.
    pub whole: bool,
}

/// One store to an array of the signature.
#[derive(Clone, Debug)]
pub struct Stored {
    /// Position among the array parameters and array results.
    pub array: usize,
    /// Row-major position of the element; `None`: all of them, or, if the value is unspecified, any.
    pub position: Option<usize>,
    /// What was stored.
    pub value: Value,
    /// The store.
    pub span: Span,
    /// What computed the value, if one operation did.
    pub source: Option<(KernelId, ValueId)>,
    /// The loops around it, outermost first, with the value of the loop variable (of a `while`, how many
    /// iterations came before).
    pub iteration: Vec<(Span, i128)>,
}

/// Accesses outside an array by one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfBounds {
    /// The access.
    pub span: Span,
    /// The array's name.
    pub array: String,
    /// The array's shape.
    pub shape: Vec<u64>,
    /// Subscripts of the first such access.
    pub indices: Vec<i128>,
    /// Whether it stores.
    pub store: bool,
    /// How many there were.
    pub count: u64,
}

impl OutOfBounds {
    /// The access as a message; the caller chooses its severity.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let verb = if self.store { "store to" } else { "read of" };
        Diagnostic::error(
            codes::OUT_OF_BOUNDS,
            self.span,
            format!(
                "{verb} '{}' out of bounds: index {} in shape {}",
                self.array,
                list(&self.indices),
                list(&self.shape)
            ),
        )
    }
}

fn list<T: ToString>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(T::to_string).collect();
    format!("[{}]", items.join(", "))
}

/// Why a run has no outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunError {
    /// An access out of bounds, where that is asked to be an error.
    OutOfBounds(OutOfBounds),
    /// Too many operations.
    StepLimit(StepLimit),
    /// An operation that the reference does not know (yet).
    Unsupported {
        /// The operation.
        span: Span,
        /// Which.
        what: String,
    },
    /// An array too large to simulate.
    TooLarge {
        /// Its declaration.
        span: Span,
        /// Its name.
        array: String,
    },
    /// Something that is assumed is not so.
    Broken(Span),
    /// Processes wait for one another.
    Deadlock(Deadlock),
    /// The caller gave up.
    Interrupted,
    /// The invocation does not fit the kernel.
    BadInvocation(String),
}

/// A run that was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepLimit {
    /// The operation reached last.
    pub span: Span,
    /// The operations that were allowed.
    pub limit: u64,
    /// If the operation writes all elements of an array: its name, and how many they are.
    pub array: Option<(String, u64)>,
}

impl StepLimit {
    /// The error as a message.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let limit = self.limit;
        let message = format!("the kernel was still running after {limit} operations");
        let out = Diagnostic::error(codes::ENDLESS_RUN, self.span, message);
        match &self.array {
            None => out.note("a loop may never end on these inputs"),
            Some((name, elements)) => out.note(format!(
                "it was writing all {elements} elements of '{name}', each of which counts as an operation"
            )),
        }
    }
}

impl RunError {
    /// The error as a message.
    pub fn to_diagnostic(&self) -> Diagnostic {
        match self {
            RunError::OutOfBounds(access) => access.to_diagnostic(),
            RunError::StepLimit(limit) => limit.to_diagnostic(),
            RunError::Broken(span) => {
                let message = "what is assumed here is not so";
                Diagnostic::error(codes::ASSUMPTION, *span, message)
            }
            RunError::Unsupported { span, what } => Diagnostic::error(
                codes::NO_REFERENCE,
                *span,
                format!("no reference for {what} yet"),
            ),
            RunError::TooLarge { span, array } => Diagnostic::error(
                codes::MEMORY,
                *span,
                format!("array '{array}' is too large to simulate"),
            ),
            RunError::Deadlock(deadlock) => deadlock.to_diagnostic(),
            RunError::Interrupted => {
                Diagnostic::global(codes::ENDLESS_RUN, "the run was interrupted")
            }
            RunError::BadInvocation(why) => Diagnostic::global(codes::ARGUMENT_FILE, why.clone()),
        }
    }
}
