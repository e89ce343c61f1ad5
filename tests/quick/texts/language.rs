//! What constructs of the language compute: lines `#: kernel {arguments} -> {results}` are run in the software reference
//! and, where there is hardware, in the simulated netlist.
//!
//! Arguments and results are as in the files of `allo-hls run`; results that are not named are not
//! compared, and neither is what is left of an array argument unless it is named.

use super::{Answer, Case};
use crate::support;
use allo_hls::driver::{self, Target};
use allo_hls::sim::args::{read_json, results_json};
use allo_hls::sim::cosim;
use allo_hls::sim::elements::{Between, Elements};
use allo_hls::sim::inprocess::Netlist;
use allo_hls::sim::reference::{self, Options};
use allo_hls::sim::value::Signature;
use allo_hls::{codes, frontend};
use serde_json::{Map, Value};

/// What follows `#: `.
struct Example<'t> {
    kernel: &'t str,
    arguments: &'t str,
    results: Map<String, Value>,
}

impl<'t> Example<'t> {
    fn new(line: &'t str) -> Option<Example<'t>> {
        let (call, results) = line.split_once(" -> ")?;
        let (kernel, arguments) = call.split_at(call.find('{')?);
        Some(Example {
            kernel: kernel.trim(),
            arguments,
            results: serde_json::from_str(results).ok()?,
        })
    }

    /// The named results as they are.
    fn named(&self, signature: &Signature, params: &[Elements], results: &[Elements]) -> Value {
        let all = results_json(signature, params, results, false);
        let named = self.results.keys();
        named
            .map(|name| (name.clone(), all[name].clone()))
            .collect()
    }
}

/// The named results of an example, in the software reference and in hardware alike.
fn results(case: &Case, example: &Example) -> Result<Value, String> {
    let (mut sources, file) = support::source(&case.name(), &case.text);
    let top = Some(example.kernel);
    let compiled = frontend::compile(&mut sources, file, top);
    let compiled = compiled.map_err(|errors| errors.render(&sources, false))?;
    let signature = Signature::of(&compiled.program);
    let inputs = read_json(&signature, example.arguments);
    let inputs = inputs.map_err(|errors| errors.render(&sources, false))?;
    let outcome = reference::run(&compiled.program, &inputs[0], &Options::default());
    let outcome = outcome.map_err(|error| format!("{error:?}"))?;
    let wanted = example.named(&signature, &outcome.params, &outcome.results);

    let target = Target::new("ecp5", 10.0).expect("a device");
    let hardware = match driver::compile(&mut sources, file, top, &target) {
        Err(errors) if errors.0.iter().all(|e| e.code == codes::NO_HARDWARE) => return Ok(wanted),
        other => other.map_err(|errors| errors.render(&sources, false))?,
    };
    let netlist = Netlist::new(&hardware.design, &hardware.manifest);
    let netlist = netlist.map_err(|e| format!("{e:?}"))?;
    let (program, manifest) = (&hardware.program, &hardware.manifest);
    let runs = cosim::simulate(
        program,
        manifest,
        &netlist,
        (&inputs, Between::Nothing),
        100_000,
    );
    let runs = runs.map_err(|e| format!("{e:?}"))?;
    let found = example.named(&signature, &runs[0].params, &runs[0].results);
    match found == wanted {
        true => Ok(wanted),
        false => Err(format!("{found} in hardware, {wanted} in the reference")),
    }
}

/// A line, with the results that there are if they are others.
fn corrected(case: &Case, number: usize, line: &str) -> Result<String, String> {
    let Some(call) = line.strip_prefix("#: ") else {
        return Ok(line.to_owned());
    };
    let explained = |why: String| format!("line {number}: {why}");
    let example = Example::new(call).ok_or_else(|| explained("no example".into()))?;
    let found = results(case, &example).map_err(explained)?;
    Ok(match found == Value::Object(example.results) {
        true => line.to_owned(),
        false => format!("#: {} {} -> {found}", example.kernel, example.arguments),
    })
}

pub fn answer(case: &Case) -> Answer {
    let (mut sources, file) = support::source(&case.name(), &case.text);
    if let Err(errors) = frontend::check(&mut sources, file) {
        return Err(errors.render(&sources, false));
    }
    if !case.text.contains("\n#: ") {
        return Err("no example".into());
    }
    let lines = (1..).zip(case.text.lines());
    let lines = lines.map(|(number, line)| Ok(corrected(case, number, line)? + "\n"));
    lines.collect()
}
