//! Counters that are only counted to be taken apart: a loop over `t` whose body divides `t` by a constant, or takes what is
//! left of that division, is a loop over quotients around one over remainders. Nothing is divided then, and subscripts are
//! affine again, as dependence tests need them (delinearization: Maslov, PLDI 1992, of a subscript; here of the counter, which
//! undoes loop coalescing).

use crate::ir::analysis::Values;
use crate::ir::*;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};
use std::collections::{BTreeMap, BTreeSet};

/// Makes nests of counters that are taken apart.
pub fn run(kernel: &mut Kernel) {
    let mut found = false;
    kernel.body.for_each_op(&mut |op| found |= has_parts(op));
    if !found {
        return;
    }
    let values = Values::of(kernel);
    let body = std::mem::take(&mut kernel.body);
    let mut pass = Delinearize { kernel, values };
    let body = pass.block(body);
    kernel.body = body;
}

/// Whether an operation is a counted loop in which its counter is divided.
fn has_parts(op: &Op) -> bool {
    let OpKind::For(f) = &op.kind else {
        return false;
    };
    f.body.any_op(
        &|op| matches!(op.kind, OpKind::Binary { op, lhs, .. } if lhs == f.iv && is_part(op)),
    )
}

fn is_part(op: BinaryOp) -> bool {
    use BinaryOp::{And, FloorDiv, Mod, Shr};
    matches!(op, FloorDiv | Mod | Shr | And)
}

struct Delinearize<'k> {
    /// Without its body.
    kernel: &'k mut Kernel,
    values: Values,
}

/// How a loop is cut in two.
struct Cut {
    /// Iterations of the inner loop, at least 2.
    divisor: BigInt,
    /// Iterations of the outer loop: so many, or so many times a value.
    outer: (BigInt, Option<ValueId>),
}

/// The two parts of a counter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Quotient,
    Remainder,
}

