//! What Python makes of the things of `allo.pto`: types of vectors, masks and tiles.

use super::classes::is_element;
use super::legality::Family;
use super::thing::Thing;
use super::tile_type::{self, Written};
use crate::diagnostics::{Diagnostic, Span};
use crate::frontend::allo::Allo;
use crate::frontend::builder::state::VectorType;
use crate::frontend::codes;
use crate::frontend::constant::ConstValue;
use crate::frontend::error::{Failure, Result};
use crate::ir::Scalar;
use num_traits::ToPrimitive;
use pyeval::Args;

impl Thing {
    /// What `self(...)` is, if that is known while compiling.
    pub fn call(&self, args: &Args) -> Option<Result<ConstValue>> {
        self.callable().then(|| tile(args))
    }

    /// What `self[...]` is, if that is anything.
    pub fn subscript(
        &self,
        index: &[(ConstValue, Span)],
        span: Span,
    ) -> Option<Result<ConstValue>> {
        let ty = match self {
            Thing::Vreg => vreg(index, span),
            Thing::Mask => mask(index, span),
            Thing::Tile => {
                let values = index.iter().map(|(value, _)| value.clone()).collect();
                return Some(tile(&Args {
                    positional: values,
                    named: Vec::new(),
                    span,
                }));
            }
            Thing::Operation(_) | Thing::Vector(_) | Thing::TileType(_) => return None,
        };
        Some(ty.map(|ty| Allo::Pto(Thing::Vector(ty)).into()))
    }
}

/// The element type that a value is.
pub fn element(value: &ConstValue, of: &str, span: Span) -> Result<Scalar> {
    match Allo::scalar(value).filter(|ty| is_element(*ty)) {
        Some(elem) => Ok(elem),
        None => {
            let message = format!("a {of} has no elements of {}", value.text());
            Family::Type.refuse(message, span)
        }
    }
}

/// `vreg[T]` or `vreg[T, N]`.
fn vreg(index: &[(ConstValue, Span)], span: Span) -> Result<VectorType> {
    let (elem, lanes) = match index {
        [elem] => (elem, None),
        [elem, lanes] => (elem, Some(lanes)),
        _ => return Family::Shape.refuse("a vreg has an element type and a number of lanes", span),
    };
    let ty = VectorType::vreg(element(&elem.0, "vreg", elem.1)?);
    match lanes {
        Some((lanes, at)) if lanes.as_int() != Some(ty.lanes.into()) => {
            let message = format!("{ty} has {} lanes, not {}", ty.lanes, lanes.text());
            Family::Shape.refuse(message, *at)
        }
        _ => Ok(ty),
    }
}

/// `mask[N]`.
fn mask(index: &[(ConstValue, Span)], span: Span) -> Result<VectorType> {
    let lanes = match index {
        [(lanes, _)] => lanes.as_int().and_then(|lanes| lanes.to_u64()),
        _ => None,
    };
    match lanes.filter(|lanes| VectorType::MASKS.contains(lanes)) {
        Some(lanes) => Ok(VectorType::mask(lanes)),
        None => {
            let found: Vec<String> = index.iter().map(|(value, _)| value.text()).collect();
            let message = format!(
                "a mask has 32, 64, 128, 256 or 512 lanes, not {}",
                found.join(", ")
            );
            Family::Shape.refuse(message, span)
        }
    }
}

/// `tile(T, R, C, loc="vec", layout=None, valid=(R, C), pad="null")`; checked where a kernel uses it.
fn tile(args: &Args) -> Result<ConstValue> {
    const NAMES: [&str; 7] = ["T", "R", "C", "loc", "layout", "valid", "pad"];
    args.only_named(&NAMES, "tile")?;
    args.expect(0, NAMES.len(), "tile")?;
    let span = args.span;
    let given = |at: usize| args.get(at, NAMES[at]);
    let wrong = |at: usize, needed: &str| -> Failure {
        let message = format!("{} of a tile is {needed}", NAMES[at]);
        Diagnostic::error(codes::ANNOTATION, span, message).into()
    };
    let elem = match given(0).and_then(Allo::scalar) {
        Some(elem) => elem,
        None => return Err(wrong(0, "an element type")),
    };
    let extent = |at: usize| match given(at).and_then(tile_type::int) {
        Some(extent) => Ok(extent),
        None => Err(wrong(at, "an int")),
    };
    let word = |at: usize| match given(at) {
        None | Some(ConstValue::None) => Ok(None),
        Some(ConstValue::Str(word)) => Ok(Some(word.to_string())),
        Some(_) => Err(wrong(at, "a string")),
    };
    let valid = match given(5) {
        None | Some(ConstValue::None) => None,
        Some(pair) => {
            let ints: Option<Vec<_>> = pair
                .sequence()
                .unwrap_or_default()
                .iter()
                .map(tile_type::int)
                .collect();
            match ints.map(<[_; 2]>::try_from) {
                Some(Ok(pair)) => Some(pair),
                _ => return Err(wrong(5, "a pair of ints")),
            }
        }
    };
    let written = Written {
        elem,
        shape: [extent(1)?, extent(2)?],
        loc: word(3)?.unwrap_or_else(|| "vec".to_owned()),
        layout: word(4)?,
        valid,
        pad: word(6)?.unwrap_or_else(|| "null".to_owned()),
    };
    Ok(Allo::Pto(Thing::TileType(written.into())).into())
}
