//! A line buffer: a nest that reads a box of an array around each of its iterations walks over the whole array instead,
//! one element an iteration in row-major order, and keeps what it reads again: the box in registers, and a line of the
//! array for each of its rows but the last one, in a memory. A line hands on what it has in a column in the iteration
//! in which it gets the next one there.

use super::band::{Band, Refusal};
use super::local_copy::{make, redirect, within};
use super::restructure::{change, loops_below};
use super::reuse_at::Made;
use crate::ir::analysis::Values;
use crate::ir::analysis::footprint::{self, Side};
use crate::ir::analysis::trip::Trip;
use crate::ir::*;
use num_traits::{One, ToPrimitive};

/// Most elements of a box: they are registers.
const MOST: u64 = 64;

/// A loop of the nest, which moves the box along a dimension.
struct Axis {
    iv: ValueId,
    /// First value, and the value behind the last one.
    range: [i128; 2],
    side: Side,
    /// So many elements there are.
    extent: u64,
}

impl Axis {
    /// How far the last element of the box is from the induction variable.
    fn ahead(&self) -> i128 {
        self.side.first.constant + i128::from(self.side.extent) - 1
    }
}

/// Has the nest of which the outermost loop is at a path, one loop for each dimension of an array, get every element of
/// it once, in row-major order. Gives what was made.
///
/// Errors: there is no such nest, or its loops have steps or bounds that are not constant; what an iteration reads does
/// not move with the loops by one, has planes, or more than 64 elements, or a single one.
pub fn run(
    kernel: &mut Kernel,
    path: &[(usize, usize)],
    array: ArrayId,
) -> Result<Vec<Made>, Refusal> {
    let axes = axes(kernel, path, array)?;
    let size = axes.iter().map(|axis| axis.side.extent);
    let size = size.fold(1, u64::saturating_mul);
    let planes = axes.iter().rev().skip(2).any(|axis| axis.side.extent > 1);
    if planes || !(2..=MOST).contains(&size) {
        let why = format!("what an iteration reads is no box of 2 to {MOST} elements in a plane");
        return Err((None, why));
    }
    let mut made = Vec::new();
    change(kernel, path, axes.len(), |kernel, values, band| {
        if let Some(level) = band
            .loops
            .iter()
            .find(|level| level.f.tags.unroll.is_some())
        {
            return Err((Some(level.span), "it is to be unrolled".into()));
        }
        let buffer = Buffer::declare(kernel, array, axes);
        buffer.walk(kernel, values, band);
        made = buffer.made();
        Ok(())
    })?;
    Ok(made)
}

fn axes(kernel: &Kernel, path: &[(usize, usize)], array: ArrayId) -> Result<Vec<Axis>, Refusal> {
    let values = Values::of(kernel);
    let shape = &kernel.arrays[array].shape;
    let refused = |why: &str| (None, why.to_string());
    let loops = loops_below(kernel, path);
    let loops: Option<Vec<&For>> = loops.iter().map(|path| kernel.body.for_at(path)).collect();
    let loops = loops.unwrap_or_default();
    let Some(loops) = loops.get(..shape.len()) else {
        return Err(refused("there is no loop for each dimension"));
    };
    let Some(innermost) = loops.last() else {
        return Err(refused("it has no dimension"));
    };
    let found = footprint::of(&values, innermost, array, shape, kernel.span);
    let found = found.map_err(|(at, why)| (Some(at), why))?;
    if found.is_written {
        return Err(refused("the array is written in the loop"));
    }
    let constant = |value| values.constant(value).cloned();
    let axis = |((f, side), &extent): ((&&For, Side), &u64)| {
        let trip = Trip::of(f, constant).filter(|trip| trip.step.is_one())?;
        let lo = trip.lo.to_i128()?;
        let hi = lo.checked_add(trip.count.to_i128().filter(|&count| count > 0)?)?;
        let axis = Axis {
            iv: f.iv,
            range: [lo, hi],
            side,
            extent,
        };
        let first = lo.checked_add(axis.side.first.constant)?;
        let last = hi.checked_add(axis.ahead())? - 1;
        let moves = axis.side.first.terms == [(f.iv, 1)];
        (moves && first >= 0 && last < i128::from(extent)).then_some(axis)
    };
    let axes: Option<Vec<Axis>> = loops.iter().zip(found.sides).zip(shape).map(axis).collect();
    axes.ok_or_else(|| refused("what an iteration reads does not move with the loops, by one"))
}

