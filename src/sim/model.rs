//! Runs of a module and their results; the engine that Verilator builds, as words of the harness's protocol.

use crate::sim::bench::{Layout, MemoryLayout, words};
use crate::sim::value::{Invocation, Signature};
use crate::sim::vectors::Rng;
use crate::sim::verilator::{self, Result, VerilatorError};
use num_bigint::BigUint;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// One invocation within a [`Run`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// Bit patterns of the scalar parameters, in order.
    pub scalars: Vec<BigUint>,
    /// Cycles of `ap_start` = 0 before it, counted from the start of the run or from the cycle after
    /// the `ap_ready` before it. With 0, `ap_start` stays 1.
    pub gap: u32,
}

/// Invocations one after the other on the same memories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// For each array parameter, in order, the bit patterns of its elements at the start.
    pub arrays: Vec<Vec<BigUint>>,
    /// In order.
    pub starts: Vec<Start>,
    /// Cycles without a start, a ready or a done before giving up.
    pub cycle_limit: u64,
    /// The first invocation is begun, and after so many cycles a reset stops it; then memories are
    /// loaded again and the run begins. 0: without that.
    pub reset_after: u32,
}

impl Run {
    /// Invocations with the gap before each; the array arguments of all but the first are what the one before
    /// left behind.
    pub fn of<'a>(
        signature: &Signature,
        invocations: impl IntoIterator<Item = (&'a Invocation, u32)>,
        cycle_limit: u64,
    ) -> Run {
        let select = |input: &Invocation, arrays: bool| -> Vec<Vec<BigUint>> {
            let slots = signature.params.iter().zip(&input.args);
            let wanted = slots.filter(|(slot, _)| slot.is_array() == arrays);
            let patterns = wanted.map(|(slot, v)| v.iter().map(|v| v.pattern(slot.ty)).collect());
            patterns.collect()
        };
        let mut run = Run {
            arrays: Vec::new(),
            starts: Vec::new(),
            cycle_limit,
            reset_after: 0,
        };
        for (input, gap) in invocations {
            if run.starts.is_empty() {
                run.arrays = select(input, true);
            }
            run.starts.push(Start {
                scalars: select(input, false).concat(),
                gap,
            });
        }
        run
    }
}

/// When an invocation did what, in cycles from the start of its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// The first cycle in which `ap_start` asked for it.
    pub start: u64,
    /// The cycle of its `ap_ready`.
    pub ready: u64,
    /// The cycle of its `ap_done`.
    pub done: u64,
}

impl Timing {
    /// Cycles from start to done.
    pub fn cycles(&self) -> u64 {
        self.done - self.start
    }
}

/// What a run left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunResult {
    /// One for each invocation that finished.
    pub timing: Vec<Timing>,
    /// For each invocation that finished, the bit patterns of the scalar results.
    pub returns: Vec<Vec<BigUint>>,
    /// For each array parameter, then each array result, its elements after the run.
    pub arrays: Vec<Vec<BigUint>>,
    /// Breaches of the interface, each with its cycle.
    pub violations: Vec<String>,
    /// Whether an invocation did not finish.
    pub timed_out: bool,
    /// Writes to arrays in order, with [`SimOptions::record`]; at most [`MAX_WRITES`].
    pub writes: Vec<Write>,
}

/// A write through a port of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// From the start of the run.
    pub cycle: u64,
    /// Position among the array parameters and array results.
    pub array: usize,
    /// Row-major position of the element.
    pub position: usize,
    /// The element's new bit pattern.
    pub data: BigUint,
}

/// Writes of a run that are recorded.
pub const MAX_WRITES: usize = 1 << 20;

/// What stands in registers and memories, and on inputs, where nothing says what it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unknown {
    /// Anything, by seed.
    #[default]
    Random,
    /// Zeros.
    Zero,
}

/// How to simulate.
#[derive(Clone, Debug, Default)]
pub struct SimOptions {
    /// Decides everything that is random: initial state of registers, unspecified inputs.
    pub seed: u64,
    /// What is unknown.
    pub unknown: Unknown,
    /// Where to write a waveform: VCD from Verilator, whose model must have been built with tracing; FST from the
    /// in-process simulator.
    pub waveform: Option<PathBuf>,
    /// Whether to record writes.
    pub record: bool,
}

/// What executes runs.
pub trait Engine: Sync {
    /// Simulates runs one after the other, after one reset. Ends early, with fewer results, after a
    /// run that timed out.
    fn run(&self, runs: &[Run], options: &SimOptions) -> Result<Vec<RunResult>>;

    /// Simulates a run and writes its waveform.
    fn trace(&self, run: &Run, options: &SimOptions) -> Result<()> {
        self.run(std::slice::from_ref(run), options).map(|_| ())
    }
}

