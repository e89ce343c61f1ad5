//! The source, with what each line takes and what hardware comes from it.

use super::{Gather, share};
use crate::diagnostics::{FileId, Span};
use crate::report::data::{Line, Pipeline, Place, SourceFile};
use crate::rtl::area::Area;
use std::collections::{BTreeMap, BTreeSet};

/// Lines of a file around those of kernels that are shown.
const AROUND: usize = 3;

/// Lines of SystemVerilog that are shown of a line.
const MOST_VERILOG: usize = 60;

impl Gather<'_> {
    pub(super) fn lines(&self, pipelines: &[Pipeline]) -> Vec<SourceFile> {
        let areas = self.area_by_place();
        let all: f64 = {
            let device = &self.build.target.device;
            self.areas.total().in_luts(device)
        };
        let mut verilog = self.verilog();
        let marks = marks(pipelines);
        let taken = taken(pipelines);
        let mut files: Vec<(FileId, usize)> = self.files.iter().map(|(a, b)| (*a, *b)).collect();
        files.sort_by_key(|(_, number)| *number);
        let files = files.into_iter().map(|(id, file)| {
            let source = self.build.sources.file(id);
            let places = areas.keys().chain(marks.keys()).chain(taken.keys());
            let places = places.filter(|place| place.file == file);
            let shown = self.shown(id, places.map(|place| place.line));
            let lines = shown.into_iter().map(|number| {
                let place = Place { file, line: number };
                let mut line = Line {
                    number,
                    text: source.line(number).replace('\t', "    "),
                    binds: marks.get(&place).cloned().unwrap_or_default(),
                    ..Line::default()
                };
                if let Some(area) = areas.get(&place) {
                    line.luts = area.luts.round();
                    line.registers = area.registers.round() as u64;
                    line.blocks = area.blocks;
                    line.area = Some(share(area.in_luts(&self.build.target.device), all));
                }
                if let Some((cycles, intervals, operations)) = taken.get(&place) {
                    line.cycles = Some(super::rounded(cycles.min(1.0)));
                    line.ii = intervals.iter().copied().collect();
                    line.operations.clone_from(operations);
                }
                let own = verilog.remove(&place).unwrap_or_default();
                line.verilog_left_out = own.len().saturating_sub(MOST_VERILOG);
                line.verilog = own.into_iter().take(MOST_VERILOG).collect();
                line
            });
            SourceFile {
                name: source.name.clone(),
                lines: lines.collect(),
            }
        });
        files.collect()
    }

    /// Lines of a file that are shown: kernels, and those that something in the report comes from.
    fn shown(&self, id: FileId, places: impl Iterator<Item = usize>) -> BTreeSet<usize> {
        let source = self.build.sources.file(id);
        let last = source.text.lines().count().max(1);
        let mut ranges = self.written(id);
        ranges.extend(places.map(|line| (line, line)));
        let ranges = ranges.into_iter();
        let lines = ranges.flat_map(|(from, to)| from.saturating_sub(AROUND)..=to + AROUND);
        let lines: BTreeSet<usize> = lines.filter(|line| (1..=last).contains(line)).collect();
        // Small holes are not worth it.
        let holes = lines.iter().zip(lines.iter().skip(1));
        let holes = holes.filter(|(a, b)| *b - *a <= 2 * AROUND + 1);
        let filled: Vec<usize> = holes.flat_map(|(a, b)| *a..*b).collect();
        let mut shown: BTreeSet<usize> = lines.iter().copied().chain(filled).collect();
        let is_blank = |line: &usize| source.line(*line).trim().is_empty();
        while let Some(line) = shown.first().copied().filter(is_blank) {
            shown.remove(&line);
        }
        while let Some(line) = shown.last().copied().filter(is_blank) {
            shown.remove(&line);
        }
        shown
    }

    /// First and last lines of what is written of kernels in a file: heads, declarations and statements.
    fn written(&self, id: FileId) -> BTreeSet<(usize, usize)> {
        let source = self.build.sources.file(id);
        let mut ranges = BTreeSet::new();
        let mut add = |span: Span| {
            if span.file == id {
                let end = source.line_col(span.end.max(span.start)).0;
                ranges.insert((self.build.sources.line_of(span), end));
            }
        };
        for kernel in self.build.compilation.directed.kernels.values() {
            add(kernel.span);
            kernel.arrays.values().for_each(|array| add(array.span));
            kernel.body.for_each_op(&mut |op| add(op.span));
        }
        ranges
    }

    /// The places of origins.
    fn places(&self) -> BTreeMap<String, Place> {
        let mut places = BTreeMap::new();
        for (id, file) in &self.files {
            let source = self.build.sources.file(*id);
            for line in 1..=source.text.lines().count() {
                let name = format!("{}:{line}", source.name);
                places.insert(name, Place { file: *file, line });
            }
        }
        places
    }

    /// What each line takes; operators that calls share count for those in equal parts.
    fn area_by_place(&self) -> BTreeMap<Place, Area> {
        let places = self.places();
        let mut areas: BTreeMap<Place, Area> = BTreeMap::new();
        for (origin, area) in &self.areas.by_origin {
            if let Some(place) = places.get(origin) {
                *areas.entry(*place).or_default() += *area;
            }
        }
        // In a network they count for the line of the process.
        if self.build.compilation.network.is_some() {
            return areas;
        }
        for unit in self.units() {
            let mut users: BTreeMap<u64, Vec<Place>> = BTreeMap::new();
            for call in &unit.calls {
                if let Some((instance, place)) = call.instance.zip(call.place) {
                    users.entry(instance).or_default().push(place);
                }
            }
            for places in users.values() {
                let part = 1.0 / places.len() as f64;
                for (number, place) in places.iter().enumerate() {
                    let own = areas.entry(*place).or_default();
                    own.luts += unit.luts * part;
                    own.registers += unit.registers as f64 * part;
                    // Whole blocks, to the first one.
                    own.blocks += if number == 0 { unit.blocks } else { 0 };
                }
            }
        }
        areas
    }

    /// Lines of the SystemVerilog by the place that they come from.
    fn verilog(&self) -> BTreeMap<Place, Vec<String>> {
        let places = self.places();
        let mut lines: BTreeMap<Place, Vec<String>> = BTreeMap::new();
        for line in self.build.compilation.systemverilog().lines() {
            let Some((code, origin)) = line.rsplit_once("// ") else {
                continue;
            };
            if let Some(place) = places.get(origin.trim())
                && !code.trim().is_empty()
            {
                let own = lines.entry(*place).or_default();
                // Of an instance only the beginning has the place.
                let code = code.trim();
                let rest = if code.ends_with('(') { "...);" } else { "" };
                own.push(format!("{code}{rest}"));
            }
        }
        lines
    }
}

