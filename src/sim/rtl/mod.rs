//! In-process simulation of the netlist: two-state, one clock, no tool needed.

mod activity;
mod compile;
mod slot;
mod wide;

use crate::rtl::flatten::flatten;
use crate::rtl::netlist::{Design, Direction, ModuleId};
use crate::sim::sparse::Sparse;
use crate::sim::vectors::Rng;
use activity::{Activity, Clusters};
use compile::{MemoryCell, Program};
use num_bigint::BigUint;
use slot::Slot;
use std::collections::HashMap;
use std::sync::Arc;
use wide::{read_big, write_big};

/// A net or port of a simulated design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal {
    slot: Slot,
    input: bool,
}

impl Signal {
    /// Bits.
    pub fn width(self) -> u32 {
        self.slot.width
    }
}

/// A design in simulation. Registers without reset and memories without initial contents start with random
/// bits, so that results cannot come to depend on them unnoticed. A read past the end of a memory gives 0.
#[derive(Clone, Debug)]
pub struct Simulator {
    netlist: Arc<Netlist>,
    state: State,
    activity: Activity,
    settled: bool,
    cycles: u64,
}

/// What does not change while a design runs.
#[derive(Debug)]
struct Netlist {
    program: Program,
    clusters: Clusters,
    signals: HashMap<String, Signal>,
    names: Vec<String>,
}

impl Simulator {
    /// Compiles the module `top` of a valid design; `seed` chooses the unknown initial state.
    pub fn new(design: &Design, top: ModuleId, seed: u64) -> Result<Simulator, String> {
        Simulator::in_clusters(design, top, seed, activity::SIZE)
    }

    /// The same with clusters of another size.
    fn in_clusters(
        design: &Design,
        top: ModuleId,
        seed: u64,
        size: usize,
    ) -> Result<Simulator, String> {
        if design.modules.get(top).is_none() {
            return Err("the top module is not in the design".to_string());
        }
        let flat = flatten(design, top);
        let program = compile::compile(&flat)?;
        let mut inputs = vec![false; flat.nets.len()];
        for port in &flat.ports {
            inputs[port.net.index()] = port.direction == Direction::Input;
        }
        let nets = flat.nets.iter();
        let signals = nets.map(|(id, net)| {
            let slot = program.slots[id.index()];
            let input = inputs[id.index()];
            (net.name.clone(), Signal { slot, input })
        });
        let signals = signals.collect();
        let names = flat.nets.iter().map(|(_, net)| net.name.clone()).collect();
        let next = vec![0; program.state.iter().map(|slot| slot.words()).sum()];
        let clusters = Clusters::new(&program, size);
        let netlist = Netlist {
            program,
            clusters,
            signals,
            names,
        };
        let mut simulator = Simulator {
            netlist: Arc::new(netlist),
            state: State {
                words: Vec::new(),
                next,
                memories: Vec::new(),
            },
            activity: Activity::default(),
            settled: false,
            cycles: 0,
        };
        simulator.restart(seed);
        Ok(simulator)
    }

    /// Goes back to cycle 0 with inputs 0 and another unknown initial state.
    pub fn restart(&mut self, seed: u64) {
        self.restart_cleared();
        let mut random = Rng::new(seed);
        for slot in &self.netlist.program.state {
            random.fill(&mut self.state.words, *slot);
        }
        for memory in &mut self.state.memories {
            memory.unknown = Some(random.next());
        }
    }

    /// The same with zeros as the unknown state.
    pub fn restart_cleared(&mut self) {
        let program = &self.netlist.program;
        self.state.words.clone_from(&program.words);
        self.state.memories = program.memories.iter().map(Contents::new).collect();
        self.activity.restart(&self.netlist.clusters);
        self.settled = false;
        self.cycles = 0;
    }

    /// A port of the top module or an inner net (`instance.net`).
    pub fn signal(&self, name: &str) -> Option<Signal> {
        self.netlist.signals.get(name).copied()
    }

    /// All nets, in order of creation.
    pub fn signals(&self) -> impl Iterator<Item = (&str, Signal)> {
        let names = self.netlist.names.iter();
        names.filter_map(|name| Some((name.as_str(), self.signal(name)?)))
    }

