//! A built simulation: runs in, results out, as words of the harness's protocol.

use crate::sim::bench::{Layout, MemoryLayout, words};
use crate::sim::vectors::Rng;
use crate::sim::verilator::{self, Result, VerilatorError};
use num_bigint::BigUint;
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
}

/// How to simulate.
#[derive(Clone, Debug, Default)]
pub struct SimOptions {
    /// Decides everything that is random: initial state of registers, unspecified inputs.
    pub seed: u64,
    /// Where to write a VCD waveform; the model must have been built with tracing.
    pub waveform: Option<PathBuf>,
}

/// A built simulation.
#[derive(Clone, Debug)]
pub struct Model {
    pub(super) program: PathBuf,
    pub(super) layout: Layout,
}

impl Model {
    /// Simulates runs one after the other, after one reset. Ends early, with fewer results, after a
    /// run that timed out.
    pub fn run(&self, runs: &[Run], options: &SimOptions) -> Result<Vec<RunResult>> {
        let input = self.encode(runs, options.seed)?;
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

    fn encode(&self, runs: &[Run], seed: u64) -> Result<Vec<u32>> {
        let mut rng = Rng::new(seed);
        let mut out = vec![seed as u32, (seed >> 32) as u32, (rng.next() >> 33) as u32];
        out.push(runs.len() as u32);
        for run in runs {
            for memory in &self.layout.memories {
                self.encode_memory(memory, run, &mut rng, &mut out)?;
            }
            out.push(run.starts.len() as u32);
            for start in &run.starts {
                if start.scalars.len() != self.layout.scalars.len() {
                    return Err(self.misfit("scalar arguments"));
                }
                out.push(start.gap);
                for (value, wire) in start.scalars.iter().zip(&self.layout.scalars) {
                    push_words(&mut out, value, wire.width);
                }
            }
            out.extend([run.cycle_limit as u32, (run.cycle_limit >> 32) as u32]);
        }
        Ok(out)
    }

    fn misfit(&self, what: &str) -> VerilatorError {
        VerilatorError::Manifest(format!("{what} do not fit it"))
    }

    /// Bank contents; those of results and of padding are random.
    fn encode_memory(
        &self,
        memory: &MemoryLayout,
        run: &Run,
        rng: &mut Rng,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        let size = words(memory.width);
        let base = out.len();
        for _ in 0..memory.depth {
            let noise =
                (0..size).fold(BigUint::default(), |n, _| (n << 32u32) + (rng.next() >> 32));
            push_words(out, &noise, memory.width);
        }
        if memory.port >= self.layout.params {
            return Ok(());
        }
        let number = self.array_number(memory.port);
        let elements = run.arrays.get(number);
        let elements = elements.ok_or_else(|| self.misfit("array arguments"))?;
        for (position, value) in elements.iter().enumerate() {
            let (bank, address) = self.layout.ports[memory.port].place(position as u64);
            if bank == memory.bank {
                if address >= memory.depth {
                    return Err(self.misfit("the elements of an array"));
                }
                let mut encoded = Vec::with_capacity(size);
                push_words(&mut encoded, value, memory.width);
                let at = base + address as usize * size;
                out[at..at + size].copy_from_slice(&encoded);
            }
        }
        Ok(())
    }

    /// Position among the arrays of the port with this number.
    fn array_number(&self, port: usize) -> usize {
        let before = &self.layout.ports[..port];
        before.iter().filter(|p| p.shape().is_some()).count()
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
        Some(RunResult {
            timing,
            returns,
            arrays: self.gather(&banks, run),
            violations,
            timed_out,
        })
    }

    /// Puts the elements of banks back into their arrays.
    fn gather(&self, banks: &[Vec<BigUint>], run: &Run) -> Vec<Vec<BigUint>> {
        let mut out: Vec<Vec<BigUint>> = Vec::new();
        for (number, port) in self.layout.ports.iter().enumerate() {
            let Some(shape) = port.shape() else { continue };
            let length = shape.iter().product::<u64>();
            let given = run.arrays.get(out.len());
            let mut elements = match given.filter(|_| number < self.layout.params) {
                Some(given) => given.clone(),
                None => vec![BigUint::default(); length as usize],
            };
            let memories = self.layout.memories.iter().zip(banks);
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
