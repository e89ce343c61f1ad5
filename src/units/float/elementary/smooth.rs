//! The functions that tables approximate, as power series about any point of their ranges.

use super::ball::{Ball, Fixed};
use num_traits::Zero;

/// A smooth function of one real.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Smooth {
    /// `slope * x`, to continue a function through ever smaller numbers.
    Line(Slope),
    /// `2^x` on [0, 1].
    Exp2,
    /// `2^-x` on [0, 1].
    Exp2Falling,
    /// `log2(1 + x) / x` on [-1/4, 1/2].
    Log2Ratio,
    /// `ln(1 + x) / x` on [-1/4, 1/2].
    LogRatio,
    /// `1 / sqrt x` on [1, 4].
    Rsqrt,
    /// `1 / x` on [1, 2].
    Reciprocal,
    /// `sin(x pi/2) / x` on [0, 1/2].
    SineRatio,
    /// `cos(x pi/2)` on [0, 1/2].
    Cosine,
    /// `tanh x` on [0, 64].
    Tanh,
    /// `sinh x` on [0, 2].
    Sinh,
    /// `erf x` on [0, 8].
    Erf,
}

/// The slope of a function at 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slope {
    /// 1.
    One,
    /// `2 / sqrt pi`.
    TwoOverRootPi,
}

impl Smooth {
    /// Logarithms of two numbers R and M: within R of any point of the range the complex function is at most M in
    /// magnitude. The
    /// coefficient of order n is then at most `M / R^n` (Cauchy).
    pub fn growth(self) -> (i32, i32) {
        match self {
            // Of 1 to 2 only.
            Smooth::Line(_) => (0, 2),
            // 2^2.
            Smooth::Exp2 => (0, 2),
            Smooth::Exp2Falling => (0, 1),
            // At 3/4 from the point where it is 1: -ln(1/4) / (3/4) = 1.85, times log2 e.
            Smooth::Log2Ratio => (-2, 2),
            Smooth::LogRatio => (-2, 1),
            // 1 / sqrt(1/2).
            Smooth::Rsqrt => (-1, 1),
            // 1 / (1/2).
            Smooth::Reciprocal => (-1, 1),
            // sinh(1.5 pi/2) / 1.5 = 3.5.
            Smooth::SineRatio => (0, 2),
            // cosh(pi/2) = 2.51.
            Smooth::Cosine => (0, 2),
            // |tanh(x + iy)| <= tan y, for |y| <= 1.
            Smooth::Tanh => (0, 1),
            // cosh 3 = 10.1.
            Smooth::Sinh => (0, 4),
            // erf x, and 2/sqrt(pi) times the integral of exp(s^2) from 0 to 1: 1 + 1.66.
            Smooth::Erf => (0, 2),
        }
    }

    /// The first `count` coefficients of the power series about `c`, which is exact.
    pub fn series(self, f: Fixed, c: &Ball, count: usize) -> Vec<Ball> {
        match self {
            Smooth::Line(slope) => {
                let slope = match slope {
                    Slope::One => f.int(1),
                    Slope::TwoOverRootPi => two_over_root_pi(f),
                };
                let mut line = vec![f.mul(&slope, c), slope];
                line.resize(count.max(2), f.int(0));
                line
            }
            Smooth::Exp2 => exponential(f, &f.ln_2(), c, count),
            Smooth::Exp2Falling => exponential(f, &f.ln_2().neg(), c, count),
            Smooth::LogRatio => over_variable(f, logarithm(f, c, count + 1), c),
            Smooth::Log2Ratio => {
                let ln_2 = f.ln_2();
                let ratio = over_variable(f, logarithm(f, c, count + 1), c);
                ratio.iter().map(|a| f.div(a, &ln_2)).collect()
            }
            Smooth::Rsqrt => {
                let root = f.sqrt(c);
                grow(f.div(&f.int(1), &root), count, |k, last| {
                    // The exponent -1/2 falls by one in each derivative.
                    f.div(&last.times(1 - 2 * k).over(2 * k), c)
                })
            }
            Smooth::Reciprocal => grow(f.div(&f.int(1), c), count, |_, last| f.div(&last.neg(), c)),
            Smooth::SineRatio => over_variable(f, waves(f, c, count + 1).0, c),
            Smooth::Cosine => waves(f, c, count).1,
            Smooth::Tanh => hyperbolic_tangent(f, c, count),
            Smooth::Sinh => {
                let up = exponential(f, &f.int(1), c, count);
                let down = exponential(f, &f.int(-1), c, count);
                up.iter()
                    .zip(&down)
                    .map(|(a, b)| a.sub(b).scaled(-1))
                    .collect()
            }
            Smooth::Erf => error_function(f, c, count),
        }
    }
}

/// A sequence from its first element and a function of the next number and the element before.
fn grow(first: Ball, count: usize, next: impl Fn(i64, &Ball) -> Ball) -> Vec<Ball> {
    let mut all = vec![first];
    for k in 1..count {
        all.push(next(k as i64, &all[k - 1]));
    }
    all
}

