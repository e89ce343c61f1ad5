//! Differential testing: a kernel's text, compiled, against the software reference, cycle-accurate and in process.

use crate::shrink;
use allo_hls::codes;
use allo_hls::diagnostics::{Diagnostics, FileId, SourceMap};
use allo_hls::directives::{self, Directive, Implementation};
use allo_hls::driver::{self, Compilation, Target};
use allo_hls::frontend;
use allo_hls::hwarith;
use allo_hls::ir::{ArrayKind, PartitionKind, Program, partition};
use allo_hls::levels::Level;
use allo_hls::machine::program::{PortArray, PortRef};
use allo_hls::machine::{self, run::State};
use allo_hls::rtl;
use allo_hls::rtl::axi;
use allo_hls::rtl::interface::block::Outstanding;
use allo_hls::schedule::late::Saving;
use allo_hls::sim::block::{BlockEngine, InProcess, timeless};
use allo_hls::sim::cosim::{self, CosimError, CosimOptions, Report};
use allo_hls::sim::elements::Elements;
use allo_hls::sim::elements::Invocation;
use allo_hls::sim::inprocess::Netlist;
use allo_hls::sim::reference::{self, Outcome};
use allo_hls::sim::selfcheck::Budget;
use allo_hls::sim::shell;
use allo_hls::sim::value::{Signature, Value};
use allo_hls::sim::vectors::{self, Rng};
use allo_hls::sim::verilator::Verilator;
use allo_hls::transform::streamed::{Masters, Others, Streaming};
use num_bigint::{BigInt, BigUint};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How a kernel is compiled and driven.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Clock period in ns.
    pub period: f64,
    /// Passes left out.
    pub skip: Vec<String>,
    /// Of inputs, initial state and memory contents.
    pub seed: u64,
    /// Fresh inputs.
    pub vectors: u64,
    /// Whether random directives go to some of the loops.
    pub directed: bool,
    /// What the compiler directs by itself.
    pub level: Level,
    /// Operations that the reference may execute for one invocation.
    pub steps: u64,
}

/// What became of a kernel.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// All values as they should be; how many were compared.
    Right(usize),
    /// Refused with diagnostics.
    Refused(String),
    /// A wrong bit, a panic, a breach of the interface or of the manifest.
    Wrong(String),
}

/// Usual operations of an invocation.
pub const STEPS: u64 = 4_000;

/// The same of networks, which consist of several kernels.
const NETWORK_STEPS: u64 = 40_000;

/// Node evaluations for one invocation of the hwarith program.
const EVALUATIONS: u64 = 3_000_000;

/// Compiles and compares.
pub fn check(text: &str, top: &str, setting: &Setting) -> Verdict {
    match catch_unwind(AssertUnwindSafe(|| check_inner(text, top, setting))) {
        Ok(verdict) => verdict,
        Err(payload) => {
            let message = payload
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string));
            Verdict::Wrong(format!("panic: {}", message.unwrap_or_default()))
        }
    }
}

/// The compilation of a text, checked as it is built; refused or wrong without one.
pub fn compile(text: &str, top: &str, setting: &Setting) -> Result<Compilation, Verdict> {
    compile_within(text, top, setting, None)
}

