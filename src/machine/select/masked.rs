//! Carried sums that are added to under a condition: what is added is chosen, not the sum, so that nothing follows the adder on
//! the way to the next iteration.
//!
//! `c ? t + x : t` is `t + (c ? x : -0)` in every rounding mode to nearest (IEEE 754-2019, section 6.3), unless `t` is a NaN that
//! came from outside, whose bits a sum would not keep.

use super::cycles::Cycles;
use crate::hwarith::graph::{Graph, Node, NodeId, Op};
use crate::ir::FloatFormat;
use crate::machine::program::Leaf;
use num_bigint::BigInt;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

/// Nodes that are sums, carried values, or choices between them, with their formats.
pub(super) type Formats = BTreeMap<NodeId, FloatFormat>;

/// What is added to a sum at one place.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Addend {
    /// A float.
    Value(NodeId),
    /// Nothing, which is -0.
    Nothing,
    /// The first under a condition, else the second.
    Choice(NodeId, Box<[Addend; 2]>),
}

/// A carried value with what is added to it, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Masked {
    pub(super) total: NodeId,
    pub(super) addends: Vec<Addend>,
}

/// Choices between sums, as sums of choices.
#[derive(Default)]
pub(super) struct MaskedSums {
    /// By choice.
    pub(super) choices: BTreeMap<NodeId, Masked>,
    /// Sums and choices that nothing needs then.
    pub(super) replaced: BTreeSet<NodeId>,
}

/// Finds them among the carried sums of a leaf, outermost choices first.
pub(super) fn find(leaf: &Leaf, formats: &Formats) -> MaskedSums {
    let mut found = MaskedSums::default();
    let graph = &leaf.graph;
    let is_choice = |id: &&NodeId| graph.nodes[**id].op == Op::Mux;
    let choices: Vec<NodeId> = formats.keys().filter(is_choice).copied().collect();
    if choices.is_empty() {
        return found;
    }
    let mut finder = Finder {
        graph,
        formats,
        uses: uses(leaf, formats),
        canonical: canonical(graph, formats),
        phis: leaf.phis().map(|phi| phi.node).collect(),
        cycles: OnceCell::new(),
        visited: Vec::new(),
    };
    for &choice in choices.iter().rev() {
        if found.replaced.contains(&choice) {
            continue;
        }
        if let Some(masked) = finder.masked(choice) {
            let visited = finder.visited.iter().filter(|id| **id != choice);
            found.replaced.extend(visited);
            found.choices.insert(choice, masked);
        }
    }
    found
}

/// How often each carried sum is used.
fn uses(leaf: &Leaf, formats: &Formats) -> BTreeMap<NodeId, u32> {
    let mut uses = BTreeMap::new();
    let args = leaf.graph.nodes.iter().flat_map(|(_, node)| &node.args);
    let written = leaf.writes.iter().map(|(_, node)| node);
    for id in args.chain(written).filter(|id| formats.contains_key(id)) {
        *uses.entry(*id).or_default() += 1;
    }
    uses
}

/// Nodes that are known to be no NaN but the canonical one: carried sums are, and what is chosen from them and such constants.
fn canonical(graph: &Graph, formats: &Formats) -> BTreeSet<NodeId> {
    // Phis are, until something that they take is found not to be.
    let mut refuted: BTreeSet<NodeId> = BTreeSet::new();
    loop {
        let mut found = BTreeSet::new();
        for (&id, &format) in formats {
            let Node { op, args, .. } = &graph.nodes[id];
            let holds = match op {
                Op::Phi => !refuted.contains(&id),
                Op::Mux => args[1..]
                    .iter()
                    .all(|&arg| is_in(&found, graph, arg, format)),
                _ => true,
            };
            if holds {
                found.insert(id);
            }
        }
        let before = refuted.len();
        for (&id, &format) in formats {
            let Node { op, args, .. } = &graph.nodes[id];
            if *op == Op::Phi && !args.iter().all(|&arg| is_in(&found, graph, arg, format)) {
                refuted.insert(id);
            }
        }
        if refuted.len() == before {
            return found;
        }
    }
}

