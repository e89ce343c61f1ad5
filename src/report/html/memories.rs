//! Memories, and which access takes which port in which slot.

use super::{line, scrolling};
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
        @if !report.transfers.is_empty() { (transfers(report)) }
        @if report.memories.is_empty() { p class="muted" { "There are none." } }
        @for memory in report.memories.iter().take(MOST) { (one(report, memory)) }
        @if left_out > 0 { p class="muted" { "and " (left_out) " more memories" } }
    }
}

/// What a block moves in an invocation.
fn transfers(report: &Report) -> Markup {
    scrolling(
        "Transfers",
        &html! {
            table {
                thead { tr {
                    th scope="col" { "array" } th scope="col" { "by" } th scope="col" { "how" }
                    th scope="col" class="number" { "bits of a beat" } th scope="col" class="number" { "beats read" }
                    th scope="col" class="number" { "beats written" }
                } }
                tbody { @for transfer in &report.transfers { tr {
                    th scope="row" { code { (plain(&transfer.name)) } }
                    td { (plain(&transfer.through)) } td { (transfer.how()) }
                    td class="number" { (transfer.beat_bits) } td class="number" { (words::grouped(transfer.read)) }
                    td class="number" { (words::grouped(transfer.written)) }
                } } }
            }
        },
    )
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
