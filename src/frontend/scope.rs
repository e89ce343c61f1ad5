//! Functions and their variables: which names a body binds, and the scopes that closures keep.

use super::containers::{Corpse, bury};
use super::values::ConstValue;
use crate::diagnostics::Span;
use indexmap::IndexMap;
use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{ExceptHandler, Expr, ExprContext, Parameters, Pattern, Stmt};
use std::cell::{Cell, RefCell};
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
            Stmt::Import(_) | Stmt::ImportFrom(_) => {
                for (name, _) in super::scan::bound_names(stmt) {
                    self.bind(&name);
                }
            }
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

/// The variables of one call, of a comprehension or of a class body.
#[derive(Debug)]
pub struct Scope {
    /// Variables that have a value, in order of first binding.
    pub vars: RefCell<IndexMap<String, ConstValue>>,
    /// The scope around it.
    pub parent: Option<Rc<Scope>>,
    /// What it is the scope of.
    pub of: ScopeOf,
    /// Whether kernels can see it, so that nothing may change any more.
    pub frozen: Cell<bool>,
}

impl Drop for Scope {
    fn drop(&mut self) {
        let vars = std::mem::take(self.vars.get_mut());
        bury(vars.into_values().map(Corpse::Value));
    }
}

/// Kinds of scope.
#[derive(Debug)]
pub enum ScopeOf {
    /// A running function.
    Function(Rc<Code>),
    /// A class body, which functions in it do not see.
    Class(Locals),
    /// A comprehension.
    Comprehension,
}

/// What a scope knows about a name.
pub enum Found {
    /// Its value.
    Value(ConstValue),
    /// It is a local without a value.
    Unbound,
    /// It is a name of the module.
    Global,
}

impl Scope {
    /// An empty scope.
    pub fn new(of: ScopeOf, parent: Option<Rc<Scope>>) -> Rc<Scope> {
        Rc::new(Scope {
            vars: RefCell::default(),
            parent,
            of,
            frozen: Cell::new(false),
        })
    }

    fn locals(&self) -> Option<&Locals> {
        match &self.of {
            ScopeOf::Function(code) => Some(&code.locals),
            ScopeOf::Class(locals) => Some(locals),
            ScopeOf::Comprehension => None,
        }
    }

    /// What a name means in code of this scope.
    pub fn find(&self, name: &str) -> Found {
        let mut scope = self;
        let mut inner = true;
        loop {
            let class = matches!(scope.of, ScopeOf::Class(_));
            if inner || !class {
                if let Some(value) = scope.vars.borrow().get(name) {
                    return Found::Value(value.clone());
                }
                let locals = scope.locals();
                if locals.is_some_and(|l| l.global.contains(name)) {
                    return Found::Global;
                }
                // A class body falls back to the names around it, a function does not.
                if !class && locals.is_some_and(|l| l.bound.contains(name)) {
                    return Found::Unbound;
                }
            }
            inner = inner && matches!(scope.of, ScopeOf::Comprehension);
            match &scope.parent {
                Some(parent) => scope = parent,
                None => return Found::Global,
            }
        }
    }

    /// The scope in which an assignment of code of this scope binds the name; `None` for the module.
    pub fn target(self: &Rc<Scope>, name: &str) -> Option<Rc<Scope>> {
        let mut scope = self.clone();
        // An assignment expression in a comprehension binds outside of it.
        while matches!(scope.of, ScopeOf::Comprehension) {
            scope = scope.parent.clone()?;
        }
        let locals = scope.locals();
        if locals.is_some_and(|l| l.global.contains(name)) {
            return None;
        }
        if locals.is_some_and(|l| l.nonlocal.contains(name)) {
            let mut outer = scope.parent.clone();
            while let Some(candidate) = outer {
                let binds = candidate.locals().is_some_and(|l| l.bound.contains(name));
                if binds && !matches!(candidate.of, ScopeOf::Class(_)) {
                    return Some(candidate);
                }
                outer = candidate.parent.clone();
            }
        }
        Some(scope)
    }
}
