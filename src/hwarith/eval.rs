//! Evaluates graphs without state: the meaning of every operation, in exact integers.

use super::graph::{Graph, Node, NodeId, Op};
use super::types::HwType;
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};

/// Value of one operation. `args` are the values and types of the operands.
///
/// `None` for operations whose value is not a function of their operands (inputs, loads, calls, phis).
pub fn eval_op(op: &Op, args: &[(&BigInt, HwType)], ty: HwType) -> Option<BigInt> {
    let value = |i: usize| args[i].0;
    Some(match op {
        Op::Const(value) => value.clone(),
        Op::Add => args.iter().map(|(value, _)| *value).sum(),
        Op::Sub => value(0) - value(1),
        Op::Mul => value(0) * value(1),
        Op::Div if value(1).is_zero() => ty.wrap(&BigInt::from(-1)),
        Op::Div => value(0) / value(1),
        Op::Mod if value(1).is_zero() => ty.wrap(value(0)),
        Op::Mod => value(0) % value(1),
        Op::Icmp(p) => BigInt::from(p.holds(value(0).cmp(value(1)))),
        Op::Cast => ty.wrap(value(0)),
        // BigInt's bit operations act on infinite two's complement.
        Op::And => value(0) & value(1),
        Op::Or => value(0) | value(1),
        Op::Xor => value(0) ^ value(1),
        Op::Not => ty.wrap(&!value(0)),
        Op::Shl => match value(1).to_u32().filter(|&n| n < ty.width) {
            Some(n) => ty.wrap(&(value(0) << n)),
            None => BigInt::zero(),
        },
        // Shifting by the width already gives the fill.
        Op::Shr => value(0) >> value(1).to_u32().unwrap_or(ty.width).min(ty.width),
        Op::Mux => value(if value(0).is_zero() { 2 } else { 1 }).clone(),
        Op::Concat => args.iter().fold(BigInt::zero(), |high, (part, part_ty)| {
            (high << part_ty.width) | HwType::ui(part_ty.width).wrap(part)
        }),
        Op::Table(table) => table.get(value(0)).clone(),
        Op::Extract { lo } => (value(0) >> *lo) & ((BigInt::one() << ty.width) - 1),
        Op::Input(_)
        | Op::Var(_)
        | Op::Call(_)
        | Op::Iterate { .. }
        | Op::Phi
        | Op::Load(_)
        | Op::Store(_) => {
            return None;
        }
    })
}

/// Whether an operation is an input, or its value a function of its operands.
pub fn is_pure(op: &Op) -> bool {
    !matches!(
        op,
        Op::Var(_) | Op::Call(_) | Op::Phi | Op::Load(_) | Op::Store(_)
    )
}

/// Values of all nodes of a pure graph for the given inputs, each within its input's type.
///
/// Panics if the graph holds a node that [`eval_op`] cannot evaluate, other than inputs.
pub fn eval_nodes(graph: &Graph, inputs: &[BigInt]) -> Vec<BigInt> {
    let mut values: Vec<BigInt> = Vec::with_capacity(graph.nodes.len());
    for (_, node) in graph.nodes.iter() {
        let value = match node.op {
            Op::Input(i) => inputs[i as usize].clone(),
            _ => eval_node(graph, node, &values).expect("the graph is pure"),
        };
        debug_assert!(node.ty.contains(&value), "{:?} = {value}", node);
        values.push(value);
    }
    values
}

/// Value of a node whose operands' values are known; `None` as in [`eval_op`].
pub(crate) fn eval_node(graph: &Graph, node: &Node, values: &[BigInt]) -> Option<BigInt> {
    let args: Vec<(&BigInt, HwType)> = node
        .args
        .iter()
        .map(|&a: &NodeId| (&values[a.index()], graph.ty(a)))
        .collect();
    if let Op::Iterate { step, count } = node.op {
        return Some(iterate(&graph.steps[step as usize], count, &args));
    }
    eval_op(&node.op, &args, node.ty)
}

fn iterate(step: &Graph, count: u32, args: &[(&BigInt, HwType)]) -> BigInt {
    let mut values: Vec<BigInt> = args.iter().map(|(value, _)| (*value).clone()).collect();
    for _ in 0..count {
        values[0] = eval(step, &values).swap_remove(0);
    }
    values.swap_remove(0)
}

/// Outputs of a pure graph for the given inputs.
pub fn eval(graph: &Graph, inputs: &[BigInt]) -> Vec<BigInt> {
    let values = eval_nodes(graph, inputs);
    graph
        .outputs
        .iter()
        .map(|o| values[o.index()].clone())
        .collect()
}
