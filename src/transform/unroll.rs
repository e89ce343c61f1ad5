//! Unrolls the loops for which that is directed, and those inside of loops that are pipelined: iterations become code that
//! stands side by side (Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001, section 8.3).
//!
//! A loop that becomes one of `factor` times fewer iterations is followed by one of those that are left over, if there are
//! any or their number is not known. Bounds inside of a loop that is gone may be constant then, so nests go from the outside
//! in.

use super::inline::MAX_OPS;
use super::iterations;
use super::jam::jam;
use super::{beyond, expand, promote, reuse};
use crate::codes;
use crate::diagnostics::{Diagnostic, Span};
use crate::hash::FastMap;
use crate::ir::analysis::Values;
use crate::ir::analysis::abreast;
use crate::ir::analysis::trip::Trip;
use crate::ir::copy::Copier;
use crate::ir::*;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::collections::BTreeSet;

/// Iterations of a loop without a counter that become one, at most: each is in a branch inside the one before.
const MOST_NESTED: u32 = 64;

/// Why a loop is not unrolled of which the iterations cannot be counted.
pub const UNKNOWN_TRIP: &str =
    "the number of its iterations is not known when the hardware is built";

/// Whether any loop is to be unrolled.
pub fn concerns(kernel: &Kernel) -> bool {
    let is_concerned = |tags: Tags| tags.unroll.is_some() || tags.is_to_be_pipelined();
    kernel
        .body
        .any_op(&|op| op.kind.tags().is_some_and(is_concerned))
}

/// Unrolls what is tagged.
///
/// Errors: the number of iterations has to be known, and is not; a loop without a counter inside of a pipelined one; more
/// than two million operations.
pub fn run(kernel: &mut Kernel) -> Result<(), Diagnostic> {
    // Values are noted on the way; only whether iterations may run abreast asks for those further inside.
    let any = |wanted: &dyn Fn(&For) -> bool| {
        let body = &kernel.body;
        body.any_op(&|op| matches!(&op.kind, OpKind::For(f) if wanted(f)))
    };
    if !any(&is_abreast) {
        return unroll(kernel, Values::of_parameters(kernel), None, MAX_OPS);
    }
    let values = Values::of(kernel);
    if !any(&|f| has_overhanging_sums(f, &values)) {
        return unroll(kernel, values, None, MAX_OPS);
    }
    promote::run(kernel);
    reuse::run(kernel);
    let values = Values::of(kernel);
    unroll(kernel, values, None, MAX_OPS)
}

/// Unrolls one loop that is tagged; what is left over of its iterations is called `.rest`. After an error the kernel is of no use.
///
/// Errors: those of [`run`].
pub fn at_once(kernel: &mut Kernel, path: &[(usize, usize)]) -> Result<(), Diagnostic> {
    let only = kernel.body.op_at(path).and_then(|op| op.kind.loop_mark());
    let values = Values::of_parameters(kernel);
    unroll(kernel, values, only, MAX_OPS)
}

/// Unrolls what is tagged, or one loop of it, with so many operations in copies at most.
fn unroll(
    kernel: &mut Kernel,
    values: Values,
    only: Option<ValueId>,
    budget: usize,
) -> Result<(), Diagnostic> {
    let body = std::mem::take(&mut kernel.body);
    let mut pass = Unroller {
        values,
        kernel,
        renamed: FastMap::default(),
        budget,
        causes: Vec::new(),
        only,
    };
    let body = pass.block(body)?;
    kernel.body = body;
    Ok(())
}

/// Whether the number of iterations of a loop, that of the top kernel, is not known whatever is unrolled around it: its bounds
/// come from arguments or from arrays.
pub fn is_unknown(kernel: &Kernel, f: &For) -> bool {
    let values = Values::of(kernel);
    let constant = |value| values.constant(value).cloned();
    if Trip::of(f, constant).is_some() {
        return false;
    }
    let is_table = |array: ArrayId| matches!(kernel.arrays[array].kind, ArrayKind::Table(_));
    let scalar = |param: &Param| match param {
        Param::Scalar(value) => Some(*value),
        Param::Array(_) => None,
    };
    let mut given: BTreeSet<ValueId> = kernel.params.iter().filter_map(scalar).collect();
    kernel.body.for_each_op(&mut |op| match &op.kind {
        OpKind::Load { at, .. } if !is_table(at.array) => given.extend(&op.results),
        _ => {}
    });
    let mut work = vec![f.lo, f.hi, f.step];
    while let Some(value) = work.pop() {
        match values.definition(value) {
            _ if given.contains(&value) => return true,
            Some(OpKind::Binary { lhs, rhs, .. }) => work.extend([lhs, rhs]),
            Some(OpKind::Cast { arg } | OpKind::Unary { arg, .. }) => work.push(*arg),
            _ => {}
        }
    }
    false
}

