//! Fits operations to a device: products by constants become sums where those cost less, other products are cut to the
//! device's multiplier blocks, or made of rows of bits where there are none; shifts, sums and comparisons that take
//! longer than a cycle are cut into parts.
//!
//! Shifts become a selection for each bit of the amount, the largest distance first, between which a scheduler can cut.
//!
//! Sums and differences become words with a carry from each to the next; comparisons a tree over words.

use super::builder::{Builder, replayed};
use super::demand::demanded;
use super::graph::{Graph, NodeId, Op, Predicate, infer_type};
use super::infer::common;
use super::interval::Interval;
use super::products::{Block, Multiplier, blocks_cost, fits, product, saves};
use super::shift_add::{Costs, Plan};
use super::types::HwType;
use num_traits::{Signed, Zero};
use std::collections::BTreeMap;

/// Up to which width an operation stays in one piece.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bits of the operands of a multiplier block, the longer first; `None`: products are sums of rows of bits.
    pub product: Option<Block>,
    /// Bits of a shifted value.
    pub shift: u32,
    /// Bits of a sum or difference; at least [`LEAST_WORD`].
    pub sum: u32,
    /// Bits of an operand of an ordering; at least [`LEAST_WORD`].
    pub order: u32,
    /// Bits of an operand of an equality; at least [`LEAST_WORD`].
    pub equality: u32,
    /// What a product by a constant costs; without, it stays a product.
    pub costs: Option<Costs>,
}

impl Limits {
    /// What a product is made of that may take longer for fewer blocks or not.
    fn multiplier(&self, saves_blocks: bool) -> Option<Multiplier> {
        let block = self.product?;
        let saving = self.costs.filter(|_| saves_blocks);
        Some(Multiplier { block, saving })
    }
}

/// Words are not cut below so many bits: the carries would outweigh the sums.
pub const LEAST_WORD: u32 = 8;

/// Rounds after which everything is split: a product's parts are added, and sums are split after that.
pub const ROUNDS: usize = 3;

/// Splits what is too wide in a pure graph, its steps included. `saves_blocks`: whether products may take longer for fewer blocks; in
/// steps they follow one another. Whether there was anything.
pub fn split_pure(graph: &mut Graph, limits: Limits, saves_blocks: bool) -> bool {
    let mut changed = false;
    for step in &mut graph.steps {
        changed |= split_pure(step, limits, false);
    }
    for _ in 0..ROUNDS {
        let widths = read_of_outputs(graph);
        if !is_too_wide(graph, &widths, limits) {
            break;
        }
        changed = true;
        let (builder, map) = rebuild(graph, &widths, limits, &BTreeMap::new(), saves_blocks);
        let outputs = graph.outputs.iter().map(|o| map[o.index()]).collect();
        *graph = builder.finish(outputs);
    }
    changed
}

/// Whether something with the given demanded bits is to be split.
pub fn is_too_wide(graph: &Graph, widths: &[u32], limits: Limits) -> bool {
    graph.nodes.iter().any(|(id, node)| {
        let demand = widths[id.index()];
        let bits = |arg: usize| graph.width(node.args[arg]).min(demand);
        match node.op {
            Op::Mul => {
                demand > 0 && !fits(limits.product, bits(0), bits(1))
                    || sums_for(graph, &node.args, demand, limits).is_some()
            }
            _ => demand > 0 && is_too_slow(graph, &node.op, &node.args, node.ty, demand, limits),
        }
    })
}

/// Whether a product of a pure graph takes fewer blocks if it may take longer.
pub fn saves_blocks(graph: &Graph, limits: Limits) -> bool {
    let Some(blocks) = limits.multiplier(true) else {
        return false;
    };
    let widths = read_of_outputs(graph);
    let mut products = graph.nodes.iter().filter(|(_, node)| node.op == Op::Mul);
    products.any(|(id, node)| {
        let demand = widths[id.index()];
        let [x, y] = [0, 1].map(|arg| graph.nodes[node.args[arg]].ty);
        demand > 0 && saves(x, y, demand, blocks)
    })
}

