//! The pins of a module that Verilator has built: a process that is told inputs and tells outputs, cycle by cycle.

use super::pins::{Pin, Pins, Socket, ports};
use crate::rtl::netlist::{Design, Direction};
use crate::sim::bench::{BENCH, words};
use crate::sim::engine::{EngineError, Result, VerilatorError};
use crate::sim::model::{SimOptions, Unknown};
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The program around the model.
pub(in crate::sim) const HARNESS: &str = include_str!("pins.cpp");

/// A built model.
pub struct Verilated {
    program: PathBuf,
    places: Vec<Place>,
    /// Words of all inputs, and of all outputs.
    totals: [usize; 2],
}

/// Where a port is among the words of its direction.
#[derive(Clone, Copy)]
struct Place {
    at: usize,
    words: usize,
}

impl Verilated {
    pub(in crate::sim) fn new(program: PathBuf, design: &Design) -> Verilated {
        let mut totals = [0, 0];
        let (list, _) = ports(design);
        let places = list.iter().map(|(_, width, direction)| {
            let total = &mut totals[usize::from(*direction == Direction::Output)];
            let place = Place {
                at: *total,
                words: words(*width),
            };
            *total += place.words;
            place
        });
        Verilated {
            program,
            places: places.collect(),
            totals,
        }
    }
}

/// The module around the one under test, with plain names, and the part of the harness that knows its ports. `None`:
/// the design has no module.
pub(in crate::sim) fn sources(design: &Design) -> Option<(String, String)> {
    let module = &design.modules[design.top()?];
    let clock = module
        .clock
        .map(|net| module.nets[net].name.as_str())
        .unwrap_or_default();
    let mut declared = vec!["  input logic clk".to_string()];
    let mut connected = vec![format!("    .{clock}(clk)")];
    let mut calls = [String::new(), String::new()];
    let mut totals = [0, 0];
    for (number, (name, width, direction)) in ports(design).0.iter().enumerate() {
        let side = usize::from(*direction == Direction::Output);
        let (kind, call) = [("input", "put"), ("output", "get")][side];
        declared.push(format!("  {kind} logic [{}:0] p{number}", width - 1));
        connected.push(format!("    .{name}(p{number})"));
        let _ = writeln!(
            calls[side],
            "    {call}(t.p{number}, w + {});",
            totals[side]
        );
        totals[side] += words(*width);
    }
    let bench = format!(
        "module {BENCH} (\n{}\n);\n  {} dut (\n{}\n  );\nendmodule\n",
        declared.join(",\n"),
        module.name,
        connected.join(",\n")
    );
    let [inputs, outputs] = calls;
    let header = format!(
        "static const size_t INPUT_WORDS = {}, OUTPUT_WORDS = {};\n\
         static void drive(Vtb& t, const Word* w) {{\n{inputs}}}\n\
         static void sample(Vtb& t, Word* w) {{\n{outputs}}}\n",
        totals[0], totals[1]
    );
    Some((bench, header))
}

impl Socket for Verilated {
    fn begin(&self, options: &SimOptions) -> Result<Box<dyn Pins + '_>> {
        if options.waveform.is_some() {
            let message = "waveforms of blocks come from the engine in this process";
            return Err(EngineError::Io(message.into()));
        }
        let mut child = Command::new(&self.program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| VerilatorError::Crashed(e.to_string()))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (mut stdin, stdout) =
            pipes.ok_or_else(|| VerilatorError::Crashed("it has no pipes".into()))?;
        let zero = u32::from(options.unknown == Unknown::Zero);
        send(&mut stdin, &[options.seed as u32, zero])?;
        Ok(Box::new(Running {
            child,
            stdin,
            stdout,
            places: &self.places,
            inputs: vec![0; self.totals[0]],
            outputs: vec![0; self.totals[1]],
        }))
    }
}

fn send(to: &mut ChildStdin, words: &[u32]) -> Result<()> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    to.write_all(&bytes)
        .map_err(|e| EngineError::from(VerilatorError::Crashed(e.to_string())))
}

struct Running<'a> {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
    places: &'a [Place],
    inputs: Vec<u32>,
    outputs: Vec<u32>,
}

impl Pins for Running<'_> {
    fn drive(&mut self, pin: Pin, words: &[u64]) {
        let Place { at, words: count } = self.places[pin.number];
        for (number, word) in self.inputs[at..at + count].iter_mut().enumerate() {
            *word = (words[number / 2] >> (32 * (number % 2))) as u32;
        }
    }
    /// The model goes on to its edge by itself when it has answered.
    fn settle(&mut self) -> Result<()> {
        send(&mut self.stdin, &self.inputs)?;
        let mut bytes = vec![0; 4 * self.outputs.len()];
        let read = self.stdout.read_exact(&mut bytes);
        read.map_err(|e| EngineError::from(VerilatorError::Crashed(e.to_string())))?;
        for (word, bytes) in self.outputs.iter_mut().zip(bytes.chunks_exact(4)) {
            *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        Ok(())
    }
    fn read(&mut self, pin: Pin) -> Vec<u64> {
        let Place { at, words } = self.places[pin.number];
        let words = self.outputs[at..at + words].chunks(2);
        let word =
            |pair: &[u32]| u64::from(pair[0]) | u64::from(pair.get(1).copied().unwrap_or(0)) << 32;
        words.map(word).collect()
    }
    fn edge(&mut self) -> Result<()> {
        Ok(())
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        // It has nothing to say any more; nobody minds how it ends.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
