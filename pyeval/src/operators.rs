//! Operators and truth of any values: by the methods of classes, as numpy does, or by arithmetic.

use crate::arithmetic::{self, Fold, MAX_INT_BITS, no_truth};
use crate::containers::charged;
use crate::convert::int_of;
use crate::equality::{hashable, identical};
use crate::error::{Limit, Problem, fail};
use crate::format::percent;
use crate::items::{edit_list, replace_contents};
use crate::iterate::{self, collect};
use crate::numpy::indexing::assign_all;
use crate::numpy::operations;
use crate::numpy::product::matmul;
use crate::objects::call_method;
use crate::range::Range;
use crate::value::{Class, Elements, Failure, Names, Object, Result, Value};
use diagnostics::Span;
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};
use ruff_python_ast::{CmpOp, Operator, UnaryOp};

/// Longest string, in bytes.
pub const MAX_STRING: u64 = MAX_INT_BITS * 8;

/// `left op right` for any values.
pub fn binary(
    op: Operator,
    left: Value,
    right: Value,
    span: Span,
    names: &mut dyn Names,
) -> Result<Value> {
    let args = [left, right];
    if let Some(value) = binary_method(op, &args, span, names)? {
        return Ok(value);
    }
    let value = if args.iter().any(|a| matches!(a, Value::Table(_))) {
        let [left, right] = &args;
        match op {
            Operator::MatMult => matmul(left, right, span, names)?,
            _ => operations::binary(op, left, right, span, names)?,
        }
    } else {
        match container_operator(op, &args, span, names)? {
            Some(value) => value,
            None => fold(arithmetic::of_binary(op), op.as_str(), &args, span)?,
        }
    };
    charged(value, span, names)
}

/// `left op= right`: changes lists, sets, dicts and arrays in place.
pub fn augment(
    op: Operator,
    left: Value,
    right: Value,
    span: Span,
    names: &mut dyn Names,
) -> Result<Value> {
    match (&left, op) {
        (Value::List(_), Operator::Add) => {
            let items = collect(&right, span, names)?;
            names.charge(span, items.len() as u64)?;
            edit_list(&left, span)?.extend(items);
            Ok(left)
        }
        (Value::Dict(_), Operator::BitOr) | (Value::Set(_), _) => {
            let value = binary(op, left.clone(), right, span, names)?;
            replace_contents(&left, &value, span)?;
            Ok(match &left {
                Value::Set(set) if set.get().frozenset => value,
                _ => left,
            })
        }
        (Value::Table(table), _) if table.rank() > 0 => {
            let value = binary(op, left.clone(), right, span, names)?;
            assign_all(table, &value, span, true)?;
            Ok(left)
        }
        _ => binary(op, left, right, span, names),
    }
}

/// `op operand` for any value.
pub fn unary(op: UnaryOp, operand: Value, span: Span, names: &mut dyn Names) -> Result<Value> {
    if op == UnaryOp::Not {
        return Ok(Value::Bool(!truth(&operand, span, names)?));
    }
    if let Some(value) = unary_method(op, &operand, span, names)? {
        return Ok(value);
    }
    if let Value::Table(table) = &operand {
        return operations::unary(op, table, span, names);
    }
    fold(
        Some(arithmetic::of_unary(op)),
        op.as_str(),
        &[operand],
        span,
    )
}

/// An operator of arithmetic, which some operators do not have.
fn fold(f: Option<Fold>, symbol: &str, args: &[Value], span: Span) -> Result<Value> {
    match f {
        Some(f) => f(args).map_err(|problem| Failure::new(span, problem)),
        None => {
            let text = format!("the operator '{symbol}' is not supported");
            fail(span, Problem::Expression(text.into()))
        }
    }
}

/// Python's truth of a value.
pub fn truth(value: &Value, span: Span, names: &mut dyn Names) -> Result<bool> {
    if let Some(truth) = truth_method(value, span, names)? {
        return Ok(truth);
    }
    match value.truth() {
        Some(truth) => Ok(truth),
        None => fail(span, no_truth(value)),
    }
}

/// One comparison of two compile-time values.
pub fn compare_pair(
    op: CmpOp,
    left: Value,
    right: Value,
    span: Span,
    names: &mut dyn Names,
) -> Result<Value> {
    match op {
        CmpOp::Is | CmpOp::IsNot => {
            let same = identical(&left, &right);
            return Ok(Value::Bool(same == (op == CmpOp::Is)));
        }
        CmpOp::In | CmpOp::NotIn => {
            let found = contains(&right, &left, span, names)?;
            return Ok(Value::Bool(found == (op == CmpOp::In)));
        }
        _ => {}
    }
    let args = [left, right];
    if let Some(value) = compare_method(op, &args, span, names)? {
        return Ok(value);
    }
    if args.iter().any(|a| matches!(a, Value::Table(_))) {
        return operations::compare(op, &args[0], &args[1], span, names);
    }
    if let Some(value) = compare_sets(op, &args) {
        return Ok(Value::Bool(value));
    }
    let length = |v: &Value| v.sequence().map_or(0, |items| items.len());
    names.tick(span, (length(&args[0]).min(length(&args[1])) / 4) as u64)?;
    fold(arithmetic::of_compare(op), op.as_str(), &args, span)
}

