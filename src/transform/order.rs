//! Order of integers: whether two subscripts differ, by bounds of the loops and conditions around them.
//!
//! A value is taken as a base plus a constant where that sum is exact, and what loops and conditions say as facts
//! `a - b <= k` on bases. Facts are chained by short paths through the graph of such difference constraints.

use crate::ir::*;
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};
use std::collections::{HashMap, HashSet};

/// A value of the kernel, or 0.
type Base = Option<ValueId>;

/// `above - below <= bound` as exact integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact {
    above: Base,
    below: Base,
    bound: i128,
}

/// The pure operations of a kernel by their result.
fn definitions(kernel: &Kernel) -> HashMap<ValueId, OpKind> {
    let mut definitions = HashMap::new();
    kernel.body.for_each_op(&mut |op| {
        if let [result] = op.results[..]
            && op.kind.is_pure()
            && !matches!(op.kind, OpKind::Load { .. })
        {
            definitions.insert(result, op.kind.clone());
        }
    });
    definitions
}

/// The values that may differ from one iteration of a loop to the next.
pub fn changing(f: &For) -> HashSet<ValueId> {
    let mut changing = HashSet::from([f.iv]);
    changing.extend(f.carried.iter().copied());
    f.body.for_each_op(&mut |op| {
        changing.extend(op.results.iter().copied());
        match &op.kind {
            OpKind::For(f) => changing.extend(f.carried.iter().copied().chain([f.iv])),
            OpKind::While(w) => changing.extend(w.carried.iter().copied()),
            _ => {}
        }
    });
    changing
}

/// How a subscript changes with a loop.
#[derive(Clone, Copy, Debug)]
pub enum Subscript {
    /// It is the induction variable plus a constant.
    Moving(i128),
    /// It is the same in every iteration.
    Fixed(ValueId),
}

/// Facts in one chain.
const CHAIN: u32 = 4;

/// Offsets and loop bounds up to here are far from where an index wraps.
const SMALL: i128 = 1 << 62;

/// How values are computed, and what is known of the induction variables.
pub struct Order<'a> {
    /// Pure operations by result.
    pub definitions: &'a HashMap<ValueId, OpKind>,
    /// Induction variables of the loops around.
    pub counters: &'a HashMap<ValueId, Counter>,
    /// For the types of values.
    pub kernel: &'a Kernel,
}

/// What an induction variable can be moved by without wrapping.
#[derive(Clone, Copy, Debug)]
pub struct Counter {
    /// Most that can be added.
    up: i128,
    /// Most that can be subtracted.
    down: i128,
}

/// A kernel whose body is being rewritten, with what its values are known to be.
pub struct Rewrite<'k> {
    /// Without its body.
    pub kernel: &'k mut Kernel,
    /// Pure operations by result.
    pub definitions: HashMap<ValueId, OpKind>,
    counters: HashMap<ValueId, Counter>,
}

impl<'k> Rewrite<'k> {
    /// Takes the body out of a kernel.
    pub fn begin(kernel: &'k mut Kernel) -> (Rewrite<'k>, Block) {
        let definitions = definitions(kernel);
        let body = std::mem::take(&mut kernel.body);
        let counters = HashMap::new();
        let rewrite = Rewrite {
            kernel,
            definitions,
            counters,
        };
        (rewrite, body)
    }

    /// What is known of subscripts.
    pub fn order(&self) -> Order<'_> {
        Order {
            definitions: &self.definitions,
            counters: &self.counters,
            kernel: self.kernel,
        }
    }

    /// Notes the induction variable of a loop before its body is visited.
    pub fn enter(&mut self, f: &For) {
        let counter = self.order().counter(f);
        self.counters.insert(f.iv, counter);
    }
}

