//! What a report says, as data: the JSON form, of which the page and the text are prints.

use serde::{Deserialize, Serialize};

/// Version of this format.
pub const VERSION: u32 = 1;

/// All that is known of one build.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// [`VERSION`].
    pub version: u32,
    /// What made it, with its version.
    pub generator: String,
    /// The most important numbers.
    pub summary: Summary,
    /// Files that hardware comes from, line by line; places name them by position.
    pub source: Vec<SourceFile>,
    /// What runs when, outermost first; of a network the regions of each process.
    pub regions: Vec<Region>,
    /// Blocks and loops that are pipelines; regions name them by position.
    pub pipelines: Vec<Pipeline>,
    /// Processes and queues of a network.
    pub flow: Option<Flow>,
    /// What a block with AXI interfaces moves for each array.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transfers: Vec<Transfer>,
    /// Memories inside and outside.
    pub memories: Vec<Memory>,
    /// Operators.
    pub units: Vec<Unit>,
    /// What was done to the kernel.
    pub transformations: Transformations,
    /// Directives that were tried for the loops that bind, each by a build of its own.
    pub trials: Vec<Trial>,
    /// Warnings and notes of the build.
    pub notes: Vec<Note>,
}

/// A line of a file of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// Position in [`Report::source`].
    pub file: usize,
    /// From 1.
    pub line: usize,
}

/// The most important numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The kernel as the user named it.
    pub kernel: String,
    /// The module.
    pub module: String,
    /// Its definition.
    pub place: Place,
    /// The device model.
    pub device: String,
    /// What it is a model of.
    pub about_device: String,
    /// The clock asked for, in MHz.
    pub clock_mhz: f64,
    /// Level of what the compiler directs by itself, 1 to 3.
    pub level: u32,
    /// How long an invocation takes.
    pub cycles: Cycles,
    /// Area and clock, as estimated.
    pub estimates: Vec<Estimate>,
    /// What was verified of this build.
    pub verification: Verification,
}

/// Cycles of an invocation, from its start to `ap_done`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cycles {
    /// Where it is the same for all data.
    pub exact: Option<u64>,
    /// The same, or where the data decide: with 64 iterations for each loop of unknown length, half of the most where its bounds, or arrays that it walks, have limits, and the longer of two
    /// branches. Regions, pipelines and the parts of lines belong to it; see [`Report::end`] for networks.
    pub guess: u64,
    /// Cycles of the loops whose length the data decide, as formulas.
    pub formulas: Vec<Formula>,
    /// As simulated on one input, where the data decide, or of a network.
    pub simulated: Option<u64>,
}

/// Cycles of a loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Formula {
    /// The loop.
    pub name: String,
    /// Where it is.
    pub place: Place,
    /// E.g. `9 + 2 * (n - 1)`, n iterations.
    pub cycles: String,
}

/// An estimated number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// E.g. `LUT4`.
    pub name: String,
    /// How many.
    pub value: f64,
    /// How many the device has; `None` where that is not known, or means nothing.
    pub available: Option<f64>,
    /// How far such estimates were from what tools measured; `None`: it was not measured for this device.
    pub error: Option<Error>,
}

/// Measured over estimated, over a set of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Error {
    /// In the middle of all kernels.
    pub median: f64,
    /// One kernel in ten is below.
    pub low: f64,
    /// One in ten is above.
    pub high: f64,
    /// Kernels.
    pub kernels: u64,
}

/// What was verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verification {
    /// `proven`, `checked` or `not checked`.
    pub state: String,
    /// The sentence of the module's head.
    pub text: String,
}

/// A file of the source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceFile {
    /// As the user gave it.
    pub name: String,
    /// The lines that are shown: those of kernels, with a few around.
    pub lines: Vec<Line>,
}

/// A line of the source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// From 1.
    pub number: usize,
    /// Without its end.
    pub text: String,
    /// Part of the cycles of an invocation, or in a network of a process whose cycles the data decide, in which a pipeline runs
    /// that this line has a part in; `None` without hardware.
    pub cycles: Option<f64>,
    /// Part of the area, multipliers counted as LUT4; `None` without hardware.
    pub area: Option<f64>,
    /// LUT4.
    pub luts: f64,
    /// Flip-flops.
    pub registers: u64,
    /// Multiplier blocks.
    pub blocks: u64,
    /// Initiation intervals of the loops that it is in, the innermost ones.
    pub ii: Vec<u64>,
    /// Why this line keeps an interval from being lower, one sentence each.
    pub binds: Vec<String>,
    /// Its operations: positions of a pipeline and of an operation in it.
    pub operations: Vec<(usize, usize)>,
    /// Lines of the SystemVerilog that come from it.
    pub verilog: Vec<String>,
    /// Further ones.
    pub verilog_left_out: usize,
}

