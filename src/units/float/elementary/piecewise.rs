//! Piecewise polynomials with proven errors: from functions to coefficients of the fewest bits that keep a bound.
//!
//! In each segment the power series about its middle, cut where the rest is negligible, is written in Chebyshev
//! polynomials; those above the degree are left out, which is within a little of the best polynomial (economisation:
//! Lanczos,
//! Applied Analysis, 1956, VII.3). What is left out, the rest of the series and all roundings are added up in
//! integers: the bound
//! is proven, not sampled. Number of segments and degree are the cheapest that keep it.
//!
//! A polynomial is evaluated by Horner's rule in the place v of the argument in its segment, from -1 to 1. All
//! coefficients have
//! the same unit: those of higher order are narrower numbers. Products are rounded down to the unit, which the
//! constants
//! make up for by half of it, and v is as short in each product as that product needs (Detrey and de Dinechin,
//! Table-based
//! polynomials for fast hardware function evaluation, ASAP 2005).

use super::ball::{Ball, Fixed};
use super::smooth::Smooth;
use crate::memo::Memo;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use std::sync::LazyLock;

/// A function on a range, as it is asked for by an argument t from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// The function.
    pub function: Smooth,
    /// The range is from `start * 2^span` to `(start + 1) * 2^span`.
    pub start: i64,
    /// Logarithm of the range's size.
    pub span: i32,
    /// The result is multiplied by 2 to this power.
    pub scale: i32,
}

/// What tables are made for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Request {
    /// The functions, which share degree and number of segments.
    pub pieces: Vec<Piece>,
    /// Bits of the argument t.
    pub argument: u32,
    /// The error is at most 2 to minus this power.
    pub accuracy: u32,
}

/// Coefficients of all segments of all pieces.
#[derive(Clone, Debug)]
pub struct Piecewise {
    /// Bits of the argument.
    pub argument: u32,
    /// Logarithm of the number of segments of a piece.
    pub segments: u32,
    /// Bits after the point of coefficients and results.
    pub unit: u32,
    /// By order, for each segment the coefficient.
    pub coefficients: Vec<Vec<BigInt>>,
    /// Low bits of the place that each product leaves out, by the order of the coefficient that it is added to.
    pub dropped: Vec<u32>,
    /// Results are off by less than so many 2^-64 of the unit; a product, a rounding of it and all rest included.
    pub bound: BigInt,
}

/// Bits after the point of the unit in which bounds are stated.
pub const BOUND_BITS: u32 = 64;
/// Logarithm of the most segments of a piece.
const MOST_SEGMENTS: u32 = 10;
/// The most words of a table.
const MOST_WORDS: u64 = 1 << 12;
/// The highest degree.
const MOST_DEGREE: usize = 12;

impl Piecewise {
    /// The cheapest tables that keep the error asked for; `None` if none of at most 2^12 words and degree 12 do.
    pub fn new(request: &Request) -> Option<Piecewise> {
        Piecewise::priced(request, BLOCK)
    }

    /// The same where a multiplier block counts so many lookup tables in place of [`BLOCK`].
    pub fn priced(request: &Request, multiplier: u64) -> Option<Piecewise> {
        // Formats that differ by their exponents alone have the same tables.
        static KNOWN: LazyLock<Memo<Option<Piecewise>, (Request, u64)>> =
            LazyLock::new(Memo::default);
        let found = || Piecewise::found(request, multiplier);
        let key = (request.clone(), multiplier);
        (*KNOWN.once(&key, found)).clone()
    }

    fn found(request: &Request, multiplier: u64) -> Option<Piecewise> {
        let mut candidates: Vec<(u64, Attempt)> = Vec::new();
        for segments in 0..=MOST_SEGMENTS.min(request.argument) {
            if (request.pieces.len() as u64) << segments > MOST_WORDS {
                break;
            }
            candidates.extend(candidate(request, segments, multiplier));
        }
        candidates.sort_by_key(|(cost, attempt)| (*cost, attempt.segments));
        let mut attempts = candidates.into_iter();
        attempts.find_map(|(_, attempt)| attempt.tables(&attempt.expand(false)?))
    }

    /// The degree of the polynomials.
    pub fn degree(&self) -> usize {
        self.coefficients.len() - 1
    }

    /// The largest magnitude of a coefficient.
    fn most(&self, order: usize) -> BigInt {
        let sizes = self.coefficients[order].iter().map(BigInt::abs);
        sizes.max().unwrap_or_default()
    }

