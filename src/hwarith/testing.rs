//! For tests: random pure graphs, their inputs, and an evaluator that computes as the hardware does.

use super::eval::eval_op;
use super::graph::{Graph, Node, NodeId, Op, Predicate};
use super::types::HwType;
use crate::random;
use num_bigint::BigInt;

/// SplitMix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }
    pub fn word(&mut self) -> u64 {
        let word = random::mix(self.0);
        self.0 = self.0.wrapping_add(random::STEP);
        word
    }
    pub fn below(&mut self, bound: u32) -> u32 {
        (self.word() % u64::from(bound)) as u32
    }
    pub fn between(&mut self, least: u32, most: u32) -> u32 {
        least + self.below(most - least + 1)
    }
    pub fn flip(&mut self) -> bool {
        self.below(2) == 1
    }
    pub fn ty(&mut self, width: u32) -> HwType {
        HwType {
            signed: self.flip(),
            width: self.between(1, width),
        }
    }
    /// A value of a type; limits and their neighbours are frequent.
    pub fn value(&mut self, ty: HwType) -> BigInt {
        let near = BigInt::from(self.below(3));
        let value = match self.below(6) {
            0 => ty.min() + near,
            1 => ty.max() - near,
            2 => near,
            _ => (0..ty.width.div_ceil(64)).fold(BigInt::from(0), |high, _| {
                (high << 64u32) | BigInt::from(self.word())
            }),
        };
        ty.wrap(&value)
    }
}

/// What a random graph is made of.
pub struct Shape {
    /// Bits of an input, at most.
    pub input_width: u32,
    /// Number of inputs.
    pub inputs: u32,
    /// Number of operations.
    pub operations: u32,
    /// Bits of any node, at most.
    pub max_width: u32,
    /// Only sums, differences, products and casts.
    pub arithmetic: bool,
}

/// A random graph; its last nodes are the outputs.
pub fn random_graph(random: &mut Random, shape: &Shape) -> Graph {
    let mut graph = Graph::new();
    for i in 0..shape.inputs {
        let ty = random.ty(shape.input_width);
        graph.input(i, ty);
    }
    let mut made = 0;
    while made < shape.operations {
        let before = graph.nodes.len();
        random_node(random, &mut graph, shape);
        made += u32::from(graph.nodes.len() > before);
    }
    let all: Vec<NodeId> = graph.nodes.ids().collect();
    let outputs = all.len().saturating_sub(3);
    graph.outputs = all[outputs..].to_vec();
    graph.validate().expect("random graphs are valid");
    graph
}

fn random_node(random: &mut Random, graph: &mut Graph, shape: &Shape) {
    let all: Vec<NodeId> = graph.nodes.ids().collect();
    let count = all.len() as u32;
    // Recent nodes are taken more often, so that graphs get deep.
    let any = |random: &mut Random| {
        let reach = if random.flip() { count.min(4) } else { count };
        all[(count - 1 - random.below(reach)) as usize]
    };
    let (a, b) = (any(random), any(random));
    let (wa, wb) = (graph.width(a), graph.width(b));
    let fits = |width: u32| width <= shape.max_width;
    match random.below(if shape.arithmetic { 7 } else { 22 }) {
        0 if fits(wa.max(wb) + 2) => graph.add(a, b),
        1 if fits(wa.max(wb) + 2) => graph.sub(a, b),
        2 | 3 if fits(wa + wb) => graph.mul(a, b),
        4 => {
            let ty = random.ty(shape.max_width);
            graph.cast(a, ty)
        }
        5 => {
            let ty = random.ty(shape.input_width.min(24));
            let value = random.value(ty);
            graph.constant(value)
        }
        // A constant between other factors, with enough digits to be more than a shift.
        6 if fits(wa + 20) => {
            let ty = random.ty(20);
            let value = random.value(ty);
            let factor = graph.constant(value);
            graph.mul(a, factor)
        }
        7 => graph.icmp(predicate(random), a, b),
        21 if fits(wa.max(wb) + 1) => graph.and(a, b),
        8 if fits(wa.max(wb) + 1) => graph.or(a, b),
        9 if fits(wa.max(wb) + 1) => graph.xor(a, b),
        10 => graph.not(a),
        11 | 12 => {
            let amount = shift_amount(random, graph, b);
            if random.flip() {
                graph.shl(a, amount)
            } else {
                graph.shr(a, amount)
            }
        }
        13 | 14 if fits(wa.max(wb) + 1) => {
            let cond = any(random);
            let index = random.below(graph.width(cond));
            let cond = graph.bit(cond, index);
            graph.mux(cond, a, b)
        }
        15 => {
            let lo = random.below(wa);
            let width = random.between(1, wa - lo);
            graph.extract(a, lo, width)
        }
        16 if fits(wa + wb) => graph.concat(&[a, b]),
        17 => {
            let one = graph.icmp(predicate(random), a, b);
            graph.not(one)
        }
        18 if fits(wa + 1) => graph.div(a, b),
        19 => graph.modulo(a, b),
        20 if fits(wa.max(wb) + 3) => {
            let c = any(random);
            let terms = [a, b, c, a];
            let count = random.between(2, 4) as usize;
            if !fits(graph.width(c) + 3) {
                return;
            }
            graph.infer(Op::Add, terms[..count].to_vec())
        }
        _ => return,
    };
}

fn predicate(random: &mut Random) -> Predicate {
    use Predicate::{Eq, Ge, Gt, Le, Lt, Ne};
    [Eq, Ne, Lt, Le, Gt, Ge][random.below(6) as usize]
}

