//! The whole way from source text to netlist, with every form in between kept for printing and checking.

mod choice;
mod device;
mod room;
mod sums;

use crate::arena::Arena;
use crate::codes;
use crate::diagnostics::{Diagnostic, Diagnostics, FileId, SourceMap, Span};
use crate::directives::Directive;
use crate::frontend::Choice;
use crate::ir::{Conversion, FloatFormat, OpKind, Scalar};
use crate::levels::{self, Aim, Decided, Forecast, Foreseen, Level, Limits, Tried};
use crate::machine::fit::Trust;
use crate::machine::program::{Leaf, Program, Side};
use crate::machine::select::Waits;
use crate::parallel;
use crate::progress::Progress;
use crate::prove::design::{Proof, Question};
use crate::rtl::axi::{self, Options};
use crate::rtl::elaborate::network::Part;
use crate::rtl::elaborate::units::{CLOCK, OPERANDS, RESULT, START};
use crate::rtl::interface::block::BlockManifest;
use crate::rtl::interface::manifest::Manifest;
use crate::rtl::interface::operator::OperatorManifest;
use crate::rtl::namer::is_systemverilog_keyword;
use crate::rtl::netlist::Design;
use crate::schedule::device::{Device, Total};
use crate::schedule::late::Saving;
use crate::schedule::{NoSchedule, Schedule, forecast};
use crate::sim::constants;
use crate::sim::depths::{self, Short};
use crate::sim::selfcheck::{self, Budget, Checked};
use crate::transform::Look;
use crate::transform::banks;
use crate::transform::hoist::{self, Depends};
use crate::transform::network::{Network, Process, Users, is_network, needs_processes};
use crate::transform::streamed::{Streamed, Streaming};
use crate::transform::ways::{Ways, Worth};
use crate::transform::written::Before;
use crate::units::float::{self, Operator};
use crate::{directives, frontend, hwarith, ir, machine, prove, rtl, schedule, transform};
use choice::{fastest, in_order, in_turn};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

/// What a compilation aims at.
#[derive(Clone, Debug)]
pub struct Target {
    /// Device model.
    pub device: Device,
    /// Clock period in ns.
    pub period: f64,
    /// Names of passes to leave out.
    pub skip: Vec<String>,
    /// What may be spent on running the result against the reference.
    pub check: Budget,
    /// What the user says about the hardware.
    pub directives: Vec<Directive>,
    /// Whether an initiation interval that is not possible is an error.
    pub strict: bool,
    /// What the compiler directs by itself.
    pub aim: Aim,
    /// Who is told how far a compilation is.
    pub progress: Progress,
    /// From how many registers on it is worth doing things later.
    pub saving: Saving,
    /// Whether streams that are too short stay so.
    pub keep_depths: bool,
    /// Array arguments that become streams, for a block that feeds and drains them.
    pub streamed: Streaming,
    /// Whether the module is the core of such a block, which has one invocation run at a time.
    pub is_core: bool,
}

impl Target {
    /// Whether an invocation may start while others run.
    fn overlaps(&self) -> bool {
        self.aim.level >= Level::Two && !self.is_core
    }

    /// All passes, loops as they are, and no check.
    pub fn new(device: &str, period: f64) -> Result<Target, Diagnostic> {
        let device = Device::load(device)?;
        let Total {
            luts, blocks, ram, ..
        } = device.total;
        let ram = ram.saturating_mul(1024);
        let limits = Limits { luts, blocks, ram };
        Ok(Target {
            device,
            period,
            skip: Vec::new(),
            check: Budget::OFF,
            directives: Vec::new(),
            strict: false,
            aim: Aim {
                level: Level::One,
                limits,
                partition_args: false,
                effort: 1,
            },
            progress: Progress::default(),
            saving: Saving::WORTH,
            keep_depths: false,
            streamed: Streaming::default(),
            is_core: false,
        })
    }
}

/// A compiled kernel in all its forms.
#[derive(Clone, Debug)]
pub struct Compilation {
    /// As the frontend made it; the reference runs this.
    pub program: ir::Program,
    /// What its schedule and the user say about the hardware.
    pub directives: Vec<Directive>,
    /// With what is directed.
    pub directed: ir::Program,
    /// Inlined and transformed.
    pub kernel: ir::Kernel,
    /// Regions of hwarith graphs.
    pub hardware: Program,
    /// Cycles.
    pub schedule: Schedule,
    /// Regions and cycles of the processes of a network; then there is nothing in `hardware` and `schedule`.
    pub parts: Vec<Part>,
    /// The network that it is, with the part that each process is; `None`: it is none.
    pub network: Option<(Network, Vec<usize>)>,
    /// Of all kernels that there might have been, what was tried.
    pub tried: Vec<Tried>,
    /// Passes that changed what became hardware, in order; of a network, those of any process.
    pub passes: Vec<&'static str>,
    /// Netlist.
    pub design: Design,
    /// Description of the ports.
    pub manifest: Manifest,
    /// Warnings of the frontend.
    pub warnings: Diagnostics,
    /// What was checked of the netlist.
    pub checked: Checked,
    /// Array arguments of the program that are streams of the module.
    pub streamed: Vec<Streamed>,
    /// Whether the device has memory of lookup tables, for what is built around the module.
    pub lut_ram: bool,
}

