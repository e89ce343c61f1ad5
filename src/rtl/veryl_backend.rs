//! SystemVerilog from Veryl source, by Veryl's own analyser and emitter.

use std::path::PathBuf;
use veryl_analyzer::ir::Ir;
use veryl_analyzer::{Analyzer, AnalyzerError, Context};
use veryl_emitter::Emitter;
use veryl_metadata::{Metadata, SourceMapTarget};
use veryl_parser::Parser;

/// Enough for the recursion of the parser on long sources.
const STACK: usize = 64 << 20;

/// Compiles Veryl source to SystemVerilog; `name` names the project in messages.
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
    let metadata = metadata(name)?;
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

fn metadata(name: &str) -> Result<Metadata, String> {
    // Project names are more restricted than module names.
    let _ = name;
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

fn is_fatal(error: &AnalyzerError) -> bool {
    error.is_error()
}
