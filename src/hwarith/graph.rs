//! The dataflow graph of hwarith operations: data structure, builder, printer, validator.
//!
//! Nodes are in topological order: an operand comes before its user, except that the `next`
//! operand of a [`Op::Phi`] may come after it. Every type is the one that [`super::infer`] gives; the
//! builder computes it and [`Graph::validate`] recomputes it.

use super::infer;
use super::table::Table;
use super::types::HwType;
use crate::arena::{Arena, Id};
use crate::diagnostics::Span;
use num_bigint::BigInt;
use std::fmt::Write as _;
use std::sync::Arc;

/// Handle of a node.
pub type NodeId = Id<Node>;

/// What handles of the program around a graph stand for.
pub mod outside {
    /// An operator module.
    pub enum Unit {}
    /// A memory.
    pub enum Mem {}
    /// A register that carries a scalar between regions, or a scalar argument.
    pub enum Var {}
}

/// Handle of an operator module of the program.
pub type UnitId = Id<outside::Unit>;
/// Handle of a memory of the program.
pub type MemId = Id<outside::Mem>;
/// Handle of a register or scalar argument of the program.
pub type VarId = Id<outside::Var>;

/// Order of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Predicate {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
}

impl Predicate {
    /// All of them.
    pub const ALL: [Predicate; 6] = [
        Predicate::Eq,
        Predicate::Ne,
        Predicate::Lt,
        Predicate::Le,
        Predicate::Gt,
        Predicate::Ge,
    ];
    /// Name in printed forms.
    pub fn name(self) -> &'static str {
        match self {
            Predicate::Eq => "eq",
            Predicate::Ne => "ne",
            Predicate::Lt => "lt",
            Predicate::Le => "le",
            Predicate::Gt => "gt",
            Predicate::Ge => "ge",
        }
    }
    /// Its truth for an ordering of the operands.
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Predicate::Eq => order.is_eq(),
            Predicate::Ne => order.is_ne(),
            Predicate::Lt => order.is_lt(),
            Predicate::Le => order.is_le(),
            Predicate::Gt => order.is_gt(),
            Predicate::Ge => order.is_ge(),
        }
    }
}

/// What a node computes from its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A constant; the type is the narrowest that holds it.
    Const(BigInt),
    /// The input of that number of an operator module; any type.
    Input(u32),
    /// A register or scalar argument of the kernel; any type.
    Var(VarId),
    /// Sum of two or more terms; schedules know only two.
    Add,
    /// Difference.
    Sub,
    /// Product of two.
    Mul,
    /// Quotient truncated toward zero; of a zero divisor all ones. Has no hardware of its own.
    Div,
    /// Remainder with the sign of the dividend; of a zero divisor the low bits of the dividend. Has no
    /// hardware of its own.
    Mod,
    /// Comparison in the common type; `ui1`.
    Icmp(Predicate),
    /// Adjust the width by the argument's signedness, then reinterpret as the node's type.
    Cast,
    /// Bitwise and in the common type.
    And,
    /// Bitwise or in the common type.
    Or,
    /// Bitwise exclusive or in the common type.
    Xor,
    /// Every bit flipped; the argument's type.
    Not,
    /// `value << amount` in the value's type (high bits lost); the amount is unsigned, and gives 0 from
    /// the width on.
    Shl,
    /// `value >> amount` in the value's type, arithmetic if signed; the amount is unsigned, and gives the
    /// fill from the width on.
    Shr,
    /// `cond ? a : b` (`cond` is `ui1`) in the common type.
    Mux,
    /// Bits of all arguments, the first on top; unsigned.
    Concat,
    /// Bits `lo .. lo + width` of the argument, within its width; unsigned.
    Extract { lo: u32 },
    /// The word of the table at an address. Operator modules only: its hardware is a memory with a register, like a
    /// load's.
    Table(Arc<Table>),
    /// Result of the operator module; its arguments are the module's inputs.
    Call(UnitId),
    /// The state after `count` applications of the step graph of that number (`Graph::steps`): `args[0]` is the
    /// initial state, the others are the same in every step. The type is the state's.
    Iterate { step: u32, count: u32 },
    /// Value carried around a loop: args `[init, next]`; the declared type holds both after a cast.
    Phi,
    /// Element `args[0]` of a memory. The address may be out of range if the result is not used.
    Load(MemId),
    /// Writes `args[1]` to element `args[0]` where `args[2]` (`ui1`) is 1. Its own type is `ui1` and unused.
    Store(MemId),
}

