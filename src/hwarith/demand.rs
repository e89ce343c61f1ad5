//! Demanded bits: how many low bits of each node can influence a result (backward analysis).
//!
//! A node is built in hardware with only the demanded bits: an `si33` sum whose result is stored in 32 bits
//! is a 32-bit adder.

use super::graph::{Graph, MemId, NodeId, Op};

/// Bits that memories read of what a graph hands them.
pub trait Memories {
    /// Bits of an address.
    fn address_width(&self, mem: MemId) -> u32;
    /// Bits of a word.
    fn data_width(&self, mem: MemId) -> u32;
}

/// Demanded width of every node of a graph, 0 for nodes that influence nothing.
///
/// `roots` are the nodes read from outside with the number of low bits read. Without `memories`, loads and stores read all
/// bits of their operands.
pub fn demanded(
    graph: &Graph,
    roots: &[(NodeId, u32)],
    memories: Option<&dyn Memories>,
) -> Vec<u32> {
    let mut widths = vec![0u32; graph.nodes.len()];
    for &(node, bits) in roots {
        let width = &mut widths[node.index()];
        *width = (*width).max(bits.min(graph.width(node)));
    }
    // A phi's next value may come later than the phi: repeat until nothing grows.
    loop {
        let mut grown = false;
        for (id, node) in graph.nodes.iter().rev() {
            let demand = match node.op {
                Op::Store(_) => 1,
                _ => widths[id.index()],
            };
            if demand == 0 {
                continue;
            }
            for (i, &arg) in node.args.iter().enumerate() {
                let wanted = of_operand(graph, id, i, demand, memories).min(graph.width(arg));
                let width = &mut widths[arg.index()];
                if wanted > *width {
                    *width = wanted;
                    grown |= arg >= id;
                }
            }
        }
        if !grown {
            return widths;
        }
    }
}

/// Low bits that node `id` reads of its operand `i` when `demand` low bits of its own are read.
fn of_operand(
    graph: &Graph,
    id: NodeId,
    i: usize,
    demand: u32,
    memories: Option<&dyn Memories>,
) -> u32 {
    let node = &graph.nodes[id];
    let whole = graph.width(node.args[i]);
    match (&node.op, i) {
        (
            Op::Add | Op::Sub | Op::Mul | Op::And | Op::Or | Op::Xor | Op::Not | Op::Cast | Op::Phi,
            _,
        ) => demand,
        (Op::Mux, 1 | 2) | (Op::Shl, 0) => demand,
        (Op::Extract { lo }, _) => lo + demand,
        (Op::Concat, _) => {
            let below: u32 = node.args[i + 1..].iter().map(|&a| graph.width(a)).sum();
            demand.saturating_sub(below)
        }
        (Op::Load(m) | Op::Store(m), 0) => {
            memories.map_or(whole, |memories| memories.address_width(*m))
        }
        (Op::Store(m), 1) => memories.map_or(whole, |memories| memories.data_width(*m)),
        _ => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::super::eval::eval;
    use super::super::testing::*;
    use super::super::types::HwType;
    use super::*;

    /// Outputs computed from the demanded bits alone, as the datapath does, have the same low bits.
    fn demanded_bits_suffice(seed: u64, shape: &Shape, limit: usize) {
        let mut random = Random::new(seed);
        let graph = random_graph(&mut random, shape);
        let roots: Vec<(NodeId, u32)> = graph
            .outputs
            .iter()
            .map(|&o| (o, random.between(1, graph.width(o))))
            .collect();
        let widths = demanded(&graph, &roots, None);
        for inputs in input_vectors(&mut random, &graph.input_types(), limit) {
            let exact = eval(&graph, &inputs);
            let masked = eval_masked(&graph, &widths, &inputs);
            for (&(node, bits), exact) in roots.iter().zip(exact) {
                let bits = HwType::ui(bits);
                let got = masked[node.index()].as_ref().map(|v| bits.wrap(v));
                assert_eq!(
                    got,
                    Some(bits.wrap(&exact)),
                    "seed {seed}: {bits} of %{} with widths {widths:?}\n{}",
                    node.index(),
                    graph.print(0)
                );
            }
        }
    }

    #[test]
    fn small_graphs_need_only_their_demanded_bits() {
        let shape = Shape {
            input_width: 4,
            inputs: 2,
            operations: 12,
            max_width: 24,
            arithmetic: false,
        };
        (0..1500).for_each(|seed| demanded_bits_suffice(seed, &shape, 48));
    }

    #[test]
    fn wide_graphs_need_only_their_demanded_bits() {
        let shape = Shape {
            input_width: 300,
            inputs: 3,
            operations: 16,
            max_width: 700,
            arithmetic: false,
        };
        (0..300).for_each(|seed| demanded_bits_suffice(seed, &shape, 8));
    }

    #[test]
    fn a_sum_stored_in_fewer_bits_is_a_narrow_adder() {
        let mut g = Graph::new();
        let (a, b) = (g.input(0, HwType::si(32)), g.input(1, HwType::si(32)));
        let product = g.mul(a, b);
        let sum = g.add(product, a);
        let stored = g.cast(sum, HwType::si(20));
        let top = g.extract(product, 40, 4);
        assert_eq!(demanded(&g, &[(stored, 20)], None), [20, 20, 20, 20, 20, 0]);
        assert_eq!(demanded(&g, &[(top, 2)], None), [32, 32, 42, 0, 0, 2]);
    }

    #[test]
    fn a_carried_value_is_demanded_by_its_next() {
        let mut g = Graph::new();
        let zero = g.constant(0);
        let phi = g.push(Op::Phi, vec![zero, zero], HwType::ui(16));
        let one = g.constant(1);
        let next = g.add(phi, one);
        g.nodes[phi].args[1] = next;
        let low = g.extract(phi, 0, 3);
        assert_eq!(demanded(&g, &[(low, 3)], None), [1, 3, 1, 3, 3]);
        let limit = g.constant(9);
        let last = g.icmp(super::super::graph::Predicate::Eq, phi, limit);
        assert_eq!(demanded(&g, &[(last, 1)], None)[phi.index()], 16);
    }
}
