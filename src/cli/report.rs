//! `allo-hls report` and `--report`.

use super::input::{load, target};
use super::output::{Printer, Status, emit};
use super::{ReportArgs, TrialArgs};
use allo_hls::diagnostics::{Diagnostic, SourceMap};
use allo_hls::driver;
use allo_hls::report::trials::{Effort, with_trials};
use allo_hls::report::{Build, Report, html, text};
use allo_hls::sim::selfcheck::Budget;
use std::path::{Path, PathBuf};

/// Columns of a text that goes to no terminal.
const COLUMNS: usize = 100;

/// What a file of a report is.
#[derive(Clone, Copy, Debug)]
enum Form {
    Html,
    Json,
    Text,
}

/// A file that a report is written to; its ending says in what form.
#[derive(Clone, Debug)]
pub struct ReportFile {
    path: PathBuf,
    form: Form,
}

/// Errors: another ending.
pub fn parse_file(name: &str) -> Result<ReportFile, String> {
    let path = PathBuf::from(name);
    let ending = path.extension().and_then(|ending| ending.to_str());
    let form = match ending.map(str::to_ascii_lowercase).as_deref() {
        Some("html" | "htm") => Form::Html,
        Some("json") => Form::Json,
        Some("txt") => Form::Text,
        _ => return Err("a name that ends in .html, .json or .txt is needed".into()),
    };
    Ok(ReportFile { path, form })
}

/// Writes reports of a build. Errors: a file that cannot be written.
pub fn write(build: &Build, trials: &TrialArgs, files: &[ReportFile]) -> Result<(), Diagnostic> {
    if files.is_empty() {
        return Ok(());
    }
    let report = with_trials(build, effort(trials));
    for file in files {
        emit_form(&report, Some(&file.path), file.form)?;
    }
    Ok(())
}

/// `allo-hls report`
pub fn run(printer: &Printer, args: &ReportArgs) -> Result<(), Status> {
    let mut sources = SourceMap::default();
    let file = load(&mut sources, args.source.input(), &args.source.python)
        .map_err(|e| printer.fail(e, &sources))?;
    let mut target =
        target(printer, &args.target, Budget::QUICK).map_err(|e| printer.fail(e, &sources))?;
    args.interface.aim(&mut target);
    let compiled = driver::compile(&mut sources, file, args.source.choice(), &target)
        .map_err(|e| printer.fail(e, &sources))?;
    printer.diagnostics(&compiled.warnings, &sources);
    let block = args.interface.block(&compiled);
    let block = block.map_err(|e| printer.fail(e, &sources))?;
    let build = Build {
        sources: &sources,
        target: &target,
        compilation: &compiled,
        block: block.as_ref().map(|(design, manifest)| (design, manifest)),
    };
    let written = match &args.output {
        Some(file) => write(&build, &args.trials, std::slice::from_ref(file)),
        None => emit_form(&with_trials(&build, effort(&args.trials)), None, Form::Text),
    };
    written.map_err(|e| printer.fail(e, &sources))
}

fn effort(trials: &TrialArgs) -> Effort {
    Effort::of(trials.trials)
}

fn emit_form(report: &Report, path: Option<&Path>, form: Form) -> Result<(), Diagnostic> {
    let text = match form {
        Form::Html => html::page(report),
        Form::Json => report.to_json(),
        Form::Text => text::print(report, columns(path)),
    };
    emit(path, text.as_bytes())
}

/// The width of the terminal that a text goes to.
fn columns(path: Option<&Path>) -> usize {
    let size = match path {
        None => terminal_size::terminal_size_of(std::io::stdout()),
        Some(_) => None,
    };
    size.map_or(COLUMNS, |(width, _)| usize::from(width.0))
}
