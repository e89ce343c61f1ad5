//! Smart constructors: a graph is built (or rebuilt) with constants folded, common subexpressions
//! shared, and every value in the narrowest type that its range allows.
//!
//! A node stands for an exact integer. A cast that cannot change the integer is therefore no operation
//! at all: the node itself is used, whatever its width. Operations whose meaning depends on the width
//! of an operand (concatenation, complement, left shift, extraction) widen it again where needed.

use super::eval::eval_op;
use super::graph::{Graph, NodeId, Op, Predicate};
use super::interval::{self, Interval};
use super::known::{self, Known};
use super::table::Table;
use super::types::HwType;
use crate::diagnostics::Span;
use crate::hash::FastMap;
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Builds what stands in for an [`Op::Iterate`], given its step, number of steps, arguments and type.
pub(crate) type Iterate<'f> =
    dyn FnMut(&mut Builder, &Graph, u32, Vec<NodeId>, HwType) -> NodeId + 'f;

/// A graph under construction, with the range of every node.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    /// The graph so far.
    pub graph: Graph,
    ranges: Vec<Interval>,
    bits: Vec<Known>,
    known: FastMap<(Op, Vec<NodeId>, HwType), NodeId>,
    /// Bits that are the sign of a difference: the difference, and one with the same value where the bit is 0.
    borrows: FastMap<NodeId, (NodeId, NodeId)>,
}

impl Builder {
    /// An empty graph.
    pub fn new() -> Builder {
        Builder::default()
    }
    /// Range of a node.
    pub fn range(&self, id: NodeId) -> &Interval {
        &self.ranges[id.index()]
    }
    /// Type of a node.
    pub fn ty(&self, id: NodeId) -> HwType {
        self.graph.ty(id)
    }
    /// Sets the origin of the nodes that follow.
    pub fn at(&mut self, span: Option<Span>) {
        self.graph.span = span;
    }

    /// A node that is neither shared nor simplified (inputs, variables, phis, memory accesses, calls).
    pub fn opaque(&mut self, op: Op, args: Vec<NodeId>, ty: HwType) -> NodeId {
        let id = self.graph.push(op, args, ty);
        let range = Interval::of_type(ty);
        self.bits.push(Known::of_range(&range));
        self.ranges.push(range);
        id
    }

    /// A call of an operator module; calls are pure, so equal ones are shared.
    pub fn call(&mut self, unit: Op, args: Vec<NodeId>, ty: HwType) -> NodeId {
        self.shared(unit, args, ty)
    }
    /// Sets the second operand of a phi.
    pub fn set_next(&mut self, phi: NodeId, next: NodeId) {
        self.graph.nodes[phi].args[1] = next;
    }
    /// States a range that the caller knows; it must lie within the node's type.
    pub fn assume(&mut self, id: NodeId, range: Interval) {
        debug_assert!(range.fits(self.ty(id)));
        let bits = &mut self.bits[id.index()];
        *bits = std::mem::take(bits).and(&Known::of_range(&range));
        self.ranges[id.index()] = range;
    }
    /// Range and known bits of an operation, each made tighter by the other.
    fn facts(&self, op: &Op, args: &[NodeId], ty: HwType) -> (Interval, Known) {
        let ranges: Vec<&Interval> = args.iter().map(|&a| self.range(a)).collect();
        let bits: Vec<(&Known, HwType)> = args
            .iter()
            .map(|&a| (&self.bits[a.index()], self.ty(a)))
            .collect();
        let range = interval::result(op, &ranges, ty);
        let bits = known::result(op, &bits, ty).and(&Known::of_range(&range));
        let range = match bits.range() {
            Some(tighter) => range.intersect(tighter),
            None => range,
        };
        (range, bits)
    }
    /// The nodes of a pure graph over given inputs; returns its outputs.
    pub fn inline(&mut self, graph: &Graph, inputs: &[NodeId]) -> Vec<NodeId> {
        self.inline_with(graph, inputs, &mut |builder, step, count, args, ty| {
            let step = builder.graph.add_step(rebuild(step));
            builder.opaque(Op::Iterate { step, count }, args, ty)
        })
    }

    /// As [`Builder::inline`]; `iterate` builds what stands in for each [`Op::Iterate`].
    pub(crate) fn inline_with(
        &mut self,
        graph: &Graph,
        inputs: &[NodeId],
        iterate: &mut Iterate,
    ) -> Vec<NodeId> {
        let mut map: Vec<NodeId> = Vec::with_capacity(graph.nodes.len());
        for (_, node) in graph.nodes.iter() {
            let args: Vec<NodeId> = node.args.iter().map(|a| map[a.index()]).collect();
            let types: Vec<HwType> = node.args.iter().map(|&a| graph.ty(a)).collect();
            map.push(match node.op {
                Op::Input(i) => inputs[i as usize],
                Op::Iterate { step, count } => {
                    iterate(self, &graph.steps[step as usize], count, args, node.ty)
                }
                _ => self.replay(&node.op, &args, &types, node.ty),
            });
            if let Some(name) = &node.name {
                self.keep_name(map[map.len() - 1], name);
            }
        }
        graph.outputs.iter().map(|o| map[o.index()]).collect()
    }

