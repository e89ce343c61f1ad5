//! The Veryl back end: the same netlists by way of Veryl give the same cycles.
#![cfg(feature = "veryl")]

use allo_hls::diagnostics::SourceMap;
use allo_hls::driver::{self, Target};
use allo_hls::rtl::{veryl, veryl_backend};
use allo_hls::sim::cosim::{self, CosimOptions};
use rtl_tests::bench::Bench;
use rtl_tests::expressions::Suite;
use rtl_tests::random;

/// The bench of the same design's text by way of Veryl.
fn by_veryl(bench: &Bench) -> Bench {
    let source = veryl::print(&bench.design);
    let text = veryl_backend::to_systemverilog(&source, &bench.module().name);
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

/// An example through both back ends.
fn example_agrees(file: &str, top: &str) {
    let path = format!("{}/../examples/{file}.py", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the example is there");
    let mut sources = SourceMap::default();
    let id = sources.add(format!("{file}.py"), text);
    let target = Target::new("ecp5", 10.0).expect("a built-in device");
    let compiled = driver::compile(&mut sources, id, Some(top), &target)
        .unwrap_or_else(|e| panic!("{}", e.render(&sources, false)));
    let source = veryl::print(&compiled.design);
    let by_veryl = veryl_backend::to_systemverilog(&source, top)
        .unwrap_or_else(|error| panic!("{error}\n{source}"));
    let options = CosimOptions {
        vectors: 6,
        ..CosimOptions::default()
    };
    let cycles = |text: &str| {
        cosim::cosim(&compiled.program, &compiled.manifest, text, &options)
            .unwrap_or_else(|e| panic!("{file}: {}", e.to_diagnostic().render(&sources, false)))
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
    for (file, top) in [
        ("called", "called"),
        ("count", "count"),
        ("fir", "fir"),
        ("histogram", "histogram"),
        ("matmul_i32", "matmul"),
        ("mul96", "mul96"),
        ("saxpy_f32", "saxpy"),
        ("saxpy_i32", "saxpy"),
    ] {
        example_agrees(file, top);
    }
}
