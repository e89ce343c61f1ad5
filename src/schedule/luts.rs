//! How gates share lookup tables: a chain of bitwise operations of few inputs is one table deep, not one a gate.
//!
//! Each node keeps a cut (Cong and Ding, FlowMap, 1994, for cuts of a mapped network): the values of which one table
//! computes a bit of it, and when the latest of them is there. A leaf is a node with a bit offset, so that a cut can
//! reach through extractions.

use crate::hwarith::graph::{Op, Predicate};
use crate::hwarith::{Graph, NodeId};

/// Inputs of a lookup table.
pub const INPUTS: u32 = 4;

/// The values that one table takes in for a bit of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cut {
    /// Nodes and bit offsets, the first `count` of them.
    leaves: [(u32, u32); INPUTS as usize],
    count: u8,
    /// Arrival of the latest leaf, in ns.
    base: f64,
}

impl Cut {
    fn leaves(&self) -> &[(u32, u32)] {
        &self.leaves[..usize::from(self.count)]
    }

    /// With one more leaf; `None` if there is no input left for it.
    fn with(mut self, leaf: (u32, u32)) -> Option<Cut> {
        if !self.leaves().contains(&leaf) {
            *self.leaves.get_mut(usize::from(self.count))? = leaf;
            self.count += 1;
        }
        Some(self)
    }
}

/// When the values are there that nodes read.
pub trait Arrivals {
    /// The cycle in which a node's result is there, ns into it, and its cut if it has one.
    fn of(&self, node: NodeId) -> (i64, f64, Option<Cut>);
}

/// The cut of a node, and when its operation can begin in `cycle`, given that its operands arrive at `offset`.
pub fn cut(
    graph: &Graph,
    id: NodeId,
    offset: f64,
    cycle: i64,
    arrivals: &impl Arrivals,
) -> (Option<Cut>, f64) {
    let node = &graph.nodes[id];
    if let Some(cut) = few_bits(graph, &node.op, &node.args, cycle, arrivals) {
        return (Some(cut), cut.base);
    }
    let operand = |arg: NodeId| operand(graph, arg, cycle, arrivals);
    match &node.op {
        op if is_gate(graph, op, &node.args) => {
            let cut = gate(graph, &node.args, cycle, arrivals);
            (Some(cut), cut.base)
        }
        // Wires, and complements that the next table takes in.
        Op::Not | Op::Cast => (Some(operand(node.args[0])), offset),
        Op::Extract { lo } => {
            let mut cut = operand(node.args[0]);
            let count = usize::from(cut.count);
            cut.leaves[..count].iter_mut().for_each(|leaf| leaf.1 += lo);
            (Some(cut), offset)
        }
        // The same bit many times over.
        Op::Concat
            if graph.width(node.args[0]) == 1 && node.args.iter().all(|a| *a == node.args[0]) =>
        {
            (Some(operand(node.args[0])), offset)
        }
        _ => (None, offset),
    }
}

/// The merged cut of a gate's operands: of each what its own table takes in, or, where that has too many leaves, of some of
/// them the operand itself, such that the latest leaf is there as soon as possible.
fn gate(graph: &Graph, args: &[NodeId], cycle: i64, arrivals: &impl Arrivals) -> Cut {
    // A gate has three operands at most: as leaves they fit.
    let mut cuts = [[Cut::default(); 2]; 3];
    for (cuts, &arg) in cuts.iter_mut().zip(args) {
        *cuts = [
            operand(graph, arg, cycle, arrivals),
            leaf(graph, arg, cycle, arrivals),
        ];
    }
    let merge = |kept: usize| {
        let mut operands = cuts[..args.len()].iter().enumerate();
        operands.try_fold(Cut::default(), |merged, (i, ways)| {
            let cut = &ways[kept >> i & 1];
            let base = merged.base.max(cut.base);
            let leaves = cut.leaves().iter();
            let merged = leaves.copied().try_fold(merged, Cut::with)?;
            Some(Cut { base, ..merged })
        })
    };
    merge(0).unwrap_or_else(|| {
        let choices = (1..1 << args.len()).filter_map(merge);
        let sooner = |a: &Cut, b: &Cut| a.base.total_cmp(&b.base).then(a.count.cmp(&b.count));
        choices.min_by(sooner).unwrap_or_default()
    })
}

/// The cut of a comparison of a few bits with a constant, which is one table; `None` for others.
fn few_bits(
    graph: &Graph,
    op: &Op,
    args: &[NodeId],
    cycle: i64,
    arrivals: &impl Arrivals,
) -> Option<Cut> {
    let (Op::Icmp(Predicate::Eq | Predicate::Ne), &[a, b]) = (op, args) else {
        return None;
    };
    let arg = match (graph.as_const(a), graph.as_const(b)) {
        (None, Some(_)) => a,
        (Some(_), None) => b,
        _ => return None,
    };
    let width = graph.width(arg);
    if width > INPUTS {
        return None;
    }
    let wires = operand(graph, arg, cycle, arrivals);
    let source = match wires.count {
        1 => wires,
        _ => leaf(graph, arg, cycle, arrivals),
    };
    let (node, lo) = source.leaves[0];
    let bits = (0..width).try_fold(Cut::default(), |cut, i| cut.with((node, lo + i)))?;
    Some(Cut {
        base: source.base,
        ..bits
    })
}

fn operand(graph: &Graph, arg: NodeId, cycle: i64, arrivals: &impl Arrivals) -> Cut {
    match arrivals.of(arg) {
        (ready, _, Some(cut)) if ready == cycle => cut,
        _ => leaf(graph, arg, cycle, arrivals),
    }
}

fn leaf(graph: &Graph, arg: NodeId, cycle: i64, arrivals: &impl Arrivals) -> Cut {
    if graph.as_const(arg).is_some() {
        return Cut::default();
    }
    let (ready, arrival, _) = arrivals.of(arg);
    let mut cut = Cut::default();
    cut.leaves[0] = (arg.index() as u32, 0);
    cut.count = 1;
    cut.base = if ready == cycle { arrival } else { 0.0 };
    cut
}

/// Operations of which each result bit depends on one bit of each operand.
fn is_gate(graph: &Graph, op: &Op, args: &[NodeId]) -> bool {
    match op {
        Op::And | Op::Or | Op::Xor | Op::Mux => true,
        Op::Icmp(Predicate::Eq | Predicate::Ne) => args.iter().all(|&a| graph.width(a) == 1),
        _ => false,
    }
}
