//! Calls: kernels, operators and compile-time functions.

use super::bufferize;
use super::lowerer::{Lowerer, Place, not_consteval};
use super::returns::Condition;
use crate::diagnostics::{Diagnostic, Span, suggest};
use crate::frontend::allo::{Allo, Builtin, surface};
use crate::frontend::builder::Operator;
use crate::frontend::codes;
use crate::frontend::constant::ConstValue;
use crate::frontend::error::{Failure, Result, fail};
use crate::frontend::kernel_ref::KernelRef;
use crate::frontend::namespaces::Namespace;
use crate::frontend::promote::Style;
use crate::frontend::pto::modes;
use crate::frontend::pto::operation::{Invocation, Operation};
use crate::frontend::pto::thing::Thing;
use crate::frontend::session::{Passing, Signature, Slot};
use crate::frontend::stream_type::shaped_name;
use crate::frontend::values::{Operand, Typed, Value, describe};
use crate::ir::{Arg, ArrayId, ArrayKind, Call, OpKind, Scalar, ValueId};
use pyeval::{HostValue, Names, arity_text, freeze};
use ruff_python_ast::{self as ast, Expr};
use ruff_text_size::Ranged;

/// Evaluated arguments.
struct Args {
    positional: Vec<Operand>,
    /// By name, with the place of the whole argument.
    named: Vec<(String, Span, Operand)>,
    span: Span,
}

impl Args {
    /// Whether every argument is known while compiling.
    fn are_known(&self) -> bool {
        let named = self.named.iter().map(|(.., operand)| operand);
        let mut all = self.positional.iter().chain(named);
        all.all(|operand| matches!(operand.value, Value::Const(_)))
    }
}

