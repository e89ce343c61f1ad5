//! The tree of loops: what binds each, and what was tried to lift that.

use super::{line, scrolling};
use crate::report::chart::plain;
use crate::report::data::{Bound, Pipeline, Region, RegionKind, Report, Trial};
use crate::report::words::{self, Verdict};
use maud::{Markup, html};

/// The section.
pub fn section(report: &Report) -> Markup {
    html! { ul class="tree" { @for region in &report.regions { (tree(report, region)) } } }
}

fn tree(report: &Report, region: &Region) -> Markup {
    let pipeline = region
        .pipeline
        .and_then(|at| Some((at, report.pipelines.get(at)?)));
    let looped = pipeline.filter(|(_, pipeline)| pipeline.ii.is_some());
    html! {
        li {
            (head(report, region, looped.map(|(_, pipeline)| pipeline)))
            @if let Some((at, pipeline)) = looped { (details(report, at, pipeline)) }
            @if !region.inside.is_empty() {
                ul class="tree" { @for inner in &region.inside { (tree(report, inner)) } }
            }
        }
    }
}

fn head(report: &Report, region: &Region, pipeline: Option<&Pipeline>) -> Markup {
    let kind = match region.kind {
        RegionKind::Process => "process",
        RegionKind::Loop | RegionKind::Pipeline => "loop",
        RegionKind::Block => "block",
        RegionKind::Branch => "branch",
        RegionKind::Way => "way",
    };
    let is_loop = matches!(region.kind, RegionKind::Loop | RegionKind::Pipeline);
    html! {
        p class="region" {
            span class="kind" { (kind) } " " strong { (plain(&region.name)) } " " (line(report, Some(region.place)))
            " " span class="fact" { (words::takes(region)) }
            @if is_loop && region.runs > 0 { " " span class="fact" { (words::iterations(region)) } }
            @if let Some(pipeline) = pipeline {
                " " span class=(if pipeline.ii > Some(1) { "fact ii-high" } else { "fact" }) {
                    "II " (pipeline.ii.unwrap_or(1)) }
                " " span class="fact" { "depth " (pipeline.depth) }
            } @else if region.kind == RegionKind::Loop {
                " " span class="fact" { (words::in_turn(region)) }
            }
            @if region.runs > 1 { " " span class="fact" { (words::grouped(region.runs)) " runs" } }
        }
    }
}

fn details(report: &Report, at: usize, pipeline: &Pipeline) -> Markup {
    let trials = report.trials.iter().filter(|trial| trial.pipeline == at);
    let trials: Vec<&Trial> = trials.collect();
    html! {
        div class="loop" {
            p { (plain(&words::bound(pipeline))) }
            @if let Some(bound) = &pipeline.bound { (chain(report, pipeline, bound)) (accesses(report, bound)) }
            @if !trials.is_empty() {
                p class="caption" { "Tried, each by a build of its own" }
                (scrolling("What was tried", &html! { table class="trials" { tbody { @for one in trials {
                    (trial(report, one)) } } } }))
            }
        }
    }
}

fn chain(report: &Report, pipeline: &Pipeline, bound: &Bound) -> Markup {
    html! {
        @if !bound.chain.is_empty() {
            (scrolling("Operations that wait for one another", &html! {
                table {
                    thead { tr {
                        th scope="col" { "cycle" } th scope="col" class="number" { "ns" } th scope="col" {
                            "operation" } th scope="col" { "" }
                    } }
                    tbody {
                        @for step in &bound.chain {
                            tr {
                                td { (words::span(step.start, step.ready)) }
                                td class="number" { (format!("{:.2}", step.ns)) }
                                td { (plain(&step.what)) }
                                td { (line(report, step.place)) }
                            }
                        }
                    }
                }
            }))
            @if !words::chain_explains(pipeline) {
                p class="muted" {
                    "This is the longest recurrence with one step between iterations; "
                    "together with others it needs more."
                }
            }
        }
    }
}

fn accesses(report: &Report, bound: &Bound) -> Markup {
    html! {
        @if let Some(ports) = &bound.ports {
            (scrolling("Accesses", &html! {
                table {
                    thead { tr { th scope="col" { "access" } th scope="col" { "port" } th scope="col" { "slot" }
                        th scope="col" { "" } } }
                    tbody {
                        @for access in &ports.accesses {
                            tr {
                                td { (access.what) " " (plain(&ports.memory)) }
                                td { (access.port) } td { (access.slot) } td { (line(report, Some(access.place))) }
                            }
                        }
                    }
                }
            }))
        }
    }
}

fn trial(report: &Report, trial: &Trial) -> Markup {
    let verdict = Verdict::of(trial);
    let class = verdict.word().replace(' ', "-");
    html! {
        tr {
            td { span class=(format!("verdict {class}")) { (verdict.word()) } }
            td { code { (plain(&trial.flags.join(" "))) } }
            td { (plain(&words::outcome(report, trial))) }
        }
    }
}
