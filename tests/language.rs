//! What constructs of the language compute: kernels in `tests/language/*.py`, with lines
//! `#: kernel {arguments} -> {results}` that are run in the software reference and, where there is
//! hardware, in the simulated netlist.
//!
//! Arguments and results are as in the files of `allo-hls run`; results that are not named are not
//! compared, and neither is what is left of an array argument unless it is named.

use allo_hls::diagnostics::SourceMap;
use allo_hls::driver::{self, Target};
use allo_hls::sim::args::{read_json, results_json};
use allo_hls::sim::cosim;
use allo_hls::sim::elements::Elements;
use allo_hls::sim::inprocess::Netlist;
use allo_hls::sim::reference::{self, Options};
use allo_hls::sim::value::Signature;
use allo_hls::{codes, frontend};
use serde_json::{Map, Value};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One line `#: kernel {...} -> {...}`.
struct Example<'t> {
    line: usize,
    kernel: &'t str,
    arguments: &'t str,
    results: Map<String, Value>,
}

fn examples(text: &str) -> Vec<Example<'_>> {
    let lines = text.lines().enumerate();
    lines
        .filter_map(|(i, line)| Some((i + 1, line.strip_prefix("#: ")?)))
        .map(|(line, rest)| {
            let (call, results) = rest.split_once(" -> ").expect("an arrow");
            let start = call.find('{').expect("arguments");
            let (kernel, arguments) = call.split_at(start);
            let results = serde_json::from_str(results).expect("results as JSON");
            let kernel = kernel.trim();
            Example {
                line,
                kernel,
                arguments,
                results,
            }
        })
        .collect()
}

/// The first result that an example names and that is another one.
fn difference(
    example: &Example,
    signature: &Signature,
    (params, results): (&[Elements], &[Elements]),
) -> Option<String> {
    let got = results_json(signature, params, results, false);
    let wrong = |(name, want): (&String, &Value)| {
        let found = &got[name];
        (found != want).then(|| format!("{name} is {found}, not {want}"))
    };
    example.results.iter().find_map(wrong)
}

/// How the software reference, and hardware where there is some, fail to compute what an example says.
fn failure(path: &Path, text: &str, example: &Example) -> Result<(), String> {
    let mut sources = SourceMap::default();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let file = sources.add(name, text);
    let top = Some(example.kernel);
    let compiled = frontend::compile(&mut sources, file, top);
    let compiled = compiled.map_err(|errors| errors.render(&sources, false))?;
    let signature = Signature::of(&compiled.program);
    let inputs = read_json(&signature, example.arguments);
    let inputs = inputs.map_err(|errors| errors.render(&sources, false))?;
    let outcome = reference::run(&compiled.program, &inputs[0], &Options::default());
    let outcome = outcome.map_err(|error| format!("{error:?}"))?;
    let found = (&outcome.params[..], &outcome.results[..]);
    difference(example, &signature, found).map_or(Ok(()), Err)?;

    let target = Target::new("ecp5", 10.0).expect("a device");
    let hardware = match driver::compile(&mut sources, file, top, &target) {
        Err(errors) if errors.0.iter().all(|e| e.code == codes::NO_HARDWARE) => return Ok(()),
        other => other.map_err(|errors| errors.render(&sources, false))?,
    };
    let netlist = Netlist::new(&hardware.design, &hardware.manifest);
    let netlist = netlist.map_err(|e| format!("{e:?}"))?;
    let (program, manifest) = (&hardware.program, &hardware.manifest);
    let runs = cosim::simulate(program, manifest, &netlist, &inputs, 100_000);
    let runs = runs.map_err(|e| format!("{e:?}"))?;
    let found = (&runs[0].params[..], &runs[0].results[..]);
    let wrong = difference(example, &signature, found);
    wrong.map_or(Ok(()), |why| Err(format!("in hardware, {why}")))
}

/// Every file, and the failures of its examples.
fn failures_of(path: &Path, count: &AtomicUsize) -> String {
    let text = fs::read_to_string(path).unwrap();
    let mut sources = SourceMap::default();
    let file = sources.add(path.display().to_string(), text.as_str());
    let mut failures = String::new();
    if let Err(errors) = frontend::check(&mut sources, file) {
        failures += &errors.render(&sources, false);
    }
    for example in examples(&text) {
        count.fetch_add(1, Ordering::Relaxed);
        if let Err(why) = failure(path, &text, &example) {
            let Example { line, kernel, .. } = example;
            failures += &format!("{}:{line}: {kernel}: {why}\n", path.display());
        }
    }
    failures
}

#[test]
fn kernels_compute_what_their_examples_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/language");
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "py"))
        .collect();
    paths.sort();
    let count = AtomicUsize::new(0);
    let failures: String = std::thread::scope(|scope| {
        let started: Vec<_> = paths
            .iter()
            .map(|path| scope.spawn(|| failures_of(path, &count)))
            .collect();
        let each = started.into_iter().map(|thread| thread.join().unwrap());
        each.collect()
    });
    assert!(failures.is_empty(), "{failures}");
    let count = count.into_inner();
    assert!(count > 100, "only {count} examples were found");
}
