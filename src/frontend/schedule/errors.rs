//! The classes of errors of schedules, each with its code.

use crate::diagnostics::{Diagnostic, Span};
use crate::frontend::codes;
use std::fmt::Display;

/// The classes, as published.
#[derive(Clone, Copy, Debug)]
pub enum Class {
    Lookup,
    Ambiguous,
    Consumed,
    State,
    Type,
    Argument,
    Transform,
}

/// An error of a class.
pub fn error(class: Class, span: Span, why: impl Display) -> Diagnostic {
    let (name, code) = match class {
        Class::Lookup => ("ScheduleLookupError", codes::SCHEDULE_LOOKUP),
        Class::Ambiguous => ("AmbiguousLookupError", codes::SCHEDULE_AMBIGUOUS),
        Class::Consumed => ("ConsumedHandleError", codes::SCHEDULE_CONSUMED),
        Class::State => ("ScheduleStateError", codes::SCHEDULE_STATE),
        Class::Type => ("ScheduleTypeError", codes::SCHEDULE_TYPE),
        Class::Argument => ("InvalidScheduleArgumentError", codes::SCHEDULE_ARGUMENT),
        Class::Transform => ("ScheduleTransformError", codes::SCHEDULE_TRANSFORM),
    };
    Diagnostic::error(code, span, format!("{name}: {why}"))
}