/// Whether a node is among these, or a constant that is no NaN but the canonical one.
fn is_in(found: &BTreeSet<NodeId>, graph: &Graph, id: NodeId, format: FloatFormat) -> bool {
    let is_canonical = |bits: BigInt| {
        let magnitude = &bits & ((BigInt::from(1) << (format.exp + format.frac)) - 1);
        let infinity: BigInt = ((BigInt::from(1) << format.exp) - 1) << format.frac;
        magnitude <= infinity || bits == format.nan().into()
    };
    found.contains(&id) || bits_of(graph, id).is_some_and(is_canonical)
}

/// The bits of a constant, which may be shorter than its use.
fn bits_of(graph: &Graph, id: NodeId) -> Option<BigInt> {
    let Node { op, args, ty, .. } = &graph.nodes[id];
    match op {
        Op::Const(bits) => Some(ty.wrap(bits)),
        Op::Cast => bits_of(graph, args[0]).map(|bits| ty.wrap(&bits)),
        _ => None,
    }
}

struct Finder<'a> {
    graph: &'a Graph,
    formats: &'a Formats,
    uses: BTreeMap<NodeId, u32>,
    canonical: BTreeSet<NodeId>,
    phis: Vec<NodeId>,
    /// Found when somebody asks, since few choices are sums.
    cycles: OnceCell<Cycles>,
    /// What the last search went through.
    visited: Vec<NodeId>,
}

impl Finder<'_> {
    /// A choice as a sum, where that is one.
    fn masked(&mut self, choice: NodeId) -> Option<Masked> {
        let sides = &self.graph.nodes[choice].args[1..];
        let sums = sides.iter().filter(|id| {
            self.formats.contains_key(id) && matches!(self.graph.nodes[**id].op, Op::Call(_))
        });
        let operands = sums.flat_map(|id| &self.graph.nodes[*id].args);
        let totals: BTreeSet<NodeId> = sides.iter().chain(operands).copied().collect();
        totals.into_iter().find_map(|total| {
            if !self.canonical.contains(&total) {
                return None;
            }
            self.visited.clear();
            let addends = self.choice(choice, total)?;
            let nodes = self.visited.iter().map(|id| &self.graph.nodes[*id]);
            let mut choices = nodes.filter(|node| node.op == Op::Mux);
            let cycles = || Cycles::new(self.graph, &self.phis);
            let cycles = self.cycles.get_or_init(cycles);
            let late = choices.any(|node| cycles.contain(node.args[0], choice));
            (!addends.is_empty() && !late).then_some(Masked { total, addends })
        })
    }

    /// What a node adds to `total`, where nothing else uses what it adds to it.
    fn addends(&mut self, id: NodeId, total: NodeId) -> Option<Vec<Addend>> {
        if id == total {
            return Some(Vec::new());
        }
        if self.uses.get(&id) != Some(&1) {
            return None;
        }
        match (&self.graph.nodes[id].op, &self.graph.nodes[id].args[..]) {
            (Op::Mux, _) => self.choice(id, total),
            (Op::Call(_), &[a, b]) => {
                let before = self.visited.len();
                let (mut addends, addend) = match self.addends(a, total) {
                    Some(addends) => (addends, b),
                    None => {
                        self.visited.truncate(before);
                        (self.addends(b, total)?, a)
                    }
                };
                self.visited.push(id);
                addends.push(Addend::Value(addend));
                Some(addends)
            }
            _ => None,
        }
    }

    /// What a choice adds to `total`: where one side adds less often, it adds nothing at the end.
    fn choice(&mut self, id: NodeId, total: NodeId) -> Option<Vec<Addend>> {
        let &[condition, a, b] = &self.graph.nodes[id].args[..] else {
            return None;
        };
        let [mut a, mut b] = [self.addends(a, total)?, self.addends(b, total)?];
        let count = a.len().max(b.len());
        a.resize(count, Addend::Nothing);
        b.resize(count, Addend::Nothing);
        self.visited.push(id);
        let pairs = a.into_iter().zip(b);
        let choices = pairs.map(|pair| Addend::Choice(condition, Box::new(pair.into())));
        Some(choices.collect())
    }
}
