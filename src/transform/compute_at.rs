//! A nest moved into a later one: its iterations become the first part of those of the consumer (loop fusion: Kennedy and
//! McKinley, Maximizing Loop Parallelism and Improving Data Locality via Loop Fusion and Distribution, LCPC 1993).
//!
//! Loops are fused one level after the other, from the outside in. What an iteration of the producer touches, and an earlier
//! one of the consumer, comes in another order then. That changes nothing as long as no element is the same where one of
//! them writes it, which the directions of dependences tell.

use super::band::Refusal;
use super::buffer_at::dependent;
use super::restructure::{check_tags, trip};
use crate::diagnostics::Span;
use crate::ir::analysis::Values;
use crate::ir::analysis::directions::Nest;
use crate::ir::analysis::touch::{self, Touched};
use crate::ir::analysis::trip::Trip;
use crate::ir::*;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

/// Most accesses of the two: every two are compared.
const MANY: usize = 400;

const CARRIES: &str =
    "the producer hands values on, from one iteration to the next or to what comes later";

/// Moves the nest that has a loop at the path `producer` into the loop at `axis`. Gives the path of that loop then.
///
/// Errors: the two are not in nests of one block, the producer's first; the producer has fewer loops than there are down to the
/// axis, or hands values on; it has iterations that the consumer lacks; a dependence would turn round.
pub fn run(
    kernel: &mut Kernel,
    producer: &[(usize, usize)],
    axis: &[(usize, usize)],
) -> Result<Path, Refusal> {
    let pairs = producer.iter().zip(axis);
    let common = pairs.take_while(|(a, b)| a == b).count();
    let (Some(&(from, _)), Some(&(to, _))) = (producer.get(common), axis.get(common)) else {
        return refuse("one of the two is inside of the other one");
    };
    for path in [producer, axis] {
        let outermost = kernel.body.op_at(&path[..=common]);
        let mut transfers = false;
        let nests = outermost.iter().flat_map(|op| op.kind.blocks());
        nests.for_each(|block| transfers |= block.any_op(&|op| op.kind.is_transfer()));
        if transfers {
            return refuse("elements of streams would be got or put in another order");
        }
    }
    let mut fusion = Fusion {
        path: axis[..common].to_vec(),
        from,
        to,
        guards: Vec::new(),
    };
    for level in common..axis.len() {
        let inner = axis.get(level + 1).map(|step| step.0);
        let next = producer.get(level + 1).map(|step| step.0);
        fusion.level(kernel, inner, next)?;
    }
    dependent(kernel, &fusion.path);
    Ok(fusion.path)
}

fn refuse<T>(why: &str) -> Result<T, Refusal> {
    Err((None, why.to_string()))
}

/// Two loops in a block, of which the first is to become a part of the second.
struct Fusion {
    /// The block: the path of the loop around.
    path: Path,
    from: usize,
    to: usize,
    /// All of these hold in iterations of the second that are iterations of the first.
    guards: Vec<ValueId>,
}

