//! The tests of a package: invocations with the results of the reference, and what plays them, with cocotb or in C++.

use super::{File, fill};
use crate::ir::Program;
use crate::rtl::interface::block::{BlockManifest, BlockPort};
use crate::sim::elements::{Elements, State};
use crate::sim::reference::{self, Options};
use crate::sim::value::{Signature, Slot};
use crate::sim::vectors;
use serde_json::{Value as Json, json};
use std::fmt::Write as _;

/// Invocations and their results.
pub type Vectors = Json;

/// Operations that the reference may spend on an invocation.
const MOST_STEPS: u64 = 2_000_000;

/// Some invocations; those on which the kernel takes too long are left out.
pub fn vectors(program: &Program, count: usize, seed: u64) -> Vectors {
    let signature = Signature::of(program);
    let options = Options {
        step_limit: MOST_STEPS,
        ..Options::default()
    };
    let mut list = Vec::new();
    // One after the other after one reset.
    let mut state = State::new();
    for mut input in vectors::generate(&signature, count, seed) {
        input.state = state.clone();
        let Ok(outcome) = reference::run(program, &input, &options) else {
            continue;
        };
        state.clone_from(&outcome.state);
        let streams = |number: usize| outcome.cursors.get(&number).copied().unwrap_or(0);
        let mut before = serde_json::Map::new();
        let mut after = serde_json::Map::new();
        for (number, slot) in signature.params.iter().enumerate() {
            let count = if slot.is_stream() {
                streams(number)
            } else {
                slot.len()
            };
            before.insert(
                slot.name.clone(),
                patterns(slot, &input.args[number], count),
            );
            if slot.is_array() {
                after.insert(
                    slot.name.clone(),
                    patterns(slot, &outcome.params[number], count),
                );
            }
        }
        let mut returns = Vec::new();
        for (slot, result) in signature.results.iter().zip(&outcome.results) {
            match slot.is_array() {
                true => {
                    before.insert(slot.name.clone(), json!(vec![0; slot.len()]));
                    after.insert(slot.name.clone(), patterns(slot, result, slot.len()));
                }
                false => returns.push(patterns(slot, result, 1)),
            }
        }
        list.push(json!({"before": before, "after": after, "returns": returns}));
    }
    Json::Array(list)
}

/// Bit patterns, a list for an array; null where nothing is specified.
fn patterns(slot: &Slot, elements: &Elements, count: usize) -> Json {
    let pattern = |value: crate::sim::value::Value| match value.tainted {
        true => Json::Null,
        false => {
            let digits = value.pattern(slot.ty).to_string();
            serde_json::from_str(&digits).unwrap_or(Json::Null)
        }
    };
    match slot.is_array() {
        true => Json::Array(elements.iter().take(count).map(pattern).collect()),
        false => pattern(elements.get(0)),
    }
}

/// The files of the tests.
pub fn files(manifest: &BlockManifest, vectors: &Vectors) -> Vec<File> {
    let makefile = |template| fill(template, &[("name", &manifest.module)]);
    let native = [
        (
            "Makefile",
            makefile(include_str!("templates/bench/Makefile")),
        ),
        (
            "bench.cpp",
            include_str!("templates/bench/bench.cpp").into(),
        ),
        ("models.h", include_str!("templates/bench/models.h").into()),
        ("json.h", include_str!("templates/bench/json.h").into()),
        ("ports.h", members(manifest)),
        ("top.sv", numbered(manifest)),
    ];
    let native = native.map(|(name, text)| (format!("bench/{name}"), text));
    let cocotb = [
        (
            "sim/Makefile".into(),
            makefile(include_str!("templates/Makefile")),
        ),
        ("sim/sim_top.sv".into(), top(manifest)),
        (
            "sim/test_block.py".into(),
            include_str!("templates/test_block.py").into(),
        ),
        ("sim/vectors.json".into(), format!("{vectors}\n")),
    ];
    native.into_iter().chain(cocotb).collect()
}

/// The module around the block for C++, whose pins have numbers, as some of our names are words that Verilator changes.
fn numbered(manifest: &BlockManifest) -> String {
    let mut ports = Vec::new();
    let mut connections = Vec::new();
    for (number, (name, width, is_input)) in pins(manifest).into_iter().enumerate() {
        let direction = if is_input { "input " } else { "output" };
        let range = match width {
            1 => String::new(),
            _ => format!("[{}:0] ", width - 1),
        };
        ports.push(format!("    {direction} logic {range}p{number}"));
        connections.push(format!("        .{name}(p{number})"));
    }
    format!(
        "// The block with numbers as names of its pins.\nmodule bench_top (\n{}\n);\n    {} block (\n{}\n    );\nendmodule\n",
        ports.join(",\n"),
        manifest.module,
        connections.join(",\n")
    )
}

