//! Operations on whole shaped values: a loop nest around the scalar operation, with broadcasting.

use super::state::Builder;
use crate::diagnostics::Span;
use crate::frontend::codes;
use crate::frontend::error::{Result, fail};
use crate::frontend::stream_type::shaped_name;
use crate::frontend::values::{Operand, Typed, Value, describe};
use crate::ir::{ArrayId, ArrayKind, Const, For, OpKind, Scalar, Tags, ValueId};

/// The open loops of an elementwise operation.
pub struct Nest {
    shape: Vec<u64>,
    bounds: Vec<[ValueId; 3]>,
    ivs: Vec<ValueId>,
    span: Span,
}

impl Nest {
    /// The loops' variables, of the outermost first.
    pub fn ivs(&self) -> &[ValueId] {
        &self.ivs
    }
}

impl Builder {
    /// Opens the loops over the broadcast shape of the operands and of `acc`; the operands as scalars
    /// inside.
    pub fn enter_elements(
        &mut self,
        operands: &[&Operand],
        acc: Option<ArrayId>,
        span: Span,
    ) -> Result<(Nest, Vec<Operand>)> {
        let mut shape = acc.map_or(Vec::new(), |acc| self.arrays[acc].shape.clone());
        for operand in operands {
            if let Value::Array { id, .. } = operand.value {
                shape = self.broadcast(&shape, &self.arrays[id].shape, operand.span)?;
            }
        }
        let zero = self.index(0, span);
        let one = self.index(1, span);
        let mut nest = Nest {
            bounds: Vec::new(),
            ivs: Vec::new(),
            shape,
            span,
        };
        for extent in nest.shape.clone() {
            let extent = self.constant(Scalar::Index, Const::Int(extent.into()), span);
            nest.bounds.push([zero, extent, one]);
        }
        for _ in 0..nest.shape.len() {
            self.open();
            nest.ivs.push(self.value(Scalar::Index, None));
        }
        let scalars = operands
            .iter()
            .map(|o| self.element(o, &nest, zero))
            .collect();
        Ok((nest, scalars))
    }

    fn broadcast(&self, a: &[u64], b: &[u64], span: Span) -> Result<Vec<u64>> {
        let rank = a.len().max(b.len());
        let extent = |s: &[u64], i: usize| (i + s.len()).checked_sub(rank).map_or(1, |i| s[i]);
        (0..rank)
            .map(|i| match (extent(a, i), extent(b, i)) {
                (x, y) if x == y || y == 1 => Ok(x),
                (1, y) => Ok(y),
                _ => fail(
                    codes::SHAPE_MISMATCH,
                    span,
                    format!("the shapes {a:?} and {b:?} cannot be broadcast together"),
                ),
            })
            .collect()
    }

    /// The element of an operand that the innermost iteration works on.
    fn element(&mut self, operand: &Operand, nest: &Nest, zero: ValueId) -> Operand {
        let Value::Array { id, .. } = operand.value else {
            return operand.clone();
        };
        let array = &self.arrays[id];
        let (elem, skip) = (array.elem, nest.ivs.len() - array.shape.len());
        let indices = array
            .shape
            .iter()
            .zip(nest.shape[skip..].iter().zip(&nest.ivs[skip..]))
            .map(|(own, (whole, iv))| if own == whole { *iv } else { zero })
            .collect();
        let load = OpKind::load(id, indices);
        let id = self.emit(load, elem, operand.span);
        Operand {
            value: Value::Scalar(Typed { id, ty: elem }),
            span: operand.span,
        }
    }

    /// Stores the scalar result and closes the loops: in `acc` if given, else in a fresh array.
    pub fn leave_elements(
        &mut self,
        nest: Nest,
        value: Result<Value>,
        acc: Option<ArrayId>,
        name: &str,
    ) -> Result<Value> {
        let stored = value.and_then(|value| {
            let span = nest.span;
            self.store_element(&nest, Operand { value, span }, acc, name)
        });
        let mut body = None;
        for (bounds, iv) in nest.bounds.iter().zip(&nest.ivs).rev() {
            if let Some(inner) = body.take() {
                self.push(inner, vec![], nest.span);
            }
            let [lo, hi, step] = *bounds;
            body = Some(OpKind::For(Box::new(For {
                lo,
                hi,
                step,
                descending: false,
                inits: vec![],
                iv: *iv,
                carried: vec![],
                body: self.close(vec![]),
                parallel: true,
                label: name.to_owned(),
                tags: Tags::default(),
            })));
        }
        if let Some(outermost) = body {
            self.push(outermost, vec![], nest.span);
        }
        stored
    }

    fn store_element(
        &mut self,
        nest: &Nest,
        value: Operand,
        acc: Option<ArrayId>,
        name: &str,
    ) -> Result<Value> {
        let array = match acc {
            Some(id) if self.arrays[id].shape == nest.shape => id,
            Some(id) => {
                let acc = &self.arrays[id];
                let message = format!(
                    "the result has shape {:?}, but acc is {}",
                    nest.shape,
                    shaped_name(acc.elem, &acc.shape)
                );
                return fail(codes::SHAPE_MISMATCH, nest.span, message);
            }
            None => {
                let ty = self.runtime(&value)?.ty;
                let local = format!("{name}_result");
                self.array(&local, ty, &nest.shape, ArrayKind::Local, nest.span)
            }
        };
        let value = self.store_as(&value, self.arrays[array].elem)?;
        let indices = nest.ivs.clone();
        self.push(OpKind::store(array, indices, value), vec![], nest.span);
        Ok(Value::Array {
            id: array,
            fresh: acc.is_none(),
        })
    }

    /// Writes the scalar result of an operation to every element of `acc`.
    pub(super) fn fill_acc(&mut self, acc: ArrayId, value: Value, span: Span) -> Result<Value> {
        let operand = Operand { value, span };
        let value = self.store_as(&operand, self.arrays[acc].elem)?;
        self.push(OpKind::Fill { array: acc, value }, vec![], span);
        Ok(Value::Array {
            id: acc,
            fresh: false,
        })
    }

    /// The array of an `acc=` argument; `None` for `acc=None`.
    pub fn acc_array(&self, operand: &Operand) -> Result<Option<ArrayId>> {
        match &operand.value {
            Value::Array { id, .. } => Ok(Some(*id)),
            Value::Const(crate::frontend::constant::ConstValue::None) => Ok(None),
            other => fail(
                codes::ARGUMENT_TYPE,
                operand.span,
                format!("acc= takes an array, not {}", describe(other)),
            ),
        }
    }
}