/// The demanded bits of each node where all of the outputs are read.
fn read_of_outputs(graph: &Graph) -> Vec<u32> {
    let roots: Vec<(NodeId, u32)> = graph.outputs.iter().map(|&o| (o, u32::MAX)).collect();
    demanded(graph, &roots, None)
}

/// Whether an operation that is no product takes longer than a cycle.
fn is_too_slow(
    graph: &Graph,
    op: &Op,
    args: &[NodeId],
    ty: HwType,
    demand: u32,
    limits: Limits,
) -> bool {
    let compared = || args.iter().map(|&a| graph.width(a)).max().unwrap_or(0);
    match op {
        Op::Shl | Op::Shr => ty.width > limits.shift,
        Op::Add | Op::Sub => demand > limits.sum,
        Op::Icmp(Predicate::Eq | Predicate::Ne) => compared() > limits.equality,
        Op::Icmp(_) => compared() > limits.order,
        _ => false,
    }
}

/// The graph with what is too wide split, and where each of its nodes is now. `ranges`: what is known of nodes beyond
/// their types; `saves_blocks`: whether products may take longer for fewer blocks.
pub fn rebuild(
    graph: &Graph,
    widths: &[u32],
    limits: Limits,
    ranges: &BTreeMap<NodeId, &Interval>,
    saves_blocks: bool,
) -> (Builder, Vec<NodeId>) {
    replayed(graph, widths, ranges, |builder, id, map| {
        let node = &graph.nodes[id];
        let demand = widths[id.index()];
        let args: Vec<NodeId> = node.args.iter().map(|a| map[a.index()]).collect();
        let is_slow = || is_too_slow(graph, &node.op, &node.args, node.ty, demand, limits);
        match &node.op {
            _ if demand == 0 => None,
            Op::Mul => Some(match sums_for(graph, &node.args, demand, limits) {
                Some((factor, plan)) => plan.build(builder, map[factor.index()]),
                None => product(
                    builder,
                    args[0],
                    args[1],
                    demand,
                    limits.multiplier(saves_blocks),
                ),
            }),
            _ if !is_slow() => None,
            Op::Shl | Op::Shr => Some(shift(builder, &node.op, args[0], args[1], node.ty)),
            Op::Icmp(predicate) => Some(compare(builder, *predicate, args[0], args[1], limits)),
            op => Some(sum(builder, op, &args, demand, limits.sum)),
        }
    })
}

/// `value` shifted by each bit of the amount in turn, within `ty`.
fn shift(b: &mut Builder, op: &Op, value: NodeId, amount: NodeId, ty: HwType) -> NodeId {
    let amount = b.narrowed(amount);
    let mut shifted = value;
    for bit in (0..b.ty(amount).width).rev() {
        // From the width on, a left shift leaves nothing, a right shift the sign.
        let distance = 1u32.checked_shl(bit).unwrap_or(u32::MAX);
        let moved = if *op == Op::Shl {
            let distance = b.constant(distance);
            b.shl(shifted, distance, ty)
        } else {
            let width = b.ty(shifted).width;
            let sign = if b.ty(shifted).signed {
                width - 1
            } else {
                width
            };
            match distance.min(sign) {
                all if all == width => b.constant(0),
                distance => {
                    let distance = b.constant(distance);
                    b.shr(shifted, distance)
                }
            }
        };
        let set = b.extract(amount, bit, 1);
        shifted = b.mux(set, moved, shifted);
    }
    shifted
}

