//! The flags that choose what is around a kernel.

use super::Cli;
use allo_hls::codes;
use allo_hls::diagnostics::Diagnostic;
use allo_hls::driver::{Compilation, Target};
use allo_hls::rtl;
use allo_hls::rtl::axi::plan::DEFAULT_BUNDLE;
use allo_hls::rtl::axi::{Interface, Options};
use allo_hls::rtl::interface::block::{BlockManifest, Outstanding};
use allo_hls::rtl::netlist::Design;
use allo_hls::transform::streamed::{Masters, Others, Streaming};
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, ValueEnum};
use std::collections::BTreeSet;

/// What is around the kernel.
#[derive(Args, Clone)]
pub struct InterfaceArgs {
    /// Signals of the module
    #[arg(long, value_enum, default_value = "ap")]
    pub interface: Choice,
    /// Bits of a beat of the AXI4 masters [default: 64]
    #[arg(long, value_name = "BITS", value_parser = parse_width)]
    pub axi_width: Option<u32>,
    /// Reads and writes of each AXI4 master that may be under way, in bursts [default: 8,8]
    #[arg(long, value_name = "READS,WRITES", value_parser = parse_outstanding)]
    pub axi_outstanding: Option<Outstanding>,
    /// The AXI4 master of an array [default: gmem] (repeatable)
    #[arg(long, value_name = "ARRAY=NAME", value_parser = parse_bundle)]
    pub bundle: Vec<(String, String)>,
    /// Put an array behind the control slave (repeatable)
    #[arg(long, value_name = "ARRAY")]
    pub axi_local: Vec<String>,
    /// How an array behind a master is held: full, on chip as a whole; stream or none, moved while the kernel runs,
    /// which has to walk along it once in order; without this
    /// flag, what can be is streamed where the masters and not the kernel bound the time (repeatable)
    #[arg(long, value_name = "ARRAY=full|none|stream", value_parser = parse_buffer)]
    pub axi_buffer: Vec<(String, Buffer)>,
    /// Hold an array that is a frame on chip as a whole, although the kernel walks along it once in order (repeatable)
    #[arg(long, value_name = "ARRAY")]
    pub axis_buffer: Vec<String>,
    /// How the block is controlled; with none it starts by itself, again and again [default: axilite]
    #[arg(long, value_enum)]
    pub control: Option<ControlChoice>,
}

/// Signals of a module.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Choice {
    /// Start and done, memories beside the module
    Ap,
    /// AXI4-Lite control and AXI4 masters
    Axi,
    /// AXI4-Streams
    Axis,
}

/// How an array behind a master is held.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Buffer {
    /// On chip as a whole.
    Full,
    /// Not at all: it is moved while the kernel runs.
    Stream,
}

/// How a block is controlled.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ControlChoice {
    /// Registers
    Axilite,
    /// Not at all
    None,
}

impl InterfaceArgs {
    /// What is asked of the block; `None`: there is none.
    pub fn options(&self) -> Option<Options> {
        let interface = match self.interface {
            Choice::Ap => return None,
            Choice::Axi => Interface::Axi,
            Choice::Axis => Interface::Axis,
        };
        let default = Options::default();
        Some(Options {
            interface,
            width: self.axi_width.unwrap_or(default.width),
            outstanding: self.axi_outstanding.unwrap_or(default.outstanding),
            bundles: self.bundle.clone(),
            local: self.axi_local.clone(),
            buffered: self
                .axi_buffer
                .iter()
                .filter(|(_, buffer)| *buffer == Buffer::Full)
                .map(|(array, _)| array)
                .chain(&self.axis_buffer)
                .cloned()
                .collect(),
            control: self.control != Some(ControlChoice::None),
            ..default
        })
    }

    /// The block around a kernel, if one is asked for.
    ///
    /// Errors: the kernel cannot have it.
    pub fn block(
        &self,
        compiled: &Compilation,
    ) -> Result<Option<(Design, BlockManifest)>, Diagnostic> {
        let Some(options) = self.options() else {
            return Ok(None);
        };
        let (mut design, manifest) = compiled
            .around(&options)
            .map_err(|why| Diagnostic::error(codes::BLOCK, compiled.kernel.span, why))?;
        if !compiled.lut_ram {
            rtl::lut_ram::leave_open(&mut design);
        }
        Ok(Some((design, manifest)))
    }

