//! A report as plain text, for a terminal.

mod page;
mod timeline;

use super::data::*;
use super::words::{self, Verdict};
use page::{Column, Page};

/// Columns that a text has at least: with fewer nothing can be read.
const LEAST: usize = 40;

/// Lines of a chart that are drawn; all are in the JSON form.
const ROWS: usize = 24;

/// The text of a report, at most so many columns wide where words allow it.
pub fn print(report: &Report, columns: usize) -> String {
    let mut page = Page::new(columns.max(LEAST));
    summary(report, &mut page);
    source(report, &mut page);
    loops(report, &mut page);
    timeline::section(report, &mut page);
    memories(report, &mut page);
    units(report, &mut page);
    transformations(report, &mut page);
    page.finish()
}

fn summary(report: &Report, page: &mut Page) {
    let Summary {
        kernel,
        place,
        device,
        about_device,
        clock_mhz,
        level,
        cycles,
        estimates,
        verification,
        ..
    } = &report.summary;
    page.title(&format!("{kernel} ({})", report.location(*place)));
    page.pair("device", &format!("{device}: {about_device}"));
    page.pair("clock", &format!("{clock_mhz} MHz, -O{level}"));
    page.pair("cycles", &words::cycles(cycles));
    for formula in &cycles.formulas {
        let at = report.location(formula.place);
        page.pair("", &format!("{} ({at}): {}", formula.name, formula.cycles));
    }
    for estimate in estimates {
        let mut text = words::number(estimate.value);
        if let Some(part) = words::of_device(estimate) {
            text += &format!(", {part}");
        }
        if let Some(likely) = words::likely(estimate) {
            text += &format!("; measured would be {likely}");
        }
        page.pair(&estimate.name, &text);
    }
    page.pair("verified", &verification.text);
    for note in &report.notes {
        let at = note
            .place
            .map(|place| format!(" ({})", report.location(place)));
        let text = format!("{}{}", note.message, at.unwrap_or_default());
        page.pair(&note.severity, &text);
    }
}

fn source(report: &Report, page: &mut Page) {
    page.heading("Source");
    page.words(
        "cycles: part of an invocation in which the line is at work; area: part of LUT4 and \
         multipliers; > binds an II",
    );
    if let Some(assumed) = words::assumed(report) {
        page.words(&assumed);
    }
    for file in &report.source {
        page.words(&file.name);
        let rows = file.lines.iter().map(|line| {
            let percent = |part: Option<f64>| part.map_or(String::new(), words::percent);
            let ii: Vec<String> = line.ii.iter().map(u64::to_string).collect();
            vec![
                if line.binds.is_empty() { "" } else { ">" }.to_string(),
                line.number.to_string(),
                percent(line.cycles),
                percent(line.area),
                ii.join(" "),
                line.text.clone(),
            ]
        });
        let columns = [
            Column::left(""),
            Column::right("line"),
            Column::right("cycles"),
            Column::right("area"),
            Column::right("II"),
            Column::left(""),
        ];
        page.table(&columns, rows.collect());
    }
}

fn loops(report: &Report, page: &mut Page) {
    page.heading("Loops");
    for region in &report.regions {
        region_tree(report, page, region, 0);
    }
}

fn region_tree(report: &Report, page: &mut Page, region: &Region, depth: usize) {
    let at = report.location(region.place);
    let kind = match region.kind {
        RegionKind::Process => "process",
        RegionKind::Loop | RegionKind::Pipeline => "loop",
        RegionKind::Block => "block",
        RegionKind::Branch => "branch",
        RegionKind::Way => "way",
    };
    let mut text = format!("{kind} {} ({at})", region.name);
    if matches!(region.kind, RegionKind::Loop | RegionKind::Pipeline) {
        text += &format!(", {}", words::iterations(region));
    }
    text += &format!(", {}", words::takes(region));
    let pipeline = region.pipeline.and_then(|at| report.pipelines.get(at));
    let ii = pipeline.and_then(|pipeline| pipeline.ii);
    if let (Some(ii), Some(pipeline)) = (ii, pipeline) {
        text += &format!(", II {ii}, depth {}", pipeline.depth);
    }
    if region.kind == RegionKind::Loop {
        text += &format!(", {}", words::in_turn(region));
    }
    page.indented(2 * depth, &text);
    if let (Some(_), Some(pipeline), Some(at)) = (ii, pipeline, region.pipeline) {
        bound(report, page, pipeline, at, 2 * depth + 4);
    }
    for inner in &region.inside {
        region_tree(report, page, inner, depth + 1);
    }
}

