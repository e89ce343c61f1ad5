//! Fewer blocks for a product of several parts: the products of two parts that cross, `x1 y0 + x0 y1`, are
//! `x0 y0 + x1 y1 - (x0 - x1) (y0 - y1)`, of which the first two are there anyway. A 53x53 product takes six 18x18 blocks
//! instead of nine, and longer sums.
//!
//! Karatsuba and Ofman, Multiplication of multidigit numbers on automata, 1962; for any number of parts Weimerskirch and
//! Paar, Generalizations of the Karatsuba algorithm for efficient implementations, 2003, section 3.2.

use super::rows::{is_corner, rows};
use crate::hwarith::builder::Builder;
use crate::hwarith::graph::NodeId;
use crate::hwarith::types::HwType;

/// How two operands are cut: into parts of `word` bits, the last of what is left.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    word: u32,
    /// Bits of an operand of a block.
    block: u32,
    /// Types of the operands.
    types: [HwType; 2],
    /// Bits of the product that are read.
    demand: u32,
}

impl Cut {
    /// The cut of operands of these types for blocks with operands of `block` bits. Their differences may take no more than one
    /// bit more.
    pub fn of(types: [HwType; 2], demand: u32, block: u32) -> Cut {
        let longest = types[0].width.max(types[1].width);
        Cut {
            word: longest.div_ceil(longest.div_ceil(block)),
            block,
            types,
            demand,
        }
    }

    /// Numbers of parts of the operands.
    fn parts(&self) -> [u32; 2] {
        self.types.map(|ty| ty.width.div_ceil(self.word))
    }

    /// Parts that have a partner of the same weight.
    fn paired(&self) -> u32 {
        let [x, y] = self.parts();
        x.min(y)
    }

    fn is_read(&self, i: u32, j: u32) -> bool {
        (i + j) * self.word < self.demand
    }

    /// Whether the products of parts that cross come from one of differences.
    fn is_shared(&self, i: u32, j: u32) -> bool {
        i < j && j < self.paired() && self.is_read(j, j)
    }

    /// Type of a part.
    fn part(&self, operand: usize, number: u32) -> HwType {
        let ty = self.types[operand];
        match ty.width - number * self.word {
            rest if rest <= self.word => HwType { width: rest, ..ty },
            _ => HwType::ui(self.word),
        }
    }

    /// Bits of a difference of two parts, its sign too.
    fn difference(&self) -> u32 {
        self.word + 1 + u32::from(self.types.iter().any(|ty| ty.signed))
    }

    /// Whether a block takes the differences of parts, or all of them but the signs.
    pub fn has_differences(&self) -> bool {
        self.difference() <= self.block + 1
    }

    /// Whether the signs of differences are multiplied apart.
    pub fn has_signs(&self) -> bool {
        self.difference() > self.block
    }

    /// Pairs of parts of which the product is read.
    fn pairs(&self) -> impl Iterator<Item = (u32, u32)> {
        let [x, y] = self.parts();
        let pairs = (0..x).flat_map(move |i| (0..y).map(move |j| (i, j)));
        pairs.filter(|(i, j)| self.is_read(*i, *j))
    }

    /// Blocks that it takes.
    pub fn blocks(&self) -> u32 {
        let takes = |(i, j): &(u32, u32)| {
            let [x, y] = [self.part(0, *i), self.part(1, *j)];
            // One of two that cross stands for both.
            !self.is_shared(*j, *i) && (self.is_shared(*i, *j) || !is_corner(x, y))
        };
        self.pairs().filter(takes).count() as u32
    }

    /// Bits of the sums that schoolbook does not have.
    pub fn sums(&self) -> u32 {
        let shared = self.pairs().filter(|(i, j)| self.is_shared(*i, *j)).count() as u32;
        // Two differences and one more sum; the products of the signs are choices and two more.
        let signs = match self.has_signs() {
            true => 4 * self.word,
            false => 0,
        };
        shared * (4 * self.word + signs)
    }

    /// A value with the same low `demand` bits as `x * y`.
    pub fn build(&self, b: &mut Builder, x: NodeId, y: NodeId) -> NodeId {
        let [parts_x, parts_y] = [(0, x), (1, y)].map(|(operand, value)| -> Vec<NodeId> {
            let numbers = 0..self.parts()[operand];
            numbers.map(|n| self.cut(b, operand, value, n)).collect()
        });
        let product = |b: &mut Builder, i: u32, j: u32| {
            let (x, y) = (parts_x[i as usize], parts_y[j as usize]);
            match is_corner(b.ty(x), b.ty(y)) {
                true => rows(b, x, y),
                false => b.mul(x, y),
            }
        };
        let squares: Vec<NodeId> = (0..self.paired())
            .filter(|i| self.is_read(*i, *i))
            .map(|i| product(b, i, i))
            .collect();
        // By weight, in words.
        let weights = self.parts().iter().sum::<u32>() as usize - 1;
        let mut crossing: Vec<Option<NodeId>> = vec![None; weights];
        for (i, j) in self.pairs().filter(|(i, j)| i != j) {
            let term = if self.is_shared(i, j) {
                let of = |parts: &[NodeId]| [i, j].map(|number| parts[number as usize]);
                let both = b.add(squares[i as usize], squares[j as usize]);
                self.less_differences(b, both, of(&parts_x), of(&parts_y))
            } else if self.is_shared(j, i) {
                continue;
            } else {
                product(b, i, j)
            };
            let sum = &mut crossing[(i + j) as usize];
            *sum = Some(sum.map_or(term, |sum| b.add(sum, term)));
        }
        self.sum(b, &squares, &crossing)
    }

