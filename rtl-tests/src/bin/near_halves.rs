//! How near powers of 16-bit floats come to numbers halfway between two floats: what the accuracy of `pow` is
//! chosen by.
//!
//! All pairs of a positive base and an exponent whose power is neither next to 1, nor beyond the largest number, nor
//! below half of the least. Logarithms have 90 bits after the point; powers are the machine's f64, off by 2^-40 units
//! in the last place of these formats at most. Prints a row of a table for each format, and the nearest pairs that are
//! not exactly halfway.

use std::thread;

/// Bits after the point of logarithms.
const BITS: u32 = 90;
/// What is nearer than this, in units in the last place, is listed.
const NEAR: f64 = 1.0 / (1u64 << 26) as f64;
/// What is nearer than this may be exactly halfway.
const EXACT: f64 = 1.0 / (1u64 << 38) as f64;

/// Exponent and fraction bits.
#[derive(Clone, Copy)]
struct Format {
    exp: u32,
    frac: u32,
}

/// An odd number times a power of two.
#[derive(Clone, Copy)]
struct Parts {
    odd: u64,
    exponent: i32,
}

impl Format {
    fn bias(self) -> i32 {
        (1 << (self.exp - 1)) - 1
    }

    /// The pattern of infinity.
    fn infinity(self) -> u32 {
        ((1 << self.exp) - 1) << self.frac
    }

    /// Of a positive finite pattern.
    fn parts(self, bits: u32) -> Parts {
        let field = (bits >> self.frac) as i32;
        let fraction = u64::from(bits) & ((1 << self.frac) - 1);
        let hidden = u64::from(field > 0) << self.frac;
        let number = fraction | hidden;
        let zeros = number.trailing_zeros();
        let exponent = field.max(1) - self.bias() - self.frac as i32 + zeros as i32;
        Parts {
            odd: number >> zeros,
            exponent,
        }
    }
}

/// The logarithm to the base 2: a bit for each time that the number is squared.
fn log2(x: Parts) -> i128 {
    let top = 63 - x.odd.leading_zeros();
    let mut log = i128::from(x.exponent + top as i32) << BITS;
    let mut number = u128::from(x.odd) << (120 - top);
    for bit in (0..BITS).rev() {
        let (high, low) = (number >> 60, number & ((1 << 60) - 1));
        number = high * high + ((high * low) >> 59) + ((low * low) >> 120);
        if number >> 121 != 0 {
            number >>= 1;
            log |= 1 << bit;
        }
    }
    log
}

/// Whether the power has finitely many bits. A root of an odd number is taken while the exponent has a fraction.
fn is_dyadic(mut x: Parts, y: Parts, falls: bool) -> bool {
    for _ in y.exponent..0 {
        let root = (x.odd as f64).sqrt().round() as u64;
        if x.exponent % 2 != 0 || root * root != x.odd {
            return false;
        }
        x = Parts {
            odd: root,
            exponent: x.exponent / 2,
        };
        if x.odd == 1 && x.exponent == 0 {
            return true;
        }
    }
    x.odd == 1 || !falls
}

/// A distance from halfway in units in the last place, the base and the exponent.
type Pair = (f64, u32, u32);

/// Of every other base: the pairs near halfway that are not there, the number of those that are, and of all.
fn search(format: Format, first: u32) -> (Vec<Pair>, u64, u64) {
    let (mut near, mut ties, mut all) = (Vec::new(), 0, 0);
    let least = 1 - format.bias();
    for x in (first..format.infinity()).step_by(2) {
        let base = format.parts(x);
        let log = log2(base);
        let size = (log as f64 / 2f64.powi(BITS as i32)).abs();
        for y in 1..format.infinity() {
            let exponent = format.parts(y);
            let product = exponent.odd as f64 * 2f64.powi(exponent.exponent) * size;
            if product > f64::from(format.bias() + format.frac as i32 + 2) {
                break;
            }
            if product < 2f64.powi(-(format.frac as i32) - 2) {
                continue;
            }
            for falls in [false, true] {
                let power = log * i128::from(exponent.odd);
                let power = match exponent.exponent {
                    up @ 0.. => power << up,
                    down => power >> -down,
                };
                let power = if falls { -power } else { power };
                let whole = (power >> BITS) as i32;
                if whole > format.bias() || whole < least - format.frac as i32 - 2 {
                    continue;
                }
                all += 1;
                let fraction = ((power & ((1 << BITS) - 1)) >> 30) as f64 / 2f64.powi(60);
                // Halves are further apart among subnormal numbers.
                let step = 2f64.powi((least - whole).max(0));
                let place = fraction.exp2() * 2f64.powi(format.frac as i32) / step - 0.5;
                let distance = (place - place.round()).abs() * step;
                if distance < EXACT && is_dyadic(base, exponent, falls) {
                    ties += 1;
                } else if distance < NEAR {
                    near.push((
                        distance,
                        x,
                        y | u32::from(falls) << (format.exp + format.frac),
                    ));
                }
            }
        }
    }
    (near, ties, all)
}

fn main() {
    for (name, format) in [
        ("f16", Format { exp: 5, frac: 10 }),
        ("bf16", Format { exp: 8, frac: 7 }),
    ] {
        let threads = [1, 2].map(|first| thread::spawn(move || search(format, first)));
        let found = threads.map(|thread| thread.join().expect("no thread panics"));
        let mut near: Vec<Pair> = found
            .iter()
            .flat_map(|part| part.0.iter().copied())
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        let sum = |of: fn(&(Vec<Pair>, u64, u64)) -> u64| found.iter().map(of).sum::<u64>();
        let (all, ties) = (sum(|f| f.2), sum(|f| f.1));
        let nearest = near
            .first()
            .map(|(distance, x, y)| format!("2^{:.2} | `{x:#06x} ** {y:#06x}`", distance.log2()));
        let nearest = nearest.unwrap_or_default();
        println!("| `{name}` | {all} | {ties} | {nearest} |");
        for (distance, x, y) in near.iter().take(16) {
            println!("  2^{:.2} {x:#06x} ** {y:#06x}", distance.log2());
        }
    }
}
