//! Cycles of an invocation in which loops run a number of times that changes, but that no data decide, as in a triangular nest: its
//! control is run, and nothing else (a slice: Weiser, Program slicing, ICSE 1981).

use super::Schedule;
use crate::arena::Table;
use crate::hwarith::eval::eval_op;
use crate::hwarith::graph::{Node, NodeId, Op, VarId};
use crate::machine::program::{Leaf, LeafId, Loop, Phi, Place, Program, Region};
use num_bigint::BigInt;
use num_traits::Zero;
use std::collections::BTreeSet;

/// Operations that are run at most.
const MOST: usize = 200_000;

/// Cycles that a program is active; `None` where the data decide, or finding out takes long.
pub fn latency(program: &Program, schedule: &Schedule) -> Option<u64> {
    let waits = |place: &Place| matches!(place, Place::Stream(_));
    if program.mems.values().any(|mem| waits(&mem.place)) {
        return None;
    }
    let mut walk = Walk {
        program,
        schedule,
        slices: slices(program),
        vars: program.vars.values().map(|_| None).collect(),
        left: MOST,
    };
    let cycles = walk.region(&program.root)?;
    cycles.checked_add(schedule.drain.into())
}

/// By leaf, the nodes that decide what runs and how often, in their order.
type Slices = Table<LeafId, Vec<NodeId>>;

fn slices(program: &Program) -> Slices {
    let mut vars = BTreeSet::new();
    deciding(&program.root, &mut vars);
    let enters = program
        .leaves
        .values()
        .filter_map(|leaf| leaf.repeat.as_ref()?.enter);
    vars.extend(enters);
    // What is found in one leaf may be made in another.
    loop {
        let known = vars.len();
        let slices = program.leaves.values().map(|leaf| slice(leaf, &mut vars));
        let slices: Slices = slices.collect();
        if vars.len() == known {
            return slices;
        }
    }
}

fn deciding(region: &Region, vars: &mut BTreeSet<VarId>) {
    match region {
        Region::Leaf(_) => {}
        Region::Seq(parts) => parts.iter().for_each(|part| deciding(part, vars)),
        Region::If {
            cond,
            then,
            otherwise,
        } => {
            vars.insert(*cond);
            deciding(then, vars);
            deciding(otherwise, vars);
        }
        Region::Repeat {
            head, cond, body, ..
        } => {
            vars.insert(*cond);
            deciding(head, vars);
            deciding(body, vars);
        }
    }
}

/// The nodes of a leaf that the vars follow from, and the end of its loop where it has to be found; vars that they read are added.
fn slice(leaf: &Leaf, vars: &mut BTreeSet<VarId>) -> Vec<NodeId> {
    let writes = leaf.writes.iter().filter(|(var, _)| vars.contains(var));
    let mut open: Vec<NodeId> = writes.map(|(_, node)| *node).collect();
    if let Some(repeat) = &leaf.repeat {
        let carried = repeat.phis.iter().filter(|phi| vars.contains(&phi.var));
        open.extend(carried.map(|phi| phi.node));
        if !open.is_empty() || repeat.trip().is_none() || repeat.enter.is_some() {
            open.push(repeat.last);
        }
    }
    let mut found = BTreeSet::new();
    while let Some(id) = open.pop() {
        if found.insert(id) {
            let node = &leaf.graph.nodes[id];
            open.extend(&node.args);
            if let Op::Var(var) = node.op {
                vars.insert(var);
            }
        }
    }
    found.into_iter().collect()
}

struct Walk<'a> {
    program: &'a Program,
    schedule: &'a Schedule,
    slices: Slices,
    /// What is known of them.
    vars: Table<VarId, Option<BigInt>>,
    left: usize,
}

/// By node, what is known.
type Values = Vec<Option<BigInt>>;