/// An operation with its result type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The operation.
    pub op: Op,
    /// Its operands.
    pub args: Vec<NodeId>,
    /// Type of the result.
    pub ty: HwType,
    /// Where it comes from.
    pub span: Option<Span>,
    /// The source name it was bound to, if any.
    pub name: Option<String>,
}

/// A dataflow graph with named outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// All nodes in topological order.
    pub nodes: Arena<Node>,
    /// Results, in order (operator modules).
    pub outputs: Vec<NodeId>,
    /// Steps of the [`Op::Iterate`] nodes: input 0 is the state, the others are invariants; one output, the next state.
    pub steps: Vec<Graph>,
    /// Span given to nodes made from now on.
    pub span: Option<Span>,
}

impl Graph {
    /// An empty graph.
    pub fn new() -> Graph {
        Graph::default()
    }
    /// Type of a node.
    #[inline]
    pub fn ty(&self, id: NodeId) -> HwType {
        self.nodes[id].ty
    }
    /// Width of a node in bits.
    #[inline]
    pub fn width(&self, id: NodeId) -> u32 {
        self.ty(id).width
    }
    /// The constant that a node is, if it is one.
    #[inline]
    pub fn as_const(&self, id: NodeId) -> Option<&BigInt> {
        match &self.nodes[id].op {
            Op::Const(value) => Some(value),
            _ => None,
        }
    }
    /// Adds a node of a given type. The caller answers for the type; all other builders infer it.
    pub fn push(&mut self, op: Op, args: Vec<NodeId>, ty: HwType) -> NodeId {
        let span = self.span;
        self.nodes.push(Node {
            op,
            args,
            ty,
            span,
            name: None,
        })
    }
    /// Adds a node with the inferred type of its operation.
    pub fn infer(&mut self, op: Op, args: Vec<NodeId>) -> NodeId {
        let types: Vec<HwType> = args.iter().map(|&a| self.ty(a)).collect();
        let ty = infer_type(&op, &types).expect("operation has an inferred type");
        self.push(op, args, ty)
    }
    /// A constant of the narrowest type.
    pub fn constant(&mut self, value: impl Into<BigInt>) -> NodeId {
        let value = value.into();
        let ty = HwType::of_range(&value, &value);
        self.push(Op::Const(value), vec![], ty)
    }
    /// Input `index` of an operator module.
    pub fn input(&mut self, index: u32, ty: HwType) -> NodeId {
        self.push(Op::Input(index), vec![], ty)
    }
    /// Exact sum.
    pub fn add(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.infer(Op::Add, vec![a, b])
    }
    /// Exact difference.
    pub fn sub(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.infer(Op::Sub, vec![a, b])
    }
    /// Exact product.
    pub fn mul(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.infer(Op::Mul, vec![a, b])
    }
    /// Quotient, truncated; all ones if `b` is 0.
    pub fn div(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.infer(Op::Div, vec![a, b])
    }
    /// Remainder with the sign of `a`; the low bits of `a` if `b` is 0.
    pub fn modulo(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.infer(Op::Mod, vec![a, b])
    }
    /// Comparison; `ui1`.
    pub fn icmp(&mut self, predicate: Predicate, a: NodeId, b: NodeId) -> NodeId {
        self.infer(Op::Icmp(predicate), vec![a, b])
    }
    /// Bitwise and in the common type.
    pub fn and(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.infer(Op::And, vec![a, b])
    }
    /// Bitwise or in the common type.
    pub fn or(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.infer(Op::Or, vec![a, b])
    }
    /// Bitwise exclusive or in the common type.
    pub fn xor(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.infer(Op::Xor, vec![a, b])
    }
    /// All bits flipped.
    pub fn not(&mut self, a: NodeId) -> NodeId {
        self.infer(Op::Not, vec![a])
    }
    /// `cond ? a : b`.
    pub fn mux(&mut self, cond: NodeId, a: NodeId, b: NodeId) -> NodeId {
        self.infer(Op::Mux, vec![cond, a, b])
    }
    /// Left shift within the type of `value`; `amount` is unsigned.
    pub fn shl(&mut self, value: NodeId, amount: NodeId) -> NodeId {
        self.infer(Op::Shl, vec![value, amount])
    }
    /// Right shift within the type of `value`; `amount` is unsigned.
    pub fn shr(&mut self, value: NodeId, amount: NodeId) -> NodeId {
        self.infer(Op::Shr, vec![value, amount])
    }
    /// Bits of all parts, the first on top.
    pub fn concat(&mut self, parts: &[NodeId]) -> NodeId {
        self.infer(Op::Concat, parts.to_vec())
    }
    /// `width` bits of `value` from bit `lo` up, which must lie within it.
    pub fn extract(&mut self, value: NodeId, lo: u32, width: u32) -> NodeId {
        debug_assert!(width >= 1 && lo + width <= self.width(value));
        self.push(Op::Extract { lo }, vec![value], HwType::ui(width))
    }
    /// The word at `address`, unsigned, of a table. Up to as many words as there are addresses, the last one is
    /// repeated.
    ///
    /// # Panics
    /// If there are no words, or more than addresses.
    pub fn table(&mut self, mut words: Vec<BigInt>, address: NodeId) -> NodeId {
        let last = words.last().expect("a table has words").clone();
        words.resize(words.len().max(1 << self.width(address)), last);
        let table = Table::new(words).expect("a table has words");
        self.infer(Op::Table(Arc::new(table)), vec![address])
    }
    /// One bit of `value`.
    pub fn bit(&mut self, value: NodeId, index: u32) -> NodeId {
        self.extract(value, index, 1)
    }
    /// Cast; nothing is added if the type is already `ty`.
    pub fn cast(&mut self, value: NodeId, ty: HwType) -> NodeId {
        if self.ty(value) == ty {
            value
        } else {
            self.push(Op::Cast, vec![value], ty)
        }
    }
    /// The state after `count` applications of `step` to `args[0]`, an unsigned word; `args[1..]` are the step's
    /// further inputs. Each argument fits the type of its input; the step's output has the state's type.
    pub fn iterate(&mut self, step: Graph, count: u32, args: &[NodeId]) -> NodeId {
        let ty = step.input_types()[0];
        let step = self.add_step(step);
        self.push(Op::Iterate { step, count }, args.to_vec(), ty)
    }
    /// Number of a new step graph.
    pub(crate) fn add_step(&mut self, step: Graph) -> u32 {
        self.steps.push(step);
        self.steps.len() as u32 - 1
    }
    /// Types of the inputs, in order.
    pub fn input_types(&self) -> Vec<HwType> {
        let mut inputs: Vec<(u32, HwType)> = self
            .nodes
            .iter()
            .filter_map(|(_, n)| match n.op {
                Op::Input(i) => Some((i, n.ty)),
                _ => None,
            })
            .collect();
        inputs.sort();
        inputs.into_iter().map(|(_, ty)| ty).collect()
    }
    /// Gives a node a source name unless it has one.
    pub fn name(&mut self, id: NodeId, name: &str) {
        self.nodes[id].name.get_or_insert_with(|| name.to_string());
    }

