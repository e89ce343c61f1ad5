//! A whole kernel over hwarith graphs: memories, registers, and a tree of regions.
//!
//! A *leaf* is a graph that is scheduled as one pipeline: a straight-line block, or a loop without inner
//! loops that cannot be flattened. Leaves exchange scalars through *vars* (registers). The region tree
//! says in which order leaves run. A leaf reads a var's value from before its own start; its writes are
//! visible to leaves that start after it is done.

use crate::arena::{Arena, Id, Table};
use crate::diagnostics::Span;
use crate::hwarith::demand::{Memories, demanded};
use crate::hwarith::graph::{Graph, MemId, Node, NodeId, Op, UnitId, VarId};
use crate::hwarith::interval::Interval;
use crate::hwarith::types::HwType;
use crate::ir::{Foreign, Hazard, MemoryKind, Packed, Partition, Pipeline, Scalar, Scope, TileTag};
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet};

/// Handle of a pipeline.
pub type LeafId = Id<Leaf>;

/// A kernel ready for scheduling.
#[derive(Clone, Debug)]
pub struct Program {
    /// Module name.
    pub name: String,
    /// The kernel's definition.
    pub span: Span,
    /// Operator modules, shared by all leaves.
    pub units: Table<UnitId, Unit>,
    /// Memories inside and outside of the module.
    pub mems: Table<MemId, Mem>,
    /// Registers and scalar arguments.
    pub vars: Table<VarId, Var>,
    /// Pipelines.
    pub leaves: Arena<Leaf>,
    /// What runs when.
    pub root: Region,
    /// Arguments in order.
    pub args: Vec<PortRef>,
    /// Results in order.
    pub returns: Vec<PortRef>,
    /// Multiplier blocks of all operators together beyond which no faster one is taken.
    pub most_blocks: u64,
}

/// An argument or result.
#[derive(Clone, Debug)]
pub enum PortRef {
    /// A scalar in a var.
    Scalar {
        /// Name in the source.
        name: String,
        /// Language type.
        ty: Scalar,
        /// Holder of the value.
        var: VarId,
    },
    /// An array.
    Array(PortArray),
    /// A stream.
    Stream(PortStream),
}

/// An array outside of the module.
#[derive(Clone, Debug)]
pub struct PortArray {
    /// Name in the source, or of the result.
    pub name: String,
    /// Element type.
    pub elem: Scalar,
    /// Extents.
    pub shape: Vec<u64>,
    /// If it is a tile, what of it is where.
    pub tile: Option<TileTag>,
    /// How it is split into banks.
    pub partition: Vec<Partition>,
    /// The memories of its banks in order; one, if it is not split.
    pub banks: Vec<MemId>,
}

/// A stream outside of the module. Getting an element is two accesses in the cycle in which an iteration or block begins: it
/// waits there until the element is at hand. Putting one is a store.
#[derive(Clone, Debug)]
pub struct PortStream {
    /// Name in the source.
    pub name: String,
    /// Type of a transfer.
    pub elem: Scalar,
    /// What it consists of, if it is a block.
    pub packed: Option<Packed>,
    /// What stands for each of [`Side::ALL`].
    pub sides: [MemId; Side::ALL.len()],
}

impl PortStream {
    /// What stands for a side.
    pub fn side(&self, side: Side) -> MemId {
        self.sides[side as usize]
    }
}

/// A pipelined operator module: a pure graph of inputs and outputs.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Module name, e.g. `fadd_e8f23`.
    pub name: String,
    /// What it computes; one output.
    pub graph: Graph,
    /// Another description of it that is larger and takes less time, where something waits for that.
    pub fast: Option<Graph>,
    /// Bits of the result port; the output's type may be narrower where the top bits are always 0.
    pub width: u32,
    /// Instances at most, if that is directed; at least 1.
    pub most: Option<u32>,
    /// Whether it computes the same with its two operands exchanged.
    pub commutes: bool,
    /// The user's module that computes it.
    pub foreign: Option<Foreign>,
}

impl Unit {
    /// A module of that name, with a result of `width` bits, of which nothing else is known.
    pub fn new(name: &str, graph: Graph, width: u32) -> Unit {
        Unit {
            name: name.to_string(),
            graph,
            fast: None,
            width,
            most: None,
            commutes: false,
            foreign: None,
        }
    }
}

