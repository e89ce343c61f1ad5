//! A compiled kernel, and calls of it, which the reference carries out.

use crate::arguments::{self, Outcome};
use crate::background;
use crate::errors::{self, Kind};
use crate::holder::Kernels;
use allo_hls::codes;
use allo_hls::diagnostics::{Diagnostic, Diagnostics, SourceMap};
use allo_hls::frontend::{self, hosted};
use allo_hls::ir::analysis::touch;
use allo_hls::ir::{KernelId, Param, Program, print};
use allo_hls::sim::elements::Invocation;
use allo_hls::sim::reference::{self, Options, RunError};
use allo_hls::sim::value::{Signature, Slot};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::collections::HashMap;
use std::sync::Arc;

/// A program with what calls need of it.
#[derive(Debug)]
pub struct Kernel {
    /// Name of the top kernel.
    pub name: String,
    /// Its parameters and results.
    pub signature: Signature,
    /// Which parameters it writes.
    pub written: Vec<bool>,
    /// What was compiled.
    pub compiled: frontend::Compiled,
    /// The files that messages show.
    pub sources: Arc<SourceMap>,
}

impl Kernel {
    /// Of a program.
    pub fn new(compiled: frontend::Compiled, sources: Arc<SourceMap>) -> Kernel {
        let program = &compiled.program;
        Kernel {
            name: program.kernels[program.top].name.clone(),
            signature: Signature::of(program),
            written: written(program),
            compiled,
            sources,
        }
    }

    /// Carries out a call by some means of running.
    pub fn call<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        named: Option<&Bound<'py, PyDict>>,
        run: impl FnOnce(Python<'py>, Invocation) -> PyResult<Outcome>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = args.py();
        let args = arguments::in_order(&self.name, &self.signature, args, named)?;
        let invocation = arguments::read(&self.signature, &self.written, &args)?;
        let outcome = run(py, invocation)?;
        arguments::write(py, &self.signature, &self.written, &args, &outcome)
    }

    /// Runs the reference.
    pub fn reference(
        self: &Arc<Self>,
        py: Python<'_>,
        invocation: Invocation,
        check_bounds: bool,
    ) -> PyResult<Outcome> {
        let options = Options {
            check_bounds,
            interrupted: Some(background::interrupted),
            ..Options::default()
        };
        let has_streams = self.signature.params.iter().any(Slot::is_stream);
        let top = &self.compiled.program.kernels[self.compiled.program.top];
        let is_network = has_streams || allo_hls::transform::network::has_streams(top);
        let ran = match is_network {
            // Its processes are threads, which no signal reaches.
            true => {
                let kernel = self.clone();
                background::run(py, move || {
                    reference::run(&kernel.compiled.program, &invocation, &options)
                })?
            }
            false => py.detach(|| reference::run(&self.compiled.program, &invocation, &options)),
        };
        self.outcome(py, ran)
    }

    fn outcome(
        &self,
        py: Python<'_>,
        ran: Result<reference::Outcome, RunError>,
    ) -> PyResult<Outcome> {
        let mut outcome = match ran {
            Ok(outcome) => outcome,
            Err(RunError::Interrupted) => return Err(PyErr::fetch(py)),
            Err(error) => return Err(self.failed(py, error.to_diagnostic())),
        };
        if let Some(span) = outcome.unspecified_control {
            let why = "what is done from here on depends on a value that nothing has set";
            return Err(self.failed(py, Diagnostic::error(codes::OUT_OF_BOUNDS, span, why)));
        }
        let accesses = outcome.out_of_bounds.iter();
        let warnings = accesses.map(|access| access.to_diagnostic().as_warning());
        errors::warn(py, &Diagnostics(warnings.collect()), &self.sources)?;
        for (&number, &count) in &outcome.cursors {
            outcome.params[number] = outcome.params[number].beginning(count);
        }
        Ok(Outcome {
            params: outcome.params,
            results: outcome.results,
        })
    }

    fn failed(&self, py: Python<'_>, diagnostic: Diagnostic) -> PyErr {
        errors::single(py, Kind::Run, diagnostic, &self.sources)
    }
}

/// Which parameters the top kernel may write.
fn written(program: &Program) -> Vec<bool> {
    let mut known: HashMap<KernelId, Vec<bool>> = HashMap::new();
    // Callees come before their callers.
    for (id, kernel) in program.kernels.iter() {
        let of_callee = |callee: KernelId, at: usize| {
            let params = known.get(&callee);
            params
                .and_then(|params| params.get(at))
                .copied()
                .unwrap_or(true)
        };
        let found = touch::written(&kernel.body, of_callee);
        let params = kernel.params.iter().map(|param| match param {
            Param::Array(array) => found.contains(array),
            Param::Scalar(_) => false,
        });
        known.insert(id, params.collect());
    }
    known.remove(&program.top).unwrap_or_default()
}

/// A compiled kernel.
#[pyclass(frozen, module = "allo._native")]
pub struct Compiled(pub Arc<Kernel>);

#[pymethods]
impl Compiled {
    /// Compiles the kernel of a definition with its templates bound.
    #[new]
    fn new(py: Python<'_>, definition: Py<PyAny>, bindings: Vec<Py<PyAny>>) -> PyResult<Compiled> {
        let (sources, compiled) = background::run(py, move || {
            let mut sources = SourceMap::default();
            let make = move || Kernels::new(definition, bindings);
            let compiled = hosted::compile(&mut sources, make);
            (Arc::new(sources), compiled)
        })?;
        match compiled {
            Ok(compiled) => {
                errors::warn(py, &compiled.warnings, &sources)?;
                Ok(Compiled(Arc::new(Kernel::new(compiled, sources))))
            }
            Err(wrong) => Err(errors::exception(py, Kind::Compile, &wrong, &sources)),
        }
    }

    /// Calls the kernel with arguments by position and by name: the reference runs it.
    fn run<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        named: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.0.call(args, named, |py, invocation| {
            self.0.reference(py, invocation, false)
        })
    }

    /// The text of the kernel in the compiler's first form.
    #[getter]
    fn ir(&self) -> String {
        print::print(&self.0.compiled.program, Some(&self.0.sources))
    }
}
