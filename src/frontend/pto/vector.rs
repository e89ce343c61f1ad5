//! Operations on vectors, lane by lane: from arrays and scalars, to arrays, and between vectors.

use super::classes::{ALL, Class, INTEGERS, NUMBERS, SIGNED, WIDE, check_profile};
use super::legality::{CONVERT, Family};
use super::literals;
use super::operation::{Invocation, Operation};
use super::tiles::indexed;
use crate::diagnostics::Span;
use crate::frontend::builder::state::{Access, Builder, Vector, VectorType};
use crate::frontend::constant::ConstValue;
use crate::frontend::error::Result;
use crate::frontend::values::{Operand, Typed, Value, describe};
use crate::ir::{ArrayId, BinaryOp, CompareOp, Const, Element, OpKind, Scalar, UnaryOp, ValueId};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::rc::Rc;

macro_rules! operations {
    ($($name:literal ($($param:literal)*) $required:literal $lower:expr;)*) => {
        &[$(Operation { name: $name, params: &[$($param),*], required: $required, lower: $lower },)*]
    };
}
pub(super) use operations;

/// The operations.
pub static OPERATIONS: &[Operation] = operations! {
    "vlds" ("x" "off") 2 load;
    "vsts" ("v" "x" "off" "mask") 3 store;
    "vdup" ("s" "T") 1 duplicate;
    "vci" ("s" "order") 1 count;
    "vadd" ("a" "b" "mask" "*" "merge") 2 |b, c| binary(b, c, &NUMBERS, BinaryOp::Add);
    "vsub" ("a" "b" "mask" "*" "merge") 2 |b, c| binary(b, c, &NUMBERS, BinaryOp::Sub);
    "vmul" ("a" "b" "mask" "*" "merge") 2 |b, c| binary(b, c, &NUMBERS, BinaryOp::Mul);
    "vmax" ("a" "b" "mask" "*" "merge") 2 |b, c| binary(b, c, &NUMBERS, BinaryOp::Max);
    "vmin" ("a" "b" "mask" "*" "merge") 2 |b, c| binary(b, c, &NUMBERS, BinaryOp::Min);
    "vdiv" ("a" "b" "mask" "*" "merge") 2 |b, c| binary(b, c, &WIDE, BinaryOp::Div);
    "vshl" ("a" "b" "mask" "*" "merge") 2 |b, c| binary(b, c, &INTEGERS, BinaryOp::Shl);
    "vshr" ("a" "b" "mask" "*" "merge") 2 |b, c| binary(b, c, &INTEGERS, BinaryOp::Shr);
    "vadds" ("a" "s" "mask" "*" "merge") 2 |b, c| with_scalar(b, c, BinaryOp::Add);
    "vmuls" ("a" "s" "mask" "*" "merge") 2 |b, c| with_scalar(b, c, BinaryOp::Mul);
    "vmaxs" ("a" "s" "mask" "*" "merge") 2 |b, c| with_scalar(b, c, BinaryOp::Max);
    "vmins" ("a" "s" "mask" "*" "merge") 2 |b, c| with_scalar(b, c, BinaryOp::Min);
    "vshls" ("a" "s" "mask" "*" "merge") 2 |b, c| shift_by(b, c, BinaryOp::Shl);
    "vshrs" ("a" "s" "mask" "*" "merge") 2 |b, c| shift_by(b, c, BinaryOp::Shr);
    "vsqrt" ("a" "mask" "*" "merge") 1 |b, c| unary(b, c, &WIDE, UnaryOp::Sqrt);
    "vabs" ("a" "mask" "*" "merge") 1 |b, c| unary(b, c, &SIGNED, UnaryOp::Abs);
    "vneg" ("a" "mask" "*" "merge") 1 |b, c| unary(b, c, &SIGNED, UnaryOp::Neg);
    "vrelu" ("a" "mask" "*" "merge") 1 relu;
    "vand" ("a" "b" "mask" "*" "merge") 2 |b, c| bitwise(b, c, BinaryOp::And);
    "vor" ("a" "b" "mask" "*" "merge") 2 |b, c| bitwise(b, c, BinaryOp::Or);
    "vxor" ("a" "b" "mask" "*" "merge") 2 |b, c| bitwise(b, c, BinaryOp::Xor);
    "vnot" ("a" "mask" "*" "merge") 1 not;
    "vcmp" ("a" "b" "op" "mask") 3 compare;
    "vcmps" ("a" "s" "op" "mask") 3 compare_scalar;
    "vsel" ("a" "b" "p") 3 select;
};

