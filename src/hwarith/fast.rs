//! A second evaluator of graphs, on machine words and many inputs at a time: fast enough for exhaustive tests of operators,
//! and for a look at every rewrite.
//!
//! It shares nothing with [`super::eval`] but the graph: words of fixed size in two's complement, 64 or 128 bits or, for
//! graphs with wider nodes, as many 64-bit limbs as those need. What stands outside of a graph (inputs, registers,
//! memories, operator modules) is given, or drawn: a function of a key, the operands and the lane.

use super::graph::{Graph, Node, NodeId, Op};
use super::interval::Interval;
use super::types::HwType;
use crate::random::mix;
use num_bigint::BigInt;
use std::cmp::Ordering;

/// Inputs that are evaluated together.
pub const LANES: usize = 64;
/// Applications of a step after which lanes are looked through for those that change no more.
const PATIENCE: u32 = 8;

/// A graph, flattened, on words that hold its nodes.
pub struct Fast<'a>(Words<'a>);

enum Words<'a> {
    One(Machine<'a, u64>),
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
        let machine = Machine::new(graph, &[], &[]).map(Words::One);
        let machine = machine.or_else(|| Machine::new(graph, &[], &[]).map(Words::Two));
        let machine = machine.or_else(|| Machine::new(graph, &[], &[]).map(Words::Four));
        let machine = machine.or_else(|| Machine::new(graph, &[], &[]).map(Words::Eight));
        let machine = machine.or_else(|| Machine::new(graph, &[], &[]).map(Words::Sixteen));
        machine.map(Fast)
    }

    /// The one output for each tuple of inputs.
    pub fn eval(&mut self, inputs: &[&[u128]]) -> Vec<u128> {
        match &mut self.0 {
            Words::One(machine) => machine.eval(inputs),
            Words::Two(machine) => machine.eval(inputs),
            Words::Four(machine) => machine.eval(inputs),
            Words::Eight(machine) => machine.eval(inputs),
            Words::Sixteen(machine) => machine.eval(inputs),
        }
    }
}

/// How the value of a node that stands for something outside of the graph is drawn.
#[derive(Clone, Debug)]
pub struct Outside {
    /// Nodes with equal keys and operands have equal values.
    pub key: u64,
    /// The values that it takes, within its type.
    pub range: Interval,
    /// Low bits that it reads of its operands; of the others nobody knows.
    pub operand_bits: u32,
}

/// An integer modulo 2^BITS.
pub(super) trait Word: Copy + PartialEq {
    const BITS: u32;
    const ZERO: Self;
    fn of(value: u128) -> Self;
    /// The low 128 bits.
    fn low(self) -> u128;
    /// The bits from the lowest up, 64 at a time.
    fn limb(self, i: usize) -> u64;
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

    /// The number of 64-bit limbs.
    const LIMBS: usize = Self::BITS.div_ceil(64) as usize;

    /// As an amount of a shift; from 2^32 on, as large as that.
    #[inline]
    fn amount(self) -> u32 {
        let high = (1..Self::LIMBS).any(|i| self.limb(i) != 0);
        match u32::try_from(self.limb(0)) {
            Ok(low) if !high => low,
            _ => u32::MAX,
        }
    }
}

/// A word that the machine has.
macro_rules! machine_word {
    ($unsigned:ty, $signed:ty) => {
        impl Word for $unsigned {
            const BITS: u32 = <$unsigned>::BITS;
            const ZERO: $unsigned = 0;
            #[inline]
            fn of(value: u128) -> $unsigned {
                value as $unsigned
            }
            #[inline]
            fn low(self) -> u128 {
                self.into()
            }
            #[inline]
            fn limb(self, i: usize) -> u64 {
                self.checked_shr(64 * i as u32).unwrap_or(0) as u64
            }
            #[inline]
            fn add(self, other: $unsigned) -> $unsigned {
                self.wrapping_add(other)
            }
            #[inline]
            fn sub(self, other: $unsigned) -> $unsigned {
                self.wrapping_sub(other)
            }
            #[inline]
            fn mul(self, other: $unsigned) -> $unsigned {
                self.wrapping_mul(other)
            }
            #[inline]
            fn and(self, other: $unsigned) -> $unsigned {
                self & other
            }
            #[inline]
            fn or(self, other: $unsigned) -> $unsigned {
                self | other
            }
            #[inline]
            fn xor(self, other: $unsigned) -> $unsigned {
                self ^ other
            }
            #[inline]
            fn shl(self, amount: u32) -> $unsigned {
                self.checked_shl(amount).unwrap_or(0)
            }
            #[inline]
            fn shr(self, amount: u32) -> $unsigned {
                self.checked_shr(amount).unwrap_or(0)
            }
            #[inline]
            fn order(self, other: $unsigned) -> Ordering {
                (self as $signed).cmp(&(other as $signed))
            }
        }
    };
}
machine_word!(u64, i64);
machine_word!(u128, i128);

