//! Features with their values, checked against CPython where it is installed: each `tests/*.py` is evaluated, and lines
//! that end in `#= text` say what the name at their beginning is.

use diagnostics::{FileId, SourceMap, Span};
use indexmap::IndexMap;
use pyeval::{Exception, Failure, Frame, Host, Names, Problem, Result, State, Value, fail, repr};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program of one module.
#[derive(Default)]
struct Program {
    state: State,
    sources: SourceMap,
    globals: IndexMap<String, Value>,
}

impl Host for Program {
    fn state(&mut self) -> &mut State {
        &mut self.state
    }
    fn global(&self, _: usize, name: &str, _: Span) -> Option<Result<Value>> {
        self.globals.get(name).cloned().map(Ok)
    }
    fn set_global(&mut self, _: usize, name: &str, value: Option<Value>) -> bool {
        match value {
            Some(value) => self.globals.insert(name.to_owned(), value),
            None => self.globals.shift_remove(name),
        };
        true
    }
    fn builtin(&self, _: &str) -> Option<Value> {
        None
    }
    fn undefined<'n>(
        &'n self,
        _: usize,
        name: &str,
        span: Span,
        _: &mut dyn Iterator<Item = &'n str>,
    ) -> Failure {
        Failure::new(span, Problem::Undefined(name.to_owned()))
    }
    fn import(&mut self, _: usize, dotted: &str, _: u32, span: Span) -> Result<Value> {
        let text = format!("there is no module '{dotted}'");
        fail(
            span,
            Problem::exception(Exception::ModuleNotFoundError, text),
        )
    }
    fn exported(&self, _: usize) -> Vec<String> {
        self.globals.keys().cloned().collect()
    }
    fn text(&self, file: FileId) -> &str {
        &self.sources.file(file).text
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// Names and their expected text.
fn expectations(text: &str) -> Vec<(&str, &str)> {
    text.lines()
        .filter_map(|line| {
            let (code, expected) = line.rsplit_once("  #= ")?;
            Some((code.split(' ').next()?, expected))
        })
        .collect()
}

/// The globals of a file after its evaluation, as text.
fn values(path: &Path) -> HashMap<String, String> {
    let text = fs::read_to_string(path).unwrap();
    let parsed = ruff_python_parser::parse_module(&text).unwrap();
    let mut program = Program::default();
    let file = program
        .sources
        .add(path.display().to_string(), text.as_str());
    let name = Value::str("kernel_file");
    program.globals.insert("__name__".into(), name);
    let names: &mut dyn Names = &mut Frame::of_module(&mut program, file, 0);
    if let Err(failure) = names.exec(parsed.suite()) {
        panic!("{failure:?}");
    }
    let globals: Vec<_> = program.globals.clone().into_iter().collect();
    let names: &mut dyn Names = &mut Frame::of_module(&mut program, file, 0);
    globals
        .into_iter()
        .map(|(name, value)| {
            let text = repr(&value, Span::default(), names).unwrap();
            (name, text.to_string())
        })
        .collect()
}

/// Compares on a thread with a stack for the bound on calls in a build that is not optimised.
fn compare(file: &'static str, least: usize) {
    let run = std::thread::Builder::new().stack_size(256 << 20);
    let run = run.spawn(move || {
        let path = folder().join(file);
        let text = fs::read_to_string(&path).unwrap();
        let expected = expectations(&text);
        assert!(expected.len() >= least, "{} features", expected.len());
        let found = values(&path);
        let mut failures = String::new();
        for (name, expected) in expected {
            let got = found.get(name).map_or("nothing", String::as_str);
            if got != expected {
                writeln!(failures, "{name}\n  expected {expected}\n  got      {got}").unwrap();
            }
        }
        assert!(failures.is_empty(), "{failures}");
    });
    run.unwrap().join().unwrap();
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

fn agrees_with_cpython(file: &str) {
    let path = folder().join(file);
    let Some(theirs) = cpython(&path) else {
        eprintln!("no CPython for {}", path.display());
        return;
    };
    let text = fs::read_to_string(&path).unwrap();
    for (name, expected) in expectations(&text) {
        let got = theirs.get(name).map(String::as_str);
        assert_eq!(got, Some(expected), "{name}");
    }
}

#[test]
fn features_have_the_values_that_python_gives_them() {
    compare("features.py", 65);
}

#[test]
fn cpython_agrees_on_the_features() {
    agrees_with_cpython("features.py");
}

#[test]
fn numpy_tables_have_the_values_that_numpy_gives_them() {
    compare("numpy_tables.py", 20);
}

#[test]
fn numpy_agrees_on_the_tables() {
    agrees_with_cpython("numpy_tables.py");
}

/// The same on every machine; what CPython gives depends on the C library.
#[test]
fn elementary_functions_are_correctly_rounded() {
    compare("rounded.py", 3);
}
