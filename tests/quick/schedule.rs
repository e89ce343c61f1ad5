//! The scheduler: intervals and latencies of the examples, every schedule checked, the checker checked.

use crate::{directives, support};
use allo_hls::diagnostics::Diagnostics;
use allo_hls::driver::{Compilation, Target};
use allo_hls::hwarith::graph::UnitId;
use allo_hls::hwarith::{NodeId, Op};
use allo_hls::machine::program::LeafId;
use allo_hls::rtl::interface::manifest::Manifest;
use allo_hls::rtl::netlist::Item;
use allo_hls::schedule::{LeafSchedule, Schedule, check::check, device::Device, schedule};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Clock periods in ns: 25, 50, 100, 200 and 400 MHz.
const PERIODS: [f64; 5] = [40.0, 20.0, 10.0, 5.0, 2.5];

fn examples() -> Vec<String> {
    let paths = support::files("examples", "py");
    paths.iter().map(|path| support::stem(path)).collect()
}

/// An example at 100 MHz on ecp5.
fn compile(name: &str) -> Compilation {
    compile_without(name, &[])
}

/// The same without some of the passes.
fn compile_without(name: &str, skip: &[&str]) -> Compilation {
    let text = support::read(&support::root(&format!("examples/{name}.py")));
    let mut target = Target::new("ecp5", 10.0).expect("device");
    target.skip = skip.iter().map(|s| s.to_string()).collect();
    support::hardware(&text, support::top_of(name), &target)
}

/// Interval of each pipelined loop, in order, and the greatest latency.
fn figures(name: &str) -> (Vec<u64>, Option<u64>) {
    let manifest = compile(name).manifest;
    let intervals = manifest.loops.iter().filter_map(|l| l.ii).collect();
    (intervals, manifest.latency.max)
}

fn assert_figures(name: &str, intervals: &[u64], latency: u64) {
    let (got, cycles) = figures(name);
    assert_eq!(got, intervals, "{name}");
    let cycles = cycles.unwrap_or_else(|| panic!("{name}: no latency"));
    assert!(
        cycles <= latency,
        "{name} takes {cycles} cycles, not {latency}"
    );
}

#[test]
fn saxpy_starts_an_element_every_cycle() {
    assert_figures("saxpy_i32", &[1], 24);
    assert_figures("saxpy_f32", &[1], 36);
}

#[test]
fn loops_that_exclude_one_another_share_their_operators() {
    let compiled = kernel("shared_operators");
    // The product that a loop carries is an operator of its own.
    assert_eq!(support::instances(&compiled, "fmul_e"), 1);
    assert_eq!(support::instances(&compiled, "fmul_late"), 1);
    // So is the quotient, of the faster kind; the loop and the block around it share another one.
    assert_eq!(support::instances(&compiled, "fdiv"), 2);
    assert_eq!(support::instances(&compiled, "fdiv_e8f23_fast_shared"), 1);
    // The last loop has two sums in each iteration.
    assert_eq!(support::instances(&compiled, "fadd_e"), 2);
    let schedule = &compiled.schedule;
    verdict(&compiled, schedule).expect("a valid schedule");
    for (leaf, node) in shared_calls(schedule) {
        let mut broken = schedule.clone();
        broken.leaves[leaf].instances[node] = Some(7);
        verdict(&compiled, &broken).expect_err("there is no such instance");
        broken.leaves[leaf].instances[node] = None;
        verdict(&compiled, &broken).expect_err("nor one of its own");
    }
}

/// A kernel of `rtl-tests/kernels` at 100 MHz on ecp5.
fn kernel(name: &str) -> Compilation {
    let path = support::root(&format!("rtl-tests/kernels/{name}.py"));
    let target = Target::new("ecp5", 10.0).expect("device");
    support::hardware(&support::read(&path), None, &target)
}

