//! Verifies a schedule from scratch: of the scheduler it shares the result, not the reasoning.
//!
//! Data order, carried values and loop ends follow from the graph; memory dependences are decided distance by
//! distance (`distance`), delays by all ways to cover gates with lookup tables (`chaining`), ports, shared operators
//! (`binding`) and depths by counting.

mod binding;
mod chaining;
mod distance;
mod releases;

use super::device::{Class, Device};
use super::{LeafSchedule, Schedule, Times, Variant};
use crate::hwarith::graph::{MemId, Op, VarId};
use crate::hwarith::{Graph, NodeId};
use crate::machine::depend;
use crate::machine::program::{Access, Leaf, Program};
use chaining::Chaining;
use std::collections::{BTreeMap, BTreeSet};

/// Rounding that sums of delays may differ by, in ns.
const TOLERANCE: f64 = 1e-6;

/// Checks the implementation of an operator at a clock period in ns.
pub fn unit(variant: &Variant, device: &Device, period: f64) -> Result<(), String> {
    check_unit(variant, device, super::budget(device, period))
}

/// Checks every unit and every leaf: operands before users, memory dependences at every distance, carried values,
/// the loop's end, ports, delays within the clock period, depths.
pub fn check(program: &Program, schedule: &Schedule, device: &Device) -> Result<(), String> {
    let budget = super::budget(device, schedule.period);
    for (unit, scheduled) in program.units.values().zip(schedule.units.values()) {
        for variant in scheduled.variants.iter().filter(|v| !v.is_foreign) {
            check_unit(variant, device, budget).map_err(|e| format!("unit {}: {e}", unit.name))?;
        }
    }
    binding::check(program, schedule, device)?;
    let demanded = program.demanded();
    for (index, scheduled) in schedule.leaves.iter() {
        let leaf = &program.leaves[index];
        let widths = &demanded[index];
        if scheduled.times.width != *widths {
            return Err(format!("{}: widths are not those demanded", leaf.label));
        }
        let called = |node| schedule.variant(program, index, node);
        let is_alone = program.only_block() == Some(index);
        check_leaf(program, (leaf, is_alone), scheduled, &called)
            .and_then(|()| {
                let chaining = Chaining::new(&leaf.graph, &scheduled.times, device, budget);
                chaining.check(&called, Some((program, leaf)))
            })
            .map_err(|e| format!("{}: {e}", leaf.label))?;
    }
    releases::check(program, schedule)
}

/// The operator that a node calls, as it is implemented; `None` for nodes that are no calls.
type Called<'v> = dyn Fn(NodeId) -> Option<&'v Variant> + 'v;

fn check_unit(unit: &Variant, device: &Device, budget: f64) -> Result<(), String> {
    let (graph, times) = (&unit.graph, &unit.times);
    for (step, times) in graph.steps.iter().zip(&unit.steps) {
        data_order(step, times, (&[], &no_loads, 1), &|_| None)?;
        stability(step, times, &BTreeSet::new())?;
        // Between the first state and the last one.
        let choice = |width| device.delay(Class::Mux, width);
        Chaining::new(step, times, device, budget)
            .behind(&choice)
            .check(&|_| None, None)
            .map_err(|e| format!("step: {e}"))?;
    }
    data_order(graph, times, (&step_cycles(unit), &no_loads, 1), &|_| None)?;
    stability(graph, times, &BTreeSet::new())?;
    let choice = |_| unit.shared.map_or(0.0, |shared| shared.choice_delay);
    Chaining::new(graph, times, device, budget)
        .behind(&choice)
        .with_steps(&unit.steps)
        .check(&|_| None, None)?;
    for (id, node) in graph.nodes.iter() {
        if let Op::Iterate { step, count } = node.op
            && count * step_cycles(unit)[step as usize] > unit.interval
        {
            return Err(format!("%{} is still busy at the next start", id.index()));
        }
    }
    let output = graph.outputs[0].index();
    // Beyond, there are registers.
    if unit.latency < times.ready[output] {
        return Err("its latency is not that of its output".into());
    }
    let is_last = unit.latency == times.ready[output];
    if is_last && times.arrival[output] > unit.output_delay + TOLERANCE {
        return Err("its output is later than it says".into());
    }
    for id in graph.nodes.ids().filter(|id| is_live(graph, times, *id)) {
        let i = id.index();
        let first = times.ready[i] == 0 && !times.stable[i];
        if first && times.arrival[i] > unit.input_delay + TOLERANCE {
            return Err(format!("%{i} is busy after the input's delay"));
        }
    }
    Ok(())
}

/// Cycles of one application of each step.
fn step_cycles(unit: &Variant) -> Vec<u32> {
    let steps = unit.graph.steps.iter().zip(&unit.steps);
    steps
        .map(|(step, times)| times.ready[step.outputs[0].index()] + 1)
        .collect()
}

