//! Statements: declarations, assignments and branches.

use super::chain;
use super::lowerer::{Lowerer, Place};
use super::returns::{Clause, Condition, Test, clauses};
use super::scope::Local;
use super::targets::Target;
use crate::diagnostics::{Diagnostic, Span};
use crate::frontend::allo::Allo;
use crate::frontend::builder::{default_type, stored_const};
use crate::frontend::constant::ConstValue;
use crate::frontend::error::{Failure, Result, fail};
use crate::frontend::promote::Style;
use crate::frontend::pto::legality::type_mismatch;
use crate::frontend::pto::literals::check_constant;
use crate::frontend::stream_type::shaped_name;
use crate::frontend::types::{self, Type};
use crate::frontend::values::{Operand, Typed, Value, describe};
use crate::frontend::{codes, operators, scan};
use crate::ir::{ArrayId, ArrayKind, Const, If, OpKind, Scalar};
use pyeval::Names;
use ruff_python_ast::{self as ast, Expr, Stmt};
use ruff_text_size::Ranged;

impl<'a> Lowerer<'_, 'a> {
    /// Lowers the statements of a block in the current scope.
    pub(super) fn block(&mut self, stmts: &'a [Stmt]) {
        for (i, stmt) in stmts.iter().enumerate() {
            if let Stmt::Return(r) = stmt {
                let is_last = i + 1 == stmts.len();
                if let Err(failure) = self.return_statement(r, is_last) {
                    self.session.report(failure);
                }
            } else {
                self.statement_or_report(stmt);
            }
        }
    }

    /// Lowers a statement; after an error its new names are poisoned, so that they cause no more.
    pub(super) fn statement_or_report(&mut self, stmt: &'a Stmt) {
        let Err(failure) = self.statement(stmt) else {
            return;
        };
        self.session.report(failure);
        let names = match stmt {
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) | Stmt::Import(_) | Stmt::ImportFrom(_) => {
                scan::bound_names(stmt)
            }
            _ => scan::assigned_names(std::slice::from_ref(stmt))
                .into_iter()
                .collect(),
        };
        for (name, range) in names {
            if self.scopes.get(&name).is_none() {
                let span = self.span(range);
                self.declare(&name, Local::Poisoned, span);
            }
        }
    }

    fn statement(&mut self, stmt: &'a Stmt) -> Result<()> {
        let span = self.span(stmt.range());
        match stmt {
            Stmt::Pass(_) => Ok(()),
            Stmt::Expr(s) => self.expression_statement(&s.value),
            Stmt::Assign(s) => self.assign(s),
            Stmt::AugAssign(s) => self.augmented(s),
            Stmt::AnnAssign(s) => self.annotated(s),
            Stmt::If(s) => self.if_clauses(&clauses(s), &[], span),
            Stmt::Match(s) => self.match_statement(s, span),
            Stmt::For(s) => self.for_loop(s),
            Stmt::While(s) => self.while_loop(s),
            Stmt::FunctionDef(f) => self.function(f),
            Stmt::Return(_) => fail(codes::RETURN_PLACE, span, "return is not supported here"),
            other => {
                let (kind, help) = statement_kind(other);
                let message = format!("{kind} is not supported in a kernel");
                Err(Diagnostic {
                    help: help.map(str::to_owned),
                    ..Diagnostic::error(codes::STATEMENT, span, message)
                }
                .into())
            }
        }
    }

    fn function(&mut self, f: &'a ast::StmtFunctionDef) -> Result<()> {
        if self.scopes.at_top() && self.place == Place::Body {
            if self.needs_body(f) {
                self.register_nested(f);
            }
            return Ok(());
        }
        fail(
            codes::NESTED_PLACE,
            self.span(f.name.range),
            "a nested kernel must be declared at the top level of the kernel's body",
        )
    }

    fn expression_statement(&mut self, expr: &'a Expr) -> Result<()> {
        match expr {
            Expr::StringLiteral(_) | Expr::EllipsisLiteral(_) => Ok(()),
            Expr::Await(awaited) => self.expression_statement(&awaited.value),
            Expr::Call(call) => {
                self.called = Some(call.range());
                let value = self.call(call)?;
                self.check_taken(call, &value)
            }
            _ => {
                self.expr(expr)?;
                fail(
                    codes::NO_EFFECT,
                    self.span(expr.range()),
                    "this expression has no effect",
                )
            }
        }
    }

    /// Refuses an operator whose result nothing takes: a number, or a new array.
    fn check_taken(&mut self, call: &'a ast::ExprCall, value: &Value) -> Result<()> {
        if !matches!(value, Value::Scalar(_) | Value::Array { fresh: true, .. }) {
            return Ok(());
        }
        // What is called is a value if it is an operator; a method of a stream is none.
        let Ok(callee) = self.expr(&call.func) else {
            return Ok(());
        };
        match callee {
            Value::Const(callee) if matches!(Allo::of(&callee), Some(Allo::Operator(_))) => {
                let (message, help) = match self.options.enable_tensor {
                    true => (
                        "the result is a new tensor, which this statement leaves",
                        "assign it: `c = allo.arith.add(a, b, acc=c)`",
                    ),
                    false => (
                        "the result is lost: nothing takes it",
                        "say where it goes: `allo.arith.add(a, b, acc=c)`, or assign it",
                    ),
                };
                let span = self.span(call.range());
                Err(Diagnostic::error(codes::NO_EFFECT, span, message)
                    .help(help)
                    .into())
            }
            _ => Ok(()),
        }
    }

    fn annotated(&mut self, s: &'a ast::StmtAnnAssign) -> Result<()> {
        let Expr::Name(name) = &*s.target else {
            return fail(
                codes::TARGET,
                self.span(s.target.range()),
                "only a plain name can be declared with an annotation",
            );
        };
        let span = self.span(name.range);
        let ty = types::annotation(&s.annotation, self)?;
        let value = s.value.as_deref();
        match ty {
            Type::Constexpr => self.declare_constexpr(&name.id, value, span),
            Type::Scalar(ty) => self.declare_scalar(&name.id, ty, value, span),
            Type::Vector(ty) => self.declare_vector(&name.id, ty, value, span),
            Type::Tile(written) => {
                let place = self.span(s.annotation.range());
                let ty = self.tile_type(&written, place)?;
                self.declare_tile(&name.id, ty, value, span)
            }
            Type::Stream(ty) => self.declare_stream(&name.id, &ty, value, span),
            Type::Stateful(elem, shape) => self.declare_state(&name.id, (elem, shape), value, span),
            Type::Shaped(elem, shape) => {
                let init = match value {
                    Some(value) => Some(self.operand(value)?),
                    None => None,
                };
                self.check_undeclared(&name.id, span)?;
                self.declare_array(&name.id, elem, &shape, init, span)
            }
        }
    }

    fn declare_constexpr(&mut self, name: &str, value: Option<&'a Expr>, span: Span) -> Result<()> {
        let Some(expr) = value else {
            return fail(
                codes::CONSTEXPR,
                span,
                format!("constexpr '{name}' needs an initialiser"),
            );
        };
        let operand = self.operand(expr)?;
        let Value::Const(value) = operand.value else {
            return fail(
                codes::NOT_CONST,
                operand.span,
                format!("constexpr '{name}' needs a compile-time value"),
            );
        };
        self.check_undeclared(name, span)?;
        self.declare(name, Local::Const(value), span);
        Ok(())
    }

    fn declare_scalar(
        &mut self,
        name: &str,
        ty: Scalar,
        value: Option<&'a Expr>,
        span: Span,
    ) -> Result<()> {
        let Some(expr) = value else {
            return Err(Diagnostic::error(
                codes::UNINITIALISED,
                span,
                format!("scalar '{name}' needs an initialiser"),
            )
            .help(format!("write `{name}: {ty} = 0`"))
            .into());
        };
        let operand = self.operand(expr)?;
        let id = self.b.store_as(&operand, ty)?;
        self.check_undeclared(name, span)?;
        self.bind_scalar(name, Typed { id, ty }, span);
        Ok(())
    }

    fn bind_scalar(&mut self, name: &str, value: Typed, span: Span) {
        self.b.name(value.id, name);
        self.declare(name, Local::Scalar(value), span);
    }

    /// Declares a shaped variable and fills it.
    fn declare_array(
        &mut self,
        name: &str,
        elem: Scalar,
        shape: &[u64],
        init: Option<Operand>,
        span: Span,
    ) -> Result<()> {
        let (kind, slot) = self.local_kind(name, elem, shape);
        if let Some(Operand {
            value: Value::Array { id, fresh: true },
            ..
        }) = init
        {
            let made = &mut self.b.arrays[id];
            if made.elem == elem && made.shape == shape {
                name.clone_into(&mut made.name);
                made.kind = kind;
                if let Some(slot) = slot {
                    self.set_result_array(slot, id);
                }
                self.declare(name, Local::Array(id), span);
                return Ok(());
            }
        }
        let id = self.b.array(name, elem, shape, kind, span);
        match init {
            None => {
                let value = self.b.zero(elem, span);
                self.b.push(OpKind::Fill { array: id, value }, vec![], span);
            }
            Some(operand) => self.initialise(id, &operand, span)?,
        }
        if let Some(slot) = slot {
            self.set_result_array(slot, id);
        }
        self.declare(name, Local::Array(id), span);
        Ok(())
    }

    fn initialise(&mut self, id: ArrayId, operand: &Operand, span: Span) -> Result<()> {
        let Value::Const(
            list @ (ConstValue::List(_) | ConstValue::Tuple(_) | ConstValue::Table(_)),
        ) = &operand.value
        else {
            return self.assign_array(id, operand, span);
        };
        let (elem, shape) = (self.array(id).elem, self.array(id).shape.clone());
        let name = format!("{}_init", self.array(id).name);
        let src = self.table(&name, list, (elem, &shape), operand.span)?;
        self.b.push(OpKind::Copy { dst: id, src }, vec![], span);
        Ok(())
    }

    /// A table of a nested list or of an array that is known.
    pub(super) fn table(
        &mut self,
        name: &str,
        list: &ConstValue,
        (elem, shape): (Scalar, &[u64]),
        span: Span,
    ) -> Result<ArrayId> {
        let mut words = Vec::new();
        flatten(self.options.style, list, elem, shape, span, &mut words)?;
        let kind = ArrayKind::Table(words);
        Ok(self.b.array(name, elem, shape, kind, span))
    }

    /// `array = operand`: copy or fill.
    fn assign_array(&mut self, id: ArrayId, operand: &Operand, span: Span) -> Result<()> {
        match &operand.value {
            Value::Array { id: src, .. } => {
                let (to, from) = (self.array(id), self.array(*src));
                if to.shape != from.shape {
                    let message = format!(
                        "cannot assign {} to {}",
                        shaped_name(from.elem, &from.shape),
                        shaped_name(to.elem, &to.shape)
                    );
                    return fail(codes::SHAPE_MISMATCH, operand.span, message);
                }
                let converts = to.elem != from.elem;
                if converts && self.options.style == Style::Pto {
                    return type_mismatch([from.elem, to.elem], "'='", operand.span);
                }
                if converts && self.b.options.flush_subnormals {
                    let (nest, elements) = self.b.enter_elements(&[operand], Some(id), span)?;
                    let element = Ok(elements[0].value.clone());
                    self.b.leave_elements(nest, element, Some(id), "copy")?;
                } else if id != *src {
                    self.b
                        .push(OpKind::Copy { dst: id, src: *src }, vec![], span);
                }
                Ok(())
            }
            Value::Const(value @ (ConstValue::List(_) | ConstValue::Table(_))) => fail(
                codes::TARGET,
                operand.span,
                format!("{} initialises a declaration only", value.kind()),
            ),
            _ => {
                let value = self.b.store_as(operand, self.b.arrays[id].elem)?;
                self.b.push(OpKind::Fill { array: id, value }, vec![], span);
                Ok(())
            }
        }
    }

    fn assign(&mut self, s: &'a ast::StmtAssign) -> Result<()> {
        let span = self.span(s.range);
        let [target] = &s.targets[..] else {
            return Err(Diagnostic::error(
                codes::TARGET,
                span,
                "chained assignment is not supported",
            )
            .help("write one assignment for each name")
            .into());
        };
        match target {
            Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. }) => {
                self.assign_tuple(elts, &s.value, span)
            }
            _ => {
                if self.assign_worker_index(target, &s.value)? {
                    return Ok(());
                }
                let operand = self.operand(&s.value)?;
                self.assign_one(target, operand, span)
            }
        }
    }

    fn assign_tuple(&mut self, targets: &'a [Expr], value: &'a Expr, span: Span) -> Result<()> {
        if let Some(star) = targets.iter().find(|t| t.is_starred_expr()) {
            return self.target(star).map(drop);
        }
        let operands: Vec<Operand> = match value {
            Expr::Tuple(t) => {
                // `i, j = get_wid(0), get_wid(1)`.
                if t.elts.len() == targets.len() {
                    let mut pairs = targets.iter().zip(&t.elts);
                    if let Some((target, value)) = pairs.next()
                        && self.assign_worker_index(target, value)?
                    {
                        for (target, value) in pairs {
                            if !self.assign_worker_index(target, value)? {
                                let operand = self.operand(value)?;
                                self.assign_one(target, operand, span)?;
                            }
                        }
                        return Ok(());
                    }
                }
                let operands = t.elts.iter().map(|e| self.operand(e));
                let operands = operands.collect::<Result<Vec<_>>>()?;
                operands.into_iter().map(|o| self.detached(o)).collect()
            }
            _ => {
                let value_span = self.span(value.range());
                match self.expr(value)? {
                    Value::Tuple(items) => items
                        .into_iter()
                        .map(|value| Operand {
                            value,
                            span: value_span,
                        })
                        .collect(),
                    Value::Const(ref value) if value.sequence().is_some() => value
                        .sequence()
                        .unwrap_or_default()
                        .iter()
                        .map(|v| Operand {
                            value: v.clone().plain().into(),
                            span: value_span,
                        })
                        .collect(),
                    other => {
                        return fail(
                            codes::UNPACK,
                            value_span,
                            format!("cannot unpack {}", describe(&other)),
                        );
                    }
                }
            }
        };
        if operands.len() != targets.len() {
            let message = format!("{} targets, but {} values", targets.len(), operands.len());
            return fail(codes::UNPACK, span, message);
        }
        for (target, operand) in targets.iter().zip(operands) {
            if let Err(failure) = self.assign_one(target, operand, span) {
                self.session.report(failure);
            }
        }
        Ok(())
    }

    /// A copy of a named array, so that the assignments of a tuple do not disturb each other.
    fn detached(&mut self, operand: Operand) -> Operand {
        let Value::Array { id, fresh: false } = operand.value else {
            return operand;
        };
        let copy = self.copy_of(id, operand.span);
        Operand {
            value: Value::Array {
                id: copy,
                fresh: true,
            },
            ..operand
        }
    }

    fn assign_one(&mut self, target: &'a Expr, operand: Operand, span: Span) -> Result<()> {
        if let Expr::Name(name) = target {
            let target_span = self.span(name.range);
            return self.assign_name(&name.id, operand, target_span, span);
        }
        let target = self.target(target)?;
        self.write(&target, &operand, span)
    }

    pub(super) fn assign_name(
        &mut self,
        name: &str,
        operand: Operand,
        target: Span,
        span: Span,
    ) -> Result<()> {
        match self.scopes.get(name).map(|d| d.local.clone()) {
            None => self.infer_local(name, operand, target),
            Some(Local::Scalar(old)) => {
                let id = self.b.store_as(&operand, old.ty)?;
                self.b.name(id, name);
                self.scopes
                    .rebind(name, Local::Scalar(Typed { id, ty: old.ty }));
                Ok(())
            }
            Some(Local::Array(id)) => self.assign_array(id, &operand, span),
            Some(Local::State(id)) => self.write(&Target::Element(id, vec![]), &operand, span),
            Some(Local::Vector(old)) => self.assign_vector(name, old.ty, &operand),
            Some(Local::Tile(_)) => {
                let message = format!("'{name}' is a tile, which cannot be assigned");
                Err(Diagnostic::error(codes::PTO_PLACE, target, message)
                    .help("tmov copies a tile into another one")
                    .into())
            }
            Some(Local::Streams(_)) => fail(
                codes::STREAM,
                target,
                format!("'{name}' is a stream, which cannot be assigned"),
            ),
            Some(Local::Const(value)) if Allo::kernel(&value).is_some() => fail(
                codes::TARGET,
                target,
                format!("the kernel '{name}' cannot be assigned"),
            ),
            Some(Local::Const(_)) => fail(
                codes::CONSTEXPR,
                target,
                format!("constexpr '{name}' cannot be assigned"),
            ),
            Some(Local::Poisoned) => Err(Failure::Reported),
        }
    }

    /// A first assignment without annotation declares the name.
    fn infer_local(&mut self, name: &str, operand: Operand, span: Span) -> Result<()> {
        match &operand.value {
            Value::Scalar(typed) => {
                self.bind_scalar(name, *typed, span);
                Ok(())
            }
            Value::Array { id, .. } => {
                let (elem, shape) = (self.array(*id).elem, self.array(*id).shape.clone());
                self.declare_array(name, elem, &shape, Some(operand), span)
            }
            Value::Const(value) if value.is_number() => {
                let ty = default_type(value, operand.span)?;
                let id = self.b.store_as(&operand, ty)?;
                self.bind_scalar(name, Typed { id, ty }, span);
                Ok(())
            }
            Value::Const(value) => Err(Diagnostic::error(
                codes::NOT_SCALAR,
                operand.span,
                format!("a variable cannot hold {}", value.kind()),
            )
            .help(format!(
                "declare it as a compile-time name: `{name}: constexpr = ...`"
            ))
            .into()),
            Value::Vector(vector) => {
                self.declare(name, Local::Vector(vector.clone()), span);
                Ok(())
            }
            Value::Tile(_) => {
                let message = "a tile has one name, and cannot be assigned to another";
                fail(codes::PTO_PLACE, operand.span, message)
            }
            Value::Streams(_) => {
                let message = "a stream has one name, and cannot be assigned to another";
                fail(codes::STREAM, operand.span, message)
            }
            Value::Tuple(_) => fail(
                codes::UNPACK,
                operand.span,
                "a tuple must be unpacked into several names",
            ),
        }
    }

    fn augmented(&mut self, s: &'a ast::StmtAugAssign) -> Result<()> {
        let span = self.span(s.range);
        let target = self.target(&s.target)?;
        let current = Operand {
            value: self.read(&target, span)?,
            span: self.span(s.target.range()),
        };
        let value = self.combine(current, s.op, &s.value, span)?;
        let operand = Operand { value, span };
        self.write(&target, &operand, span)
    }

    /// A condition: decided if known, else tested for nonzero.
    pub(super) fn condition(&mut self, test: &'a Expr) -> Result<Condition> {
        let operand = self.operand(test)?;
        match self.b.known_truth(&operand)? {
            Some(known) => Ok(Condition::Known(known)),
            None => {
                let value = self.b.runtime(&operand)?;
                Ok(Condition::Runtime(self.b.nonzero(value, operand.span)))
            }
        }
    }

    /// Whether a clause is chosen, and the place of what decides it.
    pub(super) fn test(&mut self, test: &Test<'a>, span: Span) -> Result<(Condition, Span)> {
        Ok(match test {
            Test::Always => (Condition::Known(true), span),
            Test::Expr(test) => (self.condition(test)?, self.span(test.range())),
            Test::Pattern(pattern, subject) => {
                (self.pattern(pattern, subject)?, self.span(pattern.range()))
            }
        })
    }

    /// Branches without returns of their own; variables assigned in them are merged. `hidden` are
    /// further variables that the branches may rebind.
    pub(super) fn if_clauses(
        &mut self,
        clauses: &[Clause<'a>],
        hidden: &[String],
        span: Span,
    ) -> Result<()> {
        let Some((clause, others)) = clauses.split_first() else {
            return Ok(());
        };
        let (cond, test) = self.test(&clause.test, span)?;
        let cond = match cond {
            Condition::Known(true) => {
                self.scoped(self.branch_place(), clause.body);
                return Ok(());
            }
            Condition::Known(false) => return self.if_clauses(others, hidden, span),
            Condition::Runtime(cond) => cond,
        };
        self.check_depth(span)?;
        let names = self.merged_names(clauses, hidden);
        let before = self.scalars(&names);
        let bodies: Vec<&[Stmt]> = clauses.iter().map(|clause| clause.body).collect();
        let homes = self.enter_vectors(&bodies, span);
        self.b.open();
        self.scoped(self.branch_place(), clause.body);
        self.leave_vectors(&homes, span);
        let then_values = self.scalars(&names);
        let mut then = self.b.close(vec![]);
        self.rebind_all(&names, &before);
        self.b.open();
        let lowered = self.if_clauses(others, hidden, span);
        self.leave_vectors(&homes, span);
        let else_values = self.scalars(&names);
        let mut otherwise = self.b.close(vec![]);
        lowered?;
        let mut results = Vec::new();
        for (i, name) in names.iter().enumerate() {
            let (t, e) = (then_values[i], else_values[i]);
            let merged = if t == e {
                t
            } else {
                then.yields.push(t.id);
                otherwise.yields.push(e.id);
                let shown = (!name.contains(' ')).then_some(name.as_str());
                let id = self.b.value(t.ty, shown);
                results.push(id);
                Typed { id, ty: t.ty }
            };
            self.scopes.rebind(name, Local::Scalar(merged));
        }
        if then.ops.is_empty() && otherwise.ops.is_empty() && results.is_empty() {
            return Ok(());
        }
        let op = If {
            cond: cond.id,
            then,
            otherwise,
        };
        self.b.push(OpKind::If(Box::new(op)), results, test);
        Ok(())
    }

    /// Where the body of an if statement met here stands.
    fn branch_place(&self) -> Place {
        match self.place {
            Place::Body => Place::Branch,
            Place::Branch => Place::Nested,
            other => other,
        }
    }

    /// Lowers statements in a scope of their own.
    pub(super) fn scoped(&mut self, place: Place, body: &'a [Stmt]) {
        let outer = std::mem::replace(&mut self.place, place);
        self.scopes.push();
        self.block(body);
        self.scopes.pop();
        self.place = outer;
    }

    fn merged_names(&self, clauses: &[Clause<'a>], hidden: &[String]) -> Vec<String> {
        let mut names: Vec<String> = hidden.to_vec();
        for clause in clauses {
            for name in self.assigned_scalars(clause.body) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }

    /// Scalar variables visible here that the statements may assign.
    pub(super) fn assigned_scalars(&self, body: &[Stmt]) -> Vec<String> {
        scan::assigned_names(body)
            .into_keys()
            .filter(|name| self.scopes.scalar(name).is_some())
            .collect()
    }

    /// The present values of scalar variables.
    pub(super) fn scalars(&self, names: &[String]) -> Vec<Typed> {
        names.iter().filter_map(|n| self.scopes.scalar(n)).collect()
    }

    /// Sets scalar variables.
    pub(super) fn rebind_all(&mut self, names: &[String], values: &[Typed]) {
        for (name, value) in names.iter().zip(values) {
            self.scopes.rebind(name, Local::Scalar(*value));
        }
    }

    /// `current op value` of an augmented assignment.
    fn combine(
        &mut self,
        current: Operand,
        op: ast::Operator,
        value: &'a Expr,
        span: Span,
    ) -> Result<Value> {
        if let Some(kind) = chain::kind_of(op) {
            return self.chain_from(current, kind, value, span);
        }
        let operand = self.operand(value)?;
        match operators::of_binary(op) {
            Some(op) => self.b.apply(op, &[current, operand], None, span),
            None => fail(
                codes::EXPRESSION,
                span,
                "the operator '@=' is not supported",
            ),
        }
    }
}

/// Most elements of a table.
const MAX_TABLE: usize = 1 << 20;

/// Appends the elements of a nested list or array of the shape as constants.
pub(super) fn flatten(
    style: Style,
    value: &ConstValue,
    elem: Scalar,
    shape: &[u64],
    span: Span,
    out: &mut Vec<Const>,
) -> Result<()> {
    let element = |value: &ConstValue| {
        if style == Style::Pto {
            check_constant(value, elem, span)?;
        }
        stored_const(value, elem, span)
    };
    let Some((extent, inner)) = shape.split_first() else {
        out.push(element(&value.clone().plain())?);
        return Ok(());
    };
    // Rows of a list may be one and the same, so that the text says nothing about the size.
    if out.len() > MAX_TABLE {
        return fail(codes::LIMIT, span, "the table has more than 2^20 elements");
    }
    if let ConstValue::Table(table) = value {
        if !table
            .shape
            .iter()
            .map(|n| *n as u64)
            .eq(shape.iter().copied())
        {
            let message = format!(
                "the array has the shape {:?} where {shape:?} is needed",
                table.shape
            );
            return fail(codes::SHAPE_MISMATCH, span, message);
        }
        for number in table.numbers() {
            out.push(element(&number)?);
        }
        return Ok(());
    }
    match (value, value.sequence()) {
        (_, Some(items)) if items.len() as u64 == *extent => items
            .iter()
            .try_for_each(|item| flatten(style, item, elem, inner, span, out)),
        (_, Some(items)) => fail(
            codes::SHAPE_MISMATCH,
            span,
            format!(
                "the list has {} elements where the shape has {extent}",
                items.len()
            ),
        ),
        (other, None) => fail(
            codes::SHAPE_MISMATCH,
            span,
            format!(
                "the shape needs a list of {extent} elements here, not {}",
                other.kind()
            ),
        ),
    }
}

/// What a refused statement is called, and what to write instead.
fn statement_kind(stmt: &Stmt) -> (&'static str, Option<&'static str>) {
    let module_level = Some("write it at module level");
    match stmt {
        Stmt::ClassDef(_) => ("a class", module_level),
        Stmt::Delete(_) => ("'del'", None),
        Stmt::TypeAlias(_) => ("a type alias statement", Some("write `T: constexpr = i32`")),
        Stmt::With(_) => ("'with'", None),
        Stmt::Raise(_) => ("'raise'", None),
        Stmt::Try(_) => ("'try'", None),
        Stmt::Assert(_) => (
            "'assert'",
            Some("use static_assert for what is known at compile time"),
        ),
        Stmt::Import(_) | Stmt::ImportFrom(_) => ("'import'", module_level),
        Stmt::Global(_) => (
            "'global'",
            Some(
                "constants of the module are visible as they are; pass anything else as an argument",
            ),
        ),
        Stmt::Nonlocal(_) => (
            "'nonlocal'",
            Some("pass the value as an argument, and return it"),
        ),
        Stmt::Break(_) => (
            "'break'",
            Some("use a while loop whose condition says when to go on"),
        ),
        Stmt::Continue(_) => (
            "'continue'",
            Some("put the rest of the loop's body under an if"),
        ),
        _ => ("this statement", None),
    }
}
