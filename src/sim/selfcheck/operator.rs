//! An operator's module in process against the graph that it is made from, one operation after the other as fast as it
//! takes them.

use super::{Budget, Checked, internal_error};
use crate::codes;
use crate::diagnostics::Diagnostic;
use crate::hwarith::eval::eval;
use crate::hwarith::{Graph, Op};
use crate::ir::Scalar;
use crate::rtl::interface::manifest::{Port, PortKind};
use crate::rtl::interface::operator::OperatorManifest;
use crate::rtl::netlist::Design;
use crate::sim::args;
use crate::sim::elements::Invocation;
use crate::sim::rtl::{Signal, Simulator};
use crate::sim::value::{Signature, Slot, Value};
use crate::sim::vectors::{self, Rng};
use num_bigint::{BigInt, BigUint};
use std::collections::VecDeque;

/// Operations on words that the evaluation of a node takes as long as.
const NODE: u64 = 100;
/// Decides operands and the unknown state.
const SEED: u64 = 1;

/// Runs the module of an operator until the budget is used up.
///
/// Errors: it gives another result than the graph.
pub fn check_operator(
    graph: &Graph,
    design: &Design,
    manifest: &OperatorManifest,
    budget: Budget,
) -> Result<Checked, Diagnostic> {
    if budget == Budget::OFF {
        return Ok(Checked::Not("--check off".into()));
    }
    let unusable = |why| internal_error(Diagnostic::global(codes::INTERNAL, why), None);
    let mut bench = Bench::new(graph, design, manifest).map_err(unusable)?;
    let cycles = bench.simulator.cost().saturating_mul(manifest.ii.into());
    let each = evaluation(graph).saturating_add(cycles);
    let count = (budget.0 / each.max(1)).max(1);
    bench
        .run(count)
        .map_err(|wrong| internal_error(wrong, None))?;
    Ok(Checked::Results(count))
}

/// What the evaluation of a graph takes, in operations on words.
fn evaluation(graph: &Graph) -> u64 {
    let nodes = graph.nodes.iter().map(|(_, node)| match node.op {
        Op::Iterate { step, count } => {
            evaluation(&graph.steps[step as usize]).saturating_mul(count.into())
        }
        _ => NODE,
    });
    nodes.fold(0, u64::saturating_add)
}

struct Bench<'a> {
    graph: &'a Graph,
    manifest: &'a OperatorManifest,
    /// The operands as parameters.
    signature: Signature,
    simulator: Simulator,
    start: Option<Signal>,
    operands: Vec<Signal>,
    result: Signal,
}

/// An operation on its way through the module.
struct Pending {
    due: u64,
    operands: Invocation,
    wanted: BigUint,
}

impl<'a> Bench<'a> {
    fn new(
        graph: &'a Graph,
        design: &Design,
        manifest: &'a OperatorManifest,
    ) -> Result<Bench<'a>, String> {
        let top = design.top().ok_or("no module")?;
        let simulator = Simulator::new(design, top, SEED)?;
        let signal = |name: &str| {
            let missing = || format!("the module has no port '{name}'");
            simulator.signal(name).ok_or_else(missing)
        };
        let wire = |port: &Port| match &port.kind {
            PortKind::Scalar { port, .. } => signal(port),
            PortKind::Stream { .. } => Err("an operand is a stream".into()),
            PortKind::Array { .. } => Err("an operand is an array".into()),
        };
        Ok(Bench {
            graph,
            manifest,
            signature: Signature {
                params: manifest.operands.iter().map(slot).collect(),
                results: vec![slot(&manifest.result)],
                keeps_state: false,
                timed: 0,
                is_apart: false,
                assumed: Default::default(),
            },
            start: manifest.start.as_deref().map(signal).transpose()?,
            operands: manifest
                .operands
                .iter()
                .map(wire)
                .collect::<Result<_, _>>()?,
            result: wire(&manifest.result)?,
            simulator,
        })
    }

    /// So many operations.
    fn run(&mut self, count: u64) -> Result<(), Diagnostic> {
        let (interval, latency) = (
            u64::from(self.manifest.ii),
            u64::from(self.manifest.latency),
        );
        let mut pending: VecDeque<Pending> = VecDeque::new();
        let mut rng = Rng::new(SEED);
        for cycle in 0..count * interval + latency {
            let number = cycle / interval;
            let begins = cycle.is_multiple_of(interval) && number < count;
            if let Some(start) = self.start {
                self.simulator.set(start, begins.into());
            }
            if begins {
                let operands = vectors::invocation(&self.signature, SEED, number, 0);
                pending.push_back(Pending {
                    due: cycle + latency,
                    wanted: self.drive(&operands),
                    operands,
                });
            } else {
                for &signal in &self.operands {
                    self.simulator.set_big(signal, &rng.pattern(signal.width()));
                }
            }
            if pending.front().is_some_and(|first| first.due == cycle)
                && let Some(first) = pending.pop_front()
            {
                self.compare(&first)?;
            }
            self.simulator.step();
        }
        Ok(())
    }

    /// Puts operands on the ports; gives what the graph makes of them.
    fn drive(&mut self, operands: &Invocation) -> BigUint {
        let types = self.graph.input_types();
        let mut inputs = Vec::new();
        for ((signal, elements), ty) in self.operands.iter().zip(&operands.args).zip(types) {
            let pattern = elements.get(0).pattern(elements.ty());
            self.simulator.set_big(*signal, &pattern);
            inputs.push(ty.wrap(&BigInt::from(pattern)));
        }
        let result = eval(self.graph, &inputs).swap_remove(0);
        Value::wrapped(self.signature.results[0].ty, result).pattern(self.signature.results[0].ty)
    }

    fn compare(&mut self, operation: &Pending) -> Result<(), Diagnostic> {
        let got = self.simulator.get_big(self.result);
        if got == operation.wanted {
            return Ok(());
        }
        let shown = |pattern: &BigUint| {
            let ty = self.signature.results[0].ty;
            let value = Value::of_pattern(ty, &pattern.to_u64_digits());
            format!("{} ({pattern:#x})", args::show(ty, &value, false))
        };
        let message = format!(
            "mismatch: the result is {} in hardware, {} in the graph of '{}'",
            shown(&got),
            shown(&operation.wanted),
            self.manifest.operator
        );
        let operands = args::invocation_text(&self.signature, &operation.operands, 400);
        Err(Diagnostic::global(codes::INTERNAL, message).note(format!("operands: {operands}")))
    }
}

fn slot(port: &Port) -> Slot {
    let width = port.width();
    Slot {
        flow: None,
        packed: None,
        name: port.name.clone().unwrap_or_else(|| "result".into()),
        ty: Scalar::named(port.type_name()).unwrap_or(Scalar::unsigned(width)),
        shape: None,
    }
}