    /// Text of the graph, a line a node; `indent` spaces before each.
    pub fn print(&self, indent: usize) -> String {
        let mut out = String::new();
        for (number, step) in self.steps.iter().enumerate() {
            let _ = writeln!(out, "{:indent$}step {number} {{", "");
            out.push_str(&step.print(indent + 2));
            let _ = writeln!(out, "{:indent$}}}", "");
        }
        for id in self.nodes.ids() {
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{:indent$}{}", "", self.node_text(id));
        }
        if !self.outputs.is_empty() {
            let outs: Vec<String> = self
                .outputs
                .iter()
                .map(|o| format!("%{}", o.index()))
                .collect();
            let _ = writeln!(out, "{:indent$}hwarith.output {}", "", outs.join(", "));
        }
        out
    }

    /// Text of a node: `%2 = hwarith.add %0, %1 : (ui3, ui4) -> ui5`.
    pub fn node_text(&self, id: NodeId) -> String {
        let node = &self.nodes[id];
        let args: Vec<String> = node
            .args
            .iter()
            .map(|a| format!("%{}", a.index()))
            .collect();
        let types: Vec<String> = node
            .args
            .iter()
            .map(|&a| self.nodes.get(a).map_or("?".into(), |n| n.ty.to_string()))
            .collect();
        let operation = format!("%{} = {}", id.index(), op_text(&node.op));
        let mut text = match (&node.op, args.is_empty()) {
            (_, true) => format!("{operation} : {}", node.ty),
            // A store has no result.
            (Op::Store(_), _) => {
                let (_, store) = operation.split_once(" = ").unwrap_or(("", &operation));
                format!("{store} {} : {}", args.join(", "), types.join(", "))
            }
            _ => format!(
                "{operation} {} : ({}) -> {}",
                args.join(", "),
                types.join(", "),
                node.ty
            ),
        };
        if let Some(name) = &node.name {
            let _ = write!(text, "  // {name}");
        }
        text
    }

