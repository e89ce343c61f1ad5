//! Typed construction of ir operations: the one place where compile-time values materialise.

pub mod elementwise;
pub mod lanes;
pub mod state;
mod subnormals;

use self::state::{Builder, OpenBlock};
use super::codes;
use super::constant::ConstValue;
use super::error::{Failure, Result, fail};
use super::literals::{self, Position};
use super::namespaces::Namespace;
use super::promote::{self, Promotion, Row, Style, Term, no_rule};
use super::pto::legality::CONVERT;
use super::pto::literals::{beside, check_stored};
use super::values::{Operand, Typed, Value, describe};
use crate::diagnostics::{Diagnostic, Span};
use crate::ir::types::MAX_WIDTH;
use crate::ir::{
    self, Array, ArrayId, ArrayKind, ArrayTags, BinaryOp, Block, CompareOp, Const, Op, OpKind,
    Scalar, ValueId,
};
use num_bigint::{BigInt, BigUint};
use pyeval::arithmetic::Fold;
use std::fmt;

/// Runtime meaning: promotes, casts and emits. At least one operand is a runtime scalar, or the
/// fold declined; none is shaped.
pub type Build = fn(&mut Builder, &Applied) -> Result<Value>;

/// An operator applied to operands.
pub struct Applied<'a> {
    /// Which one.
    pub op: &'static Operator,
    /// In order.
    pub operands: &'a [Operand],
    /// Keyword options such as `ordered`, with `None` for those not given.
    pub option: Option<bool>,
    /// The array that takes the result; scalar operators need not look at it.
    pub acc: Option<ArrayId>,
    /// The whole expression.
    pub span: Span,
}

/// One operator.
pub struct Operator {
    /// Name in `allo.arith`/`allo.math` and in messages.
    pub key: &'static str,
    /// Its row in the typing table.
    pub typing: &'static Row,
    /// Namespace besides `allo` itself.
    pub space: Namespace,
    /// Fewest and most operands.
    pub arity: (usize, usize),
    /// Name of the one keyword option that it takes besides `acc`.
    pub option: Option<&'static str>,
    /// Compile-time meaning, if it has one. Never emits.
    pub fold: Option<Fold>,
    /// Runtime meaning.
    pub build: Build,
    /// Whether the build takes whole arrays; otherwise they are taken element by element.
    pub whole: bool,
}

impl fmt::Debug for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key)
    }
}

impl Builder {
    /// Opens a nested block; operations go there until it is closed.
    pub fn open(&mut self) {
        self.close_lanes();
        self.blocks.push(OpenBlock::default());
    }

    /// Closes the innermost block.
    pub fn close(&mut self, yields: Vec<ValueId>) -> Block {
        self.close_lanes();
        let ops = self.blocks.pop().map(|b| b.ops).unwrap_or_default();
        Block { ops, yields }
    }

    /// Number of open blocks.
    pub fn depth(&self) -> usize {
        self.blocks.len()
    }

    /// A new value without a definition yet.
    pub fn value(&mut self, ty: Scalar, name: Option<&str>) -> ValueId {
        let name = name.map(str::to_owned);
        self.values.push(ir::Value { ty, name })
    }

    /// Gives a value its source name if it has none and is not a shared constant.
    pub fn name(&mut self, id: ValueId, name: &str) {
        let value = &mut self.values[id];
        if value.name.is_none() && !self.shared.contains(&id) {
            value.name = Some(name.to_owned());
        }
    }

    /// A new array.
    pub fn array(
        &mut self,
        name: &str,
        elem: Scalar,
        shape: &[u64],
        kind: ArrayKind,
        span: Span,
    ) -> ArrayId {
        self.arrays.push(Array {
            name: name.to_owned(),
            elem,
            shape: shape.to_vec(),
            kind,
            partition: Vec::new(),
            tags: ArrayTags::default(),
            stream: None,
            span,
        })
    }

