//! Compile-time Python: features with their values, checked against CPython where it is installed,
//! files beside the input, and numpy tables in kernels that run.

use allo_hls::diagnostics::{FileId, SourceMap};
use allo_hls::frontend;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python")
}

fn load(path: &Path) -> (SourceMap, FileId) {
    let mut sources = SourceMap::default();
    sources.root = path.parent().map(Path::to_path_buf);
    let name = path.file_name().unwrap().to_string_lossy();
    let file = sources.add(name, fs::read_to_string(path).unwrap());
    (sources, file)
}

/// Names and their expected text: the lines that end in `#= text`.
fn expectations(text: &str) -> Vec<(&str, &str)> {
    text.lines()
        .filter_map(|line| {
            let (code, expected) = line.rsplit_once("  #= ")?;
            Some((code.split(' ').next()?, expected))
        })
        .collect()
}

fn values(path: &Path) -> HashMap<String, String> {
    let (mut sources, file) = load(path);
    match frontend::globals(&mut sources, file) {
        Ok(found) => found.into_iter().collect(),
        Err(errors) => panic!("{}", errors.render(&sources, false)),
    }
}

fn compare(path: &Path, least: usize) {
    let text = fs::read_to_string(path).unwrap();
    let expected = expectations(&text);
    assert!(expected.len() >= least, "{} features", expected.len());
    let found = values(path);
    let mut failures = String::new();
    for (name, expected) in expected {
        let got = found.get(name).map_or("nothing", String::as_str);
        if got != expected {
            writeln!(failures, "{name}\n  expected {expected}\n  got      {got}").unwrap();
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// What CPython says of the same file; `None` if it, or a module that the file needs, is missing.
fn cpython(path: &Path) -> Option<HashMap<String, String>> {
    let script = "import runpy, sys\nnames = runpy.run_path(sys.argv[1], run_name='kernel_file')\n\
                  for k, v in names.items():\n    print(k, repr(v).replace('\\n', ' '), sep='\\t')\n";
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let output = Command::new(python)
        .args(["-c", script])
        .arg(path)
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().filter_map(|line| line.split_once('\t'));
    output
        .status
        .success()
        .then(|| lines.map(|(k, v)| (k.to_owned(), v.to_owned())).collect())
}

fn agrees_with_cpython(path: &Path) {
    let Some(theirs) = cpython(path) else {
        eprintln!("no CPython for {}", path.display());
        return;
    };
    let text = fs::read_to_string(path).unwrap();
    for (name, expected) in expectations(&text) {
        assert_eq!(theirs.get(name).map(String::as_str), Some(expected), "{name}");
    }
}

#[test]
fn features_have_the_values_that_python_gives_them() {
    compare(&folder().join("features.py"), 65);
}

#[test]
fn cpython_agrees_on_the_features() {
    agrees_with_cpython(&folder().join("features.py"));
}

#[test]
fn numpy_tables_have_the_values_that_numpy_gives_them() {
    compare(&folder().join("numpy_tables.py"), 20);
}

#[test]
fn numpy_agrees_on_the_tables() {
    agrees_with_cpython(&folder().join("numpy_tables.py"));
}
