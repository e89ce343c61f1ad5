//! Every kind of expression at many widths: the emitted text and the simulators against exact integers.

use allo_hls::rtl::netlist::*;
use allo_hls::rtl::{systemverilog, validate};
use num_bigint::BigUint;
use rtl_tests::expressions::{Env, Suite};
use rtl_tests::tools;
use std::fmt::Write;
use std::path::Path;

const TOP: &str = "expressions";
const VECTORS: usize = 40;

#[test]
fn the_suite_is_valid() {
    let suite = Suite::new();
    validate::validate(&suite.design).expect("a valid netlist");
}

#[test]
fn verilator_agrees_and_has_no_complaint() {
    let suite = Suite::new();
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(
        folder.path(),
        "expressions.sv",
        &systemverilog::print(&suite.design),
    );
    tools::verilator_lint(folder.path(), "expressions.sv", TOP).expect("a clean lint");
    let Some(verilator) = tools::find_or_note("verilator") else {
        return;
    };
    let vectors = suite.vectors(VECTORS);
    write(folder.path(), "main.cpp", &harness(&suite, &vectors));
    let args = [
        "--cc",
        "--exe",
        "--build",
        "-O1",
        "-j",
        "2",
        "--top-module",
        TOP,
        "-Wno-fatal",
        "-MAKEFLAGS",
        "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0",
        "--Mdir",
        "obj",
        "-o",
        "run",
        "main.cpp",
        "expressions.sv",
    ];
    tools::run(folder.path(), &verilator, &args).expect("a simulation");
    let program = folder.path().join("obj/run");
    let said = tools::run(folder.path(), &program, &[]).expect("results");
    compare(&suite, &vectors, &said.stdout);
}

#[test]
fn icarus_agrees() {
    let Some(iverilog) = tools::find_or_note("iverilog") else {
        return;
    };
    let suite = Suite::new();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let vectors = suite.vectors(VECTORS);
    write(
        folder.path(),
        "expressions.sv",
        &systemverilog::print(&suite.design),
    );
    write(folder.path(), "bench.sv", &bench(&suite, &vectors));
    let args = [
        "-g2012",
        "-Wall",
        "-Wno-timescale",
        "-s",
        "bench",
        "-o",
        "run",
        "bench.sv",
        "expressions.sv",
    ];
    let said = tools::run(folder.path(), &iverilog, &args).expect("a simulation");
    assert_eq!(said.stderr, "");
    let program = folder.path().join("run");
    let said = tools::run(
        folder.path(),
        Path::new("vvp"),
        &[&program.to_string_lossy()],
    );
    compare(&suite, &vectors, &said.expect("results").stdout);
}

#[test]
fn yosys_synthesises() {
    let suite = Suite::of_widths(&[1, 5]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(
        folder.path(),
        "expressions.sv",
        &systemverilog::print(&suite.design),
    );
    tools::yosys_synth(folder.path(), "expressions.sv", TOP).expect("synthesis");
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("a file in the temporary folder");
}

/// The simulator printed one hexadecimal line an output and vector.
fn compare(suite: &Suite, vectors: &[Env], printed: &str) {
    let mut lines = printed.lines();
    for env in vectors {
        for case in &suite.cases {
            let line = lines.next().expect("a line for each output");
            let found = BigUint::parse_bytes(line.trim().as_bytes(), 16);
            assert_eq!(
                found,
                Some(suite.expected(case, env)),
                "{:?} printed {line} at {:x?}",
                case,
                operands(suite, case.expr.operands(), env),
            );
        }
    }
    assert_eq!(lines.next(), None);
}

fn operands(suite: &Suite, operands: Vec<Operand>, env: &Env) -> Vec<(u32, BigUint)> {
    let value = |operand: Operand| match operand {
        Operand::Net(net) => (suite.module().nets[net].width, env[&net].clone()),
        Operand::Const { width, value } => (width, value),
    };
    operands.into_iter().map(value).collect()
}

fn name(suite: &Suite, net: NetId) -> &str {
    &suite.module().nets[net].name
}

/// Applies all vectors and prints the outputs after each.
fn harness(suite: &Suite, vectors: &[Env]) -> String {
    let mut text = String::from(
        r#"#include "Vexpressions.h"
#include "verilated.h"
#include <cstdio>
#include <vector>
static void set(CData& port, const std::vector<EData>& words) { port = words[0]; }
static void set(SData& port, const std::vector<EData>& words) { port = words[0]; }
static void set(IData& port, const std::vector<EData>& words) { port = words[0]; }
static void set(QData& port, const std::vector<EData>& words) { port = QData(words[1]) << 32 | words[0]; }
template <std::size_t N> static void set(VlWide<N>& port, const std::vector<EData>& words) {
    for (std::size_t i = 0; i < N; ++i) port[i] = words[i];
}
static void put(QData value) { std::printf("%llx\n", (unsigned long long)value); }
template <std::size_t N> static void put(const VlWide<N>& port) {
    for (std::size_t i = N; i-- > 0;) std::printf("%08x", port[i]);
    std::printf("\n");
}
static const std::vector<std::vector<EData>> vectors = {
"#,
    );
    for env in vectors {
        for input in &suite.inputs {
            let width = suite.module().nets[*input].width;
            let mut words = env[input].to_u32_digits();
            words.resize(width.div_ceil(32) as usize, 0);
            let words: Vec<String> = words.iter().map(|word| format!("0x{word:x}u")).collect();
            writeln!(text, "    {{{}}},", words.join(", ")).expect("text");
        }
    }
    text.push_str(
        "};\nint main() {\n    VerilatedContext context;\n    Vexpressions top{&context};\n",
    );
    writeln!(
        text,
        "    for (std::size_t at = 0; at < vectors.size();) {{"
    )
    .expect("text");
    for input in &suite.inputs {
        writeln!(
            text,
            "        set(top.{}, vectors[at++]);",
            name(suite, *input)
        )
        .expect("text");
    }
    text.push_str("        top.eval();\n");
    for case in &suite.cases {
        writeln!(text, "        put(top.{});", name(suite, case.out)).expect("text");
    }
    text.push_str("    }\n    return 0;\n}\n");
    text
}

/// The same as a SystemVerilog test bench.
fn bench(suite: &Suite, vectors: &[Env]) -> String {
    let mut text = String::from("module bench;\n");
    for (_, net) in suite.module().nets.iter() {
        writeln!(text, "    logic [{}:0] {};", net.width - 1, net.name).expect("text");
    }
    text.push_str("    expressions dut (.*);\n    initial begin\n");
    for env in vectors {
        for input in &suite.inputs {
            let width = suite.module().nets[*input].width;
            let value = systemverilog::literal(width, &env[input]);
            writeln!(text, "        {} = {value};", name(suite, *input)).expect("text");
        }
        text.push_str("        #1 show;\n");
    }
    text.push_str("        $finish;\n    end\n    task show;\n");
    for case in &suite.cases {
        writeln!(text, "        $display(\"%h\", {});", name(suite, case.out)).expect("text");
    }
    text.push_str("    endtask\nendmodule\n");
    text
}
