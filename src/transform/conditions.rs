//! Accesses under conditions that are known: always, or never. Unrolling tells many of them.

use crate::ir::analysis::Values;
use crate::ir::*;

/// Conditions that are looked through.
const MOST: usize = 16;

/// Frees what is always accessed of its condition, and takes away what never is.
pub fn run(kernel: &mut Kernel) {
    let values = Values::of(kernel);
    let mut body = std::mem::take(&mut kernel.body);
    settle(kernel, &values, &mut body);
    kernel.body = body;
}

fn settle(kernel: &Kernel, values: &Values, block: &mut Block) {
    let mut out = Vec::with_capacity(block.ops.len());
    for mut op in std::mem::take(&mut block.ops) {
        for inner in op.kind.blocks_mut() {
            settle(kernel, values, inner);
        }
        let when = op.kind.element_mut().and_then(|at| at.when);
        match when.and_then(|when| truth(kernel, values, when, MOST)) {
            Some(true) => {
                if let Some(at) = op.kind.element_mut() {
                    at.when = None;
                }
                out.push(op);
            }
            // What it would have given is 0, or anything.
            Some(false) => out.extend(op.results.iter().map(|&result| Op {
                kind: OpKind::Const(Const::zero(kernel.values[result].ty)),
                results: vec![result],
                span: op.span,
            })),
            None => out.push(op),
        }
    }
    block.ops = out;
}

/// Whether a condition always or never holds.
fn truth(kernel: &Kernel, values: &Values, condition: ValueId, most: usize) -> Option<bool> {
    if let Some(known) = values.constant(condition) {
        return Some(*known != 0.into());
    }
    let deeper = |value| truth(kernel, values, value, most.checked_sub(1)?);
    match *values.definition(condition)? {
        OpKind::Compare { op, lhs, rhs } => {
            // Of floats, not even one is equal to itself for certain.
            matches!(kernel.values[lhs].ty, Scalar::Int { .. } | Scalar::Index).then_some(())?;
            let apart = values.affine(lhs).plus(&values.affine(rhs), -1)?;
            of_difference(op, values.range_of(&apart)?)
        }
        OpKind::Binary {
            op: BinaryOp::And,
            lhs,
            rhs,
        } => match (deeper(lhs), deeper(rhs)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a comparison of integers holds that differ by a number between bounds.
fn of_difference(op: CompareOp, (low, high): (i128, i128)) -> Option<bool> {
    let (always, never) = match op {
        CompareOp::Eq => ((low, high) == (0, 0), low > 0 || high < 0),
        CompareOp::Ne => (low > 0 || high < 0, (low, high) == (0, 0)),
        CompareOp::Lt => (high < 0, low >= 0),
        CompareOp::Le => (high <= 0, low > 0),
        CompareOp::Gt => (low > 0, high <= 0),
        CompareOp::Ge => (low >= 0, high < 0),
        _ => (false, false),
    };
    match (always, never) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}
