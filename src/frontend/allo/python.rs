//! What Python code can do with the things of Allo while compiling.

use super::construct;
use super::surface;
use super::{Allo, Builtin};
use crate::diagnostics::{Diagnostic, Span};
use crate::frontend::builder::Operator;
use crate::frontend::constant::ConstValue;
use crate::frontend::error::{Failure, Result, fail};
use crate::frontend::kernel_ref::KernelRef;
use crate::frontend::schedule::things::Scheduling;
use crate::frontend::stream_type::{shaped_name, stream_name};
use crate::frontend::{codes, types};
use crate::ir::Scalar;
use pyeval::{Args, HostValue, Names};
use std::any::Any;

impl HostValue for Allo {
    fn kind(&self) -> &'static str {
        match self {
            Allo::Type(_) => "a type",
            Allo::Shaped(..) => "a shaped type",
            Allo::Stream(_) => "a type of streams",
            Allo::Stateful(..) => "a type of state",
            Allo::Constexpr => "the type 'constexpr'",
            Allo::Template(_) => "an unbound template",
            Allo::Kernel(_) => "a kernel",
            Allo::Operator(_) => "an operator",
            Allo::Builtin(_) => "a built-in",
            Allo::Namespace(_) => "a module",
            Allo::Options(_) => "kernel options",
            Allo::Pto(thing) => thing.kind(),
            Allo::Scheduling(thing) => thing.kind(),
        }
    }

    fn text(&self) -> String {
        match self {
            Allo::Type(ty) => ty.to_string(),
            Allo::Shaped(ty, shape) => shaped_name(*ty, shape),
            Allo::Stream(stream) => stream_name(stream),
            Allo::Stateful(ty, None) => format!("Stateful[{ty}]"),
            Allo::Stateful(ty, Some(shape)) => format!("Stateful[{}]", shaped_name(*ty, shape)),
            Allo::Operator(op) => op.key.to_owned(),
            Allo::Pto(thing) => thing.text(),
            Allo::Scheduling(thing) => thing.text(),
            other => format!("<{}>", other.kind()),
        }
    }

    fn stands_for(&self) -> Option<&'static str> {
        match self {
            Allo::Type(Scalar::BOOL) => Some("bool"),
            Allo::Builtin(Builtin::Range) => Some("range"),
            Allo::Builtin(Builtin::Len) => Some("len"),
            Allo::Operator(op) => ["min", "max", "abs"].into_iter().find(|n| *n == op.key),
            _ => None,
        }
    }

    fn equals(&self, other: &dyn HostValue) -> bool {
        let Some(other) = (other as &dyn Any).downcast_ref::<Allo>() else {
            return false;
        };
        match (self, other) {
            (Allo::Type(x), Allo::Type(y)) => x == y,
            (Allo::Shaped(x, s), Allo::Shaped(y, t)) => x == y && s == t,
            (Allo::Stream(x), Allo::Stream(y)) => x == y,
            (Allo::Stateful(x, s), Allo::Stateful(y, t)) => x == y && s == t,
            (Allo::Constexpr, Allo::Constexpr) => true,
            (Allo::Template(x), Allo::Template(y)) => x == y,
            (Allo::Kernel(x), Allo::Kernel(y)) => {
                let tuple = |k: &KernelRef| ConstValue::Tuple(k.bindings.clone());
                x.def == y.def && pyeval::equal(&tuple(x), &tuple(y)).unwrap_or(false)
            }
            (Allo::Operator(x), Allo::Operator(y)) => std::ptr::eq(*x, *y),
            (Allo::Builtin(x), Allo::Builtin(y)) => x == y,
            (Allo::Namespace(x), Allo::Namespace(y)) => x == y,
            (Allo::Options(x), Allo::Options(y)) => x == y,
            (Allo::Pto(x), Allo::Pto(y)) => x.equals(y),
            (Allo::Scheduling(x), Allo::Scheduling(y)) => x.equals(y),
            _ => false,
        }
    }

    fn key(&self) -> Option<String> {
        Some(match self {
            Allo::Options(_) => return None,
            Allo::Scheduling(thing) => return thing.key(),
            Allo::Template(template) => format!("template {:p}", template.name()),
            Allo::Kernel(kernel) => {
                let bindings = ConstValue::Tuple(kernel.bindings.clone());
                format!("kernel {} {}", kernel.def, bindings.text())
            }
            Allo::Builtin(builtin) => format!("built-in {builtin:?}"),
            Allo::Namespace(space) => format!("module {space:?}"),
            other => format!("{} {}", other.kind(), other.text()),
        })
    }

    fn attribute(&self, name: &str) -> Option<ConstValue> {
        match self {
            Allo::Namespace(space) => surface::member(*space, name),
            Allo::Kernel(kernel) if name == "schedule" => {
                Some(Scheduling::Start(kernel.clone()).into())
            }
            Allo::Scheduling(thing) => thing.attribute(name),
            _ => None,
        }
    }

    fn exported(&self) -> Vec<String> {
        match self {
            Allo::Namespace(space) => surface::exported(*space),
            _ => Vec::new(),
        }
    }

    fn subscript(&self, index: &[(ConstValue, Span)], span: Span) -> Option<Result<ConstValue>> {
        match self {
            Allo::Pto(thing) => thing.subscript(index, span),
            Allo::Type(elem) => Some(types::shaped(*elem, index, span)),
            Allo::Builtin(Builtin::Stream) => Some(types::stream(index, span)),
            Allo::Builtin(Builtin::Stateful) => Some(types::stateful(index, span)),
            Allo::Stream(stream) => Some(types::streams(stream, index, span)),
            // `ConstExpr[int32]` says no more than `constexpr` does.
            Allo::Constexpr => Some(Ok(Allo::Constexpr.into())),
            Allo::Kernel(kernel) => Some(specialise(kernel, index, span)),
            _ => None,
        }
    }

    fn callable(&self) -> bool {
        match self {
            Allo::Pto(thing) => thing.callable(),
            Allo::Scheduling(thing) => thing.callable(),
            _ => matches!(self, Allo::Operator(_) | Allo::Builtin(_) | Allo::Kernel(_)),
        }
    }

    fn call(&self, args: &Args, names: &mut dyn Names) -> Option<Result<ConstValue>> {
        match self {
            Allo::Builtin(builtin) => construct::call(*builtin, args, names),
            Allo::Operator(op) => Some(fold(op, args)),
            Allo::Pto(thing) => thing.call(args),
            // What is called is the world's to carry out.
            Allo::Scheduling(thing) => thing.charge(args.span, names).err().map(Err),
            _ => None,
        }
    }

    fn decorate(&self, function: &ConstValue, span: Span) -> Option<Result<ConstValue>> {
        match (self, function) {
            (Allo::Builtin(Builtin::Kernel), _) => {
                let message = "a kernel is defined at module level or in a kernel";
                Some(fail(codes::DECORATOR, span, message))
            }
            (Allo::Builtin(Builtin::Consteval), ConstValue::Function(f)) => Some(Ok(f.with_mark())),
            _ => None,
        }
    }
}

