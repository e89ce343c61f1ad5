//! Operations that move tiles: from and to arrays, and between locations.

use super::legality::Family;
use super::operation::{Invocation, Operation};
use super::tile::{alike, check_apart, check_region, check_shape, constant, moved, nothing, tile};
use super::tile_type::{Location, Tile};
use super::tiles::{Coordinate, nest, sum};
use super::vector::{inside, operations};
use crate::diagnostics::Span;
use crate::frontend::builder::state::Builder;
use crate::frontend::constant::ConstValue;
use crate::frontend::error::Result;
use crate::frontend::options::Profile;
use crate::frontend::values::{Value, describe};
use crate::ir::{ArrayId, BinaryOp, Element, OpKind, Scalar, ValueId};
use num_traits::ToPrimitive;

/// The operations.
pub static OPERATIONS: &[Operation] = operations! {
    "tload" ("dst" "g" "r0" "c0") 2 load;
    "tstore" ("g" "src" "r0" "c0") 2 store;
    "tmov" ("dst" "src") 2 copy;
    "textract" ("dst" "src" "r0" "c0") 4 extract;
};

/// A part of an array of rank 2.
struct Window {
    array: ArrayId,
    shape: [u64; 2],
    /// Row and column of its first element, and whether they are known.
    corner: [(ValueId, bool); 2],
}

impl Window {
    /// The array, for a tile of the element type.
    fn array(b: &Builder, call: &Invocation, tile: &Tile) -> Result<(ArrayId, Vec<u64>)> {
        let operand = call.operand("g")?;
        let Value::Array { id, .. } = operand.value else {
            let message = format!("needs an array for g, found {}", describe(&operand.value));
            return call.refuse(Family::Type, message, operand.span);
        };
        let array = &b.arrays[id];
        if array.elem != tile.ty.elem {
            let message = format!(
                "needs equal element types, found {} and {}",
                tile.ty.elem, array.elem
            );
            return call.refuse(Family::Type, message, call.span);
        }
        Ok((id, array.shape.clone()))
    }

    /// The window of the tile's valid region.
    fn of(b: &mut Builder, call: &Invocation, tile: &Tile) -> Result<Window> {
        let (array, shape) = Window::array(b, call, tile)?;
        let rank = shape.len();
        let Ok(shape) = <[u64; 2]>::try_from(shape) else {
            let message = format!("needs an array of rank 2, not {rank}");
            return call.refuse(Family::Shape, message, call.span);
        };
        let mut corner = Vec::new();
        for (at, name) in ["r0", "c0"].into_iter().enumerate() {
            let Some(operand) = call.given(name) else {
                corner.push((b.index(0, call.span), true));
                check_inside(call, Some(0), tile.ty.valid[at], shape[at])?;
                continue;
            };
            let known = match &operand.value {
                Value::Const(ConstValue::Int(first)) => {
                    check_inside(call, first.to_u64(), tile.ty.valid[at], shape[at])?;
                    true
                }
                _ => false,
            };
            corner.push((call.offset(b, operand)?, known));
        }
        Ok(Window {
            array,
            shape,
            corner: [corner[0], corner[1]],
        })
    }

    /// The element that belongs to one of the tile; nothing is accessed outside of the array.
    fn element(&self, b: &mut Builder, at: [Coordinate; 2], span: Span) -> Element {
        let mut element = Element::new(self.array, Vec::new());
        for dim in [0, 1] {
            let (first, known) = self.corner[dim];
            let zero = b.index(0, span);
            let index = match first == zero {
                true => at[dim].value,
                false => sum(b, first, at[dim].value, span),
            };
            element.indices.push(index);
            if known {
                continue;
            }
            let rhs = inside(b, index, self.shape[dim], span);
            element.when = Some(match element.when {
                None => rhs,
                Some(lhs) => {
                    let op = BinaryOp::And;
                    b.append(OpKind::Binary { op, lhs, rhs }, Scalar::BOOL, span)
                }
            });
        }
        element
    }
}

fn check_inside(call: &Invocation, first: Option<u64>, extent: u64, size: u64) -> Result<()> {
    match first.and_then(|first| first.checked_add(extent)) {
        Some(last) if last <= size => Ok(()),
        _ => {
            let message =
                format!("accesses {extent} rows or columns beyond those of an array, {size}");
            call.refuse(Family::Shape, message, call.span)
        }
    }
}