/// What a region is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RegionKind {
    /// A process of a network.
    Process,
    /// A loop whose iterations run one after the other.
    Loop,
    /// A loop that is a pipeline.
    Pipeline,
    /// Straight-line code.
    Block,
    /// Two ways, of which one is gone.
    Branch,
    /// One of the ways.
    Way,
}

/// Something that runs, and what is inside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// What it is.
    pub kind: RegionKind,
    /// The loop's label, or the process's name.
    pub name: String,
    /// Where it is.
    pub place: Place,
    /// Iterations of a loop; `None` where the data decide, where they are more in one run than in another, or for what is no loop.
    pub trip: Option<u64>,
    /// The fewest and the most iterations, where that is known and they are not always as many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trips: Option<(u64, u64)>,
    /// Cycles of the first run, guessed where the data decide.
    pub cycles: u64,
    /// The fewest and the most cycles, where that is known and they are not always as many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<(u64, u64)>,
    /// Whether that is no guess.
    pub is_exact: bool,
    /// The cycle of an invocation in which the first run starts, about. The cycle of the start itself, which the cycles of an
    /// invocation do not count, is none.
    pub start: u64,
    /// Runs in an invocation, about; 0 where it is known that there is none.
    pub runs: u64,
    /// Position among the pipelines.
    pub pipeline: Option<usize>,
    /// Of a loop whose iterations could overlap, why they do not, in words that follow "each iteration".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_turn: Option<String>,
    /// In the order of time.
    pub inside: Vec<Region>,
}

/// Straight-line code, or a loop whose iterations overlap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pipeline {
    /// Labels of its loops, or of the block.
    pub name: String,
    /// The process that it belongs to.
    pub process: Option<String>,
    /// The statement.
    pub place: Place,
    /// Its loops, outermost first, which are one here; none for a block.
    pub loops: Vec<LoopDim>,
    /// Iterations; `None` for a block, and where the data decide.
    pub trip: Option<u64>,
    /// Cycles from the start of an iteration to the next; `None` for a block.
    pub ii: Option<u64>,
    /// Cycles of one iteration, or of the block.
    pub depth: u64,
    /// Cycles of one run, the longest one.
    pub cycles: u64,
    /// Runs in an invocation.
    pub runs: u64,
    /// Part of an invocation's cycles, as [`Line::cycles`].
    pub share: f64,
    /// What keeps the interval from being lower; `None` for a block.
    pub bound: Option<Bound>,
    /// In the order of time; wires and constants are left out.
    pub operations: Vec<Operation>,
    /// Operations beyond those.
    pub left_out: usize,
}

/// One loop of a pipeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopDim {
    /// Its label.
    pub name: String,
    /// Where it is.
    pub place: Place,
    /// Iterations; `None` where the data decide.
    pub trip: Option<u64>,
}

/// What keeps an interval from being lower.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// `rate` (one iteration a cycle: it cannot be lower), `directive`, `port`, `operator`, `recurrence` or `control`.
    pub kind: String,
    /// In words.
    pub text: String,
    /// Of a recurrence or a loop's end: operations each of which waits for the one before.
    pub chain: Vec<ChainStep>,
    /// Cycles of the chain.
    pub chain_cycles: u64,
    /// Iterations after which it begins again.
    pub distance: u64,
    /// Of ports: how many accesses an iteration makes of how many ports.
    pub ports: Option<PortBound>,
}

/// An operation of a chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChainStep {
    /// What it does.
    pub what: String,
    /// Where it comes from.
    pub place: Option<Place>,
    /// Cycle in which it starts, from the chain's start.
    pub start: u64,
    /// Cycle in which its result is there.
    pub ready: u64,
    /// ns into that cycle.
    pub ns: f64,
}

/// Accesses that need more ports than there are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PortBound {
    /// The memory.
    pub memory: String,
    /// `read`, `write` or `read or write`.
    pub sort: String,
    /// Ports of that sort.
    pub ports: u64,
    /// Accesses of an iteration, with their places.
    pub accesses: Vec<Access>,
}

