//! Every shipped example: co-simulated with the reference, within its cycles, and accepted by every tool.

use allo_hls::rtl;
use allo_hls::rtl::axi::{Interface, Options};
use allo_hls::sim::cosim::{self, CosimOptions};
use allo_hls::sim::verilator::Verilator;
use rtl_tests::examples::{self, EXAMPLES, folder};
use rtl_tests::fuzz;
use rtl_tests::remembered::{remembered, said};
use rtl_tests::tools;

#[test]
fn every_example_is_listed() {
    let mut files: Vec<String> = std::fs::read_dir(folder())
        .expect("the folder is there")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| Some(name.strip_suffix(".py")?.to_string()))
        .collect();
    files.sort();
    let listed: Vec<&str> = EXAMPLES.iter().map(|e| e.file).collect();
    assert_eq!(files, listed);
}

#[test]
fn examples_compute_what_the_reference_does_in_the_promised_cycles() {
    for example in EXAMPLES {
        let (file, vectors, limit) = (example.file, example.vectors, example.limit);
        let compiled = example.compile(10.0);
        let options = CosimOptions {
            vectors,
            ..CosimOptions::default()
        };
        let text = compiled.systemverilog();
        let report = cosim::cosim(&compiled.program, &compiled.manifest, &text, &options)
            .unwrap_or_else(|e| panic!("{file}: {}", fuzz::explained(&e)));
        if let Some(limit) = limit {
            let most = report.cycles.iter().max().copied().unwrap_or(0);
            assert!(
                most <= limit,
                "{file}: {most} cycles, at most {limit} expected"
            );
        }
    }
}

#[test]
fn examples_compute_the_same_at_other_clocks() {
    for period in [2.5, 5.0, 40.0] {
        for file in ["saxpy_f32", "histogram", "fir", "prefix_sum"] {
            let compiled = examples::find(file).compile(period);
            let options = CosimOptions {
                vectors: 4,
                ..CosimOptions::default()
            };
            let text = compiled.systemverilog();
            cosim::cosim(&compiled.program, &compiled.manifest, &text, &options)
                .unwrap_or_else(|e| panic!("{file}: {}", fuzz::explained(&e)));
        }
    }
}

/// Writes every example's text to a folder below `target`, which all tools can see.
fn emitted() -> (tempfile::TempDir, Vec<(String, String)>) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
    let mut files = Vec::new();
    for example in EXAMPLES {
        let name = format!("{}.sv", example.file);
        let text = example.compile(10.0).systemverilog();
        std::fs::write(folder.path().join(&name), text).expect("the folder is writable");
        files.push((name, example.top.to_string()));
    }
    (folder, files)
}

#[test]
fn verilator_lints_every_example_without_a_warning() {
    // Found as the co-simulation finds it; its absence is an error there.
    Verilator::find().unwrap_or_else(|e| panic!("{e:?}"));
    let Some(verilator) = tools::find_or_note("verilator") else {
        return;
    };
    let (folder, files) = emitted();
    let lint = ["--lint-only", "-Wall", "--top-module"];
    let calls = files
        .iter()
        .map(|(file, top)| (&*verilator, [&lint[..], &[top, file]].concat()));
    let said = said(folder.path(), &Vec::from_iter(calls)).unwrap_or_else(|e| panic!("{e}"));
    assert!(!said.contains("%Warning"), "{said}");
}

#[test]
fn yosys_synthesises_every_example() {
    let Some(yosys) = tools::find_or_note("yosys") else {
        return;
    };
    let (folder, files) = emitted();
    // One process for the small ones; its start takes longer than they do.
    let mut script = String::new();
    for (file, top) in files {
        script += &format!(
            "design -reset; read_verilog -sv {file}; synth -noabc -top {top}; check -assert; "
        );
    }
    let said = remembered(&script, folder.path(), || {
        let said = tools::run(folder.path(), &yosys, &["-q", "-p", &script])?;
        Ok(said.stderr.into())
    });
    let said = String::from_utf8(said.unwrap_or_else(|e| panic!("{e}"))).expect("text");
    assert!(!said.contains("Warning"), "{said}");
}

#[test]
fn icarus_accepts_every_example() {
    let Some(iverilog) = tools::find_or_note("iverilog") else {
        return;
    };
    let (folder, files) = emitted();
    let options = ["-g2012", "-t", "null", "-Wall", "-Wno-timescale", "-s"];
    let calls = files
        .iter()
        .map(|(file, top)| (&*iverilog, [&options[..], &[top, file]].concat()));
    let said = said(folder.path(), &Vec::from_iter(calls));
    assert_eq!(said, Ok(String::new()));
}

#[test]
fn slang_parses_every_example_as_a_block() {
    let Some(slang) = tools::find_or_note("slang") else {
        return;
    };
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
    let mut files = Vec::new();
    for example in EXAMPLES {
        let compiled = example.compile(10.0);
        for (kind, interface) in [("axi", Interface::Axi), ("axis", Interface::Axis)] {
            let options = Options {
                interface,
                ..Options::default()
            };
            // Not every order of accesses is one of a stream.
            let Ok((design, _)) = compiled.around(&options) else {
                continue;
            };
            let file = format!("{}_{kind}.sv", example.file);
            let text = rtl::systemverilog::print(&design);
            std::fs::write(folder.path().join(&file), text).expect("the folder is writable");
            files.push((file, example.top));
        }
    }
    let calls = files
        .iter()
        .map(|(file, top)| (&*slang, vec!["--top", top, file]));
    said(folder.path(), &Vec::from_iter(calls)).unwrap_or_else(|e| panic!("{e}"));
    assert!(files.len() > EXAMPLES.len(), "{} blocks", files.len());
}

#[test]
fn slang_accepts_every_example() {
    let Some(slang) = tools::find_or_note("slang") else {
        return;
    };
    let (folder, files) = emitted();
    // Arithmetic shifts and the like are unsigned again at once.
    let warnings = [
        "-Wextra",
        "-Wpedantic",
        "-Wconversion",
        "-Wno-sign-conversion",
        "-Werror",
        "--top",
    ];
    let calls = files
        .iter()
        .map(|(file, top)| (&*slang, [&warnings[..], &[top, file]].concat()));
    said(folder.path(), &Vec::from_iter(calls)).unwrap_or_else(|e| panic!("{e}"));
}
