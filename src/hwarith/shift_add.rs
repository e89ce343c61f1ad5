//! Products by constants as sums of shifted terms, in which parts that the constant's digits have in common are computed
//! once.
//!
//! The digits are the canonical signed ones; the pair of terms that occurs most often, at whatever place, becomes a term
//! of its own, until none occurs twice (Hartley, Subexpression sharing in filters using canonic signed digit multipliers,
//! IEEE Transactions on Circuits and Systems II 43(10), 1996). The terms that are left are added in the order in which
//! they are there.

use super::builder::{Builder, signed_digits};
use super::graph::NodeId;
use num_bigint::BigInt;
use num_traits::{One, Zero};
use std::collections::{BTreeMap, BTreeSet};

/// Nonzero digits of the largest constant that is looked at: with twice as many the search takes eight times as long.
const MAX_DIGITS: usize = 40;

/// What a device's adders and multiplier blocks cost.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    /// Of a multiplier block, in LUT4.
    pub block_area: f64,
    /// Of a bit of a sum, in LUT4.
    pub add_area: f64,
    /// ns through a multiplier block.
    pub block_delay: f64,
    /// ns through a sum, and more for each of its bits.
    pub add_delay: (f64, f64),
}

impl Costs {
    /// ns through a sum of so many bits.
    pub fn add_delay(&self, width: u32) -> f64 {
        self.add_delay.0 + self.add_delay.1 * f64::from(width)
    }
}

/// `node * 2^shift`, or its negation. Node 0 is the factor that is not constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Term {
    shift: u32,
    node: usize,
    negative: bool,
}

/// The sum or difference of two nodes, one of them shifted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Sum {
    left: (usize, u32),
    right: (usize, u32),
    subtract: bool,
}

/// The sums that make a product by a constant.
#[derive(Clone, Debug)]
pub struct Plan {
    sums: Vec<Sum>,
    /// By node: what the factor is multiplied by, and sums on the way.
    multiples: Vec<BigInt>,
    depths: Vec<u32>,
    result: Term,
}

impl Plan {
    /// With or without common parts. `None` for 0 and for constants with too many digits.
    pub fn new(constant: &BigInt, sharing: bool) -> Option<Plan> {
        let digits = signed_digits(constant);
        if digits.is_empty() || digits.len() > MAX_DIGITS {
            return None;
        }
        let term = |(shift, negative)| Term {
            shift,
            node: 0,
            negative,
        };
        let mut terms: Vec<Term> = digits.into_iter().map(term).collect();
        let mut plan = Plan {
            sums: Vec::new(),
            multiples: vec![BigInt::one()],
            depths: vec![0],
            result: terms[0],
        };
        while let Some(pairs) = most_frequent(&terms).filter(|_| sharing) {
            let replaced: BTreeSet<usize> = pairs.iter().flat_map(|&(i, j)| [i, j]).collect();
            let sums = pairs.iter().map(|&(i, j)| plan.pair(terms[i], terms[j]));
            let sums: Vec<Term> = sums.collect();
            let kept = terms
                .iter()
                .enumerate()
                .filter(|(i, _)| !replaced.contains(i));
            terms = kept.map(|(_, term)| *term).chain(sums).collect();
            terms.sort();
        }
        while terms.len() > 1 {
            terms.sort_by_key(|term| (plan.depths[term.node], *term));
            let sum = plan.pair(terms[0], terms[1]);
            terms.splice(..2, [sum]);
        }
        plan.result = terms[0];
        Some(plan)
    }

    /// The sum of two terms, made once.
    fn pair(&mut self, a: Term, b: Term) -> Term {
        // A difference begins with what is not negative.
        let (a, b) = match (a.negative, b.negative) {
            (true, false) => (b, a),
            _ => (a, b),
        };
        let shift = a.shift.min(b.shift);
        let sum = Sum {
            left: (a.node, a.shift - shift),
            right: (b.node, b.shift - shift),
            subtract: a.negative != b.negative,
        };
        // The opposite of a difference is as good.
        let opposite = Sum {
            left: sum.right,
            right: sum.left,
            ..sum
        };
        let find = |sum: &Sum| self.sums.iter().position(|s| s == sum);
        let (node, opposed) = match (find(&sum), find(&opposite)) {
            (Some(at), _) => (at + 1, false),
            (None, Some(at)) => (at + 1, sum.subtract),
            (None, None) => (self.add(sum), false),
        };
        Term {
            shift,
            node,
            negative: a.negative && b.negative || opposed,
        }
    }

    fn add(&mut self, sum: Sum) -> usize {
        let multiple = |(node, shift): (usize, u32)| &self.multiples[node] << shift;
        let (left, right) = (multiple(sum.left), multiple(sum.right));
        let depth = self.depths[sum.left.0].max(self.depths[sum.right.0]) + 1;
        self.multiples.push(match sum.subtract {
            true => left - right,
            false => left + right,
        });
        self.depths.push(depth);
        self.sums.push(sum);
        self.sums.len()
    }

    /// Sums and differences, the negation of the result among them.
    pub fn adders(&self) -> usize {
        self.sums.len() + usize::from(self.result.negative)
    }

