//! Invocations that overlap: of a kernel that is one block of scalars, the next may start before the last one is done.

use super::check;
use super::device::Device;
use super::{LeafSchedule, Schedule};
use crate::hwarith::graph::Op;
use crate::machine::program::{Leaf, LeafId, Place, PortRef, Program, Region};

/// Cycles between starts, at most; beyond, little is gained.
const MOST: u32 = 64;

/// Lets invocations start as often as the operators allow, if the program is such a block: its `ii` is the number of cycles
/// between their starts, and its arguments may change from the second cycle on.
pub fn run(program: &Program, schedule: &mut Schedule, device: &Device) {
    let Some(block) = only_block(program) else {
        return;
    };
    let leaf = &program.leaves[block];
    let before = schedule.leaves[block].clone();
    let most = before.depth.min(MOST);
    schedule.leaves[block] = with_moving_arguments(leaf, before.clone());
    for interval in 1..=most {
        schedule.leaves[block].ii = Some(interval);
        if check::resources(program, schedule, device).is_ok() {
            return;
        }
    }
    schedule.leaves[block] = before;
}

/// The block that all of a program is, if it works on scalars and tables alone.
pub fn only_block(program: &Program) -> Option<LeafId> {
    let is_scalar = |port: &PortRef| matches!(port, PortRef::Scalar { .. });
    let ports = program.args.iter().chain(&program.returns);
    let is_table = |place: &Place| matches!(place, Place::Rom(_));
    if !ports.into_iter().all(is_scalar) || !program.mems.values().all(|mem| is_table(&mem.place)) {
        return None;
    }
    let mut leaves = Vec::new();
    gather(&program.root, &mut leaves)?;
    match leaves[..] {
        [only] if program.leaves[only].repeat.is_none() => Some(only),
        _ => None,
    }
}

/// The leaves that follow one another; `None` if there is something else.
fn gather(region: &Region, leaves: &mut Vec<LeafId>) -> Option<()> {
    match region {
        Region::Leaf(leaf) => leaves.push(*leaf),
        Region::Seq(parts) => parts.iter().try_for_each(|part| gather(part, leaves))?,
        Region::If { .. } | Region::Repeat { .. } => return None,
    }
    Some(())
}

/// Only constants have their value in every cycle.
fn with_moving_arguments(leaf: &Leaf, mut schedule: LeafSchedule) -> LeafSchedule {
    for (id, node) in leaf.graph.nodes.iter() {
        let mut args = node.args.iter();
        let is_constant = match node.op {
            Op::Const(_) => true,
            Op::Cast | Op::Extract { .. } | Op::Concat => {
                args.all(|arg| schedule.times.stable[arg.index()])
            }
            _ => false,
        };
        schedule.times.stable[id.index()] &= is_constant;
    }
    schedule
}
