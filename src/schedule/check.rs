//! Verifies a schedule from scratch, without the solver's data structures.

use super::depend::{self, Dependence};
use super::{LeafSchedule, Schedule, Times, UnitSchedule};
use crate::hwarith::graph::{MemId, Op};
use crate::hwarith::program::{Leaf, Place, Program};
use crate::hwarith::{Graph, NodeId};
use std::collections::BTreeMap;

/// Checks data order, memory dependences, carried values, ports and the loop's end of every leaf.
pub fn check(program: &Program, schedule: &Schedule) -> Result<(), String> {
    for (unit, times) in program.units.iter().zip(&schedule.units) {
        for variant in &times.variants {
            data_order(&variant.graph, &variant.times, |_| 0)
                .map_err(|e| format!("unit {}: {e}", unit.name))?;
        }
    }
    for (leaf, times) in program.leaves.iter().zip(&schedule.leaves) {
        check_leaf(program, leaf, times, &schedule.units)
            .map_err(|e| format!("{}: {e}", leaf.label))?;
    }
    Ok(())
}

fn check_leaf(
    program: &Program,
    leaf: &Leaf,
    schedule: &LeafSchedule,
    units: &[UnitSchedule],
) -> Result<(), String> {
    let times = &schedule.times;
    let called = |id: NodeId| match leaf.graph().nodes[id].op {
        Op::Call(unit) => {
            Some(&units[unit.0 as usize].variants[schedule.variants[id.index()] as usize])
        }
        _ => None,
    };
    data_order(leaf.graph(), times, |id| {
        called(id).map_or(0, |v| v.latency)
    })?;
    let ii = u64::from(schedule.ii.unwrap_or(0));
    for id in leaf.graph().nodes.ids() {
        if let (Some(ii), Some(variant)) = (schedule.ii, called(id))
            && variant.interval > ii
        {
            return Err(format!("%{} starts too often", id.index()));
        }
    }
    for Dependence { from, to, distance } in depend::dependences(leaf) {
        let (a, b) = (times.start[from.index()], times.start[to.index()]);
        if u64::from(b) + ii.saturating_mul(distance) < u64::from(a) + 1 {
            return Err(format!(
                "dependence %{} -> %{} violated",
                from.index(),
                to.index()
            ));
        }
    }
    if let (Some(repeat), Some(ii)) = (&leaf.repeat, schedule.ii) {
        for &(phi, _) in &repeat.phis {
            let next = leaf.graph().nodes[phi].args[1];
            let (read, written) = (times.start[phi.index()], times.ready[next.index()]);
            let alive = times.width[phi.index()] > 0;
            if alive && read + ii < written + 1 {
                return Err(format!("carried value %{} is read too early", phi.index()));
            }
        }
        if times.ready[repeat.last.index()] >= ii {
            return Err("the loop's end is known too late".into());
        }
    }
    ports(program, leaf, schedule)
}

/// `called` is the latency of the operator that a node calls.
fn data_order(graph: &Graph, times: &Times, called: impl Fn(NodeId) -> u32) -> Result<(), String> {
    let (start, ready) = (&times.start, &times.ready);
    for (id, node) in graph.nodes.iter() {
        let latency = match node.op {
            Op::Load(_) => 1,
            Op::Call(_) => called(id),
            Op::Iterate { count, .. } => count,
            _ => 0,
        };
        if ready[id.index()] != start[id.index()] + latency {
            return Err(format!("%{} has the wrong latency", id.index()));
        }
        let late = node
            .args
            .iter()
            .any(|a| node.op != Op::Phi && ready[a.index()] > start[id.index()]);
        if late {
            return Err(format!("%{} starts before its operands", id.index()));
        }
    }
    Ok(())
}

fn ports(program: &Program, leaf: &Leaf, schedule: &LeafSchedule) -> Result<(), String> {
    let mut users: BTreeMap<(MemId, bool, u32, u32), usize> = BTreeMap::new();
    for (i, (access, &port)) in leaf.accesses.iter().zip(&schedule.ports).enumerate() {
        let external = program.mems[access.mem.0 as usize].place == Place::External;
        let cycle = schedule.times.start[access.node.index()];
        let slot = schedule.ii.map_or(cycle, |ii| cycle % ii);
        let key = (access.mem, access.is_store && !external, slot, port);
        let limit = if external || !access.is_store { 2 } else { 1 };
        if users.insert(key, i).is_some() || port >= limit {
            return Err(format!("port conflict at %{}", access.node.index()));
        }
    }
    Ok(())
}