/// A memory of `depth` words of `width` bits.
#[derive(Clone, Debug)]
pub struct Mem {
    /// Source name.
    pub name: String,
    /// Element type.
    pub elem: Scalar,
    /// Extents; their product is `depth`.
    pub shape: Vec<u64>,
    /// Words.
    pub depth: u64,
    /// Bits of a word.
    pub width: u32,
    /// Where it is.
    pub place: Place,
    /// What it is made of, if it is inside.
    pub kind: MemoryKind,
    /// Ports that are used at most; inside, ports that read, beside the one that writes.
    pub ports: u32,
    /// Whether it is read without a clock.
    pub is_asynchronous: bool,
    /// Declaration.
    pub span: Span,
}

impl Mem {
    /// Bits of all words; saturates.
    pub fn bits(&self) -> u64 {
        self.depth.saturating_mul(self.width.into())
    }
    /// Cycles from a load to its data: an element of a stream is there as it is got.
    pub fn latency(&self) -> u32 {
        match self.place {
            Place::Stream(_) => 0,
            _ if self.is_asynchronous => 0,
            Place::External | Place::Local | Place::Rom(_) | Place::State(_) => 1,
        }
    }
    /// Bits of an address: max(1, ceil(log2 depth)).
    pub fn address_width(&self) -> u32 {
        address_width(self.depth)
    }
}

/// Bits of an address into `depth` words.
pub fn address_width(depth: u64) -> u32 {
    (u64::BITS - depth.saturating_sub(1).leading_zeros()).max(1)
}

/// Where a memory is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Outside, behind `ap_memory` ports.
    External,
    /// Outside: a side of a stream, of one word.
    Stream(Side),
    /// Inside.
    Local,
    /// Inside, constant.
    Rom(Vec<BigUint>),
    /// Inside, kept from one invocation to the next: the words after a reset.
    State(Vec<BigUint>),
}

/// What accesses of a stream are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Loads of the oldest element.
    Data,
    /// Stores that take it away.
    Take,
    /// Stores that add an element.
    Put,
    /// Loads that say whether there is an element.
    Element,
    /// Stores that take the oldest element away if there is one.
    TryTake,
    /// Loads that say whether there is room for an element.
    Room,
    /// Stores that keep that room.
    Claim,
    /// Stores that add an element for which room was kept.
    PutClaimed,
    /// Stores of what depended on timing, for who simulates.
    Ask,
}

impl Side {
    /// Every side.
    pub const ALL: [Side; 9] = [
        Side::Data,
        Side::Take,
        Side::Put,
        Side::Element,
        Side::TryTake,
        Side::Room,
        Side::Claim,
        Side::PutClaimed,
        Side::Ask,
    ];

    /// Whether it is accessed as an iteration or a block begins, not on its way.
    pub fn is_of_beginning(self) -> bool {
        !matches!(self, Side::Put | Side::PutClaimed)
    }

    /// Whether elements are loaded or stored.
    pub fn is_of_elements(self) -> bool {
        matches!(self, Side::Data | Side::Put | Side::PutClaimed)
    }

    /// Bits of what is loaded or stored, where an element has so many.
    pub fn width(self, element: u32) -> u32 {
        match self.is_of_elements() {
            true => element,
            false => 1,
        }
    }
}

impl Place {
    /// Whether it is outside of the module.
    pub fn is_outside(&self) -> bool {
        matches!(self, Place::External | Place::Stream(_))
    }
}

/// A register between leaves, or a scalar argument.
#[derive(Clone, Debug)]
pub struct Var {
    /// Source name, or a made-up one.
    pub name: String,
    /// Type of the value.
    pub ty: HwType,
    /// An input port, stable during a run; never written.
    pub is_arg: bool,
}

/// A pipeline.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Name for reports and nets.
    pub label: String,
    /// Statement it comes from.
    pub span: Span,
    /// Its operations.
    pub graph: Graph,
    /// Vars that take a node's value, cast to the var's type.
    pub writes: Vec<(VarId, NodeId)>,
    /// Loads and stores in program order.
    pub accesses: Vec<Access>,
    /// What repeats it.
    pub repeat: Option<Loop>,
    /// Dependences that are promised not to be there.
    pub promises: Vec<Apart>,
}

