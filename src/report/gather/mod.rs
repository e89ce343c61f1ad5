//! Makes the data of a report of what a compilation holds.

mod bound;
mod estimates;
mod flow;
mod lines;
mod memories;
mod operations;
mod pipelines;
mod regions;
pub mod simulation;
mod transfers;
mod units;

use super::data::*;
use crate::diagnostics::{Diagnostic, FileId, Severity, SourceMap, Span};
use crate::driver::{Compilation, Target};
use crate::levels::Level;
use crate::machine::program::{LeafId, Program};
use crate::rtl::area::{Areas, areas};
use crate::rtl::clean::clean;
use crate::rtl::interface::block::BlockManifest;
use crate::rtl::netlist::Design;
use crate::schedule::Schedule;
use crate::schedule::invocation::Invocation;
use crate::sim::selfcheck::Checked;
use crate::transform;
use std::collections::BTreeMap;

/// A build: what was compiled and for what.
#[derive(Clone, Copy)]
pub struct Build<'a> {
    /// The source.
    pub sources: &'a SourceMap,
    /// What it was made for.
    pub target: &'a Target,
    /// What came out.
    pub compilation: &'a Compilation,
    /// What is around it, with it, if anything is.
    pub block: Option<(&'a Design, &'a BlockManifest)>,
}

/// What the report of a block is about, where it was simulated and where that takes too long.
const OF_A_BLOCK: &str = "cycles, from the driver's first write to the interrupt, and area are of the whole block, with memories that \
                          never pause; loops, the timeline and memories are those of the module inside";

const OF_MOST_OF_A_BLOCK: &str = "area is of the whole block, which takes too long to be simulated here; cycles are, with all else, \
                                  those of the module inside";

/// The report of a build, without trials.
pub fn gather(build: &Build) -> Report {
    let gather = Gather::new(build);
    let flow = gather.flow();
    let of_network = flow.as_ref().map(|flow| flow.cycles);
    let of_network = of_network.filter(|cycles| *cycles > 0);
    let pipelines = gather.pipelines(of_network);
    let simulated = match (&flow, build.block) {
        (_, Some(block)) => simulation::block_cycles(build, block),
        (Some(_), None) => of_network,
        (None, None) => gather.simulated_cycles(),
    };
    let regions = gather.regions(flow.as_ref());
    let cycles = gather.cycles(simulated);
    let memories = gather.memories(&pipelines);
    let units = gather.units();
    let source = gather.lines(&pipelines);
    let Compilation {
        manifest,
        warnings,
        checked,
        ..
    } = build.compilation;
    let device = &build.target.device;
    Report {
        version: VERSION,
        generator: format!("allo-hls {}", env!("CARGO_PKG_VERSION")),
        summary: Summary {
            kernel: manifest.top.clone(),
            module: manifest.module.clone(),
            place: gather.place(build.compilation.kernel.span),
            device: device.name.clone(),
            about_device: device.description.clone(),
            clock_mhz: rounded(1000.0 / build.target.period),
            level: level(build.target.aim.level),
            cycles,
            estimates: gather.estimates(),
            verification: verification(checked),
        },
        source,
        regions,
        pipelines,
        flow,
        transfers: gather.transfers(),
        memories,
        units,
        transformations: gather.transformations(),
        trials: Vec::new(),
        notes: {
            let about = match simulated {
                Some(_) => OF_A_BLOCK,
                None => OF_MOST_OF_A_BLOCK,
            };
            let about = build.block.map(|_| Diagnostic::global("", about).as_note());
            let notes = about.iter().chain(&warnings.0);
            notes.map(|note| gather.note(note)).collect()
        },
    }
}

/// LUT4 and multiplier blocks of a build, as its report says.
pub fn area(build: &Build) -> (f64, u64) {
    let total = areas(&clean(&build.compilation.design), &build.target.device).total();
    (rounded(total.luts.round()), total.blocks)
}

/// The pipelines of a build, without a simulation.
pub fn pipelines(build: &Build) -> Vec<Pipeline> {
    Gather::new(build).pipelines(None)
}

/// Cycles of an invocation of two builds of a kernel, where the data decide on the same input, or guessed if that takes too long
/// in one of them.
pub fn both_cycles(one: &Build, simulated: Option<u64>, other: &Build) -> (u64, u64) {
    let exact = |build: &Build| build.compilation.manifest.latency.max;
    let ran = exact(one).or(simulated);
    let other_ran = |_| exact(other).or_else(|| simulation::cycles(other));
    let ran = ran.and_then(|ran| Some((ran, other_ran(ran)?)));
    ran.unwrap_or_else(|| (Gather::new(one).guess(), Gather::new(other).guess()))
}

fn level(level: Level) -> u32 {
    match level {
        Level::One => 1,
        Level::Two => 2,
        Level::Three => 3,
    }
}

fn verification(checked: &Checked) -> Verification {
    let state = match checked {
        Checked::Not(_) => "not checked",
        Checked::Runs(_) | Checked::Results(_) => "checked",
        Checked::Proven(_) => "proven",
    };
    Verification {
        state: state.into(),
        text: checked.sentence(),
    }
}

/// A part of something, at most all of it.
fn share(part: f64, all: f64) -> f64 {
    match all > 0.0 {
        true => rounded((part / all).min(1.0)),
        false => 0.0,
    }
}

/// So that the text of a number is short and the same everywhere.
pub fn rounded(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}

/// What is scheduled as one: the kernel, or a process of a network.
struct Part<'a> {
    program: &'a Program,
    schedule: &'a Schedule,
    /// Names of the processes that it is.
    process: Option<String>,
    /// Position of its first pipeline.
    first: usize,
    /// What it takes.
    takes: Invocation,
}