/// The vector that is given for a parameter.
pub fn vreg(call: &Invocation, name: &str) -> Result<Rc<Vector>> {
    of_kind(call, call.operand(name)?, name, false)
}

fn of_kind(call: &Invocation, operand: &Operand, name: &str, mask: bool) -> Result<Rc<Vector>> {
    match &operand.value {
        Value::Vector(vector) if vector.ty.is_mask == mask => Ok(vector.clone()),
        other => {
            let needed = if mask { "a mask" } else { "a vreg" };
            let message = format!("needs {needed} for {name}, found {}", describe(other));
            call.refuse(Family::Type, message, operand.span)
        }
    }
}

/// The mask that is given for a parameter.
pub fn mask(call: &Invocation, name: &str) -> Result<Rc<Vector>> {
    of_kind(call, call.operand(name)?, name, true)
}

/// Vectors of one element type of the class.
pub fn alike(call: &Invocation, class: &Class, names: &[&str]) -> Result<Vec<Rc<Vector>>> {
    let found = names.iter().map(|name| vreg(call, name));
    let vectors = found.collect::<Result<Vec<_>>>()?;
    let first = vectors[0].ty.elem;
    if let Some(other) = vectors.iter().find(|v| v.ty.elem != first) {
        let message = format!(
            "needs equal element types, found {first} and {}",
            other.ty.elem
        );
        return call.refuse(Family::Type, message, call.span);
    }
    check_class(call, first, class)?;
    Ok(vectors)
}

/// Refuses an element type that is not of the class.
pub fn check_class(call: &Invocation, elem: Scalar, class: &Class) -> Result<()> {
    match (class.holds)(elem) {
        true => Ok(()),
        false => call.refuse(
            Family::Type,
            format!("takes {}, not {elem}", class.text),
            call.span,
        ),
    }
}

/// Which lanes are active, and what the others become.
#[derive(Default)]
pub struct Control {
    mask: Option<Rc<Vector>>,
    merge: Option<Rc<Vector>>,
}

impl Control {
    /// The mask and the vector of a call with the parameters `mask` and `merge`, for a result of the type.
    pub fn of(call: &Invocation, ty: VectorType) -> Result<Control> {
        let given = |name: &str, is_mask| match call.given(name) {
            Some(operand) => of_kind(call, operand, name, is_mask).map(Some),
            None => Ok(None),
        };
        let control = Control {
            mask: given("mask", true)?,
            merge: given("merge", false)?,
        };
        if let Some(merge) = control.merge.as_ref().filter(|merge| merge.ty != ty) {
            let message = format!("merges {} into a result of {ty}", merge.ty);
            return call.refuse(Family::Type, message, call.span);
        }
        if control.merge.is_some() && control.mask.is_none() {
            return call.refuse(Family::Attribute, "has merge without mask", call.span);
        }
        control.check_lanes(call, ty.lanes)?;
        Ok(control)
    }

    fn check_lanes(&self, call: &Invocation, lanes: u64) -> Result<()> {
        match &self.mask {
            Some(mask) => check_mask(call, mask, lanes),
            None => Ok(()),
        }
    }

    /// Whether there is no mask.
    pub fn is_plain(&self) -> bool {
        self.mask.is_none()
    }

    /// Whether the lane is active; nothing if every one is.
    pub fn active(&self, b: &mut Builder, iv: ValueId, span: Span) -> Option<ValueId> {
        Some(b.lane(self.mask.as_deref()?, iv, span))
    }

    /// The lane of a result: the value where it is active, else what stands for it.
    pub fn apply(&self, b: &mut Builder, value: ValueId, iv: ValueId, span: Span) -> ValueId {
        let Some(cond) = self.active(b, iv, span) else {
            return value;
        };
        let ty = b.values[value].ty;
        let on_false = match &self.merge {
            Some(merge) => b.lane(merge, iv, span),
            None => b.zero(ty, span),
        };
        choose(b, cond, value, on_false, span)
    }
}

/// Refuses a mask of another number of lanes.
pub fn check_mask(call: &Invocation, mask: &Vector, lanes: u64) -> Result<()> {
    match mask.ty.lanes == lanes {
        true => Ok(()),
        false => {
            let message = format!("has {lanes} lanes, its mask {}", mask.ty.lanes);
            call.refuse(Family::Shape, message, call.span)
        }
    }
}