    /// Names a node that has no name and is an operation.
    pub fn keep_name(&mut self, id: NodeId, name: &str) {
        let node = &self.graph.nodes[id];
        if node.name.is_none() && !matches!(node.op, Op::Const(_) | Op::Input(_)) {
            self.graph.name(id, name);
        }
    }

    /// Inputs like those of a graph.
    pub(crate) fn inputs(&mut self, graph: &Graph) -> Vec<NodeId> {
        (0..)
            .zip(graph.input_types())
            .map(|(i, ty)| self.opaque(Op::Input(i), vec![], ty))
            .collect()
    }

    /// The graph with its outputs.
    pub(crate) fn finish(self, outputs: Vec<NodeId>) -> Graph {
        Graph {
            outputs,
            ..self.graph
        }
    }

    fn shared(&mut self, op: Op, args: Vec<NodeId>, ty: HwType) -> NodeId {
        let key = (op, args, ty);
        match self.known.get(&key) {
            Some(&id) => id,
            None => {
                let facts = self.facts(&key.0, &key.1, ty);
                self.add_shared(key, facts)
            }
        }
    }

    /// A node that there is not yet.
    fn add_shared(&mut self, key: (Op, Vec<NodeId>, HwType), facts: (Interval, Known)) -> NodeId {
        let (op, args, ty) = key.clone();
        let id = self.graph.push(op, args, ty);
        self.ranges.push(facts.0);
        self.bits.push(facts.1);
        self.known.insert(key, id);
        id
    }

    /// A shared node, folded if its range is one value, narrowed to its range.
    fn emit(&mut self, op: Op, args: Vec<NodeId>, ty: HwType) -> NodeId {
        let key = (op, args, ty);
        let id = match self.known.get(&key) {
            Some(&id) => id,
            None => {
                let facts = self.facts(&key.0, &key.1, ty);
                if let Some(value) = facts.0.as_point() {
                    return self.constant(value.clone());
                }
                if let Some(value) = self.fold(&key.0, &key.1, ty) {
                    return self.constant(value);
                }
                self.add_shared(key, facts)
            }
        };
        let narrow = self.range(id).ty();
        match narrow.width < ty.width {
            true => self.shared(Op::Cast, vec![id], narrow),
            false => id,
        }
    }

    fn infer(&mut self, op: Op, args: Vec<NodeId>) -> NodeId {
        let types: Vec<HwType> = args.iter().map(|&a| self.ty(a)).collect();
        let ty = super::graph::infer_type(&op, &types).expect("operation has an inferred type");
        self.emit(op, args, ty)
    }

    /// The result if every operand has one value only: a constant, or a widened one.
    fn fold(&self, op: &Op, args: &[NodeId], ty: HwType) -> Option<BigInt> {
        let values: Option<Vec<(&BigInt, HwType)>> = args
            .iter()
            .map(|&a| self.range(a).as_point().map(|v| (v, self.ty(a))))
            .collect();
        eval_op(op, &values?, ty)
    }

    /// The word at an address, of which the low bits count.
    pub fn table(&mut self, table: Table, address: NodeId) -> NodeId {
        let address = self.cast(address, table.address());
        let address = self.widen(address, table.address());
        self.infer(Op::Table(Arc::new(table)), vec![address])
    }

    /// A constant.
    pub fn constant(&mut self, value: impl Into<BigInt>) -> NodeId {
        let value = value.into();
        let ty = HwType::of_range(&value, &value);
        self.shared(Op::Const(value), vec![], ty)
    }
    /// The constant that a node is, if it is one.
    pub fn as_const(&self, id: NodeId) -> Option<&BigInt> {
        self.graph.as_const(id)
    }
    fn is(&self, id: NodeId, value: i32) -> bool {
        self.as_const(id).is_some_and(|v| *v == BigInt::from(value))
    }

