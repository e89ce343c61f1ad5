//! Arrays that a block streams: which kernels walk them in order, and what is moved while the kernel runs.

use crate::blocks::{COPY, compare, in_process, measure, rate, streamed_block};
use crate::directives;
use crate::support::source;
use allo_hls::driver::{self, Target};
use allo_hls::rtl::axi::{self, Interface, Options};
use allo_hls::rtl::interface::block::Outstanding;
use allo_hls::transform::streamed::{Masters, Others};

/// Elements narrower and wider than beats, with a whole walk, a part of one, a nest, and an array that is not streamed.
const WALKS: &str = "
from allo import *
u100 = apint(100)
i48 = apint(48, signed=True)

@kernel
def walks(a: u8[3, 5], b: u100[12], c: i48[12], d: u16[15], out: u100[9], small: u8[15]) -> i32:
    total: i32 = 0
    for i in range(3):
        for j in range(5):
            small[5 * i + j] = a[i, j] + a[i, j] * d[5 * i + j]
            total += a[i, j]
    for i in range(9):
        out[i] = b[i] + c[i]
    return total
";

/// Under pauses, latency, resets in the middle, and bases anywhere; with the same results as with buffers.
#[test]
fn what_is_streamed_arrives_in_order_and_once() {
    let bundle = |array: &str, name: &str| (array.to_string(), name.to_string());
    for width in [32, 128] {
        let options = Options {
            width,
            outstanding: Outstanding { read: 2, write: 1 },
            bundles: vec![
                bundle("a", "a"),
                bundle("b", "b"),
                bundle("c", "c"),
                bundle("small", "a"),
            ],
            ..Options::default()
        };
        let streamed = ["a", "b", "c", "out", "small"];
        let (compiled, design, manifest) = streamed_block(WALKS, &options, &streamed);
        let counts: Vec<u64> = compiled.streamed.iter().map(|array| array.count).collect();
        assert_eq!(counts, [15, 9, 9, 9, 15]);
        let report = compare(&compiled, &in_process(&design, &manifest), 2);
        assert_eq!((report.compared, report.resets), ((2 + 2 + 2) * 78 + 8, 2));
        let text = manifest.to_json();
        assert_eq!(text.matches("\"buffer\": \"stream\"").count(), 5);
    }
}

/// Both channels at once: as many cycles as the array has beats, and a few.
#[test]
fn transfers_overlap_with_the_kernel() {
    let (copied, cycles, reads, writes) = measure(COPY, 64, &["x", "y"]);
    let ty = copied.ty();
    assert_eq!(
        copied.get(2047).data,
        allo_hls::sim::value::Value::int(ty, 2047).data
    );
    assert!(rate(&reads, 2048) > 0.95 && rate(&writes, 2048) > 0.95);
    assert!(cycles < 2048 + 100, "{cycles}");
}

fn refused(params: &str, body: &str, streamed: &str) -> String {
    let text = format!("from allo import *\n\n@kernel\ndef k({params}):\n    {body}\n");
    let mut target = Target::new("ecp5", 10.0).expect("a device");
    target.streamed.asked = vec![streamed.into()];
    let (mut sources, file) = source("k.py", &text);
    let found = driver::compile(&mut sources, file, None, &target);
    let message = found.expect_err("it is no stream").render(&sources, false);
    assert!(
        message.contains("--axi-buffer") || message.contains("stream"),
        "{message}"
    );
    message
}

