//! Shared build implementations: type the operands, promote, cast, emit.

use crate::diagnostics::Span;
use crate::frontend::allo::Allo;
use crate::frontend::builder::Applied;
use crate::frontend::builder::state::Builder;
use crate::frontend::codes;
use crate::frontend::constant::ConstValue;
use crate::frontend::error::{Failure, Result, fail};
use crate::frontend::literals::Position;
use crate::frontend::promote::{self, Promotion};
use crate::frontend::pto::classes::check_profile;
use crate::frontend::values::{Operand, Typed, Value};
use crate::ir::{BinaryOp, CompareOp, FloatFormat, OpKind, Scalar, UnaryOp, ValueId};

/// A term of a sum: operand, and whether it is subtracted.
pub type Term<'a> = (&'a Operand, bool);

fn scalar(id: ValueId, ty: Scalar) -> Result<Value> {
    Ok(Value::Scalar(Typed { id, ty }))
}

/// `a + b`, or `a - b` if `negate`.
pub fn sum(b: &mut Builder, a: &Applied, negate: bool) -> Result<Value> {
    let terms = [(&a.operands[0], false), (&a.operands[1], negate)];
    sum_of(b, a.op.key, &terms, a.span)
}

/// A sum of terms: as a whole where the n-ary promoter applies, else as the common type says. `key` is the operator's
/// name in messages.
pub fn sum_of(b: &mut Builder, key: &str, terms: &[Term], span: Span) -> Result<Value> {
    let operands: Vec<&Operand> = terms.iter().map(|t| t.0).collect();
    let types = b.type_operands(key, &operands, Position::Plain, span)?;
    let typed: Vec<promote::Term> = types.iter().zip(terms).map(|(ty, t)| (*ty, t.1)).collect();
    let result = b.promote_chain(&promote::SUM, key, &typed, span)?;
    let mut level = Vec::new();
    for ((operand, negated), ty) in terms.iter().zip(types) {
        level.push((b.coerce(operand, ty, result)?, *negated));
    }
    while level.len() > 1 {
        level = level
            .chunks(2)
            .map(|pair| match *pair {
                [x, y] => add_signed(b, x, y, result, span),
                _ => pair[0],
            })
            .collect();
    }
    let (id, negated) = level[0];
    let id = if negated {
        b.emit(
            OpKind::Unary {
                op: UnaryOp::Neg,
                arg: id,
            },
            result,
            span,
        )
    } else {
        id
    };
    scalar(id, result)
}

/// The sum of two signed terms. Negated itself only if both are and they are integers: the sign of
/// a float zero would differ.
fn add_signed(
    b: &mut Builder,
    x: (ValueId, bool),
    y: (ValueId, bool),
    ty: Scalar,
    span: Span,
) -> (ValueId, bool) {
    let (op, lhs, rhs, negated) = match (x, y) {
        ((x, false), (y, false)) => (BinaryOp::Add, x, y, false),
        ((x, false), (y, true)) => (BinaryOp::Sub, x, y, false),
        ((x, true), (y, false)) => (BinaryOp::Sub, y, x, false),
        ((x, true), (y, true)) if ty.is_float() => {
            let op = UnaryOp::Neg;
            let minus_x = b.emit(OpKind::Unary { op, arg: x }, ty, span);
            (BinaryOp::Sub, minus_x, y, false)
        }
        ((x, true), (y, true)) => (BinaryOp::Add, x, y, true),
    };
    (b.emit(OpKind::Binary { op, lhs, rhs }, ty, span), negated)
}

/// `a * b`.
pub fn product(b: &mut Builder, a: &Applied) -> Result<Value> {
    let operands: Vec<&Operand> = a.operands.iter().collect();
    product_of(b, &operands, a.span)
}

/// A product of factors, as [`sum_of`].
pub fn product_of(b: &mut Builder, operands: &[&Operand], span: Span) -> Result<Value> {
    let types = b.type_operands("mul", operands, Position::Plain, span)?;
    let result = product_type(b, &types, span)?;
    let mut level = Vec::new();
    for (operand, ty) in operands.iter().zip(types) {
        level.push(b.coerce(operand, ty, result)?);
    }
    while level.len() > 1 {
        level = level
            .chunks(2)
            .map(|pair| match *pair {
                [lhs, rhs] => {
                    let op = BinaryOp::Mul;
                    b.emit(OpKind::Binary { op, lhs, rhs }, result, span)
                }
                _ => pair[0],
            })
            .collect();
    }
    scalar(level[0], result)
}

/// The type of a product of the types.
pub fn product_type(b: &mut Builder, types: &[Scalar], span: Span) -> Result<Scalar> {
    let typed: Vec<promote::Term> = types.iter().map(|ty| (*ty, false)).collect();
    b.promote_chain(&promote::PRODUCT, "mul", &typed, span)
}