/// Cycles, intervals and operations of a line.
type Taken = (f64, BTreeSet<u64>, Vec<(usize, usize)>);

/// For each place, the part of an invocation's cycles in which a pipeline runs that it has a part in; intervals and
/// operations.
fn taken(pipelines: &[Pipeline]) -> BTreeMap<Place, Taken> {
    let mut taken: BTreeMap<Place, Taken> = BTreeMap::new();
    for (number, pipeline) in pipelines.iter().enumerate() {
        let loops = pipeline.loops.iter().map(|dim| dim.place);
        let mut places: BTreeSet<Place> = loops.collect();
        for (at, operation) in pipeline.operations.iter().enumerate() {
            if let Some(place) = operation.place {
                places.insert(place);
                taken.entry(place).or_default().2.push((number, at));
            }
        }
        for place in places {
            let own = taken.entry(place).or_default();
            own.0 += pipeline.share;
            own.1.extend(pipeline.ii);
        }
    }
    taken
}

/// Why lines keep intervals from being lower.
fn marks(pipelines: &[Pipeline]) -> BTreeMap<Place, Vec<String>> {
    let mut marks: BTreeMap<Place, Vec<String>> = BTreeMap::new();
    for pipeline in pipelines {
        let Some((bound, ii)) = pipeline.bound.as_ref().zip(pipeline.ii) else {
            continue;
        };
        if ii < 2 {
            continue;
        }
        let steps = bound.chain.iter().filter_map(|step| step.place);
        let accesses = bound.ports.iter().flat_map(|ports| &ports.accesses);
        let places = steps.chain(accesses.map(|access| access.place));
        let mut places: BTreeSet<Place> = places.collect();
        if places.is_empty() && bound.kind != "directive" {
            places.insert(pipeline.place);
        }
        for place in places {
            let text = format!("loop {}: II {ii}, {}", pipeline.name, bound.text);
            marks.entry(place).or_default().push(text);
        }
    }
    marks
}
