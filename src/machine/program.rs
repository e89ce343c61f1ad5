//! A whole kernel over hwarith graphs: memories, registers, and a tree of regions.
//!
//! A *leaf* is a graph that is scheduled as one pipeline: a straight-line block, or a loop without inner
//! loops that cannot be flattened. Leaves exchange scalars through *vars* (registers). The region tree
//! says in which order leaves run. A leaf reads a var's value from before its own start; its writes are
//! visible to leaves that start after it is done.

use crate::diagnostics::Span;
use crate::hwarith::builder::Builder;
use crate::hwarith::demand::Memories;
use crate::hwarith::graph::{Graph, MemId, NodeId, VarId};
use crate::hwarith::types::HwType;
use crate::ir::Scalar;
use num_bigint::BigUint;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A kernel ready for scheduling.
#[derive(Clone, Debug)]
pub struct Program {
    /// Module name.
    pub name: String,
    /// The kernel's definition.
    pub span: Span,
    /// Operator modules, shared by all leaves.
    pub units: Vec<Unit>,
    /// Memories inside and outside of the module.
    pub mems: Vec<Mem>,
    /// Registers and scalar arguments.
    pub vars: Vec<Var>,
    /// Pipelines.
    pub leaves: Vec<Leaf>,
    /// What runs when.
    pub root: Region,
    /// Arguments in order.
    pub args: Vec<PortRef>,
    /// Results in order.
    pub returns: Vec<PortRef>,
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
    Array(MemId),
}

/// A pipelined operator module: a pure graph of inputs and outputs.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Module name, e.g. `fadd_e8f23`.
    pub name: String,
    /// What it computes; one output.
    pub graph: Graph,
    /// Bits of the result port; the output's type may be narrower where the top bits are always 0.
    pub width: u32,
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
    /// Declaration.
    pub span: Span,
}

impl Mem {
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
    /// Inside.
    Local,
    /// Inside, constant.
    Rom(Vec<BigUint>),
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
    /// Operations; during lowering with their ranges.
    pub builder: Builder,
    /// Vars that take a node's value, cast to the var's type.
    pub writes: Vec<(VarId, NodeId)>,
    /// Loads and stores in program order.
    pub accesses: Vec<Access>,
    /// What repeats it.
    pub repeat: Option<Loop>,
}

impl Leaf {
    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.builder.graph
    }
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pin {
    /// All.
    Any,
    /// The first: code before an inner loop.
    First,
    /// The last: code after an inner loop.
    Last,
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

/// A pipelined loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Carried values: the phi node and the var that is its register.
    pub phis: Vec<(NodeId, VarId)>,
    /// `ui1`: no iteration follows this one.
    pub last: NodeId,
    /// `ui1` var: whether there is a first iteration; `None`: always.
    pub enter: Option<VarId>,
    /// Flattened dimensions, outermost first.
    pub dims: Vec<LoopDim>,
}

impl Loop {
    /// Number of iterations, if constant.
    pub fn trip(&self) -> Option<u64> {
        self.dims
            .iter()
            .try_fold(1u64, |product, d| product.checked_mul(d.trip?))
    }
}

/// One dimension of a flattened nest.
#[derive(Clone, Debug)]
pub struct LoopDim {
    /// Loop variable or `name=`.
    pub label: String,
    /// Statement.
    pub span: Span,
    /// Iterations, if constant.
    pub trip: Option<u64>,
}

/// What runs when.
#[derive(Clone, Debug)]
pub enum Region {
    /// A pipeline, by index.
    Leaf(usize),
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
    },
}

impl Region {
    /// Marks the vars that control flow depends on.
    fn mark_reads(&self, read: &mut [bool]) {
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
        read[cond.0 as usize] = true;
    }
}

impl Memories for Program {
    fn address_width(&self, mem: MemId) -> u32 {
        self.mems[mem.0 as usize].address_width()
    }
    fn data_width(&self, mem: MemId) -> u32 {
        self.mems[mem.0 as usize].width
    }
}

impl Program {
    /// A kernel that does nothing yet.
    pub fn empty(name: &str, span: Span) -> Program {
        Program {
            name: name.to_string(),
            span,
            units: Vec::new(),
            mems: Vec::new(),
            vars: Vec::new(),
            leaves: Vec::new(),
            root: Region::Seq(Vec::new()),
            args: Vec::new(),
            returns: Vec::new(),
        }
    }

