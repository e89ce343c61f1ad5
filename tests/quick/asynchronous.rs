//! Small memories that are read without a clock where a recurrence goes through a load: intervals, and that the netlist computes
//! what the reference does, in process and in Verilator.

use crate::{sim_modules, support};
use allo_hls::driver::{Compilation, Target};
use allo_hls::levels::Level;
use allo_hls::machine::program::{Leaf, LeafId};
use allo_hls::rtl::netlist::{Item, Memory};
use allo_hls::schedule::check::check;
use allo_hls::schedule::device::Device;
use allo_hls::sim::cosim::{self, CosimOptions, cosim_on};
use allo_hls::sim::inprocess::Netlist;

/// The next place is the element of this one.
const CHASE: &str = "
    t: u5[32]
    for i in range(32):
        t[i] = x[i]
    p: u5 = n
    for k in range(32):
        p = t[p]
        y[k] = p
    return p
";

/// Two memories, neither of which helps alone.
const MERGE: &str = "
    a: u5[16]
    b: u5[16]
    for s in range(16):
        a[s] = x[s]
        b[s] = x[s + 16]
    i: u5 = 0
    j: u5 = 0
    for k in range(32):
        if j >= 16 or (i < 16 and a[i] <= b[j]):
            y[k] = a[i]
            i += 1
        else:
            y[k] = b[j]
            j += 1
    return n
";

fn compiled(body: &str, target: &Target) -> Compilation {
    let head = "def top(x: \"u5[32]\", y: \"u5[32]\", n: u5) -> u5:";
    let text = format!("from allo import *\n\n@kernel\n{head}{body}");
    compared(support::hardware(&text, None, target))
}

/// The same hardware, which computes what the reference does.
fn compared(compiled: Compilation) -> Compilation {
    let (program, manifest) = (&compiled.program, &compiled.manifest);
    let options = CosimOptions::default();
    let engine = Netlist::new(&compiled.design, manifest).expect("a netlist");
    cosim_on(&engine, program, manifest, &options, &|_, _| ())
        .unwrap_or_else(|error| panic!("{error:?}"));
    if sim_modules::verilator().is_some() {
        let text = compiled.systemverilog();
        cosim::cosim(program, manifest, &text, &options)
            .unwrap_or_else(|error| panic!("{error:?}"));
    }
    compiled
}

fn target() -> Target {
    Target::new("ecp5", 10.0).expect("device")
}

fn longest_interval(compiled: &Compilation) -> Option<u32> {
    compiled
        .schedule
        .leaves
        .values()
        .filter_map(|times| times.ii)
        .max()
}

/// Memories inside, of all modules.
fn memories(compiled: &Compilation) -> impl Iterator<Item = &Memory> {
    let items = compiled
        .design
        .modules
        .values()
        .flat_map(|module| &module.items);
    items.filter_map(|item| match item {
        Item::Memory(memory) => Some(memory),
        _ => None,
    })
}

fn asynchronous(compiled: &Compilation) -> usize {
    memories(compiled)
        .filter(|memory| memory.reads.iter().all(|read| read.enable.is_none()))
        .count()
}

#[test]
fn recurrences_through_small_memories_take_a_cycle() {
    for (body, memories) in [(CHASE, 1), (MERGE, 2)] {
        let quick = compiled(body, &target());
        assert_eq!(
            (longest_interval(&quick), asynchronous(&quick)),
            (Some(1), memories),
            "{body}"
        );
        let mut without = target();
        without.device.memory.lut_ram = false;
        let slow = compiled(body, &without);
        assert!(longest_interval(&slow) > Some(1), "{body}");
        assert_eq!(asynchronous(&slow), 0, "{body}");
    }
}

/// Running sums: an iteration stores what a later one loads, and no load comes before that.
#[test]
fn sums_that_take_turns_are_loaded_after_they_are_stored() {
    let text = support::read(&support::root("rtl-tests/kernels/polybench/gemm.py"));
    let mut target = target();
    target.aim.level = Level::Two;
    let compiled = compared(support::hardware(&text, Some("gemm_f32"), &target));
    let mut leaves = compiled.hardware.leaves.values();
    let is_one = |leaf: &Leaf| {
        let of_it = |is_store| {
            let mut accesses = leaf.accesses.iter().filter(|one| one.is_store == is_store);
            accesses.any(|one| compiled.hardware.mems[one.mem].is_asynchronous)
        };
        of_it(true) && of_it(false)
    };
    assert!(leaves.any(is_one));
}

/// Only what was built is said.
#[test]
fn an_interval_that_is_reached_without_a_clock_is_not_said_to_be_missed() {
    let mut target = target();
    target.strict = true;
    let directive = allo_hls::directives::flag("pipeline", "k=1").expect("a directive");
    target.directives = vec![directive];
    let compiled = compiled(CHASE, &target);
    assert_eq!(
        (longest_interval(&compiled), asynchronous(&compiled)),
        (Some(1), 1)
    );
}

/// Two steps of it in a cycle: each load has a port of its own.
#[test]
fn loads_of_one_cycle_follow_one_another() {
    let mut target = target();
    target.aim.level = Level::Two;
    let compiled = compiled(CHASE, &target);
    let ports = memories(&compiled).map(|memory| memory.reads.len());
    assert_eq!(ports.max(), Some(2));
    let cycles = compiled.manifest.latency.max;
    assert!(cycles.is_some_and(|cycles| cycles < 40), "{cycles:?}");
}

/// What is read as early with a clock, and what is said to be something else.
#[test]
fn other_memories_are_read_with_a_clock() {
    let straight = "\n    t: u5[32]\n    for i in range(32):\n        t[i] = x[31 - i]\n    for k in range(32):\n        y[k] = t[31 - k] + n\n    return n\n";
    assert_eq!(asynchronous(&compiled(straight, &target())), 0);
    for (name, value) in [("storage", "t:bram"), ("ports", "t=1")] {
        let mut target = target();
        let directive = allo_hls::directives::flag(name, value).expect("a directive");
        target.directives = vec![directive];
        let compiled = compiled(CHASE, &target);
        assert_eq!(asynchronous(&compiled), 0, "{name}");
    }
}

/// The lookup and what stands before and behind it have to fit into the cycle together.
#[test]
fn the_checker_counts_the_delay_of_such_a_load() {
    let compiled = compiled(CHASE, &target());
    let device = Device::load("ecp5").expect("device");
    let loads = |leaf: LeafId| {
        let accesses = compiled.hardware.leaves[leaf].accesses.iter();
        let is_one = |mem| compiled.hardware.mems[mem].is_asynchronous;
        accesses.filter(move |access| !access.is_store && is_one(access.mem))
    };
    let mut tried = 0;
    for leaf in compiled.schedule.leaves.ids() {
        for load in loads(leaf) {
            let mut spoilt = compiled.schedule.clone();
            spoilt.leaves[leaf].times.arrival[load.node.index()] = 0.1;
            let refused = check(&compiled.hardware, &spoilt, &device);
            assert!(refused.is_err_and(|why| why.contains("stable after")));
            tried += 1;
        }
    }
    assert!(tried > 0);
}
