//! Streams operands through emitted operator modules in Verilator, many modules in one simulation.

use crate::remembered::remembered;
use crate::tools;
use allo_hls::driver::OperatorModule;
use allo_hls::ir::Scalar;
use allo_hls::rtl;
use allo_hls::rtl::interface::manifest::PortKind;
use std::fmt::Write as _;
use std::path::Path;

/// A module with the operands that it is given, one tuple a cycle.
pub struct Stream {
    /// The module.
    pub module: OperatorModule,
    /// Type of its operands.
    pub operands: Scalar,
}

/// What the modules answer: for each the results of the tuples in which it starts, by position.
pub type Answers = Vec<Vec<(usize, u64)>>;

/// Runs all streams together. `inputs` gives for each type the tuples of operands, all of the same number.
///
/// Panics if Verilator fails; `None` if it is not installed.
pub fn run(
    folder: &Path,
    streams: &[Stream],
    inputs: &[(Scalar, Vec<Vec<u128>>)],
) -> Option<Answers> {
    let verilator = tools::find_or_note("verilator")?;
    let count = inputs[0].1.len();
    let latencies = streams.iter().map(|s| s.module.manifest.latency as usize);
    let cycles = count + latencies.max().unwrap_or(0);
    let write =
        |name: &str, text: &[u8]| std::fs::write(folder.join(name), text).expect("writable");
    write("stream.sv", top(streams, inputs).as_bytes());
    write(
        "main.cpp",
        harness(streams, inputs.len(), cycles).as_bytes(),
    );
    write("in.bin", &operands(inputs, cycles));
    let arguments = [
        "--cc",
        "--exe",
        "--build",
        "-Wno-fatal",
        "-O1",
        "-MAKEFLAGS",
        // The build on PyPI does not know how its compiler includes a precompiled header.
        "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0 CFG_CXXFLAGS_PCH_I=-include",
        "--top-module",
        "stream",
        "stream.sv",
        "main.cpp",
    ];
    let results = remembered(include_str!("stream.rs"), folder, || {
        tools::run(folder, &verilator, &arguments)?;
        tools::run(folder, &folder.join("obj_dir/Vstream"), &[])?;
        std::fs::read(folder.join("out.bin")).map_err(|error| format!("out.bin: {error}"))
    });
    let results = results.expect("Verilator builds the modules and the simulation runs");
    let word = |cycle: usize, stream: usize| {
        let at = 8 * (cycle * streams.len() + stream);
        u64::from_le_bytes(results[at..at + 8].try_into().expect("eight bytes"))
    };
    let answers = streams.iter().enumerate().map(|(k, stream)| {
        let manifest = &stream.module.manifest;
        let starts = (0..count).step_by(manifest.ii as usize);
        starts
            .map(|start| (start, word(start + manifest.latency as usize, k)))
            .collect()
    });
    Some(answers.collect())
}

/// All modules, and one that instantiates each of them.
fn top(streams: &[Stream], inputs: &[(Scalar, Vec<Vec<u128>>)]) -> String {
    let mut text = String::new();
    for stream in streams {
        text += &rtl::systemverilog::print(&stream.module.design);
    }
    text += "/* verilator lint_off UNUSEDSIGNAL */\nmodule stream (input logic clk";
    for (i, _) in inputs.iter().enumerate() {
        for port in ["a", "b", "c"] {
            let _ = write!(text, ", input logic [63:0] {port}{i}");
        }
    }
    for (k, _) in streams.iter().enumerate() {
        let _ = write!(text, ", input logic s{k}, output logic [63:0] r{k}");
    }
    text += ");\n";
    for (k, stream) in streams.iter().enumerate() {
        let manifest = &stream.module.manifest;
        let kind = inputs.iter().position(|(ty, _)| *ty == stream.operands);
        let kind = kind.expect("there are operands of the type");
        let mut pins: Vec<String> = Vec::new();
        pins.extend(manifest.clock.iter().map(|clock| format!(".{clock}(clk)")));
        pins.extend(manifest.start.iter().map(|start| format!(".{start}(s{k})")));
        let port_of = |kind: &PortKind| match kind {
            PortKind::Scalar { port, width, .. } => (port.clone(), *width),
            _ => unreachable!("operators have scalars"),
        };
        for (operand, name) in manifest.operands.iter().zip(["a", "b", "c"]) {
            let (port, width) = port_of(&operand.kind);
            pins.push(format!(".{port}({name}{kind}[{}:0])", width - 1));
        }
        let (port, width) = port_of(&manifest.result.kind);
        pins.push(format!(".{port}(r{k}[{}:0])", width - 1));
        if width < 64 {
            let _ = writeln!(text, "  assign r{k}[63:{width}] = '0;");
        }
        let _ = writeln!(text, "  {} u{k} ({});", manifest.module, pins.join(", "));
    }
    text + "endmodule\n"
}

fn harness(streams: &[Stream], kinds: usize, cycles: usize) -> String {
    let mut drive = String::new();
    for i in 0..kinds {
        for (j, port) in ["a", "b", "c"].iter().enumerate() {
            let _ = writeln!(
                drive,
                "    dut.{port}{i} = in[t * {} + {}];",
                3 * kinds,
                3 * i + j
            );
        }
    }
    let mut read = String::new();
    for (k, stream) in streams.iter().enumerate() {
        let _ = writeln!(
            drive,
            "    dut.s{k} = t % {} == 0;",
            stream.module.manifest.ii
        );
        let _ = writeln!(read, "    word = dut.r{k}; fwrite(&word, 8, 1, out);");
    }
    format!(
        r#"#include "Vstream.h"
#include <cstdint>
#include <cstdio>
#include <vector>
int main() {{
  std::vector<uint64_t> in({});
  FILE* file = fopen("in.bin", "rb");
  if (fread(in.data(), 8, in.size(), file) != in.size()) return 1;
  FILE* out = fopen("out.bin", "wb");
  Vstream dut;
  uint64_t word;
  for (int t = 0; t < {cycles}; ++t) {{
    dut.clk = 0;
{drive}    dut.eval();
{read}    dut.clk = 1;
    dut.eval();
  }}
  return fclose(out);
}}
"#,
        cycles * 3 * kinds
    )
}

/// The operands of each cycle, little-endian words; zeros once they have run out.
fn operands(inputs: &[(Scalar, Vec<Vec<u128>>)], cycles: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for cycle in 0..cycles {
        for (_, tuples) in inputs {
            for j in 0..3 {
                let value = tuples.get(cycle).and_then(|t| t.get(j)).copied();
                bytes.extend((value.unwrap_or(0) as u64).to_le_bytes());
            }
        }
    }
    bytes
}
