//! Elements of tiles: their places in memory, and nests of loops over them.

use super::tile_type::{Layout, Pad, Tile};
use crate::diagnostics::Span;
use crate::frontend::builder::state::Builder;
use crate::ir::{
    ArrayId, BinaryOp, Const, For, OpKind, Partition, PartitionKind, Scalar, Tags, Unroll, ValueId,
};
use num_bigint::BigUint;

/// A row or column of an element.
#[derive(Clone, Copy, Debug)]
pub struct Coordinate {
    /// Its number.
    pub value: ValueId,
    /// The size of a box, which box it is in, and where there, if the loops know.
    split: Option<(u64, ValueId, ValueId)>,
}

impl Coordinate {
    /// The one of a number.
    pub fn new(value: ValueId) -> Coordinate {
        Coordinate { value, split: None }
    }

    /// The box and the place in it.
    fn in_boxes(self, b: &mut Builder, size: u64, span: Span) -> (ValueId, ValueId) {
        match self.split {
            Some((own, outer, inner)) if own == size => (outer, inner),
            _ => (
                indexed(b, BinaryOp::Div, self.value, size, span),
                indexed(b, BinaryOp::Mod, self.value, size, span),
            ),
        }
    }
}

/// `lhs op number`, of type index.
pub fn indexed(b: &mut Builder, op: BinaryOp, lhs: ValueId, number: u64, span: Span) -> ValueId {
    match (op, number) {
        (BinaryOp::Add, 0) | (BinaryOp::Mul | BinaryOp::Div, 1) => return lhs,
        _ => {}
    }
    let rhs = b.index(number as i64, span);
    b.append(OpKind::Binary { op, lhs, rhs }, Scalar::Index, span)
}

/// The sum of two values of type index.
pub fn sum(b: &mut Builder, lhs: ValueId, rhs: ValueId, span: Span) -> ValueId {
    let op = BinaryOp::Add;
    b.append(OpKind::Binary { op, lhs, rhs }, Scalar::Index, span)
}

impl Tile {
    /// The place of an element.
    fn address(&self, b: &mut Builder, at: [Coordinate; 2], span: Span) -> ValueId {
        let [rows, columns] = self.ty.shape;
        let [high, wide] = self.ty.boxes();
        // Digits from the outermost, each with its weight.
        let [row, column] = at;
        let weights = match self.ty.layout {
            Layout::Nd => vec![(row.value, columns), (column.value, 1)],
            Layout::Dn => vec![(column.value, rows), (row.value, 1)],
            Layout::Nz | Layout::Zn | Layout::Zz => {
                let (outer_row, row) = row.in_boxes(b, high, span);
                let (outer_column, column) = column.in_boxes(b, wide, span);
                let inner = match self.ty.layout {
                    Layout::Zn => [(column, high), (row, 1)],
                    _ => [(row, wide), (column, 1)],
                };
                let outer = match self.ty.layout {
                    Layout::Nz => [(outer_column, rows * wide), (outer_row, high * wide)],
                    _ => [(outer_row, columns * high), (outer_column, high * wide)],
                };
                outer.into_iter().chain(inner).collect()
            }
        };
        let mut place: Option<ValueId> = None;
        for (digit, weight) in weights {
            let term = indexed(b, BinaryOp::Mul, digit, weight, span);
            place = Some(match place {
                None => term,
                Some(before) => sum(b, before, term, span),
            });
        }
        place.unwrap_or_else(|| b.index(0, span))
    }

    /// An element.
    pub fn load(&self, b: &mut Builder, at: [Coordinate; 2], span: Span) -> ValueId {
        let place = self.address(b, at, span);
        b.append(OpKind::load(self.array, vec![place]), self.ty.elem, span)
    }

    /// Replaces an element.
    pub fn store(&self, b: &mut Builder, at: [Coordinate; 2], value: ValueId, span: Span) {
        let place = self.address(b, at, span);
        b.push(OpKind::store(self.array, vec![place], value), vec![], span);
    }

    /// Fills what lies outside of a region with the padding, if the type has one.
    pub fn fill_padding(&self, b: &mut Builder, valid: [u64; 2], span: Span) {
        let Some(value) = padding(self.ty.pad, self.ty.elem) else {
            return;
        };
        let [rows, columns] = self.ty.shape;
        let right = ([0, valid[1]], [valid[0], columns - valid[1]]);
        let below = ([valid[0], 0], [rows - valid[0], columns]);
        for (from, extents) in [right, below] {
            nest(b, extents, [1, 1], span, |b, at| {
                let value = b.constant(self.ty.elem, value.clone(), span);
                let at = [0, 1].map(|dim| {
                    let moved = indexed(b, BinaryOp::Add, at[dim].value, from[dim], span);
                    Coordinate::new(moved)
                });
                self.store(b, at, value, span);
            });
        }
    }
}

/// The memory of a tile inside has a bank for each element that is begun in a cycle.
pub fn banks(b: &mut Builder, array: ArrayId) {
    let size: u64 = b.arrays[array].shape.iter().product();
    let factor = u64::from(b.options.lanes.0).min(size);
    if factor > 1 {
        b.arrays[array].partition = vec![Partition {
            kind: PartitionKind::Cyclic,
            dim: 0,
            factor,
        }];
    }
}

/// What padding writes.
fn padding(pad: Pad, elem: Scalar) -> Option<Const> {
    let largest = pad == Pad::Max;
    match pad {
        Pad::Null => None,
        Pad::Zero => Some(Const::zero(elem)),
        Pad::Min | Pad::Max => Some(match elem.int_range() {
            Some((low, high)) => Const::Int(if largest { high } else { low }),
            None => Const::Float(extreme(elem, largest)),
        }),
    }
}