/// Refuses a tile elsewhere.
fn check_location(call: &Invocation, tile: &Tile, allowed: &[Location]) -> Result<()> {
    if allowed.contains(&tile.ty.loc) {
        return Ok(());
    }
    let names: Vec<&str> = allowed.iter().map(|loc| loc.name()).collect();
    let message = format!(
        "needs a tile in {}, not in {}",
        names.join(" or "),
        tile.ty.loc.name()
    );
    call.refuse(Family::Location, message, call.span)
}

fn load(b: &mut Builder, call: &Invocation) -> Result<Value> {
    let (dst, span) = (tile(call, "dst")?, call.span);
    let window = Window::of(b, call, &dst)?;
    check_location(call, &dst, &[Location::Vec, Location::Mat])?;
    nest(b, dst.ty.valid, dst.ty.boxes(), span, |b, at| {
        let element = window.element(b, at, span);
        let load = OpKind::Load {
            at: element,
            bypassed: false,
        };
        let value = b.append(load, dst.ty.elem, span);
        dst.store(b, at, value, span);
    });
    dst.fill_padding(b, dst.ty.valid, span);
    nothing()
}

fn store(b: &mut Builder, call: &Invocation) -> Result<Value> {
    let (src, span) = (tile(call, "src")?, call.span);
    let window = Window::of(b, call, &src)?;
    check_location(call, &src, &[Location::Vec, Location::Acc, Location::Mat])?;
    if src.ty.loc == Location::Mat && b.options.profile == Profile::A5 {
        return Family::Profile.refuse("tstore from mat needs a2a3 or cpu, not a5", span);
    }
    nest(b, src.ty.valid, src.ty.boxes(), span, |b, at| {
        let value = src.load(b, at, span);
        let at = window.element(b, at, span);
        b.push(OpKind::Store { at, value }, vec![], span);
    });
    nothing()
}

/// From where to where a tile moves, on every profile and on a5 and cpu.
const PATHS: [(Location, Location, bool); 6] = [
    (Location::Vec, Location::Vec, true),
    (Location::Mat, Location::Left, true),
    (Location::Mat, Location::Right, true),
    (Location::Acc, Location::Mat, true),
    (Location::Vec, Location::Mat, false),
    (Location::Acc, Location::Vec, false),
];

fn check_path(b: &Builder, call: &Invocation, dst: &Tile, src: &Tile) -> Result<()> {
    let (from, to) = (src.ty.loc, dst.ty.loc);
    let path = PATHS.iter().find(|path| (path.0, path.1) == (from, to));
    let text = format!("from {} to {}", from.name(), to.name());
    match path {
        None => call.refuse(Family::Location, format!("does not move {text}"), call.span),
        Some((_, _, false)) if b.options.profile == Profile::A2a3 => {
            let message = format!("{} {text} needs a5 or cpu, not a2a3", call.op.name);
            Family::Profile.refuse(message, call.span)
        }
        Some(_) => Ok(()),
    }
}

fn copy(b: &mut Builder, call: &Invocation) -> Result<Value> {
    let tiles = alike(call, &["dst", "src"])?;
    check_apart(call, &tiles)?;
    check_shape(call, "the source", tiles[1].ty.shape, tiles[0].ty.shape)?;
    move_from(b, call, &tiles, [0, 0])
}

fn extract(b: &mut Builder, call: &Invocation) -> Result<Value> {
    let tiles = alike(call, &["dst", "src"])?;
    check_apart(call, &tiles)?;
    let corner = [constant(call, "r0")?, constant(call, "c0")?];
    let (dst, src) = (tiles[0].ty.shape, tiles[1].ty.shape);
    for dim in [0, 1] {
        if corner[dim]
            .checked_add(dst[dim])
            .is_none_or(|last| last > src[dim])
        {
            let message = format!(
                "takes {} rows or columns from {} on of {}",
                dst[dim], corner[dim], src[dim]
            );
            return call.refuse(Family::Shape, message, call.span);
        }
    }
    move_from(b, call, &tiles, corner)
}

fn move_from(
    b: &mut Builder,
    call: &Invocation,
    tiles: &[Tile],
    corner: [u64; 2],
) -> Result<Value> {
    let (dst, src, span) = (&tiles[0], &tiles[1], call.span);
    let needed = [0, 1].map(|dim| corner[dim] + dst.ty.valid[dim]);
    check_region(call, 1, src.ty.valid, needed)?;
    check_path(b, call, dst, src)?;
    nest(b, dst.ty.valid, dst.ty.boxes(), span, |b, at| {
        let from = [0, 1].map(|dim| moved(b, at[dim], corner[dim], span));
        let value = src.load(b, from, span);
        dst.store(b, at, value, span);
    });
    nothing()
}
