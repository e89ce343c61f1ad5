//! Operations on vectors in which a lane of the result comes from other lanes: reductions, conversions and views of the bits.

use super::classes::{ALL, NUMBERS, WIDE, check_profile};
use super::conversion::{self, Asked, check_pair, lower_conversion};
use super::legality::Family;
use super::operation::{Invocation, Operation};
use super::tiles::indexed;
use super::vector::{
    Control, alike, bitcast, check_class, choose, lanewise, mask, operations, vreg,
};
use crate::diagnostics::Span;
use crate::frontend::builder::state::{Builder, VectorType};
use crate::frontend::constant::ConstValue;
use crate::frontend::error::Result;
use crate::frontend::values::{Typed, Value, describe};
use crate::ir::{
    ArrayId, BinaryOp, CompareOp, Const, FloatFormat, OpKind, Rounding, Scalar, ValueId,
};
use num_bigint::BigUint;
use num_traits::ToPrimitive;

/// The operations.
pub static OPERATIONS: &[Operation] = operations! {
    "vcadd" ("a" "mask") 1 |b, c| reduce(b, c, BinaryOp::Add);
    "vcmax" ("a" "mask") 1 |b, c| reduce(b, c, BinaryOp::Max);
    "vcmin" ("a" "mask") 1 |b, c| reduce(b, c, BinaryOp::Min);
    "vcvt" ("v" "T" "rnd" "sat" "part" "mask") 2 convert;
    "vtrc" ("v" "rnd" "mask" "*" "merge") 1 round;
    "vbitcast" ("v" "T") 2 view;
};

fn load(b: &mut Builder, array: ArrayId, index: ValueId, span: Span) -> ValueId {
    let elem = b.arrays[array].elem;
    b.append(OpKind::load(array, vec![index]), elem, span)
}

/// What an inactive lane counts as.
pub fn neutral(op: BinaryOp, elem: Scalar) -> Const {
    match (op, elem) {
        (BinaryOp::Add, _) => Const::zero(elem),
        // A number beside it wins.
        (_, Scalar::Float(format)) => Const::Float(canonical_nan(format)),
        (_, _) => {
            let (low, high) = elem.int_range().unwrap_or_default();
            Const::Int(if op == BinaryOp::Max { low } else { high })
        }
    }
}

fn canonical_nan(format: FloatFormat) -> BigUint {
    let exponent = (BigUint::from(1u8) << format.exp) - 1u8;
    (exponent << format.frac) | (BigUint::from(1u8) << (format.frac - 1))
}

/// The lanes of the array combined by the balanced tree: lanes 2j and 2j + 1 of each level.
fn tree(b: &mut Builder, mut level: ArrayId, op: BinaryOp, span: Span) -> ValueId {
    let elem = b.arrays[level].elem;
    let mut lanes = b.arrays[level].shape[0];
    while lanes > 1 {
        lanes /= 2;
        let ty = VectorType {
            elem,
            lanes,
            is_mask: false,
        };
        let next = b.lane_array(ty, span);
        b.over_lanes(lanes, None, span, |b, iv| {
            let even = indexed(b, BinaryOp::Mul, iv, 2, span);
            let odd = indexed(b, BinaryOp::Add, even, 1, span);
            let (lhs, rhs) = (load(b, level, even, span), load(b, level, odd, span));
            let value = b.emit(OpKind::Binary { op, lhs, rhs }, elem, span);
            b.push(OpKind::store(next, vec![iv], value), vec![], span);
        });
        b.close_lanes();
        level = next;
    }
    let first = b.index(0, span);
    load(b, level, first, span)
}

