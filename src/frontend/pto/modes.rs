//! Modes of a kernel's text: whether arithmetic keeps subnormal numbers from here on.

use super::legality::Family;
use super::operation::{Invocation, Operation};
use super::tile::nothing;
use super::vector::operations;
use crate::frontend::builder::state::Builder;
use crate::frontend::constant::ConstValue;
use crate::frontend::error::Result;
use crate::frontend::options::Profile;
use crate::frontend::values::{Value, describe};

/// The operations.
pub static OPERATIONS: &[Operation] = operations! {
    "sethf32mode" ("on") 1 set;
    "settf32mode" ("on") 1 set;
};

/// Whether an operation says how what follows in the text is computed.
pub fn is_mode(op: &Operation) -> bool {
    OPERATIONS.iter().any(|mode| std::ptr::eq(mode, op))
}

fn set(b: &mut Builder, call: &Invocation) -> Result<Value> {
    let operand = call.operand("on")?;
    let Value::Const(ConstValue::Bool(on)) = operand.value else {
        let message = format!(
            "takes a compile-time bool, not {}",
            describe(&operand.value)
        );
        return call.refuse(Family::Attribute, message, operand.span);
    };
    if b.options.profile != Profile::A5 {
        let message = format!(
            "{} needs a5, not {}",
            call.op.name,
            b.options.profile.name()
        );
        return Family::Profile.refuse(message, call.span);
    }
    b.options.flush_subnormals = !on;
    nothing()
}
