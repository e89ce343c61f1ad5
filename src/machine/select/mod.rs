//! Selects hardware for a kernel (inlined, without whole-array operations, branches converted): hwarith graphs in a
//! region tree.
//!
//! Straight-line code becomes blocks, perfect nests of counted loops become pipelined leaves (`nest`), other loops and
//! branches with loops sequential regions. A value that another leaf reads is exported through a var.

mod access;
mod affine;
mod carried;
mod cycles;
mod faster;
mod float_ops;
mod foreign;
mod integer;
mod iterations;
mod masked;
mod nest;
mod ops;
mod rotated;
mod transfer;

use crate::arena::Table;
use crate::codes;
use crate::diagnostics::{Diagnostic, Diagnostics, Span};
use crate::hash::FastMap;
use crate::hwarith::builder::Builder;
use crate::hwarith::equal;
use crate::hwarith::graph::{Graph, MemId, NodeId, Op as HwOp, UnitId, VarId};
use crate::hwarith::types::HwType;
use crate::ir;
use crate::ir::analysis::Values;
use crate::ir::analysis::touch::{self, Touched};
use crate::ir::{
    Array, ArrayId, ArrayKind, Block, Const, FloatFormat, For, If, Kernel, MemoryKind, Op, OpKind,
    Param, Partition, ResultSlot, Scalar, ValueId, While,
};
use crate::machine::program::{
    Leaf, LeafId, LoopDim, Mem, Place, PortArray, PortRef, PortStream, Program, Region, Side, Unit,
    Var,
};
use crate::memo::Memo;
pub use float_ops::float_adder;

use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};

/// Selects hardware for one kernel without calls. What is suspicious about it goes to `warnings`.
///
/// Errors: constructs that have no hardware yet, each at its place. A loop that gets elements is a pipeline only where
/// `waits` allows it, and where all of an iteration's gets can be done as it begins.
pub fn select(
    kernel: &Kernel,
    waits: Waits,
    warnings: &mut Diagnostics,
) -> Result<Program, Diagnostics> {
    let mut lowering = Lowering::new(kernel, warnings);
    lowering.waits = waits;
    let root = lowering.region(&kernel.body);
    lowering.finish(root)
}

/// Which pipelines may wait for elements of streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// Those whose gets have conditions, too.
    UnderConditions,
    /// Those that get the same in every iteration: conditions take too long.
    Always,
}

/// Type of the hwarith value that stands for a value of a language type.
pub fn hw_type(ty: Scalar) -> HwType {
    HwType {
        signed: ty.is_signed(),
        width: ty.width(),
    }
}

/// The language type of such a value, of an integer.
fn scalar(HwType { signed, width }: HwType) -> Scalar {
    Scalar::Int { signed, width }
}

/// Where a value of the kernel is.
#[derive(Clone, Debug)]
enum Location {
    Const(BigInt),
    Var(VarId),
    Node { leaf: LeafId, node: NodeId },
}

struct Lowering<'k> {
    kernel: &'k Kernel,
    values: Values,
    program: Program,
    /// The graphs of the leaves; they move there in the end.
    builders: Table<LeafId, Builder>,
    env: FastMap<ValueId, Location>,
    exported: FastMap<(LeafId, NodeId), VarId>,
    /// Var nodes of each leaf.
    var_nodes: FastMap<(LeafId, VarId), NodeId>,
    unit_ids: HashMap<String, UnitId>,
    divisions: integer::Divisions,
    /// Its banks in order.
    mem_ids: FastMap<ArrayId, Vec<MemId>>,
    /// Arrays that are written somewhere.
    written: BTreeSet<ArrayId>,
    /// How many loads and stores each array has.
    accesses: BTreeMap<ArrayId, u64>,
    /// Loads of other arrays, by leaf, memory and address: where among the leaf's accesses.
    reads: FastMap<(LeafId, MemId, NodeId), usize>,
    /// Operator modules that add.
    adders: FastMap<UnitId, FloatFormat>,
    /// Operator modules that multiply.
    multipliers: FastMap<UnitId, FloatFormat>,
    /// Of adders and multipliers, whether the larger ones compute the same; where that is known.
    larger_are_same: FastMap<UnitId, bool>,
    /// Operator modules that take long, with the names of their operators.
    long: FastMap<UnitId, (&'static str, FloatFormat)>,
    /// Operator modules of which there are others that flush subnormals, with the names of their operators.
    flushable: FastMap<UnitId, &'static str>,
    /// Nodes of each leaf that are no subnormals, with what they were before they were flushed.
    flushed: FastMap<(LeafId, NodeId), NodeId>,
    /// Nodes of operator modules that were evaluated for constants.
    evaluated: usize,
    /// Every constant of the kernel, wherever it stands.
    constants: FastMap<ValueId, BigInt>,
    /// Counters of the open loop, by induction variable.
    counters: FastMap<ValueId, affine::Counter>,
    waits: Waits,
    /// Iterations to count on of the loop around, or one.
    around: u64,
    /// The open leaf repeats (values of its own vary).
    in_loop_leaf: bool,
    /// The leaf that takes operations.
    open: Option<LeafId>,
    /// Under which condition the current operation runs, within the open leaf.
    predicate: Option<NodeId>,
    errors: Diagnostics,
    warnings: &'k mut Diagnostics,
}

