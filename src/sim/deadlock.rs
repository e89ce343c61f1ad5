//! Processes that wait for one another, as an error.

use crate::codes;
use crate::diagnostics::{Diagnostic, Span};
use std::fmt;

/// Processes that wait for one another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// Where each of them waits, and for what.
    pub(super) waits: Vec<(Span, String)>,
    /// Longer queues with which the network ends, and how long they are.
    pub(super) remedy: Vec<(String, u64)>,
}

impl fmt::Display for Deadlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let waits: Vec<&str> = self.waits.iter().map(|wait| wait.1.as_str()).collect();
        write!(f, "it deadlocks: {}", waits.join(", "))
    }
}

impl Deadlock {
    /// The error as a message.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let mut waits = self.waits.iter();
        let (span, first) = waits.next().cloned().unwrap_or_default();
        let message = format!("deadlock: {first}");
        let mut error = Diagnostic::error(codes::DEADLOCK, span, message);
        for (span, what) in waits {
            error = error.note_at(*span, what.clone());
        }
        let holds = |(stream, depth): &(String, u64)| format!("'{stream}' holds {depth} elements");
        let holds: Vec<String> = self.remedy.iter().map(holds).collect();
        match holds.is_empty() {
            true => error,
            false => error.help(format!("it ends where {}", holds.join(" and "))),
        }
    }
}
