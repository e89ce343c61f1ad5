//! Which description of an operator becomes a module of its own: by its latency, lookup tables and multiplier blocks.

use allo_hls::codes;
use allo_hls::driver::{self, OperatorModule, Target};
use allo_hls::hwarith::graph::Op;
use allo_hls::ir::FloatFormat;
use allo_hls::rtl::area::{self, Area};
use allo_hls::sim::selfcheck::Budget;
use allo_hls::units::float;

const CLOCK: f64 = 1000.0 / 157.0;

/// An operator on f32 at that clock, its result checked.
fn built(
    name: &str,
    latency: Option<u32>,
    most_blocks: u64,
) -> Result<(OperatorModule, Area), allo_hls::diagnostics::Diagnostic> {
    let mut target = Target::new("ecp5", CLOCK)?;
    target.check = Budget::QUICK;
    target.aim.limits.blocks = most_blocks;
    let operator = float::operator(name).expect("an operator");
    let module = driver::operator(operator, FloatFormat::F32, latency, &target)?;
    let area = area::areas(&module.design, &target.device).total();
    Ok((module, area))
}

#[test]
fn a_latency_takes_the_description_of_the_fewest_lookup_tables() {
    for (name, cycles) in [("fdiv", 28), ("fsqrt", 24)] {
        let plain = built(name, None, u64::MAX).expect("a module");
        let short = built(name, Some(cycles), u64::MAX).expect("a module");
        assert_eq!((short.0.manifest.latency, short.0.manifest.ii), (cycles, 1));
        assert!(plain.1.blocks == 0 && short.1.blocks > 0, "{name}");
        assert!(short.1.luts < 0.6 * plain.1.luts, "{name}");
    }
    // An adder has time for one path here.
    let [usual, late] = [12, 5].map(|cycles| built("fadd", Some(cycles), u64::MAX));
    assert!(usual.expect("a module").1.luts < late.expect("a module").1.luts);
}

#[test]
fn no_description_has_more_multiplier_blocks_than_there_may_be() {
    let cycles = 28;
    let (module, area) = built("fdiv", Some(cycles), 0).expect("a module");
    assert_eq!((module.manifest.latency, area.blocks), (cycles, 0));
    let refused = built("fmul", None, 2).expect_err("it has three");
    assert_eq!(refused.code, codes::OPERATOR);
    assert!(refused.message.contains("takes 3 multiplier blocks, not 2"));
}

/// Neither description of a quotient is done in so few cycles: the least latency is that of the faster one.
#[test]
fn a_latency_that_none_meets_is_refused_with_the_least_one() {
    let refused = built("fdiv", Some(3), u64::MAX).expect_err("too few");
    assert_eq!(refused.code, codes::LATENCY);
    let least = |name| {
        built(name, None, u64::MAX)
            .expect("a module")
            .0
            .manifest
            .latency
    };
    let [usual, fast] = ["fdiv", "fdiv_high_radix"].map(least);
    assert!(fast < usual && refused.message.contains(&format!("takes {fast} at least")));
}

/// Multiplications of significands, not of what recurrences shift.
#[test]
fn recurrences_do_not_multiply() {
    let multiplies = |name: &str| {
        let make = float::operator(name).expect("an operator").make;
        let graph = make(FloatFormat::F32);
        graph.nodes.values().any(|node| node.op == Op::Mul)
    };
    for name in ["fdiv", "fsqrt"] {
        assert!(!multiplies(name) && multiplies(&format!("{name}_high_radix")));
    }
}