    /// Exact sum.
    pub fn add(&mut self, a: NodeId, b: NodeId) -> NodeId {
        if self.is(a, 0) {
            return b;
        }
        if self.is(b, 0) {
            return a;
        }
        if let Some(joined) = self.join(a, b).or_else(|| self.join(b, a)) {
            return joined;
        }
        self.infer(Op::Add, vec![a, b])
    }
    /// `high + low` without an adder, where `low` only fills the zeros below a number shifted left.
    fn join(&mut self, high: NodeId, low: NodeId) -> Option<NodeId> {
        let ty = self.ty(high);
        let range = self.range(low).clone();
        let room = match &self.graph.nodes[self.origin(high)] {
            node if node.op == Op::Concat => *node.args.last()?,
            _ => return None,
        };
        let width = self.graph.width(room);
        let is_zero = self.range(room).as_point().is_some_and(Zero::is_zero);
        if !is_zero
            || !range.fits(HwType::ui(width))
            || self.graph.width(self.origin(high)) != ty.width
        {
            return None;
        }
        let mut args = self.graph.nodes[self.origin(high)].args.clone();
        let sum = Interval::new(
            &self.range(high).lo + &range.lo,
            &self.range(high).hi + &range.hi,
        );
        *args.last_mut()? = self.widen(low, HwType::ui(width));
        let joined = self.shared(Op::Concat, args, HwType::ui(ty.width));
        let id = self.widen(joined, ty);
        self.ranges[id.index()] = sum;
        Some(id)
    }
    /// What a cast that keeps the width reads, or the node itself.
    fn origin(&self, id: NodeId) -> NodeId {
        let node = &self.graph.nodes[id];
        match node.op {
            Op::Cast if self.graph.width(node.args[0]) == node.ty.width => node.args[0],
            _ => id,
        }
    }
    /// Exact sum of any number of terms, as a balanced tree.
    pub fn sum(&mut self, terms: &[NodeId]) -> NodeId {
        match terms {
            [] => self.constant(0),
            [only] => *only,
            _ => {
                let (low, high) = terms.split_at(terms.len() / 2);
                let (low, high) = (self.sum(low), self.sum(high));
                self.add(low, high)
            }
        }
    }
    /// Exact difference.
    pub fn sub(&mut self, a: NodeId, b: NodeId) -> NodeId {
        if self.is(b, 0) {
            return a;
        }
        if a == b {
            return self.constant(0);
        }
        self.infer(Op::Sub, vec![a, b])
    }
    /// Exact product. A constant factor of at most two nonzero signed digits becomes a sum of shifted terms.
    pub fn mul(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let (a, b) = if self.as_const(a).is_some() {
            (b, a)
        } else {
            (a, b)
        };
        match self.as_const(b).cloned() {
            Some(factor) => self.mul_const(a, &factor),
            None => self.infer(Op::Mul, vec![a, b]),
        }
    }
    /// Truncated quotient, in which `types` are the operands' types as far as a zero divisor is concerned.
    fn divide(&mut self, op: Op, args: &[NodeId], types: &[HwType]) -> NodeId {
        // What a zero divisor gives depends on the type of the result.
        let may_be_zero = self.range(args[1]).contains_zero();
        let args = args.iter().zip(types);
        let args: Vec<NodeId> = args
            .map(|(&a, &ty)| if may_be_zero { self.widen(a, ty) } else { a })
            .collect();
        if !may_be_zero && self.is(args[1], 1) && op == Op::Div {
            return args[0];
        }
        self.infer(op, args)
    }
    fn mul_const(&mut self, a: NodeId, factor: &BigInt) -> NodeId {
        if factor.is_zero() {
            return self.constant(0);
        }
        let digits = signed_digits(factor);
        if digits.len() > MAX_DIGITS || self.as_const(a).is_some() {
            let b = self.constant(factor.clone());
            return self.infer(Op::Mul, vec![a, b]);
        }
        let mut sum: Option<NodeId> = None;
        // The highest digit first keeps partial sums of the factor's sign.
        for &(shift, negative) in digits.iter().rev() {
            let term = self.shift_left_exact(a, shift);
            sum = Some(match (sum, negative) {
                (None, false) => term,
                (None, true) => {
                    let zero = self.constant(0);
                    self.sub(zero, term)
                }
                (Some(s), false) => self.add(s, term),
                (Some(s), true) => self.sub(s, term),
            });
        }
        sum.unwrap_or(a)
    }
    /// `a * 2^shift`, exact: zeros concatenated below.
    pub fn shift_left_exact(&mut self, a: NodeId, shift: u32) -> NodeId {
        if shift == 0 {
            return a;
        }
        if let Some(value) = self.as_const(a) {
            let value = value << shift;
            return self.constant(value);
        }
        let ty = self.ty(a);
        let range = self.range(a).clone();
        let zeros = self.opaque_zero(shift);
        let joined = self.shared(Op::Concat, vec![a, zeros], HwType::ui(ty.width + shift));
        let exact = Interval::new(&range.lo << shift, &range.hi << shift);
        let target = HwType {
            signed: ty.signed,
            width: ty.width + shift,
        };
        let id = if ty.signed {
            self.shared(Op::Cast, vec![joined], target)
        } else {
            joined
        };
        self.ranges[id.index()] = exact;
        id
    }
    /// `width` zero bits as a node of exactly that width.
    fn opaque_zero(&mut self, width: u32) -> NodeId {
        let zero = self.constant(0);
        if width == 1 {
            zero
        } else {
            self.shared(Op::Cast, vec![zero], HwType::ui(width))
        }
    }