impl Compilation {
    /// Whether the netlist computes the kernel.
    pub fn question(&self) -> Question<'_> {
        Question {
            program: &self.program,
            design: &self.design,
            manifest: &self.manifest,
        }
    }

    /// What the module inside of a block is made from, and its ports: arrays that are streamed are streams in both.
    pub fn inside(&self) -> (&ir::Program, Manifest) {
        let mut manifest = self.manifest.clone();
        if self.streamed.is_empty() {
            return (&self.program, manifest);
        }
        if self.streamed.iter().any(|array| array.is_result) {
            manifest.args.extend(manifest.returns.pop());
        }
        (&self.directed, manifest)
    }

    /// The manifest with all arrays of the program, streamed ones as well, which have no ports then.
    pub fn as_written(&self) -> Manifest {
        let mut manifest = self.manifest.clone();
        for port in manifest.args.iter_mut().chain(&mut manifest.returns) {
            let name = port.name.as_ref();
            if let Some(array) = self.streamed.iter().find(|array| Some(&array.name) == name) {
                port.kind = port.kind.as_array(&array.shape);
            }
        }
        manifest
    }

    /// The block around the kernel's module, with what is known of its arrays.
    ///
    /// Errors, in words for the user: what the options ask for does not fit the kernel.
    pub fn around(&self, options: &Options) -> Result<(Design, BlockManifest), String> {
        let options = Options {
            streamed: self.streamed.clone(),
            before: self.before(),
            lut_ram: self.lut_ram,
            ..options.clone()
        };
        axi::around(&self.design, &self.manifest, &options)
    }

    /// What becomes of what array arguments and results held before the kernel runs, by their names.
    fn before(&self) -> BTreeMap<String, Before> {
        // Too large a program has been refused.
        let found = Before::of(&self.program).unwrap_or_default().into_iter();
        let named = found.filter_map(|(kind, before)| {
            let port = match kind {
                ir::ArrayKind::Param(number) => self.manifest.args.get(number),
                ir::ArrayKind::Result(number) => self.manifest.returns.get(number),
                _ => None,
            };
            Some((port?.name.clone()?, before))
        });
        named.collect()
    }

    /// The SystemVerilog text.
    pub fn systemverilog(&self) -> String {
        rtl::systemverilog::print(&self.design)
    }
}

/// Compiles a kernel of a file down to a netlist. What its schedule says comes before the directives of the target.
///
/// Errors: everything that is wrong with the source, or that has no hardware yet; a netlist that the check finds wrong.
pub fn compile<'t>(
    sources: &mut SourceMap,
    file: FileId,
    choice: impl Into<Choice<'t>>,
    target: &Target,
) -> Result<Compilation, Diagnostics> {
    let choice = choice.into();
    let top = choice.top;
    let reading = target.progress.step("reading the source");
    let mut compiled = typed(sources, file, choice, target.keep_depths)?;
    drop(reading);
    let mut directed = direct(sources, &mut compiled, &target.directives)?;
    let streamed = stream(&mut directed, target, &mut compiled.warnings)?;
    let program = compiled.program.clone();
    if !streamed.is_empty() {
        // What the check after the build compares with; that of the block has the program itself.
        compiled.program = directed.clone();
    }
    let mut compilation = build(sources, compiled, directed, target)?;
    if streamed.iter().any(|array| array.is_result) {
        let Manifest { args, returns, .. } = &mut compilation.manifest;
        returns.extend(args.pop());
    }
    (compilation.program, compilation.streamed) = (program, streamed);
    if let Some(top) = top {
        compilation.manifest.top = top.to_string();
    }
    let (warnings, span) = (&mut compilation.warnings, compilation.kernel.span);
    check_foreign_names(&compilation.design, span)?;
    device::warn_of_clock(target, warnings);
    device::warn_of_size(&compilation.design, target, span, warnings);
    Ok(compilation)
}

/// Makes sure that a module of the user's has a name that no other one has.
fn check_foreign_names(design: &Design, span: Span) -> Result<(), Diagnostic> {
    let mut foreign = design
        .modules
        .values()
        .filter_map(|module| module.foreign.as_ref());
    let is_taken = |name: &str| {
        let mut modules = design.modules.values();
        is_systemverilog_keyword(name) || modules.any(|module| module.name == name)
    };
    match foreign.find(|foreign| is_taken(&foreign.module)) {
        None => Ok(()),
        Some(foreign) => {
            let name = &foreign.module;
            let message = format!("the module of an operator cannot be called '{name}'");
            let error = Diagnostic::error(frontend::codes::DECORATOR, span, message);
            Err(error
                .help("the name is a word of SystemVerilog, or that of a module that is written"))
        }
    }
}

/// Makes streams of array arguments of the top kernel; the program stays as it is if there are none.
///
/// Errors: one that has to become one is not walked in order.
fn stream(
    program: &mut ir::Program,
    target: &Target,
    warnings: &mut Diagnostics,
) -> Result<Vec<Streamed>, Diagnostics> {
    if target.streamed.is_none() {
        return Ok(Vec::new());
    }
    // Of a network, processes stay apart.
    let mut with_streams = match Network::of(program)? {
        Some(_) => program.clone(),
        None => ir::Program::alone(transform::inline::inline(program)?),
    };
    let top = with_streams.top;
    let kernel = &mut with_streams.kernels[top];
    let kbits = target.device.total.ram;
    let streamed = target.streamed.run(kernel, kbits, warnings)?;
    if !streamed.is_empty() {
        *program = with_streams;
    }
    Ok(streamed)
}

