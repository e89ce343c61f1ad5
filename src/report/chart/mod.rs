//! Charts as SVG that stands in the page: colours and fonts are the page's, sizes are in pixels so that text stays
//! readable, and
//! what is wider than the page scrolls.

pub mod flow;
pub mod gantt;
pub mod overlap;
pub mod ports;

use super::words::shortened;
use maud::{Markup, html};

/// Pixels of a letter of a label.
const LETTER: f64 = 7.3;
/// Letters of a label, at most.
const LETTERS: usize = 34;
/// Height of a row.
const ROW: f64 = 20.0;
/// Height of the axis above the rows.
const AXIS: f64 = 22.0;
/// Width that a chart has without scrolling on an ordinary screen.
const WIDTH: f64 = 900.0;
/// Room behind the last cycle for its number.
const BEHIND: f64 = 40.0;

/// Where cycles are in a chart.
#[derive(Clone, Copy)]
pub struct Scale {
    /// Where cycle 0 begins.
    pub left: f64,
    /// Pixels of a cycle.
    pub cycle: f64,
    /// Cycles.
    pub end: u64,
}

impl Scale {
    /// For rows with these labels and so many cycles.
    pub fn new<'l>(labels: impl Iterator<Item = &'l str>, end: u64) -> Scale {
        let letters = labels.map(|label| label.chars().count().min(LETTERS)).max();
        let left = letters.unwrap_or(0) as f64 * LETTER + 12.0;
        let end = end.max(1);
        let cycle = ((WIDTH - left - BEHIND) / end as f64).min(24.0);
        Scale { left, cycle, end }
    }

    /// Where a cycle begins.
    pub fn x(&self, cycle: u64) -> f64 {
        self.left + self.cycle * cycle as f64
    }

    /// Width of the chart.
    pub fn width(&self) -> f64 {
        self.x(self.end) + BEHIND
    }

    /// Cycles between two lines of the grid: 1, 2 or 5 times a power of ten, so far apart that numbers fit.
    fn step(&self) -> u64 {
        let mut power = 1u64;
        loop {
            for factor in [1, 2, 5] {
                let step = power.saturating_mul(factor);
                if self.cycle * step as f64 >= 34.0 || step >= self.end {
                    return step;
                }
            }
            power = power.saturating_mul(10);
        }
    }

    /// Numbers and lines of the grid down to a height.
    pub fn axis(&self, height: f64) -> Markup {
        let cycles = (0..=self.end / self.step()).map(|n| n * self.step());
        html! {
            @for cycle in cycles {
                line class="grid" x1=(px(self.x(cycle))) x2=(px(self.x(cycle))) y1=(AXIS - 4.0) y2=(px(height)) {}
                text class="tick" x=(px(self.x(cycle) + 2.0)) y="12" { (cycle) }
            }
        }
    }
}

/// A number of pixels, short.
pub fn px(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// Text without what steers terminals or has no place in XML.
pub fn plain(text: &str) -> String {
    let plain = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    text.chars().map(plain).collect()
}

/// The label of a row, whole when pointed at.
pub fn label(text: &str, y: f64) -> Markup {
    let text = plain(text);
    html! {
        text class="label" x="0" y=(px(y + ROW * 0.7)) {
            (shortened(&text, LETTERS))
            @if text.chars().count() > LETTERS { title { (text) } }
        }
    }
}

/// A chart in a frame that scrolls; `about` says what it shows to who does not see it.
pub fn framed(about: &str, width: f64, height: f64, inside: &Markup) -> Markup {
    let (width, height) = (px(width.ceil()), px(height.ceil()));
    html! {
        div class="scroll chart" tabindex="0" role="region" aria-label=(plain(about)) {
            svg role="img" aria-label=(plain(about)) width=(width) height=(height) viewBox=(format!("0 0 {width}
                {height}")) {
                (inside)
            }
        }
    }
}
