//! Networks: processes on streams compute what the reference does, whatever pauses there are, and overlap; what cannot run is
//! said.

use crate::directives::{checked, checked_for, compile_text, target};
use crate::support;
use allo_hls::diagnostics::Diagnostics;
use allo_hls::driver::{self, Compilation, Target};
use allo_hls::frontend;
use allo_hls::levels::Level;
use allo_hls::rtl::interface::manifest::{Flow, PortKind};
use allo_hls::sim::cosim::{CosimOptions, cosim_on, simulate};
use allo_hls::sim::elements::{Between, Invocation};
use allo_hls::sim::inprocess::Netlist;
use allo_hls::sim::reference::{self, Options};
use allo_hls::sim::selfcheck::Checked;
use allo_hls::sim::value::{Signature, Value};
use allo_hls::sim::{args, shell, vectors};

/// The kernels of a folder of this test.
fn kernel(name: &str) -> String {
    support::read(&support::root(&format!("tests/networks/{name}.py")))
}

fn built(name: &str) -> Compilation {
    checked(&kernel(name), &[])
}

/// Each with random data, pauses on both sides, one invocation after the other, resets: see the self-check.
#[test]
fn networks_compute_what_the_reference_does() {
    for path in support::files("tests/networks", "py") {
        let name = support::stem(&path);
        let compiled = built(&name);
        let ran = matches!(compiled.checked, Checked::Runs(_) | Checked::Proven(_));
        assert!(ran, "{name}");
    }
}

/// Cycles of an invocation, and between those that follow one another.
fn times(name: &str) -> [u64; 2] {
    let mut target = Target::new("ecp5", 10.0).expect("device");
    target.aim.level = Level::Two;
    let compiled = support::hardware(&kernel(name), Some("top"), &target);
    let engine = Netlist::new(&compiled.design, &compiled.manifest).expect("a netlist");
    let options = CosimOptions {
        vectors: 40,
        ..CosimOptions::default()
    };
    let (program, manifest) = (&compiled.program, &compiled.manifest);
    let report = cosim_on(&engine, program, manifest, &options, &|_, _| ());
    let report = report.unwrap_or_else(|error| panic!("{name}: {error:?}"));
    [
        report.cycles[0],
        report.interval.expect("invocations in a row"),
    ]
}

/// Processes hand on arrays, scalars, elements of streams: an invocation begins before the one before is done, and all are right.
#[test]
fn invocations_follow_one_another_as_fast_as_the_slowest_process() {
    let [cycles, interval] = times("overlapping_stages");
    // Four processes of 16 elements; the array that the last one reads is there twice, not three times.
    assert!(cycles > 64 && interval < cycles / 2, "{cycles} {interval}");
    let [cycles, interval] = times("overlapping_scalars");
    assert!(cycles > 30 && interval <= 20, "{cycles} {interval}");
    // The slowest takes 4 cycles an element.
    let [_, interval] = times("overlapping_streams");
    assert!(interval < 40 + 6, "{interval}");
}

/// Each of two processes that run at the same time has a port of what both read; ports that were asked for stay.
#[test]
fn two_processes_share_the_ports_of_a_parameter() {
    let text = kernel("shared_by_two");
    let ports = |compiled: &Compilation| {
        let PortKind::Array { banks, .. } = &compiled.manifest.args[0].kind else {
            panic!("an array");
        };
        banks[0].ports.len()
    };
    assert_eq!(ports(&checked(&text, &[])), 2);
    let why = compile_text(&text, &[("ports", "top/m=2")], false).expect_err("three ports");
    assert!(why.contains("need 3 ports of 'm'"), "{why}");
}

/// Where no data decide, an invocation by itself takes as many cycles as the manifest says, unless streams of the top kernel pause.
#[test]
fn a_network_that_takes_as_long_always_says_how_long() {
    for name in [
        "overlapping_stages",
        "overlapping_scalars",
        "written_outside",
        "shared_input",
        "systolic_streams",
    ] {
        let promised = built(name).manifest.latency;
        assert!(promised.max.is_some(), "{name}");
        assert_eq!(promised.min, promised.max, "{name}");
    }
    for name in ["counted_until", "left_over", "conditional"] {
        assert_eq!(built(name).manifest.latency.max, None, "{name}");
    }
    // What it takes was measured with elements that came a cycle after the start.
    let at_once =
        "from allo import *\n\n@kernel\ndef top(s: Stream[i32]) -> i32:\n    return s.get()\n";
    assert_eq!(checked(at_once, &[]).manifest.latency.max, None);
    let compiled = built("shared_input");
    let (program, manifest) = (&compiled.program, &compiled.manifest);
    let (design, around) = shell::around(&compiled.design, manifest).expect("a shell");
    let engine = Netlist::new(&design, &around).expect("a netlist");
    let report = cosim_on(
        &engine,
        program,
        manifest,
        &CosimOptions::default(),
        &|_, _| (),
    );
    // In each of these some stream pauses.
    let cycles = report.expect("all equal").cycles;
    assert!(
        cycles
            .iter()
            .all(|&cycles| Some(cycles) > manifest.latency.max),
        "{cycles:?}"
    );
}

