//! A kernel's header and body: parameters, nested kernels, and what callers see of it.

use super::lowerer::Lowerer;
use super::scope::Local;
use crate::diagnostics::{Diagnostic, Span};
use crate::frontend::allo::Allo;
use crate::frontend::builder::state::Builder;
use crate::frontend::constant::ConstValue;
use crate::frontend::decorator::kernel_decorator;
use crate::frontend::error::{Failure, Result, fail};
use crate::frontend::pto::tile_type::Tile;
use crate::frontend::session::{Passing, Session, Signature, Slot, Worker};
use crate::frontend::types::{self, Type};
use crate::frontend::values::Typed;
use crate::frontend::world::Bindings;
use crate::frontend::{codes, scan};
use crate::ir::analysis::touch;
use crate::ir::{ArrayKind, Kernel, Op, OpKind, Param};
use pyeval::Names;
use ruff_python_ast::{Stmt, StmtFunctionDef};
use ruff_text_size::Ranged;

/// Lowers a definition with its templates bound to a kernel of the given name. `inferred` are the types
/// of the parameters without annotation, of a nested kernel only. Errors in statements are reported to the session; then the kernel returned is of no use.
pub fn kernel(
    session: &mut Session<'_>,
    def: usize,
    name: String,
    bindings: Bindings,
    inferred: &[ConstValue],
    worker: Option<&Worker>,
) -> Result<(Kernel, Signature)> {
    let (ast, file, module, options, parent) = {
        let d = &session.world.defs[def];
        (d.ast, d.file, d.module, d.options, d.env)
    };
    let evaluated = session.world.defs[def].evaluated.clone();
    let scope = session.world.defs[def].scope.clone();
    let mut lowerer = Lowerer::new(session, file, module, options, bindings, parent);
    lowerer.inferred = inferred.to_vec();
    lowerer.worker = worker.cloned();
    lowerer.evaluated = evaluated;
    lowerer.scope = scope;
    let (mut kernel, signature) = lowerer.kernel(ast, name)?;
    let def = &session.world.defs[def];
    if let Some(module) = &def.foreign {
        kernel.foreign = Some(Box::new(module.of(&kernel, session.world.sources, file)?));
    }
    Ok((kernel, signature))
}

/// A declared parameter: what it is in the ir (an array of streams is several), its name, and what callers see.
type Declared = (Vec<Param>, String, Passing);

