//! A window that moves along an array with a loop: a local array holds what an iteration reads; the next one keeps what both
//! read, one step further on, and loads the rest (line buffers and windows).
//!
//! With `ring`, elements stay where they are and are found by their index modulo the extent, so that nothing is moved.

use super::band::Refusal;
use super::buffer_at::take_body;
use super::local_copy::{make, nest, redirect, sum, with, within};
use crate::diagnostics::Span;
use crate::ir::analysis::footprint::{self, Footprint, Side};
use crate::ir::analysis::{Affine, Values};
use crate::ir::*;
use num_bigint::BigInt;
use num_traits::ToPrimitive;

/// Most elements that are moved side by side, and that have memories of their own.
const MOST: u64 = 64;

/// A window along one dimension.
struct Window {
    array: ArrayId,
    local: ArrayId,
    /// What the iteration reads of the array.
    sides: Vec<Side>,
    /// What the first iteration reads.
    at_first: Vec<Affine>,
    /// The dimension along which it moves.
    dim: usize,
    /// By how much the first index grows from an iteration to the next.
    shift: i128,
    is_ring: bool,
    span: Span,
}

/// What was made.
pub struct Made {
    /// The window.
    pub local: ArrayId,
    /// Dimensions of which every index is best a memory of its own.
    pub spread: Vec<usize>,
}

/// Has the iterations of the loop at a path read an array from a window that moves with them.
///
/// Errors: no counted loop is there; the array is written in the loop; what an iteration reads has no constant size, moves
/// along several dimensions or not at all, or has nothing in common with what the next one reads.
pub fn run(
    kernel: &mut Kernel,
    path: &[(usize, usize)],
    array: ArrayId,
    is_ring: bool,
) -> Result<Made, Refusal> {
    let values = Values::of(kernel);
    let span = kernel.body.op_at(path).map(|op| op.span);
    let (Some(f), Some(span)) = (kernel.body.for_at(path), span) else {
        return Err((None, "the axis has no counter".into()));
    };
    let shape = &kernel.arrays[array].shape;
    let found = footprint::of(&values, f, array, shape, span);
    let found = found.map_err(|(at, why)| (Some(at), why))?;
    let (dim, shift) = moves(&values, f, &found).map_err(|why| (Some(span), why))?;
    let at_first = at_first(&values, f, &found.sides);
    let at_first = at_first.ok_or((
        Some(span),
        "where the window begins depends on what the axis carries".to_string(),
    ))?;
    let extents: Vec<u64> = found.sides.iter().map(|side| side.extent).collect();
    let window = Window {
        array,
        local: make(kernel, array, "reuse", extents),
        sides: found.sides,
        at_first,
        dim,
        shift,
        is_ring,
        span,
    };
    window.put(kernel, path, &values);
    Ok(Made {
        local: window.local,
        spread: window.spread(),
    })
}

/// The dimension along which the box moves, and by how much.
fn moves(values: &Values, f: &For, found: &Footprint) -> Result<(usize, i128), String> {
    if found.is_written {
        return Err("the array is written in the loop".into());
    }
    let moving = found.sides.iter().enumerate();
    let moving: Vec<(usize, &Side)> = moving.filter(|(_, side)| side.weight != 0).collect();
    let [(dim, side)] = moving[..] else {
        return Err(match moving.is_empty() {
            true => "no subscript mentions the axis".into(),
            false => "the axis moves what is read along several dimensions".into(),
        });
    };
    let step = values.constant(f.step).and_then(ToPrimitive::to_i128);
    let shift = step.and_then(|step| step.checked_mul(side.weight));
    let shift = shift.ok_or("the step of the axis is not known")?;
    match shift.unsigned_abs() < u128::from(side.extent) && shift != 0 {
        true => Ok((dim, shift)),
        false => Err("an iteration reads nothing that the one before has read".into()),
    }
}

