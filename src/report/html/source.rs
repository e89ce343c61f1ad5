//! The source, with what each line takes; a line opens to its hardware.

use super::anchor;
use crate::report::chart::plain;
use crate::report::data::{Line, Place, Report, SourceFile};
use crate::report::words;
use maud::{Markup, html};

/// The section.
pub fn section(report: &Report) -> Markup {
    html! {
        p class="muted" {
            "Cycles: part of an invocation in which hardware of the line is at work"
            @if let Some(assumed) = words::assumed(report) { " (" (assumed) ")" } ". "
            "Area: part of all LUT4 and multipliers. "
            "A mark says that the line keeps the II of its loop from being lower. A line opens to its hardware."
        }
        @for (number, file) in report.source.iter().enumerate() {
            @if !file.lines.is_empty() {
                h3 { (plain(&file.name)) }
                (lines(report, number, file))
            }
        }
    }
}

fn lines(report: &Report, file: usize, source: &SourceFile) -> Markup {
    let before = source.lines.iter().map(|line| line.number);
    let before = std::iter::once(None).chain(before.map(Some));
    html! {
        div class="source" {
            div class="row head" aria-hidden="true" {
                span { "cycles" } span { "area" } span { "II" } span { "line" } span {}
            }
            @for (line, before) in source.lines.iter().zip(before) {
                @if before.is_some_and(|before| before + 1 < line.number) {
                    div class="row gap" { "\u{22ee}" }
                }
                (row(report, Place { file, line: line.number }, line))
            }
        }
    }
}

fn row(report: &Report, place: Place, line: &Line) -> Markup {
    let binds = !line.binds.is_empty();
    let has_more = binds || !line.operations.is_empty() || !line.verilog.is_empty();
    let id = anchor(place);
    let details = format!("{id}-hardware");
    let ii: Vec<String> = line.ii.iter().map(u64::to_string).collect();
    html! {
        div class=(if binds { "row binds" } else { "row" }) id=(id) {
            (share("cycles", line.cycles))
            (share("area", line.area))
            span class="ii" { (ii.join(" ")) }
            span class="number" { (line.number) }
            span class="code" {
                @if has_more {
                    button type="button" aria-expanded="true" aria-controls=(details) { code { (text(line)) } }
                } @else {
                    code { (text(line)) }
                }
                @if binds { span class="mark" { "binds" } }
            }
        }
        @if has_more { div class="hardware" id=(details) { (hardware(report, line)) } }
    }
}

/// Not empty, so that every line has the same height.
fn text(line: &Line) -> String {
    match line.text.trim_end() {
        "" => "\u{a0}".into(),
        text => plain(text),
    }
}

fn share(what: &str, part: Option<f64>) -> Markup {
    let Some(part) = part else {
        return html! { span class="share" {} };
    };
    let width = format!("width:{:.1}%", part * 100.0);
    html! {
        span class="share" title=(format!("{} of {what}", words::percent(part))) {
            span class=(format!("fill {what}")) style=(width) {}
            span class="part" { (words::percent(part)) }
        }
    }
}

fn hardware(report: &Report, line: &Line) -> Markup {
    let operations = line.operations.iter().filter_map(|&(pipeline, at)| {
        let pipeline = report.pipelines.get(pipeline)?;
        Some((pipeline, pipeline.operations.get(at)?))
    });
    let area = words::area(line);
    html! {
        @for why in &line.binds { p class="why" { (plain(why)) } }
        @if !area.is_empty() { p { (area) } }
        @if !line.operations.is_empty() {
            (super::scrolling("Operations of the line", &html! {
                table {
                    thead { tr {
                        th scope="col" { "operation" } th scope="col" { "result" } th scope="col" class="number" {
                            "bits" }
                        th scope="col" { "cycle" } th scope="col" class="number" { "ns" } th scope="col" { "in" }
                    } }
                    tbody {
                        @for (pipeline, operation) in operations {
                            tr {
                                td { (plain(&operation.what)) @if let Some(shared) = &operation.shared {
                                    span class="muted" { " shared, number\u{a0}" (shared) } } }
                                td { code { (plain(operation.name.as_deref().unwrap_or_default())) } }
                                td class="number" { (operation.bits) }
                                td { (words::span(operation.start, operation.ready)) }
                                td class="number" { (format!("{:.2}", operation.ns)) }
                                td { (plain(&pipeline.name)) }
                            }
                        }
                    }
                }
            }))
        }
        @if !line.verilog.is_empty() {
            pre tabindex="0" { code {
                @for text in &line.verilog { (plain(text)) "\n" }
                @if line.verilog_left_out > 0 { "// and " (line.verilog_left_out) " more lines\n" }
            } }
        }
    }
}
