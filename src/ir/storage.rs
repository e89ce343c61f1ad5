//! Storage formats: floats of 8 and 4 bits, which are stored and converted, while arithmetic on them is done
//! in a wider format.
//!
//! `f8e4m3` and `f8e5m2`: OCP 8-bit Floating Point Specification, revision 1.0. `f4e2m1`: OCP Microscaling
//! Formats Specification, revision 1.0. `hif8`: HiFloat8, arXiv 2409.16626.

use super::{FloatFormat, Rounding};
use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};
use std::fmt;
use std::sync::OnceLock;

/// A format of 8 or 4 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StorageFormat {
    /// 4 exponent and 3 fraction bits; no infinity, and only all ones is NaN.
    F8E4M3,
    /// 5 exponent and 2 fraction bits as in IEEE 754.
    F8E5M2,
    /// HiFloat8: the more bits the exponent needs, the fewer the fraction has.
    HiF8,
    /// 2 exponent bits and 1 fraction bit; only numbers.
    F4E2M1,
    /// 1 exponent bit and 2 fraction bits; only numbers.
    F4E1M2,
}

/// What a code stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredNumber {
    /// Not a number.
    Nan,
    /// Infinity; negative if true.
    Infinite(bool),
    /// `(-1)^negative * units * 2^UNIT`.
    Finite {
        /// The sign, also of a zero.
        negative: bool,
        /// The magnitude.
        units: u64,
    },
}

/// Exponent of the unit in which values are counted: a quarter of the least value of any format, so that
/// the middle between two values is a whole number of units.
pub const UNIT: i32 = -24;

impl StorageFormat {
    /// Every format.
    pub const ALL: [StorageFormat; 5] = [
        StorageFormat::F8E4M3,
        StorageFormat::F8E5M2,
        StorageFormat::HiF8,
        StorageFormat::F4E2M1,
        StorageFormat::F4E1M2,
    ];

