//! `allo-hls package`: a folder that brings a block to its users.

use super::input::{load, target};
use super::interface::InterfaceArgs;
use super::output::{Printer, Status};
use super::{SourceArgs, TargetArgs};
use allo_hls::codes;
use allo_hls::diagnostics::{Diagnostic, Diagnostics, SourceMap};
use allo_hls::package::{self, File, Format};
use allo_hls::sim::selfcheck::Budget;
use allo_hls::{driver, rtl};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// `allo-hls package kernel.py --interface axi --format fusesoc -o folder`
#[derive(Args)]
pub struct PackageArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub target: TargetArgs,
    #[command(flatten)]
    pub interface: InterfaceArgs,
    /// For which tool
    #[arg(long, value_enum, default_value = "verilog")]
    pub format: FormatChoice,
    /// The folder; it must not be there yet, or be empty
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
}

/// For which tool a folder is made.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormatChoice {
    /// SystemVerilog, drivers, registers and tests, which the others have too
    Verilog,
    /// component.xml of IEEE 1685-2014, and a Tcl file that packages the block in Vivado
    Ipxact,
    /// A CAPI2 core
    Fusesoc,
    /// A LiteX module
    Litex,
}

/// Invocations of the test in the folder.
const VECTORS: usize = 8;

/// `allo-hls package`
pub fn run(printer: &Printer, args: &PackageArgs) -> Result<(), Status> {
    let mut sources = SourceMap::default();
    package(printer, args, &mut sources).map_err(|e| printer.fail(e, &sources))
}

fn package(
    printer: &Printer,
    args: &PackageArgs,
    sources: &mut SourceMap,
) -> Result<(), Diagnostics> {
    let file = load(sources, args.source.input(), &args.source.python)?;
    let mut target = target(printer, &args.target, Budget::QUICK)?;
    args.interface.aim(&mut target);
    let compiled = driver::compile(sources, file, args.source.choice(), &target)?;
    printer.diagnostics(&compiled.warnings, sources);
    let Some((design, manifest)) = args.interface.block(&compiled)? else {
        let message = "a package needs --interface axi or --interface axis";
        return Err(Diagnostic::global(codes::BLOCK, message).into());
    };
    let format = match args.format {
        FormatChoice::Verilog => Format::Verilog,
        FormatChoice::Ipxact => Format::Ipxact,
        FormatChoice::Fusesoc => Format::Fusesoc,
        FormatChoice::Litex => Format::Litex,
    };
    let vectors = package::vectors(&compiled.program, VECTORS, 1);
    let text = rtl::systemverilog::print(&design);
    let files = package::files(format, &manifest, &text, &vectors);
    write_folder(&args.output, &files).map_err(|e| {
        let message = format!("cannot write '{}': {e}", args.output.display());
        Diagnostic::global(codes::OUTPUT_FILE, message).into()
    })
}

/// The folder appears whole or not at all.
fn write_folder(folder: &Path, files: &[File]) -> std::io::Result<()> {
    let parent = match folder.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(parent)?;
    let scratch = tempfile::tempdir_in(parent).map_err(|e| std::io::Error::from(e.kind()))?;
    let whole = scratch.path().join("folder");
    std::fs::create_dir(&whole)?;
    for (path, text) in files {
        let path = whole.join(path);
        if let Some(inner) = path.parent() {
            std::fs::create_dir_all(inner)?;
        }
        std::fs::write(path, text)?;
    }
    // An empty folder is replaced; anything else stays, and is an error.
    std::fs::rename(&whole, folder)
}