/// What is got first waits for the rest in its queue; where that is outside, or outside for another process of the same code, in
/// a register: whoever is outside may have to get rid of it first.
#[test]
fn what_is_got_first_waits_where_there_is_room() {
    let head = "from allo import *\n\n@kernel\ndef feed(x: \"i8[8]\", s: Stream[i8]):\n    for i in range(8):\n        s.put(x[i])\n\n\
                @kernel\ndef add(a: Stream[i8], b: Stream[i8], c: Stream[i8]):\n    for i in range(8):\n        c.put(a.get() + b.get())\n\n\
                @kernel\ndef drain(s: Stream[i8], y: \"i8[8]\"):\n    for i in range(8):\n        y[i] = s.get()\n\n";
    let inside = "@kernel\ndef top(x: \"i8[8]\", z: \"i8[8]\", y: \"i8[8]\"):\n    a: Stream[i8]\n    b: Stream[i8]\n    c: Stream[i8]\n    \
                  feed(x, a)\n    feed(z, b)\n    add(a, b, c)\n    drain(c, y)\n";
    let outside =
        "@kernel\ndef top(a: Stream[i8], b: Stream[i8], c: Stream[i8]):\n    add(a, b, c)\n";
    let both = "@kernel\ndef top(a: Stream[i8], b: Stream[i8], d: Stream[i8], e: Stream[i8]):\n    c: Stream[i8]\n    f: Stream[i8]\n    \
                add(a, b, c)\n    add(c, d, f)\n    add(f, c, e)\n";
    for (top, is_held) in [(inside, false), (outside, true), (both, true)] {
        let compiled = checked(&format!("{head}{top}"), &[]);
        assert_eq!(compiled.systemverilog().contains("_held"), is_held, "{top}");
    }
}