    /// Name in the language.
    pub fn name(self) -> &'static str {
        match self {
            StorageFormat::F8E4M3 => "f8e4m3",
            StorageFormat::F8E5M2 => "f8e5m2",
            StorageFormat::HiF8 => "hif8",
            StorageFormat::F4E2M1 => "f4e2m1",
            StorageFormat::F4E1M2 => "f4e1m2",
        }
    }
    /// The format of a name.
    pub fn named(name: &str) -> Option<StorageFormat> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }
    /// Bits of a code.
    pub fn width(self) -> u32 {
        match self {
            StorageFormat::F4E2M1 | StorageFormat::F4E1M2 => 4,
            _ => 8,
        }
    }
    /// The format in which arithmetic on it is done; it holds every value exactly.
    pub fn computes_in(self) -> FloatFormat {
        match self {
            StorageFormat::F8E5M2 | StorageFormat::HiF8 => FloatFormat::F32,
            _ => FloatFormat::F16,
        }
    }
    /// Fields of a code, `None` for HiFloat8: exponent bits, fraction bits, bias.
    pub fn fields(self) -> Option<(u32, u32, i32)> {
        match self {
            StorageFormat::F8E4M3 => Some((4, 3, 7)),
            StorageFormat::F8E5M2 => Some((5, 2, 15)),
            StorageFormat::F4E2M1 => Some((2, 1, 1)),
            StorageFormat::F4E1M2 => Some((1, 2, 1)),
            StorageFormat::HiF8 => None,
        }
    }
    /// The canonical NaN; +0 in a format without one.
    pub fn nan(self) -> u8 {
        match self {
            StorageFormat::F8E4M3 => 0x7f,
            StorageFormat::F8E5M2 => 0x7e,
            StorageFormat::HiF8 => 0x80,
            StorageFormat::F4E2M1 | StorageFormat::F4E1M2 => 0,
        }
    }
    /// What an infinity or too large a number becomes: infinity, else NaN, else the largest number.
    pub fn overflow(self, negative: bool) -> u8 {
        match self {
            StorageFormat::F8E4M3 => self.nan(),
            StorageFormat::F8E5M2 => self.signed(negative, 0x7c),
            StorageFormat::HiF8 => self.signed(negative, 0x6f),
            StorageFormat::F4E2M1 | StorageFormat::F4E1M2 => self.signed(negative, 7),
        }
    }

    /// The largest number of a sign.
    pub fn largest(self, negative: bool) -> u8 {
        let numbers = self.numbers();
        self.signed(negative, numbers[numbers.len() - 1].1)
    }

    fn signed(self, negative: bool, magnitude: u8) -> u8 {
        magnitude | u8::from(negative) << (self.width() - 1)
    }

    /// The meaning of a code; bits above the format's are ignored.
    pub fn decode(self, code: u8) -> StoredNumber {
        let top = self.width() - 1;
        let negative = code >> top & 1 == 1;
        let magnitude = code & ((1 << top) - 1);
        match (self, magnitude) {
            (StorageFormat::F8E4M3, 0x7f) | (StorageFormat::F8E5M2, 0x7d..) => StoredNumber::Nan,
            (StorageFormat::F8E5M2, 0x7c) => StoredNumber::Infinite(negative),
            (StorageFormat::HiF8, 0) if negative => StoredNumber::Nan,
            (StorageFormat::HiF8, 0x6f) => StoredNumber::Infinite(negative),
            _ => StoredNumber::Finite {
                negative,
                units: self.units(magnitude),
            },
        }
    }

    /// A magnitude in units.
    fn units(self, magnitude: u8) -> u64 {
        let (mantissa, exponent) = match self.fields() {
            None => hif8_magnitude(magnitude),
            Some((_, frac, bias)) => {
                let (field, fraction) = (magnitude >> frac, magnitude & ((1 << frac) - 1));
                let hidden = u8::from(field != 0) << frac;
                let exponent = i32::from(field.max(1)) - bias - frac as i32;
                (fraction | hidden, exponent)
            }
        };
        u64::from(mantissa) << (exponent - UNIT)
    }

    /// The positive numbers with their codes, the least first.
    fn numbers(self) -> &'static [(u64, u8)] {
        static TABLES: [OnceLock<Vec<(u64, u8)>>; 5] = [const { OnceLock::new() }; 5];
        TABLES[self as usize].get_or_init(|| {
            let codes = 0..1u8 << (self.width() - 1);
            let mut table: Vec<(u64, u8)> = codes
                .filter_map(|code| match self.decode(code) {
                    StoredNumber::Finite { units, .. } => Some((units, code)),
                    _ => None,
                })
                .collect();
            table.sort_unstable();
            table
        })
    }

    /// The number that would follow the largest one if there were codes for it.
    fn beyond(self) -> u64 {
        let numbers = self.numbers();
        let (last, before) = (numbers[numbers.len() - 1].0, numbers[numbers.len() - 2].0);
        match self {
            // The largest is a power of two, above which the step doubles.
            StorageFormat::HiF8 => last + last / 2,
            _ => 2 * last - before,
        }
    }

    /// The code nearest to `(-1)^negative * mantissa * 2^exponent`, ties to even (HiFloat8: away from zero).
    /// `sticky`: the magnitude is truly a little above that.
    ///
    /// Rounds as if there were numbers of any size; what is then too large becomes [`Self::overflow`].
    pub fn round(self, negative: bool, mantissa: &BigUint, exponent: i64, sticky: bool) -> u8 {
        let usual = Rounding::usual(self.into());
        let rounded = self.round_by(usual, negative, mantissa, exponent, sticky);
        rounded.unwrap_or_else(|| self.overflow(negative))
    }

    /// As [`Self::round`], in a way of rounding; `None` if the number is then too large.
    pub fn round_by(
        self,
        rounding: Rounding,
        negative: bool,
        mantissa: &BigUint,
        exponent: i64,
        sticky: bool,
    ) -> Option<u8> {
        let beyond = self.beyond();
        let top = mantissa.bits() as i64 + exponent;
        let (units, sticky) = if mantissa.is_zero() {
            (0, sticky)
        } else if top > 20 {
            return None;
        } else if top < i64::from(UNIT) {
            (0, true)
        } else {
            let shift = exponent - i64::from(UNIT);
            let down = (-shift).max(0) as u64;
            let whole = (mantissa << shift.max(0) as u64) >> down;
            let lost = mantissa.trailing_zeros().unwrap_or(0) < down;
            (whole.to_u64().unwrap_or(u64::MAX), sticky || lost)
        };
        let numbers = self.numbers();
        // The number at or below, which 0 always is, and the next one.
        let below = numbers.partition_point(|&(v, _)| v <= units) - 1;
        let above = numbers.get(below + 1).map_or(beyond, |n| n.0);
        let middle = (numbers[below].0 + above) / 2;
        // As the numbers do, their codes alternate between even and odd.
        let odd = below % 2 == 1;
        let more = sticky || units != middle && units != numbers[below].0;
        let away = rounding.is_away(negative, odd, units >= middle, more);
        numbers
            .get(below + usize::from(away))
            .map(|&(value, code)| {
                // HiFloat8 has no negative zero.
                let negative = negative && (value > 0 || self != StorageFormat::HiF8);
                self.signed(negative, code)
            })
    }
}

/// Mantissa and exponent of a HiFloat8 magnitude of 7 bits.
fn hif8_magnitude(magnitude: u8) -> (u8, i32) {
    // A prefix says how many bits the exponent has; the fraction gets the rest.
    let (exponent_bits, fraction_bits) = match magnitude >> 3 {
        0 => {
            return match magnitude {
                0 => (0, 0),
                m => (1, i32::from(m) - 23),
            };
        }
        1 => (0, 3),
        2..=3 => (1, 3),
        4..=7 => (2, 3),
        8..=11 => (3, 2),
        _ => (4, 1),
    };
    let mantissa = magnitude & ((1 << fraction_bits) - 1) | 1 << fraction_bits;
    let exponent = match exponent_bits {
        0 => 0,
        // A sign, and a magnitude without its leading one.
        bits => {
            let field = magnitude >> fraction_bits & ((1 << bits) - 1);
            let below = bits - 1;
            let size = i32::from(field & ((1 << below) - 1) | 1 << below);
            if field >> below == 1 { -size } else { size }
        }
    };
    (mantissa, exponent - fraction_bits)
}

