//! Pure operations of the reference on typed values, and when their result is unspecified.

use crate::ir::{BinaryOp, CompareOp, Conversion, Overflow, Rounding, Scalar, UnaryOp};
use crate::sim::softfloat::Unpacked;
use crate::sim::value::{Data, Value};
use crate::sim::{elementary, formats, integer, softfloat};
use num_bigint::BigInt;
use num_traits::Signed;

/// `op arg` in a type; `None` if there is no reference for it.
pub fn unary(ty: Scalar, op: UnaryOp, arg: &Value) -> Option<Value> {
    let data = match (&arg.data, ty) {
        (Data::Float(bits), Scalar::Float(f)) => Data::Float(elementary::unary(f, op, *bits)?),
        (Data::Int(i), _) => match op {
            UnaryOp::Neg => Value::int(ty, -i).data,
            UnaryOp::Not => Value::int(ty, !i).data,
            UnaryOp::Abs => Value::int(ty, i.abs()).data,
            _ => return None,
        },
        (data, _) => match op {
            UnaryOp::Neg => Data::wrapped(ty, -data.to_bigint()),
            UnaryOp::Not => Data::wrapped(ty, !data.to_bigint()),
            UnaryOp::Abs => Data::wrapped(ty, data.to_bigint().abs()),
            _ => return None,
        },
    };
    Some(Value {
        data,
        tainted: arg.tainted,
    })
}

/// `lhs op rhs` in a type; `None` if there is no reference for it.
pub fn binary(ty: Scalar, op: BinaryOp, lhs: &Value, rhs: &Value) -> Option<Value> {
    let form = (ty.width(), ty.is_signed());
    let data = match (&lhs.data, &rhs.data, ty) {
        (Data::Float(a), Data::Float(b), Scalar::Float(f)) => {
            Data::Float(elementary::binary(f, op, *a, *b)?)
        }
        (Data::Int(a), amount, _) if matches!(op, BinaryOp::Shl | BinaryOp::Shr) => Data::Int(
            integer::shift(op == BinaryOp::Shl, a, amount.as_u32(), form),
        ),
        (Data::Int(a), Data::Int(b), _) => Data::Int(integer::binary(op, a, b, form)?),
        (Data::Big(a), amount, _) if matches!(op, BinaryOp::Shl | BinaryOp::Shr) => {
            let shifted = integer::shift(op == BinaryOp::Shl, &**a, amount.as_u32(), form);
            Data::Big(Box::new(shifted))
        }
        (Data::Big(a), Data::Big(b), _) => {
            Data::Big(Box::new(integer::binary(op, &**a, &**b, form)?))
        }
        _ => return None,
    };
    let decided = decides(ty, op, lhs) || decides(ty, op, rhs);
    Some(Value {
        data,
        tainted: (lhs.tainted || rhs.tainted) && !decided,
    })
}

/// Whether one specified operand fixes the result alone, as 0 does in `i < n and a[i] > 0`.
fn decides(ty: Scalar, op: BinaryOp, operand: &Value) -> bool {
    if operand.tainted {
        return false;
    }
    let all_ones = || operand.data == Data::wrapped(ty, BigInt::from(-1));
    match op {
        _ if ty.is_float() => false,
        BinaryOp::And | BinaryOp::Mul => !operand.data.is_true(),
        BinaryOp::Or => all_ones(),
        _ => false,
    }
}

/// `lhs op rhs` of two values of a type, as `u1`.
pub fn compare(ty: Scalar, op: CompareOp, lhs: &Value, rhs: &Value) -> Value {
    let holds = match (&lhs.data, &rhs.data, ty) {
        (Data::Float(a), Data::Float(b), Scalar::Float(f)) => softfloat::compare(f, op, *a, *b),
        (Data::Int(a), Data::Int(b), _) => ordered(op, a.cmp(b)),
        (a, b, _) => ordered(op, a.to_bigint().cmp(&b.to_bigint())),
    };
    Value {
        data: Data::Int(i128::from(holds)),
        tainted: lhs.tainted || rhs.tainted,
    }
}

fn ordered(op: CompareOp, order: std::cmp::Ordering) -> bool {
    match op {
        CompareOp::Eq | CompareOp::Ueq => order.is_eq(),
        CompareOp::Ne | CompareOp::One => order.is_ne(),
        CompareOp::Lt | CompareOp::Ult => order.is_lt(),
        CompareOp::Le | CompareOp::Ule => order.is_le(),
        CompareOp::Gt | CompareOp::Ugt => order.is_gt(),
        CompareOp::Ge | CompareOp::Uge => order.is_ge(),
    }
}