/// Limbs, the lowest first.
impl<const N: usize> Word for [u64; N] {
    const BITS: u32 = 64 * N as u32;
    const ZERO: [u64; N] = [0; N];
    #[inline]
    fn of(value: u128) -> [u64; N] {
        let mut word = [0; N];
        (word[0], word[1]) = (value as u64, (value >> 64) as u64);
        word
    }
    #[inline]
    fn low(self) -> u128 {
        u128::from(self[1]) << 64 | u128::from(self[0])
    }
    #[inline]
    fn limb(self, i: usize) -> u64 {
        self.get(i).copied().unwrap_or(0)
    }
    #[inline]
    fn add(mut self, other: [u64; N]) -> [u64; N] {
        let mut carry = false;
        for i in 0..N {
            let (sum, first) = self[i].overflowing_add(other[i]);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            (self[i], carry) = (sum, first || second);
        }
        self
    }
    #[inline]
    fn sub(self, other: [u64; N]) -> [u64; N] {
        let mut one = [0; N];
        one[0] = 1;
        self.add(other.map(|limb| !limb).add(one))
    }
    #[inline]
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
    #[inline]
    fn and(mut self, other: [u64; N]) -> [u64; N] {
        (0..N).for_each(|i| self[i] &= other[i]);
        self
    }
    #[inline]
    fn or(mut self, other: [u64; N]) -> [u64; N] {
        (0..N).for_each(|i| self[i] |= other[i]);
        self
    }
    #[inline]
    fn xor(mut self, other: [u64; N]) -> [u64; N] {
        (0..N).for_each(|i| self[i] ^= other[i]);
        self
    }
    #[inline]
    fn shl(self, amount: u32) -> [u64; N] {
        let (limbs, bits) = ((amount / 64) as usize, amount % 64);
        let limb = |i: usize| i.checked_sub(limbs).map_or(0, |i| self[i]);
        std::array::from_fn(|i| match bits {
            0 => limb(i),
            _ => limb(i) << bits | i.checked_sub(1).map_or(0, limb) >> (64 - bits),
        })
    }
    #[inline]
    fn shr(self, amount: u32) -> [u64; N] {
        let (limbs, bits) = ((amount / 64) as usize, amount % 64);
        let limb = |i: usize| self.get(i + limbs).copied().unwrap_or(0);
        std::array::from_fn(|i| match bits {
            0 => limb(i),
            _ => limb(i) >> bits | limb(i + 1) << (64 - bits),
        })
    }
    #[inline]
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

pub(super) type Lanes<W> = [W; LANES];

/// A graph on words of a size.
pub(super) struct Machine<'a, W> {
    steps: Vec<Step<'a, W>>,
    /// Of nodes that are still to be read; a place is used again when its node is not.
    values: Vec<Box<Lanes<W>>>,
    /// What the next value is made in.
    spare: Box<Lanes<W>>,
    /// The place of each node.
    places: Vec<u32>,
    outputs: &'a [NodeId],
}

struct Step<'a, W> {
    op: &'a Op,
    constant: W,
    args: Vec<Arg<W>>,
    width: u32,
    mask: W,
    /// Words that are looked up.
    table: Vec<W>,
    /// What an iteration repeats.
    iterated: Option<Box<Machine<'a, W>>>,
    /// Where its value comes from, if it is drawn.
    source: Option<Box<Source<W>>>,
}

