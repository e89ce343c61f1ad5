//! Whether delays in a cycle add up to less than a clock period.
//!
//! The time at which a result is said to be stable must not lie before what the operation needs. Gates that synthesis
//! may merge into lookup tables are given every way of merging: all cuts of at most four inputs are enumerated (Cong
//! and Ding, FlowMap, 1994), and the best of them bounds the time from below.

use super::{Called, TOLERANCE, is_live};
use crate::hwarith::graph::{Op, Predicate};
use crate::hwarith::{Graph, NodeId};
use crate::machine::program::{Leaf, Program};
use crate::schedule::device::{Class, Device};
use crate::schedule::problem::FULL_CYCLE;
use crate::schedule::spread::{Spread, wide_loads};
use crate::schedule::{Times, load_delays, store_delay, table_delays};
use std::collections::{BTreeMap, BTreeSet};

/// Inputs of a lookup table.
const INPUTS: usize = 4;
/// Cuts of a node that are kept.
const MAX_CUTS: usize = 200;

/// What one lookup table sees: nodes, each with the position of the bit, in order.
#[derive(Clone, Copy)]
struct Cut {
    inputs: [(NodeId, u32); INPUTS],
    len: usize,
}

impl Cut {
    /// A table of nothing: a constant.
    fn nothing() -> Self {
        let none = (NodeId::new(0), 0);
        Cut {
            inputs: [none; INPUTS],
            len: 0,
        }
    }

    fn of(node: NodeId) -> Self {
        let mut cut = Cut::nothing();
        cut.inputs[0].0 = node;
        cut.len = 1;
        cut
    }

    fn inputs(&self) -> &[(NodeId, u32)] {
        &self.inputs[..self.len]
    }

    /// The same nodes, `by` bits further up.
    fn shifted(mut self, by: u32) -> Self {
        self.inputs.iter_mut().for_each(|(_, at)| *at += by);
        self
    }

    /// What a table for both sees, if it has so many inputs.
    fn union(&self, other: &Cut) -> Option<Cut> {
        let (mut left, mut right) = (self.inputs(), other.inputs());
        let mut both = Cut::nothing();
        while let Some(&next) = left.first().into_iter().chain(right.first()).min() {
            *both.inputs.get_mut(both.len)? = next;
            both.len += 1;
            for side in [&mut left, &mut right] {
                *side = side.strip_prefix(&[next]).unwrap_or(side);
            }
        }
        Some(both)
    }
}

pub struct Chaining<'g> {
    graph: &'g Graph,
    times: &'g Times,
    device: &'g Device,
    budget: f64,
    /// Ways to multipliers.
    spread: Spread<'g>,
    /// ns of a choice that operands of some width come after.
    choice: &'g dyn Fn(u32) -> f64,
    /// Cycles of the steps that the graph iterates.
    steps: &'g [Times],
    /// Ways to compute one bit of a gate or wire in its cycle.
    cuts: Vec<Vec<Cut>>,
    /// Nodes that take but a part of their delay.
    shrunk: BTreeMap<NodeId, f64>,
    /// Choices that are the reset of a register.
    resets: BTreeSet<NodeId>,
    /// Loads at addresses that come from registers.
    wide: BTreeSet<NodeId>,
}

impl<'g> Chaining<'g> {
    pub fn new(graph: &'g Graph, times: &'g Times, device: &'g Device, budget: f64) -> Self {
        Chaining {
            graph,
            times,
            device,
            budget,
            spread: Spread::new(graph, &times.width),
            choice: &|_| 0.0,
            steps: &[],
            cuts: vec![Vec::new(); graph.nodes.len()],
            shrunk: BTreeMap::new(),
            resets: BTreeSet::new(),
            wide: BTreeSet::new(),
        }
    }

    /// States how many ns the choice takes, by their width, from which the operands come.
    pub fn behind(self, choice: &'g dyn Fn(u32) -> f64) -> Self {
        Chaining { choice, ..self }
    }

    /// States the cycles of the steps that the graph iterates.
    pub fn with_steps(self, steps: &'g [Times]) -> Self {
        Chaining { steps, ..self }
    }

