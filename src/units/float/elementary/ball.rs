//! Real numbers with proven errors: fixed-point midpoints with radii, in integers.
//!
//! Midpoint-radius arithmetic (Tucker, Validated Numerics, 2011, chapter 2; Johansson, Arb, IEEE Trans. Computers
//! 66(8),
//! 2017). Every operation enlarges the radius by what it rounds off, so that the number meant lies within it.

use crate::memo::Memo;
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use std::sync::LazyLock;

/// The numbers `(mid - rad ..= mid + rad) * 2^-bits`, where the bits are those of the [`Fixed`] that made it.
#[derive(Clone, Debug)]
pub struct Ball {
    /// The middle.
    pub mid: BigInt,
    /// How far the number may be from it; not negative.
    pub rad: BigInt,
}

impl Ball {
    /// No less than the number's magnitude.
    pub fn magnitude(&self) -> BigInt {
        self.mid.abs() + &self.rad
    }
    /// The sum, exact.
    pub fn add(&self, other: &Ball) -> Ball {
        Ball {
            mid: &self.mid + &other.mid,
            rad: &self.rad + &other.rad,
        }
    }
    /// The difference, exact.
    pub fn sub(&self, other: &Ball) -> Ball {
        Ball {
            mid: &self.mid - &other.mid,
            rad: &self.rad + &other.rad,
        }
    }
    /// The negative, exact.
    pub fn neg(&self) -> Ball {
        Ball {
            mid: -&self.mid,
            rad: self.rad.clone(),
        }
    }
    /// A product by an integer, exact.
    pub fn times(&self, factor: i64) -> Ball {
        Ball {
            mid: &self.mid * factor,
            rad: &self.rad * factor.abs(),
        }
    }
    /// A quotient by an integer other than 0.
    pub fn over(&self, divisor: i64) -> Ball {
        Ball {
            mid: &self.mid / divisor,
            rad: &self.rad / divisor.abs() + 2,
        }
    }
    /// The number times `2^exponent`.
    pub fn scaled(&self, exponent: i32) -> Ball {
        let by = exponent.unsigned_abs();
        match exponent {
            0.. => Ball {
                mid: &self.mid << by,
                rad: &self.rad << by,
            },
            _ => Ball {
                mid: &self.mid >> by,
                rad: (&self.rad >> by) + 2,
            },
        }
    }
}

/// Arithmetic with so many bits after the point.
#[derive(Clone, Copy, Debug)]
pub struct Fixed {
    /// Bits after the point.
    pub bits: u32,
}

