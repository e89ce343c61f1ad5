//! Splits products that are wider than the device's multiplier blocks, and shifts that take longer than a cycle.
//!
//! Products: schoolbook decomposition: one operand is cut at the block's width, the lower part unsigned, the upper part with
//! the operand's sign. Only demanded bits are computed, so the low half of a 32x32 product takes three
//! 18x18 blocks instead of four.
//!
//! Shifts become a selection for each bit of the amount, the largest distance first, between which a scheduler can cut.

use super::builder::Builder;
use super::demand::demanded;
use super::graph::{Graph, NodeId, Op};
use super::program::Program;
use super::types::HwType;

/// Up to which width an operation stays in one piece.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bits of an operand of a product.
    pub product: u32,
    /// Bits of a shifted value.
    pub shift: u32,
}

/// Splits what is too wide in all leaves and operator modules.
pub fn split(program: &mut Program, limits: Limits) {
    for unit in &mut program.units {
        split_pure(&mut unit.graph, limits);
    }
    let demanded = program.demanded();
    for (leaf, widths) in program.leaves.iter_mut().zip(demanded) {
        if !is_too_wide(leaf.graph(), &widths, limits) {
            continue;
        }
        let (builder, map) = rebuild(leaf.graph(), &widths, limits, Some(&leaf.builder));
        leaf.builder = builder;
        let new = |id: &mut NodeId| *id = map[id.index()];
        leaf.writes.iter_mut().for_each(|(_, node)| new(node));
        leaf.accesses.iter_mut().for_each(|a| new(&mut a.node));
        if let Some(repeat) = &mut leaf.repeat {
            repeat.phis.iter_mut().for_each(|(phi, _)| new(phi));
            new(&mut repeat.last);
        }
    }
}

fn split_pure(graph: &mut Graph, limits: Limits) {
    for step in &mut graph.steps {
        split_pure(step, limits);
    }
    let roots: Vec<(NodeId, u32)> = graph.outputs.iter().map(|&o| (o, u32::MAX)).collect();
    let widths = demanded(graph, &roots, None);
    if !is_too_wide(graph, &widths, limits) {
        return;
    }
    let (builder, map) = rebuild(graph, &widths, limits, None);
    let outputs = graph.outputs.iter().map(|o| map[o.index()]).collect();
    *graph = builder.finish(outputs);
}

fn is_too_wide(graph: &Graph, widths: &[u32], limits: Limits) -> bool {
    graph.nodes.iter().any(|(id, node)| {
        let demand = widths[id.index()];
        let mut bits = node.args.iter().map(|&a| graph.width(a).min(demand));
        match node.op {
            Op::Mul => bits.any(|bits| bits > limits.product),
            Op::Shl | Op::Shr => demand > 0 && node.ty.width > limits.shift,
            _ => false,
        }
    })
}

