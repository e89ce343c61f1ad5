//! Operator modules: pure pipelines without control.

use super::cells::Cells;
use super::datapath::{Datapath, Pace, Sources};
use crate::diagnostics::SourceMap;
use crate::hwarith::graph::Op;
use crate::hwarith::table::Table;
use crate::hwarith::{HwType, NodeId};
use crate::machine::program::Unit;
use crate::rtl::netlist::*;
use crate::schedule::{Times, Variant};

/// Names of the operand ports of an operator module.
pub const OPERANDS: [&str; 3] = ["a", "b", "c"];
/// Name of its clock port.
pub const CLOCK: &str = "clk";
/// Name of the port that says that operands are there, if they cannot be in every cycle.
pub const START: &str = "start";
/// Name of its output port.
pub const RESULT: &str = "result";

/// What an operator's datapath finds outside of its graph.
struct Env<'s> {
    inputs: Vec<NetId>,
    /// 1 while an operation is in that cycle; empty if the operator is pipelined.
    valid: Vec<NetId>,
    /// Cycles of the steps that are iterated.
    steps: &'s [Times],
    sources: &'s SourceMap,
}

impl Sources for Env<'_> {
    fn external(&mut self, cells: &mut Cells, path: &mut Datapath, node: NodeId) -> Operand {
        match path.graph().nodes[node].op {
            Op::Input(i) => Operand::Net(self.inputs[i as usize]),
            Op::Iterate { step, .. } => self.iterate(cells, path, node, step as usize),
            Op::Table(ref table) => lookup(
                cells,
                self,
                path,
                (node, table),
                Some(super::cells::bit(true)),
            ),
            _ => unreachable!("an operator module holds only pure operations"),
        }
    }
}

impl Env<'_> {
    /// A register that takes the steps one after the other, from the operand in the cycle in which an operation arrives.
    /// A step of several cycles is a pipeline, whose last stage that register is. It never stops: the result is read in
    /// the one cycle in which all steps are done.
    fn iterate(
        &mut self,
        cells: &mut Cells,
        path: &mut Datapath,
        node: NodeId,
        step: usize,
    ) -> Operand {
        let times = &self.steps[step];
        let step = &path.graph().steps[step];
        let start = self.valid[path.times().start[node.index()] as usize];
        let operands = path.call_operands(cells, self, node, &step.input_types());
        let label = path.label(node);
        let register = |cells: &mut Cells, name: &str, operand: Operand| {
            let width = cells.module.operand_width(&operand);
            let held = cells.net(&format!("{label}_{name}_r"), width);
            let expr = Expr::Mux {
                cond: Operand::Net(start),
                on_true: operand,
                on_false: Operand::Net(held),
            };
            (
                held,
                cells.assign(&format!("{label}_{name}"), width, expr, path.origin(node)),
            )
        };
        let mut held = Vec::new();
        let mut inputs = Vec::new();
        for (i, operand) in operands.into_iter().enumerate() {
            let name = if i == 0 {
                "state".to_string()
            } else {
                format!("operand{i}")
            };
            let (net, input) = register(cells, &name, operand);
            held.push(net);
            inputs.push(input);
        }
        let mut env = Env {
            inputs: inputs.clone(),
            valid: Vec::new(),
            steps: &[],
            sources: self.sources,
        };
        let prefix = format!("{label}_");
        let mut stages = Datapath::new(step, times, Pace::EveryCycle, self.sources, &prefix);
        // Operands beside the state are there until the operation ends.
        for (id, node) in step.nodes.iter() {
            if let Op::Input(i @ 1..) = node.op {
                stages.keep(id, Operand::Net(held[i as usize]));
            }
        }
        stages.make_all(cells, &mut env);
        let width = cells.module.nets[inputs[0]].width;
        let output = step.outputs[0];
        let next = stages.operand(cells, &mut env, output, times.ready[output.index()], width);
        cells.drive_register(held[0], next, None, None, None);
        for (&net, &input) in held.iter().zip(&inputs).skip(1) {
            cells.drive_register(net, Operand::Net(input), Some(start), None, None);
        }
        Operand::Net(held[0])
    }
}

