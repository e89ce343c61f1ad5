//! Tools that must have nothing to say about a file.

use crate::remembered::remembered;
use crate::tools::{find_or_note, run};
use std::path::Path;

/// This file, on which answers depend.
const ASKED: &str = include_str!("lint.rs");

/// `verilator --lint-only -Wall` must say nothing.
pub fn verilator(folder: &Path, file: &str, top: &str) -> Result<(), String> {
    let Some(verilator) = find_or_note("verilator") else {
        return Ok(());
    };
    let args = ["--lint-only", "-Wall", "--top-module", top, file];
    remembered(&format!("{ASKED} lint {file} {top}"), folder, || {
        let said = run(folder, &verilator, &args)?;
        // Newer versions report their own statistics.
        let complaints: String = said.stderr.clone() + &said.stdout;
        match complaints.contains("%Warning") || complaints.contains("%Error") {
            true => Err(complaints),
            false => Ok(Vec::new()),
        }
    })?;
    Ok(())
}

/// Yosys must read and synthesise the file without a warning.
pub fn yosys(folder: &Path, file: &str, top: &str) -> Result<(), String> {
    let Some(yosys) = find_or_note("yosys") else {
        return Ok(());
    };
    let script = format!("read_verilog -sv {file}; synth -top {top}; check -assert");
    remembered(&format!("{ASKED} {script}"), folder, || {
        let said = run(folder, &yosys, &["-p", &script])?;
        let warnings: Vec<&str> = said
            .stdout
            .lines()
            .chain(said.stderr.lines())
            .filter(|line| line.contains("Warning:"))
            .collect();
        match warnings.is_empty() {
            true => Ok(Vec::new()),
            false => Err(warnings.join("\n")),
        }
    })?;
    Ok(())
}
