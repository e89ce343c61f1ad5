//! One design and its stimuli, run by different simulators that report all outputs of every cycle.

use crate::remembered::remembered;
use crate::tools;
use allo_hls::rtl::netlist::*;
use allo_hls::rtl::{systemverilog, text};
use allo_hls::sim::rtl::Simulator;
use num_bigint::BigUint;
use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

/// Values of input ports.
pub type Env = HashMap<NetId, BigUint>;

/// Values of all outputs, in order of ports, for each cycle.
pub type Trace = Vec<Vec<BigUint>>;

/// The top module of a design with input values for each cycle. If it has a clock, every cycle ends in an edge.
#[derive(Clone, Debug)]
pub struct Bench {
    /// The design; its last module is the top.
    pub design: Design,
    /// Inputs but for the clock, by cycle.
    pub vectors: Vec<Env>,
    /// The text to simulate, named as [`Bench::file`].
    pub text: String,
}

impl Bench {
    /// A bench of the design's own SystemVerilog.
    pub fn new(design: Design, vectors: Vec<Env>) -> Bench {
        let text = systemverilog::print(&design);
        Bench {
            design,
            vectors,
            text,
        }
    }

    /// The top module.
    pub fn module(&self) -> &Module {
        let top = self.design.top().expect("the design has a module");
        &self.design.modules[top]
    }

    /// Name of the text's file; no module is named like it.
    pub fn file(&self) -> String {
        "out.sv".to_string()
    }

    /// Writes the text into `folder`.
    pub fn write(&self, folder: &Path) {
        write(folder, &self.file(), &self.text);
    }

    /// Runs the in-process simulator.
    pub fn in_process(&self) -> Trace {
        let top = self.design.top().expect("the design has a module");
        let mut simulator = Simulator::new(&self.design, top, 1).expect("a simulator");
        let mut trace = Vec::new();
        for env in &self.vectors {
            for (net, value) in env {
                let signal = simulator.signal(self.name(*net)).expect("an input");
                simulator.set_big(signal, value);
            }
            let outputs = self.ports(Direction::Output);
            let values = outputs.into_iter().map(|net| {
                let signal = simulator.signal(self.name(net)).expect("an output");
                simulator.get_big(signal)
            });
            trace.push(values.collect());
            simulator.step();
        }
        trace
    }

    /// Runs Verilator, if it is installed.
    pub fn verilator(&self, folder: &Path) -> Option<Trace> {
        let verilator = tools::find_or_note("verilator")?;
        self.write(folder);
        write(folder, "main.cpp", &self.harness());
        let top = &self.module().name;
        let file = self.file();
        let args = [
            "--cc",
            "--exe",
            "--build",
            "-j",
            "2",
            "--prefix",
            "Vtop",
            "--top-module",
            top,
            "-MAKEFLAGS",
            // The build on PyPI does not know how its compiler includes a precompiled header.
            "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0 CFG_CXXFLAGS_PCH_I=-include",
            "--Mdir",
            "obj",
            "-o",
            "run",
            "main.cpp",
            &file,
        ];
        let printed = remembered(include_str!("bench.rs"), folder, || {
            tools::run(folder, &verilator, &args)?;
            let said = tools::run(folder, &folder.join("obj/run"), &[])?;
            Ok(said.stdout.into())
        });
        let printed = printed.expect("a simulation with results");
        Some(self.parse(&String::from_utf8_lossy(&printed)))
    }

    /// Runs Icarus Verilog, if it is installed.
    pub fn icarus(&self, folder: &Path) -> Option<Trace> {
        let iverilog = tools::find_or_note("iverilog")?;
        let vvp = tools::find_or_note("vvp")?;
        self.write(folder);
        write(folder, "bench.sv", &self.test_bench());
        let file = self.file();
        let args = [
            "-g2012",
            "-Wall",
            "-Wno-timescale",
            "-s",
            "bench",
            "-o",
            "run.vvp",
            "bench.sv",
            &file,
        ];
        let said = tools::run(folder, &iverilog, &args).expect("a simulation");
        assert_eq!(said.stderr, "");
        let said = tools::run(folder, &vvp, &["run.vvp"]).expect("results");
        Some(self.parse(&said.stdout))
    }

