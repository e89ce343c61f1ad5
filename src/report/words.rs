//! Numbers and findings of a report in words, the same in every form.

use super::data::*;
pub use crate::counts::{counted, grouped};

/// A part of all as `12 %`, `0.4 %`.
pub fn percent(part: f64) -> String {
    let percent = part * 100.0;
    match percent {
        0.0 => "0 %".into(),
        p if p < 0.05 => "< 0.1 %".into(),
        p if p < 10.0 => format!("{p:.1} %"),
        p => format!("{p:.0} %"),
    }
}

/// A number as it is estimated: whole, or with a digit where it is small.
pub fn number(value: f64) -> String {
    match value.fract() == 0.0 || value >= 100.0 {
        true => grouped(value.round() as u64),
        false => format!("{value:.1}"),
    }
}

/// `1.3x`.
pub fn times(ratio: f64) -> String {
    format!("{ratio:.2}x")
}

/// What is guessed of loops.
const ITERATIONS: &str = "64 iterations of each loop of unknown length, half of the most where its bounds, or arrays \
    that it walks, have limits";

/// How long an invocation takes.
pub fn cycles(cycles: &Cycles) -> String {
    match (cycles.exact, cycles.simulated) {
        (Some(exact), _) => counted(exact, "cycle"),
        (None, Some(simulated)) => {
            format!("{}, simulated on one input", counted(simulated, "cycle"))
        }
        (None, None) => format!(
            "the data decide; about {} with {ITERATIONS}",
            counted(cycles.guess, "cycle")
        ),
    }
}

/// What tools are likely to measure, by how far such estimates were off.
pub fn likely(estimate: &Estimate) -> Option<String> {
    let error = estimate.error?;
    let at = |ratio: f64| number((estimate.value * ratio).round());
    (estimate.value > 0.0).then(|| format!("{} to {}", at(error.low), at(error.high)))
}

/// Part of the device that is taken.
pub fn of_device(estimate: &Estimate) -> Option<String> {
    let available = estimate.available.filter(|available| *available > 0.0)?;
    Some(format!(
        "{} of {}",
        percent(estimate.value / available),
        grouped(available as u64)
    ))
}

/// Iterations of a loop: `16 iterations`, `0 to 63 iterations`, `n iterations`.
pub fn iterations(region: &Region) -> String {
    match (region.trip, region.trips) {
        (Some(trip), _) => counted(trip, "iteration"),
        (None, Some(trips)) => format!("{} iterations", extent(trips)),
        (None, None) => "n iterations".into(),
    }
}

/// How the iterations of a loop that is no pipeline follow one another, and why, where no loops inside are the reason.
pub fn in_turn(region: &Region) -> String {
    let why = region
        .in_turn
        .as_ref()
        .map(|why| format!(", since each {why}"));
    format!("one iteration after the other{}", why.unwrap_or_default())
}

/// Cycles of a run of a region.
pub fn takes(region: &Region) -> String {
    match (region.runs, region.spread) {
        (0, _) => "never runs".into(),
        (_, Some(spread)) => format!("{} cycles", extent(spread)),
        (_, None) if region.is_exact => counted(region.cycles, "cycle"),
        (_, None) => format!("about {}", counted(region.cycles, "cycle")),
    }
}

/// `0 to 63`.
fn extent((least, most): (u64, u64)) -> String {
    format!("{} to {}", grouped(least), grouped(most))
}

/// What is assumed of the invocation that shares, loops and the timeline belong to; `None`: nothing.
pub fn assumed(report: &Report) -> Option<String> {
    let assumed = format!("{ITERATIONS}, and the longer of two ways");
    let is_guessed = |regions: &[Region]| regions.iter().any(|region| !region.is_exact);
    match &report.flow {
        None if is_guessed(&report.regions) => Some(format!(
            "the data decide; {} are those with {assumed}",
            counted(report.end(), "cycle")
        )),
        Some(_)
            if report
                .regions
                .iter()
                .any(|process| is_guessed(&process.inside)) =>
        {
            Some(format!(
                "what the data decide inside of a process is a part of its own cycles with {assumed}"
            ))
        }
        _ => None,
    }
}

/// What keeps the interval of a pipeline from being lower, in a sentence.
pub fn bound(pipeline: &Pipeline) -> String {
    let Some(bound) = &pipeline.bound else {
        return String::new();
    };
    let ii = pipeline.ii.unwrap_or(1);
    match (&*bound.kind, &bound.ports) {
        ("rate", _) => "an iteration starts in every cycle; nothing binds".into(),
        ("directive", _) => format!("a directive asks for II {ii}"),
        ("port", Some(ports)) => {
            let several = if ports.ports == 1 { "" } else { "s" };
            let accesses = match ports.accesses.len() {
                1 => "1 access".into(),
                count => format!("{count} accesses"),
            };
            format!(
                "an iteration makes {accesses} of '{}', which has {} port{several} that can {}",
                ports.memory, ports.ports, ports.sort
            )
        }
        ("operator", _) => format!("{} takes operands less often", bound.text),
        ("recurrence", _) if !bound.chain.is_empty() => format!(
            "{}: {} from start to start, {} later",
            bound.text,
            counted(bound.chain_cycles, "cycle"),
            counted(bound.distance, "iteration")
        ),
        ("control", _) => format!(
            "whether there is a next iteration is known after {}",
            counted(bound.chain_cycles, "cycle")
        ),
        _ => bound.text.clone(),
    }
}