/// Where the box begins in the first iteration; `None` where something is not known before the loop.
fn at_first(values: &Values, f: &For, sides: &[Side]) -> Option<Vec<Affine>> {
    let lo = values.affine(f.lo);
    let known = |first: &Affine| !first.terms.iter().any(|term| f.carried.contains(&term.0));
    let each = sides.iter().map(|side| {
        let first = with(&side.first, f.iv, &lo)?;
        known(&first).then_some(first)
    });
    each.collect()
}

impl Window {
    fn extent(&self) -> u64 {
        self.sides[self.dim].extent
    }

    /// Elements that two iterations have in common along the dimension.
    fn kept(&self) -> u64 {
        self.extent() - self.fresh()
    }

    /// Elements that an iteration is the first to read.
    fn fresh(&self) -> u64 {
        self.shift.unsigned_abs() as u64
    }

    fn put(&self, kernel: &mut Kernel, path: &[(usize, usize)], values: &Values) {
        let Some((&(at, _), around)) = path.split_last() else {
            return;
        };
        let body = take_body(kernel, path);
        let body = redirect(
            kernel,
            body,
            self.array,
            self.local,
            &|build, dim, index| match self.is_ring && dim == self.dim {
                true => {
                    let index = build.cast(index, Scalar::Index);
                    self.place(build, index)
                }
                false => within(build, values, &self.sides[dim], index),
            },
        );
        let before = self.first_fill(kernel);
        let mut ops = self.next(kernel);
        ops.extend(body.ops);
        let yields = body.yields;
        if let Some(OpKind::For(f)) = kernel.body.op_at_mut(path).map(|op| &mut op.kind) {
            f.body = Block { ops, yields };
        }
        super::buffer_at::dependent(kernel, path);
        if let Some(block) = kernel.body.block_at_mut(around) {
            block.ops.splice(at..at, before);
        }
    }

    /// Where a ring has the element of an index: no index is negative that is one of the array.
    fn place(&self, build: &mut Build, index: ValueId) -> ValueId {
        let extent = build.index(self.extent());
        build.binary(BinaryOp::Mod, index, extent)
    }

    fn size(&self) -> u64 {
        let extents = self.sides.iter().map(|side| side.extent);
        extents.fold(1, u64::saturating_mul)
    }

    /// The dimensions of which all iterations stand side by side, and every index is best a memory of its own.
    fn spread(&self) -> Vec<usize> {
        match (self.size() <= MOST, self.extent() <= MOST) {
            // The elements of a ring are found by numbers that are computed.
            _ if self.is_ring => Vec::new(),
            (true, _) => (0..self.sides.len()).collect(),
            (_, true) => vec![self.dim],
            _ => Vec::new(),
        }
    }

    /// A nest over all dimensions but that along which the window moves; `column` appends what is done along that.
    fn columns(
        &self,
        kernel: &mut Kernel,
        what: &str,
        column: impl FnOnce(&mut Build, &[ValueId]),
    ) -> Vec<Op> {
        let extents = self.sides.iter().map(|side| side.extent);
        let mut extents: Vec<u64> = extents.collect();
        extents[self.dim] = 1;
        let label = format!("{}_{what}", kernel.arrays[self.local].name);
        nest(kernel, &extents, &self.spread(), &label, self.span, column)
    }

    /// A loop along the dimension; `element` appends what is done with one, the counters of all dimensions given.
    fn along(
        &self,
        build: &mut Build,
        column: &[ValueId],
        (what, count): (&str, u64),
        element: impl FnOnce(&mut Build, Vec<ValueId>),
    ) {
        let label = format!("{}_{what}", build.kernel.arrays[self.local].name);
        let unrolled: &[usize] = match self.spread().contains(&self.dim) {
            true => &[0],
            false => &[],
        };
        let ops = nest(
            build.kernel,
            &[count],
            unrolled,
            &label,
            self.span,
            |build, own| {
                let mut counters = column.to_vec();
                counters[self.dim] = own[0];
                element(build, counters);
            },
        );
        build.out.extend(ops);
    }

