//! Value numbers: values with one number are computed alike from the same values (Alpern, Wegman and Zadeck, Detecting
//! equality of variables in programs, POPL 1988; here by hashing, in program order).

use crate::hash::FastMap;
use crate::ir::{BinaryOp, CompareOp, Const, Conversion, MOST_OPERANDS, OpKind, Scalar, UnaryOp};

/// What a value is computed by, its operands aside.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Operation {
    Const(Const),
    Unary(UnaryOp),
    Binary(BinaryOp),
    Compare(CompareOp),
    Fma,
    Cast,
    Convert(Conversion),
    Bitcast,
    Select,
    BitGet,
    BitSet,
    BitSlice,
}

/// Numbers given so far.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    known: FastMap<(Operation, Scalar, [u32; MOST_OPERANDS]), u32>,
    next: u32,
}

impl Numbers {
    /// A number that no value has.
    pub fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// The number of a value of type `ty`, given those of its operands, in the order of [`OpKind::operands`], and
    /// `u32::MAX` after the last. What reads
    /// memory or runs blocks gets a number of its own.
    pub fn number(&mut self, kind: &OpKind, ty: Scalar, mut operands: [u32; MOST_OPERANDS]) -> u32 {
        let Some(operation) = operation(kind) else {
            return self.fresh();
        };
        if commutes(&operation) {
            operands[..2].sort_unstable();
        }
        let next = &mut self.next;
        let number = self.known.entry((operation, ty, operands));
        *number.or_insert_with(|| {
            *next += 1;
            *next - 1
        })
    }
}

fn operation(kind: &OpKind) -> Option<Operation> {
    Some(match kind {
        OpKind::Const(c) => Operation::Const(c.clone()),
        OpKind::Unary { op, .. } => Operation::Unary(*op),
        OpKind::Binary { op, .. } => Operation::Binary(*op),
        OpKind::Compare { op, .. } => Operation::Compare(*op),
        OpKind::Fma { .. } => Operation::Fma,
        OpKind::Cast { .. } => Operation::Cast,
        OpKind::Convert { how, .. } => Operation::Convert(*how),
        OpKind::Bitcast { .. } => Operation::Bitcast,
        OpKind::Select { .. } => Operation::Select,
        OpKind::BitGet { .. } => Operation::BitGet,
        OpKind::BitSet { .. } => Operation::BitSet,
        OpKind::BitSlice { .. } => Operation::BitSlice,
        _ => return None,
    })
}

/// Of floats too: which NaN comes first does not matter where every NaN result is the canonical one.
fn commutes(operation: &Operation) -> bool {
    use BinaryOp::{Add, And, Max, MaxNan, Min, MinNan, Mul, Or, Xor};
    match operation {
        Operation::Binary(op) => {
            matches!(op, Add | Mul | And | Or | Xor | Min | Max | MinNan | MaxNan)
        }
        Operation::Compare(op) => matches!(op, CompareOp::Eq | CompareOp::Ne),
        _ => false,
    }
}
