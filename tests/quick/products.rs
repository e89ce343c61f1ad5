//! Products that take fewer multiplier blocks and more sums, and those that do not since a recurrence waits for them.

use crate::support::hardware;
use allo_hls::driver::Target;
use allo_hls::hwarith::Graph;
use allo_hls::hwarith::graph::Op;

/// Products in the operator modules of a kernel with this body, on arrays of `f64`.
fn blocks(body: &str) -> usize {
    blocks_of("f64", body)
}

/// The same on arrays of a type.
fn blocks_of(ty: &str, body: &str) -> usize {
    let text = format!(
        "from allo import *\n\n@kernel\ndef top(x: \"{ty}[64]\", z: \"{ty}[64]\"):\n{body}"
    );
    let target = Target::new("ecp5", 10.0).expect("a device");
    let compiled = hardware(&text, Some("top"), &target);
    let products = |graph: &Graph| {
        let nodes = graph.nodes.iter();
        nodes.filter(|(_, node)| node.op == Op::Mul).count()
    };
    let units = compiled.hardware.units.values();
    units.map(|unit| products(&unit.graph)).sum()
}

#[test]
fn products_of_several_parts_save_blocks() {
    let apart = "    for i in range(64):\n        z[i] = x[i] * x[63 - i]\n";
    assert_eq!(blocks(apart), 6);
}

/// What was written in place one iteration before is a recurrence, what was long before is none.
#[test]
fn products_in_a_recurrence_stay_quick() {
    let carried = "    p: f64 = 1.0\n    for i in range(64):\n        p = p * x[i]\n    z[0] = p\n";
    assert_eq!(blocks(carried), 9);
    let stored = "    for i in range(63):\n        z[i + 1] = z[i] * x[i]\n";
    assert_eq!(blocks(stored), 9);
    // Not in a register: loaded again.
    let loaded = "    for i in range(32):\n        z[i + 5] = z[i] * x[i]\n";
    assert_eq!(blocks(loaded), 9);
    let apart = "    for i in range(32):\n        z[i + 32] = z[i] * x[i]\n";
    assert_eq!(blocks(apart), 6);
}

/// Short parts are rows of bits, the table of 2^t has a low degree, and factors are as short as the error allows.
#[test]
fn a_power_takes_few_blocks() {
    let power = "    for i in range(64):\n        z[i] = x[i] ** x[63 - i]\n";
    assert_eq!(blocks_of("f32", power), 14);
}