    /// What a cycle takes in which everything is computed, in operations on words.
    pub fn cost(&self) -> u64 {
        let program = &self.netlist.program;
        let ops: u64 = program.ops.iter().map(compile::Op::cost).sum();
        let registers = (program.moves.len() + program.registers.len()) as u64;
        let ports = program
            .memories
            .iter()
            .map(|m| m.reads.len() + m.writes.len());
        ops + 2 * registers + 8 * ports.sum::<usize>() as u64
    }

    /// Clock edges so far.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// Drives an input port; bits past its width are dropped. Other signals cannot be driven and stay.
    pub fn set(&mut self, input: Signal, value: u64) {
        if !input.input {
            return;
        }
        let words = &mut self.state.words[input.slot.range()];
        words.fill(0);
        if let Some(first) = words.first_mut() {
            *first = value;
        }
        if let Some(last) = words.last_mut() {
            *last &= input.slot.top_mask();
        }
        self.driven(input);
    }

    fn driven(&mut self, input: Signal) {
        for word in input.slot.range() {
            self.activity.changed(&self.netlist.clusters, word);
        }
        self.settled = false;
    }

    /// The same for values of any size.
    pub fn set_big(&mut self, input: Signal, value: &BigUint) {
        if input.input {
            write_big(&mut self.state.words, input.slot, value);
            self.driven(input);
        }
    }

    /// The same for a value given in words, the lowest first, with no bit past the width.
    pub fn set_words(&mut self, input: Signal, value: &[u64]) {
        if input.input {
            self.state.words[input.slot.range()].copy_from_slice(value);
            self.driven(input);
        }
    }

    /// All bits of a signal in words, the lowest first.
    pub fn words(&mut self, signal: Signal) -> &[u64] {
        self.settle();
        &self.state.words[signal.slot.range()]
    }

    /// The lowest 64 bits of a signal with the present inputs and state.
    pub fn get(&mut self, signal: Signal) -> u64 {
        self.settle();
        self.state.words[signal.slot.at as usize]
    }

    /// All bits of a signal.
    pub fn get_big(&mut self, signal: Signal) -> BigUint {
        self.settle();
        read_big(&self.state.words, signal.slot)
    }

    /// One rising edge of the clock.
    pub fn step(&mut self) {
        self.settle();
        let program = &self.netlist.program;
        let written = self.state.compute_next(program);
        self.state.read_memories(program, written);
        let (clusters, activity) = (&self.netlist.clusters, &mut self.activity);
        self.state
            .write_memories(program, |memory| activity.written(clusters, memory));
        let State { words, next, .. } = &mut self.state;
        activity.commit(clusters, words, next);
        self.settled = false;
        self.cycles += 1;
    }

    /// Computes everything combinational.
    fn settle(&mut self) {
        if self.settled {
            return;
        }
        let Netlist {
            program, clusters, ..
        } = &*self.netlist;
        let State {
            words, memories, ..
        } = &mut self.state;
        self.activity.settle(clusters, program, words, memories);
        self.settled = true;
    }
}

/// What changes.
#[derive(Clone, Debug)]
struct State {
    /// Of all nets, by their slots.
    words: Vec<u64>,
    /// Of registers and outputs of memories, after the next edge.
    next: Vec<u64>,
    memories: Vec<Contents>,
}

impl State {
    /// The registers' new values into `next`; returns how many words they take.
    fn compute_next(&mut self, program: &Program) -> usize {
        for (next, source) in self.next.iter_mut().zip(&program.moves) {
            *next = self.words[*source as usize];
        }
        let mut at = program.moves.len();
        for register in &program.registers {
            let is_enabled = self.words[register.enable as usize] != 0;
            let kept = if is_enabled {
                register.next
            } else {
                register.out.at
            };
            let is_reset = self.words[register.reset as usize] != 0;
            let source = if is_reset { register.on_reset } else { kept } as usize;
            match register.out.words() {
                1 => self.next[at] = self.words[source],
                count => {
                    self.next[at..at + count].copy_from_slice(&self.words[source..source + count]);
                }
            }
            at += register.out.words();
        }
        at
    }

    fn read_memories(&mut self, program: &Program, mut at: usize) {
        for (memory, contents) in program.memories.iter().zip(&self.memories) {
            let stride = memory.stride();
            for [enable, addr, out] in &memory.reads {
                let next = &mut self.next[at..at + stride];
                if self.words[enable.at as usize] == 0 {
                    next.copy_from_slice(&self.words[out.range()]);
                } else {
                    contents.read(memory, self.words[addr.at as usize], next);
                }
                at += stride;
            }
        }
    }