/// `cond ? on_true : on_false`.
pub fn choose(
    b: &mut Builder,
    cond: ValueId,
    on_true: ValueId,
    on_false: ValueId,
    span: Span,
) -> ValueId {
    let ty = b.values[on_true].ty;
    let kind = OpKind::Select {
        cond,
        on_true,
        on_false,
    };
    b.append(kind, ty, span)
}

/// The vector of type `ty` whose lanes are what `lane` adds to the loop, where they are active.
pub fn lanewise(
    b: &mut Builder,
    ty: VectorType,
    control: &Control,
    span: Span,
    lane: impl FnOnce(&mut Builder, ValueId) -> ValueId,
) -> Value {
    let value = b.over_lanes(ty.lanes, None, span, |b, iv| {
        let value = lane(b, iv);
        control.apply(b, value, iv, span)
    });
    Value::Vector(b.vector(ty, value))
}

fn emit_binary(b: &mut Builder, op: BinaryOp, lhs: ValueId, rhs: ValueId, span: Span) -> ValueId {
    let ty = b.values[lhs].ty;
    b.emit(OpKind::Binary { op, lhs, rhs }, ty, span)
}

fn binary(b: &mut Builder, call: &Invocation, class: &Class, op: BinaryOp) -> Result<Value> {
    let operands = alike(call, class, &["a", "b"])?;
    let (ty, span) = (operands[0].ty, call.span);
    let control = Control::of(call, ty)?;
    Ok(lanewise(b, ty, &control, span, |b, iv| {
        let lhs = b.lane(&operands[0], iv, span);
        let rhs = b.lane(&operands[1], iv, span);
        emit_binary(b, op, lhs, rhs, span)
    }))
}

fn unary(b: &mut Builder, call: &Invocation, class: &Class, op: UnaryOp) -> Result<Value> {
    let a = alike(call, class, &["a"])?.remove(0);
    let span = call.span;
    let control = Control::of(call, a.ty)?;
    Ok(lanewise(b, a.ty, &control, span, |b, iv| {
        let arg = b.lane(&a, iv, span);
        b.emit(OpKind::Unary { op, arg }, a.ty.elem, span)
    }))
}

fn relu(b: &mut Builder, call: &Invocation) -> Result<Value> {
    let a = alike(call, &SIGNED, &["a"])?.remove(0);
    let span = call.span;
    let control = Control::of(call, a.ty)?;
    Ok(lanewise(b, a.ty, &control, span, |b, iv| {
        let lane = b.lane(&a, iv, span);
        let zero = b.zero(a.ty.elem, span);
        emit_binary(b, BinaryOp::Max, lane, zero, span)
    }))
}

/// A scalar or literal of the lanes' type.
pub fn scalar_of(b: &mut Builder, call: &Invocation, name: &str, elem: Scalar) -> Result<ValueId> {
    let operand = call.operand(name)?;
    literals::check_stored(&operand.value, elem, operand.span)?;
    b.convert(operand, elem)
}

fn with_scalar(b: &mut Builder, call: &Invocation, op: BinaryOp) -> Result<Value> {
    let a = alike(call, &NUMBERS, &["a"])?.remove(0);
    let span = call.span;
    let rhs = scalar_of(b, call, "s", a.ty.elem)?;
    let control = Control::of(call, a.ty)?;
    Ok(lanewise(b, a.ty, &control, span, |b, iv| {
        let lhs = b.lane(&a, iv, span);
        emit_binary(b, op, lhs, rhs, span)
    }))
}

/// An amount is any integer, and keeps its value.
fn shift_by(b: &mut Builder, call: &Invocation, op: BinaryOp) -> Result<Value> {
    let a = alike(call, &INTEGERS, &["a"])?.remove(0);
    let (operand, span) = (call.operand("s")?, call.span);
    let rhs = match &operand.value {
        Value::Scalar(typed) if !typed.ty.is_float() && !typed.ty.is_storage() => typed.id,
        Value::Const(ConstValue::Int(v)) => {
            // Anything beyond the width is as good as the width.
            let low = BigInt::from(-1);
            let amount = v.clone().clamp(low, BigInt::from(a.ty.elem.width()));
            b.constant(Scalar::Index, Const::Int(amount), operand.span)
        }
        other => {
            let message = format!("shifts by an integer, not {}", describe(other));
            return call.refuse(Family::Type, message, operand.span);
        }
    };
    let control = Control::of(call, a.ty)?;
    Ok(lanewise(b, a.ty, &control, span, |b, iv| {
        let lhs = b.lane(&a, iv, span);
        emit_binary(b, op, lhs, rhs, span)
    }))
}

