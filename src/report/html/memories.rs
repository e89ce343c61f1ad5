//! Memories, and which access takes which port in which slot.

use super::line;
use crate::report::chart::{plain, ports};
use crate::report::data::{Access, Memory, Report, Use};
use crate::report::words;
use maud::{Markup, html};

/// Memories that are drawn.
const MOST: usize = 64;

/// The section.
pub fn section(report: &Report) -> Markup {
    let left_out = report.memories.len().saturating_sub(MOST);
    html! {
        @if report.memories.is_empty() { p class="muted" { "There are none." } }
        @for memory in report.memories.iter().take(MOST) { (one(report, memory)) }
        @if left_out > 0 { p class="muted" { "and " (left_out) " more memories" } }
    }
}

fn one(report: &Report, memory: &Memory) -> Markup {
    html! {
        h3 { (plain(&memory.name)) @if let Some(process) = &memory.process { span class="muted" {
            " in " (plain(process)) } } }
        p {
            (memory.kind) ", " (words::grouped(memory.words)) " words of " (memory.bits) " bits, "
            (words::counted(memory.ports, "port"))
            @if memory.banks > 1 { ", one of " (memory.banks) " banks" }
            " " (line(report, Some(memory.place)))
        }
        @for one in &memory.uses { (used(report, memory, one)) }
    }
}

fn used(report: &Report, memory: &Memory, one: &Use) -> Markup {
    let name = report
        .pipelines
        .get(one.pipeline)
        .map_or("", |pipeline| &pipeline.name);
    let where_is = |access: &Access| report.location(access.place);
    html! {
        p class="caption" {
            (plain(name)) ": " (one.busy) " of " (words::counted(one.available, "slot")) " in use"
            @if one.binds { " " span class="mark" { "binds" } }
        }
        (ports::chart(&format!("Ports of {} by slot", memory.name), one, &where_is))
    }
}
