//! Invocations of a network that overlap: a process begins the next one as soon as it is done with its own, so that
//! they follow one another as often as the slowest process allows.
//!
//! Processes that wait for no other one begin first; an invocation is taken when all of these have begun it, and done
//! when every process has ended it. Whoever is behind another one counts how many invocations that one has ended before
//! it. What processes hand one another, but for elements of streams, is there twice: an invocation uses the half that
//! its number says, and nobody begins one before those that it shares something with have ended the one before the
//! last.

use super::Around;
use super::arrays::Lane;
use crate::diagnostics::Diagnostic;
use crate::ir::{Arg, ArrayId, ArrayKind, Param, ValueId};
use crate::rtl::elaborate::BlockPorts;
use crate::rtl::elaborate::cells::{Cells, bit};
use crate::rtl::elaborate::datapath::constant;
use crate::rtl::interface::manifest::{Control, Port};
use crate::rtl::netlist::*;
use crate::transform::network::{Network, Process};
use std::collections::{BTreeMap, BTreeSet};

/// Bits of the numbers of invocations by which one is ahead of another.
const COUNT: u32 = 3;

/// Invocations that a process may have ended while others have not; with the one that it is at, a number of [`COUNT`]
/// bits.
const AHEAD: u32 = 6;

/// Those with halves of their own: the one that is used, and the next.
const HALVES: u32 = 2;

/// Most bits of memories that are there twice.
const MOST_BITS: u64 = 1 << 18;

/// What the processes of a network share.
#[derive(Clone, Debug, Default)]
pub(super) struct Sharing {
    /// Of a process and one that comes behind it: whether they share what is there twice.
    ahead: BTreeMap<(usize, usize), bool>,
    /// Arrays between processes.
    twice: BTreeSet<ArrayId>,
}

/// What processes share, if invocations may overlap: all elements of streams inside are taken by the end, and no other
/// process accesses an array outside that one writes.
pub(super) fn sharing(network: &Network) -> Option<Sharing> {
    if network.processes.is_empty() || !network.are_streams_emptied()? {
        return None;
    }
    let behind = network.behind();
    let mut sharing = Sharing::default();
    for (number, process) in network.processes.iter().enumerate() {
        let after = process.after.iter();
        sharing
            .ahead
            .extend(after.map(|&other| ((other, number), false)));
        let givers = network.processes.iter().enumerate();
        let gives = |giver: &Process| giver.results.iter().any(|value| takes(process, *value));
        for (other, _) in givers.filter(|(_, giver)| gives(giver)) {
            sharing.ahead.insert((other, number), true);
        }
    }
    let mut bits = 0u64;
    for (id, array) in network.kernel.arrays.iter() {
        let with = accessing(network, id);
        let is_written = with
            .iter()
            .any(|&number| network.processes[number].written.contains(&id));
        if array.stream.is_some() || with.len() < 2 {
            continue;
        }
        let pairs = with
            .iter()
            .flat_map(|&one| with.iter().map(move |&other| (one, other)));
        let ordered = pairs.filter(|(one, other)| behind[*other].contains(one));
        if array.kind != ArrayKind::Local {
            // Processes that come one after the other would have ports in common.
            if is_written || ordered.count() > 0 {
                return None;
            }
            continue;
        }
        bits = bits.saturating_add(array.len().saturating_mul(array.elem.width().into()));
        sharing.twice.insert(id);
        sharing.ahead.extend(ordered.map(|pair| (pair, true)));
    }
    (bits <= MOST_BITS).then_some(sharing)
}

fn takes(process: &Process, value: ValueId) -> bool {
    let mut args = process.args.iter();
    args.any(|arg| matches!(arg, Arg::Scalar(taken) if *taken == value))
}

fn accessing(network: &Network, id: ArrayId) -> Vec<usize> {
    let passed = |arg: &Arg| matches!(arg, Arg::Array(passed) if *passed == id);
    let processes = network.processes.iter().enumerate();
    let with = processes.filter(|(_, process)| process.args.iter().any(passed));
    with.map(|(number, _)| number).collect()
}

/// What holds processes back.
struct Counts {
    /// For each process how many invocations it has ended that not all have.
    ended: Vec<NetId>,
    /// For each pair by how many the first one is ahead of the second.
    ahead: BTreeMap<(usize, usize), NetId>,
    /// For each process that takes scalars later than the first ones: how many have been taken that it has not ended.
    taken: BTreeMap<usize, NetId>,
}

/// Two registers: of invocations with an even and with an odd number.
type Halves = [NetId; 2];

