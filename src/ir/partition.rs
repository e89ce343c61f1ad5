//! Partitions of arrays into banks: which bank has an element, and where.

use super::grid::{digits, number};
use serde::{Deserialize, Serialize};

/// A split of an array along one dimension.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Partition {
    /// Which indices share a part.
    pub kind: PartitionKind,
    /// The dimension, from 0.
    pub dim: usize,
    /// Number of parts, at least 1; none of them is empty.
    pub factor: u64,
}

/// Which indices share a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PartitionKind {
    /// Index modulo factor.
    Cyclic,
    /// Neighbours.
    Block,
    /// None: every index has a part of its own.
    Complete,
}

impl PartitionKind {
    /// Every kind.
    pub const ALL: [PartitionKind; 3] = [
        PartitionKind::Cyclic,
        PartitionKind::Block,
        PartitionKind::Complete,
    ];

    /// Its name in directives and in the printed ir.
    pub fn name(self) -> &'static str {
        match self {
            PartitionKind::Cyclic => "cyclic",
            PartitionKind::Block => "block",
            PartitionKind::Complete => "complete",
        }
    }

    /// The kind of a name.
    pub fn named(name: &str) -> Option<PartitionKind> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A split of what is left of a dimension.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    /// Which indices share a part.
    pub kind: PartitionKind,
    /// The dimension, from 0.
    pub dim: usize,
    /// Its indices.
    pub extent: u64,
    /// Number of parts.
    pub factor: u64,
}

impl Split {
    /// Elements of every part but, maybe, the last ones.
    pub fn share(&self) -> u64 {
        self.extent.div_ceil(self.factor)
    }
    /// The part of an index and its index in there.
    pub fn part(&self, index: u64) -> (u64, u64) {
        match self.kind {
            PartitionKind::Cyclic => (index % self.factor, index / self.factor),
            PartitionKind::Block => (index / self.share(), index % self.share()),
            PartitionKind::Complete => (index, 0),
        }
    }
    /// Factor and offset by which an index in a part becomes one of the dimension.
    pub fn scale(&self, part: u64) -> (u64, u64) {
        match self.kind {
            PartitionKind::Cyclic => (self.factor, part),
            PartitionKind::Block => (1, part * self.share()),
            PartitionKind::Complete => (0, part),
        }
    }
    /// [`Split::part`], the other way round.
    fn whole(&self, part: u64, index: u64) -> u64 {
        let (factor, offset) = self.scale(part);
        index * factor + offset
    }
    /// How many elements a part has.
    fn left(&self, part: u64) -> u64 {
        match self.kind {
            PartitionKind::Cyclic => self.extent.saturating_sub(part).div_ceil(self.factor),
            PartitionKind::Block => {
                let before = part.saturating_mul(self.share());
                self.share().min(self.extent.saturating_sub(before))
            }
            PartitionKind::Complete => u64::from(part < self.extent),
        }
    }
}

/// The splits of an array, outermost first; `part` chooses a part of each, of which what is left is split by the next.
/// Gives what is left in the end.
fn split(shape: &[u64], partition: &[Partition], mut part: impl FnMut(&Split) -> u64) -> Vec<u64> {
    let mut rest = shape.to_vec();
    for one in partition.iter().filter(|one| one.dim < shape.len()) {
        let extent = rest[one.dim];
        let split = Split {
            kind: one.kind,
            dim: one.dim,
            extent,
            factor: match one.kind {
                PartitionKind::Complete => extent,
                _ => one.factor.max(1),
            },
        };
        rest[one.dim] = split.left(part(&split));
    }
    rest
}

/// The splits of an array of which no dimension is split twice, in order.
pub fn splits(shape: &[u64], partition: &[Partition]) -> Vec<Split> {
    let mut splits = Vec::new();
    split(shape, partition, |split| {
        splits.push(*split);
        0
    });
    splits
}

/// How many parts each split has; the first part has all, should a later one be too small for that.
fn factors(shape: &[u64], partition: &[Partition]) -> Vec<u64> {
    let splits = splits(shape, partition);
    splits.iter().map(|split| split.factor).collect()
}

/// More banks than these are no memories any more: each is ports, wires and selectors of its own.
pub const MAX_BANKS: u64 = 1024;

/// Whether a partition is one of an array of that shape: each dimension is split at most once, no part is empty, and there
/// are at most [`MAX_BANKS`] banks.
pub fn is_valid(shape: &[u64], partition: &[Partition]) -> bool {
    let is_split = |(at, one): (usize, &Partition)| {
        let earlier = &partition[..at];
        let Some(&extent) = shape.get(one.dim) else {
            return false;
        };
        let parts = one.factor > 0 && one.factor == parts(one.kind, extent, one.factor);
        parts && earlier.iter().all(|other| other.dim != one.dim)
    };
    partition.iter().enumerate().all(is_split) && banks(shape, partition) <= MAX_BANKS
}

