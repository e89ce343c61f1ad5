//! The hardware as a netlist of modules, and its texts: SystemVerilog, Veryl, the manifest.

pub mod clean;
pub mod elaborate;
pub mod interface;
mod layout;
pub mod namer;
pub mod netlist;
pub mod print;
pub mod systemverilog;
pub mod text;
pub mod validate;
pub mod veryl;