    /// Checks every node that somebody wants.
    pub fn check(mut self, called: &Called, leaf: Option<(&Program, &Leaf)>) -> Result<(), String> {
        if let Some((program, leaf)) = leaf {
            self.resets = leaf.resets(&self.times.width);
            self.wide = wide_loads(leaf, program);
            self.fit_initial(leaf);
        }
        for id in self.graph.nodes.ids() {
            self.cuts[id.index()] = self.cuts_of(id);
            if !is_live(self.graph, self.times, id) || self.times.stable[id.index()] {
                continue;
            }
            let i = id.index();
            let least = self.least_arrival(id, called, leaf)?;
            let claimed = self.times.arrival[i];
            if claimed + TOLERANCE < least {
                return Err(format!(
                    "%{i} is stable after {least:.2} ns, not after {claimed:.2} ns"
                ));
            }
            if claimed > self.budget.max(0.0) + TOLERANCE {
                return Err(format!("%{i} takes {claimed:.2} ns, longer than a cycle"));
            }
        }
        Ok(())
    }

    /// That what is there after `operands` ns of the cycle leaves room for `before` ns until its end.
    fn fits(&self, id: NodeId, operands: f64, before: f64, what: &str) -> Result<(), String> {
        match operands > 0.0 && operands + before > self.budget + TOLERANCE {
            true => Err(format!("%{} gets its {what} too late", id.index())),
            false => Ok(()),
        }
    }

    /// ns into the cycle of its result before which a node cannot be stable.
    fn least_arrival(
        &self,
        id: NodeId,
        called: &Called,
        leaf: Option<(&Program, &Leaf)>,
    ) -> Result<f64, String> {
        let node = &self.graph.nodes[id];
        let cycle = self.times.start[id.index()];
        let operands = node.args.iter().map(|&a| self.arrival_in(a, cycle));
        let operands = operands.fold(0.0, f64::max);
        Ok(match &node.op {
            Op::Input(_) => (self.choice)(node.ty.width).min(self.budget),
            Op::Const(_) | Op::Var(_) | Op::Phi => 0.0,
            Op::Store(mem) => {
                let (program, _) = leaf.ok_or("a store in a unit")?;
                let before = store_delay(&program.mems[*mem], self.device);
                self.fits(id, operands, before.min(self.budget), "operands")?;
                0.0
            }
            Op::Load(mem) => {
                let (program, _) = leaf.ok_or("a load in a unit")?;
                let (mut before, after) = load_delays(&program.mems[*mem], self.device);
                if self.wide.contains(&id) {
                    before = self.budget;
                }
                if program.mems[*mem].is_asynchronous {
                    return Ok(operands + before.min(self.budget));
                }
                self.fits(id, operands, before.min(self.budget), "address")?;
                after.min(self.budget)
            }
            Op::Table(table) => {
                let (before, after) = table_delays(table, self.device);
                if self.times.ready[id.index()] == cycle {
                    return Ok(operands + before.min(self.budget));
                }
                self.fits(id, operands, before.min(self.budget), "address")?;
                after.min(self.budget)
            }
            Op::Call(_) => {
                let unit = called(id).ok_or("a call in a unit")?;
                self.fits(id, operands, unit.input_delay, "operands")?;
                match unit.latency {
                    0 => operands + unit.output_delay,
                    _ => unit.output_delay,
                }
            }
            Op::Iterate { step, .. } => {
                let step = self.steps.get(*step as usize);
                let first = first_cycle(step.ok_or("a step without cycles")?);
                self.fits(id, operands, first, "operands")?;
                0.0
            }
            _ if self.resets.contains(&id) => operands,
            op => {
                let part = self.shrunk.get(&id).copied().unwrap_or(1.0);
                let delay = self.delay(id).min(self.budget) * part;
                let table =
                    is_gate(self.graph, op, &node.args) || few_bits(self.graph, id).is_some();
                match table {
                    false => operands + delay,
                    true => {
                        let cuts = self.cuts[id.index()].iter();
                        let latest = cuts.map(|cut| {
                            let leaves = cut
                                .inputs()
                                .iter()
                                .map(|(leaf, _)| self.arrival_in(*leaf, cycle));
                            leaves.fold(0.0, f64::max)
                        });
                        latest.fold(operands, f64::min) + delay
                    }
                }
            }
        })
    }

