//! Syntactic questions about statements: which names they assign, where they return.

use indexmap::IndexMap;
use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{ExceptHandler, Expr, Stmt, StmtFunctionDef, StmtIf};
use ruff_text_size::{Ranged, TextRange};

/// Names that the statements may rebind in the scope around them, with the first place, in order.
/// Loop variables are left out of their own loop's body.
pub fn assigned_names(stmts: &[Stmt]) -> IndexMap<String, TextRange> {
    let mut names = IndexMap::new();
    for stmt in stmts {
        assigned_by(stmt, &mut names);
    }
    names
}

fn assigned_by(stmt: &Stmt, names: &mut IndexMap<String, TextRange>) {
    match stmt {
        Stmt::Assign(s) => s.targets.iter().for_each(|t| target(t, names)),
        Stmt::AugAssign(s) => target(&s.target, names),
        Stmt::AnnAssign(s) => target(&s.target, names),
        Stmt::For(s) => {
            let mut own = IndexMap::new();
            target(&s.target, &mut own);
            for (name, range) in assigned_names(&s.body) {
                if !own.contains_key(&name) {
                    names.entry(name).or_insert(range);
                }
            }
        }
        other => children(other)
            .into_iter()
            .flatten()
            .for_each(|s| assigned_by(s, names)),
    }
}

fn target(expr: &Expr, names: &mut IndexMap<String, TextRange>) {
    match expr {
        Expr::Name(name) => {
            names.entry(name.id.to_string()).or_insert(name.range);
        }
        Expr::Subscript(s) => target(&s.value, names),
        Expr::Tuple(t) => t.elts.iter().for_each(|e| target(e, names)),
        Expr::List(t) => t.elts.iter().for_each(|e| target(e, names)),
        Expr::Starred(s) => target(&s.value, names),
        _ => {}
    }
}

/// The statement lists inside a statement, not those of nested functions.
pub fn children(stmt: &Stmt) -> Vec<&[Stmt]> {
    match stmt {
        Stmt::For(s) => vec![&s.body, &s.orelse],
        Stmt::While(s) => vec![&s.body, &s.orelse],
        Stmt::If(s) => branches(s),
        Stmt::With(s) => vec![&s.body],
        Stmt::Match(s) => s.cases.iter().map(|c| &c.body[..]).collect(),
        Stmt::Try(s) => {
            let handlers = s.handlers.iter().map(|handler| {
                let ExceptHandler::ExceptHandler(handler) = handler;
                &handler.body[..]
            });
            let others = [&s.body[..], &s.orelse, &s.finalbody];
            others.into_iter().chain(handlers).collect()
        }
        _ => vec![],
    }
}

fn branches(s: &StmtIf) -> Vec<&[Stmt]> {
    std::iter::once(&s.body[..])
        .chain(s.elif_else_clauses.iter().map(|c| &c.body[..]))
        .collect()
}

/// Every return statement among the statements and in the blocks nested in them.
pub fn returns<'a>(stmts: &'a [Stmt], found: &mut Vec<&'a ruff_python_ast::StmtReturn>) {
    for stmt in stmts {
        if let Stmt::Return(r) = stmt {
            found.push(r);
        }
        children(stmt).into_iter().for_each(|s| returns(s, found));
    }
}

/// Whether the statements hold a return at any depth.
pub fn has_return(stmts: &[Stmt]) -> bool {
    let mut found = Vec::new();
    returns(stmts, &mut found);
    !found.is_empty()
}

/// Names bound by a statement at module level, functions and imports included.
pub fn bound_names(stmt: &Stmt) -> Vec<(String, TextRange)> {
    match stmt {
        Stmt::FunctionDef(f) => vec![(f.name.id.to_string(), f.name.range)],
        Stmt::ClassDef(c) => vec![(c.name.id.to_string(), c.name.range)],
        Stmt::Import(i) => i.names.iter().map(import_binding).collect(),
        Stmt::ImportFrom(i) => i.names.iter().map(import_binding).collect(),
        Stmt::Try(_) | Stmt::With(_) | Stmt::If(_) | Stmt::For(_) | Stmt::While(_) => {
            let own = match stmt {
                Stmt::For(s) => assigned_names_of_target(&s.target),
                Stmt::With(s) => s
                    .items
                    .iter()
                    .filter_map(|i| i.optional_vars.as_deref())
                    .flat_map(assigned_names_of_target)
                    .collect(),
                _ => vec![],
            };
            let nested = children(stmt).into_iter().flatten().flat_map(bound_names);
            own.into_iter().chain(nested).collect()
        }
        other => assigned_names(std::slice::from_ref(other))
            .into_iter()
            .collect(),
    }
}

fn assigned_names_of_target(expr: &Expr) -> Vec<(String, TextRange)> {
    let mut names = IndexMap::new();
    target(expr, &mut names);
    names.into_iter().collect()
}

fn import_binding(alias: &ruff_python_ast::Alias) -> (String, TextRange) {
    (pyeval::bound_by(alias).to_owned(), alias.range())
}

/// Every name that a statement reads, in the functions inside of it, too.
pub fn names_read(stmt: &Stmt) -> Vec<String> {
    let mut reads = Reads(Vec::new());
    reads.visit_stmt(stmt);
    reads.0
}

/// Every name in an expression.
pub fn names_in(expr: &Expr) -> Vec<String> {
    let mut reads = Reads(Vec::new());
    reads.visit_expr(expr);
    reads.0
}

struct Reads(Vec<String>);

impl Visitor<'_> for Reads {
    fn visit_expr(&mut self, expr: &Expr) {
        if let Expr::Name(name) = expr {
            self.0.push(name.id.to_string());
        }
        visitor::walk_expr(self, expr);
    }
}

/// All definitions of functions among the statements, those inside of one another and of classes, too.
pub fn functions(stmts: &[Stmt]) -> Vec<&StmtFunctionDef> {
    let mut functions = Functions(Vec::new());
    functions.visit_body(stmts);
    functions.0
}

struct Functions<'a>(Vec<&'a StmtFunctionDef>);

impl<'a> Visitor<'a> for Functions<'a> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        if let Stmt::FunctionDef(f) = stmt {
            self.0.push(f);
        }
        visitor::walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, _expr: &'a Expr) {}
}