/// Both operands in the common type.
fn common_pair(
    b: &mut Builder,
    a: &Applied,
    pair: [&Operand; 2],
    position: Position,
) -> Result<(ValueId, ValueId, Promotion)> {
    let types = b.type_operands(a.op.key, &pair, position, a.span)?;
    let found = b.promote(a.op, &types, a.span)?;
    let lhs = b.coerce(pair[0], types[0], found.operands)?;
    let rhs = b.coerce(pair[1], types[1], found.operands)?;
    Ok((lhs, rhs, found))
}

fn binary(b: &mut Builder, a: &Applied, op: BinaryOp, position: Position) -> Result<Value> {
    let pair = [&a.operands[0], &a.operands[1]];
    let (lhs, rhs, found) = common_pair(b, a, pair, position)?;
    let id = b.emit(OpKind::Binary { op, lhs, rhs }, found.result, a.span);
    scalar(id, found.result)
}

/// An operation in the common numeric type.
pub fn numeric(b: &mut Builder, a: &Applied, op: BinaryOp) -> Result<Value> {
    binary(b, a, op, Position::Plain)
}

/// `a ** b`: a literal base is typed by its own rule.
pub fn power(b: &mut Builder, a: &Applied) -> Result<Value> {
    let leads = matches!(a.operands[0].value, Value::Const(_));
    let position = if leads {
        Position::Base
    } else {
        Position::Plain
    };
    binary(b, a, BinaryOp::Pow, position)
}

/// `& | ^`.
pub fn bitwise(b: &mut Builder, a: &Applied, op: BinaryOp) -> Result<Value> {
    binary(b, a, op, Position::Bits)
}

/// `<< >>`: the amount keeps its own type and value.
pub fn shift(b: &mut Builder, a: &Applied, op: BinaryOp) -> Result<Value> {
    let leads = matches!(a.operands[0].value, Value::Const(_));
    let position = if leads {
        Position::Shifted
    } else {
        Position::Amount
    };
    let types = b.type_operands(
        a.op.key,
        &[&a.operands[0], &a.operands[1]],
        position,
        a.span,
    )?;
    let found = b.promote(a.op, &types, a.span)?;
    let lhs = b.coerce(&a.operands[0], types[0], found.result)?;
    let rhs = b.coerce(&a.operands[1], types[1], types[1])?;
    let id = b.emit(OpKind::Binary { op, lhs, rhs }, found.result, a.span);
    scalar(id, found.result)
}

/// A comparison; `a.option` chooses the ordered or the unordered form of floats.
pub fn compare(
    b: &mut Builder,
    a: &Applied,
    ordered: CompareOp,
    unordered: CompareOp,
) -> Result<Value> {
    let pair = [&a.operands[0], &a.operands[1]];
    let (lhs, rhs, found) = common_pair(b, a, pair, Position::Plain)?;
    let plain = if unordered == CompareOp::Ne {
        unordered
    } else {
        ordered
    };
    let op = match a.option {
        Some(true) if found.operands.is_float() => ordered,
        Some(false) if found.operands.is_float() => unordered,
        _ => plain,
    };
    let id = b.emit(OpKind::Compare { op, lhs, rhs }, found.result, a.span);
    scalar(id, found.result)
}

/// `min` and `max`: a left fold in the common type of each pair.
pub fn extremum(b: &mut Builder, a: &Applied, op: BinaryOp, nan: BinaryOp) -> Result<Value> {
    let mut acc = a.operands[0].clone();
    for next in &a.operands[1..] {
        if let (Value::Const(x), Value::Const(y), Some(fold)) = (&acc.value, &next.value, a.op.fold)
        {
            let folded = fold(&[x.clone(), y.clone()]);
            acc.value = Value::Const(folded.map_err(|problem| Failure::new(a.span, problem))?);
            continue;
        }
        let (lhs, rhs, found) = common_pair(b, a, [&acc, next], Position::Plain)?;
        let propagate = a.option == Some(true) && found.result.is_float();
        let op = if propagate { nan } else { op };
        let id = b.emit(OpKind::Binary { op, lhs, rhs }, found.result, a.span);
        acc.value = Value::Scalar(Typed {
            id,
            ty: found.result,
        });
    }
    Ok(acc.value)
}

/// `and`, `or`: each side tested for nonzero; a constant side folds.
pub fn logical(b: &mut Builder, a: &Applied, op: BinaryOp) -> Result<Value> {
    let absorbing = op == BinaryOp::Or;
    let mut acc: Option<Typed> = None;
    let mut decided = false;
    for operand in a.operands {
        match &operand.value {
            Value::Const(value) => decided |= b.const_truth(value, operand.span)? == absorbing,
            _ => {
                let next = b.runtime(operand)?;
                acc = Some(match acc {
                    None => next,
                    Some(previous) => logical_pair(b, a, op, previous, next)?,
                });
            }
        }
    }
    if decided {
        return Ok(Value::Scalar(b.decided(absorbing, a.span)));
    }
    match acc {
        Some(value) => Ok(Value::Scalar(b.nonzero(value, a.span))),
        None => Ok(ConstValue::Bool(!absorbing).into()),
    }
}