impl<'a> Part<'a> {
    fn new(
        (program, schedule): (&'a Program, &'a Schedule),
        process: Option<String>,
        first: usize,
    ) -> Part<'a> {
        Part {
            program,
            schedule,
            process,
            first,
            takes: Invocation::of(program, schedule),
        }
    }

    /// Position of the pipeline that a leaf is.
    fn pipeline(&self, leaf: LeafId) -> usize {
        self.first + leaf.index()
    }
}

struct Gather<'a> {
    build: Build<'a>,
    parts: Vec<Part<'a>>,
    /// Positions in the report of the files.
    files: BTreeMap<FileId, usize>,
    areas: Areas,
}

impl<'a> Gather<'a> {
    fn new(build: &Build<'a>) -> Gather<'a> {
        let compilation = build.compilation;
        let names = process_names(compilation);
        let mut parts: Vec<Part> = Vec::new();
        match &compilation.network {
            None => {
                let scheduled = (&compilation.hardware, &compilation.schedule);
                parts.push(Part::new(scheduled, None, 0));
            }
            Some((_, which)) => {
                let mut first = 0;
                for (number, part) in compilation.parts.iter().enumerate() {
                    let own = names.iter().zip(which).filter(|(_, of)| **of == number);
                    let own: Vec<&str> = own.map(|(name, _)| name.as_str()).collect();
                    let process = match own[..] {
                        [] => String::new(),
                        [one] => one.to_string(),
                        [one, ..] => format!("{one} and {} more", own.len() - 1),
                    };
                    let scheduled = (&part.program, &part.schedule);
                    parts.push(Part::new(scheduled, Some(process), first));
                    first += part.program.leaves.len();
                }
            }
        }
        let mut gather = Gather {
            build: *build,
            parts,
            files: BTreeMap::new(),
            areas: {
                let design = build
                    .block
                    .map_or(&compilation.design, |(design, _)| design);
                areas(&clean(design), &build.target.device)
            },
        };
        gather.number_files();
        gather
    }

    /// Files that hardware comes from, the kernel's first.
    fn number_files(&mut self) {
        let compilation = self.build.compilation;
        let mut spans = vec![compilation.kernel.span];
        spans.extend(compilation.directed.kernels.values().map(|k| k.span));
        for part in &self.parts {
            for leaf in part.program.leaves.values() {
                spans.push(leaf.span);
                spans.extend(leaf.graph.nodes.values().filter_map(|node| node.span));
            }
            spans.extend(part.program.mems.values().map(|mem| mem.span));
        }
        let notes = &compilation.warnings.0;
        spans.extend(notes.iter().filter_map(|note| note.span));
        for span in spans {
            let next = self.files.len();
            self.files.entry(span.file).or_insert(next);
        }
    }

    fn place(&self, span: Span) -> Place {
        Place {
            file: self.files.get(&span.file).copied().unwrap_or(0),
            line: self.build.sources.line_of(span),
        }
    }

    fn note(&self, note: &Diagnostic) -> Note {
        let severity = match note.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        Note {
            severity: severity.into(),
            code: note.code.into(),
            message: note.message.clone(),
            place: note.span.map(|span| self.place(span)),
        }
    }

    fn guess(&self) -> u64 {
        let exact = self.build.compilation.manifest.latency.max;
        let guess = self.parts.iter().map(|part| part.takes.cycles).max();
        exact.or(guess).unwrap_or(0)
    }

    fn cycles(&self, simulated: Option<u64>) -> Cycles {
        let exact = self.build.compilation.manifest.latency.max;
        Cycles {
            exact: exact.filter(|_| self.build.block.is_none()),
            guess: self.guess(),
            formulas: self.formulas(),
            simulated,
        }
    }

    fn transformations(&self) -> Transformations {
        let compilation = self.build.compilation;
        let passes = compilation.passes.iter().map(|name| {
            let mut all = transform::PASSES.iter();
            let contract = all.find(|pass| pass.name == *name);
            Pass {
                name: name.to_string(),
                contract: contract
                    .map_or("loops are unrolled as directed", |pass| pass.contract)
                    .into(),
            }
        });
        let tried = compilation.tried.iter().map(|tried| Tried {
            what: tried.what.clone(),
            kept: tried.kept,
            cycles_before: tried.before.map(|forecast| forecast.cycles),
            cycles: tried.after.map(|forecast| forecast.cycles),
            luts: tried.after.map(|forecast| forecast.logic.round()),
            blocks: tried.after.map(|forecast| forecast.blocks),
        });
        let directives = compilation.directives.iter().map(ToString::to_string);
        // Between what it is made for and what was checked of it.
        let header = &compilation.design.header;
        let decisions = header
            .iter()
            .filter(|line| line.starts_with("-O") || line.starts_with("banks: "));
        Transformations {
            directives: directives.collect(),
            decisions: decisions.cloned().collect(),
            passes: passes.collect(),
            tried: tried.collect(),
        }
    }
}

/// The names of a network's processes, numbered where several have one.
fn process_names(compilation: &Compilation) -> Vec<String> {
    let Some((network, _)) = &compilation.network else {
        return Vec::new();
    };
    let names = network.processes.iter();
    let names: Vec<&str> = names.map(|process| &*process.kernel().name).collect();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let numbered = names.iter().map(|name| {
        let number = seen.entry(name).or_default();
        *number += 1;
        match names.iter().filter(|other| *other == name).count() {
            1 => name.to_string(),
            _ => format!("{name} {number}"),
        }
    });
    numbered.collect()
}