/// The same, for what is around it.
fn compile_within(
    text: &str,
    top: &str,
    setting: &Setting,
    streamed: Option<Streaming>,
) -> Result<Compilation, Verdict> {
    let mut sources = SourceMap::default();
    let file = sources.add("fuzz.py", text);
    let mut target = Target::new("ecp5", setting.period).expect("a shipped device");
    // Blocks of a word each, so that memories of block RAM are cut into slices.
    let has_tiny_blocks = setting.seed % 4 == 2;
    if has_tiny_blocks {
        target.device.memory.block = 0;
    }
    // Next to no lookup tables, so that registers in a row are made memory.
    if setting.seed % 4 == 3 {
        let tables = target.device.area.values_mut();
        tables.for_each(|tables| *tables /= 100.0);
    }
    // Things are done later for few registers, too.
    if setting.seed % 3 == 1 {
        target.saving = Saving::ANY;
    }
    target.skip.clone_from(&setting.skip);
    target.aim.level = setting.level;
    target.check = Budget::millions(1);
    target.aim.partition_args = streamed.is_none();
    target.is_core = streamed.is_some();
    target.streamed = streamed.unwrap_or_default();
    if setting.directed
        && let Ok(compiled) = frontend::compile(&mut sources, file, Some(top))
    {
        // The last ones are left out first.
        target.directives = limits(&mut sources, file, top, &target, setting.seed);
        let others = directives(&compiled.program, &sources, setting.seed);
        target.directives.extend(others);
        if has_tiny_blocks {
            let arrays = directives::arrays(&compiled.program, &sources).into_iter();
            target
                .directives
                .extend(arrays.map(|array| Directive::Storage {
                    array,
                    r#impl: Implementation::Bram,
                    mem_type: None,
                }));
        }
    }
    let compiled = loop {
        match driver::compile(&mut sources, file, Some(top), &target) {
            // What cannot be carried out is refused; the kernel is built all the same.
            Err(errors) if leave_out(&mut target.directives, &errors) => {}
            compiled => break compiled,
        }
    };
    compiled.map_err(|errors| {
        let text = errors.render(&sources, false);
        match errors.0.iter().any(|error| error.code == codes::INTERNAL) {
            true => Verdict::Wrong(text),
            false => Verdict::Refused(text),
        }
    })
}

/// Removes the directive that was refused, or the last one; whether there was one.
fn leave_out(directives: &mut Vec<Directive>, errors: &Diagnostics) -> bool {
    let mut refused = errors
        .0
        .iter()
        .filter(|error| error.code == codes::DIRECTIVE);
    let Some(error) = refused.next() else {
        return false;
    };
    let is_it = |one: &Directive| error.message.starts_with(&format!("{one}: "));
    match directives.iter().position(is_it) {
        Some(at) => Some(directives.remove(at)),
        None => directives.pop(),
    }
    .is_some()
}

/// Another structure for some loops; then something for about half of the loops and a third of the arrays.
fn directives(program: &Program, sources: &SourceMap, seed: u64) -> Vec<Directive> {
    let mut rng = Rng::new(seed ^ 0xd12e);
    let mut all = Vec::new();
    let number = |rng: &mut Rng, choices: &[i64]| choices[rng.below(choices.len() as u64) as usize];
    let names = directives::loops(program, sources);
    if !names.is_empty() {
        all.extend((0..rng.below(4)).map(|_| step(&mut rng, &names)));
        let arrays = directives::arrays(program, sources);
        all.extend((0..rng.below(3)).map(|_| locality(&mut rng, &names, &arrays)));
    }
    for name in directives::loops(program, sources) {
        match rng.below(4) {
            0 => all.push(Directive::Unroll {
                factor: number(&mut rng, &[0, 2, 3, 4, 7]),
                r#loop: name,
            }),
            1 => all.push(Directive::Pipeline {
                ii: number(&mut rng, &[-1, 0, 1, 2, 5, 30]),
                r#loop: name,
            }),
            _ => {}
        }
    }
    for array in directives::arrays(program, sources) {
        let kind = PartitionKind::ALL.get(rng.below(9) as usize);
        all.extend(kind.map(|&kind| Directive::Partition {
            array: array.clone(),
            r#type: kind,
            factor: match kind {
                PartitionKind::Complete => 0,
                _ => number(&mut rng, &[2, 3, 4, 5]),
            },
            dim: number(&mut rng, &[0, 0, 1]),
        }));
        if rng.below(4) == 0 {
            all.push(Directive::Ports {
                array: array.clone(),
                ports: 1 + rng.below(2) as u32,
            });
        }
        let made_of = Implementation::ALL.get(rng.below(12) as usize);
        let mem_type = ["RAM_1P", "ROM_1P"].get(rng.below(8) as usize);
        all.extend(made_of.map(|&r#impl| Directive::Storage {
            array,
            r#impl,
            mem_type: mem_type.map(ToString::to_string),
        }));
    }
    all
}

