//! The in-process engine: the netlist simulator behind the protocol of the interface, without any tool.
//!
//! It does cycle for cycle what `harness.cpp` does around a Verilated model.

use crate::rtl::interface::manifest::Manifest;
use crate::rtl::netlist::Design;
use crate::sim::bench::Layout;
use crate::sim::elements::Elements;
use crate::sim::engine::{EngineError, Result};
use crate::sim::model::{
    Engine, MAX_WRITES, Run, RunResult, SimOptions, Start, Timing, Unknown, Write,
};
use crate::sim::rtl::{Signal, Simulator};
use crate::sim::value::Value;
use crate::sim::vectors::Rng;
use crate::sim::waveform::{self, Recorder};
use num_bigint::BigUint;

/// A compiled netlist with its ports.
#[derive(Clone, Debug)]
pub struct Netlist {
    simulator: Simulator,
    layout: Layout,
    ports: Ports,
    names: waveform::Names,
}

#[derive(Clone, Debug)]
struct Ports {
    reset: Signal,
    /// Whether the reset is active low.
    reset_low: bool,
    start: Signal,
    done: Signal,
    idle: Signal,
    ready: Signal,
    scalars: Vec<Signal>,
    returns: Vec<Signal>,
    /// Of each memory.
    lanes: Vec<Vec<LanePorts>>,
}

#[derive(Clone, Copy, Debug)]
struct LanePorts {
    address: Signal,
    ce: Signal,
    q: Option<Signal>,
    /// Enable and data.
    write: Option<(Signal, Signal)>,
}

impl Netlist {
    /// Compiles the top module of a valid design.
    pub fn new(design: &Design, manifest: &Manifest) -> Result<Netlist> {
        let wrong = EngineError::Netlist;
        let top = design.top().ok_or_else(|| wrong("no module".into()))?;
        let simulator = Simulator::new(design, top, 0).map_err(wrong)?;
        let layout = Layout::of(manifest)?;
        let ports = Ports::find(&simulator, manifest, &layout)?;
        Ok(Netlist {
            names: waveform::Names::of(design),
            simulator,
            layout,
            ports,
        })
    }
}

/// A run that was given a number of cycles.
pub struct Ran {
    /// What it left behind.
    pub result: RunResult,
    /// Cycles that it took, resets included.
    pub cycles: u64,
    /// Whether it was cut off before its end.
    pub cut: bool,
}

impl Netlist {
    /// What simulating a cycle takes, in operations on words.
    pub fn cost(&self) -> u64 {
        let ports = self.ports.scalars.len() + self.ports.lanes.iter().flatten().count();
        self.simulator.cost() + CYCLE + PORT * ports as u64
    }

    /// Simulates a run after a reset, for so many cycles at most.
    pub fn run_until(&self, run: &Run, options: &SimOptions, cycles: u64) -> Result<Ran> {
        self.watch(run, options, cycles, &[], &mut |_| ())
    }

    /// The same; `see` gets the low words of nets in each cycle of the run, the resets left out.
    ///
    /// Errors: a net that is not there.
    pub fn watch(
        &self,
        run: &Run,
        options: &SimOptions,
        cycles: u64,
        nets: &[&str],
        see: &mut dyn FnMut(&[u64]),
    ) -> Result<Ran> {
        let mut bench = Bench::new(self, options)?;
        bench.most_cycles = cycles;
        bench.reset();
        if !nets.is_empty() {
            let signals = nets.iter().map(|net| {
                let missing = || EngineError::Netlist(format!("there is no net '{net}'"));
                bench.simulator.signal(net).ok_or_else(missing)
            });
            let signals: Vec<Signal> = signals.collect::<Result<_>>()?;
            bench.watched = Some((signals, see));
        }
        let result = bench.run(run)?;
        Ok(Ran {
            cycles: bench.cycle,
            cut: result.timed_out && bench.cycle - bench.run_started >= cycles,
            result,
        })
    }
}

