//! Sums within recurrences: what does not depend on an earlier iteration is summed up first, the term that an iteration waits
//! for longest is added last.
//!
//! Numbers are exact, so any order gives the same one (tree height reduction; Kuck, The Structure of Computers and
//! Computations, 1978, section 2.2).

use super::fit::{Rewritten, leaf_difference};
use super::program::{Leaf, LeafId, Program};
use super::recurrence::{components, users};
use crate::diagnostics::Diagnostics;
use crate::hash::FastMap;
use crate::hwarith::builder::{Builder, replayed};
use crate::hwarith::equal;
use crate::hwarith::graph::{Node, Op};
use crate::hwarith::interval::Interval;
use crate::hwarith::{Graph, NodeId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

/// Nodes looked at for all sums of a leaf, at most.
const BUDGET: usize = 4_000_000;

/// Regroups the sums of all loops. Where that would change a value, nothing is, and `warnings` says so.
pub fn run(program: &mut Program, warnings: &mut Diagnostics) {
    let loops = program
        .leaves
        .iter()
        .filter(|(_, leaf)| leaf.repeat.is_some());
    let promising = loops.filter(|(_, leaf)| !plans(leaf, &|_| true).is_empty());
    let promising: Vec<LeafId> = promising.map(|(id, _)| id).collect();
    if promising.is_empty() {
        return;
    }
    let demanded = program.demanded();
    for id in promising {
        let widths = &demanded[id];
        let plans = surely(&program.leaves[id], widths);
        if plans.is_empty() {
            continue;
        }
        let rewritten = regrouped(&program.leaves[id], widths, &plans);
        let difference = leaf_difference(program, &program.leaves[id], &rewritten, widths);
        let kept = equal::kept("regroup", None, Some(rewritten.leaf), difference, warnings);
        if let Some(leaf) = kept {
            program.leaves[id] = leaf;
        }
    }
}

/// A term of a sum, and whether it is subtracted.
type Term = (NodeId, bool);

/// By the node of a sum its terms in the order in which they are added.
type Plans = BTreeMap<NodeId, Plan>;

struct Plan {
    /// Those that depend on no earlier iteration.
    first: Vec<Term>,
    /// One after the other.
    then: Vec<Term>,
}

/// The plans for sums whose parts keep their values where they are cast.
fn surely(leaf: &Leaf, widths: &[u32]) -> Plans {
    let (builder, map) = replayed(&leaf.graph, widths, &ranges(leaf), |_, _, _| None);
    let fits = |cast: NodeId| {
        let Node { args, ty, .. } = &leaf.graph.nodes[cast];
        builder.range(map[args[0].index()]).fits(*ty)
    };
    plans(leaf, &fits)
}

/// What is known of what is carried.
fn ranges(leaf: &Leaf) -> BTreeMap<NodeId, &Interval> {
    let phis = leaf.phis();
    phis.map(|phi| (phi.node, &phi.range)).collect()
}

/// The plans for all sums of a leaf; `fits` says which casts keep the value.
fn plans(leaf: &Leaf, fits: &dyn Fn(NodeId) -> bool) -> Plans {
    let sums = Sums::of(leaf, fits);
    let roots = leaf.graph.nodes.ids().filter(|&id| sums.is_root(id));
    let most = BUDGET / leaf.graph.nodes.len().max(1);
    let plans = roots.take(most);
    plans
        .filter_map(|root| Some((root, sums.plan(root)?)))
        .collect()
}

/// What is known of a loop's sums.
struct Sums<'l> {
    graph: &'l Graph,
    fits: &'l dyn Fn(NodeId) -> bool,
    /// The nodes that read each node, phis in the next iteration among them.
    users: Vec<Vec<NodeId>>,
    /// Nodes with the same number depend on one another, through later iterations.
    components: Vec<usize>,
    /// Whether something outside of the graph reads it.
    is_read: Vec<bool>,
    /// Operations in front of a node in its iteration, by how long they take.
    depth: Vec<u32>,
}