fn rebuild(
    graph: &Graph,
    widths: &[u32],
    limits: Limits,
    old: Option<&Builder>,
) -> (Builder, Vec<NodeId>) {
    let mut builder = Builder::new();
    builder.graph.steps = graph.steps.clone();
    let mut map: Vec<NodeId> = Vec::with_capacity(graph.nodes.len());
    let mut phis = Vec::new();
    for (id, node) in graph.nodes.iter() {
        builder.at(node.span);
        let demand = widths[id.index()];
        let new = if node.op == Op::Phi {
            let init = map[node.args[0].index()];
            let phi = builder.opaque(Op::Phi, vec![init, init], node.ty);
            phis.push((phi, node.args[1]));
            phi
        } else {
            let args: Vec<NodeId> = node.args.iter().map(|a| map[a.index()]).collect();
            let types: Vec<HwType> = node.args.iter().map(|&a| graph.ty(a)).collect();
            match node.op {
                Op::Mul if demand > 0 => {
                    product(&mut builder, args[0], args[1], demand, limits.product)
                }
                Op::Shl | Op::Shr if node.ty.width > limits.shift => {
                    shift(&mut builder, &node.op, args[0], args[1], node.ty)
                }
                // Operands keep their exact types where hardware outside of the graph reads them.
                Op::Store(_) => {
                    let enable = builder.widen(args[2], HwType::ui(1));
                    builder.opaque(node.op.clone(), vec![args[0], args[1], enable], node.ty)
                }
                _ => builder.replay(&node.op, &args, &types, node.ty),
            }
        };
        if let Some(old) = old
            && matches!(node.op, Op::Phi)
        {
            builder.assume(new, old.range(id).clone());
        }
        if let Some(name) = &node.name {
            builder.graph.name(new, name);
        }
        map.push(new);
    }
    for (phi, next) in phis {
        builder.set_next(phi, map[next.index()]);
    }
    (builder, map)
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

/// A value with the same low `demand` bits as `a * b`.
fn product(b: &mut Builder, x: NodeId, y: NodeId, demand: u32, block: u32) -> NodeId {
    let limit = |b: &mut Builder, v: NodeId| {
        if b.ty(v).width > demand {
            b.cast(v, HwType::ui(demand))
        } else {
            v
        }
    };
    let (x, y) = (limit(b, x), limit(b, y));
    let (wide, other) = if b.ty(x).width >= b.ty(y).width {
        (x, y)
    } else {
        (y, x)
    };
    let ty = b.ty(wide);
    if ty.width <= block {
        return b.mul(wide, other);
    }
    let low = b.extract(wide, 0, block);
    let shift = b.constant(block);
    let high = b.shr(wide, shift);
    let low_product = product(b, low, other, demand, block);
    let low_bits = b.extract(low_product, 0, block);
    if demand <= block {
        return low_bits;
    }
    let high_product = product(b, high, other, demand - block, block);
    let carried = b.shr(low_product, shift);
    let sum = b.add(carried, high_product);
    let full = ty.width + b.ty(other).width;
    let signed = ty.signed || b.ty(other).signed;
    let width = demand.min(full);
    let joined = b.concat(&[(sum, width - block), (low_bits, block)]);
    if signed && width == full {
        b.cast(joined, HwType::si(full))
    } else {
        joined
    }
}

#[cfg(test)]
mod tests {
    use super::super::eval::eval_nodes;
    use super::super::testing::*;
    use super::*;

    /// Splits the products of a random graph; the demanded bits of the outputs stay.
    fn splitting_keeps_demanded_bits(seed: u64, shape: &Shape, limit: usize) {
        let mut random = Random::new(seed);
        let graph = random_graph(&mut random, shape);
        let limits = Limits {
            product: random.between(4, 18),
            shift: random.between(1, 20),
        };
        let roots: Vec<(NodeId, u32)> = graph
            .outputs
            .iter()
            .map(|&o| (o, random.between(1, graph.width(o))))
            .collect();
        let widths = demanded(&graph, &roots, None);
        let (builder, map) = rebuild(&graph, &widths, limits, None);
        builder.graph.validate().expect("valid");
        let new_roots: Vec<(NodeId, u32)> =
            roots.iter().map(|&(o, w)| (map[o.index()], w)).collect();
        let new_widths = demanded(&builder.graph, &new_roots, None);
        assert_fits(&builder.graph, &new_widths, limits, seed);
        for inputs in input_vectors(&mut random, &graph.input_types(), limit) {
            let old = eval_nodes(&graph, &inputs);
            let new = eval_nodes(&builder.graph, &inputs);
            for (id, &width) in graph.nodes.ids().zip(&widths) {
                if width > 0 {
                    let bits = HwType::ui(width);
                    assert_eq!(
                        bits.wrap(&old[id.index()]),
                        bits.wrap(&new[map[id.index()].index()]),
                        "seed {seed}, {limits:?}: low {width} bits of %{}\n{}\nbecame\n{}",
                        id.index(),
                        graph.print(0),
                        builder.graph.print(0)
                    );
                }
            }
        }
    }

    /// Nothing is too wide in the bits that are read.
    fn assert_fits(graph: &Graph, widths: &[u32], limits: Limits, seed: u64) {
        assert!(
            !is_too_wide(graph, widths, limits),
            "seed {seed}: too wide for {limits:?}\n{}",
            graph.print(0)
        );
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
            (0..150).for_each(|seed| splitting_keeps_demanded_bits(seed, &shape(width, true), 8));
        }
        (0..30).for_each(|seed| splitting_keeps_demanded_bits(seed, &shape(300, true), 4));
    }

    #[test]
    fn splitting_keeps_the_demanded_bits_of_graphs_of_all_operations() {
        (0..500).for_each(|seed| splitting_keeps_demanded_bits(seed, &shape(24, false), 8));
    }

    #[test]
    fn small_products_are_split_right_for_all_inputs() {
        for (a, b) in [
            (HwType::si(6), HwType::ui(5)),
            (HwType::ui(6), HwType::ui(5)),
            (HwType::si(5), HwType::si(6)),
        ] {
            for demand in 1..=a.width + b.width {
                let mut builder = Builder::new();
                let x = builder.opaque(Op::Input(0), vec![], a);
                let y = builder.opaque(Op::Input(1), vec![], b);
                let z = product(&mut builder, x, y, demand, 4);
                let bits = HwType::ui(demand);
                for inputs in input_vectors(&mut Random::new(1), &[a, b], 1 << 14) {
                    let values = eval_nodes(&builder.graph, &inputs);
                    let exact = &inputs[0] * &inputs[1];
                    assert_eq!(bits.wrap(&values[z.index()]), bits.wrap(&exact));
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
    fn the_low_half_of_a_32_bit_product_takes_three_blocks() {
        let mut builder = Builder::new();
        let x = builder.opaque(Op::Input(0), vec![], HwType::si(32));
        let y = builder.opaque(Op::Input(1), vec![], HwType::si(32));
        product(&mut builder, x, y, 32, 18);
        let nodes = builder.graph.nodes.iter();
        assert_eq!(nodes.filter(|(_, n)| n.op == Op::Mul).count(), 3);
    }
}
