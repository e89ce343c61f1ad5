//! `allo-hls operator`: one floating-point operator as a module of its own.

use super::output::{Printer, Status, emit, is_standard};
use super::{OperatorArgs, OperatorName};
use allo_hls::diagnostics::{Diagnostic, SourceMap};
use allo_hls::driver::{self, OperatorModule, Target};
use allo_hls::ir::{Conversion, Overflow, Scalar};
use allo_hls::sim::selfcheck::Budget;
use allo_hls::{codes, rtl};
use std::path::PathBuf;

/// Builds the module and writes it with its manifest.
pub fn operator(printer: &Printer, args: &OperatorArgs) -> Result<(), Status> {
    let sources = SourceMap::default();
    build(args)
        .and_then(|module| {
            printer.diagnostics(&module.warnings, &sources);
            let text = rtl::systemverilog::print(&module.design);
            emit(args.output.as_deref(), text.as_bytes())?;
            match manifest_path(args) {
                Some(path) => emit(Some(&path), module.manifest.to_json().as_bytes()),
                None => Ok(()),
            }
        })
        .map_err(|e| printer.fail(e, &sources))
}

/// The manifest's file: as asked for, or beside the output.
fn manifest_path(args: &OperatorArgs) -> Option<PathBuf> {
    let file = args.output.as_ref().filter(|path| !is_standard(path));
    let beside = || file.map(|path| path.with_extension("json"));
    args.manifest.clone().or_else(beside)
}

fn build(args: &OperatorArgs) -> Result<OperatorModule, Diagnostic> {
    let mut target = Target::new(&args.hardware.device, args.hardware.clock)?;
    target.check = args.hardware.check.unwrap_or(Budget::QUICK);
    target.aim.limits.blocks = args.max_dsp.unwrap_or(u64::MAX);
    let refuse = |message: String| Err(Diagnostic::global(codes::OPERATOR, message));
    match (args.name, args.to) {
        (OperatorName::Convert, Some(to)) => {
            let usual = Conversion::of_cast(to);
            let how = Conversion {
                rounding: args.rnd.unwrap_or(usual.rounding),
                overflow: match args.sat {
                    true => Overflow::Saturate,
                    false => usual.overflow,
                },
            };
            driver::conversion(args.format, to, how, args.latency, &target)
        }
        (OperatorName::Convert, None) => refuse("a conversion needs --to".into()),
        (OperatorName::Float(op), Some(_)) => refuse(format!(
            "'{}' has one format: --to is for 'convert'",
            op.name
        )),
        (OperatorName::Float(op), None) if args.rnd.is_some() || args.sat => refuse(format!(
            "'{}' has one way of rounding: --rnd and --sat are for 'convert'",
            op.name
        )),
        (OperatorName::Float(op), None) => match args.format {
            Scalar::Float(format) => driver::operator(op, format, args.latency, &target),
            other => refuse(format!(
                "'{}' is an operator on floats, not on {other}",
                op.name
            )),
        },
    }
}