/// The factor of a product by a constant, and the sums that it becomes, if they are neither larger nor slower than
/// multiplier blocks.
fn sums_for(graph: &Graph, args: &[NodeId], demand: u32, limits: Limits) -> Option<(NodeId, Plan)> {
    let costs = limits.costs.as_ref()?;
    let [a, b] = *args else { return None };
    let (factor, constant) = match (graph.as_const(a), graph.as_const(b)) {
        (None, Some(constant)) => (a, constant),
        (Some(constant), None) => (b, constant),
        _ => return None,
    };
    // A product that nobody reads is not split.
    if constant.is_zero() || demand == 0 {
        return None;
    }
    let width = graph.width(factor).min(demand);
    let digits = (constant.bits() as u32 + u32::from(constant.is_negative())).min(demand);
    let cost = |block| blocks_cost(width, digits, demand, block, costs);
    let (block_area, block_delay) = limits.product.map_or((0.0, 0.0), cost);
    // What shares sums may need more levels of them.
    let plans = [true, false].into_iter();
    let mut plans = plans.filter_map(|sharing| Plan::new(constant, sharing));
    let plan = plans.find(|plan| {
        let (area, delay) = plan.cost(width, demand, costs);
        limits.product.is_none() || area <= block_area && delay <= block_delay
    });
    Some((factor, plan?))
}

/// A value with the same low `demand` bits as the sum of the terms, or the difference of two.
fn sum(b: &mut Builder, op: &Op, terms: &[NodeId], demand: u32, limit: u32) -> NodeId {
    match *terms {
        [only] => only,
        [x, y] => {
            let ty = infer_type(op, &[b.ty(x), b.ty(y)]);
            let ty = ty.unwrap_or(HwType::si(b.ty(x).width.max(b.ty(y).width) + 2));
            // A word has a bit for the carry below and one above.
            let words = ty.width.min(demand).div_ceil(limit - 2);
            let word = ty.width.min(demand).div_ceil(words);
            let bits = carried(b, op, (x, y), None, ty.width.min(demand), word);
            match ty.signed && ty.width <= demand {
                true => b.cast(bits, ty),
                false => bits,
            }
        }
        _ => {
            let (low, high) = terms.split_at(terms.len() / 2);
            let low = sum(b, op, low, demand, limit);
            let high = sum(b, op, high, demand, limit);
            sum(b, op, &[low, high], demand, limit)
        }
    }
}

/// The low `width` bits of a sum or difference in words of `word` bits.
fn carried(
    b: &mut Builder,
    op: &Op,
    (x, y): (NodeId, NodeId),
    carry: Option<NodeId>,
    width: u32,
    word: u32,
) -> NodeId {
    if width <= word {
        let last = with_carry(b, op, x, y, carry);
        return b.cast(last, HwType::ui(width));
    }
    let bits = HwType::ui(word);
    let (low_x, low_y) = (b.cast(x, bits), b.cast(y, bits));
    let low = with_carry(b, op, low_x, low_y, carry);
    // The carry of a sum, or the sign of a difference.
    let carry = b.extract(low, word, 1);
    let rest = (above(b, x, word), above(b, y, word));
    let high = carried(b, op, rest, Some(carry), width - word, word);
    b.concat(&[(high, width - word), (low, word)])
}

/// `x + y + carry` or `x - y - carry` with one adder: the carry comes out of a bit below the others.
fn with_carry(b: &mut Builder, op: &Op, x: NodeId, y: NodeId, carry: Option<NodeId>) -> NodeId {
    let apply = |b: &mut Builder, x, y| match op {
        Op::Sub => b.sub(x, y),
        _ => b.add(x, y),
    };
    let Some(carry) = carry else {
        return apply(b, x, y);
    };
    if b.as_const(y).is_some_and(Zero::is_zero) {
        return apply(b, x, carry);
    }
    let below = b.constant(u8::from(*op != Op::Sub));
    let (x, y) = (b.shift_left_exact(x, 1), b.shift_left_exact(y, 1));
    let (x, y) = (b.add(x, below), b.add(y, carry));
    let result = apply(b, x, y);
    let one = b.constant(1);
    b.shr(result, one)
}

/// `value >> shift`, whatever its width.
fn above(b: &mut Builder, value: NodeId, shift: u32) -> NodeId {
    let ty = b.ty(value);
    let most = ty.width - u32::from(ty.signed);
    match shift.min(most) {
        all if all == ty.width => b.constant(0),
        shift => {
            let shift = b.constant(shift);
            b.shr(value, shift)
        }
    }
}

