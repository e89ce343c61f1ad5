//! What was done to the kernel, and what was tried and dropped.

use super::scrolling;
use crate::report::chart::plain;
use crate::report::data::{Report, Transformations};
use crate::report::words;
use maud::{Markup, html};

/// The section.
pub fn section(report: &Report) -> Markup {
    let Transformations {
        directives,
        decisions,
        passes,
        tried,
    } = &report.transformations;
    html! {
        @if !directives.is_empty() {
            h3 { "Directed" }
            ul { @for directive in directives { li { code { (plain(directive)) } } } }
        }
        @if !decisions.is_empty() {
            h3 { "Decided by the compiler" }
            ul { @for decision in decisions { li { (plain(decision)) } } }
        }
        h3 { "Passes that changed the kernel" }
        @if passes.is_empty() { p class="muted" { "None." } }
        dl class="passes" { @for pass in passes { div { dt { (pass.name) } dd { (pass.contract) } } } }
        @if !tried.is_empty() {
            h3 { "Tried" }
            (scrolling("What the compiler tried", &html! {
                table class="trials" { tbody {
                    @for one in tried {
                        @let verdict = if one.kept { "kept" } else { "dropped" };
                        tr {
                            td { span class=(format!("verdict {verdict}")) { (verdict) } }
                            td { (plain(&one.what)) }
                            td { (words::tried(one)) }
                        }
                    }
                } }
            }))
        }
    }
}