/// `vcadd`, `vcmax` and `vcmin`: the result is in lane 0.
fn reduce(b: &mut Builder, call: &Invocation, op: BinaryOp) -> Result<Value> {
    let a = alike(call, &NUMBERS, &["a"])?.remove(0);
    let control = Control::of(call, a.ty)?;
    let (ty, span) = (a.ty, call.span);
    let counted = match control.is_plain() {
        true => Value::Vector(a),
        false => lanewise(b, ty, &Control::default(), span, |b, iv| {
            let value = b.lane(&a, iv, span);
            let cond = control.active(b, iv, span);
            let neutral = b.constant(ty.elem, neutral(op, ty.elem), span);
            cond.map_or(value, |cond| choose(b, cond, value, neutral, span))
        }),
    };
    let level = frozen(b, &counted, span);
    let mut total = tree(b, level, op, span);
    if op != BinaryOp::Add && call.given("mask").is_some() {
        // Without any active lane there is nothing.
        let lanes = b.frozen(&*mask(call, "mask")?, span);
        let any = tree(b, lanes, BinaryOp::Or, span);
        let zero = b.zero(ty.elem, span);
        total = choose(b, any, total, zero, span);
    }
    Ok(Value::Vector(Builder::vector_by(ty, move |b, iv| {
        let first = is_lane(b, iv, 0, span);
        let zero = b.zero(ty.elem, span);
        choose(b, first, total, zero, span)
    })))
}

fn is_lane(b: &mut Builder, lhs: ValueId, lane: u64, span: Span) -> ValueId {
    let rhs = b.index(lane as i64, span);
    let op = CompareOp::Eq;
    b.append(OpKind::Compare { op, lhs, rhs }, Scalar::BOOL, span)
}

/// `part` of a conversion between types of which one has `ratio` times as many lanes.
fn part(call: &Invocation, ratio: u64) -> Result<u64> {
    let Some(operand) = call.given("part") else {
        return Ok(0);
    };
    let (found, text) = match &operand.value {
        Value::Const(ConstValue::Str(word)) => {
            let found = ["even", "odd"].iter().position(|own| *own == &**word);
            (found.map(|at| at as u64), word.to_string())
        }
        Value::Const(ConstValue::Int(part)) => (part.to_u64(), part.to_string()),
        other => (None, describe(other)),
    };
    match found.filter(|part| *part < ratio) {
        Some(part) => Ok(part),
        None => {
            let message = format!("has no part {text}, but {ratio} of them");
            call.refuse(Family::Attribute, message, operand.span)
        }
    }
}

/// `vcvt(v, T, rnd=None, sat=False, part=0, mask=None)`.
fn convert(b: &mut Builder, call: &Invocation) -> Result<Value> {
    let v = vreg(call, "v")?;
    let (to, span) = (call.scalar_type("T")?, call.span);
    check_pair(v.ty.elem, to, span)?;
    if call.given("mask").is_some() {
        mask(call, "mask")?;
    }
    let asked = Asked::of(call)?;
    let ty = VectorType::vreg(to);
    let (narrows, ratio) = match v.ty.lanes <= ty.lanes {
        true => (true, ty.lanes / v.ty.lanes),
        false => (false, v.ty.lanes / ty.lanes),
    };
    let part = part(call, ratio)?;
    let control = Control::of(call, v.ty)?;
    check_profile(v.ty.elem, b.options.profile, span)?;
    check_profile(to, b.options.profile, span)?;
    let from = v.ty.elem;
    let converted =
        move |b: &mut Builder, id| lower_conversion(b, Typed { id, ty: from }, to, asked, span);
    if ratio == 1 {
        return Ok(lanewise(b, ty, &control, span, |b, iv| {
            let lane = b.lane(&v, iv, span);
            converted(b, lane)
        }));
    }
    if narrows {
        let few = VectorType {
            lanes: v.ty.lanes,
            ..ty
        };
        let narrow = lanewise(b, few, &control, span, |b, iv| {
            let lane = b.lane(&v, iv, span);
            converted(b, lane)
        });
        let array = frozen(b, &narrow, span);
        return Ok(Value::Vector(Builder::vector_by(ty, move |b, iv| {
            let own = indexed(b, BinaryOp::Mod, iv, ratio, span);
            let source = indexed(b, BinaryOp::Div, iv, ratio, span);
            let (cond, value) = (is_lane(b, own, part, span), load(b, array, source, span));
            let zero = b.zero(to, span);
            choose(b, cond, value, zero, span)
        })));
    }
    // The zero bits of an inactive lane are converted to zero bits.
    let masked = lanewise(b, v.ty, &control, span, |b, iv| b.lane(&v, iv, span));
    let array = frozen(b, &masked, span);
    Ok(lanewise(b, ty, &Control::default(), span, |b, iv| {
        let first = indexed(b, BinaryOp::Mul, iv, ratio, span);
        let source = indexed(b, BinaryOp::Add, first, part, span);
        let lane = load(b, array, source, span);
        converted(b, lane)
    }))
}