/// A process that puts when it begins finds room in its first invocation as in all others.
#[test]
fn an_invocation_after_a_reset_takes_as_long_as_a_later_one() {
    let text = "from allo import *

@kernel
def a(s: Stream[i8]):
    s.put(1)

@kernel
def b(s: Stream[i8], y: \"i8[1]\"):
    y[0] = s.get()

@kernel
def top(y: \"i8[1]\"):
    s: Stream[i8]
    a(s)
    b(s, y)
";
    let compiled = compile_text(text, &[], false).expect("hardware");
    let signature = Signature::of(&compiled.program);
    let three = "[{\"y\": [0]}, {\"y\": [0]}, {\"y\": [0]}]";
    let inputs = args::read_json(&signature, three).expect("arguments");
    let (program, manifest) = (&compiled.program, &compiled.manifest);
    let engine = Netlist::new(&compiled.design, manifest).expect("a netlist");
    let inputs = (&inputs[..], Between::Nothing);
    let ran = simulate(program, manifest, &engine, inputs, 10_000).expect("an end");
    let cycles: Vec<_> = ran.iter().map(|one| Some(one.cycles)).collect();
    assert_eq!(cycles, [compiled.manifest.latency.max; 3]);
}

/// Reference and hardware agree in the self-check of [`built`]; the numbers are said here.
#[test]
fn what_workers_write_anywhere_is_gathered() {
    for (name, arguments, expected) in [
        (
            "written_at_computed_places",
            "{\"A\": [1], \"C\": [7, 7, 7, 7, 7]}",
            "\"C\":[1,2,3,4,7]",
        ),
        (
            "added_at_computed_places",
            "{\"A\": [1], \"C\": [10, 20, 30, 40, 50]}",
            "\"C\":[12,23,34,45,50]",
        ),
        (
            "written_in_either_mode",
            "{\"f\": 1, \"C\": [7, 7, 7]}",
            "\"C\":[[1],[2],[3]]",
        ),
        (
            "written_in_either_mode",
            "{\"f\": 0, \"C\": [7, 7, 7]}",
            "\"C\":[[4],[14],[24]]",
        ),
        (
            "written_where_two_say",
            "{\"at\": [1, 2, 3, 4, 4, 5, 6, 7], \"x\": [1, 2, 3, 4, 5, 6, 7, 8], \"y\": [0, 0, 0, 0, 0, 0, 0, 0]}",
            "\"y\":[0,1,2,3,5,6,7,8]",
        ),
        (
            "workers_of_all_kinds",
            "{\"at\": [5, 1, 0, 1], \"x\": [1, 2, 3, 4, 0, 0, 0, 0], \"y\": [10, 20, 30, 40, 50, 60, 70, 80], \"seen\": [0, 0, 0, 0, 0, 0, 0, 0]}",
            "\"y\":[15,25,7,7,7,21,7,7],\"seen\":[10,20,30,40,50,60,70,80]",
        ),
        (
            "workers_of_all_kinds",
            "{\"at\": [5, 2, 0, 1], \"x\": [1, 2, 3, 4, 5, 6, 7, 8], \"y\": [0, 0, 0, 0, 0, 0, 0, 1], \"seen\": [0, 0, 0, 0, 0, 0, 0, 0]}",
            "\"y\":[1,2,3,4,5,6,7,8],\"seen\":[0,0,0,0,0,0,0,1]",
        ),
        (
            "processes_inside_of_workers",
            "{\"y\": [10, 20, 30, 40, 50, 60, 70, 80], \"z\": [10, 20, 30, 40, 50, 60, 70, 80], \"at\": [0, 1, 2, 3, 4, 5, 6, 0]}",
            "\"y\":[11,71,61,51,41,31,21,80],\"z\":[22,21,32,42,61,71,82,80]",
        ),
        (
            "overlapping_by_one_element",
            "{\"x\": [10, 20, 30], \"y\": [0, 0, 0, 0, 0, 0, 0, 9]}",
            "\"y\":[10,11,20,21,30,31,32,9]",
        ),
        (
            "read_beside_a_writer",
            "{\"at\": [3, 0, 0, 1], \"x\": [1, 2, 3, 4], \"y\": [7, 8, 9, 10], \"seen\": [0, 0, 0, 0]}",
            "\"y\":[3,4,9,1],\"seen\":[7,8,9,10]",
        ),
        (
            "one_grid_after_the_other",
            "{\"y\": [0, 1, 2, 3, 4, 5, 6, 7]}",
            "\"y\":[40,121,202,283,364,445,526,607]",
        ),
    ] {
        let (_, left) = run(&built(name), arguments);
        assert!(left.contains(expected), "{name}: {left}");
    }
}

/// Cycles of one invocation without pauses, and what it leaves behind.
fn run(compiled: &Compilation, arguments: &str) -> (u64, String) {
    let signature = Signature::of(&compiled.program);
    let inputs = args::read_json(&signature, arguments).expect("arguments");
    let (design, manifest) = shell::around(&compiled.design, &compiled.manifest).expect("a shell");
    let engine = Netlist::new(&design, &manifest).expect("a netlist");
    let (program, manifest) = (&compiled.program, &compiled.manifest);
    let ran = simulate(
        program,
        manifest,
        &engine,
        (&inputs, Between::Nothing),
        10_000,
    )
    .expect("an end");
    let results = args::results_json(&signature, &ran[0].params, &ran[0].results, false);
    (ran[0].cycles, results.to_string())
}

/// A grid is processes with or without streams.
#[test]
fn workers_without_streams_run_at_the_same_time() {
    let text = "import allo\nfrom allo import *\n\n@kernel(mapping=[4])\ndef pe(x: \"i32[64]\", y: \"i32[64]\"):\n    \
                w = allo.get_wid(0)\n    for i in range(16):\n        y[w * 16 + i] = x[w * 16 + i] * 3\n\n\
                @kernel\ndef top(n: i32) -> i32:\n    x: \"i32[64]\" = n\n    y: \"i32[64]\"\n    pe(x, y)\n    \
                return y[n & 63]\n";
    let compiled = checked(text, &[]);
    // Blocks that end where the next one begins are apart.
    let network = compiled.network.as_ref().map(|(network, _)| network);
    assert!(network.is_some_and(|network| !network.has_copies));
    // Filled in 64, then 16 iterations of all four at once.
    let cycles = compiled.manifest.latency.max.expect("as long always");
    assert!(cycles < 64 + 30, "{cycles}");
}

/// Kernels that call one another twice are looked at once each, and too many to be hardware.
#[test]
fn kernels_that_are_called_by_many_ways_are_looked_at_once() {
    let mut text =
        "from allo import *\n\n@kernel\ndef k0(x: i32) -> i32:\n    return x + 1\n".to_string();
    for number in 1..60 {
        let below = number - 1;
        text += &format!(
            "\n@kernel\ndef k{number}(x: i32) -> i32:\n    return k{below}(x) + k{below}(x)\n"
        );
    }
    text += "\n@kernel\ndef top(x: i32) -> i32:\n    return k59(x)\n";
    let why = compile_text(&text, &[], false).expect_err("2^59 sums");
    assert!(why.contains("operations"), "{why}");
}

/// Workers that all read one memory get it one after the other, where that is faster.
#[test]
fn workers_without_streams_come_one_after_the_other_where_that_is_faster() {
    let text = "import allo\nfrom allo import *\n\n@kernel(mapping=[4])\ndef pe(x: \"i32[4, 64]\", y: \"i32[4]\"):\n    \
                w = allo.get_wid(0)\n    t: i32 = 0\n    for k in range(64):\n        t += x[w, k] * (w + 1)\n    y[w] = t\n\n\
                @kernel\ndef top(n: i32, y: \"i32[4]\"):\n    x: i32[4, 64]\n    for i in range(4):\n        \
                for k in range(64):\n            x[i, k] = n + k\n    pe(x, y)\n";
    let mut target = target(&[]).expect("a target");
    target.aim.level = Level::Two;
    let compiled = checked_for(text, &target);
    // Two elements a cycle, which are written and read.
    let cycles = compiled.manifest.latency.max.expect("as long always");
    assert!(compiled.network.is_none() && cycles < 300, "{cycles}");
}

/// The elements that are offered are those that are given: what asks for more finds none.
#[test]
fn questions_find_no_more_elements_than_there_are() {
    let text = "from allo import *\n\n@kernel\ndef top(s: Stream[i32], ok: \"u1[6]\", v: \"i32[6]\", e: \"u1[6]\"):\n    \
                for i in range(6):\n        o, w = s.try_get()\n        ok[i] = o\n        v[i] = w\n        \
                e[i] = s.empty()\n";
    let given = "{\"s\": [7, 8, 9], \"ok\": [0, 0, 0, 0, 0, 0], \"v\": [1, 1, 1, 1, 1, 1], \"e\": [0, 0, 0, 0, 0, 0]}";
    let (_, left) = run(&checked(text, &[]), given);
    let expected = "\"ok\":[1,1,1,0,0,0],\"v\":[7,8,9,0,0,0],\"e\":[0,0,1,1,1,1]";
    assert!(left.contains(expected), "{left}");
}

/// Where the reference finds a deadlock and the module comes to no end either, that is it.
#[test]
fn a_module_that_asks_and_deadlocks_is_not_waited_for() {
    let text = "from allo import *\n\n@kernel\ndef a(s: Stream[i32], t: Stream[i32]):\n    e = s.empty()\n    \
                t.put(s.get() + e)\n\n@kernel\ndef top(x: i32) -> i32:\n    s: Stream[i32]\n    t: Stream[i32]\n    \
                a(s, t)\n    a(t, s)\n    return x\n";
    let compiled = compile_text(text, &[], false).expect("hardware");
    let signature = Signature::of(&compiled.program);
    let inputs = args::read_json(&signature, "{\"x\": 1}").expect("arguments");
    let (design, manifest) = shell::around(&compiled.design, &compiled.manifest).expect("a shell");
    let engine = Netlist::new(&design, &manifest).expect("a netlist");
    let (program, manifest) = (&compiled.program, &compiled.manifest);
    let inputs = (&inputs[..], Between::Nothing);
    let error = simulate(program, manifest, &engine, inputs, 1 << 32).expect_err("a deadlock");
    let message = &error.to_diagnostic().message;
    assert!(message.starts_with("deadlock: 'a' waits"), "{message}");
}

/// What is found in the beginning of a run may not be enough.
#[test]
fn a_depth_that_is_said_to_be_enough_is() {
    let text = "from allo import *\n\n@kernel\ndef a(s: Stream[i8], t: Stream[i8]):\n    for i in range(150000):\n        \
                s.put(1)\n    t.put(1)\n\n@kernel\ndef b(s: Stream[i8], t: Stream[i8]) -> i32:\n    \
                r: i32 = t.get()\n    for i in range(150000):\n        r += s.get()\n    return r\n\n@kernel\n\
                def top(x: i32) -> i32:\n    s: Stream[i8]\n    t: Stream[i8]\n    a(s, t)\n    return b(s, t) + x\n";
    let (mut sources, file) = support::source("deep.py", text);
    let compiled = driver::referenced(&mut sources, file, Some("top"), false, &[]);
    let warnings = compiled
        .map(|compiled| compiled.warnings)
        .expect("a program");
    let said: Vec<&str> = warnings.0.iter().map(|one| &one.message[..]).collect();
    let expected = "'s' holds 2 elements, and the network ends where it holds 150000";
    assert_eq!(said, [expected]);
}

/// Elements that nobody gets vanish, which is said; inputs on which a network deadlocks are counted.
#[test]
fn what_is_left_and_left_out_is_said() {
    let nobody = "from allo import *\n\n@kernel\ndef a(s: Stream[i8, 1], t: Stream[i8]):\n    s.put(1)\n    s.put(2)\n    t.put(3)\n\n\
                  @kernel\ndef b(t: Stream[i8]) -> i8:\n    return t.get()\n\n\
                  @kernel\ndef top() -> i8:\n    s: Stream[i8, 1]\n    t: Stream[i8]\n    a(s, t)\n    return b(t)\n";
    let nobody = compile_text(nobody, &[], false).expect("hardware").program;
    for (program, count) in [(built("left_over").program, 4), (nobody, 2)] {
        let input = vectors::generate(&Signature::of(&program), 1, 1).remove(0);
        let outcome = reference::run(&program, &input, &Options::default()).expect("an end");
        let left = outcome.left.iter();
        assert!(
            left.map(|left| (&left.stream[..], left.count))
                .eq([("s", count)])
        );
    }
    let text = "from allo import *\n\n@kernel\ndef a(s: Stream[i8]):\n    for i in range(16):\n        s.put(i)\n\n\
                @kernel\ndef b(s: Stream[i8], y: \"i8[16]\"):\n    for i in range(16):\n        y[i] = s.get()\n\n\
                @kernel\ndef top(n: i8, y: \"i8[16]\"):\n    s: Stream[i8, 2]\n    if n > 0:\n        a(s)\n        \
                b(s, y)\n";
    let compiled = checked(text, &[]);
    let engine = Netlist::new(&compiled.design, &compiled.manifest).expect("a netlist");
    let (program, manifest) = (&compiled.program, &compiled.manifest);
    let options = CosimOptions::default();
    let report = cosim_on(&engine, program, manifest, &options, &|_, _| ());
    let report = report.unwrap_or_else(|error| panic!("{error:?}"));
    assert!(report.deadlocks > 0);
}

#[test]
fn a_chain_takes_as_long_as_its_longest_process() {
    let compiled = built("chain");
    let (cycles, _) = run(
        &compiled,
        &format!("{{\"x\": {:?}, \"y\": {:?}}}", [1; 64], [0; 64]),
    );
    // Three processes of 64 elements each.
    assert!(cycles < 64 + 24, "{cycles}");
    let intervals: Vec<_> = compiled.manifest.loops.iter().map(|one| one.ii).collect();
    assert_eq!(intervals, [Some(1); 3]);
}

/// Nothing leads from what is put to what is got behind it; where the outside may answer, nothing is moved.
#[test]
fn what_is_got_behind_what_is_put_is_a_pipeline_where_it_cannot_depend_on_it() {
    let intervals = |compiled: &Compilation| -> Vec<Option<u64>> {
        compiled.manifest.loops.iter().map(|one| one.ii).collect()
    };
    assert_eq!(intervals(&built("got_behind")), [Some(1); 3]);
    let answered = "from allo import *\n\n@kernel\ndef top(a: Stream[i32], o: Stream[i32]):\n    for i in range(8):\n        \
                    o.put(i)\n        o.put(a.get())\n";
    let plain = Target {
        skip: vec!["turns".into()],
        ..target(&[]).expect("a target")
    };
    assert_eq!(intervals(&checked_for(answered, &plain)), [None]);
    // Each iteration takes two turns, of which the second one gets.
    let turns = checked(answered, &[]).manifest.loops;
    assert_eq!((turns[0].ii, turns[0].trip), (Some(1), [Some(16); 2]));
}

/// What is moved keeps the bits of a NaN, held until the last turn or not.
#[test]
fn a_nan_that_is_got_in_a_turn_keeps_its_bits() {
    let text = "from allo import *\n\n@kernel\ndef top(s: Stream[f16], x: \"f16[2]\", y: \"f16[2]\", z: \"f16[2]\"):\n    \
                for i in range(2):\n        a = s.get()\n        x[i] = x[i] * a\n        y[i] = s.get()\n        z[i] = a\n";
    let compiled = checked(text, &[]);
    assert_eq!(compiled.manifest.loops[0].trip, [Some(4); 2]);
    let given =
        r#"{"s": ["0x7c01", "0xfc02", "0x7c03", "0x7e04"], "x": [1, 2], "y": [0, 0], "z": [0, 0]}"#;
    let expected = r#"{"x":["nan","nan"],"y":["0xfc02","0x7e04"],"z":["0x7c01","0x7c03"]}"#;
    assert_eq!(run(&compiled, given).1, expected);
}

/// Each stream hands out one element in a turn; what was got before is held.
#[test]
fn iterations_that_get_several_elements_of_a_stream_overlap_in_turns() {
    let text = "from allo import *\n\n@kernel\ndef top(s: Stream[f32], o: Stream[f32]):\n    for i in range(64):\n        \
                a = s.get()\n        b = s.get()\n        o.put(a * b + a)\n";
    let [pairs] = &checked(text, &[]).manifest.loops[..] else {
        panic!("one loop");
    };
    assert_eq!((pairs.ii, pairs.trip), (Some(1), [Some(128); 2]));
    let turns = built("in_turns").manifest.loops;
    assert!(turns.iter().all(|one| one.ii.is_some()), "{turns:?}");
}

#[test]
fn elements_that_are_not_needed_stay_where_they_are() {
    let compiled = built("conditional");
    let given = r#"{"a": [5, 1, 2, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 77], "b": [10, 20, 30]}"#;
    let expected = r#"{"o":[15,1,2,29,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}"#;
    assert_eq!(run(&compiled, given).1, expected);
}

#[test]
fn the_manifest_has_the_ports_of_streams() {
    let compiled = built("conditional");
    let args = &compiled.manifest.args;
    let (flow, ports) = args[0].stream().expect("a stream");
    assert_eq!((flow, ports.read.as_deref()), (Flow::In, Some("a_read")));
    assert_eq!(ports.full_n, None);
    let PortKind::Stream {
        direction,
        ports,
        ty,
        width,
        shape,
    } = &args[2].kind
    else {
        panic!("no stream");
    };
    assert_eq!((*direction, ty.as_str(), *width), (Flow::Out, "i32", 32));
    assert!(shape.is_empty());
    let names = [&ports.din, &ports.full_n, &ports.write];
    assert_eq!(
        names.map(|name| name.as_deref()),
        [Some("o_din"), Some("o_full_n"), Some("o_write")]
    );
}

/// An element of a stream is written as an array is: nested or flat.
#[test]
fn a_block_in_a_file_may_be_flat() {
    let text = "from allo import *\n\n@kernel\ndef top(s: Stream[i8[2, 2]], y: \"i8[2]\"):\n    for i in range(2):\n        \
                b: i8[2, 2] = s.get()\n        y[i] = b[1, 0]\n";
    let compiled = checked(text, &[]);
    let (_, left) = run(
        &compiled,
        "{\"s\": [[1, 2, 3, 4], [[5, 6], [7, 8]]], \"y\": [0, 0]}",
    );
    assert_eq!(left, "{\"y\":[3,7]}");
    let signature = Signature::of(&compiled.program);
    for (wrong, why) in [
        ("5", "is no list of elements: 5"),
        ("[[1, 2, 3]]", "3 elements instead of 4"),
    ] {
        let text = format!("{{\"s\": {wrong}, \"y\": [0, 0]}}");
        let error = args::read_json(&signature, &text).expect_err("no such element");
        assert!(error.0[0].message.contains(why), "{}", error.0[0].message);
    }
}

/// A block is a nested list in files, and one transfer with its first element in the lowest bits.
#[test]
fn a_block_is_one_transfer() {
    let compiled = built("blocks");
    let rows = |row: &str, count: usize| vec![row; count].join(", ");
    let given = format!(
        r#"{{"x": [{}], "p": [[1.5, 2, 3], {}], "y": [{}]}}"#,
        rows("[[1, 2, 3], [4, 5, -6]]", 6),
        rows("[4, 5, 6]", 3),
        rows("[0, 0, 0]", 4),
    );
    let (_, left) = run(&compiled, &given);
    assert!(left.contains(r#""o":[[7,-8],[6,3],[6,3],"#), "{left}");
    assert!(
        left.contains(r#""y":[[3.0,2.0,1.5],[6.0,5.0,4.0],"#),
        "{left}"
    );
    let PortKind::Stream {
        ty, width, shape, ..
    } = &compiled.manifest.args[2].kind
    else {
        panic!("no stream");
    };
    assert_eq!((ty.as_str(), *width, &shape[..]), ("f16", 48, &[3][..]));
}

/// What the reference says of a network, with elements of streams as given.
fn fails(text: &str, arguments: &str) -> String {
    let program = support::program(text, Some("top"));
    let signature = Signature::of(&program);
    let inputs = args::read_json(&signature, arguments).expect("arguments");
    let error = reference::run(&program, &inputs[0], &Options::default()).expect_err("a deadlock");
    let diagnostic = error.to_diagnostic();
    let help = diagnostic.help.map(|help| format!("; {help}"));
    let notes = diagnostic.notes.iter().map(|note| format!("; {}", note.1));
    format!(
        "{}{}{}",
        diagnostic.message,
        notes.collect::<String>(),
        help.unwrap_or_default()
    )
}

const PRODUCER: &str = "
from allo import *

@kernel
def a(s: Stream[i32], t: Stream[i32], n: i32):
    for i in range(20 + 0 * n):
        s.put(i)
    for i in range(8):
        t.put(i)

@kernel
def b(s: Stream[i32], t: Stream[i32], y: \"i32[8]\"):
    for i in range(8):
        y[i] = t.get() + s.get()
    for i in range(12):
        y[0] += s.get()
";

#[test]
fn a_deadlock_names_who_waits_and_the_depth_that_helps() {
    let text = format!(
        "{PRODUCER}
@kernel
def top(y: \"i32[8]\", n: i32):
    s: Stream[i32, 6]
    t: Stream[i32]
    a(s, t, n)
    b(s, t, y)
"
    );
    let said = fails(&text, "{\"y\": [0, 0, 0, 0, 0, 0, 0, 0], \"n\": 3}");
    let expected = "deadlock: 'a' waits for room in 's'; 'b' waits for an element of 't'; it ends where 's' holds 20 elements";
    assert_eq!(said, expected);
    // Nothing can be said of the hardware, and that is said.
    let compiled = compile_text(&text, &[], false).expect("hardware");
    assert!(matches!(compiled.checked, Checked::Not(_)));
    assert!(
        compiled
            .warnings
            .0
            .iter()
            .any(|warning| warning.message.contains("deadlock"))
    );
}

/// Where no data decide, the compiler makes them deep enough, and no deeper; where it is told to leave them, it says so.
#[test]
fn streams_that_are_too_short_become_longer() {
    let said = |keep_depths: bool| {
        let (mut sources, file) = support::source("kernel.py", &kernel("reconvergent"));
        let mut target = Target::new("ecp5", 10.0).expect("a device");
        target.keep_depths = keep_depths;
        let compiled = driver::compile(&mut sources, file, Some("top"), &target);
        let compiled = compiled.unwrap_or_else(|errors| panic!("{:?}", errors.0));
        let top = &compiled.program.kernels[compiled.program.top];
        let depths = top
            .arrays
            .values()
            .filter_map(|array| array.stream.as_ref());
        let depths: Vec<u64> = depths.map(|stream| stream.depth).collect();
        (compiled.warnings.0[0].message.clone(), depths)
    };
    let message = "'b' holds 2 elements, and the network ends where it holds 5".to_string();
    assert_eq!(said(false), (message.clone(), vec![2, 2, 5, 2]));
    assert_eq!(said(true), (message, vec![2, 2, 2, 2]));
}

/// A ring of thousands of processes, each of which gets what the last one makes: all stand back again and again, on a thread
/// with a small stack.
#[test]
fn networks_of_many_processes_run_where_each_waits_for_another() {
    let count = 2500;
    let streams = |of: &dyn Fn(usize) -> String| (0..count).map(of).collect::<String>();
    let text = format!(
        "from allo import *

@kernel
def first(given: Stream[i32], back: Stream[i32], on: Stream[i32], o: Stream[i32]):
    for i in range(5):
        on.put(given.get())
        o.put(back.get())

@kernel
def relay(s: Stream[i32], t: Stream[i32]):
    for i in range(5):
        t.put(s.get() + 1)

@kernel
def top(given: Stream[i32], o: Stream[i32]):
{}    first(given, s0, s{}, o)
{}",
        streams(&|at| format!("    s{at}: Stream[i32]\n")),
        count - 1,
        streams(&|at| match at {
            0 => String::new(),
            _ => format!("    relay(s{at}, s{})\n", at - 1),
        }),
    );
    let program = support::program(&text, Some("top"));
    let signature = Signature::of(&program);
    let inputs = args::read_json(&signature, "{\"given\": [1, 2, 3, 4, 5]}").expect("arguments");
    let ran = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(512 << 10);
        let run = || reference::run(&program, &inputs[0], &Options::default());
        let thread = thread.spawn_scoped(scope, run).expect("a thread");
        thread.join().expect("no panic")
    });
    let ran = ran.expect("it ends");
    let results = args::results_json(&signature, &ran.params, &ran.results, false);
    for at in 0..5 {
        assert_eq!(results["o"][at], 2500 + at);
    }
    let said = fails(&text, "{\"given\": [1, 2]}");
    assert!(
        said.contains("'first' waits for an element of 'given'"),
        "{said}"
    );
}

/// What is needed shows long before such a network ends.
#[test]
fn streams_that_are_too_short_become_longer_in_networks_that_run_for_long() {
    let text = "from allo import *

@kernel
def p(s: Stream[i32], t: Stream[i32]):
    for j in range(3000):
        for i in range(40):
            s.put(i)
        for i in range(40):
            t.put(i)

@kernel
def q(s: Stream[i32], t: Stream[i32]) -> i32:
    a: i32 = 0
    for j in range(3000):
        for i in range(40):
            a += s.get() * t.get()
    return a

@kernel
def top() -> i32:
    s: Stream[i32]
    t: Stream[i32]
    p(s, t)
    return q(s, t)
";
    let compiled = compile_text(text, &[], false).expect("hardware");
    let said = &compiled.warnings.0[0].message;
    assert_eq!(
        said,
        "'s' holds 2 elements, and the network ends where it holds 39"
    );
    assert!(matches!(compiled.checked, Checked::Runs(_)));
}

#[test]
fn elements_that_are_missing_outside_are_named() {
    let said = fails(&kernel("conditional"), "{\"a\": [1, 2], \"b\": []}");
    assert!(
        said.contains("'a' of the top kernel, which is offered no more"),
        "{said}"
    );
}

/// What is wrong with a kernel `top`.
fn refused(text: &str) -> String {
    compile_text(text, &[], false)
        .err()
        .unwrap_or_else(|| panic!("accepted:\n{text}"))
}

#[test]
fn what_is_no_network_is_refused() {
    let head = "from allo import *\n\n@kernel\ndef a(s: Stream[i32]):\n    s.put(1)\n\n@kernel\ndef own(y: \"i32[2]\"):\n    s: Stream[i32]\n    a(s)\n    y[0] = s.get()\n\n@kernel\ndef above(y: \"i32[2]\"):\n    own(y)\n\n@kernel\n";
    let cases = [
        (
            "def top(y: \"i32[1]\"):\n    s: Stream[i32]\n    a(s)\n    a(s)\n    y[0] = s.get()\n",
            "two processes put into the stream 's'",
        ),
        (
            "def top(s: Stream[i32], y: \"i32[1]\"):\n    a(s)\n    y[0] = s.get()\n",
            "the stream 's' of the top kernel is put into and got from: it has one direction",
        ),
        (
            "def top(s: Stream[i32], y: \"i32[1]\"):\n    y[0] = 1\n",
            "the stream 's' of the top kernel is never used",
        ),
        (
            "def top(s: Stream[i32], y: \"i32[2]\"):\n    for i in range(4):\n        own(y)\n    a(s)\n",
            "'own' has streams of its own: it is called at the top level of the body, not in a loop or branch",
        ),
        (
            "def top(y: \"i32[2]\"):\n    for i in range(4):\n        above(y)\n",
            "'above' has streams of its own: it is called at the top level of the body, not in a loop or branch",
        ),
    ];
    for (body, why) in cases {
        assert_eq!(refused(&format!("{head}{body}")), why);
    }
}

#[test]
fn workers_that_write_one_element_are_refused() {
    let kernel = |at: &str| {
        format!(
            "from allo import *\n\n@kernel\ndef a(s: Stream[i32]):\n    s.put(1)\n\n@kernel(mapping=[2, 2])\ndef w(y: \"i32[4]\"):\n    i = get_wid(0)\n    j = get_wid(1)\n    y[{at}] = i + j\n\n@kernel\ndef top(y: \"i32[4]\", z: \"i32[1]\"):\n    s: Stream[i32]\n    a(s)\n    w(y)\n    z[0] = s.get()\n"
        )
    };
    assert_eq!(
        refused(&kernel("i")),
        "two workers write the same element of 'y'"
    );
    assert!(compile_text(&kernel("2 * i + j"), &[], false).is_ok());
}

/// Two sums of 16 elements at the same time, and what needs both behind them.
#[test]
fn calls_of_a_directed_kernel_run_at_the_same_time() {
    let text = "from allo import *\n\n@kernel\ndef sums(x: \"i32[16]\", y: \"i32[16]\"):\n    total: i32 = 0\n    for i in range(16):\n        \
                total += x[i]\n        y[i] = total\n\n@kernel\ndef top(a: \"i32[16]\", b: \"i32[16]\", c: \"i32[16]\", d: \"i32[16]\", \
                e: \"i32[16]\"):\n    sums(a, c)\n    sums(b, d)\n    for i in range(16):\n        e[i] = c[i] - d[i]\n";
    let compiled = checked(text, &[("dataflow", "top")]);
    assert_eq!(compiled.parts.len(), 2, "the sums share a module");
    let ones = format!("{:?}", [1; 16]);
    let given = ["a", "b", "c", "d", "e"].map(|name| format!("\"{name}\": {ones}"));
    let (cycles, left) = run(&compiled, &format!("{{{}}}", given.join(", ")));
    assert!(left.contains("\"d\":[1,2,3,"), "{left}");
    assert!(cycles < 2 * 16 + 10, "{cycles}");
}

/// The frontend's form, for values that only it knows.
#[test]
fn initial_tokens_deepen_a_stream() {
    let (mut sources, file) = support::source("kernel.py", &kernel("feedback"));
    let compiled = frontend::compile(&mut sources, file, Some("top"));
    let compiled = compiled.unwrap_or_else(|errors: Diagnostics| panic!("{:?}", errors.0));
    let top = &compiled.program.kernels[compiled.program.top];
    let mut streams = top
        .arrays
        .values()
        .filter_map(|array| array.stream.as_ref());
    let stream = streams
        .find(|stream| !stream.tokens.is_empty())
        .expect("tokens");
    assert_eq!((stream.depth, stream.tokens.len()), (3, 3));
    let signature = Signature::of(&compiled.program);
    let zeros = |count: usize| vec![Value::int(allo_hls::ir::Scalar::signed(32), 0); count];
    let input = Invocation::given(&signature, vec![zeros(16), zeros(16)]);
    assert!(reference::run(&compiled.program, &input, &Options::default()).is_ok());
}

/// One multiply-accumulate for each element and cycle, from edge to edge.
#[test]
fn a_systolic_product_takes_its_waves_and_a_few_cycles() {
    let compiled = built("systolic_streams");
    let rows = |name: char| (0..4).map(move |i| format!("\"{name}_{i}\": [{i}, 2, -3, 4]"));
    let given: Vec<String> = rows('a').chain(rows('b')).collect();
    let (cycles, left) = run(&compiled, &format!("{{{}}}", given.join(", ")));
    assert!(left.contains("\"c_3_2\":[35]"), "{left}");
    assert!(cycles <= 3 * 4 - 2 + 8, "{cycles}");
}

/// The array that one process leaves to the next has banks for both; each process and what clears the array uses all of them.
#[test]
fn an_array_between_processes_may_be_split() {
    let text = kernel("array_in_banks");
    let unrolled = [("unroll", "fill/k"), ("unroll", "use/k")];
    for (split, interval) in [
        ("top/t:complete:dim=1", 1),
        ("top/t:cyclic:4:dim=1", 1),
        ("top/t:block:2:dim=1", 1),
        ("top/t:cyclic:3:dim=2", 2),
    ] {
        let flags = [("partition", split), unrolled[0], unrolled[1]];
        let compiled = checked(&text, &flags);
        let rows = compiled.manifest.loops.iter().filter(|one| one.name == "i");
        let rows: Vec<_> = rows.map(|one| one.ii).collect();
        assert_eq!(rows, [Some(interval); 2], "{split}");
    }
}

/// Blocks of so many elements are gathered and spread one element a cycle and port, beside loops that are not made to wait.
#[test]
fn blocks_in_memories_do_not_slow_the_loops_beside_them() {
    let compiled = built("blocks_in_memories");
    let given = format!("{{\"x\": {:?}, \"y\": {:?}}}", [3; 192], [0; 192]);
    let (cycles, _) = run(&compiled, &given);
    // Twice 96 elements written, gathered, spread and read, one process beside the other.
    assert!(cycles < 2 * (96 + 48 + 48 + 96) + 40, "{cycles}");
}

/// More than a queue of the reference holds where its processes run one after the other.
#[test]
fn the_reference_goes_on_where_more_is_put_than_its_queues_hold() {
    let text = "
from allo import *

@kernel
def give(s: Stream[i32]):
    for i in range(300000):
        s.put(i & 7)

@kernel
def take(s: Stream[i32]) -> i32:
    total: i32 = 0
    for i in range(300000):
        total += s.get()
    return total

@kernel
def top() -> i32:
    s: Stream[i32]
    give(s)
    return take(s)
";
    let program = support::program(text, Some("top"));
    let outcome = reference::run(&program, &Invocation::of(Vec::new()), &Options::default());
    let results = outcome.expect("an end").results;
    assert_eq!(
        results[0].get(0),
        Value::int(results[0].ty(), 300_000 / 8 * 28)
    );
}

/// Workers that have banks of their own to themselves need no copies.
#[test]
fn workers_use_the_banks_of_parameters_where_they_are() {
    let text = kernel("systolic_with_feeders");
    let copied = |partitions: &[&str]| {
        let flags: Vec<_> = partitions.iter().map(|p| ("partition", *p)).collect();
        let compiled = checked(&text, &flags);
        let notes = compiled.warnings.0.iter().map(|note| note.message.clone());
        let of = |name: &str| {
            notes
                .clone()
                .any(|note| note.starts_with(&format!("'{name}' is copied")))
        };
        ["A", "B", "C"].map(of)
    };
    let [rows, columns] = ["A:complete:dim=1", "B:complete:dim=2"];
    assert_eq!(copied(&[]), [true; 3]);
    assert_eq!(copied(&[rows, columns]), [false, false, true]);
    // Each worker of a column would read all of them.
    assert_eq!(copied(&["A:complete:dim=2"]), [true; 3]);
    assert_eq!(copied(&["C:complete"]), [true, true, false]);
    // All workers of a row write to one bank.
    assert_eq!(copied(&["C:complete:dim=1"]), [true; 3]);
}

/// What decides is counted: an iteration knows it as it begins.
#[test]
fn gets_in_every_third_iteration_are_pipelined() {
    let text = "from allo import *\n\n@kernel\ndef top(s: Stream[i32], o: Stream[i32]):\n    v: i32 = 0\n    for i in range(64):\n        \
                if i % 3 == 0:\n            v = s.get()\n        o.put(v + i // 3)\n";
    let [repeat] = &checked(text, &[]).manifest.loops[..] else {
        panic!("one loop");
    };
    assert_eq!((repeat.ii, repeat.trip), (Some(1), [Some(64); 2]));
}

/// Both arms of a branch are one get and one put: an element of each in every iteration.
#[test]
fn what_either_branch_gets_and_puts_is_got_and_put_once() {
    let text = "from allo import *\n\n@kernel\ndef top(sel: i8[64], s: Stream[i32], o: Stream[i32]):\n    for i in range(64):\n        \
                if sel[i] > 3:\n            o.put(s.get())\n        elif sel[i] * sel[i] > 3:\n            v: i32 = s.get()\n            \
                o.put(v * v)\n        else:\n            w: i32 = s.get()\n            o.put(-w)\n";
    let [repeat] = &checked(text, &[]).manifest.loops[..] else {
        panic!("one loop");
    };
    assert_eq!((repeat.ii, repeat.trip), (Some(1), [Some(64); 2]));
}

/// Who may read any bank reads the one that others read, too: three processes need a copy of two ports' memory.
#[test]
fn a_process_that_may_read_any_bank_counts_in_each() {
    let reader = |name: &str, row: &str| {
        format!(
            "@kernel\ndef {name}(x: \"i32[2, 8]\", at: \"u1[8]\", o: Stream[i32]):\n    for k in range(8):\n        \
             o.put(x[{row}, k])\n\n"
        )
    };
    let readers = [reader("p", "1"), reader("q", "1"), reader("r", "at[k]")].concat();
    let text = format!(
        "from allo import *\n\n{readers}@kernel\ndef top(x: \"i32[2, 8]\", at: \"u1[8]\", a: Stream[i32], b: Stream[i32], c: Stream[i32]):\n    \
         p(x, at, a)\n    q(x, at, b)\n    r(x, at, c)\n"
    );
    let compiled = checked(&text, &[("partition", "x:complete:dim=1")]);
    let mut notes = compiled.warnings.0.iter();
    assert!(notes.any(|note| {
        note.message
            .starts_with("'x' is copied to memories inside for 3")
    }));
}

/// Steps and divisors of which the sums need all bits, upwards and downwards, and numbers that are negative at first, which are
/// divided. Each is proven or run beside the reference.
#[test]
fn counted_remainders_and_quotients_are_those_of_divisions() {
    let ranges = [
        "0, 40, 4",
        "1, 60, 3",
        "60, -1, -7",
        "39, 1, -6",
        "5, 50, 11",
    ];
    for (range, divisor) in ranges
        .iter()
        .flat_map(|range| [3, 5, 7, 11].map(|by| (range, by)))
    {
        let text = format!(
            "from allo import *\n\n@kernel\ndef top(s: Stream[i32], o: Stream[i32]):\n    v: i32 = 0\n    for i in range({range}):\n        \
             if i % {divisor} == 1:\n            v = s.get()\n        \
             o.put(v + 100 * (i % {divisor}) + 1000 * (i // {divisor}) + (i - 9) % {divisor})\n"
        );
        let compiled = checked(&text, &[]);
        let [repeat] = &compiled.manifest.loops[..] else {
            panic!("one loop");
        };
        assert_eq!(repeat.ii, Some(1), "{range} by {divisor}");
    }
}

/// Of both arms of a branch, one may have a condition besides.
#[test]
fn what_one_arm_does_under_a_condition_is_done_under_it() {
    let of = |one: &str, other: &str| {
        format!(
            "from allo import *\n\n@kernel\ndef top(s: Stream[i32], o: Stream[i32]):\n    for i in range(64):\n        v = s.get()\n        \
             if v & 1:\n{one}        else:\n{other}"
        )
    };
    let always = "            o.put(v * 3)\n";
    let sometimes = "            if v & 2:\n                o.put(v)\n";
    for [one, other] in [
        [always, sometimes],
        [sometimes, always],
        [sometimes, sometimes],
    ] {
        let text = of(one, other);
        let [repeat] = &checked(&text, &[]).manifest.loops[..] else {
            panic!("one loop");
        };
        assert_eq!(repeat.ii, Some(1), "{text}");
    }
}
