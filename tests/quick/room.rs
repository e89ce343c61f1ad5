//! A kernel that fills its device has room in its cycles for longer routes, where that costs next to no cycle.

use crate::directives::{checked_for, target};
use allo_hls::driver::Compilation;
use allo_hls::schedule::forecast;

/// These iterations on a device of so many lookup tables, checked against the reference.
fn built(body: &str, luts: u64) -> Compilation {
    let mut target = target(&[]).expect("directives");
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
    let says = |built: &Compilation| {
        let mut lines = built.design.header.iter();
        lines.any(|line| line.starts_with("30 % of each cycle are kept for routes"))
    };
    assert_eq!([&alone, &full].map(says), [false, true]);
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