/// Graphs of operator modules, with what was said when they were made.
static UNITS: LazyLock<Memo<(Graph, Diagnostics)>> = LazyLock::new(Memo::default);

/// The graph of the operator module of that name, and what there is to say about it.
fn unit_graph(name: &str, make: impl Fn() -> Graph) -> Arc<(Graph, Diagnostics)> {
    let rebuilt = || {
        let mut warnings = Diagnostics::default();
        (equal::rebuilt(make(), &mut warnings), warnings)
    };
    UNITS.once(name, rebuilt)
}

impl<'k> Lowering<'k> {
    fn new(kernel: &'k Kernel, warnings: &'k mut Diagnostics) -> Self {
        let program = Program::empty(&kernel.name, kernel.span);
        let mut lowering = Lowering {
            kernel,
            values: Values::of(kernel),
            program,
            builders: Table::new(),
            env: FastMap::default(),
            exported: FastMap::default(),
            var_nodes: FastMap::default(),
            unit_ids: HashMap::new(),
            divisions: integer::Divisions::default(),
            mem_ids: FastMap::default(),
            written: Touched::by_block(&kernel.body).written,
            accesses: touch::accesses(&kernel.body.ops),
            reads: FastMap::default(),
            adders: FastMap::default(),
            multipliers: FastMap::default(),
            larger_are_same: FastMap::default(),
            long: FastMap::default(),
            flushable: FastMap::default(),
            flushed: FastMap::default(),
            evaluated: 0,
            constants: FastMap::default(),
            counters: FastMap::default(),
            waits: Waits::UnderConditions,
            around: 1,
            in_loop_leaf: false,
            open: None,
            predicate: None,
            errors: Diagnostics::default(),
            warnings,
        };
        collect_constants(&kernel.body, &mut lowering.constants);
        // Wherever they stand: bounds of an inner loop are needed before the code around it.
        for (&value, constant) in &lowering.constants {
            let location = Location::Const(constant.clone());
            lowering.env.insert(value, location);
        }
        for (id, array) in kernel.arrays.iter() {
            if array.tags.is_rom && !matches!(array.kind, ArrayKind::Table(_)) {
                let why = "it is written, and a ROM is not";
                let message = format!("--storage {}:rom: {why}", array.name);
                lowering.error(codes::DIRECTIVE, array.span, message);
            }
            let banks = match array.stream {
                None => memories(array),
                Some(_) => sides(array).to_vec(),
            };
            let banks = banks.into_iter();
            let banks = banks.map(|bank| lowering.program.mems.push(bank));
            lowering.mem_ids.insert(id, banks.collect());
        }
        for param in &kernel.params {
            let port = lowering.param(param);
            lowering.program.args.push(port);
        }
        lowering
    }

    fn param(&mut self, param: &Param) -> PortRef {
        match param {
            Param::Array(id) if let Ok(&sides) = self.sides_of(*id).try_into() => {
                let array = &self.kernel.arrays[*id];
                PortRef::Stream(PortStream {
                    name: array.name.clone(),
                    elem: array.elem,
                    packed: array
                        .stream
                        .as_ref()
                        .and_then(|stream| stream.packed.clone()),
                    sides,
                })
            }
            Param::Array(id) => PortRef::Array(self.port_array(*id)),
            Param::Scalar(value) => {
                let ty = self.kernel.values[*value].ty;
                let name = self.name_of(*value, "arg");
                let var = self.var(&name, hw_type(ty), true);
                self.env.insert(*value, Location::Var(var));
                PortRef::Scalar { name, ty, var }
            }
        }
    }

