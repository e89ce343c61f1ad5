//! Loops: range, grid and while, with the scalars that they carry.

use super::lowerer::{Lowerer, Place};
use super::returns::{Condition, MAX_BRANCHES};
use super::scope::Local;
use crate::diagnostics::{Diagnostic, Span};
use crate::frontend::allo::{Allo, Builtin};
use crate::frontend::constant::ConstValue;
use crate::frontend::error::{Result, fail};
use crate::frontend::values::{Operand, Typed, Value};
use crate::frontend::{codes, scan};
use crate::ir::{Block, For, OpKind, Scalar, Tags, ValueId, While};
use pyeval::{Names, arity_text};
use ruff_python_ast::{self as ast, Expr, Stmt};
use ruff_text_size::Ranged;

/// Bounds of a loop, as values of type index.
struct Bounds {
    lo: ValueId,
    hi: ValueId,
    step: ValueId,
    descending: bool,
}

/// Variables carried by a loop.
struct Carried {
    names: Vec<String>,
    before: Vec<Typed>,
}

impl Carried {
    fn inits(&self) -> Vec<ValueId> {
        self.before.iter().map(|t| t.id).collect()
    }
}

impl<'a> Lowerer<'_, 'a> {
    /// `for ... in range(...)` or `for ... in allo.grid(...)`.
    pub(super) fn for_loop(&mut self, s: &'a ast::StmtFor) -> Result<()> {
        let span = self.span(s.range);
        if s.is_async {
            return fail(
                codes::STATEMENT,
                span,
                "'async for' is not supported in a kernel",
            );
        }
        self.refuse_orelse(&s.orelse, "for")?;
        self.check_loop_depth(span)?;
        let Expr::Call(call) = &*s.iter else {
            return self.not_a_range(self.span(s.iter.range()));
        };
        let callee = match self.expr(&call.func)? {
            Value::Const(callee) => Allo::builtin(&callee),
            _ => None,
        };
        match callee {
            Some(Builtin::Range) => self.range_loop(s, call, span),
            Some(Builtin::Grid) => self.grid_loop(s, call, span),
            _ => self.not_a_range(self.span(s.iter.range())),
        }
    }

    fn not_a_range(&self, span: Span) -> Result<()> {
        Err(Diagnostic::error(
            codes::LOOP,
            span,
            "a for loop must run over range or allo.grid",
        )
        .help("write `for i in range(n):`")
        .into())
    }

    fn refuse_orelse(&self, orelse: &[Stmt], what: &str) -> Result<()> {
        match orelse.first() {
            None => Ok(()),
            Some(stmt) => Err(Diagnostic::error(
                codes::STATEMENT,
                self.span(stmt.range()),
                format!("'{what} ... else' is not supported"),
            )
            .help("without break, the else block is what follows the loop: write it there")
            .into()),
        }
    }

    fn check_loop_depth(&self, span: Span) -> Result<()> {
        if self.b.depth() > MAX_BRANCHES {
            return fail(
                codes::NESTING,
                span,
                "more than 256 nested loops and branches",
            );
        }
        Ok(())
    }

    fn range_loop(
        &mut self,
        s: &'a ast::StmtFor,
        call: &'a ast::ExprCall,
        span: Span,
    ) -> Result<()> {
        let Expr::Name(target) = &*s.target else {
            let message = "a range loop has one plain name as target";
            let error = Diagnostic::error(codes::LOOP, self.span(s.target.range()), message);
            return Err(match &*s.target {
                Expr::Tuple(_) => error.help("allo.grid gives several loop variables"),
                _ => error,
            }
            .into());
        };
        let label = self
            .loop_label(call)?
            .unwrap_or_else(|| target.id.to_string());
        let call_span = self.span(call.range());
        let bounds = self.bounds(&call.arguments.args, call_span)?;
        let mut names = self.assigned_scalars(&s.body);
        names.retain(|n| *n != *target.id);
        let carried = self.carry(names);
        let homes = self.enter_vectors(&[&s.body], span);
        self.b.open();
        self.scopes.push();
        let params = self.enter_carried(&carried);
        let iv = self.bind_iv(&target.id, self.span(target.range));
        self.loop_body(&s.body);
        self.scopes.pop();
        self.leave_vectors(&homes, span);
        let yields = self.scalars(&carried.names).iter().map(|t| t.id).collect();
        let body = self.b.close(yields);
        let op = For {
            lo: bounds.lo,
            hi: bounds.hi,
            step: bounds.step,
            descending: bounds.descending,
            inits: carried.inits(),
            iv,
            carried: params,
            body,
            parallel: false,
            label,
            tags: Tags::default(),
        };
        let results = self.leave_carried(&carried);
        self.b.push(OpKind::For(Box::new(op)), results, span);
        Ok(())
    }

    fn loop_body(&mut self, body: &'a [Stmt]) {
        let outer = std::mem::replace(&mut self.place, Place::Loop);
        self.block(body);
        self.place = outer;
    }

    fn bind_iv(&mut self, name: &str, span: Span) -> ValueId {
        let iv = self.b.value(Scalar::Index, Some(name));
        let local = Local::Scalar(Typed {
            id: iv,
            ty: Scalar::Index,
        });
        self.scopes.declare(name, local, span);
        self.counters.insert(iv);
        iv
    }

    fn carry(&self, names: Vec<String>) -> Carried {
        let before = self.scalars(&names);
        Carried { names, before }
    }

    /// Makes the block parameters of carried variables and binds them.
    fn enter_carried(&mut self, carried: &Carried) -> Vec<ValueId> {
        let params = self.fresh(carried);
        self.rebind_all(&carried.names, &params);
        params.iter().map(|t| t.id).collect()
    }

    /// Makes the results of carried variables and binds them.
    fn leave_carried(&mut self, carried: &Carried) -> Vec<ValueId> {
        self.enter_carried(carried)
    }

    fn fresh(&mut self, carried: &Carried) -> Vec<Typed> {
        let pairs = carried.names.iter().zip(&carried.before);
        pairs
            .map(|(name, old)| Typed {
                id: self.b.value(old.ty, Some(name)),
                ty: old.ty,
            })
            .collect()
    }

    /// The `name=` of a loop; other keywords are refused.
    fn loop_label(&mut self, call: &'a ast::ExprCall) -> Result<Option<String>> {
        let mut label = None;
        for keyword in &call.arguments.keywords {
            let span = self.span(keyword.range());
            match (
                keyword.arg.as_ref().map(|n| n.id.as_str()),
                self.expr(&keyword.value)?,
            ) {
                (Some("name"), Value::Const(ConstValue::Str(text))) => {
                    label = Some(text.to_string())
                }
                (Some("name"), _) => return fail(codes::LOOP, span, "name= takes a string"),
                (name, _) => {
                    let name = name.unwrap_or("**");
                    return fail(
                        codes::ARGUMENTS,
                        span,
                        format!("a loop has no parameter '{name}'"),
                    );
                }
            }
        }
        Ok(label)
    }

    fn bounds(&mut self, args: &'a [Expr], span: Span) -> Result<Bounds> {
        let mut operands = Vec::new();
        for arg in args {
            operands.push(self.operand(arg)?);
        }
        self.bounds_of(&operands, "range", span)
    }

    fn bounds_of(&mut self, operands: &[Operand], what: &str, span: Span) -> Result<Bounds> {
        let (lo, hi, step) = match operands {
            [hi] => (None, hi, None),
            [lo, hi] => (Some(lo), hi, None),
            [lo, hi, step] => (Some(lo), hi, Some(step)),
            _ => {
                let n = operands.len();
                let message = format!("{what} takes {}, but {n} given", arity_text(1, 3));
                return fail(codes::ARGUMENTS, span, message);
            }
        };
        let lo = match lo {
            Some(lo) => self.b.as_index(lo, "a bound of range")?,
            None => self.b.index(0, span),
        };
        let hi = self.b.as_index(hi, "a bound of range")?;
        let (step, descending) = match step {
            Some(step) => self.step(step)?,
            None => (self.b.index(1, span), false),
        };
        Ok(Bounds {
            lo,
            hi,
            step,
            descending,
        })
    }

    /// The step, and whether it is a negative constant.
    fn step(&mut self, step: &Operand) -> Result<(ValueId, bool)> {
        let constant = match &step.value {
            Value::Const(value) => value.as_int(),
            _ => None,
        };
        let zero = num_bigint::BigInt::ZERO;
        if constant.as_ref() == Some(&zero) {
            return fail(codes::LOOP, step.span, "the step of range must not be zero");
        }
        let value = self.b.as_index(step, "the step of range")?;
        Ok((value, constant.is_some_and(|v| v < zero)))
    }

    fn grid_loop(
        &mut self,
        s: &'a ast::StmtFor,
        call: &'a ast::ExprCall,
        span: Span,
    ) -> Result<()> {
        let label = self.loop_label(call)?;
        let dims = &call.arguments.args;
        if dims.len() < 2 {
            let message = "grid needs at least two dimensions";
            return Err(
                Diagnostic::error(codes::LOOP, self.span(call.range()), message)
                    .help("use range for a single loop")
                    .into(),
            );
        }
        let targets = self.grid_targets(&s.target)?;
        if dims.len() != targets.len() {
            let message = format!(
                "grid has {} dimensions, but {} targets",
                dims.len(),
                targets.len()
            );
            return fail(codes::LOOP, self.span(s.target.range()), message);
        }
        self.refuse_carried(s, &targets)?;
        let mut bounds = Vec::new();
        for dim in dims {
            bounds.push(self.grid_dim(dim)?);
        }
        self.scopes.push();
        let mut ivs = Vec::new();
        for (name, name_span) in &targets {
            self.b.open();
            ivs.push(self.bind_iv(name, *name_span));
        }
        self.loop_body(&s.body);
        self.scopes.pop();
        let mut body = self.b.close(vec![]);
        for (i, (bounds, iv)) in bounds.into_iter().zip(ivs).enumerate().rev() {
            let name = &targets[i].0;
            let label = match &label {
                Some(label) => format!("{label}.{name}"),
                None => name.clone(),
            };
            let op = For {
                lo: bounds.lo,
                hi: bounds.hi,
                step: bounds.step,
                descending: bounds.descending,
                inits: vec![],
                iv,
                carried: vec![],
                body: std::mem::take(&mut body),
                parallel: true,
                label,
                tags: Tags::default(),
            };
            self.b.push(OpKind::For(Box::new(op)), vec![], span);
            if i > 0 {
                body = self.b.close(vec![]);
            }
        }
        Ok(())
    }

    fn grid_targets(&self, target: &Expr) -> Result<Vec<(String, Span)>> {
        let message = "the target of a grid loop is a tuple of plain names";
        let Expr::Tuple(tuple) = target else {
            return Err(
                Diagnostic::error(codes::LOOP, self.span(target.range()), message)
                    .help("write `for i, j in allo.grid(m, n):`")
                    .into(),
            );
        };
        tuple
            .elts
            .iter()
            .map(|elt| match elt {
                Expr::Name(name) => Ok((name.id.to_string(), self.span(name.range))),
                other => fail(codes::LOOP, self.span(other.range()), message),
            })
            .collect()
    }

    fn refuse_carried(&self, s: &ast::StmtFor, targets: &[(String, Span)]) -> Result<()> {
        let assigned = scan::assigned_names(&s.body);
        let vectors = self.assigned_vectors(&s.body);
        for (name, range) in assigned {
            let own = targets.iter().any(|t| t.0 == name);
            let vector = vectors.iter().any(|vector| vector.0 == name);
            if !own && (vector || self.scopes.scalar(&name).is_some()) {
                return Err(Diagnostic::error(
                    codes::GRID_CARRIED,
                    self.span(range),
                    format!("the scalar '{name}' would be carried across the iterations of a grid"),
                )
                .help("use nested range loops")
                .into());
            }
        }
        Ok(())
    }

    /// A dimension: an extent, or a tuple of range arguments.
    fn grid_dim(&mut self, dim: &'a Expr) -> Result<Bounds> {
        let span = self.span(dim.range());
        let operands = match self.expr(dim)? {
            Value::Tuple(items) => items,
            Value::Const(ConstValue::Tuple(items)) => {
                items.iter().cloned().map(Value::Const).collect()
            }
            single => vec![single],
        };
        let operands: Vec<Operand> = operands
            .into_iter()
            .map(|value| Operand { value, span })
            .collect();
        self.bounds_of(&operands, "a dimension of grid", span)
    }

    /// `while`.
    pub(super) fn while_loop(&mut self, s: &'a ast::StmtWhile) -> Result<()> {
        let span = self.span(s.range);
        self.refuse_orelse(&s.orelse, "while")?;
        self.check_loop_depth(span)?;
        let carried = self.carry(self.assigned_scalars(&s.body));
        let homes = self.enter_vectors(&[&s.body], span);
        self.b.open();
        let params = self.enter_carried(&carried);
        let tested = self.condition(&s.test);
        let cond = match tested {
            Ok(Condition::Runtime(cond)) => self.b.close(vec![cond.id]),
            other => {
                self.b.close(vec![]);
                self.rebind_all(&carried.names, &carried.before);
                return match other? {
                    Condition::Known(true) => {
                        let test = self.span(s.test.range());
                        let message = "the condition of this loop is always true";
                        Err(Diagnostic::error(codes::ENDLESS, test, message)
                            .help("write the condition for going on, such as `while x < n:`")
                            .into())
                    }
                    _ => Ok(()),
                };
            }
        };
        self.b.open();
        self.scoped(Place::Loop, &s.body);
        self.leave_vectors(&homes, span);
        let yields = self.scalars(&carried.names).iter().map(|t| t.id).collect();
        let body: Block = self.b.close(yields);
        let op = While {
            inits: carried.inits(),
            carried: params,
            cond,
            body,
            label: "while".to_owned(),
            tags: Tags::default(),
        };
        let results = self.leave_carried(&carried);
        self.b.push(OpKind::While(Box::new(op)), results, span);
        Ok(())
    }
}