/// Whether nothing is used twice at once: operators, whoever calls them, and ports of memories.
pub(super) fn resources(
    program: &Program,
    schedule: &Schedule,
    device: &Device,
) -> Result<(), String> {
    binding::check(program, schedule, device)?;
    for (index, scheduled) in schedule.leaves.iter() {
        let leaf = &program.leaves[index];
        restarts(leaf, scheduled, &|node| {
            schedule.variant(program, index, node)
        })?;
        ports(program, leaf, scheduled)?;
    }
    Ok(())
}

/// Each operator of a call's own is free when the next iteration calls it.
fn restarts(leaf: &Leaf, schedule: &LeafSchedule, called: &Called) -> Result<(), String> {
    for id in leaf.graph.nodes.ids() {
        if let (Some(ii), Some(variant)) = (schedule.ii, called(id))
            && is_live(&leaf.graph, &schedule.times, id)
            && variant.interval > ii
        {
            return Err(format!("%{} starts before it is free", id.index()));
        }
    }
    Ok(())
}

fn check_leaf(
    program: &Program,
    (leaf, is_alone): (&Leaf, bool),
    schedule: &LeafSchedule,
    called: &Called,
) -> Result<(), String> {
    let times = &schedule.times;
    let loads = |mem: MemId| program.mems[mem].latency();
    data_order(&leaf.graph, times, (&[], &loads, 0), called)?;
    restarts(leaf, schedule, called)?;
    stability(
        &leaf.graph,
        times,
        &leaf.writes.iter().map(|w| w.0).collect(),
    )?;
    match (&leaf.repeat, schedule.ii) {
        (None, None) => {}
        (None, Some(1..)) if is_alone => arguments_move(leaf, times)?,
        (Some(_), Some(1..)) => carried_values(leaf, schedule)?,
        _ => return Err("a loop needs an initiation interval, a block has none".into()),
    }
    dependences(leaf, schedule)?;
    ports(program, leaf, schedule)?;
    match schedule.depth >= least_depth(leaf, times) {
        true => Ok(()),
        false => Err("it ends before its last operation".into()),
    }
}

/// Whether somebody wants the node's value or effect.
fn is_live(graph: &Graph, times: &Times, id: NodeId) -> bool {
    times.width[id.index()] > 0 || matches!(graph.nodes[id].op, Op::Store(_))
}

/// Operators have none.
fn no_loads(_: MemId) -> u32 {
    1
}

fn data_order(
    graph: &Graph,
    times: &Times,
    (step_cycles, loads, tables): (&[u32], &dyn Fn(MemId) -> u32, u32),
    called: &Called,
) -> Result<(), String> {
    let Times { start, ready, .. } = times;
    for (id, node) in graph.nodes.iter() {
        let i = id.index();
        let latency = match node.op {
            Op::Table(_) => tables,
            Op::Load(mem) => loads(mem),
            Op::Call(_) if !is_live(graph, times, id) => ready[i] - start[i],
            Op::Call(_) => called(id).ok_or("a call in a unit")?.latency,
            Op::Iterate { step, count } => {
                let cycles = step_cycles.get(step as usize);
                count * cycles.ok_or("a step without cycles")?
            }
            _ => 0,
        };
        if ready[i] != start[i] + latency {
            return Err(format!("%{i} has the wrong latency"));
        }
        // The second operand of a phi comes from the iteration before.
        let mut operands = node.args.iter().filter(|_| node.op != Op::Phi);
        if operands.any(|a| ready[a.index()] > start[i]) {
            return Err(format!("%{i} starts before its operands"));
        }
        if matches!(node.op, Op::Input(_)) && start[i] != 0 {
            return Err(format!("%{i} is an operand that comes in cycle 0"));
        }
    }
    Ok(())
}

/// What counts as there in every cycle must be a constant, a var that nobody writes now, or wires of such.
fn stability(graph: &Graph, times: &Times, written: &BTreeSet<VarId>) -> Result<(), String> {
    for (id, node) in graph.nodes.iter() {
        let i = id.index();
        let may_be = match &node.op {
            Op::Const(_) => true,
            Op::Var(var) => !written.contains(var),
            Op::Cast | Op::Extract { .. } | Op::Concat => {
                node.args.iter().all(|a| times.stable[a.index()])
            }
            _ => false,
        };
        if times.stable[i] && !may_be {
            return Err(format!("%{i} changes during a run"));
        }
        // The register has its old value for certain only in the first cycle.
        if matches!(node.op, Op::Var(_)) && !times.stable[i] && times.start[i] != 0 {
            return Err(format!("%{i} is read after its var may have changed"));
        }
    }
    Ok(())
}

/// Where invocations overlap, the arguments are those of another one from the second cycle on.
fn arguments_move(leaf: &Leaf, times: &Times) -> Result<(), String> {
    for (id, node) in leaf.graph.nodes.iter() {
        if matches!(node.op, Op::Var(_)) && times.stable[id.index()] {
            return Err(format!("%{} changes while it is read", id.index()));
        }
    }
    Ok(())
}

