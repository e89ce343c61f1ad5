//! Hardware of a kernel as an object: its texts, and what runs, compares and proves it.

use crate::arguments::{self, Outcome};
use crate::background;
use crate::compiled::{self, Kernel};
use crate::errors::{self, Kind};
use crate::holder::Met;
use crate::json;
use crate::schedule::Schedule;
use allo_hls::cli::{self, prove, simulate};
use allo_hls::diagnostics::{Diagnostic, Diagnostics};
use allo_hls::driver::{self, Compilation, Target};
use allo_hls::frontend::Compiled;
use allo_hls::progress::Progress;
use allo_hls::prove::Limits;
use allo_hls::prove::design::{self, Proof};
use allo_hls::report::trials::{Effort, with_trials};
use allo_hls::report::{Build, html, text};
use allo_hls::rtl::{area, clean::clean};
use allo_hls::sim::cosim::{self, CosimOptions, Report};
use allo_hls::sim::elements::{Between, Invocation};
use allo_hls::sim::model::Engine;
use allo_hls::sim::selfcheck::Budget;
use allo_hls::{directives, rtl};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Cycles without any progress before a simulation counts as hanging.
const CYCLE_LIMIT: u64 = 1 << 32;

/// Columns of a report as a text.
const COLUMNS: usize = 100;

type Shared = Arc<dyn Engine + Send>;

/// A module with what runs it.
struct Built {
    kernel: Kernel,
    compilation: Compilation,
    device: String,
    target: Target,
    /// The simulator of the netlist and Verilator's, each made when it is first asked for.
    engines: [Mutex<Option<Shared>>; 2],
    /// Of a kernel with state, the calls since the last reset, which are simulated again before the next one.
    before: Mutex<Vec<Invocation>>,
}

impl Built {
    fn engine(&self, verilator: bool, progress: &Progress) -> Result<Shared, Diagnostics> {
        let place = &self.engines[usize::from(verilator)];
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*place {
            return Ok(known.clone());
        }
        let _step = progress.step(simulate::preparation(verilator));
        let made: Shared = simulate::engine(&self.compilation, verilator)?.into();
        Ok(place.insert(made).clone())
    }

    /// Runs the module once: what it leaves behind, and its cycles.
    fn simulate(
        &self,
        invocation: Invocation,
        verilator: bool,
        progress: &Progress,
    ) -> Result<(Outcome, u64), Diagnostics> {
        let engine = self.engine(verilator, progress)?;
        let _step = progress.step("running the hardware");
        let Compilation {
            program, manifest, ..
        } = &self.compilation;
        // Calls of a kernel that keeps something wait for one another.
        let mut before = self.kernel.signature.keeps_state.then(|| self.before());
        let mut all = before.as_deref().cloned().unwrap_or_default();
        all.push(invocation);
        let inputs = (&all[..], Between::Nothing);
        let ran = cosim::simulate(program, manifest, &*engine, inputs, CYCLE_LIMIT);
        let mut ran = ran.map_err(|error| error.to_diagnostic())?;
        let ran = ran.pop().expect("there is a result for each invocation");
        if let Some(before) = &mut before {
            **before = all;
        }
        let outcome = Outcome {
            params: ran.params,
            results: ran.results,
        };
        Ok((outcome, ran.cycles))
    }

    fn before(&self) -> MutexGuard<'_, Vec<Invocation>> {
        self.before.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn compare(
        &self,
        options: &CosimOptions,
        verilator: bool,
        progress: &Progress,
    ) -> Result<Report, Diagnostics> {
        let engine = self.engine(verilator, progress)?;
        let step = progress.step("comparing with the reference");
        let Compilation {
            program, manifest, ..
        } = &self.compilation;
        let report = cosim::cosim_on(&*engine, program, manifest, options, &|done, all| {
            step.part(done as u64, all as u64);
        });
        Ok(report.map_err(|error| error.to_diagnostic())?)
    }
}

/// The hardware of a kernel.
#[pyclass(frozen, module = "allo._native")]
pub struct Hardware(Arc<Built>);

/// What a build aims at.
#[derive(FromPyObject)]
struct Aim {
    #[pyo3(item)]
    device: String,
    #[pyo3(item)]
    clock: String,
    #[pyo3(item)]
    level: String,
    #[pyo3(item)]
    strict: bool,
    #[pyo3(item)]
    max_dsp: Option<u64>,
    #[pyo3(item)]
    max_lut: Option<u64>,
    #[pyo3(item)]
    max_ram: Option<u64>,
    #[pyo3(item)]
    partition_args: bool,
    #[pyo3(item)]
    effort: u32,
    #[pyo3(item)]
    check: String,
}