/// The program with what its schedule says, and after that with further directives. Where these change a float sum, the
/// program itself becomes what the reference then runs.
///
/// Errors: a directive that cannot be carried out.
pub fn direct(
    sources: &SourceMap,
    compiled: &mut frontend::Compiled,
    further: &[Directive],
) -> Result<ir::Program, Diagnostics> {
    compiled.directives.extend_from_slice(further);
    let mut directed = compiled.program.clone();
    let warnings = &mut compiled.warnings;
    directives::apply(&mut directed, &compiled.directives, sources, warnings)?;
    let makes_streams = |directive: &Directive| matches!(directive, Directive::Streamline { .. });
    if compiled.directives.iter().any(makes_streams) {
        deepen_program(&mut directed, warnings, false);
    }
    if directives::reassociates(&compiled.directives) {
        compiled.program = directed.clone();
        let note = "sums of floats come in another order than the kernel says, as reassociate allows; \
                    the reference adds in that order, too";
        warnings.push(Diagnostic::global(codes::DIRECTIVE, note).as_note());
    }
    Ok(directed)
}

/// A kernel of a file as the reference runs it, with the directives of which it has to know, from its schedule and
/// beside it.
///
/// Errors: everything that is wrong with the source or, if there is such a directive, with them.
pub fn referenced<'t>(
    sources: &mut SourceMap,
    file: FileId,
    choice: impl Into<Choice<'t>>,
    keep_depths: bool,
    further: &[Directive],
) -> Result<frontend::Compiled, Diagnostics> {
    let mut compiled = typed(sources, file, choice, keep_depths)?;
    if directives::reassociates(&compiled.directives) || directives::reassociates(further) {
        direct(sources, &mut compiled, further)?;
    }
    Ok(compiled)
}

/// A kernel of a file as it says. Streams that are too short whatever the data are become longer, with a note, or
/// stay as they are, with a warning.
///
/// Errors: everything that is wrong with the source.
fn typed<'t>(
    sources: &mut SourceMap,
    file: FileId,
    choice: impl Into<Choice<'t>>,
    keep_depths: bool,
) -> Result<frontend::Compiled, Diagnostics> {
    let mut compiled = frontend::compile(sources, file, choice)?;
    deepen(&mut compiled, keep_depths);
    warn_of_timing(&mut compiled);
    Ok(compiled)
}

/// Checks every concrete kernel of a file, and the networks that they are.
///
/// Errors: every one that is found.
pub fn check(sources: &mut SourceMap, file: FileId) -> Result<frontend::Checked, Diagnostics> {
    let mut checked = frontend::check(sources, file)?;
    let mut errors = Diagnostics::default();
    for &top in &checked.tops {
        let kernels = std::mem::take(&mut checked.kernels);
        let mut program = ir::Program { kernels, top };
        match Network::of(&program) {
            Ok(Some(_)) => deepen_program(&mut program, &mut checked.warnings, false),
            Ok(None) => {}
            Err(wrong) => errors.0.extend(wrong.0),
        }
        checked.kernels = program.kernels;
    }
    warn_of_asking(&checked.kernels, &mut checked.warnings);
    match errors.has_errors() {
        true => Err(errors),
        false => Ok(checked),
    }
}

/// Makes streams longer that are too short whatever the data are, with a note, or leaves them as they are, with a
/// warning.
pub fn deepen(compiled: &mut frontend::Compiled, keep_depths: bool) {
    deepen_program(&mut compiled.program, &mut compiled.warnings, keep_depths);
}

fn deepen_program(program: &mut ir::Program, warnings: &mut Diagnostics, keep_depths: bool) {
    // What is wrong with a network is said when its hardware is built.
    let Ok(Some(network)) = Network::as_written(program) else {
        return;
    };
    let short = depths::short(&network, program);
    for Short {
        span,
        name,
        depth,
        needed,
        is_enough,
    } in &short
    {
        let does = if *is_enough { "ends" } else { "gets further" };
        let message = format!(
            "'{name}' holds {depth} elements, and the network {does} where it holds {needed}"
        );
        let found = Diagnostic::error(codes::DEADLOCK, *span, message);
        warnings.push(match keep_depths {
            true => found.as_warning(),
            false => found.note("it is made that deep").as_note(),
        });
    }
    if !keep_depths {
        depths::lengthen(program, &short);
    }
}

/// Warns of what depends on timing, once a kernel.
pub fn warn_of_timing(compiled: &mut frontend::Compiled) {
    warn_of_asking(&compiled.program.kernels, &mut compiled.warnings);
}

fn warn_of_asking(kernels: &Arena<ir::Kernel>, warnings: &mut Diagnostics) {
    for kernel in kernels.values() {
        let mut first = None;
        kernel.body.for_each_op(&mut |op| {
            if let OpKind::Attempt { .. } = op.kind {
                first.get_or_insert(op.span);
            }
        });
        let Some(span) = first else { continue };
        let message = format!("what '{}' does depends on timing", kernel.name);
        let warning = Diagnostic::error(codes::TIMING, span, message).as_warning();
        warnings.push(warning.note(
            "co-simulation compares it with the reference where that is told what the hardware found",
        ));
    }
}

