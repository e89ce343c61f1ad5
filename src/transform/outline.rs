//! A nest as a kernel of its own, which is called where it stood: the opposite of inlining.
//!
//! Arrays are passed by reference, values by value, but for constants, which are made again.

use super::band::Refusal;
use super::workers;
use crate::ir::analysis::Values;
use crate::ir::*;
use std::collections::{BTreeMap, BTreeSet};

/// Moves the operation at a path of a kernel into a new one, which comes before it in the program; `mapping`: with so many workers
/// for each of its outermost loops.
///
/// Errors: nothing is there; a kernel has the name already; workers cannot share it.
pub fn run(
    program: &mut Program,
    of: KernelId,
    path: &[(usize, usize)],
    name: &str,
    mapping: &[u64],
) -> Result<(), Refusal> {
    if program.kernels.values().any(|kernel| kernel.name == name) {
        return Err((None, format!("there is a kernel '{name}' already")));
    }
    let nowhere = || (None, "no loop is there".to_string());
    let kernel = &program.kernels[of];
    let op = kernel.body.op_at(path).ok_or_else(nowhere)?.clone();
    let (mut made, call) = outlined(kernel, op, name);
    if !mapping.is_empty() {
        if path.len() > 1 {
            let why = "workers share a nest at the top level of the kernel's body only";
            return Err((None, why.into()));
        }
        workers::check(&made, mapping)?;
        made.mapping = mapping.to_vec();
        program.kernels[of].dataflow = true;
    }
    program.insert(of, made);
    // The new kernel has the old one's handle, and that the next one.
    let of = KernelId::new(of.index() + 1);
    let called = program.kernels[of].body.op_at_mut(path);
    let called = called.ok_or_else(nowhere)?;
    called.kind = OpKind::Call(Box::new(Call {
        kernel: KernelId::new(of.index() - 1),
        ..call
    }));
    Ok(())
}

/// The new kernel, and the call of it.
fn outlined(kernel: &Kernel, op: Op, name: &str) -> (Kernel, Call) {
    let values = Values::of(kernel);
    let mut body = Block {
        yields: op.results.clone(),
        ops: Vec::new(),
    };
    let results = op.results.iter();
    let results = results.map(|&result| ResultSlot::Scalar(kernel.values[result].ty));
    let mut made = Kernel {
        values: kernel.values.clone(),
        results: results.collect(),
        ..Kernel::new(name.to_string(), op.span)
    };
    let mut args = Vec::new();
    for value in outside(&op) {
        match values.definition(value) {
            Some(constant @ OpKind::Const(_)) => body.ops.push(Op {
                kind: constant.clone(),
                results: vec![value],
                span: op.span,
            }),
            _ => {
                made.params.push(Param::Scalar(value));
                args.push(Arg::Scalar(value));
            }
        }
    }
    body.ops.push(op);
    let mut passed: BTreeMap<ArrayId, ArrayId> = BTreeMap::new();
    body.for_each_array(&mut |id| {
        *id = *passed.entry(*id).or_insert_with(|| {
            args.push(Arg::Array(*id));
            let own = made.arrays.push(Array {
                kind: ArrayKind::Param(made.params.len()),
                partition: Vec::new(),
                tags: ArrayTags::default(),
                ..kernel.arrays[*id].clone()
            });
            made.params.push(Param::Array(own));
            own
        });
    });
    made.body = body;
    let call = Call {
        kernel: KernelId::new(0),
        args,
        result_arrays: Vec::new(),
        worker: None,
    };
    (made, call)
}

/// Values that an operation reads and what is inside of it does not define.
fn outside(op: &Op) -> BTreeSet<ValueId> {
    let mut code = Block {
        ops: vec![op.clone()],
        yields: Vec::new(),
    };
    let defined = code.defined();
    let mut outside = BTreeSet::new();
    code.for_each_use(&mut |value| {
        if !defined.contains(value) {
            outside.insert(*value);
        }
    });
    outside
}
