//! Statements run at compile time: function bodies, and what stands at module level.

use super::classes;
use super::codes;
use super::consteval::{ConstArgs, Host, Names, Place, attribute, augment, call as call_value};
use super::consteval::{eval, named_attribute, subscript, truth};
use super::error::{Failure, Raised, Result, fail, raise};
use super::iterate::{self, IterRef};
use super::library;
use super::patterns;
use super::scope::{Body, Code, Found, Locals, Scope, ScopeOf};
use super::surface::{self, Builtin};
use super::text;
use super::values::{ConstValue, Function};
use crate::diagnostics::{Diagnostic, FileId, Span, closest};
use ruff_python_ast::{self as ast, ExceptHandler, Expr, Stmt};
use ruff_text_size::Ranged;
use std::rc::Rc;

/// How a statement ended.
#[derive(Debug)]
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
pub fn exec(stmts: &[Stmt], names: &mut dyn Names) -> Result<Flow> {
    for stmt in stmts {
        match exec_one(stmt, names)? {
            Flow::Next => {}
            other => return Ok(other),
        }
    }
    Ok(Flow::Next)
}

/// Runs one statement.
pub fn exec_one(stmt: &Stmt, names: &mut dyn Names) -> Result<Flow> {
    let span = names.span(stmt.range());
    names.tick(span, 1)?;
    match stmt {
        Stmt::Pass(_) | Stmt::Global(_) | Stmt::Nonlocal(_) => {}
        Stmt::Break(_) => return Ok(Flow::Break),
        Stmt::Continue(_) => return Ok(Flow::Continue),
        Stmt::Return(s) => {
            return Ok(Flow::Return(match &s.value {
                Some(value) => eval(value, names)?,
                None => ConstValue::None,
            }));
        }
        Stmt::Expr(s) => {
            eval(&s.value, names)?;
        }
        Stmt::Assign(s) => {
            let value = eval(&s.value, names)?;
            for target in &s.targets {
                assign(target, &value, names)?;
            }
        }
        Stmt::AnnAssign(s) => {
            if let Some(value) = &s.value {
                let value = eval(value, names)?;
                assign(&s.target, &value, names)?;
            }
        }
        Stmt::AugAssign(s) => augmented(s, span, names)?,
        Stmt::Delete(s) => s.targets.iter().try_for_each(|t| delete(t, names))?,
        Stmt::If(s) => return branch(s, names),
        Stmt::For(s) => return for_loop(s, names),
        Stmt::While(s) => return while_loop(s, names),
        Stmt::Match(s) => return patterns::exec_match(s, names),
        Stmt::Try(s) => return try_statement(s, names),
        Stmt::With(s) => return with(s, &s.items, names),
        Stmt::Raise(s) => return Err(raise_statement(s, span, names)?),
        Stmt::Assert(s) => assert(s, span, names)?,
        Stmt::FunctionDef(f) => {
            let value = function_def(f, names)?;
            let span = names.span(f.name.range);
            names.bind(&f.name.id, Some(value), span)?;
        }
        Stmt::ClassDef(c) => {
            let value = classes::define(c, names)?;
            let span = names.span(c.name.range);
            names.bind(&c.name.id, Some(value), span)?;
        }
        Stmt::Import(_) | Stmt::ImportFrom(_) => {
            for (name, span, value) in imports(stmt, names) {
                names.bind(&name, Some(value?), span)?;
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

fn test(expr: &Expr, names: &mut dyn Names) -> Result<bool> {
    let value = eval(expr, names)?;
    truth(&value, names.span(expr.range()), names)
}

fn augmented(s: &ast::StmtAugAssign, span: Span, names: &mut dyn Names) -> Result<()> {
    match &*s.target {
        Expr::Subscript(target) => {
            // Object and index are evaluated once.
            let object = eval(&target.value, names)?;
            let index = eval(&target.slice, names)?;
            let old = subscript(object.clone(), &index, span, names)?;
            let value = eval(&s.value, names)?;
            let new = augment(s.op, old, value, span, names)?;
            library::set_item(&object, &index, &new, span, names)
        }
        Expr::Attribute(target) => {
            let object = eval(&target.value, names)?;
            let old = attribute(&object, &target.attr, span, names)?;
            let value = eval(&s.value, names)?;
            let new = augment(s.op, old, value, span, names)?;
            classes::set_attribute(&object, &target.attr.id, new, span, names)
        }
        target => {
            let old = eval(target, names)?;
            let value = eval(&s.value, names)?;
            let new = augment(s.op, old, value, span, names)?;
            assign(target, &new, names)
        }
    }
}

/// Assigns a value to a target.
pub fn assign(target: &Expr, value: &ConstValue, names: &mut dyn Names) -> Result<()> {
    let span = names.span(target.range());
    match target {
        Expr::Name(name) => names.bind(&name.id, Some(value.clone()), span),
        Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. }) => {
            for (target, value) in unpack(elts, value, span, names)? {
                assign(target, &value, names)?;
            }
            Ok(())
        }
        Expr::Starred(s) => assign(&s.value, value, names),
        Expr::Subscript(s) => {
            let object = eval(&s.value, names)?;
            let index = eval(&s.slice, names)?;
            library::set_item(&object, &index, value, span, names)
        }
        Expr::Attribute(a) => {
            let object = eval(&a.value, names)?;
            classes::set_attribute(&object, &a.attr.id, value.clone(), span, names)
        }
        _ => fail(
            codes::TARGET,
            span,
            "the target cannot be assigned at compile time",
        ),
    }
}

/// The targets of an unpacking, each with its value; a starred one gets a list.
pub fn unpack<'e>(
    targets: &'e [Expr],
    value: &ConstValue,
    span: Span,
    names: &mut dyn Names,
) -> Result<Vec<(&'e Expr, ConstValue)>> {
    let items = iterate::collect(value, span, names)?;
    let star = targets.iter().position(|t| t.is_starred_expr());
    let fits = match star {
        None => items.len() == targets.len(),
        Some(_) => items.len() + 1 >= targets.len(),
    };
    if !fits {
        let message = format!("{} targets, but {} values", targets.len(), items.len());
        return raise("ValueError", span, message);
    }
    let extra = (items.len() + 1).saturating_sub(targets.len());
    let mut rest = items.into_iter();
    let mut pairs = Vec::with_capacity(targets.len());
    for (i, target) in targets.iter().enumerate() {
        let value = if star == Some(i) {
            ConstValue::list(rest.by_ref().take(extra).collect())
        } else {
            // The count was checked.
            rest.next().unwrap_or(ConstValue::None)
        };
        pairs.push((target, value));
    }
    Ok(pairs)
}

fn delete(target: &Expr, names: &mut dyn Names) -> Result<()> {
    let span = names.span(target.range());
    match target {
        Expr::Name(name) => {
            names.lookup(&name.id, span)?;
            names.bind(&name.id, None, span)
        }
        Expr::Subscript(s) => {
            let object = eval(&s.value, names)?;
            let index = eval(&s.slice, names)?;
            library::delete_item(&object, &index, span)
        }
        Expr::Tuple(t) => t.elts.iter().try_for_each(|t| delete(t, names)),
        _ => fail(
            codes::TARGET,
            span,
            "the target cannot be deleted at compile time",
        ),
    }
}

fn branch(s: &ast::StmtIf, names: &mut dyn Names) -> Result<Flow> {
    exec(chosen(s, names)?, names)
}

/// The statements of the branch that an `if` takes.
pub fn chosen<'s>(s: &'s ast::StmtIf, names: &mut dyn Names) -> Result<&'s [Stmt]> {
    if test(&s.test, names)? {
        return Ok(&s.body);
    }
    for clause in &s.elif_else_clauses {
        let chosen = match &clause.test {
            Some(condition) => test(condition, names)?,
            None => true,
        };
        if chosen {
            return Ok(&clause.body);
        }
    }
    Ok(&[])
}

