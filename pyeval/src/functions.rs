//! Functions: how they are made, and how they run.

use crate::code::{Body, Code, Locals};
use crate::containers::insert;
use crate::error::Exception::TypeError;
use crate::error::{Problem, fail, raise};
use crate::frame::Frame;
use crate::generators::Generator;
use crate::value::{
    Args, Class, Entries, Flow, Function, Host, Memo, Names, Result, Scope, ScopeOf, Value,
};
use diagnostics::Span;
use ruff_python_ast as ast;
use std::rc::Rc;

/// What a definition defines: a thing of the host's, or a function, with its decorators applied.
pub fn function_def(f: &ast::StmtFunctionDef, names: &mut dyn Names) -> Result<Value> {
    let span = names.span(f.name.range);
    let (file, place) = (names.file(), names.place());
    if !place.foreign
        && let Some(thing) = names.host().define(f, file, &place)
    {
        return thing;
    }
    if f.is_async {
        return fail(span, Problem::Statement("'async' is not supported".into()));
    }
    let code = names.code(span, || Code {
        name: f.name.id.to_string(),
        params: (*f.parameters).clone(),
        body: Body::Statements(f.body.to_vec().into()),
        span,
        locals: Locals::of_body(&f.body, Some(&f.parameters)),
    });
    let mut decorators = Vec::new();
    for decorator in &f.decorator_list {
        let span = names.span(decorator.range);
        decorators.push((names.eval(&decorator.expression)?, span));
    }
    let mut value = function(code, names)?;
    for (decorator, span) in decorators.into_iter().rev() {
        value = decorated(&decorator, value, span, names)?;
    }
    Ok(value)
}

fn decorated(decorator: &Value, value: Value, span: Span, names: &mut dyn Names) -> Result<Value> {
    let by_host = match decorator {
        Value::Host(thing) => thing.decorate(&value, span),
        _ => None,
    };
    by_host.unwrap_or_else(|| names.call_with(decorator, vec![value], span))
}

impl Function {
    /// The same function with the host's mark.
    pub fn with_mark(&self) -> Value {
        self.changed(|f| f.marked = true)
    }

    /// The same function, which keeps its results.
    pub fn with_memo(&self, memo: Memo) -> Value {
        self.changed(|f| f.memo = Some(memo))
    }

    fn changed(&self, change: impl FnOnce(&mut Function)) -> Value {
        let mut function = Function {
            code: self.code.clone(),
            defaults: self.defaults.clone(),
            module: self.module,
            scope: self.scope.clone(),
            marked: self.marked,
            memo: self.memo.clone(),
        };
        change(&mut function);
        Value::Function(Rc::new(function))
    }
}

/// The function of a lambda.
pub fn lambda(e: &ast::ExprLambda, span: Span, names: &mut dyn Names) -> Result<Value> {
    names.tick(span, 4)?;
    let code = names.code(span, || Code {
        name: "<lambda>".into(),
        params: e.parameters.as_deref().cloned().unwrap_or_default(),
        body: Body::Expression(e.body.clone()),
        span,
        locals: Locals::of_lambda(&e.body, e.parameters.as_deref()),
    });
    function(code, names)
}

/// A function of code that captures the current scope; its defaults are evaluated now.
fn function(code: Rc<Code>, names: &mut dyn Names) -> Result<Value> {
    let place = names.place();
    if place.foreign {
        return fail(code.span, Problem::NoClosure);
    }
    let mut defaults = Vec::new();
    for param in code.params.iter_non_variadic_params() {
        defaults.push(match &param.default {
            Some(default) => Some(names.eval(default)?),
            None => None,
        });
    }
    let cells = 8 + 2 * code.locals.bound.len() as u64;
    names.charge(code.span, cells)?;
    Ok(Value::Function(Rc::new(Function {
        code,
        defaults,
        module: place.module,
        scope: place.scope,
        marked: false,
        memo: None,
    })))
}

/// The result of a function; `owner` is the class of which it is a method.
pub fn run(
    f: &Rc<Function>,
    args: Args,
    owner: Option<&Rc<Class>>,
    host: &mut dyn Host,
) -> Result<Value> {
    let Some(memo) = &f.memo else {
        return run_anew(f, args, owner, host);
    };
    let (span, size) = (args.span, args.positional.len() + args.named.len());
    let names: &mut dyn Names = &mut Frame::of_module(host, f.span().file, f.module);
    names.tick(span, 1)?;
    memo.result(args, |args| {
        names.charge(span, 8 + size as u64)?;
        run_anew(f, args, owner, names.host())
    })
}

fn run_anew(
    f: &Rc<Function>,
    args: Args,
    owner: Option<&Rc<Class>>,
    host: &mut dyn Host,
) -> Result<Value> {
    let span = args.span;
    let scope = Scope::new(ScopeOf::Function(f.code.clone()), f.scope.clone());
    let names: &mut dyn Names = &mut Frame {
        host,
        file: f.span().file,
        module: f.module,
        scope: Some(scope.clone()),
    };
    let result = names.deeper(span, |names| {
        names.tick(span, 2)?;
        if let Some(owner) = owner {
            let class = Value::Class(owner.clone());
            scope.vars.borrow_mut().insert("__class__".into(), class);
        }
        bind_arguments(f, args, &scope)?;
        body(f, scope, names)
    });
    result.map_err(|failure| match failure.problem() {
        Some(Problem::Limit(_)) => failure,
        _ => failure.note_at(span, format!("in the compile-time call of '{}'", f.name())),
    })
}

fn body(f: &Function, scope: Rc<Scope>, names: &mut dyn Names) -> Result<Value> {
    match &f.code.body {
        Body::Expression(body) => names.eval(body),
        Body::Statements(body) if f.code.locals.generator => {
            names.charge(f.span(), 16)?;
            let file = f.span().file;
            Ok(Generator::start(body.clone(), scope, file, f.module))
        }
        Body::Statements(body) => match names.exec(body)? {
            Flow::Return(value) => Ok(value),
            _ => Ok(Value::None),
        },
    }
}

fn bind_arguments(f: &Function, args: Args, scope: &Scope) -> Result<()> {
    let params = &f.code.params;
    let name = f.name();
    let span = args.span;
    let wrong = |message: String| raise(TypeError, span, message);
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
    let rest: Vec<Value> = positional.collect();
    match &params.vararg {
        Some(param) => {
            vars.insert(param.name.id.to_string(), Value::tuple(rest));
        }
        None if rest.is_empty() => {}
        None => return wrong(format!("the arguments do not fit '{name}'")),
    }
    match &params.kwarg {
        Some(param) => {
            let mut entries = Entries::new();
            for (name, value) in named {
                let key = Value::str(&name);
                insert(&mut entries, key, value, span)?;
            }
            let dict = Value::dict(entries);
            vars.insert(param.name.id.to_string(), dict);
        }
        None if named.is_empty() => {}
        None => return wrong(format!("the arguments do not fit '{name}'")),
    }
    Ok(())
}
