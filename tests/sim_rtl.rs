//! Examples and small kernels in the in-process engine, beside the reference. No tool is needed.

use allo_hls::diagnostics::SourceMap;
use allo_hls::driver::{self, Compilation, Target};
use allo_hls::sim::cosim::{self, CosimError, CosimOptions, Report};
use allo_hls::sim::inprocess::Netlist;
use std::path::{Path, PathBuf};

fn compile(path: &Path, top: Option<&str>, period: f64) -> Compilation {
    let text = std::fs::read_to_string(path).expect("readable");
    let mut sources = SourceMap::default();
    let file = sources.add(path.display().to_string(), text);
    let target = Target::new("ecp5", period).expect("a built-in device");
    driver::compile(&mut sources, file, top, &target)
        .unwrap_or_else(|e| panic!("{}", e.render(&sources, false)))
}

fn simulate(compiled: &Compilation, vectors: usize) -> Result<Report, CosimError> {
    let engine = Netlist::new(&compiled.design, &compiled.manifest)?;
    let options = CosimOptions {
        vectors,
        ..CosimOptions::default()
    };
    let (program, manifest) = (&compiled.program, &compiled.manifest);
    cosim::cosim_on(&engine, program, manifest, &options, &|_, _| ())
}

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "py"))
        .collect();
    files.sort();
    files
}

fn assert_right(path: &Path, top: Option<&str>, vectors: usize) {
    for period in [10.0, 4.0] {
        let compiled = compile(path, top, period);
        match simulate(&compiled, vectors) {
            Ok(report) => assert!(report.compared > 0, "{}", path.display()),
            Err(error) => {
                let diagnostic = error.to_diagnostic();
                let notes: Vec<&str> = diagnostic.notes.iter().map(|n| n.1.as_str()).collect();
                panic!(
                    "{} at {period} ns: {}\n{}",
                    path.display(),
                    diagnostic.message,
                    notes.join("\n")
                );
            }
        }
    }
}

/// Kernels each of which is made to show one kind of mistake.
#[test]
fn kernels_compute_what_the_reference_does() {
    for path in files("tests/sim_kernels") {
        assert_right(&path, Some("top"), 12);
    }
}

#[test]
fn examples_compute_what_the_reference_does() {
    for path in files("examples") {
        let name = path.file_stem().expect("a name").to_string_lossy();
        // The big ones run in the tests of both engines.
        if !name.starts_with("matmul") {
            assert_right(&path, (name == "called").then_some("called"), 4);
        }
    }
}