/// An access of a memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Access {
    /// `load` or `store`.
    pub what: String,
    /// Where it comes from.
    pub place: Place,
    /// Cycle of the iteration.
    pub cycle: u64,
    /// Cycle modulo the interval.
    pub slot: u64,
    /// Which port.
    pub port: String,
}

/// An operation with its cycles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// What it does.
    pub what: String,
    /// The name that its result has in the source.
    pub name: Option<String>,
    /// Where it comes from.
    pub place: Option<Place>,
    /// Bits of the result.
    pub bits: u32,
    /// Cycle in which it starts.
    pub start: u64,
    /// Cycle in which its result is there.
    pub ready: u64,
    /// ns into that cycle.
    pub ns: f64,
    /// Which instance of the operator it takes, if it shares that with others.
    pub shared: Option<u64>,
}

/// Processes and queues of a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flow {
    /// In the order of the text.
    pub processes: Vec<Process>,
    /// Streams between them.
    pub queues: Vec<Queue>,
    /// Where levels and times are from, or why there are none.
    pub simulation: String,
    /// Cycles that were simulated.
    pub cycles: u64,
    /// Cycles of a sample of the levels.
    pub sample: u64,
}

/// A process of a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Process {
    /// Its kernel, numbered where several have its name.
    pub name: String,
    /// The call or first statement.
    pub place: Place,
    /// Cycle in which it started, as simulated.
    pub start: Option<u64>,
    /// Cycle in which it was done.
    pub done: Option<u64>,
    /// Cycles that it would take if it never waited, about.
    pub forecast: u64,
    /// Processes that have to be done before, by position.
    pub after: Vec<usize>,
}

/// A stream between processes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Queue {
    /// Its name.
    pub name: String,
    /// Its declaration.
    pub place: Place,
    /// Bits of an element.
    pub bits: u32,
    /// Elements that the kernel asks for.
    pub depth: u64,
    /// Elements that the hardware holds; `None` for one outside.
    pub capacity: Option<u64>,
    /// The process that puts, by position; `None`: it is outside.
    pub from: Option<usize>,
    /// Those that get.
    pub to: Vec<usize>,
    /// The most elements that it held, as simulated.
    pub most: Option<u64>,
    /// The most elements in each sample.
    pub levels: Vec<u64>,
    /// Elements that went through; of a stream from outside with several consumers only those that waited in here.
    pub elements: Option<u64>,
}

/// A memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Name in the source, with the bank's number.
    pub name: String,
    /// The process that it belongs to.
    pub process: Option<String>,
    /// Its declaration.
    pub place: Place,
    /// `outside`, `block RAM`, `LUT RAM`, `LUT RAM, read without a clock`, `ROM`, `stream`, or `state` for what is kept from one invocation to the next.
    pub kind: String,
    /// Elements.
    pub words: u64,
    /// Bits of an element.
    pub bits: u32,
    /// Banks of the array that it is one of.
    pub banks: u64,
    /// Ports that it has at most: those that read and write outside, those that read inside, beside one that writes.
    pub ports: u64,
    /// What each pipeline does with it.
    pub uses: Vec<Use>,
}

/// What a block moves for an array in an invocation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transfer {
    /// The array.
    pub name: String,
    /// The interface of a master, or `AXI4-Stream`.
    pub through: String,
    /// Whether it is moved while the kernel runs, else through a buffer before or after that.
    pub is_streamed: bool,
    /// Bits of a beat.
    pub beat_bits: u32,
    /// Beats that come in; one more if an array begins within a beat and ends beyond the last.
    pub read: u64,
    /// Beats that go out, likewise.
    pub written: u64,
}

impl Transfer {
    /// How it is moved, in words.
    pub fn how(&self) -> &'static str {
        match self.is_streamed {
            true => "streamed",
            false => "through a buffer",
        }
    }
}

/// What a pipeline does with a memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Use {
    /// Position of the pipeline.
    pub pipeline: usize,
    /// Slots after which a loop begins again; cycles of a block.
    pub slots: u64,
    /// Accesses.
    pub accesses: Vec<Access>,
    /// Ports times slots that are in use.
    pub busy: u64,
    /// Ports times slots that there are.
    pub available: u64,
    /// Whether this is what binds the interval.
    pub binds: bool,
}

