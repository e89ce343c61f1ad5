//! A compiled kernel, and calls of it, which the reference carries out.

use crate::arguments::{self, Outcome};
use crate::background;
use crate::errors::{self, Kind};
use crate::holder::{Kernels, Met};
use allo_hls::codes;
use allo_hls::diagnostics::{Diagnostic, Diagnostics, SourceMap};
use allo_hls::driver;
use allo_hls::frontend::{self, hosted};
use allo_hls::ir::analysis::touch;
use allo_hls::ir::{KernelId, Param, Program, print};
use allo_hls::sim::elements::{Invocation, State};
use allo_hls::sim::reference::{self, Options, Prepared, RunError};
use allo_hls::sim::value::{Signature, Slot};
use allo_hls::transform::network;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A program with what calls need of it.
pub struct Kernel {
    /// Name of the top kernel.
    pub name: String,
    /// Its parameters and results.
    pub signature: Signature,
    /// Which parameters it writes.
    pub written: Vec<bool>,
    /// The program as the reference runs it, or why it cannot.
    prepared: Result<Prepared<'static>, RunError>,
    /// What the last call left behind for the next one.
    state: Mutex<State>,
    /// What was compiled.
    pub compiled: frontend::Compiled,
    /// The files that messages show.
    pub sources: Arc<SourceMap>,
    /// The definitions that it is made of, by number.
    met: Met,
}

impl Kernel {
    /// Of a program, and the definitions that it is made of.
    pub fn new(compiled: frontend::Compiled, sources: Arc<SourceMap>, met: Met) -> Kernel {
        let program = &compiled.program;
        let prepared = Prepared::owned(program.clone());
        Kernel {
            name: program.kernels[program.top].name.clone(),
            signature: match &prepared {
                Ok(prepared) => prepared.signature.clone(),
                Err(_) => Signature::of(program),
            },
            written: written(program),
            prepared,
            state: Mutex::default(),
            compiled,
            sources,
            met,
        }
    }

    /// The number that the definition of another kernel has in this one; `None`: it has no part in it.
    pub fn number_of(&self, other: &Kernel) -> Option<usize> {
        let own = other.met.get()?.first()?;
        self.met.get()?.iter().position(|one| one.is(own))
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
            check_assumptions: check_bounds,
            interrupted: Some(background::interrupted),
            ..Options::default()
        };
        let has_streams = self.signature.params.iter().any(Slot::is_stream);
        let top = &self.compiled.program.kernels[self.compiled.program.top];
        let progress = background::progress();
        let step = progress.step("running the reference");
        let ran = match has_streams || network::has_streams(top) {
            // Its processes are threads, which no signal reaches.
            true => {
                let kernel = self.clone();
                background::run(py, move || kernel.run(invocation, &options))?
            }
            false => py.detach(|| self.run(invocation, &options)),
        };
        drop(step);
        self.outcome(py, ran)
    }

    /// Without the interpreter's lock: calls of a kernel that keeps something wait for one another.
    fn run(
        &self,
        invocation: Invocation,
        options: &Options,
    ) -> Result<reference::Outcome, RunError> {
        let prepared = self.prepared.as_ref().map_err(Clone::clone)?;
        if !self.signature.keeps_state {
            return prepared.run(&invocation, options);
        }
        let mut state = self.state();
        let invocation = Invocation {
            state: state.clone(),
            ..invocation
        };
        let outcome = prepared.run(&invocation, options)?;
        if outcome.unspecified_control.is_none() {
            *state = outcome.state.clone();
        }
        Ok(outcome)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics with it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets what calls have left behind for later ones.
    pub fn reset(&self, py: Python<'_>) {
        py.detach(|| *self.state() = State::new());
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
    /// Compiles the kernel of a definition with its templates bound; of a grid, if asked for, its first worker.
    #[new]
    #[pyo3(signature = (definition, bindings, as_worker=false))]
    fn new(
        py: Python<'_>,
        definition: Py<PyAny>,
        bindings: Vec<Py<PyAny>>,
        as_worker: bool,
    ) -> PyResult<Compiled> {
        let met = Met::default();
        let shared = met.clone();
        let (sources, compiled) = background::run(py, move || {
            let mut sources = SourceMap::default();
            let make = move || Kernels::new(definition, bindings, shared);
            let compiled = hosted::compile(&mut sources, make, as_worker).map(|mut compiled| {
                driver::deepen(&mut compiled, false);
                driver::warn_of_timing(&mut compiled);
                compiled
            });
            (Arc::new(sources), compiled)
        })?;
        match compiled {
            Ok(compiled) => {
                errors::warn(py, &compiled.warnings, &sources)?;
                Ok(Compiled(Arc::new(Kernel::new(compiled, sources, met))))
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

    /// Sets what the kernel keeps from one call to the next to what it is at first.
    fn reset(&self, py: Python<'_>) {
        self.0.reset(py);
    }

    /// The text of the kernel in the compiler's first form.
    #[getter]
    fn ir(&self) -> String {
        print::print(&self.0.compiled.program, Some(&self.0.sources))
    }
}
