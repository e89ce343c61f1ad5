//! What goes wrong around a simulation, not in what is simulated.

use crate::codes;
use crate::diagnostics::Diagnostic;
use crate::sim::verilator::VerilatorError;
use std::path::Path;

/// Why an engine has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineError {
    /// Verilator or the compiler of its models.
    Verilator(VerilatorError),
    /// The manifest does not describe what can be driven.
    Manifest(String),
    /// The netlist cannot be simulated.
    Netlist(String),
    /// A file could not be read or written.
    Io(String),
}

pub(super) type Result<T> = std::result::Result<T, EngineError>;

impl From<VerilatorError> for EngineError {
    fn from(error: VerilatorError) -> Self {
        EngineError::Verilator(error)
    }
}

impl EngineError {
    /// The error as a message.
    pub fn to_diagnostic(&self) -> Diagnostic {
        match self {
            EngineError::Verilator(error) => error.to_diagnostic(),
            EngineError::Manifest(why) => {
                Diagnostic::global(codes::MANIFEST, format!("unusable manifest: {why}"))
            }
            EngineError::Netlist(why) => {
                let message = format!("the netlist cannot be simulated: {why}");
                Diagnostic::global(codes::MISMATCH, message)
            }
            EngineError::Io(why) => Diagnostic::global(codes::OUTPUT_FILE, why.clone()),
        }
    }
}

pub(super) fn io<T>(what: &Path, result: std::io::Result<T>) -> Result<T> {
    result.map_err(|e| EngineError::Io(format!("{}: {e}", what.display())))
}
