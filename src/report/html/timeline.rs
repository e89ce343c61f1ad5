//! What happens when: regions of an invocation, iterations of each loop, processes and queues.

use super::{flow, link};
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
        @for pipeline in loops.iter().take(LOOPS) { (iterations(report, pipeline)) }
        @if loops.len() > LOOPS { p class="muted" { "and " (loops.len() - LOOPS) " more loops" } }
    }
}

fn regions(report: &Report) -> Markup {
    let mut rows = Vec::new();
    let end = report.end();
    bars(report, &report.regions, (0, end), &mut rows);
    let left_out = rows.len().saturating_sub(REGIONS);
    rows.truncate(REGIONS);
    html! {
        p class="muted" {
            "Regions by their first run, " (words::counted(end, "cycle"))
            @if let Some(assumed) = words::assumed(report) { "; " (assumed) } "."
        }
        (gantt::chart("Regions of an invocation", &rows, end))
        @if left_out > 0 { p class="muted" { "and " (left_out) " more regions" } }
    }
}

/// What runs before the end of what it is in.
fn bars(report: &Report, regions: &[Region], (depth, end): (usize, u64), rows: &mut Vec<Bar>) {
    for region in regions.iter().filter(|region| region.is_before(end)) {
        let class = match region.kind {
            RegionKind::Process => "process",
            RegionKind::Pipeline => "compute",
            RegionKind::Block => "block",
            RegionKind::Loop | RegionKind::Branch | RegionKind::Way => "outer",
        };
        let end = region.end().min(end);
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
                words::grouped(end.saturating_sub(1).max(region.start))
            ),
            link: link(report, region.place),
        });
        bars(report, &region.inside, (depth + 1, end), rows);
    }
}

fn iterations(report: &Report, pipeline: &Pipeline) -> Markup {
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
            link: operation.place.and_then(|place| link(report, place)),
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