fn carried_values(leaf: &Leaf, schedule: &LeafSchedule) -> Result<(), String> {
    let (Some(repeat), Some(ii)) = (&leaf.repeat, schedule.ii) else {
        return Ok(());
    };
    let times = &schedule.times;
    for phi in repeat.phis.iter().map(|phi| phi.node) {
        let [initial, next] = [0, 1].map(|i| leaf.graph.nodes[phi].args[i]);
        if times.width[phi.index()] > 0 && times.ready[initial.index()] > 0 {
            let phi = phi.index();
            return Err(format!(
                "carried value %{phi} begins with what is not there yet"
            ));
        }
        let (read, written) = (times.start[phi.index()], times.ready[next.index()]);
        if times.width[phi.index()] > 0 && read + ii < written + 1 {
            return Err(format!("carried value %{} is read too early", phi.index()));
        }
    }
    if ii > schedule.depth {
        return Err(
            "an iteration is over before the next can begin: the loop's end would not stop it"
                .into(),
        );
    }
    match times.ready[repeat.last.index()] < ii {
        true => Ok(()),
        false => Err("the loop's end is known too late".into()),
    }
}

/// Every two accesses of one memory, of which one writes, are a cycle apart in program order whenever they may meet.
fn dependences(leaf: &Leaf, schedule: &LeafSchedule) -> Result<(), String> {
    let start = |access: &Access| i64::from(schedule.times.start[access.node.index()]);
    let dims = leaf
        .repeat
        .as_ref()
        .map(|r| &r.dims[..])
        .unwrap_or_default();
    let trips: Vec<Option<u64>> = dims.iter().map(|d| d.trip).collect();
    let in_order = |first: &Access, second: &Access, least: i64| {
        // Iterations after which the second surely comes later.
        let lead = start(first) + 1 - start(second);
        let distances = match schedule.ii {
            Some(ii) => least..lead.max(0).div_euclid(i64::from(ii)) + 1,
            None => 0..1,
        };
        let ii = i64::from(schedule.ii.unwrap_or(0));
        let bypassed = |d: i64| d == 1 && first.is_store && second.bypassed;
        let promised = depend::promised(&leaf.promises, first, second, &trips);
        let excluded = |d: i64| match d {
            0 => !promised.same,
            d => promised.later.is_none_or(|least| d.unsigned_abs() < least),
        };
        for distance in distances.filter(|&d| ii * d < lead && !bypassed(d) && !excluded(d)) {
            if distance::may_meet(first, second, &trips, distance.unsigned_abs()) {
                return Err(format!(
                    "dependence %{} -> %{} over {distance} iterations violated",
                    first.node.index(),
                    second.node.index()
                ));
            }
        }
        Ok(())
    };
    for (i, a) in leaf.accesses.iter().enumerate() {
        for b in &leaf.accesses[i + 1..] {
            if a.mem == b.mem && (a.is_store || b.is_store) {
                in_order(a, b, 0)?;
                if schedule.ii.is_some() {
                    in_order(b, a, 1)?;
                }
            }
        }
    }
    Ok(())
}

fn ports(program: &Program, leaf: &Leaf, schedule: &LeafSchedule) -> Result<(), String> {
    let mut users: BTreeMap<(MemId, bool, u32, u32), usize> = BTreeMap::new();
    for (i, (access, &port)) in leaf.accesses.iter().zip(&schedule.ports).enumerate() {
        let mem = &program.mems[access.mem];
        let external = mem.place.is_outside();
        let cycle = schedule.times.start[access.node.index()];
        let slot = schedule.ii.map_or(cycle, |ii| cycle % ii);
        let key = (access.mem, access.is_store && !external, slot, port);
        let limit = match external || !access.is_store {
            true => mem.ports,
            false => 1,
        };
        if users.insert(key, i).is_some() || port >= limit {
            return Err(format!("port conflict at %{}", access.node.index()));
        }
    }
    match schedule.ports.len() == leaf.accesses.len() {
        true => Ok(()),
        false => Err("not every access has a port".into()),
    }
}

/// Cycles until every effect has happened and every value that is kept is there.
fn least_depth(leaf: &Leaf, times: &Times) -> u32 {
    let stores = leaf.accesses.iter().filter(|a| a.is_store);
    let stores = stores.map(|a| times.start[a.node.index()]);
    let writes = leaf.writes.iter().map(|w| times.ready[w.1.index()]);
    let repeat = leaf.repeat.iter();
    let phis = repeat
        .clone()
        .flat_map(|r| &r.phis)
        .filter(|p| times.width[p.node.index()] > 0);
    let phis = phis.flat_map(|phi| [phi.node, leaf.graph.nodes[phi.node].args[1]]);
    let phis = phis.map(|node| times.ready[node.index()]);
    let last = repeat.map(|r| times.ready[r.last.index()]);
    stores
        .chain(writes)
        .chain(phis)
        .chain(last)
        .max()
        .unwrap_or(0)
        + 1
}