impl Leaf {
    /// The leaf with another graph, in which its nodes are where `map` says.
    pub fn moved_to(&self, graph: Graph, map: &[NodeId]) -> Leaf {
        let mut leaf = Leaf {
            graph,
            ..self.clone()
        };
        let new = |id: &mut NodeId| *id = map[id.index()];
        leaf.writes.iter_mut().for_each(|(_, node)| new(node));
        leaf.accesses.iter_mut().for_each(|a| new(&mut a.node));
        if let Some(repeat) = &mut leaf.repeat {
            repeat.phis.iter_mut().for_each(|phi| new(&mut phi.node));
            new(&mut repeat.last);
        }
        leaf
    }

    /// What it carries from iteration to iteration.
    pub fn phis(&self) -> impl Iterator<Item = &Phi> + Clone {
        self.repeat.iter().flat_map(|repeat| &repeat.phis)
    }

    /// Choices that set a carried value back to the constant that it begins with, and that nothing else sees: the synchronous
    /// reset of its register, and no logic before it. `width`: the demanded bits of each node.
    pub fn resets(&self, width: &[u32]) -> BTreeSet<NodeId> {
        let graph = &self.graph;
        let phis = self.phis();
        let resets = phis.filter_map(|phi| {
            let [init, next] = graph.nodes[phi.node].args[..] else {
                return None;
            };
            let node = &graph.nodes[next];
            let begins = |arg: &NodeId| {
                let constant = graph.as_const(init);
                constant.is_some() && constant == graph.as_const(*arg)
            };
            let is_reset =
                node.op == Op::Mux && node.args[1..].iter().filter(|arg| begins(arg)).count() == 1;
            is_reset.then_some(next)
        });
        let mut resets: BTreeSet<NodeId> = resets.collect();
        if !resets.is_empty() {
            let sees = |(id, node): &(NodeId, &Node)| match node.op {
                Op::Phi => false,
                Op::Store(_) => true,
                _ => width[id.index()] > 0,
            };
            let seen = graph.nodes.iter().filter(sees);
            let seen = seen.flat_map(|(_, node)| &node.args);
            let written = self.writes.iter().map(|(_, node)| node);
            seen.chain(written).for_each(|arg| _ = resets.remove(arg));
        }
        resets
    }
}

/// Accesses of a memory that do not depend on one another in some way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Apart {
    /// The memory.
    pub mem: MemId,
    /// The dimension of the loop whose iterations are meant.
    pub dim: usize,
    /// In the same iteration, or between iterations.
    pub scope: Scope,
    /// Which kind of dependence; every kind, if there is none.
    pub hazard: Option<Hazard>,
    /// Iterations that lie between the two at least; there is no dependence, if there is none.
    pub distance: Option<u64>,
}

/// A load or store with what is known of its address.
#[derive(Clone, Debug)]
pub struct Access {
    /// The node.
    pub node: NodeId,
    /// The memory.
    pub mem: MemId,
    /// Whether it writes.
    pub is_store: bool,
    /// Address as an affine function of the loop counters, where it is one.
    pub address: Option<Affine>,
    /// For each dimension of the loop, outermost first, in which of its iterations the access counts.
    pub pins: Vec<Pin>,
    /// A load whose value is not used where the iteration before stored to the same element.
    pub bypassed: bool,
    /// Source place.
    pub span: Span,
}

/// Iterations of one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pin {
    /// All.
    Any,
    /// Only the one of that number.
    At(u64),
}

/// `constant + sum(coefficient * counter) + sum(coefficient * symbol)`; symbols do not change in the loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Affine {
    /// By dimension of the loop (0 outermost); counters run 0, 1, 2, ...
    pub counters: BTreeMap<usize, i128>,
    /// By identity of the symbol.
    pub symbols: BTreeMap<usize, i128>,
    /// The rest.
    pub constant: i128,
}

/// A carried value.
#[derive(Clone, Debug)]
pub struct Phi {
    /// The phi.
    pub node: NodeId,
    /// Its register.
    pub var: VarId,
    /// The values that it takes, within its type.
    pub range: Interval,
}

/// A pipelined loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Carried values.
    pub phis: Vec<Phi>,
    /// `ui1`: no iteration follows this one.
    pub last: NodeId,
    /// `ui1` var: whether there is a first iteration; `None`: always.
    pub enter: Option<VarId>,
    /// Flattened dimensions, outermost first.
    pub dims: Vec<LoopDim>,
    /// How its iterations are to overlap, if that is directed.
    pub directed: Option<Pipeline>,
}

