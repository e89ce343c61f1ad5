//! Fits the graphs of a program to a device: what is wider than its blocks, or longer than a cycle, is split.

use super::program::{Leaf, Program, Unit};
use super::recurrence::waited_for;
use crate::diagnostics::Diagnostics;
use crate::hwarith::equal::{self, Context, Difference, Pair};
use crate::hwarith::graph::UnitId;
use crate::hwarith::split::{self, Limits, ROUNDS, is_too_wide, rebuild, split_pure};
use crate::hwarith::{Graph, NodeId};
use crate::memo::Memo;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

/// Whether a rewrite is compared with what was there before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// It is, for whatever is written.
    Compared,
    /// Not in a release build: the program is one that is forecast only.
    Believed,
}

/// Splits what is too wide in all leaves and operator modules. Where that would change a value, nothing is split, and
/// `warnings` says so.
pub fn fit(program: &mut Program, limits: Limits, trust: Trust, warnings: &mut Diagnostics) {
    let is_compared = trust == Trust::Compared || cfg!(debug_assertions);
    fit_units(program, limits, warnings);
    for _ in 0..ROUNDS {
        let demanded = program.demanded();
        let mut changed = false;
        for (id, widths) in demanded.iter() {
            if !is_too_wide(&program.leaves[id].graph, widths, limits) {
                continue;
            }
            let split = split_leaf(&program.leaves[id], widths, limits);
            let compare = || leaf_difference(program, &program.leaves[id], &split, widths);
            let difference = is_compared.then(compare).flatten();
            let split = equal::kept(REWRITE, None, Some(split.leaf), difference, warnings);
            changed |= split.is_some();
            if let Some(leaf) = split {
                program.leaves[id] = leaf;
            }
        }
        if !changed {
            break;
        }
    }
}

/// Splits what is too wide in operator modules. Products take longer for fewer blocks where no recurrence waits for them.
fn fit_units(program: &mut Program, limits: Limits, warnings: &mut Diagnostics) {
    let fit_graph = |name: &str, graph: &Graph, saves_blocks: bool| {
        let name = format!("{name} {limits:?} {saves_blocks}");
        let is_it = |fitted: &Fitted| fitted.whole == *graph;
        UNITS.get(&name, is_it, || {
            fit_unit(graph.clone(), limits, saves_blocks)
        })
    };
    let fit = |unit: &Unit, saves_blocks: bool| fit_graph(&unit.name, &unit.graph, saves_blocks);
    let units = program.units.iter();
    let mut fitted: BTreeMap<UnitId, Arc<Fitted>> =
        units.map(|(id, unit)| (id, fit(unit, true))).collect();
    let saving = fitted.iter().filter(|(_, fitted)| fitted.saves_blocks);
    let saving: BTreeSet<UnitId> = saving.map(|(id, _)| *id).collect();
    for id in in_recurrences(program, &saving) {
        fitted.insert(id, fit(&program.units[id], false));
    }
    for unit in program.units.values_mut() {
        if let Some(fast) = &mut unit.fast {
            let fitted = fit_graph(&format!("{}_fast", unit.name), fast, false);
            *fast = fitted.graph.clone();
            warnings.0.extend_from_slice(&fitted.warnings.0);
        }
    }
    for (id, fitted) in fitted {
        program.units[id].graph = fitted.graph.clone();
        warnings.0.extend_from_slice(&fitted.warnings.0);
    }
}

/// Those of some operator modules that a recurrence goes through.
fn in_recurrences(program: &Program, some: &BTreeSet<UnitId>) -> BTreeSet<UnitId> {
    let mut found = BTreeSet::new();
    for leaf in program.leaves.values().filter(|leaf| leaf.repeat.is_some()) {
        let within = waited_for(leaf, |unit| some.contains(&unit));
        found.extend(within.into_iter().map(|(_, unit)| unit));
    }
    found
}

/// By name and limits: operator modules that were fitted.
static UNITS: LazyLock<Memo<Fitted>> = LazyLock::new(Memo::default);

/// An operator module before and after, with what was said of it.
struct Fitted {
    whole: Graph,
    graph: Graph,
    warnings: Diagnostics,
    /// Whether a product takes longer for fewer blocks.
    saves_blocks: bool,
}

fn fit_unit(whole: Graph, limits: Limits, saves_blocks: bool) -> Fitted {
    let mut warnings = Diagnostics::default();
    let mut graph = whole.clone();
    let saves_blocks = saves_blocks && split::saves_blocks(&whole, limits);
    if split_pure(&mut graph, limits, saves_blocks) {
        let difference = equal::output_difference(&whole, &graph);
        graph = equal::kept(REWRITE, whole.clone(), graph, difference, &mut warnings);
    }
    Fitted {
        whole,
        graph,
        warnings,
        saves_blocks,
    }
}

/// What warnings call the rewrite.
const REWRITE: &str = "split";

/// A leaf after a rewrite, and where its nodes are now.
pub(super) struct Rewritten {
    pub(super) leaf: Leaf,
    pub(super) map: Vec<NodeId>,
}

/// What a rewrite changed of what a leaf hands on.
pub(super) fn leaf_difference(
    program: &Program,
    before: &Leaf,
    after: &Rewritten,
    widths: &[u32],
) -> Option<Difference> {
    let now = |node: NodeId| after.map[node.index()];
    let phis = before.phis();
    let phis: Vec<_> = phis
        .map(|phi| (phi.node, now(phi.node), &phi.range))
        .collect();
    // Registers, ends and next values, then what stores hand to memories.
    let registers = before.writes.iter().map(|write| write.1);
    let ends = before.repeat.iter().map(|repeat| repeat.last);
    let next = phis.iter().map(|phi| before.graph.nodes[phi.0].args[1]);
    let stores = before.accesses.iter().filter(|access| access.is_store);
    let stored = stores.flat_map(|access| before.graph.nodes[access.node].args.iter().copied());
    let roots = registers.chain(ends).chain(next).chain(stored);
    let pairs: Vec<Pair> = roots
        .map(|node| Pair {
            before: node,
            after: now(node),
            bits: widths[node.index()],
        })
        .collect();
    let context = Context {
        memories: Some(program),
        phis: &phis,
        iterate: false,
    };
    equal::difference(&before.graph, &after.leaf.graph, &pairs, context)
}

fn split_leaf(leaf: &Leaf, widths: &[u32], limits: Limits) -> Rewritten {
    let phis = leaf.phis();
    let ranges = phis.map(|phi| (phi.node, &phi.range)).collect();
    // Proofs of kernels follow schoolbook.
    let (builder, map) = rebuild(&leaf.graph, widths, limits, &ranges, false);
    let leaf = leaf.moved_to(builder.graph, &map);
    Rewritten { leaf, map }
}