    /// A flag that is about another interface, or about an array that another one is about, too.
    fn misplaced(&self) -> Option<String> {
        let (axi, both) = (&[Choice::Axi][..], &[Choice::Axi, Choice::Axis][..]);
        let flags = [
            ("--axi-width", self.axi_width.is_some(), axi),
            ("--axi-outstanding", self.axi_outstanding.is_some(), axi),
            ("--bundle", !self.bundle.is_empty(), axi),
            ("--axi-buffer", !self.axi_buffer.is_empty(), axi),
            (
                "--axis-buffer",
                !self.axis_buffer.is_empty(),
                &[Choice::Axis],
            ),
            ("--axi-local", !self.axi_local.is_empty(), both),
            ("--control", self.control.is_some(), both),
        ];
        for (flag, given, interfaces) in flags {
            if given && !interfaces.contains(&self.interface) {
                let names = interfaces.iter().filter_map(ValueEnum::to_possible_value);
                let names: Vec<String> = names.map(|name| name.get_name().to_string()).collect();
                return Some(format!(
                    "{flag}: that is of --interface {}",
                    names.join(" or ")
                ));
            }
        }
        let bundles = self.bundle.iter().map(|(array, _)| ("--bundle", array));
        let buffers = self
            .axi_buffer
            .iter()
            .map(|(array, _)| ("--axi-buffer", array));
        let mut seen = BTreeSet::new();
        let mut given = bundles.clone().chain(buffers.clone());
        if let Some((flag, array)) = given.find(|one| !seen.insert(*one)) {
            return Some(format!("{flag}: two are about '{array}'"));
        }
        let frames = self
            .axis_buffer
            .iter()
            .map(|array| ("--axis-buffer", array));
        let mut others = bundles.chain(buffers).chain(frames);
        let other = others.find(|(_, array)| self.axi_local.contains(array));
        other.map(|(flag, array)| {
            format!("{flag}: '{array}' is behind the control slave (--axi-local)")
        })
    }

    /// What decides which arrays are streams of the module inside.
    fn streaming(&self) -> Streaming {
        let of = |wanted: Buffer| {
            let buffers = self.axi_buffer.iter();
            let buffers = buffers.filter(move |(_, buffer)| *buffer == wanted);
            buffers.map(|(array, _)| array.clone())
        };
        let asked: BTreeSet<String> = of(Buffer::Stream).collect();
        let held = of(Buffer::Full).chain(self.axis_buffer.iter().cloned());
        let masters = Masters {
            beat: u64::from(self.axi_width.unwrap_or(Options::default().width) / 8),
            bundles: self.bundle.clone(),
        };
        Streaming {
            asked: asked.into_iter().collect(),
            others: Some(Others {
                held: held.chain(self.axi_local.iter().cloned()).collect(),
                masters: (self.interface == Choice::Axi).then_some(masters),
            }),
        }
    }

    /// Has the kernel compiled for what is around it: arrays stay whole, and some become streams. Flags that are about
    /// something else, or contradict one another, end the program as other mistakes of the command line do.
    pub fn aim(&self, target: &mut Target) {
        if let Some(why) = self.misplaced() {
            Cli::command()
                .error(ErrorKind::ArgumentConflict, why)
                .exit();
        }
        if self.interface == Choice::Ap {
            return;
        }
        target.aim.partition_args = false;
        target.is_core = true;
        target.streamed = self.streaming();
    }
}

fn parse_width(text: &str) -> Result<u32, String> {
    let width: Option<u32> = text.parse().ok();
    width
        .filter(|width| width.is_power_of_two() && (32..=1024).contains(width))
        .ok_or_else(|| "a power of two from 32 to 1024 is needed".into())
}

fn parse_outstanding(text: &str) -> Result<Outstanding, String> {
    let number = |text: &str| text.trim().parse().ok().filter(|n| (1..=256).contains(n));
    let both = text.split_once(',').and_then(|(read, write)| {
        Some(Outstanding {
            read: number(read)?,
            write: number(write)?,
        })
    });
    both.ok_or_else(|| "two numbers from 1 to 256 are needed, such as 8,8".into())
}

fn parse_buffer(text: &str) -> Result<(String, Buffer), String> {
    match text.split_once('=') {
        Some((array, "full")) => Ok((array.into(), Buffer::Full)),
        Some((array, "none" | "stream")) => Ok((array.into(), Buffer::Stream)),
        _ => Err("ARRAY=full, ARRAY=none or ARRAY=stream is needed".into()),
    }
}

fn parse_bundle(text: &str) -> Result<(String, String), String> {
    let is_name = |text: &str| {
        let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        !text.is_empty() && text.chars().all(word)
    };
    match text.split_once('=') {
        Some((array, name)) if is_name(name) => Ok((array.into(), name.into())),
        _ => Err(format!(
            "ARRAY=NAME is needed, NAME of lower-case letters, digits and _, such as x={DEFAULT_BUNDLE}"
        )),
    }
}