    /// Comparison; `ui1`.
    pub fn icmp(&mut self, predicate: Predicate, a: NodeId, b: NodeId) -> NodeId {
        if a == b {
            return self.constant(u8::from(predicate.holds(std::cmp::Ordering::Equal)));
        }
        // A bit compared with 0 or 1 is the bit or its complement.
        if self.ty(a) == HwType::ui(1) {
            let truth = match predicate {
                Predicate::Eq => Some((1, 0)),
                Predicate::Ne => Some((0, 1)),
                _ => None,
            };
            if let Some((same, inverse)) = truth {
                if self.is(b, same) {
                    return a;
                }
                if self.is(b, inverse) {
                    return self.not1(a);
                }
            }
        }
        self.infer(Op::Icmp(predicate), vec![a, b])
    }
    /// The value with its low bits read as `ty`; no operation if that changes nothing.
    pub fn cast(&mut self, a: NodeId, ty: HwType) -> NodeId {
        if self.range(a).fits(ty) {
            return a;
        }
        // A truncation of an extension or of another truncation starts from the origin.
        if self.graph.nodes[a].op == Op::Cast {
            let inner = self.graph.nodes[a].args[0];
            if self.ty(a).width >= ty.width {
                return self.cast(inner, ty);
            }
        }
        if let Some(low) = self.extract_parts(a, 0, ty.width) {
            return self.cast(low, ty);
        }
        self.emit(Op::Cast, vec![a], ty)
    }
    /// The same value in a node of exactly type `ty`, which must hold it.
    pub fn widen(&mut self, a: NodeId, ty: HwType) -> NodeId {
        if self.ty(a) == ty {
            return a;
        }
        let range = self.range(a).clone();
        let id = self.shared(Op::Cast, vec![a], ty);
        if range.fits(ty) {
            self.ranges[id.index()] = range;
        }
        id
    }
    /// The value in the narrowest type of its range, for operands that must be a bit or unsigned: a node
    /// whose range is assumed may have a wider type.
    pub fn narrowed(&mut self, a: NodeId) -> NodeId {
        let ty = self.range(a).ty();
        self.widen(a, ty)
    }
    /// Bitwise and.
    pub fn and(&mut self, a: NodeId, b: NodeId) -> NodeId {
        if self.is(a, 0) || self.is(b, 0) {
            return self.constant(0);
        }
        for (x, y) in [(a, b), (b, a)] {
            // A mask with ones wherever the value may have some.
            if x == y || self.bits[y.index()].is_within(&self.bits[x.index()]) {
                return y;
            }
        }
        self.infer(Op::And, vec![a, b])
    }
    /// Bitwise or.
    pub fn or(&mut self, a: NodeId, b: NodeId) -> NodeId {
        if self.is(a, 0) || a == b {
            return b;
        }
        if self.is(b, 0) {
            return a;
        }
        if self.is(a, -1) || self.is(b, -1) {
            return self.constant(-1);
        }
        if self.ty(a) == HwType::ui(1)
            && self.ty(b) == HwType::ui(1)
            && (self.is(a, 1) || self.is(b, 1))
        {
            return self.constant(1);
        }
        self.infer(Op::Or, vec![a, b])
    }
    /// Bitwise exclusive or.
    pub fn xor(&mut self, a: NodeId, b: NodeId) -> NodeId {
        if self.is(a, 0) {
            return b;
        }
        if self.is(b, 0) {
            return a;
        }
        if a == b {
            return self.constant(0);
        }
        self.infer(Op::Xor, vec![a, b])
    }
    /// Complement of a bit.
    pub fn not1(&mut self, a: NodeId) -> NodeId {
        let a = self.narrowed(a);
        debug_assert_eq!(self.ty(a), HwType::ui(1));
        if self.graph.nodes[a].op == Op::Not {
            return self.graph.nodes[a].args[0];
        }
        self.infer(Op::Not, vec![a])
    }
    /// `cond ? a : b`; `cond` is `ui1`.
    pub fn mux(&mut self, cond: NodeId, a: NodeId, b: NodeId) -> NodeId {
        if a == b || self.is(cond, 1) {
            return a;
        }
        if self.is(cond, 0) {
            return b;
        }
        if self.is(a, 1) && self.is(b, 0) {
            return cond;
        }
        if self.is(a, 0) && self.is(b, 1) {
            return self.not1(cond);
        }
        if self.graph.nodes[cond].op == Op::Not {
            let inner = self.graph.nodes[cond].args[0];
            return self.mux(inner, b, a);
        }
        let cond = self.narrowed(cond);
        let bits = self.ty(a) == HwType::ui(1) && self.ty(b) == HwType::ui(1);
        if bits && self.is(b, 0) {
            return self.and(cond, a);
        }
        if bits && self.is(a, 1) {
            return self.or(cond, b);
        }
        let b = self.unborrowed(cond, b);
        self.infer(Op::Mux, vec![cond, a, b])
    }
    /// Left shift within `ty`, by an unsigned amount; an amount of the width or more gives 0.
    pub fn shl(&mut self, value: NodeId, amount: NodeId, ty: HwType) -> NodeId {
        if let Some(n) = self.as_const(amount) {
            return match n.to_u32().filter(|&n| n < ty.width) {
                Some(n) => {
                    let exact = self.shift_left_exact(value, n);
                    self.cast(exact, ty)
                }
                None => self.constant(0),
            };
        }
        let value = self.widen(value, ty);
        let amount = self.narrowed(amount);
        self.infer(Op::Shl, vec![value, amount])
    }
    /// Right shift by an unsigned amount, arithmetic if the value can be negative.
    pub fn shr(&mut self, value: NodeId, amount: NodeId) -> NodeId {
        match self.as_const(amount).map(|n| n.to_u32()) {
            Some(Some(0)) => value,
            Some(Some(n)) if n < self.ty(value).width => {
                let ty = self.ty(value);
                let top = self.extract_raw(value, n, ty.width - n);
                self.cast(
                    top,
                    HwType {
                        signed: ty.signed,
                        width: ty.width - n,
                    },
                )
            }
            _ => {
                let amount = self.narrowed(amount);
                self.infer(Op::Shr, vec![value, amount])
            }
        }
    }
    /// `width` bits from bit `lo` of the two's complement of the value, as an unsigned number.
    pub fn extract(&mut self, value: NodeId, lo: u32, width: u32) -> NodeId {
        let ty = self.ty(value);
        if lo == 0 {
            return self.cast(value, HwType::ui(width));
        }
        if ty.signed && width == 1 && lo >= ty.width - 1 {
            return match self.graph.nodes[value].op {
                Op::Sub => self.borrow(value),
                _ => self.extract_raw(value, ty.width - 1, 1),
            };
        }
        if lo + width <= ty.width {
            return self.extract_raw(value, lo, width);
        }
        if ty.signed {
            let wide = self.widen(value, HwType::si(lo + width));
            return self.extract_raw(wide, lo, width);
        }
        if lo >= ty.width {
            return self.constant(0);
        }
        self.extract_raw(value, lo, ty.width - lo)
    }
    /// The same value as `value` where `sign` is 0, if that is the sign of the difference that `value` is.
    fn unborrowed(&mut self, sign: NodeId, value: NodeId) -> NodeId {
        let Some(&(difference, positive)) = self.borrows.get(&sign) else {
            return value;
        };
        let most = self.range(positive).hi.clone().max(BigInt::zero());
        let node = &self.graph.nodes[value];
        let cast = node.op == Op::Cast && node.args[0] == difference && node.ty.contains(&most);
        if value != difference && !cast {
            return value;
        }
        self.cast(positive, HwType::of_range(&BigInt::zero(), &most))
    }
    /// The sign of a signed difference. What a number is less than without looking at its higher bits is subtracted without them:
    /// any of them alone makes the difference negative.
    fn borrow(&mut self, difference: NodeId) -> NodeId {
        let sign = |b: &mut Builder, value| b.extract_raw(value, b.ty(value).width - 1, 1);
        let [a, b] = self.graph.nodes[difference].args[..] else {
            return sign(self, difference);
        };
        let (width, other) = (self.range(a).ty().width, self.range(b).ty().width);
        let natural = !self.range(a).lo.is_negative() && !self.range(b).lo.is_negative();
        if !natural || other <= width || self.as_const(a).is_some() {
            let bit = sign(self, difference);
            self.borrows.insert(bit, (difference, difference));
            return bit;
        }
        let low = self.extract(b, 0, width);
        let short = self.sub(a, low);
        if self.graph.nodes[short].op != Op::Sub || !self.ty(short).signed {
            return sign(self, difference);
        }
        let high = self.extract(b, width, other - width);
        let zero = self.constant(0);
        let large = self.icmp(Predicate::Ne, high, zero);
        let bit = sign(self, short);
        let less = self.or(large, bit);
        if self.as_const(less).is_none() {
            self.borrows.insert(less, (difference, short));
        }
        less
    }
    fn extract_raw(&mut self, value: NodeId, lo: u32, width: u32) -> NodeId {
        if let Op::Extract { lo: inner } = self.graph.nodes[value].op {
            let origin = self.graph.nodes[value].args[0];
            return self.extract_raw(origin, inner + lo, width);
        }
        if let Some(bits) = self.extract_parts(value, lo, width) {
            return bits;
        }
        self.emit(Op::Extract { lo }, vec![value], HwType::ui(width))
    }
    /// A number within `range` that an operator module gives in `width` bits of its result, from bit `lo` up.
    pub fn field(&mut self, result: NodeId, lo: u32, width: u32, range: Interval) -> NodeId {
        let bits = self.shared(Op::Extract { lo }, vec![result], HwType::ui(width));
        let value = self.widen(bits, range.ty());
        self.assume(value, range);
        value
    }
    /// Bits of a concatenation, taken from its parts; `None` if it is none or every part is needed.
    fn extract_parts(&mut self, value: NodeId, lo: u32, width: u32) -> Option<NodeId> {
        if self.graph.nodes[value].op != Op::Concat {
            return None;
        }
        let mut pieces = Vec::new();
        let mut base = self.ty(value).width;
        let args = self.graph.nodes[value].args.clone();
        for &part in &args {
            let top = base;
            base -= self.ty(part).width;
            let (from, to) = (lo.max(base), (lo + width).min(top));
            if from < to {
                pieces.push((part, from - base, to - from));
            }
        }
        if pieces.len() == args.len() && args.len() > 1 {
            return None;
        }
        let parts: Vec<(NodeId, u32)> = pieces
            .into_iter()
            .map(|(part, lo, width)| (self.extract(part, lo, width), width))
            .collect();
        let bits = self.concat(&parts);
        let known = self.range(bits).as_point().cloned();
        Some(known.map_or(bits, |value| self.constant(value)))
    }
    /// Parts from the top down, each taken as that many bits of two's complement.
    pub fn concat(&mut self, parts: &[(NodeId, u32)]) -> NodeId {
        let mut args = Vec::with_capacity(parts.len());
        for (i, &(part, width)) in parts.iter().enumerate() {
            let bits = self.cast(part, HwType::ui(width));
            let first = i == 0;
            if first && self.is(bits, 0) && parts.len() > 1 {
                return self.concat(&parts[1..]);
            }
            args.push(if first {
                bits
            } else {
                self.widen(bits, HwType::ui(width))
            });
        }
        if let [only] = args[..] {
            return only;
        }
        self.infer(Op::Concat, args)
    }

