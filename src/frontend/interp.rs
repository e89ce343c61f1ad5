//! Statements run at compile time: function bodies, and loops at module level.

use super::codes;
use super::consteval::{ConstArgs, Names, eval};
use super::error::{Result, fail};
use super::operators;
use super::session::Session;
use super::source::span_of;
use super::values::{ConstValue, Function};
use crate::diagnostics::{FileId, Span};
use indexmap::IndexMap;
use num_traits::{Signed, ToPrimitive};
use ruff_python_ast::{self as ast, Expr, Stmt};
use ruff_text_size::{Ranged, TextRange};

/// Deepest nesting of compile-time calls.
const MAX_CALLS: usize = 100;
/// Most steps of all compile-time computation.
pub const MAX_STEPS: u64 = 2_000_000;

/// Names that statements may assign.
pub trait Env: Names {
    /// Binds a name.
    fn assign(&mut self, name: &str, value: ConstValue);
    /// As names.
    fn names(&mut self) -> &mut dyn Names;
}

/// How a statement ended.
pub enum Flow {
    /// At its end.
    Next,
    /// By `return`.
    Return(ConstValue),
    /// By `break`.
    Break,
    /// By `continue`.
    Continue,
}

/// Runs statements.
pub fn exec(stmts: &[Stmt], env: &mut dyn Env) -> Result<Flow> {
    for stmt in stmts {
        match exec_one(stmt, env)? {
            Flow::Next => {}
            other => return Ok(other),
        }
    }
    Ok(Flow::Next)
}

/// Runs one statement.
pub fn exec_one(stmt: &Stmt, env: &mut dyn Env) -> Result<Flow> {
    let span = env.span(stmt.range());
    env.tick(span, 1)?;
    match stmt {
        Stmt::Pass(_) => {}
        Stmt::Break(_) => return Ok(Flow::Break),
        Stmt::Continue(_) => return Ok(Flow::Continue),
        Stmt::Return(s) => {
            return Ok(Flow::Return(match &s.value {
                Some(value) => eval(value, env.names())?,
                None => ConstValue::None,
            }));
        }
        Stmt::Expr(s) => expression(&s.value, env)?,
        Stmt::Assign(s) => {
            let value = eval(&s.value, env.names())?;
            for target in &s.targets {
                assign(target, &value, env)?;
            }
        }
        Stmt::AnnAssign(s) => {
            if let Some(value) = &s.value {
                let value = eval(value, env.names())?;
                assign(&s.target, &value, env)?;
            }
        }
        Stmt::AugAssign(s) => {
            let args = [eval(&s.target, env.names())?, eval(&s.value, env.names())?];
            let folded = operators::of_binary(s.op).map(|op| (op.fold)(&args));
            match folded {
                Some(Ok(Some(value))) => assign(&s.target, &value, env)?,
                Some(Err(message)) => return fail(codes::CONST_EVAL, span, message),
                _ => return fail(codes::CONST_EVAL, span, "unsupported augmented assignment"),
            }
        }
        Stmt::If(s) => return branch(s, env),
        Stmt::For(s) => return for_loop(s, env),
        Stmt::While(s) => return while_loop(s, env),
        Stmt::Assert(s) => {
            if !truth(&s.test, env)? {
                return fail(codes::ASSERTION, span, "assertion failed at compile time");
            }
        }
        _ => {
            return fail(
                codes::STATEMENT,
                span,
                "the statement is not executed at compile time",
            );
        }
    }
    Ok(Flow::Next)
}

fn truth(expr: &Expr, env: &mut dyn Env) -> Result<bool> {
    let value = eval(expr, env.names())?;
    match value.truth() {
        Some(truth) => Ok(truth),
        None => fail(
            codes::CONST_EVAL,
            env.span(expr.range()),
            format!("{} has no truth value", value.kind()),
        ),
    }
}

/// An expression statement: `list.append(x)` on a name, or anything evaluated for its errors.
fn expression(expr: &Expr, env: &mut dyn Env) -> Result<()> {
    if let Expr::Call(call) = expr
        && let (Expr::Attribute(method), [arg]) = (&*call.func, &*call.arguments.args)
        && let ("append", Expr::Name(name)) = (method.attr.id.as_str(), &*method.value)
        && let ConstValue::List(items) = eval(&method.value, env.names())?
    {
        let value = eval(arg, env.names())?;
        env.tick(env.span(expr.range()), items.len() as u64 / 8)?;
        let items = items.iter().cloned().chain([value]).collect();
        env.assign(&name.id, ConstValue::List(items));
        return Ok(());
    }
    eval(expr, env.names()).map(|_| ())
}

fn assign(target: &Expr, value: &ConstValue, env: &mut dyn Env) -> Result<()> {
    let span = env.span(target.range());
    match (target, value) {
        (Expr::Name(name), _) => {
            env.assign(&name.id, value.clone());
            Ok(())
        }
        (
            Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. }),
            ConstValue::Tuple(items) | ConstValue::List(items),
        ) => {
            if elts.len() != items.len() {
                let message = format!("{} targets, but {} values", elts.len(), items.len());
                return fail(codes::UNPACK, span, message);
            }
            elts.iter()
                .zip(items.iter())
                .try_for_each(|(t, v)| assign(t, v, env))
        }
        (Expr::Subscript(s), _) => {
            let index = eval(&s.slice, env.names())?;
            let ConstValue::List(items) = eval(&s.value, env.names())? else {
                return fail(
                    codes::TARGET,
                    span,
                    "only an element of a list can be assigned",
                );
            };
            let at = index
                .as_int()
                .map(|i| if i.is_negative() { i + items.len() } else { i });
            let at = at.and_then(|i| i.to_usize()).filter(|i| *i < items.len());
            let Some(at) = at else {
                return fail(codes::INDEX_RANGE, span, "the index is out of range");
            };
            let mut items = items.to_vec();
            items[at] = value.clone();
            assign(&s.value, &ConstValue::List(items.into()), env)
        }
        _ => fail(
            codes::TARGET,
            span,
            "the target cannot be assigned at compile time",
        ),
    }
}

