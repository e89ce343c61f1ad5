//! What memories are: their ports, what they are made of, and that neither changes a bit.

use crate::directives::compile_text;
use allo_hls::codes;
use allo_hls::directives;
use allo_hls::driver::Compilation;
use allo_hls::rtl::interface::manifest::PortKind;
use allo_hls::rtl::netlist::{Item, Memory};
use allo_hls::schedule::{check::check, device::Device};
use allo_hls::sim::selfcheck::Checked;

/// Two loads of a parameter, of a local array and of a table in each iteration.
const KERNEL: &str = "
from allo import *

TABLE = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3]

@kernel
def inner(v: \"i16[16]\", w: \"i16[8]\"):
    for p in range(8):
        w[p] += v[2 * p] - v[2 * p + 1]

@kernel
def top(x: \"i16[16]\", y: \"i16[8]\", k: u4) -> \"i16[8]\":
    t: u4[16] = TABLE
    z: i16[16]
    for i in range(16):
        z[i] = x[(i + k) % 16] + 1
    for j in range(8):
        y[j] += x[2 * j] * x[2 * j + 1]
    for m in range(8):
        y[m] -= z[(m + k) % 16] * z[m + 8]
    for n in range(8):
        y[n] += t[(n + k) % 16] * t[n + 8]
    inner(z, y)
    r: i16[8] = y
    return r
";

fn built(flags: &[(&str, &str)]) -> Compilation {
    let compiled = compile_text(KERNEL, flags, false);
    let compiled = compiled.unwrap_or_else(|why| panic!("{flags:?}: {why}"));
    assert!(
        !matches!(compiled.checked, Checked::Not(_)),
        "{flags:?}: {:?}",
        compiled.checked
    );
    compiled
}

fn refused(flags: &[(&str, &str)]) -> String {
    match compile_text(KERNEL, flags, false) {
        Ok(_) => panic!("{flags:?} is carried out"),
        Err(why) => why,
    }
}

/// Port groups of each bank of a parameter.
fn groups(compiled: &Compilation, name: &str) -> Vec<usize> {
    let mut args = compiled.manifest.args.iter();
    let port = args.find(|port| port.name.as_deref() == Some(name));
    match &port.expect("the parameter").kind {
        PortKind::Array { banks, .. } => banks.iter().map(|bank| bank.ports.len()).collect(),
        PortKind::Scalar { .. } => panic!("'{name}' is no array"),
    }
}

/// The memories inside whose names begin so.
fn memories<'c>(compiled: &'c Compilation, name: &str) -> Vec<&'c Memory> {
    let modules = compiled.design.modules.values();
    let memories = modules.flat_map(|module| &module.items).filter_map(|item| {
        let Item::Memory(memory) = item else {
            return None;
        };
        memory.name.starts_with(name).then_some(memory)
    });
    memories.collect()
}

fn interval(compiled: &Compilation, label: &str) -> Option<u64> {
    let mut loops = compiled.manifest.loops.iter();
    loops.find(|one| one.name == label).expect("the loop").ii
}

#[test]
fn an_array_has_the_ports_that_it_may_have() {
    let plain = built(&[]);
    assert_eq!(groups(&plain, "x"), [2]);
    assert_eq!(interval(&plain, "j"), Some(1));
    let limited = built(&[("ports", "x=1"), ("ports", "z=1"), ("ports", "t=1")]);
    assert_eq!(groups(&limited, "x"), [1]);
    let intervals = ["i", "j", "m", "n"].map(|label| interval(&limited, label));
    assert_eq!(intervals, [1, 2, 2, 2].map(Some));
    for name in ["z_mem", "t_mem"] {
        let reads = |compiled| memories(compiled, name).iter().map(|m| m.reads.len()).sum();
        let reads: [usize; 2] = [reads(&plain), reads(&limited)];
        assert_eq!(reads, [2, 1], "{name}");
    }
    let two = built(&[("ports", "x=2")]);
    assert_eq!(two.systemverilog(), plain.systemverilog());
}

/// A port that the array may not have is none, though the memory could have it.
#[test]
fn the_checker_refuses_a_port_beyond_the_limit() {
    let compiled = built(&[("ports", "x=1")]);
    let device = Device::load("ecp5").expect("device");
    let mut tried = 0;
    for (leaf, schedule) in compiled.schedule.leaves.iter() {
        let accesses = compiled.hardware.leaves[leaf].accesses.iter();
        for (at, access) in accesses.enumerate() {
            let is_x = compiled.hardware.mems[access.mem].name == "x";
            if !is_x || schedule.ports[at] > 0 {
                continue;
            }
            let mut changed = compiled.schedule.clone();
            changed.leaves[leaf].ports[at] = 1;
            check(&compiled.hardware, &changed, &device).expect_err("it has one port");
            tried += 1;
        }
    }
    assert_eq!(tried, 3);
}

/// Each bank of a partition is a memory with the ports that the array may have.
#[test]
fn banks_have_the_ports_of_their_array() {
    let compiled = built(&[
        ("partition", "x:cyclic:2"),
        ("ports", "x=1"),
        ("ports", "ap_return=1"),
    ]);
    assert_eq!(groups(&compiled, "x"), [1, 1]);
    assert_eq!(interval(&compiled, "j"), Some(1));
}

/// A parameter stands for the arrays that are passed.
#[test]
fn a_limit_of_a_parameter_is_one_of_what_is_passed() {
    let compiled = built(&[("ports", "inner/v=1"), ("ports", "inner/w=2")]);
    assert_eq!(interval(&compiled, "p"), Some(2));
    assert_eq!(interval(&compiled, "m"), Some(2));
    assert_eq!(memories(&compiled, "z_mem")[0].reads.len(), 1);
}

#[test]
fn an_interval_that_the_ports_forbid_names_them() {
    let flags = [("ports", "x=1"), ("pipeline", "j=1")];
    let compiled = built(&flags);
    let mut warnings = compiled.warnings.0.iter();
    let warning = warnings.find(|one| one.code == codes::INTERVAL);
    assert_eq!(
        warning.expect("a warning").message,
        "--pipeline j=1: the least initiation interval is 2, which is taken; bound by memory port x"
    );
    assert!(compile_text(KERNEL, &flags, true).is_err());
}

#[test]
fn files_say_of_arrays_what_flags_say() {
    let flags = [("ports", "x=1")];
    let text = "[[directive]]\nkind = \"ports\"\narray = \"x\"\nports = 1\n\n";
    let said = flags.map(|(name, value)| directives::flag(name, value).expect("a directive"));
    assert_eq!(directives::to_toml(&said), text);
    assert_eq!(directives::read(text), Ok(said.to_vec()));
    let shown = said.each_ref().map(ToString::to_string);
    let flags = flags.map(|(name, value)| format!("--{name} {value}"));
    assert_eq!(shown, flags);
}

#[test]
fn limits_of_ports_are_refused_out_of_range_and_twice() {
    assert_eq!(
        refused(&[("ports", "x=3")]),
        "--ports x=3: an array has 1 to 2 ports"
    );
    assert_eq!(
        refused(&[("ports", "x=1"), ("ports", "x=1")]),
        "--ports x=1: an earlier directive says something else of it"
    );
    assert_eq!(
        refused(&[("ports", "x")]),
        "a number of ports is needed after '='"
    );
    assert_eq!(refused(&[("ports", "=1")]), "an array is needed");
}