    /// Appends an operation with one result.
    pub fn emit(&mut self, kind: OpKind, ty: Scalar, span: Span) -> ValueId {
        if self.options.flush_subnormals {
            return self.emit_flushing(kind, ty, span);
        }
        self.append(kind, ty, span)
    }

    /// As [`Builder::emit`], whatever the options say.
    pub(super) fn append(&mut self, kind: OpKind, ty: Scalar, span: Span) -> ValueId {
        let id = self.value(ty, None);
        if let Some(known) = self.integer_of(&kind, ty) {
            self.integers.insert(id, known);
        }
        self.push(kind, vec![id], span);
        id
    }

    /// What an integer operation gives, if that is known.
    fn integer_of(&self, kind: &OpKind, ty: Scalar) -> Option<BigInt> {
        if !matches!(ty, Scalar::Int { .. } | Scalar::Index) {
            return None;
        }
        let exact = match kind {
            OpKind::Const(Const::Int(value)) => value.clone(),
            OpKind::Cast { arg } => self.integer(*arg)?.clone(),
            OpKind::Binary { op, lhs, rhs } => {
                let (lhs, rhs) = (self.integer(*lhs)?, self.integer(*rhs)?);
                match op {
                    BinaryOp::Add => lhs + rhs,
                    BinaryOp::Sub => lhs - rhs,
                    BinaryOp::Mul => lhs * rhs,
                    _ => return None,
                }
            }
            _ => return None,
        };
        Some(ty.wrap(&exact))
    }

    /// The number that a value is, if it is known.
    pub fn integer(&self, id: ValueId) -> Option<&BigInt> {
        self.integers.get(&id)
    }

    /// Appends an operation.
    pub fn push(&mut self, kind: OpKind, results: Vec<ValueId>, span: Span) {
        if self.ends_lanes(&kind) {
            self.close_lanes();
        }
        if let Some(block) = self.blocks.last_mut() {
            block.ops.push(Op {
                kind,
                results,
                span,
            });
        }
    }

    /// A constant; equal ones visible here are shared.
    pub fn constant(&mut self, ty: Scalar, value: Const, span: Span) -> ValueId {
        let key = (ty, value);
        if let Some(id) = self.blocks.iter().rev().find_map(|b| b.consts.get(&key)) {
            return *id;
        }
        let id = self.emit(OpKind::Const(key.1.clone()), ty, span);
        self.shared.insert(id);
        if let Some(block) = self.blocks.last_mut() {
            block.consts.insert(key, id);
        }
        id
    }

    /// An index constant.
    pub fn index(&mut self, value: i64, span: Span) -> ValueId {
        self.constant(Scalar::Index, Const::Int(value.into()), span)
    }

    /// The zero of a type.
    pub fn zero(&mut self, ty: Scalar, span: Span) -> ValueId {
        self.constant(ty, zero(ty), span)
    }

    /// `value` in type `to`; nothing is emitted if it has that type.
    pub fn cast(&mut self, value: Typed, to: Scalar, span: Span) -> ValueId {
        if value.ty == to {
            return value.id;
        }
        self.emit(OpKind::Cast { arg: value.id }, to, span)
    }

    /// The types with which operands enter an operator: runtime ones their own, literals by their
    /// first runtime neighbour.
    pub fn type_operands(
        &mut self,
        key: &str,
        operands: &[&Operand],
        position: Position,
        span: Span,
    ) -> Result<Vec<Scalar>> {
        let partner = operands.iter().find_map(|o| match o.value {
            Value::Scalar(typed) => Some(typed.ty),
            _ => None,
        });
        operands
            .iter()
            .map(|operand| match &operand.value {
                Value::Scalar(typed) => Ok(typed.ty),
                Value::Const(value) => {
                    self.type_literal(key, value, partner, position, operand.span, span)
                }
                other => fail(
                    codes::NOT_SCALAR,
                    operand.span,
                    format!("operator '{key}' needs a scalar, not {}", describe(other)),
                ),
            })
            .collect()
    }