    /// One operator module and nothing that uses it. `width`: bits of its result.
    pub fn of_unit(name: &str, graph: Graph, width: u32) -> Program {
        let mut program = Program::empty(name, Span::default());
        program.units.push(Unit {
            name: name.to_string(),
            graph,
            width,
        });
        program
    }

    /// Demanded width of every node of every leaf.
    pub fn demanded(&self) -> Vec<Vec<u32>> {
        let read = self.read_vars();
        let leaves = self.leaves.iter();
        leaves.map(|leaf| self.demanded_by(leaf, &read)).collect()
    }

    fn demanded_by(&self, leaf: &Leaf, read: &[bool]) -> Vec<u32> {
        let mut roots: Vec<(NodeId, u32)> = leaf
            .writes
            .iter()
            .map(|&(var, node)| (node, self.vars[var.0 as usize].ty.width))
            .collect();
        if let Some(repeat) = &leaf.repeat {
            roots.push((repeat.last, 1));
            // A carried value may be read after the loop.
            roots.extend(
                repeat
                    .phis
                    .iter()
                    .map(|&(phi, var)| (phi, if read[var.0 as usize] { u32::MAX } else { 0 })),
            );
        }
        crate::hwarith::demand::demanded(leaf.graph(), &roots, Some(self))
    }

    /// Forgets the accesses of loads whose value influences nothing.
    pub fn drop_dead_loads(&mut self) {
        let demanded = self.demanded();
        for (leaf, widths) in self.leaves.iter_mut().zip(demanded) {
            leaf.accesses
                .retain(|a| a.is_store || widths[a.node.index()] > 0);
        }
    }

    /// For each var whether any leaf, condition or result reads it.
    fn read_vars(&self) -> Vec<bool> {
        use crate::hwarith::graph::Op;
        let mut read = vec![false; self.vars.len()];
        for port in &self.returns {
            if let PortRef::Scalar { var, .. } = port {
                read[var.0 as usize] = true;
            }
        }
        for leaf in &self.leaves {
            for (_, node) in leaf.graph().nodes.iter() {
                if let Op::Var(var) = node.op {
                    read[var.0 as usize] = true;
                }
            }
        }
        self.root.mark_reads(&mut read);
        read
    }

    /// Text of the whole program (`--emit hwarith`).
    pub fn print(&self) -> String {
        // Writing to a String cannot fail, here and below.
        let mut out = format!("kernel @{} {{\n", self.name);
        for (i, unit) in self.units.iter().enumerate() {
            let _ = write!(
                out,
                "  unit u{i} @{} {{\n{}  }}\n",
                unit.name,
                unit.graph.print(4)
            );
        }
        for (i, mem) in self.mems.iter().enumerate() {
            let place = match &mem.place {
                Place::External => "external",
                Place::Local => "local",
                Place::Rom(_) => "rom",
            };
            let _ = writeln!(
                out,
                "  mem m{i} {place} {} : {} x ui{}",
                mem.name, mem.depth, mem.width
            );
        }
        for (i, var) in self.vars.iter().enumerate() {
            let kind = if var.is_arg { "arg" } else { "reg" };
            let _ = writeln!(out, "  var v{i} {kind} {} : {}", var.name, var.ty);
        }
        self.print_region(&self.root, 2, &mut out);
        out.push_str("}\n");
        out
    }

    fn print_region(&self, region: &Region, indent: usize, out: &mut String) {
        match region {
            Region::Leaf(i) => self.print_leaf(*i, indent, out),
            Region::Seq(parts) => parts.iter().for_each(|p| self.print_region(p, indent, out)),
            Region::If {
                cond,
                then,
                otherwise,
            } => {
                let _ = writeln!(out, "{:indent$}if v{} {{", "", cond.0);
                self.print_region(then, indent + 2, out);
                let _ = writeln!(out, "{:indent$}}} else {{", "");
                self.print_region(otherwise, indent + 2, out);
                let _ = writeln!(out, "{:indent$}}}", "");
            }
            Region::Repeat {
                head,
                cond,
                body,
                dim,
            } => {
                let _ = writeln!(out, "{:indent$}repeat {} {{", "", dim.label);
                self.print_region(head, indent + 2, out);
                let _ = writeln!(out, "{:indent$}}} while v{} {{", "", cond.0);
                self.print_region(body, indent + 2, out);
                let _ = writeln!(out, "{:indent$}}}", "");
            }
        }
    }