/// The infinity of a float type, or its largest finite number where there is none.
fn extreme(elem: Scalar, positive: bool) -> BigUint {
    use crate::ir::StorageFormat::{F4E1M2, F4E2M1, F8E4M3, F8E5M2, HiF8};
    let magnitude = match elem {
        Scalar::Float(format) => ((BigUint::from(1u8) << format.exp) - 1u8) << format.frac,
        Scalar::Storage(format) => BigUint::from(match format {
            F8E4M3 => 0x7Eu8,
            F8E5M2 => 0x7C,
            HiF8 => 0x6F,
            F4E2M1 | F4E1M2 => 0x7,
        }),
        _ => BigUint::ZERO,
    };
    match positive {
        true => magnitude,
        false => magnitude | (BigUint::from(1u8) << (elem.width() - 1)),
    }
}

/// Opens a loop over an extent; gives what [`shut`] needs.
pub fn enter(b: &mut Builder, extent: u64, span: Span) -> (ValueId, [ValueId; 3]) {
    let bounds = [0, extent as i64, 1].map(|bound| b.index(bound, span));
    b.open();
    (b.value(Scalar::Index, None), bounds)
}

/// What the iterations of a loop have to do with one another.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    /// A value that they carry: before the first one, at the beginning of each, and at its end.
    pub carried: Option<[ValueId; 3]>,
    /// How many begin in a cycle.
    pub side_by_side: u64,
    /// Whether they are independent.
    pub parallel: bool,
}

impl Ends {
    /// Of independent iterations.
    pub fn apart(side_by_side: u64) -> Ends {
        Ends {
            carried: None,
            side_by_side,
            parallel: true,
        }
    }
}

/// Closes the innermost loop; gives the carried value after it.
pub fn shut(
    b: &mut Builder,
    (iv, [lo, hi, step]): (ValueId, [ValueId; 3]),
    ends: Ends,
    span: Span,
) -> Option<ValueId> {
    let (carried, side_by_side) = (ends.carried, ends.side_by_side);
    let [init, inside, next] = carried.map_or([None; 3], |carried| carried.map(Some));
    let body = b.close(next.into_iter().collect());
    let results = init.map(|init| b.value(b.values[init].ty, None));
    let unroll = (side_by_side > 1).then_some(Unroll::By(side_by_side as u32));
    let tags = Tags {
        unroll,
        ..Tags::default()
    };
    let nest = For {
        lo,
        hi,
        step,
        descending: false,
        inits: init.into_iter().collect(),
        iv,
        carried: inside.into_iter().collect(),
        body,
        parallel: ends.parallel,
        label: "tile".to_owned(),
        tags,
    };
    b.push(
        OpKind::For(Box::new(nest)),
        results.into_iter().collect(),
        span,
    );
    results
}

/// A nest of loops over rows and columns, those of boxes of the given sizes apart; the innermost one has as many iterations side
/// by side as the options say.
pub fn nest(
    b: &mut Builder,
    extents: [u64; 2],
    boxes: [u64; 2],
    span: Span,
    add: impl FnOnce(&mut Builder, [Coordinate; 2]),
) {
    if extents.contains(&0) {
        return;
    }
    let mut open = Vec::new();
    let mut at = Vec::new();
    for (extent, size) in extents.into_iter().zip(boxes) {
        at.push(coordinate(b, extent, size, &mut open, span));
    }
    add(b, [at[0], at[1]]);
    let mut side_by_side = u64::from(b.options.lanes.0);
    while let Some((iv, bounds, extent)) = open.pop() {
        side_by_side = side_by_side.min(extent);
        shut(b, (iv, bounds), Ends::apart(side_by_side), span);
        side_by_side = 1;
    }
}

/// Loops of a nest: variable, bounds, iterations.
type Open = Vec<(ValueId, [ValueId; 3], u64)>;

/// Opens the loops of one dimension.
pub fn coordinate(
    b: &mut Builder,
    extent: u64,
    size: u64,
    open: &mut Open,
    span: Span,
) -> Coordinate {
    let mut over = |b: &mut Builder, extent| {
        let (iv, bounds) = enter(b, extent, span);
        open.push((iv, bounds, extent));
        iv
    };
    if size == 1 || (extent > size && !extent.is_multiple_of(size)) {
        return Coordinate::new(over(b, extent));
    }
    let outer = match extent > size {
        true => over(b, extent / size),
        false => b.index(0, span),
    };
    let inner = over(b, extent.min(size));
    let base = indexed(b, BinaryOp::Mul, outer, size, span);
    Coordinate {
        value: sum(b, base, inner, span),
        split: Some((size, outer, inner)),
    }
}

/// The coordinate of one of the terms that a run consists of, given the coordinate of the run, the terms of each, and the size of a box.
pub fn within(
    b: &mut Builder,
    runs: Coordinate,
    (run, size): (u64, u64),
    term: u64,
    span: Span,
) -> Coordinate {
    let first = indexed(b, BinaryOp::Mul, runs.value, run, span);
    let value = indexed(b, BinaryOp::Add, first, term, span);
    let split = match runs.split {
        Some((_, outer, inner)) => {
            let inner = indexed(b, BinaryOp::Mul, inner, run, span);
            Some((size, outer, indexed(b, BinaryOp::Add, inner, term, span)))
        }
        // Each run is a box.
        None if run == size => Some((size, runs.value, b.index(term as i64, span))),
        None => None,
    };
    Coordinate { value, split }
}
