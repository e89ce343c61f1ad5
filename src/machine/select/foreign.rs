//! Operations that modules of the user's carry out: units whose graph is what the operation means.

use super::{Lowering, Waits, hw_type, select};
use crate::codes;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::hwarith::builder::Builder;
use crate::hwarith::equal;
use crate::hwarith::graph::{Graph, NodeId, Op as HwOp, VarId};
use crate::hwarith::iterate;
use crate::ir::{Kernel, Op, Operate, Scalar};
use crate::machine::program::{Leaf, PortRef, Program, Region};
use crate::transform::{self, Look};
use std::collections::HashMap;

impl Lowering<'_> {
    /// The call of the unit; `None` after reporting that its meaning has no graph.
    pub(super) fn operate(&mut self, operate: &Operate, ty: Scalar, op: &Op) -> Option<NodeId> {
        let kernel = &operate.kernel;
        let known = self.unit_ids.get(&kernel.name).copied();
        let unit = match known {
            Some(unit) => unit,
            None => {
                let graph = match meaning(kernel, self.warnings) {
                    Ok(graph) => graph,
                    Err(errors) => {
                        let called = |error: Diagnostic| error.note_at(op.span, "called here");
                        self.errors.0.extend(errors.0.into_iter().map(called));
                        return None;
                    }
                };
                let graph = equal::rebuilt(graph, self.warnings);
                let unit = self.push_unit(&kernel.name, ty.width(), graph);
                self.program.units[unit].foreign = kernel.foreign.as_deref().cloned();
                unit
            }
        };
        let (types, _) = operate.types();
        let args = operate.args.iter().zip(types).map(|(&arg, ty)| {
            let node = self.node(arg);
            self.b().cast(node, hw_type(ty))
        });
        let args = args.collect();
        Some(self.b().call(HwOp::Call(unit), args, hw_type(ty)))
    }
}

/// A pure graph of a kernel of scalars.
///
/// Errors: it is more than straight-line code once branches are conditions.
fn meaning(kernel: &Kernel, warnings: &mut Diagnostics) -> Result<Graph, Diagnostics> {
    let offers = transform::run_on(kernel.clone(), &Look::all(&[]))?;
    let body = offers.into_iter().next().map(|offer| offer.kernel);
    let program = select(body.as_ref().unwrap_or(kernel), Waits::Always, warnings)?;
    let Some(leaf) = only_leaf(&program) else {
        let name = &kernel.name;
        let message = format!("the meaning of operator '{name}' has loops");
        return Err(Diagnostic::error(codes::NO_HARDWARE, kernel.span, message)
            .help("write it without loops and arrays; branches are fine")
            .into());
    };
    Ok(iterate::unrolled(&flat(&program, leaf)))
}

/// The leaf of a program that has no other, no loop and no memory.
fn only_leaf(program: &Program) -> Option<&Leaf> {
    let Region::Seq(regions) = &program.root else {
        return None;
    };
    let [Region::Leaf(leaf)] = regions.as_slice() else {
        return None;
    };
    let leaf = &program.leaves[*leaf];
    (leaf.repeat.is_none() && leaf.accesses.is_empty()).then_some(leaf)
}

/// The graph from the program's arguments to its only result, the units that it calls being a part of it.
fn flat(program: &Program, leaf: &Leaf) -> Graph {
    let mut builder = Builder::new();
    let mut inputs: HashMap<VarId, NodeId> = HashMap::new();
    for (number, arg) in (0..).zip(&program.args) {
        if let PortRef::Scalar { ty, var, .. } = arg {
            let input = builder.opaque(HwOp::Input(number), vec![], hw_type(*ty));
            inputs.insert(*var, input);
        }
    }
    let mut nodes: Vec<NodeId> = Vec::new();
    for (_, node) in leaf.graph.nodes.iter() {
        let args: Vec<NodeId> = node.args.iter().map(|arg| nodes[arg.index()]).collect();
        let types: Vec<_> = node.args.iter().map(|&arg| leaf.graph.ty(arg)).collect();
        nodes.push(match node.op {
            HwOp::Var(var) => inputs[&var],
            HwOp::Call(unit) => {
                let unit = &program.units[unit].graph;
                let args = args.into_iter().zip(unit.input_types());
                let args: Vec<NodeId> = args.map(|(arg, ty)| builder.cast(arg, ty)).collect();
                let result = builder.inline(unit, &args)[0];
                builder.cast(result, node.ty)
            }
            _ => builder.replay(&node.op, &args, &types, node.ty),
        });
    }
    let result = leaf.writes.iter().map(|(_, node)| nodes[node.index()]);
    let outputs = result.collect();
    builder.finish(outputs)
}