    /// The memories that stand for the sides of a stream; none for an array.
    fn sides_of(&self, id: ArrayId) -> &[MemId] {
        match self.kernel.arrays[id].stream {
            Some(_) => &self.mem_ids[&id],
            None => &[],
        }
    }

    fn port_array(&self, id: ArrayId) -> PortArray {
        let array = &self.kernel.arrays[id];
        PortArray {
            name: array.name.clone(),
            elem: array.elem,
            shape: array.shape.clone(),
            tile: array.tags.tile,
            partition: array.partition.clone(),
            banks: self.mem_ids[&id].clone(),
        }
    }

    fn finish(mut self, mut root: Vec<Region>) -> Result<Program, Diagnostics> {
        let many = self.kernel.results.len() > 1;
        let port_name = |i: usize| {
            if many {
                format!("ap_return_{i}")
            } else {
                "ap_return".into()
            }
        };
        let mut yields = self.kernel.body.yields.iter();
        for (i, slot) in self.kernel.results.iter().enumerate() {
            let port = match slot {
                ResultSlot::Array(id) => {
                    let mut array = self.port_array(*id);
                    array.name = port_name(i);
                    for (bank, &mem) in array.banks.iter().enumerate() {
                        self.program.mems[mem].name =
                            bank_name(&array.name, &array.partition, bank);
                    }
                    PortRef::Array(array)
                }
                ResultSlot::Scalar(ty) => {
                    let var = self.var(&port_name(i), hw_type(*ty), false);
                    if let Some(&value) = yields.next() {
                        self.block_leaf(&mut root, self.kernel.span, "return");
                        let node = self.node(value);
                        self.leaf().writes.push((var, node));
                    }
                    PortRef::Scalar {
                        name: port_name(i),
                        ty: *ty,
                        var,
                    }
                }
            };
            self.program.returns.push(port);
        }
        if self.errors.has_errors() {
            return Err(self.errors);
        }
        let leaves = self.program.leaves.values_mut();
        for (leaf, builder) in leaves.zip(self.builders.values_mut()) {
            leaf.graph = std::mem::take(&mut builder.graph);
        }
        integer::specialise(&mut self.program, &self.divisions, self.warnings);
        self.hasten_carried_sums();
        self.offer_faster();
        self.program.drop_unused_units();
        self.program.root = Region::Seq(root);
        Ok(self.program)
    }

    // ----- vars, nodes, leaves -----

    fn var(&mut self, name: &str, ty: HwType, is_arg: bool) -> VarId {
        self.program.vars.push(Var {
            name: name.to_string(),
            ty,
            is_arg,
        })
    }

