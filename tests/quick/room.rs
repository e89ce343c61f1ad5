//! A kernel that fills its device has room in its cycles for longer routes, where that costs next to no cycle.

use crate::directives::{checked_for, target};
use allo_hls::codes;
use allo_hls::driver::Compilation;
use allo_hls::schedule::forecast;

/// These iterations on a device of so many lookup tables, checked against the reference.
fn built(body: &str, luts: u64) -> Compilation {
    directed(body, luts, &[])
}

/// The same with directives.
fn directed(body: &str, luts: u64, flags: &[(&str, &str)]) -> Compilation {
    let mut target = target(flags).expect("directives");
    target.device.total.luts = luts;
    let text = format!(
        "from allo import *\n
@kernel
def top(a: \"f32[2000]\", b: \"f32[2000]\", y: \"f32[2000]\"):
    s: f32 = 1.0
    for i in range(2000):
        {body}
"
    );
    checked_for(&text, &target)
}

/// Whether the text says that so many percent of each cycle are room.
fn says(built: &Compilation, percent: u32) -> bool {
    let start = format!("{percent} % of each cycle are kept for routes");
    let mut lines = built.design.header.iter();
    lines.any(|line| line.starts_with(&start))
}

/// Cycles of an iteration, and of the kernel.
fn cycles(built: &Compilation) -> (u32, u64) {
    let depths = built.schedule.leaves.values().map(|leaf| leaf.depth);
    let longest = depths.max().expect("a leaf");
    (longest, forecast::cycles(&built.hardware, &built.schedule))
}

#[test]
fn a_full_device_has_room_in_its_cycles() {
    let [alone, full] = [80_000, 2_000].map(|luts| built("y[i] = a[i] * b[i] + a[i]", luts));
    let ((depth, takes), (roomy, longer)) = (cycles(&alone), cycles(&full));
    assert_eq!([&alone, &full].map(|built| says(built, 40)), [false, true]);
    // Both operators take a cycle more at least.
    assert!(roomy >= depth + 2, "{roomy} cycles instead of {depth}");
    assert!(
        longer <= takes + takes / 300,
        "{longer} cycles instead of {takes}"
    );
}

#[test]
fn what_waits_for_itself_takes_as_long_on_a_full_device() {
    let [alone, full] =
        [80_000, 2_000].map(|luts| built("s = s * b[i] + a[i]\n        y[i] = s", luts));
    assert_eq!(cycles(&alone), cycles(&full));
}

/// A loop that next to no cycles are spent in, in front of one that room costs nothing.
const SHORT: &str = "y[i] = a[i] * b[i] + a[i]
    for j in range(2):
        s = s * b[j] + a[j]
    y[0] = s";

#[test]
fn directed_intervals_are_kept_on_a_full_device() {
    let least = directed(SHORT, 80_000, &[("pipeline", "j=7")]);
    assert!(least.warnings.0.is_empty(), "7 cycles are the least");
    // With the most room they are not enough.
    let kept = directed(SHORT, 2_000, &[("pipeline", "j=7")]);
    let said = [20, 30, 40].map(|room| says(&kept, room));
    assert_eq!(said, [true, false, false]);
    let intervals = |built: &Compilation| {
        let warnings = built.warnings.0.iter();
        let found = warnings.filter(|warning| warning.code == codes::INTERVAL);
        found
            .map(|warning| warning.message.clone())
            .collect::<Vec<_>>()
    };
    assert!(intervals(&kept).is_empty());
    let [alone, full] = [80_000, 2_000].map(|luts| directed(SHORT, luts, &[("pipeline", "j=6")]));
    assert_eq!(intervals(&alone).len(), 1);
    assert_eq!(intervals(&alone), intervals(&full));
}