    /// The simulator printed one hexadecimal line an output and cycle; a line with unknown bits is worth 0.
    fn parse(&self, printed: &str) -> Trace {
        let count = self.ports(Direction::Output).len();
        let values: Vec<BigUint> = printed
            .lines()
            .map(|line| BigUint::parse_bytes(line.trim().as_bytes(), 16).unwrap_or_default())
            .collect();
        assert_eq!(values.len(), count * self.vectors.len());
        values.chunks(count).map(<[BigUint]>::to_vec).collect()
    }

    fn ports(&self, direction: Direction) -> Vec<NetId> {
        let module = self.module();
        let ports = module.ports.iter();
        ports
            .filter(|port| port.direction == direction && Some(port.net) != module.clock)
            .map(|port| port.net)
            .collect()
    }

    fn name(&self, net: NetId) -> &str {
        &self.module().nets[net].name
    }

    fn width(&self, net: NetId) -> u32 {
        self.module().nets[net].width
    }

    /// A main function for Verilator.
    fn harness(&self) -> String {
        let inputs = self.ports(Direction::Input);
        let mut text = String::from(HARNESS);
        for env in &self.vectors {
            for input in &inputs {
                let mut words = env[input].to_u32_digits();
                words.resize(self.width(*input).div_ceil(32) as usize, 0);
                let words: Vec<String> = words.iter().map(|word| format!("0x{word:x}u")).collect();
                line(&mut text, &format!("    {{{}}},", words.join(", ")));
            }
        }
        line(&mut text, "};");
        line(&mut text, "int main() {");
        line(&mut text, "    VerilatedContext context;");
        line(&mut text, "    Vtop top{&context};");
        line(
            &mut text,
            "    for (std::size_t at = 0; at < vectors.size();) {",
        );
        for input in &inputs {
            let name = self.name(*input);
            line(
                &mut text,
                &format!("        set(top.{name}, vectors[at++]);"),
            );
        }
        let clock = self.module().clock.map(|net| self.name(net));
        if let Some(clock) = clock {
            line(&mut text, &format!("        top.{clock} = 0;"));
        }
        line(&mut text, "        top.eval();");
        for output in self.ports(Direction::Output) {
            line(
                &mut text,
                &format!("        put(top.{});", self.name(output)),
            );
        }
        if let Some(clock) = clock {
            line(
                &mut text,
                &format!("        top.{clock} = 1;\n        top.eval();"),
            );
        }
        line(&mut text, "    }\n    return 0;\n}");
        text
    }

    /// A test bench in SystemVerilog.
    fn test_bench(&self) -> String {
        let module = self.module();
        let mut text = String::from("module bench;\n");
        for port in &module.ports {
            let (name, width) = (self.name(port.net), self.width(port.net));
            line(&mut text, &format!("    logic [{}:0] {name};", width - 1));
        }
        line(&mut text, &format!("    {} dut (.*);", module.name));
        line(&mut text, "    initial begin");
        let clock = module.clock.map(|net| self.name(net));
        for env in &self.vectors {
            if let Some(clock) = clock {
                line(&mut text, &format!("        {clock} = 0;"));
            }
            for input in self.ports(Direction::Input) {
                let value = text::literal(self.width(input), &env[&input]);
                line(
                    &mut text,
                    &format!("        {} = {value};", self.name(input)),
                );
            }
            line(&mut text, "        #1 show;");
            if let Some(clock) = clock {
                line(&mut text, &format!("        {clock} = 1; #1;"));
            }
        }
        line(&mut text, "        $finish;\n    end\n    task show;");
        for output in self.ports(Direction::Output) {
            let name = self.name(output);
            line(&mut text, &format!("        $display(\"%h\", {name});"));
        }
        line(&mut text, "    endtask\nendmodule");
        text
    }
}

const HARNESS: &str = r#"#include "Vtop.h"
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
"#;

fn line(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("a string takes text");
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("a file in the temporary folder");
}
