//! Area and clock, as estimated, with how far such estimates were from measurements.

use super::{Gather, Part, rounded};
use crate::hwarith::NodeId;
use crate::hwarith::graph::Op;
use crate::machine::program::LeafId;
use crate::report::data::{Error, Estimate};
use crate::schedule::Variant;

/// The device of which the errors were measured.
const MEASURED: &str = "ecp5";

/// Measured over estimated, of the kernels of docs/suite.md and the examples; written by `scripts/estimates`.
#[rustfmt::skip]
const ERRORS: &[(&str, Error)] = &[
    ("multipliers", Error { median: 1.00, low: 1.00, high: 1.00, kernels: 56 }),
    ("MHz", Error { median: 1.24, low: 1.09, high: 1.76, kernels: 38 }),
    ("LUT4", Error { median: 1.00, low: 0.79, high: 1.11, kernels: 70 }),
    ("flip-flops", Error { median: 0.99, low: 0.85, high: 1.10, kernels: 69 }),
];

/// A number of which nothing is, and none is expected, has no error worth telling.
fn error(device: &str, name: &str) -> Option<Error> {
    let found = ERRORS.iter().find(|(of, _)| *of == name);
    found
        .filter(|_| device == MEASURED)
        .map(|(_, error)| *error)
}

impl Gather<'_> {
    pub(super) fn estimates(&self) -> Vec<Estimate> {
        let device = &self.build.target.device;
        let total = self.areas.total();
        let known = |limit: u64| (limit != u64::MAX).then_some(limit as f64);
        let rows = [
            ("LUT4", total.luts.round(), known(device.total.luts)),
            (
                "flip-flops",
                total.registers.round(),
                known(device.total.flip_flops()),
            ),
            (
                "multipliers",
                total.blocks as f64,
                known(device.total.blocks),
            ),
            (
                "block RAM kbit",
                rounded(total.ram as f64 / 1024.0),
                known(device.total.ram),
            ),
        ];
        let clock = self.mhz().map(|mhz| ("MHz", mhz, None));
        let estimates = rows
            .into_iter()
            .chain(clock)
            .map(|(name, value, available)| Estimate {
                name: name.into(),
                value,
                available,
                error: error(&device.name, name),
            });
        estimates.collect()
    }

    /// The clock that the slowest path between two registers allows, as the scheduler counts it; `None`: there is nothing but
    /// wires.
    fn mhz(&self) -> Option<f64> {
        let clock = &self.build.target.device.clock;
        let slowest = self.parts.iter().map(|part| self.slowest(part));
        let slowest = slowest.fold(0.0, f64::max);
        let period = (slowest + clock.overhead) / (1.0 - clock.margin);
        (slowest > 0.0).then(|| (1000.0 / period).round())
    }

    fn slowest(&self, part: &Part) -> f64 {
        let leaves = part.program.leaves.ids();
        let of_leaves = leaves.flat_map(|leaf| {
            let nodes = part.program.leaves[leaf].graph.nodes.ids();
            nodes.map(move |node| path(part, leaf, node))
        });
        let of_units = part.schedule.variants(part.program);
        let of_units = of_units.map(|(_, variant)| inside(variant));
        of_leaves.chain(of_units).fold(0.0, f64::max)
    }
}

/// ns from the registers before a node to its result, or to the registers that it begins with.
fn path(part: &Part, leaf: LeafId, node: NodeId) -> f64 {
    let (of, scheduled) = (&part.program.leaves[leaf], &part.schedule.leaves[leaf]);
    let times = &scheduled.times;
    if times.width[node.index()] == 0 {
        return 0.0;
    }
    let Op::Call(unit) = of.graph.nodes[node].op else {
        return times.arrival[node.index()];
    };
    let variant = scheduled.variants[node.index()];
    let variant = &part.schedule.units[unit].variants[variant as usize];
    let start = times.start[node.index()];
    let operands = of.graph.nodes[node].args.iter();
    let same = operands.filter(|arg| times.ready[arg.index()] == start);
    let late = same.map(|arg| times.arrival[arg.index()]);
    late.fold(0.0, f64::max) + variant.input_delay
}

/// The slowest path inside of an operator.
fn inside(variant: &Variant) -> f64 {
    let steps = variant.steps.iter().chain([&variant.times]);
    let arrivals = steps.flat_map(|times| {
        let alive = times.arrival.iter().zip(&times.width);
        alive
            .filter(|(_, width)| **width > 0)
            .map(|(arrival, _)| *arrival)
    });
    arrivals.fold(variant.input_delay, f64::max)
}