impl Around<'_> {
    fn is_first(&self, process: usize) -> bool {
        self.network.processes[process].after.is_empty()
    }

    /// The bit that says which half of what is there twice a process uses: from before it begins until it is done.
    pub(super) fn half(&mut self, process: usize) -> NetId {
        if let Some(&half) = self.halves.get(&process) {
            return half;
        }
        let name = self.network.processes[process].kernel().name.clone();
        let done = self.control_net(process, |control| &control.done);
        let cells = &mut self.cells;
        let half = cells.net(&format!("{name}_half"), 1);
        toggle(cells, half, done);
        self.halves.insert(process, half);
        half
    }

    fn control_net(&mut self, process: usize, port: fn(&Control) -> &String) -> NetId {
        let name = port(&self.modules[process].1.control).clone();
        self.net(process, &name)
    }

    /// A scalar of the top kernel as a process takes it: outside it may change as soon as the invocation is taken.
    pub(super) fn as_taken(&mut self, process: usize, port: NetId) -> NetId {
        if self.sharing.is_none() {
            return port;
        }
        if !self.is_first(process) {
            let half = self.half(process);
            let halves = self.scalar_halves(port);
            return choose(&mut self.cells, half, halves);
        }
        let start = self.control_net(process, |control| &control.start);
        let name = format!("{}_as_begun", self.cells.name(port));
        as_last(&mut self.cells, &name, port, start)
    }

    /// A scalar of the top kernel as it was when the last two invocations were taken.
    fn scalar_halves(&mut self, port: NetId) -> Halves {
        if let Some(&halves) = self.kept.get(&port) {
            return halves;
        }
        let (taken, number) = self.taken_now();
        let halves = keep_halves(&mut self.cells, port, taken, number);
        self.kept.insert(port, halves);
        halves
    }

    /// Whether an invocation is taken, and the last bit of its number.
    fn taken_now(&mut self) -> (NetId, NetId) {
        *self.taken_now.get_or_insert_with(|| {
            let taken = self.cells.net("taken", 1);
            let number = self.cells.net("taken_half", 1);
            toggle(&mut self.cells, number, taken);
            (taken, number)
        })
    }

    /// A scalar that a process gives, as another one takes it.
    pub(super) fn as_given(&mut self, giver: usize, taker: usize, given: NetId) -> NetId {
        if self.sharing.is_none() {
            return given;
        }
        let halves = self.given_halves(giver, given);
        let half = self.half(taker);
        choose(&mut self.cells, half, halves)
    }

    fn given_halves(&mut self, giver: usize, given: NetId) -> Halves {
        if let Some(&halves) = self.kept.get(&given) {
            return halves;
        }
        let done = self.control_net(giver, |control| &control.done);
        let half = self.half(giver);
        let halves = keep_halves(&mut self.cells, given, done, half);
        self.kept.insert(given, halves);
        halves
    }

    /// A scalar result: as its process gave it when the invocation that is done ended, and until the next one is done.
    pub(super) fn as_returned(&mut self, value: ValueId, given: NetId, done: NetId) -> NetId {
        let processes = self.network.processes.iter();
        let giver = processes
            .into_iter()
            .position(|process| process.results.contains(&value));
        let (Some(_), Some(giver)) = (&self.sharing, giver) else {
            return given;
        };
        let halves = self.given_halves(giver, given);
        let number = *self.returned_half.get_or_insert_with(|| {
            let number = self.cells.net("done_half", 1);
            toggle(&mut self.cells, number, done);
            number
        });
        let now = choose(&mut self.cells, number, halves);
        let name = self.cells.name(given).to_string();
        as_last(&mut self.cells, &name, now, done)
    }

    /// A port of one half of a memory that is there twice, as a process has it; what is read there is a net of its own.
    pub(super) fn lane_of_half(&mut self, process: usize, lane: Lane, is_odd: bool) -> Lane {
        let half = self.half(process);
        let cells = &mut self.cells;
        let is_it = match is_odd {
            true => Operand::Net(half),
            false => cells.invert(Operand::Net(half), "even"),
        };
        let ce = cells.gate(BinaryOp::And, Operand::Net(lane.ce), is_it, "half_ce");
        let ce = cells.as_net(ce, "half_ce");
        let q = lane.q.map(|q| {
            let width = cells.module.nets[q].width;
            cells.net("half_q", width)
        });
        lane.with(ce, q)
    }

    /// Has a process read the half that it uses.
    pub(super) fn read_half(&mut self, process: usize, lane: Lane, halves: [Lane; 2]) {
        let half = self.half(process);
        if let (Some(q), [Some(even), Some(odd)]) = (lane.q, halves.map(|lane| lane.q)) {
            let value = choose(&mut self.cells, half, [even, odd]);
            self.cells.drive(q, Expr::Copy(Operand::Net(value)));
        }
    }

    /// Whether an array is there twice.
    pub(super) fn is_twice(&self, id: ArrayId) -> bool {
        self.sharing
            .iter()
            .any(|sharing| sharing.twice.contains(&id))
    }

    /// What starts and ends invocations; the entries of array results, by number.
    pub(super) fn overlapping(
        &mut self,
        block: &BlockPorts,
        ports: &mut [Option<Port>],
    ) -> Result<BTreeMap<usize, Port>, Diagnostic> {
        let never = self.cells.as_net(bit(false), "never");
        self.streams(never, ports);
        let results = self.arrays(ports)?;
        let finished = self.cells.net("all_ended", 1);
        let (taken, _) = self.taken_now();
        let counts = self.counts(taken, finished);
        let (mut all_begun, mut all_ended, mut at_rest) = (bit(true), bit(true), bit(true));
        for number in 0..self.modules.len() {
            let idle = Operand::Net(self.control_net(number, |control| &control.idle));
            let ended = Operand::Net(counts.ended[number]);
            let ended = compare(&mut self.cells, CompareOp::Ne, ended, 0);
            let mut quiet = vec![idle.clone()];
            let mut may = self.may_begin(number, &counts);
            may.push(idle);
            if self.is_first(number) {
                let (now, before) = self.begin_first(number, block.start, taken, may);
                all_begun = self.cells.gate(BinaryOp::And, all_begun, now, "begun");
                quiet.push(self.cells.invert(before, "none_begun"));
            } else {
                let begins = self.all(may, "begins");
                let start = self.control_net(number, |control| &control.start);
                self.cells.drive(start, Expr::Copy(begins));
            }
            quiet.push(self.cells.invert(ended.clone(), "none_ended"));
            all_ended = self.cells.gate(BinaryOp::And, all_ended, ended, "ended");
            quiet.push(at_rest);
            at_rest = self.all(quiet, "at_rest");
        }
        for &count in counts.taken.values() {
            let has_half = compare(&mut self.cells, CompareOp::Lt, Operand::Net(count), HALVES);
            all_begun = self.cells.gate(BinaryOp::And, all_begun, has_half, "begun");
        }
        let cells = &mut self.cells;
        cells.drive(taken, Expr::Copy(all_begun));
        cells.drive(finished, Expr::Copy(all_ended));
        cells.drive(block.ready, Expr::Copy(Operand::Net(taken)));
        cells.drive(block.done, Expr::Copy(Operand::Net(finished)));
        cells.drive(block.idle, Expr::Copy(at_rest.clone()));
        let busy = cells.invert(at_rest, "runs");
        cells.drive(block.busy, Expr::Copy(busy));
        Ok(results)
    }

    fn all(&mut self, bits: Vec<Operand>, name: &str) -> Operand {
        let cells = &mut self.cells;
        bits.into_iter().fold(bit(true), |all, one| {
            cells.gate(BinaryOp::And, all, one, name)
        })
    }

    /// Declares and drives what counts.
    fn counts(&mut self, taken: NetId, finished: NetId) -> Counts {
        let dones: Vec<NetId> = (0..self.modules.len())
            .map(|number| self.control_net(number, |control| &control.done))
            .collect();
        let names = self
            .network
            .processes
            .iter()
            .map(|process| process.kernel().name.clone());
        let names: Vec<String> = names.collect();
        let pairs = self
            .sharing
            .iter()
            .flat_map(|sharing| sharing.ahead.keys().copied());
        let pairs: Vec<(usize, usize)> = pairs.collect();
        let scalars = self
            .network
            .kernel
            .params
            .iter()
            .filter_map(|param| match param {
                Param::Scalar(value) => Some(*value),
                Param::Array(_) => None,
            });
        let scalars: Vec<ValueId> = scalars.collect();
        let later = (0..names.len()).filter(|&number| {
            let takes = |value: &ValueId| takes(&self.network.processes[number], *value);
            !self.is_first(number) && scalars.iter().any(takes)
        });
        let later: Vec<usize> = later.collect();
        let cells = &mut self.cells;
        let mut count = |name: String, more, less| count(cells, &name, more, less);
        let ended = names.iter().zip(&dones);
        Counts {
            ended: ended
                .map(|(name, &done)| count(format!("{name}_ended"), done, finished))
                .collect(),
            ahead: pairs
                .into_iter()
                .map(|(one, other)| {
                    let name = format!("{}_ahead_of_{}", names[one], names[other]);
                    ((one, other), count(name, dones[one], dones[other]))
                })
                .collect(),
            taken: later
                .into_iter()
                .map(|number| {
                    (
                        number,
                        count(format!("{}_taken", names[number]), taken, dones[number]),
                    )
                })
                .collect(),
        }
    }

    /// What has to be so for a process to begin, beside that it is idle.
    fn may_begin(&mut self, process: usize, counts: &Counts) -> Vec<Operand> {
        let network = self.network;
        let returns = network.kernel.body.yields.iter();
        let gives = |value: &ValueId| network.processes[process].results.contains(value);
        let limit = match returns.into_iter().any(gives) {
            true => HALVES,
            false => AHEAD,
        };
        let cells = &mut self.cells;
        let mut may = vec![compare(
            cells,
            CompareOp::Lt,
            Operand::Net(counts.ended[process]),
            limit,
        )];
        let ahead = self.sharing.iter().flat_map(|sharing| &sharing.ahead);
        for (pair @ (one, other), is_twice) in ahead {
            let count = Operand::Net(counts.ahead[pair]);
            if *one == process && *is_twice {
                may.push(compare(cells, CompareOp::Lt, count.clone(), HALVES));
            }
            if *other == process {
                may.push(compare(cells, CompareOp::Ne, count, 0));
            }
        }
        if let Some(&count) = counts.taken.get(&process) {
            may.push(compare(cells, CompareOp::Ne, Operand::Net(count), 0));
        }
        may
    }

    /// Starts a process that waits for no other one, once for the invocation that is asked for; whether it has begun
    /// that, now or before, and before.
    fn begin_first(
        &mut self,
        process: usize,
        asked: NetId,
        taken: NetId,
        mut may: Vec<Operand>,
    ) -> (Operand, Operand) {
        let name = &self.network.processes[process].kernel().name;
        let before = self.cells.net(&format!("{name}_begun"), 1);
        may.push(Operand::Net(asked));
        may.push(self.cells.invert(Operand::Net(before), "fresh"));
        let begins = self.all(may, "begins");
        let start = self.control_net(process, |control| &control.start);
        let cells = &mut self.cells;
        cells.drive(start, Expr::Copy(begins.clone()));
        let before = Operand::Net(before);
        let now = cells.gate(BinaryOp::Or, before.clone(), begins, "begun_now");
        let others = cells.invert(Operand::Net(taken), "others_wait");
        let next = cells.gate(BinaryOp::And, now.clone(), others, "begun_next");
        if let Operand::Net(register) = before {
            cells.drive_register(register, next, None, Some(0), None);
        }
        (now, before)
    }
}

