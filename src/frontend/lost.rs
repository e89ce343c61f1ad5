//! What a statement of a module may have changed that could not be executed: the names that it would have bound, and what it
//! may have changed in place.
//!
//! A call may change whatever is passed to it, unless it is known not to; what a function of the program changes is what
//! its statements do.

use super::scan;
use indexmap::IndexMap;
use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Expr, ExprCall, Stmt, StmtFunctionDef};
use ruff_text_size::{Ranged, TextRange};
use std::collections::BTreeSet;

/// Functions and modules that leave alone what is passed to them.
const HARMLESS: [&str; 22] = [
    "assert_",
    "breakpoint",
    "display",
    "format",
    "hash",
    "id",
    "isinstance",
    "json",
    "len",
    "logging",
    "matplotlib",
    "plt",
    "pprint",
    "print",
    "pytest",
    "repr",
    "static_assert",
    "str",
    "sys",
    "time",
    "unittest",
    "warnings",
];

/// Parts of numpy that leave alone what is passed to them.
const HARMLESS_IN_NUMPY: [&str; 4] = ["testing", "save", "savetxt", "savez"];

/// Methods that change what they are called on, wherever their result goes.
const CHANGING: [&str; 4] = ["pop", "popitem", "popleft", "setdefault"];

/// Names with their first places, in order.
pub type Places = IndexMap<String, TextRange>;

/// What a statement would have bound, and what it may have changed in place: variables of the module, of which some may hold
/// what does not change. `functions`: the definitions of a name.
pub struct Lost<'f, 'a> {
    pub bound: Places,
    pub changed: Places,
    /// Those of them of which an attribute is assigned.
    pub assigned: BTreeSet<String>,
    functions: &'f dyn Fn(&str) -> Vec<&'a StmtFunctionDef>,
    /// Those that are being looked at, or were.
    seen: BTreeSet<String>,
}

impl<'f, 'a> Lost<'f, 'a> {
    /// What a statement loses.
    pub fn of(
        stmt: &Stmt,
        functions: &'f dyn Fn(&str) -> Vec<&'a StmtFunctionDef>,
    ) -> Lost<'f, 'a> {
        let mut lost = Lost {
            bound: scan::bound_names(stmt).into_iter().collect(),
            changed: Places::new(),
            assigned: BTreeSet::new(),
            functions,
            seen: BTreeSet::new(),
        };
        lost.visit_stmt(stmt);
        lost
    }

    /// Every variable in an expression may be what is changed in place.
    fn change(&mut self, expr: &Expr) {
        for name in scan::names_in(expr) {
            self.changed.entry(name).or_insert(expr.range());
        }
    }

    fn target(&mut self, target: &Expr) {
        match target {
            Expr::Attribute(part) => {
                self.change(target);
                self.assigned.extend(scan::names_in(&part.value));
            }
            Expr::Subscript(_) => self.change(target),
            Expr::Tuple(t) => t.elts.iter().for_each(|e| self.target(e)),
            Expr::List(t) => t.elts.iter().for_each(|e| self.target(e)),
            _ => {}
        }
    }

    /// What a call changes whose result is not needed, for which it is made.
    fn effects(&mut self, call: &ExprCall) {
        if is_harmless(&call.func) {
            return;
        }
        if let Expr::Attribute(method) = &*call.func {
            self.change(&method.value);
        }
        let named = call.arguments.keywords.iter().map(|k| &k.value);
        call.arguments
            .args
            .iter()
            .chain(named)
            .for_each(|arg| self.change(arg));
    }

    /// What the functions of a name change: their arguments, and variables of the module.
    fn called(&mut self, call: &ExprCall) {
        let name = match &*call.func {
            Expr::Name(name) => name.id.as_str(),
            Expr::Attribute(method) => method.attr.id.as_str(),
            _ => return,
        };
        if !self.seen.insert(name.to_owned()) {
            return;
        }
        for function in (self.functions)(name) {
            self.body(function, call);
        }
    }

    fn body(&mut self, function: &StmtFunctionDef, call: &ExprCall) {
        let mut inner = Lost {
            bound: Places::new(),
            changed: Places::new(),
            assigned: BTreeSet::new(),
            functions: self.functions,
            seen: std::mem::take(&mut self.seen),
        };
        inner.visit_body(&function.body);
        self.seen = inner.seen;
        let mut globals = Globals::default();
        globals.visit_body(&function.body);
        let own = scan::assigned_names(&function.body);
        let params: Vec<&str> = function
            .parameters
            .iter()
            .map(|p| p.name().as_str())
            .collect();
        for name in &globals.0 {
            self.bound.entry(name.clone()).or_insert(call.range());
        }
        let mut passed = false;
        for name in inner.changed.keys() {
            let is_param = params.contains(&name.as_str());
            passed |= is_param;
            if !is_param && (globals.0.contains(name) || !own.contains_key(name)) {
                self.changed.entry(name.clone()).or_insert(call.range());
            }
        }
        if passed {
            self.effects(call);
        }
    }
}

impl Visitor<'_> for Lost<'_, '_> {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        match stmt {
            // They are not executed here.
            Stmt::FunctionDef(_) => return,
            Stmt::Assign(s) => s.targets.iter().for_each(|t| self.target(t)),
            Stmt::AugAssign(s) => {
                self.change(&s.target);
                self.target(&s.target);
            }
            Stmt::AnnAssign(s) => self.target(&s.target),
            Stmt::Delete(s) => s.targets.iter().for_each(|t| self.target(t)),
            Stmt::For(s) => self.target(&s.target),
            Stmt::Expr(s) => {
                if let Expr::Call(call) = &*s.value {
                    self.effects(call);
                }
            }
            _ => {}
        }
        visitor::walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Lambda(_) => return,
            Expr::Named(named) => {
                if let Expr::Name(name) = &*named.target {
                    let name = name.id.to_string();
                    self.bound.entry(name).or_insert(named.range);
                }
            }
            Expr::Call(call) => {
                let out = call.arguments.find_keyword("out");
                out.into_iter().for_each(|out| self.change(&out.value));
                if let Expr::Attribute(method) = &*call.func
                    && CHANGING.contains(&method.attr.id.as_str())
                {
                    self.change(&method.value);
                }
                self.called(call);
            }
            _ => {}
        }
        visitor::walk_expr(self, expr);
    }
}

/// Names of `global` statements.
#[derive(Default)]
struct Globals(BTreeSet<String>);

impl Visitor<'_> for Globals {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        if let Stmt::Global(s) = stmt {
            self.0
                .extend(s.names.iter().map(|name| name.id.to_string()));
        }
        visitor::walk_stmt(self, stmt);
    }
}

/// Whether a function is known to leave alone what is passed to it.
fn is_harmless(function: &Expr) -> bool {
    match function {
        Expr::Name(name) => HARMLESS.contains(&name.id.as_str()),
        Expr::Attribute(part) => {
            let is_numpys = HARMLESS_IN_NUMPY.contains(&part.attr.id.as_str());
            let within = matches!(&*part.value, Expr::Name(module) if ["np", "numpy"].contains(&module.id.as_str()));
            (is_numpys && within) || is_harmless(&part.value)
        }
        _ => false,
    }
}
