//! Families of what is not legal: a message begins with its family, and each family has its code.

use crate::diagnostics::{Diagnostic, Span};
use crate::frontend::codes;
use crate::frontend::error::{Failure, Result};
use std::fmt::Display;

/// A family; an operation reports the first one that applies, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Element types, and kinds of operands.
    Type,
    /// Attributes such as roundings and patterns.
    Attribute,
    /// Lanes, rows and columns.
    Shape,
    /// What of a tile is valid.
    Region,
    /// Where a tile is.
    Location,
    /// How the elements of a tile are laid out.
    Layout,
    /// What a profile lacks.
    Profile,
}

impl Family {
    fn code(self) -> &'static str {
        match self {
            Family::Type => codes::TYPE_MISMATCH,
            Family::Attribute => codes::ILLEGAL_ATTRIBUTE,
            Family::Shape => codes::PTO_SHAPE,
            Family::Region => codes::VALID_REGION,
            Family::Location => codes::LOCATION,
            Family::Layout => codes::LAYOUT,
            Family::Profile => codes::PROFILE,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Family::Type => "type mismatch",
            Family::Attribute => "illegal attribute",
            Family::Shape => "shape mismatch",
            Family::Region => "valid region mismatch",
            Family::Location => "location mismatch",
            Family::Layout => "layout mismatch",
            Family::Profile => "profile restriction",
        }
    }

    /// The error of this family.
    pub fn error(self, message: impl Display, span: Span) -> Failure {
        self.diagnostic(message, span).into()
    }

    /// The diagnostic of this family.
    pub fn diagnostic(self, message: impl Display, span: Span) -> Diagnostic {
        Diagnostic::error(self.code(), span, format!("{}: {message}", self.text()))
    }

    /// Refuses what is not legal.
    pub fn refuse<T>(self, message: impl Display, span: Span) -> Result<T> {
        Err(self.error(message, span))
    }
}

/// Help for operands of several types.
pub const CONVERT: &str = "nothing is converted by itself here: write `tcvt(x, T)`";

/// Refuses two types in one place.
pub fn type_mismatch<T>(types: [impl Display; 2], place: &str, span: Span) -> Result<T> {
    let [a, b] = types;
    let message = format!("{a}, {b} in {place}");
    Err(Family::Type.diagnostic(message, span).help(CONVERT).into())
}