/// `item in container`.
fn contains(container: &Value, item: &Value, span: Span, names: &mut dyn Names) -> Result<bool> {
    match (container, item) {
        (Value::Dict(dict), _) => Ok(dict.get().contains_key(&hashable(item, span)?)),
        (Value::Set(set), _) => Ok(set.get().items.contains_key(&hashable(item, span)?)),
        (Value::Str(text), Value::Str(part)) => {
            names.tick(span, text.len() as u64 / 8)?;
            Ok(text.contains(&**part))
        }
        (Value::Range(range), _) => match item.as_int() {
            Some(v) => Ok(in_range(range, &v)),
            None => Ok(false),
        },
        (Value::Object(_), _) => {
            let args = vec![item.clone()];
            match call_method(container, "__contains__", args, span, names)? {
                Some(result) => truth(&result, span, names),
                None => among(container, item, span, names),
            }
        }
        _ => among(container, item, span, names),
    }
}

fn among(container: &Value, item: &Value, span: Span, names: &mut dyn Names) -> Result<bool> {
    let iter = iterate::iter(container, span, names)?;
    while let Some(candidate) = iterate::next(&iter, span, names)? {
        if identical(&candidate, item) {
            return Ok(true);
        }
        let equal = compare_pair(CmpOp::Eq, candidate, item.clone(), span, names)?;
        if truth(&equal, span, names)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn in_range(range: &Range, v: &BigInt) -> bool {
    let Some(v) = v.to_i128() else { return false };
    let offset = v - i128::from(range.start);
    let step = i128::from(range.step);
    offset % step == 0 && offset / step >= 0 && ((offset / step) as u128) < u128::from(range.len())
}

/// Comparisons of sets: subset and superset.
fn compare_sets(op: CmpOp, args: &[Value; 2]) -> Option<bool> {
    let [Value::Set(a), Value::Set(b)] = args else {
        return None;
    };
    let (a, b) = (a.get(), b.get());
    let within = |a: &Elements, b: &Elements| a.items.keys().all(|k| b.items.contains_key(k));
    let same_size = a.items.len() == b.items.len();
    Some(match op {
        CmpOp::Eq => same_size && within(&a, &b),
        CmpOp::NotEq => !(same_size && within(&a, &b)),
        CmpOp::LtE => within(&a, &b),
        CmpOp::Lt => !same_size && within(&a, &b),
        CmpOp::GtE => within(&b, &a),
        CmpOp::Gt => !same_size && within(&b, &a),
        _ => return None,
    })
}

const BINARY: &[(Operator, &str, &str)] = &[
    (Operator::Add, "__add__", "__radd__"),
    (Operator::Sub, "__sub__", "__rsub__"),
    (Operator::Mult, "__mul__", "__rmul__"),
    (Operator::MatMult, "__matmul__", "__rmatmul__"),
    (Operator::Div, "__truediv__", "__rtruediv__"),
    (Operator::FloorDiv, "__floordiv__", "__rfloordiv__"),
    (Operator::Mod, "__mod__", "__rmod__"),
    (Operator::Pow, "__pow__", "__rpow__"),
    (Operator::LShift, "__lshift__", "__rlshift__"),
    (Operator::RShift, "__rshift__", "__rrshift__"),
    (Operator::BitAnd, "__and__", "__rand__"),
    (Operator::BitOr, "__or__", "__ror__"),
    (Operator::BitXor, "__xor__", "__rxor__"),
];

const COMPARE: &[(CmpOp, &str, &str)] = &[
    (CmpOp::Eq, "__eq__", "__eq__"),
    (CmpOp::NotEq, "__ne__", "__ne__"),
    (CmpOp::Lt, "__lt__", "__gt__"),
    (CmpOp::LtE, "__le__", "__ge__"),
    (CmpOp::Gt, "__gt__", "__lt__"),
    (CmpOp::GtE, "__ge__", "__le__"),
];

fn implemented(value: &Value) -> bool {
    !matches!(value, Value::Native(n) if n.name == "NotImplemented")
}

/// The result of a method of the left operand, or else of the reflected one of the right.
fn either(
    method: &str,
    reflected: &str,
    args: &[Value; 2],
    span: Span,
    names: &mut dyn Names,
) -> Result<Option<Value>> {
    for (this, other, name) in [(0, 1, method), (1, 0, reflected)] {
        let other = vec![args[other].clone()];
        let result = call_method(&args[this], name, other, span, names)?;
        if result.as_ref().is_some_and(implemented) {
            return Ok(result);
        }
    }
    Ok(None)
}

/// A binary operator by methods of the operands, if they have them.
fn binary_method(
    op: Operator,
    args: &[Value; 2],
    span: Span,
    names: &mut dyn Names,
) -> Result<Option<Value>> {
    if !args.iter().any(|a| matches!(a, Value::Object(_))) {
        return Ok(None);
    }
    match BINARY.iter().find(|(o, ..)| *o == op) {
        Some((_, method, reflected)) => either(method, reflected, args, span, names),
        None => Ok(None),
    }
}

/// A unary operator by a method of the operand, if it has it.
fn unary_method(
    op: UnaryOp,
    operand: &Value,
    span: Span,
    names: &mut dyn Names,
) -> Result<Option<Value>> {
    let name = match op {
        UnaryOp::USub => "__neg__",
        UnaryOp::UAdd => "__pos__",
        UnaryOp::Invert => "__invert__",
        UnaryOp::Not => return Ok(None),
    };
    call_method(operand, name, vec![], span, names)
}

/// A comparison by methods of the operands, if they have them.
fn compare_method(
    op: CmpOp,
    args: &[Value; 2],
    span: Span,
    names: &mut dyn Names,
) -> Result<Option<Value>> {
    if !args.iter().any(|a| matches!(a, Value::Object(_))) {
        return Ok(None);
    }
    let Some((_, method, reflected)) = COMPARE.iter().find(|(o, ..)| *o == op) else {
        return Ok(None);
    };
    if let Some(result) = either(method, reflected, args, span, names)? {
        return Ok(Some(result));
    }
    if op == CmpOp::NotEq
        && let Some(equal) = either("__eq__", "__eq__", args, span, names)?
    {
        let equal = truth(&equal, span, names)?;
        return Ok(Some(Value::Bool(!equal)));
    }
    if let [Value::Object(a), Value::Object(b)] = args
        && let Some(data) = a.class.data()
        && data.order
        && Class::same(&a.class, &b.class)
    {
        let fields = |o: &Object| Value::tuple(o.fields(&data));
        let (a, b) = (fields(a), fields(b));
        return compare_pair(op, a, b, span, names).map(Some);
    }
    Ok(None)
}

/// The truth of an object.
fn truth_method(value: &Value, span: Span, names: &mut dyn Names) -> Result<Option<bool>> {
    let Value::Object(object) = value else {
        return Ok(None);
    };
    if let Some(result) = call_method(value, "__bool__", vec![], span, names)? {
        return Ok(Some(matches!(result, Value::Bool(true))));
    }
    if let Some(length) = call_method(value, "__len__", vec![], span, names)? {
        return Ok(Some(length.as_int() != Some(BigInt::ZERO)));
    }
    Ok(Some(object.int().is_none_or(|v| v != BigInt::ZERO)))
}

/// Operators of strings, sets and dicts; `None` leaves the operands to arithmetic.
fn container_operator(
    op: Operator,
    args: &[Value; 2],
    span: Span,
    names: &mut dyn Names,
) -> Result<Option<Value>> {
    match (op, &args[0], &args[1]) {
        (Operator::Mod, Value::Str(template), values) => {
            let text = percent(template, values, span, names)?;
            Ok(Some(Value::Str(text.into())))
        }
        (Operator::Mult, Value::Str(s), n) | (Operator::Mult, n, Value::Str(s)) => {
            let n = int_of(n, span)?;
            let n = if n.is_negative() {
                0
            } else {
                n.to_u64().unwrap_or(u64::MAX)
            };
            let bytes = n.saturating_mul(s.len() as u64);
            if bytes > MAX_STRING {
                return fail(span, Limit::String);
            }
            Ok(Some(Value::Str(s.repeat(n as usize).into())))
        }
        (Operator::BitOr, Value::Dict(a), Value::Dict(b)) => {
            let mut entries = a.get().clone();
            for (key, (k, v)) in b.get().iter() {
                match entries.get_mut(key) {
                    Some(entry) => entry.1 = v.clone(),
                    None => {
                        entries.insert(key.clone(), (k.clone(), v.clone()));
                    }
                }
            }
            Ok(Some(Value::dict(entries)))
        }
        (_, Value::Set(a), Value::Set(b)) => {
            let (a, b) = (a.get(), b.get());
            names.tick(span, (a.items.len() + b.items.len()) as u64 / 2)?;
            let result = match op {
                Operator::BitOr => a.union(&b),
                Operator::BitAnd => a.select(|key| b.items.contains_key(key)),
                Operator::Sub => a.select(|key| !b.items.contains_key(key)),
                Operator::BitXor => a.symmetric_difference(&b),
                _ => return Ok(None),
            };
            Ok(Some(Value::set(result)))
        }
        _ => Ok(None),
    }
}
