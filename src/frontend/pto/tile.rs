//! Operations on tiles: statements, the destination first.

use super::classes::{WIDE, is_integer, is_wide};
use super::conversion::{Asked, check_pair, lower_conversion};
use super::crosswise::neutral;
use super::legality::Family;
use super::operation::{Invocation, Operation};
use super::tile_type::{Layout, Location, Pad, Tile};
use super::tiles::{Coordinate, Ends, enter, indexed, nest, shut};
use super::vector::{check_class, operations, scalar_of};
use crate::diagnostics::Span;
use crate::frontend::builder::state::Builder;
use crate::frontend::constant::ConstValue;
use crate::frontend::error::Result;
use crate::frontend::options::Profile;
use crate::frontend::values::{Typed, Value, describe};
use crate::ir::{BinaryOp, Const, OpKind, Scalar, UnaryOp, ValueId};
use num_traits::ToPrimitive;

/// The operations.
pub static OPERATIONS: &[Operation] = operations! {
    "tadd" ("dst" "a" "b") 3 |b, c| binary(b, c, BinaryOp::Add);
    "tsub" ("dst" "a" "b") 3 |b, c| binary(b, c, BinaryOp::Sub);
    "tmul" ("dst" "a" "b") 3 |b, c| binary(b, c, BinaryOp::Mul);
    "tmax" ("dst" "a" "b") 3 |b, c| binary(b, c, BinaryOp::Max);
    "tmin" ("dst" "a" "b") 3 |b, c| binary(b, c, BinaryOp::Min);
    "tdiv" ("dst" "a" "b") 3 |b, c| binary(b, c, BinaryOp::Div);
    "tadds" ("dst" "a" "s") 3 |b, c| with_scalar(b, c, BinaryOp::Add);
    "tsubs" ("dst" "a" "s") 3 |b, c| with_scalar(b, c, BinaryOp::Sub);
    "tmuls" ("dst" "a" "s") 3 |b, c| with_scalar(b, c, BinaryOp::Mul);
    "tmaxs" ("dst" "a" "s") 3 |b, c| with_scalar(b, c, BinaryOp::Max);
    "tmins" ("dst" "a" "s") 3 |b, c| with_scalar(b, c, BinaryOp::Min);
    "tdivs" ("dst" "a" "s") 3 |b, c| with_scalar(b, c, BinaryOp::Div);
    "tabs" ("dst" "a") 2 |b, c| unary(b, c, Some(UnaryOp::Abs));
    "tneg" ("dst" "a") 2 |b, c| unary(b, c, Some(UnaryOp::Neg));
    "tsqrt" ("dst" "a") 2 |b, c| unary(b, c, Some(UnaryOp::Sqrt));
    "trelu" ("dst" "a") 2 |b, c| unary(b, c, None);
    "texpands" ("dst" "s") 2 expand_scalar;
    "tfillpad" ("dst" "src") 2 fill_padding;
    "ttrans" ("dst" "src") 2 transpose;
    "trowexpand" ("dst" "src") 2 expand_rows;
    "trowsum" ("dst" "src") 2 |b, c| reduce(b, c, BinaryOp::Add, 1);
    "trowmax" ("dst" "src") 2 |b, c| reduce(b, c, BinaryOp::Max, 1);
    "trowmin" ("dst" "src") 2 |b, c| reduce(b, c, BinaryOp::Min, 1);
    "tcolsum" ("dst" "src") 2 |b, c| reduce(b, c, BinaryOp::Add, 0);
    "tcolmax" ("dst" "src") 2 |b, c| reduce(b, c, BinaryOp::Max, 0);
    "tcolmin" ("dst" "src") 2 |b, c| reduce(b, c, BinaryOp::Min, 0);
};

/// What a statement gives.
pub fn nothing() -> Result<Value> {
    Ok(ConstValue::None.into())
}

