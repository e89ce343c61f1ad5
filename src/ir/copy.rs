//! Copies of code with values of their own: of a loop's body, or of a kernel's where it is called.

use super::{
    Arg, Array, ArrayId, ArrayKind, Block, Call, For, If, Kernel, Op, OpKind, Param, ValueId, While,
};
use crate::hash::FastMap;

/// Copies code into a kernel.
pub struct Copier<'a> {
    into: &'a mut Kernel,
    /// Where the code comes from, if that is another kernel.
    from: Option<&'a Kernel>,
    values: FastMap<ValueId, ValueId>,
    arrays: FastMap<ArrayId, ArrayId>,
    /// Operations that may still be made.
    budget: &'a mut usize,
}

impl<'a> Copier<'a> {
    /// Copies within a kernel; what stands outside of the code is shared.
    pub fn within(kernel: &'a mut Kernel, budget: &'a mut usize) -> Copier<'a> {
        Copier {
            into: kernel,
            from: None,
            values: FastMap::default(),
            arrays: FastMap::default(),
            budget,
        }
    }

    /// Copies a callee's body to a call of it.
    pub fn of_call(
        caller: &'a mut Kernel,
        callee: &'a Kernel,
        call: &Call,
        budget: &'a mut usize,
    ) -> Copier<'a> {
        let params = callee.params.iter().zip(&call.args);
        let values = params.filter_map(|pair| match pair {
            (Param::Scalar(param), Arg::Scalar(value)) => Some((*param, *value)),
            _ => None,
        });
        Copier {
            into: caller,
            from: Some(callee),
            values: values.collect(),
            arrays: call.arrays(callee).into_iter().collect(),
            budget,
        }
    }

    /// Copies a part of a kernel, of which the given values and arrays stand for those outside.
    pub fn of_part(
        into: &'a mut Kernel,
        from: &'a Kernel,
        values: impl IntoIterator<Item = (ValueId, ValueId)>,
        arrays: impl IntoIterator<Item = (ArrayId, ArrayId)>,
        budget: &'a mut usize,
    ) -> Copier<'a> {
        Copier {
            into,
            from: Some(from),
            values: values.into_iter().collect(),
            arrays: arrays.into_iter().collect(),
            budget,
        }
    }

    /// From now on `new` stands for `old`.
    pub fn rename(&mut self, old: ValueId, new: ValueId) {
        self.values.insert(old, new);
    }

    /// What a value is called in the copy.
    pub fn value(&self, value: ValueId) -> ValueId {
        // Every use follows its definition.
        self.values.get(&value).copied().unwrap_or(value)
    }

    /// Copies a block; `None` if the budget does not suffice.
    pub fn block(&mut self, block: &Block) -> Option<Block> {
        let mut result = Block::default();
        for op in &block.ops {
            result.ops.push(self.op(op)?);
        }
        result.yields = block.yields.iter().map(|v| self.value(*v)).collect();
        Some(result)
    }

    fn array(&mut self, id: ArrayId) -> ArrayId {
        let Some(from) = self.from else {
            return id;
        };
        if let Some(&new) = self.arrays.get(&id) {
            return new;
        }
        let old = &from.arrays[id];
        // A table is the same memory at every call.
        let shared = self.into.arrays.iter().find(|(_, a)| {
            matches!(a.kind, ArrayKind::Table(_))
                && a.span == old.span
                && a.kind == old.kind
                && a.partition == old.partition
                && a.tags == old.tags
        });
        let new = match shared {
            Some((existing, _)) => existing,
            None => self.into.arrays.push(Array {
                name: format!("{}_{}", from.name, old.name),
                ..old.clone()
            }),
        };
        self.arrays.insert(id, new);
        new
    }

    fn define(&mut self, value: ValueId) -> ValueId {
        let new = match self.from {
            Some(from) => self.into.values.push(from.values[value].clone()),
            None => self.into.like(value),
        };
        self.values.insert(value, new);
        new
    }

    fn op(&mut self, op: &Op) -> Option<Op> {
        *self.budget = self.budget.checked_sub(1)?;
        let mut kind = shallow(&op.kind);
        kind.for_each_operand(&mut |value| *value = self.value(*value));
        match &mut kind {
            OpKind::Load { at, .. }
            | OpKind::Store { at, .. }
            | OpKind::Get { at }
            | OpKind::Put { at, .. }
            | OpKind::Attempt { at, .. } => at.array = self.array(at.array),
            OpKind::Fill { array, .. } => *array = self.array(*array),
            OpKind::Copy { dst, src } => {
                *dst = self.array(*dst);
                *src = self.array(*src);
            }
            OpKind::Call(_) | OpKind::Promise(_) => {
                kind.for_each_array(&mut |id| *id = self.array(*id))
            }
            OpKind::For(f) => {
                f.iv = self.define(f.iv);
                f.carried.iter_mut().for_each(|v| *v = self.define(*v));
            }
            OpKind::While(w) => w.carried.iter_mut().for_each(|v| *v = self.define(*v)),
            _ => {}
        }
        for (new, old) in kind.blocks_mut().into_iter().zip(op.kind.blocks()) {
            *new = self.block(old)?;
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
            tags: w.tags,
        })),
        OpKind::If(i) => OpKind::If(Box::new(If {
            cond: i.cond,
            then: Block::default(),
            otherwise: Block::default(),
        })),
        other => other.clone(),
    }
}
