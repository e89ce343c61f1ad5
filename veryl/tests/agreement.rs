//! The same netlists, printed and by way of Veryl, give the same cycles.

use allo_hls::rtl::veryl;
use allo_hls::sim::cosim::{self, CosimOptions};
use allo_hls_veryl::to_systemverilog;
use rtl_tests::bench::Bench;
use rtl_tests::examples;
use rtl_tests::expressions::Suite;
use rtl_tests::{fuzz, random};

/// The bench of the same design's text by way of Veryl.
fn by_veryl(bench: &Bench) -> Bench {
    let source = veryl::print(&bench.design);
    let text = to_systemverilog(&source, &bench.module().name);
    Bench {
        text: text.unwrap_or_else(|error| panic!("{error}\n{source}")),
        ..bench.clone()
    }
}

#[test]
fn expressions_agree() {
    let suite = Suite::of_widths(&[1, 7, 33, 64, 100]);
    let bench = Bench::new(suite.design.clone(), suite.vectors(40));
    let folder = tempfile::tempdir().expect("a temporary folder");
    if let Some(trace) = by_veryl(&bench).verilator(folder.path()) {
        assert_eq!(trace, bench.in_process());
    }
}

#[test]
fn random_netlists_agree() {
    for seed in 1..=3 {
        let bench = random::bench(seed, 120, 200);
        let folder = tempfile::tempdir().expect("a temporary folder");
        if let Some(trace) = by_veryl(&bench).verilator(folder.path()) {
            assert_eq!(trace[6..], bench.in_process()[6..], "seed {seed}");
        }
    }
}

/// An example as both texts.
fn example_agrees(file: &str) {
    let example = examples::find(file);
    let compiled = example.compile(10.0);
    let source = veryl::print(&compiled.design);
    let by_veryl =
        to_systemverilog(&source, file).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let options = CosimOptions {
        vectors: 6,
        ..CosimOptions::default()
    };
    let cycles = |text: &str| {
        cosim::cosim(&compiled.program, &compiled.manifest, text, &options)
            .unwrap_or_else(|e| panic!("{file}: {}", fuzz::explained(&e)))
            .cycles
    };
    assert_eq!(
        cycles(&by_veryl),
        cycles(&compiled.systemverilog()),
        "{file}"
    );
}

#[test]
fn examples_agree() {
    for file in [
        "called",
        "count",
        "fir",
        "histogram",
        "matmul_i32",
        "mul96",
        "saxpy_f32",
        "saxpy_i32",
    ] {
        example_agrees(file);
    }
}
