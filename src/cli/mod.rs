//! The command line: its arguments, and what each subcommand does. It calls the rest of the library and prints.

mod compile;
mod directives;
mod explain;
mod hwarith;
mod input;
mod interface;
mod operator;
mod output;
mod package;
pub mod progress;
pub mod prove;
mod report;
pub mod simulate;
mod r#typeof;

use allo_hls::frontend::Choice;
use allo_hls::ir::{Rounding, Scalar};
use allo_hls::levels::Level;
use allo_hls::sim::selfcheck::Budget;
use allo_hls::transform;
use allo_hls::units::float::{self, Operator};
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use directives::DirectiveArgs;
use interface::InterfaceArgs;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Exit status when the input is wrong; clap exits with 2 when the command line is.
pub const WRONG_INPUT: u8 = 1;

/// Compiles Allo kernels to pipelined SystemVerilog.
#[derive(Parser)]
#[command(
    version,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    compile: CompileArgs,
    /// How diagnostics are printed
    #[arg(long, global = true, value_enum, default_value = "human")]
    message_format: MessageFormat,
    /// Do not show on the terminal what a long run does
    #[arg(short, long, global = true)]
    quiet: bool,
}

/// Form of diagnostics on standard error.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    /// With source line and caret
    Human,
    /// One JSON object a line
    Json,
}

#[derive(Subcommand)]
enum Command {
    /// Check a file without making any output
    Check(CheckArgs),
    /// Run a kernel on given inputs and print the results
    Run(RunArgs),
    /// Compare the generated hardware with the software reference, bit for bit
    Cosim(CosimArgs),
    /// Prove, without sampling, that the generated hardware computes an integer kernel
    Prove(prove::ProveArgs),
    /// Check, print, narrow or evaluate the text of a graph of exact operations
    Hwarith(hwarith::HwarithArgs),
    /// Write a folder with a block, its drivers, registers and tests
    Package(package::PackageArgs),
    /// Write one floating-point operator as a module of its own
    Operator(OperatorArgs),
    /// Say what a diagnostic code means
    Explain(ExplainArgs),
    /// Say what type an expression has
    Typeof(TypeofArgs),
    /// Explain what became of a kernel: what it takes, what binds each loop, and what would lift that
    Report(ReportArgs),
}

/// Which kernel of which file.
#[derive(Args, Clone)]
pub struct SourceArgs {
    /// Python file with the kernels, or - for standard input
    // Optional in type only: a subcommand lifts the requirement.
    #[arg(required = true)]
    input: Option<PathBuf>,
    /// Kernel that becomes the top module, e.g. saxpy or 'fill[i32, 4]'; may be left out if the file has one
    #[arg(long, value_name = "KERNEL")]
    pub top: Option<String>,
    /// Schedule of the kernel: a variable of the file, or a function without arguments that returns one
    #[arg(long, value_name = "NAME")]
    pub schedule: Option<String>,
    #[command(flatten)]
    pub python: PythonArgs,
}

/// What evaluates the module level.
#[derive(Args, Clone, Default)]
pub struct PythonArgs {
    /// Evaluate the module level and @consteval functions with CPython, which runs whatever the file says,
    /// instead of the built-in evaluator, which touches nothing
    #[arg(
        long,
        value_name = "PATH",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "python3"
    )]
    pub python: Option<String>,
}

impl SourceArgs {
    /// The input file.
    pub fn input(&self) -> &Path {
        self.input.as_deref().unwrap_or(Path::new("-"))
    }

    /// What is compiled of it.
    pub fn choice(&self) -> Choice<'_> {
        Choice {
            top: self.top.as_deref(),
            schedule: self.schedule.as_deref(),
        }
    }
}

