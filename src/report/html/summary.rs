//! The most important numbers.

use super::{line, place, scrolling};
use crate::report::chart::plain;
use crate::report::data::{Estimate, Report, Summary};
use crate::report::words;
use maud::{Markup, html};

/// The section.
pub fn section(report: &Report) -> Markup {
    let Summary {
        module,
        device,
        about_device,
        clock_mhz,
        level,
        cycles,
        estimates,
        verification,
        ..
    } = &report.summary;
    let state = verification.state.replace(' ', "-");
    html! {
        dl class="facts" {
            div { dt { "Cycles" } dd { (words::cycles(cycles)) } }
            div { dt { "Clock asked for" } dd { (clock_mhz) " MHz" } }
            div { dt { "Module" } dd { code { (plain(module)) } ", -O" (level) } }
            div { dt { "Device" } dd { (device) " " span class="muted" { (about_device) } } }
            div { dt { "Verification" } dd { span class=(format!("state {state}")) { (verification.state) }
                " " (verification.text) } }
        }
        @if !cycles.formulas.is_empty() {
            h3 { "Cycles where the data decide" }
            ul {
                @for formula in &cycles.formulas {
                    li { code { (plain(&formula.name)) } " " (line(report, Some(formula.place))) ": " code {
                        (formula.cycles) } }
                }
            }
        }
        h3 { "Estimates" }
        (scrolling("Estimates", &html! {
            table {
                thead { tr {
                    th scope="col" { "" } th scope="col" class="number" { "estimate" } th scope="col" {
                        "of the device" }
                    th scope="col" { "what tools measure, in 8 kernels of 10" }
                } }
                tbody { @for one in estimates { (estimate(one)) } }
            }
        }))
        @if !report.notes.is_empty() {
            h3 { "Messages" }
            ul {
                @for note in &report.notes {
                    li { span class=(format!("severity {}", note.severity)) { (note.severity) }
                        " " (plain(&note.message)) " "
                        @if let Some(at) = note.place { (place(report, at)) } }
                }
            }
        }
    }
}

fn estimate(one: &Estimate) -> Markup {
    html! {
        tr {
            th scope="row" { (one.name) }
            td class="number" { (words::number(one.value)) }
            td { (words::of_device(one).unwrap_or_default()) }
            td {
                @match (words::likely(one), one.error) {
                    (Some(likely), Some(error)) => { (likely) span class="muted" {
                        ", from " (error.kernels) " kernels" } }
                    _ => span class="muted" { @if one.value > 0.0 { "not measured" } },
                }
            }
        }
    }
}
