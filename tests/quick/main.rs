//! The tests of this package, in one program; those that take long or measure themselves are beside it.

mod bind;
mod blocks;
mod check_command;
mod composed;
mod corpus;
mod directives;
mod emit;
mod extending;
mod frontend_python;
mod levels;
mod locality;
mod networks;
mod partitions;
#[path = "../planted/mod.rs"]
mod planted;
mod report;
mod restructure;
mod rolled;
mod schedule;
mod scheduled;
mod sim_builder;
mod sim_cli;
mod sim_cosim;
mod sim_modules;
mod sim_reference;
mod sim_rtl;
mod sim_verilator;
mod states;
mod storage;
mod support;
mod texts;
mod transform;
mod typeof_command;
mod typing;
