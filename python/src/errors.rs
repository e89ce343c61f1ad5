//! Diagnostics as exceptions and warnings; their classes are written in Python, in `allo.errors`.

use crate::json;
use allo_hls::diagnostics::{Diagnostic, Diagnostics, SourceMap};
use pyo3::prelude::*;
use pyo3::types::PyList;

/// What kind of exception it becomes.
#[derive(Clone, Copy)]
pub enum Kind {
    /// A kernel that is wrong, or has no hardware.
    Compile,
    /// A run that went wrong.
    Run,
    /// A call on a schedule.
    Schedule,
}

impl Kind {
    fn raiser(self) -> &'static str {
        match self {
            Kind::Compile => "compile_error",
            Kind::Run => "run_error",
            Kind::Schedule => "schedule_error",
        }
    }
}

/// The exception of some diagnostics.
pub fn exception(
    py: Python<'_>,
    kind: Kind,
    diagnostics: &Diagnostics,
    sources: &SourceMap,
) -> PyErr {
    let made = described(py, diagnostics, sources).and_then(|(texts, all)| {
        let errors = py.import("allo.errors")?;
        errors.call_method1(kind.raiser(), (texts, all))
    });
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// The exception of one diagnostic.
pub fn single(py: Python<'_>, kind: Kind, diagnostic: Diagnostic, sources: &SourceMap) -> PyErr {
    exception(py, kind, &diagnostic.into(), sources)
}

/// Gives warnings and notes to Python's `warnings`.
pub fn warn(py: Python<'_>, diagnostics: &Diagnostics, sources: &SourceMap) -> PyResult<()> {
    if diagnostics.0.is_empty() {
        return Ok(());
    }
    let (texts, all) = described(py, diagnostics, sources)?;
    py.import("allo.errors")?
        .call_method1("warn", (texts, all))
        .map(drop)
}

/// The rendered text of each, and its parts.
fn described<'py>(
    py: Python<'py>,
    diagnostics: &Diagnostics,
    sources: &SourceMap,
) -> PyResult<(Vec<String>, Bound<'py, PyList>)> {
    let texts = diagnostics.0.iter().map(|d| d.render(sources, false));
    let all = PyList::empty(py);
    for diagnostic in &diagnostics.0 {
        all.append(json::to_python(py, &diagnostic.to_json(sources))?)?;
    }
    Ok((texts.collect(), all))
}
