//! The netlist run on one input that is drawn, where the data decide how long it takes.

use super::{Build, Gather};
use crate::ir::Program;
use crate::rtl::interface::block::BlockManifest;
use crate::rtl::interface::manifest::Manifest;
use crate::rtl::netlist::Design;
use crate::sim::block::{BlockEngine, InProcess, timeless};
use crate::sim::cosim::case::{self, Case, Patience, Step};
use crate::sim::cosim::judge::Subject;
use crate::sim::elements::Elements;
use crate::sim::inprocess::Netlist;
use crate::sim::model::{Engine, SimOptions, Unknown};
use crate::sim::reference::Options;
use crate::sim::shell;

/// Decides the input.
pub(super) const SEED: u64 = 1;
/// Draws of an input that the kernel ends on.
const ATTEMPTS: u64 = 5;
/// Operations of the reference.
const STEPS: u64 = 2_000_000;
/// Operations on words that the simulation may take.
const BUDGET: u64 = 40_000_000;

/// Cycles of an invocation on one input, the same one for all hardware of a kernel; `None`: it takes too long, or there is no
/// input on which it ends.
pub fn cycles(build: &Build) -> Option<u64> {
    let compilation = build.compilation;
    let (program, inside) = compilation.inside();
    let (around, manifest) = shell::around(&compilation.design, &inside).ok()?;
    let netlist = Netlist::new(&around, &manifest).ok()?;
    let case = one_input(program, &inside).ok()?;
    let most = most_cycles(&netlist);
    let ran = netlist.watch(&case.run, &options(), most, &[], &mut |_| ());
    Some(ran.ok()?.result.timing.first()?.cycles())
}

/// Cycles of an invocation of a block on one input, from its driver's first write to the interrupt, where nothing around pauses;
/// `None`: it takes too long.
pub fn block_cycles(build: &Build, (design, block): (&Design, &BlockManifest)) -> Option<u64> {
    let compilation = build.compilation;
    let manifest = timeless(&compilation.as_written());
    let mut case = one_input(&compilation.program, &manifest).ok()?;
    let elements: usize = case.run.arrays.iter().map(Elements::len).sum();
    let core = compilation
        .manifest
        .latency
        .max
        .unwrap_or(case.outcomes[0].steps);
    let cycles = core.saturating_add(4 * elements as u64);
    if cycles.saturating_mul(design.flat_items()) > BUDGET {
        return None;
    }
    case.run.is_steady = true;
    let engine = BlockEngine::new(InProcess::new(design).ok()?, design, block);
    let ran = engine.run(&[case.run], &options()).ok()?;
    Some(ran.first()?.timing.first()?.cycles())
}

/// An input on which a program ends. Errors: why there is none.
pub(super) fn one_input(program: &Program, inside: &Manifest) -> Result<Case, String> {
    let subject = Subject::new(program, inside)?;
    let limit = Options {
        step_limit: STEPS,
        ..Options::default()
    };
    let drawn = case::draw(&subject.reference, (SEED, 0), ATTEMPTS, &limit);
    let drawn = drawn.map_err(|error| error.to_diagnostic().message)?;
    if drawn.outcome.cut.is_some() {
        return Err("it takes too long".into());
    }
    let step = Step {
        input: drawn.input,
        outcome: drawn.outcome,
        gap: 0,
    };
    let patience = Patience::with(program, inside);
    Ok(Case::new(
        &subject.reference.signature,
        patience,
        0,
        vec![step],
    ))
}

/// How the netlist is run.
pub(super) fn options() -> SimOptions {
    SimOptions {
        unknown: Unknown::Zero,
        ..SimOptions::default()
    }
}

/// How long it is run at most.
pub(super) fn most_cycles(netlist: &Netlist) -> u64 {
    BUDGET / netlist.cost().max(1)
}

impl Gather<'_> {
    /// Cycles on one input, where the data decide.
    pub(super) fn simulated_cycles(&self) -> Option<u64> {
        match self.build.compilation.manifest.latency.max {
            Some(_) => None,
            None => cycles(&self.build),
        }
    }
}
