//! `allo-hls run` and `allo-hls cosim`.

use super::input::{load, target};
use super::output::{Printer, Status, emit};
use super::{CosimArgs, CosimEngine, RunArgs, RunEngine};
use allo_hls::codes;
use allo_hls::diagnostics::{Diagnostic, Diagnostics, FileId, Severity, SourceMap};
use allo_hls::driver::{self, Compilation};
use allo_hls::ir::{self, OpKind, Overflow};
use allo_hls::rtl;
use allo_hls::rtl::interface::block::BlockManifest;
use allo_hls::rtl::interface::manifest;
use allo_hls::rtl::netlist::Design;
use allo_hls::sim::args;
use allo_hls::sim::block::{BlockEngine, InProcess, timeless};
use allo_hls::sim::cosim::{self, CosimOptions, Report};
use allo_hls::sim::elements::{Between, Elements, Invocation};
use allo_hls::sim::engine::EngineError;
use allo_hls::sim::inprocess::Netlist;
use allo_hls::sim::model::{Engine, Moved, Traffic};
use allo_hls::sim::reference::{self, Options, Prepared};
use allo_hls::sim::selfcheck::Budget;
use allo_hls::sim::shell;
use allo_hls::sim::value::{Signature, Value};
use allo_hls::sim::verilator::Verilator;
use allo_hls::sim::waveform::{self, Names};
use std::collections::HashSet;
use std::path::Path;

/// Cycles without any progress before a simulation counts as hanging.
const CYCLE_LIMIT: u64 = 1 << 32;

/// What one invocation leaves behind: parameters, then results.
type Outcome = (Vec<Elements>, Vec<Elements>);

/// `allo-hls run`
pub fn run(printer: &Printer, command: &RunArgs) -> Result<(), Status> {
    let mut sources = SourceMap::default();
    run_in(printer, command, &mut sources).map_err(|e| printer.fail(e, &sources))
}

fn run_in(
    printer: &Printer,
    command: &RunArgs,
    sources: &mut SourceMap,
) -> Result<(), Diagnostics> {
    let file = load(sources, command.source.input(), &command.source.python)?;
    let choice = command.source.choice();
    let between = between(command.reset_between);
    let reference = match (command.engine, command.check_bounds) {
        (Some(RunEngine::Rtl | RunEngine::Verilator), true) => {
            let message = "only the software reference checks the bounds of accesses";
            return Err(Diagnostic::global(codes::ENGINE, message)
                .help("--engine reference")
                .into());
        }
        (engine, check_bounds) => check_bounds || engine == Some(RunEngine::Reference),
    };
    let compiled = match reference {
        true => None,
        false => hardware(printer, command, sources, file)?,
    };
    let (signature, inputs, outcomes) = match compiled {
        Some(compiled) => {
            let signature = Signature::of(&compiled.program);
            let inputs = inputs(&signature, command.args.as_deref())?;
            let is_built = command.engine == Some(RunEngine::Verilator);
            let engine = prepared(printer, &compiled, is_built)?;
            let _step = printer.progress.step("running the hardware");
            let mut outcomes = run_hardware(&compiled, &*engine, (&inputs, between))?;
            if has_unspecified(&compiled.program) {
                let (known, _) = run_reference(&compiled.program, (&inputs, between), false)?;
                take_out_unspecified(&mut outcomes, &known);
            }
            (signature, inputs, outcomes)
        }
        None => {
            let (keep_depths, further) =
                (command.target.keep_depths, command.target.directives.all()?);
            let compiled = driver::referenced(sources, file, choice, keep_depths, &further)?;
            printer.diagnostics(&compiled.warnings, sources);
            let signature = Signature::of(&compiled.program);
            let inputs = inputs(&signature, command.args.as_deref())?;
            let _step = printer.progress.step("running the reference");
            let (outcomes, warnings) =
                run_reference(&compiled.program, (&inputs, between), command.check_bounds)?;
            printer.diagnostics(&warnings, sources);
            (signature, inputs, outcomes)
        }
    };
    let is_list = inputs.len() != 1 || command.args.as_deref().is_some_and(is_json_list);
    let bytes = results(&signature, &outcomes, command, is_list)?;
    Ok(emit(command.output.as_deref(), &bytes)?)
}

