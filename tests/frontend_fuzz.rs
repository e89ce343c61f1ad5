//! Mutated kernel files through the frontend: every one ends in kernels or in diagnostics, never in a panic.
//!
//! The corpus is every small kernel file of the repository. A run is determined by `FUZZ_SEED`; it has
//! `FUZZ_ROUNDS` rounds, or lasts `FUZZ_MINUTES`. What panics is shrunk and kept in `target/fuzz`.
//! `scripts/fuzz --frontend` is the long run.

use allo_hls::diagnostics::SourceMap;
use allo_hls::frontend::{check, compile};
use allo_hls::ir::validate::validate;
use std::collections::BTreeSet;
use std::fs;
use std::panic::catch_unwind;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Folders whose kernel files are mutated.
const CORPUS: [&str; 4] = [
    "examples",
    "tests/frontend",
    "tests/language",
    "tests/diagnostics",
];
/// Larger files are left out: their rounds are slow and find nothing new.
const LARGEST: usize = 6000;
/// After this long on one input a run of `FUZZ_MINUTES` stops and says that the input does not end.
const PATIENCE: Duration = Duration::from_secs(60);

/// Numbers at the edges of what types, shapes and the evaluator take.
const NUMBERS: [&str; 16] = [
    "0",
    "-1",
    "1",
    "2",
    "31",
    "32",
    "33",
    "63",
    "64",
    "255",
    "256",
    "4096",
    "4097",
    "1e400",
    "9223372036854775808",
    "10 ** 30",
];
/// Tokens that turn one construct into another.
const WORDS: [&str; 32] = [
    "(",
    ")",
    "[",
    "]",
    ":",
    ",",
    "*",
    "**",
    "=",
    "+=",
    "==",
    "-",
    "~",
    "not ",
    "and",
    " if x else ",
    "\"",
    "@kernel\n",
    "i32",
    "f32",
    "index",
    "u1",
    "f8e4m3",
    "constexpr",
    "range",
    "return ",
    "None",
    "lambda: ",
    "T[0]",
    "x",
    "i",
    "...",
];

/// A small generator of pseudo-random numbers (Knuth's MMIX constants).
struct Random(u64);

impl Random {
    /// A number below `n`; 0 if there is none.
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n.max(1)
    }

    fn of<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        &items[self.below(items.len())]
    }

    /// A part of at most `most` of `len` items.
    fn part(&mut self, len: usize, most: usize) -> std::ops::Range<usize> {
        let start = self.below(len);
        start..(start + 1 + self.below(most)).min(len)
    }
}

/// A file as tokens: words, runs of spaces, and single characters.
type Tokens = Vec<String>;

fn tokens(text: &str) -> Tokens {
    let mut found: Tokens = Vec::new();
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

fn corpus() -> Vec<Tokens> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<_> = CORPUS
        .iter()
        .flat_map(|folder| fs::read_dir(root.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "py"))
        .collect();
    paths.sort();
    let texts = paths.iter().map(|path| fs::read_to_string(path).unwrap());
    let found: Vec<Tokens> = texts
        .filter(|t| !t.is_empty() && t.len() <= LARGEST)
        .map(|text| tokens(&text))
        .collect();
    assert!(found.len() > 200, "the corpus is gone");
    found
}

/// The lines of a file, each with its line end.
fn lines(file: &Tokens) -> Vec<Tokens> {
    file.split_inclusive(|t| t == "\n")
        .map(<[String]>::to_vec)
        .collect()
}

type Edit = fn(&mut Tokens, &Tokens, &mut Random);

/// The mutations: of a file, with another as donor.
const EDITS: [Edit; 11] = [
    |file, _, r| {
        let at = r.below(file.len());
        file[at] = r.of(&WORDS).to_string();
    },
    |file, donor, r| {
        let at = r.below(file.len());
        file[at].clone_from(r.of(donor));
    },
    |file, donor, r| file.insert(r.below(file.len()), r.of(donor).clone()),
    |file, _, r| drop(file.drain(r.part(file.len(), 3))),
    |file, _, r| {
        let (a, b) = (r.below(file.len()), r.below(file.len()));
        file.swap(a, b);
    },
    |file, donor, r| {
        let (to, from) = (r.part(file.len(), 12), r.part(donor.len(), 24));
        file.splice(to, donor[from].to_vec());
    },
    |file, _, r| {
        let numeral = |t: &String| t.starts_with(|c: char| c.is_ascii_digit());
        let places: Vec<usize> = (0..file.len()).filter(|i| numeral(&file[*i])).collect();
        if !places.is_empty() {
            file[*r.of(&places)] = r.of(&NUMBERS).to_string();
        }
    },
    |file, _, r| {
        let mut lines = lines(file);
        let (a, b) = (r.below(lines.len()), r.below(lines.len()));
        lines.swap(a, b);
        *file = lines.concat();
    },
    |file, _, r| {
        let mut lines = lines(file);
        lines.drain(r.part(lines.len(), 2));
        *file = lines.concat();
    },
    |file, donor, r| {
        let (mut lines, other) = (lines(file), lines(donor));
        let at = r.below(lines.len());
        lines.splice(at..at, other[r.part(other.len(), 3)].to_vec());
        *file = lines.concat();
    },
    // One level of indentation more or less.
    |file, _, r| {
        let mut lines = lines(file);
        let part = r.part(lines.len(), 3);
        for line in &mut lines[part] {
            match line.first_mut() {
                Some(first) if r.below(2) == 0 => first.insert_str(0, "    "),
                Some(first) => *first = first.strip_prefix("    ").unwrap_or(first).to_owned(),
                None => {}
            }
        }
        *file = lines.concat();
    },
];