/// A constant or an unsigned value that is often near the width.
fn shift_amount(random: &mut Random, graph: &mut Graph, near: NodeId) -> NodeId {
    if random.flip() {
        let amount = random.below(12);
        graph.constant(amount)
    } else {
        let width = random.between(1, 4);
        graph.cast(near, HwType::ui(width))
    }
}

/// All combinations of input values if there are at most `limit`, else `limit` random ones.
pub fn input_vectors(random: &mut Random, types: &[HwType], limit: usize) -> Vec<Vec<BigInt>> {
    let bits: u32 = types.iter().map(|t| t.width).sum();
    if bits >= 30 || (1usize << bits) > limit {
        let vector = |random: &mut Random| types.iter().map(|&t| random.value(t)).collect();
        return (0..limit).map(|_| vector(random)).collect();
    }
    (0u64..1 << bits)
        .map(|code| {
            let mut rest = code;
            let mut take = |ty: &HwType| {
                let value = ty.wrap(&BigInt::from(rest));
                rest >>= ty.width;
                value
            };
            types.iter().map(&mut take).collect()
        })
        .collect()
}

/// The bits of every node as the datapath has them: `widths[n]` low bits of node n, extended by the node's
/// sign where an operation reads more (`src/rtl/elaborate/datapath.rs`). Nodes of no demanded bits are `None`.
pub fn eval_masked(graph: &Graph, widths: &[u32], inputs: &[BigInt]) -> Vec<Option<BigInt>> {
    let mut values: Vec<Option<BigInt>> = Vec::with_capacity(graph.nodes.len());
    for (id, node) in graph.nodes.iter() {
        let width = widths[id.index()];
        let value = (width > 0).then(|| {
            let exact = match node.op {
                Op::Input(i) => inputs[i as usize].clone(),
                _ => hardware_op(graph, node, &values, widths, width),
            };
            HwType::ui(width).wrap(&exact)
        });
        values.push(value);
    }
    values
}

/// An operand as the datapath reads it: `width` bits as an unsigned number.
fn read(
    graph: &Graph,
    values: &[Option<BigInt>],
    widths: &[u32],
    id: NodeId,
    width: u32,
) -> BigInt {
    if let Some(value) = graph.as_const(id) {
        return HwType::ui(width).wrap(value);
    }
    let have = widths[id.index()];
    let value = values[id.index()]
        .as_ref()
        .unwrap_or_else(|| panic!("%{} is read but not demanded", id.index()));
    if width <= have {
        return HwType::ui(width).wrap(value);
    }
    assert_eq!(
        have,
        graph.width(id),
        "%{} is read beyond its demanded bits",
        id.index()
    );
    HwType::ui(width).wrap(&graph.ty(id).wrap(value))
}

fn hardware_op(
    graph: &Graph,
    node: &Node,
    values: &[Option<BigInt>],
    widths: &[u32],
    width: u32,
) -> BigInt {
    let operand = |i: usize, bits: u32| read(graph, values, widths, node.args[i], bits);
    let whole = |i: usize| operand(i, graph.width(node.args[i]));
    let run = |args: &[BigInt], types: &[HwType], ty: HwType| {
        let args: Vec<(&BigInt, HwType)> = args.iter().zip(types.iter().copied()).collect();
        eval_op(&node.op, &args, ty).expect("pure operation")
    };
    let word = HwType::ui(width);
    match &node.op {
        Op::Const(value) => value.clone(),
        Op::Add | Op::Sub | Op::And | Op::Or | Op::Xor => {
            let count = node.args.len();
            let args: Vec<BigInt> = (0..count).map(|i| operand(i, width)).collect();
            run(&args, &vec![word; count], word)
        }
        Op::Div | Op::Mod => {
            let types = [graph.ty(node.args[0]), graph.ty(node.args[1])];
            run(
                &[types[0].wrap(&whole(0)), types[1].wrap(&whole(1))],
                &types,
                node.ty,
            )
        }
        Op::Not | Op::Cast => run(&[operand(0, width)], &[word], word),
        Op::Mul => {
            let factor = |i: usize| {
                let ty = graph.ty(node.args[i]);
                let bits = operand(i, ty.width.min(width));
                if ty.signed && ty.width <= width {
                    ty.wrap(&bits)
                } else {
                    bits
                }
            };
            factor(0) * factor(1)
        }
        Op::Icmp(_) => {
            let types = [graph.ty(node.args[0]), graph.ty(node.args[1])];
            let common = super::infer::common(types[0], types[1]);
            let side = |i: usize| common.wrap(&operand(i, common.width));
            run(&[side(0), side(1)], &[common, common], word)
        }
        Op::Mux => {
            let args = [operand(0, 1), operand(1, width), operand(2, width)];
            run(&args, &[HwType::ui(1), word, word], word)
        }
        Op::Shl => run(
            &[operand(0, width), whole(1)],
            &[word, graph.ty(node.args[1])],
            word,
        ),
        Op::Shr => {
            let value = node.ty.wrap(&operand(0, node.ty.width));
            run(
                &[value, whole(1)],
                &[node.ty, graph.ty(node.args[1])],
                node.ty,
            )
        }
        Op::Extract { lo } => operand(0, lo + width) >> *lo,
        Op::Concat => {
            let mut rest = width;
            let mut result = BigInt::from(0);
            for (i, &arg) in node.args.iter().enumerate().rev() {
                let bits = graph.width(arg).min(rest);
                if bits == 0 {
                    break;
                }
                result |= operand(i, bits) << (width - rest);
                rest -= bits;
            }
            result
        }
        other => panic!("{other:?} is not pure"),
    }
}