impl Loop {
    /// Its loops, as they were written: a counter that is taken apart is that of one.
    pub fn written(&self) -> Vec<LoopDim> {
        let mut loops: Vec<LoopDim> = Vec::new();
        for dim in &self.dims {
            match loops.last_mut() {
                Some(last) if (&last.label, last.span) == (&dim.label, dim.span) => {
                    let trips = last.trip.zip(dim.trip);
                    last.trip = trips.and_then(|(outer, inner)| outer.checked_mul(inner));
                    last.likely = last.likely.saturating_mul(dim.likely);
                }
                _ => loops.push(dim.clone()),
            }
        }
        loops
    }

    /// Number of iterations, if constant.
    pub fn trip(&self) -> Option<u64> {
        self.dims
            .iter()
            .try_fold(1u64, |product, d| product.checked_mul(d.trip?))
    }
}

/// Iterations to count on of a loop that may have any number.
pub const SOME_ITERATIONS: u64 = 64;

/// One dimension of a flattened nest.
#[derive(Clone, Debug)]
pub struct LoopDim {
    /// Loop variable or `name=`.
    pub label: String,
    /// Statement.
    pub span: Span,
    /// Iterations, if constant.
    pub trip: Option<u64>,
    /// How many to count on where `trip` is unknown.
    pub likely: u64,
    /// Whether one more iteration finds that there is none, as in a `while`.
    pub is_while: bool,
}

/// What runs when.
#[derive(Clone, Debug)]
pub enum Region {
    /// A pipeline.
    Leaf(LeafId),
    /// One after the other.
    Seq(Vec<Region>),
    /// By a `ui1` var.
    If {
        /// Condition.
        cond: VarId,
        /// If 1.
        then: Box<Region>,
        /// If 0.
        otherwise: Box<Region>,
    },
    /// `head; while cond { body; head }`.
    Repeat {
        /// Computes the condition.
        head: Box<Region>,
        /// `ui1`, read after the head.
        cond: VarId,
        /// Body.
        body: Box<Region>,
        /// For reports.
        dim: LoopDim,
        /// Why iterations do not overlap, in words that follow "each iteration"; `None` where that is because of loops inside.
        in_turn: Option<String>,
    },
}

impl Region {
    /// What it consists of: the parts of a sequence, `then` and `otherwise`, or head and body.
    pub fn parts(&self) -> Vec<&Region> {
        match self {
            Region::Leaf(_) => Vec::new(),
            Region::Seq(parts) => parts.iter().collect(),
            Region::If {
                then, otherwise, ..
            } => vec![then, otherwise],
            Region::Repeat { head, body, .. } => vec![head, body],
        }
    }

    /// Leaves before any loop, one's head among them; whether there is a loop.
    fn before_loops(&self, leaves: &mut Vec<LeafId>, is_loop: &dyn Fn(LeafId) -> bool) -> bool {
        match self {
            Region::Leaf(leaf) => {
                leaves.push(*leaf);
                is_loop(*leaf)
            }
            Region::Seq(parts) => parts.iter().any(|part| part.before_loops(leaves, is_loop)),
            Region::If {
                then, otherwise, ..
            } => {
                let ends = [then, otherwise].map(|arm| arm.before_loops(leaves, is_loop));
                ends == [true, true]
            }
            Region::Repeat { head, .. } => {
                head.before_loops(leaves, is_loop);
                true
            }
        }
    }

    /// Marks the vars that control flow depends on.
    fn mark_reads(&self, read: &mut Table<VarId, bool>) {
        let cond = match self {
            Region::Leaf(_) => return,
            Region::Seq(parts) => return parts.iter().for_each(|p| p.mark_reads(read)),
            Region::If {
                cond,
                then,
                otherwise,
            } => {
                then.mark_reads(read);
                otherwise.mark_reads(read);
                cond
            }
            Region::Repeat {
                head, cond, body, ..
            } => {
                head.mark_reads(read);
                body.mark_reads(read);
                cond
            }
        };
        read[*cond] = true;
    }
}

impl Memories for Program {
    fn address_width(&self, mem: MemId) -> u32 {
        self.mems[mem].address_width()
    }
    fn data_width(&self, mem: MemId) -> u32 {
        self.mems[mem].width
    }
}

impl Program {
    /// The variables of scalar results.
    pub fn scalar_results(&self) -> impl Iterator<Item = VarId> {
        self.returns.iter().filter_map(|port| match port {
            PortRef::Scalar { var, .. } => Some(*var),
            PortRef::Array(_) | PortRef::Stream(_) => None,
        })
    }

