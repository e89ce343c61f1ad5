//! Symbolic simulation of a netlist: one invocation, from after the reset to `done`, as words over free bits.
//!
//! Streams never pause: there is always an element, as long as there are any, and always room. Whatever else
//! docs/interface.md leaves open is free: registers without reset and memories without contents at the start,
//! scalar inputs and starts after `ready`, data of reads past the end or of words written at the same edge.

use super::aig::{Aig, Lit};
use super::bits::{Word, as_constant, constant, extend};
use super::sums::Sums;
use super::sweep;
use super::{Limits, Stop};
use crate::rtl::flatten::{Flat, Step, flatten};
use crate::rtl::interface::manifest::{Flow, Manifest, PortKind};
use crate::rtl::netlist::*;
use crate::rtl::order::topological;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::collections::HashMap;

/// Initial elements of every parameter (one for a scalar; of a stream those that are offered), then of every result
/// array; empty for a scalar result.
pub type Elements = Vec<Vec<Word>>;

/// What an invocation leaves behind.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// For every parameter, then every result, its elements; of a stream those that were transferred.
    pub elements: Elements,
    /// Clock cycles from start to done, of the longest run.
    pub cycles: u64,
    /// 1 where it is not done in the time that the manifest promises.
    pub late: Lit,
}

/// Operations on words that an assignment takes in a cycle, if it comes to no gates.
const NET: u64 = 100;

/// Runs the top module on the elements of its parameters.
///
/// Errors: limits exceeded, in particular when it does not finish in a bounded number of cycles.
pub fn run(
    sums: &mut Sums,
    design: &Design,
    manifest: &Manifest,
    elements: &Elements,
    limits: &Limits,
) -> Result<Outcome, Stop> {
    let bad = |what: &str| Stop::Unsuitable(what.to_string(), None);
    let top = design
        .top()
        .ok_or_else(|| bad("a design without modules"))?;
    let flat = flatten(design, top);
    let mut machine = Machine::new(sums, &flat, manifest, elements).map_err(|e| bad(&e))?;
    let mut seen_ready = Lit::FALSE;
    let mut seen_done = Lit::FALSE;
    let mut next_check = 0;
    for cycle in 0..limits.cycles {
        if let Some(stop) = limits.exceeded(machine.sums) {
            return Err(stop);
        }
        limits.patience.spend(machine.steps.len() as u64, NET);
        machine.drive(seen_ready);
        machine.settle();
        let ready = machine.nets[machine.ready.index()][0];
        let done = machine.nets[machine.done.index()][0];
        let first = machine.sums.aig.and(done, !seen_done);
        machine.keep_returns(first);
        seen_ready = machine.sums.aig.or(seen_ready, ready);
        seen_done = machine.sums.aig.or(seen_done, done);
        machine.edge()?;
        let is_over = match seen_done.as_constant() {
            Some(over) => over,
            None if done == Lit::FALSE || cycle < next_check => false,
            None => {
                next_check = cycle + 1 + cycle / 8;
                sweep::is_always(machine.sums, seen_done, limits)
            }
        };
        let is_late = manifest.latency.max.is_some_and(|most| cycle >= most);
        if is_over || is_late {
            machine.leave_streams();
            return Ok(Outcome {
                elements: machine.elements,
                cycles: cycle,
                late: if is_over { Lit::FALSE } else { !seen_done },
            });
        }
    }
    Err(Stop::TooLarge(format!(
        "more than {} clock cycles",
        limits.cycles
    )))
}

/// A port of an outside memory.
struct Lane {
    address: NetId,
    enable: NetId,
    data: Option<NetId>,
    write: Option<(NetId, NetId)>,
}

/// An outside memory: which elements of which parameter or result it holds, and its ports.
struct Bank {
    port: usize,
    /// Position among the elements, by address.
    positions: Vec<usize>,
    width: u32,
    lanes: Vec<Lane>,
}