    /// Adds the operation of a node of another graph over already rebuilt operands; `arg_types` are the
    /// types that the operands had there.
    pub fn replay(&mut self, op: &Op, args: &[NodeId], arg_types: &[HwType], ty: HwType) -> NodeId {
        match (op, args) {
            (Op::Const(value), _) => self.constant(value.clone()),
            (Op::Add, terms) => self.sum(terms),
            (Op::Sub, [a, b]) => self.sub(*a, *b),
            (Op::Mul, [a, b]) => self.mul(*a, *b),
            (Op::Div | Op::Mod, [_, _]) => self.divide(op.clone(), args, arg_types),
            (Op::Icmp(p), [a, b]) => self.icmp(*p, *a, *b),
            (Op::Cast, [a]) => self.cast(*a, ty),
            (Op::And, [a, b]) => self.and(*a, *b),
            (Op::Or, [a, b]) => self.or(*a, *b),
            (Op::Xor, [a, b]) => self.xor(*a, *b),
            (Op::Not, [a]) if ty == HwType::ui(1) => self.not1(*a),
            (Op::Not, [a]) => {
                let ones = if ty.signed {
                    BigInt::from(-1)
                } else {
                    ty.max()
                };
                let ones = self.constant(ones);
                self.xor(*a, ones)
            }
            (Op::Mux, [c, a, b]) => self.mux(*c, *a, *b),
            (Op::Shl, [a, n]) => self.shl(*a, *n, ty),
            (Op::Shr, [a, n]) => self.shr(*a, *n),
            (Op::Extract { lo }, [a]) => self.extract(*a, *lo, ty.width),
            (Op::Concat, parts) => {
                let parts: Vec<(NodeId, u32)> = parts
                    .iter()
                    .zip(arg_types)
                    .map(|(&p, t)| (p, t.width))
                    .collect();
                self.concat(&parts)
            }
            (Op::Table(table), [address]) => {
                let address = self.widen(*address, table.address());
                self.emit(op.clone(), vec![address], ty)
            }
            _ => self.opaque(op.clone(), args.to_vec(), ty),
        }
    }
}