/// A comparison as a tree over words.
fn compare(b: &mut Builder, predicate: Predicate, x: NodeId, y: NodeId, limits: Limits) -> NodeId {
    use Predicate::*;
    match predicate {
        Eq => equal(b, x, y, limits.equality),
        Lt => less(b, x, y, limits),
        Gt => less(b, y, x, limits),
        Ne | Le | Ge => {
            let (opposite, x, y) = match predicate {
                Ne => (Eq, x, y),
                Le => (Lt, y, x),
                _ => (Lt, x, y),
            };
            let opposite = compare(b, opposite, x, y, limits);
            b.not1(opposite)
        }
    }
}

/// Lower and upper halves of both, the upper ones with their signs, if they have more than `limit` bits.
fn halves(b: &mut Builder, x: NodeId, y: NodeId, limit: u32) -> Option<[NodeId; 4]> {
    let width = common(b.ty(x), b.ty(y)).width;
    (width > limit).then(|| {
        let word = width.div_ceil(2);
        let bits = HwType::ui(word);
        [
            b.cast(x, bits),
            b.cast(y, bits),
            above(b, x, word),
            above(b, y, word),
        ]
    })
}

fn equal(b: &mut Builder, x: NodeId, y: NodeId, limit: u32) -> NodeId {
    match halves(b, x, y, limit) {
        None => b.icmp(Predicate::Eq, x, y),
        Some([low_x, low_y, high_x, high_y]) => {
            let low = equal(b, low_x, low_y, limit);
            let high = equal(b, high_x, high_y, limit);
            b.and(low, high)
        }
    }
}