    /// About what it takes in lookup tables: products by blocks of 18 bits, and tables.
    fn cost(&self, pieces: usize, multiplier: u64) -> u64 {
        let words = (pieces as u64).next_power_of_two() << self.segments;
        let place = u64::from(self.argument - self.segments);
        let mut sum = 0;
        let mut reach = BigInt::zero();
        for order in (0..=self.degree()).rev() {
            if order < self.degree() {
                let factor = place - u64::from(self.dropped[order]);
                sum += multiplier * reach.bits().div_ceil(18).max(1) * factor.div_ceil(18);
                // Adder, registers, a cycle.
                sum += 3 * reach.bits();
            }
            let most = self.most(order);
            let width = most.bits() + 1;
            sum += match words {
                0..=64 => words * width / 8,
                _ => BLOCK * words.div_ceil(512) * width.div_ceil(36),
            };
            reach += most;
        }
        sum
    }
}

/// What a multiplier block or a block of RAM counts, in lookup tables.
pub const BLOCK: u64 = 350;

/// The cheapest degree of so many segments, and its cost, by the segments at the ends of the ranges: most functions
/// bend most there.
fn candidate(request: &Request, segments: u32, multiplier: u64) -> Option<(u64, Attempt<'_>)> {
    // Series do not depend on the degree.
    let probes = Attempt::new(request, 0, segments, 0).expand(true)?;
    let mut best: Option<(u64, Attempt)> = None;
    for degree in 0..=MOST_DEGREE {
        // A further bit below the point may save a degree.
        for guard in 0..=1 {
            let attempt = Attempt::new(request, degree, segments, guard);
            let Some(tables) = attempt.tables(&probes) else {
                continue;
            };
            let cost = tables.cost(request.pieces.len(), multiplier);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, attempt));
            }
        }
        if best.is_some() {
            break;
        }
    }
    best
}

/// A function in a segment: Chebyshev polynomials of the place, and what the sum leaves out at most.
struct Expansion {
    waves: Vec<Ball>,
    rest: BigInt,
}

/// Tables of a degree and a number of segments.
struct Attempt<'r> {
    request: &'r Request,
    degree: usize,
    /// Logarithm of the number.
    segments: u32,
    /// Bits after the point of the results.
    unit: u32,
    fixed: Fixed,
}

