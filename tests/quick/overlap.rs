//! Invocations overlap: how often they start, and that each has its own results.

use crate::support;
use allo_hls::driver::{Compilation, Target};
use allo_hls::levels::Level;
use allo_hls::sim::cosim::{CosimOptions, cosim_on};
use allo_hls::sim::inprocess::Netlist;

fn target() -> Target {
    let mut target = Target::new("ecp5", 10.0).expect("device");
    target.aim.level = Level::Two;
    target
}

fn built(body: &str, target: &Target) -> Compilation {
    let text = format!("from allo import *\n\n@kernel\ndef top{body}\n");
    support::hardware(&text, None, target)
}

/// Cycles between the starts of invocations that are compared with the reference, and those that one takes.
fn interval(compiled: &Compilation) -> (Option<u64>, u64) {
    let engine = Netlist::new(&compiled.design, &compiled.manifest).expect("a netlist");
    let options = CosimOptions {
        vectors: 40,
        ..CosimOptions::default()
    };
    let (program, manifest) = (&compiled.program, &compiled.manifest);
    let report = cosim_on(&engine, program, manifest, &options, &|_, _| ());
    let report = report.unwrap_or_else(|error| panic!("{error:?}"));
    (report.interval, report.cycles[0])
}

#[test]
fn invocations_start_as_often_as_the_operators_allow() {
    let table = [
        // In one cycle.
        ("(a: i8, b: i8) -> i9:\n    return a + b", 1),
        // Operators of their own, and an argument that the second one reads when the next one is there.
        ("(a: f32, b: f32) -> f32:\n    return a * b + a", 1),
        // Results that are there at different times.
        (
            "(a: f32, b: i32) -> (f32, i32):\n    return a + a, b + 1",
            1,
        ),
        // Two operators for four products, of which one has three.
        (
            "(a: f32, b: f32, c: f32) -> f32:\n    return a * b * c * (a * c)",
            3,
        ),
        // What waits for a product: made later, it would take the next arguments.
        (
            "(a: f32, b: i32, c: i32) -> f32:\n    return a * a + (b & c)",
            1,
        ),
        // A number that is converted late, since it is shorter before.
        ("(a: f64, b: i5) -> f64:\n    return a * a + b", 1),
        // A table.
        (
            "(a: u4) -> i32:\n    table: i32[16] = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3]\n    return table[a] * 3",
            1,
        ),
        // No arguments.
        ("() -> i32:\n    return 5", 1),
    ];
    for (body, least) in table {
        let (found, _) = interval(&built(body, &target()));
        assert_eq!(found, Some(least), "{body}");
    }
}

/// An operator that takes its operands several times is busy in between.
#[test]
fn operators_that_iterate_keep_invocations_apart() {
    let compiled = built("(a: i32, b: i32) -> i32:\n    return a // b", &target());
    let (interval, cycles) = interval(&compiled);
    assert!(
        interval.is_some_and(|apart| apart > 1 && apart <= cycles),
        "{interval:?} {cycles}"
    );
}

