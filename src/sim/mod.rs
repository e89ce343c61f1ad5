//! The judge: the software reference, argument files, test vectors, Verilator, co-simulation.
//!
//! [`mod@reference`] interprets the `ir` with exact integers and a float arithmetic of its own
//! ([`softfloat`], which shares nothing with the `hwarith` room). [`verilator`] runs the emitted
//! SystemVerilog behind the protocol of the interface specification; [`inprocess`] runs the netlist that it was
//! printed from, cycle for cycle alike, without any tool. [`cosim`] gives the reference and one of these engines
//! the same inputs and compares bit for bit.

pub mod args;
mod bench;
pub mod block;
pub mod constants;
pub mod cosim;
pub mod coverage;
mod deadlock;
pub mod decimal;
pub mod depths;
pub mod draw;
pub mod elementary;
pub mod elements;
pub mod engine;
pub mod exact;
pub mod formats;
pub mod functions;
pub mod inprocess;
pub mod integer;
mod interpreter;
pub mod locate;
pub mod model;
mod network;
pub mod npy;
pub mod npz;
pub mod operands;
pub mod operations;
pub mod outcome;
pub mod reference;
pub mod rtl;
pub mod selfcheck;
pub mod shell;
pub mod softfloat;
mod sparse;
pub mod timed;
pub mod value;
pub mod vectors;
pub mod verilator;
pub mod waveform;