/// A simulation built by Verilator.
#[derive(Clone, Debug)]
pub struct Model {
    pub(super) program: PathBuf,
    pub(super) layout: Layout,
}

impl Engine for Model {
    fn run(&self, runs: &[Run], options: &SimOptions) -> Result<Vec<RunResult>> {
        let input = self.encode(runs, options)?;
        let mut file = verilator::io(Path::new("temporary file"), tempfile::tempfile())?;
        let bytes: Vec<u8> = input.iter().flat_map(|w| w.to_le_bytes()).collect();
        {
            use std::io::{Seek as _, Write as _};
            verilator::io(Path::new("temporary file"), file.write_all(&bytes))?;
            verilator::io(Path::new("temporary file"), file.rewind())?;
        }
        let mut command = Command::new(&self.program);
        command.stdin(Stdio::from(file));
        if let Some(path) = &options.waveform {
            command.arg(path);
        }
        let output = verilator::run(&mut command).map_err(VerilatorError::Crashed)?;
        let words = output
            .chunks_exact(4)
            .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
            .collect::<Vec<_>>();
        let mut reader = Reader { words: &words };
        let mut results = Vec::new();
        for run in runs {
            if reader.words.is_empty() {
                break;
            }
            let short = || VerilatorError::Crashed("its output ends early".into());
            results.push(self.decode(&mut reader, run).ok_or_else(short)?);
        }
        Ok(results)
    }
}

impl Model {
    fn encode(&self, runs: &[Run], options: &SimOptions) -> Result<Vec<u32>> {
        let seed = options.seed;
        let mut rng = Rng::new(seed);
        let mut out = vec![seed as u32, (seed >> 32) as u32, (rng.next() >> 33) as u32];
        out.push(u32::from(options.unknown == Unknown::Zero));
        out.push(if options.record { MAX_WRITES as u32 } else { 0 });
        out.push(runs.len() as u32);
        for run in runs {
            for memory in &self.layout.memories {
                for word in self
                    .layout
                    .contents(memory, run, options.unknown, &mut rng)?
                {
                    push_words(&mut out, &word, memory.width);
                }
            }
            out.push(run.starts.len() as u32);
            for start in &run.starts {
                self.layout.check_scalars(start)?;
                out.push(start.gap);
                for (value, wire) in start.scalars.iter().zip(&self.layout.scalars) {
                    push_words(&mut out, value, wire.width);
                }
            }
            out.extend([run.cycle_limit as u32, (run.cycle_limit >> 32) as u32]);
            out.push(run.reset_after);
        }
        Ok(out)
    }

    fn decode(&self, reader: &mut Reader<'_>, run: &Run) -> Option<RunResult> {
        let timed_out = reader.word()? != 0;
        let finished = reader.word()?;
        let mut timing = Vec::new();
        let mut returns = Vec::new();
        for _ in 0..finished {
            let [start, ready, done] = [reader.long()?, reader.long()?, reader.long()?];
            timing.push(Timing { start, ready, done });
            let values = self.layout.returns.iter();
            returns.push(
                values
                    .map(|w| reader.pattern(w.width))
                    .collect::<Option<_>>()?,
            );
        }
        let mut banks = Vec::new();
        for memory in &self.layout.memories {
            let cells = (0..memory.depth).map(|_| reader.pattern(memory.width));
            banks.push(cells.collect::<Option<Vec<_>>>()?);
        }
        let violations = (0..reader.word()?)
            .map(|_| reader.text())
            .collect::<Option<_>>()?;
        let mut writes = Vec::new();
        for _ in 0..reader.word()? {
            let (cycle, memory, address) = (reader.long()?, reader.word()?, reader.long()?);
            let width = self.layout.memories.get(memory as usize)?.width;
            writes.push((cycle, memory as usize, address, reader.pattern(width)?));
        }
        Some(RunResult {
            timing,
            returns,
            arrays: self.layout.gather(&banks, run),
            violations,
            timed_out,
            writes: self.layout.writes(writes),
        })
    }
}

/// What engines share: where elements of arrays are in banks.
impl Layout {
    fn misfit(what: &str) -> VerilatorError {
        VerilatorError::Manifest(format!("{what} do not fit it"))
    }

    /// An invocation must have a value for each scalar port.
    pub(super) fn check_scalars(&self, start: &Start) -> Result<()> {
        match start.scalars.len() == self.scalars.len() {
            true => Ok(()),
            false => Err(Layout::misfit("scalar arguments")),
        }
    }