/// Limits of some of the operators that the kernel has otherwise.
fn limits(
    sources: &mut SourceMap,
    file: FileId,
    top: &str,
    target: &Target,
    seed: u64,
) -> Vec<Directive> {
    let mut rng = Rng::new(seed ^ 0xb17d);
    let target = Target {
        directives: Vec::new(),
        check: Budget::OFF,
        ..target.clone()
    };
    let Ok(compiled) = driver::compile(sources, file, Some(top), &target) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for unit in compiled.hardware.units.values() {
        if rng.below(3) == 0 {
            all.push(Directive::Bind {
                op: unit.name.clone(),
                units: 1 + rng.below(3) as u32,
            });
        }
    }
    all
}

/// A split of a loop, or something for it and those that come behind it, which may be inside.
fn step(rng: &mut Rng, names: &[String]) -> Directive {
    let first = rng.below(names.len() as u64) as usize;
    let factor = 2 + rng.below(4);
    let count = (2 + rng.below(2) as usize).min(names.len() - first);
    let mut loops = names[first..first + count].to_vec();
    match rng.below(4) {
        0 => Directive::Split {
            r#loop: loops.swap_remove(0),
            factor,
        },
        1 => {
            loops.rotate_left(rng.below(count as u64) as usize);
            Directive::Reorder {
                loops,
                reassociate: false,
            }
        }
        2 => Directive::Tile {
            factors: loops.iter().map(|_| factor).collect(),
            loops,
            reassociate: false,
        },
        _ => Directive::Flatten { loops },
    }
}

/// A loop that comes before another one, or an array in a loop.
fn locality(rng: &mut Rng, loops: &[String], arrays: &[String]) -> Directive {
    let one =
        |rng: &mut Rng, names: &[String]| names[rng.below(names.len() as u64) as usize].clone();
    let axis = one(rng, loops);
    match rng.below(4) {
        0 | 1 if !arrays.is_empty() => Directive::BufferAt {
            buffer: one(rng, arrays),
            axis,
        },
        2 if !arrays.is_empty() => Directive::ReuseAt {
            buffer: one(rng, arrays),
            axis,
            ring: rng.below(2) == 0,
        },
        _ => Directive::ComputeAt {
            producer: one(rng, loops),
            axis,
        },
    }
}

fn check_inner(text: &str, top: &str, setting: &Setting) -> Verdict {
    let compilation = match compile(text, top, setting) {
        Ok(compilation) => compilation,
        Err(verdict) => return verdict,
    };
    match compare(&compilation, setting) {
        Ok(values) => Verdict::Right(values),
        Err(message) => Verdict::Wrong(message),
    }
}

fn compare(compilation: &Compilation, setting: &Setting) -> Result<usize, String> {
    let signature = Signature::of(&compilation.program);
    let fresh = |number| vectors::invocation(&signature, setting.seed, number, 0);
    let inputs: Vec<Invocation> = (0..setting.vectors).map(fresh).collect();
    let (evaluated, steps) = match !compilation.parts.is_empty() {
        // They are not run in that form.
        true => (0, NETWORK_STEPS),
        false => (
            evaluate_on(compilation, &inputs, setting.steps)?,
            setting.steps,
        ),
    };
    Ok(evaluated + compare_on(compilation, &inputs, setting.seed, steps)?.compared as usize)
}

/// Runs the hwarith program on each input, without time, and compares with the reference; counts the elements. A
/// difference here is a fault of the frontend, of a transformation or of the lowering, not of schedule or netlist.
pub fn evaluate_on(
    compilation: &Compilation,
    inputs: &[Invocation],
    steps: u64,
) -> Result<usize, String> {
    let signature = Signature::of(&compilation.program);
    let program = &compilation.hardware;
    let mut compared = 0;
    for (number, invocation) in inputs.iter().enumerate() {
        let Some(outcome) = expected(compilation, invocation, steps) else {
            continue;
        };
        if outcome.unspecified_control.is_some() {
            continue;
        }
        let mut state = State::new(program);
        let mut arrays = patterns(&signature, invocation).into_iter();
        let mut values = scalars(&signature, invocation).into_iter();
        for port in &program.args {
            match port {
                PortRef::Scalar { var, .. } => {
                    let ty = program.vars[*var].ty;
                    let value = values.next().unwrap_or_default();
                    state.vars[*var] = ty.wrap(&BigInt::from(value));
                }
                PortRef::Array(array) => {
                    let words = arrays.next().unwrap_or_default();
                    for (position, word) in words.into_iter().enumerate() {
                        *element(&mut state, array, position) = BigInt::from(word);
                    }
                }
                // Networks are not run in this form.
                PortRef::Stream(_) => {}
            }
        }
        if !machine::run::run(program, &mut state, EVALUATIONS) {
            continue;
        }
        let ran = results(program, &mut state);
        compared += differences(&signature, &outcome, &ran).map_err(|what| {
            format!(
                "hwarith, vector {number}: {what}\n  inputs {:?}",
                show(invocation)
            )
        })?;
    }
    Ok(compared)
}

