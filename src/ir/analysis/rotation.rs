//! Accesses of an array in banks of which it is known that their banks differ, though not which these are: `a[i]` and `a[i + 1]`
//! of an array in two cyclic banks. A bank then serves one of them in each cycle.

use super::values::{Affine, Values};
use crate::ir::partition::splits;
use crate::ir::{Array, Element, PartitionKind};

/// What decides the bank of an access: for each split of the array, a sum modulo the number of its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    sums: Vec<(Affine, i128)>,
}

impl Key {
    /// Of an access to an array that is split; `None`: the bank is known while compiling, or what decides it is no such sum.
    pub fn of(values: &Values, array: &Array, at: &Element) -> Option<Key> {
        let splits = splits(&array.shape, &array.partition).into_iter();
        let sums: Option<Vec<(Affine, i128)>> = splits
            .map(|split| {
                let parts = match split.kind {
                    PartitionKind::Block => return None,
                    // Within the array; who is outside of it is told apart where that matters.
                    PartitionKind::Complete => split.keys,
                    PartitionKind::Cyclic | PartitionKind::Skew => split.factor,
                };
                let deciding = split.deciding(&at.indices);
                let mut forms = deciding.iter().map(|&index| values.affine(index));
                let mut sum = forms.try_fold(Affine::default(), |sum, form| sum.plus(&form, 1))?;
                let parts = i128::from(parts);
                // Modulo the parts, `-i` may be `i`.
                for (_, factor) in &mut sum.terms {
                    *factor = factor.rem_euclid(parts);
                }
                sum.terms.retain(|(_, factor)| *factor != 0);
                Some((sum, parts))
            })
            .collect();
        let varies = |(sum, _): &(Affine, i128)| !sum.terms.is_empty();
        let sums = sums.filter(|sums| sums.iter().any(varies))?;
        Some(Key { sums })
    }

    /// Whether accesses with these keys are never of the same bank: along some dimension, how far they lie from one another is
    /// known and no multiple of the number of parts.
    pub fn differs(&self, other: &Key) -> bool {
        let mut pairs = self.sums.iter().zip(&other.sums);
        pairs.any(|((one, parts), (other, _))| {
            one.terms == other.terms && (one.constant - other.constant) % parts != 0
        })
    }
}
