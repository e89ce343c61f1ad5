//! Fits the graphs of a program to a device: what is wider than its blocks, or longer than a cycle, is split.

use super::program::{Leaf, Program};
use crate::hwarith::NodeId;
use crate::hwarith::split::{Limits, ROUNDS, is_too_wide, rebuild, split_pure};

/// Splits what is too wide in all leaves and operator modules.
pub fn fit(program: &mut Program, limits: Limits) {
    for unit in program.units.values_mut() {
        split_pure(&mut unit.graph, limits);
    }
    for _ in 0..ROUNDS {
        let demanded = program.demanded();
        let leaves = program.leaves.values_mut().zip(demanded.values());
        let wide = leaves.filter(|(leaf, widths)| is_too_wide(&leaf.graph, widths, limits));
        let split = wide.map(|(leaf, widths)| split_leaf(leaf, widths, limits));
        if split.count() == 0 {
            break;
        }
    }
}

fn split_leaf(leaf: &mut Leaf, widths: &[u32], limits: Limits) {
    let phis = leaf.repeat.iter().flat_map(|repeat| &repeat.phis);
    let ranges = phis.map(|phi| (phi.node, &phi.range)).collect();
    let (builder, map) = rebuild(&leaf.graph, widths, limits, &ranges);
    leaf.graph = builder.graph;
    let new = |id: &mut NodeId| *id = map[id.index()];
    leaf.writes.iter_mut().for_each(|(_, node)| new(node));
    leaf.accesses.iter_mut().for_each(|a| new(&mut a.node));
    if let Some(repeat) = &mut leaf.repeat {
        repeat.phis.iter_mut().for_each(|phi| new(&mut phi.node));
        new(&mut repeat.last);
    }
}