impl Order<'_> {
    /// `value = base + constant`, exactly.
    fn linear(&self, value: ValueId) -> (Base, i128) {
        let opaque = (Some(value), 0);
        match self.definitions.get(&value) {
            Some(OpKind::Const(Const::Int(c))) => c.to_i128().map_or(opaque, |c| (None, c)),
            Some(OpKind::Cast { arg }) if self.keeps_value(*arg, value) => self.linear(*arg),
            Some(OpKind::Binary { op, lhs, rhs }) => {
                let ((base, a), (other, b)) = (self.linear(*lhs), self.linear(*rhs));
                let sum = match (op, base, other) {
                    (BinaryOp::Add, base, None) => Some((base, a.checked_add(b))),
                    (BinaryOp::Add, None, base) => Some((base, a.checked_add(b))),
                    (BinaryOp::Sub, base, None) => Some((base, a.checked_sub(b))),
                    _ => None,
                };
                match sum {
                    Some((base, Some(c))) if self.fits(base, c, value) => (base, c),
                    _ => opaque,
                }
            }
            _ => opaque,
        }
    }

    /// Whether a cast leaves every number as it is.
    fn keeps_value(&self, from: ValueId, to: ValueId) -> bool {
        let (from, to) = (self.ty(from), self.ty(to));
        if !is_integer(from) || !is_integer(to) {
            return false;
        }
        match (from.is_signed(), to.is_signed()) {
            (false, true) => from.width() < to.width(),
            (true, false) => false,
            _ => from.width() <= to.width(),
        }
    }

    /// Whether `base + c` lies in the type of `value` for every `base`.
    fn fits(&self, base: Base, c: i128, value: ValueId) -> bool {
        let ty = self.ty(value);
        if !is_integer(ty) || c.abs() > SMALL {
            return false;
        }
        let (low, high) = match base {
            None => (0, 0),
            Some(base) => match self.counters.get(&base) {
                // An index is as wide as its type; a counter stays within its bounds.
                Some(counter) if ty == Scalar::Index => {
                    return -counter.down <= c && c <= counter.up;
                }
                _ => match range_of(self.ty(base)) {
                    Some(range) => range,
                    None => return false,
                },
            },
        };
        range_of(ty).is_some_and(|(least, most)| least <= low + c && high + c <= most)
    }

    /// What is known inside a loop.
    pub fn of_loop(&self, f: &For) -> Vec<Fact> {
        let step = self.constant(f.step);
        // Values lie in [first, end) going up, in (end, first] going down.
        match (f.descending, step) {
            (false, _) => vec![self.less(f.iv, f.hi, 1), self.less(f.lo, f.iv, 0)],
            (true, Some(step)) if step.is_negative() => {
                vec![self.less(f.hi, f.iv, 1), self.less(f.iv, f.lo, 0)]
            }
            _ => Vec::new(),
        }
    }

    /// How far the induction variable of a loop may be moved.
    pub fn counter(&self, f: &For) -> Counter {
        let bounded = |v: ValueId| {
            self.constant(v)
                .and_then(|c| c.to_i128())
                .is_some_and(|c| c.abs() <= SMALL)
        };
        // Strictly on this side of the bound, there is room for one step.
        let (above, below) = match f.descending {
            false => (f.hi, f.lo),
            true => (f.lo, f.hi),
        };
        let room = |v: ValueId, strict: bool| match (bounded(v), strict) {
            (true, _) => SMALL - 1,
            (false, true) => 1,
            (false, false) => 0,
        };
        Counter {
            up: room(above, !f.descending),
            down: room(below, f.descending),
        }
    }

    /// What is known where `condition` is 1, or where it is 0.
    pub fn of_condition(&self, condition: ValueId, holds: bool) -> Vec<Fact> {
        match self.definitions.get(&condition) {
            Some(OpKind::Compare { op, lhs, rhs }) if is_integer(self.ty(*lhs)) => {
                let (a, b) = (*lhs, *rhs);
                match (op, holds) {
                    (CompareOp::Lt, true) | (CompareOp::Ge, false) => vec![self.less(a, b, 1)],
                    (CompareOp::Le, true) | (CompareOp::Gt, false) => vec![self.less(a, b, 0)],
                    (CompareOp::Gt, true) | (CompareOp::Le, false) => vec![self.less(b, a, 1)],
                    (CompareOp::Ge, true) | (CompareOp::Lt, false) => vec![self.less(b, a, 0)],
                    _ => Vec::new(),
                }
            }
            Some(OpKind::Binary {
                op: BinaryOp::And,
                lhs,
                rhs,
            }) if holds && self.ty(condition) == Scalar::BOOL => {
                let mut facts = self.of_condition(*lhs, true);
                facts.extend(self.of_condition(*rhs, true));
                facts
            }
            _ => Vec::new(),
        }
    }

    /// `a + gap <= b`.
    fn less(&self, a: ValueId, b: ValueId, gap: i128) -> Fact {
        let ((above, x), (below, y)) = (self.linear(a), self.linear(b));
        Fact {
            above,
            below,
            bound: y.saturating_sub(x).saturating_sub(gap),
        }
    }

    /// Whether two values are computed alike.
    pub fn same(&self, a: ValueId, b: ValueId) -> bool {
        if a == b {
            return true;
        }
        let (Some(x), Some(y)) = (self.definitions.get(&a), self.definitions.get(&b)) else {
            return false;
        };
        let alike = match (x, y) {
            (OpKind::Const(x), OpKind::Const(y)) => x == y,
            (OpKind::Binary { op: x, .. }, OpKind::Binary { op: y, .. }) => x == y,
            (OpKind::Cast { .. }, OpKind::Cast { .. })
            | (OpKind::Bitcast { .. }, OpKind::Bitcast { .. }) => true,
            _ => false,
        };
        let (xs, ys) = (x.operands(), y.operands());
        alike && self.ty(a) == self.ty(b) && xs.iter().zip(&ys).all(|(&x, &y)| self.same(x, y))
    }

    /// Whether two elements of an array are certainly the same.
    pub fn same_element(&self, a: &[ValueId], b: &[ValueId]) -> bool {
        a.iter().zip(b).all(|(&a, &b)| self.same(a, b))
    }

    /// Whether two elements of an array are certainly not the same.
    pub fn distinct(&self, a: &[ValueId], b: &[ValueId], facts: &[Fact]) -> bool {
        a.iter().zip(b).any(|(&a, &b)| {
            let ((p, x), (q, y)) = (self.linear(a), self.linear(b));
            let below = |p, x: i128, q, y: i128| {
                least(p, q, facts, CHAIN).is_some_and(|k| k.saturating_add(x).saturating_sub(y) < 0)
            };
            (p == q && x != y) || below(p, x, q, y) || below(q, y, p, x)
        })
    }

    /// `a - b`, where it is the same whenever both are computed.
    pub fn distance(&self, a: ValueId, b: ValueId) -> Option<i128> {
        let ((p, x), (q, y)) = (self.linear(a), self.linear(b));
        (p == q).then(|| x - y)
    }

    /// How a subscript changes with a loop in which the values of `changing` change; `None` if otherwise.
    pub fn subscript(
        &self,
        iv: ValueId,
        changing: &HashSet<ValueId>,
        value: ValueId,
    ) -> Option<Subscript> {
        if let Some(constant) = self.distance(value, iv) {
            return Some(Subscript::Moving(constant));
        }
        self.is_fixed(changing, value)
            .then_some(Subscript::Fixed(value))
    }

    fn is_fixed(&self, changing: &HashSet<ValueId>, value: ValueId) -> bool {
        let fixed = |kind: &OpKind| kind.operands().iter().all(|&v| self.is_fixed(changing, v));
        !changing.contains(&value) || self.definitions.get(&value).is_some_and(fixed)
    }

    /// The value of which an index is a cast that changes no number.
    pub fn uncast(&self, value: ValueId) -> ValueId {
        match self.definitions.get(&value) {
            Some(OpKind::Cast { arg }) if self.keeps_value(*arg, value) => self.uncast(*arg),
            _ => value,
        }
    }

    /// Whether an index plus a constant is an index for certain.
    pub fn can_move(&self, value: ValueId, by: i128) -> bool {
        let (base, constant) = self.linear(value);
        let moved = constant.checked_add(by);
        moved.is_some_and(|moved| self.fits(base, moved, value))
    }

    fn ty(&self, value: ValueId) -> Scalar {
        self.kernel.values[value].ty
    }

    /// The integer that a value always is.
    pub fn constant(&self, value: ValueId) -> Option<&BigInt> {
        match self.definitions.get(&value) {
            Some(OpKind::Const(Const::Int(c))) => Some(c),
            _ => None,
        }
    }
}

/// The least `k` found with `a - b <= k`.
fn least(a: Base, b: Base, facts: &[Fact], chain: u32) -> Option<i128> {
    if a == b {
        return Some(0);
    }
    if chain == 0 {
        return None;
    }
    let steps = facts.iter().filter(|fact| fact.above == a);
    steps
        .filter_map(|fact| {
            least(fact.below, b, facts, chain - 1).map(|k| k.saturating_add(fact.bound))
        })
        .min()
}

fn is_integer(ty: Scalar) -> bool {
    matches!(ty, Scalar::Int { .. } | Scalar::Index)
}

fn range_of(ty: Scalar) -> Option<(i128, i128)> {
    let width = ty.width();
    match ty.is_signed() {
        _ if !is_integer(ty) || width > 64 => None,
        true => Some((-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1)),
        false => Some((0, (1i128 << width) - 1)),
    }
}
