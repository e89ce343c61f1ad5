//! Strips of sums that advance in turn are as short as what each waits for allows: it depends on the target.

use crate::directives::{checked_for, target};
use allo_hls::driver::{Compilation, Target};

fn compiled(ty: &str, step: &str, period: f64) -> Compilation {
    let text = format!(
        "from allo import *

@kernel
def top(a: \"{ty}[4, 220]\", x: \"{ty}[4]\", y: \"{ty}[220]\"):
    for j in range(220):
        s: {ty} = 1.0
        for k in range(4):
            {step}
        y[j] = s
"
    );
    let target = target(&[]).expect("no directives");
    checked_for(&text, &Target { period, ..target })
}

/// Running values of a strip.
fn strip(compiled: &Compilation) -> u64 {
    let mut mems = compiled.hardware.mems.values();
    let running = mems.find(|mem| mem.name.contains("running"));
    running.expect("running values").depth
}

const SUM: &str = "s += a[k, j] * x[k]";

#[test]
fn strips_cover_what_a_sum_waits_for() {
    for (ty, step, period, expected) in [
        ("f32", SUM, 10.0, 10),
        ("f32", SUM, 5.0, 20),
        ("f64", SUM, 10.0, 20),
        ("f32", "s = s * x[k] + a[k, j]", 10.0, 20),
        ("f32", "s = x[k] / s + a[k, j]", 10.0, 20),
        ("f32", "s += a[k, j] if x[k] > 0 else 0", 10.0, 10),
    ] {
        let compiled = compiled(ty, step, period);
        assert_eq!(strip(&compiled), expected, "{ty} {step} {period}");
        let mut intervals = compiled.schedule.leaves.values().filter_map(|leaf| leaf.ii);
        assert!(
            step.contains('/') || intervals.all(|ii| ii == 1),
            "{ty} {step}"
        );
    }
}
