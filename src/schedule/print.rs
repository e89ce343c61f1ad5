//! Schedules as text: `--emit schedule`.

use super::{Schedule, Times};
use crate::diagnostics::SourceMap;
use crate::hwarith::Graph;
use crate::hwarith::graph::Op;
use crate::machine::program::Program;
use std::fmt::Write as _;

impl Schedule {
    /// Text for `--emit schedule`: every operation with its cycle, every loop with II, depth and bound.
    pub fn print(&self, program: &Program, sources: &SourceMap) -> String {
        // Writing to a String cannot fail.
        let mut out = format!("clock {:.3} ns\n", self.period);
        for ((unit, _), variant) in self.variants(program) {
            let _ = writeln!(
                out,
                "unit {}: latency {}, interval {}, {:.2} ns before the first register, {:.2} ns after the last",
                program.units[unit].name,
                variant.latency,
                variant.interval,
                variant.input_delay,
                variant.output_delay
            );
            if let Some(shared) = variant.shared {
                let _ = writeln!(
                    out,
                    "  {} shared, {:.2} ns for the choice of operands",
                    shared.instances, shared.choice_delay
                );
            }
            print_nodes(&variant.graph, &variant.times, &mut out);
        }
        for (leaf, times) in program.leaves.values().zip(self.leaves.values()) {
            let place = sources.location(leaf.span);
            let early = match times.release + 1 < times.depth {
                true => format!(", released after {}", times.release + 1),
                false => String::new(),
            };
            let _ = match times.ii {
                Some(ii) => writeln!(
                    out,
                    "loop {} ({place}): II {ii}, depth {}{early}, bound by {}",
                    leaf.label, times.depth, times.bound_by
                ),
                None => writeln!(
                    out,
                    "block {} ({place}): {} cycles{early}",
                    leaf.label, times.depth
                ),
            };
            print_nodes(&leaf.graph, &times.times, &mut out);
        }
        out
    }
}

/// The nodes that do something, in order: cycles from start to result, ns into the last, bits made.
fn print_nodes(graph: &Graph, times: &Times, out: &mut String) {
    for (id, node) in graph.nodes.iter() {
        let i = id.index();
        let dead = times.width[i] == 0 && !matches!(node.op, Op::Store(_));
        if dead || matches!(node.op, Op::Const(_)) {
            continue;
        }
        let cycles = match (times.start[i], times.ready[i]) {
            (start, ready) if start == ready => format!("{start}"),
            (start, ready) => format!("{start}..{ready}"),
        };
        let bits = match times.width[i] {
            0 => String::new(),
            width => format!("{width} bits"),
        };
        let _ = writeln!(
            out,
            "  cycle {cycles:<6} {:>6.2} ns {bits:>9}  {}",
            times.arrival[i],
            graph.node_text(id)
        );
    }
}
