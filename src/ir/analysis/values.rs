//! What values are known to be: their definitions, their numbers, their ranges, and how far they lie from one another.
//!
//! An integer is taken as a base, a sum of multiples of other values, plus a constant, where that sum is exact.

use super::numbers::Numbers;
use super::order::{self, Base, Fact};
use super::ranges::{self, Range};
use super::varying::Varying;
use crate::hash::FastMap;
use crate::ir::{
    BinaryOp, Block, CompareOp, Const, For, Kernel, MOST_OPERANDS, Op, OpKind, Param, Scalar,
    UnaryOp, ValueId,
};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

/// `sum(coefficient * value) + constant`, each value once, in order of their handles, no coefficient 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Affine {
    /// Values and their coefficients.
    pub terms: Vec<(ValueId, i128)>,
    /// What is added.
    pub constant: i128,
}

/// Most terms of a sum.
const MAX_TERMS: usize = 12;

impl Affine {
    fn value(value: ValueId) -> Affine {
        Affine {
            terms: vec![(value, 1)],
            constant: 0,
        }
    }

    fn constant(constant: i128) -> Affine {
        Affine {
            terms: vec![],
            constant,
        }
    }

    /// `self + factor * other`; `None` where numbers or the sum become too large.
    pub fn plus(&self, other: &Affine, factor: i128) -> Option<Affine> {
        let mut terms: Vec<(ValueId, i128)> = Vec::new();
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let (value, coefficient) = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(&&(a, x)), Some(&&(b, y))) if a == b => {
                    left.next();
                    right.next();
                    (a, x.checked_add(y.checked_mul(factor)?)?)
                }
                (Some(&&(a, x)), Some(&&(b, _))) if a < b => {
                    left.next();
                    (a, x)
                }
                (Some(&&(a, x)), None) => {
                    left.next();
                    (a, x)
                }
                (_, Some(&&(b, y))) => {
                    right.next();
                    (b, y.checked_mul(factor)?)
                }
            };
            if coefficient != 0 {
                terms.push((value, coefficient));
            }
        }
        let constant = other.constant.checked_mul(factor)?;
        (terms.len() <= MAX_TERMS).then_some(Affine {
            terms,
            constant: self.constant.checked_add(constant)?,
        })
    }
}

/// How a subscript changes with a loop.
#[derive(Clone, Debug)]
pub enum Subscript {
    /// It is a multiple of the induction variable, which is not zero, and a sum that is the same in every iteration.
    Moving(i128, Affine),
    /// It is the same in every iteration.
    Fixed(ValueId),
}

/// What is known of one value.
#[derive(Clone, Debug)]
struct Known {
    ty: Scalar,
    /// The pure operation that computes it; none for loads, parameters and what control flow gives.
    definition: Option<OpKind>,
    number: u32,
    /// None where it is the value itself.
    affine: Option<Affine>,
    /// The number of the affine form without its constant.
    base: Base,
    range: Option<Range>,
}

/// What is known of a kernel's values.
#[derive(Clone, Debug, Default)]
pub struct Values {
    known: Vec<Option<Known>>,
    numbers: Numbers,
    /// Numbers of sums other than a value alone.
    bases: FastMap<Vec<(ValueId, i128)>, u32>,
}

impl Values {
    /// Looks at every operation of a kernel, in program order.
    pub fn of(kernel: &Kernel) -> Values {
        let mut values = Values::of_parameters(kernel);
        values.block(kernel, &kernel.body);
        values
    }

