//! The text of functions, and how the names in it are meant.

use diagnostics::Span;
use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Alias, ExceptHandler, Expr, ExprContext, Parameters, Pattern, Stmt};
use std::collections::HashSet;
use std::rc::Rc;

/// The text of a function or lambda, shared by all functions made of it.
#[derive(Debug)]
pub struct Code {
    /// Name; `<lambda>` for a lambda.
    pub name: String,
    /// Parameters.
    pub params: Parameters,
    /// What runs.
    pub body: Body,
    /// The name's place, or that of the lambda.
    pub span: Span,
    /// Names bound in the body and by the parameters.
    pub locals: Locals,
}

/// What a function runs.
#[derive(Debug)]
pub enum Body {
    /// Of a `def`.
    Statements(Rc<[Stmt]>),
    /// Of a lambda.
    Expression(Box<Expr>),
}

/// How the names in a body are meant.
#[derive(Debug, Default)]
pub struct Locals {
    /// Bound here.
    pub bound: HashSet<String>,
    /// Declared `global`.
    pub global: HashSet<String>,
    /// Declared `nonlocal`.
    pub nonlocal: HashSet<String>,
    /// Whether the body holds a `yield`.
    pub generator: bool,
    /// Whether a comprehension is being read, whose targets are its own.
    comprehension: bool,
}

impl Locals {
    /// Those of statements with parameters.
    pub fn of_body(body: &[Stmt], params: Option<&Parameters>) -> Locals {
        let mut locals = Locals::default();
        if let Some(params) = params {
            locals
                .bound
                .extend(params.iter().map(|p| p.name().id.to_string()));
        }
        body.iter().for_each(|stmt| locals.visit_stmt(stmt));
        let declared = locals.global.iter().chain(&locals.nonlocal);
        for name in declared.cloned().collect::<Vec<_>>() {
            locals.bound.remove(&name);
        }
        locals
    }

    /// Those of a lambda.
    pub fn of_lambda(body: &Expr, params: Option<&Parameters>) -> Locals {
        let mut locals = Locals::of_body(&[], params);
        locals.visit_expr(body);
        locals
    }

    fn bind(&mut self, name: &str) {
        self.bound.insert(name.to_owned());
    }
}

impl<'a> Visitor<'a> for Locals {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(f) => self.bind(&f.name.id),
            Stmt::ClassDef(c) => self.bind(&c.name.id),
            Stmt::Import(s) => s.names.iter().for_each(|a| self.bind(bound_by(a))),
            Stmt::ImportFrom(s) => s.names.iter().for_each(|a| self.bind(bound_by(a))),
            Stmt::Global(s) => self.global.extend(s.names.iter().map(|n| n.id.to_string())),
            Stmt::Nonlocal(s) => self
                .nonlocal
                .extend(s.names.iter().map(|n| n.id.to_string())),
            other => visitor::walk_stmt(self, other),
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Name(name) => {
                if !self.comprehension && !matches!(name.ctx, ExprContext::Load) {
                    self.bind(&name.id);
                }
            }
            Expr::Lambda(_) => {}
            Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) | Expr::Generator(_) => {
                let outer = std::mem::replace(&mut self.comprehension, true);
                visitor::walk_expr(self, expr);
                self.comprehension = outer;
            }
            Expr::Named(named) => {
                if let Expr::Name(name) = &*named.target {
                    self.bind(&name.id);
                }
                self.visit_expr(&named.value);
            }
            Expr::Yield(_) | Expr::YieldFrom(_) => {
                self.generator = true;
                visitor::walk_expr(self, expr);
            }
            other => visitor::walk_expr(self, other),
        }
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(h) = handler;
        if let Some(name) = &h.name {
            self.bind(&name.id);
        }
        visitor::walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        let name = match pattern {
            Pattern::MatchAs(p) => p.name.as_ref(),
            Pattern::MatchStar(p) => p.name.as_ref(),
            Pattern::MatchMapping(p) => p.rest.as_ref(),
            _ => None,
        };
        if let Some(name) = name {
            self.bind(&name.id);
        }
        visitor::walk_pattern(self, pattern);
    }
}

/// Whether a statement holds a `yield` of its own function.
pub fn yields(stmt: &Stmt) -> bool {
    let mut locals = Locals::default();
    locals.visit_stmt(stmt);
    locals.generator
}

/// The name that an import binds.
pub fn bound_by(alias: &Alias) -> &str {
    match &alias.asname {
        Some(name) => &name.id,
        None => alias.name.id.split('.').next().unwrap_or_default(),
    }
}
