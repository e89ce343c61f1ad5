//! One scheduled graph as nets: operations, and the registers that carry values from cycle to cycle.

use super::cells::Cells;
use crate::diagnostics::{SourceMap, Span};
use crate::hash::FastMap;
use crate::hwarith::graph::{Op, Predicate};
use crate::hwarith::{Graph, HwType, NodeId, infer};
use crate::rtl::netlist::*;
use crate::schedule::Times;
use num_bigint::BigInt;
use std::cell::RefCell;

/// How long a register keeps a value before the next iteration overwrites it.
#[derive(Clone, Debug)]
pub enum Pace {
    /// A new value every cycle; no enables.
    EveryCycle,
    /// A new value every so many cycles; `valid[c]` is 1 while an iteration is in cycle c.
    Interval { cycles: u32, valid: Vec<NetId> },
    /// One value per activation; `valid` as above.
    Once { valid: Vec<NetId> },
}

/// What the environment supplies for nodes that are no operations.
pub trait Sources {
    /// The net (any width up to the node's type) of an input, var, phi, load or call result in the cycle in which it is ready.
    fn external(&mut self, cells: &mut Cells, path: &mut Datapath, node: NodeId) -> Operand;
}

/// The nets of a graph, made on demand.
pub struct Datapath<'a> {
    graph: &'a Graph,
    times: &'a Times,
    pace: Pace,
    sources: &'a SourceMap,
    /// Put before made-up names.
    prefix: String,
    /// Value of a node in the cycle in which it is ready, `times.width` bits.
    values: FastMap<NodeId, Operand>,
    delayed: FastMap<(NodeId, u32), Operand>,
    /// Last cycle in which a phi's own register still holds the value.
    held_until: FastMap<NodeId, u32>,
    /// Where a value is after its first cycle, without registers of its own.
    kept: FastMap<NodeId, Operand>,
    stable: Vec<bool>,
    /// Places of spans.
    origins: RefCell<FastMap<Span, Origin>>,
}

impl<'a> Datapath<'a> {
    /// Nothing is made yet.
    pub fn new(
        graph: &'a Graph,
        times: &'a Times,
        pace: Pace,
        sources: &'a SourceMap,
        prefix: &str,
    ) -> Self {
        Datapath {
            graph,
            times,
            pace,
            sources,
            prefix: prefix.to_string(),
            values: FastMap::default(),
            delayed: FastMap::default(),
            held_until: FastMap::default(),
            kept: FastMap::default(),
            stable: Vec::new(),
            origins: RefCell::default(),
        }
    }

    /// States which nodes have their value in every cycle.
    pub fn set_stable(&mut self, stable: Vec<bool>) {
        self.stable = stable;
    }

    /// States the last cycle in which a phi's register holds the value that the iteration read.
    pub fn hold(&mut self, phi: NodeId, until: u32) {
        self.held_until.insert(phi, until);
    }

    /// States where a value is from the cycle after its first on.
    pub fn keep(&mut self, node: NodeId, held: Operand) {
        self.kept.insert(node, held);
    }

