//! The Veryl back end: the same netlists by way of Veryl give the same cycles.
#![cfg(feature = "veryl")]

use allo_hls::rtl::{veryl, veryl_backend};
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