/// Nonzero signed digits of a constant by which a product is one sum at most, which no device has a better block for.
/// Beyond, [`super::split`] decides by the device's costs.
const MAX_DIGITS: usize = 2;

/// Canonical signed-digit form (Avizienis 1961; Muller, Elementary Functions, 2.2): (weight, negative) of
/// each nonzero digit, lowest first; no two are adjacent.
pub fn signed_digits(value: &BigInt) -> Vec<(u32, bool)> {
    let mut rest = value.abs();
    let flip = value.is_negative();
    let mut digits = Vec::new();
    let mut weight = 0;
    while !rest.is_zero() {
        if rest.bit(0) {
            let minus = rest.bit(1);
            digits.push((weight, minus != flip));
            if minus {
                rest += 1;
            } else {
                rest -= 1;
            }
        }
        rest >>= 1;
        weight += 1;
    }
    digits
}

/// The nodes of a graph once more, with what `change` builds for some of them in their place; where each is now. `widths`:
/// low bits of each that are read; `ranges`: what is known of some.
///
/// `change` finds the nodes before its own where the list says that they are now.
pub fn replayed(
    graph: &Graph,
    widths: &[u32],
    ranges: &BTreeMap<NodeId, &Interval>,
    mut change: impl FnMut(&mut Builder, NodeId, &[NodeId]) -> Option<NodeId>,
) -> (Builder, Vec<NodeId>) {
    let mut builder = Builder::new();
    builder.graph.steps = graph.steps.clone();
    let mut map: Vec<NodeId> = Vec::with_capacity(graph.nodes.len());
    let mut phis = Vec::new();
    for (id, node) in graph.nodes.iter() {
        builder.at(node.span);
        let demand = widths[id.index()];
        let new = if node.op == Op::Phi {
            let init = map[node.args[0].index()];
            let phi = builder.opaque(Op::Phi, vec![init, init], node.ty);
            phis.push((phi, node.args[1]));
            phi
        } else if let Some(changed) = change(&mut builder, id, &map) {
            changed
        } else {
            let args: Vec<NodeId> = node.args.iter().map(|a| map[a.index()]).collect();
            let types: Vec<HwType> = node.args.iter().map(|&a| graph.ty(a)).collect();
            match node.op {
                // Operands keep their exact types where hardware outside of the graph reads them.
                Op::Store(_) => {
                    let enable = builder.widen(args[2], HwType::ui(1));
                    builder.opaque(node.op.clone(), vec![args[0], args[1], enable], node.ty)
                }
                _ => builder.replay(&node.op, &args, &types, node.ty),
            }
        };
        // The parts may know less of the number's range than the whole did, and a node of which every bit is read stands
        // for its number, sign included.
        let new = match demand > 0 && demand == node.ty.width {
            true => builder.cast(new, node.ty),
            false => new,
        };
        if let Some(&range) = ranges.get(&id) {
            builder.assume(new, range.clone());
        }
        if let Some(name) = &node.name {
            builder.graph.name(new, name);
        }
        map.push(new);
    }
    for (phi, next) in phis {
        builder.set_next(phi, map[next.index()]);
    }
    (builder, map)
}