fn bound(report: &Report, page: &mut Page, pipeline: &Pipeline, at: usize, indent: usize) {
    page.indented(indent, &words::bound(pipeline));
    if let Some(bound) = &pipeline.bound {
        for step in &bound.chain {
            let place = step.place.map(|place| report.location(place));
            let text = format!(
                "cycle {}, {:.2} ns: {} {}",
                words::span(step.start, step.ready),
                step.ns,
                step.what,
                place.unwrap_or_default()
            );
            page.indented(indent + 2, text.trim_end());
        }
        for access in bound.ports.iter().flat_map(|ports| &ports.accesses) {
            let place = report.location(access.place);
            let text = format!(
                "slot {}, {}: {} {place}",
                access.slot, access.port, access.what
            );
            page.indented(indent + 2, &text);
        }
    }
    let trials = report.trials.iter().filter(|trial| trial.pipeline == at);
    for trial in trials {
        let verdict = Verdict::of(trial).word();
        let flags = trial.flags.join(" ");
        let text = format!("{verdict}: {flags} -> {}", words::outcome(report, trial));
        page.indented(indent, &text);
    }
}

fn memories(report: &Report, page: &mut Page) {
    page.heading("Memories and ports");
    for transfer in &report.transfers {
        let text = format!(
            "{} by {}, {}: {} of {} bits read, {} written",
            transfer.name,
            transfer.through,
            transfer.how(),
            words::counted(transfer.read, "beat"),
            transfer.beat_bits,
            words::grouped(transfer.written),
        );
        page.indented(0, &text);
    }
    for memory in &report.memories {
        let process = memory.process.as_ref();
        let process = process.map_or(String::new(), |process| format!(" of {process}"));
        let text = format!(
            "{}{process} ({}): {}, {} words of {} bits, {}",
            memory.name,
            report.location(memory.place),
            memory.kind,
            words::grouped(memory.words),
            memory.bits,
            words::counted(memory.ports, "port")
        );
        page.indented(0, &text);
        for one in &memory.uses {
            let Some(pipeline) = report.pipelines.get(one.pipeline) else {
                continue;
            };
            let text = format!(
                "{}: {} of {} slots in use{}",
                pipeline.name,
                one.busy,
                one.available,
                if one.binds { ", binds its II" } else { "" }
            );
            page.indented(2, &text);
            for access in one.accesses.iter().take(ROWS) {
                let text = format!(
                    "slot {} of {}, {}: {} {}",
                    access.slot,
                    one.slots,
                    access.port,
                    access.what,
                    report.location(access.place)
                );
                page.indented(4, &text);
            }
        }
    }
}

fn units(report: &Report, page: &mut Page) {
    page.heading("Units");
    let rows = report.units.iter().map(|unit| {
        vec![
            unit.name.clone(),
            unit.latency.to_string(),
            unit.interval.to_string(),
            unit.instances.to_string(),
            unit.calls.len().to_string(),
            words::number(unit.luts),
            unit.registers.to_string(),
            unit.blocks.to_string(),
            callers(unit),
        ]
    });
    let columns = [
        Column::left("unit"),
        Column::right("latency"),
        Column::right("interval"),
        Column::right("instances"),
        Column::right("calls"),
        Column::right("LUT4"),
        Column::right("flip-flops"),
        Column::right("multipliers"),
        Column::left("called by line"),
    ];
    match report.units.is_empty() {
        true => page.words("none: all operations stand in the datapath"),
        false => page.table(&columns, rows.collect()),
    }
}

/// The lines that call a unit, with the instance where it is shared.
fn callers(unit: &Unit) -> String {
    let line = |call: &Call| {
        let line = call
            .place
            .map_or("?".into(), |place| place.line.to_string());
        match call.instance {
            Some(instance) => format!("{line} (number {instance})"),
            None => line,
        }
    };
    let mut lines: Vec<String> = unit.calls.iter().map(line).collect();
    lines.dedup();
    lines.join(", ")
}

fn transformations(report: &Report, page: &mut Page) {
    page.heading("Transformations");
    let Transformations {
        directives,
        decisions,
        passes,
        tried,
    } = &report.transformations;
    for directive in directives {
        page.indented(0, &format!("directed: {directive}"));
    }
    for decision in decisions {
        page.indented(0, decision);
    }
    for pass in passes {
        page.indented(0, &format!("{}: {}", pass.name, pass.contract));
    }
    for one in tried {
        let verdict = if one.kept { "kept" } else { "dropped" };
        let text = format!("{verdict}: {}: {}", one.what, words::tried(one));
        page.indented(0, &text);
    }
}