struct Unroller<'k> {
    /// Without its body.
    kernel: &'k mut Kernel,
    values: Values,
    /// Results of loops that are gone.
    renamed: FastMap<ValueId, ValueId>,
    /// Operations that may still be made.
    budget: usize,
    /// The directives that the loops around are under, which make those inside be unrolled.
    causes: Vec<String>,
    /// The mark of the only loop that is meant, if one is.
    only: Option<ValueId>,
}

impl Unroller<'_> {
    fn block(&mut self, block: Block) -> Result<Block, Diagnostic> {
        let mut out = Vec::with_capacity(block.ops.len());
        self.ops(block.ops, &mut out)?;
        let yields = block.yields.iter().map(|&v| self.renamed(v)).collect();
        Ok(Block { ops: out, yields })
    }

    fn renamed(&self, value: ValueId) -> ValueId {
        self.renamed.get(&value).copied().unwrap_or(value)
    }

    fn ops(&mut self, ops: Vec<Op>, out: &mut Vec<Op>) -> Result<(), Diagnostic> {
        for mut op in ops {
            op.kind.for_each_operand(&mut |v| *v = self.renamed(*v));
            match op.kind {
                OpKind::For(f) if self.unroll(&f).is_some() => {
                    self.unrolled(*f, op.results, op.span, out)?;
                    continue;
                }
                OpKind::While(w) if !self.causes.is_empty() => {
                    let why = "the loop inside has no counter and cannot be unrolled";
                    return Err(self.refusal(op.span, &w.label, why));
                }
                OpKind::While(ref mut w) if self.is_meant(&w.cond.yields[0]) => {
                    self.repeat_in_body(w, op.span)?;
                }
                _ => {}
            }
            self.kept(&mut op)?;
            out.push(op);
        }
        Ok(())
    }

    fn unroll(&self, f: &For) -> Option<Unroll> {
        match self.causes.is_empty() {
            true => f.tags.unroll.filter(|_| self.is_meant(&f.iv)),
            false => Some(Unroll::Fully),
        }
    }

    fn is_meant(&self, mark: &ValueId) -> bool {
        self.only.is_none_or(|only| only == *mark)
    }

    /// Makes one iteration of a `while` as many as is directed: each but the first is begun if the condition still holds.
    fn repeat_in_body(&mut self, w: &mut While, span: Span) -> Result<(), Diagnostic> {
        let directive = w.tags.cause(&w.label);
        let refuse = |pass: &Self, why: &str| Err(pass.refusal(span, &directive, why));
        let factor = match w.tags.unroll.take() {
            None => return Ok(()),
            Some(Unroll::Fully) => return refuse(self, UNKNOWN_TRIP),
            Some(Unroll::By(factor) | Unroll::Abreast(factor)) => factor,
        };
        if factor > MOST_NESTED {
            let why = format!("a loop without a counter is unrolled {MOST_NESTED} times at most");
            return refuse(self, &why);
        }
        // Where it fails within an iteration, it is tested once more at the start of the next one.
        if w.cond.any_op(&|op| op.kind.is_transfer()) {
            let why = "its condition uses a stream, and would do so once more where it fails";
            return refuse(self, why);
        }
        let mut given = w.body.yields.clone();
        let mut copies = Vec::new();
        for number in 1..factor {
            let mut copier = Copier::within(self.kernel, &mut self.budget);
            w.carried
                .iter()
                .zip(&given)
                .for_each(|(&old, &new)| copier.rename(old, new));
            // In this order: the body sees what the condition defines.
            let cond = copier.block(&w.cond);
            let (Some(cond), Some(mut body)) = (cond, copier.block(&w.body)) else {
                return Err(self.too_many(span, &directive));
            };
            number_loops(&mut body, number.into());
            let before = std::mem::replace(&mut given, body.yields.clone());
            copies.push((cond, body, before));
        }
        number_loops(&mut w.body, 0);
        let mut inner = None;
        for (cond, mut body, before) in copies.into_iter().rev() {
            append(&mut body, inner);
            let mut ops = cond.ops;
            let otherwise = Block {
                ops: Vec::new(),
                yields: before,
            };
            let mut build = self.kernel.build(&mut ops, span);
            let yields = build.branch(cond.yields[0], body, otherwise);
            inner = Some(Block { ops, yields });
        }
        append(&mut w.body, inner);
        Ok(())
    }

    /// An operation that stays, with what is inside.
    fn kept(&mut self, op: &mut Op) -> Result<(), Diagnostic> {
        self.values.parameters(self.kernel, &op.kind);
        let cause = op.kind.label().zip(op.kind.tags());
        let cause = cause.filter(|(_, tags)| tags.is_to_be_pipelined() && self.only.is_none());
        let cause = cause.map(|(label, tags)| tags.cause(label));
        let depth = self.causes.len();
        let is_pipelined = cause.is_some();
        self.causes.extend(cause);
        for block in op.kind.blocks_mut() {
            if is_pipelined {
                // They are loops, too.
                expand::inside(self.kernel, block);
            }
            let taken = std::mem::take(block);
            *block = self.block(taken)?;
        }
        self.causes.truncate(depth);
        self.values.note(self.kernel, op);
        self.fold(op);
        Ok(())
    }

    /// A bound or subscript that is constant now is a constant.
    fn fold(&mut self, op: &mut Op) {
        let [result] = op.results[..] else { return };
        let is_index = self.kernel.values[result].ty == Scalar::Index;
        if is_index
            && op.kind.is_pure()
            && !matches!(op.kind, OpKind::Const(_))
            && let Some(value) = self.constant(result)
        {
            op.kind = OpKind::Const(Const::Int(value));
            self.values.note(self.kernel, op);
        }
    }

    fn constant(&self, value: ValueId) -> Option<BigInt> {
        let known = self.values.constant(value).cloned();
        known.or_else(|| {
            let (low, high) = self.values.range(value)?;
            (low == high).then(|| BigInt::from(low))
        })
    }

    fn refusal(&self, span: Span, cause: &str, why: &str) -> Diagnostic {
        let cause = self.causes.last().map_or(cause, String::as_str);
        Diagnostic::error(codes::DIRECTIVE, span, format!("{cause}: {why}"))
    }

    /// Makes the code that stands for a loop.
    fn unrolled(
        &mut self,
        f: For,
        results: Vec<ValueId>,
        span: Span,
        out: &mut Vec<Op>,
    ) -> Result<(), Diagnostic> {
        let trip = Trip::of(&f, |v| self.constant(v));
        let count = trip.as_ref().and_then(|trip| trip.count.to_u64());
        let factor = match self.unroll(&f) {
            Some(Unroll::By(factor)) => u64::from(factor),
            Some(Unroll::Abreast(factor)) => {
                let dependent = abreast::may_run(&self.values, &f, factor.into());
                dependent.map_err(|at| {
                    let why = "its iterations depend on one another here";
                    self.refusal(at, &f.tags.cause(&f.label), why)
                })?;
                u64::from(factor)
            }
            _ => u64::MAX,
        };
        let carried = match (trip, count) {
            (Some(trip), Some(count)) if factor < count => {
                let (whole, rest) = (count / factor, count % factor);
                let overhangs = overhangs(&f, rest);
                let middle = trip.at(whole * factor);
                self.in_part(f, factor, span, out, |build, _| Rounds {
                    count: build.index(whole + u64::from(overhangs)),
                    end: build.index(middle),
                    has_rest: rest > 0 && !overhangs,
                    in_last: overhangs.then_some(rest),
                })?
            }
            (Some(trip), Some(count)) => {
                self.check_tags(&f, span)?;
                self.fully(&f, &trip, count, span, out)?
            }
            _ if factor < u64::MAX => self.in_part_of_many(f, factor, span, out)?,
            _ => {
                return Err(self.refusal(span, &f.tags.cause(&f.label), UNKNOWN_TRIP));
            }
        };
        self.renamed.extend(results.into_iter().zip(carried));
        Ok(())
    }

    /// No interval is directed for a loop of which nothing stays. (A factor may be: of a loop inside of a pipelined one, the
    /// rounds of so many iterations are unrolled as well.)
    fn check_tags(&self, f: &For, span: Span) -> Result<(), Diagnostic> {
        if f.tags.pipeline.is_none() {
            return Ok(());
        }
        let why = format!(
            "loop '{}' is unrolled, so that its other directive cannot be carried out",
            f.label
        );
        Err(self.refusal(span, &f.tags.cause(&f.label), &why))
    }

    /// Refuses copies of a body that are too many, before the first one is made.
    fn check_size(&self, f: &For, copies: u64, span: Span) -> Result<(), Diagnostic> {
        let mut ops = 1;
        f.body.for_each_op(&mut |_| ops += 1);
        match copies.saturating_mul(ops) > self.budget as u64 {
            true => Err(self.too_many(span, &f.tags.cause(&f.label))),
            false => Ok(()),
        }
    }

    fn too_many(&self, span: Span, directive: &str) -> Diagnostic {
        self.refusal(span, directive, &format!("more than {MAX_OPS} operations"))
    }

    /// All iterations; gives the carried values after them.
    fn fully(
        &mut self,
        f: &For,
        trip: &Trip,
        count: u64,
        span: Span,
        out: &mut Vec<Op>,
    ) -> Result<Vec<ValueId>, Diagnostic> {
        self.check_size(f, count, span)?;
        let mut carried: Vec<ValueId> = f.inits.iter().map(|&v| self.renamed(v)).collect();
        let mut copies = Vec::new();
        for number in 0..count {
            let mut ops = Vec::new();
            let iv = self.kernel.build(&mut ops, span).index(trip.at(number));
            let mut copy = self.copy(f, span, (iv, &carried))?;
            if is_jammed(f) {
                self.ops(ops, out)?;
                copies.push(copy);
                continue;
            }
            number_loops(&mut copy, number);
            ops.append(&mut copy.ops);
            self.ops(ops, out)?;
            carried = copy.yields.into_iter().map(|v| self.renamed(v)).collect();
        }
        self.ops(jam(copies).ops, out)?;
        Ok(carried)
    }

    /// A copy of a loop's body for given values of its parameters, as it stands.
    fn copy(
        &mut self,
        f: &For,
        span: Span,
        (iv, carried): (ValueId, &[ValueId]),
    ) -> Result<Block, Diagnostic> {
        let mut copier = Copier::within(self.kernel, &mut self.budget);
        copier.rename(f.iv, iv);
        for (&old, &new) in f.carried.iter().zip(carried) {
            copier.rename(old, new);
        }
        let copied = copier.block(&f.body);
        // The counter of an iteration counts too: there may be nothing else in it.
        let left = self.budget.checked_sub(1);
        let (Some(block), Some(left)) = (copied, left) else {
            return Err(self.too_many(span, &f.tags.cause(&f.label)));
        };
        self.budget = left;
        Ok(block)
    }

    /// A loop of rounds of `factor` iterations, which counts 0, 1, 2 and so on, so that what is known of a counter does not
    /// depend on where the loop begins; then one of the iterations that are left over, if there are any. Gives the carried
    /// values after both.
    fn in_part(
        &mut self,
        f: For,
        factor: u64,
        span: Span,
        out: &mut Vec<Op>,
        rounds: impl FnOnce(&mut Build<'_>, &For) -> Rounds,
    ) -> Result<Vec<ValueId>, Diagnostic> {
        self.check_size(&f, factor, span)?;
        let mut ops = Vec::new();
        let mut build = self.kernel.build(&mut ops, span);
        let rounds = rounds(&mut build, &f);
        let (zero, one, by) = (build.index(0), build.index(1), build.index(factor));
        let stride = build.binary(BinaryOp::Mul, f.step, by);
        let tags = Tags {
            unroll: None,
            ..f.tags
        };
        let round = self.kernel.value(Scalar::Index, None);
        let like = |kernel: &mut Kernel| -> Vec<ValueId> {
            f.carried.iter().map(|&v| kernel.like(v)).collect()
        };
        let (params, results) = (like(self.kernel), like(self.kernel));
        let mut body = Block {
            ops: Vec::new(),
            yields: params.clone(),
        };
        let mut build = self.kernel.build(&mut body.ops, span);
        let gone = build.binary(BinaryOp::Mul, stride, round);
        let first = build.binary(BinaryOp::Add, f.lo, gone);
        let is_full = rounds.in_last.map(|_| {
            let last = build.binary(BinaryOp::Sub, rounds.count, one);
            build.compare(CompareOp::Lt, round, last)
        });
        let mut copies = Vec::new();
        for number in 0..factor {
            let mut build = self.kernel.build(&mut body.ops, span);
            let ahead = build.index(number);
            let ahead = build.binary(BinaryOp::Mul, f.step, ahead);
            let at = build.binary(BinaryOp::Add, first, ahead);
            let mut copy = self.copy(&f, span, (at, &body.yields))?;
            if let Some(is_full) = is_full.filter(|_| Some(number) >= rounds.in_last) {
                copy = self.guarded(copy, (at, is_full), &body.yields, span);
            }
            if is_jammed(&f) {
                copies.push(copy);
            } else {
                number_loops(&mut copy, number);
                body.ops.append(&mut copy.ops);
                body.yields = copy.yields;
            }
        }
        body.ops.append(&mut jam(copies).ops);
        let main = For {
            lo: zero,
            hi: rounds.count,
            step: one,
            descending: false,
            iv: round,
            carried: params,
            inits: f.inits.clone(),
            label: f.label.clone(),
            body,
            tags,
            ..f
        };
        let mut push = |f: For, results: &[ValueId]| {
            ops.push(Op {
                kind: OpKind::For(Box::new(f)),
                results: results.to_vec(),
                span,
            });
        };
        push(main, &results);
        let mut carried = results;
        if rounds.has_rest {
            let results = like(self.kernel);
            let rest = For {
                lo: rounds.end,
                label: match self.only {
                    Some(_) => format!("{}.rest", f.label),
                    None => f.label.clone(),
                },
                inits: std::mem::replace(&mut carried, results),
                tags,
                ..f
            };
            push(rest, &carried);
        }
        self.ops(ops, out)?;
        Ok(carried)
    }

    /// An iteration that may lie beyond the end: then it writes nothing, and hands on what it was given.
    fn guarded(
        &mut self,
        copy: Block,
        (at, guard): (ValueId, ValueId),
        given: &[ValueId],
        span: Span,
    ) -> Block {
        let own = given.iter().copied().chain([at]);
        let mut ops = beyond::guarded(self.kernel, copy.ops, own, guard);
        let mut build = self.kernel.build(&mut ops, span);
        let yields = copy.yields.into_iter().zip(given);
        let yields = yields.map(|(new, &old)| build.select(guard, new, old));
        let yields = yields.collect();
        Block { ops, yields }
    }

    /// As [`Unroller::in_part`], where the bounds are known only when the loop begins.
    fn in_part_of_many(
        &mut self,
        f: For,
        factor: u64,
        span: Span,
        out: &mut Vec<Op>,
    ) -> Result<Vec<ValueId>, Diagnostic> {
        let step = iterations::step(&f, self.constant(f.step), |v| self.values.range(v));
        let step = step.map_err(|why| self.refusal(span, &f.tags.cause(&f.label), why))?;
        self.in_part(f, factor, span, out, |build, f| {
            let count = iterations::count(build, f, &step);
            let factor_of = build.index(factor);
            let count = build.binary(BinaryOp::FloorDiv, count, factor_of);
            let stride = build.index(step * factor);
            let covered = build.binary(BinaryOp::Mul, count, stride);
            Rounds {
                count,
                end: build.binary(BinaryOp::Add, f.lo, covered),
                has_rest: true,
                in_last: None,
            }
        })
    }
}

