//! Expressions: names, operators, selection and indexing.

use super::chain;
use super::lowerer::Lowerer;
use crate::diagnostics::{Diagnostic, Span};
use crate::frontend::allo::Allo;
use crate::frontend::builder::default_type;
use crate::frontend::constant::ConstValue;
use crate::frontend::error::{Failure, Result, fail};
use crate::frontend::literals::Position;
use crate::frontend::promote::Style;
use crate::frontend::values::{Operand, Typed, Value, describe};
use crate::frontend::{codes, operators, promote};
use crate::ir::{ArrayId, OpKind, Scalar, ValueId};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};
use pyeval::{Names, compare_pair, expression_kind, literal, truth};
use ruff_python_ast::{self as ast, Expr};
use ruff_text_size::Ranged;
use std::rc::Rc;

impl<'a> Lowerer<'_, 'a> {
    /// The value of an expression.
    pub(super) fn expr(&mut self, expr: &'a Expr) -> Result<Value> {
        let span = self.span(expr.range());
        match expr {
            Expr::NumberLiteral(_)
            | Expr::StringLiteral(_)
            | Expr::BooleanLiteral(_)
            | Expr::NoneLiteral(_) => literal(expr, span).map(Value::Const),
            Expr::Name(name) => self.resolve(&name.id, span),
            Expr::BinOp(e) => self.binary(expr, e, span),
            Expr::UnaryOp(e) => self.unary(e, span),
            Expr::BoolOp(e) => self.bool_op(e, span),
            Expr::Compare(e) => self.compare(e, span),
            Expr::If(e) => self.ternary(e, span),
            Expr::Call(e) => self.call(e),
            // All kernels that are called beside one another run at the same time.
            Expr::Await(e) if e.value.is_call_expr() => self.expr(&e.value),
            Expr::Subscript(e) => self.subscript(expr, e, span),
            Expr::Attribute(e) => self.attribute(e, span),
            Expr::ListComp(_)
            | Expr::Generator(_)
            | Expr::DictComp(_)
            | Expr::SetComp(_)
            | Expr::Dict(_)
            | Expr::Set(_)
            | Expr::FString(_) => self.known(expr).map(Value::Const),
            Expr::Tuple(e) => self.tuple(&e.elts, false),
            Expr::List(e) => self.tuple(&e.elts, true),
            other => fail(
                codes::EXPRESSION,
                span,
                format!("{} is not supported in a kernel", expression_kind(other)),
            ),
        }
    }

    fn tuple(&mut self, elts: &'a [Expr], list: bool) -> Result<Value> {
        let mut values = Vec::new();
        for elt in elts {
            let operand = self.operand(elt)?;
            if list && !matches!(operand.value, Value::Const(_)) {
                return fail(
                    codes::NOT_CONST,
                    operand.span,
                    "the elements of a list must be compile-time values",
                );
            }
            values.push(operand.value);
        }
        let known: Option<Vec<ConstValue>> = values
            .iter()
            .map(|v| match v {
                Value::Const(value) => Some(value.clone()),
                _ => None,
            })
            .collect();
        Ok(match known {
            Some(items) if list => ConstValue::list(items).into(),
            Some(items) => ConstValue::Tuple(items.into()).into(),
            None => Value::Tuple(values),
        })
    }

    fn binary(&mut self, expr: &'a Expr, e: &'a ast::ExprBinOp, span: Span) -> Result<Value> {
        if let Some(kind) = chain::kind_of(e.op) {
            return self.chain(expr, kind);
        }
        let operands = [self.operand(&e.left)?, self.operand(&e.right)?];
        match operators::of_binary(e.op) {
            Some(op) => self.b.apply(op, &operands, None, span),
            None => {
                Err(
                    Diagnostic::error(codes::EXPRESSION, span, "the operator '@' is not supported")
                        .help("use allo.linalg.matmul")
                        .into(),
                )
            }
        }
    }

    fn unary(&mut self, e: &'a ast::ExprUnaryOp, span: Span) -> Result<Value> {
        let operand = self.operand(&e.operand)?;
        match operators::of_unary(e.op) {
            Some(op) => self.b.apply(op, &[operand], None, span),
            None => match &operand.value {
                Value::Scalar(typed) => {
                    // What has no operators has none that does nothing.
                    if typed.ty.is_storage() && self.b.options.style == Style::Pto {
                        let negation = operators::by_key("neg").typing;
                        self.b.promote_by(negation, "pos", &[typed.ty], span)?;
                    }
                    Ok(operand.value)
                }
                Value::Array { .. } => Ok(operand.value),
                Value::Const(value) if value.is_number() => Ok(operand.value),
                other => fail(
                    codes::NOT_SCALAR,
                    operand.span,
                    format!("'+' needs a number, not {}", describe(other)),
                ),
            },
        }
    }

    fn bool_op(&mut self, e: &'a ast::ExprBoolOp, span: Span) -> Result<Value> {
        let values = e.values.iter();
        let operands = values
            .map(|value| self.operand(value))
            .collect::<Result<Vec<_>>>()?;
        let key = match e.op {
            ast::BoolOp::And => "logical_and",
            ast::BoolOp::Or => "logical_or",
        };
        self.b.apply(operators::by_key(key), &operands, None, span)
    }

    fn compare(&mut self, e: &'a ast::ExprCompare, span: Span) -> Result<Value> {
        let operands = std::iter::once(&*e.left).chain(&e.comparators);
        let operands: Vec<Operand> = operands.map(|o| self.operand(o)).collect::<Result<_>>()?;
        let known = operands.iter().map(|operand| match &operand.value {
            Value::Const(value) => Some(value.clone()),
            _ => None,
        });
        if let Some(known) = known.collect::<Option<Vec<_>>>() {
            return Ok(Value::Const(self.compare_known(&e.ops, known, span)?));
        }
        let [op] = *e.ops else {
            return Err(Diagnostic::error(
                codes::EXPRESSION,
                span,
                "multi-way comparisons are not supported",
            )
            .help("join two comparisons with 'and'")
            .into());
        };
        match operators::of_compare(op) {
            Some(op) => self.b.apply(op, &operands, None, span),
            None => {
                let message = format!("'{}' compares compile-time values only", op.as_str());
                Err(Diagnostic::error(codes::EXPRESSION, span, message)
                    .help("compare by `==`, joined by `or` where there are several")
                    .into())
            }
        }
    }

    /// As Python compares: the first comparison that does not hold, or the last one.
    fn compare_known(
        &mut self,
        ops: &[ast::CmpOp],
        values: Vec<ConstValue>,
        span: Span,
    ) -> Result<ConstValue> {
        let mut held = ConstValue::Bool(true);
        for (op, pair) in ops.iter().zip(values.windows(2)) {
            if !truth(&held, span, self)? {
                break;
            }
            held = compare_pair(*op, pair[0].clone(), pair[1].clone(), span, self)?;
        }
        Ok(held)
    }

    /// Both arms are evaluated; arrays among condition and arms make the choice one for each element.
    fn ternary(&mut self, e: &'a ast::ExprIf, span: Span) -> Result<Value> {
        let test = self.operand(&e.test)?;
        match self.b.known_truth(&test)? {
            Some(true) => return self.expr(&e.body),
            Some(false) => return self.expr(&e.orelse),
            None => {}
        }
        let choice = [test, self.operand(&e.body)?, self.operand(&e.orelse)?];
        if !choice.iter().any(Operand::is_shaped) {
            return self.select(&choice, span);
        }
        let operands: Vec<&Operand> = choice.iter().collect();
        let (nest, scalars) = self.b.enter_elements(&operands, None, span)?;
        let value = match scalars.try_into() {
            Ok(choice) => self.select(&choice, span),
            Err(_) => Err(Failure::Reported),
        };
        self.b.leave_elements(nest, value, None, "select")
    }

    /// One of two scalars, in their common type.
    fn select(&mut self, [test, body, orelse]: &[Operand; 3], span: Span) -> Result<Value> {
        let test_value = self.b.runtime(test)?;
        let cond = self.b.nonzero(test_value, test.span);
        let types = self.arm_types([body, orelse], span)?;
        let row = &promote::NUMERIC;
        let ty = self.b.promote_by(row, "select", &types, span)?.result;
        let kind = OpKind::Select {
            cond: cond.id,
            on_true: self.b.coerce(body, types[0], ty)?,
            on_false: self.b.coerce(orelse, types[1], ty)?,
        };
        let id = self.b.emit(kind, ty, span);
        Ok(Value::Scalar(Typed { id, ty }))
    }

    fn arm_types(&mut self, arms: [&Operand; 2], span: Span) -> Result<Vec<Scalar>> {
        if let [Value::Const(a), Value::Const(b)] = [&arms[0].value, &arms[1].value] {
            return Ok(vec![
                default_type(a, arms[0].span)?,
                default_type(b, arms[1].span)?,
            ]);
        }
        self.b.type_operands("select", &arms, Position::Plain, span)
    }

    fn attribute(&mut self, e: &'a ast::ExprAttribute, span: Span) -> Result<Value> {
        let value = self.expr(&e.value)?;
        self.attribute_of(value, e, span)
    }

    pub(super) fn attribute_of(
        &mut self,
        value: Value,
        e: &'a ast::ExprAttribute,
        span: Span,
    ) -> Result<Value> {
        match value {
            Value::Const(object) => {
                let value = pyeval::attribute(&object, &e.attr.id, span, self)?;
                self.bound_template(value, span).map(Value::Const)
            }
            Value::Array { id, .. } if e.attr.id == "shape" => {
                let dims: Rc<[ConstValue]> = self
                    .array(id)
                    .shape
                    .iter()
                    .map(|d| ConstValue::Int((*d).into()))
                    .collect();
                Ok(ConstValue::Tuple(dims).into())
            }
            other => {
                let message = format!("{} has no attribute '{}'", describe(&other), e.attr.id);
                let help = match (&other, e.attr.id.as_str()) {
                    (Value::Array { .. }, "T" | "transpose") => {
                        Some("swap the indices where it is read: `x[j, i]`")
                    }
                    (Value::Array { .. }, "copy") => Some("an assignment copies: `y = x`"),
                    _ => None,
                };
                Err(Diagnostic {
                    help: help.map(str::to_owned),
                    ..Diagnostic::error(codes::ATTRIBUTE, span, message)
                }
                .into())
            }
        }
    }

    fn subscript(
        &mut self,
        expr: &'a Expr,
        e: &'a ast::ExprSubscript,
        span: Span,
    ) -> Result<Value> {
        match self.expr(&e.value)? {
            Value::Array { id, .. } => {
                let indices = self.indices(id, e)?;
                Ok(Value::Scalar(self.load(id, indices, span)))
            }
            Value::Tile(_) => fail(codes::NOT_INDEXABLE, span, "a tile has no subscripts"),
            Value::Vector(vector) => {
                let message = format!("the lanes of a {} have no subscripts", vector.ty);
                fail(codes::NOT_INDEXABLE, span, message)
            }
            Value::Streams(streams) => self.stream_element(&streams, e),
            Value::Scalar(typed) => {
                let bits = self.bits(typed.ty, e)?;
                Ok(Value::Scalar(self.get_bits(typed.id, &bits, span)))
            }
            // The extents of a shape have places of their own.
            Value::Const(ty) if Allo::scalar(&ty).is_some() => self.known(expr).map(Value::Const),
            Value::Const(object) => {
                let index = self.operand(&e.slice)?;
                match index.value {
                    Value::Const(index) => {
                        let value = pyeval::subscript(&object, &index, span, self)?;
                        Ok(Value::Const(value.plain()))
                    }
                    _ => fail(
                        codes::NOT_CONST,
                        index.span,
                        format!("{} is indexed with compile-time values only", object.kind()),
                    ),
                }
            }
            Value::Tuple(items) => match self.expr(&e.slice)? {
                Value::Const(ConstValue::Int(i)) => match i.to_usize().and_then(|i| items.get(i)) {
                    Some(item) => Ok(item.clone()),
                    None => fail(codes::INDEX_RANGE, span, "the index is out of range"),
                },
                _ => fail(
                    codes::NOT_CONST,
                    span,
                    "a tuple is indexed with a compile-time int",
                ),
            },
        }
    }

    /// The indices of an element of an array.
    pub(super) fn indices(
        &mut self,
        id: ArrayId,
        e: &'a ast::ExprSubscript,
    ) -> Result<Vec<ValueId>> {
        let exprs: &'a [Expr] = match &*e.slice {
            Expr::Tuple(t) => &t.elts,
            single => std::slice::from_ref(single),
        };
        for expr in exprs {
            if matches!(expr, Expr::Slice(_)) {
                return fail(
                    codes::SLICE,
                    self.span(expr.range()),
                    "array slices are not supported",
                );
            }
        }
        let shape = self.array(id).shape.clone();
        if exprs.len() != shape.len() {
            return self.wrong_rank(id, exprs.len(), self.span(e.range));
        }
        let mut indices = Vec::new();
        for (expr, extent) in exprs.iter().zip(shape) {
            let operand = self.operand(expr)?;
            self.check_index(&operand, extent, "index")?;
            indices.push(self.b.as_subscript(&operand, "an index")?);
        }
        Ok(indices)
    }

    fn wrong_rank<T>(&self, id: ArrayId, given: usize, span: Span) -> Result<T> {
        let array = self.array(id);
        let rank = array.shape.len();
        let plural = if rank == 1 { "index" } else { "indices" };
        let message = format!("'{}' needs {rank} {plural}, but {given} given", array.name);
        let mut error = Diagnostic::error(codes::INDEX_COUNT, span, message);
        if rank == 0 {
            error = error.help("index a rank-0 value with `[()]`");
        } else if given < rank {
            error = error.help(
                "partial subviews are not supported; write all indices in one pair of brackets",
            );
        }
        Err(error.into())
    }

    pub(super) fn check_index(&self, operand: &Operand, extent: u64, what: &str) -> Result<()> {
        let Value::Const(value) = &operand.value else {
            return Ok(());
        };
        match value.as_int() {
            Some(i) if i.is_negative() || i >= BigInt::from(extent) => fail(
                codes::INDEX_RANGE,
                operand.span,
                format!("{what} {i} is out of range 0 to {}", extent - 1),
            ),
            _ => Ok(()),
        }
    }
}