impl Aim {
    fn target(&self, py: Python<'_>, kernel: &Kernel) -> PyResult<Target> {
        let wrong = |name: &str, why: String| PyValueError::new_err(format!("{name}: {why}"));
        let period = cli::parse_clock(&self.clock).map_err(|why| wrong("clock", why))?;
        let target = Target::new(&self.device, period);
        let mut target =
            target.map_err(|error| errors::single(py, Kind::Compile, error, &kernel.sources))?;
        target.aim.level = cli::parse_level(&self.level).map_err(|why| wrong("level", why))?;
        target.aim.partition_args = self.partition_args;
        target.aim.effort = self.effort;
        target.check = self
            .check
            .parse::<Budget>()
            .map_err(|why| wrong("check", why))?;
        target.strict = self.strict;
        let limits = &mut target.aim.limits;
        limits.blocks = self.max_dsp.unwrap_or(limits.blocks);
        limits.luts = self.max_lut.unwrap_or(limits.luts);
        let ram = self.max_ram.map(|kbits| kbits.saturating_mul(1024));
        limits.ram = ram.unwrap_or(limits.ram);
        Ok(target)
    }
}

/// The kernel with what a schedule says, for the reference to run.
fn scheduled(py: Python<'_>, schedule: &Schedule) -> PyResult<(Compiled, allo_hls::ir::Program)> {
    let kernel = &schedule.kernel;
    let mut compiled = Compiled {
        program: kernel.compiled.program.clone(),
        definitions: Default::default(),
        directives: schedule.directives(py)?,
        warnings: Diagnostics::default(),
    };
    let directed = driver::direct(&kernel.sources, &mut compiled, &[]);
    let directed =
        directed.map_err(|wrong| errors::exception(py, Kind::Compile, &wrong, &kernel.sources))?;
    Ok((compiled, directed))
}

/// The kernel as it is scheduled, to be run by the reference.
#[pyfunction]
pub fn software(py: Python<'_>, schedule: &Schedule) -> PyResult<compiled::Compiled> {
    let (compiled, directed) = scheduled(py, schedule)?;
    errors::warn(py, &compiled.warnings, &schedule.kernel.sources)?;
    let compiled = Compiled {
        program: directed,
        ..compiled
    };
    let kernel = Kernel::new(compiled, schedule.kernel.sources.clone(), Met::default());
    Ok(compiled::Compiled(Arc::new(kernel)))
}

#[pymethods]
impl Hardware {
    /// Builds the hardware of a schedule.
    #[new]
    fn new(py: Python<'_>, schedule: &Schedule, aim: Aim) -> PyResult<Hardware> {
        let kernel = &schedule.kernel;
        let target = aim.target(py, kernel)?;
        let (compiled, directed) = scheduled(py, schedule)?;
        let sources = kernel.sources.clone();
        let mut used = target.clone();
        let built = background::run_shown(py, move |progress| {
            used.progress = progress.clone();
            driver::build(&sources, compiled, directed, &used)
        })?;
        let compilation =
            built.map_err(|wrong| errors::exception(py, Kind::Compile, &wrong, &kernel.sources))?;
        errors::warn(py, &compilation.warnings, &kernel.sources)?;
        // The arguments of calls are the kernel's.
        let called = Compiled {
            program: compilation.program.clone(),
            definitions: Default::default(),
            directives: Vec::new(),
            warnings: Diagnostics::default(),
        };
        Ok(Hardware(Arc::new(Built {
            kernel: Kernel::new(called, kernel.sources.clone(), Met::default()),
            compilation,
            device: aim.device,
            target,
            engines: Default::default(),
            before: Mutex::default(),
        })))
    }