    /// Whether this step takes arguments of these types and gives a state of that type.
    fn takes(&self, args: &[HwType], state: HwType) -> bool {
        let inputs = self.input_types();
        inputs.len() == args.len()
            && inputs.first() == Some(&state)
            && args.iter().zip(&inputs).all(|(a, input)| fits(*a, *input))
    }

    /// Checks order, arity and every inferred type.
    pub fn validate(&self) -> Result<(), String> {
        for (number, step) in self.steps.iter().enumerate() {
            validate_step(step).map_err(|e| format!("step {number}: {e}"))?;
        }
        for id in self.nodes.ids() {
            self.check(id)
                .map_err(|what| format!("node %{}: {what}", id.index()))?;
        }
        if self.outputs.iter().any(|&o| self.nodes.get(o).is_none()) {
            return Err("output is no node".into());
        }
        Ok(())
    }

    /// Checks one node: order, arity, type.
    pub(crate) fn check(&self, id: NodeId) -> Result<(), String> {
        let node = &self.nodes[id];
        for (i, &arg) in node.args.iter().enumerate() {
            let back_edge = node.op == Op::Phi && i == 1;
            if self.nodes.get(arg).is_none() || (arg >= id && !back_edge) {
                return Err("operand does not come before its user".into());
            }
        }
        if node.ty.width == 0 {
            return Err("zero width".into());
        }
        let types: Vec<HwType> = node.args.iter().map(|&a| self.ty(a)).collect();
        let declared = matches!(
            node.op,
            Op::Input(_)
                | Op::Var(_)
                | Op::Cast
                | Op::Call(_)
                | Op::Iterate { .. }
                | Op::Phi
                | Op::Load(_)
                | Op::Extract { .. }
        );
        let arity_ok = match node.op {
            Op::Const(_) | Op::Input(_) | Op::Var(_) => types.is_empty(),
            Op::Cast | Op::Not | Op::Extract { .. } | Op::Table(_) | Op::Load(_) => {
                types.len() == 1
            }
            Op::Mux | Op::Store(_) => types.len() == 3,
            Op::Concat => !types.is_empty(),
            Op::Add => types.len() >= 2,
            Op::Call(_) | Op::Iterate { .. } => true,
            _ => types.len() == 2,
        };
        if !arity_ok {
            return Err("wrong number of operands".into());
        }
        if let (Op::Extract { lo }, [from]) = (&node.op, &types[..])
            && (node.ty.signed || u64::from(*lo) + u64::from(node.ty.width) > u64::from(from.width))
        {
            return Err("extract outside its operand".into());
        }
        if let Op::Iterate { step, .. } = node.op {
            let step = self.steps.get(step as usize);
            if !step.is_some_and(|s| s.takes(&types, node.ty)) {
                return Err("operands do not fit the step".into());
            }
        }
        if !declared && infer_type(&node.op, &types) != Some(node.ty) {
            return Err(format!("type {} is not the inferred one", node.ty));
        }
        Ok(())
    }
}