/// Loops begin again while the last iterations of the invocation before are at work, as far as arguments, results, elements,
/// variables and operators allow.
#[test]
fn invocations_start_while_the_last_iterations_are_at_work() {
    let table = [
        // Elements of its own in each iteration.
        "(x: \"f32[8]\", y: \"f32[8]\"):\n    for i in range(8):\n        y[i] = x[i] * y[i]",
        // An argument that every iteration reads.
        "(a: f32, x: \"f32[8]\", y: \"f32[8]\"):\n    for i in range(8):\n        y[i] = a * x[i] + y[i]",
        // One that the last iteration reads late.
        "(a: f32, x: \"f32[8]\", y: \"f32[8]\", w: \"f32[8]\"):\n    for i in range(8):\n        w[i] = x[i] / y[i] * a + x[i]",
        // A carried sum, which is the result.
        "(x: \"i32[8]\") -> i32:\n    s: i32 = 0\n    for i in range(8):\n        s += x[i] * x[i]\n    return s",
        // One that is still added to when the next invocation begins.
        "(x: \"f32[8]\", y: \"f32[8]\"):\n    s: f32 = 0\n    for i in range(8):\n        s += x[i]\n        y[i] = s",
        // A loop of a number of iterations that the argument says.
        "(n: i32, x: \"f32[8]\") -> i32:\n    m: i32 = n & 7\n    for i in range(m):\n        x[i] = x[i] * x[i]\n    return m",
        // Two loops with an array between.
        "(x: \"f32[8]\", y: \"f32[8]\"):\n    t: f32[8]\n    for i in range(8):\n        t[i] = x[i] + y[i]\n    for j in range(8):\n        y[j] = t[7 - j] * x[j]",
        // State in an array.
        "(x: \"f32[8]\", y: \"f32[8]\"):\n    t: Stateful[f32[8]] = 0.0\n    for i in range(8):\n        t[i] = t[i] + x[i]\n        y[i] = t[i]",
        // A result that is there before the last elements are.
        "(n: i32, x: \"f32[8]\", y: \"f32[8]\", z: \"i32[8]\", w: \"f32[8]\") -> i32:\n    s: i32 = n\n    for i in range(3):\n        s += z[i]\n        w[i] = y[i] / x[i]\n    return s",
        // State that the next invocation reads at other places.
        "(x: \"f32[8]\", y: \"f32[8]\"):\n    t: Stateful[f32[8]] = 0.0\n    for i in range(3):\n        y[i] = t[i + 1]\n        t[i] = x[i] * x[i] + x[i]",
        // A variable that is kept.
        "(n: f32) -> f32:\n    last: Stateful[f32] = 0.0\n    last += n\n    return last",
        // Less often than every cycle.
        "(x: \"f32[8]\", y: \"f32[4]\"):\n    for i in range(4):\n        y[i] = x[i] * x[i + 1] + x[i + 2] * x[i + 3]",
    ];
    for body in table {
        let (apart, cycles) = interval(&built(body, &target()));
        let apart = apart.expect("invocations one after the other");
        // By the end of one, the next has begun.
        assert!(apart <= cycles, "{apart} of {cycles}: {body}");
    }
}

/// The first level, and what is the core of something that knows one at a time.
#[test]
fn other_kernels_run_one_invocation_at_a_time() {
    let core = Target {
        is_core: true,
        ..target()
    };
    let first = Target::new("ecp5", 10.0).expect("device");
    let product = "(a: f32, b: f32) -> f32:\n    return a * b";
    let squares = "(x: \"f32[8]\"):\n    for i in range(8):\n        x[i] = x[i] * x[i]";
    let alone = [product, squares].map(|body| [built(body, &core), built(body, &first)]);
    for compiled in alone.into_iter().flatten() {
        let (interval, cycles) = interval(&compiled);
        assert!(
            interval.is_none_or(|apart| apart > cycles),
            "{interval:?} {cycles}"
        );
    }
}

/// The first element that is read is the last one that was written.
#[test]
fn invocations_wait_for_elements() {
    let body = "(x: \"f32[8]\"):\n    for i in range(8):\n        x[i] = x[7 - i] * x[i]";
    let (apart, cycles) = interval(&built(body, &target()));
    assert_eq!(apart, Some(cycles));
}

/// Registers keep a value for as long as the interval is.
#[test]
fn iterations_of_two_invocations_are_as_far_apart_as_those_of_one() {
    let body = "(x: \"f32[8]\", y: \"f32[8]\"):\n    for i in range(4):\n        y[i] = x[i] * x[i] + x[i]";
    let mut spread = crate::directives::target(&[("pipeline", "i=5")]).expect("a directive");
    spread.aim.level = Level::Two;
    let (apart, cycles) = interval(&built(body, &spread));
    let apart = apart.expect("invocations one after the other");
    assert!((4 * 5..=cycles).contains(&apart), "{apart} of {cycles}");
}
