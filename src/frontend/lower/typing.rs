//! The type of one expression over locals of given types.

use super::lowerer::Lowerer;
use super::scope::Local;
use crate::diagnostics::FileId;
use crate::frontend::builder::state::Builder;
use crate::frontend::codes;
use crate::frontend::constant::ConstValue;
use crate::frontend::error::{Result, fail};
use crate::frontend::options::Options;
use crate::frontend::pto::tile_type::Tile;
use crate::frontend::session::Session;
use crate::frontend::types::Type;
use crate::frontend::values::{Typed, Value};
use crate::ir::ArrayKind;
use pyeval::Names;
use ruff_python_ast::Expr;
use ruff_text_size::Ranged;
use std::rc::Rc;

/// What an expression is: known while compiling, or of a type.
#[derive(Clone, Debug)]
pub enum Typing {
    /// Known.
    Known(ConstValue),
    /// A scalar or shaped value.
    Type(Type),
    /// Several values.
    Tuple(Vec<Typing>),
    /// A tile, of a type with this name.
    Tile(String),
}

/// The value of an expression over locals of given types, as a kernel with the options would have it:
/// its type, and a line for each typing decision.
pub fn type_of_expression<'a>(
    session: &mut Session<'a>,
    file: FileId,
    options: Options,
    locals: &[(String, Type)],
    expr: &'a Expr,
) -> Result<(Typing, Vec<String>)> {
    let mut lowerer = Lowerer::new(session, file, 0, options, Rc::from([]), None);
    lowerer.b.explanation = Some(Vec::new());
    for (name, ty) in locals {
        let span = lowerer.span(expr.range());
        let local = match ty {
            Type::Scalar(ty) => Local::Scalar(Typed {
                id: lowerer.b.value(*ty, Some(name)),
                ty: *ty,
            }),
            Type::Shaped(elem, shape) => {
                Local::Array(lowerer.b.array(name, *elem, shape, ArrayKind::Local, span))
            }
            Type::Stream(ty) => {
                let local = |_| ArrayKind::Local;
                Local::Streams(lowerer.streams(name, ty, Vec::new(), local, span))
            }
            Type::Stateful(elem, None) => Local::Scalar(Typed {
                id: lowerer.b.value(*elem, Some(name)),
                ty: *elem,
            }),
            Type::Stateful(elem, Some(shape)) => {
                Local::Array(lowerer.b.array(name, *elem, shape, ArrayKind::Local, span))
            }
            Type::Vector(ty) => {
                let array = lowerer
                    .b
                    .array(name, ty.elem, &[ty.lanes], ArrayKind::Local, span);
                Local::Vector(Builder::vector_in(*ty, array))
            }
            Type::Tile(written) => {
                let ty = lowerer.tile_type(written, span)?;
                let array = lowerer.tile_array(name, &ty, ArrayKind::Local, span);
                Local::Tile(Tile { array, ty })
            }
            Type::Constexpr => {
                let message = "constexpr is not a type of values";
                return fail(codes::ANNOTATION, span, message);
            }
        };
        lowerer.declare(name, local, span);
    }
    let value = lowerer.expr(expr)?;
    let typing = lowerer.typing(&value);
    Ok((typing, lowerer.b.explanation.take().unwrap_or_default()))
}

impl Lowerer<'_, '_> {
    /// What `typeof` answers for a value.
    fn typing(&self, value: &Value) -> Typing {
        match value {
            Value::Const(value) => Typing::Known(value.clone()),
            Value::Scalar(typed) => Typing::Type(Type::Scalar(typed.ty)),
            Value::Array { id, .. } => {
                let array = self.array(*id);
                Typing::Type(Type::Shaped(array.elem, array.shape.clone().into()))
            }
            Value::Streams(streams) => Typing::Type(Type::Stream(self.stream_type(streams))),
            Value::Vector(vector) => Typing::Type(Type::Vector(vector.ty)),
            Value::Tile(tile) => Typing::Tile(tile.ty.to_string()),
            Value::Tuple(items) => Typing::Tuple(items.iter().map(|v| self.typing(v)).collect()),
        }
    }
}
