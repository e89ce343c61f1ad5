//! Python's `range`.

use num_bigint::BigInt;

/// The numbers of an arithmetic progression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// First number.
    pub start: i64,
    /// The bound, exclusive.
    pub stop: i64,
    /// Not 0.
    pub step: i64,
}

impl Range {
    /// Number of elements.
    pub fn len(&self) -> u64 {
        let (start, stop, step) = (
            i128::from(self.start),
            i128::from(self.stop),
            i128::from(self.step),
        );
        let distance = if step > 0 { stop - start } else { start - stop };
        if distance <= 0 {
            return 0;
        }
        // At most 2^64 - 1, as the distance is below 2^64.
        ((distance + step.abs() - 1) / step.abs()) as u64
    }

    /// Whether it has no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Element number `i`, which is less than the length.
    pub fn at(&self, i: u64) -> BigInt {
        (i128::from(self.start) + i128::from(i) * i128::from(self.step)).into()
    }
}