/// The value as an unsigned integer of its bits, or that as a value of the type.
pub fn bitcast(b: &mut Builder, arg: ValueId, to: Scalar, span: Span) -> ValueId {
    match b.values[arg].ty == to {
        true => arg,
        false => b.append(OpKind::Bitcast { arg }, to, span),
    }
}

fn bitwise(b: &mut Builder, call: &Invocation, op: BinaryOp) -> Result<Value> {
    let operands = alike(call, &ALL, &["a", "b"])?;
    let (ty, span) = (operands[0].ty, call.span);
    let control = Control::of(call, ty)?;
    let bits = Scalar::unsigned(ty.elem.width());
    Ok(lanewise(b, ty, &control, span, |b, iv| {
        let [lhs, rhs] = [0, 1].map(|at| {
            let lane = b.lane(&operands[at], iv, span);
            bitcast(b, lane, bits, span)
        });
        let result = emit_binary(b, op, lhs, rhs, span);
        bitcast(b, result, ty.elem, span)
    }))
}

fn not(b: &mut Builder, call: &Invocation) -> Result<Value> {
    let a = alike(call, &ALL, &["a"])?.remove(0);
    let (ty, span) = (a.ty, call.span);
    let control = Control::of(call, ty)?;
    let bits = Scalar::unsigned(ty.elem.width());
    Ok(lanewise(b, ty, &control, span, |b, iv| {
        let lane = b.lane(&a, iv, span);
        let arg = bitcast(b, lane, bits, span);
        let op = UnaryOp::Not;
        let result = b.emit(OpKind::Unary { op, arg }, bits, span);
        bitcast(b, result, ty.elem, span)
    }))
}

const COMPARISONS: [(&str, CompareOp); 6] = [
    ("eq", CompareOp::Eq),
    ("ne", CompareOp::Ne),
    ("lt", CompareOp::Lt),
    ("le", CompareOp::Le),
    ("gt", CompareOp::Gt),
    ("ge", CompareOp::Ge),
];

fn comparison(call: &Invocation) -> Result<CompareOp> {
    let words = COMPARISONS.map(|(name, _)| name);
    match call.word("op", &words)? {
        Some(at) => Ok(COMPARISONS[at].1),
        None => call.refuse(Family::Attribute, "needs a comparison for op", call.span),
    }
}

fn compare(b: &mut Builder, call: &Invocation) -> Result<Value> {
    let operands = alike(call, &NUMBERS, &["a", "b"])?;
    let other = operands[1].clone();
    compared(b, call, &operands[0], move |b, iv| {
        b.lane(&other, iv, call.span)
    })
}

fn compare_scalar(b: &mut Builder, call: &Invocation) -> Result<Value> {
    let a = alike(call, &NUMBERS, &["a"])?.remove(0);
    let scalar = scalar_of(b, call, "s", a.ty.elem)?;
    compared(b, call, &a, move |_, _| scalar)
}

fn compared(
    b: &mut Builder,
    call: &Invocation,
    a: &Vector,
    other: impl FnOnce(&mut Builder, ValueId) -> ValueId,
) -> Result<Value> {
    let (ty, span) = (VectorType::mask(a.ty.lanes), call.span);
    // The mask has to be one before the attribute is looked at.
    if let Some(operand) = call.given("mask") {
        of_kind(call, operand, "mask", true)?;
    }
    let op = comparison(call)?;
    let control = Control::of(call, ty)?;
    Ok(lanewise(b, ty, &control, span, |b, iv| {
        let lhs = b.lane(a, iv, span);
        let rhs = other(b, iv);
        b.emit(OpKind::Compare { op, lhs, rhs }, Scalar::BOOL, span)
    }))
}

fn select(b: &mut Builder, call: &Invocation) -> Result<Value> {
    let operands = alike(call, &ALL, &["a", "b"])?;
    let (p, ty, span) = (mask(call, "p")?, operands[0].ty, call.span);
    check_mask(call, &p, ty.lanes)?;
    Ok(lanewise(b, ty, &Control::default(), span, |b, iv| {
        let cond = b.lane(&p, iv, span);
        let on_true = b.lane(&operands[0], iv, span);
        let on_false = b.lane(&operands[1], iv, span);
        choose(b, cond, on_true, on_false, span)
    }))
}