/// Builds the hardware of a typed program with what is directed: of the kernels that the passes offer, the one that
/// takes the fewest cycles.
///
/// Errors: constructs without hardware; a loop without a schedule; a netlist that the check finds wrong.
pub fn build(
    sources: &SourceMap,
    compiled: frontend::Compiled,
    mut directed: ir::Program,
    target: &Target,
) -> Result<Compilation, Diagnostics> {
    let top = &directed.kernels[directed.top];
    device::refuse(&compiled.directives, target, top.span)?;
    transform::fold_calls::run(&mut directed, constants::evaluate);
    debug_check("ir", || ir::validate::validate(&directed));
    if is_network(&directed) {
        transform::fills::run_before_calls(&mut directed);
    }
    let Some(network) = Network::of(&directed)? else {
        return build_alone(sources, compiled, directed, target);
    };
    if needs_processes(&directed) || network.has_copies {
        return build_network(sources, compiled, directed, &network, target);
    }
    // Workers that keep apart may as well come one after the other, with all ports and units for each.
    let built = |target: &Target| {
        build_network(
            sources,
            compiled.clone(),
            directed.clone(),
            &network,
            target,
        )
    };
    let beside = match target.check == Budget::OFF {
        // How long a network takes shows when it runs, and what is better does not depend on what is checked.
        true => built(&Target {
            check: Budget::QUICK,
            ..target.clone()
        })
        .or_else(|_| built(target))?,
        false => built(target)?,
    };
    let cycles = |built: &Compilation| {
        let promised = built.manifest.latency.max;
        promised
            .or(built.checked.cycles_alone())
            .unwrap_or(u64::MAX)
    };
    match build_alone(sources, compiled, directed, target) {
        Ok(behind) if cycles(&behind) < cycles(&beside) => Ok(behind),
        Err(errors) if errors.0.iter().any(|error| error.code == codes::INTERNAL) => Err(errors),
        // What has no hardware in that form has it in the other one.
        _ => Ok(beside),
    }
}

/// Builds the hardware of a program as one kernel.
fn build_alone(
    sources: &SourceMap,
    compiled: frontend::Compiled,
    directed: ir::Program,
    target: &Target,
) -> Result<Compilation, Diagnostics> {
    let mut kernel = transform::inline::inline(&directed)?;
    kernel.sum_cycles = sums::cycles(&kernel, target);
    let mut decided = Decided::default();
    if target.aim.level > Level::One {
        let forecast = |kernel: ir::Kernel, worth: &Worth| forecast(kernel, worth, target);
        let step = target.progress.step("looking for what is faster, at most");
        let tell = |done, all| step.part(done, all);
        decided = levels::direct(&mut kernel, sources, &target.aim, &forecast, &tell);
    }
    let Decided {
        sentences: decisions,
        mut tried,
        ways,
    } = decided;
    let step = target.progress.step("scheduling");
    let look = Look {
        skip: &target.skip,
        worth: ways.worth(AS_BUILT).with_alternatives(),
    };
    let offers = transform::run_on(kernel.clone(), &look)?;
    let (planned, passes) = fastest(offers, &mut tried, |kernel| {
        let planned = plan(kernel, target)?;
        let taken = taken(&planned.hardware, &planned.schedule, target);
        let misses = refuse_longer(&planned.warnings, target, planned.kernel.span).is_err();
        Ok((planned, taken, misses))
    })?;
    refuse_longer(&planned.warnings, target, kernel.span)?;
    let (planned, target, room) = room::made(planned, target);
    let target = &target;
    let mut best = elaborate(sources, planned, target);
    drop(step);
    let frontend::Compiled {
        program,
        directives,
        mut warnings,
        ..
    } = compiled;
    warnings.0.append(&mut best.warnings.0);
    let checked = self_check(&program, &best, target.check, &target.progress)
        .map_err(|found| selfcheck::internal_error(found, best.kernel.span.into()))?;
    if target.aim.level == Level::Three {
        let notes = decisions
            .iter()
            .map(|said| Diagnostic::global(codes::FORECAST, said).as_note());
        warnings.0.extend(notes);
    }
    best.design.header.extend(decisions);
    best.design.header.extend(room);
    let banks = banks::found(&kernel, &best.kernel);
    let banks = banks.map(|flag| format!("banks: as {flag} would direct"));
    best.design.header.extend(banks);
    best.design.header.push(checked.sentence());
    best.manifest.checked = checked.to_string();
    best.manifest.sources = rtl::foreign::sources(&best.design);
    Ok(Compilation {
        program,
        directives,
        directed,
        kernel: best.kernel,
        hardware: best.hardware,
        schedule: best.schedule,
        parts: Vec::new(),
        network: None,
        tried,
        passes,
        design: best.design,
        manifest: best.manifest,
        warnings,
        checked,
        streamed: Vec::new(),
        lut_ram: target.device.memory.lut_ram,
    })
}

