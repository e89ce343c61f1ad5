//! A kernel behind the block protocol in the in-process simulator, with memories as hostile as the interface allows.

use allo_hls::driver::Compilation;
use allo_hls::rtl::manifest::{Manifest, MemoryPort, PortKind};
use allo_hls::sim::rtl::{Signal, Simulator};
use allo_hls::sim::vectors::Rng;
use num_bigint::BigUint;

/// What one invocation did.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Contents of every array argument and result after it, in manifest order.
    pub arrays: Vec<Vec<BigUint>>,
    /// Scalar results.
    pub returns: Vec<BigUint>,
    /// From the start to `done`.
    pub cycles: u64,
}

/// A module and the memories around it. What the interface leaves open is random: answers to reads past the
/// end or at an address that is being written, read data after a write, scalars while they are not sampled.
pub struct Bench {
    simulator: Simulator,
    control: Control,
    scalars: Vec<Signal>,
    returns: Vec<Signal>,
    memories: Vec<Memory>,
    random: Rng,
    /// Breaches of the interface.
    pub violations: Vec<String>,
    held: Option<Vec<BigUint>>,
}

struct Control {
    reset: Signal,
    start: Signal,
    done: Signal,
    idle: Signal,
    ready: Signal,
}

struct Memory {
    name: String,
    words: Vec<BigUint>,
    width: u32,
    ports: Vec<Port>,
}

struct Port {
    address: Signal,
    ce: Signal,
    q: Option<Signal>,
    write: Option<(Signal, Signal)>,
}

impl Bench {
    /// The module after reset, with random memory contents.
    pub fn new(compilation: &Compilation, seed: u64) -> Bench {
        let top = compilation.design.top().expect("a top module");
        let simulator = Simulator::new(&compilation.design, top, seed).expect("a simulator");
        let manifest = &compilation.manifest;
        let signal = |name: &str| {
            simulator
                .signal(name)
                .expect("the manifest names real ports")
        };
        let mut bench = Bench {
            control: Control {
                reset: signal(&manifest.reset.port),
                start: signal(&manifest.control.start),
                done: signal(&manifest.control.done),
                idle: signal(&manifest.control.idle),
                ready: signal(&manifest.control.ready),
            },
            scalars: scalar_ports(&manifest.args, &signal),
            returns: scalar_ports(&manifest.returns, &signal),
            memories: memories(manifest, &signal),
            random: Rng::new(seed),
            violations: Vec::new(),
            held: None,
            simulator,
        };
        for memory in 0..bench.memories.len() {
            let (count, width) = (
                bench.memories[memory].words.len(),
                bench.memories[memory].width,
            );
            let words = (0..count).map(|_| bench.bits(width)).collect();
            bench.memories[memory].words = words;
        }
        bench.simulator.set(bench.control.reset, 1);
        bench.scramble();
        // Before the reset everything is unknown, accesses too.
        bench.simulator.step();
        bench.simulator.set(bench.control.reset, 0);
        bench
    }

    /// Replaces the contents of the array arguments, in order.
    pub fn load(&mut self, arrays: &[Vec<BigUint>]) {
        for (memory, words) in self.memories.iter_mut().zip(arrays) {
            memory.words.clone_from(words);
        }
    }

    /// Runs `gap` idle cycles, then one invocation. `None`: not done after `limit` cycles.
    pub fn run(&mut self, scalars: &[BigUint], gap: u32, limit: u64) -> Option<Ran> {
        for _ in 0..gap {
            self.scramble();
            if self.simulator.get(self.control.idle) != 1 {
                self.violation("not idle between invocations");
            }
            self.check_idle_outputs();
            self.step();
        }
        for (&signal, value) in self.scalars.iter().zip(scalars) {
            self.simulator.set_big(signal, value);
        }
        self.simulator.set(self.control.start, 1);
        for cycle in 0..=limit {
            let done = self.simulator.get(self.control.done) == 1;
            let ready = self.simulator.get(self.control.ready) == 1;
            if ready != done {
                self.violation("ready without done");
            }
            if cycle > 0 && !done && self.simulator.get(self.control.idle) != 0 {
                self.violation("idle while running");
            }
            let returns: Vec<BigUint> = self.read_returns();
            self.step();
            if done {
                self.simulator.set(self.control.start, 0);
                self.scramble();
                self.held = Some(returns.clone());
                return Some(Ran {
                    arrays: self.memories.iter().map(|m| m.words.clone()).collect(),
                    returns,
                    cycles: cycle,
                });
            }
        }
        None
    }