struct Buffer {
    array: ArrayId,
    axes: Vec<Axis>,
    /// The elements that an iteration reads.
    window: ArrayId,
    /// Of each row of the window but the last one: what comes into it, by column.
    lines: Option<ArrayId>,
}

impl Buffer {
    fn declare(kernel: &mut Kernel, array: ArrayId, axes: Vec<Axis>) -> Buffer {
        let extents = axes.iter().map(|axis| axis.side.extent).collect();
        let window = make(kernel, array, "reuse", extents);
        let mut buffer = Buffer {
            array,
            axes,
            window,
            lines: None,
        };
        let [rows, _] = buffer.sides();
        let width = buffer.axes.last().map(|axis| axis.extent);
        if let Some(width) = width.filter(|_| rows > 1) {
            buffer.lines = Some(make(kernel, array, "lines", vec![rows - 1, width]));
        }
        buffer
    }

    /// Rows and columns of the window.
    fn sides(&self) -> [u64; 2] {
        let mut extents = self.axes.iter().rev().map(|axis| axis.side.extent);
        let columns = extents.next().unwrap_or(1);
        [extents.next().unwrap_or(1), columns]
    }

    fn made(&self) -> Vec<Made> {
        let lines = self.lines.map(|lines| Made {
            local: lines,
            spread: vec![0],
        });
        let window = Made {
            local: self.window,
            spread: (0..self.axes.len()).collect(),
        };
        lines.into_iter().chain([window]).collect()
    }

    /// Has the nest walk over the array, and do what it did where the window is full.
    fn walk(&self, kernel: &mut Kernel, values: &Values, band: &mut Band) {
        let body = std::mem::take(&mut band.body);
        band.body = redirect(
            kernel,
            body,
            self.array,
            self.window,
            &|build, dim, index| within(build, values, &self.axes[dim].side, index),
        );
        let span = band.span;
        let mut build = kernel.build(&mut band.before, span);
        let (zero, one) = (build.index(0), build.index(1));
        let mut counters = Vec::new();
        for (level, axis) in band.loops.iter_mut().zip(&self.axes) {
            let counter = build.kernel.like(axis.iv);
            let range = [zero, build.index(axis.extent), one];
            let tags = level.f.tags;
            level.f = For {
                tags,
                ..For::counted(counter, range, &level.f.label, Vec::new())
            };
            counters.push(counter);
        }
        let mut ops = Vec::new();
        let mut build = kernel.build(&mut ops, span);
        self.get(&mut build, &counters);
        for (axis, &counter) in self.axes.iter().zip(&counters) {
            let bounds = axis.range.map(|bound| bound + axis.ahead());
            let [lo, hi] = bounds.map(|bound| build.index(bound));
            if bounds[0] > 0 {
                band.guards.push(build.compare(CompareOp::Ge, counter, lo));
            }
            if bounds[1] < i128::from(axis.extent) {
                band.guards.push(build.compare(CompareOp::Lt, counter, hi));
            }
            let (lhs, rhs) = (counter, build.index(axis.ahead()));
            let op = BinaryOp::Sub;
            build.define(OpKind::Binary { op, lhs, rhs }, vec![axis.iv]);
        }
        band.begin_with(ops);
    }

    /// Gets the element of an iteration, and has the window move on to it.
    fn get(&self, build: &mut Build, counters: &[ValueId]) {
        let [rows, columns] = self.sides();
        let mut next = build.load(self.array, counters.to_vec());
        for row in (0..rows).rev() {
            for column in 1..columns {
                let from = self.element(build, row, column);
                let moved = build.load(self.window, from);
                let to = self.element(build, row, column - 1);
                build.store(self.window, to, moved);
            }
            let to = self.element(build, row, columns - 1);
            build.store(self.window, to, next);
            let column = counters.last().copied();
            if let Some((lines, column)) = self.lines.filter(|_| row > 0).zip(column) {
                let place = vec![build.index(row - 1), column];
                let above = build.load(lines, place.clone());
                build.store(lines, place, next);
                next = above;
            }
        }
    }

    /// The subscripts of an element of the window.
    fn element(&self, build: &mut Build, row: u64, column: u64) -> Vec<ValueId> {
        let rank = self.axes.len();
        let subscript = |dim: usize| match rank - dim {
            1 => column,
            2 => row,
            _ => 0,
        };
        (0..rank).map(|dim| build.index(subscript(dim))).collect()
    }
}
