//! Module level: statements evaluated in order at compile time, forgiving what it cannot run.

use super::codes;
use super::consteval::{ConstArgs, Names, eval};
use super::error::{Failure, Result, fail};
use super::interp::{self, Env};
use super::scan;
use super::session::{Binding, KernelDef, Session};
use super::source::span_of;
use super::surface::{self, Builtin, Namespace};
use super::types;
use super::values::{ConstValue, Function, KernelRef, Options};
use crate::diagnostics::{FileId, Span};
use ruff_python_ast::{self as ast, Expr, Stmt};
use ruff_text_size::{Ranged, TextRange};
use std::rc::Rc;

/// What the text of `--top` is called in messages.
pub const COMMAND_LINE: &str = "--top";

/// Evaluates the statements of a file as module number `module`.
pub fn evaluate<'a>(session: &mut Session<'a>, module: usize, file: FileId, body: &'a [Stmt]) {
    let mut evaluator = Evaluator::new(session, module, file);
    evaluator.bind("__name__", ConstValue::str("kernel_file"));
    evaluator.block(body);
}

/// Evaluation of statements and expressions with the names of a module.
pub struct Evaluator<'s, 'a> {
    session: &'s mut Session<'a>,
    module: usize,
    file: FileId,
}

impl Names for Evaluator<'_, '_> {
    fn lookup(&mut self, name: &str, span: Span) -> Result<ConstValue> {
        match self.session.global(self.module, name, span) {
            Some(found) => found,
            None => self.command_line_type(name).ok_or_else(|| {
                self.session
                    .undefined(self.module, name, span, std::iter::empty())
            }),
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
        interp::call(self.session, f, args)
    }
}

impl Env for Evaluator<'_, '_> {
    fn assign(&mut self, name: &str, value: ConstValue) {
        self.bind(name, value);
    }
    fn names(&mut self) -> &mut dyn Names {
        self
    }
}

impl<'s, 'a> Evaluator<'s, 'a> {
    /// For text of `file` that sees the globals of `module`.
    pub fn new(session: &'s mut Session<'a>, module: usize, file: FileId) -> Self {
        Evaluator {
            session,
            module,
            file,
        }
    }

    /// A type in the text of `--top`: the command line imports nothing, and still says `fill[i32, 4]`.
    fn command_line_type(&self, name: &str) -> Option<ConstValue> {
        let on_command_line = self.session.sources.file(self.file).name == COMMAND_LINE;
        types::scalar_named(name)
            .filter(|_| on_command_line)
            .map(ConstValue::Type)
    }

    fn bind(&mut self, name: &str, value: ConstValue) {
        self.set(name, Binding::Value(value));
    }

    fn set(&mut self, name: &str, binding: Binding) {
        self.session.modules[self.module]
            .globals
            .insert(name.to_owned(), binding);
    }

    fn block(&mut self, stmts: &'a [Stmt]) {
        for stmt in stmts {
            if let Err(failure) = self.statement(stmt) {
                self.forgive(stmt, failure);
            }
        }
    }

    /// Poisons what a statement would have bound; only exceeded bounds and failed assertions are
    /// errors at once.
    fn forgive(&mut self, stmt: &Stmt, failure: Failure) {
        let reason = match failure {
            Failure::Reported => String::new(),
            Failure::Diagnostic(d)
                if matches!(d.code, codes::LIMIT | codes::ASSERTION | codes::NESTING) =>
            {
                self.session.report(Failure::Diagnostic(d));
                String::new()
            }
            Failure::Diagnostic(d) => d.message,
        };
        for (name, range) in scan::bound_names(stmt) {
            let span = self.span(range);
            let reason = reason.clone();
            self.set(&name, Binding::Poisoned { reason, span });
        }
    }

    fn statement(&mut self, stmt: &'a Stmt) -> Result<()> {
        match stmt {
            Stmt::Import(s) => {
                s.names.iter().for_each(|alias| self.import(alias));
                Ok(())
            }
            Stmt::ImportFrom(s) => {
                self.import_from(s);
                Ok(())
            }
            Stmt::FunctionDef(f) => self.function(f),
            Stmt::If(s) => self.branch(s),
            other => interp::exec_one(other, self).map(|_| ()),
        }
    }

    fn import(&mut self, alias: &ast::Alias) {
        let dotted = alias.name.id.as_str();
        let span = self.span(alias.range);
        let bound = match &alias.asname {
            Some(name) => name.id.as_str(),
            None => dotted.split('.').next().unwrap_or(dotted),
        };
        let target = if alias.asname.is_some() {
            dotted
        } else {
            bound
        };
        let binding = match (surface::module(dotted), surface::module(target)) {
            (Some(_), Some(space)) => Binding::Value(ConstValue::Namespace(space)),
            _ => unavailable(dotted, span),
        };
        self.set(bound, binding);
    }

    fn import_from(&mut self, s: &ast::StmtImportFrom) {
        let dotted = s.module.as_ref().map_or("", |m| m.id.as_str());
        let space = if s.level == 0 {
            surface::module(dotted)
        } else {
            None
        };
        for alias in &s.names {
            let span = self.span(alias.range);
            let name = alias.name.id.as_str();
            let bound = alias.asname.as_ref().map_or(name, |n| n.id.as_str());
            let shown = format!("{}{dotted}", ".".repeat(s.level as usize));
            let binding = match space {
                None => unavailable(&shown, span),
                Some(space) if name == "*" => {
                    self.import_all(space);
                    continue;
                }
                Some(space) => match surface::member(space, name) {
                    Some(value) => Binding::Value(value),
                    None => Binding::Poisoned {
                        reason: format!("module '{dotted}' has no name '{name}'"),
                        span,
                    },
                },
            };
            self.set(bound, binding);
        }
    }