/// A stream of the top module.
struct Queue {
    /// Position in [`Machine::elements`].
    port: usize,
    /// Elements that were transferred.
    count: usize,
    /// The element, whether it or room for it is there, and whether it is transferred.
    data: NetId,
    ready: NetId,
    transfer: NetId,
    goes_in: bool,
}

struct Machine<'a> {
    sums: &'a mut Sums,
    flat: &'a Flat,
    /// What is computed within a cycle, operands first.
    steps: Vec<Step>,
    nets: Vec<Word>,
    memories: Vec<Vec<Word>>,
    banks: Vec<Bank>,
    elements: Elements,
    start: NetId,
    done: NetId,
    ready: NetId,
    reset: (NetId, bool),
    queues: Vec<Queue>,
    /// Net, parameter.
    scalars: Vec<(NetId, usize)>,
    /// Net, position in [`Machine::elements`].
    returns: Vec<(NetId, usize)>,
}

impl<'a> Machine<'a> {
    fn new(
        sums: &'a mut Sums,
        flat: &'a Flat,
        manifest: &Manifest,
        elements: &Elements,
    ) -> Result<Machine<'a>, String> {
        let names: HashMap<&str, NetId> =
            flat.nets.iter().map(|(id, net)| (&*net.name, id)).collect();
        let net = |name: &String| {
            let found = names.get(&**name).copied();
            found.ok_or_else(|| format!("a module without the port '{name}'"))
        };
        let optional = |name: &Option<String>| name.as_ref().map(net).transpose();
        let mut machine = Machine {
            nets: flat
                .nets
                .iter()
                .map(|(_, n)| vec![Lit::FALSE; n.width as usize])
                .collect(),
            steps: flat.steps(topological)?,
            memories: Vec::new(),
            banks: Vec::new(),
            elements: elements.clone(),
            start: net(&manifest.control.start)?,
            done: net(&manifest.control.done)?,
            ready: net(&manifest.control.ready)?,
            reset: (net(&manifest.reset.port)?, manifest.reset.active == "high"),
            queues: Vec::new(),
            scalars: Vec::new(),
            returns: Vec::new(),
            sums,
            flat,
        };
        let ports = manifest.args.iter().chain(&manifest.returns);
        for (number, port) in ports.enumerate() {
            match &port.kind {
                PortKind::Scalar { port: name, .. } if number < manifest.args.len() => {
                    machine.scalars.push((net(name)?, number));
                }
                PortKind::Scalar {
                    port: name, width, ..
                } => {
                    machine.returns.push((net(name)?, number));
                    machine.elements[number] = vec![vec![Lit::FALSE; *width as usize]];
                }
                PortKind::Stream {
                    direction, ports, ..
                } => {
                    let goes_in = *direction == Flow::In;
                    let names = match goes_in {
                        true => [&ports.dout, &ports.empty_n, &ports.read],
                        false => [&ports.din, &ports.full_n, &ports.write],
                    };
                    let nets = names.map(|name| optional(name).transpose());
                    let [Some(data), Some(ready), Some(transfer)] = nets else {
                        return Err("a stream without ports".into());
                    };
                    machine.queues.push(Queue {
                        port: number,
                        count: 0,
                        data: data?,
                        ready: ready?,
                        transfer: transfer?,
                        goes_in,
                    });
                }
                PortKind::Array { width, banks, .. } => {
                    for bank in banks {
                        let mut positions = vec![usize::MAX; bank.depth as usize];
                        for position in 0..elements[number].len() {
                            let (own, address) = port.place(position as u64);
                            if let Some(slot) = positions.get_mut(address as usize)
                                && own == bank.bank
                            {
                                *slot = position;
                            }
                        }
                        let lanes = bank.ports.iter().map(|lane| {
                            Ok(Lane {
                                address: net(&lane.address)?,
                                enable: net(&lane.ce)?,
                                data: optional(&lane.q)?,
                                write: optional(&lane.we)?.zip(optional(&lane.d)?),
                            })
                        });
                        let lanes = lanes.collect::<Result<_, String>>()?;
                        machine.banks.push(Bank {
                            port: number,
                            positions,
                            width: *width,
                            lanes,
                        });
                    }
                }
            }
        }
        machine.power_up();
        Ok(machine)
    }

    /// The state after the reset: reset values, and anything elsewhere.
    fn power_up(&mut self) {
        for (register, reset) in &self.flat.registers {
            let width = self.flat.nets[register.out].width;
            self.nets[register.out.index()] = match (&register.reset, reset) {
                (Some(value), Some(_)) => constant(&BigInt::from(value.clone()), width),
                _ => self.sums.free_word(width),
            };
        }
        for memory in &self.flat.memories {
            let word = |i: usize, sums: &mut Sums| match &memory.init {
                Some(init) => {
                    let value = init.get(i).cloned().unwrap_or_default();
                    constant(&BigInt::from(value), memory.width)
                }
                None => sums.free_word(memory.width),
            };
            let words = (0..memory.depth as usize).map(|i| word(i, self.sums));
            self.memories.push(words.collect());
            for read in &memory.reads {
                self.nets[read.out.index()] = self.sums.free_word(memory.width);
            }
        }
        for bank in &self.banks {
            for data in bank.lanes.iter().filter_map(|lane| lane.data) {
                self.nets[data.index()] = self.sums.free_word(bank.width);
            }
        }
    }

    /// Control and scalar inputs of a cycle.
    fn drive(&mut self, seen_ready: Lit) {
        // Where invocations overlap, others may begin at any time; on arrays they would leave something behind, too.
        let start = match seen_ready == Lit::TRUE && self.banks.is_empty() {
            true => self.sums.free_word(1),
            false => vec![!seen_ready],
        };
        self.nets[self.start.index()] = start;
        let (reset, active_high) = self.reset;
        self.nets[reset.index()] = vec![Lit::constant(!active_high)];
        for (net, parameter) in self.scalars.clone() {
            let given = self.elements[parameter][0].clone();
            let value = if seen_ready == Lit::FALSE {
                given
            } else {
                let other = self.sums.free_word(given.len() as u32);
                self.sums.select(seen_ready, &other, &given)
            };
            self.nets[net.index()] = value;
        }
        for queue in &self.queues {
            let next = self.elements[queue.port].get(queue.count).cloned();
            let is_there = !queue.goes_in || next.is_some();
            self.nets[queue.ready.index()] = vec![Lit::constant(is_there)];
            if queue.goes_in {
                let width = self.nets[queue.data.index()].len() as u32;
                let word = next.unwrap_or_else(|| self.sums.free_word(width));
                self.nets[queue.data.index()] = word;
            }
        }
    }

    /// Elements that are transferred at the edge.
    ///
    /// Errors: the data decide whether one is.
    fn transfer(&mut self) -> Result<(), Stop> {
        for queue in &mut self.queues {
            let data = &self.nets[queue.data.index()];
            match self.nets[queue.transfer.index()][0].as_constant() {
                Some(false) => continue,
                Some(true) if queue.goes_in => {}
                Some(true) => self.elements[queue.port].push(data.clone()),
                None => {
                    let why = "a stream whose transfers depend on the data";
                    return Err(Stop::Unsuitable(why.into(), None));
                }
            }
            queue.count += 1;
        }
        Ok(())
    }

    /// Leaves those elements of streams that were transferred.
    fn leave_streams(&mut self) {
        for queue in &self.queues {
            self.elements[queue.port].truncate(queue.count);
        }
    }

    /// Everything combinational.
    fn settle(&mut self) {
        for step in &self.steps {
            let (out, value) = match *step {
                Step::Assign(index) => {
                    let (out, expr) = &self.flat.assigns[index];
                    let width = self.flat.nets[*out].width;
                    (*out, evaluate(self.sums, &self.nets, expr, width))
                }
                Step::Read(memory, port) => {
                    let read = &self.flat.memories[memory].reads[port];
                    let (contents, address) =
                        (&self.memories[memory], word(&self.nets, &read.addr));
                    let old = &self.nets[read.out.index()];
                    let value = read_word(self.sums, contents, &[], Lit::TRUE, &address, old);
                    (read.out, value)
                }
            };
            self.nets[out.index()] = value;
        }
    }

    fn keep_returns(&mut self, first_done: Lit) {
        for (net, position) in self.returns.clone() {
            let word = self.nets[net.index()].clone();
            let old = &self.elements[position][0];
            self.elements[position][0] = self.sums.select(first_done, &word, old);
        }
    }

    /// A rising edge of the clock.
    fn edge(&mut self) -> Result<(), Stop> {
        self.transfer()?;
        let mut next: Vec<(NetId, Word)> = Vec::new();
        for (register, _) in &self.flat.registers {
            let new = word(&self.nets, &register.next);
            let old = &self.nets[register.out.index()];
            let value = match register.enable {
                Some(enable) => self.sums.select(self.nets[enable.index()][0], &new, old),
                None => new,
            };
            next.push((register.out, value));
        }
        for (memory, contents) in self.flat.memories.iter().zip(&mut self.memories) {
            let nets = &self.nets;
            let writes = memory.writes.iter().map(|w| Write {
                enable: word(nets, &w.enable)[0],
                address: word(nets, &w.addr),
                data: word(nets, &w.data),
            });
            let writes: Vec<Write> = writes.collect();
            for read in &memory.reads {
                let Some(enable) = &read.enable else { continue };
                let (enable, address) = (word(nets, enable)[0], word(nets, &read.addr));
                let old = nets[read.out.index()].clone();
                let value = read_word(self.sums, contents, &writes, enable, &address, &old);
                next.push((read.out, value));
            }
            for write in &writes {
                write_word(self.sums, contents, write);
            }
        }
        for bank in &self.banks {
            let elements = &mut self.elements[bank.port];
            let blank = vec![Lit::FALSE; bank.width as usize];
            let place = |&p: &usize| elements.get(p).unwrap_or(&blank).clone();
            let mut contents: Vec<Word> = bank.positions.iter().map(place).collect();
            let net = |id: NetId| self.nets[id.index()].clone();
            let mut writes = Vec::new();
            for lane in &bank.lanes {
                if let Some((enable, data)) = lane.write {
                    let enable = self.sums.aig.and(net(lane.enable)[0], net(enable)[0]);
                    writes.push(Write {
                        enable,
                        address: net(lane.address),
                        data: net(data),
                    });
                }
            }
            for lane in &bank.lanes {
                let Some(data) = lane.data else { continue };
                let writing = lane.write.map_or(Lit::FALSE, |(enable, _)| net(enable)[0]);
                let enable = self.sums.aig.and(net(lane.enable)[0], !writing);
                let (address, old) = (net(lane.address), net(data));
                let value = read_word(self.sums, &contents, &writes, enable, &address, &old);
                next.push((data, value));
            }
            for write in &writes {
                write_word(self.sums, &mut contents, write);
            }
            for (&position, word) in bank.positions.iter().zip(contents) {
                if let Some(element) = elements.get_mut(position) {
                    *element = word;
                }
            }
        }
        for (net, value) in next {
            self.nets[net.index()] = value;
        }
        Ok(())
    }
}