    /// Calls `written` with the number of each memory that is written.
    fn write_memories(&mut self, program: &Program, mut written: impl FnMut(usize)) {
        let memories = program.memories.iter().zip(&mut self.memories);
        for (number, (memory, contents)) in memories.enumerate() {
            for [enable, addr, data] in &memory.writes {
                let address = self.words[addr.at as usize];
                if self.words[enable.at as usize] != 0 && address < memory.depth {
                    let element = contents.written.set(address as usize);
                    element.copy_from_slice(&self.words[data.range()]);
                    written(number);
                }
            }
        }
    }
}

/// What stands in a memory.
#[derive(Clone, Debug)]
struct Contents {
    written: Sparse<u64>,
    /// Decides what stands where nothing was written and nothing initial stands; zeros if there is none.
    unknown: Option<u64>,
}

impl Contents {
    fn new(memory: &MemoryCell) -> Contents {
        Contents {
            written: Sparse::new(memory.depth as usize, memory.stride()),
            unknown: None,
        }
    }

    fn read(&self, memory: &MemoryCell, address: u64, out: &mut [u64]) {
        let at = address as usize;
        let first = at * out.len();
        if address >= memory.depth {
            out.fill(0);
        } else if let Some(element) = self.written.get(at) {
            out.copy_from_slice(element);
        } else if let Some(init) = &memory.init {
            out.copy_from_slice(&init[first..first + out.len()]);
        } else if let Some(seed) = self.unknown {
            let width = memory.width;
            Rng::at(seed, address).fill(out, Slot { at: 0, width });
        } else {
            out.fill(0);
        }
    }
}

impl Rng {
    fn fill(&mut self, words: &mut [u64], slot: Slot) {
        for word in &mut words[slot.range()] {
            *word = self.next();
        }
        if let Some(last) = words[slot.range()].last_mut() {
            *last &= slot.top_mask();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rtl::netlist::*;

    /// `q` of `width` bits counts up by 1 where `en` is 1.
    pub(super) fn counter(width: u32) -> Design {
        let mut module = Module {
            name: "counter".to_string(),
            ..Module::default()
        };
        module.clock = Some(module.port(Direction::Input, "ap_clk", 1));
        module.reset = Some(module.port(Direction::Input, "ap_rst", 1));
        let enable = module.port(Direction::Input, "en", 1);
        let q = module.port(Direction::Output, "q", width);
        let next = module.net("next", width);
        module.items.push(Item::Assign {
            out: next,
            expr: Expr::Binary {
                op: BinaryOp::Add,
                lhs: q.into(),
                rhs: Operand::constant(width, 1u32),
            },
            origin: None,
        });
        module.items.push(Item::Register(Register {
            out: q,
            next: next.into(),
            enable: Some(enable),
            reset: Some(BigUint::from(2u32)),
            origin: None,
        }));
        let mut design = Design::default();
        design.modules.push(module);
        design
    }

    #[test]
    fn counts_at_every_width() {
        for width in [3, 64, 65, 130] {
            let design = counter(width);
            let top = ModuleId::new(0);
            let mut simulator = Simulator::new(&design, top, 7).expect("a simulator");
            let signal = |name| simulator.signal(name).expect("a signal");
            let (reset, enable, q) = (signal("ap_rst"), signal("en"), signal("q"));
            simulator.set(reset, 1);
            simulator.step();
            assert_eq!(simulator.get(q), 2);
            simulator.set(reset, 0);
            simulator.step();
            assert_eq!(simulator.get(q), 2);
            simulator.set(enable, 1);
            for _ in 0..5 {
                simulator.step();
            }
            assert_eq!(simulator.get(q), 7);
            simulator.step();
            let expected = if width == 3 { 0u32 } else { 8 };
            assert_eq!(simulator.get_big(q), BigUint::from(expected));
            assert_eq!(simulator.cycles(), 8);
            simulator.set(q, 1);
            assert_eq!(simulator.get_big(q), BigUint::from(expected));
        }
    }

    #[test]
    fn the_seed_chooses_the_unknown_state() {
        let design = counter(100);
        let start = |seed| {
            let mut simulator = Simulator::new(&design, ModuleId::new(0), seed)?;
            let q = simulator.signal("q").ok_or("no q")?;
            Ok::<_, String>(simulator.get_big(q))
        };
        assert_eq!(start(1), start(1));
        assert_ne!(start(1), start(2));
    }
}
