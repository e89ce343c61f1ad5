//! What FuseSoC and LiteX want.

use super::bench::streams;
use super::{class, fill};
use crate::rtl::interface::block::{BlockKind, BlockManifest};
use std::fmt::Write as _;

/// A CAPI2 core: lint, simulation with cocotb in Verilator, synthesis for ECP5.
pub fn fusesoc(manifest: &BlockManifest) -> String {
    let name = &manifest.module;
    format!(
        "CAPI=2:
name: ::{name}:1.0.0
description: {name} with the interface {}

filesets:
  rtl:
    files:
      - rtl/{name}.sv: {{file_type: systemVerilogSource}}
  tb:
    files:
      - sim/sim_top.sv: {{file_type: systemVerilogSource}}
      - sim/test_block.py: {{file_type: user, copyto: test_block.py}}
      - sim/vectors.json: {{file_type: user, copyto: vectors.json}}
      - manifest.json: {{file_type: user, copyto: manifest.json}}

targets:
  default: &default
    filesets: [rtl]
    toplevel: {name}
  lint:
    <<: *default
    default_tool: verilator
    tools:
      verilator:
        mode: lint-only
        verilator_options: [-Wall]
  sim:
    filesets: [rtl, tb]
    toplevel: sim_top
    flow: sim
    flow_options:
      tool: verilator
      cocotb_module: test_block
      verilator_options: [--timing, -Wno-fatal, --x-initial, unique]
  ecp5:
    <<: *default
    default_tool: trellis
    tools:
      trellis:
        yosys_synth_options: [-abc9]
        nextpnr_options: [--85k, --package, CABGA756, --lpf-allow-unconstrained]
",
        manifest.interface
    )
}

/// A LiteX module.
pub fn litex(manifest: &BlockManifest) -> String {
    let truth = |value: bool| if value { "True" } else { "False" };
    let control = manifest
        .control
        .as_ref()
        .map_or("None".to_string(), |control| {
            control.address_width.to_string()
        });
    let mut masters = String::new();
    for master in &manifest.masters {
        let has = |signal: &str| truth(master.ports.contains_key(signal));
        let _ = write!(
            masters,
            "{:?}: ({}, {}, {}), ",
            master.bundle,
            master.data_width,
            has("arvalid"),
            has("awvalid")
        );
    }
    let mut ends = String::new();
    for (port, direction, width) in streams(manifest) {
        let frames = truth(matches!(port.kind, BlockKind::Array { .. }));
        let name = port.name.clone().unwrap_or_default();
        let _ = write!(ends, "{name:?}: ({direction:?}, {width}, {frames}), ");
    }
    fill(
        include_str!("templates/litex.py"),
        &[
            ("name", &manifest.module),
            ("class", &class(&manifest.module)),
            ("control", &control),
            (
                "masters",
                &format!("{{{}}}", masters.trim_end_matches(", ")),
            ),
            ("streams", &format!("{{{}}}", ends.trim_end_matches(", "))),
        ],
    )
}