fn for_loop(s: &ast::StmtFor, names: &mut dyn Names) -> Result<Flow> {
    let iterable = eval(&s.iter, names)?;
    let span = names.span(s.iter.range());
    let iter = iterate::iter(&iterable, span, names)?;
    while let Some(item) = iterate::next(&iter, span, names)? {
        names.tick(span, 1)?;
        assign(&s.target, &item, names)?;
        match exec(&s.body, names)? {
            Flow::Next | Flow::Continue => {}
            Flow::Break => return Ok(Flow::Next),
            returned @ Flow::Return(_) => return Ok(returned),
        }
    }
    exec(&s.orelse, names)
}

fn while_loop(s: &ast::StmtWhile, names: &mut dyn Names) -> Result<Flow> {
    while test(&s.test, names)? {
        match exec(&s.body, names)? {
            Flow::Next | Flow::Continue => {}
            Flow::Break => return Ok(Flow::Next),
            returned @ Flow::Return(_) => return Ok(returned),
        }
    }
    exec(&s.orelse, names)
}

/// Stands for the exception being handled, until the handler that it leaves puts that one in place.
const AGAIN: &str = "the exception being handled";

fn try_statement(s: &ast::StmtTry, names: &mut dyn Names) -> Result<Flow> {
    if s.is_star {
        let span = names.span(s.range);
        return fail(codes::STATEMENT, span, "'except*' is not supported");
    }
    let result = match exec(&s.body, names) {
        Ok(Flow::Next) => exec(&s.orelse, names),
        Err(Failure::Raised(raised)) => handle(raised, &s.handlers, names),
        other => other,
    };
    if matches!(result, Err(Failure::Diagnostic(_) | Failure::Reported)) {
        return result;
    }
    match exec(&s.finalbody, names)? {
        Flow::Next => result,
        other => Ok(other),
    }
}