impl Walk<'_> {
    fn is_set(&self, var: VarId) -> Option<bool> {
        self.vars[var].as_ref().map(|value| !value.is_zero())
    }

    /// Cycles from the start of a region to its release, as [`super::forecast::latency`] counts them.
    fn region(&mut self, region: &Region) -> Option<u64> {
        match region {
            Region::Leaf(leaf) => self.leaf(*leaf),
            Region::Seq(parts) => parts
                .iter()
                .try_fold(0u64, |sum, part| sum.checked_add(self.region(part)?)),
            Region::If {
                cond,
                then,
                otherwise,
            } => {
                let arm = if self.is_set(*cond)? { then } else { otherwise };
                Some(self.region(arm)?.max(1))
            }
            Region::Repeat {
                head, cond, body, ..
            } => {
                let mut sum = 0u64;
                loop {
                    self.left = self.left.checked_sub(1)?;
                    sum = sum.checked_add(self.region(head)?)?;
                    if !self.is_set(*cond)? {
                        return sum.checked_add(1);
                    }
                    // An empty body would be left within a cycle.
                    let cycles = self.region(body)?;
                    sum = sum.checked_add(cycles).filter(|_| cycles > 0)?;
                }
            }
        }
    }

    fn leaf(&mut self, id: LeafId) -> Option<u64> {
        let leaf = &self.program.leaves[id];
        let times = &self.schedule.leaves[id];
        let depth = u64::from(times.release) + 1;
        let (values, cycles) = match &leaf.repeat {
            None => (self.iteration(id, None)?, depth),
            Some(repeat) => {
                let ii = u64::from(times.ii?);
                match (repeat.trip(), self.slices[id].is_empty()) {
                    (Some(trip), true) => {
                        let issues = (trip.max(1) - 1).checked_mul(ii)?;
                        return issues.checked_add(depth + 1);
                    }
                    _ => self.repeat(id, repeat, (ii, depth))?,
                }
            }
        };
        for &(var, node) in &leaf.writes {
            let ty = self.program.vars[var].ty;
            let value = values[node.index()].as_ref();
            self.vars[var] = value.map(|value| ty.wrap(value));
        }
        Some(cycles)
    }

    /// The values of the last iteration, and the cycles of all.
    fn repeat(
        &mut self,
        id: LeafId,
        repeat: &Loop,
        (ii, depth): (u64, u64),
    ) -> Option<(Values, u64)> {
        let enters = repeat.enter.map_or(Some(true), |var| self.is_set(var))?;
        let mut values = self.iteration(id, None)?;
        let mut issues = 0u64;
        while enters && values[repeat.last.index()].as_ref()?.is_zero() {
            values = self.iteration(id, Some(&values))?;
            issues = issues.checked_add(ii)?;
        }
        let graph = &self.program.leaves[id].graph;
        for &Phi { node, var, .. } in &repeat.phis {
            let node = graph.nodes[node].args[usize::from(enters)];
            let ty = self.program.vars[var].ty;
            let value = values[node.index()].as_ref();
            self.vars[var] = value.map(|value| ty.wrap(value));
        }
        // A loop that is not entered is done in the cycle of its start; one that is takes a cycle to load its counters.
        let cycles = match enters {
            true => issues.checked_add(depth + 1)?,
            false => 1,
        };
        Some((values, cycles))
    }

    /// What is known of the nodes of a slice, after an iteration with the values of `before`.
    fn iteration(&mut self, id: LeafId, before: Option<&Values>) -> Option<Values> {
        let slice = &self.slices[id];
        let graph = &self.program.leaves[id].graph;
        // To make room for all values takes some of the time, too.
        let work = slice.len() + graph.nodes.len() / 8 + 1;
        self.left = self.left.checked_sub(work)?;
        let mut values: Values = vec![None; graph.nodes.len()];
        for &id in slice {
            let node: &Node = &graph.nodes[id];
            let value = match node.op {
                Op::Var(var) => self.vars[var].clone(),
                Op::Phi => {
                    let value = match before {
                        Some(before) => &before[node.args[1].index()],
                        None => &values[node.args[0].index()],
                    };
                    value.as_ref().map(|value| node.ty.wrap(value))
                }
                _ => {
                    let args = node.args.iter();
                    let args =
                        args.map(|&arg| Some((values[arg.index()].as_ref()?, graph.ty(arg))));
                    let args: Option<Vec<_>> = args.collect();
                    args.and_then(|args| eval_op(&node.op, &args, node.ty))
                }
            };
            values[id.index()] = value;
        }
        Some(values)
    }
}
