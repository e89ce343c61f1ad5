//! How full the queues of a network are over an invocation.

use super::{AXIS, Scale, framed, label, plain, px};
use crate::report::data::{Flow, Queue};
use maud::{Markup, html};
use std::fmt::Write as _;

/// Height of a queue's row.
const QUEUE: f64 = 40.0;

/// The chart of all queues that were simulated; `None` if none was.
pub fn chart(flow: &Flow) -> Option<Markup> {
    let queues = flow.queues.iter().filter(|queue| !queue.levels.is_empty());
    let queues: Vec<&Queue> = queues.collect();
    if queues.is_empty() {
        return None;
    }
    let samples = queues.iter().map(|queue| queue.levels.len()).max();
    let end = samples.unwrap_or(1) as u64 * flow.sample;
    let scale = Scale::new(queues.iter().map(|queue| queue.name.as_str()), end);
    let height = AXIS + QUEUE * queues.len() as f64;
    Some(framed(
        "elements in each queue over an invocation",
        scale.width(),
        height,
        &html! {
            (scale.axis(height))
            @for (at, queue) in queues.iter().enumerate() {
                @let y = AXIS + QUEUE * at as f64;
                (label(&queue.name, y + 10.0))
                (level(queue, flow.sample, &scale, y))
            }
        },
    ))
}

fn level(queue: &Queue, sample: u64, scale: &Scale, y: f64) -> Markup {
    let (top, bottom) = (y + 6.0, y + QUEUE - 4.0);
    let most = queue.capacity.or(queue.most).unwrap_or(1).max(1);
    let at = |level: u64| bottom - (bottom - top) * (level.min(most) as f64 / most as f64);
    // Writing to a String cannot fail.
    let mut path = format!("M{} {}", px(scale.x(0)), px(bottom));
    for (number, level) in (0..).zip(&queue.levels) {
        let [from, to] = [number, number + 1].map(|n| px(scale.x(n * sample)));
        let _ = write!(path, "L{from} {y} L{to} {y}", y = px(at(*level)));
    }
    let last = px(scale.x(queue.levels.len() as u64 * sample));
    let _ = write!(path, "L{last} {} Z", px(bottom));
    let title = format!(
        "{}: at most {} of {most}",
        queue.name,
        queue.most.unwrap_or(0)
    );
    html! {
        line class="capacity" x1=(px(scale.x(0))) x2=(px(scale.x(scale.end))) y1=(px(top)) y2=(px(top)) {}
        line class="axis" x1=(px(scale.x(0))) x2=(px(scale.x(scale.end))) y1=(px(bottom)) y2=(px(bottom)) {}
        path class="level" d=(path) { title { (plain(&title)) } }
        text class="tick" x=(px(scale.x(scale.end) + 4.0)) y=(px(top + 9.0)) { (most) }
    }
}
