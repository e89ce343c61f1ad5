//! Queues of a network.

use super::{line, scrolling};
use crate::report::chart::{self, plain};
use crate::report::data::{Flow, Report};
use crate::report::words;
use maud::{Markup, html};

/// Levels and numbers of all queues.
pub fn queues(report: &Report, flow: &Flow) -> Markup {
    let number = |n: Option<u64>| n.map_or("\u{2013}".into(), words::grouped);
    html! {
        h3 { "Queues" }
        p class="muted" { (plain(&flow.simulation)) @if flow.cycles > 0 {
            ", " (words::counted(flow.cycles, "cycle")) } "." }
        @if let Some(chart) = chart::flow::chart(flow) { (chart) }
        (scrolling("Queues", &html! {
            table {
                thead { tr {
                    th scope="col" { "queue" } th scope="col" { "" } th scope="col" { "from, to" }
                    th scope="col" class="number" { "bits" } th scope="col" class="number" { "depth" }
                    th scope="col" class="number" { "holds" } th scope="col" class="number" { "at most" }
                    th scope="col" class="number" { "elements" }
                } }
                tbody {
                    @for queue in &flow.queues {
                        tr {
                            th scope="row" { (plain(&queue.name)) } td { (line(report, Some(queue.place))) }
                            td { (plain(&words::ends(flow, queue))) }
                            td class="number" { (queue.bits) } td class="number" { (queue.depth) }
                            td class="number" { (number(queue.capacity)) } td class="number" { (number(queue.most)) }
                            td class="number" { (number(queue.elements)) }
                        }
                    }
                }
            }
        }))
    }
}
