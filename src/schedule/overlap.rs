//! Invocations that overlap: of a kernel that is one block of scalars, the next may start before the last one is done.

use super::check;
use super::device::Device;
use super::{LeafSchedule, Schedule};
use crate::hwarith::graph::Op;
use crate::machine::program::{Leaf, Program};

/// Cycles between starts, at most; beyond, little is gained.
const MOST: u32 = 64;

/// Lets invocations start as often as the operators allow, if the program is such a block: its `ii` is the number of cycles
/// between their starts, and its arguments may change from the second cycle on.
pub fn run(program: &Program, schedule: &mut Schedule, device: &Device) {
    let Some(block) = program.only_block() else {
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

/// Only constants have their value in every cycle.
pub fn with_moving_arguments(leaf: &Leaf, mut schedule: LeafSchedule) -> LeafSchedule {
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