struct Write {
    enable: Lit,
    address: Word,
    data: Word,
}

/// What a read port shows after an edge.
fn read_word(
    sums: &mut Sums,
    contents: &[Word],
    writes: &[Write],
    enable: Lit,
    address: &Word,
    old: &Word,
) -> Word {
    if enable == Lit::FALSE {
        return old.clone();
    }
    let mut open = Lit::FALSE;
    for write in writes {
        let same = sums.equal(address, &write.address);
        let both = sums.aig.and(write.enable, same);
        open = sums.aig.or(open, both);
    }
    let width = address.len() as u32;
    if contents.len() < 1usize.checked_shl(width).unwrap_or(usize::MAX) {
        let depth = constant(&BigInt::from(contents.len()), width);
        let past = !sums.less(address, &depth, false);
        open = sums.aig.or(open, past);
    }
    let value = match as_constant(address).and_then(|a| a.to_usize()) {
        Some(at) => contents.get(at).unwrap_or(&contents[0]).clone(),
        None => sums.element(contents, address),
    };
    let value = if open == Lit::FALSE {
        value
    } else {
        let any = sums.free_word(old.len() as u32);
        sums.select(open, &any, &value)
    };
    sums.select(enable, &value, old)
}

fn write_word(sums: &mut Sums, contents: &mut [Word], write: &Write) {
    if write.enable == Lit::FALSE {
        return;
    }
    let here = sums.is_index(contents.len(), &write.address);
    for (word, here) in contents.iter_mut().zip(here) {
        let enable = sums.aig.and(write.enable, here);
        if enable != Lit::FALSE {
            *word = sums.select(enable, &write.data, word);
        }
    }
}