/// Where an element of an array is among its banks.
fn element<'s>(state: &'s mut State, array: &PortArray, position: usize) -> &'s mut BigInt {
    let (bank, address) = partition::place(&array.shape, &array.partition, position as u64);
    &mut state.mems[array.banks[bank as usize]][address as usize]
}

fn results(program: &machine::program::Program, state: &mut State) -> Ran {
    let bits = |value: &BigInt, width: u32| {
        let wrapped = hwarith::HwType::ui(width).wrap(value);
        wrapped.to_biguint().unwrap_or_default()
    };
    let mut ran = Ran {
        arrays: Vec::new(),
        returns: Vec::new(),
    };
    for (position, port) in program.args.iter().chain(&program.returns).enumerate() {
        match port {
            PortRef::Array(array) => {
                let positions = 0..array.shape.iter().product::<u64>() as usize;
                let width = array.elem.width();
                let words = positions.map(|at| bits(element(state, array, at), width));
                ran.arrays.push(words.collect());
            }
            PortRef::Scalar { var, ty, .. } if position >= program.args.len() => {
                ran.returns.push(bits(&state.vars[*var], ty.width()));
            }
            PortRef::Scalar { .. } | PortRef::Stream(_) => {}
        }
    }
    ran
}

/// The same kernel as a block with AXI interfaces, drawn by the seed, beside memories and streams that pause.
pub fn check_as_block(text: &str, top: &str, setting: &Setting) -> Verdict {
    let checked = catch_unwind(AssertUnwindSafe(|| as_block(text, top, setting)));
    checked.unwrap_or_else(|_| Verdict::Wrong("block: panic".into()))
}

fn as_block(text: &str, top: &str, setting: &Setting) -> Verdict {
    let mut sources = SourceMap::default();
    let file = sources.add("fuzz.py", text);
    let arrays = match frontend::compile(&mut sources, file, Some(top)) {
        // What depends on timing is not recorded at the pins of a block.
        Ok(compiled) if Signature::of(&compiled.program).timed > 0 => return Verdict::Right(0),
        Ok(compiled) => {
            let program = &compiled.program;
            let arrays = program.kernels[program.top].arrays.values();
            let arrays = arrays.filter(|array| matches!(array.kind, ArrayKind::Param(_)));
            let arrays = arrays.filter(|array| array.stream.is_none());
            arrays.map(|array| array.name.clone()).collect::<Vec<_>>()
        }
        Err(errors) => return Verdict::Refused(errors.render(&sources, false)),
    };
    let (options, streamed) = interface(&arrays, setting.seed);
    let setting = &Setting {
        // Arrays in banks are for the interface "ap" alone.
        directed: false,
        ..setting.clone()
    };
    let compilation = match compile_within(text, top, setting, Some(streamed)) {
        Ok(compilation) => compilation,
        Err(verdict) => return verdict,
    };
    let (design, manifest) = match compilation.around(&options) {
        Ok(around) => around,
        Err(why) => return Verdict::Refused(why),
    };
    if let Err(why) = rtl::validate::validate(&design) {
        return Verdict::Wrong(format!("block: {why}"));
    }
    let cosim = CosimOptions {
        vectors: setting.vectors as usize,
        seed: setting.seed,
        step_limit: setting.steps,
        threads: 1,
        ..CosimOptions::default()
    };
    let program = &compilation.program;
    let whole = timeless(&compilation.as_written());
    let ran = InProcess::new(&design)
        .map_err(CosimError::from)
        .map(|socket| BlockEngine::new(socket, &design, &manifest))
        .and_then(|engine| cosim::cosim_on(&engine, program, &whole, &cosim, &|_, _| ()));
    match ran {
        Ok(report) => Verdict::Right(report.compared as usize),
        Err(CosimError::Reference(_)) => Verdict::Right(0),
        Err(error) => Verdict::Wrong(format!("block: {options:?}: {}", explained(&error))),
    }
}

