//! A short campaign of random kernels, and the kernels that once went wrong.

use allo_hls::sim::value::Signature;
use allo_hls::sim::vectors;
use rtl_tests::fuzz::{self, Setting, Verdict};
use rtl_tests::generate;

fn setting(seed: u64) -> Setting {
    Setting {
        period: [10.0, 5.0, 2.5][(seed % 3) as usize],
        skip: Vec::new(),
        seed,
        vectors: 4,
    }
}

#[test]
fn random_kernels_behave_as_the_reference() {
    let mut right = 0;
    for seed in 1..=60 {
        let kernel = generate::kernel(seed);
        match fuzz::check(&kernel.text, kernel.top, &setting(seed)) {
            Verdict::Right(_) => right += 1,
            Verdict::Refused(_) => {}
            Verdict::Wrong(why) => panic!("seed {seed}: {why}\n{}", kernel.text),
        }
    }
    assert!(right > 40, "most kernels compile: {right}");
}

/// Neither the evaluator nor the simulation passes kernels over.
#[test]
fn random_kernels_run_in_every_form() {
    let (mut evaluated, mut simulated) = (0, 0);
    for seed in 1..=20 {
        let kernel = generate::kernel(seed);
        let Ok(compilation) = fuzz::compile(&kernel.text, kernel.top, &setting(seed)) else {
            continue;
        };
        let inputs = vectors::generate(&Signature::of(&compilation.program), 4, seed);
        let values = fuzz::evaluate_on(&compilation, &inputs, 4_000).expect("right");
        evaluated += usize::from(values > 0);
        let report = fuzz::compare_on(&compilation, &inputs, seed, 4_000).expect("right");
        simulated += usize::from(report.compared > 0);
    }
    assert!(evaluated > 14 && simulated > 14, "{evaluated}, {simulated}");
}

#[test]
fn kernels_that_once_went_wrong() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels");
    for entry in std::fs::read_dir(folder).expect("the folder of kernels") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|e| e != "py") {
            continue; // the folders of the suite
        }
        let text = std::fs::read_to_string(&path).expect("a kernel");
        for seed in 0..6 {
            match fuzz::check(&text, "top", &setting(seed)) {
                Verdict::Right(_) => {}
                other => panic!("{}: {other:?}", path.display()),
            }
        }
    }
}