/// The iterations of a loop in rounds of as many as its factor says.
struct Rounds {
    /// How many there are.
    count: ValueId,
    /// What the induction variable is after them.
    end: ValueId,
    /// There may be iterations after them.
    has_rest: bool,
    /// How many iterations the last round has, if those beyond the end are in it and write nothing.
    in_last: Option<u64>,
}

/// Whether the last round of iterations side by side, of which so many are left, is one like the others, in which those beyond the
/// end write nothing. One iteration alone takes as long as a round of them, unless sums of other rounds would take turns with its own.
fn overhangs(f: &For, rest: u64) -> bool {
    let least = if has_loops_alone(f) { 1 } else { 2 };
    rest >= least && is_abreast(f) && !f.body.any_op(&is_while)
}

/// Whether there are loops inside, none of which runs under a condition.
fn has_loops_alone(f: &For) -> bool {
    let is_conditional = |op: &Op| matches!(op.kind, OpKind::If(_)) && op.contains_loop();
    is_jammed(f) && !f.body.any_op(&is_conditional)
}

/// Whether a loop with loops inside has a last round in which some iterations write nothing. What the loops inside add to has to be in
/// registers then, and what it begins with no element: a sum in an array that is written under a condition does not take turns with
/// others.
fn has_overhanging_sums(f: &For, values: &Values) -> bool {
    let Some(Unroll::Abreast(factor)) = f.tags.unroll.filter(|_| is_jammed(f)) else {
        return false;
    };
    let trip = Trip::of(f, |value| values.constant(value).cloned());
    let count = trip.and_then(|trip| trip.count.to_u64());
    count.is_some_and(|count| u64::from(factor) < count && overhangs(f, count % u64::from(factor)))
}

