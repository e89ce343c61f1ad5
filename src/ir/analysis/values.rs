//! What values are known to be: their definitions, their numbers, and how far they lie from one another.
//!
//! A value is taken as a base, another value or 0, plus a constant, where that sum is exact.

use super::numbers::Numbers;
use super::order::{self, Fact};
use super::varying::Varying;
use crate::ir::{
    BinaryOp, Block, CompareOp, Const, For, Kernel, Op, OpKind, Param, Scalar, ValueId,
};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

/// A value of the kernel, or 0.
pub type Base = Option<ValueId>;

/// How a subscript changes with a loop.
#[derive(Clone, Copy, Debug)]
pub enum Subscript {
    /// It is the induction variable plus a constant.
    Moving(i128),
    /// It is the same in every iteration.
    Fixed(ValueId),
}

/// Offsets and loop bounds up to here are far from where an index wraps.
const SMALL: i128 = 1 << 62;

/// What an induction variable can be moved by without wrapping.
#[derive(Clone, Copy, Debug)]
struct Counter {
    /// Most that can be added.
    up: i128,
    /// Most that can be subtracted.
    down: i128,
}

/// What is known of one value.
#[derive(Clone, Debug)]
struct Known {
    ty: Scalar,
    /// The pure operation that computes it; none for loads, parameters and what control flow gives.
    definition: Option<OpKind>,
    number: u32,
    /// Base and constant.
    linear: (Base, i128),
    /// Of an induction variable.
    counter: Option<Counter>,
}

/// What is known of a kernel's values.
#[derive(Clone, Debug, Default)]
pub struct Values {
    known: Vec<Option<Known>>,
    numbers: Numbers,
}

impl Values {
    /// Looks at every operation of a kernel, in program order.
    pub fn of(kernel: &Kernel) -> Values {
        let mut values = Values::default();
        for param in &kernel.params {
            if let Param::Scalar(value) = param {
                values.opaque(kernel, *value);
            }
        }
        values.block(kernel, &kernel.body);
        values
    }

    fn block(&mut self, kernel: &Kernel, block: &Block) {
        for op in &block.ops {
            self.parameters(kernel, &op.kind);
            for inner in op.kind.blocks() {
                self.block(kernel, inner);
            }
            self.note(kernel, op);
        }
    }

    /// Takes note of an operation that a pass has made or changed; its operands are known.
    pub fn note(&mut self, kernel: &Kernel, op: &Op) {
        match op.results[..] {
            [result] if op.kind.is_pure() && !matches!(op.kind, OpKind::Load { .. }) => {
                self.pure(kernel, result, &op.kind);
            }
            _ => op.results.iter().for_each(|&v| self.opaque(kernel, v)),
        }
    }

    /// Takes note of the block parameters of an operation.
    pub fn parameters(&mut self, kernel: &Kernel, kind: &OpKind) {
        match kind {
            OpKind::For(f) => {
                self.opaque(kernel, f.iv);
                let counter = self.counter(f);
                if let Some(known) = self.known[f.iv.index()].as_mut() {
                    known.counter = Some(counter);
                }
                f.carried.iter().for_each(|&v| self.opaque(kernel, v));
            }
            OpKind::While(w) => w.carried.iter().for_each(|&v| self.opaque(kernel, v)),
            _ => {}
        }
    }

    fn set(&mut self, value: ValueId, known: Known) {
        let index = value.index();
        if self.known.len() <= index {
            self.known.resize_with(index + 1, || None);
        }
        self.known[index] = Some(known);
    }

    fn opaque(&mut self, kernel: &Kernel, value: ValueId) {
        let number = self.numbers.fresh();
        self.set(
            value,
            Known {
                ty: kernel.values[value].ty,
                definition: None,
                number,
                linear: (Some(value), 0),
                counter: None,
            },
        );
    }

    fn pure(&mut self, kernel: &Kernel, value: ValueId, kind: &OpKind) {
        let ty = kernel.values[value].ty;
        let operands = kind.operands().into_iter();
        let operands: Option<Vec<u32>> = operands.map(|v| Some(self.get(v)?.number)).collect();
        let number = match operands {
            Some(operands) => self.numbers.number(kind, ty, operands),
            None => self.numbers.fresh(),
        };
        let linear = self.sum(kind, ty).unwrap_or((Some(value), 0));
        self.set(
            value,
            Known {
                ty,
                definition: Some(kind.clone()),
                number,
                linear,
                counter: None,
            },
        );
    }

    fn get(&self, value: ValueId) -> Option<&Known> {
        self.known.get(value.index())?.as_ref()
    }

    // Definitions -----------------------------------------------------------------------------------

    /// The pure operation that computes a value; none for a load.
    pub fn definition(&self, value: ValueId) -> Option<&OpKind> {
        self.get(value)?.definition.as_ref()
    }

    /// The integer that a value always is.
    pub fn constant(&self, value: ValueId) -> Option<&BigInt> {
        match self.definition(value) {
            Some(OpKind::Const(Const::Int(c))) => Some(c),
            _ => None,
        }
    }

    /// The value of which an index is a cast that changes no number.
    pub fn uncast(&self, mut value: ValueId) -> ValueId {
        while let Some(known) = self.get(value)
            && let Some(OpKind::Cast { arg }) = known.definition
            && self.keeps_value(arg, known.ty)
        {
            value = arg;
        }
        value
    }

    /// Whether a cast leaves every number as it is.
    fn keeps_value(&self, from: ValueId, to: Scalar) -> bool {
        let Some(from) = self.get(from).map(|known| known.ty) else {
            return false;
        };
        if !is_integer(from) || !is_integer(to) {
            return false;
        }
        match (from.is_signed(), to.is_signed()) {
            (false, true) => from.width() < to.width(),
            (true, false) => false,
            _ => from.width() <= to.width(),
        }
    }

