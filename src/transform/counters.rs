//! What is left when a counter is divided by a constant, and the quotient, are counted beside it: each is a sum and a comparison
//! then, known as an iteration begins, and no division (strength reduction: Cocke and Kennedy, An algorithm for reduction of
//! operator strength, CACM 20(11), 1977).
//!
//! Where the loop's iterations are a multiple of the divisor, `delinearize` has made a nest of it before.

use crate::diagnostics::Span;
use crate::ir::analysis::Values;
use crate::ir::rewrite::{Rewriter, rewrite};
use crate::ir::*;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive};

/// Widest counters: those of larger divisors take longer than a cycle.
const MOST_BITS: u64 = 16;

/// Rewrites all innermost counted loops.
pub fn run(kernel: &mut Kernel) {
    let values = Values::of(kernel);
    let body = std::mem::take(&mut kernel.body);
    kernel.body = rewrite(body, &mut Counters { kernel, values });
}

struct Counters<'k> {
    /// Without its body.
    kernel: &'k mut Kernel,
    values: Values,
}

/// A number that grows by as much in each iteration, divided by a constant.
#[derive(Clone, PartialEq, Eq)]
struct Division {
    first: BigInt,
    step: BigInt,
    divisor: BigInt,
    /// Bits of the largest quotient.
    bits: u64,
}

/// Remainder and quotient of a division in an iteration.
struct Counted {
    division: Division,
    remainder: ValueId,
    quotient: ValueId,
}

impl Rewriter for Counters<'_> {
    fn leave(&mut self, mut op: Op, out: &mut Vec<Op>) {
        if let OpKind::For(f) = &mut op.kind
            && !f.body.ops.iter().any(Op::contains_loop)
        {
            self.count(f, &mut op.results, op.span, out);
        }
        out.push(op);
    }
}

impl Counters<'_> {
    fn count(&mut self, f: &mut For, results: &mut Vec<ValueId>, span: Span, out: &mut Vec<Op>) {
        let mut counted: Vec<Counted> = Vec::new();
        for place in 0..f.body.ops.len() {
            let op = &f.body.ops[place];
            let Some(division) = self.division(f, &op.kind) else {
                continue;
            };
            let at = counted.iter().position(|one| one.division == division);
            let at = at.unwrap_or_else(|| {
                counted.push(self.carry(f, division, results, span, out));
                counted.len() - 1
            });
            let op = &mut f.body.ops[place];
            let is_remainder = matches!(
                op.kind,
                OpKind::Binary {
                    op: BinaryOp::Mod,
                    ..
                }
            );
            let arg = match is_remainder {
                true => counted[at].remainder,
                false => counted[at].quotient,
            };
            op.kind = OpKind::Cast { arg };
        }
        for one in &counted {
            self.advance(f, one, span);
        }
    }

    /// `None` for what is no division of a number that depends on the loop's counter alone, or needs no divider.
    fn division(&self, f: &For, kind: &OpKind) -> Option<Division> {
        use BinaryOp::{Div, FloorDiv, Mod};
        let OpKind::Binary {
            op: Div | FloorDiv | Mod,
            lhs,
            rhs,
        } = *kind
        else {
            return None;
        };
        let constant = |value| self.values.constant(value).cloned();
        let (divisor, lo, step) = (constant(rhs)?, constant(f.lo)?, constant(f.step)?);
        let (least, most) = self.values.range(lhs)?;
        let sum = self.values.affine(lhs);
        let [(value, factor)] = sum.terms[..] else {
            return None;
        };
        let is_counter = value == f.iv && least >= 0;
        let is_power = divisor.magnitude().count_ones() == 1;
        let bits = (BigInt::from(most) / &divisor.clone().max(BigInt::one()))
            .bits()
            .max(1);
        let is_small = divisor.is_positive() && divisor.bits().max(bits) < MOST_BITS;
        (is_counter && is_small && !is_power).then(|| Division {
            first: lo * factor + sum.constant,
            step: step * factor,
            divisor,
            bits,
        })
    }

    /// Has a loop carry a remainder and a quotient. Their first values go to `out`.
    fn carry(
        &mut self,
        f: &mut For,
        division: Division,
        results: &mut Vec<ValueId>,
        span: Span,
        out: &mut Vec<Op>,
    ) -> Counted {
        let (quotient, remainder) = division.first.div_mod_floor(&division.divisor);
        // Twice the divisor fits.
        let types = [division.divisor.bits() + 1, division.bits].map(unsigned);
        let [remainder, quotient] = [(remainder, "remainder"), (quotient, "quotient")];
        let carried = [remainder, quotient].into_iter().zip(types);
        let carried: Vec<ValueId> = carried
            .map(|((first, name), ty)| {
                let first = constant(&mut self.kernel.build(out, span), ty, &first);
                f.inits.push(first);
                let carried = self.kernel.value(ty, Some(name));
                f.carried.push(carried);
                results.push(self.kernel.like(carried));
                carried
            })
            .collect();
        // Each iteration depends on the one before.
        f.parallel = false;
        Counted {
            division,
            remainder: carried[0],
            quotient: carried[1],
        }
    }

    /// Computes what the next iteration takes.
    fn advance(&mut self, f: &mut For, counted: &Counted, span: Span) {
        let Division { step, divisor, .. } = &counted.division;
        let (further, more) = step.div_mod_floor(divisor);
        let mut build = self.kernel.build(&mut f.body.ops, span);
        let [remainder, quotient] = [counted.remainder, counted.quotient];
        let [of_remainder, of_quotient] =
            [remainder, quotient].map(|value| build.kernel.values[value].ty);
        let more = constant(&mut build, of_remainder, &more);
        let divisor = constant(&mut build, of_remainder, divisor);
        let sum = build.binary(BinaryOp::Add, remainder, more);
        let wraps = build.compare(CompareOp::Ge, sum, divisor);
        let less = build.binary(BinaryOp::Sub, sum, divisor);
        let next = build.select(wraps, less, sum);
        f.body.yields.push(next);

        let mut build = self.kernel.build(&mut f.body.ops, span);
        let steps = [&further + 1, further].map(|step| constant(&mut build, of_quotient, &step));
        let step = build.select(wraps, steps[0], steps[1]);
        let next = build.binary(BinaryOp::Add, quotient, step);
        f.body.yields.push(next);
    }
}

fn unsigned(width: u64) -> Scalar {
    let width = width.to_u32().expect("counters are small");
    Scalar::Int {
        signed: false,
        width,
    }
}

/// A number's low bits.
fn constant(build: &mut Build, ty: Scalar, value: &BigInt) -> ValueId {
    let bits = value.mod_floor(&(BigInt::one() << ty.width()));
    build.op(ty, OpKind::Const(Const::Int(bits)))
}
