//! The hardware as a netlist of modules, and its texts: SystemVerilog, Veryl, the manifest.

pub mod build;
pub mod clean;
mod layout;
pub mod manifest;
pub mod namer;
pub mod netlist;
pub mod operator;
pub mod print;
pub mod systemverilog;
pub mod text;
pub mod validate;
pub mod veryl;
#[cfg(feature = "veryl")]
pub mod veryl_backend;