impl<'a> Lowerer<'_, 'a> {
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
        // Annotations mean what they do outside of the kernel, whatever its parameters are called.
        let slots = self.result_slots(ast);
        let params = self.parameters(ast)?;
        let slots = slots?;
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
            values: builder.values,
            arrays: builder.arrays,
            params: params.iter().flat_map(|p| p.0.clone()).collect(),
            results,
            body,
            ..Kernel::new(name, span)
        };
        self.check_sizes(&kernel);
        self.check_returns(&kernel, &ast.body);
        let signature = self.signature(&kernel, params);
        Ok((kernel, signature))
    }

    /// Only what the caller passes has room for any number of elements.
    fn check_sizes(&mut self, kernel: &Kernel) {
        for array in kernel.arrays.values() {
            if array.len() > array.kind.most_elements() {
                let name = &array.name;
                let message = format!("'{name}' has 2^32 elements or more, and is no parameter");
                self.report(Diagnostic::error(codes::SHAPE, array.span, message));
            }
        }
    }

    /// Processes run at the same time: none of them depends on where another one returns.
    fn check_returns(&mut self, kernel: &Kernel, body: &'a [Stmt]) {
        let passes_streams =
            |op: &Op| matches!(&op.kind, OpKind::Call(call) if call.passes_streams(kernel));
        // Of what is known while compiling nothing is left.
        let branches = kernel.body.any_op(&|op| matches!(op.kind, OpKind::If(_)));
        let mut early = Vec::new();
        scan::returns(&body[..body.len().saturating_sub(1)], &mut early);
        let is_network = branches && kernel.body.any_op(&passes_streams);
        if let (true, Some(first)) = (is_network, early.first()) {
            let message = "an early return beside processes";
            let error = Diagnostic::error(codes::RETURN_PLACE, self.span(first.range), message);
            self.report(error.help("processes run at the same time: return behind the last one"));
        }
    }

    fn signature(&self, kernel: &Kernel, params: Vec<Declared>) -> Signature {
        let written = touch::written(&kernel.body, |id, i| self.session.signature(id).param(i).2);
        let params = params
            .into_iter()
            .map(|(params, name, slot)| {
                let is_written =
                    |param: &Param| matches!(param, Param::Array(id) if written.contains(id));
                let writes = params.iter().any(is_written);
                (name, slot, writes)
            })
            .collect();
        Signature {
            params,
            results: self.results.slots.clone(),
        }
    }

    /// Declares the parameters; every bad one is reported.
    fn parameters(&mut self, ast: &'a StmtFunctionDef) -> Result<Vec<Declared>> {
        let p = &ast.parameters;
        let mut ok = true;
        for star in [&p.vararg, &p.kwarg].into_iter().flatten() {
            let span = self.span(star.range);
            let message = "a kernel cannot take a variable number of arguments";
            self.report(Diagnostic::error(codes::PARAMETER, span, message));
            ok = false;
        }
        let mut position = 0;
        let mut params = Vec::new();
        for param in p.iter_non_variadic_params() {
            if let Some(default) = &param.default {
                let span = self.span(default.range());
                let message = "default parameter values are not supported";
                self.report(Diagnostic::error(codes::PARAMETER, span, message));
                ok = false;
            }
            match self.parameter(&param.parameter, position) {
                Ok(declared) => {
                    position += declared.0.len();
                    params.push(declared);
                }
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
    ) -> Result<Declared> {
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
            Some(annotation) => {
                let span = self.span(annotation.range());
                let ty = match self.evaluated.get(&name) {
                    Some(value) => types::from_value(value.clone(), span)?,
                    None => types::annotation(annotation, self)?,
                };
                (ty, span)
            }
            None => (self.inferred_type(&name, span)?, span),
        };
        match ty {
            Type::Scalar(ty) => {
                let id = self.b.value(ty, Some(&name));
                self.declare(&name, Local::Scalar(Typed { id, ty }), span);
                let slot = Passing::Value(Slot::Scalar(ty));
                Ok((vec![Param::Scalar(id)], name, slot))
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
                let slot = Passing::Value(Slot::Array(elem, shape));
                Ok((vec![Param::Array(id)], name, slot))
            }
            Type::Stream(ty) => {
                let kind = |number| ArrayKind::Param(position + number);
                let streams = self.streams(&name, &ty, Vec::new(), kind, span);
                let params = streams.ids.iter().map(|id| Param::Array(*id)).collect();
                self.declare(&name, Local::Streams(streams), span);
                Ok((params, name, Passing::Streams(ty)))
            }
            Type::Tile(written) => {
                let tile = self.tile_type(&written, type_span)?;
                let kind = ArrayKind::Param(position);
                let array = self.tile_array(&name, &tile, kind, span);
                let ty = tile.clone();
                self.declare(&name, Local::Tile(Tile { array, ty }), span);
                Ok((vec![Param::Array(array)], name, Passing::Tile(tile)))
            }
            Type::Vector(ty) => fail(
                codes::PTO_PLACE,
                type_span,
                format!("a parameter is no {ty}: pass an array, and load it"),
            ),
            Type::Stateful(..) => fail(
                codes::STATE,
                type_span,
                "a parameter is not kept between invocations",
            ),
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

    /// Registers the nested kernels of the body, so that they can be called in any order; those whose decorator needs what the
    /// body declares are registered where they stand.
    fn nested_kernels(&mut self, body: &'a [Stmt]) {
        for stmt in body {
            if let Stmt::FunctionDef(f) = stmt
                && !self.needs_body(f)
            {
                self.register_nested(f);
            }
        }
    }

    /// Whether the decorator of a nested kernel has names that the body around it assigns.
    pub(super) fn needs_body(&self, f: &StmtFunctionDef) -> bool {
        let decorators = f.decorator_list.iter();
        let mut names = decorators.flat_map(|d| scan::names_in(&d.expression));
        names.any(|name| self.rebound.contains(&name))
    }

    pub(super) fn register_nested(&mut self, f: &'a StmtFunctionDef) {
        let span = self.span(f.name.range);
        let local = match self.nested_kernel(f) {
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

    fn nested_kernel(&mut self, f: &'a StmtFunctionDef) -> Result<ConstValue> {
        let span = self.span(f.name.range);
        match kernel_decorator(f, self)? {
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
                let def = self
                    .session
                    .world
                    .add_def(f, file, module, decorator, Some(outer));
                self.session.world.defs[def.def].scope = self.scope.clone();
                Ok(Allo::Kernel(def).into())
            }
        }
    }
}
