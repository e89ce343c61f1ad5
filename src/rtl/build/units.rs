//! Operator modules: pure pipelines without control.

use super::cells::Cells;
use super::datapath::{Datapath, Pace, Sources, input_types};
use crate::diagnostics::SourceMap;
use crate::hwarith::NodeId;
use crate::hwarith::graph::Op;
use crate::hwarith::program::Unit;
use crate::rtl::netlist::*;
use crate::schedule::UnitSchedule;

/// Names of the operand ports of an operator module.
pub const OPERANDS: [&str; 3] = ["a", "b", "c"];
/// Name of its clock port.
pub const CLOCK: &str = "clk";
/// Name of its output port.
pub const RESULT: &str = "result";

struct Inputs(Vec<NetId>);

impl Sources for Inputs {
    fn external(&mut self, _: &mut Cells, path: &mut Datapath, node: NodeId) -> Operand {
        match path.graph().nodes[node].op {
            Op::Input(i) => Operand::Net(self.0[i as usize]),
            _ => unreachable!("an operator module holds only pure operations"),
        }
    }
}

/// Builds the module of an operator: `clk` (if it has registers), operands, `result`.
pub fn build(unit: &Unit, schedule: &UnitSchedule, sources: &SourceMap) -> Module {
    let mut cells = Cells::new(&unit.name);
    cells.module.comments = vec![format!(
        "{}: latency {}, one operation a cycle",
        unit.name, schedule.latency
    )];
    if schedule.latency > 0 {
        let clock = cells.port(Direction::Input, CLOCK, 1);
        cells.module.clock = Some(clock);
    }
    let inputs = input_types(&unit.graph)
        .iter()
        .zip(OPERANDS)
        .map(|(ty, name)| cells.port(Direction::Input, name, ty.width))
        .collect();
    let output = unit.graph.outputs[0];
    let width = unit.graph.width(output).max(unit.width);
    let result = cells.port(Direction::Output, RESULT, width);
    let mut env = Inputs(inputs);
    let mut path = Datapath::new(&unit.graph, &schedule.times, Pace::EveryCycle, sources, "");
    for (id, _) in unit.graph.nodes.iter() {
        if schedule.times.width[id.index()] > 0 {
            path.value(&mut cells, &mut env, id);
        }
    }
    let value = path.operand(&mut cells, &mut env, output, schedule.latency, width);
    cells.drive(result, Expr::Copy(value));
    cells.module
}
