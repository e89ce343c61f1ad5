//! allo-hls: Allo kernels in, pipelined SystemVerilog out.
//!
//! The rooms, in the direction of flow: [`frontend`] (Python text to typed kernel), [`ir`] (the
//! kernel), [`transform`] (kernel to better kernel), [`hwarith`] (integers of exact width), [`units`] (operators made of
//! them), [`machine`] (regions and memories over them), [`schedule`] (a cycle and a unit for every operation), [`rtl`]
//! (netlist and text), [`sim`] (the judge), [`prove`] (a judge without samples), [`report`] (what is known of a
//! build). A room imports only from those before it, and [`diagnostics`].

// The command line names the library as any other program does.
extern crate self as allo_hls;

pub use ::diagnostics;

pub mod arena;
pub mod cli;
pub mod codes;
pub mod counts;
pub mod directives;
pub mod driver;
pub mod frontend;
pub mod hash;
pub mod hwarith;
pub mod ir;
pub mod levels;
pub mod machine;
pub mod memo;
pub mod package;
pub mod parallel;
pub mod progress;
pub mod prove;
pub mod random;
pub mod report;
pub mod rtl;
pub mod schedule;
pub mod sim;
pub mod transform;
pub mod units;
