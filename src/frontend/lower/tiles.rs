//! Tiles: declared as storage, and passed to kernels by reference.

use super::lowerer::Lowerer;
use super::scope::Local;
use crate::diagnostics::{Diagnostic, Span};
use crate::frontend::codes;
use crate::frontend::error::Result;
use crate::frontend::pto::legality::Family;
use crate::frontend::pto::tile_type::{Tile, TileType, Written};
use crate::frontend::pto::tiles::banks;
use crate::frontend::values::{Operand, Value, describe};
use crate::ir::{Arg, ArrayId, ArrayKind, OpKind};
use ruff_python_ast::Expr;
use std::rc::Rc;

impl<'a> Lowerer<'_, 'a> {
    /// The type of tiles that is written, on the kernel's profile.
    pub(super) fn tile_type(&mut self, written: &Written, span: Span) -> Result<Rc<TileType>> {
        self.check_pto("tile", span)?;
        TileType::of(written, self.options.profile, span).map(Rc::new)
    }

    /// The memory of a tile.
    pub(super) fn tile_array(
        &mut self,
        name: &str,
        ty: &TileType,
        kind: ArrayKind,
        span: Span,
    ) -> ArrayId {
        let elements = ty.shape.iter().product();
        let array = self.b.array(name, ty.elem, &[elements], kind, span);
        self.b.arrays[array].tags.tile = Some(ty.tag());
        array
    }

    /// `name: tile[...]`: storage, zero bits at each execution.
    pub(super) fn declare_tile(
        &mut self,
        name: &str,
        ty: Rc<TileType>,
        value: Option<&'a Expr>,
        span: Span,
    ) -> Result<()> {
        if value.is_some() {
            let message = format!("the tile '{name}' is storage, and has no initialiser");
            return Err(Diagnostic::error(codes::PTO_PLACE, span, message)
                .help("declare it, then fill it: by tload, texpands or tmov")
                .into());
        }
        self.check_undeclared(name, span)?;
        let array = self.tile_array(name, &ty, ArrayKind::Local, span);
        banks(&mut self.b, array);
        let value = self.b.zero(ty.elem, span);
        self.b.push(OpKind::Fill { array, value }, vec![], span);
        self.declare(name, Local::Tile(Tile { array, ty }), span);
        Ok(())
    }

    /// The argument for a parameter that is a tile of the type.
    pub(super) fn tile_argument(
        &mut self,
        operand: &Operand,
        param: &str,
        ty: &TileType,
    ) -> Result<Arg> {
        match &operand.value {
            Value::Tile(tile) if *tile.ty == *ty => Ok(Arg::Array(tile.array)),
            other => {
                let found = describe(other);
                let message = format!("parameter '{param}' needs a {ty}, but this is {found}");
                Family::Type.refuse(message, operand.span)
            }
        }
    }
}
