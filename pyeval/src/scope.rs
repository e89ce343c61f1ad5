//! What names mean in functions, classes and comprehensions, and where an assignment binds them.

use crate::code::Locals;
use crate::error::Exception::UnboundLocalError;
use crate::error::raise;
use crate::value::{Result, Scope, ScopeOf, Value};
use diagnostics::Span;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// What a scope knows about a name.
pub enum Found {
    /// Its value.
    Value(Value),
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

    /// The value of a name in code of this scope, an error if it has none yet; `None`: it is none of a function or class.
    pub fn variable(&self, name: &str, span: Span) -> Option<Result<Value>> {
        match self.find(name) {
            Found::Value(value) => Some(Ok(value)),
            Found::Unbound => {
                let message = format!("the variable '{name}' has no value yet");
                Some(raise(UnboundLocalError, span, message))
            }
            Found::Global => None,
        }
    }

    /// What code of functions that are defined in this scope sees of it: of a class nothing.
    pub fn around_functions(self: &Rc<Scope>) -> Option<Rc<Scope>> {
        match self.of {
            ScopeOf::Class(_) => self.parent.as_ref()?.around_functions(),
            ScopeOf::Function(_) | ScopeOf::Comprehension => Some(self.clone()),
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