    /// Cycles of the nodes.
    pub fn times(&self) -> &'a Times {
        self.times
    }

    /// The graph.
    pub fn graph(&self) -> &'a Graph {
        self.graph
    }

    /// Source place of a node, for comments.
    pub fn origin(&self, node: NodeId) -> Option<Origin> {
        let span = self.graph.nodes[node].span?;
        let mut origins = self.origins.borrow_mut();
        let origin = origins.entry(span);
        Some(
            origin
                .or_insert_with(|| self.sources.location(span).into())
                .clone(),
        )
    }

    /// A name for a node's net.
    pub fn label(&self, node: NodeId) -> String {
        match &self.graph.nodes[node].name {
            Some(name) => format!("{}{name}", self.prefix),
            None => format!("{}t{}", self.prefix, node.index()),
        }
    }

    /// `width` low bits of a node's exact value, in a cycle at or after the one in which it is ready.
    pub fn operand(
        &mut self,
        cells: &mut Cells,
        env: &mut dyn Sources,
        node: NodeId,
        cycle: u32,
        width: u32,
    ) -> Operand {
        if let Some(value) = self.graph.as_const(node) {
            return constant(value, width);
        }
        let value = self.at(cells, env, node, cycle);
        self.resize(cells, value, node, width)
    }

    /// Low bits of a node's net, or its extension by the node's sign.
    fn resize(&self, cells: &mut Cells, value: Operand, node: NodeId, width: u32) -> Operand {
        let ty = self.graph.ty(node);
        debug_assert!(
            width <= self.times.width[node.index()] || self.times.width[node.index()] == ty.width,
            "%{} is read beyond its demanded bits",
            node.index()
        );
        cells.resize(value, width, ty.signed, &self.label(node))
    }

    fn at(
        &mut self,
        cells: &mut Cells,
        env: &mut dyn Sources,
        node: NodeId,
        cycle: u32,
    ) -> Operand {
        let ready = self.times.ready[node.index()];
        let until = self.held_until.get(&node).copied().unwrap_or(ready);
        if self.stable.get(node.index()) == Some(&true) || cycle <= until {
            return self.value(cells, env, node);
        }
        if let Some(held) = self.kept.get(&node).cloned() {
            let width = self.times.width[node.index()];
            return cells.resize(held, width, false, &self.label(node));
        }
        let span = match &self.pace {
            Pace::EveryCycle => 1,
            Pace::Interval { cycles, .. } => *cycles,
            Pace::Once { .. } => u32::MAX,
        };
        // Register k takes the value at the end of cycle `until + k * span` and has it for `span` cycles.
        let k = (cycle - until - 1) / span;
        if let Some(operand) = self.delayed.get(&(node, k)) {
            return operand.clone();
        }
        let loaded = until + k * span;
        let source = self.at(cells, env, node, loaded);
        if source.net().is_none() {
            return source; // the same in every cycle
        }
        let enable = match &self.pace {
            Pace::EveryCycle => None,
            Pace::Interval { cycles: 1, .. } => None,
            Pace::Interval { valid, .. } | Pace::Once { valid } => {
                valid.get(loaded as usize).copied()
            }
        };
        let width = self.times.width[node.index()];
        let name = format!("{}_s{}", self.label(node), loaded + 1);
        let out = cells.register(&name, width, source, enable, None, self.origin(node));
        let operand = Operand::Net(out);
        self.delayed.insert((node, k), operand.clone());
        operand
    }

    /// Makes every node that influences something, in order, so that a deep graph does not recurse deeply.
    pub fn make_all(&mut self, cells: &mut Cells, env: &mut dyn Sources) {
        for (id, node) in self.graph.nodes.iter() {
            let alive = self.times.width[id.index()] > 0;
            if alive && !matches!(node.op, Op::Store(_) | Op::Const(_)) {
                self.value(cells, env, id);
            }
        }
    }

    /// The net of a node in the cycle in which it is ready.
    pub fn value(&mut self, cells: &mut Cells, env: &mut dyn Sources, node: NodeId) -> Operand {
        if let Some(value) = self.values.get(&node) {
            return value.clone();
        }
        // Operands first, in order, so that a deep graph does not recurse deeply.
        let value = self.make(cells, env, node);
        self.values.insert(node, value.clone());
        value
    }

    fn make(&mut self, cells: &mut Cells, env: &mut dyn Sources, id: NodeId) -> Operand {
        let graph = self.graph;
        let node = &graph.nodes[id];
        let width = self.times.width[id.index()].max(1);
        let cycle = self.times.start[id.index()];
        let expr = match &node.op {
            Op::Const(value) => return constant(value, width),
            Op::Input(_)
            | Op::Var(_)
            | Op::Phi
            | Op::Load(_)
            | Op::Call(_)
            | Op::Iterate { .. }
            | Op::Table(_)
            | Op::Store(_) => {
                let value = env.external(cells, self, id);
                return cells.resize(value, width, false, &self.label(id));
            }
            Op::Cast => return self.operand(cells, env, node.args[0], cycle, width),
            Op::Extract { lo } => {
                let value = self.operand(cells, env, node.args[0], cycle, lo + width);
                match (&node.name, value.net()) {
                    (Some(_), Some(value)) => Expr::Slice { value, lo: *lo },
                    _ => return cells.slice(value, *lo, width, &self.label(id)),
                }
            }
            Op::Concat => self.concat(cells, env, id, width),
            Op::Add | Op::Sub | Op::And | Op::Or | Op::Xor => Expr::Binary {
                op: binary(&node.op),
                lhs: self.operand(cells, env, node.args[0], cycle, width),
                rhs: self.operand(cells, env, node.args[1], cycle, width),
            },
            Op::Not => Expr::Not(self.operand(cells, env, node.args[0], cycle, width)),
            Op::Mul => {
                let (lhs, lhs_signed) = self.factor(cells, env, node.args[0], cycle, width);
                let (rhs, rhs_signed) = self.factor(cells, env, node.args[1], cycle, width);
                Expr::Multiply {
                    lhs,
                    lhs_signed,
                    rhs,
                    rhs_signed,
                }
            }
            Op::Div | Op::Mod => unreachable!("Program::validate admits no division"),
            Op::Icmp(predicate) => {
                let common = infer::common(graph.ty(node.args[0]), graph.ty(node.args[1]));
                Expr::Compare {
                    op: compare(*predicate),
                    signed: common.signed,
                    lhs: self.operand(cells, env, node.args[0], cycle, common.width),
                    rhs: self.operand(cells, env, node.args[1], cycle, common.width),
                }
            }
            Op::Mux => Expr::Mux {
                cond: self.operand(cells, env, node.args[0], cycle, 1),
                on_true: self.operand(cells, env, node.args[1], cycle, width),
                on_false: self.operand(cells, env, node.args[2], cycle, width),
            },
            Op::Shl => Expr::Shift {
                op: ShiftOp::Left,
                value: self.operand(cells, env, node.args[0], cycle, width),
                amount: self.whole(cells, env, node.args[1], cycle),
            },
            Op::Shr => {
                let full = node.ty.width;
                let shift = Expr::Shift {
                    op: if node.ty.signed {
                        ShiftOp::RightArithmetic
                    } else {
                        ShiftOp::Right
                    },
                    value: self.operand(cells, env, node.args[0], cycle, full),
                    amount: self.whole(cells, env, node.args[1], cycle),
                };
                let shifted = cells.assign_unnamed(&self.label(id), full, shift, self.origin(id));
                return cells.slice(Operand::Net(shifted), 0, width, &self.label(id));
            }
        };
        let (label, origin) = (self.label(id), self.origin(id));
        Operand::Net(match node.name {
            Some(_) => cells.assign(&label, width, expr, origin),
            None => cells.assign_unnamed(&label, width, expr, origin),
        })
    }

    fn whole(
        &mut self,
        cells: &mut Cells,
        env: &mut dyn Sources,
        node: NodeId,
        cycle: u32,
    ) -> Operand {
        let width = self.graph.width(node);
        self.operand(cells, env, node, cycle, width)
    }

    fn factor(
        &mut self,
        cells: &mut Cells,
        env: &mut dyn Sources,
        node: NodeId,
        cycle: u32,
        width: u32,
    ) -> (Operand, bool) {
        let ty = self.graph.ty(node);
        let value = self.operand(cells, env, node, cycle, ty.width.min(width));
        (value, ty.signed && ty.width <= width)
    }

    fn concat(&mut self, cells: &mut Cells, env: &mut dyn Sources, id: NodeId, width: u32) -> Expr {
        let node = &self.graph.nodes[id];
        let cycle = self.times.start[id.index()];
        let mut rest = width;
        let mut parts = Vec::new();
        for &arg in node.args.iter().rev() {
            let bits = self.graph.width(arg).min(rest);
            if bits == 0 {
                break;
            }
            parts.insert(0, self.operand(cells, env, arg, cycle, bits));
            rest -= bits;
        }
        Expr::Concat(parts)
    }

    /// The operands of a call, each of the width of the operator's input.
    pub fn call_operands(
        &mut self,
        cells: &mut Cells,
        env: &mut dyn Sources,
        id: NodeId,
        inputs: &[HwType],
    ) -> Vec<Operand> {
        let node = &self.graph.nodes[id];
        let cycle = self.times.start[id.index()];
        let pairs: Vec<(NodeId, u32)> = node
            .args
            .iter()
            .zip(inputs)
            .map(|(&a, t)| (a, t.width))
            .collect();
        pairs
            .into_iter()
            .map(|(arg, width)| self.operand(cells, env, arg, cycle, width))
            .collect()
    }
}

/// The low `width` bits of an integer.
pub fn constant(value: &BigInt, width: u32) -> Operand {
    let bits = HwType::ui(width).wrap(value);
    Operand::Const {
        width,
        value: bits.to_biguint().unwrap_or_default(),
    }
}

fn binary(op: &Op) -> BinaryOp {
    match op {
        Op::Add => BinaryOp::Add,
        Op::Sub => BinaryOp::Sub,
        Op::And => BinaryOp::And,
        Op::Or => BinaryOp::Or,
        _ => BinaryOp::Xor,
    }
}

fn compare(predicate: Predicate) -> CompareOp {
    match predicate {
        Predicate::Eq => CompareOp::Eq,
        Predicate::Ne => CompareOp::Ne,
        Predicate::Lt => CompareOp::Lt,
        Predicate::Le => CompareOp::Le,
        Predicate::Gt => CompareOp::Gt,
        Predicate::Ge => CompareOp::Ge,
    }
}