/// `kernel[values]`.
pub fn specialise(
    kernel: &KernelRef,
    index: &[(ConstValue, Span)],
    span: Span,
) -> Result<ConstValue> {
    if !kernel.bindings.is_empty() {
        return fail(codes::TEMPLATE, span, "the kernel is specialised already");
    }
    let values: Vec<ConstValue> = match index {
        [(ConstValue::Tuple(items), _)] => items.to_vec(),
        several => several.iter().map(|(value, _)| value.clone()).collect(),
    };
    let bindings = values.into_iter().map(ConstValue::plain);
    let bindings: Vec<ConstValue> = bindings.collect();
    for binding in &bindings {
        if !binding.is_number() && Allo::scalar(binding).is_none() {
            let message = format!(
                "a template is bound to a type or a number, not {}",
                binding.kind()
            );
            return fail(codes::TEMPLATE, span, message);
        }
    }
    let (def, bindings) = (kernel.def, bindings.into());
    Ok(Allo::Kernel(KernelRef { def, bindings }).into())
}

/// An operator called with values that are known.
fn fold(op: &Operator, args: &Args) -> Result<ConstValue> {
    args.only_named(&[], op.key)?;
    args.expect(op.arity.0, op.arity.1, op.key)?;
    match op.fold {
        Some(fold) => fold(&args.positional).map_err(|problem| Failure::new(args.span, problem)),
        None => {
            let message = format!("operator '{}' has no compile-time value", op.key);
            Err(Diagnostic::error(codes::NOT_CONST, args.span, message).into())
        }
    }
}
