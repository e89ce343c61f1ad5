//! The module around the one under test, and the part of the harness that knows its ports.

use crate::ir::Scalar;
use crate::rtl::interface::manifest::{Manifest, MemoryPort, Port, PortKind};
use crate::sim::engine::{EngineError, Result};
use std::fmt::Write as _;

/// Name of the module around the one under test.
pub(super) const BENCH: &str = "allo_hls_bench";

/// Ports of a module in the order in which the harness handles them. Inside the bench they have
/// plain names, so that no name of the module can collide with one of C++ or of the harness.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Parameters, then results.
    pub(super) arrays: Vec<ArrayLayout>,
    /// How many of the arrays are parameters.
    pub(super) given: usize,
    pub(super) scalars: Vec<Wire>,
    pub(super) returns: Vec<Wire>,
    pub(super) memories: Vec<MemoryLayout>,
}

#[derive(Clone, Debug)]
pub(super) struct Wire {
    /// Its name on the module.
    pub(super) port: String,
    pub(super) width: u32,
}

#[derive(Clone, Debug)]
pub(super) struct ArrayLayout {
    pub(super) port: Port,
    pub(super) ty: Scalar,
    pub(super) length: usize,
}

#[derive(Clone, Debug)]
pub(super) struct MemoryLayout {
    /// Which of [`Layout::arrays`].
    pub(super) array: usize,
    pub(super) bank: u64,
    /// For messages.
    pub(super) name: String,
    pub(super) depth: u64,
    pub(super) width: u32,
    pub(super) lanes: Vec<MemoryPort>,
}

pub(super) fn words(width: u32) -> usize {
    width.div_ceil(32) as usize
}

impl Layout {
    pub(super) fn of(manifest: &Manifest) -> Result<Layout> {
        let wrong = |why: String| Err(EngineError::Manifest(why));
        if manifest.interface != "ap" {
            return wrong(format!(
                "interface '{}' cannot be driven",
                manifest.interface
            ));
        }
        let mut layout = Layout {
            arrays: Vec::new(),
            given: 0,
            scalars: Vec::new(),
            returns: Vec::new(),
            memories: Vec::new(),
        };
        let ports = manifest.args.iter().chain(&manifest.returns);
        for (number, port) in ports.enumerate() {
            let is_given = number < manifest.args.len();
            match &port.kind {
                PortKind::Scalar { width, port, .. } => {
                    let wires = match is_given {
                        true => &mut layout.scalars,
                        false => &mut layout.returns,
                    };
                    wires.push(Wire {
                        port: port.clone(),
                        width: *width,
                    });
                }
                PortKind::Stream { .. } => {
                    // Engines see a module around it: see `shell`.
                    return wrong("a stream has no memory".into());
                }
                PortKind::Array { ty, width, .. } => {
                    layout.given += usize::from(is_given);
                    let named = Scalar::named(ty).filter(|ty| ty.width() == *width);
                    layout.arrays.push(ArrayLayout {
                        ty: named.unwrap_or(Scalar::unsigned(*width)),
                        length: port.shape().unwrap_or_default().iter().product::<u64>() as usize,
                        port: port.clone(),
                    });
                }
            }
            for bank in port.banks() {
                let base = port.name.as_deref().unwrap_or("ap_return");
                let name = match port.banks().len() {
                    1 => base.to_string(),
                    _ => format!("{base} (bank {})", bank.bank),
                };
                if bank.ports.is_empty() || bank.ports.len() > 2 {
                    return wrong(format!("{name} has {} ports", bank.ports.len()));
                }
                let mut lanes = bank.ports.iter();
                if lanes.any(|p| p.we.is_some() != p.d.is_some()) {
                    return wrong(format!("a port of {name} has only one of we and d"));
                }
                layout.memories.push(MemoryLayout {
                    array: layout.arrays.len() - 1,
                    bank: bank.bank,
                    name,
                    depth: bank.depth,
                    width: port.width(),
                    lanes: bank.ports.clone(),
                });
            }
        }
        Ok(layout)
    }