    /// LUT4 and ns, for a factor of `width` bits and a product of which `demand` bits are read.
    pub fn cost(&self, width: u32, demand: u32, costs: &Costs) -> (f64, f64) {
        let mut area = 0.0;
        let mut arrivals = vec![0.0];
        let mut adder = |bits: u64, after: f64| {
            let bits = bits.min(u64::from(demand)) as u32;
            area += costs.add_area * f64::from(bits);
            after + costs.add_delay(bits)
        };
        for (sum, multiple) in self.sums.iter().zip(&self.multiples[1..]) {
            // Below a shifted second operand the first passes through.
            let passed = u64::from(sum.right.1);
            let bits = u64::from(width) + multiple.bits() - passed.min(multiple.bits());
            let after = f64::max(arrivals[sum.left.0], arrivals[sum.right.0]);
            arrivals.push(adder(bits, after));
        }
        let mut delay = arrivals[self.result.node];
        if self.result.negative {
            let multiple = &self.multiples[self.result.node];
            delay = adder(u64::from(width) + multiple.bits(), delay);
        }
        (area, delay)
    }

    /// The product of `factor` and the constant.
    pub fn build(&self, b: &mut Builder, factor: NodeId) -> NodeId {
        let mut nodes = vec![factor];
        for sum in &self.sums {
            let left = b.shift_left_exact(nodes[sum.left.0], sum.left.1);
            let right = b.shift_left_exact(nodes[sum.right.0], sum.right.1);
            nodes.push(match sum.subtract {
                true => b.sub(left, right),
                false => b.add(left, right),
            });
        }
        let product = b.shift_left_exact(nodes[self.result.node], self.result.shift);
        match self.result.negative {
            true => {
                let zero = b.constant(BigInt::zero());
                b.sub(zero, product)
            }
            false => product,
        }
    }
}

/// What pairs of terms with the same sum have in common: their nodes, their distance, whether their signs differ.
type Kind = (usize, usize, u32, bool);

/// Positions of the pairs of terms, each term in one of them, whose sums are the same but for their place and sign, of
/// the kind that occurs most often; `None` if none occurs twice. The terms are in order of their shifts.
fn most_frequent(terms: &[Term]) -> Option<Vec<(usize, usize)>> {
    let mut kinds: BTreeMap<Kind, Vec<(usize, usize)>> = BTreeMap::new();
    for (i, a) in terms.iter().enumerate() {
        for (j, b) in terms.iter().enumerate().skip(i + 1) {
            let kind = (a.node, b.node, b.shift - a.shift, a.negative != b.negative);
            let pairs = kinds.entry(kind).or_default();
            if pairs.iter().all(|&(k, l)| k != i && l != i) {
                pairs.push((i, j));
            }
        }
    }
    // The first of equals: the nearest.
    let nearest = kinds.into_iter().max_by_key(|(kind, pairs)| {
        let distance = std::cmp::Reverse((kind.2, kind.0, kind.1, kind.3));
        (pairs.len(), distance)
    });
    nearest
        .map(|(_, pairs)| pairs)
        .filter(|pairs| pairs.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::super::eval::eval_nodes;
    use super::super::graph::Op;
    use super::super::testing::{Random, input_vectors};
    use super::super::types::HwType;
    use super::*;

    fn check(constant: &BigInt, ty: HwType, limit: usize) {
        check_plan(constant, ty, limit, true);
        check_plan(constant, ty, limit, false);
    }

    fn check_plan(constant: &BigInt, ty: HwType, limit: usize, sharing: bool) {
        let plan = Plan::new(constant, sharing).expect("few digits");
        assert!(plan.adders() <= signed_digits(constant).len());
        let mut b = Builder::new();
        let x = b.opaque(Op::Input(0), vec![], ty);
        let product = plan.build(&mut b, x);
        b.graph.validate().expect("valid");
        for inputs in input_vectors(&mut Random::new(3), &[ty], limit) {
            let values = eval_nodes(&b.graph, &inputs);
            assert_eq!(
                values[product.index()],
                &inputs[0] * constant,
                "{constant} * {ty}"
            );
        }
    }

    #[test]
    fn products_of_all_small_values_by_all_small_constants() {
        let types = (1..=6).flat_map(|width| [HwType::ui(width), HwType::si(width)]);
        for ty in types {
            for constant in (-140..=140).filter(|c| *c != 0) {
                check(&BigInt::from(constant), ty, 64);
            }
        }
    }

    #[test]
    fn products_of_wide_values_by_random_constants() {
        let mut random = Random::new(2);
        for _ in 0..200 {
            let width = random.between(2, 70);
            let constant = random.value(HwType::si(width));
            let ty = random.ty(300);
            if !constant.is_zero() {
                check(&constant, ty, 4);
            }
        }
    }

    /// 45 = 5 * 9 and 0x5555 repeat themselves; 11 does not.
    #[test]
    fn common_parts_are_computed_once() {
        let adders = [1, 7, 11, 45, 105, 0x5555, 0xcccc, -3, -5]
            .map(|c| Plan::new(&BigInt::from(c), true).expect("a plan").adders());
        assert_eq!(adders, [0, 1, 2, 2, 3, 3, 3, 1, 2]);
    }

    #[test]
    fn sums_are_as_few_as_levels_allow() {
        let costs = Costs {
            block_area: 1.0,
            add_area: 1.0,
            block_delay: 1.0,
            add_delay: (1.0, 0.0),
        };
        // 1 + 2^5 + 2^11 + 2^18, no two at the same distance.
        let plan = Plan::new(&BigInt::from(0x4_0821), true).expect("a plan");
        assert_eq!(plan.cost(8, 100, &costs).1, 2.0);
        assert_eq!(plan.cost(8, 4, &costs).0, 12.0);
    }
}