/// Rebuilds a pure graph (an operator module) with everything narrowed, folded and shared.
pub fn rebuild(graph: &Graph) -> Graph {
    let mut builder = Builder::new();
    let inputs = builder.inputs(graph);
    let outputs = builder.inline(graph, &inputs);
    builder.finish(outputs)
}

#[cfg(test)]
mod tests {
    use super::super::eval::{eval, eval_nodes};
    use super::super::testing::*;
    use super::*;

    const SMALL: Shape = Shape {
        input_width: 4,
        inputs: 2,
        operations: 12,
        max_width: 24,
        arithmetic: false,
    };
    const WIDE: Shape = Shape {
        input_width: 300,
        inputs: 3,
        operations: 16,
        max_width: 700,
        arithmetic: false,
    };

    fn rebuilt_is_the_same(seed: u64, shape: &Shape, limit: usize) {
        let mut random = Random::new(seed);
        let graph = random_graph(&mut random, shape);
        let new = rebuild(&graph);
        new.validate().expect("valid");
        for inputs in input_vectors(&mut random, &graph.input_types(), limit) {
            assert_eq!(
                eval(&graph, &inputs),
                eval(&new, &inputs),
                "seed {seed}, inputs {inputs:?}\n{}\nbecame\n{}",
                graph.print(0),
                new.print(0)
            );
        }
    }

    #[test]
    fn rebuilding_keeps_the_outputs_of_small_graphs_for_all_inputs() {
        (0..1500).for_each(|seed| rebuilt_is_the_same(seed, &SMALL, 64));
    }

    #[test]
    fn rebuilding_keeps_the_outputs_of_wide_graphs() {
        (0..300).for_each(|seed| rebuilt_is_the_same(seed, &WIDE, 12));
    }

    /// Builds the graph again and returns the builder with the new node of each old one.
    fn replayed(graph: &Graph) -> (Builder, Vec<NodeId>) {
        let mut builder = Builder::new();
        let mut map: Vec<NodeId> = Vec::new();
        for (_, node) in graph.nodes.iter() {
            let args: Vec<NodeId> = node.args.iter().map(|a| map[a.index()]).collect();
            let types: Vec<HwType> = node.args.iter().map(|&a| graph.ty(a)).collect();
            map.push(builder.replay(&node.op, &args, &types, node.ty));
        }
        (builder, map)
    }

    #[test]
    fn every_value_lies_in_its_range_and_every_range_in_its_type() {
        for seed in 0..600 {
            let mut random = Random::new(seed);
            let graph = random_graph(&mut random, &SMALL);
            let (builder, map) = replayed(&graph);
            for id in builder.graph.nodes.ids() {
                assert!(
                    builder.range(id).fits(builder.ty(id)),
                    "seed {seed}, {id:?}"
                );
            }
            for inputs in input_vectors(&mut random, &graph.input_types(), 64) {
                let old = eval_nodes(&graph, &inputs);
                let new = eval_nodes(&builder.graph, &inputs);
                for (value, id) in new.iter().zip(builder.graph.nodes.ids()) {
                    let range = builder.range(id);
                    assert!(
                        range.lo <= *value && *value <= range.hi,
                        "seed {seed}: %{} = {value} outside of {range:?}",
                        id.index()
                    );
                }
                for (value, id) in old.iter().zip(&map) {
                    assert_eq!(*value, new[id.index()], "seed {seed}");
                }
            }
        }
    }

    #[test]
    fn graphs_of_constants_fold_to_constants() {
        let shape = Shape { inputs: 1, ..SMALL };
        for seed in 0..300 {
            let graph = random_graph(&mut Random::new(seed), &shape);
            let input = graph.input_types()[0].max();
            let mut builder = Builder::new();
            let constant = builder.constant(input.clone());
            let outputs = builder.inline(&graph, &[constant]);
            let folded: Option<Vec<BigInt>> = outputs
                .iter()
                .map(|&o| builder.as_const(o).cloned())
                .collect();
            assert_eq!(folded, Some(eval(&graph, &[input])), "seed {seed}");
        }
    }

