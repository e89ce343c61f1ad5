//! Whether what follows a fill writes each element of the array before it reads it.
//!
//! Two kinds of knowledge grow along the operations: that all elements of which the first index lies below a bound are written
//! (where a loop goes up, by induction: below its own variable in each iteration), and patches, of which each index is a sum of
//! loop variables that have not ended yet and runs through some multiples besides.

use super::touch::{arrays, touches};
use super::trip::Trip;
use super::values::{Affine, Values};
use crate::ir::{ArrayId, Element, For, Kernel, Op, OpKind, ValueId};
use num_traits::{One, ToPrimitive};
use std::collections::BTreeMap;

/// Most patches at a time, and most operations looked at; beyond, nothing is known.
const MOST_PATCHES: usize = 64;
const EFFORT: usize = 1_000_000;

/// What operations do to an array that was filled before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// They write every element, each before they read it.
    All,
    /// They read only elements that they have written.
    WhatIsRead,
    /// They may read what they have not written.
    Open,
}

/// Follows what is done to `array`, of at least one dimension, by operations that come one after the other.
pub fn follow<'b>(
    kernel: &Kernel,
    values: &Values,
    array: ArrayId,
    ops: impl IntoIterator<Item = &'b Op>,
) -> Found {
    let Some(mut search) = Search::of(kernel, values, array) else {
        return Found::Open;
    };
    match search.all(ops, Known::default()) {
        Some(known) if search.is_all(&known) => Found::All,
        Some(_) => Found::WhatIsRead,
        None => Found::Open,
    }
}

/// Whether operations that come one after the other, without calls, write every element of `array`, of at least one dimension,
/// whatever they read.
pub fn is_written_whole<'b>(
    kernel: &Kernel,
    values: &Values,
    array: ArrayId,
    ops: impl IntoIterator<Item = &'b Op>,
) -> bool {
    let Some(mut search) = Search::of(kernel, values, array) else {
        return false;
    };
    search.reads_matter = false;
    let known = search.all(ops, Known::default());
    known.is_some_and(|known| search.is_all(&known))
}

fn extents(shape: &[u64]) -> Option<Vec<i128>> {
    let extents: Vec<i128> = shape.iter().map(|&extent| extent.into()).collect();
    (!extents.is_empty()).then_some(extents)
}

/// What is written for certain.
#[derive(Clone, Default)]
struct Known {
    /// All elements of which the first index is below.
    below: Affine,
    patches: Vec<Patch>,
}

/// The elements at all sums of one index of each dimension.
type Patch = Vec<Index>;

/// `first + stride * k` for all `k` below `count`, of all strides together.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Index {
    /// Loop variables with their coefficients.
    terms: Vec<(ValueId, i128)>,
    /// What the strides run through, without repetition; strides are positive.
    strides: Vec<(i128, i128)>,
    constant: i128,
}

impl Index {
    /// Takes the variable of a loop that ends, with what it ran through; whether it was in the sum.
    fn end(&mut self, iv: ValueId, run: &Run) -> Option<bool> {
        let Some(at) = self.terms.iter().position(|term| term.0 == iv) else {
            return Some(false);
        };
        let (_, coefficient) = self.terms.remove(at);
        let by = coefficient.checked_mul(run.step)?;
        let first = coefficient.checked_mul(run.lo)?;
        let back = by.checked_mul(run.count - 1)?.min(0);
        self.constant = self.constant.checked_add(first)?.checked_add(back)?;
        self.add(by.abs(), run.count);
        Some(true)
    }

    fn add(&mut self, stride: i128, count: i128) {
        if count > 1 {
            self.strides.push((stride, count));
            self.strides.sort_unstable();
        }
    }

    /// How many neighbours it runs through from its first on; `None`: others.
    fn width(&self) -> Option<i128> {
        let mut width = 1i128;
        for &(stride, count) in &self.strides {
            if stride != width {
                return None;
            }
            width = width.checked_mul(count)?;
        }
        Some(width)
    }
}

/// What a loop's variable runs through, at least once.
struct Run {
    lo: i128,
    step: i128,
    count: i128,
}

impl Run {
    fn of(values: &Values, f: &For) -> Option<Run> {
        let trip = Trip::of(f, |value| values.constant(value).cloned())?;
        if trip.count < One::one() {
            return None;
        }
        Some(Run {
            lo: trip.lo.to_i128()?,
            step: trip.step.to_i128()?,
            count: trip.count.to_i128()?,
        })
    }
}

