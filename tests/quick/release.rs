//! Regions that begin before the one before has ended: cycles that this saves, and what the checker refuses.

use crate::support;
use allo_hls::driver::Compilation;
use allo_hls::machine::program::LeafId;
use allo_hls::schedule::check::check;
use allo_hls::schedule::device::Device;
use allo_hls::sim::cosim::{CosimOptions, cosim_on};
use allo_hls::sim::inprocess::Netlist;
use std::collections::BTreeSet;

fn compiled(body: &str) -> Compilation {
    let text = format!("from allo import *\n\n@kernel\ndef top{body}\n");
    let compiled = support::ecp5(&text, Some("top"), 10.0);
    let engine = Netlist::new(&compiled.design, &compiled.manifest).expect("a netlist");
    let (program, manifest) = (&compiled.program, &compiled.manifest);
    let options = CosimOptions::default();
    let report = cosim_on(&engine, program, manifest, &options, &|_, _| ());
    report.unwrap_or_else(|error| panic!("{body}: {error:?}"));
    compiled
}

/// Leaves that release what follows before they end.
fn early(compiled: &Compilation) -> Vec<LeafId> {
    let leaves = compiled.schedule.leaves.iter();
    let early = leaves.filter(|(_, times)| times.release + 1 < times.depth);
    early.map(|(leaf, _)| leaf).collect()
}

/// Two pipelines on arrays of their own, again and again: the second begins when the first one's last iteration has.
#[test]
fn pipelines_that_have_nothing_to_do_with_one_another_overlap() {
    let body = "(a: \"f32[8]\", b: \"f32[8]\"):\n    for t in range(20):\n        for i in range(8):\n            \
                a[i] = a[i] * 1.5 + 1.0\n        for i in range(8):\n            b[i] = b[i] + a[7 - i]";
    let compiled = compiled(body);
    let depths = compiled
        .schedule
        .leaves
        .values()
        .map(|times| u64::from(times.depth));
    let drained: u64 = 20 * depths.map(|depth| depth + 8).sum::<u64>();
    let cycles = compiled.manifest.latency.max.expect("no data decide");
    assert!(cycles + 20 * 4 < drained, "{cycles} of {drained}");
    assert!(!early(&compiled).is_empty());
    assert!(compiled.schedule.drain > 0);
}

/// Elements that are read in the order in which they were stored are there when they are read.
#[test]
fn what_is_read_in_the_order_of_the_stores_can_be_read_before_the_last_store() {
    let body = |place: &str| {
        format!(
            "(a: \"f32[64]\", b: \"f32[64]\"):\n    t: f32[64]\n    for i in range(64):\n        t[i] = a[i] * a[i] + 1.0\n    \
             for i in range(64):\n        b[i] = t[{place}] * 3.0"
        )
    };
    let first = |place: &str| {
        let compiled = compiled(&body(place));
        let mut leaves = compiled.schedule.leaves.values();
        leaves.next().map(|times| times.depth - times.release)
    };
    let (in_order, backwards) = (first("i"), first("63 - i"));
    assert!(
        in_order > backwards.map(|early| early + 4),
        "{in_order:?} {backwards:?}"
    );
}

/// What is not run between two loops does not keep them apart: each may follow the other at once.
#[test]
fn a_loop_knows_what_follows_a_branch_that_is_not_taken() {
    for (branch, end) in [("if n:", ""), ("while n:", "        n = 0\n")] {
        let compiled = compiled(&format!(
            "(a: \"f32[8]\", b: \"f32[8]\", c: \"i8[8]\", n: u1):\n    t: f32[8]\n    for i in range(8):\n        \
             t[i] = a[i] * a[i] * a[i] + 1.0\n    {branch}\n        for i in range(8):\n            c[i] = c[i] + 1\n{end}    \
             for i in range(8):\n        b[i] = t[7 - i] + 2.0"
        ));
        assert!(!early(&compiled).is_empty(), "{branch}");
    }
}

/// The first loop of an iteration of an outer one loads at once what the last loop of the iteration before stores late.
#[test]
fn a_loop_knows_what_begins_the_next_outer_iteration() {
    let compiled = compiled(
        "(a: \"f32[8]\", b: \"f32[8]\"):\n    s: f32[8]\n    t: f32[8] = 1.5\n    for k in range(5):\n        for i in range(8):\n            \
         s[i] = t[7 - i]\n        for i in range(8):\n            t[i] = s[i] * a[i] * a[i] + 1.0\n    for i in range(8):\n        b[i] = t[i]",
    );
    assert!(!early(&compiled).is_empty());
}