fn handle(
    mut raised: Box<Raised>,
    handlers: &[ExceptHandler],
    names: &mut dyn Names,
) -> Result<Flow> {
    let object = match raised.object.take() {
        Some(object) => object,
        None => classes::exception(raised.class, &raised.diagnostic.message),
    };
    raised.object = Some(object.clone());
    for handler in handlers {
        let ExceptHandler::ExceptHandler(h) = handler;
        let span = names.span(h.range);
        let caught = match &h.type_ {
            None => true,
            Some(class) => {
                let class = eval(class, names)?;
                library::is_instance(&object, &class, span)?
            }
        };
        if !caught {
            continue;
        }
        if let Some(name) = &h.name {
            names.bind(&name.id, Some(object), span)?;
        }
        let flow = exec(&h.body, names);
        if let Some(name) = &h.name {
            names.bind(&name.id, None, span)?;
        }
        return match flow {
            Err(Failure::Raised(again)) if again.class == AGAIN => Err(Failure::Raised(raised)),
            other => other,
        };
    }
    Err(Failure::Raised(raised))
}

fn raise_statement(s: &ast::StmtRaise, span: Span, names: &mut dyn Names) -> Result<Failure> {
    let Some(exc) = &s.exc else {
        return Ok(super::error::raised(
            AGAIN,
            span,
            "there is no exception to raise again",
        ));
    };
    let mut object = eval(exc, names)?;
    if let ConstValue::Class(class) = &object {
        let none = ConstArgs::positional(Vec::new(), span);
        object = classes::instantiate(&class.clone(), none, names)?;
    }
    let ConstValue::Object(instance) = &object else {
        let message = format!("only exceptions can be raised, not {}", object.kind());
        return raise("TypeError", span, message);
    };
    let Some(class) = instance.class.exception() else {
        let message = "only subclasses of BaseException can be raised";
        return raise("TypeError", span, message);
    };
    let said = text::str(&object, span, names)?;
    let name = &instance.class.name;
    let message = match &*said {
        "" => name.to_string(),
        said => format!("{name}: {said}"),
    };
    Ok(Failure::Raised(Box::new(Raised {
        class,
        diagnostic: Diagnostic::error(codes::RAISED, span, message),
        object: Some(object),
    })))
}

fn assert(s: &ast::StmtAssert, span: Span, names: &mut dyn Names) -> Result<()> {
    if test(&s.test, names)? {
        return Ok(());
    }
    let mut message = "assertion failed at compile time".to_owned();
    let mut said = String::new();
    if let Some(msg) = &s.msg {
        let value = eval(msg, names)?;
        said = text::str(&value, span, names)?.to_string();
        message = format!("{message}: {said}");
    }
    Err(Failure::Raised(Box::new(Raised {
        class: "AssertionError",
        object: Some(classes::exception("AssertionError", &said)),
        diagnostic: Diagnostic::error(codes::ASSERTION, span, message),
    })))
}