/// An operand: the place of its node, its width, and its sign bit, 0 if unsigned.
#[derive(Clone, Copy)]
struct Arg<W> {
    place: usize,
    width: u32,
    sign: W,
}

/// Sign or zero extension to the whole word.
fn extend<W: Word>(x: W, sign: W) -> W {
    x.xor(sign).sub(sign)
}

fn sign<W: Word>(HwType { signed, width }: HwType) -> W {
    W::of(signed.into()).shl(width.min(W::BITS) - 1)
}

/// Draws values between `low` and `low + span`.
struct Source<W> {
    key: u64,
    low: W,
    span: W,
    /// Of the span.
    bits: u32,
    /// Of the operands.
    operand_mask: W,
}

impl<W: Word> Source<W> {
    fn new(outside: &Outside) -> Source<W> {
        let span = &outside.range.hi - &outside.range.lo;
        Source {
            key: outside.key,
            low: constant(&outside.range.lo, W::BITS),
            span: constant(&span, W::BITS),
            bits: span.bits() as u32,
            operand_mask: ones(outside.operand_bits.min(W::BITS - 1)),
        }
    }

    /// Ends of the range, small numbers, single bits and runs of ones are frequent.
    fn draw(&self, operands: u64, lane: usize) -> W {
        let seed = mix(self.key ^ mix(operands) ^ mix(lane as u64 + 1));
        let from = seed >> 8;
        let random = || {
            let limbs = (0..W::LIMBS).rev();
            let word = limbs.fold(W::ZERO, |high, i| {
                high.shl(64).or(W::of(mix(seed ^ i as u64).into()))
            });
            word.and(ones(self.bits))
        };
        let place = (from % u64::from(self.bits.max(1))) as u32;
        let offset = match seed & 15 {
            0 => W::ZERO,
            1 => self.span,
            2 => W::of((from & 3).into()),
            3 => self.span.sub(W::of((from & 3).into())),
            4 => W::of(1).shl(place),
            5 => ones(place + 1),
            _ => random(),
        };
        // Of a span that is no power of two, what lies beyond it is folded back.
        let offset = match offset.and(ones(self.bits)) {
            offset if offset.order(self.span).is_gt() => offset.sub(self.span),
            offset => offset,
        };
        self.low.add(offset)
    }
}

/// Applies a function of one operand to the first `count` lanes.
fn unary<W: Word>(
    a: (&Lanes<W>, W),
    mask: W,
    out: &mut Lanes<W>,
    count: usize,
    f: impl Fn(W) -> W,
) {
    for (out, &a_lane) in out.iter_mut().zip(a.0).take(count) {
        *out = f(extend(a_lane, a.1)).and(mask);
    }
}

/// Applies a function of two operands.
fn binary<W: Word>(
    (a, sign_a): (&Lanes<W>, W),
    (b, sign_b): (&Lanes<W>, W),
    mask: W,
    out: &mut Lanes<W>,
    count: usize,
    f: impl Fn(W, W) -> W,
) {
    for lane in 0..count {
        out[lane] = f(extend(a[lane], sign_a), extend(b[lane], sign_b)).and(mask);
    }
}

/// Of a number that the whole word holds, with its sign.
fn shift_right<W: Word>(x: W, amount: u32) -> W {
    let ones = W::ZERO.sub(W::of(1));
    match x.order(W::ZERO).is_lt() {
        true => x.xor(ones).shr(amount).xor(ones),
        false => x.shr(amount),
    }
}

