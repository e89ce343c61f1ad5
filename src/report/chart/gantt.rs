//! A Gantt chart: rows with a bar from one cycle up to another.

use super::{AXIS, ROW, Scale, framed, label, plain, px};
use maud::{Markup, html};

/// A row.
pub struct Bar {
    /// What stands in front.
    pub label: String,
    /// Further in by so many steps.
    pub depth: usize,
    /// First cycle.
    pub start: u64,
    /// The one after the last.
    pub end: u64,
    /// Class of the bar, for its colour.
    pub class: &'static str,
    /// What is said when it is pointed at.
    pub title: String,
    /// Where it leads, if anywhere.
    pub link: Option<String>,
}

/// The chart of rows over so many cycles.
pub fn chart(about: &str, rows: &[Bar], end: u64) -> Markup {
    let labels: Vec<String> = rows
        .iter()
        .map(|row| format!("{:1$}{2}", "", row.depth * 2, row.label))
        .collect();
    let scale = Scale::new(labels.iter().map(String::as_str), end);
    let height = AXIS + ROW * rows.len() as f64 + 4.0;
    let rows = rows.iter().zip(&labels).enumerate();
    framed(
        about,
        scale.width(),
        height,
        &html! {
            (scale.axis(height))
            @for (at, (row, name)) in rows {
                @let y = AXIS + ROW * at as f64;
                (label(&indented(name), y))
                @match &row.link {
                    Some(link) => a href=(link) { (bar(row, &scale, y)) },
                    None => (bar(row, &scale, y)),
                }
            }
        },
    )
}

/// Spaces at the beginning that stay.
fn indented(name: &str) -> String {
    let inner = name.trim_start_matches(' ');
    format!("{}{inner}", "\u{a0}".repeat(name.len() - inner.len()))
}

fn bar(row: &Bar, scale: &Scale, y: f64) -> Markup {
    let width = scale.cycle * row.end.saturating_sub(row.start).max(1) as f64;
    html! {
        rect class=(format!("bar {}", row.class)) x=(px(scale.x(row.start))) y=(px(y + 3.0))
            width=(px((width - 1.0).max(2.0))) height=(ROW - 6.0) rx="2" {
            title { (plain(&row.title)) }
        }
    }
}