/// The tile that is given for a parameter.
pub fn tile(call: &Invocation, name: &str) -> Result<Tile> {
    let operand = call.operand(name)?;
    match &operand.value {
        Value::Tile(tile) => Ok(tile.clone()),
        other => {
            let message = format!("needs a tile for {name}, found {}", describe(other));
            call.refuse(Family::Type, message, operand.span)
        }
    }
}

/// Tiles of one element type, the destination first.
pub fn alike(call: &Invocation, names: &[&str]) -> Result<Vec<Tile>> {
    let found = names.iter().map(|name| tile(call, name));
    let tiles = found.collect::<Result<Vec<_>>>()?;
    let first = tiles[0].ty.elem;
    match tiles.iter().find(|tile| tile.ty.elem != first) {
        None => Ok(tiles),
        Some(other) => {
            let message = format!(
                "needs equal element types, found {first} and {}",
                other.ty.elem
            );
            call.refuse(Family::Type, message, call.span)
        }
    }
}

/// Refuses small floats, with which nothing is computed.
fn check_computed(call: &Invocation, elem: Scalar) -> Result<()> {
    match is_wide(elem) || is_integer(elem) {
        true => Ok(()),
        false => call.refuse(
            Family::Type,
            format!("does not compute with {elem}"),
            call.span,
        ),
    }
}

/// Refuses one tile as destination and source.
pub fn check_apart(call: &Invocation, tiles: &[Tile]) -> Result<()> {
    match tiles[1..]
        .iter()
        .any(|source| source.array == tiles[0].array)
    {
        false => Ok(()),
        true => call.refuse(
            Family::Attribute,
            "has its destination as a source",
            call.span,
        ),
    }
}

/// Refuses another number of rows or columns than is needed.
pub fn check_shape(call: &Invocation, what: &str, found: [u64; 2], needed: [u64; 2]) -> Result<()> {
    if found == needed {
        return Ok(());
    }
    let ([a, b], [c, d]) = (found, needed);
    call.refuse(
        Family::Shape,
        format!("needs {c} x {d} for {what}, found {a} x {b}"),
        call.span,
    )
}

/// Refuses a source that is not valid wherever it is read.
pub fn check_region(
    call: &Invocation,
    source: usize,
    found: [u64; 2],
    needed: [u64; 2],
) -> Result<()> {
    if found[0] >= needed[0] && found[1] >= needed[1] {
        return Ok(());
    }
    let ([a, b], [c, d]) = (found, needed);
    let name = call.op.name;
    let message =
        format!("source {source} of {name} is valid in {a} x {b}, the destination in {c} x {d}");
    Family::Region.refuse(message, call.span)
}

/// All tiles are in vec.
fn check_in_vec(call: &Invocation, tiles: &[Tile]) -> Result<()> {
    match tiles.iter().find(|tile| tile.ty.loc != Location::Vec) {
        None => Ok(()),
        Some(tile) => {
            let message = format!("needs tiles in vec, not in {}", tile.ty.loc.name());
            call.refuse(Family::Location, message, call.span)
        }
    }
}

/// Refuses a layout that the operation does not take on the profile.
fn refuse_layout<T>(call: &Invocation, layout: Layout, profile: Profile) -> Result<T> {
    let message = format!("does not take {} on {}", layout.name(), profile.name());
    call.refuse(Family::Layout, message, call.span)
}

/// All tiles are nd, or on cpu all dn.
fn check_layouts(b: &Builder, call: &Invocation, tiles: &[Tile]) -> Result<()> {
    let profile = b.options.profile;
    if let Some(tile) = tiles.iter().find(|tile| tile.ty.layout != Layout::Nd)
        && profile != Profile::Cpu
    {
        return refuse_layout(call, tile.ty.layout, profile);
    }
    let first = tiles[0].ty.layout;
    match tiles.iter().find(|tile| tile.ty.layout != first) {
        None => Ok(()),
        Some(other) => {
            let message = format!(
                "takes one layout, not {} and {}",
                first.name(),
                other.ty.layout.name()
            );
            call.refuse(Family::Layout, message, call.span)
        }
    }
}

