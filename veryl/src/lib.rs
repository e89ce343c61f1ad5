//! SystemVerilog from Veryl source, by Veryl's own analyser and emitter.

use std::path::PathBuf;
use veryl_analyzer::ir::Ir;
use veryl_analyzer::{Analyzer, AnalyzerError, Context};
use veryl_emitter::Emitter;
use veryl_metadata::{Metadata, SourceMapTarget};
use veryl_parser::Parser;

/// Enough for the recursion of the parser on long sources.
const STACK: usize = 64 << 20;

/// Compiles Veryl source to SystemVerilog; `name` is the file's name in messages, without ending.
///
/// Veryl keeps its tables in thread-local storage and never frees them, so every compilation has a thread of its
/// own. All errors of the analyser and those warnings that mean a wrong circuit are failures.
pub fn to_systemverilog(veryl_source: &str, name: &str) -> Result<String, String> {
    let (source, name) = (veryl_source.to_string(), name.to_string());
    std::thread::Builder::new()
        .name("veryl".to_string())
        .stack_size(STACK)
        .spawn(move || compile(&source, &name))
        .map_err(|error| format!("veryl: no thread: {error}"))?
        .join()
        .map_err(|_| "veryl: the compiler failed internally".to_string())?
}

fn compile(source: &str, name: &str) -> Result<String, String> {
    let metadata = metadata()?;
    let project = metadata.project.name.clone();
    let file = format!("{name}.veryl");
    let parser = Parser::parse(source, &file).map_err(|error| format!("veryl: {error}"))?;
    let analyzer = Analyzer::new(&metadata);
    let mut ir = Ir::default();
    let mut context = Context::default();
    check(analyzer.analyze_pass1(&project, &parser.veryl))?;
    check(Analyzer::analyze_post_pass1())?;
    check(analyzer.analyze_pass2(&parser.veryl, &mut context, Some(&mut ir)))?;
    check(Analyzer::analyze_post_pass2(&ir))?;
    let [veryl, sv, map] =
        ["veryl", "sv", "sv.map"].map(|end| PathBuf::from(format!("{name}.{end}")));
    let mut emitter = Emitter::new(&metadata, &project, &veryl, &sv, &map);
    emitter.emit(&parser.veryl, source);
    Ok(emitter.as_str().to_string())
}

fn metadata() -> Result<Metadata, String> {
    let mut metadata =
        Metadata::create_default("allo").map_err(|error| format!("veryl: {error}"))?;
    metadata.build.omit_project_prefix = true;
    metadata.build.sourcemap_target = SourceMapTarget::None;
    Ok(metadata)
}

fn check(found: Vec<AnalyzerError>) -> Result<(), String> {
    let fatal: Vec<String> = found
        .iter()
        .filter(|error| is_fatal(error))
        .map(|error| format!("veryl: {error}"))
        .collect();
    match fatal.is_empty() {
        true => Ok(()),
        false => Err(fatal.join("\n")),
    }
}

/// Errors, and the warnings that mean a wrong circuit.
fn is_fatal(error: &AnalyzerError) -> bool {
    error.is_error()
        || matches!(
            error,
            AnalyzerError::MismatchAssignment { .. }
                | AnalyzerError::MissingPort { .. }
                | AnalyzerError::MissingResetStatement { .. }
                | AnalyzerError::StatementAfterIfReset { .. }
                | AnalyzerError::UnassignVariable { .. }
                | AnalyzerError::UncoveredBranch { .. }
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiles_and_refuses() {
        let module =
            |body: &str| format!("module m (a: input logic<8>, y: output logic<8>) {{ {body} }}\n");
        let text = to_systemverilog(&module("assign y = ~a;"), "m").expect("SystemVerilog");
        assert!(text.contains("module m"), "{text}");
        for body in [
            "",
            "assign y = ~a; assign y = a;",
            "assign y = ~y;",
            "assign y = b;",
            "assign y = ;",
        ] {
            assert!(to_systemverilog(&module(body), "m").is_err(), "{body}");
        }
    }
}