    fn print_leaf(&self, index: usize, indent: usize, out: &mut String) {
        let leaf = &self.leaves[index];
        let kind = match &leaf.repeat {
            None => "block".to_string(),
            Some(repeat) => {
                let dims: Vec<String> = repeat
                    .dims
                    .iter()
                    .map(|d| match d.trip {
                        Some(n) => format!("{} x {n}", d.label),
                        None => d.label.clone(),
                    })
                    .collect();
                format!("loop ({})", dims.join(", "))
            }
        };
        let _ = writeln!(out, "{:indent$}leaf {index} {} {kind} {{", "", leaf.label);
        out.push_str(&leaf.graph().print(indent + 2));
        if let Some(repeat) = &leaf.repeat {
            for (phi, var) in &repeat.phis {
                let _ = writeln!(out, "{:indent$}  carry v{} = %{}", "", var.0, phi.index());
            }
            let _ = writeln!(out, "{:indent$}  last %{}", "", repeat.last.index());
        }
        for (var, node) in &leaf.writes {
            let _ = writeln!(out, "{:indent$}  write v{} = %{}", "", var.0, node.index());
        }
        let _ = writeln!(out, "{:indent$}}}", "");
    }

    /// Checks every graph and every reference to a var, memory, unit or leaf.
    pub fn validate(&self) -> Result<(), String> {
        use crate::hwarith::graph::Op;
        for unit in &self.units {
            unit.graph
                .validate()
                .map_err(|e| format!("unit {}: {e}", unit.name))?;
            let mut nodes = unit.graph.nodes.iter();
            if nodes.any(|(_, n)| matches!(n.op, Op::Div | Op::Mod)) {
                return Err(format!("unit {} divides", unit.name));
            }
        }
        for (i, leaf) in self.leaves.iter().enumerate() {
            let fail = |what: String| Err(format!("leaf {i}: {what}"));
            leaf.graph().validate().or_else(fail)?;
            for (id, node) in leaf.graph().nodes.iter() {
                let ok = match node.op {
                    Op::Var(v) => self
                        .vars
                        .get(v.0 as usize)
                        .is_some_and(|var| var.ty == node.ty),
                    Op::Call(u) => self.units.get(u.0 as usize).is_some(),
                    Op::Load(m) => self
                        .mems
                        .get(m.0 as usize)
                        .is_some_and(|m| m.width == node.ty.width),
                    Op::Store(m) => self
                        .mems
                        .get(m.0 as usize)
                        .is_some_and(|m| !matches!(m.place, Place::Rom(_))),
                    Op::Phi => leaf
                        .repeat
                        .as_ref()
                        .is_some_and(|r| r.phis.iter().any(|p| p.0 == id)),
                    Op::Input(_) | Op::Iterate { .. } => false,
                    Op::Div | Op::Mod => false,
                    Op::Add => node.args.len() == 2,
                    _ => true,
                };
                if !ok {
                    return fail(format!("node %{} does not fit the program", id.index()));
                }
            }
            for &(var, _) in &leaf.writes {
                if self.vars.get(var.0 as usize).is_none_or(|v| v.is_arg) {
                    return fail(format!("writes v{}", var.0));
                }
            }
        }
        let mut seen = vec![0u32; self.leaves.len()];
        count_leaves(&self.root, &mut seen);
        if seen.iter().any(|&n| n != 1) {
            return Err("a leaf does not stand exactly once in the region tree".into());
        }
        Ok(())
    }
}

fn count_leaves(region: &Region, seen: &mut [u32]) {
    match region {
        Region::Leaf(i) => seen[*i] += 1,
        Region::Seq(parts) => parts.iter().for_each(|p| count_leaves(p, seen)),
        Region::If {
            then, otherwise, ..
        } => {
            count_leaves(then, seen);
            count_leaves(otherwise, seen);
        }
        Region::Repeat { head, body, .. } => {
            count_leaves(head, seen);
            count_leaves(body, seen);
        }
    }
}
