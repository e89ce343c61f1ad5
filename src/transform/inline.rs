//! Makes one kernel without calls of a program: callees are copied to where they are called.

use crate::codes;
use crate::diagnostics::{Diagnostic, Diagnostics, Span};
use crate::hash::FastMap;
use crate::ir::copy::Copier;
use crate::ir::{Arg, Block, Call, Kernel, KernelId, Op, OpKind, Operate, Program, ValueId};
use std::sync::Arc;

/// Operations up to which calls are inlined: what is compiled in about a minute and 4 GB.
pub(super) const MAX_OPS: usize = 2_000_000;

/// The top kernel with every call replaced by the callee's body.
///
/// Errors: more than two million operations after inlining.
pub fn inline(program: &Program) -> Result<Kernel, Diagnostics> {
    // Callees come before callers, so each is already without calls when it is copied.
    let mut done: Vec<Kernel> = Vec::new();
    for (id, _) in program.kernels.iter() {
        let kernel = inlined(program, id, &done)?;
        if id == program.top {
            return Ok(kernel);
        }
        done.push(kernel);
    }
    Err(Diagnostic::global(codes::TOO_LARGE, "the program has no top kernel").into())
}

/// All kernels of a program, each with every call replaced by the callee's body.
///
/// Errors: as [`inline`].
pub(super) fn all(program: &Program) -> Result<Vec<Kernel>, Diagnostics> {
    let mut done = Vec::new();
    for (id, _) in program.kernels.iter() {
        done.push(inlined(program, id, &done)?);
    }
    Ok(done)
}

/// A kernel with every call replaced by the callee's body; `done` are those before it.
///
/// Errors: as [`inline`].
pub(super) fn inlined(
    program: &Program,
    id: KernelId,
    done: &[Kernel],
) -> Result<Kernel, Diagnostics> {
    let mut kernel = program.kernels[id].clone();
    let mut budget = MAX_OPS;
    let body = std::mem::take(&mut kernel.body);
    match inline_block(&mut kernel, body, done, &mut budget) {
        Some(body) => Ok(Kernel { body, ..kernel }),
        None => Err(too_large(&kernel.name, kernel.span)),
    }
}

/// The error of a kernel that calls make too large.
pub(super) fn too_large(name: &str, span: Span) -> Diagnostics {
    let message =
        format!("kernel '{name}' has more than {MAX_OPS} operations once its calls are inlined");
    Diagnostic::error(codes::TOO_LARGE, span, message).into()
}

/// A block with every call in it replaced by the callee's body; `None`: the budget does not suffice.
pub(super) fn inline_block(
    kernel: &mut Kernel,
    block: Block,
    done: &[Kernel],
    budget: &mut usize,
) -> Option<Block> {
    let mut result = Block {
        ops: Vec::new(),
        yields: block.yields,
    };
    let mut renamed: FastMap<ValueId, ValueId> = FastMap::default();
    for mut op in block.ops {
        *budget = budget.checked_sub(1)?;
        rename(&mut op, &renamed);
        for inner in op.kind.blocks_mut() {
            let taken = std::mem::take(inner);
            *inner = inline_block(kernel, taken, done, budget)?;
        }
        match op.kind {
            OpKind::Call(call) if done[call.kernel.index()].foreign.is_some() => {
                let kind = operate(&done[call.kernel.index()], &call);
                result.ops.push(Op { kind, ..op });
            }
            OpKind::Call(call) => {
                let callee = &done[call.kernel.index()];
                let body = Copier::of_call(kernel, callee, &call, budget).block(&callee.body)?;
                result.ops.extend(body.ops);
                renamed.extend(op.results.iter().copied().zip(body.yields));
            }
            _ => result.ops.push(op),
        }
    }
    for value in &mut result.yields {
        *value = renamed.get(value).copied().unwrap_or(*value);
    }
    Some(result)
}

/// The operation that stands for a call of a kernel of which the user has a module.
fn operate(callee: &Kernel, call: &Call) -> OpKind {
    let args = call.args.iter().filter_map(|arg| match arg {
        Arg::Scalar(value) => Some(*value),
        Arg::Array(_) => None,
    });
    OpKind::Operate(Box::new(Operate {
        kernel: Arc::new(callee.clone()),
        args: args.collect(),
    }))
}

fn rename(op: &mut Op, renamed: &FastMap<ValueId, ValueId>) {
    if renamed.is_empty() {
        return;
    }
    let mut f = |value: &mut ValueId| {
        if let Some(new) = renamed.get(value) {
            *value = *new;
        }
    };
    op.kind.for_each_operand(&mut f);
    for inner in op.kind.blocks_mut() {
        inner.for_each_use(&mut f);
    }
}
