//! Cycles of an invocation in which loops run a number of times that changes, but that no data decide, as in a triangular nest: its
//! control is run, and nothing else (a slice: Weiser, Program slicing, ICSE 1981).

use super::Schedule;
use super::tally::{Run, Tally};
use crate::arena::Table;
use crate::hwarith::eval::eval_op;
use crate::hwarith::graph::{Node, NodeId, Op, VarId};
use crate::hwarith::interval::Interval;
use crate::machine::program::{Leaf, LeafId, Loop, Phi, Place, Program, Region};
use num_bigint::BigInt;
use num_traits::Zero;
use std::collections::BTreeSet;

/// Operations that are run at most.
const MOST: usize = 200_000;

/// Cycles that a program is active; `None` where the data decide, or finding out takes long.
pub fn latency(program: &Program, schedule: &Schedule) -> Option<u64> {
    walk(program, schedule).map(|(cycles, _)| cycles)
}

/// The same, with what its regions take.
pub fn walk(program: &Program, schedule: &Schedule) -> Option<(u64, Tally)> {
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
    let mut tally = Tally::none(&program.root);
    let run = walk.region(&program.root, &mut tally, 0)?;
    let cycles = run.cycles.checked_add(schedule.drain.into())?;
    Some((cycles, tally))
}

/// What decides what runs, and how often, in a leaf.
struct Slice {
    /// In their order.
    nodes: Vec<NodeId>,
    /// Nothing else is found than the end of its loop.
    only_counts: bool,
}