impl<'r> Attempt<'r> {
    fn new(request: &'r Request, degree: usize, segments: u32, guard: u32) -> Attempt<'r> {
        // In units: each coefficient, each product and each shortened factor is off by half of one.
        let roundings = 3 * degree as u32 + 1;
        let least = (roundings + 1).div_ceil(2).next_power_of_two();
        Attempt {
            request,
            degree,
            segments,
            unit: request.accuracy + least.trailing_zeros() + guard,
            fixed: Fixed {
                bits: 3 * request.accuracy + 20 * segments.max(4) + 80,
            },
        }
    }

    /// The function in all segments, or in those at the ends of each piece.
    fn expand(&self, only_ends: bool) -> Option<Vec<Expansion>> {
        let last = (1i64 << self.segments) - 1;
        let step = if only_ends { last.max(1) } else { 1 };
        let segments = || (0..=last).step_by(step as usize);
        let pieces = self.request.pieces.iter();
        let all =
            pieces.flat_map(|piece| segments().map(move |segment| self.expansion(piece, segment)));
        all.collect()
    }

    /// The tables, if they keep the error.
    fn tables(&self, segments: &[Expansion]) -> Option<Piecewise> {
        if self.degree > 0 && self.segments == self.request.argument {
            return None;
        }
        let mut coefficients = vec![Vec::new(); self.degree + 1];
        let mut most = BigInt::zero();
        for segment in segments {
            let (rounded, error) = self.polynomial(segment)?;
            for (of_order, one) in coefficients.iter_mut().zip(rounded) {
                of_order.push(one);
            }
            most = most.max(error);
        }
        let mut tables = Piecewise {
            argument: self.request.argument,
            segments: self.segments,
            unit: self.unit,
            coefficients,
            dropped: Vec::new(),
            bound: most,
        };
        self.shorten(&mut tables);
        (tables.bound <= self.allowed()).then_some(tables)
    }

    /// The error that is asked for, in 2^-64 of the unit.
    fn allowed(&self) -> BigInt {
        BigInt::one() << (self.unit - self.request.accuracy + BOUND_BITS)
    }

    /// Leaves out what products do not need of the place, and adds what that and the rounding of products may do.
    fn shorten(&self, tables: &mut Piecewise) {
        let place = self.request.argument - self.segments;
        let mut reach = BigInt::zero();
        for order in (0..self.degree).rev() {
            reach += tables.most(order + 1) + 1;
            // A place short by less than 2^(1-kept) moves the product by half a unit at most.
            let kept = (reach.bits() as u32 + 2).min(place);
            tables.dropped.insert(0, place - kept);
            if kept < place {
                tables.bound += (&reach << (BOUND_BITS + 1)) >> kept;
            }
            // The product, rounded down, with half a unit more in the coefficient.
            tables.bound += BigInt::one() << (BOUND_BITS - 1);
        }
    }

    /// The function in a segment; `None` if its series does not converge there.
    fn expansion(&self, piece: &Piece, segment: i64) -> Option<Expansion> {
        let f = self.fixed;
        // With as many segments as arguments, the place is the one point at the segment's start.
        let is_point = self.segments == self.request.argument;
        let middle = if is_point {
            2 * segment
        } else {
            2 * segment + 1
        };
        let down = piece.span - self.segments as i32 - 1;
        let c = f.dyadic((piece.start << (self.segments + 1)) + middle, down);
        if is_point {
            let value = piece.function.series(f, &c, 1).swap_remove(0);
            let waves = vec![value.scaled(piece.scale)];
            return Some(Expansion {
                waves,
                rest: BigInt::zero(),
            });
        }
        let (radius, size) = piece.function.growth();
        // Half a segment over the radius of growth, each a power of two.
        let shrink = radius - down;
        if shrink < 1 {
            return None;
        }
        let count = (self.request.accuracy as i32 + 16 + size + piece.scale) / shrink + 2;
        let count = count.max(2);
        let series = piece.function.series(f, &c, count as usize);
        let scaled = series
            .iter()
            .zip(0..)
            .map(|(a, k)| a.scaled(k * down + piece.scale));
        let waves = to_chebyshev(f, &scaled.collect::<Vec<Ball>>());
        // The rest of the series is at most M q^count / (1 - q) with q <= 1/2.
        let rest = f.dyadic(2, size + piece.scale - shrink * count).mid + 1;
        Some(Expansion { waves, rest })
    }

    /// The coefficients of a segment, and the error of the polynomial before its evaluation, in 2^-64 of the unit.
    /// `None`
    /// if that alone is too large.
    fn polynomial(&self, segment: &Expansion) -> Option<(Vec<BigInt>, BigInt)> {
        let f = self.fixed;
        let kept = (self.degree + 1).min(segment.waves.len());
        let (waves, left_out) = segment.waves.split_at(kept);
        let mut error = left_out
            .iter()
            .fold(segment.rest.clone(), |sum, wave| sum + wave.magnitude());
        let shift = f.bits - self.unit;
        if error > self.allowed() << (shift - BOUND_BITS) {
            return None;
        }
        let mut rounded = Vec::new();
        for (order, a) in to_monomials(f, waves, self.degree + 1).iter().enumerate() {
            // Half a unit for the product that is rounded down, if there is one.
            let half = BigInt::from(u8::from(order < self.degree)) << (shift - 1);
            let wanted = &a.mid + half;
            let nearest = (&wanted + (BigInt::one() << (shift - 1))) >> shift;
            error += (wanted - (&nearest << shift)).abs() + &a.rad;
            rounded.push(nearest);
        }
        let error = Integer::div_ceil(&error, &(BigInt::one() << (shift - BOUND_BITS)));
        (error <= self.allowed()).then_some((rounded, error))
    }
}

/// From powers of v to Chebyshev polynomials: v T_n = (T_(n-1) + T_(n+1)) / 2, from the highest power down.
fn to_chebyshev(f: Fixed, powers: &[Ball]) -> Vec<Ball> {
    let zero = f.int(0);
    let mut sum: Vec<Ball> = Vec::new();
    for a in powers.iter().rev() {
        // v times the sum so far, and a.
        let mut next = vec![zero.clone(); if sum.is_empty() { 1 } else { sum.len() + 1 }];
        for (n, b) in sum.iter().enumerate() {
            match n {
                0 => next[1] = next[1].add(b),
                _ => {
                    let half = b.scaled(-1);
                    next[n - 1] = next[n - 1].add(&half);
                    next[n + 1] = next[n + 1].add(&half);
                }
            }
        }
        next[0] = next[0].add(a);
        sum = next;
    }
    sum
}

/// The powers of a sum of Chebyshev polynomials, `count` of them: T_(n+1) = 2 v T_n - T_(n-1).
fn to_monomials(f: Fixed, waves: &[Ball], count: usize) -> Vec<Ball> {
    let mut sum = vec![f.int(0); count];
    let (mut last, mut this) = (vec![0i64; count + 1], vec![0i64; count + 1]);
    // T_0, and before it T_(-1) = v.
    (last[1.min(count)], this[0]) = (1, 1);
    for (n, b) in waves.iter().enumerate() {
        for (total, &factor) in sum.iter_mut().zip(&this) {
            *total = total.add(&b.times(factor));
        }
        let next = (0..=count).map(|k| {
            let up = if k > 0 { 2 * this[k - 1] } else { 0 };
            up - last[k]
        });
        let next: Vec<i64> = next.collect();
        // 2 v T_0 - T_(-1) is v.
        debug_assert!(n > 0 || count < 2 || next[1] == 1);
        last = std::mem::replace(&mut this, next);
    }
    sum
}
