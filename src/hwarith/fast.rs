//! A second evaluator of pure graphs, on 128-bit machine integers and many inputs at a time: fast enough for
//! exhaustive tests of operators.

use super::graph::{Graph, Node, Op};
use super::types::HwType;
use crate::ir::types::wrap;
use num_traits::ToPrimitive;

/// Inputs that are evaluated together.
const LANES: usize = 64;

type Lanes = [u128; LANES];

/// A graph of nodes of at most 127 bits, flattened.
pub struct Fast<'a> {
    steps: Vec<Step<'a>>,
    values: Vec<Lanes>,
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

/// Whether [`Step::eval`] has the operation.
fn is_known(op: &Op) -> bool {
    use Op::*;
    matches!(
        op,
        Const(_)
            | Input(_)
            | Add
            | Sub
            | Mul
            | Icmp(_)
            | Cast
            | And
            | Or
            | Xor
            | Not
            | Mux
            | Concat
            | Extract { .. }
    )
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
        (width <= 127 && is_known(&node.op)).then(|| Step {
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

    fn eval(&self, values: &[Lanes], inputs: &[&[u128]], out: &mut Lanes) {
        // Sign or zero extension to 128 bits.
        let arg = |i: usize| {
            let Arg { node, sign, .. } = self.args[i];
            (&values[node], sign)
        };
        let extend = |x: u128, sign: u128| (x ^ sign).wrapping_sub(sign);
        let mut unary = |f: &dyn Fn(u128) -> u128| {
            let (a, sign) = arg(0);
            for lane in 0..LANES {
                out[lane] = f(extend(a[lane], sign)) & self.mask;
            }
        };
        match *self.op {
            Op::Cast => return unary(&|a| a),
            Op::Not => return unary(&|a| !a),
            _ => {}
        }
        let mut binary = |f: &dyn Fn(u128, u128) -> u128| {
            let ((a, sign_a), (b, sign_b)) = (arg(0), arg(1));
            for lane in 0..LANES {
                out[lane] = f(extend(a[lane], sign_a), extend(b[lane], sign_b)) & self.mask;
            }
        };
        match *self.op {
            Op::Add => binary(&u128::wrapping_add),
            Op::Sub => binary(&u128::wrapping_sub),
            Op::Mul => binary(&u128::wrapping_mul),
            // All widths are below 128, so both signednesses fit.
            Op::Icmp(p) => binary(&|a, b| u128::from(p.holds((a as i128).cmp(&(b as i128))))),
            Op::And => binary(&|a, b| a & b),
            Op::Or => binary(&|a, b| a | b),
            Op::Xor => binary(&|a, b| a ^ b),
            Op::Const(_) => out.fill(self.constant),
            Op::Input(i) => out[..inputs.len()]
                .iter_mut()
                .zip(inputs)
                .for_each(|(out, input)| *out = input[i as usize]),
            Op::Mux => {
                let (cond, _) = arg(0);
                let ((a, sign_a), (b, sign_b)) = (arg(1), arg(2));
                for lane in 0..LANES {
                    out[lane] = self.mask
                        & if cond[lane] == 0 {
                            extend(b[lane], sign_b)
                        } else {
                            extend(a[lane], sign_a)
                        };
                }
            }
            Op::Concat => {
                out.fill(0);
                for arg in &self.args {
                    let part = &values[arg.node];
                    for lane in 0..LANES {
                        out[lane] = out[lane] << arg.width | part[lane];
                    }
                }
            }
            Op::Extract { lo } => {
                let (a, _) = arg(0);
                for lane in 0..LANES {
                    out[lane] = a[lane] >> lo & self.mask;
                }
            }
            _ => unreachable!("only known operations become steps"),
        }
    }
}

impl<'a> Fast<'a> {
    /// `None` if a node is too wide or of an operation that is not for operators.
    pub fn new(graph: &'a Graph) -> Option<Fast<'a>> {
        let nodes = graph.nodes.iter();
        let steps: Option<Vec<Step>> = nodes.map(|(_, n)| Step::new(graph, n)).collect();
        Some(Fast {
            steps: steps?,
            values: vec![[0; LANES]; graph.nodes.len()],
            output: graph.outputs[0].index(),
        })
    }

    /// The one output for each tuple of inputs.
    pub fn eval(&mut self, inputs: &[&[u128]]) -> Vec<u128> {
        let mut results = Vec::with_capacity(inputs.len());
        for block in inputs.chunks(LANES) {
            for (index, step) in self.steps.iter().enumerate() {
                // Operands come before their users.
                let (before, rest) = self.values.split_at_mut(index);
                step.eval(before, block, &mut rest[0]);
            }
            results.extend(&self.values[self.output][..block.len()]);
        }
        results
    }
}