fn two_over_root_pi(f: Fixed) -> Ball {
    f.div(&f.int(2), &f.sqrt(&f.pi()))
}

/// `exp(rate * x)`.
fn exponential(f: Fixed, rate: &Ball, c: &Ball, count: usize) -> Vec<Ball> {
    grow(f.exp(&f.mul(rate, c)), count, |k, last| {
        f.mul(last, rate).over(k)
    })
}

/// `ln(1 + x)`.
fn logarithm(f: Fixed, c: &Ball, count: usize) -> Vec<Ball> {
    let step = f.div(&f.int(-1), &f.int(1).add(c));
    let powers = grow(step.neg(), count, |_, last| f.mul(last, &step));
    let rest = powers.iter().zip(1..).map(|(power, k)| power.over(k));
    std::iter::once(f.ln_1p(c))
        .chain(rest)
        .take(count)
        .collect()
}

/// The series of a function that is 0 at 0, divided by the variable, one coefficient shorter: `p = (c + u) q` says
/// `p_k = c q_k + q_(k-1)`.
fn over_variable(f: Fixed, mut series: Vec<Ball>, c: &Ball) -> Vec<Ball> {
    if c.mid.is_zero() {
        series.remove(0);
        return series;
    }
    series.pop();
    let mut quotient: Vec<Ball> = Vec::with_capacity(series.len());
    for p in series {
        let rest = match quotient.last() {
            Some(last) => p.sub(last),
            None => p,
        };
        quotient.push(f.div(&rest, c));
    }
    quotient
}

/// `sin(x pi/2)` and `cos(x pi/2)`, x from 0 to 1.
fn waves(f: Fixed, c: &Ball, count: usize) -> (Vec<Ball>, Vec<Ball>) {
    let rate = f.pi().over(2);
    let angle = f.mul(&rate, c);
    let square = f.mul(&angle, &angle);
    // The alternating series ends within its last term once that falls, as it does from the start on for an angle
    // below 2.
    let sum = |first: Ball, start: i64| {
        let (mut term, mut sum) = (first.clone(), first);
        for n in (start..).step_by(2) {
            term = f.mul(&term, &square).over(-n * (n + 1));
            sum = sum.add(&term);
            if term.mid.magnitude() <= term.rad.magnitude() {
                break;
            }
        }
        sum.rad += term.magnitude();
        sum
    };
    let (mut sine, mut cosine) = (vec![sum(angle, 2)], vec![sum(f.int(1), 1)]);
    for k in 1..count {
        let (s, c) = (&sine[k - 1], &cosine[k - 1]);
        let next = f.mul(c, &rate).over(k as i64);
        cosine.push(f.mul(s, &rate).over(-(k as i64)));
        sine.push(next);
    }
    (sine, cosine)
}

/// `tanh x = 1 - 2 / (exp 2x + 1)`, and `tanh' = 1 - tanh^2`.
fn hyperbolic_tangent(f: Fixed, c: &Ball, count: usize) -> Vec<Ball> {
    // Beyond, exp(-2x) is added in place of a quotient by a number of many bits.
    let falling = f.exp(&c.times(-2));
    let one = f.int(1);
    let mut t = vec![f.div(&one.sub(&falling), &one.add(&falling))];
    for k in 0..count - 1 {
        let square = (0..=k).fold(f.int(0), |sum, i| sum.add(&f.mul(&t[i], &t[k - i])));
        let constant = f.int(i64::from(k == 0));
        t.push(constant.sub(&square).over(k as i64 + 1));
    }
    t
}

/// `erf x = 2/sqrt(pi) exp(-x^2) sum of 2^n x^(2n+1) / (2n+1)!!` (Abramowitz and Stegun 7.1.6); its derivative is
/// `2/sqrt(pi) g`, where `g' = -2 x g`.
fn error_function(f: Fixed, c: &Ball, count: usize) -> Vec<Ball> {
    let factor = two_over_root_pi(f);
    let square = f.mul(c, c);
    let bell = f.exp(&square.neg());
    let (mut term, mut sum) = (c.clone(), c.clone());
    for odd in (3..).step_by(2) {
        term = f.mul(&term, &square).times(2).over(odd);
        sum = sum.add(&term);
        // From 4 x^2 on terms fall by half at least.
        let falling = f.int(odd).mid > square.times(4).magnitude();
        if falling && term.mid.magnitude() <= (term.rad.clone() + 1u32).magnitude() {
            break;
        }
    }
    sum.rad += term.magnitude().clone();
    let mut g = vec![bell.clone()];
    for k in 1..count.max(2) {
        let mut slope = f.mul(c, &g[k - 1]);
        if k > 1 {
            slope = slope.add(&g[k - 2]);
        }
        g.push(slope.times(-2).over(k as i64));
    }
    let mut erf = vec![f.mul(&f.mul(&factor, &bell), &sum)];
    for k in 1..count {
        erf.push(f.mul(&factor, &g[k - 1]).over(k as i64));
    }
    erf
}