/// Refuses element types that the profile does not compute with.
fn check_arithmetic(b: &Builder, call: &Invocation, elem: Scalar) -> Result<()> {
    let needed = match elem {
        Scalar::Int { width: 64, .. } => Profile::Cpu,
        Scalar::Int { signed, width } if width == 8 || !signed => Profile::A5,
        _ => Profile::A2a3,
    };
    let rank = |profile| match profile {
        Profile::A2a3 => 0,
        Profile::A5 => 1,
        Profile::Cpu => 2,
    };
    if rank(b.options.profile) >= rank(needed) {
        return Ok(());
    }
    let message = format!(
        "{} of {elem} needs {}, not {}",
        call.op.name,
        if needed == Profile::Cpu {
            "cpu"
        } else {
            "a5 or cpu"
        },
        b.options.profile.name()
    );
    Family::Profile.refuse(message, call.span)
}

/// Checks what all elementwise operations ask of their tiles, beginning with the shape.
fn check_elementwise(b: &Builder, call: &Invocation, tiles: &[Tile]) -> Result<()> {
    let dst = &tiles[0].ty;
    for source in &tiles[1..] {
        check_shape(call, "a source", source.ty.shape, dst.shape)?;
    }
    for (at, source) in tiles.iter().enumerate().skip(1) {
        check_region(call, at, source.ty.valid, dst.valid)?;
    }
    check_in_vec(call, tiles)?;
    check_layouts(b, call, tiles)
}

fn emit_binary(b: &mut Builder, op: BinaryOp, lhs: ValueId, rhs: ValueId, span: Span) -> ValueId {
    let ty = b.values[lhs].ty;
    b.emit(OpKind::Binary { op, lhs, rhs }, ty, span)
}

/// Gives each element of the destination's valid region its value.
fn fill(
    b: &mut Builder,
    call: &Invocation,
    dst: &Tile,
    value: impl FnOnce(&mut Builder, [Coordinate; 2]) -> ValueId,
) -> Result<Value> {
    let span = call.span;
    nest(b, dst.ty.valid, dst.ty.boxes(), span, |b, at| {
        let value = value(b, at);
        dst.store(b, at, value, span);
    });
    nothing()
}

fn binary(b: &mut Builder, call: &Invocation, op: BinaryOp) -> Result<Value> {
    let (tiles, span) = (alike(call, &["dst", "a", "b"])?, call.span);
    let elem = tiles[0].ty.elem;
    check_computed(call, elem)?;
    if op == BinaryOp::Div {
        check_class(call, elem, &WIDE)?;
    }
    check_elementwise(b, call, &tiles)?;
    check_arithmetic(b, call, elem)?;
    fill(b, call, &tiles[0], |b, at| {
        let lhs = tiles[1].load(b, at, span);
        let rhs = tiles[2].load(b, at, span);
        emit_binary(b, op, lhs, rhs, span)
    })
}

fn with_scalar(b: &mut Builder, call: &Invocation, op: BinaryOp) -> Result<Value> {
    let (tiles, span) = (alike(call, &["dst", "a"])?, call.span);
    let elem = tiles[0].ty.elem;
    check_computed(call, elem)?;
    if op == BinaryOp::Div {
        check_class(call, elem, &WIDE)?;
    }
    let rhs = scalar_of(b, call, "s", elem)?;
    check_elementwise(b, call, &tiles)?;
    check_arithmetic(b, call, elem)?;
    fill(b, call, &tiles[0], |b, at| {
        let lhs = tiles[1].load(b, at, span);
        emit_binary(b, op, lhs, rhs, span)
    })
}