    /// Looks at the parameters of a kernel alone; operations are noted by who comes across them.
    pub fn of_parameters(kernel: &Kernel) -> Values {
        let mut values = Values::default();
        for param in &kernel.params {
            if let Param::Scalar(value) = param {
                values.opaque(kernel, *value, None);
            }
        }
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
            _ => op
                .results
                .iter()
                .for_each(|&v| self.opaque(kernel, v, None)),
        }
    }

    /// Takes note of the block parameters of an operation.
    pub fn parameters(&mut self, kernel: &Kernel, kind: &OpKind) {
        let carried = match kind {
            OpKind::For(f) => {
                let range = self.counted(f);
                self.opaque(kernel, f.iv, range);
                &f.carried
            }
            OpKind::While(w) => &w.carried,
            _ => return,
        };
        carried.iter().for_each(|&v| self.opaque(kernel, v, None));
    }

    /// The values of a loop's induction variable inside of it, where iterations are.
    fn counted(&self, f: &For) -> Option<Range> {
        let (lo, hi) = (self.range(f.lo)?, self.range(f.hi)?);
        let (low, high) = match f.descending {
            false => (lo.0, hi.1 - 1),
            true => (hi.0 + 1, lo.1),
        };
        Some((low, high.max(low)))
    }

    fn set(&mut self, value: ValueId, known: Known) {
        let index = value.index();
        if self.known.len() <= index {
            self.known.resize_with(index + 1, || None);
        }
        self.known[index] = Some(known);
    }

    fn opaque(&mut self, kernel: &Kernel, value: ValueId, range: Option<Range>) {
        let ty = kernel.values[value].ty;
        let known = Known {
            ty,
            definition: None,
            number: self.numbers.fresh(),
            base: base_of_value(value),
            affine: None,
            range: range.or(ranges::of_type(ty)),
        };
        self.set(value, known);
    }

    fn pure(&mut self, kernel: &Kernel, value: ValueId, kind: &OpKind) {
        let ty = kernel.values[value].ty;
        let (operands, count) = kind.few_operands();
        let operands = &operands[..count];
        // Unused places have a number that no value gets.
        let mut numbers = [u32::MAX; MOST_OPERANDS];
        let mut within = [None; MOST_OPERANDS];
        let mut all_known = true;
        for (i, &operand) in operands.iter().enumerate() {
            match self.get(operand) {
                Some(known) => (numbers[i], within[i]) = (known.number, known.range),
                None => all_known = false,
            }
        }
        let number = match all_known {
            true => self.numbers.number(kind, ty, numbers),
            false => self.numbers.fresh(),
        };
        // Where one bound is below the other, they are apart.
        if self.is_guarded_distance(kind)
            && let Some((low, high)) = &mut within[1]
        {
            *low = 1.max(*low).min(*high);
        }
        let within = &within[..count];
        let exact = ranges::exact(kind, ty, within).is_some_and(|range| ranges::fits(range, ty));
        let affine = exact.then(|| self.sum(kind)).flatten();
        let known = Known {
            ty,
            definition: Some(kind.clone()),
            number,
            base: affine
                .as_ref()
                .map_or_else(|| base_of_value(value), |affine| self.base(affine)),
            affine,
            range: ranges::result(kind, ty, within),
        };
        self.set(value, known);
    }

    /// Whether an operation is `b - a if a < b else ..`, of a difference that does not wrap.
    fn is_guarded_distance(&self, kind: &OpKind) -> bool {
        let OpKind::Select { cond, on_true, .. } = kind else {
            return false;
        };
        match (self.definition(*cond), self.definition(*on_true)) {
            (
                Some(OpKind::Compare {
                    op: CompareOp::Lt,
                    lhs: low,
                    rhs: high,
                }),
                Some(OpKind::Binary {
                    op: BinaryOp::Sub,
                    lhs,
                    rhs,
                }),
            ) => {
                let is_it = self.same(*lhs, *high) && self.same(*rhs, *low);
                is_it && self.is_exact_sum(*on_true, *lhs, (*rhs, -1))
            }
            _ => false,
        }
    }

    /// Whether a value is another one and a multiple of a third one, without wrapping.
    fn is_exact_sum(&self, sum: ValueId, one: ValueId, (other, factor): (ValueId, i128)) -> bool {
        let exact = self.affine(one).plus(&self.affine(other), factor);
        exact.is_some_and(|exact| exact == self.affine(sum))
    }

    /// The affine form of an operation that does not wrap.
    fn sum(&self, kind: &OpKind) -> Option<Affine> {
        match kind {
            OpKind::Const(Const::Int(c)) => c.to_i128().map(Affine::constant),
            OpKind::Cast { arg } => Some(self.affine(*arg)),
            OpKind::Unary {
                op: UnaryOp::Neg,
                arg,
            } => Affine::default().plus(&self.affine(*arg), -1),
            OpKind::Binary { op, lhs, rhs } => {
                let (a, b) = (self.affine(*lhs), self.affine(*rhs));
                match (op, &a.terms[..], &b.terms[..]) {
                    (BinaryOp::Add, ..) => a.plus(&b, 1),
                    (BinaryOp::Sub, ..) => a.plus(&b, -1),
                    (BinaryOp::Mul, [], _) => Affine::default().plus(&b, a.constant),
                    (BinaryOp::Mul, _, []) => Affine::default().plus(&a, b.constant),
                    (BinaryOp::Shl, _, []) => {
                        let shift = u32::try_from(b.constant).ok()?;
                        Affine::default().plus(&a, 1i128.checked_shl(shift)?)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn base(&mut self, affine: &Affine) -> Base {
        self.known_base(affine).unwrap_or_else(|| {
            let next = self.bases.len() as u32;
            self.bases.insert(affine.terms.clone(), next);
            base_of_sum(next)
        })
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
        while let Some(OpKind::Cast { arg }) = self.definition(value)
            && self.affine(value) == self.affine(*arg)
        {
            value = *arg;
        }
        value
    }

    /// The integers that a value can be; `None` for floats, and where they are too large to tell.
    pub fn range(&self, value: ValueId) -> Option<Range> {
        self.get(value)?.range
    }

    /// A value as a sum of multiples of others, exactly; itself, if nothing better is known.
    pub fn affine(&self, value: ValueId) -> Affine {
        let known = self.get(value).and_then(|known| known.affine.clone());
        known.unwrap_or_else(|| Affine::value(value))
    }

    /// Least and greatest value of an affine form.
    pub fn range_of(&self, affine: &Affine) -> Option<Range> {
        let mut range = (affine.constant, affine.constant);
        for &(value, coefficient) in &affine.terms {
            let (low, high) = self.range(value)?;
            let (a, b) = (
                low.checked_mul(coefficient)?,
                high.checked_mul(coefficient)?,
            );
            range = (
                range.0.checked_add(a.min(b))?,
                range.1.checked_add(a.max(b))?,
            );
        }
        Some(range)
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

    /// The same, where sums that are written in different ways may come to the same.
    pub fn same_sums(&self, a: &[ValueId], b: &[ValueId]) -> bool {
        let is_same = |(&a, &b)| self.distance(a, b) == Some(0);
        a.iter().zip(b).all(is_same)
    }

    /// Whether two lists of subscripts certainly name different elements.
    pub fn distinct(&self, a: &[ValueId], b: &[ValueId], facts: &[Fact]) -> bool {
        // What is known without facts first.
        let distances = a.iter().zip(b).map(|(&a, &b)| self.distance(a, b));
        if distances.clone().any(|apart| apart.is_some_and(|k| k != 0)) {
            return true;
        }
        let open = a.iter().zip(b).zip(distances);
        let mut open = open.filter_map(|(pair, apart)| apart.is_none().then_some(pair));
        open.any(|(&a, &b)| {
            let below = |a, b| self.most(a, b, facts).is_some_and(|most| most < 0);
            let apart = || {
                let difference = self.affine(a).plus(&self.affine(b), -1);
                let range = difference.and_then(|d| self.range_of(&d));
                range.is_some_and(|(low, high)| low > 0 || high < 0)
            };
            below(a, b) || below(b, a) || apart()
        })
    }

    /// Whether two values differ even if each is that of an iteration of its own, of loops that leave `fixed` values as they are: one is
    /// always on the one side of such a value, and one on the other. With each, the facts that hold wherever it is computed.
    pub fn are_apart(
        &self,
        (a, of_a): (ValueId, &[Fact]),
        (b, of_b): (ValueId, &[Fact]),
        fixed: &[ValueId],
    ) -> bool {
        let is_below = |(low, of_low), (high, of_high), between| {
            let below = self.most(low, between, of_low);
            let above = self.most(between, high, of_high);
            let most = below
                .zip(above)
                .map(|(a, b): (i128, i128)| a.saturating_add(b));
            most.is_some_and(|most| most < 0)
        };
        let (a, b) = ((a, of_a), (b, of_b));
        let mut fixed = fixed.iter();
        fixed.any(|&between| is_below(a, b, between) || is_below(b, a, between))
    }

    /// The most that `a - b` can be, as far as facts say.
    fn most(&self, a: ValueId, b: ValueId, facts: &[Fact]) -> Option<i128> {
        let ((p, x), (q, y)) = (self.linear(a), self.linear(b));
        let bound = order::least(p, q, facts)?;
        Some(bound.saturating_add(x).saturating_sub(y))
    }

    /// `a - b`, where it is the same whenever both are computed.
    pub fn distance(&self, a: ValueId, b: ValueId) -> Option<i128> {
        let ((p, x), (q, y)) = (self.linear(a), self.linear(b));
        (p == q).then(|| x - y)
    }

    /// What may differ from one iteration of a loop to the next.
    pub fn varying(&self, f: &For) -> Varying {
        Varying::of(f, &|value| self.definition(value).is_some())
    }

    /// How a subscript changes with a loop; `None` if otherwise.
    pub fn subscript(&self, iv: ValueId, varying: &Varying, value: ValueId) -> Option<Subscript> {
        if let Some(constant) = self.distance(value, iv) {
            return Some(Subscript::Moving(1, Affine::constant(constant)));
        }
        let mut sum = self.affine(value);
        if let Some(at) = sum.terms.iter().position(|term| term.0 == iv) {
            let (_, coefficient) = sum.terms.remove(at);
            let is_fixed = sum.terms.iter().all(|term| varying.is_fixed(term.0));
            return is_fixed.then_some(Subscript::Moving(coefficient, sum));
        }
        varying.is_fixed(value).then_some(Subscript::Fixed(value))
    }

    /// Whether an index plus a constant is an index for certain.
    pub fn can_move(&self, value: ValueId, by: i128) -> bool {
        let moved = |(low, high): Range| Some((low.checked_add(by)?, high.checked_add(by)?));
        let moved = self.range(value).and_then(moved);
        moved.is_some_and(|range| ranges::fits(range, Scalar::Index))
    }

    /// `value = base + constant`, exactly.
    fn linear(&self, value: ValueId) -> (Base, i128) {
        let known = self.get(value);
        known.map_or_else(
            || (base_of_value(value), 0),
            |known| {
                let constant = known.affine.as_ref().map_or(0, |affine| affine.constant);
                (known.base, constant)
            },
        )
    }

    // Facts -----------------------------------------------------------------------------------------

    /// What is known inside a loop.
    pub fn of_loop(&self, f: &For) -> Vec<Fact> {
        let step = self.constant(f.step);
        // Values lie in [first, end) going up, in (end, first] going down.
        match (f.descending, step) {
            (false, _) => {
                let bounds = [self.less(f.iv, f.hi, 1), self.less(f.lo, f.iv, 0)];
                let more = [self.of_rounds(f), self.of_start(f)];
                bounds
                    .into_iter()
                    .chain(more.into_iter().flatten())
                    .collect()
            }
            (true, Some(step)) if step.is_negative() => {
                vec![self.less(f.hi, f.iv, 1), self.less(f.iv, f.lo, 0)]
            }
            _ => Vec::new(),
        }
    }

    /// What is known in a loop of rounds, each of which is `by` iterations of a loop from `first` to `end` in steps of `step`:
    /// the last one of round `k` is not beyond the end, `first + step * (by * k + by - 1) < end`.
    fn of_rounds(&self, f: &For) -> Option<Fact> {
        let counts = self.constant(f.step) == Some(&BigInt::from(1));
        let (count, by) = self.divided(f.hi).filter(|_| counts)?;
        // There are rounds, and so what is divided is not 0, which it may be elsewhere.
        let count = match self.definition(count) {
            Some(OpKind::Select {
                on_true, on_false, ..
            }) if self.constant(*on_false).is_some_and(BigInt::is_zero) => *on_true,
            _ => count,
        };
        // Whole steps, the last of which may be a part of one.
        let (distance, step) = match self.divided(count) {
            Some((sum, step)) => (self.without(sum, step - 1)?, step),
            None => (count, 1),
        };
        let Some(OpKind::Binary {
            op: BinaryOp::Sub,
            lhs: end,
            rhs: first,
        }) = self.definition(distance)
        else {
            return None;
        };
        if !self.is_exact_sum(distance, *end, (*first, -1)) {
            return None;
        }
        let (mut end, first) = (self.affine(*end), self.affine(*first));
        let rounds = Affine {
            terms: vec![(f.iv, step.checked_mul(by)?)],
            constant: 0,
        };
        let mut above = rounds.plus(&first, 1)?;
        let ahead = step.checked_mul(by - 1)?.checked_add(1)?;
        let bound = end.constant.checked_sub(above.constant)?;
        (above.constant, end.constant) = (0, 0);
        Some(Fact {
            above: self.known_base(&above)?,
            below: self.known_base(&end)?,
            bound: bound.checked_sub(ahead)?,
        })
    }

    /// What is known of a counter that starts at a sum of which some terms are not negative: it is no less than the others.
    fn of_start(&self, f: &For) -> Option<Fact> {
        let lo = self.affine(f.lo);
        let may_be_negative = |&(value, factor): &(ValueId, i128)| {
            let range = self.range(value);
            !range.is_some_and(|(low, high)| if factor > 0 { low >= 0 } else { high <= 0 })
        };
        let terms: Vec<_> = lo.terms.iter().copied().filter(may_be_negative).collect();
        let is_less = terms.len() < lo.terms.len();
        let others = Affine { terms, constant: 0 };
        let fact = |above| Fact {
            above,
            below: base_of_value(f.iv),
            bound: lo.constant.saturating_neg(),
        };
        self.known_base(&others).filter(|_| is_less).map(fact)
    }

    /// What is divided by which positive constant, rounded down.
    fn divided(&self, value: ValueId) -> Option<(ValueId, i128)> {
        let Some(OpKind::Binary {
            op: BinaryOp::FloorDiv,
            lhs,
            rhs,
        }) = self.definition(value)
        else {
            return None;
        };
        let by = self.constant(*rhs)?.to_i128().filter(|by| *by > 0)?;
        Some((*lhs, by))
    }

    /// What a constant was added to, without wrapping.
    fn without(&self, sum: ValueId, constant: i128) -> Option<ValueId> {
        match self.definition(sum) {
            Some(OpKind::Binary {
                op: BinaryOp::Add,
                lhs,
                rhs,
            }) if self.constant(*rhs) == Some(&BigInt::from(constant)) => {
                self.is_exact_sum(sum, *lhs, (*rhs, 1)).then_some(*lhs)
            }
            _ => None,
        }
    }

    /// The number of a sum without its constant, if a value has such a sum.
    fn known_base(&self, affine: &Affine) -> Option<Base> {
        match affine.terms[..] {
            [] => Some(None),
            [(value, 1)] => Some(base_of_value(value)),
            _ => self.bases.get(&affine.terms).copied().map(base_of_sum),
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

/// The number of a sum that is one value: even, so that it is that of no other sum.
fn base_of_value(value: ValueId) -> Base {
    Some(2 * value.index() as u32)
}

/// That of a sum of several: odd.
fn base_of_sum(number: u32) -> Base {
    Some(2 * number + 1)
}

fn is_integer(ty: Scalar) -> bool {
    matches!(ty, Scalar::Int { .. } | Scalar::Index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::FileId;
    use crate::ir::read::read;

    /// The range of what a kernel yields last, of its two parameters.
    fn range(params: &str, body: &str) -> Option<Range> {
        let text = format!("top kernel @f({params}) {{\n{body}\n}}");
        let program = read(FileId::default(), &text).expect("a kernel");
        let kernel = &program.kernels[program.top];
        let last = kernel.body.ops.last().expect("an operation");
        Values::of(kernel).range(last.results[0])
    }

    /// A difference that wraps may be anything, whichever of the two is less.
    #[test]
    fn a_guarded_distance_is_positive_unless_it_wraps() {
        let body = |wide: &str, ty: &str| {
            format!(
                "%0: {ty} = const 0\n{wide}\n%1: u1 = cmp lt %a, %b : {ty}\n%2: {ty} = sub %b, %a\n%3: {ty} = select %1, %2, %0"
            )
        };
        let wraps = range("%a: i8, %b: i8", &body("", "i8"));
        assert_eq!(wraps, Some((-128, 127)));
        let wide = "%a: i16 = cast %x : i8\n%b: i16 = cast %y : i8";
        let exact = range("%x: i8, %y: i8", &body(wide, "i16"));
        assert_eq!(exact, Some((0, 255)));
    }
}
