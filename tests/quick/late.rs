//! What a loop does earlier than it is waited for comes later: fewer bits wait in registers, and no cycle is lost.

use crate::directives::{checked_for, target};
use crate::support;
use allo_hls::diagnostics::Diagnostics;
use allo_hls::driver::{Compilation, Target};
use allo_hls::levels::Level;
use allo_hls::rtl::netlist::Item;
use allo_hls::schedule::late::{self, Saving};
use allo_hls::schedule::{self, Schedule, check, forecast, release};

/// Bits of registers of the kernel's own module.
fn registers(compiled: &Compilation) -> u64 {
    let design = &compiled.design;
    let module = &design.modules[design.top().expect("a module")];
    let bits = module.items.iter().map(|item| match item {
        Item::Register(register) => u64::from(module.nets[register.out].width),
        _ => 0,
    });
    bits.sum()
}

fn compiled(flags: &[(&str, &str)], text: &str) -> Compilation {
    let target = target(flags).expect("directives");
    checked_for(&format!("from allo import *\n\n{text}"), &target)
}

/// A sum of eight products in their order: each adder waits for the one before.
const CHAIN: &str = "
@kernel
def top(a: \"f32[32, 8]\", x: \"f32[8]\", y: \"f32[32]\"):
    for i in range(32):
        s: f32 = 0.0
        for j in range(8):
            s += a[i, j] * x[j]
        y[i] = s
";

/// Eight sums, which all read one element in each iteration, of which a ninth one is a chain of eight.
const SHARED: &str = "
@kernel
def top(a: \"f32[32, 8]\", r: \"f32[8]\", p: \"f32[32]\", q: \"f32[8]\", s: \"f32[32]\"):
    for j in range(32):
        for i in range(8):
            s[j] += r[i] * a[j, i]
            q[i] += a[j, i] * p[j]
";

const WIDE: &[(&str, &str)] = &[
    ("unroll", "j=8"),
    ("partition", "a:complete:dim=2"),
    ("partition", "x:complete"),
];

#[test]
fn products_are_made_where_a_sum_takes_them() {
    let found = compiled(WIDE, CHAIN);
    // Seven products would wait for their turns, 4 cycles after one another.
    let waiting = 32 * 4 * (7 * 8 / 2);
    assert!(registers(&found) < waiting / 2, "{}", registers(&found));
    let cycles = forecast::cycles(&found.hardware, &found.schedule);
    assert!(cycles < 32 + 8 * 6 + 12, "{cycles}");
}

/// An iteration waits for a stream where it begins, and nowhere else.
#[test]
fn elements_of_streams_are_got_where_an_iteration_begins() {
    let found = compiled(
        &[],
        "
@kernel
def top(a: \"f64[64]\", s: \"Stream[f64, 8]\", y: \"f64[64]\"):
    for i in range(64):
        v: f64 = s.get()
        y[i] = a[i] * a[i] * a[i] + v
",
    );
    let [part] = &found.parts[..] else {
        panic!("one process");
    };
    assert!(!schedule::waits_late(&part.program, &part.schedule));
}

/// A program with the schedules before and after things come later.
fn both(text: &str, level: Level) -> (Compilation, [Schedule; 2], Target) {
    let mut target = Target::new("ecp5", 10.0).expect("device");
    target.aim.level = level;
    let compiled = support::hardware(&format!("from allo import *\n\n{text}"), None, &target);
    let (device, period) = (&target.device, target.period);
    let warnings = &mut Diagnostics::default();
    let early = schedule::schedule(&compiled.hardware, device, period, warnings).expect("times");
    let mut later = early.clone();
    let overlaps = level == Level::Two;
    late::delay(
        &compiled.hardware,
        &mut later,
        device,
        Saving::WORTH,
        overlaps,
    );
    (compiled, [early, later], target)
}

/// The second loop writes what the first one reads: that is not read later, so that the second one begins as soon.
const ONE_AFTER_ANOTHER: &str = "
@kernel
def top(a: \"f32[40]\", b: \"f32[40]\", c: \"f32[40]\", k: \"i8[40]\"):
    for i in range(40):
        c[i] = (a[i] * a[i] * a[i]) * b[i] + k[i]
    for i in range(40):
        b[i] = 1.0
        k[i] = 2
";

#[test]
fn what_follows_is_not_held_up() {
    for text in [CHAIN, SHARED, ONE_AFTER_ANOTHER] {
        for level in [Level::One, Level::Two] {
            let (compiled, [early, later], target) = both(text, level);
            let program = &compiled.hardware;
            let cycles = [&early, &later].map(|schedule| forecast::cycles(program, schedule));
            assert!(cycles[1] <= cycles[0], "{cycles:?}\n{text}");
            check::check(program, &later, &target.device).expect("a schedule");
            for (before, after) in early.leaves.values().zip(later.leaves.values()) {
                assert_eq!((before.ii, before.depth), (after.ii, after.depth));
            }
        }
    }
}

/// A float that is carried out of one loop as sums are, and into another one as memories hold it; what is compared with it is
/// late.
const HANDED_ON: &str = "
@kernel
def top(a: \"u1[1]\", b: \"u1[1]\", x: f16):
    s: f32 = x
    for i in range(1):
        s = 0 + s
    for j in range(1):
        b = s >= a[0]
        s = x - 0
";

#[test]
fn what_carried_values_begin_with_is_there_in_the_first_cycle() {
    let compiled = compiled(&[], HANDED_ON);
    let mut checked = 0;
    for (id, leaf) in compiled.hardware.leaves.iter() {
        let times = &compiled.schedule.leaves[id].times;
        for phi in leaf.phis().map(|phi| phi.node) {
            let first = leaf.graph.nodes[phi].args[0];
            assert!(times.width[phi.index()] == 0 || times.ready[first.index()] == 0);
            checked += 1;
        }
    }
    assert!(checked > 0);
}

/// Of a row, each element and those above and below it, which waited in registers for one iteration and two.
const ROWS: &str = "
@kernel
def top(a: \"f32[10, 8]\", b: \"f32[10, 8]\"):
    for i in range(1, 9):
        for j in range(8):
            b[i, j] = 0.5 * (a[i, j] + a[i + 1, j] + a[i - 1, j])
";

/// The kernel runs as the reference does, which it would not with registers that take another value before theirs is read.
#[test]
fn registers_of_carried_values_that_are_read_later_take_the_next_ones_later() {
    let compiled = compiled(&[("unroll", "j")], ROWS);
    let mut moved = 0;
    for (id, leaf) in compiled.hardware.leaves.iter() {
        let times = &compiled.schedule.leaves[id].times;
        for phi in leaf.phis().map(|phi| phi.node) {
            let next = leaf.graph.nodes[phi].args[1];
            moved += usize::from(times.ready[phi.index()] > times.ready[next.index()]);
        }
    }
    assert!(moved > 0);
}

/// What is read later holds up the next invocation, by cycles of which a long one has enough.
#[test]
fn the_next_invocation_is_held_up_by_one_part_in_a_thousand_at_most() {
    for (count, is_delayed) in [(40, false), (60_000, true)] {
        let (compiled, schedules, _) = both(
            &format!(
                "
@kernel
def top(a: \"f32[{count}]\", b: \"f32[{count}]\", c: \"f32[{count}]\"):
    for i in range(8):
        b[i] = 1.0
    for i in range({count}):
        c[i] = (a[i] * a[i] * a[i]) * a[i] + b[i]
"
            ),
            Level::Two,
        );
        let program = &compiled.hardware;
        let [early, later] = schedules.map(|mut schedule| {
            release::overlap_invocations(program, &mut schedule);
            schedule.restart.unwrap_or(schedule.drain)
        });
        let delay = later - early;
        assert_eq!(delay > 0, is_delayed, "{count}");
        assert!(delay <= count / 1000, "{delay}");
    }
}
