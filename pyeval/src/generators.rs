//! Generators: functions with `yield`, and generator expressions.

use crate::assign::assign;
use crate::code::yields;
use crate::comprehension::bind_target;
use crate::conditions::chosen;
use crate::error::{Problem, fail};
use crate::frame::Frame;
use crate::iterate::{iter, next};
use crate::operators::truth;
use crate::value::{Flow, IterRef, Iterate, Names, Result, Scope, ScopeOf, Value};
use diagnostics::{FileId, Span};
use ruff_python_ast::{self as ast, Expr, Stmt};
use ruff_text_size::Ranged;
use std::rc::Rc;

/// A generator expression at work.
#[derive(Debug)]
pub struct Expression {
    element: Expr,
    generators: Vec<ast::Comprehension>,
    scope: Rc<Scope>,
    file: FileId,
    module: usize,
    /// Iterators of the loops that are open, outermost first.
    open: Vec<IterRef>,
}

/// A generator function at work: its open blocks, innermost last.
#[derive(Debug)]
pub struct Generator {
    scope: Rc<Scope>,
    file: FileId,
    module: usize,
    open: Vec<Open>,
}

/// A block that a generator is in.
#[derive(Debug)]
enum Open {
    /// Statements and the number of the next one.
    Block(Rc<[Stmt]>, usize),
    /// A `for` over an iterator, with its body and `else`.
    For(Rc<ast::StmtFor>, Rc<[Stmt]>, IterRef),
    /// A `while` with its body.
    While(Rc<ast::StmtWhile>, Rc<[Stmt]>),
    /// A `yield from`.
    From(IterRef),
}

/// The iterator of a generator expression; its first iterable is evaluated at once, as in Python.
pub fn generator_expression(
    e: &ast::ExprGenerator,
    span: Span,
    names: &mut dyn Names,
) -> Result<Value> {
    let Some(first) = e.generators.first() else {
        return fail(
            span,
            Problem::Expression("the expression has no loop".into()),
        );
    };
    let iterable = names.eval(&first.iter)?;
    let source = iter(&iterable, names.span(first.iter.range()), names)?;
    let place = names.place();
    // Its text is copied, for it may outlive the statement.
    names.tick(span, u64::from(span.end - span.start) / 16)?;
    names.charge(span, 16)?;
    Ok(IterRef::value(Expression {
        element: (*e.elt).clone(),
        generators: e.generators.clone(),
        scope: Scope::new(ScopeOf::Comprehension, place.scope),
        file: names.file(),
        module: place.module,
        open: vec![source],
    }))
}

impl Iterate for Expression {
    fn next(&mut self, span: Span, names: &mut dyn Names) -> Result<Option<Value>> {
        let frame: &mut dyn Names = &mut Frame {
            host: names.host(),
            file: self.file,
            module: self.module,
            scope: Some(self.scope.clone()),
        };
        'next: while let Some(innermost) = self.open.last() {
            let Some(item) = next(innermost, span, frame)? else {
                self.open.pop();
                continue;
            };
            let generator = &self.generators[self.open.len() - 1];
            bind_target(&generator.target, &item, &self.scope, frame)?;
            for test in &generator.ifs {
                let test_span = frame.span(test.range());
                let test = frame.eval(test)?;
                if !truth(&test, test_span, frame)? {
                    continue 'next;
                }
            }
            match self.generators.get(self.open.len()) {
                None => return frame.eval(&self.element).map(Some),
                Some(inner) => {
                    let at = frame.span(inner.iter.range());
                    let iterable = frame.eval(&inner.iter)?;
                    self.open.push(iter(&iterable, at, frame)?);
                }
            }
        }
        Ok(None)
    }
}

impl Iterate for Generator {
    fn next(&mut self, span: Span, names: &mut dyn Names) -> Result<Option<Value>> {
        let frame: &mut dyn Names = &mut Frame {
            host: names.host(),
            file: self.file,
            module: self.module,
            scope: Some(self.scope.clone()),
        };
        let item = self.step(span, frame);
        if !matches!(item, Ok(Some(_))) {
            // After its end or an error it gives no more.
            self.open.clear();
        }
        item
    }
}

impl Generator {
    /// A generator of a function's body, with its parameters bound in the scope.
    pub fn start(body: Rc<[Stmt]>, scope: Rc<Scope>, file: FileId, module: usize) -> Value {
        IterRef::value(Generator {
            scope,
            file,
            module,
            open: vec![Open::Block(body, 0)],
        })
    }