    // Equality and distance -------------------------------------------------------------------------

    /// Whether two values are computed alike.
    pub fn same(&self, a: ValueId, b: ValueId) -> bool {
        a == b || matches!((self.get(a), self.get(b)), (Some(x), Some(y)) if x.number == y.number)
    }

    /// Whether two lists of subscripts name one element for certain.
    pub fn same_element(&self, a: &[ValueId], b: &[ValueId]) -> bool {
        a.iter().zip(b).all(|(&a, &b)| self.same(a, b))
    }

    /// Whether two lists of subscripts certainly name different elements.
    pub fn distinct(&self, a: &[ValueId], b: &[ValueId], facts: &[Fact]) -> bool {
        a.iter().zip(b).any(|(&a, &b)| {
            let ((p, x), (q, y)) = (self.linear(a), self.linear(b));
            let below = |p, x: i128, q, y: i128| {
                let bound = order::least(p, q, facts);
                bound.is_some_and(|k| k.saturating_add(x).saturating_sub(y) < 0)
            };
            (p == q && x != y) || below(p, x, q, y) || below(q, y, p, x)
        })
    }

    /// `a - b`, where it is the same whenever both are computed.
    pub fn distance(&self, a: ValueId, b: ValueId) -> Option<i128> {
        let ((p, x), (q, y)) = (self.linear(a), self.linear(b));
        (p == q).then(|| x - y)
    }

    /// How a subscript changes with a loop; `None` if otherwise.
    pub fn subscript(&self, iv: ValueId, varying: &Varying, value: ValueId) -> Option<Subscript> {
        if let Some(constant) = self.distance(value, iv) {
            return Some(Subscript::Moving(constant));
        }
        varying.is_fixed(value).then_some(Subscript::Fixed(value))
    }

    /// Whether an index plus a constant is an index for certain.
    pub fn can_move(&self, value: ValueId, by: i128) -> bool {
        let (base, constant) = self.linear(value);
        let moved = constant.checked_add(by);
        moved.is_some_and(|moved| self.fits(base, moved, Scalar::Index))
    }

    /// `value = base + constant`, exactly.
    pub fn linear(&self, value: ValueId) -> (Base, i128) {
        self.get(value)
            .map_or((Some(value), 0), |known| known.linear)
    }

    /// The base and constant that an operation of type `ty` gives.
    fn sum(&self, kind: &OpKind, ty: Scalar) -> Option<(Base, i128)> {
        match kind {
            OpKind::Const(Const::Int(c)) => Some((None, c.to_i128()?)),
            OpKind::Cast { arg } if self.keeps_value(*arg, ty) => Some(self.linear(*arg)),
            OpKind::Binary { op, lhs, rhs } => {
                let ((base, a), (other, b)) = (self.linear(*lhs), self.linear(*rhs));
                let (base, constant) = match (op, base, other) {
                    (BinaryOp::Add, base, None) | (BinaryOp::Add, None, base) => {
                        (base, a.checked_add(b)?)
                    }
                    (BinaryOp::Sub, base, None) => (base, a.checked_sub(b)?),
                    _ => return None,
                };
                let exact = self.fits(base, constant, ty);
                exact.then_some((base, constant))
            }
            _ => None,
        }
    }

    /// Whether `base + c` lies in a type for every `base`.
    fn fits(&self, base: Base, c: i128, ty: Scalar) -> bool {
        if !is_integer(ty) || c.abs() > SMALL {
            return false;
        }
        let (low, high) = match base {
            None => (0, 0),
            Some(base) => match self.get(base) {
                // An index is as wide as its type; a counter stays within its bounds.
                Some(Known {
                    counter: Some(counter),
                    ..
                }) if ty == Scalar::Index => return -counter.down <= c && c <= counter.up,
                Some(known) => match range_of(known.ty) {
                    Some(range) => range,
                    None => return false,
                },
                None => return false,
            },
        };
        range_of(ty).is_some_and(|(least, most)| least <= low + c && high + c <= most)
    }

    /// How far the induction variable of a loop may be moved.
    fn counter(&self, f: &For) -> Counter {
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

    // Facts -----------------------------------------------------------------------------------------

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

    /// What is known where `condition` is 1, or where it is 0.
    pub fn of_condition(&self, condition: ValueId, holds: bool) -> Vec<Fact> {
        let mut facts = Vec::new();
        let mut work = vec![condition];
        while let Some(condition) = work.pop() {
            match self.definition(condition) {
                Some(OpKind::Compare { op, lhs, rhs }) => {
                    facts.extend(self.of_comparison(*op, *lhs, *rhs, holds));
                }
                Some(OpKind::Binary {
                    op: BinaryOp::And,
                    lhs,
                    rhs,
                }) if holds => work.extend([*rhs, *lhs]),
                _ => {}
            }
        }
        facts
    }

    fn of_comparison(&self, op: CompareOp, a: ValueId, b: ValueId, holds: bool) -> Vec<Fact> {
        if !self.get(a).is_some_and(|known| is_integer(known.ty)) {
            return Vec::new();
        }
        match (op, holds) {
            (CompareOp::Lt, true) | (CompareOp::Ge, false) => vec![self.less(a, b, 1)],
            (CompareOp::Le, true) | (CompareOp::Gt, false) => vec![self.less(a, b, 0)],
            (CompareOp::Gt, true) | (CompareOp::Le, false) => vec![self.less(b, a, 1)],
            (CompareOp::Ge, true) | (CompareOp::Lt, false) => vec![self.less(b, a, 0)],
            (CompareOp::Eq, true) | (CompareOp::Ne, false) => {
                vec![self.less(a, b, 0), self.less(b, a, 0)]
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