/// The lanes of a vector just made in an array.
fn frozen(b: &mut Builder, value: &Value, span: Span) -> ArrayId {
    match value {
        Value::Vector(vector) => b.frozen(vector, span),
        _ => b.lane_array(VectorType::mask(1), span),
    }
}

/// `vtrc(v, rnd="rz", mask=None, merge=None)`.
fn round(b: &mut Builder, call: &Invocation) -> Result<Value> {
    let v = alike(call, &WIDE, &["v"])?.remove(0);
    let span = call.span;
    let rounding = conversion::rounding(call)?;
    let op = rounding.unwrap_or(Rounding::Zero).integral();
    let control = Control::of(call, v.ty)?;
    Ok(lanewise(b, v.ty, &control, span, |b, iv| {
        let arg = b.lane(&v, iv, span);
        // A conversion: it flushes nothing.
        b.append(OpKind::Unary { op, arg }, v.ty.elem, span)
    }))
}

/// `vbitcast(v, T)`: lane i of w bits is bits i*w up of the whole.
fn view(b: &mut Builder, call: &Invocation) -> Result<Value> {
    let v = vreg(call, "v")?;
    let (to, span) = (call.scalar_type("T")?, call.span);
    check_class(call, to, &ALL)?;
    check_profile(to, b.options.profile, span)?;
    let ty = VectorType::vreg(to);
    if ty.lanes == v.ty.lanes {
        return Ok(lanewise(b, ty, &Control::default(), span, |b, iv| {
            let lane = b.lane(&v, iv, span);
            bitcast(b, lane, to, span)
        }));
    }
    let (array, from) = (b.frozen(&v, span), v.ty);
    Ok(Value::Vector(match ty.lanes > v.ty.lanes {
        true => Builder::vector_by(ty, move |b, iv| slice(b, array, iv, from, ty, span)),
        false => Builder::vector_by(ty, move |b, iv| joined(b, array, iv, from, ty, span)),
    }))
}

/// A part of a wider lane.
fn slice(
    b: &mut Builder,
    array: ArrayId,
    iv: ValueId,
    from: VectorType,
    ty: VectorType,
    span: Span,
) -> ValueId {
    let ratio = ty.lanes / from.lanes;
    let source = indexed(b, BinaryOp::Div, iv, ratio, span);
    let lane = load(b, array, source, span);
    let whole = bitcast(b, lane, Scalar::unsigned(from.elem.width()), span);
    let own = indexed(b, BinaryOp::Mod, iv, ratio, span);
    let lo = indexed(b, BinaryOp::Mul, own, ty.elem.width().into(), span);
    let bits = Scalar::unsigned(ty.elem.width());
    let bits = b.append(OpKind::BitSlice { arg: whole, lo }, bits, span);
    bitcast(b, bits, ty.elem, span)
}

/// Several narrower lanes as one.
fn joined(
    b: &mut Builder,
    array: ArrayId,
    iv: ValueId,
    from: VectorType,
    ty: VectorType,
    span: Span,
) -> ValueId {
    let ratio = from.lanes / ty.lanes;
    let narrow = Scalar::unsigned(from.elem.width());
    let whole = Scalar::unsigned(ty.elem.width());
    let first = indexed(b, BinaryOp::Mul, iv, ratio, span);
    let mut arg = b.zero(whole, span);
    for place in 0..ratio {
        let source = indexed(b, BinaryOp::Add, first, place, span);
        let lane = load(b, array, source, span);
        let bits = bitcast(b, lane, narrow, span);
        let lo = b.index((place * u64::from(narrow.width())) as i64, span);
        arg = b.append(OpKind::BitSet { arg, lo, bits }, whole, span);
    }
    bitcast(b, arg, ty.elem, span)
}
