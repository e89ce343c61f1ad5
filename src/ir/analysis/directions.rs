//! Directions of dependences: in which order the loops of a perfect nest may stand (Allen and Kennedy, Optimizing Compilers
//! for Modern Architectures, 2001, section 5.2).
//!
//! Two iterations depend on one another if they touch an element in common, one of them writing it. They differ, in each
//! loop, by nothing, forwards or backwards; of every combination that the subscripts allow, the loop that comes first decides
//! which iteration is the earlier one. In another order of the loops it has to be the same one.

use super::trip::Trip;
use super::{Affine, Values, touch};
use crate::diagnostics::Span;
use crate::ir::{ArrayId, Block, Element, For, Op, ValueId};
use num_integer::Integer;
use num_traits::ToPrimitive;
use std::collections::BTreeSet;

/// Most accesses of arrays: every two are compared.
const MANY: usize = 200;

/// Most loops: every combination of directions is tried.
pub const MOST_LOOPS: usize = 6;

/// All combinations of -1, 0 and 1.
fn directions(loops: usize) -> impl Iterator<Item = Vec<i128>> {
    let combinations = 3usize.pow(loops as u32);
    (0..combinations).map(move |mut number| {
        let digits = (0..loops).map(|_| {
            let digit = number % 3;
            number /= 3;
            digit as i128 - 1
        });
        digits.collect()
    })
}

/// Whether the second of two iterations is the later one.
fn is_forwards(mut directions: impl Iterator<Item = i128>) -> bool {
    directions.find(|direction| *direction != 0) == Some(1)
}

/// What accesses arrays other than `free`. Error: too much.
fn uses<'b>(body: &'b Block, free: &BTreeSet<ArrayId>) -> Result<Vec<&'b Op>, Span> {
    let mut uses = Vec::new();
    body.for_each_op(&mut |op| {
        let (reads, writes) = touch::arrays(&op.kind);
        let mut arrays = reads.iter().chain(&writes);
        if arrays.any(|array| !free.contains(array)) {
            uses.push(op);
        }
    });
    match uses.get(MANY) {
        Some(op) => Err(op.span),
        None => Ok(uses),
    }
}

/// Least and greatest integer.
type Interval = (i128, i128);

/// `sum(weight of a loop * what its induction variable grows by) + rest = 0`, where the rest is somewhere in an interval.
struct Equation {
    weights: Vec<i128>,
    rest: Interval,
}

/// The loops of a perfect nest.
pub struct Nest<'a> {
    values: &'a Values,
    loops: Vec<&'a For>,
    /// Of each loop: what its induction variable grows by from an iteration to the next, and how many iterations there
    /// may be between two.
    steps: Vec<(Option<i128>, i128)>,
    /// What is defined in the innermost loop.
    inside: BTreeSet<ValueId>,
}

/// More iterations than a loop has.
const ENDLESS: i128 = 1 << 64;

