//! Places of values in the memory of the flat program.

/// Where a value of `width` bits stands: in words from `at`, the lowest first, unused bits 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Slot {
    pub at: u32,
    pub width: u32,
}

impl Slot {
    /// Its words.
    pub fn range(self) -> std::ops::Range<usize> {
        let at = self.at as usize;
        at..at + self.words()
    }
    /// How many words it has.
    pub fn words(self) -> usize {
        self.width.div_ceil(64) as usize
    }
    /// The bits used of its last word.
    pub fn top_mask(self) -> u64 {
        u64::MAX >> (self.words() as u32 * 64 - self.width)
    }
}
