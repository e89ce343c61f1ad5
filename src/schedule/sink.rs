//! Operations that nobody waits for in their cycle are moved to the cycle in which they are needed, where fewer bits have to be held
//! in registers then: in front of an operation that makes several bits of one, or takes what is held anyway (retiming for
//! the fewest registers: Leiserson and Saxe, Retiming synchronous circuitry, Algorithmica 6, 1991, section 8; here of one operation
//! after the other, in a schedule of which the length does not change).

use super::Times;
use super::problem::{Kind, Problem};
use crate::hwarith::NodeId;

/// The times of an operator with as many cycles, and fewer bits in registers where that is possible.
pub fn sunk(problem: &mut Problem, times: Times) -> Times {
    let mut moves = moves(problem, &times);
    let held = bits_held(problem, &times);
    // Where all of them take too long, those nearest to the end.
    while !moves.is_empty() {
        for &(node, cycle) in &moves {
            problem.not_before[node.index()] = i64::from(cycle);
        }
        let found = problem.solve(None).ok().map(|solution| solution.times);
        let found = found
            .filter(|found| is_as_soon(problem, &times, found) && bits_held(problem, found) < held);
        if let Some(found) = found {
            return found;
        }
        problem.not_before.fill(0);
        moves.truncate(moves.len() / 2);
    }
    times
}

/// Whether nothing that goes out comes later, or is busy for longer in the first cycle.
fn is_as_soon(problem: &Problem, before: &Times, after: &Times) -> bool {
    let mut outputs = problem.graph.outputs.iter().map(|output| output.index());
    outputs.all(|i| (after.ready[i], after.arrival[i]) <= (before.ready[i], before.arrival[i]))
}

/// Nodes to be moved and the cycles in which they are needed, those at the end of the graph first.
fn moves(problem: &Problem, times: &Times) -> Vec<(NodeId, u32)> {
    let graph = problem.graph;
    let mut start = times.start.clone();
    let mut moves = Vec::new();
    let nodes: Vec<NodeId> = graph.nodes.ids().collect();
    for node in nodes.into_iter().rev() {
        let i = node.index();
        let is_logic = matches!(problem.kinds[i], Kind::Logic(_)) && times.width[i] > 0;
        let users = live_users(problem, times, node);
        let Some(needed) = users.map(|user| start[user.index()]).min() else {
            continue;
        };
        // Outputs are needed when they are there.
        if !is_logic || needed <= start[i] || graph.outputs.contains(&node) {
            continue;
        }
        let saved = times.width[i] * (needed - start[i]);
        let longer = problem.operands(node).iter().map(|&operand| {
            let o = operand.index();
            let others = live_users(problem, times, operand).filter(|user| *user != node);
            let last = others.map(|user| start[user.index()]).max();
            let last = last.unwrap_or(0).max(times.ready[o]);
            match problem.is_stable(operand) {
                true => 0,
                false => times.width[o] * needed.saturating_sub(last),
            }
        });
        let longer: u32 = longer.sum();
        // Wires move for nothing, with what is in front of them.
        let is_wire = matches!(problem.kinds[i], Kind::Logic(0.0));
        if longer < saved || is_wire && longer == saved {
            start[i] = needed;
            moves.push((node, needed));
        }
    }
    moves
}

fn live_users<'p>(
    problem: &'p Problem,
    times: &'p Times,
    node: NodeId,
) -> impl Iterator<Item = NodeId> + 'p {
    let users = problem.users.of(node).iter().copied();
    users.filter(|user| times.width[user.index()] > 0)
}

/// Bits in registers between the cycle in which each result is there and the last one in which it is read.
fn bits_held(problem: &Problem, times: &Times) -> u64 {
    let nodes = problem.graph.nodes.ids();
    let held = nodes.filter(|node| !problem.is_stable(*node)).map(|node| {
        let i = node.index();
        let read = live_users(problem, times, node).map(|user| times.start[user.index()]);
        let cycles = read.max().unwrap_or(0).saturating_sub(times.ready[i]);
        u64::from(times.width[i]) * u64::from(cycles)
    });
    held.sum()
}

#[cfg(test)]
mod tests {
    use super::super::device::Device;
    use super::*;
    use crate::hwarith::graph::Graph;
    use crate::hwarith::testing::{Random, Shape, random_graph};
    use crate::hwarith::types::HwType;

    fn problem<'g>(graph: &'g Graph, device: &Device, budget: f64) -> Problem<'g> {
        let width = graph.nodes.ids().map(|id| graph.width(id)).collect();
        Problem::new(graph, width, device, budget)
    }

    fn solved(problem: &Problem) -> Times {
        problem.solve(None).expect("nothing is carried").times
    }

    /// Six rows of 18 bits are made of two operands that are held beyond the product before the rows are added to it.
    #[test]
    fn what_is_made_of_a_few_bits_is_made_where_it_is_needed() {
        let device = Device::load("ecp5").expect("device");
        let mut g = Graph::new();
        let [x, y] = [0, 1].map(|number| g.input(number, HwType::ui(18)));
        let product = g.mul(x, y);
        let zero = g.constant(0);
        let rows = [0, 1, 2, 3, 4, 5].map(|place| {
            let bit = g.extract(y, place, 1);
            g.mux(bit, x, zero)
        });
        let all = g.concat(&[&rows[..], &[x]].concat());
        let sum = g.add(product, all);
        let part = g.extract(sum, 0, 18);
        let last = g.mul(part, y);
        g.outputs = vec![last];
        let mut problem = problem(&g, &device, 8.0);
        let early = solved(&problem);
        let late = sunk(&mut problem, early.clone());
        let starts = |times: &Times| rows.map(|row| times.start[row.index()]);
        // The product would be moved, too, which takes too long: so half of what could be moved is.
        assert_eq!(
            (starts(&early), starts(&late)),
            ([0; 6], [0, 0, 0, 1, 1, 1])
        );
        assert_eq!(early.ready[last.index()], late.ready[last.index()]);
        let held = [&early, &late].map(|times| bits_held(&problem, times));
        // The product, the rows, the first operand, the second one for two cycles, a part of the sum.
        assert_eq!(held, [36 + 108 + 18 + 36 + 18, 36 + 54 + 18 + 36 + 18]);
    }

    #[test]
    fn nothing_comes_later_and_no_more_is_held() {
        let device = Device::load("ecp5").expect("device");
        let shape = Shape {
            input_width: 12,
            inputs: 3,
            operations: 20,
            max_width: 24,
            arithmetic: true,
        };
        let mut random = Random::new(5);
        let mut fewer = 0;
        for _ in 0..300 {
            let graph = random_graph(&mut random, &shape);
            let mut problem = problem(&graph, &device, 4.0);
            let early = solved(&problem);
            let late = sunk(&mut problem, early.clone());
            for output in graph.outputs.iter().map(|output| output.index()) {
                let [before, after] =
                    [&early, &late].map(|times| (times.ready[output], times.arrival[output]));
                assert!(after <= before, "{after:?} {before:?}");
            }
            let held = [&early, &late].map(|times| bits_held(&problem, times));
            assert!(held[1] <= held[0], "{held:?}");
            fewer += u32::from(held[1] < held[0]);
        }
        assert!(fewer > 30, "{fewer}");
    }
}
