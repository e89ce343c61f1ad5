//! Results of a kernel: their slots, where shaped ones live, and returns in branches.

use super::lowerer::{Lowerer, Place};
use super::results::Results;
use super::scope::Local;
use crate::diagnostics::{Diagnostic, Span};
use crate::frontend::constant::ConstValue;
use crate::frontend::error::{Failure, Result, fail};
use crate::frontend::promote::Style;
use crate::frontend::pto::legality::type_mismatch;
use crate::frontend::session::Slot;
use crate::frontend::stream_type::shaped_name;
use crate::frontend::types::{self, Type};
use crate::frontend::values::{Operand, Typed, Value, describe};
use crate::frontend::{codes, scan};
use crate::ir::{ArrayId, ArrayKind, Const, If, OpKind, ResultSlot, Scalar, ValueId};
use pyeval::Names;
use ruff_python_ast::{Expr, Pattern, Stmt, StmtFunctionDef, StmtIf, StmtReturn};
use ruff_text_size::Ranged;
use std::rc::Rc;

/// Deepest nesting of generated branches.
pub(super) const MAX_BRANCHES: usize = 256;

/// What chooses a branch.
#[derive(Clone)]
pub(super) enum Test<'a> {
    /// Nothing: `else`.
    Always,
    /// A condition.
    Expr(&'a Expr),
    /// A pattern of a match on the operand.
    Pattern(&'a Pattern, Rc<Operand>),
}

impl Test<'_> {
    /// Whether it is `else` or the pattern `_`.
    fn always_holds(&self) -> bool {
        match self {
            Test::Always => true,
            Test::Expr(_) => false,
            Test::Pattern(pattern, _) => takes_everything(pattern),
        }
    }
}

/// Whether a pattern is `_`.
pub(super) fn takes_everything(pattern: &Pattern) -> bool {
    matches!(pattern, Pattern::MatchAs(p) if p.pattern.is_none() && p.name.is_none())
}

/// A branch: what chooses it, and its body.
#[derive(Clone)]
pub(super) struct Clause<'a> {
    pub test: Test<'a>,
    pub body: &'a [Stmt],
}

/// The branches of an if statement in order.
pub(super) fn clauses(s: &StmtIf) -> Vec<Clause<'_>> {
    let first = Clause {
        test: Test::Expr(&s.test),
        body: &s.body,
    };
    let rest = s.elif_else_clauses.iter().map(|c| Clause {
        test: c.test.as_ref().map_or(Test::Always, Test::Expr),
        body: &c.body,
    });
    std::iter::once(first).chain(rest).collect()
}

/// Names of the hidden variables; no Python name has a space.
const RETURNED: &str = "return flag";

fn hidden(slot: usize) -> String {
    format!("return {slot}")
}

fn ends_in_return(body: &[Stmt]) -> bool {
    matches!(body.last(), Some(Stmt::Return(_)))
}