    /// A part of an operand.
    fn cut(&self, b: &mut Builder, operand: usize, value: NodeId, number: u32) -> NodeId {
        let at = number * self.word;
        let ty = self.part(operand, number);
        let bits = b.extract(value, at, ty.width);
        b.cast(bits, ty)
    }

    /// `sum - (x0 - x1) (y0 - y1)`.
    fn less_differences(
        &self,
        b: &mut Builder,
        sum: NodeId,
        [x0, x1]: [NodeId; 2],
        [y0, y1]: [NodeId; 2],
    ) -> NodeId {
        let (x, y) = (b.sub(x0, x1), b.sub(y0, y1));
        if !self.has_signs() {
            let product = b.mul(x, y);
            return b.sub(sum, product);
        }
        // Each is `low - sign * 2^bits`: `(x - X 2^n) (y - Y 2^n) = x y - 2^n (X y + Y x - X Y 2^n)`.
        let bits = self.difference() - 1;
        let ty = HwType::si(bits + 1);
        let [(low_x, sign_x), (low_y, sign_y)] = [x, y].map(|value| {
            let value = b.cast(value, ty);
            (b.extract(value, 0, bits), b.extract(value, bits, 1))
        });
        let product = b.mul(low_x, low_y);
        let zero = b.constant(0);
        let (of_x, of_y) = (b.mux(sign_x, low_y, zero), b.mux(sign_y, low_x, zero));
        let of_signs = b.add(of_x, of_y);
        let of_signs = b.cast(of_signs, HwType::ui(bits + 1));
        // Without both signs there is no carry; with both, its absence is a borrow.
        let carry = b.extract(of_signs, bits, 1);
        let (both, no_carry) = (b.and(sign_x, sign_y), b.not1(carry));
        let borrow = b.and(both, no_carry);
        let low = b.extract(of_signs, 0, bits);
        let joined = b.concat(&[(borrow, 1), (low, bits)]);
        let of_signs = b.cast(joined, ty);
        let rest = b.sub(sum, product);
        self.raised(b, rest, of_signs, bits)
    }

    /// `low + high * 2^by`: the lowest bits of `low` are those of the sum.
    fn raised(&self, b: &mut Builder, low: NodeId, high: NodeId, by: u32) -> NodeId {
        let ty = b.ty(low);
        if ty.width <= by {
            let high = b.shift_left_exact(high, by);
            return b.add(low, high);
        }
        let amount = b.constant(by);
        let above = b.shr(low, amount);
        let below = b.extract(low, 0, by);
        let sum = b.add(above, high);
        let HwType { signed, width } = b.ty(sum);
        let width = width + by;
        let joined = b.concat(&[(sum, width - by), (below, by)]);
        b.cast(joined, HwType { signed, width })
    }

    /// The sum of all terms in their places.
    fn sum(&self, b: &mut Builder, squares: &[NodeId], crossing: &[Option<NodeId>]) -> NodeId {
        let crossing = crossing.iter().enumerate();
        let terms =
            crossing.filter_map(|(weight, term)| Some((weight as u32 * self.word, (*term)?)));
        let mut terms = terms;
        let Some((lowest, first)) = terms.next() else {
            return squares[0];
        };
        let crossed = terms.fold(first, |sum, (place, term)| {
            self.raised(b, sum, term, place - lowest)
        });
        // The lower squares do not overlap.
        let (last, below) = squares
            .split_last()
            .expect("the lowest parts have a product");
        let mut bits = vec![(*last, b.ty(*last).width)];
        bits.extend(below.iter().rev().map(|square| (*square, 2 * self.word)));
        let width = bits.iter().map(|(_, width)| width).sum();
        let signed = b.ty(*last).signed;
        let joined = b.concat(&bits);
        let joined = b.cast(joined, HwType { signed, width });
        let sum = self.raised(b, joined, crossed, lowest);
        let exact = self.types[0].width + self.types[1].width;
        let signed = self.types.iter().any(|ty| ty.signed);
        match signed && exact <= self.demand {
            true => b.cast(sum, HwType::si(exact)),
            false => b.cast(sum, HwType::ui(exact.min(self.demand))),
        }
    }
}