fn less(b: &mut Builder, x: NodeId, y: NodeId, limits: Limits) -> NodeId {
    match halves(b, x, y, limits.order) {
        None => b.icmp(Predicate::Lt, x, y),
        Some([low_x, low_y, high_x, high_y]) => {
            let low = less(b, low_x, low_y, limits);
            let same = equal(b, high_x, high_y, limits.equality);
            let high = less(b, high_x, high_y, limits);
            let decided_below = b.and(same, low);
            b.or(high, decided_below)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::eval::eval_nodes;
    use super::super::testing::*;
    use super::*;
    use num_bigint::BigInt;

    const COSTS: Costs = Costs {
        block_area: 500.0,
        add_area: 1.0,
        block_delay: 5.0,
        add_delay: (1.5, 0.03),
    };

    /// A block of any shape, or none.
    fn block(random: &mut Random) -> Option<Block> {
        let long = random.between(4, 18);
        let short = match random.flip() {
            true => long,
            false => random.between(4, long),
        };
        (random.between(0, 3) > 0).then_some([long, short])
    }

    /// Splits the products of a random graph; the demanded bits of the outputs stay.
    fn splitting_keeps_demanded_bits(seed: u64, shape: &Shape, limit: usize) {
        let mut random = Random::new(seed);
        let graph = random_graph(&mut random, shape);
        let limits = Limits {
            product: block(&mut random),
            shift: random.between(1, 20),
            sum: random.between(LEAST_WORD, 30),
            order: random.between(LEAST_WORD, 30),
            equality: random.between(LEAST_WORD, 30),
            costs: random.flip().then_some(COSTS),
        };
        let saves_blocks = random.flip();
        let roots: Vec<(NodeId, u32)> = graph
            .outputs
            .iter()
            .map(|&o| (o, random.between(1, graph.width(o))))
            .collect();
        let widths = demanded(&graph, &roots, None);
        let (mut builder, mut map) =
            rebuild(&graph, &widths, limits, &BTreeMap::new(), saves_blocks);
        for round in 0..ROUNDS {
            builder.graph.validate().expect("valid");
            let kept: Vec<(NodeId, u32)> = map.iter().copied().zip(widths.clone()).collect();
            let new_widths = demanded(&builder.graph, &kept, None);
            if !is_too_wide(&builder.graph, &new_widths, limits) {
                break;
            }
            assert!(
                round + 1 < ROUNDS,
                "seed {seed}: too wide for {limits:?}\n{}",
                builder.graph.print(0)
            );
            let (again, moved) = rebuild(
                &builder.graph,
                &new_widths,
                limits,
                &BTreeMap::new(),
                saves_blocks,
            );
            map.iter_mut().for_each(|id| *id = moved[id.index()]);
            builder = again;
        }
        for inputs in input_vectors(&mut random, &graph.input_types(), limit) {
            let old = eval_nodes(&graph, &inputs);
            let new = eval_nodes(&builder.graph, &inputs);
            for (id, &width) in graph.nodes.ids().zip(&widths) {
                let (was, is) = (&old[id.index()], &new[map[id.index()].index()]);
                let bits = HwType::ui(width.max(1));
                // A node of which every bit is read stands for its number: whoever is wider extends it.
                let same = match width {
                    0 => true,
                    all if all == graph.width(id) => was == is,
                    _ => bits.wrap(was) == bits.wrap(is),
                };
                assert!(
                    same,
                    "seed {seed}, {limits:?}: {width} bits of %{}: {was} became {is}\n{}\nbecame\n{}",
                    id.index(),
                    graph.print(0),
                    builder.graph.print(0)
                );
            }
        }
    }

    fn shape(input_width: u32, arithmetic: bool) -> Shape {
        Shape {
            input_width,
            inputs: 3,
            operations: 6,
            max_width: input_width * 4,
            arithmetic,
        }
    }

    #[test]
    fn splitting_keeps_the_demanded_bits_of_products() {
        for width in [8, 20, 40, 64] {
            (0..50).for_each(|seed| splitting_keeps_demanded_bits(seed, &shape(width, true), 8));
        }
        (0..10).for_each(|seed| splitting_keeps_demanded_bits(seed, &shape(300, true), 4));
    }

    #[test]
    fn splitting_keeps_the_demanded_bits_of_graphs_of_all_operations() {
        (0..500).for_each(|seed| splitting_keeps_demanded_bits(seed, &shape(24, false), 8));
    }

    fn small_types(most: u32) -> impl Iterator<Item = HwType> {
        (1..=most).flat_map(|width| [HwType::ui(width), HwType::si(width)])
    }

    #[test]
    fn sums_in_words_are_right_for_all_inputs() {
        for a in small_types(6) {
            for b in small_types(6).filter(|b| b.width == 6 || b.width + a.width == 6) {
                for (op, word) in [(Op::Add, 1), (Op::Add, 2), (Op::Sub, 1), (Op::Sub, 3)] {
                    let ty = infer_type(&op, &[a, b]).expect("a type");
                    // A word of one bit also without the highest bit.
                    for demand in ty.width - u32::from(word == 1)..=ty.width {
                        let mut builder = Builder::new();
                        let x = builder.opaque(Op::Input(0), vec![], a);
                        let y = builder.opaque(Op::Input(1), vec![], b);
                        let z = sum(&mut builder, &op, &[x, y], demand, word + 2);
                        builder.graph.validate().expect("valid");
                        let bits = HwType::ui(demand);
                        for inputs in input_vectors(&mut Random::new(1), &[a, b], 1 << 12) {
                            let values = eval_nodes(&builder.graph, &inputs);
                            let exact = match op {
                                Op::Add => &inputs[0] + &inputs[1],
                                _ => &inputs[0] - &inputs[1],
                            };
                            let got = bits.wrap(&values[z.index()]);
                            assert_eq!(got, bits.wrap(&exact), "{op:?} {a} {b} {inputs:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn sums_of_a_large_constant_are_factors_of_products() {
        for (place, word) in (8..64).flat_map(|place| [(place, 8), (place, 14), (place, 30)]) {
            let mut builder = Builder::new();
            let [x, y] = [0, 1].map(|n| builder.opaque(Op::Input(n), vec![], HwType::ui(4)));
            let large = builder.constant(BigInt::from(1) << place);
            let factor = builder.add(y, large);
            let result = builder.mul(x, factor);
            let mut graph = builder.finish(vec![result]);
            let whole = graph.clone();
            let limits = Limits {
                product: Some([18, 18]),
                shift: 64,
                sum: word,
                order: 64,
                equality: 64,
                costs: Some(COSTS),
            };
            split_pure(&mut graph, limits, true);
            assert_eq!(super::super::equal::output_difference(&whole, &graph), None);
        }
    }

    #[test]
    fn comparisons_in_words_are_right_for_all_inputs() {
        let limits = |limit| Limits {
            product: Some([18, 18]),
            shift: 18,
            sum: LEAST_WORD,
            order: limit,
            equality: limit,
            costs: None,
        };
        for a in small_types(6).filter(|a| a.width >= 4) {
            for b in small_types(6) {
                for (predicate, limit) in Predicate::ALL.into_iter().zip([2, 2, 3, 2, 3, 2]) {
                    let mut builder = Builder::new();
                    let x = builder.opaque(Op::Input(0), vec![], a);
                    let y = builder.opaque(Op::Input(1), vec![], b);
                    let z = compare(&mut builder, predicate, x, y, limits(limit));
                    builder.graph.validate().expect("valid");
                    for inputs in input_vectors(&mut Random::new(1), &[a, b], 1 << 12) {
                        let values = eval_nodes(&builder.graph, &inputs);
                        let exact = predicate.holds(inputs[0].cmp(&inputs[1]));
                        let got = &values[z.index()];
                        assert_eq!(
                            *got,
                            u8::from(exact).into(),
                            "{a} {predicate:?} {b} {inputs:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn split_shifts_are_right_for_all_inputs() {
        for ty in [HwType::ui(6), HwType::si(6), HwType::ui(1), HwType::si(1)] {
            for amount in (1..=5).map(HwType::ui) {
                for op in [Op::Shl, Op::Shr] {
                    let mut builder = Builder::new();
                    let x = builder.opaque(Op::Input(0), vec![], ty);
                    let n = builder.opaque(Op::Input(1), vec![], amount);
                    let z = shift(&mut builder, &op, x, n, ty);
                    for inputs in input_vectors(&mut Random::new(1), &[ty, amount], 1 << 11) {
                        let values = eval_nodes(&builder.graph, &inputs);
                        let args = [(&inputs[0], ty), (&inputs[1], amount)];
                        let exact = super::super::eval::eval_op(&op, &args, ty);
                        assert_eq!(
                            Some(&values[z.index()]),
                            exact.as_ref(),
                            "{op:?} {inputs:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn products_by_constants_become_sums_where_those_cost_less() {
        let products = |constant: u32, width: u32, costs: Option<Costs>| {
            let mut g = Graph::new();
            let x = g.input(0, HwType::ui(width));
            let c = g.constant(constant);
            let product = g.mul(x, c);
            g.outputs.push(product);
            let limits = Limits {
                product: Some([18, 18]),
                shift: 18,
                sum: 64,
                order: 64,
                equality: 64,
                costs,
            };
            split_pure(&mut g, limits, true);
            g.nodes.iter().filter(|(_, n)| n.op == Op::Mul).count()
        };
        let dear = Costs {
            block_area: 20.0,
            ..COSTS
        };
        let slow = Costs {
            add_delay: (4.0, 0.0),
            ..COSTS
        };
        // Two sums: 5 * 17.
        assert_eq!(products(0x55, 16, Some(COSTS)), 0);
        assert_eq!(products(0x55, 16, Some(dear)), 1, "a block is cheaper");
        assert_eq!(products(0x55, 16, Some(slow)), 1, "a block is faster");
        assert_eq!(products(0x55, 16, None), 1);
        // Three levels of sums in place of a block.
        assert_eq!(products(0x2_1089, 16, Some(COSTS)), 1);
        // Beside three blocks and two sums they are quick enough.
        assert_eq!(products(0x2_1089, 50, Some(COSTS)), 0);
    }
}