fn logical_pair(b: &mut Builder, a: &Applied, op: BinaryOp, x: Typed, y: Typed) -> Result<Typed> {
    let found = b.promote(a.op, &[x.ty, y.ty], a.span)?;
    let lhs = b.nonzero(x, a.span).id;
    let rhs = b.nonzero(y, a.span).id;
    let id = b.emit(OpKind::Binary { op, lhs, rhs }, found.result, a.span);
    Ok(Typed {
        id,
        ty: found.result,
    })
}

/// `not a`.
pub fn not(b: &mut Builder, a: &Applied) -> Result<Value> {
    let value = b.runtime(&a.operands[0])?;
    let found = b.promote(a.op, &[value.ty], a.span)?;
    let arg = b.nonzero(value, a.span).id;
    let id = b.emit(
        OpKind::Unary {
            op: UnaryOp::Not,
            arg,
        },
        found.result,
        a.span,
    );
    scalar(id, found.result)
}

/// An operation of one operand in the type that the table gives.
pub fn unary(b: &mut Builder, a: &Applied, op: UnaryOp) -> Result<Value> {
    let types = b.type_operands(a.op.key, &[&a.operands[0]], Position::Plain, a.span)?;
    let found = b.promote(a.op, &types, a.span)?;
    let arg = b.coerce(&a.operands[0], types[0], found.operands)?;
    let unsigned_abs = op == UnaryOp::Abs && !found.result.is_signed() && !found.result.is_float();
    if unsigned_abs {
        return scalar(arg, found.result);
    }
    let id = b.emit(OpKind::Unary { op, arg }, found.result, a.span);
    scalar(id, found.result)
}

/// `fma(a, b, c)`.
pub fn fma(b: &mut Builder, a: &Applied) -> Result<Value> {
    let operands: Vec<&Operand> = a.operands.iter().collect();
    let types = b.type_operands(a.op.key, &operands, Position::Plain, a.span)?;
    let ty = b.promote(a.op, &types, a.span)?.result;
    let lhs = b.coerce(operands[0], types[0], ty)?;
    let rhs = b.coerce(operands[1], types[1], ty)?;
    let add = b.coerce(operands[2], types[2], ty)?;
    let id = b.emit(OpKind::Fma { lhs, rhs, add }, ty, a.span);
    scalar(id, ty)
}

/// `cast(x, T)`.
pub fn cast(b: &mut Builder, a: &Applied) -> Result<Value> {
    let ty = target_type(a)?;
    if let Value::Scalar(typed) = &a.operands[0].value {
        check_profile(typed.ty, b.options.profile, a.span)?;
    }
    check_profile(ty, b.options.profile, a.span)?;
    let id = b.convert(&a.operands[0], ty)?;
    scalar(id, ty)
}

/// `bitcast(x, T)`.
pub fn bitcast(b: &mut Builder, a: &Applied) -> Result<Value> {
    let to = target_type(a)?;
    let operand = &a.operands[0];
    let Typed { id, ty: from } = match &operand.value {
        // A number of the text has as many bits as are asked for.
        Value::Const(ConstValue::Int(_)) => {
            let ty = Scalar::signed(to.width());
            let id = b.convert(operand, ty)?;
            Typed { id, ty }
        }
        Value::Const(ConstValue::Float(_)) if to.width() == 64 => {
            let ty = Scalar::Float(FloatFormat::F64);
            let id = b.convert(operand, ty)?;
            Typed { id, ty }
        }
        _ => b.runtime(operand)?,
    };
    if from.width() != to.width() {
        let message = format!(
            "bitcast needs types of one width, but {from} has {} bits and {to} has {}",
            from.width(),
            to.width()
        );
        return fail(codes::WIDTH, a.span, message);
    }
    match from == to {
        true => scalar(id, to),
        false => scalar(b.emit(OpKind::Bitcast { arg: id }, to, a.span), to),
    }
}

/// The type that is the second operand.
fn target_type(a: &Applied) -> Result<Scalar> {
    let ty = match &a.operands[1].value {
        Value::Const(value) => Allo::scalar(value),
        _ => None,
    };
    match ty {
        Some(ty) => Ok(ty),
        None => fail(
            codes::ARGUMENT_TYPE,
            a.operands[1].span,
            format!("the second argument of {} is a scalar type", a.op.key),
        ),
    }
}