/// An operation of one operand; without one, the larger of it and zero.
fn unary(b: &mut Builder, call: &Invocation, op: Option<UnaryOp>) -> Result<Value> {
    let (tiles, span) = (alike(call, &["dst", "a"])?, call.span);
    let elem = tiles[0].ty.elem;
    check_computed(call, elem)?;
    if op == Some(UnaryOp::Sqrt) {
        check_class(call, elem, &WIDE)?;
    }
    if is_integer(elem) && !elem.is_signed() {
        return call.refuse(
            Family::Type,
            format!("takes no unsigned integers, found {elem}"),
            span,
        );
    }
    check_elementwise(b, call, &tiles)?;
    check_arithmetic(b, call, elem)?;
    fill(b, call, &tiles[0], |b, at| {
        let arg = tiles[1].load(b, at, span);
        match op {
            Some(op) => b.emit(OpKind::Unary { op, arg }, elem, span),
            None => {
                let zero = b.zero(elem, span);
                emit_binary(b, BinaryOp::Max, arg, zero, span)
            }
        }
    })
}

fn expand_scalar(b: &mut Builder, call: &Invocation) -> Result<Value> {
    let dst = tile(call, "dst")?;
    let value = scalar_of(b, call, "s", dst.ty.elem)?;
    check_in_vec(call, std::slice::from_ref(&dst))?;
    fill(b, call, &dst, |_, _| value)
}

/// `tcvt` of tiles, whose operands have the names of the one of scalars.
pub fn convert(b: &mut Builder, call: &Invocation) -> Result<Value> {
    let (dst, src, span) = (tile(call, "x")?, tile(call, "T")?, call.span);
    check_pair(src.ty.elem, dst.ty.elem, span)?;
    let asked = Asked::of(call)?;
    let tiles = [dst, src];
    check_elementwise(b, call, &tiles)?;
    let [dst, src] = &tiles;
    fill(b, call, dst, |b, at| {
        let value = Typed {
            id: src.load(b, at, span),
            ty: src.ty.elem,
        };
        lower_conversion(b, value, dst.ty.elem, asked, span)
    })
}

fn fill_padding(b: &mut Builder, call: &Invocation) -> Result<Value> {
    let (tiles, span) = (alike(call, &["dst", "src"])?, call.span);
    let [dst, src] = &tiles[..] else {
        return nothing();
    };
    if dst.ty.pad == Pad::Null {
        return call.refuse(
            Family::Attribute,
            "needs a destination with pad, not null",
            span,
        );
    }
    check_shape(call, "the source", src.ty.shape, dst.ty.shape)?;
    check_in_vec(call, &tiles)?;
    check_layouts(b, call, &tiles)?;
    nest(b, src.ty.valid, dst.ty.boxes(), span, |b, at| {
        let value = src.load(b, at, span);
        dst.store(b, at, value, span);
    });
    dst.fill_padding(b, src.ty.valid, span);
    nothing()
}

fn transpose(b: &mut Builder, call: &Invocation) -> Result<Value> {
    let (tiles, span) = (alike(call, &["dst", "src"])?, call.span);
    let (dst, src) = (&tiles[0], &tiles[1]);
    let turned = |[rows, columns]: [u64; 2]| [columns, rows];
    check_apart(call, &tiles)?;
    check_shape(call, "the source", src.ty.shape, turned(dst.ty.shape))?;
    check_region(call, 1, turned(src.ty.valid), dst.ty.valid)?;
    check_in_vec(call, &tiles)?;
    check_layouts(b, call, &tiles)?;
    fill(b, call, dst, |b, [row, column]| {
        src.load(b, [column, row], span)
    })
}

