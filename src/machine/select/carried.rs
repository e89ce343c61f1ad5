//! Float sums that a loop carries from iteration to iteration: their latency bounds how often an iteration can start. So they
//! are computed by the adder that is sooner done, and carried as it leaves and takes them, not as memories hold them.

use super::Lowering;
use super::cycles::Cycles;
use super::float_ops::tag;
use super::masked::{self, Addend, Formats, Masked};
use crate::diagnostics::Diagnostics;
use crate::hwarith::HwType;
use crate::hwarith::builder::Builder;
use crate::hwarith::equal;
use crate::hwarith::graph::{Graph, Node, NodeId, Op, UnitId, VarId};
use crate::hwarith::interval::Interval;
use crate::ir::FloatFormat;
use crate::machine::program::{Leaf, LeafId};
use crate::memo::Memo;
use crate::units::float;
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Whether the modules of two names compute the same, with what was said of it.
static SAME: LazyLock<Memo<(bool, Diagnostics)>> = LazyLock::new(Memo::default);

impl Lowering<'_> {
    /// Has every loop carry its sums unpacked.
    pub(super) fn hasten_carried_sums(&mut self) {
        let mut vars: BTreeMap<VarId, FloatFormat> = BTreeMap::new();
        let mut unpacked: BTreeMap<LeafId, Formats> = BTreeMap::new();
        for leaf in self.program.leaves.ids() {
            let found = self.carried_sums(leaf);
            let phis = self.program.leaves[leaf].repeat.iter();
            for phi in phis.flat_map(|repeat| &repeat.phis) {
                vars.extend(found.get(&phi.node).map(|&format| (phi.var, format)));
            }
            unpacked.insert(leaf, found);
        }
        for (&var, &format) in &vars {
            self.program.vars[var].ty = carried_type(format);
        }
        for (leaf, mut formats) in unpacked {
            for (id, node) in self.program.leaves[leaf].graph.nodes.iter() {
                if let Op::Var(var) = node.op {
                    formats.extend(vars.get(&var).map(|&format| (id, format)));
                }
            }
            if !formats.is_empty() {
                self.unpack(leaf, &formats);
            }
        }
    }

    /// The sums on a way from a carried value to its own next one, and what of those ways leads to their operands.
    fn carried_sums(&mut self, leaf: LeafId) -> Formats {
        let Leaf { graph, repeat, .. } = &self.program.leaves[leaf];
        let phis = repeat.iter().flat_map(|repeat| &repeat.phis);
        let phis: Vec<NodeId> = phis.map(|phi| phi.node).collect();
        let passes = |op: &Op| match op {
            Op::Call(unit) => self.adders.contains_key(unit) || self.multipliers.contains_key(unit),
            op => matches!(op, Op::Phi | Op::Mux),
        };
        let nodes = graph.nodes.iter().filter(|(_, node)| passes(&node.op));
        let mut nodes: Vec<NodeId> = nodes.map(|(id, _)| id).collect();
        if !nodes.is_empty() {
            let cycles = Cycles::new(graph, &phis);
            nodes.retain(|&id| cycles.contain(id, id));
        }
        let graph = graph.clone();
        let mut reached: Vec<(NodeId, FloatFormat)> = Vec::new();
        // They take and leave packed numbers.
        let mut products: BTreeSet<NodeId> = BTreeSet::new();
        for &node in &nodes {
            let Op::Call(unit) = graph.nodes[node].op else {
                continue;
            };
            if let Some(&format) = self.multipliers.get(&unit) {
                products.insert(node);
                self.hasten(leaf, node, "fmul_late", format, float::mul_late);
            } else if let Some(&format) = self.adders.get(&unit)
                && self.is_same(unit, "fadd_double_path", format, float::add_double_path)
            {
                reached.push((node, format));
            }
        }
        let mut found = Formats::new();
        while let Some((node, format)) = reached.pop() {
            let carries = nodes.binary_search(&node).is_ok() && !products.contains(&node);
            if !carries || found.insert(node, format).is_some() {
                continue;
            }
            // A phi begins with what comes from outside of the loop, and a choice with a condition.
            let Node { op, args, .. } = &graph.nodes[node];
            let first = usize::from(!matches!(op, Op::Call(_)));
            reached.extend(args[first..].iter().map(|&operand| (operand, format)));
        }
        self.hasten_others(leaf, &mut found);
        found
    }

    /// Gives the sums that hand nothing on to one another an adder of packed numbers, and takes them out.
    fn hasten_others(&mut self, leaf: LeafId, found: &mut Formats) {
        let graph = &self.program.leaves[leaf].graph;
        let mut linked: BTreeSet<NodeId> = BTreeSet::new();
        for id in found.keys() {
            for arg in graph.nodes[*id]
                .args
                .iter()
                .filter(|arg| found.contains_key(arg))
            {
                linked.extend([*id, *arg]);
            }
        }
        for (id, format) in std::mem::take(found) {
            match self.program.leaves[leaf].graph.nodes[id].op {
                Op::Call(_) if !linked.contains(&id) => {
                    self.hasten(leaf, id, "fadd_double_path", format, float::add_double_path);
                }
                _ => _ = found.insert(id, format),
            }
        }
    }

    /// Has a call take another module, if that computes the same.
    fn hasten(
        &mut self,
        leaf: LeafId,
        node: NodeId,
        name: &str,
        format: FloatFormat,
        make: fn(FloatFormat) -> Graph,
    ) {
        let Op::Call(slow) = self.program.leaves[leaf].graph.nodes[node].op else {
            return;
        };
        if self.is_same(slow, name, format, make) {
            let name = format!("{name}_{}", tag(format));
            let fast = self.unit(&name, format.width(), || make(format));
            self.program.leaves[leaf].graph.nodes[node].op = Op::Call(fast);
        }
    }

    /// Whether a module computes what the larger one of a name does that is to take its place.
    fn is_same(
        &mut self,
        unit: UnitId,
        larger: &str,
        format: FloatFormat,
        make: fn(FloatFormat) -> Graph,
    ) -> bool {
        if let Some(&known) = self.larger_are_same.get(&unit) {
            return known;
        }
        let unit_name = &self.program.units[unit].name;
        let graph = &self.program.units[unit].graph;
        let compare = || {
            let mut warnings = Diagnostics::default();
            let difference = equal::output_difference(graph, &make(format));
            let same = equal::kept("carried", false, true, difference, &mut warnings);
            (same, warnings)
        };
        let pair = format!("{unit_name} {larger}");
        let known = SAME.once(&pair, compare);
        let (same, warnings) = &*known;
        let same = *same;
        self.warnings.0.extend_from_slice(&warnings.0);
        self.larger_are_same.insert(unit, same);
        same
    }

    /// Rebuilds a leaf with these nodes as carried floats.
    fn unpack(&mut self, index: LeafId, formats: &Formats) {
        let leaf = &self.program.leaves[index];
        let mut rebuilt = Unpacking {
            builder: Builder::new(),
            packed: Vec::with_capacity(leaf.graph.nodes.len()),
            carried: BTreeMap::new(),
            opening: BTreeMap::new(),
            closing: BTreeMap::new(),
        };
        let leaf = leaf.clone();
        let repeat = leaf.repeat.iter();
        let ranges = repeat.flat_map(|repeat| &repeat.phis);
        let ranges: BTreeMap<NodeId, &Interval> = ranges.map(|p| (p.node, &p.range)).collect();
        let masked = masked::find(&leaf, formats);
        for (id, node) in leaf.graph.nodes.iter() {
            rebuilt.builder.at(node.span);
            if masked.replaced.contains(&id) {
                rebuilt.leave();
                continue;
            }
            match formats.get(&id) {
                Some(&format) if masked.choices.contains_key(&id) => {
                    let adder = Op::Call(self.carried_adder(format));
                    rebuilt.add(&masked.choices[&id], adder, node, id, format);
                }
                Some(&format) => {
                    let op = match node.op {
                        Op::Call(_) => Op::Call(self.carried_adder(format)),
                        ref op => op.clone(),
                    };
                    rebuilt.carry(&op, node, id, format);
                }
                None => rebuilt.keep(&leaf.graph, id, ranges.get(&id).copied()),
            }
        }
        for (id, node) in leaf
            .graph
            .nodes
            .iter()
            .filter(|(_, node)| node.op == Op::Phi)
        {
            let next = match formats.get(&id) {
                Some(&format) => rebuilt.carried(node.args[1], format),
                None => rebuilt.packed[node.args[1].index()],
            };
            let phi = match formats.contains_key(&id) {
                true => rebuilt.carried[&id],
                false => rebuilt.packed[id.index()],
            };
            rebuilt.builder.set_next(phi, next);
        }
        // Phis are registers of what is carried.
        let mut map = rebuilt.packed;
        let mut leaf = leaf;
        for phi in leaf.repeat.iter_mut().flat_map(|repeat| &mut repeat.phis) {
            if let Some(&format) = formats.get(&phi.node) {
                map[phi.node.index()] = rebuilt.carried[&phi.node];
                phi.range = Interval::of_type(carried_type(format));
            }
        }
        let leaf = leaf.moved_to(rebuilt.builder.graph, &map);
        self.program.leaves[index] = leaf;
    }

    fn carried_adder(&mut self, format: FloatFormat) -> UnitId {
        let name = format!("fadd_carried_{}", tag(format));
        let width = float::carried_width(format);
        self.unit(&name, width, || float::add_carried(format))
    }
}