    fn type_literal(
        &mut self,
        key: &str,
        value: &ConstValue,
        partner: Option<Scalar>,
        position: Position,
        span: Span,
        whole: Span,
    ) -> Result<Scalar> {
        if !value.is_number() {
            return fail(
                codes::NOT_SCALAR,
                span,
                format!("operator '{key}' needs a scalar, not {}", value.kind()),
            );
        }
        let Some(partner) = partner else {
            return default_type(value, span);
        };
        if self.options.style == Style::Pto {
            return beside(key, value, partner, position, span);
        }
        // Only a choice between values leaves them in a storage format.
        if partner.is_storage() && key != "select" {
            return computed_literal(value, partner, span);
        }
        if let Some(ty) = literals::literal_type(value, partner, position) {
            if ty.width() <= MAX_WIDTH {
                self.explain(|| format!("the constant {} beside {partner} is {ty}", value.text()));
                return Ok(ty);
            }
            return fail(codes::WIDTH, span, "the constant needs more than 4096 bits");
        }
        if let ConstValue::Int(_) = value {
            return fail(
                codes::LITERAL_RANGE,
                span,
                format!("the constant does not fit in {partner}"),
            );
        }
        let float = Scalar::Float(ir::FloatFormat::F32);
        let message = no_rule(self.options.style, key, &[partner, float]);
        let (_, help) = cast_for(&[partner, float]);
        Err(Diagnostic::error(codes::NO_RULE, whole, message)
            .help(help)
            .into())
    }

    /// The promotion of an operator's operands, taken pairwise.
    pub fn promote(&mut self, op: &Operator, types: &[Scalar], span: Span) -> Result<Promotion> {
        self.promote_by(op.typing, op.key, types, span)
    }

    /// As [`Self::promote`], for what is no operator.
    pub fn promote_by(
        &mut self,
        row: &'static Row,
        key: &str,
        types: &[Scalar],
        span: Span,
    ) -> Result<Promotion> {
        let style = self.options.style;
        let found = row.promote(style, key, types).map_err(|message| {
            let code = match style {
                Style::Pto => codes::TYPE_MISMATCH,
                _ => codes::NO_RULE,
            };
            let error = Diagnostic::error(code, span, message);
            if style == Style::Pto {
                return error.help(CONVERT);
            }
            let (cast, help) = cast_for(types);
            match row.promote(style, key, &cast) {
                Ok(_) => error.help(help),
                Err(_) => error,
            }
        })?;
        check_width(found.result, span)?;
        self.explain(|| promote::explain_pairwise(style, key, row, types, found));
        Ok(found)
    }

    /// The type of a chain of terms: as a whole where the style has a rule for it, else pairwise.
    pub fn promote_chain(
        &mut self,
        row: &'static Row,
        key: &str,
        terms: &[Term],
        span: Span,
    ) -> Result<Scalar> {
        let Some(result) = row.chain(self.options.style, terms) else {
            let types: Vec<Scalar> = terms.iter().map(|term| term.0).collect();
            let found = self.promote_by(row, key, &types, span)?;
            return Ok(found.result);
        };
        check_width(result, span)?;
        self.explain(|| promote::explain_chain(key, terms, result));
        Ok(result)
    }

    fn explain(&mut self, line: impl FnOnce() -> String) {
        if let Some(lines) = &mut self.explanation {
            lines.push(line());
        }
    }

    /// The operand in type `to`, having entered the operator with type `own`.
    pub fn coerce(&mut self, operand: &Operand, own: Scalar, to: Scalar) -> Result<ValueId> {
        match &operand.value {
            Value::Scalar(typed) => Ok(self.cast(*typed, to, operand.span)),
            Value::Const(value) => match literals::literal_const(value, own) {
                Some(constant) => {
                    let constant = literals::cast_const(&constant, own, to);
                    Ok(self.constant(to, constant, operand.span))
                }
                None => not_scalar(&operand.value, operand.span),
            },
            other => not_scalar(other, operand.span),
        }
    }