impl Ports {
    fn find(simulator: &Simulator, manifest: &Manifest, layout: &Layout) -> Result<Ports> {
        let signal = |name: &String| {
            let missing = || EngineError::Manifest(format!("the module has no port '{name}'"));
            simulator.signal(name).ok_or_else(missing)
        };
        let optional = |name: &Option<String>| name.as_ref().map(signal).transpose();
        let mut lanes = Vec::new();
        for memory in &layout.memories {
            let mut own = Vec::new();
            for lane in &memory.lanes {
                own.push(LanePorts {
                    address: signal(&lane.address)?,
                    ce: signal(&lane.ce)?,
                    q: optional(&lane.q)?,
                    write: optional(&lane.we)?.zip(optional(&lane.d)?),
                });
            }
            lanes.push(own);
        }
        let wires = |wires: &[crate::sim::bench::Wire]| {
            wires
                .iter()
                .map(|w| signal(&w.port))
                .collect::<Result<Vec<_>>>()
        };
        Ok(Ports {
            reset: signal(&manifest.reset.port)?,
            reset_low: manifest.reset.active == "low",
            start: signal(&manifest.control.start)?,
            done: signal(&manifest.control.done)?,
            idle: signal(&manifest.control.idle)?,
            ready: signal(&manifest.control.ready)?,
            scalars: wires(&layout.scalars)?,
            returns: wires(&layout.returns)?,
            lanes,
        })
    }
}

impl Engine for Netlist {
    fn run(&self, runs: &[Run], options: &SimOptions) -> Result<Vec<RunResult>> {
        let mut bench = Bench::new(self, options)?;
        bench.reset();
        let mut results = Vec::new();
        for run in runs {
            let result = bench.run(run)?;
            let timed_out = result.timed_out;
            results.push(result);
            if timed_out {
                break;
            }
        }
        if let Some(recorder) = bench.recorder {
            recorder.finish().map_err(EngineError::Io)?;
        }
        Ok(results)
    }
}

/// What a port asked for in this cycle.
#[derive(Clone, Copy, Default)]
struct Lane {
    ce: bool,
    we: bool,
    address: u64,
}

/// Nets, and who is shown their low words in each cycle.
type Watched<'a> = (Vec<Signal>, &'a mut dyn FnMut(&[u64]));

/// A module in simulation with what stands around it.
struct Bench<'a> {
    netlist: &'a Netlist,
    simulator: Simulator,
    /// What stands outside the module.
    arrays: Vec<Elements>,
    /// Of each memory.
    lanes: Vec<Vec<Lane>>,
    rng: Rng,
    unknown: Unknown,
    cycle: u64,
    run_started: u64,
    violations: Vec<String>,
    writes: Vec<Write>,
    write_limit: usize,
    /// Of a run, without the resets before it.
    most_cycles: u64,
    recorder: Option<Recorder>,
    /// Nets, and who is shown them.
    watched: Option<Watched<'a>>,
    scratch: Vec<u64>,
    /// Reads at the edge to come: the port, the memory, the address if any answer will not do.
    answers: Vec<(Signal, usize, Option<u64>)>,
    /// Writes at the edge to come: the memory, the port of it, the element.
    data: Vec<(usize, usize, Value)>,
}

/// What the protocol takes in a cycle, in operations on words of the module.
const CYCLE: u64 = 40;
/// What a port takes in a cycle.
const PORT: u64 = 40;
/// Breaches that are told of one run.
const MAX_VIOLATIONS: usize = 8;
/// Quiet cycles after the last invocation of a run.
const COOL_DOWN: u64 = 4;
/// Cycles of a reset.
const RESET_CYCLES: u32 = 3;
/// Cycles after a reset within which a module is idle.
const MOST_LOADS: u32 = 1 << 22;

fn stride(width: u32) -> usize {
    width.div_ceil(64) as usize
}

/// The bits of the last word that a value uses.
fn top_mask(width: u32) -> u64 {
    u64::MAX >> (stride(width) as u32 * 64 - width)
}

