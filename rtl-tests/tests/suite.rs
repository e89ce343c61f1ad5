//! PolyBench and MachSuite: the reference against models in Python, and the hardware against the reference.

use allo_hls::diagnostics::SourceMap;
use allo_hls::frontend;
use allo_hls::levels::Level;
use allo_hls::sim::cosim::{self, CosimOptions};
use allo_hls::sim::reference;
use allo_hls::sim::value::Signature;
use allo_hls::sim::vectors;
use rtl_tests::fuzz::{self, Setting};
use rtl_tests::suite::{self, Case};
use std::collections::BTreeSet;

/// Those tried at a fast clock too, where every operation has more stages.
const AT_A_FAST_CLOCK: &[&str] = &[
    "adi",
    "gramschmidt",
    "nussinov",
    "aes",
    "fft_strided",
    "radixsort",
];

/// Those that Verilator runs too; it takes seconds for each.
const IN_VERILATOR: &[&str] = &[
    "gemm_i32",
    "cholesky",
    "correlation",
    "aes",
    "nw",
    "viterbi",
];

/// Operations of the reference for one invocation.
const STEPS: u64 = 1_000_000;

fn setting(period: f64) -> Setting {
    Setting {
        steps: fuzz::STEPS,
        period,
        skip: Vec::new(),
        seed: 7,
        vectors: 2,
        directed: false,
        level: Level::Two,
    }
}

/// What the software reference makes of the case, beside the model.
fn reference_agrees(case: &Case) -> Result<(), String> {
    let mut sources = SourceMap::default();
    let file = sources.add(case.file.to_string_lossy(), case.source());
    let compiled = frontend::compile(&mut sources, file, Some(case.top.as_str()))
        .map_err(|e| e.render(&sources, false))?;
    let signature = Signature::of(&compiled.program);
    let invocation = case.invocation(&signature)?;
    let options = reference::Options {
        check_bounds: true,
        step_limit: STEPS,
        ..Default::default()
    };
    let outcome = reference::run(&compiled.program, &invocation, &options)
        .map_err(|e| e.to_diagnostic().render(&sources, false))?;
    case.judge(&signature, &outcome.params, &outcome.results)
}

/// The case's own inputs, and random ones, which are mostly senseless and so reach the rest.
fn hardware_agrees(case: &Case, period: f64) -> Result<(), String> {
    let compilation = fuzz::compile(&case.source(), &case.top, &setting(period))
        .map_err(|why| format!("{why:?}"))?;
    let signature = Signature::of(&compilation.program);
    let own = [case.invocation(&signature)?];
    let report = fuzz::compare_on(&compilation, &own, 1, STEPS)?;
    if report.compared == 0 {
        return Err("nothing was compared".into());
    }
    let random: Vec<_> = (0..2)
        .map(|n| vectors::invocation(&signature, 5, n, 0))
        .collect();
    fuzz::compare_on(&compilation, &random, 2, 5_000).map(|_| ())
}

/// Runs the check on every case of a collection and reports all that fail.
fn all(collection: &str, check: impl Fn(&Case) -> Result<(), String>) {
    let mut failures = String::new();
    for case in suite::cases(collection) {
        if let Err(why) = check(&case) {
            failures += &format!("{} {}: {why}\n", case.file.display(), case.top);
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn every_kernel_has_a_model() {
    let mut count = 0;
    for collection in suite::COLLECTIONS {
        let modelled: BTreeSet<_> = suite::cases(collection)
            .into_iter()
            .map(|case| case.file)
            .collect();
        let files: BTreeSet<_> = std::fs::read_dir(suite::folder().join(collection))
            .expect("the folder is there")
            .map(|entry| std::path::Path::new(collection).join(entry.expect("a file").file_name()))
            .collect();
        assert_eq!(files, modelled);
        count += files.len();
    }
    assert_eq!(count, 30 + 18, "30 of PolyBench, 18 of MachSuite");
}

#[test]
fn the_reference_computes_what_the_models_of_polybench_do() {
    all("polybench", reference_agrees);
}

#[test]
fn the_reference_computes_what_the_models_of_machsuite_do() {
    all("machsuite", reference_agrees);
}

#[test]
fn the_hardware_of_polybench_computes_what_the_reference_does() {
    all("polybench", |case| hardware_agrees(case, 10.0));
}

#[test]
fn the_hardware_of_machsuite_computes_what_the_reference_does() {
    all("machsuite", |case| hardware_agrees(case, 10.0));
}

#[test]
fn a_fast_clock_changes_no_bit() {
    for collection in suite::COLLECTIONS {
        all(collection, |case| {
            match AT_A_FAST_CLOCK.contains(&case.top.as_str()) {
                true => hardware_agrees(case, 3.0),
                false => Ok(()),
            }
        });
    }
}

#[test]
fn verilator_computes_what_the_reference_does() {
    let cases = suite::COLLECTIONS.into_iter().flat_map(suite::cases);
    for case in cases.filter(|case| IN_VERILATOR.contains(&case.top.as_str())) {
        let compilation = fuzz::compile(&case.source(), &case.top, &setting(10.0))
            .unwrap_or_else(|e| panic!("{e:?}"));
        let signature = Signature::of(&compilation.program);
        let invocation = case.invocation(&signature).expect("arguments that fit");
        let options = CosimOptions {
            args: Some(vec![invocation.clone(), invocation]),
            ..CosimOptions::default()
        };
        let text = compilation.systemverilog();
        let report = cosim::cosim(&compilation.program, &compilation.manifest, &text, &options);
        if let Err(error) = report {
            panic!("{}: {}", case.top, fuzz::explained(&error));
        }
    }
}
