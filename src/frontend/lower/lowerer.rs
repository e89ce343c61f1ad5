//! The state of a kernel's lowering, and what names mean in it.

use super::results::Results;
use super::scope::{Local, Scopes};
use crate::diagnostics::{Diagnostic, FileId, Span};
use crate::frontend::allo::Allo;
use crate::frontend::builder::state::Builder;
use crate::frontend::codes;
use crate::frontend::constant::ConstValue;
use crate::frontend::error::{Failure, Result, fail};
use crate::frontend::options::Options;
use crate::frontend::session::{Env, Session, Worker};
use crate::frontend::values::{Operand, Value};
use crate::frontend::world::Bindings;
use crate::ir::{self, ArrayId, ArrayKind, OpKind, ValueId};
use indexmap::IndexMap;
use pyeval::{Args, Function, Host, Names, Place as Context, Scope};
use ruff_python_ast::Expr;
use ruff_text_size::{Ranged, TextRange};
use std::collections::HashSet;
use std::rc::Rc;

/// How far the current statement is from the top level of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Top level.
    Body,
    /// A first-level branch.
    Branch,
    /// A deeper branch.
    Nested,
    /// A loop or a match.
    Loop,
}

/// A kernel being lowered.
pub(super) struct Lowerer<'s, 'a> {
    /// The compilation.
    pub(super) session: &'s mut Session<'a>,
    pub(super) file: FileId,
    pub(super) module: usize,
    pub(super) options: Options,
    pub(super) bindings: Bindings,
    /// Environment of the enclosing kernel.
    pub(super) parent: Option<usize>,
    /// Environment given to nested kernels.
    pub(super) env: usize,
    pub(super) b: Builder,
    pub(super) scopes: Scopes,
    pub(super) results: Results,
    pub(super) place: Place,
    /// Errors reported before this kernel.
    pub(super) errors_before: usize,
    /// Names that the body assigns: in tensor mode, such parameters are copied first.
    pub(super) rebound: HashSet<String>,
    /// Which one of a grid it is.
    pub(super) worker: Option<Worker>,
    /// Types of the parameters without annotation, in order.
    pub(super) inferred: Vec<ConstValue>,
    /// Annotations that are values already, by parameter; the result's as `return`.
    pub(super) evaluated: IndexMap<String, ConstValue>,
    /// The scope of the Python function in which the kernel is defined.
    pub(super) scope: Option<Rc<Scope>>,
    /// The last call that was a statement of its own.
    pub(super) called: Option<TextRange>,
    /// Variables of loops.
    pub(super) counters: HashSet<ValueId>,
}

impl Names for Lowerer<'_, '_> {
    fn lookup(&mut self, name: &str, span: Span) -> Result<ConstValue> {
        match self.resolve(name, span)? {
            Value::Const(value) => Ok(value),
            _ => fail(
                codes::NOT_CONST,
                span,
                format!("'{name}' is not known at compile time"),
            ),
        }
    }
    fn bind(&mut self, name: &str, _: Option<ConstValue>, span: Span) -> Result<()> {
        let message = format!("'{name}' cannot be assigned in an expression of a kernel");
        fail(codes::TARGET, span, message)
    }
    fn file(&self) -> FileId {
        self.file
    }
    fn file_text(&self) -> &str {
        &self.session.world.sources.file(self.file).text
    }
    fn place(&self) -> Context {
        Context {
            module: self.module,
            scope: None,
            foreign: true,
        }
    }
    fn host(&mut self) -> &mut dyn Host {
        &mut self.session.world
    }
    fn call_function(&mut self, f: &Rc<Function>, args: Args) -> Result<ConstValue> {
        if !f.marked {
            return not_consteval(f, args.span);
        }
        pyeval::run_function(f, args, None, &mut self.session.world)
    }
}

impl<'s, 'a> Lowerer<'s, 'a> {
    pub(super) fn new(
        session: &'s mut Session<'a>,
        file: FileId,
        module: usize,
        options: Options,
        bindings: Bindings,
        parent: Option<usize>,
    ) -> Self {
        session.envs.push(Env {
            parent,
            ..Env::default()
        });
        let env = session.envs.len() - 1;
        let errors_before = session.errors();
        Lowerer {
            session,
            file,
            module,
            options,
            bindings,
            parent,
            env,
            b: Builder::new(options),
            scopes: Scopes::new(),
            results: Results::default(),
            place: Place::Body,
            errors_before,
            rebound: HashSet::new(),
            worker: None,
            inferred: Vec::new(),
            evaluated: IndexMap::new(),
            scope: None,
            called: None,
            counters: HashSet::new(),
        }
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.session.report(diagnostic.into());
    }

    /// Declares a local and lets nested kernels know of it.
    pub(super) fn declare(&mut self, name: &str, local: Local, span: Span) {
        let seen = match &local {
            Local::Const(value) => Some(value.clone()),
            _ => None,
        };
        if self.scopes.at_top() {
            self.session.envs[self.env]
                .names
                .insert(name.to_owned(), seen);
        }
        self.scopes.declare(name, local, span);
    }