impl<'a> Bench<'a> {
    fn new(netlist: &'a Netlist, options: &SimOptions) -> Result<Bench<'a>> {
        let mut simulator = netlist.simulator.clone();
        match options.unknown {
            Unknown::Random => simulator.restart(options.seed),
            Unknown::Zero => simulator.restart_cleared(),
        }
        let recorder = match &options.waveform {
            Some(path) => {
                let recorder = Recorder::new(path, &simulator, &netlist.names);
                Some(recorder.map_err(EngineError::Io)?)
            }
            None => None,
        };
        Ok(Bench {
            arrays: Vec::new(),
            lanes: {
                let ports = netlist.ports.lanes.iter();
                ports.map(|p| vec![Lane::default(); p.len()]).collect()
            },
            netlist,
            simulator,
            rng: Rng::new(options.seed),
            unknown: options.unknown,
            cycle: 0,
            run_started: 0,
            violations: Vec::new(),
            writes: Vec::new(),
            write_limit: if options.record { MAX_WRITES } else { 0 },
            most_cycles: u64::MAX,
            recorder,
            watched: None,
            scratch: Vec::new(),
            answers: Vec::new(),
            data: Vec::new(),
        })
    }

    /// A value that nobody may rely on, into the scratch words.
    fn garbage(&mut self, width: u32) {
        self.scratch.clear();
        for _ in 0..stride(width) {
            let word = match self.unknown {
                Unknown::Random => self.rng.next(),
                Unknown::Zero => 0,
            };
            self.scratch.push(word);
        }
        if let Some(last) = self.scratch.last_mut() {
            *last &= top_mask(width);
        }
    }

    fn violation(&mut self, what: &str) {
        if self.violations.len() < MAX_VIOLATIONS {
            let cycle = self.cycle - self.run_started;
            self.violations.push(format!("cycle {cycle}: {what}"));
        }
    }

    // One clock cycle ------------------------------------------------------------------------

    fn set_bit(&mut self, signal: Signal, bit: bool) {
        self.simulator.set(signal, u64::from(bit));
    }

    fn bit(&mut self, signal: Signal) -> bool {
        self.simulator.get(signal) != 0
    }

    fn scramble_scalars(&mut self) {
        for at in 0..self.netlist.ports.scalars.len() {
            let signal = self.netlist.ports.scalars[at];
            self.garbage(signal.width());
            self.simulator.set_words(signal, &self.scratch);
        }
    }

    /// What the module asks of its memories.
    fn sample_lanes(&mut self) {
        for (lanes, ports) in self.lanes.iter_mut().zip(&self.netlist.ports.lanes) {
            for (lane, port) in lanes.iter_mut().zip(ports) {
                lane.ce = self.simulator.get(port.ce) != 0;
                if lane.ce {
                    lane.address = self.simulator.get(port.address);
                    let we = port.write.map(|(we, _)| we);
                    lane.we = we.is_some_and(|we| self.simulator.get(we) != 0);
                }
            }
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.sample(&mut self.simulator);
        }
        if let Some((signals, see)) = &mut self.watched {
            let simulator = &mut self.simulator;
            let values = signals.iter().map(|signal| simulator.get(*signal));
            let values: Vec<u64> = values.collect();
            see(&values);
        }
    }

    /// The clock edge, for the module and its memories.
    fn edge(&mut self, active: bool) {
        let netlist = self.netlist;
        // Data to write is gone after the module's edge, and read data must not come before it.
        let mut answers = std::mem::take(&mut self.answers);
        let mut data = std::mem::take(&mut self.data);
        for (m, ports) in netlist.ports.lanes.iter().enumerate() {
            let memory = &netlist.layout.memories[m];
            for (k, port) in ports.iter().enumerate() {
                let lane = self.lanes[m][k];
                if !lane.ce {
                    continue;
                }
                let readable = !lane.we && lane.address < memory.depth;
                answers.extend(port.q.map(|q| (q, m, readable.then_some(lane.address))));
                if let (true, Some((_, d))) = (lane.we, port.write) {
                    let ty = self.arrays[memory.array].ty();
                    data.push((m, k, Value::of_pattern(ty, self.simulator.words(d))));
                }
            }
        }
        self.simulator.step();
        for (q, m, address) in answers.drain(..) {
            self.answer(q, m, address);
        }
        for (m, k, value) in data.drain(..) {
            self.write(m, k, value, active);
        }
        (self.answers, self.data) = (answers, data);
        self.cycle += 1;
    }

    /// The answer to a read; `None` as address: any will do.
    fn answer(&mut self, q: Signal, m: usize, address: Option<u64>) {
        let layout = &self.netlist.layout;
        let memory = &layout.memories[m];
        let element = address.and_then(|address| layout.position(memory, address));
        let Some(position) = element else {
            self.garbage(q.width());
            return self.simulator.set_words(q, &self.scratch);
        };
        let elements = &mut self.arrays[memory.array];
        let value = elements.read(position);
        self.scratch.resize(stride(q.width()), 0);
        value.write_pattern(elements.ty(), &mut self.scratch);
        let mut lanes = self.lanes[m].iter();
        if lanes.any(|l| l.ce && l.we && Some(l.address) == address) {
            // An element that is being written: certainly not its old content.
            self.scratch.iter_mut().for_each(|word| *word = !*word);
            if let Some(last) = self.scratch.last_mut() {
                *last &= top_mask(q.width());
            }
        }
        self.simulator.set_words(q, &self.scratch);
    }

    fn write(&mut self, m: usize, k: usize, value: Value, active: bool) {
        let layout = &self.netlist.layout;
        let memory = &layout.memories[m];
        let Lane { address, .. } = self.lanes[m][k];
        let place = || format!("{}[{address}]", memory.name);
        if !active {
            self.violation(&format!("write to {} while no invocation runs", place()));
        }
        if address >= memory.depth {
            let depth = memory.depth;
            return self.violation(&format!("write to {}, beyond its depth {depth}", place()));
        }
        let mut others = self.lanes[m].iter().enumerate();
        if k == 0 && others.any(|(o, l)| o != 0 && l.ce && l.we && l.address == address) {
            self.violation(&format!("both ports write {} at one edge", place()));
        }
        let Some(position) = layout.position(memory, address) else {
            return;
        };
        if self.writes.len() < self.write_limit {
            self.writes.push(Write {
                cycle: self.cycle - self.run_started,
                array: memory.array,
                position,
                data: value.clone(),
            });
        }
        self.arrays[memory.array].set(position, value, None);
    }

    fn reset(&mut self) {
        let low = self.netlist.ports.reset_low;
        self.set_bit(self.netlist.ports.reset, !low);
        self.set_bit(self.netlist.ports.start, false);
        for _ in 0..RESET_CYCLES {
            self.cycle_without_memories();
        }
        self.set_bit(self.netlist.ports.reset, low);
    }

    /// Waits until what is kept between invocations is written.
    fn wait_for_state(&mut self) {
        for _ in 0..MOST_LOADS {
            if self.bit(self.netlist.ports.idle) {
                return;
            }
            self.cycle_without_memories();
        }
    }

    /// Enables are not defined before the reset has taken effect, and nothing is in the memories yet.
    fn cycle_without_memories(&mut self) {
        self.scramble_scalars();
        self.sample_lanes();
        let lanes = self.lanes.iter_mut().flatten();
        lanes.for_each(|lane| lane.ce = false);
        self.edge(true);
    }

    // One run --------------------------------------------------------------------------------

    fn load(&mut self, run: &Run) -> Result<()> {
        let layout = &self.netlist.layout;
        self.arrays = layout.load(run, self.unknown, &mut self.rng)?;
        Ok(())
    }

    fn run(&mut self, run: &Run) -> Result<RunResult> {
        for start in &run.starts {
            self.netlist.layout.check_scalars(start)?;
        }
        self.load(run)?;
        self.violations.clear();
        self.run_started = self.cycle;
        if let (Some(first), Some(cycles)) = (run.starts.first(), run.reset_after) {
            self.interrupt(first, cycles);
            if run.loads {
                self.wait_for_state();
            }
            self.load(run)?;
        }
        self.writes.clear();
        self.run_started = self.cycle;
        let mut driver = Driver::new(&run.starts, run.cycle_limit, self.cycle);
        while driver.step(self) {}
        Ok(self.result(driver, run))
    }

    /// Begins an invocation and stops it by a reset.
    fn interrupt(&mut self, first: &Start, cycles: u32) {
        self.set_bit(self.netlist.ports.start, true);
        for _ in 0..cycles {
            self.drive(first);
            self.sample_lanes();
            self.edge(true);
        }
        self.reset();
    }

    fn drive(&mut self, start: &Start) {
        for (&signal, value) in self.netlist.ports.scalars.iter().zip(&start.scalars) {
            self.simulator.set_big(signal, value);
        }
    }

    fn returns(&mut self) -> Vec<BigUint> {
        let signals = self.netlist.ports.returns.iter();
        signals.map(|&s| self.simulator.get_big(s)).collect()
    }

    fn result(&mut self, driver: Driver<'_>, run: &Run) -> RunResult {
        let start = self.run_started;
        let relative = |t: &Timing| Timing {
            start: t.start - start,
            ready: t.ready - start,
            done: t.done - start,
        };
        RunResult {
            timed_out: driver.finished < run.starts.len(),
            timing: driver.timing[..driver.finished]
                .iter()
                .map(relative)
                .collect(),
            returns: driver.returns,
            arrays: std::mem::take(&mut self.arrays),
            violations: self.violations.clone(),
            writes: std::mem::take(&mut self.writes),
            traffic: Vec::new(),
        }
    }
}

/// The protocol's side of the caller.
struct Driver<'a> {
    todo: &'a [Start],
    limit: u64,
    timing: Vec<Timing>,
    returns: Vec<Vec<BigUint>>,
    /// Presented now or next; all before it are accepted.
    next: usize,
    finished: usize,
    presenting: bool,
    /// The presented one met a module at rest.
    surely_started: bool,
    gap: u64,
    /// Cycles without a running or presented invocation, at least.
    quiet: u64,
    last_event: u64,
}

