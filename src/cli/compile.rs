//! `allo-hls kernel.py` and `allo-hls check`.

use super::output::{Printer, Status, emit};
use super::{CheckArgs, CompileArgs, Emit, PythonArgs, TargetArgs};
use allo_hls::codes;
use allo_hls::diagnostics::{Diagnostic, Diagnostics, FileId, SourceMap};
use allo_hls::driver::{self, Target};
use allo_hls::report::Build;
use allo_hls::sim::selfcheck::Budget;
use allo_hls::{directives, frontend, ir, rtl, transform};
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

/// `allo-hls check`
pub fn check(printer: &Printer, args: &CheckArgs) -> Result<(), Status> {
    let mut sources = SourceMap::default();
    let file =
        load(&mut sources, &args.input, &args.python).map_err(|e| printer.fail(e, &sources))?;
    let checked = driver::check(&mut sources, file).map_err(|e| printer.fail(e, &sources))?;
    printer.diagnostics(&checked.warnings, &sources);
    let left_out = checked.left_out.iter();
    let notes = left_out.map(|(at, why)| Diagnostic::error(codes::NOT_CHECKED, *at, why).as_note());
    printer.diagnostics(&Diagnostics(notes.collect()), &sources);
    let kernels = match checked.count {
        1 => "1 kernel checked".to_owned(),
        several => format!("{several} kernels checked"),
    };
    printer.summary(
        Diagnostic::global(codes::CHECKED, kernels).as_note(),
        &sources,
    );
    Ok(())
}

/// `allo-hls kernel.py`
pub fn compile(printer: &Printer, args: &CompileArgs) -> Result<(), Status> {
    let mut sources = SourceMap::default();
    let file = load(&mut sources, args.source.input(), &args.source.python)
        .map_err(|e| printer.fail(e, &sources))?;
    let choice = args.source.choice();
    if args.emit == Emit::Ir && args.manifest.is_none() && args.report.is_empty() {
        // Shown even where the back end has no hardware for it.
        let mut compiled =
            frontend::compile(&mut sources, file, choice).map_err(|e| printer.fail(e, &sources))?;
        let all = args.target.directives.all();
        let all = all.map_err(|e| printer.fail(e, &sources))?;
        compiled.directives.extend(all);
        let frontend::Compiled {
            program,
            directives,
            warnings,
            ..
        } = &mut compiled;
        directives::apply(program, directives, &sources, warnings)
            .map_err(|e| printer.fail(e, &sources))?;
        printer.diagnostics(&compiled.warnings, &sources);
        let text = match &args.after {
            None => ir::print::print(&compiled.program, Some(&sources)),
            Some(pass) => {
                let kernels = transform::run(&compiled.program, &args.target.skip_pass, Some(pass));
                let kernels = kernels.map_err(|e| printer.fail(e, &sources))?;
                let kernels = kernels.iter();
                let texts = kernels.map(|k| ir::print::print_kernel(k, Some(&sources)));
                texts.collect::<Vec<_>>().join("\n")
            }
        };
        return emit(args.output.as_deref(), text.as_bytes())
            .map_err(|e| printer.fail(e, &sources));
    }
    let mut target =
        target(printer, &args.target, Budget::QUICK).map_err(|e| printer.fail(e, &sources))?;
    args.interface.aim(&mut target);
    let compiled = driver::compile(&mut sources, file, choice, &target)
        .map_err(|e| printer.fail(e, &sources))?;
    printer.diagnostics(&compiled.warnings, &sources);
    let block = args.interface.block(&compiled);
    let block = block.map_err(|e| printer.fail(e, &sources))?;
    let design = block
        .as_ref()
        .map_or(&compiled.design, |(design, _)| design);
    let manifest = || match &block {
        Some((_, manifest)) => manifest.to_json(),
        None => compiled.manifest.to_json(),
    };
    let text = match args.emit {
        Emit::Ir => ir::print::print(&compiled.directed, Some(&sources)),
        Emit::Hwarith if !compiled.parts.is_empty() => {
            let parts = compiled.parts.iter();
            parts.map(|part| part.program.print()).collect()
        }
        Emit::Schedule if !compiled.parts.is_empty() => {
            let parts = compiled.parts.iter();
            parts
                .map(|part| part.schedule.print(&part.program, &sources))
                .collect()
        }
        Emit::Hwarith => compiled.hardware.print(),
        Emit::Schedule => compiled.schedule.print(&compiled.hardware, &sources),
        Emit::Rtl => rtl::print::print(design),
        Emit::Sv => rtl::systemverilog::print(design),
        Emit::Veryl => rtl::veryl::print(design),
        Emit::Manifest => manifest(),
        Emit::Directives => directives::to_toml(&compiled.directives),
    };
    let written =
        emit(args.output.as_deref(), text.as_bytes()).and_then(|()| match &args.manifest {
            Some(path) => emit(Some(path), manifest().as_bytes()),
            None => Ok(()),
        });
    let build = Build {
        sources: &sources,
        target: &target,
        compilation: &compiled,
        block: block.as_ref().map(|(design, manifest)| (design, manifest)),
    };
    written
        .and_then(|()| super::report::write(&build, &args.trials, &args.report))
        .map_err(|e| printer.fail(e, &sources))
}