/// The hardware of the kernel. `None`, with a warning, if it has none and nobody asked for hardware.
fn hardware(
    printer: &Printer,
    command: &RunArgs,
    sources: &mut SourceMap,
    file: FileId,
) -> Result<Option<Compilation>, Diagnostics> {
    let choice = command.source.choice();
    let error = match driver::compile(
        sources,
        file,
        choice,
        &target(printer, &command.target, Budget::QUICK)?,
    ) {
        Ok(compiled) => {
            printer.diagnostics(&compiled.warnings, sources);
            return Ok(Some(compiled));
        }
        Err(error) => error,
    };
    let first = error.0.iter().find(|d| d.severity == Severity::Error);
    match first.filter(|d| command.engine.is_none() && d.code == codes::NO_HARDWARE) {
        None => Err(error),
        Some(why) => {
            let mut warning = why.clone();
            warning.severity = Severity::Warning;
            let warning = warning.note("the software reference runs the kernel instead");
            printer.diagnostics(&warning.into(), sources);
            Ok(None)
        }
    }
}

/// What simulates a compiled kernel, which takes a while where Verilator builds it.
fn prepared(
    printer: &Printer,
    compiled: &Compilation,
    verilator: bool,
) -> Result<Box<dyn Engine>, Diagnostics> {
    let _step = printer.progress.step(preparation(verilator));
    Ok(engine(compiled, verilator)?)
}

/// What is done until a simulator is there, in words.
pub fn preparation(verilator: bool) -> &'static str {
    match verilator {
        true => "building the simulation",
        false => "preparing the simulation",
    }
}

/// What simulates a compiled kernel: Verilator, or the simulator of the netlist.
///
/// # Errors
/// The module cannot be simulated; Verilator is missing.
pub fn engine(
    compiled: &Compilation,
    verilator: bool,
) -> Result<Box<dyn Engine + Send>, Diagnostics> {
    let around = shell::around(&compiled.design, &compiled.manifest);
    let (design, manifest) = around.map_err(|why| EngineError::Manifest(why).to_diagnostic())?;
    let built: Result<Box<dyn Engine + Send>, EngineError> = match verilator {
        true => Verilator::find().and_then(|found| {
            let names = Names::of(&design);
            let text = rtl::systemverilog::print(&design);
            Ok(Box::new(found.engine(&manifest, &text, &names)?) as _)
        }),
        false => Netlist::new(&design, &manifest).map(|n| Box::new(n) as _),
    };
    Ok(built.map_err(|e| e.to_diagnostic())?)
}

/// What simulates a whole block.
fn block_engine(
    design: &Design,
    manifest: &BlockManifest,
    verilator: bool,
) -> Result<Box<dyn Engine>, Diagnostics> {
    let built: Result<Box<dyn Engine>, EngineError> = match verilator {
        true => Verilator::find().and_then(|found| {
            let text = rtl::systemverilog::print(design);
            let socket = found.socket(design, &text)?;
            Ok(Box::new(BlockEngine::new(socket, design, manifest)) as Box<dyn Engine>)
        }),
        false => InProcess::new(design)
            .map(|socket| Box::new(BlockEngine::new(socket, design, manifest)) as _),
    };
    Ok(built.map_err(|e| e.to_diagnostic())?)
}

/// The invocations of an argument file. Without one, the kernel must have no parameter.
fn inputs(signature: &Signature, path: Option<&Path>) -> Result<Vec<Invocation>, Diagnostics> {
    match path {
        Some(path) => args::read_file(signature, path),
        None if signature.params.is_empty() => Ok(vec![Invocation::of(vec![])]),
        None => {
            let names: Vec<&str> = signature.params.iter().map(|p| p.name.as_str()).collect();
            let message = format!("the kernel needs arguments: {}", names.join(", "));
            Err(Diagnostic::global(codes::NO_ARGUMENTS, message)
                .help("give them with --args FILE, a .json or .npz")
                .into())
        }
    }
}

fn is_json_list(path: &Path) -> bool {
    let is_npz = path.extension().is_some_and(|e| e == "npz");
    let starts = |bytes: Vec<u8>| bytes.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'[');
    !is_npz && std::fs::read(path).is_ok_and(starts)
}

fn between(is_reset: bool) -> Between {
    match is_reset {
        true => Between::Reset,
        false => Between::Nothing,
    }
}