    fn step(&mut self, span: Span, frame: &mut dyn Names) -> Result<Option<Value>> {
        loop {
            frame.tick(span, 1)?;
            let Some(open) = self.open.last_mut() else {
                return Ok(None);
            };
            match open {
                Open::From(source) => match next(&source.clone(), span, frame)? {
                    Some(item) => return Ok(Some(item)),
                    None => {
                        self.open.pop();
                    }
                },
                Open::For(f, body, source) => {
                    let (f, body, source) = (f.clone(), body.clone(), source.clone());
                    match next(&source, span, frame)? {
                        Some(item) => {
                            assign(&f.target, &item, frame)?;
                            self.open.push(Open::Block(body, 0));
                        }
                        None => {
                            self.open.pop();
                            self.enter(&f.orelse, frame)?;
                        }
                    }
                }
                Open::While(w, body) => {
                    let (w, body) = (w.clone(), body.clone());
                    let at = frame.span(w.test.range());
                    let test = frame.eval(&w.test)?;
                    if truth(&test, at, frame)? {
                        self.open.push(Open::Block(body, 0));
                    } else {
                        self.open.pop();
                        self.enter(&w.orelse, frame)?;
                    }
                }
                Open::Block(stmts, at) => {
                    let (stmts, now) = (stmts.clone(), *at);
                    *at += 1;
                    let Some(stmt) = stmts.get(now) else {
                        self.open.pop();
                        continue;
                    };
                    if let Some(item) = self.statement(stmt, frame)? {
                        return Ok(Some(item));
                    }
                }
            }
        }
    }

    /// Enters a block, whose text is copied.
    fn enter(&mut self, stmts: &[Stmt], frame: &mut dyn Names) -> Result<()> {
        if let (Some(first), Some(last)) = (stmts.first(), stmts.last()) {
            let span = frame.span(first.range().cover(last.range()));
            frame.tick(span, u64::from(span.end - span.start) / 16)?;
            self.open.push(Open::Block(stmts.to_vec().into(), 0));
        }
        Ok(())
    }

    /// Runs a statement until its first `yield`, whose value is returned.
    fn statement(&mut self, stmt: &Stmt, frame: &mut dyn Names) -> Result<Option<Value>> {
        let span = frame.span(stmt.range());
        let size = u64::from(span.end - span.start) / 16;
        frame.tick(span, size)?;
        if !yields(stmt) {
            match frame.exec(std::slice::from_ref(stmt))? {
                Flow::Next => {}
                Flow::Return(_) => self.open.clear(),
                Flow::Break => {
                    self.leave_to_loop();
                    self.open.pop();
                }
                Flow::Continue => self.leave_to_loop(),
            }
            return Ok(None);
        }
        match stmt {
            Stmt::Expr(s) => match &*s.value {
                Expr::Yield(y) => self.yielded(y, frame).map(Some),
                Expr::YieldFrom(y) => {
                    let source = frame.eval(&y.value)?;
                    let source = iter(&source, span, frame)?;
                    self.open.push(Open::From(source));
                    Ok(None)
                }
                _ => deep_yield(span),
            },
            Stmt::If(s) => {
                let body = chosen(s, frame)?;
                self.enter(body, frame)?;
                Ok(None)
            }
            Stmt::For(s) => {
                let iterable = frame.eval(&s.iter)?;
                let source = iter(&iterable, span, frame)?;
                let body = s.body.to_vec().into();
                self.open.push(Open::For(Rc::new(s.clone()), body, source));
                Ok(None)
            }
            Stmt::While(s) => {
                let body = s.body.to_vec().into();
                self.open.push(Open::While(Rc::new(s.clone()), body));
                Ok(None)
            }
            _ => deep_yield(span),
        }
    }

    fn yielded(&mut self, y: &ast::ExprYield, frame: &mut dyn Names) -> Result<Value> {
        match &y.value {
            Some(value) => frame.eval(value),
            None => Ok(Value::None),
        }
    }

    /// Leaves blocks until a loop is the innermost.
    fn leave_to_loop(&mut self) {
        while matches!(self.open.last(), Some(Open::Block(..) | Open::From(_))) {
            self.open.pop();
        }
    }
}

fn deep_yield<T>(span: Span) -> Result<T> {
    let text = "'yield' is supported as a statement of its own, in blocks, loops and branches";
    fail(span, Problem::Statement(text.into()))
}
