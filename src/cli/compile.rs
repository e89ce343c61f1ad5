//! `allo-hls kernel.py` and `allo-hls check`.

use super::input::{load, target};
use super::output::{Printer, Status, emit};
use super::{CheckArgs, CompileArgs, Emit};
use allo_hls::codes;
use allo_hls::diagnostics::{Diagnostic, Diagnostics, SourceMap};
use allo_hls::driver;
use allo_hls::report::Build;
use allo_hls::sim::selfcheck::Budget;
use allo_hls::{directives, frontend, ir, rtl, transform};

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
