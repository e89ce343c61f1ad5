//! Accesses of an array in banks of which it is known that their banks differ, though not which these are: `a[i]` and `a[i + 1]`
//! of an array in two cyclic banks. A bank then serves one of them in each cycle.

use super::values::{Affine, Values};
use crate::ir::partition::splits;
use crate::ir::{Array, Element, PartitionKind};

/// What decides the bank of an access: a sum, modulo the number of banks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    sum: Affine,
    banks: i128,
}

impl Key {
    /// Of an access to an array that is split along one dimension; `None`: otherwise, or the bank is known while compiling.
    pub fn of(values: &Values, array: &Array, at: &Element) -> Option<Key> {
        let [split] = splits(&array.shape, &array.partition)[..] else {
            return None;
        };
        if matches!(split.kind, PartitionKind::Complete | PartitionKind::Block) {
            return None;
        }
        let deciding = split.deciding(&at.indices);
        let mut forms = deciding.iter().map(|&index| values.affine(index));
        let sum = forms.try_fold(Affine::default(), |sum, form| sum.plus(&form, 1))?;
        let banks = i128::from(split.factor);
        let varies = sum.terms.iter().any(|(_, factor)| factor % banks != 0);
        varies.then_some(Key { sum, banks })
    }

    /// Whether accesses with these keys are never of the same bank.
    pub fn differs(&self, other: &Key) -> bool {
        self.is_beside(other) && (self.sum.constant - other.sum.constant) % self.banks != 0
    }

    /// Whether how far two keys lie from one another is known.
    fn is_beside(&self, other: &Key) -> bool {
        self.banks == other.banks && self.sum.terms == other.sum.terms
    }
}