    fn name_of(&self, value: ValueId, otherwise: &str) -> String {
        let name = self.kernel.values[value].name.as_deref();
        name.unwrap_or(otherwise).to_string()
    }

    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.errors.push(Diagnostic::error(code, span, message));
    }

    /// The open leaf. Every caller runs between `open_leaf` and `close`.
    fn leaf(&mut self) -> &mut Leaf {
        let index = self.open.expect("a leaf is open");
        &mut self.program.leaves[index]
    }

    /// The builder of the open leaf, likewise.
    fn b(&mut self) -> &mut Builder {
        let index = self.open.expect("a leaf is open");
        &mut self.builders[index]
    }

    fn graph(&self, leaf: LeafId) -> &Graph {
        &self.builders[leaf].graph
    }

    fn open_leaf(&mut self, label: &str, span: Span) -> LeafId {
        let index = self.program.leaves.push(Leaf {
            label: label.to_string(),
            span,
            graph: Graph::new(),
            writes: Vec::new(),
            accesses: Vec::new(),
            repeat: None,
            promises: Vec::new(),
        });
        self.builders.push(Builder::new());
        self.open = Some(index);
        self.predicate = None;
        index
    }

    /// Opens a block at the end of `regions` unless one is open.
    fn block_leaf(&mut self, regions: &mut Vec<Region>, span: Span, label: &str) {
        if self.open.is_none() {
            let index = self.open_leaf(label, span);
            regions.push(Region::Leaf(index));
        }
    }

    fn close(&mut self) {
        self.open = None;
        self.predicate = None;
    }

    /// The node of a value in the open leaf.
    fn node(&mut self, value: ValueId) -> NodeId {
        match self.env.get(&value).cloned() {
            Some(Location::Const(c)) => self.b().constant(c),
            Some(Location::Var(var)) => self.var_node(var),
            Some(Location::Node { leaf, node }) if self.open == Some(leaf) => node,
            Some(Location::Node { leaf, node }) => {
                if let Some(c) = self.graph(leaf).as_const(node).cloned() {
                    return self.b().constant(c);
                }
                let name = self.name_of(value, "t");
                let var = self.export(leaf, node, &name);
                self.var_node(var)
            }
            // Only after an error that is already reported.
            None => self.b().constant(0),
        }
    }

    fn var_node(&mut self, var: VarId) -> NodeId {
        let leaf = self.open.expect("a leaf is open");
        if let Some(&node) = self.var_nodes.get(&(leaf, var)) {
            return node;
        }
        let Var { name, ty, .. } = self.program.vars[var].clone();
        let node = self.b().opaque(HwOp::Var(var), vec![], ty);
        self.b().graph.name(node, &name);
        self.var_nodes.insert((leaf, var), node);
        node
    }

    /// The var that takes a node's value when its leaf runs.
    fn export(&mut self, leaf: LeafId, node: NodeId, name: &str) -> VarId {
        if let Some(&var) = self.exported.get(&(leaf, node)) {
            return var;
        }
        let ty = self.graph(leaf).ty(node);
        let var = self.var(name, ty, false);
        self.program.leaves[leaf].writes.push((var, node));
        self.exported.insert((leaf, node), var);
        var
    }

    /// A var with the value of `value`, exported from the leaf that has it, or from the open leaf.
    fn var_of(&mut self, value: ValueId, name: &str) -> VarId {
        match self.env.get(&value).cloned() {
            Some(Location::Var(var)) => var,
            Some(Location::Node { leaf, node }) if self.graph(leaf).as_const(node).is_none() => {
                self.export(leaf, node, name)
            }
            _ => {
                let node = self.node(value);
                let leaf = self.open.expect("a leaf is open");
                self.export(leaf, node, name)
            }
        }
    }

    fn define(&mut self, value: ValueId, node: NodeId) {
        let leaf = self.open.expect("a leaf is open");
        if let Some(name) = self.kernel.values[value].name.clone() {
            self.b().graph.name(node, &name);
        }
        let location = match self.b().as_const(node).cloned() {
            Some(c) => Location::Const(c),
            None => Location::Node { leaf, node },
        };
        self.env.insert(value, location);
    }

    fn constant_of(&self, value: ValueId) -> Option<BigInt> {
        if let Some(c) = self.constants.get(&value) {
            return Some(c.clone());
        }
        match self.env.get(&value)? {
            Location::Const(c) => Some(c.clone()),
            Location::Node { leaf, node } => self.graph(*leaf).as_const(*node).cloned(),
            Location::Var(_) => None,
        }
    }

    /// The operator module of that name, which says all that its graph depends on; made on first use.
    fn unit(&mut self, name: &str, width: u32, make: impl Fn() -> Graph) -> UnitId {
        if let Some(&id) = self.unit_ids.get(name) {
            return id;
        }
        let (graph, warnings) = &*unit_graph(name, make);
        self.warnings.0.extend_from_slice(&warnings.0);
        self.push_unit(name, width, graph.clone())
    }

    fn push_unit(&mut self, name: &str, width: u32, graph: Graph) -> UnitId {
        let id = self.program.units.push(Unit::new(name, graph, width));
        self.unit_ids.insert(name.to_string(), id);
        id
    }

    // ----- regions -----

    fn region(&mut self, block: &Block) -> Vec<Region> {
        let mut regions = Vec::new();
        self.close();
        self.extend_region(block, &mut regions);
        regions
    }

    /// The regions of a block that runs that often for each run of the block around.
    fn repeated(&mut self, block: &Block, likely: u64) -> Vec<Region> {
        let around = std::mem::replace(&mut self.around, likely);
        let regions = self.region(block);
        self.around = around;
        regions
    }

    /// Lowers `block` after what is already in `regions`; the last block may stay open.
    fn extend_region(&mut self, block: &Block, regions: &mut Vec<Region>) {
        for run in self.runs(&block.ops) {
            let op = &run[0];
            if matches!(op.kind, OpKind::Const(_)) {
                continue;
            }
            if !op.contains_loop() {
                self.cut_before(op);
                self.block_leaf(regions, op.span, "block");
                self.straight(run);
            } else {
                match &op.kind {
                    OpKind::For(f) => self.for_region(f, op, regions),
                    OpKind::While(w) => self.while_region(w, op, regions),
                    OpKind::If(i) => self.if_region(i, op, regions),
                    _ => unreachable!("only control flow contains loops"),
                }
            }
        }
    }

    fn if_region(&mut self, branch: &If, op: &Op, regions: &mut Vec<Region>) {
        if let Some(c) = self.constant_of(branch.cond) {
            let taken = if c == BigInt::from(0) {
                &branch.otherwise
            } else {
                &branch.then
            };
            self.extend_region(taken, regions);
            for (&result, &value) in op.results.iter().zip(&taken.yields) {
                self.alias(result, value);
            }
            return;
        }
        self.block_leaf(regions, op.span, "if");
        let cond = self.var_of(branch.cond, "cond");
        let results: Vec<VarId> = op
            .results
            .iter()
            .map(|&r| {
                let (name, ty) = (self.name_of(r, "if"), hw_type(self.kernel.values[r].ty));
                self.var(&name, ty, false)
            })
            .collect();
        let mut arm = |block: &Block| {
            let mut arm_regions = self.region(block);
            if !results.is_empty() {
                self.block_leaf(&mut arm_regions, op.span, "merge");
                for (&var, &value) in results.iter().zip(&block.yields) {
                    let node = self.node(value);
                    self.leaf().writes.push((var, node));
                }
            }
            self.close();
            Box::new(Region::Seq(arm_regions))
        };
        let then = arm(&branch.then);
        let otherwise = arm(&branch.otherwise);
        for (&result, &var) in op.results.iter().zip(&results) {
            self.env.insert(result, Location::Var(var));
        }
        regions.push(Region::If {
            cond,
            then,
            otherwise,
        });
    }

    /// Makes `result` another name of `value`.
    fn alias(&mut self, result: ValueId, value: ValueId) {
        if let Some(location) = self.env.get(&value).cloned() {
            self.env.insert(result, location);
        }
    }

    fn for_region(&mut self, f: &For, op: &Op, regions: &mut Vec<Region>) {
        match nest::plan(self, f, op) {
            nest::Plan::Never => {
                for (&result, &init) in op.results.iter().zip(&f.inits) {
                    self.alias(result, init);
                }
            }
            nest::Plan::Pipeline(dims) => self.pipelined_nest(&dims, regions),
            nest::Plan::Sequential(why) => {
                self.say_in_turn(op, why.as_deref());
                self.sequential_for(f, op, why, regions);
            }
        }
    }

    fn while_region(&mut self, w: &While, op: &Op, regions: &mut Vec<Region>) {
        let inner = w.cond.ops.iter().chain(&w.body.ops).any(Op::contains_loop);
        let why = match inner {
            true => None,
            false => transfer::in_turn_because(self, false, [&w.cond, &w.body]),
        };
        if !inner && why.is_none() {
            return self.pipelined_while(w, op, regions);
        }
        self.say_in_turn(op, why.as_deref());
        self.sequential_while(w, op, why, regions);
    }

    /// Warns of a loop that is to be pipelined and is not, since each of its iterations does what `why` says.
    fn say_in_turn(&mut self, op: &Op, why: Option<&str>) {
        let (Some(why), Some(tags), Some(label)) = (why, op.kind.tags(), op.kind.label()) else {
            return;
        };
        if !tags.is_to_be_pipelined() {
            return;
        }
        let asked = tags.cause(label);
        self.warn_of_interval(
            op,
            &format!("{asked}: one iteration follows the other, since each {why}"),
        );
    }

    fn warn_of_interval(&mut self, op: &Op, message: &str) {
        let warning = Diagnostic::error(codes::INTERVAL, op.span, message).as_warning();
        self.warnings.push(warning);
    }

    /// Vars for carried values, written with `inits` in the open block (one is opened if needed).
    fn carried_vars(
        &mut self,
        carried: &[ValueId],
        inits: &[ValueId],
        span: Span,
        regions: &mut Vec<Region>,
    ) -> Vec<VarId> {
        self.block_leaf(regions, span, "init");
        let nodes: Vec<NodeId> = inits.iter().map(|&v| self.node(v)).collect();
        let mut vars = Vec::new();
        for (&param, node) in carried.iter().zip(nodes) {
            let (name, ty) = (
                self.name_of(param, "carried"),
                hw_type(self.kernel.values[param].ty),
            );
            let var = self.var(&name, ty, false);
            self.leaf().writes.push((var, node));
            vars.push(var);
        }
        for (&param, &var) in carried.iter().zip(&vars) {
            self.env.insert(param, Location::Var(var));
        }
        vars
    }

    fn sequential_while(
        &mut self,
        w: &While,
        op: &Op,
        in_turn: Option<String>,
        regions: &mut Vec<Region>,
    ) {
        let vars = self.carried_vars(&w.carried, &w.inits, op.span, regions);
        let mut head = self.region(&w.cond);
        self.block_leaf(&mut head, op.span, "while");
        let cond = self.var_of(w.cond.yields[0], "while");
        let likely = iterations::likely_turns(self, w);
        let mut body = self.repeated(&w.body, likely);
        self.update(&vars, &w.body.yields, op.span, &mut body);
        self.close();
        for (&result, &var) in op.results.iter().zip(&vars) {
            self.env.insert(result, Location::Var(var));
        }
        regions.push(Region::Repeat {
            head: Box::new(Region::Seq(head)),
            cond,
            body: Box::new(Region::Seq(body)),
            dim: LoopDim {
                label: w.label.clone(),
                span: op.span,
                trip: None,
                likely,
                is_while: true,
            },
            in_turn,
        });
    }

    /// Writes the carried values of the next iteration at the end of `body`.
    fn update(&mut self, vars: &[VarId], yields: &[ValueId], span: Span, body: &mut Vec<Region>) {
        self.block_leaf(body, span, "next");
        for (&var, &value) in vars.iter().zip(yields) {
            let node = self.node(value);
            if self.b().graph.nodes[node].op != HwOp::Var(var) {
                self.leaf().writes.push((var, node));
            }
        }
    }

    fn sequential_for(
        &mut self,
        f: &For,
        op: &Op,
        in_turn: Option<String>,
        regions: &mut Vec<Region>,
    ) {
        let mut vars = self.carried_vars(&f.carried, &f.inits, op.span, regions);
        let trip = iterations::constant(self, f);
        let ty = match &trip {
            Some(t) => nest::range_of(t).ty(),
            None => hw_type(Scalar::Index),
        };
        let iv = self.var(&f.label, ty, false);
        let cond = self.var(&format!("{}_more", f.label), HwType::ui(1), false);
        let lo = self.node(f.lo);
        let more = self.in_range(lo, f);
        self.leaf().writes.push((iv, lo));
        self.leaf().writes.push((cond, more));
        // Bounds are evaluated once, before the loop.
        for bound in [f.hi, f.step] {
            if self.constant_of(bound).is_none() {
                let var = self.var_of(bound, "bound");
                self.env.insert(bound, Location::Var(var));
            }
        }
        self.env.insert(f.iv, Location::Var(iv));
        let likely = iterations::likely(self, f);
        let mut body = self.repeated(&f.body, likely);
        self.update(&vars, &f.body.yields, op.span, &mut body);
        let here = self.var_node(iv);
        let step = self.node(f.step);
        let next = self.b().add(here, step);
        let more = self.in_range(next, f);
        self.leaf().writes.push((iv, next));
        self.leaf().writes.push((cond, more));
        self.close();
        for (&result, var) in op.results.iter().zip(vars.drain(..)) {
            self.env.insert(result, Location::Var(var));
        }
        regions.push(Region::Repeat {
            head: Box::new(Region::Seq(vec![])),
            cond,
            body: Box::new(Region::Seq(body)),
            dim: LoopDim {
                label: f.label.clone(),
                span: op.span,
                trip: trip.and_then(|t| t.count.to_u64()),
                likely,
                is_while: false,
            },
            in_turn,
        });
    }

    // ----- straight-line code -----

    fn straight_block(&mut self, block: &Block) {
        for run in self.runs(&block.ops) {
            self.straight(run);
        }
    }

    /// An operation, or accesses of which each bank serves one.
    fn straight(&mut self, run: &[Op]) {
        let op = &run[0];
        self.b().at(Some(op.span));
        match &op.kind {
            OpKind::Load { .. } if run.len() > 1 => self.rotated_loads(run),
            OpKind::Store { .. } if run.len() > 1 => self.rotated_stores(run),
            OpKind::Const(_) | OpKind::Assume { .. } => {}
            OpKind::For(_)
            | OpKind::While(_)
            | OpKind::If(_)
            | OpKind::Call(_)
            | OpKind::Fill { .. }
            | OpKind::Copy { .. } => {
                self.error(
                    codes::NOT_EXPANDED,
                    op.span,
                    "internal: this operation should have been expanded before selection",
                );
            }
            OpKind::Promise(promise) => self.promise(promise),
            OpKind::Load { at, bypassed } => self.load(op, at, *bypassed),
            OpKind::Store { at, value } => self.store(op, at, *value),
            OpKind::Get { at } => self.get(op, at),
            OpKind::Put { at, value } => self.put(op, at, *value),
            OpKind::Attempt { at, what } => self.attempt(op, at, *what),
            _ => {
                if let Some(node) = self.scalar_op(op) {
                    self.define(op.results[0], node);
                }
            }
        }
    }
}