/// How a kernel becomes hardware.
#[derive(Args, Clone)]
pub struct TargetArgs {
    #[command(flatten)]
    pub hardware: HardwareArgs,
    /// Leave out a pass of the transform room (repeatable)
    #[arg(long, value_name = "PASS", value_parser = parse_optional_pass)]
    pub skip_pass: Vec<String>,
    /// How much to do for speed: 1: loops stay as they are, 2: two iterations side by side where that halves
    /// the cycles, 3: as many as there are operators for
    #[arg(short = 'O', value_name = "LEVEL", default_value = "2", value_parser = parse_level)]
    pub level: Level,
    /// Multiplier blocks that -O3 may take [default: the device's]
    #[arg(long, value_name = "N")]
    pub max_dsp: Option<u64>,
    /// LUT4 that -O3 may take [default: the device's]
    #[arg(long, value_name = "N")]
    pub max_lut: Option<u64>,
    /// Memory that -O3 may take inside [default: the device's]
    #[arg(long, value_name = "KBITS")]
    pub max_ram: Option<u64>,
    /// Have -O3 split parameters into banks, too, each with ports of its own
    #[arg(long)]
    pub partition_args: bool,
    /// How many times as long -O2 and -O3 search as by default; with 0 they direct nothing
    #[arg(long, value_name = "N", default_value = "1")]
    pub effort: u32,
    /// Leave streams as they are declared that are too short for the network to end
    #[arg(long)]
    pub keep_depths: bool,
    #[command(flatten)]
    pub directives: DirectiveArgs,
}

/// What the hardware is made for.
#[derive(Args, Clone)]
pub struct HardwareArgs {
    /// Clock to reach, as a frequency or a period
    #[arg(long, value_name = "100MHz|10ns", default_value = "100MHz", value_parser = parse_clock)]
    pub clock: f64,
    /// Device model: a built-in name or a .toml file
    #[arg(long, value_name = "NAME", default_value = "ecp5")]
    pub device: String,
    /// How much of the result to run against the reference before anything is written, N million operations; quick if
    /// left out, for cosim and prove off
    #[arg(long, value_name = "off|quick|full|N")]
    pub check: Option<Budget>,
}

/// `allo-hls kernel.py --top saxpy -o out.sv`
#[derive(Args)]
pub struct CompileArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub target: TargetArgs,
    #[command(flatten)]
    pub interface: InterfaceArgs,
    /// Output file; standard output if left out or `-`
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// What to emit
    #[arg(long, value_enum, default_value = "sv")]
    pub emit: Emit,
    /// With --emit ir: the kernel after this pass of the transform room (`inline` comes first) instead of the frontend's
    #[arg(long, value_name = "PASS", value_parser = parse_pass)]
    pub after: Option<String>,
    /// Also write the manifest (ports, protocol, schedule) as JSON
    #[arg(long, value_name = "FILE")]
    pub manifest: Option<PathBuf>,
    /// Also explain the build: a page (.html), data (.json) or text (.txt); repeatable
    #[arg(long, value_name = "FILE", value_parser = report::parse_file)]
    pub report: Vec<report::ReportFile>,
    #[command(flatten)]
    pub trials: TrialArgs,
}

/// `allo-hls report kernel.py --top saxpy`
#[derive(Args)]
pub struct ReportArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub target: TargetArgs,
    #[command(flatten)]
    pub interface: InterfaceArgs,
    #[command(flatten)]
    pub trials: TrialArgs,
    /// Output file: a page (.html), data (.json) or text (.txt); text on standard output if left out
    #[arg(short, long, value_name = "FILE", value_parser = report::parse_file)]
    pub output: Option<report::ReportFile>,
}

/// What a report may try.
#[derive(Args, Clone)]
pub struct TrialArgs {
    /// Builds that a report may try to find out what would lift the bounds of loops; 0: none
    #[arg(long, value_name = "N", default_value_t = 12)]
    pub trials: usize,
}

