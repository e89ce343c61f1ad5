//! Demanded bits: how many low bits of each node can influence a result (backward analysis).
//!
//! A node is built in hardware with only the demanded bits: an `si33` sum whose result is stored in 32 bits
//! is a 32-bit adder.

use super::graph::{Graph, NodeId, Op};
use super::program::Program;

/// Demanded width of every node of a graph, 0 for nodes that influence nothing.
///
/// `roots` are the nodes read from outside with the number of low bits read; `mem_bits(m)` gives the
/// address and data widths of memory `m`.
pub fn demanded(graph: &Graph, roots: &[(NodeId, u32)], program: Option<&Program>) -> Vec<u32> {
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
                let wanted = of_operand(graph, id, i, demand, program).min(graph.width(arg));
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
fn of_operand(graph: &Graph, id: NodeId, i: usize, demand: u32, program: Option<&Program>) -> u32 {
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
            program.map_or(whole, |p| p.mems[m.0 as usize].address_width())
        }
        (Op::Store(m), 1) => program.map_or(whole, |p| p.mems[m.0 as usize].width),
        _ => whole,
    }
}
