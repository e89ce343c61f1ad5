//! Module level: statements evaluated in order at compile time, forgiving what it cannot run.

use super::codes;
use super::consteval::{Names, eval};
use super::error::{Failure, Result, fail};
use super::interp::{self, Frame};
use super::scan;
use super::session::{Binding, KernelDef, Session};
use super::surface::Builtin;
use super::values::{ConstValue, KernelRef, Options};
use crate::diagnostics::{Diagnostic, FileId, suggest};
use ruff_python_ast::{self as ast, Expr, Stmt};
use ruff_text_size::Ranged;
use std::rc::Rc;

/// Evaluates the statements of a file as module number `module`.
pub fn evaluate<'a>(session: &mut Session<'a>, module: usize, file: FileId, body: &'a [Stmt]) {
    let mut evaluator = Evaluator {
        session,
        module,
        file,
    };
    evaluator.bind("__name__", ConstValue::str("kernel_file"));
    evaluator.block(body);
}

/// Evaluation of the statements of a module.
struct Evaluator<'s, 'a> {
    session: &'s mut Session<'a>,
    module: usize,
    file: FileId,
}

impl<'a> Evaluator<'_, 'a> {
    /// The module's names, as expressions see them.
    fn frame(&mut self) -> Frame<'_> {
        Frame::of_module(self.session, self.file, self.module)
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
                let reason = self.reason(failure);
                self.forgive(stmt, reason);
            }
        }
    }

    /// Why names have no value. Exceeded bounds, failed assertions and exceptions that the text
    /// raises are errors at once; the reason is then empty.
    fn reason(&mut self, failure: Failure) -> String {
        const AT_ONCE: [&str; 5] = [
            codes::LIMIT,
            codes::ASSERTION,
            codes::NESTING,
            codes::RAISED,
            codes::IMPORT,
        ];
        match failure.into_diagnostic() {
            None => String::new(),
            Some(d) if AT_ONCE.contains(&d.code) => {
                self.session.report(d.into());
                String::new()
            }
            Some(d) => d.message,
        }
    }

    /// Poisons what a statement would have bound.
    fn forgive(&mut self, stmt: &Stmt, reason: String) {
        for (name, range) in scan::bound_names(stmt) {
            let span = super::source::span_of(self.file, range);
            let reason = reason.clone();
            self.set(&name, Binding::Poisoned { reason, span });
        }
    }

    fn statement(&mut self, stmt: &'a Stmt) -> Result<()> {
        match stmt {
            Stmt::Import(_) | Stmt::ImportFrom(_) => {
                for (name, span, value) in interp::imports(stmt, &mut self.frame()) {
                    let binding = match value {
                        Ok(value) => Binding::Value(value),
                        Err(failure) => Binding::Poisoned {
                            reason: self.reason(failure),
                            span,
                        },
                    };
                    self.set(&name, binding);
                }
                Ok(())
            }
            Stmt::FunctionDef(f) => self.function(f),
            Stmt::If(s) => self.branch(s),
            other => interp::exec_one(other, &mut self.frame()).map(|_| ()),
        }
    }

    fn branch(&mut self, s: &'a ast::StmtIf) -> Result<()> {
        let body = interp::chosen(s, &mut self.frame())?;
        self.block(body);
        Ok(())
    }

    fn function(&mut self, f: &'a ast::StmtFunctionDef) -> Result<()> {
        match kernel_decorator(f, &mut self.frame()) {
            Ok(Some(decorator)) => {
                let def = add_def(self.session, f, self.file, self.module, decorator, None);
                self.bind(&f.name.id, ConstValue::Kernel(def));
                Ok(())
            }
            Ok(None) => {
                let value = interp::function_def(f, &mut self.frame())?;
                self.bind(&f.name.id, value);
                Ok(())
            }
            Err(failure) => {
                self.session.report(failure);
                Err(Failure::Reported)
            }
        }
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
                let message = format!("@kernel has no parameter '{name}'");
                let error = Diagnostic::error(codes::DECORATOR, span, message);
                return Err(suggest(error, name, ["options"].into_iter()).into());
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
