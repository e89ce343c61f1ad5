//! Hash maps of handles, numbers and operations, which no adversary chooses one by one, so that a short hash will do; it is
//! the same in every run. Names of a source are hashed by the standard library. And fingerprints of texts, for names of files.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A hash map with [`FastHasher`].
pub type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<FastHasher>>;
/// A hash set with [`FastHasher`].
pub type FastSet<K> = HashSet<K, BuildHasherDefault<FastHasher>>;

/// Multiplies and adds word by word (as the hash of Firefox and rustc does); the last step spreads the high bits, which
/// depend on everything, over the low ones, by which tables are addressed.
#[derive(Clone, Copy, Debug, Default)]
pub struct FastHasher(u64);

/// An odd number without structure: the digits of the golden ratio.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

impl FastHasher {
    #[inline]
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    }
}

impl Hasher for FastHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            let word = word.try_into().map_or(0, u64::from_le_bytes);
            self.add(word);
        }
        let rest = words.remainder().iter();
        let rest = rest.fold(0, |word, &byte| word << 8 | u64::from(byte));
        self.add(rest << 8 | bytes.len() as u64 & 0xff);
    }
    #[inline]
    fn write_u8(&mut self, n: u8) {
        self.add(n.into());
    }
    #[inline]
    fn write_u16(&mut self, n: u16) {
        self.add(n.into());
    }
    #[inline]
    fn write_u32(&mut self, n: u32) {
        self.add(n.into());
    }
    #[inline]
    fn write_u64(&mut self, n: u64) {
        self.add(n);
    }
    #[inline]
    fn write_u128(&mut self, n: u128) {
        self.add(n as u64);
        self.add((n >> 64) as u64);
    }
    #[inline]
    fn write_usize(&mut self, n: usize) {
        self.add(n as u64);
    }
    #[inline]
    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }
}

/// FNV-1a of 128 bits over texts and their lengths, in hexadecimal: a name for what is made from them, in files that outlive
/// the process.
pub fn fingerprint(texts: &[impl AsRef<[u8]>]) -> String {
    let mut state = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58du128;
    let mut feed = |byte: &u8| {
        state = (state ^ u128::from(*byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
    };
    for text in texts {
        let text = text.as_ref();
        text.iter().for_each(&mut feed);
        (text.len() as u64).to_le_bytes().iter().for_each(&mut feed);
    }
    format!("{state:032x}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::{BuildHasher, Hash};

    fn hash(value: impl Hash) -> u64 {
        BuildHasherDefault::<FastHasher>::default().hash_one(value)
    }

    /// Of the given hashes, the most that fall into one of as many places.
    fn most_in_one_place(hashes: Vec<u64>) -> u32 {
        let size = hashes.len().next_power_of_two();
        let mut places = vec![0; size];
        for hash in hashes {
            places[hash as usize % size] += 1;
        }
        places.into_iter().max().unwrap_or(0)
    }

    #[test]
    fn keys_that_are_alike_fall_into_different_places() {
        assert!(most_in_one_place((0..10_000u32).map(hash).collect()) < 10);
        let pairs = (0..10_000u32).map(|i| hash((i, i + 1)));
        assert!(most_in_one_place(pairs.collect()) < 12);
        let strided = (0..10_000u64).map(|i| hash(i << 32));
        assert!(most_in_one_place(strided.collect()) < 12);
        let names = (0..10_000).map(|i| hash(format!("block_t{i}")));
        assert!(most_in_one_place(names.collect()) < 12);
    }

    #[test]
    fn the_length_of_a_text_counts() {
        assert_ne!(hash(&b""[..]), hash(&b"\0"[..]));
        assert_ne!(hash("a"), hash("a\0"));
    }
}
