//! Scalar types of the language, shared by every room.

use super::StorageFormat;
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, Zero};
use std::fmt;

/// Widest integer type.
pub const MAX_WIDTH: u32 = 4096;

/// An IEEE-754-like binary format: sign, `exp` exponent bits, `frac` fraction bits, with subnormals,
/// infinities and NaNs. Width `1 + exp + frac`, bias `2^(exp-1) - 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FloatFormat {
    /// Exponent bits, 2 ..= 15.
    pub exp: u32,
    /// Fraction bits, 1 ..= 112.
    pub frac: u32,
}

impl FloatFormat {
    /// IEEE binary16.
    pub const F16: FloatFormat = FloatFormat { exp: 5, frac: 10 };
    /// bfloat16.
    pub const BF16: FloatFormat = FloatFormat { exp: 8, frac: 7 };
    /// IEEE binary32.
    pub const F32: FloatFormat = FloatFormat { exp: 8, frac: 23 };
    /// IEEE binary64.
    pub const F64: FloatFormat = FloatFormat { exp: 11, frac: 52 };

    /// Bits of the encoding.
    pub fn width(self) -> u32 {
        1 + self.exp + self.frac
    }
    /// The canonical quiet NaN: sign 0, exponent all ones, top fraction bit 1.
    pub fn nan(self) -> BigUint {
        self.infinity(false) | (BigUint::one() << (self.frac - 1))
    }
    /// Infinity of either sign.
    pub fn infinity(self, negative: bool) -> BigUint {
        let exponent = ((BigUint::one() << self.exp) - 1u32) << self.frac;
        exponent | (BigUint::from(negative) << (self.exp + self.frac))
    }
}

impl fmt::Display for FloatFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            FloatFormat::F16 => write!(f, "f16"),
            FloatFormat::BF16 => write!(f, "bf16"),
            FloatFormat::F32 => write!(f, "f32"),
            FloatFormat::F64 => write!(f, "f64"),
            FloatFormat { exp, frac } => write!(f, "apfloat({exp},{frac})"),
        }
    }
}

/// Type of a scalar value or array element. `bool` is `u1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scalar {
    /// Two's complement or unsigned integer of 1 ..= [`MAX_WIDTH`] bits.
    Int {
        /// Two's complement if true.
        signed: bool,
        /// Bits.
        width: u32,
    },
    /// 64-bit signed integer of loop bounds and subscripts.
    Index,
    /// Binary floating point.
    Float(FloatFormat),
    /// A float of 8 or 4 bits: stored, moved and converted.
    Storage(StorageFormat),
}

impl Scalar {
    /// The type of conditions.
    pub const BOOL: Scalar = Scalar::unsigned(1);

    /// The type of that name, as it prints.
    pub fn named(name: &str) -> Option<Scalar> {
        if let Some(format) = StorageFormat::named(name) {
            return Some(Scalar::Storage(format));
        }
        let float = |f| Some(Scalar::Float(f));
        match name {
            "index" => return Some(Scalar::Index),
            "bool" => return Some(Scalar::BOOL),
            "f16" => return float(FloatFormat::F16),
            "bf16" => return float(FloatFormat::BF16),
            "f32" => return float(FloatFormat::F32),
            "f64" => return float(FloatFormat::F64),
            _ => {}
        }
        if let Some(inner) = name
            .strip_prefix("apfloat(")
            .and_then(|n| n.strip_suffix(')'))
        {
            let (exp, frac) = inner.split_once(',')?;
            let (exp, frac) = (exp.trim().parse().ok()?, frac.trim().parse().ok()?);
            let known = (2..=15).contains(&exp) && (1..=112).contains(&frac);
            return known.then_some(Scalar::Float(FloatFormat { exp, frac }));
        }
        let signed = name.starts_with('i');
        let width = name.strip_prefix(['i', 'u'])?.parse().ok()?;
        (1..=MAX_WIDTH)
            .contains(&width)
            .then_some(Scalar::Int { signed, width })
    }
    /// `iN`.
    pub const fn signed(width: u32) -> Scalar {
        Scalar::Int {
            signed: true,
            width,
        }
    }
    /// `uN`.
    pub const fn unsigned(width: u32) -> Scalar {
        Scalar::Int {
            signed: false,
            width,
        }
    }
    /// Bits of the encoding.
    pub fn width(self) -> u32 {
        match self {
            Scalar::Int { width, .. } => width,
            Scalar::Index => 64,
            Scalar::Float(f) => f.width(),
            Scalar::Storage(f) => f.width(),
        }
    }
    /// Whether extension copies the top bit; false for floats.
    pub fn is_signed(self) -> bool {
        match self {
            Scalar::Int { signed, .. } => signed,
            Scalar::Index => true,
            Scalar::Float(_) | Scalar::Storage(_) => false,
        }
    }
    /// Whether it is a float with arithmetic.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::Float(_))
    }
    /// Whether it is a float that is only stored and converted.
    pub fn is_storage(self) -> bool {
        matches!(self, Scalar::Storage(_))
    }
    /// The type in which arithmetic is done: of a storage format its wider one, else the type itself.
    pub fn computed(self) -> Scalar {
        match self {
            Scalar::Storage(f) => Scalar::Float(f.computes_in()),
            other => other,
        }
    }
    /// Smallest and largest value of an integer or index type; `None` for floats of any kind.
    pub fn int_range(self) -> Option<(BigInt, BigInt)> {
        match self {
            Scalar::Float(_) | Scalar::Storage(_) => None,
            _ if self.is_signed() => {
                let half = BigInt::one() << (self.width() - 1);
                Some((-half.clone(), half - 1))
            }
            _ => Some((BigInt::zero(), (BigInt::one() << self.width()) - 1)),
        }
    }
    /// The value of this integer type with the low bits of `value` (two's complement wrap).
    /// Floats: the low bits as a bit pattern.
    pub fn wrap(self, value: &BigInt) -> BigInt {
        wrap(value, self.width(), self.is_signed())
    }
}

impl From<FloatFormat> for Scalar {
    fn from(format: FloatFormat) -> Scalar {
        Scalar::Float(format)
    }
}

impl From<StorageFormat> for Scalar {
    fn from(format: StorageFormat) -> Scalar {
        Scalar::Storage(format)
    }
}

/// The integer of `width` bits with the low bits of `value`, read as signed or unsigned.
pub fn wrap(value: &BigInt, width: u32, signed: bool) -> BigInt {
    let modulus = BigInt::one() << width;
    let mut low = value % &modulus;
    if low.sign() == Sign::Minus {
        low += &modulus;
    }
    if signed && low.bit(u64::from(width) - 1) {
        low -= modulus;
    }
    low
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Int { signed, width } => {
                write!(f, "{}{width}", if *signed { 'i' } else { 'u' })
            }
            Scalar::Index => write!(f, "index"),
            Scalar::Float(format) => format.fmt(f),
            Scalar::Storage(format) => format.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_print() {
        for name in [
            "i33",
            "u8",
            "index",
            "f32",
            "bf16",
            "apfloat(6,9)",
            "u1",
            "hif8",
            "f4e1m2",
        ] {
            assert_eq!(Scalar::named(name).unwrap().to_string(), name);
        }
        for name in ["i0", "i5000", "x", "apfloat(1,2)", "apfloat(6)", "int", ""] {
            assert_eq!(Scalar::named(name), None, "{name}");
        }
    }
}
