//! How frontend functions fail, and the one place where what compile-time Python reports becomes a message.

use super::codes;
use crate::diagnostics::{Diagnostic, Span};
use pyeval::Problem;

pub use pyeval::{Failure, Result};

/// Fails with an error at a place.
pub fn fail<T>(code: &'static str, span: Span, message: impl Into<String>) -> Result<T> {
    Err(Diagnostic::error(code, span, message).into())
}

/// What to report of a failure, if anything.
pub fn diagnostic(failure: Failure) -> Option<Diagnostic> {
    let error = match failure {
        Failure::Error(error) => error,
        Failure::Host(diagnostic) => return Some(*diagnostic),
        Failure::Reported => return None,
    };
    let problem = &error.problem;
    let help = problem.near().map(|near| format!("did you mean '{near}'?"));
    let notes = error.notes.into_iter().map(|(at, text)| (Some(at), text));
    Some(Diagnostic {
        notes: notes.collect(),
        help,
        ..Diagnostic::error(code(problem), error.span, message(problem))
    })
}

fn code(problem: &Problem) -> &'static str {
    match problem {
        Problem::Exception(..)
        | Problem::NothingToRaise
        | Problem::Operands(..)
        | Problem::Unsupported(_) => codes::CONST_EVAL,
        Problem::Raised(..) => codes::RAISED,
        Problem::Assertion(_) => codes::ASSERTION,
        Problem::Index | Problem::Key(_) => codes::INDEX_RANGE,
        Problem::Limit(_) => codes::LIMIT,
        Problem::Frozen(_) | Problem::Target(_) => codes::TARGET,
        Problem::Undefined(_) => codes::UNDEFINED,
        Problem::NoAttribute { .. } => codes::ATTRIBUTE,
        Problem::ArgumentCount { .. }
        | Problem::ArgumentMissing { .. }
        | Problem::NoParameter { .. } => codes::ARGUMENTS,
        Problem::NotCallable(_) => codes::NOT_CALLABLE,
        Problem::NotIndexable(..) => codes::NOT_INDEXABLE,
        Problem::Statement(_) => codes::STATEMENT,
        Problem::Expression(_) | Problem::NoClosure => codes::EXPRESSION,
    }
}

/// The problem's own words, but for those that have a reason in kernels.
fn message(problem: &Problem) -> String {
    match problem {
        Problem::Frozen(name) => {
            let what = name
                .as_ref()
                .map_or("the value".into(), |n| format!("'{n}'"));
            format!("{what} is visible to kernels and cannot change any more")
        }
        Problem::NoClosure => "a function cannot be made in a kernel".to_owned(),
        other => other.to_string(),
    }
}