impl Fusion {
    /// Fuses the two. `inner`: where in the consumer the next loop down to the axis is; `next`: where in the producer that
    /// for it is, if that is said.
    fn level(
        &mut self,
        kernel: &mut Kernel,
        inner: Option<usize>,
        next: Option<usize>,
    ) -> Result<(), Refusal> {
        if self.from >= self.to {
            return refuse("the producer has to come before the consumer, in one block");
        }
        let values = Values::of(kernel);
        let nowhere = || (None, "no loop is there".to_string());
        let block = kernel.body.block_at_mut(&self.path).ok_or_else(nowhere)?;
        check_between(&block.ops[self.from..self.to])?;
        let Op { kind, span, .. } = block.ops.remove(self.from);
        self.path.push((self.to - 1, 0));
        let (OpKind::For(mut own), Some(consumer)) = (kind, kernel.body.for_at(&self.path)) else {
            return Err((Some(span), "both have to be loops with counters".into()));
        };
        let consumer = consumer.clone();
        check_tags(&own)?;
        let mut ops = Vec::new();
        let mut build = kernel.build(&mut ops, span);
        let guards = guards(&mut build, &values, &own, &consumer, span)?;
        let is_first = is_first(&values, &own, &consumer);
        self.guards.extend(guards);
        own.body.for_each_use(&mut |value| {
            if *value == own.iv {
                *value = consumer.iv;
            }
        });
        let is_last = inner.is_none();
        let next = match is_last {
            true => None,
            false => Some(next.or(only_loop(&own.body)).ok_or((
                Some(span),
                "the producer has fewer loops than there are down to the axis".to_string(),
            ))?),
        };
        self.from = self.guarded(kernel, own.body.ops, next, span, &mut ops)?;
        let count = ops.len();
        if let Some(block) = kernel.body.block_at_mut(&self.path) {
            block.ops.splice(0..0, ops);
        }
        self.to = inner.map_or(0, |inner| inner + count);
        match is_first {
            // No iteration of the consumer comes before.
            true => Ok(()),
            false => check_order(kernel, &self.path, count),
        }
    }

    /// Appends the producer's code, under its conditions; around the loop that is operation `next` of it, where it has an effect.
    /// Gives where that is.
    fn guarded(
        &self,
        kernel: &mut Kernel,
        code: Vec<Op>,
        next: Option<usize>,
        span: Span,
        out: &mut Vec<Op>,
    ) -> Result<usize, Refusal> {
        let mut build = kernel.build(out, span);
        let mut guards = self.guards.iter().copied();
        let first = guards.next();
        let guard =
            first.map(|first| guards.fold(first, |all, one| build.binary(BinaryOp::And, all, one)));
        if next.is_none()
            && let Some(guard) = guard
        {
            let then = Block {
                ops: code,
                yields: vec![],
            };
            build.branch(guard, then, Block::default());
            return Ok(0);
        }
        let mut place = 0;
        let mut held = Vec::new();
        let release = |kernel: &mut Kernel, held: &mut Vec<Op>, out: &mut Vec<Op>| {
            if let Some(guard) = guard.filter(|_| !held.is_empty()) {
                let then = Block {
                    ops: std::mem::take(held),
                    yields: vec![],
                };
                kernel
                    .build(out, span)
                    .branch(guard, then, Block::default());
            }
        };
        for (at, mut op) in code.into_iter().enumerate() {
            let is_next = Some(at) == next;
            // Elsewhere there may be no such element.
            if let OpKind::Load { at, .. } = &mut op.kind {
                at.when = at.when.or(guard);
            }
            if !is_next && !op.kind.is_pure() && guard.is_some() {
                if !op.results.is_empty() {
                    return Err((Some(op.span), CARRIES.into()));
                }
                held.push(op);
                continue;
            }
            // A load sees what was stored before.
            let waits = is_next || matches!(op.kind, OpKind::Load { .. });
            if waits {
                release(kernel, &mut held, out);
            }
            if is_next {
                place = out.len();
            }
            out.push(op);
        }
        release(kernel, &mut held, out);
        Ok(place)
    }
}

/// Where the only loop of a block is.
fn only_loop(block: &Block) -> Option<usize> {
    let loops = block.ops.iter().enumerate();
    let mut loops = loops.filter(|(_, op)| matches!(op.kind, OpKind::For(_)));
    let (at, _) = loops.next()?;
    loops.next().is_none().then_some(at)
}

/// The producer, first of these operations, moves behind the others.
fn check_between(ops: &[Op]) -> Result<(), Refusal> {
    let Some((producer, others)) = ops.split_first() else {
        return Ok(());
    };
    if !producer.results.is_empty() {
        return Err((Some(producer.span), CARRIES.into()));
    }
    let own = Touched::by(producer);
    for other in others {
        let theirs = Touched::by(other);
        let written = own.written.iter().any(|&array| theirs.contains(array));
        if written || theirs.written.iter().any(|&array| own.contains(array)) {
            let why =
                "this stands between producer and consumer, and touches what the producer does";
            return Err((Some(other.span), why.into()));
        }
    }
    Ok(())
}