struct Search<'v> {
    values: &'v Values,
    array: ArrayId,
    extents: Vec<i128>,
    /// Variables of the loops around.
    ivs: Vec<ValueId>,
    /// What an iteration of a loop around has written before the loop inside.
    seen: Vec<Patch>,
    effort: usize,
    reads_matter: bool,
}

impl<'v> Search<'v> {
    fn of(kernel: &Kernel, values: &'v Values, array: ArrayId) -> Option<Search<'v>> {
        Some(Search {
            values,
            array,
            extents: extents(&kernel.arrays[array].shape)?,
            ivs: Vec::new(),
            seen: Vec::new(),
            effort: EFFORT,
            reads_matter: true,
        })
    }

    /// What is known after operations; `None`: they may read what was not written.
    fn all<'b>(
        &mut self,
        ops: impl IntoIterator<Item = &'b Op>,
        mut known: Known,
    ) -> Option<Known> {
        for op in ops {
            self.effort = self.effort.checked_sub(1)?;
            known = self.one(op, known)?;
        }
        Some(known)
    }

    fn one(&mut self, op: &Op, mut known: Known) -> Option<Known> {
        match &op.kind {
            OpKind::Load { at, .. } if at.array == self.array && self.reads_matter => {
                return self.is_written(&known, &at.indices).then_some(known);
            }
            OpKind::Store { at, .. } if at.array == self.array => self.note(&mut known, at),
            OpKind::For(f) => return self.nest(op, f, known),
            OpKind::If(i) => {
                let then = self.all(&i.then.ops, known.clone())?;
                let otherwise = self.all(&i.otherwise.ops, known.clone())?;
                return Some(self.either(known, then, otherwise));
            }
            kind if !kind.blocks().is_empty() => {
                // What is done here may be done never, or never again.
                for inner in kind.blocks() {
                    self.all(&inner.ops, known.clone())?;
                }
            }
            kind => {
                let (read, written) = arrays(kind);
                if read.contains(&self.array) && self.reads_matter && !self.is_all(&known) {
                    return None;
                }
                if written.contains(&self.array) {
                    known.below = constant(self.extents[0]);
                }
            }
        }
        Some(known)
    }

    fn nest(&mut self, op: &Op, f: &For, mut known: Known) -> Option<Known> {
        if !touches(op, self.array) {
            return Some(known);
        }
        self.settle(&mut known);
        let seen = self.seen.len();
        self.seen.extend(known.patches.iter().cloned());
        let ended = self.run(f, known);
        self.seen.truncate(seen);
        ended
    }

    /// What is known after a loop that accesses the array.
    fn run(&mut self, f: &For, known: Known) -> Option<Known> {
        let Some(run) = Run::of(self.values, f) else {
            self.iteration(f, known.below.clone())?;
            return Some(known);
        };
        if known.below == constant(run.lo) && run.step > 0 {
            let iv = self.values.affine(f.iv);
            let after = self.iteration(f, iv.clone());
            let moved = after.and_then(|after| after.below.plus(&iv, -1));
            if moved == Some(constant(run.step)) {
                let end = run.step.checked_mul(run.count)?.checked_add(run.lo)?;
                let below = constant(end);
                return Some(Known { below, ..known });
            }
        }
        let after = self.iteration(f, known.below.clone())?;
        Some(self.ended(f.iv, &run, known, after))
    }

    /// What is known after an iteration of a loop.
    fn iteration(&mut self, f: &For, below: Affine) -> Option<Known> {
        let patches = Vec::new();
        self.ivs.push(f.iv);
        let after = self.all(&f.body.ops, Known { below, patches });
        self.ivs.pop();
        let mut after = after?;
        self.settle(&mut after);
        Some(after)
    }

    /// What is known after a loop, of what was known before it and after any iteration.
    fn ended(&self, iv: ValueId, run: &Run, mut known: Known, after: Known) -> Known {
        if after.below.terms.iter().all(|term| term.0 != iv) {
            known.below = after.below;
        }
        for mut patch in after.patches {
            let mut moved = patch.iter_mut().map(|index| index.end(iv, run));
            // A variable in two dimensions visits a diagonal.
            let count = moved.try_fold(0, |sum, moved| Some(sum + usize::from(moved?)));
            if count.is_some_and(|count| count <= 1) && known.patches.len() < MOST_PATCHES {
                known.patches.push(patch);
            }
        }
        self.settle(&mut known);
        known
    }

