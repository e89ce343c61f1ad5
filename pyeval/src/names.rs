//! What code that runs can do: count what it uses, and ask the evaluator.

use crate::burial::bury;
use crate::code::Code;
use crate::error::{Failure as Failed, Limit};
use crate::value::{
    Args, Bound, Class, Evaluator, Flow, Function, IterRef, Names, Result, Scope, Value,
};
use diagnostics::Span;
use ruff_python_ast::{Expr, Stmt};
use std::rc::Rc;

impl<'n> dyn Names + 'n {
    /// Counts steps of computation; an error if there are too many.
    pub fn tick(&mut self, span: Span, steps: u64) -> Result<()> {
        within(span, self.host().state().bounds.tick(steps))
    }

    /// Counts memory taken, in words of 40 bytes; an error if it is too much.
    pub fn charge(&mut self, span: Span, cells: u64) -> Result<()> {
        within(span, self.host().state().bounds.charge(cells))
    }

    /// Goes one call deeper; an error if they are nested too deeply.
    pub fn deeper<T>(
        &mut self,
        span: Span,
        f: impl FnOnce(&mut (dyn Names + 'n)) -> Result<T>,
    ) -> Result<T> {
        within(span, self.host().state().bounds.enter())?;
        let result = f(self);
        self.host().state().bounds.leave();
        result
    }

    /// The value of an expression.
    pub fn eval(&mut self, expr: &Expr) -> Result<Value> {
        self.evaluator().eval(expr, self)
    }

    /// Runs statements.
    pub fn exec(&mut self, stmts: &[Stmt]) -> Result<Flow> {
        self.evaluator().exec(stmts, self)
    }

    /// Calls a value.
    pub fn call(&mut self, callee: &Value, args: Args) -> Result<Value> {
        self.evaluator().call(callee, args, self)
    }

    /// Calls a value with arguments by position.
    pub fn call_with(&mut self, callee: &Value, args: Vec<Value>, span: Span) -> Result<Value> {
        self.call(callee, Args::positional(args, span))
    }

    /// Runs a function, a method of the class `owner`, whoever may call it.
    pub fn run(&mut self, f: &Rc<Function>, args: Args, owner: &Rc<Class>) -> Result<Value> {
        let evaluator = self.evaluator();
        evaluator.run(f, args, Some(owner), self.host())
    }

    /// An attribute of a value, if it has one of the name.
    pub fn attribute(&mut self, object: &Value, name: &str, span: Span) -> Result<Option<Value>> {
        self.evaluator().attribute(object, name, span, self)
    }

    /// The code of the function at a place, made on first use.
    pub fn code(&mut self, span: Span, make: impl FnOnce() -> Code) -> Rc<Code> {
        let known = self.host().state().codes.entry(span);
        known.or_insert_with(|| Rc::new(make())).clone()
    }

    fn evaluator(&mut self) -> &'static dyn Evaluator {
        self.host().state().evaluator
    }
}

/// An exceeded bound as a failure at a place.
pub fn within<T>(span: Span, result: std::result::Result<T, Limit>) -> Result<T> {
    result.map_err(|limit| Failed::new(span, limit))
}

impl Function {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.code.name
    }
    /// The place of the definition.
    pub fn span(&self) -> Span {
        self.code.span
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        bury((std::mem::take(&mut self.defaults), self.memo.take()));
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        let callee = std::mem::replace(&mut self.callee, Value::None);
        bury((callee, std::mem::take(&mut self.first)));
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        bury(std::mem::take(self.vars.get_mut()));
    }
}

impl Drop for IterRef {
    fn drop(&mut self) {
        if Rc::strong_count(&self.0) == 1 {
            bury(self.0.clone());
        }
    }
}
