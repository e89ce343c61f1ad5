//! A second evaluator of graphs, on 128-bit machine integers: fast enough for exhaustive tests.

use crate::hwarith::graph::{Graph, Node, Op};
use crate::hwarith::types::HwType;
use crate::ir::types::wrap;
use num_bigint::BigInt;
use num_traits::ToPrimitive;

/// A graph of nodes of at most 127 bits, flattened.
pub struct Fast<'a> {
    steps: Vec<Step<'a>>,
    values: Vec<u128>,
    output: usize,
}

struct Step<'a> {
    op: &'a Op,
    constant: u128,
    args: Vec<Arg>,
    mask: u128,
}

/// An operand: its node, its width, and its sign bit, 0 if unsigned.
#[derive(Clone, Copy)]
struct Arg {
    node: usize,
    width: u32,
    sign: u128,
}

impl<'a> Step<'a> {
    fn new(graph: &Graph, node: &'a Node) -> Option<Step<'a>> {
        let HwType { width, .. } = node.ty;
        let constant = match &node.op {
            Op::Const(value) => wrap(value, width.min(128), false).to_u128()?,
            _ => 0,
        };
        let arg = |ty: HwType, node| Arg {
            node,
            width: ty.width,
            sign: u128::from(ty.signed) << (ty.width - 1).min(127),
        };
        (width <= 127).then(|| Step {
            op: &node.op,
            constant,
            args: node
                .args
                .iter()
                .map(|&a| arg(graph.ty(a), a.index()))
                .collect(),
            mask: (1 << width) - 1,
        })
    }

    fn eval(&self, values: &[u128], inputs: &[u128]) -> u128 {
        // Sign or zero extension to 128 bits.
        let arg = |i: usize| {
            let Arg { node, sign, .. } = self.args[i];
            (values[node] ^ sign).wrapping_sub(sign)
        };
        let value = match *self.op {
            Op::Const(_) => self.constant,
            Op::Input(i) => inputs[i as usize],
            Op::Add => arg(0).wrapping_add(arg(1)),
            Op::Sub => arg(0).wrapping_sub(arg(1)),
            Op::Mul => arg(0).wrapping_mul(arg(1)),
            // All widths are below 128, so both signednesses fit.
            Op::Icmp(p) => u128::from(p.holds((arg(0) as i128).cmp(&(arg(1) as i128)))),
            Op::Cast => arg(0),
            Op::And => arg(0) & arg(1),
            Op::Or => arg(0) | arg(1),
            Op::Xor => arg(0) ^ arg(1),
            Op::Not => !arg(0),
            Op::Mux => arg(if arg(0) == 0 { 2 } else { 1 }),
            Op::Concat => {
                let mut high = 0;
                for arg in &self.args {
                    high = high << arg.width | values[arg.node];
                }
                high
            }
            Op::Extract { lo } => values[self.args[0].node] >> lo,
            _ => panic!("no float operator uses {:?}", self.op),
        };
        value & self.mask
    }
}

impl<'a> Fast<'a> {
    /// `None` if a node is too wide.
    pub fn new(graph: &'a Graph) -> Option<Fast<'a>> {
        let nodes = graph.nodes.iter();
        let steps: Option<Vec<Step>> = nodes.map(|(_, n)| Step::new(graph, n)).collect();
        Some(Fast {
            steps: steps?,
            values: Vec::with_capacity(graph.nodes.len()),
            output: graph.outputs[0].index(),
        })
    }

    /// The one output for these inputs.
    pub fn eval(&mut self, inputs: &[u128]) -> u128 {
        self.values.clear();
        for step in &self.steps {
            let value = step.eval(&self.values, inputs);
            self.values.push(value);
        }
        self.values[self.output]
    }
}

/// The one output, by the reference evaluator.
pub fn slow(graph: &Graph, inputs: &[u128]) -> u128 {
    let inputs: Vec<BigInt> = inputs.iter().map(|&i| BigInt::from(i)).collect();
    let output = &crate::hwarith::eval::eval(graph, &inputs)[0];
    output.to_u128().expect("outputs are unsigned")
}
