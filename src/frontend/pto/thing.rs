//! The things of `allo.pto`: types and operations.

use super::operation::Operation;
use super::tile_type::Written;
use crate::frontend::builder::state::VectorType;
use std::rc::Rc;

/// One of them.
#[derive(Clone, Debug)]
pub enum Thing {
    /// An operation.
    Operation(&'static Operation),
    /// `vreg`.
    Vreg,
    /// `mask`.
    Mask,
    /// `vreg[f32]` or `mask[64]`.
    Vector(VectorType),
    /// `tile`.
    Tile,
    /// `tile[f32, 16, 16]`, or with more than that.
    TileType(Rc<Written>),
}

impl Thing {
    /// What it is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Thing::Operation(_) => "an operation of allo.pto",
            Thing::Vreg | Thing::Vector(_) => "a type of vectors",
            Thing::Mask => "a type of masks",
            Thing::Tile | Thing::TileType(_) => "a type of tiles",
        }
    }

    /// How it is written.
    pub fn text(&self) -> String {
        match self {
            Thing::Operation(op) => op.name.to_owned(),
            Thing::Vreg => "vreg".to_owned(),
            Thing::Mask => "mask".to_owned(),
            Thing::Vector(ty) => ty.to_string(),
            Thing::Tile => "tile".to_owned(),
            Thing::TileType(written) => written.to_string(),
        }
    }

    /// Whether it is the same.
    pub fn equals(&self, other: &Thing) -> bool {
        match (self, other) {
            (Thing::Operation(a), Thing::Operation(b)) => std::ptr::eq(*a, *b),
            (Thing::Vreg, Thing::Vreg) | (Thing::Mask, Thing::Mask) => true,
            (Thing::Vector(a), Thing::Vector(b)) => a == b,
            (Thing::Tile, Thing::Tile) => true,
            (Thing::TileType(a), Thing::TileType(b)) => a == b,
            _ => false,
        }
    }

    /// Whether it may be called while compiling.
    pub fn callable(&self) -> bool {
        matches!(self, Thing::Tile)
    }
}
