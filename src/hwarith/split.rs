//! Splits wide products into products that fit the device's multiplier blocks.
//!
//! Schoolbook decomposition: one operand is cut at the block's width, the lower part unsigned, the upper part with
//! the operand's sign. Only demanded bits are computed, so the low half of a 32x32 product takes three
//! 18x18 blocks instead of four.

use super::builder::Builder;
use super::demand::demanded;
use super::graph::{Graph, NodeId, Op};
use super::program::Program;
use super::types::HwType;

/// Splits the products of all leaves and operator modules. `block` is the width of a multiplier's operands.
pub fn split_products(program: &mut Program, block: u32) {
    for unit in &mut program.units {
        split_pure(&mut unit.graph, block);
    }
    for i in 0..program.leaves.len() {
        let widths = program.demanded(i);
        let leaf = &program.leaves[i];
        if !has_wide_product(leaf.graph(), &widths, block) {
            continue;
        }
        let (builder, map) = rebuild(leaf.graph(), &widths, block, Some(&leaf.builder));
        let leaf = &mut program.leaves[i];
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

fn split_pure(graph: &mut Graph, block: u32) {
    for step in &mut graph.steps {
        split_pure(step, block);
    }
    let roots: Vec<(NodeId, u32)> = graph.outputs.iter().map(|&o| (o, u32::MAX)).collect();
    let widths = demanded(graph, &roots, None);
    if !has_wide_product(graph, &widths, block) {
        return;
    }
    let (builder, map) = rebuild(graph, &widths, block, None);
    let outputs = graph.outputs.iter().map(|o| map[o.index()]).collect();
    *graph = builder.finish(outputs);
}

fn has_wide_product(graph: &Graph, widths: &[u32], block: u32) -> bool {
    graph.nodes.iter().any(|(id, node)| {
        let demand = widths[id.index()];
        node.op == Op::Mul
            && node
                .args
                .iter()
                .any(|&a| graph.width(a).min(demand) > block)
    })
}

fn rebuild(
    graph: &Graph,
    widths: &[u32],
    block: u32,
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
                Op::Mul if demand > 0 => product(&mut builder, args[0], args[1], demand, block),
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
        let block = random.between(4, 18);
        let roots: Vec<(NodeId, u32)> = graph
            .outputs
            .iter()
            .map(|&o| (o, random.between(1, graph.width(o))))
            .collect();
        let widths = demanded(&graph, &roots, None);
        let (builder, map) = rebuild(&graph, &widths, block, None);
        builder.graph.validate().expect("valid");
        let new_roots: Vec<(NodeId, u32)> =
            roots.iter().map(|&(o, w)| (map[o.index()], w)).collect();
        let new_widths = demanded(&builder.graph, &new_roots, None);
        assert_fits(&builder.graph, &new_widths, block, seed);
        for inputs in input_vectors(&mut random, &graph.input_types(), limit) {
            let old = eval_nodes(&graph, &inputs);
            let new = eval_nodes(&builder.graph, &inputs);
            for (id, &width) in graph.nodes.ids().zip(&widths) {
                if width > 0 {
                    let bits = HwType::ui(width);
                    assert_eq!(
                        bits.wrap(&old[id.index()]),
                        bits.wrap(&new[map[id.index()].index()]),
                        "seed {seed}, block {block}: low {width} bits of %{}\n{}\nbecame\n{}",
                        id.index(),
                        graph.print(0),
                        builder.graph.print(0)
                    );
                }
            }
        }
    }

    /// No product is wider than a block in the bits that are read.
    fn assert_fits(graph: &Graph, widths: &[u32], block: u32, seed: u64) {
        assert!(
            !has_wide_product(graph, widths, block),
            "seed {seed}: a product is wider than {block}\n{}",
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
    fn the_low_half_of_a_32_bit_product_takes_three_blocks() {
        let mut builder = Builder::new();
        let x = builder.opaque(Op::Input(0), vec![], HwType::si(32));
        let y = builder.opaque(Op::Input(1), vec![], HwType::si(32));
        product(&mut builder, x, y, 32, 18);
        let nodes = builder.graph.nodes.iter();
        assert_eq!(nodes.filter(|(_, n)| n.op == Op::Mul).count(), 3);
    }
}
