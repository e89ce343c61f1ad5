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
    /// Nodes, and in the low half bit offsets; the first `count` of them.
    leaves: [u64; INPUTS as usize],
    count: u8,
    /// Arrival of the latest leaf, in ns.
    base: f64,
}

impl Cut {
    #[inline]
    fn leaves(&self) -> &[u64] {
        &self.leaves[..usize::from(self.count)]
    }

    /// Takes in one more leaf; whether there is an input left for it.
    #[inline]
    fn add(&mut self, leaf: u64) -> bool {
        if self.leaves().contains(&leaf) {
            return true;
        }
        match self.leaves.get_mut(usize::from(self.count)) {
            Some(free) => {
                *free = leaf;
                self.count += 1;
                true
            }
            None => false,
        }
    }

    /// The values that cuts take in together; `None` where those are too many.
    #[inline]
    fn merged<'a>(cuts: impl Iterator<Item = &'a Cut>) -> Option<Cut> {
        let mut all = Cut::default();
        for cut in cuts {
            if !cut.leaves().iter().all(|&leaf| all.add(leaf)) {
                return None;
            }
            all.base = all.base.max(cut.base);
        }
        Some(all)
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
            let lo = u64::from(*lo);
            cut.leaves[..count].iter_mut().for_each(|leaf| *leaf += lo);
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
    let cuts = &cuts[..args.len()];
    let ways = |kept: usize| (cuts.iter().enumerate()).map(move |(i, ways)| &ways[kept >> i & 1]);
    if let Some(all) = Cut::merged(ways(0)) {
        return all;
    }
    let mut best: Option<Cut> = None;
    let is_leaf = |kept: usize| {
        (cuts.iter().enumerate()).any(|(i, [cut, leaf])| kept >> i & 1 == 1 && cut == leaf)
    };
    for kept in (1..1 << args.len()).filter(|&kept| !is_leaf(kept)) {
        let base = ways(kept).fold(0.0, |base, cut| cut.base.max(base));
        if best.is_some_and(|best| base > best.base) {
            continue;
        }
        let sooner =
            |cut: &Cut| best.is_none_or(|best| (base, cut.count) < (best.base, best.count));
        best = Cut::merged(ways(kept)).filter(sooner).or(best);
    }
    best.unwrap_or_default()
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
    let lowest = source.leaves[0];
    let mut bits = Cut {
        base: source.base,
        ..Cut::default()
    };
    (0..width)
        .all(|i| bits.add(lowest + u64::from(i)))
        .then_some(bits)
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
    cut.leaves[0] = (arg.index() as u64) << 32;
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
