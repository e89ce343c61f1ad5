//! The netlist that Yosys makes of a module, in its generic cells, computes what the reference does, in the same cycles.

use allo_hls::sim::cosim::{self, CosimOptions};
use rtl_tests::examples;
use rtl_tests::tools;

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
    tools::run(folder.path(), &yosys, &["-q", "-p", &script]).unwrap_or_else(|e| panic!("{e}"));
    for (name, compiled) in &compiled {
        let text = std::fs::read_to_string(folder.path().join(format!("{name}.v")));
        let text = text.expect("Yosys wrote it");
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
