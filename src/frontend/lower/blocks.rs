//! Blocks: arrays that are one element of a stream, as an integer of all their bits.

use super::lowerer::Lowerer;
use super::state::initial_elements;
use crate::diagnostics::Span;
use crate::frontend::codes;
use crate::frontend::error::{Result, fail};
use crate::frontend::values::{Operand, Value};
use crate::ir::grid::digits;
use crate::ir::{ArrayKind, Const, OpKind, Packed, Partition, PartitionKind, Scalar, ValueId};
use num_bigint::BigInt;

/// Elements of a block up to which it is registers rather than a memory.
const MOST_REGISTERS: u64 = 64;

/// A block of constants.
pub(super) fn constant(block: &[Const], elem: Scalar) -> Const {
    let width = elem.width();
    let bits = block.iter().rev().fold(BigInt::ZERO, |above, one| {
        let own = match one {
            Const::Int(value) => value & ((BigInt::from(1) << width) - 1),
            Const::Float(bits) => bits.clone().into(),
        };
        (above << width) | own
    });
    Const::Int(bits)
}

impl Lowerer<'_, '_> {
    /// An array, or constants, as one integer.
    pub(super) fn packed(
        &mut self,
        operand: &Operand,
        packed: &Packed,
        span: Span,
    ) -> Result<ValueId> {
        let whole = whole(packed);
        let id = match &operand.value {
            Value::Array { id, .. } => *id,
            _ => {
                let contents =
                    initial_elements(self.options.style, operand, packed.elem, &packed.shape)?;
                return Ok(self
                    .b
                    .constant(whole, constant(&contents, packed.elem), span));
            }
        };
        let found = self.array(id).shape.clone();
        if found != packed.shape {
            let message = format!(
                "the stream carries the shape {:?}, not {found:?}",
                packed.shape
            );
            return fail(codes::SHAPE_MISMATCH, operand.span, message);
        }
        let mut all = self.b.zero(whole, span);
        for place in 0..packed.len() {
            let indices = self.place(place, &packed.shape, span);
            let element = self.load(id, indices, operand.span);
            let element = self.b.cast(element, packed.elem, span);
            let bits = self.as_bits(element, packed.elem, span);
            let lo = self.b.index(self::low(place, packed), span);
            let kind = OpKind::BitSet { arg: all, lo, bits };
            all = self.b.emit(kind, whole, span);
        }
        Ok(all)
    }

    /// One integer as a new array.
    pub(super) fn unpacked(&mut self, all: ValueId, packed: &Packed, span: Span) -> Value {
        let Packed { elem, shape } = packed;
        let id = self.b.array("block", *elem, shape, ArrayKind::Local, span);
        if packed.len() <= MOST_REGISTERS {
            let dims = shape.iter().enumerate().filter(|(_, extent)| **extent > 1);
            let complete = dims.map(|(dim, &factor)| Partition {
                kind: PartitionKind::Complete,
                dim,
                factor,
            });
            self.b.arrays[id].partition = complete.collect();
        }
        for place in 0..packed.len() {
            let bits = Scalar::unsigned(elem.width());
            let lo = self.b.index(self::low(place, packed), span);
            let kind = match elem.width() {
                1 => OpKind::BitGet {
                    arg: all,
                    index: lo,
                },
                _ => OpKind::BitSlice { arg: all, lo },
            };
            let own = self.b.emit(kind, bits, span);
            let value = match *elem == bits {
                true => own,
                false => self.b.emit(OpKind::Bitcast { arg: own }, *elem, span),
            };
            let indices = self.place(place, shape, span);
            self.b.push(OpKind::store(id, indices, value), vec![], span);
        }
        Value::Array { id, fresh: true }
    }

    fn as_bits(&mut self, value: ValueId, ty: Scalar, span: Span) -> ValueId {
        let bits = Scalar::unsigned(ty.width());
        match ty == bits {
            true => value,
            false => self.b.emit(OpKind::Bitcast { arg: value }, bits, span),
        }
    }

    fn place(&mut self, place: u64, shape: &[u64], span: Span) -> Vec<ValueId> {
        let indices = digits(place, shape).into_iter();
        indices
            .map(|index| self.b.index(index as i64, span))
            .collect()
    }
}

fn whole(packed: &Packed) -> Scalar {
    Scalar::unsigned(packed.len() as u32 * packed.elem.width())
}

/// The lowest bit of an element.
fn low(place: u64, packed: &Packed) -> i64 {
    place as i64 * i64::from(packed.elem.width())
}
