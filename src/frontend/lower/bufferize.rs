//! `A.bufferize(offsets, sizes, strides)`: a new array, a copy of a regular part of another.

use super::lowerer::Lowerer;
use crate::diagnostics::{Diagnostic, Span};
use crate::frontend::constant::ConstValue;
use crate::frontend::error::{Result, fail};
use crate::frontend::values::{Operand, Value, describe};
use crate::frontend::{codes, scalars};
use crate::ir::{ArrayId, ArrayKind, BinaryOp, OpKind, Scalar, ValueId};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};
use pyeval::{Names, Table};
use ruff_python_ast::{self as ast, Expr};
use ruff_text_size::Ranged;
use std::rc::Rc;

/// The name of the method and of the function.
pub(super) const NAME: &str = "bufferize";

/// The part of one dimension.
struct Part {
    /// Its first index.
    first: ValueId,
    /// How many indices.
    size: u64,
    /// From each to the next.
    stride: i64,
}

impl<'a> Lowerer<'_, 'a> {
    /// `allo.bufferize(A, offsets, sizes, strides)`
    pub(super) fn call_bufferize(&mut self, e: &'a ast::ExprCall) -> Result<Value> {
        let Some(whole) = e.arguments.args.first() else {
            let message = "bufferize takes an array, offsets, sizes and strides";
            return fail(codes::ARGUMENTS, self.span(e.range()), message);
        };
        match self.operand(whole)? {
            Operand {
                value: Value::Array { id, .. },
                ..
            } => self.bufferize(id, e, 1),
            Operand {
                value: Value::Const(ConstValue::Table(table)),
                span,
            } => {
                let id = self.table_of_numpy(table, span)?;
                self.bufferize(id, e, 1)
            }
            other => {
                let message = format!("bufferize copies an array, not {}", describe(&other.value));
                let error = Diagnostic::error(codes::ARGUMENT_TYPE, other.span, message);
                Err(error
                    .help("declare a variable of the table: `x: \"i32[4]\" = TABLE`")
                    .into())
            }
        }
    }

    /// A table of an array of numpy, with the elements of its dtype.
    fn table_of_numpy(&mut self, table: Rc<Table>, span: Span) -> Result<ArrayId> {
        let name = table.dtype.name();
        let Some(elem) = scalars::long_named(name) else {
            let message = format!("no type of the language is numpy's {name}");
            return fail(codes::ARGUMENT_TYPE, span, message);
        };
        let shape: Vec<u64> = table.shape.iter().map(|extent| *extent as u64).collect();
        self.table("table", &ConstValue::Table(table), (elem, &shape), span)
    }

    /// The copy of a part of an array, which the call's arguments from `position` on describe.
    pub(super) fn bufferize(
        &mut self,
        whole: ArrayId,
        e: &'a ast::ExprCall,
        position: usize,
    ) -> Result<Value> {
        let span = self.span(e.range());
        let parts = self.parts(whole, e, position)?;
        let (name, elem) = (
            format!("{}_part", self.array(whole).name),
            self.array(whole).elem,
        );
        let shape: Vec<u64> = parts.iter().map(|part| part.size).collect();
        let id = self.b.array(&name, elem, &shape, ArrayKind::Local, span);
        let (nest, _) = self.b.enter_elements(&[], Some(id), span)?;
        let ivs = nest.ivs().iter().zip(&parts);
        let indices = ivs.map(|(iv, part)| self.index_in_whole(*iv, part, span));
        let indices = indices.collect();
        let element = Value::Scalar(self.load(whole, indices, span));
        self.b.leave_elements(nest, Ok(element), Some(id), NAME)?;
        Ok(Value::Array { id, fresh: true })
    }

    fn index_in_whole(&mut self, iv: ValueId, part: &Part, span: Span) -> ValueId {
        let stride = self.b.index(part.stride, span);
        let mut of_two = |op, lhs, rhs| {
            let kind = OpKind::Binary { op, lhs, rhs };
            self.b.emit(kind, Scalar::Index, span)
        };
        let distance = match part.stride {
            1 => iv,
            _ => of_two(BinaryOp::Mul, iv, stride),
        };
        of_two(BinaryOp::Add, part.first, distance)
    }

    /// What the arguments say of each dimension.
    fn parts(
        &mut self,
        whole: ArrayId,
        e: &'a ast::ExprCall,
        position: usize,
    ) -> Result<Vec<Part>> {
        let span = self.span(e.range());
        let given = &e.arguments;
        let value_of = |i: usize, name| given.find_argument_value(name, position + i);
        let lists = [
            value_of(0, "offsets"),
            value_of(1, "sizes"),
            value_of(2, "strides"),
        ];
        let ([Some(offsets), Some(sizes), Some(strides)], true) =
            (lists, given.len() == position + 3)
        else {
            let message = "bufferize takes offsets, sizes and strides";
            return fail(codes::ARGUMENTS, span, message);
        };
        let extents = self.array(whole).shape.clone();
        let offsets = self.for_each_dimension(offsets, extents.len())?;
        let sizes = self.for_each_dimension(sizes, extents.len())?;
        let strides = self.for_each_dimension(strides, extents.len())?;
        let mut parts = Vec::new();
        for (i, &extent) in extents.iter().enumerate() {
            parts.push(self.part(extent, &offsets[i], &sizes[i], &strides[i])?);
        }
        Ok(parts)
    }

    /// The elements of a list or tuple, one for each dimension.
    fn for_each_dimension(&mut self, e: &'a Expr, rank: usize) -> Result<Vec<Operand>> {
        let span = self.span(e.range());
        let elements = match e {
            Expr::List(ast::ExprList { elts, .. }) | Expr::Tuple(ast::ExprTuple { elts, .. }) => {
                let elements = elts.iter().map(|elt| self.operand(elt));
                elements.collect::<Result<Vec<_>>>()?
            }
            _ => {
                let values: Vec<Value> = match self.expr(e)? {
                    Value::Tuple(values) => values,
                    Value::Const(known) => match known.sequence() {
                        Some(values) => values.iter().cloned().map(Value::Const).collect(),
                        None => vec![known.into()],
                    },
                    value => vec![value],
                };
                let operand = |value| Operand { value, span };
                values.into_iter().map(operand).collect()
            }
        };
        if elements.len() != rank {
            let message = format!("the array has rank {rank}, but {} given", elements.len());
            return fail(codes::INDEX_COUNT, span, message);
        }
        Ok(elements)
    }

    fn part(
        &mut self,
        extent: u64,
        offset: &Operand,
        size: &Operand,
        stride: &Operand,
    ) -> Result<Part> {
        let (count, step) = (constant(size, "a size")?, constant(stride, "a stride")?);
        if !count.is_positive() {
            let message = format!("a size is positive, not {count}");
            return fail(codes::SHAPE, size.span, message);
        }
        if step.is_zero() {
            return fail(codes::SHAPE, stride.span, "a stride is not 0");
        }
        let last: BigInt = (&count - 1) * &step;
        let fits = last.abs() < extent.into();
        let (Some(size), Some(stride), true) = (count.to_u64(), step.to_i64(), fits) else {
            let message = format!("{count} elements in steps of {step} do not fit into {extent}");
            return fail(codes::INDEX_RANGE, size.span, message);
        };
        if let Value::Const(first) = &offset.value {
            let last = Operand {
                value: ConstValue::Int(first.as_int().unwrap_or_default() + last).into(),
                span: offset.span,
            };
            self.check_index(offset, extent, "index")?;
            self.check_index(&last, extent, "index")?;
        }
        Ok(Part {
            first: self.b.as_first(offset, "an index")?,
            size,
            stride,
        })
    }
}

fn constant(operand: &Operand, what: &str) -> Result<BigInt> {
    let number = match &operand.value {
        Value::Const(value) => value.as_int(),
        _ => None,
    };
    match number {
        Some(number) => Ok(number),
        None => {
            let found = describe(&operand.value);
            let message = format!("{what} is a compile-time int, not {found}");
            fail(codes::NOT_CONST, operand.span, message)
        }
    }
}
