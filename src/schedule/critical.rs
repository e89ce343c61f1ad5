//! What binds the interval of a loop, operation by operation: the longest recurrence, and the way to the loop's end.

use super::Schedule;
use super::device::Device;
use super::placement::Placed;
use super::problem::{Edge, Problem};
use crate::hwarith::NodeId;
use crate::hwarith::graph::Op;
use crate::machine::program::{LeafId, Program};

/// Operations each of which waits for the one before.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The operations, in the order of time.
    pub steps: Vec<Step>,
    /// Cycles from the start of the first one to its next start, `distance` iterations later.
    pub cycles: u32,
    /// Iterations after which the first one waits for the last.
    pub distance: u64,
}

impl Chain {
    /// The least initiation interval that it allows.
    pub fn least_interval(&self) -> u64 {
        u64::from(self.cycles).div_ceil(self.distance.max(1))
    }
}

/// An operation of a chain.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Which one.
    pub node: NodeId,
    /// Cycle in which it starts, from the first one's.
    pub start: u32,
    /// Cycle in which its result is there.
    pub ready: u32,
    /// ns into that cycle.
    pub arrival: f64,
}

/// The recurrence of a scheduled loop that allows the least short interval, of those with one edge across iterations;
/// `None`
/// for what carries nothing.
pub fn recurrence(
    program: &Program,
    leaf: LeafId,
    schedule: &Schedule,
    device: &Device,
) -> Option<Chain> {
    let of = &program.leaves[leaf];
    of.repeat.as_ref()?;
    let problem = Problem::of_schedule(program, leaf, schedule, device);
    let mut longest: Option<Chain> = None;
    for to in problem.carried_to() {
        let placed = problem.behind(to);
        let edges = problem.across.iter().filter(|edge| edge.to == to);
        for edge in edges {
            let least = longest.as_ref().map_or(0, Chain::least_interval);
            let Some(cycles) = placed.cycles_to(edge) else {
                continue;
            };
            let cycles = u32::try_from(cycles).unwrap_or(u32::MAX);
            if u64::from(cycles).div_ceil(edge.distance.max(1)) > least {
                longest = Some(problem.chain(&placed, edge, cycles));
            }
        }
    }
    longest
}

impl Problem<'_> {
    /// From the target of an edge across iterations to its source, through what is waited for longest.
    fn chain(&self, placed: &Placed, edge: &Edge, cycles: u32) -> Chain {
        let mut nodes = vec![edge.from];
        let mut at = edge.from;
        while at != edge.to {
            let operands = self.operands(at).iter();
            let known = |node: NodeId| placed.start[node.index()].map(|start| (node, start));
            let operands = operands
                .filter(|&&node| !self.is_stable(node))
                .filter_map(|&node| known(node))
                .map(|(node, _)| {
                    (
                        placed.ready[node.index()],
                        placed.arrival[node.index()],
                        node,
                    )
                });
            let within = self.within.of(at).iter();
            let within = within.filter_map(|edge| {
                let (node, start) = known(edge.from)?;
                Some((start + edge.latency, 0.0, node))
            });
            let last = operands.chain(within).max_by(|a, b| {
                let order = a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
                order.then(b.2.cmp(&a.2))
            });
            // All that has a place waits for the target.
            let Some((_, _, node)) = last else { break };
            nodes.push(node);
            at = node;
        }
        nodes.reverse();
        let cycle = |cycle: i64| u32::try_from(cycle).unwrap_or(0);
        let steps = nodes.into_iter().map(|node| Step {
            node,
            start: cycle(placed.start[node.index()].unwrap_or(0)),
            ready: cycle(placed.ready[node.index()]),
            arrival: placed.arrival[node.index()],
        });
        Chain {
            steps: steps.collect(),
            cycles,
            distance: edge.distance,
        }
    }
}

/// What the end of a scheduled loop is known by, which has to be before the next iteration begins; `None` for a block.
pub fn end(program: &Program, leaf: LeafId, schedule: &Schedule) -> Option<Chain> {
    let of = &program.leaves[leaf];
    let times = &schedule.leaves[leaf].times;
    let mut at = of.repeat.as_ref()?.last;
    let mut nodes = vec![at];
    while of.graph.nodes[at].op != Op::Phi {
        let operands = of.graph.nodes[at].args.iter().copied();
        let late = operands.filter(|node| !times.stable[node.index()]);
        let last = late.max_by(|a, b| {
            let [a, b] = [a, b].map(|node| node.index());
            let order = times.ready[a].cmp(&times.ready[b]);
            order.then(times.arrival[a].total_cmp(&times.arrival[b]))
        });
        let Some(node) = last else { break };
        nodes.push(node);
        at = node;
    }
    nodes.reverse();
    let steps: Vec<Step> = nodes
        .into_iter()
        .map(|node| Step {
            node,
            start: times.start[node.index()],
            ready: times.ready[node.index()],
            arrival: times.arrival[node.index()],
        })
        .collect();
    let cycles = steps.last().map_or(0, |last| last.ready) + 1;
    Some(Chain {
        steps,
        cycles,
        distance: 1,
    })
}