#[test]
fn a_sum_that_a_loop_carries_is_not_packed_in_between() {
    let text = "
from allo import *

@kernel
def top(a: \"f32[64]\") -> f32:
    total: f32 = 0.0
    for i in range(64):
        total += a[i]
    return total
";
    for (mhz, interval) in [(100.0, 2), (50.0, 1)] {
        let target = Target::new("ecp5", 1000.0 / mhz).expect("device");
        let compiled = support::hardware(text, None, &target);
        let leaves = compiled.schedule.leaves.values();
        let intervals: Vec<u32> = leaves.filter_map(|leaf| leaf.ii).collect();
        assert_eq!(intervals, [interval], "at {mhz} MHz");
        // What is read after the loop is packed there.
        assert_eq!(compiled.manifest.returns.len(), 1);
    }
}

#[test]
fn an_instance_that_is_left_without_calls_is_not_built() {
    let compiled = kernel("idle_instance");
    let mut used = BTreeSet::new();
    for (leaf, schedule) in compiled.schedule.leaves.iter() {
        let nodes = compiled.hardware.leaves[leaf].graph.nodes.iter();
        for ((_, node), instance) in nodes.zip(&schedule.instances) {
            if let (Op::Call(unit), Some(instance)) = (&node.op, instance) {
                used.insert((*unit, *instance));
            }
        }
    }
    let built = ["fmul", "fadd"].map(|name| support::instances(&compiled, name));
    assert_eq!(built.iter().sum::<usize>(), used.len());
}

#[test]
fn loops_that_exclude_one_another_share_a_rolled_operator() {
    let compiled = kernel("shared_rolled");
    assert_eq!(support::instances(&compiled, "div_"), 1);
    assert_eq!(support::instances(&compiled, "div_ui32_ui32_rolled"), 1);
}

/// A choice among all operands of a short cycle would be too long for one instance.
#[test]
fn calls_are_spread_evenly_over_the_instances_that_there_are() {
    let text = "
from allo import *

@kernel
def top(x: \"f32[64]\", y: \"f32[64]\", z: \"f32[4]\"):
    for i in range(16):
        y[4 * i] = x[4 * i] * 3.0
        y[4 * i + 1] = x[4 * i + 1] * 5.0
        y[4 * i + 2] = x[4 * i + 2] * 7.0
        y[4 * i + 3] = x[4 * i + 3] * 9.0
    z[0] = z[0] * y[3]
    z[1] = z[1] * y[5]
    z[2] = z[2] * y[7]
    z[3] = z[3] * y[9]
";
    let partitions = ["x:complete", "y:complete", "z:complete"];
    let flags = partitions.map(|split| ("partition", split));
    let target = directives::target(&flags).expect("directives");
    let compiled = directives::checked_for(
        text,
        &Target {
            period: 4.0,
            ..target
        },
    );
    let variants = compiled.schedule.units.values();
    let mut variants = variants.flat_map(|unit| &unit.variants);
    assert!(variants.any(|variant| variant.shared.is_some_and(|shared| shared.is_even)));
    assert_eq!(support::instances(&compiled, "fmul"), 4);
}

/// One instance for all sixteen calls would have a choice in front of it that is too long.
#[test]
fn instances_beyond_those_that_are_needed_shorten_the_choice() {
    let nest = "
    p = y[0]
    q = y[1]
    for i in range(16):
        p = (p + x[i]) + q
        q = (q - p) + x[i]
    y[0] = p
    y[1] = q";
    let nests = [nest; 4].concat();
    let head = "from allo import *\n\n@kernel\ndef top(x: \"f32[16]\", y: \"f32[16]\"):
    p: f32 = 0
    q: f32 = 0";
    let target = Target::new("ecp5", 10.0).expect("device");
    let compiled = support::hardware(&format!("{head}{nests}\n"), None, &target);
    assert_eq!(support::instances(&compiled, "fadd"), 4);
}

/// Leaves and positions of the nodes that call shared operators.
fn shared_calls(schedule: &Schedule) -> Vec<(LeafId, usize)> {
    let of_leaf = |(leaf, schedule): (LeafId, &LeafSchedule)| {
        let nodes = (0..).zip(&schedule.instances);
        let calls = nodes.filter(|(_, instance)| instance.is_some());
        calls.map(|(node, _)| (leaf, node)).collect::<Vec<_>>()
    };
    schedule.leaves.iter().flat_map(of_leaf).collect()
}

#[test]
fn matmul_starts_a_product_every_cycle() {
    // A product a cycle in the flattened nest: the outer dimensions advance every 32 and 1,024.
    assert_figures("matmul_i32", &[1024, 32, 1], 33_500);
    // Sums of floats take turns.
    assert_figures("matmul_f32", &[1024, 32, 1], 33_500);
}

/// A sum that is set back to what it began with is so by its register; another constant takes a choice behind the adder, and so
/// does a sum that is seen once it is set back.
#[test]
fn a_reset_of_a_carried_sum_takes_no_time() {
    for (begin, seen, interval) in [
        ("0.0", "pass", 2),
        ("1.5", "pass", 3),
        ("0.0", "z[t] = v", 3),
    ] {
        let text = format!(
            "from allo import *\n\n@kernel\ndef top(x: Stream[f32], h: \"u1[64]\", z: \"f32[64]\") -> f32:\n    \
             v: f32 = {begin}\n    for t in range(64):\n        s: f32 = v + x.get()\n        v = 0.0 if h[t] else s\n        \
             {seen}\n    return v\n"
        );
        let loops = directives::checked(&text, &[]).manifest.loops;
        assert_eq!(loops[0].ii, Some(interval), "{begin}, {seen}");
    }
}

/// What is added is chosen outside of the recurrence, where what is carried can be no NaN of another bit pattern.
#[test]
fn sums_under_conditions_start_as_often_as_others() {
    let sums = [
        ("0.0", "s = s + x", 2),
        ("0.0", "if h[t][0]: s += x", 2),
        ("0.0", "if h[t][0]: s = x + s", 2),
        ("0.0", "if h[t][0]: s += x\n        else: s -= x", 2),
        (
            "0.0",
            "s = (s + x if h[t][0] else s - 1.0) if h[t][1] else s",
            2,
        ),
        ("start", "if h[t][0]: s += x", 3),
        ("0.0", "if s < 9.0: s += x", 3),
        ("0.0", "if s * x < 9.0: s += x", 5),
    ];
    for (begin, sum, interval) in sums {
        let text = format!(
            "from allo import *\n\n@kernel\ndef top(v: \"f32[64]\", h: \"u2[64]\", start: f32) -> f32:\n    \
             s: f32 = {begin}\n    for t in range(64):\n        x: f32 = v[t]\n        {sum}\n    return s\n"
        );
        let loops = directives::checked(&text, &[]).manifest.loops;
        assert_eq!(loops[0].ii, Some(interval), "{begin}, {sum}");
    }
}

/// A loop that writes `words` to a memory inside, as `kept` says, and one that reads from it, as `read` says.
fn through_memory(words: u64, elem: &str, kept: &str, read: &str) -> Compilation {
    let text = format!(
        "from allo import *\n\nu24 = apint(24)\n\n@kernel\ndef top(x: \"u10[1000]\", y: \"{elem}[{words}]\", out: \"{elem}[1000]\"):\n    \
         kept: \"{elem}[{words}]\"\n    for i in range({words}):\n        kept[i] = {kept}\n    \
         for i in range(1000):\n        out[i] = {read}\n"
    );
    directives::checked(&text, &[])
}

/// The first node of a kind, given its operation and those of its operands, and its leaf.
fn node_of(compiled: &Compilation, is_it: impl Fn(&Op, &[&Op]) -> bool) -> (LeafId, NodeId) {
    let mut leaves = compiled.hardware.leaves.iter();
    let found = leaves.find_map(|(i, leaf)| {
        let nodes = &leaf.graph.nodes;
        let is_it = |id: &NodeId| {
            let args = nodes[*id].args.iter().map(|arg| &nodes[*arg].op);
            is_it(&nodes[*id].op, &args.collect::<Vec<_>>())
        };
        Some((i, nodes.ids().find(is_it)?))
    });
    found.expect("a node of that kind")
}

fn depths(compiled: Compilation) -> Vec<Option<u64>> {
    let loops = compiled.manifest.loops.iter();
    loops.map(|a_loop| a_loop.depth).collect()
}

#[test]
fn the_data_of_a_deep_memory_wait_for_a_choice_among_its_blocks() {
    let of = |words| depths(through_memory(words, "u24", "y[i]", "kept[x[i]] + 5"));
    assert_eq!(of(1_024), [Some(2), Some(3)]);
    // Three times five blocks of 2,048 words by nine bits.
    assert_eq!(of(9_000), [Some(2), Some(4)]);
}

/// Of 18 blocks of 36 bits nine would have to be chosen from; of 24 of nine bits three.
#[test]
fn deep_memories_are_cut_into_slices() {
    let widths = |compiled: &Compilation| {
        let modules = compiled.design.modules.values();
        let items = modules.flat_map(|module| &module.items);
        let widths = items.filter_map(|item| match item {
            Item::Memory(memory) => Some(memory.width),
            _ => None,
        });
        widths.collect::<Vec<u32>>()
    };
    let sliced = [9, 9, 9, 9, 9, 9, 9, 1];
    let written = through_memory(4_480, "u64", "y[i]", "kept[x[i]]");
    assert_eq!(widths(&written), sliced);
    // A constant that is written, and two ports that read.
    let fixed = through_memory(4_480, "u64", "0x0123456789abcdef", "kept[x[i]]");
    assert_eq!(widths(&fixed), sliced);
    let twice = through_memory(4_480, "u64", "y[i]", "kept[x[i]] - kept[x[999 - i]]");
    assert_eq!(widths(&twice), sliced);
    assert_eq!(
        widths(&through_memory(4_096, "u64", "y[i]", "kept[x[i]]")),
        [64]
    );
    let words: Vec<String> = (0..4_480u64)
        .map(|i| i.wrapping_mul(0x1234_5678_9abc_def1).to_string())
        .collect();
    let constant = directives::checked(
        &format!(
            "from allo import *\n\nT = [{}]\n\n@kernel\ndef top(x: \"u12[100]\", out: \"u64[100]\"):\n    \
             t: \"u64[4480]\" = T\n    for i in range(100):\n        out[i] = t[x[i]]\n",
            words.join(", ")
        ),
        &[],
    );
    assert_eq!(widths(&constant), sliced);
}

#[test]
fn what_many_blocks_are_written_with_has_a_longer_way() {
    let of = |words| through_memory(words, "u32", "(y[i] + 5) ^ y[i]", "kept[x[i]]");
    assert_eq!(depths(of(1_024)), [Some(2), Some(3)]);
    // 32 blocks of 16,384 bits, of which none has to be chosen.
    assert_eq!(depths(of(16_384)), [Some(3), Some(3)]);
    // The same in the cycle before is what the checker is there for.
    let mut early = of(16_384);
    let (leaf, store) = node_of(&early, |op, _| matches!(op, Op::Store(_)));
    assert!(move_node(&mut early.schedule, leaf, store.index(), -1));
    let why = verdict(&early, &early.schedule).expect_err("too early");
    assert!(why.contains("gets its operands too late"), "{why}");
}

#[test]
fn a_value_that_many_multipliers_read_has_a_longer_way() {
    let of = |lanes: u32| {
        let text = format!(
            "from allo import *\n\n@kernel\ndef top(a: i16[100], b: i16[100, {lanes}], c: i64[100, {lanes}]):\n    \
             for i in range(100):\n        for j in range({lanes}):\n            c[i, j] = a[i] * b[i, j] + 7\n"
        );
        let split = ["b", "c"].map(|array| format!("{array}:complete:dim=2"));
        let [b, c] = split.each_ref().map(|split| ("partition", split.as_str()));
        directives::checked(&text, &[("unroll", "j"), b, c])
    };
    assert_eq!(depths(of(16)), [Some(3)]);
    let mut early = of(64);
    assert_eq!(depths(early.clone()), [Some(4)]);
    let (leaf, sum) = node_of(&early, |op, args| {
        *op == Op::Add && args.contains(&&Op::Mul)
    });
    assert!(move_node(&mut early.schedule, leaf, sum.index(), -1));
    let why = verdict(&early, &early.schedule).expect_err("too early");
    assert!(why.contains("is stable after"), "{why}");
}

#[test]
fn sums_are_carried_from_cycle_to_cycle() {
    assert_figures("dot_i32", &[1], 64 + 12);
    assert_figures("prefix_sum", &[1], 64 + 12);
    assert_figures("fill", &[1], 16 + 8);
    assert_figures("vector_add", &[1], 16 + 8);
}

#[test]
fn a_histogram_takes_its_last_write_from_a_register() {
    assert_figures("histogram", &[1, 1], 256 + 1024 + 16);
}

#[test]
fn a_histogram_without_bypass_waits_for_its_own_writes() {
    let hardware = compile_without("histogram", &["bypass"]).hardware;
    let device = Device::load("ecp5").expect("device");
    let times =
        schedule(&hardware, &device, 10.0, &mut Diagnostics::default()).expect("a schedule");
    let intervals: Vec<u32> = times.leaves.values().filter_map(|l| l.ii).collect();
    assert_eq!(intervals, [1, 2]);
}

#[test]
fn every_example_has_a_valid_schedule_at_every_clock() {
    let device = Device::load("ecp5").expect("device");
    for name in examples() {
        let hardware = compile(&name).hardware;
        for period in PERIODS {
            let times = schedule(&hardware, &device, period, &mut Diagnostics::default())
                .unwrap_or_else(|e| panic!("{name} at {period} ns: {e}"));
            check(&hardware, &times, &device)
                .unwrap_or_else(|e| panic!("{name} at {period} ns: {e}"));
        }
    }
}

// The checker ----------------------------------------------------------------------------------

fn move_node(schedule: &mut Schedule, leaf: LeafId, node: usize, by: i64) -> bool {
    let times = &mut schedule.leaves[leaf].times;
    let moved = |t: u32| u32::try_from(i64::from(t) + by).ok();
    let (Some(start), Some(ready)) = (moved(times.start[node]), moved(times.ready[node])) else {
        return false;
    };
    times.start[node] = start;
    times.ready[node] = ready;
    true
}

/// What the checker says of another schedule of a compiled kernel.
fn verdict(compiled: &Compilation, schedule: &Schedule) -> Result<(), String> {
    static DEVICE: LazyLock<Device> = LazyLock::new(|| Device::load("ecp5").expect("device"));
    check(&compiled.hardware, schedule, &DEVICE)
}

/// Moves each node that matters far to one side; the checker must object each time.
fn refuses_moves(name: &str, by: i64, matters: impl Fn(&Op) -> bool) {
    let compiled = compile(name);
    let mut tried = 0;
    for (i, leaf) in compiled.hardware.leaves.iter() {
        for (id, node) in leaf.graph.nodes.iter() {
            if !matters(&node.op) {
                continue;
            }
            let mut changed = compiled.schedule.clone();
            if move_node(&mut changed, i, id.index(), by) {
                tried += 1;
                let verdict = verdict(&compiled, &changed);
                assert!(verdict.is_err(), "{name}: %{} moved by {by}", id.index());
            }
        }
    }
    assert!(tried > 0, "{name}: nothing moved by {by}");
}

#[test]
fn the_checker_refuses_results_that_come_too_late() {
    let load = |op: &Op| matches!(op, Op::Load(_));
    for name in ["saxpy_i32", "dot_i32", "histogram", "matmul_i32"] {
        refuses_moves(name, 20, load);
    }
    refuses_moves("saxpy_f32", 20, |op| {
        matches!(op, Op::Call(_) | Op::Load(_))
    });
}

#[test]
fn the_checker_refuses_stores_before_their_values() {
    let store = |op: &Op| matches!(op, Op::Store(_));
    for name in ["saxpy_i32", "prefix_sum", "histogram"] {
        refuses_moves(name, -1, store);
    }
}

#[test]
fn the_checker_refuses_wrong_latencies() {
    let compiled = compile("saxpy_i32");
    for i in 0..compiled.schedule.leaves[LeafId::new(0)].times.ready.len() {
        let mut changed = compiled.schedule.clone();
        changed.leaves[LeafId::new(0)].times.ready[i] += 1;
        assert!(verdict(&compiled, &changed).is_err(), "%{i}");
    }
}

#[test]
fn the_checker_refuses_delays_that_are_not_true() {
    let examples = ["saxpy_f32", "classify", "matmul_f32"].map(|name| (name, compile(name)));
    // It takes a whole cycle to make what its sum begins with.
    let first = ("shared_operators", kernel("shared_operators"));
    for (name, compiled) in examples.into_iter().chain([first]) {
        let mut changed = compiled.schedule.clone();
        // Faster than they are, and slower than a cycle.
        for (factor, tried) in [(0.0, 1.0), (100.0, 1.0)] {
            let mut refused = 0;
            for (leaf, scheduled) in compiled.schedule.leaves.iter() {
                for (i, &arrival) in scheduled.times.arrival.iter().enumerate() {
                    if arrival < tried || scheduled.times.width[i] == 0 {
                        continue;
                    }
                    changed.leaves[leaf].times.arrival[i] = arrival * factor;
                    assert!(
                        verdict(&compiled, &changed).is_err(),
                        "{name}: %{i} x {factor}"
                    );
                    changed.leaves[leaf].times.arrival[i] = arrival;
                    refused += 1;
                }
            }
            assert!(refused > 0, "{name}: nothing tried");
        }
        let mut slower = compiled.schedule.clone();
        slower.period /= 2.0;
        assert!(
            verdict(&compiled, &slower).is_err(),
            "{name}: at twice the clock"
        );
    }
}

#[test]
fn the_checker_refuses_units_other_than_their_graphs() {
    let compiled = compile("saxpy_f32");
    let changes: [fn(&mut Schedule); 4] = [
        |s| s.units[UnitId::new(0)].variants[0].latency += 1,
        |s| s.units[UnitId::new(0)].variants[0].input_delay = 0.0,
        |s| s.units[UnitId::new(0)].variants[0].output_delay = 0.0,
        |s| s.units[UnitId::new(0)].variants[0].times.start[3] += 1,
    ];
    for (number, change) in changes.iter().enumerate() {
        let mut changed = compiled.schedule.clone();
        change(&mut changed);
        assert!(verdict(&compiled, &changed).is_err(), "change {number}");
    }
}

#[test]
fn the_checker_refuses_a_loop_that_ends_early_and_values_that_do_not_stay() {
    for name in ["saxpy_i32", "dot_i32", "prefix_sum", "fir"] {
        let compiled = compile(name);
        for leaf in compiled.schedule.leaves.ids() {
            let mut changed = compiled.schedule.clone();
            changed.leaves[leaf].depth -= 1;
            assert!(
                verdict(&compiled, &changed).is_err(),
                "{name}: depth of {leaf:?}"
            );
            let mut changed = compiled.schedule.clone();
            let stable = &mut changed.leaves[leaf].times.stable;
            let Some(moving) = stable.iter_mut().find(|s| !**s) else {
                continue;
            };
            *moving = true;
            assert!(
                verdict(&compiled, &changed).is_err(),
                "{name}: stable in {leaf:?}"
            );
        }
    }
}

#[test]
fn the_checker_refuses_a_histogram_in_one_cycle() {
    let compiled = compile_without("histogram", &["bypass"]);
    let mut changed = compiled.schedule.clone();
    let counting = changed.leaves.values_mut().find(|l| l.ii == Some(2));
    counting.expect("the counting loop").ii = Some(1);
    assert!(verdict(&compiled, &changed).is_err());
}

#[test]
fn the_checker_refuses_ports_taken_twice_and_ports_that_do_not_exist() {
    let compiled = compile("histogram");
    for (leaf, times) in compiled.schedule.leaves.iter() {
        for access in 0..times.ports.len() {
            let mut changed = compiled.schedule.clone();
            changed.leaves[leaf].ports[access] = 2;
            assert!(
                verdict(&compiled, &changed).is_err(),
                "leaf {leaf:?}, {access}"
            );
        }
    }
    // Two loads of one memory in the same slot need two ports.
    let text = "from allo import i32, kernel\n\n\n@kernel\n\
                def pairs(x: \"i32[16]\", out: \"i32[8]\"):\n    for i in range(8):\n        \
                out[i] = x[2 * i] + x[2 * i + 1]\n";
    let compiled = support::ecp5(text, None, 10.0);
    let times = &compiled.schedule.leaves[LeafId::new(0)];
    assert_eq!(times.ii, Some(1));
    let mut changed = compiled.schedule.clone();
    changed.leaves[LeafId::new(0)].ports.fill(0);
    assert!(verdict(&compiled, &changed).is_err());
}

/// A token that outlived the loop would start an iteration of the next invocation.
#[test]
fn iterations_begin_when_the_one_before_is_over_at_the_latest() {
    let text = "from allo import u32, kernel\n\n@kernel\ndef gcd(a: u32, b: u32) -> u32:\n    x: u32 = a\n    \
                y: u32 = b\n    while y != 0:\n        t: u32 = x % y\n        x = y\n        y = t\n    return x\n";
    for period in PERIODS {
        let compiled = support::ecp5(text, None, period);
        for leaf in compiled.schedule.leaves.values() {
            assert!(leaf.ii.is_none_or(|ii| ii <= leaf.depth), "{period} ns");
        }
    }
}

#[test]
fn long_iterations_take_the_least_interval() {
    let mut text = "from allo import i32, kernel\n\n\n@kernel\ndef f(x: i32, b: \"i32[64]\"):\n    for i in range(64):\n".to_owned();
    // Any two of the stores may meet, so that each takes a cycle of its own in all iterations.
    for k in 0..90 {
        text += &format!("        b[(i * x + {k}) & 63] = x + {k}\n");
    }
    let compiled = support::ecp5(&text, None, 10.0);
    let intervals: Vec<_> = compiled.manifest.loops.iter().map(|l| l.ii).collect();
    assert_eq!(intervals, [Some(90)]);
}

/// A filter waits for the product with its last result and for one sum, whatever order the terms are written in.
#[test]
fn the_term_that_an_iteration_waits_for_is_added_last() {
    let sums = [
        "18727 * y1 + 1106 * x[i] + 2212 * x1 + 8192",
        "1106 * x[i] - (2212 * x1 - 18727 * y1) + 8192",
        "8192 - (-18727 * y1) + (1106 * x[i] + 2212 * x1)",
    ];
    for sum in sums {
        let text = format!(
            "from allo import *\n\n@kernel\ndef top(x: \"i16[32]\", y: \"i16[32]\"):
    x1: i16 = 0
    y1: i16 = 0
    for i in range(32):
        y0: i16 = ({sum}) >> 14
        y[i] = y0
        x1 = x[i]
        y1 = y0\n"
        );
        let compiled = crate::directives::checked(&text, &[]);
        assert!(compiled.warnings.0.is_empty(), "{:?}", compiled.warnings);
        assert_eq!(compiled.manifest.loops[0].ii, Some(1), "{sum}");
    }
}

/// Parts that are cut on the way are no parts of the sum.
#[test]
fn sums_that_are_cut_on_the_way_keep_their_order() {
    let text = "from allo import *\n\n@kernel\ndef top(x: \"i16[32]\", y: \"i16[32]\"):
    y1: i16 = 0
    for i in range(32):
        part: i8 = y1 + x[i]
        more: u5 = part - 7 * x[i]
        y1 = more + 3 * x[i] - 11
        y[i] = y1\n";
    let compiled = crate::directives::checked(text, &[]);
    assert!(compiled.warnings.0.is_empty(), "{:?}", compiled.warnings);
}

/// A sum that is compared fills a cycle, less the gate in front of it. A register between the two makes iterations a cycle longer, which
/// a short loop does not have.
#[test]
fn a_full_recurrence_of_a_long_loop_reads_registers() {
    let of = |iterations: u64| {
        let text = format!(
            "from allo import *\n\nu44 = apint(44)\n\n@kernel\ndef top(k: u44, m: u44) -> u44:\n    s: u44 = 1\n    \
             for i in range({iterations}):\n        n: u44 = i\n        t: u44 = s + (k ^ n)\n        s = m if t > m else t\n    return s\n"
        );
        directives::checked(&text, &[]).manifest
    };
    let [short, long] = [64, 4096].map(of);
    assert_eq!([&short, &long].map(|it| it.loops[0].ii), [Some(1); 2]);
    assert_eq!(
        long.loops[0].depth,
        short.loops[0].depth.map(|depth| depth + 1)
    );
    let cycles = |it: &Manifest| it.latency.max.expect("a bound");
    assert_eq!(cycles(&long), cycles(&short) + 4096 - 64 + 1);
}