fn carried_type(format: FloatFormat) -> HwType {
    HwType::ui(float::carried_width(format))
}

/// A leaf's graph with some floats as they are carried.
struct Unpacking {
    builder: Builder,
    /// Each node of the graph before, as it was.
    packed: Vec<NodeId>,
    /// Those that are there as they are carried.
    carried: BTreeMap<NodeId, NodeId>,
    /// How a number becomes a carried one, and back.
    opening: BTreeMap<FloatFormat, Graph>,
    closing: BTreeMap<FloatFormat, Graph>,
}

impl Unpacking {
    /// The next node, `id`, as it was.
    fn keep(&mut self, graph: &Graph, id: NodeId, range: Option<&Interval>) {
        let node = &graph.nodes[id];
        let args = node.args.iter();
        let new = match node.op {
            // What follows it is not there yet.
            Op::Phi => {
                let init = self.packed[node.args[0].index()];
                self.builder.opaque(Op::Phi, vec![init, init], node.ty)
            }
            _ => {
                let types: Vec<HwType> = args.clone().map(|&a| graph.ty(a)).collect();
                let args: Vec<NodeId> = args.map(|a| self.packed[a.index()]).collect();
                self.builder.replay(&node.op, &args, &types, node.ty)
            }
        };
        if let Some(range) = range {
            self.builder.assume(new, range.clone());
        }
        if let Some(name) = &node.name {
            self.builder.graph.name(new, name);
        }
        self.packed.push(new);
    }