    /// The block that all of a program is, if it works on scalars and tables alone.
    pub fn only_block(&self) -> Option<LeafId> {
        let is_scalar = |port: &PortRef| matches!(port, PortRef::Scalar { .. });
        let ports = self.args.iter().chain(&self.returns);
        let is_table = |place: &Place| matches!(place, Place::Rom(_));
        if !ports.into_iter().all(is_scalar) || !self.mems.values().all(|mem| is_table(&mem.place))
        {
            return None;
        }
        let mut leaves = Vec::new();
        gather(&self.root, &mut leaves)?;
        match leaves[..] {
            [only] if self.leaves[only].repeat.is_none() => Some(only),
            _ => None,
        }
    }

    /// What may run before any loop.
    pub fn first_leaves(&self) -> Vec<&Leaf> {
        let mut leaves = Vec::new();
        let is_loop = |leaf: LeafId| self.leaves[leaf].repeat.is_some();
        self.root.before_loops(&mut leaves, &is_loop);
        leaves.into_iter().map(|leaf| &self.leaves[leaf]).collect()
    }

    /// A kernel that does nothing yet.
    pub fn empty(name: &str, span: Span) -> Program {
        Program {
            name: name.to_string(),
            span,
            units: Table::new(),
            mems: Table::new(),
            vars: Table::new(),
            leaves: Arena::new(),
            root: Region::Seq(Vec::new()),
            args: Vec::new(),
            returns: Vec::new(),
            most_blocks: u64::MAX,
        }
    }

    /// One operator module and nothing that uses it. `width`: bits of its result.
    pub fn of_unit(name: &str, graph: Graph, width: u32) -> Program {
        let mut program = Program::empty(name, Span::default());
        program.units.push(Unit::new(name, graph, width));
        program
    }

    /// Demanded width of every node of every leaf.
    pub fn demanded(&self) -> Table<LeafId, Vec<u32>> {
        let read = self.read_vars();
        let leaves = self.leaves.values();
        leaves.map(|leaf| self.demanded_by(leaf, &read)).collect()
    }

    fn demanded_by(&self, leaf: &Leaf, read: &Table<VarId, bool>) -> Vec<u32> {
        let mut roots: Vec<(NodeId, u32)> = leaf
            .writes
            .iter()
            .map(|&(var, node)| (node, self.vars[var].ty.width))
            .collect();
        if let Some(repeat) = &leaf.repeat {
            roots.push((repeat.last, 1));
            // A carried value may be read after the loop.
            let after = repeat.phis.iter();
            roots.extend(after.map(|phi| (phi.node, if read[phi.var] { u32::MAX } else { 0 })));
        }
        demanded(&leaf.graph, &roots, Some(self))
    }

    /// Forgets the operator modules that no leaf calls.
    pub fn drop_unused_units(&mut self) {
        let calls = |leaf: &mut Leaf, f: &mut dyn FnMut(&mut UnitId)| {
            for node in leaf.graph.nodes.values_mut() {
                if let Op::Call(unit) = &mut node.op {
                    f(unit);
                }
            }
        };
        let mut moved: BTreeMap<UnitId, UnitId> = BTreeMap::new();
        let mut units = Table::new();
        for leaf in self.leaves.values_mut() {
            calls(leaf, &mut |unit| _ = moved.insert(*unit, *unit));
        }
        for (old, new) in &mut moved {
            *new = units.push(self.units[*old].clone());
        }
        for leaf in self.leaves.values_mut() {
            calls(leaf, &mut |unit| *unit = moved[unit]);
        }
        self.units = units;
    }

    /// Forgets the accesses of loads whose value influences nothing.
    pub fn drop_dead_loads(&mut self) {
        let demanded = self.demanded();
        for (leaf, widths) in self.leaves.values_mut().zip(demanded.values()) {
            leaf.accesses
                .retain(|a| a.is_store || widths[a.node.index()] > 0);
        }
    }

    /// For each var whether any leaf, condition or result reads it.
    fn read_vars(&self) -> Table<VarId, bool> {
        let mut read: Table<VarId, bool> = self.vars.values().map(|_| false).collect();
        for var in self.scalar_results() {
            read[var] = true;
        }
        for leaf in self.leaves.values() {
            for (_, node) in leaf.graph.nodes.iter() {
                if let Op::Var(var) = node.op {
                    read[var] = true;
                }
            }
        }
        self.root.mark_reads(&mut read);
        read
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
