//! Limits of operators: how many instances there are, what it costs, what is refused, and that no bit changes.

use crate::directives::{checked_for, compile_for, target};
use crate::support;
use allo_hls::codes;
use allo_hls::directives;
use allo_hls::driver::{Compilation, Target};
use allo_hls::hwarith::graph::UnitId;
use allo_hls::levels::Level;
use allo_hls::schedule::{check::check, device::Device};

/// Products in a loop, in one that carries its sum, in straight-line code, in one whose length the data decide; quotients.
const KERNEL: &str = "
from allo import *

@kernel
def top(x: \"f32[16]\", y: \"f32[16]\", z: \"f32[8]\", w: \"u32[8]\", h: \"f16[8]\", n: u3) -> f32:
    for i in range(8):
        z[i] = x[i] * y[i] * (x[i + 8] * y[i + 8])
    s: f32 = x[0] * y[1] + x[1] * y[0] - x[2] * y[2] * x[3]
    for j in range(8):
        s += x[j] * y[j] * z[7 - j]
    for k in range(n):
        s = (s * x[k] + y[k]) * z[k]
    for q in range(8):
        w[q] = w[q] // (w[7 - q] + 3) + w[q] // 100007 + w[q] // (q + n + 1)
    for p in range(8):
        h[p] = h[p] * h[p] * h[7 - p] * h[p]
    return s
";

fn built_at(flags: &[(&str, &str)], period: f64) -> Compilation {
    let target = target(flags).expect("directives");
    checked_for(KERNEL, &Target { period, ..target })
}

fn built(flags: &[(&str, &str)]) -> Compilation {
    built_at(flags, 10.0)
}

fn refused(flags: &[(&str, &str)], period: f64) -> String {
    let target = match target(flags) {
        Ok(target) => target,
        Err(why) => return why,
    };
    match compile_for(KERNEL, &Target { period, ..target }) {
        Ok(_) => panic!("{flags:?} is carried out"),
        Err(why) => why,
    }
}

fn interval(compiled: &Compilation, label: &str) -> Option<u64> {
    let mut loops = compiled.manifest.loops.iter();
    loops.find(|one| one.name == label).expect("the loop").ii
}

fn products(compiled: &Compilation) -> usize {
    support::instances(compiled, "fmul_e8f23")
}

#[test]
fn an_operator_has_the_instances_that_it_may_have() {
    let plain = built(&[]);
    assert_eq!(interval(&plain, "i"), Some(1));
    // Of the loops that could share, some would lose time by it. Products that a loop carries have an operator of their own.
    assert_eq!(products(&plain), 3);
    assert_eq!(support::instances(&plain, "fmul_late_e8f23"), 1);
    for (most, intervals) in [(1, [3, 2]), (2, [2, 1]), (3, [1, 1])] {
        let limit = format!("fmul_f32={most}");
        let compiled = built(&[("bind", &limit)]);
        assert_eq!(products(&compiled), most);
        let found = ["i", "j"].map(|label| interval(&compiled, label));
        assert_eq!(found[0], Some(intervals[0]), "{most}");
        // Its sum is carried besides.
        assert!(found[1] >= Some(intervals[1]), "{most}: {found:?}");
        let mut leaves = compiled.schedule.leaves.values();
        let is_bound = leaves.any(|leaf| leaf.bound_by.to_string() == "operator fmul_e8f23");
        assert_eq!(is_bound, most < 3, "{most}");
    }
    for most in ["fmul_f32=5", "fmul_e8f23=5", "fmul_f32=100"] {
        let compiled = built(&[("bind", most)]);
        assert_eq!(compiled.systemverilog(), plain.systemverilog(), "{most}");
    }
}

/// Several limits hold at once, for operators of every sort and at every clock.
#[test]
fn limits_hold_for_all_operators_at_all_clocks() {
    let flags = ["fmul_f32=1", "fadd_f32=1", "fmul_f16=1"].map(|limit| ("bind", limit));
    for period in [100.0, 40.0, 10.0, 5.0] {
        let compiled = built_at(&flags, period);
        let of = |name: &str| support::instances(&compiled, name);
        let found = ["fmul_e8f23", "fadd_e8f23", "fmul_e5f10"].map(of);
        assert_eq!(found, [1; 3], "{period} ns");
    }
}

#[test]
fn an_operator_that_is_iterated_can_be_limited() {
    let plain = built(&[]);
    for unit in plain.hardware.units.values() {
        if !unit.name.starts_with("div") {
            continue;
        }
        for (most, unroll) in [(1, "q=2"), (2, "q=4"), (1, "q=8")] {
            let limit = format!("{}={most}", unit.name);
            let flags = [("bind", limit.as_str()), ("unroll", unroll)];
            let found = ["", "_rolled", "_shared", "_rolled_shared"];
            let found = found.map(|kind| format!("{}{kind}", unit.name));
            let is_it = |name: &str| found.iter().any(|one| one == name);
            let instances = support::instances_of(&built(&flags), is_it);
            assert!((1..=most).contains(&instances), "{flags:?}: {instances}");
        }
    }
}

/// Unrolled iterations take turns.
#[test]
fn iterations_side_by_side_share_what_there_is() {
    let of = |flags: &[(&str, &str)]| {
        let compiled = built(flags);
        (products(&compiled), interval(&compiled, "i"))
    };
    let unrolled = [("unroll", "i=4"), ("bind", "fmul_f32=4")];
    let (instances, ii) = of(&unrolled);
    assert!(instances <= 4 && ii >= Some(3), "{instances}, {ii:?}");
    let straight = [("unroll", "i"), ("unroll", "j"), ("bind", "fmul_f32=2")];
    let compiled = built(&straight);
    assert!(products(&compiled) <= 2);
}

#[test]
fn an_interval_that_the_operators_forbid_names_them() {
    let compiled = built(&[("pipeline", "i=1"), ("bind", "fmul_f32=2")]);
    let mut warnings = compiled.warnings.0.iter();
    let warning = warnings.find(|one| one.code == codes::INTERVAL);
    assert_eq!(
        warning.expect("a warning").message,
        "--pipeline i=1: the least initiation interval is 2, bound by operator fmul_e8f23"
    );
}

#[test]
fn limits_that_cannot_be_kept_are_refused() {
    let of = |value: &str| refused(&[("bind", value)], 10.0);
    assert_eq!(of("fmul_f32=0"), "--bind fmul_f32=0: one unit is the least");
    let why = of("fdiv_f32=1");
    let expected = "--bind fdiv_f32=1: there is no operator 'fdiv_f32'; the operators are 'fmul_f32', 'fadd_f32', ";
    assert!(why.starts_with(expected), "{why}");
    assert!(why.contains("'fmul_f16'"), "{why}");
    let twice = [("bind", "fmul_f32=2"), ("bind", "fmul_e8f23=2")];
    assert_eq!(
        refused(&twice, 10.0),
        "--bind fmul_e8f23=2: an earlier directive says something else of it"
    );
    assert_eq!(of("fmul_f32"), "a number of units is needed after '='");
    assert_eq!(of("fmul_f32=-1"), "a whole number is needed after '='");
    assert_eq!(of("=1"), "an operator is needed");
    let many = [("unroll", "i"), ("unroll", "j"), ("bind", "fmul_f32=1")];
    let why = refused(&many, 2.5);
    let expected = "--bind fmul_e8f23=1: the choice among the operands of ";
    assert!(why.starts_with(expected), "{why}");
}

#[test]
fn files_say_of_operators_what_flags_say() {
    let text = "[[directive]]\nkind = \"bind\"\nop = \"fmul_f32\"\nunits = 4\n\n";
    let flag = directives::flag("bind", "fmul_f32=4").expect("a directive");
    assert_eq!(flag.to_string(), "--bind fmul_f32=4");
    assert_eq!(directives::read(text), Ok(vec![flag.clone()]));
    assert_eq!(directives::to_toml(&[flag]), text);
}

#[test]
fn the_checker_counts_instances() {
    let device = Device::load("ecp5").expect("device");
    for flags in [&[][..], &[("bind", "fmul_f32=2")]] {
        let mut compiled = built(flags);
        let most = products(&compiled) as u32;
        let units = &compiled.hardware.units;
        let is_product = |id: &UnitId| units[*id].name == "fmul_e8f23";
        let id = units.ids().find(is_product).expect("products");
        for (limit, holds) in [(most, true), (most - 1, false)] {
            compiled.hardware.units[id].most = Some(limit);
            let verdict = check(&compiled.hardware, &compiled.schedule, &device);
            assert_eq!(verdict.is_ok(), holds, "{flags:?}: {verdict:?}");
        }
    }
}

/// A loop that is scheduled again for the sums has its products at other times: the choice in front of these may not become
/// longer than it is paid for.
#[test]
fn two_limits_leave_each_others_choices_as_long_as_they_are() {
    let kernels = [
        (
            "    for i in range(7):\n        a[i] = ((x * (a[7-i] * b[i+1])) + b[i])\n",
            ["fadd_f32=1", "fmul_f32=2"],
        ),
        (
            "    for i in range(8):\n        a[7-i] = (((a[7-i] - x) + x) + a[i])\n        a[i] = x\n        \
             a[i] = ((b[i] * (a[i] + a[7-i])) + a[i])\n",
            ["fadd_f32=2", "fmul_f32=2"],
        ),
    ];
    for (body, limits) in kernels {
        let text = format!(
            "from allo import *\n\n@kernel\ndef top(a: \"f32[9]\", b: \"f32[9]\", x: f32):\n{body}"
        );
        for period in [5.0, 1000.0 / 150.0] {
            for level in [Level::One, Level::Two] {
                let flags = limits.map(|limit| ("bind", limit));
                let mut target = target(&flags).expect("directives");
                target.aim.level = level;
                target.period = period;
                let compiled = checked_for(&text, &target);
                let device = Device::load("ecp5").expect("device");
                let verdict = check(&compiled.hardware, &compiled.schedule, &device);
                assert_eq!(verdict, Ok(()), "{limits:?} at {period} ns");
            }
        }
    }
}

/// Factors that all of four products at a time take, before the others and after them.
const FACTORS: &str = "
from allo import *

@kernel
def top(a: f32, b: f32, x: \"f32[16]\", y: \"f32[16]\"):
    for i in range(16):
        y[i] = a * x[i]
    for j in range(16):
        x[j] = y[j] * b
    for k in range(16):
        y[k] = a / y[k]
    for l in range(16):
        x[l] = a / x[l]
";

#[test]
fn what_all_products_take_comes_in_on_one_port_and_quotients_keep_their_order() {
    let flags = [
        ("unroll", "i=4"),
        ("unroll", "j=4"),
        ("partition", "x:cyclic:4"),
        ("partition", "y:cyclic:4"),
    ];
    let compiled = checked_for(FACTORS, &target(&flags).expect("directives"));
    assert_eq!(products(&compiled), 4);
    let text = compiled.systemverilog();
    let choices = |end: &str| {
        let lines = text.lines().filter(|line| line.trim_end().ends_with(end));
        lines.filter(|line| line.contains("_in1 = ")).count()
    };
    assert_eq!(support::instances(&compiled, "fdiv_e8f23"), 1);
    assert_eq!(choices("? a : b;") + choices("? b : a;"), 4, "{text}");
}
