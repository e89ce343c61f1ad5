//! Makes one kernel without calls of a program: callees are copied to where they are called.

use crate::codes;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::hash::FastMap;
use crate::ir::{
    Arg, Array, ArrayId, ArrayKind, Block, Call, Kernel, Op, OpKind, Param, Program, ResultSlot,
    ValueId,
};

/// Operations up to which calls are inlined: what is compiled in about a minute and 4 GB.
const MAX_OPS: usize = 2_000_000;

/// The top kernel with every call replaced by the callee's body.
///
/// Errors: more than two million operations after inlining.
pub fn inline(program: &Program) -> Result<Kernel, Diagnostics> {
    // Callees come before callers, so each is already without calls when it is copied.
    let mut done: Vec<Kernel> = Vec::new();
    for (id, kernel) in program.kernels.iter() {
        let mut kernel = kernel.clone();
        let mut budget = MAX_OPS;
        let body = std::mem::take(&mut kernel.body);
        let Some(body) = inline_block(&mut kernel, body, &done, &mut budget) else {
            let message = format!(
                "kernel '{}' has more than {MAX_OPS} operations once its calls are inlined",
                kernel.name
            );
            return Err(Diagnostic::error(codes::TOO_LARGE, kernel.span, message).into());
        };
        kernel.body = body;
        if id == program.top {
            return Ok(kernel);
        }
        done.push(kernel);
    }
    Err(Diagnostic::global(codes::TOO_LARGE, "the program has no top kernel").into())
}

fn inline_block(
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
            OpKind::Call(call) => {
                let callee = &done[call.kernel.index()];
                let mut copy = Copier::new(kernel, callee, &call);
                let body = copy.block(&callee.body, budget)?;
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

/// Copies a callee's body into a caller.
struct Copier<'a> {
    caller: &'a mut Kernel,
    callee: &'a Kernel,
    values: FastMap<ValueId, ValueId>,
    arrays: FastMap<ArrayId, ArrayId>,
}

impl<'a> Copier<'a> {
    fn new(caller: &'a mut Kernel, callee: &'a Kernel, call: &Call) -> Self {
        let mut values = FastMap::default();
        let mut arrays = FastMap::default();
        for (param, arg) in callee.params.iter().zip(&call.args) {
            match (param, arg) {
                (Param::Scalar(p), Arg::Scalar(a)) => {
                    values.insert(*p, *a);
                }
                (Param::Array(p), Arg::Array(a)) => {
                    arrays.insert(*p, *a);
                }
                _ => unreachable!("arguments match parameters in a valid program"),
            }
        }
        let results = callee.results.iter().filter_map(|r| match r {
            ResultSlot::Array(id) => Some(*id),
            ResultSlot::Scalar(_) => None,
        });
        arrays.extend(results.zip(call.result_arrays.iter().copied()));
        Copier {
            caller,
            callee,
            values,
            arrays,
        }
    }

    fn array(&mut self, id: ArrayId) -> ArrayId {
        if let Some(&new) = self.arrays.get(&id) {
            return new;
        }
        let old = &self.callee.arrays[id];
        // A table is the same memory at every call.
        let shared = self.caller.arrays.iter().find(|(_, a)| {
            matches!(a.kind, ArrayKind::Table(_)) && a.span == old.span && a.kind == old.kind
        });
        let new = match shared {
            Some((existing, _)) => existing,
            None => self.caller.arrays.push(Array {
                name: format!("{}_{}", self.callee.name, old.name),
                ..old.clone()
            }),
        };
        self.arrays.insert(id, new);
        new
    }

    fn define(&mut self, value: ValueId) -> ValueId {
        let new = self.caller.values.push(self.callee.values[value].clone());
        self.values.insert(value, new);
        new
    }

    fn block(&mut self, block: &Block, budget: &mut usize) -> Option<Block> {
        let mut result = Block::default();
        for op in &block.ops {
            *budget = budget.checked_sub(1)?;
            let op = self.op(op, budget)?;
            result.ops.push(op);
        }
        result.yields = block.yields.iter().map(|v| self.value(*v)).collect();
        Some(result)
    }

    fn value(&self, value: ValueId) -> ValueId {
        // Every use follows its definition.
        self.values.get(&value).copied().unwrap_or(value)
    }

    fn op(&mut self, op: &Op, budget: &mut usize) -> Option<Op> {
        let mut kind = shallow(&op.kind);
        kind.for_each_operand(&mut |value| *value = self.value(*value));
        match &mut kind {
            OpKind::Load { at, .. } | OpKind::Store { at, .. } => {
                at.array = self.array(at.array);
            }
            OpKind::Fill { array, .. } => *array = self.array(*array),
            OpKind::Copy { dst, src } => {
                *dst = self.array(*dst);
                *src = self.array(*src);
            }
            OpKind::For(f) => {
                f.iv = self.define(f.iv);
                f.carried.iter_mut().for_each(|v| *v = self.define(*v));
            }
            OpKind::While(w) => w.carried.iter_mut().for_each(|v| *v = self.define(*v)),
            _ => {}
        }
        for (new, old) in kind.blocks_mut().into_iter().zip(op.kind.blocks()) {
            *new = self.block(old, budget)?;
        }
        Some(Op {
            kind,
            results: op.results.iter().map(|&r| self.define(r)).collect(),
            span: op.span,
        })
    }
}

/// The operation with its nested blocks left empty.
fn shallow(kind: &OpKind) -> OpKind {
    use crate::ir::{For, If, While};
    match kind {
        OpKind::For(f) => OpKind::For(Box::new(For {
            inits: f.inits.clone(),
            carried: f.carried.clone(),
            body: Block::default(),
            label: f.label.clone(),
            ..**f
        })),
        OpKind::While(w) => OpKind::While(Box::new(While {
            inits: w.inits.clone(),
            carried: w.carried.clone(),
            cond: Block::default(),
            body: Block::default(),
            label: w.label.clone(),
        })),
        OpKind::If(i) => OpKind::If(Box::new(If {
            cond: i.cond,
            then: Block::default(),
            otherwise: Block::default(),
        })),
        other => other.clone(),
    }
}
