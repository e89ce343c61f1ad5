//! A second evaluator of graphs, on 128-bit machine integers: fast enough for exhaustive tests.

use crate::hwarith::graph::{Graph, NodeId, Op};
use crate::hwarith::types::HwType;
use crate::ir::types::wrap;
use num_bigint::BigInt;
use num_traits::ToPrimitive;

/// A graph of nodes of at most 128 bits, values as bit patterns.
pub struct Fast<'a> {
    graph: &'a Graph,
    constants: Vec<u128>,
    values: Vec<u128>,
}

fn mask(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

/// Sign or zero extension to 128 bits.
fn extend(bits: u128, ty: HwType) -> u128 {
    if ty.signed && bits >> (ty.width - 1) & 1 == 1 {
        bits | !mask(ty.width)
    } else {
        bits
    }
}

impl<'a> Fast<'a> {
    /// `None` if a node is too wide.
    pub fn new(graph: &'a Graph) -> Option<Fast<'a>> {
        let mut constants = Vec::new();
        for (_, node) in graph.nodes.iter() {
            if node.ty.width > 127 {
                return None;
            }
            constants.push(match &node.op {
                Op::Const(value) => wrap(value, node.ty.width, false).to_u128()?,
                _ => 0,
            });
        }
        let values = Vec::with_capacity(constants.len());
        Some(Fast {
            graph,
            constants,
            values,
        })
    }

    fn arg(&self, args: &[NodeId], i: usize) -> u128 {
        extend(self.values[args[i].index()], self.graph.ty(args[i]))
    }

    /// The one output for these inputs.
    pub fn eval(&mut self, inputs: &[u128]) -> u128 {
        self.values.clear();
        for (id, node) in self.graph.nodes.iter() {
            let args = &node.args;
            let value = match node.op {
                Op::Const(_) => self.constants[id.index()],
                Op::Input(i) => inputs[i as usize],
                Op::Add => self.arg(args, 0).wrapping_add(self.arg(args, 1)),
                Op::Sub => self.arg(args, 0).wrapping_sub(self.arg(args, 1)),
                Op::Mul => self.arg(args, 0).wrapping_mul(self.arg(args, 1)),
                // All widths are below 128, so both signednesses fit.
                Op::Icmp(p) => {
                    let (a, b) = (self.arg(args, 0) as i128, self.arg(args, 1) as i128);
                    u128::from(p.holds(a.cmp(&b)))
                }
                Op::Cast => self.arg(args, 0),
                Op::And => self.arg(args, 0) & self.arg(args, 1),
                Op::Or => self.arg(args, 0) | self.arg(args, 1),
                Op::Xor => self.arg(args, 0) ^ self.arg(args, 1),
                Op::Not => !self.arg(args, 0),
                Op::Mux => self.arg(args, if self.arg(args, 0) == 0 { 2 } else { 1 }),
                Op::Concat => args.iter().fold(0, |high, a| {
                    high << self.graph.width(*a) | self.values[a.index()]
                }),
                Op::Extract { lo } => self.values[args[0].index()] >> lo,
                _ => panic!("no float operator uses {:?}", node.op),
            };
            self.values.push(value & mask(node.ty.width));
        }
        self.values[self.graph.outputs[0].index()]
    }
}

/// The one output, by the reference evaluator.
pub fn slow(graph: &Graph, inputs: &[u128]) -> u128 {
    let inputs: Vec<BigInt> = inputs.iter().map(|&i| BigInt::from(i)).collect();
    let output = &crate::hwarith::eval::eval(graph, &inputs)[0];
    output.to_u128().expect("outputs are unsigned")
}
