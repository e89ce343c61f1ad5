//! Statements that raise exceptions, catch them, or clean up: `raise`, `assert`, `try`, `with`.

use crate::assign::assign;
use crate::classes::exception;
use crate::conditions::test;
use crate::error::Exception::TypeError;
use crate::error::{Error, Exception, Problem, fail, raise};
use crate::objects::instantiate;
use crate::operators::truth;
use crate::text;
use crate::types::is_instance;
use crate::value::{Args, Failure, Flow, Names, Result, Value};
use diagnostics::Span;
use ruff_python_ast::{self as ast, ExceptHandler};

/// `try`.
pub fn try_statement(s: &ast::StmtTry, names: &mut dyn Names) -> Result<Flow> {
    if s.is_star {
        let text = "'except*' is not supported";
        return fail(names.span(s.range), Problem::Statement(text.into()));
    }
    let result = match names.exec(&s.body) {
        Ok(Flow::Next) => names.exec(&s.orelse),
        Err(Failure::Error(error)) if error.problem.class().is_some() => {
            handle(error, &s.handlers, names)
        }
        other => other,
    };
    if result
        .as_ref()
        .is_err_and(|failure| !failure.is_exception())
    {
        return result;
    }
    match names.exec(&s.finalbody)? {
        Flow::Next => result,
        other => Ok(other),
    }
}

/// The object of an exception, made on first use.
fn object_of(error: &mut Error<Value>) -> Value {
    let object = error.object.get_or_insert_with(|| {
        let class = error.problem.class().unwrap_or(Exception::Exception);
        let said = match error.problem.to_string() {
            said if said.is_empty() => vec![],
            said => vec![Value::str(&said)],
        };
        exception(class, said)
    });
    object.clone()
}

fn handle(
    mut error: Box<Error<Value>>,
    handlers: &[ExceptHandler],
    names: &mut dyn Names,
) -> Result<Flow> {
    let object = object_of(&mut error);
    for handler in handlers {
        let ExceptHandler::ExceptHandler(h) = handler;
        let span = names.span(h.range);
        let caught = match &h.type_ {
            None => true,
            Some(class) => {
                let class = names.eval(class)?;
                is_instance(&object, &class, span)?
            }
        };
        if !caught {
            continue;
        }
        if let Some(name) = &h.name {
            names.bind(&name.id, Some(object), span)?;
        }
        let flow = names.exec(&h.body);
        if let Some(name) = &h.name {
            names.bind(&name.id, None, span)?;
        }
        return match flow {
            Err(again) if again.problem() == Some(&Problem::NothingToRaise) => {
                Err(Failure::Error(error))
            }
            other => other,
        };
    }
    Err(Failure::Error(error))
}

fn raised(problem: Problem, span: Span, object: Value) -> Failure {
    Failure::Error(Box::new(Error {
        problem,
        span,
        notes: Vec::new(),
        object: Some(object),
    }))
}

/// The exception of `raise`.
pub fn raise_statement(s: &ast::StmtRaise, span: Span, names: &mut dyn Names) -> Result<Failure> {
    let Some(exc) = &s.exc else {
        return Ok(Failure::new(span, Problem::NothingToRaise));
    };
    let mut object = names.eval(exc)?;
    if let Value::Class(class) = &object {
        let none = Args::positional(Vec::new(), span);
        object = instantiate(&class.clone(), none, names)?;
    }
    let Value::Object(instance) = &object else {
        let message = format!("only exceptions can be raised, not {}", object.kind());
        return raise(TypeError, span, message);
    };
    let Some(class) = instance.class.exception() else {
        let message = "only subclasses of BaseException can be raised";
        return raise(TypeError, span, message);
    };
    let name = &instance.class.name;
    let text = match &*text::str(&object, span, names)? {
        "" => name.to_string(),
        said => format!("{name}: {said}"),
    };
    Ok(raised(Problem::Raised(class, text), span, object))
}

/// `assert`.
pub fn assert(s: &ast::StmtAssert, span: Span, names: &mut dyn Names) -> Result<()> {
    if test(&s.test, names)? {
        return Ok(());
    }
    let said = match &s.msg {
        None => None,
        Some(msg) => {
            let value = names.eval(msg)?;
            Some(text::str(&value, span, names)?.to_string())
        }
    };
    let args = said.iter().filter(|said| !said.is_empty());
    let args = args.map(|said| Value::str(said)).collect();
    let object = exception(Exception::AssertionError, args);
    Err(raised(Problem::Assertion(said), span, object))
}

/// `with`.
pub fn with(s: &ast::StmtWith, items: &[ast::WithItem], names: &mut dyn Names) -> Result<Flow> {
    let Some((item, rest)) = items.split_first() else {
        return names.exec(&s.body);
    };
    let span = names.span(item.range);
    let manager = names.eval(&item.context_expr)?;
    let method = |name: &str, args: Vec<Value>, names: &mut dyn Names| match names
        .attribute(&manager, name, span)?
    {
        Some(method) => names.call_with(&method, args, span),
        None => {
            let text = format!("{} is not a context manager", manager.kind());
            fail(span, Problem::Statement(text.into()))
        }
    };
    let entered = method("__enter__", vec![], names)?;
    if let Some(target) = &item.optional_vars {
        assign(target, &entered, names)?;
    }
    match with(s, rest, names) {
        Err(Failure::Error(mut error)) if error.problem.class().is_some() => {
            let object = object_of(&mut error);
            let class = match &object {
                Value::Object(object) => Value::Class(object.class.clone()),
                _ => Value::None,
            };
            let swallow = method("__exit__", vec![class, object, Value::None], names)?;
            if truth(&swallow, span, names)? {
                return Ok(Flow::Next);
            }
            Err(Failure::Error(error))
        }
        Ok(flow) => {
            method("__exit__", vec![Value::None; 3], names)?;
            Ok(flow)
        }
        other => other,
    }
}