/// By leaf.
type Slices = Table<LeafId, Slice>;

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
fn slice(leaf: &Leaf, vars: &mut BTreeSet<VarId>) -> Slice {
    let writes = leaf.writes.iter().filter(|(var, _)| vars.contains(var));
    let mut open: Vec<NodeId> = writes.map(|(_, node)| *node).collect();
    if let Some(repeat) = &leaf.repeat {
        let carried = repeat.phis.iter().filter(|phi| vars.contains(&phi.var));
        open.extend(carried.map(|phi| phi.node));
    }
    let only_counts = open.is_empty();
    if let Some(repeat) = &leaf.repeat
        && (!only_counts || repeat.trip().is_none() || repeat.enter.is_some())
    {
        open.push(repeat.last);
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
    Slice {
        nodes: found.into_iter().collect(),
        only_counts,
    }
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

    /// A run of a region that begins in that cycle, its cycles counted as [`super::forecast::latency`] does.
    fn region(&mut self, region: &Region, tally: &mut Tally, start: u64) -> Option<Run> {
        let (run, iterations) = match region {
            Region::Leaf(leaf) => return self.leaf(*leaf, tally, start),
            Region::Seq(parts) => (self.sequence(parts, &mut tally.inside, start)?, None),
            Region::If {
                cond,
                then,
                otherwise,
            } => {
                let (arm, at) = match self.is_set(*cond)? {
                    true => (then, 0),
                    false => (otherwise, 1),
                };
                let run = self.region(arm, &mut tally.inside[at], start)?;
                let cycles = run.cycles.max(1);
                (Run { cycles, ..run }, None)
            }
            Region::Repeat {
                head, cond, body, ..
            } => {
                let inside = &mut tally.inside;
                let (run, count) = self.rounds((head, *cond, body), inside, start)?;
                (run, Some(count))
            }
        };
        tally.add(1, start, run, iterations);
        // A sum that is too large stays so.
        (run.cycles < u64::MAX).then_some(run)
    }

    fn sequence(&mut self, parts: &[Region], inside: &mut [Tally], start: u64) -> Option<Run> {
        let mut all = Run::default();
        for (part, tally) in parts.iter().zip(inside) {
            all = all.then(self.region(part, tally, start.saturating_add(all.cycles))?);
        }
        Some(all)
    }

    /// A run of a loop of regions, with its iterations.
    fn rounds(
        &mut self,
        (head, cond, body): (&Region, VarId, &Region),
        inside: &mut [Tally],
        start: u64,
    ) -> Option<(Run, u64)> {
        let (mut all, mut count) = (Run::default(), 0);
        loop {
            self.left = self.left.checked_sub(1)?;
            let begin = start.saturating_add(all.cycles);
            all = all.then(self.region(head, &mut inside[0], begin)?);
            if !self.is_set(cond)? {
                return Some((all.then(Run::CONTROL), count));
            }
            let begin = start.saturating_add(all.cycles);
            let run = self.region(body, &mut inside[1], begin)?;
            // An empty body would be left within a cycle.
            all = Some(all.then(run)).filter(|_| run.cycles > 0)?;
            count += 1;
        }
    }

    fn leaf(&mut self, id: LeafId, tally: &mut Tally, start: u64) -> Option<Run> {
        let leaf = &self.program.leaves[id];
        let times = &self.schedule.leaves[id];
        let Some(repeat) = &leaf.repeat else {
            let values = self.iteration(id, None, &[])?;
            self.write(id, &values);
            let run = Run::of_leaf(0, times);
            tally.add(1, start, run, None);
            return Some(run);
        };
        let count = match (repeat.trip(), self.slices[id].nodes.is_empty()) {
            (Some(trip), true) => trip.max(1),
            _ => {
                let (values, count) = self.repeat(id, repeat)?;
                self.write(id, &values);
                count
            }
        };
        // A loop that is not entered is done in the cycle of its start; one that is takes a cycle to load its counters.
        let run = match count {
            0 => Run::CONTROL,
            count => {
                let issues = (count - 1).checked_mul(times.ii?.into())?;
                Run::CONTROL.then(Run::of_leaf(issues, times))
            }
        };
        // The one that ends a `while` finds nothing to do.
        let ends = matches!(&repeat.dims[..], [dim] if dim.is_while);
        let iterations = count.saturating_sub(ends.into());
        tally.add_pipeline(1, start, run, Some(iterations));
        Some(run)
    }

    /// Sets the vars that a leaf writes.
    fn write(&mut self, id: LeafId, values: &Values) {
        for &(var, node) in &self.program.leaves[id].writes {
            let ty = self.program.vars[var].ty;
            let value = values[node.index()].as_ref();
            self.vars[var] = value.map(|value| ty.wrap(value));
        }
    }

    /// The values of the last iteration, and how many there are.
    fn repeat(&mut self, id: LeafId, repeat: &Loop) -> Option<(Values, u64)> {
        let enters = repeat.enter.map_or(Some(true), |var| self.is_set(var))?;
        // Of a nest whose inner loops are always as long, only the iterations in which these end.
        let inner = match self.slices[id].only_counts {
            true => self.inner(id, repeat),
            false => None,
        };
        let (each, ends) = inner.unwrap_or((1, Vec::new()));
        let mut values = self.iteration(id, None, &ends)?;
        let mut count = u64::from(enters);
        while enters && values[repeat.last.index()].as_ref()?.is_zero() {
            values = self.iteration(id, Some(&values), &ends)?;
            count += 1;
        }
        let count = count.checked_mul(each)?;
        let graph = &self.program.leaves[id].graph;
        for &Phi { node, var, .. } in &repeat.phis {
            let node = graph.nodes[node].args[usize::from(enters)];
            let ty = self.program.vars[var].ty;
            let value = values[node.index()].as_ref();
            self.vars[var] = value.map(|value| ty.wrap(value));
        }
        Some((values, count))
    }

    /// How many iterations the loops inside of the outermost one have together, and the counters of these with their last values.
    /// `None` unless the outermost is the only one of which the number is not known.
    fn inner(&self, id: LeafId, repeat: &Loop) -> Option<(u64, Vec<(NodeId, BigInt)>)> {
        let (outer, inner) = repeat.dims.split_first()?;
        if outer.trip.is_some() || outer.is_while {
            return None;
        }
        let graph = &self.program.leaves[id].graph;
        // The counters are the first ones that are carried, but of loops with one iteration.
        let mut phis = repeat.phis.iter().skip(1);
        let (mut each, mut ends) = (1u64, Vec::new());
        for dim in inner {
            let trip = dim.trip?;
            each = each.checked_mul(trip)?;
            if trip != 1 {
                let phi = phis.next()?;
                let first = graph.as_const(graph.nodes[phi.node].args[0])?;
                let Interval { lo, hi } = &phi.range;
                let last = if first == lo { hi } else { lo };
                ends.push((phi.node, last.clone()));
            }
        }
        Some((each, ends))
    }

    /// What is known of the nodes of a slice, after an iteration with the values of `before`; some counters have their last values.
    fn iteration(
        &mut self,
        id: LeafId,
        before: Option<&Values>,
        ends: &[(NodeId, BigInt)],
    ) -> Option<Values> {
        let slice = &self.slices[id].nodes;
        let graph = &self.program.leaves[id].graph;
        // To make room for all values takes some of the time, too.
        let work = slice.len() + graph.nodes.len() / 8 + 1;
        self.left = self.left.checked_sub(work)?;
        let mut values: Values = vec![None; graph.nodes.len()];
        for &id in slice {
            if let Some((_, last)) = ends.iter().find(|(counter, _)| *counter == id) {
                values[id.index()] = Some(last.clone());
                continue;
            }
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
