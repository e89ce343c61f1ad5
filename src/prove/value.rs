//! Scalars of the prover.

use super::aig::Lit;
use super::bits::{Word, constant};
use crate::ir::{Const, Scalar};
use num_bigint::{BigInt, Sign};

/// A scalar: its bit pattern, and whether it is unspecified.
#[derive(Clone, Debug)]
pub struct Value {
    /// Lowest bit first.
    pub bits: Word,
    /// 1 where the bits mean nothing.
    pub unspecified: Lit,
}

impl Value {
    /// A specified value.
    pub fn new(bits: Word) -> Value {
        Value {
            bits,
            unspecified: Lit::FALSE,
        }
    }
}

/// The bits of a constant.
pub(super) fn literal(ty: Scalar, value: &Const) -> Word {
    let value = match value {
        Const::Int(i) => i.clone(),
        Const::Float(bits) => BigInt::from_biguint(Sign::Plus, bits.clone()),
    };
    constant(&value, ty.width())
}