impl<'l> Sums<'l> {
    fn of(leaf: &'l Leaf, fits: &'l dyn Fn(NodeId) -> bool) -> Sums<'l> {
        let graph = &leaf.graph;
        let users = users(graph);
        let mut depth = vec![0; graph.nodes.len()];
        for (id, node) in graph.nodes.iter().filter(|(_, node)| node.op != Op::Phi) {
            let before = node.args.iter().map(|arg| depth[arg.index()]).max();
            depth[id.index()] = before.unwrap_or(0) + time(node);
        }
        let mut is_read = vec![false; graph.nodes.len()];
        let last = leaf.repeat.iter().map(|repeat| repeat.last);
        let read = leaf.writes.iter().map(|write| write.1).chain(last);
        read.for_each(|node| is_read[node.index()] = true);
        Sums {
            graph,
            fits,
            components: components(&users),
            users,
            is_read,
            depth,
        }
    }

    fn is_sum(&self, id: NodeId) -> bool {
        matches!(self.graph.nodes[id].op, Op::Add | Op::Sub)
    }

    /// Whether a node casts a sum to a type that has its value.
    fn is_link(&self, id: NodeId) -> bool {
        let Node { op, args, .. } = &self.graph.nodes[id];
        *op == Op::Cast && self.is_sum(args[0]) && (self.fits)(id)
    }

    /// Whether a node is but a part of one sum.
    fn is_part(&self, id: NodeId) -> bool {
        let [user] = self.users[id.index()][..] else {
            return false;
        };
        let is_within = match self.is_sum(id) {
            true => self.is_sum(user) || self.is_link(user) && self.is_part(user),
            false => self.is_sum(user) && self.is_link(id),
        };
        is_within && !self.is_read[id.index()]
    }

    fn is_root(&self, id: NodeId) -> bool {
        let parts = |arg: &NodeId| self.is_part(*arg);
        self.is_sum(id) && !self.is_part(id) && self.graph.nodes[id].args.iter().any(parts)
    }

    /// The terms of a sum, each with the number of additions between it and the sum.
    fn terms(&self, root: NodeId) -> Vec<(Term, u32)> {
        let mut terms = Vec::new();
        let mut open = vec![((root, false), 0)];
        while let Some(((node, negative), level)) = open.pop() {
            if node != root && !self.is_part(node) {
                terms.push(((node, negative), level));
                continue;
            }
            let Node { op, args, .. } = &self.graph.nodes[node];
            if *op == Op::Cast {
                open.push(((args[0], negative), level));
                continue;
            }
            let flips = *op == Op::Sub;
            open.push(((args[1], negative != flips), level + 1));
            open.push(((args[0], negative), level + 1));
        }
        terms
    }

    /// After how many iterations each node depends on one, of those on which that one depends.
    fn reached(&self, from: NodeId) -> FastMap<NodeId, u32> {
        let mut found = FastMap::default();
        let mut open = VecDeque::from([(from, 0)]);
        while let Some((node, after)) = open.pop_front() {
            for &user in &self.users[node.index()] {
                let is_next = self.graph.nodes[user].op == Op::Phi;
                let after = after + u32::from(is_next);
                if self.components[user.index()] != self.components[from.index()] {
                    continue;
                }
                if found.get(&user).is_some_and(|&known| known <= after) {
                    continue;
                }
                found.insert(user, after);
                match is_next {
                    true => open.push_back((user, after)),
                    false => open.push_front((user, after)),
                }
            }
        }
        found
    }

    /// A better order of a sum's terms, if there is one.
    fn plan(&self, root: NodeId) -> Option<Plan> {
        let terms = self.terms(root);
        let mut late: Vec<(Term, u32)> = terms.clone();
        let of = |node: NodeId| self.components[node.index()];
        late.retain(|((node, _), _)| of(*node) == of(root));
        if late.is_empty() {
            return None;
        }
        let reached = self.reached(root);
        // Those from the iteration just before are what the next one waits for.
        late.sort_by_key(|((node, _), _)| (Reverse(reached[node]), self.depth[node.index()]));
        let first: Vec<Term> = terms.into_iter().map(|(term, _)| term).collect();
        let then: Vec<Term> = late.iter().map(|(term, _)| *term).collect();
        let first: Vec<Term> = first
            .into_iter()
            .filter(|term| !then.contains(term))
            .collect();
        // Two that are there at once are added once.
        let ahead = u32::from(first.is_empty());
        let count = late.len() as u32;
        let levels = (1..=count).map(|level| level.min(count.saturating_sub(ahead).max(1)));
        let before = late.iter().rev().map(|(_, level)| *level);
        levels.lt(before).then_some(Plan { first, then })
    }
}

/// How long an operation takes, in sums.
fn time(node: &Node) -> u32 {
    match node.op {
        Op::Call(_) => 8,
        Op::Mul | Op::Load(_) => 2,
        Op::Add | Op::Sub | Op::Icmp(_) | Op::Shl | Op::Shr => 1,
        _ => 0,
    }
}

fn regrouped(leaf: &Leaf, widths: &[u32], plans: &Plans) -> Rewritten {
    let change = |b: &mut Builder, id: NodeId, map: &[NodeId]| {
        let plan = plans.get(&id)?;
        let new = |terms: &[Term]| -> Vec<Term> {
            let terms = terms.iter();
            terms
                .map(|&(node, negative)| (map[node.index()], negative))
                .collect()
        };
        let mut rest = balanced(b, new(&plan.first));
        for term in new(&plan.then) {
            rest = Some(match rest {
                Some(sum) => joined(b, sum, term),
                None => term,
            });
        }
        rest.map(|(sum, _)| sum)
    };
    let (builder, map) = replayed(&leaf.graph, widths, &ranges(leaf), change);
    let leaf = leaf.moved_to(builder.graph, &map);
    Rewritten { leaf, map }
}

/// One term of many, by halves.
fn balanced(b: &mut Builder, mut terms: Vec<Term>) -> Option<Term> {
    while terms.len() > 1 {
        let pairs = terms.chunks(2);
        terms = pairs
            .map(|pair| match *pair {
                [one, other] => joined(b, one, other),
                _ => pair[0],
            })
            .collect();
    }
    terms.first().copied()
}

/// Of a sum at least one term is added, so that no sign is left in the end.
fn joined(b: &mut Builder, (one, left): Term, (other, right): Term) -> Term {
    match (left, right) {
        (false, true) => (b.sub(one, other), false),
        (true, false) => (b.sub(other, one), false),
        (_, negative) => (b.add(one, other), negative),
    }
}