    fn import_all(&mut self, space: Namespace) {
        for name in surface::exported(space) {
            if let Some(value) = surface::member(space, &name) {
                self.bind(&name, value);
            }
        }
    }

    fn branch(&mut self, s: &'a ast::StmtIf) -> Result<()> {
        let mut clauses = vec![(Some(&*s.test), &s.body[..])];
        clauses.extend(
            s.elif_else_clauses
                .iter()
                .map(|c| (c.test.as_ref(), &c.body[..])),
        );
        for (test, body) in clauses {
            let chosen = match test {
                None => true,
                Some(test) => eval(test, self)?.truth().unwrap_or(false),
            };
            if chosen {
                self.block(body);
                return Ok(());
            }
        }
        Ok(())
    }

    fn function(&mut self, f: &'a ast::StmtFunctionDef) -> Result<()> {
        match kernel_decorator(f, self) {
            Ok(Some(decorator)) => {
                let def = add_def(self.session, f, self.file, self.module, decorator, None);
                self.bind(&f.name.id, ConstValue::Kernel(def));
                Ok(())
            }
            Ok(None) => self.python_function(f),
            Err(failure) => {
                self.session.report(failure);
                Err(Failure::Reported)
            }
        }
    }

    /// A function without decorator, or with `@consteval`.
    fn python_function(&mut self, f: &ast::StmtFunctionDef) -> Result<()> {
        let consteval = match &f.decorator_list[..] {
            [] => false,
            [single] => {
                let decorator = eval(&single.expression, self)?;
                if !matches!(decorator, ConstValue::Builtin(Builtin::Consteval)) {
                    let span = self.span(single.range);
                    return fail(codes::DECORATOR, span, "its decorator is not supported");
                }
                true
            }
            [_, second, ..] => {
                let span = self.span(second.range);
                return fail(codes::DECORATOR, span, "it has several decorators");
            }
        };
        let function = Function {
            ast: f.clone(),
            file: self.file,
            module: self.module,
            consteval,
        };
        self.bind(&f.name.id, ConstValue::Function(Rc::new(function)));
        Ok(())
    }
}

fn unavailable(module: &str, span: Span) -> Binding {
    Binding::Poisoned {
        reason: format!("module '{module}' is not available at compile time"),
        span,
    }
}

/// What a kernel's decorator says.
#[derive(Default)]
pub struct Decorator {
    /// Options, if given.
    pub options: Option<Options>,
    /// Templates.
    pub templates: Vec<usize>,
}

/// The kernel decorator of a function; `None` if it is not a kernel.
pub fn kernel_decorator(
    f: &ast::StmtFunctionDef,
    names: &mut dyn Names,
) -> Result<Option<Decorator>> {
    let mut found = None;
    for decorator in &f.decorator_list {
        let span = names.span(decorator.range);
        let (callee, call) = match &decorator.expression {
            Expr::Call(call) => (&*call.func, Some(call)),
            other => (other, None),
        };
        let is_kernel = matches!(
            eval(callee, names),
            Ok(ConstValue::Builtin(Builtin::Kernel))
        );
        if !is_kernel {
            continue;
        }
        if found.is_some() || f.decorator_list.len() > 1 {
            return fail(codes::DECORATOR, span, "a kernel has exactly one decorator");
        }
        found = Some(match call {
            None => Decorator::default(),
            Some(call) => decorator_call(call, names)?,
        });
    }
    if found.is_some() && f.is_async {
        return fail(
            codes::DECORATOR,
            names.span(f.name.range),
            "a kernel cannot be async",
        );
    }
    Ok(found)
}

fn decorator_call(call: &ast::ExprCall, names: &mut dyn Names) -> Result<Decorator> {
    let mut result = Decorator::default();
    for arg in &call.arguments.args {
        let span = names.span(arg.range());
        match eval(arg, names)? {
            ConstValue::Template(id) => result.templates.push(id),
            other => {
                return fail(
                    codes::DECORATOR,
                    span,
                    format!("@kernel takes templates, not {}", other.kind()),
                );
            }
        }
    }
    for keyword in &call.arguments.keywords {
        let span = names.span(keyword.range());
        match (
            keyword.arg.as_ref().map(|n| n.id.as_str()),
            eval(&keyword.value, names)?,
        ) {
            (Some("options"), ConstValue::Options(options)) => result.options = Some(options),
            (Some("options"), _) => {
                return fail(
                    codes::DECORATOR,
                    span,
                    "options= takes a KernelOptions(...)",
                );
            }
            (name, _) => {
                let name = name.unwrap_or("**");
                return fail(
                    codes::DECORATOR,
                    span,
                    format!("@kernel has no parameter '{name}'"),
                );
            }
        }
    }
    Ok(result)
}

/// Registers a kernel definition.
pub fn add_def<'a>(
    session: &mut Session<'a>,
    f: &'a ast::StmtFunctionDef,
    file: FileId,
    module: usize,
    decorator: Decorator,
    outer: Option<(Options, super::session::Bindings, usize)>,
) -> KernelRef {
    let (inherited, bindings, env) = match outer {
        Some((options, bindings, env)) => (options, bindings, Some(env)),
        None => (Options::default(), Rc::from([]), None),
    };
    session.defs.push(KernelDef {
        ast: f,
        file,
        module,
        options: decorator.options.unwrap_or(inherited),
        templates: decorator.templates,
        outer: bindings,
        env,
    });
    KernelRef {
        def: session.defs.len() - 1,
        bindings: Rc::from([]),
    }
}