    /// The next node, `id`, as it is carried, with `op` in place of its operation.
    fn carry(&mut self, op: &Op, node: &Node, id: NodeId, format: FloatFormat) {
        let new = match (op, &node.args[..]) {
            (Op::Phi, &[init, _]) => {
                let init = self.carried(init, format);
                self.opaque(op, vec![init, init], format)
            }
            (Op::Mux, &[condition, a, b]) => {
                let condition = self.packed[condition.index()];
                let [a, b] = [a, b].map(|operand| self.carried(operand, format));
                self.builder.mux(condition, a, b)
            }
            (op, operands) => {
                let operands = operands.iter().map(|&a| self.carried(a, format));
                let operands = operands.collect();
                self.opaque(op, operands, format)
            }
        };
        self.hold(new, node, id, format);
    }

    /// The next node, `id`, as a sum to which is added what is chosen.
    fn add(&mut self, sum: &Masked, adder: Op, node: &Node, id: NodeId, format: FloatFormat) {
        let mut new = self.carried(sum.total, format);
        for addend in &sum.addends {
            let addend = self.addend(addend, format);
            new = self.opaque(&adder, vec![new, addend], format);
        }
        self.hold(new, node, id, format);
    }

    fn addend(&mut self, addend: &Addend, format: FloatFormat) -> NodeId {
        match addend {
            Addend::Value(value) => self.carried(*value, format),
            Addend::Nothing => {
                let bits = BigInt::from(1) << (format.width() - 1);
                let packed = self.builder.constant(bits);
                self.open(packed, format)
            }
            Addend::Choice(condition, sides) => {
                let condition = self.packed[condition.index()];
                let [a, b] = &**sides;
                let [a, b] = [a, b].map(|side| self.addend(side, format));
                self.builder.mux(condition, a, b)
            }
        }
    }

    /// Leaves the next node out, which nothing uses.
    fn leave(&mut self) {
        let nothing = self.builder.constant(0);
        self.packed.push(nothing);
    }

    /// Has the next node, `id`, be this one as it is carried.
    fn hold(&mut self, new: NodeId, node: &Node, id: NodeId, format: FloatFormat) {
        if let Some(name) = &node.name {
            self.builder.graph.name(new, name);
        }
        self.carried.insert(id, new);
        let close = self.closing.entry(format);
        let close = close.or_insert_with(|| float::close(format));
        let packed = self.builder.inline(close, &[new])[0];
        self.packed.push(packed);
    }

    fn opaque(&mut self, op: &Op, args: Vec<NodeId>, format: FloatFormat) -> NodeId {
        self.builder.opaque(op.clone(), args, carried_type(format))
    }

    /// A node of the graph before as it is carried.
    fn carried(&mut self, node: NodeId, format: FloatFormat) -> NodeId {
        if let Some(&carried) = self.carried.get(&node) {
            return carried;
        }
        let carried = self.open(self.packed[node.index()], format);
        self.carried.insert(node, carried);
        carried
    }

    fn open(&mut self, packed: NodeId, format: FloatFormat) -> NodeId {
        let open = self.opening.entry(format);
        let open = open.or_insert_with(|| float::open(format));
        self.builder.inline(open, &[packed])[0]
    }
}
