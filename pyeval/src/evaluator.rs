//! The evaluator as a whole, which its parts call through [`State`].

use crate::bounds::Bounds;
use crate::value::{Args, Class, Evaluator, Flow, Function, Host, Names, Result, State, Value};
use crate::{attributes, calls, eval, functions, statements};
use diagnostics::Span;
use ruff_python_ast::{Expr, Stmt};
use std::collections::HashMap;
use std::rc::Rc;

struct Python;

impl Evaluator for Python {
    fn eval(&self, expr: &Expr, names: &mut dyn Names) -> Result<Value> {
        eval::eval(expr, names)
    }
    fn exec(&self, stmts: &[Stmt], names: &mut dyn Names) -> Result<Flow> {
        statements::exec(stmts, names)
    }
    fn call(&self, callee: &Value, args: Args, names: &mut dyn Names) -> Result<Value> {
        calls::call(callee, args, names)
    }
    fn run(
        &self,
        f: &Rc<Function>,
        args: Args,
        owner: Option<&Rc<Class>>,
        host: &mut dyn Host,
    ) -> Result<Value> {
        functions::run(f, args, owner, host)
    }
    fn attribute(
        &self,
        object: &Value,
        name: &str,
        span: Span,
        names: &mut dyn Names,
    ) -> Result<Option<Value>> {
        attributes::find(object, name, span, names)
    }
}

impl Default for State {
    fn default() -> State {
        State {
            bounds: Bounds::default(),
            codes: HashMap::new(),
            evaluator: &Python,
        }
    }
}