    /// Runs the module: the result, and the cycles that it took.
    fn run<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        named: Option<&Bound<'py, PyDict>>,
        verilator: bool,
    ) -> PyResult<(Bound<'py, PyAny>, u64)> {
        let built = &self.0;
        let mut cycles = 0;
        let result = built.kernel.call(args, named, |py, invocation| {
            let worker = built.clone();
            let ran = background::run_shown(py, move |progress| {
                worker.simulate(invocation, verilator, progress)
            })?;
            let (outcome, taken) = ran.map_err(|wrong| self.failed(py, Kind::Run, &wrong))?;
            cycles = taken;
            Ok(outcome)
        })?;
        Ok((result, cycles))
    }

    /// Resets the module before the next call.
    fn reset(&self, py: Python<'_>) {
        py.detach(|| self.0.before().clear());
    }

    /// Compares the module with the reference: on these arguments, or on vectors that are drawn. Gives the cycles of
    /// each, how many values were compared, and a summary.
    fn cosim<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        vectors: usize,
        seed: u64,
        verilator: bool,
        waveform: Option<std::path::PathBuf>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (py, built) = (args.py(), &self.0);
        let signature = &built.kernel.signature;
        let given = match args.is_empty() {
            true => None,
            false => {
                let args = arguments::in_order(&built.kernel.name, signature, args, None)?;
                let invocation = arguments::read(signature, &built.kernel.written, &args)?;
                Some(vec![invocation])
            }
        };
        let options = CosimOptions {
            vectors,
            seed,
            args: given,
            waveform,
            ..CosimOptions::default()
        };
        let worker = built.clone();
        let report = background::run_shown(py, move |progress| {
            worker.compare(&options, verilator, progress)
        })?;
        let report = report.map_err(|wrong| self.failed(py, Kind::Run, &wrong))?;
        let text = simulate::summary(&built.compilation, &report)
            + &report.coverage.report(&built.kernel.sources);
        let dict = PyDict::new(py);
        dict.set_item("cycles", &report.cycles)?;
        dict.set_item("compared", report.compared)?;
        dict.set_item("unspecified", report.unspecified)?;
        dict.set_item("interval", report.interval)?;
        dict.set_item("text", text)?;
        Ok(dict)
    }

    /// Proves the module for all inputs within so many seconds. Gives whether it is proven, and numbers or the reason.
    fn prove<'py>(&self, py: Python<'py>, seconds: f64) -> PyResult<Bound<'py, PyDict>> {
        let time = Duration::try_from_secs_f64(seconds)
            .map_err(|why| PyValueError::new_err(format!("time: {why}")))?;
        let worker = self.0.clone();
        let proof = background::run_shown(py, move |progress| {
            let _step = progress.step("proving");
            design::prove(&worker.compilation.question(), &Limits::within(time))
        })?;
        let dict = PyDict::new(py);
        match proof {
            Proof::Proven(found) => {
                dict.set_item("proven", true)?;
                dict.set_item("compared", found.compared)?;
                dict.set_item("solved", found.solved)?;
                dict.set_item("cycles", found.cycles)?;
            }
            Proof::Refuted(arguments) => {
                let wrong = design::refutation(&self.0.compilation.question(), &arguments);
                return Err(self.failed(py, Kind::Run, &wrong.into()));
            }
            Proof::Open(stop) => {
                let why: Diagnostic = prove::undecided(time, &stop, &self.0.compilation);
                dict.set_item("proven", false)?;
                dict.set_item("reason", why.message)?;
            }
        }
        Ok(dict)
    }

    /// The SystemVerilog text.
    #[getter]
    fn verilog(&self) -> String {
        self.0.compilation.systemverilog()
    }

    /// The netlist's text.
    #[getter]
    fn netlist(&self) -> String {
        rtl::print::print(&self.0.compilation.design)
    }

    /// The description of the module.
    #[getter]
    fn manifest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let text = self.0.compilation.manifest.to_json();
        let value =
            serde_json::from_str(&text).map_err(|why| PyValueError::new_err(why.to_string()))?;
        json::to_python(py, &value)
    }

    /// The same as a text.
    #[getter]
    fn manifest_text(&self) -> String {
        self.0.compilation.manifest.to_json()
    }

    /// What the schedule says, as a file for `--directives`.
    #[getter]
    fn directives(&self) -> String {
        directives::to_toml(&self.0.compilation.directives)
    }

    /// The report, with so many builds that try what would lift the bounds of loops: as a text, a page, and JSON.
    fn report(&self, py: Python<'_>, trials: usize) -> PyResult<[String; 3]> {
        let worker = self.0.clone();
        background::run_shown(py, move |progress| {
            let target = Target {
                progress: progress.clone(),
                ..worker.target.clone()
            };
            let build = Build {
                sources: &worker.kernel.sources,
                target: &target,
                compilation: &worker.compilation,
                block: None,
            };
            let report = with_trials(&build, Effort::of(trials));
            [
                text::print(&report, COLUMNS),
                html::page(&report),
                report.to_json(),
            ]
        })
    }

    /// What the hardware is forecast to take of the device.
    fn resources<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Built {
            compilation,
            target,
            device,
            ..
        } = &*self.0;
        let total = area::areas(&clean(&compilation.design), &target.device).total();
        let dict = PyDict::new(py);
        dict.set_item("device", device)?;
        dict.set_item("mhz", 1000.0 / target.period)?;
        dict.set_item("luts", total.luts.round() as u64)?;
        dict.set_item("registers", total.registers.round() as u64)?;
        dict.set_item("dsp", total.blocks)?;
        dict.set_item("ram_bits", total.ram)?;
        Ok(dict)
    }
}

impl Hardware {
    fn failed(&self, py: Python<'_>, kind: Kind, wrong: &Diagnostics) -> PyErr {
        errors::exception(py, kind, wrong, &self.0.kernel.sources)
    }
}
