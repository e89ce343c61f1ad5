//! Operations that make masks, and those between masks.

use super::legality::Family;
use super::operation::{Invocation, Operation};
use super::vector::{Control, lanewise, mask, operations};
use crate::frontend::builder::state::{Builder, VectorType};
use crate::frontend::constant::ConstValue;
use crate::frontend::error::Result;
use crate::frontend::values::{Typed, Value, describe};
use crate::ir::{BinaryOp, CompareOp, Const, OpKind, Scalar, UnaryOp, ValueId};
use num_traits::ToPrimitive;
use std::rc::Rc;

/// The operations.
pub static OPERATIONS: &[Operation] = operations! {
    "pset" ("N" "pattern") 2 pattern;
    "plt" ("N" "n") 2 below;
    "pand" ("p" "q") 2 |b, c| binary(b, c, BinaryOp::And);
    "por" ("p" "q") 2 |b, c| binary(b, c, BinaryOp::Or);
    "pxor" ("p" "q") 2 |b, c| binary(b, c, BinaryOp::Xor);
    "pnot" ("p") 1 not;
};

fn lanes(call: &Invocation) -> Result<VectorType> {
    let operand = call.operand("N")?;
    let Value::Const(ConstValue::Int(lanes)) = &operand.value else {
        let message = format!(
            "needs a number of lanes, found {}",
            describe(&operand.value)
        );
        return call.refuse(Family::Type, message, operand.span);
    };
    match lanes
        .to_u64()
        .filter(|lanes| VectorType::MASKS.contains(lanes))
    {
        Some(lanes) => Ok(VectorType::mask(lanes)),
        None => {
            let message = format!("makes a mask of 32, 64, 128, 256 or 512 lanes, not of {lanes}");
            call.refuse(Family::Shape, message, operand.span)
        }
    }
}

/// The mask of the lanes below a number of type index.
fn first(ty: VectorType, count: ValueId, call: &Invocation) -> Value {
    let span = call.span;
    Value::Vector(Builder::vector_by(ty, move |b, lhs| {
        let op = CompareOp::Lt;
        b.append(
            OpKind::Compare {
                op,
                lhs,
                rhs: count,
            },
            Scalar::BOOL,
            span,
        )
    }))
}

fn pattern(b: &mut Builder, call: &Invocation) -> Result<Value> {
    let ty = lanes(call)?;
    let operand = call.operand("pattern")?;
    let name = match &operand.value {
        Value::Const(ConstValue::Str(name)) => name.clone(),
        other => {
            let message = format!("needs a pattern, found {}", describe(other));
            return call.refuse(Family::Attribute, message, operand.span);
        }
    };
    let count = match &*name {
        "PAT_ALL" => Some(ty.lanes),
        "PAT_ALLF" => Some(0),
        other => {
            let digits = other.strip_prefix("PAT_VL").unwrap_or_default();
            let plain =
                digits.bytes().all(|digit| digit.is_ascii_digit()) && !digits.starts_with('0');
            let count = digits.parse::<u64>().ok().filter(|_| plain);
            count.filter(|count| (1..=ty.lanes).contains(count))
        }
    };
    match count {
        Some(count) => {
            let count = b.index(count as i64, call.span);
            Ok(first(ty, count, call))
        }
        None => {
            let message = format!("has no pattern {name} of {} lanes", ty.lanes);
            call.refuse(Family::Attribute, message, operand.span)
        }
    }
}

/// `plt(N, n)`: as many lanes as there are below `n`, which is limited to the number of lanes in its own type.
fn below(b: &mut Builder, call: &Invocation) -> Result<Value> {
    let ty = lanes(call)?;
    let operand = call.operand("n")?;
    let span = operand.span;
    let typed = match &operand.value {
        Value::Scalar(typed) if !typed.ty.is_float() && !typed.ty.is_storage() => *typed,
        Value::Const(ConstValue::Int(n)) => {
            let count = n.clone().clamp(0.into(), ty.lanes.into());
            let count = b.constant(Scalar::Index, Const::Int(count), span);
            return Ok(first(ty, count, call));
        }
        other => {
            let message = format!("needs an integer for n, found {}", describe(other));
            return call.refuse(Family::Type, message, span);
        }
    };
    let limited = match typed.ty.width() {
        // Every value of the type is one of index.
        width if width < Scalar::Index.width() => typed.id,
        _ => limited(b, typed, ty.lanes, call),
    };
    let count = Typed {
        id: limited,
        ty: typed.ty,
    };
    let count = b.cast(count, Scalar::Index, span);
    Ok(first(ty, count, call))
}

fn limited(b: &mut Builder, n: Typed, most: u64, call: &Invocation) -> ValueId {
    let most = b.constant(n.ty, Const::Int(most.into()), call.span);
    let op = BinaryOp::Min;
    let kind = OpKind::Binary {
        op,
        lhs: n.id,
        rhs: most,
    };
    let limited = b.append(kind, n.ty, call.span);
    let zero = b.zero(n.ty, call.span);
    let kind = OpKind::Binary {
        op: BinaryOp::Max,
        lhs: limited,
        rhs: zero,
    };
    b.append(kind, n.ty, call.span)
}

fn binary(b: &mut Builder, call: &Invocation, op: BinaryOp) -> Result<Value> {
    let (p, q, span) = (mask(call, "p")?, mask(call, "q")?, call.span);
    if p.ty != q.ty {
        let message = format!("needs masks of one size, found {} and {}", p.ty, q.ty);
        return call.refuse(Family::Shape, message, span);
    }
    Ok(lanewise(b, p.ty, &Control::default(), span, |b, iv| {
        let lhs = b.lane(&p, iv, span);
        let rhs = b.lane(&q, iv, span);
        b.append(OpKind::Binary { op, lhs, rhs }, Scalar::BOOL, span)
    }))
}

fn not(b: &mut Builder, call: &Invocation) -> Result<Value> {
    let (p, span): (Rc<_>, _) = (mask(call, "p")?, call.span);
    Ok(lanewise(b, p.ty, &Control::default(), span, |b, iv| {
        let arg = b.lane(&p, iv, span);
        let op = UnaryOp::Not;
        b.append(OpKind::Unary { op, arg }, Scalar::BOOL, span)
    }))
}
