//! Calls: the arguments that are written, and what is called with them.

use crate::containers::charged;
use crate::error::Exception::TypeError;
use crate::error::{Problem, fail, raise};
use crate::iterate::collect;
use crate::library::builtins::builtin;
use crate::native;
use crate::numpy;
use crate::objects::{call_object, instantiate, super_of};
use crate::value::{Args, Bound, Names, Result, Value};
use ruff_python_ast::{self as ast, Expr};
use ruff_text_size::Ranged;

/// The value of a call expression.
pub fn call_expression(e: &ast::ExprCall, names: &mut dyn Names) -> Result<Value> {
    let callee = names.eval(&e.func)?;
    let args = arguments(e, names)?;
    match callee.builtin() {
        Some("super") if args.positional.is_empty() => super_of(args.span, names),
        _ => call(&callee, args, names),
    }
}

/// The arguments that a call writes.
fn arguments(e: &ast::ExprCall, names: &mut dyn Names) -> Result<Args> {
    let span = names.span(e.range());
    let positional = sequence(&e.arguments.args, names)?;
    let mut named: Vec<(String, Value)> = Vec::new();
    for keyword in &e.arguments.keywords {
        let value = names.eval(&keyword.value)?;
        match (&keyword.arg, value) {
            (Some(name), value) => named.push((name.id.to_string(), value)),
            (None, Value::Dict(entries)) => {
                for (key, value) in entries.get().values() {
                    let Value::Str(name) = key else {
                        return raise(TypeError, span, "keywords must be strings");
                    };
                    named.push((name.to_string(), value.clone()));
                }
            }
            (None, other) => {
                let message = format!("'**' needs a dict, not {}", other.kind());
                return raise(TypeError, span, message);
            }
        }
    }
    for (i, (name, _)) in named.iter().enumerate() {
        if named[..i].iter().any(|(n, _)| n == name) {
            let message = format!("the argument '{name}' is given twice");
            return raise(TypeError, span, message);
        }
    }
    Ok(Args {
        positional,
        named,
        span,
    })
}

/// The elements that a list, a tuple or a call writes.
pub fn sequence(items: &[Expr], names: &mut dyn Names) -> Result<Vec<Value>> {
    let mut values = Vec::with_capacity(items.len());
    for item in items {
        match item {
            Expr::Starred(s) => {
                let span = names.span(s.range);
                let spread = names.eval(&s.value)?;
                values.extend(collect(&spread, span, names)?);
            }
            other => values.push(names.eval(other)?),
        }
    }
    Ok(values)
}

/// Calls a value.
pub fn call(callee: &Value, args: Args, names: &mut dyn Names) -> Result<Value> {
    let span = args.span;
    match callee {
        Value::Native(native) => {
            let value = native::call(native, Value::None, args, names)?;
            charged(value, span, names)
        }
        Value::Function(f) => names.call_function(f, args),
        Value::Bound(bound) => call_bound(bound, args, names),
        Value::Class(class) => instantiate(class, args, names),
        Value::Object(_) => call_object(callee, args, names),
        Value::Dtype(dtype) => numpy::operations::scalar(*dtype, &args),
        Value::Host(thing) => match thing.stands_for().and_then(builtin) {
            Some(native) => call(&native, args, names),
            None => {
                let called = thing.call(&args, names);
                let called = called.or_else(|| names.host().call(&**thing, &args));
                called.unwrap_or_else(|| not_callable(callee, &args))
            }
        },
        other => not_callable(other, &args),
    }
}

fn not_callable(callee: &Value, args: &Args) -> Result<Value> {
    let text = format!("{} cannot be called at compile time", callee.kind());
    fail(args.span, Problem::NotCallable(text.into()))
}

fn call_bound(bound: &Bound, mut args: Args, names: &mut dyn Names) -> Result<Value> {
    if let Value::Native(native) = &bound.callee
        && let [this] = &bound.first[..]
        && native.method
    {
        let span = args.span;
        let value = native::call(native, this.clone(), args, names)?;
        return charged(value, span, names);
    }
    args.positional.splice(0..0, bound.first.iter().cloned());
    for (name, value) in &bound.named {
        if !args.named.iter().any(|(n, _)| n == name) {
            args.named.push((name.clone(), value.clone()));
        }
    }
    match (&bound.callee, &bound.owner) {
        (Value::Function(f), Some(owner)) => names.run(f, args, owner),
        (callee, _) => call(callee, args, names),
    }
}
