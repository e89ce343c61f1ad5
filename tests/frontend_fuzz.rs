//! The inputs that fuzzing has kept, in `fuzz/corpus`: every one ends in valid kernels or in diagnostics, never in a panic.
//!
//! `scripts/fuzz --frontend` looks for more, guided by coverage.

use allo_hls::diagnostics::SourceMap;
use allo_hls::frontend::{check, compile};
use allo_hls::ir::validate::validate;
use std::fs;
use std::path::Path;

#[test]
fn kept_inputs_never_panic() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    let mut paths: Vec<_> = fs::read_dir(corpus)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    assert!(paths.len() > 100, "the corpus is gone");
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        let mut sources = SourceMap::default();
        let file = sources.add("kept.py", text.as_str());
        match check(&mut sources, file) {
            Ok(checked) => drop(checked.warnings.render(&sources, false)),
            Err(errors) => assert!(!errors.render(&sources, false).is_empty(), "{text}"),
        }
        if let Ok(compiled) = compile(&mut sources, file, None) {
            assert_eq!(validate(&compiled.program), Ok(()), "{text}");
        }
    }
}