/// The pins of that module in C++ by the names of the block's.
fn members(manifest: &BlockManifest) -> String {
    let pins = pins(manifest).into_iter().enumerate();
    let pins = pins
        .map(|(number, (name, _, _))| format!("        {{\"{name}\", Pin(block.p{number})}},\n"));
    format!(
        "// The pins of the block by name.\n#ifndef PORTS_H\n#define PORTS_H\n\n#include \"Vblock.h\"\n#include \"models.h\"\n\n\
         inline Pins ports(Vblock &block) {{\n    return {{\n{}    }};\n}}\n\n#endif\n",
        pins.collect::<String>()
    )
}

/// A port of the block: name, width, whether it is an input.
pub type Pin = (String, u32, bool);

/// All ports, in the order of the interfaces.
pub fn pins(manifest: &BlockManifest) -> Vec<Pin> {
    let mut pins = vec![
        (manifest.clock.clone(), 1, true),
        (manifest.reset.port.clone(), 1, true),
    ];
    pins.extend(
        manifest
            .interrupt
            .iter()
            .chain(&manifest.frame_error)
            .map(|name| (name.clone(), 1, false)),
    );
    if let Some(control) = &manifest.control {
        for (signal, name) in &control.ports {
            pins.push((
                name.clone(),
                lite_width(signal, control.address_width),
                lite_input(signal),
            ));
        }
    }
    for master in &manifest.masters {
        for (signal, name) in &master.ports {
            pins.push((
                name.clone(),
                master_width(signal, master.data_width),
                master_input(signal),
            ));
        }
    }
    for (port, direction, width) in streams(manifest) {
        let Some(crate::rtl::interface::block::Via::Axis { ports, .. }) = port.via() else {
            continue;
        };
        for (signal, name) in ports {
            let bits = match signal.as_str() {
                "tdata" => width,
                "tkeep" => width / 8,
                _ => 1,
            };
            pins.push((
                name.clone(),
                bits,
                (signal == "tready") != (direction == "in"),
            ));
        }
    }
    pins
}

/// Streams: port, direction, width of the data.
pub fn streams(manifest: &BlockManifest) -> Vec<(&BlockPort, &'static str, u32)> {
    use crate::rtl::interface::block::Via;
    use crate::rtl::interface::manifest::Flow;
    let ports = manifest.args.iter().chain(&manifest.returns);
    let streams = ports.filter_map(|port| match port.via() {
        Some(Via::Axis {
            direction,
            tdata_width,
            ..
        }) => {
            let direction = if *direction == Flow::In { "in" } else { "out" };
            Some((port, direction, *tdata_width))
        }
        _ => None,
    });
    streams.collect()
}

fn lite_width(signal: &str, address: u32) -> u32 {
    match signal {
        "awaddr" | "araddr" => address,
        "wdata" | "rdata" => 32,
        "wstrb" => 4,
        "bresp" | "rresp" => 2,
        _ => 1,
    }
}

fn lite_input(signal: &str) -> bool {
    !matches!(
        signal,
        "awready" | "wready" | "bresp" | "bvalid" | "arready" | "rdata" | "rresp" | "rvalid"
    )
}

fn master_width(signal: &str, data: u32) -> u32 {
    match signal {
        "awaddr" | "araddr" => 64,
        "awlen" | "arlen" => 8,
        "awsize" | "arsize" => 3,
        "awburst" | "arburst" | "bresp" | "rresp" => 2,
        "wdata" | "rdata" => data,
        "wstrb" => data / 8,
        _ => 1,
    }
}

fn master_input(signal: &str) -> bool {
    let inputs = [
        "awready", "wready", "bresp", "bvalid", "arready", "rdata", "rresp", "rlast", "rvalid",
    ];
    inputs.contains(&signal)
}

/// The module around the block for models that want ids.
fn top(manifest: &BlockManifest) -> String {
    let mut ports = Vec::new();
    let mut inside = String::new();
    for (name, width, is_input) in pins(manifest) {
        let direction = if is_input { "input " } else { "output" };
        // The models measure TKEEP and ids, and wait for edges of others.
        let range = match width > 1 || name.ends_with("_tkeep") {
            true => format!("[{}:0] ", width - 1),
            false => String::new(),
        };
        ports.push(format!("    {direction} logic {range}{name}"));
    }
    for master in &manifest.masters {
        for (signal, has) in [
            ("awid", "awvalid"),
            ("arid", "arvalid"),
            ("bid", "bvalid"),
            ("rid", "rvalid"),
        ] {
            if !master.ports.contains_key(has) {
                continue;
            }
            let name = format!("m_axi_{}_{signal}", master.bundle);
            let is_output = signal.starts_with('a');
            let direction = if is_output { "output" } else { "input " };
            ports.push(format!("    {direction} logic [0:0] {name}"));
            if is_output {
                let _ = writeln!(inside, "    assign {name} = 1'b0;");
            }
        }
    }
    format!(
        "// {} with ids for models that want them.\nmodule sim_top (\n{}\n);\n{inside}    {} block (.*);\nendmodule\n",
        manifest.module,
        ports.join(",\n"),
        manifest.module
    )
}