/// What is around a kernel with these arrays.
fn interface(arrays: &[String], seed: u64) -> (axi::Options, Streaming) {
    let mut rng = Rng::new(seed ^ 0xa81);
    let is_axis = rng.below(4) == 0;
    let beat = 4 << rng.below(5);
    let some = |rng: &mut Rng, one_in: u64| -> Vec<String> {
        let arrays = arrays.iter().cloned();
        arrays.filter(|_| rng.below(one_in) == 0).collect()
    };
    let own = if is_axis {
        Vec::new()
    } else {
        some(&mut rng, 3)
    };
    let bundles: Vec<_> = own.into_iter().map(|name| (name.clone(), name)).collect();
    let mut bursts = || 1 + rng.below(4) as u32;
    let outstanding = Outstanding {
        read: bursts(),
        write: bursts(),
    };
    let held = some(&mut rng, 4);
    let streaming = Streaming {
        asked: Vec::new(),
        others: Some(Others {
            held,
            // As if each element took a beat, so that most of what can be is streamed, however wide the bus is.
            masters: (!is_axis).then(|| Masters {
                beat: 1,
                bundles: bundles.clone(),
            }),
        }),
    };
    let options = axi::Options {
        interface: match is_axis {
            true => axi::Interface::Axis,
            false => axi::Interface::Axi,
        },
        width: 8 * beat,
        outstanding,
        bundles,
        ..axi::Options::default()
    };
    (options, streaming)
}

/// The same kernel and inputs in Verilator, with the text that is emitted.
pub fn check_in_verilator(text: &str, top: &str, setting: &Setting) -> Verdict {
    let compilation = match compile(text, top, setting) {
        Ok(compilation) => compilation,
        Err(verdict) => return verdict,
    };
    let options = CosimOptions {
        vectors: setting.vectors as usize,
        seed: setting.seed,
        step_limit: 100 * STEPS,
        ..CosimOptions::default()
    };
    match in_verilator(&compilation, &options) {
        Ok(report) => Verdict::Right(report.compared as usize),
        // No inputs found on which the kernel ends soon.
        Err(CosimError::Reference(_)) => Verdict::Right(0),
        Err(error) => Verdict::Wrong(format!("Verilator: {}", explained(&error))),
    }
}

fn in_verilator(compilation: &Compilation, options: &CosimOptions) -> Result<Report, CosimError> {
    let Compilation {
        program, manifest, ..
    } = compilation;
    let around = shell::around(&compilation.design, manifest);
    let (design, inner) = around.map_err(CosimError::Manifest)?;
    let text = rtl::systemverilog::print(&design);
    let engine = Verilator::find()?.engine(&inner, &text, &options.names)?;
    cosim::cosim_on(&engine, program, manifest, options, &|_, _| ())
}

/// Co-simulates the netlist in process on each input, as `allo-hls cosim --engine rtl` does. Inputs on which the reference
/// takes more than `steps` operations are passed over.
pub fn compare_on(
    compilation: &Compilation,
    inputs: &[Invocation],
    seed: u64,
    steps: u64,
) -> Result<Report, String> {
    let ends = |input: &&Invocation| expected(compilation, input, steps).is_some();
    let options = CosimOptions {
        seed,
        args: Some(inputs.iter().filter(ends).cloned().collect()),
        step_limit: steps,
        threads: 1,
        ..CosimOptions::default()
    };
    let (program, manifest) = (&compilation.program, &compilation.manifest);
    let (design, around) = shell::around(&compilation.design, manifest)?;
    let report = Netlist::new(&design, &around)
        .map_err(CosimError::from)
        .and_then(|engine| cosim::cosim_on(&engine, program, manifest, &options, &|_, _| ()));
    report.map_err(|error| explained(&error))
}