fn run_reference(
    program: &ir::Program,
    (inputs, between): (&[Invocation], Between),
    check_bounds: bool,
) -> Result<(Vec<Outcome>, Diagnostics), Diagnostics> {
    let options = Options {
        check_bounds,
        check_assumptions: check_bounds,
        ..Options::default()
    };
    let reference = Prepared::of(program).map_err(|e| e.to_diagnostic())?;
    let outcomes = reference.run_list(inputs, between, &options);
    let (_, outcomes) = outcomes.map_err(|e| e.to_diagnostic())?;
    let mut warnings = Vec::new();
    for outcome in &outcomes {
        let accesses = outcome.out_of_bounds.iter();
        warnings.extend(accesses.map(|access| access.to_diagnostic().as_warning()));
        let left = outcome.left.iter().filter(|_| check_bounds);
        warnings.extend(left.map(reference::Left::to_diagnostic));
    }
    let outcomes = outcomes.into_iter().map(|outcome| {
        // Of streams, what was transferred.
        let mut params = outcome.params;
        for (&number, &count) in &outcome.cursors {
            params[number] = params[number].beginning(count);
        }
        (params, outcome.results)
    });
    Ok((outcomes.collect(), Diagnostics(warnings)))
}

/// Whether the kernel has conversions that the language leaves open, of which `run` has to tell.
fn has_unspecified(program: &ir::Program) -> bool {
    let is_open = |op: &ir::Op| {
        let OpKind::Convert { how, .. } = &op.kind else {
            return false;
        };
        how.overflow == Overflow::Unspecified
    };
    let mut kernels = program.kernels.values();
    kernels.any(|kernel| kernel.body.any_op(&is_open))
}

/// Has the values be unspecified that are in what the reference leaves behind.
fn take_out_unspecified(outcomes: &mut [Outcome], known: &[Outcome]) {
    for (outcome, known) in outcomes.iter_mut().zip(known) {
        let slots = outcome.0.iter_mut().chain(&mut outcome.1);
        for (slot, known) in slots.zip(known.0.iter().chain(&known.1)) {
            for position in 0..slot.len().min(known.len()) {
                if known.get(position).tainted {
                    slot.set(position, Value::unspecified(slot.ty()), None);
                }
            }
        }
    }
}

fn run_hardware(
    compiled: &Compilation,
    engine: &dyn Engine,
    inputs: (&[Invocation], Between),
) -> Result<Vec<Outcome>, Diagnostics> {
    let (program, manifest) = (&compiled.program, &compiled.manifest);
    let simulated = cosim::simulate(program, manifest, engine, inputs, CYCLE_LIMIT)
        .map_err(|e| e.to_diagnostic())?;
    Ok(simulated
        .into_iter()
        .map(|s| (s.params, s.results))
        .collect())
}

fn results(
    signature: &Signature,
    outcomes: &[Outcome],
    command: &RunArgs,
    is_list: bool,
) -> Result<Vec<u8>, Diagnostics> {
    let npz = command
        .output
        .as_deref()
        .is_some_and(|p| p.extension().is_some_and(|e| e == "npz"));
    if npz {
        let [(params, results)] = outcomes else {
            let message = "an .npz file holds the results of one invocation";
            return Err(Diagnostic::global(codes::ONE_RUN_ONLY, message)
                .help("write JSON")
                .into());
        };
        return args::results_npz(signature, params, results, command.bits);
    }
    let shown = outcomes
        .iter()
        .map(|(params, results)| args::results_json(signature, params, results, command.bits));
    let mut shown: Vec<serde_json::Value> = shown.collect();
    let json = match shown.pop() {
        Some(only) if !is_list && shown.is_empty() => only,
        last => serde_json::Value::Array(shown.into_iter().chain(last).collect()),
    };
    Ok(format!("{json}\n").into_bytes())
}

/// `allo-hls cosim`
pub fn cosim(printer: &Printer, command: &CosimArgs) -> Result<(), Status> {
    let mut sources = SourceMap::default();
    cosim_in(printer, command, &mut sources).map_err(|e| printer.fail(e, &sources))
}