fn mutant(corpus: &[Tokens], r: &mut Random) -> String {
    let mut file = r.of(corpus).clone();
    for _ in 0..=r.below(5) {
        let donor = r.of(corpus);
        r.of(&EDITS)(&mut file, donor, r);
        if file.is_empty() {
            break;
        }
    }
    file.concat()
}

/// Whether the frontend survives the text, says what it refuses, and makes valid programs.
fn survives(text: &str) -> bool {
    catch_unwind(|| {
        let mut sources = SourceMap::default();
        let file = sources.add("mutant.py", text);
        match check(&mut sources, file) {
            Ok(warnings) => drop(warnings.render(&sources, false)),
            Err(errors) => assert!(!errors.render(&sources, false).is_empty()),
        }
        if let Ok(compiled) = compile(&mut sources, file, None) {
            assert_eq!(validate(&compiled.program), Ok(()));
        }
    })
    .is_ok()
}

/// The text without the lines and tokens that its panic does not need.
fn shrink(text: &str) -> String {
    let mut parts: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    for fine in [false, true] {
        if fine {
            parts = tokens(&parts.concat());
        }
        let mut size = parts.len().div_ceil(2);
        while size > 0 {
            let mut at = 0;
            while at < parts.len() {
                let mut fewer = parts.clone();
                fewer.drain(at..(at + size).min(parts.len()));
                match survives(&fewer.concat()) {
                    false => parts = fewer,
                    true => at += size,
                }
            }
            size /= 2;
        }
    }
    parts.concat()
}

/// The place in the source of the last panic.
fn record_panics() -> Arc<Mutex<String>> {
    let place = Arc::new(Mutex::new(String::new()));
    let last = place.clone();
    std::panic::set_hook(Box::new(move |info| {
        *last.lock().unwrap() = info.to_string()
    }));
    place
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Ends the process with the input at hand if one takes too long.
fn watch(round: Arc<AtomicU64>, input: Arc<Mutex<String>>) {
    std::thread::spawn(move || {
        loop {
            let before = round.load(Ordering::Relaxed);
            std::thread::sleep(PATIENCE);
            if round.load(Ordering::Relaxed) == before {
                println!("round {before} does not end:\n{}", input.lock().unwrap());
                std::process::exit(1);
            }
        }
    });
}

#[test]
fn mutated_kernels_never_panic() {
    let corpus = corpus();
    let mut random = Random(setting("FUZZ_SEED").unwrap_or(1));
    let end = setting("FUZZ_MINUTES").map(|m| Instant::now() + Duration::from_secs(60 * m));
    let rounds = setting("FUZZ_ROUNDS").unwrap_or(4000);
    let round = Arc::new(AtomicU64::new(0));
    let input = Arc::new(Mutex::new(String::new()));
    if end.is_some() {
        watch(round.clone(), input.clone());
    }
    let place = record_panics();
    let mut found = BTreeSet::new();
    loop {
        let done = round.fetch_add(1, Ordering::Relaxed);
        if end.map_or(done >= rounds, |end| Instant::now() >= end) {
            println!("{done} rounds, {} places of panics", found.len());
            break;
        }
        let text = mutant(&corpus, &mut random);
        input.lock().unwrap().clone_from(&text);
        if survives(&text) {
            continue;
        }
        let panic = place.lock().unwrap().clone();
        if found.insert(panic.clone()) {
            let small = shrink(&text);
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/fuzz");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(format!("frontend_{done}.py")), &small).unwrap();
            println!("round {done}: {panic}\n{small}\n");
        }
    }
    drop(std::panic::take_hook());
    assert!(found.is_empty(), "{found:#?}");
}