impl Delinearize<'_> {
    fn block(&mut self, block: Block) -> Block {
        let mut out = Vec::with_capacity(block.ops.len());
        for mut op in block.ops {
            while let OpKind::For(f) = &op.kind
                && let Some(cut) = self.cut(f)
            {
                op = self.nest(op, cut, &mut out);
            }
            for inner in op.kind.blocks_mut() {
                let taken = std::mem::take(inner);
                *inner = self.block(taken);
            }
            out.push(op);
        }
        Block { ops: out, ..block }
    }

    /// Where a loop can be cut: it counts 0, 1, 2 and so on to a multiple of the one number by which its counter is divided, and
    /// what is inside can still become one pipeline.
    fn cut(&self, f: &For) -> Option<Cut> {
        let constant = |value| self.values.constant(value);
        let counts = constant(f.lo)?.is_zero() && constant(f.step)?.is_one() && !f.descending;
        let mut loops = f.body.ops.iter().filter(|op| op.contains_loop());
        let is_nest = matches!(
            (loops.next().map(|op| &op.kind), loops.next()),
            (None, _) | (Some(OpKind::For(_)), None)
        );
        let is_plain = f.tags.unroll.is_none();
        let mut divisors = BTreeSet::new();
        f.body.for_each_op(&mut |op| {
            divisors.extend(self.part(f, op).map(|(_, divisor)| divisor));
        });
        let mut divisors = divisors.into_iter();
        let (Some(divisor), None) = (divisors.next(), divisors.next()) else {
            return None;
        };
        let bound = self.values.affine(f.hi);
        let (count, value) = match bound.terms[..] {
            [] => (bound.constant, None),
            [(value, count)] if bound.constant == 0 => (count, Some(value)),
            _ => return None,
        };
        let (trips, rest) = BigInt::from(count).div_rem(&divisor);
        let is_twice = trips > BigInt::from(i32::from(value.is_none()));
        (counts && is_nest && is_plain && rest.is_zero() && is_twice).then_some(Cut {
            divisor,
            outer: (trips, value),
        })
    }

    /// Which part of a loop's counter an operation takes, and of which division.
    fn part(&self, f: &For, op: &Op) -> Option<(Part, BigInt)> {
        let OpKind::Binary { op, lhs, rhs } = op.kind else {
            return None;
        };
        let by = self.values.constant(rhs).filter(|_| lhs == f.iv)?;
        let is_power = |number: &BigInt| {
            let bits = number.bits();
            bits > 0 && *number == BigInt::one() << (bits - 1)
        };
        let (part, divisor) = match op {
            BinaryOp::FloorDiv => (Part::Quotient, by.clone()),
            BinaryOp::Mod => (Part::Remainder, by.clone()),
            BinaryOp::Shr => (
                Part::Quotient,
                BigInt::one() << by.to_u8().filter(|by| *by < 63)?,
            ),
            BinaryOp::And => (Part::Remainder, Some(by + 1u32).filter(is_power)?),
            _ => return None,
        };
        (divisor > BigInt::one()).then_some((part, divisor))
    }

    /// The nest that stands for a loop. Its bounds go to `out`.
    fn nest(&mut self, op: Op, cut: Cut, out: &mut Vec<Op>) -> Op {
        let (OpKind::For(mut f), span) = (op.kind, op.span) else {
            unreachable!("only counted loops are cut");
        };
        let from = out.len();
        let mut build = self.kernel.build(out, span);
        let trips = build.index(cut.outer.0.clone());
        let trips = match cut.outer.1 {
            Some(value) => {
                let value = build.cast(value, Scalar::Index);
                build.binary(BinaryOp::Mul, value, trips)
            }
            None => trips,
        };
        let divisor = build.index(cut.divisor);
        out[from..]
            .iter()
            .for_each(|op| self.values.note(self.kernel, op));

        let mut counters: BTreeMap<Part, ValueId> = BTreeMap::new();
        let mut body = std::mem::take(&mut f.body);
        self.take_parts(&f, &mut body, &mut counters);
        let mut counter = |part| {
            *counters
                .entry(part)
                .or_insert_with(|| self.kernel.like(f.iv))
        };
        let (quotient, remainder) = (counter(Part::Quotient), counter(Part::Remainder));
        let mut ops = Vec::new();
        let mut build = self.kernel.build(&mut ops, span);
        let whole = build.binary(BinaryOp::Mul, quotient, divisor);
        let (op_of, lhs, rhs) = (BinaryOp::Add, whole, remainder);
        build.define(
            OpKind::Binary {
                op: op_of,
                lhs,
                rhs,
            },
            vec![f.iv],
        );
        ops.append(&mut body.ops);
        body.ops = ops;

        let mut like = |values: &[ValueId]| -> Vec<ValueId> {
            values
                .iter()
                .map(|&value| self.kernel.like(value))
                .collect()
        };
        let (given, results) = (like(&f.carried), like(&f.carried));
        let inner = For {
            hi: divisor,
            iv: remainder,
            carried: std::mem::take(&mut f.carried),
            inits: given.clone(),
            body,
            label: f.label.clone(),
            ..*f
        };
        let inner = Op {
            kind: OpKind::For(Box::new(inner)),
            results: results.clone(),
            span,
        };
        let outer = For {
            hi: trips,
            iv: quotient,
            carried: given,
            body: Block {
                ops: vec![inner],
                yields: results,
            },
            tags: Tags::default(),
            ..*f
        };
        let outer = Op {
            kind: OpKind::For(Box::new(outer)),
            ..op
        };
        self.values.parameters(self.kernel, &outer.kind);
        outer
    }

    /// Takes the first operation for each part out of a block: the counter of a loop has its name. Later ones are copies.
    fn take_parts(&self, f: &For, block: &mut Block, counters: &mut BTreeMap<Part, ValueId>) {
        block.ops.retain_mut(|op| {
            if let (Some((part, _)), [result]) = (self.part(f, op), &op.results[..]) {
                let arg = *counters.entry(part).or_insert(*result);
                op.kind = OpKind::Cast { arg };
                return arg != *result;
            }
            for inner in op.kind.blocks_mut() {
                self.take_parts(f, inner, counters);
            }
            true
        });
    }
}