impl<'a> Lowerer<'_, 'a> {
    /// The value of a call expression.
    pub(super) fn call(&mut self, e: &'a ast::ExprCall) -> Result<Value> {
        let span = self.span(e.range());
        let callee = match &*e.func {
            Expr::Attribute(method) if method.attr.id == bufferize::NAME => {
                match self.expr(&method.value)? {
                    Value::Array { id, .. } => return self.bufferize(id, e, 0),
                    other => self.attribute_of(other, method, self.span(method.range))?,
                }
            }
            Expr::Attribute(method) => match self.expr(&method.value)? {
                Value::Streams(streams) => return self.stream_call(&streams, method, e),
                other => self.attribute_of(other, method, self.span(method.range))?,
            },
            func => self.expr(func)?,
        };
        let callee = match callee {
            Value::Const(callee) => callee,
            other => return self.not_callable(&describe(&other), span),
        };
        match Allo::of(&callee) {
            Some(Allo::Kernel(kernel)) => self.call_kernel(kernel, e, span),
            Some(Allo::Operator(op)) => self.call_operator(op, &callee, e, span),
            Some(Allo::Pto(Thing::Operation(op))) => self.call_pto(op, e, span),
            Some(Allo::Builtin(Builtin::Len)) => self.call_len(&callee, e, span),
            Some(Allo::Builtin(Builtin::Assume)) => self.assume(e),
            Some(Allo::Builtin(Builtin::Bufferize)) => self.call_bufferize(e),
            Some(Allo::Builtin(Builtin::Worker(extent))) => self.worker_index(*extent, e),
            Some(Allo::Builtin(Builtin::Range | Builtin::Grid)) => fail(
                codes::LOOP,
                span,
                "range and grid stand in the header of a for loop only",
            ),
            Some(Allo::Type(ty)) if *ty != Scalar::BOOL => Err(Diagnostic::error(
                codes::NOT_CALLABLE,
                span,
                format!("the type {ty} cannot be called"),
            )
            .help(format!(
                "declare a variable of the type, or use allo.arith.cast(x, {ty})"
            ))
            .into()),
            Some(Allo::Builtin(_) | Allo::Type(_) | Allo::Pto(Thing::Tile)) => {
                self.call_known(&callee, e, span)
            }
            Some(other) => self.not_callable(other.kind(), span),
            None => self.call_python(&callee, e, span),
        }
    }

    /// `allo.assume(cond)`; `allo.assume(array, i, ...)`.
    fn assume(&mut self, e: &'a ast::ExprCall) -> Result<Value> {
        let span = self.span(e.range());
        let ([test], []) = (&*e.arguments.args, &*e.arguments.keywords) else {
            return self.promise(e);
        };
        match self.condition(test)? {
            Condition::Known(true) => {}
            Condition::Known(false) => {
                let message = "what is assumed is never so";
                return fail(codes::ARGUMENTS, self.span(test.range()), message);
            }
            Condition::Runtime(cond) => self.b.push(OpKind::Assume { cond: cond.id }, vec![], span),
        }
        Ok(ConstValue::None.into())
    }

    /// A call of something that Python can call while compiling.
    fn call_python(
        &mut self,
        callee: &ConstValue,
        e: &'a ast::ExprCall,
        span: Span,
    ) -> Result<Value> {
        match callee {
            ConstValue::Function(f) if !f.marked => not_consteval(f, span),
            ConstValue::Function(_)
            | ConstValue::Native(_)
            | ConstValue::Bound(_)
            | ConstValue::Class(_)
            | ConstValue::Object(_)
            | ConstValue::Dtype(_)
            | ConstValue::Host(_) => self.call_known(callee, e, span),
            other => self.not_callable(other.kind(), span),
        }
    }

    fn not_callable<T>(&self, what: &str, span: Span) -> Result<T> {
        fail(
            codes::NOT_CALLABLE,
            span,
            format!(
                "{what} cannot be called; only kernels, operators and compile-time functions can"
            ),
        )
    }

    fn args(&mut self, e: &'a ast::ExprCall) -> Result<Args> {
        let span = self.span(e.range());
        let mut args = Args {
            positional: Vec::new(),
            named: Vec::new(),
            span,
        };
        for arg in &e.arguments.args {
            if let Expr::Starred(s) = arg {
                return fail(
                    codes::ARGUMENTS,
                    self.span(s.range),
                    "starred arguments are not supported",
                );
            }
            args.positional.push(self.operand(arg)?);
        }
        for keyword in &e.arguments.keywords {
            let Some(name) = &keyword.arg else {
                return fail(
                    codes::ARGUMENTS,
                    self.span(keyword.range()),
                    "'**' arguments are not supported",
                );
            };
            let (span, operand) = (self.span(keyword.range()), self.operand(&keyword.value)?);
            args.named.push((name.id.to_string(), span, operand));
        }
        Ok(args)
    }

    fn call_known(
        &mut self,
        callee: &ConstValue,
        e: &'a ast::ExprCall,
        span: Span,
    ) -> Result<Value> {
        let args = self.args(e)?;
        self.call_with_known(callee, args, e, span)
    }

    fn call_with_known(
        &mut self,
        callee: &ConstValue,
        args: Args,
        e: &ast::ExprCall,
        span: Span,
    ) -> Result<Value> {
        let name = self.source(e.func.range());
        let known = |operand: &Operand| match &operand.value {
            Value::Const(value) => Ok(value.clone()),
            _ => Err(Failure::from(needs_constant(&name, operand.span))),
        };
        let positional = args.positional.iter().map(known).collect::<Result<_>>()?;
        let named = args
            .named
            .iter()
            .map(|(name, _, operand)| Ok((name.clone(), known(operand)?)))
            .collect::<Result<_>>()?;
        let args = pyeval::Args {
            positional,
            named,
            span,
        };
        let names: &mut dyn Names = self;
        let value = names.call(callee, args)?.plain();
        freeze(&value);
        Ok(Value::Const(value))
    }

    fn call_len(&mut self, len: &ConstValue, e: &'a ast::ExprCall, span: Span) -> Result<Value> {
        if let [arg] = &e.arguments.args[..]
            && let Value::Array { id, .. } = self.expr(arg)?
        {
            return match self.array(id).shape.first() {
                Some(extent) => Ok(ConstValue::Int((*extent).into()).into()),
                None => fail(codes::CONST_EVAL, span, "a rank-0 value has no length"),
            };
        }
        self.call_known(len, e, span)
    }

    fn call_operator(
        &mut self,
        op: &'static Operator,
        callee: &ConstValue,
        e: &'a ast::ExprCall,
        span: Span,
    ) -> Result<Value> {
        let args = self.args(e)?;
        let own = |name: &str| name == "acc" || op.option == Some(name);
        let pythons = !args.named.iter().any(|(name, ..)| own(name));
        if pythons && callee.builtin().is_some() && args.are_known() {
            // Python's own `min(TABLE)`, `max(words, key=len)`.
            return self.call_with_known(callee, args, e, span);
        }
        let mut args = args;
        // Python's own `max` takes any number of operands: there the last one is an accumulator only if nothing else takes the
        // result.
        let pythons = matches!(&*e.func, Expr::Name(_)) && callee.builtin().is_some();
        let by_position = match pythons && self.called != Some(e.range()) {
            true => None,
            false => self.accumulator_by_position(op, &mut args),
        };
        let (least, most) = op.arity;
        let n = args.positional.len();
        if n < least || n > most {
            let message = format!(
                "'{}' takes {}, but {n} given",
                op.key,
                arity_text(least, most)
            );
            return fail(codes::ARGUMENTS, args.span, message);
        }
        let (mut option, mut acc) = (None, by_position);
        for (name, whole, operand) in args.named {
            match &operand.value {
                Value::Const(ConstValue::Bool(said))
                    if name == "signed" && op.option == Some("signed") =>
                {
                    // A shift has that of what is shifted.
                    let signs = match op.key {
                        "rshift" => &args.positional[..1],
                        _ => &args.positional,
                    };
                    self.check_sign(*said, signs, operand.span)?;
                }
                Value::Const(ConstValue::Bool(v)) if op.option == Some(name.as_str()) => {
                    option = Some(*v)
                }
                _ if op.option == Some(name.as_str()) => {
                    return fail(
                        codes::ARGUMENTS,
                        operand.span,
                        format!("'{name}' is True or False"),
                    );
                }
                _ if name == "acc" && acc.is_some() => {
                    return fail(codes::ARGUMENTS, whole, "'acc' is given twice");
                }
                _ if name == "acc" => acc = Some(operand),
                _ => {
                    let message = format!("'{}' has no parameter '{name}'", op.key);
                    let known = ["acc"].into_iter().chain(op.option);
                    let error = Diagnostic::error(codes::ARGUMENTS, whole, message);
                    return Err(suggest(error, &name, known).into());
                }
            }
        }
        let acc = match acc {
            Some(operand) => self.b.acc_array(&operand)?,
            None => None,
        };
        match acc {
            Some(acc) if self.options.enable_tensor => {
                self.apply_to_tensor(op, &args.positional, option, acc, span)
            }
            acc => self.b.apply_into(op, &args.positional, option, acc, span),
        }
    }

    /// Signedness is the types': what `signed=` says must agree with them.
    fn check_sign(&self, said: bool, operands: &[Operand], span: Span) -> Result<()> {
        let elem = |operand: &Operand| match operand.value {
            Value::Scalar(typed) => Some(typed.ty),
            Value::Array { id, .. } => Some(self.array(id).elem),
            _ => None,
        };
        let mut types = operands.iter().filter_map(elem);
        match types.find(|ty| !ty.is_float() && !ty.is_storage() && ty.is_signed() != said) {
            None => Ok(()),
            Some(ty) => {
                let said = ConstValue::Bool(said).text();
                let message = format!("'signed={said}' is said of a value of type {ty}");
                Err(Diagnostic::error(codes::ARGUMENTS, span, message)
                    .help("signedness is the types': cast the operands")
                    .into())
            }
        }
    }

    /// An operation of `allo.pto`.
    fn call_pto(
        &mut self,
        op: &'static Operation,
        e: &'a ast::ExprCall,
        span: Span,
    ) -> Result<Value> {
        if self.options.style != Style::Pto {
            let message = format!(
                "'{}' stands in kernels of the typing style \"pto\"",
                op.name
            );
            return Err(Diagnostic::error(codes::PTO_PLACE, span, message)
                .help("write `@kernel(options=KernelOptions(typing_style=\"pto\"))`")
                .into());
        }
        let args = self.args(e)?;
        if modes::is_mode(op) && self.place != Place::Body {
            let message = format!("'{}' stands at the top level of a kernel's body", op.name);
            return fail(codes::PTO_PLACE, span, message);
        }
        let call = Invocation::new(op, args.positional, args.named, span)?;
        (op.lower)(&mut self.b, &call)
    }

    /// The array, or `None`, that follows the operands of an operator: those that it needs.
    fn accumulator_by_position(&self, op: &Operator, args: &mut Args) -> Option<Operand> {
        if args.positional.len() != op.arity.0 + 1 {
            return None;
        }
        let takes = |operand: &mut Operand| {
            operand.is_shaped() || matches!(operand.value, Value::Const(ConstValue::None))
        };
        args.positional.pop_if(takes)
    }

    /// The tensor that `acc` becomes; that one stays as it is.
    fn apply_to_tensor(
        &mut self,
        op: &'static Operator,
        operands: &[Operand],
        option: Option<bool>,
        acc: ArrayId,
        span: Span,
    ) -> Result<Value> {
        // Whole-array operations add to the old elements, the others give every element anew.
        let id = match op.whole {
            true => self.copy_of(acc, span),
            false => {
                let old = self.array(acc);
                let (name, elem, shape) =
                    (format!("{}_result", op.key), old.elem, old.shape.clone());
                self.b.array(&name, elem, &shape, ArrayKind::Local, span)
            }
        };
        self.b.apply_into(op, operands, option, Some(id), span)?;
        Ok(Value::Array { id, fresh: true })
    }

    fn call_kernel(
        &mut self,
        kernel: &KernelRef,
        e: &'a ast::ExprCall,
        span: Span,
    ) -> Result<Value> {
        let args = self.args(e)?;
        let operands = arrange(args, self.session.world.defs[kernel.def].ast)?;
        let inferred = self.inferred_types(kernel, &operands)?;
        if let Some(mapping) = self.session.world.defs[kernel.def].mapping.clone() {
            return self.call_grid(kernel, &mapping, &inferred, &operands, span);
        }
        let id = self
            .session
            .instantiate_with(kernel, &inferred, None, span)?;
        let signature = self.session.signature(id).clone();
        let name = self.session.kernels[id].name.clone();
        let passed = self.passed(&operands, &signature)?;
        let mut scalars: Vec<ValueId> = Vec::new();
        let mut result_arrays: Vec<ArrayId> = Vec::new();
        let mut values = Vec::new();
        for slot in &signature.results {
            values.push(match slot {
                Slot::Scalar(ty) => {
                    let id = self.b.value(*ty, None);
                    scalars.push(id);
                    Value::Scalar(Typed { id, ty: *ty })
                }
                Slot::Array(elem, shape) => {
                    let local = format!("{name}_result");
                    let id = self.b.array(&local, *elem, shape, ArrayKind::Local, span);
                    result_arrays.push(id);
                    Value::Array { id, fresh: true }
                }
            });
        }
        let call = Call {
            kernel: id,
            args: passed,
            result_arrays,
            worker: None,
        };
        self.b.push(OpKind::Call(Box::new(call)), scalars, span);
        Ok(match values.len() {
            0 => ConstValue::None.into(),
            1 => values.swap_remove(0),
            _ => Value::Tuple(values),
        })
    }

    /// The arguments of a call, as the ir has them.
    pub(super) fn passed(
        &mut self,
        operands: &[Operand],
        signature: &Signature,
    ) -> Result<Vec<Arg>> {
        let mut passed = Vec::new();
        let mut spans = Vec::new();
        for (operand, (param, slot, written)) in operands.iter().zip(&signature.params) {
            let slot = match slot {
                Passing::Value(slot) => slot,
                Passing::Tile(ty) => {
                    passed.push(self.tile_argument(operand, param, ty)?);
                    spans.push(operand.span);
                    continue;
                }
                Passing::Streams(ty) => {
                    let streams = self.stream_argument(operand, param, ty)?;
                    passed.extend(streams.iter().map(|id| Arg::Array(*id)));
                    spans.resize(passed.len(), operand.span);
                    continue;
                }
            };
            let mut arg = self.argument(operand, param, slot)?;
            if let (Arg::Array(id), true, true) = (arg, *written, self.options.enable_tensor) {
                // A tensor is a value: the callee writes a copy.
                arg = Arg::Array(self.copy_of(id, operand.span));
            }
            passed.push(arg);
            spans.push(operand.span);
        }
        self.check_aliases(&passed, &spans, signature)?;
        Ok(passed)
    }

    /// The types of the arguments for the parameters without annotation of a nested kernel.
    fn inferred_types(&self, kernel: &KernelRef, args: &[Operand]) -> Result<Vec<ConstValue>> {
        let def = &self.session.world.defs[kernel.def];
        if def.env.is_none() {
            return Ok(Vec::new());
        }
        let mut types = Vec::new();
        for (param, arg) in def.ast.parameters.iter_non_variadic_params().zip(args) {
            let (name, annotation) = (&param.parameter.name.id, &param.parameter.annotation);
            if annotation.is_some() {
                continue;
            }
            types.push(match &arg.value {
                Value::Scalar(typed) => Allo::Type(typed.ty).into(),
                Value::Array { id, .. } => {
                    let array = self.array(*id);
                    Allo::Shaped(array.elem, array.shape.clone().into()).into()
                }
                other => {
                    let message = format!(
                        "parameter '{name}' takes its type from the argument, but {} has none",
                        describe(other)
                    );
                    return Err(
                        Diagnostic::error(codes::ANNOTATION_MISSING, arg.span, message)
                            .help(format!("annotate the parameter, such as `{name}: i32`"))
                            .into(),
                    );
                }
            });
        }
        Ok(types)
    }

    fn argument(&mut self, operand: &Operand, param: &str, slot: &Slot) -> Result<Arg> {
        match (slot, &operand.value) {
            (Slot::Scalar(ty), Value::Scalar(_) | Value::Const(_)) => {
                Ok(Arg::Scalar(self.b.store_as(operand, *ty)?))
            }
            (Slot::Array(elem, shape), Value::Array { id, .. }) => {
                let array = self.array(*id);
                if array.elem == *elem && array.shape == **shape {
                    return Ok(Arg::Array(*id));
                }
                let message = format!(
                    "parameter '{param}' needs {}, but this is {}",
                    shaped_name(*elem, shape),
                    shaped_name(array.elem, &array.shape)
                );
                fail(codes::ARGUMENT_TYPE, operand.span, message)
            }
            (slot, value) => {
                let needed = match slot {
                    Slot::Scalar(ty) => ty.to_string(),
                    Slot::Array(elem, shape) => shaped_name(*elem, shape),
                };
                let message = format!(
                    "parameter '{param}' needs {needed}, but this is {}",
                    describe(value)
                );
                fail(codes::ARGUMENT_TYPE, operand.span, message)
            }
        }
    }

    fn check_aliases(&self, args: &[Arg], spans: &[Span], signature: &Signature) -> Result<()> {
        for (j, later) in args.iter().enumerate() {
            for (i, earlier) in args[..j].iter().enumerate() {
                let same = matches!((earlier, later), (Arg::Array(a), Arg::Array(b)) if a == b);
                let (first, second) = (signature.param(i), signature.param(j));
                if same && (first.2 || second.2) {
                    let written = if first.2 { first } else { second };
                    return fail(
                        codes::ALIASED,
                        spans[j],
                        format!(
                            "the buffer is passed for '{}' and '{}', and the kernel writes '{}'",
                            first.0, second.0, written.0
                        ),
                    );
                }
            }
        }
        Ok(())
    }
}