    /// What is known after one of two branches, which began with what was `known`.
    fn either(&self, mut known: Known, mut then: Known, mut otherwise: Known) -> Known {
        self.settle(&mut then);
        self.settle(&mut otherwise);
        if then.below == otherwise.below {
            known.below = then.below;
        }
        known.patches = then.patches;
        let is_in_both = |patch: &Patch| otherwise.patches.contains(patch);
        known.patches.retain(is_in_both);
        known
    }

    /// Takes a store into account.
    fn note(&self, known: &mut Known, at: &Element) {
        let index = |&value: &ValueId| {
            let Affine { terms, constant } = self.values.affine(value);
            let strides = Vec::new();
            let is_known = terms.iter().all(|term| self.ivs.contains(&term.0));
            is_known.then_some(Index {
                terms,
                strides,
                constant,
            })
        };
        let patch: Option<Patch> = at.indices.iter().map(index).collect();
        if let Some(patch) = patch
            && at.when.is_none()
            && known.patches.len() < MOST_PATCHES
        {
            known.patches.push(patch);
        }
    }

    fn is_written(&self, known: &Known, indices: &[ValueId]) -> bool {
        let forms: Vec<Affine> = indices.iter().map(|&v| self.values.affine(v)).collect();
        let above = known.below.plus(&forms[0], -1);
        let range = above.and_then(|above| self.values.range_of(&above));
        let is_in = |(form, index): (&Affine, &Index)| {
            form.terms == index.terms && form.constant == index.constant
        };
        range.is_some_and(|(low, _)| low >= 1)
            || self.is_all(known)
            || (known.patches.iter().chain(&self.seen))
                .any(|patch| forms.iter().zip(patch).all(is_in))
    }

    /// Whether every element is written.
    fn is_all(&self, known: &Known) -> bool {
        let mut known = known.clone();
        self.settle(&mut known);
        known.below.terms.is_empty() && known.below.constant >= self.extents[0]
    }

    /// Joins patches, and raises the bound by those that are whole rows next to it.
    fn settle(&self, known: &mut Known) {
        for dim in 0..self.extents.len() {
            join(&mut known.patches, dim);
        }
        while let Some(at) = known
            .patches
            .iter()
            .position(|patch| self.is_next(&known.below, patch))
        {
            let patch = known.patches.remove(at);
            // That is what a patch that comes next has.
            let rows = patch[0].width().unwrap_or(0);
            match known.below.plus(&constant(rows), 1) {
                Some(below) => known.below = below,
                None => return,
            }
        }
    }

    /// Whether a patch is whole rows of which the first is at `below`.
    fn is_next(&self, below: &Affine, patch: &Patch) -> bool {
        let is_whole = |(index, &extent): (&Index, &i128)| {
            index.terms.is_empty() && index.constant == 0 && index.width() == Some(extent)
        };
        let first = &patch[0];
        first.terms == below.terms
            && first.constant == below.constant
            && first.width().is_some()
            && patch.iter().zip(&self.extents).skip(1).all(is_whole)
    }
}

fn constant(constant: i128) -> Affine {
    Affine {
        terms: Vec::new(),
        constant,
    }
}

/// Patches that differ in one dimension only, where they lie at equal distances, become one.
fn join(patches: &mut Vec<Patch>, dim: usize) {
    let mut groups: BTreeMap<Patch, Vec<i128>> = BTreeMap::new();
    for mut patch in patches.drain(..) {
        let at = std::mem::take(&mut patch[dim].constant);
        groups.entry(patch).or_default().push(at);
    }
    for (patch, mut places) in groups {
        places.sort_unstable();
        places.dedup();
        for (first, stride, count) in progressions(&places) {
            let mut joined = patch.clone();
            joined[dim].constant = first;
            joined[dim].add(stride, count);
            patches.push(joined);
        }
    }
}

/// Cuts ascending numbers into arithmetic progressions, each as long as it can be: first number, distance, how many.
fn progressions(places: &[i128]) -> Vec<(i128, i128, i128)> {
    let mut found: Vec<(i128, i128, i128)> = Vec::new();
    for &place in places {
        match found.last_mut() {
            Some((first, stride, count)) if *count == 1 => (*stride, *count) = (place - *first, 2),
            Some((first, stride, count)) if *first + *stride * *count == place => *count += 1,
            _ => found.push((place, 1, 1)),
        }
    }
    found
}