    /// The operand for storage in a variable, element, parameter or result of type `to`: converted, where the style does
    /// that.
    pub fn store_as(&mut self, operand: &Operand, to: Scalar) -> Result<ValueId> {
        if self.options.style == Style::Pto {
            check_stored(&operand.value, to, operand.span)?;
        }
        self.convert(operand, to)
    }

    /// The operand converted to the type `to`, in every style.
    pub fn convert(&mut self, operand: &Operand, to: Scalar) -> Result<ValueId> {
        match &operand.value {
            Value::Scalar(typed) => Ok(self.cast(*typed, to, operand.span)),
            Value::Const(value) => {
                let constant = stored_const(value, to, operand.span)?;
                Ok(self.constant(to, constant, operand.span))
            }
            other => not_scalar(other, operand.span),
        }
    }

    /// The operand as a runtime scalar; constants get their default type.
    pub fn runtime(&mut self, operand: &Operand) -> Result<Typed> {
        match &operand.value {
            Value::Scalar(typed) => Ok(*typed),
            Value::Const(value) => {
                let ty = default_type(value, operand.span)?;
                let id = self.store_as(operand, ty)?;
                Ok(Typed { id, ty })
            }
            other => not_scalar(other, operand.span),
        }
    }

    /// The operand as a value of type index.
    pub fn as_index(&mut self, operand: &Operand, what: &str) -> Result<ValueId> {
        let is_float = match &operand.value {
            Value::Scalar(typed) => typed.ty.computed().is_float(),
            Value::Const(ConstValue::Float(_)) => true,
            _ => false,
        };
        if is_float {
            return fail(
                codes::NOT_INTEGER,
                operand.span,
                format!("{what} must be an integer, not a float"),
            );
        }
        self.convert(operand, Scalar::Index)
    }

    /// The operand as the subscript of one element or bit. What index does not hold is outside of everything, and negative.
    pub fn as_subscript(&mut self, operand: &Operand, what: &str) -> Result<ValueId> {
        let is_outside = |ty: Scalar| ty.width() > Scalar::Index.width();
        self.subscript(operand, what, is_outside)
    }

    /// The operand as the subscript of the first of several: so far outside, where index does not hold it, that none of
    /// them is inside.
    pub fn as_first(&mut self, operand: &Operand, what: &str) -> Result<ValueId> {
        let held = |ty: Scalar| ty.width() + u32::from(!ty.is_signed());
        self.subscript(operand, what, |ty| held(ty) > Scalar::Index.width())
    }

    /// The operand as an index; of a type that needs it, and outside of the range of index, the least one.
    fn subscript(
        &mut self,
        operand: &Operand,
        what: &str,
        needs_it: impl FnOnce(Scalar) -> bool,
    ) -> Result<ValueId> {
        let id = self.as_index(operand, what)?;
        let Value::Scalar(exact) = operand.value else {
            return Ok(id);
        };
        if !needs_it(exact.ty) {
            return Ok(id);
        }
        let (span, ty) = (operand.span, Scalar::Index);
        let kept = match exact.ty.is_signed() {
            true => {
                let (op, lhs) = (CompareOp::Eq, self.cast(Typed { id, ty }, exact.ty, span));
                let rhs = exact.id;
                OpKind::Compare { op, lhs, rhs }
            }
            false => {
                let end = Const::Int(BigInt::from(1) << (ty.width() - 1));
                let (op, lhs) = (CompareOp::Lt, exact.id);
                let rhs = self.constant(exact.ty, end, span);
                OpKind::Compare { op, lhs, rhs }
            }
        };
        let select = OpKind::Select {
            cond: self.emit(kept, Scalar::BOOL, span),
            on_true: id,
            on_false: self.index(i64::MIN, span),
        };
        Ok(self.emit(select, ty, span))
    }

