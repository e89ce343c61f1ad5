//! Products of tiles: each element of the destination is a sum in order, products and sums being rounded one by one.

use super::legality::Family;
use super::operation::{Invocation, Operation};
use super::tile::{check_shape, nothing, tile};
use super::tile_type::{Location, Tile};
use super::tiles::{Coordinate, Ends, coordinate, shut, within};
use super::vector::{choose, operations};
use crate::diagnostics::Span;
use crate::frontend::builder::state::Builder;
use crate::frontend::error::Result;
use crate::frontend::options::Profile;
use crate::frontend::values::Value;
use crate::ir::{BinaryOp, CompareOp, FloatFormat, OpKind, Scalar, StorageFormat, ValueId};

/// The operations.
pub static OPERATIONS: &[Operation] = operations! {
    "tmatmul" ("c" "a" "b") 3 |b, c| product(b, c, false);
    "tmatmul_acc" ("c" "a" "b") 3 |b, c| product(b, c, true);
};

/// Whether there is a product of the types, and whether every profile has it.
fn types(c: Scalar, a: Scalar, b: Scalar) -> Option<bool> {
    const F8: [StorageFormat; 2] = [StorageFormat::F8E4M3, StorageFormat::F8E5M2];
    let float = |ty| Scalar::Float(ty);
    let small = |ty| matches!(ty, Scalar::Storage(format) if F8.contains(&format));
    let wide = [FloatFormat::F16, FloatFormat::BF16, FloatFormat::F32].map(float);
    if c == Scalar::signed(32) {
        return [a, b]
            .iter()
            .all(|ty| *ty == Scalar::signed(8))
            .then_some(true);
    }
    if c != float(FloatFormat::F32) {
        return None;
    }
    let hif8 = Scalar::Storage(StorageFormat::HiF8);
    match a == b && wide.contains(&a) {
        true => Some(true),
        false => ((small(a) && small(b)) || (a == hif8 && b == hif8)).then_some(false),
    }
}

fn check(b: &Builder, call: &Invocation, tiles: &[Tile; 3]) -> Result<()> {
    let [c, left, right] = tiles;
    let elems = [c, left, right].map(|tile| tile.ty.elem);
    let Some(everywhere) = types(elems[0], elems[1], elems[2]) else {
        let message = format!(
            "has no product of {} and {} in {}",
            elems[1], elems[2], elems[0]
        );
        return call.refuse(Family::Type, message, call.span);
    };
    let shapes = [c, left, right].map(|tile| tile.ty.shape);
    let [[m, n], [_, k], [rows, _]] = shapes;
    if k != rows {
        let message = format!("contracts {k} columns with {rows} rows");
        return call.refuse(Family::Shape, message, call.span);
    }
    check_shape(call, "a", shapes[1], [m, k])?;
    check_shape(call, "b", shapes[2], [k, n])?;
    let [[m, n], [rows, k], [contracted, columns]] = [c, left, right].map(|tile| tile.ty.valid);
    if (rows, contracted, columns) != (m, k, n) {
        let message = format!(
            "a of {} is valid in {rows} x {k}, b in {contracted} x {columns}, c in {m} x {n}",
            call.op.name
        );
        return Family::Region.refuse(message, call.span);
    }
    let places = [
        ("c", c, Location::Acc),
        ("a", left, Location::Left),
        ("b", right, Location::Right),
    ];
    for (name, tile, needed) in places {
        if tile.ty.loc != needed {
            let found = tile.ty.loc.name();
            let message = format!(
                "operand {name} of {} is {found}, needs {}",
                call.op.name,
                needed.name()
            );
            return Family::Location.refuse(message, call.span);
        }
    }
    if !everywhere && b.options.profile == Profile::A2a3 {
        let message = format!("{} of {} needs a5 or cpu, not a2a3", call.op.name, elems[1]);
        return Family::Profile.refuse(message, call.span);
    }
    Ok(())
}

/// How many products of a sum stand in a row: a power of two that divides the terms, and a box.
fn run(terms: u64, boxes: u64, lanes: u64) -> u64 {
    let mut run = lanes.min(boxes);
    while !terms.is_multiple_of(run) {
        run /= 2;
    }
    run
}

/// The loop over runs of terms is the outermost, so that an element is not added to again before its sum is there.
fn product(b: &mut Builder, call: &Invocation, accumulates: bool) -> Result<Value> {
    let tiles = [tile(call, "c")?, tile(call, "a")?, tile(call, "b")?];
    check(b, call, &tiles)?;
    let [c, left, right] = &tiles;
    let (span, [m, n], terms) = (call.span, c.ty.valid, left.ty.valid[1]);
    let lanes = u64::from(b.options.lanes.0);
    let size = left.ty.boxes()[1];
    let run = run(terms, size, lanes);
    let mut open = Vec::new();
    let runs = coordinate(b, terms / run, size / run, &mut open, span);
    let in_order = open.len();
    let row = coordinate(b, m, c.ty.boxes()[0], &mut open, span);
    let column = coordinate(b, n, c.ty.boxes()[1], &mut open, span);
    let mut total = c.load(b, [row, column], span);
    if !accumulates {
        let rhs = b.index(0, span);
        let op = CompareOp::Eq;
        let lhs = runs.value;
        let first = b.append(OpKind::Compare { op, lhs, rhs }, Scalar::BOOL, span);
        let zero = b.zero(c.ty.elem, span);
        total = choose(b, first, zero, total, span);
    }
    for term in 0..run {
        let at = within(b, runs, (run, size), term, span);
        total = add_term(b, (left, right), [row, at, column], total, span);
    }
    c.store(b, [row, column], total, span);
    let mut side_by_side = lanes / run;
    while let Some((iv, bounds, extent)) = open.pop() {
        let ends = Ends {
            parallel: open.len() >= in_order,
            ..Ends::apart(side_by_side.min(extent))
        };
        shut(b, (iv, bounds), ends, span);
        side_by_side = 1;
    }
    nothing()
}

fn add_term(
    b: &mut Builder,
    (left, right): (&Tile, &Tile),
    [row, term, column]: [Coordinate; 3],
    total: ValueId,
    span: Span,
) -> ValueId {
    let ty = b.values[total].ty;
    let [lhs, rhs] = [(left, [row, term]), (right, [term, column])].map(|(tile, at)| {
        let arg = tile.load(b, at, span);
        let arg = b.flushed_operand(arg, span);
        match tile.ty.elem == ty {
            true => arg,
            false => b.append(OpKind::Cast { arg }, ty, span),
        }
    });
    let op = BinaryOp::Mul;
    let rhs = b.emit(OpKind::Binary { op, lhs, rhs }, ty, span);
    let op = BinaryOp::Add;
    let lhs = total;
    b.emit(OpKind::Binary { op, lhs, rhs }, ty, span)
}
