//! A second evaluator of pure graphs, on machine words and many inputs at a time: fast enough for exhaustive tests of
//! operators.
//!
//! It shares nothing with [`super::eval`] but the graph: words of fixed size in two's complement, 128 bits or, for
//! graphs with wider nodes, as many 64-bit limbs as those need.

use super::graph::{Graph, Node, NodeId, Op};
use super::types::HwType;
use num_bigint::BigInt;
use std::cmp::Ordering;

/// Inputs that are evaluated together.
const LANES: usize = 64;
/// Applications of a step after which lanes are looked through for those that change no more.
const PATIENCE: u32 = 8;

/// A graph, flattened, on words that hold its nodes.
pub struct Fast<'a>(Words<'a>);

enum Words<'a> {
    Two(Machine<'a, u128>),
    Four(Machine<'a, [u64; 4]>),
    Eight(Machine<'a, [u64; 8]>),
    Sixteen(Machine<'a, [u64; 16]>),
}

impl<'a> Fast<'a> {
    /// `None` if a node has more than 1,023 bits, an input or output more than 128, or an operation is not for operators.
    pub fn new(graph: &'a Graph) -> Option<Fast<'a>> {
        let ends = graph.input_types().into_iter();
        let mut ends = ends.chain(graph.outputs.iter().map(|&o| graph.ty(o)));
        if ends.any(|ty| ty.width > 128) {
            return None;
        }
        let machine = Machine::new(graph).map(Words::Two);
        let machine = machine.or_else(|| Machine::new(graph).map(Words::Four));
        let machine = machine.or_else(|| Machine::new(graph).map(Words::Eight));
        let machine = machine.or_else(|| Machine::new(graph).map(Words::Sixteen));
        machine.map(Fast)
    }

    /// The one output for each tuple of inputs.
    pub fn eval(&mut self, inputs: &[&[u128]]) -> Vec<u128> {
        match &mut self.0 {
            Words::Two(machine) => machine.eval(inputs),
            Words::Four(machine) => machine.eval(inputs),
            Words::Eight(machine) => machine.eval(inputs),
            Words::Sixteen(machine) => machine.eval(inputs),
        }
    }
}

/// An integer modulo 2^BITS.
trait Word: Copy + PartialEq {
    const BITS: u32;
    const ZERO: Self;
    fn of(value: u128) -> Self;
    /// The low 128 bits.
    fn low(self) -> u128;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn shl(self, amount: u32) -> Self;
    /// Zeros come in.
    fn shr(self, amount: u32) -> Self;
    /// In two's complement.
    fn order(self, other: Self) -> Ordering;
}

impl Word for u128 {
    const BITS: u32 = 128;
    const ZERO: u128 = 0;
    fn of(value: u128) -> u128 {
        value
    }
    fn low(self) -> u128 {
        self
    }
    fn add(self, other: u128) -> u128 {
        self.wrapping_add(other)
    }
    fn sub(self, other: u128) -> u128 {
        self.wrapping_sub(other)
    }
    fn mul(self, other: u128) -> u128 {
        self.wrapping_mul(other)
    }
    fn and(self, other: u128) -> u128 {
        self & other
    }
    fn or(self, other: u128) -> u128 {
        self | other
    }
    fn xor(self, other: u128) -> u128 {
        self ^ other
    }
    fn shl(self, amount: u32) -> u128 {
        self.checked_shl(amount).unwrap_or(0)
    }
    fn shr(self, amount: u32) -> u128 {
        self.checked_shr(amount).unwrap_or(0)
    }
    fn order(self, other: u128) -> Ordering {
        (self as i128).cmp(&(other as i128))
    }
}

/// Limbs, the lowest first.
impl<const N: usize> Word for [u64; N] {
    const BITS: u32 = 64 * N as u32;
    const ZERO: [u64; N] = [0; N];
    fn of(value: u128) -> [u64; N] {
        let mut word = [0; N];
        (word[0], word[1]) = (value as u64, (value >> 64) as u64);
        word
    }
    fn low(self) -> u128 {
        u128::from(self[1]) << 64 | u128::from(self[0])
    }
    fn add(mut self, other: [u64; N]) -> [u64; N] {
        let mut carry = false;
        for i in 0..N {
            let (sum, first) = self[i].overflowing_add(other[i]);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            (self[i], carry) = (sum, first || second);
        }
        self
    }
    fn sub(self, other: [u64; N]) -> [u64; N] {
        let mut one = [0; N];
        one[0] = 1;
        self.add(other.map(|limb| !limb).add(one))
    }
    fn mul(self, other: [u64; N]) -> [u64; N] {
        let mut product = [0; N];
        for i in 0..N {
            let mut carry = 0;
            for j in 0..N - i {
                let term = u128::from(self[i]) * u128::from(other[j]);
                let sum = term + u128::from(product[i + j]) + carry;
                (product[i + j], carry) = (sum as u64, sum >> 64);
            }
        }
        product
    }
    fn and(mut self, other: [u64; N]) -> [u64; N] {
        (0..N).for_each(|i| self[i] &= other[i]);
        self
    }
    fn or(mut self, other: [u64; N]) -> [u64; N] {
        (0..N).for_each(|i| self[i] |= other[i]);
        self
    }
    fn xor(mut self, other: [u64; N]) -> [u64; N] {
        (0..N).for_each(|i| self[i] ^= other[i]);
        self
    }
    fn shl(self, amount: u32) -> [u64; N] {
        let (limbs, bits) = ((amount / 64) as usize, amount % 64);
        let limb = |i: usize| i.checked_sub(limbs).map_or(0, |i| self[i]);
        std::array::from_fn(|i| match bits {
            0 => limb(i),
            _ => limb(i) << bits | i.checked_sub(1).map_or(0, limb) >> (64 - bits),
        })
    }
    fn shr(self, amount: u32) -> [u64; N] {
        let (limbs, bits) = ((amount / 64) as usize, amount % 64);
        let limb = |i: usize| self.get(i + limbs).copied().unwrap_or(0);
        std::array::from_fn(|i| match bits {
            0 => limb(i),
            _ => limb(i) >> bits | limb(i + 1) << (64 - bits),
        })
    }
    fn order(self, other: [u64; N]) -> Ordering {
        let top = |word: &[u64; N]| word[N - 1] as i64;
        let rest = || self.iter().rev().cmp(other.iter().rev());
        top(&self).cmp(&top(&other)).then_with(rest)
    }
}

/// The low `width` bits set.
fn ones<W: Word>(width: u32) -> W {
    W::of(1).shl(width).sub(W::of(1))
}

fn constant<W: Word>(value: &BigInt, width: u32) -> W {
    let bits = HwType::ui(width).wrap(value);
    let limbs = bits.iter_u64_digits();
    (0u32..).zip(limbs).fold(W::ZERO, |word, (i, limb)| {
        word.or(W::of(limb.into()).shl(64 * i))
    })
}

type Lanes<W> = [W; LANES];

/// A graph on words of a size.
struct Machine<'a, W> {
    steps: Vec<Step<'a, W>>,
    values: Vec<Lanes<W>>,
    output: usize,
}

struct Step<'a, W> {
    op: &'a Op,
    constant: W,
    args: Vec<Arg<W>>,
    mask: W,
    /// What an iteration repeats.
    iterated: Option<Machine<'a, W>>,
}

/// An operand: its node, its width, and its sign bit, 0 if unsigned.
#[derive(Clone, Copy)]
struct Arg<W> {
    node: usize,
    width: u32,
    sign: W,
}

/// Sign or zero extension to the whole word.
fn extend<W: Word>(x: W, sign: W) -> W {
    x.xor(sign).sub(sign)
}

impl<'a, W: Word> Step<'a, W> {
    fn new(graph: &'a Graph, node: &'a Node) -> Option<Step<'a, W>> {
        let HwType { width, .. } = node.ty;
        // One bit more than any node has, so that all compare as signed.
        if width >= W::BITS {
            return None;
        }
        use Op::*;
        let mut value = W::ZERO;
        let mut iterated = None;
        match &node.op {
            Const(number) => value = constant(number, width),
            Iterate { step, .. } => iterated = Some(Machine::new(&graph.steps[*step as usize])?),
            Input(_)
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
            | Extract { .. } => {}
            _ => return None,
        }
        let arg = |&node: &NodeId| {
            let HwType { width, signed } = graph.ty(node);
            Arg {
                node: node.index(),
                width,
                sign: W::of(signed.into()).shl(width.min(W::BITS) - 1),
            }
        };
        Some(Step {
            op: &node.op,
            constant: value,
            args: node.args.iter().map(arg).collect(),
            mask: ones(width),
            iterated,
        })
    }

    /// The first `count` lanes of the result.
    fn eval(&mut self, values: &[Lanes<W>], inputs: &[Lanes<W>], out: &mut Lanes<W>, count: usize) {
        let (args, mask) = (&self.args, self.mask);
        let arg = |i: usize| (&values[args[i].node], args[i].sign);
        let mut unary = |f: &dyn Fn(W) -> W| {
            let (a, sign) = arg(0);
            for lane in 0..count {
                out[lane] = f(extend(a[lane], sign)).and(mask);
            }
        };
        match *self.op {
            Op::Cast => return unary(&|a| a),
            Op::Not => return unary(&|a| a.xor(mask)),
            Op::Extract { lo } => return unary(&|a| a.shr(lo)),
            _ => {}
        }
        let mut binary = |f: &dyn Fn(W, W) -> W| {
            let ((a, sign_a), (b, sign_b)) = (arg(0), arg(1));
            for lane in 0..count {
                out[lane] = f(extend(a[lane], sign_a), extend(b[lane], sign_b)).and(mask);
            }
        };
        match *self.op {
            Op::Add if args.len() == 2 => binary(&W::add),
            Op::Add => {
                for (lane, out) in out.iter_mut().enumerate().take(count) {
                    let terms = args.iter().map(|a| extend(values[a.node][lane], a.sign));
                    *out = terms.fold(W::ZERO, W::add).and(mask);
                }
            }
            Op::Sub => binary(&W::sub),
            Op::Mul => binary(&W::mul),
            Op::Icmp(p) => binary(&|a, b| W::of(p.holds(a.order(b)).into())),
            Op::And => binary(&W::and),
            Op::Or => binary(&W::or),
            Op::Xor => binary(&W::xor),
            Op::Const(_) => out.fill(self.constant),
            Op::Input(i) => *out = inputs[i as usize],
            Op::Mux => {
                let (cond, _) = arg(0);
                let ((a, sign_a), (b, sign_b)) = (arg(1), arg(2));
                for lane in 0..count {
                    let chosen = match cond[lane] == W::ZERO {
                        true => extend(b[lane], sign_b),
                        false => extend(a[lane], sign_a),
                    };
                    out[lane] = chosen.and(mask);
                }
            }
            Op::Concat => {
                out.fill(W::ZERO);
                for arg in args {
                    let part = &values[arg.node];
                    for lane in 0..count {
                        out[lane] = out[lane].shl(arg.width).or(part[lane]);
                    }
                }
            }
            Op::Iterate { count: times, .. } => {
                let inputs = args.iter().map(|arg| values[arg.node]).collect();
                let step = self.iterated.as_mut().expect("an iteration has a step");
                *out = step.repeat(inputs, times, count);
            }
            _ => unreachable!("only known operations become steps"),
        }
    }
}

impl<'a, W: Word> Machine<'a, W> {
    fn new(graph: &'a Graph) -> Option<Machine<'a, W>> {
        let nodes = graph.nodes.iter();
        let steps: Option<Vec<Step<W>>> = nodes.map(|(_, n)| Step::new(graph, n)).collect();
        Some(Machine {
            steps: steps?,
            values: vec![[W::ZERO; LANES]; graph.nodes.len()],
            output: graph.outputs[0].index(),
        })
    }

    /// Runs the first `count` lanes of the inputs, one array of lanes for each.
    fn run(&mut self, inputs: &[Lanes<W>], count: usize) -> &Lanes<W> {
        for (index, step) in self.steps.iter_mut().enumerate() {
            // Operands come before their users.
            let (before, rest) = self.values.split_at_mut(index);
            step.eval(before, inputs, &mut rest[0], count);
        }
        &self.values[self.output]
    }

    /// The state, the first input, after so many applications. A lane whose state does not change will not change
    /// any more, and is left out of what follows.
    fn repeat(&mut self, mut inputs: Vec<Lanes<W>>, times: u32, count: usize) -> Lanes<W> {
        let mut result = inputs[0];
        let mut lanes: Vec<usize> = (0..count).collect();
        for time in 1..=times {
            let before = inputs[0];
            inputs[0] = *self.run(&inputs, lanes.len());
            if time % PATIENCE != 0 {
                continue;
            }
            for lane in (0..lanes.len()).rev() {
                if inputs[0][lane] == before[lane] {
                    result[lanes[lane]] = inputs[0][lane];
                    lanes.swap_remove(lane);
                    let last = lanes.len();
                    inputs
                        .iter_mut()
                        .for_each(|input| input[lane] = input[last]);
                }
            }
            if lanes.is_empty() {
                break;
            }
        }
        for (lane, &origin) in lanes.iter().enumerate() {
            result[origin] = inputs[0][lane];
        }
        result
    }

    fn eval(&mut self, inputs: &[&[u128]]) -> Vec<u128> {
        let mut results = Vec::with_capacity(inputs.len());
        for block in inputs.chunks(LANES) {
            let lanes = |i: usize| {
                let lane = |at: usize| block.get(at).map_or(W::ZERO, |input| W::of(input[i]));
                std::array::from_fn(lane)
            };
            let operands: Vec<Lanes<W>> = (0..block[0].len()).map(lanes).collect();
            let output = self.run(&operands, block.len());
            results.extend(output[..block.len()].iter().map(|word| word.low()));
        }
        results
    }
}

#[cfg(test)]
mod tests {
    use super::super::eval::eval;
    use super::super::testing::*;
    use super::*;

    /// The evaluator of a size against the one that defines the operations.
    fn agree<W: Word>(seed: u64, graph: &Graph, bound: u32) -> bool {
        let Some(mut machine) = Machine::<W>::new(graph) else {
            return false;
        };
        assert!(bound <= W::BITS);
        let mut random = Random::new(seed);
        let types = graph.input_types();
        let mask = |value: &BigInt, ty: HwType| constant::<W>(value, ty.width);
        for inputs in input_vectors(&mut random, &types, 70).chunks(LANES) {
            let lanes = |i: usize| {
                let lane = |at: usize| {
                    inputs
                        .get(at)
                        .map_or(W::ZERO, |input| mask(&input[i], types[i]))
                };
                std::array::from_fn(lane)
            };
            let operands: Vec<Lanes<W>> = (0..types.len()).map(lanes).collect();
            let got = *machine.run(&operands, inputs.len());
            for (input, got) in inputs.iter().zip(got) {
                let want = &eval(graph, input)[0];
                let want = mask(want, graph.ty(graph.outputs[0]));
                assert!(got == want, "seed {seed}, {input:?}\n{}", graph.print(0));
            }
        }
        true
    }

    #[test]
    fn words_of_every_size_compute_what_the_reference_does() {
        let mut evaluated = [0; 4];
        for seed in 0..500 {
            let most = [60, 127, 255, 500, 1000][seed as usize % 5];
            let shape = Shape {
                input_width: most / 2,
                inputs: 3,
                operations: 12,
                max_width: most,
                arithmetic: seed % 2 == 0,
            };
            let graph = random_graph(&mut Random::new(seed), &shape);
            let done = [
                agree::<u128>(seed, &graph, 128),
                agree::<[u64; 4]>(seed, &graph, 256),
                agree::<[u64; 8]>(seed, &graph, 512),
                agree::<[u64; 16]>(seed, &graph, 1024),
            ];
            evaluated
                .iter_mut()
                .zip(done)
                .for_each(|(n, done)| *n += u32::from(done));
        }
        assert!(evaluated.iter().all(|&n| n >= 20), "{evaluated:?}");
    }

    #[test]
    fn lanes_that_change_no_more_are_left_out() {
        // Counts up to its second operand.
        let word = HwType::ui(9);
        let mut step = Graph::new();
        let (state, end) = (step.input(0, word), step.input(1, word));
        let less = step.icmp(super::super::graph::Predicate::Lt, state, end);
        let next = step.add(state, less);
        let next = step.extract(next, 0, 9);
        step.outputs.push(next);
        let mut graph = Graph::new();
        let (start, end) = (graph.input(0, word), graph.input(1, word));
        let last = graph.iterate(step, 300, &[start, end]);
        graph.outputs.push(last);
        let inputs: Vec<[u128; 2]> = (0..200).map(|i| [i * 7 % 50, i * 37 % 512]).collect();
        let views: Vec<&[u128]> = inputs.iter().map(|i| &i[..]).collect();
        let results = Fast::new(&graph).expect("narrow").eval(&views);
        for ([start, end], got) in inputs.iter().zip(results) {
            let want = (*end).min(start + 300).max(*start);
            assert_eq!(got, want, "{start} {end}");
        }
    }
}