/// An error in one text, without the lines of the source.
pub fn explained(error: &CosimError) -> String {
    let diagnostic = error.to_diagnostic();
    let notes = diagnostic.notes.iter().map(|(_, note)| note.as_str());
    let parts = std::iter::once(diagnostic.message.as_str()).chain(notes);
    parts.collect::<Vec<_>>().join("\n  ")
}

fn show(invocation: &Invocation) -> Vec<Vec<String>> {
    let element = |v: Value| v.data.to_bigint().to_string();
    let argument = |a: &Elements| a.iter().map(element).collect();
    invocation.args.iter().map(argument).collect()
}

fn expected(compilation: &Compilation, invocation: &Invocation, steps: u64) -> Option<Outcome> {
    let options = reference::Options {
        step_limit: steps,
        ..Default::default()
    };
    reference::run(&compilation.program, invocation, &options).ok()
}

/// What an evaluation leaves behind, as bit patterns.
struct Ran {
    /// Every array parameter and result, in order.
    arrays: Vec<Vec<BigUint>>,
    /// Scalar results.
    returns: Vec<BigUint>,
}

/// Compares everything that is specified; counts it.
fn differences(signature: &Signature, outcome: &Outcome, ran: &Ran) -> Result<usize, String> {
    let mut arrays = ran.arrays.iter();
    let mut returns = ran.returns.iter().map(std::slice::from_ref);
    let mut compared = 0;
    let params = signature.params.iter().zip(&outcome.params);
    let params = params.filter(|(slot, _)| slot.is_array());
    for (slot, want) in params.chain(signature.results.iter().zip(&outcome.results)) {
        let got = match slot.is_array() {
            true => arrays.next().map(Vec::as_slice),
            false => returns.next(),
        };
        let got = got.ok_or("the manifest lacks a port")?;
        for (at, (want, got)) in want.iter().zip(got).enumerate() {
            if want.tainted {
                continue;
            }
            let want = want.pattern(slot.ty);
            if want != *got {
                return Err(format!(
                    "{}: want {want:#x}, got {got:#x}",
                    slot.element_name(at)
                ));
            }
            compared += 1;
        }
    }
    Ok(compared)
}

fn patterns(signature: &Signature, invocation: &Invocation) -> Vec<Vec<BigUint>> {
    let slots = signature.params.iter().zip(&invocation.args);
    let arrays = slots.filter(|(slot, _)| slot.is_array());
    arrays
        .map(|(slot, values)| values.iter().map(|v| v.pattern(slot.ty)).collect())
        .collect()
}

fn scalars(signature: &Signature, invocation: &Invocation) -> Vec<BigUint> {
    let slots = signature.params.iter().zip(&invocation.args);
    slots
        .filter(|(slot, _)| !slot.is_array())
        .map(|(slot, values)| values.get(0).pattern(slot.ty))
        .collect()
}

/// The simplest text found that still goes wrong in the same way, by the same check.
pub fn shrink(text: &str, tries: usize, check: &dyn Fn(&str) -> Verdict) -> String {
    let kind = |verdict: Verdict| match verdict {
        Verdict::Wrong(why) => Some(kind_of(&why)),
        _ => None,
    };
    let wanted = kind(check(text));
    shrink::shrink(text, tries, &mut |candidate| {
        kind(check(candidate)) == wanted
    })
}

/// What stays of a message when names and numbers change.
fn kind_of(why: &str) -> String {
    let vague = |c: &char| !c.is_ascii_digit();
    match why.strip_prefix("panic: ") {
        Some(message) => message.chars().filter(vague).take(32).collect(),
        None => {
            let kinds = ["cycles; its manifest", "never finished", "protocol"];
            let kind = kinds.into_iter().find(|kind| why.contains(kind));
            kind.unwrap_or_default().into()
        }
    }
}
