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
    /// The sum of all subscripts modulo factor; the dimension is the one that is divided in each part. So
    /// neighbours in rows and those in columns are in different parts.
    Skew,
}

impl PartitionKind {
    /// Every kind.
    pub const ALL: [PartitionKind; 4] = [
        PartitionKind::Cyclic,
        PartitionKind::Block,
        PartitionKind::Complete,
        PartitionKind::Skew,
    ];

    /// Whether an array may be split into so many parts, 0 for none said.
    ///
    /// Errors: so many are no partition of the kind.
    pub fn check_factor(self, factor: i64) -> Result<(), String> {
        let name = self.name();
        match (self, factor) {
            (PartitionKind::Complete, 0) => Ok(()),
            (PartitionKind::Complete, _) => {
                Err("a complete partition has as many parts as elements, no factor".into())
            }
            (_, ..1) => Err(format!("a {name} partition needs a factor")),
            (PartitionKind::Skew, 1) => Err(format!("a {name} partition has two parts at least")),
            _ => Ok(()),
        }
    }

    /// Its name in directives and in the printed ir.
    pub fn name(self) -> &'static str {
        match self {
            PartitionKind::Cyclic => "cyclic",
            PartitionKind::Block => "block",
            PartitionKind::Complete => "complete",
            PartitionKind::Skew => "skew",
        }
    }

    /// The kind of a name.
    pub fn named(name: &str) -> Option<PartitionKind> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A split of what is left of a dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    /// Which indices share a part.
    pub kind: PartitionKind,
    /// The dimension, from 0.
    pub dim: usize,
    /// Its indices.
    pub extent: u64,
    /// Number of parts.
    pub factor: u64,
    /// How many values [`Split::key`] has.
    pub keys: u64,
}

impl Split {
    /// Elements of every part but, maybe, the last ones.
    pub fn share(&self) -> u64 {
        self.extent.div_ceil(self.factor)
    }
    /// Those of an element's subscripts of which the sum decides the part.
    pub fn deciding<'i, T>(&self, indices: &'i [T]) -> &'i [T] {
        match self.kind {
            PartitionKind::Skew => indices,
            _ => &indices[self.dim..][..1],
        }
    }
    /// What decides an element's part.
    pub fn key(&self, index: &[u64]) -> u64 {
        self.deciding(index).iter().sum()
    }
    /// The part with a key.
    pub fn part(&self, key: u64) -> u64 {
        match self.kind {
            PartitionKind::Cyclic | PartitionKind::Skew => key % self.factor,
            PartitionKind::Block => key / self.share(),
            PartitionKind::Complete => key,
        }
    }
    /// The index in its part of an index of the dimension.
    fn inside(&self, index: u64) -> u64 {
        match self.kind {
            PartitionKind::Cyclic | PartitionKind::Skew => index / self.factor,
            PartitionKind::Block => index % self.share(),
            PartitionKind::Complete => 0,
        }
    }
    /// Factor and offset by which an index in a part becomes one of the dimension; of skewed parts, that of the element whose
    /// other subscripts are 0.
    pub fn scale(&self, part: u64) -> (u64, u64) {
        match self.kind {
            PartitionKind::Cyclic | PartitionKind::Skew => (self.factor, part),
            PartitionKind::Block => (1, part * self.share()),
            PartitionKind::Complete => (0, part),
        }
    }
    /// The index of the dimension of one in a part, where the other subscripts are those of `index`.
    fn whole(&self, part: u64, index: &[u64]) -> u64 {
        let inside = index[self.dim];
        let others = match self.kind {
            PartitionKind::Skew => (self.key(index) - inside) % self.factor,
            _ => 0,
        };
        let (factor, offset) = self.scale((part + self.factor - others) % self.factor);
        inside * factor + offset
    }
    /// How many indices a part has; a few of a skewed one may belong to no element.
    fn left(&self, part: u64) -> u64 {
        match self.kind {
            PartitionKind::Cyclic => self.extent.saturating_sub(part).div_ceil(self.factor),
            PartitionKind::Block => {
                let before = part.saturating_mul(self.share());
                self.share().min(self.extent.saturating_sub(before))
            }
            PartitionKind::Complete => u64::from(part < self.extent),
            PartitionKind::Skew => self.share(),
        }
    }
}