impl<'a> Lowerer<'_, 'a> {
    /// The types of the return annotation.
    pub(super) fn result_slots(&mut self, ast: &'a StmtFunctionDef) -> Result<Vec<Slot>> {
        let Some(annotation) = &ast.returns else {
            return Ok(Vec::new());
        };
        if let Some(value) = self.evaluated.get("return").cloned() {
            return self.evaluated_slots(&value, annotation);
        }
        match &**annotation {
            Expr::NoneLiteral(_) => Ok(Vec::new()),
            Expr::Tuple(t) => t.elts.iter().map(|e| self.result_slot(e)).collect(),
            single => Ok(vec![self.result_slot(single)?]),
        }
    }

    /// The types of a return annotation that is a value already.
    fn evaluated_slots(&self, value: &ConstValue, annotation: &Expr) -> Result<Vec<Slot>> {
        let span = self.span(annotation.range());
        let types = types::of_results(value);
        let slots = types.iter().map(|ty| {
            let ty = types::from_value(ty.clone(), span)?;
            self.slot_of(ty, span)
        });
        slots.collect()
    }

    fn result_slot(&mut self, expr: &Expr) -> Result<Slot> {
        let ty = types::annotation(expr, self)?;
        self.slot_of(ty, self.span(expr.range()))
    }

    fn slot_of(&self, ty: Type, span: Span) -> Result<Slot> {
        match ty {
            Type::Scalar(ty) => Ok(Slot::Scalar(ty)),
            Type::Shaped(elem, shape) => Ok(Slot::Array(elem, shape)),
            Type::Stream(_) => {
                let message = "a kernel has no stream as its result: streams are parameters";
                fail(codes::STREAM, span, message)
            }
            Type::Tile(_) => fail(
                codes::PTO_PLACE,
                span,
                "a kernel returns no tile: pass one as a parameter",
            ),
            Type::Vector(ty) => fail(
                codes::PTO_PLACE,
                span,
                format!("a kernel returns no {ty}: store it into an array"),
            ),
            Type::Stateful(..) => {
                let message = "a result is not kept between invocations";
                fail(codes::STATE, span, message)
            }
            Type::Constexpr => fail(codes::ANNOTATION, span, "a result cannot be constexpr"),
        }
    }

    /// Decides which locals are results themselves.
    pub(super) fn plan_results(&mut self, slots: Vec<Slot>, body: &'a [Stmt]) {
        let mut returns = Vec::new();
        scan::returns(body, &mut returns);
        let count = slots.len();
        let name_in = |r: &StmtReturn, slot: usize| match r.value.as_deref() {
            Some(Expr::Tuple(t)) if count > 1 => name_of(t.elts.get(slot)?),
            Some(value) if count == 1 => name_of(value),
            _ => None,
        };
        let mut in_place: Vec<Option<String>> = Vec::new();
        for slot in 0..count {
            let mut names = returns.iter().map(|r| name_in(r, slot));
            let first = names.next().flatten();
            let same = names.all(|n| n == first);
            let free = !in_place.contains(&first);
            in_place.push(first.filter(|_| same && free));
        }
        self.results = Results {
            arrays: vec![None; count],
            in_place,
            slots,
            flagged: false,
            single: returns.len() == 1,
        };
    }

    /// The kind of a shaped local about to be declared.
    pub(super) fn local_kind(
        &self,
        name: &str,
        elem: Scalar,
        shape: &[u64],
    ) -> (ArrayKind, Option<usize>) {
        let slot = self
            .results
            .in_place
            .iter()
            .position(|n| n.as_deref() == Some(name));
        match slot {
            Some(slot)
                if self.scopes.at_top()
                    && self.results.arrays[slot].is_none()
                    && self.results.slots[slot] == Slot::Array(elem, Rc::from(shape)) =>
            {
                (ArrayKind::Result(slot), Some(slot))
            }
            _ => (ArrayKind::Local, None),
        }
    }

    /// Records the array of a shaped result.
    pub(super) fn set_result_array(&mut self, slot: usize, id: ArrayId) {
        self.results.arrays[slot] = Some(id);
    }

    /// Whether the kernel returns something.
    pub(super) fn has_results(&self) -> bool {
        !self.results.slots.is_empty()
    }

    /// The results in the form of the ir. Called once, at the end.
    pub(super) fn finish_results(&mut self) -> Vec<ResultSlot> {
        (0..self.results.slots.len())
            .map(|slot| match self.results.slots[slot].clone() {
                Slot::Scalar(ty) => ResultSlot::Scalar(ty),
                Slot::Array(..) => ResultSlot::Array(self.result_array(slot, Span::default())),
            })
            .collect()
    }

    fn result_name(&self, slot: usize) -> String {
        if self.results.slots.len() == 1 {
            "ap_return".to_owned()
        } else {
            format!("ap_return_{slot}")
        }
    }

    fn result_array(&mut self, slot: usize, span: Span) -> ArrayId {
        if let Some(id) = self.results.arrays[slot] {
            return id;
        }
        let (elem, shape) = match &self.results.slots[slot] {
            Slot::Array(elem, shape) => (*elem, shape.clone()),
            Slot::Scalar(ty) => (*ty, Rc::from([])),
        };
        let name = self.result_name(slot);
        let id = self
            .b
            .array(&name, elem, &shape, ArrayKind::Result(slot), span);
        self.results.arrays[slot] = Some(id);
        id
    }

    /// Reports that a path of the kernel does not return.
    pub(super) fn check_fallthrough(&mut self, span: Span) {
        if self.has_results() && self.session.errors() == self.errors_before {
            let message = "not every path of the kernel returns a value";
            self.report(Diagnostic::error(codes::RETURN_MISSING, span, message));
        }
    }

    /// Lowers statements in which returns may stand. The scalar results if every path returns.
    pub(super) fn body(&mut self, stmts: &'a [Stmt]) -> Option<Vec<ValueId>> {
        for (i, stmt) in stmts.iter().enumerate() {
            let rest = &stmts[i + 1..];
            match stmt {
                Stmt::Return(r) => return Some(self.final_return(r, rest)),
                Stmt::If(_) | Stmt::Match(_) if scan::has_return(std::slice::from_ref(stmt)) => {
                    match self.branches(stmt, rest) {
                        Ok(flow) => return flow,
                        Err(failure) => self.session.report(failure),
                    }
                }
                other => self.statement_or_report(other),
            }
        }
        None
    }

    /// Reports the first statement after one that always returns.
    fn check_reached(&mut self, rest: &[Stmt], returning: Span, note: &str) {
        if let Some(next) = rest.first() {
            let span = self.span(next.range());
            self.report(
                Diagnostic::error(codes::UNREACHABLE, span, "this statement is never reached")
                    .note_at(returning, note),
            );
        }
    }

    fn final_return(&mut self, r: &'a StmtReturn, rest: &'a [Stmt]) -> Vec<ValueId> {
        self.check_reached(rest, self.span(r.range), "the kernel returns here");
        match self.return_values(r) {
            Ok(values) => values,
            Err(failure) => {
                self.session.report(failure);
                Vec::new()
            }
        }
    }

    /// An if or match statement with returns, and the statements after it.
    fn branches(&mut self, stmt: &'a Stmt, rest: &'a [Stmt]) -> Result<Option<Vec<ValueId>>> {
        let (clauses, head, what) = match stmt {
            Stmt::Match(s) => (self.match_clauses(s)?, s.subject.range(), "match"),
            Stmt::If(s) => (clauses(s), s.test.range(), "if"),
            _ => return Ok(self.body(rest)),
        };
        let has_else = clauses.iter().any(|c| c.test.always_holds());
        let falling = clauses.iter().filter(|c| !ends_in_return(c.body)).count();
        let span = self.span(stmt.range());
        if has_else && falling == 0 && self.place == Place::Body {
            let note = format!("every branch of this {what} returns");
            self.check_reached(rest, self.span(head), &note);
        }
        if falling + usize::from(!has_else) > 1 && !rest.is_empty() {
            return self.flagged_branches(&clauses, rest, span);
        }
        self.branch_chain(&clauses, rest, span)
    }

    /// Branches of which at most one goes on: what follows the statement is lowered there.
    fn branch_chain(
        &mut self,
        clauses: &[Clause<'a>],
        rest: &'a [Stmt],
        span: Span,
    ) -> Result<Option<Vec<ValueId>>> {
        let Some((clause, others)) = clauses.split_first() else {
            return Ok(self.body(rest));
        };
        let cond = match self.test(&clause.test, span)?.0 {
            Condition::Known(true) => return Ok(self.branch_then_rest(clause.body, rest)),
            Condition::Known(false) => return self.branch_chain(others, rest, span),
            Condition::Runtime(cond) => cond,
        };
        self.check_depth(span)?;
        if self.place != Place::Body {
            self.refuse_returns(clauses);
            return Err(Failure::Reported);
        }
        let before = self.scopes.clone();
        self.b.open();
        let then = self.branch_then_rest(clause.body, rest);
        let then_block = self.b.close(then.clone().unwrap_or_default());
        self.scopes = before;
        self.b.open();
        let otherwise = self.branch_chain(others, rest, span)?;
        let else_block = self.b.close(otherwise.clone().unwrap_or_default());
        let complete = then.is_some() && otherwise.is_some();
        let results = if complete {
            self.scalar_results()
        } else {
            Vec::new()
        };
        let op = If {
            cond: cond.id,
            then: then_block,
            otherwise: else_block,
        };
        self.b.push(OpKind::If(Box::new(op)), results.clone(), span);
        if !complete && self.has_results() {
            return Ok(None);
        }
        // Without results every path is complete: what follows is inside already.
        Ok(Some(results))
    }

    /// The body of a branch in its own scope and, unless it returns, the rest in the outer one.
    fn branch_then_rest(&mut self, body: &'a [Stmt], rest: &'a [Stmt]) -> Option<Vec<ValueId>> {
        let place = std::mem::replace(&mut self.place, Place::Branch);
        self.scopes.push();
        let flow = self.body(body);
        self.scopes.pop();
        self.place = place;
        match flow {
            Some(values) => Some(values),
            None => self.body(rest),
        }
    }

    fn scalar_results(&mut self) -> Vec<ValueId> {
        let types: Vec<Scalar> = self.results.slots.iter().filter_map(scalar_slot).collect();
        types.into_iter().map(|ty| self.b.value(ty, None)).collect()
    }

    /// Several branches go on: hidden variables carry the flag and the results past the statement.
    fn flagged_branches(
        &mut self,
        clauses: &[Clause<'a>],
        rest: &'a [Stmt],
        span: Span,
    ) -> Result<Option<Vec<ValueId>>> {
        if self.place != Place::Body {
            self.refuse_returns(clauses);
            return Err(Failure::Reported);
        }
        self.check_depth(span)?;
        self.declare_hidden(span);
        let outer = std::mem::replace(&mut self.results.flagged, true);
        let names: Vec<String> = self.hidden_names();
        let lowered = self.if_clauses(clauses, &names, span);
        self.results.flagged = outer;
        lowered?;
        let Some(flag) = self.scopes.scalar(RETURNED) else {
            return Err(Failure::Reported);
        };
        let values: Vec<ValueId> = names[1..]
            .iter()
            .filter_map(|n| self.scopes.scalar(n).map(|t| t.id))
            .collect();
        self.b.open();
        let then = self.b.close(values);
        self.b.open();
        let flow = self.body(rest);
        let otherwise = self.b.close(flow.clone().unwrap_or_default());
        if flow.is_none() && self.has_results() {
            return Ok(None);
        }
        let results = self.scalar_results();
        let op = If {
            cond: flag.id,
            then,
            otherwise,
        };
        self.b.push(OpKind::If(Box::new(op)), results.clone(), span);
        Ok(Some(results))
    }

    fn hidden_names(&self) -> Vec<String> {
        let slots = self.results.slots.iter().enumerate();
        std::iter::once(RETURNED.to_owned())
            .chain(
                slots
                    .filter(|(_, s)| scalar_slot(s).is_some())
                    .map(|(i, _)| hidden(i)),
            )
            .collect()
    }

    fn declare_hidden(&mut self, span: Span) {
        let zero = self.b.zero(Scalar::BOOL, span);
        let flag = Typed {
            id: zero,
            ty: Scalar::BOOL,
        };
        self.scopes.declare(RETURNED, Local::Scalar(flag), span);
        for slot in 0..self.results.slots.len() {
            if let Some(ty) = scalar_slot(&self.results.slots[slot]) {
                let id = self.b.zero(ty, span);
                self.scopes
                    .declare(&hidden(slot), Local::Scalar(Typed { id, ty }), span);
            }
        }
    }

    /// A return met as an ordinary statement: inside flagged branches, or where none may stand.
    pub(super) fn return_statement(&mut self, r: &'a StmtReturn, is_last: bool) -> Result<()> {
        let span = self.span(r.range);
        if !(self.results.flagged && self.place == Place::Branch && is_last) {
            return self.misplaced_return(span);
        }
        let values = self.return_values(r)?;
        let one = self.b.constant(Scalar::BOOL, Const::Int(1.into()), span);
        let flag = Typed {
            id: one,
            ty: Scalar::BOOL,
        };
        self.scopes.rebind(RETURNED, Local::Scalar(flag));
        let names = self.hidden_names();
        for (name, id) in names[1..].iter().zip(values) {
            let ty = self.b.values[id].ty;
            self.scopes.rebind(name, Local::Scalar(Typed { id, ty }));
        }
        Ok(())
    }

    fn misplaced_return(&mut self, span: Span) -> Result<()> {
        let message = match self.place {
            Place::Loop => "return inside a loop is not supported",
            _ if self.results.flagged && self.place == Place::Branch => {
                return fail(
                    codes::UNREACHABLE,
                    span,
                    "the statements after this return are never reached",
                );
            }
            _ => "return inside a nested if or match is not supported",
        };
        Err(Diagnostic::error(codes::RETURN_PLACE, span, message)
            .help("assign the result to a variable and return it at the end of the body")
            .into())
    }

    fn refuse_returns(&mut self, clauses: &[Clause<'a>]) {
        let mut found = Vec::new();
        clauses
            .iter()
            .for_each(|c| scan::returns(c.body, &mut found));
        for r in found {
            let span = self.span(r.range);
            if let Err(failure) = self.misplaced_return(span) {
                self.session.report(failure);
            }
        }
    }

    /// Each branch stands in the one before it, those of `elif` and `case` too.
    pub(super) fn check_depth(&self, span: Span) -> Result<()> {
        if self.b.depth() > MAX_BRANCHES {
            let message = format!("more than {MAX_BRANCHES} branches, one in the other");
            return Err(Diagnostic::error(codes::NESTING, span, message)
                .help("a table of values takes no branches; `elif` and `case` count as well")
                .into());
        }
        Ok(())
    }

    /// Evaluates what is returned; shaped results are stored, scalar ones given back.
    fn return_values(&mut self, r: &'a StmtReturn) -> Result<Vec<ValueId>> {
        let span = self.span(r.range);
        let count = self.results.slots.len();
        let value = match r.value.as_deref() {
            None | Some(Expr::NoneLiteral(_)) if count == 0 => return Ok(Vec::new()),
            None => {
                return fail(
                    codes::RETURN_TYPE,
                    span,
                    "the kernel must return a value here",
                );
            }
            Some(value) => value,
        };
        if count == 0 {
            return Err(Diagnostic::error(
                codes::RETURN_TYPE,
                self.span(value.range()),
                "the kernel returns a value, but its header names no result type",
            )
            .help("write `-> type` in the kernel's header")
            .into());
        }
        let operands = self.returned_operands(value, count)?;
        let mut scalars = Vec::new();
        for (slot, operand) in operands.iter().enumerate() {
            match self.results.slots[slot].clone() {
                Slot::Scalar(ty) => scalars.push(self.returned_scalar(operand, ty)?),
                Slot::Array(elem, shape) => self.return_array(slot, operand, elem, &shape)?,
            }
        }
        Ok(scalars)
    }

    fn returned_scalar(&mut self, operand: &Operand, ty: Scalar) -> Result<ValueId> {
        match &operand.value {
            Value::Array { .. } | Value::Tuple(_) => fail(
                codes::RETURN_TYPE,
                operand.span,
                format!(
                    "the kernel returns {ty}, but this is {}",
                    describe(&operand.value)
                ),
            ),
            _ => self.b.store_as(operand, ty),
        }
    }

    fn returned_operands(&mut self, value: &'a Expr, count: usize) -> Result<Vec<Operand>> {
        let span = self.span(value.range());
        let mismatch = |given: usize| {
            let message = format!("the kernel returns {count} values, but {given} are given");
            fail(codes::RETURN_TYPE, span, message)
        };
        if count == 1 {
            return Ok(vec![self.operand(value)?]);
        }
        if let Expr::Tuple(t) = value {
            if t.elts.len() != count {
                return mismatch(t.elts.len());
            }
            return t.elts.iter().map(|e| self.operand(e)).collect();
        }
        match self.expr(value)? {
            Value::Tuple(items) if items.len() == count => Ok(items
                .into_iter()
                .map(|value| Operand { value, span })
                .collect()),
            Value::Const(ConstValue::Tuple(items)) if items.len() == count => Ok(items
                .iter()
                .map(|v| Operand {
                    value: v.clone().into(),
                    span,
                })
                .collect()),
            Value::Tuple(items) => mismatch(items.len()),
            _ => mismatch(1),
        }
    }

    fn return_array(
        &mut self,
        slot: usize,
        operand: &Operand,
        elem: Scalar,
        shape: &[u64],
    ) -> Result<()> {
        let Value::Array { id, .. } = operand.value else {
            return fail(
                codes::RETURN_TYPE,
                operand.span,
                format!(
                    "the kernel returns {}, but this is {}",
                    shaped_name(elem, shape),
                    describe(&operand.value)
                ),
            );
        };
        if self.array(id).shape != shape {
            let found = shaped_name(self.array(id).elem, &self.array(id).shape);
            return fail(
                codes::RETURN_TYPE,
                operand.span,
                format!(
                    "the kernel returns {}, but this is {found}",
                    shaped_name(elem, shape)
                ),
            );
        }
        let found = self.array(id).elem;
        if found != elem && self.options.style == Style::Pto {
            return type_mismatch([found, elem], "'return'", operand.span);
        }
        if self.results.arrays[slot] == Some(id) {
            return Ok(());
        }
        let made = matches!(operand.value, Value::Array { fresh: true, .. });
        if made && self.results.single && self.array(id).elem == elem {
            self.b.arrays[id].kind = ArrayKind::Result(slot);
            self.b.arrays[id].name = self.result_name(slot);
            self.results.arrays[slot] = Some(id);
            return Ok(());
        }
        let dst = self.result_array(slot, operand.span);
        self.b
            .push(OpKind::Copy { dst, src: id }, vec![], operand.span);
        Ok(())
    }
}

fn name_of(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Name(name) => Some(name.id.to_string()),
        _ => None,
    }
}

fn scalar_slot(slot: &Slot) -> Option<Scalar> {
    match slot {
        Slot::Scalar(ty) => Some(*ty),
        Slot::Array(..) => None,
    }
}

/// A condition, decided or not.
pub(super) enum Condition {
    /// While compiling.
    Known(bool),
    /// At run time, as a u1.
    Runtime(Typed),
}
