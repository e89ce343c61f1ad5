//! `allo.linalg`: contractions of whole arrays, as loop nests.

use super::build::{product_of, product_type, sum_of};
use crate::frontend::builder::state::Builder;
use crate::frontend::builder::{Applied, check_width};
use crate::frontend::codes;
use crate::frontend::error::{Result, fail};
use crate::frontend::promote::Style;
use crate::frontend::stream_type::shaped_name;
use crate::frontend::values::{Operand, Typed, Value, describe};
use crate::ir::{ArrayId, ArrayKind, Const, For, OpKind, Scalar, ValueId};

/// `matmul(a, b)`: ranks 2 and 2.
pub fn matmul(b: &mut Builder, a: &Applied) -> Result<Value> {
    contract(b, a, 2)
}

/// `dot(a, b)`: ranks 1 and 1, result of rank 0.
pub fn dot(b: &mut Builder, a: &Applied) -> Result<Value> {
    contract(b, a, 1)
}

/// Sums over the last dimension of the left and the first of the right operand, both of `rank`.
fn contract(b: &mut Builder, a: &Applied, rank: usize) -> Result<Value> {
    let (lhs, left) = operand(b, a, 0, rank)?;
    let (rhs, right) = operand(b, a, 1, rank)?;
    let terms = left[rank - 1];
    if right[0] != terms {
        return fail(
            codes::SHAPE_MISMATCH,
            a.span,
            format!(
                "'{}' sums over {terms} elements on the left, but {} on the right",
                a.op.key, right[0]
            ),
        );
    }
    let shape: Vec<u64> = left[..rank - 1]
        .iter()
        .chain(&right[1..])
        .copied()
        .collect();
    let out = output(b, a, &shape, [lhs, rhs], terms)?;
    let zero = b.index(0, a.span);
    let one = b.index(1, a.span);
    let extents: Vec<ValueId> = shape.iter().map(|e| extent(b, *e, a)).collect();
    let count = extent(b, terms, a);
    let mut ivs = Vec::new();
    for _ in &shape {
        b.open();
        ivs.push(b.value(Scalar::Index, None));
    }
    let elem = b.arrays[out].elem;
    let init = if a.acc.is_some() {
        let indices = ivs.clone();
        b.emit(OpKind::load(out, indices), elem, a.span)
    } else {
        b.zero(elem, a.span)
    };
    let carried = b.value(elem, Some("acc"));
    let k = b.value(Scalar::Index, Some("k"));
    b.open();
    let at_left: Vec<ValueId> = ivs[..rank - 1].iter().copied().chain([k]).collect();
    let at_right: Vec<ValueId> = [k]
        .into_iter()
        .chain(ivs[rank - 1..].iter().copied())
        .collect();
    let next = step(b, a, carried, (lhs, at_left), (rhs, at_right));
    let body = b.close(next.iter().copied().collect());
    let sum = b.value(elem, None);
    let label = format!("{}.k", a.op.key);
    let inner = For {
        inits: vec![init],
        carried: vec![carried],
        ..For::over(k, [zero, count, one], &label, body)
    };
    b.push(OpKind::For(Box::new(inner)), vec![sum], a.span);
    let store = OpKind::store(out, ivs.clone(), sum);
    b.push(store, vec![], a.span);
    for (hi, iv) in extents.into_iter().zip(ivs).rev() {
        let body = b.close(vec![]);
        let outer = For {
            parallel: true,
            ..For::over(iv, [zero, hi, one], a.op.key, body)
        };
        b.push(OpKind::For(Box::new(outer)), vec![], a.span);
    }
    next?;
    Ok(Value::Array {
        id: out,
        fresh: a.acc.is_none(),
    })
}

fn extent(b: &mut Builder, extent: u64, a: &Applied) -> ValueId {
    b.constant(Scalar::Index, Const::Int(extent.into()), a.span)
}

fn operand(b: &Builder, a: &Applied, i: usize, rank: usize) -> Result<(ArrayId, Vec<u64>)> {
    let operand = &a.operands[i];
    match operand.value {
        Value::Array { id, .. } if b.arrays[id].shape.len() == rank => {
            Ok((id, b.arrays[id].shape.clone()))
        }
        Value::Array { id, .. } => fail(
            codes::SHAPE_MISMATCH,
            operand.span,
            format!(
                "'{}' needs arrays of rank {rank}, not {}",
                a.op.key,
                shaped_name(b.arrays[id].elem, &b.arrays[id].shape)
            ),
        ),
        _ => fail(
            codes::ARGUMENT_TYPE,
            operand.span,
            format!(
                "'{}' needs arrays, not {}",
                a.op.key,
                describe(&operand.value)
            ),
        ),
    }
}

/// `acc`, or a fresh array whose element type holds the sum.
fn output(
    b: &mut Builder,
    a: &Applied,
    shape: &[u64],
    inputs: [ArrayId; 2],
    terms: u64,
) -> Result<ArrayId> {
    let Some(acc) = a.acc else {
        let types = inputs.map(|id| b.arrays[id].elem);
        let elem = sum_type(b, a, types, terms)?;
        let name = format!("{}_result", a.op.key);
        return Ok(b.array(&name, elem, shape, ArrayKind::Local, a.span));
    };
    if inputs.contains(&acc) {
        return fail(codes::ALIASED, a.span, "acc= is one of the operands");
    }
    let array = &b.arrays[acc];
    if array.shape != shape {
        let message = format!(
            "the result has shape {shape:?}, but acc is {}",
            shaped_name(array.elem, &array.shape)
        );
        return fail(codes::SHAPE_MISMATCH, a.span, message);
    }
    Ok(acc)
}

/// The type of a product, grown by ceil(log2 terms) bits for integers in hls.
fn sum_type(b: &mut Builder, a: &Applied, types: [Scalar; 2], terms: u64) -> Result<Scalar> {
    let product = product_type(b, &types, a.span)?;
    Ok(match product {
        Scalar::Int { signed, width } if b.options.style == Style::Hls => {
            let growth = u64::BITS - (terms - 1).leading_zeros();
            let ty = Scalar::Int {
                signed,
                width: width + growth,
            };
            check_width(ty, a.span)?;
            ty
        }
        other => other,
    })
}

/// `acc + left * right` in the type of `acc`.
fn step(
    b: &mut Builder,
    a: &Applied,
    acc: ValueId,
    left: (ArrayId, Vec<ValueId>),
    right: (ArrayId, Vec<ValueId>),
) -> Result<ValueId> {
    let span = a.span;
    let mut load = |(array, indices): (ArrayId, Vec<ValueId>)| {
        let ty = b.arrays[array].elem;
        let id = b.emit(OpKind::load(array, indices), ty, span);
        let value = Value::Scalar(Typed { id, ty });
        Operand { value, span }
    };
    let factors = [load(left), load(right)];
    let value = product_of(b, &[&factors[0], &factors[1]], span)?;
    let product = Operand { value, span };
    let ty = b.values[acc].ty;
    let value = Value::Scalar(Typed { id: acc, ty });
    let acc = Operand { value, span };
    let value = sum_of(b, "add", &[(&acc, false), (&product, false)], span)?;
    b.store_as(&Operand { value, span }, ty)
}
