//! How long a sum of a kernel's floats takes on the target: passes that have other work done meanwhile ask for it.

use super::Target;
use crate::diagnostics::Diagnostics;
use crate::ir::{BinaryOp, FloatFormat, Kernel, OpKind, Scalar};
use crate::{machine, schedule};

/// Cycles that an addition of the widest floats takes that a kernel adds; `None`: it adds none.
pub fn cycles(kernel: &Kernel, target: &Target) -> Option<u32> {
    let unit = machine::select::float_adder(widest(kernel)?);
    let mut warnings = Diagnostics::default();
    schedule::latency(&unit, &target.device, target.period, &mut warnings)
}

fn widest(kernel: &Kernel) -> Option<FloatFormat> {
    let mut formats = Vec::new();
    kernel.body.for_each_op(&mut |op| {
        if let OpKind::Binary {
            op: BinaryOp::Add | BinaryOp::Sub,
            ..
        } = op.kind
        {
            let types = op.results.iter().map(|&result| kernel.values[result].ty);
            formats.extend(types.filter_map(|ty| match ty {
                Scalar::Float(format) => Some(format),
                _ => None,
            }));
        }
    });
    formats.into_iter().max_by_key(|format| format.width())
}
