//! Implementations of iterated steps: all of them inline, or so many a clock cycle in a loop through a register.

use super::builder::{Builder, Iterate};
use super::graph::{Graph, NodeId, Op};

/// The graph with every step inline: a new operation can start in every cycle.
pub fn unrolled(graph: &Graph) -> Graph {
    rewrite(graph, &mut |builder, step, count, args, _| {
        repeat(builder, step, count, args)[0]
    })
}

/// The graph with steps put together: each application of what is left is one cycle's work.
/// `per_cycle` says how many applications of a step, of so many, a cycle holds, at least one.
pub fn rolled(graph: &Graph, mut per_cycle: impl FnMut(&Graph, u32) -> u32) -> Graph {
    rewrite(graph, &mut |builder, step, count, args, ty| {
        let fold = per_cycle(step, count).clamp(1, count.max(1));
        // What does not fill a cycle comes first, where constants of the initial state make it small.
        let args = repeat(builder, step, count % fold, args);
        match count / fold {
            // One cycle's work goes round no loop.
            cycles @ (0 | 1) => repeat(builder, step, cycles * fold, args)[0],
            cycles => {
                let step = builder.graph.add_step(composed(step, fold));
                let op = Op::Iterate {
                    step,
                    count: cycles,
                };
                builder.opaque(op, args, ty)
            }
        }
    })
}

/// A step that does the work of `count`.
pub fn composed(step: &Graph, count: u32) -> Graph {
    let mut builder = Builder::new();
    let inputs = builder.inputs(step);
    let state = repeat(&mut builder, step, count, inputs)[0];
    builder.finish(vec![state])
}

/// The arguments with the state after `count` steps in place of the first.
fn repeat(builder: &mut Builder, step: &Graph, count: u32, mut args: Vec<NodeId>) -> Vec<NodeId> {
    for _ in 0..count {
        args[0] = builder.inline(step, &args)[0];
    }
    args
}

fn rewrite(graph: &Graph, iterate: &mut Iterate) -> Graph {
    let mut builder = Builder::new();
    let inputs = builder.inputs(graph);
    let outputs = builder.inline_with(graph, &inputs, iterate);
    builder.finish(outputs)
}

/// Bits that operations make in one application of a step: about its lookup tables.
pub fn size(step: &Graph) -> u64 {
    let wires = |op: &Op| {
        matches!(
            op,
            Op::Const(_) | Op::Input(_) | Op::Cast | Op::Concat | Op::Extract { .. } | Op::Not
        )
    };
    step.nodes
        .iter()
        .filter(|(_, node)| !wires(&node.op))
        .map(|(_, node)| u64::from(node.ty.width))
        .sum()
}

/// Bits that unrolling makes ([`size`] of every step).
pub fn unrolled_size(graph: &Graph) -> u64 {
    graph
        .nodes
        .iter()
        .map(|(_, node)| match node.op {
            Op::Iterate { step, count } => u64::from(count) * size(&graph.steps[step as usize]),
            _ => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::super::eval::eval;
    use super::super::types::HwType;
    use super::*;
    use num_bigint::BigInt;

    /// `state = (state * 5 + k) mod 2^6`, 11 times.
    fn generator() -> Graph {
        let word = HwType::ui(6);
        let mut step = Graph::new();
        let (state, k) = (step.input(0, word), step.input(1, HwType::ui(3)));
        let five = step.constant(5);
        let product = step.mul(state, five);
        let sum = step.add(product, k);
        let next = step.extract(sum, 0, 6);
        step.outputs.push(next);
        let mut graph = Graph::new();
        let (start, k) = (graph.input(0, HwType::ui(4)), graph.input(1, HwType::ui(3)));
        let end = graph.iterate(step, 11, &[start, k]);
        graph.outputs.push(end);
        graph
    }

    #[test]
    fn every_implementation_computes_the_same() {
        let graph = generator();
        graph.validate().expect("valid");
        let mut variants = vec![unrolled(&graph), super::super::builder::rebuild(&graph)];
        variants.extend((1..=12).map(|fold| rolled(&graph, |_, _| fold)));
        for start in 0..16 {
            for k in 0..8 {
                let inputs = [BigInt::from(start), BigInt::from(k)];
                let wanted = (0..11).fold(start, |state, _| (state * 5 + k) % 64);
                assert_eq!(eval(&graph, &inputs), [BigInt::from(wanted)]);
                for variant in &variants {
                    assert_eq!(eval(variant, &inputs), [BigInt::from(wanted)]);
                }
            }
        }
        for variant in &variants {
            variant.validate().expect("valid");
        }
    }
}
