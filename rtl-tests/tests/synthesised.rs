//! The netlist that Yosys makes of a module, in its generic cells, computes what the reference does, in the same cycles.

use allo_hls::diagnostics::SourceMap;
use allo_hls::directives;
use allo_hls::driver::{self, Target};
use allo_hls::sim::cosim::{self, CosimOptions};
use rtl_tests::examples;
use rtl_tests::remembered::remembered;
use rtl_tests::tools;
use std::path::Path;

/// Examples whose gates are few enough to simulate.
const SMALL: &[&str] = &[
    "called",
    "choose",
    "clamp",
    "classify",
    "count",
    "dot_i32",
    "fill",
    "prefix_sum",
    "saxpy_f32",
];

/// The netlists that a script of Yosys writes to these files.
fn synthesised(folder: &Path, yosys: &Path, script: &str, files: &[String]) -> Vec<String> {
    let answer = remembered(
        &format!("{} {script}", include_str!("synthesised.rs")),
        folder,
        || {
            tools::run(folder, yosys, &["-q", "-p", script])?;
            let text = |file| std::fs::read_to_string(folder.join(file)).map_err(|e| e.to_string());
            let texts: Result<Vec<String>, String> = files.iter().map(text).collect();
            serde_json::to_vec(&texts?).map_err(|e| e.to_string())
        },
    );
    let texts = answer.unwrap_or_else(|e| panic!("{e}"));
    serde_json::from_slice(&texts).expect("a list of texts")
}

#[test]
fn gates_compute_what_the_reference_does() {
    let Some(yosys) = tools::find_or_note("yosys") else {
        return;
    };
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
    let compiled: Vec<_> = SMALL
        .iter()
        .map(|name| (*name, examples::find(name).compile(10.0)))
        .collect();
    // One net for each bit: Verilator 5.006 goes wrong on vectors whose bits depend on one another.
    let mut script = String::new();
    for (name, compiled) in &compiled {
        let file = folder.path().join(format!("{name}.sv"));
        std::fs::write(file, compiled.systemverilog()).expect("the folder is writable");
        let top = &compiled.manifest.module;
        script += &format!(
            "design -reset; read_verilog -sv {name}.sv; synth -flatten -noabc -top {top}; splitnets; \
             write_verilog -noattr {name}.v; "
        );
    }
    let files: Vec<_> = SMALL.iter().map(|name| format!("{name}.v")).collect();
    let texts = synthesised(folder.path(), &yosys, &script, &files);
    for ((name, compiled), text) in compiled.iter().zip(texts) {
        // Gates, not operators on words.
        assert!(!text.contains(" * ") && !text.contains(" + "), "{name}");
        let options = CosimOptions {
            vectors: 8,
            seed: 7,
            ..CosimOptions::default()
        };
        let report = cosim::cosim(&compiled.program, &compiled.manifest, &text, &options)
            .unwrap_or_else(|e| panic!("{name}: {}", e.to_diagnostic().message));
        assert!(report.compared > 0, "{name}");
    }
}

/// Directives say what memories are made of, and Yosys finds the cells of an ECP5 for them.
#[test]
fn memories_become_the_cells_that_are_directed() {
    let Some(yosys) = tools::find_or_note("yosys") else {
        return;
    };
    let text = "from allo import *\n\nTABLE = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3]\n\n@kernel\n\
                def top(x: \"i16[16]\", k: u4) -> i16:\n    t: u4[16] = TABLE\n    z: i16[16]\n    \
                for i in range(16):\n        z[i] = x[(i + k) % 16] + 1\n    s: i16 = 0\n    \
                for j in range(8):\n        s += z[(j * 5 + k) % 16] + t[(j + k) % 16]\n    return s\n";
    // Blocks, and RAM of lookup tables.
    let cases: [(&[&str], _); 5] = [
        (&[], (0, true)),
        (&["z:bram"], (1, false)),
        (&["z:bram", "t:bram:ROM_1P"], (2, false)),
        (&["z:lutram", "t:bram"], (1, true)),
        (&["z:register"], (0, false)),
    ];
    for (storage, expected) in cases {
        let mut target = Target::new("ecp5", 10.0).expect("device");
        let directive = |what: &&str| directives::flag("storage", what).expect("a directive");
        target.directives = storage.iter().map(directive).collect();
        let mut sources = SourceMap::default();
        let file = sources.add("kernel.py", text);
        let compiled = driver::compile(&mut sources, file, Some("top"), &target);
        let compiled = compiled.unwrap_or_else(|e| panic!("{}", e.render(&sources, false)));
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
        std::fs::write(folder.path().join("top.sv"), compiled.systemverilog()).expect("writable");
        let script = "read_verilog -sv top.sv; synth_ecp5 -top top; write_verilog -noattr top.v";
        let cells = &synthesised(folder.path(), &yosys, script, &["top.v".into()])[0];
        let blocks = cells.matches("DP16KD #(").count();
        let has_tables = cells.contains("TRELLIS_DPR16X4");
        assert_eq!((blocks, has_tables), expected, "{storage:?}");
    }
}
