//! One kernel's syntax to one ir kernel.

mod bits;
pub mod builder;
mod call;
mod chain;
mod elementwise;
mod expr;
mod loops;
mod returns;
mod scope;
mod stmt;
mod subnormals;

use super::codes;
use super::consteval::{ConstArgs, Host, Names, Place as Context};
use super::error::{Failure, Result, fail};
use super::interp;
use super::module;
use super::scan;
use super::session::{Bindings, Env, Session, Signature, Slot};
use super::types::{self, Type};
use super::values::{ConstValue, Function, Options, Typed, Value};
use crate::diagnostics::{Diagnostic, FileId, Span};
use crate::ir::analysis::touch;
use crate::ir::{self, ArrayId, ArrayKind, Kernel, OpKind, Param};
use builder::{Builder, Operand};
use ruff_python_ast::{Expr, Stmt, StmtFunctionDef};
use ruff_text_size::Ranged;
use scope::{Local, Scopes};
use std::collections::HashSet;
use std::rc::Rc;

/// Lowers a definition with its templates bound to a kernel of the given name. `inferred` are the types
/// of the parameters without annotation, of a nested kernel only. Errors in statements are reported to the session; then the kernel returned is of no use.
pub fn kernel(
    session: &mut Session<'_>,
    def: usize,
    name: String,
    bindings: Bindings,
    inferred: &[ConstValue],
) -> Result<(Kernel, Signature)> {
    let (ast, file, module, options, parent) = {
        let d = &session.defs[def];
        (d.ast, d.file, d.module, d.options, d.env)
    };
    let mut lowerer = Lowerer::new(session, file, module, options, bindings, parent);
    lowerer.inferred = inferred.to_vec();
    lowerer.kernel(ast, name)
}

/// The value of an expression over locals of given types, as a kernel with the options would have it:
/// its type, and a line for each typing decision.
pub fn type_of_expression<'a>(
    session: &mut Session<'a>,
    file: FileId,
    options: Options,
    locals: &[(String, Type)],
    expr: &'a Expr,
) -> Result<(Typing, Vec<String>)> {
    let mut lowerer = Lowerer::new(session, file, 0, options, Rc::from([]), None);
    lowerer.b.explanation = Some(Vec::new());
    for (name, ty) in locals {
        let span = lowerer.span(expr.range());
        let local = match ty {
            Type::Scalar(ty) => Local::Scalar(Typed {
                id: lowerer.b.value(*ty, Some(name)),
                ty: *ty,
            }),
            Type::Shaped(elem, shape) => {
                Local::Array(lowerer.b.array(name, *elem, shape, ArrayKind::Local, span))
            }
            Type::Constexpr => Local::Poisoned,
        };
        lowerer.declare(name, local, span);
    }
    let value = lowerer.expr(expr)?;
    let typing = lowerer.typing(&value);
    Ok((typing, lowerer.b.explanation.take().unwrap_or_default()))
}

/// How far the current statement is from the top level of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Top level.
    Body,
    /// A first-level branch.
    Branch,
    /// A deeper branch.
    Nested,
    /// A loop or a match.
    Loop,
}

/// What an expression is: known while compiling, or of a type.
#[derive(Clone, Debug)]
pub enum Typing {
    /// Known.
    Known(ConstValue),
    /// A scalar or shaped value.
    Type(Type),
    /// Several values.
    Tuple(Vec<Typing>),
}

struct Lowerer<'s, 'a> {
    session: &'s mut Session<'a>,
    file: FileId,
    module: usize,
    options: Options,
    bindings: Bindings,
    /// Environment of the enclosing kernel.
    parent: Option<usize>,
    /// Environment given to nested kernels.
    env: usize,
    b: Builder,
    scopes: Scopes,
    results: returns::Results,
    place: Place,
    /// Errors reported before this kernel.
    errors_before: usize,
    /// Names that the body assigns: in tensor mode, such parameters are copied first.
    rebound: HashSet<String>,
    /// Types of the parameters without annotation, in order.
    inferred: Vec<ConstValue>,
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
        &self.session.sources.file(self.file).text
    }
    fn place(&self) -> Context {
        Context {
            module: self.module,
            scope: None,
            kernel: true,
        }
    }
    fn host(&mut self) -> &mut dyn Host {
        self.session
    }
    fn call_function(&mut self, f: &Rc<Function>, args: ConstArgs) -> Result<ConstValue> {
        if !f.consteval {
            return call::not_consteval(f, args.span);
        }
        interp::call(self.session, f, args, None)
    }
}

