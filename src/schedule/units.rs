//! Schedules of operators: pipelined, and, where steps are iterated, rolled into a loop of a register.

use super::device::Device;
use super::solver::{Problem, step_delay};
use super::{Times, UnitSchedule, Variant};
use crate::hwarith::graph::Op;
use crate::hwarith::{Graph, NodeId, iterate};

/// Bits of unrolled steps from which an operator is not pipelined.
const MAX_UNROLLED: u64 = 20_000;

/// The implementations of an operator; `None` if it has none.
pub fn schedule(graph: &Graph, device: &Device, budget: f64) -> Option<UnitSchedule> {
    let mut variants = Vec::new();
    let iterates = graph.nodes.iter().any(|(_, n)| is_iterate(&n.op));
    if !iterates {
        variants.push(variant(graph.clone(), device, budget)?);
    } else {
        if iterate::unrolled_size(graph) <= MAX_UNROLLED {
            variants.push(variant(iterate::unrolled(graph), device, budget)?);
        }
        let rolled = iterate::rolled(graph, |step| steps_per_cycle(step, device, budget));
        let rolled = variant(rolled, device, budget)?;
        if rolled.interval > 1 || variants.is_empty() {
            variants.push(rolled);
        }
    }
    Some(UnitSchedule { variants })
}

fn is_iterate(op: &Op) -> bool {
    matches!(op, Op::Iterate { .. })
}

/// Applications of a step that fit into a cycle; one if none does.
fn steps_per_cycle(step: &Graph, device: &Device, budget: f64) -> u32 {
    let fits = |count: &u32| step_delay(&iterate::composed(step, *count), device) <= budget;
    (2..).take_while(fits).last().unwrap_or(1)
}

fn variant(graph: Graph, device: &Device, budget: f64) -> Option<Variant> {
    let roots: Vec<(NodeId, u32)> = graph.outputs.iter().map(|&o| (o, u32::MAX)).collect();
    let width = crate::hwarith::demand::demanded(&graph, &roots, None);
    let mut problem = Problem::new(&graph, width, device, budget);
    let times = problem.solve().ok()?;
    let output = graph.outputs[0].index();
    let busy = graph.nodes.iter().map(|(_, node)| match node.op {
        Op::Iterate { count, .. } => count,
        _ => 1,
    });
    Some(Variant {
        interval: busy.max().unwrap_or(1),
        latency: times.ready[output],
        input_delay: first_stage_delay(&graph, &times, device).min(budget),
        output_delay: times.arrival[output],
        times,
        graph,
    })
}

/// Longest time of cycle 0 in which something that depends on an input is still busy.
fn first_stage_delay(graph: &Graph, times: &Times, device: &Device) -> f64 {
    let arrival = |id: NodeId| {
        let i = id.index();
        let busy = times.width[i] > 0 && times.ready[i] == 0 && !times.stable[i];
        if busy { times.arrival[i] } else { 0.0 }
    };
    let delays = graph.nodes.iter().map(|(id, node)| match node.op {
        Op::Iterate { step, .. } if times.start[id.index()] == 0 => {
            let operands = node.args.iter().map(|&a| arrival(a)).fold(0.0, f64::max);
            operands + step_delay(&graph.steps[step as usize], device)
        }
        _ => arrival(id),
    });
    delays.fold(0.0, f64::max)
}