fn with(s: &ast::StmtWith, items: &[ast::WithItem], names: &mut dyn Names) -> Result<Flow> {
    let Some((item, rest)) = items.split_first() else {
        return exec(&s.body, names);
    };
    let span = names.span(item.range);
    let manager = eval(&item.context_expr, names)?;
    let method = |name: &str, args: Vec<ConstValue>, names: &mut dyn Names| match named_attribute(
        &manager, name, span, names,
    )? {
        Some(method) => call_value(&method, ConstArgs::positional(args, span), names),
        None => fail(
            codes::STATEMENT,
            span,
            format!("{} is not a context manager", manager.kind()),
        ),
    };
    let entered = method("__enter__", vec![], names)?;
    if let Some(target) = &item.optional_vars {
        assign(target, &entered, names)?;
    }
    match with(s, rest, names) {
        Err(Failure::Raised(raised)) => {
            let object = match &raised.object {
                Some(object) => object.clone(),
                None => classes::exception(raised.class, &raised.diagnostic.message),
            };
            let class = library::type_of(&object);
            let swallow = method("__exit__", vec![class, object, ConstValue::None], names)?;
            if truth(&swallow, span, names)? {
                return Ok(Flow::Next);
            }
            Err(Failure::Raised(raised))
        }
        Ok(flow) => {
            method("__exit__", vec![ConstValue::None; 3], names)?;
            Ok(flow)
        }
        other => other,
    }
}

/// What an import statement binds: names, places and values, or why there is none.
pub fn imports(stmt: &Stmt, names: &mut dyn Names) -> Vec<(String, Span, Result<ConstValue>)> {
    let module = names.place().module;
    match stmt {
        Stmt::Import(s) => s
            .names
            .iter()
            .map(|alias| {
                let span = names.span(alias.range);
                let dotted = alias.name.id.as_str();
                let top = dotted.split('.').next().unwrap_or(dotted);
                let leaf = names.host().import(module, dotted, 0, span);
                match &alias.asname {
                    Some(name) => (name.id.to_string(), span, leaf),
                    None => {
                        let found = leaf.and_then(|_| names.host().import(module, top, 0, span));
                        (top.to_owned(), span, found)
                    }
                }
            })
            .collect(),
        Stmt::ImportFrom(s) => s
            .names
            .iter()
            .flat_map(|alias| import_from(s, alias, module, names))
            .collect(),
        _ => Vec::new(),
    }
}

fn import_from(
    s: &ast::StmtImportFrom,
    alias: &ast::Alias,
    module: usize,
    names: &mut dyn Names,
) -> Vec<(String, Span, Result<ConstValue>)> {
    let dotted = s.module.as_ref().map_or("", |m| m.id.as_str());
    let span = names.span(alias.range);
    let name = alias.name.id.as_str();
    let bound = alias.asname.as_ref().map_or(name, |n| n.id.as_str());
    let from = names.host().import(module, dotted, s.level, span);
    let space = match from {
        // `from . import helpers`: there need not be a package's own file.
        Err(_) if name != "*" && s.level > 0 && dotted.is_empty() => ConstValue::None,
        Err(failure) => return vec![(bound.to_owned(), span, Err(failure))],
        Ok(space) => space,
    };
    if name == "*" {
        let all = match &space {
            ConstValue::Namespace(space) => surface::exported(*space),
            ConstValue::Module(m) => names.host().exported(*m),
            _ => Vec::new(),
        };
        return all
            .into_iter()
            .filter_map(|name| {
                let value = named_attribute(&space, &name, span, names).transpose()?;
                Some((name, span, value))
            })
            .collect();
    }
    let found = named_attribute(&space, name, span, names);
    let value = match (found, &space) {
        (Ok(Some(value)), _) => Ok(value),
        (Err(failure), _) => Err(failure),
        (Ok(None), ConstValue::Module(_) | ConstValue::None) => {
            let below = match dotted {
                "" => name.to_owned(),
                dotted => format!("{dotted}.{name}"),
            };
            let shown = format!("{}{dotted}", ".".repeat(s.level as usize));
            names
                .host()
                .import(module, &below, s.level, span)
                .or_else(|failure| match failure {
                    Failure::Raised(_) => no_name(&shown, name, None, span),
                    other => Err(other),
                })
        }
        (Ok(None), ConstValue::Namespace(space)) => {
            let exported = surface::exported(*space);
            let near = closest(name, exported.iter().map(String::as_str));
            no_name(dotted, name, near, span)
        }
        (Ok(None), _) => no_name(dotted, name, None, span),
    };
    vec![(bound.to_owned(), span, value)]
}

fn no_name<T>(module: &str, name: &str, near: Option<&str>, span: Span) -> Result<T> {
    let hint = near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
    let message = format!("module '{module}' has no name '{name}'{hint}");
    raise("ImportError", span, message)
}