/// Builds the hardware of a network: each process by itself, and what is around them.
///
/// Errors: those of [`build`]; what processes share in a way that has no hardware.
fn build_network(
    sources: &SourceMap,
    compiled: frontend::Compiled,
    directed: ir::Program,
    network: &Network,
    target: &Target,
) -> Result<Compilation, Diagnostics> {
    let frontend::Compiled {
        program,
        mut warnings,
        directives,
        ..
    } = compiled;
    let notes = network.notes.iter();
    let notes = notes.map(|(span, note)| Diagnostic::error(codes::NETWORK, *span, note).as_note());
    warnings.0.extend(notes);
    // Processes with equal code are one module.
    let mut known: HashMap<(String, Depends), usize> = HashMap::new();
    let mut unlike = Vec::new();
    let mut which = Vec::new();
    for (process, depends) in network.processes.iter().zip(hoist::dependences(network)) {
        let mut unnamed = process.kernel().clone();
        unnamed.name = String::new();
        let text = ir::print::print_kernel(&unnamed, None);
        let number = known.entry((text, depends.clone())).or_insert_with(|| {
            unlike.push((process, depends));
            unlike.len() - 1
        });
        which.push(*number);
    }
    let step = target.progress.step("scheduling processes");
    let (done, all) = (Mutex::new(0), unlike.len() as u64);
    // Each process is built by itself: of what is optional, it has its part of what the device has.
    let mut share = target.clone();
    share.aim.limits.blocks /= network.processes.len().max(1) as u64;
    let found = parallel::map(unlike, |(process, depends)| {
        let found = part(process.kernel(), &depends, &share);
        let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
        *done += 1;
        step.part(*done, all);
        found
    });
    drop(step);
    let mut parts = Vec::new();
    let mut tried = Vec::new();
    let mut passes: BTreeSet<&'static str> = BTreeSet::new();
    for found in found {
        let found = found?;
        warnings.0.extend(found.warnings.0);
        tried.extend(found.tried);
        passes.extend(found.passes);
        parts.push(found.part);
    }
    let options = rtl::elaborate::network::Options {
        may_overlap: target.overlaps(),
        lut_ram: target.device.memory.lut_ram,
    };
    let built = rtl::elaborate::network::build(network, &parts, &which, options, sources);
    let (mut design, manifest) = built?;
    suit_device(&mut design, target);
    debug_check("netlist", || rtl::validate::validate(&design));
    let kernel = &network.kernel;
    design.header = header(&sources.location(kernel.span).to_string(), target);
    let mut built = Hardware {
        kernel: kernel.clone(),
        hardware: Program::empty(&kernel.name, kernel.span),
        schedule: Schedule::empty(target.period),
        design,
        manifest,
        warnings: Diagnostics::default(),
    };
    let checked = self_check(&program, &built, target.check, &target.progress)
        .map_err(|found| selfcheck::internal_error(found, kernel.span.into()))?;
    if let Checked::Not(why) = &checked
        && target.check != Budget::OFF
    {
        let message = format!("the network could not be checked: {why}");
        let warning = Diagnostic::error(codes::DEADLOCK, kernel.span, message);
        warnings.push(warning.as_warning());
    }
    if takes_as_long_always(network, &parts, &which) {
        let cycles = checked.cycles_alone();
        (built.manifest.latency.min, built.manifest.latency.max) = (cycles, cycles);
    }
    built.design.header.push(checked.sentence());
    built.manifest.checked = checked.to_string();
    built.manifest.sources = rtl::foreign::sources(&built.design);
    Ok(Compilation {
        program,
        directed,
        kernel: built.kernel,
        hardware: built.hardware,
        schedule: built.schedule,
        directives,
        parts,
        network: Some((network.clone(), which)),
        tried,
        passes: in_order(&passes),
        design: built.design,
        manifest: built.manifest,
        warnings,
        checked,
        streamed: Vec::new(),
        lut_ram: target.device.memory.lut_ram,
    })
}

/// Whether a network takes the same number of cycles for all data and in all states, as long as nobody outside has it wait: each
/// of its processes does, moves as many elements, and leaves nothing for which the next invocation has to wait until it is gone.
/// None gets from outside in the cycle of the start: where that was measured, elements came a cycle later.
fn takes_as_long_always(network: &Network, parts: &[Part], which: &[usize]) -> bool {
    let users = network.users();
    let is_got = |(id, users): (&ir::ArrayId, &Users)| {
        !network.is_inside(*id) || users.producer.is_none() || !users.consumers.is_empty()
    };
    let takes = |part: &Part| forecast::exact_cycles(&part.program, &part.schedule);
    users.iter().all(is_got)
        && network.are_local_streams_emptied() == Some(true)
        && !network.processes.iter().any(Process::is_timed)
        && !gets_at_once(network, parts, which)
        && parts.iter().all(|part| takes(part).is_some())
}

/// Whether a process that begins with the network gets from a stream of the top kernel in its first cycle.
fn gets_at_once(network: &Network, parts: &[Part], which: &[usize]) -> bool {
    let processes = network.processes.iter().zip(which);
    let mut first = processes.filter(|(process, _)| process.after.is_empty());
    first.any(|(process, number)| {
        let part = &parts[*number];
        let outside = part.streams(process);
        let outside = outside.filter(|(id, _)| !network.is_inside(*id));
        let outside: Vec<_> = outside.map(|(_, stream)| stream.side(Side::Take)).collect();
        let is_got = |leaf: &Leaf| {
            let mut accesses = leaf.accesses.iter();
            leaf.repeat.is_none() && accesses.any(|access| outside.contains(&access.mem))
        };
        part.program.first_leaves().into_iter().any(is_got)
    })
}

/// A process with its schedule, and how it was chosen.
struct FoundPart {
    part: Part,
    warnings: Diagnostics,
    tried: Vec<Tried>,
    passes: Vec<&'static str>,
}

/// A process with its schedule: of the kernels that the passes offer, the one that takes the fewest cycles.
fn part(kernel: &ir::Kernel, depends: &Depends, target: &Target) -> Result<FoundPart, Diagnostics> {
    let span = kernel.span;
    let mut kernel = kernel.clone();
    kernel.sum_cycles = sums::cycles(&kernel, target);
    let offers = transform::run_on(kernel, &Look::all(&target.skip))?;
    let mut tried = Vec::new();
    let ((mut part, warnings), passes) = fastest(offers, &mut tried, |mut kernel| {
        hoist::run(&mut kernel, depends);
        let mut own = Diagnostics::default();
        let (program, schedule) = scheduled(&kernel, target, Trust::Compared, &mut own)?;
        let taken = taken(&program, &schedule, target);
        let misses = refuse_longer(&own, target, span).is_err();
        Ok(((Part { program, schedule }, own), taken, misses))
    })?;
    refuse_longer(&warnings, target, span)?;
    let Part { program, schedule } = &mut part;
    finish(program, schedule, target);
    debug_check("schedule", || {
        schedule::check::check(program, schedule, &target.device)
    });
    Ok(FoundPart {
        part,
        warnings,
        tried,
        passes,
    })
}

