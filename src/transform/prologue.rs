//! Code sinking into an iteration of its own: what a nest loads before its innermost loop is loaded in an iteration before the
//! first one of that loop, if the ports of a memory cannot serve both in one (for sinking as the way to perfect nests see Wolfe,
//! High Performance Compilers for Parallel Computing, 1996, section 9.2).
//!
//! In the flat pipeline an iteration either loads that or does what the loop does, so that both may take the same ports.

use crate::ir::analysis::Values;
use crate::ir::analysis::touch;
use crate::ir::analysis::trip::Trip;
use crate::ir::rewrite::{Rewriter, rewrite};
use crate::ir::*;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::collections::{BTreeSet, HashMap};

/// Iterations of the loop from which one more is worth trying.
const LEAST_TRIP: u32 = 8;

/// Rewrites all nests in which that eases the ports of a memory.
pub fn run(kernel: &mut Kernel) {
    let values = Values::of(kernel);
    let body = std::mem::take(&mut kernel.body);
    kernel.body = rewrite(body, &mut Prologue { kernel, values });
}

struct Prologue<'k> {
    /// Without its body.
    kernel: &'k mut Kernel,
    values: Values,
}

impl Rewriter for Prologue<'_> {
    fn leave(&mut self, mut op: Op, out: &mut Vec<Op>) {
        if let OpKind::For(f) = &mut op.kind
            && let Some(at) = inner(&f.body.ops)
            && let Some(step) = self.step(&f.body.ops[at])
        {
            let moved = self.moved(&f.body.ops[..at], &f.body.ops[at]);
            if !moved.is_empty() {
                self.sink(f, at, step, &moved);
            }
        }
        out.push(op);
    }
}

/// Where the only loop in a block is, if it is an innermost counted one behind nothing but pure operations.
fn inner(ops: &[Op]) -> Option<usize> {
    let at = ops.iter().position(Op::contains_loop)?;
    let is_only = !ops[at + 1..].iter().any(Op::contains_loop);
    let is_pure = ops[..at]
        .iter()
        .all(|op| op.kind.is_pure() && op.kind.blocks().is_empty());
    let OpKind::For(g) = &ops[at].kind else {
        return None;
    };
    let is_innermost = !g.body.ops.iter().any(Op::contains_loop);
    (is_only && is_pure && is_innermost).then_some(at)
}

impl Prologue<'_> {
    /// The step of a loop of a known number of iterations that may begin one earlier.
    fn step(&self, op: &Op) -> Option<i128> {
        let OpKind::For(g) = &op.kind else {
            return None;
        };
        let trip = Trip::of(g, |value| self.values.constant(value).cloned())?;
        let step = trip.step.to_i128()?;
        let is_long = trip.count >= LEAST_TRIP.into();
        (is_long && self.values.can_move(g.lo, -step)).then_some(step)
    }

    /// What moves, by its results: the loads of arrays that the loop accesses, if its ports cannot serve all in an iteration, and
    /// what takes their values.
    fn moved(&self, before: &[Op], of: &Op) -> BTreeSet<ValueId> {
        let (outside, inside) = (touch::accesses(before), touch::accesses([of]));
        let is_crowded = |array: ArrayId| {
            let ports = self.kernel.arrays[array].most_ports();
            let [one, other] = [&outside, &inside].map(|all| all.get(&array).copied().unwrap_or(0));
            (one + other).div_ceil(ports) > one.max(other).div_ceil(ports)
        };
        let mut moved = BTreeSet::new();
        if !outside.keys().any(|&array| is_crowded(array)) {
            return moved;
        }
        for op in before {
            // If there is one more iteration, it may ease the others' ports, too.
            let loads = touch::element(&op.kind).is_some_and(|at| inside.contains_key(&at.array));
            if loads || op.kind.operands().iter().any(|value| moved.contains(value)) {
                moved.extend(&op.results);
            }
        }
        moved
    }

    /// Gives the loop at a position an iteration more, in which what moves is computed; the loop carries it from there on.
    fn sink(&mut self, f: &mut For, at: usize, step: i128, moved: &BTreeSet<ValueId>) {
        let is_moved = |op: &Op| op.results.iter().any(|value| moved.contains(value));
        let after = f.body.ops.split_off(at + 1);
        let mut nest = f.body.ops.pop().expect("the loop is there");
        let before = std::mem::take(&mut f.body.ops);
        let (first, stays): (Vec<Op>, Vec<Op>) = before.into_iter().partition(is_moved);
        f.body.ops = stays;
        let mut rest = Block {
            ops: after,
            yields: std::mem::take(&mut f.body.yields),
        };
        let OpKind::For(g) = &mut nest.kind else {
            unreachable!("the operation is a counted loop")
        };
        let mut used = BTreeSet::new();
        let mut look = |value: &mut ValueId| used.extend(moved.get(value));
        g.body.for_each_use(&mut look);
        rest.for_each_use(&mut look);
        let used: Vec<ValueId> = used.into_iter().collect();

        let (lo, own, span) = (g.lo, g.carried.clone(), nest.span);
        let mut otherwise = Block {
            ops: first,
            yields: Vec::new(),
        };
        let mut build = self.kernel.build(&mut f.body.ops, span);
        g.lo = match self.values.constant(lo) {
            Some(known) => build.index(known - step),
            None => {
                let step = build.index(BigInt::from(step));
                build.binary(BinaryOp::Sub, lo, step)
            }
        };
        for (init, &param) in g.inits.iter_mut().zip(&own) {
            let is_known = !moved.contains(init);
            otherwise.yields.push(if is_known { param } else { *init });
            if !is_known {
                *init = build.zero(build.kernel.values[param].ty);
            }
        }
        let (mut inside, mut behind) = (HashMap::new(), HashMap::new());
        for &value in &used {
            g.inits.push(build.zero(build.kernel.values[value].ty));
            let [param, result] = [build.kernel.like(value), build.kernel.like(value)];
            g.carried.push(param);
            nest.results.push(result);
            inside.insert(value, param);
            behind.insert(value, result);
            otherwise.yields.push(value);
        }
        rest.for_each_use(&mut |value| *value = *behind.get(value).unwrap_or(value));
        let mut then = std::mem::take(&mut g.body);
        then.for_each_use(&mut |value| *value = *inside.get(value).unwrap_or(value));
        then.yields.extend(&g.carried[own.len()..]);
        let early = match g.descending {
            true => CompareOp::Le,
            false => CompareOp::Ge,
        };
        let mut build = self.kernel.build(&mut g.body.ops, span);
        let guard = build.compare(early, g.iv, lo);
        g.body.yields = build.branch(guard, then, otherwise);
        g.parallel = false;
        f.body.ops.push(nest);
        f.body.ops.append(&mut rest.ops);
        f.body.yields = rest.yields;
    }
}
