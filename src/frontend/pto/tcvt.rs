//! `tcvt`, the conversion that is written for scalars and for tiles.

use super::classes::check_profile;
use super::conversion::{Asked, check_pair, lower_conversion};
use super::legality::Family;
use super::operation::{Invocation, Operation};
use super::tile;
use crate::frontend::builder::state::Builder;
use crate::frontend::error::Result;
use crate::frontend::values::{Typed, Value, describe};
use crate::ir::Scalar;

/// `tcvt` on scalars and tiles.
pub static OPERATIONS: &[Operation] = &[Operation {
    name: "tcvt",
    params: &["x", "T", "rnd", "sat"],
    required: 2,
    lower: scalar,
}];

/// `tcvt(x, T, rnd=None, sat=False)`.
fn scalar(b: &mut Builder, call: &Invocation) -> Result<Value> {
    let operand = call.operand("x")?;
    if let Value::Tile(_) = operand.value {
        return tile::convert(b, call);
    }
    let Value::Scalar(x) = operand.value else {
        let found = describe(&operand.value);
        return call.refuse(
            Family::Type,
            format!("converts a scalar, not {found}"),
            operand.span,
        );
    };
    let asked_type = call.scalar_type("T")?;
    let long = |ty| match ty {
        Scalar::Index => Scalar::signed(64),
        ty => ty,
    };
    let (from, to) = (long(x.ty), long(asked_type));
    check_pair(from, to, call.span)?;
    let asked = Asked::of(call)?;
    check_profile(from, b.options.profile, call.span)?;
    check_profile(to, b.options.profile, call.span)?;
    let x = Typed {
        id: b.cast(x, from, call.span),
        ty: from,
    };
    let id = lower_conversion(b, x, to, asked, call.span);
    let id = b.cast(Typed { id, ty: to }, asked_type, call.span);
    Ok(Value::Scalar(Typed { id, ty: asked_type }))
}