    /// What carried values begin with is made in the first cycle, as an operation that is longer than a cycle is: its delays
    /// shrink until the longest way through it is just within the cycle.
    fn fit_initial(&mut self, leaf: &Leaf) {
        let phis = leaf.phis();
        let mut reached: Vec<NodeId> = phis.map(|phi| self.graph.nodes[phi.node].args[0]).collect();
        let mut ways: BTreeMap<NodeId, f64> = BTreeMap::new();
        while let Some(node) = reached.pop() {
            let is_new = !self.times.stable[node.index()] && ways.insert(node, 0.0).is_none();
            if is_new && self.graph.nodes[node].op != Op::Phi {
                reached.extend(&self.graph.nodes[node].args);
            }
        }
        // Operands come before what reads them.
        let nodes: Vec<NodeId> = ways.keys().copied().collect();
        for node in nodes {
            if self.graph.nodes[node].op == Op::Phi {
                continue;
            }
            let operands = self.graph.nodes[node].args.iter();
            let latest = operands.filter_map(|operand| ways.get(operand));
            let latest = latest.copied().fold(0.0, f64::max);
            ways.insert(node, latest + self.delay(node).min(self.budget));
        }
        let longest = ways.values().copied().fold(0.0, f64::max);
        if longest > self.budget {
            let shrunk = |node| (node, FULL_CYCLE * self.budget / longest);
            self.shrunk = ways.into_keys().map(shrunk).collect();
        }
    }

    /// When a value is stable in a cycle: from a register at its start.
    fn arrival_in(&self, id: NodeId, cycle: u32) -> f64 {
        let i = id.index();
        match self.times.ready[i] == cycle && !self.times.stable[i] {
            true => self.times.arrival[i],
            false => 0.0,
        }
    }

    /// Delay of one operation by itself; wires have none.
    fn delay(&self, id: NodeId) -> f64 {
        let node = &self.graph.nodes[id];
        let width = self.times.width[id.index()];
        let operands = node.args.iter().map(|&a| self.graph.width(a));
        let operands = operands.max().unwrap_or(1);
        let constant = node.args.iter().any(|&a| self.graph.as_const(a).is_some());
        let (class, width) = match node.op {
            Op::Add | Op::Sub => (Class::Add, width),
            Op::Mul => (Class::Mul, width),
            Op::Icmp(Predicate::Eq | Predicate::Ne) if few_bits(self.graph, id).is_some() => {
                (Class::Logic, operands)
            }
            Op::Icmp(Predicate::Eq | Predicate::Ne) if constant => (Class::Reduce, operands),
            Op::Icmp(Predicate::Eq | Predicate::Ne) => (Class::Equal, operands),
            Op::Icmp(_) => (Class::Compare, operands),
            Op::And | Op::Or | Op::Xor => (Class::Logic, width),
            Op::Mux => (Class::Mux, width),
            Op::Shl | Op::Shr => (Class::Shift, self.graph.width(node.args[0])),
            _ => return 0.0,
        };
        self.device.delay(class, width) + self.spread.delay(id, self.device)
    }

    fn cuts_of(&self, id: NodeId) -> Vec<Cut> {
        let node = &self.graph.nodes[id];
        let cycle = self.times.start[id.index()];
        let of = |arg: NodeId| self.operand_cuts(arg, cycle);
        if let Some(arg) = few_bits(self.graph, id) {
            let cuts = of(arg);
            let shifted =
                |by: u32| -> Vec<Cut> { cuts.iter().map(|cut| cut.shifted(by)).collect() };
            let bits = (0..self.graph.width(arg)).map(shifted);
            return bits.fold(vec![Cut::nothing()], |found, cuts| merged(&found, &cuts));
        }
        match &node.op {
            _ if self.resets.contains(&id) => Vec::new(),
            op if is_gate(self.graph, op, &node.args) => {
                let all = node.args.iter().map(|&arg| of(arg));
                let start = vec![Cut::nothing()];
                all.fold(start, |found, cuts| merged(&found, &cuts))
            }
            Op::Not | Op::Cast => of(node.args[0]),
            Op::Extract { lo } => {
                let cuts = of(node.args[0]).into_iter();
                cuts.map(|cut| cut.shifted(*lo)).collect()
            }
            // One bit, many times.
            Op::Concat => {
                let first = node.args[0];
                let same = node.args.iter().all(|a| *a == first) && self.graph.width(first) == 1;
                if same { of(first) } else { Vec::new() }
            }
            _ => Vec::new(),
        }
    }