/// Forms that can be printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    /// Typed kernel, as the frontend made it
    Ir,
    /// Regions of exact-width operations
    Hwarith,
    /// Cycle of every operation, II of every loop
    Schedule,
    /// Netlist
    Rtl,
    /// SystemVerilog
    Sv,
    /// The netlist as Veryl source
    Veryl,
    /// Ports, protocol and schedule as JSON
    Manifest,
    /// What was said about the hardware, as TOML for --directives
    Directives,
}

#[derive(Args)]
pub struct CheckArgs {
    /// Python file with the kernels, or - for standard input
    pub input: PathBuf,
    #[command(flatten)]
    pub python: PythonArgs,
}

/// `allo-hls explain E0101`
#[derive(Args)]
pub struct ExplainArgs {
    /// Code of a diagnostic, as --message-format json gives it, e.g. E0101
    pub code: String,
}

/// `allo-hls operator`
#[derive(Args)]
#[command(after_help = operator_help())]
pub struct OperatorArgs {
    /// The operator, or 'convert'
    #[arg(value_parser = parse_operator)]
    pub name: OperatorName,
    /// Type of the operands, e.g. f32 or 'apfloat(6,9)'
    #[arg(long, visible_alias = "from", value_name = "TYPE", value_parser = parse_scalar)]
    pub format: Scalar,
    /// Type of the result of 'convert'
    #[arg(long, value_name = "TYPE", value_parser = parse_scalar)]
    pub to: Option<Scalar>,
    /// How 'convert' rounds: rne, rna, rz, rp, rm or ro; as a cast does, if left out
    #[arg(long, value_name = "MODE", value_parser = parse_rounding)]
    pub rnd: Option<Rounding>,
    /// 'convert' makes the largest number, or the nearest limit, of what is too large
    #[arg(long)]
    pub sat: bool,
    /// Cycles from operands to result, with as few lookup tables as an operator of several descriptions has in so many; those of the
    /// usual one, if left out, in as few as the clock allows
    #[arg(long, value_name = "CYCLES")]
    pub latency: Option<u32>,
    /// Multiplier blocks at most
    #[arg(long, value_name = "N")]
    pub max_dsp: Option<u64>,
    #[command(flatten)]
    pub hardware: HardwareArgs,
    /// Output file; standard output if left out or `-`
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Manifest (ports, latency) as JSON; beside the output, with the ending .json, if left out
    #[arg(long, value_name = "FILE")]
    pub manifest: Option<PathBuf>,
}