/// A memory of constants, which is read where `enable` is, or without a clock.
pub(super) fn lookup(
    cells: &mut Cells,
    env: &mut dyn Sources,
    path: &mut Datapath,
    (node, table): (NodeId, &Table),
    enable: Option<Operand>,
) -> Operand {
    let address = path
        .call_operands(cells, env, node, &[table.address()])
        .swap_remove(0);
    let width = path.times().width[node.index()];
    let word = |word| {
        HwType::ui(width)
            .wrap(word)
            .to_biguint()
            .unwrap_or_default()
    };
    let label = path.label(node);
    let out = cells.net(&label, width);
    let name = cells.namer.numbered(&format!("{label}_table"));
    cells.module.items.push(Item::Memory(Memory {
        name,
        width,
        depth: table.words().len() as u64,
        init: Some(table.words().iter().map(word).collect()),
        style: match table.is_logic() {
            true => MemoryStyle::Distributed,
            false => MemoryStyle::Block,
        },
        writes: Vec::new(),
        reads: vec![ReadPort {
            enable,
            addr: address,
            out,
        }],
        origin: path.origin(node),
    }));
    Operand::Net(out)
}

/// Builds the module `name` of an operator: `clk` (if it has registers), `start` (if not every cycle can start an
/// operation), operands, `result`.
pub fn build(name: &str, unit: &Unit, variant: &Variant, sources: &SourceMap) -> Module {
    let mut cells = Cells::new(name);
    cells.module.foreign = unit.foreign.clone();
    cells.module.comments = vec![match variant.interval {
        1 => format!("{name}: latency {}, one operation a cycle", variant.latency),
        cycles => format!(
            "{name}: latency {}, one operation in {cycles} cycles, with its operands when start is 1",
            variant.latency
        ),
    }];
    if variant.latency > 0 {
        let clock = cells.port(Direction::Input, CLOCK, 1);
        cells.module.clock = Some(clock);
    }
    let valid = match variant.interval {
        1 => Vec::new(),
        _ if variant.is_foreign => {
            cells.port(Direction::Input, START, 1);
            Vec::new()
        }
        _ => valid_chain(&mut cells, variant.latency),
    };
    let graph = &variant.graph;
    let inputs = graph
        .input_types()
        .iter()
        .zip(OPERANDS)
        .map(|(ty, name)| cells.port(Direction::Input, name, ty.width))
        .collect();
    let output = graph.outputs[0];
    let width = graph.width(output).max(unit.width);
    let result = cells.port(Direction::Output, RESULT, width);
    let pace = match variant.interval {
        1 => Pace::EveryCycle,
        _ if variant.is_foreign => Pace::EveryCycle,
        cycles => Pace::Interval {
            cycles,
            valid: valid.clone(),
        },
    };
    let mut env = Env {
        inputs,
        valid,
        steps: &variant.steps,
        sources,
    };
    let mut path = Datapath::new(graph, &variant.times, pace, sources, "");
    path.make_all(&mut cells, &mut env);
    let value = path.operand(&mut cells, &mut env, output, variant.latency, width);
    cells.drive(result, Expr::Copy(value));
    if variant.shared.is_some_and(|shared| shared.is_far) {
        keep_operands(&mut cells.module, &env.inputs);
    }
    cells.module
}

/// Has each instance keep the registers of its operands, which hold what those of other instances hold where all calls have an
/// operand in common: one register for all of them would be far from most.
fn keep_operands(module: &mut Module, operands: &[NetId]) {
    for item in &module.items {
        if let Item::Register(register) = item
            && let Operand::Net(source) = &register.next
            && operands.contains(source)
        {
            module.replicas.insert(register.out);
        }
    }
}

/// The port `start`, and for each further cycle of an operation a bit that follows it. They need no reset: whatever
/// they hold at first has passed a stage before the first operation arrives there.
fn valid_chain(cells: &mut Cells, latency: u32) -> Vec<NetId> {
    let mut valid = vec![cells.port(Direction::Input, START, 1)];
    for cycle in 1..latency.max(1) {
        let previous = Operand::Net(valid[valid.len() - 1]);
        valid.push(cells.register(&format!("v{cycle}"), 1, previous, None, None, None));
    }
    valid
}