fn bits_of(c: &Const) -> BigInt {
    match c {
        Const::Int(value) => value.clone(),
        Const::Float(bits) => BigInt::from(bits.clone()),
    }
}

/// A memory for each bank of an array.
fn memories(array: &Array) -> Vec<Mem> {
    let Array {
        shape, partition, ..
    } = array;
    let count = ir::partition::banks(shape, partition);
    let bank_shape = |bank: usize| ir::partition::bank_shape(shape, partition, bank as u64);
    let mut words = vec![Vec::new(); count as usize];
    if let Some(contents) = array.kind.contents() {
        for (bank, words) in words.iter_mut().enumerate() {
            // A skewed bank has addresses without an element.
            let depth = bank_shape(bank).iter().product::<u64>();
            words.resize(depth as usize, BigUint::from(0u32));
        }
        let unsigned = HwType::ui(array.elem.width());
        for (position, constant) in contents.iter().enumerate() {
            let (bank, address) = ir::partition::place(shape, partition, position as u64);
            let bits = unsigned.wrap(&bits_of(constant)).to_biguint();
            words[bank as usize][address as usize] = bits.unwrap_or_default();
        }
    }
    let banks = words.into_iter().enumerate();
    let banks = banks.map(|(bank, words)| {
        let shape = bank_shape(bank);
        let (depth, width) = (shape.iter().product::<u64>(), array.elem.width());
        let by_size = || MemoryKind::by_size(depth.saturating_mul(width.into()));
        Mem {
            name: bank_name(&array.name, partition, bank),
            elem: array.elem,
            depth,
            shape,
            width,
            kind: array.tags.memory.unwrap_or_else(by_size),
            place: match &array.kind {
                ArrayKind::Param(_) | ArrayKind::Result(_) => Place::External,
                ArrayKind::Local => Place::Local,
                ArrayKind::Table(_) => Place::Rom(words),
                ArrayKind::State(_) => Place::State(words),
            },
            ports: array.tags.most_ports(),
            is_asynchronous: false,
            span: array.span,
        }
    });
    banks.collect()
}

/// What stands for the sides of a stream.
fn sides(array: &Array) -> [Mem; Side::ALL.len()] {
    Side::ALL.map(|side| Mem {
        name: array.name.clone(),
        elem: array.elem,
        shape: Vec::new(),
        depth: 1,
        width: side.width(array.elem.width()),
        place: Place::Stream(side),
        kind: MemoryKind::Distributed,
        ports: 1,
        is_asynchronous: false,
        span: array.span,
    })
}

/// What the memory of a bank is called.
fn bank_name(array: &str, partition: &[Partition], bank: usize) -> String {
    match partition {
        [] => array.to_string(),
        _ => format!("{array}_{bank}"),
    }
}

fn collect_constants(block: &Block, constants: &mut FastMap<ValueId, BigInt>) {
    for op in &block.ops {
        if let OpKind::Const(c) = &op.kind {
            constants.insert(op.results[0], bits_of(c));
        }
        for inner in op.kind.blocks() {
            collect_constants(inner, constants);
        }
    }
}
