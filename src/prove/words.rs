//! Operations on words of literals.

use super::aig::Lit;
use super::bits::{Word, constant, extend};
use super::linear::Linear;
use super::sums::Sums;
use crate::hwarith::interval::{self, Interval};
use num_bigint::BigInt;
use num_traits::One;

impl Sums {
    /// A word of free bits.
    pub fn free_word(&mut self, width: u32) -> Word {
        (0..width).map(|_| self.aig.free()).collect()
    }
    /// The low bits, or an extension.
    pub fn resize(&mut self, word: &[Lit], width: u32, signed: bool) -> Word {
        if (width as usize) < word.len() {
            self.truncate(&word[..width as usize])
        } else {
            extend(word, width, signed)
        }
    }
    /// Bits `lo .. lo + width`.
    pub fn slice(&mut self, word: &[Lit], lo: u32, width: u32) -> Word {
        let (lo, top) = (lo as usize, (lo + width) as usize);
        match lo {
            0 => self.truncate(&word[..top]),
            _ => word[lo..top].to_vec(),
        }
    }
    /// `a + scale * b` modulo 2^width of two words of that width.
    fn combine(&mut self, a: &[Lit], b: &[Lit], scale: i32) -> Word {
        let mut linear = Linear::default();
        linear.add_word(a, &BigInt::one());
        linear.add_word(b, &BigInt::from(scale));
        let (x, y) = (self.range_of(a), self.range_of(b));
        let range = match scale.is_negative() {
            false => Interval::new(x.lo + y.lo, x.hi + y.hi),
            true => Interval::new(x.lo - y.hi, x.hi - y.lo),
        };
        self.bits(linear, a.len() as u32, Some(range))
    }
    /// Sum modulo 2^width.
    pub fn add(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        self.combine(a, b, 1)
    }
    /// Difference modulo 2^width.
    pub fn sub(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        self.combine(a, b, -1)
    }
    /// Low `width` bits of the product; each operand with its own width and sign.
    pub fn mul(&mut self, a: (&[Lit], bool), b: (&[Lit], bool), width: u32) -> Word {
        let wide =
            |(word, signed): (&[Lit], bool)| extend(word, width.max(word.len() as u32 + 1), signed);
        let factors = [wide(a), wide(b)];
        let [x, y] = [self.range_of(&factors[0]), self.range_of(&factors[1])];
        let range = interval::product(&x, &y);
        self.product(&factors[0], &factors[1], width, Some(range))
    }
    /// Every bit flipped.
    pub fn not(&mut self, a: &[Lit]) -> Word {
        a.iter().map(|&bit| !bit).collect()
    }
    /// A gate for each pair of bits.
    pub fn zip(
        &mut self,
        a: &[Lit],
        b: &[Lit],
        gate: fn(&mut super::aig::Aig, Lit, Lit) -> Lit,
    ) -> Word {
        let pairs = a.iter().zip(b);
        pairs.map(|(&x, &y)| gate(&mut self.aig, x, y)).collect()
    }
    /// `cond ? a : b`
    pub fn select(&mut self, cond: Lit, a: &[Lit], b: &[Lit]) -> Word {
        let pairs = a.iter().zip(b);
        pairs.map(|(&x, &y)| self.aig.mux(cond, x, y)).collect()
    }
    /// Whether all bits are equal.
    pub fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let differ = self.zip(a, b, super::aig::Aig::xor);
        !self.any(&differ)
    }
    /// Whether a bit is 1.
    pub fn any(&mut self, word: &[Lit]) -> Lit {
        let mut result = Lit::FALSE;
        for &bit in word {
            result = self.aig.or(result, bit);
        }
        result
    }
    /// Whether `a < b`, of words of one width.
    pub fn less(&mut self, a: &[Lit], b: &[Lit], signed: bool) -> Lit {
        let top = |word: &[Lit]| extend(word, word.len() as u32 + 1, signed);
        let (mut a, mut b) = (top(a), top(b));
        // As many sign bits as needed, so that a comparison has one form whatever its width.
        while let ([.., x1, x0], [.., y1, y0]) = (&a[..], &b[..])
            && x1 == x0
            && y1 == y0
        {
            a.pop();
            b.pop();
        }
        let last = a.len() - 1;
        let mut less = Lit::FALSE;
        for (i, (&x, &y)) in a.iter().zip(&b).enumerate() {
            let (x, y) = if i == last { (y, x) } else { (x, y) };
            let below = self.aig.and(!x, y);
            let equal = !self.aig.xor(x, y);
            let before = self.aig.and(equal, less);
            less = self.aig.or(below, before);
        }
        less
    }
    /// Shift by an unsigned amount of any width; what is shifted in is `fill`.
    fn shift(&mut self, word: &[Lit], amount: &[Lit], fill: Lit, left: bool) -> Word {
        let width = word.len();
        let mut result = word.to_vec();
        for (stage, &bit) in amount.iter().enumerate() {
            let distance = match stage {
                // Beyond that everything is shifted out.
                0..=30 => (1usize << stage).min(width),
                _ => width,
            };
            let shifted: Word = (0..width)
                .map(|i| {
                    let from = if left {
                        i.checked_sub(distance)
                    } else {
                        i.checked_add(distance).filter(|&i| i < width)
                    };
                    from.map_or(fill, |i| result[i])
                })
                .collect();
            result = self.select(bit, &shifted, &result);
        }
        result
    }
    /// Left shift; 0 from the width on.
    pub fn shift_left(&mut self, word: &[Lit], amount: &[Lit]) -> Word {
        self.shift(word, amount, Lit::FALSE, true)
    }
    /// Right shift; the fill from the width on.
    pub fn shift_right(&mut self, word: &[Lit], amount: &[Lit], signed: bool) -> Word {
        let fill = match word.last() {
            Some(&top) if signed => top,
            _ => Lit::FALSE,
        };
        self.shift(word, amount, fill, false)
    }
    /// Quotient and remainder of unsigned words of one width, by restoring division; of a zero divisor all ones
    /// and the dividend.
    pub fn divide(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let width = a.len() as u32;
        let wide = extend(b, width + 1, false);
        let mut rest = vec![Lit::FALSE; a.len()];
        let mut quotient = vec![Lit::FALSE; a.len()];
        for i in (0..a.len()).rev() {
            let mut shifted = vec![a[i]];
            shifted.extend_from_slice(&rest);
            let fits = !self.less(&shifted, &wide, false);
            let less = self.sub(&shifted, &wide);
            rest = self.select(fits, &less, &shifted);
            rest.truncate(a.len());
            quotient[i] = fits;
        }
        // A divisor of 0 always fits, and leaves the dividend.
        (quotient, rest)
    }
    /// Magnitude of a two's complement number.
    fn magnitude(&mut self, word: &[Lit]) -> Word {
        let zero = vec![Lit::FALSE; word.len()];
        let negated = self.sub(&zero, word);
        self.select(word[word.len() - 1], &negated, word)
    }
    /// Quotient truncated toward zero and remainder with the dividend's sign, of two's complement numbers of one
    /// width; of a zero divisor -1 and the dividend. The quotient of the least number by -1 wraps.
    pub fn divide_signed(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let (sign_a, sign_b) = (a[a.len() - 1], b[b.len() - 1]);
        let (x, y) = (self.magnitude(a), self.magnitude(b));
        let (quotient, rest) = self.divide(&x, &y);
        let zero = vec![Lit::FALSE; a.len()];
        let ones = vec![Lit::TRUE; a.len()];
        let negative = self.aig.xor(sign_a, sign_b);
        let negated = self.sub(&zero, &quotient);
        let quotient = self.select(negative, &negated, &quotient);
        let by_zero = !self.any(b);
        let quotient = self.select(by_zero, &ones, &quotient);
        let negated = self.sub(&zero, &rest);
        let rest = self.select(sign_a, &negated, &rest);
        (quotient, rest)
    }
    /// The element at an unsigned index; any value if there is none.
    pub fn element(&mut self, elements: &[Word], index: &[Lit]) -> Word {
        let mut level: Vec<Word> = elements.to_vec();
        for &bit in index {
            if level.len() == 1 {
                break;
            }
            level = level
                .chunks(2)
                .map(|pair| match pair {
                    [even, odd] => self.select(bit, odd, even),
                    [.., only] => only.clone(),
                    [] => Word::new(),
                })
                .collect();
        }
        level.swap_remove(0)
    }
    /// For each element whether the unsigned index is its own.
    pub fn is_index(&mut self, count: usize, index: &[Lit]) -> Vec<Lit> {
        (0..count)
            .map(|i| {
                let here = constant(&BigInt::from(i), index.len() as u32);
                if index.len() < usize::BITS as usize && i >> index.len() != 0 {
                    Lit::FALSE
                } else {
                    self.equal(index, &here)
                }
            })
            .collect()
    }
}
