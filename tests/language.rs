//! What constructs of the language compute: kernels in `tests/language/*.py`, with lines
//! `#: kernel {arguments} -> {results}` that are run in the software reference.
//!
//! Arguments and results are as in the files of `allo-hls run`; results that are not named are not
//! compared, and neither is what is left of an array argument unless it is named.

use allo_hls::diagnostics::SourceMap;
use allo_hls::frontend::{check, compile};
use allo_hls::sim::args::{read_json, results_json};
use allo_hls::sim::reference::{Options, run};
use allo_hls::sim::value::Signature;
use serde_json::{Map, Value};
use std::fs;
use std::path::Path;

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

/// What an example leaves behind that is not as it says.
fn failure(path: &Path, text: &str, example: &Example) -> Option<String> {
    let mut sources = SourceMap::default();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let file = sources.add(name, text);
    let compiled = match compile(&mut sources, file, Some(example.kernel)) {
        Ok(compiled) => compiled,
        Err(errors) => return Some(errors.render(&sources, false)),
    };
    let signature = Signature::of(&compiled.program);
    let inputs = match read_json(&signature, example.arguments) {
        Ok(inputs) => inputs,
        Err(errors) => return Some(errors.render(&sources, false)),
    };
    let outcome = match run(&compiled.program, &inputs[0], &Options::default()) {
        Ok(outcome) => outcome,
        Err(error) => return Some(format!("{error:?}")),
    };
    let got = results_json(&signature, &outcome.params, &outcome.results, false);
    let wrong = |(name, want): (&String, &Value)| {
        let found = &got[name];
        (found != want).then(|| format!("{name} is {found}, not {want}"))
    };
    example.results.iter().find_map(wrong)
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
    let (mut count, mut failures) = (0, String::new());
    for path in &paths {
        let text = fs::read_to_string(path).unwrap();
        let mut sources = SourceMap::default();
        let file = sources.add(path.display().to_string(), text.as_str());
        if let Err(errors) = check(&mut sources, file) {
            failures += &errors.render(&sources, false);
        }
        for example in examples(&text) {
            count += 1;
            if let Some(why) = failure(path, &text, &example) {
                let Example { line, kernel, .. } = example;
                failures += &format!("{}:{line}: {kernel}: {why}\n", path.display());
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
    assert!(count > 100, "only {count} examples were found");
}
