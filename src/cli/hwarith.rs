//! `allo-hls hwarith`: checks, prints, narrows or evaluates the text of a graph of exact operations.

use super::PythonArgs;
use super::input::load;
use super::output::{Printer, Status, emit};
use allo_hls::codes;
use allo_hls::diagnostics::{Diagnostic, Diagnostics, SourceMap};
use allo_hls::hwarith::{Graph, HwType, builder, eval, text};
use clap::Args;
use num_bigint::BigInt;
use std::path::PathBuf;

/// `allo-hls hwarith`
#[derive(Args)]
pub struct HwarithArgs {
    /// Text of a graph as --emit hwarith prints it, or - for standard input
    #[arg(required = true)]
    input: Option<PathBuf>,
    /// Remove the bits and operations that no result needs
    #[arg(long)]
    narrow: bool,
    /// Values of the inputs, in order: print the outputs' values instead of the graph
    #[arg(long, value_name = "INTEGER", num_args = 1.., allow_negative_numbers = true)]
    args: Vec<BigInt>,
}

/// Reads, checks, and prints the graph or what it computes.
pub fn run(printer: &Printer, command: &HwarithArgs) -> Result<(), Status> {
    let mut sources = SourceMap::default();
    run_in(command, &mut sources).map_err(|e| printer.fail(e, &sources))
}

fn run_in(command: &HwarithArgs, sources: &mut SourceMap) -> Result<(), Diagnostics> {
    let path = command.input.as_deref().unwrap_or("-".as_ref());
    let file = load(sources, path, &PythonArgs::default())?;
    let mut graph = text::parse(file, &sources.file(file).text)?;
    if command.narrow {
        require_pure(&graph)?;
        graph = builder::rebuild(&graph);
    }
    let text = if command.args.is_empty() {
        graph.print(0)
    } else {
        require_pure(&graph)?;
        check_inputs(&graph.input_types(), &command.args)?;
        values(&graph, &command.args)
    };
    Ok(emit(None, text.as_bytes())?)
}

fn fail<T>(message: String) -> Result<T, Diagnostics> {
    Err(Diagnostic::global(codes::HWARITH_TEXT, message).into())
}

fn require_pure(graph: &Graph) -> Result<(), Diagnostics> {
    graph.steps.iter().try_for_each(require_pure)?;
    match graph.nodes.iter().find(|(_, n)| !eval::is_pure(&n.op)) {
        Some((id, _)) => fail(format!(
            "%{} depends on more than its operands, so that the graph alone has no value",
            id.index()
        )),
        None => Ok(()),
    }
}

fn check_inputs(types: &[HwType], inputs: &[BigInt]) -> Result<(), Diagnostics> {
    if types.len() != inputs.len() {
        return fail(format!(
            "the graph has {} inputs, but {} values are given",
            types.len(),
            inputs.len()
        ));
    }
    let mut pairs = types.iter().zip(inputs).enumerate();
    match pairs.find(|(_, (ty, value))| !ty.contains(value)) {
        Some((i, (ty, value))) => fail(format!("input {i} is {ty}, which does not hold {value}")),
        None => Ok(()),
    }
}

fn values(graph: &Graph, inputs: &[BigInt]) -> String {
    let outputs = graph.outputs.iter().zip(eval::eval(graph, inputs));
    outputs
        .map(|(id, value)| format!("%{} = {value} : {}\n", id.index(), graph.ty(*id)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_have_to_fit() {
        let types = [HwType::ui(3), HwType::si(3)];
        assert!(check_inputs(&types, &[7.into(), (-4).into()]).is_ok());
        assert!(check_inputs(&types, &[8.into(), 0.into()]).is_err());
        assert!(check_inputs(&types, &[7.into()]).is_err());
    }

    #[test]
    fn a_graph_with_memories_has_no_value_alone() {
        let mut graph = Graph::new();
        let zero = graph.constant(0);
        assert!(require_pure(&graph).is_ok());
        let memory = allo_hls::hwarith::graph::MemId::new(0);
        graph.push(
            allo_hls::hwarith::Op::Load(memory),
            vec![zero],
            HwType::ui(4),
        );
        assert!(require_pure(&graph).is_err());
    }
}
