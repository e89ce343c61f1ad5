//! Hostile and mutated inputs: every one ends in a result or a diagnostic, never in a panic, and
//! what compiles is valid.

use allo_hls::diagnostics::SourceMap;
use allo_hls::frontend::{check, compile};
use allo_hls::ir::validate::validate;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

const HEAD: &str = "import allo\nfrom allo import *\n@kernel\ndef f(x: i32) -> i32:\n";

fn refused(text: &str) {
    let start = Instant::now();
    let mut sources = SourceMap::default();
    let file = sources.add("hostile.py", text);
    let result = check(&mut sources, file);
    let shown: String = text.chars().take(80).collect();
    let errors = result.expect_err(&shown);
    assert!(!errors.render(&sources, false).is_empty());
    assert!(start.elapsed() < Duration::from_secs(3), "slow: {shown}");
}

#[test]
fn hostile_inputs_are_refused_quickly() {
    let n = 100_000;
    for text in [
        format!("{HEAD}    return {}x\n", "-".repeat(n)),
        format!("{HEAD}    return {}x\n", "not ".repeat(n)),
        format!("{HEAD}    return {}x{}\n", "(".repeat(n), ")".repeat(n)),
        format!("{HEAD}    return x{}\n", " + x".repeat(n)),
        format!("{HEAD}    return x{}\n", "[0]".repeat(n)),
        format!("{HEAD}    return x{}\n", ".a".repeat(n)),
        format!("{HEAD}    return {}x\n", "lambda a, b: ".repeat(n)),
        format!("{HEAD}    return {}x\n", "x if x else ".repeat(n)),
        format!("{HEAD}    return {}\n", "x ** ".repeat(n) + "x"),
        format!("{HEAD}    y: \"{}i32\"\n    return x\n", "(".repeat(n)),
        format!("{HEAD}    y: \"i32[{}1]\"\n    return x\n", "-".repeat(n)),
        format!("{HEAD}    y: \"i32[1{}]\"\n    return x\n", ", 9".repeat(n)),
        format!("{HEAD}    return {}\n", "9".repeat(1_000_000)),
        format!("{HEAD}    return x + 10 ** 10 ** 8\n"),
        format!("{HEAD}    return x + (1 << 10 ** 9)\n"),
        format!("{HEAD}    return q{}\n", "q".repeat(10_000_000)),
        format!("{HEAD}    y: constexpr = [0] * 10 ** 9\n    return x\n"),
        format!(
            "{HEAD}{}",
            (0..300).fold(String::new(), |s, i| {
                s + &format!("    {}if x > {i}:\n", " ".repeat(i))
            })
        ),
        format!(
            "{HEAD}{}",
            "    if x == 1:\n        return 1\n".repeat(1000)
        ),
        format!(
            "{HEAD}    if x == 1:\n        x = 2\n{}",
            "    elif x == 3:\n        x = 4\n".repeat(1000)
        ),
        "x = 1\0".to_owned(),
        "\u{feff}def".to_owned(),
        "def f(:\r\r\n\x0c  \t 'abc".to_owned(),
    ] {
        refused(&text);
    }
}

/// A small generator of pseudo-random numbers: the test must not change from run to run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

fn pieces(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for c in text.chars() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        match found.last_mut() {
            Some(last) if word(c) && last.chars().all(word) => last.push(c),
            Some(last) if c == ' ' && last.chars().all(|c| c == ' ') => last.push(c),
            _ => found.push(c.to_string()),
        }
    }
    found
}

#[test]
fn mutated_kernels_never_panic() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut corpus: Vec<Vec<String>> = Vec::new();
    for folder in ["frontend", "diagnostics"] {
        let mut paths: Vec<_> = fs::read_dir(root.join(folder))
            .unwrap()
            .map(|e| e.unwrap().path())
            .collect();
        paths.sort();
        for path in paths
            .iter()
            .filter(|p| p.extension().is_some_and(|e| e == "py"))
        {
            let text = fs::read_to_string(path).unwrap();
            if text.len() < 10_000 {
                corpus.push(pieces(&text));
            }
        }
    }
    let rounds = std::env::var("FUZZ_ROUNDS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(3000);
    let mut random = Random(1);
    for round in 0..rounds {
        let mut tokens = corpus[random.below(corpus.len())].clone();
        for _ in 0..=random.below(4) {
            let other = &corpus[random.below(corpus.len())];
            let donor = other[random.below(other.len())].clone();
            let at = random.below(tokens.len());
            match random.below(4) {
                0 => tokens[at] = donor,
                1 => tokens.insert(at, donor),
                2 => {
                    tokens.remove(at);
                }
                _ => {
                    let with = random.below(tokens.len());
                    tokens.swap(at, with);
                }
            }
        }
        let text = tokens.concat();
        let outcome = std::panic::catch_unwind(|| {
            let mut sources = SourceMap::default();
            let file = sources.add("mutant.py", text.as_str());
            if let Err(errors) = check(&mut sources, file) {
                let _ = errors.render(&sources, false);
            }
            if let Ok(compiled) = compile(&mut sources, file, None) {
                assert_eq!(validate(&compiled.program), Ok(()));
            }
        });
        assert!(outcome.is_ok(), "round {round} panics on\n{text}");
    }
}