    /// The operand itself, or what computes it in the same cycle.
    fn operand_cuts(&self, arg: NodeId, cycle: u32) -> Vec<Cut> {
        if self.graph.as_const(arg).is_some() {
            return vec![Cut::nothing()];
        }
        let mut cuts = vec![Cut::of(arg)];
        if self.times.ready[arg.index()] == cycle {
            cuts.extend(&self.cuts[arg.index()]);
        }
        cuts
    }
}

/// Until when something of cycle 0 is busy.
fn first_cycle(times: &Times) -> f64 {
    let busy = |i: &usize| times.ready[*i] == 0 && !times.stable[*i] && times.width[*i] > 0;
    let first = (0..times.ready.len()).filter(busy);
    first.map(|i| times.arrival[i]).fold(0.0, f64::max)
}

/// Every union of a cut of each side that fits a table, up to so many.
fn merged(left: &[Cut], right: &[Cut]) -> Vec<Cut> {
    let mut found: Vec<Cut> = Vec::new();
    for (a, b) in left.iter().flat_map(|a| right.iter().map(move |b| (a, b))) {
        let Some(both) = a.union(b) else { continue };
        let place = found.binary_search_by(|cut| cut.inputs().cmp(both.inputs()));
        if let (Err(at), true) = (place, found.len() < MAX_CUTS) {
            found.insert(at, both);
        }
    }
    found
}

/// Operations of which each result bit depends on one bit of each operand.
fn is_gate(graph: &Graph, op: &Op, args: &[NodeId]) -> bool {
    let single = || args.iter().all(|&a| graph.width(a) == 1);
    match op {
        Op::And | Op::Or | Op::Xor | Op::Mux => true,
        Op::Icmp(Predicate::Eq | Predicate::Ne) => single(),
        _ => false,
    }
}

/// What a comparison with a constant compares, if a table takes all its bits.
fn few_bits(graph: &Graph, id: NodeId) -> Option<NodeId> {
    let node = &graph.nodes[id];
    let constant = |arg: &NodeId| graph.as_const(*arg).is_some();
    match (&node.op, &node.args[..]) {
        (Op::Icmp(Predicate::Eq | Predicate::Ne), [a, b]) if constant(a) != constant(b) => {
            let compared = if constant(a) { *b } else { *a };
            (graph.width(compared) as usize <= INPUTS).then_some(compared)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All pairs of cuts of at most four of six bits, two of each node.
    #[test]
    fn a_union_has_the_inputs_of_both_or_there_is_none() {
        let of = |set: u32| {
            let bits = (0..6).filter(|bit| set & 1 << bit != 0);
            bits.map(|bit| (NodeId::new(bit / 2), bit as u32 % 2))
                .collect::<BTreeSet<_>>()
        };
        let cut = |set: &BTreeSet<(NodeId, u32)>| {
            let mut cut = Cut::nothing();
            for &(node, at) in set {
                let one = Cut::of(node).shifted(at);
                cut = cut.union(&one)?;
            }
            Some(cut)
        };
        for (a, b) in (0..64).flat_map(|a| (0..64).map(move |b| (of(a), of(b)))) {
            let [Some(one), Some(other)] = [cut(&a), cut(&b)] else {
                assert!(a.len() > INPUTS || b.len() > INPUTS);
                continue;
            };
            let both = one.union(&other).map(|both| both.inputs().to_vec());
            let wanted: Vec<(NodeId, u32)> = a.union(&b).copied().collect();
            assert_eq!(both, (wanted.len() <= INPUTS).then_some(wanted));
        }
    }
}