#[test]
fn what_is_not_walked_in_order_is_refused_where_that_shows() {
    let array = "x: i32[8], y: i32[8], n: i32";
    for (body, why) in [
        (
            "for i in range(8): y[i] = x[7 - i]",
            "does not walk along it",
        ),
        (
            "for i in range(4): y[i] = x[2 * i]",
            "does not walk along it",
        ),
        (
            "for i in range(7): y[i] = x[i + 1]",
            "does not walk along it",
        ),
        (
            "for i in range(2):\n        for j in range(4): y[j] = x[j]",
            "does not walk along it",
        ),
        (
            "for i in range(4):\n        for j in range(2): y[i] = x[4 * j + i]",
            "does not walk along it",
        ),
        ("for i in range(n): y[i] = x[i]", "does not walk along it"),
        (
            "for i in range(8): y[i] = x[y[i]]",
            "does not walk along it",
        ),
        (
            "for i in range(7): y[i] = x[i] + x[i + 1]",
            "does not walk along it",
        ),
        ("for i in range(8): x[i] = x[i] + 1", "read and written"),
        (
            "for i in range(8):\n        if n > 3: y[i] = x[i]",
            "depends on the data",
        ),
        (
            "i: i32 = 0\n    while i < n:\n        y[i] = x[i]\n        i += 1",
            "depends on the data",
        ),
        (
            "z: i32[8] = x\n    for i in range(8): y[i] = z[i]",
            "as a whole",
        ),
        ("for i in range(8): y[i] = n", "never accessed"),
    ] {
        let message = refused(array, body, "x");
        assert!(message.contains(why), "{body}: {message}");
        // The line of the access, not that of the kernel.
        assert!(
            why == "never accessed" || !message.contains("k.py:4"),
            "{message}"
        );
    }
    assert!(refused(array, "y[0] = x[0]", "z").contains("no array argument 'z'"));
    let mut target = directives::target(&[("partition", "x:cyclic:2")]).expect("a directive");
    target.streamed.asked = vec!["x".into()];
    let copy = "from allo import *\n\n@kernel\ndef top(x: i32[8], y: i32[8]):\n    for i in range(8):\n        y[i] = x[i]\n";
    let why = directives::compile_for(copy, &target).expect_err("it is split");
    assert_eq!(why, "'x' is not streamed: it is split into banks");
    // An access that runs once walks along one element; a loop of one iteration around it as well.
    let (compiled, ..) = streamed_block(
        "from allo import *\n\n@kernel\ndef k(x: i32[8], y: i32[1]):\n    for i in range(3, 4): y[i - 3] = x[0]\n",
        &Options::default(),
        &["x", "y"],
    );
    assert_eq!(
        compiled
            .streamed
            .iter()
            .map(|array| array.count)
            .collect::<Vec<_>>(),
        [1, 1]
    );
}

/// All of them on one master, or some held in buffers, or behind the control slave: under pauses and resets, and where the order
/// in which elements are asked for is another than the order of the arrays.
#[test]
fn streams_share_a_master_with_one_another_and_with_buffers() {
    for (streamed, read, write) in [
        (&["a", "b", "c", "d", "out", "small"][..], 3, 2),
        (&["b", "small"], 1, 1),
    ] {
        let options = Options {
            outstanding: Outstanding { read, write },
            ..Options::default()
        };
        let (compiled, design, manifest) = streamed_block(WALKS, &options, streamed);
        let report = compare(&compiled, &in_process(&design, &manifest), 2);
        assert_eq!((report.compared, report.resets), ((2 + 2 + 2) * 78 + 8, 2));
    }
}

/// Two arrays are read and two written, the second of each first, each much longer than what a queue holds.
const CROSSED: &str = "
from allo import *

@kernel
def crossed(a: i64[700], b: i64[700], c: i64[700], d: i64[700]):
    for i in range(700):
        d[i] = b[i] + 1
    for i in range(700):
        c[i] = a[i] - 1
";

#[test]
fn a_stream_that_nobody_asks_for_yet_holds_up_no_other() {
    let (compiled, design, manifest) =
        streamed_block(CROSSED, &Options::default(), &["a", "b", "c", "d"]);
    let report = compare(&compiled, &in_process(&design, &manifest), 1);
    assert!(report.compared >= 3 * 1400);
}

fn chosen(text: &str, held: &[&str], masters: Option<(u64, &[&str])>) -> Vec<String> {
    let mut target = Target::new("ecp5", 10.0).expect("a device");
    let own = |array: &&str| (array.to_string(), array.to_string());
    let masters = masters.map(|(beat, own_master)| Masters {
        beat,
        bundles: own_master.iter().map(own).collect(),
    });
    target.streamed.others = Some(Others {
        held: held.iter().map(ToString::to_string).collect(),
        masters,
    });
    let compiled = crate::support::hardware(text, None, &target);
    let streamed = compiled.streamed.into_iter();
    streamed.map(|array| array.name).collect()
}

#[test]
fn frames_of_what_is_walked_in_order_to_its_end_are_streamed() {
    assert_eq!(chosen(WALKS, &[], None), ["a", "d", "out", "small"]);
    assert_eq!(chosen(WALKS, &["d"], None), ["a", "out", "small"]);
}