/// An operator module.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unit {
    /// Its name.
    pub name: String,
    /// The process that it belongs to.
    pub process: Option<String>,
    /// Cycles from operands to result.
    pub latency: u64,
    /// Cycles from one start to the next.
    pub interval: u64,
    /// How many there are.
    pub instances: u64,
    /// ns of the choice among operands in front of a shared one; `None`: it is not shared.
    pub choice_ns: Option<f64>,
    /// LUT4 of one.
    pub luts: f64,
    /// Flip-flops of one.
    pub registers: u64,
    /// Multiplier blocks of one.
    pub blocks: u64,
    /// Calls.
    pub calls: Vec<Call>,
}

/// A call of an operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Where it comes from.
    pub place: Option<Place>,
    /// Position of the pipeline.
    pub pipeline: usize,
    /// Cycle of the iteration.
    pub cycle: u64,
    /// Which instance, from 0, if several calls share it.
    pub instance: Option<u64>,
}

/// What was done to the kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transformations {
    /// What the user directed, as flags.
    pub directives: Vec<String>,
    /// What the compiler directed by itself.
    pub decisions: Vec<String>,
    /// Passes that changed it, with what they do.
    pub passes: Vec<Pass>,
    /// What was built or forecast to be compared.
    pub tried: Vec<Tried>,
}

/// A pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pass {
    /// Its name.
    pub name: String,
    /// What it does.
    pub contract: String,
}

/// Something that the compiler tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// In words.
    pub what: String,
    /// Whether it stayed.
    pub kept: bool,
    /// Cycles without it, where that was asked.
    pub cycles_before: Option<u64>,
    /// With it; `None`: it has no hardware.
    pub cycles: Option<u64>,
    /// LUT4 of its operations.
    pub luts: Option<f64>,
    /// Multiplier blocks.
    pub blocks: Option<u64>,
}

/// A directive that was tried for a loop, by a build of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Position of the pipeline.
    pub pipeline: usize,
    /// Flags to add to the command line.
    pub flags: Vec<String>,
    /// Why that is not possible.
    pub refused: Option<String>,
    /// What came out.
    pub outcome: Option<Outcome>,
}

/// What came of a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The longest interval of the pipelines of the same loop; `None`: it is none any more.
    pub ii: Option<u64>,
    /// Cycles of an invocation, guessed as in [`Cycles::guess`].
    pub cycles: u64,
    /// LUT4.
    pub luts: f64,
    /// Multiplier blocks.
    pub blocks: u64,
    /// LUT4 over those of this build.
    pub luts_ratio: f64,
    /// Cycles over those of this build.
    pub cycles_ratio: f64,
    /// What binds it then.
    pub bound: Option<String>,
}

/// A message of the build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// `warning` or `note`.
    pub severity: String,
    /// Its code.
    pub code: String,
    /// What it says.
    pub message: String,
    /// Where.
    pub place: Option<Place>,
}

impl Region {
    /// Whether it runs, and begins before that cycle.
    pub fn is_before(&self, end: u64) -> bool {
        self.runs > 0 && self.start < end.max(1)
    }

    /// The cycle after its first run.
    pub fn end(&self) -> u64 {
        self.start.saturating_add(self.cycles)
    }
}

impl Report {
    /// Cycles of the invocation that the timeline shows: of a network as simulated, else as [`Cycles::guess`].
    pub fn end(&self) -> u64 {
        let simulated = self.flow.as_ref().map(|flow| flow.cycles);
        let simulated = simulated.filter(|cycles| *cycles > 0);
        simulated.unwrap_or(self.summary.cycles.guess)
    }

    /// The report as a JSON text that ends in a newline.
    pub fn to_json(&self) -> String {
        // Strings, numbers and lists: nothing in it can fail to serialise.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Reads what [`Report::to_json`] wrote. Errors: it is something else, or of another version.
    pub fn from_json(text: &str) -> Result<Report, String> {
        let report: Report = serde_json::from_str(text).map_err(|e| e.to_string())?;
        match report.version {
            VERSION => Ok(report),
            other => Err(format!("a report of version {other}, not {VERSION}")),
        }
    }

    /// `file.py:12`.
    pub fn location(&self, place: Place) -> String {
        let file = self.source.get(place.file);
        format!("{}:{}", file.map_or("?", |file| &file.name), place.line)
    }
}
