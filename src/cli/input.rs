//! What commands begin with: the source, and what to aim at.

use super::output::Printer;
use super::{PythonArgs, TargetArgs};
use allo_hls::codes;
use allo_hls::diagnostics::{Diagnostic, FileId, SourceMap};
use allo_hls::driver::Target;
use allo_hls::sim::selfcheck::Budget;
use std::io::Read;
use std::path::Path;

/// Reads the input file, or standard input for `-`.
pub fn load(
    sources: &mut SourceMap,
    path: &Path,
    python: &PythonArgs,
) -> Result<FileId, Diagnostic> {
    sources.python.clone_from(&python.python);
    let mut bytes = Vec::new();
    let (name, read) = if path == Path::new("-") {
        (
            "<stdin>".to_string(),
            std::io::stdin().lock().read_to_end(&mut bytes).map(|_| ()),
        )
    } else {
        sources.root = path.parent().map(Path::to_path_buf);
        let read = std::fs::read(path).map(|content| bytes = content);
        (path.display().to_string(), read)
    };
    read.map_err(|e| Diagnostic::global(codes::INPUT_FILE, format!("cannot read '{name}': {e}")))?;
    let added = sources.add_bytes(name, bytes);
    added.map_err(|span| Diagnostic::error(codes::INPUT_FILE, span, "the file is not UTF-8"))
}

/// What was asked for; `check` is for those who did not ask for a check.
pub fn target(printer: &Printer, args: &TargetArgs, check: Budget) -> Result<Target, Diagnostic> {
    let mut target = Target::new(&args.hardware.device, args.hardware.clock)?;
    let limits = &mut target.aim.limits;
    limits.blocks = args.max_dsp.unwrap_or(limits.blocks);
    limits.luts = args.max_lut.unwrap_or(limits.luts);
    limits.ram = args
        .max_ram
        .map_or(limits.ram, |kbits| kbits.saturating_mul(1024));
    target.aim.level = args.level;
    target.aim.partition_args = args.partition_args;
    target.aim.effort = args.effort;
    target.keep_depths = args.keep_depths;
    Ok(Target {
        skip: args.skip_pass.clone(),
        check: args.hardware.check.unwrap_or(check),
        directives: args.directives.all()?,
        strict: args.directives.strict,
        progress: printer.progress.clone(),
        ..target
    })
}
