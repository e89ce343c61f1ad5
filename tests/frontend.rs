//! The frontend on whole files: kernels that compile, with their ir, and inputs that are refused,
//! with their messages. `UPDATE_EXPECT=1 cargo test --test frontend` rewrites the expectations.

use allo_hls::diagnostics::{FileId, SourceMap};
use allo_hls::frontend::{check, compile};
use allo_hls::ir::print::print;
use allo_hls::ir::validate::validate;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn inputs(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(folder);
    let mut found: Vec<PathBuf> = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "py"))
        .collect();
    found.sort();
    found
}

fn load(path: &Path) -> (SourceMap, FileId) {
    let mut sources = SourceMap::default();
    let name = path.file_name().unwrap().to_string_lossy();
    let file = sources.add(name, fs::read_to_string(path).unwrap());
    (sources, file)
}

/// What the first line says after `# <key>:`.
fn directive(sources: &SourceMap, file: FileId, key: &str) -> Option<String> {
    let first = sources.file(file).line(1);
    let text = first.strip_prefix("# ")?.strip_prefix(key)?;
    Some(text.strip_prefix(':')?.trim().to_owned())
}

/// Compares with the expectation beside the input, or rewrites it.
fn compare(path: &Path, extension: &str, actual: &str, failures: &mut String) {
    let expected_path = path.with_extension(extension);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(expected_path, actual).unwrap();
        return;
    }
    let expected = fs::read_to_string(&expected_path).unwrap_or_default();
    if expected != actual {
        writeln!(
            failures,
            "== {}\n-- expected\n{expected}\n-- actual\n{actual}",
            path.display()
        )
        .unwrap();
    }
}

/// Names of the top-level kernels without templates, by their text.
fn kernels(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut decorated = false;
    for line in text.lines() {
        if line.starts_with('@') {
            decorated = line.contains("kernel") && !line.contains("kernel(T");
        } else if let Some(rest) = line.strip_prefix("def ") {
            if decorated {
                names.push(rest.split('(').next().unwrap_or_default().to_owned());
            }
            decorated = false;
        }
    }
    names
}

#[test]
fn kernels_compile_to_the_expected_ir() {
    let mut failures = String::new();
    for path in inputs("frontend") {
        let (mut sources, file) = load(&path);
        if let Err(errors) = check(&mut sources, file) {
            panic!("{}\n{}", path.display(), errors.render(&sources, false));
        }
        let tops = match directive(&sources, file, "top") {
            Some(top) => vec![top],
            None => kernels(&sources.file(file).text),
        };
        let mut text = String::new();
        for top in tops {
            match compile(&mut sources, file, Some(&top)) {
                Ok(compiled) => {
                    assert_eq!(validate(&compiled.program), Ok(()), "{}", path.display());
                    text += &print(&compiled.program, None);
                }
                Err(errors) => panic!("{}\n{}", path.display(), errors.render(&sources, false)),
            }
        }
        compare(&path, "ir", &text, &mut failures);
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn refused_inputs_give_the_expected_messages() {
    let mut failures = String::new();
    for path in inputs("diagnostics") {
        let (mut sources, file) = load(&path);
        sources.root = Some("tests/diagnostics/imported".into());
        sources.python = directive(&sources, file, "python");
        let refused = match directive(&sources, file, "top") {
            Some(top) => {
                let top = Some(top).filter(|t| t != "-");
                compile(&mut sources, file, top.as_deref()).map(|_| ())
            }
            None => check(&mut sources, file).map(|_| ()),
        };
        let text = match refused {
            Ok(()) => "accepted\n".to_owned(),
            Err(errors) => errors
                .0
                .iter()
                .map(|d| format!("[{}] {}", d.code, d.render(&sources, false)))
                .collect(),
        };
        if text == "accepted\n" {
            writeln!(failures, "{} is accepted", path.display()).unwrap();
        }
        compare(&path, "txt", &text, &mut failures);
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn every_code_of_the_frontend_has_a_snapshot() {
    let shown: String = inputs("diagnostics")
        .iter()
        .map(|path| fs::read_to_string(path.with_extension("txt")).unwrap_or_default())
        .collect();
    let missing: Vec<&str> = allo_hls::frontend::codes::ALL
        .iter()
        .map(|(code, _)| *code)
        .filter(|code| !shown.contains(&format!("[{code}]")))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