    /// Words of a bank at the start of a run; those of results and of padding are unknown.
    pub(super) fn contents(
        &self,
        memory: &MemoryLayout,
        run: &Run,
        unknown: Unknown,
        rng: &mut Rng,
    ) -> Result<Vec<BigUint>> {
        let noise = |_| match unknown {
            Unknown::Random => rng.pattern(memory.width),
            Unknown::Zero => BigUint::default(),
        };
        let mut out: Vec<BigUint> = (0..memory.depth).map(noise).collect();
        if memory.port >= self.params {
            return Ok(out);
        }
        let elements = run.arrays.get(self.array_number(memory.port));
        let elements = elements.ok_or_else(|| Layout::misfit("array arguments"))?;
        for (position, value) in elements.iter().enumerate() {
            let (bank, address) = self.ports[memory.port].place(position as u64);
            if bank == memory.bank {
                let word = out.get_mut(address as usize);
                *word.ok_or_else(|| Layout::misfit("the elements of an array"))? = value.clone();
            }
        }
        Ok(out)
    }

    /// Position among the arrays of the port with this number.
    fn array_number(&self, port: usize) -> usize {
        let before = &self.ports[..port];
        before.iter().filter(|p| p.shape().is_some()).count()
    }

    /// Writes given as cycle, memory, address and data.
    pub(super) fn writes(&self, raw: Vec<(u64, usize, u64, BigUint)>) -> Vec<Write> {
        if raw.is_empty() {
            return Vec::new();
        }
        let mut elements: HashMap<(usize, u64), usize> = HashMap::new();
        for (number, memory) in self.memories.iter().enumerate() {
            let port = &self.ports[memory.port];
            let length = port.shape().unwrap_or_default().iter().product::<u64>();
            for position in 0..length {
                let (bank, address) = port.place(position);
                if bank == memory.bank {
                    elements.insert((number, address), position as usize);
                }
            }
        }
        let writes = raw
            .into_iter()
            .filter_map(|(cycle, memory, address, data)| {
                Some(Write {
                    cycle,
                    array: self.array_number(self.memories[memory].port),
                    position: *elements.get(&(memory, address))?,
                    data,
                })
            });
        writes.collect()
    }

    /// Puts the elements of banks back into their arrays.
    pub(super) fn gather(&self, banks: &[Vec<BigUint>], run: &Run) -> Vec<Vec<BigUint>> {
        let mut out: Vec<Vec<BigUint>> = Vec::new();
        for (number, port) in self.ports.iter().enumerate() {
            let Some(shape) = port.shape() else { continue };
            let length = shape.iter().product::<u64>();
            let given = run.arrays.get(out.len());
            let mut elements = match given.filter(|_| number < self.params) {
                Some(given) => given.clone(),
                None => vec![BigUint::default(); length as usize],
            };
            let memories = self.memories.iter().zip(banks);
            let own: Vec<_> = memories.filter(|m| m.0.port == number).collect();
            for (position, element) in elements.iter_mut().enumerate() {
                let (bank, address) = port.place(position as u64);
                let cell = own.iter().find(|m| m.0.bank == bank);
                if let Some(value) = cell.and_then(|m| m.1.get(address as usize)) {
                    *element = value.clone();
                }
            }
            out.push(elements);
        }
        out
    }
}

fn push_words(out: &mut Vec<u32>, value: &BigUint, width: u32) {
    let size = words(width);
    let mut digits = value.iter_u32_digits();
    let top = if width.is_multiple_of(32) {
        u32::MAX
    } else {
        (1 << (width % 32)) - 1
    };
    for i in 0..size {
        let mask = if i + 1 == size { top } else { u32::MAX };
        out.push(digits.next().unwrap_or(0) & mask);
    }
}

struct Reader<'a> {
    words: &'a [u32],
}

impl Reader<'_> {
    fn many(&mut self, count: usize) -> Option<&[u32]> {
        let (first, rest) = self.words.split_at_checked(count)?;
        self.words = rest;
        Some(first)
    }
    fn word(&mut self) -> Option<u32> {
        self.many(1).map(|w| w[0])
    }
    fn long(&mut self) -> Option<u64> {
        self.many(2)
            .map(|w| u64::from(w[0]) | u64::from(w[1]) << 32)
    }
    fn pattern(&mut self, width: u32) -> Option<BigUint> {
        self.many(words(width)).map(|w| BigUint::new(w.to_vec()))
    }
    fn text(&mut self) -> Option<String> {
        let length = self.word()? as usize;
        let packed = self.many(length.div_ceil(4))?;
        let bytes: Vec<u8> = packed.iter().flat_map(|w| w.to_le_bytes()).collect();
        Some(String::from_utf8_lossy(&bytes[..length]).into_owned())
    }
}
