//! Runs of a module and their results; the engine that Verilator builds, as words of the harness's protocol.

use crate::ir::Scalar;
use crate::rtl::interface::manifest::Flow;
use crate::sim::bench::{Layout, MemoryLayout, words};
use crate::sim::draw::{Draw, Rng};
use crate::sim::elements::Elements;
use crate::sim::elements::Invocation;
use crate::sim::engine::{self, EngineError, Result, VerilatorError, io};
use crate::sim::value::{Signature, Value};
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
    /// How far each stream parameter comes, if that is known: nothing else tells the invocations of a block without a control
    /// slave apart.
    pub ends: Vec<u64>,
}

/// Invocations one after the other on the same memories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// For each array parameter, in order, its elements at the start.
    pub arrays: Vec<Elements>,
    /// For each of them, how many of the first elements can be read.
    pub reach: Vec<usize>,
    /// In order.
    pub starts: Vec<Start>,
    /// Cycles without a start, a ready or a done before giving up.
    pub cycle_limit: u64,
    /// The first invocation is begun, and after so many cycles a reset stops it (with 0, there is a reset only); then memories
    /// are loaded again and the run begins.
    pub reset_after: Option<u32>,
    /// The module keeps state: after that reset it is not idle until the first values are written.
    pub loads: bool,
    /// What stands around a block is always ready and answers after the same few cycles.
    pub is_steady: bool,
}

impl Run {
    /// Invocations with the gap before each; the array arguments of all but the first are what the one before
    /// left behind. What is kept between invocations is as after a reset in the first one.
    pub fn of<'a>(
        signature: &Signature,
        invocations: impl IntoIterator<Item = (&'a Invocation, u32)>,
        cycle_limit: u64,
    ) -> Run {
        let arrays = |input: &'a Invocation| {
            let slots = signature.params.iter().zip(&input.args);
            let wanted = slots.filter(|(slot, _)| slot.is_array());
            wanted.map(|(_, elements)| elements)
        };
        let mut run = Run {
            arrays: Vec::new(),
            reach: Vec::new(),
            starts: Vec::new(),
            cycle_limit,
            reset_after: signature.keeps_state.then_some(0),
            loads: signature.keeps_state,
            is_steady: false,
        };
        for (input, gap) in invocations {
            if run.starts.is_empty() {
                run.arrays = arrays(input).cloned().collect();
            }
            // Of a stream, with which element it begins, and how many there are of what is got.
            let slots = signature.params.iter().zip(&input.args).enumerate();
            let scalars = slots.flat_map(|(number, (slot, given))| -> Vec<BigUint> {
                let (begun, offered) = input.cursor(number, given.len());
                match slot.flow {
                    Some(Flow::In) => vec![begun.into(), offered.into()],
                    Some(Flow::Out) => vec![begun.into()],
                    None if slot.is_array() => Vec::new(),
                    None => vec![given.get(0).pattern(given.ty())],
                }
            });
            // Records of what depends on timing begin with the first one.
            let begins = u32::from(run.starts.is_empty());
            let begins = std::iter::repeat_n(begins.into(), signature.timed);
            let scalars = scalars.chain(begins).collect();
            let ends = Vec::new();
            run.starts.push(Start { scalars, gap, ends });
            run.reach.resize(run.arrays.len(), 0);
            let slots = signature.params.iter().zip(&input.args).enumerate();
            let arrays = slots.filter(|(_, (slot, _))| slot.is_array());
            for (reach, (number, (slot, given))) in run.reach.iter_mut().zip(arrays) {
                // Of a stream what is offered is read, and what is put only written.
                *reach = match slot.flow {
                    Some(Flow::In) => input.cursor(number, given.len()).1.max(*reach),
                    Some(Flow::Out) => 0,
                    None => slot.len(),
                };
            }
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
    pub arrays: Vec<Elements>,
    /// Breaches of the interface, each with its cycle.
    pub violations: Vec<String>,
    /// Whether an invocation did not finish.
    pub timed_out: bool,
    /// Writes to arrays in order, with [`SimOptions::record`]; at most [`MAX_WRITES`].
    pub writes: Vec<Write>,
    /// What the masters of a block moved, one after the other.
    pub traffic: Vec<Traffic>,
}

/// What a master of a block moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traffic {
    /// The master's bundle.
    pub bundle: String,
    /// What it read.
    pub reads: Moved,
    /// What it wrote.
    pub writes: Moved,
}

/// Beats of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// How many.
    pub beats: u64,
    /// Cycles from the first address of an invocation to its last beat or response, of all invocations together.
    pub cycles: u64,
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
    /// The element's new value.
    pub data: Value,
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
        let (input, loaded) = self.encode(runs, options)?;
        let mut file = io(Path::new("temporary file"), tempfile::tempfile())?;
        let bytes: Vec<u8> = input.iter().flat_map(|w| w.to_le_bytes()).collect();
        {
            use std::io::{Seek as _, Write as _};
            io(Path::new("temporary file"), file.write_all(&bytes))?;
            io(Path::new("temporary file"), file.rewind())?;
        }
        let mut command = Command::new(&self.program);
        command.stdin(Stdio::from(file));
        if let Some(path) = &options.waveform {
            command.arg(path);
        }
        let output = engine::run(&mut command).map_err(VerilatorError::Crashed)?;
        let words = output
            .chunks_exact(4)
            .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
            .collect::<Vec<_>>();
        let mut reader = Reader { words: &words };
        let mut results = Vec::new();
        for arrays in loaded {
            if reader.words.is_empty() {
                break;
            }
            let short = || VerilatorError::Crashed("its output ends early".into());
            results.push(self.decode(&mut reader, arrays).ok_or_else(short)?);
        }
        Ok(results)
    }
}