impl<'s, 'a> Lowerer<'s, 'a> {
    fn new(
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
            results: returns::Results::default(),
            place: Place::Body,
            errors_before,
            rebound: HashSet::new(),
            inferred: Vec::new(),
        }
    }

    /// What `typeof` answers for a value.
    fn typing(&self, value: &Value) -> Typing {
        match value {
            Value::Const(value) => Typing::Known(value.clone()),
            Value::Scalar(typed) => Typing::Type(Type::Scalar(typed.ty)),
            Value::Array { id, .. } => {
                let array = self.array(*id);
                Typing::Type(Type::Shaped(array.elem, array.shape.clone().into()))
            }
            Value::Tuple(items) => Typing::Tuple(items.iter().map(|v| self.typing(v)).collect()),
        }
    }

    fn kernel(&mut self, ast: &'a StmtFunctionDef, name: String) -> Result<(Kernel, Signature)> {
        let span = self.span(ast.name.range);
        if let Some(params) = &ast.type_params {
            return fail(
                codes::TEMPLATE,
                self.span(params.range),
                "type parameters are written with Template(...), not in brackets",
            );
        }
        self.rebound = scan::assigned_names(&ast.body).into_keys().collect();
        let params = self.parameters(ast)?;
        let slots = self.result_slots(ast)?;
        self.plan_results(slots, &ast.body);
        self.nested_kernels(&ast.body);
        let flow = self.body(&ast.body);
        let yields = match flow {
            Some(values) => values,
            None => {
                self.check_fallthrough(span);
                Vec::new()
            }
        };
        let body = self.b.close(yields);
        let results = self.finish_results();
        let builder = std::mem::replace(&mut self.b, Builder::new(self.options));
        let kernel = Kernel {
            name,
            span,
            values: builder.values,
            arrays: builder.arrays,
            params: params.iter().map(|p| p.0.clone()).collect(),
            results,
            body,
        };
        let signature = self.signature(&kernel, params);
        Ok((kernel, signature))
    }

    fn signature(&self, kernel: &Kernel, params: Vec<(Param, String, Slot)>) -> Signature {
        let written = touch::written(&kernel.body, |id, i| self.session.signature(id).params[i].2);
        let params = params
            .into_iter()
            .map(|(param, name, slot)| {
                let writes = matches!(param, Param::Array(id) if written.contains(&id));
                (name, slot, writes)
            })
            .collect();
        Signature {
            params,
            results: self.results.slots.clone(),
        }
    }

    /// Declares the parameters; every bad one is reported.
    fn parameters(&mut self, ast: &'a StmtFunctionDef) -> Result<Vec<(Param, String, Slot)>> {
        let p = &ast.parameters;
        let mut ok = true;
        for star in [&p.vararg, &p.kwarg].into_iter().flatten() {
            let span = self.span(star.range);
            let message = "a kernel cannot take a variable number of arguments";
            self.report(Diagnostic::error(codes::PARAMETER, span, message));
            ok = false;
        }
        let mut params = Vec::new();
        for param in p.iter_non_variadic_params() {
            if let Some(default) = &param.default {
                let span = self.span(default.range());
                let message = "default parameter values are not supported";
                self.report(Diagnostic::error(codes::PARAMETER, span, message));
                ok = false;
            }
            match self.parameter(&param.parameter, params.len()) {
                Ok(declared) => params.push(declared),
                Err(failure) => {
                    self.session.report(failure);
                    let span = self.span(param.parameter.name.range);
                    self.scopes
                        .declare(&param.parameter.name.id, Local::Poisoned, span);
                    ok = false;
                }
            }
        }
        if ok {
            Ok(params)
        } else {
            Err(Failure::Reported)
        }
    }

    fn parameter(
        &mut self,
        param: &'a ruff_python_ast::Parameter,
        position: usize,
    ) -> Result<(Param, String, Slot)> {
        let name = param.name.id.to_string();
        let span = self.span(param.name.range);
        if let Some(earlier) = self.scopes.get(&name) {
            return Err(Diagnostic::error(
                codes::PARAMETER,
                span,
                format!("duplicate parameter '{name}'"),
            )
            .note_at(earlier.span, "the first one is here")
            .into());
        }
        let (ty, type_span) = match &param.annotation {
            Some(annotation) => (
                types::annotation(annotation, self)?,
                self.span(annotation.range()),
            ),
            None => (self.inferred_type(&name, span)?, span),
        };
        match ty {
            Type::Scalar(ty) => {
                let id = self.b.value(ty, Some(&name));
                self.declare(&name, Local::Scalar(Typed { id, ty }), span);
                Ok((Param::Scalar(id), name, Slot::Scalar(ty)))
            }
            Type::Shaped(elem, shape) => {
                let kind = ArrayKind::Param(position);
                let id = self.b.array(&name, elem, &shape, kind, span);
                let own = if self.options.enable_tensor && self.rebound.contains(&name) {
                    self.copy_of(id, span)
                } else {
                    id
                };
                self.declare(&name, Local::Array(own), span);
                Ok((Param::Array(id), name, Slot::Array(elem, shape)))
            }
            Type::Constexpr => Err(Diagnostic::error(
                codes::ANNOTATION,
                type_span,
                "a parameter cannot be constexpr",
            )
            .help("use a Template for a compile-time parameter")
            .into()),
        }
    }

    /// The type that the arguments gave the next parameter without annotation.
    fn inferred_type(&mut self, name: &str, span: Span) -> Result<Type> {
        if self.inferred.is_empty() {
            let message = format!("parameter '{name}' has no type annotation");
            return Err(Diagnostic::error(codes::ANNOTATION_MISSING, span, message)
                .help(format!("write its type, such as `{name}: i32`"))
                .into());
        }
        types::from_value(self.inferred.remove(0), span)
    }

    /// Registers the nested kernels of the body, so that they can be called in any order.
    fn nested_kernels(&mut self, body: &'a [Stmt]) {
        for stmt in body {
            let Stmt::FunctionDef(f) = stmt else { continue };
            let span = self.span(f.name.range);
            let registered = self.nested_kernel(f);
            let local = match registered {
                Ok(value) => Local::Const(value),
                Err(failure) => {
                    self.session.report(failure);
                    Local::Poisoned
                }
            };
            if let Err(failure) = self.check_undeclared(&f.name.id, span) {
                self.session.report(failure);
            }
            self.declare(&f.name.id, local, span);
        }
    }

    fn nested_kernel(&mut self, f: &'a StmtFunctionDef) -> Result<ConstValue> {
        let span = self.span(f.name.range);
        match module::kernel_decorator(f, self)? {
            None => Err(Diagnostic::error(
                codes::DECORATOR,
                span,
                format!("the function '{}' in a kernel is not a kernel", f.name.id),
            )
            .help("decorate it with @kernel")
            .into()),
            Some(decorator) => {
                let outer = (self.options, self.bindings.clone(), self.env);
                let (file, module) = (self.file, self.module);
                let def = module::add_def(self.session, f, file, module, decorator, Some(outer));
                Ok(ConstValue::Kernel(def))
            }
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.session.report(diagnostic.into());
    }

    /// Declares a local and lets nested kernels know of it.
    fn declare(&mut self, name: &str, local: Local, span: Span) {
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

    fn check_undeclared(&self, name: &str, span: Span) -> Result<()> {
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
    fn resolve(&mut self, name: &str, span: Span) -> Result<Value> {
        let value = match self.scopes.get(name) {
            Some(found) => match &found.local {
                Local::Scalar(typed) => return Ok(Value::Scalar(*typed)),
                Local::Array(id) => {
                    return Ok(Value::Array {
                        id: *id,
                        fresh: false,
                    });
                }
                Local::Poisoned => return Err(Failure::Reported),
                Local::Const(value) => value.clone(),
            },
            None => self.resolve_outside(name, span)?,
        };
        self.bound_template(value, span).map(Value::Const)
    }

    fn resolve_outside(&mut self, name: &str, span: Span) -> Result<ConstValue> {
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
        match self.session.global(self.module, name, span) {
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
        let locals: Vec<String> = self.scopes.names().map(str::to_owned).collect();
        self.session.undefined(self.module, name, span, &locals)
    }

    fn bound_template(&self, value: ConstValue, span: Span) -> Result<ConstValue> {
        let ConstValue::Template(id) = value else {
            return Ok(value.for_kernel());
        };
        match self.bindings.iter().rev().find(|(t, _)| *t == id) {
            Some((_, bound)) => Ok(bound.clone()),
            None => fail(
                codes::TEMPLATE,
                span,
                format!(
                    "template '{}' is not one of this kernel's templates",
                    self.session.templates[id]
                ),
            ),
        }
    }

    fn operand(&mut self, expr: &'a Expr) -> Result<Operand> {
        Ok(Operand {
            value: self.expr(expr)?,
            span: self.span(expr.range()),
        })
    }

    /// A private copy of an array.
    fn copy_of(&mut self, id: ArrayId, span: Span) -> ArrayId {
        let (name, elem) = (format!("{}_copy", self.array(id).name), self.array(id).elem);
        let shape = self.array(id).shape.clone();
        let copy = self.b.array(&name, elem, &shape, ArrayKind::Local, span);
        self.b
            .push(OpKind::Copy { dst: copy, src: id }, vec![], span);
        copy
    }

    fn array(&self, id: ArrayId) -> &ir::Array {
        &self.b.arrays[id]
    }
}