impl<'a> Nest<'a> {
    /// `loops`: outermost first; `inside`: values that are others in each iteration, but for induction variables.
    pub fn of(values: &'a Values, loops: Vec<&'a For>, inside: BTreeSet<ValueId>) -> Nest<'a> {
        let steps = loops.iter().map(|&f| {
            let trip = Trip::of(f, |value| values.constant(value).cloned());
            let count = trip.and_then(|trip| trip.count.to_i128());
            let step = values.constant(f.step).and_then(ToPrimitive::to_i128);
            (step, count.map_or(ENDLESS, |count| (count - 1).max(0)))
        });
        let steps = steps.collect();
        Nest {
            values,
            loops,
            steps,
            inside,
        }
    }

    /// Whether the loops around `body` may stand in another order, in which loop `order[i]` is the i-th. `free`: arrays of
    /// which the accesses may come in any order. Error: what forbids it.
    pub fn may_permute(
        &self,
        body: &Block,
        order: &[usize],
        free: &BTreeSet<ArrayId>,
    ) -> Result<(), Span> {
        let uses = uses(body, free)?;
        for &one in &uses {
            for &other in uses.iter().filter(|other| touch::clash(one, other)) {
                let equations = self.equations(one, other);
                let turns = |directions: &Vec<i128>| {
                    let permuted = order.iter().map(|&at| directions[at]);
                    is_forwards(directions.iter().copied())
                        && !is_forwards(permuted)
                        && self.is_possible(&equations, directions)
                };
                if directions(self.loops.len()).any(|directions| turns(&directions)) {
                    return Err(other.span);
                }
            }
        }
        Ok(())
    }

    /// Whether no iteration touches what another one writes. Error: what does.
    pub fn is_independent(&self, body: &Block) -> Result<(), Span> {
        let uses = uses(body, &BTreeSet::new())?;
        for &one in &uses {
            for &other in uses.iter().filter(|other| touch::clash(one, other)) {
                let equations = self.equations(one, other);
                let mut moving = directions(self.loops.len())
                    .filter(|directions| directions.iter().any(|direction| *direction != 0));
                if moving.any(|directions| self.is_possible(&equations, &directions)) {
                    return Err(other.span);
                }
            }
        }
        Ok(())
    }

    /// Whether an operation may touch, in a later iteration, an element that another one touches in an earlier one.
    pub fn may_meet_later(&self, earlier: &Op, later: &Op) -> bool {
        let equations = self.equations(earlier, later);
        directions(self.loops.len()).any(|directions| {
            is_forwards(directions.iter().copied()) && self.is_possible(&equations, &directions)
        })
    }

    /// What holds of two iterations in which two operations touch one element; no equation where nothing is known.
    fn equations(&self, one: &Op, other: &Op) -> Vec<Equation> {
        let elements = touch::element(&one.kind).zip(touch::element(&other.kind));
        elements.map_or(Vec::new(), |(one, other)| self.subscripts(one, other))
    }

    fn subscripts(&self, one: &Element, other: &Element) -> Vec<Equation> {
        let pairs = one.indices.iter().zip(&other.indices);
        let affine = |value: &ValueId| self.values.affine(*value);
        pairs
            .filter_map(|(one, other)| self.equation(&affine(one), &affine(other)))
            .collect()
    }

    /// The second subscript, in a later iteration, less the first one.
    fn equation(&self, one: &Affine, other: &Affine) -> Option<Equation> {
        let of = |affine: &Affine, value: ValueId| {
            let mut terms = affine.terms.iter();
            terms.find(|term| term.0 == value).map_or(0, |term| term.1)
        };
        let constant = other.constant.checked_sub(one.constant)?;
        let mut rest = (constant, constant);
        let values: BTreeSet<ValueId> = [one, other]
            .iter()
            .flat_map(|affine| affine.terms.iter().map(|term| term.0))
            .collect();
        for value in values {
            let (before, after) = (of(one, value), of(other, value));
            // What is defined inside is another value in each iteration.
            let weights = match self.inside.contains(&value) {
                true => [before.checked_neg()?, after],
                false => [after.checked_sub(before)?, 0],
            };
            for weight in weights.into_iter().filter(|weight| *weight != 0) {
                let (low, high) = self.values.range(value)?;
                let (a, b) = (low.checked_mul(weight)?, high.checked_mul(weight)?);
                rest = (rest.0.checked_add(a.min(b))?, rest.1.checked_add(a.max(b))?);
            }
        }
        let weights = self.loops.iter().map(|f| of(other, f.iv)).collect();
        Some(Equation { weights, rest })
    }

    /// Whether two iterations can lie in these directions from one another and fulfil all equations.
    fn is_possible(&self, equations: &[Equation], directions: &[i128]) -> bool {
        let reaches =
            |(direction, (_, farthest)): (&i128, &(_, i128))| *direction == 0 || *farthest > 0;
        directions.iter().zip(&self.steps).all(reaches)
            && equations
                .iter()
                .all(|equation| self.has_solution(equation, directions).unwrap_or(true))
    }

    /// Whether one equation can be fulfilled, by the bounds of its sum and by its greatest common divisor; `None` if that is
    /// not known.
    fn has_solution(&self, equation: &Equation, directions: &[i128]) -> Option<bool> {
        let (mut low, mut high) = equation.rest;
        let mut divisor = 0i128;
        let moving = equation.weights.iter().zip(directions).zip(&self.steps);
        for ((&weight, &direction), &(step, farthest)) in moving {
            if weight == 0 || direction == 0 {
                continue;
            }
            let by = weight.checked_mul(step?)?.checked_mul(direction)?;
            let (near, far) = (by, by.checked_mul(farthest)?);
            low = low.checked_add(near.min(far))?;
            high = high.checked_add(near.max(far))?;
            divisor = divisor.gcd(&by);
        }
        let (first, last) = equation.rest;
        let divides = first != last || divisor == 0 || first % divisor == 0;
        Some(low <= 0 && high >= 0 && divides)
    }
}
