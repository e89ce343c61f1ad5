//! What several tests do: find files, compile them, compare a text with the kept one.

use allo_hls::diagnostics::{FileId, SourceMap};
use allo_hls::driver::{self, Compilation, Target};
use allo_hls::frontend;
use allo_hls::ir::{Kernel, Program};
use allo_hls::rtl::netlist::Item;
use allo_hls::transform::{PASSES, invariants, scalar_expansion};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A path of the repository.
pub fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The files in a folder of the repository that have an ending, in order.
pub fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut found = files_below(folder, ending);
    found.retain(|path| path.parent() == Some(&*root(folder)));
    found
}

/// The same with those in folders of that folder.
pub fn files_below(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "no .{ending} in {folder}");
    found
}

/// The name of a file without its ending.
pub fn stem(path: &Path) -> String {
    path.file_stem().expect("a name").to_string_lossy().into()
}

pub fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A text as the only source, by the name of a file.
pub fn source(name: &str, text: &str) -> (SourceMap, FileId) {
    let mut sources = SourceMap::default();
    let file = sources.add(name, text);
    (sources, file)
}

/// The kernel of an example: the only one, or that of the same name.
pub fn top_of(example: &str) -> Option<&str> {
    (example == "called").then_some(example)
}

/// The `ir` of a text.
pub fn program(text: &str, top: Option<&str>) -> Program {
    let (mut sources, file) = source("kernel.py", text);
    match frontend::compile(&mut sources, file, top) {
        Ok(compiled) => compiled.program,
        Err(errors) => panic!("{}", errors.render(&sources, false)),
    }
}

/// The hardware of a text.
pub fn hardware(text: &str, top: Option<&str>, target: &Target) -> Compilation {
    let (mut sources, file) = source("kernel.py", text);
    driver::compile(&mut sources, file, top, target)
        .unwrap_or_else(|errors| panic!("{}", errors.render(&sources, false)))
}

/// The hardware of a text for ecp5 at a clock period in ns.
pub fn ecp5(text: &str, top: Option<&str>, period: f64) -> Compilation {
    hardware(text, top, &Target::new("ecp5", period).expect("a device"))
}

/// Runs the program in the root folder.
pub fn allo_hls(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_allo-hls"))
        .current_dir(root(""))
        .args(args)
        .output()
        .expect("runs")
}

/// Whether this run rewrites what is kept.
pub fn is_update() -> bool {
    std::env::var_os("UPDATE_EXPECT").is_some()
}

/// How a text differs from the one that a file keeps; `UPDATE_EXPECT=1` keeps the new one.
pub fn difference(path: &Path, text: &str) -> Result<(), String> {
    let kept = fs::read_to_string(path).unwrap_or_default();
    let kept = kept.replace("\r\n", "\n");
    if kept == text {
        return Ok(());
    }
    if is_update() {
        fs::write(path, text).expect("writable");
        return Ok(());
    }
    let at = text.lines().zip(kept.lines()).take_while(|(a, b)| a == b);
    let line = at.count();
    let rest = |text: &str| -> String {
        let lines = text.lines().skip(line).take(12);
        lines.map(|line| format!("    {line}\n")).collect()
    };
    Err(format!(
        "{}:{}: differs; if that is meant, run with UPDATE_EXPECT=1\n  kept\n{}  now\n{}",
        path.display(),
        line + 1,
        rest(&kept),
        rest(text),
    ))
}

/// Instances of the operators whose names begin like that.
pub fn instances(compilation: &Compilation, name: &str) -> usize {
    instances_of(compilation, |module| module.starts_with(name))
}

/// Instances of the modules of such names.
pub fn instances_of(compilation: &Compilation, is_it: impl Fn(&str) -> bool) -> usize {
    let modules = compilation.design.modules.values();
    let instances = modules.flat_map(|module| &module.items).filter(|item| {
        let Item::Instance(instance) = item else {
            return false;
        };
        is_it(&compilation.design.modules[instance.module].name)
    });
    instances.count()
}

/// All passes by name: those of the pipeline, and those that make loops of their own before the widest level directs them.
pub fn passes() -> impl Iterator<Item = (&'static str, fn(&mut Kernel))> {
    let of_pipeline = PASSES.iter().map(|pass| (pass.name, pass.run));
    let wide: [(_, fn(&mut Kernel)); 2] = [
        ("cut_around_loops", scalar_expansion::run_wide),
        ("invariants", |kernel| invariants::run(kernel, 1 << 20)),
    ];
    of_pipeline.chain(wide)
}