    /// Whether the value is nonzero, as a u1.
    pub fn nonzero(&mut self, value: Typed, span: Span) -> Typed {
        if value.ty == Scalar::BOOL {
            return value;
        }
        let ty = value.ty.computed();
        let lhs = self.cast(value, ty, span);
        let rhs = self.zero(ty, span);
        let test = OpKind::Compare {
            op: CompareOp::Ne,
            lhs,
            rhs,
        };
        let id = match self.options.style {
            Style::Pto => self.append(test, Scalar::BOOL, span),
            _ => self.emit(test, Scalar::BOOL, span),
        };
        Typed {
            id,
            ty: Scalar::BOOL,
        }
    }

    /// Python's truth of a compile-time value.
    pub fn const_truth(&self, value: &ConstValue, span: Span) -> Result<bool> {
        value.truth().ok_or_else(|| {
            let message = format!("{} has no truth value", value.kind());
            Diagnostic::error(codes::CONST_EVAL, span, message).into()
        })
    }

    /// The truth of a value that is known while compiling, of whatever type.
    pub fn known_truth(&self, operand: &Operand) -> Result<Option<bool>> {
        match &operand.value {
            Value::Const(value) => self.const_truth(value, operand.span).map(Some),
            Value::Scalar(value) => Ok(self.decided.get(&value.id).copied()),
            _ => Ok(None),
        }
    }

    /// What one known side of `and` or `or` decides, whatever the others are at run time: a constant of type u1.
    pub fn decided(&mut self, is: bool, span: Span) -> Typed {
        let ty = Scalar::BOOL;
        let id = self.constant(ty, Const::Int(BigInt::from(u8::from(is))), span);
        self.decided.insert(id, is);
        Typed { id, ty }
    }

    /// Applies an operator: folds if everything is known, goes element by element if an operand is
    /// shaped, else builds.
    pub fn apply(
        &mut self,
        op: &'static Operator,
        operands: &[Operand],
        option: Option<bool>,
        span: Span,
    ) -> Result<Value> {
        self.apply_into(op, operands, option, None, span)
    }

    /// As [`Self::apply`], with the result written to every element of `acc` if given.
    pub fn apply_into(
        &mut self,
        op: &'static Operator,
        operands: &[Operand],
        option: Option<bool>,
        acc: Option<ArrayId>,
        span: Span,
    ) -> Result<Value> {
        let shaped = operands.iter().any(Operand::is_shaped);
        if shaped && !op.whole {
            let operands: Vec<&Operand> = operands.iter().collect();
            let (nest, scalars) = self.enter_elements(&operands, acc, span)?;
            let value = self.apply(op, &scalars, option, span);
            return self.leave_elements(nest, value, acc, op.key);
        }
        let value = match fold(op, operands, span)? {
            Some(folded) => folded.into(),
            None => {
                let applied = Applied {
                    op,
                    operands,
                    option,
                    acc,
                    span,
                };
                (op.build)(self, &applied)?
            }
        };
        match acc {
            Some(acc) if !op.whole => self.fill_acc(acc, value, span),
            _ => Ok(value),
        }
    }
}

/// Folds an operator whose operands are all known.
pub fn fold(op: &Operator, operands: &[Operand], span: Span) -> Result<Option<ConstValue>> {
    let known: Option<Vec<ConstValue>> = operands
        .iter()
        .map(|o| match &o.value {
            Value::Const(value) => Some(value.clone()),
            _ => None,
        })
        .collect();
    match known.zip(op.fold) {
        None => Ok(None),
        Some((known, fold)) => {
            let value = fold(&known).map_err(|problem| Failure::new(span, problem))?;
            Ok(Some(value))
        }
    }
}

