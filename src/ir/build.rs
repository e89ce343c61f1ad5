//! Making operations: each method appends one and gives its result.

use super::{
    ArrayId, BinaryOp, Block, CompareOp, Const, For, If, Kernel, Op, OpKind, Scalar, Tags, Value,
    ValueId,
};
use crate::arena::Arena;
use crate::diagnostics::Span;
use num_bigint::BigInt;

/// Where operations go.
pub struct Build<'a> {
    /// Takes the values.
    pub kernel: &'a mut Kernel,
    /// Takes the operations.
    pub out: &'a mut Vec<Op>,
    /// Their origin.
    pub span: Span,
}

impl Kernel {
    /// A kernel without anything in it.
    pub fn new(name: String, span: Span) -> Kernel {
        Kernel {
            name,
            span,
            values: Arena::new(),
            arrays: Arena::new(),
            params: Vec::new(),
            results: Vec::new(),
            body: Block::default(),
            dataflow: false,
            mapping: Vec::new(),
            foreign: None,
            sum_cycles: None,
        }
    }
    /// Appends operations to `out`.
    pub fn build<'a>(&'a mut self, out: &'a mut Vec<Op>, span: Span) -> Build<'a> {
        Build {
            kernel: self,
            out,
            span,
        }
    }

    /// A value that is yet to be defined.
    pub fn value(&mut self, ty: Scalar, name: Option<&str>) -> ValueId {
        let name = name.map(str::to_string);
        self.values.push(Value { ty, name })
    }

    /// A value of the type and name of another.
    pub fn like(&mut self, value: ValueId) -> ValueId {
        let value = self.values[value].clone();
        self.values.push(value)
    }
}

impl Build<'_> {
    /// An operation with one result.
    pub fn op(&mut self, ty: Scalar, kind: OpKind) -> ValueId {
        let result = self.kernel.value(ty, None);
        self.define(kind, vec![result]);
        result
    }

    /// An operation that defines values that there are.
    pub fn define(&mut self, kind: OpKind, results: Vec<ValueId>) {
        let span = self.span;
        self.out.push(Op {
            kind,
            results,
            span,
        });
    }

    /// A constant of type index.
    pub fn index(&mut self, value: impl Into<BigInt>) -> ValueId {
        let constant = OpKind::Const(Const::Int(value.into()));
        self.op(Scalar::Index, constant)
    }

    /// The condition that always holds.
    pub fn always(&mut self) -> ValueId {
        self.op(Scalar::BOOL, OpKind::Const(Const::Int(1.into())))
    }

    /// The zero of a type.
    pub fn zero(&mut self, ty: Scalar) -> ValueId {
        self.op(ty, OpKind::Const(Const::zero(ty)))
    }

    /// An operation of two operands, in the type of the first.
    pub fn binary(&mut self, op: BinaryOp, lhs: ValueId, rhs: ValueId) -> ValueId {
        let ty = self.kernel.values[lhs].ty;
        self.op(ty, OpKind::Binary { op, lhs, rhs })
    }

    /// A comparison.
    pub fn compare(&mut self, op: CompareOp, lhs: ValueId, rhs: ValueId) -> ValueId {
        self.op(Scalar::BOOL, OpKind::Compare { op, lhs, rhs })
    }

    /// A conversion; the value itself if it has the type.
    pub fn cast(&mut self, arg: ValueId, ty: Scalar) -> ValueId {
        match self.kernel.values[arg].ty == ty {
            true => arg,
            false => self.op(ty, OpKind::Cast { arg }),
        }
    }

    /// `cond ? on_true : on_false`, of the type of both.
    pub fn select(&mut self, cond: ValueId, on_true: ValueId, on_false: ValueId) -> ValueId {
        let ty = self.kernel.values[on_true].ty;
        let select = OpKind::Select {
            cond,
            on_true,
            on_false,
        };
        self.op(ty, select)
    }

    /// A load.
    pub fn load(&mut self, array: ArrayId, indices: Vec<ValueId>) -> ValueId {
        let ty = self.kernel.arrays[array].elem;
        self.op(ty, OpKind::load(array, indices))
    }

    /// A store.
    pub fn store(&mut self, array: ArrayId, indices: Vec<ValueId>, value: ValueId) {
        self.define(OpKind::store(array, indices, value), vec![]);
    }

    /// A branch; its results are like what the first block yields.
    pub fn branch(&mut self, cond: ValueId, then: Block, otherwise: Block) -> Vec<ValueId> {
        let yields = then.yields.clone();
        let results: Vec<ValueId> = yields.into_iter().map(|v| self.kernel.like(v)).collect();
        let branch = If {
            cond,
            then,
            otherwise,
        };
        self.define(OpKind::If(Box::new(branch)), results.clone());
        results
    }
}

impl For {
    /// A loop that counts up and carries nothing.
    pub fn counted(iv: ValueId, range: [ValueId; 3], label: &str, ops: Vec<Op>) -> For {
        let yields = vec![];
        For::over(iv, range, label, Block { ops, yields })
    }
    /// A loop that counts up; nothing is carried yet.
    pub fn over(iv: ValueId, [lo, hi, step]: [ValueId; 3], label: &str, body: Block) -> For {
        For {
            lo,
            hi,
            step,
            descending: false,
            inits: vec![],
            iv,
            carried: vec![],
            body,
            parallel: false,
            label: label.to_string(),
            tags: Tags::default(),
        }
    }
}
