//! Conversions of a chosen rounding: how they round, and what becomes of numbers that are too large.

use super::op::named_ops;
use super::{Scalar, UnaryOp};

/// How a conversion goes about its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Conversion {
    /// Which of the two neighbours of a number is taken; without effect between integers.
    pub rounding: Rounding,
    /// What is made of a number, or a special value, that the destination lacks.
    pub overflow: Overflow,
}

named_ops! {
    /// Which of the two neighbours of a number is taken. Those of a float go by value, and even and odd by the lowest bit
    /// of the code.
    Rounding {
        /// The nearer one; of two the even one.
        NearestEven = "rne",
        /// The nearer one; of two the one with the larger magnitude.
        NearestAway = "rna",
        /// The one with the smaller magnitude.
        Zero = "rz",
        /// The larger one.
        Up = "rp",
        /// The smaller one.
        Down = "rm",
        /// The odd one.
        Odd = "ro",
    }
}

named_ops! {
    /// What a conversion makes of what does not fit.
    Overflow {
        /// To a float: infinity (in `f8e4m3` NaN, in the 4-bit formats the largest number), unless the rounding points
        /// inward, which makes a finite number the largest one. From a float to an integer: the nearest limit, and 0 for a
        /// NaN. Between integers: the low bits.
        Usual = "usual",
        /// The largest number of the sign, for an infinity too, or the nearest limit; 0 for the NaN to an integer.
        Saturate = "sat",
        /// As usual, but unspecified from a float to an integer.
        Unspecified = "unspecified",
    }
}

impl Rounding {
    /// The one of the language's casts.
    pub fn usual(to: Scalar) -> Rounding {
        match to {
            Scalar::Storage(super::StorageFormat::HiF8) => Rounding::NearestAway,
            Scalar::Float(_) | Scalar::Storage(_) => Rounding::NearestEven,
            Scalar::Int { .. } | Scalar::Index => Rounding::Zero,
        }
    }

    /// The operation that rounds a float to an integral value so.
    pub fn integral(self) -> UnaryOp {
        match self {
            Rounding::NearestEven => UnaryOp::RoundEven,
            Rounding::NearestAway => UnaryOp::RoundAway,
            Rounding::Zero => UnaryOp::Trunc,
            Rounding::Up => UnaryOp::Ceil,
            Rounding::Down => UnaryOp::Floor,
            Rounding::Odd => UnaryOp::RoundOdd,
        }
    }

    /// Whether a number between two neighbours gets the one of larger magnitude, given the sign, whether the other one is
    /// odd, whether at least half of the distance is reached, and whether it is more than 0 (`half` false) or than half.
    pub fn is_away(self, negative: bool, odd: bool, half: bool, more: bool) -> bool {
        let inexact = half || more;
        match self {
            Rounding::NearestEven => half && (more || odd),
            Rounding::NearestAway => half,
            Rounding::Zero => false,
            Rounding::Up => inexact && !negative,
            Rounding::Down => inexact && negative,
            Rounding::Odd => inexact && !odd,
        }
    }

    /// Whether a finite number that is too large becomes an infinity, not the largest finite one.
    pub fn overflows(self, negative: bool) -> bool {
        match self {
            Rounding::NearestEven | Rounding::NearestAway => true,
            Rounding::Zero | Rounding::Odd => false,
            Rounding::Up => !negative,
            Rounding::Down => negative,
        }
    }
}

impl UnaryOp {
    /// How it rounds a float to an integral value, if it does.
    pub fn rounding(self) -> Option<Rounding> {
        let mut all = Rounding::ALL.iter().copied();
        all.find(|rounding| rounding.integral() == self)
    }
}

impl Conversion {
    /// What a cast of the language does.
    pub fn of_cast(to: Scalar) -> Conversion {
        Conversion {
            rounding: Rounding::usual(to),
            overflow: Overflow::Usual,
        }
    }

    /// The same conversion of these types, as that of a cast as far as it does no other thing.
    pub fn effective(self, from: Scalar, to: Scalar) -> Conversion {
        let cast = Conversion::of_cast(to);
        match (from.int_range(), to.int_range()) {
            _ if holds(to, from) => cast,
            (Some(_), Some(_)) => Conversion {
                rounding: cast.rounding,
                overflow: match self.overflow {
                    Overflow::Saturate => Overflow::Saturate,
                    _ => cast.overflow,
                },
            },
            (Some(_), None) if reaches(to, from) => Conversion {
                overflow: cast.overflow,
                ..self
            },
            (_, None) if self.overflow == Overflow::Unspecified => Conversion {
                overflow: Overflow::Usual,
                ..self
            },
            _ => self,
        }
    }
}

/// Whether every number and infinity of `from` is one of `to`.
fn holds(to: Scalar, from: Scalar) -> bool {
    match (from, to) {
        (Scalar::Float(a), Scalar::Float(b)) => a.exp <= b.exp && a.frac <= b.frac,
        // The least number of any storage format is 2^-22, the largest below 2^16.
        (Scalar::Storage(_), Scalar::Float(b)) => {
            b.exp >= 5 && b.frac >= 3 && (1 << (b.exp - 1)) + b.frac >= 24
        }
        (_, Scalar::Float(b)) => magnitude_bits(from) <= b.frac + 1 && reaches(to, from),
        _ => match (from.int_range(), to.int_range()) {
            (Some(a), Some(b)) => b.0 <= a.0 && a.1 <= b.1,
            _ => from == to,
        },
    }
}

/// Bits of an integer type's largest magnitude but for the least signed number, a power of two.
fn magnitude_bits(ty: Scalar) -> u32 {
    ty.width() - u32::from(ty.is_signed())
}

/// Whether no integer of a type, rounded in whichever way, is too large for a float.
fn reaches(to: Scalar, from: Scalar) -> bool {
    matches!(to, Scalar::Float(format) if magnitude_bits(from) < 1 << (format.exp - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SATURATED: Conversion = Conversion {
        rounding: Rounding::Odd,
        overflow: Overflow::Saturate,
    };

    fn effective(from: &str, to: &str) -> Conversion {
        let ty = |name| Scalar::named(name).expect("a type");
        SATURATED.effective(ty(from), ty(to))
    }

    #[test]
    fn exact_conversions_are_casts() {
        for (from, to) in [
            ("f16", "f32"),
            ("hif8", "bf16"),
            ("f8e5m2", "f16"),
            ("f4e1m2", "f32"),
            ("i8", "f16"),
            ("u8", "bf16"),
            ("i16", "i32"),
            ("u16", "i32"),
        ] {
            let ty = Scalar::named(to).expect("a type");
            assert_eq!(effective(from, to), Conversion::of_cast(ty), "{from} {to}");
        }
    }

    #[test]
    fn others_keep_what_has_an_effect() {
        for (from, to) in [
            ("f32", "f16"),
            ("f16", "bf16"),
            ("u32", "f16"),
            ("f32", "i8"),
        ] {
            assert_eq!(effective(from, to), SATURATED, "{from} {to}");
        }
        assert_eq!(effective("i32", "f32").rounding, Rounding::Odd);
        assert_eq!(effective("i32", "f32").overflow, Overflow::Usual);
        assert_eq!(effective("i8", "u16").overflow, Overflow::Saturate);
        assert_eq!(effective("i8", "u16").rounding, Rounding::Zero);
    }
}