fn is_abreast(f: &For) -> bool {
    matches!(f.tags.unroll, Some(Unroll::Abreast(_)))
}

/// Iterations without loops inside follow one another, whatever they carry.
fn is_jammed(f: &For) -> bool {
    is_abreast(f) && f.body.ops.iter().any(Op::contains_loop)
}

fn is_while(op: &Op) -> bool {
    matches!(op.kind, OpKind::While(_))
}

/// Puts a block at the end of another, which then yields what that one yields.
fn append(block: &mut Block, rest: Option<Block>) {
    if let Some(rest) = rest {
        block.ops.extend(rest.ops);
        block.yields = rest.yields;
    }
}

/// Copies of loops say which copy they are in.
fn number_loops(block: &mut Block, number: u64) {
    for op in &mut block.ops {
        match &mut op.kind {
            OpKind::For(f) => f.label = format!("{}#{number}", f.label),
            OpKind::While(w) => w.label = format!("{}#{number}", w.label),
            _ => {}
        }
        for inner in op.kind.blocks_mut() {
            number_loops(inner, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::FileId;
    use crate::ir::read::read;

    /// A copy of an iteration takes its counter and its operations; what is left over is no copy.
    #[test]
    fn what_just_fits_is_unrolled() {
        let head = "%0: index = const 0\n%1: index = const 1\n%9: index = const 9\n";
        let access = "%v: i32 = load a[%j]\nstore a[%j], %v\n";
        let of = |tag: &str, body: &str| format!("for %j = %0 to %9 step %1 {tag} {{\n{body}}}\n");
        let inside = of("label \"j\" unroll all", access);
        let nest = format!("for %i = %0 to %9 step %1 label \"i\" unroll 2 {{\n{inside}}}\n");
        for (body, needed) in [
            (of("label \"j\" unroll all", ""), 9),
            (of("label \"j\" unroll all", access), 9 * 3),
            (of("label \"j\" unroll 3", access), 3 * 3),
            (of("label \"j\" unroll 4", access), 4 * 3),
            // In the copies of `i` and in what is left over of it.
            (nest, 2 * 4 + 3 * 9 * 3),
        ] {
            let text = format!("top kernel @f(a: i32[9]) {{\n{head}{body}}}");
            let program = read(FileId::default(), &text).expect("a kernel");
            let kernel = &program.kernels[program.top];
            for budget in 0..=needed + 1 {
                let mut kernel = kernel.clone();
                let values = Values::of_parameters(&kernel);
                let unrolled = unroll(&mut kernel, values, None, budget);
                assert_eq!(unrolled.is_ok(), budget >= needed, "{budget}\n{text}");
            }
        }
    }
}
