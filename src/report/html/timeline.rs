//! What happens when: regions of an invocation, iterations of each loop, processes and queues.

use super::{anchor, flow};
use crate::report::chart::gantt::{self, Bar};
use crate::report::chart::overlap;
use crate::report::chart::plain;
use crate::report::data::{Pipeline, Region, RegionKind, Report};
use crate::report::words;
use maud::{Markup, html};

/// Operations of an iteration that are drawn.
const OPERATIONS: usize = 60;
/// Regions that are drawn.
const REGIONS: usize = 120;
/// Loops of which iterations are drawn.
const LOOPS: usize = 24;

/// The section.
pub fn section(report: &Report) -> Markup {
    let loops = report.pipelines.iter().filter(|p| p.ii.is_some());
    let loops: Vec<&Pipeline> = loops.collect();
    html! {
        h3 { "One invocation" }
        (regions(report))
        @if let Some(flow) = &report.flow { (flow::queues(report, flow)) }
        @for pipeline in loops.iter().take(LOOPS) { (iterations(pipeline)) }
        @if loops.len() > LOOPS { p class="muted" { "and " (loops.len() - LOOPS) " more loops" } }
    }
}

fn regions(report: &Report) -> Markup {
    let mut rows = Vec::new();
    bars(&report.regions, 0, &mut rows);
    let end = rows.iter().map(|row| row.end).max().unwrap_or(1);
    let left_out = rows.len().saturating_sub(REGIONS);
    rows.truncate(REGIONS);
    html! {
        p class="muted" {
            "Regions by their first run"
            @if report.summary.cycles.exact.is_none() && report.flow.is_none() {
                "; where the data decide, 64 iterations are assumed" }
            "."
        }
        (gantt::chart("Regions of an invocation", &rows, end))
        @if left_out > 0 { p class="muted" { "and " (left_out) " more regions" } }
    }
}

fn bars(regions: &[Region], depth: usize, rows: &mut Vec<Bar>) {
    for region in regions {
        let class = match region.kind {
            RegionKind::Process => "process",
            RegionKind::Pipeline => "compute",
            RegionKind::Block => "block",
            RegionKind::Loop | RegionKind::Branch | RegionKind::Way => "outer",
        };
        let end = region.end();
        rows.push(Bar {
            label: region.name.clone(),
            depth,
            start: region.start,
            end,
            class,
            title: format!(
                "{}: cycle {} to {}",
                region.name,
                words::grouped(region.start),
                words::grouped(end - 1)
            ),
            link: Some(format!("#{}", anchor(region.place))),
        });
        bars(&region.inside, depth + 1, rows);
    }
}

fn iterations(pipeline: &Pipeline) -> Markup {
    let operations = pipeline.operations.iter();
    let rows = operations.take(OPERATIONS).map(|operation| {
        let name = operation.name.as_ref();
        let label = match name {
            Some(name) => format!("{} {name}", operation.what),
            None => operation.what.clone(),
        };
        Bar {
            title: format!(
                "{label}: cycle {}, {:.2} ns into it",
                words::span(operation.start, operation.ready),
                operation.ns
            ),
            label,
            depth: 0,
            start: operation.start,
            end: operation.ready.max(operation.start + 1),
            class: overlap::sort(operation).class(),
            link: operation.place.map(|place| format!("#{}", anchor(place))),
        }
    });
    let rows: Vec<Bar> = rows.collect();
    let more = pipeline.operations.len().saturating_sub(OPERATIONS) + pipeline.left_out;
    let process = pipeline.process.as_ref();
    html! {
        h3 { "Loop " (plain(&pipeline.name)) @if let Some(process) = process { span class="muted" {
            " in " (plain(process)) } } }
        p class="muted" {
            "Three iterations: " span class="key load" { "loads" } span class="key compute" { "operations" }
                span class="key store" { "stores" }
        }
        @if let Some(chart) = overlap::chart(pipeline) { (chart) }
        details {
            summary { "One iteration, operation by operation" }
            (gantt::chart(&format!("One iteration of {}", pipeline.name), &rows, pipeline.depth.max(1)))
            @if more > 0 { p class="muted" { "and " (more) " more operations" } }
        }
    }
}