/// `vdup(s, T=None)`.
fn duplicate(b: &mut Builder, call: &Invocation) -> Result<Value> {
    let operand = call.operand("s")?;
    let (elem, value) = match (&operand.value, call.given("T")) {
        (Value::Scalar(Typed { id, ty }), None) => (*ty, *id),
        (Value::Scalar(_), Some(ty)) => {
            return call.refuse(Family::Attribute, "takes T beside a literal only", ty.span);
        }
        (Value::Const(value), None) if value.is_number() => {
            let message = format!("needs the element type of {}", value.text());
            return call.refuse(Family::Type, message, operand.span);
        }
        (Value::Const(_), Some(_)) => {
            let elem = call.scalar_type("T")?;
            check_class(call, elem, &ALL)?;
            (elem, scalar_of(b, call, "s", elem)?)
        }
        (other, _) => {
            let message = format!("needs a scalar, found {}", describe(other));
            return call.refuse(Family::Type, message, operand.span);
        }
    };
    check_class(call, elem, &ALL)?;
    check_profile(elem, b.options.profile, call.span)?;
    let ty = VectorType::vreg(elem);
    Ok(Value::Vector(Builder::vector_by(ty, move |_, _| value)))
}

/// `vci(s, order="asc")`.
fn count(b: &mut Builder, call: &Invocation) -> Result<Value> {
    let operand = call.operand("s")?;
    let elem = match &operand.value {
        Value::Scalar(typed) => typed.ty,
        Value::Const(ConstValue::Int(_)) => Scalar::signed(32),
        other => {
            let message = format!("needs an integer, found {}", describe(other));
            return call.refuse(Family::Type, message, operand.span);
        }
    };
    check_class(call, elem, &INTEGERS)?;
    let start = scalar_of(b, call, "s", elem)?;
    let op = match call.word("order", &["asc", "desc"])? {
        Some(1) => BinaryOp::Sub,
        _ => BinaryOp::Add,
    };
    let (ty, span) = (VectorType::vreg(elem), call.span);
    Ok(Value::Vector(Builder::vector_by(ty, move |b, iv| {
        let index = Typed {
            id: iv,
            ty: Scalar::Index,
        };
        let rhs = b.cast(index, elem, span);
        emit_binary(b, op, start, rhs, span)
    })))
}

/// An array, with the offset of lane 0 in it.
struct Target {
    array: ArrayId,
    elem: Scalar,
    shape: Vec<u64>,
    offset: ValueId,
    /// The offset, if it is a constant: every lane is in the array then.
    known: Option<u64>,
}

impl Target {
    /// The array and the offset of a call with the parameters `x` and `off`; `elem` is the vector's that is stored.
    fn of(b: &mut Builder, call: &Invocation, stored: Option<Scalar>) -> Result<Target> {
        let operand = call.operand("x")?;
        let Value::Array { id, .. } = operand.value else {
            let message = format!("needs an array for x, found {}", describe(&operand.value));
            return call.refuse(Family::Type, message, operand.span);
        };
        let (elem, shape) = (b.arrays[id].elem, b.arrays[id].shape.clone());
        check_class(call, elem, &ALL)?;
        if let Some(stored) = stored.filter(|stored| *stored != elem) {
            let message = format!("stores {stored} into an array of {elem}");
            return Err(Family::Type
                .diagnostic(format!("{} {message}", call.op.name), call.span)
                .help(CONVERT)
                .into());
        }
        Ok(Target {
            array: id,
            elem,
            shape,
            offset: b.index(0, call.span),
            known: Some(0),
        })
    }

    /// Sees to the offset, for so many lanes.
    fn at(mut self, b: &mut Builder, call: &Invocation, lanes: u64) -> Result<Target> {
        let operand = call.operand("off")?;
        self.known = None;
        if let Value::Const(ConstValue::Int(at)) = &operand.value {
            let size: u64 = self.shape.iter().product();
            self.known = at.to_u64();
            let last = self.known.and_then(|at| at.checked_add(lanes));
            if last.is_none_or(|last| last > size) {
                let message = format!("accesses {lanes} elements from {at} on of {size}");
                return call.refuse(Family::Shape, message, operand.span);
            }
        }
        self.offset = call.offset(b, operand)?;
        Ok(self)
    }