impl fmt::Display for StorageFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of the codes, and what would follow the largest one.
    fn table(f: StorageFormat) -> (Vec<Option<f64>>, f64) {
        let (text, beyond) = match f {
            StorageFormat::F8E4M3 => (include_str!("../../tests/formats/f8e4m3.txt"), 480.0),
            StorageFormat::F8E5M2 => (include_str!("../../tests/formats/f8e5m2.txt"), 65536.0),
            StorageFormat::HiF8 => (include_str!("../../tests/formats/hif8.txt"), 49152.0),
            StorageFormat::F4E2M1 => (include_str!("../../tests/formats/f4e2m1.txt"), 8.0),
            StorageFormat::F4E1M2 => (include_str!("../../tests/formats/f4e1m2.txt"), 2.0),
        };
        let values = text.lines().skip(1).map(|line| {
            let value = line.split_once(' ').unwrap().1;
            match value.split_once('/') {
                Some((n, d)) => Some(n.parse::<f64>().unwrap() / d.parse::<f64>().unwrap()),
                None if value == "nan" => None,
                None => Some(value.parse().unwrap()),
            }
        });
        (values.collect(), beyond)
    }

    fn decoded(f: StorageFormat, code: u8) -> Option<f64> {
        match f.decode(code) {
            StoredNumber::Nan => None,
            StoredNumber::Infinite(negative) => Some(if negative {
                f64::NEG_INFINITY
            } else {
                f64::INFINITY
            }),
            StoredNumber::Finite { negative, units } => {
                let size = units as f64 * 2f64.powi(UNIT);
                Some(if negative { -size } else { size })
            }
        }
    }

    #[test]
    fn codes_have_the_values_of_the_tables() {
        for f in StorageFormat::ALL {
            let (values, _) = table(f);
            assert_eq!(values.len(), 1 << f.width());
            for (code, want) in values.iter().enumerate() {
                let got = decoded(f, code as u8);
                assert_eq!(
                    got.map(f64::to_bits),
                    want.map(f64::to_bits),
                    "{f} {code:#x}"
                );
            }
        }
    }

    /// The code nearest to `x`, by looking at all of them.
    fn nearest(f: StorageFormat, values: &[Option<f64>], beyond: f64, x: f64) -> u8 {
        let magnitudes = 1 << (f.width() - 1);
        let mut best = (f64::INFINITY, 0);
        for (code, value) in values.iter().enumerate().take(magnitudes) {
            let Some(value) = value.filter(|v| v.is_finite()) else {
                continue;
            };
            let distance = (x.abs() - value).abs();
            let wins_tie = match f {
                StorageFormat::HiF8 => value > values[best.1].unwrap(),
                _ => code % 2 == 0,
            };
            if distance < best.0 || distance == best.0 && wins_tie {
                best = (distance, code);
            }
        }
        let over = (x.abs() - beyond).abs();
        // No format's largest code is odd but that of f8e4m3's successor and those that saturate.
        let beyond_is_even = matches!(f, StorageFormat::F8E5M2 | StorageFormat::HiF8);
        if over < best.0 || over == best.0 && beyond_is_even || x.abs() > beyond {
            return f.overflow(x.is_sign_negative());
        }
        let sign = x.is_sign_negative() && !(f == StorageFormat::HiF8 && best.1 == 0);
        best.1 as u8 | u8::from(sign) << (f.width() - 1)
    }

    #[test]
    fn rounding_finds_the_nearest_code() {
        for f in StorageFormat::ALL {
            let (values, beyond) = table(f);
            // All of f16's numbers, and some beyond its range; exact in binary64.
            let halves = (0u64..0x7c00).map(|bits| {
                let (exponent, fraction) = (bits >> 10, bits & 1023);
                let hidden = u64::from(exponent > 0) << 10;
                (fraction | hidden) as f64 * 2f64.powi(exponent.max(1) as i32 - 25)
            });
            let others = [1e-9, 3e-8, 1e5, 1e300, 1.5 * 2f64.powi(-24), 2f64.powi(-23)];
            for x in halves.chain(others) {
                let bits = x.to_bits();
                let (field, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
                let mantissa = BigUint::from(fraction | u64::from(field > 0) << 52);
                for negative in [false, true] {
                    let got = f.round(negative, &mantissa, field.max(1) as i64 - 1075, false);
                    let want = nearest(f, &values, beyond, if negative { -x } else { x });
                    assert_eq!(got, want, "{f} of {x} {negative}");
                }
            }
        }
    }

    #[test]
    fn a_sticky_bit_breaks_ties_upwards() {
        // 1.0625 lies halfway between two numbers of f8e4m3.
        let (f, middle) = (StorageFormat::F8E4M3, BigUint::from(17u8));
        assert_eq!(f.round(false, &middle, -4, false), 0x38);
        assert_eq!(f.round(false, &middle, -4, true), 0x39);
        assert_eq!(f.round(false, &BigUint::ZERO, 0, true), 0);
    }
}