/// The error for a runtime argument of a function that runs while compiling.
fn needs_constant(function: &str, argument: Span) -> Diagnostic {
    let message = format!("'{function}' takes compile-time values only");
    let error = Diagnostic::error(codes::NOT_CONST, argument, message);
    let own = function.rsplit('.').next().unwrap_or(function);
    match own {
        "int" | "float" | "bool" => error.help(
            "to convert a runtime value, declare a variable of the type or use allo.arith.cast",
        ),
        _ if surface::member(Namespace::Math, own).is_some() => {
            error.help(format!("use allo.math.{own} for runtime values"))
        }
        _ => error,
    }
}

/// The arguments in the order of the parameters.
fn arrange(args: Args, kernel: &ast::StmtFunctionDef) -> Result<Vec<Operand>> {
    let params = kernel.parameters.iter_non_variadic_params();
    let params: Vec<&str> = params.map(|p| p.parameter.name.id.as_str()).collect();
    let (kernel, count) = (&kernel.name.id, params.len());
    let given = args.positional.len() + args.named.len();
    if args.positional.len() > count || given != count {
        let message = format!(
            "kernel '{kernel}' takes {}, but {given} given",
            arity_text(count, count)
        );
        return fail(codes::ARGUMENTS, args.span, message);
    }
    let mut slots: Vec<Option<Operand>> = args.positional.into_iter().map(Some).collect();
    slots.resize(count, None);
    for (name, whole, operand) in args.named {
        let position = params.iter().position(|param| *param == name);
        match position.map(|i| &mut slots[i]) {
            Some(slot @ None) => *slot = Some(operand),
            Some(Some(_)) => {
                return fail(codes::ARGUMENTS, whole, format!("'{name}' is given twice"));
            }
            None => {
                let message = format!("kernel '{kernel}' has no parameter '{name}'");
                let error = Diagnostic::error(codes::ARGUMENTS, whole, message);
                return Err(suggest(error, &name, params.iter().copied()).into());
            }
        }
    }
    Ok(slots.into_iter().flatten().collect())
}
