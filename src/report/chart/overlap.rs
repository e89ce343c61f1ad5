//! How iterations of a loop overlap: three of them, each with its loads, operations and stores in rows of their own.

use super::{AXIS, Scale, framed, label, px};
use crate::report::data::{Operation, Pipeline};
use maud::{Markup, html};

/// Iterations that are shown.
const ITERATIONS: u64 = 3;
/// Height of one of the rows of an iteration.
const LANE: f64 = 8.0;
/// Between two iterations.
const GAP: f64 = 8.0;
/// Operations that are drawn of an iteration, each sort; others lie over them.
const MOST: usize = 400;

/// What an operation is drawn as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A read of a memory.
    Load,
    /// Anything else.
    Compute,
    /// A write to a memory.
    Store,
}

impl Sort {
    /// The class of its bars.
    pub fn class(self) -> &'static str {
        match self {
            Sort::Load => "load",
            Sort::Compute => "compute",
            Sort::Store => "store",
        }
    }
}

/// The sort of an operation.
pub fn sort(operation: &Operation) -> Sort {
    match operation.what.split(' ').next() {
        Some("load") => Sort::Load,
        Some("store") => Sort::Store,
        _ => Sort::Compute,
    }
}

/// How many iterations of a pipeline are shown.
pub fn shown(pipeline: &Pipeline) -> u64 {
    pipeline.trip.unwrap_or(ITERATIONS).clamp(1, ITERATIONS)
}

/// The chart of a loop; `None` for a block.
pub fn chart(pipeline: &Pipeline) -> Option<Markup> {
    let ii = pipeline.ii?;
    let count = shown(pipeline);
    let names: Vec<String> = (1..=count).map(|n| format!("iteration {n}")).collect();
    let end = ii * (count - 1) + pipeline.depth;
    let scale = Scale::new(names.iter().map(String::as_str), end);
    let each = 3.0 * LANE + GAP;
    let height = AXIS + each * count as f64;
    let about = format!(
        "{count} iterations of {}: one starts every {ii} cycles",
        pipeline.name
    );
    Some(framed(
        &about,
        scale.width(),
        height,
        &html! {
            (scale.axis(height))
            @for (number, name) in (0..).zip(&names) {
                @let y = AXIS + each * number as f64;
                (label(name, y + 1.0))
                rect class="iteration" x=(px(scale.x(ii * number))) y=(px(y))
                    width=(px(scale.cycle * pipeline.depth as f64)) height=(3.0 * LANE) {}
                @for operation in pipeline.operations.iter().take(MOST) {
                    (mark(operation, ii * number, &scale, y))
                }
            }
        },
    ))
}

fn mark(operation: &Operation, first: u64, scale: &Scale, y: f64) -> Markup {
    let sort = sort(operation);
    let cycles = operation.ready.saturating_sub(operation.start).max(1);
    let (x, y) = (
        scale.x(first + operation.start) + 0.5,
        y + LANE * f64::from(sort as u8) + 1.0,
    );
    html! {
        rect class=(format!("bar {}", sort.class())) x=(px(x)) y=(px(y))
            width=(px((scale.cycle * cycles as f64 - 1.0).max(1.0))) height=(LANE - 2.0) {}
    }
}