    /// The module around the one under test.
    pub(super) fn bench(&self, manifest: &Manifest) -> String {
        let mut declared = Vec::new();
        let mut connected = Vec::new();
        let mut connect = |direction: &str, width: u32, plain: String, port: &str| {
            declared.push(format!("  {direction} logic [{}:0] {plain}", width - 1));
            connected.push(format!("    .{port}({plain})"));
        };
        connect("input", 1, "clk".into(), &manifest.clock);
        connect("input", 1, "start".into(), &manifest.control.start);
        connect("output", 1, "done".into(), &manifest.control.done);
        connect("output", 1, "idle".into(), &manifest.control.idle);
        connect("output", 1, "ready".into(), &manifest.control.ready);
        for (i, wire) in self.scalars.iter().enumerate() {
            connect("input", wire.width, format!("s{i}"), &wire.port);
        }
        for (i, wire) in self.returns.iter().enumerate() {
            connect("output", wire.width, format!("r{i}"), &wire.port);
        }
        for (i, memory) in self.memories.iter().enumerate() {
            let address = address_width(memory.depth);
            for (k, lane) in memory.lanes.iter().enumerate() {
                let plain = |what: &str| format!("m{i}_{k}_{what}");
                connect("output", address, plain("address"), &lane.address);
                connect("output", 1, plain("ce"), &lane.ce);
                if let Some(q) = &lane.q {
                    connect("input", memory.width, plain("q"), q);
                }
                if let (Some(we), Some(d)) = (&lane.we, &lane.d) {
                    connect("output", 1, plain("we"), we);
                    connect("output", memory.width, plain("d"), d);
                }
            }
        }
        declared.push("  input logic [0:0] rst".into());
        let reset = if manifest.reset.active == "low" {
            "~rst"
        } else {
            "rst"
        };
        connected.push(format!("    .{}({reset})", manifest.reset.port));
        format!(
            "module {BENCH} (\n{}\n);\n  {} dut (\n{}\n  );\nendmodule\n",
            declared.join(",\n"),
            manifest.module,
            connected.join(",\n")
        )
    }

    /// The part of the harness that knows the ports.
    pub(super) fn ports(&self) -> String {
        let mut out = String::new();
        let total = |wires: &[Wire]| wires.iter().map(|w| words(w.width)).sum::<usize>();
        for (name, value) in [
            ("SCALARS", self.scalars.len()),
            ("SCALAR_WORDS", total(&self.scalars)),
            ("RETURN_WORDS", total(&self.returns)),
            ("MEMORIES", self.memories.len()),
        ] {
            let _ = writeln!(out, "static const unsigned {name} = {value};");
        }
        let widths = self.scalars.iter().map(|w| format!("{}, ", w.width));
        let widths: String = widths.collect();
        let _ = writeln!(
            out,
            "static const unsigned scalar_widths[] = {{{widths}0}};"
        );
        let mut function = |head: &str, lines: Vec<String>| {
            let _ = writeln!(out, "static void {head} {{\n{}}}", lines.concat());
        };
        let each_wire = |wires: &[Wire], call: &str, plain: char| {
            let mut at = 0;
            let mut lines = Vec::new();
            for (i, wire) in wires.iter().enumerate() {
                lines.push(format!("    {call}(t.{plain}{i}, w + {at});\n"));
                at += words(wire.width);
            }
            lines
        };
        function(
            "drive_scalars(Vtb& t, const Word* w)",
            each_wire(&self.scalars, "put", 's'),
        );
        function(
            "sample_returns(Vtb& t, Word* w)",
            each_wire(&self.returns, "get", 'r'),
        );
        let describe = self.memories.iter().enumerate().map(|(i, m)| {
            format!(
                "    m[{i}].name = {:?}; m[{i}].depth = {}ull; m[{i}].width = {}; m[{i}].lanes = {};\n",
                m.name,
                m.depth,
                m.width,
                m.lanes.len()
            )
        });
        function("describe_memories(Memory* m)", describe.collect());
        let lanes = || {
            self.memories.iter().enumerate().flat_map(|(i, memory)| {
                let lanes = memory.lanes.iter().enumerate();
                lanes
                    .map(move |(k, lane)| (format!("m{i}_{k}_"), format!("m[{i}].lane[{k}]"), lane))
            })
        };
        let drive = lanes()
            .filter(|(_, _, lane)| lane.q.is_some())
            .map(|(plain, at, _)| format!("    put(t.{plain}q, {at}.q.data());\n"));
        function("drive_lanes(Vtb& t, Memory* m)", drive.collect());
        let sample = lanes().map(|(plain, at, lane)| {
            let mut line = format!(
                "    if (({at}.ce = t.{plain}ce)) {{ {at}.address = uint64_t(t.{plain}address);"
            );
            if lane.we.is_some() {
                let _ = write!(
                    line,
                    " if (({at}.we = t.{plain}we)) get(t.{plain}d, {at}.d.data());"
                );
            }
            line + " }\n"
        });
        function("sample_lanes(Vtb& t, Memory* m)", sample.collect());
        out
    }
}

/// `max(1, ceil(log2 n))`.
fn address_width(depth: u64) -> u32 {
    (u64::BITS - depth.saturating_sub(1).leading_zeros()).max(1)
}