/// How many parts of a dimension have an element, if a factor is asked for that is at least 1.
pub fn parts(kind: PartitionKind, extent: u64, factor: u64) -> u64 {
    match kind {
        PartitionKind::Cyclic => factor.min(extent),
        PartitionKind::Block => extent.div_ceil(extent.div_ceil(factor)),
        PartitionKind::Complete => extent,
    }
}

/// How many banks there are; saturates.
pub fn banks(shape: &[u64], partition: &[Partition]) -> u64 {
    let factors = factors(shape, partition).into_iter();
    factors.fold(1, u64::saturating_mul)
}

/// The extents of a bank.
pub fn bank_shape(shape: &[u64], partition: &[Partition], bank: u64) -> Vec<u64> {
    let mut parts = digits(bank, &factors(shape, partition)).into_iter();
    split(shape, partition, |_| parts.next().unwrap_or(0))
}

/// The bank with a part of each split.
pub fn bank_of(splits: &[Split], parts: &[u64]) -> u64 {
    let factors: Vec<u64> = splits.iter().map(|split| split.factor).collect();
    number(parts, &factors)
}

/// Bank, and row-major address in it, of the element at a row-major position.
pub fn place(shape: &[u64], partition: &[Partition], position: u64) -> (u64, u64) {
    let mut index = digits(position, shape);
    let mut parts = Vec::new();
    let rest = split(shape, partition, |split| {
        let (part, inside) = split.part(index[split.dim]);
        index[split.dim] = inside;
        parts.push(part);
        part
    });
    (
        number(&parts, &factors(shape, partition)),
        number(&index, &rest),
    )
}

/// The row-major position of the element at an address of a bank, if there is one.
pub fn position(shape: &[u64], partition: &[Partition], bank: u64, address: u64) -> Option<u64> {
    let mut parts = digits(bank, &factors(shape, partition)).into_iter();
    let mut splits = Vec::new();
    let rest = split(shape, partition, |split| {
        let part = parts.next().unwrap_or(0);
        splits.push((*split, part));
        part
    });
    if address >= rest.iter().product() {
        return None;
    }
    let mut index = digits(address, &rest);
    for (split, part) in splits.iter().rev() {
        index[split.dim] = split.whole(*part, index[split.dim]);
    }
    Some(number(&index, shape))
}

#[cfg(test)]
mod tests {
    use super::PartitionKind::*;
    use super::*;

    fn partition(list: &[(PartitionKind, usize, u64)]) -> Vec<Partition> {
        let split = |&(kind, dim, factor): &_| Partition { kind, dim, factor };
        list.iter().map(split).collect()
    }

    #[test]
    fn elements_have_their_place_in_a_bank() {
        let placed = |shape: &[u64], list: &[_], at| place(shape, &partition(list), at);
        assert_eq!(placed(&[10], &[(Cyclic, 0, 4)], 9), (1, 2));
        assert_eq!(placed(&[10], &[(Block, 0, 4)], 9), (3, 0));
        let two = [(Complete, 0, 4), (Cyclic, 1, 2)];
        assert_eq!(placed(&[4, 6], &two, 2 * 6 + 5), (2 * 2 + 1, 2));
        assert_eq!(
            placed(&[4, 6], &[(Cyclic, 1, 2)], 3 * 6 + 4),
            (0, 3 * 3 + 2)
        );
        // What is left of a dimension that does not divide evenly depends on the bank.
        assert_eq!(placed(&[2, 5], &[(Cyclic, 1, 2)], 5 + 2), (0, 3 + 1));
        assert_eq!(placed(&[2, 5], &[(Cyclic, 1, 2)], 5 + 1), (1, 2));
    }

    #[test]
    fn a_place_in_a_bank_leads_back_to_the_element() {
        let lists: [&[_]; 8] = [
            &[],
            &[(Cyclic, 0, 3)],
            &[(Block, 1, 4)],
            &[(Complete, 1, 0)],
            &[(Cyclic, 1, 2), (Block, 0, 2)],
            &[(Block, 1, 2), (Cyclic, 1, 2)],
            &[(Cyclic, 0, 2), (Complete, 1, 0)],
            &[(Block, 1, 2), (Complete, 1, 0)],
        ];
        for shape in [[4, 6], [5, 7], [1, 1]] {
            for list in lists {
                let partition = partition(list);
                let mut seen = std::collections::BTreeMap::new();
                for element in 0..shape.iter().product() {
                    let (bank, address) = place(&shape, &partition, element);
                    let back = position(&shape, &partition, bank, address);
                    assert_eq!(back, Some(element), "{partition:?}");
                    let depth = seen.entry(bank).or_insert(0);
                    *depth = address.max(*depth);
                    let elements: u64 = bank_shape(&shape, &partition, bank).iter().product();
                    assert!(address < elements, "{partition:?}");
                }
                for (bank, last) in seen {
                    let beyond = position(&shape, &partition, bank, last + 1);
                    assert_eq!(beyond, None, "{partition:?}");
                    assert!(bank < banks(&shape, &partition), "{partition:?}");
                }
            }
        }
    }
}
