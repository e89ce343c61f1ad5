//! The hardware as a netlist of modules, and its texts: SystemVerilog, Veryl, the manifest.

pub mod area;
pub mod axi;
pub mod clean;
pub mod delay_lines;
pub mod elaborate;
pub(crate) mod flatten;
pub mod foreign;
mod inline;
pub mod interface;
mod layout;
pub mod lut_ram;
pub mod namer;
pub mod netlist;
pub(crate) mod order;
pub mod print;
pub mod replicas;
pub mod slices;
mod stages;
pub mod systemverilog;
pub mod text;
pub mod validate;
pub mod veryl;
