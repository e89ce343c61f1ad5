//! Arrays that a block streams: which kernels walk them in order, and what is moved while the kernel runs.

use crate::blocks::{COPY, compare, in_process, measure, rate, streamed_block};
use crate::support::source;
use allo_hls::driver::{self, Target};
use allo_hls::rtl::axi::{self, Options};
use allo_hls::rtl::interface::block::Outstanding;

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
    target.streamed = vec![streamed.into()];
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

#[test]
fn a_streamed_array_has_its_half_of_a_master_for_itself() {
    let mut target = Target::new("ecp5", 10.0).expect("a device");
    target.streamed = vec!["b".into()];
    let compiled = crate::support::hardware(WALKS, None, &target);
    let options = |local: &[&str]| Options {
        streamed: compiled.streamed.clone(),
        local: local.iter().map(ToString::to_string).collect(),
        ..Options::default()
    };
    let around = |options: &Options| axi::around(&compiled.design, &compiled.manifest, options);
    let message = around(&options(&[])).expect_err("others are read");
    assert!(
        message.contains("'b' is streamed, and 'a' is read on the same master 'gmem'"),
        "{message}"
    );
    let message = around(&options(&["b"])).expect_err("it is no master's");
    assert!(message.contains("only masters stream"), "{message}");
    assert!(around(&options(&["a", "c", "d"])).is_ok());
}