/// Each kernel has a leaf that may be released, but not earlier than it is, for a reason.
#[test]
fn the_checker_refuses_releases_that_are_too_early() {
    let table = [
        (
            "a port of an array outside",
            "(a: \"f32[8]\", b: \"f32[8]\"):\n    for i in range(8):\n        b[i] = a[i] * a[i] + 1.0\n    for i in range(8):\n        \
             a[i] = b[7 - i] + 2.0",
            "uses Port",
        ),
        (
            "an element that is read next",
            "(a: \"f32[8]\", b: \"f32[8]\"):\n    t: f32[8]\n    for i in range(8):\n        t[i] = a[i] * a[i] + 1.0\n    for i in range(8):\n        \
             b[i] = t[7 - i] + 2.0",
            "meets it in 't'",
        ),
        (
            "a variable that is read next",
            "(a: \"f32[8]\", b: \"f32[8]\"):\n    s: f32 = 0\n    for i in range(8):\n        s += a[i]\n    for i in range(8):\n        \
             b[i] = s",
            "is not written yet",
        ),
        (
            "a variable that changes next",
            "(a: \"i32[8]\", b: \"i32[8]\", n: i32):\n    k: i32 = n\n    while k > 0:\n        for i in range(8):\n            \
             b[i] = (a[i] * a[i] + 7) * a[i] // k\n        k = k // 2 - 1",
            "changes while it is read",
        ),
        (
            "a program that ends",
            "(a: \"f32[8]\", b: \"f32[8]\"):\n    for t in range(3):\n        for i in range(8):\n            a[i] = a[i] * 1.5 + 1.0\n        \
             for i in range(8):\n            b[i] = b[i] * 2.5 + 0.5",
            "the program ends before it does",
        ),
        (
            "an operator that both share",
            "(a: \"f32[8]\", b: \"f32[8]\"):\n    for i in range(8):\n        a[i] = sqrt_of(a[i]) + 1.0\n    for i in range(8):\n        \
             b[i] = sqrt_of(b[i] + 1.0)\n\n@kernel\ndef sqrt_of(x: f32) -> f32:\n    return x / (x * x + 2.0)",
            "Unit",
        ),
    ];
    let device = Device::load("ecp5").expect("a device");
    for (what, body, reason) in table {
        let compiled = compiled(body);
        let mut reasons = BTreeSet::new();
        for (leaf, times) in compiled.schedule.leaves.iter() {
            for release in 0..times.release {
                let mut spoilt = compiled.schedule.clone();
                spoilt.leaves[leaf].release = release;
                spoilt.drain = spoilt.leaves.values().map(|times| times.depth).sum();
                reasons.extend(check(&compiled.hardware, &spoilt, &device).err());
            }
        }
        let mut spoilt = compiled.schedule.clone();
        spoilt.drain = 0;
        reasons.extend(check(&compiled.hardware, &spoilt, &device).err());
        let found = reasons.iter().any(|found| found.contains(reason));
        assert!(found, "{what}: {reasons:?}");
    }
}

/// Each kernel begins again before it is done, but not earlier than it does, for a reason.
#[test]
fn the_checker_refuses_invocations_that_begin_too_early() {
    let table = [
        (
            "an argument that the last iteration reads late",
            "(a: f32, x: \"f32[8]\", y: \"f32[8]\", w: \"f32[8]\"):\n    for i in range(8):\n        w[i] = x[i] / y[i] * a + x[i]",
            "'a' may change while it is read",
        ),
        (
            "a result that waits for the last elements",
            "(x: \"f32[8]\", y: \"f32[8]\", z: \"i32[8]\", w: \"f32[8]\") -> i32:\n    s: i32 = 0\n    for i in range(3):\n        s += z[i]\n        \
             w[i] = y[i] / x[i]\n    return s",
            "writes a result before the end",
        ),
        (
            "an element that the next invocation reads",
            "(x: \"f32[8]\", y: \"f32[8]\"):\n    t: Stateful[f32[8]] = 0.0\n    for i in range(3):\n        y[i] = t[i + 1]\n        t[i] = x[i] * x[i] + x[i]",
            "meets it in 't'",
        ),
        (
            "a port of the same loop",
            "(x: \"f32[8]\"):\n    for i in range(8):\n        x[i] = x[7 - i] * x[i]",
            "uses Port",
        ),
        (
            "iterations that are as far apart as is directed",
            "(x: \"f32[8]\", y: \"f32[8]\"):\n    for i in range(4):\n        y[i] = x[i] * x[i] + x[i]",
            "too near to one another",
        ),
        (
            "a sum that the last iteration adds to",
            "(x: \"f32[8]\", y: \"f32[8]\"):\n    s: f32 = 0\n    for i in range(8):\n        s += x[i]\n        y[i] = s",
            "a carried value is still in use",
        ),
        (
            "a block",
            "(x: \"f32[8]\"):\n    x[0] = x[1] / x[2]",
            "it starts again before its end",
        ),
    ];
    let device = Device::load("ecp5").expect("a device");
    for (what, body, reason) in table {
        let flags: &[_] = match reason {
            "too near to one another" => &[("pipeline", "i=5")],
            _ => &[],
        };
        let target = crate::directives::target(flags).expect("directives");
        let text = format!("from allo import *\n\n@kernel\ndef top{body}\n");
        let compiled = support::hardware(&text, None, &target);
        let (hardware, schedule) = (&compiled.hardware, &compiled.schedule);
        // As early as the loop's end is known, and later.
        let mut reasons = BTreeSet::new();
        let longest = schedule.leaves.values().map(|times| times.depth).max();
        for release in 0..longest.expect("a leaf") {
            let mut spoilt = schedule.clone();
            for id in hardware.leaves.ids() {
                let times = &mut spoilt.leaves[id];
                times.release = times.release.min(release);
            }
            spoilt.drain = spoilt.leaves.values().map(|times| times.depth).sum();
            spoilt.restart = Some(0);
            reasons.extend(check(hardware, &spoilt, &device).err());
        }
        for restart in 0..schedule.restart.unwrap_or(schedule.drain) {
            let mut spoilt = schedule.clone();
            spoilt.restart = Some(restart);
            reasons.extend(check(hardware, &spoilt, &device).err());
        }
        let found = reasons.iter().any(|found| found.contains(reason));
        assert!(found, "{what}: {reasons:?}");
        let mut late = schedule.clone();
        late.restart = Some(late.drain + 1);
        let refused = check(hardware, &late, &device).expect_err(what);
        assert_eq!(
            refused, "the next invocation is asked for after the end",
            "{what}"
        );
    }
}
