//! What runs when: the regions of an invocation, the operations of an iteration, iterations that overlap, queues.

use super::ROWS;
use super::page::{Column, Page};
use crate::report::chart::overlap::{Sort, shown, sort};
use crate::report::data::*;
use crate::report::words;

/// The section.
pub fn section(report: &Report, page: &mut Page) {
    page.heading("Timeline");
    let end = report.end();
    page.words(&format!(
        "regions of an invocation by their first run, {}",
        words::counted(end, "cycle")
    ));
    let mut rows = Vec::new();
    bars(&report.regions, (0, end), &mut rows);
    let more = rows.len().saturating_sub(ROWS);
    page.bars(rows.into_iter().take(ROWS).collect(), end.max(1));
    and_more(page, more);
    for pipeline in &report.pipelines {
        if let Some(ii) = pipeline.ii {
            iteration(pipeline, ii, page);
            overlap(pipeline, ii, page);
        }
    }
    if let Some(flow) = &report.flow {
        queues(flow, page);
    }
}

fn and_more(page: &mut Page, more: usize) {
    if more > 0 {
        page.words(&format!("and {more} more"));
    }
}

/// What runs before the end of what it is in.
fn bars(regions: &[Region], (depth, end): (usize, u64), rows: &mut Vec<(String, u64, u64)>) {
    for region in regions.iter().filter(|region| region.is_before(end)) {
        let name = format!("{:1$}{2}", "", 2 * depth, region.name);
        let end = region.end().min(end);
        rows.push((name, region.start, end));
        bars(&region.inside, (depth + 1, end), rows);
    }
}

/// The operations of an iteration; if they are many, those that take the most cycles and have the most bits.
fn iteration(pipeline: &Pipeline, ii: u64, page: &mut Page) {
    page.words(&format!(
        "an iteration of {}: depth {}, the next one starts after {ii}",
        pipeline.name, pipeline.depth
    ));
    let mut chosen: Vec<usize> = (0..pipeline.operations.len()).collect();
    chosen.sort_by_key(|&at| {
        let operation = &pipeline.operations[at];
        let cycles = operation.ready.saturating_sub(operation.start);
        (std::cmp::Reverse((cycles, operation.bits)), at)
    });
    chosen.truncate(ROWS);
    chosen.sort_unstable();
    let rows = chosen.into_iter().map(|at| {
        let operation = &pipeline.operations[at];
        let until = operation.ready.max(operation.start) + 1;
        (name(operation), operation.start, until)
    });
    page.bars(rows.collect(), pipeline.depth.max(1));
    let more = pipeline.operations.len().saturating_sub(ROWS) + pipeline.left_out;
    and_more(page, more);
}

/// `16: load a` with the line of the source.
fn name(operation: &Operation) -> String {
    let line = operation.place.map(|place| format!("{}: ", place.line));
    let name = operation.name.as_ref().map(|name| format!(" {name}"));
    format!(
        "{}{}{}",
        line.unwrap_or_default(),
        operation.what,
        name.unwrap_or_default()
    )
}

/// Some iterations, one line each.
fn overlap(pipeline: &Pipeline, ii: u64, page: &mut Page) {
    let count = shown(pipeline);
    if count < 2 {
        return;
    }
    page.words("iterations: l loads, = computes, s stores, . waits");
    let end = ii * (count - 1) + pipeline.depth.max(1);
    let rows = (0..count).map(|number| {
        let first = ii * number;
        let mut marks = vec![(first, first + pipeline.depth.max(1), '.')];
        for (which, mark) in [(Sort::Compute, '='), (Sort::Store, 's'), (Sort::Load, 'l')] {
            let operations = pipeline.operations.iter();
            let of_it = operations.filter(|operation| sort(operation) == which);
            marks.extend(of_it.map(|operation| {
                let until = operation.ready.max(operation.start + 1);
                (first + operation.start, first + until, mark)
            }));
        }
        (format!("iteration {}", number + 1), marks)
    });
    page.strips(rows.collect(), end);
}

fn queues(flow: &Flow, page: &mut Page) {
    page.words(&format!("queues, {}", flow.simulation));
    let rows = flow.queues.iter().map(|queue| {
        let number = |n: Option<u64>| n.map_or("-".into(), words::grouped);
        vec![
            queue.name.clone(),
            words::ends(flow, queue),
            queue.bits.to_string(),
            queue.depth.to_string(),
            number(queue.capacity),
            number(queue.most),
            number(queue.elements),
        ]
    });
    let columns = [
        Column::left("queue"),
        Column::left("from, to"),
        Column::right("bits"),
        Column::right("depth"),
        Column::right("holds"),
        Column::right("most"),
        Column::right("elements"),
    ];
    page.table(&columns, rows.collect());
    levels(flow, page);
}

/// How full the queues were, in tenths of what each held at most.
fn levels(flow: &Flow, page: &mut Page) {
    let samples = flow.queues.iter().map(|queue| queue.levels.len()).max();
    let Some(samples) = samples.filter(|&samples| samples > 0) else {
        return;
    };
    page.words(&format!(
        "how full they were over {}: 0 empty, 9 as full as ever",
        words::counted(flow.cycles, "cycle")
    ));
    let rows = flow.queues.iter().take(ROWS).map(|queue| {
        let most = queue.most.unwrap_or(0).max(1);
        let tenth = |level: u64| (u128::from(level) * 9).div_ceil(most.into()).min(9) as u32;
        let mark = |(at, &level): (u64, &u64)| {
            let digit = char::from_digit(tenth(level), 10).unwrap_or('9');
            (at, at + 1, digit)
        };
        let mut marks: Vec<_> = (0..).zip(&queue.levels).map(mark).collect();
        // Of samples that share a column the fullest is seen.
        marks.sort_by_key(|&(.., digit)| digit);
        (queue.name.clone(), marks)
    });
    page.strips(rows.collect(), samples as u64);
}