/// Makes sure of a netlist: it runs beside the reference, and a small one of integers is proven before.
fn self_check(
    program: &ir::Program,
    built: &Hardware,
    budget: Budget,
    progress: &Progress,
) -> Result<Checked, Diagnostic> {
    let Hardware {
        kernel,
        design,
        manifest,
        ..
    } = built;
    let question = Question {
        program,
        design,
        manifest,
    };
    let run = |budget| {
        let checked = selfcheck::check(program, kernel, design, manifest, budget, progress);
        checked.map_err(|error| error.to_diagnostic())
    };
    let step = progress.step("proving");
    let proof = prove::design::attempt(&question, budget.for_proof());
    drop(step);
    match proof {
        Some(Proof::Proven(_)) => Ok(run(budget.after_proof())?.and_proven()),
        Some(Proof::Refuted(arguments)) => match prove::design::confirm(&question, &arguments) {
            Some(found) => Err(found),
            // It may need a state that the module never comes into.
            None => run(budget),
        },
        _ => run(budget),
    }
}

/// What is to become of one kernel.
struct Planned {
    kernel: ir::Kernel,
    hardware: Program,
    schedule: Schedule,
    warnings: Diagnostics,
}

/// What became of one kernel.
struct Hardware {
    kernel: ir::Kernel,
    hardware: Program,
    schedule: Schedule,
    design: Design,
    manifest: Manifest,
    warnings: Diagnostics,
}

/// What is built takes about what was forecast of it: blocks that overlap take less, and of alternatives nothing is known. What took so
/// many times the cycles of the best one is not looked at again.
const AS_BUILT: u64 = 2;

/// What the best of the kernels that the passes offer, and that are worth a look, will take; `None`: there is no hardware.
fn forecast(kernel: ir::Kernel, worth: &Worth, target: &Target) -> Option<Foreseen> {
    let look = Look {
        skip: &target.skip,
        worth: worth.clone(),
    };
    let offers = transform::run_on(kernel, &look).ok()?;
    let mut forecasts = Vec::new();
    in_turn(offers, |offers| {
        let found = parallel::map(offers, |offer| {
            let mut warnings = Diagnostics::default();
            let found = scheduled(&offer.kernel, target, Trust::Believed, &mut warnings).ok();
            let visits = found.as_ref().map_or(0, |(_, schedule)| schedule.visits);
            let taken = found.map(|(hardware, schedule)| taken(&hardware, &schedule, target));
            (offer, taken, visits)
        });
        let cycles = found
            .iter()
            .map(|(_, taken, _)| Some((false, taken.as_ref()?.cycles)));
        let cycles = cycles.collect();
        forecasts.extend(found);
        cycles
    });
    // Of equal ones the last, which is the plainest, and no alternative: as when it is built.
    let known = forecasts.iter().rev();
    let known = known.filter_map(|(offer, taken, _)| Some((offer.is_alternative, (*taken)?)));
    let best = known
        .min_by_key(|(is_alternative, taken)| (taken.cycles, *is_alternative))?
        .1;
    let visits = forecasts.iter().map(|forecast| forecast.2).sum();
    let taken = forecasts.into_iter().map(|(offer, taken, _)| {
        let cycles = taken.map(|taken| taken.cycles);
        (offer.left_out, cycles)
    });
    let ways = Ways::of(worth, taken);
    Some(Foreseen { best, ways, visits })
}

/// What scheduled hardware will take.
fn taken(hardware: &Program, schedule: &Schedule, target: &Target) -> Forecast {
    let luts = schedule::forecast::luts(hardware, schedule, &target.device);
    let blocks = schedule::forecast::blocks(hardware, schedule);
    Forecast {
        cycles: schedule::forecast::cycles(hardware, schedule),
        luts,
        logic: luts - blocks as f64 * target.device.block_luts(),
        blocks,
        ram: schedule::forecast::ram(hardware, schedule),
    }
}

fn scheduled(
    kernel: &ir::Kernel,
    target: &Target,
    trust: Trust,
    warnings: &mut Diagnostics,
) -> Result<(Program, Schedule), Diagnostics> {
    let mut own = Diagnostics::default();
    let mut found = scheduled_with(kernel, Waits::UnderConditions, target, trust, &mut own)?;
    if schedule::waits_late(&found.0, &found.1) {
        own = Diagnostics::default();
        found = scheduled_with(kernel, Waits::Always, target, trust, &mut own)?;
    }
    warnings.0.append(&mut own.0);
    Ok(found)
}