/// The function of a definition that is no kernel, with its decorators applied.
pub fn function_def(f: &ast::StmtFunctionDef, names: &mut dyn Names) -> Result<ConstValue> {
    let span = names.span(f.name.range);
    if f.is_async {
        return fail(codes::STATEMENT, span, "'async' is not supported");
    }
    let make = || Code {
        name: f.name.id.to_string(),
        params: (*f.parameters).clone(),
        body: Body::Statements(f.body.to_vec().into()),
        span,
        locals: Locals::of_body(&f.body, Some(&f.parameters)),
    };
    let code = names.host().code(span, &make);
    let mut decorators = Vec::new();
    for decorator in &f.decorator_list {
        let span = names.span(decorator.range);
        let value = eval(&decorator.expression, names)?;
        if matches!(value, ConstValue::Builtin(Builtin::Kernel)) {
            let message = "a kernel is defined at module level or in a kernel";
            return fail(codes::DECORATOR, span, message);
        }
        decorators.push((value, span));
    }
    let mut value = function(code, false, names)?;
    for (decorator, span) in decorators.into_iter().rev() {
        value = match (&decorator, &value) {
            (ConstValue::Builtin(Builtin::Consteval), ConstValue::Function(f)) => {
                ConstValue::Function(Rc::new(Function {
                    code: f.code.clone(),
                    defaults: f.defaults.clone(),
                    module: f.module,
                    scope: f.scope.clone(),
                    consteval: true,
                }))
            }
            _ => call_value(&decorator, ConstArgs::positional(vec![value], span), names)?,
        };
    }
    Ok(value)
}

/// A function of code that captures the current scope; its defaults are evaluated now.
pub fn function(code: Rc<Code>, consteval: bool, names: &mut dyn Names) -> Result<ConstValue> {
    let place = names.place();
    if place.kernel {
        return fail(
            codes::EXPRESSION,
            code.span,
            "a function cannot be made in a kernel",
        );
    }
    let mut defaults = Vec::new();
    for param in code.params.iter_non_variadic_params() {
        defaults.push(match &param.default {
            Some(default) => Some(eval(default, names)?),
            None => None,
        });
    }
    let cells = 8 + 2 * code.locals.bound.len() as u64;
    names.host().charge(code.span, cells)?;
    Ok(ConstValue::Function(Rc::new(Function {
        code,
        defaults,
        module: place.module,
        scope: place.scope,
        consteval,
    })))
}

/// Code at work: the names of a module, and the scope of a function, class or comprehension in it.
pub struct Frame<'h> {
    /// The compilation.
    pub host: &'h mut dyn Host,
    /// Where the code is written.
    pub file: FileId,
    /// The module whose globals it sees.
    pub module: usize,
    /// Its own names.
    pub scope: Option<Rc<Scope>>,
}

impl<'h> Frame<'h> {
    /// Text at the level of a module.
    pub fn of_module(host: &'h mut dyn Host, file: FileId, module: usize) -> Self {
        Frame {
            host,
            file,
            module,
            scope: None,
        }
    }
}

impl Names for Frame<'_> {
    fn lookup(&mut self, name: &str, span: Span) -> Result<ConstValue> {
        if let Some(scope) = &self.scope {
            match scope.find(name) {
                Found::Value(value) => return Ok(value),
                Found::Unbound => {
                    let message = format!("the variable '{name}' has no value yet");
                    return raise("UnboundLocalError", span, message);
                }
                Found::Global => {}
            }
        }
        if let Some(found) = self.host.global(self.module, name, span) {
            return found;
        }
        let locals: Vec<String> = match &self.scope {
            Some(scope) => scope.vars.borrow().keys().cloned().collect(),
            None => Vec::new(),
        };
        Err(self.host.undefined(self.module, name, span, &locals))
    }

    fn bind(&mut self, name: &str, value: Option<ConstValue>, span: Span) -> Result<()> {
        let target = self.scope.as_ref().and_then(|scope| scope.target(name));
        let done = match target {
            Some(scope) if scope.frozen.get() => false,
            Some(scope) => {
                let mut vars = scope.vars.borrow_mut();
                match value {
                    Some(value) => {
                        vars.insert(name.to_owned(), value);
                    }
                    None => {
                        vars.shift_remove(name);
                    }
                }
                true
            }
            None => self.host.set_global(self.module, name, value),
        };
        if done {
            return Ok(());
        }
        fail(
            codes::TARGET,
            span,
            format!("'{name}' is visible to kernels and cannot change any more"),
        )
    }

    fn file(&self) -> FileId {
        self.file
    }
    fn file_text(&self) -> &str {
        self.host.text(self.file)
    }
    fn place(&self) -> Place {
        Place {
            module: self.module,
            scope: self.scope.clone(),
            kernel: false,
        }
    }
    fn host(&mut self) -> &mut dyn Host {
        self.host
    }
    fn call_function(&mut self, f: &Rc<Function>, args: ConstArgs) -> Result<ConstValue> {
        call(self.host, f, args, None)
    }
}