/// Refuses integers wider than the widest type.
pub fn check_width(ty: Scalar, span: Span) -> Result<()> {
    if ty.width() > MAX_WIDTH {
        return fail(
            codes::WIDTH,
            span,
            format!(
                "the result is {} bits wide; the widest integer has {MAX_WIDTH}",
                ty.width()
            ),
        );
    }
    Ok(())
}

/// The zero of a type.
pub fn zero(ty: Scalar) -> Const {
    match ty {
        Scalar::Float(_) | Scalar::Storage(_) => Const::Float(BigUint::ZERO),
        _ => Const::Int(BigInt::ZERO),
    }
}

/// The constant stored by a compile-time number in a place of type `to`.
pub fn stored_const(value: &ConstValue, to: Scalar, span: Span) -> Result<Const> {
    if let ConstValue::Int(v) = value
        && !literals::storable(v, to)
    {
        return fail(
            codes::LITERAL_RANGE,
            span,
            format!("the constant {} is out of range for {to}", short(v)),
        );
    }
    match literals::literal_const(value, to) {
        Some(constant) => Ok(constant),
        None => fail(
            codes::NOT_SCALAR,
            span,
            format!("{} cannot be converted to {to}", value.kind()),
        ),
    }
}

/// The type of a constant in arithmetic with a value of a storage format: the wider one, in which the
/// arithmetic is done. It has to be a number of the storage format as well.
fn computed_literal(value: &ConstValue, partner: Scalar, span: Span) -> Result<Scalar> {
    if let ConstValue::Bool(_) = value {
        return Ok(Scalar::BOOL);
    }
    let wide = partner.computed();
    let narrow = literals::literal_const(value, partner);
    let through = narrow.map(|c| literals::cast_const(&c, partner, wide));
    if through == literals::literal_const(value, wide) {
        return Ok(wide);
    }
    Err(Diagnostic::error(
        codes::LITERAL_RANGE,
        span,
        format!("the constant is not exactly a number of {partner}"),
    )
    .help(format!("cast the other operand first: `cast(x, {wide})`"))
    .into())
}

fn short(value: &BigInt) -> String {
    if value.bits() > 256 {
        format!("of {} bits", value.bits())
    } else {
        value.to_string()
    }
}

/// The type of a compile-time value that initialises a variable without annotation.
pub fn default_type(value: &ConstValue, span: Span) -> Result<Scalar> {
    match (literals::default_type(value), value) {
        (Some(ty), _) => Ok(ty),
        (None, ConstValue::Int(_)) => Err(Diagnostic::error(
            codes::LITERAL_RANGE,
            span,
            "the constant does not fit in i32, the type of an int without annotation",
        )
        .help("declare the variable with a type: `x: i64 = ...`")
        .into()),
        (None, other) => fail(
            codes::NOT_SCALAR,
            span,
            format!("a scalar is needed, not {}", other.kind()),
        ),
    }
}

/// The operand types after the cast that a message may propose, with the proposal.
fn cast_for(types: &[Scalar]) -> (Vec<Scalar>, &'static str) {
    if types.contains(&Scalar::Index) {
        let i32 = Scalar::Int {
            signed: true,
            width: 32,
        };
        let cast = |ty: &Scalar| if *ty == Scalar::Index { i32 } else { *ty };
        let help = "cast the index to an integer type first: `allo.arith.cast(i, i32)`";
        return (types.iter().map(cast).collect(), help);
    }
    let help = "cast one operand to the type of the other, or both to a wider one";
    (types.iter().map(|_| types[0]).collect(), help)
}

fn not_scalar<T>(value: &Value, span: Span) -> Result<T> {
    let message = format!("a scalar is needed, not {}", describe(value));
    let error = Diagnostic::error(codes::NOT_SCALAR, span, message);
    Err(match value {
        Value::Array { .. } => error.help("name an element, such as `x[i]`"),
        _ => error,
    }
    .into())
}