fn scheduled_with(
    kernel: &ir::Kernel,
    waits: Waits,
    target: &Target,
    trust: Trust,
    warnings: &mut Diagnostics,
) -> Result<(Program, Schedule), Diagnostics> {
    let mut hardware = machine::select::select(kernel, waits, warnings)?;
    machine::regroup::run(&mut hardware, warnings);
    fit(&mut hardware, target, trust, warnings);
    hardware.drop_dead_loads();
    hardware.most_blocks = target.aim.limits.blocks;
    debug_check("hwarith", || hardware.validate());
    machine::bind::bind(&mut hardware, &target.directives)
        .map_err(|why| Diagnostic::error(codes::DIRECTIVE, kernel.span, why))?;
    let mut said = Diagnostics::default();
    let schedule = schedule::schedule(&hardware, &target.device, target.period, &mut said);
    let mut schedule = schedule.map_err(|why| {
        let code = no_schedule_code(&why);
        Diagnostic::error(code, kernel.span, why.to_string())
    })?;
    let is_forecast = trust == Trust::Believed;
    let device = &target.device;
    schedule::asynchronous::improve(&mut hardware, &mut schedule, device, is_forecast, &mut said);
    warnings.0.append(&mut said.0);
    Ok((hardware, schedule))
}

fn no_schedule_code(why: &NoSchedule) -> &'static str {
    match why {
        NoSchedule::Operator(_) => codes::NO_SCHEDULE,
        NoSchedule::Limit(_) => codes::DIRECTIVE,
        NoSchedule::Latency(_) => codes::LATENCY,
    }
}

/// Error: a loop has a longer interval than is directed, where the target is strict about that.
fn refuse_longer(warnings: &Diagnostics, target: &Target, span: Span) -> Result<(), Diagnostic> {
    let refused = warnings.0.iter().find(|d| d.code == codes::INTERVAL);
    match refused.filter(|_| target.strict) {
        Some(refused) => {
            let span = refused.span.unwrap_or(span);
            Err(Diagnostic::error(codes::INTERVAL, span, &refused.message))
        }
        None => Ok(()),
    }
}

/// Regions and cycles of a kernel.
fn plan(kernel: ir::Kernel, target: &Target) -> Result<Planned, Diagnostics> {
    let mut warnings = Diagnostics::default();
    let (hardware, mut schedule) = scheduled(&kernel, target, Trust::Compared, &mut warnings)?;
    if target.overlaps() {
        schedule::overlap::run(&hardware, &mut schedule, &target.device);
    }
    Ok(Planned {
        kernel,
        hardware,
        schedule,
        warnings,
    })
}

/// Gives a schedule that is chosen what changes no cycle: fewer registers, and operators finished for it.
fn finish(hardware: &Program, schedule: &mut Schedule, target: &Target) {
    let (device, overlaps) = (&target.device, target.overlaps());
    schedule::late::delay(hardware, schedule, device, target.saving, overlaps);
    schedule.finish(hardware, &target.device);
}

/// The netlist of what is planned, whose operators are finished for it.
fn elaborate(sources: &SourceMap, planned: Planned, target: &Target) -> Hardware {
    let Planned {
        kernel,
        hardware,
        mut schedule,
        warnings,
    } = planned;
    finish(&hardware, &mut schedule, target);
    if target.overlaps() {
        schedule::release::overlap_invocations(&hardware, &mut schedule);
    }
    debug_check("schedule", || {
        schedule::check::check(&hardware, &schedule, &target.device)
    });
    let (mut design, manifest) = rtl::elaborate::build(&hardware, &schedule, sources);
    suit_device(&mut design, target);
    debug_check("netlist", || rtl::validate::validate(&design));
    design.header = header(&sources.location(kernel.span).to_string(), target);
    Hardware {
        kernel,
        hardware,
        schedule,
        design,
        manifest,
        warnings,
    }
}

/// A stand-alone operator: one pipelined module without control.
#[derive(Clone, Debug)]
pub struct OperatorModule {
    /// Netlist of the one module.
    pub design: Design,
    /// Its ports and latency.
    pub manifest: OperatorManifest,
    /// Rewrites that were left out.
    pub warnings: Diagnostics,
}

/// The module of an operator on floats, e.g. `fadd_f32`: in exactly `latency` cycles, of the descriptions that take no more that with
/// the fewest lookup tables; or of the usual one, in as few as the clock allows. Descriptions with more multiplier blocks than the
/// target's limit do not count.
///
/// Errors: it does not have the format, or takes more cycles or blocks.
pub fn operator(
    op: &Operator,
    format: FloatFormat,
    latency: Option<u32>,
    target: &Target,
) -> Result<OperatorModule, Diagnostic> {
    let ty = Scalar::Float(format);
    if !(op.formats)(format) {
        let message = format!("there is no hardware for '{}' of type {ty} yet", op.name);
        return Err(Diagnostic::global(codes::OPERATOR, message));
    }
    let operands = vec![ty; op.operands()];
    let module = identifier(&format!("{}_{ty}", op.name));
    let build = |make: fn(FloatFormat) -> hwarith::Graph| {
        let (name, graph) = (module.clone(), make(format));
        let result = op.result(format);
        build_operator(op.name, name, &operands, result, &graph, latency, target)
    };
    let usual = sized(build(op.make), target);
    let others = op.fast.filter(|_| latency.is_some() || usual.is_err());
    match (usual, others.map(|make| sized(build(make), target))) {
        (Ok(usual), Some(Ok(other))) if other.1 < usual.1 => Ok(other.0),
        (Err(_), Some(Ok(other))) => Ok(other.0),
        // It is the one that takes fewer cycles.
        (Err(why), Some(Err(other))) if why.code == codes::LATENCY => Err(other),
        (usual, _) => usual.map(|usual| usual.0),
    }
}

