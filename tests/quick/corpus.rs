//! The inputs that fuzzing has kept, in `fuzz/corpus.jsonl`: every one ends in valid kernels or in diagnostics, never in a panic.
//!
//! `scripts/fuzz --frontend` looks for more, guided by coverage.

use crate::support;
use allo_hls::frontend::{check, compile};
use allo_hls::ir::validate::validate;

#[test]
fn kept_inputs_never_panic() {
    let kept = support::read(&support::root("fuzz/corpus.jsonl"));
    assert!(kept.lines().count() > 100, "the corpus is gone");
    for line in kept.lines() {
        let text: String = serde_json::from_str(line).expect("a string");
        let (mut sources, file) = support::source("kept.py", &text);
        match check(&mut sources, file) {
            Ok(checked) => drop(checked.warnings.render(&sources, false)),
            Err(errors) => assert!(!errors.render(&sources, false).is_empty(), "{text}"),
        }
        if let Ok(compiled) = compile(&mut sources, file, None) {
            assert_eq!(validate(&compiled.program), Ok(()), "{text}");
        }
    }
}