/// What nobody said a word about is streamed where the master is busy all the time: with two beats of four bytes an iteration, but
/// not with one of eight.
#[test]
fn what_is_walked_in_order_is_streamed_where_the_master_is_what_binds() {
    let sum = "
from allo import *

@kernel
def sum(x: i32[64], y: i32[64], z: i32[64]):
    for i in range(64):
        z[i] = x[i] + y[i]
";
    assert_eq!(chosen(sum, &[], Some((8, &[]))), ["x", "y", "z"]);
    assert_eq!(chosen(sum, &[], Some((8, &["x"]))), [""; 0]);
    assert_eq!(chosen(sum, &[], Some((16, &[]))), [""; 0]);
    assert_eq!(chosen(sum, &["z"], Some((8, &[]))), ["x", "y"]);
    // Too large for the device.
    let large = sum.replace("64", "50000");
    assert_eq!(chosen(&large, &[], Some((16, &[]))), ["x", "y", "z"]);
}

/// The zeros that it begins with are overwritten, all of them.
#[test]
fn the_only_result_is_streamed() {
    let text = "
from allo import *

@kernel
def doubled(x: i64[12]) -> i64[12]:
    out: i64[12] = 0
    for i in range(12):
        out[i] = x[i] + x[i]
    return out
";
    assert_eq!(chosen(text, &[], Some((8, &[]))), ["x", "ap_return"]);
    assert_eq!(chosen(text, &["ap_return"], None), ["x"]);
    let (compiled, design, manifest) =
        streamed_block(text, &Options::default(), &["x", "ap_return"]);
    let [result] = &manifest.returns[..] else {
        panic!("one result");
    };
    assert_eq!(
        (manifest.args.len(), result.name.as_deref()),
        (1, Some("ap_return"))
    );
    let report = compare(&compiled, &in_process(&design, &manifest), 2);
    assert!(report.compared >= 2 * 24);
}

#[test]
fn an_array_larger_than_the_device_that_cannot_be_streamed_is_refused() {
    let text = "
from allo import *

@kernel
def turned(x: i32[200000], y: i32[200000]):
    for i in range(200000):
        y[i] = x[199999 - i]
";
    let mut target = Target::new("ecp5", 10.0).expect("a device");
    let others = Others {
        held: Vec::new(),
        masters: None,
    };
    target.streamed.others = Some(others.clone());
    let refused = |target: &Target| {
        let (mut sources, file) = source("k.py", text);
        let found = driver::compile(&mut sources, file, None, target);
        found.err().map(|found| found.render(&sources, false))
    };
    let message = refused(&target).expect("it does not fit");
    assert!(
        message.contains("k.py:7:16") && message.contains("--axis-buffer x"),
        "{message}"
    );
    let held = vec!["x".into()];
    target.streamed.others = Some(Others { held, ..others });
    assert_eq!(refused(&target), None);
}

/// Frames that go to the core as they come, and out as they are made.
#[test]
fn frames_are_streamed() {
    let text = "
from allo import *

@kernel
def frames(a: i16[40], b: u8[40], c: i32[40]):
    for i in range(40):
        c[i] = a[i] * b[i]
";
    for control in [true, false] {
        let options = Options {
            interface: Interface::Axis,
            control,
            ..Options::default()
        };
        let (compiled, design, manifest) = streamed_block(text, &options, &["a", "b", "c"]);
        let report = compare(&compiled, &in_process(&design, &manifest), 3);
        assert!(report.compared >= 3 * 40);
        assert_eq!(manifest.frame_error.is_some(), !control);
    }
}

#[test]
fn an_array_behind_the_control_slave_is_no_stream() {
    let mut target = Target::new("ecp5", 10.0).expect("a device");
    target.streamed.asked = vec!["b".into()];
    let compiled = crate::support::hardware(WALKS, None, &target);
    let options = Options {
        streamed: compiled.streamed.clone(),
        local: vec!["b".into()],
        ..Options::default()
    };
    let message = axi::around(&compiled.design, &compiled.manifest, &options);
    let message = message.expect_err("it is no master's");
    assert!(message.contains("behind the control slave"), "{message}");
}
