//! A short campaign of random kernels, and the kernels that once went wrong.

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