    #[test]
    fn products_with_constants_are_exact() {
        for ty in [HwType::ui(5), HwType::si(5)] {
            for factor in -130..=130 {
                let mut builder = Builder::new();
                let input = builder.opaque(Op::Input(0), vec![], ty);
                let constant = builder.constant(factor);
                let product = builder.mul(constant, input);
                for value in [ty.min(), BigInt::from(3), ty.max()] {
                    let values = eval_nodes(&builder.graph, std::slice::from_ref(&value));
                    assert_eq!(values[product.index()], value * factor, "{ty} * {factor}");
                }
            }
        }
    }

    #[test]
    fn signed_digits_sum_to_the_value_and_are_never_adjacent() {
        for value in -3000i32..3000 {
            let digits = signed_digits(&BigInt::from(value));
            let sum: i64 = digits
                .iter()
                .map(|&(weight, negative)| (1i64 << weight) * if negative { -1 } else { 1 })
                .sum();
            assert_eq!(sum, i64::from(value));
            assert!(digits.windows(2).all(|w| w[1].0 > w[0].0 + 1), "{value}");
        }
    }

    #[test]
    fn what_changes_nothing_is_no_operation() {
        let mut b = Builder::new();
        let x = b.opaque(Op::Input(0), vec![], HwType::ui(7));
        let zero = b.constant(0);
        let one = b.constant(1);
        assert_eq!(b.cast(x, HwType::si(9)), x);
        assert_eq!(b.cast(x, HwType::ui(7)), x);
        assert_ne!(b.cast(x, HwType::si(7)), x);
        assert_eq!(b.add(x, zero), x);
        assert_eq!(b.mul(one, x), x);
        assert_eq!(b.or(zero, x), x);
        let mask = b.constant(127);
        assert_eq!(b.and(x, mask), x);
        let first = b.add(x, one);
        assert_eq!(b.add(x, one), first, "equal operations are shared");
    }

    /// As a step of a division has it: what is kept is no wider than the minuend, nor is the subtraction.
    #[test]
    fn a_conditional_difference_is_as_narrow_as_its_minuend() {
        for (a, b) in [(3, 5), (1, 4), (4, 4), (5, 2)] {
            let mut g = Graph::new();
            let (x, y) = (g.input(0, HwType::ui(a)), g.input(1, HwType::ui(b)));
            let difference = g.sub(x, y);
            let sign = g.width(difference) - 1;
            let less = g.bit(difference, sign);
            let kept = g.mux(less, x, difference);
            g.outputs = vec![kept, less];
            // Again, since a step is rebuilt before it is repeated.
            let new = rebuild(&rebuild(&g));
            new.validate().expect("valid");
            assert!(new.ty(new.outputs[0]).width <= a);
            let widest = new.nodes.iter().filter(|(_, n)| n.op == Op::Sub);
            let used = super::super::demand::demanded(
                &new,
                &[(new.outputs[0], a), (new.outputs[1], 1)],
                None,
            );
            for (id, _) in widest {
                assert!(used[id.index()] <= a.max(b.min(a)) + 1, "{}", new.print(0));
            }
            for inputs in input_vectors(&mut Random::new(1), &g.input_types(), 1 << 10) {
                assert_eq!(eval(&g, &inputs), eval(&new, &inputs), "{inputs:?}");
            }
        }
    }

    /// A carried counter has a wide type and a narrow range; it stands for its value all the same.
    #[test]
    fn an_assumed_range_makes_bits_and_amounts_of_wide_nodes() {
        let mut b = Builder::new();
        let flag = b.opaque(Op::Input(0), vec![], HwType::si(64));
        b.assume(flag, Interval::new(0, 1));
        let amount = b.opaque(Op::Input(1), vec![], HwType::si(64));
        b.assume(amount, Interval::new(0, 9));
        let x = b.opaque(Op::Input(2), vec![], HwType::ui(8));
        let y = b.opaque(Op::Input(3), vec![], HwType::si(8));
        let cond = b.cast(flag, HwType::ui(1));
        let chosen = b.mux(cond, x, y);
        let inverse = b.replay(&Op::Not, &[cond], &[HwType::ui(1)], HwType::ui(1));
        let n = b.cast(amount, HwType::ui(4));
        let left = b.shl(x, n, HwType::ui(8));
        let right = b.shr(y, n);
        b.graph.validate().expect("valid");
        let inputs: Vec<BigInt> = [1, 3, 200, -100].map(BigInt::from).to_vec();
        let values = eval_nodes(&b.graph, &inputs);
        let of = |id: NodeId| values[id.index()].clone();
        assert_eq!(of(chosen), BigInt::from(200));
        assert_eq!(of(inverse), BigInt::from(0));
        assert_eq!(of(left), BigInt::from((200 << 3) & 255));
        assert_eq!(of(right), BigInt::from(-100 >> 3));
    }
}