/// The splits of an array, outermost first; `part` chooses a part of each, of which what is left is split by the next.
/// Gives what is left in the end.
fn split(shape: &[u64], partition: &[Partition], mut part: impl FnMut(&Split) -> u64) -> Vec<u64> {
    let mut rest = shape.to_vec();
    let furthest = |extents: &[u64]| {
        extents.iter().fold(0u64, |sum, extent| {
            sum.saturating_add(extent.saturating_sub(1))
        })
    };
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
            keys: match one.kind {
                PartitionKind::Skew => furthest(shape).saturating_add(1),
                _ => extent,
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

/// Whether a partition is one of an array of that shape: each dimension is split at most once, at most one of them is skewed, no
/// part is empty, and there are at most [`MAX_BANKS`] banks.
pub fn is_valid(shape: &[u64], partition: &[Partition]) -> bool {
    let is_split = |(at, one): (usize, &Partition)| {
        let earlier = &partition[..at];
        let Some(&extent) = shape.get(one.dim) else {
            return false;
        };
        let parts = one.factor > 0 && one.factor == parts(one.kind, extent, one.factor);
        parts && earlier.iter().all(|other| other.dim != one.dim)
    };
    let skewed = partition
        .iter()
        .filter(|one| one.kind == PartitionKind::Skew);
    skewed.count() < 2
        && partition.iter().enumerate().all(is_split)
        && banks(shape, partition) <= MAX_BANKS
}

/// How many parts of a dimension have an element, if a factor is asked for that is at least 1.
pub fn parts(kind: PartitionKind, extent: u64, factor: u64) -> u64 {
    match kind {
        PartitionKind::Cyclic | PartitionKind::Skew => factor.min(extent),
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
    let subscripts = digits(position, shape);
    let mut index = subscripts.clone();
    let mut parts = Vec::new();
    let rest = split(shape, partition, |split| {
        let part = split.part(match split.kind {
            PartitionKind::Skew => split.key(&subscripts),
            _ => split.key(&index),
        });
        index[split.dim] = split.inside(index[split.dim]);
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
    // Where a skewed dimension is depends on all others.
    splits.reverse();
    splits.sort_by_key(|(split, _)| split.kind == PartitionKind::Skew);
    for (split, part) in &splits {
        index[split.dim] = split.whole(*part, &index);
        if index[split.dim] >= shape[split.dim] {
            return None;
        }
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
    fn neighbours_in_rows_and_in_columns_have_skewed_banks_of_their_own() {
        let bank = |row, column| place(&[8, 8], &partition(&[(Skew, 1, 4)]), row * 8 + column).0;
        for (row, column) in [(0, 0), (3, 2), (4, 4)] {
            let lines: [fn(u64) -> (u64, u64); 2] = [|at| (at, 0), |at| (0, at)];
            for line in lines {
                let mut banks: Vec<u64> = (0..4)
                    .map(line)
                    .map(|(down, right)| bank(row + down, column + right))
                    .collect();
                banks.sort_unstable();
                assert_eq!(banks, [0, 1, 2, 3]);
            }
        }
    }

    #[test]
    fn a_place_in_a_bank_leads_back_to_the_element() {
        let lists: [&[_]; 11] = [
            &[],
            &[(Cyclic, 0, 3)],
            &[(Block, 1, 4)],
            &[(Complete, 1, 0)],
            &[(Cyclic, 1, 2), (Block, 0, 2)],
            &[(Block, 1, 2), (Cyclic, 1, 2)],
            &[(Cyclic, 0, 2), (Complete, 1, 0)],
            &[(Block, 1, 2), (Complete, 1, 0)],
            &[(Skew, 1, 4)],
            &[(Skew, 0, 3), (Cyclic, 1, 2)],
            &[(Block, 0, 2), (Skew, 1, 3)],
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