fn branch(s: &ast::StmtIf, env: &mut dyn Env) -> Result<Flow> {
    if truth(&s.test, env)? {
        return exec(&s.body, env);
    }
    for clause in &s.elif_else_clauses {
        let chosen = match &clause.test {
            Some(test) => truth(test, env)?,
            None => true,
        };
        if chosen {
            return exec(&clause.body, env);
        }
    }
    Ok(Flow::Next)
}

fn for_loop(s: &ast::StmtFor, env: &mut dyn Env) -> Result<Flow> {
    let iterable = eval(&s.iter, env.names())?;
    let (ConstValue::List(items) | ConstValue::Tuple(items)) = &iterable else {
        return fail(
            codes::CONST_EVAL,
            env.span(s.iter.range()),
            format!("cannot iterate over {}", iterable.kind()),
        );
    };
    for item in items.iter() {
        env.tick(env.span(s.range), 1)?;
        assign(&s.target, item, env)?;
        match exec(&s.body, env)? {
            Flow::Next | Flow::Continue => {}
            Flow::Break => return Ok(Flow::Next),
            returned @ Flow::Return(_) => return Ok(returned),
        }
    }
    exec(&s.orelse, env)
}

fn while_loop(s: &ast::StmtWhile, env: &mut dyn Env) -> Result<Flow> {
    while truth(&s.test, env)? {
        env.tick(env.span(s.range), 1)?;
        match exec(&s.body, env)? {
            Flow::Next | Flow::Continue => {}
            Flow::Break => return Ok(Flow::Next),
            returned @ Flow::Return(_) => return Ok(returned),
        }
    }
    exec(&s.orelse, env)
}

/// The locals of a running function.
struct Frame<'s, 'a> {
    session: &'s mut Session<'a>,
    file: FileId,
    module: usize,
    locals: IndexMap<String, ConstValue>,
}

impl Names for Frame<'_, '_> {
    fn lookup(&mut self, name: &str, span: Span) -> Result<ConstValue> {
        if let Some(value) = self.locals.get(name) {
            return Ok(value.clone());
        }
        match self.session.global(self.module, name, span) {
            Some(found) => found,
            None => {
                let locals = self.locals.keys().map(String::as_str);
                Err(self.session.undefined(self.module, name, span, locals))
            }
        }
    }
    fn span(&self, range: TextRange) -> Span {
        span_of(self.file, range)
    }
    fn file_text(&self) -> &str {
        &self.session.sources.file(self.file).text
    }
    fn new_template(&mut self, name: &str) -> usize {
        self.session.new_template(name)
    }
    fn tick(&mut self, span: Span, cost: u64) -> Result<()> {
        self.session.tick(span, cost)
    }
    fn call_function(&mut self, f: &Function, args: &ConstArgs) -> Result<ConstValue> {
        call(self.session, f, args)
    }
}

impl Env for Frame<'_, '_> {
    fn assign(&mut self, name: &str, value: ConstValue) {
        self.locals.insert(name.to_owned(), value);
    }
    fn names(&mut self) -> &mut dyn Names {
        self
    }
}

/// Calls a Python function at compile time.
pub fn call(session: &mut Session<'_>, f: &Function, args: &ConstArgs) -> Result<ConstValue> {
    if session.calls >= MAX_CALLS {
        return fail(
            codes::LIMIT,
            args.span,
            "compile-time calls are nested too deeply",
        );
    }
    session.calls += 1;
    let result = run(session, f, args);
    session.calls -= 1;
    result
}

fn run(session: &mut Session<'_>, f: &Function, args: &ConstArgs) -> Result<ConstValue> {
    let mut frame = Frame {
        session,
        file: f.file,
        module: f.module,
        locals: IndexMap::new(),
    };
    bind_arguments(f, args, &mut frame)?;
    match exec(&f.ast.body, &mut frame)? {
        Flow::Return(value) => Ok(value),
        _ => Ok(ConstValue::None),
    }
}

fn bind_arguments(f: &Function, args: &ConstArgs, frame: &mut Frame) -> Result<()> {
    let params = &f.ast.parameters;
    let name = &f.ast.name.id;
    if params.vararg.is_some() || params.kwarg.is_some() {
        let message =
            format!("'{name}' takes a variable number of arguments, which is not supported");
        return fail(codes::ARGUMENTS, args.span, message);
    }
    let count = params.iter_non_variadic_params().count();
    let unknown = args.named.iter().find(|(n, _)| {
        !params
            .iter_non_variadic_params()
            .any(|p| *p.parameter.name.id == **n)
    });
    if args.positional.len() > count || unknown.is_some() {
        return fail(
            codes::ARGUMENTS,
            args.span,
            format!("the arguments do not fit '{name}'"),
        );
    }
    for (i, param) in params.iter_non_variadic_params().enumerate() {
        let own = param.parameter.name.id.as_str();
        let value = match (args.get(i, own), &param.default) {
            (Some(value), _) => value.clone(),
            (None, Some(default)) => eval(default, frame)?,
            (None, None) => {
                let message = format!("'{name}' needs an argument for '{own}'");
                return fail(codes::ARGUMENTS, args.span, message);
            }
        };
        frame.locals.insert(own.to_owned(), value);
    }
    Ok(())
}