impl<'a> Driver<'a> {
    fn new(todo: &'a [Start], limit: u64, cycle: u64) -> Driver<'a> {
        let blank = Timing {
            start: cycle,
            ready: cycle,
            done: cycle,
        };
        Driver {
            todo,
            limit,
            timing: vec![blank; todo.len()],
            returns: Vec::new(),
            next: 0,
            finished: 0,
            presenting: false,
            surely_started: false,
            gap: todo.first().map_or(0, |s| u64::from(s.gap)),
            quiet: 1,
            last_event: cycle,
        }
    }

    fn present(&mut self, bench: &mut Bench<'_>) {
        if !self.presenting && self.next < self.todo.len() && self.gap == 0 {
            self.presenting = true;
            self.surely_started = self.quiet > 0;
            self.timing[self.next].start = bench.cycle;
            self.last_event = bench.cycle;
        } else {
            self.gap = self.gap.saturating_sub(1);
        }
        bench.set_bit(bench.netlist.ports.start, self.presenting);
        if self.presenting {
            bench.drive(&self.todo[self.next]);
        } else {
            bench.scramble_scalars();
        }
    }

    fn check_idle(&self, bench: &mut Bench<'_>, outstanding: bool, done: bool) {
        let idle = bench.bit(bench.netlist.ports.idle);
        let presented_before = self.presenting && self.timing[self.next].start < bench.cycle;
        let running = outstanding || (presented_before && self.surely_started);
        if !outstanding && !self.presenting && !idle {
            bench.violation("ap_idle is 0 while nothing runs");
        }
        if running && !done && idle {
            bench.violation("ap_idle is 1 while an invocation runs");
        }
    }

    fn check_held(&self, bench: &mut Bench<'_>) {
        if let Some(last) = self.returns.last()
            && bench.returns() != *last
        {
            bench.violation("ap_return changed before the next start");
        }
    }

    fn accept(&mut self, bench: &mut Bench<'_>) {
        if !self.presenting {
            return bench.violation("ap_ready without ap_start");
        }
        self.timing[self.next].ready = bench.cycle;
        self.last_event = bench.cycle;
        self.next += 1;
        self.presenting = false;
        self.gap = self.todo.get(self.next).map_or(0, |s| u64::from(s.gap));
    }

    fn finish(&mut self, bench: &mut Bench<'_>) {
        if self.finished >= self.next {
            return bench.violation(match self.presenting {
                true => "ap_done before ap_ready",
                false => "ap_done while nothing runs",
            });
        }
        self.timing[self.finished].done = bench.cycle;
        self.returns.push(bench.returns());
        self.last_event = bench.cycle;
        self.finished += 1;
    }

    /// One cycle; false when the run is over.
    fn step(&mut self, bench: &mut Bench<'_>) -> bool {
        self.present(bench);
        bench.sample_lanes();
        let outstanding = self.finished < self.next;
        let active = outstanding || self.presenting;
        let ready = bench.bit(bench.netlist.ports.ready);
        let done = bench.bit(bench.netlist.ports.done);
        self.check_idle(bench, outstanding, done);
        if !active {
            self.check_held(bench);
        }
        self.quiet = if active { 0 } else { self.quiet + 1 };
        if ready {
            self.accept(bench);
        }
        if done {
            self.finish(bench);
        }
        bench.edge(active);
        bench.cycle - self.last_event <= self.limit
            && bench.cycle - bench.run_started < bench.most_cycles
            && (self.finished < self.todo.len() || self.quiet < COOL_DOWN)
    }
}