impl<'a, W: Word> Step<'a, W> {
    fn new(
        graph: &'a Graph,
        node: &'a Node,
        outside: Option<&Outside>,
        places: &[u32],
    ) -> Option<Step<'a, W>> {
        let HwType { width, .. } = node.ty;
        // One bit more than any node has, so that all compare as signed.
        if width >= W::BITS {
            return None;
        }
        use Op::*;
        let mut value = W::ZERO;
        let mut iterated = None;
        let mut table = Vec::new();
        match &node.op {
            _ if outside.is_some() => {}
            Const(number) => value = constant(number, width),
            Iterate { step, .. } => {
                let machine = Machine::new(&graph.steps[*step as usize], &[], &[])?;
                iterated = Some(Box::new(machine));
            }
            Table(words) => {
                table = words
                    .words()
                    .iter()
                    .map(|word| constant(word, width))
                    .collect()
            }
            Div | Mod | Var(_) | Phi | Load(_) | Store(_) | Call(_) => return None,
            _ => {}
        }
        let arg = |&node: &NodeId| Arg {
            place: places[node.index()] as usize,
            width: graph.width(node),
            sign: sign(graph.ty(node)),
        };
        Some(Step {
            op: &node.op,
            constant: value,
            args: operands(node).iter().map(arg).collect(),
            width,
            mask: ones(width),
            table,
            iterated,
            source: outside.map(|outside| Box::new(Source::new(outside))),
        })
    }

    /// The first `count` lanes of the result.
    fn eval(
        &mut self,
        values: &[Box<Lanes<W>>],
        inputs: &[Lanes<W>],
        out: &mut Lanes<W>,
        count: usize,
    ) {
        let (args, mask) = (&self.args, self.mask);
        let arg = |i: usize| (&*values[args[i].place], args[i].sign);
        if let Some(source) = &self.source {
            for (lane, out) in out.iter_mut().enumerate().take(count) {
                let operands = args.iter().fold(0, |hash, arg| {
                    let word = extend(values[arg.place][lane], arg.sign).and(source.operand_mask);
                    (0..W::LIMBS).fold(hash, |hash, i| mix(hash ^ word.limb(i)))
                });
                *out = source.draw(operands, lane).and(mask);
            }
            return;
        }
        match *self.op {
            Op::Const(_) => out.fill(self.constant),
            Op::Input(i) => *out = inputs[i as usize],
            Op::Cast => unary(arg(0), mask, out, count, |a| a),
            Op::Not => unary(arg(0), mask, out, count, |a| a.xor(mask)),
            Op::Extract { lo } => unary(arg(0), mask, out, count, |a| a.shr(lo)),
            Op::Add if args.len() == 2 => binary(arg(0), arg(1), mask, out, count, W::add),
            Op::Add => {
                for (lane, out) in out.iter_mut().enumerate().take(count) {
                    let terms = args.iter().map(|a| extend(values[a.place][lane], a.sign));
                    *out = terms.fold(W::ZERO, W::add).and(mask);
                }
            }
            Op::Sub => binary(arg(0), arg(1), mask, out, count, W::sub),
            Op::Mul => binary(arg(0), arg(1), mask, out, count, W::mul),
            Op::Icmp(p) => binary(arg(0), arg(1), mask, out, count, |a, b| {
                W::of(p.holds(a.order(b)).into())
            }),
            Op::And => binary(arg(0), arg(1), mask, out, count, W::and),
            Op::Or => binary(arg(0), arg(1), mask, out, count, W::or),
            Op::Xor => binary(arg(0), arg(1), mask, out, count, W::xor),
            Op::Shl => {
                let width = self.width;
                binary(arg(0), arg(1), mask, out, count, |a, n| match n.amount() {
                    n if n < width => a.shl(n),
                    _ => W::ZERO,
                });
            }
            Op::Shr => binary(arg(0), arg(1), mask, out, count, |a, n| {
                shift_right(a, n.amount())
            }),
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
                    let part = &values[arg.place];
                    for lane in 0..count {
                        out[lane] = out[lane].shl(arg.width).or(part[lane]);
                    }
                }
            }
            Op::Table(_) => unary(arg(0), mask, out, count, |address| {
                let last = self.table.len() - 1;
                self.table[(address.amount() as usize).min(last)]
            }),
            Op::Iterate { count: times, .. } => {
                let inputs = args.iter().map(|arg| *values[arg.place]).collect();
                let step = self.iterated.as_mut().expect("an iteration has a step");
                *out = step.repeat(inputs, times, count);
            }
            _ => unreachable!("`new` refuses what is neither known nor drawn"),
        }
    }
}

