//! A report as one page: everything that it needs stands in it, and nothing is loaded.

mod flow;
mod loops;
mod memories;
mod source;
mod summary;
mod timeline;
mod transformations;
mod units;

use super::chart::plain;
use super::data::{Place, Report};
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The sections, with their anchors.
const SECTIONS: &[(&str, &str)] = &[
    ("summary", "Summary"),
    ("source", "Source"),
    ("loops", "Loops"),
    ("timeline", "Timeline"),
    ("memories", "Memories"),
    ("units", "Units"),
    ("transformations", "Transformations"),
];

/// The page of a report. All text of the user is escaped; without JavaScript everything is open.
pub fn page(report: &Report) -> String {
    let title = plain(&report.summary.kernel);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content=(report.generator);
                link rel="icon" href="data:,";
                title { (title) " \u{2013} report" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a class="skip" href="#summary" { "Skip to the report" }
                header {
                    h1 { (title) }
                    p class="muted" { (place(report, report.summary.place)) " \u{b7} " (report.generator) }
                    nav aria-label="Sections" {
                        @for (anchor, name) in SECTIONS {
                            a href=(format!("#{anchor}")) { (name) }
                        }
                    }
                }
                main { (sections(report)) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

fn sections(report: &Report) -> Markup {
    let parts = [
        summary::section(report),
        source::section(report),
        loops::section(report),
        timeline::section(report),
        memories::section(report),
        units::section(report),
        transformations::section(report),
    ];
    html! {
        @for ((anchor, name), part) in SECTIONS.iter().zip(parts) {
            section id=(anchor) aria-labelledby=(format!("{anchor}-title")) {
                h2 id=(format!("{anchor}-title")) { (name) }
                (part)
            }
        }
    }
}

/// The anchor of a line.
fn anchor(place: Place) -> String {
    format!("L{}-{}", place.file, place.line)
}

/// `file.py:12`, which leads to the line if that is shown.
fn place(report: &Report, place: Place) -> Markup {
    let text = plain(&report.location(place));
    html! {
        @if let Some(link) = link(report, place) {
            a class="place" href=(link) { (text) }
        } @else {
            span class="place" { (text) }
        }
    }
}

/// What leads to a line, if it is shown.
fn link(report: &Report, place: Place) -> Option<String> {
    let lines = &report.source.get(place.file)?.lines;
    let is_shown = lines.iter().any(|line| line.number == place.line);
    is_shown.then(|| format!("#{}", anchor(place)))
}

/// `line 12`, with the file where there are several.
fn line(report: &Report, at: Option<Place>) -> Markup {
    let Some(at) = at else {
        return html! {};
    };
    let link = link(report, at).filter(|_| report.source.len() == 1);
    html! {
        @if let Some(link) = link {
            a class="place" href=(link) { "line\u{a0}" (at.line) }
        } @else {
            (place(report, at))
        }
    }
}

/// A table in a frame that scrolls where it is too wide.
fn scrolling(about: &str, inside: &Markup) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="region" aria-label=(plain(about)) { (inside) }
    }
}
