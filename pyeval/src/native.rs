//! Functions of the library as rows of tables, and how arguments reach them.

use crate::convert::{int_of, to_float};
use crate::error::Exception::{OverflowError, TypeError};
use crate::error::{Exception, Problem, Text, fail, raise};
use crate::iterate::collect;
use crate::operators::truth;
use crate::value::{Args, Call, Names, Native, Result, Value};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::rc::Rc;

/// A row of a table of functions.
pub const fn native(
    name: &'static str,
    params: &'static [&'static str],
    required: usize,
    run: fn(&mut Call) -> Result<Value>,
) -> Native {
    Native {
        name,
        params,
        required,
        rest: false,
        method: false,
        run,
    }
}

/// A row of a function that takes any number of arguments by position.
pub const fn variadic(
    name: &'static str,
    params: &'static [&'static str],
    run: fn(&mut Call) -> Result<Value>,
) -> Native {
    Native {
        rest: true,
        ..native(name, params, 0, run)
    }
}

/// A row of a table of methods.
pub const fn method(
    name: &'static str,
    params: &'static [&'static str],
    required: usize,
    run: fn(&mut Call) -> Result<Value>,
) -> Native {
    Native {
        method: true,
        ..native(name, params, required, run)
    }
}

/// A row of a method that takes any number of arguments by position.
pub const fn variadic_method(
    name: &'static str,
    params: &'static [&'static str],
    run: fn(&mut Call) -> Result<Value>,
) -> Native {
    Native {
        rest: true,
        ..method(name, params, 0, run)
    }
}

impl Call<'_> {
    /// The argument of a parameter, if there is one.
    pub fn opt(&self, i: usize) -> Option<&Value> {
        match self.args.get(i) {
            Some(Some(value)) => Some(value),
            _ => None,
        }
    }

    /// The argument of a required parameter.
    pub fn arg(&self, i: usize) -> &Value {
        self.opt(i).unwrap_or(&Value::None)
    }

    /// Fails with a Python exception.
    pub fn raise<T>(&self, class: Exception, message: impl Into<Text>) -> Result<T> {
        raise(class, self.span, message)
    }

    /// The argument as an int.
    pub fn int(&self, i: usize) -> Result<BigInt> {
        int_of(self.arg(i), self.span)
    }

    /// The argument as a small number.
    pub fn index(&self, i: usize) -> Result<i64> {
        match self.int(i)?.to_i64() {
            Some(v) => Ok(v),
            None => self.raise(OverflowError, "the int is too large here"),
        }
    }

    /// The argument as a float.
    pub fn float(&self, i: usize) -> Result<f64> {
        to_float(self.arg(i), self.span)
    }

    /// The argument as a string.
    pub fn str(&self, i: usize) -> Result<Rc<str>> {
        match self.arg(i) {
            Value::Str(s) => Ok(s.clone()),
            other => {
                let message = format!("'{}' needs a string, not {}", self.name, other.kind());
                self.raise(TypeError, message)
            }
        }
    }

    /// The elements of the argument.
    pub fn items(&mut self, i: usize) -> Result<Vec<Value>> {
        let value = self.arg(i).clone();
        collect(&value, self.span, self.names)
    }

    /// The truth of an argument that may be left out.
    pub fn flag(&mut self, i: usize) -> Result<bool> {
        match self.opt(i).cloned() {
            None => Ok(false),
            Some(value) => truth(&value, self.span, self.names),
        }
    }

    /// Calls a function.
    pub fn call(&mut self, f: &Value, args: Vec<Value>) -> Result<Value> {
        self.names.call_with(f, args, self.span)
    }

    /// Counts memory that is about to be taken, in words of 40 bytes, and the time to fill it.
    pub fn charge(&mut self, cells: u64) -> Result<()> {
        self.names.charge(self.span, cells)?;
        self.names.tick(self.span, cells / 4)
    }
}

/// Calls a native function.
pub fn call(
    native: &'static Native,
    this: Value,
    args: Args,
    names: &mut dyn Names,
) -> Result<Value> {
    let span = args.span;
    let mut call = Call {
        names,
        span,
        this,
        rest: Vec::new(),
        named: Vec::new(),
        name: native.name,
        args: vec![None; native.params.len()],
    };
    let mut positional = args.positional.into_iter();
    let own = native.params.iter().take_while(|p| !p.starts_with('*'));
    let own = own.count();
    for slot in &mut call.args[..own] {
        *slot = positional.next();
    }
    call.rest = positional.collect();
    if !native.rest && !call.rest.is_empty() {
        let given = own + call.rest.len();
        return fail(span, wrong_count(native, own, given));
    }
    for (name, value) in args.named {
        let at = native
            .params
            .iter()
            .position(|p| p.trim_start_matches('*') == name);
        match at {
            Some(at) if call.args[at].is_none() => call.args[at] = Some(value),
            None if native.params.contains(&"**") => call.named.push((name, value)),
            _ => {
                return fail(
                    span,
                    Problem::parameter(native.name, &name, std::iter::empty()),
                );
            }
        }
    }
    if let Some(missing) = call.args[..native.required]
        .iter()
        .position(Option::is_none)
    {
        let given = call.args.iter().flatten().count();
        let problem = match missing >= given {
            true => wrong_count(native, own.max(native.required), given),
            false => Problem::ArgumentMissing {
                callee: native.name,
                parameter: native.params[missing],
            },
        };
        return fail(span, problem);
    }
    (native.run)(&mut call)
}

fn wrong_count(native: &Native, most: usize, given: usize) -> Problem {
    Problem::ArgumentCount {
        callee: native.name.to_owned(),
        takes: (native.required, most),
        given,
    }
}

/// The function of a name in a table.
pub fn in_table(table: &'static [Native], name: &str) -> Option<Value> {
    table.iter().find(|n| n.name == name).map(Value::Native)
}
