//! `allo-hls prove`.

use super::input::{load, target};
use super::output::{Printer, Status, emit};
use super::{SourceArgs, TargetArgs};
use allo_hls::codes;
use allo_hls::diagnostics::{Diagnostic, Diagnostics, SourceMap, Span};
use allo_hls::driver::{self, Compilation};
use allo_hls::prove::design::{self, Proof, Statistics};
use allo_hls::prove::{Limits, Stop};
use allo_hls::sim::selfcheck::Budget;
use clap::Args;
use std::time::Duration;

/// Exit status when there is neither a proof nor a counterexample.
pub const UNDECIDED: u8 = 3;

/// `allo-hls prove`
#[derive(Args)]
pub struct ProveArgs {
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    target: TargetArgs,
    /// When to give up
    #[arg(long, value_name = "60s|5m", default_value = "60s", value_parser = parse_time)]
    time: Duration,
}

/// `60s`, `5m`, `500ms`, or seconds without a unit.
fn parse_time(text: &str) -> Result<Duration, String> {
    const UNITS: &[(&str, u64)] = &[("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)];
    let text = text.trim();
    let (digits, scale) = UNITS
        .iter()
        .find_map(|&(unit, scale)| Some((text.strip_suffix(unit)?, scale)))
        .unwrap_or((text, 1000));
    let number: Option<u64> = digits.trim().parse().ok();
    number
        .and_then(|n| n.checked_mul(scale))
        .filter(|ms| (1..=86_400_000).contains(ms))
        .map(Duration::from_millis)
        .ok_or_else(|| "a time such as 60s, up to 24h, is needed".to_string())
}

/// Proves the netlist of a kernel.
pub fn run(printer: &Printer, command: &ProveArgs) -> Result<(), Status> {
    let mut sources = SourceMap::default();
    let compiled =
        compile(printer, command, &mut sources).map_err(|e| printer.fail(e, &sources))?;
    let step = printer.progress.step("proving");
    let proof = design::prove(&compiled.question(), &Limits::within(command.time));
    drop(step);
    match proof {
        Proof::Proven(statistics) => emit(None, summary(&compiled, &statistics).as_bytes())
            .map_err(|e| printer.fail(e, &sources)),
        Proof::Refuted(arguments) => Err(printer.fail(
            design::refutation(&compiled.question(), &arguments),
            &sources,
        )),
        Proof::Open(stop) => {
            printer.fail(undecided(command.time, &stop, &compiled), &sources);
            Err(UNDECIDED)
        }
    }
}

fn compile(
    printer: &Printer,
    command: &ProveArgs,
    sources: &mut SourceMap,
) -> Result<Compilation, Diagnostics> {
    let file = load(sources, command.source.input(), &command.source.python)?;
    let target = target(printer, &command.target, Budget::OFF)?;
    let compiled = driver::compile(sources, file, command.source.choice(), &target)?;
    printer.diagnostics(&compiled.warnings, sources);
    Ok(compiled)
}

fn summary(compiled: &Compilation, statistics: &Statistics) -> String {
    format!(
        "{}: proven for all inputs\n  {} bits compared, {} of them by the solver\n  cycles: at most {}\n",
        compiled.manifest.module, statistics.compared, statistics.solved, statistics.cycles
    )
}

/// Why there is neither a proof nor a counterexample.
pub fn undecided(time: Duration, stop: &Stop, compiled: &Compilation) -> Diagnostic {
    let at = |span: Option<Span>, message: String| {
        Diagnostic::error(
            codes::UNDECIDED,
            span.unwrap_or(compiled.kernel.span),
            message,
        )
    };
    match stop {
        Stop::Time => at(None, format!("not proven within {time:?}")).help("give more --time"),
        Stop::TooLarge(what) => at(None, format!("not proven: it takes {what}"))
            .help("a smaller instance of the kernel may be proven"),
        Stop::Unsuitable(what, span) => {
            at(*span, format!("not proven: a proof does not cover {what}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        assert_eq!(parse_time("60s"), Ok(Duration::from_secs(60)));
        assert_eq!(parse_time("7"), Ok(Duration::from_secs(7)));
        assert_eq!(parse_time("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_time("2 m"), Ok(Duration::from_secs(120)));
        for wrong in ["", "s", "-1s", "1.5s", "25h", "0s", "99999999999999999999h"] {
            assert!(parse_time(wrong).is_err(), "{wrong}");
        }
    }
}
