//! The inputs that fuzzing has kept, in `fuzz/corpus.jsonl`, and mutants of them: every one ends in valid kernels or in
//! diagnostics, never in a panic.
//!
//! `scripts/fuzz --frontend` looks for more, guided by coverage.

#[path = "../../fuzz/src/mutate.rs"]
mod mutate;

use crate::support;
use allo_hls::frontend::{check, compile};
use allo_hls::ir::validate::validate;

/// Mutants of each input.
const MUTANTS: u32 = 3;

fn kept() -> Vec<String> {
    let kept = support::read(&support::root("fuzz/corpus.jsonl"));
    let lines = kept
        .lines()
        .map(|line| serde_json::from_str(line).expect("a string"));
    let texts: Vec<String> = lines.collect();
    assert!(texts.len() > 100, "the corpus is gone");
    texts
}

/// Has the frontend read a text.
fn survive(text: &str) {
    let (mut sources, file) = support::source("kept.py", text);
    match check(&mut sources, file) {
        Ok(checked) => drop(checked.warnings.render(&sources, false)),
        Err(errors) => assert!(!errors.render(&sources, false).is_empty(), "{text}"),
    }
    if let Ok(compiled) = compile(&mut sources, file, None) {
        assert_eq!(validate(&compiled.program), Ok(()), "{text}");
    }
}

#[test]
fn kept_inputs_never_panic() {
    kept().iter().for_each(|text| survive(text));
}

/// Mutants of every second input, from one on, with the next one as donor.
fn mutants(first: usize) {
    let kept = kept();
    let (mut seed, mut changed) = (first as u32, 0);
    for (text, donor) in kept.iter().zip(&kept[1..]).skip(first).step_by(2) {
        for number in 0..MUTANTS {
            seed += 2;
            let mutant = match number {
                0 => mutate::crossed(text, donor, seed),
                _ => mutate::mutant(text, donor, seed),
            };
            changed += u32::from(mutant != *text);
            survive(&mutant);
        }
    }
    assert!(changed > 500, "{changed} mutants");
}

#[test]
fn mutants_of_one_half_never_panic() {
    mutants(0);
}

#[test]
fn mutants_of_the_other_half_never_panic() {
    mutants(1);
}