/// What a node's value here follows from. The next value of a phi comes later.
fn operands(node: &Node) -> &[NodeId] {
    match node.op {
        Op::Phi => &[],
        _ => &node.args,
    }
}

/// A place for the value of each node, and how many places there are: those of nodes that are read no more are used again,
/// but for nodes that are to be kept.
fn places(graph: &Graph, kept: impl Iterator<Item = NodeId>) -> (Vec<u32>, usize) {
    let mut last: Vec<usize> = graph.nodes.ids().map(NodeId::index).collect();
    for (id, node) in graph.nodes.iter() {
        let args = operands(node).iter();
        args.for_each(|arg| last[arg.index()] = id.index());
    }
    kept.for_each(|node| last[node.index()] = usize::MAX);
    let (mut places, mut free, mut count) = (Vec::with_capacity(last.len()), Vec::new(), 0);
    for (id, node) in graph.nodes.iter() {
        let place = free.pop().unwrap_or_else(|| {
            count += 1;
            count - 1
        });
        places.push(place);
        let done = |of: &NodeId| last[of.index()] == id.index();
        let args = operands(node);
        let own = done(&id).then_some(place);
        for (i, arg) in args.iter().enumerate().filter(|(_, arg)| done(arg)) {
            // An operand that occurs twice has one place.
            if !args[..i].contains(arg) {
                free.push(places[arg.index()]);
            }
        }
        free.extend(own);
    }
    (places, count as usize)
}

impl<'a, W: Word> Machine<'a, W> {
    /// `outside`: by node, what is drawn; `kept`: nodes that are asked for after a run, beside the first output and what is
    /// drawn. `None` if the words are too small or an operation is neither known nor drawn.
    pub(super) fn new(
        graph: &'a Graph,
        outside: &[Option<Outside>],
        kept: &[NodeId],
    ) -> Option<Machine<'a, W>> {
        let drawn = |id: &NodeId| outside.get(id.index()).is_some_and(Option::is_some);
        let drawn = graph.nodes.ids().filter(drawn);
        let kept = kept.iter().chain(&graph.outputs).copied().chain(drawn);
        let (places, count) = places(graph, kept);
        let nodes = graph.nodes.iter();
        let steps = nodes.map(|(id, node)| {
            let outside = outside.get(id.index()).and_then(Option::as_ref);
            Step::new(graph, node, outside, &places)
        });
        Some(Machine {
            steps: steps.collect::<Option<_>>()?,
            values: vec![Box::new([W::ZERO; LANES]); count],
            spare: Box::new([W::ZERO; LANES]),
            places,
            outputs: &graph.outputs,
        })
    }

    /// Runs the first `count` lanes of the inputs, one array of lanes for each.
    pub(super) fn run(&mut self, inputs: &[Lanes<W>], count: usize) {
        // Operands come before their users.
        for (step, place) in self.steps.iter_mut().zip(&self.places) {
            step.eval(&self.values, inputs, &mut self.spare, count);
            std::mem::swap(&mut self.spare, &mut self.values[*place as usize]);
        }
    }

    /// The bits of a node that was to be kept, in each lane.
    pub(super) fn bits(&self, node: NodeId) -> &Lanes<W> {
        &self.values[self.places[node.index()] as usize]
    }

    fn output(&self) -> &Lanes<W> {
        self.bits(self.outputs[0])
    }

    /// The state, the first input, after so many applications. A lane whose state does not change will not change
    /// any more, and is left out of what follows.
    fn repeat(&mut self, mut inputs: Vec<Lanes<W>>, times: u32, count: usize) -> Lanes<W> {
        let mut result = inputs[0];
        let mut lanes: Vec<usize> = (0..count).collect();
        for time in 1..=times {
            let before = inputs[0];
            self.run(&inputs, lanes.len());
            inputs[0] = *self.output();
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
            self.run(&operands, block.len());
            let output = self.output();
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
        let Some(mut machine) = Machine::<W>::new(graph, &[], &[]) else {
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
            machine.run(&operands, inputs.len());
            let got = *machine.output();
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
        let mut evaluated = [0; 5];
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
                agree::<u64>(seed, &graph, 64),
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