/// A number that one event increments and another one decrements.
fn count(cells: &mut Cells, name: &str, more: NetId, less: NetId) -> NetId {
    let count = cells.net(name, COUNT);
    let mut next = Operand::Net(count);
    for (op, one) in [(BinaryOp::Add, more), (BinaryOp::Sub, less)] {
        let rhs = cells.resize(Operand::Net(one), COUNT, false, "one");
        let sum = Expr::Binary { op, lhs: next, rhs };
        next = Operand::Net(cells.assign(&format!("{name}_next"), COUNT, sum, None));
    }
    cells.drive_register(count, next, None, Some(0), None);
    count
}

fn compare(cells: &mut Cells, op: CompareOp, count: Operand, number: u32) -> Operand {
    let is_so = Expr::Compare {
        op,
        signed: false,
        lhs: count,
        rhs: constant(&number.into(), COUNT),
    };
    Operand::Net(cells.assign("is_so", 1, is_so, None))
}

/// Drives a register that changes with each event.
fn toggle(cells: &mut Cells, register: NetId, event: NetId) {
    let (old, event) = (Operand::Net(register), Operand::Net(event));
    let next = cells.gate(BinaryOp::Xor, old, event, "half_next");
    cells.drive_register(register, next, None, Some(0), None);
}

/// Keeps a value when `event` happens, in the register that `number` says.
fn keep_halves(cells: &mut Cells, value: NetId, event: NetId, number: NetId) -> Halves {
    let Net { name, width, .. } = cells.module.nets[value].clone();
    [false, true].map(|is_odd| {
        let is_it = match is_odd {
            true => Operand::Net(number),
            false => cells.invert(Operand::Net(number), "even"),
        };
        let now = cells.gate(BinaryOp::And, Operand::Net(event), is_it, "keeps");
        let now = cells.as_net(now, "keeps");
        let name = format!("{name}_kept");
        cells.register(&name, width, Operand::Net(value), Some(now), None, None)
    })
}

/// A value as it was when a pulse came last, in that cycle already.
fn as_last(cells: &mut Cells, name: &str, value: NetId, pulse: NetId) -> NetId {
    let (width, now) = (cells.module.nets[value].width, Operand::Net(value));
    let kept = cells.register(name, width, now.clone(), Some(pulse), None, None);
    let last = Expr::Mux {
        cond: Operand::Net(pulse),
        on_true: now,
        on_false: Operand::Net(kept),
    };
    cells.assign(name, width, last, None)
}

fn choose(cells: &mut Cells, half: NetId, [even, odd]: Halves) -> NetId {
    let Net { name, width, .. } = cells.module.nets[even].clone();
    let value = Expr::Mux {
        cond: Operand::Net(half),
        on_true: Operand::Net(odd),
        on_false: Operand::Net(even),
    };
    cells.assign(&name, width, value, None)
}