fn word(nets: &[Word], operand: &Operand) -> Word {
    match operand {
        Operand::Net(net) => nets[net.index()].clone(),
        Operand::Const { width, value } => constant(&BigInt::from(value.clone()), *width),
    }
}

fn evaluate(sums: &mut Sums, nets: &[Word], expr: &Expr, width: u32) -> Word {
    let get = |operand: &Operand| word(nets, operand);
    match expr {
        Expr::Copy(value) => get(value),
        Expr::Not(value) => sums.not(&get(value)),
        Expr::Binary { op, lhs, rhs } => {
            let (a, b) = (get(lhs), get(rhs));
            match op {
                BinaryOp::Add => sums.add(&a, &b),
                BinaryOp::Sub => sums.sub(&a, &b),
                BinaryOp::And => sums.zip(&a, &b, Aig::and),
                BinaryOp::Or => sums.zip(&a, &b, Aig::or),
                BinaryOp::Xor => sums.zip(&a, &b, Aig::xor),
            }
        }
        Expr::Multiply {
            lhs,
            lhs_signed,
            rhs,
            rhs_signed,
        } => sums.mul((&get(lhs), *lhs_signed), (&get(rhs), *rhs_signed), width),
        Expr::Compare {
            op,
            signed,
            lhs,
            rhs,
        } => {
            let (a, b) = (get(lhs), get(rhs));
            vec![match op {
                CompareOp::Eq => sums.equal(&a, &b),
                CompareOp::Ne => !sums.equal(&a, &b),
                CompareOp::Lt => sums.less(&a, &b, *signed),
                CompareOp::Ge => !sums.less(&a, &b, *signed),
                CompareOp::Gt => sums.less(&b, &a, *signed),
                CompareOp::Le => !sums.less(&b, &a, *signed),
            }]
        }
        Expr::Shift { op, value, amount } => {
            let (value, amount) = (get(value), get(amount));
            match op {
                ShiftOp::Left => sums.shift_left(&value, &amount),
                ShiftOp::Right => sums.shift_right(&value, &amount, false),
                ShiftOp::RightArithmetic => sums.shift_right(&value, &amount, true),
            }
        }
        Expr::Mux {
            cond,
            on_true,
            on_false,
        } => sums.select(get(cond)[0], &get(on_true), &get(on_false)),
        Expr::Concat(parts) => sums.join(parts.iter().rev().flat_map(get).collect()),
        Expr::Slice { value, lo } => sums.slice(&nets[value.index()], *lo, width),
        Expr::Extend { value, signed } => extend(&get(value), width, *signed),
        Expr::Reduce { op, value } => {
            let value = get(value);
            vec![match op {
                BinaryOp::Or => sums.any(&value),
                BinaryOp::Xor => value
                    .iter()
                    .fold(Lit::FALSE, |parity, &bit| sums.aig.xor(parity, bit)),
                _ => {
                    let flipped = sums.not(&value);
                    !sums.any(&flipped)
                }
            }]
        }
    }
}