impl Model {
    /// The words for the harness, and of each run what its arrays are at the start.
    fn encode(&self, runs: &[Run], options: &SimOptions) -> Result<(Vec<u32>, Vec<Vec<Elements>>)> {
        let mut loaded = Vec::new();
        let seed = options.seed;
        let mut rng = Rng::new(seed);
        let mut out = vec![seed as u32, (seed >> 32) as u32, (rng.next() >> 33) as u32];
        out.push(u32::from(options.unknown == Unknown::Zero));
        out.push(if options.record { MAX_WRITES as u32 } else { 0 });
        out.push(runs.len() as u32);
        for run in runs {
            let arrays = self.layout.load(run, options.unknown, &mut rng)?;
            for memory in &self.layout.memories {
                let elements = &arrays[memory.array];
                let reach = run.reach.get(memory.array).map_or(u64::MAX, |&r| r as u64);
                // Of what is in banks, all.
                let given = match memory.depth == elements.len() as u64 {
                    true => memory.depth.min(reach),
                    false => memory.depth,
                };
                out.extend([given as u32, (given >> 32) as u32]);
                for address in 0..given {
                    let word = match self.layout.position(memory, address) {
                        Some(position) => elements.get(position).pattern(elements.ty()),
                        None => BigUint::default(),
                    };
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
            out.push(run.reset_after.map_or(0, |cycles| cycles + 1));
            out.push(u32::from(run.loads));
            loaded.push(arrays);
        }
        Ok((out, loaded))
    }

    /// What a run left behind in arrays that were such at its start.
    fn decode(&self, reader: &mut Reader<'_>, mut arrays: Vec<Elements>) -> Option<RunResult> {
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
        for memory in &self.layout.memories {
            let elements = &mut arrays[memory.array];
            for _ in 0..reader.long()? {
                let address = reader.long()?;
                let value = reader.value(elements.ty())?;
                if let Some(position) = self.layout.position(memory, address) {
                    elements.set(position, value, None);
                }
            }
        }
        let violations = (0..reader.word()?)
            .map(|_| reader.text())
            .collect::<Option<_>>()?;
        let mut writes = Vec::new();
        for _ in 0..reader.word()? {
            let (cycle, memory, address) = (reader.long()?, reader.word()?, reader.long()?);
            let memory = self.layout.memories.get(memory as usize)?;
            let data = reader.value(arrays[memory.array].ty())?;
            if let Some(position) = self.layout.position(memory, address) {
                writes.push(Write {
                    cycle,
                    array: memory.array,
                    position,
                    data,
                });
            }
        }
        Some(RunResult {
            timing,
            returns,
            arrays,
            violations,
            timed_out,
            writes,
            traffic: Vec::new(),
        })
    }
}

/// What engines share: where elements of arrays are in banks.
impl Layout {
    fn misfit(what: &str) -> EngineError {
        EngineError::Manifest(format!("{what} do not fit it"))
    }

    /// An invocation must have a value for each scalar port.
    pub(super) fn check_scalars(&self, start: &Start) -> Result<()> {
        match start.scalars.len() == self.scalars.len() {
            true => Ok(()),
            false => Err(Layout::misfit("scalar arguments")),
        }
    }

    /// All arrays at the start of a run; the elements of results are unknown.
    pub(super) fn load(&self, run: &Run, unknown: Unknown, rng: &mut Rng) -> Result<Vec<Elements>> {
        let given = self.arrays.iter().take(self.given).zip(&run.arrays);
        let mut arrays = Vec::new();
        for (array, elements) in given {
            if elements.len() != array.length || elements.ty().width() != array.ty.width() {
                return Err(Layout::misfit("the elements of an array"));
            }
            arrays.push(elements.clone());
        }
        if arrays.len() != self.given {
            return Err(Layout::misfit("array arguments"));
        }
        let results = self.arrays.iter().skip(self.given);
        arrays.extend(results.map(|array| match unknown {
            Unknown::Random => Elements::drawn(array.length, Draw::noise(array.ty, rng.next())),
            Unknown::Zero => {
                let zero = Value::of_pattern(array.ty, &[]);
                Elements::same(array.ty, array.length, zero)
            }
        }));
        Ok(arrays)
    }

    /// The position in its array of the element at an address of a memory.
    pub(super) fn position(&self, memory: &MemoryLayout, address: u64) -> Option<usize> {
        let port = &self.arrays[memory.array].port;
        Some(port.position(memory.bank, address)? as usize)
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
    fn value(&mut self, ty: Scalar) -> Option<Value> {
        let pattern = self.pattern(ty.width())?;
        Some(Value::of_pattern(ty, &pattern.to_u64_digits()))
    }
    fn text(&mut self) -> Option<String> {
        let length = self.word()? as usize;
        let packed = self.many(length.div_ceil(4))?;
        let bytes: Vec<u8> = packed.iter().flat_map(|w| w.to_le_bytes()).collect();
        Some(String::from_utf8_lossy(&bytes[..length]).into_owned())
    }
}