/// The conditions under which an iteration of the consumer's loop is one of the producer's.
fn guards(
    build: &mut Build,
    values: &Values,
    producer: &For,
    consumer: &For,
    span: Span,
) -> Result<Vec<ValueId>, Refusal> {
    let same = |a, b| values.same(a, b);
    if same(producer.lo, consumer.lo)
        && same(producer.hi, consumer.hi)
        && same(producer.step, consumer.step)
        && producer.descending == consumer.descending
    {
        return Ok(Vec::new());
    }
    let both = trip(values, producer).zip(trip(values, consumer));
    let Some((own, all)) = both.filter(|(own, all)| has_all(all, own)) else {
        let why = format!(
            "it is not known that '{}' has every iteration of '{}'",
            consumer.label, producer.label
        );
        return Err((Some(span), why));
    };
    let ends = |trip: &Trip| match trip.step.is_negative() {
        false => (trip.lo.clone(), trip.last()),
        true => (trip.last(), trip.lo.clone()),
    };
    let ((low, high), (least, most)) = (ends(&own), ends(&all));
    let bounds: [(CompareOp, BigInt, BigInt); 2] =
        [(CompareOp::Ge, low, least), (CompareOp::Le, high, most)];
    let needed = bounds.into_iter().filter(|(_, bound, end)| bound != end);
    Ok(needed
        .map(|(op, bound, _)| {
            let bound = build.index(bound);
            build.compare(op, consumer.iv, bound)
        })
        .collect())
}

/// Whether the producer is in the consumer's first iteration only.
fn is_first(values: &Values, producer: &For, consumer: &For) -> bool {
    let own = trip(values, producer).filter(|own| own.count.is_one());
    own.is_some_and(|own| values.constant(consumer.lo) == Some(&own.lo))
}

/// Whether a loop has the iterations of another one, which has some.
fn has_all(all: &Trip, own: &Trip) -> bool {
    if own.step != all.step || all.step.is_zero() || own.count.is_zero() {
        return false;
    }
    let (first, rest) = (&own.lo - &all.lo).div_mod_floor(&all.step);
    let last = &first + &own.count;
    rest.is_zero() && !first.is_negative() && last <= all.count
}

/// Makes sure that nothing of the producer, the first `count` operations of the loop at `path`, touches in an iteration what
/// the consumer did in an earlier one.
fn check_order(kernel: &Kernel, path: &[(usize, usize)], count: usize) -> Result<(), Refusal> {
    let Some(f) = kernel.body.for_at(path) else {
        return refuse("no loop is there");
    };
    let values = Values::of(kernel);
    let mut inside = f.body.defined();
    inside.extend(&f.carried);
    let nest = Nest::of(&values, vec![f], inside);
    let (own, theirs) = f.body.ops.split_at(count);
    let (own, theirs) = (accesses(own), accesses(theirs));
    let meets = |earlier: &Op, later: &Op| {
        touch::clash(earlier, later) && nest.may_meet_later(earlier, later)
    };
    for earlier in &theirs {
        let many = own.len() + theirs.len() > MANY;
        if many || own.iter().any(|later| meets(earlier, later)) {
            let why = match many {
                true => "there are too many accesses to compare",
                false => {
                    "the consumer touches an element here before the iteration of the producer that does"
                }
            };
            return Err((Some(earlier.span), why.into()));
        }
    }
    Ok(())
}

/// Operations that access arrays, those inside of others, too.
fn accesses(ops: &[Op]) -> Vec<&Op> {
    let mut all = Vec::new();
    let mut work: Vec<&Op> = ops.iter().rev().collect();
    while let Some(op) = work.pop() {
        let (reads, writes) = touch::arrays(&op.kind);
        if !reads.is_empty() || !writes.is_empty() {
            all.push(op);
        }
        let inner = op.kind.blocks().into_iter().rev();
        work.extend(inner.flat_map(|block| block.ops.iter().rev()));
    }
    all
}