/// A module with its lookup tables, about, unless it has more multiplier blocks than there may be.
fn sized(
    built: Result<OperatorModule, Diagnostic>,
    target: &Target,
) -> Result<(OperatorModule, f64), Diagnostic> {
    let built = built?;
    let area = rtl::area::areas(&built.design, &target.device).total();
    let most = target.aim.limits.blocks;
    if area.blocks <= most {
        return Ok((built, area.luts));
    }
    let name = &built.manifest.module;
    let message = format!(
        "'{name}' takes {} multiplier blocks, not {most}",
        area.blocks
    );
    Err(Diagnostic::global(codes::OPERATOR, message))
}

/// The module of a conversion, e.g. `convert_f32_to_f16`, or `convert_f32_to_f16_rz_sat` if it is not that of a cast.
///
/// It takes exactly `latency` cycles, or as few as the clock allows.
///
/// Errors: the types are the same, or it takes more cycles.
pub fn conversion(
    from: Scalar,
    to: Scalar,
    how: Conversion,
    latency: Option<u32>,
    target: &Target,
) -> Result<OperatorModule, Diagnostic> {
    if from == to {
        let message = format!("there is no conversion from {from} to {to}");
        return Err(Diagnostic::global(codes::OPERATOR, message));
    }
    let graph = float::conversion(from, to, how);
    let tag = float::conversion_tag(from, to, how);
    let module = format!(
        "convert_{}_to_{}{tag}",
        identifier(&from.to_string()),
        identifier(&to.to_string())
    );
    let built = build_operator("convert", module, &[from], to, &graph, latency, target);
    sized(built, target).map(|built| built.0)
}

/// A name with every character that SystemVerilog does not allow, as in `apfloat(5,9)`, made a `_`.
fn identifier(name: &str) -> String {
    let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = name.chars().map(word).collect();
    name.trim_end_matches('_').to_string()
}

fn build_operator(
    operator: &str,
    module: String,
    operands: &[Scalar],
    result: Scalar,
    graph: &hwarith::Graph,
    latency: Option<u32>,
    target: &Target,
) -> Result<OperatorModule, Diagnostic> {
    let mut warnings = Diagnostics::default();
    let rebuilt = hwarith::equal::rebuilt(graph.clone(), &mut warnings);
    let mut program = Program::of_unit(&module, rebuilt, result.width());
    fit(&mut program, target, Trust::Compared, &mut warnings);
    debug_check("hwarith", || program.validate());
    let unit = program.units.values().next();
    let unit = unit.expect("the program is one operator");
    let (device, period) = (&target.device, target.period);
    let variant = schedule::operator(unit, device, period, latency, &mut warnings)
        .map_err(|why| Diagnostic::global(no_schedule_code(&why), why.to_string()))?;
    debug_check("schedule", || {
        schedule::check::unit(&variant, device, period)
    });
    device::warn_of_clock(target, &mut warnings);
    let mut design = rtl::elaborate::build_operator(unit, &variant);
    suit_device(&mut design, target);
    debug_check("netlist", || rtl::validate::validate(&design));
    design.header = header(&format!("operator {operator}"), target);
    let latency = variant.latency;
    let ports = operands.iter().zip(OPERANDS);
    let mut manifest = OperatorManifest {
        version: 1,
        operator: operator.to_string(),
        module,
        interface: "pipeline".into(),
        format: operands[0].to_string(),
        clock: (latency > 0).then(|| CLOCK.to_string()),
        operands: ports
            .map(|(ty, name)| rtl::interface::operator::port(Some(name), *ty, name))
            .collect(),
        result: rtl::interface::operator::port(None, result, RESULT),
        latency,
        start: (variant.interval > 1).then(|| START.to_string()),
        ii: variant.interval,
        device: target.device.name.clone(),
        mhz: 1000.0 / target.period,
        checked: String::new(),
    };
    let checked = selfcheck::check_operator(graph, &design, &manifest, target.check)?;
    design.header.push(checked.sentence());
    manifest.checked = checked.to_string();
    Ok(OperatorModule {
        design,
        manifest,
        warnings,
    })
}

/// Memories as the device can have them: large ones as slices, long waits in lookup tables; without memory of lookup tables, what
/// would be made of it is left to the synthesiser. Registers that many operators read are several.
fn suit_device(design: &mut Design, target: &Target) {
    let Device { memory, .. } = &target.device;
    rtl::slices::cut(design, &target.device);
    if memory.lut_ram && !memory.shift_registers {
        rtl::delay_lines::store(design, &target.device);
    }
    if !memory.lut_ram {
        rtl::lut_ram::leave_open(design);
    }
    rtl::replicas::replicate(design);
}

/// Cuts products to the device's multipliers, and other operations to what fits into a cycle.
fn fit(program: &mut Program, target: &Target, trust: Trust, warnings: &mut Diagnostics) {
    let limits = schedule::widest(&target.device, target.period);
    machine::fit::fit(program, limits, trust, warnings);
}

fn header(origin: &str, target: &Target) -> Vec<String> {
    vec![
        format!(
            "Generated by allo-hls {} from {origin}.",
            env!("CARGO_PKG_VERSION"),
        ),
        format!(
            "Target: {}, {:.1} MHz.",
            target.device.name,
            1000.0 / target.period
        ),
    ]
}

/// In debug builds and tests, an invalid form is a bug of the room that made it.
fn debug_check<E: std::fmt::Display>(form: &str, check: impl FnOnce() -> Result<(), E>) {
    if cfg!(debug_assertions)
        && let Err(message) = check()
    {
        panic!("invalid {form}: {message}");
    }
}