/// What `allo-hls operator` can make.
#[derive(Clone, Copy, Debug)]
pub enum OperatorName {
    /// Of the table of operators
    Float(&'static Operator),
    /// A conversion between two types
    Convert,
}

fn parse_rounding(name: &str) -> Result<Rounding, String> {
    let found = Rounding::ALL
        .iter()
        .find(|rounding| rounding.name() == name);
    let names = || Rounding::ALL.iter().map(|rounding| rounding.name());
    found.copied().ok_or_else(|| {
        let names: Vec<&str> = names().collect();
        format!("no mode of that name; there are {}", names.join(", "))
    })
}

fn parse_operator(name: &str) -> Result<OperatorName, String> {
    if name == "convert" {
        return Ok(OperatorName::Convert);
    }
    let found = float::operator(name).map(OperatorName::Float);
    found.ok_or_else(|| "there is no such operator; --help lists them".into())
}

/// `1`, `2` or `3`.
pub fn parse_level(text: &str) -> Result<Level, String> {
    match text {
        "1" => Ok(Level::One),
        "2" => Ok(Level::Two),
        "3" => Ok(Level::Three),
        _ => Err("the levels are 1, 2 and 3".into()),
    }
}

fn parse_pass(name: &str) -> Result<String, String> {
    let names: Vec<&str> = transform::FIRST
        .into_iter()
        .chain(transform::PASSES.iter().map(|pass| pass.name))
        .collect();
    match names.contains(&name) {
        true => Ok(name.to_string()),
        false => Err(format!("the passes are: {}", names.join(", "))),
    }
}

fn parse_optional_pass(name: &str) -> Result<String, String> {
    match parse_pass(name)? {
        name if transform::FIRST.contains(&&*name) || transform::REQUIRED.contains(&&*name) => {
            Err("this pass cannot be left out".into())
        }
        name => Ok(name),
    }
}

fn parse_scalar(name: &str) -> Result<Scalar, String> {
    Scalar::named(name).ok_or_else(|| "a type such as f32, apfloat(6,9) or i16 is needed".into())
}

fn operator_help() -> String {
    let row = |name: &str, about: &str| format!("  {name:<18}{about}\n");
    let rows = float::OPERATORS
        .iter()
        .chain(float::elementary::FUNCTIONS)
        .map(|o| row(o.name, o.about));
    let rows: String = rows.collect();
    format!(
        "Operators:\n{rows}{}",
        row("convert", "a in the type of --to")
    )
}

/// `allo-hls typeof 'a + b - 3' a=u8 b=i8`
#[derive(Args)]
pub struct TypeofArgs {
    /// Expression over names; with --style hwarith an operation such as add
    #[arg(required_unless_present = "stdin", allow_hyphen_values = true)]
    pub expression: Option<String>,
    /// Types of the names or operands
    #[arg(
        help = "Types of the names (a=u8 b='i32[4]'); with --style hwarith the operands' types (ui3 si4)"
    )]
    pub types: Vec<String>,
    /// Whose tables
    #[arg(long, value_enum, default_value = "hls")]
    pub style: TypeofStyle,
    /// Also say which rules decided, one line each
    #[arg(long)]
    pub explain: bool,
    /// Answer questions from standard input, one JSON object a line
    #[arg(long, conflicts_with_all = ["expression", "types", "style", "explain"])]
    pub stdin: bool,
}

/// Tables that `typeof` answers from.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TypeofStyle {
    /// Kernels of the default style
    Hls,
    /// Kernels with typing_style="cpp"
    Cpp,
    /// Kernels with typing_style="pto"
    Pto,
    /// Exact-width operations of the back end
    Hwarith,
}

/// `allo-hls run`
#[derive(Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub target: TargetArgs,
    /// Arguments: .json or .npz
    #[arg(long, value_name = "FILE")]
    pub args: Option<PathBuf>,
    /// Begin each invocation of a list with a reset: nothing is kept from the one before
    #[arg(long)]
    pub reset_between: bool,
    /// What runs the kernel; if left out, rtl, or reference where the kernel has no hardware yet
    #[arg(long, value_enum)]
    pub engine: Option<RunEngine>,
    /// Results: .json or .npz; standard output (JSON) if left out
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write floats as their bit patterns
    #[arg(long)]
    pub bits: bool,
    /// An access outside of an array is an error
    #[arg(long)]
    pub check_bounds: bool,
}

/// What executes a kernel.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RunEngine {
    /// The software reference
    Reference,
    /// The generated hardware, simulated in process
    Rtl,
    /// The generated SystemVerilog in Verilator
    Verilator,
}

/// What executes hardware.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CosimEngine {
    /// The netlist, simulated in process; needs no tool
    Rtl,
    /// The SystemVerilog in Verilator
    Verilator,
}

/// `allo-hls cosim`
#[derive(Args)]
pub struct CosimArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub target: TargetArgs,
    #[command(flatten)]
    pub interface: InterfaceArgs,
    /// Number of random and edge-value inputs
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=1 << 48))]
    pub vectors: u64,
    /// Seed of everything that is random
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Inputs from a file (.json or .npz) instead of random ones
    #[arg(long, value_name = "FILE")]
    pub args: Option<PathBuf>,
    /// Begin each invocation of a list with a reset: nothing is kept from the one before
    #[arg(long)]
    pub reset_between: bool,
    /// What runs the hardware
    #[arg(long, value_enum, default_value = "verilator")]
    pub engine: CosimEngine,
    /// Inputs simulated at the same time; the number of processors if left out
    #[arg(
        short,
        long,
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true
    )]
    pub jobs: usize,
    /// Keep a waveform of the first failing run, or of the first: FST, or VCD from Verilator if FILE ends in .vcd
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "cosim.fst"
    )]
    pub trace: Option<PathBuf>,
}