    fn read_returns(&mut self) -> Vec<BigUint> {
        let returns = self.returns.clone();
        returns
            .into_iter()
            .map(|s| self.simulator.get_big(s))
            .collect()
    }

    fn check_idle_outputs(&mut self) {
        let now = self.read_returns();
        if self.held.as_ref().is_some_and(|held| *held != now) {
            self.violation("the result changed before the next start");
        }
        if self.simulator.get(self.control.done) == 1 || self.simulator.get(self.control.ready) == 1
        {
            self.violation("done or ready without a start");
        }
    }

    fn violation(&mut self, what: &str) {
        if self.violations.len() < 5 {
            let cycle = self.simulator.cycles();
            self.violations.push(format!("cycle {cycle}: {what}"));
        }
    }

    fn bits(&mut self, width: u32) -> BigUint {
        let words = width.div_ceil(32);
        let digits = (0..words).map(|_| self.random.next() as u32).collect();
        BigUint::new(digits) & ((BigUint::from(1u32) << width) - 1u32)
    }

    /// Random scalar inputs: nobody may look at them now.
    fn scramble(&mut self) {
        for signal in self.scalars.clone() {
            let value = self.bits(signal.width());
            self.simulator.set_big(signal, &value);
        }
    }

    /// One clock edge, for the module and for its memories.
    fn step(&mut self) {
        let mut answers = Vec::new();
        for memory in 0..self.memories.len() {
            self.access(memory, &mut answers);
        }
        self.simulator.step();
        for (signal, value) in answers {
            self.simulator.set_big(signal, &value);
        }
    }

    fn access(&mut self, memory: usize, answers: &mut Vec<(Signal, BigUint)>) {
        let mut writes: Vec<(u64, BigUint)> = Vec::new();
        let mut reads = Vec::new();
        for port in 0..self.memories[memory].ports.len() {
            let Port {
                address,
                ce,
                q,
                write,
            } = self.memories[memory].ports[port];
            if self.simulator.get(ce) == 0 {
                continue;
            }
            let address = self.simulator.get(address);
            let writing = write.filter(|(we, _)| self.simulator.get(*we) == 1);
            match writing {
                Some((_, d)) => {
                    let data = self.simulator.get_big(d);
                    writes.push((address, data));
                    // What a write leaves on the read data is nobody's business.
                    reads.extend(q.map(|q| (q, u64::MAX)));
                }
                None => reads.extend(q.map(|q| (q, address))),
            }
        }
        for (q, address) in reads {
            let written = writes.iter().any(|(a, _)| *a == address);
            let word = self.memories[memory].words.get(address as usize).cloned();
            let answer = match word.filter(|_| !written) {
                Some(word) => word,
                None => self.bits(self.memories[memory].width),
            };
            answers.push((q, answer));
        }
        if let [(a, _), (b, _)] = &writes[..]
            && a == b
        {
            let what = format!("{} written twice at {a}", self.memories[memory].name);
            self.violation(&what);
        }
        for (address, data) in writes {
            match self.memories[memory].words.get_mut(address as usize) {
                Some(word) => *word = data,
                None => {
                    let name = self.memories[memory].name.clone();
                    self.violation(&format!("{name} written out of bounds at {address}"));
                }
            }
        }
    }
}

impl Clone for Port {
    fn clone(&self) -> Port {
        *self
    }
}
impl Copy for Port {}

type Find<'a> = &'a dyn Fn(&str) -> Signal;

fn scalar_ports(ports: &[allo_hls::rtl::manifest::Port], signal: Find) -> Vec<Signal> {
    ports
        .iter()
        .filter_map(|port| match &port.kind {
            PortKind::Scalar { port, .. } => Some(signal(port)),
            PortKind::Array { .. } => None,
        })
        .collect()
}

fn memories(manifest: &Manifest, signal: Find) -> Vec<Memory> {
    let ports = manifest.args.iter().chain(&manifest.returns);
    ports
        .filter_map(|port| {
            let elements: u64 = port.shape()?.iter().product();
            let lanes = port.banks().first();
            Some(Memory {
                name: port.name.clone().unwrap_or_default(),
                words: vec![BigUint::default(); elements as usize],
                width: port.width(),
                ports: lanes
                    .iter()
                    .flat_map(|bank| bank.ports.iter().map(|p| lane(p, signal)))
                    .collect(),
            })
        })
        .collect()
}

fn lane(port: &MemoryPort, signal: Find) -> Port {
    Port {
        address: signal(&port.address),
        ce: signal(&port.ce),
        q: port.q.as_deref().map(signal),
        write: port
            .we
            .as_deref()
            .map(signal)
            .zip(port.d.as_deref().map(signal)),
    }
}