    pub(super) fn check_undeclared(&self, name: &str, span: Span) -> Result<()> {
        match self.scopes.get(name) {
            None => Ok(()),
            Some(earlier) => Err(Diagnostic::error(
                codes::REDECLARED,
                span,
                format!("'{name}' is already declared"),
            )
            .note_at(earlier.span, "the earlier declaration is here")
            .help("assign to it without an annotation, or choose another name")
            .into()),
        }
    }

    /// The value of a name: local, captured, global or built-in.
    pub(super) fn resolve(&mut self, name: &str, span: Span) -> Result<Value> {
        let value = match self.scopes.get(name) {
            Some(found) => match &found.local {
                Local::Scalar(typed) => return Ok(Value::Scalar(*typed)),
                Local::Array(id) => {
                    return Ok(Value::Array {
                        id: *id,
                        fresh: false,
                    });
                }
                Local::State(id) => {
                    let id = *id;
                    return Ok(Value::Scalar(self.load(id, vec![], span)));
                }
                Local::Vector(vector) => return Ok(Value::Vector(vector.clone())),
                Local::Tile(tile) => return Ok(Value::Tile(tile.clone())),
                Local::Streams(streams) => return Ok(Value::Streams(streams.clone())),
                Local::Poisoned => return Err(Failure::Reported),
                Local::Const(value) => value.clone(),
            },
            None => self.resolve_outside(name, span)?,
        };
        self.bound_template(value, span).map(Value::Const)
    }

    pub(super) fn resolve_outside(&mut self, name: &str, span: Span) -> Result<ConstValue> {
        let mut env = self.parent;
        while let Some(id) = env {
            match self.session.envs[id].names.get(name) {
                Some(Some(value)) => return Ok(value.clone()),
                Some(None) => {
                    return Err(Diagnostic::error(
                        codes::CAPTURE,
                        span,
                        format!("a nested kernel cannot capture the runtime value '{name}'"),
                    )
                    .help("pass it as an argument")
                    .into());
                }
                None => env = self.session.envs[id].parent,
            }
        }
        if let Some(scope) = &self.scope
            && let Some(found) = scope.variable(name, span)
        {
            return found;
        }
        match pyeval::global(&self.session.world, self.module, name, span) {
            Some(found) => found,
            None => Err(self.undefined(name, span)),
        }
    }

    /// The error for a name that nothing binds.
    fn undefined(&self, name: &str, span: Span) -> Failure {
        if let Some(declared) = self.scopes.ended(name) {
            let message = format!("Name '{name}' is not defined");
            return Diagnostic::error(codes::UNDEFINED, span, message)
                .note_at(
                    declared,
                    format!("'{name}' belongs to a block that has ended"),
                )
                .help("declare a variable before the block and assign it there")
                .into();
        }
        let mut locals = self.scopes.names();
        let world = &self.session.world;
        world.undefined(self.module, name, span, &mut locals)
    }

    pub(super) fn bound_template(&self, value: ConstValue, span: Span) -> Result<ConstValue> {
        let Some(Allo::Template(template)) = Allo::of(&value) else {
            return Ok(value.plain());
        };
        match self.bindings.iter().rev().find(|(t, _)| t == template) {
            Some((_, bound)) => Ok(bound.clone()),
            None => {
                let name = template.name();
                let message = format!("template '{name}' is not one of this kernel's templates");
                fail(codes::TEMPLATE, span, message)
            }
        }
    }

    /// The value of an expression of which everything is known while compiling.
    pub(super) fn known(&mut self, expr: &Expr) -> Result<ConstValue> {
        let names: &mut dyn Names = self;
        names.eval(expr)
    }

    pub(super) fn operand(&mut self, expr: &'a Expr) -> Result<Operand> {
        Ok(Operand {
            value: self.expr(expr)?,
            span: self.span(expr.range()),
        })
    }

    /// A private copy of an array.
    pub(super) fn copy_of(&mut self, id: ArrayId, span: Span) -> ArrayId {
        let (name, elem) = (format!("{}_copy", self.array(id).name), self.array(id).elem);
        let shape = self.array(id).shape.clone();
        let copy = self.b.array(&name, elem, &shape, ArrayKind::Local, span);
        self.b
            .push(OpKind::Copy { dst: copy, src: id }, vec![], span);
        copy
    }

    pub(super) fn array(&self, id: ArrayId) -> &ir::Array {
        &self.b.arrays[id]
    }
}

/// Refuses a call of a plain Python function.
pub(super) fn not_consteval<T>(f: &Function, span: Span) -> Result<T> {
    Err(Diagnostic::error(
        codes::NOT_CALLABLE,
        span,
        format!("'{}' is a Python function, not a kernel", f.name()),
    )
    .help("decorate it with @consteval to call it at compile time, or with @kernel")
    .into())
}