/// Period in ns of `100MHz`, `0.1GHz`, `10ns`, `10000ps`.
pub fn parse_clock(text: &str) -> Result<f64, String> {
    const UNITS: &[(&str, f64, bool)] = &[
        ("ghz", 1.0, true),
        ("mhz", 1e3, true),
        ("khz", 1e6, true),
        ("ns", 1.0, false),
        ("ps", 1e-3, false),
        ("us", 1e3, false),
    ];
    let lower = text.trim().to_ascii_lowercase();
    let parsed = UNITS.iter().find_map(|&(unit, factor, frequency)| {
        let number: f64 = lower.strip_suffix(unit)?.trim().parse().ok()?;
        Some(if frequency {
            factor / number
        } else {
            factor * number
        })
    });
    match parsed {
        Some(period) if period.is_finite() && (0.1..=1e6).contains(&period) => Ok(period),
        Some(_) => Err("a clock between 1 kHz and 10 GHz is needed".into()),
        None => Err("a frequency such as 100MHz or a period such as 10ns is needed".into()),
    }
}

/// Parses the arguments, the first of which is the program's name, and runs. Gives the exit status.
pub fn run(args: impl IntoIterator<Item = OsString>) -> u8 {
    // clap prints usage errors itself and exits with status 2.
    let cli = Cli::parse_from(args);
    if cli.compile.after.is_some() && cli.compile.emit != Emit::Ir {
        let message = "--after shows a form of the ir: it needs --emit ir";
        Cli::command()
            .error(ErrorKind::ArgumentConflict, message)
            .exit();
    }
    let printer = output::Printer::new(cli.message_format, cli.quiet);
    let result = match cli.command {
        Some(Command::Check(args)) => compile::check(&printer, &args),
        Some(Command::Run(args)) => simulate::run(&printer, &args),
        Some(Command::Cosim(args)) => simulate::cosim(&printer, &args),
        Some(Command::Prove(args)) => prove::run(&printer, &args),
        Some(Command::Hwarith(args)) => hwarith::run(&printer, &args),
        Some(Command::Package(args)) => package::run(&printer, &args),
        Some(Command::Operator(args)) => operator::operator(&printer, &args),
        Some(Command::Explain(args)) => explain::explain(&printer, &args),
        Some(Command::Typeof(args)) => r#typeof::run(&printer, &args),
        Some(Command::Report(args)) => report::run(&printer, &args),
        None => compile::compile(&printer, &cli.compile),
    };
    match result {
        Ok(()) => 0,
        Err(status) => status,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_of_the_arguments_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn an_operator_has_no_passes_to_leave_out() {
        let parse = |words: &[&str]| Cli::try_parse_from(words).is_ok();
        let operator = ["allo-hls", "operator", "fadd", "--format", "f32"];
        assert!(parse(&operator));
        assert!(!parse(&[&operator[..], &["--skip-pass", "dead"]].concat()));
        assert!(parse(&["allo-hls", "k.py", "--skip-pass", "dead"]));
    }

    #[test]
    fn clocks() {
        assert_eq!(parse_clock("100MHz"), Ok(10.0));
        assert_eq!(parse_clock("10ns"), Ok(10.0));
        assert_eq!(parse_clock(" 0.25 GHz"), Ok(4.0));
        for wrong in ["", "100", "0MHz", "-5ns", "nanns", "infns", "1e99ns"] {
            assert!(parse_clock(wrong).is_err(), "{wrong}");
        }
    }
}
