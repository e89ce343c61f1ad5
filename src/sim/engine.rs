//! What goes wrong around a simulation, not in what is simulated.

use crate::codes;
use crate::diagnostics::Diagnostic;
use std::path::Path;
use std::process::Command;

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

/// What Verilator, the compiler of its models or a model did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerilatorError {
    /// A program is not installed.
    Missing {
        /// Which.
        what: &'static str,
        /// What was tried, and how to get it.
        help: String,
    },
    /// Verilator refused the SystemVerilog.
    Refused(String),
    /// The C++ compiler refused the model.
    Compiler(String),
    /// The simulation broke down.
    Crashed(String),
}

impl VerilatorError {
    /// The error as a message.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let global = |message: String| Diagnostic::global(codes::VERILATOR, message);
        match self {
            VerilatorError::Missing { what, help } => {
                global(format!("{what} is not installed")).help(help.clone())
            }
            VerilatorError::Refused(log) => {
                global("Verilator refused the generated module".into()).note(log.clone())
            }
            VerilatorError::Compiler(log) => {
                global("the C++ compiler refused the simulation model".into()).note(log.clone())
            }
            VerilatorError::Crashed(log) => {
                global("the simulation broke down".into()).note(log.clone())
            }
        }
    }
}

/// Longest part of a tool's messages that is shown.
const MAX_LOG: usize = 4000;

/// Runs to success, or gives what the program had to say.
pub(super) fn run(command: &mut Command) -> std::result::Result<Vec<u8>, String> {
    let output = command
        .output()
        .map_err(|e| format!("{}: {e}", command.get_program().to_string_lossy()))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = [output.stderr, output.stdout].concat();
    let said: String = String::from_utf8_lossy(&said)
        .chars()
        .take(MAX_LOG)
        .collect();
    Err(format!("{}\n{}", output.status, said.trim_end()))
}