    fn access(&self, writes: bool) -> Option<Access> {
        Some(Access {
            array: self.array,
            offset: self.offset,
            known: self.known,
            writes,
        })
    }

    /// The element of a lane of so many. Outside of the array nothing is accessed.
    fn element(&self, b: &mut Builder, iv: ValueId, lanes: u64, span: Span) -> Element {
        if let Some(at) = self.within_row(b, iv, lanes, span) {
            return Element::new(self.array, at);
        }
        let zero = b.index(0, span);
        let flat = match self.offset == zero {
            true => iv,
            false => emit_binary(b, BinaryOp::Add, self.offset, iv, span),
        };
        let mut element = Element::new(self.array, indices(b, flat, &self.shape, span));
        if self.known.is_none() {
            element.when = Some(inside(b, flat, self.shape.iter().product(), span));
        }
        element
    }
}

impl Target {
    /// The subscripts of a lane where all lanes are known to be in one row, which needs no division.
    fn within_row(
        &self,
        b: &mut Builder,
        iv: ValueId,
        lanes: u64,
        span: Span,
    ) -> Option<Vec<ValueId>> {
        let (columns, outer) = self.shape.split_last()?;
        let (mut row, first) = (self.known? / columns, self.known? % columns);
        if first + lanes > *columns {
            return None;
        }
        let mut at = vec![indexed(b, BinaryOp::Add, iv, first, span)];
        for extent in outer.iter().rev() {
            at.push(b.index((row % extent) as i64, span));
            row /= extent;
        }
        at.reverse();
        Some(at)
    }
}

/// Whether an index is one of so many elements.
pub fn inside(b: &mut Builder, index: ValueId, size: u64, span: Span) -> ValueId {
    let zero = b.index(0, span);
    let size = b.constant(Scalar::Index, Const::Int(size.into()), span);
    let test = |op, rhs| OpKind::Compare {
        op,
        lhs: index,
        rhs,
    };
    let low = b.append(test(CompareOp::Ge, zero), Scalar::BOOL, span);
    let high = b.append(test(CompareOp::Lt, size), Scalar::BOOL, span);
    emit_binary(b, BinaryOp::And, low, high, span)
}

/// The subscripts of the element at a row-major position.
fn indices(b: &mut Builder, flat: ValueId, shape: &[u64], span: Span) -> Vec<ValueId> {
    let mut rest = flat;
    let mut found = Vec::new();
    for (dim, extent) in shape.iter().enumerate().rev() {
        if dim == 0 {
            found.push(rest);
            break;
        }
        let extent = b.constant(Scalar::Index, Const::Int((*extent).into()), span);
        found.push(emit_binary(b, BinaryOp::Mod, rest, extent, span));
        rest = emit_binary(b, BinaryOp::Div, rest, extent, span);
    }
    found.reverse();
    found
}

fn load(b: &mut Builder, call: &Invocation) -> Result<Value> {
    let target = Target::of(b, call, None)?;
    let (ty, span) = (VectorType::vreg(target.elem), call.span);
    let target = target.at(b, call, ty.lanes)?;
    check_profile(target.elem, b.options.profile, span)?;
    let value = b.over_lanes(ty.lanes, target.access(false), span, |b, iv| {
        let at = target.element(b, iv, ty.lanes, span);
        let bypassed = false;
        b.append(OpKind::Load { at, bypassed }, ty.elem, span)
    });
    Ok(Value::Vector(b.vector(ty, value)))
}

fn store(b: &mut Builder, call: &Invocation) -> Result<Value> {
    let (v, span) = (vreg(call, "v")?, call.span);
    let target = Target::of(b, call, Some(v.ty.elem))?;
    let control = Control::of(call, v.ty)?;
    let target = target.at(b, call, v.ty.lanes)?;
    b.over_lanes(v.ty.lanes, target.access(true), span, |b, iv| {
        let value = b.lane(&v, iv, span);
        let mut at = target.element(b, iv, v.ty.lanes, span);
        at.when = match (at.when, control.active(b, iv, span)) {
            (Some(inside), Some(active)) => {
                Some(emit_binary(b, BinaryOp::And, inside, active, span))
            }
            (inside, active) => inside.or(active),
        };
        b.push(OpKind::Store { at, value }, vec![], span);
    });
    Ok(ConstValue::None.into())
}
