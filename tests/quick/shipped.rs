//! Networks, and kernels of vectors and tiles, that are shipped: each computes what the plain kernel beside it does, in the cycles that its page promises.

use crate::support;
use allo_hls::driver::{Compilation, Target};
use allo_hls::ir::Program;
use allo_hls::sim::cosim::simulate;
use allo_hls::sim::elements::{Between, Invocation};
use allo_hls::sim::inprocess::Netlist;
use allo_hls::sim::reference::{Options, Prepared};
use allo_hls::sim::selfcheck::Budget;
use allo_hls::sim::value::Signature;
use allo_hls::sim::{args, shell, vectors};

/// File, network, and the most cycles of an invocation at 100 MHz where no stream pauses.
const NETWORKS: [(&str, &str, u64); 11] = [
    ("bitonic", "bitonic_sort", 290),
    ("convolution", "convolution", 250),
    ("depthwise", "depthwise", 280),
    ("iir", "low_pass", 105),
    ("image", "edge_histogram", 4270),
    ("packed", "matmul_packed", 140),
    ("packets", "packet_counts", 90),
    ("smith_waterman", "alignment", 100),
    ("systolic", "matmul_8x8", 165),
    ("tiled", "matmul_tiled", 2600),
    ("weights", "matmul_weights", 135),
];

/// The same of kernels in the style of PTO.
const PTO: [(&str, &str, u64); 4] = [
    ("attention", "attention", 3700),
    ("axpy", "axpy", 450),
    ("layout", "layout", 1100),
    ("quantise", "quantise", 2400),
];

fn text(file: &str) -> String {
    support::read(&support::root(&format!("examples/{file}.py")))
}

fn built(file: &str, top: &str) -> Compilation {
    let target = Target {
        check: Budget::OFF,
        ..Target::new("ecp5", 10.0).expect("device")
    };
    support::hardware(&text(file), Some(top), &target)
}

/// What a kernel makes of invocations that follow one another, by its reference.
fn meant(program: &Program, inputs: &[Invocation]) -> Vec<String> {
    let reference = Prepared::of(program).expect("a program");
    let outcomes = reference.run_list(inputs, Between::Nothing, &Options::default());
    let outcomes = outcomes.unwrap_or_else(|error| panic!("{}", error.to_diagnostic().message));
    let signature = Signature::of(program);
    let shown = outcomes.1.into_iter().map(|mut outcome| {
        // Of streams, what was transferred.
        for (&number, &count) in &outcome.cursors {
            outcome.params[number] = outcome.params[number].beginning(count);
        }
        args::results_json(&signature, &outcome.params, &outcome.results, false).to_string()
    });
    shown.collect()
}

/// The same by hardware, and the most cycles that one takes.
fn computed(compiled: &Compilation, inputs: &[Invocation]) -> (Vec<String>, u64) {
    let signature = Signature::of(&compiled.program);
    let (design, manifest) = shell::around(&compiled.design, &compiled.manifest).expect("a shell");
    let engine = Netlist::new(&design, &manifest).expect("a netlist");
    let (program, manifest) = (&compiled.program, &compiled.manifest);
    let inputs = (inputs, Between::Nothing);
    let ran = simulate(program, manifest, &engine, inputs, 20_000).expect("an end");
    let shown = ran
        .iter()
        .map(|one| args::results_json(&signature, &one.params, &one.results, false).to_string());
    let most = ran.iter().map(|one| one.cycles).max().unwrap_or(0);
    (shown.collect(), most)
}

/// What `examples/matmul_tile.py` computes, whose file is that of one kernel.
const PLAIN_PRODUCT: &str = "
from allo import *
from allo.pto import *

@kernel(options=KernelOptions(typing_style=\"pto\", profile=\"a5\"))
def plain(a: \"bf16[16, 16]\", b: \"bf16[16, 16]\", o: \"f32[16, 16]\"):
    for i in range(16):
        for j in range(16):
            total: f32 = 0.0
            for k in range(16):
                total = total + tcvt(a[i, k], f32) * tcvt(b[k, j], f32)
            o[i, j] = total
";

/// A kernel computes what a plain one does, in no more cycles than are said.
fn compare(file: &str, top: &str, plain: &str, limit: u64) {
    let compiled = built(file, top);
    let plain = support::program(plain, Some("plain"));
    let inputs = vectors::generate(&Signature::of(&plain), 3, 5);
    let expected = meant(&plain, &inputs);
    let (found, cycles) = computed(&compiled, &inputs);
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found, expected, "{file}");
    }
    assert!(cycles <= limit, "{file}: {cycles} cycles");
}

/// Each file of a folder computes what its kernel `plain` does.
fn check(folder: &str, kernels: &[(&str, &str, u64)]) {
    let files = support::files(&format!("examples/{folder}"), "py");
    let mut files: Vec<String> = files.iter().map(|path| support::stem(path)).collect();
    files.sort();
    assert!(
        files.iter().eq(kernels.iter().map(|(file, ..)| file)),
        "{files:?}"
    );
    for (file, top, limit) in kernels {
        let file = format!("{folder}/{file}");
        compare(&file, top, &text(&file), *limit);
    }
}

#[test]
fn each_network_computes_what_its_plain_kernel_does() {
    check("networks", &NETWORKS);
}

#[test]
fn each_kernel_of_vectors_and_tiles_computes_what_its_plain_one_does() {
    check("pto", &PTO);
    compare("matmul_tile", "matmul", PLAIN_PRODUCT, 2_100);
}

/// A packet that is right, one that is wrong, one that begins in the first invocation and ends in the second.
#[test]
fn packets_are_told_apart_wherever_they_are_cut() {
    let compiled = built("networks/packets", "packet_counts");
    let mut bytes: Vec<u32> = vec![3, 2, 10, 20, 35, 7, 1, 9, 0];
    // Packets of kind 5 without data, of three bytes each, of which the last one is cut.
    while bytes.len() < 128 {
        bytes.extend([5, 0, 5]);
    }
    let invocations: Vec<String> = bytes[..128]
        .chunks(64)
        .map(|part| format!(r#"{{"data": {part:?}, "counts": {:?}}}"#, [0; 16]))
        .collect();
    let signature = Signature::of(&compiled.program);
    let inputs = format!("[{}]", invocations.join(", "));
    let inputs = args::read_json(&signature, &inputs).expect("arguments");
    let (found, _) = computed(&compiled, &inputs);
    // (64 - 9) / 3 and (128 - 9) / 3.
    for (found, (wrong, seen)) in found.iter().zip([("[7]", 18), ("[]", 39)]) {
        let counts = format!("[0,0,0,1,0,{seen},0");
        assert!(found.contains(&counts), "{found}");
        assert!(found.contains(&format!(r#""wrong":{wrong}"#)), "{found}");
    }
}
