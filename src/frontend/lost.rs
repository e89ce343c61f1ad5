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
use std::collections::{BTreeMap, BTreeSet};

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
/// what does not change.
pub struct Lost<'f, 'a> {
    pub bound: Places,
    pub changed: Places,
    /// Those of them of which an attribute is assigned.
    pub assigned: BTreeSet<String>,
    functions: Functions<'f, 'a>,
    /// By name what calls of functions change. Of one that is looked at now, so that it calls itself, all that it is passed.
    known: BTreeMap<String, Changes>,
}

/// The definitions of a name.
type Functions<'f, 'a> = &'f dyn Fn(&str) -> Vec<&'a StmtFunctionDef>;

/// What a call of a function changes.
#[derive(Clone, Default)]
struct Changes {
    /// Variables of the module that are bound anew.
    bound: BTreeSet<String>,
    /// Those that are changed in place.
    changed: BTreeSet<String>,
    assigned: BTreeSet<String>,
    /// Whether what is passed may be changed.
    passed: bool,
}

impl<'f, 'a> Lost<'f, 'a> {
    /// What a statement loses.
    pub fn of(stmt: &Stmt, functions: Functions<'f, 'a>) -> Lost<'f, 'a> {
        let mut lost = Lost::new(functions, BTreeMap::new());
        lost.bound.extend(scan::bound_names(stmt));
        lost.visit_stmt(stmt);
        lost
    }

    fn new(functions: Functions<'f, 'a>, known: BTreeMap<String, Changes>) -> Lost<'f, 'a> {
        Lost {
            bound: Places::new(),
            changed: Places::new(),
            assigned: BTreeSet::new(),
            functions,
            known,
        }
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
        let changes = self.changes(name);
        for name in changes.bound {
            self.bound.entry(name).or_insert(call.range());
        }
        for name in changes.changed {
            self.changed.entry(name).or_insert(call.range());
        }
        self.assigned.extend(changes.assigned);
        if changes.passed {
            self.effects(call);
        }
    }

    fn changes(&mut self, name: &str) -> Changes {
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        let itself = Changes {
            passed: true,
            ..Changes::default()
        };
        self.known.insert(name.to_owned(), itself);
        let mut changes = Changes::default();
        for function in (self.functions)(name) {
            self.add_body(function, &mut changes);
        }
        self.known.insert(name.to_owned(), changes.clone());
        changes
    }

    /// Adds what the body of a function changes.
    fn add_body(&mut self, function: &StmtFunctionDef, changes: &mut Changes) {
        let mut inner = Lost::new(self.functions, std::mem::take(&mut self.known));
        inner.visit_body(&function.body);
        self.known = inner.known;
        let mut globals = Globals::default();
        globals.visit_body(&function.body);
        let own = scan::assigned_names(&function.body);
        let params = function.parameters.iter().map(|p| p.name().as_str());
        let params: BTreeSet<&str> = params.collect();
        let is_param = |name: &String| params.contains(name.as_str());
        let is_local = |name: &String| is_param(name) || own.contains_key(name);
        let is_outside = |name: &String| globals.0.contains(name) || !is_local(name);
        changes.passed |= inner.changed.keys().any(is_param);
        changes
            .changed
            .extend(inner.changed.into_keys().filter(is_outside));
        changes
            .assigned
            .extend(inner.assigned.into_iter().filter(is_outside));
        changes.bound.extend(globals.0.iter().cloned());
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
