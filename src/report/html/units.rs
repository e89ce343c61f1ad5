//! Operators, and who shares them.

use super::{line, scrolling};
use crate::report::chart::plain;
use crate::report::data::{Report, Unit};
use crate::report::words;
use maud::{Markup, html};

/// Calls that are listed of an operator.
const CALLS: usize = 24;

/// The section.
pub fn section(report: &Report) -> Markup {
    if report.units.is_empty() {
        return html! { p class="muted" { "There are none: all operations stand in the datapath." } };
    }
    scrolling(
        "Units",
        &html! {
            table {
                thead { tr {
                    th scope="col" { "unit" } th scope="col" class="number" { "latency" }
                        th scope="col" class="number" { "interval" }
                    th scope="col" class="number" { "how many" } th scope="col" class="number" { "LUT4" }
                    th scope="col" class="number" { "flip-flops" } th scope="col" class="number" { "multipliers" }
                    th scope="col" { "called by" }
                } }
                tbody { @for unit in &report.units { (row(report, unit)) } }
            }
        },
    )
}

fn row(report: &Report, unit: &Unit) -> Markup {
    html! {
        tr {
            th scope="row" {
                code { (plain(&unit.name)) }
                @if let Some(process) = &unit.process { span class="muted" { " in " (plain(process)) } }
            }
            td class="number" { (unit.latency) } td class="number" { (unit.interval) } td class="number" {
                (unit.instances) }
            td class="number" { (words::number(unit.luts)) } td class="number" { (words::grouped(unit.registers)) }
            td class="number" { (unit.blocks) }
            td class="calls" {
                @for call in unit.calls.iter().take(CALLS) {
                    span class="call" {
                        (line(report, call.place)) " cycle\u{a0}" (call.cycle)
                        @if let Some(instance) = call.instance { " number\u{a0}" (instance) }
                    } " "
                }
                @if unit.calls.len() > CALLS { span class="muted" { "and " (unit.calls.len() - CALLS) " more" } }
            }
        }
    }
}