fn expand_rows(b: &mut Builder, call: &Invocation) -> Result<Value> {
    let (tiles, span) = (alike(call, &["dst", "src"])?, call.span);
    let (dst, src) = (&tiles[0], &tiles[1]);
    check_apart(call, &tiles)?;
    check_shape(
        call,
        "the source",
        src.ty.shape,
        [dst.ty.shape[0], src.ty.shape[1]],
    )?;
    check_region(call, 1, src.ty.valid, [dst.ty.valid[0], 1])?;
    check_in_vec(call, &tiles)?;
    check_layouts(b, call, &tiles)?;
    let first = Coordinate::new(b.index(0, span));
    fill(b, call, dst, |b, [row, _]| src.load(b, [row, first], span))
}

/// Reductions along dimension `dim` of the source, into the first column or row of the destination.
fn reduce(b: &mut Builder, call: &Invocation, op: BinaryOp, dim: usize) -> Result<Value> {
    let tiles = alike(call, &["dst", "src"])?;
    let (dst, src) = (&tiles[0], &tiles[1]);
    let elem = dst.ty.elem;
    check_computed(call, elem)?;
    check_apart(call, &tiles)?;
    let kept = 1 - dim;
    let mut needed = src.ty.shape;
    needed[kept] = dst.ty.shape[kept];
    check_shape(call, "the source", src.ty.shape, needed)?;
    if src.ty.valid[kept] != dst.ty.valid[kept] {
        let mut region = src.ty.valid;
        region[kept] = dst.ty.valid[kept];
        let ([a, b], [c, d]) = (src.ty.valid, region);
        let message = format!(
            "source 1 of {} is valid in {a} x {b}, and needs {c} x {d}",
            call.op.name
        );
        return Family::Region.refuse(message, call.span);
    }
    check_in_vec(call, &tiles)?;
    let column = dim == 1 && dst.ty.layout == Layout::Dn && dst.ty.shape[1] == 1;
    for (tile, may_be_column) in [(dst, column), (src, false)] {
        if tile.ty.layout != Layout::Nd && !may_be_column {
            return refuse_layout(call, tile.ty.layout, b.options.profile);
        }
    }
    check_arithmetic(b, call, elem)?;
    accumulate(b, call.span, (dst, src), op, dim);
    nothing()
}

fn accumulate(b: &mut Builder, span: Span, (dst, src): (&Tile, &Tile), op: BinaryOp, dim: usize) {
    let (elem, kept) = (dst.ty.elem, 1 - dim);
    let start: Const = neutral(op, elem);
    let first = Coordinate::new(b.index(0, span));
    let outer = enter(b, src.ty.valid[kept], span);
    let init = b.constant(elem, start, span);
    let inner = enter(b, src.ty.valid[dim], span);
    let inside = b.value(elem, None);
    let mut at = [Coordinate::new(outer.0); 2];
    at[dim] = Coordinate::new(inner.0);
    let value = src.load(b, at, span);
    let next = emit_binary(b, op, inside, value, span);
    let ends = Ends {
        carried: Some([init, inside, next]),
        side_by_side: 1,
        parallel: false,
    };
    let total = shut(b, inner, ends, span);
    at[dim] = first;
    dst.store(b, at, total.unwrap_or(init), span);
    shut(b, outer, Ends::apart(1), span);
}

/// An offset that is known while compiling.
pub fn constant(call: &Invocation, name: &str) -> Result<u64> {
    let operand = call.operand(name)?;
    match &operand.value {
        Value::Const(ConstValue::Int(at)) => match at.to_u64() {
            Some(at) => Ok(at),
            None => call.refuse(
                Family::Shape,
                format!("has no row or column {at}"),
                operand.span,
            ),
        },
        other => {
            let message = format!(
                "needs a compile-time int for {name}, found {}",
                describe(other)
            );
            call.refuse(Family::Attribute, message, operand.span)
        }
    }
}

/// A coordinate so much further on.
pub fn moved(b: &mut Builder, at: Coordinate, by: u64, span: Span) -> Coordinate {
    match by {
        0 => at,
        _ => Coordinate::new(indexed(b, BinaryOp::Add, at.value, by, span)),
    }
}
