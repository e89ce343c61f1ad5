//! How frontend functions fail: with a diagnostic to report, or after one was reported.

use super::values::ConstValue;
use crate::diagnostics::{Diagnostic, Span};

/// Why a step gave no result.
#[derive(Debug)]
pub enum Failure {
    /// To be reported by whoever stops the propagation.
    Diagnostic(Box<Diagnostic>),
    /// A Python exception, which `except` may catch.
    Raised(Box<Raised>),
    /// A consequence of an error that has been reported.
    Reported,
}

/// A Python exception on its way.
#[derive(Debug)]
pub struct Raised {
    /// Name of its class, if that is one of Python's.
    pub class: &'static str,
    /// The exception object, where one was made.
    pub object: Option<ConstValue>,
    /// What to report if nothing catches it.
    pub diagnostic: Diagnostic,
}

impl Failure {
    /// What to report, if anything.
    pub fn into_diagnostic(self) -> Option<Diagnostic> {
        match self {
            Failure::Diagnostic(diagnostic) => Some(*diagnostic),
            Failure::Raised(raised) => Some(raised.diagnostic),
            Failure::Reported => None,
        }
    }

    /// Adds a located note to what will be reported, unless it has enough of them.
    pub fn note_at(mut self, span: Span, text: impl Into<String>) -> Failure {
        const ENOUGH: usize = 3;
        let diagnostic = match &mut self {
            Failure::Diagnostic(diagnostic) => &mut **diagnostic,
            Failure::Raised(raised) => &mut raised.diagnostic,
            Failure::Reported => return self,
        };
        if diagnostic.notes.len() < ENOUGH {
            diagnostic.notes.push((Some(span), text.into()));
        }
        self
    }
}

/// Result of a frontend step.
pub type Result<T> = std::result::Result<T, Failure>;

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Failure::Diagnostic(Box::new(diagnostic))
    }
}

/// Fails with an error at a place.
pub fn fail<T>(code: &'static str, span: Span, message: impl Into<String>) -> Result<T> {
    Err(Diagnostic::error(code, span, message).into())
}

/// A Python exception of a built-in class.
pub fn raised(class: &'static str, span: Span, message: impl Into<String>) -> Failure {
    Failure::Raised(Box::new(Raised {
        class,
        object: None,
        diagnostic: Diagnostic::error(super::codes::CONST_EVAL, span, message),
    }))
}

/// Fails with a Python exception of a built-in class.
pub fn raise<T>(class: &'static str, span: Span, message: impl Into<String>) -> Result<T> {
    Err(raised(class, span, message))
}