/// `lhs * rhs + add` of three floats of a type, rounded once.
pub fn fma(ty: Scalar, operands: [&Value; 3]) -> Value {
    let bits = operands.map(|v| match v.data {
        Data::Float(bits) => bits,
        _ => 0,
    });
    let data = match ty {
        Scalar::Float(f) => Data::Float(softfloat::arithmetic(f, softfloat::Arithmetic::Fma, bits)),
        _ => Data::wrapped(ty, BigInt::from(0)),
    };
    Value {
        data,
        tainted: operands.iter().any(|v| v.tainted),
    }
}

/// Conversion by the rules of the language's casts. Between the same types it is a move.
pub fn cast(from: Scalar, to: Scalar, value: &Value) -> Value {
    if from == to {
        return value.clone();
    }
    let data = match (&value.data, from, to) {
        (Data::Float(bits), _, Scalar::Float(_) | Scalar::Storage(_)) => {
            Data::Float(formats::convert(from, to, *bits))
        }
        (Data::Float(bits), ..) => Data::wrapped(to, formats::to_int(from, to, *bits)),
        (data, _, Scalar::Float(_) | Scalar::Storage(_)) => {
            Data::Float(formats::from_int(to, data.to_bigint()))
        }
        (Data::Int(i), _, _) if to.width() <= 64 => Value::int(to, *i).data,
        (data, _, _) => Data::wrapped(to, data.to_bigint()),
    };
    Value {
        data,
        tainted: value.tainted,
    }
}

/// Conversion between two types in a way of rounding.
pub fn convert(from: Scalar, to: Scalar, how: Conversion, value: &Value) -> Value {
    let how = how.effective(from, to);
    if how == Conversion::of_cast(to) {
        return cast(from, to, value);
    }
    let number = match &value.data {
        Data::Float(bits) => formats::unpack(from, *bits),
        data => formats::exact_int(data.to_bigint()),
    };
    let Some(limits) = to.int_range() else {
        return Value {
            data: Data::Float(formats::pack_by(to, how, &number)),
            tainted: value.tainted,
        };
    };
    let (integer, fits) = to_integer(limits, how.rounding, &number);
    Value {
        data: Data::wrapped(to, integer),
        tainted: value.tainted || !fits && how.overflow == Overflow::Unspecified,
    }
}

/// The integer within the limits that is nearest to a number when that is rounded, and whether it is that.
fn to_integer(limits: (BigInt, BigInt), rounding: Rounding, number: &Unpacked) -> (BigInt, bool) {
    let (least, most) = limits;
    match number {
        Unpacked::Nan => (BigInt::ZERO, false),
        Unpacked::Infinite(true) => (least, false),
        Unpacked::Infinite(false) => (most, false),
        Unpacked::Finite(exact) => {
            let rounded = softfloat::round_to_integer(rounding, exact);
            let limited = rounded.clone().clamp(least, most);
            let fits = limited == rounded;
            (limited, fits)
        }
    }
}

/// The same bits as a number of another type.
pub fn bitcast(to: Scalar, value: &Value) -> Value {
    Value {
        data: Data::wrapped(to, value.data.to_bigint()),
        tainted: value.tainted,
    }
}

/// Bits `lo ..` of an integer, as many as the result type has; zeros outside its width.
pub fn bit_slice(from: Scalar, to: Scalar, arg: &Value, lo: &Value) -> Value {
    let data = match (&arg.data, &lo.data) {
        (Data::Int(a), Data::Int(lo)) if to.width() <= 64 => {
            Data::Int(integer::bit_slice(a, from.width(), lo, to.width()))
        }
        (a, lo) => {
            let (a, lo) = (a.to_bigint(), lo.to_bigint());
            Data::wrapped(to, integer::bit_slice(&a, from.width(), &lo, to.width()))
        }
    };
    Value {
        data,
        tainted: arg.tainted || lo.tainted,
    }
}

/// An integer with `count` bits replaced; operands: the integer, the lowest bit's index, the bits.
pub fn bit_set(ty: Scalar, count: u32, [arg, lo, bits]: [&Value; 3]) -> Value {
    let form = (ty.width(), ty.is_signed());
    let data = match (&arg.data, &lo.data, &bits.data) {
        (Data::Int(a), Data::Int(lo), Data::Int(bits)) => {
            Data::Int(integer::bit_set(a, lo, (bits, count), form))
        }
        (a, lo, bits) => {
            let (a, lo, bits) = (a.to_bigint(), lo.to_bigint(), bits.to_bigint());
            Data::wrapped(ty, integer::bit_set(&a, &lo, (&bits, count), form))
        }
    };
    Value {
        data,
        tainted: arg.tainted || lo.tainted || bits.tainted,
    }
}