/// Whether the chain of a pipeline explains its interval; otherwise several recurrences together do.
pub fn chain_explains(pipeline: &Pipeline) -> bool {
    let bound = pipeline.bound.as_ref();
    bound.is_some_and(|bound| {
        let least = bound.chain_cycles.div_ceil(bound.distance.max(1));
        pipeline.ii.is_none_or(|ii| least >= ii)
    })
}

/// What a trial came to.
pub fn outcome(report: &Report, trial: &Trial) -> String {
    let Some(outcome) = &trial.outcome else {
        return trial.refused.clone().unwrap_or_default();
    };
    let before = report.pipelines.get(trial.pipeline).and_then(|p| p.ii);
    let ii = match (before, outcome.ii) {
        (_, None) => "its iterations do not overlap any more".into(),
        (Some(before), Some(after)) if before == after => format!("II {after} as before"),
        (Some(before), Some(after)) => format!("II {after} instead of {before}"),
        (None, Some(after)) => format!("II {after}"),
    };
    let blocks = match outcome.blocks {
        0 => String::new(),
        blocks => format!(", {}", counted(blocks, "multiplier")),
    };
    format!(
        "{ii}, {} ({}), {} LUT4{blocks}",
        counted(outcome.cycles, "cycle"),
        times(outcome.cycles_ratio),
        times(outcome.luts_ratio),
    )
}

/// What is to be said of a trial first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It takes fewer cycles.
    Faster,
    /// It takes as many or more.
    NotFaster,
    /// It cannot be done.
    Refused,
}

impl Verdict {
    /// Of a trial.
    pub fn of(trial: &Trial) -> Verdict {
        match &trial.outcome {
            None => Verdict::Refused,
            Some(outcome) if outcome.cycles_ratio < 0.995 => Verdict::Faster,
            Some(_) => Verdict::NotFaster,
        }
    }

    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Faster => "faster",
            Verdict::NotFaster => "no gain",
            Verdict::Refused => "refused",
        }
    }
}

/// What the compiler found of something that it tried.
pub fn tried(tried: &Tried) -> String {
    let Some(cycles) = tried.cycles else {
        return "no hardware".into();
    };
    let mut words = counted(cycles, "cycle");
    if let Some(before) = tried.cycles_before {
        words += &format!(" instead of {}", grouped(before));
    }
    if let Some(luts) = tried.luts {
        words += &format!(", {} LUT4 in its operations", grouped(luts as u64));
    }
    words
}

/// What a line takes, or nothing.
pub fn area(line: &Line) -> String {
    let mut parts = Vec::new();
    if line.luts > 0.0 {
        parts.push(format!("{} LUT4", number(line.luts)));
    }
    if line.registers > 0 {
        parts.push(counted(line.registers, "flip-flop"));
    }
    if line.blocks > 0 {
        parts.push(counted(line.blocks, "multiplier"));
    }
    parts.join(", ")
}

/// Cycles of an operation: `3`, `3 to 7`.
pub fn span(start: u64, ready: u64) -> String {
    match start == ready {
        true => start.to_string(),
        false => format!("{start} to {ready}"),
    }
}

/// The first letters of a text that is too long, with a mark.
pub fn shortened(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => {
            let head: String = text.chars().take(most.saturating_sub(1)).collect();
            format!("{head}\u{2026}")
        }
        false => text.to_string(),
    }
}

/// Who puts into a queue and who gets from it.
pub fn ends(flow: &Flow, queue: &Queue) -> String {
    let name = |at: &usize| flow.processes.get(*at).map_or("?", |process| &process.name);
    let from = queue.from.as_ref().map_or("outside", name);
    let to: Vec<&str> = queue.to.iter().map(name).collect();
    let to = if to.is_empty() {
        "outside".to_string()
    } else {
        to.join(", ")
    };
    format!("{from} to {to}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(0.0001), "< 0.1 %");
        assert_eq!(percent(0.0123), "1.2 %");
        assert_eq!(percent(0.5), "50 %");
        assert_eq!(number(1234.0), "1,234");
        assert_eq!(number(1.25), "1.2");
        assert_eq!(shortened("abcdef", 4), "abc\u{2026}");
        assert_eq!(shortened("abcd", 4), "abcd");
    }
}