/// Calls a Python function at compile time; `owner` is the class of which it is a method.
pub fn call(
    host: &mut dyn Host,
    f: &Rc<Function>,
    args: ConstArgs,
    owner: Option<&Rc<classes::Class>>,
) -> Result<ConstValue> {
    let span = args.span;
    host.enter(span)?;
    let result = run(host, f, args, owner);
    host.leave();
    result.map_err(|failure| match failure {
        Failure::Diagnostic(d) if d.code == codes::LIMIT => Failure::Diagnostic(d),
        other => other.note_at(span, format!("in the compile-time call of '{}'", f.name())),
    })
}

fn run(
    host: &mut dyn Host,
    f: &Rc<Function>,
    args: ConstArgs,
    owner: Option<&Rc<classes::Class>>,
) -> Result<ConstValue> {
    host.tick(args.span, 2)?;
    let scope = Scope::new(ScopeOf::Function(f.code.clone()), f.scope.clone());
    if let Some(owner) = owner {
        let class = ConstValue::Class(owner.clone());
        scope.vars.borrow_mut().insert("__class__".into(), class);
    }
    bind_arguments(f, args, &scope)?;
    let mut frame = Frame {
        host,
        file: f.file(),
        module: f.module,
        scope: Some(scope.clone()),
    };
    match &f.code.body {
        Body::Expression(body) => eval(body, &mut frame),
        Body::Statements(body) if f.code.locals.generator => {
            frame.host.charge(f.span(), 16)?;
            Ok(ConstValue::Iter(IterRef::generator(
                body.clone(),
                scope,
                f.file(),
                f.module,
            )))
        }
        Body::Statements(body) => match exec(body, &mut frame)? {
            Flow::Return(value) => Ok(value),
            _ => Ok(ConstValue::None),
        },
    }
}

fn bind_arguments(f: &Function, args: ConstArgs, scope: &Scope) -> Result<()> {
    let params = &f.code.params;
    let name = f.name();
    let span = args.span;
    let wrong = |message: String| raise("TypeError", span, message);
    let mut vars = scope.vars.borrow_mut();
    let mut positional = args.positional.into_iter();
    let mut named = args.named;
    let by_position = params.posonlyargs.len() + params.args.len();
    for (i, param) in params.iter_non_variadic_params().enumerate() {
        let own = param.parameter.name.id.as_str();
        let given = if i < by_position {
            positional.next()
        } else {
            None
        };
        let by_name = match named.iter().position(|(n, _)| n == own) {
            Some(at) if i >= params.posonlyargs.len() => Some(named.remove(at).1),
            _ => None,
        };
        let value = match (given, by_name, f.defaults.get(i)) {
            (Some(_), Some(_), _) => {
                return wrong(format!("'{name}' gets two arguments for '{own}'"));
            }
            (Some(value), None, _) | (None, Some(value), _) => value,
            (None, None, Some(Some(default))) => default.clone(),
            _ => return wrong(format!("'{name}' needs an argument for '{own}'")),
        };
        vars.insert(own.to_owned(), value);
    }
    let rest: Vec<ConstValue> = positional.collect();
    match &params.vararg {
        Some(param) => {
            vars.insert(param.name.id.to_string(), ConstValue::tuple(rest));
        }
        None if rest.is_empty() => {}
        None => return wrong(format!("the arguments do not fit '{name}'")),
    }
    match &params.kwarg {
        Some(param) => {
            let mut entries = indexmap::IndexMap::new();
            for (name, value) in named {
                let key = ConstValue::str(&name);
                super::consteval::insert(&mut entries, key, value, span)?;
            }
            let dict = ConstValue::Dict(Rc::new(super::containers::Shared::new(entries)));
            vars.insert(param.name.id.to_string(), dict);
        }
        None if named.is_empty() => {}
        None => return wrong(format!("the arguments do not fit '{name}'")),
    }
    Ok(())
}
