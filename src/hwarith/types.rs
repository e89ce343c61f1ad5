//! The types `ui<w>` and `si<w>` and the values they hold.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use std::fmt;

/// An unsigned (`ui<w>`, 0 ..= 2^w - 1) or signed (`si<w>`, -2^(w-1) ..= 2^(w-1) - 1) integer; `w` >= 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HwType {
    /// Two's complement if true.
    pub signed: bool,
    /// Bits, at least 1.
    pub width: u32,
}

impl HwType {
    /// `ui<width>`.
    pub const fn ui(width: u32) -> HwType {
        HwType {
            signed: false,
            width,
        }
    }
    /// `si<width>`.
    pub const fn si(width: u32) -> HwType {
        HwType {
            signed: true,
            width,
        }
    }
    /// The type of a name such as `ui3`.
    pub fn named(name: &str) -> Option<HwType> {
        let signed = match name.get(..2)? {
            "si" => true,
            "ui" => false,
            _ => return None,
        };
        width_named(&name[2..]).map(|width| HwType { signed, width })
    }
    /// Smallest value.
    pub fn min(self) -> BigInt {
        if self.signed {
            -(BigInt::one() << (self.width - 1))
        } else {
            BigInt::zero()
        }
    }
    /// Largest value.
    pub fn max(self) -> BigInt {
        (BigInt::one() << (self.width - u32::from(self.signed))) - 1
    }
    /// Whether the type holds `value`.
    pub fn contains(self, value: &BigInt) -> bool {
        let bits = value.bits();
        match (self.signed, value.is_negative()) {
            (false, negative) => !negative && bits <= u64::from(self.width),
            (true, false) => bits < u64::from(self.width),
            // -2^(w-1) is the one number of so many bits that it holds.
            (true, true) => {
                let width = u64::from(self.width);
                bits < width || bits == width && value.trailing_zeros() == Some(width - 1)
            }
        }
    }
    /// The narrowest type that holds both: unsigned if neither is negative.
    pub fn of_range(lo: &BigInt, hi: &BigInt) -> HwType {
        if lo.is_negative() {
            // -2^(w-1) <= lo means w > bits(-lo - 1); hi < 2^(w-1) means w > bits(hi).
            let low_bits = (-lo - 1u32).bits();
            let high_bits = if hi.is_negative() { 0 } else { hi.bits() };
            HwType::si(low_bits.max(high_bits) as u32 + 1)
        } else {
            HwType::ui((hi.bits() as u32).max(1))
        }
    }
    /// The value with the low bits of `value` (what a truncating cast gives).
    pub fn wrap(self, value: &BigInt) -> BigInt {
        crate::ir::types::wrap(value, self.width, self.signed)
    }
}

/// A width of 1 to [`MAX_WIDTH`](crate::ir::types::MAX_WIDTH) bits, without leading zeros.
pub fn width_named(digits: &str) -> Option<u32> {
    let plain = !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
    let width: u32 = digits.parse().ok().filter(|_| plain)?;
    (1..=crate::ir::types::MAX_WIDTH)
        .contains(&width)
        .then_some(width)
}

impl fmt::Display for HwType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.signed { "si" } else { "ui" }, self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_contain_what_lies_between_their_ends() {
        for ty in (1..6).flat_map(|width| [HwType::ui(width), HwType::si(width)]) {
            for value in (-70..70).map(BigInt::from) {
                let between = ty.min() <= value && value <= ty.max();
                assert_eq!(ty.contains(&value), between, "{value} in {ty}");
            }
        }
    }
}