impl Fixed {
    /// `value * 2^exponent`, exact if the exponent is not below minus the bits.
    pub fn dyadic(self, value: impl Into<BigInt>, exponent: i32) -> Ball {
        let exact = Ball {
            mid: value.into() << self.bits,
            rad: BigInt::zero(),
        };
        match exponent {
            0.. => exact.scaled(exponent),
            _ if exponent.unsigned_abs() <= self.bits => Ball {
                mid: exact.mid >> exponent.unsigned_abs(),
                ..exact
            },
            _ => exact.scaled(exponent),
        }
    }
    /// An integer.
    pub fn int(self, value: i64) -> Ball {
        self.dyadic(value, 0)
    }
    /// The product.
    pub fn mul(self, a: &Ball, b: &Ball) -> Ball {
        let rad = a.mid.abs() * &b.rad + b.magnitude() * &a.rad;
        Ball {
            mid: (&a.mid * &b.mid) >> self.bits,
            rad: (rad >> self.bits) + 2,
        }
    }
    /// The quotient by a number whose ball does not hold 0.
    pub fn div(self, a: &Ball, b: &Ball) -> Ball {
        let least = b.mid.abs() - &b.rad;
        debug_assert!(least.is_positive(), "a divisor may be 0");
        let mid: BigInt = (&a.mid << self.bits) / &b.mid;
        let rad: BigInt = (&a.rad << self.bits) + (mid.abs() + 1) * &b.rad;
        Ball {
            mid,
            rad: rad / least.max(BigInt::one()) + 2,
        }
    }
    /// The square root of a number that is not negative.
    pub fn sqrt(self, a: &Ball) -> Ball {
        let lo = (&a.mid - &a.rad).max(BigInt::zero()) << self.bits;
        let hi: BigInt = (&a.mid + &a.rad) << self.bits;
        let (lo, hi) = (lo.sqrt(), hi.sqrt() + 1);
        Ball {
            mid: (&lo + &hi) >> 1,
            rad: (hi - lo) / 2 + 1,
        }
    }
    /// `z + s z^3/3 + z^5/5 + s z^7/7 + ...`: the inverse tangent for s = -1, the inverse hyperbolic tangent for s = 1;
    /// of at most 1/2 in magnitude.
    fn arctangent(self, z: &Ball, s: i64) -> Ball {
        let square = self.mul(z, z).times(s);
        let (mut power, mut sum) = (z.clone(), z.clone());
        for odd in (3..).step_by(2) {
            power = self.mul(&power, &square);
            sum = sum.add(&power.over(odd));
            if power.mid.abs() <= power.rad {
                break;
            }
        }
        // What follows is below the last power, which falls by 4 at least.
        sum.rad += power.magnitude();
        sum
    }
    /// The natural logarithm of `1 + c`, for c from -1/3 to 2: with z = c / (2 + c), 1 + c is (1 + z) / (1 - z).
    pub fn ln_1p(self, c: &Ball) -> Ball {
        let z = self.div(c, &self.int(2).add(c));
        self.arctangent(&z, 1).times(2)
    }
    /// The natural logarithm of 2.
    pub fn ln_2(self) -> Ball {
        static KNOWN: LazyLock<Memo<Ball, u32>> = LazyLock::new(Memo::default);
        (*KNOWN.once(&self.bits, || self.ln_1p(&self.int(1)))).clone()
    }
    /// Pi, by Machin's formula.
    pub fn pi(self) -> Ball {
        static KNOWN: LazyLock<Memo<Ball, u32>> = LazyLock::new(Memo::default);
        let of = |n: i64| self.arctangent(&self.int(1).over(n), -1);
        let sum = || of(5).times(16).sub(&of(239).times(4));
        (*KNOWN.once(&self.bits, sum)).clone()
    }
    /// The exponential of a number of at most `2^6` in magnitude: the series for a number below 2^-8, squared.
    pub fn exp(self, x: &Ball) -> Ball {
        const HALVINGS: u32 = 14;
        let wide = Fixed {
            bits: self.bits + 2 * HALVINGS + 96,
        };
        let x = x.scaled((wide.bits - self.bits) as i32 - HALVINGS as i32);
        let (mut term, mut sum) = (wide.int(1), wide.int(1));
        for n in 1.. {
            term = wide.mul(&term, &x).over(n);
            sum = sum.add(&term);
            if term.mid.abs() <= term.rad {
                break;
            }
        }
        // The rest is a falling series below the last term.
        sum.rad += term.magnitude();
        for _ in 0..HALVINGS {
            sum = wide.mul(&sum, &sum);
        }
        sum.scaled(self.bits as i32 - wide.bits as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIXED: Fixed = Fixed { bits: 90 };

    /// A ball is narrow, and holds what the machine computes, as far as that goes.
    fn near(ball: &Ball, wanted: f64) {
        assert!(ball.rad.bits() < 30, "{ball:?}");
        let got = i128::try_from(&ball.mid).expect("small") as f64 / 2f64.powi(90);
        assert!(
            (got - wanted).abs() < 1e-14 * wanted.abs().max(1.0),
            "{got} {wanted}"
        );
    }

    #[test]
    fn constants_and_functions_agree_with_the_machine() {
        near(&FIXED.pi(), std::f64::consts::PI);
        near(&FIXED.ln_2(), std::f64::consts::LN_2);
        for eighths in -20..40 {
            let x = f64::from(eighths) / 8.0;
            let ball = FIXED.dyadic(eighths, -3);
            near(&FIXED.exp(&ball), x.exp());
            if (-2..=16).contains(&eighths) {
                near(&FIXED.ln_1p(&ball), x.ln_1p());
            }
            if eighths > 0 {
                near(&FIXED.sqrt(&ball), x.sqrt());
                near(&FIXED.div(&FIXED.int(-3), &ball), -3.0 / x);
                near(&FIXED.mul(&ball, &ball), x * x);
            }
        }
    }

    /// What is computed with more bits lies in the ball that is computed with fewer.
    #[test]
    fn more_bits_stay_inside() {
        let fine = Fixed { bits: 200 };
        let constants = |f: Fixed| {
            [
                f.pi(),
                f.ln_2(),
                f.exp(&f.dyadic(-5, -1)),
                f.sqrt(&f.int(3)),
            ]
        };
        for (coarse, fine) in constants(FIXED).iter().zip(constants(fine)) {
            let (lo, hi) = (&coarse.mid - &coarse.rad, &coarse.mid + &coarse.rad);
            assert!((lo << 110) <= fine.mid && fine.mid <= (hi << 110));
        }
    }
}