    /// Loads an element: that of these counters plus `inside` along the dimension, from these plus `outside` of the box at
    /// `first`.
    fn load(
        &self,
        build: &mut Build,
        counters: &[ValueId],
        first: &[&Affine],
        [inside, outside]: [u64; 2],
    ) {
        let mut from = Vec::new();
        let mut to = Vec::new();
        for (dim, (&counter, &first)) in counters.iter().zip(first).enumerate() {
            let (inside, outside) = match dim == self.dim {
                true => (inside, outside),
                false => (0, 0),
            };
            let start = sum(build, first);
            let further = plus(build, counter, outside);
            let index = build.binary(BinaryOp::Add, start, further);
            to.push(match (self.is_ring, dim == self.dim) {
                (true, true) => self.place(build, index),
                _ => plus(build, counter, inside),
            });
            from.push(index);
        }
        let value = build.load(self.array, from);
        build.store(self.local, to, value);
    }

    /// Before the first iteration: what it has in common with one that would come before, in the order of the array unless its banks
    /// let elements of several indices along the dimension be loaded at once.
    fn first_fill(&self, kernel: &mut Kernel) -> Vec<Op> {
        let first: Vec<&Affine> = self.at_first.iter().collect();
        // It is moved by the shift before it is read, unless it is a ring.
        let offsets = match self.shift > 0 {
            true => [self.fresh(), 0],
            false => [0, self.fresh()],
        };
        let extents = self.sides.iter().map(|side| side.extent);
        let mut extents: Vec<u64> = extents.collect();
        extents[self.dim] = self.kept();
        let mut banks = kernel.arrays[self.array].partition.iter();
        let spread = self.spread();
        let unrolled = match spread.len() == extents.len() || banks.any(|one| one.dim == self.dim) {
            true => &spread[..],
            false => &[],
        };
        let label = format!("{}_fill", kernel.arrays[self.local].name);
        nest(
            kernel,
            &extents,
            unrolled,
            &label,
            self.span,
            |build, counters| {
                self.load(build, counters, &first, offsets);
            },
        )
    }

    /// At the start of an iteration: what is kept is moved, and loaded what it is the first to read.
    fn next(&self, kernel: &mut Kernel) -> Vec<Op> {
        let first: Vec<&Affine> = self.sides.iter().map(|side| &side.first).collect();
        let offset = match self.shift > 0 {
            true => self.kept(),
            false => 0,
        };
        self.columns(kernel, "next", |build, column| {
            if !self.is_ring {
                self.along(build, column, ("shift", self.kept()), |build, counters| {
                    self.moved(build, counters);
                });
            }
            self.along(build, column, ("load", self.fresh()), |build, counters| {
                self.load(build, &counters, &first, [offset, offset]);
            });
        })
    }

    /// Moves an element, so that none is overwritten before it is moved.
    fn moved(&self, build: &mut Build, counters: Vec<ValueId>) {
        let (new, last) = (self.fresh(), self.extent() - 1);
        let (mut from, mut to) = (counters.clone(), counters);
        let counter = to[self.dim];
        if self.shift > 0 {
            from[self.dim] = plus(build, counter, new);
        } else {
            let last = build.index(last);
            let place = build.binary(BinaryOp::Sub, last, counter);
            let new = build.index(new);
            from[self.dim] = build.binary(BinaryOp::Sub, place, new);
            to[self.dim] = place;
        }
        let value = build.load(self.local, from);
        build.store(self.local, to, value);
    }
}

fn plus(build: &mut Build, value: ValueId, constant: u64) -> ValueId {
    if constant == 0 {
        return value;
    }
    let constant = build.index(BigInt::from(constant));
    build.binary(BinaryOp::Add, value, constant)
}