/// A step has one output, which is a value of its first input's type, and no steps of its own.
pub(crate) fn validate_step(step: &Graph) -> Result<(), String> {
    step.validate()?;
    let inputs = step.input_types();
    match (inputs.first(), step.outputs[..].len()) {
        _ if !step.steps.is_empty() => Err("has steps of its own".into()),
        (Some(state), 1) if fits(step.ty(step.outputs[0]), *state) && !state.signed => Ok(()),
        _ => Err("is no function from the state to the state".into()),
    }
}

/// Whether every value of the first type is one of the second.
fn fits(inner: HwType, outer: HwType) -> bool {
    outer.contains(&inner.min()) && outer.contains(&inner.max())
}

/// Inferred result type; `None` where the type is declared (`Cast`, inputs, ...) or an operand does not fit.
pub fn infer_type(op: &Op, args: &[HwType]) -> Option<HwType> {
    Some(match (op, args) {
        (Op::Const(value), []) => HwType::of_range(value, value),
        (Op::Add, terms @ [_, _, ..]) => infer::sum(terms),
        (Op::Sub, [a, b]) => infer::sub(*a, *b),
        (Op::Mul, [a, b]) => infer::mul(*a, *b),
        (Op::Div, [a, b]) => infer::div(*a, *b),
        (Op::Mod, [a, b]) => infer::modulo(*a, *b),
        (Op::Icmp(_), [_, _]) => HwType::ui(1),
        (Op::And | Op::Or | Op::Xor, [a, b]) => infer::common(*a, *b),
        (Op::Not, [a]) => *a,
        (Op::Shl | Op::Shr, [a, amount]) if !amount.signed => *a,
        (Op::Mux, [cond, a, b]) if *cond == HwType::ui(1) => infer::common(*a, *b),
        (Op::Concat, parts @ [_, ..]) => {
            let width = parts
                .iter()
                .try_fold(0u32, |sum, part| sum.checked_add(part.width));
            HwType::ui(width?)
        }
        (Op::Table(table), [address]) if *address == table.address() => table.word(),
        (Op::Store(_), [_, _, enable]) if *enable == HwType::ui(1) => HwType::ui(1),
        _ => return None,
    })
}

/// Operations that are nothing but a name in printed forms.
pub(crate) static PLAIN: [(&str, Op); 15] = [
    ("add", Op::Add),
    ("sub", Op::Sub),
    ("mul", Op::Mul),
    ("div", Op::Div),
    ("mod", Op::Mod),
    ("cast", Op::Cast),
    ("and", Op::And),
    ("or", Op::Or),
    ("xor", Op::Xor),
    ("not", Op::Not),
    ("shl", Op::Shl),
    ("shr", Op::Shr),
    ("mux", Op::Mux),
    ("concat", Op::Concat),
    ("phi", Op::Phi),
];

fn op_text(op: &Op) -> String {
    match op {
        Op::Const(value) => format!("hwarith.constant {value}"),
        Op::Input(i) => format!("hwarith.input {i}"),
        Op::Var(v) => format!("hwarith.var v{}", v.index()),
        Op::Icmp(p) => format!("hwarith.icmp {}", p.name()),
        Op::Extract { lo } => format!("hwarith.extract from {lo}"),
        Op::Table(table) => {
            let words: Vec<String> = table.words().iter().map(BigInt::to_string).collect();
            format!("hwarith.table [{}]", words.join(", "))
        }
        Op::Call(u) => format!("hwarith.call u{}", u.index()),
        Op::Iterate { step, count } => format!("hwarith.iterate step {step} x {count}"),
        Op::Load(m) => format!("hwarith.load m{}", m.index()),
        Op::Store(m) => format!("hwarith.store m{}", m.index()),
        plain => {
            let name = PLAIN.iter().find(|(_, op)| op == plain);
            format!("hwarith.{}", name.map_or("?", |(name, _)| name))
        }
    }
}