fn cosim_in(
    printer: &Printer,
    command: &CosimArgs,
    sources: &mut SourceMap,
) -> Result<(), Diagnostics> {
    let file = load(sources, command.source.input(), &command.source.python)?;
    let mut target = target(printer, &command.target, Budget::OFF)?;
    command.interface.aim(&mut target);
    let compiled = driver::compile(sources, file, command.source.choice(), &target)?;
    printer.diagnostics(&compiled.warnings, sources);
    let signature = Signature::of(&compiled.program);
    let given = match &command.args {
        Some(path) => Some(args::read_file(&signature, path)?),
        None => None,
    };
    if given.as_ref().is_some_and(Vec::is_empty) {
        let message = "the argument file holds no invocation, so that there is nothing to compare";
        return Err(Diagnostic::global(codes::NO_ARGUMENTS, message).into());
    }
    let options = CosimOptions {
        vectors: usize::try_from(command.vectors).unwrap_or(usize::MAX >> 8),
        seed: command.seed,
        args: given,
        between: between(command.reset_between),
        waveform: command.trace.clone(),
        threads: command.jobs,
        ..CosimOptions::default()
    };
    let verilator = command.engine == CosimEngine::Verilator;
    let trace = command.trace.as_deref();
    if !verilator && trace.is_some_and(waveform::is_vcd) {
        let message = "the engine 'rtl' writes FST, not VCD";
        let help = "name the file .fst, or take --engine verilator";
        return Err(Diagnostic::global(codes::ENGINE, message).help(help).into());
    }
    let (engine, manifest) = match command.interface.block(&compiled)? {
        Some(_) if verilator && command.trace.is_some() => {
            let message = "Verilator writes no waveforms of blocks";
            let help = "--engine rtl writes them";
            return Err(Diagnostic::global(codes::ENGINE, message).help(help).into());
        }
        Some(_) if Signature::of(&compiled.program).timed > 0 => {
            let message = "what depends on timing is not recorded at the pins of a block";
            let help = "without --interface, the reference is told what the module found";
            let span = compiled.kernel.span;
            return Err(Diagnostic::error(codes::ENGINE, span, message)
                .help(help)
                .into());
        }
        Some((design, block)) => {
            let _step = printer.progress.step(preparation(verilator));
            let engine = block_engine(&design, &block, verilator)?;
            (engine, timeless(&compiled.as_written()))
        }
        None => (
            prepared(printer, &compiled, verilator)?,
            compiled.manifest.clone(),
        ),
    };
    let step = printer.progress.step("comparing with the reference");
    let program = &compiled.program;
    let report = cosim::cosim_on(&*engine, program, &manifest, &options, &|done, all| {
        step.part(done as u64, all as u64);
    });
    drop(step);
    let report = report.map_err(|e| e.to_diagnostic())?;
    let text = summary(&compiled, &report) + &report.coverage.report(sources);
    Ok(emit(None, text.as_bytes())?)
}

/// What a successful comparison tells.
pub fn summary(compiled: &Compilation, report: &Report) -> String {
    let mut text = format!(
        "{}: {} inputs, {} values compared, all equal\n",
        compiled.manifest.module,
        report.cycles.len(),
        report.compared
    );
    if report.deadlocks > 0 {
        let count = report.deadlocks;
        text += &format!("  {count} inputs on which it deadlocks were left out\n");
    }
    if report.unspecified > 0 {
        text += &format!(
            "  {} values left unspecified by the kernel\n",
            report.unspecified
        );
    }
    if let (Some(least), Some(most)) = (report.cycles.iter().min(), report.cycles.iter().max()) {
        let range = if least == most {
            least.to_string()
        } else {
            format!("{least} to {most}")
        };
        text += &format!("  cycles: {range}\n");
    }
    if report.resets > 0 {
        text += &format!(
            "  {} invocations repeated after a reset in the middle\n",
            report.resets
        );
    }
    if let Some(interval) = report.interval {
        text += &format!("  one invocation every {interval} cycles\n");
    }
    for Traffic {
        bundle,
        reads,
        writes,
    } in &report.traffic
    {
        let all = [(reads, "read"), (writes, "written")].into_iter();
        let moved = all.filter(|(moved, _)| moved.beats > 0);
        let moved = moved.map(|(Moved { beats, cycles }, how)| {
            let percent = *beats as f64 / *cycles as f64 * 100.0;
            format!("{beats} beats {how} in {cycles} cycles ({percent:.1} %)")
        });
        let moved: Vec<String> = moved.collect();
        text += &format!("  {bundle}: {}\n", moved.join(", "));
    }
    // Workers with equal code have equal loops.
    let loops: Vec<String> = compiled.manifest.loops.iter().map(loop_line).collect();
    let mut said = HashSet::new();
    for line in loops.iter().filter(|line| said.insert(*line)) {
        let times = loops.iter().filter(|other| *other == line).count();
        let times = match times {
            1 => String::new(),
            times => format!("{times} times "),
        };
        text += &format!("  {times}{line}\n");
    }
    text
}

/// What binds a loop.
fn loop_line(entry: &manifest::Loop) -> String {
    let number = |n: Option<u64>| n.map_or("?".to_string(), |n| n.to_string());
    let (name, line, trip) = (&entry.name, entry.line, number(entry.trip[1]));
    let Some(ii) = entry.ii else {
        return format!("loop {name} (line {line}): sequential, trip {trip}");
    };
    let depth = number(entry.depth);
    let bound = entry.bound_by.as_deref().unwrap_or("nothing");
    format!("loop {name} (line {line}): II {ii}, trip {trip}, depth {depth}; bound by {bound}")
}
