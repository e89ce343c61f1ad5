//! The hardware as a netlist of modules, and its texts: SystemVerilog, Veryl, the manifest.

pub mod clean;
pub mod manifest;
pub mod namer;
pub mod netlist;
pub mod validate;
